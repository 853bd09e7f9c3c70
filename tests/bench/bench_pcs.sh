#!/usr/bin/env bash
# bench_pcs.sh BENCH_PCS: distances of each scene beside those of others, of ten seeds, and boxes beside ODE's own
# collision.
source "$(dirname "$0")/../lib/common.sh"
make_folder

"$1" scenes 1000 60 --csv "$where/f.csv" >"$where/out" 2>"$where/error"
if grep -q 'without ODE' "$where/error"; then
  echo 'built without ODE' && exit 77
fi

# figure TABLE ROW COLUMN: the number there
figure() {
  grep -F "\"$1\",\"$2\",\"$3\"," "$where/f.csv" | sed 's/.*,//' | grep . || fail "no figure: $1, $2, $3"
}

# at_least A B
at_least() {
  awk -v a="$1" -v b="$2" 'BEGIN { exit !(a >= b) }' || fail "$1 is less than $2"
}

scenes='distances of each scene'
for scene in ball-slope dominoes boxes cradle; do
  n=$(figure "$scenes" $scene bodies)
  all=$(figure "$scenes" $scene 'n (n - 1) / 2')
  awk -v a="$all" -v n="$n" 'BEGIN { exit !(a == 60 * n * (n - 1) / 2) }' || fail "$scene: $all pairs"
  at_least "$all" "$(figure "$scenes" $scene 'n u / 2')"
  at_least "$(figure "$scenes" $scene 'n u / 2')" "$(figure "$scenes" $scene checks)"
  at_least "$(figure "$scenes" $scene 'halving, the set')" "$(figure "$scenes" $scene checks)"
  at_least "$(figure "$scenes" $scene 'halving, all pairs')" "$(figure "$scenes" $scene 'halving, the set')"
done
at_least "$(figure "$scenes" dominoes 'halving, the set')" $((60 + $(figure "$scenes" dominoes checks)))

# other bodies take about as much: where large ones turn fast, steps were those of their surface (140 times)
at_least 5 "$(figure 'ten seeds' all 'most / least')"

# ours are times of contact, ODE's pairs that overlap at the end of a step: about as many
table='boxes, a simulated second'
boxes='1000 bodies, R = 1, 60 frames'
own=$(figure "$table" "$boxes" contacts)
its=$(figure "$table" "$boxes" "ODE's")
at_least "$own" 10
at_least $((2 * its)) "$own"
at_least $((2 * own)) "$its"
for way in impinge dHashSpace dSweepAndPruneSpace; do
  at_least "$(figure "$table" "$boxes" $way)" 1e-6
done
