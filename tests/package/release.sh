#!/usr/bin/env bash
# The rehearsal of a release (doc/packaging/release.sh) in a clone: it ends well as things are, and names what differs,
# whichever text has another version or day; it changes nothing. release.sh SOURCE
source "$(dirname "$0")/../lib/common.sh"
source=$1
command -v git >/dev/null || skip 'no git'
make_folder
clone=$where/clone
mkdir "$clone"
(cd "$source" && tar -c --exclude=./build --exclude=./.git --exclude=./data/*.png .) | tar -x -C "$clone"
cd "$clone"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
git init -q .
git config user.name test
git config user.email test@example.org
git add -A
git commit -q -m all
# whatever would leave the machine, or take long, is an error here
mkdir "$where/bin"
for name in twine cmake ctest ssh curl; do printf '#!/bin/sh\necho "$0" >>%s/called\n' "$where" >"$where/bin/$name"; done
chmod +x "$where/bin"/*
export PATH="$where/bin:$PATH"

rehearse() { ./dev release >"$where/said" 2>"$where/wrong"; }

as_it_is() {
  rehearse || fail "$(cat "$where/wrong")"
  for text in 'would run: ./dev test' 'would run: ./dev wheel' '== tag v' '^- \*\*' 'left out without --publish: git push origin v'; do
    grep -q -- "$text" "$where/said" || fail "no '$text' in the rehearsal: $(cat "$where/said")"
  done
  ! grep -q '^## ' "$where/said" || fail 'the notes have sections of other versions'
  [ ! -e "$where/called" ] && [ -z "$(git tag)" ] && [ -z "$(git status --porcelain)" ] || fail 'the rehearsal did something'
}

# differs TEXT FILE COMMAND-OF-SED: with this change the rehearsal fails and says TEXT, and nothing else is told
differs() {
  sed -i -E "$3" "$2"
  git commit -q -a -m change || fail "$3 does not change $2"
  ! rehearse || fail "in spite of $1"
  grep -qF -- "$1" "$where/wrong" || fail "no '$1' in: $(cat "$where/wrong")"
  git reset -q --hard HEAD~
}

texts() {
  local recipe other packaging=doc/packaging
  differs "CHANGELOG.md has version '9.9.9'" CHANGELOG.md '0,/^## [0-9.]+/s//## 9.9.9/'
  differs "CHANGELOG.md has version ''" CHANGELOG.md 's/^(## .*) \(.*/\1, not yet released/'
  differs "CITATION.cff has version '9.9.9'" CITATION.cff 's/^version: .*/version: 9.9.9/'
  differs "impinge.h has version '9.9.9'" host/impinge.h 's/(define IMP_VERSION) ".*"/\1 "9.9.9"/'
  differs "debian/changelog has version '9.9.9'" $packaging/debian/changelog 's/\(.*-1\)/(9.9.9-1)/'
  differs "recipe.yaml has version '9.9.9'" $packaging/conda/recipe.yaml 's/version: ".*"/version: "9.9.9"/'
  for recipe in $packaging/spack/spack_repo/impinge/packages/*/package.py; do
    differs "package.py has version '9.9.9'" "$recipe" 's/version\(".*", tag/version("9.9.9", tag/'
    differs "package.py has version '9.9.9'" "$recipe" 's/tag="v.*"/tag="v9.9.9"/'
  done
  differs 'CMakeLists.txt has 9.9.9' CMakeLists.txt 's/^(project\(impinge VERSION )[0-9.]+/\19.9.9/'
  differs 'CITATION.cff is not of' CITATION.cff 's/^date-released: .*/date-released: 2000-01-01/'
  differs 'debian/changelog is not of' $packaging/debian/changelog 's/^( -- .*>  ).*/\1Sat, 01 Jan 2000 12:00:00 +0000/'
}

tree() {
  echo >>README.md
  ! rehearse || fail 'a tree with changes is released'
  grep -q 'the tree has changes:  M README.md' "$where/wrong" || fail "$(cat "$where/wrong")"
  git checkout -q README.md
  git tag "v$(sed -n 's/^version: //p' CITATION.cff)"
  ! rehearse || fail 'a version is released twice'
  ! ./dev release --upload >"$where/said" 2>&1 || fail 'an unknown option is taken'
  [ ! -e "$where/called" ] || fail "called: $(cat "$where/called")"
}

as_it_is
texts
tree
