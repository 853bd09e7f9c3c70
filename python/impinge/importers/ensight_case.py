"""The case file of EnSight: which file has the geometry of which time. What moves parts besides is
an error that names line and keyword."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from . import notes
from .mesh import input_error

_SECTIONS = ("FORMAT", "GEOMETRY", "VARIABLE", "TIME", "FILE", "MATERIAL", "SCRIPTS",
             "BLOCK_CONTINUATION")  # fmt: skip
_NO_MESH = ("measured", "match", "boundary", "vector_glyphs")  # of GEOMETRY; measured are points


class Set(NamedTuple):
    """A set of TIME or FILE by its lines."""

    number: int
    lines: dict  #: keyword: words
    line: int


class Case:
    """gold: EnSight Gold, else EnSight 6. times: of the frames, or None. files: of each frame the
    file, and which of its steps it is, or None where it has one without a mark."""

    def __init__(self, file: str):
        self.file, self.gold = file, False
        self._model: list = []
        self._line, self._sets, self._lost, self._left = 0, {"TIME": [], "FILE": []}, [], {}
        section, last = "", ""
        with open(file, encoding="utf-8", errors="replace") as stream:
            lines = stream.read().splitlines()
        for number, text in enumerate(lines, 1):
            text = text.split("#")[0].strip()
            if text.upper() in _SECTIONS:
                section, last = text.upper(), ""
            elif text and section not in ("MATERIAL", "SCRIPTS", "BLOCK_CONTINUATION"):
                last = self._take(section, text, last, number)
        if not self._model:
            raise input_error(file, "there is no model: in GEOMETRY")
        notes.left_out(file, self._left)
        notes.lose(self._lost)
        self.times: list | None
        self.files: list
        self._find()

    def _bad(self, line: int, text: str) -> Exception:
        return input_error(self.file, f"line {line}: {text}")

    # ---- lines

    def _take(self, section: str, text: str, last: str, number: int) -> str:
        """The keyword of the line; one without is of the keyword before."""
        key, colon, rest = text.partition(":")
        key = " ".join(key.lower().split())
        if section in ("TIME", "FILE"):
            return self._take_set(
                section, key if colon else "", rest if colon else text, last, number
            )
        if not colon or section not in ("FORMAT", "GEOMETRY", "VARIABLE"):
            raise self._bad(number, f"'{text[:40]}', which is not read")
        if section == "FORMAT":
            self._take_format(key, rest.split(), number)
        elif section == "VARIABLE":
            words = rest.split()
            self._lost.append(next((w for w in words if not w.lstrip("-").isdigit()), key))
        elif key == "model":
            self._model, self._line = rest.split(), number
        elif key in _NO_MESH:
            self._left[f"{key}:"] = 1
        else:
            raise self._bad(number, f"{key}:, which is not read")
        return key

    def _take_format(self, key: str, words: list, number: int) -> None:
        kind = " ".join(words).lower()
        if key != "type" or kind not in ("ensight", "ensight gold"):
            raise self._bad(number, f"{key}: {kind}, which is not read")
        self.gold = kind == "ensight gold"

    def _take_set(self, section: str, key: str, rest: str, last: str, number: int) -> str:
        sets = self._sets[section]
        known = {"TIME": ("number of steps", "filename start number", "filename increment",
                          "time values", "filename numbers", "time values file",
                          "filename numbers file"),
                 "FILE": ("filename index", "number of steps")}[section]  # fmt: skip
        if key == section.lower() + " set":
            sets.append(Set(int(rest.split()[0]), {}, number))
            return ""
        elif not sets or (key and key not in known) or not (key or last):
            raise self._bad(number, f"'{(key or rest)[:40]}', which is not read")
        elif key:
            lines = sets[-1].lines
            repeated = key == "filename index" and key in lines  # of several files of a set
            if repeated:
                raise self._bad(number, "several files of a file set, which are not read")
            lines[key] = rest.split()
        else:
            sets[-1].lines[last] += rest.split()
        return key or last

    # ---- frames

    def _find(self) -> None:
        words, numbers = list(self._model), []
        while words and words[0].lstrip("-").isdigit():
            numbers.append(int(words.pop(0)))
        if len(words) != 1 or len(numbers) > 2:
            shown = " ".join(words[1:]) or "model:"
            raise self._bad(self._line, f"model: '{shown[:40]}', which is not read")
        name = os.path.join(os.path.dirname(self.file), words[0].strip("\"'"))
        time = self._set("TIME", numbers[0]) if numbers else self._single()
        several = self._set("FILE", numbers[1]) if len(numbers) > 1 else None
        self.times = self._times(time) if time else None
        steps = len(self.times or (0,))
        names = [name] * steps
        if "*" in name and time:
            names = [_filled(name, k) for k in self._numbers(time, steps)]
        self.files = [(n, k if several else None) for k, n in enumerate(names)]

    def _set(self, section: str, number: int) -> Set:
        found = [one for one in self._sets[section] if one.number == number]
        if not found:
            raise self._bad(self._line, f"there is no {section.lower()} set {number}")
        return found[0]

    def _single(self) -> Set | None:
        """Of a model that stays the same: the times of all else, if these are one set."""
        return self._sets["TIME"][0] if len(self._sets["TIME"]) == 1 else None

    def _listed(self, of: Set, key: str) -> list:
        if key in of.lines:
            return of.lines[key]
        if f"{key} file" in of.lines:
            name = " ".join(of.lines[f"{key} file"]).strip("\"'")
            path = os.path.join(os.path.dirname(self.file), name)
            with open(path, encoding="utf-8", errors="replace") as stream:
                return stream.read().split()
        return []

    def _times(self, of: Set) -> list:
        values = self._listed(of, "time values")
        steps = int((of.lines.get("number of steps") or [len(values)])[0])
        if len(values) != steps:
            raise self._bad(of.line, f"{len(values)} time values of {steps} steps")
        return [float(value) for value in values]

    def _numbers(self, of: Set, steps: int) -> list:
        listed = self._listed(of, "filename numbers")
        if listed:
            found = [int(number) for number in listed]
        else:
            first, by = (
                int((of.lines.get(key) or [default])[0])
                for key, default in (("filename start number", 0), ("filename increment", 1))
            )
            found = [first + by * k for k in range(steps)]
        if len(found) != steps:
            raise self._bad(of.line, f"{len(found)} filename numbers of {steps} steps")
        return found


def _filled(name: str, number: int) -> str:
    return re.sub(r"\*+", lambda stars: f"{number:0{len(stars[0])}}", name)
