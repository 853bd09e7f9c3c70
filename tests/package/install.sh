#!/usr/bin/env bash
# Installs into a fresh folder, then builds and runs programs of somebody else against it, with
# CMake's package and with pkg-config, both as they are; and asks the installed program.
#
# install.sh SOURCE GENERATOR BUILD   this build, its prefix named at installation, then moved
# install.sh SOURCE GENERATOR '' OBJECTS   a static library in a libdir like Debian's, then in folders
#                                     that are no part of the prefix; OBJECTS: a build whose objects it may take
source "$(dirname "$0")/../lib/common.sh"
source=$1 generator=$2 build=${3-} objects=${4-} lib=$(realpath "$(dirname "$0")/../lib")
make_folder

# loudly COMMAND...: what it prints is shown only if it fails
loudly() { "$@" >"$where/log" 2>&1 || fail "failed: $*: $(cat "$where/log")"; }

# there NAME: the path of what was installed
there() {
  local path
  path=$(find "$where/to" -name "$1" -print -quit)
  [ -n "$path" ] || fail "$1 is not installed" >&2
  echo "$path"
}

# programs FOLDER WHAT: the programs of C and of C++
programs() {
  local name
  for name in external raii bounce; do
    [ -e "$1/$name" ] || fail "$2: there is no $name"
    echo "$2: $name"
    "$1/$name" >"$where/printed"
    [ $name = bounce ] || cat "$where/printed"
  done
  bounced
}

# The contacts of each step ascend in time. No contact and no step adds energy but for the little
# speed that keeps cubes from sinking, and some is lost.
bounced() {
  awk '
    function add(to, from) { return to > from + 1e-6 }
    $1 == "contact" {
      if ($2 == step && $3 < time) { print "a contact at " $3 " comes after one at " time; bad = 1 }
      if (add($7, $6)) { print "a contact makes " $7 " of an energy of " $6; bad = 1 }
      step = $2; time = $3; contacts++
    }
    $1 == "energy" {
      if (NR == 1) first = $2
      else if (add($2, last)) { print "a step makes " $2 " of an energy of " last; bad = 1 }
      last = $2
    }
    END {
      print contacts + 0 " contacts, energy " first " to " last
      exit bad || contacts < 100 || last > first / 2
    }' "$where/printed" || fail 'the cubes do not bounce as they should'
}

with_cmake() {
  rm -rf "$where/b"
  loudly cmake -G "$generator" -S "$source/tests/external" -B "$where/b" \
    -DCMAKE_PREFIX_PATH="$where/to/usr;$where/to/system"
  loudly cmake --build "$where/b"
  programs "$where/b" "$1, CMake"
}

# A compiler's warnings about the header are errors, in C++ many.
with_pkg_config() {
  rm -rf "$where/b"
  mkdir "$where/b"
  local path flags words
  path=$(there impinge.pc)
  PKG_CONFIG_PATH=$(dirname "$path")
  export PKG_CONFIG_PATH
  words=$(pkg-config --cflags --libs impinge)
  read -ra flags <<<"$words"
  loudly cc -std=c11 -Wall -Wextra -Werror "$source/tests/external/main.c" -o "$where/b/external" \
    "${flags[@]}"
  loudly cc -std=c11 -Wall -Wextra -Werror "$source/tests/external/bounce.c" -o "$where/b/bounce" \
    "${flags[@]}"
  loudly c++ -std=c++17 -Wall -Wextra -Wpedantic -Wconversion -Wold-style-cast -Werror \
    "$source/tests/external/raii.cpp" -o "$where/b/raii" "${flags[@]}"
  programs "$where/b" "$1, pkg-config"
}

both() {
  local library
  library=$(there 'libimpinge.*')
  LD_LIBRARY_PATH=$(dirname "$library")
  export LD_LIBRARY_PATH
  with_cmake "$1"
  with_pkg_config "$1"
}

# holds PATTERN FILE
holds() { grep -q "$1" "$where/to/usr/share/$2" || fail "no '$1' in share/$2"; }

installed() {
  "$where/to/usr/bin/impinge" --version
  for file in man/man1/impinge.1 doc/impinge/{format.md,cluster.md,LICENSE,c.md,examples/bounce.c}; do
    test -s "$where/to/usr/share/$file" || fail "no share/$file"
  done
  holds '^\.TH IMPINGE 1' man/man1/impinge.1
  holds '^complete .* impinge$' bash-completion/completions/impinge
  holds '^#compdef impinge$' zsh/site-functions/_impinge
  examples
  no_loader
}

# The examples are compiled where they were installed, as doc/c.md tells.
examples() {
  rm -rf "$where/b"
  loudly cmake -G "$generator" -S "$where/to/usr/share/doc/impinge/examples" -B "$where/b" \
    -DCMAKE_PREFIX_PATH="$where/to/usr"
  loudly cmake --build "$where/b"
  "$where/b/contacts" >"$where/printed"
  "$where/b/contacts_cpp" >>"$where/printed"
  [ "$(grep -c ' meets ' "$where/printed")" = 12 ] || fail "the examples print: $(cat "$where/printed")"
}

# Nothing is linked to an OpenCL loader, nor does a package tell others to link to one.
no_loader() {
  find "$where/to" \( -name '*.pc' -o -name '*.cmake' \) -exec cat {} + >"$where/needs"
  find "$where/to" \( -path '*/bin/impinge' -o -name libimpinge.so \) -exec readelf -d {} + >>"$where/needs"
  for word in NEEDED gmp; do grep -q "$word" "$where/needs" || fail "what is needed does not name $word"; done
  if grep -i opencl "$where/needs"; then fail 'OpenCL is linked'; fi
}

# Nothing but the public interface is exported.
exported() {
  local library
  library=$(there libimpinge.so)
  nm -D --defined-only "$library" >"$where/symbols"
  grep -q ' imp_create$' "$where/symbols" || fail 'imp_create is not exported'
  awk '$3 !~ /^imp_/ { print "exported: " $3; bad = 1 } END { exit bad }' "$where/symbols"
}

as_built() {
  loudly cmake --install "$build" --prefix "$where/to/first"
  mv "$where/to/first" "$where/to/usr"
  both 'shared, moved'
  exported
  installed
}

# make_static LIBDIR INCLUDEDIR: only what is installed where matters
make_static() {
  rm -rf "$where/to"
  loudly cmake -G "$generator" -S "$source" -B "$where/static" -DBUILD_SHARED_LIBS=OFF \
    -DIMP_TESTS=OFF "${how[@]}" -DCMAKE_INSTALL_LIBDIR="$1" -DCMAKE_INSTALL_INCLUDEDIR="$2"
  loudly cmake --build "$where/static"
  loudly cmake --install "$where/static" --prefix "$where/to/usr"
  find "$where/to" -name 'libimpinge.so*' >"$where/shared"
  [ ! -s "$where/shared" ] || fail "a shared library was installed: $(cat "$where/shared")"
  both "static, $1"
}

static() {
  how=(-DCMAKE_BUILD_TYPE=None -DIMP_CPU_VARIANTS=OFF) # quick to compile
  if [ "$generator" = Ninja ] && "$lib/take_objects.sh" "$objects" "$where/static"; then
    how=(-DCMAKE_BUILD_TYPE=Release)
  fi
  make_static lib/x86_64-linux-gnu include
  installed
  make_static "$where/to/system/lib" "$where/to/system/include"
  test -e "$where/to/system/lib/libimpinge.a"
}

if [ -n "$build" ]; then as_built; else static; fi
