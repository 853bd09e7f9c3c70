"""What bench/python/gpu_peers.py counts beside impinge; and a small run beside newton, where it is."""

import sys
import tempfile
from itertools import combinations
from pathlib import Path

import impinge
import numpy as np
from common import main, soup

sys.path.append(str(Path(__file__).resolve().parents[2] / "bench/python"))
import meet  # noqa: E402
import pair_sets  # noqa: E402

def test_features():
    """All pairs of features within a distance, in rational numbers, are impinge's rows; on a lattice many are at
    that very distance."""
    random = np.random.default_rng(5)
    for points in (random.integers(0, 9, (36, 3)).astype(float), random.random((36, 3))):
        triangles = np.arange(36).reshape(-1, 3)
        distance = float(points.max()) / 4
        found = impinge.near(points, triangles, distance=distance, rows="features", device="cpu")
        corners = pair_sets.Edges(triangles)
        faces, edges = pair_sets.features(found, triangles, corners, impinge.Kind)
        limit, expected, touch = meet.Fraction(distance) ** 2, ([], []), 0
        for vertex in range(36):
            for face in set(range(12)) - {vertex // 3}:
                square = meet.vertex_face(points[vertex], points[triangles[face]])
                if square <= limit:
                    expected[0].append(vertex * 12 + face)
                    touch += square == 0
        for one, other in combinations(range(36), 2):
            square = meet.edge_edge(points[corners.ends[one]], points[corners.ends[other]])
            if square <= limit and not set(corners.ends[one]) & set(corners.ends[other]):
                expected[1].append(one * 36 + other)
                touch += square == 0
        assert (faces.tolist(), edges.tolist()) == (sorted(expected[0]), sorted(expected[1]))
        assert len(faces) > 50 and len(edges) > 150 and bool(touch) == (points.max() > 1)


def test_decided_by_others():
    """A pair about which newton would be right is a fault."""
    try:
        import gpu_peers
    except ImportError:
        print("skipped: no newton, so impinge is not compared with it")
        return
    points, cells = soup(60, 0.3)
    found = impinge.contacts(points, cells, device="cpu")
    truth = gpu_peers.meeting(found, cells)

    def holds(pair):
        return meet.meet(*(points[cells[t]] for t in divmod(pair, len(cells))))

    every = np.array([a * len(cells) + b for a, b in combinations(range(len(cells)), 2)])
    others = np.setdiff1d(every, truth)
    for answer, known, faults in ((others, truth, 0), (truth, truth[1:], 1), (truth[1:], np.append(truth, others[0]), 1)):
        run = gpu_peers.Run(gpu_peers.Sheet(), None, "cpu", gpu_peers.FEW, False)
        gpu_peers.differences(run, "table", "newton", answer, np.unique(known), len(answer), 0, holds)
        assert len(run.sheet.faults) == faults, run.sheet.faults
    assert len(truth) > 10


def test_small():
    try:
        import gpu_peers
    except ImportError:
        print("skipped: no newton, so impinge is not compared with it")
        return
    with tempfile.TemporaryDirectory() as folder:
        sheet, _ = gpu_peers.compare(Path(folder), gpu_peers.SMALL, "cpu", timed=True)
    assert not sheet.faults, sheet.faults
    found = {(x.table, x.row, x.column): x.value for x in sheet.figures}
    tables = {scale: gpu_peers.TRIANGLES.format("folded cloth", 2964, scale) for scale in (1, 100)}
    for title in tables.values():
        assert found[title, gpu_peers.IMPINGE, "pairs"] > 100
        assert found[title, gpu_peers.IMPINGE, "false"] == found[title, gpu_peers.IMPINGE, "missed"] == 0
        for row in (gpu_peers.IMPINGE, gpu_peers.STAGES_ALONE, gpu_peers.MEETING, gpu_peers.REFITTED):
            assert 0 < found[title, row, "call"] <= found[title, row, "call, median"]
    title = gpu_peers.FEATURES.format("folded cloth", 2964, 100, 0.1)
    for row in (gpu_peers.IMPINGE, gpu_peers.STAGES_ALONE, gpu_peers.BOTH, gpu_peers.BOTH_REFITTED):
        assert found[title, row, "call"] > 0
    false = {scale: found[title, gpu_peers.MEETING, "false"] for scale, title in tables.items()}
    assert false[1] > 100 and not false[100]  # its epsilon is absolute
    assert found[tables[1], gpu_peers.MEETING, "decided in rational numbers"] >= false[1]


if __name__ == "__main__":
    main(globals())
