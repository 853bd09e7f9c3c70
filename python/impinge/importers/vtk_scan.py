"""A look at a file of VTK before VTK reads it: in XML it passes over elements that it does not
know, and of a legacy file with a section twice it takes the last."""

from __future__ import annotations

import os
import re
import struct
from collections import Counter
from typing import Any
from xml.parsers import expat

from . import notes
from .mesh import input_error

_CHUNK = 1 << 20

# ---- XML

_sets = ("PolyData", "UnstructuredGrid", "StructuredGrid", "RectilinearGrid", "ImageData")
_parts = ("PointData", "CellData", "Points", "Cells", "Verts", "Lines", "Strips", "Polys",
          "Coordinates")  # fmt: skip
_arrays = ("DataArray", "Array")
_blocks = ("vtkMultiBlockDataSet", "vtkPartitionedDataSetCollection", "vtkPartitionedDataSet")
# what stands in what; below what is not named here there is no mesh
_inside = {
    "VTKFile": (*_sets, *(f"P{name}" for name in _sets), *_blocks, "FieldData", "AppendedData"),
    "Piece": (*_parts, "FieldData", *_sets),
    "Block": ("Block", "DataSet", "Piece"),
    "Partitions": ("DataSet", "Partitions"),
    "Points": _arrays,
    "Cells": _arrays,
    "Verts": _arrays,
    "Lines": _arrays,
    "Strips": _arrays,
    "Polys": _arrays,
    "Coordinates": _arrays,
}
_inside.update(
    {name: ("Piece", "FieldData") for name in _sets},
    **{
        f"P{name}": (
            "Piece", "FieldData", "PFieldData", "PPoints", "PCells", "PCoordinates", "PPointData",
            "PCellData", "PVerts", "PLines", "PStrips", "PPolys",
        )
        for name in _sets
    },
    **{name: ("Block", "DataSet", "Piece", "Partitions", "DataAssembly") for name in _blocks},
)  # fmt: skip
# arrays of cells that VTK's readers take
_known = {
    "Cells": ("connectivity", "offsets", "types", "faces", "faceoffsets", "face_connectivity",
              "face_offsets", "polyhedron_to_faces", "polyhedron_offsets"),
    **{name: ("connectivity", "offsets") for name in ("Verts", "Lines", "Strips", "Polys")},
}  # fmt: skip


_DATA = {"PointData": "PointData", "CellData": "CellData", "PPointData": "PointData",
         "PCellData": "CellData"}  # fmt: skip
_GHOSTS = ("CellData/vtkGhostType", "CellData/vtkGhostLevels")


class _Stop(Exception):
    """What follows is no XML."""


class _Xml:
    def __init__(self, file: str):
        self.file, self._path = file, []
        self.sources: list = []  # of pieces in files of their own
        self.arrays: set = set()  # "CellData/heat", "PointData/normals"
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end

    def _bad(self, text: str) -> Exception:
        return input_error(self.file, f"line {self._parser.CurrentLineNumber}: {text}")

    def _start(self, name: str, attributes: dict) -> None:
        above = self._path[-1] if self._path else None
        self._path.append(name)
        if above in _inside and name not in _inside[above]:
            raise self._bad(f"<{name}> in <{above}>, which is not read")
        if above in _known:
            array = attributes.get("Name", "")
            if array not in _known[above]:
                raise self._bad(f"an array '{array[:40]}' in <{above}>, which is not read")
        if name == "Piece" and "Source" in attributes:
            self.sources.append(attributes["Source"])
        if above in _DATA and "Name" in attributes:
            self.arrays.add(f"{_DATA[above]}/{attributes['Name']}")
        if "TimeStep" in attributes and above in (*_known, "Points", "Coordinates"):
            raise self._bad("several times in one file (TimeStep), which are not read")
        if name == "AppendedData":
            raise _Stop

    def _end(self, name: str) -> None:
        self._path.pop()

    def scan(self) -> None:
        with open(self.file, "rb") as stream:
            try:
                for chunk in iter(lambda: stream.read(_CHUNK), b""):
                    self._parser.Parse(chunk, False)
            except _Stop:
                pass
            except expat.ExpatError as what:
                raise input_error(self.file, f"not XML as it should be: {what}") from None


def _pieces(file: str, whole: _Xml) -> None:
    """VTK drops arrays of pieces that the file does not declare, among them what says which cells
    are those of another piece."""
    lost: Counter = Counter()
    for source in whole.sources:
        path = os.path.join(os.path.dirname(file), source)
        if not os.path.isfile(path):
            continue  # VTK says so
        piece = _Xml(path)
        piece.scan()
        for name in sorted(piece.arrays - whole.arrays):
            if name in _GHOSTS:
                raise input_error(path, f"{name}, which {os.path.basename(file)} does not declare")
            lost[name] += 1
    for name, count in lost.items():
        text = f"{name} of a piece, which is not kept: the file does not declare it"
        notes.add(file, text, count)


# ---- legacy

_number = rb"[ \t]+[-+.0-9eE]+"
_section = re.compile(
    rb"(?im)^(POINTS|[XYZ]_COORDINATES|VERTICES|LINES|POLYGONS|TRIANGLE_STRIPS|CELLS|CELL_TYPES"
    rb"|DIMENSIONS|ORIGIN|SPACING|ASPECT_RATIO)(" + _number + rb")+([ \t]+[a-z_]+)?[ \t\r]*$"
)
_words = {"CELL_TYPES": 1, "DIMENSIONS": 3, "ORIGIN": 3, "SPACING": 3, "ASPECT_RATIO": 3}
CELLS = {"VERTICES": "GetVerts", "LINES": "GetLines", "POLYGONS": "GetPolys",
         "TRIANGLE_STRIPS": "GetStrips", "CELLS": "GetCells"}  # fmt: skip
_typed = ("POINTS", "X_COORDINATES", "Y_COORDINATES", "Z_COORDINATES")
_time = re.compile(rb"(?m)^(?:TIME|TimeValue) 1 1 (double|float|int|long)[ \t\r]*\n")
_types = {b"double": ">d", b"float": ">f", b"int": ">i", b"long": ">q"}


def _legacy(file: str, data: bytes) -> dict:
    """The numbers of each list of cells: of the cells, and of all numbers of the list."""
    seen: dict = {}
    sizes: dict = {}
    for found in _section.finditer(data):
        word = found[1].upper().decode()
        if len(found[0].split()) - 1 != _words.get(word, 2) or bool(found[3]) != (word in _typed):
            continue  # it is a text among the fields
        line = data.count(b"\n", 0, found.start()) + 1
        if word in seen:
            raise input_error(file, f"line {line}: {word} once more, which is not read")
        seen[word] = line
        if word in CELLS and not data.startswith(b"# vtk DataFile Version 5"):
            sizes[word] = [int(float(n)) for n in found[0].split()[1:3]]
    return sizes


def legacy_time(file: str) -> float | None:
    """The time among the fields of a legacy file, where VTK reads none."""
    with open(file, "rb") as stream:
        data = stream.read(_CHUNK)
    found = _time.search(data)
    if not found:
        return None
    if re.match(rb"(?i)[^\n]*\n[^\n]*\n\s*BINARY", data):
        kind = _types[found[1]]
        return float(struct.unpack_from(kind, data, found.end())[0])
    try:
        return float(data[found.end() :].split(maxsplit=1)[0])
    except (ValueError, IndexError):
        raise input_error(file, "its TIME is no number") from None


def check_cells(file: str, sizes: dict, data: Any) -> None:
    """VTK reads past the end of a list that is shorter than its cells."""
    for word, (count, size) in sizes.items():
        cells = getattr(data, CELLS[word], lambda: None)()
        if cells is not None and count + cells.GetNumberOfConnectivityIds() != size:
            raise input_error(file, f"{word} {count} {size}: the cells do not have {size} numbers")


def scan(file: str, ending: str) -> dict:
    """An error that names line and keyword, where there is something that VTK does not read. Of a
    legacy file: what check_cells needs."""
    if ending != ".vtk":
        whole = _Xml(file)
        whole.scan()
        _pieces(file, whole)
        return {}
    with open(file, "rb") as stream:
        return _legacy(file, stream.read())
