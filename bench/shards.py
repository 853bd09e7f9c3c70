"""What shards cost (impinge run --shard, merge): eight one after another beside a single run, a join beside a plain
file, and the joining of a thousand. All of it by the program, on this machine, in turns; files are of a temporary
folder that is removed."""

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import programs
from contestants import say
from programs import Demand, Figure

HERE = Path(__file__).resolve().parent
FOLDED = ("cloth-fold", 200_000, 100)  # 248 MB, and results of 164 MB
SMALL = ("cloth-fold", 2_000, 1_000)
SHARDS, MANY = 8, 1_000
ROUNDS = 5
SECOND = 1.0  # for which MANY shards must be joined

RUN = "folded cloth, 199,712 triangles, 100 frames"
READ = RUN + ": reading the result"
JOIN = "folded cloth, 1,984 triangles, 1,000 frames: a shard for each"
SINGLE, EIGHT = "a single run", "eight shards, one after another"
PLAIN, VIRTUAL = "the plain file", "eight shards, joined"
MERGE, COPY, GOAL = "merge", "merge --copy", "one second"

DEMANDS = [
    Demand(RUN, EIGHT, SINGLE, "all", 1.1),
    Demand(JOIN, MERGE, GOAL, "all", 1),
    Demand(READ, VIRTUAL, PLAIN, "h5py", 1.2),
]


def in_turns(calls):
    """{name: call}: seconds of each, ROUNDS times. Once before, which does not count; the one that begins changes
    from round to round."""
    names, times = list(calls), {name: [] for name in calls}
    for k in range(-1, ROUNDS):
        shift = k % len(names)
        for name in names[shift:] + names[:shift]:
            begin = time.perf_counter()
            seconds = calls[name]()
            if k >= 0:
                times[name].append(time.perf_counter() - begin if seconds is None else seconds)
    return times


def figures_of(table, column, times):
    found = []
    for row, some in times.items():
        found.append(Figure(table, row, column, "seconds", min(some)))
        found.append(Figure(table, row, column + ", median", "seconds", statistics.median(some)))
    return found


class Shards(programs.Program):
    def call(self, *words):
        subprocess.run([self.impinge, *map(str, words)], check=True, stdout=subprocess.DEVNULL)

    def run_batch(self, batch, result, *more):
        self.call("run", batch, "-o", result, "--device", "cpu", "--force", "-q", *more)

    def generate(self, path, scene, primitives, frames):
        say("generating %s" % path.stem)
        self.call("generate", scene, "-n", primitives, "--frames", frames, "-o", path, "-q")

    def shards(self, batch, folder, count):
        folder.mkdir(exist_ok=True)
        names = [folder / ("%d.vtkhdf" % i) for i in range(count)]
        for i, name in enumerate(names):
            self.run_batch(batch, name, "--shard", "%d/%d" % (i, count))
        return names

    def reader(self, *files):
        """Another process, so that nothing of HDF5 stays open: seconds of reading, and whether files are the same."""
        command = [sys.executable, HERE / "peers/h5py_result.py", *files]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def same(self, one, other):
        """A result that is not that of a single run is no result: nothing is timed then."""
        said = self.reader(one, other)
        if said != "same":
            raise OSError("%s and %s: %s" % (one.name, other.name, said))

    def folded(self, where):
        batch, single, joined = (where / (name + ".vtkhdf") for name in ("folded", "single", "joined"))
        self.generate(batch, *FOLDED)
        say("%s and %s, %d turns" % (SINGLE, EIGHT, ROUNDS))
        folder = where / "shards"
        times = in_turns(
            {
                SINGLE: lambda: self.run_batch(batch, single),
                EIGHT: lambda: self.shards(batch, folder, SHARDS) and None,
            }
        )
        figures = figures_of(RUN, "all", times)
        self.call("merge", joined, *sorted(folder.iterdir()))
        self.same(single, joined)
        say("reading both")
        reads = in_turns({PLAIN: lambda: float(self.reader(single)), VIRTUAL: lambda: float(self.reader(joined))})
        infos = in_turns({PLAIN: lambda: self.call("info", single), VIRTUAL: lambda: self.call("info", joined)})
        return figures + figures_of(READ, "h5py", reads) + figures_of(READ, "impinge info", infos)

    def many(self, where):
        batch, single, joined, copy = (where / (name + ".vtkhdf") for name in ("small", "one", "many", "copy"))
        self.generate(batch, *SMALL)
        say("%d shards" % MANY)
        self.run_batch(batch, single)
        names = self.shards(batch, where / "many", MANY)
        times = in_turns(
            {
                MERGE: lambda: self.call("merge", joined, *names, "--force"),
                COPY: lambda: self.call("merge", copy, *names, "--copy", "--force"),
            }
        )
        for path in (joined, copy):
            self.same(single, path)
        times[GOAL] = [SECOND]
        reads = in_turns({name: lambda p=path: float(self.reader(p)) for name, path in ((COPY, copy), (MERGE, joined))})
        return figures_of(JOIN, "all", times) + figures_of(JOIN, "reading it with h5py", reads)

    def measure(self, args, folder):
        self.impinge = args.impinge
        with tempfile.TemporaryDirectory(dir=folder, prefix="shards-") as where:
            figures = self.folded(Path(where))
        with tempfile.TemporaryDirectory(dir=folder, prefix="shards-") as where:
            return figures + self.many(Path(where))


RUN_SHARDS = Shards("shards", "impinge: shards and their join", "impinge", [], DEMANDS)
