"""Pairs of triangles that meet, beside libraries of today: the same work, in turns, in one run, once for each number of
threads. Ends with 1 where impinge is wrong.

    peers.py [--small] [--embree PROGRAM] [--rows NAME...] [--threads N...] [--csv FILE]

PROGRAM is bench/peers/embree.cpp, compiled. Each number of threads is a process of its own, which may use so many
processors. What is not there of the peers or of the real scenes is left out. `./dev bench --peers` has all of them."""

import fnmatch
import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import ball
import colliders
import numpy as np
from clearances import split
from colliders import EMBREE, IMPINGE, KEPT, REFIT, SKIP, Bodies
from impinge.program import PROGRAM
from inside import TORUS_FRAME, bodies
from meet import meet_beyond
from measure import Sheet, Turns, alternate, arguments, generate, read, say, steady, versions
from near import median_edge

import programs  # isort: skip: of the folder above, which measure.py adds
import real  # isort: skip

TURNS, FEW = Turns(8, 1.5, 40, 2), Turns(2, 0.0)
PACKAGES = ("impinge", "numpy", "trueform", "meshlib", "libigl", "python-fcl")
TWO, ITSELF = "{}: two bodies, {:,} triangles", "{}: itself, {:,} triangles"
ADJACENT = "{}: itself, adjacent test, {:,} triangles"
RIGID, DEFORM = "{}: {} frames, one body moves, {:,} triangles", "{}: {} frames that deform, {:,} triangles"
FRAMES, TURN, STEP = 8, 0.01, 0.5  # of rigid motion: radians and median edges a frame
ROBOT = "fcl-env-rob"


# ---- scenes


def two_bodies(folder, small):
    """Name and frame of two bodies."""
    for name, points, triangles, objects in bodies(folder, small):
        yield name, split(points, triangles, objects)
    if (ROBOT, "between") in real.there():
        batch = folder / f"{ROBOT}.vtkhdf"
        real.make_batch(PROGRAM, ROBOT, batch)
        positions, triangles, objects = read(batch)
        yield ROBOT, split(positions[0], triangles, objects)


def one_body(folder, small):
    """Name and frame of one body."""
    size = 4_000 if small else 200_000
    batches = [("cloth-fold", generate(folder / "fold.vtkhdf", "cloth-fold", "--primitives", size))]
    for name in ("cloth-funnel",) if small else ("cloth-funnel", "rod-twist"):
        if (real.DATA / f"{name}.vtkhdf").exists():
            batches.append((name, real.DATA / f"{name}.vtkhdf"))
        else:
            say(f"left out: {name} is not in {real.DATA}")
    for name, batch in batches:
        positions, triangles, _ = read(batch)
        yield name, [(positions[0], triangles)]


def deforming():
    """Name and frames of two bodies."""
    path = real.DATA / "torus-sphere-surface.vtkhdf"
    if path.exists():
        positions, triangles, objects = read(path)
        yield "torus-sphere", [split(points, triangles, objects) for points in positions]


def poses(points, triangles):
    """Of a body that turns about an axis through its centre, and moves along that."""
    axis, centre, edge = np.array([2.0, 3.0, 6.0]) / 7, points.mean(axis=0), median_edge(points, triangles)
    across = np.cross(np.eye(3), axis)
    made = []
    for k in range(FRAMES):
        pose = np.eye(4)
        pose[:3, :3] += np.sin(TURN * k) * across + (1 - np.cos(TURN * k)) * across @ across
        pose[:3, 3] = centre - pose[:3, :3] @ centre + STEP * edge * k * axis
        made.append(pose)
    return made


def moved(pose, points):
    return points @ pose[:3, :3].T + pose[:3, 3]


# ---- tables


class Run:
    """What all tables of a run have alike."""

    def __init__(self, folder, embree, threads, turns, rows=("*",)):
        self.folder, self.embree, self.threads, self.turns, self.rows = folder, embree, threads, turns, rows
        self.sheet = Sheet()

    def by_embree(self, name, row, bodies, *words):
        if not self.embree:
            return {}
        return {row: colliders.of_embree(self.embree, self.folder, name, bodies, self.threads, *words)}

    def compare(self, table, bodies, make, verdict=ball.meet_corners):
        """make: colliders by their names."""
        if not any(fnmatch.fnmatch(table, pattern) for pattern in self.rows):
            return
        say(table)
        made = make()
        found = alternate({who: steady(one.turn) for who, one in made.items()}, self.turns)
        for who, (times, answer) in found.items():
            self.sheet.times(table, who, [x / len(bodies.frames) for x in times])
            if not made[who].pairs:
                self.sheet.count(table, who, "pairs", answer)
        sets = {who: pair_sets(made[who].pairs(found[who][1])) for who in made if made[who].pairs}
        self.judge(table, bodies, sets, verdict)

    def judge(self, table, bodies, sets, verdict):
        verdicts = ball.judge(bodies.positions, bodies.triangles, sets, verdict)
        for who, (wrong, missed) in verdicts.items():
            self.sheet.count(table, who, "pairs", sum(map(len, sets[who])))
            self.sheet.count(table, who, "that do not meet", wrong)
            self.sheet.count(table, who, "missed", missed)
            if who.startswith(IMPINGE) and wrong + missed:
                self.sheet.fault(f"{table}: {who}: {wrong} pairs do not meet, {missed} are missed")


def pair_sets(frames):
    return [set(map(tuple, np.asarray(rows).tolist())) for rows in frames]


def two(run, name, frame):
    bodies = Bodies([frame])

    def make():
        return {
            IMPINGE: colliders.of_impinge(bodies, pairs="between"),
            **run.by_embree(name, EMBREE, bodies),
            **colliders.there(
                colliders.trueform_anew(bodies),
                colliders.trueform_ready(bodies),
                colliders.meshlib_anew(bodies),
                colliders.igl_anew(bodies),
                colliders.fcl_anew(bodies),
            ),
        }

    run.compare(TWO.format(name, len(bodies.triangles)), bodies, make)


def itself(run, name, frame):
    bodies = Bodies([frame])

    def make():
        return {
            IMPINGE: colliders.of_impinge(bodies),
            **run.by_embree(name, EMBREE, bodies),
            **colliders.there(colliders.trueform_self(bodies)),
        }

    run.compare(ITSELF.format(name, len(bodies.triangles)), bodies, make)


def adjacent(run, name, frame):
    bodies = Bodies([frame])

    def make():
        return {
            IMPINGE: colliders.of_impinge(bodies, adjacent="test"),
            SKIP: colliders.counted(colliders.of_impinge(bodies)),
            **colliders.there(colliders.meshlib_self(bodies), colliders.igl_self(bodies)),
        }

    run.compare(ADJACENT.format(name, len(bodies.triangles)), bodies, make, meet_beyond)


def rigid(run, name, frame):
    """The second body moves."""
    standing, (points, triangles) = frame
    at = poses(points, triangles)
    bodies = Bodies([[standing, (moved(pose, points), triangles)] for pose in at])

    def make():
        return {
            KEPT: colliders.of_impinge(bodies, pairs="between", update="auto"),
            **run.by_embree(name + "-rigid", EMBREE + REFIT, bodies, "refit"),
            **colliders.there(
                colliders.trueform_ready(bodies, at),
                colliders.meshlib_ready(bodies, at),
                colliders.fcl_ready(bodies, at),
            ),
        }

    run.compare(RIGID.format(name, FRAMES, len(bodies.triangles)), bodies, make)


def deform(run, name, frames):
    bodies = Bodies(frames)

    def make():
        return {
            KEPT: colliders.of_impinge(bodies, pairs="between", update="auto"),
            **run.by_embree(name + "-deform", EMBREE, bodies),
            **run.by_embree(name + "-deform", EMBREE + REFIT, bodies, "refit"),
            **colliders.there(colliders.trueform_anew(bodies), colliders.meshlib_anew(bodies)),
        }

    run.compare(DEFORM.format(name, len(frames), len(bodies.triangles)), bodies, make)


def compare(run, small):
    for name, frame in two_bodies(run.folder, small):
        two(run, name, frame)
        if name != ROBOT:
            rigid(run, name, frame)
    for name, frame in one_body(run.folder, small):
        itself(run, name, frame)
        adjacent(run, name, frame)
    for name, frames in deforming():
        deform(run, name, frames)
    return run.sheet


# ---- numbers of threads


def processors():
    """Those of this process: first one of each core."""
    first, others, seen = [], [], set()
    for cpu in sorted(os.sched_getaffinity(0)):
        path = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
        core = path.read_text() if path.exists() else cpu
        (others if core in seen else first).append(cpu)
        seen.add(core)
    return first + others


def counts(every):
    """1, 2, 4 and so on, and all."""
    return sorted({min(1 << k, every) for k in range(every.bit_length() + 1)})


def in_threads(number):
    return "1 thread" if number == 1 else f"{number} threads"


def merge(sheet, number, figures):
    """Times become columns of this number of threads; all else is the same for each number, or it is wrong."""
    known = {x.place: x.value for x in sheet.figures if x.kind == "count"}
    for x in figures:
        if x.kind == "seconds":
            sheet.figures.append(replace(x, column=x.column.replace("call", in_threads(number))))
        elif x.place not in known:
            sheet.figures.append(x)
        elif known[x.place] != x.value:
            text = "%s: %s: %s: %d with %s, %d with fewer" % (*x.place, x.value, in_threads(number), known[x.place])
            sheet.fault(text) if x.row.startswith(IMPINGE) else say(text)


def curve(folder, numbers, words):
    """Runs this script with each number of threads."""
    sheet, cpus, path = Sheet(), processors(), folder / "figures.csv"
    for number in numbers:
        say(in_threads(number))
        command = [sys.executable, "-B", __file__, "--child", number, "--folder", folder, "--csv", path, *words]
        done = subprocess.run(
            list(map(str, command)),
            stdout=sys.stderr,
            preexec_fn=lambda: os.sched_setaffinity(0, cpus[:number]),
        )
        if done.returncode not in (0, 1) or not path.exists():
            raise subprocess.CalledProcessError(done.returncode, command)
        if done.returncode:
            sheet.fault(in_threads(number))
        merge(sheet, number, programs.read_csv(path))
        path.unlink()
    sheet.figures.sort(key=lambda x: x.kind != "seconds")  # times are the first columns
    return sheet


def main():
    p = arguments(__doc__)
    p.add_argument("--embree", type=Path, metavar="PROGRAM", help="embree.cpp, compiled")
    p.add_argument("--rows", nargs="+", default=["*"], metavar="NAME", help="tables, such as 'press*'")
    p.add_argument("--threads", nargs="+", type=int, metavar="N", help="numbers of threads")
    p.add_argument("--child", type=int, metavar="N", help="what peers.py starts: this number of threads")
    p.add_argument("--folder", type=Path, help="of scenes, which are kept there")
    args = p.parse_args()
    if args.child:
        run = Run(args.folder, args.embree, args.child, FEW if args.small else TURNS, args.rows)
        return compare(run, args.small).end(args.csv)
    print(versions(PACKAGES))
    if args.versions:
        return 0
    words = ["--rows", *args.rows] + ["--small"] * args.small + (["--embree", args.embree] if args.embree else [])
    with tempfile.TemporaryDirectory(prefix="impinge-") as folder:
        sheet = curve(args.folder or Path(folder), args.threads or counts(len(processors())), words)
    return sheet.end(args.csv)


if __name__ == "__main__":
    sys.exit(main())
