"""Winding numbers of closed meshes about points on lattices, vertices, edges, faces and their planes, against
integers: overlapping, inverted, non-manifold, in all positions of the axes. IMPINGE_SOAK=250: a million points."""

import os
from fractions import Fraction
from itertools import permutations, product

import closed_meshes
import impinge
import numpy as np
from common import main

SOAK = int(os.environ.get("IMPINGE_SOAK", "1"))
POINTS = min(16_000 * SOAK, 1_000_000)  # of all meshes together
OF_MESH = min(500 * SOAK, 5000)  # points


def turns():
    """The 48 ways to exchange and mirror axes: matrices, whose determinants are 1 and -1."""
    for order in permutations(range(3)):
        for signs in product((1, -1), repeat=3):
            yield np.diag(signs)[list(order)]


TURNS = list(turns())
CYCLES = [np.roll(np.eye(3, dtype=int), k, axis=0) for k in range(3)]  # each axis in the place of x


def shear(random):
    """A matrix of integers with the determinant 1."""
    made = np.eye(3, dtype=np.int64)
    for _ in range(3):
        to, of = random.permutation(3)[:2]
        made[to] += int(random.integers(-3, 4)) * made[of]
    return made


def ask(mesh, queries, matrix, exponent=0, offset=0, dtype=np.float64):
    """Of coordinates that are exact after it: the winding numbers without the sign of the matrix."""
    points = [
        np.ldexp((rows @ matrix.T + offset).astype(np.float64), exponent)
        for rows in (mesh.points, queries)
    ]
    found = impinge.winding(points[0].astype(dtype), mesh.triangles, points[1].astype(dtype))
    assert (found.inside == (found.winding != 0)).all() and not found.winding[found.touching].any()
    return round(np.linalg.det(matrix)) * found.winding, found.touching


def compare(mesh, points, expected, found, how):
    for column, a, b in zip(("winding", "touching"), expected, found):
        wrong = np.flatnonzero(a != b)
        assert not len(wrong), (
            f"{mesh.name}, {how}: {column} of {points[wrong[0]].tolist()} is {b[wrong[0]]}, not {a[wrong[0]]}"
            f" ({len(wrong)} of {len(points)}): {mesh.points.tolist()} {mesh.triangles.tolist()}"
        )


def test_truth():
    """The truth itself: of a box, and of what is wrong with it."""
    random = np.random.default_rng(2)
    cube = closed_meshes.Closed("cube", *closed_meshes.surface_of(np.ones((1, 1, 1), bool)))
    cube = cube._replace(points=closed_meshes.UNIT * cube.points)
    assert closed_meshes.is_closed(cube.triangles) and not closed_meshes.is_closed(
        cube.triangles[1:]
    )
    points = np.array(list(product(range(-2, 16), repeat=3)))
    within, on = (
        ((points > 0) & (points < 12)).all(axis=1),
        ((points >= 0) & (points <= 12)).all(axis=1),
    )
    for triangles, number in ((cube.triangles, 1), (cube.triangles[:, ::-1], -1)):
        found = closed_meshes.truth(cube._replace(triangles=triangles), points, random)
        assert (found[0] == number * within).all() and (found[1] == (on & ~within)).all()
    for kind in range(len(closed_meshes.MAKERS)):
        for _ in range(5):
            assert closed_meshes.is_closed(closed_meshes.make(random, kind).triangles)


def test_random():
    """A mesh after another, each with the same points as they are, with each axis in the place of the
    first, turned or mirrored, sheared, far away, in another unit, and in float32."""
    random = np.random.default_rng(1)
    seen, touched, done, kind = set(), 0, 0, 0
    while done < POINTS:
        mesh = closed_meshes.make(random, kind % len(closed_meshes.MAKERS))
        points = closed_meshes.queries(random, mesh, OF_MESH)
        expected = closed_meshes.truth(mesh, points, random)
        for axis, matrix in enumerate(CYCLES):
            compare(mesh, points, expected, ask(mesh, points, matrix), f"axis {axis}")
        matrix = TURNS[int(random.integers(len(TURNS)))] @ shear(random)
        exponent, offset = int(random.integers(-300, 300)), random.integers(-(2**40), 2**40, 3)
        found = ask(mesh, points, matrix, exponent, offset)
        compare(mesh, points, expected, found, f"{matrix.tolist()}, {exponent}, {offset.tolist()}")
        found = ask(mesh, points, matrix, int(random.integers(-60, 60)), dtype=np.float32)
        compare(mesh, points, expected, found, f"float32, {matrix.tolist()}")
        seen |= set(expected[0].tolist())
        touched += int(expected[1].sum())
        done, kind = done + len(points), kind + 1
    print(
        f"    {done} points of {kind} meshes, {touched} touch; winding numbers {min(seen)} to {max(seen)}"
    )
    assert touched > done // 10 and {-1, 0, 1, 2} <= seen


def squares(full):
    """The faces of a polycube: least corner, and the axis that they are at a right angle to."""
    wide = np.pad(full, 1)
    return [
        (np.argwhere(np.diff(wide.astype(int), axis=k)) - (np.arange(3) != k), k) for k in range(3)
    ]


def squared(points, full):
    """(n,) int64: squares of the least distance to a face of a polycube, in a lattice of UNIT."""
    unit, least = closed_meshes.UNIT, np.full(len(points), np.iinfo(np.int64).max)
    for corners, axis in squares(full):
        low = unit * corners[None]
        high = low + unit * (np.arange(3) != axis)
        nearest = np.clip(points[:, None], low, high)
        least = np.minimum(least, ((points[:, None] - nearest) ** 2).sum(axis=2).min(axis=1))
    return least


def test_depth():
    """The depth in polycubes is the greatest float64 that is not above the root of an integer; nearest
    point, weights and normal are those of the face."""
    random = np.random.default_rng(3)
    for _ in range(3 * min(SOAK, 20)):
        full = random.random((5, 5, 5)) < 0.8
        points, triangles = closed_meshes.surface_of(full)
        points = (points * closed_meshes.UNIT).astype(np.float64)
        queries = random.integers(0, 5 * closed_meshes.UNIT, (300, 3))
        found = impinge.depth(points, triangles, queries.astype(np.float64))
        inside = impinge.inside(points, triangles, queries.astype(np.float64))
        assert inside.sum() > 30 and ((found.face >= 0) == inside).all()
        assert not any(
            column[~inside].any()
            for column in (found.depth, found.normal, found.nearest, found.barycentric)
        )
        exact = squared(queries, full).tolist()
        for i in np.flatnonzero(inside):
            depth = float(found.depth[i])
            assert Fraction(depth) ** 2 <= exact[i] < Fraction(np.nextafter(depth, np.inf)) ** 2, (
                queries[i]
            )
        corner = points[triangles[found.face[inside]]]
        given = (corner * found.barycentric[inside, :3, None]).sum(axis=1)
        assert np.allclose(given, found.nearest[inside], atol=1e-12, rtol=0)
        assert not found.barycentric[:, 3].any() and (found.barycentric >= 0).all()
        normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
        normal /= np.linalg.norm(normal, axis=1)[:, None]
        assert np.allclose(normal, found.normal[inside], atol=1e-15, rtol=0)
        gap = np.linalg.norm(found.nearest - queries, axis=1)[inside]
        assert np.allclose(gap, found.depth[inside], atol=1e-12, rtol=0)


main(globals())
