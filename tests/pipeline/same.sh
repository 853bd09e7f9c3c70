#!/usr/bin/env bash
# The data of a result are the same bytes however it was computed. same.sh IMPINGE SAME SHARED VENV
source "$(dirname "$0")/../lib/common.sh"
impinge=$1 same=$2 shared=$3 venv=$4
make_folder
in=$where/in.vtkhdf first=$where/a.vtkhdf
runs=0 on=()

# compare WHAT OPTION...: a run with these options against the first
compare() {
  "${on[@]}" "$impinge" run "$in" -o "$where/b.vtkhdf" --force -q "${also[@]}" "${@:2}"
  "$same" "$first" "$where/b.vtkhdf" || fail "$name: $1"
  runs=$((runs + 1))
}

# intel [VARIABLE=VALUE] OPTION...: compiling takes longer than all other runs of a scene
intel() {
  find_intel "$venv" || { skip_part 'no Intel OpenCL runtime'; return 0; }
  on=(with_intel env)
  while [[ ${1-} == *=* ]]; do
    on+=("$1")
    shift
  done
  compare 'Intel OpenCL' --device intel "$@"
  on=()
}

host() {
  local way
  compare 'two threads' --device cpu --threads 2
  for way in hash brute; do compare "$way" --device cpu --broad "$way"; done
  for way in 8 26; do compare "dop $way" --device cpu --dop "$way"; done
  for way in 1e-9 0.03 1e9; do compare "cell $way" --device cpu --broad hash --cell "$way"; done
  for way in 1 3; do compare "block $way" --device cpu --block "$way"; done
  compare 'little memory' --device cpu --mem-limit "$memory"
  compare 'kept' --device cpu --update keep
  compare 'kept hash' --device cpu --update keep --broad hash
  compare 'kept, little memory, block 3' --device cpu --update keep --mem-limit "$memory" --block 3
  compare 'rebuilt' --device cpu --update rebuild
}

opencl() {
  compare opencl --device opencl
  compare 'opencl, kept' --device opencl --update keep
  compare 'opencl, kept hash' --device opencl --update keep --broad hash
  compare 'opencl, hash, dop 18' --device opencl --broad hash --dop 18
  compare 'opencl, little memory' --device opencl --mem-limit "$memory" --block 2
}

# A scene without contacts shows something only if that was undecided.
all() {
  "$impinge" run "$in" -o "$first" --force -q --device cpu --threads 1 "${also[@]}"
  "$impinge" info "$first" >"$where/info"
  grep -qE '^contacts +([1-9]|0 among .*, [1-9][0-9,]* needed)' "$where/info" ||
    fail "$name: no contacts: $(cat "$where/info")"
  host
  has_device "$impinge" OpenCL || { skip_part "$name: no OpenCL device"; return 0; }
  opencl
  case $name in
    cloth-ball) intel CL_CONFIG_CPU_VECTORIZER_MODE=1 ;; # as users have it: accept.sh
    scalpel) intel CL_CONFIG_CPU_VECTORIZER_MODE=1 --broad hash ;;
  esac
  [ "${IMPINGE_SOAK:-1}" = 1 ] || { intel; intel --broad hash; }
}

# scene NAME MEMORY OPTION... -- OPTION...: of `generate`, and of all runs
scene() {
  local words=()
  name=$1 memory=$2
  shift 2
  while [ "$1" != -- ]; do
    words+=("$1")
    shift
  done
  also=("${@:2}")
  "$impinge" generate "$name" -o "$in" -q --force "${words[@]}"
  all
}

real() {
  name=$1 memory=$2 also=(--adjacent test)
  cp -f "$shared/data/$name.vtkhdf" "$in"
  chmod u+w "$in"
  all
}

scene cloth-ball 4M --frames 40 --primitives 3000 --
scene flat 6M --frames 3 --primitives 2000 -- --adjacent test
scene scalpel 16M --frames 12 --set begin=40 --primitives 3000 -- --adjacent test
if [ -d "$shared/data" ]; then
  real can-crush-surface 8M
  real can-crush-tets 32M
else
  skip_part 'no real data beside the checkout'
fi
echo "$runs runs, all the same"
