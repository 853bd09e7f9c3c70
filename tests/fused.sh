#!/bin/sh
# The host's code must not contain fused multiply-add: its results would differ from other devices'.
# fused.sh OBJDUMP LIBRARY PROGRAM
set -eu
objdump=$1
shift
command -v "$objdump" >/dev/null || { echo "skipped: no objdump"; exit 77; }
code=$(mktemp)
trap 'rm -f "$code"' EXIT
for file in "$@"; do
  "$objdump" -d --no-show-raw-insn "$file" >"$code"
  # x86: vfmadd231sd, vfnmsub...; ARM: fmadd, fnmsub, fmla, fmls, and fmad, fmsb of SVE
  n=$(grep -cE '\s(vf|f)n?m(add|sub|ad|sb|l[as])' "$code" || true)
  [ "$n" = 0 ] || { echo "$file: $n fused instructions"; exit 1; }
  grep -qE '\s(v?mulsd|fmul)\s' "$code" || { echo "$file: no multiplication to be seen"; exit 1; }
done
