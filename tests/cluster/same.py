"""Two results are the same: each dataset and attribute below /VTKHDF, as h5py reads them, and each frame, forth and
back, as VTK's own reader shows it. same.py WHOLE OTHER"""

import sys

import h5py
import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOHDF import vtkHDFReader


def contents(path):
    """Of each dataset its type, shape and bytes, and of each object its attributes."""
    found = {}

    def add(name, item):
        for key, value in item.attrs.items():
            found[f"{name}@{key}"] = np.asarray(value).tolist()
        if isinstance(item, h5py.Dataset):
            found[name] = (item.dtype.str, item.shape, item[()].tobytes())

    with h5py.File(path) as file:
        add("VTKHDF", file["VTKHDF"])
        file["VTKHDF"].visititems(add)
    return found


def open_file(path):
    reader = vtkHDFReader()
    reader.SetFileName(path)
    reader.UpdateInformation()
    return reader


def frame(reader, k):
    """Points and cell arrays of a frame."""
    reader.SetStep(k)
    reader.Update()
    data = reader.GetOutput()
    arrays = data.GetCellData()
    found = {arrays.GetArrayName(i): vtk_to_numpy(arrays.GetArray(i)).tobytes()
             for i in range(arrays.GetNumberOfArrays())}
    points = data.GetPoints()
    found["points"] = vtk_to_numpy(points.GetData()).tobytes() if points else b""
    return found


def check(one, two):
    """Ends with an AssertionError where they differ. Returns frames, and bytes of their points, each twice."""
    a, b = contents(one), contents(two)
    assert a.keys() == b.keys(), sorted(a.keys() ^ b.keys())
    for name in a:
        assert a[name] == b[name], f"{name} differs"
    whole, other = open_file(one), open_file(two)
    frames, rows = whole.GetNumberOfSteps(), 0
    assert other.GetNumberOfSteps() == frames, other.GetNumberOfSteps()
    for k in [*range(frames), *reversed(range(frames))]:
        x, y = frame(whole, k), frame(other, k)
        assert x == y, f"frame {k} differs in VTK"
        rows += len(x["points"])
    assert rows > 10000, "hardly a contact: that shows nothing"
    print(f"{len(a)} datasets and attributes, {frames} frames: the same in h5py and VTK")
    return frames, rows


if __name__ == "__main__":
    check(sys.argv[1], sys.argv[2])
