"""What is drawn of a frame: triangles, with contacts and objects of each, and curves."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .palette import Palette

LINES = 50_000  # segments that are drawn of a frame at most
AROUND = 2.5  # the size of what is seen at first, in those of the contacts
LEAST_SEEN = 0.2  # and in those of all, at least


class Drawing(NamedTuple):
    """Of one frame of the batch."""

    points: np.ndarray  #: (n, 3) floats
    faces: np.ndarray  #: (m, 3) int64
    counts: np.ndarray  #: (m,) int64, contacts of the primitive of each face
    groups: np.ndarray  #: (m,) int64, the group of objects of each face
    ends: np.ndarray  #: (k, 2, 3) float64, segments of contacts
    left_out: int  #: faces that are not drawn
    lines_left_out: int


class Surfaces:
    """Faces of frames. Those of the last one are kept, since most batches have the same in all."""

    def __init__(self) -> None:
        self._last: tuple = (None, None, None, None)

    def of(self, frame: Any) -> tuple:
        """(m, 3) corners of each face, and (m,) the primitive that it is of."""
        triangles, corner_count, faces, owner = self._last
        if triangles is None or not (
            _same(triangles, frame.triangles) and _same(corner_count, frame.corner_count)
        ):
            faces, owner = _surface(frame.triangles, frame.corner_count)
            self._last = (frame.triangles, frame.corner_count, faces, owner)
        return faces, owner


def _same(one: np.ndarray | None, other: np.ndarray | None) -> bool:
    return one is other is None if one is None or other is None else np.array_equal(one, other)


def _surface(cells: np.ndarray, corner_count: np.ndarray | None) -> tuple:
    """Triangles, and the faces of tetrahedra that only one has."""
    if cells.shape[1] == 3:
        return cells, np.arange(len(cells))
    solid = np.full(len(cells), True) if corner_count is None else corner_count == 4
    flat = np.flatnonzero(~solid)
    inside = np.flatnonzero(solid)
    sides = cells[inside][:, [[0, 1, 3], [1, 2, 3], [2, 0, 3], [0, 2, 1]]].reshape(-1, 3)
    outer = _once(np.sort(sides, axis=1))
    faces = np.concatenate([cells[flat, :3], sides[outer]])
    return faces, np.concatenate([flat, np.repeat(inside, 4)[outer]])


def _once(rows: np.ndarray) -> np.ndarray:
    """The numbers of rows that occur once."""
    order = np.lexsort(rows.T)
    new = np.full(len(rows) + 1, True)
    new[1:-1] = (rows[order[1:]] != rows[order[:-1]]).any(axis=1)
    return np.sort(order[new[1:] & new[:-1]])


def drawing(
    frame: Any, contacts: Any, surfaces: Surfaces, palette: Palette, most: int | None = None
) -> Drawing:
    """`most` faces at most: those that are the fewest edges away from a contact."""
    faces, owner = surfaces.of(frame)
    rows = frame.rows(np.concatenate([contacts.a, contacts.b]))
    counts = np.bincount(rows, minlength=len(frame.triangles))[owner]
    finite = np.isfinite(frame.points).all(axis=1)
    kept = np.full(len(faces), True) if finite.all() else finite[faces].all(axis=1)
    kept = np.flatnonzero(kept)
    if most is not None and most < len(kept):
        kept = kept[_nearest(faces[kept], counts[kept], len(frame.points), most)]
    points, drawn = _used(frame.points, faces[kept])
    ends, without = _segments(contacts)
    objects = np.zeros(len(frame.triangles), np.int64) if frame.objects is None else frame.objects
    groups = palette.group(objects[owner[kept]])
    return Drawing(points, drawn, counts[kept], groups, ends, len(faces) - len(kept), without)


def _used(points: np.ndarray, faces: np.ndarray) -> tuple:
    """Without the points that no face has."""
    used = np.zeros(len(points), bool)
    used[faces] = True
    return points[used], (np.cumsum(used) - 1)[faces]


def _nearest(faces: np.ndarray, counts: np.ndarray, vertices: int, most: int) -> np.ndarray:
    """Faces with contacts, then ring by ring those that share a vertex with them."""
    near = counts > 0
    if near.sum() > most:
        return np.sort(np.argsort(-counts, kind="stable")[:most])
    while True:
        touched = np.zeros(vertices, bool)
        touched[faces[near]] = True
        wider = touched[faces].any(axis=1)
        if wider.sum() > most or (wider == near).all():
            return np.flatnonzero(near)
        near = wider


def _segments(contacts: Any) -> tuple:
    """Evenly chosen ones, if there are too many, and the number of the others."""
    total = len(contacts)
    if total <= LINES:
        return contacts.ends, 0
    return contacts.ends[np.linspace(0, total - 1, LINES).astype(np.int64)], total - LINES


def fits(frame: Any, contacts: Any, exact: bool) -> bool:
    """Whether contacts can be of this frame: the primitives are there, and, with `exact`, points
    are within the bounds of both."""
    if not len(contacts):
        return True
    for side, numbers in enumerate((contacts.a, contacts.b)):
        cells = frame.rows(numbers)
        # of two that do not meet, and of a vertex inside, each has one end
        apart = contacts.distance is not None or contacts.vertex is not None
        ends = contacts.ends[:, side : side + 1] if apart else contacts.ends
        if int(cells.max()) >= len(frame.triangles):
            return False
        if frame.cells is not None and (frame.cells[cells] != numbers).any():
            return False
        if exact and not _within(frame, cells, ends):
            return False
    return True


def _within(frame: Any, cells: np.ndarray, ends: np.ndarray) -> bool:
    corners = frame.points[frame.triangles[cells]]
    if frame.corner_count is not None:
        corners[frame.corner_count[cells] == 3, 3:] = corners[frame.corner_count[cells] == 3, :1]
    low, high = corners.min(axis=1)[:, None], corners.max(axis=1)[:, None]
    slack = 1e-6 * (high - low).max(axis=2, keepdims=True) + 1e-6 * np.abs(corners).max()
    return bool(((ends >= low - slack) & (ends <= high + slack)).all())


def shapes(ends: np.ndarray, short: float) -> tuple[np.ndarray, np.ndarray]:
    """(k, 2, 3) lines, and (n, 3) dots: in place of lines that join, by the bits of their ends, to
    something that is all shorter than `short`."""
    if not len(ends):
        return ends, np.zeros((0, 3))
    which = _joined(ends)
    size = np.zeros((which.max() + 1, 3))
    low, high = size + np.inf, size - np.inf
    for end in (ends[:, 0], ends[:, 1]):
        np.minimum.at(low, which, end)
        np.maximum.at(high, which, end)
    dots = np.linalg.norm(high - low, axis=1) < short
    return ends[~dots[which]], ((low + high) / 2)[dots]


def _joined(ends: np.ndarray) -> np.ndarray:
    """The number of the connected part that each line is of, in the order of their first lines."""
    _, point = np.unique((ends + 0.0).reshape(-1, 3), axis=0, return_inverse=True)
    a, b = point.reshape(-1, 2).T
    least = np.arange(point.max() + 1)
    while (
        True
    ):  # each point takes the least number that it is joined with, then that one's, and so on
        before = least.copy()
        both = np.minimum(least[a], least[b])
        np.minimum.at(least, a, both)
        np.minimum.at(least, b, both)
        least = least[least]
        if (least == before).all():
            break
    _, first, which = np.unique(least[a], return_index=True, return_inverse=True)
    place = np.empty(len(first), np.int64)
    place[np.argsort(first)] = np.arange(len(first))
    return place[which.reshape(-1)]


def region(drawn: Drawing, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A box around the contacts and what is near them, in the box of all, from low to high."""
    if not len(drawn.ends):
        return low, high
    ends = drawn.ends.reshape(-1, 3)
    first, last = (np.quantile(ends, q, axis=0) for q in (0.005, 0.995))
    half = max(AROUND * float((last - first).max()) / 2, LEAST_SEEN * float((high - low).max()) / 2)
    middle = (first + last) / 2
    return np.minimum(np.maximum(middle - half, low), first), np.maximum(
        np.minimum(middle + half, high), last
    )
