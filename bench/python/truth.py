"""Do two triangles meet? What impinge says of pairs, beside CGAL and igl, pair by pair. Ends with 1 where impinge and
CGAL differ.

    truth.py --cgal PROGRAM [--small] [--csv FILE]

PROGRAM is bench/peers/cgal.cpp, compiled. Pairs are all of a soup, or those whose boxes overlap by
bench/candidates.py: no code of impinge chooses them. What is not there of igl or of the real scenes is left out.
`./dev bench --truth` has all of them."""

import os
import subprocess
import sys
import time
from typing import NamedTuple

import impinge
import numpy as np
from containment import SHEAR
from impinge.program import PROGRAM
from inside import TORUS_FRAME
from measure import Sheet, flatten, generate, main, read, say

import candidates  # isort: skip: of the folder above, which measure.py adds
import real  # isort: skip

PACKAGES = ("impinge", "numpy", "libigl")
AREA, FLAT, FAR = "triangles with an area", "every second triangle without an area", "far from 1"
ALL = "in all"
PAIRS, MEET, DIFFERS, IGL, SECONDS = "pairs", "meet", "impinge differs from CGAL", "igl differs from CGAL", "seconds"
GRID, SOUP, FEW = 5, 320, 60  # points of a lattice in each direction; triangles of a soup
MANY = 100_000  # pairs of a scene that is not scaled
SCALES, FAR_SCALES = (0, 40, -40), (990, -990)  # exponents of 2; the far ones are 10^298 and 10^-298


# ---- scenes


class Scene(NamedTuple):
    table: str
    name: str
    points: np.ndarray
    triangles: np.ndarray

    def scaled(self, k):
        name, table = (f"{self.name}, × 2^{k}", self.table) if k else (self.name, self.table)
        return Scene(FAR if k in FAR_SCALES else table, name, np.ldexp(self.points, k), self.triangles)


def real_scenes(folder, small):
    names = {"torus-sphere": TORUS_FRAME, "cloth-funnel": 0, "fcl-env-rob": 0, "rod-twist": 0}
    there = [name for name, _ in real.there()]
    for name, frame in list(names.items())[: 1 if small else None]:
        if name not in there:
            say(f"left out: {name} is not in {real.DATA}")
            continue
        batch = folder / f"{name}.vtkhdf"
        real.make_batch(PROGRAM, name, batch)
        positions, triangles, _ = read(batch)
        yield Scene(AREA, name, positions[frame], triangles)


def generated_scenes(folder, small):
    for name in ("cloth-fold",) if small else ("cloth-fold", "press"):
        batch = generate(folder / f"{name}.vtkhdf", name, "--primitives", 2_000 if small else 40_000)
        positions, triangles, _ = read(batch)
        yield Scene(AREA, name, positions[0], triangles)


def lattice(random, count):
    """Triangles with an area whose corners are points of a lattice: most pairs that meet touch, or are in one plane."""
    corners = random.integers(0, GRID, (4 * count, 3, 3))
    return corners[has_area(corners)][:count].astype(float)


def has_area(corners):
    return np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]).any(axis=1)


def flattened(random, corners):
    """Every second one becomes a segment, or a point."""
    made = corners.copy()
    made[::2, 2] = made[::2, 0] + np.rint(random.random((len(made[::2]), 1)) * 2) * (made[::2, 1] - made[::2, 0])
    made[::8] = made[::8, :1]
    for k in range(3):  # the ends are any two of the corners
        made[k::6] = np.roll(made[k::6], k, axis=1)
    return made


def bit_off(random, corners):
    """Each coordinate as it is, or the next number above or below."""
    aside = random.integers(-1, 2, corners.shape)
    return np.where(aside, np.nextafter(corners, np.where(aside > 0, np.inf, -np.inf)), corners)


def soups(small):
    random = np.random.default_rng(54)
    corners = lattice(random, FEW if small else SOUP)
    sheared, flat = (corners + 1) @ SHEAR, flattened(random, corners)  # products and sums are exact
    some = [
        (AREA, "lattice", corners),
        (AREA, "sheared lattice", sheared),
        (AREA, "sheared lattice, one bit off", bit_off(random, sheared)),
        (FLAT, "lattice, segments and points", flat),
        (FLAT, "sheared lattice, segments and points", flat @ SHEAR),
    ]
    for table, name, made in some:
        yield Scene(table, name, made.reshape(-1, 3), np.arange(3 * len(made), dtype=np.int32).reshape(-1, 3))


def all_scenes(folder, small):
    """Each with its pairs."""
    for soup in soups(small):
        every = np.stack(np.triu_indices(len(soup.triangles), 1), axis=1)
        yield from ((soup.scaled(k), every) for k in SCALES + FAR_SCALES)
    for scene in [*real_scenes(folder, small), *generated_scenes(folder, small)]:
        some = overlapping(scene.points, scene.triangles)
        yield from ((scene.scaled(k), some) for k in (SCALES if len(some) < MANY and not small else SCALES[:1]))


def overlapping(points, triangles):
    """Pairs without a common vertex whose boxes overlap."""
    pairs = candidates.overlaps(points[None], triangles, triangles)
    return pairs[pairs[:, 0] < pairs[:, 1]]


# ---- verdicts


def by_impinge(points, triangles, pairs):
    """Of each pair; and how many it has that are none of the pairs."""
    found = impinge.contacts(points, triangles, device="cpu")
    keys, given = (np.int64(len(triangles)) * a + b for a, b in ((found.a, found.b), pairs.T))
    return np.isin(given, keys), int((~np.isin(keys, given)).sum())


def by_cgal(program, folder, points, triangles, pairs):
    scene, path = folder / "cgal.flat", folder / "cgal.pairs"
    flatten(scene, points, triangles, np.zeros(len(triangles), np.int32))
    pairs.astype(np.int32).tofile(path)
    command = [program, scene, "contacts", "all", len(os.sched_getaffinity(0)), path]
    done = subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE)
    return np.frombuffer(done.stdout, np.uint8) > 0


def igl_test():
    """None: it is not there."""
    try:
        from igl.predicates import triangle_triangle_intersect
    except ImportError as what:
        say(f"left out: {what}")
        return None
    return triangle_triangle_intersect


def by_igl(test, points, triangles, pairs):
    corners = [tuple(points[t]) for t in triangles]
    return np.array([test(*corners[a], *corners[b])[0] for a, b in pairs.tolist()], bool)


def judge(sheet, scene, right, ours, others, igl, seconds):
    """right, ours, igl: verdicts of each pair. others: pairs of impinge that are not among these."""
    differs = int((ours != right).sum()) + others
    at = scene.table, scene.name
    sheet.count(*at, PAIRS, len(right))
    sheet.count(*at, MEET, int(right.sum()))
    sheet.count(*at, DIFFERS, differs)
    if igl is not None:
        sheet.count(*at, IGL, int((igl != right).sum()))
    sheet.number(*at, SECONDS, seconds)
    if differs:
        sheet.fault(f"{scene.name}: impinge differs from CGAL in {differs} of {len(right)} pairs")


def sums(sheet):
    """Of each table, in a table before the others."""
    some, sheet.figures = sheet.figures, []
    for (table, column), kind in {(x.table, x.column): x.kind for x in some}.items():
        total = sum(x.value for x in some if (x.table, x.column) == (table, column))
        (sheet.count if kind == "count" else sheet.number)(ALL, table, column, total)
    sheet.figures += some


def compare(folder, small, turns, cgal):
    """There are no turns: verdicts are the same in each."""
    sheet, test = Sheet(), igl_test()
    for scene, pairs in all_scenes(folder, small):
        say(f"{scene.name}: {len(pairs):,} pairs")
        start = time.perf_counter()
        given = scene.points, scene.triangles, pairs
        right, (ours, others) = by_cgal(cgal, folder, *given), by_impinge(*given)
        igl = by_igl(test, *given) if test else None
        judge(sheet, scene, right, ours, others, igl, time.perf_counter() - start)
    sums(sheet)
    return sheet


if __name__ == "__main__":
    sys.exit(main(__doc__, PACKAGES, compare, None, None, ("--cgal", "cgal.cpp, compiled")))
