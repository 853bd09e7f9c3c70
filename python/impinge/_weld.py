"""Vertices that are one: the rules of impinge_weld.h."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ._library import ArgumentError, check, ffi, lib, tell


class Welding(NamedTuple):
    """Which vertices are one, and what is not certain."""

    map: np.ndarray  #: (n,) uint32: the first of the vertices that each is one with
    tolerance: float
    open: int  #: edges at which nothing is joined, as it is not certain which are neighbours
    open_primitive: int  #: the first with such an edge
    split: int  #: edges of more than two triangles that closed bodies share
    split_primitive: int


def tolerance_of(weld: Any) -> float | None:
    """The argument `weld`."""
    if weld is None:
        return None
    number = isinstance(weld, (int, float, np.integer, np.floating)) and weld is not True
    if not number or weld is False or not (0 <= weld and math.isfinite(weld)):
        raise ArgumentError(f"weld: {weld!r} is not a distance: 0, or more")
    return float(weld)


def weld(frames: Any, count: int, vertices: int, tolerance: float) -> Welding:
    """frames: imp_frame[count] of one mesh, in all of which vertices are one."""
    found = np.empty(vertices, np.uint32)
    info = ffi.new("imp_weld_info *")
    into = ffi.cast("uint32_t *", ffi.from_buffer(found)) if vertices else ffi.NULL
    check(lib.imp_weld(frames, count, tolerance, into, info))
    return Welding(
        found, tolerance, info.open, info.open_primitive, info.split, info.split_primitive
    )


def holds(welding: Welding, frame: Any) -> bool:
    """Are the vertices that are one within the tolerance of each other in this frame, too? frame:
    imp_frame *."""
    yes = ffi.new("int *")
    own = welding.map if len(welding.map) else np.zeros(1, np.uint32)
    check(lib.imp_weld_holds(frame, welding.tolerance, ffi.from_buffer("uint32_t[]", own), yes))
    return bool(yes[0])


# what is said of edges: imp_weld_info
OPEN = (
    "with more than two triangles, or two in one direction: it is not certain which are "
    "neighbours, and none is joined there"
)
SPLIT = "with more than two triangles: they are closed bodies, one after another, which stay apart"


def say(welding: Any) -> None:
    """Warns of what is not certain."""
    of = (
        (welding.open, welding.open_primitive, OPEN),
        (welding.split, welding.split_primitive, SPLIT),
    )
    for count, first, text in of:
        where = f"the first is of triangle {first}" if count > 1 else f"of triangle {first}"
        if count:
            tell(f"weld: {count} edge{'s' * (count > 1)} ({where}) {text}")


def unwelded(frame: Any, primitives: int) -> str:
    """What is to be said of neighbours that share no vertex, or nothing. frame: imp_frame *."""
    yes, fraction = ffi.new("int *"), ffi.new("double *")
    if lib.imp_is_unwelded(frame, yes, fraction) or not yes[0]:
        return ""  # what is wrong with a mesh is for the call that computes
    return (
        f"no two of {primitives} primitives share a vertex, though {100 * fraction[0]:.0f} % of their "
        "edges or faces are those of a neighbour, too: all neighbours are contacts"
    )


def say_unwelded(frame: Any, primitives: int) -> bool:
    """Warns of such a mesh; True if it did."""
    said = unwelded(frame, primitives)
    if said:
        tell(f"{said}; weld=0 joins them")
    return bool(said)
