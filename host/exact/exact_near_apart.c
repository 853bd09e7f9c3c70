/* See exact_near_apart.h. The ways from the vertices of one feature to those of the other move
 * evenly, too. If along a direction all of them are longer than the distance at both ends of an
 * interval of time, the features are farther apart within it. Directions are the axes, the normal
 * of the face or of both edges, and the mean of the ways. Where none of them will do, halves of the
 * interval may have some that do. */
#include "exact_near_apart.h"

#include "exact_float.h"

#include <math.h>

#define WAYS 4
#define HALVINGS 6
#define PIECES 24 /* that are tried */

typedef struct relation {
    int ways, is_face;
    double way[2][WAYS][3]; /* at both ends of the step, in units */
    double distance;
} relation;

/* Of both ends of an interval, and of its middle. */
typedef struct piece {
    double way[3][WAYS][3];
} piece;

static void find_ways(const exact_motion *m, double unit, relation *r)
{
    r->ways = r->is_face ? 3 : 4;
    for (int end = 0; end < 2; end++)
        for (int i = 0; i < r->ways; i++) {
            const exact_point *from = &m->at[end][r->is_face ? i : i / 2],
                              *to = &m->at[end][r->is_face ? 3 : 2 + i % 2];
            for (int k = 0; k < 3; k++)
                r->way[end][i][k] = (to->x[k] - from->x[k]) * unit;
        }
}

static void cut(const relation *r, double from, double to, piece *p)
{
    const double at[3] = {from, to, 0.5 * (from + to)};
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < r->ways; i++)
            for (int k = 0; k < 3; k++)
                p->way[j][i][k] = (1 - at[j]) * r->way[0][i][k] + at[j] * r->way[1][i][k];
}

/* Let u = 2^-53. Coordinates of ways, 1 at most, err by u, in the interval by less than 4 u; a
 * length along d by less than 8 u times the sum l of d's sizes, and the distance times that of d by
 * less than 4 u l. */
static int beyond(const relation *r, const piece *p, const double d[3])
{
    const double l = fabs(d[0]) + fabs(d[1]) + fabs(d[2]);
    const double need = r->distance * sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) + 0x1p-49 * l;
    double low = INFINITY, high = -INFINITY;
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < r->ways; i++) {
            const double *w = p->way[j][i], along = w[0] * d[0] + w[1] * d[1] + w[2] * d[2];
            low = along < low ? along : low;
            high = along > high ? along : high;
        }
    return l > 0x1p-400 && (low > need || -high > need);
}

static void normal_of(const piece *p, double d[3])
{
    double e[3], f[3];
    for (int k = 0; k < 3; k++) {
        e[k] = p->way[2][1][k] - p->way[2][0][k];
        f[k] = p->way[2][2][k] - p->way[2][0][k];
    }
    for (int k = 0; k < 3; k++)
        d[k] = e[(k + 1) % 3] * f[(k + 2) % 3] - e[(k + 2) % 3] * f[(k + 1) % 3];
}

static int piece_apart(const relation *r, const piece *p)
{
    double d[3] = {0};
    for (int k = 0; k < 3; k++) {
        const double axis[3] = {k == 0, k == 1, k == 2};
        if (beyond(r, p, axis))
            return 1;
        for (int i = 0; i < r->ways; i++)
            d[k] += p->way[2][i][k];
    }
    if (beyond(r, p, d))
        return 1;
    normal_of(p, d);
    return beyond(r, p, d);
}

/* Intervals are those of halving, in the order of time. */
int near_apart(enum exact_moving_kind kind, const exact_motion *m, double unit, double distance)
{
    relation r = {.is_face = kind == EXACT_VERTEX_FACE, .distance = distance};
    const double least = ldexp(1, -HALVINGS);
    double from = 0, length = 1;
    piece p = {{{{0}}}};
    find_ways(m, unit, &r);
    for (int tried = 0; from < 1; tried++) {
        cut(&r, from, from + length, &p);
        if (piece_apart(&r, &p)) {
            from += length;
            while (length < 1 && fmod(from, 2 * length) == 0)
                length *= 2;
        } else if (length > least && tried < PIECES) {
            length /= 2;
        } else {
            return 0;
        }
    }
    return 1;
}
