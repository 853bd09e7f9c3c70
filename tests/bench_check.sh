#!/bin/sh
# test_bench_check.py, where there is a Python when it is run: one may come after configuring. The one
# that has h5py if it can be had, of which one test has need.
set -eu
here=$(dirname "$0")
python=$here/../build/venv/bin/python
[ -x "$python" ] || python=python3
command -v "$python" >/dev/null || { echo 'skipped: no python3'; exit 77; }
exec "$python" -B "$here/test_bench_check.py"
