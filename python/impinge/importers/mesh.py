"""What is read: cells of VTK's types, in pieces, which become one mesh."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from .._cells import TETRAHEDRON, TRIANGLE, Mesh, uniform
from .._library import error, lib
from .._names import distinct
from . import notes

STRIP, POLYGON, PIXEL, QUAD = 6, 7, 8, 9
VOXEL, HEXAHEDRON, WEDGE, PYRAMID = 11, 12, 13, 14
READ = (TRIANGLE, STRIP, POLYGON, PIXEL, QUAD, TETRAHEDRON)
# those whose skin is read; without it, only tetrahedra are
SOLIDS = (TETRAHEDRON, VOXEL, HEXAHEDRON, WEDGE, PYRAMID)
# empty cells, points and lines, and lines of higher order
SKIPPED = (0, 1, 2, 3, 4, 21, 35, 60, 68, 75)
# cells of any order, Lagrange and Bezier: with the corners of the linear cell they are that
_LINEAR = {
    69: TRIANGLE, 76: TRIANGLE, 70: QUAD, 77: QUAD, 71: TETRAHEDRON, 78: TETRAHEDRON,
    72: HEXAHEDRON, 79: HEXAHEDRON, 73: WEDGE, 80: WEDGE, 74: PYRAMID, 81: PYRAMID,
}  # fmt: skip

# least and most corners of those that are read
_corners = {
    TRIANGLE: (3, 3), PIXEL: (4, 4), QUAD: (4, 4), TETRAHEDRON: (4, 4),
    VOXEL: (8, 8), HEXAHEDRON: (8, 8), WEDGE: (6, 6), PYRAMID: (5, 5),
}  # fmt: skip

# one, several
_names = {
    TRIANGLE: ("triangle", "triangles"),
    STRIP: ("triangle strip", "triangle strips"),
    POLYGON: ("polygon", "polygons"),
    PIXEL: ("pixel", "pixels"),
    QUAD: ("quad", "quads"),
    TETRAHEDRON: ("tetrahedron", "tetrahedra"),
    11: ("voxel", "voxels"),
    12: ("hexahedron", "hexahedra"),
    13: ("wedge", "wedges"),
    14: ("pyramid", "pyramids"),
    15: ("pentagonal prism", "pentagonal prisms"),
    16: ("hexagonal prism", "hexagonal prisms"),
    22: ("quadratic triangle", "quadratic triangles"),
    23: ("quadratic quad", "quadratic quads"),
    24: ("quadratic tetrahedron", "quadratic tetrahedra"),
    25: ("quadratic hexahedron", "quadratic hexahedra"),
    26: ("quadratic wedge", "quadratic wedges"),
    27: ("quadratic pyramid", "quadratic pyramids"),
    28: ("biquadratic quad", "biquadratic quads"),
    29: ("triquadratic hexahedron", "triquadratic hexahedra"),
    34: ("biquadratic triangle", "biquadratic triangles"),
    36: ("quadratic polygon", "quadratic polygons"),
    42: ("polyhedron", "polyhedra"),
    69: ("Lagrange triangle", "Lagrange triangles"),
    70: ("Lagrange quad", "Lagrange quads"),
    71: ("Lagrange tetrahedron", "Lagrange tetrahedra"),
    72: ("Lagrange hexahedron", "Lagrange hexahedra"),
    73: ("Lagrange wedge", "Lagrange wedges"),
    74: ("Lagrange pyramid", "Lagrange pyramids"),
    76: ("Bezier triangle", "Bezier triangles"),
    77: ("Bezier quad", "Bezier quads"),
    78: ("Bezier tetrahedron", "Bezier tetrahedra"),
    79: ("Bezier hexahedron", "Bezier hexahedra"),
    80: ("Bezier wedge", "Bezier wedges"),
    81: ("Bezier pyramid", "Bezier pyramids"),
}


def input_error(file: object, text: object) -> Exception:
    """The exception for a file, in one line."""
    return error(lib.IMP_ERR_INPUT, f"{file}: " + " ".join(str(text).split()))


def lasting(known: dict, bodies: list) -> list:
    """distinct() names of bodies, each a number and a title; `known` keeps them in all frames,
    whichever bodies are there."""
    seen: Counter = Counter()
    keys = []
    for body in bodies:
        keys.append((*body, seen[body]))
        seen[body] += 1
    fresh = [key for key in keys if key not in known]
    names = distinct([*known.values(), *(title for _, title, _ in fresh)])
    known.update(zip(fresh, names[len(known) :]))
    return [known[key] for key in keys]


class Piece(NamedTuple):
    """Cells with points of their own: a block, or a whole file."""

    points: np.ndarray  #: (n, 3) float32 or float64
    types: np.ndarray  #: (m,) VTK's numbers
    ends: np.ndarray  #: (m,) where the corners of each cell end
    corners: np.ndarray  #: (k,) rows of points
    name: str = ""  #: of its object
    groups: np.ndarray | None = None  #: (m,) rows of group_names, or None: all are in object `name`
    group_names: tuple = ()
    ids: np.ndarray | None = None  #: (m,) what the file calls its cells; None: 0, 1, 2, ...
    arrays: dict = {}  #: name: (m,) integers of the cells
    nodes: np.ndarray | None = None  #: (n,) points of one number in several pieces are one point
    #: the piece with corners that are made only for a skin: of volumes without a list of cells
    solid: Callable[[], Piece] | None = None


def as_points(points: np.ndarray) -> np.ndarray:
    """(n, 3) in the precision that they have; points of a plane get z = 0, integers are float64."""
    points = np.asarray(points)
    if points.ndim != 2 or points.shape[1] > 3:
        points = points.reshape(-1, 3)
    if points.dtype.newbyteorder("=") != np.float32:
        points = points.astype(np.float64)
    points = points.astype(points.dtype.newbyteorder("="), copy=False)
    missing = 3 - points.shape[1]
    return np.pad(points, ((0, 0), (0, missing))) if missing else np.ascontiguousarray(points)


def bare(kind: int, count: int) -> tuple:
    """types, ends and corners of cells that are only counted, and so have no corners."""
    return uniform(kind, np.zeros((count, 0), np.int64))


def quads(rows: int, columns: int) -> np.ndarray:
    """(m, 4) corners of the cells of a grid of points, which come row by row."""
    at = np.arange(rows * columns).reshape(rows, columns)
    corners = at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]
    return np.stack(corners, 2).reshape(-1, 4)


def bricks(layers: int, rows: int, columns: int) -> np.ndarray:
    """(m, 8) corners of the hexahedra of a grid of points, which come layer by layer."""
    at = np.arange(layers * rows * columns).reshape(layers, rows, columns)
    below, above = at[:-1], at[1:]
    corners = [
        face[:, y, x]
        for face in (below, above)
        for y, x in (
            (slice(None, -1), slice(None, -1)), (slice(None, -1), slice(1, None)),
            (slice(1, None), slice(1, None)), (slice(1, None), slice(None, -1)),
        )
    ]  # fmt: skip
    return np.stack(corners, 3).reshape(-1, 8)


def volume(points: Callable[[], np.ndarray], size: tuple, name: str = "") -> Piece:
    """A grid of layers, rows and columns of points, whose cells and points are made for a skin
    alone."""

    def solid() -> Piece:
        types, ends, corners = uniform(HEXAHEDRON, bricks(*size))
        return Piece(points(), types, ends, corners, name)

    count = int(np.prod(np.array(size) - 1))
    types, ends, corners = bare(HEXAHEDRON, count)
    return Piece(np.zeros((0, 3)), types, ends, corners, name, solid=solid)


def _counted(counts: dict) -> str:
    texts = []
    for (kind, corners), count in counts.items():
        plain = (f"cell of VTK type {kind}", f"cells of VTK type {kind}")
        of = f" of {corners} points" if corners else ""
        texts.append(f"{count} {_names.get(kind, plain)[count > 1]}{of}")
    return ", ".join(texts)


def _linear(piece: Piece, sizes: np.ndarray, read: tuple) -> Piece:
    """Cells of any order that have the corners of the linear cell alone are linear."""
    if not np.isin(piece.types, list(_LINEAR)).any():
        return piece
    types = piece.types.copy()
    for kind, plain in _LINEAR.items():
        if plain in read:
            types[(piece.types == kind) & (sizes == _corners[plain][0])] = plain
    return piece._replace(types=types)


def _check_types(file: object, types: np.ndarray, sizes: np.ndarray, read: tuple) -> None:
    """An error that counts the cells that are not read, those of any order by their points."""
    others: dict = {}
    for kind, count in zip(*np.unique(types, return_counts=True)):
        if kind in read + SKIPPED:
            continue
        of = (
            np.unique(sizes[types == kind], return_counts=True)
            if 69 <= kind <= 81
            else ([0], [count])
        )
        others.update({(int(kind), int(k)): int(n) for k, n in zip(*of)})
    if others:
        verb = "is" if sum(others.values()) == 1 else "are"
        hint = "; --skin reads the surface of solids" if _solid(others) else ""
        raise input_error(file, f"{_counted(others)}, which {verb} not read{hint}")


def _solid(counts: dict) -> bool:
    """Are all of them read with a skin?"""
    linear = ((kind, _LINEAR.get(kind, kind), corners) for kind, corners in counts)
    return all(
        plain in SOLIDS and (plain == kind or corners == _corners[plain][0])
        for kind, plain, corners in linear
    )


def _check_corners(file: object, piece: Piece, sizes: np.ndarray, read: tuple) -> None:
    if len(sizes) and (sizes.min() < 0 or piece.ends[-1] > len(piece.corners)):
        raise input_error(file, "the cells' offsets are not valid")
    for kind in read:
        of = sizes[piece.types == kind]
        least, most = _corners.get(kind, (3, 2**31))
        bad = of[(of < least) | (of > most)]
        if len(bad):
            raise input_error(file, f"a {_names[kind][0]} of {bad[0]} points")
    used = piece.corners[: piece.ends[-1]] if len(sizes) else piece.corners[:0]
    bad = used[(used < 0) | (used >= len(piece.points))]
    if len(bad):
        raise input_error(file, f"there is no point {bad[0]}; the file has {len(piece.points)}")


def _only_read(file: object, piece: Piece, skin: bool) -> tuple:
    """The piece without points and lines, and the number of these."""
    if skin and piece.solid:
        made = piece.solid()
        piece = piece._replace(
            points=made.points, ends=made.ends, corners=made.corners, nodes=made.nodes
        )
    read = READ + SOLIDS if skin else READ
    ids = piece.ids if piece.ids is not None else np.arange(len(piece.types), dtype=np.int64)
    piece = piece._replace(ids=ids)
    first = np.concatenate([[0], piece.ends[:-1]]) if len(piece.ends) else piece.ends
    sizes = piece.ends - first
    piece = _linear(piece, sizes, read)
    _check_types(file, piece.types, sizes, read)
    _check_corners(file, piece, sizes, read)
    keep = np.isin(piece.types, read)
    dropped = int((~keep & (piece.types != 0)).sum())
    if keep.all():
        return piece, 0
    corners = piece.corners[: piece.ends[-1]][np.repeat(keep, sizes)]
    return piece._replace(
        types=piece.types[keep],
        ends=np.cumsum(sizes[keep]),
        corners=corners,
        groups=piece.groups if piece.groups is None else piece.groups[keep],
        ids=ids[keep],
        arrays={name: array[keep] for name, array in piece.arrays.items()},
    ), dropped


def compact(piece: Piece) -> Piece:
    """Only the points that its cells have, in their order; their rows are `nodes`."""
    if (piece.corners < 0).any() or (piece.corners >= len(piece.points)).any():
        return piece._replace(nodes=np.arange(len(piece.points)))  # join says so
    used, at = np.unique(piece.corners, return_inverse=True)
    return piece._replace(points=piece.points[used], corners=at.ravel(), nodes=used)


def _numbers(file: object, pieces: list) -> list | None:
    """The pieces, where CellData/ObjectId has the objects of all cells. Blocks are objects of their
    own."""
    solid = [piece for piece in pieces if len(piece.types)]
    given = [piece for piece in solid if "ObjectId" in piece.arrays]
    if not given:
        return None
    if any(piece.name or piece.groups is not None for piece in solid):
        notes.add(str(file), notes.BLOCKS, len(given))
        return None
    if len(given) < len(solid):
        notes.add(str(file), notes.PARTS, len(given))
        return None
    for piece in given:
        _check_range(file, piece.arrays["ObjectId"], "ObjectId")
    return given


def _check_range(file: object, numbers: np.ndarray, name: str) -> None:
    """Numbers of objects are int32."""
    wide = numbers[(numbers < -(2**31)) | (numbers >= 2**31)]
    if len(wide):
        raise input_error(file, f"CellData/{name}: {wide[0]}, outside int32")


def _objects(file: object, pieces: list) -> tuple:
    """The object of each cell, and the names of objects, in the order in which they come."""
    given = _numbers(file, pieces)
    if given:
        of = np.concatenate([piece.arrays["ObjectId"] for piece in given])
        numbers, at = np.unique(of, return_inverse=True)
        return at.ravel().astype(np.int32), [int(number) for number in numbers]
    names: dict = {}
    objects = []
    for piece in pieces:
        if piece.groups is None:
            row = names.setdefault(piece.name, len(names)) if len(piece.types) else 0
            objects.append(np.full(len(piece.types), row, np.int32))
            continue
        known = np.zeros(len(piece.group_names), np.int32)
        present, at = np.unique(piece.groups, return_index=True)
        for group in present[np.argsort(at)]:
            whole = "/".join(filter(None, (piece.name, piece.group_names[group])))
            known[group] = names.setdefault(whole, len(names))
        objects.append(known[piece.groups])
    return np.concatenate(objects), list(names)


_nothing = Piece(np.zeros((0, 3), np.float32), *bare(TRIANGLE, 0))


def _first(numbers: np.ndarray) -> np.ndarray:
    """The row where each number is first, for each row."""
    _, first, row = np.unique(numbers, return_index=True, return_inverse=True)
    return first[row.ravel()]


def _same(file: object, numbers: np.ndarray, points: np.ndarray) -> np.ndarray:
    """The first row of the same number at the same place, for each row. Numbers of one piece alone,
    which others have at other places, so move nothing."""
    first = _first(numbers)
    away = np.flatnonzero((points[first] != points).any(1))
    if not len(away):
        return first
    among = np.flatnonzero(np.isin(numbers, numbers[away]))
    at = points[among].astype(np.float64) + 0.0  # -0 becomes 0
    keys = np.concatenate([numbers[among, None], at.view(np.int64)], 1)
    _, place, row = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    first[among] = among[place[row.ravel()]]
    fresh = first == np.arange(len(first))
    notes.add(str(file), notes.APART, int(fresh.sum() - len(np.unique(numbers))))
    return first


def _shared(file: object, pieces: list) -> tuple:
    """All points, each number of `nodes` once, and the row of each piece's points among them."""
    points = np.concatenate([piece.points for piece in pieces])
    first = np.arange(len(points))
    given = [piece.nodes for piece in pieces if piece.nodes is not None]
    if not given:
        return points, first
    rows = np.flatnonzero(
        np.concatenate([np.full(len(piece.points), piece.nodes is not None) for piece in pieces])
    )
    first[rows] = rows[_same(file, np.concatenate(given).astype(np.int64), points[rows])]
    kept = first == np.arange(len(points))
    return points[kept], (np.cumsum(kept) - 1)[first]


def _arrays(pieces: list) -> dict:
    """Cell arrays that any piece has, of all pieces."""
    made = {}
    for name in dict.fromkeys(name for piece in pieces for name in piece.arrays):
        if name == "ObjectId":
            continue  # it is in `objects`
        if name in ("", ".") or "/" in name:  # HDF5 has no dataset of this name
            notes.lose([f"CellData/{name}"])
            continue
        each = [piece.arrays.get(name, np.zeros(len(piece.types), np.int32)) for piece in pieces]
        made[name] = np.concatenate(each)
    return made


class Joined:
    """Joins pieces of frames. Where the cells are the same arrays as in the frame before, they are
    neither checked nor joined again."""

    def __init__(self) -> None:
        self._pieces: list = []
        self._mesh: Mesh | None = None

    def join(
        self,
        file: object,
        pieces: list,
        may_be_empty: bool = False,
        skin: bool = False,
        objects: str | None = None,
    ) -> Mesh:
        before, self._pieces = self._pieces, pieces
        if self._mesh and before and len(before) == len(pieces):
            if all(map(_has_cells_of, pieces, before)):
                points = [piece.points for piece in pieces]
                made = points[0] if len(points) == 1 else np.concatenate(points)
                self._mesh = self._mesh._replace(points=made)
                return self._mesh
        self._mesh = join(file, pieces, may_be_empty, skin, objects)
        return self._mesh


def _has_cells_of(piece: Piece, other: Piece) -> bool:
    """Are its cells the arrays of the other one?"""
    arrays = "types", "ends", "corners", "groups", "ids"
    return (
        all(getattr(piece, name) is getattr(other, name) for name in arrays)
        and (piece.name, piece.group_names) == (other.name, other.group_names)
        and piece.points.shape == other.points.shape
        and piece.nodes is None is other.nodes
        and not piece.arrays
        and not other.arrays
    )


def _by_array(file: object, pieces: list, name: str) -> list:
    """Pieces whose objects are the values of a cell array, in place of blocks, groups and ObjectId."""
    made = []
    for piece in pieces:
        arrays = dict(piece.arrays)
        if len(piece.types) and name not in arrays:
            block = f"block {piece.name}: " if piece.name else ""
            there = ", ".join(sorted(arrays)[:8]) or "none"
            text = f"{block}CellData/{name}: missing; arrays of integers there: {there}"
            raise input_error(file, text)
        if name != "ObjectId" and arrays.pop("ObjectId", None) is not None:
            notes.lose(["CellData/ObjectId"])
        if name in arrays:
            _check_range(file, arrays[name], name)
            arrays["ObjectId"] = arrays[name]
        made.append(piece._replace(name="", groups=None, group_names=(), arrays=arrays))
    return made


def join(
    file: object,
    pieces: Iterable[Piece],
    may_be_empty: bool = False,
    skin: bool = False,
    objects: str | None = None,
) -> Mesh:
    """One mesh of all pieces. A frame without a primitive is an error, if it is the only one. skin:
    all solids are kept, for the program to make their skin. objects: the cell array that tells
    objects apart."""
    checked = [_only_read(file, piece, skin) for piece in pieces]
    kept = [piece for piece, _ in checked]
    if not may_be_empty and not sum(len(piece.types) for piece in kept):
        n = sum(len(piece.points) for piece in kept)
        raise input_error(file, f"no triangle, polygon or tetrahedron among {n} points")
    kept = kept or [_only_read(file, _nothing, skin)[0]]
    if objects is not None:
        kept = _by_array(file, kept, objects)
    point = np.cumsum([0] + [len(piece.points) for piece in kept])
    corner = np.cumsum([0] + [len(piece.corners) for piece in kept])
    of, names = _objects(file, kept)
    points, row = _shared(file, kept)
    corners = [piece.corners + at for piece, at in zip(kept, point)]
    return Mesh(
        points,
        np.concatenate([piece.types for piece in kept]).astype(np.uint8),
        np.concatenate([piece.ends + at for piece, at in zip(kept, corner)]).astype(np.int64),
        row[np.concatenate(corners).astype(np.int64)],
        of,
        names,
        sum(skipped for _, skipped in checked),
        np.concatenate([piece.ids for piece in kept]).astype(np.int64),
        _arrays(kept),
    )
