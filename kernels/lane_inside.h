/* Points and the triangles of closed objects: whether a ray crosses a triangle, and bounds of the
 * distance. Formulas over a lane type: see lane.h. All coordinates are in a unit in which those of
 * the boxes are at most about 2; a coordinate far from 0 is exact, so that the error of a
 * difference is that of its rounding.
 *
 * A turn is a 2 x 2 determinant of rounded differences, a height a 3 x 3 one. With l and r the
 * products of a turn, its error is at most (3 + 16 u) u (|l| + |r|), and that of a height
 * (7 + 56 u) u times the sum of each |l| + |r| times the third difference (Shewchuk, Adaptive
 * precision floating-point arithmetic and fast robust geometric predicates, 1997: bounds A). */
#define INSIDE_TURN_ERROR 3.5e-16
#define INSIDE_HEIGHT_ERROR 8e-16
#define INSIDE_TINY 1e-280 /* covers underflow, including that of scaling */

/* Of the square of a distance, relative to the square of the largest coordinate seen from the
 * point. A point of the triangle errs by less than 16 u of that coordinate, so the square of its
 * distance by less than 64 u; the rest is for the scalar products. */
#define INSIDE_SQUARE_ERROR 0x1p-44

#define inside_crossing LANE_NAME(inside_crossing)
#define inside_cross_begin LANE_NAME(inside_cross_begin)
#define inside_cross_edge LANE_NAME(inside_cross_edge)
#define inside_verdict LANE_NAME(inside_verdict)
#define inside_cross_end LANE_NAME(inside_cross_end)
#define inside_gram LANE_NAME(inside_gram)
#define inside_gram_begin LANE_NAME(inside_gram_begin)
#define inside_gram_add LANE_NAME(inside_gram_add)
#define inside_foot LANE_NAME(inside_foot)
#define inside_foot_begin LANE_NAME(inside_foot_begin)
#define inside_foot_step LANE_NAME(inside_foot_step)
#define inside_reach LANE_NAME(inside_reach)
#define inside_reach_begin LANE_NAME(inside_reach_begin)
#define inside_reach_add LANE_NAME(inside_reach_add)
#define inside_bounds LANE_NAME(inside_bounds)
#define inside_bounds_of LANE_NAME(inside_bounds_of)

/* ---- rays: x and y are across the ray, z is along it. Corners are relative to the point. */

/* Of the edges so far. */
typedef struct inside_crossing {
    lane height, size;       /* over the plane, and the sum that its error is relative to */
    lane_mask ahead;         /* a corner is not behind the point */
    lane_mask left, right;   /* some edge certainly turns to this side */
    lane_mask lefts, rights; /* all do */
} inside_crossing;

FORMULA inside_crossing inside_cross_begin(void)
{
    inside_crossing r;
    r.height = r.size = lane_all(0);
    r.lefts = r.rights = lane_equal(r.height, r.size);
    r.left = r.right = r.ahead = mask_not(r.lefts);
    return r;
}

/* An edge a-b, of a triangle whose third corner has the coordinate z. */
FORMULA void inside_cross_edge(inside_crossing *r, v3 a, v3 b, lane z)
{
    lane l = a.x * b.y, m = a.y * b.x, d = l - m, size = lane_abs(l) + lane_abs(m);
    lane error = INSIDE_TURN_ERROR * size + INSIDE_TINY;
    lane_mask left = lane_less(error, d), right = lane_less(d, -error);
    r->left = mask_or(r->left, left);
    r->right = mask_or(r->right, right);
    r->lefts = mask_and(r->lefts, left);
    r->rights = mask_and(r->rights, right);
    r->height = r->height + z * d;
    r->size = r->size + lane_abs(z) * size;
    r->ahead = mask_or(r->ahead, mask_or(lane_less(lane_all(0), z), lane_equal(z, lane_all(0))));
}

/* front: the ray certainly leaves through the front of the triangle, whose corners turn
 * counter-clockwise seen against the ray; back: certainly through its back; open: neither is
 * certain, or the point may be on the triangle. Triangles of NaN are not crossed. */
typedef struct inside_verdict {
    lane_mask front, back, open;
} inside_verdict;

FORMULA inside_verdict inside_cross_end(inside_crossing r)
{
    inside_verdict v;
    lane error = INSIDE_HEIGHT_ERROR * r.size + INSIDE_TINY;
    lane_mask beyond = lane_less(error, r.height), before = lane_less(r.height, -error);
    v.front = mask_and(mask_and(r.ahead, beyond), r.lefts);
    v.back = mask_and(mask_and(r.ahead, before), r.rights);
    /* turns to both sides, or those known have the plane behind the point */
    lane_mask none = mask_or(mask_and(r.left, r.right),
                             mask_or(mask_and(r.left, before), mask_and(r.right, beyond)));
    v.open = mask_and(mask_and(r.ahead, mask_not(none)), mask_not(mask_or(v.front, v.back)));
    return v;
}

/* ---- distances. Corners are relative to the point, and taken axis by axis. */

/* Scalar products of the sides b - a and c - a of a triangle with each other, and with the way from
 * a to the origin. */
typedef struct inside_gram {
    lane b, c, both, to_b, to_c;
} inside_gram;

FORMULA inside_gram inside_gram_begin(void)
{
    inside_gram g;
    g.b = g.c = g.both = g.to_b = g.to_c = lane_all(0);
    return g;
}

FORMULA void inside_gram_add(inside_gram *g, lane a, lane b, lane c)
{
    b = b - a;
    c = c - a;
    g->b = g->b + b * b;
    g->c = g->c + c * c;
    g->both = g->both + b * c;
    g->to_b = g->to_b - a * b;
    g->to_c = g->to_c - a * c;
}

/* The point a + b (b - a) + c (c - a) of the triangle; drop: what its square of the distance lacks
 * to that of a. */
typedef struct inside_foot {
    lane b, c, drop;
} inside_foot;

FORMULA inside_foot inside_foot_begin(void)
{
    inside_foot f;
    f.b = f.c = lane_all(0);
    f.drop = lane_all(-1e300);
    return f;
}

/* About the point that is nearest to the origin, in four steps: on the edges a-b,
 * a-c and b-c, then within the triangle. */
FORMULA void inside_foot_step(inside_foot *f, inside_gram g, u32 step)
{
    lane zero = lane_all(0), one = lane_all(1), area = g.b * g.c - g.both * g.both;
    lane part = g.to_b, whole = g.b, b = zero, c = zero;
    if (step == 1) {
        part = g.to_c;
        whole = g.c;
    } else if (step == 2) {
        part = g.to_c - g.to_b + (g.b - g.both);
        whole = g.b + g.c - 2 * g.both;
    } else if (step == 3) {
        whole = area;
    }
    lane t = inside_inverse(whole), s = part * t;
    s = lane_if(lane_less(zero, s), lane_if(lane_less(s, one), s, one), zero);
    if (step == 0) {
        b = s;
    } else if (step == 1) {
        c = s;
    } else if (step == 2) {
        b = 1 - s;
        c = s;
    } else {
        b = g.c * g.to_b - g.both * g.to_c;
        c = g.b * g.to_c - g.both * g.to_b;
    }
    lane drop = b * (2 * g.to_b - b * g.b - 2 * (c * g.both)) + c * (2 * g.to_c - c * g.c);
    lane_mask better = lane_less(f->drop, drop);
    if (step == 3) {
        lane_mask out = mask_or(mask_or(lane_less(b, zero), lane_less(c, zero)),
                                mask_or(lane_less(area, b + c), lane_less(area, lane_all(1e-200))));
        better = mask_not(out);
        b = b * t;
        c = c * t;
    }
    f->b = lane_if(better, b, f->b);
    f->c = lane_if(better, c, f->c);
    f->drop = lane_if(better, drop, f->drop);
}

/* The square of the foot's distance, its scalar products with the corners, and the largest
 * coordinate of these. */
typedef struct inside_reach {
    lane square, a, b, c, size;
} inside_reach;

FORMULA inside_reach inside_reach_begin(void)
{
    inside_reach r;
    r.square = r.a = r.b = r.c = r.size = lane_all(0);
    return r;
}

FORMULA void inside_reach_add(inside_reach *r, inside_foot f, lane a, lane b, lane c)
{
    lane q = a + (f.b * (b - a) + f.c * (c - a));
    r->square = r->square + q * q;
    r->a = r->a + q * a;
    r->b = r->b + q * b;
    r->c = r->c + q * c;
    r->size = lane_max(r->size, lane_max3(lane_abs(a), lane_abs(b), lane_abs(c)));
}

typedef struct inside_bounds {
    lane least, most; /* of the square of the distance */
} inside_bounds;

/* Any point of the triangle gives an upper bound; along the way to it no corner is nearer than the
 * lower one. So both hold for any foot. A triangle of NaN has an upper bound of NaN. */
FORMULA inside_bounds inside_bounds_of(inside_reach r)
{
    inside_bounds b;
    lane error = INSIDE_SQUARE_ERROR * (r.size * r.size) + INSIDE_TINY, zero = lane_all(0);
    lane ahead = lane_min3(r.a, r.b, r.c);
    lane_mask far = mask_and(lane_less(zero, ahead), lane_less(lane_all(1e-200), r.square));
    b.most = r.square + error;
    b.least = lane_if(far, ahead * ahead * inside_inverse(r.square) - error, zero);
    return b;
}
