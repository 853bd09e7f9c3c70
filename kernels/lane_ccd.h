/* Two moving features, each vertex on a line from time 0 to time 1: a point and a triangle, or two
 * edges. Here is the part that is common to any number of lanes: polynomials in time, their signs
 * over an interval, and how far these are to be trusted. Formulas over a lane type: see lane.h.
 *
 * With the relative vectors e, f, g of ccd_vectors, N = e x f is quadratic, D = N.g cubic. The
 * features touch at a time only if D = 0 and four areas have one sign, or are zero, along every
 * axis; with P = e x g and Q = g x f they are
 *
 *     of a point and a triangle   P = e x g    Q = g x f    N - P - Q = (e - g) x (f - g)    N
 *     of two edges                -P = g x e   Q = g x f    N + P = e x (f + g)
 *                                 N - Q = (e - g) x f
 *
 * Where D = 0 and all four are non-zero and of one sign along one axis, they do touch. A polynomial
 * lies between the least and the greatest of its Bernstein coefficients.
 *
 * The error bounds, with u = 2^-53. Let X, Y, Z be ccd_size, the greatest |component| of e, f, g at
 * time 0 or 1. Vectors at the ends of an interval are interpolated from those at 0 and 1 with exact
 * factors. The errors of the products, sums and differences of a result add up to, in u:
 *
 *     e, f, g    a difference, two products, a sum     3 X         of at most X
 *     e - g      two of them, their difference         8 X         2 X
 *     N, P, Q    2 (3 + 3 + 1) + 2                    16 Y Z       2 Y Z
 *       middle   2 16 + 4, doubled                    36 Y Z       4 Y Z
 *     areas      2 (16 + 16 + 4) + 8                  80 Y Z       8 Y Z
 *       middle   (2 80 + 16) / 2                      88 Y Z
 *     D          3 (16 + 2 3 + 2) + 4 + 6             82 X Y Z
 *       middle   N.g 24, 2 N.g 36 + 4 3 + 4 an axis
 *                3 (24 + 52 + 6) + 12 + 18, tripled  276 X Y Z
 *     gaps       3 + 3 + 3 + 2 + 3                    14 X
 *
 * The bounds have a margin for terms of order u^2 and for their own rounding. CCD_TINY covers
 * underflow, including that of scaling. */
#define CCD_VOLUME_EPSILON 1.03e-14 /* 92 u: for D, tripled where D is tripled */
#define CCD_AREA_EPSILON 9.8e-15    /* 88 u */
#define CCD_GAP_EPSILON 1.6e-15     /* 14 u */
#define CCD_TINY TRI_TINY

#define v3_turn LANE_NAME(v3_turn)
#define reach LANE_NAME(reach)
#define reach_of LANE_NAME(reach_of)
#define reach_join LANE_NAME(reach_join)
#define reach_meet LANE_NAME(reach_meet)
#define ccd_vectors LANE_NAME(ccd_vectors)
#define ccd_relative LANE_NAME(ccd_relative)
#define v3_between LANE_NAME(v3_between)
#define ccd_between LANE_NAME(ccd_between)
#define ccd_turned LANE_NAME(ccd_turned)
#define ccd_size LANE_NAME(ccd_size)
#define quad LANE_NAME(quad)
#define quad_cross LANE_NAME(quad_cross)
#define cubic LANE_NAME(cubic)
#define cubic_zero LANE_NAME(cubic_zero)
#define cubic_add LANE_NAME(cubic_add)
#define cubic_beside LANE_NAME(cubic_beside)
#define cubic_crosses LANE_NAME(cubic_crosses)
#define ccd_volume LANE_NAME(ccd_volume)
#define ccd_volume_error LANE_NAME(ccd_volume_error)
#define ccd_area_error LANE_NAME(ccd_area_error)
#define ccd_spread LANE_NAME(ccd_spread)
#define ccd_spread_none LANE_NAME(ccd_spread_none)
#define ccd_spread_add LANE_NAME(ccd_spread_add)
#define ccd_range LANE_NAME(ccd_range)
#define ccd_signs LANE_NAME(ccd_signs)
#define ccd_signs_of LANE_NAME(ccd_signs_of)
#define ccd_areas LANE_NAME(ccd_areas)
#define ccd_ways LANE_NAME(ccd_ways)
#define ccd_gaps LANE_NAME(ccd_gaps)
#define ccd_gap LANE_NAME(ccd_gap)

/* Rotates the axes, so that a formula for the x axis applies to the y axis. */
FORMULA v3 v3_turn(v3 a)
{
    return v3_make(a.y, a.z, a.x);
}

/* ---- boxes over both instants: exact */

typedef struct reach {
    v3 lo, hi;
} reach;

/* for a vertex that moves from a to b */
FORMULA reach reach_of(v3 a, v3 b)
{
    reach r;
    r.lo = v3_min(a, b);
    r.hi = v3_max(a, b);
    return r;
}

FORMULA reach reach_join(reach p, reach q)
{
    reach r;
    r.lo = v3_min(p.lo, q.lo);
    r.hi = v3_max(p.hi, q.hi);
    return r;
}

/* m, where the closed boxes overlap */
FORMULA lane_mask reach_meet(lane_mask m, reach p, reach q)
{
    m = lane_unless(lane_unless(m, p.hi.x, q.lo.x), q.hi.x, p.lo.x);
    m = lane_unless(lane_unless(m, p.hi.y, q.lo.y), q.hi.y, p.lo.y);
    return lane_unless(lane_unless(m, p.hi.z, q.lo.z), q.hi.z, p.lo.z);
}

/* ---- relative vectors */

/* For a point d and a triangle a b c: e = b - a, f = c - a, g = d - a.
 * For two edges a b and c d:          e = b - a, f = d - c, g = c - a. */
typedef struct ccd_vectors {
    v3 e, f, g;
} ccd_vectors;

FORMULA ccd_vectors ccd_relative(v3 a, v3 b, v3 c, v3 d, u32 edges)
{
    ccd_vectors r;
    r.e = v3_sub(b, a);
    r.f = v3_sub(edges ? d : c, edges ? c : a);
    r.g = v3_sub(edges ? c : d, a);
    return r;
}

/* the vector at time s, from those at 0 and 1 */
FORMULA v3 v3_between(v3 p, v3 q, lane s)
{
    return v3_add(v3_scale(p, 1 - s), v3_scale(q, s));
}

FORMULA ccd_vectors ccd_between(ccd_vectors p, ccd_vectors q, lane s)
{
    ccd_vectors r;
    r.e = v3_between(p.e, q.e, s);
    r.f = v3_between(p.f, q.f, s);
    r.g = v3_between(p.g, q.g, s);
    return r;
}

FORMULA ccd_vectors ccd_turned(ccd_vectors p)
{
    ccd_vectors r;
    r.e = v3_turn(p.e);
    r.f = v3_turn(p.f);
    r.g = v3_turn(p.g);
    return r;
}

/* the greatest |x| of the vectors at 0 and 1 */
FORMULA lane ccd_size(ccd_vectors p, ccd_vectors q)
{
    lane at_p = lane_max3(lane_abs(p.e.x), lane_abs(p.f.x), lane_abs(p.g.x));
    return lane_max(at_p, lane_max3(lane_abs(q.e.x), lane_abs(q.f.x), lane_abs(q.g.x)));
}

/* size: the product of all three */
FORMULA lane ccd_volume_error(lane size)
{
    return CCD_VOLUME_EPSILON * size + CCD_TINY;
}

/* seen along x */
FORMULA lane ccd_area_error(lane size_y, lane size_z)
{
    return CCD_AREA_EPSILON * (size_y * size_z) + CCD_TINY;
}

/* ---- Bernstein coefficients on an interval */

/* Bernstein coefficients of a quadratic, the middle one doubled */
typedef struct quad {
    lane first, twice, last;
} quad;

/* x component of a x b, where a moves from a0 to a1 and b from b0 to b1 */
FORMULA quad quad_cross(v3 a0, v3 a1, v3 b0, v3 b1)
{
    quad q;
    q.first = a0.y * b0.z - a0.z * b0.y;
    q.twice = (a0.y * b1.z - a0.z * b1.y) + (a1.y * b0.z - a1.z * b0.y);
    q.last = a1.y * b1.z - a1.z * b1.y;
    return q;
}

/* Bernstein coefficients of a cubic, the two middle ones tripled */
typedef struct cubic {
    lane first, second, third, last;
} cubic;

FORMULA cubic cubic_zero(void)
{
    cubic d;
    d.first = d.second = d.third = d.last = lane_all(0);
    return d;
}

/* d + n g, where g moves from g0 to g1 */
FORMULA cubic cubic_add(cubic d, quad n, lane g0, lane g1)
{
    d.first = d.first + n.first * g0;
    d.second = d.second + (n.first * g1 + n.twice * g0);
    d.third = d.third + (n.twice * g1 + n.last * g0);
    d.last = d.last + n.last * g1;
    return d;
}

/* certainly non-zero throughout the interval */
FORMULA lane_mask cubic_beside(cubic d, lane error)
{
    lane thrice = 3 * error;
    lane_mask above = mask_and(sure_above(lane_min(d.first, d.last), error),
                               sure_above(lane_min(d.second, d.third), thrice));
    lane_mask below = mask_and(sure_below(lane_max(d.first, d.last), error),
                               sure_below(lane_max(d.second, d.third), thrice));
    return mask_or(above, below);
}

/* certainly of opposite signs at the ends of the interval */
FORMULA lane_mask cubic_crosses(cubic d, lane error)
{
    return mask_and(sure_above(lane_max(d.first, d.last), error),
                    sure_below(lane_min(d.first, d.last), error));
}

/* D, from the vectors at both ends */
FORMULA cubic ccd_volume(ccd_vectors p, ccd_vectors q)
{
    cubic d = cubic_add(cubic_zero(), quad_cross(p.e, q.e, p.f, q.f), p.g.x, q.g.x);
    p = ccd_turned(p);
    q = ccd_turned(q);
    d = cubic_add(d, quad_cross(p.e, q.e, p.f, q.f), p.g.x, q.g.x);
    p = ccd_turned(p);
    q = ccd_turned(q);
    return cubic_add(d, quad_cross(p.e, q.e, p.f, q.f), p.g.x, q.g.x);
}

/* ---- signs over an interval */

/* Envelope of several quadratics: the greatest and the least of their lower and of their upper
 * bounds. */
typedef struct ccd_spread {
    lane most_lo, least_lo, most_hi, least_hi;
} ccd_spread;

FORMULA ccd_spread ccd_spread_none(void)
{
    ccd_spread r;
    r.most_lo = r.most_hi = lane_all(-INFINITY);
    r.least_lo = r.least_hi = lane_all(INFINITY);
    return r;
}

FORMULA ccd_spread ccd_spread_add(ccd_spread r, quad q)
{
    lane middle = 0.5 * q.twice;
    lane lo = lane_min3(q.first, q.last, middle), hi = lane_max3(q.first, q.last, middle);
    r.most_lo = lane_max(r.most_lo, lo);
    r.least_lo = lane_min(r.least_lo, lo);
    r.most_hi = lane_max(r.most_hi, hi);
    r.least_hi = lane_min(r.least_hi, hi);
    return r;
}

/* The signs of the four areas along one axis. */
typedef struct ccd_signs {
    lane_mask apart; /* two certainly have different signs throughout */
    lane_mask agree; /* all four certainly have the same sign */
} ccd_signs;

FORMULA ccd_signs ccd_signs_of(ccd_spread r, lane error)
{
    ccd_signs s;
    s.apart = mask_and(sure_above(r.most_lo, error), sure_below(r.least_hi, error));
    s.agree = mask_or(sure_above(r.least_lo, error), sure_below(r.most_hi, error));
    return s;
}

/* along x, from the vectors at both ends */
FORMULA ccd_signs ccd_areas(ccd_vectors a, ccd_vectors b, u32 edges, lane error)
{
    ccd_spread r = ccd_spread_add(ccd_spread_none(), quad_cross(a.g, b.g, a.f, b.f));
    v3 e0 = v3_sub(a.e, a.g), e1 = v3_sub(b.e, b.g);
    if (edges) {
        r = ccd_spread_add(r, quad_cross(a.g, b.g, a.e, b.e));
        r = ccd_spread_add(r, quad_cross(a.e, b.e, v3_add(a.f, a.g), v3_add(b.f, b.g)));
        r = ccd_spread_add(r, quad_cross(e0, e1, a.f, b.f));
    } else {
        r = ccd_spread_add(r, quad_cross(a.e, b.e, a.g, b.g));
        r = ccd_spread_add(r, quad_cross(e0, e1, v3_sub(a.f, a.g), v3_sub(b.f, b.g)));
        r = ccd_spread_add(r, quad_cross(a.e, b.e, a.f, b.f));
    }
    return ccd_signs_of(r, error);
}

typedef struct ccd_range {
    lane lo, hi;
} ccd_range;

/* The range of the differences along a direction between the vertices of one feature and those of
 * the other: four of two edges, three of a point and a triangle. e, f, g are the components along
 * it. */
FORMULA ccd_range ccd_ways(lane e, lane f, lane g, u32 edges)
{
    ccd_range r;
    lane side = g - e, ends = g + f, sides = g - f;
    r.lo = lane_min(g, side);
    r.hi = lane_max(g, side);
    if (edges) {
        r.lo = lane_min3(r.lo, ends, ends - e);
        r.hi = lane_max3(r.hi, ends, ends - e);
    } else {
        r.lo = lane_min(r.lo, sides);
        r.hi = lane_max(r.hi, sides);
    }
    return r;
}

/* along x */
FORMULA ccd_range ccd_gaps(ccd_vectors p, u32 edges)
{
    return ccd_ways(p.e.x, p.f.x, p.g.x, edges);
}

/* True if one is certainly beyond the other along x throughout the interval, from the vectors at
 * both ends. */
FORMULA lane_mask ccd_gap(ccd_vectors p, ccd_vectors q, u32 edges, lane size)
{
    lane error = CCD_GAP_EPSILON * size + CCD_TINY;
    ccd_range at_p = ccd_gaps(p, edges), at_q = ccd_gaps(q, edges);
    return mask_or(sure_above(lane_min(at_p.lo, at_q.lo), error),
                   sure_below(lane_max(at_p.hi, at_q.hi), error));
}
