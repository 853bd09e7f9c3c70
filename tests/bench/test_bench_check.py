"""bench/check.py, against.py, report.py, outlier.py, moving.py, sizes.py and load.py on figures that are
made up: what fails, what is a line, what is neither; which rows there are; and bench/sets.py."""

import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
import against
import check
import contestants
import load
import moving
import outlier
import report
import rows
import sets
import sizes

# row, contestant, kind, pairs, minimum, median
TABLE = [
    ("cloth/contacts", "cpu", "impinge", 700, 0.010, 0.012),
    ("cloth/contacts", "PoCL", "impinge", 700, 0.020, 0.021),
    ("cloth/contacts", "Embree 3", "peer", 700, 0.050, 0.055),
    ("cloth/contacts", "CGAL 5", "peer", 700, 0.090, 0.095),
    ("soup/contacts", "cpu", "impinge", 80, 0.001, 0.001),
    ("soup/contacts", "Embree 3", "peer", 80, 0.004, 0.004),
]


def made(lines=TABLE, loose=()):
    """loose: contestants that are not held to the instruction set"""
    out = []
    for row, name, kind, pairs, least, median in lines:
        exact, times = name.startswith("CGAL"), [median, least, 2 * median]
        r = report.Result(row, 9, name, kind, exact, pairs, least, median, 30, times)
        r.held = name not in loose
        out.append(r)
    for some in report.by_row(out).values():
        report.add_ratios(some)
    return out


def without(name):
    return [line for line in TABLE if line[1] != name]


def changed(row, name, pairs=None, least=1, median=1):
    """The table with other pairs, or times multiplied, in one line."""
    out = []
    for line in TABLE:
        if line[:2] == (row, name):
            line = (*line[:3], pairs or line[3], line[4] * least, line[5] * median)
        out.append(line)
    return out


class Check(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.stored = self.folder / "v3" / "table.csv"
        self.stored.parent.mkdir()
        report.write_csv(self.stored, made())
        self.of("Some CPU")

    def of(self, processor):
        """which processor the table is of"""
        self.stored.with_suffix(".md").write_text("# title\n\n%s, v3, 2 threads, OS.\n" % processor)

    def expect(self, lines, faults=(), notes=(), isa="v3", loose=(), like=True):
        """As many of each as given, with these words. like: compared with a table that is named, of
        this processor and set"""
        found = check.compare_with(self.folder, isa, "Some CPU", made(lines, loose))
        named = [("compared with", "Some CPU", isa)] if like else []
        for got, wanted in zip(found, (faults, [*named, *notes])):
            self.assertEqual(len(got), len(wanted), got)
            for line, words in zip(got, wanted):
                for word in words:
                    self.assertIn(word, line)

    def test_table_reads_back(self):
        report.write_csv(self.stored, made(loose=["PoCL"]))
        again = report.read_csv(self.stored)
        for r in again + (before := made(loose=["PoCL"])):
            r.ratios = {k: "%.4g" % v for k, v in r.ratios.items()}
        self.assertEqual(again, before)

    def test_table_of_before(self):
        """without the column that tells who is held"""
        lines = [line.split(",") for line in self.stored.read_text().splitlines()]
        at = lines[0].index("held")
        self.stored.write_text("\n".join(",".join(x[:at] + x[at + 1 :]) for x in lines))
        self.assertTrue(all(r.held for r in report.read_csv(self.stored)))

    def test_equal(self):
        self.expect(TABLE)

    def test_another_machine(self):
        self.expect([(*line[:4], 5 * line[4], 5 * line[5]) for line in TABLE])

    def test_slow(self):
        slow = changed("cloth/contacts", "PoCL", least=1.5, median=1.4)
        self.expect(slow, [("cloth/contacts", "PoCL", "1.40")])

    def test_a_little_slow(self):
        self.expect(changed("cloth/contacts", "PoCL", least=1.25, median=1.25))

    def test_fast(self):
        self.expect(changed("cloth/contacts", "cpu", least=0.2, median=0.2))

    def test_noise(self):
        self.expect(changed("cloth/contacts", "cpu", median=3))
        self.expect(changed("cloth/contacts", "cpu", least=3))
        self.expect(changed("cloth/contacts", "Embree 3", least=0.3, median=0.3))

    def test_count(self):
        self.expect(changed("soup/contacts", "cpu", pairs=81), [("soup/contacts", "81", "80")])
        self.expect(changed("soup/contacts", "Embree 3", pairs=79), [("Embree", "79", "80")])

    def test_count_of_a_new_device(self):
        new = ("cloth/contacts", "GPU", "impinge", 700, 0.001, 0.001)
        self.expect(TABLE + [new])
        self.expect(TABLE + [(*new[:3], 699, *new[4:])], [("GPU", "699", "700")])

    def test_missing_peer(self):
        note = ("CGAL 5", "missing", "cloth/contacts")
        self.expect(without("CGAL 5"), notes=[note])
        slow = changed("cloth/contacts", "cpu", least=2, median=2)
        slow = [line for line in slow if line[1] != "CGAL 5"]
        self.expect(slow, [("cloth/contacts", "cpu", "2.00")], [note])

    def test_no_peer_left(self):
        none = [line for line in TABLE if line[2] == "impinge" and line[0] == "soup/contacts"]
        self.expect(none, notes=[("not judged",), ("Embree 3", "missing")])

    def test_rows(self):
        self.expect(TABLE[:4])
        self.expect([("new/contacts", *line[1:]) for line in TABLE[:4]], notes=[("new/contacts",)])

    def test_another_processor(self):
        """Counts are compared, speed is not."""
        slow = changed("cloth/contacts", "PoCL", least=9, median=9)
        wrong = changed("soup/contacts", "cpu", pairs=81)
        note = [("not judged", "Some CPU")]
        self.expect(slow, notes=note, isa="v4", like=False)
        self.expect(wrong, [("81", "80")], note, isa="v4", like=False)
        self.of("Other CPU")
        self.expect(slow, notes=[("not judged", "Other CPU", "v3")], like=False)

    def test_not_held(self):
        """Its speed is not judged, nor is it a peer that judges; its counts are."""
        slow = changed("cloth/contacts", "PoCL", least=9, median=9)
        self.expect(slow, loose=["PoCL"])
        self.expect(changed("soup/contacts", "cpu", pairs=81), [("81", "80")], loose=["cpu"])
        slow = changed("cloth/contacts", "cpu", least=2, median=2)
        slow = [(*x[:4], x[4] * 2, x[5] * 2) if x[1] == "CGAL 5" else x for x in slow]
        self.expect(slow)
        self.expect(slow, [("cpu", "2.00")], loose=["CGAL 5"])

    def test_own_set_first(self):
        other = self.folder / "a-set" / "table.csv"
        other.parent.mkdir()
        report.write_csv(other, made(changed("soup/contacts", "cpu", pairs=81)))
        self.expect(TABLE)

    def test_no_table(self):
        self.stored.unlink()
        self.expect(TABLE, [("table.csv",)], like=False)


class Report(unittest.TestCase):
    def text(self, loose):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = Path(folder.name) / "table.md"
        report.write_markdown(path, made(loose=loose), "Some CPU, v3.", "v3")
        return path.read_text()

    def test_all_held(self):
        self.assertNotIn("*", self.text([]))
        self.assertIn("| Embree 3, 50 | 5.00 (4.58) | 2.50 (2.62) |", self.text([]))

    def test_not_held(self):
        """It has a star, times and no ratio, and is not the fastest peer."""
        text = self.text(["Embree 3", "PoCL"])
        self.assertIn("| cpu | PoCL* | Embree 3* | CGAL 5 |", text)
        self.assertIn("| CGAL 5, 90 | 9.00 (7.92) |", text)
        self.assertIn("not held to v3", text)


class Outlier(unittest.TestCase):
    def results(self, *milliseconds, loose=()):
        """of cpu by size; Embree takes ten times as long, and longer and longer"""
        lines = []
        for i, ms in enumerate(milliseconds):
            row = outlier.name(i) + "/candidates"
            lines.append((row, "cpu", "impinge", 91, 1e-3 * ms, 1))
            lines.append((row, "Embree 3", "peer", 91, 1e-2 * ms * (i + 1), 1))
        return made(lines, loose)

    def expect(self, faults, notes, results, asked=3):
        found = outlier.judge(results, asked * ["a row"])
        self.assertEqual(tuple(map(len, found)), (faults, notes), found)
        return "".join(found[0] + found[1])

    def test_absent(self):
        """What was not measured has not passed."""
        self.assertIn("cpu", self.expect(1, 0, []))
        self.assertIn("2 sizes of 3", self.expect(1, 1, self.results(1, 1.5)))

    def test_flat(self):
        self.assertIn("1.50 times", self.expect(0, 1, self.results(1, 1.5, 1.2)))

    def test_steep(self):
        self.assertIn("2.00 times", self.expect(1, 0, self.results(3, 2, 4)))
        self.expect(0, 0, self.results(3, 2, 4, loose=["cpu"]))

    def test_table(self):
        text = outlier.table(self.results(1, 2))
        self.assertIn("| 1 | 1e+04 | 1e+05 |", text)
        self.assertIn("| 2 | 2e+04 | 4e+05 |", text)
        self.assertIn("| 2.00 | 4.00 |", text)


class Demands(unittest.TestCase):
    ROW = "scalpel-1M/contacts"

    def expect(self, faults, notes, *lines, loose=()):
        found = check.demands(made([(self.ROW, *line) for line in lines], loose), [self.ROW])
        self.assertEqual(tuple(map(len, found)), (faults, notes), found)
        return "".join(found[0] + found[1])

    def test_demands(self):
        cpu = ("cpu", "impinge", 7, 0.010, 0.010)
        slow = ("PoCL", "impinge", 7, 0.090, 0.090)
        alone = ("CGAL 5 alone", "peer", 7, 0.081, 0.090)
        both = ("CGAL 5", "peer", 7, 0.200, 0.200)
        self.expect(0, 1, cpu, slow, alone, both)
        self.expect(1, 0, cpu, ("CGAL 5 alone", "peer", 7, 0.079, 0.090), both)  # the better one
        self.expect(0, 1, cpu, alone, loose=["cpu"])
        self.expect(0, 1, cpu, alone, both, loose=["CGAL 5 alone", "CGAL 5"])

    def test_absent(self):
        """What is demanded, and was asked for, must be there."""
        cpu = ("cpu", "impinge", 7, 0.010, 0.010)
        slow = ("PoCL", "impinge", 7, 0.090, 0.090)
        alone = ("CGAL 5 alone", "peer", 7, 0.081, 0.090)
        other = ("Embree 3", "peer", 7, 0.011, 0.011)
        self.assertIn("CGAL is not there", self.expect(1, 0, cpu, other))
        self.assertIn("cpu is not there", self.expect(1, 0, slow, alone))
        self.assertIn("not there", self.expect(1, 0))

    def test_other_rows(self):
        self.assertEqual(check.demands(made(), ["cloth/contacts"]), ([], []))
        self.assertEqual(check.demands([], []), ([], []))

    def test_rows(self):
        """What is demanded is measured."""
        names = [r.name for r in rows.all_rows(False, False, trees=True)]
        for row in check.DEMANDS:
            self.assertIn(row, names)


class Takes(unittest.TestCase):
    def test_takes(self):
        """A peer's list beside candidates that are handed out, and nowhere else, and likewise a peer that can
        tell what happens between frames; impinge beside all."""

        def names(row):
            who = [
                contestants.Contestant("cpu", None, rows.SWEPT_STAGES, False, True),
                contestants.Contestant("found", None, ("candidates",), True, True),
                contestants.Contestant("list", None, ("candidates",), True, True, listed=True),
                contestants.Contestant("swept", None, rows.SWEPT_STAGES, True, True, swept=True),
            ]
            return [c.name for c in who if c.takes(row)]

        some = rows.all_rows(False, False)
        self.assertTrue([r for r in some if r.listed])
        for row in some:
            if row.swept:
                self.assertEqual(names(row), ["cpu", "swept"])
            elif row.stage == "candidates" and not row.tetrahedra:
                self.assertEqual(names(row), ["cpu", "list" if row.listed else "found"])
            self.assertEqual("--listed" in row.words, row.listed)
            self.assertEqual("--continuous" in row.words, row.swept)


class Swept(unittest.TestCase):
    def results(self, stage, ours, scene="swept-rod/", **others):
        """Seconds; of peers by a word of their name"""
        row = scene + stage
        lines = [(row, "cpu", "impinge", 10_000, ours, ours)]
        lines += [(row, "ipc-toolkit 1 " + who.replace("_", "-"), "peer", 10_001, s, s) for who, s in others.items()]
        some = made(lines)
        for r in some:
            r.group, r.exact = "swept", r.kind == "impinge"
        return some

    def expect(self, faults, notes, results):
        found = check.demands(results, [results[0].row])
        self.assertEqual(tuple(map(len, found)), (faults, notes), found)
        return "".join(found[0] + found[1])

    def test_rows(self):
        stages = {r.stage for r in rows.all_rows(False, False) if r.scene == "swept-cloth"}
        self.assertEqual(stages, set(check.SWEPT))

    def test_demands(self):
        """Each peer by itself: what a slower one must not hide."""
        self.expect(0, 1, self.results("candidates", 1, LBVH=4.1))
        self.assertIn("3.90 times", self.expect(1, 0, self.results("candidates", 1, LBVH=3.9)))
        self.expect(0, 2, self.results("contacts", 1, ACCD=3.1, Tight_Inclusion=15.1))
        self.expect(1, 1, self.results("contacts", 1, ACCD=2.9, Tight_Inclusion=15.1))
        self.expect(1, 1, self.results("contacts", 1, ACCD=3.1, Tight_Inclusion=14.9))
        cloth = {"scene": "swept-cloth/", "ACCD": 3.1}
        self.expect(0, 2, self.results("contacts", 1, Tight_Inclusion=4.1, **cloth))
        self.expect(1, 1, self.results("contacts", 1, Tight_Inclusion=3.9, **cloth))
        self.assertIn("Tight-Inclusion is not there", self.expect(1, 1, self.results("contacts", 1, ACCD=3.1)))

    def test_counts(self):
        """Impinge's are exact, a peer's may have some more; a step of a peer is no list of contacts."""
        row = SimpleNamespace(name="swept-rod/candidates", stage="candidates")
        some = self.results("candidates", 1, LBVH=4)
        self.assertEqual(report.count_faults(row, some), [])
        for pairs in (9_999, 10_011):
            some[1].pairs = pairs
            self.assertEqual(len(report.count_faults(row, some)), 1, pairs)
        row.stage = "contacts"
        some[1].pairs = 1
        self.assertEqual(report.count_faults(row, some), [])

    def test_table(self):
        text = report.beside_table(self.results("contacts", 0.1, ACCD=0.4, Tight_Inclusion=2))
        self.assertIn("| swept-rod/contacts, ipc-toolkit 1 ACCD | 9 | 400 | 4.00 (4.00) |", text)
        self.assertIn("| swept-rod/contacts, ipc-toolkit 1 Tight-Inclusion | 9 | 2000 | 20.00 (20.00) |", text)


class Moving(unittest.TestCase):
    def results(self, kept=4, auto=10, who="cpu", pairs=50):
        """Milliseconds of a frame that is kept, and of one by auto; one anew has 10, the first of those
        kept 30."""
        frames = moving.FRAMES
        all_kept = 1e-3 * (30 + kept * (frames - 1))
        return made(
            [
                ("tool-1M-anew/contacts", who, "impinge", 50, 1e-3 * 10 * frames, 1),
                ("tool-1M-kept/contacts", who, "impinge", pairs, all_kept, 1),
                ("tool-1M-auto/contacts", who, "impinge", 50, 1e-3 * auto * frames, 1),
                ("tool-1M-first/contacts", who, "impinge", 9, 1e-3 * 30, 1),
                ("tool-1M-first/contacts", "Embree 3", "peer", 9, 1e-3 * 70, 1),
                ("tool-1M-first/contacts", "CGAL 5", "peer", 9, 1e-3 * 95, 1),
            ]
        )

    ASKED = [row.name for row in moving.rows() if row.stage == "contacts"]

    def expect(self, faults, notes, results, asked=ASKED):
        found = moving.judge(results, asked)
        self.assertEqual(tuple(map(len, found)), (faults, notes), found)

    def test_rows(self):
        ways = {moving.split(row.name)[1] for row in moving.rows()}
        self.assertEqual(ways, {moving.ANEW, moving.KEPT, moving.AUTO, moving.FIRST})

    def test_auto(self):
        self.expect(0, 2, self.results(auto=10.9))
        self.expect(1, 1, self.results(auto=11.1))
        self.expect(0, 2, self.results(kept=20))  # auto does not keep
        self.expect(1, 2, self.results() + self.results(auto=12, who="PoCL"))  # of any device

    def test_absent(self):
        self.expect(1, 1, self.results(who="PoCL"))  # no cpu
        self.expect(1, 0, self.results()[:2])
        self.expect(1, 0, [])
        self.expect(0, 0, [], asked=[])

    def test_counts(self):
        self.expect(1, 2, self.results(pairs=51))
        some = self.results()
        some[2].pairs = 49
        self.expect(1, 2, some)

    def test_aim(self):
        self.assertIn("takes 1/2.50 of one anew", moving.judge(self.results(4), self.ASKED)[1][0])

    def test_table(self):
        text = moving.table(self.results(4, 9))
        self.assertIn("| tool-1M/contacts, anew | 10 | 70 | 95 |", text)
        self.assertIn("| tool-1M/contacts, kept | 4 |  |  |", text)
        self.assertIn("| tool-1M/contacts, auto | 9 |  |  |", text)
        self.assertIn("| tool-1M/contacts, anew / kept | 2.50 |  |  |", text)


class Sizes(unittest.TestCase):
    def results(self, *nanoseconds, variant=""):
        out = []
        for i, ns in enumerate(nanoseconds):
            line = ("tissue-%d%s/candidates" % (i, variant), "cpu", "impinge", 5, 1e-9 * ns, 1)
            out += made([line])
            out[-1].triangles = 10**i
            out[-1].min *= 10**i
        return out

    def test_flat(self):
        for ns, variant, faults in (
            ((100, 150, 120), "", 0),
            ((100, 151, 120), "", 1),
            ((100, 900, 120), sizes.HASH, 0),
        ):
            results = self.results(*ns, variant=variant)
            found = sizes.judge(results, [r.row for r in results])
            self.assertEqual(tuple(map(len, found)), (faults, 1 - faults), found)

    def test_table(self):
        text = sizes.table(self.results(100, 150) + self.results(300, 900, variant=sizes.HASH))
        self.assertIn("| cpu: candidates | 100 | 150 | 1.50 |", text)
        self.assertIn("| cpu: candidates, hash | 300 | 900 | 3.00 |", text)

    def test_absent(self):
        """What was not measured has not passed."""
        asked = [r.row for r in self.results(1, 1, 1)]
        for results in (self.results(1, 1), []):
            faults, _ = sizes.judge(results, asked)
            self.assertEqual(faults, ["cpu: candidates: %d sizes of 3" % len(results)])


class Load(unittest.TestCase):
    PACKED, PLAIN = (row.name for row in load.rows())

    def results(self, ours, theirs, row=PACKED):
        lines = [(row, "cpu", "impinge", 9, 1e-3 * ours, 1), (row, "h5py 3", "peer", 9, 1e-3 * theirs, 1)]
        return made(lines)

    def expect(self, faults, notes, results):
        found = load.judge(results, [row.name for row in load.rows()])
        self.assertEqual(tuple(map(len, found)), (faults, notes), found)
        return "".join(found[0] + found[1])

    def test_rows(self):
        """What is demanded is measured."""
        for row in load.DEMANDS:
            self.assertIn(row, [r.name for r in load.rows()])

    def test_demand(self):
        self.assertIn("1.49 times", self.expect(0, 1, self.results(149, 100)))
        self.assertIn("1.51 times", self.expect(1, 0, self.results(151, 100)))

    def test_plain(self):
        """Nothing is demanded of it, and it stands in for nothing."""
        self.expect(1, 0, self.results(10, 100, self.PLAIN))
        self.expect(0, 1, self.results(149, 100) + self.results(900, 100, self.PLAIN))

    def test_absent(self):
        """What was not measured has not passed."""
        self.assertIn("not measured", self.expect(1, 0, []))
        self.assertIn("not measured", self.expect(1, 0, self.results(10, 100)[:1]))
        self.assertIn("not measured", self.expect(1, 0, self.results(10, 100)[1:]))

    def test_table(self):
        text = load.table(self.results(140, 100) + self.results(30, 20, self.PLAIN))
        self.assertIn("| %s | 140 / 1000 | 100 / 1000 | 1.40 |" % self.PACKED, text)
        self.assertIn("| %s | 30 / 1000 | 20 / 1000 | 1.50 |" % self.PLAIN, text)

    def test_pack(self):
        """The same arrays and attributes, each compressed."""
        try:
            import h5py
        except ImportError:
            print("skipped: the packing of a batch: no h5py")  # as ./dev lists it
            self.skipTest("no h5py")
        with tempfile.TemporaryDirectory() as folder:
            plain, packed = Path(folder) / "plain.h5", Path(folder) / "packed.h5"
            with h5py.File(plain, "w") as f:
                group = f.create_group("VTKHDF")
                group.attrs.create("Type", b"PolyData", dtype="S8")
                group["Points"] = [[float(i), 1, 2] for i in range(load.CHUNK + 1)]
                group["Steps/Values"] = [1.0]
                group["Lines/Connectivity"] = []
                group["one"] = 7
            load.pack(plain, packed)
            with h5py.File(plain) as a, h5py.File(packed) as b:
                for name in ("Points", "Steps/Values", "Lines/Connectivity", "one"):
                    x, y = a["VTKHDF"][name], b["VTKHDF"][name]
                    self.assertTrue((x[()] == y[()]).all() and x.dtype == y.dtype, name)
                self.assertEqual(b["VTKHDF"].attrs["Type"], b"PolyData")
                points = b["VTKHDF/Points"]
                self.assertEqual(points.chunks, (load.CHUNK, 3))
                self.assertTrue(points.shuffle and points.compression == "gzip")


class Sets(unittest.TestCase):
    def test_choose(self):
        names = [s.name for s in sets.SETS]
        for has, native in enumerate(names):
            for k, s in enumerate(sets.SETS):
                self.assertIs(sets.choose(s.isa, native), s if k <= has else None)
        for native in (*names, "ARMv8 (NEON)", "unknown"):
            self.assertIs(sets.choose(None, native), sets.NATIVE)
        self.assertIsNone(sets.choose("base", "ARMv8 (NEON)"))

    def test_holds(self):
        base, v3, v4 = sets.SETS
        self.assertTrue(sets.NATIVE.holds("H100"))
        self.assertFalse(v3.holds("H100"))
        self.assertTrue(v3.holds("PoCL", "pthread-haswell-AMD EPYC"))
        self.assertFalse(v3.holds("PoCL", "pthread-skylake-avx512-AMD EPYC"))
        for name in ("Intel OpenCL", "ipc-toolkit"):
            self.assertEqual([s.holds(name) for s in (base, v3, v4)], [False, True, True])

    def test_environment(self):
        """What PoCL compiled for a set is not used for another."""
        caches = {s.environment_in(Path("b"))["POCL_CACHE_DIR"] for s in sets.SETS}
        self.assertEqual(len(caches), len(sets.SETS))
        self.assertEqual(sets.NATIVE.environment_in(Path("b")), {})


def side(*milliseconds, pairs=5, failure=None):
    return SimpleNamespace(times=list(milliseconds), pairs=pairs, failure=failure)


class Against(unittest.TestCase):
    def race(self, *measurements, row="cloth/contacts"):
        """Each measurement is that of the new and of the old program; all of them are asked for."""
        left = list(measurements)
        race, faults = against.run_race(row, "cpu", lambda: left.pop(0))
        self.assertEqual(left, [])
        return race, faults

    def expect(self, slow, *measurements):
        race, faults = self.race(*measurements)
        self.assertEqual((race.slow, race.measured), (slow, len(measurements)), race)
        self.assertEqual(faults, [])
        wrong, slow_lines, notes = against.judge([race])
        self.assertEqual((len(wrong), len(slow_lines), len(notes)), (0, int(slow), 0))

    def test_ratios(self):
        race, _ = self.race((side(3, 2, 10), side(4, 5, 6)))
        self.assertEqual(race.ratios, [2 / 4, 3 / 5])
        self.assertIn("| 0.500 (0.600) |", against.table([race]))
        self.assertIn("| 2000 / 4000 |", against.table([race]))

    def test_not_slow(self):
        self.expect(False, (side(10, 11, 12), side(10, 11, 12)))
        self.expect(False, (side(10.3, 11.3, 12), side(10, 11, 12)))  # just 3 %
        self.expect(False, (side(5, 6, 7), side(10, 11, 12)))

    def test_one_figure_alone(self):
        self.expect(False, (side(10, 15, 16), side(10, 11, 12)))
        self.expect(False, (side(10.9, 11, 12), side(10, 11, 12)))

    def test_slow(self):
        slow = side(10.4, 11.4, 12.4), side(10, 11, 12)
        self.expect(True, *against.MOST * [slow])

    def test_slow_once(self):
        slow, same = (side(11, 12, 13), side(10, 11, 12)), (side(10, 11, 12), side(10, 11, 12))
        self.expect(False, slow, same)

    def test_all_times_count(self):
        """The second measurement is better, but the minimum and the median of both are not."""
        slow = side(11, 12, 13), side(10, 11, 12)
        less = side(10.5, 11.4, 12), side(10.2, 11, 12)
        self.expect(True, slow, *(against.MOST - 1) * [less])

    def test_old_lacks(self):
        lacks = side(failure="impinge bench: unknown option --continuous; try 'impinge bench --help'")
        self.assertEqual(self.race((side(1), lacks)), (None, []))
        self.assertEqual(len(self.race((lacks, side(1)))[1]), 1)
        self.assertEqual(len(self.race((lacks, lacks))[1]), 1)

    def test_failure(self):
        good = side(1)
        for both in ((side(1, failure="no memory"), good), (good, side(failure="no memory"))):
            race, faults = self.race(both)
            self.assertIsNone(race)
            self.assertEqual(len(faults), 1)
            self.assertIn("no memory", faults[0])

    def test_counts(self):
        for row, faults in (("cloth/contacts", 1), ("cloth/candidates", 0)):
            race, _ = self.race((side(1, pairs=7), side(1, pairs=8)), row=row)
            wrong, slow, notes = against.judge([race])
            self.assertEqual((len(wrong), len(slow), len(notes)), (faults, 0, 1 - faults))
            self.assertIn("7", (wrong + notes)[0])
            self.assertIn("8", (wrong + notes)[0])


if __name__ == "__main__":
    unittest.main()
