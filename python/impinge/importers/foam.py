"""OpenFOAM cases. VTK's reader narrows points to float32, so the mesh is read here.

Boundary patches are objects, which share the points of the mesh; of several regions they are called
region/patch. The inner mesh of a case is polyhedra and no surface; it is read only where all its
cells are tetrahedra.
"""

from __future__ import annotations

import gzip
import os
import re
from collections import Counter
from typing import Any

import numpy as np

from . import notes
from .mesh import POLYGON, TETRAHEDRON, Piece, compact, input_error, uniform
from .numbered import reading

_entry = rb'("[^"]*"|[^\s(){};]+)\s*\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}'  # NAME { ... }
_space = rb"(?:\s|//[^\n]*\n|/\*.*?\*/)*"


class _File:
    """A file of polyMesh, text or binary."""

    def __init__(self, path: str):
        self.path = path
        packed = not os.path.exists(path) and os.path.exists(path + ".gz")
        with gzip.open(path + ".gz") if packed else open(path, "rb") as stream:
            self.data = stream.read()
        found = re.search(rb"FoamFile" + _space + rb"\{(.*?)\}", self.data, re.S)
        head = found[1] if found else b""
        self.at = found.end() if found else 0
        self.binary = re.search(rb"\bformat\s+binary", head) is not None
        label, scalar = (re.search(name + rb"=(\d+)", head) for name in (rb"label", rb"scalar"))
        self.label = f"<i{int(label[1]) // 8 if label else 4}"
        self.scalar = f"<f{int(scalar[1]) // 8 if scalar else 8}"

    def bad(self, text: str = "it is damaged, or cut short") -> Exception:
        return input_error(self.path, text)

    def _count(self) -> int:
        found = re.compile(_space + rb"(\d+)\s*\(", re.S).match(self.data, self.at)
        empty = re.compile(_space + rb"0\s*(?:\(\s*\)|\{|;|\Z)", re.S).match(self.data, self.at)
        if empty or not found:
            if empty:
                return 0
            raise self.bad()
        self.at = found.end()
        return int(found[1])

    def uniform(self) -> np.ndarray | None:
        """N{VALUE}: a list of equal numbers."""
        found = re.compile(_space + rb"(\d+)\s*\{\s*(-?\d+)\s*\}", re.S).match(self.data, self.at)
        return np.full(int(found[1]), int(found[2]), np.int64) if found else None

    def raw(self, kind: str, width: int = 1) -> np.ndarray:
        """The next list of a binary file."""
        count = self._count()
        size = np.dtype(kind).itemsize * count * width
        if size > len(self.data) - self.at:
            raise self.bad()
        made = np.frombuffer(self.data, kind, count * width, self.at)
        self.at += size + (1 if count else 0)
        return made.astype(kind.replace("<", "="))

    def words(self) -> tuple:
        """The number of entries of a list of text, and its words without parentheses."""
        count = self._count()
        end = self.data.rfind(b")")
        if count and end < self.at:
            raise self.bad()
        text = self.data[self.at : end] if count else b""
        return count, text.replace(b"(", b" ").replace(b")", b" ").split()

    def numbers(self, kind: Any, width: int = 1) -> np.ndarray:
        equal = self.uniform() if kind is np.int64 else None
        if equal is not None:
            return equal
        if self.binary:
            made = self.raw(self.label if kind is np.int64 else self.scalar, width)
            return made.astype(np.int64) if kind is np.int64 else made
        count, words = self.words()
        if len(words) != count * width:
            raise self.bad(f"{len(words)} numbers where {count * width} should be")
        return np.array(words, "S").astype(kind) if words else np.zeros(0, kind)

    def faces(self) -> tuple:
        """Where the corners of each face begin, and one more; and the corners."""
        if self.binary:
            starts, corners = (self.raw(self.label).astype(np.int64) for _ in range(2))
            if len(starts) and (starts[-1] != len(corners) or (np.diff(starts) < 0).any()):
                raise self.bad()
            return starts, corners
        count, words = self.words()
        flat = np.array(words, "S").astype(np.int64) if words else np.zeros(0, np.int64)
        at, starts = 0, []
        sizes = flat.tolist()
        while at < len(sizes):
            starts.append(at)
            at += 1 + max(sizes[at], 0)
        if len(starts) != count or at != len(sizes):
            raise self.bad()
        is_size = np.zeros(len(flat), bool)
        is_size[starts] = True
        return np.array([*starts, at]) - np.arange(count + 1), flat[~is_size]


_mesh = ("points", "faces", "owner", "neighbour", "boundary")
_parts = re.compile(r"processors?\d+")  # of a decomposed case
_REGION = 1 << 40  # between the numbers of points of regions


class FoamSource:
    """A case, by its folder, NAME.foam or system/controlDict. Frames are the first time and those
    at which the mesh changes."""

    def __init__(self, file: str):
        self.file = file
        folder = file if os.path.isdir(file) else os.path.dirname(file)
        parent = os.path.dirname(folder.rstrip("/"))
        self._case = parent if os.path.basename(folder.rstrip("/")) == "system" else folder
        self._regions = self._find_regions()
        found = _times(self._case)
        steps = [(t, name) for k, (t, name) in enumerate(found) if k == 0 or self._moves(name)]
        self._check_parts({name for _, name in steps})
        self.times: Any = [time for time, _ in steps] or None
        self._folders = [name for _, name in steps]

    def _find_regions(self) -> list:
        """Names of meshes; "" is that of the case itself."""
        constant = os.path.join(self._case, "constant")
        names = sorted(os.listdir(constant)) if os.path.isdir(constant) else []
        found = [n for n in names if os.path.isdir(os.path.join(constant, n, "polyMesh"))]
        whole = [""] if "polyMesh" in names or not found else []
        return whole + found

    def _check_parts(self, steps: set) -> None:
        """Parts of a decomposed case are not read, so they must not have more than the case."""
        parts = sorted(n for n in os.listdir(self._case or ".") if _parts.match(n))
        if not parts:
            return
        cure = "reconstructParMesh and reconstructPar join the parts"
        if not os.path.isdir(os.path.join(self._case, "constant", self._regions[0], "polyMesh")):
            text = f"a decomposed case ({parts[0]}, ...), which is not read; {cure}"
            raise input_error(self.file, text)
        for part in parts:
            for _, name in _times(os.path.join(self._case, part)):
                if name not in steps and self._moves(os.path.join(part, name)):
                    text = f"{part}/{name}/polyMesh: a mesh of a part, which is not read; {cure}"
                    raise input_error(self.file, text)

    def _moves(self, name: str) -> bool:
        of = (os.path.join(self._case, name, region, "polyMesh") for region in self._regions)
        return any(map(os.path.isdir, of))

    def _path(self, what: str, region: str, k: int) -> str:
        """A file of the mesh, of frame k or of the last one before that has it."""
        for folder in [*self._folders[: k + 1][::-1], "constant"]:
            path = os.path.join(self._case, folder, region, "polyMesh", what)
            if os.path.exists(path) or os.path.exists(path + ".gz"):
                return path
        where = "/".join(filter(None, ("constant", region, "polyMesh", what)))
        raise input_error(self.file, f"there is no {where}")

    def source(self, k: int) -> str:
        return self.file

    def read(self, k: int) -> list:
        made: list = []
        self._left: Counter = Counter()  # what is not read of the mesh
        with reading(self.file):
            for number, region in enumerate(self._regions):
                for piece in self._read(region, k):
                    name = "/".join(filter(None, (region, piece.name)))
                    nodes = piece.nodes + _REGION * number
                    made.append(piece._replace(name=name, nodes=nodes))
        notes.left_out(self.file, self._left)
        return made

    def _read(self, region: str, k: int) -> list:
        self._note_others(region, k)
        points = _File(self._path("points", region, k)).numbers(np.float64, 3).reshape(-1, 3)
        starts, corners = _File(self._path("faces", region, k)).faces()
        owner, neighbour = (
            _File(self._path(name, region, k)).numbers(np.int64) for name in ("owner", "neighbour")
        )
        inner = int((neighbour >= 0).sum())
        made = []
        boundary = _File(self._path("boundary", region, k))
        for name, first, count in self._patches(boundary, inner, len(starts) - 1):
            at = starts[first : first + count + 1]
            of = corners[at[0] : at[-1]]
            types, ids = np.full(count, POLYGON, np.uint8), np.arange(first, first + count)
            made.append(compact(Piece(points, types, at[1:] - at[0], of, name, ids=ids)))
        cells = _tetrahedra(starts, corners, owner, neighbour)
        if cells is not None:
            whole = Piece(points, *uniform(TETRAHEDRON, cells), "internalMesh")
            return [*made, whole._replace(nodes=np.arange(len(points)))]
        if not any(len(piece.types) for piece in made):
            many = int(owner.max()) + 1 if len(owner) else 0
            text = f"no boundary patch has a face, and its {many} inner cells are not tetrahedra"
            raise input_error(self.file, text)
        return made

    def _note_others(self, region: str, k: int) -> None:
        """Files of the mesh besides those that have it: zones, sets, levels of refinement."""
        folder = os.path.dirname(self._path("faces", region, k))
        names = {n[:-3] if n.endswith(".gz") else n for n in os.listdir(folder)}
        self._left.update(sorted(names - set(_mesh)))

    def _patches(self, file: _File, inner: int, faces: int) -> list:
        """Those that are a surface: not between processors."""
        found = _patches(file, faces)
        at = inner
        for name, first, count, _ in sorted(found, key=lambda patch: patch[1]):
            if count and first != at:
                raise file.bad(f"faces {at} to {first - 1} are in no patch, or {name} begins there")
            at += count
        if found and at != faces:
            raise file.bad(f"faces {at} to {faces - 1} are in no patch")
        self._left["patches between processors"] += sum(patch[3] for patch in found)
        return [patch[:3] for patch in found if not patch[3]]


def _times(folder: str) -> list:
    """Times and names of folders, in the order of time."""
    names = os.listdir(folder or ".")
    found = (re.fullmatch(r"-?[0-9.]+([eE][-+]?\d+)?", name) for name in names)
    return sorted((float(match[0]), match[0]) for match in found if match)


def _patches(file: _File, faces: int) -> list:
    """Name, first face, number of faces of each, and whether it is between processors."""
    text = re.sub(rb"//[^\n]*|/\*.*?\*/", b"", file.data[file.at :], flags=re.S)
    odd = re.search(rb"[#$][A-Za-z(\"{]\S*", text)
    if odd:
        raise file.bad(f"'{odd[0][:40].decode('latin-1')}', which is not read")
    made = []
    for name, body in re.findall(_entry, text):
        found = [re.search(key + rb"\s+(\d+)\s*;", body) for key in (rb"startFace", rb"nFaces")]
        if None in found:
            raise file.bad("a patch without startFace and nFaces")
        first, count = (int(number[1]) for number in found)
        if first + count > faces:
            raise file.bad(f"a patch up to face {first + count} of {faces}")
        between = re.search(rb"\btype\s+processor", body) is not None
        made.append((name.decode("utf-8", "replace").strip('"'), first, count, between))
    head = re.match(rb"\s*(\d+)?\s*\(", text)
    rest = re.sub(_entry, b"", text[head.end() :] if head else text)
    if not head or rest.strip() != b")" or (head[1] and int(head[1]) != len(made)):
        raise file.bad(f"{len(made)} patches, of {head[1].decode() if head and head[1] else '?'}")
    return made


def _tetrahedra(starts: Any, corners: Any, owner: Any, neighbour: Any) -> np.ndarray | None:
    """(m, 4), or None where a cell is something else."""
    cells = np.concatenate([owner, neighbour[neighbour >= 0]])
    faces = np.concatenate([np.arange(len(owner)), np.flatnonzero(neighbour >= 0)])
    if not len(cells) or (np.bincount(cells) != 4).any() or (np.diff(starts) != 3).any():
        return None
    of = corners.reshape(-1, 3)[faces[np.argsort(cells, kind="stable")]].reshape(-1, 12)
    ordered = np.sort(of, 1)
    first = np.ones(ordered.shape, bool)
    first[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    return ordered[first].reshape(-1, 4) if (first.sum(1) == 4).all() else None
