"""The frames that a pipeline is given one after another, and the two of a step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ._arrays import Mesh, points_of
from ._library import ArgumentError, lib
from ._meshes import Given, arguments_of, is_mesh
from ._names import names_of


def step_of(
    points0: Any, points1: Any, triangles: Any, objects: Any, corner_count: Any, names: Any
) -> tuple[np.ndarray, np.ndarray, Given]:
    """The arguments of `between`: points before and after, and the mesh."""
    if triangles is not None:
        at, given = arguments_of(points0, triangles, objects, corner_count, names, "points0")
        return at, points_of(points1, "points1"), given
    at, given = arguments_of(points0, None, objects, corner_count, names, "points0")
    to, after = arguments_of(points1, None, objects, corner_count, names, "points1")
    if len(at) != len(to) or not given.is_same(after):
        raise ArgumentError(f"points1: a mesh with {_DIFFERS} points0")
    return at, to, given


_DIFFERS = "other triangles, objects or numbers of points than"


def check_goes_on(last: Sequence[np.ndarray], before: Given | None, given: Given, at: int) -> None:
    """Between frames only vertices move."""
    if last and before is not given:
        raise ArgumentError(f"frame {at}: a mesh with {_DIFFERS} frame {at - 1}, with continuous=True")


def blocks_of(
    pipeline: Any, positions: Iterable[Any], rest: tuple[Any, Any, Any, Any]
) -> Iterator[tuple[list[np.ndarray], Given]]:
    """Lists of frames, and their mesh: of an array as many as are fastest, else one, which may be
    written to as soon as its contacts are there. rest: triangles, objects, corner_count, names."""
    single = isinstance(positions, np.ndarray) or (not isinstance(positions, tuple) and is_mesh(positions))
    if rest[0] is None and single:
        what = "are no meshes" if isinstance(positions, np.ndarray) else "a mesh, not a sequence of them"
        raise ArgumentError(f"positions: {what}; triangles are missing")
    _check_positions(positions, rest[0])
    before: tuple[int, Given] | None = None
    if rest[0] is None:
        for mesh in positions:
            points, given = arguments_of(mesh, *rest, "positions")
            if before and before[0] == len(points) and before[1].is_same(given):
                given = before[1]
            before = len(points), given
            yield [points], given
        return
    given = Given(*rest[:3], names_of(rest[3]))
    if not isinstance(positions, np.ndarray) or positions.ndim != 3:
        for points in positions:
            yield [points_of(points, "positions")], given
        return
    count = 1
    if pipeline._p:
        count = lib.imp_block_frames(pipeline._p, positions.shape[1], len(rest[0]))
    for at in range(0, len(positions), count):
        yield [points_of(points, "positions") for points in positions[at : at + count]], given


def _check_positions(positions: Any, triangles: Any) -> None:
    if positions is None:
        raise ArgumentError("positions: None, not an iterable of points (n, 3), or of meshes")
    whole = isinstance(positions, np.ndarray) and positions.dtype.kind in "iu" and positions.ndim == 2
    if whole and triangles is not None:
        raise ArgumentError("positions: integers (m, 3), as triangles are; these come after the positions")


def held(mesh: Mesh, points: list) -> list:
    """As many of these frames as the mesh is right for; it is for the first."""
    count = 1
    while count < len(points) and mesh.holds(points[count : count + 1]):
        count += 1
    return points[:count]


def check_distinct(last: Sequence[np.ndarray], points: Sequence[np.ndarray]) -> None:
    if last and np.may_share_memory(last[0], points[0]):
        raise ValueError("positions: the same array again, so the frame before is lost; use copy()")
