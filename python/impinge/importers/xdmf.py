"""XDMF: VTK's reader, and meshio's for what that does not read, or reads twice."""

from __future__ import annotations

from typing import Any

from .._library import InputError
from .mesh import input_error
from .meshio_data import piece_of, read
from .vtk_data import need
from .vtk_files import VtkSource


class MeshioSeries:
    """A mesh once, and steps that include it (XInclude), as meshio and dolfin write them."""

    def __init__(self, file: str):
        series = need(file, "meshio.xdmf").TimeSeriesReader
        self.file = file
        try:
            with series(file) as reader:
                self._mesh = reader.read_points_cells()
                self.times: Any = [float(reader.read_data(k)[0]) for k in range(reader.num_steps)]
        except Exception as what:  # it raises anything on damaged files
            raise input_error(file, f"meshio cannot read it (xdmf): {what}") from None

    def read(self, k: int) -> list:
        return [piece_of(self.file, *self._mesh)]

    def source(self, k: int) -> str:
        return self.file


class MeshioXdmf:
    times = None

    def __init__(self, file: str):
        self.file, self._pieces = file, read(file, "xdmf")

    def read(self, k: int) -> list:
        return self._pieces

    def source(self, k: int) -> str:
        return self.file


def open_xdmf(file: str) -> Any:
    with open(file, "rb") as stream:
        if b"XInclude" in stream.read():
            return MeshioSeries(file)
    try:
        source = VtkSource(file, ".xdmf")
        source.read(0)
        return source
    except InputError as what:
        said = what
    try:
        return MeshioXdmf(file)
    except InputError:
        raise said from None
