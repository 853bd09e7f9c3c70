"""The flight of `generate missile` into a building: who notices the hit, when frames step over the wall? By hand:

  flights.py IMPINGE > flights.md    impinge run --continuous, FCL's continuous collision, ipctk's NonlinearCCD

All get the poses of /impinge/bodies and are asked about every step of the missile with the building: from pose to pose
the centre moves linearly and the body turns at constant speed. ipctk has no broad phase for such ways. It is asked for
the pairs of features whose boxes over the step overlap, each until the first contact found so far, through Python, so
that its seconds are no measure of it."""

import dataclasses
import itertools
import pathlib
import subprocess
import sys
import tempfile
import time

import h5py
import ipctk
import numpy as np

SETTINGS = [(300, 0.02), (600, 0.02), (1000, 0.05)]
SEEDS = range(3)
TRIANGLES, BUILDING, MISSILE = 3000, 1, 2
TOLERANCE = "1e-6"  # m, as ipctk's
NEVER = np.inf


@dataclasses.dataclass
class Body:
    points: np.ndarray  # in its own coordinates
    faces: np.ndarray
    centre: np.ndarray  # of each frame
    rotation: np.ndarray  # w x y z


# ---- flights


def generate(program, batch, speed, step, seed):
    frames = round((1300 / speed + 2) / step)  # past all of it
    words = ["-n", TRIANGLES, "--frames", frames, "--seed", seed, "--set", f"speed={speed}", "--set", f"step={step}"]
    subprocess.run([program, "generate", "missile", "-o", batch, "-q", "--force", *map(str, words)], check=True)


def bodies(batch):
    """The missile and the building. The mesh is the same in all frames."""
    with h5py.File(batch) as f:
        cells = f["VTKHDF/Polygons/NumberOfCells"][0]
        faces = f["VTKHDF/Polygons/Connectivity"][: 3 * cells].reshape(-1, 3)
        objects, b = f["VTKHDF/CellData/ObjectId"][:cells], f["impinge/bodies"]
        ids, ends = list(b["object_id"]), b["point_offsets"]
        return [
            Body(
                b["points"][ends[i] : ends[i + 1]],
                np.unique(faces[objects == o], return_inverse=True)[1].reshape(-1, 3),
                b["centre"][i :: len(ids)],
                b["rotation"][i :: len(ids)],
            )
            for o, i in ((o, ids.index(o)) for o in (MISSILE, BUILDING))
        ]


# ---- impinge


def impinge(program, batch, *continuous):
    """When they meet first, in steps, and the seconds that are computed: without reading and writing."""
    folder = batch.parent
    out, pair = folder / "out.vtkhdf", folder / "pair.txt"
    pair.write_text(f"{BUILDING} {MISSILE}\n")
    words = ["-o", out, *continuous, "--object-pairs", pair, "-q", "--force", "--device", "cpu", "--threads", "1"]
    subprocess.run([program, "run", batch, *words], check=True)
    subprocess.run([program, "check", out, "--input", batch, "-q"], check=True)
    with h5py.File(out) as f:
        step = np.repeat(f["impinge/input_frame"], f["impinge/contacts"])
        toi = f["VTKHDF/CellData/Share"][:] if continuous else 0
        return min(step + toi, default=NEVER), f["impinge/seconds"][:].sum()


# ---- FCL


def compiled(folder):
    source = pathlib.Path(__file__).parent / "peers/fcl_flights.cpp"
    words = ["-O2", "-std=c++17", "-I/usr/include/eigen3", source, "-o", folder / "flights"]
    subprocess.run(["c++", *words, "-lfcl", "-lccd"], check=True)
    return folder / "flights"


def numbers(values):
    return " ".join("%.17g" % x for x in np.ravel(values))


def text(body):
    sizes = [len(body.points), len(body.faces), len(body.centre)]
    poses = np.concatenate([body.centre, body.rotation], 1)
    return "\n".join(map(numbers, (sizes, body.points, body.faces, poses)))


def fcl(program, pair, solver):
    asked = "\n".join(map(text, pair))
    done = subprocess.run([program, solver], input=asked, check=True, capture_output=True, text=True)
    *times, seconds = map(float, done.stdout.split())
    return min((k + s for k, s in enumerate(times) if s <= 1), default=NEVER), seconds


# ---- ipctk


def product(a, b):
    """Of two quaternions."""
    return np.r_[a[0] * b[0] - a[1:] @ b[1:], a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])]


def turned(q, points):
    once = 2 * np.cross(q[1:], points)
    return points + q[0] * once + np.cross(q[1:], once)


class Way(ipctk.NonlinearTrajectory):
    """A vertex: along + at * moves + cos(at * angle) * across + sin(at * angle) * ahead."""

    def __init__(self, along, moves, across, ahead, angle):
        super().__init__()
        self.along, self.moves, self.across, self.ahead, self.angle = along, moves, across, ahead, angle
        self.radius = np.linalg.norm(across)

    def __call__(self, t):
        a = t * self.angle
        return self.along + t * self.moves + np.cos(a) * self.across + np.sin(a) * self.ahead

    def max_distance_from_linear(self, t0, t1):
        return self.radius * (1 - np.cos(self.angle * (t1 - t0) / 2))


def ways(body, step):
    first, last = body.rotation[step], body.rotation[step + 1]
    turn = product(last, first * [1, -1, -1, -1])
    turn *= np.sign(turn[0])
    size = np.linalg.norm(turn[1:])
    axis, angle = turn[1:] / (size or 1), 2 * np.arctan2(size, turn[0])
    points = turned(first, body.points)
    along = np.outer(points @ axis, axis)
    moves = body.centre[step + 1] - body.centre[step]
    ahead = np.cross(axis, points)
    return [Way(*way, angle) for way in zip(along + body.centre[step], itertools.repeat(moves), points - along, ahead)]


def boxes(way, features):
    """Over the step, of features of some vertices each: low and high corners."""
    ends = np.array([(w(0), w(1)) for w in way])
    bulge = np.array([[w.max_distance_from_linear(0, 1)] for w in way])
    low, high = ends.min(1) - bulge, ends.max(1) + bulge
    return low[features].min(1), high[features].max(1)


def overlaps(a, b):
    return np.argwhere(np.all((a[0][:, None] <= b[1]) & (b[0] <= a[1][:, None]), 2))


def features(body):
    edges = np.sort(np.concatenate([body.faces[:, [0, 1]], body.faces[:, [1, 2]], body.faces[:, [2, 0]]]), 1)
    return np.arange(len(body.points))[:, None], np.unique(edges, axis=0), body.faces


def questions(ccd, pair, step):
    """A question and its trajectories, for each pair of features that may meet."""
    way = [ways(body, step) for body in pair]
    kinds = [features(body) for body in pair]
    box = [[boxes(way[i], of) for of in kinds[i]] for i in (0, 1)]
    for i, j, of, to, ask in (
        (0, 1, 0, 2, ccd.point_triangle_ccd),
        (1, 0, 0, 2, ccd.point_triangle_ccd),
        (0, 1, 1, 1, ccd.edge_edge_ccd),
    ):
        for a, b in overlaps(box[i][of], box[j][to]):
            yield ask, [way[i][v] for v in kinds[i][of][a]] + [way[j][v] for v in kinds[j][to][b]]


def ipctk_toi(pair, step):
    ccd, toi = ipctk.NonlinearCCD(), NEVER
    for ask, of in questions(ccd, pair, step):
        meets, at = ask(*of, tmax=min(toi, 1))
        toi = at if meets else toi
    return toi


def all_of_ipctk(pair):
    """Of all steps up to the one of the hit."""
    start = time.perf_counter()
    times = (k + ipctk_toi(pair, k) for k in range(len(pair[0].centre) - 1))
    return next((s for s in times if s < NEVER), NEVER), time.perf_counter() - start


# ---- the table


def flight(program, peer, batch, setting, seed):
    generate(program, batch, *setting, seed)
    pair = bodies(batch)
    return {
        "impinge, frames alone": impinge(program, batch),
        "impinge": impinge(program, batch, "--continuous", "--tolerance", TOLERANCE),
        "FCL, conservative advancement": fcl(peer, pair, "advancement"),
        "FCL, 1,000 samples": fcl(peer, pair, "samples"),
        "ipctk " + ipctk.__version__ + " NonlinearCCD": all_of_ipctk(pair),
    }


def line(*cells):
    print("| %s |" % " | ".join(cells))


def main(program):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        peer, all_of_them = compiled(folder), []
        for setting, seed in itertools.product(SETTINGS, SEEDS):
            found = flight(program, peer, folder / "flight.vtkhdf", setting, seed)
            if not all_of_them:
                line("flight", *found)
                print("|---|" + "--:|" * len(found))
            all_of_them.append(list(found.values()))
            told = ["missed" if at == NEVER else "%.6f" % at for at, _ in found.values()]
            line("%g m/s, %g s, seed %d" % (*setting, seed), *told)
    line("missed", *(str(sum(at == NEVER for at, _ in column)) for column in zip(*all_of_them)))
    line("seconds of all", *("%.3f" % sum(s for _, s in column) for column in zip(*all_of_them)))


if __name__ == "__main__":
    main(sys.argv[1])
