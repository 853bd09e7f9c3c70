"""Numbers as text in the page: view.js has the other side."""

from __future__ import annotations

import base64
import zlib

import numpy as np


def packed(rows: np.ndarray) -> str:
    """(n, c) whole numbers in the range of int32. Rows become differences to the row before, which
    are small in meshes, and equal bytes of all numbers come together, since zlib likes that."""
    rows = np.asarray(rows, np.int64)
    steps = np.diff(rows, axis=0, prepend=np.zeros((1, rows.shape[1]), np.int64))
    planes = steps.T.astype("<i4").reshape(-1, 1).view(np.uint8).T
    return text(planes.tobytes(), 6)


def text(data: bytes, level: int) -> str:
    """Compressed, in base64."""
    return base64.b64encode(zlib.compress(data, level)).decode("ascii")


class Grid:
    """Points as whole numbers: multiples of `step` from `centre`, fine enough for drawing."""

    def __init__(self, points: np.ndarray, faces: np.ndarray):
        low, high = (np.quantile(points, q, axis=0) for q in (0.005, 0.995))
        self.low, self.high = low.astype(float), high.astype(float)
        self.centre = (self.low + self.high) / 2
        self.extent = float((self.high - self.low).max()) or 1.0
        self.edge = _edge(points, faces) or self.extent
        fine = min(self.extent / 2**16, self.edge / 2**6)
        self.step = max(fine, self.extent / 2**22)

    def rows(self, points: np.ndarray) -> np.ndarray:
        at = np.rint((points - self.centre) / self.step)
        return np.clip(at, -(2**30), 2**30).astype(np.int64)


def _edge(points: np.ndarray, faces: np.ndarray) -> float:
    """The median length of an edge."""
    some = faces[:: max(len(faces) // 10_000, 1)]
    return float(np.median(np.linalg.norm(points[some[:, 1]] - points[some[:, 0]], axis=1)))
