#!/usr/bin/env bash
# The headers and the example of C++ under every warning of both compilers and several standards, and
# the example run. cxx.sh BUILD SOURCE
source "$(dirname "$0")/../lib/common.sh"
build=$1 source=$2
make_folder
some=
for compiler in g++ clang++; do
  command -v $compiler >/dev/null || { skip_part "no $compiler"; continue; }
  for standard in c++11 c++17 c++20; do
    flags=(-std=$standard -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow
      -Wold-style-cast -Wcast-qual -Wzero-as-null-pointer-constant -Werror)
    [ $compiler = clang++ ] || flags+=(-Wuseless-cast)
    # not found as a system header, whose warnings would not be told
    for header in impinge.h impinge_contours.h impinge_regions.h impinge_weld.h impinge_pcs.h; do
      printf '#include "%s/host/%s"\n' "$source" "$header" >"$where/alone.cpp"
      $compiler "${flags[@]}" -c "$where/alone.cpp" -o "$where/alone.o"
    done
    $compiler "${flags[@]}" -I"$source/host" "$source/tests/external/raii.cpp" -o "$where/raii" \
      -L"$build" -limpinge -Wl,-rpath,"$build"
    "$where/raii"
    some=1
  done
done
[ -n "$some" ] || skip 'no C++ compiler'
