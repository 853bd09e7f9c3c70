#!/usr/bin/env bash
# The events of results against those found by brute force. events.sh IMPINGE PYTHON SHARED
source "$(dirname "$0")/../lib/common.sh"
needs_python "$2" 'h5py, numpy'
here=$(cd "$(dirname "$0")" && pwd)
make_folder
cd "$where"
"$2" -B "$here/events.py" "$1" "$3"
