"""AFLR's UGRID, in text and binary, by the part of the name before .ugrid. meshio's reader narrows
text to float32 and does not say what is left at the end, so it is read here."""

from __future__ import annotations

from typing import Any

import numpy as np

from .mesh import HEXAHEDRON, PYRAMID, QUAD, TETRAHEDRON, TRIANGLE, WEDGE
from .numbered import Bad, Cells, Nodes, reading, records

# order of bytes, whole numbers, others; Fortran's records have lengths around them
_FORMS = {
    "b8l": (">", "i8", "f8"), "b8": (">", "i4", "f8"), "b4": (">", "i4", "f4"),
    "lb8l": ("<", "i8", "f8"), "lb8": ("<", "i4", "f8"), "lb4": ("<", "i4", "f4"),
}  # fmt: skip
_FORTRAN = {"r8": "b8", "r4": "b4", "lr8": "lb8", "lr4": "lb4"}
# in the file's order, and their nodes in VTK's
_SOLIDS = (
    (TETRAHEDRON, (0, 1, 2, 3)), (PYRAMID, (1, 0, 3, 4, 2)), (WEDGE, (0, 1, 2, 3, 4, 5)),
    (HEXAHEDRON, (0, 1, 2, 3, 4, 5, 6, 7)),
)  # fmt: skip


class _Text:
    def __init__(self, data: bytes):
        self.words, self.at = data.split(), 0

    def take(self, real: bool, count: int) -> np.ndarray:
        if count < 0 or count > len(self.words) - self.at:
            raise Bad("the file ends too early, or a count is wrong")
        self.at += count
        words = self.words[self.at - count : self.at]
        made = np.array(words, "S").astype(np.float64) if words else np.zeros(0)
        if not real and (made != np.round(made)).any():
            raise Bad("a number that is not whole")
        return made if real else made.astype(np.int64)

    def rest(self) -> int:
        return len(self.words) - self.at


class _Binary:
    def __init__(self, data: bytes, form: tuple):
        order, whole, real = form
        self.data, self.at = data, 0
        self.kinds = {False: np.dtype(order + whole), True: np.dtype(order + real)}

    def take(self, real: bool, count: int) -> np.ndarray:
        kind = self.kinds[real]
        if count < 0 or count * kind.itemsize > len(self.data) - self.at:
            raise Bad("the file ends too early, or a count is wrong")
        made = np.frombuffer(self.data, kind, count, self.at)
        self.at += count * kind.itemsize
        return made.astype(kind.newbyteorder("=")) if real else made.astype(np.int64)

    def rest(self) -> int:
        return len(self.data) - self.at


def _body(file: str, data: bytes) -> Any:
    form = file.lower().split(".")[-2] if file.count(".") > 1 else ""
    if form in _FORTRAN:
        data, form = records(data, _FORMS[_FORTRAN[form]][0]), _FORTRAN[form]
    return _Binary(data, _FORMS[form]) if form in _FORMS else _Text(data)


def _read(file: str, data: bytes) -> Any:
    body = _body(file, data)
    counts = [int(count) for count in body.take(False, 7)]
    points = body.take(True, 3 * counts[0]).reshape(-1, 3)
    corners = [body.take(False, counts[1 + k] * (3 + k)).reshape(-1, 3 + k) for k in range(2)]
    marks = body.take(False, counts[1] + counts[2])
    solids = [
        body.take(False, count * len(order)).reshape(-1, len(order))[:, order]
        for count, (_, order) in zip(counts[3:], _SOLIDS)
    ]
    if body.rest():
        raise Bad(f"{body.rest()} more at its end than its first line says")
    known, row = np.unique(marks, return_inverse=True)
    nodes, cells = Nodes(), Cells()
    nodes.add(1 + np.arange(counts[0]), points)
    first = 0
    for kind, of in ((TRIANGLE, corners[0]), (QUAD, corners[1])):
        ids = first + np.arange(len(of))
        cells.add(kind, ids, of, row.ravel()[first : first + len(of)])
        first += len(of)
    for of, (kind, _) in zip(solids, _SOLIDS):
        cells.add(kind, first + np.arange(len(of)), of, len(known))
        first += len(of)
    names = (*(f"reference {number}" for number in known.tolist()), "")
    return cells.piece(nodes, names)._replace(points=points)


def read(file: str) -> list:
    with reading(file), open(file, "rb") as stream:
        return [_read(file, stream.read())]
