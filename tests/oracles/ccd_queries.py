"""Real moving meshes: which of all vertices and faces, and edges, whose ways' boxes overlap, meet between
two frames, against exact truth; and of some that the time of impact is where the volume of the four points changes its
sign.

  ccd_queries.py QUERIES DATA [NAME...]     of the batches NAME all candidates, of others the listed ones
"""
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
from candidates import COUNTS, all_candidates, corners, read


def ask(program, kind, points, corners):
    """The time of impact of each question, -1 where there is no contact, and microseconds for a question."""
    asked = np.empty((len(corners), 25))
    asked[:, 0] = kind
    asked[:, 1:] = points[:, corners].transpose(1, 0, 2, 3).reshape(-1, 24)
    done = subprocess.run([program], input=asked.tobytes(), capture_output=True, check=True)
    return np.frombuffer(done.stdout), float(done.stderr)


def volume(points, corners, toi):
    t = Fraction(toi)
    a, b, c, d = ([Fraction(x) + t * (Fraction(y) - Fraction(x)) for x, y in zip(*points[:, i].tolist())]
                  for i in corners)
    u, v, w = ([x - y for x, y in zip(p, a)] for p in (b, c, d))
    return sum(w[k] * (u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3]) for k in range(3))


def is_root(points, corners, toi):
    here = volume(points, corners, toi)
    return here == 0 or (toi < 1 and here * volume(points, corners, np.nextafter(toi, 1)) <= 0)


def check(program, data, name, whole):
    points, faces, truth = read(data, name)
    edges = truth["edges"]
    every = all_candidates(points, faces, edges) if whole else [truth["vf"], truth["ee"]]
    for kind, what in enumerate(("vf", "ee")):
        listed, hits, pairs = truth[what], truth[what + "_collides"], every[kind]
        assert not whole or len(pairs) == COUNTS[name][kind], (name, what, len(pairs))
        vertices = corners(kind, pairs, faces, edges)
        tois, each = ask(program, kind, points, vertices)
        met = {(min(a, b), max(a, b)) if kind else (a, b) for a, b in pairs[tois >= 0].tolist()}
        want = {(min(a, b), max(a, b)) if kind else (a, b) for a, b in listed[hits].tolist()}
        assert met == want, f"{name}, {what}: {len(met - want)} false hits, {len(want - met)} misses"
        for i in np.flatnonzero(tois >= 0)[::1 + len(met) // 100]:
            assert is_root(points, vertices[i], tois[i]), f"{name}, {what}, {pairs[i]}: no root at {tois[i]}"
        print(f"{name}, {what}: {len(met)} of {len(pairs)} meet, {each} us each", flush=True)


if __name__ == "__main__":
    for batch in COUNTS:
        check(sys.argv[1], sys.argv[2], batch, batch in sys.argv[3:])
