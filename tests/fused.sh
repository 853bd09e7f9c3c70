#!/bin/sh
# The host's code must not contain fused multiply-add: its results would differ from other devices'.
# fused.sh LIBRARY PROGRAM
set -eu
command -v objdump >/dev/null || { echo "skipped: no objdump"; exit 77; }
for file in "$@"; do
  n=$(objdump -d --no-show-raw-insn "$file" | grep -cE '\s(v?f(n?m)(add|sub)|fmla|fmadd|fmsub)' || true)
  [ "$n" = 0 ] || { echo "$file: $n fused instructions"; exit 1; }
done
