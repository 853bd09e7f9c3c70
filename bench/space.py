"""What frames in slabs cost (impinge run --space): a large frame within a fifth of the memory that it takes whole, the
peak of one task by the number of slabs, and how many primitives slabs have. All of it by the program, on this machine;
results are compared with those of whole frames, byte by byte; files are of a temporary folder that is removed."""

import json
import tempfile
from pathlib import Path

import shards
from contestants import say
from programs import Demand, Figure

LARGE = ("cloth-fold", 20_000_000, 1)  # 882 MB
SCENES = [  # each of about 2 M primitives, but the one of which all bounds overlap
    ("folded cloth", ("cloth-fold", 2_000_000, 1)),
    ("soup", ("soup", 2_000_000, 1)),
    ("scalpel", ("scalpel", 2_000_000, 1)),
    ("one large triangle", ("giant", 2_000_000, 1)),
    ("all bounds overlap", ("hostile", 5_000, 1)),
]
SLABS = (2, 4, 16, 64)
FIFTH = 5
MEGA = 1e6

TIME = "folded cloth, 20 M triangles, --mem-limit a fifth of its peak as a whole"
PEAK = "folded cloth, 20 M triangles: peak of one task"
COPIES = "primitives in slabs, for each of the frame"
WHOLE = "whole, without a limit"


def slabs_of(count):
    return "%d slabs" % count


DEMANDS = [Demand(TIME, slabs_of(16), WHOLE, "all", 1.3)]


class Space(shards.Shards):
    def run_json(self, batch, result, *more):
        """What the run says of itself."""
        document = result.with_suffix(".json")
        self.run_batch(batch, result, "--json=%s" % document, *more)
        return json.loads(document.read_text())

    def large(self, where):
        batch, whole, cut = (where / (name + ".vtkhdf") for name in ("large", "whole", "cut"))
        self.generate(batch, *LARGE)
        peak = self.run_json(batch, whole)["peak_bytes"]
        figures = [Figure(PEAK, WHOLE, "buffers, MB", "number", peak / MEGA)]
        for count in SLABS:
            said = self.run_json(batch, cut, "--space", count)
            self.same(whole, cut)
            figures.append(Figure(PEAK, slabs_of(count), "buffers, MB", "number", said["peak_bytes"] / MEGA))
        limit = "--mem-limit=%d" % (peak // FIFTH)
        say("%s, and in slabs within %s" % (WHOLE, limit))
        calls = {WHOLE: lambda: self.run_batch(batch, whole)}
        for count in (8, 16):
            calls[slabs_of(count)] = lambda k=count: self.run_batch(batch, cut, "--space", k, limit)
        return figures + shards.figures_of(TIME, "all", shards.in_turns(calls))

    def scene(self, where, name, what):
        batch, whole, cut = (where / (name + ".vtkhdf") for name in ("scene", "whole", "cut"))
        self.generate(batch, *what)
        self.run_batch(batch, whole)
        for count in SLABS:
            said = self.run_json(batch, cut, "--space", count)
            self.same(whole, cut)
            yield Figure(COPIES, name, slabs_of(count), "number", said["slab_primitives"] / said["primitives"])

    def measure(self, args, folder):
        self.impinge = args.impinge
        figures = []
        for name, what in SCENES:
            with tempfile.TemporaryDirectory(dir=folder, prefix="space-") as where:
                figures += self.scene(Path(where), name, what)
        with tempfile.TemporaryDirectory(dir=folder, prefix="space-") as where:
            return figures + self.large(Path(where))


RUN = Space("space", "impinge: frames in slabs", "impinge", [], DEMANDS)
