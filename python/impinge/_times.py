"""Times of frames, and of contacts between them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sized
from typing import TYPE_CHECKING, Any

import numpy as np

from ._library import ArgumentError

if TYPE_CHECKING:
    from ._contacts import Contacts


def _time(value: Any, what: str) -> float:
    try:
        time = float(value)
    except (TypeError, ValueError):
        raise ArgumentError(f"times: {what} is {value!r}, not a number") from None
    if not math.isfinite(time):
        raise ArgumentError(f"times: {what} is {time}")
    return time


def step_times(times: Any) -> tuple[float, float]:
    """Of the beginning and the end of a step."""
    if times is None:
        return 0.0, 1.0
    if np.shape(times) != (2,):
        raise ArgumentError(f"times: {times!r} are not two numbers, of the beginning and the end")
    first, second = _time(times[0], "the first"), _time(times[1], "the second")
    if second <= first:
        raise ArgumentError(f"times: {second:.17g} is not after {first:.17g}")
    return first, second


def between(toi: np.ndarray, times: tuple[float, float]) -> np.ndarray:
    """(n,) float64, the times of these parts of a step: the bits of `Time` in a file (data/format.md)."""
    first, last = times
    low, high = min(times), max(times)
    length = last - first
    at = first + toi * length if math.isfinite(length) else (1 - toi) * first + toi * last
    at = np.where(at < low, low, at)
    return np.where(at > high, high, at)


class Clock:
    """The times of frames, which are read as these come."""

    def __init__(self, times: Iterable[float] | None, positions: Any):
        self._read: list[float] = []  # from frame `_at` on
        self._at, self._last = 0, -math.inf
        try:
            self._left = None if times is None else iter(times)
        except TypeError:
            raise ArgumentError(f"times: {times!r} is not a number for each frame") from None
        if isinstance(times, Sized) and isinstance(positions, Sized) and len(times) != len(positions):
            raise ArgumentError(f"times: {len(times)}, for {len(positions)} frames")

    def _of(self, frame: int) -> float:
        if self._left is None:
            return float(frame)
        while self._at + len(self._read) <= frame:
            number = self._at + len(self._read)
            try:
                value = next(self._left)
            except StopIteration:
                raise ArgumentError(f"times: {number}, but there is a frame {number}") from None
            time = _time(value, f"that of frame {number}")
            if time <= self._last:
                raise ArgumentError(f"times: {time:.17g}, of frame {number}, is not after {self._last:.17g}")
            self._last = time
            self._read.append(time)
        return self._read[frame - self._at]

    def tell(self, found: list[Contacts], first: int, continuous: bool) -> None:
        """Gives the contacts of frames, or of steps, from this one on their times."""
        for number, one in enumerate(found, first):
            one.info["frame"], one.info["time"] = number, self._of(number)
            if continuous:
                one._times = self._of(number), self._of(number + 1)
        passed = first + len(found) - self._at
        self._read, self._at = self._read[passed:], self._at + passed
