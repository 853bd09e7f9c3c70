#!/usr/bin/env bash
# alone.sh LIBRARY IMPINGE BENCH_JOB: how often calls wake threads, counted by LIBRARY: where the caller leaves their
# number to impinge, not for a small frame, unless it is much work; always as often as a caller's own number allows.
source "$(dirname "$0")/../lib/common.sh"
[ "$(nproc)" -gt 1 ] || skip "a single processor"
make_folder
library=$1 impinge=$2 job=$3

# counted SCENE OPTIONS...: $contacts, and $regions that more than one thread computed
counted() {
  local scene=$1 said
  shift
  said=$(LD_PRELOAD=$library BENCH_CLOCK=regions "$job" bench "$where/$scene.vtkhdf" --device cpu --reps 2 "$@")
  contacts=$(sed -n 's/.*, \([0-9,]*\) contacts.*/\1/p' <<<"$said")
  regions=$(awk '/^total/ { print int($2) }' <<<"$said")
}

# compared SCENE OPTIONS...: $alone regions by default, $shared with two threads; contacts are the same
compared() {
  counted "$@"
  alone=$regions
  local same=$contacts
  counted "$@" --threads 2
  shared=$regions
  [ "$contacts" = "$same" ] || fail "$*: $same contacts, with two threads $contacts"
  [ "$shared" -gt 5 ] || fail "$*: two threads share only $shared regions"
}

"$impinge" generate press -n 4000 -q -o "$where/bodies.vtkhdf"
"$impinge" generate cloth-fold -n 1000 -q -o "$where/cloth.vtkhdf"
"$impinge" generate cloth-fold -n 1000 --frames 8 -q -o "$where/frames.vtkhdf"
"$impinge" generate cloth-fold -n 8000 -q -o "$where/large.vtkhdf"
"$impinge" generate hostile -n 4000 -q -o "$where/pairs.vtkhdf"

compared bodies --pairs between
[ "$alone" = 0 ] || fail "two small bodies wake threads $alone times"
compared cloth
[ "$alone" = 0 ] || fail "a small cloth wakes threads $alone times"
compared frames --update keep # each frame is a block
[ "$alone" -lt $((shared / 10)) ] || fail "small frames wake threads $alone times, with two threads $shared"
compared frames
[ "$alone" = "$shared" ] || fail "frames of a block share $alone regions, with two threads $shared"
compared large
[ "$alone" = "$shared" ] || fail "a large cloth shares $alone regions, with two threads $shared"
# its search, and all that follows
compared pairs
[ "$alone" -gt $((shared / 2)) ] || fail "few triangles with many pairs share $alone regions, with two threads $shared"
