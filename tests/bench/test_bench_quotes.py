"""bench/quotes.py: tables that the READMEs quote, on files that are made up."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
import quotes

STORED = """# impinge: a model

### 9 tetrahedra

|  | frame, ms | candidates |
| --- | --: | --: |
| anew | 300 | 20,000,000 |
| kept | 90 | 20,000,000 |

### 10 tetrahedra

|  | frame, ms |
| --- | --: |
| anew | 400 |
"""
README = """<!-- quoted: v3/model.md, 9 tetrahedra -->

| what | candidates | frame, ms |
|---|--:|--:|
| kept | 20,000,000 | %s |

More.
"""


class Quotes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root, before = Path(folder.name), (quotes.ROOT, quotes.RESULTS, quotes.SPEED)
        self.addCleanup(self.restore, before)
        quotes.ROOT, quotes.RESULTS, quotes.SPEED = self.root, self.root / "results", {}
        for folder in ("bench", "data"):
            (self.root / folder).mkdir()
        for name in ("README.md", "data/pcs.md"):
            (self.root / name).write_text("Nothing.\n")
        for isa in ("x86-64-v3", "x86-64-v4"):
            (self.root / "results" / isa).mkdir(parents=True)
        (self.root / "results/v3").mkdir()
        (self.root / "results/v3/model.md").write_text(STORED)

    def restore(self, before):
        quotes.ROOT, quotes.RESULTS, quotes.SPEED = before

    def text(self, text=None):
        path = self.root / "bench/README.md"
        return path.read_text() if text is None else path.write_text(text)

    def run_it(self, *words):
        sys.argv = ["quotes.py", *words]
        return quotes.main()

    def test_same(self):
        self.text(README % "90")
        self.assertEqual(self.run_it(), 0)

    def test_differs_until_written(self):
        self.text(README % "91")
        self.assertEqual(self.run_it(), 1)
        self.assertEqual(self.run_it("--write"), 0)
        self.assertEqual(self.text(), README % "90")

    def test_nothing_quoted(self):
        self.text("No table.\n")
        self.assertEqual(self.run_it(), 1)

    def test_absent(self):
        good = README % "90"
        for old, new in (("v3/", "v4/"), ("9 tet", "8 tet"), ("| kept", "| lost"), ("candidates |", "pairs |"), ("|", "")):
            self.text(good.replace(old, new))
            self.assertEqual(self.run_it(), 1, (old, new))

    def test_speed(self):
        quotes.SPEED = {"cloth | 2 k": "cloth-2k"}
        line = "| cloth | 2 k | 1, 2 | 3, 4 | 5, 6 | 7, 8 |\n"
        self.text(README % "90" + line)
        self.assertEqual(self.run_it(), 1)  # no rows
        head = "| row | triangles | cpu | PoCL |\n| --- | --: | --: | --: |\n"
        for isa, add in (("x86-64-v3", 0), ("x86-64-v4", 10)):
            rows = "".join(
                "| cloth-2k/%s | 2,000 | %.2f (9) | %.2f (9) |\n" % (stage, add + n, add + n + 1)
                for n, stage in ((2, "candidates"), (4, "contacts"))
            )
            (self.root / "results" / isa / "table.md").write_text(head + rows)
        self.assertEqual(self.run_it(), 1)
        self.assertEqual(self.run_it("--write"), 0)
        self.assertEqual(self.run_it(), 0)
        good = "| cloth | 2 k | 2.0, 3.0 | 4.0, 5.0 | 12.0, 13.0 | 14.0, 15.0 |\n"
        self.assertEqual(self.text(), README % "90" + good)
        self.text(README % "90" + good + good)
        self.assertEqual(self.run_it(), 1)  # one line too many


if __name__ == "__main__":
    unittest.main()
