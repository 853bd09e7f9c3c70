"""Reads results by h5py. One: seconds for all datasets of /VTKHDF, which are read whole, one after another. Two: says
"same" if their datasets are, byte by byte, else the first one that is not."""

import sys
import time

import h5py


def datasets(file):
    found = []
    file["VTKHDF"].visititems(lambda name, item: found.append(name) if isinstance(item, h5py.Dataset) else None)
    return found


def seconds(path):
    begin = time.perf_counter()
    with h5py.File(path) as file:
        for name in datasets(file):
            file["VTKHDF"][name][()]
    return time.perf_counter() - begin


def difference(one, other):
    with h5py.File(one) as a, h5py.File(other) as b:
        if datasets(a) != datasets(b):
            return "other datasets"
        for name in datasets(a):
            x, y = a["VTKHDF"][name], b["VTKHDF"][name]
            if (x.shape, x.dtype) != (y.shape, y.dtype) or x[()].tobytes() != y[()].tobytes():
                return name
    return "same"


if __name__ == "__main__":
    print(seconds(sys.argv[1]) if len(sys.argv) == 2 else difference(*sys.argv[1:]))
