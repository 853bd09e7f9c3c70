"""EnSight Gold and EnSight 6, text and binary. VTK's readers pass over ghosts, blanks and elements
of higher order, and lose what elements are called, so the files are read here.

Parts are objects with their descriptions. In EnSight 6 they share their nodes; in Gold they do
where the file gives nodes numbers.
"""

from __future__ import annotations

import re
import struct
from typing import Any

import numpy as np

from . import notes
from .ensight_case import Case
from .mesh import (
    HEXAHEDRON,
    POLYGON,
    PYRAMID,
    QUAD,
    TETRAHEDRON,
    TRIANGLE,
    WEDGE,
    Piece,
    compact,
    input_error,
    lasting,
    quads,
    volume,
)
from .numbered import Bad, reading, records, rows_of

GHOST = "a ghost cell (g_...), which is left out"
_corners = {
    "point": 1, "bar2": 2, "bar3": 3, "tria3": 3, "tria6": 6, "quad4": 4, "quad8": 8, "tetra4": 4,
    "tetra10": 10, "pyramid5": 5, "pyramid13": 13, "penta6": 6, "penta15": 15, "hexa8": 8,
    "hexa20": 20, "nsided": 0, "nfaced": 0,
}  # fmt: skip
_kinds = {
    "tria3": TRIANGLE, "quad4": QUAD, "tetra4": TETRAHEDRON, "nsided": POLYGON,
    "pyramid5": PYRAMID, "penta6": WEDGE, "hexa8": HEXAHEDRON,
}  # fmt: skip
_skipped = ("point", "bar2", "bar3")


class EnsightSource:
    def __init__(self, file: str):
        self.file = file
        try:
            self._case = Case(file)
        except (ValueError, IndexError) as what:
            raise input_error(file, f"a case file that is damaged: {what}") from None
        self.times: Any = self._case.times
        self._names: dict = {}  # of parts, by number and description, in all steps
        self._contents: tuple = ("", b"")  # of the file that was read last
        self._last: tuple = (None, [])  # what was read last, and its pieces

    def source(self, k: int) -> str:
        return self.file

    def read(self, k: int) -> list:
        """A model that stands still is read once, and a file of several steps once for all."""
        path, step = self._case.files[k]
        if self._last[0] != (path, step):
            with reading(path):
                if self._contents[0] != path:
                    with open(path, "rb") as stream:
                        self._contents = path, stream.read()
                words = _words(self._contents[1], step, len(self._case.files))
                made = _Geometry(self.file, words, self._case.gold, self._names).pieces()
            self._last = (path, step), made
        return self._last[1]


# ---- what a file consists of: lines of text, integers, floats


class _Text:
    def __init__(self, data: bytes, first: int = 0):
        """first: the lines of the file before it."""
        self._lines, self._at, self._first = data.decode("latin-1").splitlines(), 0, first

    def where(self) -> str:
        return f"line {self._first + self._at}: "

    def line(self) -> str:
        if self._at >= len(self._lines):
            return ""
        self._at += 1
        return self._lines[self._at - 1].strip()

    def more(self) -> bool:
        """Is there another keyword?"""
        while self._at < len(self._lines) and not self._lines[self._at].strip():
            self._at += 1
        return self._at < len(self._lines)

    def peek(self) -> str:
        return self._lines[self._at].strip() if self.more() else ""

    def _numbers(self, count: int, width: int) -> list:
        """Of fields of this width, which may have no blank between them."""
        found: list = []
        while len(found) < count:
            if self._at >= len(self._lines):
                raise Bad(f"the file ends where {count} numbers should be")
            text = self._lines[self._at].rstrip()
            self._at += 1
            fields = text.split()
            if width and len(fields) != -(-len(text) // width):
                fields = [text[k : k + width] for k in range(0, len(text), width)]
            found += fields
        if len(found) > count:
            raise Bad(f"{self.where()}{len(found)} numbers where {count} should be")
        return found

    def integers(self, count: int, width: int = 10) -> np.ndarray:
        return np.array(self._numbers(count, width) or [0], "S").astype(np.int64)[:count]

    def floats(self, count: int) -> np.ndarray:
        return np.array(self._numbers(count, 12) or [0], "S").astype(np.float32)[:count]

    def rows(self, count: int, has_ids: bool) -> tuple:
        """Of EnSight 6: numbers of nodes, if there are any, and their points."""
        ids, points = [], []
        for _ in range(count):
            if self._at >= len(self._lines):
                raise Bad(f"the file ends where {count} nodes should be")
            text = self._lines[self._at]
            self._at += 1
            first = 8 * has_ids
            ids.append(int(text[:8]) if has_ids else 0)
            points.append([float(text[first + k : first + k + 12]) for k in (0, 12, 24)])
        return np.array(ids, np.int64), np.array(points, np.float32).reshape(-1, 3)

    def elements(self, count: int, corners: int, has_ids: bool) -> tuple:
        """Of EnSight 6: numbers and corners of elements, together in one line each."""
        rows = self.integers(count * (corners + has_ids), 8).reshape(count, corners + has_ids)
        return rows[:, 0] if has_ids else None, rows[:, has_ids:]


class _Binary:
    def __init__(self, data: bytes):
        self._data, self._at, self._order = data, 0, "<"

    def where(self) -> str:
        return ""

    def line(self) -> str:
        found = self.peek()
        self._at += 80
        return found

    def more(self) -> bool:
        return self._at < len(self._data)

    def peek(self) -> str:
        return self._data[self._at : self._at + 80].split(b"\0")[0].decode("latin-1").strip()

    def _take(self, kind: str, count: int) -> np.ndarray:
        if not 0 <= count <= (len(self._data) - self._at) // 4:
            raise Bad(f"the file ends where {count} numbers should be")
        found = np.frombuffer(self._data, self._order + kind, count, self._at)
        self._at += 4 * count
        return found

    def order(self) -> None:
        """By the number of the first part, or of nodes: of the two the lesser."""
        here = self._data[self._at : self._at + 4]
        self._order = min("<>", key=lambda order: struct.unpack(order + "I", here))

    def integers(self, count: int, width: int = 10) -> np.ndarray:
        return self._take("i4", count).astype(np.int64)

    def floats(self, count: int) -> np.ndarray:
        return self._take("f4", count).astype(np.float32)

    def rows(self, count: int, has_ids: bool) -> tuple:
        ids = self.integers(count if has_ids else 0)
        return ids, self.floats(3 * count).reshape(-1, 3)

    def elements(self, count: int, corners: int, has_ids: bool) -> tuple:
        ids = self.integers(count) if has_ids else None
        return ids, self.integers(count * corners).reshape(count, corners)


def _words(data: bytes, step: int | None, steps: int) -> Any:
    """Of a file, or of one of its steps."""
    head = data[:80].lower()
    binary = head.startswith(b"c binary")
    if head[4:].startswith(b"fortran binary"):
        order = "<" if data[:4] == struct.pack("<I", 80) else ">"
        data, binary = records(data, order), True
    if step is None:
        return _Binary(data[80:]) if binary else _Text(data)
    begins = [found.end() for found in re.finditer(rb"BEGIN TIME STEP", data)]
    if len(begins) != steps:
        raise Bad(f"{len(begins)} steps (BEGIN TIME STEP) where {steps} should be")
    begin = begins[step] + (80 - len(b"BEGIN TIME STEP") if binary else 0)
    end = data.find(b"END TIME STEP", begin)
    if end < 0:
        raise Bad("END TIME STEP is missing")
    if binary:
        return _Binary(data[begin:end])
    return _Text(
        data[begin:end].lstrip(b" \r").removeprefix(b"\n"), data.count(b"\n", 0, begin) + 1
    )


# ---- geometry


class _Geometry:
    def __init__(self, file: str, words: Any, gold: bool, names: dict):
        self.file, self._words, self._gold, self._names = file, words, gold, names
        self._ids: dict = {}  # what numbers nodes and elements have: off, given, assign, ignore
        self._ghosts = 0

    def pieces(self) -> list:
        self._head()
        made = self._gold_parts() if self._gold else self._parts()
        notes.add(self.file, GHOST, self._ghosts)
        return self._named(made)

    def _named(self, parts: list) -> list:
        """Pieces of numbers and pieces."""
        names = lasting(self._names, [(number, piece.name) for number, piece in parts])
        return [piece._replace(name=name) for name, (_, piece) in zip(names, parts)]

    def _head(self) -> None:
        words = self._words
        words.line(), words.line()
        for what in ("node", "element"):
            found = words.line().lower().split()
            if found[:2] != [what, "id"] or len(found) != 3:
                raise Bad(f"{words.where()}'{what} id' is missing")
            self._ids[what] = found[2]
        if words.peek().lower() == "extents":
            words.line()
            self._order()
            words.floats(6)

    def _numbered(self, what: str) -> bool:
        """Does the file have a number for each?"""
        return self._ids[what] in ("given", "ignore")

    def _given(self, what: str, numbers: Any) -> Any:
        """Those that count."""
        return numbers if self._ids[what] == "given" else None

    def _order(self) -> None:
        if isinstance(self._words, _Binary):
            self._words.order()

    # ---- Gold

    def _gold_parts(self) -> list:
        words = self._words
        made: list = []
        while words.more():
            mark = words.line()
            if mark.lower() != "part":
                raise Bad(f"{words.where()}'{mark[:40]}' where 'part' should be")
            if not made:
                self._order()
            number, name = int(words.integers(1)[0]), words.line()
            made.append((number, self._gold_part(name or f"part {number}")))
        return made

    def _gold_part(self, name: str) -> Piece:
        words = self._words
        if words.peek().lower().startswith("block"):
            return self._block(name)
        points, nodes = np.zeros((0, 3), np.float32), None
        if words.peek().lower() == "coordinates":
            words.line()
            count = int(words.integers(1)[0])
            nodes = words.integers(count) if self._numbered("node") else None
            points = np.stack([words.floats(count) for _ in range(3)], 1)
        blocks = []
        while words.more() and words.peek().lower() != "part":
            blocks.append(self._elements(name))
        return self._piece(name, points, self._given("node", nodes), blocks)

    def _elements(self, name: str) -> tuple:
        """types, sizes, corners, ids of elements of one type."""
        words, word = self._words, self._words.line().lower()
        kind = word[2:] if word.startswith("g_") else word
        if kind not in _corners:
            raise Bad(f"{words.where()}'{word[:40]}', which is not read")
        count = int(words.integers(1)[0])
        if kind not in (*_kinds, *_skipped):
            raise Bad(f"{words.where()}{name}: {count} {word}, which are not read")
        ids = words.integers(count) if self._numbered("element") else None
        if kind == "nsided":
            sizes = words.integers(count)
            corners = words.integers(int(sizes.sum()), 0)
        else:
            corners = words.integers(count * _corners[kind])
            sizes = np.full(count, _corners[kind], np.int64)
        ids = self._given("element", ids)
        return self._made(kind, word != kind, sizes, corners - 1, ids)

    def _made(self, kind: str, ghost: bool, sizes: Any, corners: Any, ids: Any) -> tuple:
        self._ghosts += len(sizes) if ghost else 0
        number = 0 if ghost else _kinds.get(kind, 3)
        return np.full(len(sizes), number, np.uint8), sizes, corners, ids

    def _piece(self, name: str, points: Any, nodes: Any, blocks: list) -> Piece:
        none = np.zeros(0, np.int64)
        types, sizes, corners = (
            np.concatenate([none, *(block[k] for block in blocks)]) for k in range(3)
        )
        ids = [block[3] for block in blocks if block[3] is not None]
        return Piece(
            points, types.astype(np.uint8), np.cumsum(sizes), corners, name,
            ids=np.concatenate(ids) if ids else None, nodes=nodes,
        )  # fmt: skip

    def _block(self, name: str) -> Piece:
        """A structured surface or volume."""
        words, kind = self._words, self._words.line().lower().split()[1:]
        form = kind.pop(0) if kind[:1] in (["rectilinear"], ["uniform"], ["curvilinear"]) else ""
        if kind:
            raise Bad(f"{words.where()}block {' '.join(kind)}, which is not read")
        size = words.integers(3)
        if form == "rectilinear":
            axes = [words.floats(int(n)) for n in size]
        elif form == "uniform":
            start, by = words.floats(3), words.floats(3)
            axes = [start[k] + by[k] * np.arange(int(size[k]), dtype=np.float32) for k in range(3)]
        if form in ("rectilinear", "uniform"):
            z, y, x = np.meshgrid(*axes[::-1], indexing="ij")
            points = np.stack([x.ravel(), y.ravel(), z.ravel()], 1)
        else:
            points = np.stack([words.floats(int(np.prod(size))) for _ in range(3)], 1)
        flat = [k for k in range(3) if size[k] > 1]
        if len(flat) == 3:
            return volume(lambda: points, tuple(int(n) for n in size[::-1]), name)
        cells = np.zeros((0, 4), np.int64)
        if len(flat) == 2:
            columns, rows = (int(size[k]) for k in flat)
            cells = quads(rows, columns)
        sizes = np.full(len(cells), 4, np.int64)
        return self._piece(
            name, points, None, [self._made("quad4", False, sizes, cells.ravel(), None)]
        )

    # ---- EnSight 6: nodes of all parts come first

    def _parts(self) -> list:
        words, made = self._words, []
        if words.line().lower() != "coordinates":
            raise Bad(f"{words.where()}'coordinates' is missing")
        self._order()
        count = int(words.integers(1, 0)[0])
        ids, points = words.rows(count, self._numbered("node"))
        numbers = self._given("node", ids)
        numbers = np.arange(1, count + 1) if numbers is None else numbers
        order = np.argsort(numbers, kind="stable")
        while words.more():
            mark = words.line().lower().split()
            if mark[:1] != ["part"] or len(mark) != 2:
                raise Bad(f"{words.where()}'{' '.join(mark)[:40]}' where 'part' should be")
            name, blocks = words.line() or " ".join(mark), []
            while words.more() and not words.peek().lower().startswith("part"):
                blocks.append(self._elements_6(name))
            piece = self._piece(name, points, None, blocks)
            at = rows_of(numbers, order, piece.corners, f", of an element of {name}")
            made.append((mark[1], compact(piece._replace(corners=at))))
        return made

    def _elements_6(self, name: str) -> tuple:
        words, word = self._words, self._words.line().lower()
        if word not in _corners or word in ("nsided", "nfaced"):
            raise Bad(f"{words.where()}'{word[:40]}', which is not read")
        count = int(words.integers(1, 0)[0])
        if word not in (*_kinds, *_skipped):
            raise Bad(f"{words.where()}{name}: {count} {word}, which are not read")
        ids, corners = words.elements(count, _corners[word], self._numbered("element"))
        sizes = np.full(count, _corners[word], np.int64)
        return self._made(word, False, sizes, corners.ravel(), self._given("element", ids))
