"""Pairs within a distance against all pairs of features in numpy, and against each other."""

import math

import impinge
import numpy as np
from common import folder, main, raises, same, soup

NEAR = 1e-12  # rounding of the numbers here, in scenes of size 1
KIND = impinge.Kind
EDGES = np.array([[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]])
FACES = np.array([[0, 1, 3], [1, 2, 3], [2, 0, 3], [0, 2, 1]])


def dot(a, b):
    return np.einsum("...i,...i->...", a, b)


def to_segment(p, a, b):
    """The point of each segment that is nearest to p."""
    t = np.clip(dot(p - a, b - a) / dot(b - a, b - a), 0, 1)
    return a + t[..., None] * (b - a)


def least(candidates):
    """Of several arrays of pairs of points the nearest pair in each place: its distance, and both."""
    lengths = np.stack([np.linalg.norm(q - p, axis=-1) for p, q in candidates])
    which = lengths.argmin(axis=0)
    rows = np.arange(lengths.shape[1])
    p, q = (np.stack(side)[which, rows] for side in zip(*candidates))
    return lengths.min(axis=0), p, q


def to_triangle(p, corners):
    """The point of each triangle, (n, 3, 3), that is nearest to p."""
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    normal = np.cross(b - a, c - a)
    foot = p - (dot(p - a, normal) / dot(normal, normal))[:, None] * normal
    sides = [dot(np.cross(y - x, foot - x), normal) for x, y in ((a, b), (b, c), (c, a))]
    inside = (np.min(sides, axis=0) >= 0)[:, None]
    _, _, border = least([(p, to_segment(p, x, y)) for x, y in ((a, b), (b, c), (c, a))])
    return np.where(inside, foot, border)


def of_segments(a, b, c, d):
    """The nearest points of two segments, not parallel: inside of both, or an end of one."""
    u, v, w = b - a, d - c, a - c
    det = dot(u, u) * dot(v, v) - dot(u, v) ** 2
    s = (dot(u, v) * dot(v, w) - dot(v, v) * dot(u, w)) / det
    t = (dot(u, u) * dot(v, w) - dot(u, v) * dot(u, w)) / det
    inside = ((s >= 0) & (s <= 1) & (t >= 0) & (t <= 1))[:, None]
    ends = [(a, to_segment(a, c, d)), (b, to_segment(b, c, d))]
    ends += [(to_segment(c, a, b), c), (to_segment(d, a, b), d)]
    _, p, q = least(ends)
    return np.where(inside, a + s[:, None] * u, p), np.where(inside, c + t[:, None] * v, q)


def truth(x, y):
    """Distances and nearest points of pairs of triangles, (n, 3, 3) each, that do not meet."""
    found = []
    for k in range(3):
        found += [(x[:, k], to_triangle(x[:, k], y)), (to_triangle(y[:, k], x), y[:, k])]
        for m in range(3):
            found.append(of_segments(x[:, k], x[:, (k + 1) % 3], y[:, m], y[:, (m + 1) % 3]))
    return least(found)


def all_pairs(points, triangles):
    """Those without a common vertex: numbers of both, and their distances."""
    a, b = np.triu_indices(len(triangles), 1)
    apart = (triangles[a][:, :, None] != triangles[b][:, None, :]).all(axis=(1, 2))
    a, b = a[apart], b[apart]
    distance, _, _ = truth(points[triangles[a]], points[triangles[b]])
    met = impinge.contacts(points, triangles)
    touching = set(zip(met.a.tolist(), met.b.tolist()))
    distance[[pair in touching for pair in zip(a.tolist(), b.tolist())]] = 0
    return a, b, distance


def features(found, points, cells, side):
    """The corners of the feature of a, or of b, in each row: lists of vertex numbers."""
    feature = (found.feature_a, found.feature_b)[side]
    cell = cells[(found.a, found.b)[side]]
    made = []
    for i, (kind, f) in enumerate(zip(found.kind, feature.tolist())):
        if kind == KIND.EDGE_EDGE:
            made.append(cell[i][EDGES[f]])
        elif f >= 0:
            made.append(np.array([f]))
        else:
            made.append(cell[i] if cells.shape[1] == 3 else cell[i][FACES[-1 - f]])
    return made


def check_rows(found, points, cells):
    """What follows from the columns of each row."""
    met = found.kind <= KIND.SOLIDS
    assert ((found.distance == 0) >= met).all() and (found.distance[~met] > 0).all()
    assert np.isin(found.kind[~met], (KIND.VERTEX_FACE, KIND.EDGE_EDGE)).all()
    for column in (found.barycentric_a, found.barycentric_b, found.normal):
        assert not column[met].any()
    assert (found.feature_a[met] == -1).all() and (found.feature_b[met] == -1).all()
    for side, weights in enumerate((found.barycentric_a, found.barycentric_b)):
        cell = cells[(found.a, found.b)[side]]
        assert weights.shape == (len(found), 4) and (weights >= 0).all() and (weights <= 1).all()
        assert np.allclose(weights[~met].sum(axis=1), 1, atol=NEAR, rtol=0)
        assert not weights[:, cells.shape[1] :].any()
        given = np.einsum("nk,nkx->nx", weights[:, : cells.shape[1]], points[cell])
        assert np.allclose(given[~met], found.ends[~met, side], atol=NEAR, rtol=0)
        for i, vertices in enumerate(features(found, points, cells, side)):
            if not met[i]:  # corners that are not of the feature have no weight
                assert not weights[i, : cells.shape[1]][~np.isin(cell[i], vertices)].any()
    gap = found.ends[:, 1] - found.ends[:, 0]
    assert np.allclose(np.linalg.norm(gap, axis=1)[~met], found.distance[~met], atol=NEAR, rtol=0)
    gap = found.normal * found.distance[:, None] - gap
    assert np.allclose(gap[~met], 0, atol=NEAR, rtol=0)


def check_triangles(points, triangles, distances):
    a, b, expected = all_pairs(points, triangles)
    for distance in distances:
        found = impinge.near(points, triangles, distance=distance)
        check_rows(found, points, triangles)
        assert not (np.abs(expected - distance) < NEAR)[expected > 0].any(), "a closer choice"
        wanted = np.flatnonzero(expected <= distance)
        assert found.a.tolist() == a[wanted].tolist() and found.b.tolist() == b[wanted].tolist()
        assert np.allclose(found.distance, expected[wanted], atol=NEAR, rtol=0)
        assert len(found) > 0


def test_soup():
    """Triangles anywhere; with vertices in common; some meet."""
    points, triangles = soup(100, 0.3)
    check_triangles(points, triangles, (0.01, 0.1, 0.4, 10))
    random = np.random.default_rng(5)
    points = random.random((60, 3))
    triangles = np.array([random.permutation(60)[:3] for _ in range(90)], np.int32)
    check_triangles(points, triangles, (0.03, 0.2, 3))
    points = points.astype(np.float32).astype(np.float64)
    found = impinge.near(points, triangles, distance=0.125)
    same(found, impinge.near(points.astype(np.float32), triangles, distance=0.125))


def test_zero():
    """The pairs that meet, with the kinds and ends of contacts."""
    points, triangles = soup(400, 0.3)
    found, met = impinge.near(points, triangles, distance=0), impinge.contacts(points, triangles)
    same(found, met, ["a", "b", "kind", "ends"])
    assert len(found) > 20 and not found.distance.any()
    assert met.distance is None and met.normal is None and met.feature_a is None


def test_by_hand():
    """A plate above a plate, at a distance that float64 has not: rounded down."""
    plate = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float)
    lifted = np.concatenate([plate, plate + [0, 0, 0.5]])
    found = impinge.near(lifted, [[0, 1, 2], [3, 4, 5]], distance=0.5)
    assert found.distance.tolist() == [0.5] and found.normal.tolist() == [[0, 0, 1]]
    assert len(impinge.near(lifted, [[0, 1, 2], [3, 4, 5]], distance=np.nextafter(0.5, 0))) == 0
    away = np.concatenate([plate, plate + [1, 1, 0]])  # half of the square root of 2
    root = impinge.near(away, [[0, 1, 2], [3, 4, 5]], distance=1).distance[0]
    assert 2 * root**2 <= 1 and abs(root - math.sqrt(0.5)) < 1e-15
    assert len(impinge.near(away, [[0, 1, 2], [3, 4, 5]], distance=root)) == 0
    assert len(impinge.near(away, [[0, 1, 2], [3, 4, 5]], distance=np.nextafter(root, 1))) == 1


def test_features():
    """Segments and points, as meshes of two corners and of one vertex."""
    points = [[0, 0, 0], [4, 0, 0], [1, 2, 0], [1, 2, 3]]
    found = impinge.near(points, [[0, 1], [2, 2]], distance=2)
    assert found.kind.tolist() == [KIND.VERTEX_EDGE] and found.distance.tolist() == [2]
    assert found.feature_a.tolist() == [0] and found.feature_b.tolist() == [2]
    assert found.barycentric_a[0].tolist() == [0.75, 0.25, 0, 0]
    found = impinge.near(points, [[2, 2], [3, 3]], distance=3)
    assert found.kind.tolist() == [KIND.VERTEX_VERTEX] and found.distance.tolist() == [3]
    assert (found.feature_a.tolist(), found.feature_b.tolist()) == ([2], [3])


def all_features(points, triangles):
    """All pairs of a vertex and a face, and of two edges, without a common vertex: the vertices of each
    pair, and their distances. All vertices are of triangles."""
    edges = np.concatenate([triangles[:, EDGES[k]] for k in range(3)])
    edges = np.unique(np.sort(edges, axis=1), axis=0)
    v, f = (x.ravel() for x in np.indices((len(points), len(triangles))))
    keep = (triangles[f] != v[:, None]).all(axis=1)
    v, f = v[keep], f[keep]
    foot = to_triangle(points[v], points[triangles[f]])
    found = {
        (vertex, *sorted(face)): d
        for vertex, face, d in zip(
            v.tolist(), triangles[f].tolist(), np.linalg.norm(foot - points[v], axis=1).tolist()
        )
    }
    i, j = np.triu_indices(len(edges), 1)
    keep = (edges[i][:, :, None] != edges[j][:, None, :]).all(axis=(1, 2))
    e, g = edges[i[keep]], edges[j[keep]]
    p, q = of_segments(points[e[:, 0]], points[e[:, 1]], points[g[:, 0]], points[g[:, 1]])
    lengths = np.linalg.norm(q - p, axis=1).tolist()
    for one, other, d in zip(e.tolist(), g.tolist(), lengths):
        found[frozenset((tuple(one), tuple(other)))] = d
    return found


def test_feature_rows():
    """Each pair of features once, with those of all pairs."""
    random = np.random.default_rng(6)
    points = random.random((40, 3))
    triangles = np.array([random.permutation(40)[:3] for _ in range(60)], np.int32)
    points = points[: triangles.max() + 1]
    used = np.unique(triangles)
    assert len(used) == len(points)
    expected = all_features(points, triangles)
    for distance in (0.02, 0.1):
        found = impinge.near(points, triangles, distance=distance, rows="features")
        sides = [features(found, points, triangles, side) for side in (0, 1)]
        rows = {}
        for a, b, d in zip(*sides, found.distance.tolist()):
            if len(a) == 2:
                key = frozenset((tuple(sorted(a.tolist())), tuple(sorted(b.tolist()))))
            else:
                vertex, face = (a, b) if len(a) == 1 else (b, a)
                key = (int(vertex[0]), *sorted(face.tolist()))
            assert key not in rows, "a pair is there twice"
            rows[key] = d
        wanted = {key for key, d in expected.items() if d <= distance}
        assert rows.keys() == wanted and len(rows) > 20
        assert all(abs(d - expected[key]) < NEAR for key, d in rows.items())
        order = list(zip(found.a, found.b, found.kind, found.feature_a, found.feature_b))
        assert order == sorted(order)


def test_clearance():
    """The least distance of each two objects is that of all pairs of their triangles."""
    points, triangles = soup(60, 0.1)
    objects = np.arange(60, dtype=np.int32) % 4
    points = points + np.repeat(objects % 3, 3)[:, None] * [0.6, 0, 0]
    a, b, expected = all_pairs(points, triangles)
    found = impinge.clearance(points, triangles, objects)
    assert len(found) == 6
    for row in range(len(found)):
        pair = {int(objects[found.a[row]]), int(objects[found.b[row]])}
        of_pair = [{x, y} == pair for x, y in zip(objects[a].tolist(), objects[b].tolist())]
        assert abs(found.distance[row] - expected[of_pair].min()) < NEAR and len(pair) == 2
    one = impinge.clearance(points, triangles, objects, object_pairs=[[3, 1]])
    assert {int(objects[one.a[0]]), int(objects[one.b[0]])} == {1, 3} and len(one) == 1


def test_solids():
    """Tetrahedra: what is inside one has distance 0; others as their faces have."""
    corner = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
    points = np.concatenate([4 * corner, corner + 0.25, corner + [0, 0, 5]])
    cells = np.arange(12).reshape(3, 4)
    found = impinge.near(points, cells, distance=1)
    assert (found.a.tolist(), found.b.tolist()) == ([0, 0], [1, 2])
    assert found.kind.tolist() == [KIND.SOLIDS, KIND.VERTEX_FACE]
    assert found.distance.tolist() == [0, 1] and found.depth[0] > 0 and found.depth[1] == 0
    check_rows(found, points, cells)
    points = soup(240, 0.3)[0][: 4 * 60]
    cells = np.arange(240).reshape(60, 4)
    found = impinge.near(points, cells, distance=0.15)
    check_rows(found, points, cells)
    skin = cells[:, FACES].reshape(-1, 3)
    a, b = np.triu_indices(60, 1)
    sides = [(skin[4 * a + i], skin[4 * b + j]) for i in range(4) for j in range(4)]
    expected = np.min([truth(points[x], points[y])[0] for x, y in sides], axis=0)
    met = impinge.contacts(points, cells)
    expected[np.isin(60 * a + b, 60 * met.a.astype(int) + met.b)] = 0
    wanted = expected <= 0.15
    assert found.a.tolist() == a[wanted].tolist() and found.b.tolist() == b[wanted].tolist()
    assert np.allclose(found.distance, expected[wanted], atol=NEAR, rtol=0)


def test_pipeline():
    """Frames of a pipeline, pairs of objects, and the other functions with `distance`."""
    points, triangles = soup(300, 0.2)
    objects = np.arange(len(triangles)) % 3
    frames = [points, points * 1.5, points]
    options = {"distance": 0.03, "pairs": "between"}
    single = [impinge.near(p, triangles, objects, **options) for p in frames]
    assert len(single[0]) > len(single[1]) > 0
    with impinge.Pipeline(update="keep", **options) as pipeline:
        for found, expected in zip(pipeline.frames(frames, triangles, objects), single):
            same(found, expected)
        same(pipeline.contacts(points, triangles, objects), single[0])
    same(impinge.contacts(points, triangles, objects, **options), single[0])
    found = impinge.near(points, triangles, objects, object_pairs=[[0, 2]], distance=0.03)
    assert 0 < len(found) < len(single[0])
    apart = np.repeat([0, 10, 20], 3)[:, None] + points[:9]
    assert not impinge.touches(apart, triangles[:3], distance=1)
    assert impinge.touches(apart, triangles[:3], distance=20)
    bounds = impinge.near(points, triangles, distance=0.03, stage="candidates")
    assert bounds.distance is None and len(bounds) == bounds.candidates
    assert bounds.candidates == impinge.near(points, triangles, distance=0.03).candidates


def test_thickness():
    """Pairs within half of the sum of both thicknesses, with what is missing to that."""
    points, triangles = soup(150, 0.2)
    random = np.random.default_rng(8)
    thickness = random.random(len(triangles)) * 0.1
    thickness[::5] = 0
    a, b, expected = all_pairs(points, triangles)
    most = (thickness[a] + thickness[b]) / 2
    wanted = np.flatnonzero(expected <= most)
    found = impinge.near(points, triangles, thickness=thickness)
    assert found.a.tolist() == a[wanted].tolist() and found.b.tolist() == b[wanted].tolist()
    assert len(found) > 20 and (found.kind == KIND.CROSSED).any()
    missing = most[wanted] - expected[wanted]
    assert np.allclose(found.penetration, missing, atol=NEAR, rtol=0)
    share = np.divide(missing, most[wanted], out=np.zeros(len(wanted)), where=most[wanted] > 0)
    assert np.allclose(found.relative, share, atol=1e-9, rtol=0)
    assert (found.kind[found.kind == KIND.CROSSED] > 0).all() and (found.penetration >= 0).all()
    one = impinge.near(points, triangles, thickness=0.05)
    other = impinge.near(points, triangles, distance=0.05)
    same(one, other, ["a", "b", "ends", "distance", "normal"])
    assert other.penetration is None and not (other.kind == KIND.CROSSED).any()
    same(one, impinge.near(points, triangles, thickness=np.full(len(triangles), 0.05)))
    with impinge.Pipeline(thickness=thickness) as pipeline:
        frames = [points, points * 1.5, points]
        for at, rows in zip(frames, pipeline.frames(frames, triangles)):
            same(rows, impinge.near(at, triangles, thickness=thickness))
        same(pipeline.contacts(points, triangles), found)
        raises(impinge.ArgumentError, pipeline.contacts, points, triangles[1:])
    features = impinge.near(points, triangles, thickness=thickness, rows="features")
    assert len(features) > 20 and (features.kind <= KIND.EDGE_EDGE).all()


def test_parts():
    """The table of parts in memory, and of a file; that of the program."""
    points, triangles = soup(150, 0.2)
    objects = np.arange(len(triangles), dtype=np.int32) % 3 - 1
    found = impinge.near(points, triangles, objects, thickness=0.03)
    rows = impinge.parts(found, objects, {0: "shirt", 1: "body"})
    assert [row[:2] for row in rows] == [
        (x, y)
        for i, x in enumerate((-1, "shirt", "body"))
        for y in (-1, "shirt", "body")[i:]
    ]
    for row in rows:
        number = {-1: -1, "shirt": 0, "body": 1}
        of = sorted((number[row.part_a], number[row.part_b]))
        pairs = [
            i
            for i in range(len(found))
            if sorted((objects[found.a[i]], objects[found.b[i]])) == of
        ]
        assert row.pairs == len(pairs) and row.deepest == found.penetration[pairs].max()
        assert row.least_distance == found.distance[pairs].min()
        assert row.crossed == (found.kind[pairs] == KIND.CROSSED).sum()
    assert sum(row.crossed for row in rows) > 0
    assert impinge.parts(impinge.near(points, triangles[:1], thickness=1)) == []
    raises(impinge.ArgumentError, impinge.parts, impinge.near(points, triangles, distance=0.1))
    with folder() as where:
        batch, result, table = (f"{where}/{name}" for name in ("b.vtkhdf", "r.vtkhdf", "t.csv"))
        impinge.write(batch, points, triangles)
        impinge.run(batch, result, thickness=0.03, csv=table)
        with impinge.open(result) as opened:
            same(opened[0], impinge.near(points, triangles, thickness=0.03))
            of_file = opened.parts(0)
        assert of_file == impinge.parts(impinge.near(points, triangles, thickness=0.03))
        with open(table) as lines:
            said = [line.rstrip().split(",") for line in lines][1:]
        assert [[float(x) for x in row] for row in said] == [[0.0, *map(float, r)] for r in of_file]


def test_model():
    """The same pairs in a model, whose rows have ids."""
    points, triangles = soup(200, 0.2)
    expected = impinge.near(points, triangles, distance=0.05)
    with impinge.Model(distance=0.05) as model:
        model.add_vertices(points)
        model.add(triangles)
        same(model.contacts(), expected, ["a", "b", "kind", "ends", "distance", "normal"])


def test_files():
    """A result has the same columns; those of a run with 0 are there, too."""
    points, triangles = soup(300, 0.2)
    with folder() as where:
        batch, result = f"{where}/batch.vtkhdf", f"{where}/result.vtkhdf"
        impinge.write(batch, points, triangles)
        for distance in (0.04, 0):
            said = impinge.run(batch, result, distance=distance, force=True)
            expected = impinge.near(points, triangles, distance=distance)
            with impinge.open(result) as opened:
                same(opened[0], expected)
                assert opened[0].barycentric_a.shape == (len(expected), 4)
            assert said["contacts"] == len(expected) > 0
            assert said["least_distance"] == expected.distance.min()
            assert impinge.info(result)["distance"] == distance


def ring(triangles, start, edges):
    """The vertices within so many edges of these."""
    found = set(start)
    for _ in range(edges):
        found |= set(triangles[np.isin(triangles, sorted(found)).any(axis=1)].ravel().tolist())
    return found


def test_ring():
    """Pairs within some edges of the mesh, by sets of vertices; features; objects."""
    side = 6
    first = (np.arange(side - 1)[:, None] * side + np.arange(side - 1)).reshape(-1, 1)
    triangles = np.concatenate([first + [0, 1, side + 1], first + [0, side + 1, side]])
    points = np.random.default_rng(7).random((side * side, 3))
    every = impinge.near(points, triangles, distance=9)
    pieces = np.arange(len(triangles)) % 3
    for edges in (0, 1, 2, 3, 2**32 - 1):
        near = [ring(triangles, t, min(edges, side * side)) for t in triangles.tolist()]
        beyond = [not near[a] & set(triangles[b].tolist()) for a, b in zip(every.a, every.b)]
        found = impinge.near(points, triangles, distance=9, ring=edges)
        assert found.a.tolist() == every.a[beyond].tolist() and (edges > 3) == (len(found) == 0)
        assert found.b.tolist() == every.b[beyond].tolist()
        between = impinge.near(points, triangles, pieces, distance=9, ring=edges, pairs="between")
        for row in impinge.clearance(points, triangles, pieces, ring=edges).distance:
            assert row in between.distance
        with impinge.Pipeline(distance=9, ring=edges) as pipeline:
            same(pipeline.contacts(points, triangles), found)
    assert len(impinge.clearance(points, triangles, pieces, ring=1)) == 3
    features = impinge.near(points, triangles, distance=9, rows="features", ring=2)
    assert 0 < len(features) < len(impinge.near(points, triangles, distance=9, rows="features"))
    for wrong in (-1, 2**32, 0.5, "1"):
        raises(impinge.ArgumentError, impinge.near, points, triangles, distance=9, ring=wrong)
    raises(impinge.ArgumentError, impinge.contacts, points, triangles, ring=1)
    options = {"distance": 9, "ring": 1, "stage": "candidates"}
    raises(impinge.ArgumentError, impinge.near, points, triangles, **options)


def test_errors():
    points, triangles = soup(10)
    for wrong in (-1, math.nan, math.inf, -math.inf, "near", None):
        raises(impinge.ArgumentError, impinge.near, points, triangles, distance=wrong)
    raises(TypeError, impinge.near, points, triangles)
    for wrong in (-1, math.nan, math.inf, [1, 2], np.full(len(triangles), -1.0), "thin", [[1]]):
        raises(impinge.ArgumentError, impinge.near, points, triangles, thickness=wrong)
    raises(impinge.ArgumentError, impinge.near, points, triangles, thickness=1, distance=1)
    raises(impinge.ArgumentError, impinge.near, points, triangles, thickness=1, rows="objects")
    raises(impinge.ArgumentError, impinge.Model, thickness=1)
    raises(impinge.ArgumentError, impinge.near, points, triangles, distance=1, adjacent="test")
    raises(impinge.ArgumentError, impinge.Pipeline, distance=1, continuous=True)
    raises(impinge.ArgumentError, impinge.near, points, triangles, distance=1, rows="objects")
    raises(impinge.ArgumentError, impinge.near, points, triangles, distance=1, rows="triangles")
    raises(impinge.ArgumentError, impinge.clearance, points, triangles, None, pairs="self")
    none = impinge.near(points, triangles[:1], distance=1)
    assert len(none) == 0 and none.distance.shape == (0,)
    assert none.barycentric_a.shape == (0, 4) and none.normal.shape == (0, 3)


main(globals())
