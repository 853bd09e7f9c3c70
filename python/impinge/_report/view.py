"""The frames that are drawn in 3D, cut to the size that is left for them."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np

from .codec import Grid, packed
from .scene import Drawing, Surfaces, drawing
from .sums import Sums
from .words import count, plural

FRAMES = 60  # at most, by default
SMALLEST = 100  # faces: with fewer there is nothing to see
SHORT = 1 / 200  # of the extent: lines that are shorter are drawn as dots, which can be seen


class View(NamedTuple):
    """What view.js needs, as JSON, and what was left out, as a sentence, or ""."""

    data: str
    left_out: str
    frames: int
    faces: int
    most: int  #: the greatest number of contacts of a primitive


class _Encoder:
    """Frames as JSON. Faces that are those of the frame before are in the page once."""

    def __init__(self, sums: Sums, batch: Any, result: Any):
        self._sums, self._batch, self._result = sums, batch, result
        self._surfaces = Surfaces()
        self._faces: np.ndarray | None = None
        self.grid: Grid | None = None
        self.meshes: list[str] = []
        self.most = 0

    def draw(self, k: int, most: int | None = None) -> Drawing:
        frame = self._batch[int(self._sums.numbers[k])]
        return drawing(frame, self._result[k], self._surfaces, most)

    def encode(self, k: int, drawn: Drawing) -> str:
        if self.grid is None:
            self.grid = Grid(drawn.points, drawn.faces)
        if self._faces is None or not np.array_equal(self._faces, drawn.faces):
            self._faces = drawn.faces
            self.meshes.append(packed(drawn.faces))
        self.most = max(self.most, int(drawn.counts.max(initial=0)))
        short = np.linalg.norm(drawn.ends[:, 1] - drawn.ends[:, 0], axis=1) < self.grid.extent * SHORT
        made = {
            "label": _label(self._sums, k),
            "mesh": len(self.meshes) - 1,
            "points": packed(self.grid.rows(drawn.points)),
            "counts": packed(drawn.counts[:, None]),
            "ends": packed(self.grid.rows(drawn.ends[~short].reshape(-1, 3))),
            "dots": packed(self.grid.rows(drawn.ends[short].mean(axis=1))),
        }
        return json.dumps(made)

    def size(self) -> int:
        return sum(map(len, self.meshes))


def _label(sums: Sums, k: int) -> str:
    word = "step" if sums.continuous else "frame"
    contacts = plural(sums.contacts[k], sums.noun)
    return f"{word} {sums.numbers[k]}, {sums.when(k)}: {contacts}"


def view(sums: Sums, batch: Any, result: Any, frames: int, size: int) -> View | None:
    """At most `frames` frames in `size` bytes, or None where not even one fits."""
    encoder = _Encoder(sums, batch, result)
    drawn, first, least = _worst_frame(encoder, sums.fullest, size)
    if drawn is None:
        return None
    wanted = _chosen(sums, frames)
    encoded = {sums.fullest: first}
    if not least:
        each = len(first) + (0 if _static(batch) else encoder.size())
        room = max((size - encoder.size()) // each, 1)
        for k in _some(wanted, room, sums.fullest):
            if k not in encoded:
                encoded[k] = encoder.encode(k, encoder.draw(k))
    shown = _fitting(encoded, size - encoder.size(), sums.fullest)
    return _made(encoder, encoded, shown, drawn, _left_out(len(wanted), len(shown), drawn))


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


def _chosen(sums: Sums, frames: int) -> list[int]:
    return _some(sums.hit.tolist(), frames, sums.fullest)


def _some(frames: list[int], most: int, always: int) -> list[int]:
    """Evenly chosen ones, and one of them in place of its nearest neighbour."""
    if len(frames) <= most:
        return frames
    at = np.linspace(0, len(frames) - 1, most).round().astype(int)
    at[np.abs(at - frames.index(always)).argmin()] = frames.index(always)
    return [frames[i] for i in at]


def _fitting(encoded: dict[int, str], size: int, always: int) -> list[int]:
    """As many of the encoded frames as fit, evenly chosen."""
    frames = sorted(encoded)
    shown = frames
    while len(shown) > 1 and sum(len(encoded[k]) + 2 for k in shown) > size:
        shown = _some(frames, len(shown) - 1, always)
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
    return "Left out to keep this file small: " + "; ".join(parts) + "." if parts else ""


def _made(encoder: _Encoder, encoded: dict, shown: list[int], drawn: Drawing, left: str) -> View:
    grid = encoder.grid
    assert grid is not None
    head = {"start": shown.index(encoder._sums.fullest), "step": grid.step, "most": encoder.most}
    head["edge"] = grid.edge
    head["low"], head["high"] = ((at - grid.centre).tolist() for at in (grid.low, grid.high))
    meshes, frames = json.dumps(encoder.meshes), ", ".join(encoded[k] for k in shown)
    data = f'{json.dumps(head)[:-1]}, "meshes": {meshes}, "frames": [{frames}]}}'
    return View(data, left, len(shown), len(drawn.faces), encoder.most)
