"""Contacts of frames in memory."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from ._arrays import Mesh, Rules, frame_set
from ._contacts import Contacts, take
from ._contours import Contours, contours_of
from ._flat import tell_flat
from ._library import (
    ArgumentError,
    ImpingeError,
    as_dict,
    check,
    check_fork,
    ffi,
    in_main_thread,
    lib,
    tell,
    text,
    warn,
)
from ._meshes import Given, arguments_of
from ._names import check_names
from ._options import CHOOSE, Selection, check_known, definition, same_options
from ._regions import Regions, regions_of
from ._stream import blocks_of, check_distinct, check_goes_on, held, step_of
from ._thickness import thickness_of
from ._times import Clock, step_times
from ._weld import say, say_unwelded, tolerance_of

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from ._options import NearOptions, Options
    from ._words import Adjacent, Device, NearRows, Pairs, Update


class _Engine:
    """What pipelines and models share: options, one call at a time, the numbers of the device."""

    def __init__(self, options: dict[str, Any], names: dict[int, str] | None = None):
        self._p = ffi.NULL  # first, so that it goes before what it uses
        self._lock = threading.Lock()  # a call
        self._alive = threading.Lock()  # cancel, which does not wait for a call
        self._notes = ffi.new("rows_notes *")
        self._how = ffi.new("rows_call *")
        self._options = dict(options)
        self._selection = Selection(self._options)
        # objects that are given by names which only meshes have
        self._pending = self._selection.named and names is None
        self._define(self._selection.unknown() if self._pending else self._selection.options(names or {}))

    def _define(self, chosen: dict[str, Any]) -> None:
        self._chosen = chosen
        given = dict(self._options, **chosen)
        self._def, self._keep = definition(self._notes, self._how, given)

    def _create(self, function, *arguments) -> None:
        """Makes the pipeline or model, which is the last argument."""
        check_fork(self._def.threads)
        code = function(self._def, *arguments)
        warn(self._notes)
        check(code)

    def _call(self, function, *arguments) -> None:
        """A call that Ctrl-C ends; other threads run during it."""
        if not self._p:
            raise ArgumentError(f"the {type(self).__name__.lower()} is closed")
        check_fork(self._def.threads)
        self._how.ends = in_main_thread()
        code = function(*arguments, self._how)
        warn(self._notes)
        check(code)

    def _collect(self, count: int, function, *arguments) -> list[Contacts]:
        """The contacts of `count` frames that a function hands to rows."""
        rows, info = ffi.new("rows[]", count), ffi.new("imp_frame_info[]", count)
        try:
            self._call(function, *arguments, rows, info)
            return [take(rows[i], as_dict(ffi.addressof(info, i)), self._def) for i in range(count)]
        finally:
            lib.rows_free(rows, count)

    def cancel(self) -> None:
        """Makes a running call, else the next one, raise `Cancelled` soon. For other threads."""
        with self._alive:
            if self._p:
                lib.imp_cancel(self._p)

    @property
    def device(self) -> str:
        """ "cpu", or the platform and the name of the OpenCL device."""
        with self._lock:
            return text(lib.imp_device_name(self._p)) if self._p else ""

    @property
    def broad(self) -> str:
        """The broad method of the last block, before that the one in the options."""
        with self._lock:
            return text(lib.imp_broad_name(self._p)) if self._p else ""

    @property
    def profile(self) -> dict:
        """Sums since the beginning: the members of imp_profile; times in seconds. Frames whose primitives
        were kept (see `update` of `Pipeline`) count as all others."""
        return as_dict(self._sums())

    def _sums(self):
        """imp_profile *"""
        made = ffi.new("imp_profile *")
        with self._lock:
            if self._p:
                lib.imp_profile_get(self._p, made)
        return made

    def close(self) -> None:
        """Frees the device. What was found stays."""
        with self._lock, self._alive:
            self._free()
            self._p = ffi.NULL

    def _free(self) -> None:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_) -> None:
        self.close()


class Pipeline(_Engine):
    """A device that is made ready once, for any number of frames. Used by one thread at a time:
    others wait. Several pipelines are independent.

    update: from a frame to the next with the same triangles "rebuild" computes everything again,
        "keep" keeps what did not change, "auto" does what should be faster. Results are the same
        bits. So the same frame again takes a fraction of the time (a twentieth, say): to measure speed
        give frames that differ, or update="rebuild". `info["kept"]` of contacts, which their repr shows,
        is the number of primitives that were not computed again.
    continuous: contacts between each frame and the next, with `toi`.
    distance: pairs at most so far apart, instead of contacts: `contacts` and `frames` return what
        `impinge.near` does. Likewise thickness: a number, or one for each primitive of every frame.
    inside: True, or the numbers of closed objects: vertices inside these, with relations, instead of
        contacts: what `impinge.inside` returns.
    weld: as for `impinge.contacts`, by the frame with which triangles come first. Where vertices
        that were one are apart in a later frame (more than `weld`), they are found anew.
    allowed: as for `impinge.contacts`. Names are those of the meshes, or beside the objects, of each call;
        where they have other numbers than before, the device is opened anew.

    The same meshes again, moved, have the same triangles, also where a call makes new arrays of them.

    Other options: `help(impinge.Options)`.
    """

    def __init__(
        self,
        update: Update = "auto",
        adjacent: Adjacent = "skip",
        pairs: Pairs = "all",
        device: Device = "auto",
        continuous: bool = False,
        weld: float | None = None,
        allowed: Any = None,
        **options: Unpack[Options],
    ):
        self._weld, self._told = tolerance_of(weld), False
        all_options = dict(
            options,
            update=update,
            adjacent=adjacent,
            pairs=pairs,
            device=device,
            continuous=continuous,
            allowed=allowed,
        )
        given = options.get("thickness")
        self._thickness = None if given is None else thickness_of(given)
        super().__init__(all_options)
        self._mesh: Mesh | None = None
        self._given: Given | None = None  # the mesh, as it was given
        self._alone = False  # it is for one call
        self._open()

    def _open(self) -> None:
        out = ffi.new("imp **")
        self._create(lib.rows_create, out)
        self._p = ffi.gc(out[0], lib.imp_destroy)

    def _choose(self, names: dict[int, str]) -> None:
        """Finds the objects that were given by names. Where these have other numbers than before, the
        library's pipeline is made anew."""
        if not self._pending or not self._p:
            return
        chosen = self._selection.options(names)
        if not same_options(chosen, self._chosen):
            with self._alive:
                self._free()
                self._p = ffi.NULL
                self._mesh = self._given = None
                self._define(chosen)
                self._open()

    def _free(self) -> None:
        if self._p:
            ffi.release(self._p)

    def forget(self) -> None:
        """Nothing is kept for the next frame, even if its triangles are the same."""
        with self._lock:
            self._mesh, self._given, self._told = None, None, False
            if self._p:
                lib.imp_forget(self._p)

    def _made(self, mesh: Mesh, frames: Sequence[np.ndarray]) -> Mesh:
        """The mesh as these frames have it: welded; or a warning if it had better be."""
        self._check_rules(mesh)
        if self._weld is not None:
            say(mesh.weld(frames, self._weld).welding)
            return mesh
        if not self._told and self._def.pairs != lib.IMP_PAIRS_BETWEEN:
            frame = ffi.new("imp_frame *")
            frame_set(frame, mesh, frames[0], 0)
            self._told = say_unwelded(frame, mesh.c.primitives)
        return mesh

    def _check_rules(self, mesh: Mesh) -> None:
        """Raises where the rules leave no pair of objects to test. Objects of a simulation come and
        go: a pipeline only warns where they are given."""
        rules, given = Rules(self._def), mesh.object is not None
        rules.add(mesh.object, mesh.c.primitives)
        try:
            rules.check(given)
        except ArgumentError as what:
            if self._alone or not given:
                raise
            tell(str(what))
        missing = [number for number in rules.missing() if number not in (mesh.names or {})]
        if missing:
            some = ", ".join(map(str, missing[:8])) + (", ..." if len(missing) > 8 else "")
            tell(f"{self._selection.word}: there is no primitive of object {some}")

    def _new_mesh(self, points: np.ndarray, given: Given) -> Mesh:
        mesh = Mesh(points, *given[:3], self._thickness, given.names, given.firsts)
        several = mesh.object if given.firsts is not None else None
        tell_flat(points, mesh.corner, mesh.corner_count, given.names, several)
        return mesh if self._alone else mesh.note()

    def _mesh_of(self, frames: Sequence[np.ndarray], given: Given) -> Mesh:
        self._choose(given.names)
        if given.own and self._given and self._given.is_same(given):
            given = self._given
        mesh = self._mesh
        if mesh and mesh.is_of(frames[0], *given[:3]) and mesh.holds(frames):
            return mesh.name(given.names)
        made = self._made(self._new_mesh(frames[0], given), frames)
        if self._p:
            lib.imp_forget(self._p)  # another mesh may get the same address
        self._mesh, self._given = made, given
        return made

    def _detect(self, mesh: Mesh, frames: Sequence[np.ndarray], number: int) -> list[Contacts]:
        """The contacts of these frames, or of the steps between them."""
        c = ffi.new("imp_frame[]", len(frames))
        for i, points in enumerate(frames):
            frame_set(c[i], mesh, points, number + i)
        try:
            found = self._collect(len(frames), lib.rows_detect, self._p, c, len(frames))
        except ImpingeError as what:
            mesh.explain(what)
            raise
        joined = mesh.welding.map if mesh.welding else None
        for one in found:
            one._joined, one._objects = joined, mesh.about
        if any(one.bad and one.bad == mesh.c.primitives for one in found):
            tell("all primitives are left out: each has a vertex that is NaN or infinite")
        return found[: len(frames) - 1] if self._def.continuous else found

    def contacts(
        self,
        points: Any,
        triangles: Any = None,
        objects: Any = None,
        corner_count: Any = None,
        *,
        names: Any = None,
    ) -> Contacts:
        """The contacts of one frame; arguments as for `impinge.contacts`."""
        return self._contacts(*arguments_of(points, triangles, objects, corner_count, names))

    def _contacts(self, at: np.ndarray, given: Given) -> Contacts:
        if self._def.continuous:
            raise ArgumentError("with continuous=True use between or frames")
        with self._lock:
            return self._detect(self._mesh_of([at], given), [at], 0)[0]

    def between(
        self,
        points0: Any,
        points1: Any,
        triangles: Any = None,
        objects: Any = None,
        corner_count: Any = None,
        *,
        names: Any = None,
        times: Any = None,
    ) -> Contacts:
        """The contacts on the way from one frame to another, if `continuous`; arguments as for
        `impinge.between`."""
        both = step_of(points0, points1, triangles, objects, corner_count, names)
        return self._between(*both, step_times(times))

    def _between(
        self, at: np.ndarray, to: np.ndarray, given: Given, times: tuple[float, float]
    ) -> Contacts:
        if not self._def.continuous:
            raise ArgumentError("between needs a pipeline with continuous=True")
        with self._lock:
            found = self._detect(self._mesh_of([at, to], given), [at, to], 0)[0]
        found._times = times
        return found

    def frames(
        self,
        positions: Iterable[Any],
        triangles: Any = None,
        objects: Any = None,
        corner_count: Any = None,
        *,
        names: Any = None,
        times: Iterable[float] | None = None,
    ) -> Iterator[Contacts]:
        """The contacts of each frame of a simulation, one after another; with `continuous` of each
        step from a frame to the next.

        positions: any iterable of (n, 3) points, each of which is read when its turn comes and not
            after that; with `continuous` it must stay as it is until the next one has come.
            Frames of an array (f, n, 3) are computed in blocks. Without `triangles` any iterable of
            meshes, or of dicts of them, as for `impinge.contacts`; these may have other triangles in
            each frame, but not with `continuous`.
        triangles, objects, corner_count, names: as for `impinge.contacts`. They must not change meanwhile.
        times: a finite number for each frame; None: 0, 1, 2, ... They ascend. `info["time"]` is that of the frame,
            or of the first of both, `info["frame"]` its number, and `to_pandas()` has both;
            `Contacts.time` lies between those of both.
        """
        mesh: Mesh | None = None
        current: Given | None = None
        at = 0
        last: list[np.ndarray] = []
        clock = Clock(times, positions)
        for points, given in blocks_of(self, positions, (triangles, objects, corner_count, names)):
            while points:
                with self._lock:
                    self._choose(given.names)
                    if mesh is None or given is not current or not mesh.holds(points[:1]):
                        check_goes_on(last, current, given, at)
                        mesh = self._made(self._new_mesh(points[0], given), last + points[:1])
                        current = given
                    some = held(mesh, points)
                    self._use(mesh)
                    check_distinct(last, some)
                    first = at - len(last)
                    found = self._detect(mesh, last + some, first)
                    clock.tell(found, first, self._def.continuous)
                yield from found
                at += len(some)
                last = some[-1:] if self._def.continuous else []
                points = points[len(some) :]
        if self._def.continuous and at == 1:
            tell("positions: only one frame: there is no step to another one")

    def _use(self, mesh: Mesh) -> None:
        """Frames of another mesh may have come since."""
        if self._mesh is not mesh and self._p:
            lib.imp_forget(self._p)
        self._mesh, self._given = mesh, None

    def touches(
        self,
        points: Any,
        triangles: Any = None,
        objects: Any = None,
        corner_count: Any = None,
        *,
        names: Any = None,
    ) -> bool:
        """Whether there is any contact, or with `distance` any pair so near, soon after the first one
        is found; arguments as for `impinge.contacts`."""
        return self._touches(*arguments_of(points, triangles, objects, corner_count, names))

    def _touches(self, at: np.ndarray, given: Given) -> bool:
        with self._lock:
            mesh = self._mesh_of([at], given)
            frame, yes = ffi.new("imp_frame *"), ffi.new("int *")
            frame_set(frame, mesh, at, 0)
            try:
                self._call(lib.rows_touches, self._p, frame, yes)
            except ImpingeError as what:
                mesh.explain(what)
                raise
            return bool(yes[0])


def _options(given: Given, options: dict[str, Any]) -> dict[str, Any]:
    """Of a pipeline for one frame: little is expected, solids are tetrahedra, and names are known."""
    shape = np.shape(given.triangles)
    if given.listed:
        check_names(given.names, given.objects)
    made = dict(options, update="rebuild")
    if made.get("allowed", 0) is None:
        del made["allowed"]
    if not CHOOSE.keys().isdisjoint(made):
        made.update(Selection(made).arguments(given.names))
    made.setdefault("expect", max(len(given.triangles), 1))
    made.setdefault("solids", len(shape) == 2 and shape[1] == 4)
    return made


# To make a pipeline takes as long as a hundred thousand triangles, so the one of the last small
# call is kept, in each thread, if it holds little memory.
_SMALL, _LITTLE = 100_000, 64 << 20
_kept = threading.local()


@contextmanager
def _pipeline(mesh: Given, given: dict[str, Any], frames: bool = True) -> Iterator[Pipeline]:
    """A pipeline for one call with these options. frames=False: it computes no frame, so that meshes
    of any size may leave little memory in it."""
    options = _options(mesh, given)
    expect = options.pop("expect")
    small = not frames or (len(mesh.triangles) <= _SMALL and expect <= _SMALL)
    for word in options.keys() & CHOOSE.keys():
        small = small and np.size(options[word]) <= CHOOSE[word]
    thickness: Any = options.get("thickness")
    small = small and np.ndim(thickness) == 0
    key = repr(sorted(options.items())) if small else ""
    last, _kept.last = getattr(_kept, "last", None), None
    found = last[1] if last and last[0] == key and small else Pipeline(**options, expect=expect)
    found._alone = True
    yield found  # after an error it goes with its last user
    if small and found.device == "cpu" and found._sums().peak_bytes <= _LITTLE:
        found.forget()
        _kept.last = (key, found)


def contacts(
    points: Any,
    triangles: Any = None,
    objects: Any = None,
    adjacent: Adjacent = "skip",
    pairs: Pairs = "all",
    device: Device = "auto",
    corner_count: Any = None,
    weld: float | None = None,
    *,
    names: Any = None,
    allowed: Any = None,
    **options: Unpack[Options],
) -> Contacts:
    """Every pair of primitives that meet, exactly.

    points: (n, 3) float64 or float32, x y z of each vertex.
    triangles: (m, 3) integers, vertex numbers of each triangle; (m, 4): of tetrahedra.
    objects: (m,) integers, the object of each primitive; None: all are of one.
    names: of objects: a list of texts, one for each by their numbers, or a dict of number: name of some.

    Instead of points and triangles: a mesh of trimesh, PyVista or meshio, or the tuple (points,
    triangles); or a dict of name: mesh, a `trimesh.Scene` or a PyVista `MultiBlock`, of which each mesh
    is an object, numbered in order from 0, with its name. These share no vertex, so that their
    primitives are never neighbours; weld joins nothing of two of them. Faces of trimesh and PyVista must
    be triangles (`mesh.triangulate()`).

    allowed: pairs of objects that may touch, which are not tested: [("arm", "base"), (2, 3)], by names or
        numbers. Primitives within an object are tested, unless pairs="between".
    adjacent: "skip" leaves out pairs that share a vertex; "test" reports those that meet beyond it.
    contacts: "crossing" leaves out contacts that only touch (`Contacts.crossing`); "all" (default).
    pairs: "all", "self" (within objects) or "between" (objects).
    device: "auto", "cpu", "opencl", part of a device's name, or its number.
    corner_count: (m,) integers, with tetrahedra: 3 or 4 corners of each; the last of a triangle is ignored.
    weld: for triangles that do not share vertices with their neighbours, whose contacts are none.
        0: two triangles of an object that have an edge at the same points, in opposite direction,
        are neighbours, if no third one has it; so are two tetrahedra with a face in common. More:
        vertices of an object at most so far apart are one, in the unit of the points.

    Arrays that are contiguous are not copied if they are float64, float32; int32, uint32; objects
    int32. Other integers are checked and converted; other floats are a TypeError. Other options:
    `help(impinge.Options)`.
    """
    given = dict(options, adjacent=adjacent, pairs=pairs, device=device, weld=weld, allowed=allowed)
    at, mesh = arguments_of(points, triangles, objects, corner_count, names)
    with _pipeline(mesh, given) as pipeline:
        return pipeline._contacts(at, mesh)


_NONE: Any = object()  # None elsewhere asks for contacts


def near(
    points: Any,
    triangles: Any = None,
    objects: Any = None,
    *,
    distance: float = _NONE,
    thickness: Any = None,
    rows: NearRows = "primitives",
    pairs: Pairs = "all",
    device: Device = "auto",
    corner_count: Any = None,
    weld: float | None = None,
    names: Any = None,
    allowed: Any = None,
    **options: Unpack[NearOptions],
) -> Contacts:
    """Every pair of primitives that are at most `distance` apart, exactly; pairs that share a vertex
    are left out.

    rows: "features": instead, every pair of a vertex and a face and of two edges that share no vertex,
        each once; also pairs of a vertex without an edge and an edge without a face, and of two
        vertices without an edge. `a` and `b` are the first primitives of their objects that have the
        features.

    distance: finite, 0 or more, in the unit of the points; a pair at that distance is one, too. 0:
        pairs that meet. Anything else is an `ArgumentError`.
    thickness: instead of `distance`: a number for all primitives, or (m,) of each, finite and 0 or more.
        Pairs are at most half of the sum of their thicknesses apart, their contact distance; this is
        compared exactly. A feature has the thickness of the primitive that it belongs to.

    With `thickness` the result also has `penetration`, the contact distance minus the distance, and
    `relative`, that divided by the contact distance; and triangles of which an edge passes through
    the other have kind CROSSED. `impinge.parts` sums them up by objects.

    ring: pairs within so many edges along the mesh are left out: edges of all triangles, of whatever
        object, from a vertex of one to a vertex of the other. 0: pairs that share a vertex.

    Returns `Contacts` with `distance`, `barycentric_a`, `barycentric_b`, `normal`, `feature_a` and
    `feature_b`: `ends` are the nearest points, `kind` is VERTEX_FACE, EDGE_EDGE, VERTEX_EDGE or
    VERTEX_VERTEX. Of pairs that meet `kind` and `ends` are those of `contacts`, features are -1, and
    the other columns 0. Tetrahedra are solids: what is inside one has distance 0.

    Other arguments as for `contacts`.
    """
    for name in options:
        check_known(name)
    if distance is _NONE and thickness is None:
        raise TypeError("near() needs distance or thickness")
    if distance is None:
        raise ArgumentError("distance: None is not a distance")
    if distance is not _NONE and thickness is not None:
        raise ArgumentError("distance: not with thickness, which gives each pair one of its own")
    limit = {"thickness": thickness} if distance is _NONE else {"distance": distance}
    given = dict(options, **limit, rows=rows, pairs=pairs, device=device, weld=weld, allowed=allowed)
    at, mesh = arguments_of(points, triangles, objects, corner_count, names)
    with _pipeline(mesh, given) as pipeline:
        return pipeline._contacts(at, mesh)


# Options that make rows of another sort, or columns that contours and regions do not have.
_NO_CONTOURS = {
    *("continuous", "distance", "end_features", "inside", "inside_open", "inside_winding"),
    *("min_separation", "ring", "rows", "solids", "stage", "thickness", "tolerance", "update"),
}


def contours(
    points: Any,
    triangles: Any = None,
    objects: Any = None,
    *,
    adjacent: Adjacent = "skip",
    pairs: Pairs = "all",
    device: Device = "auto",
    corner_count: Any = None,
    weld: float | None = None,
    names: Any = None,
    allowed: Any = None,
    **options: Unpack[Options],
) -> Contours:
    """The curves along which triangles meet: the segments of their contacts, joined to polylines by the
    features that make their ends, without a tolerance.

    A contour is parted where other than two segments meet: at a border, at a vertex that two triangles
    share, and at a junction of three or more. Where triangles overlap in one plane, it is the border of
    the overlap. Contacts at one point have no contour, nor have those with tetrahedra, which an
    `ImpingeWarning` counts.

    Returns `Contours`: a sequence of `Contour`, each with `points` (n, 3) in order, `closed`, `length`
    and `objects`; and all of them as flat arrays: `pyvista.PolyData(c.points, lines=c.lines)` shows
    them, `c.to_pyvista()` with their columns. They are the same bits as in a file of
    `run --contours`, on every device. Lengths are in the unit of the points.

    Arguments as for `contacts`, without those options that ask for anything else than contacts, which
    are a TypeError. For contacts that a `Pipeline` has found: `Contacts.contours`.
    """
    given = dict(options, adjacent=adjacent, pairs=pairs, device=device, weld=weld, allowed=allowed)
    frame = arguments_of(points, triangles, objects, corner_count, names)
    return _of_contacts(contours_of, "contours", options, given, *frame)


def _of_contacts(
    of: Callable[..., Any], what: str, options: Any, given: dict[str, Any], at: np.ndarray, mesh: Given
) -> Any:
    """What `of` makes of the contacts of a frame. options: those to check; given: all of them."""
    for name in options:
        if name in _NO_CONTOURS:
            raise TypeError(f"{what} have no option {name!r}")
    given.update(end_features=True, solids=False)
    with _pipeline(mesh, given) as pipeline:
        found = pipeline._contacts(at, mesh)
        return of(found, at, pipeline._mesh)


def regions(
    points: Any,
    triangles: Any = None,
    objects: Any = None,
    *,
    adjacent: Adjacent = "skip",
    pairs: Pairs = "all",
    device: Device = "auto",
    corner_count: Any = None,
    weld: float | None = None,
    names: Any = None,
    allowed: Any = None,
    **options: Unpack[Options],
) -> Regions:
    """The parts into which contours cut the surfaces of objects: what is through the other object.

    Each surface is flooded without crossing its contours with one other object, or with itself. Of what
    lies on either side of them the side with the smaller area is listed, as connected parts, `Region`s,
    each with `faces`, the `share` of each face in it, `vertices`, `area`, and the number of `contours`
    that bound it. A contour that parts nothing, as an open one within a surface, bounds no region:
    `of_contour` and `partings` tell.

    Returns `Regions`: a sequence of `Region`, and all of them as flat arrays; `cells(len(triangles))`
    and `to_pyvista(points, triangles)` give the heat map of `run --regions`. They are the same bits as in
    that file, on every device.

    Arguments and errors as for `contours`. For contacts that a `Pipeline` has found: `Contacts.regions`.
    """
    given = dict(options, adjacent=adjacent, pairs=pairs, device=device, weld=weld, allowed=allowed)
    frame = arguments_of(points, triangles, objects, corner_count, names)
    return _of_contacts(regions_of, "regions", options, given, *frame)


def clearance(
    points: Any,
    triangles: Any = None,
    objects: Any = None,
    *,
    device: Device = "auto",
    corner_count: Any = None,
    weld: float | None = None,
    names: Any = None,
    allowed: Any = None,
    **options: Unpack[Options],
) -> Contacts:
    """The least distance of each two different objects, exactly, and where: one pair of primitives for
    each, that with the least (distance, a, b) of those that share no vertex. `object_pairs` chooses
    the pairs of objects.

    objects: (m,) integers, the object of each primitive; or a dict of meshes in place of the points.

    Returns `Contacts` with the columns of `near`. Other arguments as for `contacts`.
    """
    given = dict(options, rows="objects", device=device, weld=weld, allowed=allowed)
    at, mesh = arguments_of(points, triangles, objects, corner_count, names)
    if mesh.objects is None:
        raise ArgumentError("objects: there is only one; objects=, or a dict of meshes, tells them apart")
    if np.size(mesh.objects) and np.min(mesh.objects) == np.max(mesh.objects):
        number = int(np.min(mesh.objects))
        tell(f"there is only one object, {mesh.names.get(number, number)}, and so no distance of two")
    with _pipeline(mesh, given) as pipeline:
        return pipeline._contacts(at, mesh)


def touches(
    points: Any,
    triangles: Any = None,
    objects: Any = None,
    adjacent: Adjacent = "skip",
    pairs: Pairs = "all",
    device: Device = "auto",
    corner_count: Any = None,
    weld: float | None = None,
    *,
    names: Any = None,
    allowed: Any = None,
    **options: Unpack[Options],
) -> bool:
    """Whether any two primitives meet, or with `distance` are so near; arguments as for
    `contacts`."""
    given = dict(options, adjacent=adjacent, pairs=pairs, device=device, weld=weld, allowed=allowed)
    at, mesh = arguments_of(points, triangles, objects, corner_count, names)
    with _pipeline(mesh, given) as pipeline:
        return pipeline._touches(at, mesh)


def between(
    points0: Any,
    points1: Any,
    triangles: Any = None,
    objects: Any = None,
    adjacent: Adjacent = "skip",
    pairs: Pairs = "all",
    device: Device = "auto",
    corner_count: Any = None,
    weld: float | None = None,
    *,
    names: Any = None,
    allowed: Any = None,
    times: Any = None,
    **options: Unpack[Options],
) -> Contacts:
    """The first contact of every pair that meets while vertices move in straight lines.

    points0, points1: (n, 3), of one type: the vertices before and after the step; or two meshes, or two
        dicts of meshes, as for `contacts`, with the same triangles and names.
    min_separation: features as near as that meet; in the unit of the points. 0: that touch.
    times: two finite numbers, of the beginning and of the end of the step, between which
        `Contacts.time` lies; None: 0 and 1.

    `toi` of a contact is the part of the step after which the pair meets; 0: at its start. Other
    arguments as for `contacts`; with `weld` vertices are one if they are at both times.
    """
    given = dict(options, adjacent=adjacent, pairs=pairs, device=device, weld=weld, allowed=allowed)
    given["continuous"] = True
    at, to, mesh = step_of(points0, points1, triangles, objects, corner_count, names)
    when = step_times(times)
    with _pipeline(mesh, given) as pipeline:
        return pipeline._between(at, to, mesh, when)
