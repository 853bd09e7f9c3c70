/* Tests whether two moving features are farther apart than a gap throughout an interval. Formulas
 * over a lane type: see lane.h. Names are those of lane_ccd.h.
 *
 * A connecting vector goes from a point of the first feature to one of the second. If, along any
 * direction d, the connecting vectors between vertices are all longer than the gap at both ends of
 * an interval of time, then so are all connecting vectors within it: they are means of these. Good
 * directions are the shortest connecting vector at the middle, and N, which separates features that
 * lie over each other.
 *
 * The error bound, with u = 2^-53. Let l = X |d_x| + Y |d_y| + Z |d_z|. As in lane_ccd.h the
 * vectors at the ends of an interval have an error of 3 X u. In u:
 *
 *     e.d, f.d, g.d           three products and sums, 3 + 3     6 l    of at most l
 *     g.d - e.d, g.d +- f.d   6 + 6 + 2                         14 l            2 l
 *     g.d + f.d - e.d         14 + 6 + 3                        23 l            3 l
 *
 * A connecting vector longer than the gap along d has a product with d whose square is above gap^2
 * d.d. The relative error of this test is below 10 u; the gap's square, which is given, has more
 * margin. Squares that may have underflowed are not above CCD_TINY. */
#define CCD_ALONG_EPSILON 2.7e-15 /* 24 u */
#define CCD_SWEEPS 2              /* iterations towards the shortest connecting vector */

#define ccd_middle LANE_NAME(ccd_middle)
#define ccd_range_join LANE_NAME(ccd_range_join)
#define ccd_longer LANE_NAME(ccd_longer)
#define ccd_along LANE_NAME(ccd_along)
#define ccd_foot LANE_NAME(ccd_foot)
#define ccd_foot_begin LANE_NAME(ccd_foot_begin)
#define ccd_foot_move LANE_NAME(ccd_foot_move)

/* Twice the vectors at the middle of an interval, with f negated for edges: the connecting vector
 * from the point a + u e to the point at v f is g - u e - v f. */
FORMULA v3 ccd_middle(v3 s, v3 t, u32 turned)
{
    v3 m = v3_add(s, t);
    return turned ? v3_scale(m, lane_all(-1)) : m;
}

/* range of the products of d with the connecting vectors between vertices */
FORMULA ccd_range ccd_along(ccd_vectors p, v3 d, u32 edges)
{
    return ccd_ways(v3_dot(p.e, d), v3_dot(p.f, d), v3_dot(p.g, d), edges);
}

/* union of both ranges */
FORMULA ccd_range ccd_range_join(ccd_range r, ccd_range s)
{
    r.lo = lane_min(r.lo, s.lo);
    r.hi = lane_max(r.hi, s.hi);
    return r;
}

/* True if the connecting vectors at both ends of an interval are certainly longer than the gap
 * along d, in one sense. */
FORMULA lane_mask ccd_longer(ccd_range ways, v3 d, v3 size, lane gap_square)
{
    lane error = CCD_ALONG_EPSILON * v3_dot(v3_abs(d), size) + CCD_TINY;
    lane least = lane_max(ways.lo, -ways.hi) - error;
    lane need = gap_square * v3_dot(d, d) + CCD_TINY;
    return mask_and(sure_above(least, lane_all(0)), sure_above(least * least, need));
}

/* ---- towards the shortest connecting vector; its rounding does not matter */

typedef struct ccd_foot {
    v3 way;
    lane u, v; /* both in [0, 1]; their sum, too, on a face */
} ccd_foot;

/* The u of the shortest connecting vector between both lines, or to the plane; v = 0. */
FORMULA ccd_foot ccd_foot_begin(ccd_vectors m)
{
    ccd_foot p;
    lane ee = v3_dot(m.e, m.e), ef = v3_dot(m.e, m.f), ff = v3_dot(m.f, m.f);
    lane u = v3_dot(m.g, m.e) * ff - v3_dot(m.g, m.f) * ef;
    p.u = lane_min(lane_max(u / (ee * ff - ef * ef), lane_all(0)), lane_all(1));
    p.v = lane_all(0);
    p.way = v3_sub(m.g, v3_scale(m.e, p.u));
    return p;
}

/* The shortest connecting vector with another v, another u, or (on a face) another u and the same u
 * + v; h is f, e or e - f. A zero vector gives 0 / 0, and lane_max then its other argument. */
FORMULA ccd_foot ccd_foot_move(ccd_foot p, v3 h, u32 which, u32 edges)
{
    lane low = -p.u, high = 1 - p.u - p.v, step = v3_dot(p.way, h) / v3_dot(h, h);
    if (which == 0)
        low = -p.v;
    if (which == 2)
        high = p.v;
    else if (edges)
        high = 1 + low;
    step = lane_min(lane_max(step, low), high);
    p.way = v3_sub(p.way, v3_scale(h, step));
    if (which != 0)
        p.u = p.u + step;
    if (which == 0)
        p.v = p.v + step;
    if (which == 2)
        p.v = p.v - step;
    return p;
}
