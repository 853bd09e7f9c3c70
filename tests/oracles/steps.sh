#!/usr/bin/env bash
# Contacts between frames of real data: pairs, features and counts against exact truth, and times by `check`.
# steps.sh IMPINGE SHARED PYTHON
source "$(dirname "$0")/../lib/common.sh"
impinge=$1 data=$2/data python=$3
[ -d "$data" ] || skip 'no real data beside the checkout'
needs_python "$python" 'h5py, numpy'
make_folder
result=$where/r.vtkhdf
for name in cloth-funnel rod-twist; do
  "$impinge" run "$data/$name.vtkhdf" -o "$result" --force -q --continuous --device cpu
  "$python" -B "$(dirname "$0")/steps.py" "$result" "$data" "$name"
  "$impinge" check "$result" --input "$data/$name.vtkhdf"
done
