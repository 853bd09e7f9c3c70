#!/usr/bin/env bash
# layout.sh finds nothing wrong with the tree, and each of several faults in a copy of it.
# layout_self.sh SOURCE
source "$(dirname "$0")/lib/common.sh"
source=$1
make_folder
"$source/tests/layout.sh"
cd "$source"
cp -r --parents .ci CMakeLists.txt README.md CONTRIBUTING.md dev host kernels data doc bench python tests "$where"
cd "$where"

# expect WORDS: what a fault that was just made must lead to
expect() { echo "$1" >>wanted; }

echo '#include "device.h"' >>host/base/mem.c
expect 'host/base/mem.c: includes device.h of device, which base does not see'
echo '#include "nowhere.h"' >>host/cli/cli.c
expect 'host/cli/cli.c: includes nowhere.h, which is nowhere'
echo '#include "engine.h"' >>host/cli/cli.c
expect 'host/cli/cli.c: includes engine.h of engine, of which cli sees internal.h alone'
sed -i 's/^Sees: .*/Sees: `cli`/' host/tree/README.md
expect 'host/tree/README.md: says that it sees'
touch host/file/other.c
expect 'host/file/other.c: CMakeLists.txt does not name it'
cp host/base/mem.h host/file/mem.h
expect 'there is another mem.h in base'
echo 'See `gone.c`.' >>kernels/README.md
expect 'kernels/README.md: names gone.c'
sed -i '/^## Where to find what/,/^## /s/^| \(.*\) | .* |$/| \1 | `host\/gone.c` |/' host/README.md
expect 'host/README.md: its index names host/gone.c'
sed -i '/^| \[base\]/{h;d}; /^| \[engine\]/{p;x}' host/README.md
expect 'host/README.md: exact is before base, which it sees'
sed -i '/^| \[file\]/d' host/README.md
expect 'host/README.md: has no folder file'
for file in README.md CONTRIBUTING.md bench/README.md host/base/README.md; do
  echo 'See [this](gone.md).' >>$file
  expect "$file: links to gone.md"
done
sed -i 's/test$/quick/' .ci/run
expect 'its ./dev test is not what .ci/run calls'
for _ in {1..150}; do echo; done >>README.md
expect 'lines, more than 150'
printf -v lone 'lone%d.sh' 7 # a name that no script has in its text
touch tests/pipeline/test_nothing.c "tests/program/$lone"
expect 'tests/pipeline/test_nothing.c: CMake does not name it'
expect "tests/program/$lone: nothing runs it"
mkdir tests/elsewhere && echo >tests/elsewhere/notes.txt
expect 'tests/elsewhere: tests/README.md does not name it'
mkdir tests/units/cli && echo >tests/units/cli/notes.txt
expect 'tests/units/cli: tests/README.md does not name it'
mkdir host/fresh
expect 'tests/README.md: does not say where host/fresh is tested'
sed -i 's/^| `host\/base` | .*/| `host\/base` | `units\/nothing` |/' tests/README.md
expect 'tests/README.md: tests/units/nothing has no tests'
expect 'tests/units/base: tests/README.md does not name it'
for _ in {1..600}; do echo; done >>data/scene.c
expect 'lines, more than 800'
printf '{\n%s\n}\n' "$(yes ';' | head -n 80 || true)" >long
for _ in {1..1500}; do cat long; done >host/engine/long.h
expect 'functions have more than 60 lines'

printf '#pragma omp parallel num_threads(2) \\\n    if (1)\n    f();\n' >>host/base/mem.c
expect 'no EACH_IN_FLOAT_ENV'
printf '#pragma omp parallel for\nEACH_IN_FLOAT_ENV\n' >>host/base/sort_tally.c
expect 'parallel for: EACH_IN_FLOAT_ENV has no place'

status=0
./tests/layout.sh >told 2>&1 || status=$?
[ "$status" = 1 ] || fail "exit $status: $(cat told)"
while read -r words; do
  grep -qF -- "$words" told || fail "it does not say '$words': $(cat told)"
done <wanted
echo "$(wc -l <wanted) faults, all found"

mkdir none
cp -r --parents tests/layout.sh none
! none/tests/layout.sh >told 2>&1 || fail 'a tree without anything is as it should be'
