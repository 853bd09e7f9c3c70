"""A cloth that falls over a ball: pairs of triangles of both, frame by frame, beside trimesh's
CollisionManager and FCL, which it uses."""

import impinge
import numpy as np
from measure import alternate, generate, read, say, timed
from meet import meet

FRAMES, ONE = "impinge.Pipeline.frames", "impinge.Pipeline.contacts, one by one"
TRIMESH, FCL = "trimesh.CollisionManager", "fcl.collide"
TABLE = "cloth with ball, {:,} triangles, {} frames: pairs of both"
MOST = 100_000  # contacts of a frame, as trimesh has it


def pairs(sheet, folder, size, count, turns):
    batch = generate(folder / f"ball-{size}.vtkhdf", "cloth-ball", "-n", size, "--frames", count)
    positions, triangles, objects = read(batch)
    table = TABLE.format(len(triangles), len(positions))
    pipeline = impinge.Pipeline(pairs="between", update="rebuild", device="cpu")
    contestants = {
        FRAMES: timed(lambda: list(pipeline.frames(positions, triangles, objects))),
        ONE: timed(lambda: [pipeline.contacts(p, triangles, objects) for p in positions]),
        **peers(positions, triangles, objects),
    }
    found = alternate(contestants, turns)
    rows = [np.flatnonzero(objects == k) for k in (0, 1)]
    sets = {name: [pair_set(name, a, rows) for a in answer] for name, (_, answer) in found.items()}
    verdicts = judge(positions, triangles, sets)
    for name, (times, _) in found.items():
        wrong, missed = verdicts[name]
        sheet.times(table, name, times)
        sheet.count(table, name, "pairs", sum(map(len, sets[name])))
        sheet.count(table, name, "that do not meet", wrong)
        sheet.count(table, name, "missed", missed)
        if name in (FRAMES, ONE) and wrong + missed:
            sheet.fault(f"{table}: {name}: {wrong} pairs do not meet, {missed} are missed")
    if not any(sets[FRAMES]):
        sheet.fault(f"{table}: nothing meets")


# ---- peers


def split(points, triangles, objects):
    """Points and triangles of each of the two objects, with vertex numbers of its own."""
    made = []
    for k in (0, 1):
        mine = triangles[objects == k]
        used = np.unique(mine)
        made.append((points[used], np.searchsorted(used, mine)))
    return made


def peers(positions, triangles, objects):
    """Arrays of each body are made before, and do not count; what a library makes of them does."""
    bodies = [split(points, triangles, objects) for points in positions]
    made = {}
    try:
        import fcl

        made[FCL] = timed(lambda: [by_fcl(fcl, *frame) for frame in bodies])
        from trimesh import Trimesh
        from trimesh.collision import CollisionManager

        # turned inside out the ball is not convex to trimesh, which else would take it for a solid
        turned = [(cloth, (points, faces[:, ::-1])) for cloth, (points, faces) in bodies]
        made[TRIMESH] = timed(
            lambda: [by_trimesh(Trimesh, CollisionManager, *frame) for frame in turned]
        )
    except ImportError as what:
        say(f"skipped: {what}")
    return made


def fcl_models(fcl, bodies):
    made = []
    for points, faces in bodies:
        model = fcl.BVHModel()
        model.beginModel(len(faces), len(points))
        model.addSubModel(points, faces)
        model.endModel()
        made.append(fcl.CollisionObject(model, fcl.Transform()))
    return made


def by_fcl(fcl, *bodies):
    made = fcl_models(fcl, bodies)
    request = fcl.CollisionRequest(num_max_contacts=MOST, enable_contact=True)
    result = fcl.CollisionResult()
    fcl.collide(*made, request, result)
    return result.contacts


def by_trimesh(trimesh, manager, *bodies):
    made = []
    for name, (points, faces) in zip(("cloth", "ball"), bodies):
        made.append(manager())
        made[-1].add_object(name, trimesh(points, faces, process=False))
    return made[0].in_collision_other(made[1], return_data=True)[1]


# ---- answers


def pair_set(name, answer, rows):
    """Of a frame: triangle numbers of the batch, the cloth's first."""
    if name == FCL:
        return {(int(rows[0][c.b1]), int(rows[1][c.b2])) for c in answer}
    if name == TRIMESH:
        return {(int(rows[0][c.index("cloth")]), int(rows[1][c.index("ball")])) for c in answer}
    return set(zip(answer.a.tolist(), answer.b.tolist()))


def meet_corners(points, a, b):
    return meet(points[a], points[b])


def judge(positions, triangles, sets, verdict=meet_corners):
    """{name: (pairs that do not meet, pairs that are missed)}, of those that not all have: what
    they are is decided in rational numbers."""
    verdicts = {name: [0, 0] for name in sets}
    for k, points in enumerate(positions):
        frames = [some[k] for some in sets.values()]
        for pair in set.union(*frames) - set.intersection(*frames):
            true = verdict(points, *triangles[list(pair)])
            for name, some in sets.items():
                verdicts[name][0] += not true and pair in some[k]
                verdicts[name][1] += true and pair not in some[k]
    return verdicts
