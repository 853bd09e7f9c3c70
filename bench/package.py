"""The Python package beside imp_detect in C, ipctk, trimesh and FCL: bench/python. A wheel of it is made, and installed
in an environment of its own, to which this one lends its packages."""

import shutil
import subprocess
import sys
from pathlib import Path

import programs
from contestants import say
from programs import Demand

ROOT = Path(__file__).resolve().parent.parent
HERE = ROOT / "build/bench/python"
PIP = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check"]
ALONE = ["--no-deps", "--no-index"]

# as bench/python calls them
ALL, ANY, NONE = (
    "folded cloth, 199,712 triangles: all contacts",
    "folded cloth, 199,712 triangles: does anything meet?",
    "smooth cloth, 199,712 triangles: does anything meet?",
)
BALL = "cloth with ball, 5,980 triangles, 60 frames: pairs of both"
TWO = "two pipelines with a thread each, 199,712 triangles twice"
MEMORY = "folded cloth, 2,000,000 triangles: most memory of a call"
C, PIPELINE, FUNCTION = "imp_detect in C", "impinge.Pipeline.contacts", "impinge.contacts"
FRAMES, IPCTK = "impinge.Pipeline.frames", "ipctk.has_intersections"

DEMANDS = [
    Demand(ALL, PIPELINE, C, "call", 1.15),
    Demand(ANY, "impinge.touches", IPCTK, "call", 1 / 4),
    Demand(ANY, PIPELINE, IPCTK, "call", 1 / 4),
    Demand(ALL, FUNCTION, IPCTK, "call", 1 / 4, ANY),
    Demand(NONE, "impinge.touches", IPCTK, "call", 1 / 4),
    Demand(BALL, FRAMES, "trimesh.CollisionManager", "call", 1 / 5),
    Demand(BALL, FRAMES, "fcl.collide", "call", 1 / 5),
    Demand(TWO, "in two threads of Python", "one after another", "call", 1),
    # pages of Python's own, and threads' stacks, are a little besides the arrays of the library
    Demand(MEMORY, PIPELINE, C, "without results, MB", 1.02, said="has %.3f times as much as"),
]
WRONG = [(row, column) for row in (FRAMES, PIPELINE + ", one by one") for column in ("that do not meet", "missed")]


def quietly(*command):
    subprocess.run(list(map(str, command)), check=True, stdout=sys.stderr)


def packages_of(python):
    code = 'import sysconfig; print(sysconfig.get_paths()["platlib"])'
    return subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def environment():
    """The Python in which the package is installed. What is compiled is kept for the next time."""
    say("the Python package")
    shutil.rmtree(HERE / "wheel", ignore_errors=True)
    words = ["--no-build-isolation", "-w", HERE / "wheel", "-C", "build-dir=%s" % (HERE / "build")]
    quietly(*PIP, "wheel", *ALONE, *words, ROOT)
    quietly(sys.executable, "-m", "venv", "--clear", "--without-pip", HERE / "venv")
    python = HERE / "venv/bin/python"
    lent = "import site; site.addsitedir(%r)\n" % packages_of(sys.executable)  # with the .pth of its own
    Path(packages_of(python), "lent.pth").write_text(lent)
    quietly(*PIP, "--python", python, "install", *ALONE, *(HERE / "wheel").glob("*.whl"))
    return python


class Package(programs.Program):
    """Runs a script of bench/python, which prints figures. option: the script's option for the path of the build's
    program; None: it has none."""

    script, option = "compare.py", "--detect"

    def words(self, args):
        """Further ones for the script."""
        return [self.option, args.impinge.parent / self.program] if self.option else []

    def measure(self, args, folder):
        path = folder / (self.__name__ + "-figures.csv")
        command = [environment(), "-B", ROOT / "bench/python" / self.script]
        done = subprocess.run([*command, "--versions"], check=True, capture_output=True, text=True)
        self.versions = done.stdout.strip()
        quietly(*command, *self.words(args), "--csv", path)
        figures = programs.read_csv(path)
        path.unlink()
        return figures

    def write_all(self, folder, figures, machine_text, isa):
        super().write_all(folder, figures, "%s %s." % (machine_text, self.versions), isa)


RUN = Package(
    *("python", "impinge in Python, beside C and its peers", "bench_detect", []),
    DEMANDS,
    WRONG,
)
