"""What of each stage one thread does alone (./dev bench --threads): counted with 16 threads on however many cores there
are, by regions.c; and how much faster several threads are, where there are as many cores. Frames of a million triangles
in memory, without files; and small ones, for which a second thread costs more than it gains."""

import os
import re
import subprocess
import tempfile
from pathlib import Path

from contestants import THREADS, say
from programs import Figure, Program

COUNTED = 16  # threads whose work is counted
BY_SIZE = 0  # threads: impinge chooses their number
MOST = 3.0  # per cent of a stage that one thread may do alone
LEAST = 0.01  # of the whole: smaller stages count in the whole alone
FASTER = 10.0  # times, with 16 threads on as many cores
REPS = 5
WHOLE = "total"
WORK, SERIAL, SHARE, REGIONS, ONE = "work", "serial", "serial, %", "regions", "1 thread"

FOLD = ("cloth-fold", "-n", "1000000")
SCENES = {
    "fold": FOLD,
    "swept": (*FOLD, "--frames", "2", "--set", "speed=0.5", "--set", "gap=1.3", "--set", "crumple=0.2"),
    "press": ("press", "-n", "1000000"),
}
NEAR = ("--distance", "0.1", "--in-edges", "--listed")
RUNS = {  # table: scene, options
    "folded cloth, contacts": ("fold", ()),
    "folded cloth, candidates as rows": ("fold", ("--stage", "candidates", "--listed")),
    "folded cloth, pairs within 0.1 edges": ("fold", NEAR),
    "folded cloth, features within 0.1 edges": ("fold", (*NEAR, "--rows", "features")),
    "folded cloth, between two frames": ("swept", ("--continuous",)),
    "two bodies, contacts": ("press", ("--pairs", "between")),
}
SMALL = "folded cloth of few triangles, contacts"
SIZES = (1_000, 4_000, 16_000, 64_000)


def stages_of(text):
    """{stage: least milliseconds} of what bench_job prints."""
    lines = re.findall(r"^(\w+) +([\d.]+) +[\d.]+$", text, re.M)
    return {name: float(least) for name, least in lines if name != "exact"}


def numbers_of_threads(cores):
    """1, 2, 4 and so on, and all."""
    return sorted({min(2**k, cores) for k in range(cores.bit_length() + 1)})


def is_judged(work):
    """Stages that are so much of the whole that their share says something."""
    return {stage for stage, ms in work.items() if ms >= LEAST * work[WHOLE]}


class Threads(Program):
    def stages(self, batch, options, threads, clock=None, reps=REPS):
        words = [self.job, "bench", batch, "--device", "cpu", "--reps", reps, *options]
        words += ["--threads", threads] if threads else []
        environment = dict(os.environ)
        if clock:
            words += ["--as-cores", COUNTED]
            environment |= {"LD_PRELOAD": str(self.counter), "BENCH_CLOCK": clock}
        command = [str(word) for word in words]
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
        return stages_of(done.stdout)

    def table(self, title, batch, options):
        say(title)
        work, serial, regions = (self.stages(batch, options, COUNTED, c, 3) for c in ("work", "serial", "regions"))
        if not regions[WHOLE]:
            raise OSError("%s: no parallel region was counted" % title)
        times = {n: self.stages(batch, options, n) for n in self.threads}
        for stage in sorted(is_judged(work), key=list(work).index):
            yield Figure(title, stage, WORK, "seconds", work[stage] / 1e3)
            yield Figure(title, stage, SERIAL, "seconds", serial[stage] / 1e3)
            yield Figure(title, stage, SHARE, "number", 100 * serial[stage] / work[stage])
            yield Figure(title, stage, REGIONS, "number", regions[stage])
            if times:
                yield Figure(title, stage, ONE, "seconds", times[1][stage] / 1e3)
            for n in self.threads[1:]:
                yield Figure(title, stage, "%d threads" % n, "seconds", times[n][stage] / 1e3)
                yield Figure(title, stage, "faster with %d" % n, "number", times[1][stage] / (times[n][stage] or 1))

    def small(self, where):
        for size in SIZES:
            batch = where / "small.vtkhdf"
            self.generate(batch, "cloth-fold", "-n", size)
            work = self.stages(batch, (), 1, "work", 50)[WHOLE]
            regions = {n: self.stages(batch, (), n, "regions", 1)[WHOLE] for n in (COUNTED, BY_SIZE)}
            batch.unlink()
            row = "%d triangles" % size
            yield Figure(SMALL, row, WORK, "seconds", work / 1e3)
            yield Figure(SMALL, row, REGIONS, "number", regions[COUNTED])
            yield Figure(SMALL, row, "regions by default", "number", regions[BY_SIZE])

    def generate(self, batch, *words):
        command = [self.impinge, "generate", *words, "-o", batch, "-q"]
        subprocess.run([str(word) for word in command], check=True)

    def measure(self, args, folder):
        self.impinge = args.impinge
        self.job = args.impinge.parent / "bench_job"
        self.counter = args.impinge.parent / "libbench_regions.so"
        self.threads = numbers_of_threads(THREADS) if THREADS >= COUNTED else []
        figures = []
        with tempfile.TemporaryDirectory(dir=folder, prefix="threads-") as name:
            where = Path(name)
            for scene, words in SCENES.items():
                batch = where / (scene + ".vtkhdf")
                self.generate(batch, *words)
                for title, (of, options) in RUNS.items():
                    if of == scene:
                        figures += self.table(title, batch, options)
                batch.unlink()
            return figures + list(self.small(where))

    def judge(self, figures):
        faults, notes = [], []
        shares = {(x.table, x.row): x.value for x in figures if x.column == SHARE}
        for title in RUNS:
            if (title, WHOLE) not in shares:
                faults.append("%s: not there" % title)
        for (title, stage), share in shares.items():
            if share > MOST:
                text = "%s: %s: one thread does %.1f %% alone, at most %g is wanted"
                faults.append(text % (title, stage, share, MOST))
        faster = [x for x in figures if x.column == "faster with %d" % COUNTED and x.row == WHOLE]
        for x in faster:
            text = "%s: %d threads are %.1f times as fast, at least %g is wanted"
            (notes if x.value >= FASTER else faults).append(text % (x.table, COUNTED, x.value, FASTER))
        if not faster:
            notes.append("%d cores: %d threads are counted, but not timed" % (THREADS, COUNTED))
        return faults, notes


RUN = Threads("threads", "impinge: what one thread does alone", "bench_job", [])
