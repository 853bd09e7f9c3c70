"""What one asks of caches: files whose objects have samples in time."""

from __future__ import annotations

from typing import NamedTuple

BETWEEN = ("interpolated", "held")


class CacheOptions(NamedTuple):
    """`between`: what an object is at a time at which it has no sample. `mesh`: the OBJ file that
    has the faces of a cache of points; without it, the one of the same name."""

    between: str = "interpolated"
    mesh: str | None = None
