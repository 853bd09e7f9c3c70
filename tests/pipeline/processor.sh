#!/usr/bin/env bash
# Another processor makes the same scenes and finds the same, to the last bit.
# processor.sh BUILD SHARED COMMAND...: this one's build; the other's program, by its emulator
source "$(dirname "$0")/../lib/common.sh"
build=$1 shared=$2
shift 2
other=("$@")
impinge=$build/impinge same=$build/tests/same
[ -x "$impinge" ] && [ -x "$same" ] || skip "$build has no program and no tests"
make_folder
here=$where/here.vtkhdf there=$where/there.vtkhdf
runs=0

# compare OPTION...: what it finds with these options, against what is found here
compare() {
  "${other[@]}" run "$where/in.vtkhdf" -o "$there" --force -q --device cpu "${also[@]}" "$@"
  "$same" "$here" "$there" || fail "$name: $*"
  runs=$((runs + 1))
}

all() {
  "$impinge" run "$where/in.vtkhdf" -o "$here" --force -q --device cpu "${also[@]}"
  "$impinge" info "$here" >"$where/info"
  grep -qE '^contacts +[1-9]' "$where/info" || fail "$name: no contacts: $(cat "$where/info")"
  compare --threads 2
  compare --threads 1 --broad grid --dop 26
  compare --threads 2 --broad hash --dop 18 --block 2
}

# scene NAME OPTION...
scene() {
  name=$1
  shift
  "$impinge" generate "$name" -o "$where/in.vtkhdf" -q --force "$@"
  "${other[@]}" generate "$name" -o "$there" -q --force "$@"
  "$same" "$where/in.vtkhdf" "$there" || fail "$name: another scene"
  all
}

also=()
scene cloth-ball --frames 20 --primitives 3000
scene soup --frames 2 --primitives 5000
scene hostile --frames 2 --primitives 300
scene scalpel --frames 4 --primitives 1000 --set begin=60
scene tissue-fold --frames 2 --primitives 1000 --set begin=38
also=(--adjacent test)
scene flat --frames 2 --primitives 2000
if [ -d "$shared/data" ]; then
  for name in can-crush-surface cloth-funnel; do
    ln -sf "$shared/data/$name.vtkhdf" "$where/in.vtkhdf"
    all
  done
else
  skip_part 'no real data beside the checkout'
fi
echo "$runs runs, all the same"
