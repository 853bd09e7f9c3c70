/* The distance of two triangles, the part that is common to any number of lanes. Formulas over a
 * lane type: see lane.h.
 *
 * A *way* goes from a point of the first triangle to one of the second. The shortest way of two
 * edges, and of a vertex and the inside of a face, is tried for all of them; the shortest one found
 * is w. Any way is an upper bound of the distance; a way whose parameters are rounded still goes
 * between two points of the triangles. w as a direction gives a lower bound: the least product of w
 * with a way between vertices, `least`, divided by |w|.
 *
 * Errors. Coordinates are those of the frame, whose extent is 2, so that no difference of two
 * exceeds 2. A component of a way errs by less than 2^-48; a product with w, and `least`, by less
 * than 2^-46 (|w_x| + |w_y| + |w_z|).
 *
 * The nearest features are those of the shortest way v. The differences of all points are a convex
 * set, of which v is the point nearest to 0, and w another point. So (w - v).v >= 0, and
 *
 *     |w - v|^2 <= |w|^2 - |v|^2 <= |w|^2 - (least / |w|)^2
 *
 * That is at most `drift`^2, with errors. The ends of v lie on those vertices of the first triangle
 * that are farthest along v, and those of the second that are least far: no other vertex has a
 * weight there. A vertex that is farther back along w than drift times the longest edge is not one
 * of these. */
#define DISTANCE_EPSILON 0x1p-46
#define DISTANCE_MARGIN 0x1p-42 /* of |w|^2 - |v|^2, for each unit of |w| */
#define DISTANCE_TINY 0x1p-88   /* the square of twice the error of a way, and more */

#define distance_way LANE_NAME(distance_way)
#define distance_way_none LANE_NAME(distance_way_none)
#define distance_shorter LANE_NAME(distance_shorter)
#define distance_edge LANE_NAME(distance_edge)
#define distance_edge_make LANE_NAME(distance_edge_make)
#define distance_clamp LANE_NAME(distance_clamp)
#define distance_edges LANE_NAME(distance_edges)
#define distance_lines_s LANE_NAME(distance_lines_s)
#define distance_point_t LANE_NAME(distance_point_t)
#define distance_point_s LANE_NAME(distance_point_s)
#define distance_at_feet LANE_NAME(distance_at_feet)
#define distance_vertex_edge LANE_NAME(distance_vertex_edge)
#define distance_face LANE_NAME(distance_face)
#define distance_face_make LANE_NAME(distance_face_make)
#define distance_foot LANE_NAME(distance_foot)
#define distance_at_foot LANE_NAME(distance_at_foot)
#define distance_over LANE_NAME(distance_over)
#define distance_turned LANE_NAME(distance_turned)
#define distance_range LANE_NAME(distance_range)
#define distance_range_one LANE_NAME(distance_range_one)
#define distance_range_add LANE_NAME(distance_range_add)
#define distance_size LANE_NAME(distance_size)
#define distance_beyond LANE_NAME(distance_beyond)
#define distance_drift LANE_NAME(distance_drift)
#define distance_behind LANE_NAME(distance_behind)
#define distance_off_point LANE_NAME(distance_off_point)
#define distance_off_line LANE_NAME(distance_off_line)

/* The shortest way so far, and the square of its length. */
typedef struct distance_way {
    v3 way;
    lane square;
} distance_way;

FORMULA distance_way distance_way_none(void)
{
    distance_way w;
    w.way = v3_make(lane_all(0), lane_all(0), lane_all(0));
    w.square = lane_all(0x1p1000);
    return w;
}

FORMULA distance_way distance_shorter(distance_way best, distance_way w)
{
    lane_mask less = lane_less(w.square, best.square);
    best.way = v3_if(less, w.way, best.way);
    best.square = lane_if(less, w.square, best.square);
    return best;
}

FORMULA distance_way distance_turned(distance_way w)
{
    w.way = v3_scale(w.way, lane_all(-1));
    return w;
}

/* ---- two edges */

typedef struct distance_edge {
    v3 at, e;
    lane square, inverse; /* e.e and its inverse */
} distance_edge;

FORMULA distance_edge distance_edge_make(v3 from, v3 to)
{
    distance_edge r;
    r.at = from;
    r.e = v3_sub(to, from);
    r.square = v3_dot(r.e, r.e);
    r.inverse = 1 / r.square;
    return r;
}

/* to [0, 1]; NaN, which an edge without length gives, to 0 */
FORMULA lane distance_clamp(lane t)
{
    return lane_min(lane_max(t, lane_all(0)), lane_all(1));
}

/* The parameters of the shortest way (Ericson, Real-Time Collision Detection, 2005, 5.1.9): s of
 * the lines, then t of the point at s, then s of the point at t. */
FORMULA lane distance_lines_s(distance_edge p, distance_edge q)
{
    v3 g = v3_sub(q.at, p.at);
    lane ef = v3_dot(p.e, q.e), eg = v3_dot(p.e, g), fg = v3_dot(q.e, g);
    return distance_clamp((eg * q.square - ef * fg) / (p.square * q.square - ef * ef));
}

FORMULA lane distance_point_t(distance_edge p, distance_edge q, lane s)
{
    v3 g = v3_sub(q.at, p.at);
    return distance_clamp((v3_dot(p.e, q.e) * s - v3_dot(q.e, g)) * q.inverse);
}

FORMULA lane distance_point_s(distance_edge p, distance_edge q, lane t)
{
    v3 g = v3_sub(q.at, p.at);
    return distance_clamp((v3_dot(p.e, g) + v3_dot(p.e, q.e) * t) * p.inverse);
}

FORMULA distance_way distance_at_feet(distance_edge p, distance_edge q, lane s, lane t)
{
    distance_way w;
    v3 g = v3_sub(q.at, p.at);
    w.way = v3_sub(v3_add(g, v3_scale(q.e, t)), v3_scale(p.e, s));
    w.square = v3_dot(w.way, w.way);
    return w;
}

FORMULA distance_way distance_edges(distance_edge p, distance_edge q)
{
    lane t = distance_point_t(p, q, distance_lines_s(p, q));
    return distance_at_feet(p, q, distance_point_s(p, q, t), t);
}

FORMULA distance_way distance_vertex_edge(v3 p, distance_edge q)
{
    distance_way w;
    v3 g = v3_sub(q.at, p);
    lane t = distance_clamp(-v3_dot(q.e, g) * q.inverse);
    w.way = v3_add(g, v3_scale(q.e, t));
    w.square = v3_dot(w.way, w.way);
    return w;
}

/* ---- a vertex and the inside of a face */

typedef struct distance_face {
    v3 at, e, f;
    v3 u, v; /* their products with p - at are the foot's parameters along e and f */
} distance_face;

FORMULA distance_face distance_face_make(v3 a, v3 b, v3 c)
{
    distance_face r;
    r.at = a;
    r.e = v3_sub(b, a);
    r.f = v3_sub(c, a);
    v3 n = v3_cross(r.e, r.f);
    lane inverse = 1 / v3_dot(n, n);
    r.u = v3_scale(v3_cross(r.f, n), inverse);
    r.v = v3_scale(v3_cross(n, r.e), inverse);
    return r;
}

/* The parameters of p's foot. */
FORMULA lane distance_foot(distance_face t, v3 p, u32 along_f)
{
    return v3_dot(v3_sub(p, t.at), along_f ? t.v : t.u);
}

/* The way from p to its foot; its square is large if that is not certainly inside. */
FORMULA distance_way distance_at_foot(distance_face t, v3 p, lane u, lane v)
{
    distance_way w;
    v3 g = v3_sub(p, t.at);
    lane_mask inside = mask_and(lane_less(lane_all(0), u), lane_less(lane_all(0), v));
    inside = mask_and(inside, lane_less(u + v, lane_all(1)));
    w.way = v3_sub(v3_add(v3_scale(t.e, u), v3_scale(t.f, v)), g);
    w.square = lane_if(inside, v3_dot(w.way, w.way), lane_all(0x1p1000));
    return w;
}

FORMULA distance_way distance_over(distance_face t, v3 p)
{
    return distance_at_foot(t, p, distance_foot(t, p, 0), distance_foot(t, p, 1));
}

/* ---- along a direction */

typedef struct distance_range {
    lane lo, hi;
} distance_range;

FORMULA distance_range distance_range_one(lane t)
{
    distance_range r;
    r.lo = t;
    r.hi = t;
    return r;
}

FORMULA distance_range distance_range_add(distance_range r, lane t)
{
    r.lo = lane_min(r.lo, t);
    r.hi = lane_max(r.hi, t);
    return r;
}

FORMULA lane distance_size(v3 d)
{
    return lane_abs(d.x) + lane_abs(d.y) + lane_abs(d.z);
}

/* True if all ways are certainly longer than the distance with this square, since the products of d
 * with ways between vertices are at least `least`. */
FORMULA lane_mask distance_beyond(lane least, v3 d, lane square)
{
    lane sure = least - DISTANCE_EPSILON * distance_size(d);
    return mask_and(lane_less(lane_all(0), sure), lane_less(square * v3_dot(d, d), sure * sure));
}

/* ---- the nearest features, of triangles that w certainly separates */

/* The square of `drift`. */
FORMULA lane distance_drift(distance_way w, lane least)
{
    lane rest = (w.square - least) * (w.square + least) / w.square;
    rest = lane_max(rest, lane_all(0)) + DISTANCE_MARGIN * distance_size(w.way);
    return 4 * rest + DISTANCE_TINY;
}

/* True if a vertex is certainly not at an end of the shortest way: `back` along w behind another
 * one, on a triangle whose longest edge has this square. */
FORMULA lane_mask distance_behind(lane back, v3 way, lane edge, lane drift)
{
    lane sure = back - DISTANCE_EPSILON * distance_size(way);
    return mask_and(lane_less(lane_all(0), sure), lane_less(drift * edge, sure * sure));
}

/* True if p + w is certainly not the vertex q. */
FORMULA lane_mask distance_off_point(v3 p, v3 way, v3 q, lane drift)
{
    v3 d = v3_sub(v3_add(p, way), q);
    return lane_less(2 * drift, v3_dot(d, d));
}

/* True if p + w is certainly not on the line through q along e. */
FORMULA lane_mask distance_off_line(v3 p, v3 way, v3 q, v3 e, lane drift)
{
    v3 n = v3_cross(v3_sub(v3_add(p, way), q), e);
    return lane_less(2 * drift * v3_dot(e, e), v3_dot(n, n));
}
