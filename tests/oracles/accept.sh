#!/usr/bin/env bash
# Results on the real data, read as a user would read them: by h5py and, of the host's kernels, by the
# real VTK reader, and held against exact truth. DEVICE: cpu, pocl or intel.
# accept.sh IMPINGE SHARED VENV DEVICE
source "$(dirname "$0")/../lib/common.sh"
impinge=$1 shared=$2 venv=$3 device=$4
python=$venv/bin/python
[ -d "$shared/data" ] || skip 'no real data beside the checkout'
needs_python "$python" 'h5py, numpy, vtkmodules.vtkIOHDF'
make_folder

# run IN OPTION...: makes r.vtkhdf
on=() vtk=(--no-vtk)
run() {
  "${on[@]}" "$impinge" run "$1" -o "$where/r.vtkhdf" --force --device "$device" \
    "${@:2}"
}

case $device in
  cpu) vtk=() ;;
  pocl)
    has_device "$impinge" 'Portable Computing Language' || skip 'no PoCL'
    device=portable
    ;;
  intel)
    find_intel "$venv" || skip 'no Intel OpenCL runtime'
    on=(with_intel)
    ;;
  *) fail "$device: cpu, pocl or intel" ;;
esac

# read_result OPTION...: shows the last line that it prints, or all if it fails
read_result() {
  "$python" "$shared/accept/read_result.py" "$where/r.vtkhdf" "${vtk[@]}" "$@" \
    >"$where/log" 2>&1 || { cat "$where/log"; exit 1; }
  tail -n 1 "$where/log"
}

# Every device gives the same bytes (same.sh): on others than the CPU a scene has one of the two rules, and
# on Intel's there are two scenes; with IMPINGE_SOAK all have both.
hows=(test:adjacent skip:pairs) names=(cloth-funnel rod-twist can-crush-surface torus-sphere-surface)
[ "$device" != intel ] || [ -n "${IMPINGE_SOAK:-}" ] || names=(cloth-funnel can-crush-surface)
for name in "${names[@]}"; do
  tried=("${hows[@]}")
  [ "$device" = cpu ] || [ -n "${IMPINGE_SOAK:-}" ] || tried=("${hows[0]}")
  hows=("${hows[1]}" "${hows[0]}")
  for how in "${tried[@]}"; do
    in=$shared/data/$name.vtkhdf
    echo "$name, adjacent ${how%:*}:"
    run "$in" -q --adjacent "${how%:*}"
    read_result --input "$in" --truth "$shared/data/$name.${how#*:}.npz"
  done
done

# NAME:FRAMES, of which some have contacts. `check` takes some 10 ms for a contact of solids: frames with few of
# them, and with IMPINGE_SOAK those with most.
solids=(can-crush-tets:1:2 torus-sphere-tets:10:39:28)
[ "$device" = cpu ] || solids=(can-crush-tets:1:2)
[ -z "${IMPINGE_SOAK:-}" ] || solids=(can-crush-tets:1::2 torus-sphere-tets:::24)
for what in "${solids[@]}"; do
  name=${what%%:*} frames=${what#*:}
  in=$shared/data/$name.vtkhdf
  echo "$name:"
  run "$in" -q
  read_result --truth "$shared/data/$name.pairs.npz"
  [ "$device" = cpu ] || continue # `check` is of the host alone
  "$impinge" check "$where/r.vtkhdf" --input "$in" --frames "$frames" >"$where/log"
  cat "$where/log"
  ! grep -q ': 0 pairs' "$where/log" || fail 'frames without contacts show nothing'
done

echo 'warping_spheres: no contact in 100 frames'
run "$shared/data/warping_spheres.vtkhdf" --fail-on-collision -q
read_result
[ "$(grep -c '^frame .*: 0 pairs$' "$where/log")" = 100 ] || fail 'not 100 frames without contacts'

echo 'env and rob: 192 contacts between them'
"$impinge" convert "$shared/data/meshes/fcl/env.obj" "$shared/data/meshes/fcl/rob.obj" \
  --as objects -o "$where/b.vtkhdf" -q
run "$where/b.vtkhdf" --pairs between --json="$where/json" -q
grep '"contacts": 192,' "$where/json" || fail "not 192: $(cat "$where/json")"
read_result
grep -q '^frame 0 .*: 192 pairs$' "$where/log" || fail "not 192: $(cat "$where/log")"
