"""Who finds pairs of triangles: of two bodies, of a body with itself, of two bodies frame after frame. Arrays to
arrays: what a library makes of points and triangles counts, but where its meshes and trees are ready."""

from typing import Callable, NamedTuple

import impinge
import numpy as np
from ball import fcl_models
from measure import Paced, flatten_all, say, timed

IMPINGE, SKIP, KEPT = "impinge.Pipeline", "impinge.Pipeline, adjacent skip", "impinge.Pipeline, update auto"
TRUEFORM, MESHLIB, SELF = (
    "trueform.gather_intersecting_ids",
    "meshlib.findCollidingTriangles",
    "meshlib.findSelfCollidingTriangles",
)
TOUCH = SELF + ", touchIsIntersection"
IGL, IGL_SELF = "igl.predicates.find_intersections", "igl.predicates.find_self_intersections"
EMBREE, FCL = "Embree 4, rtcCollide", "fcl.collide"
READY, REFIT = ", trees ready", ", trees refitted"
FCL_MOST = 10_000_000  # contacts of a call


class Collider(NamedTuple):
    """turn: seconds and an answer. pairs: the answer as rows of triangle numbers, of each frame; None: it is a number
    of pairs in all."""

    turn: Callable
    pairs: Callable | None


class Bodies:
    """Frames of two bodies, or of one: points and triangles of all, and of each."""

    def __init__(self, frames):
        """frames: of each the points and the triangles of each body."""
        first = frames[0]
        starts = np.cumsum([0] + [len(points) for points, _ in first])
        self.frames = frames
        self.positions = np.stack([np.concatenate([points for points, _ in frame]) for frame in frames])
        self.triangles = np.concatenate([t + start for (_, t), start in zip(first, starts)]).astype(np.int32)
        self.objects = np.repeat(range(len(first)), [len(t) for _, t in first]).astype(np.int32)
        self.second = len(first[0][1])  # the first triangle of the second body

    def numbered(self, pairs):
        """Pairs of numbers in each body as numbers in all triangles."""
        return np.asarray(pairs, np.int64).reshape(-1, 2) + [0, self.second]


def there(*makers):
    """Colliders of those libraries that are installed."""
    made = {}
    for maker in makers:
        try:
            made |= maker()
        except ImportError as what:
            say(f"left out: {what}")
    return made


def of_impinge(bodies, **options):
    pipeline = impinge.Pipeline(**{"update": "rebuild"} | options, device="cpu")

    def call():
        return [pipeline.contacts(points, bodies.triangles, bodies.objects) for points in bodies.positions]

    return Collider(timed(call), lambda found: [np.stack([rows.a, rows.b], axis=1) for rows in found])


def counted(collider):
    """The same, of which only the number of pairs is told."""

    def turn():
        seconds, found = collider.turn()
        return seconds, sum(map(len, found))

    return Collider(turn, None)


def of_embree(program, folder, name, bodies, threads, *words):
    """Embree in C++ (bench/peers/embree.cpp), which tells the number of pairs."""
    path = folder / f"{name}.flat"
    if not path.exists():
        flatten_all(path, bodies.positions, bodies.triangles, bodies.objects)
    pairs = "between" if bodies.objects.any() else "all"
    return Collider(Paced([program, path, "contacts", pairs, threads, *words]).turn, None)


# ---- two bodies, and frames of these


def trueform_anew(bodies):
    def make():
        import trueform

        def call():
            return [trueform.gather_intersecting_ids(*meshes(trueform, frame)) for frame in bodies.frames]

        return {TRUEFORM: Collider(timed(call), lambda found: list(map(bodies.numbered, found)))}

    return make


def meshes(trueform, frame):
    return [trueform.Mesh(triangles, points) for points, triangles in frame]


def trueform_ready(bodies, poses=(None,)):
    """poses: of the second body in each frame, 4 x 4, from where the first frame has it; None: there."""

    def make():
        import trueform

        standing, moving = meshes(trueform, bodies.frames[0])
        for mesh in (standing, moving):
            mesh.build_tree()

        def at(pose):
            if pose is not None:
                moving.transformation = pose
            return trueform.gather_intersecting_ids(standing, moving)

        answers = lambda found: list(map(bodies.numbered, found))  # noqa: E731
        return {TRUEFORM + READY: Collider(timed(lambda: [at(pose) for pose in poses]), answers)}

    return make


def face_pairs(some):
    return np.array([(p.aFace.get(), p.bFace.get()) for p in some], np.int64).reshape(-1, 2)


def meshlib_pairs(bodies):
    return lambda found: [bodies.numbered(face_pairs(some)) for some in found]


def meshlib_anew(bodies):
    def make():
        from meshlib import mrmeshnumpy, mrmeshpy

        def find(frame):
            return mrmeshpy.findCollidingTriangles(*meshlib_meshes(mrmeshnumpy, mrmeshpy, frame))

        return {MESHLIB: Collider(timed(lambda: list(map(find, bodies.frames))), meshlib_pairs(bodies))}

    return make


def meshlib_meshes(numbers, meshlib, frame):
    return [meshlib.MeshPart(numbers.meshFromFacesVerts(triangles, points)) for points, triangles in frame]


def meshlib_ready(bodies, poses):
    def make():
        from meshlib import mrmeshnumpy, mrmeshpy

        parts = meshlib_meshes(mrmeshnumpy, mrmeshpy, bodies.frames[0])
        for part in parts:
            part.mesh.getAABBTree()
        rows = [[mrmeshpy.Vector3f(*map(float, row[:3])) for row in pose] for pose in poses]
        moves = [
            mrmeshpy.AffineXf3f(mrmeshpy.Matrix3f(*some[:3]), mrmeshpy.Vector3f(*map(float, pose[:3, 3])))
            for some, pose in zip(rows, poses)
        ]

        def call():
            return [mrmeshpy.findCollidingTriangles(*parts, move) for move in moves]

        return {MESHLIB + READY: Collider(timed(call), meshlib_pairs(bodies))}

    return make


def igl_anew(bodies):
    def make():
        import igl.predicates

        def find(frame):
            (p, t), (q, u) = frame
            return igl.predicates.find_intersections(p, t.astype(np.int64), q, u.astype(np.int64))[1]

        answers = lambda found: list(map(bodies.numbered, found))  # noqa: E731
        return {IGL: Collider(timed(lambda: list(map(find, bodies.frames))), answers)}

    return make


def fcl_pairs(bodies):
    return lambda found: [bodies.numbered([(c.b1, c.b2) for c in some]) for some in found]


def fcl_contacts(fcl, made):
    request = fcl.CollisionRequest(num_max_contacts=FCL_MOST, enable_contact=True)
    result = fcl.CollisionResult()
    fcl.collide(*made, request, result)
    return result.contacts


def fcl_anew(bodies):
    def make():
        import fcl

        call = timed(lambda: [fcl_contacts(fcl, fcl_models(fcl, frame)) for frame in bodies.frames])
        return {FCL: Collider(call, fcl_pairs(bodies))}

    return make


def fcl_ready(bodies, poses):
    def make():
        import fcl

        standing, moving = fcl_models(fcl, bodies.frames[0])

        def at(pose):
            moving.setTransform(fcl.Transform(pose[:3, :3], pose[:3, 3]))
            return fcl_contacts(fcl, (standing, moving))

        return {FCL + READY: Collider(timed(lambda: [at(pose) for pose in poses]), fcl_pairs(bodies))}

    return make


# ---- a body with itself


def trueform_self(bodies):
    """With each triangle itself and its neighbours, which are left out afterwards; this does not count."""

    def make():
        import trueform

        [[(points, triangles)]] = bodies.frames

        def call():
            mesh = trueform.Mesh(triangles, points)
            return [trueform.gather_intersecting_ids(mesh, mesh)]

        return {TRUEFORM: Collider(timed(call), lambda found: [apart(triangles, rows) for rows in found])}

    return make


def apart(triangles, pairs):
    """Pairs that share no vertex, each once."""
    pairs = np.asarray(pairs, np.int64)
    pairs = pairs[pairs[:, 0] < pairs[:, 1]]
    shared = (triangles[pairs[:, 0]][:, :, None] == triangles[pairs[:, 1]][:, None]).any(axis=(1, 2))
    return pairs[~shared]


def meshlib_self(bodies):
    def make():
        from meshlib import mrmeshnumpy, mrmeshpy

        def call(touch):
            parts = meshlib_meshes(mrmeshnumpy, mrmeshpy, bodies.frames[0])
            return [mrmeshpy.findSelfCollidingTriangles(*parts, touchIsIntersection=touch)]

        def ordered(found):
            return [np.sort(face_pairs(some), axis=1) for some in found]

        return {
            SELF: Collider(timed(lambda: call(False)), ordered),
            TOUCH: Collider(timed(lambda: call(True)), ordered),
        }

    return make


def igl_self(bodies):
    def make():
        import igl.predicates

        [[(points, triangles)]] = bodies.frames

        def call():
            return [igl.predicates.find_self_intersections(points, triangles.astype(np.int64))[1]]

        return {IGL_SELF: Collider(timed(call), lambda found: [np.sort(rows, axis=1) for rows in found])}

    return make
