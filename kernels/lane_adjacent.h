/* Triangles that share vertices, by number: formulas over a lane type, see lane.h.
 *
 * A shared vertex is on the planes of both, so its computed height is only error. The sides of a
 * triangle are therefore those of its other vertices. If these are certainly on one side of the
 * other's plane, the triangle has just its shared vertices in that plane, and the two meet in the
 * hull of these: in nothing beyond what they share. */
#define tri_corners LANE_NAME(tri_corners)
#define corners_have LANE_NAME(corners_have)
#define shared_corners LANE_NAME(shared_corners)
#define shared_of LANE_NAME(shared_of)
#define shared_any LANE_NAME(shared_any)
#define shared_two LANE_NAME(shared_two)
#define heights_unshared LANE_NAME(heights_unshared)
#define tri_turn LANE_NAME(tri_turn)
#define shared_begins LANE_NAME(shared_begins)
#define sides_split LANE_NAME(sides_split)
#define flat_area LANE_NAME(flat_area)
#define flat_seen_apart LANE_NAME(flat_seen_apart)
#define fan_direction LANE_NAME(fan_direction)
#define fan_error LANE_NAME(fan_error)
#define fan_above LANE_NAME(fan_above)
#define fan_below LANE_NAME(fan_below)
#define tri_axes LANE_NAME(tri_axes)

/* vertex numbers */
typedef struct tri_corners {
    lane_number a, b, c;
} tri_corners;

FORMULA lane_mask corners_have(tri_corners t, lane_number v)
{
    return mask_or(number_equal(t.a, v), mask_or(number_equal(t.b, v), number_equal(t.c, v)));
}

/* The vertices of a triangle that are also vertices of the other one of a pair. */
typedef struct shared_corners {
    lane_mask a, b, c;
} shared_corners;

FORMULA shared_corners shared_of(tri_corners p, tri_corners q)
{
    shared_corners s;
    s.a = corners_have(q, p.a);
    s.b = corners_have(q, p.b);
    s.c = corners_have(q, p.c);
    return s;
}

FORMULA lane_mask shared_any(shared_corners s)
{
    return mask_or(s.a, mask_or(s.b, s.c));
}

/* two of them or more */
FORMULA lane_mask shared_two(shared_corners s)
{
    return mask_or(mask_and(s.a, s.b), mask_and(s.c, mask_or(s.a, s.b)));
}

/* Replaces the height of each shared vertex by that of another one: by the one before it, or
 * before that, which is not shared. So one shared vertex leaves the next one alone, if the other
 * two are on two sides; if all three are shared, all have the height of one of them, which is not
 * certain. */
FORMULA v3 heights_unshared(v3 h, shared_corners s)
{
    lane x = lane_if(s.a, lane_if(s.c, h.y, h.z), h.x);
    lane y = lane_if(s.b, x, h.y);
    return v3_make(x, y, lane_if(s.c, y, h.z));
}

/* ---- triangles in one plane, or almost
 *
 * Planes do not separate these. Two that share one vertex, a fan, are apart beyond it if a line
 * through it has them on two sides, seen along an axis, or a plane through it does. Two that share
 * an edge, a hinge, are apart beyond it if they are on two sides of it, seen along an axis. Below,
 * p and q begin with the vertices that they share. No step finds duplicate faces apart, nor
 * triangles that have a shared vertex twice: their edge or area is exactly zero, or the same. */

/* rotated to begin with the first vertex in lanes a, the second one in lanes b, else the third */
FORMULA tri tri_turn(tri t, lane_mask a, lane_mask b)
{
    tri r;
    r.a = v3_if(a, t.a, v3_if(b, t.b, t.c));
    r.b = v3_if(a, t.b, v3_if(b, t.c, t.a));
    r.c = v3_if(a, t.c, v3_if(b, t.a, t.b));
    return r;
}

/* true if a triangle's vertex is its first shared one: `own` and `before`, whether it and the
 * vertex before it are shared; two: whether two are */
FORMULA lane_mask shared_begins(lane_mask own, lane_mask before, lane_mask two)
{
    return mask_or(mask_and(own, mask_not(two)), mask_and(two, mask_not(before)));
}

/* true if `of` certainly has another sign than s and t */
FORMULA lane_mask sides_split(lane of, lane s, lane t, lane error)
{
    return mask_or(mask_and(sure_above(of, error), sure_below(lane_max(s, t), error)),
                   mask_and(sure_below(of, error), sure_above(lane_min(s, t), error)));
}

/* twice the area of the triangle of u, v and their origin, seen along the z axis */
FORMULA lane flat_area(v3 u, v3 v)
{
    return u.x * v.y - u.y * v.x;
}

/* True if, seen along the z axis, the shared edge has p and q on two sides, or one of the lines
 * from the shared vertex to the others. The error of an area in a box of x y: two products, each
 * with 4 roundings: 8 * 2^-53 x y. */
FORMULA lane_mask flat_seen_apart(tri p, tri q, lane_mask hinge)
{
    v3 extent = tri_extent(p, q);
    lane error = 1e-15 * (extent.x * extent.y) + TRI_TINY;
    v3 b = v3_sub(p.b, p.a), c = v3_sub(p.c, p.a), d = v3_sub(q.b, p.a), e = v3_sub(q.c, p.a);
    lane bc = flat_area(b, c), de = flat_area(d, e), bd = flat_area(b, d), be = flat_area(b, e),
         cd = flat_area(c, d), ce = flat_area(c, e);
    lane_mask fan =
        mask_or(mask_or(sides_split(bc, bd, be, error), sides_split(-bc, cd, ce, error)),
                mask_or(sides_split(de, -bd, -cd, error), sides_split(-de, -be, -ce, error)));
    return mask_or(mask_and(hinge, sides_split(bc, be, be, error)), mask_and(mask_not(hinge), fan));
}

/* Direction k of 3 from q to p, which share one vertex: the mean of both, or within the plane of
 * one across its edge opposite to that vertex. Where p is certainly above the vertex and q below it
 * they are apart. A regular grid has opposite triangles whose edges are on one line, so that no
 * line along an edge is certain: these directions are for them. */
FORMULA v3 fan_direction(u32 k, tri p, tri q)
{
    if (k == 0)
        return v3_sub(v3_add(v3_sub(p.b, q.b), p.c), q.c);
    return k == 1 ? v3_cross(v3_sub(p.c, p.b), tri_normal(p))
                  : v3_cross(tri_normal(q), v3_sub(q.c, q.b));
}

/* Bound on the error of heights over a vertex along n; any n is allowed, see tri_separates. */
FORMULA lane fan_error(v3 n, v3 extent)
{
    return TRI_DOT_EPSILON *
               (lane_abs(n.x) * extent.x + lane_abs(n.y) * extent.y + lane_abs(n.z) * extent.z) +
           TRI_TINY;
}

/* true if the other vertices of t certainly are above the first one along n */
FORMULA lane_mask fan_above(v3 n, tri t, lane error)
{
    return sure_above(lane_min(v3_dot(n, v3_sub(t.b, t.a)), v3_dot(n, v3_sub(t.c, t.a))), error);
}

/* the same for below */
FORMULA lane_mask fan_below(v3 n, tri t, lane error)
{
    return sure_below(lane_max(v3_dot(n, v3_sub(t.b, t.a)), v3_dot(n, v3_sub(t.c, t.a))), error);
}

/* axes y z x instead of x y z */
FORMULA tri tri_axes(tri t)
{
    tri r;
    r.a = v3_make(t.a.y, t.a.z, t.a.x);
    r.b = v3_make(t.b.y, t.b.z, t.b.x);
    r.c = v3_make(t.c.y, t.c.z, t.c.x);
    return r;
}
