"""How primitives meet: imp_kind, and the words of data/format.md."""

from __future__ import annotations

from enum import IntEnum

import numpy as np


class Kind(IntEnum):
    """How two primitives meet: CANDIDATE (bounds overlap), POINT, SEGMENT, AREA,
    DUPLICATE (the same three vertices), SOLIDS (one or both are tetrahedra). Between frames
    VERTEX_FACE, EDGE_EDGE, or one of the others at the start of the step: AT_START_POINT is AT_START +
    POINT. Pairs within a distance that do not meet: VERTEX_FACE, EDGE_EDGE, VERTEX_EDGE, VERTEX_VERTEX,
    the features that are nearest. With thicknesses CROSSED: two triangles, and an edge of one passes
    through the other. VERTEX_INSIDE: a vertex inside a closed object."""

    CANDIDATE = 0
    POINT = 1
    SEGMENT = 2
    AREA = 3
    DUPLICATE = 4
    SOLIDS = 5
    VERTEX_FACE = 6
    EDGE_EDGE = 7
    VERTEX_EDGE = 8
    VERTEX_VERTEX = 9
    CROSSED = 10
    VERTEX_INSIDE = 11
    AT_START = 16
    AT_START_POINT = 17
    AT_START_SEGMENT = 18
    AT_START_AREA = 19
    AT_START_DUPLICATE = 20
    AT_START_SOLIDS = 21

    @property
    def at_start(self) -> bool:
        """Do the two meet at the start of the step?"""
        return self >= Kind.AT_START

    @property
    def base(self) -> Kind:
        """The kind of a contact of a frame: POINT of AT_START_POINT."""
        return Kind(self - Kind.AT_START) if self > Kind.AT_START else self

    @property
    def word(self) -> str:
        """As data/format.md has it: "vertex-face", "point at start"."""
        if self > Kind.AT_START:
            return f"{self.base.word} at start"
        return self.name.lower().replace("_", "-")


#: The words of data/format.md, by number; of a number that is no kind "kind 99".
kind_words = [f"kind {number}" for number in range(256)]
for _kind in Kind:
    kind_words[_kind] = _kind.word
word_array = np.array(kind_words)
