"""The columns of contacts: contact.def."""

from __future__ import annotations

from itertools import count, takewhile
from typing import Any, NamedTuple

import numpy as np

from ._library import ffi, lib, text

_types = {
    "uint32_t": np.uint32,
    "uint8_t": np.uint8,
    "int32_t": np.int32,
    "int64_t": np.int64,
    "double": np.float64,
}
_fields = dict(ffi.typeof("imp_contacts").fields)
_renamed = {"points": "ends"}
_shapes = {"points": (2, 3)}


class Column(NamedTuple):
    """A column of contacts: a line of contact.def."""

    name: str  #: in Contacts
    c: str  #: in imp_contacts; of one that only files have its name there
    dtype: Any  #: None: only files have it
    shape: tuple  #: of a contact, or of an item
    group: str  #: of a result file
    file: str
    file_first: str | None  #: where the items of each contact begin; None: it has no items
    when: Any  #: a function of imp_def, or NULL: always

    @property
    def first(self) -> str:
        return self.name + "_first"


def _column(line: Any) -> Column:
    c, first = text(line.name), line.file_first
    return Column(
        _renamed.get(c, c),
        c,
        None if line.derived else np.dtype(_types[_fields[c].type.item.cname]),
        _shapes.get(c, () if line.values == 1 else (line.values,)),
        text(line.group),
        text(line.file),
        text(first) if first else None,
        line.when,
    )


#: In the order of contact.def.
columns = [_column(line) for line in takewhile(bool, map(lib.rows_column_at, count()))]
