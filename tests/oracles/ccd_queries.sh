#!/usr/bin/env bash
# Features that meet between two frames of real data, found by host/exact among all candidates.
# ccd_queries.sh QUERIES SHARED PYTHON
source "$(dirname "$0")/../lib/common.sh"
[ -d "$2/data" ] || skip 'no real data beside the checkout'
needs_python "$3" 'h5py, numpy'
whole=(cloth-funnel)
[ -z "${IMPINGE_SOAK:-}" ] || whole+=(rod-twist)
"$3" -B "$(dirname "$0")/ccd_queries.py" "$1" "$2/data" "${whole[@]}"
