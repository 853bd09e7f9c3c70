#!/bin/sh
# Rigid bodies of a batch, as plain HDF5 finds them: vertices lie where poses put them.
# bodies.sh IMPINGE PYTHON
set -eu
skip() { echo "skipped: $1"; exit 77; }
"$2" -c 'import h5py, numpy' 2>/dev/null || skip 'no Python with h5py'
here=$(cd "$(dirname "$0")" && pwd)
where=$(mktemp -d)
trap 'rm -rf "$where"' EXIT
cd "$where"
exec "$2" -B "$here/bodies.py" "$1"
