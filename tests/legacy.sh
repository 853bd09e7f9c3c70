#!/bin/sh
# Files of tetrahedra as VTK's own writers make them, in both forms. legacy.sh IMPINGE PYTHON
set -eu
skip() { echo "skipped: $1"; exit 77; }
"$2" -c 'import h5py, numpy, vtkmodules.vtkIOLegacy' 2>/dev/null || skip 'no Python with h5py and vtk'
here=$(cd "$(dirname "$0")" && pwd)
where=$(mktemp -d)
trap 'rm -rf "$where"' EXIT
cd "$where"
exec "$2" -B "$here/legacy.py" "$1"
