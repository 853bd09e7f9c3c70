#!/usr/bin/env bash
# The manual as `./dev doc` builds it: a warning, such as a link that leads nowhere, is an error; and what is on it: site.py.
#
# site.sh PYTHON SOURCE BUILD
source "$(dirname "$0")/../lib/common.sh"
source "$(dirname "$0")/../lib/wheel.sh"
python=$(realpath -s "$1") source=$(realpath "$2") objects=$3 build=$3/python
for module in numpy cffi scikit_build_core sphinx furo myst_parser breathe; do needs_python "$python" $module; done
command -v doxygen >/dev/null || skip 'no doxygen'
make_folder
wheel
environment
"$source/doc/site/build.sh" "$where/venv/bin/python" "$where/site"
"$where/venv/bin/python" "$(dirname "$0")/site.py" "$where/site/html" "$source/host"
