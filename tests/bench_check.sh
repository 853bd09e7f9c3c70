#!/bin/sh
# test_bench_check.py, where there is a Python when it is run: one may come after configuring.
set -eu
command -v python3 >/dev/null || { echo 'skipped: no python3'; exit 77; }
exec python3 -B "$(dirname "$0")/test_bench_check.py"
