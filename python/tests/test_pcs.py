"""Ordered contacts of moving bodies: times by formulas and by brute force, hooks, Ctrl-C."""

import gc
import itertools
import threading
import time
import weakref

import impinge
import numpy as np
from common import address, interrupt_in, main, raises

EPSILON = 1e-4
CUBE = np.array([[x, y, z] for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)]) * 0.1
CUBE_T = np.array([[0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4], [2, 6, 3],
                   [3, 6, 7], [0, 4, 2], [2, 4, 6], [1, 3, 5], [3, 7, 5]])  # fmt: skip
TET = np.array([[-1, -1, -1], [3, -1, -1], [-1, 3, -1], [-1, -1, 3]]) * 0.1
TET_T = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])


def swap(bodies, c):
    """Equal masses on the x axis."""
    v = bodies.velocity
    if (v[c.a, 0] - v[c.b, 0]) * c.normal[0] > 0:
        v[[c.a, c.b]] = v[[c.b, c.a]]


def pair(**options):
    pcs = impinge.PCS([(CUBE, CUBE_T)], [0, 0], epsilon=EPSILON, **options)
    pcs.centre[:, 0] = -1, 1
    pcs.velocity[:, 0] = 3, -1
    return pcs


# ---- when contacts come


def test_train():
    """Cubes on a line, which exchange velocities: pairs and times by the formula."""
    random, met = np.random.default_rng(1), 0
    for _ in range(20):
        x, v = np.arange(6) + 0.5 * random.random(6), 4 * random.random(6) - 2
        pcs = impinge.PCS([(CUBE, CUBE_T)], np.zeros(6, int), epsilon=EPSILON)
        pcs.centre[:, 0], pcs.velocity[:, 0] = x, v
        found, now = [], 0.0
        info = pcs.step(3, lambda bodies, c, found=found: found.append(c) or swap(bodies, c))
        assert info["contacts"] == len(found)
        met += len(found)
        for c in found:
            closing = v[:-1] - v[1:]
            with np.errstate(divide="ignore"):
                wait = np.where(closing > 0, (x[1:] - x[:-1] - 0.2) / closing, np.inf)
            a = int(wait.argmin())
            assert (c.a, c.b) == (a, a + 1), (c, a)
            assert abs(c.time - (now + wait[a])) < 20 * EPSILON / min(closing[a], 0.05)
            x, now = x + v * wait[a], now + wait[a]
            v[[a, a + 1]] = v[[a + 1, a]]
        assert np.array_equal(pcs.velocity[:, 0], v)
    assert met > 50, met


def posed(points, centre, rotation):
    w, q = rotation[0], rotation[1:]
    t = 2 * np.cross(q, points)
    return points + w * t + np.cross(q, t) + centre


def turned(rotation, spin, seconds):
    """After a constant turn about an axis of the coordinates of poses."""
    angle = np.linalg.norm(spin) * seconds
    axis = spin / np.linalg.norm(spin)
    w, q = np.cos(angle / 2), np.sin(angle / 2) * axis
    v, p = rotation[0], rotation[1:]
    return np.array([w * v - q @ p, *(w * p + v * q + np.cross(q, p))])


def segments_apart(p, q, r, s):
    """The least distance of two segments: of points of each, every thousandth, refined once."""
    low, high = np.zeros(2), np.ones(2)
    for _ in range(12):
        at = [np.linspace(low[k], high[k], 9)[:, None] for k in (0, 1)]
        one, other = p + at[0] * (q - p), r + at[1] * (s - r)
        gap = np.linalg.norm(one[:, None] - other[None], axis=2)
        best = np.unravel_index(gap.argmin(), gap.shape)
        step = (high - low) / 8
        middle = np.array([at[0][best[0], 0], at[1][best[1], 0]])
        low, high = np.clip(middle - step, 0, 1), np.clip(middle + step, 0, 1)
    return gap.min()


def point_apart(x, a, b, c):
    """The distance of a point from a triangle, where it is above it; else infinite."""
    n = np.cross(b - a, c - a)
    n /= np.linalg.norm(n)
    for p, q in ((a, b), (b, c), (c, a)):
        if np.cross(q - p, x - p) @ n < 0:
            return np.inf
    return abs((x - a) @ n)


def apart(x, y):
    """The distance of two tetrahedra that have no point in common."""
    edges = list(itertools.combinations(range(4), 2))
    least = min(segments_apart(x[i], x[j], y[k], y[m]) for i, j in edges for k, m in edges)
    faces = [(p, t) for p, t in itertools.product(range(4), TET_T)]
    least = min([least, *(point_apart(x[p], *y[t]) for p, t in faces)])
    return min([least, *(point_apart(y[p], *x[t]) for p, t in faces)])


def test_brute():
    """Two tetrahedra that turn and pass: their first contact is where brute force has it."""
    random = np.random.default_rng(2)
    met = 0
    for _ in range(12):
        pcs = impinge.PCS([(TET, TET_T)], [0, 0], epsilon=1e-3)
        turn = random.standard_normal((2, 4))
        pcs.centre[:] = [[0, 0, 0], [1, 0.5 * random.random(), 0.3 * random.random()]]
        pcs.rotation[:] = turn / np.linalg.norm(turn, axis=1)[:, None]
        pcs.velocity[:] = [[1, 0, 0], [-1, 0, 0]]
        pcs.spin[:] = 4 * random.random((2, 3)) - 2
        start = [pcs.centre.copy(), pcs.rotation.copy()]

        def at(t, pcs=pcs, start=start):
            return [
                posed(TET, start[0][k] + t * pcs.velocity[k], turned(start[1][k], pcs.spin[k], t))
                for k in (0, 1)
            ]

        found = []
        pcs.step(0.8, lambda _, c, found=found: found.append(c) or ())
        until = found[0].time if found else 0.8
        for t in np.linspace(0, until, 12)[:-1]:
            assert apart(*at(t)) > 0.49e-3, (t, until)
        if found:
            met += 1
            distance = apart(*at(until))
            assert distance < 1.01e-3 and abs(distance - found[0].distance) < 1e-5
            gap = np.linalg.norm(found[0].point[1] - found[0].point[0])
            assert abs(gap - found[0].distance) < 1e-12
    assert 2 < met < 12, met


# ---- what goes in and comes out


def test_state():
    """The state is changed in place; float32, lists and shared meshes are taken."""
    pcs = pair()
    where = address(pcs.centre)
    info = pcs.step(1, swap)
    assert address(pcs.centre) == where and len(pcs) == 2
    assert pcs.velocity[:, 0].tolist() == [-1, 3]
    assert np.allclose(pcs.centre[:, 0], [-1 + 1.35 - 0.55, 1 - 0.45 + 1.65], atol=1e-3)
    assert info["contacts"] == 1 and info["pairs"] == 1 and info["inelastic"] == 0
    other = impinge.PCS(
        [(CUBE.astype(np.float32), CUBE_T.astype(np.int32)), (CUBE.tolist(), CUBE_T.tolist())],
        epsilon=EPSILON,
        centre=[[-1, 0, 0], [1, 0, 0]],
        velocity=[[3, 0, 0], [-1, 0, 0]],
        rotation=np.array([[1, 0, 0, 0]] * 2),
        fixed=np.array([False, True]),
    )
    found = []
    other.step(1, lambda _, c: found.append(c))
    assert abs(found[0].time - 1.8 / 3) < EPSILON and other.centre[1, 0] == 1
    assert other.device == "cpu"
    empty = impinge.PCS([], epsilon=1)
    assert empty.step(1, swap, lambda *_: None)["pairs"] == 0 and empty.centre.shape == (0, 3)


def test_contact():
    """What a contact says of two cubes, face to face."""
    found = []
    pair().step(1, lambda _, c: found.append(c))
    c = found[0]
    assert (c.a, c.b) == (0, 1) and not c.inelastic and c.point.shape == (2, 3)
    assert np.allclose(c.normal, [1, 0, 0]) and abs(c.time - 0.45) < EPSILON
    assert isinstance(c.kind, impinge.Kind) and 0 <= min(c.triangle) <= max(c.triangle) < 12
    for corners, feature in zip(c.feature_corners, c.feature):
        assert feature == -1 if corners == 3 else 0 <= feature < (8 if corners == 1 else 3)


def test_third():
    """Other bodies may be changed, if they are named; what is not named is undone."""
    pcs = impinge.PCS([(CUBE, CUBE_T)], np.zeros(4, int), epsilon=EPSILON)
    pcs.centre[:] = [[-1, 0, 0], [1, 0, 0], [0, 5, 0], [0, 9, 0]]
    pcs.velocity[:2, 0] = 3, -1
    pcs.velocity[2, 1] = 1

    def contact(bodies, c):
        swap(bodies, c)
        assert bodies.centre[2, 1] == 5
        pcs.advance(2)
        assert abs(bodies.centre[2, 1] - (5 + c.time)) < 1e-12
        raises(impinge.ArgumentError, pcs.advance, 4)
        raises(impinge.ArgumentError, pcs.step, 1)
        bodies.velocity[2, 0] = bodies.velocity[3, 0] = 2
        return np.array([0, 1, 2])

    pcs.step(1, contact)
    assert abs(pcs.centre[2, 0] - 2 * 0.55) < 1e-3 and pcs.centre[3, 0] == 0
    raises(impinge.ArgumentError, pcs.advance, 0)


def test_forces():
    pcs = pair()
    pcs.velocity[:] = 0

    def forces(bodies, seconds):
        bodies.velocity[:, 2] -= 10 * seconds

    for _ in range(2):
        pcs.step(0.1, forces=forces)
    assert np.allclose(pcs.centre[:, 2], -0.3) and np.allclose(pcs.velocity[:, 2], -2)


def test_arrays_outlive():
    """Arrays that a hook has kept are valid after close, and hold memory only as long."""
    kept = []
    pcs = pair()
    pcs.step(1, lambda bodies, c: kept.append(bodies) or swap(bodies, c))
    pcs.close()
    raises(impinge.ArgumentError, pcs.step, 1)
    gone = weakref.ref(pcs)
    del pcs
    gc.collect()
    assert gone() is None
    kept[0].velocity[:] = 7
    assert kept[0].velocity.tolist() == [[7] * 3] * 2


# ---- errors, Ctrl-C


def unchanged(kind, pcs, *arguments):
    """A step that fails leaves the state; the next one is as the first."""
    before = [x.copy() for x in (pcs.centre, pcs.rotation, pcs.velocity, pcs.spin)]
    what = raises(kind, pcs.step, 1, *arguments)
    for x, y in zip(before, (pcs.centre, pcs.rotation, pcs.velocity, pcs.spin)):
        assert np.array_equal(x, y)
    assert pcs.step(1, swap)["contacts"] == 1
    for x, y in zip((pcs.centre, pcs.rotation, pcs.velocity, pcs.spin), before):
        x[:] = y
    return what


def test_raises():
    pcs = pair()

    def fail(*_):
        raise ZeroDivisionError("mine")

    for arguments in ((fail,), (swap, fail)):
        assert str(unchanged(ZeroDivisionError, pcs, *arguments)) == "mine"
    what = unchanged(impinge.ArgumentError, pcs, lambda *_: [2])
    assert "has changed body 2, but there are 2" in str(what)
    unchanged(TypeError, pcs, lambda *_: ["a"])
    unchanged(TypeError, pcs, lambda *_: 5)
    unchanged(TypeError, pcs, lambda: None)

    def poison(bodies, c):
        bodies.spin[0, 0] = np.nan

    assert "body 0" in str(unchanged(impinge.ArgumentError, pcs, poison))


def test_arguments():
    mesh = (CUBE, CUBE_T)

    def wrong(text, *arguments, epsilon=EPSILON, **options):
        what = raises(ValueError, impinge.PCS, *arguments, epsilon=epsilon, **options)
        assert text in str(what), what

    for epsilon in (0, -1, np.nan, np.inf):
        wrong("epsilon", [mesh], epsilon=epsilon)
    wrong("epsilon", [mesh], epsilon="small")
    wrong("triangles of mesh 1: 8 at position 0", [mesh, (CUBE, CUBE_T + 8)])
    large = (CUBE_T + 8).astype(np.int32)
    wrong("mesh 1: corner 0 of triangle 0 is vertex 8", [mesh, (CUBE, large)])
    wrong("mesh 0 has 0 triangles", [(CUBE, np.zeros((0, 3), int))])
    wrong("vertex 2 is not finite", [(np.where(np.arange(8)[:, None] == 2, np.inf, CUBE), CUBE_T)])
    wrong("not (m, 3)", [(CUBE, [[0, 1, 2, 4]])])
    wrong("points of mesh 0: shape", [(CUBE[:, :2], CUBE_T)])
    wrong("body 1 has mesh 3, but there are 1", [mesh], [0, 3])
    wrong("bodies", [mesh], [-1])
    wrong("fixed", [mesh], fixed=[True, False])
    wrong("fixed", [mesh], fixed=[1])
    wrong("centre", [mesh], centre=[0, 0, 0])
    wrong("threads", [mesh], threads=-1)
    raises(impinge.DeviceError, impinge.PCS, [mesh], epsilon=1, device="no such device")
    raises(MemoryError, impinge.PCS, [mesh], epsilon=1, mem_limit=100)
    pcs = pair()
    for seconds in (0, -1, np.nan, np.inf):
        raises(impinge.ArgumentError, pcs.step, seconds)
    pcs.rotation[0] = 0
    assert "body 0" in str(raises(impinge.ArgumentError, pcs.step, 1))


def crowd(count=1500):
    """So many cubes that fly and turn in all directions that a step takes long."""
    random = np.random.default_rng(3)
    pcs = impinge.PCS([(CUBE, CUBE_T)], np.zeros(count, int), epsilon=1e-6, threads=1)
    pcs.centre[:] = 10 * random.random((count, 3))
    pcs.velocity[:] = 40 * random.standard_normal((count, 3))
    pcs.spin[:] = 40 * random.standard_normal((count, 3))
    return pcs


def test_interrupt():
    """Ctrl-C ends a long step within a second of processor time, in the library and in a hook."""
    pcs, times = crowd(), []
    before = pcs.centre.copy()
    interrupt_in(0.4, times)
    raises(KeyboardInterrupt, pcs.step, 1)
    assert time.process_time() - times[0] < 1 and np.array_equal(before, pcs.centre)

    def forever(*_):
        while True:
            time.sleep(0.01)

    one = pair()
    for arguments in ((forever,), (swap, forever)):
        interrupt_in(0.2, times)
        unchanged(KeyboardInterrupt, one, *arguments)
    for i in range(50):
        try:
            interrupt_in(0.0005 + 0.0001 * (i % 10), [])
            for _ in range(100_000):
                one.centre[:, 0], one.velocity[:, 0] = (-1, 1), (3, -1)
                assert one.step(1, swap)["contacts"] == 1
            raise AssertionError("no KeyboardInterrupt")
        except KeyboardInterrupt:
            one.centre[:, 0], one.velocity[:, 0] = (-1, 1), (3, -1)
            assert one.step(1, swap)["contacts"] == 1


def test_cancel():
    """From another thread; the next step, too."""
    pcs = crowd()
    timer = threading.Timer(0.3, pcs.cancel)
    timer.start()
    raises(impinge.Cancelled, pcs.step, 1)
    pcs.cancel()
    called = []
    raises(impinge.Cancelled, pcs.step, 1e-9, None, lambda *_: called.append(1))
    assert not called
    pcs.step(1e-9)


main(globals())
