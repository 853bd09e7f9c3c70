"""Do two triangles meet? In rational numbers, by separating axes; no code of impinge or FCL."""

from fractions import Fraction


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
    p, q = ([[Fraction(float(x)) for x in corner] for corner in t] for t in (p, q))
    of_p, of_q = edges(p), edges(q)
    normals = [cross(e[0], e[1]) for e in (of_p, of_q)]
    if [0, 0, 0] in normals:
        raise ValueError("a triangle without an area")
    axes = normals + [cross(e, f) for e in of_p for f in of_q]
    axes += [cross(n, e) for n, some in zip(normals, (of_p, of_q)) for e in some]  # in one plane
    return not any(separates(axis, p, q) for axis in axes)
