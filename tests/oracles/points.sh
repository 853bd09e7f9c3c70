#!/usr/bin/env bash
# Contacts in one point are seen as README.md says, drawn by VTK. points.sh IMPINGE PYTHON
source "$(dirname "$0")/../lib/common.sh"
needs_python "$2" 'h5py, numpy, vtkmodules.vtkIOHDF, vtkmodules.vtkRenderingOpenGL2'
here=$(cd "$(dirname "$0")" && pwd)
make_folder
cd "$where"
"$2" -B "$here/points.py" "$1"
