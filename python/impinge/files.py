"""Batches and results, read by h5py. data/format.md describes both."""

from __future__ import annotations

import difflib
import functools
import os
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, Union

import numpy as np

from ._contacts import Contacts, titles
from ._library import error, lib
from .program import verify

TRIANGLE, TETRAHEDRON = 5, 10  # VTK's numbers
LINEAR = {69: 5, 76: 5, 71: 10, 78: 10}  # of Lagrange and Bezier cells without more nodes
POLYGONS = 2  # after vertices and lines, before strips
NEAR = 8  # names in a message
GHOST = 1 | 32  # of vtkGhostType: another piece has the cell, or it is hidden

Object = Union[int, str]


class Frame(NamedTuple):
    """A frame of a batch: contacts(frame.points, frame.triangles, frame.objects, own=frame.own).
    Ghost cells are left out."""

    points: np.ndarray  #: (n, 3) float32 or float64
    triangles: np.ndarray  #: (m, 3) int64; (m, 4) where there are tetrahedra
    objects: np.ndarray | None  #: (m,) the object of each primitive; None: all are of one
    own: np.ndarray | None  #: (m,) uint8, 3 or 4 corners of each; None: all have as many
    names: np.ndarray | None  #: (m,) int64, names of primitives, or None
    time: float
    source_ids: np.ndarray | None = None  #: (m,) int64, what the source file calls each, or None
    cells: np.ndarray | None = None  #: (m,) int64, the number of each in the file; None: 0 to m - 1

    def rows(self, numbers: np.ndarray) -> np.ndarray:
        """The rows here of primitives with these numbers in the file, as results have them. They
        differ where there are ghost cells."""
        return numbers if self.cells is None else np.searchsorted(self.cells, numbers)


class _File:
    """A batch or a result: a sequence of frames. `times`: (frames,) float64. `names`: of objects
    that have one, by their numbers."""

    def __init__(self, file: Any):
        self.file = file
        self._root = file["VTKHDF"]
        self._steps = self._root.get("Steps")
        self.kind = _kind(self._root)
        frames = 1 if self._steps is None else int(self._steps.attrs["NSteps"])
        self.times = np.zeros(frames) if self._steps is None else self._steps["Values"][:frames]

    def __len__(self) -> int:
        return len(self.times)

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self)))

    def __getitem__(self, k: int) -> Any:
        at = range(len(self))[k]  # an IndexError past the end; -1 is the last
        return self._frame(at)

    def _frame(self, k: int) -> Any:
        raise NotImplementedError

    @functools.cached_property
    def names(self) -> dict[int, str]:
        extra = self.file.get("impinge", {})
        if "object_ids" not in extra or "object_names" not in extra:
            return {}
        return dict(zip(extra["object_ids"][:].tolist(), _texts(extra["object_names"])))

    def object_pairs(self, pairs: Iterable[tuple[Object, Object]]) -> list[tuple[int, int]]:
        """Pairs of objects, each by its number or its name, as the numbers that `object_pairs` of
        `contacts` and of a `Pipeline` needs."""
        return [(self._object(a), self._object(b)) for a, b in pairs]

    def _object(self, which: Object) -> int:
        if not isinstance(which, str):
            return int(which)
        numbers = [number for number, name in self.names.items() if name == which]
        if len(numbers) == 1:
            return numbers[0]
        if numbers:
            some = ", ".join(map(str, numbers[:NEAR]))
            what = f"{which!r} is the name of {len(numbers)} objects, {some}"
        elif self.names:
            what = f"there is no object {which!r}; there is {_near(which, self.names.values())}"
        else:
            what = f"{which!r} is no number, and the objects have no names"
        raise error(lib.IMP_ERR_ARGUMENT, f"object_pairs: {what}")

    def _step(self, name: str, k: int, column: int = -1) -> int:
        """A value of Steps; `column` of those with one for each kind of cells."""
        if self._steps is None or name not in self._steps:
            return 0
        row = self._steps[name][k]
        return int(row if np.ndim(row) == 0 else row[min(column, len(row) - 1)])

    def close(self) -> None:
        self.file.close()

    def __enter__(self):
        return self

    def __exit__(self, *_) -> None:
        self.close()


class Batch(_File):
    """Frames of triangles and tetrahedra: batch[k] is a `Frame`."""

    @functools.cached_property
    def sources(self) -> list[str]:
        """The file that each frame was made from by `convert`; empty where that is not known."""
        extra = self.file.get("impinge", {})
        return _texts(extra["frame_sources"]) if "frame_sources" in extra else []

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
        types = self._root["Types"][first : first + count] if grid else None
        triangles, own = _shaped(corner, count, types, self._others(parts))
        kept = self._kept(k)
        data = [self._cell_data(name, k) for name in ("ObjectId", "PrimitiveId", "SourceId")]
        at = self._step("PointOffsets", k)
        points = self._root["Points"][at : at + int(vertices.sum())]
        time = float(self.times[k])
        if kept is not None:
            triangles, own = triangles[kept], None if own is None else own[kept]
        return Frame(points, triangles, data[0], own, data[1], time, data[2], kept)

    def cell_arrays(self, k: int) -> dict:
        """All arrays of CellData of frame k by their names, (m,) or (m, c), as they are."""
        k = range(len(self))[k]
        return {name: self._cell_data(name, k) for name in self._root.get("CellData", {})}

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

    def _cell_data(self, name: str, k: int) -> np.ndarray | None:
        rows, kept = self._rows(name, k), self._kept(k)
        return rows if rows is None or kept is None else rows[kept]

    def _rows(self, name: str, k: int) -> np.ndarray | None:
        if name not in self._root.get("CellData", {}):
            return None
        first, count = self._cells(k)
        if self._steps is not None and name in self._steps.get("CellDataOffsets", {}):
            first = int(self._steps["CellDataOffsets"][name][k])
        return self._root["CellData"][name][first : first + count]

    def _kept(self, k: int) -> np.ndarray | None:
        """The cells of a frame that are no ghosts, or None: none is."""
        ghost = self._rows("vtkGhostType", k)
        if ghost is None or not (ghost & GHOST).any():
            return None
        return np.flatnonzero(ghost & GHOST == 0)


class Result(_File):
    """Contacts of each frame, or of each step between frames: result[k] is `Contacts`, whose `info`
    has the `time` of the frame as well."""

    def _frame(self, k: int) -> Contacts:
        data, extra = self._root["CellData"], self.file["impinge"]
        count = int(self._root["Lines/NumberOfCells"][k])
        first = int(self._steps["CellDataOffsets/PrimitiveA"][k])
        rows = slice(first, first + count)
        columns = {name: data[title][rows] for name, title in titles.items() if title in data}
        columns["a"], columns["b"] = (columns[c].astype(np.uint32) for c in "ab")
        at = self._step("PointOffsets", k)
        columns["point"] = self._root["Points"][at : at + 2 * count].reshape(-1, 2, 3)
        if "points" in extra:
            starts = extra["point_offsets"][first : first + count + 1]
            columns["collision"] = extra["points"][int(starts[0]) : int(starts[-1])]
            columns["collision_first"] = starts - starts[0]
        info = {name: extra[name][k].item() for name in _numbers if name in extra}
        info["bad"] = info.pop("bad_primitives", 0)
        info["time"] = float(self.times[k])
        return Contacts(columns, info)


_numbers = (
    "input_frame", "candidates", "candidates_vf", "candidates_ee", "contacts", "undecided",
    "bad_primitives", "touched", "seconds", "checksum",
)  # fmt: skip


def _kind(root: Any) -> str:
    kind = root.attrs["Type"]
    return kind.decode() if isinstance(kind, bytes) else str(kind)


def _texts(data: Any) -> list[str]:
    rows = data[:]
    if rows.dtype.kind not in "SO":
        raise error(lib.IMP_ERR_INPUT, f"{data.file.filename}: {data.name}: has no texts")
    return [text.decode("utf-8", "replace") for text in rows]


def _of(counts: Any, parts: range) -> np.ndarray:
    return counts[parts.start : parts.stop].astype(np.int64)


def _corners(cells: Any, parts: range, vertices: np.ndarray, first: int) -> np.ndarray:
    """The connectivity of all parts, one after another, in vertex numbers of the frame."""
    ids = _of(cells["NumberOfConnectivityIds"], parts)
    corner = cells["Connectivity"][first : first + int(ids.sum())].astype(np.int64)
    return corner + np.repeat(np.cumsum(vertices) - vertices, ids)


def _shaped(corner: np.ndarray, count: int, types: np.ndarray | None, others: int) -> tuple:
    """(m, 3) or (m, 4), and the corners of each primitive where they differ. Nothing but triangles
    and tetrahedra is read."""
    types = np.full(count, TRIANGLE, np.uint8) if types is None else types
    for given, linear in LINEAR.items():
        types = np.where(types == given, linear, types)
    own = np.where(types == TETRAHEDRON, 4, 3).astype(np.uint8)
    known = np.isin(types, (TRIANGLE, TETRAHEDRON)).all()
    if others or not known or int(own.sum()) != len(corner):
        raise error(lib.IMP_ERR_INPUT, "there are cells that are neither triangles nor tetrahedra")
    most = int(own.max()) if count else 3
    if (own == most).all():
        return corner.reshape(-1, most), None
    made = np.zeros((count, most), np.int64)
    made[np.arange(most) < own[:, None]] = corner
    return made, own


def _near(name: str, names: Iterable[str]) -> str:
    """Those that may have been meant, or all: "cloth, ball and 3 more"."""
    known, low = list(dict.fromkeys(names)), name.lower()
    close = difflib.get_close_matches(low, [other.lower() for other in known], len(known) or 1)
    found = [
        other
        for other in known
        if other.lower() in close or low in other.lower() or other.lower() in low
    ]
    some = found or known
    more = f" and {len(some) - NEAR} more" if len(some) > NEAR else ""
    return ", ".join(some[:NEAR]) + more


def has_other_files(file: Batch | Result) -> bool:
    """Whether rows are in other files, as those of a join: HDF5 reads zeros of one that is missing
    or shorter than it was."""
    found = []

    def look(_: str, item: Any) -> None:
        if getattr(item, "is_virtual", False) or getattr(item, "external", None):
            found.append(item)

    file.file["VTKHDF"].visititems(look)
    return bool(found)


def open(file: str | os.PathLike[str]) -> Batch | Result:
    """Opens a batch or a result for reading, by h5py (`pip install impinge[files]`): a sequence of
    `Frame` or of `Contacts`, of which each is read when it is asked for."""
    import h5py

    opened = h5py.File(file, "r")
    try:
        root = opened["VTKHDF"]
        result = "PrimitiveA" in root.get("CellData", {}) and "Lines" in root
        made = Result(opened) if result else Batch(opened)
        if has_other_files(made):
            verify(file)
        return made
    except BaseException:
        opened.close()
        raise
