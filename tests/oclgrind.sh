#!/bin/sh
# Every kernel on a simulator of OpenCL that reports races, accesses out of bounds and reads of what
# was never written. oclgrind.sh PROGRAM
set -eu
command -v oclgrind >/dev/null || { echo 'skipped: no oclgrind'; exit 77; }
log=$(mktemp)
trap 'rm -f "$log"' EXIT
bad=0
# Optimised code and prefetches have intrinsics that the simulator does not know; with several
# threads it crashes; with --check-api, or --log beside --uninitialized, it reports nothing. So
# reports are what it writes to stderr.
options='-O0 -DIMP_NO_FETCH'
oclgrind --build-options "$options" --num-threads 1 --data-races --uniform-writes --uninitialized \
  "$1" 2>"$log" || bad=1
[ ! -s "$log" ] || { head -n 40 "$log"; bad=1; }
exit $bad
