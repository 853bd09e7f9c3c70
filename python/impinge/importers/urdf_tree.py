"""The XML of URDF, with the lines of its elements: numbers, origins, links and joints."""

from __future__ import annotations

import math
from typing import Any, NamedTuple
from xml.parsers import expat

import numpy as np

from .mesh import input_error
from .xdmf_tree import Element


class Pose(NamedTuple):
    """A system of coordinates in another one."""

    rotation: np.ndarray  #: (3, 3)
    at: np.ndarray  #: (3,) of its origin

    def then(self, inner: Pose) -> Pose:
        """`inner`, which is given in this one, where this one is given."""
        return Pose(self.rotation @ inner.rotation, self.of(inner.at))

    def of(self, points: np.ndarray) -> np.ndarray:
        return points @ self.rotation.T + self.at


def turn(axis: np.ndarray, angle: float) -> np.ndarray:
    """(3, 3): by Rodrigues, about an axis of length 1."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross


UNMOVED = Pose(np.eye(3), np.zeros(3))
_X, _Y, _Z = np.eye(3)


class Tree:
    """A file. Its elements keep the prefixes of their names."""

    def __init__(self, file: str):
        self.file = file
        self.root: Any = None
        self._at: Any = None
        parser = expat.ParserCreate()
        parser.StartElementHandler = lambda tag, has: self._start(parser, tag, has)
        parser.EndElementHandler = self._end
        try:
            with open(file, "rb") as stream:
                parser.ParseFile(stream)
        except OSError as what:
            raise input_error(file, what.strerror or what) from None
        except (expat.ExpatError, ValueError) as what:
            raise input_error(file, f"a URDF file that is damaged: {what}") from None
        if self.root is None or self.root.tag != "robot":
            raise input_error(file, "this is no URDF file: its root is not <robot>")

    def _start(self, parser: Any, tag: str, attributes: dict) -> None:
        made = Element(tag, attributes, parser.CurrentLineNumber, self._at)
        if tag.startswith("xacro:"):
            raise input_error(self.file, f"line {made.line}: <{tag}>: expand it with xacro first")
        if self._at is None:
            self.root = made
        else:
            self._at.children.append(made)
        self._at = made

    def _end(self, _: str) -> None:
        self._at = self._at.above

    def bad(self, element: Element, text: str) -> Exception:
        """Names the element by its line, its tag and what it is called."""
        while element.tag not in ("link", "joint") and element.above and element.above.above:
            text = f"<{element.tag}>: {text}"
            element = element.above
        name = element.get("name")
        called = f"<{element.tag}> {name}" if name else f"<{element.tag}>"
        return input_error(self.file, f"line {element.line}: {called}: {text}")

    def one(self, element: Element, tag: str) -> Element | None:
        """The child of this tag, of which there is one at most."""
        found = element.all(tag)
        if len(found) > 1:
            raise self.bad(found[1], "there is another one")
        return found[0] if found else None

    def named(self, tag: str) -> dict[str, Element]:
        """Links, or joints, in the order of the file."""
        found: dict[str, Element] = {}
        for element in self.root.all(tag):
            name = element.get("name")
            if not name:
                raise self.bad(element, "it has no name")
            if name in found:
                raise self.bad(element, "there is another one of this name")
            found[name] = element
        return found

    def numbers(self, element: Element, name: str, count: int, default: Any = None) -> np.ndarray:
        """(count,) of an attribute; an error, where it is missing and has no default."""
        text = element.attributes.get(name)
        if text is None and default is not None:
            return np.array(default, float)
        words = (text or "").split()
        try:
            found = np.array([float(word) for word in words])
        except ValueError:
            found = np.full(1, np.nan)
        if len(found) != count or not np.isfinite(found).all():
            wanted = "a number" if count == 1 else f"{count} numbers"
            raise self.bad(element, f"{name}={text!r}, not {wanted}" if text is not None else
                           f"{name} is missing")  # fmt: skip
        return found

    def origin(self, element: Element) -> Pose:
        """Of its <origin>: rpy are turns about x, y and z, which stay."""
        found = self.one(element, "origin")
        if found is None:
            return UNMOVED
        roll, pitch, yaw = self.numbers(found, "rpy", 3, (0, 0, 0))
        rotation = turn(_Z, yaw) @ turn(_Y, pitch) @ turn(_X, roll)
        return Pose(rotation, self.numbers(found, "xyz", 3, (0, 0, 0)))
