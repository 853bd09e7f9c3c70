"""What `repr` says of an open file: its figures, in one line, or as a table in a notebook."""

from __future__ import annotations

import html
import os
from typing import Any

import numpy as np

from .program import plain

_MOST = 1 << 22  # primitives of a frame whose objects are counted
_NAMES = 8


def shown(file: Any) -> str:
    """<impinge.Batch cloth.vtkhdf: 60 frames of 12,800 triangles, 2 objects (cloth, ball), times 0 to
    2.95>"""
    said = ", ".join(text for _, text in _told(file))
    return f"<impinge.{type(file).__name__} {_name(file)}: {said}>"


def shown_html(file: Any) -> str:
    rows = [(type(file).__name__, _name(file)), *_told(file)]
    cells = (f"<tr><th>{html.escape(a)}</th><td>{html.escape(b)}</td></tr>" for a, b in rows)
    return f'<table class="impinge">{"".join(cells)}</table>'


def _name(file: Any) -> str:
    return plain(os.path.basename(file.path)).replace("\n", "?")


def _told(file: Any) -> list[tuple[str, str]]:
    """Titles and texts. A damaged file says so: repr is no place for exceptions."""
    if file.closed:
        return [("State", "closed")]
    try:
        return _figures(file)
    except Exception as what:
        return [("State", "damaged: " + plain(" ".join(str(what).split())))]


def _figures(file: Any) -> list[tuple[str, str]]:
    frames = np.array(file._frames, np.int64)
    is_result = "Lines" in file.file["VTKHDF"] and "PrimitiveA" in file.file["VTKHDF/CellData"]
    made = _result(file, frames) if is_result else _batch(file, frames)
    objects = _objects(file, None if is_result else frames)
    made += [("Objects", objects)] if objects else []
    times = file.times
    if len(times) == 1:
        made.append(("Time", f"time {times[0]:.6g}"))
    elif len(times):
        made.append(("Times", f"times {times[0]:.6g} to {times[-1]:.6g}"))
    return made


def _plural(count: Any, word: str, several: str = "") -> str:
    return f"{int(count):,} {word if count == 1 else several or word + 's'}"


def _result(file: Any, frames: np.ndarray) -> list[tuple[str, str]]:
    root = file.file["VTKHDF"]
    counts = root["Lines/NumberOfCells"][:].reshape(-1)[frames]
    word, several = "contact", "contacts"
    if "Winding" in root["CellData"]:
        word, several = "vertex inside", "vertices inside"
    elif "Distance" in root["CellData"]:
        word, several = "pair", "pairs"
    found = _plural(counts.sum(), word, several)
    if len(frames) > 1 and counts.any():
        found += f" in {np.count_nonzero(counts):,} of them"
    return [
        ("Frames", _plural(len(frames), "step" if "Time" in root["CellData"] else "frame")),
        (several.capitalize(), found),
    ]


def _batch(file: Any, frames: np.ndarray) -> list[tuple[str, str]]:
    root = file.file["VTKHDF"]
    cells = root if file.kind == "UnstructuredGrid" else root["Polygons"]
    count = _sums(root, cells["NumberOfCells"], frames)
    corners = _sums(root, cells["NumberOfConnectivityIds"], frames)
    triangles, solids = 4 * count - corners, corners - 3 * count
    if (triangles < 0).any() or (solids < 0).any():
        of = _span(count, "cell", "cells")
    else:
        both = [_span(triangles, "triangle", "triangles")] if triangles.any() else []
        both += [_span(solids, "tetrahedron", "tetrahedra")] if solids.any() else []
        of = " and ".join(both) or "no primitives"
    return [("Frames", _plural(len(frames), "frame") + (f" of {of}" if len(frames) else ""))]


def _sums(root: Any, counts: Any, frames: np.ndarray) -> np.ndarray:
    """(frames,) sums of a count over the parts of each frame."""
    ends = np.concatenate([[0], np.cumsum(counts[:].reshape(-1).astype(np.int64))])
    steps = root.get("Steps")
    if steps is None:
        return ends[-1:]
    first = steps["PartOffsets"][:].reshape(-1)[frames]
    parts = steps["NumberOfParts"][:].reshape(-1)[frames] if "NumberOfParts" in steps else 1
    return ends[first + parts] - ends[first]


def _span(counts: np.ndarray, word: str, several: str) -> str:
    least, most = int(counts.min()), int(counts.max())
    return _plural(most, word, several) if least == most else f"{least:,} to {most:,} {several}"


def _objects(file: Any, frames: np.ndarray | None) -> str:
    names = list(file.names.values())
    if names:
        some = ", ".join(plain(name).replace("\n", "?") for name in names[:_NAMES])
        more = f" and {len(names) - _NAMES:,} more" if len(names) > _NAMES else ""
        return f"{_plural(len(names), 'object')} ({some}{more})"
    if frames is None or not len(frames):
        return ""
    count = file._cells(int(frames[0]))[1]
    if "ObjectId" not in file.file["VTKHDF"].get("CellData", {}) or count > _MOST:
        return ""
    return _plural(len(np.unique(file._cell_rows("ObjectId", int(frames[0])))), "object")
