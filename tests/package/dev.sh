#!/usr/bin/env bash
# What ./dev tells to type works: after ./dev demo and after ./dev install. And nonsense is refused in one line, before
# anything is compiled. In a copy of ./dev beside BUILD, with a Ninja that has nothing to do. dev.sh BUILD SOURCE
source "$(dirname "$0")/../lib/common.sh"
build=$1 source=$2
command -v pkg-config >/dev/null || skip 'no pkg-config'
make_folder
clone=$where/clone
mkdir -p "$clone/build" "$where/bin" "$where/home"
cp "$source/dev" "$clone"
ln -s "$build" "$clone/build/release"

# stub NAME: a program of the standard input's text
stub() { { echo '#!/bin/sh'; cat; } >"$where/bin/$1" && chmod +x "$where/bin/$1"; }
echo 'echo "ninja: no work to do."' | stub ninja
echo 'echo install ok installed' | stub dpkg-query
echo 'echo 1000' | stub id # not root, who would install in /usr/local
export PATH="$where/bin:$PATH" HOME="$where/home"

# refused STATUS TEXT WORD...
refused() {
  local status=0
  "$clone/dev" "${@:3}" >"$where/out" 2>"$where/said" || status=$?
  [ $status = "$1" ] || fail "./dev ${*:3}: exit $status, not $1: $(cat "$where/said")"
  [ "$(wc -l <"$where/said")" = 1 ] && grep -qF -- "$2" "$where/said" || fail "./dev ${*:3}: no '$2' in $(cat "$where/said")"
  [ ! -s "$where/out" ] || fail "./dev ${*:3} has done something: $(cat "$where/out")"
}

refuses() {
  refused 2 'one PREFIX, not 2' install a b
  refused 2 'the PREFIX is empty' install ''
  refused 2 'not --prefix' install --prefix
  refused 1 "$clone/dev is no folder" install "$clone/dev"
  refused 1 'nothing was installed: /proc cannot be written' install /proc/impinge
}

# typed FOLDER: the lines that are told to be typed, in a shell of somebody else
typed() {
  sed -n 's/^  //p' "$where/out" >"$where/typed"
  grep -q '^impinge help' "$where/typed" || fail "it is not told what to type: $(cat "$where/out")"
  (cd "$1" && bash -euc "$(cat "$where/typed"); command -v impinge" >"$where/printed") ||
    fail "what is told does not work: $(cat "$where/typed")"
  grep -q 'usage' "$where/printed" || fail "no help: $(cat "$where/printed")"
}

install() {
  "$clone/dev" install "$@" >"$where/out" || fail "./dev install $*: $(cat "$where/out")"
  grep -q '/include/impinge.h$' "$where/out" || fail 'it is not told what was installed'
}

installs() {
  cd "$where"
  install to # of the folder in which it was called
  grep -qx "$where/to/bin is not in PATH. What to type next:" "$where/out" || fail "PATH: $(cat "$where/out")"
  typed /
  grep -qx "$where/to/bin/impinge" "$where/printed" || fail 'another impinge was found'
  printf '#include <impinge.h>\n#include <stdio.h>\nint main(void) { return puts(imp_version()) < 0; }\n' >main.c
  bash -euc "$(sed -n 's/^A program of C with the library: //p' out)" || fail "it does not compile: $(cat out)"
  env -u LD_LIBRARY_PATH ./a.out || fail 'it does not start'
  PATH=$where/to/bin:$PATH install "$where/to"
  grep -qx "$where/to/bin is in PATH. What to type next:" "$where/out" || fail "PATH: $(cat "$where/out")"
  install
  test -x "$HOME/.local/bin/impinge" || fail 'without a PREFIX it is not in ~/.local'
}

demo() {
  mkdir "$clone/build/demo"
  "$clone/build/release/impinge" generate cloth-ball -n 3000 --frames 3 -q -o "$clone/build/demo/cloth.vtkhdf"
  "$clone/dev" demo >"$where/out" 2>"$where/said" || fail "./dev demo: $(cat "$where/out" "$where/said")"
  grep -qx "The program is $clone/build/release/impinge. What to type next:" "$where/out" || fail "$(cat "$where/out")"
  typed /
}

# Where there is no terminal, how far it is is seen, what compilers say stays, and a failure is one.
progress() {
  for i in $(seq 200); do
    echo "[$i/200] Building C object $i"
    [ "$i" != 77 ] || echo 'a warning'
  done >"$where/steps"
  echo 'echo "[0/200] Building"' | stub ninja
  printf 'cat %s\nexit ${BUILD_ENDS:-0}\n' "$where/steps" | stub cmake
  "$clone/dev" build >"$where/out" 2>"$where/said"
  [ "$(grep -c Building "$where/out")" = 12 ] || fail "not a line for each tenth: $(cat "$where/out")"
  grep -A1 -x '\[77/200\] Building C object 77' "$where/out" | grep -qx 'a warning' || fail 'a warning is lost'
  ! BUILD_ENDS=1 "$clone/dev" build >"$where/out" 2>&1 || fail 'a failure of the build is lost'
}

refuses
installs
demo
progress
