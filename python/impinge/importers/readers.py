"""Which reader a file has, by its ending."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .._library import error, lib
from . import gmsh, meshio_data, ply, stl
from .foam import FoamSource
from .mesh import TETRAHEDRON, TRIANGLE, Piece, input_error
from .series import open_pvd, open_series
from .vtk_files import READERS, PyvistaSource, VtkSource, pyvista_knows
from .xdmf import open_xdmf

# files of the program, also those of any name, whose contents it looks at
PROGRAM = (".obj", ".vtkhdf", ".hdf", ".h5", ".txt", "")
MESHIO = (
    ".inp", ".bdf", ".nas", ".fem", ".mesh", ".meshb", ".med", ".off", ".ugrid", ".su2", ".vol",
    ".avs", ".ele", ".node", ".mdpa", ".f3grid", ".post", ".dato", ".h5m", ".wkt",
)  # fmt: skip

_own = (".stl", ".ply", ".msh", ".pvd", ".series", ".foam")


def ending_of(file: str) -> str:
    name = os.path.basename(file.rstrip("/"))
    if name.startswith("d3plot"):
        return "d3plot"
    if name == "controlDict" or os.path.isfile(os.path.join(file, "system", "controlDict")):
        return ".foam"
    return os.path.splitext(name)[1].lower()


def of_program(file: str) -> bool:
    """Is the file for the program to read, or to refuse?"""
    ending = ending_of(file)
    if ending in PROGRAM or file == "-":
        return True
    if ending in READERS or ending in MESHIO or ending in _own:
        return False
    return not (_meshio_knows(file) or pyvista_knows(ending))


def _meshio_knows(file: str) -> bool:
    try:
        import meshio
    except ImportError:
        return False
    return meshio_data.format_of(file, meshio) is not None


class _Once:
    """A file of one frame."""

    times = None

    def __init__(self, file: str, read: Callable[[str], Iterable[Piece]]):
        self.file, self._read = file, read

    def read(self, k: int) -> Iterable[Piece]:
        return self._read(self.file)

    def source(self, k: int) -> str:
        return self.file


class ByProgram:
    """A file that the program makes a batch of first: OBJ and VTKHDF among files of other formats.
    Its messages call it `shown`."""

    def __init__(self, file: str, words: list, shown: str):
        from ..files import open as open_batch
        from ..program import _call

        self.file = shown
        with tempfile.TemporaryDirectory(prefix="impinge-") as where:
            made = os.path.join(where, "batch.vtkhdf")
            command = ["convert", file, "-o", made, "-q", *words]
            _call(command, renamed=lambda text: text.replace(file, shown))
            with open_batch(made) as batch:
                self.times: Any = batch.times.tolist() if len(batch) > 1 else None
                self._frames = list(batch)
                self._arrays = [_kept(batch.cell_arrays(k)) for k in range(len(batch))]
                self._names = _names_of(batch.file)

    def read(self, k: int) -> list:
        frame = self._frames[k]
        own = frame.own
        if own is None:
            own = np.full(len(frame.triangles), frame.triangles.shape[1], np.uint8)
        types = np.where(own == 4, TETRAHEDRON, TRIANGLE).astype(np.uint8)
        flat = frame.triangles[np.arange(frame.triangles.shape[1]) < own[:, None]]
        ends, flat = np.cumsum(own, dtype=np.int64), flat.astype(np.int64)
        kept = dict(ids=frame.source_ids, arrays=self._arrays[k])
        piece = Piece(frame.points, types, ends, flat, **kept)
        if frame.objects is None:
            return [piece]
        numbers, at = np.unique(frame.objects, return_inverse=True)
        names = tuple(self._names.get(n, f"object {n}") for n in numbers.tolist())
        return [piece._replace(groups=at.ravel(), group_names=names)]

    def source(self, k: int) -> str:
        return self.file


def _kept(arrays: dict) -> dict:
    """Those that pieces of other files may lack, where cells get 0."""
    apart = ("ObjectId", "SourceId", "PrimitiveId")
    return {name: array for name, array in arrays.items() if name not in apart}


def _names_of(file: Any) -> dict:
    extra = file.get("impinge", {})
    if "object_ids" not in extra:
        return {}
    return dict(zip(extra["object_ids"][:].tolist(), extra["object_names"].asstr()[:]))


def open_file(file: str, groups: bool) -> Any:
    """The source of a file: `times`, read(k), source(k)."""
    if not os.path.exists(file):
        raise input_error(file, "No such file or directory")
    ending = ending_of(file)
    if os.path.isdir(file) and ending != ".foam":
        raise input_error(file, "Is a directory")
    if groups and (ending in READERS or ending in (".stl", ".ply", ".foam")):
        text = f"{file}: --groups: files of {ending} have no groups; blocks are objects anyway"
        raise error(lib.IMP_ERR_ARGUMENT, text)
    if of_program(file):
        words = ["--groups"] if groups and ending == ".obj" else []
        return ByProgram(file, words, file)
    own = {".stl": stl.read, ".ply": ply.read, ".msh": lambda name: _msh(name, groups)}
    if ending in own:
        return _Once(file, own[ending])
    if ending in (".series", ".pvd"):
        make = open_series if ending == ".series" else open_pvd
        return make(file, lambda path: open_file(path, groups))
    if ending == ".foam":
        return FoamSource(file)
    if ending in (".xdmf", ".xmf"):
        return open_xdmf(file)
    if ending in READERS:
        return VtkSource(file, ending)
    if ending in MESHIO or _meshio_knows(file):
        return _Once(file, lambda name: meshio_data.read(name, groups))
    return PyvistaSource(file)


def _msh(file: str, groups: bool) -> list:
    """Gmsh's, or one of ANSYS."""
    with open(file, "rb") as stream:
        head = stream.read(64).lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith(b"("):
        return meshio_data.read(file, groups, "ansys")
    return gmsh.read(file, groups)
