"""What one asks of caches: files whose objects have samples in time."""

from __future__ import annotations

from typing import NamedTuple

BETWEEN = ("interpolated", "held")
SAMPLES = ("all", "range")
PURPOSES = ("default", "render", "proxy", "guide")


class CacheOptions(NamedTuple):
    """`between`: what an object is at a time at which it has no sample. `samples`: all are frames,
    or those in the range of time codes that a stage of USD names. `purpose`: of the prims of USD
    that are read. `mesh`: the OBJ file that has the faces of a cache of points; without it, the one
    of the same name."""

    between: str = "interpolated"
    samples: str = "all"
    purpose: tuple = ("default", "render")
    mesh: str | None = None
