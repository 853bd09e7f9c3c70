"""The join of shards as VTK's own reader shows it: all frames, forth and back, are those of a single run.
shards.py IMPINGE, in an empty folder."""
import subprocess
import sys

import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOHDF import vtkHDFReader

IMPINGE, SHARDS = sys.argv[1], 5


def impinge(*words):
    subprocess.run([IMPINGE, *words, "-q"], check=True)


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
    found = {arrays.GetArrayName(i): vtk_to_numpy(arrays.GetArray(i)).copy()
             for i in range(arrays.GetNumberOfArrays())}
    points = data.GetPoints()
    found["points"] = vtk_to_numpy(points.GetData()).copy() if points else np.zeros((0, 3))
    return found


impinge("generate", "cloth-ball", "-o", "in.vtkhdf", "-n", "3000", "--frames", "23")
impinge("run", "in.vtkhdf", "-o", "whole.vtkhdf")
for i in range(SHARDS):
    impinge("run", "in.vtkhdf", "-o", f"shard{i}.vtkhdf", "--shard", f"{i}/{SHARDS}")
shards = [f"shard{i}.vtkhdf" for i in range(SHARDS)]
impinge("merge", "join.vtkhdf", *shards)
impinge("merge", "copy.vtkhdf", *shards, "--copy")
whole = open_file("whole.vtkhdf")
frames = whole.GetNumberOfSteps()
contacts = 0
for name in ("join.vtkhdf", "copy.vtkhdf"):
    other = open_file(name)
    assert other.GetNumberOfSteps() == frames == 23, (name, other.GetNumberOfSteps())
    for k in [*range(frames), *reversed(range(frames))]:
        a, b = frame(whole, k), frame(other, k)
        assert a.keys() == b.keys(), (name, k, a.keys(), b.keys())
        for key in a:
            assert np.array_equal(a[key], b[key]), f"{name}: {key} of frame {k}"
        contacts += len(a["points"])
assert contacts > 1000, contacts
print(f"{frames} frames of {SHARDS} shards, the same in VTK")
