"""AVS' unstructured cell data (UCD) in text. meshio's reader does not check what its numbers say,
and VTK's narrows points to float32, so it is read here."""

from __future__ import annotations

from typing import Any

from . import notes
from .mesh import HEXAHEDRON, PYRAMID, QUAD, TETRAHEDRON, TRIANGLE, WEDGE
from .numbered import Bad, Cells, Nodes, lines_of, point, reading, whole

_KINDS = {
    "pt": (0, 1), "line": (0, 2), "tri": (TRIANGLE, 3), "quad": (QUAD, 4), "tet": (TETRAHEDRON, 4),
    "pyr": (PYRAMID, 5), "prism": (WEDGE, 6), "hex": (HEXAHEDRON, 8),
}  # fmt: skip
# their nodes in VTK's order, where it is another one
_ORDER = {
    TETRAHEDRON: (0, 1, 3, 2), PYRAMID: (1, 2, 3, 4, 0), WEDGE: (3, 4, 5, 0, 1, 2),
    HEXAHEDRON: (4, 5, 6, 7, 0, 1, 2, 3),
}  # fmt: skip
_REFUSED = ("line2", "tri2", "quad2", "tet2", "pyr2", "prism2", "hex2")


def _cell(line: int, text: str) -> tuple:
    """Type and width, number, material, nodes. Few programs leave the material out; none here."""
    words = text.split()
    kind = words[2].lower() if len(words) > 2 else ""
    if kind in _REFUSED:
        raise Bad(f"a cell of type {kind}, which is not read", line)
    if kind not in _KINDS or len(words) - 3 != _KINDS[kind][1]:
        raise Bad(f"'{text[:60]}', where a cell should be", line)
    try:
        row = [whole(word) for word in (*words[:2], *words[3:])]
    except ValueError as what:
        raise Bad(what, line) from None
    number, nodes = _KINDS[kind][0], row[2:]
    return number, row[0], row[1], [nodes[k] for k in _ORDER.get(number, range(len(nodes)))]


def _read(data: bytes) -> tuple:
    """A piece, and lines of data."""
    if data[:1] == b"\x07":
        raise Bad("a binary file of AVS, which is not read; write it as text")
    bare = ((k, text.strip()) for k, text in enumerate(lines_of(data), 1))
    lines = [(k, text) for k, text in bare if text and not text.startswith("#")]
    words = lines[0][1].split() if lines else []
    if len(words) != 5 or not all(word.isdigit() for word in words):
        raise Bad("without the five numbers of its first line", lines[0][0] if lines else 0)
    points, count, *of_data = (int(word) for word in words)
    if len(lines) - 1 < points + count:
        raise Bad(f"{len(lines) - 1} lines, and {points} nodes and {count} cells should be there")
    rest = lines[1 + points + count :]
    expected = sum(points for _ in range(of_data[0] > 0)) + count * (of_data[1] > 0)
    expected += (of_data[2] > 0) + (of_data[2] > 0)
    if not any(of_data) and rest or len(rest) < expected - 1:
        raise Bad(f"{len(rest)} lines after its cells", lines[-1][0])
    nodes, cells = Nodes(), Cells()
    numbers, at = zip(*(point(*row) for row in lines[1 : 1 + points])) if points else ((), ())
    nodes.add(numbers, at)
    made = [_cell(*row) for row in lines[1 + points :][:count]]
    cells.thin = sum(not kind for kind, *_ in made)
    materials = list(dict.fromkeys(cell[2] for cell in made if cell[0]))
    row = {material: k for k, material in enumerate(materials)}
    cells.add_rows([(k, of, corners, row[group]) for k, of, group, corners in made if k])
    names = tuple(f"material {material}" for material in materials) or ("",)
    return cells.piece(nodes, names), len(rest)


def read(file: str) -> list:
    with reading(file), open(file, "rb") as stream:
        piece: Any
        piece, rest = _read(stream.read())
    notes.left_out(file, {"data of nodes and cells": rest > 0})
    return [piece]
