"""Abaqus' input files: lines of files that include each other; statements, which are a keyword, its
parameters and its data."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from .abaqus_words import IGNORED, REFUSED, TAKEN
from .numbered import Bad, lines_of, real

_KEYWORDS = {word.replace(" ", ""): word for word in (*TAKEN, *REFUSED, *IGNORED)}

# parameters of keywords that are taken; "": read over. Others are an error.
_PARAMETERS = {
    "ASSEMBLY": ("NAME",),
    "ELCOPY": ("ELEMENT SHIFT", "OLD SET", "SHIFT NODES", "NEW SET"),
    "ELEMENT": ("TYPE", "ELSET", "INPUT", "FILE"),
    "ELGEN": ("ELSET", "ALL NODES"),
    "ELSET": ("ELSET", "GENERATE", "INSTANCE", "INTERNAL", "UNSORTED", "INPUT"),
    "INSTANCE": ("NAME", "PART"),
    "NCOPY": ("CHANGE NUMBER", "OLD SET", "SHIFT", "MULTIPLE", "NEW SET"),
    "NFILL": ("NSET",),
    "NGEN": ("NSET",),
    "NODE": ("NSET", "SYSTEM", "INPUT"),
    "NSET": ("NSET", "ELSET", "GENERATE", "INSTANCE", "INTERNAL", "UNSORTED", "INPUT"),
    "PART": ("NAME",),
}
_NESTED = 16  # files within files


class Line(NamedTuple):
    file: str
    number: int
    text: str


class Statement(NamedTuple):
    word: str
    given: dict  # parameters; None: without a value
    data: list  # lines
    line: Line

    def bad(self, text: object, line: Any = None) -> Bad:
        at = line or self.line
        return Bad(f"*{self.word}: {text}", at.number, at.file)

    def name(self, parameter: str) -> str:
        value = self.given.get(parameter)
        if not value:
            raise self.bad(f"without {parameter}=")
        return value


# ---- lines and statements


def read_lines(path: str, above: tuple, by: Line | None = None) -> Iterator[Line]:
    """Lines of a file and of those that it includes. Comments are left out."""
    at = (by.number, by.file) if by else (0, None)
    if os.path.abspath(path) in above or len(above) > _NESTED:
        raise Bad(f"{path} includes itself", *at)
    try:
        with open(path, "rb") as stream:
            data = stream.read()
    except OSError as what:
        raise Bad(f"{path}: {what.strerror}", *at) from None
    for number, text in enumerate(lines_of(data), 1):
        if text.lstrip().startswith("**"):
            continue
        line = Line(path, number, text)
        if _squashed(text).startswith("*INCLUDE"):
            given = _parameters(text, line)
            if set(given) != {"INPUT"} or not given["INPUT"]:
                raise Bad(f"*INCLUDE: {text.strip()}", number, path)
            inner = beside(above[0] if above else path, given["INPUT"])
            yield from read_lines(inner, (*above, os.path.abspath(path)), line)
        else:
            yield line


def beside(file: str, name: str) -> str:
    return os.path.join(os.path.dirname(file), name.replace("\\", "/"))


def _squashed(text: str) -> str:
    return "".join(text.split()).upper()


def _parameters(text: str, line: Line) -> dict:
    """Of a keyword's line, in upper case; values keep theirs."""
    given: dict = {}
    for part in re.findall(r'(?:[^,"]|"[^"]*"?)+', text)[1:]:
        name, equals, value = part.partition("=")
        name = " ".join(name.split()).upper()
        if not name:
            continue
        if name in given:
            raise Bad(f"{name} is given twice", line.number, line.file)
        given[name] = value.strip().strip('"') if equals else None
    return given


def _keyword(text: str, line: Line) -> str:
    """As in full: Abaqus takes any beginning that no other keyword has."""
    short = _squashed(re.split("[,]", text)[0])[1:]
    if short in _KEYWORDS:
        return _KEYWORDS[short]
    fits = [word for squashed, word in _KEYWORDS.items() if squashed.startswith(short)]
    if len(fits) != 1 or len(short) < 3:
        raise Bad(f"*{short} is no keyword that is known here", line.number, line.file)
    return fits[0]


def statements(path: str) -> Iterator[Statement]:
    made: Statement | None = None
    head = None  # of a keyword that goes on in the next line
    for line in read_lines(path, ()):
        text = line.text.strip()
        if head is not None or text.startswith("*"):
            begun, text = (head[0], head[1] + text) if head else (line, text)
            head = (begun, text) if text.endswith(",") else None
            if head is None:
                if made:
                    yield made
                word = _keyword(text, begun)
                made = Statement(word, _known(word, _parameters(text, begun), begun), [], begun)
        elif made:
            made.data.append(line)
        elif text:
            raise Bad("data before a keyword: is it of Abaqus?", line.number, line.file)
    if made:
        yield made


def _known(word: str, given: dict, line: Line) -> dict:
    """Parameters in full. Those that are not read are an error where the keyword is taken."""
    known = _PARAMETERS.get(word)
    if known is None:
        return given
    made = {}
    for name, value in given.items():
        squashed = name.replace(" ", "")
        fits = [one for one in known if one.replace(" ", "").startswith(squashed)]
        exact = [one for one in fits if one.replace(" ", "") == squashed]
        if len(exact or fits) != 1:
            raise Bad(f"*{word}: {name}, which is not read", line.number, line.file)
        made[(exact or fits)[0]] = value
    return made


def numbers_of(statement: Statement, line: Line, kind: Any, least: int, most: int) -> list:
    """Numbers of a data line; those that are left out are 0."""
    parts = line.text.split(",")
    while parts and not parts[-1].strip():
        parts.pop()
    if not least <= len(parts) <= most:
        raise statement.bad(f"{len(parts)} numbers", line)
    try:
        made = [kind(part) if part.strip() else 0 for part in parts]
    except ValueError:
        raise statement.bad(f"'{line.text.strip()[:60]}' are not its numbers", line) from None
    if kind is real and not np.isfinite(made).all():
        raise statement.bad(f"'{line.text.strip()[:60]}'", line)
    return made + [0] * (most - len(made))


def goes_on(line: Line) -> bool:
    return line.text.rstrip().endswith(",")
