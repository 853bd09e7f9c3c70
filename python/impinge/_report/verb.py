"""impinge report RESULT -o PAGE.html, on the command line."""

from __future__ import annotations

import argparse

from .._library import ArgumentError, install
from ..program import plain
from . import FRAMES, SIZE, report
from .words import plural, size


def _parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="impinge report",
        description="writes a page about a result, one file of HTML that can be mailed: events, "
        "frames in 3D, a picture, a timeline, and the worst contacts",
        epilog=f"Of the Python package: {install('report')}. It loads nothing from a net.",
    )
    made.add_argument("result", metavar="RESULT", help="a file that impinge run wrote")
    made.add_argument(
        "-o", "--output", metavar="PAGE.html", required=True, help="the file to write"
    )
    made.add_argument("--input", metavar="BATCH", help="the input of the result, if it has moved")
    made.add_argument(
        "--frames", metavar="N", type=int, default=FRAMES, help="in 3D at most (default: 60)"
    )
    made.add_argument(
        "--size", metavar="MB", type=float, default=SIZE / 1e6, help="of the page (default: 20)"
    )
    made.add_argument("--force", action="store_true", help="replace PAGE.html")
    made.add_argument(
        "-q", "--quiet", action="store_true", help="print nothing but warnings and errors"
    )
    return made


def main(words: list[str]) -> None:
    given = _parser().parse_args(words)
    how = dict(input=given.input, force=given.force, frames=given.frames, size=int(given.size * 1e6))
    try:
        made = report(given.result, given.output, **how)
    except ArgumentError as what:
        what.args = (str(what).replace("force=True replaces it", "--force replaces it"),)
        raise
    if not given.quiet:
        print(plain(_said(given.output, made)))


def _said(output: str, made: dict) -> str:
    drawn = plural(made["frames_drawn"], "frame") + " in 3D"
    notes = [made[name] for name in ("left_out", "not_drawn") if made[name]]
    return ". ".join([f"{output}: {size(made['bytes'])}, {drawn}", *notes])
