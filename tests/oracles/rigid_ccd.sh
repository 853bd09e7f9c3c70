#!/usr/bin/env bash
# Rigid bodies that turn, anywhere and by any number of turns, against numbers of 60 digits.
# rigid_ccd.sh IMPINGE PYTHON
source "$(dirname "$0")/../lib/common.sh"
needs_python "$2" 'h5py, numpy, mpmath'
here=$(cd "$(dirname "$0")" && pwd)
make_folder
"$2" -B "$here/rigid_ccd.py" "$1" "$where" $((60 * ${IMPINGE_SOAK:-1}))
