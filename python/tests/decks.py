"""Decks of random meshes, written in many ways, and what each says: the points of all cells, or
None where it cannot be read as a whole. Nothing here knows the readers."""

import random as stdlib_random
import re
from typing import NamedTuple

from decks_abaqus import Abaqus
from decks_counted import Gmsh, Off, Su2, Tecplot
from decks_mesh import Mesh, shuffled


class Deck(NamedTuple):
    """`files`: their texts by name, "a" + ending first. `cells`: points of each cell, in any order;
    None: the file has to be an error. `what`: what was done to it."""

    ending: str
    files: dict
    cells: object
    what: str


# ---- Nastran


class Nastran:
    ending = ".bdf"
    types = {3: ("CTRIA3", "CTRIAR"), 4: ("CQUAD4", "CQUADR", "CSHEAR"), 0: ("CTETRA",)}

    def __init__(self, random):
        self.random = random

    def real(self, x, width):
        """In a field: with a point, sometimes with an exponent without its letter."""
        texts = [f"{x:.3f}"]
        if abs(x) >= 0.001:
            head, _, exponent = f"{x:.3e}".partition("e")
            texts += [
                f"{head}{int(exponent):+d}",
                f"{head}E{int(exponent)}",
                f"{head}D{int(exponent)}",
            ]
        if x == int(x):
            texts.append(f"{int(x)}.")
        fits = [text for text in texts if len(text) <= width and float_of(text) == x]
        return self.random.choice(fits)

    def card(self, name, fields):
        """Fields are numbers, texts, or None; reals are floats."""
        random = self.random
        while fields and fields[-1] is None:
            fields = fields[:-1]
        form = random.choice(("free", "small", "large", "small"))

        def text(field, width):
            if field is None:
                return ""
            return self.real(field, width) if isinstance(field, float) else str(field)

        name = random.choice((name, name, name.lower()))
        if form == "free":
            rows = [
                [text(f, 16) for f in fields[k : k + 8]] for k in range(0, max(len(fields), 1), 8)
            ]
            made = ",".join([name, *rows[0]])
            return made + "".join(
                "\n" + random.choice((",", "+,")) + ",".join(row) for row in rows[1:]
            )
        count, width = (8, 8) if form == "small" else (4, 16)
        rows = [
            [text(f, width) for f in fields[k : k + count]]
            for k in range(0, max(len(fields), 1), count)
        ]
        star = "*" if form == "large" else ""
        mark = random.choice(("", "", "A1"))
        head, made = (name + star).ljust(8), []
        for k, row in enumerate(rows):
            cells = [random.choice((c.ljust, c.rjust))(width) for c in row] + [" " * width] * (
                count - len(row)
            )
            end = f"{star or '+'}{mark}{k}" if mark and k < len(rows) - 1 else ""
            made.append((head + "".join(cells) + end).rstrip())
            head = (f"{star or '+'}{mark}{k}" if mark else (star or random.choice("+ "))).ljust(8)
        return "\n".join(made)

    def grids(self, mesh, system=0, local=lambda x: x, numbers=None):
        made = []
        for k in numbers or mesh.numbers:
            point = [float(x) for x in local(mesh.points[k])]
            made.append(self.card("GRID", [k, system or None, *point]))
        return made

    def elements(self, mesh):
        made = []
        for number, width, corners in mesh.cells:
            name = self.random.choice(self.types[width])
            made.append(self.card(name, [number, self.random.randint(1, 3), *corners]))
        return made

    def plain(self):
        mesh = Mesh(self.random)
        return (
            shuffled(self.random, self.grids(mesh) + self.elements(mesh)),
            mesh.truth(),
            {},
            "plain",
        )

    def included(self):
        mesh = Mesh(self.random)
        cards = shuffled(self.random, self.grids(mesh) + self.elements(mesh))
        half = len(cards) // 2
        name = self.random.choice(("INCLUDE 'b.txt'", "include b.txt", 'INCLUDE "b.txt"'))
        return (
            cards[:half] + [name],
            mesh.truth(),
            {"b.txt": "\n".join(cards[half:]) + "\n"},
            "included",
        )

    def systems(self):
        """Two systems, of which the second is defined in the first, whose axes are permuted."""
        mesh, random = Mesh(self.random), self.random
        origin = [float(random.randint(-5, 5)) for _ in range(3)]
        # z along y, x along z: so y is along x
        b, c = [*origin], [*origin]
        b[1] += 2
        c[2] += 3
        c[1] += 1
        cards = [self.card("CORD2R", [7, None, *origin, *b, *c])]
        # in system 7, moved along its z: the points (0, 0, 4) + the same axes
        second = [8, 7, 0.0, 0.0, 4.0, 0.0, 0.0, 9.0, 1.0, 0.0, 4.0]
        cards.append(self.card("CORD2R", second))

        def in_7(point):
            x, y, z = (p - o for p, o in zip(point, origin))
            return [round(z, 3), round(x, 3), round(y, 3)]

        def in_8(point):
            x, y, z = in_7(point)
            return [x, y, round(z - 4, 3)]

        third = len(mesh.numbers) // 3
        default = random.random() < 0.3
        cards += self.grids(mesh, 0 if default else 7, in_7, mesh.numbers[: 2 * third])
        cards += self.grids(mesh, 8, in_8, mesh.numbers[2 * third :])
        if default:
            cards.append(self.card("GRDSET", [None, 7]))
        return shuffled(random, cards + self.elements(mesh)), mesh.truth(), {}, "systems"

    def round_systems(self):
        """Cylindrical and spherical systems, at right angles."""
        mesh = Mesh(self.random)
        cards = [
            self.card("CORD2C", [5, None, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0]),
            self.card("CORD2S", [6, None, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 2.0, 0.0, 0.0]),
        ]
        mesh.points[7001], mesh.points[7002] = [0, 2, 3], [1, 5, 0]
        cards += [self.card("GRID", [7001, 5, 2.0, 90.0, 3.0])]
        cards += [self.card("GRID", [7002, 6, 5.0, 90.0, 90.0])]
        mesh.cells.append((950, 3, [mesh.numbers[0], 7001, 7002]))
        return cards + self.grids(mesh) + self.elements(mesh), mesh.truth(), {}, "round_systems"

    def points_systems(self):
        """CORD1R: by grids."""
        mesh = Mesh(self.random)
        for k, at in ((7001, [1, 1, 0]), (7002, [1, 1, 5]), (7003, [1, 4, 0])):
            mesh.points[k] = at
        cards = self.grids(mesh, numbers=[*mesh.numbers, 7001, 7002, 7003])
        cards.append(self.card("CORD1R", [4, 7001, 7002, 7003]))
        cards.append(self.card("GRID", [7004, 4, 2.0, 0.0, 1.0]))
        mesh.points[7004] = [1, 3, 1]  # its x is along y
        mesh.cells.append((950, 3, [7001, 7002, 7004]))
        return (
            shuffled(self.random, cards + self.elements(mesh)),
            mesh.truth(),
            {},
            "points_systems",
        )

    makers = ("plain", "plain", "included", "systems", "systems", "round_systems", "points_systems")

    def noise(self, lines):
        random = self.random
        for _ in range(random.randint(0, 3)):
            lines.insert(
                random.randint(0, len(lines)),
                random.choice(
                    (
                        "$ a comment, GRID",
                        "CBAR,901,1,1,2,0.,0.,1.",
                        "PSHELL         1       1     0.1",
                        "MAT1,1,2.1+5,,.3",
                        "SPC1,1,123456,1,2",
                        "SPOINT,3001,THRU,3010",
                    )
                ),
            )
        form = random.randint(0, 3)
        if form == 0:
            return lines  # a punch file
        head = (
            ["BEGIN BULK"]
            if form == 1
            else ["SOL 101", "CEND", "TITLE = GRID, 1", "SPC = 1", "begin bulk"]
        )
        return head + lines + random.choice((["ENDDATA"], [], ["enddata $", "GRID,1,,5.,5.,5."]))

    def refused(self, lines):
        words = (
            "CHEXA,990,1,1,2,3,4,1,2\n,3,4",
            "CTRIA6,990,1,1,2,3,4,1,2",
            "CQUAD8,990,1,1,2,3,4,1,2\n,3,4",
            "SELOC,1,1,2,3,4,5,6",
            "CAERO1,990,1,,1,,,,1",
            "CORD3G,9,E123,45.",
            "CTRIAX6,990,1,1,2,3,4,1",
            "CPENTA,990,1,1,2,3,4,1,2",
            "GMCURV,1,POINT",
            "NOSUCH,1",
            "=,*1",
            "CTETRA,990,1,1,2,3,4,1,2\n,3",
        )
        at = [
            k
            for k, line in enumerate(lines)
            if line.upper().startswith(("GRID", "CTRIA", "CQUAD", "CTETRA"))
        ]
        lines.insert(self.random.choice(at), self.random.choice(words))
        return lines

    def damaged(self, lines):
        at = [
            k
            for k, t in enumerate(lines)
            if t.upper().startswith(("GRID", "CTRIA", "CQUAD", "CTETRA", "CORD"))
            and not t.startswith("GRID,1,,5.")
        ]
        k = self.random.choice(at)
        place = self.random.randint(0, 3)
        lines[k] = lines[k][:place] + self.random.choice("XYZ9") + lines[k][place + 1 :]
        return lines


def float_of(text):
    found = re.fullmatch(r"([+-]?[0-9.]+)[EeDd]?([+-]?\d+)?", text)
    return float(f"{found[1]}e{found[2] or 0}")


FORMATS = (Abaqus, Nastran, Su2, Off, Gmsh, Tecplot)


def make(seed):
    """A deck, as it is or changed in a way of which it is known what becomes of it."""
    random = stdlib_random.Random(seed)
    form = FORMATS[seed % len(FORMATS)](random)
    lines, cells, more, what = getattr(form, random.choice(form.makers))()
    way = random.choice(("", "", "refused", "damaged"))
    if way:
        lines, cells, what = getattr(form, way)(lines), None, f"{what}, {way}"
    if way != "refused" and hasattr(form, "noise"):
        lines = form.noise(lines)
    end = random.choice(("\n", "\n", "\r\n"))
    name = f"a{form.ending}"
    files = {name: ("\n".join(lines) + "\n").replace("\n", end), **more}
    return Deck(form.ending, files, cells, what)
