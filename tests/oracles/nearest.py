"""The nearest features of generated pairs, by Python's fractions: the oracle of check accepts these and no others.
A hull's point that is nearest to the origin is found by Wolfe's algorithm (1976), which moves from corner to corner,
and proved: no corner of the hull is nearer along its direction. The oracle solves the normal equations of all sets of
corners instead.

  nearest.py NEAREST CASES
"""
import math
import random
import subprocess
import sys
from fractions import Fraction as F

EDGES = ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3))
FACES = ((0, 1, 3), (1, 2, 3), (2, 0, 3), (0, 2, 1))
VERTEX_FACE, EDGE_EDGE, VERTEX_EDGE, VERTEX_VERTEX = 6, 7, 8, 9
MOST = float.fromhex("0x1.fffffffffffffp1023")
TINY = 2**-1074


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def minus(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def mean(weights, points):
    return tuple(sum(w * p[k] for w, p in zip(weights, points)) for k in range(3))


# ---- the point of a hull that is nearest to the origin


def solve(rows):
    """Gauss and Jordan; the matrix is regular."""
    n = len(rows)
    for c in range(n):
        pivot = next(r for r in range(c, n) if rows[r][c])
        rows[c], rows[pivot] = rows[pivot], rows[c]
        rows[c] = [x / rows[c][c] for x in rows[c]]
        for r in range(n):
            if r != c and rows[r][c]:
                rows[r] = [x - rows[r][c] * y for x, y in zip(rows[r], rows[c])]
    return [row[n] for row in rows]


def affine_nearest(points):
    """The weights, with sum 1, of the point nearest to the origin."""
    n = len(points)
    rows = [[F(0)] + [F(1)] * n + [F(1)]]
    rows += [[F(1)] + [dot(p, q) for q in points] + [F(0)] for p in points]
    return solve(rows)[1:]


def hull_nearest(points):
    """The nearest point, and the weights of all points."""
    corral = [min(range(len(points)), key=lambda i: dot(points[i], points[i]))]
    weights = [F(1)]
    while True:
        x = mean(weights, [points[i] for i in corral])
        square = dot(x, x)
        best = min(range(len(points)), key=lambda i: dot(points[i], x))
        if dot(points[best], x) >= square:
            out = [F(0)] * len(points)
            for i, w in zip(corral, weights):
                out[i] += w
            return x, out
        corral.append(best)
        weights.append(F(0))
        while True:
            to = affine_nearest([points[i] for i in corral])
            if min(to) >= 0:
                weights = to
                break
            part = min(w / (w - t) for w, t in zip(weights, to) if t < 0)
            weights = [w + part * (t - w) for w, t in zip(weights, to)]
            corral, weights = zip(*[(i, w) for i, w in zip(corral, weights) if w > 0])
            corral, weights = list(corral), list(weights)


# ---- the pairs of features


class Prim:
    def __init__(self, numbers, points):
        self.numbers = numbers
        self.points = points
        n = len(numbers)
        first = [numbers.index(x) for x in numbers]
        self.first = first
        self.vertices = [((v,), numbers[v]) for v in range(n) if first[v] == v]
        self.edges = [(e, i) for i, e in enumerate(EDGES) if max(e) < n and first[e[0]] != first[e[1]]]
        faces = enumerate(FACES) if n == 4 else [(0, (0, 1, 2))] if n == 3 else []
        self.faces = [(f, -1 - i) for i, f in faces if len({first[v] for v in f}) == 3]


def feature_pairs(a, b):
    for f in a.vertices:
        yield from ((VERTEX_FACE, f, g) for g in b.faces)
    for f in a.faces:
        yield from ((VERTEX_FACE, f, g) for g in b.vertices)
    for f in a.edges:
        yield from ((EDGE_EDGE, f, g) for g in b.edges)
    if not a.faces and not b.faces:
        if not a.edges:
            for f in a.vertices:
                yield from ((VERTEX_EDGE, f, g) for g in b.edges)
        if not b.edges:
            for f in a.edges:
                yield from ((VERTEX_EDGE, f, g) for g in b.vertices)
        if not a.edges and not b.edges:
            for f in a.vertices:
                yield from ((VERTEX_VERTEX, f, g) for g in b.vertices)


def between(p, q):
    """The shortest vector from one hull to another, and the weights of the corners of both."""
    d, weights = hull_nearest([minus(y, x) for x in p for y in q])
    n = len(q)
    return (
        d,
        [sum(weights[i * n : i * n + n]) for i in range(len(p))],
        [sum(weights[j::n]) for j in range(n)],
    )


def least_parameters(p, q, d):
    """Of the points of two edges with this difference those with the least parameters. The parameters s and t fulfil
    s u - t v = w in every coordinate."""
    u, v, w = minus(p[1], p[0]), minus(q[1], q[0]), minus(minus(q[0], p[0]), d)
    for i in range(3):
        j = (i + 1) % 3
        det = u[j] * v[i] - u[i] * v[j]
        if det:
            return (v[i] * w[j] - v[j] * w[i]) / det, (u[i] * w[j] - u[j] * w[i]) / det
    i = next((i for i in range(3) if u[i] or v[i]), 0)
    if not u[i]:
        return F(0), -w[i] / v[i] if v[i] else F(0)
    # s = c + k t
    c, k = w[i] / u[i], v[i] / u[i]
    if not k:
        return c, F(0)
    ends = sorted((max(F(0), min(F(1), (F(s) - c) / k)) for s in (0, 1)), key=lambda t: c + k * t)
    return c + k * ends[0], ends[0]


class Nearest:
    """The nearest features of a pair, or kind 0: they touch."""

    def __init__(self, a, b):
        d, _, _ = between(a.points, b.points)
        self.square = dot(d, d)
        self.kind, self.feature = 0, [0, 0]
        if not self.square:
            return
        found = []
        for kind, f, g in feature_pairs(a, b):
            p, q = [a.points[v] for v in f[0]], [b.points[v] for v in g[0]]
            d, *weights = between(p, q)
            found.append((dot(d, d), kind, f[1], g[1], f[0], g[0], d, weights, p, q))
        square, self.kind, *self.feature, f, g, d, weights, p, q = min(found, key=lambda x: x[:4])
        assert square == self.square
        if self.kind == EDGE_EDGE:
            s, t = least_parameters(p, q, d)
            weights = [[1 - s, s], [1 - t, t]]
        self.free = False  # the weights are not unique
        for w, x in zip(weights, (p, q)):
            assert min(w) >= 0 and sum(w) == 1
            u, v = minus(x[1], x[0]) if len(x) > 1 else (0,) * 3, minus(x[-1], x[0])
            self.free |= len(x) == 3 and dot(u, u) * dot(v, v) == dot(u, v) ** 2
        self.points = [mean(weights[0], p), mean(weights[1], q)]
        assert minus(self.points[1], self.points[0]) == d
        self.d = d
        self.weights = [[F(0)] * 4, [F(0)] * 4]
        for s, (prim, of) in enumerate(((a, f), (b, g))):
            for v, w in zip(of, weights[s]):
                self.weights[s][prim.first[v]] += w


# ---- claims in float64


def root(square, digits=1100):
    """The root rounded down to a multiple of 2^-digits."""
    return F(math.isqrt((square.numerator << 2 * digits) // square.denominator), 1 << digits)


def rounded_down(square):
    """The greatest float64 not above the root."""
    if square >= F(MOST) ** 2:
        return MOST
    x = float(root(square, 1200))
    while F(x) ** 2 > square:
        x = math.nextafter(x, 0)
    return x


def rounded(x):
    """Correctly; what is larger than all float64 does not occur."""
    return float(x) + 0.0


def unit(x, square):
    """x over the root of the square: within 2^-100 before it is rounded."""
    return float(root(x * x / square, 200) * (1 if x > 0 else -1)) + 0.0


def claim_of(n):
    return {
        "kind": [n.kind],
        "feature": list(n.feature),
        "distance": [rounded_down(n.square)],
        "weight": [rounded(w) for of in n.weights for w in of],
        "point": [rounded(x) for of in n.points for x in of],
        "normal": [unit(x, n.square) for x in n.d],
    }


def wrong_claim(right, n, prims, chance):
    """Changes one number by more than its tolerance."""
    claim = {name: list(values) for name, values in right.items()}
    name = chance.choice([x for x in claim if not (x == "weight" and n.free)])
    i = chance.randrange(len(claim[name]))
    x = claim[name][i]
    side = chance.choice((-1, 1))
    if name in ("kind", "feature"):
        claim[name][i] = x + side
    elif name == "distance":
        claim[name][i] = math.nextafter(x, math.inf if side > 0 or not x else 0)
    elif name == "point":
        values = [p[i % 3] for p in prims[i // 3].points]
        slack = F(max(values) - min(values), 2**47) + abs(F(x)) / 2**50 + 4 * F(TINY)
        try:
            claim[name][i] = float(F(x) + side * slack)
        except OverflowError:
            claim[name][i] = float(F(x) - side * slack)
    else:
        claim[name][i] = x - 2**-46 if x > 0.5 else x + 2**-46
    return claim


def text(distance, prims, claim):
    words = [float(distance).hex(), *(str(len(p.numbers)) for p in prims)]
    for p in prims:
        for number, x in zip(p.numbers, p.points):
            words += [str(number), *(float(c).hex() for c in x)]
    for name, values in claim.items():
        words += [str(x) if name in ("kind", "feature") else x.hex() for x in values]
    return " ".join(words)


def read_case(line):
    words = iter(line.split())
    group, distance = int(next(words)), float.fromhex(next(words))
    counts = int(next(words)), int(next(words))
    prims = []
    for n in counts:
        corners = [(int(next(words)), tuple(F(float.fromhex(next(words))) for _ in range(3))) for _ in range(n)]
        prims.append(Prim([c[0] for c in corners], [c[1] for c in corners]))
    return group, distance, prims


def main(program, count):
    chance = random.Random(1)
    lines = subprocess.run([program, "cases", count], check=True, capture_output=True, text=True).stdout
    asked, want = [], []
    none = {"kind": [6], "feature": [0, 0], "distance": [0.0], "weight": [0.0] * 8, "point": [0.0] * 6, "normal": [0.0] * 3}
    kinds = {}
    for line in lines.splitlines():
        group, distance, prims = read_case(line)
        n = Nearest(*prims)
        kinds[n.kind] = kinds.get(n.kind, 0) + 1
        if not n.kind:
            asked.append(text(0, prims, none))
            want.append((1, "they touch"))
            continue
        right = claim_of(n)
        near = right["distance"][0]
        for d in (distance, near, min(MOST, math.nextafter(near, math.inf)), math.nextafter(near, 0)):
            asked.append(text(d, prims, right))
            want.append((int(F(d) ** 2 >= n.square), "right"))
        for _ in range(3):
            asked.append(text(0, prims, wrong_claim(right, n, prims, chance)))
            want.append((0, "wrong"))
    said = subprocess.run([program, "check"], check=True, input="\n".join(asked) + "\n", capture_output=True, text=True)
    said = said.stdout.splitlines()
    faults = 0
    for question, answer, (within, verdict) in zip(asked, said, want, strict=True):
        first, rest = answer.split(" ", 1)
        if int(first) != within or (rest in ("right", "they touch") if verdict == "wrong" else rest != verdict):
            faults += 1
            if faults < 10:
                print(f"{question}\n  {answer}, not {within} {verdict}")
    print(f"{len(said)} claims about {sum(kinds.values())} pairs, by kind {kinds}; {faults} wrong verdicts")
    enough = all(kinds.get(kind, 0) > 2 for kind in (0, 6, 7, 8, 9))
    return 1 if faults or not enough else 0


sys.exit(main(sys.argv[1], sys.argv[2]))
