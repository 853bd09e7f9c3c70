"""STL. VTK's reader narrows text to float32 and drops triangles without area, so it is read here.

The format has no shared vertices: each triangle brings its corners along. Corners at the same point
become one vertex, else all neighbours would be contacts.
"""

from __future__ import annotations

import os
import re

import numpy as np

from .mesh import TRIANGLE, Piece, input_error, uniform

_facet = np.dtype([("normal", "<f4", 3), ("corner", "<f4", (3, 3)), ("attribute", "<u2")])


def read(file: str) -> list:
    """A piece; of text with several solids one for each."""
    size = os.path.getsize(file)
    with open(file, "rb") as stream:
        head = stream.read(84)
        count = int.from_bytes(head[80:84], "little")
        if len(head) == 84 and size == 84 + _facet.itemsize * count:
            facets = np.frombuffer(stream.read(), _facet)
            return [_piece(facets["corner"].reshape(-1, 3))]
        text = head + stream.read()
    if not text.lstrip().lower().startswith(b"solid"):
        is_short = f"its length is not that of {count} triangles"
        raise input_error(file, f"this is no STL file, or it is damaged: {is_short}")
    return _solids(file, text)


def _piece(corners: np.ndarray, name: str = "") -> Piece:
    """corners (3 m, 3). Vertices are in the order in which they come first."""
    with np.errstate(invalid="ignore"):
        same = corners + 0  # -0 becomes 0, which is the same point
    _, first, at = np.unique(same, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    number = np.empty(len(order), np.int64)
    number[order] = np.arange(len(order))
    points = np.ascontiguousarray(corners[first[order]])
    return Piece(points, *uniform(TRIANGLE, number[at.ravel()].reshape(-1, 3)), name)


def _solids(file: str, text: bytes) -> list:
    parts = re.split(rb"(?im)^[ \t]*solid\b(.*)$", text)[1:]
    names = [name.decode("utf-8", "replace").strip() for name in parts[::2]]
    if not re.search(rb"(?i)endsolid", parts[-1]):
        raise input_error(file, "the file ends within a solid")
    if len(names) == 1:
        return [_piece(_corners(file, parts[1]))]
    names = [name or f"solid {k}" for k, name in enumerate(names, 1)]
    return [_piece(_corners(file, part), name) for name, part in zip(names, parts[1::2])]


def _corners(file: str, text: bytes) -> np.ndarray:
    vertices = re.findall(rb"(?i)\bvertex[ \t]+(\S+)[ \t]+(\S+)[ \t]+(\S+)", text)
    words = len(re.findall(rb"(?i)\bvertex\b", text))
    facets = len(re.findall(rb"(?i)\bendfacet\b", text))
    if words != len(vertices) or len(vertices) != 3 * facets:
        raise input_error(file, f"{facets} facets with {len(vertices)} vertices")
    try:
        return np.array(vertices, dtype="S").astype(np.float64).reshape(-1, 3)
    except ValueError as what:
        raise input_error(file, what) from None
