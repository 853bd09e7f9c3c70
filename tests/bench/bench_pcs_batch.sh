#!/usr/bin/env bash
# bench_pcs_batch.sh BENCH_PCS IMPINGE PYTHON: a stack of boxes, as a user's batch, that stands: beside ODE's own
# collision, which has the same bodies.
source "$(dirname "$0")/../lib/common.sh"
bench=$1 impinge=$2 python=$3
needs_python "$python" h5py
make_folder

stack=$where/stack.vtkhdf
"$python" -B "$(dirname "$0")/../../bench/stack.py" "$stack" 6 0.6
"$bench" batch "$stack" --csv "$where/f.csv" >"$where/out" 2>"$where/error"
if grep -q 'without ODE' "$where/error"; then
  echo 'built without ODE' && exit 77
fi

# figure ROW COLUMN: the number there
figure() {
  grep -F "\"stack of 6 boxes, 60 frames\",\"$1\",\"$2\"," "$where/f.csv" | sed 's/.*,//' | grep . ||
    fail "no figure: $1, $2"
}

# holds CONDITION FIGURES...: awk's, of their numbers a, b, ...
holds() {
  local condition=$1
  shift
  awk -v a="$1" -v b="${2:-0}" "BEGIN { exit !($condition) }" || fail "not so: $condition for $*"
}

for who in impinge dHashSpace dSweepAndPruneSpace; do
  holds 'a > 1e-6' "$(figure $who 'a simulated second')"
  holds 'a == 0' "$(figure $who fell)"
  holds 'a > 100' "$(figure $who contacts)"
  holds 'a == b' "$(figure $who 'energy, first')" "$(figure impinge 'energy, first')"
done
holds 'a == 0' "$(figure impinge 'out of order')"
holds 'a == 0' "$(figure impinge 'energy, most above first')"
# six boxes of 500 kg fall together by 1 to 6 mm, and may be held by epsilon each
holds 'a > -110 && a < -60' "$(figure impinge 'energy, last above first')"
# ODE's boxes go into each other, impinge's by rounding at most
holds 'a < 1e-6 && b > 1e-4' "$(figure impinge 'greatest overlap')" "$(figure dHashSpace 'greatest overlap')"

# refused EXIT TEXT WORDS...
refused() {
  local want=$1 text=$2 code=0
  shift 2
  "$bench" batch "$@" >/dev/null 2>"$where/error" || code=$?
  [ "$code" = "$want" ] || fail "batch $*: ended with $code"
  grep -qF -- "$text" "$where/error" || fail "batch $*: $(cat "$where/error")"
}
"$impinge" pcs cradle -o "$where/cradle.vtkhdf" --batch-only -q
refused 1 'not only cuboids on which only gravity acts' "$where/cradle.vtkhdf"
refused 1 'none.vtkhdf' "$where/none.vtkhdf"
refused 2 'bench_pcs batch FILE.vtkhdf [FRAMES]' "$stack" 0
refused 2 'bench_pcs batch FILE.vtkhdf [FRAMES]'
