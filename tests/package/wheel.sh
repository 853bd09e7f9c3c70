#!/usr/bin/env bash
# What `./dev wheel` has made: the same bits as this build's program, those of ARM by an emulator; and in the smallest
# root of the oldest Debian that can be had, without a net, the demo within 60 seconds of nothing.
#
# wheel.sh PYTHON PROGRAM FOLDER   PYTHON has h5py, PROGRAM is this build's, FOLDER that of ./dev wheel
source "$(dirname "$0")/../lib/common.sh"
python=$(realpath -s "$1") program=$(realpath "$2") folder=$(realpath "$3") here=$(realpath "$(dirname "$0")")
needs_python "$python" h5py
make_folder

# bits ARCHITECTURE [EMULATOR...]; in the program's code ODE may have fused multiplications
bits() {
  local arch=$1 to=$where/$1
  shift
  mkdir -p "$to"
  "$python" -m zipfile -e "$folder"/impinge-*"_$arch.whl" "$to/wheel"
  chmod +x "$to/wheel/impinge/bin/impinge"
  bash "$here/fused.sh" "$arch-linux-gnu-objdump" "$folder/$arch/build/python/_engine.abi3.so" # with names
  "$python" "$here/wheel_bits.py" "$program" "$to" "$@" "$to/wheel/impinge/bin/impinge" | sed "s,^,$arch: ,"
}

# The root of the oldest suite, as $suite; only its files are wanted, no mount stays.
root() {
  command -v mmdebstrap >/dev/null && [ "$(id -u)" = 0 ] || return 1
  for suite in buster bullseye bookworm; do
    "$python" -c "import urllib.request as u; u.urlopen('http://deb.debian.org/debian/dists/$suite/Release', timeout=20)" \
      2>"$where/log" || continue
    mmdebstrap --quiet --variant=minbase --include=python3,python3-venv "$suite" "$where/root" http://deb.debian.org/debian \
      2>"$where/log" && return 0
  done
  return 1
}

bare() {
  local version
  root || { skip_part 'no mmdebstrap, no root or no Debian for a bare system'; return 0; }
  version=$(chroot "$where/root" python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  mkdir "$where/root/wheels"
  "$python" -m pip -q --disable-pip-version-check download -d "$where/root/wheels" --only-binary=:all: \
    --python-version "$version" --platform manylinux_2_28_x86_64 --platform manylinux2014_x86_64 \
    "$(echo "$folder"/impinge-*_x86_64.whl)"
  cat >"$where/root/demo.sh" <<'END'
set -e
mount -t proc proc /proc
cd /tmp
python3 -m venv /v
/v/bin/pip install -q --no-index --find-links /wheels impinge 2>/dev/null
/v/bin/python -m impinge.demo
echo "in $SECONDS s from nothing, by $(ldd --version | head -n 1), Python $1"
[ $SECONDS -lt 60 ]
/v/bin/impinge generate cloth-ball -n 1500 --frames 12 -o b.vtkhdf -q
/v/bin/impinge run b.vtkhdf -o r.vtkhdf -q
/v/bin/impinge check r.vtkhdf --input b.vtkhdf
END
  unshare --net --mount --pid --fork chroot "$where/root" bash /demo.sh "$version" || fail "$suite: $(tail "$where/log")"
}

bits x86_64
if [ -e "$folder/aarch64/debian" ] && command -v qemu-aarch64 >/dev/null; then
  bits aarch64 qemu-aarch64 -L "$folder/aarch64/debian"
else
  skip_part 'no wheel for ARM, or no emulator'
fi
bare
