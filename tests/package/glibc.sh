#!/usr/bin/env bash
# A wheel runs with glibc 2.28 (python/wheel.sh), so nothing may call what came later. Where this system's glibc has a
# newer version of a function, it has the older one beside it, or older ones had it in their static part.
# glibc.sh FILE...
source "$(dirname "$0")/../lib/common.sh"
most=2.28
libc=$(ldconfig -p | awk '/libc\.so\.6 .*=>/ { print $NF; exit }')
[ -e "$libc" ] || skip 'no glibc'
make_folder

# symbols FILE: name@version of glibc's
symbols() { readelf --dyn-syms -W "$1" | awk '$8 ~ /@+GLIBC_[0-9.]+$/ { gsub(/@+GLIBC_/, "@", $8); print $7 == "UND", $8 }'; }

# older: of lines NAME@VERSION, the names of those that 2.28 has
older() { awk -F@ -v most=$most '{ split($2, v, "."); split(most, m, ".") } v[1] < m[1] || v[1] == m[1] && v[2] <= m[2] { print $1 }'; }

for library in "$(dirname "$libc")"/lib{c,m,pthread,dl,rt}.so.[0-9]; do symbols "$library"; done | sed -n 's/^0 //p' >"$where/has"
older <"$where/has" >"$where/old"
printf '%s\n' stat fstat lstat fstatat mknod >>"$where/old"
sort -u -o "$where/old" "$where/old"
for file in "$@"; do
  symbols "$file" | sed -n 's/^1 //p' | sort -u >"$where/wants"
  cut -d @ -f 1 "$where/wants" | sort -u >"$where/names"
  [ "$(wc -l <"$where/names")" -gt 50 ] || fail "$file: no functions of glibc to be seen"
  comm -23 "$where/names" <(sort -u "$where/old" <(older <"$where/wants")) >"$where/late"
  [ ! -s "$where/late" ] || fail "$file calls what glibc $most has not: $(tr '\n' ' ' <"$where/late")"
done
