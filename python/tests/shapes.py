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
