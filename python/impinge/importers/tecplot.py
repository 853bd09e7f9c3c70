"""Tecplot's data in text. meshio's reader takes the first zone and VTK's narrows points to float32
and does not say what it skips, so it is read here.

Zones with times (SOLUTIONTIME) are frames; those of one time, and those that have none and are in
every frame, are objects.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

import numpy as np

from . import notes
from .mesh import (
    HEXAHEDRON,
    QUAD,
    TETRAHEDRON,
    TRIANGLE,
    Piece,
    bare,
    bricks,
    lasting,
    quads,
    uniform,
)
from .numbered import WIDTH, Bad, lines_of, reading, without_repeats

_TYPES = {
    "ORDERED": None, "FELINESEG": 3, "FETRIANGLE": TRIANGLE, "FEQUADRILATERAL": QUAD,
    "FETETRAHEDRON": TETRAHEDRON, "FEBRICK": HEXAHEDRON,
}  # fmt: skip
_OLD_TYPES = {
    "LINESEG": "FELINESEG", "TRIANGLE": "FETRIANGLE", "QUADRILATERAL": "FEQUADRILATERAL",
    "TETRAHEDRON": "FETETRAHEDRON", "BRICK": "FEBRICK",
}  # fmt: skip
_REFUSED_TYPES = ("FEPOLYGON", "FEPOLYHEDRON", "FEMIXED")
_ALIASES = {"N": "NODES", "E": "ELEMENTS", "F": "DATAPACKING", "ET": "ZONETYPE"}
_ZONE = (
    "T", "I", "J", "K", "NODES", "ELEMENTS", "ZONETYPE", "DATAPACKING", "VARLOCATION",
    "VARSHARELIST", "CONNECTIVITYSHAREZONE", "STRANDID", "SOLUTIONTIME", "D", "PASSIVEVARLIST",
)  # fmt: skip
_ZONE_IGNORED = ("DT", "C", "AUXDATA", "PARENTZONE", "FACENEIGHBORMODE", "FACENEIGHBORCONNECTIONS")
_ZONE_REFUSED = (
    "NV", "FACES", "TOTALNUMFACENODES", "NUMCONNECTEDBOUNDARYFACES",
    "TOTALNUMBOUNDARYCONNECTIONS", "SECTIONS",
)  # fmt: skip
_RECORDS = ("TITLE", "FILETYPE", "VARIABLES", "ZONE")
_RECORDS_IGNORED = ("TEXT", "GEOMETRY", "CUSTOMLABELS", "DATASETAUXDATA", "VARAUXDATA")

_number = re.compile(r"[+-]?(\d|\.\d|nan\b|inf)|\d+\*", re.I)
_pair = re.compile(
    r'([A-Za-z]\w*)(?:\s+([A-Za-z]\w*))?\s*=\s*("(?:\\.|[^"\\])*"|\((?:[^()]|\([^()]*\))*\)|[^\s,]+)'
)
_comment = re.compile(r'#(?=(?:[^"]*"[^"]*")*[^"]*$).*')


class _Record(NamedTuple):
    word: str
    head: str  # after the word
    data: list  # words of numbers
    line: int

    def bad(self, text: object) -> Bad:
        return Bad(f"{self.word}: {text}", self.line)


class Zone(NamedTuple):
    name: str
    strand: int | None
    time: float | None
    variables: list  # arrays, None where a cell has the value
    kind: int | None  # VTK's type; None: ordered
    cells: np.ndarray  # (m, k) rows of points
    line: int


# ---- records


def _records(data: bytes) -> list:
    if data[:5] == b"#!TDV":
        raise Bad("a binary file of Tecplot, which is not read; write it as text")
    made: list = []
    for number, text in enumerate(lines_of(data), 1):
        text = (_comment.sub("", text) if "#" in text else text).strip()
        if not text:
            continue
        found = re.match(r"([A-Za-z]+)\b\s*(?:=\s*)?", text)
        word = found[1].upper() if found else ""
        if word in (*_RECORDS, *_RECORDS_IGNORED) and not _open(made):
            made.append(_Record(word, text[found.end() :], [], number))
        elif not made:
            raise Bad(f"'{text[:40]}' where a record should begin", number)
        elif _number.match(text) and not _open(made):
            made[-1].data.append((number, text))
        elif made[-1].data and made[-1].word == "ZONE":
            raise Bad(f"'{text[:40]}' among the numbers of a zone", number)
        elif made[-1].data:
            made[-1].data.append((number, text))
        else:
            made[-1] = made[-1]._replace(head=f"{made[-1].head} {text}")
    return made


def _open(made: list) -> bool:
    """Does the record's head go on, within parentheses?"""
    head = re.sub(r'"[^"]*"', "", made[-1].head) if made else ""
    return head.count("(") > head.count(")")


def _values(record: _Record) -> tuple:
    """Numbers, n*x as n times x, and the line of each word."""
    words, lines = [], []
    for number, text in record.data:
        row = text.replace(",", " ").split()
        words += row
        lines += [number] * len(row)
    if any("*" in word for word in words):
        pairs = [word.rpartition("*") for word in words]
        lines = [n for n, (k, star, _) in zip(lines, pairs) for _ in range(int(k) if star else 1)]
        words = [x for k, star, x in pairs for _ in range(int(k) if star else 1)]
    try:
        return np.array(words, "S").astype(np.float64) if words else np.zeros(0), lines
    except ValueError:
        return np.array([_real(word, line) for word, line in zip(words, lines)]), lines


def _real(word: str, line: int) -> float:
    try:
        return float(word.upper().replace("D", "E"))
    except ValueError:
        raise Bad(f"'{word[:40]}' where a number should be", line) from None


def _pairs(record: _Record) -> tuple:
    """What a zone's head says, in upper case but for names; and what of it is left out."""
    given: dict = {}
    ignored: Counter = Counter()
    rest = _pair.sub("", record.head)
    if rest.replace(",", " ").strip():
        raise record.bad(f"'{rest.strip()[:60]}'")
    for one, two, value in _pair.findall(record.head):
        key = _ALIASES.get(one.upper(), one.upper())
        if key == "AUXDATA" or key in _ZONE_IGNORED:
            ignored[key] += 1
        elif key in _ZONE_REFUSED:
            raise record.bad(f"{one}, which is not read")
        elif key not in _ZONE or two:
            raise record.bad(f"{one} {two}".strip() + ", which is not known here")
        elif key in given:
            raise record.bad(f"{one} is given twice")
        else:
            given[key] = value.strip('"') if key == "T" else value.upper()
    return given, ignored


# ---- zones


def _listed(text: str, count: int) -> list:
    """Numbers from 0 of [1-3,5]."""
    made: list = []
    for part in text.strip("[]() ").split(","):
        first, _, last = part.partition("-")
        made += range(int(first) - 1, int(last or first))
    if any(not 0 <= k < count for k in made):
        raise ValueError(f"a variable that is not there, in {text}")
    return made


def _per_variable(text: str, count: int) -> dict:
    """([1-3]=1,[4]=2), ([4-5]) or (NODAL,CELLCENTERED): a value for some variables; "" without."""
    made: dict = {}
    inner = text.strip()[1:-1]
    if "[" not in inner and "=" not in inner:
        parts = [part.strip() for part in inner.split(",") if part.strip()]
        if all(part.isalpha() for part in parts):
            return dict(enumerate(parts))
        return dict.fromkeys(_listed(inner, count), "")
    for listed, value in re.findall(r"(\[[^\]]*\]|\d+)\s*(?:=\s*([A-Z0-9]+))?", inner):
        made.update(dict.fromkeys(_listed(listed, count), value))
    return made


class _Reader:
    def __init__(self) -> None:
        self.names: list = []
        self.zones: list = []
        self.ignored: Counter = Counter()

    def run(self, data: bytes) -> None:
        for record in _records(data):
            if record.word == "VARIABLES":
                names = _variables(record)
                if self.zones and names != self.names:
                    raise record.bad("other ones than before, which is not read")
                self.names = names
            elif record.word == "FILETYPE":
                if record.head.strip().upper() == "SOLUTION":
                    raise record.bad("SOLUTION: its grid is in another file")
            elif record.word == "ZONE":
                try:
                    self._zone(record)
                except (ValueError, IndexError) as what:
                    raise record.bad(what) from None
            elif record.word in _RECORDS_IGNORED:
                self.ignored[record.word] += 1
            elif record.data:
                raise record.bad("numbers that are of no zone")

    def _zone(self, record: _Record) -> None:
        given, ignored = _pairs(record)
        self.ignored += ignored
        centred = "CELLCENTERED" in given.get("VARLOCATION", "")
        packing = given.get("DATAPACKING", "BLOCK" if centred else "")
        if not packing:  # the default is another one in old versions
            raise record.bad("without DATAPACKING, which is not read")
        kind = _OLD_TYPES.get(given.get("ZONETYPE", ""), given.get("ZONETYPE", "ORDERED"))
        if packing.startswith("FE"):
            kind = given.get("ZONETYPE", "") and kind or "FETRIANGLE"
            packing = packing[2:]
        if kind in _REFUSED_TYPES:
            raise record.bad(f"ZONETYPE={kind}, which is not read")
        if kind not in _TYPES or packing not in ("POINT", "BLOCK"):
            raise record.bad(f"ZONETYPE={kind}, DATAPACKING={packing}")
        if not self.names:
            raise record.bad("without VARIABLES")
        shape, count, cells = _sizes(record, given, kind)
        values, lines = _values(record)
        variables, at = self._variables(record, given, packing, count, cells, values)
        corners = self._connectivity(record, given, kind, shape, (values, lines, at))
        strand = int(given["STRANDID"]) if "STRANDID" in given else None
        time = float(given["SOLUTIONTIME"]) if "SOLUTIONTIME" in given else None
        name, of = given.get("T", "").strip(), _TYPES[kind]
        self.zones.append(Zone(name, strand, time, variables, of, corners, record.line))

    def _shared(self, record: _Record, given: dict) -> dict:
        """Variables of zones before: rows of variables, and of the zone."""
        last = len(self.zones) - 1
        made = {}
        if "D" in given:  # of the zone before; FECONNECT are its cells
            of = [w for w in given["D"].strip("() ").split(",") if w and w != "FECONNECT"]
            made = dict.fromkeys((int(word) - 1 for word in of), last)
        listed = _per_variable(given.get("VARSHARELIST", "()"), len(self.names))
        made.update({k: int(zone) - 1 if zone else last for k, zone in listed.items()})
        for zone in made.values():
            if not 0 <= zone <= last:
                raise record.bad(f"a variable of zone {zone + 1}, which is not before it")
        return made

    def _variables(
        self, record: _Record, given: dict, packing: str, count: int, cells: int, values: np.ndarray
    ) -> tuple:
        """An array for each variable, and where its numbers end."""
        n = len(self.names)
        location = _per_variable(given.get("VARLOCATION", "()"), n)
        centred = {k for k, where in location.items() if where == "CELLCENTERED"}
        if packing == "POINT" and centred:
            raise record.bad("DATAPACKING=POINT with values of cells")
        shared = self._shared(record, given)
        passive = _per_variable(given.get("PASSIVEVARLIST", "()"), n)
        own = [k for k in range(n) if k not in shared and k not in passive]
        sizes = [cells if k in centred else count for k in own]
        total = sum(sizes)
        if total > len(values):
            raise record.bad(f"{len(values)} numbers where {total} should be")
        made: list = [None] * n
        for k, zone in shared.items():
            made[k] = self.zones[zone].variables[k]
        ends = np.cumsum([0, *sizes])
        for row, k in enumerate(own):
            of = values[:total].reshape(count, len(own))[:, row] if packing == "POINT" else None
            made[k] = values[ends[row] : ends[row + 1]] if of is None else of
            made[k] = None if k in centred else made[k]
        return made, total

    def _connectivity(
        self, record: _Record, given: dict, kind: str, shape: tuple, numbers: tuple
    ) -> np.ndarray:
        values, lines, at = numbers
        share = given.get("CONNECTIVITYSHAREZONE")
        if share is None and "FECONNECT" in given.get("D", ""):
            share = str(len(self.zones))
        if kind == "ORDERED" or share is not None:
            if at != len(values):
                raise Bad(f"{len(values) - at} numbers more than zone {record.line} has", lines[at])
            return _ordered(shape) if kind == "ORDERED" else self.zones[int(share) - 1].cells
        width = WIDTH.get(_TYPES[kind], 2)
        rest = values[at:]
        if len(rest) != shape[1] * width:
            text = f"{len(rest)} numbers where {shape[1]} elements of {width} nodes should be"
            raise record.bad(text)
        corners = rest.astype(np.int64)
        bad = np.flatnonzero((corners != rest) | (corners < 1) | (corners > shape[0]))
        if len(bad):
            raise Bad(f"there is no node {rest[bad[0]]:g} in its zone", lines[at + bad[0]])
        return corners.reshape(-1, width) - 1


def _variables(record: _Record) -> list:
    quoted = re.findall(r'"([^"]*)"', record.head)
    if record.data:
        raise record.bad("numbers that are of no zone")
    return quoted or record.head.replace(",", " ").split()


def _sizes(record: _Record, given: dict, kind: str) -> tuple:
    """(I, J, K) or (nodes, elements); the number of points; that of cells."""
    if kind == "ORDERED":
        shape = tuple(int(given.get(key, 1)) for key in "IJK")
        if min(shape) < 1 or "I" not in given:
            raise record.bad("without I")
        cells = int(np.prod([max(n - 1, 1) for n in shape]))
        return shape, int(np.prod(shape)), cells
    nodes, elements = given.get("NODES", given.get("I")), given.get("ELEMENTS", given.get("J"))
    if nodes is None or elements is None or min(int(nodes), int(elements)) < 0:
        raise record.bad("without NODES and ELEMENTS")
    return (int(nodes), int(elements)), int(nodes), int(elements)


def _ordered(shape: tuple) -> np.ndarray:
    """Quads of a surface, hexahedra of a volume; lines have none."""
    wide = [n for n in shape if n > 1]
    if len(wide) == 3:
        return bricks(*wide[::-1])
    if len(wide) < 2:
        return np.zeros((0, 4), np.int64)
    return quads(wide[1], wide[0])


# ---- frames


def _axes(names: list) -> list:
    """Rows of the variables X, Y and Z, whatever unit their names have."""
    plain = [re.split(r"[\[(,;]", name)[0].strip().upper() for name in names]
    made = []
    for axis in "XYZ":
        of = [k for k, name in enumerate(plain) if name in (axis, f"COORDINATE{axis}")]
        if len(of) > 1 or (not of and axis != "Z"):
            listed = ", ".join(names)
            raise Bad(f"VARIABLES: which of them is {axis}, of {listed}?")
        made += of
    return made


def _piece(zone: Zone, axes: list, name: str) -> Piece:
    columns = [zone.variables[k] for k in axes]
    if any(column is None for column in columns):
        raise Bad("ZONE: a coordinate that has no value at the nodes", zone.line)
    points = np.stack(columns, 1)
    points = np.pad(points, ((0, 0), (0, 3 - len(axes))))
    if zone.kind == 3 or (zone.kind is None and not len(zone.cells)):
        thin = len(zone.cells) if zone.kind == 3 else max(len(points) - 1, 1)
        return Piece(points, *bare(3, thin), name)
    kind = zone.kind or (HEXAHEDRON if zone.cells.shape[1] == 8 else QUAD)
    return without_repeats(Piece(points, *uniform(kind, zone.cells), name))


class TecplotSource:
    """A file. Its zones are read when it is opened, for their times."""

    def __init__(self, file: str):
        self.file = file
        reader = _Reader()
        with reading(file):
            with open(file, "rb") as stream:
                reader.run(stream.read())
            if not reader.zones:
                raise Bad("there is no ZONE")
            self._axes = _axes(reader.names)
            self._frames, self.times = _frames(reader.zones)
        notes.left_out(file, reader.ignored)

    def read(self, k: int) -> list:
        zones = self._frames[k]
        with reading(self.file):
            return [_piece(zone, self._axes, name) for zone, name in zones]

    def source(self, k: int) -> str:
        return self.file


def _frames(zones: list) -> tuple:
    """Zones and names of each frame, and times, or None."""
    still = [zone.strand == 0 or zone.time is None for zone in zones]
    strands: dict = {}
    for zone, is_still in zip(zones, still):
        if not is_still and zone.strand is not None and zone.strand > 0:
            strands.setdefault(zone.strand, []).append(zone)
    times = sorted({zone.time for zone, is_still in zip(zones, still) if not is_still})
    for number, own in strands.items():
        lacks = set(times) - {zone.time for zone in own}
        if lacks:
            text = f"strand {number} has no zone at the time {min(lacks):g}"
            raise Bad(f"ZONE: {text}; all strands should have all times", own[0].line)
    bodies = _bodies(zones, still, strands)
    known: dict = {}
    frames = []
    for time in times or [None]:
        of = [z for z, is_still in zip(zones, still) if is_still or z.time == time]
        ordered = sorted(of, key=lambda z: bodies[id(z)][0])
        own = dict(zip(map(id, ordered), lasting(known, [bodies[id(z)][1] for z in ordered])))
        frames.append([(z, own[id(z)] if len(of) > 1 else "") for z in of])
    return frames, times or None


def _bodies(zones: list, still: list, strands: dict) -> dict:
    """Of zones by their id: their place where names are given, and a number and a title. Bodies of
    all frames come first: zones that stand still, and strands, with the name of their first
    zone."""
    first = {id(zone): own[0] for own in strands.values() for zone in own}
    row = {id(zone): k for k, zone in enumerate(zones, 1)}
    made = {}
    for zone, is_still in zip(zones, still):
        of = first.get(id(zone), zone)
        number = zone.strand if id(zone) in first else 0 if is_still else -1
        title = of.name or f"zone {row[id(of)]}"
        made[id(zone)] = (number < 0, row[id(of)]), (number, title)
    return made


def is_tecplot(data: bytes) -> bool:
    """Does text look like Tecplot's?"""
    return re.search(rb"(?im)^\s*(TITLE|VARIABLES|ZONE|FILETYPE)\b", data) is not None
