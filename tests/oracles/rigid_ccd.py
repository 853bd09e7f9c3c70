"""Rigid bodies that turn, by any number of turns and anywhere: a pair that stays apart by more than the
separation, the tolerance and what points are off their poses has no row, one that comes as near as the separation
has one, and at the share of each row the two are that near. The truth is that of data/format.md, by numbers of 60
digits. impinge's own check agrees with every result.

In a scene one primitive has a topmost vertex, edge or face, and the other one a lowest one just above that, so the
distance of both is known.

  rigid_ccd.py IMPINGE FOLDER [SCENES [SEED]]
"""
import subprocess
import sys

import h5py
import mpmath as mp
import numpy as np

mp.mp.dps = 60
OFFSETS = (0, 1e3, 5e5, 1e6, 1e9)
SIZES = (1e-3, 1, 1e3)
TURNS = (0, 0, 1, 2, 17, 1000)
TOLERANCES = (None, None, 1e-3, 1e-7, 1e-11)  # of the size and the distance from the axis
ROUNDED = 8 * 2.0**-52  # how far points may be off their poses, of |centre| + radius


# ---- a batch


def dataset(group, name, values, kind=np.int64):
    group.create_dataset(name, data=np.asarray(values, kind))


def write(path, points, triangles, objects, bodies):
    """points (frames, n, 3); bodies: of each object that is one (rest (k, 3), centre (frames, 3), rotation (frames, 4),
    spin (frames, 3)), in ascending order."""
    frames, n, _ = points.shape
    count = len(triangles)
    with h5py.File(path, "w", libver=("earliest", "v110")) as f:
        v = f.create_group("VTKHDF")
        v.attrs.create("Version", np.array([2, 0]))
        v.attrs.create("Type", np.bytes_("PolyData"))
        dataset(v, "NumberOfPoints", [n])
        v["Points"] = points.reshape(-1, 3)
        for name in ("Vertices", "Lines", "Strips", "Polygons"):
            cells = count if name == "Polygons" else 0
            g = v.create_group(name)
            dataset(g, "NumberOfCells", [cells])
            dataset(g, "NumberOfConnectivityIds", [3 * cells])
            dataset(g, "Connectivity", np.ravel(triangles) if cells else [])
            dataset(g, "Offsets", 3 * np.arange(cells + 1))
        s = v.create_group("Steps")
        s.attrs.create("NSteps", np.int64(frames))
        dataset(s, "Values", np.arange(frames), np.float64)
        dataset(s, "PartOffsets", np.zeros(frames))
        dataset(s, "NumberOfParts", np.ones(frames))
        dataset(s, "PointOffsets", n * np.arange(frames))
        dataset(s, "CellOffsets", np.zeros((frames, 4)))
        dataset(s, "ConnectivityIdOffsets", np.zeros((frames, 4)))
        dataset(v.create_group("CellData"), "ObjectId", objects, np.int32)
        dataset(s.create_group("CellDataOffsets"), "ObjectId", np.zeros(frames))
        b = f.create_group("impinge/bodies")
        dataset(b, "object_id", sorted(bodies), np.int32)
        dataset(b, "point_offsets", np.cumsum([0] + [len(bodies[k][0]) for k in sorted(bodies)]))
        b["points"] = np.concatenate([bodies[k][0] for k in sorted(bodies)])
        for at, name in ((1, "centre"), (2, "rotation"), (3, "angular_velocity")):
            b[name] = np.stack([bodies[k][at] for k in sorted(bodies)], axis=1).reshape(frames * len(bodies), -1)


# ---- vectors and quaternions w x y z of 60 digits


def exact(values):
    return [mp.mpf(float(x)) for x in values]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def minus(a, b):
    return [x - y for x, y in zip(a, b)]


def cross(a, b):
    return [a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3] for k in range(3)]


def size(a):
    return mp.sqrt(dot(a, a))


def unit(a):
    s = size(a)
    return [x / s for x in a] if s else a


def times(p, q):
    v = [p[0] * q[1 + k] + q[0] * p[1 + k] + c for k, c in enumerate(cross(p[1:], q[1:]))]
    return [p[0] * q[0] - dot(p[1:], q[1:])] + v


def back(q):
    return [q[0]] + [-x for x in q[1:]]


def turned(q, x):
    return times(times(q, [mp.mpf(0)] + list(x)), back(q))[1:]


def about(axis, angle):
    return [mp.cos(angle / 2)] + [mp.sin(angle / 2) * x for x in axis]


class Way:
    """The rotation of a body from pose to pose, as data/format.md has it."""

    def __init__(self, rotation, spin):
        first, last = (unit(exact(q)) for q in rotation)
        between = times(last, back(first))
        between = [-x for x in between] if between[0] < 0 else between
        self.first, self.spin = first, exact(spin)
        sine, fast = size(between[1:]), size(self.spin)
        self.left = None
        self.angle = 2 * mp.atan2(sine, between[0])
        self.axis = unit(between[1:])
        if fast <= mp.pi:
            return
        if sine < mp.mpf(2) ** -24:
            self.left, self.angle, self.axis = (self.axis, self.angle), mp.mpf(0), unit(self.spin)
        self.angle += 2 * mp.pi * mp.floor((dot(self.spin, self.axis) - self.angle) / (2 * mp.pi) + mp.mpf(1) / 2)

    def at(self, share):
        q = times(about(self.axis, share * self.angle), self.first)
        return times(about(self.left[0], share * self.left[1]), q) if self.left else q


class Primitive:
    """A triangle of a batch, at any share of the step between its two frames."""

    def __init__(self, points, body):
        self.points = [[exact(x) for x in frame] for frame in points]
        self.off, self.way = mp.mpf(0), None
        if body is None:
            return
        self.rest, self.centre = [exact(x) for x in body[0]], [exact(x) for x in body[1]]
        self.way = Way(body[2], body[3][0])
        for e in (0, 1):
            q = unit(exact(body[2][e]))
            for x, p in zip(self.points[e], self.rest):
                placed = [a + c for a, c in zip(turned(q, p), self.centre[e])]
                self.off = max(self.off, size(minus(x, placed)))

    def at(self, share):
        share = mp.mpf(share)
        if self.way is None:
            return [[(1 - share) * a + share * b for a, b in zip(x, y)] for x, y in zip(*self.points)]
        q = self.way.at(share)
        centre = [(1 - share) * a + share * b for a, b in zip(*self.centre)]
        return [[a + c for a, c in zip(turned(q, p), centre)] for p in self.rest]

    def most(self, n):
        """The most that any of its vertices has along n, all the way, or more: of a turn the whole circle."""
        if self.way is None:
            return max(dot(n, x) for frame in self.points for x in frame)
        centre = max(dot(n, c) for c in self.centre)
        little = self.way.left[1] if self.way.left else 0
        most = []
        for p in self.rest:
            x = turned(self.way.first, p)
            u = self.way.axis
            along = dot(u, x)
            across = [a - along * b for a, b in zip(x, u)]
            most.append(along * dot(n, u) + mp.hypot(dot(n, across), dot(n, cross(u, across))) + little * size(x))
        return centre + max(most)


# ---- distances


def to_edge(p, a, b):
    e, w = minus(b, a), minus(p, a)
    square = dot(e, e)
    t = min(max(dot(e, w) / square, 0), 1) if square else 0
    return size([x - t * y for x, y in zip(w, e)])


def to_face(p, x):
    u, v, w = minus(x[1], x[0]), minus(x[2], x[0]), minus(p, x[0])
    n = cross(u, v)
    square = dot(n, n)
    least = min(to_edge(p, x[k], x[(k + 1) % 3]) for k in range(3))
    if square:
        s, t = dot(cross(w, v), n) / square, dot(cross(u, w), n) / square
        if s >= 0 and t >= 0 and s + t <= 1:
            least = min(least, abs(dot(w, n)) / mp.sqrt(square))
    return least


def between_edges(a, b, c, d):
    e, f, g = minus(b, a), minus(d, c), minus(c, a)
    n = cross(e, f)
    square = dot(n, n)
    least = min(to_edge(a, c, d), to_edge(b, c, d), to_edge(c, a, b), to_edge(d, a, b))
    if square:
        s, t = dot(cross(g, f), n) / square, dot(cross(g, e), n) / square
        if 0 <= s <= 1 and 0 <= t <= 1:
            least = min(least, abs(dot(g, n)) / mp.sqrt(square))
    return least


def distance(x, y):
    faces = [to_face(p, y) for p in x] + [to_face(p, x) for p in y]
    edges = [between_edges(x[i], x[(i + 1) % 3], y[j], y[(j + 1) % 3]) for i in range(3) for j in range(3)]
    return min(faces + edges)


# ---- scenes


def flat(kind, r):
    """A vertex, an edge or a face (1, 2, 3 vertices at height 0) with the origin in it, and what is left of a
    triangle below that."""
    angle = r.uniform(0, 2 * np.pi) + np.array([0, 2.2, 4.3]) if kind == 3 else r.uniform(0, 2 * np.pi) + np.pi * np.arange(2)
    top = np.zeros((1, 3)) if kind == 1 else np.c_[np.cos(angle), np.sin(angle), 0 * angle] * r.uniform(0.3, 1, (kind, 1))
    low = r.uniform(-1, 1, (3 - kind, 3))
    low[:, 2] = -np.abs(low[:, 2]) - 0.01
    return np.concatenate([top, low])


def nearest(values):
    return np.array([float(x) for x in values])


def random_rotation(r):
    return unit(exact(r.normal(size=4)))


class Scene:
    """The lower primitive turns about the vertical axis through its top, so that both are always as near as now, or
    about a horizontal one far below, so that they are as near as that once in each turn."""

    def __init__(self, r):
        self.offset, self.size = r.choice(OFFSETS), r.choice(SIZES)
        self.around = float(r.choice([0, 0, 1, 300]))  # how far below, in sizes
        self.kinds = r.integers(1, [3 if self.around else 4, 4])
        self.turns = int(r.choice(TURNS)) * int(r.choice([-1, 1]))
        self.part = float(r.choice([r.uniform(-3, 3), 0, 1e-9])) if self.turns else r.uniform(-3, 3)
        self.partner = r.choice(["still", "together", "spins"]) if not self.around else "still"
        self.tolerance = r.choice(TOLERANCES)
        if self.tolerance:  # more turns take more looks
            self.tolerance = float(max(self.tolerance, 1e-10 * abs(self.turns))) * (1 + self.around)
        self.separation = float(r.choice([0, 0.1, 0.1]) * self.size)
        self.gap = r.choice(["beyond", "beyond", "within", "near"])
        self.angle = 2 * np.pi * self.turns + self.part
        self.when = r.uniform(0, min(2 * np.pi, abs(self.angle))) / abs(self.angle) if self.around else 0

    def __str__(self):
        return " ".join(f"{name}={value}" for name, value in vars(self).items())

    def make(self, r, allowed):
        """allowed: how far apart a pair with a row may be, but for what points are off."""
        room = allowed - self.separation
        height = {"beyond": allowed + 0.02 * room, "within": self.separation * 0.98, "near": self.separation + 0.5 * room}
        turn = random_rotation(r)
        place = np.array([1, 0.7, 0.1]) * self.offset + r.uniform(-1, 1, 3) * self.size
        noise = 16 * ROUNDED * (np.linalg.norm(place) + (3 + 2 * self.around) * self.size)
        low, high = flat(self.kinds[0], r), flat(self.kinds[1], r)
        if self.around and self.kinds[0] == 2:
            low[:2, 1] = 0  # along the axis
        low, high = low * self.size, high * self.size
        high[:, 2] = height[self.gap] + (noise if self.gap == "beyond" else 0) - high[:, 2]
        bodies, points = {}, []
        for k, own in enumerate((low, high)):
            angle = self.angle if k == 0 or self.partner == "together" else 2.5 * self.angle
            moves = k == 0 or self.partner != "still"
            points.append((self.turning if moves else self.still)(own, turn, place, angle, bodies, k, r))
        return np.concatenate(points, axis=1), bodies

    def still(self, own, turn, place, angle, bodies, k, r):
        x = [nearest(a + b for a, b in zip(exact(place), turned(turn, exact(p)))) for p in own]
        return np.array([x, x])

    def turning(self, own, turn, place, angle, bodies, k, r):
        """Points of both frames; of a body its vertices in coordinates of its own, which are turned."""
        below = [0, 0, -self.around * self.size]
        centre = nearest(a + b for a, b in zip(exact(place), turned(turn, exact(below))))
        axis = nearest(turned(turn, exact([1, 0, 0] if self.around else [0, 0, 1])))
        at_place = random_rotation(r)
        start = times(about(unit(exact(axis)), -mp.mpf(self.when) * angle), at_place)
        last = times(about(unit(exact(axis)), mp.mpf(angle)), start)
        rest = np.array([nearest(turned(times(back(at_place), turn), minus(exact(p), exact(below)))) for p in own])
        rotation = np.array([nearest(start), nearest(last)])
        spin = axis * angle if abs(angle) > np.pi else 0 * axis
        bodies[k] = rest, np.array([centre, centre]), rotation, np.array([spin, spin])
        return np.array([[nearest(a + b for a, b in zip(turned(unit(exact(q)), exact(p)), exact(centre))) for p in rest] for q in rotation])


def extent(points):
    return max(np.ptp(frame, axis=0).max() for frame in points)


def run(impinge, *args):
    done = subprocess.run([impinge, *map(str, args)], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def upwards(pair, when):
    """The direction from the first to the second one: along the axis about which the first one turns, or from its
    centre to its topmost vertices."""
    low, high = (x.at(when) for x in pair)
    up = [sum(x[k] for x in high) - sum(x[k] for x in low) for k in range(3)]
    axis = pair[0].way.axis
    along = dot(up, axis)
    if pair[0].around:
        out = max((minus(x, pair[0].centre[0]) for x in low), key=size)
        return unit(minus(out, [dot(out, axis) * a for a in axis]))
    return axis if along > 0 else [-x for x in axis]


def make(scene, r, given):
    """The scene, and its tolerance: that of the options depends on the extent, which hardly depends on that."""
    state, tolerance = r.bit_generator.state, given or 0.0
    for _ in range(2):
        r.bit_generator.state = state
        points, bodies = scene.make(r, scene.separation + tolerance)
        tolerance = given or 1e-6 * extent(points)
    return points, bodies, tolerance


def look(impinge, folder, scene, r):
    """Runs a scene. Returns whether there had to be a row, or none, or either was right."""
    batch, result = f"{folder}/turning.vtkhdf", f"{folder}/turning.out.vtkhdf"
    given = float(scene.tolerance * scene.size) if scene.tolerance else None
    points, bodies, tolerance = make(scene, r, given)
    write(batch, points, [[0, 1, 2], [3, 4, 5]], [0, 1], bodies)
    options = ["--tolerance", repr(given)] if given else []
    options += ["--min-separation", repr(scene.separation)] if scene.separation else []
    code, text = run(impinge, "run", batch, "-o", result, "--continuous", "--force", "-q", "--device", "cpu", *options)
    assert code == 0, text
    pair = [Primitive(points[:, 3 * k : 3 * k + 3], bodies.get(k)) for k in (0, 1)]
    pair[0].around = scene.around
    allowed = mp.mpf(scene.separation) + mp.mpf(tolerance) + pair[0].off + pair[1].off
    n = upwards(pair, scene.when)
    least = -pair[1].most([-x for x in n]) - pair[0].most(n)
    met = distance(*(x.at(scene.when) for x in pair)) <= scene.separation
    with h5py.File(result) as f:
        share, kind = f["VTKHDF/CellData/Share"][:], f["VTKHDF/CellData/Kind"][:]
    assert len(share) < 2
    if least > allowed:
        assert not len(share), f"a row, though they are {mp.nstr(least, 8)} apart and {mp.nstr(allowed, 8)} allowed"
    if met:
        assert len(share) and share[0] <= scene.when, f"met at {scene.when}, not {share}"
    for s, k in zip(share, kind):
        far = distance(*(x.at(s) for x in pair))
        assert k >= 16 or far <= allowed, f"a row at {s}, where they are {mp.nstr(far, 8)} apart, {mp.nstr(allowed, 8)} allowed"
    code, text = run(impinge, "check", result, "--input", batch)
    assert code == 0, text
    return "none" if least > allowed else "row" if met else "either"


def main(impinge, folder, scenes=300, seed=1):
    seen = {}
    for i in range(int(scenes)):
        r = np.random.default_rng([int(seed), i])
        scene = Scene(r)
        try:
            what = look(impinge, folder, scene, r)
        except AssertionError as wrong:
            raise AssertionError(f"scene {i}: {scene}: {wrong}")
        seen[what] = seen.get(what, 0) + 1
    print(seen)
    assert seen.get("none") and seen.get("row"), seen


if __name__ == "__main__":
    main(*sys.argv[1:])
