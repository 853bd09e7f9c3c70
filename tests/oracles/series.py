"""A moving soup of triangles, written by vtkHDFWriter as a series of files (SetUseExternalTimeSteps):
impinge finds exactly the pairs that exact arithmetic finds, or it ends with 3 and names the file that
is missing or damaged. Never fewer frames or pairs. series.py IMPINGE, in an empty folder."""
import itertools
import os
import shutil
import subprocess
import sys
from fractions import Fraction

import h5py
import numpy as np
from vtkmodules.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray
from vtkmodules.util.vtkAlgorithm import VTKPythonAlgorithmBase
from vtkmodules.vtkCommonCore import vtkPoints
from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPartitionedDataSet, vtkPolyData
from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline as pipeline
from vtkmodules.vtkIOHDF import vtkHDFWriter

from checks import expect, status

IMPINGE = sys.argv[1]


# ---- frames: a list of parts, each an array (triangles, 3 corners, xyz)

def soup(seed, triangles):
    return np.random.default_rng(seed).integers(0, 1 << 10, (triangles, 3, 3)) / 1024.0


FRAMES = [[soup(1, 14)], [soup(2, 14)], [soup(3, 0)], [soup(4, 18)], [soup(5, 2)], [soup(6, 14)]]
PARTED = [[soup(10 + f, 9), soup(20 + f, 6 + f)] for f in range(4)]


def side(a, b, c, d):
    u, v, w = ([x - y for x, y in zip(p, a)] for p in (b, c, d))
    det = (u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0])
           + u[2] * (v[0] * w[1] - v[1] * w[0]))
    return (det > 0) - (det < 0)


def crosses(p, q, t):
    """Does the segment pq meet the triangle t? Nothing lies in one plane here, or this asserts."""
    ends = side(*t, p), side(*t, q)
    around = [side(p, q, t[i], t[(i + 1) % 3]) for i in range(3)]
    assert all(ends) and all(around)
    return ends[0] != ends[1] and around[0] == around[1] == around[2]


def truth(frames):
    """(frame, a, b) of all pairs that meet."""
    rows = []
    for f, parts in enumerate(frames):
        all_of = [[[Fraction(float(x)) for x in p] for p in t] for t in np.concatenate(parts)]
        for a, b in itertools.combinations(range(len(all_of)), 2):
            s, t = all_of[a], all_of[b]
            if any(crosses(x[i], x[(i + 1) % 3], y) for x, y in ((s, t), (t, s)) for i in range(3)):
                rows.append((f, a, b))
    return rows


# ---- VTK writes them

def part_data(triangles):
    n = len(triangles)
    data, points, cells = vtkPolyData(), vtkPoints(), vtkCellArray()
    points.SetDataTypeToDouble()
    points.SetData(numpy_to_vtk(triangles.reshape(-1, 3), deep=True))
    cells.SetData(numpy_to_vtkIdTypeArray(np.arange(0, 3 * n + 1, 3, dtype=np.int64), deep=True),
                  numpy_to_vtkIdTypeArray(np.arange(3 * n, dtype=np.int64), deep=True))
    data.SetPoints(points)
    data.SetPolys(cells)
    body = numpy_to_vtkIdTypeArray(np.arange(n, dtype=np.int64) % 2, deep=True)
    body.SetName("ObjectId")
    data.GetCellData().AddArray(body)
    return data


class Source(VTKPythonAlgorithmBase):
    def __init__(self, frames):
        self.frames, self.parted = frames, len(frames[0]) > 1
        kind = "vtkPartitionedDataSet" if self.parted else "vtkPolyData"
        super().__init__(nInputPorts=0, nOutputPorts=1, outputType=kind)

    def RequestInformation(self, request, inputs, outputs):
        times = [0.5 * f for f in range(len(self.frames))]
        info = outputs.GetInformationObject(0)
        info.Set(pipeline.TIME_STEPS(), times, len(times))
        info.Set(pipeline.TIME_RANGE(), [times[0], times[-1]], 2)
        return 1

    def RequestData(self, request, inputs, outputs):
        info = outputs.GetInformationObject(0)
        time = info.Get(pipeline.UPDATE_TIME_STEP()) if info.Has(pipeline.UPDATE_TIME_STEP()) else 0
        parts = [part_data(p) for p in self.frames[round((time or 0) / 0.5)]]
        if self.parted:
            out = vtkPartitionedDataSet.GetData(outputs)
            out.SetNumberOfPartitions(len(parts))
            for i, part in enumerate(parts):
                out.SetPartition(i, part)
        else:
            vtkPolyData.GetData(outputs).ShallowCopy(parts[0])
        return 1


def write(folder, frames, external, chunk):
    os.mkdir(folder)
    source, writer = Source(frames), vtkHDFWriter()
    writer.SetInputConnection(source.GetOutputPort())
    writer.SetFileName(f"{folder}/series.vtkhdf")
    writer.SetChunkSize(chunk)
    writer.SetWriteAllTimeSteps(True)
    writer.SetUseExternalTimeSteps(external)
    expect(writer.Write(), f"{folder}: VTK cannot write")
    return f"{folder}/series.vtkhdf"


# ---- impinge reads them

def impinge(*arguments):
    return subprocess.run([IMPINGE, *arguments], capture_output=True, text=True, timeout=120)


def pairs(path):
    """Rows as truth() gives them, and the number of frames; or None if the run failed."""
    done = impinge("run", path, "-o", "out.vtkhdf", "--force", "--device", "cpu")
    if done.returncode:
        expect(not os.path.exists("out.vtkhdf") and not os.path.exists("out.vtkhdf.part"),
               f"{path}: something is left")
        return done, None, 0
    with h5py.File("out.vtkhdf") as f:
        counts, data = f["impinge/contacts"][:], f["VTKHDF/CellData"]
        rows = list(zip(np.repeat(np.arange(len(counts)), counts).tolist(),
                        data["PrimitiveA"][:].tolist(), data["PrimitiveB"][:].tolist()))
    os.remove("out.vtkhdf")
    return done, rows, len(counts)


def check_complete(path, want, frames):
    done, rows, n = pairs(path)
    expect(rows is not None, f"{path}: {done.stderr}")
    expect(rows == want, f"{path}: {rows and len(rows)} pairs, not {len(want)}")
    expect(n == frames, f"{path}: {n} frames, not {frames}")


def check_damaged(path, name, what, want, frames):
    """Right, or exit 3 with the file named in one line."""
    done, rows, n = pairs(path)
    if rows is not None:
        expect(rows == want and n == frames, f"{what}: exit 0, {len(rows)} pairs in {n} frames")
        return 0
    lines = [line for line in done.stderr.splitlines() if "warning:" not in line]
    told = len(lines) == 1 and (name in lines[0] or "another size" in what)
    expect(done.returncode == 3 and told, f"{what}: exit {done.returncode}: {done.stderr}")
    info = impinge("info", path)
    expect(info.returncode == 3, f"{what}: info: exit {info.returncode}")
    return 1


def damages(file, other):
    """One after another, each done to the whole file; yields what it was."""
    size, keep = os.path.getsize(file), file + ".keep"
    shutil.copy(file, keep)
    os.remove(file)
    yield "removed"
    for length in sorted({0, 7, 8, 96, 1000, size // 4, size // 2, size * 3 // 4, size - 1}):
        shutil.copy(keep, file)
        os.truncate(file, length)
        yield f"cut to {length} of {size} bytes"
    with open(file, "w", encoding="ascii") as f:
        f.write("# vtk DataFile Version 3.0\n")
    yield "replaced by a text"
    shutil.copy(other, file)
    yield "replaced by a step of another size"
    for name in ("Points", "Polygons/Connectivity", "Polygons/NumberOfCells", "CellData/ObjectId"):
        shutil.copy(keep, file)
        with h5py.File(file, "a") as f:
            data = f["VTKHDF/" + name]
            data.resize(max(0, data.shape[0] - 1), axis=0)
        yield f"{name} one row short"
        shutil.copy(keep, file)
        with h5py.File(file, "a") as f:
            del f["VTKHDF/" + name]
        yield f"without {name}"
    os.replace(keep, file)


def check_series(folder, frames, chunk):
    want = truth(frames)
    expect(len(want) > len(frames), f"{folder}: too few pairs to tell")
    path = write(folder, frames, True, chunk)
    check_complete(path, want, len(frames))
    check_complete(write(folder + "_one", frames, False, chunk), want, len(frames))
    refused = tried = 0
    steps = [f"{folder}/series_{i}.vtkhdf" for i in range(len(frames))]
    sizes = [sum(len(p) for p in parts) for parts in frames]
    for i, step in enumerate(steps):
        if not sizes[i]:
            continue
        other = steps[next(k for k, n in enumerate(sizes) if n not in (0, sizes[i]))]
        for what in damages(step, other):
            tried += 1
            refused += check_damaged(path, os.path.basename(step), f"{step} {what}", want,
                                     len(frames))
    empty = sizes.index(0) if 0 in sizes else None
    if empty is not None:
        os.rename(steps[empty], "away")
        check_damaged(path, f"series_{empty}.vtkhdf", "an empty step removed", want, len(frames))
        os.rename("away", steps[empty])
    check_complete(path, want, len(frames))
    os.rename(folder, folder + "_moved")
    check_complete(f"{folder}_moved/series.vtkhdf", want, len(frames))
    expect(2 * refused > tried > 0, f"{folder}: only {refused} of {tried} damaged series are refused")
    print(f"{folder}: {len(want)} pairs in {len(frames)} frames; {refused} of {tried} refused")


check_series("small", FRAMES, 100)
check_series("usual", [FRAMES[1], FRAMES[3]], 25000)
check_series("parted", PARTED, 100)
sys.exit(status())
