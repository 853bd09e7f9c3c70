"""Files that VTK reads, by their ending."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from .mesh import QUAD, TETRAHEDRON, TRIANGLE, Piece, input_error
from .vtk_data import Errors, make, need, pieces, times_of, update

READERS = {
    ".vtk": ("vtkIOLegacy", "vtkGenericDataObjectReader"),
    ".vtp": ("vtkIOXML", "vtkXMLPolyDataReader"),
    ".vtu": ("vtkIOXML", "vtkXMLUnstructuredGridReader"),
    ".vts": ("vtkIOXML", "vtkXMLStructuredGridReader"),
    ".vtr": ("vtkIOXML", "vtkXMLRectilinearGridReader"),
    ".vti": ("vtkIOXML", "vtkXMLImageDataReader"),
    ".pvtp": ("vtkIOXML", "vtkXMLPPolyDataReader"),
    ".pvtu": ("vtkIOXML", "vtkXMLPUnstructuredGridReader"),
    ".vtm": ("vtkIOXML", "vtkXMLMultiBlockDataReader"),
    ".vtmb": ("vtkIOXML", "vtkXMLMultiBlockDataReader"),
    ".vtpc": ("vtkIOXML", "vtkXMLPartitionedDataSetCollectionReader"),
    ".e": ("vtkIOIOSS", "vtkIOSSReader"),
    ".exo": ("vtkIOIOSS", "vtkIOSSReader"),
    ".ex2": ("vtkIOIOSS", "vtkIOSSReader"),
    ".exii": ("vtkIOIOSS", "vtkIOSSReader"),
    ".g": ("vtkIOIOSS", "vtkIOSSReader"),
    ".xdmf": ("vtkIOXdmf2", "vtkXdmfReader"),
    ".xmf": ("vtkIOXdmf2", "vtkXdmfReader"),
    ".case": ("vtkIOEnSight", "vtkGenericEnSightReader"),
    ".encas": ("vtkIOEnSight", "vtkGenericEnSightReader"),
    "d3plot": ("vtkIOLSDyna", "vtkLSDynaReader"),
}

# levels of names that say what kind of block it is, not which
_levels = ("Element Blocks/", "boundary/")


class VtkSource:
    """A file. `times`: of its frames, or None for one frame whose time is not known."""

    def __init__(self, file: str, ending: str):
        self.file, self.ending = file, ending
        self.reader = make(file, *READERS[ending])
        with Errors(file):
            _prepare(self.reader, file)
        self.times = times_of(file, self.reader) or None

    def read(self, k: int) -> Iterable[Piece]:
        time = None if self.times is None else self.times[k]
        found = list(pieces(self.file, update(self.file, self.reader, time)))
        if self.ending == "d3plot":
            found = [_collapsed(_collapsed(piece, 12, 4), QUAD, 3) for piece in found]
        return _named(found)

    def source(self, k: int) -> str:
        return self.file


def _prepare(reader: Any, file: str) -> None:
    kind = reader.GetClassName()
    if kind == "vtkGenericEnSightReader":
        reader.SetCaseFileName(os.path.abspath(file))
        reader.ReadAllVariablesOff()
    elif kind == "vtkLSDynaReader":
        reader.SetDatabaseDirectory(os.path.dirname(os.path.abspath(file)))
    else:
        reader.SetFileName(file)
    if kind == "vtkIOSSReader":  # it keeps float64, which vtkExodusIIReader does not
        reader.SetScanForRelatedFiles(False)


def _collapsed(piece: Piece, kind: int, own: int) -> Piece:
    """LS-DYNA has triangles as quads, and tetrahedra as hexahedra, whose last corners are one."""
    sizes = np.diff(piece.ends, prepend=0)
    first = piece.ends - sizes
    rows = np.flatnonzero((piece.types == kind) & (sizes == {QUAD: 4, 12: 8}[kind]))
    corners = piece.corners[first[rows][:, None] + np.arange(own - 1, 8 if kind == 12 else 4)]
    rows = rows[(corners == corners[:, :1]).all(1)]
    types, kept = piece.types.copy(), np.ones(len(piece.corners), bool)
    kept[first[rows][:, None] + np.arange(own, 8 if kind == 12 else 4)] = False
    sizes[rows], types[rows] = own, TRIANGLE if own == 3 else TETRAHEDRON
    return piece._replace(types=types, ends=np.cumsum(sizes), corners=piece.corners[kept])


def _named(found: list) -> list:
    """A single block has no name where its parts have none, either."""
    made = []
    for piece in found:
        name = piece.name
        for level in _levels:
            name = name[len(level) :] if name.startswith(level) else name
        made.append(piece._replace(name=name))
    solid = [piece for piece in made if len(piece.types)]
    if len(solid) == 1 and solid[0].name == "block 0":
        return [piece._replace(name="") for piece in made]
    return made


# ---- what PyVista knows besides


class PyvistaSource(VtkSource):
    """A file of an ending that is in no list here."""

    def __init__(self, file: str):
        self.file, self.ending = file, ""
        pyvista = need(file, "pyvista")
        with Errors(file):
            self._own = pyvista.get_reader(file)
        self.reader = getattr(self._own, "reader", None)
        if not hasattr(self.reader, "GetOutputDataObject"):
            raise input_error(file, "PyVista does not read it by a reader of VTK")
        self.times = times_of(file, self.reader) or None


def pyvista_knows(ending: str) -> bool:
    try:
        from pyvista.core.utilities.reader import CLASS_READERS
    except ImportError:
        return False
    return ending in CLASS_READERS
