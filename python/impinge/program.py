"""The program impinge, which the package brings along. It reads and writes VTKHDF in a process of
its own, so that the only HDF5 in this one is that of h5py."""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Union

from ._library import error, lib

Name = Union[str, "os.PathLike[str]"]

PROGRAM = Path(__file__).with_name("bin") / "impinge"

COLLISION = 10  # the exit code of --fail-on-collision

# The exit codes of error.def. 1 is any failure at run time.
_codes = {
    2: lib.IMP_ERR_ARGUMENT,
    3: lib.IMP_ERR_INPUT,
    4: lib.IMP_ERR_DEVICE,
    5: lib.IMP_ERR_MEMORY,
    -signal.SIGINT: lib.IMP_ERR_CANCELLED,
    128 + signal.SIGINT: lib.IMP_ERR_CANCELLED,
    128 + signal.SIGTERM: lib.IMP_ERR_CANCELLED,
    128 + signal.SIGHUP: lib.IMP_ERR_CANCELLED,
}


def _words(options: dict[str, Any]) -> list[str]:
    """force=True is --force, min_separation=1 is --min-separation 1; None and False: nothing."""
    words: list[str] = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        words.append("--" + name.replace("_", "-"))
        if value is not True:
            words.append(os.fspath(value) if isinstance(value, os.PathLike) else str(value))
    return words


def _wait(process: subprocess.Popen) -> tuple:
    """Ctrl-C is for the program as well, which ends in order: what it has written stays valid."""
    try:
        return process.communicate()
    except BaseException:
        process.send_signal(signal.SIGTERM)
        process.communicate()
        raise


def _start(*words: Any) -> tuple:
    """Runs the program, and returns its standard output and its exit code, 0 or COLLISION."""
    command = [str(PROGRAM), *map(os.fspath, words)]
    pipe = subprocess.PIPE
    # a session of its own: Ctrl-C at a terminal comes through _wait, once
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=pipe,
        stderr=pipe,
        text=True,
        start_new_session=True,
    ) as process:
        out, err = _wait(process)
    if process.returncode not in (0, COLLISION):
        code = _codes.get(process.returncode, lib.IMP_ERR_FILE)
        raise error(code, err.strip() or f"impinge ended with {process.returncode}")
    if err:
        sys.stderr.write(err)
    return out, process.returncode


def run(input: Name, output: Name, **options: Any) -> dict:
    """Finds all contacts in every frame of a batch, and writes them to a result.

    Options are those of `impinge help run` with _ for -: run(a, b, device="cpu", frames="10:50",
    continuous=True, force=True). Returns the summary, as `impinge run --json` prints it, and in
    "collision" whether `fail_on_collision` was given and there is a contact.
    """
    out, code = _start("run", input, "-o", output, "--json", *_words(options))
    return dict(json.loads(out), collision=code == COLLISION)


def info(file: Name, **options: Any) -> dict:
    """What is in a batch or a result: JSON of `impinge info`, as data/format.md describes it."""
    return json.loads(_start("info", file, "--json", *_words(options))[0])


def check(result: Name, input: Name, **options: Any) -> str:
    """Recomputes a result by brute force and exact arithmetic. Returns what the program says; a
    difference is an `ImpingeError`."""
    return _start("check", result, "--input", input, *_words(options))[0]


#: Verbs of the package: a module, whose main() takes the words after the verb and returns the
#: exit code. All others are those of the program.
VERBS = {"report": "impinge._report.verb"}


def main() -> None:
    """The command impinge."""
    words = sys.argv[1:]
    if words and words[0] in VERBS:
        sys.exit(importlib.import_module(VERBS[words[0]]).main(words[1:]))
    os.execv(PROGRAM, [str(PROGRAM), *words])
