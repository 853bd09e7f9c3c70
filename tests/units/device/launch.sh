#!/usr/bin/env bash
# Launches that differ from kernels.def do not compile: launch.sh CC SOURCE_DIR
source "$(dirname "$0")/../../lib/common.sh"
cc=$1 dir=$2
make_folder

# compiles LAUNCH: does it, with the flags of the build?
compiles() {
  cat >"$where/launch.c" <<END
#include "device.h"
int launch(device *d, buffer_u32 *u, buffer_u64 *w, buffer_f32 *f, uint64_t n);
int launch(device *d, buffer_u32 *u, buffer_u64 *w, buffer_f32 *f, uint64_t n)
{
    (void)u, (void)w, (void)f, (void)n;
    return $1;
}
END
  "$cc" -std=c11 -fsyntax-only -Wall -Wextra -Wconversion -Wno-missing-field-initializers -Werror \
    -I "$dir/host" -I "$dir/host/base" -I "$dir/host/device" -I "$dir/kernels" "$where/launch.c" \
    2>"$where/log"
}

good() { compiles "$1" || fail "does not compile: $1: $(cat "$where/log")"; }

# Refused as a launch, and not because something is missing.
bad() {
  ! compiles "$1" || fail "compiles: $1"
  grep -q 'error:' "$where/log" || fail "no error is named: $1: $(cat "$where/log")"
  ! grep -q 'fatal error' "$where/log" || fail "$1: $(cat "$where/log")"
}

good 'RUN(d, scan_gather, n, w, u, w)'
bad 'RUN(d, scan_gather, n, u, w, w)'      # buffers of other types
bad 'RUN(d, scan_gather, n, w, u)'         # too few
bad 'RUN(d, scan_gather, n, w, u, w, w)'   # too many
bad 'RUN(d, scan_gather, n, w, u, 7)'      # a number for a buffer
bad 'RUN(d, scan_gathers, n, w, u, w)'     # no such kernel
good 'RUN(d, scan_partials, 1, 7, w, 9, w)'
bad 'RUN(d, scan_partials, 1, n, w, 9, w)' # a number that does not fit
bad 'RUN(d, scan_partials, 1, w, 7, 9, w)'
good 'RUN_GROUP(d, scan_sums_group, n, 256, u, 7, w)'
bad 'RUN_GROUP(d, scan_sums_group, n, 256, u, w)'
good 'buffer_copy(d, u, 0, u, 0, n)'
bad 'buffer_copy(d, u, 0, f, 0, n)' # of another type
good 'buffer_put(d, f, (float *)0, n)'
bad 'buffer_put(d, f, (double *)0, n)'
echo 'launches that differ from kernels.def do not compile'
