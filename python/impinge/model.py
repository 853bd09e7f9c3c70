"""Primitives that are added, moved, replaced and removed: imp_model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._arrays import Rules, column_of, corners_of, objects_of, pointer, points_of
from ._contacts import Contacts
from ._library import ArgumentError, check, ffi, lib
from ._names import Objects, names_of
from .pipeline import _Engine

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import Options
    from ._words import Adjacent, Device, Pairs, Update


class Model(_Engine):
    """The primitives of a simulation that cuts, each with an id. A query computes what changed.

    corners: 3 for triangles, 4 for tetrahedra.
    update: "keep" and "auto" compute only what changed since the previous query; results are the
        same bits. So a query after which nothing has changed may cost next to nothing, and measures nothing:
        `info["kept"]` of contacts is the number of primitives that were not computed again.
    names: of objects: a list of texts, by their numbers, or a dict of number: name.
    allowed: pairs of objects that may touch, which are not tested: [("arm", "base"), (2, 3)].

    Other options: `help(impinge.Options)`. A function that fails does not change the model.
    """

    def __init__(
        self,
        corners: int = 3,
        update: Update = "auto",
        adjacent: Adjacent = "skip",
        pairs: Pairs = "all",
        device: Device = "auto",
        names: Any = None,
        allowed: Any = None,
        **options: Unpack[Options],
    ):
        given = dict(options, update=update, adjacent=adjacent, pairs=pairs, device=device, allowed=allowed)
        given.setdefault("solids", corners == 4)
        self._m = ffi.NULL  # first, so that it goes before what it uses
        self._names = names_of(names)
        super().__init__(given, self._names)
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

    def add(self, triangles: Any, ids: Any = None, objects: Any = None) -> np.ndarray:
        """Adds primitives, (m, corners), with these ids, (m,) int64; None: the next numbers from 0
        on that no id has reached. Returns the ids."""
        mesh, keep = self._mesh_of(triangles, ids, objects)
        self._change(lib.imp_model_add, mesh)
        return self._added(keep)

    def remove(self, ids: Any) -> None:
        """Removes the primitives with these ids, (m,)."""
        gone = _ids(ids)
        self._change(lib.imp_model_remove, pointer(gone, "int64_t *"), len(gone))

    def replace(
        self, removed: Any, triangles: Any, ids: Any = None, objects: Any = None
    ) -> np.ndarray:
        """Removes primitives and adds others, which may have the same ids. Returns theirs."""
        gone = _ids(removed)
        mesh, keep = self._mesh_of(triangles, ids, objects)
        self._change(lib.imp_model_replace, pointer(gone, "int64_t *"), len(gone), mesh)
        return self._added(keep)

    def contacts(self) -> Contacts:
        """The contacts of all primitives. `a` and `b` are positions in the model, `id_a` and
        `id_b` the ids; `object_a` and `object_b` are there if any primitive was added with an object."""
        with self._lock:
            if not self._m:
                raise ArgumentError("the model is closed")
            if not self._objects:
                rules = Rules(self._def)
                rules.add(None, lib.imp_model_mesh(self._m).primitives)
                rules.check(False)
            found = self._collect(1, lib.rows_query, self._m)[0]
            mesh = lib.imp_model_mesh(self._m)
            ids, objects = _column(mesh.id, mesh, np.int64), _column(mesh.object, mesh, np.int32)
            found.id_a, found.id_b = ids[found.a], ids[found.b]
            if self._objects:
                found.object_a, found.object_b = objects[found.a], objects[found.b]
            found._objects = Objects(names=self._names, primitives=mesh.primitives)
        return found

    def position(self, id: int) -> int | None:
        """The position of the primitive with that id, which it keeps; None: there is none."""
        with self._lock:
            found = lib.imp_model_position(self._m, id) if self._m else -1
        return None if found < 0 else found

    def _mesh_of(self, triangles: Any, ids: Any, objects: Any) -> tuple:
        """imp_mesh of what is added, and the arrays behind it: corners, ids, objects."""
        corner = corners_of(triangles, self._vertices)
        count = len(corner)
        chosen = _ids(np.arange(self._next, self._next + count) if ids is None else ids, count)
        keep = (corner, chosen, objects_of(objects, count))
        mesh = ffi.new("imp_mesh *")
        mesh.primitives, mesh.corners = count, corner.shape[1]
        mesh.corner = pointer(corner, "uint32_t *")
        mesh.id = pointer(chosen, "int64_t *")
        mesh.object = pointer(keep[2], "int32_t *")
        self._objects |= objects is not None
        return mesh, keep

    def _added(self, keep: tuple) -> np.ndarray:
        ids = keep[1]
        if len(ids):
            self._next = max(self._next, int(ids.max()) + 1)
        return ids


def _column(memory: Any, mesh: Any, dtype: Any) -> np.ndarray:
    """A column of a model's mesh, which is the library's own; zeros where it has none."""
    if not mesh.primitives or not memory:
        return np.zeros(mesh.primitives, dtype)
    size = np.dtype(dtype).itemsize * mesh.primitives
    return np.frombuffer(ffi.buffer(memory, size), dtype)


def _doubles(points: Any) -> np.ndarray:
    return points_of(points).astype(np.float64, copy=False)


def _ids(ids: Any, count: int | None = None) -> np.ndarray:
    return column_of(ids, count, np.int64, "ids")
