"""A result as one page of HTML that can be mailed: it loads nothing but itself."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from .._library import ArgumentError, ImpingeError, error, install, lib
from .._names import check_option
from .._words import ReportOptions
from ..program import Name, plain, run_job

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .sums import Sums

FRAMES = 60
SIZE = 20_000_000
LASTING = ("version", "options", "device")  # of a result's origin, when its files are gone
LEAST_SIZE = 100_000  # for a page without 3D


@overload
def report(
    source: Name,
    page: Name,
    /,
    *,
    input: Name | None = None,
    force: bool = False,
    frames: int = FRAMES,
    size: int = SIZE,
) -> dict: ...


@overload
def report(
    source: Name,
    *,
    output: Name,
    input: Name | None = None,
    force: bool = False,
    frames: int = FRAMES,
    size: int = SIZE,
) -> dict: ...


@overload
def report(
    source: Any,
    triangles: Any = None,
    objects: Any = None,
    *,
    output: Name,
    names: Any = None,
    times: Iterable[float] | None = None,
    corner_count: Any = None,
    force: bool = False,
    frames: int = FRAMES,
    size: int = SIZE,
    **options: Unpack[ReportOptions],
) -> dict: ...


def report(
    source: Any,
    triangles: Any = None,
    objects: Any = None,
    *,
    output: Name | None = None,
    names: Any = None,
    times: Iterable[float] | None = None,
    corner_count: Any = None,
    input: Name | None = None,
    force: bool = False,
    frames: int = FRAMES,
    size: int = SIZE,
    **options: Any,
) -> dict:
    """Writes a page about contacts: `pip install 'impinge[report]'`.

        impinge.report("contacts.vtkhdf", "page.html")
        impinge.report(positions, triangles, objects, output="page.html", names=["cloth", "ball"])
        impinge.report({"arm": arm, "base": base}, output="page.html", distance=0.1)

    source: a file of `impinge run`; then the page is the second argument, or `output`. Or positions,
        a mesh, meshes or a batch, as of `impinge.write`, with triangles, objects, names, times and
        corner_count as there: contacts are found first, by `impinge.run` with all other options. Batch
        and result are then in a temporary folder, which goes with the call.
    input: the batch of a result, if that has been moved; without it there is no 3D.
    frames: at most so many are in the 3D view. size: of the page, in bytes; where the view would be
        larger, it has fewer frames, then fewer faces, and says so. force: replaces the output.

    Returns the sums on the page (`frames`, `frames_with_contacts`, `contacts`), `bytes`,
    `frames_drawn`, and in `left_out` and `not_drawn` what the page says of that, or "".

    Errors: those of `impinge.write` and `impinge.run`; `InputError` for what is no result.
    """
    output, triangles = _page(output, triangles)
    out = Path(output)
    made = dict(names=names, times=times, corner_count=corner_count)
    if not isinstance(source, (str, os.PathLike)):
        if input is not None:
            raise error(lib.IMP_ERR_ARGUMENT, "input: the batch of a result file; here are arrays")
        for name in options:
            check_option(name, ReportOptions.__annotations__, kind=ArgumentError)
        _check_arguments(out, (), force, frames, size)
        _check_packages()
        made.update(triangles=triangles, objects=objects)
        return _of_arrays(source, made, options, out, frames, size)
    for name, value in dict(made, triangles=triangles, objects=objects, **options).items():
        if value is not None:
            raise TypeError(f"{name}: is for arrays; {os.fspath(source)!r} is a file of a result")
    path = Path(source)
    _check_arguments(out, (path, input), force, frames, size)
    _check_packages()
    with _opened(path) as opened:
        return _written(opened, path, out, input, frames, size)


def _page(output: Any, second: Any) -> tuple[Name, Any]:
    """The page, and the triangles: either may be the second argument."""
    if not isinstance(second, (str, os.PathLike)):
        if output is None:
            raise TypeError('report() needs output="page.html"')
        return output, second
    if output is not None:
        raise TypeError(f"triangles: {os.fspath(second)!r} is a path, and output is given")
    return second, None


def _of_arrays(
    source: Any, given: dict, options: dict, out: Path, frames: int, size: int
) -> dict:
    from .._write import write_batch

    with tempfile.TemporaryDirectory(prefix="impinge-") as where:
        batch, result = Path(where, "batch.vtkhdf"), Path(where, out.stem)

        def renamed(text: str) -> str:
            text = text.replace(plain(str(batch)), "positions")
            return text.replace(plain(str(result)), plain(str(out)))

        try:
            write_batch(batch, source, durable=False, **given)
            run_job(batch, result, options, renamed)
            with _opened(result) as opened:
                return _written(opened, result, out, batch, frames, size, temporary=True)
        except ImpingeError as what:
            told = type(what)(renamed(str(what)))
            told.code = what.code
            raise told from what


def _check_arguments(out: Path, read: tuple, force: bool, frames: int, size: int) -> None:
    if out.suffix.lower() not in ("", ".html", ".htm"):
        text = f"output: {out}: a page of HTML is written here, whatever its name; use .html"
        raise error(lib.IMP_ERR_ARGUMENT, text)
    if frames < 1:
        raise error(lib.IMP_ERR_ARGUMENT, f"frames: {frames} is less than 1")
    if size < LEAST_SIZE:
        raise error(lib.IMP_ERR_ARGUMENT, f"size: {size} is less than {LEAST_SIZE} bytes")
    for other in read:
        if other is not None and out.exists() and _is_same(out, other):
            raise error(lib.IMP_ERR_ARGUMENT, f"{out}: is the result or its input")
    if out.exists() and not force:
        raise error(lib.IMP_ERR_EXISTS, f"{out}: exists already; force=True replaces it")


def _is_same(out: Path, other: Name) -> bool:
    return os.path.exists(other) and os.path.samefile(out, other)


def _check_packages() -> None:
    try:
        import h5py  # noqa: F401
        import k3d  # noqa: F401
    except ImportError as what:
        message = f"report needs {what.name or 'h5py and k3d'}: {install('report')}"
        raise error(lib.IMP_ERR_ARGUMENT, message) from what


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """A result, or an error that names the file, the dataset and what is wrong."""
    from ..files import Result, open

    def refused(where: str, why: str) -> Exception:
        return error(lib.IMP_ERR_INPUT, f"{path}: {where}{why}")

    try:
        opened = open(path)
    except OSError as what:
        missing = not path.exists()
        raise refused("", "no such file" if missing else f"cannot be read: {what}") from what
    except KeyError as what:
        raise refused("/VTKHDF: ", "missing; not a result of impinge") from what
    with opened:
        if not isinstance(opened, Result):
            raise refused("/VTKHDF/CellData/PrimitiveA: ", "missing; not a result of impinge")
        if "frames_done" not in opened.file.get("impinge", {}):
            raise refused("/impinge/frames_done: ", "missing; not a result of impinge")
        yield opened


def _sums(opened: Any, path: Path) -> Sums:
    from .sums import Sums

    try:
        return Sums(opened)
    except (KeyError, ValueError, OSError) as what:
        message = f"{path}: damaged, or not a result of impinge: {what}"
        raise error(lib.IMP_ERR_INPUT, message) from what


def _written(
    opened: Any,
    path: Path,
    out: Path,
    input: Any,
    frames: int,
    size: int,
    temporary: bool = False,
) -> dict:
    """temporary: the files go with the call, and so the page does not name them."""
    from .batch import source
    from .making import made

    sums = _sums(opened, path)
    found = source(opened, sums, path, input)
    if temporary:
        sums.origin = {name: sums.origin[name] for name in LASTING if name in sums.origin}
    if found.batch is not None and out.exists() and _is_same(out, found.batch.file.filename):
        raise error(lib.IMP_ERR_ARGUMENT, f"{out}: is the input of the result")
    try:
        text, shown, reason = made(opened, sums, found, path, frames, size)
    finally:
        if found.batch is not None:
            found.batch.close()
    data = text.encode()
    _replace(out, data)
    return {
        "frames": sums.frames,
        "frames_with_contacts": len(sums.hit),
        "contacts": sums.total,
        "bytes": len(data),
        "frames_drawn": shown.frames if shown else 0,
        "left_out": shown.left_out if shown else "",
        "not_drawn": reason,
    }


def _replace(out: Path, data: bytes) -> None:
    """Writes a file beside it first, so that what was there stays until all is written."""
    made = None
    try:
        with tempfile.NamedTemporaryFile(dir=out.parent, prefix=out.name, delete=False) as file:
            made = file.name
            file.write(data)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(made, 0o666 & ~mask)
        os.replace(made, out)
    except OSError as what:
        if made is not None:
            with contextlib.suppress(OSError):
                os.unlink(made)
        raise error(lib.IMP_ERR_FILE, f"{out}: cannot be written: {what.strerror}") from what
