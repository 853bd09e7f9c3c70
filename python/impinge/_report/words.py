"""Numbers and names as the page shows them. All that comes from a file goes through `text`."""

from __future__ import annotations

import html
from typing import Any


def text(value: Any) -> str:
    """Safe in HTML, as content and as an attribute in quotes."""
    return html.escape(str(value), quote=True)


def count(value: Any) -> str:
    return f"{int(value):,}"


def number(value: Any) -> str:
    return f"{float(value):.6g}"


def point(row: Any) -> str:
    return " ".join(number(value) for value in row)


def several(word: str) -> str:
    """The plural of a noun that the page counts."""
    return "vertices" + word[6:] if word.startswith("vertex") else word + "s"


def plural(value: int, word: str) -> str:
    return f"{count(value)} {word if value == 1 else several(word)}"


def size(value: int) -> str:
    """Bytes, in powers of 1000."""
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if value >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value} bytes"
