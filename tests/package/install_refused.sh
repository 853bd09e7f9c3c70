#!/usr/bin/env bash
# cmake --install is whole, or nothing is copied and one line says why: with each file that is not built, and
# wherever it cannot go. install_refused.sh BUILD SOURCE
source "$(dirname "$0")/../lib/common.sh"
build=$1 source=$2
make_folder
half=$where/half # a build like BUILD, from which files are taken
mkdir "$half"
(cd "$build" && cp -rL --parents cmake_install.cmake tests/cmake_install.cmake impinge.pc impingeConfig.cmake \
  impingeConfigVersion.cmake impinge libimpinge.so* texts CMakeFiles/Export "$half")
find "$half" -name '*.cmake' -exec sed -i "s|$build|$half|g" {} +

# cmake_install [-D...] : what is printed is in $where/said
cmake_install() {
  rm -rf "$where/to"
  cmake "$@" -P "$half/cmake_install.cmake" >"$where/said" 2>&1
}

# refused TEXT [-D...]
refused() {
  local text=$1
  shift
  ! cmake_install -DCMAKE_INSTALL_PREFIX="$where/to" "$@" || fail "installed, in spite of $text"
  [ "$(grep -c 'impinge: nothing was installed: ' "$where/said")" = 1 ] || fail "not one line: $(cat "$where/said")"
  grep -q "impinge: nothing was installed: .*$text" "$where/said" || fail "no '$text': $(cat "$where/said")"
  ! grep 'Installing' "$where/said" || fail "something was installed, in spite of $text"
  [ ! -e "$where/to" ] || fail "$where/to was made, in spite of $text"
}

count() { find "$1" -type f -o -type l | wc -l; }

# In whole, twice, and below DESTDIR it is always the same files.
whole() {
  local files
  cmake_install -DCMAKE_INSTALL_PREFIX="$where/to" || fail "$(cat "$where/said")"
  files=$(count "$where/to")
  [ "$files" -gt 15 ] || fail "only $files files"
  cmake -DCMAKE_INSTALL_PREFIX="$where/to" -P "$half/cmake_install.cmake" >"$where/said"
  [ "$(count "$where/to")" = "$files" ] || fail 'the second time it was not the same'
  rm -rf "$where/to"
  DESTDIR=$where/to cmake -DCMAKE_INSTALL_PREFIX=/usr -P "$half/cmake_install.cmake" >"$where/said"
  [ "$(count "$where/to/usr")" = "$files" ] || fail 'with DESTDIR it was not the same'
  [ ! -e "$where/to/usr/impinge" ] || fail 'the folder of the Python package was installed'
}

missing() {
  local file
  for file in impinge texts/impinge.1 texts/impinge.bash texts/impinge.zsh libimpinge.so.[0-9]*.[0-9]*.[0-9]*; do
    file=$(cd "$half" && echo $file)
    mv "$half/$file" "$where/away"
    refused "$file is not built"
    [[ $file != lib* ]] || component
    mv "$where/away" "$half/$file"
  done
}

# The program alone, without a library that was built.
component() {
  cmake_install -DCMAKE_INSTALL_PREFIX="$where/to" -DCMAKE_INSTALL_COMPONENT=program || fail "$(cat "$where/said")"
  "$where/to/bin/impinge" --version
  [ ! -e "$where/to/include" ] || fail 'headers were installed with the program'
  [ ! -e "$where/to/share/doc/impinge/examples" ] || fail 'examples of the library were installed with the program'
}

elsewhere() {
  local path=$where/other
  : >"$path"
  refused "$path is no folder" -DCMAKE_INSTALL_PREFIX="$path/usr"
  rm "$path"
  ln -s "$where/nothing" "$path"
  refused "$path is no folder" -DCMAKE_INSTALL_PREFIX="$path/usr"
  rm "$path"
  refused 'cannot be written' -DCMAKE_INSTALL_PREFIX=/proc/impinge
  refused 'usr does not begin with /' -DCMAKE_INSTALL_PREFIX=usr
  DESTDIR=to refused 'DESTDIR=to does not begin with /'
  mkdir -p "$path/include/impinge_pcs.h"
  refused 'impinge_pcs.h is a folder' -DCMAKE_INSTALL_PREFIX="$path"
  [ "$(ls "$path")" = include ] || fail 'something was installed beside a folder in its place'
  rm -rf "$path"
  # a list of what was installed that cannot be replaced would fail as the last thing
  rm -f "$half/install_manifest.txt"
  ln -s /proc/version "$half/install_manifest.txt"
  cmake_install -DCMAKE_INSTALL_PREFIX="$where/to" || fail "the list of an earlier installation: $(cat "$where/said")"
}

whole
missing
elsewhere
