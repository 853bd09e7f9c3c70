"""Names of objects: those of a frame, and which one a caller means."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Union

import numpy as np

from ._library import ArgumentError, error, lib

SHOWN = 8  # names in a message

Object = Union[int, str]


def distinct(names: Iterable[str]) -> list[str]:
    """Bodies of one name get a number: "a", "a (2)". Those without a name stay as they are."""
    given = list(names)
    taken, made = set(given), []
    last: Counter = Counter()
    for name in given:
        last[name] += 1
        own = name
        while name and own in taken and last[name] > 1:
            own = f"{name} ({last[name]})"
            last[name] += own in taken
        taken.add(own)
        made.append(own)
    return made


def near_names(name: str, names: Iterable[str]) -> str:
    """Those that may have been meant, or all: "cloth, ball and 3 more"."""
    known, low = list(dict.fromkeys(names)), name.lower()
    close = difflib.get_close_matches(low, [other.lower() for other in known], len(known) or 1)
    found = [
        other
        for other in known
        if other.lower() in close or low in other.lower() or other.lower() in low
    ]
    some = found or known
    more = f" and {len(some) - SHOWN} more" if len(some) > SHOWN else ""
    return ", ".join(some[:SHOWN]) + more


def check_option(
    name: str,
    known: Iterable[str],
    what: str = "there is no option",
    kind: type[Exception] = TypeError,
) -> None:
    """An error of this kind for a name that is none of these, which says what may have been meant."""
    names = sorted(known)
    if name not in names:
        raise kind(f"{what} {name!r}; there is {near_names(name, names)}")


def names_of(names: Any) -> dict[int, str]:
    """The argument `names`: a list by number, or a mapping of numbers to names; None: no object has one."""
    if names is None:
        return {}
    if isinstance(names, (str, bytes)):
        raise ArgumentError(f"names: {names!r} is one text, not a list of them, or a dict of number: name")
    try:
        rows = list(names.items() if isinstance(names, Mapping) else enumerate(names))
    except TypeError:
        what = f"names: {type(names).__name__}, not a list of texts, or a dict of number: name"
        raise ArgumentError(what) from None
    for number, name in rows:
        if not isinstance(number, (int, np.integer)) or isinstance(number, bool):
            raise ArgumentError(f"names: {number!r} is not the number of an object: number: name")
        if not isinstance(name, str):
            raise ArgumentError(f"names: {name!r}, of object {number}, is not a text")
    if not isinstance(names, Mapping):  # a mapping may be that of a file, where two may have one name
        twice = [name for name, count in Counter(name for _, name in rows).items() if name and count > 1]
        if twice:
            raise ArgumentError(f"names: {twice[0]!r} is the name of two objects")
    return {int(number): str(name) for number, name in rows}


def check_names(names: Mapping[int, str], objects: Any, more: bool = False) -> None:
    """Those of a list: one for each object, up to the greatest number. more: others may come."""
    numbers = np.zeros(1, np.int64) if objects is None else np.asarray(objects)
    if numbers.dtype.kind not in "iu" or not numbers.size:  # what is wrong with them is told elsewhere
        return
    most = int(numbers.max())
    if len(names) <= most or (len(names) > most + 1 and not more):
        which = "the only object is 0" if most == 0 else f"objects are 0 to {most}"
        what = f"names: {len(names)}, but {which}; a dict of number: name leaves some out"
        raise ArgumentError(what)


def object_number(which: Any, names: Mapping[int, str], what: str) -> int:
    """The number of an object that is given by it, or by its name. what: the argument."""
    if isinstance(which, (int, np.integer)) and not isinstance(which, bool):
        return int(which)
    if not isinstance(which, str):
        raise ArgumentError(f"{what}: {which!r} is neither the number nor the name of an object")
    numbers = [number for number, name in names.items() if name == which]
    if len(numbers) == 1:
        return numbers[0]
    if numbers:
        some = ", ".join(map(str, numbers[:SHOWN]))
        why = f"{which!r} is the name of {len(numbers)} objects, {some}"
    elif names:
        why = f"there is no object {which!r}; there is {near_names(which, names.values())}"
    else:
        why = f"{which!r} is no number, and the objects have no names"
    raise error(lib.IMP_ERR_ARGUMENT, f"{what}: {why}")


class Objects:
    """What is known of the objects of a frame: the number of each primitive's, and their names."""

    __slots__ = ("number", "names", "primitives", "separate")

    def __init__(
        self,
        number: np.ndarray | None = None,
        names: dict[int, str] | None = None,
        primitives: int | None = None,
        separate: bool = False,
    ):
        self.number = number  #: (m,) int32, which no caller changes; None: all are of one
        self.names = names or {}
        self.primitives = primitives  #: None: not known
        self.separate = separate  #: each is a mesh, and they follow each other

    def of(self, rows: np.ndarray) -> np.ndarray | None:
        """The objects of primitives."""
        return None if self.number is None else self.number[rows]

    def local(self, rows: np.ndarray) -> np.ndarray | None:
        """The rows of primitives in their own meshes."""
        if self.number is None or not self.separate:
            return None
        first = np.searchsorted(self.number, np.arange(len(self.names)))
        return rows.astype(np.int64) - first[self.number[rows]]
