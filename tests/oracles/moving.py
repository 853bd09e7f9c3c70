"""Real moving meshes: which of all vertices and faces, and edges, whose ways' boxes overlap, meet between
two frames, against exact truth; and of some that the share is where the volume of the four points changes its
sign.

  moving.py MOVING DATA [NAME...]     of the batches NAME all candidates, of others the listed ones
"""
import subprocess
import sys
from fractions import Fraction

import h5py
import numpy as np

CANDIDATES = {"cloth-funnel": (7319, 33770), "rod-twist": (448270, 2041334)}


def read(data, name):
    """Points of both frames, faces, and the truth."""
    root = h5py.File(f"{data}/{name}.vtkhdf")["VTKHDF"]
    faces = root["Polygons/Connectivity"][:].reshape(-1, 3)
    return root["Points"][:].astype(float).reshape(2, -1, 3), faces, np.load(f"{data}/{name}.ccd.npz")


def boxes(points, corners):
    way = points[:, corners].transpose(1, 0, 2, 3).reshape(len(corners), -1, 3)
    return way.min(axis=1), way.max(axis=1)


def begun_within(a, b, side):
    """Pairs of boxes that overlap, of which b begins along x where a is; if side is right, after a's begin."""
    (a_low, a_high), (b_low, b_high) = a, b
    order = np.argsort(b_low[:, 0], kind="stable")
    first = np.searchsorted(b_low[order, 0], a_low[:, 0], side=side)
    last = np.searchsorted(b_low[order, 0], a_high[:, 0], side="right")
    found = [np.empty((0, 2), int)]
    for i in np.flatnonzero(last > first):
        j = order[first[i]:last[i]]
        j = j[((b_high[j] >= a_low[i]) & (b_low[j] <= a_high[i])).all(axis=1)]
        found.append(np.c_[np.full(len(j), i), j])
    return np.concatenate(found)


def overlaps(points, a, b):
    """Pairs of features, given by their vertices, that share none and whose ways' boxes overlap."""
    box_a, box_b = boxes(points, a), boxes(points, b)
    pairs = np.r_[begun_within(box_a, box_b, "left"), begun_within(box_b, box_a, "right")[:, ::-1]]
    shared = (a[pairs[:, 0]][:, :, None] == b[pairs[:, 1]][:, None]).any(axis=(1, 2))
    return pairs[~shared]


def ask(program, kind, points, corners):
    """The share of each question, -1 where there is no contact, and microseconds for a question."""
    asked = np.empty((len(corners), 25))
    asked[:, 0] = kind
    asked[:, 1:] = points[:, corners].transpose(1, 0, 2, 3).reshape(-1, 24)
    done = subprocess.run([program], input=asked.tobytes(), capture_output=True, check=True)
    return np.frombuffer(done.stdout), float(done.stderr)


def volume(points, corners, share):
    t = Fraction(share)
    a, b, c, d = ([Fraction(x) + t * (Fraction(y) - Fraction(x)) for x, y in zip(*points[:, i].tolist())]
                  for i in corners)
    u, v, w = ([x - y for x, y in zip(p, a)] for p in (b, c, d))
    return sum(w[k] * (u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3]) for k in range(3))


def is_root(points, corners, share):
    here = volume(points, corners, share)
    return here == 0 or (share < 1 and here * volume(points, corners, np.nextafter(share, 1)) <= 0)


def check(program, data, name, whole):
    points, faces, truth = read(data, name)
    vertices, edges = np.arange(points.shape[1])[:, None], truth["edges"]
    for kind, what in enumerate(("vf", "ee")):
        listed, hits = truth[what], truth[what + "_collides"]
        if whole and kind:
            pairs = overlaps(points, edges, edges)
            pairs = pairs[pairs[:, 0] < pairs[:, 1]]
        else:
            pairs = overlaps(points, vertices, faces) if whole else listed
        assert not whole or len(pairs) == CANDIDATES[name][kind], (name, what, len(pairs))
        corners = np.c_[edges[pairs[:, 0]], edges[pairs[:, 1]]] if kind else np.c_[faces[pairs[:, 1]], pairs[:, 0]]
        shares, each = ask(program, kind, points, corners)
        met = {(min(a, b), max(a, b)) if kind else (a, b) for a, b in pairs[shares >= 0].tolist()}
        want = {(min(a, b), max(a, b)) if kind else (a, b) for a, b in listed[hits].tolist()}
        assert met == want, f"{name}, {what}: {len(met - want)} false hits, {len(want - met)} misses"
        for i in np.flatnonzero(shares >= 0)[::1 + len(met) // 100]:
            assert is_root(points, corners[i], shares[i]), f"{name}, {what}, {pairs[i]}: no root at {shares[i]}"
        print(f"{name}, {what}: {len(met)} of {len(pairs)} meet, {each} us each", flush=True)


if __name__ == "__main__":
    for batch in CANDIDATES:
        check(sys.argv[1], sys.argv[2], batch, batch in sys.argv[3:])
