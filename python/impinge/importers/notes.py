"""What a user should know of files and is no error: one line for each kind, for all files of a
conversion."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

_program: dict = {}  # lines of the program
_groups: dict = {}  # file: names
_left: dict = {}  # file: {keyword: how often}; neither surface nor solid
_found: dict = {}  # what: {file: how often}
_lost: dict = {}  # names of arrays that are not kept
_LISTED = 8  # names in a line

THIN = "a point or a line, which is ignored"
GHOSTS = "a cell that another part has as well, or that is hidden (vtkGhostType), which is left out"
APART = "a point that has the number of another one at another place, so they are two"
PARTS = "a part with CellData/ObjectId, which is not kept: other parts lack it"
BLOCKS = "a block with CellData/ObjectId, which is not kept: blocks are objects"


def forget() -> None:
    """A conversion begins."""
    for one in (_program, _groups, _left, _found, _lost):
        one.clear()


def program(text: str) -> None:
    """What the program says of a file that it reads; again, if the file is read again."""
    _program.update(dict.fromkeys(text.splitlines()))


def dropped(file: str, pieces: Iterable[Any]) -> None:
    """Names of groups are here though their cells are in none: they are not told apart. Of one group
    nothing is lost."""
    names = [name for piece in pieces if piece.groups is None for name in piece.group_names]
    kept = list(dict.fromkeys(filter(None, names)))
    if len(kept) > 1:
        _groups[file] = kept


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


def _list(names: Iterable[str]) -> str:
    all_names = list(names)
    more = len(all_names) - _LISTED
    return ", ".join(all_names[:_LISTED]) + (f" and {more} more" if more > 0 else "")


def _in_all(files: Mapping, said: str) -> str:
    return f"; {said} {len(files)} files in all" if len(files) > 1 else ""


def _groups_line() -> str:
    file, names = next(iter(_groups.items()))
    said = f"warning: {file}: {len(names)} groups not told apart: {_list(names)}"
    return f"{said}; --groups makes objects of them{_in_all(_groups, 'the same in')}"


def _left_line() -> str:
    words = (f"{n} {word}" if n > 1 else word for word, n in _words().items())
    said = f"{next(iter(_left))}: left out, as it is no surface or solid: {_list(words)}"
    return said + _in_all(_left, "in")


def _found_line(what: str, files: Mapping) -> str:
    file, count = next(iter(files.items()))
    several = f"; {count} such in this file" if count > 1 else ""
    return f"{file}: {what}{several}{_in_all(files, 'the same in')}"


def _lost_line() -> str:
    head = f"{len(_lost)} arrays are" if len(_lost) > 1 else "1 array is"
    return f"{head} not kept: {_list(_lost)}; CellData of integers with one component is kept"


def lines() -> list:
    """'a.inp: left out, as it is no surface or solid: 2 *STEP, *TIE; in 3 files in all', and, as
    the program has them, 'a.vtu: what; 3 such in this file; the same in 2 files in all'"""
    made = [_groups_line()] if _groups else []
    made += [_left_line()] if _left else []
    made += [_found_line(what, files) for what, files in _found.items()]
    return made + ([_lost_line()] if _lost else [])


def text() -> str:
    """All of it, as the program would print it."""
    return "".join(f"{line}\n" for line in [*_program, *(f"impinge: {one}" for one in lines())])
