#!/usr/bin/env bash
# The man page as `man` shows it: without a warning, and with every option of --help readable.
# man.sh PROGRAM
source "$(dirname "$0")/../lib/common.sh"
impinge=$1
command -v man >/dev/null && command -v groff >/dev/null || skip 'no man, or no groff'
make_folder
"$impinge" help --man >"$where/impinge.1"
LC_ALL=C.UTF-8 MANWIDTH=100 MANPAGER=cat man --warnings -l "$where/impinge.1" >"$where/text" \
  2>"$where/warnings"
[ ! -s "$where/warnings" ] || fail "$(cat "$where/warnings")"

# check VERB: all its options
check() {
  local option
  "$impinge" "$1" --help | grep -oE '^ .{5}--[a-z0-9-]+' | grep -oE -e '--.*' >"$where/options"
  while read -r option; do
    grep -qE -e "^ +(-., )?$option( |\[|$)" "$where/text" ||
      fail "impinge $1: $option is not on the page"
  done <"$where/options"
}

sed -n 's/^\.SS //p' "$where/impinge.1" >"$where/sections"
"$impinge" --help | sed -n '/^verbs:/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p' >"$where/verbs"
[ -s "$where/verbs" ] || fail '--help names no verbs'
while read -r verb; do
  grep -qx "$verb" "$where/sections" || fail "impinge $verb is not on the page"
  check "$verb"
done <"$where/verbs"
"$impinge" --help | sed -n '/^verbs of the Python package/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p' >"$where/verbs"
[ -s "$where/verbs" ] || fail '--help names no verbs of the package'
while read -r verb; do
  grep -qx "$verb" "$where/sections" || fail "impinge $verb is not on the page"
done <"$where/verbs"
