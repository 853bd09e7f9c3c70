"""Abaqus' (and CalculiX') input files. meshio's reader takes one *NODE block and drops what it does
not know, and no other library reads what generates nodes and elements, so it is read here.

Parts are placed by their instances, each of which is an object. What makes, moves or chooses nodes
and elements and is not read is an error that names the line (abaqus_words.py has all keywords).
"""

from __future__ import annotations

import os
from collections import Counter
from typing import Any

import numpy as np

from .._library import error, lib
from . import notes
from .abaqus_text import Line, Statement, beside, goes_on, numbers_of, read_lines, statements
from .abaqus_words import REFUSED, TAKEN, kind_of
from .mesh import Piece
from .numbered import WIDTH, Bad, Cells, Nodes, reading, real, whole
from .places import axes_of, cylindrical, placed, turned

# ---- a part, or the model without parts


class _Part:
    def __init__(self, name: str = ""):
        self.name = name
        self.nodes, self.frame = Nodes(), None
        self.elements: list = []  # VTK's type, ids, corners
        self.thin = 0
        self.nsets: dict = {}  # lists of numbers, by names in upper case
        self.orders: dict = {}  # of nsets: is it sorted, UNSORTED, or in parts both?
        self.elsets: dict = {}
        self.groups: dict = {}  # names of elsets that are groups, as they are written
        self.foreign: list = []  # instance and number of nodes of other parts; -1 - row is theirs

    def element(self, number: int, statement: Statement) -> tuple:
        for kind, ids, corners in reversed(self.elements):
            found = np.flatnonzero(ids == number)
            if len(found):
                return kind, corners[found[0]]
        raise statement.bad(f"there is no element {number} that is read")

    def add(self, kind: int, ids: Any, corners: Any, elset: str | None) -> None:
        ids = np.asarray(ids, np.int64)
        if len(ids):
            corners = np.asarray(corners, np.int64).reshape(len(ids), -1)
            self.elements.append((kind, ids, corners))
        if elset:
            self.into(self.elsets, elset, ids.tolist())

    def into(self, sets: dict, name: str, numbers: list, unsorted: bool = False) -> None:
        sets.setdefault(name.upper(), []).extend(numbers)
        if sets is self.elsets:
            self.groups.setdefault(name.upper(), name)
        else:
            self.orders.setdefault(name.upper(), set()).add(unsorted)

    def set_of(self, sets: dict, name: str, statement: Statement) -> list:
        if name.upper() not in sets:
            raise statement.bad(f"there is no set {name}")
        return sets[name.upper()]

    def in_order(self, name: str, statement: Statement) -> list:
        """Nodes of a set as Abaqus has them: ascending and each once, or as they were given."""
        numbers, orders = self.set_of(self.nsets, name, statement), self.orders[name.upper()]
        if len(orders) > 1:
            raise statement.bad(f"set {name}, of which a part is UNSORTED, which is not read")
        if True not in orders:
            return sorted(set(numbers))
        if len(set(numbers)) < len(numbers):
            raise statement.bad(f"set {name}, UNSORTED with a node twice, which is not read")
        return numbers


# ---- places


def _system(statement: Statement, data: list) -> tuple | None:
    """Origin, and axes as rows, of *SYSTEM's data: no point, a, (a, b) or (a, b, c)."""
    if not data:
        return None
    row = numbers_of(statement, data[0], real, 1, 6)
    origin, x = np.array(row[:3]), np.array(row[3:]) - row[:3]
    if len(data) == 1 and data[0].text.rstrip(" ,").count(",") < 3:
        return origin, np.eye(3)
    if len(data) > 1:
        to_c = np.array(numbers_of(statement, data[1], real, 2, 3)) - origin
        return origin, axes_of(np.cross(x, to_c), x)
    if x[2]:
        raise statement.bad("without a third point its axis is not in the xy plane", data[0])
    return origin, axes_of(np.array([0.0, 0, 1]), x)


def _move(statement: Statement) -> tuple:
    """A shift, and (a, b, degrees) or None."""
    data = [line for line in statement.data]
    while data and not data[-1].text.strip():
        data.pop()
    if len(data) > 2:
        raise statement.bad("more than two lines", data[2])
    shift = np.array(numbers_of(statement, data[0], real, 0, 3) if data else [0.0] * 3)
    if len(data) < 2:
        return shift, None
    turn = np.array(numbers_of(statement, data[1], real, 7, 7))
    if (turn[:3] == turn[3:6]).all():
        raise statement.bad("an axis of rotation between equal points", data[1])
    return shift, (turn[:3], turn[3:6], turn[6])


# ---- the model


class _Model:
    def __init__(self, file: str):
        self.file = file
        self.root = self.at = _Part()
        self.parts: dict = {}
        self.instances: list = []  # name, part, shift, turn
        self.instance = ""  # whose sets come now
        self.later: list = []  # elsets of instances: name, instance, ids
        self.ignored: Counter = Counter()

    def run(self) -> None:
        for statement in statements(self.file):
            word = statement.word
            if word in REFUSED:
                raise statement.bad(f"{REFUSED[word]}, which is not read")
            if word in TAKEN:
                try:
                    getattr(self, "_" + word.lower().replace(" ", "_"))(statement)
                except Bad as what:
                    raise what if what.line else statement.bad(what) from None
                except (ValueError, IndexError) as what:
                    raise statement.bad(what) from None
            else:
                self._ignore(statement)
        if self.at is not self.root:
            raise Bad(f"the file ends within part {self.at.name}")

    def _ignore(self, statement: Statement) -> None:
        word, given = statement.word, statement.given
        kind = (given.get("TYPE") or "").upper()
        if word == "SURFACE" and kind in ("SEGMENTS", "CYLINDER", "REVOLUTION", "USER"):
            raise statement.bad(f"TYPE={kind}: a surface of curves, which is not read")
        if word == "MODEL CHANGE" and kind != "CONTACT PAIR":
            raise statement.bad("elements that end or begin to exist, which is not read")
        if word == "RESTART" and "READ" in given:
            raise statement.bad("READ: its nodes and elements are in another file")
        self.ignored[f"*{word}"] += 1

    def _data(self, statement: Statement) -> list:
        """Lines that are not empty, of the file that INPUT names, too."""
        name = statement.given.get("INPUT") or statement.given.get("FILE")
        found = [line for line in statement.data if line.text.strip()]
        if name:
            path = beside(self.file, name)
            inner = read_lines(path, (os.path.abspath(self.file),), statement.line)
            found += [line for line in inner if line.text.strip()]
        return found

    def _heading(self, statement: Statement) -> None:
        """A title."""

    # -- parts and instances

    def _part(self, statement: Statement) -> None:
        name = statement.name("NAME")
        if self.at is not self.root or name.upper() in self.parts:
            raise statement.bad(f"{name} is within a part, or there already")
        self.at = self.parts[name.upper()] = _Part(name)

    def _end_part(self, statement: Statement) -> None:
        if self.at is self.root:
            raise statement.bad("without *PART")
        self.at = self.root

    def _assembly(self, statement: Statement) -> None:
        if self.at is not self.root:
            raise statement.bad("within a part")

    _end_assembly = _assembly

    def _instance(self, statement: Statement) -> None:
        name, part = statement.name("NAME"), statement.name("PART")
        if part.upper() not in self.parts:
            raise statement.bad(f"there is no part {part}")
        if any(name.upper() == one[0].upper() for one in self.instances) or self.instance:
            raise statement.bad(f"{name} is within an instance, or there already")
        self.instances.append((name, self.parts[part.upper()], *_move(statement)))
        self.instance = name

    def _end_instance(self, statement: Statement) -> None:
        self.instance = ""

    # -- nodes

    def _outside(self, statement: Statement) -> _Part:
        if self.instance:
            raise statement.bad("within *INSTANCE, which is not read")
        return self.at

    def _system(self, statement: Statement) -> None:
        part = self._outside(statement)
        data = [line for line in statement.data if line.text.strip()]
        if len(data) > 2:
            raise statement.bad("more than two lines", data[2])
        part.frame = _system(statement, data)

    def _node(self, statement: Statement) -> None:
        part = self._outside(statement)
        kind = (statement.given.get("SYSTEM") or "R").upper()
        if kind not in ("R", "C"):
            raise statement.bad(f"SYSTEM={kind}, which is not read")
        numbers, points = [], []
        for line in self._data(statement):
            row = numbers_of(statement, line, real, 1, 7)
            if row[0] != int(row[0]):
                raise statement.bad(f"node {row[0]}", line)
            numbers.append(int(row[0]))
            points.append(row[1:4])
        at = np.array(points, np.float64).reshape(-1, 3)
        at = cylindrical(at) if kind == "C" else at
        part.nodes.add(numbers, placed(at, *part.frame) if part.frame else at)
        if statement.given.get("NSET"):
            part.into(part.nsets, statement.given["NSET"], numbers)

    def _point(self, part: _Part, number: int) -> np.ndarray:
        return part.nodes.points[part.nodes.rows(np.array([number]))[0]]

    def _between(self, part: _Part, first: int, last: int, parts: int, step: int) -> list:
        """Nodes on a line between two, evenly."""
        a, b = self._point(part, first), self._point(part, last)
        numbers = [first + step * k for k in range(1, parts)]
        part.nodes.add(numbers, [a + (b - a) * (k / parts) for k in range(1, parts)])
        return numbers

    def _ngen(self, statement: Statement) -> None:
        part = self._outside(statement)
        for line in self._data(statement):
            first, last, step = numbers_of(statement, line, whole, 2, 3)
            step = step or 1
            if (last - first) % step or (last - first) // step < 1:
                raise statement.bad(f"from {first} to {last} in steps of {step}", line)
            made = self._between(part, first, last, (last - first) // step, step)
            if statement.given.get("NSET"):
                part.into(part.nsets, statement.given["NSET"], [first, *made, last])

    def _nfill(self, statement: Statement) -> None:
        part = self._outside(statement)
        for line in self._data(statement):
            one, other, *counts = (text.strip() for text in line.text.split(","))
            parts, step = [whole(text) for text in counts[:2]] + [1] * (2 - len(counts))
            sets = [self._nodes_in(part, name, statement) for name in (one, other)]
            if len(sets[0]) != len(sets[1]) or parts < 1 or len(counts) > 2:
                raise statement.bad(f"sets of {len(sets[0])} and {len(sets[1])} nodes", line)
            for first, last in zip(*sets):
                made = self._between(part, first, last, parts, step)
                if statement.given.get("NSET"):
                    part.into(part.nsets, statement.given["NSET"], [first, *made, last])

    def _nodes_in(self, part: _Part, name: str, statement: Statement) -> list:
        """Of a set, or the node of this number."""
        return [int(name)] if name.isdigit() else part.in_order(name, statement)

    def _ncopy(self, statement: Statement) -> None:
        part = self._outside(statement)
        if "SHIFT" not in statement.given:
            raise statement.bad("without SHIFT, which is not read")
        numbers = np.array(part.set_of(part.nsets, statement.name("OLD SET"), statement), np.int64)
        change = whole(statement.name("CHANGE NUMBER"))
        shift, turn = _move(statement)
        if turn and shift.any():
            raise statement.bad("a shift and a rotation, which is not read")
        points = part.nodes.points[part.nodes.rows(numbers)]
        for k in range(1, whole(statement.given.get("MULTIPLE") or "1") + 1):
            at = turned(points, turn[0], turn[1], k * turn[2]) if turn else points + k * shift
            part.nodes.add(numbers + k * change, at)
            if statement.given.get("NEW SET"):
                made = (numbers + k * change).tolist()
                part.into(part.nsets, statement.given["NEW SET"], made)

    # -- elements

    def _element(self, statement: Statement) -> None:
        part, name = self._outside(statement), statement.name("TYPE").upper()
        kind = kind_of(name)
        if kind is None:
            raise statement.bad(f"TYPE={name}, which is not read")
        data = self._data(statement)
        if not kind:
            starts = [k for k, line in enumerate(data) if not k or not goes_on(data[k - 1])]
            part.thin += len(starts)
            part.into(part.elsets, statement.given.get("ELSET") or "", [])
            return
        width, row, ids, corners = WIDTH[kind], [], [], []
        for line in data:
            row += self._element_row(part, statement, line)
            if len(row) == width + 1:
                ids.append(row[0])
                corners.append(row[1:])
                row = []
            elif len(row) > width + 1 or not goes_on(line):
                raise statement.bad(f"{len(row) - 1} nodes of TYPE={name}", line)
        if row:
            raise statement.bad(f"{len(row) - 1} nodes of TYPE={name}", data[-1])
        part.add(kind, ids, corners, statement.given.get("ELSET"))

    def _element_row(self, part: _Part, statement: Statement, line: Line) -> list:
        parts = [text for text in line.text.split(",") if text.strip()]
        try:
            if not self.instances or part is not self.root:
                return [whole(text) for text in parts]
            return [_foreign(part, text) if "." in text else whole(text) for text in parts]
        except ValueError:
            raise statement.bad(f"'{line.text.strip()[:60]}'", line) from None

    def _elgen(self, statement: Statement) -> None:
        part = self._outside(statement)
        for line in self._data(statement):
            row = numbers_of(statement, line, whole, 2, 10)
            kind, nodes = part.element(row[0], statement)
            shape = [max(count, 1) for count in row[1::3]]
            at = np.indices(shape).reshape(3, -1)
            by = np.array([row[2] or 1, row[5], row[8]]) @ at
            ids = row[0] + np.array([row[3] or 1, row[6], row[9]]) @ at
            part.add(kind, ids[1:], nodes + by[1:, None], statement.given.get("ELSET"))
            if statement.given.get("ELSET"):
                part.into(part.elsets, statement.given["ELSET"], [row[0]])

    def _elcopy(self, statement: Statement) -> None:
        part = self._outside(statement)
        chosen = part.set_of(part.elsets, statement.name("OLD SET"), statement)
        shift = whole(statement.name("ELEMENT SHIFT"))
        by = whole(statement.name("SHIFT NODES"))
        for kind, ids, corners in list(part.elements):
            of = np.isin(ids, chosen)
            if of.any():
                part.add(kind, ids[of] + shift, corners[of] + by, statement.given.get("NEW SET"))

    # -- sets

    def _nset(self, statement: Statement) -> None:
        if not self._of_instance(statement):
            name, part = statement.name("NSET"), self.at
            numbers = self._members(part.nsets, statement)
            if statement.given.get("ELSET"):
                chosen = part.set_of(part.elsets, statement.given["ELSET"], statement)
                for _, ids, corners in part.elements:
                    numbers += corners[np.isin(ids, chosen)].ravel().tolist()
            part.into(part.nsets, name, numbers, "UNSORTED" in statement.given)

    def _elset(self, statement: Statement) -> None:
        name, of = statement.name("ELSET"), self._of_instance(statement)
        part = self._part_of(of, statement) if of else self.at
        numbers = self._members(part.elsets, statement)
        if "INTERNAL" in statement.given:
            part.elsets.setdefault(name.upper(), []).extend(numbers)
        elif of:
            self.later.append((name, of.upper(), numbers))
        else:
            part.into(part.elsets, name, numbers)

    def _part_of(self, instance: str, statement: Statement) -> _Part:
        for name, part, *_ in self.instances:
            if name.upper() == instance.upper():
                return part
        raise statement.bad(f"there is no instance {instance}")

    def _of_instance(self, statement: Statement) -> str:
        return statement.given.get("INSTANCE") or self.instance

    def _members(self, sets: dict, statement: Statement) -> list:
        """Numbers, and those of sets that are named."""
        made: list = []
        for line in self._data(statement):
            if "GENERATE" in statement.given:
                first, last, step = numbers_of(statement, line, whole, 2, 3)
                made += range(first, last + 1, step or 1)
                continue
            for text in filter(None, map(str.strip, line.text.split(","))):
                if text.isdigit():
                    made.append(int(text))
                elif text.upper().strip('"') in sets:
                    made += self._set_in(sets, text.strip('"'), statement)
                elif "." in text and statement.word == "ELSET":
                    self._member_of(statement, text)
                elif statement.word == "ELSET" or "." not in text:
                    raise statement.bad(f"there is no set {text[:60]}", line)
        return made

    def _set_in(self, sets: dict, name: str, statement: Statement) -> list:
        """A set among the members of another. The order counts where this one is not sorted."""
        if statement.word == "NSET" and "UNSORTED" in statement.given:
            return self.at.in_order(name, statement)
        return sets[name.upper()]

    def _member_of(self, statement: Statement, text: str) -> None:
        """An element or a set of an instance, as "I-1.5"."""
        instance, _, name = text.rpartition(".")
        part = self._part_of(instance.strip('"'), statement)
        ids = [int(name)] if name.isdigit() else part.set_of(part.elsets, name, statement)
        self.later.append((statement.name("ELSET"), instance.strip('"').upper(), ids))


def _foreign(part: _Part, text: str) -> int:
    """A node of an instance, as "I-1.5"."""
    instance, _, number = text.strip().rpartition(".")
    part.foreign.append((instance.strip('"').upper(), whole(number)))
    return -len(part.foreign)


# ---- pieces


class _Groups:
    """The set of each element, from 1. Of several that have it the first counts; 0 is none."""

    def __init__(self, sets: list):
        members = [np.asarray(numbers, np.int64) for _, numbers in sets]
        flat = np.concatenate([np.zeros(0, np.int64), *members])
        self._known, first = np.unique(flat, return_index=True)
        self._set = np.repeat(np.arange(1, len(sets) + 1), [len(one) for one in members])[first]

    def of(self, ids: np.ndarray) -> np.ndarray:
        if not len(self._known):
            return np.zeros(len(ids), np.int64)
        at = np.searchsorted(self._known, ids).clip(max=len(self._known) - 1)
        return np.where(self._known[at] == ids, self._set[at], 0)


def _piece(part: _Part, nodes: Nodes, name: str, sets: list) -> Piece:
    cells = Cells()
    cells.thin = part.thin
    groups = _Groups(sets)
    for kind, ids, corners in part.elements:
        cells.add(kind, ids, corners, groups.of(ids))
    ids = np.sort(np.concatenate([[], *(block[1] for block in cells.blocks)]))
    again = ids[1:][ids[1:] == ids[:-1]]
    if len(again):
        raise Bad(f"there are two elements {again[0]:.0f}")
    return cells.piece(nodes, ("", *(title for title, _ in sets)), name)


def _sets(part: _Part) -> list:
    named = (name for name in part.elsets if name and name in part.groups)
    return [(part.groups[name], part.elsets[name]) for name in named]


def _pieces(model: _Model) -> list:
    """The model's own elements, and a piece for each instance. Points have numbers over all."""
    made, first, of_instance = [], 0, {}
    for name, part, shift, turn in model.instances:
        moved, points = Nodes(), part.nodes.points + shift
        moved.add(part.nodes.numbers, turned(points, *turn) if turn else points)
        later = [(title, ids) for title, of, ids in model.later if of == name.upper()]
        piece = _piece(part, moved, name, _sets(part) + later)
        made.append(piece._replace(nodes=first + np.arange(len(piece.points))))
        of_instance[name.upper()] = moved, first
        first += len(piece.points)
    own, nodes = model.root, Nodes()
    nodes.add(own.nodes.numbers, own.nodes.points)
    numbers = list(range(first, first + len(own.nodes.numbers)))
    for row, (name, number) in enumerate(own.foreign, 1):
        if name not in of_instance:
            raise Bad(f"a node {number} of {name}, which is no instance")
        moved, start = of_instance[name]
        at = moved.rows(np.array([number]))
        nodes.add([-row], moved.points[at])
        numbers.append(start + int(at[0]))
    piece = _piece(own, nodes, "", _sets(own))
    return [*made, piece._replace(nodes=np.array(numbers, np.int64)) if made else piece]


def read(file: str, groups: bool) -> list:
    with reading(file):
        model = _Model(file)
        model.run()
        pieces = _pieces(model)
    for part in model.parts.values():
        if not any(part is one[1] for one in model.instances) and part.elements:
            model.ignored["part without an instance"] += 1
    notes.left_out(file, model.ignored)
    if not groups:
        return [piece._replace(groups=None) for piece in pieces]
    if all(len(piece.group_names) == 1 for piece in pieces):
        raise error(lib.IMP_ERR_ARGUMENT, f"{file}: --groups: it has no groups")
    return pieces
