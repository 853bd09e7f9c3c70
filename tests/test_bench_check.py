"""bench/check.py on tables that are made up: what fails, what is a line, what is neither."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "bench"))
import check
import report

# row, contestant, kind, pairs, minimum, median
TABLE = [
    ("cloth/contacts", "cpu", "impinge", 700, 0.010, 0.012),
    ("cloth/contacts", "PoCL", "impinge", 700, 0.020, 0.021),
    ("cloth/contacts", "Embree 3", "peer", 700, 0.050, 0.055),
    ("cloth/contacts", "CGAL 5", "peer", 700, 0.090, 0.095),
    ("soup/contacts", "cpu", "impinge", 80, 0.001, 0.001),
    ("soup/contacts", "Embree 3", "peer", 80, 0.004, 0.004),
]


def made(lines=TABLE):
    out = []
    for row, name, kind, pairs, least, median in lines:
        exact, times = name.startswith("CGAL"), [median, least, 2 * median]
        out.append(report.Result(row, 9, name, kind, exact, pairs, least, median, 30, times))
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
        self.stored = Path(folder.name) / "table.csv"
        report.write_csv(self.stored, made())

    def expect(self, lines, faults=(), notes=()):
        """As many of each as given, with these words."""
        found = check.compare_with(self.stored, made(lines))
        for got, wanted in zip(found, (faults, notes)):
            self.assertEqual(len(got), len(wanted), got)
            for line, words in zip(got, wanted):
                for word in words:
                    self.assertIn(word, line)

    def test_table_reads_back(self):
        again = report.read_csv(self.stored)
        for r in again + (before := made()):
            r.ratios = {k: "%.4g" % v for k, v in r.ratios.items()}
        self.assertEqual(again, before)

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

    def test_no_table(self):
        self.stored.unlink()
        self.expect(TABLE, [("table.csv",)])


if __name__ == "__main__":
    unittest.main()
