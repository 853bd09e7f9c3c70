#!/bin/sh
# Installs a build into a fresh folder, then builds and runs a program of somebody else against it,
# with CMake's package and with pkg-config; and asks the installed program and man page.
# install.sh BUILD SOURCE
set -eu
build=$1 source=$2
where=$(mktemp -d)
trap 'rm -rf "$where"' EXIT
cmake --install "$build" --prefix "$where/usr" >"$where/log"

cmake -S "$source/tests/external" -B "$where/b" -DCMAKE_PREFIX_PATH="$where/usr" >>"$where/log"
cmake --build "$where/b" >>"$where/log"
LD_LIBRARY_PATH=$(dirname "$(find "$where/usr" -name 'libimpinge.so' | head -n 1)")
export LD_LIBRARY_PATH
"$where/b/external"

PKG_CONFIG_PATH=$(dirname "$(find "$where/usr" -name impinge.pc)")
export PKG_CONFIG_PATH
# the file names the prefix of the configuration; relocate it
cc -std=c11 "$source/tests/external/main.c" -o "$where/plain" \
  $(pkg-config --define-variable=libdir="$LD_LIBRARY_PATH" \
    --define-variable=includedir="$where/usr/include" --cflags --libs impinge)
"$where/plain"

# nothing but the public interface is exported
nm -D --defined-only "$LD_LIBRARY_PATH/libimpinge.so" | awk '$3 !~ /^imp_/ { print "exported: " $3; bad = 1 } END { exit bad }'

"$where/usr/bin/impinge" --version
grep -q '^\.TH IMPINGE 1' "$where/usr/share/man/man1/impinge.1"
grep -q '^complete .* impinge$' "$where/usr/share/bash-completion/completions/impinge"
grep -q '^#compdef impinge$' "$where/usr/share/zsh/site-functions/_impinge"
