"""Colours of objects: the same in tables, in the picture and in 3D."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

OWN = 50  # objects with a colour and a switch of their own; the others share one

#: Okabe and Ito's, which people with any colour vision tell apart, in another order and without
#: black, which is for contacts. Further objects have them lighter, then darker.
_BASE = (0x56B4E9, 0xE69F00, 0x009E73, 0xCC79A7, 0xF0E442, 0x0072B2, 0xD55E00)
_OTHER = 0xA5ABB5
_MIXES = ((0, 0.0), (255, 0.45), (0, 0.4), (255, 0.7))


class Group(NamedTuple):
    """What one switch shows and hides."""

    name: str
    colour: int  #: 0xRRGGBB


class Palette:
    """Groups of objects, in the order of their numbers, and last the others if there are any."""

    def __init__(self, involved: list[int], present: list[int], names: dict[int, str]):
        """involved: objects with contacts, most first; present: all that are known."""
        every = list(dict.fromkeys([*involved, *present]))
        own = sorted(every[:OWN])
        self._group = {number: i for i, number in enumerate(own)}
        self.groups = [Group(names.get(n, f"object {n}"), _colour(i)) for i, n in enumerate(own)]
        self._numbers = np.array(own, np.int64)
        others = len(every) - len(own)
        if others:
            self.groups.append(Group(f"{others:,} other objects", _OTHER))

    def group(self, objects: np.ndarray) -> np.ndarray:
        """(m,) the group of each; the last one for objects without a group of their own."""
        if not len(self._numbers):
            return np.zeros(len(objects), np.int64)
        at = np.minimum(np.searchsorted(self._numbers, objects), len(self._numbers) - 1)
        return np.where(self._numbers[at] == objects, at, len(self.groups) - 1)

    def swatch(self, number: int) -> str:
        """A square of the object's colour, as HTML."""
        i = self._group.get(number)
        return square(_OTHER if i is None else self.groups[i].colour)

    def colours(self) -> np.ndarray:
        """(groups, 3) floats from 0 to 1."""
        given = np.array([group.colour for group in self.groups] or [_OTHER])
        return (given[:, None] >> np.array([16, 8, 0]) & 255) / 255.0


def square(colour: int) -> str:
    return f'<span class="object-colour" style="background: #{colour:06x}"></span>'


def _colour(i: int) -> int:
    towards, share = _MIXES[i // len(_BASE) % len(_MIXES)]
    base = _BASE[i % len(_BASE)]
    parts = [base >> shift & 255 for shift in (16, 8, 0)]
    red, green, blue = (round(part + (towards - part) * share) for part in parts)
    return red << 16 | green << 8 | blue
