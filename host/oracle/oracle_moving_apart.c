/* oracle_ccd_apart of oracle_moving.h. A direction separates two hulls at an instant if all
 * differences from a corner of one to a corner of the other go along it, and farther than the
 * distance. These heights change linearly with time: what holds at both ends of a part of the step
 * holds between.
 */
#include "oracle_moving.h"

#include <math.h>
#include <string.h>

#define VECTORS 16
#define HALVINGS 12
#define APART_PARTS 100 /* of the step are tried at most */
#define TURNS 8         /* of a search for a direction */

typedef struct differences {
    int count;
    double difference[2][VECTORS]
                     [3]; /* from a corner of y to one of x, at the start and at the end */
    double most;          /* of the size of all their coordinates */
    double distance;
    int parts; /* tried */
} differences;

static void oracle_ccd_apart_motions(differences *w, const int corners[2],
                                     const oracle_ccd_points *x, const oracle_ccd_points *y,
                                     double distance)
{
    *w = (differences){.count = corners[0] * corners[1], .distance = distance};
    for (int e = 0; e < 2; e++)
        for (int i = 0; i < w->count; i++)
            for (int k = 0; k < 3; k++) {
                const double d = x->at[e][i / corners[1]][k] - y->at[e][i % corners[1]][k];
                w->difference[e][i][k] = d;
                w->most = fmax(w->most, fabs(d));
            }
}

static double oracle_ccd_apart_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* v becomes the point nearest to 0 between itself and p. */
static void oracle_ccd_apart_move_to(double v[3], const double p[3])
{
    double d[3];
    for (int k = 0; k < 3; k++)
        d[k] = p[k] - v[k];
    const double size = oracle_ccd_apart_dot(d, d),
                 t = size > 0 ? fmin(1, -oracle_ccd_apart_dot(v, d) / size) : 0;
    for (int k = 0; k < 3; k++)
        v[k] += t * d[k];
}

/* A direction in which the least of some differences is longer than the distance: the point of
 * their hull that is nearest to 0, or some point near it (Gilbert). 0: there may be none. */
static int oracle_ccd_apart_find_direction(const differences *w, double difference[VECTORS][3],
                                           double v[3])
{
    memcpy(v, difference[0], 3 * sizeof *v);
    for (int turn = 0; turn < TURNS; turn++) {
        double least = INFINITY;
        int low = 0;
        for (int i = 0; i < w->count; i++) {
            const double h = oracle_ccd_apart_dot(difference[i], v);
            low = h < least ? i : low;
            least = fmin(least, h);
        }
        const double size = oracle_ccd_apart_dot(v, v), need = w->distance * sqrt(size);
        if (least - need > 0.1 * fmax(size - need, 0))
            return 1;
        if (turn == TURNS - 1)
            return least > need;
        oracle_ccd_apart_move_to(v, difference[low]);
    }
    return 0;
}

/* Heights along v, with m the greatest coordinate of differences and l the sum of those of v, which
 * is not less than v is long: differences and the scalar product are at most (1 + 3) 2^-53 l m off,
 * their means at an instant another 2 of it. The distance times v is at most 4 2^-53 of l and it
 * off. */
static int oracle_ccd_apart_separates(const differences *w, const double v[3], double from,
                                      double to)
{
    const double size = fabs(v[0]) + fabs(v[1]) + fabs(v[2]),
                 need = w->distance * sqrt(oracle_ccd_apart_dot(v, v)),
                 sure = need + 0x1p-49 * (w->most + w->distance) * size;
    for (int i = 0; i < w->count; i++) {
        const double a = oracle_ccd_apart_dot(w->difference[0][i], v),
                     b = oracle_ccd_apart_dot(w->difference[1][i], v);
        if (!((1 - from) * a + from * b > sure && (1 - to) * a + to * b > sure))
            return 0;
    }
    return 1;
}

/* Scales v so that its greatest coordinate is between 1 and 2: then no product is so small that
 * bits are lost. */
static int oracle_ccd_apart_scale(double v[3])
{
    const double most = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
    if (!(most > 0 && isfinite(most)))
        return 0;
    const int e = ilogb(most);
    for (int k = 0; k < 3; k++)
        v[k] = scalbn(v[k], -e);
    return 1;
}

/* The normal of the plane of the first three differences: where these are all differences of a
 * vertex and a face, or two edges, and nearly in a plane through 0, there is no other direction. */
static void oracle_ccd_apart_normal(double difference[VECTORS][3], double v[3])
{
    double e[3], f[3];
    for (int k = 0; k < 3; k++) {
        e[k] = difference[1][k] - difference[0][k];
        f[k] = difference[2][k] - difference[0][k];
    }
    for (int k = 0; k < 3; k++)
        v[k] = e[(k + 1) % 3] * f[(k + 2) % 3] - e[(k + 2) % 3] * f[(k + 1) % 3];
    const double side = oracle_ccd_apart_dot(v, difference[0]) < 0 ? -1 : 1;
    for (int k = 0; k < 3; k++)
        v[k] *= side;
}

/* Apart from `from` to `to`, which is a part of 2^-level? */
static int oracle_ccd_apart_part(differences *w, double from, double to, int level)
{
    double at[VECTORS][3] = {{0}}, v[3];
    const double middle = 0.5 * (from + to);
    for (int i = 0; i < w->count; i++)
        for (int k = 0; k < 3; k++)
            at[i][k] = (1 - middle) * w->difference[0][i][k] + middle * w->difference[1][i][k];
    if (oracle_ccd_apart_find_direction(w, at, v) && oracle_ccd_apart_scale(v) &&
        oracle_ccd_apart_separates(w, v, from, to))
        return 1;
    oracle_ccd_apart_normal(at, v);
    if (oracle_ccd_apart_scale(v) && oracle_ccd_apart_separates(w, v, from, to))
        return 1;
    return w->parts++ < APART_PARTS && level < HALVINGS &&
           oracle_ccd_apart_part(w, from, middle, level + 1) &&
           oracle_ccd_apart_part(w, middle, to, level + 1);
}

int oracle_ccd_apart(const int corners[2], const oracle_ccd_points *x, const oracle_ccd_points *y,
                     double distance)
{
    differences w;
    oracle_ccd_apart_motions(&w, corners, x, y, distance);
    if (!(w.most > 0x1p-300 && w.most < 0x1p300 && w.distance < 0x1p300))
        return 0;
    return oracle_ccd_apart_part(&w, 0, 1, 0);
}
