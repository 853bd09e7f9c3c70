#!/usr/bin/env bash
# What testlib.h promises of programs of tests. testlib.sh FAILING: the program of failing.c
source "$(dirname "$0")/common.sh"
failing=$1
make_folder

# expect STATUS PASSED TEST...: exit status, and how many of the tests passed by what is printed
expect() {
  local status=0 passed
  "$failing" "${@:3}" >"$where/out" 2>&1 || status=$?
  [ "$status" = "$1" ] || fail "${*:3}: exit $status, not $1: $(cat "$where/out")"
  passed=$(grep -cE '^  Test: [a-z_]+ \.\.\.passed$' "$where/out" || [ $? = 1 ])
  [ "$passed" = "$2" ] || fail "${*:3}: $passed passed, not $2: $(cat "$where/out")"
}

says() { grep -q -- "$1" "$where/out" || fail "it does not say '$1': $(cat "$where/out")"; }

expect 0 1 passes
expect 1 1 passes fails
says 'this is wrong'
expect 1 0 asserts_nothing
says 'asserted nothing'
expect 77 0 skips
says 'skipped: skips: on purpose'
expect 0 1 skips passes
expect 1 0 skips fails
expect 77 1 partial passes
[ "$(grep -c 'skipped: partial: one device' "$where/out")" = 1 ] || fail 'not said once'
expect 1 0 partial fails
expect 1 0 fails_often fails # many failures of one test hide none of the next
says 'wrong for the 29th time'
says 'this is wrong'
expect 1 1 fails_often fails passes
expect 1 0 passes nowhere
says 'nowhere: no such test'
expect 1 1 # all of them
echo 'tests that fail do not pass'
