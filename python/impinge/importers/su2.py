"""SU2's meshes. meshio's reader takes one zone and drops what it does not know, so it is read here.

Zones are pieces; markers of the boundary are groups.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import numpy as np

from . import notes
from .mesh import HEXAHEDRON, PYRAMID, QUAD, TETRAHEDRON, TRIANGLE, WEDGE, Piece
from .numbered import WIDTH, Bad, Cells, Nodes, lines_of, reading, real, whole

# 0: a point or a line
_KINDS = {
    1: 0, 3: 0, 5: TRIANGLE, 9: QUAD, 10: TETRAHEDRON, 12: HEXAHEDRON, 13: WEDGE, 14: PYRAMID,
}  # fmt: skip
_THIN = {1: 1, 3: 2}  # nodes
# keywords of a file, and what neither makes nor moves an element
_TAKEN = (
    "NDIME", "NELEM", "NPOIN", "NMARK", "MARKER_TAG", "MARKER_ELEMS", "NZONE", "IZONE",
)  # fmt: skip
_IGNORED = ("NPERIODIC", "PERIODIC_INDEX", "PERIODIC_CENTER", "PERIODIC_ROTATION",
            "PERIODIC_TRANSLATE", "AOA", "AOS", "NCHUNK")  # fmt: skip
_IGNORED_DATA = ("FFD_",)  # keywords of boxes that deform a mesh: with lines of numbers
_REFUSED_WORDS = {"SEND_RECV": "a part of a mesh, whose neighbours are in other files"}


class _Zone:
    def __init__(self) -> None:
        self.dimensions = 0
        self.points: list | None = None
        self.cells: list = []  # SU2's type, nodes, own number, row of names, line
        self.names: list = [""]  # of groups
        self.elements: int | None = None
        self.markers: int | None = None


class _Reader:
    def __init__(self, data: bytes):
        self.lines = [
            (number, text.strip())
            for number, text in enumerate((re.sub("%.*", "", t) for t in lines_of(data)), 1)
            if text.strip()
        ]
        self.at = 0
        self.zones: list = []
        self.expected = 0  # zones; 0: it does not say
        self.ignored: Counter = Counter()

    def run(self) -> None:
        zone = _Zone()
        self.zones.append(zone)
        while self.at < len(self.lines):
            line, text = self.lines[self.at]
            self.at += 1
            word, equals, value = (part.strip() for part in text.partition("="))
            word = word.upper()
            if not equals:
                raise Bad(f"'{text[:40]}' where a keyword should be", line)
            if word == "NZONE":
                if self.expected:
                    raise Bad("NZONE= is there twice", line)
                self.expected = _count(value, word, line)
            elif word == "IZONE":
                if zone.dimensions:
                    zone = _Zone()
                    self.zones.append(zone)
                if _count(value, word, line) != len(self.zones):
                    raise Bad(f"IZONE= {value}: it is zone {len(self.zones)}", line)
            elif word in _TAKEN:
                self._take(zone, word, value, line)
            else:
                self._ignore(word, line)
        if len(self.zones) != (self.expected or 1):
            raise Bad(f"NZONE= {self.expected}, and {len(self.zones)} zones are there")

    def _ignore(self, word: str, line: int) -> None:
        _refuse(word, line)
        if word.startswith(_IGNORED_DATA):
            while self.at < len(self.lines) and "=" not in self.lines[self.at][1]:
                self.at += 1
        elif word not in _IGNORED:
            raise Bad(f"{word}=, which is no keyword that is known here", line)
        self.ignored[word] += 1

    def _take(self, zone: _Zone, word: str, value: str, line: int) -> None:
        if word == "NDIME":
            if zone.dimensions or value not in ("2", "3"):
                raise Bad(f"NDIME= {value}, or it is there twice", line)
            zone.dimensions = int(value)
        elif word == "NPOIN":
            if zone.points is not None:
                raise Bad("NPOIN= is there twice", line)
            rows = self._rows(_count(value.split()[0] if value else "", word, line), word, line)
            zone.points = [_point(zone, k, *row) for k, row in enumerate(rows)]
        elif word == "NELEM":
            if zone.elements is not None:
                raise Bad("NELEM= is there twice", line)
            zone.elements = _count(value, word, line)
            self._elements(zone, zone.elements, word, line, 0)
        elif word == "NMARK":
            if zone.markers is not None:
                raise Bad("NMARK= is there twice", line)
            zone.markers = _count(value, word, line)
        elif word == "MARKER_TAG":
            zone.names.append(value)
        else:
            if len(zone.names) < 2:
                raise Bad("MARKER_ELEMS= before MARKER_TAG=", line)
            self._elements(zone, _count(value, word, line), word, line, len(zone.names) - 1)

    def _rows(self, count: int, word: str, line: int) -> list:
        rows = self.lines[self.at : self.at + count]
        if rows and "=" in rows[0][1]:  # SEND_RECV= is between
            _refuse(rows[0][1].split("=")[0].strip().upper(), rows[0][0])
        if len(rows) < count or any("=" in text for _, text in rows):
            raise Bad(f"{word}= {count}, and fewer lines are there", line)
        self.at += count
        return rows

    def _elements(self, zone: _Zone, count: int, word: str, line: int, group: int) -> None:
        for number, text in self._rows(count, word, line):
            try:
                row = [whole(part) for part in text.split()]
            except ValueError:
                raise Bad(f"'{text[:60]}', where an element should be", number) from None
            kind = row[0]
            if kind not in _KINDS:
                raise Bad(f"an element of type {kind}, which is not read", number)
            width = WIDTH[_KINDS[kind]] if _KINDS[kind] else _THIN[kind]
            if not width <= len(row) - 1 <= width + 1:
                raise Bad(f"{len(row) - 1} numbers of an element of {width} nodes", number)
            own = row[width + 1] if len(row) > width + 1 else None
            zone.cells.append((kind, row[1 : width + 1], own, group, number))


def _refuse(word: str, line: int) -> None:
    if word in _REFUSED_WORDS:
        raise Bad(f"{word}=: {_REFUSED_WORDS[word]}, which is not read", line)


def _count(text: str, word: str, line: int) -> int:
    if not text.isdigit():
        raise Bad(f"{word}= {text[:40]}, where a number should be", line)
    return int(text)


def _point(zone: _Zone, k: int, line: int, text: str) -> list:
    """Its number, if there is one, is its place: SU2 does not read it."""
    if not zone.dimensions:
        raise Bad("NPOIN= before NDIME=", line)
    parts = text.split()
    if not zone.dimensions <= len(parts) <= zone.dimensions + 1:
        raise Bad(f"{len(parts)} numbers of a point of {zone.dimensions}", line)
    try:
        if len(parts) > zone.dimensions and whole(parts[-1]) != k:
            raise Bad(f"point {parts[-1]} in place {k}, which is not read", line)
        return [real(part) for part in parts[: zone.dimensions]]
    except ValueError as what:
        raise Bad(what, line) from None


def _piece(zone: _Zone, name: str) -> Piece:
    if zone.points is None or zone.elements is None:
        raise Bad("the file ends without NPOIN= or NELEM=")
    if zone.markers is not None and zone.markers != len(zone.names) - 1:
        raise Bad(f"NMARK= {zone.markers}, and {len(zone.names) - 1} markers are there")
    points = np.array(zone.points, np.float64).reshape(-1, zone.dimensions)
    nodes, cells = Nodes(), Cells()
    nodes.add(np.arange(len(points)), np.pad(points, ((0, 0), (0, 3 - zone.dimensions))))
    rows = []
    for place, (kind, corners, own, group, line) in enumerate(zone.cells):
        if max(corners) >= len(points) or min(corners) < 0:
            raise Bad(f"there is no point {max(corners)}; the zone has {len(points)}", line)
        if _KINDS[kind]:
            rows.append((_KINDS[kind], place if own is None or group else own, corners, group))
        else:
            cells.thin += 1
    cells.add_rows(rows)
    return cells.piece(nodes, tuple(zone.names), name)


def read(file: str) -> list:
    with reading(file):
        with open(file, "rb") as stream:
            reader = _Reader(stream.read())
        reader.run()
        several = len(reader.zones) > 1
        pieces: Any = [
            _piece(zone, f"zone {k}" if several else "") for k, zone in enumerate(reader.zones, 1)
        ]
    notes.left_out(file, reader.ignored)
    return pieces
