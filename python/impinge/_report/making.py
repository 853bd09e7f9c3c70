"""The page of a result: what it tells, its picture, and the frames in 3D that fit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .._library import ImpingeError
from . import k3d_source
from .batch import Source
from .happened import by_size, happened, target
from .page import Told, page, scripts
from .palette import Palette
from .stage import TOO_SMALL
from .sums import Sums
from .tables import Context
from .view import View, Wanted, picture, view
from .worst import worst

ROOM = 2000  # for what is written when the frames are known
_UNREADABLE = (ImpingeError, OSError, KeyError, ValueError, IndexError)


def made(
    opened: Any, sums: Sums, found: Source, path: Path, frames: int, size: int
) -> tuple[str, View | None, str]:
    """The page, what it shows in 3D, and why nothing, or ""."""
    told = _told(opened, sums, found, path, size)
    shown, needed = None, ""
    if told.source.batch is not None and sums.total:
        code, plot = k3d_source.source(), k3d_source.plot()
        used = len(page(told, _EMPTY, scripts(_EMPTY, code, plot)).encode())
        wanted = Wanted(sums.hit.tolist(), _linked(told), frames)
        try:
            room = size - used - ROOM
            shown = view(sums, told.source.batch, opened, told.context.palette, wanted, room)
        except _UNREADABLE as what:
            told = told._replace(source=_unreadable(what))
        needed = scripts(shown, code, plot) if shown else ""
    reason = "" if shown or not sums.total else told.source.reason or TOO_SMALL
    return page(told, shown, needed), shown, reason


_EMPTY = View("", "", 0, 0, 0)


def _unreadable(what: BaseException) -> Source:
    return Source(None, f"the input cannot be read: {what}")


def _told(opened: Any, sums: Sums, found: Source, path: Path, size: int) -> Told:
    """Without the picture where that would not fit, or cannot be made."""
    involved = [number for pair in sums.pairs for number in (pair.a, pair.b)]
    present: list[int] = []
    drawn = b""
    if found.batch is not None and sums.total:
        try:
            objects = found.batch[int(sums.numbers[sums.fullest])].objects
            present = [0] if objects is None else np.unique(objects).tolist()
            palette = Palette(involved, present, opened.names)
            drawn = picture(sums, found.batch, opened, palette)
        except _UNREADABLE as what:
            found = _unreadable(what)
    events = happened(sums, path, found)
    context = Context(opened.names, Palette(involved, present, opened.names))
    told = Told(sums, context, found, path, events, worst(sums, opened, events), drawn)
    return told if len(page(told, None, "").encode()) <= size else told._replace(picture=b"")


def _linked(told: Told) -> list[int]:
    """Frames of the result that links go to, the most important ones first."""
    place = {int(frame): k for k, frame in enumerate(told.sums.numbers)}
    events = by_size(told.found.events)
    worst_frames = [place[target(event).frame] for event in events]
    fullest = [place[event.contacts_frame] for event in events]
    return [told.sums.fullest, *worst_frames, *fullest]
