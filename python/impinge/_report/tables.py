"""What tables of the page have in common: cells, objects by name and colour, links."""

from __future__ import annotations

from typing import Any, NamedTuple

from .palette import Palette
from .sums import Sums
from .words import count, several, text


class Context(NamedTuple):
    """What cells need to know."""

    names: dict[int, str]  #: of objects
    palette: Palette

    def object(self, number: int) -> str:
        name = f"object {number}"
        if number in self.names:
            name = f"{text(self.names[number])} <small>({number})</small>"
        return f'<span class="object">{self.palette.swatch(number)}{name}</span>'

    def objects(self, a: int, b: int) -> str:
        """Two objects, or one that meets itself."""
        if a == b:
            return f"{self.object(a)} with itself"
        return f"{self.object(a)}, {self.object(b)}"


def link(shown: str, frame: int, place: Any = None) -> str:
    """HTML that goes to a frame of the input in 3D, at a place, or where its contacts are. The
    script of the 3D view makes a link of it: without that there is nothing to go to."""
    at = f' data-place="{" ".join(repr(float(x)) for x in place)}"' if place is not None else ""
    return f'<a data-frame="{int(frame)}"{at}>{shown}</a>'


def data(value: int) -> str:
    """Programs read the value, people the text."""
    return f'<data value="{int(value)}">{count(value)}</data>'


def step_word(sums: Sums) -> str:
    return "step" if sums.continuous else "frame"


def steps_word(sums: Sums, number: int) -> str:
    return step_word(sums) if number == 1 else several(step_word(sums))


def more(total: int, most: int, what: str) -> str:
    return f"<p>These are {most:,} of {total:,} {what}.</p>" if total > most else ""


def table(names: list[str], rows: list[list[str]], left: tuple = ()) -> str:
    """Columns of numbers, except those in `left`. Cells are HTML. A row of one cell is as wide as
    the table."""
    head = "".join(f'<th scope="col"{_left(i, left)}>{name}</th>' for i, name in enumerate(names))
    body = "".join(_row(row, len(names), left) for row in rows)
    return (
        f'<div class="wide"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _row(row: list[str], columns: int, left: tuple) -> str:
    if len(row) == 1 < columns:
        return f'<tr class="more"><td class="left" colspan="{columns}">{row[0]}</td></tr>'
    return (
        "<tr>" + "".join(f"<td{_left(i, left)}>{cell}</td>" for i, cell in enumerate(row)) + "</tr>"
    )


def _left(column: int, left: tuple) -> str:
    return ' class="left"' if column in left else ""
