"""The curves along which triangles meet: impinge_contours.h."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ._arrays import Mesh, column_of, frame_set, pointer
from ._library import ArgumentError, check, ffi, lib, tell
from ._relations import record_of

if TYPE_CHECKING:
    import pyvista

_dtype = record_of("imp_contour")


class Contour(NamedTuple):
    """A polyline along which the triangles of two objects, or of one, meet."""

    points: np.ndarray  #: (n, 3) float64, in order; a closed one does not repeat its first point
    closed: bool  #: the last point is joined with the first one
    length: float  #: of all its segments, in the unit of the points
    objects: tuple[int, int]  #: a <= b


class Contours(Sequence):
    """The contours of a frame, in the order of the first contact of each: `len`, iteration, and
    `contours[i]`, a `Contour`, whose points are a view of `points`. All of them in arrays:

    points: (p, 3) float64, of all contours one after another, in the unit of the points given: the
        bits of `Contacts.ends`; corners of overlaps in one plane are rounded likewise.
    offsets: (n + 1,) int64: contour i has points[offsets[i]:offsets[i + 1]].
    closed: (n,) bool: the last point is joined with the first one, which is not repeated.
    length: (n,) float64, of all segments, with that which closes it.
    object_a, object_b: (n,) int32, the objects whose triangles meet, a <= b.
    """

    __slots__ = ("points", "offsets", "closed", "length", "object_a", "object_b")

    points: np.ndarray
    offsets: np.ndarray
    closed: np.ndarray
    length: np.ndarray
    object_a: np.ndarray
    object_b: np.ndarray

    def __init__(self, found: Any):
        """found: imp_contours *, which is copied."""
        rows = np.zeros(0, _dtype)
        if found.count:
            rows = np.frombuffer(ffi.buffer(found.contour, found.count * _dtype.itemsize), _dtype)
        self.points = np.zeros((found.points, 3))
        ffi.memmove(ffi.from_buffer(self.points), found.point or b"", self.points.nbytes)
        self.offsets = np.append(0, np.cumsum(rows["points"])).astype(np.int64)
        self.closed = rows["closed"] != 0
        self.length, self.object_a, self.object_b = (rows[x].copy() for x in ("length", "a", "b"))

    def __len__(self) -> int:
        return len(self.length)

    def __getitem__(self, which: Any) -> Any:
        """A `Contour`; of a slice a list of them."""
        if isinstance(which, slice):
            return [self[i] for i in range(*which.indices(len(self)))]
        i = range(len(self))[which]  # IndexError, and numbers from the end
        return Contour(
            self.points[self.offsets[i] : self.offsets[i + 1]],
            bool(self.closed[i]),
            float(self.length[i]),
            (int(self.object_a[i]), int(self.object_b[i])),
        )

    def __repr__(self) -> str:
        closed = int(self.closed.sum())
        return f"<impinge.Contours: {len(self)}, {closed} closed, of {len(self.points)} points>"

    @property
    def lines(self) -> np.ndarray:
        """(k,) int64, the contours as cells of VTK: of each the number of its points, then their
        numbers in `points`; a closed one ends with its first point again. So
        `pyvista.PolyData(c.points, lines=c.lines)` has a polyline for each."""
        first, counts = self.offsets[:-1], np.diff(self.offsets)
        sizes = counts + self.closed
        at = np.cumsum(sizes + 1) - sizes - 1
        made = np.empty(int((sizes + 1).sum()), np.int64)
        made[at] = sizes
        made[(at + sizes)[self.closed]] = first[self.closed]
        numbers = np.arange(len(self.points))
        made[numbers + np.repeat(at + 1 - first, counts)] = numbers
        return made

    def to_pyvista(self) -> pyvista.PolyData:
        """A polyline for each contour, in order, with the cell arrays of a file of `run --contours`:
        `Contour`, `Closed`, `Length`, `ObjectA`, `ObjectB`."""
        import pyvista

        made = pyvista.PolyData(self.points, lines=self.lines) if len(self) else pyvista.PolyData()
        made.cell_data["Contour"] = np.arange(len(self))
        made.cell_data["Closed"] = self.closed.astype(np.uint8)
        made.cell_data["Length"] = self.length
        made.cell_data["ObjectA"], made.cell_data["ObjectB"] = self.object_a, self.object_b
        return made


def given_of(contacts: Any, points: np.ndarray, mesh: Mesh, what: str) -> tuple[Any, Any, Any]:
    """The `Contacts` of a frame with this mesh as imp_frame and imp_contacts, and the arrays that both
    refer to. what: the function, for messages."""
    if contacts.end_features is None:
        raise ArgumentError(
            f"{what}: these contacts have no end_features; ask for them with end_features=True"
        )
    frame, given = ffi.new("imp_frame *"), ffi.new("imp_contacts *")
    frame_set(frame, mesh, points, 0)
    count = len(contacts)
    keep = {
        "a": column_of(contacts.a, count, np.uint32, "a"),
        "b": column_of(contacts.b, count, np.uint32, "b"),
        "kind": column_of(contacts.kind, count, np.uint8, "kind"),
        "end_features": np.ascontiguousarray(contacts.end_features, np.uint8),
        "points": np.ascontiguousarray(contacts.ends, np.float64),
    }
    given.count = count
    for name, array in keep.items():
        setattr(given, name, pointer(array, _columns[name]))
    return frame, given, keep


def contours_of(contacts: Any, points: np.ndarray, mesh: Mesh) -> Contours:
    """Those of the `Contacts` of a frame with this mesh."""
    frame, given, _keep = given_of(contacts, points, mesh, "contours")
    out = ffi.new("imp_contours **")
    check(lib.imp_contours_find(frame, given, out))
    try:
        if out[0].without:
            tell(f"contours: {out[0].without} contacts with tetrahedra have none")
        return Contours(out[0])
    finally:
        lib.imp_contours_free(out[0])


_columns = {
    "a": "uint32_t *",
    "b": "uint32_t *",
    "kind": "uint8_t *",
    "end_features": "uint8_t *",
    "points": "double *",
}
