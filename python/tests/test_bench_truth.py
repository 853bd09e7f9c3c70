"""The benchmark's verdicts beside CGAL, small: none of impinge's differs, and one that did would be found."""

import sys
from pathlib import Path

import numpy as np
from common import folder, main

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "bench/python"))
import meet  # noqa: E402
import truth  # noqa: E402
from measure import Sheet  # noqa: E402

CGAL = ROOT / "build/bench/cgal"


def figures(sheet):
    return {(x.table, x.row, x.column): x.value for x in sheet.figures}


def rational(points, triangles, pairs):
    return np.array([meet.meet(points[triangles[a]], points[triangles[b]]) for a, b in pairs])


def test_cgal():
    """Where it was compiled."""
    if not CGAL.exists():
        print("skipped: no build/bench/cgal (./dev bench --truth), so verdicts are not compared with CGAL")
        return
    with folder() as where:
        sheet = truth.compare(Path(where), CGAL, True)
    found = figures(sheet)
    assert not sheet.faults, sheet.faults
    for table in (truth.AREA, truth.FLAT, truth.FAR):
        assert found[truth.ALL, table, truth.PAIRS] > found[truth.ALL, table, truth.MEET] > 1000
    assert found.get((truth.ALL, truth.AREA, truth.IGL), 0) == 0, found


def test_soups():
    """impinge's verdicts are those of rational numbers."""
    pairs = np.stack(np.triu_indices(30, 1), axis=1)
    for scene in truth.soups(True):
        has_area = truth.has_area(scene.points[scene.triangles])
        assert has_area.all() == (scene.table == truth.AREA) and has_area.any()
        if scene.table == truth.AREA:
            right = rational(scene.points, scene.triangles, pairs)
            assert 0 < right.sum() < len(right)
            ours, others = truth.by_impinge(scene.points, scene.triangles, pairs)
            assert (ours == right).all() and others > 0
            judged(scene, right, ours)


def judged(scene, right, ours):
    """Another verdict is a difference, and so is a pair that is none of those."""
    for verdicts, others, differs in ((ours, 0, 0), (~ours, 0, len(right)), (ours, 1, 1)):
        sheet = Sheet()
        truth.judge(sheet, scene, right, verdicts, others, ~right, 1.0)
        truth.sums(sheet)
        found = figures(sheet)
        assert found[truth.ALL, scene.table, truth.DIFFERS] == differs and len(sheet.faults) == (differs > 0)
        assert found[truth.ALL, scene.table, truth.IGL] == len(right)


main(globals())
