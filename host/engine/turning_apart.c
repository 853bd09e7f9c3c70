/* See turning_apart.h. */
#include "turning_apart.h"

#include "closest.h"
#include "pose.h"
#include "vec3.h"

#include <math.h>
#include <string.h>

/* ---- features */

static void rigid_couple_places(const rigid_couple *c, const places *at, double x[4][3])
{
    for (int k = 0; k < 4; k++)
        memcpy(x[k], at->x[c->of[k]][c->corner[k]], sizeof x[k]);
}

double separation_nearest(const rigid_couple *c, const places *at, double point[6])
{
    double x[4][3], between[3];
    rigid_couple_places(c, at, x);
    closest_points(c->kind == IMP_KIND_VERTEX_FACE, (const double(*)[3])x, point);
    vec_sub(point + 3, point, between);
    return pose_length(between);
}

static const double *rigid_separation_corner(const hulls *h, const places *at, int s, int k)
{
    return at->x[s][h->corner[s][k]];
}

/* ---- along a direction */

/* The least and the greatest of a hull. */
static void rigid_separation_extent(const hulls *h, const places *at, int s, const double n[3],
                                    double out[2])
{
    out[0] = INFINITY;
    out[1] = -INFINITY;
    for (int k = 0; k < h->count[s]; k++) {
        const double x = vec_dot(n, rigid_separation_corner(h, at, s, k));
        out[0] = x < out[0] ? x : out[0];
        out[1] = x > out[1] ? x : out[1];
    }
}

typedef struct aim {
    const hulls *h;
    const places *at;
    double gap, n[3]; /* the best up to now */
} aim;

/* Tries a direction in both senses and keeps the better one. */
static void aim_try(aim *a, const double n[3])
{
    double unit[3], first[2], second[2];
    const double size = pose_length(n);
    if (!(size > 0x1p-1000))
        return;
    for (int k = 0; k < 3; k++)
        unit[k] = n[k] / size;
    rigid_separation_extent(a->h, a->at, 0, unit, first);
    rigid_separation_extent(a->h, a->at, 1, unit, second);
    const double on = second[0] - first[1], back = first[0] - second[1];
    const double gap = back > on ? back : on;
    if (!(gap > a->gap))
        return;
    a->gap = gap;
    for (int k = 0; k < 3; k++)
        a->n[k] = back > on ? -unit[k] : unit[k];
}

/* ---- directions that are normal to features */

/* Takes away what n has along e. */
static void less_along(double n[3], const double e[3])
{
    const double square = vec_dot(e, e), part = square > 0 ? vec_dot(n, e) / square : 0;
    for (int k = 0; k < 3; k++)
        n[k] -= part * e[k];
}

/* Normal to both: first to the longer one, and to what the other one is beside it, so that nearly
 * parallel ones do no harm. Where all is rounding, once is not enough. */
static void aim_normal(aim *a, const double e[3], const double f[3])
{
    double n[3], beside[3];
    const double *longer = vec_dot(e, e) < vec_dot(f, f) ? f : e, *other = longer == e ? f : e;
    memcpy(beside, other, sizeof beside);
    less_along(beside, longer);
    vec_cross(longer, beside, n);
    less_along(n, longer);
    less_along(n, beside);
    less_along(n, longer);
    aim_try(a, n);
}

static void aim_at_edge(aim *a, const double *vertex, const double *from, const double e[3])
{
    double n[3];
    vec_sub(vertex, from, n);
    less_along(n, e);
    less_along(n, e);
    aim_try(a, n);
}

/* An edge of a hull, with the edges and vertices of the other one, and the faces that it is the
 * first edge of. */
static void aim_by_edge(aim *a, int s, int i, int j)
{
    const hulls *h = a->h;
    const double *from = rigid_separation_corner(h, a->at, s, i);
    double e[3], f[3];
    vec_sub(rigid_separation_corner(h, a->at, s, j), from, e);
    for (int k = j + 1; k < h->count[s]; k++) {
        vec_sub(rigid_separation_corner(h, a->at, s, k), from, f);
        aim_normal(a, e, f);
    }
    for (int k = 0; k < h->count[!s]; k++) {
        const double *other = rigid_separation_corner(h, a->at, !s, k);
        aim_at_edge(a, other, from, e);
        for (int l = k + 1; l < h->count[!s] && s; l++) {
            vec_sub(rigid_separation_corner(h, a->at, !s, l), other, f);
            aim_normal(a, e, f);
        }
    }
}

static void aim_by_features(aim *a)
{
    const hulls *h = a->h;
    double n[3];
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < h->count[s]; i++)
            for (int j = i + 1; j < h->count[s]; j++)
                aim_by_edge(a, s, i, j);
    for (int i = 0; i < h->count[0]; i++)
        for (int j = 0; j < h->count[1]; j++) {
            vec_sub(rigid_separation_corner(h, a->at, 1, j),
                    rigid_separation_corner(h, a->at, 0, i), n);
            aim_try(a, n);
        }
}

/* By one couple: the difference of its nearest points, and what is normal to it. Is that the best
 * there is? No direction has more than their distance. */
static int aim_by_couple(aim *a, const rigid_couple *c, double loose)
{
    double x[4][3], point[6], e[3], f[3];
    const double far = separation_nearest(c, a->at, point);
    vec_sub(point + 3, point, e);
    aim_try(a, e);
    if (a->gap >= far - loose)
        return 1;
    rigid_couple_places(c, a->at, x);
    vec_sub(x[1], x[0], e);
    vec_sub(x[2], c->split == 3 ? x[0] : x[3], f);
    aim_normal(a, e, f);
    return a->gap >= far - loose;
}

static int separation_nearest_couple(const hulls *h, const places *at)
{
    double least = INFINITY, point[6];
    int nearest = 0;
    for (int i = 0; i < h->couples; i++) {
        const double far = separation_nearest(&h->couple[i], at, point);
        nearest = far < least ? i : nearest;
        least = far < least ? far : least;
    }
    return nearest;
}

double separation_direction(const hulls *h, const places *at, double loose, int *guess, double n[3])
{
    aim a = {.h = h, .at = at, .gap = -INFINITY};
    if (*guess >= h->couples || !aim_by_couple(&a, &h->couple[*guess], loose)) {
        *guess = separation_nearest_couple(h, at);
        if (!h->couples || !aim_by_couple(&a, &h->couple[*guess], loose))
            aim_by_features(&a);
    }
    memcpy(n, a.n, sizeof a.n);
    return a.gap;
}

void separation_of_middles(const hulls *h, const places *at, double n[3])
{
    double middle[2][3] = {{0}};
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 3 * h->count[s]; k++)
            middle[s][k % 3] += rigid_separation_corner(h, at, s, k / 3)[k % 3] / h->count[s];
    vec_sub(middle[1], middle[0], n);
    const double size = pose_length(n);
    for (int k = 0; k < 3; k++)
        n[k] = size > 0x1p-1000 ? n[k] / size : 0;
}

/* ---- while they move */

separation_range separation_range_begin(void)
{
    const double none = INFINITY;
    return (separation_range){{{-none, -none, -none}, {none, none, none}}};
}

/* The direction is linear in time, and so are places: their product is a polynomial of degree 2,
 * which is between its coefficients in Bernstein's form. */
void separation_range_add(const hulls *h, int s, const double from[4][3], const double to[4][3],
                          const double n[2][3], separation_range *r)
{
    const double sign = s ? 1 : -1;
    double *best = r->of[s];
    for (int k = 0; k < h->count[s]; k++) {
        const double *x = from[h->corner[s][k]], *y = to[h->corner[s][k]];
        const double at[3] = {vec_dot(n[0], x), (vec_dot(n[0], y) + vec_dot(n[1], x)) / 2,
                              vec_dot(n[1], y)};
        for (int i = 0; i < 3; i++)
            best[i] = sign * at[i] < sign * best[i] ? at[i] : best[i];
    }
}

int separation_range_exceeds(const separation_range *r, double least)
{
    int all = 1;
    for (int i = 0; i < 3; i++)
        all &= r->of[1][i] - r->of[0][i] > least;
    return all;
}

static int stays_along(const hulls *h, const places *from, const places *to, const double n[2][3],
                       double least)
{
    separation_range r = separation_range_begin();
    for (int s = 0; s < 2; s++)
        separation_range_add(h, s, (const double(*)[3])from->x[s], (const double(*)[3])to->x[s], n,
                             &r);
    return separation_range_exceeds(&r, least);
}

int separation_stays(const hulls *h, const places *from, const places *to, const double n[2][3],
                     double least)
{
    int stays = stays_along(h, from, to, n, least);
    for (int e = 0; e < 2 && !stays; e++) {
        double same[2][3];
        separation_same(n, e, same);
        stays = stays_along(h, from, to, (const double(*)[3])same, least);
    }
    return stays;
}
