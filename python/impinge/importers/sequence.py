"""Order and times of files. The program has the rules (natural order, numbers in names, gaps), so
it is given files of the same names with a triangle each, and says what it makes of them."""

from __future__ import annotations

import math
import os
import sys
import tempfile

from .._library import error, lib
from ..program import _call, plain

STAND_IN = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"


def _stand_in(where: str, file: str) -> str:
    """A file below the folder with the name of `file`. The ending keeps it apart from folders."""
    parts = ["~up" if part == ".." else part for part in file.split("/") if part not in ("", ".")]
    name = "/".join(["~root"] * file.startswith("/") + parts) + ".~"
    path = os.path.join(where, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(STAND_IN)
    return f"./{name}" if name.startswith("-") else name


def _renamed(text: str) -> str:
    """Messages name files, and patterns of several names."""
    for part, original in ((".~", ""), ("~up", ".."), ("~root/", "/")):
        text = text.replace(part, original)
    return text


def ask(files: list, words: list, bodies: bool) -> tuple:
    """Files in their order, and their times, by options of the program. Its warnings are passed on,
    unless the files are bodies of one frame, among which nothing is missing."""
    import h5py

    with tempfile.TemporaryDirectory(prefix="impinge-") as where:
        given = [_stand_in(where, file) for file in files]
        names = dict(zip(given, files))
        command = ["convert", *given, "-o", "batch.vtkhdf", *words]
        _, notes, _ = _call(command, cwd=where, renamed=_renamed)
        if not bodies:
            sys.stderr.write(plain(notes))
        with h5py.File(os.path.join(where, "batch.vtkhdf"), "r") as batch:
            sources = batch["impinge/frame_sources"].asstr()[:]
            times = batch["VTKHDF/Steps/Values"][:].tolist()
    return [names[source] for source in sources], times


def frame_times(files: list, own: list, words: list, of_names: list | None) -> list:
    """Times of all frames of files in their order. `own`: times of each file, or None. `words`: the
    options that give times. Without them times that files have are kept."""
    count = sum(len(times or (0,)) for times in own)
    if of_names is not None and count == len(files):
        return of_names
    if of_names is not None:
        raise error(lib.IMP_ERR_ARGUMENT, "--times names: a file has several times of its own")
    flat: list = [time for times in own for time in times or (math.nan,)]
    if not words and all(a < b for a, b in zip([-math.inf, *flat], flat)):
        return flat
    if not words and count > len(files):
        text = f"{files[0]}: times do not ascend from file to file, or are not known"
        raise error(lib.IMP_ERR_INPUT, f"{text}; --times FILE gives them")
    return ask([f"frame{k:09}" for k in range(count)], ["--order", "given", *words], True)[1]
