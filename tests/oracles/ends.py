"""The two points of contacts of triangles, and the features there, against rational arithmetic: each coordinate
is the float64 nearest to the exact one, and ends have the same name, by the vertices of their features, if and
only if they are the same exact point. ends.py IMPINGE DATA, in an empty folder."""
import os
import subprocess
import sys
from fractions import Fraction

import h5py
import numpy as np

from checks import expect, status
from vectors import cross, dot, minus

FACE = 6


def impinge(*arguments):
    subprocess.run([sys.argv[1], *map(str, arguments)], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, timeout=300)


def devices():
    listed = subprocess.run([sys.argv[1], "devices"], capture_output=True, text=True, timeout=300).stdout
    return ["cpu"] + (["opencl"] if "OpenCL" in listed or "pthread" in listed else [])


# ---- rational geometry


def on_segment(x, a, b):
    if any(cross(minus(b, a), minus(x, a))):
        return False
    return all(min(p, q) <= y <= max(p, q) for y, p, q in zip(x, a, b))


def edges(t):
    return [(t[k], t[(k + 1) % 3]) for k in range(3)]


def in_triangle(x, t):
    n = cross(minus(t[1], t[0]), minus(t[2], t[0]))
    if not any(n):
        return any(on_segment(x, a, b) for a, b in edges(t))
    if dot(n, minus(x, t[0])):
        return False
    return all(dot(n, cross(minus(b, a), minus(x, a))) >= 0 for a, b in edges(t))


def pierced(p, q):
    """The points where edges of p cross the plane of q, within q."""
    n = cross(minus(q[1], q[0]), minus(q[2], q[0]))
    for a, b in edges(p):
        g, h = dot(n, minus(a, q[0])), dot(n, minus(b, q[0]))
        if g * h < 0:
            x = tuple(u + (v - u) * g / (g - h) for u, v in zip(a, b))
            if in_triangle(x, q):
                yield x


def crossed(p, q):
    """The points where edges of both cross in a plane."""
    for a, b in edges(p):
        for c, d in edges(q):
            u, v, w = minus(b, a), minus(d, c), minus(c, a)
            n = cross(u, v)
            if not any(n) or dot(w, n):
                continue
            s, t = dot(cross(w, v), n) / dot(n, n), dot(cross(w, u), n) / dot(n, n)
            if 0 <= s <= 1 and 0 <= t <= 1:
                yield tuple(x + s * y for x, y in zip(a, u))


def ends_of(p, q):
    """The two points of their intersection that are farthest apart, of ties the least pair."""
    found = {x for x in p if in_triangle(x, q)} | {x for x in q if in_triangle(x, p)}
    found |= {*pierced(p, q), *pierced(q, p), *crossed(p, q)}
    pairs = [(-dot(minus(x, y), minus(x, y)), *sorted((x, y))) for x in found for y in found]
    return min(pairs)[1:] if pairs else None


def feature_of(x, t):
    for k in range(3):
        if t[k] == x:
            return k
    for k, (a, b) in enumerate(edges(t)):
        if on_segment(x, a, b):
            return 3 + k
    return FACE


# ---- files


def write(path, points, triangles, objects):
    with h5py.File(path, "w") as file:
        root = file.create_group("VTKHDF")
        root.attrs["Version"] = (2, 0)
        root.attrs.create("Type", b"PolyData", dtype=h5py.string_dtype("ascii", 8))
        root["NumberOfPoints"] = [len(points)]
        root["Points"] = points
        for kind in ("Vertices", "Lines", "Polygons", "Strips"):
            cells = triangles if kind == "Polygons" else np.empty((0, 3), np.int64)
            group = root.create_group(kind)
            group["NumberOfCells"] = [len(cells)]
            group["NumberOfConnectivityIds"] = [cells.size]
            group["Offsets"] = np.arange(len(cells) + 1) * 3
            group["Connectivity"] = cells.astype(np.int64).ravel()
        root["CellData/ObjectId"] = objects.astype(np.int32)


def rows(path):
    with h5py.File(path) as file:
        root = file["VTKHDF"]
        data = root["CellData"]
        return (data["PrimitiveA"][:], data["PrimitiveB"][:], root["Points"][:].reshape(-1, 2, 3),
                data["EndFeatures"][:].reshape(-1, 2, 2))


def name_of(feature, corners):
    """The vertices of the features of two triangles at an end."""
    sets = [(c[f],) if f < 3 else tuple(sorted((c[f - 3], c[(f - 2) % 3]))) if f < FACE else tuple(sorted(c))
            for f, c in zip(feature, corners)]
    if min(feature) < 3:
        return min(s for s in sets if len(s) == 1)
    return tuple(sorted(sets, key=lambda s: (len(s), s)))


def rounded(x):
    """float() of a fraction is correctly rounded."""
    return tuple(float(y) + 0.0 for y in x)


# ---- checks


def check_rows(what, points, triangles, result, simple):
    """simple: names and exact points are one to one. Returns the names with their points."""
    exact = [tuple(map(Fraction, map(float, p))) for p in points]
    names, places = {}, {}
    for a, b, ends, features in zip(*rows(result)):
        corners = [tuple(map(int, triangles[i])) for i in (a, b)]
        p, q = ([exact[v] for v in c] for c in corners)
        want = ends_of(p, q)
        got = [tuple(x) for x in ends.tolist()]
        right = want and sorted(map(rounded, want)) == got
        expect(right, f"{what}: {a} {b}: {got} for {want}")
        if not right:
            return {}
        if rounded(want[0]) > rounded(want[1]):
            want = want[::-1]
        for x, bits, feature in zip(want, got, features.tolist()):
            name = name_of(feature, corners)
            expect(feature == [feature_of(x, p), feature_of(x, q)], f"{what}: {a} {b}: features {feature}")
            expect(names.setdefault(name, (x, bits)) == (x, bits), f"{what}: {name} is two points")
            expect(not simple or places.setdefault(x, name) == name, f"{what}: {x} has two names")
    return {name: bits for name, (_, bits) in names.items()}


def disordered(points, triangles, objects, seed):
    """The same with vertices and triangles in another order. Returns the new numbers of vertices, too."""
    r = np.random.default_rng(seed)
    new, order = r.permutation(len(points)), r.permutation(len(triangles))
    moved = np.empty_like(points)
    moved[new] = points
    turned = np.array([np.roll(new[t], k) for t, k in zip(triangles, r.integers(0, 3, len(triangles)))])
    return moved, turned[order], objects[order], new


def renamed(name, new):
    if isinstance(name[0], tuple):
        return tuple(sorted((tuple(sorted(int(new[v]) for v in s)) for s in name), key=lambda s: (len(s), s)))
    return tuple(int(new[v]) for v in name)


def check_scene(what, scene, simple, *options):
    """On all devices, in two orders."""
    points, triangles, objects = scene
    write("a.vtkhdf", points, triangles, objects)
    other = disordered(points, triangles, objects, len(points))
    write("b.vtkhdf", *other[:3])
    first = None
    for device in DEVICES:
        impinge("run", "a.vtkhdf", "-o", "r.vtkhdf", "--force", "--end-features", "--device", device, *options,
                *(("--space", "2") if device == "cpu" and simple else ()))
        found = rows("r.vtkhdf")
        if first is None:
            names, first = check_rows(what, points, triangles, "r.vtkhdf", simple), found
            expect(names, f"{what}: no contacts")
        same = all(np.array_equal(x, y) for x, y in zip(first, found))
        expect(same, f"{what}: {device} differs")
    impinge("run", "b.vtkhdf", "-o", "r.vtkhdf", "--force", "--end-features", *options)
    turned = check_rows(what + ", in another order", other[0], other[1], "r.vtkhdf", simple)
    # of two vertices at one point the lesser number gives the name, which the order of vertices may change
    bits = {renamed(name, other[3]): x for name, x in names.items() if isinstance(name[0], tuple)}
    expect(not simple or bits == {name: x for name, x in turned.items() if isinstance(name[0], tuple)},
           f"{what}: other ends in another order")
    expect(set(names.values()) == set(turned.values()), f"{what}: other points in another order")
    impinge("check", "r.vtkhdf", "--input", "b.vtkhdf")
    return names


# ---- scenes


def sheet(n, heights, corner, step):
    """A height field of 2 n^2 triangles."""
    at = np.arange(n + 1)
    x, y = np.meshgrid(at, at, indexing="ij")
    points = np.stack([corner + x.ravel() * step, corner + y.ravel() * step, heights.ravel()], 1)
    v = (x[:-1, :-1] * (n + 1) + y[:-1, :-1]).ravel()
    return points, np.concatenate([np.stack([v, v + n + 1, v + 1], 1), np.stack([v + 1, v + n + 1, v + n + 2], 1)])


def sheets(r, n, whole, shift):
    """Two height fields that cut each other: whole numbers make many degenerate contacts."""
    heights = [r.integers(-1, 2, (n + 1, n + 1)) if whole else r.normal(size=(n + 1, n + 1)) for _ in range(2)]
    p, t = sheet(n, heights[0].astype(float), 0.0, 1.0)
    q, u = sheet(n, heights[1].astype(float), shift, 1.0)
    return np.concatenate([p, q]), np.concatenate([t, u + len(p)]), np.repeat([0, 1], [len(t), len(u)])


def soup(r, n, whole):
    """Triangles on few vertices, some without area, some duplicates."""
    points = r.integers(-2, 3, (n, 3)).astype(float) if whole else r.normal(size=(n, 3))
    return points, r.integers(0, n, (2 * n, 3)), np.zeros(2 * n)


def scaled(scene, factor):
    return scene[0] * factor, scene[1], scene[2]


def check_scenes():
    r = np.random.default_rng(5)
    check_scene("sheets of whole numbers", sheets(r, 6, True, 0.0), True)
    check_scene("sheets of whole numbers, beside", sheets(r, 6, True, 0.5), True)
    check_scene("sheets", sheets(r, 6, False, 0.25), True)
    check_scene("a sheet in itself", soup(r, 30, False), False, "--adjacent", "test")
    check_scene("soup of whole numbers", soup(r, 24, True), False)
    check_scene("soup of whole numbers, adjacent", soup(r, 24, True), False, "--adjacent", "test")
    for power in (300, -300, 1000, -1000):
        check_scene(f"sheets 2^{power}", scaled(sheets(r, 4, power % 3 == 0, 0.25), 2.0**power), True)
    points, triangles, objects = sheets(r, 6, False, 0.25)
    check_scene("float32", (points.astype(np.float32), triangles, objects), True)
    points[:, 2] *= 2.0**-1040  # vanish, or lose bits, in units of the frame
    points[0] = 2.0**60
    check_scene("tiny heights", (points, triangles, objects), True)
    points, triangles, objects = sheets(r, 6, False, 0.25)
    points[:49, 2] = 2.0**-1040
    points[49:] = points[49:, [2, 1, 0]] + (3, 0, -3)
    points[0] = 2.0**60
    check_scene("a wall through tiny, equal heights", (points, triangles, objects), True)


def check_real(data):
    """torus-sphere, frame 24: three closed curves of 832 points."""
    path = os.path.join(data, "torus-sphere-surface.vtkhdf")
    if not os.path.exists(path):
        print("  (without real data)")
        return
    with h5py.File(path) as file:
        root = file["VTKHDF"]
        steps = root["Steps"]
        part, first = steps["PartOffsets"][24], steps["PointOffsets"][24]
        points = root["Points"][first : first + root["NumberOfPoints"][part]]
        cells = root["Polygons/NumberOfConnectivityIds"][part]
        begin = steps["ConnectivityIdOffsets"][24, 2]
        triangles = root["Polygons/Connectivity"][begin : begin + cells].reshape(-1, 3)
    for device in DEVICES:
        impinge("run", path, "-o", "real.vtkhdf", "--force", "--frames", "24:25", "--end-features", "--device", device)
        names = check_rows("torus-sphere", points, triangles, "real.vtkhdf", True)
        expect(len(names) == 832 and len(set(names.values())) == 832, f"{len(names)} ends of 832")


DEVICES = devices()
check_scenes()
check_real(sys.argv[2])
sys.exit(status())
