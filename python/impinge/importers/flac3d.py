"""FLAC3D's grids in text. meshio's reader drops lines that it does not know, and the form of binary
grids is not published, so those are refused."""

from __future__ import annotations

import re
from collections import Counter

from . import notes
from .mesh import HEXAHEDRON, PYRAMID, QUAD, SOLIDS, TETRAHEDRON, TRIANGLE, WEDGE
from .numbered import WIDTH, Bad, Cells, Nodes, lines_of, reading, real, whole

_KINDS = {
    "T3": TRIANGLE, "Q4": QUAD, "T4": TETRAHEDRON, "P5": PYRAMID, "W6": WEDGE, "B8": HEXAHEDRON,
}  # fmt: skip
# their nodes in VTK's order, where it is another one
_ORDER = {PYRAMID: (0, 1, 4, 2, 3), WEDGE: (0, 1, 3, 2, 4, 5), HEXAHEDRON: (0, 1, 4, 2, 3, 6, 7, 5)}
_REFUSED = ("B7",)
_GROUP = re.compile(r"""[ZF]GROUP\s+("[^"]*"|'[^']*'|\S+)(?:\s+SLOT\s+(\S+))?\s*""", re.I)


class _Reader:
    def __init__(self) -> None:
        self.points: list = []
        self.cells: list = []  # VTK's type, number, nodes, "Z" or "F"
        self.names: dict = {}  # "Z" or "F", and number: the first group
        self.group: tuple | None = None
        self.ignored: Counter = Counter()

    def take(self, line: int, text: str) -> None:
        words = text.split()
        word = words[0].upper()
        if self.group and all(part.isdigit() for part in words):
            for part in words:
                self.names.setdefault((self.group[0], int(part)), self.group[1])
            return
        self.group = None
        if word in ("ZGROUP", "FGROUP"):
            found = _GROUP.fullmatch(text)
            if not found:
                raise Bad(f"'{text[:60]}'", line)
            self.group = word[0], found[1].strip("\"'")
        elif word == "G" and len(words) == 5:
            self.points.append((whole(words[1]), [real(part) for part in words[2:]]))
        elif word in ("Z", "F") and len(words) > 3:
            self._cell(line, word, words)
        else:
            raise Bad(f"'{text[:60]}', which is not known here", line)

    def _cell(self, line: int, word: str, words: list) -> None:
        shape = words[1].upper()
        kind = _KINDS.get(shape)
        if shape in _REFUSED:
            raise Bad(f"{word} {shape}, which is not read", line)
        if kind is None or len(words) - 3 != WIDTH[kind] or (kind in SOLIDS) != (word == "Z"):
            raise Bad(f"'{' '.join(words)[:60]}', where a zone or a face should be", line)
        nodes = [whole(part) for part in words[3:]]
        nodes = [nodes[k] for k in _ORDER.get(kind, range(len(nodes)))]
        self.cells.append((kind, whole(words[2]), nodes, word))


def read(file: str) -> list:
    reader = _Reader()
    with reading(file):
        with open(file, "rb") as stream:
            data = stream.read()
        if b"\0" in data:
            raise Bad("a binary grid, which is not read; write it as text")
        for line, text in enumerate(lines_of(data), 1):
            text = text.split(";", 1)[0].strip()
            if text and not text.startswith("*"):
                try:
                    reader.take(line, text)
                except ValueError as what:
                    raise Bad(what, line) from None
        nodes, cells = Nodes(), Cells()
        nodes.add([number for number, _ in reader.points], [at for _, at in reader.points])
        names = ["", *dict.fromkeys(reader.names.values())]
        row = {name: k for k, name in enumerate(names)}
        cells.add_rows(
            [
                (kind, of, corners, row[reader.names.get((word, of), "")])
                for kind, of, corners, word in reader.cells
            ]
        )
        piece = cells.piece(nodes, tuple(names))
    notes.left_out(file, reader.ignored)
    return [piece]
