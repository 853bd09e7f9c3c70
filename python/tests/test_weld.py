"""Neighbours that do not share vertices: weld=0, the warning, and files of bodies that touch."""

import struct
import warnings

import impinge
import numpy as np
from common import folder, main, raises, same, soup

# closed bodies of whole numbers: a box, a tetrahedron, an octahedron, a prism
BOX = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], float)
BOX_T = np.array([[0, 2, 3], [0, 3, 1], [4, 5, 7], [4, 7, 6], [0, 1, 5], [0, 5, 4], [2, 6, 7],
                  [2, 7, 3], [0, 4, 6], [0, 6, 2], [1, 3, 7], [1, 7, 5]])  # fmt: skip
TET = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
TET_T = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
OCT = np.array([[1, 1, 0], [2, 1, 1], [1, 2, 1], [0, 1, 1], [1, 0, 1], [1, 1, 2]], float)
OCT_T = np.array([[0, 2, 1], [0, 3, 2], [0, 4, 3], [0, 1, 4], [5, 1, 2], [5, 2, 3], [5, 3, 4],
                  [5, 4, 1]])  # fmt: skip
BODIES = ((BOX, BOX_T), (TET, TET_T), (OCT, OCT_T), (BOX * [2, 1, 1], BOX_T))


def assembly(random, most=6):
    """points and triangles of bodies at whole numbers, one after another, and the body of each:
    they touch in vertices, edges and faces, overlap, or are the same."""
    points, triangles, body, at = [], [], [], 0
    for number in range(random.integers(1, most + 1)):
        p, t = BODIES[random.integers(len(BODIES))]
        points.append(p + random.integers(0, 3, 3))
        triangles.append(t[random.permutation(len(t))] + at)
        body += [number] * len(t)
        at += len(p)
    return np.concatenate(points), np.concatenate(triangles), np.array(body)


def apart(points, triangles):
    """The same with vertices of its own for each triangle."""
    return points[triangles].reshape(-1, 3), np.arange(triangles.size).reshape(-1, 3)


def pairs(found):
    return set(zip(found.a.tolist(), found.b.tolist()))


def quietly(call, *arguments, **options):
    """What it returns, and its warnings."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        return call(*arguments, **options), [str(w.message) for w in told]


def test_bodies():
    """The same contacts as where bodies have vertices of their own; in any order no fewer."""
    random = np.random.default_rng(1)
    total = 0
    for _ in range(60):
        points, triangles, body = assembly(random)
        want = impinge.contacts(points, triangles)
        total += len(want)
        alone, own = apart(points, triangles)
        same(quietly(impinge.contacts, alone, own, weld=0)[0], want)
        same(quietly(impinge.contacts, alone.astype("f4"), own.astype("i4"), weld=0)[0], want)
        order = random.permutation(len(own))
        mixed, _ = quietly(impinge.contacts, alone, own[order], weld=0)
        found = {tuple(sorted((order[a], order[b]))) for a, b in pairs(mixed)}
        assert pairs(want) <= found
        objects = body[order] // 2  # of two bodies each
        mixed, _ = quietly(impinge.contacts, alone, own[order], objects, weld=0)
        found = {tuple(sorted((order[a], order[b]))) for a, b in pairs(mixed)}
        assert pairs(want) <= found
    assert total > 1000, total


def test_files():
    """STL and PLY of bodies that touch have the contacts of the same numbers in OBJ."""
    from impinge.importers import ply, stl
    from impinge.importers.mesh import join

    random = np.random.default_rng(2)
    with folder() as where:
        for _ in range(40):
            points, triangles, _ = assembly(random)
            want = pairs(impinge.contacts(points, triangles))
            alone, own = apart(points, triangles)
            path = f"{where}/a.stl"
            for text in (False, True):
                write_stl(path, points[triangles], text)
                mesh = join(path, stl.read(path))
                assert mesh.ids.tolist() == list(range(len(own)))
                found = impinge.contacts(mesh.points, mesh.corners.reshape(-1, 3))
                assert pairs(found) == want
            path = f"{where}/a.ply"
            for p, t, weld in ((points, triangles, None), (alone, own, 0)):
                write_ply(path, p, t)
                mesh = join(path, ply.read(path))
                found, _ = quietly(
                    impinge.contacts, mesh.points, mesh.corners.reshape(-1, 3), weld=weld
                )
                assert pairs(found) == want


def write_stl(path, corners, text):
    if text:
        facet = "facet normal 0 0 0\nouter loop\n" + 3 * "vertex {} {} {}\n" + "endloop\nendfacet\n"
        body = "".join(facet.format(*c.ravel()) for c in corners)
        content = f"solid a\n{body}endsolid a\n".encode()
    else:
        facets = (bytes(12) + c.astype("<f4").tobytes() + bytes(2) for c in corners)
        content = bytes(80) + struct.pack("<I", len(corners)) + b"".join(facets)
    with open(path, "wb") as stream:
        stream.write(content)


def write_ply(path, points, triangles):
    head = f"ply\nformat ascii 1.0\nelement vertex {len(points)}\n"
    head += "".join(f"property double {axis}\n" for axis in "xyz")
    head += f"element face {len(triangles)}\nproperty list uchar int vertex_indices\nend_header\n"
    rows = [" ".join(map(repr, p)) for p in points.tolist()]
    rows += [f"3 {a} {b} {c}" for a, b, c in triangles.tolist()]
    with open(path, "w") as stream:
        stream.write(head + "\n".join(rows) + "\n")


def test_tetrahedra():
    """Neighbours across a face; two on one side of it are not."""
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, -1], [0.1, 0.1, 0.5]])
    for last, count in ((4, 0), (5, 1)):
        corners = np.array([[0, 1, 2, 3], [0, 1, 2, last]])
        alone = points[corners].reshape(-1, 3)
        found, _ = quietly(impinge.contacts, alone, np.arange(8).reshape(2, 4), weld=0)
        assert len(found) == count, (last, len(found))


def test_warning():
    """Once, at the caller's line; not for other meshes, nor where it does not matter."""
    alone, own = apart(BOX, BOX_T)
    found, told = quietly(impinge.contacts, alone, own)
    assert len(found) > 0 and len(told) == 1, told
    assert "no two of 12 primitives share a vertex, though 100 %" in told[0] and "weld=0" in told[0]
    for call in (impinge.contacts, impinge.touches):
        two = np.arange(len(own)) % 2
        assert quietly(call, alone, own, two, pairs="between")[1] == []
        assert quietly(call, alone, own, weld=0)[1] == []
        assert quietly(call, BOX, BOX_T)[1] == []
        assert quietly(call, *soup(500))[1] == []
    assert len(quietly(impinge.between, alone, alone + 1, own)[1]) == 1
    with impinge.Pipeline() as pipeline:
        _, told = quietly(lambda: [len(f) for f in pipeline.frames([alone, alone + 1], own)])
        assert len(told) == 1
        assert quietly(pipeline.contacts, alone, own)[1] == []
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        impinge.contacts(alone, own)
    assert told[0].filename == __file__ and told[0].category is impinge.ImpingeWarning
    fin = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0, -1, 0]], float)
    _, told = quietly(
        impinge.contacts, *apart(fin, np.array([[0, 1, 2], [1, 0, 3], [0, 1, 4]])), weld=0
    )
    assert len(told) == 1 and "1 edge (of triangle 0) with more than two triangles" in told[0], told


def test_arguments():
    alone, own = apart(BOX, BOX_T)
    for wrong in (-1, np.nan, np.inf, "0", True, [0]):
        what = raises(impinge.ArgumentError, impinge.contacts, alone, own, weld=wrong)
        assert "weld" in str(what)
    raises(TypeError, impinge.Model, weld=0)
    what = raises(impinge.ArgumentError, impinge.contacts, alone, own.astype("i4") + 1, weld=0)
    assert "corner 2 of triangle 11 is vertex 36" in str(what)
    assert len(impinge.contacts(np.zeros((0, 3)), np.zeros((0, 3), int), weld=0)) == 0
    near = alone + np.random.default_rng(1).random(alone.shape) * 1e-9
    assert len(quietly(impinge.contacts, near, own)[0]) > 0
    assert len(quietly(impinge.contacts, near, own, weld=1e-8)[0]) == 0


def test_frames():
    """By the first frame, and anew where vertices come apart; between frames in both of them."""
    alone, own = apart(BOX, BOX_T)
    torn = alone.copy()
    torn[:3] += [0, 0, -5]
    positions = np.stack([alone, alone + 1, torn, torn + 1, alone])
    want = [0, 0, 0, 0, len(impinge.contacts(*weld_of(alone, torn, own)))]
    for frames in (positions, list(positions)):
        with impinge.Pipeline(weld=0) as pipeline:
            assert [len(f) for f in pipeline.frames(frames, own)] == want and want[4] > 0
    with impinge.Pipeline(weld=0, continuous=True) as pipeline:
        found = [len(f) for f in pipeline.frames(positions, own)]
        one = quietly(impinge.between, alone + 1, torn, own, weld=0)[0]
        assert found[0] == 0 and found[1] == len(one) > 0
    with impinge.Pipeline(weld=0) as pipeline:
        assert len(pipeline.contacts(alone, own)) == 0
        assert len(pipeline.contacts(torn, own)) == 0
        assert pipeline.touches(alone, own)


def weld_of(alone, torn, own):
    """The triangles of the first frame that have the neighbours of the second."""
    number = {}
    corners = [number.setdefault((tuple(p), tuple(q)), len(number)) for p, q in zip(alone, torn)]
    points = np.array([p for p, _ in number])
    return points, np.array(corners)[own]


main(globals())
