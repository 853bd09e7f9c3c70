#!/usr/bin/env bash
# A series of files as VTK's own writer makes it, complete and with each file missing or damaged.
# series.sh IMPINGE PYTHON
source "$(dirname "$0")/../lib/common.sh"
needs_python "$2" 'h5py, numpy, vtkmodules.vtkIOHDF'
"$2" -c 'from vtkmodules.vtkIOHDF import vtkHDFWriter
raise SystemExit(0 if hasattr(vtkHDFWriter, "SetUseExternalTimeSteps") else 1)' ||
  skip 'this VTK writes no external time steps'
here=$(cd "$(dirname "$0")" && pwd)
make_folder
cd "$where"
"$2" -B "$here/series.py" "$1"
