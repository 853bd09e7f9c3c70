"""PLY: VTK's reader narrows points to float32, so those of other types are read here."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from .mesh import input_error
from .vtk_data import make, pieces, update

_types = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1", "short": "i2", "int16": "i2",
    "ushort": "u2", "uint16": "u2", "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4",
    "float": "f4", "float32": "f4", "double": "f8", "float64": "f8",
}  # fmt: skip


def read(file: str) -> list:
    reader = make(file, "vtkIOPLY", "vtkPLYReader")
    reader.SetFileName(file)
    if hasattr(reader, "SetDuplicatePointsForFaceTexture"):
        reader.SetDuplicatePointsForFaceTexture(False)
    made = list(pieces(file, update(file, reader)))
    points = _points(file)
    if points is not None and len(points) != len(made[0].points):
        raise input_error(file, f"{len(made[0].points)} of {len(points)} vertices")
    return made if points is None else [made[0]._replace(points=points)]


def _points(file: str) -> np.ndarray | None:
    """(n, 3), or None where they are float32, which VTK keeps."""
    with open(file, "rb") as stream:
        data = stream.read()
    found = re.match(rb"ply\b.*?\bend_header[ \t]*(\r\n|\n|\r)", data, re.S)
    if not found:
        raise input_error(file, "the file ends within its head")
    head = re.sub(r"(?m)^(comment|obj_info)\b.*$", "", found[0].decode("latin-1"))
    form = re.search(r"(?m)^format (\w+)", head)
    element = re.search(r"element\s+(\w+)\s+(\d+)\s+((?:property[^\n]*\s+)*)", head)
    if not form or not element or element[1] != "vertex":
        return None
    columns = re.findall(r"property\s+(\w+)\s+(\w+)", element[3])
    kinds = {name: _types.get(kind) for kind, name in columns}
    if None in kinds.values() or {kinds.get(axis) for axis in "xyz"} <= {"f4", None}:
        return None
    body, count = data[found.end() :], int(element[2])
    rows = _text(body, count, kinds) if form[1] == "ascii" else _binary(body, count, kinds, form[1])
    if rows is None:
        raise input_error(file, "the file ends within its vertices")
    return rows


def _text(body: bytes, count: int, kinds: dict) -> np.ndarray | None:
    words = b" ".join(body.split(b"\n", count)[:count]).split()
    if len(words) < count * len(kinds):
        return None
    rows = np.array(words[: count * len(kinds)], "S").astype(np.float64)
    return rows.reshape(count, -1)[:, [list(kinds).index(axis) for axis in "xyz"]]


def _binary(body: bytes, count: int, kinds: dict, form: str) -> Any:
    order = ">" if "big" in form else "<"
    row = np.dtype([(name, order + kind) for name, kind in kinds.items()])
    if len(body) < count * row.itemsize:
        return None
    rows = np.frombuffer(body, row, count)
    return np.stack([rows[axis].astype(np.float64) for axis in "xyz"], 1)
