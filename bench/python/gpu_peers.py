"""Contacts and distances beside newton's TriMeshCollisionDetector, on one GPU: false and missed pairs, what its default
buffers drop, and times, in turns in one run. Both get the same float32 points. Ends with 1 where impinge is wrong.

    gpu_peers.py [--small | --scenes NAME...] [--device NAME] [--csv FILE]

Without a GPU newton runs on the processor, and there are no times. `./dev bench --gpu-peers` has all that this needs."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import impinge
import meet
import newton_pairs
import numpy as np
import pair_sets
import warp as wp
from impinge.program import PROGRAM
from measure import Sheet, Turns, alternate, arguments, generate, read, say, timed, versions
from near import median_edge
from pair_sets import beside

import real  # isort: skip: of the folder above, which measure.py adds

TURNS, FEW = Turns(9, 3.0, 60), Turns(2, 0.0, 2)
PACKAGES = ("impinge", "numpy", "newton", "warp-lang")
DECIDED = 1000  # pairs of a set that rational numbers decide, evenly spaced in it
SCALES = (1, 100)
REAL = {"cloth-funnel": (0.1,), "rod-twist": (0.1, 0.5)}  # distances, in median edges
FOLD = "fold-"  # and its number of triangles
SMALL, WITHOUT_GPU = [FOLD + "3000"], [*REAL, FOLD + "200000"]
ALL = [*WITHOUT_GPU, FOLD + "1000000"]
EPSILONS = (1e-5, 1e-8)  # edge_edge_parallel_epsilon; the first one is the default
STAGES = ("bound", "broad", "order", "narrow")

IMPINGE, STAGES_ALONE = "impinge.Pipeline, arrays of the host", "impinge, stages on the device alone"
MEETING, REFITTED = "newton, rebuild and triangles", "newton, refit and triangles"
FACES, BOTH, BOTH_REFITTED = "newton, vertices and faces", "newton, rebuild and both", "newton, refit and both"
EDGES = "newton, edges, epsilon {:g}"
TRIANGLES = "{}, {:,} triangles, times {:g}: triangles that meet"
FEATURES = "{}, {:,} triangles, times {:g}: features within {:g} edges"


class Scene(NamedTuple):
    name: str
    points: np.ndarray
    triangles: np.ndarray
    edges: tuple  # distances, in median edges
    exact: Path = None  # pairs that are known


class Run(NamedTuple):
    sheet: Sheet
    folder: Path
    device: object  # of impinge
    turns: Turns
    timed: bool  # both are on a GPU


# ---- scenes


def frame_of(batch):
    positions, triangles, _ = read(batch)
    return positions[0], triangles


def scenes(folder, names):
    for name in names:
        if name not in REAL:
            batch = generate(folder / f"{name}.vtkhdf", "cloth-fold", "-n", name.removeprefix(FOLD))
            yield Scene("folded cloth", *frame_of(batch), (0.1,))
        elif (real.DATA / f"{name}.vtkhdf").exists():
            yield Scene(name, *frame_of(real.DATA / f"{name}.vtkhdf"), REAL[name], real.DATA / f"{name}.pairs.npz")
        else:
            say(f"left out: {name} is not in {real.DATA}")


# ---- what is true


def pipeline(device, **options):
    return impinge.Pipeline(update="rebuild", device=device, **options)


def known(run, scene):
    """Pairs that other exact code has found must be those of impinge."""
    if not scene.exact or not scene.exact.exists():
        return
    stored = np.load(scene.exact)
    a, b = stored["pairs"][: stored["offsets"][1]].reshape(-1, 2).T
    with pipeline("cpu") as p:
        found = p.contacts(scene.points, scene.triangles)
    if any(map(len, beside(meeting(found, scene.triangles), pair_sets.triangle_pairs(a, b, scene.triangles)))):
        run.sheet.fault(f"{scene.name}: contacts are not those of {scene.exact.name}")


def meeting(found, triangles):
    return pair_sets.triangle_pairs(found.a, found.b, triangles)


def decide(run, table, name, differ, holds):
    """Some of the pairs in which newton differs from impinge, in rational numbers. holds(pair): is it one?"""
    wrong = 0
    chosen = [pair_sets.some(pairs, DECIDED) for pairs in differ]
    for pairs, newton_is_right in zip(chosen, (True, False)):
        wrong += sum(holds(pair) == newton_is_right for pair in pairs.tolist())
    run.sheet.count(table, name, "decided in rational numbers", sum(map(len, chosen)))
    if wrong:
        run.sheet.fault(f"{table}: {name}: newton is right about {wrong} pairs")


def differences(run, table, name, found, truth, records, lost, holds):
    differ = beside(found, truth)
    counts = {"pairs": found, "false": differ.false, "missed": differ.missed}
    for column, pairs in counts.items():
        run.sheet.count(table, name, column, len(pairs))
    run.sheet.count(table, name, "records", records)
    run.sheet.count(table, name, "dropped by default", lost)
    decide(run, table, name, differ, holds)


def own(run, table, found, truth):
    """impinge's pairs on its device are those that it finds on the host."""
    differ = beside(found, truth)
    for column, pairs in {"pairs": found, "false": differ.false, "missed": differ.missed}.items():
        run.sheet.count(table, IMPINGE, column, len(pairs))
    if any(map(len, differ)):
        run.sheet.fault(f"{table}: impinge's devices differ in {sum(map(len, differ))} pairs")


# ---- times


def race(run, table, points, triangles, contestants, **options):
    """All take turns; returns the answer of impinge."""
    with pipeline(run.device, **options) as p:
        ours = {IMPINGE: timed(lambda: p.contacts(points, triangles))}
        found = alternate({**ours, **{name: timed(call) for name, call in contestants.items()}}, run.turns)
    for name, (times, _) in found.items():
        if run.timed:
            run.sheet.times(table, name, times)
    if run.timed:
        stages(run, table, points, triangles, **options)
    return found[IMPINGE][1]


def stages(run, table, points, triangles, **options):
    """Of the device, each timed apart: kernels with what lies between them, without transfers."""
    batch = run.folder / "frame.vtkhdf"
    batch.unlink(missing_ok=True)
    impinge.write(batch, points, triangles)
    words = [word for name, value in options.items() for word in (f"--{name}", f"{value}")]
    command = [PROGRAM, "bench", batch, "--device", run.device, "--json", "-q", "--reps", run.turns.least, *words]
    done = subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True)
    seconds = json.loads(done.stdout)["seconds"]
    sums = [sum(seconds[stage][of] for stage in STAGES) for of in ("min", "median")]
    run.sheet.times(table, STAGES_ALONE, [sums[0], sums[1], sums[1]])


# ---- tables


def triangles_that_meet(run, scene, scale, mesh, points):
    table = TRIANGLES.format(scene.name, len(scene.triangles), scale)
    say(table)
    with pipeline("cpu") as p:
        truth = meeting(p.contacts(points, scene.triangles), scene.triangles)
    peer = newton_pairs.Meeting(mesh, points)
    contestants = {MEETING: peer.rebuilt, REFITTED: peer.refitted}
    own(run, table, meeting(race(run, table, points, scene.triangles, contestants), scene.triangles), truth)

    def holds(pair):
        return meet.meet(*(points[scene.triangles[t]] for t in divmod(pair, len(scene.triangles))))

    records = peer.records()
    found = pair_sets.triangle_pairs(*records, scene.triangles)
    differences(run, table, MEETING, found, truth, len(records[0]), peer.dropped, holds)


def features_within(run, scene, scale, mesh, points, edges):
    table = FEATURES.format(scene.name, len(scene.triangles), scale, edges)
    say(table)
    corners = pair_sets.Edges(scene.triangles)
    distance = float(np.float32(scale * edges * median_edge(scene.points, scene.triangles)))
    options = {"distance": distance, "rows": "features"}
    with pipeline("cpu", **options) as p:
        truth = pair_sets.features(p.contacts(points, scene.triangles), scene.triangles, corners, impinge.Kind)
    peers = [newton_pairs.Near(mesh, points, distance, edge_edge_parallel_epsilon=e) for e in EPSILONS]
    contestants = {BOTH: peers[0].rebuilt, BOTH_REFITTED: peers[0].refitted}
    found = race(run, table, points, scene.triangles, contestants, **options)
    found = pair_sets.features(found, scene.triangles, corners, impinge.Kind)
    own(run, table, np.concatenate([found[0], found[1] + 2**62]), np.concatenate([truth[0], truth[1] + 2**62]))
    of_faces(run, table, scene.triangles, points, distance, peers[0], truth[0])
    for epsilon, peer in zip(EPSILONS, peers):
        of_edges(run, table, EDGES.format(epsilon), (corners, mesh.edge_ends()), points, distance, peer, truth[1])


def of_faces(run, table, triangles, points, distance, peer, truth):
    def holds(pair):
        vertex, face = divmod(pair, len(triangles))
        return meet.vertex_face(points[vertex], points[triangles[face]]) <= meet.Fraction(distance) ** 2

    records = peer.records()[0]
    found = pair_sets.face_pairs(*records.T, triangles)
    differences(run, table, FACES, found, truth, len(records), peer.dropped[0], holds)


def of_edges(run, table, name, edges, points, distance, peer, truth):
    corners, ends = edges

    def holds(pair):
        one, other = divmod(pair, len(corners.ends))
        square = meet.edge_edge(points[corners.ends[one]], points[corners.ends[other]])
        return square <= meet.Fraction(distance) ** 2

    records = peer.records()[1]
    found = corners.pairs(*(corners.numbers(ends[side]) for side in records.T))
    differences(run, table, name, found, truth, len(records), peer.dropped[1], holds)


# ---- all


def compare(folder, names=None, device=None, timed=None):
    """names: of scenes; None: all. device: of impinge; None: NVIDIA's by OpenCL where newton has a GPU, else the host. timed: are there times?
    None: where both are on a GPU."""
    on_gpu = wp.get_preferred_device().is_cuda
    device = device or ("NVIDIA" if on_gpu else "cpu")
    with pipeline(device) as p:
        p.contacts(np.eye(3, dtype=np.float32), np.array([[0, 1, 2]], np.int32))
        name = p.device
    if timed is None:
        timed = on_gpu and name != "cpu"
        if not timed:
            say("pairs alone, no times: " + ("impinge is on the host" if on_gpu else "newton finds no GPU"))
    run = Run(Sheet(), folder, device, TURNS if timed and names != SMALL else FEW, timed)
    for scene in scenes(folder, names or (ALL if on_gpu else WITHOUT_GPU)):
        known(run, scene)
        mesh = newton_pairs.Mesh(scene.points, scene.triangles)
        for scale in SCALES:
            points = (scale * scene.points).astype(np.float32)
            triangles_that_meet(run, scene, scale, mesh, points)
            for edges in scene.edges:
                features_within(run, scene, scale, mesh, points, edges)
    return run.sheet, name


def main():
    p = arguments(__doc__)
    p.add_argument("--device", help="of impinge (NVIDIA's, or the host where newton has no GPU)")
    p.add_argument("--scenes", nargs="+", metavar="NAME", help=f"some of these alone: {', '.join(ALL)}, or {FOLD} and another size")
    args = p.parse_args()
    for name in args.scenes or ():
        if name not in REAL and not (name.startswith(FOLD) and name.removeprefix(FOLD).isdecimal()):
            p.error(f"--scenes: no {name}")
    peer = wp.get_preferred_device()
    head = versions(PACKAGES) + f"; newton on {peer.name if peer.is_cuda else 'the processor, one thread'}"
    if args.versions:
        print(head)
        return 0
    with tempfile.TemporaryDirectory(prefix="impinge-") as folder:
        sheet, device = compare(Path(folder), SMALL if args.small else args.scenes, args.device)
    print(f"{head}; impinge on {device}")
    return sheet.end(args.csv)


if __name__ == "__main__":
    sys.exit(main())
