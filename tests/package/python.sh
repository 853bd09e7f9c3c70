#!/usr/bin/env bash
# The Python package as users get it: a wheel, installed in a fresh environment outside the tree, and its tests
# there (python/tests); and an archive of the sources with all that the wheel is made of. PYTHON lends it numpy,
# h5py and cffi.
#
# python.sh PYTHON SOURCE BUILD   what is compiled stays in BUILD/python: the next time is short
source "$(dirname "$0")/../lib/common.sh"
source "$(dirname "$0")/../lib/wheel.sh"
python=$(realpath -s "$1") source=$(realpath "$2") objects=$3 build=$3/python
for module in numpy h5py cffi scikit_build_core; do needs_python "$python" $module; done
[ -e "$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["include"])')/Python.h" ] ||
  skip "no headers of Python"
make_folder

# What the wheel is made of is in the archive: CMake and Ninja find there what they name, for they are asked there;
# what compilers have read, by Ninja's record; the package's own files.
archive() {
  local file
  (cd "$source" && loudly "$python" -c "from scikit_build_core.build import build_sdist
build_sdist('$where', {'sdist.reproducible': 'false'})")
  mkdir "$where/archive"
  tar -xzf "$where"/impinge-*.tar.gz -C "$where/archive" --strip-components=1
  loudly cmake -G Ninja -S "$where/archive" -B "$where/made" -DIMP_PYTHON=ON -DIMP_TESTS=OFF \
    -DPython_EXECUTABLE="$python"
  loudly ninja -C "$where/made" -n engine_module impinge
  ninja -C "$build/build" -t deps >"$where/deps"
  (cd "$build/build" && sed -n 's/^    //p' "$where/deps" | sort -u | xargs -d '\n' realpath -e) >"$where/read"
  (cd "$source" && find python/impinge -type f ! -name '*.pyc' | sed "s,^,$source/,") >>"$where/read"
  sed -n "s,^$source/,,p" "$where/read" | grep -v '^build/' >"$where/wanted"
  grep -q '^host/impinge.h$' "$where/wanted" || fail 'Ninja does not tell what it has compiled'
  while read -r file; do
    cmp "$source/$file" "$where/archive/$file" || fail "the archive does not have $file"
  done <"$where/wanted"
}

# What messages say to get an extra: pip takes it for what is installed, and looks it up nowhere else. And what a clone gives.
extras() {
  local extra pip=("$python" -m pip --disable-pip-version-check --python "$where/venv/bin/python" install --dry-run --no-index)
  for extra in files io pyvista report; do
    loudly "${pip[@]}" "impinge[$extra]"
  done
  (cd "$source" && loudly "${pip[@]}" --no-build-isolation '.[files]')
}

# It has the engine, no HDF5 and no OpenCL loader, and exports nothing that another library could take for its own.
module() {
  ldd "$engine" >"$where/needs"
  ! grep -iE 'hdf5|opencl|not found' "$where/needs" || fail 'the extension module needs more than it may'
  nm -D --defined-only "$engine" | awk '$3 != "PyInit__engine" { print "exported: " $3; bad = 1 } END { exit bad }'
}

wheel
archive
environment
extras
module
cd "$where"
for test in "$source"/python/tests/test_*.py; do
  echo "${test##*/}"
  PYTHONDONTWRITEBYTECODE=1 BENCH_DETECT=$3/bench_detect timeout 1200 "$where/venv/bin/python" "$test"
done
