"""A batch of one frame with /impinge/bodies and /impinge/simulation (data/format.md), by h5py."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


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
    import h5py

    with h5py.File(path, "w-") as file:
        _mesh(file.create_group("VTKHDF"), solids)
        extra = file.create_group("impinge")
        _names(extra, solids)
        _bodies(extra.create_group("bodies"), solids)
        _acts(extra.create_group("simulation"), simulation)


def _mesh(root: Any, solids: list[Solid]) -> None:
    """PolyData of one part. Bodies are one after another, each an object."""
    sizes = [len(solid.points) for solid in solids]
    counts = [len(solid.triangles) for solid in solids]
    first = np.cumsum([0, *sizes[:-1]])
    root.attrs["Version"] = np.array([2, 0])
    root.attrs["Type"] = np.bytes_("PolyData")
    _put(root, "NumberOfPoints", [sum(sizes)], np.int64)
    _put(root, "Points", np.concatenate([solid.posed() for solid in solids]))
    corners = [solid.triangles + at for solid, at in zip(solids, first)]
    _cells(root.create_group("Polygons"), np.concatenate(corners))
    for name in ("Vertices", "Lines", "Strips"):
        _cells(root.create_group(name), np.zeros((0, 3), np.int64))
    objects = np.repeat(np.arange(len(solids)), counts)
    _put(root.create_group("CellData"), "ObjectId", objects, np.int32)
    _steps(root.create_group("Steps"))


def _cells(group: Any, corners: np.ndarray) -> None:
    _put(group, "NumberOfCells", [len(corners)], np.int64)
    _put(group, "NumberOfConnectivityIds", [corners.size], np.int64)
    _put(group, "Connectivity", corners.ravel(), np.int64)
    _put(group, "Offsets", 3 * np.arange(len(corners) + 1), np.int64)


def _steps(steps: Any) -> None:
    """One, at time 0."""
    steps.attrs["NSteps"] = 1
    _put(steps, "Values", [0.0])
    for name in ("PartOffsets", "PointOffsets"):
        _put(steps, name, [0], np.int64)
    _put(steps, "NumberOfParts", [1], np.int64)
    for name in ("CellOffsets", "ConnectivityIdOffsets"):
        _put(steps, name, np.zeros((1, 4)), np.int64)
    _put(steps.create_group("CellDataOffsets"), "ObjectId", [0], np.int64)


def _names(extra: Any, solids: list[Solid]) -> None:
    named = [(number, solid.name) for number, solid in enumerate(solids) if solid.name]
    if not named:
        return
    import h5py

    coded = [name.encode("utf-8", "replace") for _, name in named]
    kind = h5py.string_dtype("utf-8", max(map(len, coded)) + 1)
    _put(extra, "object_ids", [number for number, _ in named], np.int32)
    extra.create_dataset("object_names", data=np.array(coded, kind), dtype=kind, track_times=False)


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
