"""Stages that usd-core writes, for test_usd.py and test_usd_scenes.py."""

import numpy as np
from pxr import Gf, Usd, UsdGeom, UsdSkel, Vt

TRIANGLE = ((0, 0, 0), (1, 0, 0), (0, 1, 0))
P = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0.5, 0.25, 1 / 3]], np.float32)
FACES = [[0, 1, 2, 3], [0, 1, 4], [1, 2, 4]]  # a quad and triangles


def stage(where, name="a.usda", **metadata):
    made = Usd.Stage.CreateNew(f"{where}/{name}")
    for key, value in metadata.items():
        made.SetMetadata(key, value)
    return made


def mesh(of, path, points=TRIANGLE, faces=((0, 1, 2),), scheme="none"):
    """Points of one time, or by times."""
    made = UsdGeom.Mesh.Define(of, path)
    made.GetSubdivisionSchemeAttr().Set(scheme)
    cells(made, faces)
    each = points if isinstance(points, dict) else {None: points}
    for time, at in each.items():
        put(made.GetPointsAttr(), Vt.Vec3fArray.FromNumpy(np.array(at, np.float32)), time)
    return made


def cells(made, faces, time=None):
    put(made.GetFaceVertexCountsAttr(), [len(face) for face in faces], time)
    put(made.GetFaceVertexIndicesAttr(), [k for face in faces for k in face], time)


def put(attribute, value, time=None):
    assert attribute.Set(value) if time is None else attribute.Set(value, float(time))


def xform(of, path):
    return UsdGeom.Xform.Define(of, path)


def matrix(rows):
    return Gf.Matrix4d(*np.ravel(rows).tolist())


def by_hand(points, m):
    """Each point by a matrix of rows, in the order that is documented: x, y, z, shift."""
    m = np.array(m, np.float64)
    rows = [[float(c) for c in p] for p in points]
    return np.array(
        [[p[0] * m[0, k] + p[1] * m[1, k] + p[2] * m[2, k] + m[3, k] for k in range(3)] for p in rows]
    )


def skeleton(of, root, times, shapes=None):
    """Two joints, of which the animation moves the second one, and a mesh of two triangles: the
    first is on the first joint, the second on the second. `times`: {time: shift}."""
    UsdSkel.Root.Define(of, root)
    bones = UsdSkel.Skeleton.Define(of, f"{root}/bones")
    rest = [Gf.Matrix4d(1), Gf.Matrix4d().SetTranslate((0, 2, 0))]
    bones.GetJointsAttr().Set(["a", "a/b"])
    bones.GetBindTransformsAttr().Set(rest)
    bones.GetRestTransformsAttr().Set(rest)
    moves = UsdSkel.Animation.Define(of, f"{root}/moves")
    moves.GetJointsAttr().Set(["a", "a/b"])
    for time, shift in times.items():
        x, y, z = shift
        put(moves.GetTranslationsAttr(), [(0, 0, 0), (x, y + 2, z)], time)
        put(moves.GetRotationsAttr(), [Gf.Quatf(1)] * 2, time)
        put(moves.GetScalesAttr(), [Gf.Vec3h(1)] * 2, time)
    UsdSkel.BindingAPI.Apply(bones.GetPrim()).CreateAnimationSourceRel().SetTargets(
        [moves.GetPath()]
    )
    points = np.array([*TRIANGLE, (0, 2, 0), (1, 2, 0), (0, 3, 0)], np.float32)
    made = mesh(of, f"{root}/skin", points, ((0, 1, 2), (3, 4, 5)))
    binding = UsdSkel.BindingAPI.Apply(made.GetPrim())
    binding.CreateSkeletonRel().SetTargets([bones.GetPath()])
    binding.CreateJointIndicesPrimvar(False, 1).Set([0, 0, 0, 1, 1, 1])
    binding.CreateJointWeightsPrimvar(False, 1).Set([1.0] * 6)
    if shapes:
        shape = UsdSkel.BlendShape.Define(of, f"{root}/skin/up")
        shape.GetOffsetsAttr().Set([(0, 0, 4)])
        shape.GetPointIndicesAttr().Set([1])
        binding.CreateBlendShapesAttr().Set(["up"])
        binding.CreateBlendShapeTargetsRel().SetTargets([shape.GetPath()])
        moves.GetBlendShapesAttr().Set(["up"])
        for time, weight in shapes.items():
            put(moves.GetBlendShapeWeightsAttr(), [weight], time)
    return points
