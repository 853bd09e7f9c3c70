#!/usr/bin/env bash
# The regions of results against those of exact cells. regions.sh IMPINGE PYTHON SHARED
source "$(dirname "$0")/../lib/common.sh"
needs_python "$2" 'h5py, numpy, vtkmodules'
here=$(cd "$(dirname "$0")" && pwd)
make_folder
cd "$where"
"$2" -B "$here/regions.py" "$1" "$3"
