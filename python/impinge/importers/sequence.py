"""Order and times of files. The program has the rules (natural order, numbers in names, gaps), so
it is given files of the same names with a triangle each, and says what it makes of them."""

from __future__ import annotations

import math
import os
import sys
import tempfile

from .._library import error, lib
from ..program import _call, plain

_MANY = 10_000  # more names than this are no words of a command
STAND_IN = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"

_END = ".~.obj"  # of their names; the program reads a folder of them


def _stand_in(where: str, file: str) -> str:
    """A file below the folder with the name of `file`. The ending keeps it apart from folders."""
    parts = ["~up" if part == ".." else part for part in file.split("/") if part not in ("", ".")]
    name = "/".join(["~root"] * file.startswith("/") + parts) + _END
    path = os.path.join(where, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(STAND_IN)
    return f"./{name}" if name.startswith("-") else name


def _renamed(text: str) -> str:
    """Messages name files, and patterns of several names."""
    for part, original in ((_END, ""), ("~up", ".."), ("~root/", "/")):
        text = text.replace(part, original)
    return text


def _words_of(given: list) -> list:
    """The folder of many files, if they have one: it has no others."""
    folders = {os.path.dirname(name) for name in given} if len(given) > _MANY else set()
    return [folders.pop() or "."] if len(folders) == 1 else given


def in_order(files: list) -> list:
    """In natural order."""
    return ask(files, ["--order", "natural"], True)[0] if len(files) > 1 else files


def ask(files: list, words: list, bodies: bool, sorted: bool = False) -> tuple:
    """Files in their order, and their times, by options of the program. Its warnings are passed on,
    unless the files are bodies of one frame, among which nothing is missing. sorted: they are in
    natural order."""
    import h5py

    with tempfile.TemporaryDirectory(prefix="impinge-") as where:
        given = [_stand_in(where, file) for file in files]
        names = {os.path.normpath(name): file for name, file in zip(given, files)}
        any_order = sorted or "natural" in words
        command = ["convert", *(_words_of(given) if any_order else given), "-o", "batch.vtkhdf", *words]
        _, notes, _ = _call(command, cwd=where, renamed=_renamed)
        if not bodies:
            sys.stderr.write(plain(notes))
        with h5py.File(os.path.join(where, "batch.vtkhdf"), "r") as batch:
            sources = batch["impinge/frame_sources"].asstr()[:]
            times = batch["VTKHDF/Steps/Values"][:].tolist()
    return [names[os.path.normpath(source)] for source in sources], times


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
    return ask([f"frame{k:09}" for k in range(count)], ["--order", "given", *words], True, True)[1]
