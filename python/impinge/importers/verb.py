"""impinge.convert, and the same as a verb of the command line."""

from __future__ import annotations

import argparse
import json
import os
import secrets
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from .._library import ImpingeError, error, install, lib
from .._output import claim
from .._words import As, Between, Order, Samples
from ..program import Name, _call, _run, _start, _words, expanded, is_pattern, plain
from ..rigid import write_bodies
from .caches import BETWEEN, PURPOSES, SAMPLES, CacheOptions
from .folder import expand, is_folder
from .progress import wanted
from .readers import has_points_alone, may_be_cache, may_be_stage, of_bodies, of_program
from .sequence import ask, in_order
from .urdf import read_urdf


def convert(
    files: Name | Sequence[Name],
    output: Name,
    *,
    as_: As = "frames",
    order: Order | None = None,
    dt: float | None = None,
    times: Name | Sequence[float] | None = None,
    groups: bool = False,
    objects: str | None = None,
    skin: bool = False,
    weld: float | None = None,
    float32: bool = False,
    joints: Mapping[str, float] | None = None,
    between: Between | None = None,
    samples: Samples | None = None,
    purpose: str | Sequence[str] | None = None,
    mesh: Name | None = None,
    force: bool = False,
    quiet: bool = False,
) -> str:
    """Makes a batch from meshes, and returns what the program says of it.

    files: a path, or several; patterns such as "*.obj" are the files that there are, in natural order.
    Files of OBJ and VTKHDF are read by the program, others here, or by VTK (`pip install
    'impinge[io]'`); python/formats.md lists them. Quads and polygons are cut into triangles, blocks
    become objects with their names, lengths keep their precision. Cells of other kinds, and
    keywords that carry geometry and are not read, are an `InputError` that names them; what else is
    left out is counted in one warning.

    A folder stands for the files in it, in natural order, which have the ending of one format,
    without those that others of them list (PVD, .series, .pvtu, .vtm); a warning counts others. A file is a frame, or several where it has several times. as_="objects": each file is an object
    of one frame. order: "natural" or "given". times: a list, a file with one in each line, or
    "names", the numbers in the names of files; dt: the time from frame to frame. Without both,
    times that the files have are kept where they ascend, else they are 0, 1, 2, ...
    skin: of tetrahedra, voxels, hexahedra, wedges and pyramids the faces are read that no other one
    of the same object has. groups: named groups become objects (OBJ, Gmsh, sets of Abaqus, properties of Nastran, ...).
    objects: "array:NAME" takes the values of a cell array of integers as objects, in place of blocks,
    groups and ObjectId.
    weld: vertices of an object at most so far apart become one, in the unit of the points; 0: where
    triangles have an edge in common, and tetrahedra a face (impinge_weld.h). float32: points are
    written as float32. force: replaces `output`.

    Of USD and Alembic, frames are at all samples in time of meshes and of what moves them. between:
    "interpolated" (default) or "held", where an object has no sample at a frame. Of USD, samples:
    "all", or "range", those from the stage's startTimeCode to its endTimeCode; purpose: those that
    are read of "default", "render", "proxy" and "guide" (default: the first two). mesh: the OBJ file
    with the faces of a cache of points, MDD or PC2; without it, that of the same name.

    A URDF file, alone, gives a batch of rigid bodies for `pcs`, as `write_bodies(read_urdf(file))`
    does. Of the options it takes joints, as `read_urdf` does, force and quiet.
    """
    several = [files] if isinstance(files, (str, os.PathLike)) else list(files)
    if order is None and as_ == "objects" and any(is_pattern(os.fspath(file)) for file in several):
        order = "natural"
    work = _Work(expanded(several), os.fspath(output))
    work.options = dict(skin=skin, weld=weld, float32=float32, force=force, quiet=quiet)
    work.expand()
    work.objects, work.order, work.groups = as_ == "objects", order, groups
    if as_ not in ("frames", "objects") or order not in (None, "natural", "given"):
        raise _bad("as_ is frames or objects; order is natural or given")
    of_caches = dict(between=between, samples=samples, purpose=purpose, mesh=mesh)
    work.cache = _cache(of_caches)
    work.array = _array_of(objects)
    if any(map(of_bodies, work.files)):
        meshes: dict[str, Any] = dict(groups=groups, skin=skin, weld=weld, float32=float32)
        meshes.update(of_caches, order=order, dt=dt, times=times, as_=work.objects, objects=objects)
        return work.bodies(meshes, joints)
    if joints is not None:
        raise _bad("joints are of URDF files")
    for name, value in of_caches.items():
        of, files = _of_caches[name]
        if value is not None and not any(map(of, work.files)):
            raise _bad(f"{name} is for {files}")
    with _times_file(times) as listed:
        work.times = _words({"dt": dt, "times": listed})
        work.check()
        return work.by_program() if all(map(of_program, work.files)) else work.by_python()


_of_caches = {
    "between": (may_be_cache, "USD and Alembic files"),
    "samples": (may_be_stage, "USD files"),
    "purpose": (may_be_stage, "USD files"),
    "mesh": (has_points_alone, "caches of points, MDD and PC2"),
}


def _cache(given: dict) -> CacheOptions:
    """The options of caches, those that are None by default."""
    made = CacheOptions()._asdict()
    made.update((name, value) for name, value in given.items() if value is not None)
    if isinstance(made["purpose"], str):
        made["purpose"] = made["purpose"].split(",")
    made["purpose"] = tuple(made["purpose"])
    if made["mesh"] is not None:
        made["mesh"] = os.fspath(made["mesh"])
    if made["between"] not in BETWEEN:
        raise _bad("between is interpolated or held")
    if made["samples"] not in SAMPLES:
        raise _bad("samples is all or range")
    if not made["purpose"] or not set(made["purpose"]) <= set(PURPOSES):
        raise _bad(f"purpose is a list of {', '.join(PURPOSES)}")
    return CacheOptions(**made)


def _array_of(objects: str | None) -> str | None:
    """NAME of array:NAME."""
    if objects in (None, "id"):
        return None
    kind, _, name = objects.partition(":")
    if kind != "array" or not name:
        raise _bad("objects is id or array:NAME")
    return name


def _bad(text: str) -> Exception:
    return error(lib.IMP_ERR_ARGUMENT, text)


@contextmanager
def _times_file(times: Any) -> Any:
    """The value of --times: a list becomes a file."""
    if times is None:
        yield None
        return
    if isinstance(times, (str, os.PathLike)):
        yield times if os.fspath(times) == "names" else os.path.abspath(times)
        return
    with tempfile.NamedTemporaryFile("w", prefix="impinge-", suffix=".times") as listed:
        listed.writelines(f"{float(time)!r}\n" for time in times)
        listed.flush()
        yield listed.name


def _is_same(file: str, other: str) -> bool:
    return os.path.exists(file) and os.path.exists(other) and os.path.samefile(file, other)


class _Work:
    """What to convert, and how. `times`: the options that give times; `progress`: of reading."""

    options: dict
    times: list
    objects: bool
    groups: bool
    order: str | None
    array: str | None
    cache: CacheOptions
    notes: list[str]
    progress = "never"  # the command line sets it

    def __init__(self, files: list, output: str):
        self.files, self.output = files, output
        self.given, self.notes = files, []

    def expand(self) -> None:
        """Folders become their files. The program does that itself: they may be too many words."""
        self.files, self.notes = expand(self.given, self.output, in_order)

    def check(self) -> None:
        if not self.files:
            raise _bad("files are missing")
        if self.objects and self.times:
            raise _bad("dt and times are for frames; as_='objects' makes one")

    def bodies(self, given: dict, joints: Mapping[str, float] | None) -> str:
        """Of a URDF file. `given`: options of meshes."""
        file = next(filter(of_bodies, self.files))
        if len(self.files) > 1:
            raise _bad(f"{file}: its links are rigid bodies, which no other file can be joined to")
        for name, value in given.items():
            if value is not None and value is not False:
                raise _bad(f"{file}: {name.strip('_')} is for meshes; its links are rigid bodies")
        self._claim()
        try:
            made = read_urdf(file, joints)
            write_bodies(made, self.output, force=True)
        except ImportError as what:
            raise error(lib.IMP_ERR_INPUT, f"{file}: {what}; {install('io')}") from what
        return "" if self.options["quiet"] else f"{self.output}: {len(made)} rigid bodies\n"

    def by_program(self) -> str:
        words = _words(dict(self.options, groups=self.groups, order=self.order))
        words += ["--as", "objects"] if self.objects else []
        words += ["--objects", f"array:{self.array}"] if self.array else []
        return _start("convert", *self.given, "-o", self.output, *words, *self.times)[0]

    def by_python(self) -> str:
        self._claim()
        if not self.options["quiet"]:
            sys.stderr.write(plain("".join(self.notes)))
        folder, name = os.path.split(self.output)
        made = os.path.join(folder, f".{name}.import-{secrets.token_hex(4)}.vtkhdf")
        try:
            notes = self._read(made)
            options = dict(self.options, weld=None) if self.objects else self.options
            command = ["convert", made, "-o", self.output, *_words(options)]
            said, warned, _ = _call(command, renamed=self._renamed(made))
        finally:
            if os.path.exists(made):
                os.unlink(made)
        sys.stderr.write(plain(notes))
        sys.stderr.write(warned)
        return said

    def _renamed(self, made: str) -> Callable[[str], str]:
        """The temporary file in messages becomes what the caller gave."""
        others = len(self.files) - 1
        shown = self.files[0] + (f" and {others} more" if others else "")
        return lambda text: text.replace(plain(made), plain(shown))

    def _claim(self) -> None:
        """What the program would refuse at the end, after all was read."""
        if "-" in self.files:
            raise _bad("-, standard input, is read for OBJ alone")
        read = [*self.files, *filter(None, [self.cache.mesh])]
        if any(_is_same(file, self.output) for file in read):
            raise _bad(f"-o: {self.output}: this is what is read; it is not replaced")
        claim(self.output, self.options["force"], "--force")

    def _read(self, made: str) -> str:
        """A child process reads the files. Returns what it found in them that is no error."""
        order = self.order or ("given" if self.objects else "natural")
        names = self.times if "names" in self.times else []
        times = None
        if names or len(self.files) > 1:
            self.files, times = ask(self.files, ["--order", order, *names], self.objects)
        return _child(
            {
                "as": "objects" if self.objects else "frames",
                "files": self.files,
                "groups": self.groups,
                "cache": self.cache,
                "skin": self.options["skin"],
                "array": self.array,
                "weld": self.options["weld"],
                "words": self.times,
                "of_names": times if names else None,
                "into": made,
            },
            sys.stderr.fileno() if wanted(self.progress, self.options["quiet"]) else None,
        )


@contextmanager
def _copy(descriptor: int | None) -> Any:
    if descriptor is None:
        yield None
        return
    copy = os.dup(descriptor)
    try:
        yield copy
    finally:
        os.close(copy)


def _child(work: dict, progress: int | None) -> str:
    """What importers/child.py has made of it; its progress goes to this file descriptor."""
    command = [sys.executable, "-m", "impinge.importers.child"]
    path = os.pathsep.join(folder or os.getcwd() for folder in sys.path)
    environment = dict(os.environ, PYTHONPATH=path)
    # not as its number 2, which takes what libraries print
    with _copy(progress) as copy:
        work = dict(work, progress=copy)
        passed = () if copy is None else (copy,)
        out, noise, code = _run(command, input=json.dumps(work), env=environment, pass_fds=passed)
    told = [json.loads(line) for line in out.splitlines()]
    last = told[-1] if told else {}
    if "error" in last:
        raise error(last["error"], last["text"])
    if "done" in last:
        return last["done"]
    if "file" in last and code < 0:
        raise error(lib.IMP_ERR_INPUT, f"{last['file']}: its reader ended by signal {-code}")
    said = (noise.strip().splitlines() or [f"it ended with {code}"])[-1]
    raise error(lib.IMP_ERR_INPUT, f"{last.get('file', work['files'][0])}: its reader: {said}")


# ---- the command line


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> Any:
        raise _bad(message)


def _joints(text: str) -> dict[str, float]:
    """NAME=VALUE,NAME=VALUE; argparse makes an error of a ValueError."""
    pairs = (item.rpartition("=") for item in text.split(","))
    return {name: float(value) for name, _, value in pairs}


def _parser() -> argparse.ArgumentParser:
    parser = _Parser("impinge convert", add_help=False)
    parser.add_argument("files", nargs="*")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--as", dest="as_", default="frames", choices=("frames", "objects"))
    parser.add_argument("--order", choices=("natural", "given"))
    parser.add_argument("--dt", type=float)
    parser.add_argument("--times")
    parser.add_argument("--groups", action="store_true")
    parser.add_argument("--objects")
    parser.add_argument("--skin", action="store_true")
    parser.add_argument("--weld", type=float)
    parser.add_argument("--float32", action="store_true")
    parser.add_argument("--joints", type=_joints)
    parser.add_argument("--between", choices=BETWEEN)
    parser.add_argument("--samples", choices=SAMPLES)
    parser.add_argument("--purpose")
    parser.add_argument("--mesh")
    parser.add_argument("--force", action="store_true")
    parser.add_argument("--progress", default="auto", choices=("auto", "always", "never"))
    parser.add_argument("-q", "--quiet", action="store_true")
    return parser


def wants(words: list) -> bool:
    """Is a file among the words of `impinge convert` that Python has to read? What is not a valid
    command is for the program, which says so."""
    parser = _parser()
    parser.add_argument("-h", "--help", action="store_true")
    parser.add_argument("-V", "--version", action="store_true")
    try:
        found = parser.parse_intermixed_args(words)
    except Exception:
        return False
    return not (found.help or found.version) and _wants(found.files, found.output)


def _wants(files: list, output: str) -> bool:
    try:
        files, _ = expand(files, output, list)
    except ImpingeError:
        return any(map(is_folder, files))
    return not all(map(of_program, files))


def main(words: list) -> None:
    """impinge convert, with the words after it."""
    options = vars(_parser().parse_intermixed_args(words))
    _Work.progress = options.pop("progress")
    sys.stdout.write(convert(options.pop("files"), options.pop("output"), **options))
