"""Kratos' .mdpa. meshio's reader takes the order of nodes for their numbers, so it is read here.

Elements, conditions and geometries are read; sub-model parts are groups.
"""

from __future__ import annotations

import re
from collections import Counter

from . import notes
from .mesh import HEXAHEDRON, PYRAMID, QUAD, TETRAHEDRON, TRIANGLE, WEDGE
from .numbered import WIDTH, Bad, Cells, Nodes, lines_of, point, reading, whole

_CELLS = ("Elements", "Conditions", "Geometries")
_IGNORED = (
    "ModelPartData", "Properties", "Table", "NodalData", "ElementalData", "ConditionalData",
    "Constraints", "MasterSlaveConstraints", "CommunicatorData",
)  # fmt: skip
_MEMBERS = {
    "SubModelPartElements": "Elements", "SubModelPartConditions": "Conditions",
    "SubModelPartGeometries": "Geometries",
}  # fmt: skip
_SUB_IGNORED = (
    "SubModelPartData", "SubModelPartTables", "SubModelPartProperties", "SubModelPartNodes",
    "SubModelPartConstraints",
)  # fmt: skip
_LINES = r"(Line[23]D[234]|Point[23]D|[23]D[12]N|(Line|Truss|Beam|Cable|Point)\w*[23]D3N)$"
_TRIANGLES = r"(Triangle[23]D3|[23]D3N)$"
_QUADS = r"(Quadrilateral[23]D4|2D4N|(Shell|Membrane|Surface)\w*3D4N)$"
_TETRAHEDRA = r"(Tetrahedra3D4|3D4N)$"
_SOLIDS = (
    (PYRAMID, r"(Pyramid3D5|3D5N)$"),
    (WEDGE, r"(Prism3D6|3D6N)$"),
    (HEXAHEDRON, r"(Hexahedra3D8|3D8N)$"),
)


def _kind(block: str, name: str, width: int, line: int) -> int:
    """VTK's type by the end of a name; 0: a point or a line. 3D4N are the nodes of a tetrahedron,
    but not in conditions, shells and membranes, which are surfaces."""
    quads = _QUADS + (r"|3D4N$" if block == "Conditions" else "")
    shapes: tuple = ((0, _LINES), (TRIANGLE, _TRIANGLES), (QUAD, quads), (TETRAHEDRON, _TETRAHEDRA))
    shapes += () if block == "Conditions" else _SOLIDS
    fits = [kind for kind, pattern in shapes if re.search(pattern, name)]
    if not fits or (fits[0] and WIDTH[fits[0]] != width):
        raise Bad(f"{name} of {width} nodes, which is not read", line)
    return fits[0]


class _Reader:
    def __init__(self, data: bytes):
        bare = ((k, t.split("//", 1)[0].strip()) for k, t in enumerate(lines_of(data), 1))
        self.lines = [(k, text) for k, text in bare if text]
        self.at = 0
        self.nodes, self.thin = Nodes(), 0
        self.cells: list = []  # VTK's type, number, nodes, block
        self.parts: dict = {}  # block and number: names
        self.names: list = []
        self.ignored: Counter = Counter()

    def block(self, name: str, line: int) -> list:
        """Lines of a block up to its end, blocks within it among them."""
        made = []
        depth = 1
        while self.at < len(self.lines):
            number, text = self.lines[self.at]
            self.at += 1
            words = text.split()
            if words[:2] == ["End", name] and depth == 1:
                return made
            depth += (words[0] == "Begin") - (words[0] == "End")
            made.append((number, text))
        raise Bad(f"Begin {name} without its end", line)

    def run(self) -> None:
        while self.at < len(self.lines):
            line, text = self.lines[self.at]
            self.at += 1
            words = text.split()
            if words[0] != "Begin" or len(words) < 2:
                raise Bad(f"'{text[:40]}' where a block should begin", line)
            self._take(words[1], words[2:], self.block(words[1], line), line)

    def _take(self, name: str, more: list, rows: list, line: int) -> None:
        if name == "Nodes":
            points = [point(*row) for row in rows]
            self.nodes.add([number for number, _ in points], [at for _, at in points])
        elif name in _CELLS:
            self._elements(name, more[0] if more else "", rows)
        elif name in ("SubModelPart", "Mesh"):
            self._part(more[0] if more else "", rows)
        elif name in _IGNORED:
            self.ignored[name] += 1
        else:
            raise Bad(f"Begin {name}, which is not known here", line)

    def _elements(self, block: str, name: str, rows: list) -> None:
        skip = 1 if block == "Geometries" else 2  # its number, and its property
        for number, text in rows:
            try:
                row = [whole(word) for word in text.split()]
            except ValueError as what:
                raise Bad(what, number) from None
            kind = _kind(block, name, len(row) - skip, number)
            if kind:
                self.cells.append((kind, row[0], row[skip:], block))
            else:
                self.thin += 1

    def _part(self, name: str, rows: list, above: str = "") -> None:
        """The first of several counts; parts within it have longer names."""
        whole_name = f"{above}{name}"
        self.names.append(whole_name)
        inner = _Inner(rows)
        for word, more, lines, line in inner.blocks():
            if word in _MEMBERS:
                for _, text in lines:
                    for number in text.split():
                        key = _MEMBERS[word], whole(number)
                        self.parts.setdefault(key, whole_name)
            elif word == "SubModelPart":
                self._part(more[0] if more else "", lines, whole_name + "/")
            elif word not in _SUB_IGNORED and not word.startswith("Mesh"):
                raise Bad(f"Begin {word}, which is not known here", line)


class _Inner(_Reader):
    """Blocks within a block."""

    def __init__(self, rows: list):
        self.lines, self.at = rows, 0

    def blocks(self) -> list:
        made = []
        while self.at < len(self.lines):
            line, text = self.lines[self.at]
            self.at += 1
            words = text.split()
            if words[0] == "Begin" and len(words) > 1:
                made.append((words[1], words[2:], self.block(words[1], line), line))
        return made


def read(file: str) -> list:
    with reading(file):
        with open(file, "rb") as stream:
            reader = _Reader(stream.read())
        reader.run()
        names = ["", *dict.fromkeys(reader.names)]
        row = {name: k for k, name in enumerate(names)}
        cells = Cells()
        cells.thin = reader.thin
        cells.add_rows(
            [
                (kind, number, corners, row[reader.parts.get((block, number), "")])
                for kind, number, corners, block in reader.cells
            ]
        )
        piece = cells.piece(reader.nodes, tuple(names))
    notes.left_out(file, reader.ignored)
    return [piece]
