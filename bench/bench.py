"""Times impinge and other libraries on the same triangles, in turns: README.md in this folder."""

import argparse
import copy
import fnmatch
import hashlib
import os
import shutil
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

import against
import check
import outlier
import real
import report
import sets
from contestants import THREADS, Failed, all_impinges, all_peers, instruction_set, say

HERE = Path(__file__).resolve().parent
BUILD = HERE.parent / "build"
SCENES = BUILD / "bench/scenes"
OUT = BUILD / "bench/out"
RESULTS = HERE / "results"

# name, scene of `impinge generate`, triangles, pairs
ALL_SCENES = [
    ("cloth-20k", "cloth-fold", 20_000, "all"),
    ("cloth-200k", "cloth-fold", 200_000, "all"),
    ("cloth-2M", "cloth-fold", 2_000_000, "all"),
    ("spheres-80k", "spheres", 80_000, "between"),
    ("spheres-1.6M", "spheres", 1_600_000, "between"),
    ("soup-100k", "soup", 100_000, "all"),
    ("soup-1M", "soup", 1_000_000, "all"),
    ("cloth-x-ball-120k", "drape", 120_000, "between"),
]
# shaped like real ones: sizes of all kinds, dense creases, bodies of different resolution, a scan
SHAPED = [
    ("mixed-100k", "mixed", 100_000, "all"),
    ("creases-200k", "creases", 200_000, "all"),
    ("press-200k", "press", 200_000, "between"),
    ("scan-200k", "scan", 200_000, "all"),
]
LARGE = ("cloth-20M", "cloth-fold", 20_000_000, "all")

# what grids don't like; ns for each triangle and pair are compared with those of cloth-200k
AWKWARD = [
    ("ribbon-200k", "ribbon"),
    ("giant-200k", "giant"),
    ("clusters-200k", "clusters"),
    ("pile-200k", "pile"),
    ("flat-200k", "flat"),
]
# many small frames, compared with cloth-2M
BATCH = ("cloth-1000x2k", "cloth-fold", 2_000, 1_000)

SHORT_SECONDS = 2.0  # rows that take less are repeated more often
MOST_ROUNDS = 50
SIZES_SECONDS = 8.0  # of one contestant on all sizes of `--outlier`
RACE_SECONDS, RACE_ROUNDS = 4.0, 200  # of two programs, compared to a few per cent
SLOW = 4  # a peer that takes so many times as long as the fastest has few turns: it decides nothing
SLOW_ROUNDS = 3


@dataclass
class Row:
    scene: str
    stage: str
    kind: str
    primitives: int
    pairs: str
    group: str = ""  # "large", "awkward", "batch": impinge only; all others with peers
    frames: int = 1
    only: int | None = None  # the one of the frames that is timed

    @property
    def peers(self):
        return self.group not in ("large", "awkward", "batch")

    @property
    def title(self):
        return self.scene if self.only is None else outlier.name(self.only)

    @property
    def name(self):
        return "%s/%s" % (self.title, self.stage)

    @property
    def batch(self):
        return SCENES / (self.scene + ".vtkhdf")

    @property
    def flat(self):
        return SCENES / (self.title + ".bin")

    @property
    def chosen(self):
        """words for `impinge bench`: which frames"""
        return [] if self.only is None else ["--frames", "%d:%d" % (self.only, self.only + 1)]

    @property
    def frame_slice(self):
        return slice(None) if self.only is None else slice(self.only, self.only + 1)


def all_rows(large, awkward):
    stages = ("candidates", "contacts")
    rows = [Row(name, stage, *more) for name, *more in ALL_SCENES for stage in stages]
    rows += [Row(name, stage, *more, "shaped") for name, *more in SHAPED for stage in stages]
    for name, pairs in real.there():
        rows += [Row("real-" + name, stage, name, 0, pairs, "real") for stage in stages]
    if large:
        rows += [Row(LARGE[0], stage, *LARGE[1:], "large") for stage in stages]
    if awkward:
        rows += [Row(n, "candidates", kind, 200_000, "all", "awkward") for n, kind in AWKWARD]
        name, kind, primitives, frames = BATCH
        rows.append(Row(name, "contacts", kind, primitives, "all", "batch", frames))
    return rows


def outlier_rows():
    name, *more = outlier.SCENE
    sizes = len(outlier.SIZES)
    return [Row(name, "candidates", *more, "outlier", sizes, i) for i in range(sizes)]


def choose_rows(patterns, rows):
    return [r for r in rows if any(fnmatch.fnmatch(r.name, p) for p in patterns)]


# ---- scenes


def forget_old_scenes():
    """Scenes are kept from run to run until the code that makes them changes."""
    source = hashlib.sha256()
    for path in sorted((HERE.parent / "data").glob("scene*")):
        source.update(path.read_bytes())
    stamp = SCENES / "made-by"
    if stamp.exists() and stamp.read_text() == source.hexdigest():
        return
    shutil.rmtree(SCENES, ignore_errors=True)
    SCENES.mkdir(parents=True)
    stamp.write_text(source.hexdigest())


def make_scene(impinge, row, flat):
    if row.group == "real":
        real.make_batch(impinge, row.kind, row.batch)
    elif not row.batch.exists():
        say("generating %s" % row.scene)
        part = row.batch.with_suffix(".tmp")
        subprocess.run(
            [
                *(impinge, "generate", row.kind, "-o", part, "--force", "-q"),
                *("--primitives", str(row.primitives), "--frames", str(row.frames)),
            ],
            check=True,
        )
        part.rename(row.batch)
    if flat and not (row.flat.exists() and row.flat.stat().st_mtime > row.batch.stat().st_mtime):
        flatten(row)


def flatten(row):
    """The triangles as plain arrays, for peers that know no HDF5."""
    import numpy as np

    part = row.flat.with_suffix(".tmp")
    with open(part, "wb") as f:
        for points, corners, objects in list(real.frames_of(row.batch))[row.frame_slice]:
            np.array([len(points), len(objects)], np.int64).tofile(f)
            points.astype(np.float64).tofile(f)
            corners.astype(np.int32).tofile(f)
            objects.astype(np.int32).tofile(f)
    part.rename(row.flat)


def triangles_of(row):
    import h5py

    with h5py.File(row.batch) as f:
        cells, steps = f["VTKHDF/Polygons/NumberOfCells"][:], f["VTKHDF/Steps"]
        first, parts = (steps[k][row.frame_slice] for k in ("PartOffsets", "NumberOfParts"))
        return sum(int(cells[a : a + n].sum()) for a, n in zip(first, parts))


# ---- measuring


class Runner:
    """A contestant in a row: its times and counts."""

    def __init__(self, contestant, row):
        self.who = contestant
        self.times = []
        self.pairs = None
        self.failure = None
        self.memory = 0
        self.first = self.guarded(contestant.start, row)

    def guarded(self, do, *args):
        try:
            return do(*args)
        except Failed as why:
            self.failure = str(why)
            return None

    def turn(self):
        answer = self.guarded(self.who.turn)
        if not answer:
            return
        seconds, pairs = answer
        if self.pairs not in (None, pairs):
            self.failure = "%d pairs, and before %d" % (pairs, self.pairs)
            self.who.stop()
            return
        self.pairs = pairs
        self.times.append(seconds)

    def finish(self):
        if not self.failure:
            self.memory = self.who.stop()

    def result(self, row, triangles):
        return report.Result(
            row=row.name,
            triangles=triangles,
            contestant=self.who.name,
            kind="peer" if self.who.is_peer else "impinge",
            group=row.group,
            exact=row.stage in self.who.exact,
            held=self.who.held,
            pairs=self.pairs,
            min=min(self.times),
            median=statistics.median(self.times),
            memory=self.memory,
            times=self.times,
        )


def slow_ones(runners):
    peers = [r for r in runners if r.who.is_peer and not r.failure]
    fastest = min((r.first for r in peers if r.who.held), default=0)
    return [r for r in peers if r.first > SLOW * fastest]


def take_turns(runners, reps, seconds, most):
    """All take turns; who begins changes from round to round."""
    slow = slow_ones(runners)
    start = time.monotonic()
    for i in range(most):
        if i >= reps and time.monotonic() - start > seconds:
            break
        shift = i % len(runners)
        for r in runners[shift:] + runners[:shift]:
            if not r.failure and (r not in slow or i < SLOW_ROUNDS):
                r.turn()
    for r in runners:
        r.finish()


def measure(row, contestants, reps, seconds=SHORT_SECONDS, most=MOST_ROUNDS):
    runners = [Runner(c, row) for c in contestants if row.stage in c.stages]
    take_turns(runners, reps, seconds, most)
    return runners


def measure_sizes(rows, contestants, args):
    """The rows of `--outlier`: compared are not contestants but sizes, so sizes take turns.
    Returns the runners of each row."""
    found = [[] for _ in rows]
    for c in contestants:
        if rows[0].stage in c.stages:
            runners = [Runner(copy.copy(c), row) for row in rows]
            take_turns(runners, args.reps, SIZES_SECONDS, MOST_ROUNDS)
            for of_row, runner in zip(found, runners):
                of_row.append(runner)
    return found


def reps_of(row, args):
    return min(args.reps, 3) if row.group == "large" else args.reps


def count_grown(row, contestants):
    """Candidates of boxes as large as those in float32 may be: as the first peer with exact boxes
    counts them, which all know the stage `grown`. 0 if there is none."""
    exact = [c for c in contestants if c.is_peer and row.stage in c.exact]
    if row.stage != "candidates" or not exact:
        return 0
    runner = Runner(exact[0], replace(row, stage="grown"))
    runner.turn()
    runner.finish()
    pairs = runner.pairs or 0
    say("%s: %d pairs of boxes grown by 2^-22 of the frame's half extent" % (row.name, pairs))
    return pairs


def judge_row(row, runners, contestants, results, faults):
    triangles = triangles_of(row)
    for r in runners:
        if r.failure:
            say("%s: %s failed: %s" % (row.name, r.who.name, r.failure))
            if not r.who.is_peer:
                faults.append("%s: impinge failed on %s" % (row.name, r.who.name))
    done = [r.result(row, triangles) for r in runners if not r.failure]
    report.add_ratios(done)
    grown = count_grown(row, contestants) if report.many_extra(done) else 0
    faults += report.count_faults(row, done, grown)
    say(report.one_line(row, done))
    results += done


def wanted_rows(args):
    forget_old_scenes()
    some = outlier_rows() if args.outlier else all_rows(args.large, args.awkward)
    rows = choose_rows(args.rows, some)
    if not rows:
        sys.exit("no such row")
    return rows


def measure_all(args):
    rows = wanted_rows(args)
    contestants = all_impinges(args.impinge, BUILD, args.isa) + all_peers(BUILD, args.isa)
    say("%d rows; %s" % (len(rows), ", ".join(c.name for c in contestants)))
    results, faults = [], []
    if args.outlier:
        for row in rows:
            make_scene(args.impinge, row, True)
        for row, runners in zip(rows, measure_sizes(rows, contestants, args)):
            judge_row(row, runners, contestants, results, faults)
        return results, faults
    for row in rows:
        make_scene(args.impinge, row, row.peers)
        taking_part = [c for c in contestants if row.peers or not c.is_peer]
        runners = measure(row, taking_part, reps_of(row, args))
        judge_row(row, runners, taking_part, results, faults)
    return results, faults


# ---- against another impinge


def race_all(args):
    """Both programs on every device that both have. Returns races and faults."""
    rows = wanted_rows(args)
    new, old = (
        {c.name: c for c in all_impinges(p, BUILD, args.isa) if c.held}
        for p in (args.impinge, args.against)
    )
    both = [name for name in new if name in old]
    for name in new.keys() - old.keys():
        say("%s is left out: the old program does not have it" % name)
    faults = ["%s: only the old program has it" % name for name in old.keys() - new.keys()]
    say("%d rows; %s" % (len(rows), ", ".join(both)))
    races = []
    for row in rows:
        make_scene(args.impinge, row, False)
        for name in both:
            race, failed = against.run_race(
                row.name,
                name,
                lambda: measure(
                    row, [new[name], old[name]], reps_of(row, args), RACE_SECONDS, RACE_ROUNDS
                ),
            )
            faults += failed
            if race:
                say(against.one_line(race))
                races.append(race)
    return races, faults


def race(args):
    machine = report.machine(isa_text(args), THREADS, cores_in_use())
    races, faults = race_all(args)
    wrong, slow, notes = against.judge(races)
    text = "# impinge against %s\n\n%s\n\n%s" % (args.against, machine, against.table(races))
    (OUT / "against.md").write_text(text)
    print(text)
    for note in notes + ([] if args.check else slow):
        say(note)
    for fault in faults + wrong + (slow if args.check else []):
        say("WRONG: " + fault)
    return 1 if faults or wrong or (slow and args.check) else 0


# ---- the command


def cores_in_use():
    """By other programs, just now."""

    def busy():
        words = open("/proc/stat").readline().split()[1:]
        return sum(int(words[i]) for i in (0, 1, 2, 5, 6)) / os.sysconf("SC_CLK_TCK")

    before = busy()
    time.sleep(1)
    return busy() - before


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(2, "%s: %s\n" % (self.prog, message))


def parse_arguments():
    p = Parser(prog="./dev bench", description=__doc__)

    def option(name, text, **kind):
        p.add_argument(name, help=text, **(kind or {"action": "store_true"}))

    every = ["*"]
    program = BUILD / "release/impinge"
    option("--rows", "such as 'cloth-2*/contacts' (all)", nargs="+", default=every, metavar="NAME")
    option("--reps", "least number of turns of each (7)", type=int, default=7, metavar="N")
    option("--large", "also 20 million triangles, impinge only")
    option("--awkward", "also scenes that grids don't like, and 1,000 small frames, impinge only")
    option("--outlier", "instead: what a large triangle costs, over its size")
    option("--keep", "copy the results to bench/results, to the folder of the instruction set")
    option("--check", "fail if they are worse than those in bench/results, or than --against")
    option("--against", "another impinge: which of both is faster", type=Path, metavar="PROGRAM")
    option("--isa", "all held to this instruction set", choices=[s.isa for s in sets.SETS])
    option("--impinge", "another program to time", type=Path, default=program, metavar="PATH")
    args = p.parse_args()
    if args.reps < 1:
        p.error("--reps: from 1 on")
    if args.keep and args.rows != every:
        p.error("--keep is for all rows")
    if args.keep and args.against:
        p.error("--keep is for times beside peers, which do not take part with --against")
    if args.outlier and (args.large or args.awkward):
        p.error("--outlier is a run of its own, without --large and --awkward")
    if args.against and not os.access(args.against, os.X_OK):
        p.error("--against: %s is no program" % args.against)
    args.against = args.against and args.against.resolve()
    args.native = instruction_set(args.impinge)
    isa, args.isa = args.isa, sets.choose(args.isa, args.native)
    if not args.isa:
        p.error("--isa %s: this processor has %s" % (isa, args.native))
    return args


def isa_text(args):
    return "held to " + args.isa.name if args.isa.name else args.native


def report_all(results, machine, folder):
    report.write_all(OUT, results, machine, folder)
    print((OUT / "table.md").read_text())
    return ("table.md", "table.csv", "plot.svg")


def report_outlier(results, machine, folder):
    outlier.write_all(OUT, results, machine, folder)
    print((OUT / "outlier.md").read_text())
    return ("outlier.md", "outlier.csv", "outlier.svg")


def judge(args, folder, results):
    """Returns faults and notes."""
    if args.outlier:
        steep, notes = outlier.judge(results)
        return (steep, notes) if args.check else ([], steep + notes)
    if args.check:
        return check.compare_with(RESULTS, folder, report.processor(), results)
    return [], []


def keep(files, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name in files:
        if (OUT / name).exists():  # no plot without matplotlib
            shutil.copy(OUT / name, folder)


def main():
    args = parse_arguments()
    OUT.mkdir(parents=True, exist_ok=True)
    if args.against:
        sys.exit(race(args))
    folder = args.isa.folder or args.native.split(" ")[0]  # of bench/results
    machine = report.machine(isa_text(args), THREADS, cores_in_use())
    results, faults = measure_all(args)
    files = (report_outlier if args.outlier else report_all)(results, machine, folder)
    worse, notes = judge(args, folder, results)
    for note in notes:
        say(note)
    for fault in faults + worse:
        say("WRONG: " + fault)
    if args.keep and not faults + worse:
        keep(files, RESULTS / folder)
    sys.exit(1 if faults + worse else 0)


main()
