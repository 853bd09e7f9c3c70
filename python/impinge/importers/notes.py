"""What readers leave out that is neither surface nor solid, by keyword: one line for all files of a
conversion."""

from __future__ import annotations

from collections.abc import Mapping

_found: dict = {}  # file: {keyword: count}
_LISTED = 8  # keywords in the line


def forget() -> None:
    """A conversion begins."""
    _found.clear()


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


def text() -> str:
    """'a.inp: left out, as it is no surface or solid: 2 *STEP, *TIE; in 3 files in all'"""
    if not _found:
        return ""
    words = [f"{n} {word}" if n > 1 else word for word, n in counts().items()]
    if len(words) > _LISTED:
        words[_LISTED:] = [f"{len(words) - _LISTED} others"]
    said = f"{next(iter(_found))}: left out, as it is no surface or solid: {', '.join(words)}"
    return said + (f"; in {len(_found)} files in all" if len(_found) > 1 else "")
