"""What a user should know of files and is no error: one line for each kind, for all files of a
conversion."""

from __future__ import annotations

_found: dict = {}  # what: {file: how often}
_lost: dict = {}  # names of arrays that are not kept
_LISTED = 3  # of them

GHOSTS = "a cell that another part has as well, or that is hidden (vtkGhostType), which is left out"
APART = "a point that has the number of another one at another place, so they are two"
PARTS = "a part with CellData/ObjectId, which is not kept: other parts lack it"
BLOCKS = "a block with CellData/ObjectId, which is not kept: blocks are objects"


def forget() -> None:
    """A conversion begins."""
    _found.clear()
    _lost.clear()


def add(file: str, what: str, count: int = 1) -> None:
    """A file that is read again, as for its next frame, says so again."""
    if count:
        _found.setdefault(what, {})[file] = count


def lose(names: list) -> None:
    """Arrays with these names are not kept."""
    _lost.update(dict.fromkeys(names, 1))


def counts() -> dict:
    """By kind, in all files, and the arrays that are not kept."""
    return {**{what: sum(files.values()) for what, files in _found.items()}, **_lost}


def lines() -> list:
    """As the program has them: 'a.vtu: what; 3 such in this file; the same in 2 files in all'"""
    made = []
    for what, files in _found.items():
        file, count = next(iter(files.items()))
        text = f"{file}: {what}" + (f"; {count} such in this file" if count > 1 else "")
        made.append(text + (f"; the same in {len(files)} files in all" if len(files) > 1 else ""))
    if _lost:
        names = list(_lost)
        listed = ", ".join(names[:_LISTED])
        more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
        head = f"{len(names)} arrays are" if len(names) > 1 else "1 array is"
        text = f"{head} not kept: {listed}{more}; CellData of integers with one component is kept"
        made.append(text)
    return made
