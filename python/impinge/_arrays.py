"""What callers hand over, as the library takes it: without a copy wherever the types fit."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._library import ArgumentError, ImpingeError, check, error, ffi, lib, text
from ._names import Objects
from ._weld import Welding, holds, weld

_point_types = {np.dtype(np.float64): lib.IMP_FLOAT64, np.dtype(np.float32): lib.IMP_FLOAT32}
_corners_most = lib.IMP_TETRAHEDRA


def _contiguous(array: np.ndarray) -> np.ndarray:
    """The same array, or a copy where its rows are not one after another."""
    return np.ascontiguousarray(array)


def _last(name: str) -> str:
    """The argument of "arm: points"."""
    return name.rpartition(": ")[2]


def unmasked(values: Any, name: str) -> np.ndarray:
    """An array of the values. numpy would take what is under a mask for values."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        count = int(np.ma.count_masked(values))
        what = f"{name}: {count} values are masked; leave their rows out, or fill them (filled())"
        raise ArgumentError(what)
    return np.asarray(values)


def no_array(value: Any) -> str:
    """What is wrong with None, or a path, in place of arrays."""
    if value is None:
        return "None, not an array (n, 3)"
    file = os.fsdecode(value)
    return f"{file!r} is a path; use impinge.open(path)[k], a frame of it, or impinge.run(path, ...)"


def _no_points(shape: tuple[int, ...], name: str) -> str:
    if len(shape) == 3 and shape[2] == 3:
        frames = f"{shape[0]} frames of (n, 3): Pipeline().frames({name}, triangles) takes them all"
        return f"{frames}, {name}[0] is one"
    one = f"; a frame alone is one of a list, [{name}]" if shape == (3,) else ""
    return f"not (n, 3): x y z of each vertex{one}"


def points_of(points: Any, name: str = "points") -> np.ndarray:
    """(n, 3) float64 or float32. Sequences become float64; other types are a TypeError."""
    if points is None or isinstance(points, (str, bytes, os.PathLike)):
        raise TypeError(f"{name}: {no_array(points)}")
    if not isinstance(points, np.ndarray) and not hasattr(points, "__array__"):
        if hasattr(points, "cell_arrays"):
            raise TypeError(f"{name}: a batch, not a frame of it: batch[0] is one, a mesh by itself")
        points = np.asarray(points, np.float64).reshape(-1, 3) if len(points) == 0 else points
        points = np.asarray(points, np.float64)
    array = unmasked(points, name)
    if array.dtype not in _point_types:
        what = f"{array.dtype}, not float64 or float32; use {_last(name)}.astype(numpy.float64)"
        if array.dtype.kind in "iu" and array.ndim == 2:
            what += ", unless these are triangles: they come after the points"
        raise TypeError(f"{name}: {what}")
    if array.ndim != 2 or array.shape[1] != 3:
        raise ValueError(f"{name}: shape {array.shape}, {_no_points(array.shape, _last(name))}")
    if len(array) >= 2**32 - 1:
        raise ValueError(f"{name}: {len(array)} are too many, 2^32 - 2 are possible")
    return _contiguous(array)


def integers_of(values: Any, name: str) -> np.ndarray:
    """An array of integers of any type; others are a TypeError."""
    array = unmasked(values, name)
    if array.size == 0 and not isinstance(values, np.ndarray):
        array = array.astype(np.int64)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name}: {array.dtype}, not integers; use {_last(name)}.astype(numpy.int64)")
    return array


def _converted(array: np.ndarray, dtype: Any, least: int, most: int, name: str) -> np.ndarray:
    """A contiguous array of another type. Nothing is cut to fewer bits in silence."""
    made = np.empty(array.shape, dtype)
    if array.dtype == np.int64 and made.itemsize == 4:
        given = _contiguous(array)
        into = pointer(made, "void *")
        fits = lib.rows_narrow(pointer(given, "int64_t *"), given.size, least, most, into)
    else:
        fits = not array.size or (int(array.min()) >= least and int(array.max()) <= most)
        made[...] = array
    if not fits:
        bad = int(np.flatnonzero((array < least).ravel() | (array > most).ravel())[0])
        value = array.ravel()[bad]
        raise ValueError(f"{name}: {value} at position {bad} is not {least} to {most}")
    return made


def _check_padded(array: np.ndarray, name: str) -> None:
    """PyVista's faces and cells have the number of corners before the corners of each. Rows of
    triangles look like tetrahedra then, all of which begin with vertex 3."""
    if array.ndim == 2 and len(array) > 1 and array.shape[1] in (4, 5):
        corners = array.shape[1] - 1
        if (array[:, 0] == corners).all():
            what = f"{name}: the first column is {corners} in all rows, as in faces of PyVista, where"
            what += f" it counts the corners; use {_last(name)}[:, 1:]"
            if corners == 3:
                what += f"; if they are tetrahedra: corner_count=numpy.full({len(array)}, 4)"
            raise ArgumentError(what)


def rows_of(triangles: Any, name: str = "triangles", padded: bool = False) -> np.ndarray:
    """(m, k) integers of any type, the corners of each primitive. padded: also where they look like
    faces of PyVista."""
    array = integers_of(triangles, name)
    if array.size == 0 and array.ndim < 2:
        array = array.reshape(0, 3)
    if not padded:
        _check_padded(array, name)
    if array.ndim != 2 or not 1 <= array.shape[1] <= _corners_most:
        flat = "; of PyVista use mesh.regular_faces" if array.ndim == 1 else ""
        raise ArgumentError(
            f"{name}: shape {array.shape}, not (m, 3) for triangles or (m, 4) for tetrahedra{flat}"
        )
    return array


def corners_of(
    triangles: Any, vertices: int, name: str = "triangles", corner_count: Any = None
) -> np.ndarray:
    """(m, k) vertex numbers, k of each primitive, as uint32. int32 and uint32 are not copied."""
    array = rows_of(triangles, name, corner_count is not None)
    if len(array) >= 2**31:
        raise ValueError(f"{name}: {len(array)} are too many, 2^31 - 1 are possible")
    if array.dtype == np.int32:
        return _contiguous(array).view(np.uint32)
    if array.dtype != np.uint32:
        return _converted(array, np.uint32, 0, max(vertices - 1, 0), name)
    return _contiguous(array)


def objects_of(objects: Any, primitives: int) -> np.ndarray | None:
    """(m,) int32, or None. int32 is not copied."""
    return None if objects is None else column_of(objects, primitives, np.int32, "objects")


def column_of(values: Any, count: int | None, dtype: Any, name: str) -> np.ndarray:
    """(count,) integers of this type, which is not copied; others are checked and converted."""
    array = integers_of(values, name)
    if array.ndim != 1 or (count is not None and len(array) != count):
        wanted = "n" if count is None else count
        raise ValueError(f"{name}: shape {array.shape}, not ({wanted},)")
    if array.dtype != dtype:
        limits = np.iinfo(dtype)
        return _converted(array, dtype, int(limits.min), int(limits.max), name)
    return _contiguous(array)


def spread(thickness: np.ndarray, primitives: int) -> np.ndarray:
    """() or (m,) thicknesses as (m,), one for each primitive."""
    if thickness.ndim and len(thickness) != primitives:
        raise ArgumentError(f"thickness: shape {thickness.shape}, not ({primitives},)")
    return np.ascontiguousarray(np.broadcast_to(thickness, (primitives,)))


def pointer(array: np.ndarray | None, ctype: str) -> Any:
    """To the array's memory, which the caller keeps."""
    if array is None or array.size == 0:
        return ffi.NULL
    return ffi.from_buffer(ctype, array)


class Rules:
    """Which pairs of objects an imp_def leaves to test: imp_rules."""

    def __init__(self, definition: Any):
        out = ffi.new("imp_rules **")
        check(lib.imp_rules_create(definition, out))
        self.c = ffi.gc(out[0], lib.imp_rules_destroy)

    def add(self, objects: np.ndarray | None, primitives: int) -> None:
        check(lib.imp_rules_add(self.c, pointer(objects, "int32_t *"), primitives))

    def check(self, given: bool) -> None:
        """An ArgumentError where no pair is left in what was added. `given`: objects were."""
        code = lib.imp_rules_check(self.c)
        if code:
            advice = "" if given else "; objects=, an integer for each primitive, tells them apart"
            raise error(code, text(lib.imp_error_text()) + advice)

    def missing(self) -> list[int]:
        """Objects of the list that nothing which was added has."""
        at, one, found = ffi.new("size_t *"), ffi.new("int32_t *"), []
        while lib.imp_rules_missing(self.c, at, one):
            found.append(one[0])
        return found


class Mesh:
    """imp_mesh, and the arrays that it points to."""

    def __init__(
        self,
        points: np.ndarray,
        triangles: Any,
        objects: Any = None,
        corner_count: Any = None,
        thickness: np.ndarray | None = None,
        names: dict[int, str] | None = None,
        firsts: np.ndarray | None = None,
    ):
        self.given = (triangles, objects, corner_count)
        self.names, self._firsts = names, firsts
        self._about: Objects | None = None
        self.corner = corners_of(triangles, len(points), corner_count=corner_count)
        count, corners = self.corner.shape
        self.object = objects_of(objects, count)
        self.corner_count = (
            None
            if corner_count is None
            else column_of(corner_count, count, np.uint8, "corner_count")
        )
        self.c = ffi.new("imp_mesh *")
        self.c.vertices, self.c.primitives, self.c.corners = len(points), count, corners
        self.c.corner = pointer(self.corner, "uint32_t *")
        self.welding: Welding | None = None
        self.c.object = pointer(self.object, "int32_t *")
        self.c.corner_count = pointer(self.corner_count, "uint8_t *")
        self.thickness = None if thickness is None else spread(thickness, count)
        self.c.thickness = pointer(self.thickness, "double *")
        self.content: list | None = None

    @property
    def about(self) -> Objects:
        """What contacts are told of objects: a copy of what is the caller's."""
        if self._about is None:
            number = self.object
            separate = self._firsts is not None
            if number is not None and not separate:
                number = number.copy()
            self._about = Objects(number, self.names, self.c.primitives, separate)
        return self._about

    def explain(self, what: ImpingeError) -> None:
        """What the library says of a primitive, or of an object, is said by names, too."""
        what.args = (str(what) + self._place(str(what)), *what.args[1:])

    def _place(self, text: str) -> str:
        """Of a primitive or an object that a text names: the name, and the numbers in its own mesh."""
        primitive = re.search(r"\b(triangle|tetrahedron|primitive) (\d+)", text)
        mentioned = re.search(r"\bobject (-?\d+)", text)
        if primitive and self.object is not None and int(primitive[2]) < len(self.object):
            number = int(self.object[int(primitive[2])])
        elif mentioned:
            number = int(mentioned[1])
        else:
            return ""
        if not self.names or number not in self.names:
            return ""
        said = []
        if self._firsts is not None and self.object is not None:
            vertices = re.search(r"\b(vertex|vertices) (\d+)(?: and (\d+))?", text)
            if vertices:
                own = [str(int(n) - int(self._firsts[number])) for n in vertices.groups()[1:] if n]
                said.append(f"{vertices[1]} {' and '.join(own)}")
            if primitive:
                own_row = int(primitive[2]) - int(np.searchsorted(self.object, number))
                said.append(f"{primitive[1]} {own_row}")
        return f"; that is {self.names[number]}" + (": " + " of ".join(said) if said else "")

    def name(self, names: dict[int, str] | None) -> Mesh:
        """Objects have these names from now on."""
        if self.names != names:
            self.names, self._about = names, None
        return self

    def note(self) -> Mesh:
        """Takes note of what the arrays say now, for `is_of`."""
        self.content = [_content(values) for values in self.given]
        return self

    def weld(self, frames: Sequence[np.ndarray], tolerance: float) -> Mesh:
        """Vertices that are one in all of these frames get the number of the first of them. What is
        not certain is in `welding`, for the caller."""
        c = ffi.new("imp_frame[]", len(frames))
        for k, points in enumerate(frames):
            frame_set(c[k], self, points, k)
        self.welding = weld(c, len(frames), self.c.vertices, tolerance)
        return self.join(self.welding.map)

    def join(self, first: np.ndarray) -> Mesh:
        """Vertices that are one get the number of the first of them."""
        if len(first) != self.c.vertices:
            raise ArgumentError(f"points: {self.c.vertices}, but {len(first)} were welded")
        if self.c.vertices:  # the last of the four numbers of a triangle may be anything
            self.corner = first.take(self.corner, mode="clip")
        self.c.corner = pointer(self.corner, "uint32_t *")
        return self

    def holds(self, frames: Sequence[np.ndarray]) -> bool:
        """Is it right for these frames, too?"""
        frame = ffi.new("imp_frame *")
        if self.welding is None:
            return True
        for points in frames:
            frame_set(frame, self, points, 0)
            if not holds(self.welding, frame):
                return False
        return True

    def is_of(self, points: np.ndarray, triangles: Any, objects: Any, corner_count: Any) -> bool:
        """Is it what these arrays say now? They may have been changed in place since `note`."""
        if self.content is None or self.c.vertices != len(points):
            return False
        now = [_content(values) for values in (triangles, objects, corner_count)]
        return None not in now and now == self.content


def _content(values: Any) -> tuple | None:
    """Equal only if it is the same memory with the same content; None: that is not known."""
    if values is None:
        return ()
    if not isinstance(values, np.ndarray) or not values.flags.c_contiguous:
        return None
    address = values.__array_interface__["data"][0]
    value = lib.rows_hash(pointer(values, "void *"), values.nbytes)
    return address, values.shape, values.dtype, value


def frame_set(frame: Any, mesh: Mesh, points: np.ndarray, number: int) -> None:
    """Fills in an imp_frame."""
    if len(points) != mesh.c.vertices:
        raise ArgumentError(f"frame {number}: {len(points)} points, not {mesh.c.vertices}")
    frame.mesh, frame.number = mesh.c, number
    frame.point = pointer(points, "void *")
    frame.type = _point_types[points.dtype]
