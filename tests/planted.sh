#!/usr/bin/env bash
# planted.sh BUILD: every test has a planted wrong answer that ends it, and these fit the sources. That they do end it
# is shown by `./dev planted`, which takes hours.
source "$(dirname "$0")/lib/common.sh"
here=$(dirname "$0")
python=$here/../build/venv/bin/python
[ -x "$python" ] || python=python3
"$python" -c 'import tomllib' 2>/dev/null || skip 'no Python 3.11'
exec "$python" -B "$here/planted.py" --look "$1"
