#!/usr/bin/env bash
# A test with Intel's runtime for CPUs as the only OpenCL, in the soak: each pipeline takes long to make.
# intel.sh VENV TEST...
source "$(dirname "$0")/../lib/common.sh"
[ "${IMPINGE_SOAK:-1}" != 1 ] || skip 'part of the soak: set IMPINGE_SOAK'
make_folder
find_intel "$1" || skip 'no Intel OpenCL runtime'
with_intel "${@:2}"
