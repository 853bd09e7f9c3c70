"""The least distance of two bodies, beside FCL and Coal."""

import impinge
import numpy as np
from ball import fcl_models
from measure import alternate, generate, read, say, timed

import real  # isort: skip: of the folder above, which measure.py adds

PIPELINE, FCL, COAL = "impinge.Pipeline, rows objects", "fcl.distance", "coal.distance"
READY = ", models ready"
TABLE = "{}: least distance of two bodies"
NEAR = 1e-9  # of the extent: what distances of others may differ by
GENERATED = [("drape", 120_000), ("press", 200_000)]
APART_EDGES, TOUCHING_EDGES = 6, 0.5
SMALL = [("drape", 6_000)]


def scenes(folder, small):
    """(name, points and triangles of both bodies, a distance in median edges that has many pairs, the
    bodies apart from each other)"""
    if (real.DATA / "torus-sphere-surface.vtkhdf").exists():
        positions, triangles, objects = read(real.DATA / "torus-sphere-surface.vtkhdf")
        bodies = split(positions[0], triangles, objects)
        yield "torus-sphere", bodies, APART_EDGES, bodies
    for scene, size in SMALL if small else GENERATED:
        positions, triangles, objects = read(
            generate(folder / f"{scene}.vtkhdf", scene, "--primitives", size)
        )
        bodies = split(positions[0], triangles, objects)
        yield scene, bodies, TOUCHING_EDGES, apart(bodies)


def split(points, triangles, objects):
    """Points and triangles of the two bodies with most triangles, with vertex numbers of their
    own."""
    numbers, sizes = np.unique(objects, return_counts=True)
    made = []
    for k in np.sort(numbers[np.argsort(sizes)[-2:]]):
        used, mine = np.unique(triangles[objects == k], return_inverse=True)
        made.append((points[used], mine.reshape(-1, 3).astype(np.int32)))
    return made


def apart(bodies):
    """The second one is moved down until it is a hundredth of its height below the first."""
    (first, _), (second, triangles) = bodies
    height = np.ptp(second[:, 2]) or np.ptp(second)
    down = second[:, 2].max() - first[:, 2].min() + height / 100
    return [bodies[0], (second - [0, 0, max(down, 0)], triangles)]


def compare(sheet, name, bodies, turns):
    points = np.concatenate([p for p, _ in bodies])
    triangles = np.concatenate([bodies[0][1], bodies[1][1] + len(bodies[0][0])]).astype(np.int32)
    objects = np.repeat([0, 1], [len(t) for _, t in bodies]).astype(np.int32)
    pipeline = impinge.Pipeline(rows="objects", update="rebuild", device="cpu")

    def own():
        return float(pipeline.contacts(points, triangles, objects).distance[0])

    found = alternate({PIPELINE: timed(own), **peers(bodies)}, turns)
    table, exact, extent = TABLE.format(name), found[PIPELINE][1], np.ptp(points)
    for who, (times, distance) in found.items():
        sheet.times(table, who, times)
        sheet.number(table, who, "distance", distance)
        if not abs(distance - exact) <= NEAR * extent:
            say(f"{table}: {who}: {distance!r}, exactly {exact!r}")
    if not exact > 0:
        sheet.fault(f"{table}: they touch")


# ---- peers: arrays are made before; what a library makes of them counts, but for `models ready`


def peers(bodies):
    made = {}
    try:
        import fcl

        ready = fcl_models(fcl, bodies)
        made[FCL] = timed(lambda: by_fcl(fcl, fcl_models(fcl, bodies)))
        made[FCL + READY] = timed(lambda: by_fcl(fcl, ready))
    except ImportError as what:
        say(f"left out: {what}")
    try:
        import coal

        models = coal_models(coal, bodies)
        made[COAL] = timed(lambda: by_coal(coal, coal_models(coal, bodies)))
        made[COAL + READY] = timed(lambda: by_coal(coal, models))
    except ImportError as what:
        say(f"left out: {what}")
    return made


def by_fcl(fcl, models):
    result = fcl.DistanceResult()
    return fcl.distance(*models, fcl.DistanceRequest(enable_nearest_points=True), result)


def coal_models(coal, bodies):
    made = []
    for points, faces in bodies:
        model = coal.BVHModelOBBRSS()
        model.beginModel(len(faces), len(points))
        model.addVertices(points)
        model.addTriangles(faces)
        model.endModel()
        made.append(model)
    return made


def by_coal(coal, models):
    at, result = coal.Transform3s(), coal.DistanceResult()
    return coal.distance(models[0], at, models[1], at, coal.DistanceRequest(), result)
