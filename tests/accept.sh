#!/bin/sh
# Results on the real data, read as a user would read them: by h5py and by the real VTK reader, held
# against exact truth. accept.sh IMPINGE SHARED PYTHON
set -eu
impinge=$1 shared=$2 python=$3
skip() { echo "skipped: $1"; exit 77; }
[ -d "$shared/data" ] || skip 'no real data beside the checkout'
"$python" -c 'import h5py, numpy, vtkmodules.vtkIOHDF' 2>/dev/null || skip 'no Python with h5py and vtk'
where=$(mktemp -d)
trap 'rm -rf "$where"' EXIT
read_result() { "$python" "$shared/accept/read_result.py" "$where/r.vtkhdf" "$@" | tail -n 1; }

for name in cloth-funnel rod-twist can-crush-surface torus-sphere-surface; do
  for how in skip:pairs test:adjacent; do
    in=$shared/data/$name.vtkhdf
    "$impinge" run "$in" -o "$where/r.vtkhdf" --force -q --adjacent "${how%:*}"
    echo "$name, adjacent ${how%:*}:"
    read_result --input "$in" --truth "$shared/data/$name.${how#*:}.npz"
  done
done

for name in can-crush-tets torus-sphere-tets; do
  in=$shared/data/$name.vtkhdf
  "$impinge" run "$in" -o "$where/r.vtkhdf" --force -q
  echo "$name:"
  read_result --truth "$shared/data/$name.pairs.npz"
  "$impinge" check "$where/r.vtkhdf" --input "$in" --frames ::24
done

echo 'warping_spheres: no contact in 100 frames'
"$impinge" run "$shared/data/warping_spheres.vtkhdf" -o "$where/r.vtkhdf" --force \
  --fail-on-collision -q
read_result

echo 'env and rob: 192 contacts between them'
"$impinge" convert "$shared/data/meshes/fcl/env.obj" "$shared/data/meshes/fcl/rob.obj" \
  --as objects -o "$where/b.vtkhdf" -q
"$impinge" run "$where/b.vtkhdf" -o "$where/r.vtkhdf" --force --pairs between --json |
  grep '"contacts": 192,'
read_result
