#!/usr/bin/env bash
# Rigid bodies of a batch, as plain HDF5 finds them: vertices lie where poses put them.
# bodies.sh IMPINGE PYTHON
source "$(dirname "$0")/../lib/common.sh"
needs_python "$2" 'h5py, numpy'
here=$(cd "$(dirname "$0")" && pwd)
make_folder
cd "$where"
"$2" -B "$here/bodies.py" "$1"
