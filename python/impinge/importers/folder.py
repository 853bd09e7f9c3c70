"""A folder among the files of convert: the files in it of the one format that convert reads. The
program has the same rules (host/cli/conversion_folder.c) for the formats that it reads."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable
from xml.sax.saxutils import unescape

from .mesh import input_error
from .readers import MESHES, ending_of

# HDF5 is mostly data of files of other formats, and this text is of many programs: they count only
# where nothing else does
_DATA = (".h5", ".hdf", ".hdf5", ".dat")
_SHOWN = 8

# files that list others, which are read with them
_LISTS = (".pvd", ".series", ".pvtu", ".pvtp", ".pvti", ".pvts", ".pvtr", ".vtm", ".vtmb", ".vtpc", ".vtpd")


def expand(files: list[str], output: str, order: Callable[[list[str]], list[str]]) -> tuple:
    """The files, with those of a folder in place of it, without the output; and a line for each
    folder of which something is left out. `order` sorts the files of a folder. Errors:
    `InputError` for a folder with no format, or with several."""
    made: list[str] = []
    notes: list[str] = []
    for file in files:
        if not is_folder(file):
            made.append(file)
            continue
        found, left = _files(file, output)
        made += order(found)
        if left:
            ending = ending_of(found[0])
            count = f"{len(found):,} file{'s' if len(found) > 1 else ''}"
            notes.append(f"impinge: {file}: {count} {ending}; left out: {_shown(left)}\n")
    return made, notes


def is_folder(file: str) -> bool:
    """An OpenFOAM case is a file."""
    return os.path.isdir(file) and ending_of(file) != ".foam"


def _files(folder: str, output: str) -> tuple[list[str], Counter]:
    there = [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name[0] != "."]
    there = [path for path in there if _is_file(path, output)]
    if not there:
        raise input_error(folder, "is a folder without a file")
    names = {os.path.basename(path) for path in there}
    listed = _listed(folder, there)
    there = [path for path in there if os.path.normpath(path) not in listed]
    counts = Counter(ending_of(path) for path in there if not _is_part(path, names))
    meshes = [e for e in counts if e in MESHES and e not in _DATA]
    meshes = sorted(meshes or (e for e in counts if e in _DATA))
    if not meshes:
        text = "is a folder without a file that convert reads, by their names; there is"
        raise input_error(folder, f"{text} {_shown(counts)}")
    if len(meshes) > 1:
        shown = _shown(Counter({ending: counts[ending] for ending in meshes}))
        form = os.path.join(folder, f"*{meshes[0]}")
        text = f"is a folder with files of several formats, {shown}; name those of one, as in"
        raise input_error(folder, f"{text} {form}")
    del counts[meshes[0]]
    found = [p for p in there if ending_of(p) == meshes[0] and not _is_part(p, names)]
    return found, counts


def _listed(folder: str, there: list[str]) -> set[str]:
    """Files that lists in the folder name; not the list itself. One that cannot
    be opened is an error later."""
    made: set[str] = set()
    for path in there:
        if ending_of(path) not in _LISTS:
            continue
        try:
            with open(path, "rb") as stream:
                head = stream.read()
        except OSError:
            continue
        # what is binary in such a file comes after the names, or is no name
        words = re.findall(r"""["']([^"'<>\n]+)["']""", head.decode("utf-8", "replace"))
        found = {os.path.normpath(os.path.join(folder, unescape(word))) for word in words}
        made |= found - {os.path.normpath(path)}
    return made


def _shown(counts: Counter) -> str:
    most = sorted(counts)[:_SHOWN]
    more = f" and {len(counts) - _SHOWN} more" if len(counts) > _SHOWN else ""
    return ", ".join(f"{counts[e]} {e or 'without an ending'}" for e in most) + more


def _is_file(path: str, output: str) -> bool:
    """Not a folder, and not what is written. A link without a target is a file, which is missing."""
    if not os.path.exists(path):
        return True
    return os.path.isfile(path) and not (os.path.exists(output) and os.path.samefile(path, output))


def _is_part(path: str, names: set[str]) -> bool:
    """Is it read with another file? The states of a d3plot are, and the nodes of TetGen's elements."""
    name = os.path.basename(path)
    base, ending = os.path.splitext(name)
    if ending == ".node":
        return f"{base}.ele" in names
    first = name.rstrip("0123456789")
    return name.startswith("d3plot") and first != name and first in names
