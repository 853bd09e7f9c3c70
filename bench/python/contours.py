"""Curves along which two bodies meet, beside trueform, and beside the contacts alone: the same work, in turns, in one
run; and the parts into which they cut surfaces. Ends with 1 where curves or the numbers of parts differ.

    contours.py [--small] [--csv FILE]

What is not there of trueform or of the real scene is left out. `./dev bench --contours` has all."""

import sys

import impinge
import numpy as np
from clearances import split
from inside import bodies
from measure import Sheet, Turns, alternate, main, repeated, say

TURNS, FEW = Turns(5, 6.0, 40), Turns(2, 0.0)
PACKAGES = ("impinge", "numpy", "trueform")
CONTOURS, CONTACTS, TRUEFORM = "impinge.Pipeline, contours", "impinge.Pipeline.contacts", "trueform.intersection_curves"
FUNCTION = "impinge.contours"
REGIONS, PARTS = "impinge.Pipeline, regions", "trueform.mesh_arrangements, components"
TABLE = "{}: curves of two bodies, {:,} triangles"
LENGTH = 1e-9  # the greatest part by which sums of lengths may differ


class Curves:
    """What answers are compared by: numbers of curves and points, and the sum of lengths."""

    def __init__(self, curves, points, length):
        self.curves, self.points, self.length = curves, points, length

    def __eq__(self, other):
        near = abs(self.length - other.length) <= LENGTH * max(self.length, other.length)
        return near and (self.curves, self.points) == (other.curves, other.points)

    def __str__(self):
        return f"{self.curves:,} curves of {self.points:,} points, {self.length:.12g} long"


def of_impinge(found):
    return Curves(len(found), len(found.points), found.length.sum())


def of_trueform(found):
    """Of a closed path the last point is the first one again."""
    paths, points = found
    lengths = (np.diff(points[np.asarray(path)].astype(float), axis=0) for path in paths)
    return Curves(len(paths), len(points), sum(np.linalg.norm(x, axis=1).sum() for x in lengths))


def asked(points, triangles, objects):
    """Each call computes everything: of arrays, with the trees and meshes that the libraries make. A pipeline keeps
    its memory and its threads, as trueform does."""
    given = dict(pairs="between", device="cpu")
    plain = impinge.Pipeline(**given, update="rebuild")
    named = impinge.Pipeline(**given, update="rebuild", end_features=True)
    made = {
        CONTOURS: lambda: named.contacts(points, triangles, objects).contours(points, triangles, objects),
        REGIONS: lambda: named.contacts(points, triangles, objects).regions(points, triangles, objects),
        CONTACTS: lambda: plain.contacts(points, triangles, objects),
        FUNCTION: lambda: impinge.contours(points, triangles, objects, **given),
    }
    try:
        import trueform
    except ImportError:
        return made
    both = split(points, triangles, objects)
    made[TRUEFORM] = lambda: trueform.intersection_curves(*(trueform.Mesh(t, p) for p, t in both))
    made[PARTS] = lambda: parts_of_trueform(trueform, both)
    return made


def parts_of_trueform(trueform, both):
    """Both meshes cut by each other, and the number of their parts: a curve is an edge of more than two faces."""
    cut = trueform.mesh_arrangements([trueform.Mesh(t, p) for p, t in both])
    faces, points = cut[0]
    link = trueform.manifold_edge_link(faces, trueform.cell_membership(faces, len(points)))
    return trueform.label_connected_components(link)[0]


def judge(sheet, table, answers):
    """The same curves of both?"""
    found = {who: of_impinge(answers[who]) for who in (CONTOURS, FUNCTION) if who in answers}
    if TRUEFORM in answers:
        found[TRUEFORM] = of_trueform(answers[TRUEFORM])
    if REGIONS in answers:
        judge_parts(sheet, table, answers, found[CONTOURS].curves)
    for who, curves in found.items():
        sheet.count(table, who, "curves", curves.curves)
        sheet.count(table, who, "points", curves.points)
        if curves != found[CONTOURS]:
            sheet.fault(f"{table}: {who} has {curves}, {CONTOURS} {found[CONTOURS]}")
    if not found[CONTOURS].curves:
        sheet.fault(f"{table}: there is no curve")


def judge_parts(sheet, table, answers, curves):
    """The same number of parts of both? Each surface here has a curve; of the parts impinge lists the smaller side."""
    regions = answers[REGIONS]
    parts = sum(x.regions for x in regions.partings)
    sheet.count(table, REGIONS, "parts", parts)
    sheet.count(table, REGIONS, "listed", len(regions))
    if len(regions.of_contour) != curves or not 0 < len(regions) < parts:
        sheet.fault(f"{table}: {len(regions)} regions of {parts} parts, {len(regions.of_contour)} contours")
    if PARTS in answers:
        sheet.count(table, PARTS, "parts", answers[PARTS])
        if answers[PARTS] != parts:
            sheet.fault(f"{table}: {PARTS} has {answers[PARTS]} parts, {REGIONS} {parts}")


def compare(folder, small, turns):
    sheet = Sheet()
    for name, points, triangles, objects in bodies(folder, small):
        table = TABLE.format(name, len(triangles))
        say(table)
        calls = asked(points, triangles, objects)
        found = alternate({who: repeated(call) for who, call in calls.items()}, turns)
        for who, (times, _) in found.items():
            sheet.times(table, who, times)
        judge(sheet, table, {who: answer for who, (_, answer) in found.items()})
    return sheet


if __name__ == "__main__":
    sys.exit(main(__doc__, PACKAGES, compare, FEW, TURNS))
