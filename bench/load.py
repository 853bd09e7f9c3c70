"""How long a batch takes to load, as it is and compressed: `load` of `impinge run --json` beside h5py, which
reads the same arrays."""

import json
import subprocess
import sys

import report
import scenes
from contestants import Contestant, Failed, say, version_of
from rows import BATCH, SCENES, Row

STAGES = ("load",)
PLAIN, PACKED = "", "-packed"
CHUNK = 65_536  # rows
# row: how many times as long as h5py impinge may take; it also hashes the file, and checks what it reads
DEMANDS = {"cloth-1000x2k-packed/load": 1.5}


def rows():
    name, kind, primitives, frames = BATCH
    asked = {"group": "load", "frames": frames, "peers": False}
    return [Row(name, *STAGES, kind, primitives, "all", variant=v, **asked) for v in (PACKED, PLAIN)]


# ---- the files


def batch_of(row):
    """The plain one is generated as other scenes are, the packed one is made of it."""
    plain, packed = row.batch, SCENES / (row.title + ".vtkhdf")
    if row.variant == PACKED and not packed.exists():
        say("compressing %s" % row.scene)
        part = packed.with_suffix(".tmp")
        pack(plain, part)
        part.rename(packed)
    return packed if row.variant == PACKED else plain


def pack(plain, packed):
    """The same with deflate and shuffle, as h5py and VTK have them, in chunks of so many rows."""
    import h5py

    def copy(source, target):
        for name, value in source.attrs.items():
            target.attrs.create(name, value, dtype=source.attrs.get_id(name).dtype)
        for name, item in source.items():
            if isinstance(item, h5py.Group):
                copy(item, target.create_group(name))
                continue
            rows = item.shape and item.shape[0]
            chunks = (min(rows, CHUNK), *item.shape[1:]) if rows else None
            more = {"compression": "gzip", "shuffle": True} if rows else {}
            target.create_dataset(name, data=item[()], dtype=item.dtype, chunks=chunks, **more)

    with h5py.File(plain) as source, h5py.File(packed, "w") as target:
        copy(source, target)


# ---- contestants


class Loader(Contestant):
    """A process for each turn, of all: what is in the caches of one that runs on would be no loading."""

    def takes(self, row):
        return row.stage in self.stages

    def start(self, row):
        self.row = row
        return self.turn()[0]

    def turn(self):
        done = subprocess.run(
            self.command(self.row), capture_output=True, text=True, env=self.environment
        )
        if done.returncode:
            raise Failed((done.stderr.strip() or "ended with %d" % done.returncode).splitlines()[-1])
        return self.answer_of(done.stdout)

    def stop(self):
        return 0  # its memory is not asked for


class Run(Loader):
    def answer_of(self, text):
        summary = json.loads(text)
        return summary["seconds"]["load"], summary["primitives"]


class Reader(Loader):
    def answer_of(self, text):
        seconds, primitives = text.split()
        return float(seconds), int(primitives)


def contestants(impinge, build, isa):
    """Neither can be held to an instruction set. One thread of impinge computes, so that the one that reads
    has a processor of its own, as h5py has."""
    held, environment = not isa.name, isa.environment_in(build)
    script = scenes.HERE / "peers/h5py_load.py"
    version = version_of([sys.executable, script])

    def run(row):
        out = ["-o", SCENES / "load.out", "--force", "--json", "-q"]
        return [impinge, "run", batch_of(row), *out, "--device", "cpu", "--threads", "1"]

    def read(row):
        return [sys.executable, script, batch_of(row)]

    everyone = [Run("cpu", run, STAGES, False, held, STAGES, environment)]
    if version:
        name = "h5py %s" % version
        everyone.append(Reader(name, read, STAGES, True, held, STAGES, environment))
    return everyone


# ---- what becomes of the times


def times_of(some):
    """How many times as long as h5py impinge takes, by minima; None if one of both is not there."""
    ours = [r.min for r in some if r.contestant == "cpu"]
    peers = [r.min for r in some if r.contestant.startswith("h5py")]
    return ours[0] / min(peers) if ours and peers else None


def judge(results, asked):
    """asked: names of the rows that were to be measured; a demand of which nothing was is a fault.
    Returns faults and notes."""
    faults, notes, found = [], [], report.by_row(results)
    for row in asked:
        if row not in DEMANDS:
            continue
        most, times = DEMANDS[row], times_of(found[row])
        if times is None:
            faults.append("%s: not measured beside h5py, so nothing can be said" % row)
            continue
        text = "%s: cpu takes %.2f times as long as h5py, at most %.3g is wanted"
        (notes if times <= most else faults).append(text % (row, times, most))
    return faults, notes


def table(results):
    who = report.everyone(results)
    lines = report.grid(
        results, who, lambda r: "%s / %s" % tuple(map(report.milliseconds, (r.min, r.median)))
    )
    for line, some in zip(lines, report.by_row(results).values()):
        times = times_of(some)
        line.append("" if times is None else "%.2f" % times)
    return report.markdown(["row", *report.heads(results, who), "cpu / h5py"], lines)


def write_all(folder, results, machine_text, isa):
    parts = [
        ("Milliseconds of loading all frames: minimum / median; and minima divided.", table(results)),
        ("Primitives read.", report.grid_table(results, lambda r: "{:,}".format(r.pairs))),
    ]
    report.write_sections(folder / "load.md", "impinge and h5py: loading", machine_text, parts, isa)
    report.write_csv(folder / "load.csv", results)
