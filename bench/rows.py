"""What is measured: scenes, and the rows that they are asked for."""

import fnmatch
from dataclasses import dataclass
from pathlib import Path

import real

SCENES = Path(__file__).resolve().parent.parent / "build/bench/scenes"
STAGES = ("candidates", "contacts")

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
# tetrahedra of a body and triangles of a tool; in this frame the blade is in the middle of its cut
TISSUE = ("scalpel-1M", "scalpel", 1_000_000, "between")
TISSUE_SET = ("begin=70",)
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

# between two frames: a cloth that moves half an edge, without contact before, and real scenes
SWEPT = ("swept-cloth", "cloth-fold", 200_000, "all")
SWEPT_SET = ("speed=0.5", "crumple=0.2", "gap=1.3")
SWEPT_REAL = [("swept-funnel", "cloth-funnel"), ("swept-rod", "rod-twist")]
SWEPT_STAGES = (*STAGES, "queries")


@dataclass
class Row:
    scene: str
    stage: str
    kind: str
    primitives: int
    pairs: str
    group: str = ""
    frames: int = 1
    settings: tuple = ()  # of the scene: NAME=VALUE
    only: int | None = None  # the one of the frames that is timed
    variant: str = ""  # what it differs in from other rows of the scene
    words: tuple = ()  # more for `bench_job bench`
    peers: bool = True  # do they take part?
    alone: bool = False  # of those only who has one thread, beside one thread of the host
    listed: bool = False  # do pairs count until the caller has them? Of peers only who returns a list
    swept: bool = False  # between each frame and the next. Of peers only who can do that

    @property
    def title(self):
        return self.scene + self.variant

    @property
    def name(self):
        return "%s/%s" % (self.title, self.stage)

    @property
    def real(self):
        """of others: real.py"""
        return self.scene.startswith("real-") or (self.scene, self.kind) in SWEPT_REAL

    @property
    def tetrahedra(self):
        """of one body, and triangles of another"""
        return self.kind in ("scalpel", "tissue-fold")

    @property
    def batch(self):
        return SCENES / (self.scene + ".vtkhdf")

    @property
    def flat(self):
        return SCENES / (self.title + ".bin")

    @property
    def chosen(self):
        """words for `bench_job bench`: which frames, and how"""
        one = [] if self.only is None else ["--frames", "%d:%d" % (self.only, self.only + 1)]
        return [*one, *self.words]

    @property
    def frame_slice(self):
        return slice(None) if self.only is None else slice(self.only, self.only + 1)


def hash_rows(large):
    """Candidates as --broad hash finds them."""
    asked = {"stage": "candidates", "group": "hash", "variant": "-hash", "words": ("--broad", "hash")}
    some = [(scene, True) for scene in ALL_SCENES] + [(LARGE, False)] * large
    return [
        Row(name, kind=kind, primitives=n, pairs=pairs, peers=peers, **asked)
        for (name, kind, n, pairs), peers in some
    ]


LISTED = ("cloth-200k", "cloth-2M")
LISTED_REAL = ("cloth-funnel", "rod-twist")


def listed_rows():
    """Candidates until the caller has them: sorted and handed out by impinge, a list from peers."""
    asked = {"variant": "-listed", "words": ("--listed",), "listed": True, "group": "listed"}
    some = [scene for scene in ALL_SCENES if scene[0] in LISTED]
    some += [("real-" + n, n, 0, pairs) for n, pairs in real.there() if n in LISTED_REAL]
    return [
        Row(name, "candidates", kind, n, pairs, **asked) for name, kind, n, pairs in some
    ]


def adjacent_rows():
    """Contacts with those of pairs that share vertices, beside the rows of the same scenes without."""
    asked = {"variant": "-adjacent", "words": ("--adjacent", "test"), "group": "adjacent", "peers": False}
    some = [scene for scene in ALL_SCENES if scene[0] in LISTED]
    some += [("real-" + n, n, 0, pairs) for n, pairs in real.there() if n in LISTED_REAL]
    return [Row(name, "contacts", kind, n, pairs, **asked) for name, kind, n, pairs in some]


TWO_BODIES = ("cloth-x-ball-120k", "press-200k")
ITSELF = ("cloth-2M",)


def tree_rows():
    """As --broad tree finds them: contacts of two bodies in one thread, beside libraries of trees that
    have one; candidates of a body with itself, beside those that take what threads there are."""
    both = {"group": "trees", "variant": "-tree"}
    tree = ("--broad", "tree")
    alone = {"stage": "contacts", "words": (*tree, "--threads", "1"), "alone": True, **both}
    itself = {"stage": "candidates", "words": tree, **both}
    return [
        Row(name, kind=kind, primitives=n, pairs=pairs, **asked)
        for names, asked in ((TWO_BODIES, alone), (ITSELF, itself))
        for name, kind, n, pairs in ALL_SCENES + SHAPED
        if name in names
    ]


def swept_rows():
    """Between frames: pairs of features whose boxes overlap on the way, contacts with their times, and the
    tests of these pairs alone."""
    asked = {"group": "swept", "frames": 2, "words": ("--continuous",), "swept": True}
    there = dict(real.there())
    some = [(SWEPT, SWEPT_SET)]
    some += [((name, n, 0, there[n]), ()) for name, n in SWEPT_REAL if n in there]
    return [
        Row(name, stage, *more, settings=settings, **asked)
        for (name, *more), settings in some
        for stage in SWEPT_STAGES
    ]


def all_rows(large, awkward, hashed=False, trees=False):
    rows = [Row(name, stage, *more) for name, *more in ALL_SCENES for stage in STAGES]
    rows += [Row(name, stage, *more, "shaped") for name, *more in SHAPED for stage in STAGES]
    name, *more = TISSUE
    rows += [Row(name, stage, *more, "tissue", settings=TISSUE_SET) for stage in STAGES]
    for name, pairs in real.there():
        rows += [Row("real-" + name, stage, name, 0, pairs, "real") for stage in STAGES]
    rows += listed_rows()
    rows += adjacent_rows()
    rows += swept_rows()
    if large:
        rows += [Row(LARGE[0], stage, *LARGE[1:], "large", peers=False) for stage in STAGES]
    if hashed:
        rows += hash_rows(large)
    if trees:
        rows += tree_rows()
    if awkward:
        rows += [
            Row(n, "candidates", kind, 200_000, "all", "awkward", peers=False)
            for n, kind in AWKWARD
        ]
        name, kind, primitives, frames = BATCH
        rows.append(Row(name, "contacts", kind, primitives, "all", "batch", frames, peers=False))
    return rows


def choose_rows(patterns, rows):
    return [r for r in rows if any(fnmatch.fnmatch(r.name, p) for p in patterns)]
