"""Contacts as rows: one by one, summed up by objects, and as tables."""

from __future__ import annotations

import functools
from collections import namedtuple
from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ._columns import columns
from ._kinds import Kind, kind_words

if TYPE_CHECKING:
    import pandas

    from ._contacts import Contacts

_SHOWN = 10  # rows of a table in a notebook
_PAIRS = 3  # of objects, in a line
_MANY = 1 << 20  # pairs of objects that are counted in an array
_AXES = ("x", "y", "z")


# ---- one by one


class Contact:
    """A contact: a row of `Contacts`, as a tuple with a name for each column that there is: `a`, `b`,
    `object_a`, `object_b`, `name_a`, `name_b`, `kind` (a `Kind`), `ends` (2, 3), and others of
    `Contacts`; a column that the contacts do not have is None. `_fields` has the names, `_asdict()` all.
    """

    __slots__ = ()
    _fields: tuple[str, ...]

    def __getattr__(self, column: str) -> Any:
        if column in _COLUMNS:
            return None
        raise AttributeError(f"a Contact has no {column!r}")

    def __repr__(self) -> str:
        shown = (f"{name}={_short(getattr(self, name))}" for name in self._fields)
        return f"Contact({', '.join(shown)})"

    def __reduce__(self) -> tuple:
        return _contact, (self._fields, tuple(self))


_COLUMNS = {c.name for c in columns} | {"local_a", "local_b", "name_a", "name_b"}


@functools.lru_cache(maxsize=None)
def _row_type(fields: tuple[str, ...]) -> Any:
    return type("Contact", (Contact, namedtuple("Contact", fields)), {"__slots__": ()})


def _contact(fields: tuple[str, ...], values: tuple) -> Contact:
    return _row_type(fields)(*values)


def _short(value: Any) -> str:
    if isinstance(value, Kind):
        return value.name
    return " ".join(str(value.tolist()).split()) if isinstance(value, np.ndarray) else repr(value)


def _known(number: int) -> Any:
    """A `Kind`, unless a damaged file has a number that is none."""
    try:
        return Kind(number)
    except ValueError:
        return number


def _names_of(found: Contacts, column: str) -> list | None:
    """The names of objects, None where one has none; None: there are no names."""
    numbers = getattr(found, column)
    if numbers is None or not found.names:
        return None
    return [found.names.get(number) for number in numbers.tolist()]


def _columns_of(found: Contacts) -> dict[str, list]:
    """All columns that there are, as lists."""
    made: dict[str, list] = {}
    for column in columns:
        values = getattr(found, column.name)
        if values is None:
            continue
        if column.file_first:
            values = np.split(values, getattr(found, column.first)[1:-1].astype(np.int64))
            made[column.name] = values if len(found) else []
        else:
            made[column.name] = values.tolist() if values.ndim == 1 else list(values)
        if column.name == "kind":
            made["kind"] = [_known(number) for number in made["kind"]]
        if column.name == "object_b":
            names = {f"name_{side}": _names_of(found, f"object_{side}") for side in "ab"}
            made.update({name: rows for name, rows in names.items() if rows is not None})
            local = {f"local_{side}": getattr(found, f"local_{side}") for side in "ab"}
            made.update({name: rows.tolist() for name, rows in local.items() if rows is not None})
    return made


def contacts_of(found: Contacts) -> Iterator[Contact]:
    """One after another."""
    rows = _columns_of(found)
    return map(_row_type(tuple(rows))._make, zip(*rows.values()))


# ---- by objects


class ObjectPair(NamedTuple):
    """Two objects, or one with itself, that have contacts, or pairs within a distance."""

    a: int  #: a <= b
    b: int
    name_a: str | None
    name_b: str | None
    contacts: int
    crossing: int | None = None  #: of these, how many pass through each other
    depth: float | None = None  #: the greatest
    least_distance: float | None = None
    penetration: float | None = None  #: the greatest
    time: float | None = None  #: of the first contact


def _counted(found: Contacts) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pairs of objects (p, 2) with contacts, in order of (a, b); the pair of each contact; contacts of
    each pair."""
    a, b = found.object_a, found.object_b
    if a is None or b is None:
        pairs = np.zeros((min(len(found), 1), 2), np.int64)
        return pairs, np.zeros(len(found), np.int64), np.full(len(pairs), len(found))
    low, high = np.minimum(a, b).astype(np.int64), np.maximum(a, b).astype(np.int64)
    least = int(low.min(initial=0))
    width = int(high.max(initial=0)) - least + 1
    if width * width <= _MANY:
        key = (low - least) * width + (high - least)
        counts = np.bincount(key, minlength=1)
        keys, which = np.flatnonzero(counts), (np.cumsum(counts > 0) - 1)[key]
        return np.stack(np.divmod(keys, width), 1) + least, which, counts[keys]
    numbers, rank = np.unique(np.concatenate([low, high]), return_inverse=True)
    rank = rank.reshape(2, -1)
    key = rank[0] * len(numbers) + rank[1]
    keys, which, counts = np.unique(key, return_inverse=True, return_counts=True)
    return numbers[np.stack(np.divmod(keys, len(numbers)), 1)], which.ravel(), counts


def _extreme(values: np.ndarray | None, which: np.ndarray, count: int, of: Any, start: float) -> list:
    if values is None:
        return [None] * count
    made = np.full(count, start)
    of.at(made, which, values)
    return made.tolist()


def by_objects(found: Contacts) -> list[ObjectPair]:
    pairs, which, counts = _counted(found)
    n, names = len(pairs), found.names
    crossing: list = [None] * n
    if found.crossing is not None:
        crossing = np.bincount(which[found.crossing != 0], minlength=n).tolist()
    depth = _extreme(found.depth, which, n, np.maximum, -np.inf)
    nearest = _extreme(found.distance, which, n, np.minimum, np.inf)
    penetration = _extreme(found.penetration, which, n, np.maximum, -np.inf)
    first = _extreme(found.time, which, n, np.minimum, np.inf)
    rows = zip(pairs.tolist(), counts.tolist(), crossing, depth, nearest, penetration, first)
    made = [ObjectPair(a, b, names.get(a), names.get(b), *rest) for (a, b), *rest in rows]
    return sorted(made, key=lambda row: (-row.contacts, row.a, row.b))


# ---- in a line, and as tables


def summary(found: Contacts) -> str:
    """ "12 of 40 candidates; 10 segment, 2 point; arm - base 8, arm - hand 4" """
    text = f"{len(found)} of {found.info.get('candidates', 0)} candidates"
    if found.info.get("kept"):
        text += f", {found.info['kept']} primitives kept from the frame before"
    if not len(found):
        return text
    numbers = np.bincount(found.kind)
    kinds = sorted(np.flatnonzero(numbers).tolist(), key=lambda kind: (-numbers[kind], kind))
    text += "; " + ", ".join(f"{numbers[kind]} {kind_words[kind]}" for kind in kinds)
    if found.object_a is not None:
        pairs, _, counts = _counted(found)
        order = np.argsort(-counts, kind="stable")
        some = [f"{_title(found, pairs[k])} {counts[k]}" for k in order[:_PAIRS]]
        text += "; " + ", ".join(some)
        if len(order) > _PAIRS:
            text += f" and {len(order) - _PAIRS} more"
    if found.distance is not None:
        text += f"; least distance {found.distance.min():.6g}"
    return text


def _title(found: Contacts, pair: Any) -> str:
    return " - ".join(found.names.get(int(number), str(number)) for number in pair)


def html_of(found: Contacts) -> str:
    """For notebooks: the line above, and the first contacts."""
    some = found[:_SHOWN]
    rows = list(contacts_of(some))
    measured = [name for name in _MEASURES if getattr(found, name) is not None]
    objects = found.object_a is not None
    titles = ["", "a", "b", *(["object a", "object b"] if objects else []), "kind", *measured, "middle"]
    lines = []
    for number, row in enumerate(rows):
        cells = [str(number), str(row.a), str(row.b)]
        if objects:
            both = (row.object_a, row.object_b)
            cells += [found.names.get(one, str(one)) for one in both]
        cells += [kind_words[int(row.kind)], *(f"{getattr(row, name):.6g}" for name in measured)]
        cells.append(" ".join(f"{x:.6g}" for x in (row.ends[0] + row.ends[1]) / 2))
        lines.append("".join(f"<td>{escape(cell)}</td>" for cell in cells))
    head = "".join(f"<th>{escape(title)}</th>" for title in titles)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    more = f"<p>and {len(found) - len(rows)} more</p>" if len(found) > len(rows) else ""
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if rows else ""
    return f"<div><p>{escape(summary(found))}</p>{table}{more}</div>"


_MEASURES = ("time", "distance", "penetration", "depth")


def _spread(column: str, values: np.ndarray) -> dict[str, np.ndarray]:
    """The columns of a table for one of contacts."""
    if values.ndim == 1:
        return {column: values.astype(np.int64) if values.dtype == np.uint32 else values}
    if values.ndim == 3:  # ends
        parts = {f"end{k}": values[:, k] for k in range(values.shape[1])}
    else:
        parts = {column: values}
    made = {}
    for name, rows in parts.items():
        places = _AXES if rows.shape[1] == 3 else range(rows.shape[1])
        made.update({f"{name}_{place}": rows[:, k] for k, place in enumerate(places)})
    return made


def frame_of(found: Contacts) -> pandas.DataFrame:
    import pandas

    made: dict[str, Any] = {}
    frame = found.info.get("input_frame", found.info.get("frame"))
    if frame is not None:
        made["frame"] = np.full(len(found), frame, np.int64)
    if found.time is None and "time" in found.info:
        made["time"] = np.full(len(found), found.info["time"])
    for column in columns:
        values = getattr(found, column.name)
        if values is None or column.file_first:
            continue
        made.update(_spread(column.name, values))
        if column.name == "kind":
            made["kind"] = _categories(found.kind, dict(enumerate(kind_words)))
        if column.name == "object_b":
            for side in "ab" if found.names else "":
                made[f"name_{side}"] = _categories(getattr(found, f"object_{side}"), found.names)
            local = {f"local_{side}": getattr(found, f"local_{side}") for side in "ab"}
            made.update({name: rows for name, rows in local.items() if rows is not None})
    return pandas.DataFrame(made)


def _categories(numbers: np.ndarray, names: dict[int, str]) -> Any:
    """As texts, categories of which are those that occur; missing where a number has no name."""
    import pandas

    used, which = np.unique(numbers, return_inverse=True)
    texts = [names.get(number) for number in used.tolist()]
    known = list(dict.fromkeys(text for text in texts if text is not None))
    codes = np.array([-1 if text is None else known.index(text) for text in texts], np.int64)
    return pandas.Categorical.from_codes(codes[which.ravel()], known)
