"""False negatives and false positives between two frames, of impinge (exact.c) and of ipc-toolkit's methods, on the
same questions: those of others with their exact answers, and touches that are made (touch.h)."""

import subprocess
import sys
from collections import defaultdict
from contextlib import contextmanager
from fractions import Fraction

import programs
import real
from contestants import THREADS, say
from programs import Figure

PEERS = {  # and what ipctk_queries.py calls them
    "Tight-Inclusion": "default",
    "Tight-Inclusion, rescaling 1": "unscaled",
    "ACCD": "accd",
}
IMPINGE = ("impinge, exact arithmetic", "impinge")
QUERIES, BATCHES = "ccd-queries", ("cloth-funnel", "rod-twist")
ASKED = {QUERIES: 2_324, "cloth-funnel": 41_089, "rod-twist": 2_489_604}
WRONG = ("false negatives", "false positives")
NEVER, SOME_TIME = -1, 2  # as in question.h

TOUCHES = "touches"
FEW = 1_000  # touches of each class that peers are asked
FEW_TITLE = TOUCHES + ", the first 1,000 of each"
BY = {"size": FEW_TITLE + ", by the largest coordinate: false negatives",
      "instant": FEW_TITLE + ", by the instant: false negatives"}
LIMITS = {"made": 0.05, "real": 600}  # seconds of a peer for one question
GROUPS, SCALE = 100, 40  # as in touch.h
INSTANTS = ("at the start of the step", "later", "at its end")
SIZES = [(-40, -21), (-20, -6), (-5, 4), (5, 20), (21, 40)]  # exponents


# ---- questions


def pack(kind, points, meet, group=0):
    """As question.h has them; points: [n, 8, 3]."""
    import numpy as np

    out = np.empty((len(points), 27))
    out[:, 0], out[:, 1:25] = kind, points.reshape(-1, 24)
    out[:, 25], out[:, 26] = np.where(meet, SOME_TIME, NEVER), group
    return out


def number(numerator, denominator):
    exact = Fraction(int(numerator), int(denominator))
    if Fraction(float(exact)) != exact:
        sys.exit("%s: %s is no float64" % (QUERIES, exact))
    return float(exact)


def queries(path):
    """Of a file of ccd-queries: eight rows of rational numbers each, of a vertex and a face the vertex first."""
    import numpy as np

    rows = [line.strip().split(",") for line in path.read_text().splitlines()]
    points = np.array([[number(*row[2 * k : 2 * k + 2]) for k in range(3)] for row in rows]).reshape(-1, 8, 3)
    meet = np.array([row[6] == "1" for row in rows]).reshape(-1, 8)[:, 0]
    if "vertex-face" in path.name:
        return pack(0, points[:, [1, 2, 3, 0, 5, 6, 7, 4]], meet)
    return pack(1, points, meet)


def all_queries():
    import numpy as np

    return np.concatenate([queries(p) for p in sorted((real.DATA / QUERIES).glob("*.csv"))])


def batch(name):
    """All candidates between the two frames. What is not listed as meeting does not."""
    import candidates
    import numpy as np

    points, faces, truth = candidates.read(real.DATA, name)
    edges, made = truth["edges"], []
    for kind, pairs in enumerate(candidates.all_candidates(points, faces, edges)):
        what = ("vf", "ee")[kind]
        listed = truth[what][truth[what + "_collides"]].astype(int)
        keys = [np.sort(p, axis=1) if kind else p for p in (pairs, listed)]
        keys = [p[:, 0] * (len(edges) + len(faces)) + p[:, 1] for p in keys]
        if not np.isin(keys[1], keys[0]).all():
            sys.exit("%s: a pair that meets is no candidate" % name)
        corners = candidates.corners(kind, pairs, faces, edges)
        made.append(pack(kind, points[:, corners].transpose(1, 0, 2, 3), np.isin(*keys), kind))
    return np.concatenate(made)


# ---- answers


def peer_counts(path, method, seconds):
    """{group: (asked, meet, false negatives, false positives, without an answer)}, and microseconds each."""
    program = real.Path(__file__).parent / "peers/ipctk_queries.py"
    words = [sys.executable, program, path, str(THREADS), str(seconds), method]
    done = subprocess.run(words, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    *lines, each = done.stdout.splitlines()
    return {g: tuple(c) for g, *c in (map(int, line.split()) for line in lines)}, float(each)


def peers():
    """Those that there are."""
    program = real.Path(__file__).parent / "peers/ipctk_queries.py"
    if subprocess.run([sys.executable, program], capture_output=True).returncode:
        say("ipc-toolkit is left out: it cannot be had")
        return {}
    return PEERS


def sums(counts):
    return [sum(c) for c in zip(*counts)]


def real_figures(title, path):
    """Of peers."""
    figures = []
    for name, method in peers().items():
        counts, each = peer_counts(path, method, LIMITS["real"])
        asked, meet, missed, false, given_up = sums(counts.values())
        line = "%s, %s: of %d %d meet; false negatives %d, positives %d, no answer %d; %.2f us each"
        say(line % (title, name, asked, meet, missed, false, given_up, each))
        columns = zip(("queries", "meet", *WRONG, "no answer"), (asked, meet, missed, false, given_up))
        figures += [Figure(title, name, c, "count", n) for c, n in columns]
        figures.append(Figure(title, name, "µs a query", "number", each))
    return figures


def band(scale):
    return next(s for s in SIZES if s[0] <= scale <= s[1])


def made_figures(path, names):
    """Of peers; they depend on how fast the machine is, where questions have no answer in time."""
    figures = []
    for name, method in peers().items():
        counts, _ = peer_counts(path, method, LIMITS["made"])
        classes, others = defaultdict(list), {kind: defaultdict(list) for kind in BY}
        for group, some in sorted(counts.items()):
            number, scale = divmod(group, GROUPS)
            classes[names[number // len(INSTANTS)]].append(some)
            others["instant"][number % len(INSTANTS)].append(some)
            others["size"][band(scale - SCALE)].append(some)
        for what, some in classes.items():
            asked, meet, *bad = sums(some)
            for title, n, of in zip((*WRONG, "no answer"), bad, (meet, asked - meet, asked)):
                figures += pair("%s: %s" % (FEW_TITLE, title), what, of, name, n)
        for kind, groups in others.items():
            for at, some in sorted(groups.items()):
                _, meet, missed, _, _ = sums(some)
                what = INSTANTS[at] if kind == "instant" else "2^%d to 2^%d" % at
                figures += pair(BY[kind], what, meet, name, missed)
        say("%s, %s: false negatives %d, positives %d, no answer %d" % (FEW_TITLE, name, *sums(counts.values())[2:]))
    return figures


def pair(title, row, of, column, value):
    return [Figure(title, row, "of", "count", of), Figure(title, row, column, "number", value)]


class Exact(programs.Program):
    def measure(self, args, folder):
        program = args.impinge.parent / self.program
        path = folder / "questions.bin"
        figures = self.own(program, folder)
        names = list(dict.fromkeys(x.row for x in figures))
        with removed(path):
            for title in ASKED:
                if not (real.DATA / (title if title == QUERIES else title + ".ccd.npz")).exists():
                    say("%s is left out: it is not in %s" % (title, real.DATA))
                    continue
                (all_queries() if title == QUERIES else batch(title)).tofile(path)
                figures += self.own(program, folder, "--file", title, path) + real_figures(title, path)
            subprocess.run([program, "--make", str(FEW), path], check=True)
            return once(figures + made_figures(path, names))

    def own(self, program, folder, *words):
        path = folder / (self.__name__ + "-figures.csv")
        with removed(path):
            subprocess.run([program, *words, "--csv", path], check=True)
            return programs.read_csv(path)

    def judge(self, figures):
        """All that is there has been asked, and impinge is never wrong."""
        found = {x.place: x.value for x in figures}
        faults, notes = [], []
        for title, asked in ASKED.items():
            if not any(place[0] == title for place in found):
                notes.append("%s: not there" % title)
                continue
            for who in IMPINGE:
                for column, want in (("queries", asked), *((c, 0) for c in WRONG)):
                    faults += self.fault(found, (title, who, column), want)
        rows = list(dict.fromkeys(x.row for x in figures if x.table == TOUCHES))
        if not rows:
            faults.append("%s: not there" % TOUCHES)
        for row in rows:
            for who in IMPINGE:
                faults += self.fault(found, (TOUCHES, row, "wrong: " + who), 0)
        return faults, notes

    def fault(self, found, place, want):
        value = found.get(place)
        if value is None:
            return ["%s: %s: %s: not there" % place]
        return [] if value == want else ["%s: %s: %s: %d, %d is wanted" % (*place, value, want)]


def once(figures):
    """What several peers have alike."""
    return list({x.place: x for x in figures}.values())


@contextmanager
def removed(path):
    """whatever happens"""
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


RUN = Exact("exact", "impinge and ipc-toolkit: false negatives and false positives between frames", "bench_exact", [])
