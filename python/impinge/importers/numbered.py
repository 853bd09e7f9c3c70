"""Nodes and elements by their numbers, as decks, Gmsh and others have them, and errors that name a
line."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from .mesh import (
    HEXAHEDRON,
    PYRAMID,
    QUAD,
    TETRAHEDRON,
    TRIANGLE,
    WEDGE,
    Piece,
    input_error,
)

# corners
WIDTH = {TRIANGLE: 3, QUAD: 4, TETRAHEDRON: 4, PYRAMID: 5, WEDGE: 6, HEXAHEDRON: 8}


def turned(kind: int) -> tuple:
    """The order of nodes of a solid in formats where its first face turns the other way."""
    return {
        TETRAHEDRON: (0, 2, 1, 3), PYRAMID: (0, 3, 2, 1, 4), WEDGE: (0, 2, 1, 3, 5, 4),
        HEXAHEDRON: (0, 3, 2, 1, 4, 7, 6, 5),
    }[kind]  # fmt: skip


class Bad(Exception):
    """What is wrong with a file, and in which line of which file, where that is not the first."""

    def __init__(self, text: object, line: int = 0, file: str | None = None):
        super().__init__(text)
        self.line, self.file = line, file


@contextmanager
def reading(file: str) -> Iterator[None]:
    """Whatever is wrong becomes an error that names the file, and the line where it is known."""
    try:
        yield
    except Bad as what:
        where = f"line {what.line}: " if what.line else ""
        raise input_error(what.file or file, f"{where}{what}") from None
    except (ValueError, IndexError, KeyError, OverflowError, struct.error) as what:
        raise input_error(file, f"it is damaged: {what}") from None


def whole(text: str) -> int:
    """An integer of decimal digits, which int() alone does not demand."""
    if "_" in text:
        raise ValueError(f"'{text.strip()[:30]}' is no whole number")
    return int(text)


def real(text: str) -> float:
    """A number, also with Fortran's exponent."""
    if "_" in text:
        raise ValueError(f"'{text.strip()[:30]}' is no number")
    try:
        return float(text)
    except ValueError:
        return float(text.upper().replace("D", "E"))


def lines_of(data: bytes) -> list:
    """Lines of text, whatever ends them; a mark of the encoding is no text."""
    return data.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n").split("\n")


def records(data: bytes, order: str) -> bytes:
    """The contents of Fortran's records, each of which stands between two times its length."""
    at, made = 0, []
    kind = "little" if order == "<" else "big"
    while at < len(data):
        size = int.from_bytes(data[at : at + 4], kind)
        end = at + 4 + size
        if data[at : at + 4] != data[end : end + 4] or len(data) < end + 4:
            raise Bad(f"a record of Fortran of {size} bytes whose end is missing")
        made.append(data[at + 4 : end])
        at = end + 4
    return b"".join(made)


# ---- nodes


def point(line: int, text: str) -> tuple:
    """The number of a node, and its three coordinates: all that its line has."""
    words = text.split()
    try:
        if len(words) != 4:
            raise ValueError(f"'{text[:60]}', where a node should be")
        return whole(words[0]), [real(word) for word in words[1:]]
    except ValueError as what:
        raise Bad(what, line) from None


class Nodes:
    """Points by their numbers."""

    def __init__(self) -> None:
        self._numbers: list = [np.zeros(0, np.int64)]
        self._points: list = [np.zeros((0, 3))]
        self._order: np.ndarray | None = None

    def add(self, numbers: object, points: object) -> None:
        self._numbers.append(np.asarray(numbers, np.int64).reshape(-1))
        self._points.append(np.asarray(points, np.float64).reshape(-1, 3))
        self._order = None

    def _sorted(self) -> np.ndarray:
        """Rows in the order of their numbers. A number that is there again must be the same point,
        which is left out."""
        if self._order is None:
            numbers, points = np.concatenate(self._numbers), np.concatenate(self._points)
            order = np.argsort(numbers, kind="stable")
            ordered = numbers[order]
            again = np.flatnonzero(ordered[1:] == ordered[:-1]) + 1
            differ = (points[order[again]] != points[order[again - 1]]).any(1)
            if differ.any():
                raise Bad(f"there are two nodes {ordered[again[differ][0]]}")
            if len(again):
                keep = np.ones(len(numbers), bool)
                keep[order[again]] = False
                numbers, points = numbers[keep], points[keep]
                order = np.argsort(numbers, kind="stable")
            self._numbers, self._points, self._order = [numbers], [points], order
        return self._order

    @property
    def points(self) -> np.ndarray:
        self._sorted()
        return self._points[0]

    @property
    def numbers(self) -> np.ndarray:
        self._sorted()
        return self._numbers[0]

    def rows(self, numbers: np.ndarray, of: str = "") -> np.ndarray:
        """Rows of points by numbers. A number that is not there is an error, which says whose."""
        order = self._sorted()
        return rows_of(self.numbers, order, numbers, of)


def rows_of(known: np.ndarray, order: np.ndarray, numbers: np.ndarray, of: str = "") -> np.ndarray:
    if not len(known):
        missing = np.asarray(numbers).ravel()
        if len(missing):
            raise Bad(f"there is no node {missing[0]}{of}")
        return np.zeros(0, np.int64)
    ordered = known[order]
    at = np.minimum(np.searchsorted(ordered, numbers), len(ordered) - 1)
    missing = np.asarray(numbers)[ordered[at] != numbers]
    if len(missing):
        raise Bad(f"there is no node {missing.ravel()[0]}{of}")
    return order[at]


# ---- cells


class Cells:
    """Elements of any kinds, in their order. Points and lines are counted."""

    def __init__(self) -> None:
        self.blocks: list = []  # VTK's type, ids, numbers of nodes (m, k), groups
        self.thin = 0

    def add(self, kind: int, ids: object, corners: object, groups: object = 0) -> None:
        ids = np.asarray(ids, np.int64).reshape(-1)
        if not len(ids):
            return
        corners = np.asarray(corners, np.int64).reshape(len(ids), -1)
        self.blocks.append((kind, ids, corners, np.broadcast_to(groups, ids.shape)))

    def add_rows(self, rows: list) -> None:
        """Each (VTK's type, id, numbers of nodes, group); neighbours of one type are a block."""
        first = 0
        for last in range(1, len(rows) + 1):
            if last < len(rows) and rows[last][0] == rows[first][0]:
                continue
            _, ids, corners, groups = zip(*rows[first:last])
            self.add(rows[first][0], ids, corners, groups)
            first = last

    def piece(self, nodes: Nodes, group_names: tuple = ("",), name: str = "") -> Piece:
        """Points and lines come last, without corners. Quads whose neighbouring corners are one
        node are triangles."""
        none = np.zeros(0, np.int64)
        types, sizes, corners, groups, ids = [none], [none], [none], [none], [none]
        for kind, of_block, numbers, group in self.blocks:
            types.append(np.full(len(of_block), kind))
            sizes.append(np.full(len(of_block), numbers.shape[1]))
            corners.append(_corners(nodes, of_block, numbers))
            groups.append(group)
            ids.append(of_block)
        types.append(np.full(self.thin, 1))
        for empty in (sizes, groups, ids):
            empty.append(np.zeros(self.thin, np.int64))
        made = Piece(
            np.ascontiguousarray(nodes.points),
            np.concatenate(types).astype(np.uint8),
            np.cumsum(np.concatenate(sizes)),
            np.concatenate(corners),
            name,
            np.concatenate(groups).astype(np.int64),
            group_names,
            np.concatenate(ids),
        )
        return without_repeats(made)


def _corners(nodes: Nodes, ids: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    try:
        return nodes.rows(numbers.ravel())
    except Bad as what:
        missing = re_number(what)
        row = np.flatnonzero((numbers == missing).any(1)) if missing is not None else []
        raise Bad(f"{what}, of element {ids[row[0]]}" if len(row) else what) from None


def re_number(what: Bad) -> int | None:
    """The number of a node in a message."""
    word = str(what).rsplit(" ", 1)[-1]
    return int(word) if word.lstrip("-").isdigit() else None


def without_repeats(piece: Piece) -> Piece:
    """A quad whose neighbouring corners are one point is a triangle, as some formats write it."""
    sizes = np.diff(piece.ends, prepend=0)
    rows = np.flatnonzero((piece.types == QUAD) & (sizes == 4))
    first = piece.ends[rows] - 4
    corners = piece.corners[first[:, None] + np.arange(4)]
    same = corners == np.roll(corners, -1, 1)
    once = same.sum(1) == 1
    kept = np.ones(len(piece.corners), bool)
    kept[first[once] + np.argmax(same[once], 1)] = False
    types = piece.types.copy()
    types[rows[once]] = TRIANGLE
    sizes[rows[once]] = 3
    return piece._replace(types=types, ends=np.cumsum(sizes), corners=piece.corners[kept])
