"""USD: where a body is at a time: its transform, or those of all instances that show it."""

from __future__ import annotations

from typing import Any

import numpy as np

from .numbered import Bad
from .usd_mesh import array_of
from .usd_stage import Body, Level, Library

MOVING = ("velocities", "angularVelocities", "accelerations")


class Places:
    """At one time after the other, for which `at` is called."""

    def __init__(self, library: Library):
        self._geom = library.UsdGeom
        self._cache = library.UsdGeom.XformCache()
        self._sets: dict = {}
        self.again: set = set()  # instancers whose ids are there twice
        self._time: Any = None

    def at(self, time: Any) -> None:
        self._time = time
        self._cache.SetTime(time)
        self._sets.clear()

    def of(self, body: Body) -> tuple:
        """Names (k) and matrices (k, 4, 4) of all its places."""
        prim = body.skin.space if body.skin else body.prim
        if not body.levels:
            matrix = np.array(self._cache.GetLocalToWorldTransform(prim))
            return [str(body.prim.GetPath())], matrix[None]
        names, outer, above = [""], np.eye(4)[None], None
        for level in body.levels:
            names, outer = self._below(level, above, names, outer)
            above = level.root
        own = self._relative(prim, above)
        names = [name + _tail(body.prim, above) for name in names]
        return names, multiply(own[None], outer)

    def _below(self, level: Level, above: Any, names: list, outer: np.ndarray) -> tuple:
        """Each instance of the prototype, in each place of what it is in."""
        instancer = level.instancer.GetPrim()
        if above is None:
            base, tail = self._cache.GetLocalToWorldTransform(instancer), str(instancer.GetPath())
            base = np.array(base)
        else:
            base, tail = self._relative(instancer, above), _tail(instancer, above)
        titles, matrices = self._instances(level)
        whole = multiply(multiply(matrices, base[None])[None], outer[:, None])
        made = [f"{name}{tail}[{title}]" for name in names for title in titles]
        return made, whole.reshape(-1, 4, 4)

    def _relative(self, prim: Any, root: Any) -> np.ndarray:
        """From the prim to its prototype. The root's own transform is with the instances."""
        if prim == root:
            return np.eye(4)
        matrix, resets = self._cache.ComputeRelativeTransform(prim, root)
        if resets:
            raise Bad(f"{prim.GetPath()}: it resets its transform within a prototype")
        return np.array(matrix)

    def _instances(self, level: Level) -> tuple:
        """Titles and matrices of those of one prototype that are shown."""
        titles, number, matrices, shown = self._all(level.instancer)
        rows = np.flatnonzero((number == level.number) & shown)
        return titles[rows].tolist(), matrices[rows]

    def _all(self, instancer: Any) -> tuple:
        path = instancer.GetPath()
        if path not in self._sets:
            self._sets[path] = self._read(instancer)
        return self._sets[path]

    def _read(self, instancer: Any) -> tuple:
        path, time, prim = instancer.GetPath(), self._time, instancer.GetPrim()
        number = array_of(prim, "protoIndices", time, np.int64)
        if not len(number):
            return np.zeros(0, np.int64), number, np.zeros((0, 4, 4)), np.zeros(0, bool)
        known = len(instancer.GetPrototypesRel().GetForwardedTargets())
        bad = number[(number < 0) | (number >= known)]
        if len(bad):
            raise Bad(f"{path}: there is no prototype {bad[0]}; it has {known}")
        kind = self._geom.PointInstancer
        found = instancer.ComputeInstanceTransformsAtTime(
            time, time, kind.IncludeProtoXform, kind.IgnoreMask
        )
        if found is None or len(found) != len(number):
            text = "positions, orientations or scales are of another number than protoIndices"
            raise Bad(f"{path}: {text}")
        mask = list(instancer.ComputeMaskAtTime(time) or [])
        shown = np.array(mask, bool) if mask else np.ones(len(number), bool)
        titles = array_of(prim, "ids", time, np.int64)
        if len(titles) and (len(titles) != len(number) or len(np.unique(titles)) < len(titles)):
            self.again.add(path)
            titles = titles[:0]
        if not len(titles):
            titles = np.arange(len(number))
        return titles, number, np.array(found), shown


def _tail(prim: Any, root: Any) -> str:
    """The path below the root of a prototype."""
    below = str(prim.GetPath().MakeRelativePath(root.GetPath()))
    return "" if prim == root else f"/{below}"


def multiply(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Products of matrices (..., 4, 4), with sums in one order."""
    made = a[..., :, 0, None] * b[..., None, 0, :]
    for k in range(1, 4):
        made = made + a[..., :, k, None] * b[..., None, k, :]
    return made


def without_velocities(library: Library, stage: Any, instancer: Any) -> None:
    """Instances are held, too, between samples: nothing but a sample moves them."""
    for name in MOVING:
        attribute = instancer.GetPrim().GetAttribute(name)
        if not attribute or not attribute.HasAuthoredValue():
            continue
        if instancer.GetPrim().IsInstanceProxy():
            raise Bad(f"{attribute.GetPath()}: within an instance velocities cannot be held")
        with library.Usd.EditContext(stage, stage.GetSessionLayer()):
            attribute.Block()
