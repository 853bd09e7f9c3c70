#!/usr/bin/env bash
# doc/cluster.md, "mpirun": four tasks of Open MPI. mpi.sh IMPINGE DOCUMENT PYTHON
source "$(dirname "$0")/../lib/common.sh"
source "$(dirname "$0")/cluster.sh"
command -v mpirun >/dev/null || skip 'no mpirun'
begin "$@"
# What --oversubscribe and --allow-run-as-root say. Tasks share this machine.
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mpirun -np 1 true >log 2>&1 || skip "mpirun cannot start: $(head -n 1 log)"
block mpirun 1 >script
bash -e script >log 2>&1 || fail "$(cat log)"
same_result
