#!/usr/bin/env bash
# doc/cluster.md, "A frame that is larger than a machine", in one task and in several.
# space.sh IMPINGE DOCUMENT PYTHON
source "$(dirname "$0")/../lib/common.sh"
source "$(dirname "$0")/cluster.sh"
begin "$@"
block 'A frame that is larger than a machine' 1 >script
bash -e script >log 2>&1 || fail "$(cat log)"
same_result
rm contacts.vtkhdf
mkdir shards
for i in 2 0 1; do # units of 50 frames in 7 slabs, cut within a frame
  impinge run in.vtkhdf -o "shards/$i.vtkhdf" --shard "$i/3" --space 7 -q --resume
done
impinge merge contacts.vtkhdf shards/*.vtkhdf
same_result
