"""Decks of formats that say how many nodes and elements there are: for decks.py."""

from decks_mesh import Mesh, shuffled, spread


class Counted:
    """Formats whose points have places from 0 or 1. `base`: of the first."""

    def __init__(self, random):
        self.random = random

    def mesh(self, solids=True):
        mesh = Mesh(self.random, solids)
        mesh.place = {number: k for k, number in enumerate(mesh.numbers)}
        return mesh

    def row(self, values):
        return self.random.choice((" ", "  ", "\t")).join(str(v) for v in values)

    def damaged(self, lines):
        """A row is missing, or there twice."""
        rows = [k for k, line in enumerate(lines) if line[:1] in "-0123456789" and line.strip()]
        k = self.random.choice(rows)
        if self.random.random() < 0.5:
            return lines[:k] + lines[k + 1 :]
        return lines[: k + 1] + lines[k:]


class Su2(Counted):
    ending = ".su2"
    makers = ("plain", "plain", "marked", "zones", "flat")
    types = {3: 5, 4: 9, 0: 10}

    def zone(self, mesh, markers=0):
        random = self.random
        cells, rest = mesh.cells[markers:], mesh.cells[:markers]
        index = random.random() < 0.6
        eq = random.choice(("= ", "=", " = "))
        body = [f"NELEM{eq}{len(cells)}"]
        for k, (_, width, corners) in enumerate(cells):
            body.append(
                self.row(
                    [self.types[width], *(mesh.place[c] for c in corners), *([k] if index else [])]
                )
            )
        points = [f"NPOIN{eq}{len(mesh.numbers)}{random.choice(('', ' 3'))}"]
        points += [
            self.row([*mesh.points[n], *([k] if index else [])]) for k, n in enumerate(mesh.numbers)
        ]
        marks = [f"NMARK{eq}{min(len(rest), 1)}"]
        if rest:
            marks += [f"MARKER_TAG{eq}wall", f"MARKER_ELEMS{eq}{len(rest)}"]
            marks += [self.row([self.types[w], *(mesh.place[c] for c in cs)]) for _, w, cs in rest]
        blocks = [body, points, marks]
        head = [f"NDIME{eq}3"] + (["% a comment"] if random.random() < 0.4 else [])
        return head + [line for block in shuffled(random, blocks) for line in block]

    def plain(self):
        mesh = self.mesh()
        return self.zone(mesh), mesh.truth(), {}, "plain"

    def marked(self):
        mesh = self.mesh()
        return (
            self.zone(mesh, self.random.randint(0, len(mesh.cells) - 1)),
            mesh.truth(),
            {},
            "marked",
        )

    def zones(self):
        meshes = [self.mesh() for _ in range(self.random.randint(1, 3))]
        lines = [f"NZONE= {len(meshes)}"]
        for k, mesh in enumerate(meshes, 1):
            lines += [f"IZONE= {k}", *self.zone(mesh)]
        return lines, [cell for mesh in meshes for cell in mesh.truth()], {}, "zones"

    def flat(self):
        mesh = self.mesh(False)
        lines = [f"NDIME= 2\nNPOIN= {len(mesh.numbers)}"]
        lines += [self.row([*mesh.points[n][:2], k]) for k, n in enumerate(mesh.numbers)]
        lines += [f"NELEM= {len(mesh.cells)}"]
        lines += [
            self.row([self.types[w], *(mesh.place[c] for c in cs)]) for _, w, cs in mesh.cells
        ]
        return lines, mesh.truth(moved=lambda p: [p[0], p[1], 0]), {}, "flat"

    def noise(self, lines):
        for _ in range(self.random.randint(0, 2)):
            lines.insert(
                self.random.randint(0, len(lines)), self.random.choice(("", "% NELEM= 5", "%"))
            )
        return lines

    def refused(self, lines):
        words = (
            "NMARK= 9",
            "NOSUCH= 4",
            "NELEM= 99",
            "NPOIN= 99",
            "NZONE= 7",
            "IZONE= 9",
            "SEND_RECV= 1",
            "12 0 1 2 3 0 1 2 3",
            "NDIME= 4",
        )
        lines.insert(self.random.choice((0, len(lines))), self.random.choice(words))
        return lines


class Off(Counted):
    ending = ".off"
    makers = ("plain",)

    def plain(self):
        random, mesh = self.random, self.mesh(False)
        prefix = random.choice(("", "", "C", "N", "CN", "ST", "NC"))
        extra = {
            "C": lambda: [random.randint(0, 255) for _ in range(random.choice((3, 4)))],
            "N": lambda: [0, 0, 1],
            "T": lambda: [0.5, 0.25],
            "S": list,
        }
        lengths = {}

        def more():
            made = []
            for k in prefix:
                values = extra[k]()
                if k == "C":
                    lengths.setdefault(k, len(values))
                    values = (values + [255])[: lengths[k]]
                made += values
            return made

        edges = random.choice(([0], [random.randint(0, 99)], []))
        counts = [len(mesh.numbers), len(mesh.cells), *edges]
        head = f"{prefix}OFF"
        same = random.random() < 0.4
        lines = [f"{head} {self.row(counts)}"] if same else [head, self.row(counts)]
        if random.random() < 0.15 and not prefix:
            lines = [self.row(counts)]
        lines += [self.row([*mesh.points[n], *more()]) for n in mesh.numbers]
        for _, width, corners in mesh.cells:
            colour = random.choice(([], [], [255, 0, 0], [1.0, 0.5, 0.0, 1.0], [7]))
            lines.append(self.row([width, *(mesh.place[c] for c in corners), *colour]))
        return lines, mesh.truth(), {}, "plain"

    def noise(self, lines):
        random = self.random
        for _ in range(random.randint(0, 3)):
            lines.insert(random.randint(1, len(lines)), random.choice(("", "# 3 0 1 2", "   ")))
        k = random.randrange(len(lines))
        lines[k] += "  # to the end" if random.random() < 0.3 else ""
        return lines

    def refused(self, lines):
        head = self.random.choice(("4OFF", "nOFF\n3", "OFF BINARY", "STL", "BOFF"))
        first = lines[0].split()
        rest = " ".join(first[1:] if first[0].endswith("OFF") else first)
        return [f"{head} {rest}", *lines[1:]]


class Gmsh(Counted):
    ending = ".msh"
    makers = ("plain", "plain", "four", "four")
    types = {3: 2, 4: 3, 0: 4}

    def plain(self):
        random, mesh = self.random, self.mesh()
        lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$Nodes", len(mesh.numbers)]
        lines += [self.row([k, *mesh.points[k]]) for k in shuffled(random, mesh.numbers)]
        lines += ["$EndNodes", "$Elements", len(mesh.cells)]
        for number, width, corners in mesh.cells:
            tags = random.choice(([], [0, 1], [3, 4], [3, 4, 1, 2]))
            lines.append(self.row([number, self.types[width], len(tags), *tags, *corners]))
        return [str(line) for line in [*lines, "$EndElements"]], mesh.truth(), {}, "plain"

    def four(self):
        random, mesh = self.random, self.mesh()
        parts = spread(random, shuffled(random, mesh.numbers), 5)
        lines = ["$MeshFormat", "4.1 0 8", "$EndMeshFormat", "$Nodes"]
        lines.append(
            self.row([len(parts), len(mesh.numbers), min(mesh.numbers), max(mesh.numbers)])
        )
        for part in parts:
            parametric = random.random() < 0.3
            lines += [self.row([2, 1, int(parametric), len(part)]), *part]
            lines += [
                self.row([*mesh.points[k], *([0.5, 0.25] if parametric else [])]) for k in part
            ]
        lines += ["$EndNodes", "$Elements"]
        widths = dict.fromkeys(width for _, width, _ in mesh.cells)
        numbers = [number for number, *_ in mesh.cells]
        lines.append(self.row([len(widths), len(mesh.cells), min(numbers), max(numbers)]))
        for width in widths:
            own = [(n, corners) for n, w, corners in mesh.cells if w == width]
            lines.append(self.row([2 if width else 3, 1, self.types[width], len(own)]))
            lines += [self.row([n, *corners]) for n, corners in own]
        return [str(line) for line in [*lines, "$EndElements"]], mesh.truth(), {}, "four"

    def noise(self, lines):
        random = self.random
        if random.random() < 0.4:
            section = random.choice(("Comments", "NodeData", "Periodic", "Other"))
            lines.insert(random.choice((3, len(lines))), f"${section}\n0\n$End{section}")
        return lines

    def refused(self, lines):
        at = lines.index("$Elements")
        words = (
            "$NOD\n0\n$ENDNOD",
            "$ParametricNodes\n0\n$EndParametricNodes",
            "$Nodes\n0\n$EndNodes",
            "7",
        )
        lines.insert(at, self.random.choice(words))
        return lines


class Tecplot(Counted):
    ending = ".dat"
    makers = ("plain", "plain", "zones", "shared")
    types = {3: "TRIANGLE", 4: "QUADRILATERAL", 0: "TETRAHEDRON"}

    def head(self):
        self.more = self.random.choice((["P"], []))
        self.names = ["X", "Y", "Z", *self.more]
        if self.random.random() < 0.3:
            self.names = [*self.more, "Y", "Z", "x [m]"]
        listed = self.random.choice((" ", ", ", "\n")).join(f'"{name}"' for name in self.names)
        return ['TITLE = "a zone"', f"VARIABLES = {listed}"]

    def values(self, point):
        of = dict(zip("XYZ", point))
        return [of.get(name[:1].upper(), 7.5) if name != "P" else 7.5 for name in self.names]

    def zone(self, mesh, width, more=""):
        """Cells of one kind; some words are those of old files."""
        random = self.random
        cells = [corners for _, w, corners in mesh.cells if w == width]
        packing = random.choice(("POINT", "BLOCK"))
        rows = [self.values(mesh.points[n]) for n in mesh.numbers]
        if random.random() < 0.5:
            kind = f"F=FE{packing}, ET={self.types[width]}"
        else:
            kind = f"DATAPACKING={packing}, ZONETYPE=FE{self.types[width]}"
        size = random.choice(("N={}, E={}", "NODES={} ELEMENTS={}", "Nodes = {}, Elements = {}"))
        lines = [f"ZONE {size.format(len(rows), len(cells))}, {kind}{more}"]
        if packing == "BLOCK":
            rows = [list(column) for column in zip(*rows)]
            rows = [part for row in rows for part in spread(random, row, 5)]
        lines += [self.row(row) for row in rows]
        return lines + [self.row([mesh.place[c] + 1 for c in corners]) for corners in cells]

    def plain(self):
        mesh = self.mesh()
        width = mesh.cells[0][1]
        mesh.cells = [cell for cell in mesh.cells if cell[1] == width]
        return self.head() + self.zone(mesh, width), mesh.truth(), {}, "plain"

    def zones(self):
        mesh = self.mesh()
        widths = dict.fromkeys(width for _, width, _ in mesh.cells)
        lines = self.head()
        for k, width in enumerate(widths):
            lines += self.zone(mesh, width, self.random.choice(("", f', T="part {k}"')))
        return lines, mesh.truth(), {}, "zones"

    def shared(self):
        """The second zone has the first one's points, and values of their own of one of them."""
        mesh = self.mesh(False)
        n = len(mesh.numbers)
        triangles = [c for _, w, c in mesh.cells if w == 3]
        quads = [c for _, w, c in mesh.cells if w == 4]
        if not triangles or not quads:
            return self.plain()
        lines = self.head() + self.zone(mesh, 3)
        axes = [k for k, name in enumerate(self.names, 1) if name[:1].upper() in "XYZ"]
        listed = ",".join(f"[{k}]" for k in axes)
        listed = (
            f"([{axes[0]}-{axes[-1]}]=1)"
            if axes == [1, 2, 3]
            else f"([{','.join(map(str, axes))}]=1)"
        )
        lines += [f"ZONE N={n}, E={len(quads)}, DATAPACKING=BLOCK, ZONETYPE=FEQUADRILATERAL"]
        lines += [f"VARSHARELIST={listed}"]
        lines += [f"{n}*2.5"] if len(self.names) > 3 else []
        lines += [self.row([mesh.place[c] + 1 for c in corners]) for corners in quads]
        return lines, mesh.truth(), {}, "shared"

    def noise(self, lines):
        random = self.random
        for _ in range(random.randint(0, 2)):
            lines.insert(random.randint(0, len(lines)), random.choice(("", "# ZONE 1 2 3")))
        if random.random() < 0.3:
            lines.append('TEXT X=1, Y=2, T="ZONE N=1"')
        return lines

    def refused(self, lines):
        at = next(k for k, line in enumerate(lines) if line.startswith("ZONE"))
        words = (
            "ZONE N=8, E=1, F=FEPOINT, ET=BRICK",
            "ZONE NODES=3 FACES=3 ELEMENTS=1 ZONETYPE=FEPOLYGON",
            "ZONE I=2, J=2, K=2",
            "FILETYPE=SOLUTION",
            "ZONE N=3, E=1, NOSUCH=4, F=FEPOINT",
        )
        if self.random.random() < 0.3:
            lines[at] += ", NV=1"
        else:
            lines.insert(at, self.random.choice(words))
        return lines
