#!/usr/bin/env bash
# The numbers of regions of 2,000 pairs of closed meshes on a lattice, ten times as many in the soak: those of CGAL's
# Nef polyhedra. regions_nef.sh REGIONS
source "$(dirname "$0")/../lib/common.sh"
source "$(dirname "$0")/../lib/nef.sh"
nef_program "$1" regions_nef
make_folder
"$1" 0 "2000${IMPINGE_SOAK:+0}" >"$where/pairs"
"$program" <"$where/pairs"
