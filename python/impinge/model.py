"""Primitives that are added, moved, replaced and removed: imp_model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._arrays import Rules, column_of, corners_of, objects_of, pointer, points_of
from ._contacts import Contacts
from ._library import ArgumentError, check, ffi, lib
from .pipeline import _Engine

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import Options


class Model(_Engine):
    """The primitives of a simulation that cuts, each with a name. A query computes what changed.

    corners: 3 for triangles, 4 for tetrahedra.
    update: "keep" and "auto" compute only what changed since the previous query; results are the
        same bits.

    Other options: `help(impinge.Options)`. A function that fails does not change the model.
    """

    def __init__(
        self,
        corners: int = 3,
        update: str = "auto",
        adjacent: str = "skip",
        pairs: str = "all",
        device: str | int = "auto",
        **options: Unpack[Options],
    ):
        given = dict(options, update=update, adjacent=adjacent, pairs=pairs, device=device)
        given.setdefault("solids", corners == 4)
        self._m = ffi.NULL  # first, so that it goes before what it uses
        super().__init__(given)
        self._vertices = 0
        self._corners = corners
        self._next = 0
        self._objects = False  # were any given?
        out = ffi.new("imp_model **")
        self._create(lib.rows_model_create, corners, out)
        self._m = ffi.gc(out[0], lib.imp_model_destroy)
        self._p = lib.imp_model_pipeline(self._m)

    def _free(self) -> None:
        if self._m:
            ffi.release(self._m)
        self._m = ffi.NULL

    def _change(self, function, *arguments) -> None:
        with self._lock:
            if not self._m:
                raise ArgumentError("the model is closed")
            check(function(self._m, *arguments))

    def add_vertices(self, points: Any) -> int:
        """Adds vertices, (n, 3), finite; returns the number of the first one, the others follow.
        float32 is converted to float64. Vertices are never removed."""
        at = _doubles(points)
        first = ffi.new("uint32_t *")
        self._change(lib.imp_model_add_vertices, pointer(at, "double *"), len(at), first)
        self._vertices += len(at)
        return first[0]

    def move(self, points: Any, vertices: Any = None) -> None:
        """Moves vertices to points, (n, 3): those of these numbers, (n,), or the first n."""
        at = _doubles(points)
        which = None if vertices is None else column_of(vertices, len(at), np.uint32, "vertices")
        numbers = pointer(which, "uint32_t *")
        self._change(lib.imp_model_move, numbers, pointer(at, "double *"), len(at))

    def add(self, triangles: Any, names: Any = None, objects: Any = None) -> np.ndarray:
        """Adds primitives, (m, corners), of these names, (m,) int64; None: the next numbers from 0
        on that no name has reached. Returns the names."""
        mesh, keep = self._mesh_of(triangles, names, objects)
        self._change(lib.imp_model_add, mesh)
        return self._named(keep)

    def remove(self, names: Any) -> None:
        """Removes the primitives of these names, (m,)."""
        gone = _names(names)
        self._change(lib.imp_model_remove, pointer(gone, "int64_t *"), len(gone))

    def replace(
        self, removed: Any, triangles: Any, names: Any = None, objects: Any = None
    ) -> np.ndarray:
        """Removes primitives and adds others, which may have the same names. Returns theirs."""
        gone = _names(removed)
        mesh, keep = self._mesh_of(triangles, names, objects)
        self._change(lib.imp_model_replace, pointer(gone, "int64_t *"), len(gone), mesh)
        return self._named(keep)

    def contacts(self) -> Contacts:
        """The contacts of all primitives. `a` and `b` are positions in the model, `name_a` and
        `name_b` the names."""
        with self._lock:
            if not self._m:
                raise ArgumentError("the model is closed")
            if not self._objects:
                rules = Rules(self._def)
                rules.add(None, lib.imp_model_mesh(self._m).primitives)
                rules.check(False)
            found = self._collect(1, lib.rows_query, self._m)[0]
            names = self._all_names()
        found.name_a, found.name_b = names[found.a], names[found.b]
        return found

    def place(self, name: int) -> int | None:
        """The position of the primitive of that name, which it keeps; None: there is none."""
        with self._lock:
            place = lib.imp_model_place(self._m, name) if self._m else -1
        return None if place < 0 else place

    def _all_names(self) -> np.ndarray:
        mesh = lib.imp_model_mesh(self._m)
        if not mesh.primitives:
            return np.zeros(0, np.int64)
        return np.frombuffer(ffi.buffer(mesh.name, 8 * mesh.primitives), np.int64)

    def _mesh_of(self, triangles: Any, names: Any, objects: Any) -> tuple:
        """imp_mesh of what is added, and the arrays behind it: corners, names, objects."""
        corner = corners_of(triangles, self._vertices)
        count = len(corner)
        name = _names(np.arange(self._next, self._next + count) if names is None else names, count)
        keep = (corner, name, objects_of(objects, count))
        mesh = ffi.new("imp_mesh *")
        mesh.primitives, mesh.corners = count, corner.shape[1]
        mesh.corner = pointer(corner, "uint32_t *")
        mesh.name = pointer(name, "int64_t *")
        mesh.object = pointer(keep[2], "int32_t *")
        self._objects |= objects is not None
        return mesh, keep

    def _named(self, keep: tuple) -> np.ndarray:
        names = keep[1]
        if len(names):
            self._next = max(self._next, int(names.max()) + 1)
        return names


def _doubles(points: Any) -> np.ndarray:
    return points_of(points).astype(np.float64, copy=False)


def _names(names: Any, count: int | None = None) -> np.ndarray:
    return column_of(names, count, np.int64, "names")
