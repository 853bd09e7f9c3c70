"""Decks of Abaqus: for decks.py."""

from decks_mesh import Mesh, shuffled, spread


class Abaqus:
    ending = ".inp"
    types = {
        3: ("S3", "M3D3", "R3D3", "CPS3", "SFM3D3", "S3R"),
        4: ("S4", "S4R", "M3D4", "R3D4"),
        0: ("C3D4", "C3D4H", "DC3D4"),
    }

    def __init__(self, random):
        self.random = random

    def keyword(self, text):
        """In any case, with blanks, sometimes abbreviated or in two lines."""
        random = self.random
        word, comma, rest = text.partition(",")
        word = random.choice((word, word.lower(), word.title()))
        if comma and random.random() < 0.2 and rest:
            return f"{word} ,\n {rest}"
        return word + (random.choice((",", " , ", ", ")) + rest if comma else "")

    def node(self, number, point):
        short = [f"{x:.3E}" for x in point]
        values = [
            s if self.random.random() < 0.5 and float(s) == x else f"{x!r}"
            for s, x in zip(short, point)
        ]
        values = [v.replace("E", "D") if self.random.random() < 0.1 else v for v in values]
        while values and float(values[-1].replace("D", "E")) == 0 and self.random.random() < 0.5:
            values.pop()
        return self.random.choice((", ", ",", " ,\t")).join([str(number), *values])

    def nodes(self, mesh, numbers, system=lambda x: x):
        random, made = self.random, []
        for part in spread(random, shuffled(random, numbers), 6):
            made.append(self.keyword(f"*NODE{random.choice(('', ', NSET=N1', ', NSET=all'))}"))
            made += [self.node(k, system(mesh.points[k])) for k in part]
        return made

    def element(self, number, corners):
        row = [str(x) for x in (number, *corners)]
        if self.random.random() < 0.15:
            at = self.random.randint(1, len(row) - 1)
            return ", ".join(row[:at]) + ",\n" + ", ".join(row[at:])
        return ", ".join(row) + self.random.choice(("", "", ","))  # a comma goes on only if short

    def elements(self, mesh):
        random, made = self.random, []
        for part in spread(random, mesh.cells, 4):
            for width in dict.fromkeys(w for _, w, _ in part):
                kind = random.choice(self.types[width])
                kind = kind if random.random() < 0.7 else kind.lower()
                title = f"*ELEMENT, TYPE={kind}" + random.choice(
                    ("", ", ELSET=E1", ', elset="a b"')
                )
                made.append(self.keyword(title))
                made += [self.element(n, c) for n, w, c in part if w == width]
        return made

    def noise(self, lines):
        """Comments, empty lines, keywords that are neither node nor element."""
        random = self.random
        starts = [k for k, line in enumerate(lines) if line.startswith("*")]
        made = list(lines)
        for _ in range(random.randint(0, 3)):
            made.insert(random.randint(0, len(made)), random.choice(("** x, 1, 2", "**")))
        ignored = (
            "*MATERIAL, NAME=M\n*ELASTIC\n2.1E5, 0.3",
            "*SHELL SECTION, ELSET=E1, MATERIAL=M\n0.1",
            "*STEP\n*STATIC\n*BOUNDARY\n1, 1, 3\n*END STEP",
            "*SURFACE, NAME=F\nE1, SPOS",
        )
        if random.random() < 0.6 and starts:
            heads = [
                k
                for k, t in enumerate(made)
                if t.startswith("*") and t[1:2] != "*" and not t.startswith("*include")
            ]
            made.insert(random.choice(heads), random.choice(ignored))
        return made

    def plain(self):
        mesh = Mesh(self.random)
        lines = self.noise(self.nodes(mesh, mesh.numbers) + self.elements(mesh))
        return lines, mesh.truth(), {}, "plain"

    def swapped(self):
        """Elements before nodes."""
        mesh = Mesh(self.random)
        return self.elements(mesh) + self.nodes(mesh, mesh.numbers), mesh.truth(), {}, "swapped"

    def included(self):
        mesh, random = Mesh(self.random), self.random
        half = len(mesh.numbers) // 2
        inner = (
            self.nodes(mesh, mesh.numbers[:half])
            if random.random() < 0.5
            else [self.node(k, mesh.points[k]) for k in mesh.numbers[:half]]
        )
        lines = ["*NODE", "*include, INPUT=" + random.choice(("b.txt", '"b.txt"'))]
        if random.random() < 0.5:
            inner = [self.node(k, mesh.points[k]) for k in mesh.numbers[:half]]
            lines = [f"*NODE, INPUT=b.txt, NSET=Q{random.randint(1, 9)}"]
        lines += self.nodes(mesh, mesh.numbers[half:]) + self.elements(mesh)
        return lines, mesh.truth(), {"b.txt": "\n".join(inner) + "\n"}, "included"

    def instances(self):
        random = self.random
        parts = {name: Mesh(random) for name in ("P1", "bracket-2")[: random.randint(1, 2)]}
        lines, truth = [], []
        for name, mesh in parts.items():
            lines += [self.keyword(f"*PART, NAME={name}")]
            lines += (
                self.nodes(mesh, mesh.numbers) + self.elements(mesh) + [self.keyword("*END PART")]
            )
        lines.append(self.keyword("*ASSEMBLY, NAME=A"))
        for k in range(random.randint(1, 4)):
            name = random.choice(list(parts))
            lines.append(self.keyword(f"*INSTANCE, NAME=I-{k}, PART={name}"))
            shift = [random.randint(-20, 20) / 4 for _ in range(3)]
            turn = random.choice(
                (
                    None,
                    None,
                    (0, 0, 0, 0, 0, 1, 90),
                    (1, 2, 0, 1, 2, 5, 180),
                    (1, 1, 1, 2, 1, 1, -90),
                )
            )
            if turn or random.random() < 0.8:
                lines.append(", ".join(map(str, shift)))
            else:
                shift = [0, 0, 0]
            if turn:
                lines.append(",".join(map(str, turn)))
            lines.append(self.keyword("*END INSTANCE"))
            move = quarter(shift, turn)
            truth += parts[name].truth(moved=move)
        return lines + [self.keyword("*END ASSEMBLY")], truth, {}, "instances"

    def systems(self):
        """*SYSTEM, of axes that are permuted, and cylindrical nodes at right angles."""
        mesh, random = Mesh(self.random), self.random
        half = len(mesh.numbers) // 2
        lines = self.nodes(mesh, mesh.numbers[:half])
        origin = [random.randint(-5, 5) for _ in range(3)]
        x, y = [0, 1, 0], [0, 0, 1]  # so z is x
        b = [o + 2 * d for o, d in zip(origin, x)]
        c = [o + 3 * d + e for o, d, e in zip(origin, y, x)]
        lines += [self.keyword("*SYSTEM"), ", ".join(map(str, origin + b)), ", ".join(map(str, c))]

        def local(point):
            px, py, pz = (p - o for p, o in zip(point, origin))
            return [py, pz, px]

        lines += self.nodes(mesh, mesh.numbers[half:], local)
        lines.append(self.keyword("*SYSTEM"))
        last = mesh.numbers[0]
        lines += [self.keyword("*NODE, SYSTEM=C"), f"{5000}, 2., 90., 3."]
        mesh.points[5000] = [0, 2, 3]
        mesh.cells.append((950, 3, [last, mesh.numbers[1], 5000]))
        return lines + self.elements(mesh), mesh.truth(), {}, "systems"

    def generated(self):
        """*NGEN, *NFILL, *NCOPY, *ELGEN, *ELCOPY: a strip of quads, and its copy."""
        random = self.random
        n, k = random.randint(2, 6), random.randint(1, 9)
        width, step = random.randint(1, 4) * n, 100
        ends = [f"{1}, 0., 0.", f"{1 + k * n}, {width}., 0., 0."]
        ends += [f"{1 + step}, 0., 1.", f"{1 + step + k * n}, {width}., 1."]
        lines = ["*NODE", *ends, "*NGEN, NSET=low", f"1, {1 + k * n}, {k}"]
        lines += ["*NGEN, NSET=high", f"{1 + step}, {1 + step + k * n}, {k}"]
        rows = {0: 0.0, 1: 1.0}
        if random.random() < 0.5:  # rows between, at halves
            lines += ["*NFILL", "low, high, 2, 50"]
            rows, step = {0: 0.0, 1: 0.5, 2: 1.0}, 50
        lines += ["*ELEMENT, TYPE=S4, ELSET=strip", f"1, 1, {1 + k}, {1 + k + step}, {1 + step}"]
        lines += ["*ELGEN, ELSET=strip", f"1, {n}, {k}, 1, {len(rows) - 1}, {step}, 10"]
        h = width / n
        cells = [
            [
                [i * h, rows[r], 0],
                [(i + 1) * h, rows[r], 0],
                [(i + 1) * h, rows[r + 1], 0],
                [i * h, rows[r + 1], 0],
            ]
            for r in range(len(rows) - 1)
            for i in range(n)
        ]
        if random.random() < 0.6:
            lines += ["*NSET, NSET=both, GENERATE" if k == 1 else "*NSET, NSET=both, ELSET=strip"]
            if k == 1:
                lines += [
                    f"{1 + a}, {1 + a + n}"
                    for a in {0, 100, step, 2 * step if len(rows) > 2 else 0}
                ]
            lines += ["*NCOPY, OLD SET=both, CHANGE NUMBER=1000, SHIFT, MULTIPLE=2", "0., 0., 4."]
            lines += ["*ELCOPY, OLD SET=strip, ELEMENT SHIFT=500, SHIFT NODES=2000"]
            cells += [[[x, y, 8] for x, y, _ in cell] for cell in cells]
        return lines, cells, {}, "generated"

    makers = ("plain", "plain", "swapped", "included", "instances", "systems", "generated")

    def refused(self, lines):
        """A keyword that makes, moves or chooses what is there."""
        words = (
            "*NMAP, NSET=N1",
            "*IMPERFECTION, FILE=x",
            "*IMPORT",
            "*ADJUST",
            "*RIGID SURFACE",
            "*SYMMETRIC MODEL GENERATION",
            "*MODEL CHANGE, REMOVE",
            "*ELEMENT, TYPE=C3D8",
            "*ELEMENT, TYPE=STRI65",
            "*NODE, SYSTEM=S",
            "*INSTANCE, NAME=X, PART=NONE",
            "*SURFACE, TYPE=REVOLUTION",
            "*NCOPY, REFLECT=MIRROR",
            "*RESTART, READ",
        )
        heads = [k for k, line in enumerate(lines) if line.startswith("*") and line[1:2] != "*"]
        lines.insert(self.random.choice(heads), self.random.choice(words) + "\n1, 2, 3, 4")
        return lines

    def damaged(self, lines):
        """A letter of a keyword is another."""
        heads = [
            k
            for k, t in enumerate(lines)
            if t.upper().startswith(
                (
                    "*NODE",
                    "*ELEMENT",
                    "*PART",
                    "*ELGEN",
                    "*INSTANCE",
                    "*NCOPY",
                    "*NGEN",
                    "*END PART",
                )
            )
        ]
        at = self.random.choice(heads)
        k = self.random.randint(1, 3)
        lines[at] = lines[at][:k] + self.random.choice("qxz") + lines[at][k + 1 :]
        return lines


def quarter(shift, turn):
    """Exactly: a shift, then a turn of 90, -90 or 180 degrees about an axis along x or z."""

    def move(point):
        x, y, z = (p + s for p, s in zip(point, shift))
        if turn is None:
            return [x, y, z]
        a, along = turn[:3], [turn[k + 3] != turn[k] for k in range(3)].index(True)
        i, j = {0: (1, 2), 2: (0, 1)}[along]
        p = [x, y, z]
        u, v = p[i] - a[i], p[j] - a[j]
        u, v = {90: (-v, u), -90: (v, -u), 180: (-u, -v)}[turn[6]]
        p[i], p[j] = a[i] + u, a[j] + v
        return p

    return move
