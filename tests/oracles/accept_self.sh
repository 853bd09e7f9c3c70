#!/usr/bin/env bash
# accept.sh ends with a failure where a result is wrong, and is skipped, not passed, where it cannot
# judge. accept_self.sh IMPINGE SHARED VENV
source "$(dirname "$0")/../lib/common.sh"
here=$(cd "$(dirname "$0")" && pwd)
impinge=$1 shared=$2 venv=$3
[ -d "$shared/data" ] || skip 'no real data beside the checkout'
needs_python "$venv/bin/python" 'h5py, numpy, vtkmodules.vtkIOHDF'
make_folder

# expect STATUS WORDS SHARED DEVICE [VARIABLE=VALUE]
expect() {
  local status=0
  env "${@:5}" "$here/accept.sh" "$impinge" "$3" "$venv" "$4" >"$where/out" 2>&1 || status=$?
  [ "$status" = "$1" ] || fail "exit $status, not $1: $(cat "$where/out")"
  grep -q -- "$2" "$where/out" || fail "it does not say '$2': $(cat "$where/out")"
}

mkdir -p "$where/wrong/accept" "$where/none"
ln -s "$(realpath "$shared/data")" "$where/wrong/data"
cat >"$where/wrong/accept/read_result.py" <<'END'
print("frame 0: 17 pairs missing")
print("the last line is as good as any")
raise SystemExit(1)
END
expect 1 '17 pairs missing' "$where/wrong" cpu
expect 77 'skipped: no real data' "$where/none" cpu
expect 77 'skipped: no PoCL' "$shared" pocl OCL_ICD_VENDORS=/dev/null
expect 1 'cpu, pocl or intel' "$shared" everything
echo 'accept.sh fails where it should'
