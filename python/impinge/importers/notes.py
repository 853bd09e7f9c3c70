"""What a user should know of files and is no error: one line for each kind, for all files of a
conversion."""

from __future__ import annotations

from collections.abc import Mapping

_left: dict = {}  # file: {keyword: how often}; neither surface nor solid
_found: dict = {}  # what: {file: how often}
_lost: dict = {}  # names of arrays that are not kept
_WORDS, _NAMES = 8, 3  # of these in a line

GHOSTS = "a cell that another part has as well, or that is hidden (vtkGhostType), which is left out"
APART = "a point that has the number of another one at another place, so they are two"
PARTS = "a part with CellData/ObjectId, which is not kept: other parts lack it"
BLOCKS = "a block with CellData/ObjectId, which is not kept: blocks are objects"


def forget() -> None:
    """A conversion begins."""
    _left.clear()
    _found.clear()
    _lost.clear()


def left_out(file: str, counts: Mapping) -> None:
    """All that a reader left out of a file: how often each keyword is there. A file that is read
    again, as for its next frame, says so again."""
    kept = {word: count for word, count in counts.items() if count}
    if kept:
        _left[file] = kept


def add(file: str, what: str, count: int = 1) -> None:
    """Something else in a file, which says so again when it is read again."""
    if count:
        _found.setdefault(what, {})[file] = count


def lose(names: list) -> None:
    """Arrays with these names are not kept."""
    _lost.update(dict.fromkeys(names, 1))


def _words() -> dict:
    sums: dict = {}
    for found in _left.values():
        for word, count in found.items():
            sums[word] = sums.get(word, 0) + count
    return sums


def counts() -> dict:
    """By keyword or kind, in all files, and the arrays that are not kept."""
    return {**_words(), **{what: sum(of.values()) for what, of in _found.items()}, **_lost}


def _in_all(files: Mapping, said: str) -> str:
    return f"; {said} {len(files)} files in all" if len(files) > 1 else ""


def _left_line() -> str:
    words = [f"{n} {word}" if n > 1 else word for word, n in _words().items()]
    if len(words) > _WORDS:
        words[_WORDS:] = [f"{len(words) - _WORDS} others"]
    said = f"{next(iter(_left))}: left out, as it is no surface or solid: {', '.join(words)}"
    return said + _in_all(_left, "in")


def _found_line(what: str, files: Mapping) -> str:
    file, count = next(iter(files.items()))
    several = f"; {count} such in this file" if count > 1 else ""
    return f"{file}: {what}{several}" + _in_all(files, "the same in")


def _lost_line() -> str:
    names = list(_lost)
    listed = ", ".join(names[:_NAMES])
    more = f" and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
    head = f"{len(names)} arrays are" if len(names) > 1 else "1 array is"
    return f"{head} not kept: {listed}{more}; CellData of integers with one component is kept"


def lines() -> list:
    """'a.inp: left out, as it is no surface or solid: 2 *STEP, *TIE; in 3 files in all', and, as
    the program has them, 'a.vtu: what; 3 such in this file; the same in 2 files in all'"""
    made = [_left_line()] if _left else []
    made += [_found_line(what, files) for what, files in _found.items()]
    return made + ([_lost_line()] if _lost else [])
