"""Rigid bodies that `pcs` moves, and the batch of them that the program reads."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ._arrays import corners_of, points_of, unmasked
from ._library import ArgumentError
from ._meshes import one_mesh
from ._output import claim, disk, replacing
from ._rigid_file import Matter, Simulation, Solid, write
from .program import Name

INERTIA = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))  # xx yy zz xy xz yz
LENGTH = 1e-6  # that a quaternion may differ from 1


@dataclass(eq=False)
class RigidBody:
    """A body for `pcs` and `write_bodies`. All bodies of a simulation have one unit of length, of
    mass and of time. (`PCS` takes the meshes and states of all its bodies as arrays, and `Bodies`
    is their state in a step, or in a frame of a batch.)

    points, triangles: (v, 3) floats in the body's own coordinates, and (m, 3) vertex numbers. Any
        surface, convex or not; closed, where its volume is needed. Points that no triangle has are
        left out. Or `points` is a mesh of trimesh or PyVista, of triangles, and `triangles` None.
    centre: (3,) where the origin of these coordinates is.
    rotation: (4,) of the body about that origin: w x y z, a quaternion of length 1.
    velocity: (3,) of the centre of mass, length per second.
    angular_velocity: (3,) radians per second, in the coordinates of poses (`spin` of `PCS`).
    density: mass of a unit of volume, above 0. None: 1000, unless there is a mass.
    mass: above 0; None: density times the volume.
    inertia: (3, 3), or (6,) of xx yy zz xy xz yz: about the origin of `points`, which then must be
        the centre of mass, in the body's own coordinates. Needs a mass. None: that of the volume,
        of constant density, about its own centre of mass.
    fixed: it never moves, and needs no mass.
    restitution: what comes back of the speed before a contact, 0 to 1; of two bodies the greater.
    friction: the coefficient, 0 or more; of two bodies the smaller.
    name: of its object, in batch and result; "": none.
    """

    points: Any
    triangles: Any = None
    centre: Any = (0.0, 0.0, 0.0)
    rotation: Any = (1.0, 0.0, 0.0, 0.0)
    velocity: Any = (0.0, 0.0, 0.0)
    angular_velocity: Any = (0.0, 0.0, 0.0)
    density: float | None = None
    mass: float | None = None
    inertia: Any = None
    fixed: bool = False
    restitution: float = 0.0
    friction: float = 0.5
    name: str = ""


class Push(NamedTuple):
    """A force on a body for a while."""

    body: int | str  #: its number, or its name
    point: Any  #: (3,) where it acts, in the body's own coordinates
    force: Any  #: (3,) in the coordinates of poses
    begin: float  #: seconds
    end: float  #: seconds


def write_bodies(
    bodies: Iterable[RigidBody],
    output: Name,
    *,
    gravity: Sequence[float] | None = None,
    step: float | None = None,
    seconds: float | None = None,
    epsilon: float | None = None,
    restitution_slowest: float | None = None,
    spring: Sequence[float] | None = None,
    home: Any = None,
    pushes: Iterable[Push] = (),
    scene: str | None = None,
    force: bool = False,
) -> None:
    """Writes bodies and what acts on them as a batch of one frame (data/format.md), which `pcs` and
    `impinge pcs` simulate; the object of each body is its place in `bodies`. The same arguments
    give the same bytes. By h5py (`pip install 'impinge[files]'`).

    gravity: (3,) acceleration; None: 0, 0, -9.81. step: seconds of a frame; None: 0.01.
    seconds: of the simulation; None: 1. epsilon: bodies so near each other are in contact; None:
    1e-4 of the diameter of the smallest body that moves. restitution_slowest: what comes slower
    does not bounce; None: 0.3. spring: (3,) along each axis a body is drawn to its home by this
    (1/s^2) times how far its centre of mass is from there; home: (n, 3) these places. pushes: each
    a `Push`. scene: title of the curve; None: the file's name. force: replaces `output`.

    Errors: `ArgumentError`, which names body and value; `TypeError` and `ValueError` for arrays of
    another type or shape, as of `contacts`. Whether a body can have its mass and its inertia, and
    whether its surface is closed where it must be, is found when it is simulated.
    """
    made = _solids(bodies)
    acts: dict[str, Any] = dict(gravity=gravity, step=step, seconds=seconds, epsilon=epsilon)
    acts.update(restitution_slowest=restitution_slowest, spring=spring, home=home)
    acts.update(pushes=pushes, scene=scene)
    simulation = _simulation(made, **acts)
    path = os.fspath(output)
    claim(path, force)
    with replacing(path) as part:
        with disk(path):
            write(part, made, simulation)


# ---- bodies


def _solids(bodies: Iterable[RigidBody]) -> list[Solid]:
    if isinstance(bodies, RigidBody):
        raise ArgumentError("bodies: a RigidBody, not a list of them")
    made = [_solid(body, f"body {number}") for number, body in enumerate(bodies)]
    if not made:
        raise ArgumentError("bodies: there is none")
    return made


def _solid(body: RigidBody, which: str) -> Solid:
    if not isinstance(body, RigidBody):
        raise ArgumentError(f"{which}: {type(body).__name__}, not a RigidBody")
    which += f" ({body.name})" if body.name else ""
    points, triangles = _mesh(body, which)
    rotation = _vector(body.rotation, 4, f"{which}: rotation")
    length = float(np.linalg.norm(rotation))
    if abs(length - 1) > LENGTH:
        raise ArgumentError(f"{which}: rotation: a quaternion of length {length:g}, not 1")
    places = {"centre": body.centre, "velocity": body.velocity}
    places["angular_velocity"] = body.angular_velocity
    found = {key: _vector(value, 3, f"{which}: {key}") for key, value in places.items()}
    found.update(rotation=rotation / length)
    return Solid(points, triangles, matter=_matter(body, which), name=body.name, **found)


def _mesh(body: RigidBody, which: str) -> tuple[np.ndarray, np.ndarray]:
    """(v, 3) float64 and (m, 3): the points that triangles have, in their order."""
    given, triangles = body.points, body.triangles
    if triangles is None:
        given, triangles = one_mesh(given, which)
    points = points_of(given, f"{which}: points").astype(np.float64, copy=False)
    corner = corners_of(triangles, len(points), f"{which}: triangles")
    if corner.shape[1] != 3:
        what = f"{which}: triangles: shape {corner.shape}, not (m, 3); of a mesh use triangulate()"
        raise ArgumentError(what)
    if not len(corner):
        raise ArgumentError(f"{which}: it has no triangle")
    if int(corner.max()) >= len(points):
        raise ArgumentError(f"{which}: triangles: vertex {corner.max()} of {len(points)}")
    used, row = np.unique(corner, return_inverse=True)
    points = points[used]
    if not np.isfinite(points).all():
        raise ArgumentError(f"{which}: a point of it is NaN or infinite")
    return points, row.reshape(-1, 3).astype(np.int64)


def _matter(body: RigidBody, which: str) -> Matter:
    if body.density is not None and body.mass is not None:
        raise ArgumentError(f"{which}: either density or mass")
    if body.inertia is not None and body.mass is None:
        raise ArgumentError(f"{which}: it has inertia, but no mass")
    density = _number(body.density, f"{which}: density", 1000.0)
    mass = _number(body.mass, f"{which}: mass", 0.0)
    for name, value, given in (("density", density, True), ("mass", mass, body.mass is not None)):
        if given and not value > 0:
            raise ArgumentError(f"{which}: {name}: {value:g}, not above 0")
    restitution = _number(body.restitution, f"{which}: restitution")
    friction = _number(body.friction, f"{which}: friction")
    if not 0 <= restitution <= 1:
        raise ArgumentError(f"{which}: restitution: {restitution:g}, not 0 to 1")
    if friction < 0:
        raise ArgumentError(f"{which}: friction: {friction:g}, below 0")
    inertia = _inertia(body.inertia, f"{which}: inertia")
    return Matter(density, mass, inertia, bool(body.fixed), restitution, friction)


def _inertia(value: Any, name: str) -> np.ndarray:
    if value is None:
        return np.zeros(6)
    array = unmasked(value, name)
    if array.shape == (3, 3):
        if not np.allclose(array, array.T, rtol=1e-9, atol=0):
            raise ArgumentError(f"{name}: a matrix that is not symmetric")
        array = np.array([array[at] for at in INERTIA])
    return _vector(array, 6, name)


# ---- what acts on them


def _simulation(
    solids: list[Solid], *, home: Any, pushes: Any, scene: Any, **numbers: Any
) -> Simulation:
    if (numbers["spring"] is None) != (home is None):
        raise ArgumentError("spring and home: one without the other")
    found: dict[str, Any] = {}
    for name, value in numbers.items():
        if value is not None:
            vector = name in ("gravity", "spring")
            found[name] = _vector(value, 3, name) if vector else _number(value, name)
    for name in ("step", "seconds", "epsilon"):
        if name in found and not found[name] > 0:
            raise ArgumentError(f"{name}: {found[name]:g}, not above 0")
    if found.get("restitution_slowest", 0) < 0:
        raise ArgumentError(f"restitution_slowest: {found['restitution_slowest']:g}, below 0")
    made = [_push(solids, push, f"push {number}") for number, push in enumerate(pushes)]
    places = None if home is None else _array(home, (len(solids), 3), "home")
    return Simulation(found, places, made, scene or "")


def _push(solids: list[Solid], push: Any, which: str) -> Push:
    try:
        of, point, force, begin, end = push
    except (TypeError, ValueError):
        raise ArgumentError(f"{which}: not a Push: body, point, force, begin, end") from None
    times = [_number(time, f"{which}: time") for time in (begin, end)]
    if not times[0] <= times[1]:
        raise ArgumentError(f"{which}: it ends at {end:g}, before it begins at {begin:g}")
    at, along = _vector(point, 3, f"{which}: point"), _vector(force, 3, f"{which}: force")
    return Push(_body(solids, of, which), at, along, *times)


def _body(solids: list[Solid], of: Any, which: str) -> int:
    """The number of a body, which may be given by its name."""
    if isinstance(of, str):
        numbers = [number for number, solid in enumerate(solids) if of and solid.name == of]
        if len(numbers) != 1:
            raise ArgumentError(f"{which}: {len(numbers)} bodies have the name {of!r}")
        return numbers[0]
    if not 0 <= int(of) < len(solids):
        raise ArgumentError(f"{which}: body {of}, but there are {len(solids)}")
    return int(of)


# ---- numbers


def _number(value: Any, name: str, default: float | None = None) -> float:
    if value is None and default is not None:
        return default
    return float(_array(value, (), name))


def _vector(value: Any, count: int, name: str) -> np.ndarray:
    return _array(value, (count,), name)


def _array(value: Any, shape: tuple[int, ...], name: str) -> np.ndarray:
    """Finite float64 of this shape."""
    array = unmasked(value, name)
    if array.shape != shape or array.dtype.kind not in "fiu":
        wanted = f"floats of {shape}" if shape else "a number"
        raise ArgumentError(f"{name}: {array.dtype} of shape {array.shape}, not {wanted}")
    array = array.astype(np.float64)
    if not np.isfinite(array).all():
        raise ArgumentError(f"{name}: it is NaN or infinite")
    return array
