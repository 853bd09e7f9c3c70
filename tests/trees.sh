#!/bin/sh
# Real data by trees in many ways: the same contacts as those of `auto`, to the last digit. With
# IMPINGE_SOAK all ways on all data, else some on each. trees.sh IMPINGE SHARED
set -eu
impinge=$1 shared=$2
skip() { echo "skipped: $1"; exit 77; }
[ -d "$shared/data" ] || skip 'no real data beside the checkout'
where=$(mktemp -d)
trap 'rm -rf "$where"' EXIT
volumes='dop sphere obb hybrid' kinds='6 8 14 18 26' builds='top-down bottom-up'
descents='environment-first simultaneous' degrees='2 4 8' leaves='1 4 16'

# All of them, numbered.
ways() {
  i=0
  for v in $volumes; do for k in $kinds; do for b in $builds; do
    for d in $descents; do for n in $degrees; do for l in $leaves; do
      i=$((i + 1))
      echo "$i --volume $v --dop $k --build $b --descent $d --degree $n --leaf $l"
    done; done; done
  done; done; done
}

contacts() { # IN [option...]
  in=$1
  shift
  "$impinge" run "$in" -o "$where/r.vtkhdf" --force -q --device cpu --on-bad skip \
    --collide-txt "$where/r.txt" "$@"
  cksum < "$where/r.txt"
}

number=0
for in in "$shared"/data/*.vtkhdf; do
  frames=::4
  [ -z "${IMPINGE_SOAK:-}" ] || frames=::10
  [ "$(wc -c < "$in")" -gt 20000000 ] && frames=::29
  "$impinge" info "$in" --json | grep -q '"readable": true' || continue
  want=$(contacts "$in" --frames "$frames")
  number=$((number + 1))
  ways | while read -r i way; do
    # 720 ways: every 311th of them, from another one for each file
    [ -n "${IMPINGE_SOAK:-}" ] || [ $(((i + 97 * number) % 311)) = 0 ] || continue
    # shellcheck disable=SC2086 # several words
    got=$(contacts "$in" --frames "$frames" $way)
    [ "$got" = "$want" ] || { echo "$in: other contacts by $way"; exit 1; }
  done
  echo "$in: the same contacts"
done
