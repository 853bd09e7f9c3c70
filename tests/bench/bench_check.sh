#!/usr/bin/env bash
# The bench's own tests, and the tables that READMEs quote, where there is a Python when it is run: one may
# come after configuring. The one that has h5py if it can be had, of which one test has need.
source "$(dirname "$0")/../lib/common.sh"
here=$(dirname "$0")
python=$here/../../build/venv/bin/python
[ -x "$python" ] || python=python3
command -v "$python" >/dev/null || skip 'no python3'
"$python" -B "$here/test_bench_programs.py"
"$python" -B "$here/test_bench_quotes.py"
"$python" -B "$here/test_bench_wheels.py"
"$python" -B "$here/test_bench_pairs.py"
"$python" -B "$here/../../bench/quotes.py"
exec "$python" -B "$here/test_bench_check.py"
