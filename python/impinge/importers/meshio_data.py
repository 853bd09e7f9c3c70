"""Files that meshio reads: XDMF."""

from __future__ import annotations

import io
import warnings
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

import numpy as np

from .._library import ImpingeError
from .mesh import Piece, as_points, input_error
from .vtk_data import need


def read(file: str, form: str) -> list:
    """A piece."""
    meshio = need(file, "meshio")
    noise = io.StringIO()  # it prints
    try:
        with redirect_stdout(noise), redirect_stderr(noise), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            mesh = meshio._helpers.reader_map[form](file)
            return [piece_of(file, mesh.points, mesh.cells)]
    except (MemoryError, KeyboardInterrupt, ImpingeError):
        raise
    except (Exception, SystemExit) as what:  # it raises anything on damaged files
        said = str(what) or noise.getvalue() or type(what).__name__
        raise input_error(file, f"meshio cannot read it ({form}): {said}") from None


def piece_of(file: str, points: Any, blocks: Any) -> Piece:
    """Of meshio's points, and blocks of cells of one type."""
    from meshio._vtk_common import meshio_to_vtk_type

    types, ends, corners = [np.zeros(0, np.uint8)], [np.zeros(0, np.int64)], []
    at = 0
    for block in blocks:
        plain = block.type.rstrip("0123456789") if block.type[:5] == "polyg" else block.type
        kind = meshio_to_vtk_type.get(plain)
        if kind is None:
            raise input_error(file, f"{len(block.data)} cells of kind {block.type}, not read")
        sizes = np.array([len(cell) for cell in block.data], np.int64)
        if kind == 42:  # cells of faces
            sizes[:] = 0
        else:
            corners.append(np.concatenate([np.asarray(c, np.int64) for c in block.data] or [[]]))
        types.append(np.full(len(sizes), kind, np.uint8))
        ends.append(at + np.cumsum(sizes))
        at += int(sizes.sum())
    flat = np.concatenate([np.zeros(0, np.int64), *corners]).astype(np.int64)
    return Piece(as_points(points), np.concatenate(types), np.concatenate(ends), flat)
