#!/usr/bin/env bash
# Pages of doc/, executed as they stand there: pages.py. pages.sh IMPINGE PYTHON PAGE...
source "$(dirname "$0")/../lib/common.sh"
needs_python "$2" 'sys'
program=$1 python=$2
shift 2
for page in "$@"; do
  "$python" -B "$(dirname "$0")/pages.py" "$program" "$page"
done
