"""Meshes of nothing but triangles without area, or tetrahedra without volume: their contacts say little."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._library import tell

_FIRST = 1024  # rows that are looked at before all
_FLAT = 1e-12  # of the product of the lengths of edges


def tell_flat(points: np.ndarray, corner: np.ndarray, counts: Any, names: Any, objects: Any) -> None:
    """Warns of a mesh that is flat as a whole; objects: (m,), of several that follow each other, each of
    which is looked at."""
    if corner.shape[1] < 3 or not len(corner):
        return
    if objects is None:
        if _all_flat(points, corner, counts):
            tell(_said(corner, counts))
        return
    first = np.searchsorted(objects, np.arange(len(names) + 1))
    some = np.flatnonzero(first[1:] > first[:-1])
    row = first[some]
    for number in some[_flat(points, corner[row], None if counts is None else counts[row])].tolist():
        rows = slice(first[number], first[number + 1])
        own = None if counts is None else counts[rows]
        if _all_flat(points, corner[rows], own):
            tell(f"{names[number]}: {_said(corner[rows], own)}")


def _said(corner: np.ndarray, counts: Any) -> str:
    solids = corner.shape[1] == 4 if counts is None else bool((counts == 4).any())
    if not solids:
        return f"all {len(corner)} triangles have no area"
    quads = "; if they are quads, give triangles, two for each"
    return f"all {len(corner)} tetrahedra have no volume{quads}"


def _all_flat(points: np.ndarray, corner: np.ndarray, counts: Any) -> bool:
    for end in (_FIRST, len(corner)):
        if not _flat(points, corner[:end], None if counts is None else counts[:end]).all():
            return False
    return True


def _flat(points: np.ndarray, corner: np.ndarray, counts: Any) -> np.ndarray:
    """(m,) bool. Not where numbers are no vertices, or points are not finite: that is told elsewhere."""
    if (corner[:, :3] >= len(points)).any() or (counts is not None and (counts < 3).any()):
        return np.zeros(len(corner), bool)
    solid = np.full(len(corner), corner.shape[1] == 4) if counts is None else counts == 4
    with np.errstate(all="ignore"):
        at = points[corner[:, :3]].astype(np.float64)
        u, v = at[:, 1] - at[:, 0], at[:, 2] - at[:, 0]
        normal = np.cross(u, v)
        flat = _length(normal) <= _FLAT * _length(u) * _length(v)
        if solid.any():
            last = np.where(solid, corner[:, -1], 0)
            w = points[np.minimum(last, len(points) - 1)].astype(np.float64) - at[:, 0]
            volume = np.abs((normal * w).sum(axis=1))
            flat = np.where(solid, volume <= _FLAT * _length(u) * _length(v) * _length(w), flat)
    return flat


def _length(rows: np.ndarray) -> np.ndarray:
    return np.sqrt((rows * rows).sum(axis=1))
