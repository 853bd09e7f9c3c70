"""What is inside closed objects: vertices of a frame, or any points."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ._arrays import Mesh, frame_set, pointer, points_of, unmasked
from ._library import ArgumentError, InputError, NotClosedError, ffi, lib, tell
from ._meshes import Given, arguments_of, is_mesh
from ._names import check_option, object_number
from ._options import numbers_of
from ._weld import say, unwelded
from .pipeline import Pipeline, _pipeline

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from ._options import Options
    from ._words import Device

_OUT = {  # the members of imp_inside_points: type in C and here, and shape for each point
    "winding": ("int32_t *", np.int32, ()),
    "inside": ("uint8_t *", np.bool_, ()),
    "touching": ("uint8_t *", np.bool_, ()),
    "depth": ("double *", np.float64, ()),
    "face": ("uint32_t *", np.int32, ()),
    "barycentric": ("double *", np.float64, (4,)),
    "normal": ("double *", np.float64, (3,)),
    "nearest": ("double *", np.float64, (3,)),
}
_SHOWN = 8  # objects in a message
# what the library says of an open edge
_OPEN_EDGE = re.compile(r"not closed: the directed uses of the edge of vertices (\d+ and \d+) do not cancel")
_SHARED, _ALIGN = 16 << 20, 64  # bytes: a block of arrays, at most; where each begins
_OPTIONS = ("inside_open", "inside_winding", "on_bad", "threads", "mem_limit", "weld")


class Winding(NamedTuple):
    """How a closed object winds around points, exactly."""

    winding: np.ndarray  #: (n,) int32, the winding number; 0 where it touches
    touching: np.ndarray  #: (n,) bool, on the surface
    inside: np.ndarray  #: (n,) bool, by `inside_winding`; not where it touches


class Depth(NamedTuple):
    """How deep points are inside a closed object. Of points that are not inside, `face` is -1 and all
    else 0."""

    depth: np.ndarray  #: (n,) float64, the exact distance to the nearest face, rounded down
    face: np.ndarray  #: (n,) int32, the primitive with that face; -1: not inside
    barycentric: np.ndarray  #: (n, 4) float64, weights of its corners; of a triangle the last is 0
    normal: np.ndarray  #: (n, 3) float64, of length 1, leaves the object at the nearest point
    nearest: np.ndarray  #: (n, 3) float64, the nearest point


# The pipelines of all Solids. Python finalizes the objects of a cycle of references in any order,
# and one that is held from without is none of them.
_held: dict = {}


class Solids:
    """The closed objects of a mesh, made ready once for any number of queries by points: `inside`,
    `winding`, `depth`. Used by one thread at a time: others wait.

    points: (n, 3) float64 or float32, x y z of each vertex.
    triangles: (m, 3) integers, vertex numbers of each triangle; (m, 4): of tetrahedra.
    objects: (m,) integers, the object of each primitive; None: all are of one, which must be closed.
    names: of objects. Instead of points and triangles a mesh, or a dict of meshes, as for
        `impinge.contacts`.
    closed: the numbers or names of the objects that count; they must be closed. None: all that are.
    weld: as for `impinge.contacts`: 0 joins triangles that do not share vertices, as of STL.
    corner_count, threads, mem_limit, on_bad, inside_open, inside_winding: see `impinge.inside`.

    An object is closed if it has triangles and tetrahedra only and each edge of its triangles is used as
    often in one direction as in the other, by the numbers of its vertices. It may overlap itself, be
    non-manifold, and have several shells. An object that is not closed is an `InputError` that is a
    `ValueError` too, and names its first open edge.
    """

    _s = ffi.NULL  # imp_solids *

    def __init__(
        self,
        points: Any,
        triangles: Any = None,
        objects: Any = None,
        *,
        closed: Any = None,
        corner_count: Any = None,
        weld: float | None = None,
        names: Any = None,
        **options: Unpack[Options],
    ):
        at, mesh = arguments_of(points, triangles, objects, corner_count, names)
        given = _given(mesh, closed, dict(options, weld=weld))
        self._of(Pipeline(**given, update="rebuild"), at, mesh)

    def _of(self, pipeline: Pipeline, at: np.ndarray, given: Given) -> Solids:
        """Makes it of the frame, in a pipeline which computes nothing else meanwhile."""
        self._pipeline, self.names = pipeline, given.names
        mesh = Mesh(at, *given[:3], None, given.names, given.firsts)
        self._empty = mesh.c.primitives == 0
        if pipeline._weld is not None:
            say(mesh.weld([at], pipeline._weld).welding)
        frame, out = ffi.new("imp_frame *"), ffi.new("imp_solids **")
        frame_set(frame, mesh, at, 0)
        with pipeline._lock:
            try:
                pipeline._call(lib.rows_solids_create, pipeline._p, frame, out)
            except InputError as what:
                mesh.explain(what)
                raise _not_closed(what, pipeline, frame, mesh) from None
        self._s = out[0]
        _held[id(self)] = pipeline._p
        self.closed = self._closed()
        return self

    def _closed(self) -> np.ndarray:
        count = ffi.new("size_t *")
        first = lib.imp_solids_objects(self._s, count)
        found = ffi.unpack(first, count[0]) if count[0] else []
        return np.array(found, np.int32)

    def inside(self, queries: Any, object: int | str | None = None) -> np.ndarray:
        """(n,) bool: which points, (n, 3), are inside this object of `closed`, by number or name; None:
        its only one. A point on the surface is not."""
        return self._ask(queries, object, ("inside",))[0]

    def winding(self, queries: Any, object: int | str | None = None) -> Winding:
        """The winding numbers about points, (n, 3), and which points touch; else as `inside`."""
        return Winding(*self._ask(queries, object, Winding._fields))

    def depth(self, queries: Any, object: int | str | None = None) -> Depth:
        """How deep points, (n, 3), are inside, and the nearest face; else as `inside`."""
        return Depth(*self._ask(queries, object, Depth._fields))

    def _ask(
        self, queries: Any, which: int | str | None, members: tuple[str, ...]
    ) -> list[np.ndarray]:
        at = points_of(queries, "queries").astype(np.float64, copy=False)
        if self._empty:  # nothing is inside nothing
            return [_nothing(name, len(at)) for name in members]
        asked, out = ffi.new("rows_points_of *"), _arrays(members, len(at))
        asked.object = self._object(which)
        asked.point, asked.count = pointer(at, "double *"), len(at)
        for name, array in zip(members, out):
            setattr(asked.out, name, pointer(array, _OUT[name][0]))
        pipeline = self._pipeline
        with pipeline._lock:
            if not self._s:
                raise ArgumentError("the solids are closed: close() was called")
            asked.solids = self._s
            if len(at):
                pipeline._call(lib.rows_solids_points, pipeline._p, asked)
        return out

    def _object(self, which: int | str | None) -> int:
        if which is not None:
            return object_number(which, self.names, "object")
        if len(self.closed) == 1:
            return int(self.closed[0])
        if not len(self.closed):
            raise ArgumentError("no object is closed; closed= names one, and tells what is open")
        shown = [self.names.get(number, str(number)) for number in self.closed[:_SHOWN].tolist()]
        some = ", ".join(shown) + ", ..." * (len(self.closed) > _SHOWN)
        raise ArgumentError(f"{len(self.closed)} objects are closed: {some}; closed= chooses one")

    def cancel(self) -> None:
        """Makes a running call, else the next one, raise `Cancelled` soon. For other threads."""
        self._pipeline.cancel()

    def close(self) -> None:
        """Frees the memory. What was found stays."""
        with self._pipeline._lock:
            lib.imp_solids_destroy(self._s)
            self._s = ffi.NULL

    def __del__(self, destroy=lib.imp_solids_destroy, held=_held) -> None:
        """Before the pipeline goes, whose memory it has."""
        destroy(self._s)
        held.pop(id(self), None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_) -> None:
        self.close()


def _arrays(members: tuple[str, ...], count: int) -> list[np.ndarray]:
    """For the values of members, not set yet. They are parts of one block, which libc more likely
    has at hand than several: to get the pages of a MiB from the system may take longer than all
    else. Not if that is much memory, for one array would hold all of it."""
    types = [np.dtype((of[1], of[2])) for of in map(_OUT.__getitem__, members)]
    room = [-(-count * of.itemsize // _ALIGN) * _ALIGN for of in types]
    if len(members) == 1 or sum(room) > _SHARED:
        return [np.empty(count, of) for of in types]
    block, out = np.empty(sum(room), np.uint8), []
    for of, size in zip(types, room):
        out.append(block[: count * of.itemsize].view(of.base).reshape(count, *of.shape))
        block = block[size:]
    return out


def _nothing(name: str, count: int) -> np.ndarray:
    """A member's values for points that are not inside."""
    _, dtype, shape = _OUT[name]
    return np.full((count, *shape), -1 if name == "face" else 0, dtype)


def _not_closed(what: InputError, pipeline: Pipeline, frame: Any, mesh: Mesh) -> NotClosedError:
    said = _OPEN_EDGE.sub(r"not closed at the edge of vertices \1: that is not used as often in one "
                          r"direction as in the other", str(what))
    if pipeline._weld is None and unwelded(frame, mesh.c.primitives):
        said += "; neighbours share no vertex: weld=0 joins them"
    made = NotClosedError(said)
    made.code = what.code
    return made


def _numbers(mesh: Given, closed: Any) -> list[int]:
    """The objects of `closed`, which must be there."""
    numbers = np.atleast_1d(unmasked(numbers_of(closed, mesh.names, "closed"), "closed"))
    objects = mesh.objects
    there = (
        np.zeros(min(len(mesh.triangles), 1), int) if objects is None else unmasked(objects, "objects")
    )
    missing = numbers[~np.isin(numbers, there)].tolist()
    if missing:
        raise ArgumentError(f"closed: there is no primitive of object {missing[0]}")
    return numbers.tolist()


def _given(mesh: Given, closed: Any, options: dict[str, Any]) -> dict[str, Any]:
    """The options of a pipeline. A mesh of one object is to be closed."""
    for name in options:
        check_option(name, _OPTIONS, "points have no option")
    only = [0] if mesh.objects is None else True
    inside = only if closed is None else _numbers(mesh, closed)
    return dict(options, inside=inside, rows="contacts", device="cpu")


def _asked(points: Any, triangles: Any, queries: Any) -> tuple[Any, Any, Any]:
    """Points, triangles and queries; of (mesh, queries) the second one is that."""
    if triangles is not None and queries is None and is_mesh(points):
        return points, None, triangles
    return points, triangles, queries


@contextmanager
def _solids(at: np.ndarray, mesh: Given, closed: Any, options: dict[str, Any]) -> Iterator[Solids]:
    """For one call, in a pipeline that is kept for the next one."""
    given = _given(mesh, closed, options)
    with _pipeline(mesh, given, frames=False) as pipeline:
        made = Solids.__new__(Solids)
        with made._of(pipeline, at, mesh):
            yield made


def inside(
    points: Any,
    triangles: Any = None,
    queries: Any = None,
    objects: Any = None,
    *,
    closed: Any = None,
    device: Device = "auto",
    corner_count: Any = None,
    weld: float | None = None,
    names: Any = None,
    allowed: Any = None,
    **options: Unpack[Options],
) -> Any:
    """What is inside a closed surface, exactly.

    With `queries`, (n, 3) points, finite: (n,) bool, which of them are inside the mesh, as
    `trimesh.Trimesh.contains` tells it. A point on the surface is not inside; `impinge.winding` tells
    it from one outside. `impinge.depth` tells how deep it is, `impinge.Solids` asks a mesh again.

    Without: `Contacts` of one frame, with a row for each vertex of one object that is inside another,
    closed one: `vertex`, `a`, `b` (its nearest face), `ends` (the vertex and the nearest point),
    `winding`, `barycentric`, `normal` and `depth`; and `relations` and `swallowed`: how objects stand to
    each other. Vertices on a surface have no row, but count in the relation.

    points: (n, 3) float64 or float32, x y z of each vertex.
    triangles: (m, 3) integers, vertex numbers of each triangle; (m, 4): of tetrahedra, which are solids.
    objects: (m,) integers, the object of each primitive; None: all are of one, which must be closed.
    names, allowed: as for `contacts`. Instead of points and triangles a mesh, or a dict of meshes, as there:
        inside(mesh, queries), inside({"arm": mesh, "base": other}).
    closed: the numbers or names of the objects that count as solids. None: all that are closed. With
        `queries` it must be one.

    An object is closed if it has triangles and tetrahedra only, and each edge of its triangles is used as
    often in one direction as in the other, by the numbers of its vertices: weld=0 joins triangles that
    share none. It may overlap itself, be non-manifold, and have several shells. The winding number counts
    how often it goes around a point; it is an integer.

    inside_open: "error": an object in `closed` that is open is an `InputError`, with `queries` also a
        `ValueError`, that names its first open edge; "skip": it does not count.
    inside_winding: "nonzero": where the winding number is not 0, "positive": above 0: what an inverted
        shell, whose triangles face inwards, encloses is outside.

    The lengths are in the unit of the points. Other arguments as for `contacts`.
    """
    points, triangles, queries = _asked(points, triangles, queries)
    at, mesh = arguments_of(points, triangles, objects, corner_count, names)
    if queries is None and mesh.objects is None:
        raise ArgumentError("queries are missing: there is only one object, and no point to be inside it")
    if queries is not None:
        if device not in ("auto", "cpu"):
            raise ArgumentError(f"device: {device!r}: the host, 'cpu', answers queries")
        if allowed is not None:
            raise ArgumentError("allowed: not with queries, which are points")
        with _solids(at, mesh, closed, dict(options, weld=weld)) as solids:
            return solids.inside(queries)
    which = True if closed is None else _numbers(mesh, closed)
    given = dict(options, inside=which, pairs="between", device=device, weld=weld, allowed=allowed)
    with _pipeline(mesh, given) as pipeline:
        found = pipeline._contacts(at, mesh)
    there = np.unique(np.asarray(mesh.objects))
    if closed is None and found.info["closed"] < len(there):
        own = {name: value for name, value in options.items() if name in _OPTIONS}
        with _solids(at, mesh, None, dict(own, weld=weld)) as solids:
            _tell_open(mesh, there, solids.closed)
    return found


def _tell_open(mesh: Given, there: np.ndarray, closed: np.ndarray) -> None:
    """That objects are no solids, as they are open; and which."""
    some = there[~np.isin(there, closed)].tolist()
    count = len(some)
    shown = ", ".join(mesh.names.get(one, str(one)) for one in some[:_SHOWN]) + ", ..." * (len(some) > _SHOWN)
    of = f"all {count} objects are" if count == len(there) else f"{count} of {len(there)} objects {_are(count)}"
    tell(f"{of} not closed, and so nothing is found inside: {shown}; closed= says which edge is open")


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def winding(
    points: Any,
    triangles: Any = None,
    queries: Any = None,
    objects: Any = None,
    *,
    closed: Any = None,
    corner_count: Any = None,
    weld: float | None = None,
    names: Any = None,
    **options: Unpack[Options],
) -> Winding:
    """The winding number of a closed mesh about each point, exactly, and whether the point touches the
    surface or is inside. Arguments as for `inside` with `queries`."""
    points, triangles, queries = _asked(points, triangles, queries)
    if queries is None:
        raise TypeError("winding() needs queries")
    frame = arguments_of(points, triangles, objects, corner_count, names)
    with _solids(*frame, closed, dict(options, weld=weld)) as solids:
        return solids.winding(queries)


def depth(
    points: Any,
    triangles: Any = None,
    queries: Any = None,
    objects: Any = None,
    *,
    closed: Any = None,
    corner_count: Any = None,
    weld: float | None = None,
    names: Any = None,
    **options: Unpack[Options],
) -> Depth:
    """How deep each point is inside a closed mesh: its exact distance, rounded down, to the nearest face
    whose two sides differ in being inside; and that face, the nearest point and the direction that
    leaves the mesh there. Arguments as for `inside` with `queries`."""
    points, triangles, queries = _asked(points, triangles, queries)
    if queries is None:
        raise TypeError("depth() needs queries")
    frame = arguments_of(points, triangles, objects, corner_count, names)
    with _solids(*frame, closed, dict(options, weld=weld)) as solids:
        return solids.depth(queries)
