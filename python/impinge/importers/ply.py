"""PLY, text and binary. VTK's reader narrows points to float32 and crashes on damaged files, and
meshio's wants faces of one name, so it is read here."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

from . import notes
from .mesh import POLYGON, STRIP, Piece, as_points, bare
from .numbered import Bad, reading

_types = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1", "short": "i2", "int16": "i2",
    "ushort": "u2", "uint16": "u2", "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4",
    "float": "f4", "float32": "f4", "double": "f8", "float64": "f8", "int64": "i8", "uint64": "u8",
}  # fmt: skip


class _Property(NamedTuple):
    name: str
    kind: str  # of numpy
    length: str  # of a list: the type of its length; else empty


class _Element(NamedTuple):
    name: str
    rows: int
    properties: list


# ---- the head


def _type(name: str) -> str:
    if name not in _types:
        raise Bad(f"numbers of type {name}, which are not read")
    return _types[name]


def _head(lines: list) -> tuple:
    """The form, and the elements in their order."""
    form, elements = "", []
    for line in lines:
        words = line.split()
        if not words or words[0] in ("comment", "obj_info", "ply"):
            continue
        if words[0] == "format" and len(words) > 1:
            form = words[1]
        elif words[0] == "element" and len(words) == 3:
            elements.append(_Element(words[1], int(words[2]), []))
        elif words[:2] == ["property", "list"] and len(words) == 5 and elements:
            made = _Property(words[4], _type(words[3]), _type(words[2]))
            elements[-1].properties.append(made)
        elif words[0] == "property" and len(words) == 3 and elements:
            elements[-1].properties.append(_Property(words[2], _type(words[1]), ""))
        else:
            raise Bad(f"'{line.strip()[:40]}' in its head, which is not read")
    if form not in ("ascii", "binary_little_endian", "binary_big_endian"):
        raise Bad(f"format '{form[:40]}', which is not read")
    return form, elements


# ---- the body: take(kind, count) gives the next numbers


class _Text:
    def __init__(self, body: bytes):
        self._words, self.at = body.split(), 0

    def take(self, kind: str, count: int) -> np.ndarray:
        if not 0 <= count <= len(self._words) - self.at:
            raise Bad("the file ends too early, or a count is wrong")
        self.at += count
        words = self._words[self.at - count : self.at]
        return np.array(words, "S").astype(kind) if words else np.zeros(0, kind)

    def rest(self) -> int:
        return len(self._words) - self.at

    def rows(self, kinds: list, count: int) -> list:
        """Columns of rows that are all alike."""
        flat = self.take("S", count * len(kinds)).reshape(count, len(kinds))
        return [flat[:, k].astype(kind) for k, kind in enumerate(kinds)]


class _Binary:
    def __init__(self, body: bytes, order: str):
        self._body, self.at, self._order = body, 0, order

    def take(self, kind: Any, count: int) -> np.ndarray:
        kind = np.dtype(kind).newbyteorder(self._order)
        if not 0 <= count * kind.itemsize <= len(self._body) - self.at:
            raise Bad("the file ends too early, or a count is wrong")
        found = np.frombuffer(self._body, kind, count, self.at)
        self.at += count * kind.itemsize
        return found

    def rest(self) -> int:
        return len(self._body[self.at :].strip())

    def rows(self, kinds: list, count: int) -> list:
        found = self.take([(str(k), kind) for k, kind in enumerate(kinds)], count)
        return [found[name].astype(kind) for name, kind in zip(found.dtype.names, kinds)]


def _plain(body: Any, element: _Element) -> dict:
    kinds = [one.kind for one in element.properties]
    columns = body.rows(kinds, element.rows) if kinds else []
    return {one.name: column for one, column in zip(element.properties, columns)}


def _lists(body: Any, element: _Element) -> dict:
    """Sizes and numbers of each list."""
    start = body.at
    made = _uniform(body, element)
    if made is None:
        body.at = start
        made = _varied(body, element)
    return made


def _uniform(body: Any, element: _Element) -> dict | None:
    """All rows like the first, or None."""
    start, kinds, sizes = body.at, [], []
    for one in element.properties:
        sizes.append(int(body.take(one.length, 1)[0]) if one.length else -1)
        body.take(one.kind, max(sizes[-1], 0) if one.length else 1)
        kinds += [one.length, *[one.kind] * sizes[-1]] if one.length else [one.kind]
    body.at = start
    try:
        columns = iter(body.rows(kinds, element.rows))
    except (Bad, ValueError):
        return None
    made = {}
    for one, size in zip(element.properties, sizes):
        counts = next(columns)
        if not one.length:
            continue
        if (counts != size).any():
            return None
        of = [next(columns) for _ in range(size)]
        flat = np.stack(of, 1).ravel() if size else np.zeros(0)
        made[one.name] = np.full(element.rows, size), flat
    return made


def _varied(body: Any, element: _Element) -> dict:
    """Row by row."""
    made: dict = {one.name: ([], []) for one in element.properties if one.length}
    for _ in range(element.rows):
        for one in element.properties:
            count = int(body.take(one.length, 1)[0]) if one.length else 1
            numbers = body.take(one.kind, count)
            if one.length:
                made[one.name][0].append(count)
                made[one.name][1].append(numbers)
    return {
        name: (np.array(sizes, np.int64), np.concatenate(numbers or [np.zeros(0)]))
        for name, (sizes, numbers) in made.items()
    }


# ---- the file

_LINE = 3  # VTK's number
_corners = ("vertex_indices", "vertex_index")


def _cells(element: _Element, found: dict) -> tuple:
    """types, ends and corners of faces, or of strips, which -1 separates; of edges no corners."""
    if element.name == "edge":
        return bare(_LINE, element.rows)
    lists = [found[name] for name in _corners if name in found]
    if not lists:
        raise Bad(f"{element.name} without vertex_indices")
    sizes, flat = lists[0]
    if not np.issubdtype(flat.dtype, np.integer) and len(flat):
        raise Bad("vertex_indices that are no integers")
    corners, ends = flat.astype(np.int64), np.cumsum(sizes, dtype=np.int64)
    if element.name == "face":
        return np.full(len(sizes), POLYGON, np.uint8), ends, corners
    stop = np.unique(np.concatenate([ends, np.flatnonzero(corners == -1)]))
    kept = np.cumsum(corners != -1)
    ends = kept[stop[stop > 0] - 1]
    ends = ends[np.diff(ends, prepend=0) > 0]
    return np.full(len(ends), STRIP, np.uint8), ends, corners[corners != -1]


def _check_elements(elements: list) -> None:
    """What has points or corners and is not read is an error."""
    names = [element.name for element in elements]
    for element in elements:
        has = {one.name for one in element.properties}
        if names.count(element.name) > 1:
            raise Bad(f"element {element.name} is there twice")
        if len(has) < len(element.properties):
            raise Bad(f"element {element.name} with two properties of one name")
        if element.name in ("vertex", "face", "tristrips", "edge"):
            continue
        if has & set(_corners) or {"x", "y", "z"} <= has:
            raise Bad(f"element {element.name}, whose points or corners are not read")


def _read(data: bytes, ignored: dict) -> Piece:
    """ignored: becomes what it left out."""
    found = re.match(rb"ply\b.*?\bend_header[ \t]*(\r\n|\n|\r)", data, re.S)
    if not found:
        raise Bad("its head does not end, or it is no PLY file")
    form, elements = _head(found[0].decode("latin-1").splitlines()[:-1])
    _check_elements(elements)
    rest = data[found.end() :]
    body = _Text(rest) if form == "ascii" else _Binary(rest, ">" if "big" in form else "<")
    points, cells = None, []
    for element in elements:
        has_list = any(one.length for one in element.properties)
        read = _lists(body, element) if has_list and element.rows else _plain(body, element)
        if element.name == "vertex":
            if not {"x", "y", "z"} <= set(read):
                raise Bad("vertices without x, y and z")
            points = as_points(np.stack([read[axis] for axis in "xyz"], 1))
        elif element.name in ("face", "tristrips", "edge"):
            cells += [_cells(element, read)] if element.rows else []
        else:
            ignored[f"element {element.name}"] = element.rows
    if points is None:
        raise Bad("there are no vertices")
    if body.rest():
        raise Bad("data behind its last element")
    none = np.zeros(0, np.int64)
    first = np.cumsum([0] + [len(corners) for _, _, corners in cells])
    return Piece(
        points,
        np.concatenate([none.astype(np.uint8), *(types for types, _, _ in cells)]),
        np.concatenate([none, *(ends + at for (_, ends, _), at in zip(cells, first))]),
        np.concatenate([none, *(corners for _, _, corners in cells)]),
        ids=np.concatenate([none, *(np.arange(len(types)) for types, _, _ in cells)]),
    )


def read(file: str) -> list:
    ignored: dict = {}
    with reading(file), open(file, "rb") as stream:
        piece = _read(stream.read(), ignored)
    notes.left_out(file, ignored)
    return [piece]
