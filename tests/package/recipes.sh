#!/usr/bin/env bash
# The recipes of doc/packaging: recipes.py; and by their own tools, where these are: conda's by rattler-build, which
# ./dev soak brings; Spack's by Spack in SPACK_ROOT, whose packages are configured. CITATION.cff by cffconvert.
# recipes.sh SOURCE [SPACK_ROOT]
source "$(dirname "$0")/../lib/common.sh"
source=$1 tools=$1/build/recipes/bin spack=${SPACK_ROOT-}
make_folder
python=python3
[ ! -e "$tools/cffconvert" ] || python=$tools/python
"$python" -B "$(dirname "$0")/recipes.py" "$source"
if [ "$python" != python3 ]; then
  "$tools/cffconvert" --validate -i "$source/CITATION.cff"
elif [ "${IMPINGE_SOAK:-1}" != 1 ]; then
  skip_part 'no rattler-build, no cffconvert'
fi
for word in abstract keywords authors license date-released; do
  grep -q "^$word:" "$source/CITATION.cff" || fail "CITATION.cff has no $word"
done
[ -z "$spack" ] || {
  mkdir "$where/config"
  printf 'repos:\n  impinge: %s\n' "$(realpath "$source")/doc/packaging/spack/spack_repo/impinge" >"$where/config/repos.yaml"
  "$spack/bin/spack" -C "$where/config" audit packages impinge py-impinge
  for name in impinge py-impinge; do
    "$spack/bin/spack" -C "$where/config" spec "$name" >"$where/spec"
    grep "$name@" "$where/spec"
  done
}
