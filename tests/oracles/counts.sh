#!/usr/bin/env bash
# The file of run --counts, as VTK's own reader shows it. counts.sh IMPINGE PYTHON SHARED
source "$(dirname "$0")/../lib/common.sh"
needs_python "$2" 'h5py, numpy, vtkmodules.vtkIOHDF'
here=$(cd "$(dirname "$0")" && pwd)
make_folder
cd "$where"
"$2" -B "$here/counts.py" "$1" "$3"
