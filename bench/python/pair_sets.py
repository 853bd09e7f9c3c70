"""Sets of pairs as numbers: those of triangles, of vertices with faces, of edges. What one set has beyond another,
and what buffers of a fixed size drop. Needs NumPy alone."""

from typing import NamedTuple

import numpy as np


def triangle_pairs(a, b, triangles):
    """A number for each pair, in any order of both; sorted, each once."""
    return np.unique(np.minimum(a, b).astype(np.int64) * len(triangles) + np.maximum(a, b))


def face_pairs(vertices, faces, triangles):
    return np.unique(np.asarray(vertices, np.int64) * len(triangles) + faces)


class Edges:
    """All edges of a mesh, by number."""

    def __init__(self, triangles):
        self.base = int(triangles.max()) + 1
        self.keys = np.unique(self._keys(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)))
        self.ends = np.stack([self.keys // self.base, self.keys % self.base], 1)

    def _keys(self, ends):
        ends = np.sort(ends, axis=1).astype(np.int64)
        return ends[:, 0] * self.base + ends[:, 1]

    def numbers(self, ends):
        """Of edges given by both of their vertices, (n, 2); one that is not in the mesh is an error."""
        keys = self._keys(ends)
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        if not (self.keys[at] == keys).all():
            raise ValueError("an edge that the mesh does not have")
        return at

    def pairs(self, a, b):
        """a, b: numbers of edges."""
        return np.unique(np.minimum(a, b).astype(np.int64) * len(self.keys) + np.maximum(a, b))


def features(found, triangles, edges, kinds):
    """Rows of impinge between features of triangles: pairs of vertices and faces, and of edges, as above."""
    face, edge = found.kind == kinds.VERTEX_FACE, found.kind == kinds.EDGE_EDGE
    if not (face | edge).all():
        raise ValueError("features that are none of a triangle")
    first = found.feature_a[face] < 0  # the side of the face
    vertex = np.where(first, found.feature_b[face], found.feature_a[face])
    primitive = np.where(first, found.a[face], found.b[face])
    numbers = [
        edges.numbers(triangles[side[edge, None], np.stack([of[edge], (of[edge] + 1) % 3], 1)])
        for side, of in ((found.a, found.feature_a), (found.b, found.feature_b))
    ]
    return face_pairs(vertex, primitive, triangles), edges.pairs(*numbers)


class Beside(NamedTuple):
    false: np.ndarray  # in the set, not in truth
    missed: np.ndarray  # in truth, not in the set


def beside(found, truth):
    """Both sorted, each pair once."""
    return Beside(np.setdiff1d(found, truth, True), np.setdiff1d(truth, found, True))


def dropped(counts, room):
    """Records that rows of `room` places each do not hold. counts: of each row."""
    return int(np.maximum(np.asarray(counts, np.int64) - room, 0).sum())


def offsets(counts):
    """Where rows begin that hold all records, and the end of the last."""
    made = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=made[1:])
    if made[-1] > np.iinfo(np.int32).max // 2:
        raise OverflowError(f"{made[-1]} records: their places are no int32")
    return made.astype(np.int32)


def some(pairs, most):
    """Evenly spaced, at most so many, the first one among them."""
    return pairs[:: max(1, -(-len(pairs) // most))]
