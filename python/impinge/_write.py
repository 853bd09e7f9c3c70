"""impinge.write: arrays and meshes become a batch."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from ._arrays import column_of, objects_of, points_of, rows_of
from ._cells import TETRAHEDRON, TRIANGLE, Mesh
from ._library import ArgumentError
from ._meshes import is_mesh, mesh_of
from ._names import check_names, names_of
from ._output import check_ending, claim, disk, replacing
from .files import Batch, Frame, Result
from .importers.store import Store
from .program import Name


def write(
    path: Name,
    positions: Any,
    triangles: Any = None,
    objects: Any = None,
    names: Any = None,
    times: Iterable[float] | None = None,
    *,
    corner_count: Any = None,
    force: bool = False,
) -> None:
    """Writes frames as a batch, which `run`, `open` and ParaView read, by h5py (`pip install
    'impinge[files]'`). It is a VTKHDF file (data/format.md), of the same bits that `convert` would store.

    positions: (n, 3) float64 or float32: one frame; (f, n, 3), or any iterable of (n, 3): f frames, of
        which one at a time is in memory. float32 stays float32, unless another frame is float64.
    triangles: (m, 3) vertex numbers of all frames; (m, 4): of tetrahedra.
    objects: (m,) int32, the object of each primitive; None: all are of one.
    names: of objects: a list with one for each, by their numbers, or a dict {number: name}.
    times: (f,) finite and ascending; None: 0, 1, 2, ...
    corner_count: (m,) integers, with tetrahedra: 3 or 4 corners of each; the last of a triangle is ignored.
    force: replaces `path`.

    In place of positions and triangles, one mesh or a dict of meshes, as of `contacts`, is one frame;
    an iterable of these is a frame each, of any number of vertices and primitives; so is a batch of
    `open`, or a part of one: `impinge.write("part.vtkhdf", batch[10:20])`, with the times, names and
    ids that it has. An object of a dict keeps its number in all frames. What does not change from
    frame to frame is stored once.

    The file appears when it is complete: nothing is left after an error or Ctrl-C. Points that are
    NaN or infinite are stored; `run` refuses them, or skips them.

    Errors: `ArgumentError` (a `ValueError`) or `TypeError`, which names the argument and the frame;
    `MemoryLimitError` where the disk is full; `ImpingeError` where the file cannot be written.
    """
    given = dict(names=names, times=times, corner_count=corner_count, force=force)
    write_batch(path, positions, triangles, objects, **given)


def write_batch(
    path: Name,
    positions: Any,
    triangles: Any,
    objects: Any,
    names: Any,
    times: Iterable[float] | None,
    corner_count: Any,
    force: bool = False,
    durable: bool = True,
) -> None:
    """`write`; durable: the file is to outlive a failure of power."""
    if not isinstance(path, (str, os.PathLike)):
        what = f"path: {type(path).__name__}, not the path of a file, which comes first: write(path, positions, ...)"
        raise TypeError(what)
    out = os.fspath(path)
    claim(out, force)
    _check_source(out, positions)
    check_ending(out)
    named = _names(names)
    if isinstance(positions, (Batch, Frame)):
        if triangles is None:
            named = named or positions.names or {}
    elif names is not None and not isinstance(names, Mapping):
        check_names(names_of(names), objects)
    frames = _frames(positions, triangles, objects, corner_count, bool(named))
    with replacing(out, durable) as part:
        _fill(out, part, frames, _Times(times, positions), named)


def _fill(out: str, part: str, frames: Iterator[_Given], times: _Times, named: dict) -> None:
    with disk(out):
        store = Store(part)
    try:
        for given in frames:
            time = times.next(given.time)
            with disk(out):
                store.add([given.mesh], time, given.source)
        times.end()
        with disk(out):
            store.close(named)
    finally:
        store.abandon()


def _check_source(out: str, positions: Any) -> None:
    if positions is None:
        raise ArgumentError("positions: None, not an array (n, 3) or (f, n, 3), or meshes")
    if isinstance(positions, (str, os.PathLike)):
        what = f"positions: {os.fspath(positions)!r} is a path; impinge.convert makes a batch of files"
        raise ArgumentError(what)
    if isinstance(positions, Result):
        raise ArgumentError("positions: a result, not frames of a mesh")
    if isinstance(positions, Batch) and os.path.exists(out) and os.path.samefile(out, positions.path):
        raise ArgumentError(f"path: {out}: this is what is read; it is not replaced")


# ---- frames


class _Given(NamedTuple):
    mesh: Mesh
    time: float | None = None
    source: str = ""


def _frames(
    positions: Any, triangles: Any, objects: Any, corner_count: Any, named: bool
) -> Iterator[_Given]:
    if triangles is not None:
        return _of_points(positions, triangles, objects, corner_count)
    if hasattr(positions, "ndim"):
        raise ArgumentError("triangles: missing; positions alone are no mesh")
    if _is_one(positions):
        return _of_meshes([positions], objects, corner_count, named, False)
    sources = positions.sources if isinstance(positions, Batch) else []
    return _of_meshes(_each(positions), objects, corner_count, named, True, sources)


def _is_one(value: Any) -> bool:
    """A mesh, or several by their names; not a tuple of two frames."""
    if isinstance(value, tuple) and any(map(is_mesh, value)):
        return False
    return is_mesh(value)


def _of_points(
    positions: Any, triangles: Any, objects: Any, corner_count: Any
) -> Iterator[_Given]:
    """Frames of one topology."""
    several, each = _each_points(positions)
    mesh: Mesh | None = None
    for k, points in enumerate(each):
        with _in_frame(k, several):
            at = points_of(points, "positions")
            if mesh is None:
                mesh = _mesh(at, triangles, objects, corner_count)
            elif len(at) != len(mesh.points):
                raise ArgumentError(f"positions: {len(at)} points, not {len(mesh.points)}")
            mesh = mesh._replace(points=at)
        yield _Given(mesh)


def _each_points(positions: Any) -> tuple[bool, Iterable[Any]]:
    """Whether they are several frames, and these."""
    count = getattr(positions, "ndim", None)
    if count == 3:
        return True, (positions[k] for k in range(len(positions)))
    if count is not None:
        return False, [positions]
    if isinstance(positions, (list, tuple)) and len(positions) and np.ndim(positions[0]) == 1:
        return False, [positions]
    return True, _each(positions)


def _each(positions: Any) -> Iterator[Any]:
    try:
        return iter(positions)
    except TypeError:
        what = f"positions: {type(positions).__name__}, neither an array, a mesh nor an iterable of them"
        raise ArgumentError(what) from None


def _of_meshes(
    meshes: Iterable[Any],
    objects: Any,
    corner_count: Any,
    named: bool,
    several: bool,
    sources: list[str] | None = None,
) -> Iterator[_Given]:
    """Frames with a mesh each."""
    ids: bool | None = None
    for k, given in enumerate(meshes):
        with _in_frame(k, several):
            if isinstance(given, Frame):
                mesh = _of_frame(given, objects, corner_count)
            else:
                mesh = _of_mesh(given, objects, corner_count, named)
            has = "PrimitiveId" in mesh.arrays
            if ids not in (None, has):
                raise ArgumentError("positions: ids are in some frames only")
            ids = has
        time = given.time if isinstance(given, Frame) else None
        yield _Given(mesh, time, sources[k] if sources else "")


def _of_frame(frame: Frame, objects: Any, corner_count: Any) -> Mesh:
    """As it was read; its corners are counted already."""
    if objects is not None or corner_count is not None:
        name = "corner_count" if objects is None else "objects"
        raise ArgumentError(f"{name}: frames of a batch have their own")
    triangles, counts = frame.triangles, frame.corner_count
    if counts is None:
        counts = np.full(len(triangles), triangles.shape[1])
    mesh = _mesh(points_of(frame.points), triangles, frame.objects, counts)
    count = len(mesh.types)
    if frame.ids is not None:
        mesh = mesh._replace(arrays={"PrimitiveId": column_of(frame.ids, count, np.int64, "ids")})
    if frame.source_ids is not None:
        mesh = mesh._replace(ids=column_of(frame.source_ids, count, np.int64, "source_ids"))
    return mesh


def _of_mesh(given: Any, objects: Any, corner_count: Any, named: bool) -> Mesh:
    if isinstance(given, tuple) and len(given) == 2 and corner_count is not None:
        return _mesh(points_of(given[0]), given[1], objects, corner_count)
    points, triangles, of, counts, names = mesh_of(given, "positions")
    if names and named:
        raise ArgumentError("names: the meshes have names of their own")
    if of is not None and objects is not None:
        raise ArgumentError("objects: the meshes are objects of their own")
    if counts is not None and corner_count is not None:
        raise ArgumentError("corner_count: the meshes have it")
    if counts is None and corner_count is None:
        counts = np.full(len(triangles), triangles.shape[1])
    mesh = _mesh(points, triangles, objects, corner_count if counts is None else counts)
    if of is None or names is None:
        return mesh
    return mesh._replace(objects=of, names=list(names.values()))


def _mesh(points: np.ndarray, triangles: Any, objects: Any, corner_count: Any) -> Mesh:
    """Checked: every primitive has 3 or 4 corners, which are vertices."""
    rows = rows_of(triangles, "triangles", corner_count is not None)
    count, most = rows.shape
    if most < 3:
        what = f"triangles: shape {rows.shape}, not (m, 3) for triangles or (m, 4) for tetrahedra"
        raise ArgumentError(what)
    if count >= 2**31:
        raise ArgumentError(f"triangles: {count} are too many, 2^31 - 1 are possible")
    counts = np.full(count, most, np.uint8)
    if corner_count is not None:
        counts = column_of(corner_count, count, np.uint8, "corner_count")
        bad = np.flatnonzero((counts < 3) | (counts > most))
        if len(bad):
            what = f"corner_count: {counts[bad[0]]} at position {bad[0]} is not 3 to {most}"
            raise ArgumentError(what)
    used = np.arange(most) < counts[:, None]
    wrong = np.argwhere(((rows < 0) | (rows >= len(points))) & used)
    if len(wrong):
        row, column = wrong[0].tolist()
        what = f"triangles: there is no vertex {rows[row, column]}, in row {row}"
        raise ArgumentError(f"{what}; there are {len(points)}")
    corners = rows[used].astype(np.int64)
    types = np.where(counts == 4, TETRAHEDRON, TRIANGLE).astype(np.uint8)
    of, numbers = _numbered(objects_of(objects, count), count)
    return Mesh(points, types, np.cumsum(counts, dtype=np.int64), corners, of, numbers, 0, None)


def _numbered(objects: np.ndarray | None, count: int) -> tuple[np.ndarray, list]:
    """Rows of the list of objects, and that list."""
    if objects is None:
        return np.zeros(count, np.int32), [""]
    numbers, rows = np.unique(objects, return_inverse=True)
    return rows.ravel(), numbers.tolist()


@contextlib.contextmanager
def _in_frame(k: int, several: bool) -> Iterator[None]:
    """Errors name the frame, where there are several."""
    try:
        yield
    except (ValueError, TypeError) as what:
        if not several:
            raise
        kind = TypeError if isinstance(what, TypeError) else ArgumentError
        raise kind(f"frame {k}: {what}") from what


# ---- names and times


def _names(names: Any) -> dict[int, str]:
    """By number, without those that are empty."""
    made = names_of(names)
    for number, name in made.items():
        if not -(2**31) <= number < 2**31:
            raise ArgumentError(f"names: {number} is not in the range of int32")
        if "\0" in name:
            raise ArgumentError(f"names: {name!r}, of object {number}, has a NUL")
    return {number: name for number, name in made.items() if name}


class _Times:
    """Of frames, one after another."""

    def __init__(self, times: Any, positions: Any):
        if isinstance(times, (str, bytes)):
            raise ArgumentError(f"times: {times!r} is a text, not a list of numbers")
        try:
            self._given = None if times is None else iter(times)
        except TypeError:
            raise ArgumentError(f"times: {times!r} is not a list of numbers") from None
        self._count, self._last = 0, -math.inf
        if getattr(positions, "ndim", 0) == 3 and hasattr(times, "__len__"):
            if len(times) != len(positions):
                raise ArgumentError(f"times: {len(times)}, but there are {len(positions)} frames")

    def next(self, own: float | None) -> float:
        """Of the next frame. own: that it has itself."""
        k, none = self._count, object()
        given: Any = (k if own is None else own) if self._given is None else next(self._given, none)
        if given is none:
            raise ArgumentError(f"times: {k}, but there are more frames")
        try:
            time = float(given)
        except (TypeError, ValueError):
            raise ArgumentError(f"times: {given!r}, of frame {k}, is not a number") from None
        if not math.isfinite(time):
            raise ArgumentError(f"times: {time}, of frame {k}, is not finite")
        if time <= self._last:
            raise ArgumentError(f"times: {time:.17g}, of frame {k}, is not after {self._last:.17g}")
        self._count, self._last = k + 1, time
        return time

    def end(self) -> None:
        """After the last frame."""
        if not self._count:
            raise ArgumentError("positions: there is no frame")
        none = object()
        if self._given is not None and next(self._given, none) is not none:
            raise ArgumentError(f"times: more than there are frames, {self._count}")
