"""Files that meshio reads."""

from __future__ import annotations

import io
import os
import warnings
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

import numpy as np

from .._library import ImpingeError, error, lib
from .mesh import Piece, as_points, input_error
from .vtk_data import need

# cell arrays with the number of a group, and what such a group is called
_numbered = {
    "nastran:ref": "property", "medit:ref": "reference", "su2:tag": "tag", "ugrid:ref": "reference",
    "cell_tags": "family", "netgen:index": "index", "tetgen:ref": "region",
}  # fmt: skip


def format_of(file: str, module: Any) -> str | None:
    """meshio's name of the format, by the ending, or None."""
    known = module.extension_to_filetypes
    name = os.path.basename(file).lower()
    fits = [ending for ending in known if name.endswith(ending)]
    return known[max(fits, key=len)][-1] if fits else None


def read(file: str, groups: bool, form: str | None = None) -> list:
    """A piece. With `groups`, each is of one object: sets of elements, or numbers of properties."""
    meshio = need(file, "meshio")
    form = form or format_of(file, meshio)
    noise = io.StringIO()  # it prints
    try:
        with redirect_stdout(noise), redirect_stderr(noise), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            mesh = meshio._helpers.reader_map[form](file)
            return [_piece(file, mesh, groups)]
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


def _piece(file: str, mesh: Any, groups: bool) -> Piece:
    piece = piece_of(file, mesh.points, mesh.cells)
    if not groups:
        return piece
    sizes = [len(block.data) for block in mesh.cells]
    found = _sets(mesh, sizes) or _references(mesh)
    if not found:
        raise error(lib.IMP_ERR_ARGUMENT, f"{file}: --groups: it has no groups")
    return piece._replace(groups=found[0], group_names=tuple(found[1]))


def _sets(mesh: Any, sizes: list) -> tuple | None:
    """Of several sets that have a cell the first counts; without one it has no name."""
    names = [name for name in mesh.cell_sets if not name.startswith("gmsh:")]
    if not names:
        return None
    rows = [np.zeros(size, np.int64) for size in sizes]
    for number, name in reversed(list(enumerate(names, 1))):
        for of_block, members in zip(rows, mesh.cell_sets[name]):
            if members is not None and len(members):
                of_block[np.asarray(members, np.int64)] = number
    return np.concatenate(rows), ["", *names]


def _references(mesh: Any) -> tuple | None:
    for key, title in _numbered.items():
        if key in mesh.cell_data:
            numbers, at = np.unique(np.concatenate(mesh.cell_data[key]), return_inverse=True)
            return at.ravel(), [f"{title} {number}" for number in numbers.tolist()]
    return None
