"""Alembic, by alembic3d, which binds the library of the format.

Every polygon mesh is an object with its full name; of a subdivision surface the cage is read.
Instances are expanded. Frames are at the times of all samples of meshes, of the transforms above
them, and of visibility. Alembic's faces are clockwise, so their corners are turned around. Points are float32 where nothing moves them, else float64: transformed, and not rounded again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from .._library import error, lib
from . import notes
from .alembic_motion import Node, Samples, Transform, When, moved, one_time
from .caches import CacheOptions
from .mesh import POLYGON, QUAD, TRIANGLE, Piece, as_points
from .numbered import Bad, reading

HELD = "an object without a sample at the time of a frame, where the sample before it is held"
MOVED = "an object without a sample at the time of a frame, where it is between two of its samples"
CAGE = "a subdivision surface, of which the cage is read"
HOLES = "a face of a subdivision surface that is a hole, which is left out"
HIDDEN = "an object that is hidden, at a time at least, and left out there"
PATCH = "a NURBS patch, which is not read"
_THIN = {"Curve": "Curves", "Points": "Points", "Camera": "Camera", "Light": "Light"}
_KINDS = np.array([0, 1, 3, TRIANGLE, QUAD, POLYGON], np.uint8)  # by the number of corners


@contextmanager
def _library(file: str) -> Iterator[None]:
    """What the binding says is wrong becomes an error in one line."""
    with reading(file):
        try:
            yield
        except (RuntimeError, TypeError) as what:
            raise Bad(f"alembic3d cannot read it: {what}") from None


def _modules(file: str) -> tuple:
    """alembic3d's Abc and AbcGeom."""
    try:
        from alembic3d import Abc, AbcGeom
    except ImportError as what:
        text = f"{file}: to read it: pip install alembic3d ({what})"
        raise error(lib.IMP_ERR_ARGUMENT, text) from None
    return Abc, AbcGeom


def _archive(file: str, abc: Any) -> Any:
    with open(file, "rb") as stream:
        head = stream.read(8)
    if head[:5] == b"Ogawa" and head[5:6] != b"\xff":
        raise Bad("it was not closed by the program that wrote it")
    try:
        return abc.IArchive(file)
    except RuntimeError as what:
        if head[1:4] == b"HDF":
            text = "an Alembic file in HDF5, which alembic3d cannot read"
            raise Bad(f"{text}; Alembic's abcconvert -toOgawa makes one that it can") from None
        raise Bad(f"it is damaged, or no Alembic file: {what}") from None


class _Cells:
    """The last topology that was read, by the keys of its arrays: it is often the same for long."""

    def __init__(self) -> None:
        self._key: tuple | None = None
        self._made: tuple = ()

    def of(self, mesh: _Mesh, rows: tuple) -> tuple:
        """types, ends and corners of all faces."""
        pairs = list(zip(mesh.topology, rows))
        key = tuple(samples.of.getKey(samples.selector(row)) for samples, row in pairs)
        if key != self._key:
            counts, indices = (_whole(samples.value(row)) for samples, row in pairs)
            self._key, self._made = key, _turned(mesh.node.name, counts, indices)
        return self._made


def _whole(value: Any) -> np.ndarray:
    return np.array(value, np.int64).ravel()


def _turned(name: str, counts: np.ndarray, indices: np.ndarray) -> tuple:
    """Corners of each face in the opposite order."""
    if (counts < 0).any() or counts.sum() != len(indices):
        raise Bad(f"{name}: faces of {counts.sum()} corners, of which there are {len(indices)}")
    ends = np.cumsum(counts)
    at = np.repeat(2 * ends - counts - 1, counts) - np.arange(len(indices))
    return _KINDS[np.minimum(counts, 5)], ends, indices[at]


class _Mesh:
    """A polygon mesh, or a cage, of whose schema these samples are."""

    def __init__(self, abc: Any, geom: Any, entry: Any, node: Node, cage: bool):
        kind = geom.ISubD if cage else geom.IPolyMesh
        self.schema = kind(entry, abc.WrapExistingFlag.kWrapExisting).getSchema()
        self.node, self.cage, self._cells = node, cage, _Cells()

        def samples(of: Any) -> Samples:
            return Samples(abc, of, node.name)

        self.points = samples(self.schema.getPositionsProperty())
        self.counts = samples(self.schema.getFaceCountsProperty())
        self.indices = samples(self.schema.getFaceIndicesProperty())
        self.topology = (self.counts, self.indices)
        self.empty = not min(self.points.count, self.counts.count, self.indices.count)
        holes = self.schema.getHolesProperty() if cage else None
        self.holes = samples(holes) if holes is not None and holes.valid() else None
        names = list(self.schema.getFaceSetNames())
        sets = [self.schema.getFaceSet(name).getSchema().getFacesProperty() for name in names]
        self.sets = [(name, samples(of)) for name, of in zip(names, sets)]

    def samples(self) -> list:
        own = [self.points, self.counts, self.indices, *(of for _, of in self.sets)]
        return own + [self.holes] * (self.holes is not None) + self.node.samples()

    def piece(self, when: When) -> Piece:
        """Where nothing above it moves it. Holes are cells of type 0, which are none."""
        rows = self.counts.at(when)[0], self.indices.at(when)[0]
        types, ends, corners = self._cells.of(self, rows)
        made = Piece(self._points(when), types, ends, corners, self.node.name)
        if self.sets:
            names = ("", *(name for name, _ in self.sets))
            made = made._replace(groups=self._groups(len(types), when), group_names=names)
        if self.holes is None:
            return made
        types = types.copy()
        types[self._faces("its holes", self.holes, len(types), when)] = 0
        return made._replace(types=types)

    def _points(self, when: When) -> np.ndarray:
        row, share = self.points.at(when)
        points = as_points(self.points.value(row))
        if not share or not when.between or not self._lasts(row, when):
            return points
        after = as_points(self.points.value(row + 1)).astype(np.float64)
        points = points.astype(np.float64)
        return points + share * (after - points)

    def _lasts(self, row: int, when: When) -> bool:
        """Are the faces and the number of points the same at this sample and at the next?"""

        def key(row: int) -> list:
            at = when._replace(time=self.points.times[row])
            faces = [of.of.getKey(of.selector(of.at(at)[0])) for of in self.topology]
            return [*faces, self.points.of.getDimension(self.points.selector(row)).numPoints()]

        return key(row) == key(row + 1)

    def between(self, when: When) -> str | None:
        """What it is at a time at which it has no sample, or a transform above it has none."""
        above = [node.transform for node in self.node.path() if node.transform is not None]
        away = [of for of in (self.points, *(at.samples for at in above)) if not of.has(when)]
        inner = [of for of in away if of.at(when)[1] > 0]
        if inner == [self.points] and not self._lasts(self.points.at(when)[0], when):
            inner = []
        if not away:
            return None
        return MOVED if inner and when.between else HELD

    def _groups(self, count: int, when: When) -> np.ndarray:
        """Faces in several sets are in the first, those in none in group 0."""
        made = np.zeros(count, np.int64)
        for k in range(len(self.sets), 0, -1):
            made[self._faces(*self.sets[k - 1], count, when)] = k
        return made

    def _faces(self, name: str, of: Samples, count: int, when: When) -> np.ndarray:
        if not of.count:
            return np.zeros(0, np.int64)
        faces = _whole(of.held(when))
        wrong = faces[(faces < 0) | (faces >= count)]
        if len(wrong):
            raise Bad(f"{self.node.name}: {name} has face {wrong[0]}; the mesh has {count}")
        return faces


class AlembicSource:
    def __init__(self, file: str, groups: bool, cache: CacheOptions):
        self.file, self._groups, self._between = file, groups, cache.between == "interpolated"
        self._meshes: list = []
        self._others: Counter = Counter()
        self._seen: dict = {what: {} for what in (HELD, MOVED, HIDDEN, HOLES)}  # by names
        self._abc, self._geom = _modules(file)
        with _library(file):
            self._archive = _archive(file, self._abc)
            self._walk()
            times, self._slack = one_time([of for mesh in self._meshes for of in mesh.samples()])
            self.times: Any = times or self._alone()
        self._count()

    def source(self, k: int) -> str:
        return self.file

    def _walk(self) -> None:
        """All objects, depth first. Instances have children with names of their own."""
        rest: list = [(self._archive.getTop(), None)]
        while rest:
            entry, parent = rest.pop()
            node = self._node(entry, parent)
            if entry.isInstanceRoot() and node.name.startswith(entry.instanceSourcePath() + "/"):
                raise Bad(f"{node.name}: an instance of what it is in")
            children = [(entry.getChild(k), node) for k in range(entry.getNumChildren())]
            rest.extend(children[::-1])

    def _node(self, entry: Any, parent: Node | None) -> Node:
        node = Node(entry.getFullName(), parent)
        schema = entry.getMetaData().get("schema")
        kind = schema.split("_")[1] if schema.startswith("AbcGeom_") else schema
        if kind == "Xform":
            wrap = self._abc.WrapExistingFlag.kWrapExisting
            xform = self._geom.IXform(entry, wrap).getSchema()
            node.transform = Transform(self._geom, self._abc, xform, node.name)
        visibility = self._geom.GetVisibilityProperty(entry)
        if visibility.valid() and visibility.getNumSamples():
            node.visibility = Samples(self._abc, visibility, node.name)
        if kind in ("PolyMesh", "SubD"):
            mesh = _Mesh(self._abc, self._geom, entry, node, kind == "SubD")
            self._meshes += [mesh] * (not mesh.empty)
        elif kind not in ("", "Xform", "FaceSet"):
            self._others[kind] += 1
        return node

    def _alone(self) -> list | None:
        """The time of a file without motion, where all points have the same."""
        times = {float(mesh.points.times[0]) for mesh in self._meshes}
        return list(times) if len(times) == 1 else None

    def _count(self) -> None:
        """What no frame has."""
        others = dict(self._others)
        notes.add(self.file, CAGE, sum(mesh.cage for mesh in self._meshes))
        notes.add(self.file, PATCH, others.pop("NuPatch", 0))
        notes.left_out(self.file, {_THIN[k]: others.pop(k) for k in _THIN if k in others})
        for kind, count in others.items():
            notes.add(self.file, f"an object of the schema {kind}, which is not read", count)

    def read(self, k: int) -> list:
        with _library(self.file):
            when = When(self.times[k] if self.times else 0.0, self._slack, self._between)
            known: dict = {}  # matrices
            made = [self._read(mesh, when, known) for mesh in self._meshes]
        for what, counts in self._seen.items():
            notes.add(self.file, what, sum(counts.values()))
        return [piece for piece in made if piece is not None]

    def _read(self, mesh: _Mesh, when: When, known: dict) -> Piece | None:
        """None of one that is hidden."""
        name = mesh.node.name
        if mesh.node.hidden(when):
            self._seen[HIDDEN][name] = 1
            return None
        what = mesh.between(when)
        if what is not None:
            self._seen[what][name] = 1
        piece = mesh.piece(when)
        if not self._groups:
            piece = piece._replace(groups=None)
        if mesh.holes is not None:
            count = int(((piece.types == 0) & (np.diff(piece.ends, prepend=0) > 0)).sum())
            self._seen[HOLES][name] = max(self._seen[HOLES].get(name, 0), count)
        matrix = mesh.node.matrix(when, known)
        return piece if matrix is None else piece._replace(points=moved(piece.points, matrix))
