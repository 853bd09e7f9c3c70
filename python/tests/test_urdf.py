"""URDF: what links become, what is counted and refused, and a gripper above five bodies."""

import contextlib
import hashlib
import io
import os
import subprocess
import sys
import time

import impinge
import numpy as np
from common import folder, main, raises
from impinge.program import PROGRAM
from shapes import angle_iron, ball, box, volume

try:
    import h5py  # noqa: F401
except ImportError as what:
    print(f"skipped: {what}")
    sys.exit(0)

COMMAND = os.path.join(os.path.dirname(sys.executable), "impinge")
BOX = '<collision><geometry><box size="1 1 1"/></geometry></collision>'
INERTIA = '<inertia ixx="{}" iyy="{}" izz="{}" ixy="0" ixz="0" iyz="0"/>'


def inertial(mass, diagonal, origin=""):
    inertia = INERTIA.format(*diagonal)
    return f'<inertial>{origin}<mass value="{mass}"/>{inertia}</inertial>'


def origin(xyz=(0, 0, 0), rpy=(0, 0, 0)):
    return '<origin xyz="{} {} {}" rpy="{} {} {}"/>'.format(*xyz, *rpy)


def joint(name, kind, parent, child, more=""):
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{more}</joint>\n'


def link(name, *content):
    return f'<link name="{name}">{"".join(content)}</link>\n'


def urdf(where, *content):
    path = f"{where}/robot.urdf"
    with open(path, "w", encoding="utf-8") as file:
        file.write('<?xml version="1.0"?>\n<robot name="r">\n' + "".join(content) + "</robot>\n")
    return path


def obj(path, points, triangles):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"v {x!r} {y!r} {z!r}\n" for x, y, z in points.tolist())
        file.writelines(f"f {a} {b} {c}\n" for a, b, c in (np.array(triangles) + 1).tolist())


def stl(path, points, triangles):
    with open(path, "w", encoding="utf-8") as file:
        file.write("solid a\n")
        for corners in points[triangles].tolist():
            vertices = "".join(f"vertex {x!r} {y!r} {z!r}\n" for x, y, z in corners)
            file.write(f"facet normal 0 0 0\nouter loop\n{vertices}endloop\nendfacet\n")
        file.write("endsolid a\n")


def read(path, **joints):
    """Bodies by their names, and what is said."""
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        bodies = impinge.read_urdf(path, joints)
    return {body.name: body for body in bodies}, said.getvalue()


def matrix(rotation):
    """(3, 3) of w x y z."""
    w, x, y, z = rotation
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def posed(body):
    return body.points @ matrix(body.rotation).T + body.centre


# ---- what links become


def test_poses():
    """By hand: a quarter turn about z at (1, 0, 0), then a link along its x, then a turn by a value
    about an axis."""
    quarter = np.pi / 2
    with folder() as where:
        path = urdf(
            where,
            link("base", BOX),
            link("arm", BOX, inertial(2, (1, 2, 2), origin((0.5, 0, 0), (0, 0, quarter)))),
            link("hand", BOX, inertial(1, (1, 1, 1))),
            link("rail", BOX, inertial(1, (1, 1, 1))),
            joint("a", "revolute", "base", "arm",
                  origin((1, 0, 0), (0, 0, quarter)) + '<axis xyz="0 0 2"/>'),
            joint("b", "continuous", "arm", "hand", origin((2, 0, 0))),
            joint("c", "prismatic", "base", "rail", '<axis xyz="0 1 0"/>'),
        )  # fmt: skip
        bodies, _ = read(path)
        base, arm, hand = bodies["base"], bodies["arm"], bodies["hand"]
        assert base.fixed and not arm.fixed and not hand.fixed and base.mass is None
        assert np.allclose(arm.centre, [1, 0.5, 0], 0, 1e-15) and arm.mass == 2
        assert np.allclose(arm.points, np.array(box(1, 1, 1)[0]) - [0.5, 0, 0], 0, 1e-15)
        assert np.allclose(arm.inertia, np.diag([2, 1, 2]), 0, 1e-12)  # it was turned about z
        assert np.allclose(posed(arm).mean(0), [1, 0, 0], 0, 1e-15)
        assert np.allclose(hand.centre, [1, 2, 0], 0, 1e-15)
        assert np.allclose(matrix(hand.rotation), [[0, -1, 0], [1, 0, 0], [0, 0, 1]], 0, 1e-15)
        bodies, _ = read(path, a=-quarter, b=0.3, c=0.25)
        assert np.allclose(bodies["arm"].centre, [1.5, 0, 0], 0, 1e-15)
        assert np.allclose(bodies["hand"].centre, [3, 0, 0], 0, 1e-15)
        s, c = np.sin(0.3), np.cos(0.3)
        about_x = [[1, 0, 0], [0, c, -s], [0, s, c]]
        assert np.allclose(matrix(bodies["hand"].rotation), about_x, 0, 1e-15)
        assert np.allclose(bodies["rail"].centre, [0, 0.25, 0], 0, 1e-15)


def test_turns():
    """Quaternions of all octants are the rotations that rpy says: roll, then pitch, then yaw."""
    random = np.random.default_rng(1)
    with folder() as where:
        for rpy in [*random.uniform(-np.pi, np.pi, (30, 3)), (np.pi, 0, 0), (0, np.pi, np.pi)]:
            path = urdf(where, link("base", BOX), link("tip", BOX),
                        joint("a", "fixed", "base", "tip", origin((0, 0, 0), rpy)))  # fmt: skip
            (cr, cp, cy), (sr, sp, sy) = np.cos(rpy), np.sin(rpy)
            x = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
            y = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
            z = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
            rotation = read(path)[0]["tip"].rotation
            assert abs(np.linalg.norm(rotation) - 1) < 1e-15
            assert np.allclose(matrix(rotation), z @ y @ x, 0, 1e-14)


def test_fixed():
    """The root without mass and what fixed joints join to it; a root with mass can move."""
    heavy = inertial(1, (1, 1, 1))
    joints = [joint("a", "fixed", "root", "one"), joint("b", "revolute", "one", "two"),
              joint("c", "fixed", "two", "three")]  # fmt: skip
    with folder() as where:
        for mass, fixed in (("", {"one"}), (heavy, set())):
            links = [link(name, BOX, heavy) for name in ("one", "two", "three")]
            bodies, said = read(urdf(where, link("root", mass), *links, *joints))
            assert list(bodies) == ["one", "two", "three"]
            assert {name for name, body in bodies.items() if body.fixed} == fixed
            count = 3 - len(fixed)
            assert f"; {count} such in this file" in said and "is not simulated" in said, said
            assert "a link without geometry, which is no body" in said, said


def closed(triangles):
    """Each edge has two triangles, in opposite directions."""
    edges = [(int(t[k]), int(t[(k + 1) % 3])) for t in triangles for k in range(3)]
    return len(set(edges)) == len(edges) and all((b, a) in set(edges) for a, b in edges)


def shape(where, geometry, place=""):
    collision = f"<collision>{place}<geometry>{geometry}</geometry></collision>"
    bodies, said = read(urdf(where, link("a", collision)))
    return bodies["a"].points, bodies["a"].triangles, said


def test_shapes():
    with folder() as where:
        points, triangles, said = shape(where, '<box size="1 2 3"/>', origin((5, 0, 0)))
        assert abs(volume(points, triangles) - 6) < 1e-12 and closed(triangles) and not said
        assert np.allclose(points.mean(0), [5, 0, 0], 0, 1e-15)
        cylinder = '<cylinder radius="0.5" length="2"/>'
        points, triangles, said = shape(where, cylinder, origin((0, 0, 0), (np.pi / 2, 0, 0)))
        whole = np.pi / 4 * 2
        assert 0.99 * whole < volume(points, triangles) < whole and closed(triangles)
        assert np.allclose(np.ptp(points, axis=0), [1, 2, 1], 0, 1e-12) and "polyhedron" in said
        points, triangles, said = shape(where, '<sphere radius="2"/>')
        whole = 4 / 3 * np.pi * 8
        assert 0.98 * whole < volume(points, triangles) < whole and closed(triangles)
        assert np.allclose(np.linalg.norm(points, axis=1), 2, 0, 1e-12) and len(triangles) == 1280


def test_meshes():
    """STL, whose vertices are shared by its edges, and OBJ; mirrored ones look outwards; two
    collisions are one body."""
    points, triangles = angle_iron(1.0)
    with folder() as where:
        os.mkdir(f"{where}/mesh")
        stl(f"{where}/mesh/l.stl", points, triangles)
        obj(f"{where}/mesh/l.OBJ", points, triangles)
        for name in ("mesh/l.stl", "mesh/l.OBJ", f"file://{where}/mesh/l.stl"):
            found, faces, said = shape(where, f'<mesh filename="{name}" scale="2 1 -1"/>')
            assert abs(volume(found, faces) - 2 * volume(points, triangles)) < 1e-12
            assert closed(faces) and len(found) == len(points) and not said, said
        one = '<collision>{}<geometry><mesh filename="mesh/l.stl"/></geometry></collision>'
        both = [one.format(origin((x, 0, 0))) for x in (0, 3)]
        body = read(urdf(where, link("a", *both)))[0]["a"]
        assert len(body.points) == 2 * len(points) and len(body.triangles) == 2 * len(triangles)
        assert abs(volume(body.points, body.triangles) - 2 * volume(points, triangles)) < 1e-12


def test_counted():
    """What is left out is said, with how often."""
    material = '<material name="m"/>'
    shown = f"<visual>{material}" + BOX[len("<collision>") : -len("</collision>")] + "</visual>"
    more = '<limit lower="0"/><mimic joint="a"/><dynamics damping="1"/><axis xyz="1 0 0"/>'
    light = '<inertial><mass value="1"/></inertial>'
    with folder() as where:
        path = urdf(
            where, link("base", shown, BOX), link("tip", shown), link("eye", BOX, light), material,
            joint("a", "revolute", "base", "tip", more), joint("b", "floating", "base", "eye"),
            "<transmission/><transmission/><gazebo><sensor/></gazebo><sensor/><other/>",
        )  # fmt: skip
        bodies, said = read(path)
        assert [body.mass for body in bodies.values()] == [None, None, 1.0]
        lines = said.splitlines()
        assert all(line.startswith(f"impinge: {path}: ") for line in lines), said
        left = next(line for line in lines if "left out" in line)
        for word in ("<visual>", "2 <material>", "<limit>", "<mimic>", "<dynamics>"):
            assert word in left, left
        assert "2 <transmission>" in left and "and 1 more" in left, left
        for what in ("a joint that is not simulated", "whose visual geometry is taken",
                     "a link without mass that can move", "a link without inertia"):  # fmt: skip
            assert sum(what in line for line in lines) == 1, (what, said)
        assert len(lines) == 5 and "such" not in said, said


# ---- what is refused


def test_refused():
    other = link("b", BOX)
    cases = [
        (BOX.replace("box size", "capsule size"), "<capsule>: this shape is not read"),
        (BOX.replace("1 1 1", "1 1"), "<box>: size='1 1', not 3 numbers"),
        (BOX.replace("1 1 1", "1 1 0"), "<box>: size='1 1 0', not above 0"),
        (BOX.replace("1 1 1", "1 1 nan"), "<box>: size='1 1 nan', not 3 numbers"),
        (BOX.replace("box size", "sphere size"), "<sphere>: radius is missing"),
        (BOX.replace('<box size="1 1 1"/>', ""), "0 shapes, not one"),
        (BOX.replace("box size", "mesh filename").replace("1 1 1", "package://a/b.stl"),
         "<mesh>: package://a/b.stl: packages are not looked for"),
        (BOX.replace("box size", "mesh filename").replace("1 1 1", "no.stl"), "no.stl: No such"),
        (BOX.replace("box size", "mesh filename").replace("1 1 1", "robot.urdf"), "not read here"),
        (BOX.replace("<geom", "<origin rpy='0 0'/><geom"), "<origin>: rpy='0 0', not 3 numbers"),
        (BOX + inertial(1, (1, 1, 3)), "<inertia>: no body has this inertia"),
        (BOX + inertial(-1, (1, 1, 1)), "<mass>: it is below 0"),
        (BOX + inertial("x", (1, 1, 1)), "<mass>: value='x', not a number"),
    ]  # fmt: skip
    with folder() as where:
        for content, text in cases:
            path = urdf(where, link("a", content))
            what = str(raises(impinge.InputError, read, path))
            assert what.startswith(f"{path}: line 3: <link> a: ") and text in what, (text, what)
        whole = [
            ([link("a", BOX), other], "2 links are no child of a joint, not one: a, b"),
            ([link("a", BOX), link("a", BOX)], "line 4: <link> a: there is another one"),
            ([link("", BOX)], "line 3: <link>: it has no name"),
            ([link("a")], "no link has geometry"),
            ([link("a", BOX), joint("j", "fixed", "a", "c")], "<joint> j: <child>: there is no"),
            ([link("a", BOX), other, joint("j", "screw", "a", "b")], "<joint> j: type='screw'"),
            ([link("c", BOX), link("a", BOX), other, joint("j", "fixed", "a", "b"),
              joint("k", "fixed", "b", "a")], "joints join it to itself"),
            ([link("a", BOX), other, joint("j", "fixed", "a", "b"),
              joint("k", "fixed", "a", "b")], "another joint has the child b"),
            (["<xacro:macro/>"], "line 3: <xacro:macro>: expand it with xacro first"),
            (["<link>"], "damaged"),
        ]  # fmt: skip
        for content, text in whole:
            path = urdf(where, *content)
            what = str(raises(impinge.InputError, read, path))
            assert what.startswith(f"{path}: ") and text in what and "\n" not in what, what
        path = urdf(where, link("a", BOX), other, joint("j", "floating", "a", "b"))
        assert "has no joint 'x'" in str(raises(impinge.ArgumentError, read, path, x=1))
        assert "j is floating" in str(raises(impinge.ArgumentError, read, path, j=1))
        with open(path, "w") as file:
            file.write("<Xdmf/>")
        assert "its root is not <robot>" in str(raises(impinge.InputError, read, path))
        what = raises(impinge.InputError, read, f"{where}/not there.urdf")
        assert str(what) == f"{where}/not there.urdf: No such file or directory"


# ---- files


def command(*words):
    return subprocess.run([COMMAND, *words], capture_output=True, text=True)


def test_convert():
    """By function and command; the same bytes; options of meshes are refused."""
    with folder() as where:
        path = urdf(where, link("a", BOX, "<sensor/>"))
        said = command("convert", path, "-o", f"{where}/one.vtkhdf")
        assert said.returncode == 0 and said.stdout.endswith("one.vtkhdf: 1 rigid bodies\n"), said
        assert "left out" in said.stderr and "<sensor>" in said.stderr
        time.sleep(1.1)
        with contextlib.redirect_stderr(io.StringIO()):
            assert impinge.convert(path, f"{where}/two.vtkhdf", quiet=True) == ""
        bytes_of = [open(f"{where}/{name}.vtkhdf", "rb").read() for name in ("one", "two")]
        assert hashlib.sha256(bytes_of[0]).digest() == hashlib.sha256(bytes_of[1]).digest()
        said = command("convert", path, "-o", f"{where}/one.vtkhdf")
        assert said.returncode == 2 and "exists already" in said.stderr, said
        words = [("--groups",), ("--weld", "0"), ("--dt", "1"), ("--as", "objects"), ("--float32",)]
        for option in (*words, (f"{where}/other.stl",)):
            said = command("convert", path, "-o", f"{where}/no.vtkhdf", *option)
            assert said.returncode == 2 and "rigid bodies" in said.stderr, (option, said)
        assert sorted(os.listdir(where)) == ["one.vtkhdf", "robot.urdf", "two.vtkhdf"]
        with open(path, "w") as file:
            file.write("<robot><link/></robot>")
        said = command("convert", path, "-o", f"{where}/no.vtkhdf")
        assert said.returncode == 3 and f"{path}: line 1: <link>: it has no name" in said.stderr


def test_joints_of_command():
    with folder() as where:
        turning = joint("elbow", "revolute", "a", "b", '<axis xyz="0 0 1"/>' + origin((1, 0, 0)))
        sliding = joint("slide = x", "prismatic", "b", "c", origin((1, 0, 0)))
        path = urdf(where, *(link(name, BOX, inertial(1, (1, 1, 1))) for name in "abc"), turning,
                    sliding)  # fmt: skip
        words = ("convert", path, "-o", f"{where}/a.vtkhdf", "--force", "--joints")
        said = command(*words, f"elbow={np.pi / 2!r},slide = x=0.5")
        assert said.returncode == 0, said.stderr
        with impinge.open(f"{where}/a.vtkhdf") as batch:
            centre = batch.bodies(0).centre
        assert np.allclose(centre, [[0, 0, 0], [1, 0, 0], [1, 1.5, 0]], 0, 1e-15)
        for wrong in ("elbow", "elbow=x", "knee=1", "elbow=1,"):
            said = command(*words, wrong)
            assert said.returncode == 2 and "joint" in said.stderr, (wrong, said)
        stl(f"{where}/a.stl", *box(1, 1, 1))
        what = raises(impinge.ArgumentError, impinge.convert, f"{where}/a.stl", "b", joints={})
        assert "joints are of URDF files" in str(what)
        said = command("convert", f"{where}/a.stl", "-o", f"{where}/b.vtkhdf", "--joints", "a=1")
        assert said.returncode == 2 and "joints are of URDF files" in said.stderr, said.stderr
    assert "--joints NAME=VALUE" in command("convert", "--help").stdout


# ---- a gripper whose fingers are held open, five bodies that fall through it, and a plate

MESHES = {
    "brick": (box(0.2, 0.12, 0.08), stl), "rod": (box(0.06, 0.06, 0.3), obj),
    "iron": (angle_iron(0.2), stl), "ball": (ball(0.08), obj), "die": (box(0.12, 0.12, 0.12), stl),
}  # fmt: skip
STEPS, STEP = 200, 0.01


def solid(name, shape, *more, mass=0.5):
    collision = f"<collision><geometry>{shape}</geometry></collision>"
    return link(name, collision, inertial(mass, (1e-3, 1e-3, 1e-3)), *more)


def gripper(where):
    tip = f"<collision>{origin((0, 0, -0.2))}<geometry>"
    tip += '<cylinder radius="0.03" length="0.1"/></geometry></collision>'
    finger = '<box size="0.05 0.1 0.4"/>'
    parts = [
        link("world"),
        solid("plate", '<box size="9 9 0.1"/>'), solid("palm", '<box size=".2 .2 .1"/>'),
        solid("left", finger, tip), solid("right", finger, tip),
        joint("floor", "fixed", "world", "plate", origin((0, 0, -0.05))),
        joint("stand", "fixed", "world", "palm", origin((0, 0.6, 0.8))),
        joint("open left", "prismatic", "palm", "left", origin((0, -0.6, 0))),
        joint("open right", "prismatic", "palm", "right", origin((0, -0.6, 0), (0, 0, np.pi))),
    ]  # fmt: skip
    for k, (name, (mesh, save)) in enumerate(MESHES.items()):
        save(f"{where}/{name}.{save.__name__}", *mesh)
        parts.append(solid(name, f'<mesh filename="{name}.{save.__name__}"/>'))
        place = origin((0.04 * (-1) ** k, 0.03 * k, 1.2 + 0.3 * k), (0.3 * k, 0.2, 0))
        parts.append(joint(f"free {name}", "floating", "world", name, place))
    return urdf(where, *parts)


def test_gripper():
    with folder() as where:
        if not can_simulate(where):
            print("    skipped: built without ODE")
            return
        path = gripper(where)
        bodies, said = read(path, **{"open left": 0.16, "open right": 0.16})
        assert "a joint that is not simulated" in said and "; 2 such in this file" in said, said
        assert list(bodies) == ["plate", "palm", "left", "right", *MESHES]
        assert np.allclose(bodies["left"].centre, [0.16, 0, 0.8], 0, 1e-12)
        assert np.allclose(bodies["right"].centre, [-0.16, 0, 0.8], 0, 1e-12)
        bodies["left"].fixed = bodies["right"].fixed = True  # held by what moves them
        out = f"{where}/out.vtkhdf"
        with impinge.pcs(bodies.values(), out, frames=STEPS, step=STEP) as result:
            assert list(result.names.values()) == list(bodies) and len(result) == STEPS
            found = list(result)
        impinge.check(out, f"{out[:-7]}.batch.vtkhdf", frames="::5")
        with impinge.open(f"{out[:-7]}.batch.vtkhdf") as batch:
            states = [batch.bodies(k) for k in range(len(batch))]
            fallen = np.unique(batch[0].triangles[batch[0].objects >= 4])
            assert min(frame.points[fallen, 2].min() for frame in batch) > -0.005
        check_gripper(found, states, list(bodies))


def check_gripper(found, states, names):
    met = set()
    for k, contacts in enumerate(found):
        at = contacts.time
        assert (np.diff(at) >= 0).all(), k
        assert (at > (k - 1e-6) * STEP).all() and (at < (k + 1 + 1e-6) * STEP).all(), (k, at)
        met |= {(names[a], names[b]) for a, b in zip(contacts.object_a, contacts.object_b)}
    for name in MESHES:  # one may come to rest on others
        assert any(name in pair for pair in met), (name, met)
    assert sum(("plate", name) in met for name in MESHES) >= 3, met
    assert any(a in ("left", "right") for a, _ in met), met
    assert not met & {("plate", "palm"), ("palm", "left"), ("palm", "right"), ("left", "right")}
    for state in states:
        assert np.array_equal(state.centre[:4], states[0].centre[:4])
        assert (state.centre[4:, 2] > 0.02).all(), state.centre  # the rod's half is 0.03
    assert (states[-1].centre[4:, 2] < 0.5).all(), states[-1].centre[4:]


def test_pcs_of_file():
    """impinge.pcs of a path is that of its bodies; messages name the file."""
    with folder() as where:
        falls = joint("free", "floating", "world", "a", origin((0, 0, 3)))
        path = urdf(where, link("world"), link("a", BOX), falls)
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            if not can_simulate(where):
                print("    skipped: built without ODE")
                return
            with impinge.pcs(path, f"{where}/out.vtkhdf", frames=5, gravity=(0, 0, -1)) as result:
                assert len(result) == 5 and result.names == {0: "a"}
        assert "a link without mass that can move" in said.getvalue()
        with impinge.open(f"{where}/out.batch.vtkhdf") as batch:
            assert np.allclose(batch.bodies(5).velocity[0], [0, 0, -0.05], 0, 1e-12)
        obj(f"{where}/open.obj", box(1, 1, 1)[0], box(1, 1, 1)[1][:6])
        mesh = '<collision><geometry><mesh filename="open.obj"/></geometry></collision>'
        path = urdf(where, link("world"), link("a", mesh), falls)
        with contextlib.redirect_stderr(io.StringIO()):
            what = raises(impinge.InputError, impinge.pcs, path, f"{where}/no.vtkhdf")
        assert f"{path}: body 0: its surface is not closed" in str(what), what


def can_simulate(where):
    words = [str(PROGRAM), "pcs", "cradle", "-o", f"{where}/can.vtkhdf", "--frames", "1", "-q"]
    return subprocess.run(words, capture_output=True).returncode == 0


main(globals())
