#!/usr/bin/env bash
# The commands of doc/papers.md, run as they stand there, one after the other. papers.sh IMPINGE PAGE
source "$(dirname "$0")/../lib/common.sh"
make_folder
program=$(realpath "$1") page=$(realpath "$2")
ln -s "$program" "$where/impinge"
cd "$where"
PATH=$where:$PATH
"$program" pcs cradle --frames 1 -o "$where/can.vtkhdf" -q 2>/dev/null && pcs=1 || pcs=
count=0
while IFS= read -r command; do
  [ -n "$pcs" ] || [[ $command != 'impinge pcs '* && $command != *.batch.vtkhdf* ]] || continue
  eval "$command" >out 2>err || fail "$command: exit $?: $(tail -n 3 err)"
  count=$((count + 1))
done < <(grep -oE '(^|`)impinge [^`]*' "$page" | tr -d '`')
[ "$count" -gt 15 ] || fail "only $count commands"
[ -n "$pcs" ] || skip_part 'no ODE: the commands of pcs'
echo "$count commands"
