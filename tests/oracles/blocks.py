"""Files of several blocks, and cells of all kinds that are read, written by VTK's own writer: the batch
that impinge convert makes of them has the points, triangles, objects, cell arrays and times that VTK's reader
sees, and says of which of VTK's cells each triangle is.
blocks.py IMPINGE, in an empty folder."""
import subprocess
import sys

import h5py
import numpy as np
from vtkmodules.util.numpy_support import numpy_to_vtk, vtk_to_numpy
from vtkmodules.util.vtkAlgorithm import VTKPythonAlgorithmBase
from vtkmodules.vtkCommonCore import vtkPoints
from vtkmodules.vtkCommonDataModel import (vtkCellArray, vtkCompositeDataSet, vtkDataAssembly, vtkMultiBlockDataSet,
                                           vtkPartitionedDataSetCollection, vtkPolyData, vtkUnstructuredGrid)
from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline
from vtkmodules.vtkFiltersCore import vtkTriangleFilter
from vtkmodules.vtkIOHDF import vtkHDFReader, vtkHDFWriter

from checks import expect, status

IMPINGE = sys.argv[1]
TRIANGLE, STRIP, POLYGON, PIXEL, QUAD, TETRAHEDRON = 5, 6, 7, 8, 9, 10
NAME = vtkCompositeDataSet.NAME


# ---- meshes of cells that cannot be cut in two ways: flat polygons in convex position would be

def points(n, dtype, shift):
    p = vtkPoints()
    p.SetData(numpy_to_vtk((np.random.default_rng(3).random((n, 3)) + shift).astype(dtype), deep=True))
    return p


def insert(cells, rng, n, count):
    for _ in range(count):
        cells.InsertNextCell(n, [int(k) for k in rng.permutation(40)[:n]])


def objects(data, rng):
    """And one more array of integers, whose values are all different."""
    for name, values in (
        ("ObjectId", rng.integers(-3, 9, data.GetNumberOfCells()).astype(np.int32)),
        ("Label", rng.permutation(data.GetNumberOfCells()).astype(np.uint16) + 65000),
    ):
        array = numpy_to_vtk(values, deep=True)
        array.SetName(name)
        data.GetCellData().AddArray(array)
    for of, count, name in (
        (data.GetCellData(), data.GetNumberOfCells(), "Heat"),
        (data.GetPointData(), data.GetNumberOfPoints(), "Weight"),
    ):
        array = numpy_to_vtk(rng.random(count), deep=True)
        array.SetName(name)
        of.AddArray(array)
    return data


def poly(dtype, shift=0.0, seed=6):
    """Points, lines, triangles and strips."""
    rng = np.random.default_rng(seed)
    data = vtkPolyData()
    data.SetPoints(points(40, dtype, shift))
    kinds = [vtkCellArray() for _ in range(4)]
    for cells, n, count in zip(kinds, (2, 3, 3, 6), (3, 5, 30, 7)):
        insert(cells, rng, n, count)
    data.SetVerts(kinds[0])
    data.SetLines(kinds[1])
    data.SetPolys(kinds[2])
    data.SetStrips(kinds[3])
    return objects(data, rng)


def grid(dtype, shift=0.0, seed=4):
    """Triangles, strips and tetrahedra in any order, with points and lines between."""
    rng = np.random.default_rng(seed)
    data = vtkUnstructuredGrid()
    data.SetPoints(points(40, dtype, shift))
    for _ in range(100):
        kind, n = [(1, 1), (3, 2), (TRIANGLE, 3), (TETRAHEDRON, 4), (STRIP, 5)][int(rng.integers(5))]
        data.InsertNextCell(kind, n, [int(k) for k in rng.permutation(40)[:n]])
    return objects(data, rng)


# ---- what a batch must have

def primitives(data):
    """[(corners, number of its cell)] of a block, by VTK's own cells."""
    made = []
    for i in range(data.GetNumberOfCells()):
        cell = data.GetCell(i)
        ids = [cell.GetPointId(k) for k in range(cell.GetNumberOfPoints())]
        if cell.GetCellType() == STRIP:
            made += [([ids[k], ids[k + 1], ids[k + 2]][:: 1 if k % 2 == 0 else -1], i) for k in range(len(ids) - 2)]
        elif cell.GetCellType() in (TRIANGLE, TETRAHEDRON):
            made.append((ids, i))
    return made


def turned(ids):
    """A strip's triangles may begin with another corner; their orientation counts."""
    at = ids.index(min(ids)) if len(ids) == 3 else 0
    return tuple(ids[at:] + ids[:at])


def expected(blocks):
    """Points, [corners] and the cell of each primitive of blocks, one after another."""
    xyz, cells, of, before = [], [], [], 0
    for data in blocks:
        for ids, i in primitives(data):
            cells.append(turned([before + k for k in ids]))
            of.append((data, i))
        xyz.append(vtk_to_numpy(data.GetPoints().GetData()).astype(np.float64))
        before += len(xyz[-1])
    return np.concatenate(xyz), cells, of


def cell_array(root, k, name, cells):
    first = int(root["Steps/CellDataOffsets"][name][k])
    return list(root["CellData"][name][first : first + cells])


def batch_frame(root, k):
    """Points and [corners] of a frame of a batch with one part a frame."""
    steps = root["Steps"]
    group = root["Polygons"] if "Polygons" in root else root
    part, column = int(steps["PartOffsets"][k]), 2 if group is not root else 0
    first = lambda name: int(np.atleast_1d(steps[name][k])[min(column, np.size(steps[name][k]) - 1)])
    point, cell, start = int(steps["PointOffsets"][k]), first("CellOffsets"), first("ConnectivityIdOffsets")
    cells, ids = int(group["NumberOfCells"][part]), int(group["NumberOfConnectivityIds"][part])
    rows = int(root["NumberOfPoints"][part])
    ends, corner = group["Offsets"][cell + part : cell + part + cells + 1], group["Connectivity"][start : start + ids]
    found = [turned([int(c) for c in corner[a:b]]) for a, b in zip(ends[:-1], ends[1:])]
    return root["Points"][point : point + rows], found


def convert(name, *options):
    run = subprocess.run([IMPINGE, "convert", name, "-o", "b.vtkhdf", "--force", *options],
                         capture_output=True, text=True)
    expect(run.returncode == 0, f"{name}: {run.stderr}")
    return h5py.File("b.vtkhdf"), run.stderr


def check_frame(what, root, k, blocks, objects_of, numbers={}):
    """numbers: of the first cell of blocks that are parts of one."""
    here, found = batch_frame(root, k)
    xyz, cells, of = expected(blocks)
    expect(np.array_equal(here, xyz), f"{what}: points of frame {k}")
    expect(found == cells, f"{what}: cells of frame {k}")
    for name, value in (
        ("ObjectId", objects_of),
        ("Label", lambda data, i: int(data.GetCellData().GetArray("Label").GetValue(i))),
        ("SourceId", lambda data, i: numbers.get(id(data), 0) + i),
    ):
        have = cell_array(root, k, name, len(cells))
        expect(have == [value(data, i) for data, i in of], f"{what}: {name} of frame {k}")


def by_array(data, i):
    return int(data.GetCellData().GetArray("ObjectId").GetValue(i))


def names_of(file):
    return [n.decode() for n in file["impinge/object_names"][:]]


def write(name, data=None, port=None):
    writer = vtkHDFWriter()
    writer.SetFileName(name)
    if port:
        writer.SetInputConnection(port)
        writer.SetWriteAllTimeSteps(True)
    else:
        writer.SetInputData(data)
    writer.Write()
    return name


def named(blocks):
    """A MultiBlockDataSet of (name, data), None for no data, a list for a tree."""
    made = vtkMultiBlockDataSet()
    for i, (name, data) in enumerate(blocks):
        made.SetBlock(i, named(data) if isinstance(data, list) else data)
        made.GetMetaData(i).Set(NAME(), name)
    return made


class Series(VTKPythonAlgorithmBase):
    """Steps that `make(time)` gives."""

    def __init__(self, kind, times, make):
        super().__init__(nInputPorts=0, nOutputPorts=1, outputType=kind)
        self.times, self.make = times, make

    def RequestInformation(self, request, inputs, outputs):
        info = outputs.GetInformationObject(0)
        info.Set(vtkStreamingDemandDrivenPipeline.TIME_STEPS(), self.times, len(self.times))
        info.Set(vtkStreamingDemandDrivenPipeline.TIME_RANGE(), [self.times[0], self.times[-1]], 2)
        return 1

    def RequestData(self, request, inputs, outputs):
        time = outputs.GetInformationObject(0).Get(vtkStreamingDemandDrivenPipeline.UPDATE_TIME_STEP())
        outputs.GetInformationObject(0).Get(vtkMultiBlockDataSet.DATA_OBJECT()).ShallowCopy(self.make(time or 0.0))
        return 1


# ---- one block

for dtype in (np.float32, np.float64):
    for make, name in ((poly, "polydata"), (grid, "grid")):
        what = f"{name}, {dtype.__name__}"
        data = make(dtype)
        file, said = convert(write("one.vtkhdf", data))
        check_frame(what, file["VTKHDF"], 0, [data], by_array)
        expect(file["VTKHDF/Points"].dtype == dtype, f"{what}: type of points")
        others = sum(data.GetCellType(i) in (1, 2, 3, 4) for i in range(data.GetNumberOfCells()))
        expect(f"; {others} such in this file" in said, f"{what}: {said}")
        lost = "2 arrays are not kept: CellData/Heat, PointData/Weight; "
        expect(lost in said, f"{what}: {said}")

# ---- steps of one block; topology is new in each

times = [0.0, 0.5, 2.0]
for make, kind in ((poly, "vtkPolyData"), (grid, "vtkUnstructuredGrid")):
    step = lambda time, make=make: make(np.float64, time, int(10 * time))
    source = Series(kind, times, step)
    file, _ = convert(write("steps.vtkhdf", port=source.GetOutputPort()), "-q")
    expect(list(file["VTKHDF/Steps/Values"]) == times, f"steps of {kind}: times")
    for k, time in enumerate(times):
        check_frame(f"steps of {kind}", file["VTKHDF"], k, [step(time)], by_array)

# ---- trees and collections

left, inner, box = poly(np.float64), poly(np.float32, 5, 7), grid(np.float32, 9)
tree = named([("z left", left), ("sub", [("z left", inner), ("box", box)]), ("none", None)])
file, _ = convert(write("tree.vtkhdf", tree), "-q")
expect(names_of(file) == ["z left", "sub/z left", "sub/box"], f"tree: {names_of(file)}")
numbers = {id(left): 0, id(inner): 1, id(box): 2}
check_frame("tree", file["VTKHDF"], 0, [left, inner, box], lambda data, i: numbers[id(data)])
expect(file["VTKHDF/Points"].dtype == np.float64, "tree: the type of the most precise block")

collection = vtkPartitionedDataSetCollection()
for i, (data, name) in enumerate(((inner, "skin"), (box, "flesh"))):
    collection.SetPartition(i, 0, data)
    collection.GetMetaData(i).Set(NAME(), name)
more = poly(np.float32, 2, 8)  # VTK writes the parts of a block in the type of the first
collection.SetPartition(0, 1, more)
assembly = vtkDataAssembly()
assembly.Initialize()
assembly.AddDataSetIndex(assembly.AddNode("body"), 1)
collection.SetDataAssembly(assembly)
file, _ = convert(write("collection.vtkhdf", collection), "-q")
expect(names_of(file) == ["skin", "flesh"], f"collection: {names_of(file)}")
numbers = {id(inner): 0, id(more): 0, id(box): 1}
check_frame("collection", file["VTKHDF"], 0, [inner, more, box], lambda data, i: numbers[id(data)],
            {id(more): inner.GetNumberOfCells()})

# ---- a tree in time, and with a block that is the same in all steps

moving = lambda time: poly(np.float64, time, 3)
source = Series("vtkMultiBlockDataSet", times, lambda time: named([("cloth", moving(time)), ("box", box)]))
write("moving.vtkhdf", port=source.GetOutputPort())
for still in (False, True):
    if still:
        with h5py.File("moving.vtkhdf", "a") as opened:
            block = opened.get("VTKHDF/Assembly/box", getlink=True).path
            fresh = h5py.File(write("box.vtkhdf", box))
            del opened[block]
            fresh.copy("VTKHDF", opened["VTKHDF"], name=block.split("/")[-1])
    file, _ = convert("moving.vtkhdf", "-q")
    what = f"a tree in time, {still}"
    expect(list(file["VTKHDF/Steps/Values"]) == times, f"{what}: times")
    for k, time in enumerate(times):
        cloth = moving(time)
        check_frame(what, file["VTKHDF"], k, [cloth, box], lambda data, i: int(data is box))

# ---- what run and VTK see of it

reader = vtkHDFReader()
reader.SetFileName("b.vtkhdf")
reader.UpdateInformation()
expect(reader.GetNumberOfSteps() == len(times), "VTK sees the steps")
run = subprocess.run([IMPINGE, "run", "b.vtkhdf", "-o", "out.vtkhdf", "-q"], capture_output=True, text=True)
expect(run.returncode == 0, f"run: {run.stderr}")


def refused(name, *words):
    """One line that names the file and the reason."""
    run = subprocess.run([IMPINGE, "convert", name, "-o", "c.vtkhdf"], capture_output=True, text=True)
    good = run.returncode == 3 and run.stderr.count("\n") == 1 and all(w in run.stderr for w in (name, *words))
    expect(good, f"{name}: {run.returncode} {run.stderr}")


run = subprocess.run([IMPINGE, "run", "tree.vtkhdf", "-o", "c.vtkhdf"], capture_output=True, text=True)
expect(run.returncode == 3 and "impinge convert" in run.stderr, f"run on a tree: {run.stderr}")
with h5py.File("tree.vtkhdf", "a") as opened:
    opened["VTKHDF/Assembly/loop"] = opened["VTKHDF/Assembly"]
refused("tree.vtkhdf", "/VTKHDF/Assembly", "is not a tree")
with h5py.File("tree.vtkhdf", "a") as opened:
    del opened["VTKHDF/Assembly/loop"]
    opened["VTKHDF/Assembly/lost"] = h5py.SoftLink("/VTKHDF/nowhere")
refused("tree.vtkhdf", "/VTKHDF/Assembly/lost", "a link to /VTKHDF/nowhere")
with h5py.File("moving.vtkhdf", "a") as opened:
    steps = opened["VTKHDF/Assembly/cloth/Steps"]
    opened["VTKHDF/Assembly/twin"] = h5py.SoftLink("/VTKHDF/twin")
    opened.copy("VTKHDF/Assembly/cloth", "VTKHDF/twin", expand_soft=True)
    opened["VTKHDF/twin/Steps/Values"][1] = 0.75
refused("moving.vtkhdf", "step 1 has the time 0.75")
empty = named([("none", None)])
refused(write("empty.vtkhdf", empty), "no block with data")


# ---- points that blocks and parts share by their numbers

def piece(at, cells, numbers, name="GlobalPointIds"):
    data = vtkPolyData()
    p = vtkPoints()
    p.SetData(numpy_to_vtk(np.array(at, float), deep=True))
    data.SetPoints(p)
    polygons = vtkCellArray()
    for cell in cells:
        polygons.InsertNextCell(len(cell), cell)
    data.SetPolys(polygons)
    array = numpy_to_vtk(np.array(numbers, np.int64), deep=True)
    array.SetName(name)
    data.GetPointData().AddArray(array)
    return data


def sheet(time):
    """Two halves of a square, whose third block has the numbers of the first at other places."""
    z = [time, 0, time * 2, 0]
    corners = [[0, 0, z[0]], [1, 0, z[1]], [1, 1, z[2]], [0, 1, z[3]]]
    first = piece([corners[k] for k in (0, 1, 2)], [(0, 1, 2)], [7, 5, 9])
    second = piece([corners[k] for k in (3, 0, 2)], [(0, 1, 2)], [6, 7, 9], "GlobalNodeIds")
    return first, second, piece([[5, 5, k] for k in range(3)] + [corners[0]], [(0, 1, 2), (3, 1, 0)], [7, 5, 9, 7])


def check_shared(what, name, frames, cells, contacts):
    file, said = convert(name)
    for k, time in enumerate(frames):
        points, found = batch_frame(file["VTKHDF"], k)
        shown = [[tuple(points[c]) for c in cell] for cell in found]
        want = [[tuple(p) for p in cell] for cell in cells(time)]
        expect([set(c) for c in shown] == [set(c) for c in want], f"{what}: cells of frame {k}: {shown}")
    run = subprocess.run([IMPINGE, "run", "b.vtkhdf", "-o", "out.vtkhdf", "--force"], capture_output=True, text=True)
    expect(f"\n{contacts} contacts" in run.stdout, f"{what}: {run.stdout} {run.stderr}")
    return file, said


def cells_of(time, count):
    blocks = sheet(time)[:count]
    return [[b.GetPoint(b.GetCell(i).GetPointId(k)) for k in range(3)] for b in blocks for i in range(b.GetNumberOfCells())]


for count, vertices, apart in ((2, 4, 0), (3, 7, 3)):
    tree = named([(f"b{i}", data) for i, data in enumerate(sheet(0.5)[:count])])
    file, said = check_shared(f"{count} blocks", write("nodes.vtkhdf", tree), [0.5], lambda t: cells_of(t, count), 0)
    expect(len(file["VTKHDF/Points"]) == vertices, f"{count} blocks: {len(file['VTKHDF/Points'])} points")
    expect(("it has the number (GlobalPointIds) of another point at another place" in said) == (apart > 0), said)
source = Series("vtkMultiBlockDataSet", times, lambda time: named([(f"b{i}", d) for i, d in enumerate(sheet(time)[:2])]))
file, _ = check_shared("blocks in time", write("nodes.vtkhdf", port=source.GetOutputPort()), times,
                       lambda t: cells_of(t, 2), 0)
expect(len(file["VTKHDF/Points"]) == 4 * len(times), "blocks in time: points")

parts = vtkPartitionedDataSetCollection()
for i, data in enumerate(sheet(0.5)[:2]):
    if i:  # parts have the same arrays
        data.GetPointData().GetArray(0).SetName("GlobalPointIds")
    parts.SetPartition(0, i, data)
parts.GetMetaData(0).Set(NAME(), "sheet")
check_shared("parts", write("parts.vtkhdf", parts), [0.5], lambda t: cells_of(t, 2), 0)
with h5py.File("parts.vtkhdf", "a") as opened:
    opened["VTKHDF/sheet/PointData/GlobalPointIds"].resize(5, 0)
refused("parts.vtkhdf", "GlobalPointIds: has 5 rows, frame 0 needs 6 from 0 on")

# run reads parts one after another: it says that it does not join them
with h5py.File("parts.vtkhdf", "r") as opened, h5py.File("flat.vtkhdf", "w") as flat:
    opened.copy("VTKHDF/sheet", flat, name="VTKHDF")
    del flat["VTKHDF/PointData/GlobalPointIds"]
    flat["VTKHDF/PointData/GlobalPointIds"] = np.array([7, 5, 9, 6, 7, 9])
run = subprocess.run([IMPINGE, "run", "flat.vtkhdf", "-o", "out.vtkhdf", "--force"], capture_output=True, text=True)
expect("/VTKHDF/PointData/GlobalPointIds: parts that have the same points are read as if" in run.stderr, run.stderr)
expect("1 contact" in run.stdout, run.stdout)
check_shared("parts of one block", "flat.vtkhdf", [0.5], lambda t: cells_of(t, 2), 0)

# the stitches of a strip are no triangles: this one's would reach from x = 1 to x = 10, through the last triangle
strip, cells, lone = vtkPolyData(), vtkCellArray(), vtkCellArray()
at = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0), (10, 1, 0), (11, 1, 0), (10, 2, 0), (5, .5, -1), (5, 1.5, -1), (5, 1, 1)]
where = vtkPoints()
for x in at:
    where.InsertNextPoint(x)
for into, ids in ((cells, (0, 1, 2, 3, 3, 4, 4, 5, 6)), (lone, (7, 8, 9))):
    into.InsertNextCell(len(ids))
    for i in ids:
        into.InsertCellPoint(i)
strip.SetPoints(where)
strip.SetStrips(cells)
strip.SetPolys(lone)
file, _ = convert(write("strip.vtkhdf", strip))
_, found = batch_frame(file["VTKHDF"], 0)
expect(sorted(found) == sorted(map(turned, ([7, 8, 9], [0, 1, 2], [2, 1, 3], [4, 5, 6]))), f"stitches: {found}")
run = subprocess.run([IMPINGE, "run", "b.vtkhdf", "-o", "out.vtkhdf", "--force"], capture_output=True, text=True)
expect("\n0 contacts" in run.stdout, f"stitches: {run.stdout} {run.stderr}")
sys.exit(status())
