"""The worst contacts: of each event, or where there are no events of each pair of objects."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._events import Event, EventContact
from .happened import Happened, by_size
from .sums import Contact, Rows, Sums, blocks, pair_keys

GROUPS = 40  # at most
EACH = 5  # contacts of each, as many as events have
KEPT = 1000  # pairs of objects whose worst contacts are kept while rows are read


class Group(NamedTuple):
    event: int | None
    objects: tuple[int, int]
    total: int  #: its contacts in all frames
    contacts: list[Contact]  #: some, worst first


class Worst(NamedTuple):
    groups: list[Group]  #: worst first
    total: int  #: of them, also of those that are not here


def worst(sums: Sums, result: Any, found: Happened) -> Worst:
    if found.events:
        made = _of_events(sums, result, _chosen(sums, found.events))
        return Worst(_sorted(sums, made), len(found.events))
    totals = {(pair.a, pair.b): pair.contacts for pair in sums.pairs}
    made = [Group(None, of, totals[of], some) for of, some in _by_pair(sums, result).items()]
    return Worst(_sorted(sums, made)[:GROUPS], len(totals))


def _sorted(sums: Sums, groups: list[Group]) -> list[Group]:
    return sorted(groups, key=lambda group: (_rank(sums, group.contacts[0].measure), group.objects))


def _rank(sums: Sums, measure: float) -> float:
    return measure if sums.ascending else -measure


def _chosen(sums: Sums, found: list[Event]) -> list[Event]:
    """The worst events, by what they say of themselves; without such a figure the largest ones."""
    figure = {"penetration": "penetration", "distance": "least_distance", "depth": "depth"}
    key = figure.get(sums.measure)
    if key is None:
        return by_size(found)[:GROUPS]
    return sorted(found, key=lambda event: (_rank(sums, getattr(event, key)), event.event))[:GROUPS]


def _of_events(sums: Sums, result: Any, chosen: list[Event]) -> list[Group]:
    """Each frame is read once, and one at a time."""
    frames: dict[int, list[tuple[int, EventContact]]] = {}
    for i, event in enumerate(chosen):
        for place in event.worst:
            frames.setdefault(place.frame, []).append((i, place))
    found: dict[tuple[int, EventContact], Contact] = {}
    for frame, places in frames.items():
        k = int(np.flatnonzero(sums.numbers == frame)[0])
        rows = Rows(result.file["VTKHDF"], *sums.rows_of(k))
        for i, place in places:
            found[i, place] = rows.contact(sums, _row_of(rows, place), k)
    return [
        Group(
            event.event,
            (event.a, event.b),
            event.contacts_all,
            [found[i, at] for at in event.worst],
        )
        for i, event in enumerate(chosen)
    ]


def _row_of(rows: Rows, place: EventContact) -> int:
    """The row of these primitives, which may have several, with that middle."""
    one, other = rows.column("PrimitiveA"), rows.column("PrimitiveB")
    a, b = place.primitive_a, place.primitive_b
    same = np.flatnonzero((one == a) & (other == b) | (one == b) & (other == a))
    ends = rows.ends()[same]
    middle = 0.5 * ends[:, 0] + 0.5 * ends[:, 1]
    return int(same[(middle == np.array(place.point)).all(axis=1)][0])


def _by_pair(sums: Sums, result: Any) -> dict[tuple[int, int], list[Contact]]:
    kept: dict[tuple[int, int], list[Contact]] = {}
    for frames, at, end in blocks(sums):
        rows = Rows(result.file["VTKHDF"], at, end)
        frame = np.repeat(frames, sums.contacts[frames.start : frames.stop])
        for of, i in _worst_rows(sums, rows):
            kept.setdefault(of, []).append(rows.contact(sums, i, int(frame[i])))
        order = sorted(kept, key=lambda of: min(_rank(sums, c.measure) for c in kept[of]))
        kept = {of: _first(sums, kept[of]) for of in order[:KEPT]}
    return kept


def _first(sums: Sums, contacts: list[Contact]) -> list[Contact]:
    return sorted(contacts, key=lambda contact: _rank(sums, contact.measure))[:EACH]


def _worst_rows(sums: Sums, rows: Rows) -> list[tuple[tuple[int, int], int]]:
    """Of each pair of objects EACH rows, of equal ones the first, and of at most KEPT pairs."""
    rank = rows.measure(sums) if sums.ascending else -rows.measure(sums)
    keys, which = pair_keys(rows)
    order = np.lexsort((rank, which))
    start = np.flatnonzero(np.diff(which[order], prepend=-1))
    place = np.arange(len(order)) - start[which[order]]
    worst_pairs = np.argsort(rank[order[start]], kind="stable")[:KEPT]
    some = order[(place < EACH) & np.isin(which[order], worst_pairs)]
    return [(keys[which[i]], i) for i in np.sort(some).tolist()]
