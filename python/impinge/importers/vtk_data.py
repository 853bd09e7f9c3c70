"""VTK's readers and data sets: errors as exceptions, blocks as pieces, points as they are."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from .._library import error, install, lib
from . import notes
from .mesh import HEXAHEDRON, POLYGON, STRIP, VOXEL, Piece, bare, distinct, input_error

GHOSTS = 1 | 32  # vtkDataSetAttributes: DUPLICATECELL, HIDDENCELL

# arrays that say what a file calls its points, which pieces share, and its cells
NODES = ("GlobalPointIds", "GlobalNodeIds", "GlobalNodeId")
IDS = ("SourceId", "GlobalCellIds", "GlobalElementIds", "GlobalElementId")


def need(file: object, module: str) -> Any:
    """A module of VTK or another reader, or an error that says how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError as what:
        text = f"{file}: to read it: {install('io')} ({what})"
        raise error(lib.IMP_ERR_ARGUMENT, text) from None


def make(file: object, module: str, name: str) -> Any:
    """A reader of VTK."""
    return getattr(need(file, f"vtkmodules.{module}"), name)()


# ---- errors


class Errors:
    """What VTK says within a block becomes an exception that names the file."""

    def __init__(self, file: object):
        self.file = file

    def __enter__(self) -> Errors:
        core = need(self.file, "vtkmodules.vtkCommonCore")
        self._window = core.vtkOutputWindow
        self._before = self._window.GetInstance()
        self._said = core.vtkStringOutputWindow()
        self._window.SetInstance(self._said)
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        self._window.SetInstance(self._before)
        if kind is None:
            self.check()

    def check(self, code: str = "") -> None:
        said = self._said.GetOutput() or ""
        said = said.decode("utf-8", "replace") if isinstance(said, bytes) else said
        found = re.findall(r"ERROR:? [^\n]*\n([^\n]+)", said)
        texts = [_plain(text) for text in found]
        warned = [_plain(text) for text in re.findall(r"Warning:? [^\n]*\n([^\n]+)", said)]
        texts += [text for text in warned if re.search(r"(?i)skip|may fail|ignor", text)]
        if texts or code:
            raise input_error(self.file, next(filter(None, texts), code))
        for text in dict.fromkeys(warned):
            notes.add(str(self.file), f"VTK: {text}")


def _plain(text: str) -> str:
    return re.sub(r"^\w+ \(0x[0-9a-f]+\): *| for file: *$", "", text)


def update(file: object, reader: Any, time: float | None = None) -> Any:
    """The reader's data, at a time where it has several."""
    with Errors(file) as errors:
        reader.Update() if time is None else reader.UpdateTimeStep(time)
        number = getattr(reader, "GetErrorCode", int)()
        if number:
            codes = need(file, "vtkmodules.vtkCommonMisc").vtkErrorCode
            errors.check(codes.GetStringFromErrorCode(number))
    return reader.GetOutputDataObject(0)


def times_of(file: object, reader: Any) -> list:
    """Times that the file has, or none."""
    key = need(file, "vtkmodules.vtkCommonExecutionModel").vtkStreamingDemandDrivenPipeline
    with Errors(file):
        reader.UpdateInformation()
    found = reader.GetOutputInformation(0).Get(key.TIME_STEPS())
    return list(found or ())


# ---- data sets


def _numbers(array: Any) -> np.ndarray:
    """A copy: the reader may write the next frame to the same place."""
    from vtkmodules.util.numpy_support import vtk_to_numpy

    return np.array(vtk_to_numpy(array))


def _points(data: Any) -> np.ndarray:
    """Integers are float64."""
    found = data.GetPoints()
    if found is None or not found.GetNumberOfPoints():
        return np.zeros((0, 3), np.float32)
    points = _numbers(found.GetData())
    return points if points.dtype == np.float32 else points.astype(np.float64)


def _cells(file: object, cells: Any) -> tuple:
    """Where each ends, and its corners."""
    if cells is None or not cells.GetNumberOfCells():
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    offsets = _numbers(cells.GetOffsetsArray()).astype(np.int64)
    if offsets[0]:
        raise input_error(file, "the cells' offsets do not begin with 0")
    return offsets[1:], _numbers(cells.GetConnectivityArray()).astype(np.int64)


def _poly_data(file: object, data: Any) -> tuple:
    """In VTK's order: vertices, lines, polygons, strips."""
    parts = ((1, data.GetVerts()), (3, data.GetLines()))
    parts += ((POLYGON, data.GetPolys()), (STRIP, data.GetStrips()))
    types, ends, corners = [], [], []
    at = 0
    for kind, cells in parts:
        end, corner = _cells(file, cells)
        types.append(np.full(len(end), kind, np.uint8))
        ends.append(end + at)
        corners.append(corner)
        at += len(corner)
    return np.concatenate(types), np.concatenate(ends), np.concatenate(corners)


def _grid(file: object, data: Any) -> tuple:
    ends, corners = _cells(file, data.GetCells())
    try:
        array = data.GetCellTypes()
    except TypeError:  # VTK before 9.6
        array = data.GetCellTypesArray()
    types = np.zeros(0, np.uint8) if array is None else _numbers(array).ravel()
    if len(types) != len(ends):
        raise input_error(file, f"{len(types)} types of {len(ends)} cells")
    return types, ends, corners


def _structured(file: object, data: Any) -> Any:
    """A surface becomes a grid of quads or pixels. Cells of a volume are counted, and made for a skin
    alone."""
    if data.GetDataDimension() == 3 and data.GetNumberOfCells():
        kind = HEXAHEDRON if data.IsA("vtkStructuredGrid") else VOXEL
        return Piece(np.zeros((0, 3)), *bare(kind, data.GetNumberOfCells()))
    return _listed(file, data)


def _listed(file: object, data: Any) -> Piece:
    append = make(file, "vtkFiltersCore", "vtkAppendFilter")
    append.SetOutputPointsPrecision(2 if data.IsA("vtkPointSet") else 1)  # as they are; double
    append.AddInputData(data)
    append.Update()
    made = append.GetOutput()
    return Piece(_points(made), *_grid(file, made))


# ---- arrays


def _named(attributes: Any) -> dict:
    """Arrays by their names, of integers of one component or not; "" is one without a name."""
    found = [attributes.GetAbstractArray(k) for k in range(attributes.GetNumberOfArrays())]
    return {array.GetName() or "": array for array in found}


def _integers(array: Any) -> np.ndarray | None:
    """int64, or None where it is something else."""
    if not array.IsA("vtkDataArray") or array.GetNumberOfComponents() != 1:
        return None
    numbers = _numbers(array).ravel()
    if numbers.dtype.kind not in "iu" or (numbers.dtype == np.uint64 and (numbers >> 63).any()):
        return None
    return numbers.astype(np.int64)


def _chosen(attributes: Any, names: tuple) -> np.ndarray | None:
    """The first of these arrays, or that which is marked as numbers of all pieces."""
    arrays = _named(attributes)
    found = [arrays[name] for name in names if name in arrays]
    marked = attributes.GetGlobalIds()
    found += [marked] if marked is not None else []
    return _integers(found[0]) if found else None


def _hidden(data: Any, piece: Piece) -> np.ndarray:
    """Cells that another part of the data has as well, and hidden ones; in a structured grid also
    those with a point that is hidden, as VTK shows them."""
    flags = data.GetCellData().GetArray("vtkGhostType")
    hidden = np.zeros(len(piece.types), bool)
    if flags is not None and flags.GetNumberOfTuples() == len(hidden):
        hidden |= (_numbers(flags).ravel() & GHOSTS) != 0
    flags = data.GetPointData().GetArray("vtkGhostType")
    if flags is None or data.IsA("vtkPolyData") or data.IsA("vtkUnstructuredGrid"):
        return hidden
    return hidden | (piece.types == 0)  # so VTK has them


def _described(file: object, data: Any, piece: Piece, why: str) -> Piece:
    """The piece with what its arrays say of it. why: what cells are that are hidden."""
    hidden, solid = _hidden(data, piece), piece.types > 4
    notes.add(str(file), why, int((hidden & (solid | (piece.types == 0))).sum()))
    cells, kept, lost = data.GetCellData(), {}, []
    for name, array in _named(cells).items():
        numbers = _integers(array)
        if numbers is None or len(numbers) != len(piece.types):
            lost.append(f"CellData/{name}")
        elif name not in ("vtkGhostType", "SourceId"):
            kept[name] = numbers
    marked = data.GetPointData().GetGlobalIds()
    known = ("vtkGhostType", *NODES, *([marked.GetName() or ""] if marked is not None else []))
    lost += [f"PointData/{name}" for name in _named(data.GetPointData()) if name not in known]
    notes.lose(lost)
    made = piece._replace(
        types=np.where(hidden, 0, piece.types),
        arrays=kept,
        ids=_chosen(cells, IDS),
        nodes=_chosen(data.GetPointData(), NODES) if len(piece.points) else None,
    )
    bare_volume = len(piece.types) and not len(piece.points)
    return made._replace(solid=lambda: _volume(file, data)) if bare_volume else made


def _volume(file: object, data: Any) -> Piece:
    return _listed(file, data)._replace(nodes=_chosen(data.GetPointData(), NODES))


def _data_set(file: object, data: Any, why: str) -> Piece:
    if data.IsA("vtkPolyData"):
        made = Piece(_points(data), *_poly_data(file, data))
    elif data.IsA("vtkUnstructuredGrid"):
        made = Piece(_points(data), *_grid(file, data))
    elif data.IsA("vtkDataSet"):
        made = _structured(file, data)
    else:
        raise input_error(file, f"a {data.GetClassName()}, which is not read")
    return _described(file, data, made, why)


def _children(data: Any) -> Iterator[tuple]:
    """Name and data of each block. Pieces of one block have no names of their own."""
    if data.IsA("vtkPartitionedDataSet") or data.IsA("vtkMultiPieceDataSet"):
        many = data.IsA("vtkPartitionedDataSet")
        count = data.GetNumberOfPartitions() if many else data.GetNumberOfPieces()
        for k in range(count):
            yield "", data.GetPartitionAsDataObject(k) if many else data.GetPieceAsDataObject(k)
        return
    blocks = data.IsA("vtkMultiBlockDataSet")
    count = data.GetNumberOfBlocks() if blocks else data.GetNumberOfPartitionedDataSets()
    given = (data.GetMetaData(k).Get(data.NAME()) for k in range(count) if data.HasMetaData(k))
    names = [next(given) if data.HasMetaData(k) else None for k in range(count)]
    for k, name in enumerate(distinct(name or f"block {k}" for k, name in enumerate(names))):
        yield name, data.GetBlock(k) if blocks else data.GetPartitionedDataSet(k)


def pieces(file: object, data: Any, name: str = "", why: str = notes.GHOSTS) -> Iterator[Piece]:
    """A piece for each block, named like the path to it: "outer/inner". why: what cells are that
    are hidden."""
    if data is None:
        return
    if not data.IsA("vtkCompositeDataSet"):
        yield _data_set(file, data, why)._replace(name=name)
        return
    known = ("vtkMultiBlockDataSet", "vtkPartitionedDataSet", "vtkMultiPieceDataSet")
    if not any(data.IsA(k) for k in (*known, "vtkPartitionedDataSetCollection")):
        raise input_error(file, f"a {data.GetClassName()}, which is not read")
    for inner, block in _children(data):
        yield from pieces(file, block, "/".join(filter(None, (name, inner))), why)
