#!/usr/bin/env bash
# Builds the manual. build.sh PYTHON FOLDER: PYTHON has the package impinge, Sphinx, Furo, MyST and Breathe
set -euo pipefail
python=$1 folder=$2
source=$(realpath "$(dirname "$0")/../..")
"$python" -B -m sphinx -q -W --keep-going -j 2 -c "$source/doc/site" -b html -d "$folder/trees" "$source" "$folder/html"
