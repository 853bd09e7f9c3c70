"""TetGen's .ele and .node, of one mesh. meshio's reader wants one space between numbers and does
not see what follows them, so they are read here."""

from __future__ import annotations

import os

from .mesh import TETRAHEDRON, Piece
from .numbered import Bad, Cells, Nodes, lines_of, reading, real, whole


def _rows(path: str, head: tuple) -> tuple:
    """Numbers of the first line, least and most of them, and rows of the others."""
    try:
        with open(path, "rb") as stream:
            data = stream.read()
    except OSError as what:
        raise Bad(f"{path}: {what.strerror}") from None
    bare = ((k, text.split("#", 1)[0].split()) for k, text in enumerate(lines_of(data), 1))
    lines = [(k, words) for k, words in bare if words]
    if not lines or not head[0] <= len(lines[0][1]) <= head[1]:
        raise Bad("without the numbers of its first line", 1, path)
    try:
        counts = [whole(word) for word in lines[0][1]]
        counts += [0] * (head[1] - len(counts))
    except ValueError as what:
        raise Bad(what, lines[0][0], path) from None
    if len(lines) - 1 != counts[0]:
        raise Bad(f"{len(lines) - 1} lines where {counts[0]} should be", lines[-1][0], path)
    return counts, lines[1:]


def _nodes(path: str) -> Nodes:
    counts, lines = _rows(path, (2, 4))
    if counts[1] != 3:
        raise Bad(f"points of {counts[1]} dimensions, which are not read", 1, path)
    width = 4 + counts[2] + counts[3]
    numbers, points = [], []
    for line, words in lines:
        try:
            if len(words) != width:
                raise ValueError(f"{len(words)} numbers of a node, and not {width}")
            numbers.append(whole(words[0]))
            points.append([real(word) for word in words[1:4]])
        except ValueError as what:
            raise Bad(what, line, path) from None
    nodes = Nodes()
    nodes.add(numbers, points)
    return nodes


def _cells(path: str) -> tuple:
    counts, lines = _rows(path, (2, 3))
    if counts[1] != 4:
        raise Bad(f"tetrahedra of {counts[1]} nodes, which are not read", 1, path)
    rows = []
    for line, words in lines:
        try:
            if len(words) != 5 + counts[2]:
                raise ValueError(f"{len(words)} numbers of a tetrahedron, not {5 + counts[2]}")
            region = words[5] if counts[2] else ""
            rows.append((TETRAHEDRON, whole(words[0]), [whole(w) for w in words[1:5]], region))
        except ValueError as what:
            raise Bad(what, line, path) from None
    names: dict = {}
    for row in rows:
        names.setdefault(row[3], len(names))
    cells = Cells()
    cells.add_rows([(kind, of, corners, names[name]) for kind, of, corners, name in rows])
    return cells, tuple(f"region {name}" if name else "" for name in names)


def read(file: str) -> list:
    base = os.path.splitext(file)[0]
    with reading(file):
        nodes = _nodes(base + ".node")
        cells, names = _cells(base + ".ele")
        piece: Piece = cells.piece(nodes, names or ("",))
    return [piece]
