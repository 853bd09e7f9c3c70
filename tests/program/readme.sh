#!/usr/bin/env bash
# The README's commands and Python, run as they stand there: readme.py. readme.sh IMPINGE README PYTHON
source "$(dirname "$0")/../lib/common.sh"
needs_python "$3" 'h5py, numpy, vtkmodules.vtkIOHDF'
"$3" -B "$(dirname "$0")/readme.py" "$1" "$2"
