#!/usr/bin/env bash
# The ends of contacts, and the features there, against rational arithmetic. ends.sh IMPINGE PYTHON DATA
source "$(dirname "$0")/../lib/common.sh"
needs_python "$2" 'h5py, numpy'
here=$(cd "$(dirname "$0")" && pwd)
make_folder
cd "$where"
"$2" -B "$here/ends.py" "$1" "$3"
