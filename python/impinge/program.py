"""The program impinge, which the package brings along. It reads and writes VTKHDF in a process of
its own, so that the only HDF5 in this one is that of h5py."""

from __future__ import annotations

import glob
import importlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._library import ArgumentError, ImpingeError, error, lib
from ._names import check_option
from ._words import Path as Name
from ._words import RunOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack

PROGRAM = Path(__file__).with_name("bin") / "impinge"

COLLISION = 10  # the exit code of --fail-on-collision
OPTIONAL = ("json", "inside")  # options that may stand without their value, which is never the next word

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


# What a terminal would obey, and bytes of names that are no UTF-8: those of host/base/error.c.
_CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def plain(text: str) -> str:
    """A text as it may be printed, in any number of lines: control characters of names are "?"."""
    return _CONTROLS.sub("?", text)


def _words(options: dict[str, Any]) -> list[str]:
    """force=True is --force, min_separation=1 is --min-separation 1; None and False: nothing."""
    words: list[str] = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        word = "--" + name.replace("_", "-")
        text = os.fspath(value) if isinstance(value, os.PathLike) else str(value)
        if value is True:
            words.append(word)
        else:
            words += [f"{word}={text}"] if name in OPTIONAL else [word, text]
    return words


def expanded(files: Iterable[Name]) -> list[str]:
    """Paths, and of patterns such as "*.obj" the files that there are, by name. An `InputError` for a
    pattern of none."""
    made: list[str] = []
    for file in [os.fspath(file) for file in files]:
        found = sorted(glob.glob(file, recursive=True)) if is_pattern(file) else [file]
        if not found:
            raise error(lib.IMP_ERR_INPUT, f"{file}: there is no such file")
        made += found
    return made


def is_pattern(file: str) -> bool:
    """Of files; not the name of one."""
    return glob.has_magic(file) and not os.path.exists(file)


def one_file(file: Any, name: str) -> Name:
    """A path. Raises what says where several files, or arrays, go instead."""
    batch = 'impinge.convert(files, "batch.vtkhdf") makes a batch of several'
    if isinstance(file, (list, tuple)) and all(isinstance(one, (str, os.PathLike)) for one in file):
        raise error(lib.IMP_ERR_ARGUMENT, f"{name}: {len(file)} files, not one; {batch}")
    if not isinstance(file, (str, os.PathLike)):
        arrays = "" if file is None else '; impinge.write("batch.vtkhdf", ...) makes one of arrays'
        raise TypeError(f"{name}: {type(file).__name__}, not the path of a file{arrays}")
    path = os.fspath(file)
    if is_pattern(path) and glob.glob(path, recursive=True):
        raise error(lib.IMP_ERR_ARGUMENT, f"{name}: {path} is a pattern, not a file; {batch}")
    return path


def _wait(process: subprocess.Popen, given: str | None) -> tuple:
    """Ctrl-C is for the program as well, which ends in order: what it has written stays valid."""
    try:
        return process.communicate(given)
    except BaseException:
        process.send_signal(signal.SIGTERM)
        process.communicate()
        raise


def _run(command: list, input: str | None = None, **how: Any) -> tuple:
    """Runs a command with this standard input, and returns its outputs and its exit code."""
    pipe = subprocess.PIPE
    # a session of its own: Ctrl-C at a terminal comes through _wait, once
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL if input is None else pipe,
        stdout=pipe,
        stderr=pipe,
        text=True,
        start_new_session=True,
        **how,
    ) as process:
        out, err = _wait(process, input)
    return out, err, process.returncode


def _call(words: list, renamed: Callable[[str], str] = str, **how: Any) -> tuple:
    """Runs the program, and returns its outputs and its exit code, 0 or COLLISION. `renamed` gives
    files in its messages the names that the caller knows."""
    out, err, returned = _run([str(PROGRAM), *map(os.fspath, words)], **how)
    err = renamed(err)
    if returned not in (0, COLLISION):
        code = _codes.get(returned, lib.IMP_ERR_FILE)
        raise error(code, err.strip() or f"impinge ended with {returned}")
    return out, err, returned


def _start(*words: Any, **how: Any) -> tuple:
    """The same, with its warnings on the standard error: its output and its exit code."""
    out, err, returned = _call(list(words), **how)
    if err:
        sys.stderr.write(err)
    return out, returned


def run(input: Name, output: Name, **options: Unpack[RunOptions]) -> dict:
    """Finds all contacts in every frame of a batch, and writes them to a result.

    Options are those of `impinge help run` with _ for -: run(a, b, device="cpu", frames="10:50",
    continuous=True, force=True). `object_pairs` and `object_pairs_exclude` are files, or lists of pairs
    of objects by number or name: [("cloth", "ball"), (3, 4)]; object_pairs_exclude=True leaves out
    those of `object_pairs`; `allowed`, a list, is the same, as for `contacts`. `frames` may also be a
    number, slice(10, 20), range(10, 20) or (10, 20): from frame 10 on, before frame 20. `inside`, besides True, may be a list of objects: ["body", 3]. Returns
    the summary, as `impinge run --json` prints it, and in "collision" whether `fail_on_collision` was
    given and there is a contact.
    """
    return run_job(input, output, dict(options))


def run_job(
    input: Name, output: Name, options: dict[str, Any], renamed: Callable[[str], str] = str
) -> dict:
    """`run`; `renamed` gives files in messages the names that the caller knows."""
    for name in options:
        check_option(name, RunOptions.__annotations__, kind=ArgumentError)
    if "frames" in options:
        options["frames"] = _slice(options["frames"])
    said = {}  # names of arguments in messages, where these are not those of options
    if options.get("allowed") is not None:
        _allow(options)
        said["object_pairs_exclude"] = "allowed"
    inside = options.get("inside")
    if inside is not None and not isinstance(inside, (str, bool)):
        options["inside"] = ",".join(map(_object, inside))
    if options.get("object_pairs_exclude") is True:
        options["object_pairs_exclude"] = options.pop("object_pairs", None)
        if options["object_pairs_exclude"] is None:
            raise error(lib.IMP_ERR_ARGUMENT, "object_pairs_exclude=True: of which object_pairs?")
    input = one_file(input, "input")
    with _lists(options) as files:
        words = ["-o", output, "--json", *_words({**options, **files})]
        lists = _renamed({plain(path): name for name, path in files.items()}, said)
        out, code = _start("run", input, *words, renamed=lambda text: renamed(_in_python(lists(text))))
    return dict(json.loads(out), collision=code == COLLISION)


def _slice(frames: Any) -> Any:
    """Frames as --frames has them."""
    if isinstance(frames, tuple):
        try:
            frames = slice(*frames)
        except TypeError:
            raise error(lib.IMP_ERR_ARGUMENT, f"frames: {frames!r} is not (first, end)") from None
    if isinstance(frames, range):
        if frames and min(frames[0], frames[-1]) < 0 <= max(frames[0], frames[-1]):
            raise error(lib.IMP_ERR_ARGUMENT, f"frames: {frames!r} has frames below 0 and others")
        past = frames.stop  # after the last frame, and before the first one, there is no number
        end = None if past == (0 if frames.start < 0 else -1) else past
        frames = slice(frames.start, end, frames.step) if len(frames) else slice(0, 0)
    if not isinstance(frames, slice):
        return frames
    parts = [frames.start, frames.stop, *([] if frames.step is None else [frames.step])]
    return ":".join("" if part is None else str(int(part)) for part in parts)


def _allow(options: dict[str, Any]) -> None:
    """`allowed` becomes object_pairs_exclude."""
    allowed = options.pop("allowed")
    for other in ("object_pairs", "object_pairs_exclude"):
        if options.get(other) not in (None, False):
            raise error(lib.IMP_ERR_ARGUMENT, f"allowed: not with {other}, which says the same")
    rows = allowed if isinstance(allowed, (str, os.PathLike)) else list(allowed)
    if rows:
        options["object_pairs_exclude"] = rows


def _in_python(text: str) -> str:
    """What the program advises, as an argument."""
    return text.replace("--force replaces it", "force=True replaces it")


def _renamed(named: dict[str, str], said: dict[str, str]) -> Callable[[str], str]:
    """Files in messages, and options with them, become the arguments that they are. said: those with
    another name than the option."""

    def rename(text: str) -> str:
        for path, option_name in named.items():
            option = "--" + option_name.replace("_", "-")
            name = said.get(option_name, option_name)
            for joined in (f"{option} {path}", f"{option}: {path}", path):
                text = text.replace(joined, name)
        return text

    return rename


@contextmanager
def _lists(options: dict[str, Any]) -> Iterator[dict[str, str]]:
    """Files of the lists of pairs among the options, by name of the option."""
    with ExitStack() as held:
        made: dict[str, str] = {}
        for name in ("object_pairs", "object_pairs_exclude"):
            pairs = options.get(name)
            if pairs is None or pairs is False or isinstance(pairs, (str, os.PathLike)):
                continue
            file = held.enter_context(tempfile.NamedTemporaryFile("w", prefix="impinge-"))
            file.write(_list(pairs, name))
            file.flush()
            made[name] = file.name
        yield made


def _list(pairs: Iterable, name: str) -> str:
    """As --object-pairs reads them: a line for each."""
    return "".join(f"{_object(a, name)} {_object(b, name)}\n" for a, b in pairs)


def _object(which: Any, name: str = "inside") -> str:
    """A name is in quotes, so that it is no number and may have blanks."""
    if not isinstance(which, str):
        return str(int(which))
    if "\n" in which or "\r" in which:
        raise error(lib.IMP_ERR_ARGUMENT, f"{name}: {which!r} has more than one line")
    return '"' + which.replace('"', '""') + '"'


def info(file: Name, **options: Any) -> dict:
    """What is in a batch or a result: JSON of `impinge info`, as data/format.md describes it."""
    return json.loads(_start("info", one_file(file, "file"), "--json", *_words(options))[0])


def verify(file: Name) -> None:
    """An `InputError` if a file behind this one is missing or is not as it was."""
    _call(["info", file, "--json"])


def check(result: Name, input: Name, **options: Any) -> str:
    """Recomputes a result by brute force and exact arithmetic. Returns what the program says; a
    difference is an `ImpingeError`."""
    result, input = one_file(result, "result"), one_file(input, "input")
    return _start("check", result, "--input", input, *_words(options))[0]


def merge(output: Name, shards: Iterable[Name], **options: Any) -> str:
    """Joins the results of run(..., shard="i/n") for all i into one: merge(a, shards, force=True).
    With virtual=True, and by default from 1 GiB of shards on, it refers to their rows, by names
    relative to its folder, and says which files must stay together; with copy=True it has all rows
    itself. Returns what the program says."""
    return _start("merge", output, *shards, *_words(options))[0]


# ---- the command line

# Verbs that are in Python: modules, whose main() takes the words after the verb. One with wants()
# leaves it to that which words it is for; all others are for the program, which knows the verbs
# without wants() by host/cli/package_verbs.def.
_verbs = {
    "convert": "impinge.importers.verb",
    "export": "impinge.exporters.verb",
    "report": "impinge._report.verb",
}

# The exit codes of errors; 1 is any other failure.
_exits = {
    lib.IMP_ERR_ARGUMENT: 2,
    lib.IMP_ERR_EXISTS: 2,
    lib.IMP_ERR_INPUT: 3,
    lib.IMP_ERR_DEVICE: 4,
    lib.IMP_ERR_MEMORY: 5,
    lib.IMP_ERR_DISK: 5,
    lib.IMP_ERR_CANCELLED: 128 + signal.SIGINT,
}


def _verb(words: list[str]) -> Callable[[list[str]], None] | None:
    """What runs these words, the verb first, in Python."""
    if not words or words[0] not in _verbs:
        return None
    module = importlib.import_module(_verbs[words[0]])
    wanted = not hasattr(module, "wants") or module.wants(words[1:])
    return module.main if wanted else None


def _end(signal_number: int, _: Any) -> None:
    """As an exception, so that unfinished files are removed."""
    sys.exit(128 + signal_number)


def _run_verb(verb: Callable[[list[str]], None], words: list[str]) -> None:
    """Ends with the exit codes of the program."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _end)
    try:
        verb(words)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
    except ImpingeError as what:
        text = plain(str(what))
        print(text if text.startswith("impinge: ") else f"impinge: {text}", file=sys.stderr)
        sys.exit(_exits.get(what.code, 1))


def main() -> None:
    """The command impinge."""
    words = sys.argv[1:]
    asked = words
    if len(words) == 2 and words[0] in ("help", "--help", "-h"):
        asked = [words[1], "--help"]
    verb = _verb(asked)
    if verb:
        _run_verb(verb, asked[1:])
    else:
        os.execv(PROGRAM, [str(PROGRAM), *words])
