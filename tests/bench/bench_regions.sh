#!/usr/bin/env bash
# bench_regions.sh LIBRARY PROGRAM: what LIBRARY counts of PROGRAM, a stage whose parts are known (made_up_stage.c).
# Times are of processors, so another program that runs makes no difference.
source "$(dirname "$0")/../lib/common.sh"
make_folder
library=$1 program=$2

# counted CLOCK LEAST MOST: the clock's milliseconds are within these.
counted() {
  local ms
  ms=$(BENCH_CLOCK=$1 LD_PRELOAD=$library "$program")
  awk -v x="$ms" -v least="$2" -v most="$3" 'BEGIN { exit !(x >= least && x <= most) }' ||
    fail "$1: $ms ms, and not $2 to $3"
}

counted serial 50 85    # the threads of regions would add at least 40
counted work 250 350    # 200 of them in regions
counted longest 130 190
counted regions 2 2       # a region of one thread is none
BENCH_CLOCK=other LD_PRELOAD=$library "$program" >/dev/null 2>"$where/error" && fail 'an unknown clock'
grep -q 'BENCH_CLOCK: serial, work' "$where/error" || fail 'no word of what it wants'
