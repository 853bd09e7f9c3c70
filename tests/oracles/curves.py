"""The curves along which triangles meet, by rational arithmetic: what the oracles of contours and regions share. The
segment of each pair of triangles in contact, or the sides of their overlap in one plane; segments are joined where their
exact points are equal."""
from collections import Counter, defaultdict

from checks import expect
from vectors import cross, dot, minus

AREA, DUPLICATE, SEGMENT = 3, 4, 2


def between(p, q, s):
    return tuple(x + (y - x) * s for x, y in zip(p, q))


def clipped(polygon, side):
    """The part of a convex polygon, or a segment, where side >= 0."""
    out = []
    for i, q in enumerate(polygon):
        p = polygon[i - 1]
        before, now = side(p), side(q)
        if (before < 0 < now) or (now < 0 < before):
            out.append(between(p, q, before / (before - now)))
        if now >= 0:
            out.append(q)
    return out


def distinct(points):
    return list(dict.fromkeys(points))


def overlap(p, q):
    """The corners of what two triangles have in common, around it."""
    normal = cross(minus(q[1], q[0]), minus(q[2], q[0]))
    height = [dot(normal, minus(x, q[0])) for x in p]
    found = list(p)
    if any(height):
        found = clipped(clipped(found, lambda x: dot(normal, minus(x, q[0]))), lambda x: -dot(normal, minus(x, q[0])))
    for k in range(3):
        inner = cross(normal, minus(q[(k + 1) % 3], q[k]))
        found = clipped(found, lambda x: dot(inner, minus(x, q[k])))
    return distinct(found)


# ---- curves


def segments(triangles, rows):
    """The segments of each pair of objects, each with its exact points, and the triangles that it is of."""
    lines, sides, of = defaultdict(set), defaultdict(Counter), defaultdict(set)
    for a, b, kind, objects in rows:
        if kind not in (SEGMENT, AREA, DUPLICATE):
            continue
        corner = overlap(triangles[a], triangles[b])
        if kind == SEGMENT:
            expect(len(corner) == 2, f"{a} and {b}: {len(corner)} corners")
            around = [frozenset(corner)]
            lines[objects].update(around)
        else:
            expect(len(corner) > 2, f"{a} and {b}: {len(corner)} corners")
            around = [frozenset((p, corner[i - 1])) for i, p in enumerate(corner)]
            sides[objects].update(around)
        for line in around:
            of[objects, line] |= {int(a), int(b)}
    for objects, counts in sides.items():
        lines[objects] -= set(counts)
        lines[objects] |= {side for side, count in counts.items() if count % 2}
    return {objects: {line: of[objects, line] for line in found} for objects, found in lines.items()}


def curves(lines):
    """Sequences of points, and whether each is closed."""
    at = defaultdict(list)
    for line in lines:
        for p in line:
            at[p].append(line)
    left, out = set(lines), []

    def follow(p, line):
        path = [p]
        while True:
            left.discard(line)
            (p,) = line - {p}
            path.append(p)
            onward = [x for x in at[p] if x in left]
            if len(at[p]) != 2 or not onward:
                return path
            line = onward[0]

    for p in sorted(at):
        for line in at[p]:
            if len(at[p]) != 2 and line in left:
                out.append((follow(p, line), False))
    while left:
        line = next(iter(left))
        path = follow(next(iter(line)), line)
        out.append((path[:-1], True))
    return out
