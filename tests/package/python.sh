#!/usr/bin/env bash
# The Python package as users get it: an archive of the sources, a wheel from that, installed in a fresh
# environment outside the tree, and its tests there (python/tests). PYTHON lends it numpy, h5py and cffi.
#
# python.sh PYTHON SOURCE BUILD   what is compiled stays in BUILD/python: the next time is short
source "$(dirname "$0")/../lib/common.sh"
python=$(realpath -s "$1") source=$2 build=$3/python
for module in numpy h5py cffi scikit_build_core; do needs_python "$python" $module; done
[ -e "$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["include"])')/Python.h" ] ||
  skip "no headers of Python"
make_folder

# loudly COMMAND...: what it prints is shown only if it fails
loudly() { "$@" >"$where/log" 2>&1 || fail "failed: $*: $(cat "$where/log")"; }

# Files keep their times, so that only what has changed is compiled.
archive() {
  (cd "$source" && loudly "$python" -c "from scikit_build_core.build import build_sdist
build_sdist('$where', {'sdist.reproducible': 'false'})")
  rm -rf "$build/source"
  mkdir -p "$build/source"
  tar -xzf "$where"/impinge-*.tar.gz -C "$build/source" --strip-components=1
}

# Results are the same bits however it is compiled, so it is compiled quickly.
wheel() {
  loudly "$python" -m pip wheel --no-build-isolation --no-deps --no-index --disable-pip-version-check \
    -w "$where" --config-settings=build-dir="$build/build" \
    --config-settings=cmake.define.IMP_CPU_VARIANTS=OFF \
    --config-settings=cmake.define.CMAKE_C_FLAGS_RELEASE=-O1 "$build/source"
  wheel=$(echo "$where"/impinge-*-cp39-abi3-*.whl)
  [ -e "$wheel" ] || fail "no wheel of the limited API: $(ls "$where")"
}

# A fresh environment without a net: packages that others have made are those of PYTHON.
environment() {
  local here
  loudly "$python" -m venv --without-pip "$where/venv"
  here=$("$where/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["platlib"])')
  "$python" -c 'import sysconfig; print(sysconfig.get_paths()["platlib"])' >"$here/lent.pth"
  loudly "$python" -m pip --python "$where/venv/bin/python" install --no-deps --no-index \
    --disable-pip-version-check "$wheel"
  engine=$here/impinge/_engine.abi3.so
}

# It has the engine, no HDF5 and no OpenCL loader, and exports nothing that another library could take for its own.
module() {
  ldd "$engine" >"$where/needs"
  ! grep -iE 'hdf5|opencl|not found' "$where/needs" || fail 'the extension module needs more than it may'
  nm -D --defined-only "$engine" | awk '$3 != "PyInit__engine" { print "exported: " $3; bad = 1 } END { exit bad }'
}

archive
wheel
environment
module
cd "$where"
for test in "$source"/python/tests/test_*.py; do
  echo "${test##*/}"
  PYTHONDONTWRITEBYTECODE=1 BENCH_DETECT=$3/bench_detect timeout 1200 "$where/venv/bin/python" "$test"
done
