"""Batches and results, read by h5py. data/format.md describes both."""

from __future__ import annotations

import copy
import functools
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ._contacts import Contacts, columns
from ._library import ImpingeError, error, lib
from ._listing import shown, shown_html
from ._names import Object, Objects, object_number
from ._pcs import Bodies
from ._relations import relation_dtype, stored_columns, swallowed_dtype
from ._thickness import Parts, parts
from .program import one_file, verify

if TYPE_CHECKING:
    from typing_extensions import Self

TRIANGLE, TETRAHEDRON = 5, 10  # VTK's numbers
LINEAR = {69: 5, 76: 5, 71: 10, 78: 10}  # of Lagrange and Bezier cells without more nodes
POLYGONS = 2  # after vertices and lines, before strips
GHOST = 1 | 32  # of vtkGhostType: another piece has the cell, or it is hidden
UNSTORED = 1 << 22  # bytes that may be zeros because nothing is stored
CHUNKS = 256  # that are read at a time


class Frame(NamedTuple):
    """A frame of a batch: contacts(frame.points, frame.triangles, frame.objects,
    corner_count=frame.corner_count). Ghost cells are left out."""

    points: np.ndarray  #: (n, 3) float32 or float64
    triangles: np.ndarray  #: (m, 3) int64; (m, 4) where there are tetrahedra
    objects: np.ndarray | None  #: (m,) the object of each primitive; None: all are of one
    corner_count: np.ndarray | None  #: (m,) uint8, 3 or 4 corners of each; None: all have as many
    ids: np.ndarray | None  #: (m,) int64, PrimitiveId, or None
    time: float
    source_ids: np.ndarray | None = None  #: (m,) int64, what the source file calls each, or None
    cells: np.ndarray | None = None  #: (m,) int64, the number of each in the file; None: 0 to m - 1

    names: dict[int, str] | None = None  #: of objects that have one, by their numbers

    def rows(self, numbers: np.ndarray) -> np.ndarray:
        """The rows here of primitives with these numbers in the file, as results have them. They
        differ where there are ghost cells."""
        return numbers if self.cells is None else np.searchsorted(self.cells, numbers)


class _File:
    """A batch or a result: a sequence of frames, of which each is read when it is asked for. A slice is
    one, too, of the same open file: `batch[10:20]`. `times`: (frames,) float64. `names`: of objects
    that have one, by their numbers. `path`: of the file."""

    def __init__(self, file: Any):
        self.file = file
        self.path: str = file.filename
        self._root = file["VTKHDF"]
        self._steps = self._root.get("Steps")
        self.kind = _kind(self._root)
        self._all_times = np.zeros(1) if self._steps is None else _times(self._steps)
        self._frames = range(len(self._all_times))
        self.times = self._all_times

    def __len__(self) -> int:
        return len(self._frames)

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self)))

    def __getitem__(self, k: Any) -> Any:
        if isinstance(k, slice):
            view = copy.copy(self)
            view._frames, view.times = self._frames[k], self.times[k]
            return view
        at = self._at(k)
        with self._reading():
            return self._frame(at)

    def _at(self, k: Any) -> int:
        """The number in the file of frame k: an IndexError past the end; -1 is the last."""
        try:
            return self._frames[k]
        except TypeError:
            raise TypeError(f"{k!r} is not the number of a frame, nor a slice") from None
        except IndexError:
            raise IndexError(f"{self.path}: there is no frame {k}, of {len(self)}") from None

    def _frame(self, k: int) -> Any:
        raise NotImplementedError

    @property
    def closed(self) -> bool:
        return not self.file

    @contextmanager
    def _reading(self) -> Iterator[None]:
        if self.closed:
            raise error(lib.IMP_ERR_ARGUMENT, f"{self.path}: it is closed")
        with _damage(self.file):
            yield

    def __repr__(self) -> str:
        return shown(self)

    def _repr_html_(self) -> str:
        return shown_html(self)

    @functools.cached_property
    def names(self) -> dict[int, str]:
        with self._reading():
            extra = self.file.get("impinge", {})
            if "object_ids" not in extra or "object_names" not in extra:
                return {}
            ids = extra["object_ids"]
            return dict(zip(listed(ids, 0, len(ids)).tolist(), _texts(extra["object_names"])))

    def object_pairs(self, pairs: Iterable[tuple[Object, Object]]) -> list[tuple[int, int]]:
        """Pairs of objects, each by its number or its name, as the numbers that `object_pairs` of
        `contacts` and of a `Pipeline` needs."""
        number = functools.partial(object_number, names=self.names, what="object_pairs")
        return [(number(a), number(b)) for a, b in pairs]

    def _step(self, name: str, k: int, column: int = -1) -> int:
        """A value of Steps; `column` of those with one for each kind of cells."""
        if self._steps is None or name not in self._steps:
            return 0
        row = self._steps[name][k]
        return int(row if np.ndim(row) == 0 else row[min(column, len(row) - 1)])

    def close(self) -> None:
        """Closes the file, also of all slices of it."""
        self.file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_) -> None:
        self.close()


class Batch(_File):
    """Frames of triangles and tetrahedra: batch[k] is a `Frame`."""

    @property
    def sources(self) -> list[str]:
        """The file that each frame was made from by `convert`; empty where that is not known."""
        return [self._sources[k] for k in self._frames] if self._sources else []

    @functools.cached_property
    def _sources(self) -> list[str]:
        """Of all frames of the file."""
        with self._reading():
            extra = self.file.get("impinge", {})
            texts = _texts(extra["frame_sources"]) if "frame_sources" in extra else []
            if texts and len(texts) != len(self._all_times):
                raise _wrong(extra["frame_sources"], f"{len(texts)}, not one for each frame")
            return texts

    def _parts(self, k: int) -> range:
        if self._steps is None:
            return range(len(self._root["NumberOfPoints"]))
        first, count = self._step("PartOffsets", k), 1
        if "NumberOfParts" in self._steps:
            count = self._step("NumberOfParts", k)
        return range(first, first + count)

    def _frame(self, k: int) -> Frame:
        grid = self.kind == "UnstructuredGrid"
        cells = self._root if grid else self._root["Polygons"]
        parts = self._parts(k)
        vertices = _of(self._root["NumberOfPoints"], parts)
        first, count = self._cells(k)
        corner = _corners(cells, parts, vertices, self._step("ConnectivityIdOffsets", k, POLYGONS))
        types = listed(self._root["Types"], first, count) if grid else None
        triangles, corner_count = _shaped(corner, count, types, self._others(parts))
        kept = self._kept(k)
        names = ("ObjectId", "PrimitiveId", "SourceId")
        data = [_chosen(self._cell_rows(name, k), kept) for name in names]
        at = self._step("PointOffsets", k)
        points = _rows(self._root["Points"], at, int(vertices.sum()))
        time = float(self._all_times[k])
        if kept is not None:
            triangles, corner_count = triangles[kept], _chosen(corner_count, kept)
        return Frame(points, triangles, data[0], corner_count, data[1], time, data[2], kept, self.names)

    def cell_arrays(self, k: int) -> dict:
        """All arrays of CellData of frame k by their names, (m,) or (m, c), as they are."""
        k = self._at(k)
        with self._reading():
            names, kept = self._root.get("CellData", {}), self._kept(k)
            return {name: _chosen(self._cell_rows(name, k, _rows), kept) for name in names}

    def bodies(self, k: int) -> Bodies | None:
        """Poses and velocities of the rigid bodies in frame k, in the order of their objects
        (`file["impinge/bodies/object_id"]`); None: there are none."""
        k = self._at(k)
        with self._reading():
            group = self.file.get("impinge/bodies")
            if group is None:
                return None
            count = len(group["object_id"])
            names = ("centre", "rotation", "velocity", "angular_velocity")
            found = {name: _rows(group[name], k * count, count) for name in names if name in group}
            return Bodies(*(found.get(name, np.zeros((count, 3))) for name in names))

    def _cells(self, k: int) -> tuple[int, int]:
        """The first cell of a frame in the file, and their number."""
        cells = self._root if self.kind == "UnstructuredGrid" else self._root["Polygons"]
        count = int(_of(cells["NumberOfCells"], self._parts(k)).sum())
        return self._step("CellOffsets", k, POLYGONS), count

    def _others(self, parts: range) -> int:
        """Cells of PolyData that are no polygons, and rows of CellData besides theirs."""
        kinds = ("Vertices", "Lines", "Strips")
        counts = [self._root[kind]["NumberOfCells"] for kind in kinds if kind in self._root]
        return sum(int(_of(count, parts).sum()) for count in counts)

    def _cell_rows(self, name: str, k: int, read: Any = None) -> np.ndarray | None:
        """A list, unless `read` is _rows."""
        if name not in self._root.get("CellData", {}):
            return None
        first, count = self._cells(k)
        if self._steps is not None and name in self._steps.get("CellDataOffsets", {}):
            first = self._step(f"CellDataOffsets/{name}", k)
        return (read or listed)(self._root["CellData"][name], first, count)

    def _kept(self, k: int) -> np.ndarray | None:
        """The cells of a frame that are no ghosts, or None: none is."""
        ghost = self._cell_rows("vtkGhostType", k)
        if ghost is None or not (ghost & GHOST).any():
            return None
        return np.flatnonzero(ghost & GHOST == 0)


class Result(_File):
    """Contacts of each frame, or of each step between frames: result[k] is `Contacts`, whose `info`
    has the `time` of the frame as well."""

    def parts(self, k: int) -> list[Parts]:
        """The rows of the table of --csv with --thickness for frame k: `impinge.parts`."""
        return parts(self[k], names=self.names)

    def _frame(self, k: int) -> Contacts:
        data, extra = self._root["CellData"], self.file["impinge"]
        count = int(listed(self._root["Lines/NumberOfCells"], k, 1)[0])
        first = self._step("CellDataOffsets/PrimitiveA", k)
        arrays = {
            c.name: (_rows if c.shape else listed)(data[c.file], first, count)
            for c in columns
            if c.group == "CellData" and c.file in data
        }
        arrays["a"], arrays["b"] = (arrays[c].astype(np.uint32) for c in "ab")
        at = self._step("PointOffsets", k)
        arrays["ends"] = _rows(self._root["Points"], at, 2 * count).reshape(-1, 2, 3)
        for column in columns:
            if column.file_first and column.file in extra:
                starts = listed(extra[column.file_first], first, count + 1)
                begin, end = int(starts[0]), int(starts[-1])
                arrays[column.name] = _rows(extra[column.file], begin, end - begin)
                arrays[column.first] = starts - starts[0]
        info = {name: listed(extra[name], k, 1)[0].item() for name in _numbers if name in extra}
        info["bad"] = info.pop("bad_primitives", 0)
        info["entries_written"] = info.pop("touched", 0)
        info["time"] = float(self._all_times[k])
        if "relations" in extra:
            arrays["relations"] = self._table("relations", k, relation_dtype)
            arrays["swallowed"] = self._table("swallowed", k, swallowed_dtype)
            for name in ("closed", "open"):
                info[name] = int(listed(extra[f"{name}_objects"], k, 1)[0])
        found = Contacts(arrays, info)
        found._objects = Objects(names=self.names)
        return found

    def _table(self, name: str, k: int, dtype: np.dtype) -> np.recarray:
        """The rows of frame k of /impinge/relations or swallowed. A column of two numbers is in two
        datasets; -1 is no vertex."""
        group = self.file["impinge"][name]
        first, end = (int(n) for n in listed(group["offsets"], k, 2))
        rows = np.zeros(end - first, dtype)
        for column in dtype.names or ():
            for i, stored in enumerate(stored_columns[name][column]):
                values = listed(group[stored], first, end - first)
                to = rows[column] if rows[column].ndim == 1 else rows[column][:, i]
                to[:] = values.astype(to.dtype)
        return rows.view(np.recarray)


_numbers = (
    "input_frame", "candidates", "candidates_vf", "candidates_ee", "contacts", "undecided",
    "bad_primitives", "touched", "seconds", "checksum",
)  # fmt: skip


def _kind(root: Any) -> str:
    kind = root.attrs["Type"]
    return kind.decode() if isinstance(kind, bytes) else str(kind)


def _texts(data: Any) -> list[str]:
    rows = listed(data, 0, len(data))
    if rows.dtype.kind not in "SO":
        raise error(lib.IMP_ERR_INPUT, f"{data.file.filename}: {data.name}: has no texts")
    return [text.decode("utf-8", "replace") for text in rows]


def listed(data: Any, first: int, count: int) -> np.ndarray:
    """(count,) numbers of a list, from number `first` on. As in the program a list may be (n, 1)."""
    if data.ndim > 2 or (data.ndim == 2 and data.shape[1] != 1):
        raise _wrong(data, f"has the shape {data.shape}, not ({len(data)},)")
    return _rows(data, first, count).reshape(-1)


def _rows(data: Any, first: int, count: int) -> np.ndarray:
    """Rows of a dataset. Not more than it can have are taken to exist: what was never stored reads
    as zeros, of any number. HDF5 takes 7 kB for each chunk that a call reads."""
    end = first + count
    if not 0 <= first <= end <= len(data):
        raise _wrong(data, f"has {len(data)} rows, {count} are needed from {first} on")
    size = data.nbytes
    if size > UNSTORED and size > 64 * data.file.id.get_filesize() and not data.is_virtual:
        stored = data.id.get_storage_size()
        if size > 65536 * stored:
            raise _wrong(data, f"damaged: {len(data)} rows, for which {stored} bytes are stored")
    step = CHUNKS * data.chunks[0] if data.chunks else max(count, 1)
    if count <= step:
        return data[first:end]
    cuts = [first, *range((first // step + 1) * step, end, step), end]
    return np.concatenate([data[i:j] for i, j in zip(cuts, cuts[1:])])


@contextmanager
def _damage(file: Any) -> Iterator[None]:
    """What h5py and NumPy say of a file that lacks something, or has it in another form."""
    try:
        yield
    except (KeyError, IndexError, TypeError, ValueError, OSError) as e:
        if isinstance(e, ImpingeError):
            raise
        why = e.args[0] if e.args else e
        raise error(lib.IMP_ERR_INPUT, f"{file.filename}: damaged: {why}") from e


def _wrong(data: Any, what: str) -> Exception:
    return error(lib.IMP_ERR_INPUT, f"{data.file.filename}: {data.name}: {what}")


def _times(steps: Any) -> np.ndarray:
    """(frames,) float64, of a file with Steps: finite, as the program wants them."""
    times = listed(steps["Values"], 0, int(steps.attrs["NSteps"])).astype(np.float64)
    bad = np.flatnonzero(~np.isfinite(times))
    if len(bad):
        raise _wrong(steps["Values"], f"step {bad[0]} has the time {times[bad[0]]}")
    return times


def _chosen(rows: np.ndarray | None, kept: np.ndarray | None) -> np.ndarray | None:
    """Those that are kept; None: all."""
    return rows if rows is None or kept is None else rows[kept]


def _of(counts: Any, parts: range) -> np.ndarray:
    return listed(counts, parts.start, len(parts)).astype(np.int64)


def _corners(cells: Any, parts: range, vertices: np.ndarray, first: int) -> np.ndarray:
    """The connectivity of all parts, one after another, in vertex numbers of the frame."""
    ids = _of(cells["NumberOfConnectivityIds"], parts)
    corner = listed(cells["Connectivity"], first, int(ids.sum())).astype(np.int64)
    return corner + np.repeat(np.cumsum(vertices) - vertices, ids)


def _shaped(corner: np.ndarray, count: int, types: np.ndarray | None, others: int) -> tuple:
    """(m, 3) or (m, 4), and the corners of each primitive where they differ. Nothing but triangles
    and tetrahedra is read."""
    types = np.full(count, TRIANGLE, np.uint8) if types is None else types
    for given, linear in LINEAR.items():
        types = np.where(types == given, linear, types)
    corner_count = np.where(types == TETRAHEDRON, 4, 3).astype(np.uint8)
    known = np.isin(types, (TRIANGLE, TETRAHEDRON)).all()
    if others or not known or int(corner_count.sum()) != len(corner):
        raise error(lib.IMP_ERR_INPUT, "there are cells that are neither triangles nor tetrahedra")
    most = int(corner_count.max()) if count else 3
    if (corner_count == most).all():
        return corner.reshape(-1, most), None
    made = np.zeros((count, most), np.int64)
    made[np.arange(most) < corner_count[:, None]] = corner
    return made, corner_count


def has_other_files(file: Any) -> bool:
    """Whether parts of an open HDF5 file are in others: HDF5 waits for one that is a pipe, and
    reads zeros of one that is missing or shorter than it was. Nothing of them is opened here."""
    from h5py import h5d, h5g, h5l, h5o

    seen, left = set(), [file["/"].id]
    while left:  # groups may be in each other deeper than recursion goes
        group, links = left.pop(), []
        group.links.iterate(lambda name, info: links.append((name, info.type)), info=True)
        if any(kind == h5l.TYPE_EXTERNAL for _, kind in links):
            return True
        for name in (name for name, kind in links if kind == h5l.TYPE_HARD):
            at = h5g.get_objinfo(group, name)
            if at.type == h5g.GROUP and at.objno not in seen:
                left.append(h5o.open(group, name))
            elif at.type == h5g.DATASET:
                made = h5o.open(group, name).get_create_plist()
                if made.get_layout() == h5d.VIRTUAL or made.get_external_count():
                    return True
            seen.add(at.objno)
    return False


def open(file: str | os.PathLike[str]) -> Batch | Result:
    """Opens a batch or a result for reading, by h5py (`pip install 'impinge[files]'`): a sequence of
    `Frame` or of `Contacts`, of which each is read when it is asked for. An `InputError` says
    what is wrong with a damaged one."""
    import h5py

    file = one_file(file, "file")
    if os.path.exists(file) and not os.path.isfile(file):
        raise error(lib.IMP_ERR_INPUT, f"{os.fspath(file)}: not a file")
    try:
        opened = h5py.File(file, "r")
    except OSError as what:
        if what.errno is not None:  # it is missing, or not allowed
            raise type(what)(what.errno, os.strerror(what.errno), os.fspath(file)) from None
        text = f"{os.fspath(file)}: damaged, cut short or not HDF5: {what}"
        raise error(lib.IMP_ERR_INPUT, text) from what
    try:
        with _damage(opened):
            if has_other_files(opened):
                verify(file)
            root = opened["VTKHDF"]
            result = "PrimitiveA" in root.get("CellData", {}) and "Lines" in root
            return Result(opened) if result else Batch(opened)
    except BaseException:
        opened.close()
        raise
