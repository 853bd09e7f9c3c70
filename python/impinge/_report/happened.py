"""Events of the result, by the program that lists them elsewhere, or why there are none."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from .._events import Event, EventChange, events
from .._library import ImpingeError
from .batch import Source
from .sums import Sums


class Happened(NamedTuple):
    events: list[Event]
    changes: list[EventChange]
    reason: str  #: why there is no list, as a sentence, or ""


def happened(sums: Sums, path: Path, source: Source) -> Happened:
    if not sums.total:
        return Happened([], [], "")
    if "stage=candidates" in str(sums.origin.get("options", "")):
        return _none("the run stopped at candidates (--stage candidates)")
    if source.batch is None:
        return _none(f"{source.reason}; --input names where it is")
    try:
        found = events(path, input=source.batch.file.filename)
    except ImpingeError as what:
        said = str(what).removeprefix("impinge: ").removeprefix(f"{path}: ")
        return _none(said)
    return Happened(list(found), found.changes, "")


def _none(reason: str) -> Happened:
    return Happened([], [], f"Contacts are not joined to events: {reason}.")


class Target(NamedTuple):
    """Where a link of an event goes."""

    frame: int  #: of the input
    place: tuple[float, float, float]


def target(event: Event) -> Target:
    """Its worst contact."""
    return Target(event.worst[0].frame, event.worst[0].point)


def by_size(found: list[Event]) -> list[Event]:
    """Those with the most contacts in a frame first."""
    return sorted(found, key=lambda event: (-event.contacts, event.event))
