"""STL. VTK's reader narrows text to float32 and drops triangles without area, so it is read here.

The format has no shared vertices: each triangle brings its corners along. Neighbours are found by
their edges (impinge_weld.h), else all of them would be contacts. What touches in points or edges of
more triangles stays apart, so that bodies of one file that touch are contacts.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

import numpy as np

from .._arrays import Mesh
from .._weld import OPEN, SPLIT
from . import notes
from .mesh import TRIANGLE, Piece, distinct, input_error, uniform

_facet = np.dtype([("normal", "<f4", 3), ("corner", "<f4", (3, 3)), ("attribute", "<u2")])
_vertex = (b"vertex", None, None, None)
_words = (b"facet", b"normal", None, None, None, b"outer", b"loop", *3 * _vertex, b"endloop",
          b"endfacet")  # fmt: skip
_corner = [k + axis for k in range(7, 19, 4) for axis in (1, 2, 3)]  # words that are coordinates
_BLOCK = 1 << 23  # bytes of text that become words at a time


def read(file: str) -> list:
    """A piece; of text with several solids one for each."""
    size = os.path.getsize(file)
    with open(file, "rb") as stream:
        head = stream.read(84)
        count = int.from_bytes(head[80:84], "little")
        if len(head) == 84 and size == 84 + _facet.itemsize * count:
            return _welded(file, [_binary(file, stream.read())])
        text = head + stream.read()
    if not text.lstrip().lower().startswith(b"solid"):
        is_short = f"its length is not that of {count} triangles"
        raise input_error(file, f"this is no STL file, or it is damaged: {is_short}")
    return _welded(file, list(_solids(file, text)))


# ---- neighbours


def _welded(file: str, solids: list) -> list:
    """solids: name and corners (3 m, 3). Vertices are in the order in which they come first."""
    pieces, first = [], 0
    open_edges = split_edges = 0
    for name, corners in solids:
        count = len(corners) // 3
        mesh = Mesh(corners, np.arange(3 * count, dtype=np.uint32).reshape(-1, 3))
        found = mesh.weld([corners], 0.0).welding
        kept = found.map == np.arange(len(found.map))
        number = (np.cumsum(kept) - 1)[mesh.corner]
        ids = np.arange(first, first + count)
        piece = Piece(np.ascontiguousarray(corners[kept]), *uniform(TRIANGLE, number), name)
        pieces.append(piece._replace(ids=ids))
        first += count
        open_edges, split_edges = open_edges + found.open, split_edges + found.split
    notes.add(file, f"an edge {OPEN}", open_edges)
    notes.add(file, f"an edge {SPLIT}", split_edges)
    return pieces


# ---- bytes


def _binary(file: str, body: bytes) -> tuple:
    facets = np.frombuffer(body, _facet)
    coloured = int(np.count_nonzero(facets["attribute"]))
    notes.left_out(file, {"attributes of facets (colours)": coloured})
    return "", np.ascontiguousarray(facets["corner"].reshape(-1, 3), "=f4")


# ---- text


def _line(text: bytes, at: int) -> int:
    return text.count(b"\n", 0, at) + 1


def _solids(file: str, text: bytes) -> Iterator:
    """Each from its line to that with endsolid; there is nothing else."""
    marks = list(re.finditer(rb"(?im)^[ \t]*(end)?solid(?:[ \t]+(.*?))?[ \t\r]*$", text))
    for k, mark in enumerate(marks):
        if bool(mark[1]) != bool(k % 2):
            word = "endsolid" if mark[1] else "solid"
            raise input_error(file, f"line {_line(text, mark.start())}: '{word}' is not expected")
    if len(marks) % 2:
        raise input_error(file, "the file ends within a solid")
    titles = ((begin[2] or b"").decode("utf-8", "replace").strip() for begin in marks[::2])
    names = distinct(title or f"solid {k}" for k, title in enumerate(titles, 1))
    at = 0
    for name, begin, end in zip(names, marks[::2], marks[1::2]):
        _nothing(file, text, at, begin.start())
        yield name if len(marks) > 2 else "", _corners(file, text, begin.end(), end.start())
        at = end.end()
    _nothing(file, text, at, len(text))


def _nothing(file: str, text: bytes, begin: int, end: int) -> None:
    word = re.compile(rb"\S+").search(text, begin, end)
    if word:
        shown = word[0][:30].decode("latin-1")
        raise input_error(file, f"line {_line(text, word.start())}: '{shown}' outside of a solid")


def _corners(file: str, text: bytes, begin: int, end: int) -> np.ndarray:
    """(3 m, 3) float64 of the facets, which must be all that there is."""
    parts = [np.zeros((0, 3))]
    while begin < end:
        stop = text.find(b"endfacet", min(begin + _BLOCK, end), end)
        stop = end if stop < 0 else stop + len(b"endfacet")
        words = text[begin:stop].split()
        missing = -len(words) % len(_words)
        rows = np.array([*words, *[b""] * missing], "S").reshape(-1, len(_words))
        wrong = rows.size - missing if missing else rows.size
        for column, word in enumerate(_words):
            other = np.flatnonzero(rows[:, column] != word) if word else []
            other = [k for k in other if rows[k, column].lower() != word] if len(other) else []
            wrong = min([wrong, *(int(k) * len(_words) + column for k in other[:1])])
        if wrong < rows.size:
            raise _unexpected(file, text, begin, end, wrong)
        try:
            parts.append(_numbers(rows[:, _corner]))
        except ValueError:
            bad = next(k for k, word in enumerate(words) if not _sound(word, k))
            raise _unexpected(file, text, begin, end, bad) from None
        begin = stop
    return np.concatenate(parts)


def _numbers(words: np.ndarray) -> np.ndarray:
    if (np.char.find(words, b"_") >= 0).any():  # float() would take it
        raise ValueError
    return words.astype(np.float64).reshape(-1, 3)


def _sound(word: bytes, number: int) -> bool:
    try:
        return number % len(_words) not in _corner or _numbers(np.array([word] * 3)).size == 3
    except ValueError:
        return False


def _unexpected(file: str, text: bytes, begin: int, end: int, number: int) -> Exception:
    """An error that names the word of this number, and what should stand there."""
    words = re.compile(rb"\S+").finditer(text, begin, end)
    word = next((word for k, word in enumerate(words) if k == number), None)
    should = (_words[number % len(_words)] or b"a number").decode()
    shown = f"'{word[0][:30].decode('latin-1')}'" if word else "the solid ends"
    line = _line(text, word.start() if word else end)
    return input_error(file, f"line {line}: {shown} where {should} should be")
