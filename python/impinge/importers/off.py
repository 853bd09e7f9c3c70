"""OFF, as Geomview defines it and CGAL, libigl and MeshLab write it. meshio's reader takes
triangles alone, so it is read here."""

from __future__ import annotations

import re

import numpy as np

from .mesh import POLYGON, Piece
from .numbered import Bad, lines_of, reading, real, whole

_HEADER = re.compile(r"((?:ST|C|N|4|n)*)OFF\b\s*(BINARY\b)?\s*")
_EXTRA = {"N": (3, 3), "C": (3, 4), "ST": (2, 2)}  # least and most numbers of a vertex
_COLOUR = 4  # numbers at most, after a face's corners


def _header(text: str, line: int) -> tuple:
    """Least and most numbers of a vertex, and the rest of the line."""
    if re.match(r"[\d.+-]", text):  # Geomview lets the word be left out
        return 3, 3, text
    found = _HEADER.match(text)
    if not found:
        raise Bad(f"'{text[:40]}', where OFF should be", line)
    kinds = re.findall("ST|C|N|4|n", found[1])
    if found[2]:
        raise Bad("OFF BINARY, which is not read", line)
    for kind, what in (("4", "of four coordinates"), ("n", "of any number of coordinates")):
        if kind in kinds:
            raise Bad(f"{found[0].strip()}: vertices {what}, which are not read", line)
    if len(set(kinds)) < len(kinds):
        raise Bad(f"'{found[0].strip()}'", line)
    sums = [sum(_EXTRA[kind][k] for kind in kinds) for k in range(2)]
    return 3 + sums[0], 3 + sums[1], text[found.end() :]


def _lines(data: bytes) -> list:
    """Number and text of each that is not empty, without comments."""
    bare = ((k, text.split("#", 1)[0].strip()) for k, text in enumerate(lines_of(data), 1))
    return [(k, text) for k, text in bare if text]


def _counts(text: str, line: int) -> tuple:
    """Of vertices and faces; that of edges is not used, and may be missing."""
    words = text.split()
    if not 2 <= len(words) <= 3 or not all(word.isdigit() for word in words):
        raise Bad(f"'{text[:40]}', where the numbers of vertices and faces should be", line)
    return int(words[0]), int(words[1])


def _face(text: str, line: int, points: int) -> list:
    """Corners. What follows is a colour."""
    words = text.split()
    try:
        size = whole(words[0])
        corners = [whole(word) for word in words[1 : size + 1]]
        colour = [real(word) for word in words[size + 1 :]]
    except ValueError as what:
        raise Bad(what, line) from None
    if size < 0 or len(corners) != size or len(colour) > _COLOUR:
        raise Bad(f"{len(words) - 1} numbers of a face of {size} corners", line)
    bad = [corner for corner in corners if not 0 <= corner < points]
    if bad:
        raise Bad(f"there is no vertex {bad[0]}; the file has {points}", line)
    return corners


def _read(data: bytes) -> Piece:
    lines = _lines(data)
    if not lines:
        raise Bad("it is empty")
    least, most, rest = _header(lines[0][1], lines[0][0])
    lines[0] = lines[0][0], rest
    lines = lines if rest else lines[1:]
    if not lines:
        raise Bad("it ends after its first line")
    vertices, faces = _counts(lines[0][1], lines[0][0])
    rows, rest = lines[1 : vertices + 1], lines[vertices + 1 :]
    if len(rows) < vertices or len(rest) != faces:
        text = f"{len(lines) - 1} lines where {vertices} vertices and {faces} faces should be"
        raise Bad(text, lines[-1][0])
    points = []
    for line, text in rows:
        words = text.split()
        if not least <= len(words) <= most:
            raise Bad(f"{len(words)} numbers of a vertex", line)
        try:
            points.append([real(word) for word in words][:3])
        except ValueError as what:
            raise Bad(what, line) from None
    made = [_face(text, line, vertices) for line, text in rest]
    sizes = np.array([len(face) for face in made], np.int64)
    types = np.select([sizes == 0, sizes == 1, sizes == 2], [0, 1, 3], POLYGON).astype(np.uint8)
    flat = np.array([corner for face in made for corner in face], np.int64)
    return Piece(np.array(points, np.float64).reshape(-1, 3), types, np.cumsum(sizes), flat)


def read(file: str) -> list:
    with reading(file), open(file, "rb") as stream:
        return [_read(stream.read())]
