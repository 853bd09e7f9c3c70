#!/usr/bin/env bash
# Real data by trees in many ways: the same contacts as those of `auto`, to the last digit. With
# IMPINGE_SOAK all ways on all data, else some on each. trees.sh IMPINGE SHARED
source "$(dirname "$0")/../lib/common.sh"
impinge=$1 shared=$2
[ -d "$shared/data" ] || skip 'no real data beside the checkout'
make_folder

# All of them, in lines.
ways() {
  for v in dop sphere obb hybrid; do for k in 6 8 14 18 26; do for b in top-down bottom-up; do
    for d in environment-first simultaneous; do for n in 2 4 8; do for l in 1 4 16; do
      echo "--volume $v --dop $k --build $b --descent $d --degree $n --leaf $l"
    done; done; done
  done; done; done
}

# contacts IN OPTION...: the text is r.txt
contacts() {
  rm -f "$where/r.txt"
  "$impinge" run "$1" -o "$where/r.vtkhdf" --force -q --device cpu --on-bad skip \
    --collide-txt "$where/r.txt" "${@:2}"
}

ways >"$where/ways"
mapfile -t way <"$where/ways"
[ ${#way[@]} = 720 ] || fail "${#way[@]} ways, not 720"

# 720 ways: every 700th of them, from another one for each file
chosen() { [ -n "${IMPINGE_SOAK:-}" ] || [ $((($1 + 97 * number) % 700)) = 0 ]; }

# check IN: by each way that is chosen
check() {
  local frames=::6 tried=0 words
  [ -z "${IMPINGE_SOAK:-}" ] || frames=::10
  [ "$(wc -c <"$1")" -le 20000000 ] || frames=::29
  contacts "$1" --frames "$frames"
  mv "$where/r.txt" "$where/want.txt"
  for i in "${!way[@]}"; do
    chosen $((i + 1)) || continue
    read -ra words <<<"${way[i]}"
    contacts "$1" --frames "$frames" "${words[@]}"
    cmp -s "$where/r.txt" "$where/want.txt" || fail "$1: other contacts by ${way[i]}"
    tried=$((tried + 1))
  done
  [ "$tried" -gt 0 ] || fail "$1: no way was tried"
  rows=$((rows + $(awk '!/^#/ { n++ } END { print n + 0 }' "$where/want.txt")))
  echo "$1: the same contacts by $tried ways"
}

number=0 rows=0
for in in "$shared"/data/*.vtkhdf; do
  number=$((number + 1))
  check "$in"
done
[ "$number" -ge 7 ] && [ "$rows" -gt 1000 ] || fail "$number files, $rows contacts: too few to tell"
