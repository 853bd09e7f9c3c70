"""impinge pcs on scenes as users have them: a train of gears, a stack of boxes."""

import functools
import json
import sys
from pathlib import Path

import impinge
import numpy as np
from common import can_simulate, folder, main, program
from shapes import box, circle, gear, prism, volume

sys.path.append(str(Path(__file__).resolve().parents[2] / "bench"))
import stack  # noqa: E402

try:
    import h5py
except ImportError as what:
    print(f"skipped: {what}")
    sys.exit(0)

if not can_simulate():
    print("skipped: built without ODE")
    sys.exit(0)

G = 9.81


class Run:
    """A simulation by the program: its summary, contacts of each step, and of each frame the
    bodies, the triangles and the energy. `write` makes the batch of a path."""

    def __init__(self, write, seconds, step):
        with folder() as where:
            write(f"{where}/in.vtkhdf")
            out = f"{where}/out.vtkhdf"
            words = ("--seconds", seconds, "--step", step, "--json")
            done = program("pcs", f"{where}/in.vtkhdf", "-o", out, *words)
            assert done.returncode == 0, done.stderr
            self.summary, self.step = json.loads(done.stdout), step
            impinge.check(out, f"{out[:-7]}.batch.vtkhdf", frames="::7")
            with impinge.open(out) as result:
                self.contacts = list(result)
            with impinge.open(f"{out[:-7]}.batch.vtkhdf") as batch:
                self.states = [batch.bodies(k) for k in range(len(batch))]
                self.frames = list(batch)
            with h5py.File(f"{out[:-7]}.batch.vtkhdf") as file:
                of = file["impinge/bodies"]
                self.mass, self.inertia = of["mass"][:], of["inertia"][:]
                self.free = of["fixed"][:] == 0
        self.epsilon = self.summary["epsilon"]
        self.energies = np.array([self.energy(state) for state in self.states])

    def energy(self, state):
        """Of all bodies that move: of their speed, their turning and their height."""
        m, v, z = self.mass, state.velocity, state.centre[:, 2]
        each = m * (v**2).sum(1) / 2 + m * G * z
        for k in np.flatnonzero(self.free):
            w = turned_back(state.rotation[k], state.spin[k])
            xx, yy, zz, xy, xz, yz = self.inertia[k]
            each[k] += w @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ w / 2
        return each[self.free].sum()

    def check_order(self):
        """Contacts of a step ascend in time, and are of that step."""
        for k, found in enumerate(self.contacts):
            assert (np.diff(found.time) >= 0).all(), k
            assert (found.time >= (k - 1e-9) * self.step).all(), k
            assert (found.time <= (k + 1 + 1e-9) * self.step).all(), k

    def first(self, a, b):
        """When two bodies touch first."""
        times = [
            found.time[(found.object_a == a) & (found.object_b == b)] for found in self.contacts
        ]
        return np.concatenate(times).min()

    def check_apart(self):
        """At the beginning and the end of each step no triangle of a body that moves meets one of
        another body, which exact arithmetic decides."""
        for k, frame in enumerate(self.frames):
            found = impinge.contacts(frame.points, frame.triangles, frame.objects)
            a, b = frame.objects[found.a], frame.objects[found.b]
            meet = (a != b) & (self.free[a] | self.free[b])
            assert not meet.any(), (k, set(zip(a[meet].tolist(), b[meet].tolist())))


def turned_back(rotation, vector):
    """In the body's own coordinates."""
    w, q = rotation[0], -rotation[1:]
    turn = 2 * np.cross(q, vector)
    return vector + w * turn + np.cross(q, turn)


# ---- gears

TEETH, MODULE, THICK, BORE = (12, 16, 12), 0.01, 0.02, 0.025
LOOSE = 2e-4  # between a pin and its bore


def gear_train(speed):
    """A plate, then each gear and the pin that it turns on. Teeth are in the middle of the gaps of
    the next gear. The first one turns with `speed`; nothing has friction."""
    rest = dict(friction=0.0, density=7800.0)
    plate = impinge.RigidBody(*box(0.8, 0.4, 0.02), (0.15, 0, -0.011), fixed=True, friction=0.0)
    bodies, x, angle = [plate], 0.0, 0.0
    for k, teeth in enumerate(TEETH):
        if k:  # where the gear before has a tooth, this one has a gap
            x += MODULE * (TEETH[k - 1] + teeth) / 2
            angle = np.pi + (np.pi - angle * TEETH[k - 1]) / teeth
        mesh = gear(teeth, MODULE, THICK, BORE)
        assert volume(*mesh) > 0 and not len(impinge.contacts(*mesh))
        turned = (np.cos(angle / 2), 0, 0, np.sin(angle / 2))
        bodies.append(impinge.RigidBody(*mesh, (x, 0, THICK / 2), turned, name=f"gear {k}", **rest))
        pin = prism(circle(BORE * np.cos(np.pi / teeth) - LOOSE, 9), 2 * THICK)
        bodies.append(impinge.RigidBody(*pin, (x, 0, 0), fixed=True, name=f"pin {k}", **rest))
    bodies[1].angular_velocity = (0, 0, speed)
    return bodies


def test_gears():
    """The teeth keep the gears in step: each turns against its neighbours, as far as the numbers of
    teeth say, and nothing goes through anything."""
    train = gear_train(40.0)
    write = functools.partial(impinge.write_bodies, train, epsilon=1e-4)
    run = Run(write, seconds=0.2, step=0.005)
    teeth, gears, pitch = np.array(TEETH), [1, 3, 5], 2 * np.pi
    run.check_order()
    run.check_apart()
    assert 0 < run.first(1, 3) < run.first(3, 5)
    assert run.summary["overlap"]["contacts"] == 0, run.summary["overlap"]

    w, z = (np.array([state.rotation[gears, k] for state in run.states]) for k in (0, 3))
    angle = np.unwrap(2 * np.arctan2(z, w), axis=0, period=2 * np.pi)
    passed = (angle - angle[0]) * teeth / pitch  # teeth
    # teeth have a play of 0.05 to each side, pins let the gears move by 0.02 of a pitch, and an
    # involute of three points is off by less than that
    off = np.abs(passed[:, 1:] + passed[:, :-1]).max()
    assert 0.02 < off < 0.1, off
    assert passed[-1, 0] > 2, passed[-1]
    speed = (angle[-1] - angle[0]) / 0.2
    for k in (0, 1):
        ratio = -speed[k] / speed[k + 1] * teeth[k] / teeth[k + 1]
        assert abs(ratio - 1) < 0.1 / 2, (speed, ratio)
    for state in run.states:  # they lie on the plate, and do not tip
        assert (np.abs(state.rotation[gears, 1:3]) < 1e-3).all()
        assert (np.abs(state.centre[gears, 2] - THICK / 2 + 5e-4) < 5.1e-4).all()

    # no more than the first one has got; what lies is held within epsilon
    least = run.mass[gears].sum() * G * run.epsilon
    assert (np.diff(run.energies) < least).all(), np.diff(run.energies).max() / least
    spent = run.energies[0] - run.energies[-1]
    assert spent > 0.1 * (run.energies[0] - run.mass[gears].sum() * G * THICK / 2), run.energies


# ---- boxes

BOXES = 16


def test_stack():
    """Boxes fall together and stand for five seconds: in the end each is above the one below,
    at the distance that contacts keep."""
    run = Run(lambda path: stack.write(path, BOXES), seconds=5, step=0.02)
    run.check_order()
    for k in range(BOXES):
        assert run.first(k, k + 1) < 0.5, k
    found, overlap = run.contacts[-1], run.summary["overlap"]
    resting = set(zip(found.object_a.tolist(), found.object_b.tolist()))
    assert resting == {(k, k + 1) for k in range(BOXES)}, resting
    assert overlap["epsilons"] < 0.1, overlap

    begin, end = run.states[0], run.states[-1]
    aside = np.abs(end.centre - begin.centre)[:, :2].max()
    assert aside < 1e-6 and np.abs(end.rotation - begin.rotation).max() < 1e-6, aside
    gaps = np.diff(end.centre[:, 2]) - stack.EDGE[2]
    gaps[0] = end.centre[1, 2] - stack.EDGE[2] / 2  # from the ground
    assert (gaps > 0.5 * run.epsilon).all() and (gaps < run.epsilon).all(), gaps / run.epsilon
    assert np.abs(end.velocity).max() < 1e-6 and np.abs(end.spin).max() < 1e-6

    # never more than in the beginning; once it has come together only what holds box k, which
    # k gaps below it may lift
    e, weight = run.energies, run.mass[1] * G
    assert (e[1:] < e[0]).all()
    lifted = weight * run.epsilon * BOXES * (BOXES + 1) / 2
    assert e[-1] - e.min() < lifted, (e[-1] - e.min(), lifted)
    assert abs(e[-1] - e[len(e) // 2]) < 1e-3 * lifted


main(globals())
