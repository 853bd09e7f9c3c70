"""XDMF, read here: VTK takes the first of several domains, and meshio the first of several grids,
without a word.

Grids of spatial collections are objects with their names; temporal collections give frames.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import notes
from .mesh import (
    POLYGON,
    QUAD,
    TETRAHEDRON,
    TRIANGLE,
    Piece,
    as_points,
    bare,
    distinct,
    quads,
    uniform,
    volume,
)
from .numbered import Bad, reading
from .vtk_data import NODES
from .xdmf_tree import Element, Tree

# nodes of each, and VTK's number
_cells = {
    "triangle": (3, TRIANGLE), "quadrilateral": (4, QUAD), "tetrahedron": (4, TETRAHEDRON),
    "pyramid": (5, 14), "wedge": (6, 13), "hexahedron": (8, 12),
}  # fmt: skip
_mixed = {4: (3, TRIANGLE), 5: (4, QUAD), 6: (4, TETRAHEDRON), 7: (5, 14), 8: (6, 13), 9: (8, 12)}
_listed = {1: 2, 2: 4, 3: POLYGON}  # polyvertex, polyline, polygon: their nodes are counted
_grid = ("Topology", "Geometry", "Attribute", "Time", "Information", "Set", "Grid", "DataItem")
_GEOMETRY = 1 << 40  # between the numbers of points of several
_axes = {"XYZ": 3, "XY": 2, "X_Y_Z": 3, "X_Y": 2}


class _Frames(NamedTuple):
    """What a grid has: at each time some uniform grids with their names; None: at all times."""

    times: list | None
    grids: list


class XdmfSource:
    def __init__(self, file: str):
        self.file = file
        self._tree = Tree(file)
        domains = self._tree.root.all("Domain")
        if len(domains) != 1:
            text = f"{len(domains)} Domains, of which one is read"
            raise self._tree.bad(domains[1] if domains else self._tree.root, text)
        for child in (*self._tree.root.children, *domains[0].children):
            if child.tag not in ("Domain", "Grid", "Information", "DataItem"):
                raise self._tree.bad(child, f"<{child.tag}>, which is not read")
        found = self._tree.children(domains[0])
        self._frames = self._together(domains[0], [g for g in found if g.tag == "Grid"], "")
        self.times: Any = self._frames.times
        self._sets: dict = {}

    def source(self, k: int) -> str:
        return self.file

    def read(self, k: int) -> list:
        with reading(self.file):
            return self._read(k)

    def _read(self, k: int) -> list:
        """A mesh that several grids have is there once."""
        made, seen, bases = [], set(), {}
        self._sets = {}
        for name, grid in self._frames.grids[k]:
            parts = {child.tag: child for child in self._tree.children(grid)}
            if "Topology" not in parts or "Geometry" not in parts:
                raise self._tree.bad(grid, "a Grid without Topology or Geometry")
            key = id(parts["Topology"]), id(parts["Geometry"])
            if key in seen:
                notes.lose(self._arrays(grid))
                continue
            seen.add(key)
            piece = self._piece(grid, parts["Topology"], parts["Geometry"])
            first = bases.setdefault(key[1], _GEOMETRY * len(bases))
            shared = piece.nodes is None and len(self._frames.grids[k]) > 1
            nodes = first + np.arange(len(piece.points)) if shared else piece.nodes
            made.append(piece._replace(name=name, nodes=nodes))
        notes.left_out(self.file, self._sets)
        return made if len(made) > 1 else [piece._replace(name="") for piece in made]

    # ---- grids

    def _frames_of(self, grid: Element, name: str) -> _Frames:
        tree = self._tree
        for child in tree.children(grid):
            if child.tag not in _grid:
                raise tree.bad(child, f"<{child.tag}> in a Grid, which is not read")
        kind = (grid.get("GridType", "Type") or "Uniform").lower()
        below = [child for child in tree.children(grid) if child.tag == "Grid"]
        if kind == "uniform":
            time = self._times(grid)
            if time is not None and len(time) != 1:
                raise tree.bad(grid, f"a Grid with {len(time)} times, which is not read")
            return _Frames(time, [[(name, grid)]])
        if kind not in ("collection", "tree") or not below:
            raise tree.bad(grid, f"a Grid of GridType {kind}, or without grids, which is not read")
        of = (grid.get("CollectionType") or "Spatial").lower()
        if kind == "collection" and of == "temporal":
            return self._in_time(grid, below, name)
        if kind == "collection" and of != "spatial":
            raise tree.bad(grid, f"a Grid of CollectionType {of}, which is not read")
        return self._at(grid, self._together(grid, below, name))

    def _at(self, grid: Element, found: _Frames) -> _Frames:
        """With the time of a collection in space."""
        time = self._times(grid)
        if time is None:
            return found
        if len(time) != 1 or len(found.grids) != 1:
            raise self._tree.bad(grid, f"{len(time)} times of {len(found.grids)} frames")
        return _Frames(time, found.grids)

    def _together(self, above: Element, grids: list, name: str) -> _Frames:
        """Grids beside each other."""
        names = distinct(grid.get("Name") or f"block {k}" for k, grid in enumerate(grids))
        names = names if len(grids) > 1 else [""]
        each = [
            self._frames_of(grid, "/".join(filter(None, (name, own))))
            for grid, own in zip(grids, names)
        ]
        timed = [one for one in each if one.times is not None]
        moving = [one for one in timed if not self._same_mesh(one, each)]
        moving = moving or timed[:1]
        if not each:
            raise self._tree.bad(above, "there is no Grid")
        if any(one.times != moving[0].times for one in moving):
            raise self._tree.bad(above, "grids beside each other with different times")
        if not moving:
            return _Frames(None, [[g for one in each for g in one.grids[0]]])
        for one in timed:
            if one not in moving:  # it is in no frame
                notes.lose([name for of in one.grids for _, g in of for name in self._arrays(g)])
        return _Frames(
            moving[0].times, [self._frame(each, moving, k) for k in range(len(moving[0].grids))]
        )

    @staticmethod
    def _frame(each: list, moving: list, k: int) -> list:
        """Grids of frame k: those that move, and those that are the same at all times."""
        made: list = []
        for one in each:
            if one in moving:
                made += one.grids[k]
            elif one.times is None:
                made += one.grids[0]
        return made

    def _arrays(self, grid: Element) -> list:
        """Names of its arrays."""
        found = self._tree.children(grid)
        return [child.get("Name") for child in found if child.tag == "Attribute"]

    def _same_mesh(self, one: _Frames, each: list) -> bool:
        """Has it, in all frames, a mesh that another grid has at all times?"""
        still = {self._mesh(g) for other in each if other.times is None for _, g in other.grids[0]}
        return all(self._mesh(grid) in still for grids in one.grids for _, grid in grids)

    def _mesh(self, grid: Element) -> tuple:
        parts = {child.tag: id(child) for child in self._tree.children(grid)}
        return parts.get("Topology"), parts.get("Geometry")

    def _in_time(self, above: Element, grids: list, name: str) -> _Frames:
        each = [self._frames_of(grid, name) for grid in grids]
        times = self._times(above)
        own = [one.times[0] if one.times else None for one in each]
        if any(len(one.grids) != 1 for one in each):
            raise self._tree.bad(above, "a temporal collection in another one, which is not read")
        if times is None and None not in own:
            times = own
        elif times is None and own.count(None) == len(own):
            times = [float(k) for k in range(len(own))]
        if times is None or len(times) != len(each):
            given = len(times or ()) or len(own) - own.count(None)
            raise self._tree.bad(above, f"{given} times of {len(each)} grids")
        order = sorted(range(len(each)), key=lambda k: times[k])
        return _Frames([times[k] for k in order], [each[k].grids[0] for k in order])

    def _times(self, grid: Element) -> list | None:
        found = [child for child in self._tree.children(grid) if child.tag == "Time"]
        if not found:
            return None
        time, tree = found[0], self._tree
        kind = (time.get("TimeType", "Type") or "Single").lower()
        try:
            if kind == "single":
                return [float(time.get("Value"))]
            items = time.all("DataItem")
            values = [float(x) for x in tree.array(items[0]).ravel()] if items else []
            if kind == "list" and len(found) == 1:
                return values
            if kind == "hyperslab" and len(values) == 3:
                return [values[0] + values[1] * k for k in range(int(values[2]))]
        except ValueError as what:
            raise tree.bad(time, f"a Time that is no number: {what}") from None
        raise tree.bad(time, f"Time of TimeType {kind}, which is not read")

    # ---- a uniform grid

    def _piece(self, grid: Element, topology: Element, geometry: Element) -> Piece:
        points = self._points(geometry)
        made = self._cells(topology, points)
        arrays, nodes, lost, ids = {}, None, [], None
        for child in self._tree.children(grid):
            if child.tag == "Set":
                self._sets["Set"] = self._sets.get("Set", 0) + 1
            if child.tag != "Attribute":
                continue
            name, centre = child.get("Name"), (child.get("Center") or "Node").lower()
            kind = (child.get("AttributeType", "Type") or "Scalar").lower()
            size = len(points) if centre == "node" else len(made.types)
            numbers = self._integers(child, size)
            marked = kind == "globalid"
            if numbers is not None and centre == "node" and (marked or name in NODES):
                nodes = numbers
            elif numbers is not None and centre == "cell":
                arrays[name] = numbers
                ids = numbers if marked else ids
            else:
                lost.append(name)
        notes.lose(lost)
        return made._replace(arrays=arrays, nodes=nodes, ids=ids)

    def _integers(self, attribute: Element, size: int) -> np.ndarray | None:
        """An array of integers of one component, or None."""
        items = attribute.all("DataItem")
        kind = items[0].get("NumberType", "DataType").lower() if len(items) == 1 else ""
        if kind not in ("int", "uint", "char", "uchar"):
            return None
        found = self._tree.array(items[0])
        return (
            found.ravel().astype(np.int64)
            if found.size == size and found.dtype.kind in "iu"
            else None
        )

    def _points(self, geometry: Element) -> np.ndarray:
        kind = (geometry.get("GeometryType", "Type") or "XYZ").upper()
        items = geometry.all("DataItem")
        odd = [
            child.tag for child in geometry.children if child.tag not in ("DataItem", "Information")
        ]
        if kind not in _axes or odd:
            what = f"<{odd[0]}>" if odd else f"GeometryType {kind}"
            raise self._tree.bad(geometry, f"{what}, which is not read")
        if len(items) != (_axes[kind] if "_" in kind else 1):
            raise self._tree.bad(geometry, f"{len(items)} DataItems of a Geometry of {kind}")
        found = [self._tree.array(item) for item in items]
        if "_" in kind:
            return as_points(np.stack([one.ravel() for one in found], 1))
        if found[0].size % _axes[kind]:
            raise self._tree.bad(geometry, f"{found[0].size} numbers of a Geometry of {kind}")
        return as_points(found[0].reshape(-1, _axes[kind]))

    def _cells(self, topology: Element, points: np.ndarray) -> Piece:
        tree = self._tree
        kind = topology.get("TopologyType", "Type").lower()
        items = topology.all("DataItem")
        order = topology.get("Order").split()
        if order and order != [str(k) for k in range(len(order))]:
            raise tree.bad(topology, f"Order '{' '.join(order)[:40]}', which is not read")
        if kind in ("2dsmesh", "3dsmesh"):
            return self._structured(topology, points)
        if kind == "polyvertex" and not items:
            return Piece(points, *bare(2, len(points)))
        if len(items) != 1:
            raise tree.bad(topology, f"TopologyType {kind or '(none)'}, which is not read")
        flat = tree.array(items[0]).ravel().astype(np.int64)
        if kind == "mixed":
            made = self._mixed_cells(topology, flat)
        elif kind in _cells:
            made = self._rows(topology, flat, *_cells[kind])
        elif kind in ("polyvertex", "polyline", "polygon"):
            number = {"polyvertex": 2, "polyline": 4, "polygon": POLYGON}[kind]
            given = int(topology.get("NodesPerElement") or (1 if kind == "polyvertex" else 0))
            made = self._rows(topology, flat, given, number)
        else:
            raise tree.bad(topology, f"TopologyType {kind}, which is not read")
        types, ends, corners = made
        self._check_count(topology, len(types))
        return Piece(points, types, ends, corners - int(topology.get("BaseOffset") or 0))

    def _check_count(self, topology: Element, count: int) -> None:
        given = topology.get("NumberOfElements", "Dimensions").split()
        if given and int(np.prod([int(n) for n in given])) != count:
            raise self._tree.bad(
                topology, f"{count} elements, NumberOfElements is {' '.join(given)}"
            )

    def _rows(self, topology: Element, flat: np.ndarray, nodes: int, number: int) -> tuple:
        if nodes < 1 or len(flat) % nodes:
            text = f"{len(flat)} numbers of elements of {nodes} nodes (NodesPerElement)"
            raise self._tree.bad(topology, text)
        return uniform(number, flat.reshape(-1, nodes))

    def _mixed_cells(self, topology: Element, flat: np.ndarray) -> tuple:
        types, ends, kept, at, row = [], [], [], 0, flat.tolist()
        while at < len(row):
            kind, at = row[at], at + 1
            if kind in _listed and at < len(row):
                size, number, at = row[at], _listed[kind], at + 1
            elif kind in _mixed:
                size, number = _mixed[kind]
            else:
                raise self._tree.bad(
                    topology, f"an element of type {kind} in Mixed, which is not read"
                )
            if size < 0 or at + size > len(row):
                raise self._tree.bad(topology, "the last element of Mixed is not complete")
            types.append(number)
            kept += row[at : at + size]
            ends.append(len(kept))
            at += size
        return np.array(types, np.uint8), np.array(ends, np.int64), np.array(kept, np.int64)

    def _structured(self, topology: Element, points: np.ndarray) -> Piece:
        given = topology.get("Dimensions", "NumberOfElements").split()
        size = [int(n) for n in given if int(n) != 1]
        if int(np.prod([int(n) for n in given])) != len(points):
            raise self._tree.bad(topology, f"{len(points)} points of Dimensions {' '.join(given)}")
        if len(size) > 2:
            return volume(lambda: points, tuple(size))
        if len(size) < 2:
            return Piece(points, *bare(QUAD, 0))
        return Piece(points, *uniform(QUAD, quads(*size)))


def open_xdmf(file: str) -> XdmfSource:
    with reading(file):
        try:
            return XdmfSource(file)
        except RecursionError as what:
            raise Bad(f"it is damaged: {what}") from None
