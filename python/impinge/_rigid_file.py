"""A batch of one frame with /impinge/bodies and /impinge/simulation (data/format.md), by h5py."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ._cells import TRIANGLE, Mesh, uniform
from .importers.store import Store


class Matter(NamedTuple):
    """What a body is made of: the datasets of /impinge/bodies that are beside its pose."""

    density: float
    mass: float  #: 0: density times volume
    inertia: np.ndarray  #: (6,) xx yy zz xy xz yz; 0: that of the volume
    fixed: bool
    restitution: float
    friction: float


class Solid(NamedTuple):
    """A body whose numbers have been checked. Each point is of a triangle."""

    points: np.ndarray  #: (v, 3) float64, in the body's own coordinates
    triangles: np.ndarray  #: (m, 3) int64
    centre: np.ndarray  #: (3,)
    rotation: np.ndarray  #: (4,) w x y z, of length 1
    velocity: np.ndarray  #: (3,)
    angular_velocity: np.ndarray  #: (3,)
    matter: Matter
    name: str

    def posed(self) -> np.ndarray:
        """(v, 3) where its points are."""
        w, q = self.rotation[0], self.rotation[1:]
        turn = 2 * np.cross(q, self.points)
        return self.points + w * turn + np.cross(q, turn) + self.centre


class Simulation(NamedTuple):
    """What acts on bodies: /impinge/simulation."""

    numbers: dict[str, Any]  #: attributes that are given
    home: np.ndarray | None  #: (n, 3)
    pushes: list  #: of Push, by the numbers of bodies
    scene: str  #: "": none


def _put(group: Any, name: str, rows: Any, kind: Any = np.float64) -> None:
    """Without the time of its making, so that the same rows are the same bytes."""
    group.create_dataset(name, data=np.asarray(rows, kind), track_times=False)


def write(path: str, solids: list[Solid], simulation: Simulation) -> None:
    """A new file."""
    store = Store(path)
    try:
        store.add([_mesh(solids)], 0.0, "")
        store.finish({number: solid.name for number, solid in enumerate(solids) if solid.name})
        extra = store.file["impinge"]
        _bodies(extra.create_group("bodies"), solids)
        _acts(extra.create_group("simulation"), simulation)
    finally:
        store.abandon()
    store.check()


def _mesh(solids: list[Solid]) -> Mesh:
    """Bodies are one after another, each an object."""
    first = np.cumsum([0, *(len(solid.points) for solid in solids)])
    corners = np.concatenate([solid.triangles + at for solid, at in zip(solids, first)])
    points = np.concatenate([solid.posed() for solid in solids])
    numbers = list(range(len(solids)))
    objects = np.repeat(numbers, [len(solid.triangles) for solid in solids])
    types, ends, flat = uniform(TRIANGLE, corners)
    return Mesh(points, types, ends, flat, objects, numbers, 0, None)


def _bodies(group: Any, solids: list[Solid]) -> None:
    _put(group, "object_id", np.arange(len(solids)), np.int32)
    ends = np.cumsum([0, *(len(solid.points) for solid in solids)])
    _put(group, "point_offsets", ends, np.int64)
    _put(group, "points", np.concatenate([solid.points for solid in solids]))
    for name in ("centre", "rotation", "velocity", "angular_velocity"):
        _put(group, name, [getattr(solid, name) for solid in solids])
    for name in Matter._fields:
        rows = [getattr(solid.matter, name) for solid in solids]
        _put(group, name, rows, np.uint8 if name == "fixed" else np.float64)


def _acts(group: Any, simulation: Simulation) -> None:
    for name, value in simulation.numbers.items():
        group.attrs[name] = value
    if simulation.scene:
        group.attrs["scene"] = np.bytes_(simulation.scene.encode("utf-8", "replace"))
    if simulation.home is not None:
        _put(group, "home", simulation.home)
    pushes = simulation.pushes
    if not pushes:
        return
    _put(group, "push_object", [push.body for push in pushes], np.int32)
    _put(group, "push_point", [push.point for push in pushes])
    _put(group, "push_force", [push.force for push in pushes])
    _put(group, "push_time", [(push.begin, push.end) for push in pushes])
