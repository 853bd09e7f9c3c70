"""USD: at which times a stage has frames, and which prims have no sample there."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .caches import CacheOptions
from .numbered import Bad
from .usd_stage import Body, Library, Visibility, ancestors

CURVED = (
    "a transform that between its samples does not move in lines (a rotation, a matrix, a spline,"
    " joints), and of which the samples alone are frames"
)
_STRAIGHT = ("TypeTranslate", "TypeScale")
_AXES = ("TypeTranslateX", "TypeTranslateY", "TypeTranslateZ")
_AXES += ("TypeScaleX", "TypeScaleY", "TypeScaleZ")
_INSTANCES = ("positions", "orientations", "scales", "protoIndices", "invisibleIds", "ids")
_GEOMETRY = ("points", "faceVertexCounts", "faceVertexIndices", "holeIndices", "tetVertexIndices")


class Times:
    """Of the samples of bodies; each prim is asked once."""

    def __init__(self, library: Library, visibility: Visibility, groups: bool):
        self._geom = library.UsdGeom
        self._visibility, self._groups = visibility, groups
        self._own: dict = {}
        self.curved: set = set()  # paths

    def of(self, body: Body) -> list:
        """Arrays of times: of each attribute that moves the body, or changes it."""
        last = [level.root for level in body.levels]
        first = [level.instancer.GetPrim() for level in body.levels]
        prim = body.skin.space if body.skin else body.prim
        made = list(self._attributes(body.prim, _GEOMETRY))
        if self._groups:
            for subset in self._geom.Subset.GetAllGeomSubsets(self._geom.Imageable(body.prim)):
                made += self._attributes(subset.GetPrim(), ("indices",))
        if body.skin:
            made += body.skin.times()
            if body.skin.curved():
                self.curved.add(body.skin.space.GetPath())
        for start, end in zip([prim, *first[::-1]], [*last[::-1], None]):
            made += self._transforms(start, end)
        for instancer in first:
            made += self._attributes(instancer, _INSTANCES)
        made += [np.array(a.GetTimeSamples()) for a in self._visibility.changing(body)]
        return [times for times in made if len(times)]

    def _attributes(self, prim: Any, names: Iterable) -> Iterable:
        key = prim.GetPath(), names
        if key not in self._own:
            attributes = filter(None, map(prim.GetAttribute, names))
            self._own[key] = [np.array(a.GetTimeSamples()) for a in attributes]
        return self._own[key]

    def _transforms(self, prim: Any, last: Any) -> list:
        """Of the prim and those above it, unless one of them ignores these."""
        made: list = []
        for one in ancestors(prim, last):
            path = one.GetPath()
            if path not in self._own:
                self._own[path] = self._transform(one)
            tracks, resets = self._own[path]
            made += tracks
            if resets:
                break
        return made

    def _transform(self, prim: Any) -> tuple:
        """Times of each operation, and whether the transform begins at the world."""
        if not prim.IsA(self._geom.Xformable):
            return [], False
        of, tracks = self._geom.Xformable(prim), []
        for op in of.GetOrderedXformOps():
            times = np.array(op.GetTimeSamples())
            spline = getattr(op.GetAttr(), "HasSpline", bool)()
            if spline:
                times = np.array(list(op.GetAttr().GetSpline().GetKnots().keys()))
            straight = op.GetOpType().name in _STRAIGHT + _AXES
            if len(times) > 1 and (spline or not straight):
                self.curved.add(prim.GetPath())
            tracks.append(times)
        return tracks, of.GetResetXformStack()


def between(tracks: list, frames: np.ndarray) -> bool:
    """Is a frame between samples of any of them, and at none?"""
    for times in tracks:
        inner = frames[(frames > times[0]) & (frames < times[-1])]
        if len(np.setdiff1d(inner, times)):
            return True
    return False


def frames_of(stage: Any, tracks: list, options: CacheOptions, count: Callable) -> np.ndarray:
    """Time codes of all frames, which ascend. None: nothing changes with time."""
    found = np.unique(np.concatenate([*tracks, np.zeros(0)]))
    known = stage.HasAuthoredTimeCodeRange()
    if not known and options.samples == "range":
        raise Bad("it has no startTimeCode and endTimeCode, which --samples range asks for")
    if not known or not len(found):
        return found
    first, last = stage.GetStartTimeCode(), stage.GetEndTimeCode()
    inside = (found >= first) & (found <= last)
    if options.samples == "all":
        outside = int((~inside).sum())
        what = f"a time outside of its time codes {first:g} to {last:g}, which is a frame"
        count(f"{what} (--samples range leaves it out)", outside)
        return found
    if not inside.any():
        raise Bad(f"no sample is within its time codes {first:g} to {last:g}")
    return found[inside]
