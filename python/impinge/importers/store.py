"""The writer of batches: a VTKHDF file to which frames are appended (data/format.md)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._cells import TRIANGLE, Mesh
from .._sink import Sink, uninterrupted

_rows = {  # type and columns of what grows
    "NumberOfPoints": (np.int64, 0),
    "NumberOfCells": (np.int64, 0),
    "NumberOfConnectivityIds": (np.int64, 0),
    "Points": (np.float32, 3),
    "Types": (np.uint8, 0),
    "Offsets": (np.int64, 0),
    "Connectivity": (np.int64, 0),
    "CellData/ObjectId": (np.int32, 0),
}
_CELLS = ("NumberOfCells", "NumberOfConnectivityIds", "Offsets", "Connectivity")
_POLYGONS = 2  # after vertices and lines, before strips
_FEW, _MANY = 1024, 16384  # rows of a chunk, at least and at most


def _same_cells(one: Mesh, other: Mesh) -> bool:
    """Are they the same arrays? Equal ones are found by their contents."""
    names = "types", "ends", "corners", "objects", "names", "ids", "arrays"
    same = all(getattr(one, name) is getattr(other, name) for name in names)
    return same and len(one.points) == len(other.points)


def _arrays(mesh: Mesh) -> dict:
    """Of its cells: what the file calls them, if anything, and those that it has."""
    return mesh.arrays if mesh.ids is None else {"SourceId": mesh.ids, **mesh.arrays}


class Store:
    """Frames, each of one part or, of several bodies, of a part for each. PolyData where all cells are
    triangles, else an UnstructuredGrid. The same frames give the same bytes."""

    def __init__(self, path: str):
        import h5py

        self._sink = Sink(path)
        self.file = h5py.File(self._sink, "w")
        self.root = self.file.create_group("VTKHDF")
        self.root.attrs["Version"] = np.array([2, 0])
        self.names: dict = {}  # of objects
        self.sources: list = []  # of frames
        self._kinds = dict(_rows)
        self._data: dict = {}  # datasets that there are
        self._steps: list = []  # time, part, parts, point, cell, corner of each frame
        self._kept: list = []  # cell arrays besides ObjectId
        self._same: Any = None  # the topology before, and where it is
        self._meshes: list = []  # the frame before
        self._starts: tuple = ()

    def _put(self, name: str, rows: np.ndarray, **how: Any) -> Any:
        """A new dataset, without the time of its making."""
        return self.root.create_dataset(name, data=rows, track_times=False, **how)

    def _append(self, name: str, rows: Any) -> int:
        """Returns the row where they begin."""
        if name not in self._data:
            kind, columns = self._kinds[name]
            width = (columns,) if columns else ()
            chunks = (min(max(len(rows), _FEW), _MANY), *width)
            none = np.zeros((0, *width), kind)
            self._data[name] = self._put(name, none, maxshape=(None, *width), chunks=chunks)
        data = self._data[name]
        at = len(data)
        data.resize(at + len(rows), 0)
        data[at:] = rows
        return at

    def _length(self, name: str) -> int:
        return len(self._data[name]) if name in self._data else 0

    def _widen(self) -> None:
        """Points are float64 from now on, those that are there already too."""
        self._kinds["Points"] = (np.float64, 3)
        old = self._data.pop("Points", None)
        if old is None:
            return
        del self.root["Points"]
        for at in range(0, len(old), 1 << 20):
            self._append("Points", old[at : at + (1 << 20)])

    def _objects(self, mesh: Mesh) -> np.ndarray:
        numbers = [self.names.setdefault(name, len(self.names)) for name in mesh.names]
        return np.array(numbers, np.int32)[mesh.objects]

    def _topology(self, meshes: list, objects: list) -> tuple:
        """Where parts, cells, corners and objects begin, which are shared with the frame before."""
        before, self._meshes = self._meshes, meshes
        if len(before) == len(meshes) and all(map(_same_cells, before, meshes)):
            return self._starts
        key: list = [
            np.asarray(a).tobytes()
            for m, o in zip(meshes, objects)
            for a in (m.types, m.ends, m.corners, o, len(m.points), *_arrays(m).values())
        ]
        key += [list(_arrays(mesh)) for mesh in meshes]
        if key == self._same:
            return self._starts
        start = [self._length("NumberOfPoints"), self._cells(), self._length("Connectivity")]
        for mesh, of in zip(meshes, objects):
            self._append("NumberOfPoints", [len(mesh.points)])
            self._append("NumberOfCells", [len(mesh.types)])
            self._append("NumberOfConnectivityIds", [len(mesh.corners)])
            self._append("Offsets", np.concatenate([[0], mesh.ends]))
            self._types(mesh.types)
            self._append("Connectivity", mesh.corners)
            self._append("CellData/ObjectId", of)
        for name, rows in self._cell_arrays(meshes).items():
            self._append_cells(name, rows, start[1])
        self._same, self._starts = key, tuple(start)
        return self._starts

    def _cells(self) -> int:
        """Of all parts. ObjectId has a row for each, until the file is closed."""
        return self._length("CellData/ObjectId")

    def _types(self, types: np.ndarray) -> None:
        """They are not stored as long as all cells are triangles."""
        if "Types" not in self._data:
            if (types == TRIANGLE).all():
                return
            before = self._cells()
            for at in range(0, before, 1 << 20):
                self._append("Types", np.full(min(1 << 20, before - at), TRIANGLE, np.uint8))
        self._append("Types", types)

    def _cell_arrays(self, meshes: list) -> dict:
        """Rows of all bodies: what the files call their cells, and arrays that any body has."""
        made, given = {}, [_arrays(mesh) for mesh in meshes]
        for name in dict.fromkeys([*(name for one in given for name in one), *self._kept]):
            each = [
                one.get(name, np.zeros(len(mesh.types), np.int32))
                for mesh, one in zip(meshes, given)
            ]
            made[name] = np.concatenate(each)
        return made

    def _append_cells(self, name: str, rows: np.ndarray, first: int) -> None:
        """Cells before `first` that lack the array have 0. An array has the rows of CellOffsets."""
        path = f"CellData/{name}"
        if name not in self._kept:
            self._kept.append(name)
            self._kinds[path] = (np.int64, 0)
            self._append(path, np.zeros(first, np.int64))
        self._append(path, rows)

    def add(self, meshes: list, time: float, source: str) -> None:
        """A frame."""
        with uninterrupted():
            self._add(meshes, time, source)
        self.check()

    def _add(self, meshes: list, time: float, source: str) -> None:
        wide = any(mesh.points.dtype == np.float64 for mesh in meshes)
        if wide and self._kinds["Points"][0] == np.float32:
            self._widen()
        part, cell, corner = self._topology(meshes, [self._objects(m) for m in meshes])
        at = self._length("Points")
        for mesh in meshes:
            self._append("Points", mesh.points)
        self._steps.append((time, part, len(meshes), at, cell, corner))
        self.sources.append(source)

    def _texts(self, name: str, texts: list) -> None:
        import h5py

        coded = [text.encode("utf-8", "replace") for text in texts]
        kind = h5py.string_dtype("utf-8", max(1, *map(len, coded)))
        self._put(f"/impinge/{name}", np.array(coded, kind), dtype=kind)

    def _renumber(self) -> None:
        """Objects that have numbers alone keep them; one without a name is 0."""
        numbers = np.array([name or 0 for name in self.names], np.int32)
        if (numbers == np.arange(len(numbers))).all():
            return
        data = self.root["CellData/ObjectId"]
        for at in range(0, len(data), 1 << 20):
            data[at : at + (1 << 20)] = numbers[data[at : at + (1 << 20)]]

    def _form(self) -> bool:
        """The parts of the format that depend on all cells. Are they triangles?"""
        for name in ("Points", *_CELLS, "NumberOfPoints", "CellData/ObjectId"):
            self._append(name, np.zeros((0, 3) if name == "Points" else 0))
        plain = "Types" not in self._data
        self.root.attrs["Type"] = np.bytes_("PolyData" if plain else "UnstructuredGrid")
        if not plain:
            return False
        for name in _CELLS:
            self.root.move(name, f"Polygons/{name}")
        none = np.zeros(self._length("NumberOfPoints"), np.int64)
        for kind in ("Vertices", "Lines", "Strips"):
            for name in _CELLS:
                self._put(f"{kind}/{name}", none[:0] if name == "Connectivity" else none)
        return True

    def _write_steps(self, plain: bool) -> None:
        columns = list(zip(*self._steps)) or [()] * 6
        names = ("PartOffsets", "NumberOfParts", "PointOffsets", "CellOffsets")
        self._put("Steps/Values", np.array(columns[0], np.float64))
        self.root["Steps"].attrs["NSteps"] = len(self._steps)
        for name, rows in zip((*names, "ConnectivityIdOffsets"), columns[1:]):
            made = np.array(rows, np.int64)
            if name[0] == "C":
                of_kinds = np.zeros((len(made), 4 if plain else 1), np.int64)
                of_kinds[:, _POLYGONS if plain else 0] = made
                made = of_kinds
            self._put(f"Steps/{name}", made)
        self.root.create_group("Steps/CellDataOffsets")
        for name in ("ObjectId", *self._kept):
            self._put(f"Steps/CellDataOffsets/{name}", np.array(columns[4], np.int64))

    def finish(self, names: dict | None = None) -> None:
        """All but closing: what is known only now. `names`: of objects that have numbers."""
        with uninterrupted():
            self._finish(names)

    def _finish(self, names: dict | None) -> None:
        self._write_steps(self._form())
        self.file.create_group("impinge")
        named = {number: name for name, number in self.names.items() if name != ""}
        if all(isinstance(name, int) or name == "" for name in self.names):
            self._renumber()
            named = names or {}
        if set(self.names) <= {""} and not named:  # one object without a name is none
            del self.root["CellData/ObjectId"], self.root["Steps/CellDataOffsets/ObjectId"]
        if named:
            self._put("/impinge/object_ids", np.array(sorted(named), np.int32))
            self._texts("object_names", [str(named[number]) for number in sorted(named)])
        if any(self.sources):
            self._texts("frame_sources", self.sources)

    def check(self) -> None:
        """Raises what a write has failed with."""
        if self._sink.error is not None:
            raise self._sink.error

    def abandon(self) -> None:
        """Closes what is not whole, and will be removed."""
        with uninterrupted():
            self.file.close()
            self._sink.close()

    def close(self, names: dict | None = None) -> None:
        """Of a file that is whole; raises where it is not."""
        self.finish(names)
        self.abandon()
        self.check()
