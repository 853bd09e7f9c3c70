#!/bin/sh
# The man page as `man` shows it: without a warning, and with every option of --help readable.
# man.sh PROGRAM
set -eu
impinge=$1
command -v man >/dev/null && command -v groff >/dev/null || {
  echo 'skipped: no man, or no groff'
  exit 77
}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$impinge" help --man >"$dir/impinge.1"
LC_ALL=C.UTF-8 MANWIDTH=100 MANPAGER=cat man --warnings -l "$dir/impinge.1" >"$dir/text" 2>"$dir/warnings"
if [ -s "$dir/warnings" ]; then
  cat "$dir/warnings"
  exit 1
fi
for verb in $(sed -n 's/^\.SS //p' "$dir/impinge.1"); do
  "$impinge" "$verb" --help | grep -oE '^ .{5}--[a-z0-9-]+' | grep -oE -e '--.*' >"$dir/options"
  test -s "$dir/options"
  while read -r option; do
    grep -qE -e "^ +(-., )?$option( |\[|$)" "$dir/text" || {
      echo "impinge $verb: $option is not on the page"
      exit 1
    }
  done <"$dir/options"
done
