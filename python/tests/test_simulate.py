"""impinge.pcs and impinge.write_bodies: motion by formulas, names, errors, the same bytes."""

import contextlib
import dataclasses
import hashlib
import io
import json
import os
import sys
import time
import types

import impinge
import numpy as np
from common import can_simulate, folder, main, program, raises
from shapes import BOX_T, angle_iron, ball, box, volume

try:
    import h5py
except ImportError as what:
    print(f"skipped: {what}")
    sys.exit(0)

G, DT = 9.81, 0.01

if not can_simulate():
    print("skipped: built without ODE")
    sys.exit(0)

SLAB = impinge.RigidBody(*box(10, 10, 0.5), centre=(0, 0, -0.25), fixed=True, name="slab")
CUBE = impinge.RigidBody(*box(1, 1, 1), centre=(0, 0, 1.5), restitution=0.5, name="cube")


def simulate(bodies, where, **options):
    """The result, and the batch of all frames."""
    out = f"{where}/out.vtkhdf"
    with impinge.pcs(bodies, out, force=True, **options) as result:
        contacts = list(result)
        names = result.names
    with impinge.open(f"{out[:-7]}.batch.vtkhdf") as batch:
        states = [batch.bodies(k) for k in range(len(batch))]
    return contacts, states, names


# ---- a cube that falls on a slab: in frame n it has the speed g dt (n + 1), so that it is at
# 1.5 - g dt^2 n (n + 1) / 2 at the beginning of that


def check_fall(contacts, states, fell=1.0):
    epsilon, left = 1e-4 * 3**0.5, fell
    for n in range(len(contacts)):
        v = G * DT * (n + 1)
        if left < v * DT:
            break
        assert not len(contacts[n]), n
        left = fell - G * DT * DT * (n + 1) * (n + 2) / 2
        assert abs(states[n + 1].centre[0, 2] - 1.5 + fell - left) < 1e-9
    found = contacts[n]
    assert len(found) == 1 and found.object_a[0] + found.object_b[0] == 1
    when = n * DT + left / v
    assert -1.01 * epsilon / v < found.time[0] - when <= 0, (found.time, when)
    back = states[n + 1].velocity[0, 2]
    assert abs(back - 0.5 * v) < 1e-6, (back, v)
    assert (states[n + 1].centre[1] == SLAB.centre).all()


def test_fall():
    with folder() as where:
        contacts, states, names = simulate([CUBE, SLAB], where, frames=60)
        assert len(contacts) == 60 and len(states) == 61 and names == {0: "cube", 1: "slab"}
        check_fall(contacts, states)


def test_origin():
    """With a density the centre of mass is found: the same motion, wherever the origin is, and with
    the mesh turned in its coordinates."""
    half = 0.5**0.5
    turn = np.array([[1, 0, 0], [0, half, -half], [0, half, half]])  # by 45 degrees about x
    points = (CUBE.points @ turn.T) + [3, 2, 1]
    back = np.array([np.cos(np.pi / 8), -np.sin(np.pi / 8), 0, 0])
    centre = [0, 0, 1.5] - turn.T @ [3, 2, 1]
    aside = dataclasses.replace(CUBE, points=points, centre=centre, rotation=back, density=7.0)
    with folder() as where:
        contacts, states, _ = simulate([aside, SLAB], where, frames=60)
        assert np.allclose(states[0].centre[0], [0, 0, 1.5], 0, 1e-12)
        check_fall(contacts, states)
        with h5py.File(f"{where}/out.batch.vtkhdf") as file:
            assert abs(file["impinge/bodies/mass"][0] - 7) < 1e-12


def test_mass():
    """With mass and inertia a surface may be open; a push changes velocities by force and time."""
    sheet = impinge.RigidBody(CUBE.points, BOX_T[:4], centre=(0, 0, 1.5), mass=2.0, name="sheet")
    sheet.inertia = np.diag([0.5, 0.75, 1.0])
    with folder() as where:
        pushes = [impinge.Push("sheet", (0, 0, 0), (4, 0, 0), 0.1, 0.3)]
        _, states, _ = simulate([sheet], where, gravity=(0, 0, 0), pushes=pushes, seconds=0.5)
        assert np.allclose(states[-1].velocity[0], [4 / 2 * 0.2, 0, 0], 0, 1e-9)
        turned = [impinge.Push(0, (0, 0, 1), (5, 0, 0), 0, 0.01)]
        _, states, _ = simulate([sheet], where, gravity=(0, 0, 0), pushes=turned, frames=3)
        assert np.allclose(states[-1].spin[0], [0, 5 * 0.01 / 0.75, 0], 0, 1e-9)
        sheet.inertia = [0.5, 0.5, 1, 0, 0, 0]
        sheet.velocity, sheet.angular_velocity = (1, 0, 0), (0, 0, 2)
        home = dict(spring=(4, 0, 0), home=[[0, 0, 1.5]])
        _, states, _ = simulate([sheet], where, gravity=(0, 0, 0), frames=79, **home)
        assert abs(states[-1].centre[0, 0] - 0.5) < 0.01  # a quarter of a swing of 2 radians/s
        assert np.allclose(states[-1].spin[0], [0, 0, 2], 0, 1e-9)


def test_friction():
    """A cube that slides on a slab is braked by the smaller coefficient."""
    for friction, there in ((0.0, 1.0), (0.2, 1 - 0.2 * G * 0.3)):
        cube = dataclasses.replace(CUBE, centre=(0, 0, 0.5001), restitution=0.0, friction=friction)
        cube.velocity = (1, 0, 0)
        with folder() as where:
            _, states, _ = simulate([cube, SLAB], where, seconds=0.3)
            assert abs(states[-1].velocity[0, 0] - there) < 0.02, states[-1].velocity


def test_meshes():
    """Of trimesh and PyVista, or what looks like them; points that no triangle has are left out."""
    trimesh = types.SimpleNamespace(vertices=CUBE.points, faces=BOX_T)
    pyvista = types.SimpleNamespace(points=CUBE.points, regular_faces=BOX_T)
    more = np.concatenate([[[np.nan] * 3], CUBE.points])
    with folder() as where:
        made = []
        for mesh in ((trimesh, None), (pyvista, None), (more, BOX_T + 1), (*made_by(),)):
            body = dataclasses.replace(CUBE, points=mesh[0], triangles=mesh[1])
            impinge.write_bodies([body, SLAB], f"{where}/{len(made)}")
            with impinge.open(f"{where}/{len(made)}") as batch:
                made.append(batch[0])
        for frame in made:
            assert len(frame.points) == 16 and frame.objects.tolist() == [0] * 12 + [1] * 12
            assert (frame.points[:8] == CUBE.points + [0, 0, 1.5]).all()
            assert (frame.triangles == np.concatenate([BOX_T, BOX_T + 8])).all()


def made_by():
    """A mesh of the real trimesh, where it is."""
    try:
        import trimesh
    except ImportError:
        print("    skipped: no trimesh")
        return CUBE.points, BOX_T
    return trimesh.Trimesh(CUBE.points, BOX_T, process=False), None


def test_mixed():
    """Bodies of many forms and poses: contacts ascend within a frame, and nothing falls through."""
    random, bodies = np.random.default_rng(3), [SLAB]
    for k, mesh in enumerate([box(0.4, 0.3, 0.2), angle_iron(0.5), ball(0.25), box(0.2, 0.2, 0.6)]):
        turn = random.standard_normal(4)
        turn /= np.linalg.norm(turn)
        assert volume(*mesh) > 0
        bodies.append(impinge.RigidBody(*mesh, (0.1 * k, 0, 0.6 + 0.7 * k), turn, name=f"b{k}"))
    with folder() as where:
        contacts, states, names = simulate(bodies, where, seconds=1)
        assert names == {0: "slab", 1: "b0", 2: "b1", 3: "b2", 4: "b3"}
        assert sum(map(len, contacts)) > 4
        for k, found in enumerate(contacts):
            assert (np.diff(found.time) >= 0).all() and (found.object_a != found.object_b).all()
            assert (found.time >= k * DT - 1e-12).all() and (found.time <= (k + 1.001) * DT).all()
        assert (states[-1].centre[1:, 2] > 0).all(), states[-1].centre


# ---- files


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def test_same_bytes():
    """The same arguments, more than a second later."""
    acts = dict(gravity=(0, 0, -1), step=0.02, seconds=2, epsilon=1e-4, restitution_slowest=0.1)
    acts["pushes"] = [(1, (0, 0, 0), (1, 0, 0), 0, 1)]
    with folder() as where:
        impinge.write_bodies([SLAB, CUBE], f"{where}/a.vtkhdf", **acts)
        time.sleep(1.2)
        impinge.write_bodies([SLAB, CUBE], f"{where}/b.vtkhdf", **acts)
        assert digest(f"{where}/a.vtkhdf") == digest(f"{where}/b.vtkhdf")
        impinge.write_bodies([SLAB, CUBE], f"{where}/b.vtkhdf", force=True)
        assert digest(f"{where}/a.vtkhdf") != digest(f"{where}/b.vtkhdf")
        assert sorted(os.listdir(where)) == ["a.vtkhdf", "b.vtkhdf"]


def rows(path):
    with impinge.open(path) as result:
        return [(found.time.tobytes(), found.a.tobytes(), found.ends.tobytes()) for found in result]


def test_batch():
    """A batch that was written gives the rows that its bodies give; so does that of a scene."""
    with folder() as where:
        simulate([CUBE, SLAB], where, step=0.02, frames=40)
        impinge.write_bodies([CUBE, SLAB], f"{where}/in.vtkhdf", step=0.05)
        with impinge.pcs(f"{where}/in.vtkhdf", f"{where}/two", step=0.02, frames=40, threads=1):
            pass
        assert rows(f"{where}/two") == rows(f"{where}/out.vtkhdf") and any(rows(f"{where}/two"))
        for words in (("scene.vtkhdf", "--batch-only"), ("one.vtkhdf", "--frames", 60)):
            said = program("pcs", "cradle", "-o", f"{where}/{words[0]}", "--force", *words[1:])
            assert said.returncode == 0, said.stderr
        impinge.pcs(f"{where}/scene.vtkhdf", f"{where}/again.vtkhdf", frames=60).close()
        assert rows(f"{where}/one.vtkhdf") == rows(f"{where}/again.vtkhdf")
        with impinge.open(f"{where}/scene.vtkhdf") as batch:
            assert batch.bodies(0).centre.shape == (5, 3) and (batch.bodies(-1).spin == 0).all()
        raises(impinge.ArgumentError, impinge.pcs, f"{where}/in.vtkhdf", f"{where}/no", scene="a")


def test_summary():
    """As a file, which an option names that may stand without a name."""
    with folder() as where:
        simulate([CUBE, SLAB], where, frames=3, json=f"{where}/out.json")
        with open(f"{where}/out.json") as file:
            assert json.load(file)["frames"] == 3


# ---- what is refused


def refused(kind, text, bodies, **options):
    with folder() as where, contextlib.redirect_stderr(io.StringIO()):
        what = raises(kind, impinge.pcs, bodies, f"{where}/no.vtkhdf", **options)
        assert text in str(what) and "/tmp" not in str(what), what
        assert not os.listdir(where), os.listdir(where)


def test_refused():
    bad = impinge.ArgumentError
    fields = [
        ("density", -1.0, "body 1 (cube): density: -1, not above 0"),
        ("mass", 0.0, "body 1 (cube): mass: 0, not above 0"),
        ("inertia", np.eye(3), "body 1 (cube): it has inertia, but no mass"),
        ("restitution", 1.5, "body 1 (cube): restitution: 1.5, not 0 to 1"),
        ("friction", -0.5, "body 1 (cube): friction: -0.5, below 0"),
        ("rotation", (1, 1, 0, 0), "body 1 (cube): rotation: a quaternion of length 1.41421"),
        ("centre", (0, 0), "body 1 (cube): centre: int64 of shape (2,), not floats of (3,)"),
        ("velocity", (0, 0, np.nan), "body 1 (cube): velocity: it is NaN or infinite"),
        ("triangles", BOX_T + 1, "body 1 (cube): triangles: "),
        ("triangles", np.zeros((0, 3), int), "body 1 (cube): it has no triangle"),
        ("triangles", None, "body 1 (cube): triangles are missing"),
    ]
    for name, value, text in fields:
        kind = ValueError if name == "triangles" else bad
        refused(kind, text, [SLAB, dataclasses.replace(CUBE, **{name: value})])
    refused(TypeError, "points: int64", [dataclasses.replace(CUBE, points=np.zeros((8, 3), int))])
    refused(bad, "bodies: there is none", [])
    refused(bad, "a RigidBody, not a list", CUBE)
    refused(bad, "body 0: tuple", [box(1, 1, 1)])
    both = dataclasses.replace(CUBE, density=1.0, mass=1.0)
    refused(bad, "either density or mass", [both])
    refused(bad, "gravity: float64 of shape (), not floats of (3,)", [CUBE], gravity=-9.81)
    refused(bad, "step: 0, not above 0", [CUBE], step=0)
    refused(bad, "either frames or seconds", [CUBE], seconds=1, frames=3)
    refused(bad, "spring and home", [CUBE], spring=(1, 1, 1))
    push = ("ball", (0, 0, 0), (0, 0, 0), 0, 1)
    refused(bad, "0 bodies have the name 'ball'", [CUBE], pushes=[push])
    refused(bad, "push 0: not a Push", [CUBE], pushes=[3])
    refused(bad, "push 0: it ends", [CUBE], pushes=[(0, (0, 0, 0), (0, 0, 0), 2, 1)])


def test_refused_by_program():
    bad = impinge.ArgumentError
    refused(bad, "--gravty", [CUBE], gravty=1)
    refused(bad, "epsilon is 1; with a smallest body", [CUBE, SLAB], epsilon=1.0)
    open_box = dataclasses.replace(CUBE, triangles=BOX_T[:6])
    what = "bodies: body 1: its surface is not closed"
    refused(impinge.InputError, what, [SLAB, open_box])
    thin = dataclasses.replace(CUBE, mass=1.0, inertia=(1, 1, 3, 0, 0, 0))
    refused(impinge.InputError, "bodies: body 0: no body has this inertia", [thin])
    refused(impinge.InputError, "not there", "not there.vtkhdf")
    refused(impinge.InputError, "cradle", "cradle")
    refused(impinge.DeviceError, "no such device", [CUBE], device="no such device")
    with folder() as where:
        simulate([CUBE], where, frames=1)
        what = raises(bad, impinge.pcs, [CUBE], f"{where}/out.vtkhdf")
        assert "exists" in str(what)
        what = raises(bad, impinge.write_bodies, [CUBE], f"{where}/out.vtkhdf")
        assert "exists" in str(what)


main(globals())
