"""The frames that are drawn in 3D, cut to the size that is left for them."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np

from .codec import Grid, packed
from .palette import Palette
from .scene import Drawing, Surfaces, drawing, region, shapes
from .still import FACES, still
from .sums import Sums
from .words import count, plural

FRAMES = 60  # at most, by default
SMALLEST = 100  # faces: with fewer there is nothing to see
SHORT = 1 / 200  # of what is seen: curves that are shorter are drawn as dots


class View(NamedTuple):
    """What view.js needs, as JSON, and what was left out, as a sentence, or ""."""

    data: str
    left_out: str
    frames: int
    faces: int
    most: int  #: the greatest number of contacts of a primitive


class _Encoder:
    """Frames as JSON. Faces that are those of the frame before are in the page once."""

    def __init__(self, sums: Sums, batch: Any, result: Any, palette: Palette):
        self.sums, self._batch, self._result, self.palette = sums, batch, result, palette
        self._surfaces = Surfaces()
        self._last: tuple = (None, None)
        self.grid: Grid | None = None
        self.seen: tuple = ()
        self.meshes: list[str] = []
        self.most = 0

    def draw(self, k: int, most: int | None = None) -> Drawing:
        frame = self._batch[int(self.sums.numbers[k])]
        return drawing(frame, self._result[k], self._surfaces, self.palette, most)

    def encode(self, k: int, drawn: Drawing) -> str:
        if self.grid is None:
            self.grid = Grid(drawn.points, drawn.faces)
            self.seen = region(drawn, self.grid.low, self.grid.high)
        if not all(map(np.array_equal, self._last, (drawn.faces, drawn.groups))):
            self._last = drawn.faces, drawn.groups
            made = {"faces": packed(drawn.faces), "groups": packed(drawn.groups[:, None])}
            self.meshes.append(json.dumps(made))
        self.most = max(self.most, int(drawn.counts.max(initial=0)))
        lines, dots = shapes(drawn.ends, SHORT * float((self.seen[1] - self.seen[0]).max()))
        frame = {
            "number": int(self.sums.numbers[k]),
            "label": label(self.sums, k),
            "mesh": len(self.meshes) - 1,
            "points": packed(self.grid.rows(drawn.points)),
            "counts": packed(drawn.counts[:, None]),
            "ends": packed(self.grid.rows(lines.reshape(-1, 3))),
            "dots": packed(self.grid.rows(dots)),
        }
        return json.dumps(frame)

    def size(self) -> int:
        return sum(map(len, self.meshes))


def label(sums: Sums, k: int) -> str:
    word = "step" if sums.continuous else "frame"
    contacts = plural(sums.contacts[k], sums.noun)
    return f"{word} {sums.numbers[k]}, {sums.when(k)}: {contacts}"


def view(
    sums: Sums, batch: Any, result: Any, palette: Palette, wanted: Wanted, size: int
) -> View | None:
    """As many of the wanted frames as fit in `size` bytes, or None where not even one fits."""
    encoder = _Encoder(sums, batch, result, palette)
    drawn, first, least = _worst_frame(encoder, sums.fullest, size)
    if drawn is None:
        return None
    asked = wanted.some(wanted.frames)
    encoded = {sums.fullest: first}
    if not least:
        each = len(first) + (0 if _static(batch) else encoder.size())
        for k in wanted.some(max((size - encoder.size()) // each, 1)):
            if k not in encoded:
                encoded[k] = encoder.encode(k, encoder.draw(k))
    shown = _fitting(encoded, size - encoder.size(), wanted)
    return _made(encoder, encoded, shown, drawn, _left_out(len(asked), len(shown), drawn))


def _worst_frame(encoder: _Encoder, k: int, size: int) -> tuple:
    """Its drawing with as many faces as fit, its JSON, and whether some did not."""
    drawn = encoder.draw(k)
    made = encoder.encode(k, drawn)
    cut, faces = False, len(drawn.faces)
    while len(made) + encoder.size() > size:
        cut = True
        faces = int(0.9 * faces * size / (len(made) + encoder.size()))
        if faces < SMALLEST:
            return None, "", True
        drawn = encoder.draw(k, faces)
        encoder.meshes.clear()
        made = encoder.encode(k, drawn)
    return drawn, made, cut


def _static(batch: Any) -> bool:
    """Whether all frames have the same cells in the file."""
    steps = batch.file["VTKHDF"].get("Steps")
    if steps is None or "ConnectivityIdOffsets" not in steps:
        return True
    first = steps["ConnectivityIdOffsets"][:]
    return bool((first == first[:1]).all())


class Wanted(NamedTuple):
    """Which frames of the result are drawn: those that links of the page go to come first."""

    hit: list[int]  #: frames with contacts
    linked: list[int]  #: some of them, the most wanted first
    frames: int  #: at most

    def some(self, most: int) -> list[int]:
        """At most `most` of them, in order: linked ones, then evenly chosen others."""
        most = min(most, self.frames)
        if len(self.hit) <= most:
            return self.hit
        has = set(self.hit)
        first = [k for k in dict.fromkeys(self.linked) if k in has][:most]
        others = sorted(has - set(first))
        at = np.linspace(0, len(others) - 1, most - len(first)).round().astype(int)
        return sorted({*first, *(others[i] for i in at)})


def _fitting(encoded: dict[int, str], size: int, wanted: Wanted) -> list[int]:
    """As many of the encoded frames as fit."""
    shown = sorted(encoded)
    kept = wanted._replace(hit=shown, frames=len(shown))
    while len(shown) > 1 and sum(len(encoded[k]) + 2 for k in shown) > size:
        shown = kept.some(len(shown) - 1)
    return shown


def _left_out(wanted: int, shown: int, drawn: Drawing) -> str:
    parts = []
    if shown < wanted:
        parts.append(f"{wanted - shown} of {plural(wanted, 'frame')}")
    if drawn.left_out:
        total = len(drawn.faces) + drawn.left_out
        parts.append(f"{count(drawn.left_out)} of {count(total)} faces, away from contacts")
    if drawn.lines_left_out:
        total = len(drawn.ends) + drawn.lines_left_out
        parts.append(f"{count(drawn.lines_left_out)} of {count(total)} lines of the worst frame")
    return (
        "Left out of the 3D view, to keep this file small: " + "; ".join(parts) + "."
        if parts
        else ""
    )


def _made(encoder: _Encoder, encoded: dict, shown: list[int], drawn: Drawing, left: str) -> View:
    grid = encoder.grid
    assert grid is not None
    head: dict[str, Any] = {
        "start": shown.index(encoder.sums.fullest),
        "step": grid.step,
        "most": encoder.most,
    }
    head["edge"], head["centre"] = grid.edge, grid.centre.tolist()
    head["low"], head["high"] = ((at - grid.centre).tolist() for at in (grid.low, grid.high))
    head["seen"] = [(at - grid.centre).tolist() for at in encoder.seen]
    head["colours"] = [group.colour for group in encoder.palette.groups]
    meshes, frames = ", ".join(encoder.meshes), ", ".join(encoded[k] for k in shown)
    data = f'{json.dumps(head)[:-1]}, "meshes": [{meshes}], "frames": [{frames}]}}'
    return View(data, left, len(shown), len(drawn.faces), encoder.most)


def picture(sums: Sums, batch: Any, result: Any, palette: Palette) -> bytes:
    """PNG of the frame with the most contacts."""
    frame = batch[int(sums.numbers[sums.fullest])]
    drawn = drawing(frame, result[sums.fullest], Surfaces(), palette, FACES)
    grid = Grid(drawn.points, drawn.faces)
    low, high = region(drawn, grid.low, grid.high)
    lines, dots = shapes(drawn.ends, SHORT * float((high - low).max()))
    return still(drawn, palette.colours(), (low, high), lines, dots)
