"""USD: the cells of a mesh, and its points where its transform has them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .mesh import POLYGON, TETRAHEDRON, TRIANGLE, Piece
from .numbered import Bad

HOLE = "a face that is a hole (holeIndices), which is left out"
SAME = np.eye(4)
THIN = {0: 0, 1: 1, 2: 3}  # VTK's types of faces without area, which are counted


class Cells(NamedTuple):
    types: np.ndarray
    ends: np.ndarray
    corners: np.ndarray
    ids: np.ndarray  #: numbers of faces, or of tetrahedra
    groups: np.ndarray  #: 0, or 1 + the number of the first GeomSubset that has it
    names: tuple  #: "" and those of GeomSubsets
    holes: int
    odd: int  #: GeomSubsets of something else than cells
    least: int  #: of the points that it uses
    most: int
    other: np.ndarray  #: corners of the cells the other way round


def array_of(prim: Any, name: str, time: Any, kind: Any = None) -> np.ndarray:
    """The value of an attribute; without one an empty array."""
    attribute = prim.GetAttribute(name)
    value = attribute.Get(time) if attribute else None
    if value is None or not len(value):
        return np.zeros(0, kind or np.float32)
    made = np.asarray(value)
    return made if kind is None else made.astype(kind, copy=False)


def turned(ends: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Each cell the other way round, from the same first corner."""
    sizes = np.diff(ends, prepend=0).astype(np.int64)
    first = ends - sizes
    start, size = np.repeat(first, sizes), np.repeat(sizes, sizes)
    return corners[start + (start - np.arange(len(corners))) % np.maximum(size, 1)]


def _faces(prim: Any, time: Any) -> tuple:
    """Types, ends, corners and numbers of faces, and how many are holes."""
    path = prim.GetPath()
    sizes = array_of(prim, "faceVertexCounts", time, np.int64)
    corners = array_of(prim, "faceVertexIndices", time, np.int64)
    if len(sizes) and sizes.min() < 0:
        raise Bad(f"{path}: a face of {sizes.min()} corners")
    if sizes.sum() != len(corners):
        raise Bad(f"{path}: {sizes.sum()} corners of faces, and {len(corners)} faceVertexIndices")
    kept = np.ones(len(sizes), bool)
    holes = array_of(prim, "holeIndices", time, np.int64)
    bad = holes[(holes < 0) | (holes >= len(sizes))]
    if len(bad):
        raise Bad(f"{path}: holeIndices: there is no face {bad[0]}; it has {len(sizes)}")
    kept[holes] = False
    types = np.where(sizes == 3, TRIANGLE, POLYGON)
    for size, kind in THIN.items():
        types[sizes == size] = kind
    left = int((~kept).sum())
    if left:
        corners = corners[np.repeat(kept, sizes)]
    return types[kept], np.cumsum(sizes[kept]), corners, np.flatnonzero(kept), left


def _tetrahedra(prim: Any, time: Any) -> tuple:
    corners = array_of(prim, "tetVertexIndices", time, np.int64).ravel()
    number = np.arange(len(corners) // 4)
    return np.full(len(number), TETRAHEDRON), 4 * (number + 1), corners, number, 0


def cells_of(geom: Any, prim: Any, time: Any) -> Cells:
    """All of a mesh, in its own order of corners."""
    solid = prim.IsA(geom.TetMesh)
    types, ends, corners, ids, holes = (_tetrahedra if solid else _faces)(prim, time)
    if geom.Gprim(prim).GetOrientationAttr().Get(time) == "leftHanded":
        corners = turned(ends, corners)
    count = int(ids[-1]) + 1 if len(ids) else 0
    groups, names, odd = np.zeros(count, np.int64), [""], 0
    for subset in geom.Subset.GetAllGeomSubsets(geom.Imageable(prim)):
        if subset.GetElementTypeAttr().Get() != ("tetrahedron" if solid else "face"):
            odd += 1
            continue
        names.append(subset.GetPrim().GetName())
        rows = array_of(subset.GetPrim(), "indices", time, np.int64)
        if len(rows) and rows.min() < 0:
            raise Bad(f"{subset.GetPath()}: there is no face {rows.min()}")
        total = len(array_of(prim, "faceVertexCounts", time)) or count
        if len(rows) and rows.max() >= total:
            raise Bad(f"{subset.GetPath()}: there is no face {rows.max()}; the mesh has {total}")
        rows = rows[rows < count]
        groups[rows[groups[rows] == 0]] = len(names) - 1
    least, most = (int(corners.min()), int(corners.max())) if len(corners) else (0, -1)
    types, other = types.astype(np.uint8), turned(ends, corners)
    groups = groups[ids]
    return Cells(types, ends, corners, ids, groups, tuple(names), holes, odd, least, most, other)


def moved(points: np.ndarray, matrices: np.ndarray) -> np.ndarray:
    """Points by each matrix (k, 4, 4) of USD, whose last row is the shift: (k n, 3) float64. Sums
    in one order, without BLAS: the same bits on every machine. The identity moves nothing."""
    if len(matrices) == 1 and (matrices[0] == SAME).all():
        return points
    if (matrices[:, :, 3] != (0, 0, 0, 1)).any():
        raise Bad("a transform that is not affine")
    x, y, z = (np.ascontiguousarray(points[:, axis], np.float64)[None] for axis in range(3))
    made = np.empty((len(matrices), len(points), 3))
    for axis in range(3):
        a, b, c, d = (matrices[:, row, axis, None] for row in range(4))
        made[:, :, axis] = x * a + y * b + z * c + d
    return made.reshape(-1, 3)


def mirrors(matrices: np.ndarray) -> np.ndarray:
    """Which of them turn right-handed into left-handed."""
    m = matrices[:, :3, :3]
    rest = m[:, 1, 1] * m[:, 2, 2] - m[:, 1, 2] * m[:, 2, 1]
    det = m[:, 0, 0] * rest
    det -= m[:, 0, 1] * (m[:, 1, 0] * m[:, 2, 2] - m[:, 1, 2] * m[:, 2, 0])
    det += m[:, 0, 2] * (m[:, 1, 0] * m[:, 2, 1] - m[:, 1, 1] * m[:, 2, 0])
    return det < 0


def piece_of(
    points: np.ndarray, cells: Cells, corners: np.ndarray, names: list, groups: bool
) -> Piece:
    """Cells of a mesh that is at one or more places, each an object with its name. `points`: of
    all places, one after the other."""
    k, of, each = len(names), names, cells.groups
    step = len(cells.names) if groups else 1
    if k * step == 1:
        return Piece(points, cells.types, cells.ends, corners, of[0], ids=cells.ids)
    if groups:
        of = ["/".join(filter(None, (place, own))) for place in names for own in cells.names]
    else:
        each = np.zeros(len(cells.ids), np.int64)
    number, size = len(cells.ids), len(points) // k if k else 0
    at = np.repeat(np.arange(k), number)
    used = int(cells.ends[-1]) if number else 0
    return Piece(
        points,
        np.tile(cells.types, k),
        np.tile(cells.ends, k) + at * used,
        np.tile(corners[:used], k) + np.repeat(np.arange(k), used) * size,
        "",
        np.tile(each, k) + at * step,
        tuple(of),
        np.tile(cells.ids, k),
    )
