"""What is found: arrays that belong to the caller."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from ._library import ffi, lib, words

if TYPE_CHECKING:
    import pyvista

Kind = IntEnum(  # type: ignore[misc]
    "Kind", {name.upper().replace("-", "_"): value for name, value in words("imp_kind").items()}
)
Kind.__doc__ = """How two primitives meet: CANDIDATE (bounds overlap), POINT, SEGMENT, AREA,
DUPLICATE (the same three vertices), SOLIDS (one or both are tetrahedra). Between frames
VERTEX_FACE, EDGE_EDGE, or AT_START + one of the others."""

_types = {"uint32_t": np.uint32, "uint8_t": np.uint8, "double": np.float64, "int64_t": np.int64}
_types["uint64_t"] = np.uint64
_shapes = {"point": (2, 3), "collision": (3,)}
_columns = {
    name: np.dtype(_types[field.type.item.cname])
    for name, field in ffi.typeof("imp_contacts").fields
    if field.type.kind == "pointer"
}
_moving = ("share", "feature_a", "feature_b")
_solid = ("depth", "collision_first", "collision")
_named = ("name_a", "name_b", "object_a", "object_b", "time", "source_a", "source_b")


class Contacts:
    """The contacts of one frame, in order of (a, b); between two frames in order of (share, a, b).

    a, b: (n,) uint32, the rows of the two primitives in `triangles`, a < b.
    kind: (n,) uint8, `Kind`.
    ends: (n, 2, 3) float64, two points: the ends of the segment in which they meet; equal for a
        point; the two farthest corners of an area or of the intersection of solids; in the unit of
        the points.

    Between two frames, else None:

    share: (n,) float64, 0 to 1, the part of the step after which they meet first, rounded down.
    feature_a, feature_b: (n,) int64, what meets: the number of a vertex and -1 - f for face f, or
        two edges; -1 where they meet at the start.

    With `solids`, which tetrahedra have by default, else None:

    depth: (n,) float64, the greatest distance of a vertex of one, inside the other, from the
        other's surface; 0 if there is none.
    collision, collision_first: (k, 3) float64 and (n + 1,) uint64: the collision points of
        contact i are collision[collision_first[i]:collision_first[i + 1]].

    Of a `Model`, and of a file whose primitives have a PrimitiveId, else None:

    name_a, name_b: (n,) int64, the names of the two primitives.

    Of a file, else None:

    object_a, object_b: (n,) int32, the objects of the two primitives.
    time: (n,) float64, between two frames: when they meet first.
    source_a, source_b: (n,) int64, what the file that the batch was made of calls the two
        primitives, if that is known.

    Numbers of the frame: `candidates` (pairs whose bounds overlap), `undecided` (those that needed
    exact arithmetic), `bad` (primitives left out by on_bad="skip"), `seconds`, and those of
    imp_frame_info in `info`.
    """

    __slots__ = (
        "a", "b", "kind", "ends", *_moving, *_solid, *_named, "info",
    )  # fmt: skip

    a: np.ndarray
    b: np.ndarray
    kind: np.ndarray
    ends: np.ndarray
    share: np.ndarray | None
    feature_a: np.ndarray | None
    feature_b: np.ndarray | None
    depth: np.ndarray | None
    collision_first: np.ndarray | None
    collision: np.ndarray | None
    name_a: np.ndarray | None
    name_b: np.ndarray | None
    object_a: np.ndarray | None
    object_b: np.ndarray | None
    time: np.ndarray | None
    source_a: np.ndarray | None
    source_b: np.ndarray | None
    info: dict[str, Any]

    def __init__(self, columns: dict[str, np.ndarray], info: dict[str, Any]):
        for name in self.__slots__:
            setattr(self, name, columns.get(name))
        self.ends = columns["point"]
        self.info = info

    def __len__(self) -> int:
        return len(self.a)

    def __repr__(self) -> str:
        return f"<impinge.Contacts: {len(self)} of {self.candidates} candidates>"

    @property
    def candidates(self) -> int:
        return self.info["candidates"]

    @property
    def undecided(self) -> int:
        return self.info["undecided"]

    @property
    def bad(self) -> int:
        return self.info["bad"]

    @property
    def seconds(self) -> float:
        return self.info["seconds"]

    def to_pyvista(self) -> pyvista.PolyData:
        """A line for each contact, in order, with its columns under the names of a result file; and
        before the lines a vertex for each one whose line is too short to be seen, as those of points
        are. `Contact` is the row that a cell is of: of vertices and lines of one contact the same.
        """
        import pyvista

        n, ends = len(self), self.ends.reshape(-1, 3)
        dots = np.flatnonzero(short(self.ends))
        made = pyvista.PolyData(
            ends,
            verts=_cells(2 * dots[:, None]) if len(dots) else None,
            lines=_cells(np.arange(2 * n).reshape(n, 2)) if n else None,
        )
        rows = np.concatenate([dots, np.arange(n)])
        for name, title in titles.items():
            column = getattr(self, name)
            if column is not None:
                made.cell_data[title] = _vtk(column)[rows]
        made.cell_data["Contact"] = rows
        return made


SHORT = 1e-3  # of what is seen


def short(ends: np.ndarray) -> np.ndarray:
    """(n,) bool: a line between these ends, (n, 2, 3), may be less than a pixel where all of them
    are seen. VTK draws nothing then."""
    if not len(ends):
        return np.zeros(0, bool)
    box = np.ptp(ends.reshape(-1, 3), axis=0)
    return np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1) <= SHORT * np.linalg.norm(box)


def _cells(corners: np.ndarray) -> np.ndarray:
    """As VTK has them: the number of corners before those of each cell."""
    counts = np.full((len(corners), 1), corners.shape[1])
    return np.hstack([counts, corners]).ravel()


#: The columns of contacts, and their names in a result file.
titles = {
    "a": "PrimitiveA",
    "b": "PrimitiveB",
    "kind": "Kind",
    "share": "Share",
    "time": "Time",
    "feature_a": "FeatureA",
    "feature_b": "FeatureB",
    "depth": "Depth",
    "object_a": "ObjectA",
    "object_b": "ObjectB",
    "name_a": "PrimitiveIdA",
    "name_b": "PrimitiveIdB",
    "source_a": "SourceIdA",
    "source_b": "SourceIdB",
}


def _vtk(column: np.ndarray) -> np.ndarray:
    """uint32 as int64, as in a result file."""
    return column.astype(np.int64) if column.dtype == np.uint32 else column


def _taken(view: Any, name: str, count: int) -> np.ndarray:
    """An array over the memory of a column, which it frees at its end."""
    dtype, shape = _columns[name], _shapes.get(name, ())
    memory = getattr(view, name)
    if not count or not memory:
        return np.zeros((count, *shape), dtype)
    setattr(view, name, ffi.NULL)
    owned = ffi.gc(ffi.cast("void *", memory), lib.rows_free_array)
    size = count * dtype.itemsize * int(np.prod(shape, dtype=int))
    return np.frombuffer(ffi.buffer(owned, size), dtype).reshape(count, *shape)


def take(rows: Any, info: Any, continuous: bool, solids: bool) -> Contacts:
    """The contacts that the library has found, which are moved out of `rows`."""
    view, columns = rows.view, {}
    for name in ("a", "b", "kind", "point", *(_moving if continuous else ())):
        columns[name] = _taken(view, name, view.count)
    if solids:
        columns["depth"] = _taken(view, "depth", view.count)
        first = columns["collision_first"] = _taken(view, "collision_first", view.count + 1)
        columns["collision"] = _taken(view, "collision", int(first[-1]))
    return Contacts(columns, info)
