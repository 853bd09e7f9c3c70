"""The comparisons of bench/python with libraries of today, small: answers are the same, and others would be found."""

import os
import sys
from dataclasses import replace
from pathlib import Path

import impinge
import numpy as np
from common import folder, main, raises, soup

sys.path.append(str(Path(__file__).resolve().parents[2] / "bench/python"))
import colliders  # noqa: E402
import meet  # noqa: E402
import peers  # noqa: E402
from measure import Sheet, Turns, alternate, steady  # noqa: E402
from programs import Figure  # noqa: E402


def figures(sheet):
    return {(x.table, x.row, x.column): x.value for x in sheet.figures}


def test_peers():
    """The same pairs of all that are there: of two bodies, frames, a body with itself and its neighbours."""
    rows = ("drape*", "cloth-fold*")
    with folder() as where:
        run = peers.Run(Path(where), None, len(os.sched_getaffinity(0)), peers.FEW, rows)
        sheet = peers.compare(run, True)
    assert not sheet.faults, sheet.faults
    found = figures(sheet)
    tables = {table for table, _, _ in found}
    assert len(tables) == 4, tables
    for (table, row, column), value in found.items():
        if column == "pairs" and row != colliders.SKIP:
            ours = colliders.KEPT if "frames" in table else colliders.IMPINGE
            assert value == found[table, ours, "pairs"] > 100, (table, row)
        if column in ("that do not meet", "missed"):
            assert value == 0, (table, row)


def test_nothing():
    """Bodies that do not meet."""
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
    solid = points, np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], np.int32)
    run = peers.Run(None, None, 1, peers.FEW)
    for table in (peers.itself, peers.adjacent):
        table(run, "a body", [solid])
    for table in (peers.two, peers.rigid):
        table(run, "bodies", [solid, (points + 5, solid[1])])
    pairs = [x.value for x in run.sheet.figures if x.column == "pairs"]
    assert len(pairs) >= 5 and not any(pairs) and not run.sheet.faults, run.sheet.faults


def test_judge():
    """A pair that is left out, and one that does not meet: of impinge they are faults."""
    points, triangles = soup(60, 0.2)
    bodies = colliders.Bodies([[(points, triangles)]])
    rows = impinge.contacts(points, triangles)
    true = set(zip(rows.a.tolist(), rows.b.tolist()))
    wrong = next((0, b) for b in range(1, 60) if (0, b) not in true)
    less, more = true - {min(true)}, true | {wrong}
    for ours, others, faults in ((true, less, 0), (less, true, 1), (more, true, 1)):
        run = peers.Run(None, None, 1, peers.FEW)
        run.judge("a table", bodies, {colliders.IMPINGE: [ours], "another": [others]}, peers.ball.meet_corners)
        assert len(run.sheet.faults) == faults, run.sheet.faults
    assert figures(run.sheet)["a table", colliders.IMPINGE, "that do not meet"] == 1


def test_merge():
    """Times are columns; counts of impinge are the same with any number of threads."""
    some = [
        Figure("t", colliders.IMPINGE, "call", "seconds", 0.5),
        Figure("t", colliders.IMPINGE, "call, median", "seconds", 0.6),
        Figure("t", colliders.IMPINGE, "pairs", "count", 7),
    ]
    sheet = Sheet()
    peers.merge(sheet, 1, some)
    peers.merge(sheet, 16, some)
    columns = ["1 thread", "1 thread, median", "pairs", "16 threads", "16 threads, median"]
    assert [x.column for x in sheet.figures] == columns and not sheet.faults
    for row, faults in ((colliders.IMPINGE, 1), ("another", 0)):
        sheet = Sheet()
        peers.merge(sheet, 1, [replace(some[2], row=row)])
        peers.merge(sheet, 2, [replace(some[2], row=row, value=8)])
        assert len(sheet.faults) == faults, sheet.faults


def test_threads():
    assert peers.counts(1) == [1] and peers.counts(6) == [1, 2, 4, 6] and peers.counts(16) == [1, 2, 4, 8, 16]
    assert sorted(peers.processors()) == sorted(os.sched_getaffinity(0))


def test_poses():
    """A rigid motion, from where the body is."""
    points, triangles = soup(20)
    for k, pose in enumerate(peers.poses(points, triangles)):
        turn = pose[:3, :3]
        assert np.allclose(turn @ turn.T, np.eye(3)) and np.linalg.det(turn) > 0
        assert np.array_equal(peers.moved(pose, points), points) == (k == 0)


def test_turns():
    """The slow one has two turns, and a short call is repeated."""
    calls = {"fast": [], "slow": []}

    def contestant(name, seconds):
        return lambda: (calls[name].append(seconds) or seconds, name)

    found = alternate({"fast": contestant("fast", 1.0), "slow": contestant("slow", 5.0)}, Turns(6, 0.0, 9, 2))
    assert [len(times) for times, _ in found.values()] == [6, 2]
    for seconds, count in ((0.005, 5), (0.5, 1)):
        calls["fast"].clear()
        mean, _ = steady(contestant("fast", seconds))()
        assert abs(mean - seconds) < 1e-9 and len(calls["fast"]) == count


def test_meet_beyond():
    """What impinge says of triangles that share corners, on a lattice: many touch or are in one plane."""
    random = np.random.default_rng(2)
    points = np.indices((3, 3, 3)).reshape(3, -1).T.astype(float)
    triangles = np.unique(np.sort(random.integers(0, 27, (150, 3)), axis=1), axis=0)
    normals = np.cross(*(points[triangles[:, k]] - points[triangles[:, 0]] for k in (1, 2)))
    triangles = random.permutation(triangles[normals.any(axis=1)])[:48].astype(np.int32)
    triangles = np.concatenate([triangles, triangles[:3, ::-1]])
    rows = impinge.contacts(points, triangles, adjacent="test")
    expected, shares = set(zip(rows.a.tolist(), rows.b.tolist())), {0: set(), 1: set(), 2: set(), 3: set()}
    for a in range(len(triangles)):
        for b in range(a + 1, len(triangles)):
            said = meet.meet_beyond(points, triangles[a], triangles[b])
            assert said == ((a, b) in expected), (a, b)
            shares[len(set(triangles[a]) & set(triangles[b]))].add(said)
    assert shares == {0: {False, True}, 1: {False, True}, 2: {False, True}, 3: {True}}, shares
    raises(ValueError, meet.meet_beyond, points, np.array([0, 1, 2]), triangles[0])


main(globals())
