#!/bin/sh
# The data of a result are the same bytes however it was computed. same.sh IMPINGE SAME SHARED VENV
set -eu
impinge=$1 same=$2 shared=$3 venv=$4
where=$(mktemp -d)
trap 'rm -rf "$where"' EXIT
runs=0

# compare WHAT OPTION...: a run with these options against the first
compare() {
  what=$1
  shift
  "$impinge" run "$where/in.vtkhdf" -o "$where/b.vtkhdf" --force -q $also "$@"
  "$same" "$where/a.vtkhdf" "$where/b.vtkhdf" || { echo "$name: $what"; exit 1; }
  runs=$((runs + 1))
}

# Intel's runtime for CPUs, if it was installed: it brings its own loader, which we don't want. It
# compiles all kernels anew in each run, which takes longer than all other runs of a scene, and a third
# of that where it makes no vectors of work-items (mode 1).
intel() {
  lib=$(find "$venv" -name libintelocl.so 2>/dev/null | head -n 1)
  loader=$(ldconfig -p 2>/dev/null | awk '/libOpenCL.so.1 .*x86-64/ { print $NF; exit }')
  [ -n "$lib" ] && [ -n "$loader" ] || { echo 'skipped: no Intel OpenCL runtime'; return 0; }
  mkdir -p "$where/icd"
  echo "$lib" >"$where/icd/intel.icd"
  OCL_ICD_VENDORS=$where/icd LD_LIBRARY_PATH=$(dirname "$lib") LD_PRELOAD=$loader \
    compare 'Intel OpenCL' --device intel "$@"
}

all() {
  "$impinge" run "$where/in.vtkhdf" -o "$where/a.vtkhdf" --force -q --device cpu --threads 1 $also
  compare 'two threads' --device cpu --threads 2
  for broad in hash brute; do compare "$broad" --device cpu --broad "$broad"; done
  for dop in 8 26; do compare "dop $dop" --device cpu --dop "$dop"; done
  for cell in 1e-9 0.03 1e9; do compare "cell $cell" --device cpu --broad hash --cell "$cell"; done
  for block in 1 3; do compare "block $block" --device cpu --block "$block"; done
  compare 'little memory' --device cpu --mem-limit "$memory"
  compare 'kept' --device cpu --update keep
  compare 'kept hash' --device cpu --update keep --broad hash
  compare 'kept, little memory, block 3' --device cpu --update keep --mem-limit "$memory" --block 3
  compare 'rebuilt' --device cpu --update rebuild
  if "$impinge" devices --no-test | grep -q OpenCL; then
    compare opencl --device opencl
    compare 'opencl, kept' --device opencl --update keep
    compare 'opencl, kept hash' --device opencl --update keep --broad hash
    compare 'opencl, hash, dop 18' --device opencl --broad hash --dop 18
    compare 'opencl, little memory' --device opencl --mem-limit "$memory" --block 2
    case $name in
      cloth-ball) intel ;;
      scalpel)
        export CL_CONFIG_CPU_VECTORIZER_MODE=1
        intel --broad hash
        unset CL_CONFIG_CPU_VECTORIZER_MODE
        ;;
    esac
    [ "${IMPINGE_SOAK:-1}" = 1 ] || { intel; intel --broad hash; }
  fi
}

"$impinge" generate cloth-ball -o "$where/in.vtkhdf" -q --frames 40 --primitives 3000
name=cloth-ball also= memory=4M
all
"$impinge" generate flat -o "$where/in.vtkhdf" -q --frames 3 --primitives 2000 --force
name=flat also='--adjacent test' memory=6M
all
"$impinge" generate scalpel -o "$where/in.vtkhdf" -q --frames 12 --set begin=40 --primitives 3000 --force
name=scalpel also='--adjacent test' memory=16M
all
if [ -d "$shared/data" ]; then
  cp "$shared/data/can-crush-surface.vtkhdf" "$where/in.vtkhdf"
  chmod u+w "$where/in.vtkhdf"
  name=can-crush also='--adjacent test' memory=8M
  all
  cp -f "$shared/data/can-crush-tets.vtkhdf" "$where/in.vtkhdf"
  name=can-crush-tets also='--adjacent test' memory=32M
  all
else
  echo 'skipped: no real data beside the checkout'
fi
echo "$runs runs, all the same"
