"""Gmsh's .msh, versions 2 and 4.1, text and binary. meshio's reader loses groups where only some
elements have one, and cuts node numbers to 32 bits, so it is read here.

Each element has the name of its physical group, of several that of the first (version 2 lists an
element once for each), by $PhysicalNames, else "physical surface 3"; without a group that of the
entity, "surface 3".
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import numpy as np

from . import notes
from .mesh import Piece
from .numbered import Bad, reading, rows_of

# of elements: nodes, dimension, and VTK's type
_kinds = {
    1: (2, 1, 3), 2: (3, 2, 5), 3: (4, 2, 9), 4: (4, 3, 10), 5: (8, 3, 12), 6: (6, 3, 13),
    7: (5, 3, 14), 8: (3, 1, 21), 9: (6, 2, 22), 10: (9, 2, 28), 11: (10, 3, 24), 12: (27, 3, 29),
    15: (1, 0, 1), 16: (8, 2, 23), 17: (20, 3, 25), 18: (15, 3, 26), 19: (13, 3, 27),
    26: (4, 1, 35), 27: (5, 1, 68), 28: (6, 1, 68), 62: (7, 1, 68), 63: (8, 1, 68),
    64: (9, 1, 68), 65: (10, 1, 68), 66: (11, 1, 68),
}  # fmt: skip
_dimensions = ("point", "curve", "surface", "volume")


# ---- words


class _Text:
    """The numbers of a section of text, one after another. Whole ones are exact below 2^53."""

    def __init__(self, body: bytes):
        words = re.sub(rb"#[^\n]*", b"", body).split()
        try:
            self._at, self._all = 0, np.array(words, "S").astype(np.float64)
        except ValueError as what:
            raise Bad(what) from None

    def reals(self, count: int) -> np.ndarray:
        if count < 0 or count > len(self._all) - self._at:
            raise Bad("the file ends too early, or a count is wrong")
        self._at += count
        return self._all[self._at - count : self._at]

    def ints(self, count: int) -> np.ndarray:
        return _whole(self.reals(count))

    sizes = ints

    def count(self) -> int:
        return int(self.ints(1)[0])

    def nodes(self, count: int) -> tuple:
        """Of version 2: the number and the point of each."""
        rows = self.reals(4 * count).reshape(count, 4)
        return _whole(rows[:, 0]), rows[:, 1:]

    def elements(self, count: int) -> tuple:
        """Of version 2: type, tags, numbers and rows of the next elements of one form, at most
        `count`."""
        number, kind, tags = (int(x) for x in self.ints(3))
        if tags < 0:
            raise Bad(f"element {number} has {tags} tags")
        self._at -= 3
        width, n = 3 + tags + _kind(kind)[0], 16
        while True:  # few at first: each may have another form than the next
            rows = self._all[self._at :][: min(n, count) * width]
            rows = rows[: len(rows) // width * width].reshape(-1, width)
            same = (rows[:, 1] == kind) & (rows[:, 2] == tags)
            if len(rows) < n or not same.all():
                break
            n *= 4
        n = len(same) if same.all() else int(np.argmin(same))
        rows = self.ints(max(n, 1) * width).reshape(-1, width)
        return kind, tags, rows[:, 0], rows[:, 3:]

    def end(self) -> None:
        if self._at != len(self._all):
            raise Bad(f"{self._all[self._at]:g} where the section should end")


def _whole(numbers: np.ndarray) -> np.ndarray:
    if not (np.abs(numbers) < 2**53).all():
        raise Bad("too large a number, or none")
    whole = numbers.astype(np.int64)
    if (whole != numbers).any():
        raise Bad(f"{numbers[whole != numbers][0]:g} is no whole number")
    return whole


class _Binary:
    """The same of a binary section, whose end only its reader knows."""

    def __init__(self, data: bytes, at: int, order: str, size: int):
        self._data, self.at, self._order, self._size = data, at, order, size

    def _take(self, kind: str, count: int) -> np.ndarray:
        kind = np.dtype(self._order + kind)
        if count < 0 or count * kind.itemsize > len(self._data) - self.at:
            raise Bad("the file ends too early, or a count is wrong")
        found = np.frombuffer(self._data, kind, count, self.at)
        self.at += count * kind.itemsize
        return found

    def reals(self, count: int) -> np.ndarray:
        return self._take("f8", count).astype(np.float64)

    def ints(self, count: int) -> np.ndarray:
        return self._take("i4", count).astype(np.int64)

    def sizes(self, count: int) -> np.ndarray:
        found = self._take(f"u{self._size}", count)
        if len(found) and int(found.max()) >= 2**63:
            raise Bad("too large a number")
        return found.astype(np.int64)

    def count(self) -> int:
        """In a line of its own, which is text in binary files, too."""
        line = self._data[self.at :].split(b"\n", 1)[0]
        self.at += len(line) + 1
        return int(line)

    def elements(self, count: int) -> tuple:
        kind, n, tags = (int(x) for x in self.ints(3))
        if n <= 0 or tags < 0:
            raise Bad("a block of no elements")
        width = 1 + tags + _kind(kind)[0]
        rows = self.ints(n * width).reshape(n, width)
        return kind, tags, rows[:, 0], rows[:, 1:]

    def nodes(self, count: int) -> tuple:
        if count < 0 or count * 28 > len(self._data) - self.at:
            raise Bad("the file ends too early, or a count is wrong")
        kind = np.dtype([("tag", self._order + "i4"), ("x", self._order + "f8", 3)])
        found = np.frombuffer(self._data, kind, count, self.at)
        self.at += count * kind.itemsize
        return found["tag"].astype(np.int64), found["x"].astype(np.float64)


# ---- sections


class _Reader:
    def __init__(self, data: bytes):
        self.data = data
        self.major = self.size = 0
        self.order = ""  # of bytes; empty: text
        self.names: dict = {}  # by dimension and number
        self.physical: dict = {}  # the first group of an entity, by dimension and number
        self.tags: np.ndarray | None = None  # of nodes
        self.points: np.ndarray | None = None
        self.blocks: list = []  # type, corners, groups, entities, numbers
        self.ignored: Counter = Counter()

    def format(self, body: bytes) -> None:
        words = body.split()
        if len(words) < 3:
            raise Bad("$MeshFormat is not complete")
        version = words[0].decode("ascii", "replace")
        self.major = {"2": 2, "4.1": 4}.get(version if version[:2] == "4." else version[:1], 0)
        if not self.major:
            raise Bad(f"a Gmsh mesh of version {version}; 2 and 4.1 are read")
        self.size = int(words[2])
        if words[1] == b"0" and len(words) > 3:
            raise Bad("$MeshFormat has more than one line")
        if words[1] == b"1":
            one = body.lstrip().split(b"\n", 1)[1][:4]
            self.order = "<" if one == b"\x01\0\0\0" else ">"

    def physical_names(self, body: bytes) -> None:
        lines = [line for line in body.splitlines() if line.strip()]
        if len(lines) != int(lines[0]) + 1:
            raise Bad(f"$PhysicalNames has {len(lines) - 1} names and should have {int(lines[0])}")
        for line in lines[1:]:
            found = re.fullmatch(rb'\s*(\d+)\s+(-?\d+)\s+"(.*)"\s*', line)
            if not found:
                raise Bad("a name without its quotes, in $PhysicalNames")
            key = int(found[1]), int(found[2])
            self.names.setdefault(key, found[3].decode("utf-8", "replace"))

    def entities(self, words: Any, parts: bool = False) -> None:
        if parts:
            words.sizes(1)
            words.ints(2 * int(words.sizes(1)[0]))
        counts = words.sizes(4)
        for dimension, count in enumerate(counts):
            for _ in range(count):
                tag = int(words.ints(1)[0])
                if parts:
                    words.ints(2)
                    words.ints(int(words.sizes(1)[0]))
                words.reals(6 if dimension else 3)
                groups = words.ints(int(words.sizes(1)[0]))
                first = int(groups[0]) if len(groups) else 0
                self.physical.setdefault((dimension, tag), first)
                if dimension:
                    words.ints(int(words.sizes(1)[0]))

    def nodes(self, words: Any) -> None:
        if self.major == 2:
            self.tags, self.points = words.nodes(words.count())
            return
        blocks, count = words.sizes(4)[:2]
        tags, points = [np.zeros(0, np.int64)], [np.zeros((0, 3))]
        for _ in range(blocks):
            dimension, _, parametric = words.ints(3)
            if not 0 <= dimension <= 3:
                raise Bad(f"an entity of {dimension} dimensions, in $Nodes")
            n = int(words.sizes(1)[0])
            width = 3 + (int(dimension) if parametric else 0)
            tags.append(words.sizes(n))
            points.append(words.reals(n * width).reshape(n, width)[:, :3])
        self.tags, self.points = np.concatenate(tags), np.concatenate(points)
        if len(self.tags) != count:
            raise Bad(f"$Nodes has {len(self.tags)} in its blocks and should have {count}")

    def elements(self, words: Any) -> None:
        if self.major == 4:
            self._elements_4(words)
        else:
            self._elements_2(words, words.count())

    def _elements_4(self, words: Any) -> None:
        blocks, count = words.sizes(4)[:2]
        have = 0
        for _ in range(blocks):
            dimension, entity, kind = (int(x) for x in words.ints(3))
            n = int(words.sizes(1)[0])
            width = _kind(kind)[0]
            rows = words.sizes(n * (width + 1)).reshape(n, width + 1)
            group = self.physical.get((dimension, entity), 0)
            of = np.full(n, group, np.int64), np.full(n, entity, np.int64)
            self.blocks.append((kind, rows[:, 1:], *of, rows[:, 0]))
            have += n
        if have != count:
            raise Bad(f"$Elements has {have} in its blocks and should have {count}")

    def _elements_2(self, words: Any, count: int) -> None:
        have = 0
        while have < count:
            kind, tags, ids, rows = words.elements(count - have)
            zero = np.zeros(len(rows), np.int64)
            of = (rows[:, k] if tags > k else zero for k in range(2))
            self.blocks.append((kind, rows[:, tags:], *of, ids))
            have += len(rows)


def _kind(number: int) -> tuple:
    if number not in _kinds:
        raise Bad(f"an element of type {number}, which is not read")
    return _kinds[number]


_sections = {
    b"MeshFormat": (_Reader.format, 0),
    b"PhysicalNames": (_Reader.physical_names, 0),
    b"Entities": (_Reader.entities, 1),
    b"PartitionedEntities": (lambda reader, words: reader.entities(words, True), 1),
    b"Nodes": (_Reader.nodes, 1),
    b"Elements": (_Reader.elements, 1),
}  # a section, and whether it has numbers
# sections that carry nodes or elements in another way. Others are for the reader to pass over, as
# Gmsh's manual says, and counted: $Periodic, $NodeData, $Comments ...
REFUSED = {
    b"NOD": "a mesh of version 1",
    b"ELM": "a mesh of version 1",
    b"PAR": "a mesh of version 1",
    b"ParametricNodes": "nodes with parameters, of version 2",
    b"NodesOnGeometricEntities": "nodes of geometry",
}
_COMMENTS = (b"Comments", b"Comment")


def _read_section(reader: _Reader, name: bytes, at: int) -> int:
    """Returns where the section ends."""
    end = re.escape(b"$End" + name) + rb"\b"
    read, numbers = _sections.get(name, (None, 0))
    if numbers and not reader.major:
        raise Bad(f"${name.decode()} before $MeshFormat")
    if numbers and reader.order:
        start = re.compile(rb"[ \t\r]*\n").match(reader.data, at)
        words = _Binary(reader.data, start.end() if start else at, reader.order, reader.size)
        read(reader, words)
        found = re.compile(rb"\s*" + end).match(reader.data, words.at)
    else:
        line = b"" if numbers else rb"^[ \t]*"
        found = re.compile(line + end, re.M).search(reader.data, at)
    if not found:
        raise Bad(f"the file ends within ${name.decode('utf-8', 'replace')}, or it is damaged")
    body = reader.data[at : found.start()]
    if numbers and not reader.order:
        words = _Text(body)
        read(reader, words)
        words.end()
    elif read and not numbers:
        read(reader, body)
    return found.end()


def _read_sections(reader: _Reader) -> None:
    begin = re.compile(rb"(?:\s|#[^\n]*\n)*(\$(\w+)|\S+)?")
    at, seen = 0, set()
    while at < len(reader.data):
        found = begin.match(reader.data, at)
        if not found[1]:
            break
        line = reader.data.count(b"\n", 0, found.start(1)) + 1
        _check_section(found, seen, line)
        seen.add(found[2])
        try:
            at = _read_section(reader, found[2], found.end())
        except (Bad, ValueError, IndexError) as what:
            name = "$" + found[2].decode("utf-8", "replace")
            raise Bad(what if name in str(what) else f"{name}: {what}", line) from None
        if found[2] not in _sections and found[2] not in _COMMENTS:
            reader.ignored["$" + found[2].decode("utf-8", "replace")] += 1
    for name in (b"MeshFormat", b"Nodes", b"Elements"):
        if name not in seen:
            raise Bad(f"the file ends without ${name.decode()}")


def _check_section(found: Any, seen: set, line: int) -> None:
    name = found[2]
    if not name:
        shown = found[1][:30].decode("utf-8", "replace")
        raise Bad(f"'{shown}' where a section should begin", line)
    if name in REFUSED:
        raise Bad(f"${name.decode()}: {REFUSED[name]}, which is not read", line)
    if name in seen and name in (b"Nodes", b"Elements", b"Entities", b"PartitionedEntities"):
        raise Bad(f"${name.decode()} is there twice", line)
    if name in (b"PhysicalNames", b"Entities", b"PartitionedEntities") and b"Elements" in seen:
        raise Bad(f"${name.decode()} after $Elements", line)


# ---- elements


def _order(tags: np.ndarray) -> np.ndarray:
    """Rows of the nodes in the order of their numbers."""
    order = np.argsort(tags, kind="stable")
    ordered = tags[order]
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    if len(twice):
        raise Bad(f"there are two nodes {twice[0]}")
    return order


def _not_again(corners: np.ndarray, groups: np.ndarray, entities: np.ndarray) -> np.ndarray:
    """Version 2 lists an element of several groups once for each, one after another. True for the
    first of each, and for those that are twice in one group."""
    ordered = np.sort(corners, 1)
    begins = np.ones(len(corners), bool)
    begins[1:] = (ordered[1:] != ordered[:-1]).any(1) | (entities[1:] != entities[:-1])
    first = np.maximum.accumulate(np.where(begins, np.arange(len(corners)), 0))
    return begins | (groups == groups[first])


def _names(reader: _Reader, dimension: int, groups: np.ndarray, entities: np.ndarray) -> tuple:
    keys = np.stack([np.where(groups, np.abs(groups), 0), np.where(groups, 0, entities)], 1)
    found, at = np.unique(keys, axis=0, return_inverse=True)
    names = []
    for group, entity in found.tolist():
        kind = _dimensions[dimension]
        plain = f"physical {kind} {group}" if group else f"{kind} {entity}" if entity else ""
        names.append(reader.names.get((dimension, group), plain) if group else plain)
    return at.ravel(), tuple(names)


def _merged(blocks: list) -> list:
    """Version 2: neighbours of one type are one block, so that the same elements are found."""
    made: list = []
    for kind, *arrays in blocks:
        if made and made[-1][0] == kind:
            arrays = [np.concatenate(both) for both in zip(made.pop()[1:], arrays)]
        made.append((kind, *arrays))
    return made


def _solid_blocks(reader: _Reader) -> list:
    """Those of surfaces and volumes, each element once."""
    made = [(k, c, np.abs(g), e, i) for k, c, g, e, i in reader.blocks if _kind(k)[1] >= 2]
    if reader.major == 4:
        return made
    once = []
    for kind, *arrays in _merged(made):
        keep = _not_again(*arrays[:3])
        once.append((kind, *(array[keep] for array in arrays)))
    return once


def _cells(reader: _Reader) -> Piece:
    """Points and lines come last: they are counted."""
    nodes, none = _order(reader.tags), np.zeros(0, np.int64)
    types, sizes, corners, groups, names, ids = [none], [none], [none], [none], [], [none]
    for kind, of_block, group, entity, numbers in _solid_blocks(reader):
        width, dimension, of_vtk = _kind(kind)
        at, of = _names(reader, dimension, group, entity)
        groups.append(at + len(names))
        names.extend(of)
        types.append(np.full(len(at), of_vtk))
        sizes.append(np.full(len(at), width))
        corners.append(rows_of(reader.tags, nodes, of_block.ravel()))
        ids.append(numbers)
    thin = sum(len(c) for k, c, *_ in reader.blocks if _kind(k)[1] < 2)
    types.append(np.full(thin, 1))
    sizes.append(np.full(thin, 0))
    groups.append(np.zeros(thin, np.int64))
    ids.append(np.zeros(thin, np.int64))
    return Piece(
        np.ascontiguousarray(reader.points),
        np.concatenate(types).astype(np.uint8),
        np.cumsum(np.concatenate(sizes)),
        np.concatenate(corners),
        "",
        np.concatenate(groups),
        tuple(names) or ("",),
        np.concatenate(ids),
    )


def read(file: str, groups: bool) -> list:
    with reading(file):
        with open(file, "rb") as stream:
            data = stream.read()
        reader = _Reader(data[3:] if data[:3] == b"\xef\xbb\xbf" else data)
        _read_sections(reader)
        piece = _cells(reader)
    notes.left_out(file, reader.ignored)
    if groups:
        return [piece]
    # entities of the geometry are no groups that someone made
    named = any(_kind(kind)[1] > 1 and group.any() for kind, _, group, *_ in reader.blocks)
    return [piece._replace(groups=None, group_names=piece.group_names if named else ())]
