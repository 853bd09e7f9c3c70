#!/usr/bin/env bash
# The relations of 2,000 pairs of closed meshes on a lattice, ten times as many in the soak: the oracle's are
# those of CGAL's Nef polyhedra. relations_nef.sh RELATIONS
source "$(dirname "$0")/../lib/common.sh"
program=$(dirname "$1")/relations_nef source=$(dirname "$0")/relations_nef.cpp
command -v c++ >/dev/null || skip 'no C++ compiler'
echo '#include <CGAL/Nef_polyhedron_3.h>' | c++ -std=c++17 -E -x c++ - >/dev/null 2>&1 || skip 'no CGAL'
if [ ! "$program" -nt "$source" ]; then # it takes a minute
  c++ -std=c++17 -O2 -frounding-math -o "$program.new" "$source" -lgmp -lmpfr
  mv "$program.new" "$program"
fi
make_folder
"$1" 0 "2000${IMPINGE_SOAK:+0}" >"$where/pairs"
"$program" <"$where/pairs"
