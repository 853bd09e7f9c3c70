#!/bin/sh
# A series of files as VTK's own writer makes it, complete and with each file missing or damaged.
# series.sh IMPINGE PYTHON
set -eu
skip() { echo "skipped: $1"; exit 77; }
"$2" -c 'import h5py, numpy, vtkmodules.vtkIOHDF' 2>/dev/null || skip 'no Python with h5py and vtk'
"$2" -c 'from vtkmodules.vtkIOHDF import vtkHDFWriter as w; w.SetUseExternalTimeSteps' 2>/dev/null ||
  skip 'this VTK writes no external time steps'
here=$(cd "$(dirname "$0")" && pwd)
where=$(mktemp -d)
trap 'rm -rf "$where"' EXIT
cd "$where"
exec "$2" -B "$here/series.py" "$1"
