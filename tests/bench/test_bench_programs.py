"""bench/programs.py and what check.py compares of stored runs, on figures that are made up."""

import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
import arguments
import check
import exact
import peers
import programs
import report
import threads
from programs import Demand, Figure

FIGURES = [
    Figure("9 tetrahedra", "anew", "frame", "seconds", 0.3),
    Figure("9 tetrahedra", "anew", "candidates", "count", 20_000_000),
    Figure("9 tetrahedra", "kept, with a comma", "frame", "seconds", 0.09),
    Figure("9 tetrahedra", "kept, with a comma", "candidates", "count", 20_000_000),
    Figure("9 tetrahedra", "kept, with a comma", "overlap", "number", 0.25),
    Figure("other", "anew", "missed", "count", 0),
]
KEPT = ("9 tetrahedra", "kept, with a comma", "anew", "frame")


def changed(place, value):
    return [
        Figure(*x.place, x.kind, value) if x.place == place else x for x in FIGURES
    ]


def without(place):
    return [x for x in FIGURES if x.place != place]


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "v3").mkdir()


class Figures(Folder):
    def test_reads_back(self):
        path = self.folder / "f.csv"
        programs.write_csv(path, FIGURES)
        self.assertEqual(programs.read_csv(path), FIGURES)

    def test_tables(self):
        (title, text), (other, _) = programs.tables(FIGURES)
        self.assertEqual((title, other), ("9 tetrahedra", "other"))
        self.assertIn("|  | frame, ms | candidates | overlap |", text)
        self.assertIn("| anew | 300 | 20,000,000 |  |", text)
        self.assertIn("| kept, with a comma | 90 | 20,000,000 | 0.25 |", text)


class OfThreads(unittest.TestCase):
    SAID = """fold.vtkhdf, 1 contact (cpu, rtree)
stage         minimum       median   milliseconds, 5 repetitions
bound           2.000        3.000
order           0.500        0.600
exact           0.000        0.000
total         100.000      120.000
"""

    def figures(self, share, title=None, faster=None):
        rows = [Figure(t, "total", threads.SHARE, "number", 1) for t in threads.RUNS if t != title]
        rows.append(Figure(next(iter(threads.RUNS)), "narrow", threads.SHARE, "number", share))
        if faster:
            rows.append(Figure(rows[0].table, "total", "faster with 16", "number", faster))
        return rows

    def test_stages(self):
        stages = threads.stages_of(self.SAID)
        self.assertEqual(stages, {"bound": 2, "order": 0.5, "total": 100})
        self.assertEqual(threads.is_judged(stages), {"bound", "total"})

    def test_numbers(self):
        for cores, numbers in ((1, [1]), (2, [1, 2]), (6, [1, 2, 4, 6]), (16, [1, 2, 4, 8, 16])):
            self.assertEqual(threads.numbers_of_threads(cores), numbers)

    def test_judge(self):
        def faults(*some, **more):
            return threads.RUN.judge(self.figures(*some, **more))[0]

        self.assertEqual(faults(3), [])
        self.assertIn("narrow: one thread does 3.1 % alone", faults(3.1)[0])
        self.assertIn("not there", faults(3, title=list(threads.RUNS)[-1])[0])
        self.assertEqual(faults(3, faster=10.0), [])
        self.assertIn("16 threads are 9.9 times", faults(3, faster=9.9)[0])


class Compare(Folder):
    def expect(self, faults, now):
        found = check.compare_figures(self.folder, "v3", "model", now)
        self.assertEqual(len(found), len(faults), found)
        for text, words in zip(found, faults):
            for word in words:
                self.assertIn(word, text)

    def store(self, isa="v3", figures=FIGURES):
        (self.folder / isa).mkdir(exist_ok=True)
        programs.write_csv(self.folder / isa / "model.csv", figures)

    def test_equal(self):
        self.store()
        self.expect([], FIGURES)
        self.expect([], FIGURES + [Figure("new", "row", "candidates", "count", 1)])

    def test_counts(self):
        """Seconds and numbers may differ, counts may not."""
        self.store()
        self.expect([], changed(("9 tetrahedra", "anew", "frame"), 9))
        self.expect([], changed(("9 tetrahedra", "kept, with a comma", "overlap"), 9))
        place = ("9 tetrahedra", "anew", "candidates")
        self.expect([("anew", "candidates", "19999999", "before 20000000")], changed(place, 19_999_999))
        self.expect([("other", "missed", "1", "before 0")], changed(("other", "anew", "missed"), 1))

    def test_absent(self):
        self.store()
        self.expect([("anew", "candidates", "not there")], without(("9 tetrahedra", "anew", "candidates")))
        self.expect(3 * [("not there",)], [])

    def test_nothing_stored(self):
        self.expect([("model.csv", "--model --keep")], FIGURES)

    def test_own_set_first(self):
        self.store("a-set", changed(("other", "anew", "missed"), 1))
        self.expect([("missed", "0, before 1")], FIGURES)  # of any set, if there is no other
        self.store()
        self.expect([], FIGURES)


class Demands(unittest.TestCase):
    def test_demand(self):
        for most, holds in ((0.301, True), (0.299, False)):
            text, held = Demand(*KEPT, most).judge(FIGURES)
            self.assertEqual(held, holds, text)
            self.assertIn("0.300 times", text)

    def test_beside_another_table(self):
        figures = FIGURES + [Figure("90 tetrahedra", "anew", "frame", "seconds", 0.45)]
        for most, holds in ((1.51, True), (1.49, False)):
            text, held = Demand("90 tetrahedra", "anew", "anew", "frame", most, "9 tetrahedra").judge(figures)
            self.assertEqual(held, holds, text)
        self.assertFalse(Demand("90 tetrahedra", "anew", "anew", "frame", 2, "none").judge(figures)[1])

    def test_absent(self):
        """What is demanded and was not measured has not passed."""
        for row in KEPT[1:3]:
            text, holds = Demand(*KEPT, 1).judge(without((KEPT[0], row, "frame")))
            self.assertFalse(holds)
            self.assertIn("not there", text)

    def judged(self, name, figures):
        run = arguments.APART[name]
        return tuple(map(len, run.judge(figures)))

    def test_model(self):
        def both(kept, sizes):
            return [
                Figure("%d tetrahedra" % n, row, "frame", "seconds", s)
                for n in sizes
                for row, s in (("hash, made anew", 0.3), ("hash, kept", kept))
            ]

        sizes = list(programs.MODEL_SIZES.values())
        self.assertEqual(self.judged("model", both(0.09, sizes)), (0, 2))
        self.assertEqual(self.judged("model", both(0.11, sizes)), (2, 0))
        self.assertEqual(self.judged("model", both(0.09, sizes[:1])), (1, 1))
        self.assertEqual(self.judged("model", []), (2, 0))

    def missile(self, all_posed, missed, seen=0):
        return [
            x
            for at in programs.MISSILE_SETTINGS
            for x in (
                Figure("%g m/s, %g s" % at, "OBB, all posed", "frame", "seconds", 100),
                Figure("%g m/s, %g s" % at, "hybrid, all posed", "frame", "seconds", all_posed),
                Figure("%g m/s, %g s" % at, "continuous", "missed", "count", missed),
            )
        ] + [
            Figure(programs.MISSILE_SEEN, row, "missed", "count", n)
            for row, n in (("vectors", 3), ("OBB", seen), ("hybrid", 0))
        ]

    def test_missile(self):
        self.assertEqual(self.judged("missile", self.missile(88.2, 0)), (0, 10))
        self.assertEqual(self.judged("missile", self.missile(88.4, 0)), (8, 2))
        self.assertEqual(self.judged("missile", self.missile(88.2, 1)), (8, 10))
        self.assertEqual(self.judged("missile", self.missile(88.2, 0, 1)), (1, 9))
        self.assertEqual(self.judged("missile", self.missile(88.2, 0)[3:]), (1, 9))
        self.assertEqual(self.judged("missile", []), (11, 0))

    def test_operations(self):
        """bv.h, counted: what [S] has, placing one box in coordinates of the other, and 15 margins."""
        with tempfile.TemporaryDirectory() as folder:
            found = {x.place[1:]: x.value for x in programs.operations(Path(folder))}
            self.assertEqual(list(Path(folder).iterdir()), [])
        columns = "comparisons", "additions", "multiplications", "absolute values"
        paper = [found["[S]: two boxes in coordinates of the first", c] for c in columns]
        here = [found["two boxes that overlap", c] for c in columns]
        self.assertEqual(paper, [15, 60, 81, 24])
        self.assertEqual(here, [15, 60 + 27 + 15, 81 + 36, 24])


class Peers(unittest.TestCase):
    def test_aims(self):
        """Notes, of each number of threads; a median is none."""
        table, row, other, most = peers.AIMS[0]
        columns = {"1 thread": 0.9, "16 threads": 1.1, "16 threads, median": 1}
        figures = [
            Figure(table, who, column, "seconds", share * most if who == row else 1)
            for column, share in columns.items()
            for who in (row, other)
        ]
        faults, notes = peers.RUN.judge(figures)
        self.assertEqual((faults, len(notes)), ([], 2 * len(peers.AIMS)))
        said = [x for x in notes if "not there" not in x]
        self.assertEqual([x.split(":")[0] for x in said], ["1 thread", "16 threads"])
        self.assertIn("0.150 times", said[0])

    def test_aims_of_rows(self):
        """Only of tables that were asked for."""
        with mock.patch.object(peers.RUN, "rows", ["drape: two*", "fcl*"]):
            notes = peers.RUN.judge([Figure(peers.AIMS[2][0], peers.KEPT, "1 thread", "seconds", 1)])[1]
        self.assertEqual(len(notes), 1)
        self.assertIn(peers.AIMS[0][0], notes[0])

    def test_ratios(self):
        """Of minima, of those that are there."""
        some = [("a", peers.IMPINGE, 0.2), ("a", peers.TRUEFORM, 0.5), ("b", peers.KEPT, 0.1), ("b", peers.READY, 0.05)]
        figures = [
            Figure(table, row, column, "seconds", x * factor)
            for table, row, x in [*some, ("c", peers.TRUEFORM, 1)]
            for column, factor in (("1 thread", 1), ("1 thread, median", 2))
        ]
        title = peers.RATIOS % "1 thread"
        expected = [(title, "a", "trueform", 2.5), (title, "b", "trueform, trees ready", 0.5)]
        self.assertEqual([(*x.place, x.value) for x in peers.ratios(figures)], expected)

    def test_licences(self):
        """Of those that are there alone."""
        text = peers.licences("Python 3.11.7, impinge 0.1.0, trueform 0.10.7, Embree 4.4.0")
        self.assertEqual(text, "Licences: impinge: MIT; trueform: PolyForm Noncommercial 1.0.0; Embree: Apache-2.0")


class Exact(unittest.TestCase):
    def figures(self, wrong=0, asked=0):
        some = [
            Figure(title, who, column, "count", n)
            for title, queries in exact.ASKED.items()
            for who in exact.IMPINGE
            for column, n in (("queries", queries + asked), ("false negatives", 0), ("false positives", wrong))
        ]
        return some + [
            Figure(exact.TOUCHES, row, "wrong: " + who, "count", wrong) for row in ("in a face", "edges") for who in exact.IMPINGE
        ]

    def test_judge(self):
        """All questions were asked, and no answer is wrong; peers may be so. What is not there has not passed."""
        peer = [Figure("ccd-queries", "ACCD", "false positives", "count", 530)]
        judge = exact.RUN.judge
        self.assertEqual(judge(self.figures() + peer), ([], []))
        self.assertEqual(len(judge(self.figures(wrong=1))[0]), 6 + 4)
        self.assertEqual(len(judge(self.figures(asked=-1))[0]), 6)
        self.assertEqual(len(judge(self.figures()[1:])[0]), 1)
        self.assertEqual(len(judge(self.figures()[:-1])[0]), 1)
        self.assertEqual(tuple(map(len, judge([]))), (1, 3))

    def test_numbers(self):
        """Only what is a float64 is asked."""
        self.assertEqual(exact.number("-3", "4"), -0.75)
        with self.assertRaises(SystemExit):
            exact.number("1", "3")


class Runs(Folder):
    """Counts of runs whose results are rows: moving, load, outlier, sizes."""

    def results(self, pairs=7, rows=("a/contacts", "b/contacts")):
        return [
            report.Result(row, 9, name, kind, False, pairs, 1, 1, 30, [1])
            for row in rows
            for name, kind in (("cpu", "impinge"), ("CGAL 5", "peer"))
        ]

    def expect(self, faults, notes, now):
        found = check.compare_counts(self.folder, "v3", "moving", now)
        self.assertEqual(tuple(map(len, found)), (faults, notes), found)
        return "".join(found[0] + found[1])

    def test_counts(self):
        self.assertIn("--moving --keep", self.expect(1, 0, self.results()))
        report.write_csv(self.folder / "v3" / "moving.csv", self.results())
        self.expect(0, 0, self.results())
        self.assertIn("cpu found 8 pairs, 7 before", self.expect(4, 0, self.results(8)))
        self.assertIn("not in moving.csv", self.expect(0, 1, self.results() + self.results(1, ["new/contacts"])))
        self.assertIn(check.UNMEASURED, self.expect(1, 0, self.results(rows=["a/contacts"])))


class Arguments(unittest.TestCase):
    def test_programs_hold_no_set(self):
        native = "x86-64-v3 (AVX2)"
        for name, holds in (("", True), (native, True), ("x86-64 (SSE2)", False)):
            self.assertEqual(arguments.holds(SimpleNamespace(name=name), native), holds)

    def test_all_are_options(self):
        for name, run in arguments.APART.items():
            self.assertEqual(run.__name__, name)


unittest.main()
