"""USD: points of meshes that a skeleton or blend shapes move, by UsdSkel."""

from __future__ import annotations

from typing import Any

import numpy as np

from .numbered import Bad
from .usd_stage import Library

UNBOUND = (
    "a mesh with the binding of a skeleton that USD does not apply (no SkelRoot above it, no"
    " skeleton or no valid weights), whose points stay as they are"
)


class Skin:
    """What moves the points of a mesh. They are then in the space of the skeleton's prim."""

    def __init__(self, library: Library, prim: Any, skeleton: Any, query: Any):
        self._vt = library.Vt
        self._skeleton, self._query = skeleton, query
        self._prim = query.GetPrim()
        # blend shapes alone leave points in the space of the mesh
        self.space = prim if query.HasJointInfluences() else self._prim
        self._animation = skeleton.GetAnimQuery()
        self._shapes: Any = None
        if query.HasBlendShapes():
            binding = library.UsdSkel.BindingAPI(self._prim)
            self._shapes = library.UsdSkel.BlendShapeQuery(binding)
            self._rows = self._shapes.ComputeBlendShapePointIndices()
            self._shifts = self._shapes.ComputeSubShapePointOffsets()

    def times(self) -> list:
        """Of the samples of the animation, and of the weights of joints."""
        made = []
        if self._query.HasJointInfluences():
            of = (self._query.GetJointIndicesPrimvar(), self._query.GetJointWeightsPrimvar())
            bind = self._query.GetGeomBindTransformAttr()
            made += [one.GetTimeSamples() for one in (*of, bind) if one]
            if self._animation:
                made.append(self._animation.GetJointTransformTimeSamples())
        if self._shapes and self._animation:
            made.append(self._animation.GetBlendShapeWeightTimeSamples())
        return [np.array(times) for times in made]

    def curved(self) -> bool:
        moving = self._animation and self._query.HasJointInfluences()
        return bool(moving) and len(self._animation.GetJointTransformTimeSamples()) > 1

    def points(self, points: Any, time: Any) -> np.ndarray:
        """`points`: an array of Vt, which is not changed."""
        made = self._vt.Vec3fArray(points)
        if self._shapes and self._animation:
            made = self._shaped(made, time)
        if not self._query.HasJointInfluences():
            return np.asarray(made)
        matrices = self._skeleton.ComputeSkinningTransforms(time)
        if matrices is None or not self._query.ComputeSkinnedPoints(matrices, made, time):
            raise Bad(f"{self._prim.GetPath()}: UsdSkel cannot compute its points")
        return np.asarray(made)

    def _shaped(self, points: Any, time: Any) -> Any:
        weights = self._animation.ComputeBlendShapeWeights(time)
        mapper = self._query.GetBlendShapeMapper()
        if weights is None or mapper is None:
            return points
        weights = mapper.Remap(weights)
        sub = self._shapes.ComputeSubShapeWeights(weights)
        if not sub or not self._shapes.ComputeDeformedPoints(*sub, self._rows, self._shifts, points):
            raise Bad(f"{self._prim.GetPath()}: UsdSkel cannot compute its blend shapes")
        return points


def skins(library: Library, roots: list) -> dict:
    """By paths of prims that a skeleton moves. `roots`: SkelRoots, and which prims below count."""
    cache, made = library.UsdSkel.Cache(), {}
    for root, predicate in roots:
        of = library.UsdSkel.Root(root)
        cache.Populate(of, predicate)
        for binding in cache.ComputeSkelBindings(of, predicate):
            skeleton = cache.GetSkelQuery(binding.GetSkeleton())
            for query in binding.GetSkinningTargets():
                if not (query.HasJointInfluences() or query.HasBlendShapes()):
                    continue
                prim = query.GetPrim()
                if prim.IsA(library.UsdGeom.PointInstancer):
                    raise Bad(f"{prim.GetPath()}: a skeleton moves a PointInstancer, which is not read")
                # not the query's own prim, which instances share
                bones = binding.GetSkeleton().GetPrim()
                made[prim.GetPath()] = Skin(library, bones, skeleton, query)
    return made


def bound(library: Library, prim: Any) -> bool:
    """Does the prim say that a skeleton moves it?"""
    if not prim.HasAPI(library.UsdSkel.BindingAPI):
        return False
    binding = library.UsdSkel.BindingAPI(prim)
    weights = binding.GetJointIndicesPrimvar()
    return bool(weights and weights.HasAuthoredValue()) or bool(binding.GetBlendShapesAttr().Get())
