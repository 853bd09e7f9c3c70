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
#define shared_three LANE_NAME(shared_three)
#define heights_unshared LANE_NAME(heights_unshared)
#define corners_repeat LANE_NAME(corners_repeat)
#define tri_turn LANE_NAME(tri_turn)
#define tri_from_shared LANE_NAME(tri_from_shared)
#define sides_split LANE_NAME(sides_split)
#define area_error LANE_NAME(area_error)
#define fan_seen_apart LANE_NAME(fan_seen_apart)
#define fan_along_apart LANE_NAME(fan_along_apart)
#define fan_apart LANE_NAME(fan_apart)
#define hinge_apart LANE_NAME(hinge_apart)
#define flat_apart LANE_NAME(flat_apart)

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

FORMULA lane_mask shared_three(shared_corners s)
{
    return mask_and(s.a, mask_and(s.b, s.c));
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
 * Planes do not separate these. Two that share one vertex are apart beyond it if a line through it
 * has them on two sides, seen along an axis, or a plane through it does. Two that share an edge are
 * apart beyond it if they are on two sides of it, seen along an axis. */

/* true if a triangle has a vertex twice */
FORMULA lane_mask corners_repeat(tri_corners t)
{
    return mask_or(number_equal(t.a, t.b), mask_or(number_equal(t.b, t.c), number_equal(t.c, t.a)));
}

/* rotated to begin with the first vertex in lanes a, the second one in lanes b, else the third */
FORMULA tri tri_turn(tri t, lane_mask a, lane_mask b)
{
    tri r;
    r.a = v3_if(a, t.a, v3_if(b, t.b, t.c));
    r.b = v3_if(a, t.b, v3_if(b, t.c, t.a));
    r.c = v3_if(a, t.c, v3_if(b, t.a, t.b));
    return r;
}

/* rotated to begin with the shared vertex, or both */
FORMULA tri tri_from_shared(tri t, shared_corners s)
{
    lane_mask two = shared_two(s), one = mask_not(two);
    return tri_turn(t, mask_or(mask_and(one, s.a), mask_and(two, mask_not(s.c))),
                    mask_or(mask_and(one, s.b), mask_and(two, mask_not(s.a))));
}

/* true if `of` certainly has another sign than s and t */
FORMULA lane_mask sides_split(lane of, lane s, lane t, lane error)
{
    return mask_or(mask_and(sure_above(of, error), sure_below(lane_max(s, t), error)),
                   mask_and(sure_below(of, error), sure_above(lane_min(s, t), error)));
}

/* bound on the error of an area in a box of x y: two products, each with 4 roundings: 8 * 2^-53 */
FORMULA lane area_error(lane x, lane y)
{
    return 1e-15 * (x * y) + TRI_TINY;
}

/* The areas of b and c and so on, seen along an axis. One of the lines from the shared vertex to b,
 * c, d or e has the triangles of b c and d e on two sides. */
FORMULA lane_mask fan_seen_apart(lane bc, lane de, lane bd, lane be, lane cd, lane ce, lane error)
{
    return mask_or(mask_or(sides_split(bc, bd, be, error), sides_split(-bc, cd, ce, error)),
                   mask_or(sides_split(de, -bd, -cd, error), sides_split(-de, -be, -ce, error)));
}

/* The plane through the shared vertex with normal n has b and c on one side, d and e on the other.
 * Any n is allowed, see tri_separates. */
FORMULA lane_mask fan_along_apart(v3 n, v3 b, v3 c, v3 d, v3 e, v3 extent)
{
    lane error = TRI_DOT_EPSILON * (lane_abs(n.x) * extent.x + lane_abs(n.y) * extent.y +
                                    lane_abs(n.z) * extent.z) +
                 TRI_TINY;
    lane hb = v3_dot(n, b), hc = v3_dot(n, c), hd = v3_dot(n, d), he = v3_dot(n, e);
    return mask_and(sides_split(hb, hd, he, error), sides_split(hc, hd, he, error));
}

/* p and q share just their first vertex: true if they certainly meet in it only. A regular grid has
 * opposite triangles whose edges are on one line, so that no line along an edge is certain: there
 * the mean directions of both, or the normals of the edges opposite to the vertex, decide. */
FORMULA lane_mask fan_apart(tri p, tri q, v3 extent)
{
    v3 b = v3_sub(p.b, p.a), c = v3_sub(p.c, p.a), d = v3_sub(q.b, p.a), e = v3_sub(q.c, p.a);
    v3 bc = v3_cross(b, c), de = v3_cross(d, e), bd = v3_cross(b, d), be = v3_cross(b, e),
       cd = v3_cross(c, d), ce = v3_cross(c, e);
    v3 mean = v3_sub(v3_add(b, c), v3_add(d, e));
    lane_mask along =
        mask_or(fan_along_apart(mean, b, c, d, e, extent),
                mask_or(fan_along_apart(v3_cross(bc, v3_sub(c, b)), b, c, d, e, extent),
                        fan_along_apart(v3_cross(de, v3_sub(e, d)), b, c, d, e, extent)));
    lane_mask x =
        fan_seen_apart(bc.x, de.x, bd.x, be.x, cd.x, ce.x, area_error(extent.y, extent.z));
    lane_mask y =
        fan_seen_apart(bc.y, de.y, bd.y, be.y, cd.y, ce.y, area_error(extent.z, extent.x));
    lane_mask z =
        fan_seen_apart(bc.z, de.z, bd.z, be.z, cd.z, ce.z, area_error(extent.x, extent.y));
    return mask_or(along, mask_or(x, mask_or(y, z)));
}

/* p and q share their first two vertices: true if they certainly are on two sides of that edge,
 * seen along an axis. If they lie in one plane, they meet beyond it only if they are on one side in
 * every projection. */
FORMULA lane_mask hinge_apart(tri p, tri q, v3 extent)
{
    v3 edge = v3_sub(p.b, p.a), c = v3_cross(edge, v3_sub(p.c, p.a)),
       d = v3_cross(edge, v3_sub(q.c, p.a));
    lane_mask x = sides_split(c.x, d.x, d.x, area_error(extent.y, extent.z));
    lane_mask y = sides_split(c.y, d.y, d.y, area_error(extent.z, extent.x));
    lane_mask z = sides_split(c.z, d.z, d.z, area_error(extent.x, extent.y));
    return mask_or(x, mask_or(y, z));
}

/* True if two triangles share vertices and certainly meet in nothing beyond them. Duplicate faces
 * and triangles that repeat a vertex are left to the host. */
FORMULA lane_mask flat_apart(tri p, tri q, tri_corners of_p, tri_corners of_q)
{
    shared_corners sp = shared_of(of_p, of_q), sq = shared_of(of_q, of_p);
    lane_mask two = shared_two(sp);
    lane_mask usual =
        mask_not(mask_or(shared_three(sp), mask_or(corners_repeat(of_p), corners_repeat(of_q))));
    v3 extent = tri_extent(p, q);
    p = tri_from_shared(p, sp);
    q = tri_from_shared(q, sq);
    lane_mask apart = mask_or(mask_and(two, hinge_apart(p, q, extent)),
                              mask_and(mask_not(two), fan_apart(p, q, extent)));
    return mask_and(mask_and(shared_any(sp), usual), apart);
}
