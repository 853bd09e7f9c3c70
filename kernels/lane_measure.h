/* The distance of two features in double-double numbers, the part that is common to any number of
 * lanes: a vertex and a face, or two edges, and what is nearest on them. Formulas over a lane type:
 * see lane.h. Only the host has them.
 *
 * Differences of coordinates are exact, in a unit in which they are at most 1. In that unit
 *
 *     a component of a product of two differences errs by less than 2^-97
 *     its scalar product with another one, or with a difference, by less than 2^-92
 *     a scalar product of two differences by less than 2^-96
 *
 * A sign is certain beyond MEASURE_SURE, which is far more. A difference that is not 0 but less
 * than MEASURE_TINY leaves a doubt, so that no product underflows. */
#define MEASURE_SURE 0x1p-85
#define MEASURE_ERROR 0x1p-91    /* exceeds the errors listed above */
#define MEASURE_RELATIVE 0x1p-93 /* relative error of quotients and roots */
#define MEASURE_LEAST 0x1p-110   /* a smaller square of a length is left to integers */
#define MEASURE_TINY 0x1p-200
#define MEASURE_MOST 0x1p1000 /* larger coordinates are left to integers, too */

#define measure LANE_NAME(measure)
#define measure_new LANE_NAME(measure_new)
#define measure_between LANE_NAME(measure_between)
#define measure_cross LANE_NAME(measure_cross)
#define measure_positive LANE_NAME(measure_positive)
#define measure_weights LANE_NAME(measure_weights)
#define measure_vertices LANE_NAME(measure_vertices)
#define measure_vertex_edge LANE_NAME(measure_vertex_edge)
#define measure_across LANE_NAME(measure_across)
#define measure_over_face LANE_NAME(measure_over_face)
#define measure_between_edges LANE_NAME(measure_between_edges)
#define measure_place LANE_NAME(measure_place)
#define measure_place_add LANE_NAME(measure_place_add)
#define measure_place_inside LANE_NAME(measure_place_inside)
#define measure_foot LANE_NAME(measure_foot)
#define measure_near_face LANE_NAME(measure_near_face)
#define measure_near_edges LANE_NAME(measure_near_edges)
#define measure_weight LANE_NAME(measure_weight)
#define measure_round LANE_NAME(measure_round)
#define measure_length LANE_NAME(measure_length)
#define measure_normal LANE_NAME(measure_normal)
#define measure_largest LANE_NAME(measure_largest)
#define measure_unit LANE_NAME(measure_unit)

/* The nearest points of two parts of features, which are inside these parts. */
typedef struct measure {
    twofold weight[4]; /* in order; a part that is one vertex has none */
    twofold size;      /* the sum of the weights of each */
    v3 way;            /* along the shortest connection, of any length */
    twofold distance;  /* relative to which it errs by `error` */
    lane error;
    lane_mask sure;    /* all of it is certain */
    lane_mask outside; /* the nearest points are certainly not inside */
} measure;

/* ---- vectors */

FORMULA lane measure_largest(v3 a)
{
    a = v3_abs(a);
    return lane_max3(a.x, a.y, a.z);
}

/* The unit for four points, a power of two. *sure: it and the coordinates are in range. */
FORMULA lane measure_unit(v3 a, v3 b, v3 c, v3 d, lane_mask *sure)
{
    lane extent = lane_max3(measure_largest(v3_sub(b, a)), measure_largest(v3_sub(c, a)),
                            measure_largest(v3_sub(d, a)));
    lane most = lane_max(lane_max(measure_largest(a), measure_largest(b)),
                         lane_max(measure_largest(c), measure_largest(d)));
    lane power = lane_power(extent);
    *sure = mask_and(lane_less(most, lane_all(MEASURE_MOST)), lane_less(lane_all(0x1p-902), power));
    return 4 * power;
}

FORMULA void measure_between(v3 from, v3 to, lane scale, twofold out[3], lane_mask *sure)
{
    out[0] = sum_of(to.x, -from.x);
    out[1] = sum_of(to.y, -from.y);
    out[2] = sum_of(to.z, -from.z);
    for (int k = 0; k < 3; k++) {
        out[k].hi = out[k].hi * scale;
        out[k].lo = out[k].lo * scale;
        lane_mask tiny = lane_less(lane_abs(out[k].hi), lane_all(MEASURE_TINY));
        *sure = mask_and(*sure, mask_or(mask_not(tiny), lane_equal(out[k].hi, lane_all(0))));
    }
}

FORMULA void measure_cross(const twofold a[3], const twofold b[3], twofold out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = loose_minor(a, b, k);
}

/* ---- parts */

/* No weights, one point each. */
FORMULA measure measure_new(void)
{
    measure m;
    m.size.hi = lane_all(1);
    m.size.lo = lane_all(0);
    for (int k = 0; k < 4; k++) {
        m.weight[k].hi = lane_all(0);
        m.weight[k].lo = lane_all(0);
    }
    m.sure = lane_equal(m.size.hi, m.size.hi);
    m.outside = mask_not(m.sure);
    return m;
}

FORMULA void measure_positive(measure *m, lane x, lane than)
{
    m->sure = mask_and(m->sure, lane_less(than, x));
}

/* The nearest points are inside if all weights are positive. */
FORMULA void measure_weights(measure *m, int n)
{
    for (int k = 0; k < n; k++) {
        measure_positive(m, m->weight[k].hi, lane_all(MEASURE_SURE));
        m->outside = mask_or(m->outside, lane_less(m->weight[k].hi, lane_all(-MEASURE_SURE)));
    }
}

FORMULA measure measure_vertices(v3 p, v3 q, lane scale)
{
    measure m = measure_new();
    twofold way[3];
    measure_between(p, q, scale, way, &m.sure);
    twofold square = loose_dot(way, way);
    measure_positive(&m, square.hi, lane_all(MEASURE_LEAST));
    m.way = v3_make(way[0].hi, way[1].hi, way[2].hi);
    m.distance = two_sqrt(square);
    m.error = lane_all(MEASURE_RELATIVE);
    return m;
}

/* Vertex p and edge ab. The weights are those of a and b. */
FORMULA measure measure_vertex_edge(v3 p, v3 a, v3 b, lane scale)
{
    measure m = measure_new();
    twofold e[3], g[3], n[3];
    measure_between(a, b, scale, e, &m.sure);
    measure_between(a, p, scale, g, &m.sure);
    m.size = loose_dot(e, e);
    m.weight[1] = loose_dot(e, g);
    m.weight[0] = two_less(m.size, m.weight[1]);
    measure_weights(&m, 2);
    measure_cross(e, g, n);
    twofold square = loose_dot(n, n), t = loose_div(m.weight[1], m.size);
    measure_positive(&m, square.hi, lane_all(MEASURE_LEAST));
    measure_positive(&m, m.size.hi, lane_all(MEASURE_LEAST));
    m.way = v3_make(two_less(two_mul(t, e[0]), g[0]).hi, two_less(two_mul(t, e[1]), g[1]).hi,
                    two_less(two_mul(t, e[2]), g[2]).hi);
    twofold length = two_sqrt(square);
    m.distance = loose_div(length, two_sqrt(m.size));
    m.error = MEASURE_RELATIVE + MEASURE_ERROR / length.hi + MEASURE_ERROR / m.size.hi;
    return m;
}

/* The distance |n.g| / |n|, and the way along n; to: 1 if it goes along g, else -1. */
FORMULA void measure_across(measure *m, const twofold n[3], const twofold g[3], f64 to)
{
    twofold height = loose_dot(n, g), length = two_sqrt(m->size);
    lane_mask back = lane_less(height.hi, lane_all(0));
    lane sign = lane_if(back, lane_all(-to), lane_all(to));
    height.lo = lane_if(back, -height.lo, height.lo);
    height.hi = lane_if(back, -height.hi, height.hi);
    measure_positive(m, height.hi, lane_all(MEASURE_SURE));
    m->way = v3_scale(v3_make(n[0].hi, n[1].hi, n[2].hi), sign);
    m->distance = loose_div(height, length);
    m->error = MEASURE_RELATIVE + MEASURE_ERROR / height.hi + MEASURE_ERROR / m->size.hi;
}

/* Vertex p and the inside of face abc. The weights are those of a, b and c. */
FORMULA measure measure_over_face(v3 p, v3 a, v3 b, v3 c, lane scale)
{
    measure r = measure_new();
    twofold e[3], f[3], g[3], n[3], m[3];
    measure_between(a, b, scale, e, &r.sure);
    measure_between(a, c, scale, f, &r.sure);
    measure_between(a, p, scale, g, &r.sure);
    measure_cross(e, f, n);
    r.size = loose_dot(n, n);
    measure_positive(&r, r.size.hi, lane_all(MEASURE_LEAST));
    measure_cross(g, f, m);
    r.weight[1] = loose_dot(m, n);
    measure_cross(e, g, m);
    r.weight[2] = loose_dot(m, n);
    r.weight[0] = two_less(two_less(r.size, r.weight[1]), r.weight[2]);
    measure_weights(&r, 3);
    r.outside = mask_and(r.outside, lane_less(lane_all(MEASURE_LEAST), r.size.hi));
    measure_across(&r, n, g, -1);
    return r;
}

/* The insides of edges ab and cd. The weights are those of a, b, c and d. */
FORMULA measure measure_between_edges(v3 a, v3 b, v3 c, v3 d, lane scale)
{
    measure r = measure_new();
    twofold e[3], f[3], g[3], n[3], m[3];
    measure_between(a, b, scale, e, &r.sure);
    measure_between(c, d, scale, f, &r.sure);
    measure_between(a, c, scale, g, &r.sure);
    measure_cross(e, f, n);
    r.size = loose_dot(n, n);
    measure_positive(&r, r.size.hi, lane_all(MEASURE_LEAST));
    measure_cross(g, f, m);
    r.weight[1] = loose_dot(m, n);
    r.weight[0] = two_less(r.size, r.weight[1]);
    measure_cross(g, e, m);
    r.weight[3] = loose_dot(m, n);
    r.weight[2] = two_less(r.size, r.weight[3]);
    measure_weights(&r, 4);
    r.outside = mask_and(r.outside, lane_less(lane_all(MEASURE_LEAST), r.size.hi));
    measure_across(&r, n, g, 1);
    return r;
}

/* ---- where the nearest points are, in float64
 *
 * Points are relative to one of them, in the unit; a coordinate errs by less than 2^-53, a scalar
 * product of two differences by less than 2^-49, one of two products of differences by less than
 * 2^-46. Squares of distances err by less than 2^-46: near its least a square does not depend on
 * the foot's place. So signs and orders beyond MEASURE_CLEAR are certain. */
#define MEASURE_CLEAR 0x1p-40

/* Places. Of a vertex and face abc: 0, 1, 2 vertices, 3, 4, 5 edges ab, bc, ca, then the inside. Of
 * edges ab and cd: 3 i + j; i, j: 0, 1 ends, 2 the inside of the edge. */
#define MEASURE_OVER_FACE 6
#define MEASURE_BETWEEN_EDGES 8

/* The nearest place so far, and the square of its distance. open: a step is uncertain, so that a
 * tie of any two leaves the same features to integers as without this choice. */
typedef struct measure_place {
    lane at, square;
    lane_mask open;
} measure_place;

/* If several steps find the same place, the first one counts. */
FORMULA void measure_place_add(measure_place *best, measure_place r)
{
    lane_mask other = mask_not(lane_equal(r.at, best->at)),
              close = lane_less(lane_abs(r.square - best->square), lane_all(MEASURE_CLEAR)),
              nearer = mask_and(other, lane_less(r.square, best->square));
    best->open = mask_or(mask_or(best->open, r.open), mask_and(other, close));
    best->at = lane_if(nearer, r.at, best->at);
    best->square = lane_if(nearer, r.square, best->square);
}

/* The place on an edge of the nearest point to p: that of end a, end b, or the inside. */
FORMULA measure_place measure_foot(v3 p, v3 a, v3 b, f64 at_a, f64 at_b, f64 inside)
{
    measure_place r;
    v3 e = v3_sub(b, a), g = v3_sub(p, a);
    lane size = v3_dot(e, e), s = v3_dot(e, g), rest = size - s;
    lane_mask before = lane_less(s, lane_all(0)), beyond = lane_less(rest, lane_all(0));
    lane t = lane_if(before, lane_all(0), lane_if(beyond, lane_all(1), s / size));
    v3 way = v3_sub(g, v3_scale(e, t));
    r.square = v3_dot(way, way);
    r.at = lane_if(before, lane_all(at_a), lane_if(beyond, lane_all(at_b), lane_all(inside)));
    r.open = mask_or(lane_less(lane_abs(s), lane_all(MEASURE_CLEAR)),
                     lane_less(lane_abs(rest), lane_all(MEASURE_CLEAR)));
    return r;
}

/* The inside is nearest if the least weight certainly is positive, and not if it certainly is
 * negative. */
FORMULA lane measure_place_inside(measure_place r, lane least, f64 inside, lane_mask *open)
{
    lane_mask is = lane_less(lane_all(MEASURE_CLEAR), least),
              is_not = lane_less(least, lane_all(-MEASURE_CLEAR));
    *open = mask_and(mask_not(is), mask_or(mask_not(is_not), r.open));
    return lane_if(is, lane_all(inside), r.at);
}

/* The place that is nearest to vertex p on face abc. */
FORMULA lane measure_near_face(v3 p, v3 a, v3 b, v3 c, lane scale, lane_mask *open)
{
    v3 zero = v3_make(lane_all(0), lane_all(0), lane_all(0));
    b = v3_scale(v3_sub(b, a), scale);
    c = v3_scale(v3_sub(c, a), scale);
    p = v3_scale(v3_sub(p, a), scale);
    v3 n = v3_cross(b, c);
    lane s = v3_dot(v3_cross(p, c), n), t = v3_dot(v3_cross(b, p), n);
    measure_place best = measure_foot(p, zero, b, 0, 1, 3);
    measure_place_add(&best, measure_foot(p, b, c, 1, 2, 4));
    measure_place_add(&best, measure_foot(p, c, zero, 2, 0, 5));
    return measure_place_inside(best, lane_min3(v3_dot(n, n) - s - t, s, t), MEASURE_OVER_FACE,
                                open);
}

/* The places that are nearest to each other on edges ab and cd. */
FORMULA lane measure_near_edges(v3 a, v3 b, v3 c, v3 d, lane scale, lane_mask *open)
{
    v3 zero = v3_make(lane_all(0), lane_all(0), lane_all(0));
    b = v3_scale(v3_sub(b, a), scale);
    c = v3_scale(v3_sub(c, a), scale);
    d = v3_scale(v3_sub(d, a), scale);
    v3 f = v3_sub(d, c), n = v3_cross(b, f);
    lane s = v3_dot(v3_cross(c, f), n), t = v3_dot(v3_cross(c, b), n), size = v3_dot(n, n);
    lane least = lane_min(lane_min(s, t), lane_min(size - s, size - t));
    measure_place best = measure_foot(zero, c, d, 0, 1, 2);
    measure_place_add(&best, measure_foot(b, c, d, 3, 4, 5));
    measure_place_add(&best, measure_foot(c, zero, b, 0, 3, 6));
    measure_place_add(&best, measure_foot(d, zero, b, 1, 4, 7));
    return measure_place_inside(best, least, MEASURE_BETWEEN_EDGES, open);
}

/* ---- results */

FORMULA lane measure_weight(measure m, int k)
{
    return loose_div(m.weight[k], m.size).hi;
}

/* A number > 0 with this absolute error, times a power of two, rounded down. *sure: the error
 * leaves no doubt. The factor makes the float64 below a number that is not denormal. */
FORMULA lane measure_round(twofold x, lane error, lane unit, lane_mask *sure)
{
    lane_mask low = lane_less(x.lo - error, lane_all(0)),
              high = lane_less(x.lo + error, lane_all(0));
    lane down = lane_if(low, x.hi * (1 - 0x1p-53), x.hi) * unit;
    lane_mask range =
        mask_and(lane_less(lane_all(0x1p-1000), down), lane_less(down, lane_all(0x1p1000)));
    *sure = mask_and(mask_and(*sure, range),
                     mask_and(lane_less(4 * error, x.hi), mask_same(low, high)));
    return down;
}

/* The distance, rounded down. */
FORMULA lane measure_length(measure m, lane unit, lane_mask *sure)
{
    return measure_round(m.distance, 2 * m.distance.hi * m.error, unit, sure);
}

/* `way` with length 1. *sure: it is long enough. */
FORMULA v3 measure_normal(v3 way, lane_mask *sure)
{
    lane length = lane_sqrt(v3_dot(way, way));
    *sure = mask_and(*sure, lane_less(lane_all(0x1p-300), length));
    return v3_make(way.x / length + 0.0, way.y / length + 0.0, way.z / length + 0.0);
}
