"""The words of options, as type checkers need them: texts. A test compares them with those of the
library and of the program."""

from __future__ import annotations

from typing import Literal, Union

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
