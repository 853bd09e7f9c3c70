"""Ordered contacts of moving rigid bodies, for a solver of your own: imp_pcs."""

from __future__ import annotations

import operator
import os
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ._arrays import column_of, corners_of, pointer, points_of, unmasked
from ._kinds import Kind
from ._library import (
    ArgumentError,
    as_dict,
    check,
    check_fork,
    ffi,
    in_main_thread,
    lib,
    text,
)
from ._meshes import is_mesh, one_mesh

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._words import Device

_NUMBERS = ffi.sizeof("imp_pose") // 8  # float64 of a pose
_FIELDS = {"centre": (0, 3), "rotation": (3, 4), "velocity": (7, 3), "spin": (10, 3)}


class Bodies(NamedTuple):
    """Poses and velocities of all bodies. In hooks of `PCS`, which change them, views of the
    library's memory; of `Batch.bodies` a frame of a file."""

    centre: np.ndarray  #: (n, 3) float64
    rotation: np.ndarray  #: (n, 4) float64: w x y z, a quaternion of length 1
    velocity: np.ndarray  #: (n, 3) float64: of the centre, length per second
    spin: np.ndarray  #: (n, 3) float64: radians per second, in the coordinates of poses


class BodyContact(NamedTuple):
    """Two bodies in contact; `impinge_pcs.h` says more. Pairs: of body a, of body b."""

    a: int  #: number of a body
    b: int  #: number of a body, above a
    time: float  #: seconds since the step began
    distance: float
    point: np.ndarray  #: (2, 3) float64: the two closest points
    normal: np.ndarray  #: (3,) float64: of length 1, from a to b
    triangle: tuple[int, int]  #: of each mesh
    kind: Kind  #: VERTEX_FACE, EDGE_EDGE or AREA
    feature_corners: tuple[int, int]  #: what is closest: 1 a vertex, 2 an edge, 3 a face
    feature: tuple[int, int]  #: number of the vertex; 0 to 2, an edge of the triangle; -1, a face
    inelastic: bool  #: the eighth contact of this pair in the step, or a later one: do not bounce


Forces = Callable[[Bodies, float], Any]
Contact = Callable[[Bodies, BodyContact], "Iterable[int] | None"]


class PCS:
    """Bodies that move with constant velocities between their contacts. At each contact, in the
    order of time, a function of the caller changes velocities. No contact is missed. (The function
    `pcs` simulates bodies with the program's own velocities after contacts, into a file.)

    meshes: a list of (points, triangles): (v, 3) floats in the body's own coordinates, of which the
        origin is the centre of mass, and (m, 3) vertex numbers; or of meshes of trimesh or PyVista. Any
        surface, convex or not.
    bodies: (n,) the mesh of each body, which several may share; None: one body of each mesh.
    fixed: (n,) bools: bodies that do not move; None: all move.
    epsilon: bodies at most this far from each other are in contact; in the unit of the points.
    centre, rotation, velocity, spin: (n, 3), (n, 4), (n, 3), (n, 3) at the beginning, as in
        `Bodies`; None: 0, not turned.
    device: for the first search of pairs in a step of 1024 bodies or more, as of `Pipeline`.
    threads: of the host; 0 is all. mem_limit: bytes; 0 is half of the machine's.

    `centre`, `rotation`, `velocity` and `spin` are the state now: arrays, which may be changed
    between steps. Used by one thread at a time: others wait. Errors: `ArgumentError`,
    `DeviceError`, `MemoryLimitError`.
    """

    def __init__(
        self,
        meshes: Sequence[Any],
        bodies: Any = None,
        fixed: Any = None,
        *,
        epsilon: float,
        centre: Any = None,
        rotation: Any = None,
        velocity: Any = None,
        spin: Any = None,
        device: Device = "cpu",
        threads: int = 0,
        mem_limit: int = 0,
    ):
        self._p = ffi.NULL  # first, so that it goes before what it uses
        self._lock = threading.RLock()  # a step, from whose hooks `advance` is called
        self._how = ffi.new("rows_call *")
        self._inner: Bodies | None = None  # what hooks see
        self._threads = threads
        made, keep = _definition(meshes, bodies, fixed)
        self._count = made.bodies
        name = ffi.new("char[]", os.fsencode(str(device)))
        made.device = name
        for key, value in (("epsilon", epsilon), ("threads", threads), ("mem_limit", mem_limit)):
            _set_number(made, key, value)
        self._state = np.zeros((self._count, _NUMBERS))
        now = _views(self._state)
        self.centre, self.rotation, self.velocity, self.spin = now
        self.rotation[:, 0] = 1
        given = Bodies(centre, rotation, velocity, spin)
        for key, to, rows in zip(Bodies._fields, now, given):
            if rows is not None:
                to[:] = _rows(rows, to.shape, key)
        check_fork(threads)
        out = ffi.new("imp_pcs **")
        check(lib.rows_pcs_create(made, out))
        self._p = ffi.gc(out[0], lib.imp_pcs_destroy)
        del keep

    def __len__(self) -> int:
        """The number of bodies."""
        return self._count

    def step(
        self, seconds: float, contact: Contact | None = None, forces: Forces | None = None
    ) -> dict:
        """One step of so many seconds; `centre` and the others are changed in place. Returns
        counts: `pairs`, `checks`, `rechecks`, `feature_steps`, `contacts`, `inelastic`, `resting`.

        contact(bodies, c): called at each contact, a `BodyContact`. It may change `bodies.velocity`
            and `bodies.spin`, and returns the numbers of the bodies that it has changed, or None:
            c.a and c.b. Poses of others than these two are older: see `advance`. Changes of bodies
            that it does not return, and of fixed ones, are undone.
        forces(bodies, seconds): called at the start of the step, and may change all velocities.

        A hook that raises ends the step with that exception; Ctrl-C ends it within a second, in
        the main thread. A step that fails changes nothing, and another one can begin.
        ArgumentError: the state or `seconds` is not valid; `impinge_pcs.h` has the bounds."""
        with self._lock:
            p = self._open()
            check_fork(self._threads)
            hooks = _Hooks(self, p, contact, forces)
            handle, info = ffi.new_handle(hooks), ffi.new("imp_pcs_info *")
            made = ffi.new("rows_step_of *")
            made.pcs, made.pose = p, pointer(self._state, "imp_pose *")
            made.seconds, made.info = seconds, info
            made.hooks.user = handle
            made.hooks.forces = lib.pcs_forces if forces else ffi.NULL
            made.hooks.contact = lib.pcs_contact if contact else ffi.NULL
            self._how.ends = in_main_thread()
            code = lib.rows_step(made, self._how)
            if hooks.raised is not None:
                raise hooks.raised
            check(code)
            return as_dict(info)

    def advance(self, body: int) -> None:
        """From a contact hook: centre and rotation of this body at the time of the contact."""
        with self._lock:
            p = self._open()
            if not 0 <= operator.index(body) < self._count:
                raise ArgumentError(f"advance: body {body}, but there are {self._count}")
            check(lib.imp_pcs_advance(p, body))

    def cancel(self) -> None:
        """Makes a running step, else the next one, raise `Cancelled` soon. For other threads."""
        p = self._p  # stays while it is held
        if p:
            lib.imp_pcs_cancel(p)

    @property
    def device(self) -> str:
        """ "cpu", "auto", or the platform and the name of the OpenCL device."""
        p = self._p
        return text(lib.imp_pcs_device_name(p)) if p else ""

    def close(self) -> None:
        """Frees the bodies, once no array that a hook has got is held. The state stays."""
        with self._lock:
            self._p, self._inner = ffi.NULL, None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def _open(self):
        if not self._p:
            raise ArgumentError("it is closed")
        return self._p


# ---- what the library calls


class _Hooks:
    """Of one step."""

    def __init__(self, owner: PCS, p: Any, contact: Contact | None, forces: Forces | None):
        self.owner, self.p = owner, p
        self.contact, self.forces = contact, forces
        self.raised: BaseException | None = None

    def bodies(self, pose: Any) -> Bodies:
        """Views of the library's memory, which is there as long as they are."""
        owner, p = self.owner, self.p
        if owner._inner is None:
            held = ffi.gc(pose, lambda _, p=p: None)
            memory = ffi.buffer(held, owner._count * _NUMBERS * 8)
            owner._inner = _views(np.frombuffer(memory).reshape(-1, _NUMBERS))
        return owner._inner


def _note(_kind: Any, what: BaseException, trace: Any) -> None:
    """A hook has raised, or Ctrl-C came within it."""
    if trace is not None:
        ffi.from_handle(trace.tb_frame.f_locals["user"]).raised = what


@ffi.def_extern(error=lib.IMP_ERR_CANCELLED, onerror=_note)
def pcs_forces(user, pose, seconds):
    hooks = ffi.from_handle(user)
    hooks.forces(hooks.bodies(pose), seconds)
    return 0


@ffi.def_extern(error=lib.IMP_ERR_CANCELLED, onerror=_note)
def pcs_contact(user, pose, contact, changed):
    hooks = ffi.from_handle(user)
    of = _contact(contact)
    bodies = hooks.contact(hooks.bodies(pose), of)
    for body in (of.a, of.b) if bodies is None else bodies:
        if not 0 <= operator.index(body) < hooks.owner._count:
            count = hooks.owner._count
            raise ArgumentError(f"contact: it has changed body {body}, but there are {count}")
        changed[body] = 1
    return 0


def _contact(c: Any) -> BodyContact:
    return BodyContact(
        c.a,
        c.b,
        c.time,
        c.distance,
        np.array([list(c.point[0]), list(c.point[1])]),
        np.array(list(c.normal)),
        tuple(c.triangle),
        Kind(c.kind),
        tuple(c.feature_corners),
        tuple(c.feature),
        bool(c.inelastic),
    )


# ---- what callers hand over


def _views(poses: np.ndarray) -> Bodies:
    """Of (n, 13): imp_pose."""
    return Bodies(*(poses[:, at : at + count] for at, count in _FIELDS.values()))


def _rows(values: Any, shape: tuple[int, ...], name: str) -> np.ndarray:
    array = unmasked(values, name)
    if array.shape != shape or array.dtype.kind not in "fiu":
        raise ArgumentError(f"{name}: {array.dtype} of shape {array.shape}, not floats of {shape}")
    return array


def _set_number(made: Any, name: str, value: Any) -> None:
    try:
        setattr(made, name, value)
    except (OverflowError, TypeError) as what:
        raise ArgumentError(f"{name}: {value!r}: {what}") from None


def _definition(meshes: Sequence[Any], bodies: Any, fixed: Any) -> tuple[Any, list]:
    """imp_pcs_def of these, and what must live as long as it."""
    made, c_meshes = ffi.new("imp_pcs_def *"), ffi.new("imp_pcs_mesh[]", max(len(meshes), 1))
    keep: list[Any] = [c_meshes]
    for number, mesh in enumerate(meshes):
        if is_mesh(mesh) and not isinstance(mesh, tuple):
            mesh = one_mesh(mesh, f"mesh {number}")
        points, triangles = mesh
        at = points_of(points, f"points of mesh {number}").astype(np.float64, copy=False)
        corner = corners_of(triangles, len(at), f"triangles of mesh {number}")
        if corner.shape[1] != 3:
            raise ArgumentError(f"triangles of mesh {number}: shape {corner.shape}, not (m, 3)")
        c, keep = c_meshes[number], [*keep, at, corner]
        c.vertices, c.point = len(at), pointer(at, "double *")
        c.triangles, c.corner = len(corner), pointer(corner, "uint32_t *")
    which = np.arange(len(meshes)) if bodies is None else bodies
    which = column_of(which, None, np.uint32, "bodies")
    still = np.zeros(len(which), bool) if fixed is None else unmasked(fixed, "fixed")
    if still.shape != which.shape or still.dtype != bool:
        raise ArgumentError(
            f"fixed: {still.dtype} of shape {still.shape}, not bools of ({len(which)},)"
        )
    both = np.empty((len(which), 2), np.uint32)  # imp_pcs_body
    both[:, 0], both[:, 1] = which, still
    made.mesh, made.meshes = c_meshes, len(meshes)
    made.body, made.bodies = pointer(both, "imp_pcs_body *"), len(both)
    return made, [*keep, both]
