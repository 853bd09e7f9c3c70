"""Do two triangles meet, by separating axes? How far are a vertex and a face, or two edges, apart? In rational
numbers; no code of impinge or its peers."""

from fractions import Fraction


def rational(*corners):
    return [[Fraction(float(x)) for x in corner] for corner in corners]


def minus(a, b):
    return [x - y for x, y in zip(a, b)]


def cross(a, b):
    return [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def edges(t):
    return [minus(t[(i + 1) % 3], t[i]) for i in range(3)]


def separates(axis, p, q):
    """Is all of one triangle strictly on one side of the other, along this axis?"""
    x, y = ([dot(axis, corner) for corner in t] for t in (p, q))
    return max(x) < min(y) or max(y) < min(x)


def meet(p, q):
    """p, q: three corners each, of float64; triangles with an area. Those that touch meet."""
    p, q = rational(*p), rational(*q)
    if [0, 0, 0] in (normal(p), normal(q)):
        raise ValueError("a triangle without an area")
    return not apart(p, q)


def normal(t):
    return cross(*edges(t)[:2])


def apart(p, q):
    """Of two triangles at least one of which has an area; the other may be a segment, one end of which is twice."""
    every = edges(p) + edges(q)
    normals = [normal(p), normal(q)]
    axes = normals + [cross(e, f) for e in edges(p) for f in edges(q)]
    axes += [cross(n, e) for n in normals for e in every]  # in one plane
    return any(separates(axis, p, q) for axis in axes)


def meet_beyond(points, a, b):
    """Of two triangles given by vertex numbers: do they meet in a point that is not on what they share?"""
    p, q = rational(*points[a]), rational(*points[b])
    if [0, 0, 0] in (normal(p), normal(q)):
        raise ValueError("a triangle without an area")
    shared = set(a.tolist()) & set(b.tolist())
    own, other = ([corner for corner, k in zip(t, of) if k not in shared] for t, of in ((p, a), (q, b)))
    if not shared:
        return not apart(p, q)
    if len(shared) == 1:  # what they have in common is convex: it reaches an edge opposite of the shared corner
        return not (apart(p, [*other, other[1]]) and apart(q, [*own, own[1]]))
    return len(shared) == 3 or (cross(normal(p), normal(q)) == [0, 0, 0] and same_side(p, own[0], other[0]))


def same_side(p, corner, point):
    """Is a point in the plane of p on the side of a corner, seen from the opposite edge?"""
    start, end = (x for x in p if x != corner)
    return dot(*(cross(minus(end, start), minus(x, start)) for x in (corner, point))) > 0


# ---- distances, squared


def to_point(p, a):
    return dot(minus(p, a), minus(p, a))


def to_segment(p, a, b):
    along = minus(b, a)
    part = dot(minus(p, a), along)
    if part <= 0 or along == [0, 0, 0]:
        return to_point(p, a)
    length = dot(along, along)
    if part >= length:
        return to_point(p, b)
    return to_point(p, a) - part * part / length


def vertex_face(point, triangle):
    """The square of the distance; corners are of float64."""
    p, *t = rational(point, *triangle)
    sides, up = edges(t), normal(t)
    inside = up != [0, 0, 0] and all(
        dot(cross(up, side), minus(p, corner)) >= 0 for side, corner in zip(sides, t)
    )
    if inside:
        return dot(up, minus(p, t[0])) ** 2 / dot(up, up)
    return min(to_segment(p, t[i], t[(i + 1) % 3]) for i in range(3))


def edge_edge(one, other):
    a, b, c, d = rational(*one, *other)
    u, v, w = minus(b, a), minus(d, c), minus(c, a)
    across = cross(u, v)
    square = dot(across, across)
    if square:
        s, t = dot(cross(w, v), across), dot(cross(w, u), across)
        if 0 <= s <= square and 0 <= t <= square:
            return dot(w, across) ** 2 / square
    return min(to_segment(a, c, d), to_segment(b, c, d), to_segment(c, a, b), to_segment(d, a, b))
