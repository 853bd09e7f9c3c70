/* Triangle against triangle, the part that is common to any number of lanes: heights over planes,
 * their signs, and how far these are to be trusted. Formulas over a lane type: see lane.h.
 *
 * The error bound. Every determinant here is w.(u x v) with u, v, w differences of two of the six
 * vertices; |u_x| and so on are at most ex, ey, ez, the extent of the union of both triangles. It
 * has 6 products of at most ex*ey*ez, each with 8 roundings (3 differences, 2 products, one
 * subtraction, 2 additions): |error| <= 48 * 2^-53 * ex*ey*ez (1 + tiny) < TRI_EPSILON * ex*ey*ez.
 * Coordinates are scaled to the frame (frame.cl), so nothing overflows; TRI_TINY covers underflow,
 * including that of scaling. */
#define TRI_EPSILON 5.4e-15
#define TRI_TINY 1e-280
#define TRI_CROSSING 0x1p27

#define tri LANE_NAME(tri)
#define tri_low LANE_NAME(tri_low)
#define tri_high LANE_NAME(tri_high)
#define tri_size LANE_NAME(tri_size)
#define tri_extent LANE_NAME(tri_extent)
#define tri_error LANE_NAME(tri_error)
#define tri_normal LANE_NAME(tri_normal)
#define tri_heights LANE_NAME(tri_heights)
#define tri_over LANE_NAME(tri_over)
#define tri_orient3d LANE_NAME(tri_orient3d)
#define tri_crossing_height LANE_NAME(tri_crossing_height)
#define tri_crossing_least LANE_NAME(tri_crossing_least)
#define sure_above LANE_NAME(sure_above)
#define sure_below LANE_NAME(sure_below)
#define heights_beside LANE_NAME(heights_beside)
#define signs LANE_NAME(signs)
#define signs_make LANE_NAME(signs_make)
#define signs_equal LANE_NAME(signs_equal)
#define intervals_apart LANE_NAME(intervals_apart)
#define intervals_overlap LANE_NAME(intervals_overlap)

typedef struct tri {
    v3 a, b, c;
} tri;

FORMULA v3 tri_low(tri t)
{
    return v3_min(v3_min(t.a, t.b), t.c);
}

FORMULA v3 tri_high(tri t)
{
    return v3_max(v3_max(t.a, t.b), t.c);
}

FORMULA v3 tri_size(tri t)
{
    return v3_sub(tri_high(t), tri_low(t));
}

/* the extent of both together */
FORMULA v3 tri_extent(tri p, tri q)
{
    return v3_sub(v3_max(tri_high(p), tri_high(q)), v3_min(tri_low(p), tri_low(q)));
}

/* bound on the error of a determinant of vertices of this extent */
FORMULA lane tri_error(v3 extent)
{
    return TRI_EPSILON * (extent.x * extent.y * extent.z) + TRI_TINY;
}

FORMULA v3 tri_normal(tri t)
{
    return v3_cross(v3_sub(t.b, t.a), v3_sub(t.c, t.a));
}

/* heights of the vertices of t over the plane through o with normal n */
FORMULA v3 tri_heights(v3 n, v3 o, tri t)
{
    return v3_make(v3_dot(n, v3_sub(t.a, o)), v3_dot(n, v3_sub(t.b, o)), v3_dot(n, v3_sub(t.c, o)));
}

/* heights of the vertices of q over the plane of p */
FORMULA v3 tri_over(tri p, tri q)
{
    return tri_heights(tri_normal(p), p.a, q);
}

/* the height of d over the plane a, b, c */
FORMULA lane tri_orient3d(v3 a, v3 b, v3 c, v3 d)
{
    return v3_dot(v3_cross(v3_sub(b, a), v3_sub(c, a)), v3_sub(d, a));
}

/* ---- signs */

/* Neither sure_above nor sure_below holds if the error may have made the sign, or d is NaN. */
FORMULA lane_mask sure_above(lane d, lane error)
{
    return lane_less(error, d);
}

FORMULA lane_mask sure_below(lane d, lane error)
{
    return lane_less(d, -error);
}

/* true if all three are certainly on one side */
FORMULA lane_mask heights_beside(v3 h, lane error)
{
    return mask_or(sure_above(lane_min3(h.x, h.y, h.z), error),
                   sure_below(lane_max3(h.x, h.y, h.z), error));
}

/* The sides of a plane on which the vertices of a triangle lie. If they are certain and not all the
 * same, one vertex is alone on its side. */
typedef struct signs {
    lane_mask certain;
    lane_mask lone_a, lone_b; /* the first, or the second, is alone; else the third */
    lane_mask up;             /* the lone vertex is above */
} signs;

/* If not all three are on one side, one or two are above: an odd number if the lone vertex is
 * above. */
FORMULA signs signs_make(v3 h, lane error)
{
    lane_mask a = sure_above(h.x, error), b = sure_above(h.y, error), c = sure_above(h.z, error);
    signs s;
    s.certain = sure_above(lane_min3(lane_abs(h.x), lane_abs(h.y), lane_abs(h.z)), error);
    s.lone_a = mask_same(b, c);
    s.lone_b = mask_same(a, c);
    s.up = mask_same(mask_same(a, b), c);
    return s;
}

/* all certainly on one side */
FORMULA lane_mask signs_equal(signs s)
{
    return mask_and(s.certain, mask_and(s.lone_a, s.lone_b));
}

/* ---- intervals on the common line of two planes */

/* Each triangle has vertices on both sides of the other's plane, so the planes' common line meets
 * both. s, t: the two heights that compare their intervals on it (tri_intervals). The intervals are
 * disjoint if one of the heights is above, and overlap if both are below. */
FORMULA lane_mask intervals_apart(lane s, lane t, lane error)
{
    return mask_or(sure_above(s, error), sure_above(t, error));
}

FORMULA lane_mask intervals_overlap(lane s, lane t, lane error)
{
    return mask_and(sure_below(s, error), sure_below(t, error));
}

/* ---- where edges cross a plane */

/* Triangles meet where their edges cross the other's plane, at points given by the heights of the
 * edges' ends. Where both heights are small the edge is nearly in that plane, and the point is left
 * to exact arithmetic, with the verdict: at most one of the three heights over the other's plane
 * may be small, so the middle one has to be above tri_crossing_least. */
FORMULA lane tri_crossing_height(v3 h)
{
    lane a = lane_abs(h.x), b = lane_abs(h.y), c = lane_abs(h.z);
    return lane_max(lane_min(a, b), lane_min(lane_max(a, b), c));
}

/* The extent of the triangle in the plane replaces the extent of both for two of the three factors
 * of a height, see above. */
FORMULA lane tri_crossing_least(v3 size, v3 extent)
{
    lane error =
        size.y * size.z * extent.x + size.z * size.x * extent.y + size.x * size.y * extent.z;
    return TRI_CROSSING * (TRI_EPSILON / 3 * error + TRI_TINY);
}
