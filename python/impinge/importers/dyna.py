"""d3plot of LS-DYNA: VTK reads it, but for a look at the header, which says what VTK passes over,
and at the elements, whose nodes tell which points its parts share: VTK's numbers of nodes are
wrong.

Words are of 4 or 8 bytes, and called as in the LS-DYNA database manual.
"""

from __future__ import annotations

import os
import re
from typing import Any

import numpy as np

from . import notes
from .mesh import QUAD, TETRAHEDRON, TRIANGLE, Piece, input_error
from .vtk_data import Errors, make, pieces, times_of, update

DELETED = "an element that was deleted in the simulation, which is left out"
_words = {
    "FILETYPE": 11, "NDIM": 15, "NUMNP": 16, "NEL8": 23, "NEL2": 28, "NEL4": 31, "MAXINT": 36,
    "NMSPH": 37, "NARBS": 39, "NELT": 40, "IALEMAT": 47, "NCFDV1": 48, "NADAPT": 50, "NMMAT": 51,
    "NPEFG": 54, "NEL48": 55, "EXTRA": 57,
}  # fmt: skip
# of elements with more nodes than VTK reads, behind the first 64 words
_extra = {"NEL20": 64, "NEL27": 66, "NEL21P": 68, "NEL15T": 69, "NEL20T": 71, "NEL40P": 72,
          "NEL64": 73}  # fmt: skip
_refused = {
    "NADAPT": "elements of an adapted mesh", "NPEFG": "particles of airbags",
    "NEL48": "shells of 8 nodes", "NEL20": "solids of 20 nodes", "NEL27": "solids of 27 nodes",
    "NEL21P": "solids of 21 nodes", "NEL15T": "solids of 15 nodes", "NEL20T": "solids of 20 nodes",
    "NEL40P": "solids of 40 nodes", "NEL64": "solids of 64 nodes",
}  # fmt: skip
_HEXAHEDRON = 12


class DynaSource:
    """The files d3plot, d3plot01, ... Their states are frames."""

    def __init__(self, file: str):
        self.file = file
        self._plot = _Plot(file)
        self.reader = make(file, "vtkIOLSDyna", "vtkLSDynaReader")
        with Errors(file):
            self.reader.SetDatabaseDirectory(os.path.dirname(os.path.abspath(file)))
            self.reader.SetRemoveDeletedCells(1)
            self.reader.SetDeletedCellsAsGhostArray(1)  # they stay, with a mark
        self.times: Any = times_of(file, self.reader) or None

    def source(self, k: int) -> str:
        return self.file

    def read(self, k: int) -> list:
        time = None if self.times is None else self.times[k]
        found = pieces(self.file, update(self.file, self.reader, time), why=DELETED)
        notes.left_out(self.file, self._plot.skipped)
        return [
            _collapsed(_collapsed(self._shared(piece), _HEXAHEDRON, 4), QUAD, 3) for piece in found
        ]

    def _shared(self, piece: Piece) -> Piece:
        """With the file's numbers of its nodes."""
        ids = piece.arrays.get("UserIds")
        kept = {name: array for name, array in piece.arrays.items() if name != "UserIds"}
        piece = piece._replace(arrays=kept, ids=ids, nodes=None)
        if ids is None or not len(ids):
            return piece
        sizes = np.diff(piece.ends, prepend=0)
        nodes = self._plot.nodes_of(ids, int(sizes[0])) if (sizes == sizes[0]).all() else None
        if nodes is None:
            return piece
        corners = piece.corners.reshape(nodes.shape)
        of = np.full(len(piece.points), -1, np.int64)
        of[corners] = nodes
        if (of[corners] != nodes).any() or (of < 0).any():
            raise input_error(self.file, f"{piece.name}: VTK and the file have other elements")
        return piece._replace(nodes=of)


def _collapsed(piece: Piece, kind: int, own: int) -> Piece:
    """LS-DYNA has triangles as quads, and tetrahedra as hexahedra, whose last corners are one."""
    most = {QUAD: 4, _HEXAHEDRON: 8}[kind]
    sizes = np.diff(piece.ends, prepend=0)
    first = piece.ends - sizes
    rows = np.flatnonzero((piece.types == kind) & (sizes == most))
    corners = piece.corners[first[rows][:, None] + np.arange(own - 1, most)]
    rows = rows[(corners == corners[:, :1]).all(1)]
    types, kept = piece.types.copy(), np.ones(len(piece.corners), bool)
    kept[first[rows][:, None] + np.arange(own, most)] = False
    sizes[rows], types[rows] = own, TRIANGLE if own == 3 else TETRAHEDRON
    return piece._replace(types=types, ends=np.cumsum(sizes), corners=piece.corners[kept])


class _Plot:
    """The header, and the elements in the file's order."""

    def __init__(self, file: str):
        self.file = file
        with open(file, "rb") as stream:
            head = stream.read(128 * 8)
        self._kind, words = self._find_words(head)
        self.has = {name: int(words[at]) for name, at in _words.items()}
        for name, at in _extra.items():
            self.has[name] = int(words[at]) if self.has["EXTRA"] > 0 else 0
        self._check()
        self.skipped = {"SPH nodes": self.has["NMSPH"]}
        self._tables: list = []  # of solids, thick shells, shells: ids and nodes
        self._read_elements()

    def _find_words(self, head: bytes) -> tuple:
        """Order and size of words, by the file type, and those of the header."""
        for kind in ("<i4", ">i4", "<i8", ">i8"):
            words = np.frombuffer(head[: len(head) // 8 * 8], kind)
            if len(words) >= 74 and words[11] in (1, 5, 11, 1001, 1005, 1011):
                return kind, words
        raise input_error(self.file, "this is no d3plot, or it is damaged")

    def _check(self) -> None:
        has = self.has
        if has["FILETYPE"] % 1000 != 1:
            raise input_error(self.file, f"FILETYPE {has['FILETYPE']}, which is not read")
        if has["NDIM"] not in (3, 4, 5, 8):
            what = "a rigid road surface" if has["NDIM"] in (6, 7, 9) else f"NDIM {has['NDIM']}"
            raise input_error(self.file, f"{what} (NDIM), which is not read")
        for name, what in _refused.items():
            if has[name] > 0:
                raise input_error(self.file, f"{has[name]} {what} ({name}), which are not read")
        if has["NEL8"] < 0:
            raise input_error(
                self.file, f"{-has['NEL8']} solids of 10 nodes (NEL8), which are not read"
            )
        if -10000 < has["MAXINT"] < 0:
            raise input_error(self.file, "deleted nodes (MAXINT), which are not read")
        if has["NCFDV1"] == 67108864:
            raise input_error(self.file, "data of several solvers (NCFDV1), which is not read")
        folder, name = os.path.split(self.file)
        others = (
            n for n in sorted(os.listdir(folder or ".")) if re.fullmatch(name + "[a-z]{2}[0-9]*", n)
        )
        other = next(others, None)
        if other:
            raise input_error(
                self.file, f"{other}: another mesh of the same run, which is not read"
            )

    def _read_elements(self) -> None:
        """From behind the header on: types of materials, flags of SPH, nodes, elements, numbers."""
        has, size = self.has, np.dtype(self._kind).itemsize
        words = os.path.getsize(self.file) // size
        data = np.memmap(self.file, self._kind, "r", shape=(words,))  # the states are not read
        at = 64 + max(has["EXTRA"], 0)
        at += (2 + has["NMMAT"]) * (has["NDIM"] == 5) + max(has["IALEMAT"], 0)
        if has["NMSPH"] > 0:
            at += int(data[at])
        at += 3 * has["NUMNP"]
        counts = (has["NEL8"], has["NELT"], has["NEL2"], has["NEL4"])
        rows = []
        if at + sum(n * size for n, size in zip(counts, (9, 9, 6, 5))) > len(data):
            raise input_error(self.file, "it is cut short: elements are missing")
        for count, size in zip(counts, (9, 9, 6, 5)):
            rows.append(data[at : at + count * size].reshape(count, size).astype(np.int64))
            at += count * size
        solids, thick, _, shells = rows
        ids = [np.arange(1, count + 1) for count in counts]
        if has["NARBS"] > 0:
            at += 16 if data[at] < 0 else 10
            at += has["NUMNP"]
            for k in (0, 2, 3, 1):  # solids, beams, shells, thick shells
                ids[k] = data[at : at + counts[k]].astype(np.int64)
                at += counts[k]
        for k, of, size in ((0, solids, 8), (1, thick, 8), (3, shells, 4)):
            order = np.argsort(ids[k], kind="stable")
            self._tables.append((ids[k][order], of[order, :size] - 1))

    def nodes_of(self, ids: np.ndarray, size: int) -> np.ndarray | None:
        """(m, size) nodes of elements of these numbers, or None."""
        for numbers, nodes in self._tables:
            if not len(numbers) or nodes.shape[1] != size:
                continue
            row = np.searchsorted(numbers, ids).clip(max=len(numbers) - 1)
            if (numbers[row] == ids).all():
                return nodes[row]
        return None
