"""A frame as batches are written: cells of VTK's types. It needs no library that is built."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

TRIANGLE, TETRAHEDRON = 5, 10


class Mesh(NamedTuple):
    """A frame, or a body of one. Every cell is of a type in READ, or with a skin in SOLIDS, and has
    sound corners."""

    points: np.ndarray  #: (n, 3) float32 or float64
    types: np.ndarray  #: (m,) uint8
    ends: np.ndarray  #: (m,) int64
    corners: np.ndarray  #: (k,) int64
    objects: np.ndarray  #: (m,) rows of names
    names: list  #: of objects; "" is one without a name; all are integers where files number them
    skipped: int  #: points and lines
    ids: np.ndarray | None  #: (m,) int64: what the file calls its cells
    arrays: dict = {}  #: name: (m,) integers of the cells; 0 in pieces that lack it


def uniform(kind: int, cells: np.ndarray) -> tuple:
    """types, ends and corners of cells (m, k) of one type."""
    cells = np.asarray(cells, np.int64)
    ends = cells.shape[1] * np.arange(1, len(cells) + 1, dtype=np.int64)
    return np.full(len(cells), kind, np.uint8), ends, cells.ravel()
