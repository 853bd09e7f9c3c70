"""Meshes as other packages have them: arrays of one, or of several that are objects."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from ._arrays import integers_of, no_array, points_of, rows_of
from ._library import ArgumentError, tell
from ._names import check_names, distinct, names_of

TRIANGLE, TETRAHEDRON = 5, 10  # of VTK
_MOST = 8  # types in a message
_CELLS = ("faces", "regular_faces", "cells_dict", "triangles")
_SURFACE = "use mesh.extract_surface().triangulate()"


class MeshArrays(NamedTuple):
    """A mesh as `contacts` takes it. Meshes that are objects follow each other, in order."""

    points: np.ndarray  #: (n, 3) float64 or float32
    triangles: np.ndarray  #: (m, 3) integers; (m, 4) where there are tetrahedra
    objects: Any  #: (m,) integers, the object of each primitive; None: all are of one
    corner_count: np.ndarray | None  #: (m,) uint8, 3 or 4; None: all have as many
    names: dict[int, str] | None  #: of several meshes, which are objects: their names by their numbers


class Given(NamedTuple):
    """A mesh without its points."""

    triangles: Any
    objects: Any
    corner_count: Any
    names: dict[int, str]
    own: bool = False  #: made of a mesh, anew at each call
    firsts: np.ndarray | None = None  #: of several meshes, one after another: the first vertex of each
    listed: bool = False  #: names were a list, one for each object

    def is_same(self, other: Given) -> bool:
        """Do both say the same?"""
        return (
            self.names == other.names
            and _equal(self.firsts, other.firsts)
            and _equal(self.triangles, other.triangles)
            and _equal(self.objects, other.objects)
            and _equal(self.corner_count, other.corner_count)
        )


def _equal(a: Any, b: Any) -> bool:
    if a is b or a is None or b is None:
        return a is b
    return np.array_equal(a, b)


def arguments_of(
    points: Any,
    triangles: Any,
    objects: Any = None,
    corner_count: Any = None,
    names: Any = None,
    name: str = "points",
) -> tuple[np.ndarray, Given]:
    """The arguments of a function that takes points and triangles, or a mesh in place of both. name: of
    the first of them."""
    if triangles is not None:
        if not isinstance(points, (np.ndarray, list, tuple)) and is_mesh(points):
            raise ArgumentError("triangles: a mesh has its own: give the mesh alone, or points and triangles")
        return points_of(points, name), _given(triangles, objects, corner_count, names, False)
    if isinstance(points, (np.ndarray, list)) or points is None:
        what = "None is neither points nor a mesh" if points is None else f"{name} are no mesh, which has them"
        if isinstance(points, list) and points and all(map(_is_given, points)):
            raise ArgumentError(f"{name}: a list of meshes; give a dict of name: mesh, in which each is an object")
        raise ArgumentError(f"triangles are missing: {what}")
    mesh, firsts = _read(points, "" if name == "points" else name)
    if mesh.names is None:
        count = corner_count if mesh.corner_count is None else mesh.corner_count
        which = mesh.objects if objects is None else objects
        if names is None and objects is None and _is_frame(points):
            names = getattr(points, "names", None)
        return mesh.points, _given(mesh.triangles, which, count, names, True)
    for what, value in (("objects", objects), ("names", names), ("corner_count", corner_count)):
        if value is not None:
            raise ArgumentError(f"{what}: not with several meshes, which are objects with their names")
    return mesh.points, Given(mesh.triangles, mesh.objects, mesh.corner_count, mesh.names, True, firsts)


def _given(triangles: Any, objects: Any, corner_count: Any, names: Any, own: bool) -> Given:
    named, listed = names_of(names), names is not None and not isinstance(names, Mapping)
    if listed:
        check_names(named, objects, True)
    return Given(triangles, objects, corner_count, named, own, None, listed)


def is_mesh(value: Any) -> bool:
    """Whether it has triangles of its own, so that it is no array of points."""
    if isinstance(value, (np.ndarray, list)):
        return False
    if isinstance(value, Mapping) or (isinstance(value, tuple) and len(value) == 2):
        return True
    return _is_several(value) or any(map(functools.partial(_has, value), _CELLS))


def _is_given(value: Any) -> bool:
    return is_mesh(value) and not (isinstance(value, tuple) and np.ndim(value[0]) < 2)


def _has(value: Any, name: str) -> bool:
    """hasattr, which does not compute a property."""
    return hasattr(type(value), name) or name in getattr(value, "__dict__", ())


def mesh_of(value: Any, name: str = "") -> MeshArrays:
    """The arrays of a mesh, which are its own memory where that fits:

    - (points, triangles), a tuple;
    - a mesh of trimesh (`vertices`, `faces`), or of PyVista (`points`, `regular_faces`), whose faces
      must be triangles;
    - a `Frame` of a batch, with its objects;
    - a grid of PyVista or a mesh of meshio (`points`, `cells_dict`) of triangles and tetrahedra, whose
      primitives have the order of its cells;
    - a mapping of names to these, a MultiBlock, or a Scene of trimesh, whose transforms move points in
      float64: several, each an object. One within another has the name "outer/inner"; of several with
      one name they are "name", "name (2)", ... Meshes share no vertex.

    name: what it is, for messages. Raises `ArgumentError`; TypeError and ValueError for arrays of another
    type or shape. Vertex numbers of one mesh alone are not compared with its points.
    """
    return _read(value, name)[0]


def _read(value: Any, name: str) -> tuple[MeshArrays, np.ndarray | None]:
    """A mesh; of several also the first vertex of each."""
    if isinstance(value, Mapping) or _is_several(value):
        return _joined(value, name)
    points, triangles, corner_count = _single(value, name)
    objects = value.objects if _is_frame(value) else None
    return MeshArrays(points, triangles, objects, corner_count, None), None


def one_mesh(value: Any, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Points and corners of a mesh that is one object."""
    mesh = mesh_of(value, name)
    if mesh.names is not None:
        raise ArgumentError(f"{name}: several meshes, not one")
    return mesh.points, mesh.triangles


# ---- one mesh


def _single(value: Any, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Points, corners, and corner_count."""
    at = f"{name}: " if name else ""
    if isinstance(value, tuple) and len(value) == 2:
        points, corners, count = value[0], value[1], None
    elif _is_frame(value):
        points, corners, count = value.points, value.triangles, value.corner_count
    elif _has(value, "vertices") and _has(value, "faces"):
        points, corners, count = value.vertices, value.faces, None
        corners = _triangles(corners, f"{at}faces")
    elif _has(value, "points") and _has(value, "regular_faces"):
        points, corners, count = value.points, _regular(value, at), None
    elif _has(value, "points") and _has(value, "cells_dict"):
        points, (corners, count) = value.points, _cells(value, at)
    else:
        raise ArgumentError(f"{at}{_no_mesh(value)}")
    surface = count is not None or not isinstance(value, tuple)
    corners = rows_of(_plain(corners), f"{at}triangles", surface)
    return points_of(_plain(points), f"{at}points"), corners, count


def _no_mesh(value: Any) -> str:
    kind = type(value).__name__
    if value is None:
        return "None is no mesh"
    if isinstance(value, list):
        return "a list is no mesh: (points, triangles) is one, and a dict of name: mesh several"
    if isinstance(value, (str, bytes, os.PathLike)):
        return no_array(value)
    if _has(value, "cell_arrays"):
        return "a batch, not a frame of it: batch[0] is one"
    if isinstance(value, np.ndarray):
        return "triangles are missing: an array is no mesh; (points, triangles) is one"
    if _has(value, "extract_surface"):
        return f"a mesh of type {kind} has no triangles; {_SURFACE}"
    if _has(value, "GetClassName"):
        return f"{kind} is no mesh; pyvista.wrap() makes it one"
    if _has(value, "vertices") or _has(value, "points"):
        return f"a mesh of type {kind} has no faces; (points, triangles) is one"
    return (
        f"{kind} is no mesh; that is (points, triangles), a mesh of trimesh, PyVista or meshio, or "
        "a dict of name: mesh"
    )


def _plain(array: Any) -> Any:
    """Without the class of another package. A mask stays, to be refused."""
    given = isinstance(array, np.ndarray) and not isinstance(array, np.ma.MaskedArray)
    return np.asarray(array) if given or not isinstance(array, (list, tuple, np.ndarray)) else array


def _triangles(faces: Any, name: str) -> np.ndarray:
    """Faces of a surface: four corners are a quad."""
    array = integers_of(_plain(faces), name)
    if array.size == 0 and array.ndim < 2:
        return array.reshape(0, 3)
    if array.ndim != 2 or array.shape[1] != 3:
        quads = array.ndim == 2 and array.shape[1] == 4
        what = "quads; triangulate the mesh" if quads else "not triangles, (m, 3)"
        raise ArgumentError(f"{name}: shape {array.shape}: {what}")
    return array


def _regular(mesh: Any, at: str) -> np.ndarray:
    """The triangles of a PolyData."""
    _check_ghosts(mesh, at)
    if getattr(mesh, "n_strips", 0):
        raise ArgumentError(f"{at}{mesh.n_strips} triangle strips; use mesh.triangulate()")
    try:
        faces = np.asarray(mesh.regular_faces)
    except ValueError:
        what = f"{at}its faces have different numbers of corners; use mesh.triangulate()"
        raise ArgumentError(what) from None
    if not faces.size:
        others = getattr(mesh, "n_cells", 0)
        if others:
            raise ArgumentError(f"{at}a mesh of {others} points and lines has no triangles")
        return np.zeros((0, 3), np.int64)
    if faces.shape[1] != 3:
        what = f"{at}its faces have {faces.shape[1]} corners, not 3; use mesh.triangulate()"
        raise ArgumentError(what)
    others = mesh.n_cells - len(faces) if hasattr(mesh, "n_cells") else 0
    if others:
        tell(f"{at}{others} points and lines of a mesh are left out")
    return faces


def _check_ghosts(mesh: Any, at: str) -> None:
    if "vtkGhostType" in getattr(mesh, "cell_data", ()) and np.any(mesh.cell_data["vtkGhostType"]):
        what = "it has cells that are ghosts (another piece has them, or they are hidden); use "
        raise ArgumentError(f"{at}{what}mesh.extract_cells(mesh.cell_data['vtkGhostType'] == 0)")


def _cells(mesh: Any, at: str) -> tuple[np.ndarray, np.ndarray | None]:
    """Corners and corner_count, in the order of cells."""
    return _of_grid(mesh, at) if _has(mesh, "celltypes") else _of_meshio(mesh, at)


def _of_grid(mesh: Any, at: str) -> tuple[np.ndarray, np.ndarray | None]:
    """Of an UnstructuredGrid of PyVista, which lists cells by their types."""
    _check_ghosts(mesh, at)
    types = np.asarray(mesh.celltypes)
    others = sorted(set(np.unique(types).tolist()) - {TRIANGLE, TETRAHEDRON})
    if others:
        bad, said = int(np.isin(types, others).sum()), ", ".join(map(str, others[:_MOST]))
        what = f"cells that are neither triangles nor tetrahedra: {bad}, of VTK's type {said}"
        raise ArgumentError(f"{at}{what}; {_SURFACE}")
    blocks = [(int(kind), np.asarray(rows)) for kind, rows in mesh.cells_dict.items()]
    corners, count = _stacked([rows for _, rows in blocks])
    if count is None:
        return corners, None
    order = np.argsort(np.concatenate([np.flatnonzero(types == kind) for kind, _ in blocks]))
    return corners[order], count[order]


def _of_meshio(mesh: Any, at: str) -> tuple[np.ndarray, np.ndarray | None]:
    blocks = [(block.type, np.asarray(block.data)) for block in mesh.cells]
    wrong = {kind: len(rows) for kind, rows in blocks if kind not in ("triangle", "tetra") and len(rows)}
    if wrong:
        said = ", ".join(f"{count} {kind}" for kind, count in list(wrong.items())[:_MOST])
        raise ArgumentError(f"{at}cells that are neither triangles nor tetrahedra: {said}; leave them out")
    return _stacked([rows for _, rows in blocks if len(rows)])


def _stacked(blocks: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray | None]:
    """Rows of several widths, and how many corners each has; None: all as many."""
    if not blocks:
        return np.zeros((0, 3), np.int64), None
    widths = {rows.shape[1] for rows in blocks}
    if len(widths) == 1:
        return blocks[0] if len(blocks) == 1 else np.concatenate(blocks), None
    made = np.zeros((sum(map(len, blocks)), max(widths)), np.result_type(*blocks))
    count = np.repeat([rows.shape[1] for rows in blocks], list(map(len, blocks))).astype(np.uint8)
    at = 0
    for rows in blocks:
        made[at : at + len(rows), : rows.shape[1]] = rows
        at += len(rows)
    return made, count


# ---- several


def _is_frame(value: Any) -> bool:
    return all(_has(value, name) for name in ("points", "triangles", "objects", "corner_count"))


def _is_scene(value: Any) -> bool:
    return _has(value, "geometry") and _has(getattr(value, "graph", None), "nodes_geometry")


def _is_blocks(value: Any) -> bool:
    return _has(value, "n_blocks") and _has(value, "get_block_name")


def _is_several(value: Any) -> bool:
    return _is_scene(value) or _is_blocks(value)


def _children(value: Any, at: str) -> Iterator[tuple[str, Any]]:
    """Names and meshes, one within another by its path: "outer/inner"."""
    if _is_scene(value):
        yield from _nodes(value)
        return
    if _is_blocks(value):  # blocks may have one name, and may be missing
        named = [(value.get_block_name(k) or f"block {k}", value[k]) for k in range(value.n_blocks)]
        rows = [(name, block) for name, block in named if block is not None]
        if rows and len(rows) < len(named):
            left = len(named) - len(rows)
            tell(f"{at}{left} of {len(named)} blocks {'is' if left == 1 else 'are'} None, and left out")
    else:
        rows = list(value.items())
    for key, mesh in rows:
        if not isinstance(key, str) or not key:
            raise ArgumentError(f"{at}the key {key!r} is not a name, a text")
        if isinstance(mesh, Mapping) or _is_several(mesh):
            yield from ((f"{key}/{inner}", one) for inner, one in _children(mesh, f"{at}{key}: "))
        else:
            yield key, mesh


def _nodes(scene: Any) -> Iterator[tuple[str, Any]]:
    """The meshes of a Scene of trimesh where its nodes are, in the order of its graph."""
    for node in scene.graph.nodes_geometry:
        matrix, geometry = scene.graph[node]
        points, triangles, _ = _single(scene.geometry[geometry], str(node))
        yield str(node), _moved(points, triangles, np.asarray(matrix, np.float64))


def _moved(points: np.ndarray, triangles: np.ndarray, matrix: np.ndarray) -> tuple:
    """By a matrix (4, 4), in float64, always in the same order of operations. A mirror turns triangles."""
    if (matrix == np.eye(4)).all():
        return points, triangles
    x, y, z = points.astype(np.float64).T
    rows = [x * a + y * b + z * c + d for a, b, c, d in matrix[:3]]
    if np.linalg.det(matrix[:3, :3]) < 0:
        triangles = triangles[:, ::-1]
    return np.stack(rows, axis=1), triangles


def _joined(value: Any, name: str) -> tuple[MeshArrays, np.ndarray]:
    at = f"{name}: " if name else ""
    rows = list(_children(value, at))
    if not rows:
        tell(f"{at}{type(value).__name__}: there is no mesh in it, and so nothing to test")
    names = distinct(key for key, _ in rows)
    meshes = [_within(mesh, f"{at}{key}") for key, (_, mesh) in zip(names, rows)]
    firsts = np.cumsum([0, *(len(points) for points, _, _ in meshes)])
    if firsts[-1] >= 2**32 - 1:
        raise ValueError(f"{at}points: {firsts[-1]} are too many, 2^32 - 2 are possible")
    points = [points for points, _, _ in meshes]
    corners, counts = _stacked(
        [(c.astype(np.int64) + first).astype(np.uint32) for (_, c, _), first in zip(meshes, firsts) if len(c)]
    )
    given = [(corner, count) for _, corner, count in meshes if len(corner)]
    if any(count is not None for _, count in given):
        counts = np.concatenate([_counts(corner, count) for corner, count in given])
    sizes = [len(corner) for _, corner, _ in meshes]
    joined = MeshArrays(
        np.concatenate(points) if points else np.zeros((0, 3)),
        corners.astype(np.uint32, copy=False),
        np.repeat(np.arange(len(meshes), dtype=np.int32), sizes),
        counts,
        dict(enumerate(names)),
    )
    return joined, firsts


def _counts(corner: np.ndarray, count: np.ndarray | None) -> np.ndarray:
    return np.full(len(corner), corner.shape[1], np.uint8) if count is None else count


def _within(mesh: Any, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """A mesh among others: its triangles must not have the vertices of the next one."""
    points, corner, count = _single(mesh, name)
    used = corner if count is None else corner[np.arange(corner.shape[1]) < count[:, None]]
    if used.size:
        least, most = int(used.min()), int(used.max())
        if least < 0 or most >= len(points):
            bad = least if least < 0 else most
            raise ArgumentError(f"{name}: triangles: vertex {bad}, of {len(points)}")
    return points, corner, count
