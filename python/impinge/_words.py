"""The words of options, as type checkers need them: texts. A test compares them with those of the
library and of the program."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Literal, TypedDict, Union

Path = Union[str, "os.PathLike[str]"]
#: "auto", "cpu", "opencl", part of a device's name, or its number
Device = Union[str, int]

Adjacent = Literal["skip", "test"]
Broad = Literal["auto", "rtree", "grid", "hash", "tiles", "tree", "brute"]
Build = Literal["top-down", "bottom-up"]
ContactKinds = Literal["all", "crossing"]
Descent = Literal["environment-first", "simultaneous"]
InsideOpen = Literal["error", "skip"]
InsideWinding = Literal["nonzero", "positive"]
OnBad = Literal["error", "skip"]
Pairs = Literal["all", "self", "between"]
Rows = Literal["contacts", "primitives", "features", "objects", "vertices"]
Stage = Literal["contacts", "candidates"]
Update = Literal["rebuild", "auto", "keep"]
Volume = Literal["dop", "sphere", "obb", "hybrid"]

NearRows = Literal["primitives", "features"]

# ---- of convert

As = Literal["frames", "objects"]
Between = Literal["interpolated", "held"]
Order = Literal["natural", "given"]
Samples = Literal["all", "range"]

# ---- of run

Objects = Union[Path, Iterable[tuple[Union[int, str], Union[int, str]]]]


class ReportOptions(TypedDict, total=False):
    """Options of `impinge.report` of arrays: those of `RunOptions` that it has no argument for."""

    adjacent: Adjacent
    allowed: Iterable[tuple[Union[int, str], Union[int, str]]]
    baseline: int
    block: int
    broad: Broad
    build: Build
    cell: float
    collide_txt: Path
    contacts: ContactKinds
    continuous: bool
    contours: Path
    counts: Path
    csv: Path
    degree: int
    descent: Descent
    device: Device
    distance: float
    dop: Literal[6, 8, 14, 18, 26]
    end_features: bool
    fail_on_collision: bool
    hybrid_level: int
    inside: Union[bool, str, Iterable[Union[int, str]]]
    inside_open: InsideOpen
    inside_winding: InsideWinding
    leaf: int
    mem_limit: Union[int, str]
    min_separation: float
    object_pairs: Objects
    object_pairs_exclude: Objects
    on_bad: OnBad
    pairs: Pairs
    progress: Literal["auto", "always", "never"]
    quiet: bool
    regions: Path
    resume: bool
    ring: int
    rows: Rows
    shard: str
    space: int
    stage: Stage
    thickness: Union[float, Path]
    threads: int
    tolerance: float
    update: Update
    verbose: bool
    verify: int
    volume: Volume


class RunOptions(ReportOptions, total=False):
    """Options of `impinge.run`: those of `impinge help run`, with _ for -."""

    force: bool
    frames: Union[int, str, slice, range, tuple[int, int]]
    json: Union[bool, Path]
    objects: str
