"""`run --regions` against regions that are found here by rational arithmetic (curves.py, parted.py). The file is read by
VTK. regions.py IMPINGE SHARED, in an empty folder."""
import json
import math
import shutil
import sys
from collections import defaultdict
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path

import h5py
import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy

import curve_files
from checks import expect, status
from curve_scenes import DATA, box, cells, convert, grid, impinge, obj, prism, read, winged
from curves import segments
from parted import parted
from vectors import cross, dot, minus

TABLE = "Object", "Other", "Faces", "Vertices", "Contours", "Area"
PARTINGS = "PartingObject", "PartingOther", "PartingContours", "PartingParting", "PartingRegions"


# ---- comparison


def table(mesh, names):
    field = mesh.GetFieldData()
    columns = [vtk_to_numpy(field.GetArray(name)).tolist() for name in names]
    expect(len({len(c) for c in columns}) == 1, f"{names}: {[len(c) for c in columns]} rows")
    return list(zip(*columns))


def order(region):
    return region.object, region.other, min(region.shares)


def area_error(region):
    """Corners are rounded: a sliver of a large triangle has an error of that triangle's size."""
    cut = sum(1 for share in region.shares.values() if share != 1)
    return 1e-12 * region.area + 1e-15 * cut * max(region.area / max(map(float, region.shares.values())) / len(region.shares), 1)


def fits(want, row):
    return tuple(row[:5]) == (want.object, want.other, len(want.shares), want.vertices, want.contours) \
        and abs(row[5] - want.area) <= area_error(want)


def matched(want, rows):
    """The regions in the order of the rows of the file; None if they are others."""
    if len(want) != len(rows):
        return None
    left, out = sorted(want, key=order), []
    for row in rows:
        first = [r for r in left if order(r) == order(left[0])]  # several may have the same least face
        found = [r for r in first if fits(r, row)]
        if not found:
            return None
        out.append(found[0])
        left.remove(found[0])
    return out


def compare_cells(mesh, regions, name):
    """The arrays of cells, from the regions in their order."""
    data = mesh.GetCellData()
    number, area, share = (vtk_to_numpy(data.GetArray(x)) for x in ("Region", "RegionArea", "RegionShare"))
    of = defaultdict(dict)
    for k, region in enumerate(regions):
        for f, part in region.shares.items():
            of[f][k] = part
    expect((area[number < 0] == 0).all() and (share[number < 0] == 0).all(), f"{name}: cells in no region")
    for f, parts in of.items():
        k, most = int(number[f]), max(parts.values())
        first = min(n for n, part in parts.items() if part == most)
        near = k in parts and abs(float(parts[k] - most)) <= 1e-9
        exact = k == first or (near and parts[k] != most)  # of shares that are nearly equal either may be rounded up
        expect(near and (exact or k in parts), f"{name}: face {f} is in region {k}, not {first}")
        expect(abs(share[f] - float(most)) <= 1e-9 and (share[f] == 1 or most < 1), f"{name}: face {f}, {share[f]} of it")
        expect(k < 0 or area[f] == regions_area(mesh, k), f"{name}: face {f}, area {area[f]}")


def regions_area(mesh, k):
    return vtk_to_numpy(mesh.GetFieldData().GetArray("Area"))[k]


def uncounted(rows, *columns):
    """Without numbers of contours."""
    return [tuple(0 if i in columns else x for i, x in enumerate(row)) for row in rows]


def compare_frame(mesh, lines, skipped, rows, name, named):
    """lines: what VTK reads of the file; rows: the contacts. named: contours are joined where points are equal, which
    is so unless ends of other names are one point."""
    read_points = vtk_to_numpy(mesh.GetPoints().GetData())
    finite = np.isfinite(read_points).all(axis=1)
    points = [tuple(map(Fraction, map(float, x))) if ok else None for x, ok in zip(read_points, finite)]
    triangles = [tuple(cell.tolist()) for cell in cells(mesh.GetPolys())]
    skipped = skipped | {f for f, t in enumerate(triangles) if not finite[list(t)].all()}
    objects = mesh.GetCellData().GetArray("ObjectId")
    objects = vtk_to_numpy(objects) if objects else np.zeros(len(triangles), int)
    found = segments([[points[v] for v in t] for t in triangles], rows)
    surfaces, partings = parted(points, triangles, objects, found, skipped)
    told, rows = table(lines, PARTINGS), table(lines, TABLE)
    if not named:
        told, partings, rows = uncounted(told, 2, 3), uncounted(partings, 2, 3), uncounted(rows, 4)
        surfaces = [[[r._replace(contours=0) for r in side] for side in choice] for choice in surfaces]
    expect(told == partings, f"{name}: partings {told}, not {[tuple(p) for p in partings]}")
    filled = set(np.flatnonzero(vtk_to_numpy(lines.GetCellData().GetArray("Region")) >= 0).tolist())
    for choice in product(*surfaces):
        regions = matched([r for side in choice for r in side], rows)
        if regions is not None and filled == {f for r in regions for f in r.shares}:
            compare_cells(lines, regions, name)
            return len(regions)
    wanted = [(r.object, r.other, len(r.shares), r.vertices, r.contours, r.area) for side in surfaces for r in side[0]]
    expect(False, f"{name}: regions {rows}, not {wanted}")
    return len(rows)


def compare(batch, result, file, name, frames=None, named=True):
    """Returns the number of regions."""
    root, found = h5py.File(result)["impinge"], h5py.File(result)["VTKHDF/CellData"]
    first, total = 0, 0
    for k, count in enumerate(root["contacts"][:]):
        rows = slice(first, first + count)
        first += count
        if frames and k not in frames:
            continue
        mesh, lines = read(batch, int(root["input_frame"][k])), read(file, k)
        ghost = mesh.GetCellData().GetArray("vtkGhostType")
        skipped = set(np.flatnonzero(vtk_to_numpy(ghost) & 33).tolist()) if ghost else set()
        pair = np.sort(np.stack([found["ObjectA"][rows], found["ObjectB"][rows]], 1), 1)
        pairs = zip(found["PrimitiveA"][rows], found["PrimitiveB"][rows], found["Kind"][rows], map(tuple, pair.tolist()))
        total += compare_frame(mesh, lines, skipped, pairs, f"{name}, frame {k}", named)
    return total


def ran(batch, name, *options, frames=None, named=True):
    done = impinge("run", batch, "-o", "out.vtkhdf", "--regions", "regions.vtkhdf", "--force", "--device", "cpu", "--json", *options)
    total = compare(batch, "out.vtkhdf", "regions.vtkhdf", name, frames, named)
    said = json.loads(done.stdout)["regions"]
    areas = h5py.File("regions.vtkhdf")["VTKHDF/FieldData/Area"][:]
    expect(said["count"] == len(areas) >= total and (frames or len(areas) == total), f"{name}: {said}, {total} regions")
    expect(said.get("greatest", {"area": 0})["area"] == areas.max(initial=0), f"{name}: {said}, not {areas.max(initial=0)}")
    return total, said


# ---- scenes


def scene(name, *parts):
    """Each part is an object."""
    return convert(name, *parts, options=["--groups"])


def torus(n, m, radius, tube, at, turn=0.1):
    v = []
    for i in range(n):
        for j in range(m):
            a, b = 2 * math.pi * (i + turn) / n, 2 * math.pi * (j + turn) / m
            r = radius + tube * math.cos(b)
            v.append((at[0] + r * math.cos(a), at[1] + r * math.sin(a), at[2] + tube * math.sin(b)))
    f = []
    for i in range(n):
        for j in range(m):
            a, b, c, d = (x * m + y for x, y in ((i, j), ((i + 1) % n, j), ((i + 1) % n, (j + 1) % m), (i, (j + 1) % m)))
            f += [(a, b, c), (a, c, d)]
    return v, f


def ball(n, at, radii):
    """A sphere of meridians and parallels, whose vertices have these radii, n (n - 1) + 2."""
    v = [(0.0, 0.0, 1.0)]
    for i in range(1, n):
        for j in range(n):
            a, b = math.pi * i / n, 2 * math.pi * j / n
            v.append((math.sin(a) * math.cos(b), math.sin(a) * math.sin(b), math.cos(a)))
    v.append((0.0, 0.0, -1.0))
    last, f = len(v) - 1, []
    for j in range(n):
        k = (j + 1) % n
        f += [(0, 1 + j, 1 + k), (last, last - n + k, last - n + j)]
        for i in range(n - 2):
            a = 1 + i * n
            f += [(a + j, a + n + j, a + n + k), (a + j, a + n + k, a + k)]
    return [tuple(float(a + x * r) for a, x in zip(at, p)) for p, r in zip(v, radii)], f


def hull(points):
    """The convex hull of points with integer coordinates."""
    points, faces, planes = sorted(set(points)), [], set()
    for a, b, c in combinations(range(len(points)), 3):
        n = cross(minus(points[b], points[a]), minus(points[c], points[a]))
        side = [dot(n, minus(p, points[a])) for p in points]
        flat = frozenset(i for i, s in enumerate(side) if s == 0)
        if any(n) and not min(side) < 0 < max(side) and flat not in planes:
            planes.add(flat)
            around = ring(points, flat, n if max(side) <= 0 else tuple(-x for x in n))
            faces += [(around[0], p, q) for p, q in zip(around[1:], around[2:])]
    return points, faces


def ring(points, flat, n):
    """The corners of the convex polygon of points in a plane, counter-clockwise seen against n."""
    around = []
    for way in (sorted(flat), sorted(flat, reverse=True)):  # in the order of their coordinates
        chain = []
        for i in way:
            while len(chain) > 1 and dot(n, cross(minus(points[chain[-1]], points[chain[-2]]), minus(points[i], points[chain[-1]]))) <= 0:
                chain.pop()
            chain.append(i)
        around += chain[:-1]
    return around


def merged(*parts):
    """Several meshes as one."""
    v, f = [], []
    for points, faces in parts:
        f += [tuple(x + len(v) for x in face) for face in faces]
        v += points
    return v, f


def known():
    """Scenes with known regions."""
    poke = scene("poke", grid(6, 2.0, (-0.5, -0.4, 0.37)), box((0, 0, 0), (1, 1, 1)))
    total, said = ran(poke, "a box through a sheet")
    expect(total == 2, f"a box through a sheet: {total} regions")
    expect(abs(said["greatest"]["area"] - (1 + 4 * 0.37)) < 1e-12 and said["greatest"]["other"] == 0, f"{said}")
    half = scene("half", box((0, 0, 0), (2, 2, 2)), box((1, 0.5, 0.5), (5, 1.5, 1.5)))
    total, said = ran(half, "a rod in a box")
    expect(total == 2 and abs(said["greatest"]["area"] - 5) < 1e-12, f"a rod in a box: {total}, {said}")
    expect(said["contours_open"] == 0 and said["greatest"]["name_object"] == "part1", f"{said}")
    rests = scene("rests", box((0, 0, 0), (3, 3, 1)), box((1, 1, 1), (2, 2, 2)))
    expect(ran(rests, "a box on a slab")[0] == 2, "the foot of the box is a region of both")
    lid = scene("lid", grid(3, 4.0, (-1.1, -1.2, 1.0)), box((0, 0, 0), (2, 2, 2)))
    total, said = ran(lid, "halves of a box")
    number = vtk_to_numpy(read("regions.vtkhdf", 0).GetCellData().GetArray("Region"))
    expect(total == 2 and number[18] == -1 and (number[20:22] == 1).all(), f"of equal sides that without face 18: {number}")
    slit = scene("slit", grid(4, 1.0, (0, 0, 0)), ([(0.3, 0.3, -0.1), (0.3, 0.7, -0.1), (0.31, 0.5, 0.4)], [(0, 1, 2)]))
    done = impinge("run", slit, "-o", "out.vtkhdf", "--regions", "regions.vtkhdf", "--force", "--json", "--fail-on-collision", code=10)
    total, said = ran(slit, "a small triangle through a sheet")
    expect(total == 1 and said["contours_open"] == 0, f"a small triangle is parted, the sheet is not: {total}, {said}")
    cross_cut = scene("slits", ([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)], [(0, 1, 2)]),
                        ([(-0.2, 0.2, -0.1), (0.1, 0.3, -0.1), (0.1, 0.2, 0.5)], [(0, 1, 2)]))
    total, said = ran(cross_cut, "two triangles through each other's border")
    done = json.loads(impinge("run", cross_cut, "-o", "out.vtkhdf", "--regions", "regions.vtkhdf", "--force", "--json").stdout)
    expect(total == 0 and said["contours_open"] == 1, f"no region: {total}, {said}")
    expect("1 contour in 1 frame parts no surface" in done["warnings"][0], f"{done['warnings']}")
    sheets = [grid(1, 0.8, (0.6, -0.4, 0)) for _ in range(3)]
    rings = []
    for k, (v, f) in enumerate(sheets):
        a = 0.3 + 2 * math.pi * k / 3
        rings.append(([(x * math.cos(a), x * math.sin(a), y) for x, y, _ in v], f))
    tube = scene("rings", torus(7, 5, 1.0, 0.2, (0, 0, 0)), merged(*rings))
    expect(ran(tube, "three cuts around a tube")[0] == 2 + 3, "two of three regions, and a disk of each sheet")


def generated():
    flat = scene("flat", grid(4, 1.0, (0, 0, 0)), grid(3, 0.71, (0.13, 0.17, 0)))
    ran(flat, "sheets that overlap in one plane")
    ran(scene("same", grid(4, 1.0, (0, 0, 0)), grid(4, 1.0, (0.25, 0.25, 0))), "sheets with common edges")
    sheets = grid(8, 1.0, (0, 0, 0)), grid(6, 1.1, (-0.05, -0.07, -0.31), lambda x, y: 1.3 * x * y + 0.3 * x)
    wave = scene("wave", *sheets)
    ran(wave, "a sheet through another one")
    ran(convert("wave", *sheets), "two sheets of one object")
    sheet = grid(5, 4.0, (-1.93, -1.87, 0.11), lambda x, y: 0.1 * x + 0.07 * y)
    edge = ([(0.0, 0.0, -1.0), (0.0, 0.0, 1.0)], [])
    ran(scene("fan", sheet, winged(edge, (1.0, 0.1), (-0.7, 0.9), (-0.6, -1.1))), "three walls that meet in an edge")
    ran(scene("tube", sheet, winged(prism((0.0, 0.0), (0.9, 0.2), (0.1, 1.1)), (-1.0, -0.3))), "a tube with a wall")
    tee = obj("tee", sheet, winged(edge, (1.0, 0.1), (-0.7, 0.9))), obj("tee2", grid(3, 4.0, (-1.9, -1.8, 0.2)), prism((0.0, 0.0), (0.9, 0.2), (0.1, 1.1)))
    impinge("convert", *tee, "--groups", "-o", "tee.vtkhdf")
    ran("tee.vtkhdf", "a mesh that changes")
    tori = scene("tori", torus(7, 5, 1.0, 0.4, (0, 0, 0)), torus(6, 4, 0.9, 0.35, (0.8, 0.1, 0.2)), box((-0.3, -0.3, -0.3), (0.9, 0.5, 0.31)))
    ran(tori, "two tori and a box")
    ran(scene("spindle", torus(8, 6, 0.3, 0.5, (0, 0, 0))), "a torus through itself")
    for seed in range(5):
        impinge("generate", "soup", "-n", 60 + 20 * seed, "--frames", 2, "--seed", seed, "-o", "soup.vtkhdf", "--force", "-q")
        ran("soup.vtkhdf", f"soup {seed}")
    random = np.random.default_rng(52)
    for k in range(12):
        n = 3 + k % 3
        bodies = [ball(n, random.uniform(-0.4, 0.4, 3), random.uniform(0.4, 1, n * (n - 1) + 2)) for _ in range(2 + k % 3)]
        ran(scene("balls", *bodies), f"balls {k}")
        lattice = [tuple(map(float, x)) for x in random.integers(0, 4, (10, 3))]
        ran(scene("lattice", box((0, 0, 0), (3, 2, 3)), hull(lattice), box((1, 1, 1), (2, 3, 4))), f"lattice {k}")


def ghosts():
    """Cells that are left out have numbers, too."""
    curve_files.ghosts("ghosts.vtkhdf")
    ran("ghosts.vtkhdf", "ghosts", "--frames", "24:25")


def not_finite():
    """Triangles with such a corner are no part of a surface."""
    shutil.copy(DATA / "torus-sphere-surface.vtkhdf", "nan.vtkhdf")
    with h5py.File("nan.vtkhdf", "r+") as file:
        first = int(file["VTKHDF/Steps/PointOffsets"][24])
        file["VTKHDF/Points"][first + 5:first + 2000:97] = np.nan
    total, _ = ran("nan.vtkhdf", "not finite", "--frames", "24:25", "--on-bad", "skip")
    expect(total > 1, "no regions")


def needles():
    """A seam that triangles without area fill is cut as one of thin triangles would be."""
    v = [(-1.0, -1.0, 0.0), (-1.0, 1.0, 0.0), (1.0, -1.0, 0.0), (1.0, 1.0, 0.0), (0.0, -1.0, 0.0), (0.0, 1.0, 0.0)]
    for seed, size in enumerate((1, 1, 2, 3)):
        random = np.random.default_rng(seed)
        on = sorted((random.choice(15, size, replace=False) - 7).tolist())
        seam = [4, *range(6, 6 + size), 5]  # the left half has all of its vertices, the right one its ends
        points = v + [(0.0, y / 8, 0.0) for y in on]
        left = [(0, a, b) for a, b in zip(seam, seam[1:])] + [(0, 5, 1)]
        fill = [(4, b, a) for a, b in zip(seam[1:], seam[2:])]
        x, y = random.uniform(0.1, 0.8, (2, 2)).tolist()
        mesh = points, left + fill + [(4, 2, 3), (4, 3, 5)]
        total, _ = ran(scene("seam", mesh, box((-x[0], -y[0], -0.5), (x[1], y[1], 0.5))), f"seam {seed}", "--pairs", "between", named=False)
        expect(total == 2, f"seam {seed}: a hole and a body, {total} regions")


def real():
    torus_sphere = DATA / "torus-sphere-surface.vtkhdf"
    ran(torus_sphere, "torus-sphere", frames=(9, 24, 30, 45))
    for name in ("cloth-funnel", "can-crush-surface", "rod-twist"):
        ran(DATA / f"{name}.vtkhdf", name)


def same_everywhere():
    cells = [f"CellData/{x}" for x in ("Region", "RegionArea", "RegionShare")]
    curve_files.same_everywhere("--regions", cells + [f"FieldData/{x}" for x in TABLE + PARTINGS])


def refused():
    torus_sphere = DATA / "torus-sphere-surface.vtkhdf"
    curve_files.refused("--regions", "regions.vtkhdf")
    done = impinge("run", torus_sphere, "-o", "no.vtkhdf", "--regions", "no-r.vtkhdf", "--space", 2, "--shard", "0/2", code=2)
    expect("--regions" in done.stderr, done.stderr)
    done = impinge("run", torus_sphere, "-o", "out.vtkhdf", "--frames", "24:25", "--regions", "regions.vtkhdf", "--force")
    Path("regions.vtkhdf").unlink()
    done = impinge("run", torus_sphere, "-o", "out.vtkhdf", "--frames", "24:25", "--regions", "regions.vtkhdf", "--resume")
    expect(Path("regions.vtkhdf").exists() and "complete already" in done.stdout, "--resume does not write the regions")
    expect("regions in 1 frame" in done.stdout, done.stdout)
    Path("regions.vtkhdf.impinge.part").touch()
    impinge("run", torus_sphere, "-o", "out.vtkhdf", "--frames", "24:25", "--end-features", "--resume")
    expect(not Path("regions.vtkhdf.impinge.part").exists(), "remains of the file are left")
    none = impinge("run", torus_sphere, "-o", "none.vtkhdf", "--frames", "0:3", "--regions", "none-r.vtkhdf")
    expect("no region" in none.stdout and table(read("none-r.vtkhdf", 1), TABLE) == [], none.stdout)
    done = impinge("run", DATA / "torus-sphere-tets.vtkhdf", "-o", "tets.vtkhdf", "--frames", "20:21", "--regions", "tets-r.vtkhdf")
    expect("with tetrahedra have no contour" in done.stderr, done.stderr)


for part in (known, generated, ghosts, not_finite, needles, real, same_everywhere, refused):
    if len(sys.argv) < 4 or part.__name__ in sys.argv[3:]:
        part()
if __name__ == "__main__":
    sys.exit(status())
