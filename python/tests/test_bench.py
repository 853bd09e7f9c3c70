"""The comparisons of bench/python, small: answers are the same, and others would be found."""

import os
import sys
from pathlib import Path

import impinge
import numpy as np
from common import folder, main, raises, soup

sys.path.append(str(Path(__file__).resolve().parents[2] / "bench/python"))
import ball  # noqa: E402
import cloth  # noqa: E402
import compare  # noqa: E402
import containment  # noqa: E402
import caches  # noqa: E402
import contours  # noqa: E402
import meet  # noqa: E402
from measure import Sheet  # noqa: E402

DETECT = os.environ.get("BENCH_DETECT")


def test_small():
    """All of it: contacts in C, of the program and of FCL are those of the package."""
    detect = Path(DETECT) if DETECT and Path(DETECT).exists() else None
    if not detect:
        print("skipped: no bench_detect, so nothing is compared with C")
    with folder() as where:
        sheet = compare.compare(Path(where), compare.SMALL, compare.FEW, detect)
    assert not sheet.faults, sheet.faults
    found = {(x.table, x.row, x.column): x.value for x in sheet.figures}
    rows = {row for _, row, _ in found}
    assert {cloth.PIPELINE, cloth.TOUCHES, ball.FRAMES} <= rows
    assert (cloth.C in rows) == bool(detect)
    table = ball.TABLE.format(1472, compare.SMALL["frames"])
    finders = {row for title, row, _ in found if title == table}
    assert {ball.FRAMES, ball.ONE} <= finders
    for row in finders:  # FCL has the same here
        assert found[table, row, "pairs"] == found[table, ball.ONE, "pairs"] > 100
        assert found[table, row, "missed"] == found[table, row, "that do not meet"] == 0


def test_meet():
    """Separating axes say what impinge says, of triangles on a lattice, many of which touch or are
    in one plane."""
    random = np.random.default_rng(1)
    points = random.integers(0, 4, (150, 3, 3)).astype(float)
    normals = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
    points = points[normals.any(1)]
    cells = np.arange(3 * len(points)).reshape(-1, 3)
    found = impinge.contacts(points.reshape(-1, 3), cells)
    kinds = set(found.kind.tolist())
    assert {impinge.Kind.POINT, impinge.Kind.SEGMENT, impinge.Kind.AREA} <= kinds
    expected = set(zip(found.a.tolist(), found.b.tolist()))
    for a in range(60):
        for b in range(a + 1, 60):
            assert meet.meet(points[a], points[b]) == ((a, b) in expected), (a, b)
    raises(ValueError, meet.meet, np.zeros((3, 3)), points[0])


def test_meet_nearly():
    """A corner in the plane of the other triangle, and one bit above it; two in one plane."""
    flat = [[0, 0, 1], [3, 0, 1], [0, 3, 1]]
    above = [[1, 1, 1], [1, 2, 2], [2, 1, 2]]
    assert meet.meet(flat, above)
    above[0][2] = np.nextafter(1, 2)
    assert not meet.meet(flat, above)
    for apart in (3, np.nextafter(3, 4)):
        beside = [[x + apart, y, z] for x, y, z in flat]
        assert meet.meet(flat, beside) == (apart == 3)


def test_judge():
    """One pair is left out, and one is put in that does not meet."""
    points, triangles = soup(60, 0.2)
    found = impinge.contacts(points, triangles)
    true = set(zip(found.a.tolist(), found.b.tolist()))
    wrong = next((0, b) for b in range(1, 60) if (0, b) not in true)
    sets = {"ours": [true], "theirs": [(true - {min(true)}) | {wrong}]}
    assert ball.judge([points], triangles, sets) == {"ours": [0, 0], "theirs": [1, 1]}


def test_differing():
    """A bit of a column."""
    one, other = (impinge.contacts(*soup(500)) for _ in range(2))
    assert not cloth.differing(one, other)
    other.ends[3, 1, 2] = np.nextafter(other.ends[3, 1, 2], 9)
    assert cloth.differing(one, other) == "ends"
    sheet = Sheet()
    sheet.fault("something")
    assert sheet.faults


def test_containment():
    """No answer of impinge about points whose truth is known is wrong; a wrong one would be seen."""
    sheet = Sheet()
    containment.judge(sheet, {})
    assert not sheet.faults, sheet.faults
    wrong = {(x.row, x.column): x.value for x in sheet.figures}
    scenes = {row for row, _ in wrong}
    assert len(scenes) == 6 and not any(wrong[row, containment.DEPTH] for row in scenes)
    scene = next(containment.scenes())
    right, containment.impinge_inside = containment.impinge_inside, lambda p, t, q: q[:, 0] > 1e9
    try:
        sheet = Sheet()
        containment.judge(sheet, {})
    finally:
        containment.impinge_inside = right
    assert len(sheet.faults) == 6 and str(int(scene.inside.sum())) in sheet.faults[0], sheet.faults


def test_caches():
    """A small cache by every reader, and others would be told; contacts of the deforming stage, with or without
    ovclash."""
    sheet = Sheet()
    with folder() as where:
        caches.counts(sheet, Path(where))
        caches.speeds(sheet, Path(where), caches.SIZES[True], caches.FEW)
    assert not sheet.faults, sheet.faults
    found = {(x.row, x.column): x.value for x in sheet.figures if x.table == caches.TORUS}
    if caches.SHARED.exists() and found:
        assert found["impinge", "all 48 frames, moving"] == 15364, found
        assert found["impinge", "frame 24 alone, still"] == 832, found
    speeds = {x.row for x in sheet.figures if "same floats" in x.table}
    assert {"h5py", "MDD", "PC2"} <= speeds, speeds
    right, caches.by_importer = caches.by_importer, lambda path, into: lambda: into * 0
    try:
        sheet = Sheet()
        with folder() as where:
            caches.speeds(sheet, Path(where), caches.SIZES[True], caches.FEW)
    finally:
        caches.by_importer = right
    assert len(sheet.faults) == len(speeds) - 1, sheet.faults


def test_contours():
    """Small bodies: the same curves of all, and others would be told."""
    with folder() as where:
        sheet = contours.compare(Path(where), True, contours.FEW)
    assert not sheet.faults, sheet.faults
    found = {(x.table, x.row, x.column): x.value for x in sheet.figures}
    tables = {table for table, _, _ in found}
    assert any("drape" in table for table in tables)
    for table in tables:
        assert found[table, contours.CONTOURS, "points"] > found[table, contours.CONTOURS, "curves"] > 0
    given = points, triangles, objects = np.array(
        [[0, 0, 0], [4, 0, 0], [0, 4, 0], [1, 1, -1], [1, 1, 1], [3, 1, 1]], float
    ), np.arange(6).reshape(2, 3), np.array([0, 1])
    few = impinge.contours(*given)
    many = impinge.contours(*soup(200, 0.2))
    for one, other in ((few, many), (many, few)):
        assert contours.of_impinge(one) == contours.of_impinge(one) != contours.of_impinge(other)
    sheet, other = Sheet(), ([[0, 1]], points[:2])
    contours.judge(sheet, "a table", {contours.CONTOURS: few, contours.TRUEFORM: other})
    contours.judge(sheet, "a table", {contours.CONTOURS: impinge.contours(points, triangles[:1])})
    assert len(sheet.faults) == 2 and "4 long" in sheet.faults[0] and "no curve" in sheet.faults[1], sheet.faults
    sheet, parts = Sheet(), impinge.regions(*given)
    contours.judge_parts(sheet, "a table", {contours.REGIONS: parts, contours.PARTS: 4}, 1)
    assert len(sheet.faults) == 1 and "4 parts" in sheet.faults[0], sheet.faults


main(globals())
