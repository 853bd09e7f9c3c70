#!/usr/bin/env bash
# The pages of the manual, executed as they stand there (pages.py), by the Python package as users install it and the
# library as `cmake --install` does. Other tests run doc/cluster.md and doc/papers.md.
#
# pages.sh PYTHON SOURCE BUILD
source "$(dirname "$0")/../lib/common.sh"
source "$(dirname "$0")/../lib/wheel.sh"
python=$(realpath -s "$1") source=$(realpath "$2") objects=$3 build=$3/python
for module in numpy h5py cffi scikit_build_core; do needs_python "$python" $module; done
make_folder
loudly cmake --install "$objects" --prefix "$where/prefix"
wheel
environment
export PATH=$where/venv/bin:$PATH CMAKE_PREFIX_PATH=$where/prefix OMP_NUM_THREADS=2 PYTHONDONTWRITEBYTECODE=1
PKG_CONFIG_PATH=$(dirname "$(find "$where/prefix" -name impinge.pc)")
export PKG_CONFIG_PATH
pages=()
for page in "$source"/doc/*.md; do
  case ${page##*/} in
    cluster.md | papers.md) ;;
    *) ! grep -q '^```\(console\|python\)' "$page" || pages+=("$page") ;;
  esac
done
[ ${#pages[@]} -gt 0 ] || fail 'no page has anything to execute'
"$where/venv/bin/python" "$(dirname "$0")/pages.py" "${pages[@]}"
