"""The batch that a result is of: found, and compared with it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple, cast

from .._library import ImpingeError
from ..files import Batch, Result, has_other_files, open
from .scene import fits
from .sums import Sums


class Source(NamedTuple):
    """`batch` is None where it cannot be drawn; `reason` then says why."""

    batch: Batch | None
    reason: str


def source(result: Result, sums: Sums, path: Path, given: Any) -> Source:
    """The batch at `given`, else where the result says that it was, else beside the result."""
    name = str(sums.origin.get("input", ""))
    places: list[Any] = [given] if given is not None else [name, path.parent / name, path.parent / _last(name)]
    at = next((place for place in places if place and os.path.isfile(place)), None)
    if at is None:
        return Source(None, f"the input {given if given is not None else name} is not there")
    try:
        batch = open(at)
    except (ImpingeError, OSError, KeyError) as what:
        return Source(None, f"the input {at} cannot be read: {what}")
    try:
        reason = _differs(batch, result, sums, at)
    except Exception as what:  # any damage of the batch: the page is made without it
        reason = f"the input {at} cannot be read: {what}"
    if reason:
        batch.close()
        return Source(None, reason)
    return Source(cast(Batch, batch), "")


def _last(name: str) -> str:
    return os.path.basename(name)


def _differs(batch: Any, result: Result, sums: Sums, at: Any) -> str:
    """What shows that the result is not of this batch. The hash is not computed again: contacts of
    the frame that has the most tell more quickly."""
    changed = f"the input {at} is not the one of this result: "
    if not isinstance(batch, Batch):
        return f"{at} is a result, not an input"
    size, expected = os.path.getsize(at), int(sums.origin.get("input_bytes", 0))
    if size != expected and not (size < expected and has_other_files(batch.file)):
        return changed + f"it has {size:,} bytes, not {expected:,}"
    if sums.frames and int(sums.numbers.max()) >= len(batch):
        return changed + f"it has {len(batch):,} frames"
    if sums.total:
        frame, exact = batch[int(sums.numbers[sums.fullest])], _is_exact(sums)
        if not fits(frame, result[sums.fullest], exact):
            return changed + "its contacts are somewhere else"
    return ""


def _is_exact(sums: Sums) -> bool:
    """Whether the points of contacts are within both primitives."""
    options = str(sums.origin.get("options", ""))
    return not sums.continuous and "separation" not in options and "stage=contacts" in options
