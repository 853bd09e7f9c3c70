#!/usr/bin/env bash
# VTKHDF of several blocks and of cells of all kinds, as VTK's own writer makes it. blocks.sh IMPINGE PYTHON
source "$(dirname "$0")/../lib/common.sh"
needs_python "$2" 'h5py, numpy, vtkmodules.vtkIOHDF'
here=$(cd "$(dirname "$0")" && pwd)
make_folder
cd "$where"
"$2" -B "$here/blocks.py" "$1"
