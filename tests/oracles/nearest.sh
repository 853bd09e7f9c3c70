#!/usr/bin/env bash
# The oracle of pairs within a distance, against fractions of Python. nearest.sh NEAREST PYTHON
source "$(dirname "$0")/../lib/common.sh"
needs_python "$2" 'fractions'
"$2" -B "$(dirname "$0")/nearest.py" "$1" $((40 * ${IMPINGE_SOAK:-1}))
