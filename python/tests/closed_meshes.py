"""Closed meshes on a lattice, points where predicates are 0, and winding numbers by integers alone: a way
that has nothing in common with the library's."""

from itertools import product
from typing import NamedTuple

import numpy as np

UNIT = 12  # vertices are at multiples: halves, thirds and quarters of edges are integers
AT_ONCE = 1 << 21  # pairs of a point and a triangle
FACES = np.array([[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]])  # of a tetrahedron, outwards
AXES = np.eye(3, dtype=np.int64)


class Closed(NamedTuple):
    name: str
    points: np.ndarray  #: (n, 3) int64, multiples of UNIT
    triangles: np.ndarray  #: (m, 3) int64


# ---- meshes: the directed uses of each edge cancel


def joined(points, triangles):
    """Vertices at one place are one."""
    points, which = np.unique(points, axis=0, return_inverse=True)
    return points, which.ravel()[triangles]


def moved(random, size):
    return random.integers(-size, size + 1, 3)


def chains(random, size):
    """The faces of random tetrahedra on few vertices: overlapping, inverted, flat, non-manifold."""
    points = random.integers(-size, size + 1, (int(random.integers(5, 12)), 3))
    cells = [random.permutation(len(points))[:4] for _ in range(int(random.integers(1, 24)))]
    return points, np.concatenate([cell[FACES] for cell in cells])


def polycube(random, size):
    """The surface of cubes of a lattice, each face as two triangles; edges and vertices of more than two
    faces."""
    full = random.random((size, size, size)) < random.choice((0.2, 0.4, 0.7))
    return surface_of(full)


def surface_of(full):
    """Points and triangles of the faces between full and empty cells of a lattice, with full ones on
    the left."""
    size = len(full)
    wide = np.pad(full, 1)
    points, triangles = [], []
    for cell in product(range(size + 2), repeat=3):
        for axis in range(3):
            before = tuple(np.subtract(cell, AXES[axis]))
            if cell[axis] == 0 or wide[cell] == wide[before]:
                continue
            u, v = AXES[(axis + 1) % 3], AXES[(axis + 2) % 3]
            corner = np.array(cell) - 1
            square = [corner, corner + u, corner + u + v, corner + v]
            if wide[cell]:  # outwards is down
                square.reverse()
            first = len(points)
            points += square
            triangles += [[first, first + 1, first + 2], [first, first + 2, first + 3]]
    if not points:
        return surface_of(np.ones((1, 1, 1), bool))
    return joined(np.array(points), np.array(triangles))


def divided(times):
    """An octahedron, each of whose triangles is divided into four so often, on a sphere of radius 1: float64
    points, and triangles outwards."""
    points = np.concatenate([np.eye(3), -np.eye(3)])
    corners = product((0, 1), repeat=3)
    triangles = np.array(
        [[3 * i, 1 + 3 * j, 2 + 3 * k][:: 1 - 2 * ((i + j + k) % 2)] for i, j, k in corners]
    )
    for _ in range(times):
        corner = points[triangles]
        middle = corner + np.roll(corner, -1, axis=1)
        middle /= np.linalg.norm(middle, axis=2)[..., None]
        every = np.concatenate([corner, middle], axis=1)  # a b c ab bc ca
        parts = every[:, [[0, 3, 5], [3, 1, 4], [5, 4, 2], [3, 4, 5]]]
        points, triangles = joined(parts.reshape(-1, 3), np.arange(12 * len(parts)).reshape(-1, 3))
    return points, triangles


def ball(random, size):
    """A sphere whose vertices are moved: it may cross itself."""
    points, triangles = divided(2)
    wild = int(random.integers(0, size))
    at = np.rint(points * size).astype(np.int64)
    return at + random.integers(-wild, wild + 1, at.shape), triangles


def several(random, size):
    """Boxes that overlap, touch and lie in each other, some of them inverted; with vertices in common
    where they are at one place, or not."""
    points, triangles = [], []
    for _ in range(int(random.integers(2, 7))):
        p, t = surface_of(np.ones((1, 1, 1), bool))
        p = p * random.integers(1, size + 1, 3) + moved(random, size)
        triangles.append((t[:, ::-1] if random.random() < 0.3 else t) + sum(map(len, points)))
        points.append(p)
    points, triangles = np.concatenate(points), np.concatenate(triangles)
    return joined(points, triangles) if random.random() < 0.5 else (points, triangles)


MAKERS = (chains, polycube, ball, several)


def make(random, kind):
    """A closed mesh of MAKERS[kind], whose triangles and vertices are in no order, and may be inverted."""
    points, triangles = MAKERS[kind](random, 4)
    triangles = triangles[random.permutation(len(triangles))]
    triangles = np.array(
        [np.roll(t, k) for t, k in zip(triangles, random.integers(0, 3, len(triangles)))]
    )
    if random.random() < 0.3:
        triangles = triangles[:, ::-1]
    return Closed(
        MAKERS[kind].__name__, np.asarray(points, np.int64) * UNIT, triangles.astype(np.int64)
    )


def is_closed(triangles):
    edges = np.concatenate([triangles[:, [k, (k + 1) % 3]] for k in range(3)])
    edges = edges[edges[:, 0] != edges[:, 1]]
    width = int(triangles.max()) + 1
    low, high = edges.min(axis=1), edges.max(axis=1)
    key, which = np.unique(low * width + high, return_inverse=True)
    uses = np.zeros(len(key), np.int64)
    np.add.at(uses, which.ravel(), np.where(edges[:, 0] < edges[:, 1], 1, -1))
    return not uses.any()


# ---- points


def queries(random, mesh, count):
    """(count, 3) int64: on the lattice, at vertices, on edges and their lines, on faces and in their
    planes, a step beside all of these, and anywhere."""
    corner = mesh.points[mesh.triangles[random.integers(0, len(mesh.triangles), count)]]
    a, u, v = corner[:, 0], corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]
    i, j = random.integers(-UNIT // 2, 3 * UNIT // 2 + 1, (2, count, 1))
    low, high = mesh.points.min(axis=0) - UNIT, mesh.points.max(axis=0) + UNIT + 1
    lattice = random.integers(low // UNIT, high // UNIT, (count, 3)) * UNIT
    some = [
        lattice,
        lattice + UNIT // 2 * random.integers(0, 2, (count, 3)),
        a,
        a + u * i // UNIT,
        a + u * i // UNIT + v * (UNIT - i) // UNIT,
        a + u * i // UNIT + v * j // UNIT,
        a + u * random.integers(0, UNIT + 1, (count, 1)) // UNIT,
        a + u * i // UNIT + v * j // UNIT + random.integers(-1, 2, (count, 3)),
        random.integers(low, high, (count, 3)),
    ]
    return np.stack(some)[random.integers(0, len(some), count), np.arange(count)]


# ---- truth


def cross(a, b):
    x = [
        a[..., (k + 1) % 3] * b[..., (k + 2) % 3] - a[..., (k + 2) % 3] * b[..., (k + 1) % 3]
        for k in range(3)
    ]
    return np.stack(x, axis=-1)


def dot(a, b):
    return (a * b).sum(axis=-1)


def touches(a, b, c):
    """Whether the origin is on each closed triangle: in its plane and on no edge's outer side, or on an
    edge. Of int64."""
    normal = cross(b - a, c - a)
    sides = [cross(x, y) for x, y in ((a, b), (b, c), (c, a))]
    flat = dot(normal, a) == 0
    within = flat & normal.any(axis=-1)
    for side in sides:
        within &= dot(normal, side) >= 0
    for (x, y), side in zip(((a, b), (b, c), (c, a)), sides):
        within |= ~side.any(axis=-1) & (dot(x, y) <= 0)
    return within


def crossings(a, b, c, direction):
    """How often a ray from the origin crosses each triangle, with sign, and whether it may meet a border
    or lie in the plane: then the number is not valid."""
    det = dot(a, cross(b, c))
    sides = np.stack([dot(direction, cross(x, y)) for x, y in ((b, c), (c, a), (a, b))])
    above, below = (sides > 0).any(axis=0), (sides < 0).any(axis=0)
    unsure = (sides == 0).any(axis=0) & ~(above & below)
    return np.where(above & ~below & (det > 0), 1, 0) - np.where(
        below & ~above & (det < 0), 1, 0
    ), unsure


def truth_of(mesh, points, random):
    """Winding numbers and touching of a block of points."""
    a, b, c = (mesh.points[mesh.triangles[:, k]][None] - points[:, None] for k in range(3))
    touching = touches(a, b, c).any(axis=1)
    solid = cross(b[0] - a[0], c[0] - a[0]).any(axis=1)  # rays do not cross the others
    a, b, c = a[:, solid], b[:, solid], c[:, solid]
    winding, left = np.zeros(len(points), np.int64), np.flatnonzero(~touching)
    while len(left):
        direction = random.integers(-999, 1000, (len(left), 1, 3))
        number, unsure = crossings(a[left], b[left], c[left], direction)
        good = ~unsure.any(axis=1)
        winding[left[good]] = number.sum(axis=1)[good]
        left = left[~good]
    return winding, touching


def truth(mesh, points, random):
    """(n,) winding numbers, 0 where a point touches, and (n,) whether it does."""
    step = max(AT_ONCE // len(mesh.triangles), 1)
    some = [truth_of(mesh, points[k : k + step], random) for k in range(0, len(points), step)]
    return tuple(np.concatenate(column) for column in zip(*some))
