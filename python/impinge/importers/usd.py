"""USD (.usd, .usda, .usdc, .usdz), by usd-core.

Every mesh that the stage shows is an object by its path, instances and those of PointInstancers
too. Frames are at all samples of what moves or changes them; other prims are interpolated there as
USD does, or held. Points are float32 where no transform moves them, else float64: transformed, and
not rounded again.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from . import notes
from .caches import CacheOptions
from .numbered import Bad, reading
from .usd_instances import Places, without_velocities
from .usd_mesh import HOLE, Cells, array_of, cells_of, mirrors, moved, piece_of
from .usd_skel import UNBOUND, bound, skins
from .usd_stage import Body, Library, Shown, Visibility
from .usd_times import CURVED, Times, between, frames_of

HELD = "a prim without a sample at some frames, where it is {} (--between {} {})"
_LINEAR = HELD.format("interpolated as USD does", "held", "keeps the sample before")
_BEFORE = HELD.format("as at the sample before", "interpolated", "moves it on as USD does")
NEVER = "a mesh that is invisible, which is left out"
SOMETIMES = "a mesh that is invisible in some frames, which do not have it"
CAGE = "a mesh with subdivisionScheme {}, whose cage is read"
ODD = "a GeomSubset of something else than faces or tetrahedra, which is left out"
AGAIN = "a PointInstancer whose ids are no numbers of one instance each: indices are in the names"


class UsdSource:
    """A file. Its frames are at the time codes of all samples."""

    def __init__(self, file: str, groups: bool = False, options: CacheOptions | None = None):
        self.file, self._groups = file, groups
        self._options = options or CacheOptions()
        self._library = Library(file)
        self._counts: dict = {}
        self._cells: dict = {}  # by paths of prims whose faces do not change
        with reading(file), self._library.calls():
            self._stage = self._library.open()
            self._find()
            self._schedule()
            self._look()
        for what, count in self._counts.items():
            notes.add(file, what, count)

    def source(self, k: int) -> str:
        return self.file

    def _count(self, what: str, number: int = 1) -> None:
        self._counts[what] = self._counts.get(what, 0) + number

    # ---- what there is

    def _find(self) -> None:
        """The bodies, each with what moves its points."""
        if self._options.between == "held":
            self._stage.SetInterpolationType(self._library.Usd.InterpolationTypeHeld)
        shown = Shown(self._library, self._stage, self._options)
        self._counts.update(shown.counts)
        moving = skins(self._library, shown.roots)
        found = [body._replace(skin=moving.get(body.prim.GetPath())) for body in shown.bodies]
        self._bodies: list = found
        if self._options.between == "held":
            for body in found:
                for level in body.levels:
                    without_velocities(self._library, self._stage, level.instancer)
        loose = [b for b in found if not b.skin and bound(self._library, b.prim)]
        self._count(UNBOUND, len(loose))

    def _schedule(self) -> None:
        """The frames, and which bodies each of them has."""
        visibility = Visibility(self._library)
        times = Times(self._library, visibility, self._groups)
        tracks = [times.of(body) for body in self._bodies]
        flat = [track for of in tracks for track in of]
        self._codes = frames_of(self._stage, flat, self._options, self._count)
        rate = self._stage.GetTimeCodesPerSecond()
        self.times: Any = (self._codes / rate).tolist() or None
        code = self._library.Usd.TimeCode
        self._at = [code(float(time)) for time in self._codes] or [code.Default()]
        self._count(CURVED, len(times.curved))
        said = _BEFORE if self._options.between == "held" else _LINEAR
        self._count(said, sum(between(of, self._codes) for of in tracks))
        self._seen: list = []
        for body in self._bodies:
            at = self._at if visibility.changing(body) else self._at[:1]
            seen = [visibility.at(body, time) for time in at]
            self._count(NEVER, not any(seen))
            self._count(SOMETIMES, any(seen) and not all(seen))
            self._seen.append(seen if len(seen) > 1 else seen * len(self._at))
        self._places = Places(self._library)

    def _look(self) -> None:
        """What is said of the stage, and of each mesh that is shown once or more often."""
        unit = self._library.UsdGeom.GetStageMetersPerUnit(self._stage)
        if self._stage.HasAuthoredMetadata("metersPerUnit") and unit != 1:
            up = self._library.UsdGeom.GetStageUpAxis(self._stage)
            self._count(f"metersPerUnit {unit:g} and upAxis {up}: points stay as they are in it")
        schemes: dict = {}
        for body, seen in zip(self._bodies, self._seen):
            mesh = self._library.UsdGeom.Mesh(body.prim)
            if any(seen) and mesh:
                scheme = mesh.GetSubdivisionSchemeAttr().Get()
                schemes.setdefault(body.prim.GetPath(), scheme)
        for scheme in schemes.values():
            self._count(CAGE.format(scheme), scheme != "none")

    # ---- what a frame has

    def read(self, k: int) -> list:
        with reading(self.file), self._library.calls():
            self._places.at(self._at[k])
            made: list = []
            for body, seen in zip(self._bodies, self._seen):
                if seen[k]:
                    made += self._pieces(body, self._at[k])
        notes.add(self.file, AGAIN, len(self._places.again))
        self._tell()
        return made

    def _tell(self) -> None:
        """Of faces, as far as they are known: frames are read one after the other."""
        known = self._cells.values()
        notes.add(self.file, HOLE, sum(cells.holes for cells, _ in known))
        notes.add(self.file, ODD, sum(cells.odd for cells, _ in known))
        names = [f"{path}/{name}" for path, (c, _) in self._cells.items() for name in c.names[1:]]
        if names and not self._groups:
            rest = ["the rest"] * (len(names) == 1)
            notes.dropped(self.file, [SimpleNamespace(groups=None, group_names=(*names, *rest))])

    def _pieces(self, body: Body, time: Any) -> list:
        names, matrices = self._places.of(body)
        if not names:
            return []
        points, cells = self._points(body, time), self._cells_at(body.prim, time)
        if cells.least < 0 or cells.most >= len(points):
            bad = cells.least if cells.least < 0 else cells.most
            raise Bad(f"{body.prim.GetPath()}: there is no point {bad}; it has {len(points)}")
        made, flips = [], mirrors(matrices)
        for flip, corners in ((False, cells.corners), (True, cells.other)):
            rows = np.flatnonzero(flips == flip)
            if len(rows):
                at = moved(points, matrices[rows])
                made.append(piece_of(at, cells, corners, [names[r] for r in rows], self._groups))
        return made

    def _points(self, body: Body, time: Any) -> np.ndarray:
        """In the space of the mesh, or of its skeleton."""
        of = self._library.UsdGeom.PointBased(body.prim)
        if body.skin:
            value = of.GetPointsAttr().Get(time)
            if value is None or not len(value):
                return np.zeros((0, 3), np.float32)
            return body.skin.points(value, time).reshape(-1, 3)
        if self._options.between == "interpolated" and not time.IsDefault():
            if of.GetVelocitiesAttr().HasAuthoredValue():
                return np.asarray(of.ComputePointsAtTime(time, time)).reshape(-1, 3)
        return array_of(body.prim, "points", time).reshape(-1, 3)

    def _cells_at(self, prim: Any, time: Any) -> Cells:
        path = prim.GetPath()
        if path not in self._cells:
            names = ("faceVertexCounts", "faceVertexIndices", "holeIndices", "tetVertexIndices")
            of = [prim, *(p for p in prim.GetAllChildren() if p.IsA(self._library.UsdGeom.Subset))]
            given = (one.GetAttribute(name) for one in of for name in (*names, "indices"))
            varies = any(attribute and attribute.GetNumTimeSamples() for attribute in given)
            self._cells[path] = None, varies
        cells, varies = self._cells[path]
        if varies or cells is None:
            cells = cells_of(self._library.UsdGeom, prim, time)
            self._cells[path] = cells, varies
        return cells

