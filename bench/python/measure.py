"""What the comparisons share: scenes, calls that take turns, the sheet of figures."""

import argparse
import gc
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import impinge
import numpy as np
from impinge.program import PROGRAM

sys.path.append(str(Path(__file__).resolve().parent.parent))
from programs import Figure, tables, write_csv  # noqa: E402

# What the program and the package set for themselves: threads that wait do not spin.
PASSIVE = {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "1000"}


class Sheet:
    """Figures, and what is wrong."""

    def __init__(self):
        self.figures = []
        self.faults = []

    def times(self, table, row, times):
        self.figures.append(Figure(table, row, "call", "seconds", min(times)))
        self.figures.append(Figure(table, row, "call, median", "seconds", statistics.median(times)))

    def count(self, table, row, column, value):
        self.figures.append(Figure(table, row, column, "count", value))

    def number(self, table, row, column, value):
        self.figures.append(Figure(table, row, column, "number", value))

    def megabytes(self, table, row, column, size):
        self.figures.append(Figure(table, row, column, "number", size / 1e6))

    def end(self, path):
        """Prints the tables, writes a CSV unless path is None, and returns the exit code."""
        for title, table in tables(self.figures):
            print(f"\n### {title}\n\n{table}")
        if path:
            write_csv(path, self.figures)
        return 1 if self.faults else 0

    def fault(self, text):
        self.faults.append(text)
        say("WRONG: " + text)


def say(line):
    print(line, file=sys.stderr, flush=True)


def versions(packages):
    """In one line."""
    found = [f"Python {platform.python_version()}"]
    for name in packages:
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            say(f"left out: no {name}")
    return ", ".join(found)


def arguments(doc):
    """A parser with the options of all comparisons."""
    p = argparse.ArgumentParser(description=doc)
    p.add_argument("--small", action="store_true", help="scenes that take seconds in all")
    p.add_argument("--csv", type=Path, metavar="FILE", help="figures, as bench/sheet.h has them")
    p.add_argument("--versions", action="store_true", help="only prints these")
    return p


def main(doc, packages, compare, few, turns, program=()):
    """Runs a comparison; compare(folder, small, turns) returns its sheet. program: the option for the path of a program
    that it starts, and its help; then compare has the path as well, or None."""
    p = arguments(doc)
    if program:
        p.add_argument(program[0], dest="program", type=Path, metavar="PROGRAM", help=program[1])
    args = p.parse_args()
    more = [args.program] if program else []
    print(versions(packages))
    if args.versions:
        return 0
    with tempfile.TemporaryDirectory(prefix="impinge-") as folder:
        sheet = compare(Path(folder), args.small, few if args.small else turns, *more)
    return sheet.end(args.csv)


# ---- scenes


def generate(path, scene, *options):
    """A batch of a scene, by the program of the package."""
    if not path.exists():
        say(f"generating {path.stem}")
        command = [PROGRAM, "generate", scene, "-o", path, "-q", *map(str, options)]
        subprocess.run(list(map(str, command)), check=True)
    return path


def read(batch):
    """positions (f, n, 3) float64, triangles (m, 3) int32, objects (m,) int32 of all frames."""
    with impinge.open(batch) as frames:
        every = list(frames)
    first = every[0]
    objects = np.zeros(len(first.triangles)) if first.objects is None else first.objects
    positions = np.stack([frame.points for frame in every]).astype(np.float64)
    return positions, first.triangles.astype(np.int32), objects.astype(np.int32)


def flatten(path, points, triangles, objects):
    """A frame as detect.c reads it."""
    flatten_all(path, [points], triangles, objects)


def flatten_all(path, positions, triangles, objects):
    """Frames as the programs of bench/peers read them."""
    with open(path, "wb") as file:
        for points in positions:
            np.array([len(points), len(triangles), 0], np.int64).tofile(file)
            for array in (points, triangles, objects):
                array.tofile(file)


def read_flat(path):
    """points, triangles and objects of such a file."""
    with open(path, "rb") as file:
        vertices, triangles, _ = np.fromfile(file, np.int64, 3).tolist()
        points = np.fromfile(file, np.float64, 3 * vertices).reshape(-1, 3)
        corners = np.fromfile(file, np.int32, 3 * triangles).reshape(-1, 3)
        return points, corners, np.fromfile(file, np.int32, triangles)


# ---- contestants


def timed(function):
    """A contestant: seconds and the answer of a call."""

    def turn():
        start = time.perf_counter()
        answer = function()
        return time.perf_counter() - start, answer

    return turn


def steady(turn, least=0.02):
    """The same as of the frames of a batch: the mean of calls one after another, as many as take `least` seconds, after
    one that does not count unless it is a long one."""

    def turns():
        first, answer = turn()
        if first >= LONG:
            return first, answer
        total, calls = 0.0, 0
        while total < least:
            seconds, answer = turn()
            total, calls = total + seconds, calls + 1
        return total / calls, answer

    return turns


LONG = 0.2  # seconds


def repeated(function, least=0.02):
    return steady(timed(function), least)


class Paced:
    """A process that does its work once, and again for each line, and answers with seconds and numbers."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            list(map(str, command)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **PASSIVE},
        )
        self.first = self.answer()

    def answer(self):
        seconds, *numbers = self.process.stdout.readline().split()
        return float(seconds), *map(int, numbers)

    def turn(self):
        """Seconds and the first number."""
        if self.first:
            first, self.first = self.first, None
            return first[:2]
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return self.answer()[:2]

    def close(self):
        """Returns the most memory that it had, in bytes."""
        memory = peak(self.process.pid)
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()
        return memory


def peak(process="self"):
    with open(f"/proc/{process}/status") as file:
        return next(1024 * int(line.split()[1]) for line in file if line.startswith("VmHWM:"))


class Detector(Paced):
    """imp_detect in C (detect.c), whose numbers are contacts and bytes."""

    def __init__(self, program, scene, threads=0):
        super().__init__([program, scene, threads])
        _, self.contacts, self.bytes = self.first


class Turns(NamedTuple):
    """At least so many turns of each, and more until so many seconds are over. slow: turns, at most, of those that
    take more than SLOW times as long as the fastest; 0: as many as of the others."""

    least: int
    seconds: float
    most: int = 100
    slow: int = 0


SLOW = 4


def alternate(contestants, turns):
    """Contestants, by name, take turns, after one each that does not count; the one that begins
    changes from round to round. Returns {name: (seconds of each turn, last answer)}."""
    names = list(contestants)
    times = {name: [] for name in names}
    answers = {name: contestants[name]()[1] for name in names}
    gc.collect()
    gc.disable()
    end = time.perf_counter() + turns.seconds
    for k in range(turns.most):
        if k >= turns.least and time.perf_counter() > end:
            break
        shift = k % len(names)
        for name in names[shift:] + names[:shift]:
            if k >= turns.slow > 0 and min(times[name]) > SLOW * min(map(min, times.values())):
                continue
            seconds, answers[name] = contestants[name]()
            times[name].append(seconds)
    gc.enable()
    return {name: (times[name], answers[name]) for name in names}
