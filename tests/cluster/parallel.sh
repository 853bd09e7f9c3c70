#!/usr/bin/env bash
# doc/cluster.md, "GNU parallel". parallel.sh IMPINGE DOCUMENT PYTHON
source "$(dirname "$0")/../lib/common.sh"
source "$(dirname "$0")/cluster.sh"
command -v parallel >/dev/null || skip 'no GNU parallel'
begin "$@"
export HOME=$where # it asks for a citation there, once
block 'GNU parallel' 1 >script
bash -e script >log 2>&1 || fail "$(cat log)"
same_result
