"""Prims whose attributes have a sample in each frame, also where there is nothing: an empty array is not
held from the frame before."""

from __future__ import annotations

from typing import Any

import numpy as np

from .stage import Output, single

COLD, WARM, HOT = np.array([[0.6, 0.6, 0.6], [1.0, 0.85, 0.2], [0.75, 0.0, 0.0]])


def heat_colours(strength: np.ndarray) -> np.ndarray:
    """(n, 3) of numbers from 0 to 1: grey for 0, else from yellow to red."""
    made = WARM + np.clip(strength, 0, 1)[:, None] * (HOT - WARM)
    made[~(strength > 0)] = COLD
    return made


class Prim:
    """A geometric prim. `code`: of the frame that is written; None: values without a time."""

    def __init__(self, library: Any, output: Output, prim: Any, interpolation: str):
        self._library, self._output, self.prim = library, output, prim
        self._interpolation = interpolation
        self._variables: dict = {}

    def _array(self, values: np.ndarray) -> tuple[str, Any]:
        """Its type in USD, and the value."""
        types, vt = self._library.Sdf.ValueTypeNames, self._library.Vt
        if values.dtype.kind == "f":
            return types.DoubleArray, vt.DoubleArray.FromNumpy(np.ascontiguousarray(values, "f8"))
        small = values.dtype.itemsize < 4 or values.dtype == np.int32
        kind, size = ("IntArray", "i4") if small else ("Int64Array", "i8")
        made = np.ascontiguousarray(values, size)
        return getattr(types, kind), getattr(vt, kind).FromNumpy(made)

    def number(self, name: str, values: np.ndarray, code: float | None) -> None:
        """A number of each curve, point or face: as many bits as the result has."""
        kind, made = self._array(values)
        if name not in self._variables:
            of = self._library.UsdGeom.PrimvarsAPI(self.prim)
            self._variables[name] = of.CreatePrimvar(name, kind, self._interpolation).GetAttr()
        self._output.put(self._variables[name], made, code, values.nbytes)

    def colours(self, rgb: np.ndarray, code: float | None, interpolation: str = "") -> None:
        """(n, 3), one of each."""
        if "displayColor" not in self._variables:
            made = self._library.UsdGeom.Gprim(self.prim).CreateDisplayColorPrimvar()
            made.SetInterpolation(interpolation or self._interpolation)
            self._variables["displayColor"] = made.GetAttr()
        value = self._vectors(rgb.astype(np.float32))
        self._output.put(self._variables["displayColor"], value, code, 12 * len(rgb))

    def points(self, points: np.ndarray, width: float, code: float | None) -> None:
        """And the extent, which half of the width belongs to."""
        of = self._library.UsdGeom.PointBased(self.prim)
        made = single(points, self._output.path)
        self._output.put(of.GetPointsAttr(), self._vectors(made), code, made.nbytes)
        if len(made):
            half = np.float32(width / 2)
            extent = np.array([made.min(0) - half, made.max(0) + half])
        else:  # as UsdGeom says it of no points
            most = np.finfo(np.float32).max
            extent = np.array([[most] * 3, [-most] * 3], np.float32)
        self._output.put(of.GetExtentAttr(), self._vectors(extent), code, 24)

    def _vectors(self, rows: np.ndarray) -> Any:
        return self._library.Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(rows, np.float32))

    def integers(self, attribute: Any, values: np.ndarray, code: float | None) -> None:
        made = self._library.Vt.IntArray.FromNumpy(np.ascontiguousarray(values, np.int32))
        self._output.put(attribute, made, code, 4 * len(values))

    def note(self, name: str, value: Any) -> None:
        self.prim.SetCustomDataByKey(f"impinge:{name}", value)


class Lines(Prim):
    """BasisCurves, linear. wrap: "nonperiodic", or "periodic": the last point is joined with the
    first."""

    def __init__(self, library: Any, output: Output, path: str, wrap: str, width: float):
        made = library.UsdGeom.BasisCurves.Define(output.stage, path)
        made.CreateTypeAttr("linear")
        made.CreateWrapAttr(wrap)
        made.CreateWidthsAttr([width])
        made.SetWidthsInterpolation("constant")
        super().__init__(library, output, made.GetPrim(), "uniform")
        self._counts, self._width = made.CreateCurveVertexCountsAttr(), width

    def curves(self, points: np.ndarray, counts: np.ndarray, code: float | None) -> None:
        self.points(points, self._width, code)
        self.integers(self._counts, counts, code)


class Dots(Prim):
    """Points."""

    def __init__(self, library: Any, output: Output, path: str, width: float):
        made = library.UsdGeom.Points.Define(output.stage, path)
        made.CreateWidthsAttr([width])
        made.SetWidthsInterpolation("constant")
        super().__init__(library, output, made.GetPrim(), "vertex")
        self._width = width

    def dots(self, points: np.ndarray, code: float | None) -> None:
        self.points(points, self._width, code)


class Faces(Prim):
    """A mesh of triangles. Its faces have a sample where they change."""

    def __init__(self, library: Any, output: Output, path: str):
        made = library.UsdGeom.Mesh.Define(output.stage, path)
        made.CreateSubdivisionSchemeAttr("none")
        made.CreateDoubleSidedAttr(True)
        super().__init__(library, output, made.GetPrim(), "uniform")
        self._attributes = made.CreateFaceVertexCountsAttr(), made.CreateFaceVertexIndicesAttr()
        self._before: Any = None

    def cells(self, points: np.ndarray, corners: np.ndarray, code: float | None) -> None:
        self.points(points, 0.0, code)
        if self._before is None or not np.array_equal(corners, self._before):
            counts = np.full(len(corners), 3)
            for attribute, values in zip(self._attributes, (counts, corners.ravel())):
                self.integers(attribute, values, code)
            self._before = corners

    def heat(self, strength: np.ndarray, points: int, code: float | None) -> None:
        self.colours(heat_colours(strength), code)


class Solids(Prim):
    """Tetrahedra, with the faces of their surface. Colours are at vertices: viewers draw that surface."""

    def __init__(self, library: Any, output: Output, path: str):
        made = library.UsdGeom.TetMesh.Define(output.stage, path)
        super().__init__(library, output, made.GetPrim(), "uniform")
        self._tetrahedra = made.CreateTetVertexIndicesAttr()
        self._surface = made.CreateSurfaceFaceVertexIndicesAttr()
        self._before: Any = None

    def cells(self, points: np.ndarray, corners: np.ndarray, code: float | None) -> None:
        self.points(points, 0.0, code)
        if self._before is not None and np.array_equal(corners, self._before):
            return
        vt, self._before = self._library.Vt, corners
        four = vt.Vec4iArray.FromNumpy(np.ascontiguousarray(corners, np.int32))
        self._output.put(self._tetrahedra, four, code, 16 * len(corners))
        three = vt.Vec3iArray.FromNumpy(_surface(corners))
        self._output.put(self._surface, three, code, 12 * len(corners))

    def heat(self, strength: np.ndarray, points: int, code: float | None) -> None:
        """Each vertex has the strongest of its tetrahedra."""
        made = np.zeros(points)
        np.maximum.at(made, self._before.ravel(), np.repeat(strength, 4))
        self.colours(heat_colours(made), code, "vertex")


def _surface(corners: np.ndarray) -> np.ndarray:
    """(n, 3) int32, the faces that one tetrahedron alone has, outwards where its volume is positive."""
    faces = corners[:, [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]]].reshape(-1, 3)
    if not len(faces):
        return np.zeros((0, 3), np.int32)
    _, first, counts = np.unique(
        np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True
    )
    return np.ascontiguousarray(faces[np.sort(first[counts == 1])], np.int32)
