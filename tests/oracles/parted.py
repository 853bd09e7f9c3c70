"""The regions into which curves cut surfaces, by rational arithmetic. Each triangle that a curve runs on is divided into
convex cells by the lines of all its segments. Cells are joined across pieces of lines, and of edges of the mesh, that
segments do not cover wholly."""
import math
from collections import defaultdict
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from curves import curves
from vectors import cross, dot, minus


class Parts(NamedTuple):
    """A region: of an object, cut by the contours with another one."""
    object: int
    other: int
    shares: dict  # of faces
    vertices: int
    contours: int
    area: float


class Union:
    def __init__(self):
        self.parent = {}

    def root(self, x):
        self.parent.setdefault(x, x)
        while self.parent[x] != x:
            self.parent[x] = x = self.parent[self.parent[x]]
        return x

    def join(self, x, y):
        self.parent[self.root(x)] = self.root(y)


# ---- a triangle in its plane


def line_of(p, q):
    """a x + b y = c, the same for all points of it."""
    a, b = p[1] - q[1], q[0] - p[0]
    scale = a or b
    return a / scale, b / scale, (a * p[0] + b * p[1]) / scale


def split(polygon, line):
    """The parts of a convex polygon on either side of a line that has points within it; else the polygon."""
    side = [line[0] * x + line[1] * y - line[2] for x, y in polygon]
    if min(side) >= 0 or max(side) <= 0:
        return [polygon]
    parts = [], []
    for i, q in enumerate(polygon):
        p, before, now = polygon[i - 1], side[i - 1], side[i]
        if before * now < 0:
            s = before / (before - now)
            cut = p[0] + (q[0] - p[0]) * s, p[1] + (q[1] - p[1]) * s
            parts[0].append(cut)
            parts[1].append(cut)
        if now >= 0:
            parts[0].append(q)
        if now <= 0:
            parts[1].append(q)
    return list(parts)


def doubled(polygon):
    return abs(sum(p[0] * q[1] - p[1] * q[0] for p, q in zip(polygon, polygon[1:] + polygon[:1])))


def along(p, q, x):
    """Where x is from p, 0, to q, 1; x is on their line."""
    k = 0 if p[0] != q[0] else 1
    return (x[k] - p[k]) / (q[k] - p[k])


def is_between(p, q, x):
    """Whether a point is on a segment."""
    d = minus(q, p)
    return not any(cross(d, minus(x, p))) and 0 <= dot(d, minus(x, p)) <= dot(d, d)


def covering(p, q, found):
    """The parts of the segment from p to q that segments on its line cover: of each (from, to, contour)."""
    out = []
    for (x, y), contour in found:
        low, high = sorted((along(p, q, x), along(p, q, y)))
        if low < 1 and high > 0:
            out.append((max(low, 0), min(high, 1), contour))
    return out


def covered(low, high, parts):
    """Whether they cover all between low and high."""
    at = low
    for a, b, _ in sorted(parts):
        if a > at:
            return False
        at = max(at, b)
    return at >= high


class Face:
    """A triangle with the segments in it: its cells, the borders between them, and pieces of its edges."""

    def __init__(self, corners, lines):
        """lines: [(p, q), contour]"""
        normal = cross(minus(corners[1], corners[0]), minus(corners[2], corners[0]))
        k = max(range(3), key=lambda i: abs(normal[i]))
        self.flat = lambda p: p[:k] + p[k + 1:]
        self.corners = [self.flat(p) for p in corners]
        self.on = defaultdict(list)
        for (p, q), contour in lines:
            p, q = self.flat(p), self.flat(q)
            self.on[line_of(p, q)].append(((p, q), contour))
        self.cells = [self.corners]
        for line in self.on:
            self.cells = [part for cell in self.cells for part in split(cell, line)]
        self.shares = [doubled(cell) / doubled(self.corners) for cell in self.cells]
        assert sum(self.shares) == 1

    def borders(self):
        """Of each piece between two cells: the cells, and the contours that cover it, or None."""
        at = defaultdict(list)
        for i, cell in enumerate(self.cells):
            for p, q in zip(cell, cell[1:] + cell[:1]):
                at[frozenset((p, q))].append(i)
        for ends, both in at.items():
            if len(both) == 2:
                p, q = ends
                parts = covering(p, q, self.on[line_of(p, q)])
                yield both, {x[2] for x in parts} if covered(0, 1, parts) else None

    def edge(self, i, j):
        """The pieces of the edge from corner i to j: (from, to, cell)."""
        u, v = self.corners[i], self.corners[j]
        line = line_of(u, v)
        for k, cell in enumerate(self.cells):
            for p, q in zip(cell, cell[1:] + cell[:1]):
                if all(line[0] * x + line[1] * y == line[2] for x, y in (p, q)):
                    yield (*sorted((along(u, v, p), along(u, v, q))), k)

    def edge_parts(self, i, j):
        """Those that segments cover."""
        u, v = self.corners[i], self.corners[j]
        return covering(u, v, self.on.get(line_of(u, v), []))


class Needle:
    """A triangle without area, cut where contours come to both of its sides at one point."""

    def __init__(self, corners, ends):
        """ends: of each edge, by its two corners, the points on it where segments end, with their contours."""
        self.on = {}
        k = max(range(3), key=lambda k: max(p[k] for p in corners) - min(p[k] for p in corners))
        low, high = (choose((0, 1, 2), key=lambda i: corners[i][k]) for choose in (min, max))
        where = lambda p: (p[k] - corners[low][k]) / (corners[high][k] - corners[low][k])
        self.corners = [where(p) for p in corners]
        sides = defaultdict(set), defaultdict(set)
        for edge, points in ends.items():
            for p, contour in points:
                sides[set(edge) != {low, high}][where(p)].add(contour)
        cuts = sorted(s for s in sides[0].keys() & sides[1].keys() if 0 < s < 1)
        self.between = [sides[0][s] | sides[1][s] for s in cuts]
        self.spans = list(zip([Fraction(0), *cuts], [*cuts, Fraction(1)]))
        self.cells = [[s for s in self.corners if a <= s <= b] for a, b in self.spans]
        self.shares = [b - a for a, b in self.spans]

    def borders(self):
        for i, contours in enumerate(self.between):
            yield (i, i + 1), contours

    def edge(self, i, j):
        u, v = self.corners[i], self.corners[j]
        for k, (a, b) in enumerate(self.spans):
            low, high = sorted(((a - u) / (v - u), (b - u) / (v - u)))
            if low < 1 and high > 0:
                yield max(low, Fraction(0)), min(high, Fraction(1)), k

    def edge_parts(self, i, j):
        return []


# ---- a surface


class Surface:
    """The triangles of an object, and the segments of contours on them."""

    def __init__(self, mesh, faces, lines):
        """mesh: points and triangles; lines: [(p, q), contour] of each face that has any."""
        self.points, self.triangles = mesh
        self.lines, self.pieces, self.barriers = lines, Union(), []
        self.edges, self.face = defaultdict(list), {}
        self.parts = defaultdict(list)  # of an edge that segments cover
        whole = Union()
        for f in faces:
            corner = [int(v) for v in self.triangles[f]]
            for i, j in ((0, 1), (1, 2), (2, 0)):
                if corner[i] > corner[j]:
                    i, j = j, i
                self.edges[corner[i], corner[j]].append((f, i, j))
            whole.root(f)
        for around in self.edges.values():
            for f, _, _ in around[1:]:
                whole.join(around[0][0], f)
        touched = {whole.root(f) for f in lines}
        self.faces = [f for f in faces if whole.root(f) in touched]
        self.whole = whole
        self.cut()

    def corners(self, f):
        return [self.points[v] for v in self.triangles[f]]

    def cut(self):
        for f in self.faces:
            self.pieces.root((f, 0))
            if f not in self.lines:
                continue
            self.add(f, Face(self.corners(f), self.lines[f]))
        for stack in self.stacks():
            inner = self.inner_ends(stack)
            for f in stack:
                self.add(f, Needle(self.corners(f), self.ends_beside(f, inner)))
        kept = set(self.faces)
        for edge, around in self.edges.items():
            if around[0][0] in kept and len(around) > 1:
                self.cut_edge(around)

    def add(self, f, face):
        self.face[f] = face
        for (a, b), contours in face.borders():
            self.meet([(f, a), (f, b)], contours)

    def is_needle(self, f):
        p = self.corners(f)
        return len(set(p)) == 3 and not any(cross(minus(p[1], p[0]), minus(p[2], p[0])))

    def edges_of(self, f):
        """Of each edge of a triangle its corners, and its vertices in order."""
        corner = [int(v) for v in self.triangles[f]]
        for i, j in ((0, 1), (1, 2), (2, 0)):
            yield (i, j), tuple(sorted((corner[i], corner[j])))

    def ends_on(self, edge):
        """The points on an edge where segments of the triangles beside it end, with their contours."""
        u, v = (self.points[x] for x in edge)
        found = [(x, c) for g, _, _ in self.edges[edge] for ends, c in self.lines.get(g, ()) for x in ends]
        return [(x, c) for x, c in found if is_between(u, v, x)]

    def ends_beside(self, f, inner):
        """Of each edge of a triangle these points, and those of the stack that are within it."""
        out = {}
        for corners, edge in self.edges_of(f):
            u, v = (self.points[x] for x in edge)
            out[corners] = self.ends_on(edge) + [(x, c) for x, c in inner if is_between(u, v, x) and x not in (u, v)]
        return out

    def stacks(self):
        """Triangles without area that are connected by edges."""
        needles, of = {f for f in self.faces if f not in self.lines and self.is_needle(f)}, defaultdict(list)
        union = Union()
        for f in sorted(needles):
            union.root(f)
            for _, edge in self.edges_of(f):
                for g, _, _ in self.edges[edge]:
                    if g in needles:
                        union.join(f, g)
        for f in sorted(needles):
            of[union.root(f)].append(f)
        return of.values()

    def inner_ends(self, stack):
        """Points to which contours come on two edges of a stack, or on one and at a vertex, with their contours."""
        at = defaultdict(set)
        for edge in {edge for f in stack for _, edge in self.edges_of(f)}:
            for x, c in self.ends_on(edge):
                where = [v for v in edge if self.points[v] == x]
                at[x].add((tuple(where) or edge, c))
        return [(x, c) for x, found in at.items() if len({where for where, _ in found}) > 1 for _, c in found]

    def cut_edge(self, around):
        pieces, parts = [], []
        for f, i, j in around:
            if f in self.face:
                pieces += [(*x[:2], (f, x[2])) for x in self.face[f].edge(i, j)]
                parts += self.face[f].edge_parts(i, j)
            else:
                pieces.append((Fraction(0), Fraction(1), (f, 0)))
        ends = sorted({x for piece in pieces + parts for x in piece[:2]})
        for low, high in zip(ends, ends[1:]):
            over = {x[2] for x in parts if x[0] <= low and high <= x[1]}
            self.meet([cell for a, b, cell in pieces if a <= low and high <= b], over or None)

    def meet(self, cells, contours):
        """Cells have a piece in common, along which these contours run, or None."""
        for x, y in combinations(cells, 2):
            if contours is None:
                self.pieces.join(x, y)
            else:
                self.barriers.append((x, y, contours))

    # ---- regions

    def regions(self):
        """Cells of each region, by its root."""
        out = defaultdict(list)
        for f in self.faces:
            for i in range(len(self.face[f].cells) if f in self.face else 1):
                out[self.pieces.root((f, i))].append((f, i))
        return out

    def shares(self, cells):
        out = defaultdict(Fraction)
        for f, i in cells:
            out[f] += self.face[f].shares[i] if f in self.face else 1
        return dict(out)

    def area(self, shares):
        total = []
        for f, share in shares.items():
            p = self.corners(f)
            normal = cross(minus(p[1], p[0]), minus(p[2], p[0]))
            total.append(float(share) * math.sqrt(dot(normal, normal)) / 2)
        return math.fsum(total)

    def vertices(self, cells):
        """Corners of the mesh that the cells have, and that no segment has."""
        out = set()
        for f, i in cells:
            face = self.face.get(f)
            for k, v in enumerate(self.triangles[f]):
                if not face or face.corners[k] in face.cells[i]:
                    out.add(int(v))
        return out - self.on_contours()

    def on_contours(self):
        """Vertices that segments run through."""
        if not hasattr(self, "_on"):
            self._on = set()
            for f, face in self.face.items():
                for line, found in face.on.items():
                    for k, x in enumerate(face.corners):
                        if line[0] * x[0] + line[1] * x[1] == line[2] and any(0 <= along(*ends, x) <= 1 for ends, _ in found):
                            self._on.add(int(self.triangles[f][k]))
        return self._on

    def bounds(self):
        """The barriers that have different regions on either side."""
        for x, y, contours in self.barriers:
            a, b = self.pieces.root(x), self.pieces.root(y)
            if a != b:
                yield a, b, contours


def two_sides(regions, next_to, largest):
    """The regions of either side, from the largest one on; None if a region is on both."""
    side, left = {largest: 0}, [largest]
    for a in left:
        for b in next_to[a]:
            if b not in side:
                side[b] = 1 - side[a]
                left.append(b)
    if any(side[a] == side[b] for a in regions for b in next_to[a]):
        return None
    return [[a for a in regions if side[a] == k] for k in (0, 1)]


def listed(areas, beside):
    """The regions of a surface that are listed; where areas are equal, of each choice. beside: pairs of regions."""
    next_to = defaultdict(set)
    for a, b in beside:
        next_to[a].add(b)
        next_to[b].add(a)

    def same(x, y):
        return abs(x - y) <= 1e-12 * max(x, y)

    most, choices = max(areas.values()), []
    for largest in [a for a in areas if same(areas[a], most)]:
        sides = two_sides(areas, next_to, largest)
        if sides is None:
            choices.append([a for a in areas if a != largest])
            continue
        sums = [math.fsum(areas[a] for a in side) for side in sides]
        choices += [side for side, own in zip(sides, sums) if same(own, min(sums))]
    return choices


class Parting(NamedTuple):
    object: int
    other: int
    contours: int
    parting: int
    regions: int


def parted(points, triangles, objects, lines, skipped=()):
    """Of all objects with contours the regions that may be listed, as choices for each surface, and the partings.
    lines: as of curves.segments; skipped: triangles that are left out."""
    faces = defaultdict(list)
    for f, o in enumerate(objects):
        if f not in skipped:
            faces[int(o)].append(f)
    surfaces, partings = [], []
    for pair in sorted(lines):
        if not lines[pair]:
            continue
        number = {}
        for n, (path, closed) in enumerate(curves(lines[pair])):
            for p, q in zip(path, path[1:] + path[:1] if closed else path[1:]):
                number[frozenset((p, q))] = n
        for o, other in {pair, pair[::-1]}:
            own = defaultdict(list)
            for line, of in lines[pair].items():
                for f in of:
                    if objects[f] == o:
                        own[f].append((tuple(line), number[line]))
            found, parting = regions_of(Surface((points, triangles), faces[o], own), o, other)
            surfaces += found
            partings.append(Parting(o, other, max(number.values()) + 1, len(parting[0]), parting[1]))
    return surfaces, sorted(partings)


def regions_of(surface, o, other):
    """Of each surface that is cut the choices; the contours that part, and the number of regions."""
    found, beside, contours = surface.regions(), defaultdict(set), defaultdict(set)
    for a, b, of in surface.bounds():
        beside[surface.whole.root(a[0])].add((a, b))
        contours[a] |= of
        contours[b] |= of
    made = {}
    for root, cells in found.items():
        shares = surface.shares(cells)
        made[root] = Parts(o, other, shares, len(surface.vertices(cells)), len(contours[root]), surface.area(shares))
    out = []
    for where, pairs in beside.items():
        areas = {root: made[root].area for root in found if surface.whole.root(root[0]) == where}
        out.append([[made[root] for root in choice] for choice in listed(areas, pairs)])
    return out, (set().union(*contours.values()), len(found))
