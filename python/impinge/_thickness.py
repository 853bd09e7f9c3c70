"""Thicknesses of primitives, and the table that penetration checks have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ._arrays import unmasked
from ._kinds import Kind
from ._library import ArgumentError

if TYPE_CHECKING:
    from ._contacts import Contacts


def thickness_of(thickness: Any) -> np.ndarray:
    """() or (m,) float64, a copy: of all primitives, or of each."""
    array = unmasked(thickness, "thickness")
    if array.dtype.kind not in "fiu":
        raise ArgumentError(f"thickness: {array.dtype}, not a number for all, or for each primitive")
    if array.ndim > 1:
        raise ArgumentError(f"thickness: shape {array.shape}, not (m,): one for each primitive")
    array = np.array(array, np.float64)
    bad = ~(np.isfinite(array) & (array >= 0))
    if bad.any():
        at = int(np.flatnonzero(bad)[0])
        where = f" at position {at}" if array.ndim else ""
        raise ArgumentError(f"thickness: {array.flat[at]}{where} is not finite and at least 0")
    return array


class Parts(NamedTuple):
    """Two parts, or one with itself, with pairs within their contact distances."""

    part_a: Any  #: an object, by its name if it has one; the lower number first
    part_b: Any
    pairs: int
    crossed: int  #: of these, triangles that pass through each other
    deepest: float  #: the greatest penetration
    least_distance: float
    object_a: int  #: the number of part_a
    object_b: int


def parts(
    contacts: Contacts, objects: Any = None, names: Mapping[int, str] | None = None
) -> list[Parts]:
    """The rows of the table of --csv with --thickness for one frame, in order of the objects.

    contacts: found with `thickness`.
    objects: (m,) integers, the object of each primitive, as for `near`; None: those of the contacts,
        where they have some, else all are of one.
    names: of objects; None: those of the contacts.
    """
    if contacts.penetration is None:
        raise ArgumentError("parts: these contacts have no penetration; they need thickness=")
    a, b = contacts.object_a, contacts.object_b
    if a is None or objects is not None:
        of = None if objects is None else np.asarray(objects)
        a, b = (
            np.zeros(len(contacts), np.int64) if of is None else of[rows]
            for rows in (contacts.a, contacts.b)
        )
    both = np.sort(np.stack([a, b], axis=1).astype(np.int64).reshape(-1, 2), axis=1)
    keys, which = np.unique(both, axis=0, return_inverse=True)
    which, count = which.ravel(), len(keys)
    deepest, least = np.zeros(count), np.full(count, np.inf)
    np.maximum.at(deepest, which, contacts.penetration)
    np.minimum.at(least, which, contacts.distance)
    pairs = np.bincount(which, minlength=count)
    crossed = np.bincount(which[contacts.kind == Kind.CROSSED], minlength=count)
    known = contacts.names if names is None else names
    named = [tuple(known.get(int(one), int(one)) for one in key) for key in keys]
    columns = (pairs.tolist(), crossed.tolist(), deepest.tolist(), least.tolist(), *keys.T.tolist())
    return [Parts(a, b, *row) for (a, b), row in zip(named, zip(*columns))]
