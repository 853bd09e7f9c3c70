"""Events of a result: contacts that are connected in space and time. data/format.md describes them."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from .program import Name, _start, _words


class EventPart(NamedTuple):
    """A part of an event, which goes on from frame to frame in one piece. Frames are of the input."""

    part: int  #: its number in the event
    first_frame: int
    last_frame: int
    contacts: int  #: the most in a frame
    contacts_frame: int  #: the first frame with as many
    length: float  #: of the contacts' segments, the greatest sum in a frame


class EventContact(NamedTuple):
    """One of the worst contacts of an event."""

    frame: int  #: of the input
    primitive_a: int  #: of the event's object a
    primitive_b: int
    point: tuple[float, float, float]  #: its middle


class Event(NamedTuple):
    """Where and when two objects, or an object and itself, are in contact. Frames are of the input."""

    event: int  #: its number
    a: int  #: the two objects
    b: int
    first_frame: int
    last_frame: int
    first_time: float
    last_time: float
    frames: int
    contacts: int  #: the most in a frame
    contacts_frame: int  #: the first frame with as many
    contacts_all: int  #: in all frames
    length: float  #: of the contacts' segments, the greatest sum in a frame
    worst_frame: int  #: the frame of the worst contact, its primitives, and its middle
    primitive_a: int
    primitive_b: int
    point: tuple[float, float, float]
    primitives: int  #: in all frames
    hash: str  #: of the objects and primitives
    worst: tuple[EventContact, ...]  #: at most five, the worst first
    parts: tuple[EventPart, ...]
    name_a: str | None = None
    name_b: str | None = None
    area: float | None = None  #: of the regions that the contacts bound, the greatest sum in a frame
    depth: float | None = None  #: the greatest; None: the result has none
    least_distance: float | None = None
    penetration: float | None = None
    state: str | None = None  #: "new" or "known", with states=


class EventChange(NamedTuple):
    """A part splits, or merges into another one."""

    frame: int  #: the first one after it
    change: str  #: "split" or "merge"
    event: int
    part: int
    other_event: int
    other_part: int


class GoneEvent(NamedTuple):
    """An approved event that is gone."""

    hash: str
    objects: str  #: as the file of approved events names them
    primitives: int


class Events(list):
    """A list of `Event`."""

    changes: list[EventChange]  #: splits and merges
    gone: list[GoneEvent]  #: with states=


def _event(said: dict[str, Any]) -> Event:
    parts = tuple(EventPart(**part) for part in said["parts"])
    worst = tuple(EventContact(**dict(one, point=tuple(one["point"]))) for one in said["worst"])
    return Event(**dict(said, parts=parts, worst=worst, point=tuple(said["point"])))


def events(result: Name, **options: Any) -> Events:
    """The contacts of a result, connected in space and time: a list of `Event`, with `changes`.

    Options are those of `impinge help events` with _ for -: events(a, new_since=20), events(a,
    states="approved.txt"), which sets the state of each event and `gone`, and approve=True, which
    writes all events to that file. The input of the result must be where it was, or at `input`.
    """
    said = json.loads(_start("events", result, "--json", *_words(options))[0])
    found = Events(_event(one) for one in said["events"])
    found.changes = [EventChange(**one) for one in said["changes"]]
    found.gone = [GoneEvent(**one) for one in said.get("gone", [])]
    return found
