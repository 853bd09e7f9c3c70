#!/bin/sh
# The README's commands and Python, run as they stand there: readme.py. readme.sh IMPINGE README PYTHON
set -eu
impinge=$1 readme=$2 python=$3
"$python" -c 'import h5py, numpy, vtkmodules.vtkIOHDF' 2>/dev/null || {
  echo 'skipped: no Python with h5py and vtk'
  exit 77
}
"$python" -B "$(dirname "$0")/readme.py" "$impinge" "$readme"
