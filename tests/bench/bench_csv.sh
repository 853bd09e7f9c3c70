#!/usr/bin/env bash
# bench_csv.sh PROGRAM ARGUMENT...: what a program of the benchmark writes with --csv has counts, seconds
# and places as sheet.h says, its counts are those of another run, and a file that cannot be written ends
# it.
source "$(dirname "$0")/../lib/common.sh"
make_folder

for run in 1 2; do
  "$@" --csv "$where/$run.csv" >"$where/out"
  grep ',count,' "$where/$run.csv" >"$where/$run.counts"
done
[ "$(head -n 1 "$where/1.csv")" = table,row,column,kind,value ] || fail 'other columns'
cmp "$where/1.counts" "$where/2.counts" || fail 'counts that change'
grep -q ',seconds,[0-9]' "$where/1.csv" || fail 'no seconds'
[ "$(sed 's/,[^,]*$//' "$where/1.counts" | sort | uniq -d | wc -l)" = 0 ] || fail 'a place that comes twice'
"$@" --csv "$where/there-is-none/1.csv" >"$where/out" 2>"$where/error" && fail 'it writes to nowhere'
grep -q 'cannot be written' "$where/error" || fail 'no word of why'
