#!/usr/bin/env bash
# mutants.sh BUILD: every test has a mutant that it finds, and these fit the sources. That it does
# is shown by `./dev mutants`, which takes hours.
source "$(dirname "$0")/lib/common.sh"
here=$(dirname "$0")
python=$here/../build/venv/bin/python
[ -x "$python" ] || python=python3
"$python" -c 'import tomllib' 2>/dev/null || skip 'no Python 3.11'
exec "$python" -B "$here/mutants.py" --look "$1"
