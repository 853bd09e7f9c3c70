"""Sets of pairs (bench/python/pair_sets.py) and distances in rational numbers (meet.py), which other tests compare with
impinge's own."""

import sys
import unittest
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

try:
    import numpy as np
except ImportError:
    print("skipped: no numpy, so sets of pairs are not tested")
    sys.exit(0)

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench/python"))
import meet
import pair_sets

STRIP = np.array([[0, 1, 2], [2, 1, 3], [4, 5, 6]])
KINDS = SimpleNamespace(VERTEX_FACE=6, EDGE_EDGE=7)
TRIANGLE = ((0, 0, 0), (4, 0, 0), (0, 4, 0))


def rows(*some):
    """(a, b, kind, feature_a, feature_b) of each."""
    columns = np.array(some).T
    return SimpleNamespace(**dict(zip(("a", "b", "kind", "feature_a", "feature_b"), columns)))


class Pairs(unittest.TestCase):
    def test_triangles(self):
        """In any order of both, each once."""
        found = pair_sets.triangle_pairs(np.array([2, 0, 1]), np.array([0, 2, 2]), STRIP)
        self.assertEqual(found.tolist(), [2, 5])

    def test_faces(self):
        self.assertEqual(pair_sets.face_pairs([6, 0, 6], [0, 2, 0], STRIP).tolist(), [2, 18])

    def test_edges(self):
        edges = pair_sets.Edges(STRIP)
        ends = [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3], [4, 5], [4, 6], [5, 6]]
        self.assertEqual(edges.ends.tolist(), ends)
        self.assertEqual(edges.numbers(np.array([[2, 1], [6, 5], [0, 1]])).tolist(), [2, 7, 0])
        self.assertEqual(edges.pairs(np.array([7, 2, 2]), np.array([2, 7, 0])).tolist(), [2, 23])
        for unknown in ([[0, 3]], [[5, 9]]):
            with self.assertRaises(ValueError):
                edges.numbers(np.array(unknown))

    def test_features(self):
        edges = pair_sets.Edges(STRIP)
        found = rows((0, 2, 6, -1, 5), (1, 2, 6, 3, -1), (0, 2, 7, 2, 1), (1, 2, 7, 0, 2))
        faces, pairs = pair_sets.features(found, STRIP, edges, KINDS)
        self.assertEqual(faces.tolist(), [3 * 3 + 2, 5 * 3 + 0])
        self.assertEqual(pairs.tolist(), [1 * 8 + 7, 2 * 8 + 6])
        with self.assertRaises(ValueError):
            pair_sets.features(rows((0, 2, 9, 1, 5)), STRIP, edges, KINDS)

    def test_beside(self):
        false, missed = pair_sets.beside(np.array([1, 3, 4]), np.array([0, 3, 5, 6]))
        self.assertEqual((false.tolist(), missed.tolist()), ([1, 4], [0, 5, 6]))

    def test_room(self):
        self.assertEqual(pair_sets.dropped([0, 8, 9, 20], 8), 13)
        self.assertEqual(pair_sets.offsets(np.array([2, 0, 3], np.int32)).tolist(), [0, 2, 2, 5])
        with self.assertRaises(OverflowError):
            pair_sets.offsets(np.full(2, 2**30, np.int32))

    def test_some(self):
        self.assertEqual(pair_sets.some(np.arange(10), 4).tolist(), [0, 3, 6, 9])
        self.assertEqual(len(pair_sets.some(np.arange(9), 9)), 9)
        self.assertEqual(len(pair_sets.some(np.arange(0), 9)), 0)


class Distances(unittest.TestCase):
    def test_vertex_and_face(self):
        for point, square in (
            ((1, 1, 3), 9),
            ((1, 1, 0), 0),
            ((-3, -4, 0), 25),
            ((2, -1, 2), 5),
            ((4, 4, 1), 9),
            ((7, 0, 4), 25),
        ):
            for corners in (TRIANGLE, TRIANGLE[::-1]):
                self.assertEqual(meet.vertex_face(point, corners), square, point)
        self.assertEqual(meet.vertex_face((0, 3, 0), ((0, 0, 0), (1, 0, 0), (4, 0, 0))), 9)  # no area

    def test_two_edges(self):
        one = ((0, 0, 0), (4, 0, 0))
        for other, square in (
            (((1, -1, 2), (1, 1, 2)), 4),
            (((1, 0, 0), (1, 1, 5)), 0),
            (((7, 4, 0), (7, 9, 1)), 25),
            (((1, 2, 0), (9, 2, 0)), 4),
            (((6, 0, 0), (9, 0, 0)), 4),
            (((1, 1, 0), (3, 3, 0)), 1),
            (((2, 5, 0), (2, 5, 0)), 25),
        ):
            self.assertEqual(meet.edge_edge(one, other), square, other)
            self.assertEqual(meet.edge_edge(other[::-1], one), square, other)
        third = meet.edge_edge(((0, 0, 0), (1, 1, 1)), ((1, 0, 0), (0, 1, 0)))
        self.assertEqual(third, Fraction(1, 6))


if __name__ == "__main__":
    unittest.main()
