#!/bin/sh
# The header and the example of C++ under every warning of both compilers and several standards, and
# the example run. cxx.sh BUILD SOURCE
set -eu
build=$1 source=$2
where=$(mktemp -d)
trap 'rm -rf "$where"' EXIT
some=
for compiler in g++ clang++; do
  command -v $compiler >/dev/null || continue
  for standard in c++11 c++17 c++20; do
    flags="-std=$standard -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow
      -Wold-style-cast -Wcast-qual -Wzero-as-null-pointer-constant -Werror"
    [ $compiler = clang++ ] || flags="$flags -Wuseless-cast"
    # not found as a system header, whose warnings would not be told
    printf '#include "%s/host/impinge.h"\n' "$source" >"$where/alone.cpp"
    $compiler $flags -c "$where/alone.cpp" -o "$where/alone.o"
    $compiler $flags -I"$source/host" "$source/tests/external/raii.cpp" -o "$where/raii" \
      -L"$build" -limpinge -Wl,-rpath,"$build"
    "$where/raii"
    some=1
  done
done
[ "$some" ] || { echo 'skipped: no C++ compiler'; exit 77; }
