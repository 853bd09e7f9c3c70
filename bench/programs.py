"""Runs that are programs of their own (model.c, missile.c, trees.c, refit.c, growth.c, pcs.c), each of which writes its figures
to a file (sheet.h); and what a test of volumes costs. They are reported, stored and compared here."""

import csv
import subprocess
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import report

COLUMNS = ("table", "row", "column", "kind", "value")


@dataclass(frozen=True)
class Figure:
    table: str
    row: str
    column: str
    kind: str  # "count": the same everywhere; "seconds"; "number": any other
    value: float

    @property
    def place(self):
        return self.table, self.row, self.column


# ---- files


def read_csv(path):
    with open(path, newline="") as f:
        return [
            Figure(*(line[c] for c in COLUMNS[:4]), float(line["value"])) for line in csv.DictReader(f)
        ]


def write_csv(path, figures):
    with open(path, "w", newline="") as f:
        out = csv.writer(f, lineterminator="\n")
        out.writerow(COLUMNS)
        for x in figures:
            out.writerow([*x.place, x.kind, "%d" % x.value if x.kind == "count" else "%.6g" % x.value])


# ---- tables


def cell(figure):
    if figure.kind == "count":
        return "{:,}".format(int(figure.value))
    value, digits = (1e3 * figure.value, 4) if figure.kind == "seconds" else (figure.value, 3)
    return "{:,.0f}".format(value) if abs(value) >= 1000 else "%.*g" % (digits, value)


def head(column, figures):
    return column + ", ms" * (figures[0].kind == "seconds")


def table(figures):
    """Of one table: rows and columns in the order of their first figure."""
    rows, columns = defaultdict(dict), defaultdict(list)
    for x in figures:
        rows[x.row][x.column] = cell(x)
        columns[x.column].append(x)
    heads = [""] + [head(name, some) for name, some in columns.items()]
    return report.markdown(heads, [[row] + [c.get(name, "") for name in columns] for row, c in rows.items()])


def tables(figures):
    """[(title, table)]"""
    some = defaultdict(list)
    for x in figures:
        some[x.table].append(x)
    return [(title, table(of)) for title, of in some.items()]


# ---- what is wrong


def compare(before, now):
    """Counts that are not those of before. What is not there any more is a fault, what is new is not."""
    old = {x.place: x.value for x in before if x.kind == "count"}
    new = {x.place: x.value for x in now if x.kind == "count"}
    faults = ["%s: %s: %s: not there" % place for place in old if place not in new]
    for place in old.keys() & new.keys():
        if old[place] != new[place]:
            faults.append("%s: %s: %s: %d, before %d" % (*place, new[place], old[place]))
    return sorted(faults)


@dataclass(frozen=True)
class Demand:
    """A figure is at most so many times another one of its column."""

    table: str
    row: str
    of: str
    column: str
    most: float
    of_table: str = ""  # "": the same
    said: str = "takes %.3f times as long as"

    def judge(self, figures):
        """Returns a text and whether it holds: what is demanded and absent is a fault."""
        found = {x.place: x.value for x in figures}
        places = (self.table, self.row), (self.of_table or self.table, self.of)
        pair = [found.get((*place, self.column)) for place in places]
        name, other = "%s: %s" % places[0], "%s: %s" % places[1] if self.of_table else self.of
        if None in pair or not pair[1]:
            return "%s is demanded beside %s, but is not there" % (name, other), False
        times = pair[0] / pair[1]
        text = " ".join(("%s", self.said, "%s, at most %.3g is wanted"))
        return text % (name, times, other, self.most), times <= self.most


class Program:
    """A run: where --csv is written to, the tables, and what is demanded of them."""

    def __init__(self, name, title, program, runs, demands=(), zeros=()):
        self.__name__ = name
        self.title = title
        self.program = program  # in build/release
        self.runs = runs  # arguments of each time it is started
        self.demands = demands
        self.zeros = zeros  # columns, and the rows that have none of it

    def measure(self, args, folder):
        """Its figures. Ends with the program's own line if that fails."""
        return [x for words in self.runs for x in self.start(args, folder, words)]

    def start(self, args, folder, words):
        path = folder / (self.__name__ + "-figures.csv")
        command = [args.impinge.parent / self.program, *words, "--csv", path]
        subprocess.run(command, check=True)
        figures = read_csv(path)
        path.unlink()
        return figures

    def judge(self, figures):
        """Returns faults and notes."""
        faults, notes = [], []
        for demand in self.demands:
            text, holds = demand.judge(figures)
            (notes if holds else faults).append(text)
        for row, column in self.zeros:
            some = [x for x in figures if (x.row, x.column) == (row, column)]
            if not some:
                faults.append("%s: %s: not there" % (row, column))
            faults += ["%s: %s: %s: %d, 0 is wanted" % (*x.place, x.value) for x in some if x.value]
        return faults, notes

    def write_all(self, folder, figures, machine_text, isa):
        text = "# %s\n\n%s\n" % (self.title, machine_text)
        for title, body in tables(figures):
            text += "\n### %s\n\n%s\n" % (title, body)
        (folder / (self.__name__ + ".md")).write_text(text)
        write_csv(folder / (self.__name__ + ".csv"), figures)


class Missile(Program):
    """And what tests of volumes cost, counted (operations.cpp)."""

    def measure(self, args, folder):
        figures = super().measure(args, folder)
        return figures + operations(folder)


def operations(folder):
    bench = Path(__file__).resolve().parent
    program, path = folder / "operations", folder / "operations.csv"
    folders = [word for name in ("tree", "base") for word in ("-I", bench.parent / "host" / name)]
    words = ["-std=c++20", *folders, bench / "operations.cpp", "-o", program]
    subprocess.run(["c++", *words], check=True)
    path.write_text(subprocess.run([program], check=True, capture_output=True, text=True).stdout)
    figures = read_csv(path)
    program.unlink()
    path.unlink()
    return figures


class Pcs(Program):
    """And two batches of rigid bodies as users have them (stack.py)."""

    def measure(self, args, folder):
        return super().measure(args, folder) + [
            x for aside in (0.05, 0.0) for x in self.stack(args, folder, aside)
        ]

    def stack(self, args, folder, aside):
        import stack  # needs h5py

        path = folder / "stack.vtkhdf"
        path.unlink(missing_ok=True)
        stack.write(path, aside=aside)
        figures = self.start(args, folder, ["batch", path])
        path.unlink()
        return figures


# ---- which there are

MODEL_SIZES = {300_000: 303_918, 1_000_000: 1_053_696}  # asked for, and what is made
MISSILE_SETTINGS = ((100, 0.02), (300, 0.005), (300, 0.02), (300, 0.05)) + (
    *((600, 0.02), (1000, 0.02), (1000, 0.05), (2000, 0.05)),
)
MISSILE_SEEN = "aircraft, 300 m/s, 0.005 s"
PCS_RATIOS = (1, 2, 10, 100, 1000, 10_000)
PCS_STACKS = ("stack of 30 boxes, 1000 frames", "straight stack of 30 boxes, 1000 frames")

ALL = [
    Program(
        *("model", "impinge: a model in memory of which 1 % move", "bench_model"),
        [["cpu", str(size)] for size in MODEL_SIZES],
        [
            Demand("%d tetrahedra" % n, "hash, kept", "hash, made anew", "frame", 1 / 3)
            for n in MODEL_SIZES.values()
        ],
    ),
    Missile(
        *("missile", "impinge: a missile's flight, watched", "bench_missile", [[]]),
        # [S] section 3: binary trees down to single triangles, all of whose volumes are put in place
        [
            Demand("%g m/s, %g s" % at, "hybrid, all posed", "OBB, all posed", "frame", 0.883)
            for at in MISSILE_SETTINGS
        ]
        # the same: vectors miss, trees do not, in frames alone
        + [
            Demand(*(MISSILE_SEEN, row, "vectors", "missed", 0), said="misses %.3f times as often as")
            for row in ("OBB", "hybrid")
        ],
        [("continuous", "missed")],
    ),
    Program("tree-table", "impinge: all kinds of trees", "bench_trees", [[]]),
    Program("refit", "impinge: trees that are fitted, and made again", "bench_refit", [[]]),
    Program("growth", "impinge: trees of spheres and the hash, from 10^4 to 10^7", "bench_growth", [[]]),
    Program(
        *("distance", "impinge and libccd: convex bodies whose distance is known", "bench_distance", [[]]),
        zeros=[("all", "impinge: off by over 1e-9"), ("all", "impinge: beyond its error")],
    ),
    Pcs(
        *("pcs", "impinge: possible collision sets", "bench_pcs", [[], ["scenes"]]),
        [
            Demand("%d bodies, R = 10000" % n, "tiles", peer, "frame", most)
            for n, peer, most in (
                *((10_000, "sort and sweep", 1 / 1.5), (100_000, "sort and sweep", 1 / 1.5)),
                (100_000, "one grid", 1 / 5),
            )
        ]
        + [
            Demand(
                *("100000 bodies, R = %d" % ratio, "tiles", "tiles", "ns, of n log2 2R", 2),
                "1000 bodies, R = %d" % ratio,
            )
            for ratio in PCS_RATIOS
        ]
        + [
            Demand(
                *(stack, "impinge", peer, "greatest overlap", 1 / 100), said="has %.3f times the overlap of"
            )
            for stack in PCS_STACKS
            for peer in ("dSweepAndPruneSpace", "dHashSpace")
        ],
        [("impinge", column) for column in ("out of order", "energy, most above first", "fell")],
    ),
]
