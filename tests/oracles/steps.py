"""Contacts between two frames of real meshes, held against exact truth about their features: a pair of
primitives has a row if it meets in the first frame, or if it has features that meet on the way and shares no
vertex.

  steps.py RESULT DATA NAME
"""
import collections
import sys
from pathlib import Path

import h5py
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
from candidates import COUNTS, read

AT_START, VERTEX_FACE, EDGE_EDGE = 16, 6, 7
ROWS = {"cloth-funnel": (381, 261), "rod-twist": (13_087, 0)}  # in the step, and at its start


def meetings(faces, truth):
    """Pairs of features that meet, as sets of vertices: a vertex and a face, or two edges."""
    for v, f in truth["vf"][truth["vf_collides"]].tolist():
        yield frozenset([v]), frozenset(faces[f].tolist())
    for pair in truth["edges"][truth["ee"][truth["ee_collides"]]].tolist():
        yield tuple(map(frozenset, pair))


def pairs_on_way(faces, found):
    """All pairs of primitives with such features."""
    holders = collections.defaultdict(set)
    for f, (a, b, c) in enumerate(faces.tolist()):
        for feature in ((a,), (b,), (c,), (a, b), (b, c), (c, a), (a, b, c)):
            holders[frozenset(feature)].add(f)
    return {
        (min(p, q), max(p, q))
        for one, other in found
        for p in holders[one]
        for q in holders[other]
        if not set(faces[p]) & set(faces[q])
    }


def feature(faces, primitive, kind, number):
    """Of a row, as a set of vertices."""
    corner = faces[primitive].tolist()
    if kind == EDGE_EDGE:
        return frozenset([corner[number], corner[(number + 1) % 3]])
    return frozenset(corner) if number == -1 else frozenset([number])


def read_rows(path):
    data = h5py.File(path)["VTKHDF/CellData"]
    return [data[name][:] for name in ("PrimitiveA", "PrimitiveB", "Kind", "Share", "FeatureA", "FeatureB")]


def first_frame(data, name):
    """Pairs that meet there."""
    known = np.load(f"{data}/{name}.pairs.npz")
    assert known["frames"][0] == 0
    return set(map(tuple, known["pairs"][: known["offsets"][1]].tolist()))


def main(path, data, name):
    _, faces, truth = read(data, name)
    a, b, kind, toi, feature_a, feature_b = read_rows(path)
    found = set(meetings(faces, truth))
    start = first_frame(data, name)
    rows = list(zip(a.tolist(), b.tolist()))
    early = kind >= AT_START
    assert len(set(rows)) == len(rows), "a pair has two rows"
    assert (len(rows), int(early.sum())) == ROWS[name], (len(rows), int(early.sum()))
    assert set(map(tuple, np.c_[a, b][early].tolist())) == start, "other pairs meet at the start"
    assert set(rows) == start | pairs_on_way(faces, found), "other pairs meet"
    assert (toi[early] == 0).all() and (feature_a[early] == -1).all() and (feature_b[early] == -1).all()
    assert (toi >= 0).all() and (toi <= 1).all() and toi[~early].max() > 0.5
    assert rows == [pair for _, pair in sorted(zip(toi.tolist(), rows))], "rows are not in order"
    for i in np.flatnonzero(~early):
        p = feature(faces, a[i], kind[i], feature_a[i])
        q = feature(faces, b[i], kind[i], feature_b[i])
        assert (p, q) in found or (q, p) in found, f"row {i}: its features do not meet"
    counts = h5py.File(path)["impinge"]
    counted = int(counts["candidates_vf"][0]), int(counts["candidates_ee"][0])
    assert counted == COUNTS[name], f"{counted} candidates, not {COUNTS[name]}"
    print(f"{name}: {len(rows)} rows of {len(found)} pairs of features that meet, {len(start)} at the start")


if __name__ == "__main__":
    main(*sys.argv[1:])
