"""What a result comes to: contacts of each frame, of each pair of objects, and the worst ones. Rows of
a result with distances are pairs, of which the nearest are the worst."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from .._contacts import Kind
from ..files import listed
from .words import number, several

BLOCK = 1 << 18  # rows that are read at a time, unless a frame has more
WORST = 20  # contacts in the list of the worst ones


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
    being those of the input's frames; times, first, least, deepest: (frames,) float64, first being when
    they have their first contact, between frames, least the least distance, and deepest the greatest
    penetration, NaN where there is none."""

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
        self.measure = _measure(self.continuous, self.has_depth, self.has_distance)
        self.pairs, self.worst = _collected(self, root)

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


def _measure(continuous: bool, has_depth: bool, has_distance: bool) -> str:
    if has_distance:
        return "distance"
    return "time" if continuous else "depth" if has_depth else "length"


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


def _collected(sums: Sums, root: Any) -> tuple:
    """The pairs, most contacts first, and the worst contacts, worst first."""
    pairs: dict[tuple[int, int], Pair] = {}
    worst: list[Contact] = []
    starts = np.concatenate([[0], np.cumsum(sums.contacts)])
    for frames in _blocks(sums.contacts):
        at, end = int(starts[frames.start]), int(starts[frames.stop])
        if at == end:
            continue
        rows = _Rows(root, at, end)
        if sums.continuous:  # the rows of a step are in order of time
            hit = [k for k in frames if sums.contacts[k]]
            sums.first[hit] = rows.column("Time")[starts[hit] - at]
        frame = np.repeat(frames, sums.contacts[frames.start : frames.stop])
        if sums.has_distance:
            np.fmin.at(sums.least, frame, rows.column("Distance"))
        if sums.has_thickness:
            np.fmax.at(sums.deepest, frame, rows.column("Penetration"))
        for pair in _pairs(rows, frame):
            pairs[pair[:2]] = _added(pairs.get(pair[:2]), pair)
        worst = _worst(sums, worst + _candidates(sums, rows, frame))
    order = sorted(pairs.values(), key=lambda pair: (-pair.contacts, pair.a, pair.b))
    return order, worst


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


class _Rows:
    """Columns of some rows, read when they are asked for."""

    def __init__(self, root: Any, at: int, end: int):
        self._root, self._at, self._end = root, at, end

    def column(self, name: str) -> Any:
        data = self._root["CellData"]
        return listed(data[name], self._at, self._end - self._at) if name in data else None

    def ends(self) -> np.ndarray:
        points = self._root["Points"][2 * self._at : 2 * self._end]
        return points.astype(np.float64, copy=False).reshape(-1, 2, 3)


def _pairs(rows: _Rows, frame: np.ndarray) -> list[Pair]:
    """The pairs of objects of whole frames."""
    one, other = (rows.column(name).astype(np.int64) for name in ("ObjectA", "ObjectB"))
    key = np.minimum(one, other) << 32 | np.maximum(one, other) & 0xFFFFFFFF
    keys, which = np.unique(key, return_inverse=True)
    which = which.reshape(-1)
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
    low = (keys & 0xFFFFFFFF).astype(np.uint32).astype(np.int32)
    columns = (keys >> 32, low, frames, contacts, depth, distance, penetration)
    return [Pair(*values) for values in zip(*(column.tolist() for column in columns))]


def _added(have: Pair | None, more: Pair) -> Pair:
    if have is None:
        return more
    frames, contacts = have.frames + more.frames, have.contacts + more.contacts
    depth, distance = max(have.depth, more.depth), min(have.distance, more.distance)
    penetration = max(have.penetration, more.penetration)
    return Pair(have.a, have.b, frames, contacts, depth, distance, penetration)


def _candidates(sums: Sums, rows: _Rows, frame: np.ndarray) -> list[Contact]:
    """The worst ones of these rows. Of equals the first ones stay."""
    ends = rows.ends()
    if sums.measure == "length":
        value = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    else:
        value = rows.column(sums.measure.capitalize())
    rank = value if sums.ascending else -value
    chosen = np.argsort(rank, kind="stable")[:WORST] if len(rank) < 4 * WORST else _least(rank)
    columns = {name: rows.column(name) for name in _columns}
    return [_contact(sums, columns, ends, value, frame, i) for i in chosen.tolist()]


def _least(rank: np.ndarray) -> np.ndarray:
    """The rows of the WORST least ranks, in order, without sorting all."""
    bound = np.partition(rank, WORST - 1)[WORST - 1]
    near = np.flatnonzero(rank <= bound)
    return near[np.argsort(rank[near], kind="stable")[:WORST]]


_columns = (
    "PrimitiveA", "PrimitiveB", "PrimitiveIdA", "PrimitiveIdB", "SourceIdA", "SourceIdB",
    "ObjectA", "ObjectB", "Kind", "Time",
)  # fmt: skip


def _contact(sums: Sums, columns: dict, ends: Any, value: Any, frame: Any, i: int) -> Contact:
    def two(name: str) -> Any:
        a, b = columns[name + "A"], columns[name + "B"]
        return None if a is None or b is None else (int(a[i]), int(b[i]))

    k = int(frame[i])
    time = columns["Time"][i] if sums.continuous else sums.times[k]
    kind = kind_words(int(columns["Kind"][i]))
    parts = two("Primitive"), two("PrimitiveId"), two("SourceId"), two("Object"), kind, ends[i]
    return Contact(float(value[i]), k, float(time), *parts)


def _worst(sums: Sums, contacts: list[Contact]) -> list[Contact]:
    sign = 1 if sums.ascending else -1
    return sorted(contacts, key=lambda contact: sign * contact.measure)[:WORST]


def kind_words(kind: int) -> str:
    """A value of the column Kind: "segment", "point at start"."""
    start = int(getattr(Kind, "AT_START", 0))
    if start and kind > start:
        return kind_words(kind - start) + " at start"
    try:
        return Kind(kind).name.lower().replace("_", "-")
    except ValueError:
        return str(kind)
