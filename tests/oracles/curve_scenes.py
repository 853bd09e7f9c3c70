"""Small meshes that cut each other, the program that runs on them, and its files as VTK reads them: what the oracles of
contours and regions share. The first arguments of the process are IMPINGE and SHARED."""
import subprocess
import sys
from pathlib import Path

from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOHDF import vtkHDFReader

from checks import expect

IMPINGE, DATA = sys.argv[1], Path(sys.argv[2]) / "data"


def impinge(*arguments, code=0):
    done = subprocess.run([IMPINGE, *map(str, arguments)], capture_output=True, text=True, timeout=300)
    expect(done.returncode == code, f"{arguments}: exit {done.returncode}, not {code}: {done.stderr}")
    return done


def read(path, frame):
    reader = vtkHDFReader()
    reader.SetFileName(str(path))
    reader.UpdateInformation()
    if reader.GetNumberOfSteps() > 0:
        reader.SetStep(frame)
    reader.Update()
    return reader.GetOutputDataObject(0)


def cells(array):
    ends, ids = vtk_to_numpy(array.GetOffsetsArray()), vtk_to_numpy(array.GetConnectivityArray())
    return [ids[ends[i]:ends[i + 1]] for i in range(len(ends) - 1)]


# ---- meshes


def grid(n, size, at, height=lambda x, y: 0.0):
    """The vertices and faces of a sheet of n x n squares."""
    v = [(at[0] + size * i / n, at[1] + size * j / n, at[2] + height(i / n, j / n)) for i in range(n + 1) for j in range(n + 1)]
    f = []
    for i in range(n):
        for j in range(n):
            a, b, c, d = (i * (n + 1) + j, (i + 1) * (n + 1) + j, (i + 1) * (n + 1) + j + 1, i * (n + 1) + j + 1)
            f += [(a, b, c), (a, c, d)]
    return v, f


def box(lo, hi):
    v = [tuple((lo, hi)[i >> k & 1][k] for k in range(3)) for i in range(8)]
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    return v, [face for q in quads for face in ((q[0], q[1], q[2]), (q[0], q[2], q[3]))]


def prism(*corner):
    """The sides of a prism along z."""
    n = len(corner)
    v = [(x, y, z) for x, y in corner for z in (-1.0, 1.0)]
    return v, [f for i in range(n) for a, b in [(2 * i, 2 * ((i + 1) % n))] for f in ((a, b, b + 1), (a, b + 1, a + 1))]


def winged(mesh, *to):
    """With walls from the line of the first two vertices to points."""
    v, f = list(mesh[0]), list(mesh[1])
    for x, y in to:
        f += [(0, len(v), len(v) + 1), (0, len(v) + 1, 1)]
        v += [(x, y, -1.0), (x, y, 1.0)]
    return v, f


# ---- files


def obj(name, *parts):
    before = 1
    with open(name + ".obj", "w") as f:
        for k, (v, faces) in enumerate(parts):
            f.write(f"o part{k}\n")
            f.writelines("v %r %r %r\n" % x for x in v)
            f.writelines("f %d %d %d\n" % tuple(i + before for i in face) for face in faces)
            before += len(v)
    return name + ".obj"


def convert(name, *parts, options=()):
    impinge("convert", obj(name, *parts), *options, "-o", name + ".vtkhdf", "--force")
    return name + ".vtkhdf"
