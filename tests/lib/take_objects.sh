#!/usr/bin/env bash
# Lends a build that is still to be made the objects of another one, with Ninja's record of how and of what they
# were made: what would be made in another way, or has changed, is made again.
#
# take_objects.sh FROM TO    ends with 1 where there is nothing to take
set -euo pipefail
from=$(realpath -m "$1") to=$(realpath -m "$2")

# Not where a compiler's launcher, such as ccache, may have written other paths into the record.
[ -e "$from/.ninja_deps" ] && ! grep -q '^CMAKE_C_COMPILER_LAUNCHER:' "$from/CMakeCache.txt" || exit 1
mkdir -p "$to/CMakeFiles"
cd "$from"
cp -a .ninja_log .ninja_deps "$to"
[ ! -e kernels_cl.c ] || cp -a kernels_cl.c "$to"
cp -a CMakeFiles/*.dir "$to/CMakeFiles"
