"""Salome's MED files. meshio's reader takes one mesh and one of its steps, so they are read here,
by h5py. Steps whose coordinates or cells change are frames; meshes are objects."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import notes
from .mesh import (
    HEXAHEDRON,
    POLYGON,
    PYRAMID,
    QUAD,
    SOLIDS,
    TETRAHEDRON,
    TRIANGLE,
    WEDGE,
    Piece,
    as_points,
)
from .numbered import Bad, reading, turned
from .vtk_data import need

_KINDS = {
    "TR3": (TRIANGLE, 3), "QU4": (QUAD, 4), "TE4": (TETRAHEDRON, 4), "POG": (POLYGON, 0),
    "PY5": (PYRAMID, 5), "PE6": (WEDGE, 6), "HE8": (HEXAHEDRON, 8),
}  # fmt: skip
_THIN = ("PO1", "SE2", "SE3", "SE4")
_IGNORED_ROOT = {"CHA": "fields (CHA)", "LIENS": "links (LIENS)"}
_KNOWN_ROOT = (
    "ENS_MAA", "INFOS_GENERALES", "FAS", "PROFILS", "GAUSS", "INTERPOLATION", "STRUCT_ELEM",
    "SUPPORTS",
)  # fmt: skip


class MedSource:
    """A file."""

    def __init__(self, file: str):
        self.file = file
        h5py = need(file, "h5py")
        with reading(file):
            try:
                with h5py.File(file, "r") as opened:
                    self._meshes = _meshes(opened)
                    notes.left_out(file, {t: k in opened for k, t in _IGNORED_ROOT.items()})
            except OSError as what:
                raise Bad(what) from None
        several = [steps for steps in self._meshes.values() if len(steps) > 1]
        self._steps = several[0] if several else next(iter(self._meshes.values()))
        times = [time for time, *_ in self._steps]
        self.times: Any = times if len(times) > 1 else None
        self._h5py = h5py

    def read(self, k: int) -> list:
        made = []
        with reading(self.file), self._h5py.File(self.file, "r") as opened:
            for name, steps in self._meshes.items():
                _, nodes, cells = steps[k if len(steps) > 1 else 0]
                families = _families(opened, name)
                of = name if len(self._meshes) > 1 else ""
                made.append(_piece(opened, nodes, cells, families)._replace(name=of))
        return made

    def source(self, k: int) -> str:
        return self.file


def _meshes(opened: Any) -> dict:
    """Steps of each mesh: the time, and the paths of its nodes and cells."""
    for name in opened:
        if name not in (*_KNOWN_ROOT, *_IGNORED_ROOT):
            raise Bad(f"{name}, which is not known here")
    if "ENS_MAA" not in opened or not len(opened["ENS_MAA"]):
        raise Bad("ENS_MAA: there is no mesh")
    made = {name: _steps(mesh) for name, mesh in opened["ENS_MAA"].items()}
    moving = [steps for steps in made.values() if len(steps) > 1]
    if any([s[0] for s in steps] != [s[0] for s in moving[0]] for steps in moving[1:]):
        raise Bad("ENS_MAA: meshes that change at other times than each other, which is not read")
    return made


def _steps(mesh: Any) -> list:
    for key, good, what in (("TYP", 0, "a structured mesh"), ("REP", 0, "no Cartesian system")):
        if int(mesh.attrs.get(key, 0)) != good:
            raise Bad(f"{mesh.name}: {key}: {what}, which is not read")
    if "JNT" in mesh:
        raise Bad(f"{mesh.name}/JNT: a part of a mesh, whose neighbours are in other files")
    if "NOE" in mesh:
        return [(0.0, f"{mesh.name}/NOE", f"{mesh.name}/MAI")]
    steps = [step for name, step in mesh.items() if name not in ("EQV", "EQS")]
    steps.sort(key=lambda s: (int(s.attrs.get("NDT", -1)), int(s.attrs.get("NOR", -1))))
    made, nodes, cells = [], "", ""
    for step in steps:
        for name in step:
            if name not in ("NOE", "MAI", "ARE"):
                raise Bad(f"{step.name}/{name}, which is not read")
        nodes = f"{step.name}/NOE" if "NOE" in step else nodes
        cells = f"{step.name}/MAI" if "MAI" in step else cells
        if nodes and cells:
            made.append((float(step.attrs.get("PDT", 0.0)), nodes, cells))
    if not made:
        raise Bad(f"{mesh.name}: there are no nodes (NOE) or cells (MAI)")
    return made


def _families(opened: Any, mesh: str) -> dict:
    """Names by numbers: the first group of a family, else the family's own name."""
    found = opened.get(f"FAS/{mesh}/ELEME")
    names = {0: ""}
    for name, family in (found or {}).items():
        groups = family.get("GRO/NOM")
        texts = [bytes(np.asarray(row).view(np.uint8)) for row in groups] if groups else []
        text = texts[0].split(b"\0")[0].decode("utf-8", "replace").strip() if texts else name
        names[int(family.attrs["NUM"])] = text
    return names


def _rows(group: Any, count: int) -> np.ndarray:
    """Stored column by column."""
    flat = np.asarray(group[()])
    if count < 1 or flat.size % count:
        raise Bad(f"{group.name}: {flat.size} numbers in columns of {count}")
    return flat.reshape(count, -1).T


def _piece(opened: Any, nodes: str, cells: str, families: dict) -> Piece:
    mesh = opened["/".join(nodes.split("/")[:3])]
    points = as_points(_rows(opened[f"{nodes}/COO"], int(mesh.attrs["ESP"])))
    types, sizes, corners, marks, ids = [], [], [], [], []
    thin = 0
    for name, block in opened[cells].items():
        if name in _THIN:
            thin += int(block["NOD"].attrs["NBR"])
            continue
        if name not in _KINDS or "NOD" not in block:
            raise Bad(f"{block.name}: elements of type {name}, which are not read")
        flat, width = _corners(block, *_KINDS[name])
        types.append(np.full(len(width), _KINDS[name][0], np.uint8))
        sizes.append(width)
        corners.append(flat - 1)
        mark = np.asarray(block["FAM"][()]) if "FAM" in block else np.zeros(len(width))
        own = np.asarray(block["NUM"][()]) if "NUM" in block else None
        if len(mark) != len(width) or (own is not None and len(own) != len(width)):
            raise Bad(f"{block.name}: FAM or NUM of another length")
        marks.append(mark.astype(np.int64))
        first = sum(map(len, ids))
        ids.append(first + np.arange(len(width)) if own is None else own.astype(np.int64))
    return _joined(points, types, sizes, corners, marks, ids, thin, families)


def _corners(block: Any, kind: int, width: int) -> tuple:
    """Corners of all cells, from 1, and the number of each one's."""
    if kind != POLYGON:
        rows = _rows(block["NOD"], width)
        return rows.ravel().astype(np.int64), np.full(len(rows), width, np.int64)
    ends = np.asarray(block["IND"][()]).astype(np.int64)
    flat = np.asarray(block["NOD"][()]).astype(np.int64)
    sizes = np.diff(ends)
    if not len(ends) or ends[0] != 1 or ends[-1] != len(flat) + 1 or (sizes < 0).any():
        raise Bad(f"{block.name}/IND is not valid")
    return flat, sizes


def _joined(points: np.ndarray, types: list, sizes: list, corners: list, marks: list, ids: list,
            thin: int, families: dict) -> Piece:  # fmt: skip
    none = np.zeros(0, np.int64)
    numbers, at = np.unique(np.concatenate([none, *marks]), return_inverse=True)
    names = tuple(families.get(number, f"family {number}") for number in numbers.tolist())
    lines = np.zeros(thin, np.int64)
    made = Piece(
        points,
        np.concatenate([none, *types, np.ones(thin)]).astype(np.uint8),
        np.cumsum(np.concatenate([none, *sizes, lines])),
        np.concatenate([none, *corners]),
        "",
        np.concatenate([at.ravel(), lines]).astype(np.int64),
        names or ("",),
        np.concatenate([none, *ids, lines]),
    )
    return made._replace(solid=lambda: _turned(made))


def _turned(piece: Piece) -> Piece:
    """With VTK's order of the nodes of solids: faces of MED's turn the other way. Tetrahedra that
    stay such keep theirs, as either order is one."""
    corners, sizes = piece.corners.copy(), np.diff(piece.ends, prepend=0)
    for kind in SOLIDS:
        first = (piece.ends - sizes)[piece.types == kind]
        if len(first):
            order = np.array(turned(kind))
            corners[first[:, None] + np.arange(len(order))] = corners[first[:, None] + order]
    return piece._replace(corners=corners)
