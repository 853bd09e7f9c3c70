"""Medit's (Gamma's) meshes, in text and binary. meshio's reader fails on keywords that it does not
know and narrows text to float32 where the file says version 1, so it is read here.

A section is a keyword, how many rows it has, and these. libMeshb's documentation has the keywords.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import numpy as np

from . import notes
from .mesh import HEXAHEDRON, PYRAMID, QUAD, TETRAHEDRON, TRIANGLE, WEDGE, Piece, as_points
from .numbered import WIDTH, Bad, Cells, Nodes, reading

_ELEMENTS = {
    "Triangles": TRIANGLE, "Quadrilaterals": QUAD, "Tetrahedra": TETRAHEDRON, "Pyramids": PYRAMID,
    "Prisms": WEDGE, "Hexahedra": HEXAHEDRON,
}  # fmt: skip
_REFUSED = (
    r"Hexaedra|CoarseHexahedra|Poly(gons|hedra)|Bound(ary|aries)?Poly\w+"
    r"|InnerPoly\w+|(Triangles|Tetrahedra|Pyramids|Prisms)P[2-9]|(Quadrilaterals|Hexahedra)Q[2-9]"
    r"|ExtraVerticesAt\w+|Iterations|Time|TrianglesP2|BezierBasis"
)
_IGNORED = (
    r"Corners|Ridges|Required\w+|Tangent\w*|Normal\w*|AngleOfCornerBound|SubDomain\w*|Fault_\w+"
    r"|\w+OnGeometric\w+|VertexOnSupport\w*|BoundingBox|PrivateTable|I?SolAt\w+|D?SolAt\w+"
    r"|HOSolAt\w+|Comments|Periodic\w+|[ID]RefGroups|ByteFlow|EdgesP[2-9]|\w+Ordering|Geometry"
    r"|\w+ReferenceElement|FloatingPointPrecision|BoundaryLayers|Identifier|Reserved\w*"
)
# of binary files, by libMeshb's numbers; others are passed over and counted
_NUMBERS = {
    3: "Dimension", 4: "Vertices", 5: "Edges", 6: "Triangles", 7: "Quadrilaterals", 8: "Tetrahedra",
    9: "Prisms", 10: "Hexahedra", 13: "Corners", 14: "Ridges", 15: "RequiredVertices",
    16: "RequiredEdges", 17: "RequiredTriangles", 18: "RequiredQuadrilaterals",
    19: "TangentAtEdgeVertices", 20: "NormalAtVertices", 21: "NormalAtTriangleVertices",
    22: "NormalAtQuadrilateralVertices", 23: "AngleOfCornerBound", 24: "TrianglesP2",
    25: "EdgesP2", 26: "SolAtPyramids", 27: "QuadrilateralsQ2", 28: "ISolAtPyramids",
    29: "SubDomainFromGeom", 30: "TetrahedraP2", 31: "Fault_NearTri", 32: "Fault_Inter",
    33: "HexahedraQ2", 34: "ExtraVerticesAtEdges", 35: "ExtraVerticesAtTriangles",
    36: "ExtraVerticesAtQuadrilaterals", 37: "ExtraVerticesAtTetrahedra",
    38: "ExtraVerticesAtPrisms", 39: "ExtraVerticesAtHexahedra", 46: "Polyhedra", 47: "Polygons",
    49: "Pyramids", 50: "BoundingBox", 54: "End", 59: "Tangents", 60: "Normals",
    61: "TangentAtVertices", 77: "Iterations", 78: "Time", 80: "CoarseHexahedra", 81: "Comments",
    86: "PrismsP2", 87: "PyramidsP2", 88: "QuadrilateralsQ3", 89: "QuadrilateralsQ4",
    90: "TrianglesP3", 91: "TrianglesP4", 92: "EdgesP3", 93: "EdgesP4", 96: "TetrahedraP3",
    97: "TetrahedraP4", 98: "HexahedraQ3", 99: "HexahedraQ4", 100: "PyramidsP3", 101: "PyramidsP4",
    102: "PrismsP3", 103: "PrismsP4", 125: "BezierBasis",
}  # fmt: skip
_PASSED = (*range(40, 46), 48, 52, 53, *range(55, 59), *range(62, 77), 79, *range(82, 86),
           94, 95, *range(104, 125), *range(126, 199))  # fmt: skip


class _Reader:
    def __init__(self) -> None:
        self.dimensions = 0
        self.points: Any = None
        self.cells, self.names = Cells(), {}  # references: rows of groups
        self.ignored: Counter = Counter()
        self.seen: set = set()

    def take(self, word: str, rows: np.ndarray, line: int) -> None:
        if word in self.seen and word in ("Vertices", "Dimension"):
            raise Bad(f"{word} is there twice", line)
        self.seen.add(word)
        if word == "Vertices":
            self.points = rows[:, :-1]
        elif word == "Edges":
            self.cells.thin += len(rows)
        else:
            groups = [self.names.setdefault(int(ref), len(self.names)) for ref in rows[:, -1]]
            first = sum(len(block[1]) for block in self.cells.blocks)
            ids = first + np.arange(len(rows))
            self.cells.add(_ELEMENTS[word], ids, rows[:, :-1], groups)

    def check(self, word: str, line: int) -> None:
        """A section that is not taken."""
        if re.fullmatch(_REFUSED, word):
            raise Bad(f"{word}, which is not read", line)
        if not re.fullmatch(_IGNORED, word):
            raise Bad(f"{word}, which is no keyword that is known here", line)
        self.ignored[word] += 1


def _taken(word: str) -> bool:
    return word in ("Vertices", "Edges") or word in _ELEMENTS


# ---- text


def _read_text(reader: _Reader, data: bytes) -> None:
    text = re.sub(r"#[^\n]*", "", data.decode("utf-8-sig", "replace"))
    found = list(re.finditer(r"(?<!\S)[A-Za-z_]\w*(?!\S)", text))
    if text[: found[0].start() if found else None].strip():
        raise Bad(f"'{text.strip()[:40]}' where a keyword should be")
    ends = [m.start() for m in found[1:]] + [len(text)]
    for at, end in zip(found, ends):
        word, line = at[0], text.count("\n", 0, at.start()) + 1
        if word == "End":
            if text[at.end() :].strip():
                raise Bad("something after End", line)
            return
        _section(reader, word, text[at.end() : end].split(), line)
    raise Bad("the file ends without End")


def _section(reader: _Reader, word: str, words: list, line: int) -> None:
    if word == "MeshVersionFormatted":
        if len(words) != 1 or words[0] not in "01234":
            raise Bad(f"MeshVersionFormatted {' '.join(words)[:40]}", line)
    elif word == "Dimension":
        if len(words) != 1 or words[0] not in ("2", "3") or reader.dimensions:
            raise Bad(f"Dimension {' '.join(words)[:40]}, or it is there twice", line)
        reader.dimensions = int(words[0])
    elif _taken(word):
        width = reader.dimensions + 1 if word == "Vertices" else _width(word)
        if not reader.dimensions:
            raise Bad(f"{word} before Dimension", line)
        if not words or not words[0].isdigit() or len(words) - 1 != int(words[0]) * width:
            text = f"{max(len(words) - 1, 0)} numbers, {width} in each row"
            raise Bad(f"{word} {words[0][:20] if words else ''} has {text}", line)
        numbers = np.array(words[1:], "S").astype(np.float64) if words[1:] else np.zeros(0)
        reader.take(word, _checked(word, numbers.reshape(-1, width), line), line)
    else:
        reader.check(word, line)


def _width(word: str) -> int:
    return 3 if word == "Edges" else WIDTH[_ELEMENTS[word]] + 1


def _checked(word: str, rows: np.ndarray, line: int) -> np.ndarray:
    whole = rows[:, -1:] if word == "Vertices" else rows
    if (whole != np.round(whole)).any() or not (np.abs(whole) < 2**53).all():
        raise Bad(f"{word}: a number that is not whole", line)
    return rows if word == "Vertices" else rows.astype(np.int64)


# ---- binary


class _Binary:
    def __init__(self, data: bytes):
        self.data, self.at = data, 0
        self.order = {1: "<", 16777216: ">"}.get(int.from_bytes(data[:4], "little"), "")
        if not self.order:
            raise Bad("it does not begin as a binary mesh of Medit does")
        self.take("i4")
        version = self.take("i4")
        if not 1 <= version <= 4:
            raise Bad(f"version {version}")
        self.whole = "i8" if version == 4 else "i4"
        self.place = "i8" if version > 2 else "i4"
        self.real = "f4" if version == 1 else "f8"

    def take(self, kind: str) -> int:
        return int(self.many(np.dtype(self.order + kind), 1)[0])

    def many(self, kind: np.dtype, count: int) -> np.ndarray:
        if count < 0 or count * kind.itemsize > len(self.data) - self.at:
            raise Bad("the file ends too early, or a count is wrong")
        made = np.frombuffer(self.data, kind, count, self.at)
        self.at += count * kind.itemsize
        return made


def _read_binary(reader: _Reader, data: bytes) -> None:
    body = _Binary(data)
    while True:
        number = body.take("i4")
        word = _NUMBERS.get(number, f"keyword {number}")
        if word == "End":
            return
        end = body.take(body.place)
        if word == "Dimension":
            reader.dimensions = body.take("i4")
            if reader.dimensions not in (2, 3):
                raise Bad(f"Dimension {reader.dimensions}")
        elif _taken(word):
            rows = _binary_rows(reader, body, word)
            reader.take(word, rows, 0)
            if end and body.at != end:
                raise Bad(f"{word} ends at {body.at} and not at {end}, as it says")
        elif number in _PASSED:
            reader.ignored[word] += 1
        else:
            reader.check(word, 0)
        if not end and not _taken(word) and word != "Dimension":
            raise Bad(f"{word} does not say where it ends")
        if end and end < body.at:
            raise Bad(f"{word} ends before it begins")
        body.at = end or body.at


def _binary_rows(reader: _Reader, body: _Binary, word: str) -> np.ndarray:
    count = body.take(body.whole)
    if word != "Vertices":
        width = _width(word)
        kind = np.dtype((body.order + body.whole, width))
        return body.many(kind, count).reshape(-1, width).astype(np.int64)
    kind = np.dtype(
        [("x", body.order + body.real, reader.dimensions), ("r", body.order + body.whole)]
    )
    points = body.many(kind, count)["x"].reshape(count, -1)
    return np.pad(points, ((0, 0), (0, 1)))


# ---- the file


def read(file: str) -> list:
    reader = _Reader()
    with reading(file):
        with open(file, "rb") as stream:
            data = stream.read()
        if file.lower().endswith("b"):
            _read_binary(reader, data)
        else:
            _read_text(reader, data)
        if reader.points is None:
            raise Bad("without Vertices")
        points, nodes = as_points(reader.points), Nodes()
        nodes.add(1 + np.arange(len(points)), points)
        names = tuple(f"reference {ref}" for ref in reader.names) or ("",)
        piece: Piece = reader.cells.piece(nodes, names)._replace(points=points)
    notes.left_out(file, reader.ignored)
    return [piece]
