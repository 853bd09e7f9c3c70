"""Which points are inside a closed mesh: scenes whose answers are known by construction or by integers, and peers
that are asked. A peer is a function of float64 points, int32 triangles and float64 queries that returns bools."""

import sys
from pathlib import Path
from typing import NamedTuple

import impinge
import numpy as np
from measure import say

sys.path.append(str(Path(__file__).resolve().parents[2] / "python/tests"))
import closed_meshes  # noqa: E402

CELLS = 10  # of a polycube, in each direction
EDGE = 20.0  # of its cells where it is sheared
SHEAR = np.array([[1, 0.25, 0.125], [0, 1, 0.375], [0, 0, 1]])  # products are exact
LATTICE_POINTS, FACE_POINTS, BALL_POINTS = 3336, 3384, 3807
ROUND = 1 << 11  # radius of a ball, in integers


class Scene(NamedTuple):
    name: str
    points: np.ndarray
    triangles: np.ndarray
    queries: np.ndarray
    inside: np.ndarray


# ---- scenes


def polycube(random):
    """Cells that are full, and the surface of these."""
    full = random.random((CELLS, CELLS, CELLS)) < 0.6
    points, triangles = closed_meshes.surface_of(full)
    return full, points.astype(np.float64), triangles.astype(np.int32)


def is_full(full, at):
    """The cells that points, not on their faces, are in."""
    cell = np.floor(at).astype(np.int64)
    within = ((cell >= 0) & (cell < CELLS)).all(axis=1)
    return within & full[tuple(np.clip(cell, 0, CELLS - 1).T)]


def lattice(random):
    """Points at quarters of cells, none of which is on a face."""
    full, points, triangles = polycube(random)
    some = np.indices((2 * (CELLS + 2),) * 3).reshape(3, -1).T / 2 - 0.75
    queries = some[random.permutation(len(some))[:LATTICE_POINTS]]
    name = f"polycube, {LATTICE_POINTS:,} points of a lattice"
    return Scene(name, points, triangles, queries, is_full(full, queries))


def beside_faces(random, exponent, moved):
    """Points on both sides of faces, 2^exponent from them along an edge of the cells, which are no cubes: the
    distance is a little less. All numbers are float64 as they are."""
    full, points, triangles = polycube(random)
    corner = points[triangles[random.integers(0, len(triangles), FACE_POINTS)]]
    weights = random.multinomial(61, [1 / 3] * 3, FACE_POINTS) + 1.0  # of 64
    on = (corner * weights[..., None]).sum(axis=1) / 64
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    inside = np.concatenate([is_full(full, on + side * 0.25 * normal) for side in (1, -1)])
    assert (inside == np.repeat([False, True], FACE_POINTS)).all()
    step = np.ldexp(1.0, exponent) * np.concatenate([normal, -normal])
    at = EDGE * np.concatenate([on, on]) + step
    assert (at - step == EDGE * np.concatenate([on, on])).all()
    queries, vertices = ((rows @ SHEAR.T) + moved for rows in (at, EDGE * points))
    assert (queries - moved == at @ SHEAR.T).all()
    name = f"sheared polycube of size 200, {2 * FACE_POINTS:,} points 2^{exponent} off its faces"
    name += f", moved by {moved:,}" if moved else ""
    return Scene(name, vertices, triangles, queries, inside)


def two_balls(random):
    """Two balls that overlap, in one mesh; points anywhere. The truth is that of integers."""
    unit, triangles = closed_meshes.divided(3)
    at = np.rint(unit * ROUND).astype(np.int64)
    points = np.concatenate([at, at + [ROUND * 5 // 4, ROUND // 8, -ROUND // 16]])
    triangles = np.concatenate([triangles, triangles + len(at)])
    queries = random.integers(points.min(axis=0), points.max(axis=0) + 1, (2 * BALL_POINTS, 3))
    mesh = closed_meshes.Closed("balls", points, triangles)
    winding, touching = closed_meshes.truth(mesh, queries, random)
    chosen = np.flatnonzero(~touching)[:BALL_POINTS]
    name = f"two balls that overlap in one mesh, {BALL_POINTS:,} points"
    inside = winding[chosen] != 0
    assert (winding[chosen] == 2).sum() > 100
    points, queries = points.astype(np.float64), queries[chosen].astype(np.float64)
    return Scene(name, points, triangles.astype(np.int32), queries, inside)


def scenes():
    random = np.random.default_rng(51)
    yield lattice(random)
    for exponent in (-12, -20):
        for moved in (0, 1000):
            yield beside_faces(random, exponent, moved)
    yield two_balls(random)


# ---- who is asked


def impinge_inside(points, triangles, queries):
    return impinge.inside(points, triangles, queries)


def impinge_depth(points, triangles, queries):
    return impinge.depth(points, triangles, queries).face >= 0


def by_trimesh(trimesh):
    def ask(points, triangles, queries):
        return trimesh.Trimesh(points, triangles, process=False).contains(queries)

    return ask


def by_igl(igl):
    def winding(points, triangles, queries):
        return igl.fast_winding_number(points, triangles.astype(np.int64), queries) > 0.5

    kind = igl.SignedDistanceType.SIGNED_DISTANCE_TYPE_PSEUDONORMAL

    def pseudonormal(points, triangles, queries):
        return igl.signed_distance(queries, points, triangles.astype(np.int64), sign_type=kind)[0] < 0

    return winding, pseudonormal


def by_trueform(trueform):
    def winding(points, triangles, queries):
        return trueform.winding_number(trueform.Mesh(triangles, points), trueform.Point(queries)) > 0.5

    def and_nearest(points, triangles, queries):
        mesh, at = trueform.Mesh(triangles, points), trueform.Point(queries)
        found = trueform.winding_number(mesh, at) > 0.5
        trueform.neighbor_search(mesh, at)
        return found

    return winding, and_nearest


def by_meshlib(numbers, meshlib):
    def ask(points, triangles, queries):
        mesh = numbers.meshFromFacesVerts(triangles, points)
        found = meshlib.findSignedDistances(mesh, numbers.pointCloudFromPoints(queries).points)
        return np.array([found.vec[k] for k in range(len(queries))]) < 0

    return ask


def vtk_surface(points, triangles):
    from vtkmodules.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray
    from vtkmodules.vtkCommonCore import vtkPoints
    from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPolyData

    made, at, cells = vtkPolyData(), vtkPoints(), vtkCellArray()
    at.SetData(numpy_to_vtk(points, deep=True))
    made.SetPoints(at)
    if triangles is not None:
        offsets = np.arange(len(triangles) + 1, dtype=np.int64) * 3
        corner = triangles.astype(np.int64).ravel()
        cells.SetData(*(numpy_to_vtkIdTypeArray(rows, deep=True) for rows in (offsets, corner)))
        made.SetPolys(cells)
    return made


def vtk_enclosed(points, triangles, queries):
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkFiltersModeling import vtkSelectEnclosedPoints

    tool = vtkSelectEnclosedPoints()
    tool.SetTolerance(0)
    tool.SetInputData(vtk_surface(queries, None))
    tool.SetSurfaceData(vtk_surface(points, triangles))
    tool.Update()
    return vtk_to_numpy(tool.GetOutput().GetPointData().GetArray("SelectedPoints")) > 0


def vtk_distance(points, triangles, queries):
    from vtkmodules.vtkFiltersCore import vtkImplicitPolyDataDistance

    tool = vtkImplicitPolyDataDistance()
    tool.SetInput(vtk_surface(points, triangles))
    return np.array([tool.EvaluateFunction(q) for q in queries.tolist()]) < 0


TRIMESH, IGL, PSEUDONORMAL = "trimesh.contains", "igl.fast_winding_number", "igl.signed_distance, pseudonormal"
TRUEFORM, NEAREST = "trueform.winding_number", "trueform.winding_number, neighbor_search"
MESHLIB, ENCLOSED = "meshlib.findSignedDistances", "vtkSelectEnclosedPoints"
DISTANCE, INSIDE, DEPTH = "vtkImplicitPolyDataDistance", "impinge.inside", "impinge.depth"


def peers():
    """Those that are there, by their names."""
    made = {}
    try:
        import trimesh

        if not trimesh.ray.has_embree:
            import rtree  # noqa: F401  its other way

            say("trimesh: no embreex, so it is slower")
        made[TRIMESH] = by_trimesh(trimesh)
    except ImportError as what:
        say(f"left out: {what}")
    try:
        import igl

        made[IGL], made[PSEUDONORMAL] = by_igl(igl)
    except ImportError as what:
        say(f"left out: {what}")
    try:
        import trueform

        made[TRUEFORM], made[NEAREST] = by_trueform(trueform)
    except ImportError as what:
        say(f"left out: {what}")
    try:
        from meshlib import mrmeshnumpy, mrmeshpy

        made[MESHLIB] = by_meshlib(mrmeshnumpy, mrmeshpy)
    except ImportError as what:
        say(f"left out: {what}")
    try:
        import vtkmodules.vtkFiltersModeling  # noqa: F401

        made[ENCLOSED], made[DISTANCE] = vtk_enclosed, vtk_distance
    except ImportError as what:
        say(f"left out: {what}")
    return made


# ---- right and wrong


def judge(sheet, others):
    """Wrong answers of each in each scene; one of impinge is a fault. others: as `peers` has them."""
    asked = {INSIDE: impinge_inside, DEPTH: impinge_depth, **others}
    asked.pop(NEAREST, None)
    for scene in scenes():
        for who, ask in asked.items():
            wrong = int((np.asarray(ask(scene.points, scene.triangles, scene.queries)) != scene.inside).sum())
            sheet.count("wrong answers", scene.name, who, wrong)
            if wrong and who in (INSIDE, DEPTH):
                sheet.fault(f"{scene.name}: {who} is wrong for {wrong} points")
