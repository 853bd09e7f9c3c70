"""The temporary file: a VTKHDF UnstructuredGrid, to which frames are appended (data/format.md)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .mesh import Mesh

_rows = {  # type and columns of what grows
    "NumberOfPoints": (np.int64, 0),
    "NumberOfCells": (np.int64, 0),
    "NumberOfConnectivityIds": (np.int64, 0),
    "Points": (np.float32, 3),
    "Types": (np.uint8, 0),
    "Offsets": (np.int64, 0),
    "Connectivity": (np.int64, 0),
    "CellData/ObjectId": (np.int32, 0),
    "Steps/Values": (np.float64, 0),
    "Steps/PartOffsets": (np.int64, 0),
    "Steps/NumberOfParts": (np.int64, 0),
    "Steps/PointOffsets": (np.int64, 0),
    "Steps/CellOffsets": (np.int64, 0),
    "Steps/ConnectivityIdOffsets": (np.int64, 0),
    "Steps/CellDataOffsets/ObjectId": (np.int64, 0),
}


def _same_cells(one: Mesh, other: Mesh) -> bool:
    """Are they the same arrays? Equal ones are found by their contents."""
    names = "types", "ends", "corners", "objects", "names", "ids", "arrays"
    same = all(getattr(one, name) is getattr(other, name) for name in names)
    return same and len(one.points) == len(other.points)


class Store:
    """Frames, each of one part or, of several bodies, of a part for each."""

    def __init__(self, path: str):
        import h5py

        self.file = h5py.File(path, "w-")
        self.root = self.file.create_group("VTKHDF")
        self.root.attrs["Version"] = np.array([2, 0])
        self.root.attrs["Type"] = np.bytes_("UnstructuredGrid")
        self.names: dict = {}  # of objects
        self.sources: list = []  # of frames
        self._kept: list = []  # cell arrays besides ObjectId
        self._same: Any = None  # the topology before, and where it is
        self._meshes: list = []  # the frame before
        self._starts: tuple = ()
        for name, (kind, columns) in _rows.items():
            self._make(name, kind, columns)

    def _make(self, name: str, kind: Any, columns: int) -> None:
        width = (columns,) if columns else ()
        self.root.create_dataset(
            name, (0, *width), kind, maxshape=(None, *width), chunks=(16384, *width)
        )

    def _append(self, name: str, rows: Any) -> int:
        """Returns the row where they begin."""
        data = self.root[name]
        at = len(data)
        data.resize(at + len(rows), 0)
        data[at:] = rows
        return at

    def _widen(self) -> None:
        """Points are float64 from now on, those that are there already too."""
        old = self.root["Points"]
        del self.root["Points"]
        self._make("Points", np.float64, 3)
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
        key = [
            np.asarray(a).tobytes()
            for m, o in zip(meshes, objects)
            for a in (m.types, m.ends, m.corners, o, len(m.points), m.ids, *m.arrays.values())
        ]
        key += [list(mesh.arrays) for mesh in meshes]
        if key == self._same:
            return self._starts
        start = [len(self.root[name]) for name in ("NumberOfPoints", "Types", "Connectivity")]
        for mesh, of in zip(meshes, objects):
            self._append("NumberOfPoints", [len(mesh.points)])
            self._append("NumberOfCells", [len(mesh.types)])
            self._append("NumberOfConnectivityIds", [len(mesh.corners)])
            self._append("Offsets", np.concatenate([[0], mesh.ends]))
            self._append("Types", mesh.types)
            self._append("Connectivity", mesh.corners)
            self._append("CellData/ObjectId", of)
        for name, rows in self._cell_arrays(meshes).items():
            self._append_cells(name, rows, start[1])
        self._same, self._starts = key, tuple(start)
        return self._starts

    def _cell_arrays(self, meshes: list) -> dict:
        """Rows of all bodies: what the files call their cells, and arrays that any body has."""
        made = {"SourceId": np.concatenate([mesh.ids for mesh in meshes])}
        for name in dict.fromkeys(name for mesh in meshes for name in mesh.arrays):
            each = [mesh.arrays.get(name, np.zeros(len(mesh.types), np.int32)) for mesh in meshes]
            made[name] = np.concatenate(each)
        for name in self._kept:
            made.setdefault(name, np.zeros(sum(len(mesh.types) for mesh in meshes), np.int32))
        return made

    def _append_cells(self, name: str, rows: np.ndarray, first: int) -> None:
        """Cells before `first` that lack the array have 0. An array has the rows of CellOffsets."""
        path = f"CellData/{name}"
        if name not in self._kept:
            self._kept.append(name)
            self._make(path, np.int64, 0)
            self._append(path, np.zeros(first, np.int64))
        self._append(path, rows)

    def add(self, meshes: list, time: float, source: str) -> None:
        """A frame."""
        wide = any(mesh.points.dtype == np.float64 for mesh in meshes)
        if wide and self.root["Points"].dtype == np.float32:
            self._widen()
        part, cell, corner = self._topology(meshes, [self._objects(m) for m in meshes])
        at = len(self.root["Points"])
        for mesh in meshes:
            self._append("Points", mesh.points)
        for name, value in (
            ("Values", time),
            ("PartOffsets", part),
            ("NumberOfParts", len(meshes)),
            ("PointOffsets", at),
            ("CellOffsets", cell),
            ("ConnectivityIdOffsets", corner),
            ("CellDataOffsets/ObjectId", cell),
        ):
            self._append(f"Steps/{name}", [value])
        self.sources.append(source)

    def _texts(self, name: str, texts: list) -> None:
        import h5py

        coded = [text.encode("utf-8", "replace") for text in texts]
        kind = h5py.string_dtype("utf-8", max(map(len, coded), default=0) + 1)
        self.file["impinge"].create_dataset(name, data=np.array(coded, kind), dtype=kind)

    def _renumber(self) -> None:
        """Objects that have numbers alone keep them."""
        numbers, data = np.array(list(self.names), np.int32), self.root["CellData/ObjectId"]
        for at in range(0, len(data), 1 << 20):
            data[at : at + (1 << 20)] = numbers[data[at : at + (1 << 20)]]

    def close(self) -> None:
        """Adds the names, which all are known only now."""
        steps, extra = self.root["Steps"], self.file.create_group("impinge")
        numbered = all(isinstance(name, int) for name in self.names)
        if numbered:
            self._renumber()
        steps.attrs["NSteps"] = len(self.sources)
        for name in self._kept:
            steps["CellDataOffsets"][name] = steps["CellOffsets"][:]
        if set(self.names) <= {""}:  # one object without a name is none
            del self.root["CellData/ObjectId"], steps["CellDataOffsets/ObjectId"]
        elif not numbered:
            named = [(number, str(name)) for name, number in self.names.items() if name != ""]
            extra["object_ids"] = np.array([number for number, _ in named], np.int32)
            self._texts("object_names", [name for _, name in named])
        self._texts("frame_sources", self.sources)
        self.file.close()
