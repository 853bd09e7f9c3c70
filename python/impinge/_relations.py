"""How the objects of a frame stand to each other: imp_relation and imp_swallowed."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np

from ._library import ffi, lib, words

Relation = IntEnum(  # type: ignore[misc]
    "Relation",
    {name.upper().replace("-", "_"): value for name, value in words("imp_relation_kind").items()},
)
Relation.__doc__ = """How two objects stand to each other, at least one of which is closed: APART (no
common point), TOUCHING (common points, but the interiors are disjoint), CROSSING (the interiors meet,
and neither contains the other), A_IN_B, B_IN_A (one contains the other). Of an object that is not
closed its surface counts instead of its interior."""

_types = {
    "int32_t": np.int32,
    "int": np.int32,
    "uint32_t": np.uint32,
    "uint64_t": np.uint64,
    "size_t": np.uint64,
    "double": np.float64,
}
_renamed = {"in": "within"}  # a word of Python


def record_of(struct: str) -> np.dtype:
    """A record with the members of a struct of impinge.h."""
    kind, names, formats, offsets = ffi.typeof(struct), [], [], []
    for name, field in kind.fields:
        of = field.type
        length = (of.length,) if of.kind == "array" else ()
        names.append(_renamed.get(name, name))
        formats.append((_types[(of.item if length else of).cname], length))
        offsets.append(field.offset)
    size = ffi.sizeof(kind)
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": size})


def _taken(rows: Any, member: str, count: int, dtype: np.dtype) -> np.recarray:
    """Records over the library's memory, which they free at their end."""
    memory = getattr(rows, member)
    if not count:
        return np.zeros(0, dtype).view(np.recarray)
    setattr(rows, member, ffi.NULL)
    owned = ffi.gc(ffi.cast("void *", memory), lib.rows_free_array)
    found = np.frombuffer(ffi.buffer(owned, count * dtype.itemsize), dtype)
    return found.view(np.recarray)


relation_dtype, swallowed_dtype = record_of("imp_relation"), record_of("imp_swallowed")

# The datasets of a result with each column.
stored_columns: dict[str, dict[str, tuple[str, ...]]] = {
    "relations": {
        "a": ("ObjectA",),
        "b": ("ObjectB",),
        "relation": ("Relation",),
        "contacts": ("Contacts",),
        "inside": ("InsideA", "InsideB"),
        "touching": ("TouchingA", "TouchingB"),
        "depth": ("DepthA", "DepthB"),
        "deepest": ("DeepestA", "DeepestB"),
    },
    "swallowed": {
        "object": ("Object",),
        "within": ("In",),
        "primitive": ("Primitive",),
        "primitives": ("Primitives",),
        "vertices": ("Vertices",),
    },
}


def take_relations(rows: Any) -> tuple[np.recarray, np.recarray]:
    """The relations and the swallowed parts of a frame, which are moved out of `rows`."""
    return (
        _taken(rows, "relation", rows.relations, relation_dtype),
        _taken(rows, "swallowed", rows.swallowed_parts, swallowed_dtype),
    )
