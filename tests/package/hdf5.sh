#!/usr/bin/env bash
# The program has the serial HDF5 and no MPI, also where HDF5 for MPI is installed as well; where that is all
# there is, CMake says so.
#
# hdf5.sh SOURCE BUILD
source "$(dirname "$0")/../lib/common.sh"
source=$1 build=$2
make_folder

# configured NAME OPTION...: of a fresh folder; what CMake says is in $where/NAME.log
configured() {
  local name=$1
  shift
  cmake -S "$source" -B "$where/$name" -DCMAKE_BUILD_TYPE=Release -DIMP_TESTS=OFF "$@" >"$where/$name.log" 2>&1
}

ldd "$build/impinge" >"$where/needs"
grep -q hdf5 "$where/needs" || fail 'the program has no HDF5'
! grep -E 'libmpi|hdf5_(open)?mpi' "$where/needs" || fail 'the program needs MPI'

# whatever is preferred
configured preferred -DHDF5_PREFER_PARALLEL=ON || fail "$(cat "$where/preferred.log")"
! grep -E '^HDF5_C_[A-Z_a-z0-9]*=.*(openmpi|mpich|h5pcc)' "$where/preferred/CMakeCache.txt" ||
  fail 'CMake has taken HDF5 for MPI'

# a folder with nothing but HDF5 for MPI, as its header has it
mkdir -p "$where/mpi/include" "$where/mpi/lib"
printf '#define H5_VERSION "1.10.8"\n#define H5_HAVE_PARALLEL 1\n' >"$where/mpi/include/H5pubconf.h"
: >"$where/mpi/include/hdf5.h"
: >"$where/mpi/lib/libhdf5.so"
! configured alone -DHDF5_ROOT="$where/mpi" || fail 'HDF5 for MPI was taken'
grep -q 'A serial HDF5 .* is missing' "$where/alone.log" || fail "$(cat "$where/alone.log")"
