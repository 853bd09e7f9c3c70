# What the scripts of this folder share. A script of bash sources it first:
#
#   source "$(dirname "$0")/common.sh"
#
# After that a command that fails ends the script, also in a pipe, before the pipe's last command, and
# in $(...). Two places stay in which nothing ends it: conditions, and what stands before && or ||. So
# functions that may fail are called neither there nor in $(...) with another command.
set -euo pipefail
shopt -s inherit_errexit
unset PYTHONOPTIMIZE # it would take assertions out of the tests in Python

# skip REASON: this test cannot run here. ctest reports 77 as skipped.
skip() {
  echo "skipped: $1"
  exit 77
}

# skip_part REASON: this test does less than it could. ./dev lists such lines at the end.
skip_part() { echo "skipped: $1"; }

fail() {
  echo "$*"
  exit 1
}

# make_folder: $where is an empty folder, which goes with the script
make_folder() {
  where=$(mktemp -d)
  trap 'rm -rf "$where"' EXIT
}

# needs_python PYTHON MODULES: else the test is skipped. A module that is there and fails is a failure:
# it says something else than that it is missing.
needs_python() {
  local said
  command -v "$1" >/dev/null || skip "no $1"
  said=$("$1" -c "import $2" 2>&1) && return 0
  case $said in
    *ModuleNotFoundError*) skip "no Python with $2" ;;
    *) fail "$said" ;;
  esac
}

# find_intel VENV: is Intel's OpenCL runtime for CPUs there? It brings a loader of its own, which we
# don't want. Needs make_folder.
find_intel() {
  local loaders
  intel_library=$(find "$1/" -name libintelocl.so -print -quit 2>/dev/null) || return 1
  loaders=$(ldconfig -p | awk '/libOpenCL.so.1 .*x86-64/ { print $NF }') || return 1
  intel_loader=${loaders%%$'\n'*}
  [ -n "$intel_library" ] && [ -n "$intel_loader" ] || return 1
  mkdir -p "$where/icd"
  realpath "$intel_library" >"$where/icd/intel.icd"
}

# with_intel COMMAND...: OpenCL is Intel's runtime and no other. It compiles the kernels once for a test, in 14
# seconds of a processor, and in 5 where it makes no vectors of work-items: CL_CONFIG_CPU_VECTORIZER_MODE=1.
with_intel() {
  env XDG_CACHE_HOME="$where/cache" OCL_ICD_VENDORS="$where/icd" LD_LIBRARY_PATH="$(dirname "$intel_library")" \
    LD_PRELOAD="$intel_loader" "$@"
}

# has_device IMPINGE TEXT: is there an OpenCL device with TEXT in its name?
has_device() {
  local list
  list=$("$1" devices --no-test) || fail "$1 devices: exit $?"
  [[ $list == *"$2"* ]]
}
