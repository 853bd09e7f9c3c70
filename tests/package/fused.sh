#!/usr/bin/env bash
# The host's code must not contain fused multiply-add: its results would differ from other devices'.
# Except the exact residues of products that kernels/lane_twofold.h asks for with AVX2 and AVX-512.
# fused.sh OBJDUMP LIBRARY PROGRAM
source "$(dirname "$0")/../lib/common.sh"
objdump=$1
shift
command -v "$objdump" >/dev/null || skip 'no objdump'
[ $# -gt 0 ] || fail 'no files'
make_folder
code=$where/code

# count PATTERN: lines that match; grep says 1 where none does
count() { grep -cE "$1" "$code" || [ $? = 1 ]; }

for file in "$@"; do
  "$objdump" -d --no-show-raw-insn "$file" | awk '
    /^[0-9a-f]+ <.*>:$/ { residues = /<(cpu_)?(measure_|narrow_segment8)/ }
    !(residues && /vfmsub[0-9]+pd .*%[yz]mm/)' >"$code"
  # x86: vfmadd231sd, vfnmsub...; ARM: fmadd, fnmsub, fmla, fmls, and fmad, fmsb of SVE
  fused=$(count '\s(vf|f)n?m(add|sub|ad|sb|l[as])')
  plain=$(count '\s(v?mulsd|fmul)\s')
  [ "$fused" = 0 ] || fail "$file: $fused fused instructions"
  [ "$plain" -gt 0 ] || fail "$file: no multiplication to be seen"
done
