#!/usr/bin/env bash
# The join of shards, as VTK's own reader shows it. shards.sh IMPINGE PYTHON
source "$(dirname "$0")/../lib/common.sh"
needs_python "$2" 'h5py, numpy, vtkmodules.vtkIOHDF'
here=$(cd "$(dirname "$0")" && pwd)
make_folder
cd "$where"
PYTHONPATH=$here/../cluster "$2" -B "$here/shards.py" "$1"
