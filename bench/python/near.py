"""Distances, beside ipctk, trueform, FCL and Coal: the same work, in turns, in one run. Ends with 1
where answers differ that must be the same.

    near.py --job PROGRAM [--small] [--csv FILE]

PROGRAM is bench_job. What is not there of the peers or of the real scenes is left out.
`./dev bench --near` has all of them."""

import math
import os
import subprocess
import sys

import clearances
import impinge
import numpy as np
from measure import Paced, Sheet, Turns, alternate, main, peak, say, timed

import programs  # isort: skip: of the folder above, which measure.py adds
import real  # isort: skip

TURNS, FEW = Turns(5, 6.0, 40), Turns(2, 0.0)
PACKAGES = ("impinge", "numpy", "ipctk", "trueform", "python-fcl", "coal")
C, PIPELINE = "impinge in C", "impinge.Pipeline"
IPCTK, TRUEFORM = "ipctk.NormalCollisions.build", "trueform.gather_ids_within_distance"
FEATURES = "{}, features within {:g} edges"
PRIMITIVES = "{}, triangles of two bodies within a distance"
CONTACTS = "{}, triangles within 0.1 edges beside contacts"
GROWTH = "{}: growth of time with rows"
MEMORY = "{}, features within {:g} edges: memory of a process"
MEMORY_OF_PEER = "--memory-of-peer"  # what this script starts itself with
SCENES = [("cloth-funnel", (0.1, 0.25, 0.5)), ("rod-twist", (0.1, 0.5))]
GROWING = ("rod-twist", (0.1, 0.2, 0.3, 0.4, 0.5))


class Job(Paced):
    """bench_job, whose number is that of rows."""

    def __init__(self, program, batch, *words):
        super().__init__([program, "bench", batch, "--frames", "0:1", "--device", "cpu", "--paced", *words])


def listed(rows, edges):
    return ("--listed", "--rows", rows, "--distance", f"{edges:.17g}", "--in-edges")


def frame(batch):
    """Points, triangles, and the median edge."""
    with impinge.open(batch) as frames:
        first = frames[0]
        points, triangles = first.points.astype(np.float64), first.triangles.astype(np.int32)
    return points, triangles, median_edge(points, triangles)


def median_edge(points, triangles):
    edges = np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    edges = np.unique(edges, axis=0)
    lengths = np.sort(np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1))
    return float(lengths[len(lengths) // 2])


# ---- features, beside ipctk


def collision_mesh(points, triangles):
    """ipctk, a mesh and its vertices; None: it is not there. They do not count in times."""
    try:
        import ipctk
    except ImportError:
        return None
    ipctk.set_logger_level(ipctk.LoggerLevel.error)
    ipctk.set_num_threads(len(os.sched_getaffinity(0)))
    vertices, faces = np.asfortranarray(points), np.asfortranarray(triangles)
    return ipctk, ipctk.CollisionMesh(vertices, ipctk.edges(faces), faces), vertices


def collisions(of, distance):
    ipctk, mesh, vertices = of
    found = ipctk.NormalCollisions()
    found.build(mesh, vertices, distance)
    return found


def pairs_of(found):
    """Of a vertex and a face, or two edges: one whose nearest points are on a border becomes a
    collision of these, and several of the same are one whose weight is their number."""
    kinds = found.vv_collisions, found.ev_collisions, found.ee_collisions, found.fv_collisions
    return round(sum(c.weight for kind in kinds for c in kind))


def features(sheet, job, scene, edges, turns):
    batch = real.DATA / f"{scene}.vtkhdf"
    points, triangles, edge = frame(batch)
    table = FEATURES.format(scene, edges)
    pipeline = impinge.Pipeline(
        distance=edges * edge, rows="features", update="rebuild", device="cpu"
    )
    program = Job(job, batch, *listed("features", edges))
    contestants = {C: program.turn, PIPELINE: timed(lambda: pipeline.contacts(points, triangles))}
    mesh = collision_mesh(points, triangles)
    if mesh:
        contestants[IPCTK] = timed(lambda: collisions(mesh, edges * edge))
    found = alternate(contestants, turns)
    program.close()
    counts = {C: found[C][1], PIPELINE: len(found[PIPELINE][1])}
    if mesh:
        counts[IPCTK] = pairs_of(found[IPCTK][1])
        sheet.count(table, IPCTK, "collisions", len(found[IPCTK][1]))
    report(sheet, table, found, counts)


def report(sheet, table, found, counts):
    for name, (times, _) in found.items():
        sheet.times(table, name, times)
        sheet.count(table, name, "pairs", counts[name])
    if len(set(counts.values())) != 1:
        sheet.fault(f"{table}: pairs differ: {counts}")


def memory(sheet, job, scene, edges):
    batch = real.DATA / f"{scene}.vtkhdf"
    table = MEMORY.format(scene, edges)
    program = Job(job, batch, *listed("features", edges))
    sheet.megabytes(table, C, "most, MB", program.close())
    command = [sys.executable, __file__, MEMORY_OF_PEER, str(batch), str(edges)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    if done.stdout.strip():
        before, most = map(int, done.stdout.split())
        sheet.megabytes(table, IPCTK, "most, MB", most)
        sheet.megabytes(table, IPCTK, "before, MB", before)


def memory_of_peer(batch, edges):
    """Prints bytes of this process before collisions are found, and the most."""
    points, triangles, edge = frame(batch)
    mesh = collision_mesh(points, triangles)
    if mesh:
        before = peak()
        found = collisions(mesh, edges * edge)
        print(before, peak())
        del found


# ---- triangles, beside trueform


def triangles_within(sheet, name, bodies, edges, turns):
    """bodies: points and triangles of both."""
    points = np.concatenate([p for p, _ in bodies])
    triangles = np.concatenate([bodies[0][1], bodies[1][1] + len(bodies[0][0])]).astype(np.int32)
    objects = np.repeat([0, 1], [len(t) for _, t in bodies]).astype(np.int32)
    distance = edges * median_edge(points, triangles)
    table = PRIMITIVES.format(name)
    pipeline = impinge.Pipeline(
        distance=distance, rows="primitives", pairs="between", update="rebuild", device="cpu"
    )
    contestants = {PIPELINE: timed(lambda: pipeline.contacts(points, triangles, objects))}
    try:
        import trueform

        contestants[TRUEFORM] = timed(lambda: by_trueform(trueform, bodies, distance))
    except ImportError as what:
        say(f"left out: {what}")
    found = alternate(contestants, turns)
    report(sheet, table, found, {name: len(answer) for name, (_, answer) in found.items()})


def by_trueform(trueform, bodies, distance):
    made = [trueform.Mesh(faces, points) for points, faces in bodies]
    return trueform.gather_ids_within_distance(*made, distance)


# ---- impinge alone


def beside_contacts(sheet, job, scene, turns):
    batch = real.DATA / f"{scene}.vtkhdf"
    table = CONTACTS.format(scene)
    jobs = {
        "--distance, 0.1 edges": Job(job, batch, *listed("primitives", 0.1)),
        "contacts": Job(job, batch),
    }
    found = alternate({name: j.turn for name, j in jobs.items()}, turns)
    for name, (times, rows) in found.items():
        sheet.times(table, name, times)
        sheet.count(table, name, "rows", rows)
    for j in jobs.values():
        j.close()


def growth(sheet, job, scene, many, turns):
    """The slope of log time over log rows, by least squares."""
    batch = real.DATA / f"{scene}.vtkhdf"
    table = GROWTH.format(scene)
    jobs = {f"{edges:g} edges": Job(job, batch, *listed("features", edges)) for edges in many}
    found = alternate({name: j.turn for name, j in jobs.items()}, turns)
    for name, (times, rows) in found.items():
        sheet.times(table, name, times)
        sheet.count(table, name, "pairs", rows)
    for j in jobs.values():
        j.close()
    rows = [math.log(rows) for _, rows in found.values()]
    for column, of in (("call", min), ("call, median", lambda some: sorted(some)[len(some) // 2])):
        times = [math.log(of(times)) for times, _ in found.values()]
        slope = float(np.polyfit(rows, times, 1)[0])
        sheet.figures.append(programs.Figure(table, "slope", f"slope of {column}", "number", slope))


# ---- all


def compare(folder, small, turns, job):
    sheet = Sheet()
    for scene, many in SCENES:
        if not (real.DATA / f"{scene}.vtkhdf").exists():
            say(f"left out: {scene} is not in {real.DATA}")
            continue
        for edges in many[:1] if small else many:
            features(sheet, job, scene, edges, turns)
        if not small:
            memory(sheet, job, scene, many[-1])
        beside_contacts(sheet, job, scene, turns)
    if not small and (real.DATA / f"{GROWING[0]}.vtkhdf").exists():
        growth(sheet, job, *GROWING, turns)
    for name, bodies, edges, parted in clearances.scenes(folder, small):
        triangles_within(sheet, name, bodies, edges, turns)
        clearances.compare(sheet, name, parted, turns)
    return sheet


if __name__ == "__main__":
    if sys.argv[1:2] == [MEMORY_OF_PEER]:
        memory_of_peer(sys.argv[2], float(sys.argv[3]))
    else:
        sys.exit(main(__doc__, PACKAGES, compare, FEW, TURNS, ("--job", "bench_job of the build")))
