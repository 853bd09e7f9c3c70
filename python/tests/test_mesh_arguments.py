"""Meshes of other packages, and several by name, in place of points and triangles."""

import sys
import warnings
from types import SimpleNamespace

import impinge
import numpy as np
from common import folder, generate, main, raises, same, soup

try:
    import fcl  # noqa: F401
    import meshio
    import pyvista
    import trimesh
except ImportError as what:
    print(f"skipped: {what}")
    sys.exit(0)

from closed_meshes import surface_of
from impinge._meshes import mesh_of

POINTS, FACES = soup(150, 0.25)
OBJECTS = np.arange(150) % 3


def box(*centre, size=(1, 1, 1)):
    return trimesh.creation.box(size).apply_translation(centre)


def sphere(radius, *centre):
    return trimesh.creation.icosphere(2, radius).apply_translation(centre)


def robot():
    """Five parts, of which the neighbours overlap."""
    return {
        "base": box(0, 0, 0, size=(2, 2, 0.5)),
        "post": box(0, 0, 1, size=(0.3, 0.3, 1.7)),
        "arm": box(0.8, 0.05, 1.7, size=(2, 0.2, 0.2)),
        "hand": sphere(0.3, 1.9, 0, 1.6),
        "lamp": sphere(0.5, 1.95, 0.1, 1.1),
    }


def grid_of(points, cells):
    """A grid of PyVista of cells of VTK's types, in this order."""
    rows = np.concatenate([[len(cell), *cell] for _, cell in cells])
    return pyvista.UnstructuredGrid(rows, [kind for kind, _ in cells], points)


# ---- one mesh


def meshes():
    """The same triangles as every package has them."""
    faces = np.insert(FACES, 0, 3, axis=1).ravel()
    yield (POINTS, FACES)
    yield (POINTS.tolist(), FACES.tolist())
    yield trimesh.Trimesh(POINTS, FACES, process=False)
    yield pyvista.PolyData(POINTS, faces)
    yield grid_of(POINTS, [(5, row) for row in FACES])
    yield meshio.Mesh(POINTS, [("triangle", FACES[:70]), ("triangle", FACES[70:])])
    yield SimpleNamespace(vertices=POINTS, faces=FACES)
    yield SimpleNamespace(points=POINTS, triangles=FACES, objects=None, corner_count=None)


def test_one():
    """The bits are those of its arrays, in every function."""
    expected = impinge.contacts(POINTS, FACES, OBJECTS)
    assert len(expected) > 20
    moved = POINTS + 0.1 * np.sin(9 * POINTS)
    with impinge.Pipeline() as frames, impinge.Pipeline(continuous=True) as steps:
        for mesh in meshes():
            same(impinge.contacts(mesh, objects=OBJECTS), expected)
            same(frames.contacts(mesh, objects=OBJECTS), expected)
            assert impinge.touches(mesh) is frames.touches(mesh) is True
            same(impinge.near(mesh, distance=0.01), impinge.near(POINTS, FACES, distance=0.01))
            least = impinge.clearance(POINTS, FACES, OBJECTS)
            same(impinge.clearance(mesh, objects=OBJECTS), least)
            curves = impinge.contours(mesh, objects=OBJECTS)
            assert curves.points.tobytes() == impinge.contours(POINTS, FACES, OBJECTS).points.tobytes()
            parts = impinge.regions(mesh, objects=OBJECTS)
            assert parts.area.tobytes() == impinge.regions(POINTS, FACES, OBJECTS).area.tobytes()
            assert parts.to_pyvista(mesh).n_cells == len(FACES)
            ends = impinge.contacts(mesh, objects=OBJECTS, end_features=True)
            assert (ends.end_names(mesh) == ends.end_names(FACES)).all()
            assert ends.contours(mesh, objects=OBJECTS).points.tobytes() == curves.points.tobytes()
            between = impinge.between(POINTS, moved, FACES, OBJECTS)
            other = (moved, FACES)
            same(impinge.between(mesh, other, objects=OBJECTS), between)
            same(steps.between(mesh, other, objects=OBJECTS), between)
    assert len(between) > 20


def test_closed():
    """Queries follow the mesh; solids are asked by name."""
    cube = box(0, 0, 0)
    queries = np.array([[0, 0, 0], [0.5, 0, 0], [2, 0, 0]])
    for found in (impinge.inside(cube, queries), impinge.inside(cube, queries=queries),
                  impinge.winding(cube, queries).inside, impinge.Solids(cube).inside(queries),
                  impinge.inside(cube.vertices, cube.faces, queries)):  # fmt: skip
        assert found.tolist() == [True, False, False]
    assert impinge.depth(cube, queries).depth.tolist() == [0.5, 0, 0]
    both = {"big": cube, "small": box(0.1, 0, 0, size=(0.5, 0.5, 0.5))}
    assert impinge.inside(both, queries, closed="small").tolist() == [True, False, False]
    with impinge.Solids(both, closed=["big"]) as solids:
        assert solids.inside(queries, "big").tolist() == [True, False, False]
    found = impinge.inside(both, closed=["big"])
    assert len(found) == 8 and set(found.object_a) == {1} and found[0].name_b == "big"
    with impinge.Pipeline(inside=["big"], pairs="between") as pipeline:
        same(pipeline.contacts(both), found)
    what = raises(impinge.ArgumentError, impinge.inside, both, queries, closed=["bigg"])
    assert str(what) == "closed: there is no object 'bigg'; there is big", what
    raises(TypeError, impinge.depth, cube)


def test_cells():
    """Rows are cells, in the order in which a grid, or a file, has them."""
    cells = [(10, (0, 1, 2, 3)), (5, (4, 5, 6)), (10, (7, 8, 9, 10)), (5, (11, 12, 13))]
    rows = np.array([[0, 1, 2, 3], [4, 5, 6, 0], [7, 8, 9, 10], [11, 12, 13, 0]])
    names = {5: "triangle", 10: "tetra"}
    expected = impinge.contacts(POINTS, rows, corner_count=[4, 3, 4, 3])
    assert expected.depth is not None
    for mesh in (grid_of(POINTS, cells), meshio.Mesh(POINTS, [(names[k], [c]) for k, c in cells])):
        found = mesh_of(mesh)
        assert found.corner_count.tolist() == [4, 3, 4, 3] and (found.triangles == rows).all()
        same(impinge.contacts(mesh), expected)
    assert mesh_of(grid_of(POINTS, cells[::2])).corner_count is None
    assert mesh_of(pyvista.PolyData()).triangles.shape == (0, 3)
    assert mesh_of(pyvista.UnstructuredGrid()).triangles.shape == (0, 3)


def test_frame_of_batch():
    """A frame that `open` gives, with its objects; names are those of the batch."""
    with folder() as where:
        with impinge.open(generate(f"{where}/b", "cloth-ball", "-n", "1500", "--frames", "12")) as batch:
            frame, names = batch[11], batch.names
    found = impinge.contacts(frame, names=names, pairs="between")
    same(found, impinge.contacts(frame.points, frame.triangles, frame.objects, pairs="between"))
    assert len(found) > 0 and found.names == names and len(names) == 2


# ---- several


def by_hand(parts):
    """Points, triangles and objects."""
    firsts = np.cumsum([0, *(len(mesh.vertices) for mesh in parts.values())])
    triangles = [mesh.faces + first for mesh, first in zip(parts.values(), firsts)]
    objects = np.repeat(np.arange(len(parts)), list(map(len, triangles)))
    return np.concatenate([m.vertices for m in parts.values()]), np.concatenate(triangles), objects


def test_several():
    """Each is an object, numbered in order; rows in its own mesh are told."""
    parts = robot()
    points, triangles, objects = by_hand(parts)
    found = impinge.contacts(parts)
    same(found, impinge.contacts(points, triangles, objects))
    assert found.names == dict(enumerate(parts)) and len(found) > 50
    assert (found.object_a == objects[found.a]).all() and found.object_a.dtype == np.int32
    assert found.local_a.dtype == np.int64
    meshes = list(parts.values())
    for row in found:
        for at, number, local in ((row.a, row.object_a, row.local_a), (row.b, row.object_b, row.local_b)):
            mesh = meshes[number]
            assert (mesh.vertices[mesh.faces[local]] == points[triangles[at]]).all()
    assert impinge.contacts(points, triangles, objects).local_a is None
    same(impinge.near(parts, distance=0.2, pairs="between"),
         impinge.near(points, triangles, objects, distance=0.2, pairs="between"))  # fmt: skip
    same(impinge.clearance(parts), impinge.clearance(points, triangles, objects))


def test_five_lines():
    """The scene of five named parts, of which neighbours may touch."""
    parts = robot()
    found = impinge.contacts(parts, pairs="between", allowed=[("base", "post"), ("arm", "post"), ("hand", "arm")])
    for pair in found.by_objects():
        print(f"    {pair.name_a} - {pair.name_b}: {pair.contacts}")
    assert {(p.name_a, p.name_b) for p in found.by_objects()} == {("hand", "lamp")}
    with_all = impinge.contacts(parts, pairs="between").by_objects()
    assert {(p.name_a, p.name_b) for p in with_all} == touching(parts) and len(with_all) == 4


def touching(parts, allowed=()):
    """The pairs of names that FCL finds in contact, in order of `parts`."""
    manager = trimesh.collision.CollisionManager()
    for name, mesh in parts.items():
        manager.add_object(name, mesh)
    order = list(parts)
    pairs = {tuple(sorted(pair, key=order.index)) for pair in manager.in_collision_internal(return_names=True)[1]}
    return pairs - set(allowed)


def test_peer():
    """Which named parts touch is what FCL says, in many scenes."""
    random, hits = np.random.default_rng(3), 0
    for _ in range(20):
        parts = {}
        for k in range(6):
            mesh = box(0, 0, 0, size=0.2 + random.random(3)) if k % 2 else sphere(0.2 + 0.3 * random.random(), 0, 0, 0)
            mesh.apply_transform(trimesh.transformations.random_rotation_matrix(random.random(3)))
            parts[f"part {k}"] = mesh.apply_translation(1.5 * random.random(3))
        found = impinge.contacts(parts, pairs="between")
        # a part within another one touches it nowhere
        named = {(p.name_a, p.name_b) for p in found.by_objects()}
        assert named == touching(parts), (named, touching(parts))
        assert impinge.touches(parts, pairs="between") == bool(named)
        hits += len(named)
    assert hits > 50, hits


def test_allowed():
    """By names or numbers, in any order; the same as to leave those pairs out afterwards."""
    parts = robot()
    everything = impinge.contacts(parts)
    a, b = everything.object_a, everything.object_b
    kept = everything[~((a == 1) & (b == 2)) & ~((a == 3) & (b == 3))]
    assert 0 < len(kept) < len(everything)
    given = [
        dict(allowed=[("post", "arm"), ("hand", "hand")]),
        dict(allowed=[("arm", 1), (3, 3)]),
        dict(allowed={("arm", "post"), ("hand", "hand")}),
        dict(allowed=np.array([[2, 1], [3, 3]])),
        dict(allowed=np.array([["arm", "post"], ["hand", "hand"]])),
        dict(object_pairs_exclude=[("arm", "post"), ("hand", "hand")]),
        dict(object_pairs=[("arm", "post"), ("hand", "hand")], object_pairs_exclude=True),
    ]
    for options in given:
        same(impinge.contacts(parts, **options), kept)
        with impinge.Pipeline(**options) as pipeline:
            same(pipeline.contacts(parts), kept)
    points, triangles, objects = by_hand(parts)
    for names in (list(parts), dict(enumerate(parts))):
        found = impinge.contacts(points, triangles, objects, names=names, **given[0])
        same(found, kept)
        assert found.names == dict(enumerate(parts))
    only = impinge.contacts(parts, object_pairs=[("arm", "post")])
    same(only, everything[(a == 1) & (b == 2)])
    same(impinge.contacts(parts, allowed=[]), everything)
    # what is empty touches nothing, and is no unknown object
    empty = {**parts, "gone": (np.zeros((0, 3)), np.zeros((0, 3), int))}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same(impinge.contacts(empty, allowed=[("gone", "arm"), ("post", "arm"), ("hand", "hand")]), kept)
        first = {"gone": empty.pop("gone"), **empty}
        found = impinge.contacts(first, pairs="between")
    assert found.pairs.tolist() == impinge.contacts(parts, pairs="between").pairs.tolist()
    assert found.names[0] == "gone" and found.object_a.min() == 1 and found.local_a.min() >= 0
    nothing = impinge.contacts({})
    assert len(nothing) == 0 and nothing.names == {} and nothing.counts().tolist() == []


def told(words, *arguments, kind=impinge.ArgumentError, call=impinge.contacts, **options):
    what = raises(kind, call, *arguments, **options)
    assert words in str(what), what


def test_refused():
    """What is wrong, of which mesh, and the right form."""
    parts = robot()
    told("allowed: there is no object 'amr'; there is arm", parts, allowed=[("base", "amr")])
    told("there is base, post, arm, hand, lamp", parts, allowed=[("base", "xyz")])
    told("allowed: ('arm',) is not a pair", parts, allowed=[("arm",)])
    told("allowed: 'arm' is not a pair", parts, allowed=("arm", "base"))
    told("is not a list of pairs", parts, allowed={"arm": "base"})
    told("allowed: 1.5 is neither", parts, allowed=[("arm", 1.5)])
    told("not with object_pairs", parts, allowed=[("arm", "base")], object_pairs=[(0, 1)])
    told("not with object_pairs", parts, allowed=[("arm", "base")], object_pairs_exclude=True)
    told("with another one in object_pairs", parts, object_pairs=[(0, 1)], object_pairs_exclude=[(0, 1)])
    told("the objects have no names", POINTS, FACES, OBJECTS, allowed=[("arm", "base")])
    told("objects: not with several meshes", parts, objects=OBJECTS)
    told("names: not with several meshes", parts, names=["a"])
    told("is the name of 2 objects, 0, 2", POINTS, FACES, OBJECTS, names={0: "a", 1: "b", 2: "a"}, allowed=[("a", "b")])
    told("names: 'ab' is one text", POINTS, FACES, OBJECTS, names="ab")
    told("names: 7, of object 0", POINTS, FACES, OBJECTS, names=[7])
    told("names: 'a' is not the number", POINTS, FACES, OBJECTS, names={"a": "b"})
    told("triangles are missing: points are no mesh", POINTS)
    told("triangles are missing: None", None)
    told("triangles: a mesh has its own", parts["arm"], FACES)
    told("arm: triangles: vertex 9, of 8", {"arm": (parts["arm"].vertices, [[0, 1, 9]])})
    told("arm: triangles: vertex -1, of 8", {"arm": (parts["arm"].vertices, [[0, 1, -1]])})
    hidden = np.ma.masked_array(POINTS, np.zeros(POINTS.shape, bool))
    hidden[3] = np.ma.masked
    told("arm: points: 3 values are masked", {"arm": (hidden, FACES)})
    told("use points.astype(numpy.float64)", {"arm": (POINTS.astype(int), FACES)}, kind=TypeError)
    told("arm: triangles: float64, not integers", {"arm": (POINTS, FACES * 1.0)}, kind=TypeError)
    told("arm: points: shape (450, 2)", {"arm": (POINTS[:, :2], FACES)}, kind=ValueError)
    told("of PyVista use mesh.regular_faces", {"arm": (POINTS, FACES.ravel())})
    told("the first column is 3", {"arm": (POINTS, np.insert(FACES, 0, 3, axis=1)), "base": parts["base"]})
    told("the key 3 is not a name", {3: parts["arm"]})
    told("arm: None is no mesh", {"arm": None})
    told("arm: a list is no mesh", {"arm": [POINTS, FACES]})
    quads = pyvista.Plane(i_resolution=2, j_resolution=2)
    told("its faces have 4 corners, not 3; use mesh.triangulate()", quads)
    told("arm: its faces have 4 corners", {"arm": quads})
    assert len(mesh_of(quads.triangulate()).triangles) == 8
    told("quads; triangulate", SimpleNamespace(vertices=POINTS, faces=np.zeros((2, 4), int)))
    mixed = pyvista.PolyData(POINTS, faces=[3, 0, 1, 2, 4, 0, 1, 2, 3])
    told("different numbers of corners; use mesh.triangulate()", mixed)
    told("1 triangle strips", pyvista.PolyData(POINTS, strips=[4, 0, 1, 2, 3]))
    told("a mesh of 1 points and lines has no triangles", pyvista.PolyData(POINTS, lines=[2, 0, 1]))
    told("type Path3D has no faces", trimesh.load_path(POINTS[:4]))
    told("type PointCloud has no faces", trimesh.PointCloud(POINTS))
    told("type ImageData has no triangles; use mesh.extract_surface().triangulate()", pyvista.ImageData())
    told("of VTK's type 9; use mesh.extract_surface()", grid_of(POINTS, [(9, (0, 1, 2, 3)), (5, (0, 1, 2))]))
    told("triangles nor tetrahedra: 1 line", meshio.Mesh(POINTS, [("triangle", FACES), ("line", [[0, 1]])]))
    ghosts = pyvista.PolyData(POINTS, np.insert(FACES, 0, 3, axis=1).ravel())
    ghosts.cell_data["vtkGhostType"] = (np.arange(len(FACES)) == 5).astype(np.uint8)
    told("ghosts", ghosts)
    shown = ghosts.extract_cells(ghosts.cell_data["vtkGhostType"] == 0)
    assert len(mesh_of(shown).triangles) == len(FACES) - 1
    body = impinge.RigidBody(parts)
    told("body 0: several meshes, not one", [body], "x", call=impinge.write_bodies)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        lines = pyvista.PolyData(POINTS, np.insert(FACES, 0, 3, axis=1).ravel(), lines=[2, 0, 1])
        assert len(impinge.contacts(lines)) > 0 and "1 points and lines" in str(said.pop().message)
        impinge.contacts(parts, allowed=[("arm", 9)])
        assert str(said.pop().message) == "allowed: there is no primitive of object 9" and not said


def test_explained():
    """What the library finds wrong in a part is told by its name, with numbers of its own mesh."""
    parts, bad = robot(), box(0, 0, 0)
    bad.vertices[3, 1] = np.nan
    row, where = np.argwhere(bad.faces == 3)[0, 0], "that is bad: vertex 3 of triangle"
    for call in (impinge.contacts, impinge.touches, impinge.Solids):
        told(f"{where} {row}", {**parts, "bad": bad}, call=call, kind=impinge.InputError)
    told(f"{where} {row}", {**parts, "bad": bad}, {**parts, "bad": bad}, call=impinge.between, kind=impinge.InputError)
    points, triangles, objects = by_hand({**parts, "bad": bad})
    told("; that is bad", points, triangles, objects, names=[*parts, "bad"], kind=impinge.InputError)
    what = raises(impinge.InputError, impinge.contacts, points, triangles, objects)
    assert "that is" not in str(what)
    hole = (box(0, 0, 0).vertices, bad.faces[1:])
    told("that is hole: vertices", {**parts, "hole": hole}, closed=["hole"], call=impinge.inside, kind=impinge.InputError)
    told("that is hole: vertices", {**parts, "hole": hole}, [[0, 0, 0]], closed=["hole"], call=impinge.depth)


# ---- scenes and blocks


def test_scene():
    """Nodes of trimesh are objects where their transforms put them, in float64; a mirror turns faces."""
    turn = trimesh.transformations.rotation_matrix(0.3, (1, 2, 3), (0.1, 0, 0))
    scene = trimesh.Scene()
    shape = box(0, 0, 0)
    scene.add_geometry(shape, node_name="one", geom_name="shape")
    scene.add_geometry(shape, node_name="turned", transform=turn)
    scene.add_geometry(shape, node_name="below", parent_node_name="turned", transform=turn)
    scene.add_geometry(shape, node_name="mirror", transform=np.diag([-1.0, 2, 1, 1]))
    mesh = mesh_of(scene)
    assert list(mesh.names.values()) == ["one", "turned", "below", "mirror"], mesh.names
    points = mesh.points.reshape(4, 8, 3)
    assert (points[0] == shape.vertices).all()
    for k, matrix in ((1, turn), (2, turn @ turn)):
        assert np.abs(points[k] - trimesh.transform_points(shape.vertices, matrix)).max() < 1e-15
    assert (points[3] == shape.vertices * [-1, 2, 1]).all() and mesh.points.dtype == np.float64
    queries = np.array([[0.6, 0, 0], [0, 0.9, 0]])
    found = impinge.inside(scene, queries, closed=["mirror"], inside_winding="positive")
    assert found.tolist() == [False, True]
    same(impinge.contacts(scene), impinge.contacts(mesh.points, mesh.triangles, mesh.objects))
    scene.add_geometry(trimesh.load_path(POINTS[:3]), node_name="path")
    told("path: a mesh of type Path3D has no faces", scene)


def test_blocks():
    """Blocks within blocks have paths for names; several of one name are numbered, as in files."""
    ball = pyvista.Sphere(radius=0.5)
    inner = pyvista.MultiBlock([ball, ball.translate((0.3, 0, 0))])
    inner.set_block_name(0, "p")
    inner.set_block_name(1, "p")
    blocks = pyvista.MultiBlock({"in": inner, "out": ball.translate((0, 0.7, 0)), "none": None})
    found = impinge.contacts(blocks, pairs="between")
    assert list(found.names.values()) == ["in/p", "in/p (2)", "out"], found.names
    assert len(found.by_objects()) == 3 and mesh_of(blocks).points.dtype == np.float32
    nested = {"in": {"p": ball, "q": box(0, 0, 0)}, "out": (POINTS, FACES[:, [0, 1, 2]])}
    mesh = mesh_of(nested)
    assert list(mesh.names.values()) == ["in/p", "in/q", "out"] and mesh.points.dtype == np.float64
    tetrahedra = {"t": (POINTS, np.arange(8).reshape(2, 4)), "s": box(0, 0, 0)}
    mesh = mesh_of(tetrahedra)
    assert mesh.triangles.shape == (14, 4) and mesh.corner_count.tolist() == [4, 4] + 12 * [3]
    assert impinge.contacts(tetrahedra).depth is not None


def test_apart():
    """Parts share no vertex: two at one place are contacts, also with weld."""
    cube, faces = surface_of(np.ones((1, 1, 1), bool))
    flat = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], float)
    halves = {"one": (flat, [[0, 1, 2]]), "two": (flat, [[1, 3, 2]])}
    assert len(impinge.contacts(flat, [[0, 1, 2], [1, 3, 2]], [0, 1])) == 0
    for options in ({}, {"weld": 0}, {"weld": 1e-3}):
        assert len(impinge.contacts(halves, **options)) == 1
    unwelded = (1.0 * cube[faces].reshape(-1, 3), np.arange(3 * len(faces)).reshape(-1, 3))
    assert len(impinge.contacts({"a": unwelded}, weld=0)) == 0


# ---- pipelines


def moving(k):
    parts = robot()
    parts["lamp"] = sphere(0.5, 1.95, 0.1, 1.1 - 0.2 * k)
    return parts


def test_pipeline():
    """The same meshes, moved, have the same triangles for it; names are found again in each call."""
    allowed = [("post", "arm"), ("hand", "lamp")]
    with impinge.Pipeline(update="keep", pairs="between", allowed=allowed, device="cpu") as pipeline:
        for k in range(3):
            found = pipeline.contacts(moving(k))
            same(found, impinge.contacts(moving(k), pairs="between", allowed=allowed))
            assert found.info["pass"] == ("incremental" if k else "full"), k
        assert pipeline.contacts(moving(2)).info["kept"] == len(by_hand(moving(2))[1])
        assert "primitives kept" in repr(pipeline.contacts(moving(2)))
        more = {"new": box(9, 9, 9), **moving(1)}  # all have other numbers
        found = pipeline.contacts(more)
        same(found, impinge.contacts(more, pairs="between", allowed=allowed))
        pairs = {(p.name_a, p.name_b) for p in found.by_objects()}
        assert pairs == touching(more, [("post", "arm"), ("hand", "lamp")]) and pairs
        told("there is no object 'hand'", {"post": more["post"], "arm": more["arm"], "lamp": more["lamp"]},
             call=pipeline.contacts)  # fmt: skip
        assert pipeline.touches(more)
        points, triangles, objects = by_hand(moving(0))
        same(pipeline.contacts(points, triangles, objects, names=list(moving(0))),
             impinge.contacts(moving(0), pairs="between", allowed=allowed))  # fmt: skip
    told("the pipeline is closed", more, call=pipeline.contacts)


def test_in_place():
    """A mesh of trimesh whose arrays are changed in place is another one."""
    mesh = trimesh.Trimesh(POINTS.copy(), FACES.copy(), process=False)
    with impinge.Pipeline(update="keep") as pipeline:
        same(pipeline.contacts(mesh), impinge.contacts(POINTS, FACES))
        mesh.vertices[:60] += 0.05
        mesh.faces[:50] = FACES[50:100]
        found = pipeline.contacts(mesh)
        same(found, impinge.contacts(np.array(mesh.vertices), np.array(mesh.faces)))
    objects = (np.arange(150) % 2).astype(np.int32)
    found = impinge.contacts(POINTS, FACES, objects)
    right = objects[found.a]
    objects[:] = 7
    assert (found.object_a == right).all()


def test_frames():
    """Meshes as frames: with other triangles in one of them; not between frames."""
    frames = [moving(k) for k in range(4)]
    other = {**moving(2), "more": box(0, 0, 3)}
    with impinge.Pipeline(pairs="between", allowed=[("post", "arm")], update="keep", device="cpu") as pipeline:
        found = list(pipeline.frames([*frames[:2], other, *frames[2:]], times=[0, 1, 1.5, 2, 3]))
        for one, frame in zip(found, [*frames[:2], other, *frames[2:]]):
            same(one, impinge.contacts(frame, pairs="between", allowed=[("post", "arm")]))
        assert [one.info["time"] for one in found] == [0, 1, 1.5, 2, 3]
        passes = [one.info["pass"] for one in found]
        assert passes == ["full", "incremental", "full", "full", "incremental"], passes
        told("positions: a mesh, not a sequence", other, call=lambda *a: list(pipeline.frames(*a)))
        told("positions: are no meshes", np.zeros((2, 3, 3)), call=lambda *a: list(pipeline.frames(*a)))
        assert len(list(pipeline.frames((frames[0], frames[1])))) == 2
    with impinge.Pipeline(pairs="between", continuous=True) as pipeline:
        steps = list(pipeline.frames(iter(frames)))
        assert len(steps) == 3 and sum(map(len, steps)) > 0
        for k, step in enumerate(steps):
            same(step, impinge.between(frames[k], frames[k + 1], pairs="between"))
            assert (step.time == k + step.toi).all() and step.names == dict(enumerate(robot()))
        what = raises(impinge.ArgumentError, list, pipeline.frames([*frames, other]))
        assert "frame 4: a mesh with other triangles" in str(what), what
    told("points1: a mesh with other triangles", frames[0], other, call=impinge.between)
    renamed = {name.upper(): mesh for name, mesh in frames[1].items()}
    told("points1: a mesh with other", frames[0], renamed, call=impinge.between)
    told("points1: arm: triangles: vertex 9", frames[0], {"arm": (POINTS[:8], [[0, 1, 9]])}, call=impinge.between)


def test_model():
    """Names of objects that come and go."""
    points, triangles, objects = by_hand(robot())
    given = dict(names=list(robot()), allowed=[("arm", "post"), ("hand", "lamp")], pairs="between")
    with impinge.Model(update="keep", **given) as model:
        model.add_vertices(points)
        model.add(triangles, objects=objects)
        found = model.contacts()
        expected = impinge.contacts(robot(), allowed=[("arm", "post"), ("hand", "lamp")], pairs="between")
        assert sorted(found.pairs.tolist()) == sorted(expected.pairs.tolist()) and len(found) > 0
        assert found.by_objects() == expected.by_objects() and found.names == expected.names
        assert (found.object_a == objects[found.id_a]).all()
        assert model.contacts().info["kept"] == len(triangles)
    told("there is no object 'amr'", call=impinge.Model, names=["arm"], allowed=[("amr", "arm")])
    with impinge.Model() as model:
        model.add_vertices(points)
        model.add(triangles)
        assert model.contacts().object_a is None


main(globals())
