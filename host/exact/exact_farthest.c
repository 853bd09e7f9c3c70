/* See exact_farthest.h: in float64, and if that leaves a doubt which pair of rounded points it was,
 * by integers. */
#include "exact_farthest.h"

#include "exact_float.h"
#include "exact_solid.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

int exact_point_order(const exact_point *a, const exact_point *b)
{
    for (int k = 0; k < 3; k++)
        if (a->x[k] != b->x[k])
            return a->x[k] < b->x[k] ? -1 : 1;
    return 0;
}

/* ---- as float64 */

/* a - b in units of 2^unit, also where a - b overflows */
static double farthest_difference(double a, double b, int unit)
{
    double d = a - b;
    return isfinite(d) ? times_power(d, -unit) : ldexp(0.5 * a - 0.5 * b, 1 - unit);
}

/* the square of the distance, in units that fit the points' extent */
static double farthest_distance(const exact_point *a, const exact_point *b, int unit)
{
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        double d = farthest_difference(a->x[k], b->x[k], unit);
        sum += d * d;
    }
    return sum;
}

/* No coordinate differs from the first point's by more than 2^unit. */
static int farthest_unit(const exact_point *x, int n)
{
    double size = 0;
    int unit;
    for (int i = 1; i < n; i++)
        for (int k = 0; k < 3; k++)
            size = greater(size, fabs(x[i].x[k] - x[0].x[k]));
    frexp(fmin(size, DBL_MAX), &unit);
    return unit;
}

static int pair_less(const exact_point *const a[2], const exact_point *const b[2])
{
    int first = exact_point_order(a[0], b[0]);
    return first ? first < 0 : exact_point_order(a[1], b[1]) < 0;
}

static void put_ends(const exact_point *a, const exact_point *b, double out[6])
{
    int turn = exact_point_order(a, b) > 0;
    memcpy(out, turn ? b->x : a->x, sizeof a->x);
    memcpy(out + 3, turn ? a->x : b->x, sizeof a->x);
}

/* The square of the greatest distance; *next: of the second greatest, or -1. */
static double farthest_pair(const exact_point *x, int n, int unit, double *next, double out[6])
{
    const exact_point *best[2] = {&x[0], &x[0]};
    double most = -1;
    *next = -1;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            double d = farthest_distance(&x[i], &x[j], unit);
            *next = d < most ? greater(d, *next) : most;
            if (d < most)
                continue;
            int turn = exact_point_order(&x[i], &x[j]) > 0;
            const exact_point *pair[2] = {turn ? &x[j] : &x[i], turn ? &x[i] : &x[j]};
            if (d > most || pair_less(pair, best)) {
                most = d;
                memcpy(best, pair, sizeof best);
            }
        }
    put_ends(best[0], best[1], out);
    return most;
}

void exact_farthest(const exact_point *x, int n, double out[6])
{
    double next;
    farthest_pair(x, n, farthest_unit(x, n), &next, out);
}

/* ---- exactly */

/* What `distance` of rounded points may differ from that of the points themselves. Rounding moved
 * coordinates by 2^-53 of them, or half of the least denormal; with 2^-53 of a difference, which is
 * not above 2 units, and both ends' e, that is off by E = 2e + 2^-52 units, its square by
 * E (4 + E), and a sum of three such squares, none above 4, has five roundings. No coordinate is
 * more than a unit above those of the first point. */
static double distance_error(const exact_point *x, int unit)
{
    double most = greater(fabs(x->x[0]), greater(fabs(x->x[1]), fabs(x->x[2])));
    double least = unit < -900 ? ldexp(1, -1075 - unit) : 0x1p-175;
    double off = 2 * (0x1p-53 * (times_power(most, -unit) + 1) + least) + 0x1p-52;
    return 3 * off * (4 + off) + 0x1p-46;
}

/* A point as x / w. */
typedef struct parts {
    big x[3], w;
} parts;

/* Limbs of a_x b_w - b_x a_w, of the sum of three squares of it, of the product of that and one. */
#define ACROSS_LIMBS (2 * BIG_LIMBS + 1)
#define SQUARE_LIMBS (2 * ACROSS_LIMBS + 2)
#define PRODUCT_LIMBS (2 * SQUARE_LIMBS)

/* (a - b) a_w b_w along axis k */
static big_view farthest_axis_term(mp_limb_t work[3][ACROSS_LIMBS], const parts *a, const parts *b,
                                   int k)
{
    const big_view p = view_mul(work[0], big_seen(&a->x[k]), big_seen(&b->w));
    const big_view q = view_mul(work[1], big_seen(&b->x[k]), big_seen(&a->w));
    return view_add(work[2], p, q, -1);
}

/* Lexicographic order, exactly. */
static int parts_order(const parts *a, const parts *b)
{
    mp_limb_t work[3][ACROSS_LIMBS];
    int sign = 0;
    for (int k = 0; k < 3 && !sign; k++)
        sign = farthest_axis_term(work, a, b, k).sign * a->w.sign * b->w.sign;
    return sign;
}

static int farthest_order(const exact_construction *a, const exact_construction *b, int unit)
{
    parts p, q;
    exact_cut_parts(&a->from, unit, p.x, &p.w);
    exact_cut_parts(&b->from, unit, q.x, &q.w);
    return parts_order(&p, &q);
}

/* Two points, and the square of their distance as square / weight. */
typedef struct reach {
    const exact_construction *end[2]; /* in order */
    big_view square, weight;
    mp_limb_t square_limb[SQUARE_LIMBS], weight_limb[SQUARE_LIMBS];
} reach;

static void farthest_reach(const exact_construction *a, const exact_construction *b, int unit,
                           reach *out)
{
    parts p, q;
    mp_limb_t work[3][ACROSS_LIMBS], term[SQUARE_LIMBS], sum[SQUARE_LIMBS];
    exact_cut_parts(&a->from, unit, p.x, &p.w);
    exact_cut_parts(&b->from, unit, q.x, &q.w);
    out->square = (big_view){0, 0, out->square_limb};
    for (int k = 0; k < 3; k++) {
        const big_view d = farthest_axis_term(work, &p, &q, k);
        const big_view all = view_add(sum, out->square, view_mul(term, d, d), 1);
        memcpy(out->square_limb, sum, (size_t)all.limbs * sizeof *sum);
        out->square = (big_view){all.sign, all.limbs, out->square_limb};
    }
    const big_view w = view_mul(work[0], big_seen(&p.w), big_seen(&q.w));
    out->weight = view_mul(out->weight_limb, w, w);
    const int turn = parts_order(&p, &q) > 0;
    out->end[0] = turn ? b : a;
    out->end[1] = turn ? a : b;
}

/* Are those of a farther apart than those of b, or as far and a lesser pair? */
static int reach_better(const reach *a, const reach *b, int unit)
{
    mp_limb_t work[2][PRODUCT_LIMBS], less[PRODUCT_LIMBS + 1];
    const big_view p = view_mul(work[0], a->square, b->weight);
    const big_view q = view_mul(work[1], b->square, a->weight);
    const int farther = view_add(less, p, q, -1).sign;
    if (farther)
        return farther > 0;
    const int first = farthest_order(a->end[0], b->end[0], unit);
    return first ? first < 0 : farthest_order(a->end[1], b->end[1], unit) < 0;
}

/* The different constructions with a point in doubt; returns their number. */
static int different(const exact_construction *of, int constructions, const char *in_doubt,
                     int unit, const exact_construction **out)
{
    int n = 0;
    for (int i = 0; i < constructions; i++) {
        int known = !in_doubt[of[i].at];
        for (int j = 0; j < n && !known; j++)
            known = out[j]->at == of[i].at && !farthest_order(out[j], &of[i], unit);
        if (!known)
            out[n++] = &of[i];
    }
    return n;
}

/* The farthest of the pairs with rounded points `least` apart, or more. */
static void farthest_exactly(const exact_point *x, const exact_construction *const *of, int n,
                             int unit, double least, int scale, double out[6])
{
    reach work[2], *best = NULL, *next = &work[0];
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            if (!(farthest_distance(&x[of[i]->at], &x[of[j]->at], scale) >= least))
                continue;
            farthest_reach(of[i], of[j], unit, next);
            if (best && !reach_better(next, best, unit))
                continue;
            best = next;
            next = &work[best == &work[0]];
        }
    if (best)
        put_ends(&x[best->end[0]->at], &x[best->end[1]->at], out);
}

static int constructions_unit(const exact_construction *of, int constructions)
{
    int unit = INT_MAX;
    for (int i = 0; i < constructions; i++) {
        const cut *c = &of[i].from;
        const int one = UNIT(c->a, c->b, c->c, c->p, c->q);
        unit = one < unit ? one : unit;
    }
    return unit;
}

/* Most often the farthest pair is clear in float64; only pairs within its error are computed
 * exactly. */
void exact_farthest_of(const exact_point *x, int n, const exact_construction *of, int constructions,
                       double out[6])
{
    char in_doubt[EXACT_COLLISIONS_MOST] = {0};
    const exact_construction *some[EXACT_COLLISIONS_MOST];
    const int scale = farthest_unit(x, n);
    double next;
    const double most = farthest_pair(x, n, scale, &next, out);
    const double least = most - 2 * distance_error(x, scale);
    if (n < 2 || next < least)
        return;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            if (!(farthest_distance(&x[i], &x[j], scale) < least))
                in_doubt[i] = in_doubt[j] = 1;
    const int unit = constructions_unit(of, constructions);
    const int count = different(of, constructions, in_doubt, unit, some);
    farthest_exactly(x, some, count, unit, least, scale, out);
}
