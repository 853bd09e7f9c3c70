"""Points inside closed meshes, beside trimesh, igl, trueform, MeshLib and VTK: answers that are known, then times of
the same work, in turns, in one run. Ends with 1 where impinge is wrong.

    inside.py [--small] [--csv FILE]

What is not there of the peers or of the real scenes is left out. `./dev bench --inside` has all of them."""

import sys

import containment
import impinge
import numpy as np
from clearances import split
from containment import DEPTH, IGL, INSIDE, NEAREST, TRIMESH, TRUEFORM
from measure import Sheet, Turns, alternate, generate, main, read, repeated, say

import real  # isort: skip: of the folder above, which measure.py adds

TURNS, FEW = Turns(5, 6.0, 40), Turns(2, 0.0)
PACKAGES = ("impinge", "numpy", "trimesh", "embreex", "libigl", "trueform", "meshlib", "vtk")
TIMED = (TRUEFORM, NEAREST, IGL, TRIMESH)
TABLE = "{}: {:,} points in {:,} triangles"
CONTACTS = "{}: rows beside contacts"
ROWS = {
    "contacts": {},
    "contacts, also within an object": {"pairs": "all"},
    "vertices inside": {"inside": True},
    "contacts with depth": {"inside": True, "rows": "contacts"},
}
TORUS_FRAME = 24  # the deepest one
GENERATED = [("press", 200_000), ("drape", 120_000)]
SMALL = [("drape", 6_000)]


def bodies(folder, small):
    """(name, points, triangles, objects) of frames of two bodies."""
    torus = real.DATA / "torus-sphere-surface.vtkhdf"
    if torus.exists():
        positions, triangles, objects = read(torus)
        yield "torus-sphere", positions[TORUS_FRAME], triangles, objects
    else:
        say(f"left out: {torus} is not there")
    for scene, size in SMALL if small else GENERATED:
        path = generate(folder / f"{scene}.vtkhdf", scene, "--primitives", size)
        positions, triangles, objects = read(path)
        yield scene, positions[0], triangles, objects


def closed_one(points, triangles, objects):
    """Points of the first body, and points and triangles of the second one, which is closed."""
    (queries, _), body = split(points, triangles, objects)
    return queries, body


def points_in(sheet, name, queries, body, turns):
    """Each call computes everything: the tree, and the arrays that the libraries make; several calls a turn."""
    points, triangles = body
    table = TABLE.format(name, len(queries), len(triangles))
    asked = {INSIDE: containment.impinge_inside, DEPTH: containment.impinge_depth}
    asked |= {who: ask for who, ask in containment.peers().items() if who in TIMED}
    found = alternate(
        {who: repeated(lambda ask=ask: ask(points, triangles, queries)) for who, ask in asked.items()}, turns
    )
    right = np.asarray(found[INSIDE][1])
    for who, (times, answer) in found.items():
        sheet.times(table, who, times)
        sheet.count(table, who, "inside", int(np.sum(answer)))
        sheet.count(table, who, "wrong answers", int((np.asarray(answer) != right).sum()))
    if (np.asarray(found[DEPTH][1]) != right).any():
        sheet.fault(f"{table}: {DEPTH} tells points otherwise than {INSIDE}")


def beside_contacts(sheet, name, points, triangles, objects, turns):
    """The same frame: contacts, and rows and relations of closed objects."""
    pipelines = {
        row: impinge.Pipeline(**{"pairs": "between"} | options, update="rebuild", device="cpu")
        for row, options in ROWS.items()
    }
    found = alternate(
        {row: repeated(lambda p=p: p.contacts(points, triangles, objects)) for row, p in pipelines.items()}, turns
    )
    for row, (times, rows) in found.items():
        sheet.times(CONTACTS.format(name), row, times)
        sheet.count(CONTACTS.format(name), row, "rows", len(rows))


def compare(folder, small, turns):
    sheet = Sheet()
    containment.judge(sheet, containment.peers())
    for name, points, triangles, objects in bodies(folder, small):
        points_in(sheet, name, *closed_one(points, triangles, objects), turns)
        beside_contacts(sheet, name, points, triangles, objects, turns)
    return sheet


if __name__ == "__main__":
    sys.exit(main(__doc__, PACKAGES, compare, FEW, TURNS))
