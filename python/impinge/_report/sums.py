"""What a result comes to: contacts of each frame and of each pair of objects. Rows of a result with
distances are pairs, of which the nearest are the worst."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from .._kinds import Kind
from ..files import listed
from .words import number, several

BLOCK = 1 << 18  # rows that are read at a time, unless a frame has more


class Pair(NamedTuple):
    """Two objects, a <= b, that have contacts."""

    a: int
    b: int
    frames: int  #: in which they have
    contacts: int
    depth: float  #: the greatest; 0 where the result has none
    distance: float = 0.0  #: the least; 0 where the result has none
    penetration: float = 0.0  #: the greatest; 0 where the result has none


class Relation(NamedTuple):
    """Two objects, a < b, that are not apart in every frame."""

    a: int
    b: int
    frames: list[int]  #: with each relation, in the order of RELATIONS
    inside: int  #: the most vertices of one in the other, in a frame
    depth: float  #: the greatest of these; 0: there are none
    vertex: int  #: with that depth
    owner: int  #: its object
    frame: int  #: of the input
    swallowed: int  #: the most parts in a frame that are inside the other, and touch it nowhere


RELATIONS = ("touching", "crossing", "A in B", "B in A")  # in the order of the column, from 1 on


class Contact(NamedTuple):
    """One of the worst contacts."""

    measure: float  #: depth, distance, length or time: Sums.measure says which
    frame: int  #: in the result
    time: float
    primitives: tuple[int, int]
    ids: tuple[int, int] | None  #: PrimitiveIdA and B
    sources: tuple[int, int] | None  #: SourceIdA and B
    objects: tuple[int, int]
    kind: str
    ends: np.ndarray  #: (2, 3)


class Sums:
    """Of all complete frames of a result. contacts, candidates, numbers: (frames,) int64, numbers
    being those of the input's frames; times, first, least, deepest: (frames,) float64, first being
    when they have their first contact, between frames, least the least distance, and deepest the
    greatest penetration, NaN where there is none."""

    def __init__(self, result: Any):
        extra, root = result.file["impinge"], result.file["VTKHDF"]
        done = min(len(result), int(extra["frames_done"][()]))
        self.frames = done
        self.times = result.times[:done]
        self.first = self.times.copy()
        self.numbers = listed(extra["input_frame"], 0, done)
        self.contacts = listed(root["Lines/NumberOfCells"], 0, done).astype(np.int64)
        self.candidates = listed(extra["candidates"], 0, done).astype(np.int64)
        self.continuous = "Time" in root["CellData"]
        self.origin = {name: _text(value) for name, value in extra.attrs.items()}
        asked = _asked(self.origin.get("options", ""), self.continuous)
        self.complete = done == len(result) == asked
        self.has_depth = "Depth" in root["CellData"]
        self.has_distance = "Distance" in root["CellData"]
        self.has_thickness = "Penetration" in root["CellData"]
        self.has_relations = "relations" in extra
        self.is_inside = "Winding" in root["CellData"]
        self.relations = _relations(extra, self.numbers) if self.has_relations else []
        self.limit = _limit(self.origin.get("options", "")) if self.has_distance else None
        self.limit = "their thickness" if self.has_thickness else self.limit
        self.least, self.deepest = np.full(done, np.nan), np.full(done, np.nan)
        self.measure = self._measure()
        self._starts = np.concatenate([[0], np.cumsum(self.contacts)])
        self.pairs = _collected(self, root)

    def _measure(self) -> str:
        """What tells which contacts are worse."""
        if self.has_thickness:
            return "penetration"
        if self.has_distance:
            return "distance"
        return "depth" if self.has_depth else "time" if self.continuous else "length"

    def rows_of(self, k: int) -> tuple[int, int]:
        """Where the rows of frame k begin and end."""
        return int(self._starts[k]), int(self._starts[k + 1])

    @property
    def total(self) -> int:
        return int(self.contacts.sum())

    @property
    def hit(self) -> np.ndarray:
        """The frames of the result that have contacts."""
        return np.flatnonzero(self.contacts)

    @property
    def fullest(self) -> int:
        """The first of the frames with the most contacts."""
        return int(self.contacts.argmax()) if self.frames else 0

    def when(self, k: Any) -> str:
        """Where a step begins says nothing of when its contacts are."""
        return f"{'first at ' if self.continuous else ''}time {number(self.first[k])}"

    @property
    def depth(self) -> float:
        return max((pair.depth for pair in self.pairs), default=0.0)

    @property
    def ascending(self) -> bool:
        """Whether the least measure is the worst."""
        return self.measure in ("time", "distance")

    @property
    def noun(self) -> str:
        """What a row is."""
        return "vertex inside" if self.is_inside else "contact" if self.limit is None else "pair"

    @property
    def nouns(self) -> str:
        return several(self.noun)

    @property
    def within(self) -> str:
        """After the number of rows."""
        return "" if self.limit is None else f" within {self.limit}"


def _text(value: Any) -> Any:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def _asked(options: str, continuous: bool) -> int:
    """Frames that the run was to write: of steps between frames one fewer; -1 if unknown."""
    found = re.search(r" frames=\d+\+(\d+)", options)
    count = int(found.group(1)) if found else -1
    return count - 1 if continuous and count > 0 else count


def _limit(options: str) -> str:
    """D of --distance D, as short as it reads back."""
    found = re.search(r" distance=(\S+)", options)
    return f"{float(found.group(1)):.9g}" if found else ""


def _blocks(contacts: np.ndarray) -> Iterator[range]:
    """All frames, as ranges of frames that have at most BLOCK rows or are one frame."""
    first = rows = 0
    for k, count in enumerate(contacts.tolist()):
        if k > first and rows + count > BLOCK:
            yield range(first, k)
            first, rows = k, 0
        rows += count
    if first < len(contacts):
        yield range(first, len(contacts))


def blocks(sums: Sums) -> Iterator[tuple[range, int, int]]:
    """Ranges of frames that have contacts, and where the rows of each range begin and end."""
    for frames in _blocks(sums.contacts):
        at, end = sums.rows_of(frames.start)[0], sums.rows_of(frames.stop - 1)[1]
        if at < end:
            yield frames, at, end


def _collected(sums: Sums, root: Any) -> list[Pair]:
    """The pairs, most contacts first."""
    pairs: dict[tuple[int, int], Pair] = {}
    for frames, at, end in blocks(sums):
        rows = Rows(root, at, end)
        if sums.continuous:  # the rows of a step are in order of time
            hit = [k for k in frames if sums.contacts[k]]
            sums.first[hit] = rows.column("Time")[[sums.rows_of(k)[0] - at for k in hit]]
        frame = np.repeat(frames, sums.contacts[frames.start : frames.stop])
        if sums.has_distance:
            np.fmin.at(sums.least, frame, rows.column("Distance"))
        if sums.has_thickness:
            np.fmax.at(sums.deepest, frame, rows.column("Penetration"))
        for pair in _pairs(rows, frame):
            pairs[pair[:2]] = _added(pairs.get(pair[:2]), pair)
    return sorted(pairs.values(), key=lambda pair: (-pair.contacts, pair.a, pair.b))


def _relations(extra: Any, numbers: np.ndarray) -> list[Relation]:
    """Of all frames, the deepest first. Relations are few: all are read."""
    made: dict[tuple[int, int], Relation] = {}
    table, parts = _table(extra["relations"]), _table(extra["swallowed"])
    starts = (table.pop("offsets"), parts.pop("offsets"))
    for k, frame in enumerate(numbers.tolist()):
        swallowed: dict[tuple[int, int], int] = {}
        ways: Counter[tuple[int, int]] = Counter()
        for i in range(int(starts[1][k]), int(starts[1][k + 1])):
            ways[int(parts["Object"][i]), int(parts["In"][i])] += 1
        for (one, other), n in ways.items():
            key = min(one, other), max(one, other)
            swallowed[key] = max(swallowed.get(key, 0), n)
        for i in range(int(starts[0][k]), int(starts[0][k + 1])):
            key = int(table["ObjectA"][i]), int(table["ObjectB"][i])
            have = made.get(key, Relation(*key, [0] * len(RELATIONS), 0, 0.0, -1, -1, -1, 0))
            made[key] = _related(have, table, i, frame, swallowed.get(key, 0))
    return sorted(made.values(), key=lambda it: (-it.depth, it.a, it.b))


def _table(group: Any) -> dict[str, np.ndarray]:
    return {name: group[name][:] for name in group}


def _related(have: Relation, table: dict, i: int, frame: int, swallowed: int) -> Relation:
    """With row i of the relations added."""
    kind = int(table["Relation"][i])
    frames = [n + (at == kind) for at, n in enumerate(have.frames, 1)]
    inside = max(have.inside, int(table["InsideA"][i]), int(table["InsideB"][i]))
    made = have._replace(frames=frames, inside=inside, swallowed=max(have.swallowed, swallowed))
    for way, owner in (("A", have.a), ("B", have.b)):
        depth = float(table[f"Depth{way}"][i])
        if depth > made.depth:
            vertex = int(table[f"Deepest{way}"][i])
            made = made._replace(depth=depth, vertex=vertex, owner=owner, frame=frame)
    return made


class Rows:
    """Columns of some rows, read when they are asked for."""

    def __init__(self, root: Any, at: int, end: int):
        self._root, self._at, self._end = root, at, end
        self._read: dict[str, Any] = {}

    def column(self, name: str) -> Any:
        """None where the result has no such column."""
        if name not in self._read:
            data = self._root["CellData"]
            found = listed(data[name], self._at, self._end - self._at) if name in data else None
            self._read[name] = found
        return self._read[name]

    def ends(self) -> np.ndarray:
        if "Points" not in self._read:
            points = self._root["Points"][2 * self._at : 2 * self._end]
            self._read["Points"] = points.astype(np.float64, copy=False).reshape(-1, 2, 3)
        return self._read["Points"]

    def measure(self, sums: Sums) -> np.ndarray:
        if sums.measure != "length":
            return self.column(sums.measure.capitalize())
        if "length" not in self._read:
            self._read["length"] = np.linalg.norm(self.ends()[:, 1] - self.ends()[:, 0], axis=1)
        return self._read["length"]

    def contact(self, sums: Sums, i: int, k: int) -> Contact:
        """Row i, which is of frame k of the result."""

        def two(name: str) -> Any:
            a, b = self.column(name + "A"), self.column(name + "B")
            return None if a is None or b is None else (int(a[i]), int(b[i]))

        time = self.column("Time")[i] if sums.continuous else sums.times[k]
        kind, ends = kind_words(int(self.column("Kind")[i])), self.ends()[i]
        parts = two("Primitive"), two("PrimitiveId"), two("SourceId"), two("Object"), kind, ends
        return Contact(float(self.measure(sums)[i]), k, float(time), *parts)


def pair_keys(rows: Rows) -> tuple[list[tuple[int, int]], np.ndarray]:
    """The pairs of objects, each a <= b, and for each row which of them it is of."""
    one, other = (rows.column(name).astype(np.int64) for name in ("ObjectA", "ObjectB"))
    key = np.minimum(one, other) << 32 | np.maximum(one, other) & 0xFFFFFFFF
    keys, which = np.unique(key, return_inverse=True)
    low = (keys & 0xFFFFFFFF).astype(np.uint32).astype(np.int32)
    return list(zip((keys >> 32).tolist(), low.tolist())), which.reshape(-1)


def _pairs(rows: Rows, frame: np.ndarray) -> list[Pair]:
    """The pairs of objects of whole frames."""
    keys, which = pair_keys(rows)
    contacts = np.bincount(which, minlength=len(keys))
    span = int(frame[-1] - frame[0]) + 1
    both = np.unique(which * span + (frame - frame[0]))
    frames = np.bincount(both // span, minlength=len(keys))
    depth, distance, penetration = np.zeros((3, len(keys)))
    given = rows.column("Depth")
    if given is not None:
        np.maximum.at(depth, which, given)
    given = rows.column("Distance")
    if given is not None:
        distance[:] = np.inf
        np.minimum.at(distance, which, given)
    given = rows.column("Penetration")
    if given is not None:
        np.maximum.at(penetration, which, given)
    columns = (column.tolist() for column in (frames, contacts, depth, distance, penetration))
    return [Pair(*key, *values) for key, *values in zip(keys, *columns)]


def _added(have: Pair | None, more: Pair) -> Pair:
    if have is None:
        return more
    frames, contacts = have.frames + more.frames, have.contacts + more.contacts
    depth, distance = max(have.depth, more.depth), min(have.distance, more.distance)
    penetration = max(have.penetration, more.penetration)
    return Pair(have.a, have.b, frames, contacts, depth, distance, penetration)


def kind_words(kind: int) -> str:
    """A value of the column Kind: "segment", "point at start"."""
    start = int(getattr(Kind, "AT_START", 0))
    if start and kind > start:
        return kind_words(kind - start) + " at start"
    try:
        return Kind(kind).name.lower().replace("_", "-")
    except ValueError:
        return str(kind)
