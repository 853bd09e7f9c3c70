#!/usr/bin/env bash
# The relations of 2,000 pairs of closed meshes on a lattice, ten times as many in the soak: the oracle's are
# those of CGAL's Nef polyhedra. relations_nef.sh RELATIONS
source "$(dirname "$0")/../lib/common.sh"
source "$(dirname "$0")/../lib/nef.sh"
nef_program "$1" relations_nef
make_folder
"$1" 0 "2000${IMPINGE_SOAK:+0}" >"$where/pairs"
"$program" <"$where/pairs"
