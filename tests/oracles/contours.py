"""`run --contours` against curves that are found here by rational arithmetic (curves.py). The file is read by VTK.
contours.py IMPINGE SHARED, in an empty folder."""
import sys
from collections import Counter
from fractions import Fraction

import h5py
import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy

import curve_files
from checks import expect, status
from curve_scenes import DATA, box, cells, convert, grid, impinge, obj, prism, read, winged
from curves import curves, segments


def canonical(points, closed):
    """The same for either direction, and for any beginning of a loop."""
    points = [tuple(float(x) + 0.0 for x in p) for p in points]
    ways = (points, points[::-1])
    if closed:
        ways = [way[i:] + way[:i] for way in ways for i in range(len(way)) if way[i] == min(points)]
    return tuple(min(ways)), closed


# ---- comparison


def compare(batch, result, file, name, frames=None):
    """Returns the number of curves and points."""
    root = h5py.File(result)["impinge"]
    found = h5py.File(result)["VTKHDF/CellData"]
    first, total = 0, [0, 0]
    for k, count in enumerate(root["contacts"][:]):
        rows = slice(first, first + count)
        first += count
        mesh, lines = read(batch, int(root["input_frame"][k])), read(file, k)
        if frames and k not in frames:
            continue
        points = [tuple(map(Fraction, map(float, x))) for x in vtk_to_numpy(mesh.GetPoints().GetData())]
        triangles = [[points[v] for v in cell] for cell in cells(mesh.GetPolys())]
        pair = np.sort(np.stack([found["ObjectA"][rows], found["ObjectB"][rows]], 1), 1)
        pairs = zip(found["PrimitiveA"][rows], found["PrimitiveB"][rows], found["Kind"][rows], map(tuple, pair.tolist()))
        want = Counter((objects, canonical(*curve)) for objects, of in segments(triangles, pairs).items() for curve in curves(of))
        total[0] += sum(want.values())
        total[1] += sum(len(curve[1][0]) for curve in want.elements())
        expect(contours(lines) == want, f"{name}, frame {k}: {len(contours(lines))} contours, not {len(want)}, or others")
    return total


def contours(mesh):
    """As in `want`; the columns are checked."""
    data, out = mesh.GetCellData(), Counter()
    if not mesh.GetNumberOfCells():
        return out
    points = vtk_to_numpy(mesh.GetPoints().GetData())
    column = {name: vtk_to_numpy(data.GetArray(name)) for name in ("Contour", "Closed", "Length", "ObjectA", "ObjectB")}
    for i, cell in enumerate(cells(mesh.GetLines())):
        x = points[cell]
        closed = bool(column["Closed"][i])
        length = np.linalg.norm(np.diff(x, axis=0), axis=1).sum()
        expect(abs(column["Length"][i] - length) <= 1e-12 * length, f"length {column['Length'][i]}, not {length}")
        expect(column["Contour"][i] == i and (not closed or cell[0] == cell[-1]), f"contour {i}: {cell[0]} {cell[-1]}")
        out[(int(column["ObjectA"][i]), int(column["ObjectB"][i])), canonical(x[:len(x) - closed], closed)] += 1
    return out


def ran(batch, name, *options, frames=None):
    impinge("run", batch, "-o", "out.vtkhdf", "--contours", "contours.vtkhdf", "--force", "--device", "cpu", *options)
    return compare(batch, "out.vtkhdf", "contours.vtkhdf", name, frames)


def generated():
    flat = convert("flat", grid(4, 1.0, (0, 0, 0)), grid(3, 0.71, (0.13, 0.17, 0)))
    expect(ran(flat, "sheets that overlap in one plane")[0] == 1, "the border of the overlap is one curve")
    rests = convert("rests", box((0, 0, 0), (3, 3, 1)), box((1, 1, 1), (2, 2, 2)))
    expect(ran(rests, "a box on a slab")[0] == 1, "the foot of the box is one curve")
    same = convert("same", grid(4, 1.0, (0, 0, 0)), grid(4, 1.0, (0.25, 0.25, 0)))
    expect(ran(same, "sheets with common edges")[0] == 1, "the border of the overlap is one curve")
    wave = convert("wave", grid(12, 1.0, (0, 0, 0)), grid(9, 1.1, (-0.05, -0.07, -0.31), lambda x, y: 1.3 * x * y + 0.3 * x))
    expect(ran(wave, "a sheet through another one")[0] > 0, "no curve")
    cross_box = convert("through", grid(6, 2.0, (-0.5, -0.4, 0.37)), box((0, 0, 0), (1, 1, 1)))
    expect(ran(cross_box, "a box through a sheet")[0] == 1, "a loop around the box")
    sheet = grid(5, 4.0, (-1.93, -1.87, 0.11), lambda x, y: 0.1 * x + 0.07 * y)
    edge = ([(0.0, 0.0, -1.0), (0.0, 0.0, 1.0)], [])
    fan = convert("fan", sheet, winged(edge, (1.0, 0.1), (-0.7, 0.9), (-0.6, -1.1)))
    expect(ran(fan, "three walls that meet in an edge")[0] == 3, "three curves that end at a junction")
    tube = convert("tube", sheet, winged(prism((0.0, 0.0), (0.9, 0.2), (0.1, 1.1)), (-1.0, -0.3)))
    expect(ran(tube, "a tube with a wall")[0] == 2, "a loop that returns to a junction, and a curve from there")
    tee = obj("tee", sheet, winged(edge, (1.0, 0.1), (-0.7, 0.9))), obj("tee2", grid(3, 4.0, (-1.9, -1.8, 0.2)), prism((0.0, 0.0), (0.9, 0.2), (0.1, 1.1)))
    impinge("convert", *tee, "-o", "tee.vtkhdf")
    expect(ran("tee.vtkhdf", "a mesh that changes")[0] == 2, "a curve, then a loop")
    for seed in range(6):
        impinge("generate", "soup", "-n", 60 + 20 * seed, "--frames", 2, "--seed", seed, "-o", "soup.vtkhdf", "--force", "-q")
        expect(ran("soup.vtkhdf", f"soup {seed}")[0] > 5, "few curves")


def ghosts():
    """Cells that are left out have numbers, too."""
    curve_files.ghosts("ghosts.vtkhdf")
    expect(ran("ghosts.vtkhdf", "ghosts", "--frames", "24:25")[0] > 3, "few curves")


def real():
    torus = DATA / "torus-sphere-surface.vtkhdf"
    expect(ran(torus, "torus-sphere", frames=(9, 24, 30)) is not None, "")
    expect(ran(torus, "torus-sphere, frame 24", "--frames", "24:25") == [3, 832], "3 curves of 832 points")
    ran(DATA / "can-crush-surface.vtkhdf", "can-crush")
    ran(DATA / "cloth-funnel.vtkhdf", "cloth-funnel")


def same_everywhere():
    curve_files.same_everywhere("--contours", ("Points", "Lines/Connectivity", "Lines/Offsets", "CellData/Length", "CellData/Closed"))


def refused():
    curve_files.refused("--contours", "contours.vtkhdf")
    done = impinge("run", DATA / "torus-sphere-tets.vtkhdf", "-o", "tets.vtkhdf", "--frames", "20:21", "--contours", "tets-c.vtkhdf")
    expect("with tetrahedra have no contour" in done.stderr, done.stderr)


generated()
ghosts()
real()
same_everywhere()
refused()
sys.exit(status())
