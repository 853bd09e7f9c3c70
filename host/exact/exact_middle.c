/* The middle of the part of a segment that is inside a tetrahedron. The segment from p to q has the
 * heights h_p and h_q over the plane of a face, counted to the inside, and crosses it at the
 * parameter h_p / (h_p - h_q). It enters through the faces with h_p <= 0 < h_q, at the greatest of
 * their parameters, and leaves through those with h_q <= 0 < h_p, at the least. The height of the
 * middle over a plane is linear in its parameter, too. In double-double numbers, and by integers
 * where their error leaves a doubt. */
#include "exact_middle.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* Returns whether the segment enters through a face (end 0), or leaves through it (end 1). */
static int middle_passes(const middle_face *f, int end)
{
    return f->side[end] <= 0 && f->side[!end] > 0;
}

/* ---- double-double numbers */

/* A number and its error bound. */
typedef struct middle_number {
    twofold x;
    double error;
} middle_number;

#define NORMAL_MOST 0x1p200    /* of lengths: squares of normals do not overflow */
#define RESULT_LEAST 0x1p-1000 /* above this the low part of a distance is not a denormal */

/* The height of an end, counted to the inside. */
static twofold middle_height(const middle_face *f, int end)
{
    const twofold h = f->end[end]->height;
    return f->side[end] ? (f->own > 0 ? h : two_minus(h)) : (twofold){0, 0};
}

/* The parameter at which the segment enters, or leaves. Of several faces the last one, or the first
 * one, counts, and all of their errors. The quotient errs by at most three errors of the heights
 * over their difference, plus a little. Returns 0 if the numbers are too large or too small. */
static int middle_parameter(const middle_face face[4], int end, middle_number *out)
{
    int found = 0;
    *out = (middle_number){{0, 0}, 0};
    for (int f = 0; f < 4; f++) {
        if (!middle_passes(&face[f], end))
            continue;
        const double error = exact_cut_error(face[f].end[0], face[f].end[1]);
        const twofold h = middle_height(&face[f], 0);
        const twofold all = two_less(h, middle_height(&face[f], 1));
        if (!(error > 0))
            return 0;
        const twofold x = loose_div(h, all);
        const double later = two_less(x, out->x).hi;
        if (!found || (end ? later < 0 : later > 0))
            out->x = x;
        out->error = greater(out->error, 4 * error / fabs(all.hi) + 0x1p-96);
        found = 1;
    }
    return found;
}

/* The length of the normal of a face. Differences are exact, so a component errs by less than 2^-98
 * of the product of two sizes, the length by root 3 of that, and by 2^-98 of itself for its
 * squares, their sum and the root. Returns 0 if the numbers are too large. */
static int middle_length(const cut_plane *plane, middle_number *out)
{
    twofold square = {0, 0};
    double product = 0;
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3;
        square = two_add(square, two_mul(plane->normal[k], plane->normal[k]));
        product = greater(product, plane->size[k] * plane->size[i]);
        if (!(plane->size[k] < NORMAL_MOST))
            return 0;
    }
    out->x = two_sqrt(square);
    out->error = 0x1p-96 * (product + out->x.hi);
    return 1;
}

/* The distance of the point at a parameter from the plane of a face, as bounds that are rounded.
 * Returns 0 if they are too far apart. */
static int middle_distance(const middle_face *f, const middle_number *at, double bounds[2])
{
    middle_number length;
    const twofold first = middle_height(f, 0), way = two_less(middle_height(f, 1), first);
    const twofold height = two_add(first, two_mul(way, at->x));
    const double ends = exact_cut_error(f->end[0], f->end[1]);
    const double error =
        4 * ends + fabs(way.hi) * at->error + 0x1p-97 * (fabs(first.hi) + fabs(way.hi));
    if (!(ends > 0 && height.hi > 2 * error) || !middle_length(f->plane, &length))
        return 0;
    const twofold x = loose_div(height, length.x);
    const double off = 2 * x.hi * (error / height.hi + length.error / length.x.hi + 0x1p-95);
    bounds[0] = x.hi + (x.lo - off);
    bounds[1] = x.hi + (x.lo + off);
    return bounds[1] < INFINITY && bounds[0] > RESULT_LEAST;
}

/* Returns 0 if the result is in doubt. */
static int middle_fast(const middle_face face[4], double *out)
{
    middle_number in, leave;
    double least[2] = {INFINITY, INFINITY};
    *out = 0;
    if (!middle_parameter(face, 0, &in) || !middle_parameter(face, 1, &leave))
        return 0;
    const double error = in.error + leave.error, part = two_less(leave.x, in.x).hi;
    if (part < -2 * error)
        return 1;
    if (!(part > 2 * error))
        return 0;
    const twofold sum = two_add(in.x, leave.x);
    const middle_number middle = {{sum.hi / 2, sum.lo / 2}, error + 0x1p-99};
    for (int f = 0; f < 4; f++) {
        double bounds[2];
        if (!middle_distance(&face[f], &middle, bounds))
            return 0;
        least[0] = lesser(least[0], bounds[0]);
        least[1] = lesser(least[1], bounds[1]);
    }
    *out = least[0];
    return least[0] == least[1];
}

/* ---- integers, in units of a power of 2^unit */

/* A parameter: above / below, below > 0. */
typedef struct middle_quotient {
    exact_big above, below;
} middle_quotient;

/* Limbs of a product of two of these, and of a sum of such products. */
#define TWO_LIMBS (2 * BIG_LIMBS + 2)
#define THREE_LIMBS (3 * BIG_LIMBS + 4)

typedef struct middle_exact {
    const middle_face *face; /* [4] */
    int unit;
    exact_big height[4][2];
    big_view at, all; /* the parameter of the middle: at / all, all > 0 */
    mp_limb_t at_limb[TWO_LIMBS], all_limb[TWO_LIMBS];
} middle_exact;

static void middle_heights(const middle_face face[4], middle_exact *m)
{
    m->face = face;
    m->unit = INT_MAX;
    for (int f = 0; f < 4; f++) {
        const exact_point *const *v = face[f].plane->v;
        const int unit = UNIT(v[0], v[1], v[2], face[f].end[0]->x, face[f].end[1]->x);
        m->unit = unit < m->unit ? unit : m->unit;
    }
    for (int f = 0; f < 4; f++)
        for (int end = 0; end < 2; end++) {
            const exact_point *const *v = face[f].plane->v;
            exact_big *h = &m->height[f][end];
            big_orient3d(h, v[0], v[1], v[2], face[f].end[end]->x, m->unit);
            h->sign *= face[f].own;
        }
}

/* The sign of a - b. */
static int middle_compare(const middle_quotient *a, const middle_quotient *b)
{
    mp_limb_t p[TWO_LIMBS], q[TWO_LIMBS], less[TWO_LIMBS + 1];
    return view_add(less, view_mul(p, big_seen(&a->above), big_seen(&b->below)),
                    view_mul(q, big_seen(&b->above), big_seen(&a->below)), -1)
        .sign;
}

/* The parameter at which the segment enters, or leaves. */
static void middle_exact_parameter(const middle_exact *m, int end, middle_quotient *out)
{
    middle_quotient x;
    int found = 0;
    for (int f = 0; f < 4; f++) {
        if (!middle_passes(&m->face[f], end))
            continue;
        x.above = m->height[f][0];
        big_add(&x.below, &m->height[f][0], &m->height[f][1], -1);
        if (x.below.sign < 0) {
            x.above.sign = -x.above.sign;
            x.below.sign = 1;
        }
        const int later = found ? middle_compare(&x, out) : 0;
        if (!found || (end ? later < 0 : later > 0))
            *out = x;
        found = 1;
    }
}

/* Returns 0 if the segment has no part in the interior. */
static int middle_find(middle_exact *m)
{
    middle_quotient in, leave;
    mp_limb_t p[TWO_LIMBS], q[TWO_LIMBS];
    middle_exact_parameter(m, 0, &in);
    middle_exact_parameter(m, 1, &leave);
    if (middle_compare(&in, &leave) >= 0)
        return 0;
    m->at = view_add(m->at_limb, view_mul(p, big_seen(&in.above), big_seen(&leave.below)),
                     view_mul(q, big_seen(&leave.above), big_seen(&in.below)), 1);
    const big_view product = view_mul(p, big_seen(&in.below), big_seen(&leave.below));
    m->all = view_add(m->all_limb, product, product, 1);
    return 1;
}

/* The height over a face, h_p (all - at) + h_q at over all, gives the distance. */
static double middle_exact_distance(const middle_exact *m, int f)
{
    mp_limb_t rest[TWO_LIMBS], p[THREE_LIMBS], q[THREE_LIMBS], sum[THREE_LIMBS + 1];
    mp_limb_t height[2 * THREE_LIMBS + 2], all[2 * TWO_LIMBS], weight[2 * TWO_LIMBS + BIG_LIMBS];
    exact_big square;
    const big_view back = view_add(rest, m->all, m->at, -1);
    const big_view h = view_add(sum, view_mul(p, big_seen(&m->height[f][0]), back),
                                view_mul(q, big_seen(&m->height[f][1]), m->at), 1);
    exact_normal_square(m->face[f].plane->v, m->unit, &square);
    return exact_squares_root(&(exact_squares){
        view_mul(height, h, h), view_mul(weight, view_mul(all, m->all, m->all), big_seen(&square)),
        m->unit});
}

double exact_middle_integers(const middle_face face[4])
{
    middle_exact m;
    double least = INFINITY;
    middle_heights(face, &m);
    if (!middle_find(&m))
        return 0;
    for (int f = 0; f < 4; f++)
        least = lesser(least, middle_exact_distance(&m, f));
    return least;
}

double exact_middle_depth(const middle_face face[4])
{
    double depth;
    return middle_fast(face, &depth) ? depth : exact_middle_integers(face);
}
