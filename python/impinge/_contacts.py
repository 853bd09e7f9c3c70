"""What is found: arrays that belong to the caller."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ._arrays import Mesh
from ._columns import columns
from ._contours import Contours, contours_of
from ._kinds import Kind, word_array
from ._library import ArgumentError, ffi, lib, words
from ._meshes import arguments_of, is_mesh, mesh_of
from ._names import Objects
from ._regions import Regions, regions_of
from ._relations import take_relations
from ._tables import Contact, ObjectPair, by_objects, contacts_of, frame_of, html_of, summary
from ._times import between

if TYPE_CHECKING:
    import pandas
    import pyvista

    from ._names import Objects

__all__ = ["Contact", "Contacts", "Kind", "ObjectPair", "columns", "short", "take"]

END_EDGE, END_FACE = words("imp_end_feature")["edge"], words("imp_end_feature")["face"]


class Contacts:
    """The contacts of one frame, or its pairs within a distance, in order of (a, b); the contacts
    between two frames in order of (toi, a, b).

    a, b: (n,) uint32, the rows of the two primitives in `triangles`, a < b.
    kind: (n,) uint8, `Kind`.
    ends: (n, 2, 3) float64, two points: the ends of the segment in which they meet; equal for a
        point; the two farthest corners of an area or of the intersection of solids; these are
        correctly rounded from the exact points, so that equal points have equal bits; of a pair that
        does not meet the nearest points, that of a first; in the unit of the points.

    Of contacts of a frame, else None:

    crossing: (n,) uint8, 1 where the two pass through each other: two triangles, each with vertices
        strictly on both sides of the plane of the other, that meet in a segment; a tetrahedron and
        another primitive whose interiors meet. 0 where they only touch. Exact.

    With `end_features`, else None:

    end_features: (n, 4) uint8, the features of `a` and of `b` that have the exact first end, then
        those that have the second: 0 to 2 a corner of the triangle, 3 to 5 its edge 0-1, 1-2, 2-0,
        6 its face; 255 if one is a tetrahedron. See `end_names` and `contours`.

    Between two frames, else None:

    toi: (n,) float64, the time of impact: the part of the step, 0 to 1, after which they meet
        first, rounded down.

    Between two frames, and of pairs within a distance, else None:

    feature_a, feature_b: (n,) int64, what meets or is nearest: the number of a vertex and -1 - f
        for face f, or two edges; -1 where they meet at the start, or in a frame.

    Of pairs within a distance (`near`, `distance=`), else None; 0 where they meet:

    distance: (n,) float64, the exact distance of the two primitives, rounded down; 0 to the
        distance that was asked for, in the unit of the points.
    barycentric_a, barycentric_b: (n, 4) float64, weights of the corners of a, and of b, that give
        the nearest points, 0 to 1; of a triangle the last one is 0.
    normal: (n, 3) float64, the direction of length 1 from the point of a to that of b.

    With `thickness`, else None:

    penetration: (n,) float64, half of the sum of both thicknesses minus the exact distance, rounded
        down; 0 or more, in the unit of the points.
    relative: (n,) float64, the same divided by half of that sum, rounded down; 0 if that is 0.

    Of vertices inside closed objects (`inside`, `inside=`), in order of (vertex, a, b), else None:

    vertex: (n,) uint32, the number of the vertex. `a` is the first primitive of its object that has it,
        `b` the one with the nearest face; `ends` are the vertex and the nearest point.
    winding: (n,) int32, the winding number of b's object about the vertex.
    barycentric: (n, 4) float64, weights of the corners of b that give the nearest point, 0 to 1; of a
        triangle the last one is 0. `normal` leaves b there, at a right angle to it.

    With `inside`, and with `solids`, which tetrahedra have by default, else None:

    depth: (n,) float64, in the unit of the points. Of a vertex inside: its exact distance to the nearest
        face whose two sides differ in being inside, rounded down. Of contacts: the greatest such
        distance of a vertex of one, inside the other; without such a vertex that of the middle of the
        part of an edge of one inside the other; 0 if there is none.

    With `inside`, else None; records, whose columns are attributes:

    relations: (r,) of each two objects that have a common point: `a`, `b`, `relation` (a `Relation`),
        `contacts` (pairs of primitives that touch), and (r, 2), of a in b and of b in a, `inside`
        (vertices), `touching` (vertices on the surface), `depth` (the greatest) and `deepest` (the
        vertex with that depth; 2^32 - 1: none).
    swallowed: (s,) of parts of objects that are inside another one and touch it nowhere: `object`,
        `within` (the other one), `primitive` (its first), `primitives`, `vertices`.

    With `solids`, else None:

    collision, collision_first: (k, 3) float64 and (n + 1,) uint64: the collision points of
        contact i are collision[collision_first[i]:collision_first[i + 1]].

    Of a `Model`, and of a file whose primitives have a PrimitiveId, else None:

    id_a, id_b: (n,) int64, the ids of the two primitives.

    Where objects are known, by `objects`, a dict of meshes or a file, else None:

    object_a, object_b: (n,) int32, the objects of the two primitives. `names`: of objects, by their
        numbers.
    local_a, local_b: (n,) int64, of a dict of meshes: the rows of the two primitives in their own meshes.

    Between two frames, else None:

    time: (n,) float64, when they meet first, rounded, between the two `times`; without these the number
        of the frame and the next one.

    Of a file, else None:

    source_a, source_b: (n,) int64, what the file that the batch was made of calls the two
        primitives, if that is known.

    None is no array: found.depth.max() is an AttributeError where depth was not asked for.

    Of all these: `pairs` (n, 2), `kinds` as words, `counts()` of each primitive, `by_objects()`, `to_pandas()`.
    found[mask], found[10:20] and found[numbers] are `Contacts` of these rows, with the numbers, relations
    and swallowed parts of the whole frame; found[i] is a `Contact`, and so is each one of an iteration.

    Numbers of the frame: `candidates` (pairs whose bounds overlap), `undecided` (those that needed
    exact arithmetic), `bad` (primitives left out by on_bad="skip"), `seconds`, and those of
    imp_frame_info in `info`; with `inside` also `closed`, the objects that count as solids, and `open`,
    those that were skipped.
    """

    __slots__ = (
        *(c.name for c in columns),
        *(c.first for c in columns if c.file_first),
        "relations",
        "swallowed",
        "info",
        "_joined",  # with weld=: the first of the vertices that are one, for each vertex
        "_objects",  # `Objects`, or None
        "_times",  # of the beginning and the end of a step, or None
        *("local_a", "local_b"),
    )

    a: np.ndarray
    b: np.ndarray
    kind: np.ndarray
    ends: np.ndarray
    info: dict[str, Any]
    _joined: np.ndarray | None
    _objects: Objects | None
    _times: tuple[float, float] | None

    if TYPE_CHECKING:  # each an array, or None; `__getattr__` would hide from them what there is not
        crossing: Any
        end_features: Any
        toi: Any
        feature_a: Any
        feature_b: Any
        distance: Any
        barycentric_a: Any
        barycentric_b: Any
        normal: Any
        penetration: Any
        relative: Any
        vertex: Any
        winding: Any
        face: Any
        barycentric: Any
        depth: Any
        collision: Any
        collision_first: Any
        relations: Any
        swallowed: Any
        id_a: Any
        id_b: Any
        object_a: Any
        object_b: Any
        local_a: Any
        local_b: Any
        time: Any
        source_a: Any
        source_b: Any
    else:

        def __getattr__(self, column: str) -> np.ndarray | None:
            """A column that not all contacts have; what is not set yet is computed."""
            make = _computed.get(column)
            if make is None:
                raise AttributeError(f"'{type(self).__name__}' object has no attribute {column!r}")
            value = make(self)
            setattr(self, column, value)
            return value

    def __init__(self, arrays: dict[str, np.ndarray], info: dict[str, Any]):
        for name in _always:
            setattr(self, name, arrays.get(name))
        for name in _computed:
            if name in arrays:
                setattr(self, name, arrays[name])
        self.info = info

    def __len__(self) -> int:
        return len(self.a)

    def __iter__(self) -> Iterator[Contact]:
        return contacts_of(self)

    def __getitem__(self, which: Any) -> Any:
        """A `Contact`; of a slice, a mask or an array of numbers `Contacts`."""
        if isinstance(which, tuple):
            raise IndexError("contacts have one dimension: a number, a slice, a mask or an array of numbers")
        if isinstance(which, str):
            known = which if hasattr(Contacts, which) else "a"
            raise TypeError(f"{which!r} is no number of a contact; columns are attributes: found.{known}")
        if not isinstance(which, slice) and np.ndim(which) == 0:
            at = range(len(self))[which]  # IndexError, and numbers from the end
            return next(contacts_of(self[at : at + 1]))
        rows = np.arange(len(self))[which] if isinstance(which, slice) else _rows_of(which, len(self))
        chosen = which if isinstance(which, slice) else rows
        made = Contacts.__new__(Contacts)
        for name in _always:
            value = getattr(self, name)
            setattr(made, name, value[chosen] if name in _rowwise and value is not None else value)
        for name in _computed:
            try:
                value = getattr(Contacts, name).__get__(self)
            except AttributeError:  # nobody has asked for it
                continue
            setattr(made, name, None if value is None else value[chosen])
        for column in columns:
            first = getattr(self, column.first) if column.file_first else None
            if first is not None:
                to, items = _items(first, rows)
                setattr(made, column.first, to)
                setattr(made, column.name, getattr(self, column.name)[items])
        return made

    def __repr__(self) -> str:
        return f"<impinge.Contacts: {summary(self)}>"

    def _repr_html_(self) -> str:
        return html_of(self)

    @property
    def names(self) -> dict[int, str]:
        """Of objects that have one, by their numbers."""
        return {} if self._objects is None else self._objects.names

    @property
    def pairs(self) -> np.ndarray:
        """(n, 2) int64: `a` and `b`."""
        made = np.empty((len(self), 2), np.int64)
        made[:, 0], made[:, 1] = self.a, self.b
        return made

    @property
    def kinds(self) -> np.ndarray:
        """(n,) texts: the words for `kind` in data/format.md: "segment", "point at start"."""
        return word_array[self.kind]

    def counts(self, primitives: int | None = None) -> np.ndarray:
        """(m,) int64, the contacts of each primitive. primitives: their number m; None: those of the
        frame, of contacts of a file up to the last one that has a contact."""
        known = self._objects.primitives if self._objects is not None else None
        most = 1 + max(int(self.a.max(initial=0)), int(self.b.max(initial=0))) if len(self) else 0
        m = operator.index(primitives) if primitives is not None else most if known is None else known
        if m < most:
            raise ArgumentError(f"counts: {m} primitives, but contact with number {most - 1}")
        return np.bincount(self.a, minlength=m) + np.bincount(self.b, minlength=m)

    def by_objects(self) -> list[ObjectPair]:
        """A row for each two objects, or one with itself, with contacts: those with most first. Without
        objects all primitives are of one, 0."""
        return by_objects(self)

    def to_pandas(self) -> pandas.DataFrame:
        """A row for each contact, in order. Vectors are columns for each of their numbers (`end0_x` to
        `end1_z`, `normal_x`, `barycentric_a_0`); `frame` and `time` come first where they are known; `kind` and the names of objects (`name_a`, `name_b`) are
        categorical. Collision points are left out, as a contact has several."""
        return frame_of(self)

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

    def end_names(self, triangles: Any) -> np.ndarray:
        """(n, 2, 5) int64, a name of each end: the vertices of the features that have it. Contacts of
        neighbours that meet in an end have the same name there, and ends with the same name are the
        same exact point, with the same bits in `ends`.

        A vertex is its number, of two vertices at the end the lesser one. Otherwise there are the
        vertices, ascending, of an edge and of a face, or of two edges, the lesser edge first. The
        rest of the five is -1; so are all where a primitive is a tetrahedron.

        triangles: as given when the contacts were found, or the mesh. Needs `end_features`.
        """
        if self.end_features is None:
            raise ArgumentError("end_features: these contacts have none; ask for them with end_features=True")
        if not isinstance(triangles, (np.ndarray, list)) and is_mesh(triangles):
            triangles = mesh_of(triangles).triangles
        corners = np.asarray(triangles)[:, :3].astype(np.int64)
        if self._joined is not None:
            corners = self._joined[corners].astype(np.int64)
        corners = np.stack([corners[self.a], corners[self.b]], 1)[:, None]  # contact, -, side, corner
        feature = self.end_features.reshape(-1, 2, 2).astype(np.int64)  # contact, end, side
        corners = np.broadcast_to(corners, (*feature.shape, 3))
        edge = np.sort(np.take_along_axis(corners, np.stack([feature, feature + 1], -1) % 3, -1), -1)
        vertex = np.take_along_axis(corners, feature[..., None] % 3, -1)[..., 0]
        names = np.full((*feature.shape[:2], 5), -1)
        is_edge = (feature >= END_EDGE) & (feature < END_FACE)
        # an edge, and the other edge or the face
        first = np.where(is_edge[..., 0], 0, 1)
        both = is_edge.all(-1)
        later = (edge[..., 0, 0] > edge[..., 1, 0]) | (
            (edge[..., 0, 0] == edge[..., 1, 0]) & (edge[..., 0, 1] > edge[..., 1, 1])
        )
        first = np.where(both, later, first)[..., None, None]
        names[..., :2] = np.take_along_axis(edge, first, -2)[..., 0, :]
        names[..., 2:] = np.sort(np.take_along_axis(corners, 1 - first, -2)[..., 0, :], -1)
        names[both, 2:4] = np.take_along_axis(edge, 1 - first, -2)[..., 0, :][both]
        names[both, 4] = -1
        at_vertex = feature < END_EDGE
        least = np.where(at_vertex, vertex, np.iinfo(np.int64).max).min(-1)
        names[at_vertex.any(-1)] = -1
        names[at_vertex.any(-1), 0] = least[at_vertex.any(-1)]
        names[feature[..., 0] > END_FACE] = -1
        return names

    def contours(
        self, points: Any, triangles: Any = None, objects: Any = None, corner_count: Any = None
    ) -> Contours:
        """The curves along which the triangles meet, of contacts that a `Pipeline` or a file with
        `end_features` gave; `impinge.contours` finds contacts and contours in one call.

        points, triangles, objects, corner_count, or a mesh: as given when the contacts were found. Where
            triangles overlap in one plane the result depends on the points, else the contacts have
            all of them.

        Contacts without `end_features`, and arrays of another mesh, are an `ArgumentError`. Contacts at
        one point have no contour, nor have those with tetrahedra, which an `ImpingeWarning` counts.
        """
        return contours_of(self, *self._frame(points, triangles, objects, corner_count))

    def regions(
        self, points: Any, triangles: Any = None, objects: Any = None, corner_count: Any = None
    ) -> Regions:
        """The parts into which these curves cut surfaces, of contacts that a `Pipeline` or a file with
        `end_features` gave; `impinge.regions` finds contacts and regions in one call. Arguments and
        errors as for `contours`; the points are always needed.
        """
        return regions_of(self, *self._frame(points, triangles, objects, corner_count))

    def _frame(
        self, points: Any, triangles: Any, objects: Any, corner_count: Any
    ) -> tuple[np.ndarray, Mesh]:
        """Points and mesh that the contacts are of."""
        at, given = arguments_of(points, triangles, objects, corner_count)
        mesh = Mesh(at, *given[:3])
        return at, mesh if self._joined is None else mesh.join(self._joined)

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
        for column in columns:
            values = getattr(self, column.name)
            if column.group == "CellData" and values is not None:
                made.cell_data[column.file] = _vtk(values)[rows]
        made.cell_data["Contact"] = rows
        return made


def _object(column: str) -> Callable[[Contacts], np.ndarray | None]:
    return lambda found: None if found._objects is None else found._objects.of(getattr(found, column))


def _local(column: str) -> Callable[[Contacts], np.ndarray | None]:
    return lambda found: None if found._objects is None else found._objects.local(getattr(found, column))


def _time(found: Contacts) -> np.ndarray | None:
    return None if found._times is None or found.toi is None else between(found.toi, found._times)


#: Columns that are computed when they are asked for, unless a file has them.
_computed: dict[str, Callable[[Contacts], np.ndarray | None]] = {
    "object_a": _object("a"),
    "object_b": _object("b"),
    "local_a": _local("a"),
    "local_b": _local("b"),
    "time": _time,
}
_always = [name for name in Contacts.__slots__ if name not in _computed]
_rowwise = {c.name for c in columns if not c.file_first}  # arrays with a row for each contact


def _rows_of(which: Any, count: int) -> np.ndarray:
    """The rows that a mask or numbers choose."""
    array = np.asarray(which)
    if array.dtype == bool:
        if array.shape != (count,):
            raise IndexError(f"a mask of shape {array.shape}, not ({count},)")
        return np.flatnonzero(array)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise IndexError(f"{array.dtype} of shape {array.shape}: neither a mask nor numbers of contacts")
    return np.arange(count)[array.astype(np.int64)]


def _items(first: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of the contacts in these rows: where the items of each begin, and the rows of all items."""
    begin = first[rows].astype(np.int64)
    counts = first[rows + 1].astype(np.int64) - begin
    to = np.append(0, np.cumsum(counts))
    return to.astype(first.dtype), np.repeat(begin - to[:-1], counts) + np.arange(to[-1])


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


def _vtk(column: np.ndarray) -> np.ndarray:
    """uint32 as int64, as in a result file."""
    return column.astype(np.int64) if column.dtype == np.uint32 else column


def _taken(view: Any, c: str, dtype: np.dtype, shape: tuple) -> np.ndarray:
    """An array over the memory of a column, which it frees at its end."""
    memory = getattr(view, c)
    if not shape[0] or not memory:
        return np.zeros(shape, dtype)
    setattr(view, c, ffi.NULL)
    owned = ffi.gc(ffi.cast("void *", memory), lib.rows_free_array)
    size = dtype.itemsize * int(np.prod(shape, dtype=int))
    return np.frombuffer(ffi.buffer(owned, size), dtype).reshape(shape)


def take(rows: Any, info: Any, definition: Any) -> Contacts:
    """The contacts that the library has found by this imp_def, which are moved out of `rows`."""
    view, arrays = rows.view, {}
    for column in columns:
        if column.dtype is None or (column.when and not column.when(definition)):
            continue
        length = view.count
        if column.file_first:
            first = _taken(view, f"{column.c}_first", np.dtype(np.uint64), (length + 1,))
            arrays[column.first], length = first, int(first[-1])
        arrays[column.name] = _taken(view, column.c, column.dtype, (length, *column.shape))
    if definition.relations:
        arrays["relations"], arrays["swallowed"] = take_relations(rows)
        info = {**info, "closed": rows.closed, "open": rows.open}
    return Contacts(arrays, info)
