#!/bin/sh
# Installs into a fresh folder, then builds and runs programs of somebody else against it, with
# CMake's package and with pkg-config, both as they are; and asks the installed program.
#
# install.sh SOURCE GENERATOR BUILD   this build, its prefix named at installation, then moved
# install.sh SOURCE GENERATOR         a static library in a libdir like Debian's, then in folders
#                                     that are no part of the prefix
set -eu
source=$1 generator=$2 build=${3-}
where=$(mktemp -d)
trap 'rm -rf "$where"' EXIT

# loudly COMMAND...: what it prints is shown only if it fails
loudly() { "$@" >"$where/log" 2>&1 || { echo "failed: $*"; cat "$where/log"; exit 1; }; }

there() { find "$where/to" -name "$1" | head -n 1; } # of what was installed

programs() {
  for name in external raii; do
    [ ! -e "$1/$name" ] || { echo "$2: $name"; "$1/$name"; }
  done
}

with_cmake() {
  rm -rf "$where/b"
  loudly cmake -G "$generator" -S "$source/tests/external" -B "$where/b" \
    -DCMAKE_PREFIX_PATH="$where/to/usr;$where/to/system"
  loudly cmake --build "$where/b"
  programs "$where/b" "$1, CMake"
}

# A compiler's warnings about the header are errors, in C++ many.
with_pkg_config() {
  rm -rf "$where/b"
  mkdir "$where/b"
  PKG_CONFIG_PATH=$(dirname "$(there impinge.pc)")
  export PKG_CONFIG_PATH
  flags=$(pkg-config --cflags --libs impinge)
  loudly cc -std=c11 -Wall -Wextra -Werror "$source/tests/external/main.c" -o "$where/b/external" \
    $flags
  [ ! -e "$source/tests/external/raii.cpp" ] ||
    loudly c++ -std=c++17 -Wall -Wextra -Wpedantic -Wconversion -Wold-style-cast -Werror \
      "$source/tests/external/raii.cpp" -o "$where/b/raii" $flags
  programs "$where/b" "$1, pkg-config"
}

both() {
  LD_LIBRARY_PATH=$(dirname "$(there 'libimpinge.*')")
  export LD_LIBRARY_PATH
  with_cmake "$1"
  with_pkg_config "$1"
}

installed() {
  "$where/to/usr/bin/impinge" --version
  for file in man/man1/impinge.1 doc/impinge/format.md doc/impinge/LICENSE; do
    test -s "$where/to/usr/share/$file" || { echo "no share/$file"; exit 1; }
  done
  grep -q '^\.TH IMPINGE 1' "$where/to/usr/share/man/man1/impinge.1"
  grep -q '^complete .* impinge$' "$where/to/usr/share/bash-completion/completions/impinge"
  grep -q '^#compdef impinge$' "$where/to/usr/share/zsh/site-functions/_impinge"
}

# Nothing but the public interface is exported.
exported() {
  nm -D --defined-only "$(there libimpinge.so)" |
    awk '$3 !~ /^imp_/ { print "exported: " $3; bad = 1 } END { exit bad }'
}

as_built() {
  loudly cmake --install "$build" --prefix "$where/to/first"
  mv "$where/to/first" "$where/to/usr"
  both 'shared, moved'
  exported
  installed
}

# make_static LIBDIR INCLUDEDIR: not optimized, since only what is installed where matters
make_static() {
  rm -rf "$where/to"
  loudly cmake -G "$generator" -S "$source" -B "$where/static" -DBUILD_SHARED_LIBS=OFF \
    -DIMP_TESTS=OFF -DCMAKE_BUILD_TYPE=None -DCMAKE_INSTALL_LIBDIR="$1" -DCMAKE_INSTALL_INCLUDEDIR="$2"
  loudly cmake --build "$where/static"
  loudly cmake --install "$where/static" --prefix "$where/to/usr"
  [ -z "$(there 'libimpinge.so*')" ] || { echo 'a shared library was installed'; exit 1; }
  both "static, $1"
}

static() {
  make_static lib/x86_64-linux-gnu include
  installed
  make_static "$where/to/system/lib" "$where/to/system/include"
  test -e "$where/to/system/lib/libimpinge.a"
}

if [ "$build" ]; then as_built; else static; fi
