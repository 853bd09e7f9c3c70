"""Who takes part: impinge on each device that there is, and the peers that can be built."""

import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rows import STAGES, SWEPT_STAGES

HERE = Path(__file__).resolve().parent
PATIENCE = 1800  # seconds until a contestant that says nothing is given up
COMPILE = ["-std=c++17", "-O3", "-ffp-contract=off", "-DNDEBUG"]
TBB = ["-ltbb", "-ltbbmalloc", "-lpthread"]
CGAL = ["-DCGAL_LINKED_WITH_TBB", "-frounding-math", "-lgmp", "-lmpfr"]

TRIANGLES, SOLIDS = (False,), (True,)  # rows that somebody can do: are there tetrahedra?
THREADS = len(os.sched_getaffinity(0))


def say(line):
    print(line, file=sys.stderr, flush=True)


class Failed(Exception):
    pass


class Contestant:
    """A program that does its work once, and again for each line on its stdin."""

    def __init__(
        self, name, command, stages, is_peer, held, exact=(), environment=None, of=None, alone=False,
        listed=False, swept=False,
    ):
        self.name = name
        self.command = command  # of a row: the words to start
        self.stages = stages  # what it can do
        self.is_peer = is_peer
        self.held = held  # to the instruction set that was asked for: sets.py
        self.exact = exact  # stages whose count is that of exact boxes or triangles
        self.environment = {**os.environ, **(environment or {})}
        self.of = of or TRIANGLES
        self.alone = alone  # one thread, of whatever there are
        self.listed = listed  # of a peer: its time goes on until the caller has a list
        self.swept = swept  # of a peer: it takes rows between frames, and no others

    def takes(self, row):
        able = row.stage in self.stages and row.tetrahedra in self.of
        if row.alone != self.alone and (self.is_peer or self.name != "cpu"):
            return False
        mine = (row.listed, row.swept) == (self.listed, self.swept)
        return able and (not self.is_peer or (row.peers and mine))

    def start(self, row):
        """Ends with the repetition that is not counted; returns its seconds."""
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            self.command(row),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
            env=self.environment,
        )
        return self.answer()[0]

    def turn(self):
        try:
            self.process.stdin.write("\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Failed(self.last_words()) from None
        return self.answer()

    def answer(self):
        ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
        words = self.process.stdout.readline().split() if ready else []
        if len(words) != 2:
            raise Failed(self.last_words())
        return float(words[0]), int(words[1])

    def last_words(self):
        self.process.kill()
        self.process.wait()
        self.log.seek(0)
        lines = self.log.read().strip().splitlines()
        return lines[-1] if lines else "ended with %d" % self.process.returncode

    def stop(self):
        """Returns the most memory that it had, in MB."""
        status = Path("/proc/%d/status" % self.process.pid).read_text()
        peak = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")]
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
        self.log.close()
        return int(peak[0]) / 1024 if peak else 0


# ---- impinge


def impinge_devices(impinge, environment):
    done = subprocess.run(
        [impinge, "devices", "--json"],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )
    if done.returncode:
        say("no OpenCL device is asked: impinge devices: exit %d: %s" % (done.returncode, done.stderr.strip()))
        return []
    found = [d for d in json.loads(done.stdout)["devices"] if d["index"] > 0 and "Oclgrind" not in d["platform"]]
    for d in found:
        if d["self_test"] != "passed":
            say("%s is left out: its self-test: %s" % (short_name(d), d["self_test"]))
    return [d for d in found if d["self_test"] == "passed"]


def instruction_set(impinge):
    """Of the host's kernels, as `devices` names it: x86-64-v3 (AVX2)."""
    done = subprocess.run([impinge, "devices", "--no-test", "--json"], capture_output=True, text=True)
    known = done.returncode == 0 and json.loads(done.stdout)["devices"][0]["version"].split(", ")
    return known[-1] if known else "unknown"


def short_name(device):
    if device["platform"] == "Portable Computing Language":
        return "PoCL"
    return "Intel OpenCL" if "Intel" in device["platform"] else device["name"]


def intel_environment(build):
    """Intel's runtime as PyPI has it is not known to the system's OpenCL loader, and brings a
    loader of its own that we don't want. Empty if it is not there."""
    library = next(build.glob("venv/lib*/libintelocl.so"), None)
    known = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True).stdout
    loader = [line.split()[-1] for line in known.splitlines() if "libOpenCL.so.1 " in line]
    if not library or not loader:
        return {}
    vendors = build / "bench/icd"
    vendors.mkdir(parents=True, exist_ok=True)
    (vendors / "intel.icd").write_text("%s\n" % library)
    return {
        "OCL_ICD_VENDORS": str(vendors),
        "LD_LIBRARY_PATH": str(library.parent),
        "LD_PRELOAD": loader[0],
    }


def job_of(impinge):
    """The program that takes --paced: bench_job beside it. An older impinge takes it itself."""
    job = Path(impinge).with_name("bench_job")
    return job if job.exists() else impinge


def impinge_on(impinge, name, device, held, environment):
    def command(row):
        stage = ["contacts", "--queries"] if row.stage == "queries" else [row.stage]
        return [
            *(job_of(impinge), "bench", row.batch, "--paced", "--device", *device),
            *("--stage", *stage, "--pairs", row.pairs, *row.chosen),
        ]

    exact = ("contacts",)
    return Contestant(
        name, command, SWEPT_STAGES, False, held, exact, environment, TRIANGLES + SOLIDS
    )


def all_impinges(impinge, build, isa):
    isa_words = ["--isa", isa.isa] if isa.isa else []
    told = isa.environment_in(build)
    out = [impinge_on(impinge, "cpu", ["cpu", *isa_words], isa.holds("cpu"), told)]
    intel = intel_environment(build)
    for environment in [told, {**told, **intel}] if intel else [told]:
        for device in impinge_devices(impinge, environment):
            name, number = short_name(device), [str(device["index"])]
            held = isa.holds(name, device["name"])
            if name not in [c.name for c in out]:
                out.append(impinge_on(impinge, name, number, held, environment))
    return out


# ---- peers


def compile_peer(source, target, choices):
    """Tries the choices of flags in turn; None if none works."""
    newest = max(p.stat().st_mtime for p in (source, HERE / "peers/peer.h"))
    if target.exists() and target.stat().st_mtime > newest:
        return target
    compiler = "gcc" if source.suffix == ".c" else "g++"
    if not shutil.which(compiler):
        return None
    for flags in choices:
        done = subprocess.run([compiler, source, "-o", target, *flags], capture_output=True)
        if done.returncode == 0:
            return target
    return None


def version_of(command):
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def cpp_program(name, build, isa, libraries, target=""):
    """A program for each set, and the version of its library, which are tried in turn; None twice if none can be used."""
    path = build / "bench" / isa.folder / (target or name.lower())
    path.parent.mkdir(parents=True, exist_ok=True)
    choices = [[*COMPILE, *isa.compile_flags(), *words] for words in libraries]
    program = compile_peer(HERE / "peers" / (name.lower() + ".cpp"), path, choices)
    version = program and version_of([program])
    if not version:
        say("%s is left out: its library cannot be had or used" % (target or name))
        return None, None
    return program, version


def cpp_peer(name, build, isa, libraries, threads=THREADS, title="%s %s", of=TRIANGLES + SOLIDS):
    program, version = cpp_program(name, build, isa, [[*words, *TBB] for words in libraries])
    if not program:
        return None

    def command(row):
        return [program, row.flat, row.stage, row.pairs, str(threads)]

    told = isa.environment_in(build)
    return Contestant(
        *(title % (name, version), command, STAGES, True, isa.holds(name), STAGES, told, of)
    )


def tree_peer(name, build, isa, words, exact):
    """FCL and Coal, which are one source. Each body a tree, one thread."""
    source = HERE / "peers/bvh_model.cpp"
    target = build / "bench" / isa.folder / name.lower()
    target.parent.mkdir(parents=True, exist_ok=True)
    eigen = "-I/usr/include/eigen3"
    program = compile_peer(source, target, [[*COMPILE, *isa.compile_flags(), eigen, *words]])
    version = program and version_of([program])
    if not version:
        say("%s is left out: its library cannot be had or used" % name)
        return None

    def command(row):
        return [program, row.flat, row.stage, row.pairs, "1"]

    told = isa.environment_in(build)
    return Contestant(
        *("%s %s" % (name, version), command, ("contacts",), True, isa.holds(name), exact),
        *(told, TRIANGLES, True),
    )


def tree_peers(build, isa):
    coal = next(build.glob("venv/lib/python3*/site-packages/cmeel.prefix"), Path("/nowhere"))
    of_coal = ["-DPEER_COAL", "-I%s/include" % coal, "-L%s/lib" % coal, "-lcoal"]
    of_coal += ["-Wl,-rpath,%s/lib" % coal.resolve()]
    return [
        tree_peer("FCL", build, isa, ["-lfcl", "-lccd"], ("contacts",)),
        tree_peer("Coal", build, isa, of_coal, ()),  # its test has a tolerance
    ]


def ipctk_peer(build, isa, listed):
    """Without its list of Python objects, which list_mark refuses, or with it."""
    script = HERE / "peers/ipctk_lbvh.py"
    mark = compile_peer(
        HERE / "peers/list_mark.c", build / "bench/list_mark.so", [["-O2", "-shared", "-fPIC"]]
    )
    version = mark and version_of([sys.executable, script])
    if not version:
        say("ipc-toolkit is left out: its Python package cannot be had or used")
        return None

    def command(row):
        last = [] if listed else [mark]
        return [sys.executable, script, row.flat, row.stage, row.pairs, str(THREADS), *last]

    title = "ipc-toolkit %s LBVH" % version + ", list" * listed
    return Contestant(
        *(title, command, ("candidates",), True),
        *(isa.holds("ipc-toolkit"), (), isa.environment_in(build)),
        listed=listed,
    )


def swept_peers(build, isa):
    """ipc-toolkit between frames, with each of its methods. All of these have the same candidates."""
    script = HERE / "peers/ipctk_swept.py"
    version = version_of([sys.executable, script])

    def peer(name, stages, method):
        def command(row):
            return [sys.executable, script, row.flat, row.stage, row.pairs, str(THREADS), method]

        return Contestant(
            *("ipc-toolkit %s %s" % (version, name), command, stages, True),
            *(isa.holds("ipc-toolkit"), (), isa.environment_in(build)),
            swept=True,
        )

    if not version:
        return []  # ipctk_peer says so
    return [
        peer("LBVH", ("candidates",), "ACCD"),
        peer("ACCD", ("contacts", "queries"), "ACCD"),
        peer("Tight-Inclusion", ("contacts", "queries"), "Tight-Inclusion"),
    ]


def all_peers(build, isa, trees=False):
    peers = [
        cpp_peer("Embree", build, isa, [["-lembree4"], ["-lembree3"]]),
        cpp_peer("CGAL", build, isa, [CGAL]),
        # with few boxes on one side the second thread may cost more than it does
        cpp_peer("CGAL", build, isa, [CGAL], 1, "%s %s alone", SOLIDS) if THREADS > 1 else None,
        ipctk_peer(build, isa, False),
        ipctk_peer(build, isa, True),
    ]
    peers += swept_peers(build, isa)
    return [p for p in peers + (tree_peers(build, isa) if trees else []) if p]
