"""URDF: links become rigid bodies, where the joints have their zero, or given values. URDF is small
and its own reader can say what it leaves out; yourdfpy and trimesh pass over it without a word."""

from __future__ import annotations

import math
import os
import sys
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from .._library import error, lib
from ..program import Name, plain
from ..rigid import INERTIA, RigidBody
from . import notes
from .mesh import input_error
from .urdf_shapes import Shapes
from .urdf_tree import UNMOVED, Pose, Tree, turn
from .xdmf_tree import Element

JOINT = "a joint that is not simulated: the links that it joins are bodies of their own"
VISUAL = "a link without collision geometry, whose visual geometry is taken"
BARE = "a link without geometry, which is no body"
NO_MASS = "a link without mass that can move: its mass is that of its volume, of density 1000"
NO_INERTIA = "a link without inertia: it and the centre of mass are those of its volume"

_TURNING, _SLIDING = ("revolute", "continuous"), ("prismatic",)
_TYPES = (*_TURNING, *_SLIDING, "fixed", "floating", "planar")
_read = {  # children that are read; others are counted
    "robot": ("link", "joint"),
    "link": ("inertial", "visual", "collision"),
    "joint": ("origin", "parent", "child", "axis"),
    "inertial": ("origin", "mass", "inertia"),
    "visual": ("origin", "geometry"),
    "collision": ("origin", "geometry"),
}


def read_urdf(file: Name, joints: Mapping[str, float] | None = None) -> list[RigidBody]:
    """The links of a robot as bodies, in the order of the file, for `pcs` and `write_bodies`; what
    they are can be changed before. What is left out is counted on the standard error.

    joints: values of joints by their names, radians or lengths; others are at 0. Joints are not
        simulated. The collision geometry of a link is taken, or else the visual one. The root is
        `fixed` where it has no mass, and so is what fixed joints join to it. Bodies have the names
        of links, the origin of their points is the centre of mass, and their axes are the link's.

    Errors: `InputError` with file, line and element, for what carries geometry or placement and
    cannot be read; `ArgumentError` for joints. Meshes in OBJ need `pip install 'impinge[files]'`.
    """
    notes.forget()
    bodies = _Robot(Tree(os.fspath(file)), dict(joints or {})).bodies()
    sys.stderr.write(plain(notes.text()))
    return bodies


def _bad_value(text: str) -> Exception:
    return error(lib.IMP_ERR_ARGUMENT, f"joints: {text}")


class _Robot:
    def __init__(self, tree: Tree, values: dict[str, float]):
        self.tree, self.values = tree, values
        self.links, self.joints = tree.named("link"), tree.named("joint")
        self.shapes = Shapes(tree)
        self.left: Counter = Counter()
        self.found: Counter = Counter()
        for name in values:
            if name not in self.joints:
                raise _bad_value(f"{tree.file} has no joint {name!r}")

    def bodies(self) -> list[RigidBody]:
        self.places, self.fixed = self._placed()
        made = [self._body(name, link) for name, link in self.links.items()]
        self._count(self.tree.root)
        notes.left_out(self.tree.file, self.left)
        for what, count in self.found.items():
            notes.add(self.tree.file, what, count)
        kept = [body for body in made if body]
        if not kept:
            raise input_error(self.tree.file, "no link has geometry")
        return kept

    def _count(self, element: Element) -> None:
        """All that is not read, by its tag."""
        known = _read.get(element.tag, ())
        for child in element.children:
            taken = child.tag in known
            if child.tag == "visual" and element.all("collision"):
                taken = False
            if not taken:
                self.left[f"<{child.tag}>"] += 1
            elif child.tag in _read:
                self._count(child)

    # ---- where links are

    def _placed(self) -> tuple[dict[str, Pose], set[str]]:
        """The pose of each link, and the names of those that are fixed."""
        below, root = self._below()
        places, fixed = {root: UNMOVED}, set()
        if not self._mass(self.links[root]):
            fixed.add(root)
        left = [root]
        while left:
            parent = left.pop()
            for child, joint in below.get(parent, ()):
                places[child] = places[parent].then(self._joint(joint))
                if parent in fixed and joint.get("type") == "fixed":
                    fixed.add(child)
                else:
                    self.found[JOINT] += joint.get("type") != "floating"
                left.append(child)
        lost = [name for name in self.links if name not in places]
        if lost:
            raise self.tree.bad(self.links[lost[0]], "joints join it to itself")
        return places, fixed

    def _below(self) -> tuple[dict[str, list], str]:
        """The children of each link, with their joints, and the root."""
        below: dict[str, list] = {}
        above: dict[str, Element] = {}
        for joint in self.joints.values():
            parent, child = (self._end(joint, tag) for tag in ("parent", "child"))
            if child in above:
                raise self.tree.bad(joint, f"another joint has the child {child}, too")
            above[child] = joint
            below.setdefault(parent, []).append((child, joint))
        roots = [name for name in self.links if name not in above]
        if len(roots) != 1:
            shown = ", ".join(roots[:8]) or "none"
            text = f"{len(roots)} links are no child of a joint, not one: {shown}"
            raise input_error(self.tree.file, text)
        return below, roots[0]

    def _end(self, joint: Element, tag: str) -> str:
        found = self.tree.one(joint, tag)
        name = found.get("link") if found else ""
        if name not in self.links:
            raise self.tree.bad(joint, f"<{tag}>: there is no link {name!r}")
        return name

    def _joint(self, joint: Element) -> Pose:
        """Of the child in the parent."""
        kind, name = joint.get("type"), joint.get("name")
        if kind not in _TYPES:
            raise self.tree.bad(joint, f"type={kind!r}, not one of {', '.join(_TYPES)}")
        origin = self.tree.origin(joint)
        if name not in self.values:
            return origin
        value = float(self.values[name])
        if kind not in (*_TURNING, *_SLIDING) or not math.isfinite(value):
            raise _bad_value(f"{name} is {kind}, and has no value {value:g}")
        element = self.tree.one(joint, "axis")
        axis = self.tree.numbers(element, "xyz", 3) if element else np.array([1.0, 0, 0])
        if not axis.any():
            raise self.tree.bad(joint, "<axis>: it has no length")
        axis /= np.linalg.norm(axis)
        if kind in _TURNING:
            return origin.then(Pose(turn(axis, value), np.zeros(3)))
        return origin.then(Pose(np.eye(3), value * axis))

    # ---- what links are

    def _mass(self, link: Element) -> float:
        inertial = self.tree.one(link, "inertial")
        element = self.tree.one(inertial, "mass") if inertial else None
        if element is None:
            return 0.0
        mass = float(self.tree.numbers(element, "value", 1)[0])
        if mass < 0:
            raise self.tree.bad(element, "it is below 0")
        return mass

    def _body(self, name: str, link: Element) -> RigidBody | None:
        elements = link.all("collision")
        if not elements:
            elements = link.all("visual")
            self.found[VISUAL] += bool(elements)
        if not elements:
            self.found[BARE] += 1
            return None
        points, triangles = _joined([self.shapes.of(element) for element in elements])
        matter, centre = self._matter(name, link)
        place = self.places[name]
        body = RigidBody(points - centre, triangles, place.of(centre), _quaternion(place.rotation))
        body.name, body.fixed = name, name in self.fixed
        for key, value in matter.items():
            setattr(body, key, value)
        return body

    def _matter(self, name: str, link: Element) -> tuple[dict[str, Any], np.ndarray]:
        """Mass and inertia, and the origin that these have in the link."""
        mass = self._mass(link)
        if not mass:
            self.found[NO_MASS] += name not in self.fixed
            return {}, np.zeros(3)
        inertial = link.all("inertial")[0]
        origin = self.tree.origin(inertial)
        inertia = self._inertia(inertial, origin.rotation)
        if inertia is None:
            self.found[NO_INERTIA] += name not in self.fixed
            return {"mass": mass}, origin.at
        return {"mass": mass, "inertia": inertia}, origin.at

    def _inertia(self, inertial: Element, rotation: np.ndarray) -> np.ndarray | None:
        """(3, 3) about the centre of mass, along the axes of the link."""
        element = self.tree.one(inertial, "inertia")
        if element is None:
            return None
        matrix = np.zeros((3, 3))
        for i, j in INERTIA:
            name = "i" + "xyz"[i] + "xyz"[j]
            default = None if i == j else 0.0
            value = self.tree.numbers(element, name, 1, None if default is None else [default])[0]
            matrix[i, j] = matrix[j, i] = value
        if not matrix.any():
            return None
        least = np.linalg.eigvalsh(matrix)
        if not (least[0] > 0 and least[0] + least[1] >= least[2] * (1 - 1e-9)):
            raise self.tree.bad(element, "no body has this inertia")
        turned = rotation @ matrix @ rotation.T
        return (turned + turned.T) / 2


def _joined(shapes: list) -> tuple[np.ndarray, np.ndarray]:
    first = np.cumsum([0, *(len(points) for points, _ in shapes)])
    triangles = [triangles + at for (_, triangles), at in zip(shapes, first)]
    return np.concatenate([points for points, _ in shapes]), np.concatenate(triangles)


def _quaternion(r: np.ndarray) -> np.ndarray:
    """w x y z of a rotation (3, 3), from the greatest of the four."""
    squares = np.array([1 + np.trace(r), *(1 + 2 * r[k, k] - np.trace(r) for k in range(3))])
    k = int(squares.argmax())
    x, y, z = r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]
    xy, xz, yz = r[0, 1] + r[1, 0], r[0, 2] + r[2, 0], r[1, 2] + r[2, 1]
    s = squares[k]
    row = [(s, x, y, z), (x, s, xy, xz), (y, xy, s, yz), (z, xz, yz, s)][k]
    return np.array(row) / np.linalg.norm(row)
