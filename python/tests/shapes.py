"""Meshes of bodies: points about the origin, and triangles that look outwards."""

import numpy as np

BOX_T = np.array([[0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4], [2, 6, 3],
                  [3, 6, 7], [0, 4, 2], [2, 4, 6], [1, 3, 5], [3, 7, 5]])  # fmt: skip


def box(x, y, z):
    """points (8, 3) and triangles (12, 3), of these edges."""
    corners = np.array([[i, j, k] for k in (-1, 1) for j in (-1, 1) for i in (-1, 1)])
    return corners * np.array([x, y, z]) / 2, BOX_T


def prism(outline, height):
    """points (2 n, 3) and triangles: a polygon (n, 2), in which its first corner sees all others,
    from z = 0 on."""
    n = len(outline)
    points = np.array([[*at, z] for z in (0, height) for at in outline], float)
    lid = [[0, k, k + 1] for k in range(1, n - 1)]
    floor = [[a, c, b] for a, b, c in lid]
    sides = [[k, (k + 1) % n, n + k] for k in range(n)]
    sides += [[(k + 1) % n, n + (k + 1) % n, n + k] for k in range(n)]
    return points, np.array([*floor, *(np.array(lid) + n).tolist(), *sides])


def angle_iron(size):
    """An L, which is not convex, about its bounding box's middle."""
    outline = size * np.array([[0.4, 0.4], [0, 1], [0, 0], [1, 0], [1, 0.4]])
    outline = np.insert(outline, 1, size * np.array([0.4, 1]), 0)
    points, triangles = prism(outline, 0.5 * size)
    return points - [0.5 * size, 0.5 * size, 0.25 * size], triangles


def ball(radius, rows=8, columns=12):
    """A polyhedron of rows and columns, within a sphere."""
    up, about = np.linspace(0, np.pi, rows + 1)[1:-1], 2 * np.pi * np.arange(columns) / columns
    rings = [[np.sin(u) * np.cos(a), np.sin(u) * np.sin(a), np.cos(u)] for u in up for a in about]
    points = radius * np.array([[0, 0, 1], *rings, [0, 0, -1]])
    triangles, last = [], len(points) - 1
    for j in range(columns):
        k = (j + 1) % columns
        triangles += [[0, 1 + j, 1 + k], [last, last - columns + k, last - columns + j]]
        for i in range(rows - 2):
            at = 1 + i * columns
            triangles += [[at + j, at + columns + j, at + columns + k]]
            triangles += [[at + j, at + columns + k, at + k]]
    return points, np.array(triangles)


def volume(points, triangles):
    a, b, c = points[np.asarray(triangles)].transpose(1, 0, 2)
    return float((np.cross(a, b) * c).sum() / 6)


def circle(radius, corners):
    """(corners, 2), anticlockwise from the x axis on."""
    about = 2 * np.pi * np.arange(corners) / corners
    return radius * np.stack([np.cos(about), np.sin(about)], 1)


def tooth(teeth, module, play, pressure=np.radians(25)):
    """(k, 2) radius and angle of the outline of a tooth, about angle 0: involutes of three points
    each, which end at a radial line to the root. `play`: the part by which it is thinner than the
    gap that it goes into."""
    pitch = module * teeth / 2
    base = pitch * np.cos(pressure)
    radius = np.linspace(base, pitch + module, 3)
    at = np.arccos(base / radius)  # pressure angle there
    angle = np.pi / 2 / teeth * (1 - play) + np.tan(pressure) - pressure - np.tan(at) + at
    flank = np.stack([radius, -angle], 1)
    flank = np.concatenate([[[pitch - 1.25 * module, -angle[0]]], flank])
    return np.concatenate([flank, flank[::-1] * [1, -1]])


def gear(teeth, module, height, bore, play=0.1):
    """points and triangles of a spur gear about z, which is not convex: `teeth` (12 or more) of
    involutes, the first at angle 0, pitch radius module * teeth / 2, and a bore with a corner of
    radius `bore` below the middle of each tooth."""
    one = tooth(teeth, module, play)
    k, n, turn = len(one), teeth * len(one), 2 * np.pi * np.arange(teeth)[:, None] / teeth
    radius, angle = np.tile(one[:, 0], (teeth, 1)), one[:, 1] + turn
    rim = np.stack([radius * np.cos(angle), radius * np.sin(angle)], 2).reshape(-1, 2)
    flat = np.concatenate([rim, circle(bore, teeth)])
    lid, sides = [], []
    for i in range(teeth):
        first, last, after = k * i, k * i + k - 1, k * (i + 1) % n
        here, there = n + i, n + (i + 1) % teeth  # of the bore
        lid += [[here, j, j + 1] for j in range(first, last)]
        lid += [[here, last, there], [last, after, there]]
        sides += [[j, j + 1] for j in range(first, last)] + [[last, after], [there, here]]
    lid, m = np.array(lid), len(flat)
    walls = [[a, b, m + b] for a, b in sides] + [[a, m + b, m + a] for a, b in sides]
    points = [np.c_[flat, np.full(m, z)] for z in (-height / 2, height / 2)]
    return np.concatenate(points), np.concatenate([lid + m, lid[:, ::-1], walls])


def cuboid(low, high):
    points, triangles = box(1, 1, 1)
    return np.asarray(low, float) + (points + 0.5) * np.subtract(high, low), triangles


def sheet(n, origin, u, v):
    """A grid of n x n squares from a corner along two edges."""
    s = np.arange(n + 1) / n
    at = np.asarray(origin, float) + s[:, None, None] * np.array(u) + s[:, None] * np.array(v)
    a = (np.arange(n)[:, None] * (n + 1) + np.arange(n)).reshape(-1, 1)
    triangles = np.concatenate([a + [0, n + 1, n + 2], a + [0, n + 2, 1]])
    return at.reshape(-1, 3), triangles


def scene(*meshes):
    """Points, triangles and objects of several meshes."""
    counts = np.cumsum([0] + [len(p) for p, _ in meshes])
    points = np.concatenate([p for p, _ in meshes])
    triangles = np.concatenate([t + k for (_, t), k in zip(meshes, counts)])
    return points, triangles, np.repeat(np.arange(len(meshes)), [len(t) for _, t in meshes])
