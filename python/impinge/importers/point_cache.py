"""MDD and PC2: points of all frames, for the faces of an OBJ file.

MDD (LightWave) is big-endian: the numbers of frames and of points, int32; the times of the frames
in seconds, float32; three float32 of each point, frame by frame. PC2 is little-endian:
"POINTCACHE2\\0", int32 version 1, int32 number of points, float32 first frame and step, int32 number
of frames; the points follow. Its times are numbers of frames.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .mesh import input_error
from .numbered import Bad, reading


class Head(NamedTuple):
    """Where points begin, how they are, and when."""

    at: int
    kind: str
    points: int
    times: list


def mdd(stream: Any, size: int) -> Head:
    frames, points = _numbers(stream, ">2i")
    if min(frames, points) < 1 or size < 8 + 4 * frames:
        raise Bad(f"no MDD file: {frames} frames of {points} points in {size} bytes")
    times = np.frombuffer(stream.read(4 * frames), ">f4").astype(np.float64)
    return Head(8 + 4 * frames, ">f4", points, times.tolist())


def pc2(stream: Any, size: int) -> Head:
    name, version, points, start, step, frames = _numbers(stream, "<12s2i2fi")
    if name != b"POINTCACHE2\0":
        raise Bad("no PC2 file: it does not begin with POINTCACHE2")
    if version != 1:
        raise Bad(f"PC2 of version {version}, which is not read")
    if min(frames, points) < 1:
        raise Bad(f"no PC2 file: {frames} frames of {points} points")
    return Head(32, "<f4", points, [start + k * step for k in range(frames)])


def _numbers(stream: Any, form: str) -> tuple:
    data = stream.read(struct.calcsize(form))
    if len(data) < struct.calcsize(form):
        raise Bad(f"it ends within its head, after {len(data)} bytes")
    return struct.unpack(form, data)


HEADS = {".mdd": mdd, ".pc2": pc2}


def beside(file: str) -> str:
    """The OBJ file of the same name."""
    stem = os.path.splitext(file)[0]
    for ending in (".obj", ".OBJ"):
        if os.path.exists(stem + ending):
            return stem + ending
    text = f"a cache has points alone, and {stem}.obj, for its faces, is missing"
    raise input_error(file, f"{text}; --mesh names another OBJ file")


class CacheSource:
    """`open_mesh` makes the source of the OBJ file: `mesh`, or the one beside the cache."""

    def __init__(self, file: str, mesh: str | None, open_mesh: Callable[[str], Any]):
        self.file = file
        with reading(file), open(file, "rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            self._head = head = HEADS[os.path.splitext(file)[1].lower()](stream, size)
            self._frame = 12 * head.points
            whole = head.at + self._frame * len(head.times)
            if size != whole:
                of = f"{len(head.times)} frames of {head.points} points have {whole} bytes"
                raise Bad(f"{of}, the file has {size}")
        self.times: Any = head.times
        mesh = beside(file) if mesh is None else mesh
        self._piece = self._rest(mesh, open_mesh(mesh))

    def _rest(self, mesh: str, source: Any) -> Any:
        if source.times is not None and len(source.times) > 1:
            raise input_error(mesh, f"{len(source.times)} frames; the mesh of a cache has one")
        (piece,) = source.read(0)
        if len(piece.points) != self._head.points:
            text = f"{self._head.points} points; {mesh} has {len(piece.points)}"
            raise input_error(self.file, text)
        return piece

    def source(self, k: int) -> str:
        return self.file

    def read(self, k: int) -> list:
        with reading(self.file), open(self.file, "rb") as stream:
            stream.seek(self._head.at + k * self._frame)
            points = np.empty((self._head.points, 3), self._head.kind)
            if stream.readinto(points.data) < self._frame:
                raise Bad(f"it ends within frame {k}")
            points = points.astype(np.float32, copy=False)
            if not np.isfinite(points.ravel()).all():
                row = np.flatnonzero(~np.isfinite(points).all(1))[0]
                raise Bad(f"frame {k}: point {row} is not finite: {points[row].tolist()}")
        return [self._piece._replace(points=points)]
