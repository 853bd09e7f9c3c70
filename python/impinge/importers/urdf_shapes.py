"""The geometry of URDF as triangles: boxes, cylinders, spheres, and meshes in files."""

from __future__ import annotations

import os

import numpy as np

from . import notes
from .mesh import TRIANGLE, join
from .readers import ending_of, open_file
from .urdf_tree import Tree
from .xdmf_tree import Element

ROUND = "a cylinder or a sphere, of which a polyhedron within it is taken"
MESHES = (".stl", ".obj", ".ply")
SIDES = 48  # of a cylinder
HALVINGS = 3  # of the edges of an icosahedron: 1280 triangles

Shape = tuple  # points (n, 3) float64, triangles (m, 3)

_box = np.array([[0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4], [2, 6, 3],
                 [3, 6, 7], [0, 4, 2], [2, 4, 6], [1, 3, 5], [3, 7, 5]])  # fmt: skip


class Shapes:
    """What the <geometry> of a file stands for. Files of meshes are read once."""

    def __init__(self, tree: Tree):
        self.tree = tree
        self._read: dict[str, Shape] = {}
        self._round = 0

    def of(self, element: Element) -> Shape:
        """Of a <collision> or a <visual>, in the coordinates of the link."""
        geometry = self.tree.one(element, "geometry")
        if geometry is None or len(geometry.children) != 1:
            count = len(geometry.children) if geometry else 0
            raise self.tree.bad(geometry or element, f"{count} shapes, not one, in its <geometry>")
        shape = geometry.children[0]
        makers = {"box": self._box, "cylinder": self._cylinder, "sphere": self._sphere}
        makers["mesh"] = self._mesh
        if shape.tag not in makers:
            raise self.tree.bad(shape, "this shape is not read; a mesh can stand for it")
        points, triangles = makers[shape.tag](shape)
        return self.tree.origin(element).of(points), triangles

    def _size(self, shape: Element, name: str, count: int = 1) -> np.ndarray:
        found = self.tree.numbers(shape, name, count)
        if not (found > 0).all():
            raise self.tree.bad(shape, f"{name}={shape.get(name)!r}, not above 0")
        return found

    def _rounded(self) -> None:
        self._round += 1
        notes.add(self.tree.file, ROUND, self._round)

    def _box(self, shape: Element) -> Shape:
        corners = np.array([[i, j, k] for k in (-1, 1) for j in (-1, 1) for i in (-1, 1)])
        return corners * self._size(shape, "size", 3) / 2, _box

    def _cylinder(self, shape: Element) -> Shape:
        """Along z. Two vertices are in the middle of its ends."""
        radius, length = self._size(shape, "radius")[0], self._size(shape, "length")[0]
        self._rounded()
        angle = 2 * np.pi * np.arange(SIDES) / SIDES
        ring = radius * np.stack([np.cos(angle), np.sin(angle), 0 * angle], 1)
        up = np.array([0, 0, length / 2])
        points = np.concatenate([ring - up, ring + up, [-up, up]])
        at = np.arange(SIDES)
        after = (at + 1) % SIDES
        low, high = np.full(SIDES, 2 * SIDES), np.full(SIDES, 2 * SIDES + 1)
        faces = [(at, after, at + SIDES), (after, after + SIDES, at + SIDES)]
        faces += [(after, at, low), (at + SIDES, after + SIDES, high)]
        return points, np.concatenate([np.stack(face, 1) for face in faces])

    def _sphere(self, shape: Element) -> Shape:
        radius = self._size(shape, "radius")[0]
        self._rounded()
        points, triangles = _icosahedron()
        for _ in range(HALVINGS):
            points, triangles = _halved(points, triangles)
        return radius * points, triangles

    def _mesh(self, shape: Element) -> Shape:
        scale = self.tree.numbers(shape, "scale", 3, (1, 1, 1))
        if not scale.all():
            raise self.tree.bad(shape, "scale has a 0")
        name = shape.get("filename")
        if name not in self._read:
            self._read[name] = self._file(shape, name)
        points, triangles = self._read[name]
        return points * scale, triangles[:, ::-1] if np.prod(scale) < 0 else triangles

    def _file(self, shape: Element, name: str) -> Shape:
        """A mesh, whose name is seen from the folder of the URDF file."""
        if not name:
            raise self.tree.bad(shape, "filename is missing")
        plain = name[len("file://") :] if name.startswith("file://") else name
        if "://" in plain:
            text = f"{name}: packages are not looked for; write a path that begins at the URDF file"
            raise self.tree.bad(shape, text)
        path = os.path.join(os.path.dirname(self.tree.file), plain)
        if not os.path.isfile(path):
            raise self.tree.bad(shape, f"{path}: No such file")
        if ending_of(path) not in MESHES:
            raise self.tree.bad(shape, f"{path}: not read here; write STL, OBJ or PLY")
        source = open_file(path, False)
        mesh = join(path, source.read(0))
        notes.add(path, notes.THIN, mesh.skipped)
        if (mesh.types != TRIANGLE).any():
            raise self.tree.bad(shape, f"{path}: not only triangles; write OBJ or STL")
        return mesh.points.astype(np.float64), mesh.corners.reshape(-1, 3)


def _icosahedron() -> Shape:
    """Of radius 1."""
    g = (1 + 5**0.5) / 2
    points = [(-1, g, 0), (1, g, 0), (-1, -g, 0), (1, -g, 0), (0, -1, g), (0, 1, g), (0, -1, -g),
              (0, 1, -g), (g, 0, -1), (g, 0, 1), (-g, 0, -1), (-g, 0, 1)]  # fmt: skip
    triangles = [(0, 11, 5), (0, 5, 1), (0, 1, 7), (0, 7, 10), (0, 10, 11), (1, 5, 9), (5, 11, 4),
                 (11, 10, 2), (10, 7, 6), (7, 1, 8), (3, 9, 4), (3, 4, 2), (3, 2, 6), (3, 6, 8),
                 (3, 8, 9), (4, 9, 5), (2, 4, 11), (6, 2, 10), (8, 6, 7), (9, 8, 1)]  # fmt: skip
    return np.array(points) / np.hypot(1, g), np.array(triangles)


def _halved(points: np.ndarray, triangles: np.ndarray) -> Shape:
    """Each triangle becomes four; new vertices are moved out to radius 1."""
    edges = np.sort(np.concatenate([triangles[:, [k, (k + 1) % 3]] for k in range(3)]), axis=1)
    edges, row = np.unique(edges, axis=0, return_inverse=True)
    middle = points[edges].sum(1)
    middle /= np.linalg.norm(middle, axis=1)[:, None]
    ab, bc, ca = len(points) + row.reshape(3, -1)
    a, b, c = triangles.T
    four = [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
    return np.concatenate([points, middle]), np.concatenate([np.stack(t, 1) for t in four])
