"""How primitives meet: imp_kind, and the words of data/format.md."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from ._library import words


class _Kind(IntEnum):
    @property
    def at_start(self) -> bool:
        """Do the two meet at the start of the step?"""
        return self >= AT_START

    @property
    def base(self) -> Kind:
        """The kind of a contact of a frame: POINT of AT_START_POINT."""
        return Kind(self - AT_START if self > AT_START else self)

    @property
    def word(self) -> str:
        """As data/format.md has it: "point at start"."""
        return kind_words[self]


_words = words("imp_kind")
AT_START = _words["at-start"]
# those of contacts of a frame, which may also meet at the start of a step
_started = [(word, number) for word, number in _words.items() if 0 < number <= _words["solids"]]
_numbers = {
    **{word.upper().replace("-", "_"): number for word, number in _words.items()},
    **{f"AT_START_{word.upper()}": AT_START + number for word, number in _started},
}
Kind = _Kind("Kind", _numbers, module=__name__)  # type: ignore[call-overload,misc]
Kind.__doc__ = """How two primitives meet: CANDIDATE (bounds overlap), POINT, SEGMENT, AREA,
DUPLICATE (the same three vertices), SOLIDS (one or both are tetrahedra). Between frames
VERTEX_FACE, EDGE_EDGE, or one of the others at the start of the step: AT_START_POINT is AT_START +
POINT. Pairs within a distance that do not meet: VERTEX_FACE, EDGE_EDGE, VERTEX_EDGE, VERTEX_VERTEX,
the features that are nearest. With thicknesses CROSSED: two triangles, and an edge of one passes
through the other. VERTEX_INSIDE: a vertex inside a closed object.

`word` is the name in data/format.md ("vertex-face", "point at start"), `at_start` whether it is one of
the start of a step, `base` that one in a frame."""

#: The words of data/format.md, by number; of a number that is no kind "kind 99".
kind_words = [f"kind {number}" for number in range(256)]
for _word, _number in _words.items():
    kind_words[_number] = _word
for _word, _number in _started:
    kind_words[AT_START + _number] = f"{_word} at start"
word_array = np.array(kind_words)
