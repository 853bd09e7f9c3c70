#!/usr/bin/env bash
# The data of a result are the same bytes however it was computed. same.sh IMPINGE SAME SHARED VENV
source "$(dirname "$0")/../lib/common.sh"
impinge=$1 same=$2 shared=$3 venv=$4
make_folder
in=$where/in.vtkhdf first=$where/a.vtkhdf
runs=0 scenes=0 on=()

# In everyday runs, every other comparison, and in the next scene those that were left out.
turn=0
due() {
  turn=$((turn + 1))
  [ -n "${IMPINGE_SOAK:-}" ] || [ $((turn % 2)) = 0 ]
}

# compare WHAT OPTION...: a run with these options against the first
compare() {
  due || return 0
  "${on[@]}" "$impinge" run "$in" -o "$where/b.vtkhdf" --force -q "${also[@]}" "${@:2}"
  "$same" "$first" "$where/b.vtkhdf" || fail "$name: $1"
  runs=$((runs + 1))
}

# intel [VARIABLE=VALUE] OPTION...
intel() {
  find_intel "$venv" || { skip_part 'no Intel OpenCL runtime'; return 0; }
  on=(with_intel env)
  while [[ ${1-} == *=* ]]; do
    on+=("$1")
    shift
  done
  compare 'Intel OpenCL' --device intel "$@"
  on=()
}

host() {
  local way
  local dops=(26) cells=(0.03) blocks=(1)
  [ -z "${IMPINGE_SOAK:-}" ] && [ "$name" != cloth-ball ] || dops=(8 26) cells=(1e-9 0.03 1e9) blocks=(1 3)
  compare 'two threads' --device cpu --threads 2
  for way in hash tiles brute; do compare "$way" --device cpu --broad "$way"; done
  for way in "${dops[@]}"; do compare "dop $way" --device cpu --dop "$way"; done
  for way in "${cells[@]}"; do compare "cell $way" --device cpu --broad hash --cell "$way"; done
  for way in "${blocks[@]}"; do compare "block $way" --device cpu --block "$way"; done
  compare 'little memory' --device cpu --mem-limit "$memory"
  compare 'kept' --device cpu --update keep
  compare 'kept hash' --device cpu --update keep --broad hash
  compare 'kept, little memory, block 3' --device cpu --update keep --mem-limit "$memory" --block 3
  compare 'rebuilt' --device cpu --update rebuild
}

opencl() {
  compare opencl --device opencl
  compare 'opencl, kept' --device opencl --update keep
  compare 'opencl, kept hash' --device opencl --update keep --broad hash
  compare 'opencl, hash, dop 18' --device opencl --broad hash --dop 18
  compare 'opencl, little memory' --device opencl --mem-limit "$memory" --block 2
}

# A scene without contacts shows something only if that was undecided.
run_first() {
  scenes=$((scenes + 1)) turn=$scenes
  "$impinge" run "$in" -o "$first" --force -q --device cpu --threads 1 "${also[@]}"
  "$impinge" info "$first" >"$where/info"
  grep -qE '^contacts +([1-9]|0 among .*, [1-9][0-9,]* needed)' "$where/info" ||
    fail "$name: no contacts: $(cat "$where/info")"
}

all() {
  run_first
  host
  has_device "$impinge" OpenCL || { skip_part "$name: no OpenCL device"; return 0; }
  opencl
  case $name in
    cloth-ball) intel CL_CONFIG_CPU_VECTORIZER_MODE=1 ;; # as users have it: accept.sh
    scalpel) intel CL_CONFIG_CPU_VECTORIZER_MODE=1 --broad hash ;;
  esac
  [ "${IMPINGE_SOAK:-1}" = 1 ] || { intel; intel --broad hash; }
}

# methods DEVICE: each of them
methods() {
  local way
  for way in rtree grid hash tiles tree brute; do
    # all pairs of features of all pairs of tetrahedra take 8 s of a core
    [ -z "${IMPINGE_SOAK:-}" ] && [ "$way $name" = 'brute torus-sphere-tets between frames' ] ||
      compare "$1, $way" --device "$1" --broad "$way"
  done
}

# Between frames, where the broad phase, blocks and what is kept have other work than in frames.
steps() {
  also+=(--continuous)
  run_first
  name+=' between frames'
  compare 'two threads' --device cpu --threads 2
  methods cpu
  compare 'dop 26, block 1' --device cpu --dop 26 --block 1
  compare 'little memory' --device cpu --mem-limit "$memory"
  compare kept --device cpu --update keep
  compare 'kept hash, little memory' --device cpu --update keep --broad hash --mem-limit "$memory"
  has_device "$impinge" OpenCL || { skip_part "$name: no OpenCL device"; return 0; }
  compare opencl --device opencl
  [[ " ${also[*]} " != *' --min-separation '* ]] || methods opencl
  compare 'opencl, grid, little memory' --device opencl --broad grid --mem-limit "$memory"
  case $name in sheets*) intel CL_CONFIG_CPU_VECTORIZER_MODE=1 ;; esac
}

# scene NAME MEMORY OPTION... -- OPTION...: of `generate`, and of all runs; how: all or steps
scene() {
  local words=()
  name=$1 memory=$2
  shift 2
  while [ "$1" != -- ]; do
    words+=("$1")
    shift
  done
  also=("${@:2}")
  "$impinge" generate "$name" -o "$in" -q --force "${words[@]}"
  $how
}

# real NAME MEMORY OPTION...
real() {
  name=$1 memory=$2 also=(--adjacent test "${@:3}")
  cp -f "$shared/data/$name.vtkhdf" "$in"
  chmod u+w "$in"
  $how
}

how=all
scene cloth-ball 4M --frames 16 --primitives 3000 --
scene creases 6M --frames 3 --primitives 2000 -- --adjacent test
scene scalpel 16M --frames 12 --set begin=40 --primitives 3000 -- --adjacent test
if [ -d "$shared/data" ]; then
  real can-crush-surface 8M --frames ::2
  real can-crush-tets 32M --frames 2:4
  how=steps
  [ -z "${IMPINGE_SOAK:-}" ] || real can-crush-surface 12M --frames 0:2
  real torus-sphere-tets 24M --frames 10:12
else
  skip_part 'no real data beside the checkout'
fi
how=steps
scene sheets 5M --frames 4 --primitives 2000 --
scene sheets 5M --frames 3 --primitives 2000 -- --min-separation 0.02
scene soup 12M --frames 2 --primitives 1500 -- --min-separation 0.0373
scene soup 6M --frames 2 --primitives 40 -- --min-separation 100 --stage candidates
echo "$runs runs, all the same"
