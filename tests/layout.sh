#!/usr/bin/env bash
# Checks what the READMEs say about the layout, and the norms of the code, against the tree. Prints what
# is wrong and ends with 1. layout.sh [ROOT]
set -euo pipefail
shopt -s nullglob
cd "${1:-$(dirname "$0")/..}"

lines_most=800                   # of a file
function_most=60 function_more=10 # lines; per cent of all functions that may have more
index_most=3                     # files that answer a question of the index
front_most=150                   # lines of README.md, the front page

bad=0
wrong() {
  printf '%s\n' "$*" >&2
  bad=1
}

# What is checked below must exist: without it nothing would be wrong.
for path in .ci/run CMakeLists.txt README.md CONTRIBUTING.md {bench,host,kernels,python}/README.md host/*/README.md host/*/*/README.md \
  host/impinge.h kernels/tri.h data/scene.c tests/layout.sh tests/README.md; do
  [ -s "$path" ] || wrong "$path is missing"
done
folders=(host/*/ host/*/*/)
[ ${#folders[@]} -gt 5 ] || wrong "host/ has only ${#folders[@]} folders"
[ $bad = 0 ] || exit 1

# ---- what includes what

# The folders that CMake lets a folder see, and those that its README names; in one order.
words_sorted() { tr -s ' ,`' '\n' | sed '/^$/d; /^nothing$/d' | sort | paste -sd' '; }
cmake_sees() {
  tr '\n' ' ' <CMakeLists.txt | { grep -oE "host_folder\($1 [^)]*" || true; } |
    sed -nE 's/.* SEES +(.*) +SOURCES.*/\1/p' | words_sorted
}
readme_sees() { sed -nE 's/^Sees: //p' "$1" | words_sorted; }

# Where a header of this name may lie: folders, and . for the public one.
declare -A folder_of
for path in host/{*,*/*}/*.{h,def} kernels/*.{h,def,cl} data/*.{h,def}; do
  name=${path##*/}
  folder=${path%/*} folder=${folder#host/}
  [ -z "${folder_of[$name]-}" ] || wrong "$path: there is another $name in ${folder_of[$name]}"
  folder_of[$name]=$folder
done

# includes FOLDER FILE... prints "FILE HEADER" for each quoted header
includes() { grep -oE '^ *# *include "[^"]+"' "$@" /dev/null | sed -E 's/: *# *include "([^"]+)"/ \1/'; }

check_folder() {
  local dir=$1 folder sees file header from
  folder=${dir#host/}
  sees=$(cmake_sees "$folder")
  if [ ! -e "$dir/README.md" ]; then
    wrong "$dir/README.md is missing"
  elif ! grep -q '^Sees: ' "$dir/README.md" || [ "$(readme_sees "$dir/README.md")" != "$sees" ]; then
    wrong "$dir/README.md: says that it sees '$(readme_sees "$dir/README.md")', CMake '$sees'"
  fi
  while read -r file header; do
    from=${folder_of[$header]-}
    [ -e "host/$header" ] || [ -z "$from" ] || [ "$from" = "$folder" ] ||
      [[ " $sees " == *" $from "* ]] ||
      wrong "$file: includes $header of $from, which $folder does not see"
    [ "$folder $from" != 'cli engine' ] || [ "$header" = internal.h ] ||
      wrong "$file: includes $header of engine, of which cli sees internal.h alone"
    [ -n "$from" ] || [ -e "host/$header" ] || wrong "$file: includes $header, which is nowhere"
  done < <(includes "$dir"/*.{c,h})
  grep -q "host_folder($folder " CMakeLists.txt || wrong "$dir: CMakeLists.txt does not have it"
  for file in "$dir"/*.c; do
    grep -qw "${file##*/}" CMakeLists.txt || wrong "$file: CMakeLists.txt does not name it"
  done
  for file in "$dir"/*.{c,h,def}; do
    grep -qF "\`${file##*/}\`" "$dir/README.md" || wrong "$file: $dir/README.md does not name it"
  done
}

# ---- files that texts name

# The files that a text names in backquotes. Patterns may stand for several, NAME for what is added.
named() { grep -oE '`[A-Za-z0-9_.*/-]+\.(c|h|cl|def|md|sh|py|cmake|csv)`' | sed -E 's/^`|`$//g; /NAME/d'; }

# named_exist FILE FOLDER... : what FILE names is in one of the folders
named_exist() {
  local file=$1 name folder found
  shift
  while read -r name; do
    found=
    for folder in "$@"; do
      compgen -G "$folder/$name" >/dev/null && found=yes
    done
    [ -n "$found" ] || wrong "$file: names $name, which is not there"
  done < <(grep -v '^import\|^from' "$file" | named | sort -u)
}

# The links of a text to files, from its folder.
links() { grep -oE '\]\([A-Za-z0-9_./-]+\)' "$1" | sed -E 's/^\]\(|\)$//g'; }

links_exist() {
  local file=$1 name
  while read -r name; do
    [ -e "$(dirname "$file")/$name" ] || wrong "$file: links to $name, which is not there"
  done < <(links "$file" | sort -u)
}

# "Where to find what" of host/README.md: a row is a question and at most three files, by their whole names.
check_index() {
  local line names name count rows=0 file=host/README.md
  while read -r line; do
    names=$(cut -d'|' -f3- <<<"$line" | named || true)
    count=$(wc -w <<<"$names")
    [ "$count" -ge 1 ] && [ "$count" -le "$index_most" ] ||
      wrong "$file: $count files, not 1 to $index_most: $line"
    for name in $names; do
      [ -f "$name" ] || wrong "$file: its index names $name, which is not there"
    done
    rows=$((rows + 1))
  done < <(sed -n '/^## Where to find what/,/^## /p' $file | grep '^|' | tail -n +3)
  [ $rows -gt 0 ] || wrong "$file: \"Where to find what\" has no rows"
}

# host/README.md has every folder, after those that it sees.
check_order() {
  local dir folder from before=' kernels data '
  while read -r folder; do
    for from in $(cmake_sees "$folder"); do
      [[ $before == *" $from "* ]] || wrong "host/README.md: $folder is before $from, which it sees"
    done
    before+="$folder "
  done < <(links host/README.md | sed -nE '/^\.\./d; s,/README\.md$,,p' | awk '!seen[$0]++')
  for dir in "${folders[@]}"; do
    folder=${dir#host/} folder=${folder%/}
    [[ $before == *" $folder "* ]] || wrong "host/README.md: has no folder $folder"
  done
}

# README.md is a front page, and CI runs the test command that it has.
check_front() {
  local lines
  grep -q '^\./dev test ' README.md && grep -q '^exec .*/dev" test$' .ci/run ||
    wrong "README.md: its ./dev test is not what .ci/run calls"
  lines=$(wc -l <README.md)
  [ "$lines" -le $front_most ] || wrong "README.md: $lines lines, more than $front_most"
}

# ---- tests that nothing would run

test_files() { find tests -path tests/external -prune -o -name "$1" -print | sort; }

check_tests() {
  local file name
  while read -r file; do
    name=${file#tests/}
    grep -qwF -- "$name" tests/CMakeLists.txt tests/engine.cmake || wrong "$file: CMake does not name it"
  done < <(test_files '*.c')
  # scripts: CMake names them, with their ends or in a list without; a script or ./dev runs the others, or a script imports them
  while read -r file; do
    name=${file##*/}
    grep -qwE "$name|${name%.*}" tests/CMakeLists.txt tests/engine.cmake ||
      find tests -name '*.sh' -exec grep -qwF "$name" dev python/wheel.sh {} + ||
      grep -qE "^(from|import) ${name%.py}( |$)" "${file%/*}"/*.py 2>/dev/null ||
      wrong "$file: nothing runs it"
  done < <(test_files '*.sh'; test_files '*.py')
}

# ---- tests/README.md: what is tested where

# Each folder of sources has a row with folders of tests, each of which has some.
check_tested() {
  local dir row folder
  for dir in host/*/ kernels/ data/ bench/; do
    row=$(grep -F "| \`${dir%/}\` |" tests/README.md) || {
      wrong "tests/README.md: does not say where ${dir%/} is tested"
      continue
    }
    for folder in $(cut -d'|' -f3 <<<"$row" | grep -oE '`[a-z_/]+`' | tr -d '`'); do
      [[ $folder == host/* ]] || compgen -G "tests/$folder/*.sh" >/dev/null ||
        compgen -G "tests/$folder/test_*.c" >/dev/null || wrong "tests/README.md: tests/$folder has no tests"
    done
  done
}

# Each folder of tests has a row; a unit's is the row of its sources, where it comes first.
check_test_folders() {
  local folder sources
  while read -r folder; do
    folder=${folder#tests/}
    case $folder in
      units/*) sources=${folder#units/} && grep -qE "^\| \`(host/)?$sources\` \| \`$folder\`" tests/README.md ;;
      *) grep -qF "| \`$folder\` |" tests/README.md ;;
    esac || wrong "tests/$folder: tests/README.md does not name it"
  done < <(find tests -mindepth 2 -type f ! -path '*/__pycache__/*' -printf '%h\n' | sort -u)
}

# ---- lengths

check_lengths() {
  local file lines
  while read -r file; do
    lines=$(wc -l <"$file")
    [ "$lines" -le "$lines_most" ] || wrong "$file: $lines lines, more than $lines_most"
  done < <(printf '%s\n' kernels/*.{h,cl} data/*.[ch] python/*.[ch] python/*.py python/*/*.py
    test_files '*.[ch]'; test_files '*.sh'; test_files '*.py')
}

# A body begins and ends with a brace in the first column, as clang-format has it.
function_lengths() {
  awk 'FNR == 1 { from = 0 }
       /^\{/ { from = FNR }
       /^\}/ && from { print FNR - from + 1, FILENAME ":" from; from = 0 }' \
    host/{*,*/*}/*.[ch] kernels/*.h kernels/*.cl data/*.c
}

check_functions() {
  local all long
  all=$(function_lengths | wc -l)
  long=$(function_lengths | awk -v most=$function_most '$1 > most' | wc -l)
  [ "$all" -gt 1000 ] || wrong "only $all functions are to be seen"
  [ $((100 * long)) -le $((function_more * all)) ] ||
    wrong "$long of $all functions have more than $function_most lines"
}

# ---- OpenMP's threads may have another floating-point environment than the caller (host/base/float_env.h)

check_parallel() {
  local found
  found=$(awk '/^ *#pragma omp parallel for/ { print FILENAME ":" FNR ": parallel for: EACH_IN_FLOAT_ENV has no place" }
               open && !more { if ($1 != "EACH_IN_FLOAT_ENV") print FILENAME ":" FNR ": no EACH_IN_FLOAT_ENV"; open = 0 }
               /^ *#pragma omp parallel/ { open = 1 }
               { more = open && /\\$/ }' host/{*,*/*}/*.[ch])
  [ -z "$found" ] || wrong "$found"
}

for dir in "${folders[@]}"; do check_folder "${dir%/}"; done
for dir in "${folders[@]}"; do named_exist "${dir}README.md" "${dir%/}"; done
for file in README.md CONTRIBUTING.md; do named_exist $file .; done
named_exist host/README.md . host
named_exist kernels/README.md kernels
named_exist python/README.md . python
named_exist tests/README.md . tests host
for file in README.md CONTRIBUTING.md {bench,data,doc,host,kernels,python,tests}/*.md "${folders[@]/%/README.md}"; do
  links_exist "$file"
done
check_index
check_order
check_front
check_tests
check_tested
check_test_folders
check_lengths
check_functions
check_parallel
python3 tests/shape.py . || bad=1
exit $bad
