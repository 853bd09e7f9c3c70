"""Files that VTK reads, by their ending."""

from __future__ import annotations

from collections.abc import Iterable

from .mesh import Piece, input_error
from .vtk_data import Errors, make, need, pieces, times_of, update
from .vtk_scan import check_cells, legacy_time, scan

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
}


class VtkSource:
    """A file. `times`: of its frames, or None for one frame whose time is not known."""

    def __init__(self, file: str, ending: str):
        self.file = file
        self._sizes = scan(file, ending)
        self.reader = make(file, *READERS[ending])
        with Errors(file):
            self.reader.SetFileName(file)
        self.times = times_of(file, self.reader) or None
        if ending == ".vtk":
            time = legacy_time(file)
            self.times = self.times if time is None else [time]

    def read(self, k: int) -> Iterable[Piece]:
        time = None if self.times is None else self.times[k]
        data = update(self.file, self.reader, time)
        check_cells(self.file, self._sizes, data)
        found = list(pieces(self.file, data))
        return _named(found)

    def source(self, k: int) -> str:
        return self.file


def _named(found: list) -> list:
    """A single block has no name where its parts have none, either."""
    solid = [piece for piece in found if len(piece.types)]
    if len(solid) == 1 and solid[0].name == "block 0":
        return [piece._replace(name="") for piece in found]
    return found


class PyvistaSource(VtkSource):
    """A file whose reader of VTK is the one that PyVista takes."""

    def __init__(self, file: str):
        self.file, self._sizes = file, {}
        pyvista = need(file, "pyvista")
        with Errors(file):
            self._own = pyvista.get_reader(file)
        self.reader = getattr(self._own, "reader", None)
        if not hasattr(self.reader, "GetOutputDataObject"):
            raise input_error(file, "PyVista does not read it by a reader of VTK")
        self.times = times_of(file, self.reader) or None
