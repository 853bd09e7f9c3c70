"""glTF: what moves nodes and vertices, by arithmetic of its own, and what is damaged."""

import base64
import json
import sys

import impinge
import numpy as np
from common import folder, main, raises
from sample import put

try:
    import h5py  # noqa: F401
except ImportError as what:
    print(f"skipped: {what}")
    sys.exit(0)

from impinge.importers import notes  # noqa: E402
from impinge.importers.gltf import CURVED  # noqa: E402
from impinge.importers.mesh import join  # noqa: E402
from impinge.importers.readers import open_file  # noqa: E402

POINTS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "<f4")
TYPES = {"<f4": 5126, "<u2": 5123, "<u1": 5121, "<u4": 5125, "<i2": 5122, "<i1": 5120}
KINDS = {1: "SCALAR", 3: "VEC3", 4: "VEC4", 16: "MAT4"}


class Tree:
    """A file that is being made. `accessors`: add returns their numbers."""

    def __init__(self):
        self.data = b""
        self.tree = {
            "asset": {"version": "2.0"},
            "nodes": [],
            "meshes": [],
            "accessors": [],
            "bufferViews": [],
            "scenes": [{"nodes": []}],
            "animations": [],
        }

    def view(self, array, **more):
        self.data += bytes(-len(self.data) % 4)
        view = {"buffer": 0, "byteOffset": len(self.data), "byteLength": array.nbytes, **more}
        self.tree["bufferViews"].append(view)
        self.data += array.tobytes()
        return len(self.tree["bufferViews"]) - 1

    def add(self, values, kind="<f4", **more):
        array = np.asarray(values, kind)
        rows = array.reshape(len(array), -1)
        made = {
            "bufferView": self.view(array),
            "componentType": TYPES[kind],
            "count": len(rows),
            "type": KINDS[rows.shape[1]],
            **more,
        }
        self.tree["accessors"].append(made)
        return len(self.tree["accessors"]) - 1

    def mesh(self, triangles=((0, 1, 2),), points=POINTS, **more):
        primitive = {"attributes": {"POSITION": self.add(points)}}
        if triangles is not None:
            primitive["indices"] = self.add(np.ravel(triangles), "<u2")
        primitive.update(more)
        self.tree["meshes"].append({"primitives": [primitive]})
        return len(self.tree["meshes"]) - 1

    def node(self, root=True, **more):
        self.tree["nodes"].append(more)
        number = len(self.tree["nodes"]) - 1
        if root:
            self.tree["scenes"][0]["nodes"].append(number)
        return number

    def animate(self, node, path, times, values, interpolation="LINEAR", title=None):
        sampler = {
            "input": self.add(times),
            "output": self.add(values),
            "interpolation": interpolation,
        }
        channel = {"sampler": 0, "target": {"node": node, "path": path}}
        made = {"channels": [channel], "samplers": [sampler]}
        self.tree["animations"].append(made if title is None else {**made, "name": title})

    def write(self, path):
        uri = "data:application/octet-stream;base64," + base64.b64encode(self.data).decode()
        buffers = [{"byteLength": len(self.data), "uri": uri}]
        kept = {key: value for key, value in self.tree.items() if value != []}
        return put(path, json.dumps({**kept, "buffers": buffers}))


def frames(path):
    """Times, and of each frame the points of its cells by name of object."""
    notes.forget()
    source = open_file(path, False)
    made = []
    for k in range(len(source.times or [0])):
        mesh = join(path, source.read(k), True)
        cells = np.split(mesh.corners, mesh.ends[:-1]) if len(mesh.types) else []
        by: dict = {}
        for cell, of in zip(cells, mesh.objects):
            by.setdefault(mesh.names[of], []).append(mesh.points[cell])
        made.append(by)
    return source.times, made


def turn(axis, degrees):
    """A matrix, by Euler and Rodrigues, and the quaternion."""
    axis = np.array(axis, float) / np.linalg.norm(axis)
    angle = np.radians(degrees)
    k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    matrix = np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k
    return matrix, [*(np.sin(angle / 2) * axis), np.cos(angle / 2)]


def near(found, want, tolerance=1e-6):
    assert np.shape(found) == np.shape(want) and np.allclose(found, want, 0, tolerance), (
        found,
        want,
    )


def test_hierarchy():
    """Parents, matrices, scales and rotations; one scene; nodes of one name are two objects."""
    with folder() as where:
        tree = Tree()
        mesh = tree.mesh()
        first, quaternion = turn([1, 2, 3], 40)
        child = tree.node(False, name="c", mesh=mesh, rotation=quaternion, scale=[1, 2, 3])
        matrix = np.eye(4)
        matrix[:3, :3], matrix[:3, 3] = turn([0, 0, 1], 90)[0] * 2, [5, 6, 7]
        tree.node(name="p", matrix=matrix.T.ravel().tolist(), children=[child])
        tree.node(name="q", mesh=mesh)
        tree.node(name="q", mesh=mesh, translation=[0, 0, 9])
        tree.tree["scenes"].append(
            {"nodes": [2, tree.node(False, mesh=mesh, translation=[1, 0, 0])]}
        )
        tree.node(False, mesh=mesh)
        tree.mesh()
        times, (found,) = frames(tree.write(f"{where}/a.gltf"))
        assert times is None and list(found) == ["p/c", "q", "q (2)"], found.keys()
        want = (matrix[:3, :3] @ (first @ (POINTS[:3] * [1, 2, 3]).T)).T + [5, 6, 7]
        near(found["p/c"][0], want, 1e-12)
        near(found["q (2)"][0], POINTS[:3] + [0, 0, 9])
        counted = {"node in no scene": 1, "mesh of no node": 1}
        assert notes.counts() == {"node of another scene": 1, **counted}
        tree.tree["scene"] = 1
        _, (found,) = frames(tree.write(f"{where}/a.gltf"))
        assert list(found) == ["q", "node 4"], found.keys()
        assert notes.counts() == {"node of another scene": 2, **counted}
        for scene in (2, -1):
            tree.tree["scene"] = scene
            what = raises(impinge.InputError, frames, tree.write(f"{where}/a.gltf"))
            assert f"there is no scene {scene}; the file has 2" in str(what), what
        tree.tree["scenes"], tree.tree["scene"] = [{}, {"nodes": []}], 0
        _, (found,) = frames(tree.write(f"{where}/a.gltf"))
        assert not found and notes.counts()["node in no scene"] == 5
        del tree.tree["scene"]
        tree.tree["scenes"] = []
        _, (found,) = frames(tree.write(f"{where}/a.gltf"))
        assert list(found) == ["p/c", "q", "q (2)", "node 4", "node 5"], found.keys()


def test_animation():
    """Frames at all keys; each kind of interpolation; what is not moved stands still."""
    with folder() as where:
        tree = Tree()
        mesh = tree.mesh()
        a, b, c, d = (tree.node(name=name, mesh=mesh) for name in "abcd")
        tree.animate(a, "translation", [0, 2], [[0, 0, 0], [4, 0, 8]])
        tree.animate(b, "scale", [0.5, 1], [[1, 1, 1], [2, 3, 4]], "STEP")
        spline = [[0, 0, 0], [0, 0, 0], [1, 0, 0], [0, 2, 0], [8, 0, 0], [0, 0, 0]]
        tree.animate(c, "translation", [0, 2], spline, "CUBICSPLINE")
        one, last = turn([0, 0, 1], 0)[1], turn([0, 0, 1], 90)[1]
        tree.animate(d, "rotation", [1, 3], [one, [-x for x in last]])  # the shorter way
        times, made = frames(tree.write(f"{where}/a.gltf"))
        assert times == [0, 0.5, 1, 2, 3]
        for k, time in enumerate(times):
            at = min(time, 2) / 2
            near(made[k]["a"][0], POINTS[:3] + [4 * at, 0, 8 * at])
            near(made[k]["b"][0], POINTS[:3] * ([2, 3, 4] if time >= 1 else [1, 1, 1]))
            s = at
            h = (s**3 - 2 * s**2 + s, -2 * s**3 + 3 * s**2, s**3 - s**2)
            move = np.array([1, 0, 0]) * 2 * h[0] + np.array([8, 0, 0]) * h[1]
            move = move + np.array([0, 2, 0]) * 2 * h[2]
            near(made[k]["c"][0], POINTS[:3] + move)
            degrees = min(max((time - 1) / 2, 0), 1) * 90
            near(made[k]["d"][0], POINTS[:3] @ turn([0, 0, 1], degrees)[0].T)
        assert notes.counts() == {CURVED: 3}, notes.counts()


def test_curved():
    """Channels that leave the line from frame to frame are counted, those that stand still not."""
    still, moved, there = [[0, 0, 0]] * 2, [[0, 0, 0], [1, 0, 0]], [[1, 0, 0]] * 2
    one, last = turn([0, 0, 1], 0)[1], turn([0, 0, 1], 90)[1]
    cubic = [[5, 5, 5], [1, 0, 0], [0, 0, 0], [0, 0, 0], [1, 0, 0], [5, 5, 5]]  # outer tangents
    bent = [*cubic[:2], [0, 1, 0], *cubic[3:]]
    cases = (
        ("translation", moved, "LINEAR", 0),
        ("translation", still, "STEP", 0),
        ("translation", moved, "STEP", 1),
        ("translation", cubic, "CUBICSPLINE", 0),
        ("translation", bent, "CUBICSPLINE", 1),
        ("scale", there, "LINEAR", 0),
        ("rotation", [one, one], "LINEAR", 0),
        ("rotation", [one, last], "LINEAR", 1),
    )
    with folder() as where:
        for path, values, interpolation, count in cases:
            tree = Tree()
            tree.animate(tree.node(mesh=tree.mesh()), path, [0, 1], values, interpolation)
            frames(tree.write(f"{where}/a.gltf"))
            want = {CURVED: count} if count else {}
            assert notes.counts() == want, (path, interpolation, notes.counts())
        tree = Tree()
        tree.animate(tree.node(mesh=tree.mesh()), "translation", [0], moved[1:], "STEP")
        frames(tree.write(f"{where}/a.gltf"))
        assert not notes.counts(), notes.counts()


def test_targets_and_skins():
    """Vertices that are moved by weights, of targets and of joints."""
    with folder() as where:
        tree = Tree()
        shift = np.array([[0, 0, 1]] * 4, float)
        targets = [{"POSITION": tree.add(shift)}, {"NORMAL": 0}]
        mesh = tree.mesh(targets=targets)
        tree.tree["meshes"][mesh]["weights"] = [0.5, 1]
        node = tree.node(name="m", mesh=mesh)
        tree.animate(node, "weights", [0, 1], [[0.5], [0], [2.0], [0]])
        times, made = frames(tree.write(f"{where}/a.gltf"))
        assert times == [0, 1]
        near(made[0]["m"][0], POINTS[:3] + [0, 0, 0.5])
        near(made[1]["m"][0], POINTS[:3] + [0, 0, 2])
        tree = Tree()
        joints = tree.add([[0, 1, 0, 0]] * 4, "<u1")
        weights = tree.add([[1, 0, 0, 0], [0.5, 0.5, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0]])
        primitive = {"JOINTS_0": joints, "WEIGHTS_0": weights}
        mesh = tree.mesh()
        tree.tree["meshes"][mesh]["primitives"][0]["attributes"].update(primitive)
        inverse = np.eye(4)
        inverse[:3, 3] = [0, 0, -1]
        tree.tree["skins"] = [
            {
                "joints": [0, 1],
                "inverseBindMatrices": tree.add([np.eye(4).ravel(), inverse.T.ravel()]),
            }
        ]
        tree.node(name="root", children=[1])
        tree.node(False, name="arm", translation=[0, 0, 1])
        tree.node(name="body", mesh=mesh, skin=0, translation=[100, 0, 0])  # which is not heeded
        tree.animate(1, "translation", [0, 1], [[0, 0, 1], [0, 4, 1]])
        times, made = frames(tree.write(f"{where}/b.gltf"))
        near(made[0]["body"][0], POINTS[:3])
        near(made[1]["body"][0], POINTS[:3] + np.array([[0, 0, 0], [0, 2, 0], [0, 4, 0]]))


def test_accessors():
    """Strips, fans, no indices, sparse and interleaved rows, numbers of each kind."""
    with folder() as where:
        tree = Tree()
        tree.node(name="strip", mesh=tree.mesh([[0, 1, 2, 3]], mode=5))
        tree.node(name="fan", mesh=tree.mesh([[0, 1, 2, 3]], mode=6))
        tree.node(name="plain", mesh=tree.mesh(None, POINTS[:3]))
        tree.node(name="lines", mesh=tree.mesh([[0, 1, 2, 3]], mode=1))
        mesh = tree.mesh()
        sparse = {
            "count": 1,
            "indices": {"bufferView": tree.view(np.array([2], "<u2")), "componentType": 5123},
            "values": {"bufferView": tree.view(np.array([[7, 8, 9]], "<f4"))},
        }
        at = tree.tree["meshes"][mesh]["primitives"][0]["attributes"]["POSITION"]
        tree.tree["accessors"][at]["sparse"] = sparse
        tree.node(name="sparse", mesh=mesh)
        mesh = tree.mesh()
        rows = np.zeros((4, 6), "<f4")
        rows[:, 1:4] = POINTS
        view = tree.view(rows, byteStride=24)
        at = tree.tree["meshes"][mesh]["primitives"][0]["attributes"]["POSITION"]
        tree.tree["accessors"][at].update({"bufferView": view, "byteOffset": 4})
        tree.node(name="interleaved", mesh=mesh)
        mesh = tree.mesh()
        whole = tree.add(
            np.array([[0, 0, 0], [127, -128, 0], [0, 64, 0], [0, 0, 1]]), "<i1", normalized=True
        )
        tree.tree["meshes"][mesh]["primitives"][0]["attributes"]["POSITION"] = whole
        tree.node(name="small", mesh=mesh)
        tree.tree["extensionsUsed"] = tree.tree["extensionsRequired"] = ["KHR_mesh_quantization"]
        _, (found,) = frames(tree.write(f"{where}/a.gltf"))
        p = POINTS
        near(found["strip"], [p[[0, 1, 2]], p[[2, 1, 3]]])
        near(found["fan"], [p[[0, 1, 2]], p[[0, 2, 3]]])
        near(found["plain"], [p[:3]])
        assert "lines" not in found
        near(found["sparse"], [[p[0], p[1], [7, 8, 9]]])
        near(found["interleaved"], [p[:3]])
        near(found["small"], [[[0, 0, 0], [1, -1, 0], [0, 64 / 127, 0]]])


def test_stitches():
    """Repeated corners, which join strips, are no triangles; the others keep their numbers."""
    with folder() as where:
        tree = Tree()
        points = np.concatenate([POINTS, POINTS + 10])
        tree.node(mesh=tree.mesh([[0, 1, 2, 2, 4, 4, 5, 6]], points, mode=5))
        path = tree.write(f"{where}/a.gltf")
        mesh = join(path, open_file(path, False).read(0))
        assert mesh.corners.tolist() == [0, 1, 2, 5, 4, 6] and mesh.ids.tolist() == [0, 5], mesh


def test_shared():
    """Primitives with the same points share them; other nodes do not."""
    with folder() as where:
        tree = Tree()
        mesh = tree.mesh()
        first = tree.tree["meshes"][mesh]["primitives"][0]
        more = dict(first, indices=tree.add([1, 3, 2], "<u4"))
        tree.tree["meshes"][mesh]["primitives"].append(more)
        tree.node(mesh=mesh)
        path = tree.write(f"{where}/a.gltf")
        mesh = join(path, open_file(path, False).read(0))
        assert len(mesh.points) == 4 and mesh.corners.tolist() == [0, 1, 2, 1, 3, 2]
        assert mesh.points.dtype == np.float32 and mesh.names == [""]
        tree.node(mesh=0)
        path = tree.write(f"{where}/a.gltf")
        assert len(join(path, open_file(path, False).read(0)).points) == 8
        # numbers of many nodes times many accessors are beyond 64 bits
        tree.tree["nodes"] += [{}] * 70000
        tree.tree["accessors"] += tree.tree["accessors"][:1] * 40000
        tree.node(mesh=0)
        path = tree.write(f"{where}/a.gltf")
        assert len(join(path, open_file(path, False).read(0)).points) == 12


def wrong(change, where):
    tree = Tree()
    tree.node(name="n", mesh=tree.mesh())
    tree.animate(0, "translation", [0, 1], [[0, 0, 0], [1, 0, 0]], title="walk")
    change(tree.tree)
    path = tree.write(f"{where}/a.gltf")
    what = raises(impinge.InputError, frames, path)
    assert str(what).startswith(f"{path}: ") and "\n" not in str(what), what
    return str(what)


def test_damaged():
    """Errors, whatever is in a file."""

    def channel(tree, **more):
        tree["animations"][0]["channels"][0].update(more)

    def two(tree):
        tree["animations"].append(dict(tree["animations"][0], name="run"))

    cases = (
        (two, "walk and run both move node 0"),
        (lambda t: t["asset"].update(version="1.0"), "version 1.0"),
        (lambda t: t["nodes"][0].update(children=[0]), "node 0 is below itself"),
        (lambda t: t["nodes"][0].update(mesh=7), ""),
        (lambda t: t["nodes"][0].update(matrix=[1.0] * 16), "has a matrix"),
        (lambda t: t["accessors"][0].update(count=99), "bufferView 0"),
        (lambda t: t["accessors"][1].update(componentType=1), "accessor 1"),
        (lambda t: t["bufferViews"][0].update(byteLength=10**6), "after its buffer"),
        (lambda t: t["bufferViews"][0].update(byteOffset=-4), "after its buffer"),
        (lambda t: t["bufferViews"][0].update(buffer=5), ""),
        (lambda t: t["meshes"][0]["primitives"][0].update(mode=9), "mode 9"),
        (lambda t: t["meshes"][0]["primitives"][0].update(attributes={}), "without POSITION"),
        (lambda t: t["animations"][0]["samplers"][0].update(interpolation="NONE"), "NONE"),
        (lambda t: channel(t, target={"node": 0, "path": "pointer"}), "pointer"),
        (lambda t: channel(t, target={"node": 5, "path": "scale"}), "no node 5"),
        (lambda t: t["nodes"][0].update(scale="x"), ""),
        (lambda t: t.update(nodes=5), ""),
    )
    with folder() as where:
        for change, want in cases:
            said = wrong(change, where)
            assert want in said, (want, said)
        path = put(
            f"{where}/b.gltf",
            json.dumps(
                {
                    "asset": {"version": "2.0"},
                    "buffers": [{"uri": "none.bin", "byteLength": 4}],
                    "nodes": [{"mesh": 0}],
                    "bufferViews": [{"buffer": 0, "byteLength": 4}],
                    "accessors": [
                        {"bufferView": 0, "componentType": 5126, "count": 1, "type": "VEC3"}
                    ],
                    "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
                }
            ),
        )
        what = str(raises(impinge.InputError, frames, path))
        assert "none.bin" in what, what


def test_mutations():
    """Any byte may be another: it is read, or it is an error."""
    random = np.random.default_rng(8)
    with folder() as where:
        tree = Tree()
        tree.node(name="n", mesh=tree.mesh())
        tree.animate(0, "translation", [0, 1], [[0, 0, 0], [1, 0, 0]])
        path = tree.write(f"{where}/a.gltf")
        with open(path, "rb") as stream:
            whole = np.frombuffer(stream.read(), np.uint8)
        likely, refused = np.frombuffer(b'0123456789-.,:[]{}"an', np.uint8), 0
        for _ in range(400):
            data = whole.copy()
            at = random.integers(0, len(data), random.integers(1, 4))
            data[at] = random.choice(likely, len(at))
            put(path, data.tobytes())
            try:
                frames(path)
            except impinge.InputError as what:
                assert str(what).startswith(path), what
                refused += 1
        assert 100 < refused < 400, refused


main(globals())
