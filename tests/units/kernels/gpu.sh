#!/usr/bin/env bash
# All kernels of devices by a compiler for GPUs, and what NVIDIA's assembler makes of them: nothing may be
# spilled, and registers must leave room for enough work at a time.
# gpu.sh KERNELS_CL_C KERNELS_DEF PERCENT: of the threads that a multiprocessor can hold
source "$(dirname "$0")/../../lib/common.sh"
source_c=$1 list=$2 percent=$3
make_folder

# compile SOURCE OUT OPTION...: as on a device of OpenCL 1.2
compile() {
  local source=$1 out=$2
  shift 2
  "$clang" -x cl -cl-std=CL1.2 -O3 -target nvptx64-nvidia-cuda -Xclang -target-cpu -Xclang sm_80 \
    -Xclang -finclude-default-header -Xclang -mlink-bitcode-file -Xclang "$builtins" \
    -pedantic-errors -Wno-linker-warnings -mllvm -inline-threshold=100000 "$@" -S -o "$out" "$source"
}

# a clang, and libclc as its LLVM can read it
find_compiler() {
  for clang in clang clang-20 clang-19 clang-18 clang-17 clang-16 clang-15 clang-14; do
    command -v "$clang" >/dev/null || continue
    for folder in /usr/lib/clc /usr/lib/llvm-*/share/clc /usr/share/clc; do
      builtins=$folder/nvptx64--nvidiacl.bc
      [ -e "$builtins" ] && compile "$where/tiny.cl" "$where/tiny.ptx" 2>/dev/null && return 0
    done
  done
  return 1
}

entries() { sed -n 's/^.*\.entry \([a-z0-9_]*\).*/\1/p' "$1" | sort; }

# kernel, registers, bytes spilled and fetched, stack frame, threads of a work-group, local memory
figures() {
  awk 'FNR == NR && /\.entry/ { k = $0; sub(/.*\.entry /, "", k); sub(/[^a-z0-9_].*/, "", k) }
       FNR == NR && /\.reqntid/ { size[k] = $2 + 0 }
       FNR == NR { next }
       /Compiling entry function/ { split($0, q, "\047"); k = q[2] }
       /Function properties for/ { of = $NF }
       /bytes stack frame/ { stack[k] += $1; out[k] += $5; in_[k] += $9 }
       /Used [0-9]+ registers/ { for (i = 1; i < NF; i++) if ($i == "Used") used[k] = $(i + 1)
                               for (i = 3; i <= NF; i++) if ($i ~ /^smem/) local[k] = $(i - 2) }
       END { for (k in used)
               print k, used[k], out[k], in_[k], stack[k], k in size ? size[k] : 64, local[k] + 0 }' "$1" "$2" |
    sort
}

# A multiprocessor has 65536 registers, given out to 32 threads by 8 each, and room for 2048 threads
# and 32 work-groups. A device has 32 KB of local memory at least (host/device/device_cl.c). All
# of so many kernels must be judged.
judge() {
  awk -v arch="$1" -v kernels="$2" -v percent="$percent" '
    BEGIN { printf "%-22s registers  spilled  fetched  stack  local occupancy\n", arch }
    { warps = int(65536 / (32 * 8 * int(($2 + 7) / 8)))
      groups = int(warps * 32 / $6)
      if (groups > 32) groups = 32
      if (groups * $6 > 2048) groups = int(2048 / $6)
      share = 100 * groups * $6 / 2048
      wrong = $3 + $4 > 0 || share < percent || $7 > 32768
      printf "%-22s %9d %8d %8d %6d %6d %8d%%", $1, $2, $3, $4, $5, $7, share
      print wrong ? "  <--" : ""
      bad += wrong }
    END { if (NR != kernels) print NR " of " kernels " kernels have figures"
          exit bad > 0 || NR != kernels }'
}

cat >"$where/print.c" <<'END'
#include <stdio.h>
extern const char kernels_cl[];
int main(void) { return fputs(kernels_cl, stdout) < 0; }
END
cc -o "$where/print" "$where/print.c" "$source_c"
"$where/print" >"$where/kernels.cl"
echo '__kernel void tiny(__global int *x) { x[get_global_id(0)] = 1; }' >"$where/tiny.cl"
find_compiler || skip 'no clang whose libclc is here'
compile "$where/kernels.cl" "$where/kernels.ptx"
sed -n -E 's/^(K|G|HEAVY_G)\(([a-z0-9_]*),.*/\2/p' "$list" | sort >"$where/want"
entries "$where/kernels.ptx" >"$where/got"
[ -s "$where/want" ] || fail "$list names no kernels"
diff "$where/want" "$where/got" || fail 'other kernels than those of the list'
echo "$(wc -l <"$where/got") kernels by $clang with $builtins"

ptxas=$(command -v ptxas || echo /usr/local/cuda/bin/ptxas)
[ -x "$ptxas" ] || { skip_part 'no ptxas: registers are not counted'; exit 0; }
kernels=$(entries "$where/kernels.ptx" | wc -l)
status=0
for arch in sm_80 sm_90; do
  "$ptxas" -v -arch="$arch" "$where/kernels.ptx" -o /dev/null >"$where/log" 2>&1 ||
    fail "$(cat "$where/log")"
  figures "$where/kernels.ptx" "$where/log" >"$where/figures"
  judge "$arch" "$kernels" <"$where/figures" || status=1
done
exit $status
