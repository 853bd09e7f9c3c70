#!/usr/bin/env bash
# Every kernel on a simulator of OpenCL that reports races, accesses out of bounds and reads of what
# was never written. oclgrind.sh PROGRAM
source "$(dirname "$0")/../../lib/common.sh"
command -v oclgrind >/dev/null || skip 'no oclgrind'
make_folder
log=$where/log
export XDG_CACHE_HOME=$where # not the user's, whose programs may be built with other options of the simulator
# Optimised code has intrinsics that the simulator does not know; with several
# threads it crashes; with --check-api, or --log beside --uninitialized, it reports nothing. So
# reports are what it writes to stderr.
options='-O0'
status=0
oclgrind --build-options "$options" --num-threads 1 --data-races --uniform-writes --uninitialized \
  "$1" 2>"$log" || status=$?
[ ! -s "$log" ] || fail "$(head -n 40 "$log")"
[ "$status" = 0 ] || fail "exit $status"
