#!/usr/bin/env bash
# Kernels by another language for devices than OpenCL: scan.cl and sort.cl as CUDA, by clang alone. cuda.sh KERNELS
source "$(dirname "$0")/../../lib/common.sh"
kernels=$1
make_folder
cd "$(dirname "$0")"

compile() {
  "$clang" -x cuda --cuda-device-only -nocudalib -nocudainc --cuda-gpu-arch=sm_80 -O2 -Wno-unknown-cuda-version \
    -I "$kernels" -I . '-DIMP_DIALECT="dialect_cuda.h"' -S -o "$where/kernel.ptx" "$1"
}

echo '__attribute__((global)) void tiny(int *x) { *x = 1; }' >"$where/tiny.cu"
for clang in clang-15 clang clang-20 clang-19 clang-18 clang-17 clang-16 clang-14 none; do
  [ "$clang" != none ] || skip 'no clang that compiles CUDA'
  command -v "$clang" >/dev/null && compile "$where/tiny.cu" 2>/dev/null && break
done
printf '#include "%s"\n' scan.cl sort.cl >"$where/kernel.cu"
compile "$where/kernel.cu"
sed -n 's/^.*\.entry \([a-z0-9_]*_group\).*/\1/p' "$where/kernel.ptx" | sort >"$where/got"
sed -n -E '/^GROUP_KERNEL/{n;s/^([a-z0-9_]*)\(.*/\1/p}' "$kernels"/scan.cl "$kernels"/sort.cl | sort >"$where/want"
[ -s "$where/want" ] || fail 'no kernels of work-groups'
diff "$where/want" "$where/got" || fail 'other kernels than those of the files'
grep -q 'bar.sync' "$where/kernel.ptx" || fail 'no barriers'
echo "$(wc -l <"$where/got") kernels of scan.cl and sort.cl as CUDA by $clang"
