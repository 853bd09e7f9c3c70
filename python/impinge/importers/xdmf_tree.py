"""The light data of XDMF: its XML with the lines of elements, what these refer to, and the arrays
of DataItems."""

from __future__ import annotations

import os
import re
from typing import Any
from xml.parsers import expat

import numpy as np

from .mesh import input_error

_numbers = {
    "float": {4: "f4", 8: "f8"},
    "int": {1: "i1", 2: "i2", 4: "i4", 8: "i8"},
    "uint": {1: "u1", 2: "u2", 4: "u4", 8: "u8"},
    "char": {1: "i1"},
    "uchar": {1: "u1"},
}


class Element:
    """An element. Names of attributes are as in the file."""

    def __init__(self, tag: str, attributes: dict, line: int, above: Element | None):
        self.tag, self.attributes, self.line, self.above = tag, attributes, line, above
        self.children: list = []
        self.text = ""

    def get(self, *names: str) -> str:
        """The first of these attributes."""
        return next((self.attributes[name] for name in names if name in self.attributes), "")

    def all(self, tag: str) -> list:
        return [child for child in self.children if child.tag == tag]


class Tree:
    def __init__(self, file: str):
        self.file = file
        self.root: Any = None
        self._at: Any = None
        self._paths: dict = {}  # what each leads to; all steps may have one
        parser = expat.ParserCreate()
        parser.StartElementHandler = lambda tag, has: self._start(parser, tag, has)
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        try:
            with open(file, "rb") as stream:
                parser.ParseFile(stream)
        except (expat.ExpatError, ValueError) as what:
            raise input_error(file, f"an XDMF file that is damaged: {what}") from None
        if self.root is None or self.root.tag != "Xdmf":
            raise input_error(file, "this is no XDMF file")

    def bad(self, element: Element, text: str) -> Exception:
        return input_error(self.file, f"line {element.line}: {text}")

    def _start(self, parser: Any, tag: str, attributes: dict) -> None:
        made = Element(tag.rpartition(":")[2], attributes, parser.CurrentLineNumber, self._at)
        if self._at is None:
            self.root = made
        else:
            self._at.children.append(made)
        self._at = made

    def _end(self, tag: str) -> None:
        self._at = self._at.above

    def _text(self, text: str) -> None:
        self._at.text += text

    # ---- what elements refer to

    def _find(self, element: Element, path: str) -> list:
        """By an XPath of names, //, [1], [@Name="x"], and *[self::A or self::B] at its end."""
        whole = path.strip()
        if whole not in self._paths:
            self._paths[whole] = self._walk(element, whole)
        return self._paths[whole]

    def _walk(self, element: Element, whole: str) -> list:
        step = re.compile(r"""(//?)(\w+|\*)((?:\[[^\]]*\])*)""")
        found, at = [self.root], 0
        for k, match in enumerate(step.finditer(whole)):
            if match.start() != at:
                break
            at = match.end()
            below = found if k else [_Above(self.root)]
            below = [child for one in below for child in _below(one, match[1] == "//")]
            found = [child for child in below if match[2] in ("*", child.tag)]
            for test in re.findall(r"\[([^\]]*)\]", match[3]):
                found = self._chosen(element, found, test)
        if at != len(whole) or not found:
            raise self.bad(element, f"'{whole[:60]}', which is not read, or leads nowhere")
        return found

    def _chosen(self, element: Element, found: list, test: str) -> list:
        if test.isdigit():
            of: dict = {}
            for one in found:
                of.setdefault(id(one.above), []).append(one)
            return [some[int(test) - 1] for some in of.values() if len(some) >= int(test)]
        named = re.fullmatch(r"""@(\w+)\s*=\s*["']([^"']*)["']""", test)
        if named:
            return [one for one in found if one.get(named[1]) == named[2]]
        if re.fullmatch(r"self::\w+( or self::\w+)*", test):
            return [one for one in found if one.tag in re.findall(r"self::(\w+)", test)]
        raise self.bad(element, f"'[{test[:40]}]', which is not read")

    def resolved(self, element: Element) -> Element:
        """The element that it refers to, or itself."""
        seen = 0
        while element.get("Reference"):
            path = element.get("Reference")
            path = element.text if path.upper() == "XML" else path
            found = self._find(element, path)
            element, seen = found[0], seen + 1
            if len(found) > 1 or seen > 99:
                raise self.bad(element, "a Reference to several elements, or to itself")
        return element

    def children(self, element: Element) -> list:
        """Those of an element, with what it includes in their place."""
        made: list = []
        for child in element.children:
            if child.tag != "include":
                made.append(self.resolved(child))
                continue
            if child.get("href"):
                raise self.bad(child, f"an include of '{child.get('href')}', which is not read")
            pointer = re.fullmatch(r"\s*xpointer\((.*)\)\s*", child.get("xpointer"), re.S)
            made += self._find(child, pointer[1] if pointer else child.get("xpointer"))
        return made

    # ---- arrays

    def array(self, element: Element) -> np.ndarray:
        """What a DataItem has, in its shape."""
        element = self.resolved(element)
        kind = element.get("ItemType", "Type") or "Uniform"
        if kind.lower() == "hyperslab":
            return self._slab(element)
        if kind.lower() != "uniform":
            raise self.bad(element, f"a DataItem of ItemType {kind}, which is not read")
        form = (element.get("Format") or "XML").upper()
        read = {"XML": self._inline, "HDF": self._hdf, "BINARY": self._binary}
        if form not in read:
            raise self.bad(element, f"a DataItem of Format {form}, which is not read")
        shape = self._shape(element)
        try:
            made = read[form](element)
        except (OSError, KeyError, ValueError) as what:
            text = f"its data cannot be read: {what}"
            raise self.bad(element, text) from None
        if shape and made.size != int(np.prod(shape)):
            raise self.bad(
                element, f"{made.size} numbers, Dimensions are {element.get('Dimensions')}"
            )
        return made.reshape(shape or made.shape)

    def _shape(self, element: Element) -> tuple:
        try:
            return tuple(int(size) for size in element.get("Dimensions").split())
        except ValueError:
            raise self.bad(element, f"Dimensions '{element.get('Dimensions')[:40]}'") from None

    def _kind(self, element: Element) -> str:
        number = (element.get("NumberType", "DataType") or "Float").lower()
        size = int(element.get("Precision") or (1 if "char" in number else 4))
        found = _numbers.get(number, {}).get(size)
        if not found:
            raise self.bad(element, f"NumberType {number} of {size} bytes, which is not read")
        return found

    def _inline(self, element: Element) -> np.ndarray:
        words = element.text.split()
        return np.array(words, "S").astype(self._kind(element)) if words else np.zeros(0)

    def _beside(self, name: str) -> str:
        return os.path.join(os.path.dirname(self.file), name)

    def _hdf(self, element: Element) -> np.ndarray:
        import h5py

        name, _, path = element.text.strip().rpartition(":")
        with h5py.File(self._beside(name), "r") as data:
            return data[path][()]

    def _binary(self, element: Element) -> np.ndarray:
        if (element.get("Compression") or "Raw").lower() != "raw":
            text = f"Compression {element.get('Compression')}, which is not read"
            raise self.bad(element, text)
        order = {"big": ">", "little": "<"}.get(element.get("Endian").lower(), "=")
        kind = np.dtype(self._kind(element)).newbyteorder(order)
        count = int(np.prod(self._shape(element)))
        found = np.fromfile(
            self._beside(element.text.strip()), kind, count, offset=int(element.get("Seek") or 0)
        )
        return found.astype(kind.newbyteorder("="))

    def _slab(self, element: Element) -> np.ndarray:
        parts = element.all("DataItem")
        if len(parts) != 2:
            raise self.bad(element, "a HyperSlab without its two DataItems")
        which, data = self.array(parts[0]).astype(np.int64), self.array(parts[1])
        which = which.reshape(3, -1)
        if which.shape[1] != data.ndim:
            raise self.bad(element, f"a HyperSlab of {which.shape[1]} axes of {data.ndim}")
        begin, step, count = which
        ends = begin + step * count
        if (begin < 0).any() or (step < 1).any() or (ends - step >= data.shape).any():
            raise self.bad(element, "a HyperSlab outside of its data")
        made = data[tuple(map(slice, begin, ends, step))]
        shape = self._shape(element)
        if shape and int(np.prod(shape)) != made.size:
            raise self.bad(
                element, f"{made.size} numbers, Dimensions are {element.get('Dimensions')}"
            )
        return made.reshape(shape or made.shape)


class _Above:
    """What the root is a child of."""

    def __init__(self, root: Element):
        self.children = [root]


def _below(element: Any, deep: bool) -> list:
    """Children, or all that is below."""
    made: list = []
    for child in element.children:
        made.append(child)
        if deep:
            made += _below(child, True)
    return made
