"""Cells of all kinds that are read, written by VTK's legacy writers in versions 4.2 and 5.1: the batch
that impinge convert makes of them has the same points and cells as VTK's own reader sees, and attributes
do not disturb it. legacy.py IMPINGE, in an empty folder."""
import subprocess
import sys

import h5py
import numpy as np
from vtkmodules.util.numpy_support import numpy_to_vtk, vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkPoints, vtkStringArray
from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPolyData, vtkUnstructuredGrid
from vtkmodules.vtkFiltersCore import vtkTriangleFilter
from vtkmodules.vtkIOLegacy import vtkPolyDataWriter, vtkUnstructuredGridWriter

IMPINGE = sys.argv[1]
TRIANGLE, STRIP, QUAD, TETRAHEDRON = 5, 6, 9, 10
failed = 0


def expect(ok, text):
    global failed
    if not ok:
        print("FAILED:", text)
        failed += 1


def attributes(data):
    """Whatever else a file may hold, names with blanks and the word POINTS among it."""
    rng = np.random.default_rng(5)
    for of, n in ((data.GetPointData(), data.GetNumberOfPoints()), (data.GetCellData(), data.GetNumberOfCells())):
        for name, shape in (("a name", (n,)), ("POINTS", (n, 3))):
            array = numpy_to_vtk(rng.random(shape), deep=True)
            array.SetName(name)
            of.AddArray(array)
    words = vtkStringArray()
    words.SetName("CELLS")
    for word in ("POINTS 3 double", "", "CELLS 1 1"):
        words.InsertNextValue(word)
    data.GetFieldData().AddArray(words)
    time = numpy_to_vtk(np.array([0.25]), deep=True)
    time.SetName("TIME")
    time.SetComponentName(0, "one")
    data.GetFieldData().AddArray(time)


def points(n, dtype):
    p = vtkPoints()
    p.SetData(numpy_to_vtk(np.random.default_rng(3).random((n, 3)).astype(dtype), deep=True))
    return p


def grid(dtype, with_others):
    """Triangles and tetrahedra in any order; with vertices and lines between, if so."""
    rng = np.random.default_rng(4)
    data = vtkUnstructuredGrid()
    data.SetPoints(points(50, dtype))
    for i in range(200):
        kind = [TRIANGLE, TETRAHEDRON][int(rng.integers(2))]
        ids = [int(k) for k in rng.permutation(50)[: 3 if kind == TRIANGLE else 4]]
        data.InsertNextCell(kind, len(ids), ids)
        if with_others and i % 10 == 0:
            data.InsertNextCell(1 + 2 * (i % 20 == 0), 1 + (i % 20 == 0), ids[: 1 + (i % 20 == 0)])
    attributes(data)
    return data


def cells_of(array):
    ends = vtk_to_numpy(array.GetOffsetsArray())
    ids = vtk_to_numpy(array.GetConnectivityArray())
    return [tuple(int(k) for k in ids[a:b]) for a, b in zip(ends[:-1], ends[1:])]


def poly(dtype):
    """Triangles, and strips, which VTK can take apart itself."""
    rng = np.random.default_rng(6)
    data = vtkPolyData()
    data.SetPoints(points(40, dtype))
    verts, lines, polys, strips = (vtkCellArray() for _ in range(4))
    for cells, n, count in ((verts, 2, 3), (lines, 3, 5), (polys, 3, 30), (strips, 6, 7)):
        for _ in range(count):
            cells.InsertNextCell(n, [int(k) for k in rng.permutation(40)[:n]])
    data.SetVerts(verts)
    data.SetLines(lines)
    data.SetPolys(polys)
    data.SetStrips(strips)
    attributes(data)
    return data


def write(writer, data, name, version):
    writer.SetFileName(name)
    writer.SetFileTypeToASCII()
    writer.SetFileVersion(version)
    writer.SetInputData(data)
    assert writer.Write() == 1


def convert(name):
    run = subprocess.run([IMPINGE, "convert", name, "-o", "b.vtkhdf", "--force"],
                         capture_output=True, text=True)
    expect(run.returncode == 0, f"{name}: {run.stderr}")
    return h5py.File("b.vtkhdf")["VTKHDF"], run.stderr


def batch_cells(group):
    ends, ids = group["Offsets"][:], group["Connectivity"][:]
    return [tuple(int(k) for k in ids[a:b]) for a, b in zip(ends[:-1], ends[1:])]


def same_points(batch, data, what):
    # what is written is decimal: as many digits as a writer thinks right
    here, there = batch["Points"][:], vtk_to_numpy(data.GetPoints().GetData())
    expect(here.shape == there.shape and np.allclose(here, there, rtol=1e-6, atol=1e-6), f"{what}: points")


for version in (42, 51):
    for dtype in (np.float32, np.float64):
        for others in (False, True):
            data = grid(dtype, others)
            write(vtkUnstructuredGridWriter(), data, "g.vtk", version)
            batch, told = convert("g.vtk")
            what = f"grid, version {version}, {dtype.__name__}, {others}"
            types = [data.GetCellType(i) for i in range(data.GetNumberOfCells())]
            solid = [c for c, t in zip(cells_of(data.GetCells()), types) if t in (TRIANGLE, TETRAHEDRON)]
            expect(batch.attrs["Type"] == b"UnstructuredGrid", f"{what}: type")
            expect(list(batch["Types"]) == [t for t in types if t in (TRIANGLE, TETRAHEDRON)], f"{what}: types")
            expect(batch_cells(batch) == solid, f"{what}: cells")
            expect(("such in this file" in told) == others, f"{what}: {told}")
            same_points(batch, data, what)
        data = poly(dtype)
        write(vtkPolyDataWriter(), data, "p.vtk", version)
        batch, told = convert("p.vtk")
        what = f"polydata, version {version}, {dtype.__name__}"
        triangles = vtkTriangleFilter()
        triangles.SetInputData(data)
        triangles.PassVertsOff()
        triangles.PassLinesOff()
        triangles.Update()
        # a strip's triangles may begin with another corner
        turned = lambda cells: sorted(min(c[i:] + c[:i] for i in range(3)) for c in cells)
        expect(batch.attrs["Type"] == b"PolyData", f"{what}: type")
        expect(turned(batch_cells(batch["Polygons"])) == turned(cells_of(triangles.GetOutput().GetPolys())),
               f"{what}: cells")
        expect("; 8 such in this file" in told, f"{what}: {told}")
        same_points(batch, data, what)

writer = vtkUnstructuredGridWriter()
writer.SetFileTypeToBinary()
writer.SetFileName("binary.vtk")
writer.SetInputData(grid(np.float64, False))
writer.Write()
run = subprocess.run([IMPINGE, "convert", "binary.vtk", "-o", "c.vtkhdf"], capture_output=True, text=True)
expect(run.returncode == 3 and "BINARY" in run.stderr, f"binary: {run.returncode} {run.stderr}")
sys.exit(1 if failed else 0)
