"""h5py: reads all arrays of a batch that impinge reads, and says how many seconds that took and how many
primitives there are. Without an argument it prints its version."""

import sys
import time

import h5py


def read(path):
    """Arrays of one frame that others share are there once."""
    with h5py.File(path) as f:
        arrays = {}

        def take(name, item):
            if isinstance(item, h5py.Dataset):
                arrays[name] = item[()]

        f["VTKHDF"].visititems(take)
    return arrays


def primitives(arrays):
    cells = arrays["Polygons/NumberOfCells"]
    first, parts = arrays["Steps/PartOffsets"], arrays["Steps/NumberOfParts"]
    return sum(int(cells[a : a + n].sum()) for a, n in zip(first, parts))


def main():
    if len(sys.argv) < 2:
        print("%s, HDF5 %s" % (h5py.__version__, h5py.version.hdf5_version))
        return
    start = time.monotonic()
    arrays = read(sys.argv[1])
    seconds = time.monotonic() - start
    print("%.9f %d" % (seconds, primitives(arrays)))


main()
