"""Exodus II, by netCDF4: VTK's readers do not say what they leave out, nor which displacements they
know.

Element blocks are objects, which share the nodes of the file; nodal displacements move these.
"""

from __future__ import annotations

import glob
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from .._library import ImpingeError
from . import notes
from .mesh import (
    HEXAHEDRON,
    POLYGON,
    PYRAMID,
    QUAD,
    TETRAHEDRON,
    TRIANGLE,
    WEDGE,
    Piece,
    bare,
    compact,
    distinct,
    input_error,
    uniform,
)
from .vtk_data import need

# by the beginning of the type and the nodes of an element; points and lines are counted
_types = {
    ("TRI", 3): TRIANGLE, ("SHELL", 3): TRIANGLE, ("QUA", 4): QUAD, ("SHELL", 4): QUAD,
    ("TET", 4): TETRAHEDRON, ("PYR", 5): PYRAMID, ("WEDGE", 6): WEDGE, ("HEX", 8): HEXAHEDRON,
}  # fmt: skip
_lines = ("SPHERE", "CIRCLE", "BAR", "BEAM", "TRUSS", "EDGE", "ROD", "LINE", "POINT")
_moved = re.compile(r"(?i)disp(?:l|lacements?)?[_ ]?([xyz123])$")  # also dispx, DISPL_X
_moving = re.compile(r"(?i)displ|disp(?:[_ ]|$)")
CONTINUED = (
    "a file that others continue (NAME-s0002, ...), whose times are frames if they are given"
)
# what else a file may say, by the dimension that counts it
_others = {
    "num_node_sets": "node sets", "num_side_sets": "side sets", "num_elem_sets": "element sets",
    "num_edge_sets": "edge sets", "num_face_sets": "face sets", "num_ed_blk": "edge blocks",
    "num_fa_blk": "face blocks", "num_cfr": "coordinate frames",
    "num_assembly": "assemblies", "num_blob": "blobs",
}  # fmt: skip


class ExodusSource:
    """A file. Its times are frames."""

    def __init__(self, file: str):
        self.file = file
        with self._open() as data:
            steps = data.variables.get("time_whole")
            self.times: Any = [float(t) for t in steps[:]] if steps is not None else None
            self.times = self.times or None
        self._mesh: Any = None  # of all steps

    @contextmanager
    def _open(self) -> Iterator[Any]:
        library = need(self.file, "netCDF4")
        try:
            with library.Dataset(self.file) as data:
                data.set_auto_mask(False)
                yield data
        except (MemoryError, KeyboardInterrupt, ImpingeError):
            raise
        except Exception as what:  # it raises anything on damaged files
            raise input_error(self.file, f"netCDF4 cannot read it (Exodus): {what}") from None

    def source(self, k: int) -> str:
        return self.file

    def read(self, k: int) -> list:
        with self._open() as data:
            found = _Exodus(self.file, data)
            self._mesh = self._mesh or found.mesh()
            mesh = self._mesh
            points = found.moved(mesh, k)
        return [piece._replace(points=points[piece.nodes]) for piece in mesh.pieces]


def _texts(variable: Any) -> list:
    """Names, each a row of characters."""
    rows = np.asarray(variable[:])
    whole = rows.view(f"S{rows.shape[1]}").ravel() if rows.size else []
    return [bytes(row).split(b"\0")[0].decode("utf-8", "replace").strip() for row in whole]


class _Mesh(NamedTuple):
    """What all steps have."""

    points: np.ndarray  #: (n, 3)
    pieces: list  #: of the blocks; their `nodes` are rows of points
    moving: dict  #: the row of the nodal variable that moves nodes along each axis


class _Exodus:
    def __init__(self, file: str, data: Any):
        self.file, self._data = file, data
        self._sizes = {name: len(one) for name, one in data.dimensions.items()}

    def _bad(self, text: str) -> Exception:
        return input_error(self.file, text)

    def _array(self, name: str) -> np.ndarray:
        if name not in self._data.variables:
            raise self._bad(f"there is no variable {name}")
        return np.asarray(self._data.variables[name][:])

    def mesh(self) -> _Mesh:
        if "num_nodes" not in self._sizes or "num_el_blk" not in self._sizes:
            raise self._bad("this is no Exodus file with elements")
        if self._sizes.get("num_processors", 1) > 1:
            raise self._bad("a piece of a decomposed mesh, which is not read; epu joins the pieces")
        notes.left_out(self.file, {name: self._sizes.get(of, 0) for of, name in _others.items()})
        notes.add(self.file, CONTINUED, bool(glob.glob(glob.escape(self.file) + "-s*")))
        points, moving = self._points(), self._moving()
        ids, first = self._ids(), 0
        made = []
        for number, name in enumerate(self._block_names(), 1):
            piece = self._block(number, name, points)
            if piece is None:
                continue
            count = len(piece.types)
            made.append(piece._replace(ids=ids[first : first + count]))
            first += count
        named = [piece._replace(name=name) for piece, name in zip(made, self._names(made))]
        return _Mesh(points, named, moving)

    # ---- nodes

    def _points(self) -> np.ndarray:
        """(n, 3)"""
        axes = "xyz"[: self._sizes.get("num_dim", 3)]
        if "coord" in self._data.variables:  # of files before 1996
            found = list(self._array("coord"))
        else:
            found = [self._array(f"coord{axis}") for axis in axes]
        points = np.zeros((self._sizes["num_nodes"], 3), np.result_type(np.float32, *found))
        for axis, column in enumerate(found):
            points[:, axis] = column
        return points

    def moved(self, mesh: _Mesh, k: int) -> np.ndarray:
        """(n, 3) points of a step."""
        if not mesh.moving:
            return mesh.points
        of = [self._step(row, k) for row in mesh.moving.values()]
        by = np.zeros(mesh.points.shape, np.result_type(np.float32, *of))
        for axis, column in zip(mesh.moving, of):
            by[:, axis] = column
        return mesh.points + by

    def _moving(self) -> dict:
        """Rows of the nodal variables that are displacements, by their axes."""
        names = []
        if "name_nod_var" in self._data.variables:
            names = _texts(self._data.variables["name_nod_var"])
        axes: dict = {}
        for row, name in enumerate(names):
            found = _moved.match(name)
            axis = "xyz".find(found[1].lower()) if found else -1
            axis = int(found[1]) - 1 if found and axis < 0 else axis
            if axis in axes and axis >= 0:
                raise self._bad(
                    f"nodal variables '{names[axes[axis]]}' and '{name}' both move nodes"
                )
            if axis >= 0:
                axes[axis] = row
        odd = next((name for name in names if _moving.match(name)), None)
        if odd and not axes:
            raise self._bad(f"nodal variable '{odd}': it may move nodes, and is not read")
        return axes

    def _step(self, row: int, k: int) -> np.ndarray:
        variables = self._data.variables
        if f"vals_nod_var{row + 1}" in variables:
            return np.asarray(variables[f"vals_nod_var{row + 1}"][k])
        if "vals_nod_var" in variables:
            return np.asarray(variables["vals_nod_var"][k, row])
        raise self._bad(f"there is no variable vals_nod_var{row + 1}")

    # ---- elements

    def _ids(self) -> np.ndarray:
        if "elem_num_map" in self._data.variables:
            return self._array("elem_num_map").astype(np.int64)
        return np.arange(1, self._sizes.get("num_elem", 0) + 1)

    def _block_names(self) -> list:
        """Each by its name or its id."""
        has, count = self._data.variables, self._sizes["num_el_blk"]
        names = _texts(has["eb_names"])[:count] if "eb_names" in has else []
        ids = self._array("eb_prop1").tolist()[:count] if "eb_prop1" in has else []
        names += [""] * (count - len(names))
        ids += range(len(ids) + 1, count + 1)
        return distinct(name or f"block {number}" for name, number in zip(names, ids))

    def _names(self, made: list) -> list:
        """A single block without a name of its own has none."""
        if len(made) == 1 and re.fullmatch(r"block \d+", made[0].name):
            return [""]
        return [piece.name for piece in made]

    def _block(self, number: int, name: str, points: np.ndarray) -> Piece | None:
        """None: it is empty."""
        if not self._sizes.get(f"num_el_in_blk{number}", 0):
            return None
        connect = f"connect{number}"
        cells = self._array(connect).astype(np.int64)
        title = str(getattr(self._data.variables[connect], "elem_type", "")).strip("\0 ")
        whole = title.upper()
        corners = cells.shape[1] if cells.ndim == 2 else 0
        if whole.startswith("NSIDED"):
            sizes = self._array(f"ebepecnt{number}").astype(np.int64)
            types, ends, flat = np.full(len(sizes), POLYGON, np.uint8), np.cumsum(sizes), cells
        elif whole.startswith(_lines):
            types, ends, flat = bare(3, len(cells))
        else:
            kinds = [
                _types[key] for key in _types if whole.startswith(key[0]) and corners == key[1]
            ]
            if not kinds:
                of = f"elements {title[:32]} of {corners} nodes"
                raise self._bad(f"{name}: {len(cells)} {of}, which are not read")
            types, ends, flat = uniform(kinds[0], cells)
        flat = flat.ravel() - 1
        if len(flat) and (flat.min() < 0 or flat.max() >= len(points)):
            bad = flat[(flat < 0) | (flat >= len(points))][0] + 1
            raise self._bad(f"{name}: there is no node {bad}; the file has {len(points)}")
        return compact(Piece(points, types, ends, flat, name))
