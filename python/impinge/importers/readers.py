"""Which reader a file has, by its ending."""

from __future__ import annotations

import functools
import os
import tempfile
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .._library import InputError, error, lib
from . import (
    abaqus,
    avs,
    flac3d,
    gmsh,
    mdpa,
    medit,
    nastran,
    netgen,
    notes,
    off,
    ply,
    stl,
    su2,
    tetgen,
    ugrid,
)
from .alembic import AlembicSource
from .caches import CacheOptions
from .dyna import DynaSource
from .ensight import EnsightSource
from .exodus import ExodusSource
from .foam import FoamSource
from .gltf import GltfSource
from .med import MedSource
from .mesh import TETRAHEDRON, TRIANGLE, Piece, distinct, input_error
from .point_cache import HEADS, CacheSource
from .sequence import STAND_IN
from .series import open_pvd, open_series
from .tecplot import TecplotSource, is_tecplot
from .usd import UsdSource
from .vtk_files import READERS, PyvistaSource, VtkSource
from .xdmf import open_xdmf

# files of the program, also those of any name, whose contents it looks at
PROGRAM = (".obj", ".vtkhdf", ".hdf", ".h5", ".txt", "")

BODIES = ".urdf"

# read here: files of one frame, by a function of the file
_plain: dict = {".stl": stl.read, ".ply": ply.read, ".off": off.read}
# those that have groups
_grouped: dict = {
    ".inp": abaqus.read,
    ".bdf": nastran.read,
    ".nas": nastran.read,
    ".fem": nastran.read,
    ".msh": gmsh.read,
    ".mesh": medit.read,
    ".meshb": medit.read,
    ".vol": netgen.read,
    ".vol.gz": netgen.read,
    ".su2": su2.read,
    ".ugrid": ugrid.read,
    ".avs": avs.read,
    ".mdpa": mdpa.read,
    ".f3grid": flac3d.read,
    ".ele": tetgen.read,
    ".node": tetgen.read,
}
# of these functions that want to know whether groups are objects
_ASKING = (abaqus.read, gmsh.read)
# sources of several frames
_sources: dict = {
    ".glb": GltfSource,
    ".gltf": GltfSource,
    ".foam": FoamSource,
    ".med": MedSource,
    ".tec": TecplotSource,
    "d3plot": DynaSource,
    **dict.fromkeys((".e", ".exo", ".ex2", ".exii", ".g"), ExodusSource),
    **dict.fromkeys((".case", ".encas"), EnsightSource),
    **dict.fromkeys((".xdmf", ".xmf"), open_xdmf),
}
# sources of objects with samples in time, which take CacheOptions
STAGES = (".usd", ".usda", ".usdc", ".usdz")
_caches: dict = {".abc": AlembicSource, **dict.fromkeys(STAGES, UsdSource)}
_lists = {".pvd": open_pvd, ".series": open_series}

# formats of VTK that are read by the reader that PyVista has for them
_PYVISTA = (".facet", ".pvti", ".pvtr", ".pvtk", ".vtpd")
# all endings of files that are read, by the program or here
MESHES = frozenset(
    (*PROGRAM[:4], ".hdf5", ".dat", BODIES, *_plain, *_grouped, *_sources, *_caches, *HEADS)
    + (*_lists, *READERS, *_PYVISTA)
)

# by no reader that says what it leaves out, or published in no form that one could check
REFUSED = {
    ".cgns": "CGNS", ".dato": "PERMAS", ".post": "PERMAS", ".dato.gz": "PERMAS",
    ".post.gz": "PERMAS", ".h5m": "MOAB", ".hmf": "HMF", ".wkt": "well-known text",
    ".xml": "DOLFIN's XML", ".svg": "SVG", ".plt": "Tecplot's binary form",
    ".szplt": "Tecplot's binary form", ".cas": "Fluent", ".neu": "Gambit", ".vrt": "Star-CD",
    ".p3d": "Plot3D", ".wrl": "VRML", ".vrml": "VRML", ".3ds": "3D Studio",
    ".nek5000": "Nek5000", ".grdecl": "Eclipse", ".tri": "marching cubes' triangles",
    ".op2": "Nastran's results", ".odb": "Abaqus' results", ".unv": "I-DEAS' universal files",
}  # fmt: skip


def ending_of(file: str) -> str:
    name = os.path.basename(file.rstrip("/"))
    if name.startswith("d3plot"):
        return "d3plot"
    if name == "controlDict" or os.path.isfile(os.path.join(file, "system", "controlDict")):
        return ".foam"
    ending = os.path.splitext(name)[1].lower()
    if ending == ".gz":
        return os.path.splitext(name[:-3])[1].lower() + ending
    return ending


def of_bodies(file: str) -> bool:
    """Is it a file of rigid bodies, and not of meshes?"""
    return ending_of(file) == BODIES


def may_be_cache(file: str) -> bool:
    """Is it a cache, whose objects have samples in time, or a list that may name some?"""
    return ending_of(file) in (*_caches, *_lists)


def may_be_stage(file: str) -> bool:
    """Is it a file of USD, or a list that may name some?"""
    return ending_of(file) in (*STAGES, *_lists)


def has_points_alone(file: str) -> bool:
    return ending_of(file) in HEADS


def of_program(file: str) -> bool:
    """Is the file for the program to read, or to refuse?"""
    ending = ending_of(file)
    if ending in PROGRAM or file == "-":
        return True
    others: tuple = (".dat", BODIES, *_plain, *_grouped, *_sources, *_caches, *HEADS, *_lists)
    others += (*READERS, *_PYVISTA, *REFUSED)
    return ending not in others


class _Once:
    """A file of one frame."""

    times = None

    def __init__(self, file: str, read: Callable[[str], Iterable[Piece]]):
        self.file, self._read = file, read

    def read(self, k: int) -> Iterable[Piece]:
        return self._read(self.file)

    def source(self, k: int) -> str:
        return self.file


# what the program says of a file without a cell, which it takes only beside one that has some
_EMPTY = "no triangle, polygon or tetrahedron"


def _batch(file: str, made: str, words: list, shown: str) -> int:
    """Has the program make a batch of a file, after whose frames one of a triangle comes where the
    file has no cell. Returns how many frames are not of the file."""
    from ..program import _call

    def call(*files: str) -> None:
        # a file without a cell, and the triangle beside it, have no arrays
        alone = len(files) == 1 or "--objects" not in words
        given = words if alone else words[: words.index("--objects")]
        command = ["convert", *files, "-o", made, "-q", *given]
        _, warned, _ = _call(command, renamed=lambda text: text.replace(file, shown))
        # of frames without a cell it says so at the end, by their numbers among all
        said = (line for line in warned.splitlines() if f"it has {_EMPTY}" not in line)
        notes.program("\n".join(said))

    try:
        call(file)
    except InputError as what:
        if _EMPTY not in str(what):
            raise
        other = f"{made}.obj"
        with open(other, "w", encoding="utf-8") as stream:
            stream.write(STAND_IN)
        call(file, other, "--order", "given")
        return 1
    return 0


class ByProgram:
    """A file that the program makes a batch of first: OBJ and VTKHDF among files of other formats.
    Its messages call it `shown`."""

    def __init__(self, file: str, words: list, shown: str):
        from ..files import open as open_batch

        self.file = shown
        with tempfile.TemporaryDirectory(prefix="impinge-") as where:
            made = os.path.join(where, "batch.vtkhdf")
            others = _batch(file, made, words, shown)
            with open_batch(made) as batch:
                count = len(batch) - others
                self.times: Any = batch.times.tolist() if count > 1 else None
                self._frames = list(batch)[:count]
                self._arrays = [_kept(batch.cell_arrays(k)) for k in range(count)]
                self._names = _names(self._frames, batch.names)
            if others and count > 1:  # the stand-in has no time that comes after those
                with open_batch(file) as batch:
                    self.times = batch.times.tolist()

    def read(self, k: int) -> list:
        frame = self._frames[k]
        corner_count = frame.corner_count
        if corner_count is None:
            corner_count = np.full(len(frame.triangles), frame.triangles.shape[1], np.uint8)
        types = np.where(corner_count == 4, TETRAHEDRON, TRIANGLE).astype(np.uint8)
        flat = frame.triangles[np.arange(frame.triangles.shape[1]) < corner_count[:, None]]
        ends, flat = np.cumsum(corner_count, dtype=np.int64), flat.astype(np.int64)
        kept = dict(ids=frame.source_ids, arrays=self._arrays[k])
        piece = Piece(frame.points, types, ends, flat, **kept)
        if frame.objects is None:
            return [piece]
        numbers, at = np.unique(frame.objects, return_inverse=True)
        names = tuple(self._names[n] for n in numbers.tolist())
        return [piece._replace(groups=at.ravel(), group_names=names)]

    def source(self, k: int) -> str:
        return self.file


def _names(frames: list, given: dict) -> dict:
    """Of all objects by their numbers, each its own."""
    found = [np.unique(frame.objects) for frame in frames if frame.objects is not None]
    numbers = np.unique(np.concatenate(found)).tolist() if found else []
    return dict(zip(numbers, distinct(given.get(n, f"object {n}") for n in numbers)))


def _kept(arrays: dict) -> dict:
    """Those that pieces of other files may lack, where cells get 0."""
    apart = ("ObjectId", "SourceId", "PrimitiveId")
    return {name: array for name, array in arrays.items() if name not in apart}


def open_file(
    file: str,
    groups: bool,
    skin: bool = False,
    cache: CacheOptions | None = None,
    array: str | None = None,
) -> Any:
    """The source of a file: `times`, read(k), source(k). skin: the program makes that of its files,
    of objects by this array of cells."""
    if not os.path.exists(file):
        raise input_error(file, "No such file or directory")
    ending = ending_of(file)
    if os.path.isdir(file) and ending != ".foam":
        raise input_error(file, "Is a directory")
    if groups and ending not in (*_grouped, *_caches, *HEADS, *_lists, ".dat", ".med", *PROGRAM):
        text = f"{file}: --groups: files of {ending} have no groups; blocks are objects anyway"
        raise error(lib.IMP_ERR_ARGUMENT, text)
    if of_program(file):
        words = ["--groups"] if groups and ending == ".obj" else []
        words += ["--skin"] if skin else []
        words += ["--objects", f"array:{array}"] if skin and array and ending != ".obj" else []
        return ByProgram(file, words, file)
    if ending in _plain:
        return _Once(file, _plain[ending])
    if ending in _lists:
        return _lists[ending](file, lambda path: open_file(path, groups, skin, cache, array))
    if ending in _grouped or ending == ".dat":
        return _of_text(file, ending, groups)
    if ending in HEADS:
        mesh = cache.mesh if cache else None
        return CacheSource(file, mesh, lambda path: _of_obj(path, groups))
    if ending in _caches:
        return _caches[ending](file, groups, cache or CacheOptions())
    if ending in _sources:
        made = _sources[ending](file)
        if not groups and isinstance(made, MedSource):
            return _WithoutGroups(made)
        return made
    if ending in READERS:
        return VtkSource(file, ending)
    if ending in _PYVISTA:
        return PyvistaSource(file)
    if ending == BODIES:
        raise input_error(file, "its links are rigid bodies, which no other file can be joined to")
    what = REFUSED.get(ending, f"files of {ending}")
    text = f"{what}: not read, as no reader says what it leaves out of them"
    raise input_error(file, f"{text}; write VTK's .vtu or .vtp, or an OBJ file")


def _of_obj(file: str, groups: bool) -> Any:
    """The mesh of a cache."""
    if ending_of(file) != ".obj":
        raise input_error(file, "the mesh of a cache is an OBJ file")
    return open_file(file, groups)


class _WithoutGroups:
    """A source whose groups are no objects."""

    def __init__(self, source: Any):
        self._source, self.times = source, source.times

    def read(self, k: int) -> list:
        return [piece._replace(groups=None) for piece in self._source.read(k)]

    def source(self, k: int) -> str:
        return self._source.source(k)


def _of_text(file: str, ending: str, groups: bool) -> Any:
    """By what the file is, where its ending is of several formats."""
    with open(file, "rb") as stream:
        head = stream.read(1 << 16)
    if ending == ".msh" and head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"("):
        text = "a mesh of ANSYS Fluent, which is not read; write VTK's .vtu, or an OBJ file"
        raise input_error(file, text)
    if ending == ".dat" and is_tecplot(head):
        return TecplotSource(file)
    if ending == ".dat" and not nastran.is_nastran(head):
        raise input_error(file, "a .dat that is neither of Tecplot nor of Nastran")
    read = nastran.read if ending == ".dat" else _grouped[ending]
    if read in _ASKING:
        return _Once(file, functools.partial(read, groups=groups))
    return _Once(file, read) if groups else _WithoutGroups(_Once(file, read))
