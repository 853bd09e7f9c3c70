#!/usr/bin/env bash
# The libraries of another processor, for a cross compiler and an emulator: Debian's packages for it,
# with all that they need, unpacked into FOLDER. Nothing is installed and no root is needed, since apt
# gets a state of its own, in which nothing is there yet. Ends with 1 where they cannot be had.
# sysroot.sh ARCHITECTURE FOLDER PACKAGE...
set -euo pipefail
arch=$1 folder=$2
shift 2
[ "$(cat "$folder/packages" 2>/dev/null)" = "$*" ] && exit 0
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || exit 1

rm -rf "$folder" "$folder.new" "$folder.apt"
mkdir -p "$folder.new" "$folder.apt/lists/partial" "$folder.apt/archives/partial"
new=$(cd "$folder.new" && pwd) state=$(cd "$folder.apt" && pwd)
trap 'rm -rf "$new" "$state"' EXIT

: >"$state/status" # nothing is installed
apt() {
  apt-get -q -y -o "APT::Architecture=$arch" -o "APT::Architectures=$arch" \
    -o "APT::Sandbox::User=$(id -un)" -o "Dir::State=$state" -o "Dir::State::status=$state/status" \
    -o "Dir::Cache=$state" -o Debug::NoLocking=true "$@" >/dev/null
}
apt update || : # a source may have nothing for it
apt install --no-install-recommends --download-only "$@" || exit 1
for package in "$state"/archives/*.deb; do dpkg-deb -x "$package" "$new"; done

# links that begin at the root, which is not this machine's
find "$new" -lname '/*' | while read -r link; do
  ln -sfnr "$new$(readlink "$link")" "$link"
done
echo "$*" >"$new/packages"
mv "$new" "$folder"
