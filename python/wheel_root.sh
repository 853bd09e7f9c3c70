#!/usr/bin/env bash
# What a compiler sees instead of this system when it makes a wheel: wheel_root.sh ARCHITECTURE GLIBC FOLDER ZIG
#
# FOLDER/root has the headers and the symbols of glibc GLIBC, such as 2.28, without its code, and as static
# libraries all else that goes into the program. Zig brings headers and symbols of every glibc, and is used for
# nothing else: the compiler is gcc, and so are results and times. The static libraries are Debian's, compiled
# for a newer glibc; what they need must exist in the older one, or linking fails. GMP alone stays a library of
# its own, so that its users can replace it, as its licence demands. FOLDER/licenses tells of each.
set -euo pipefail
arch=$1 glibc=$2 zig=$4 # x86_64 or aarch64
mkdir -p "$3"
folder=$(cd "$3" && pwd) here=$(cd "$(dirname "$0")" && pwd)
declare -A debian=([x86_64]=amd64 [aarch64]=arm64)
triple=$arch-linux-gnu
root=$folder/root lib=$folder/root/usr/lib/$triple include=$folder/root/usr/include packages=$folder/debian
# package: what of it goes into the wheel
declare -A inside=([libgmp10]=GMP [libhdf5-dev]=HDF5 [libaec-dev]='libaec, with its SZIP' [zlib1g-dev]=zlib
  [libxxhash-dev]=xxHash [libode-dev]=ODE [libccd2]=libccd [libgomp1]="GCC's OpenMP" [libstdc++6]="GCC's support of C++")
key="$arch $glibc $(cat "$0" "$here/wheel_later.c" | sha256sum)"
[ "$(cat "$folder/.done" 2>/dev/null)" = "$key" ] && exit 0

fail() {
  echo "wheel_root.sh: $*" >&2
  exit 1
}

# Packages of this system's Debian, for ARCHITECTURE, unpacked.
unpack() {
  "$here/../tests/sysroot.sh" "${debian[$arch]}" "$packages" libc6-dev libgcc-12-dev libstdc++-12-dev libhdf5-dev \
    libaec-dev zlib1g-dev libgmp-dev libxxhash-dev libode-dev libccd2 opencl-headers libpython3-dev python3 ||
    fail "the libraries of $arch cannot be had from apt"
}

# Zig links a program, and tells with what: headers, where a program begins, and libraries with symbols only.
libc() {
  local word file name
  cd "$folder" # Zig shortens names of files by it
  echo 'int main(void) { return 0; }' >"$folder/empty.c"
  ZIG_GLOBAL_CACHE_DIR=$folder/zig ZIG_LOCAL_CACHE_DIR=$folder/zig "$zig" cc -target "$triple.$glibc" -O2 \
    -fno-sanitize=all -fPIE -pie "$folder/empty.c" -o "$folder/empty" --verbose 2>"$folder/zig.log" ||
    fail "$(cat "$folder/zig.log")"
  # the first folder that has a header counts: the last is copied first
  sed -n 's,^ \([^ ]*/libc/include/.*\),\1,p' "$folder/zig.log" | awk '!had[$0]++' | tac >"$folder/zig.headers"
  [ -s "$folder/zig.headers" ] || fail 'Zig does not tell its headers'
  while read -r word; do cp -r "$word/." "$include"; done <"$folder/zig.headers"
  sed -i "s,^/\* zig patch: we pass .*,#define __GLIBC_MINOR__ ${glibc#*.},;" "$include/features.h"
  grep -q "^#define __GLIBC_MINOR__ ${glibc#*.}$" "$include/features.h" || fail "Zig's features.h is another one"
  for word in $(grep '^ld.lld .* -pie ' "$folder/zig.log"); do
    name=${word##*/}
    case $name in
      Scrt1.o | libc_nonshared.a | lib*.so.[0-9]) cp "$word" "$lib/$name" ;;
    esac
  done
  for name in m pthread dl rt util; do
    file=$(cd "$lib" && echo "lib$name".so.*)
    ln -s "$file" "$lib/lib$name.so"
  done
  echo "GROUP (libc.so.6 libc_nonshared.a AS_NEEDED (libld.so.2))" >"$lib/libc.so"
  cp "$packages/usr/lib/$triple"/crt[in].o "$lib"
}

libraries() {
  local from=$packages/usr/lib/$triple gcc
  gcc=$(echo "$packages/usr/lib/gcc/$triple"/1[0-9])
  cp "$from"/lib{hdf5_serial,sz,aec,z,xxhash,ode}.a "$gcc/libsupc++.a" "$lib"
  "$triple-gcc" "--sysroot=$root" -O2 -fPIE -c "$here/wheel_later.c" -o "$lib/later.o"
  # what they need comes after them
  echo 'INPUT (libhdf5_serial.a libsz.a libaec.a libz.a -ldl -lm)' >"$lib/libhdf5.so"
  openmp
  echo 'INPUT (libgomp.a -ldl -lpthread)' >"$lib/libgomp.so"
  mkdir -p "$folder/shared"
  cp -L "$from/libgmp.so.10" "$from/libccd.so.2" "$folder/shared"
  cp "$folder/shared"/* "$lib"
  ln -s libgmp.so.10 "$lib/libgmp.so"
  cp -L "$packages/usr/include/$triple/gmp.h" "$packages/usr/include"/{xxhash,zlib,libaec,szlib}.h "$include"
  cp -r "$packages/usr/include/hdf5/serial/." "$include"
  cp -r "$packages/usr/include"/{CL,ode,python3*} "$include"
  mkdir -p "$include/$triple"
  cp -r "$packages/usr/include/$triple"/python3* "$include/$triple"
  mkdir -p "$root/usr/lib/pkgconfig"
  package_file libxxhash -lxxhash
  package_file ode "-lode -l:libccd.so.2 -lsupc++ $lib/later.o -Wl,--allow-shlib-undefined" # libgcc_s has newer symbols
}

# GCC's OpenMP, of its source: Debian's libgomp.a can be linked into programs alone, and its libgomp.so.1 needs a
# newer glibc. Of the source that all architectures share, only what its configure asks for is unpacked.
openmp() {
  local version tree=$folder/../gcc made=$folder/openmp
  version=$("$triple-gcc" -dumpversion)
  [ "$(cat "$tree/.done" 2>/dev/null)" = "$version" ] || {
    rm -rf "$tree"
    mkdir -p "$tree/package"
    (cd "$tree" && apt-get download -q -o "APT::Sandbox::User=$(id -un)" "gcc-$version-source") >/dev/null ||
      fail "gcc-$version-source cannot be had from apt"
    dpkg-deb --fsys-tarfile "$tree"/*.deb | tar -x -C "$tree/package" "./usr/src/gcc-$version"
    tar -x -C "$tree" --strip-components=1 --exclude='*/testsuite/*' --wildcards --no-wildcards-match-slash -f "$tree/package/usr/src/gcc-$version/gcc-"*.tar.xz \
      'gcc-*/libgomp' 'gcc-*/include' 'gcc-*/config' 'gcc-*/config*.*' 'gcc-*/lt*' 'gcc-*/libtool*' 'gcc-*/[a-z]*-sh' \
      'gcc-*/missing' 'gcc-*/depcomp' 'gcc-*/compile' 'gcc-*/mkinstalldirs' 'gcc-*/move-if-change'
    mkdir -p "$tree/libgomp/testsuite"
    touch "$tree"/libgomp/testsuite/{Makefile,libgomp-site-extra.exp,libgomp-test-support.exp}.in
    rm -rf "$tree/package" "$tree"/*.deb
    echo "$version" >"$tree/.done"
  }
  rm -rf "$made"
  mkdir "$made"
  (cd "$made" && ../../gcc/libgomp/configure --build="$(gcc -dumpmachine)" --host="$triple" --disable-multilib \
    --disable-shared --with-pic FC=no CFLAGS='-O2 -fPIC' CC="$triple-gcc --sysroot=$root -B$lib -L$lib" &&
    make -j"$(nproc)" libgomp.la) >"$folder/openmp.log" 2>&1 || fail "libgomp: $(tail -n 20 "$folder/openmp.log")"
  cp "$made/.libs/libgomp.a" "$lib"
}

# package_file NAME FLAGS: for pkg-config
package_file() {
  printf 'Name: %s\nDescription: of a wheel\nVersion: 0\nLibs: %s\nCflags:\n' "$1" "$2" >"$root/usr/lib/pkgconfig/$1.pc"
}

# first PACKAGE: the first line of its changes: source (version) ...
first() {
  local doc=$packages/usr/share/doc/$1
  { zcat "$doc/changelog.Debian.gz" || zcat "$doc/changelog.gz"; } 2>/dev/null | head -n 1
}

# What each library allows, as Debian tells it, with the licences that these texts name.
licenses() {
  local to=$folder/licenses package source version name
  rm -rf "$to"
  mkdir "$to"
  {
    echo 'The program and the module of this wheel contain code of these libraries, unchanged, of Debian:'
    echo
    for package in "${!inside[@]}"; do
      read -r source version _ <<<"$(first "$package")"
      [ -n "$source" ] || fail "no changes of $package"
      cp -L "$packages/usr/share/doc/$package/copyright" "$to/$source.txt"
      echo "${inside[$package]}: $source $version, $source.txt, https://sources.debian.org/src/$source/"
    done | sort
    echo
    echo 'GMP and libccd are the shared libraries in impinge.libs, which you may replace by your own with the same'
    echo 'interface under the same file name. Their sources are at the address above; the sources of impinge, with'
    echo 'python/wheel.sh, which makes this wheel, are public as well.'
  } >"$to/README.txt"
  grep -oh '/usr/share/common-licenses/[A-Za-z]*-[0-9.]*[0-9]' "$to"/* | sort -u | while read -r name; do
    cp -L "$name" "$to/${name##*/}.txt"
  done
}

unpack
licenses
rm -rf "$root" "$folder/.done"
mkdir -p "$lib" "$include"
libc
libraries
echo "$key" >"$folder/.done"
