"""The file of `run --counts` in vtkHDFReader: points and cells of each step are those of the frame in the
input, as the same reader shows them, and Contacts are those that numpy counts in the rows of the result.
counts.py IMPINGE SHARED, in an empty folder."""
import os
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonDataModel import vtkPolyData
from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline as pipeline
from vtkmodules.vtkIOHDF import vtkHDFReader

from checks import expect, status

IMPINGE, DATA = sys.argv[1], Path(sys.argv[2]) / "data"
checked = 0


def impinge(*arguments):
    done = subprocess.run([IMPINGE, *map(str, arguments)], capture_output=True, text=True, timeout=300)
    expect(done.returncode == 0, f"{arguments}: exit {done.returncode}: {done.stderr}")


def reader_of(path):
    reader = vtkHDFReader()
    reader.SetFileName(str(path))
    reader.UpdateInformation()
    info = reader.GetOutputInformation(0)
    times = [info.Get(pipeline.TIME_STEPS(), i) for i in range(info.Length(pipeline.TIME_STEPS()))] \
        if info.Has(pipeline.TIME_STEPS()) else [0.0]
    return reader, times


def parts(reader, step):
    """Of each part of a step: points, corners of cells, cell arrays."""
    reader.SetStep(step)
    reader.Update()
    data = reader.GetOutputDataObject(0)
    if data.IsA("vtkPartitionedDataSet"):
        data = [data.GetPartition(i) for i in range(data.GetNumberOfPartitions())]
    else:
        data = [data]
    for d in data:
        cells = d.GetPolys() if isinstance(d, vtkPolyData) else d.GetCells()
        arrays = d.GetCellData()
        yield (vtk_to_numpy(d.GetPoints().GetData()).tobytes() if d.GetNumberOfPoints() else b"",
               vtk_to_numpy(cells.GetConnectivityArray()).tobytes() if d.GetNumberOfCells() else b"",
               {arrays.GetArrayName(i): vtk_to_numpy(arrays.GetArray(i)).copy()
                for i in range(arrays.GetNumberOfArrays())})


def check(about, source, *options, counts="counts.vtkhdf"):
    global checked
    source = Path(source)
    impinge("run", source, "-o", "out.vtkhdf", "--counts", counts, "--force", "-q", "--device", "cpu", *options)
    with h5py.File("out.vtkhdf") as f:
        frames, rows = f["impinge/input_frame"][:], f["impinge/contacts"][:]
        a, b = (f["VTKHDF/CellData/Primitive" + x][:] for x in "AB")
        values = f["VTKHDF/Steps/Values"][:]
    have, times = reader_of(counts)
    want, _ = reader_of(source)
    expect(len(times) == len(frames) and np.array_equal(times, values), f"{about}: steps {times}")
    first = 0
    for k, frame in enumerate(frames):
        this, of_input = list(parts(have, k)), list(parts(want, int(frame)))
        expect(len(this) == len(of_input), f"{about}, {k}: {len(this)} parts")
        expect([p[:2] for p in this] == [p[:2] for p in of_input], f"{about}, {k}: other points or cells")
        for mine, given in zip(this, of_input):
            for name in set(mine[2]) - {"Contacts"}:
                expect(np.array_equal(mine[2][name], given[2][name]), f"{about}, {k}: {name} differs")
        contacts = np.concatenate([p[2].get("Contacts", np.zeros(0, int)) for p in this])
        pairs = np.concatenate([x[first:first + rows[k]] for x in (a, b)])
        first += rows[k]
        expect(np.array_equal(contacts, np.bincount(pairs, minlength=len(contacts))), f"{about}, {k}: counts")
        expect(contacts.sum() == 2 * rows[k], f"{about}, {k}: sum {contacts.sum()} of {rows[k]} contacts")
        checked += int(rows[k] > 0)


os.mkdir("below")
SCENES = [("cloth-ball", "3000", "30"), ("spheres", "1600", "4"), ("missile", "1500", "6"), ("soup", "300", "1")]
for scene, primitives, count in SCENES:
    impinge("generate", scene, "-n", primitives, "--frames", count, "-o", f"{scene}.vtkhdf", "-q")
for scene, begin in (("tissue-fold", "44"), ("scalpel", "60")):
    impinge("generate", scene, "-n", "1200", "--set", f"begin={begin}", "--frames", "5", "-o", f"{scene}.vtkhdf",
            "-q")
for scene in [s[0] for s in SCENES] + ["tissue-fold", "scalpel"]:
    check(scene, f"{scene}.vtkhdf")
    check(f"{scene} backwards", f"{scene}.vtkhdf", "--frames", "::-3", counts="below/counts.vtkhdf")
for scene in ("cloth-ball", "spheres", "tissue-fold"):
    check(f"{scene} in steps", f"{scene}.vtkhdf", "--continuous", "--frames", ":4")
for given in ("can-crush-surface", "can-crush-tets", "warping_spheres"):
    if (DATA / f"{given}.vtkhdf").exists():
        check(given, DATA / f"{given}.vtkhdf", "--frames", "::4")
expect(checked > 30, f"only {checked} frames with contacts")
print(f"{checked} frames with contacts")
sys.exit(status())
