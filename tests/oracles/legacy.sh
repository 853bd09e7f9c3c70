#!/usr/bin/env bash
# Files of tetrahedra as VTK's own writers make them, in both forms. legacy.sh IMPINGE PYTHON
source "$(dirname "$0")/../lib/common.sh"
needs_python "$2" 'h5py, numpy, vtkmodules.vtkIOLegacy'
here=$(cd "$(dirname "$0")" && pwd)
make_folder
cd "$where"
"$2" -B "$here/legacy.py" "$1"
