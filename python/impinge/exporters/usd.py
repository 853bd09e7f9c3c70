"""The prims of an export: contacts as lines and points, contours as curves, heat maps as meshes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._contacts import Contacts
from .._library import words
from .._report.palette import _colour
from ..files import Frame
from .given import Curves, Given
from .prims import Dots, Faces, Lines, Prim, Solids
from .stage import Output

ROOT = "/impinge"
NONE = np.zeros(0)
EMPTY = np.zeros((0, 3))

#: Columns of contacts, where they have them, as primvars.
COLUMNS = {
    "kind": "kind", "object_a": "objectA", "object_b": "objectB", "a": "primitiveA",
    "b": "primitiveB", "id_a": "idA", "id_b": "idB", "source_a": "sourceA", "source_b": "sourceB",
    "toi": "toi", "time": "time", "distance": "distance", "depth": "depth",
    "penetration": "penetration", "relative": "relative", "crossing": "crossing",
    "vertex": "vertex", "winding": "winding",
}  # fmt: skip


def _kinds() -> dict[str, str]:
    """Names of data/format.md, by numbers, as text: USD's dictionaries have no other keys."""
    numbers = words("imp_kind")
    start = numbers.pop("at-start")
    early = {number: name for name, number in numbers.items() if number < start}
    solids = numbers["solids"]
    late = {start + n: f"{early[n]} at start" for n in early if 1 <= n <= solids}
    return {str(number): name for number, name in {**early, **late}.items()}


class Survey(NamedTuple):
    """Of all moments."""

    width: float  #: of lines
    greatest: float  #: of the numbers of heat maps
    colours: dict  #: of pairs of objects, those with the most contacts first
    contacts: int
    curves: int


def _objects(found: Any, count: int) -> np.ndarray:
    """(n, 2) the objects of each."""
    a, b = getattr(found, "object_a", None), getattr(found, "object_b", None)
    if a is None or b is None:
        return np.zeros((count, 2), np.int64)
    return np.column_stack([a, b]).astype(np.int64)


def survey(given: Given, width: float | None) -> Survey:
    """Reads all contacts once: lines are as wide as a five hundredth of what is seen."""
    low, high, greatest = np.full(3, np.inf), np.full(3, -np.inf), 0.0
    pairs: dict = {}
    contacts = curves = 0
    for k in range(len(given)):
        found = given.contacts(k)
        seen: Any = found
        if found is None and "curves" in given.parts:
            seen = given.moment(k).curves
            curves += len(seen.length)
        points = EMPTY if seen is None else seen.ends if found is not None else seen.points
        points = points.reshape(-1, 3)
        if len(points):
            low, high = np.minimum(low, points.min(0)), np.maximum(high, points.max(0))
        if seen is not None:
            rows = len(seen.length) if found is None else len(found)
            contacts += 0 if found is None else rows
            each, numbers = np.unique(_objects(seen, rows), axis=0, return_counts=True)
            for pair, number in zip(map(tuple, each.tolist()), numbers.tolist()):
                pairs[pair] = pairs.get(pair, 0) + number
        greatest = max(greatest, given.greatest(k))
    most = sorted(pairs, key=lambda pair: (-pairs[pair], pair))
    colours = {pair: _colour(i) for i, pair in enumerate(most)}
    return Survey(_width(low, high, width), greatest, colours, contacts, curves)


def _width(low: np.ndarray, high: np.ndarray, given: float | None) -> float:
    if given is not None:
        return given
    size = float(np.linalg.norm(high - low)) if (low <= high).all() else 0.0
    size = size or (float(np.abs(high).max()) if np.isfinite(high).all() else 0.0) or 1.0
    return size / 500


def _rgb(colours: list) -> np.ndarray:
    given = np.array(colours, np.int64).reshape(-1, 1)
    return (given >> np.array([16, 8, 0]) & 255) / 255.0


class Writer:
    """Writes moments to a stage. by_kind: colours of contacts tell their kinds, not their objects."""

    def __init__(self, library: Any, output: Output, given: Given, seen: Survey, by_kind: bool):
        self._library, self._output, self._given = library, output, given
        self._survey, self._by_kind = seen, by_kind
        geom, stage = library.UsdGeom, output.stage
        root = geom.Xform.Define(stage, ROOT)
        stage.SetDefaultPrim(root.GetPrim())
        self._codes: list = []  # of the frames so far
        self._meshes: dict = {}
        self._identifiers: set = set()
        self.objects: set = set()  # that have a mesh
        self.curves = 0
        width = seen.width
        if "contacts" in given.parts:
            geom.Xform.Define(stage, f"{ROOT}/contacts")
            self._segments = Lines(
                library, output, f"{ROOT}/contacts/segments", "nonperiodic", width
            )
            self._dots = Dots(library, output, f"{ROOT}/contacts/points", 3 * width)
            kinds = _kinds()
            for prim in (self._segments, self._dots):
                prim.note("kinds", kinds)
                self._name(prim)
        if "curves" in given.parts:
            geom.Xform.Define(stage, f"{ROOT}/contours")
            self._open = Lines(library, output, f"{ROOT}/contours/open", "nonperiodic", width)
            self._closed = Lines(library, output, f"{ROOT}/contours/closed", "periodic", width)
            self._name(self._open)
            self._name(self._closed)
        if "heat" in given.parts:
            geom.Xform.Define(stage, f"{ROOT}/heat")

    def _name(self, prim: Prim) -> None:
        if self._given.names:
            prim.note("objects", {str(n): name for n, name in self._given.names.items()})

    def add(self, k: int, code: float | None) -> None:
        moment = self._given.moment(k)
        if moment.contacts is not None:
            self._contacts(moment.contacts, code)
        if moment.curves is not None:
            self._contours(moment.curves, code)
        if moment.frame is not None and moment.values is not None:
            self._heat(moment.frame, moment.values, code)
        self._codes.append(code)
        self._output.save()

    # ---- contacts

    def _contacts(self, found: Contacts, code: float | None) -> None:
        """Those at one point are points, all others segments."""
        dot = (found.ends[:, 0] == found.ends[:, 1]).all(1)
        rows = np.flatnonzero(~dot)
        self._segments.curves(found.ends[rows].reshape(-1, 3), np.full(len(rows), 2), code)
        self._columns(self._segments, found, rows, code)
        rows = np.flatnonzero(dot)
        self._dots.dots(found.ends[rows, 0], code)
        self._columns(self._dots, found, rows, code)

    def _columns(self, prim: Prim, found: Contacts, rows: np.ndarray, code: float | None) -> None:
        for name, shown in COLUMNS.items():
            values = getattr(found, name, None)
            if values is not None:
                prim.number(shown, values[rows], code)
        if self._by_kind:
            colours = _rgb([_colour(kind) for kind in found.kind[rows].tolist()])
        else:
            colours = self._of_pairs(_objects(found, len(found))[rows])
        prim.colours(colours, code)

    def _of_pairs(self, pairs: np.ndarray) -> np.ndarray:
        known = self._survey.colours
        return _rgb([known.setdefault(tuple(p), _colour(len(known))) for p in pairs.tolist()])

    # ---- contours

    def _contours(self, found: Curves, code: float | None) -> None:
        """Closed ones have no point twice. One of two points, whose curve would be no ring, is open."""
        self.curves += len(found.length)
        sizes = np.diff(found.offsets)
        ring = found.closed & (sizes > 2)
        for prim, rows in ((self._open, ~ring), (self._closed, ring)):
            again = found.closed[rows] & ~ring[rows]
            points = found.points[np.repeat(rows, sizes)]
            counts = sizes[rows]
            if again.any():
                first = np.cumsum(counts) - counts
                points = np.insert(points, (first + counts)[again], points[first[again]], axis=0)
                counts = counts + again
            prim.curves(points, counts, code)
            prim.number("contour", np.flatnonzero(rows), code)
            for name, values in (
                ("length", found.length),
                ("objectA", found.object_a),
                ("objectB", found.object_b),
            ):
                prim.number(name, values[rows], code)
            prim.colours(self._of_pairs(_objects(found, len(rows))[rows]), code)

    # ---- heat maps

    def _heat(self, frame: Frame, values: dict, code: float | None) -> None:
        """Objects that a frame does not have are empty there."""
        count = len(frame.triangles)
        objects = frame.objects if frame.objects is not None else np.zeros(count, np.int64)
        solid = np.full(count, frame.triangles.shape[1] == 4)
        if frame.corner_count is not None:
            solid = frame.corner_count == 4
        left = dict(self._meshes)
        order = np.argsort(2 * objects.astype(np.int64) + solid, kind="stable")
        keys = np.column_stack([objects[order], solid[order]])
        cuts = np.flatnonzero((np.diff(keys, axis=0) != 0).any(1)) + 1
        for rows in np.split(order, cuts) if count else []:
            key = int(objects[rows[0]]), bool(solid[rows[0]])
            left.pop(key, None)
            self._part(key, frame, rows, values, code)
        nothing = {name: array[:0] for name, array in values.items()}
        for prim in left.values():
            self._fill(prim, EMPTY, np.zeros((0, 3), np.int64), nothing, code)

    def _part(self, key: tuple, frame: Frame, rows: np.ndarray, values: dict, code: Any) -> None:
        chosen = {name: array[rows] for name, array in values.items()}
        corners = frame.triangles[rows][:, : 4 if key[1] else 3]
        used, at = np.unique(corners, return_inverse=True)
        if key not in self._meshes:
            prim = self._meshes[key] = self._define(*key)
            nothing = {name: array[:0] for name, array in values.items()}
            for before in dict.fromkeys([*self._codes[:1], *self._codes[-1:]]):
                self._fill(prim, EMPTY, corners[:0], nothing, before)
        points = frame.points[used]
        self._fill(self._meshes[key], points, at.reshape(corners.shape), chosen, code)

    def _fill(self, prim: Any, points: Any, corners: Any, values: dict, code: Any) -> None:
        prim.cells(points, corners, code)
        for name, array in values.items():
            prim.number(name, array, code)
        strength = next(iter(values.values())).astype(np.float64) / (self._survey.greatest or 1.0)
        prim.heat(np.nan_to_num(strength, posinf=0.0), len(points), code)

    def _define(self, number: int, solid: bool) -> Any:
        """By the name of the object, as an identifier that no other one has."""
        name = self._given.names.get(number, "")
        make = self._library.Tf.MakeValidIdentifier
        base = make(name.strip("/")) if name.strip("/") else f"object_{number}"
        made, i = base, 2
        while made in self._identifiers:
            made, i = f"{base}_{i}", i + 1
        self._identifiers.add(made)
        self.objects.add(number)
        prim = (Solids if solid else Faces)(self._library, self._output, f"{ROOT}/heat/{made}")
        prim.note("object", number)
        if name:
            prim.note("name", name)
            prim.prim.SetMetadata("displayName", name)
        return prim
