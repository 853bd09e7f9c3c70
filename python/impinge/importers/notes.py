"""What is told of files at the end of a conversion, each in one line for all of them: what readers
leave out that is neither surface nor solid, by keyword, and groups that do not become objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .mesh import Piece

_found: dict = {}  # file: {keyword: count}
_groups: dict = {}  # file: names
_program: dict = {}  # lines
_LISTED = 8  # keywords or names in a line


def forget() -> None:
    """A conversion begins."""
    _found.clear()
    _groups.clear()
    _program.clear()


def program(text: str) -> None:
    """What the program says of a file that it reads; again, if the file is read again."""
    _program.update(dict.fromkeys(text.splitlines()))


def dropped(file: str, pieces: Iterable[Piece]) -> None:
    """Names of groups are here though their cells are in none: they are not told apart. Of one group
    nothing is lost."""
    names = [name for piece in pieces if piece.groups is None for name in piece.group_names]
    kept = list(dict.fromkeys(filter(None, names)))
    if len(kept) > 1:
        _groups[file] = kept


def _dropped_text() -> str:
    file, names = next(iter(_groups.items()))
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    said = f"warning: {file}: {len(names)} groups not told apart: {', '.join(names[:_LISTED])}{more}"
    same = f"; the same in {len(_groups)} files in all" if len(_groups) > 1 else ""
    return f"{said}; --groups makes objects of them{same}"


def left_out(file: str, counts: Mapping) -> None:
    """All that a reader left out of a file: how often each keyword is there. A file that is read
    again, as for its next frame, says so again."""
    kept = {word: count for word, count in counts.items() if count}
    if kept:
        _found[file] = kept


def counts() -> dict:
    """By keyword, in all files."""
    sums: dict = {}
    for found in _found.values():
        for word, count in found.items():
            sums[word] = sums.get(word, 0) + count
    return sums


def lines() -> str:
    """All of it, as the program would print it."""
    told = [f"impinge: {line()}" for found, line in _told if found]
    return "".join(f"{line}\n" for line in [*_program, *told])


def text() -> str:
    """'a.inp: left out, as it is no surface or solid: 2 *STEP, *TIE; in 3 files in all'"""
    words = [f"{n} {word}" if n > 1 else word for word, n in counts().items()]
    if len(words) > _LISTED:
        words[_LISTED:] = [f"{len(words) - _LISTED} others"]
    said = f"{next(iter(_found))}: left out, as it is no surface or solid: {', '.join(words)}"
    return said + (f"; in {len(_found)} files in all" if len(_found) > 1 else "")


_told = ((_groups, _dropped_text), (_found, text))
