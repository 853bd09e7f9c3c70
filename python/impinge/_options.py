"""The options of a pipeline: imp_def of impinge.h."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from typing import Any, TypedDict

import numpy as np

from ._arrays import column_of, unmasked
from ._library import ArgumentError, ffi, lib, words
from ._names import check_option, object_number
from ._words import (
    Broad,
    Build,
    ContactKinds,
    Descent,
    InsideOpen,
    InsideWinding,
    OnBad,
    Rows,
    Stage,
    Volume,
)


class NearOptions(TypedDict, total=False):
    """Those of `Options` that `near` has among others, without `distance`, `thickness` and `rows`."""

    threads: int
    broad: Broad
    dop_k: int
    cell: float
    volume: Volume
    build: Build
    descent: Descent
    degree: int
    leaf: int
    hybrid_level: int
    stage: Stage
    contacts: ContactKinds
    on_bad: OnBad
    object_pairs: Any
    object_pairs_exclude: Any
    solids: bool
    inside: Any
    inside_open: InsideOpen
    inside_winding: InsideWinding
    end_features: bool
    ring: int
    min_separation: float
    tolerance: float
    mem_limit: int
    block: int
    verify: int
    expect: int


class Options(NearOptions, total=False):
    """Options of every function and class that finds contacts, besides `adjacent`, `pairs` and
    `device`; `impinge.h` says more.

    threads: of the host; 0 is all, but one for frames of up to some 4,000 primitives.
    broad: "auto", "rtree", "grid", "hash", "tiles", "tree" or "brute".
    stage: "contacts", or "candidates": pairs whose bounds overlap.
    contacts: "all", or "crossing": contacts that only touch are left out, those with `crossing` 0. Not
        between frames, with `distance`, `thickness`, rows="objects" or stage="candidates".
    on_bad: "error" or "skip": primitives with vertices that are NaN or infinite.
    object_pairs: a list of pairs of objects, or (n, 2) integers: only these are tested. An object is its
        number or, where it has one, its name. object_pairs_exclude: such a list: all others are tested;
        or True: so is `object_pairs` meant. `allowed` of functions and classes is the same. A choice of
        pairs that leaves none to test in a call is an ArgumentError.
    solids: contacts have `depth` and `collision`.
    distance: pairs that are at most so far apart, instead of contacts: see `impinge.near`; finite, 0
        or more, in the unit of the points. None: contacts. Not between frames, and not with
        adjacent="test": a pair that shares a vertex has distance 0.
    thickness: instead of `distance`: a number for all primitives, or one for each; finite, 0 or more, in
        the unit of the points. Pairs at most half of the sum of theirs apart, with `penetration` and
        `relative`: see `impinge.near`.
    rows: what a row is: "primitives" (the default with `distance` and `thickness`) or "features": with
        one of these; "vertices" (the default with `inside`) or "contacts": with that; or "objects",
        without: see `impinge.near`, `impinge.inside` and `impinge.clearance`.
    inside: closed objects are solids: True, all that are closed; or their numbers or names. Rows are vertices
        inside them (see `impinge.inside`), with rows="contacts" contacts with `depth`; both with
        `relations` and `swallowed`. Not between frames, and not with `distance` or `thickness`.
    inside_open: "error" or "skip": numbers in `inside` of objects that are not closed.
    inside_winding: which winding numbers are inside: "nonzero", or "positive".
    end_features: contacts have `end_features`; not between frames, with `distance`, `thickness`,
        rows="objects", rows="vertices" or stage="candidates".
    ring: with `distance` or rows="objects", pairs within so many edges along the mesh are left out; 0:
        pairs that share a vertex.
    min_separation: between frames, features as near as that meet; in the unit of the points.
    tolerance: of bodies that turn; in the unit of the points, at least about 1e-12 of their extent.
    mem_limit: bytes of host and device buffers; 0 is half of the machine's.
    verify: that many candidates of each block are decided again on the host.
    expect: primitives of all frames together, for the device "auto"; 0: not known.
    """

    distance: float | None
    thickness: Any
    rows: Rows


_texts = ("device", "broad")
_choices = {
    "adjacent": words("imp_adjacent"),
    "pairs": words("imp_pairs"),
    "stage": words("imp_stage"),
    "contacts": {"all": 0, "crossing": 1},
    "rows": {"vertices" if w == "inside" else w: v for w, v in words("imp_rows").items()},
    "inside_open": words("imp_inside_open"),
    "inside_winding": words("imp_inside_winding"),
    "on_bad": words("imp_on_bad"),
    "update": words("imp_update"),
    "volume": words("imp_volume"),
    "build": words("imp_build"),
    "descent": words("imp_descent"),
}
# Not given by callers, or with a meaning that is another one here.
_hidden = {
    *("object_pair", "inside_object", "inside_objects", "relations", "relations_user"),
    *("crossing", "ids", "unchecked", "log", "log_user"),
}
_names = {name for name, _ in ffi.typeof("imp_def").fields} - _hidden | {"contacts"}
_renamed = {"contacts": "crossing"}  # in imp_def


# Arguments of functions that no imp_def has.
_OTHERS = {"allowed", "weld", "names", "objects", "corner_count"}


def check_known(name: str) -> None:
    """A TypeError for a name that is no option."""
    if name not in _names:
        check_option(name, (_names | _OTHERS) - {name})


def _choice(name: str, word: Any) -> int:
    found = _choices[name].get(word) if isinstance(word, str) else None
    if found is None:
        known = ", ".join(map(repr, _choices[name]))
        raise ArgumentError(f"{name}: {word!r} is none of {known}")
    return found


# Options that choose objects; how many numbers the name of a pipeline may show.
CHOOSE = {"object_pairs": 128, "object_pairs_exclude": 128, "allowed": 128, "inside": 8}


class Selection:
    """The pairs of objects, and the closed objects, that options choose, until names are known."""

    def __init__(self, options: dict[str, Any]):
        """Takes them out of the options."""
        self.word, self.pairs, self.exclude = _rules(options)
        self.inside = options.pop("inside", None)
        if hasattr(self.pairs, "__array__"):
            self.pairs = unmasked(self.pairs, self.word)
        elif self.pairs is not None:
            self.pairs = _listed(self.pairs, self.word)
        if isinstance(self.inside, str):
            self.inside = [self.inside]

    @property
    def named(self) -> bool:
        """Is there a name in them?"""
        return _has_text(self.inside) or _have_text(self.pairs)

    def unknown(self) -> dict[str, Any]:
        """As options until names are known, which only check what else there is."""
        return {} if self.inside is None else {"inside": True}

    def options(self, names: dict[int, str]) -> dict[str, Any]:
        """As options with numbers alone."""
        made: dict[str, Any] = {}
        if self.exclude is not None:
            made["object_pairs_exclude"] = self.exclude
        if self.pairs is not None:
            pairs = self.pairs
            if _have_text(pairs):
                pairs = [[object_number(one, names, self.word) for one in pair] for pair in pairs]
            made["object_pairs"] = _object_pairs(pairs, self.word)
        if self.inside is not None:
            which = self.inside
            made["inside"] = numbers_of(which, names, "inside") if _has_text(which) else which
        return made

    def arguments(self, names: dict[int, str]) -> dict[str, Any]:
        """The same by the names of the arguments."""
        made = self.options(names)
        if self.pairs is not None and self.word != "object_pairs":
            del made["object_pairs_exclude"]
            made[self.word] = made.pop("object_pairs")
        return made


def same_options(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Of `Selection.options`."""
    return one.keys() == other.keys() and all(np.array_equal(one[key], other[key]) for key in one)


def _has_text(row: Any) -> bool:
    if isinstance(row, np.ndarray):
        return row.dtype.kind in "USO" and any(isinstance(one, str) for one in row.flat)
    return isinstance(row, (list, tuple, set, frozenset)) and any(isinstance(one, str) for one in row)


def _have_text(rows: Any) -> bool:
    if rows is None or (isinstance(rows, np.ndarray) and rows.dtype.kind not in "USO"):
        return False
    return any(map(_has_text, rows))


def numbers_of(objects: Any, names: dict[int, str], what: str) -> Any:
    """Numbers of objects that are given by these, or by names; an array of numbers stays as it is."""
    if isinstance(objects, str):
        return object_number(objects, names, what)
    return [object_number(one, names, what) for one in objects] if _has_text(objects) else objects


def _rules(options: dict[str, Any]) -> tuple[str, Any, Any]:
    """Which argument lists pairs of objects, these, and whether all others are meant."""
    allowed, pairs = options.pop("allowed", None), options.pop("object_pairs", None)
    exclude = options.pop("object_pairs_exclude", None)
    flag = exclude is None or isinstance(exclude, (bool, int, float, np.bool_, np.integer))
    if allowed is not None:
        if pairs is not None or not flag or exclude:
            raise ArgumentError("allowed: not with object_pairs or object_pairs_exclude, which say the same")
        some = isinstance(allowed, np.ndarray) or not isinstance(allowed, Collection) or len(allowed)
        return "allowed", allowed if some else None, True if some else None
    if not flag:
        if pairs is not None:
            what = "a list, with another one in object_pairs; True excludes those"
            raise ArgumentError(f"object_pairs_exclude: {what}")
        return "object_pairs_exclude", exclude, True
    return "object_pairs", pairs, exclude


def _listed(pairs: Any, what: str) -> list:
    """A list of pairs."""
    if isinstance(pairs, (str, bytes, Mapping)) or not isinstance(pairs, Iterable):
        raise ArgumentError(f"{what}: {pairs!r} is not a list of pairs of objects, [(a, b), ...]")
    rows = list(pairs)
    for row in rows:
        if isinstance(row, (str, bytes)) or not hasattr(row, "__len__") or len(row) != 2:
            raise ArgumentError(f"{what}: {row!r} is not a pair of objects, (a, b)")
    return [tuple(row) for row in rows]


def _object_pairs(pairs: Any, what: str) -> np.ndarray:
    array = unmasked(pairs, what)
    if array.size == 0:
        return np.zeros((0, 2), np.int32)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
        raise ArgumentError(f"{what}: not integers of shape (n, 2), nor pairs of names")
    if array.min() < -(2**31) or array.max() >= 2**31:
        raise ArgumentError(f"{what}: a number is not in the range of int32")
    return np.ascontiguousarray(array, np.int32)


def definition(notes, call, options: dict[str, Any]) -> tuple[Any, list]:
    """imp_def of these options, and what must live as long as it. call: the rows_call of all calls."""
    made, keep = ffi.new("imp_def *"), []
    made.log, made.log_user = ffi.addressof(lib, "rows_note"), notes
    for name, value in options.items():
        check_known(name)
        if value is None:
            continue
        if name in _texts:
            keep.append(ffi.new("char[]", os.fsencode(str(value))))
            setattr(made, name, keep[-1])
        elif name in _choices:
            setattr(made, _renamed.get(name, name), _choice(name, value))
        elif name == "object_pairs":
            _set_pairs(made, keep, value)
        elif name == "thickness":
            made.thickness = 1  # meshes have the values
        elif name == "inside":
            _set_inside(made, keep, value)
        else:
            _set_number(made, name, value)
    near = options.get("distance") is not None or options.get("thickness") is not None
    if near and options.get("rows") is None:
        made.rows = lib.IMP_ROWS_PRIMITIVES
    if made.inside and options.get("rows") is None:
        made.rows = lib.IMP_ROWS_INSIDE
    if made.inside or made.rows == lib.IMP_ROWS_INSIDE:
        made.relations, made.relations_user = ffi.addressof(lib, "rows_relations"), call
    return made, keep


def _set_inside(made, keep: list, value: Any) -> None:
    """True, or the numbers of closed objects."""
    if isinstance(value, (bool, np.bool_)):
        made.inside = bool(value)
        return
    given = np.atleast_1d(unmasked(value, "inside"))
    if not given.size:
        raise ArgumentError("inside: the list of objects is empty; True is all that are closed")
    numbers = column_of(given, None, np.int32, "inside")
    keep += [numbers, ffi.from_buffer("int32_t[]", numbers)]
    made.inside, made.inside_object, made.inside_objects = 1, keep[-1], len(numbers)


def _set_pairs(made, keep: list, pairs: np.ndarray) -> None:
    """An empty list is one, too: the library refuses it, unless it excludes."""
    rows = pairs if len(pairs) else np.zeros((1, 2), np.int32)
    keep += [rows, ffi.cast("int32_t(*)[2]", ffi.from_buffer(rows))]
    made.object_pair, made.object_pairs = keep[-1], len(pairs)


def _set_number(made, name: str, value: Any) -> None:
    try:
        setattr(made, name, value)
    except (OverflowError, TypeError) as what:
        raise ArgumentError(f"{name}: {value!r}: {what}") from None
