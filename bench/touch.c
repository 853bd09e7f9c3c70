/* See touch.h. */
#include "touch.h"

#include "touch_plan.h"

#include <math.h>

#define HAIR 22                 /* the smallest miss is one part in 2^HAIR of the features' size */
#define LONG ((int64_t)1 << 54) /* twice the range that is exact in float64, for both signs */

static uint64_t touch_next(rng *r)
{
    uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

int64_t rng_between(rng *r, int64_t low, int64_t high)
{
    return low + (int64_t)(touch_next(r) % (uint64_t)(high - low + 1));
}

int rng_chance(rng *r, int of)
{
    return rng_between(r, 1, of) == 1;
}

int64_t rng_not_zero(rng *r, int64_t most)
{
    return rng_chance(r, 2) ? rng_between(r, 1, most) : -rng_between(r, 1, most);
}

void touch_random_ways(rng *r, plan *p, int axes)
{
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < axes; k++)
            p->way[i][k] = p->falls ? 0 : rng_between(r, -9, 9);
}

/* ---- all classes */

static const struct class_of_touches {
    const char *name;
    enum exact_ccd_kind kind;
    touch_maker *make;
    int falls;
} classes[] = {
    {"vertex in a face", EXACT_VERTEX_FACE, touch_in_face},
    {"vertex on an edge of a face", EXACT_VERTEX_FACE, touch_on_face_edge},
    {"vertex on a vertex of a face", EXACT_VERTEX_FACE, touch_on_face_vertex},
    {"face that is a segment", EXACT_VERTEX_FACE, touch_face_is_segment},
    {"face that becomes a segment", EXACT_VERTEX_FACE, touch_face_becomes_segment},
    {"face that is a point", EXACT_VERTEX_FACE, touch_face_is_point},
    {"vertex and face in one plane, always", EXACT_VERTEX_FACE, touch_in_face_plane},
    {"vertex and face in one line, always", EXACT_VERTEX_FACE, touch_in_face_line},
    {"edges that cross", EXACT_EDGE_EDGE, touch_edges_cross},
    {"end of an edge on an edge", EXACT_EDGE_EDGE, touch_end_on_edge},
    {"end of an edge on an end", EXACT_EDGE_EDGE, touch_end_on_end},
    {"edges in one line, then", EXACT_EDGE_EDGE, touch_edges_become_line},
    {"edge that is a point", EXACT_EDGE_EDGE, touch_edge_is_point},
    {"edges in one plane, always", EXACT_EDGE_EDGE, touch_edges_in_plane},
    {"edges in one line, always", EXACT_EDGE_EDGE, touch_edges_in_line},
    {"vertex that falls on a vertex of a face", EXACT_VERTEX_FACE, touch_on_face_vertex, 1},
    {"end of an edge that falls on an edge", EXACT_EDGE_EDGE, touch_end_on_edge, 1},
    {"end of an edge that falls on an end", EXACT_EDGE_EDGE, touch_end_on_end, 1},
};

const char *touch_name(int class)
{
    return class < (int)(sizeof classes / sizeof *classes) ? classes[class].name : NULL;
}

/* ---- the same touch in other places, orders and times */

/* x[to] += times x[from] */
static void touch_shear(plan *p, int from, int to, int64_t times)
{
    for (int i = 0; i < 4; i++) {
        p->there[i][to] += times * p->there[i][from];
        p->way[i][to] += times * p->way[i][from];
    }
}

static void touch_swap(int64_t *a, int64_t *b, int64_t sign)
{
    const int64_t a_before = *a;
    *a = *b;
    *b = sign * a_before;
}

/* Swaps x[a] and x[b], one of them multiplied by sign: a reflection or a rotation. */
static void touch_swap_axes(plan *p, int a, int b, int64_t sign)
{
    for (int i = 0; i < 4; i++) {
        touch_swap(&p->there[i][a], &p->there[i][b], sign);
        touch_swap(&p->way[i][a], &p->way[i][b], sign);
    }
}

/* A falling feature stays along the axes. */
static void touch_rotate(rng *r, plan *p)
{
    const int64_t most = p->falls ? 0 : 2, drift = p->falls ? 0 : 50;
    for (int i = 0; i < 4; i++) {
        const int from = (int)rng_between(r, 0, 2), to = (from + (int)rng_between(r, 1, 2)) % 3;
        if (i % 2)
            touch_shear(p, from, to, rng_between(r, -most, most));
        else
            touch_swap_axes(p, from, to, rng_not_zero(r, 1));
    }
    for (int k = 0; k < 3; k++) {
        const int64_t place = rng_between(r, -p->size, p->size),
                      way = rng_between(r, -drift, drift);
        for (int i = 0; i < 4; i++) {
            p->there[i][k] += place;
            p->way[i][k] += way;
        }
    }
}

static void touch_swap_vertices(plan *p, int i, int j)
{
    for (int k = 0; k < 3; k++) {
        touch_swap(&p->there[i][k], &p->there[j][k], 1);
        touch_swap(&p->way[i][k], &p->way[j][k], 1);
    }
}

static void touch_order(rng *r, plan *p, enum exact_ccd_kind kind)
{
    if (kind == EXACT_VERTEX_FACE) {
        touch_swap_vertices(p, 0, (int)rng_between(r, 0, 2));
        touch_swap_vertices(p, 1, (int)rng_between(r, 1, 2));
        return;
    }
    for (int e = 0; e < 4; e += 2)
        if (rng_chance(r, 2))
            touch_swap_vertices(p, e, e + 1);
    if (rng_chance(r, 2)) {
        touch_swap_vertices(p, 0, 2);
        touch_swap_vertices(p, 1, 3);
    }
}

static void touch_reverse(plan *p)
{
    p->num = p->den - p->num;
    for (int i = 0; i < 12; i++)
        p->way[i / 3][i % 3] *= -1;
}

/* Half of the instants are at a third of the step. */
static void choose_instant(rng *r, plan *p)
{
    static const int dens[] = {2, 3, 5, 7, 10, 1024};
    p->den = 3;
    p->num = 1;
    if (rng_chance(r, 2))
        return;
    p->den = dens[rng_between(r, 0, 5)];
    p->num = (int)rng_between(r, 0, p->den);
}

static double touch_rounded_down(int num, int den)
{
    const double x = (double)num / den;
    return fma(x, den, -num) > 0 ? nextafter(x, 0) : x;
}

/* Makes the numbers along each axis as long as exact integers can be, with both signs, so that sums
 * of two are rounded in float64. */
static void lengthen(rng *r, int64_t x[2][4][3])
{
    for (int k = 0; k < 3; k++) {
        int64_t low = INT64_MAX, high = INT64_MIN;
        for (int i = 0; i < 8; i++) {
            const int64_t at = x[i / 4][i % 4][k];
            low = at < low ? at : low;
            high = at > high ? at : high;
        }
        const int64_t most = LONG / (high - low + 1), times = rng_between(r, most / 2 + 1, most);
        const int64_t from =
            high == low ? rng_between(r, -LONG / 2, LONG / 2) : -(high - low) * times / 2;
        for (int i = 0; i < 8; i++)
            x[i / 4][i % 4][k] = (x[i / 4][i % 4][k] - low) * times + from;
    }
}

/* Writes the question; `scale` is the exponent of the largest coordinate. */
static void write(rng *r, const plan *p, int scale, question *out)
{
    int64_t x[2][4][3];
    double most = 0;
    int exponent = 0;
    for (int i = 0; i < 24; i++) {
        const int64_t parts = i < 12 ? -p->num : p->den - p->num;
        x[i / 12][i / 3 % 4][i % 3] = p->there[i / 3 % 4][i % 3] + parts * p->way[i / 3 % 4][i % 3];
    }
    if (p->falls || rng_chance(r, 2))
        lengthen(r, x);
    for (int i = 0; i < 24; i++)
        most = fmax(most, fabs((double)x[i / 12][i / 3 % 4][i % 3]));
    frexp(most, &exponent);
    for (int i = 0; i < 24; i++)
        out->m.at[i / 12][i / 3 % 4].x[i % 3] =
            ldexp((double)x[i / 12][i / 3 % 4][i % 3], scale - exponent);
    out->want = p->meet ? touch_rounded_down(p->num, p->den) : NEVER;
}

void touch_make(int class, uint64_t number, question *out)
{
    rng r = {number + ((uint64_t) class << 40)};
    plan p = {.meet = !rng_chance(&r, 4), .falls = classes[class].falls};
    const int scale = (int)rng_between(&r, -TOUCH_SCALE, TOUCH_SCALE);
    p.size = (int64_t)1 << (rng_chance(&r, 2) ? 3 : rng_between(&r, 3, HAIR));
    choose_instant(&r, &p);
    classes[class].make(&r, &p);
    touch_rotate(&r, &p);
    touch_order(&r, &p, classes[class].kind);
    if (p.once && rng_chance(&r, 2))
        touch_reverse(&p);
    out->kind = classes[class].kind;
    out->group = (3 * class + (p.num > 0) + (p.num == p.den)) * TOUCH_GROUPS + scale + TOUCH_SCALE;
    write(&r, &p, scale, out);
}
