# A wheel of the Python package and a fresh environment with it. A script sources common.sh, then this, with $python (it
# lends its packages), $source, $objects (a build), $build (of the wheel) and $where (make_folder).
lib=$(realpath "$(dirname "${BASH_SOURCE[0]}")")

# loudly COMMAND...: what it prints is shown only if it fails
loudly() { "$@" >"$where/log" 2>&1 || fail "failed: $*: $(cat "$where/log")"; }

# Of BUILD's objects where they can be had; else compiled quickly, for results are the same bits anyhow.
# Tests that run beside each other make it one after another.
wheel() {
  mkdir -p "$build"
  exec 9>"$build/lock"
  flock 9
  local how=(IMP_WERROR=ON CMAKE_C_COMPILER="$(sed -n 's/^CMAKE_C_COMPILER:.*=//p' "$objects/CMakeCache.txt")")
  "$lib/take_objects.sh" "$objects" "$build/build" || how=(IMP_CPU_VARIANTS=OFF CMAKE_C_FLAGS_RELEASE=-O1)
  loudly "$python" -m pip wheel --no-build-isolation --no-deps --no-index --disable-pip-version-check \
    -w "$where" --config-settings=build-dir="$build/build" \
    "${how[@]/#/--config-settings=cmake.define.}" "$source"
  wheel=$(echo "$where"/impinge-*-cp39-abi3-*.whl)
  exec 9>&-
  [ -e "$wheel" ] || fail "no wheel of the limited API: $(ls "$where")"
}

# A fresh environment without a net: packages that others have made are those of PYTHON.
environment() {
  local here
  loudly "$python" -m venv --without-pip "$where/venv"
  here=$("$where/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["platlib"])')
  "$python" -c 'import sys; print(*(p for p in sys.path if p.endswith("-packages")), sep="\n")' >"$here/lent.pth"
  loudly "$python" -m pip --python "$where/venv/bin/python" install --no-deps --no-index --ignore-installed \
    --disable-pip-version-check "$wheel"
  engine=$here/impinge/_engine.abi3.so
}
