#!/usr/bin/env bash
# The steps of a release, in order: ./dev release [--make | --publish]. The first step that fails ends it.
#
#   without      a rehearsal: all checks, and what would be done. It changes nothing
#   --make       also tests, makes the archive and the wheels in build/wheel, and their checksums
#   --publish    also tags, and uploads to the remote repository and to PyPI, with what is configured for git and twine
#
# RELEASE_REMOTE: the remote repository, by default origin
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
remote=${RELEASE_REMOTE:-origin}
how=rehearsal
case ${1-} in
  '') ;;
  --make) how=make ;;
  --publish) how=publish ;;
  *) echo "./dev release: there is no $1: ./dev release [--make | --publish]" >&2; exit 2 ;;
esac
[ $# -le 1 ] || { echo "./dev release: one option, not $#" >&2; exit 2; }

bad=0
wrong() {
  echo "release: $*" >&2
  bad=1
}
step() { printf '== %s\n' "$*"; }

# would COMMAND...: runs it; in a rehearsal only says so
would() {
  if [ $how = rehearsal ]; then echo "would run: $*"; else "$@"; fi
}

version=$(sed -nE 's/^project\(impinge VERSION ([0-9]+\.[0-9]+\.[0-9]+) .*/\1/p' CMakeLists.txt)
tag=v$version

# same FILE PATTERN: the version that the pattern of sed finds first in the file
same() {
  local found
  found=$(sed -nE "s/$2/\\1/p" "$1" | head -n 1)
  [ "$found" = "$version" ] || wrong "$1 has version '$found', CMakeLists.txt has $version"
}

# The notes are the section of this version, without its heading.
notes() { awk -v want="## $version " 'index($0, want) == 1 { on = 1; next } /^## / { on = 0 } on' CHANGELOG.md | sed '1{/^$/d}'; }

check_versions() {
  local recipe packaging=doc/packaging
  [ -n "$version" ] || wrong 'CMakeLists.txt has no version'
  same CHANGELOG.md '^## ([^ ]*) \([0-9]{4}-[0-9]{2}-[0-9]{2}\)$'
  same CITATION.cff '^version: (.*)'
  same host/impinge.h '^#define IMP_VERSION "(.*)"$'
  same $packaging/debian/changelog '^impinge \((.*)-[0-9]+\) .*'
  same $packaging/conda/recipe.yaml '^  version: "(.*)"'
  for recipe in $packaging/spack/spack_repo/impinge/packages/*/package.py; do
    same "$recipe" '^ +version\("([^"]*)", tag="v.*'
    same "$recipe" '^ +version\("[^"]*", tag="v(.*)"\)'
  done
  [ -n "$(notes)" ] || wrong "CHANGELOG.md has no section of $version"
}

# The day of the release stands in three texts.
check_dates() {
  local day debian
  day=$(sed -nE "s/^## $version \\((.*)\\)$/\\1/p" CHANGELOG.md)
  [ "$(sed -n 's/^date-released: //p' CITATION.cff)" = "$day" ] || wrong "CITATION.cff is not of $day, as CHANGELOG.md is"
  debian=$(sed -nE '/^ -- /{s/.*>  //p;q}' doc/packaging/debian/changelog)
  [ "$(date -u -d "$debian" +%F)" = "$day" ] || wrong "debian/changelog is not of $day, as CHANGELOG.md is"
}

check_tree() {
  local changed
  changed=$(git status --porcelain) || { wrong 'this is no clone'; return; }
  [ -z "$changed" ] || wrong "the tree has changes: $(head -n 3 <<<"$changed" | paste -sd,)"
  ! git rev-parse -q --verify "refs/tags/$tag" >/dev/null || wrong "the tag $tag is there already"
}

checksums() { (cd build/wheel && sha256sum impinge-"$version"* >SHA256SUMS && cat SHA256SUMS); }

step "version $version"
check_versions
check_dates
check_tree
[ $bad = 0 ] || exit 1
step 'all tests'
would ./dev test
would ./dev soak
step 'archive and wheels, in build/wheel'
would ./dev wheel
would checksums
step "tag $tag, with these notes"
text=$(echo "impinge $version"; echo; notes)
echo "$text"
[ $how != publish ] || git tag -a --cleanup=verbatim -m "$text" "$tag"
step 'upload'
if [ $how = publish ]; then
  git push "$remote" "$tag"
  twine upload build/wheel/impinge-"$version"*
  echo 'The package is in the index: host/base/package.h says how texts name it from now on.'
else
  echo "left out without --publish: git push $remote $tag; twine upload build/wheel/impinge-$version*"
fi
