"""The parts into which contours cut surfaces: impinge_regions.h."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ._arrays import Mesh
from ._contours import given_of
from ._library import check, ffi, lib, tell
from ._meshes import arguments_of
from ._relations import record_of

if TYPE_CHECKING:
    import pyvista

_region, _parting = record_of("imp_region"), record_of("imp_parting")


class Region(NamedTuple):
    """A connected part of the surface of an object, on the smaller side of its contours with another
    object or, if `other` is the same, with itself."""

    object: int
    other: int
    faces: np.ndarray  #: (n,) the triangles that lie in it, wholly or in part, ascending
    share: np.ndarray  #: (n,) the part of each one's area that lies in it, 1: all of it
    vertices: int  #: of these triangles, those that lie in it and on no contour
    contours: int  #: that bound it
    area: float  #: in the square of the unit of the points


class Parting(NamedTuple):
    """What the contours of an object with another one, or with itself, do to its surface."""

    object: int
    other: int
    contours: int  #: of these two objects
    parting: int  #: those that have different regions on either side
    regions: int  #: into which they cut the connected surfaces that they run on, with those not listed


def _rows(memory: Any, count: int, dtype: Any) -> np.ndarray:
    """A copy of the library's array."""
    made = np.zeros(count, dtype)
    if count:
        ffi.memmove(ffi.from_buffer(made), memory, made.nbytes)
    return made


class Regions(Sequence):
    """The regions of a frame, in order of object, other object and least face: `len`, iteration, and
    `regions[i]`, a `Region`, whose faces and shares are views. All of them in arrays:

    object, other: (n,) int32, whose surface it is, and with whose contours it is cut.
    offsets: (n + 1,) int64: region i has faces[offsets[i]:offsets[i + 1]].
    faces: (f,) uint32, rows of the triangles, of all regions one after another.
    share: (f,) float64, the part of each one's area that lies in the region, 1: all of it.
    vertices, contours: (n,) uint32, within it; that bound it.
    area: (n,) float64, in the square of the unit of the points.
    of_contour: (c, 2) int64, in the order of `impinge.contours`: the regions that each contour bounds on
        its objects a and b; -1: none, as it does not part the surface there.
    partings: list of `Parting`, in order of object and other object.
    """

    __slots__ = (
        *("object", "other", "offsets", "faces", "share", "vertices", "contours", "area"),
        *("of_contour", "partings"),
    )

    object: np.ndarray
    other: np.ndarray
    offsets: np.ndarray
    faces: np.ndarray
    share: np.ndarray
    vertices: np.ndarray
    contours: np.ndarray
    area: np.ndarray
    of_contour: np.ndarray
    partings: list[Parting]

    def __init__(self, found: Any):
        """found: imp_regions *, which is copied."""
        rows = _rows(found.region, found.count, _region)
        self.offsets = np.append(0, np.cumsum(rows["faces"])).astype(np.int64)
        self.faces = _rows(found.face, found.faces, np.uint32)
        self.share = _rows(found.share, found.faces, np.float64)
        for name in ("object", "other", "vertices", "contours", "area"):
            setattr(self, name, rows[name].copy())
        self.of_contour = _rows(found.of_contour, 2 * found.contours, np.int64).reshape(-1, 2)
        partings = _rows(found.parting, found.partings, _parting)
        self.partings = [Parting(*(int(row[name]) for name in Parting._fields)) for row in partings]

    def __len__(self) -> int:
        return len(self.area)

    def __getitem__(self, which: Any) -> Any:
        """A `Region`; of a slice a list of them."""
        if isinstance(which, slice):
            return [self[i] for i in range(*which.indices(len(self)))]
        i = range(len(self))[which]  # IndexError, and numbers from the end
        faces = slice(self.offsets[i], self.offsets[i + 1])
        return Region(
            int(self.object[i]),
            int(self.other[i]),
            self.faces[faces],
            self.share[faces],
            int(self.vertices[i]),
            int(self.contours[i]),
            float(self.area[i]),
        )

    def __repr__(self) -> str:
        greatest = f", the greatest of area {self.area.max():.6g}" if len(self) else ""
        return f"<impinge.Regions: {len(self)}{greatest}>"

    def cells(self, triangles: int) -> dict[str, np.ndarray]:
        """The cell arrays of a file of `run --regions`, for a mesh of so many triangles: `Region`, the
        number of the region that the triangle lies in, of several that with the greatest share, or
        -1; `RegionArea`, the area of all of that region; `RegionShare`."""
        number = np.repeat(np.arange(len(self)), np.diff(self.offsets))
        order = np.lexsort((number, -self.share, self.faces))
        cell, first = np.unique(self.faces[order], return_index=True)
        which = order[first]
        made = {
            "Region": np.full(triangles, -1, np.int64),
            "RegionArea": np.zeros(triangles),
            "RegionShare": np.zeros(triangles),
        }
        made["Region"][cell] = number[which]
        made["RegionArea"][cell] = self.area[number[which]]
        made["RegionShare"][cell] = self.share[which]
        return made

    def to_pyvista(self, points: Any, triangles: Any = None) -> pyvista.PolyData:
        """The triangles that the regions were found of, or the mesh, with the arrays of `cells`, coloured
        by `RegionArea`: a heat map."""
        import pyvista

        at, given = arguments_of(points, triangles)
        corners = np.asarray(given.triangles)
        faces = np.insert(corners, 0, corners.shape[1], axis=1).ravel()
        made = pyvista.PolyData(at, faces)
        for name, values in self.cells(len(corners)).items():
            made.cell_data[name] = values
        made.set_active_scalars("RegionArea", "cell")
        return made


def regions_of(contacts: Any, points: np.ndarray, mesh: Mesh) -> Regions:
    """Those of the `Contacts` of a frame with this mesh."""
    frame, given, _keep = given_of(contacts, points, mesh, "regions")
    out = ffi.new("imp_regions **")
    check(lib.imp_regions_find(frame, given, out))
    try:
        if out[0].without:
            tell(f"regions: {out[0].without} contacts with tetrahedra have no contour")
        return Regions(out[0])
    finally:
        lib.imp_regions_free(out[0])
