"""What is exported: moments, one for each frame, of a file or of what is in memory."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .._contacts import Contacts
from .._contours import Contours
from .._library import error, install, lib
from .._meshes import mesh_of
from ..files import Batch, Frame, Result, _damage, _rows, listed, open

#: Cell arrays of files of `--counts` and `--regions`; the first that is there gives the colours.
HEATS = (
    "Contacts", "RegionArea", "LeastDistance", "DeepestPenetration", "Depth", "Region", "RegionShare",
)  # fmt: skip


_NONE = np.zeros((2, 0), np.int32)  # objects of no contours


class Curves(NamedTuple):
    """Contours of a frame: those of `Contours`, or of a file."""

    points: np.ndarray  #: (p, 3)
    offsets: np.ndarray  #: (n + 1,)
    closed: np.ndarray  #: (n,) bool: the last point is joined with the first, which is not repeated
    length: np.ndarray
    object_a: np.ndarray
    object_b: np.ndarray


class Moment(NamedTuple):
    """A frame of what is exported; None: it has no such part."""

    contacts: Contacts | None = None
    curves: Curves | None = None
    frame: Frame | None = None
    values: dict[str, np.ndarray] | None = None  #: (m,) of each primitive of the frame


class Given:
    """A sequence of moments. times: (n,) float64, or None: one moment without a time. frames: (n,)
    the number of each in the batch. names: of objects. sources: files that the batch was made of.
    notes: what is left out, and why."""

    def __init__(self) -> None:
        self.times: np.ndarray | None = None
        self.frames = np.zeros(1, np.int64)
        self.names: dict[int, str] = {}
        self.sources: list[str] = []
        self.notes: list[str] = []
        self.parts: set[str] = set()  #: of "contacts", "curves" and "heat"

    def __len__(self) -> int:
        return len(self.frames)

    def contacts(self, k: int) -> Contacts | None:
        return None

    def greatest(self, k: int) -> float:
        """Of the numbers that give the colours of a heat map."""
        return 0.0

    def moment(self, k: int) -> Moment:
        raise NotImplementedError


def bad(text: str) -> Exception:
    return error(lib.IMP_ERR_ARGUMENT, text)


def wrong(text: str) -> Exception:
    return error(lib.IMP_ERR_INPUT, text)


def opened(file: Any) -> Any:
    """A batch or a result, or an error that names the file."""
    try:
        return open(file)
    except ImportError as what:
        raise bad(f"{os.fspath(file)}: to read it: {install('files')} ({what})") from None
    except OSError as what:
        why = str(what) if os.path.exists(file) else "no such file"
        raise wrong(f"{os.fspath(file)}: {why}") from what


def count(contacts: Contacts, frame: Frame) -> np.ndarray:
    """(m,) the contacts of each primitive."""
    rows = np.concatenate([frame.rows(contacts.a), frame.rows(contacts.b)])
    return np.bincount(rows.astype(np.int64), minlength=len(frame.triangles))


def curves_of(found: Contours) -> Curves:
    return Curves(*(getattr(found, name) for name in Curves._fields))


# ---- results


class OfResult(Given):
    """A result of `run` or `pcs`, with its batch if that is known: heat maps, and contours where the
    contacts have features at their ends."""

    def __init__(self, result: Result, batch: Any, heat: bool, contours: Any):
        super().__init__()
        self._result = result
        self._read: tuple = (-1, None)  # the last frame that was read
        self._batch: Batch | None = None
        extra = result.file["impinge"]
        done = min(len(result), int(extra["frames_done"][()]))
        self.times, self.names = result.times[:done], result.names
        self.frames = listed(extra["input_frame"], 0, done)
        options = extra.attrs.get("options", b"")
        self._options = options.decode() if isinstance(options, bytes) else str(options)
        if done < len(result):
            self.notes.append(f"the result is not complete: {done} of {len(result)} frames")
        self.parts = {"contacts"}
        ends = "EndFeatures" in result.file["VTKHDF/CellData"] and contours is None
        self._find(batch, heat or ends)
        self._heat = heat and self._batch is not None
        self.parts |= {"heat"} if self._heat else set()
        self._curves = contours
        self._ends = ends and self._batch is not None and self._has_objects()
        if contours is not None:
            self._match(contours)
        if self._ends or contours is not None:
            self.parts.add("curves")

    def _find(self, given: Any, wanted: bool) -> None:
        """The batch, as the page of `report` finds it."""
        from .._report.batch import source
        from .._report.sums import Sums

        if not wanted:
            return
        path = Path(self._result.file.filename)
        if isinstance(given, Batch):
            given = given.file.filename
        found = source(self._result, Sums(self._result), path, given)
        self._batch = found.batch
        if found.batch is not None:
            self.sources = found.batch.sources
        elif given is not None:
            raise wrong(found.reason)
        else:
            self.notes.append(f"no heat map: {found.reason}")

    def _has_objects(self) -> bool:
        """Whether the objects of the run are in the batch."""
        if "objects=connected" not in self._options:
            return True
        why = "the objects of the run are connected parts, which the batch does not have"
        self.notes.append(f"no contours: {why}; --contours FILE has them")
        return False

    def _match(self, contours: Given) -> None:
        assert self.times is not None and contours.times is not None
        if self.times.tobytes() != contours.times.tobytes():
            raise wrong("contours: the file has other frames than the result")

    def contacts(self, k: int) -> Contacts:
        """Each frame is read once for all that is asked of it in a row."""
        if self._read[0] != k:
            self._read = k, self._result[k]
        return self._read[1]

    def greatest(self, k: int) -> float:
        if not self._heat:
            return 0.0
        found = self.contacts(k)
        rows = np.concatenate([found.a, found.b]).astype(np.int64)
        return float(np.bincount(rows).max()) if len(rows) else 0.0

    def moment(self, k: int) -> Moment:
        found = self.contacts(k)
        frame = None
        if self._batch is not None and (self._heat or self._ends):
            frame = self._framed(int(self.frames[k]))
        curves = self._curves.moment(k).curves if self._curves is not None else None
        if self._ends and frame is not None:
            rows = found if frame.cells is None else _renumbered(found, frame)
            curves = curves_of(
                rows.contours(frame.points, frame.triangles, frame.objects, frame.corner_count)
            )
        values = {"contacts": count(found, frame)} if self._heat and frame is not None else None
        return Moment(found, curves, frame if self._heat else None, values)

    def _framed(self, k: int) -> Frame:
        """A frame with the objects that the run had."""
        assert self._batch is not None
        frame = self._batch[k]
        words = [word for word in self._options.split() if word.startswith("objects=array:")]
        if not words:
            return frame
        name = words[0].partition(":")[2]
        return frame._replace(objects=self._batch.cell_arrays(k)[name].astype(np.int32))


def _renumbered(found: Contacts, frame: Frame) -> Contacts:
    """Primitives by their rows in a frame without its ghosts."""
    arrays = {name: getattr(found, name) for name in ("kind", "ends", "end_features")}
    for name in "ab":
        arrays[name] = frame.rows(getattr(found, name)).astype(np.uint32)
    return Contacts(arrays, found.info)


# ---- files beside results


class OfContours(Given):
    """A file of `run --contours`."""

    def __init__(self, file: Batch):
        super().__init__()
        self._file, self._root = file, file.file["VTKHDF"]
        self.times, self.names = file.times, file.names
        self.frames = np.arange(len(file))
        self.parts = {"curves"}

    def moment(self, k: int) -> Moment:
        with _damage(self._file.file):
            return Moment(curves=self._at(k))

    def _at(self, k: int) -> Curves:
        lines, data = self._root["Lines"], self._root["CellData"]
        part = self._file._step("PartOffsets", k)
        cells = int(listed(lines["NumberOfCells"], part, 1)[0])
        corners = int(listed(lines["NumberOfConnectivityIds"], part, 1)[0])
        points = int(listed(self._root["NumberOfPoints"], part, 1)[0])
        if not cells:  # the part of all frames without
            none = np.zeros(0)
            return Curves(np.zeros((0, 3)), np.zeros(1, np.int64), none != 0, none, *_NONE)
        before = int(listed(lines["NumberOfCells"], 0, part).sum()) + part
        ends = listed(lines["Offsets"], before, cells + 1).astype(np.int64)
        at = self._file._step("ConnectivityIdOffsets", k, 1)
        corner = listed(lines["Connectivity"], at, corners).astype(np.int64)
        at = self._file._step("PointOffsets", k)
        xyz = _rows(self._root["Points"], at, points)
        columns = []
        for name in ("Closed", "Length", "ObjectA", "ObjectB"):
            row = self._file._step(f"CellDataOffsets/{name}", k)
            columns.append(listed(data[name], row, cells))
        closed = columns[0] != 0
        kept = np.ones(len(corner), bool)
        kept[ends[1:][closed] - 1] = False  # a closed one ends with its first point again
        offsets = ends - np.append(0, np.cumsum(closed))
        return Curves(xyz[corner[kept]], offsets, closed, *columns[1:])


class OfMesh(Given):
    """A file of `run --counts` or `--regions`: the mesh of each frame with numbers on its cells."""

    def __init__(self, batch: Batch):
        super().__init__()
        self._batch, data = batch, batch.file["VTKHDF/CellData"]
        self._names = [name for name in HEATS if name in data]
        self.times, self.names, self.sources = batch.times, batch.names, batch.sources
        self.frames = np.arange(len(batch))
        self.parts = {"heat"}

    def greatest(self, k: int) -> float:
        values = self._batch.cell_arrays(k)[self._names[0]]
        values = values[np.isfinite(values)]
        return float(values.max()) if len(values) else 0.0

    def moment(self, k: int) -> Moment:
        arrays = self._batch.cell_arrays(k)
        values = {name[0].lower() + name[1:]: arrays[name] for name in self._names}
        return Moment(frame=self._batch[k], values=values)


# ---- what is in memory


class OfArrays(Given):
    """`Contacts` or `Contours`, of one frame or of a list of them; one mesh for all of them, or a list."""

    def __init__(self, found: Any, batch: Any):
        super().__init__()
        several = not isinstance(found, (Contacts, Contours))
        self._found = list(found) if several else [found]
        kinds = {Contacts if isinstance(one, Contacts) else type(one) for one in self._found}
        if not kinds <= {Contacts, Contours} or len(kinds) > 1:
            raise bad("export: not a result file, nor Contacts or Contours, nor a list of either")
        self.parts = {"curves" if kinds == {Contours} else "contacts"}
        self.frames = np.arange(len(self._found))
        times = [getattr(one, "info", {}).get("time") for one in self._found]
        if several or times[0] is not None:
            self.times = np.array([k if t is None else t for k, t in enumerate(times)], np.float64)
        for one in self._found:
            self.names.update(getattr(one, "names", None) or {})
        self._frames: list[Frame] = []
        if batch is not None:
            if kinds == {Contours}:
                raise bad("batch is for the heat map of contacts; these are contours")
            meshes = batch if isinstance(batch, list) and len(batch) == len(self) else [batch]
            meshes = meshes * (len(self) // len(meshes))
            for frame, names in map(_frame_of, meshes):
                self._frames.append(frame)
                self.names = {**names, **self.names}
            self.parts.add("heat")

    def contacts(self, k: int) -> Contacts | None:
        return self._found[k] if "contacts" in self.parts else None

    def greatest(self, k: int) -> float:
        values = self.moment(k).values
        return float(values["contacts"].max()) if values and len(values["contacts"]) else 0.0

    def moment(self, k: int) -> Moment:
        found = self._found[k]
        if isinstance(found, Contours):
            return Moment(curves=curves_of(found))
        frame = self._frames[k] if self._frames else None
        if frame is None:
            return Moment(found)
        rows = [found.a.max(), found.b.max()] if len(found) else [-1]
        last = len(frame.triangles) if frame.cells is None else int(frame.cells[-1]) + 1
        if max(rows) >= last:
            raise wrong(
                f"batch: frame {k}: the mesh has {last} primitives, contacts have {max(rows)}"
            )
        return Moment(found, None, frame, {"contacts": count(found, frame)})


def _frame_of(mesh: Any) -> tuple[Frame, dict[int, str]]:
    """And the names of its objects, where it has some."""
    if isinstance(mesh, Frame):
        return mesh, {}
    objects = None
    if isinstance(mesh, tuple) and len(mesh) == 3:
        *mesh, objects = mesh
    made = mesh_of(tuple(mesh) if isinstance(mesh, list) else mesh, "batch")
    objects = made.objects if objects is None else np.asarray(objects)
    triangles = np.asarray(made.triangles)
    points = np.asarray(made.points)
    return Frame(points, triangles, objects, made.corner_count, None, 0.0), made.names or {}


# ---- what there is


def _is_contours(file: Any) -> bool:
    data = file.file["VTKHDF"].get("CellData", {})
    return isinstance(file, Batch) and "Contour" in data and "Closed" in data


def _is_mesh(file: Any) -> bool:
    data = file.file["VTKHDF"].get("CellData", {})
    return isinstance(file, Batch) and any(name in data for name in HEATS)


def given(result: Any, batch: Any, contours: Any, heat: bool, keep: Any) -> Given:
    """What `export` is given. keep: opens a file until all is written."""
    if isinstance(result, (Contacts, Contours)) or (
        isinstance(result, Sequence) and not isinstance(result, (str, Result, Batch))
    ):
        if contours is not None:
            raise bad("contours is a file beside a result file; export Contours by themselves")
        return OfArrays(result, batch)
    if isinstance(result, (str, os.PathLike)):
        result = keep(opened(result))
    curves = None
    if contours is not None:
        file = keep(opened(contours))
        if not _is_contours(file):
            raise wrong(f"{file.file.filename}: is no file of run --contours")
        curves = OfContours(file)
    if isinstance(result, Result):
        if "frames_done" not in result.file.get("impinge", {}):
            name = f"{result.file.filename}: /impinge/frames_done"
            raise wrong(f"{name}: missing; not a result of impinge")
        return OfResult(result, batch, heat, curves)
    if not isinstance(result, Batch):
        raise bad("export: not a result file, nor Contacts or Contours, nor a list of either")
    if batch is not None or contours is not None:
        raise bad(f"{result.file.filename}: batch and contours are for a result of run")
    if _is_contours(result):
        return OfContours(result)
    if _is_mesh(result):
        return OfMesh(result)
    raise wrong(
        f"{result.file.filename}: not a result, nor a file of --contours, --counts or --regions"
    )
