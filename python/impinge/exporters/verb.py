"""impinge.export, and the same as a verb of the command line."""

from __future__ import annotations

import argparse
import math
import os
import sys
from contextlib import ExitStack
from typing import Any

import numpy as np

from .._library import install
from ..program import Name, plain
from .given import Given, bad, given, wrong
from .stage import RATE, Metadata, Output, check_output, codes_of, known_of, library_for
from .usd import Survey, Writer, survey

COLOURS, CODES, AXES = ("objects", "kind"), ("seconds", "frames"), ("Y", "Z")


def export(
    result: Any,
    output: Name,
    batch: Any = None,
    *,
    contours: Name | None = None,
    heat: bool = True,
    colors: str = "objects",
    width: float | None = None,
    codes: str = "seconds",
    rate: float | None = None,
    up: str | None = None,
    unit: float | None = None,
    force: bool = False,
) -> str:
    """Writes what was found as USD (.usda, .usdc, .usd), for viewers and other programs, and returns
    what is in it, as a line of text. `pip install 'impinge[io]'`.

    result: a file of `impinge run` or `pcs`, or one of its files of --contours, --counts or --regions,
        as a path or open; or `Contacts` or `Contours` of a frame, or a list of them.
    batch: the input of the result, without it that which the result names; of contacts in memory a
        `Frame`, (points, triangles, objects) or a mesh, for all of them, or a list of one for each.
    contours: the file of --contours of this result. Without it contours are found where the result
        has `EndFeatures` and the batch is known.
    heat: with meshes of the batch, which are coloured by the number of contacts of each face.
    colors: of contacts, by "objects" or by "kind". width: of lines, in the unit of the points; without
        it a five hundredth of the extent.
    codes: time codes are "seconds", times multiplied with timeCodesPerSecond, or "frames", the
        numbers of frames. rate: timeCodesPerSecond. up: upAxis, "Y" or "Z". unit: metersPerUnit.
        Without these three those of the USD file that the batch was made of, if it is there; else
        24 time codes a second, and neither of the others.
    force: replaces `output`.

    Prims, under /impinge: contacts/segments and contacts/points, contours/open and contours/closed,
    heat/NAME for each object; data/format.md lists them with their primvars. Each has a sample at each
    frame, also an empty one. Points are float32, the nearest to those of the result, and other numbers
    have all bits. What cannot be written leaves `output` as it was. Of .usdc and .usd at most 64 MiB of
    samples are in memory, of .usda all.
    """
    path = os.fspath(output)
    _check(colors, codes, width, rate, up, unit)
    with ExitStack() as open_files:
        check_output(path, _read(result, batch, contours), force)
        library = library_for(path)
        found = given(result, batch, contours, heat, open_files.enter_context)
        known = known_of(library, found.sources, _folder_of(found))
        metadata = Metadata(
            rate or known.rate or RATE, known.frames_rate, up or known.up, unit or known.unit
        )
        at = _codes(found, codes, metadata)
        return _written(library, path, found, at, metadata, colors, width)


def _check(colors: str, codes: str, width: Any, rate: Any, up: Any, unit: Any) -> None:
    if colors not in COLOURS:
        raise bad("colors is objects or kind")
    if codes not in CODES:
        raise bad("codes is seconds or frames")
    if up not in (None, *AXES):
        raise bad("up is Y or Z")
    for name, value in (("width", width), ("rate", rate), ("unit", unit)):
        if value is not None and not (value > 0 and math.isfinite(value)):
            raise bad(f"{name}: {value} is no positive number")


def _read(*given: Any) -> list:
    """Files that must not be replaced."""
    files = [getattr(getattr(one, "file", None), "filename", one) for one in given]
    return [file for file in files if isinstance(file, (str, os.PathLike))]


def _folder_of(found: Given) -> str | None:
    batch = getattr(found, "_batch", None)
    return None if batch is None else batch.file.filename


def _codes(found: Given, how: str, metadata: Metadata) -> list:
    """Of all moments."""
    if found.times is None:
        return [None]
    assert metadata.rate is not None
    made = found.frames.astype(np.float64)
    if how == "seconds":
        made = codes_of(np.asarray(found.times), metadata.rate)
    order = np.argsort(made, kind="stable")
    same = np.flatnonzero(np.diff(made[order]) == 0)
    if len(same):
        one, other = sorted(order[same[0] : same[0] + 2].tolist())
        hint = "; --codes frames takes their numbers" if how == "seconds" else ""
        raise wrong(f"frames {one} and {other} of the result have the same time code{hint}")
    return made.tolist()


def _written(
    library: Any, path: str, found: Given, codes: list, metadata: Metadata, colors: str, width: Any
) -> str:
    seen = survey(found, width)
    output = Output(library, path, metadata)
    try:
        writer = Writer(library, output, found, seen, colors == "kind")
        output.ranged(np.array([code for code in codes if code is not None]))
        for k, code in enumerate(codes):
            writer.add(k, code)
        size = output.finish()
    finally:
        output.discard()
    return _said(path, found, seen, writer, metadata, size)


def _plural(count: int, what: str, several: str = "s") -> str:
    return f"{count:,} {what}{'' if count == 1 else several}"


def _said(
    path: str, found: Given, seen: Survey, writer: Writer, metadata: Metadata, size: int
) -> str:
    parts = [_plural(len(found), "frame")]
    parts += [_plural(seen.contacts, "contact")] * ("contacts" in found.parts)
    parts += [_plural(writer.curves, "contour")] * ("curves" in found.parts)
    parts += [_plural(len(writer.objects), "mesh", "es")] * ("heat" in found.parts)
    lines = [f"{path}: {', '.join(parts)}, {size:,} bytes"]
    lines += found.notes
    missing = [
        name
        for name, value in (("upAxis", metadata.up), ("metersPerUnit", metadata.unit))
        if not value
    ]
    if missing:
        lines.append(f"{' and '.join(missing)}: not known, and not in it (--up, --unit)")
    return "".join(line + "\n" for line in lines)


# ---- the command line


def _parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="impinge export",
        description="writes what was found as USD: contacts as lines and points, contours as curves, "
        "and the meshes, coloured by the number of contacts",
        epilog=f"Of the Python package: {install('io')}.",
    )
    made.add_argument(
        "result",
        metavar="RESULT",
        help="a file that impinge run wrote, also by --contours, --counts, --regions",
    )
    made.add_argument("-o", "--output", metavar="FILE", required=True, help=".usda, .usdc or .usd")
    made.add_argument("--batch", metavar="BATCH", help="the input of the result, if it has moved")
    made.add_argument(
        "--contours", metavar="FILE", help="the file of run --contours of this result"
    )
    made.add_argument("--no-heat", action="store_true", help="without the meshes of the batch")
    made.add_argument(
        "--colors", choices=COLOURS, default="objects", help="of contacts (default: objects)"
    )
    made.add_argument("--width", metavar="W", type=float, help="of lines (default: extent / 500)")
    made.add_argument(
        "--codes", choices=CODES, default="seconds", help="time codes: times, or numbers of frames"
    )
    made.add_argument(
        "--rate",
        metavar="R",
        type=float,
        help="timeCodesPerSecond (default: of the USD that the batch is of, or 24)",
    )
    made.add_argument("--up", choices=AXES, help="upAxis (default: likewise, or none)")
    made.add_argument(
        "--unit", metavar="M", type=float, help="metersPerUnit (default: likewise, or none)"
    )
    made.add_argument("--force", action="store_true", help="replace FILE")
    made.add_argument("-q", "--quiet", action="store_true", help="print nothing but errors")
    return made


def main(words: list[str]) -> None:
    """impinge export, with the words after it."""
    options = vars(_parser().parse_args(words))
    silent, options["heat"] = options.pop("quiet"), not options.pop("no_heat")
    said = export(options.pop("result"), options.pop("output"), **options)
    if not silent:
        sys.stdout.write(plain(said))
