#!/usr/bin/env bash
# The packages of doc/packaging/debian: built as a user would, without a finding of lintian, installed in a fresh root
# of this Debian; there they find the contacts of a scene, and a program is built with the library. debian.sh SOURCE
#
# It compiles everything: part of the soak. The root needs to be made by root.
source "$(dirname "$0")/../lib/common.sh"
[ "${IMPINGE_SOAK:-1}" != 1 ] || skip 'part of the soak: set IMPINGE_SOAK'
source=$1
for tool in dpkg-buildpackage dh dh_python3 lintian; do command -v $tool >/dev/null || skip "no $tool"; done
make_folder
tree=$where/impinge

# loudly COMMAND...: what it prints is shown only if it fails
loudly() { "$@" >"$where/log" 2>&1 || fail "failed: $*: $(tail -n 40 "$where/log")"; }

packages() {
  mkdir "$tree"
  (cd "$source" && tar -c --exclude=./build --exclude=./.git .) | tar -x -C "$tree"
  cp -r "$source/doc/packaging/debian" "$tree"
  (cd "$tree" && loudly dpkg-buildpackage -us -uc -b)
  (cd "$where" && loudly lintian --allow-root --fail-on error,warning ./*.changes)
  grep -E '^[EW]:' "$where/log" && fail 'lintian finds fault'
  for package in impinge libimpinge0.1 libimpinge-dev python3-impinge; do
    compgen -G "$where/${package}_*.deb" >/dev/null || fail "no package $package: $(ls "$where")"
  done
  rm -f "$where"/*-dbgsym_*
}

# root: what is installed there needs nothing but what the packages ask for
root() {
  local mirror
  command -v mmdebstrap >/dev/null && [ "$(id -u)" = 0 ] || { skip_part 'no mmdebstrap, or not root: not installed in a fresh root'; return; }
  source /etc/os-release
  mirror=$(apt-cache policy gcc | sed -n 's/^ *[0-9][0-9]* \(http[^ ]*\) .*main.*/\1/p' | head -n 1)
  cat >"$where/main.c" <<'END'
#include <impinge.h>
#include <stdio.h>
int main(void) { return puts(imp_version()) < 0; }
END
  cat >"$where/inside" <<'END'
set -eux
apt-get install -y --no-install-recommends /debs/*.deb
sh /debs/demo
apt-get install -y --no-install-recommends gcc libc6-dev pkg-config
cc /debs/main.c -o /debs/main $(pkg-config --cflags --libs impinge)
test "$(/debs/main)" = "$(impinge --version | sed -n 's/^impinge //p')"
test "$(python3 -c 'from importlib.metadata import version as v; print(v("impinge"))')" = "$(/debs/main)"
python3 -m impinge generate cloth-ball -n 500 -o /debs/again.vtkhdf
END
  mkdir "$where/debs"
  mv "$where"/*.deb "$where/main.c" "$where/inside" "$where/debs"
  cp "$tree/debian/tests/demo" "$where/debs"
  loudly mmdebstrap --mode=root --variant=minbase --format=null --customize-hook="cp -r $where/debs \"\$1\"" \
    --customize-hook='chroot "$1" sh /debs/inside' "$VERSION_CODENAME" - "$mirror"
  grep 'triangles' "$where/log" || fail "no demo: $(cat "$where/log")"
}

packages
root
