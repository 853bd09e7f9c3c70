"""Pairs of triangles that meet beside libraries of today, with one thread and more: bench/python/peers.py, in the
environment of package.py, and Embree 4 as embreex has it."""

import fnmatch
import re
import sys
from pathlib import Path

import package
from contestants import TBB, cpp_program
from programs import Demand, Figure

# as bench/python calls them
IMPINGE, SKIP, KEPT = "impinge.Pipeline", "impinge.Pipeline, adjacent skip", "impinge.Pipeline, update auto"
TRUEFORM, READY = "trueform.gather_intersecting_ids", "trueform.gather_intersecting_ids, trees ready"
EMBREE, MESHLIB, SELF = "Embree 4, rtcCollide", "meshlib.findCollidingTriangles", "meshlib.findSelfCollidingTriangles"
IGL = "igl.predicates.find_intersections", "igl.predicates.find_self_intersections"
THREADS = re.compile(r"\d+ threads?")

NAMES = {  # rows, as the table of ratios has them
    EMBREE: "Embree 4",
    EMBREE + ", trees refitted": "Embree 4, refitted",
    TRUEFORM: "trueform",
    READY: "trueform, trees ready",
    **{who: "MeshLib" for who in (MESHLIB, SELF)},
    MESHLIB + ", trees ready": "MeshLib, trees ready",
    **{who: "igl" for who in IGL},
    "fcl.collide": "FCL",
    "fcl.collide, trees ready": "FCL, trees ready",
}
RATIOS = "%s: time / time of impinge"

# table, impinge's row, the other one, and how many times as long as that it may take
TWO = (("drape", "119,938"), ("press", "199,400"))
ITSELF = (("cloth-fold", "199,712"), ("cloth-funnel", "18,484"), ("rod-twist", "79,864"))
AIMS = [
    *(("%s: two bodies, %s triangles" % scene, IMPINGE, TRUEFORM, 1 / 6) for scene in TWO),
    *(("%s: 8 frames, one body moves, %s triangles" % scene, KEPT, READY, 1 / 2) for scene in TWO),
    *(("%s: itself, adjacent test, %s triangles" % scene, IMPINGE, SKIP, 1.5) for scene in ITSELF),
]
LICENCES = {
    "impinge": "MIT",
    "trueform": "PolyForm Noncommercial 1.0.0",
    "meshlib": "its own, not free for commercial use",
    "libigl": "MPL-2.0 (GPL in the wheel's folder copyleft, which is not used)",
    "Embree": "Apache-2.0",
    "python-fcl": "BSD",
    "CGAL": "GPL or commercial",
}


def licences(versions):
    """Of those that are there."""
    there = [(name, text) for name, text in LICENCES.items() if "%s " % name in versions]
    return "Licences: %s" % "; ".join("%s: %s" % one for one in there)


def embree(build, isa):
    """Embree 4 of embreex's wheel, with the headers that libigl's has; or the system's."""
    lent = Path(package.packages_of(sys.executable))
    libraries = [path for name in ("embree4", "tbb") for path in lent.glob("embreex.libs/lib%s-*.so*" % name)]
    wheel = ["-idirafter", lent / "include", *libraries, "-Wl,-rpath,%s" % (lent / "embreex.libs"), "-lpthread"]
    return cpp_program("Embree", build, isa, [wheel, ["-lembree4", *TBB]], "embree4")


def columns(figures):
    """Numbers of threads."""
    return list(dict.fromkeys(x.column for x in figures if THREADS.fullmatch(x.column)))


def ratios(figures):
    """A table for each number of threads, of minima."""
    times, made = {x.place: x.value for x in figures}, []
    for column in columns(figures):
        for table in dict.fromkeys(x.table for x in figures):
            ours = times.get((table, IMPINGE, column)) or times.get((table, KEPT, column))
            there = [(row, times[table, row, column]) for row in NAMES if (table, row, column) in times]
            made += [Figure(RATIOS % column, table, NAMES[row], "number", x / ours) for row, x in there if ours]
    return made


class Peers(package.Package):
    script = "peers.py"
    rows = ("*",)  # patterns of the tables that were asked for

    def measure(self, args, folder):
        figures = super().measure(args, folder)
        return ratios(figures) + figures

    def words(self, args):
        self.rows = args.rows
        program, version = embree(package.ROOT / "build", args.isa)
        if program:
            self.versions += ", Embree %s" % version
        return ["--rows", *args.rows, *(["--embree", program] if program else [])]

    def write_all(self, folder, figures, machine_text, isa):
        self.versions += ". " + licences(self.versions)
        super().write_all(folder, figures, machine_text, isa)

    def judge(self, figures):
        """For each number of threads; what is not fast enough is a note: the demands are aims."""
        aims = [aim for aim in AIMS if any(fnmatch.fnmatch(aim[0], pattern) for pattern in self.rows)]
        judged = [(c, Demand(*aim[:3], c, aim[3]).judge(figures)[0]) for c in columns(figures) for aim in aims]
        return [], ["%s: %s" % one for one in judged]


RUN = Peers("peers", "impinge beside libraries of today, in threads", None, [])
