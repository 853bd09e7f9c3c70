"""Nastran's bulk data. pyNastran, which reads all of it, needs a numpy before 2 (1.4.1 of 2024 is
its newest), and meshio's reader takes neither systems of coordinates nor INCLUDE, so it is read
here.

Any entry that is not in nastran_words.py is an error that names its line.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from . import notes
from .mesh import HEXAHEDRON, PYRAMID, QUAD, SOLIDS, TETRAHEDRON, TRIANGLE, WEDGE
from .nastran_words import IGNORED, REFUSED
from .numbered import WIDTH, Bad, Cells, Nodes, lines_of, reading
from .places import axes_of, cylindrical, placed, spherical

_ELEMENTS = {
    "CTRIA3": TRIANGLE, "CTRIAR": TRIANGLE, "CQUAD4": QUAD, "CQUADR": QUAD, "CSHEAR": QUAD,
    "CTETRA": TETRAHEDRON, "CPYRAM": PYRAMID, "CPYRA": PYRAMID, "CPENTA": WEDGE,
    "CHEXA": HEXAHEDRON,
}  # fmt: skip
_SHELLS = ("CTRIA3", "CTRIAR", "CQUAD4", "CQUADR")  # those that may be off their nodes: ZOFFS
_LEAST = 2  # numbers before an element's nodes: its own, its property
_real = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(?:[EeDd]?([+-]?\d+))?", re.A)
_whole = re.compile(r"[+-]?\d+", re.A)
_include = re.compile(r"\s*INCLUDE\b", re.I)
_begin = re.compile(r"\s*BEGIN\b", re.I)
_NESTED = 16  # files within files


class _Line(NamedTuple):
    file: str
    number: int
    text: str


class _Entry(NamedTuple):
    name: str
    fields: list  # after the name, without continuations
    line: _Line

    def bad(self, text: object) -> Bad:
        return Bad(f"{self.name}: {text}", self.line.number, self.line.file)

    def field(self, k: int) -> str:
        return self.fields[k].strip() if k < len(self.fields) else ""

    def whole(self, k: int, default: int | None = None) -> int:
        text = self.field(k)
        if text.isdigit() and text.isascii():
            return int(text)
        if not text and default is not None:
            return default
        if not _whole.fullmatch(text):
            raise self.bad(f"'{text}' in field {k + 2}, where a whole number should be")
        return int(text)

    def real(self, k: int) -> float:
        text = self.field(k)
        found = _real.fullmatch(text)
        if text and not found:
            raise self.bad(f"'{text}' in field {k + 2}, where a number should be")
        return float(f"{found[1]}e{found[2] or 0}") if found else 0.0


# ---- lines and entries


def _bare(text: str) -> str:
    """Without what follows $, which begins a comment."""
    return (text.split("$", 1)[0] if "$" in text else text).rstrip()


def _read_lines(path: str, above: tuple, by: _Line | None = None) -> Iterator[_Line]:
    """Lines of a file and of those that it includes."""
    at = (by.number, by.file) if by else (0, None)
    if os.path.abspath(path) in above or len(above) > _NESTED:
        raise Bad(f"INCLUDE: {path} includes itself", *at)
    try:
        with open(path, "rb") as stream:
            lines = lines_of(stream.read())
    except OSError as what:
        raise Bad(f"INCLUDE: {path}: {what.strerror}", *at) from None
    inside = (*above, os.path.abspath(path))
    number = 0
    while number < len(lines):
        line = _Line(path, number + 1, lines[number])
        number += 1
        if not _include.match(line.text):
            yield line
            continue
        text = line.text.strip()[7:].strip(" ,=")
        quote = text[:1] if text[:1] in "'\"" else ""
        while quote and quote not in text[1:] and number < len(lines):  # a long name
            text += lines[number].strip()
            number += 1
        name = text[1:].split(quote)[0] if quote else _bare(text).strip()
        yield from _read_lines(_found(name, path, inside[0]), inside, line)


def _found(name: str, path: str, first: str) -> str:
    """Beside the file that includes it, or beside the first file."""
    name = name.replace("\\", "/")
    beside = [os.path.join(os.path.dirname(file), name) for file in (path, first)]
    return next(filter(os.path.exists, beside), beside[0])


def _split(text: str) -> tuple:
    """Name, fields, what a continuation is called, and whether fields are of 16 characters."""
    text = text.expandtabs(8) if "\t" in text else text
    if "," in text[:10]:
        parts = text.split(",")
        large = parts[0].rstrip().endswith("*") or parts[0].lstrip().startswith("*")
        count = 4 if large else 8
        return parts[0], parts[1 : count + 1], parts[count + 1 : count + 2], parts[count + 2 :]
    head = text[:8]
    large = head.rstrip().endswith("*") or head.lstrip().startswith("*")
    width = 16 if large else 8
    fields = [text[k : k + width] for k in range(8, min(len(text), 72), width)]
    return head, fields, [text[72:80]], []


def _large(head: str) -> bool:
    return head.rstrip().endswith("*") or head.lstrip().startswith("*")


def _entries(lines: Iterator[_Line]) -> Iterator[_Entry]:
    made: _Entry | None = None
    said = ""  # what the next continuation should be called
    for line in lines:
        text = _bare(line.text)
        if not text:
            continue
        head, fields, called, more = _split(text)
        if any(map(str.strip, more)):
            raise Bad(f"{len(fields) + 2 + len(more)} fields in a line", line.number, line.file)
        name = head.strip()
        if "=" in name or name.startswith("/"):
            raise Bad(f"'{name}', which is not read", line.number, line.file)
        if not name or name[0] in "+*":
            if not made:
                raise Bad("a continuation of nothing", line.number, line.file)
            _check_called(said, name, line)
            half = len(made.fields) % 8
            if half and not (half == 4 and name[:1] == "*"):
                made.fields.extend([""] * (8 - half))
            made.fields.extend(fields + [""] * ((4 if _large(head) else 8) - len(fields)))
        else:
            if made:
                yield made
            fields += [""] * ((4 if _large(head) else 8) - len(fields))
            made = _Entry(name.rstrip("*").strip().upper(), fields, line)
            if made.name == "ENDDATA":
                return
        said = called[0].strip() if called else ""
    if made:
        yield made


def _check_called(said: str, name: str, line: _Line) -> None:
    """Continuations that are not in their order are not read."""
    said, name = said.lstrip("+*"), name.lstrip("+*")
    if said and name and said != name:
        text = f"the continuation {name} where {said} should be, which is not read"
        raise Bad(text, line.number, line.file)


def _bulk(lines: list, ignored: Counter) -> list:
    """Lines of the bulk data: after BEGIN BULK, or all where there is none."""
    begins = [k for k, line in enumerate(lines) if _begin.match(line.text)]
    for k in begins[1:]:
        raise Bad(f"{lines[k].text.strip()}: a second one, which is not read", *lines[k][1::-1])
    if not begins:
        for line in lines:
            if re.match(r"\s*(CEND|SOL\b|SUBCASE\b)", line.text, re.I):
                raise Bad("without BEGIN BULK", line.number, line.file)
        return lines
    at = lines[begins[0]]
    if not re.fullmatch(r"\s*BEGIN(\s+BULK)?\s*", _bare(at.text), re.I):
        raise Bad(f"{at.text.strip()}, which is not read", at.number, at.file)
    if any(_bare(line.text).strip() for line in lines[: begins[0]]):
        ignored["executive and case control"] = 1
    return lines[begins[0] + 1 :]


# ---- the model


class _Model:
    def __init__(self) -> None:
        self.grids: list = []  # number, system or None, three numbers
        self.systems: dict = {}  # entries and where they begin
        self.cells: list = []  # VTK's type, number, property, nodes
        self.default = 0  # system of grids
        self.ignored: Counter = Counter()
        self.known: dict = {0: ("R", np.zeros(3), np.eye(3))}
        self._at: dict = {}  # rows of grids by number
        self._open: list = []  # systems that are being worked out

    def take(self, entry: _Entry) -> None:
        name = entry.name
        if name in _ELEMENTS:
            self._element(entry)
        elif name == "GRID":
            at = [entry.real(k) for k in (2, 3, 4)]
            self.grids.append((entry.whole(0), entry.whole(1, -1), at, entry))
        elif name == "GRDSET":
            self.default = entry.whole(1, 0)
        elif name[:5] in ("CORD1", "CORD2") and name[5:] in "RCS":
            for first in (0, 4) if name[4] == "1" else (0,):
                if first == 0 or entry.field(first):
                    self._system(entry, first)
        elif name in REFUSED:
            raise entry.bad(f"{REFUSED[name]}, which is not read")
        elif name not in IGNORED:
            raise entry.bad("no entry that is known here")
        else:
            self.ignored[name] += 1

    def _system(self, entry: _Entry, first: int) -> None:
        number = entry.whole(first)
        if number in self.systems or number <= 0:
            raise entry.bad(f"system {number} is there twice, or no number of one")
        self.systems[number] = entry, first

    def _element(self, entry: _Entry) -> None:
        kind = _ELEMENTS[entry.name]
        width = WIDTH[kind]
        if kind in SOLIDS and any(map(str.strip, entry.fields[_LEAST + width :][:12])):
            raise entry.bad(f"of more than {width} nodes, which is not read")
        offset = entry.field(_LEAST + width + 1) if entry.name in _SHELLS else ""
        if offset and not (_real.fullmatch(offset) and entry.real(_LEAST + width + 1) == 0):
            self.ignored["ZOFFS"] += 1  # a number, or TOP or BOTTOM of OptiStruct
        number = entry.whole(0)
        nodes = [entry.whole(k) for k in range(_LEAST, _LEAST + width)]
        self.cells.append((kind, number, entry.whole(1, number), nodes))

    # -- places

    def points(self) -> np.ndarray:
        """All grids in the basic system, (n, 3)."""
        self._at = {grid[0]: k for k, grid in enumerate(self.grids)}
        of = np.array([self.default if grid[1] < 0 else grid[1] for grid in self.grids], np.int64)
        made = np.array([grid[2] for grid in self.grids], np.float64).reshape(-1, 3)
        for number in np.unique(of[of != 0]).tolist():
            rows = np.flatnonzero(of == number)
            entry = self.grids[rows[0]][3]
            made[rows] = self._basic(number, made[rows], entry)
        return made

    def _basic(self, number: int, points: np.ndarray, entry: _Entry) -> np.ndarray:
        kind, origin, axes = self._worked_out(number, entry)
        points = {"R": lambda p: p, "C": cylindrical, "S": spherical}[kind](points)
        return placed(points, origin, axes)

    def _worked_out(self, number: int, by: _Entry) -> tuple:
        if number in self.known:
            return self.known[number]
        if number not in self.systems:
            raise by.bad(f"there is no system of coordinates {number}")
        entry, first = self.systems[number]
        if number in self._open:
            raise entry.bad(f"system {number} is defined by itself")
        self._open.append(number)
        if entry.name[4] == "2":
            at = np.array([entry.real(k) for k in range(2, 11)]).reshape(3, 3)
            a, b, c = self._basic(entry.whole(1, 0), at, entry)
        else:
            a, b, c = (self._grid(entry, entry.whole(first + k)) for k in (1, 2, 3))
        self._open.pop()
        try:
            self.known[number] = entry.name[5], a, axes_of(b - a, c - a)
        except ValueError as what:
            raise entry.bad(what) from None
        return self.known[number]

    def _grid(self, entry: _Entry, number: int) -> np.ndarray:
        if number not in self._at:
            raise entry.bad(f"there is no grid {number}")
        _, system, at, by = self.grids[self._at[number]]
        system = self.default if system < 0 else system
        return self._basic(system, np.array([at], np.float64), by)[0]

    # -- cells

    def piece(self) -> Any:
        nodes, cells = Nodes(), Cells()
        nodes.add([grid[0] for grid in self.grids], self.points())
        ids = [cell[1] for cell in self.cells]
        twice = [number for number, count in Counter(ids).items() if count > 1]
        if twice:
            raise Bad(f"there are two elements {twice[0]}")
        names = sorted({cell[2] for cell in self.cells})
        row = {number: k for k, number in enumerate(names)}
        cells.add_rows([(kind, of, corners, row[group]) for kind, of, group, corners in self.cells])
        return cells.piece(nodes, tuple(f"property {number}" for number in names))


def read(file: str) -> list:
    model = _Model()
    with reading(file):
        lines = _bulk(list(_read_lines(file, ())), model.ignored)
        for entry in _entries(iter(lines)):
            model.take(entry)
        piece = model.piece()
    notes.left_out(file, model.ignored)
    return [piece]


def is_nastran(data: bytes) -> bool:
    """Does text look like Nastran's?"""
    text = (
        rb"(?im)^\s*(BEGIN\s+BULK|CEND|SOL\s+\d+|GRID[*, \t]|INCLUDE\s|C(TRIA3|QUAD4|TETRA)[*, \t])"
    )
    return re.search(text, data) is not None
