#!/usr/bin/env bash
# doc/cluster.md, "Dask": two workers. dask.sh IMPINGE DOCUMENT PYTHON
source "$(dirname "$0")/../lib/common.sh"
source "$(dirname "$0")/cluster.sh"
needs_python "$3" distributed
begin "$@"
block Dask 1 >script.py
"$python" -B "$here/dask_cluster.py" script.py >log 2>&1 || fail "$(cat log)"
same_result
