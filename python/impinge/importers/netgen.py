"""Netgen's meshes, .vol and .vol.gz. meshio's reader drops points and elements where a section is
there twice, so it is read here."""

from __future__ import annotations

import gzip
import zlib
from collections import Counter

import numpy as np

from . import notes
from .mesh import HEXAHEDRON, PYRAMID, QUAD, SOLIDS, TETRAHEDRON, TRIANGLE, WEDGE
from .numbered import Bad, Cells, Nodes, lines_of, reading, real, turned, whole

_SURFACES = ("surfaceelements", "surfaceelementsgi", "surfaceelementsuv")
_NAMES = {"materials": "volume", "bcnames": "surface"}
_THIN = ("edgesegments", "edgesegmentsgi", "edgesegmentsgi2", "pointelements")
# sections of rows that neither make nor move an element; how many lines each says first
_IGNORED = (
    "cd2names", "cd3names", "identifications", "face_colours", "face_transparencies",
    "singular_points", "singular_edge_left", "singular_edge_right", "singular_face_inside",
    "singular_face_outside",
)  # fmt: skip
_KINDS = {
    "surface": {3: TRIANGLE, 4: QUAD},
    "volume": {4: TETRAHEDRON, 5: PYRAMID, 6: WEDGE, 8: HEXAHEDRON},
}


class _Reader:
    def __init__(self, data: bytes):
        self.lines = lines_of(data)
        self.at = 0
        self.points: list | None = None
        self.cells: list = []  # VTK's type, id, corners, key of a group
        self.names: dict = {}  # of groups, by dimension and number
        self.thin = 0
        self.ignored: Counter = Counter()

    def next(self) -> tuple:
        """Number and words of the next line that is not empty and no comment."""
        while self.at < len(self.lines):
            self.at += 1
            words = self.lines[self.at - 1].split("#", 1)[0].split()
            if words:
                return self.at, words
        raise Bad("the file ends without endmesh")

    def rows(self, section: str) -> list:
        line, words = self.next()
        if len(words) != 1 or not words[0].isdigit():
            raise Bad(f"{section}: '{' '.join(words)[:40]}', where a number should be", line)
        return [self.next() for _ in range(int(words[0]))]

    def run(self) -> None:
        line, words = self.next()
        if words != ["mesh3d"]:
            raise Bad("it does not begin with mesh3d", line)
        two_lines = False  # of each segment
        while True:
            line, words = self.next()
            section = words[0]
            if section == "endmesh":
                break
            if words == ["surf1", "surf2", "p1", "p2"]:
                two_lines = True
            elif section == "points":
                if self.points is not None:
                    raise Bad("points are there twice", line)
                self.points = [_numbers(section, *row) for row in self.rows(section)]
            elif section in _SURFACES:
                self._elements("surface", section, 1, 4)
            elif section == "volumeelements":
                self._elements("volume", section, 0, 1)
            else:
                self._other(section, line, two_lines)
        rest = sum(1 for text in self.lines[self.at :] if text.strip())
        self.ignored["geometry after endmesh"] += rest > 0

    def _other(self, section: str, line: int, two_lines: bool) -> None:
        if section in ("dimension", "geomtype"):
            number, words = self.next()
            if len(words) != 1 or not words[0].isdigit():
                raise Bad(f"{section} {' '.join(words)[:40]}", number)
        elif section in _THIN:
            rows = self.rows(section)
            if two_lines and section == "edgesegmentsgi2":
                [self.next() for _ in rows]
            self.thin += len(rows)
        elif section in _NAMES:
            for _, (number, *name) in self.rows(section):
                self.names[_NAMES[section], whole(number)] = " ".join(name)
        elif section == "identificationtypes":
            if self.next()[1] != ["0"]:
                self.next()  # all of them are in a line
            self.ignored[section] += 1
        elif section in _IGNORED:
            self.ignored[section] += len(self.rows(section)) > 0
        else:
            raise Bad(f"{section}, which is no section that is known here", line)

    def _elements(self, of: str, section: str, group: int, count: int) -> None:
        for line, words in self.rows(section):
            try:
                row = [whole(word) for word in words[: count + 1]]
                nodes = [whole(word) for word in words[count + 1 : count + 1 + row[count]]]
            except (ValueError, IndexError):
                raise Bad(f"{section}: '{' '.join(words)[:60]}'", line) from None
            kind = _KINDS[of].get(row[count])
            if kind is None:
                raise Bad(f"{section}: an element of {row[count]} nodes, which is not read", line)
            if len(nodes) != row[count]:
                raise Bad(f"{section}: {len(nodes)} nodes of {row[count]}", line)
            if kind in SOLIDS:
                nodes = [nodes[k] for k in turned(kind)]
            key = of, row[group]
            self.cells.append((kind, len(self.cells), nodes, key))


def _numbers(section: str, line: int, words: list) -> list:
    try:
        if len(words) != 3:
            raise ValueError
        return [real(word) for word in words]
    except ValueError:
        raise Bad(f"{section}: '{' '.join(words)[:60]}'", line) from None


def read(file: str) -> list:
    with reading(file):
        try:
            with gzip.open(file) if file.lower().endswith(".gz") else open(file, "rb") as stream:
                reader = _Reader(stream.read())
        except (EOFError, zlib.error, gzip.BadGzipFile) as what:
            raise Bad(what) from None
        reader.run()
        if reader.points is None:
            raise Bad("without points")
        nodes, cells = Nodes(), Cells()
        nodes.add(1 + np.arange(len(reader.points)), reader.points)
        keys: dict = {}
        for cell in reader.cells:
            keys.setdefault(cell[3], len(keys))
        cells.add_rows([(k, of, corners, keys[key]) for k, of, corners, key in reader.cells])
        cells.thin = reader.thin
        names = tuple(reader.names.get(key) or f"{key[0]} {key[1]}" for key in keys)
        piece = cells.piece(nodes, names or ("",))
    notes.left_out(file, reader.ignored)
    return [piece]
