/* See exact_ways.h. */
#include "exact_ways.h"

#include "exact_big.h"
#include "exact_float.h"

const point_and_edge point_edges[2][4] = {
    [EXACT_VERTEX_FACE] = {{3, {0, 1}}, {3, {1, 2}}, {3, {2, 0}}},
    [EXACT_EDGE_EDGE] = {{0, {2, 3}}, {1, {2, 3}}, {2, {0, 1}}, {3, {0, 1}}},
};
const int point_edge_count[2] = {[EXACT_VERTEX_FACE] = 3, [EXACT_EDGE_EDGE] = 4};

/* The bounds of some points along an axis, at both ends. */
static void bounds(const exact_motion *m, int from, int to, int axis, double *low, double *high)
{
    *low = *high = m->at[0][from].x[axis];
    for (int i = 2 * from + 1; i < 2 * to; i++) {
        double x = m->at[i % 2][i / 2].x[axis];
        *low = x < *low ? x : *low;
        *high = x > *high ? x : *high;
    }
}

/* A rounded difference is above a float64 number only if the exact one is. */
int ways_apart(enum exact_moving_kind kind, const exact_motion *m, double distance)
{
    const int second = kind == EXACT_VERTEX_FACE ? 3 : 2;
    for (int k = 0; k < 3; k++) {
        double low[2], high[2];
        bounds(m, 0, second, k, &low[0], &high[0]);
        bounds(m, second, 4, k, &low[1], &high[1]);
        if (low[1] - high[0] > distance || low[0] - high[1] > distance)
            return 1;
    }
    return 0;
}

static void set_integer(mpz_t r, double x, int unit)
{
    int e;
    int64_t m = float_parts(x, &e);
    mpz_set_si(r, m);
    if (m)
        mpz_mul_2exp(r, r, (mp_bitcnt_t)(e - unit));
}

/* In units of the least power of two that makes all numbers integers. */
static void set_points(ways *w, const exact_motion *m, double distance)
{
    const exact_point alone = {{distance, 0, 0}};
    const exact_point *all[9];
    for (int i = 0; i < 8; i++)
        all[i] = &m->at[i / 4][i % 4];
    all[8] = &alone;
    int unit = big_unit(all, 9);
    for (int i = 0; i < 4; i++) {
        triple_init(&w->v[i]);
        for (int k = 0; k < 3; k++) {
            w->v[i].x[k].degree = 1;
            for (int end = 0; end < 2; end++)
                set_integer(w->v[i].x[k].c[end], m->at[end][i].x[k], unit);
        }
    }
    mpz_init(w->distance);
    set_integer(w->distance, distance, unit);
}

void ways_init(ways *w, enum exact_moving_kind kind, const exact_motion *m, double distance)
{
    triple e, f, g;
    triple *const all[] = {&w->n, &w->p, &w->q, &e, &f, &g};
    const int is_face = kind == EXACT_VERTEX_FACE;
    w->kind = kind;
    set_points(w, m, distance);
    for (int i = 0; i < 6; i++)
        triple_init(all[i]);
    form_init(&w->d);
    triple_sub(&e, &w->v[1], &w->v[0]);
    triple_sub(&f, &w->v[is_face ? 2 : 3], &w->v[is_face ? 0 : 2]);
    triple_sub(&g, &w->v[is_face ? 3 : 2], &w->v[0]);
    triple_cross(&w->n, &e, &f);
    triple_cross(&w->p, &e, &g);
    triple_cross(&w->q, &g, &f);
    triple_dot(&w->d, &w->n, &g);
    for (int i = 3; i < 6; i++)
        triple_clear(all[i]);
}

void ways_clear(ways *w)
{
    for (int i = 0; i < 4; i++)
        triple_clear(&w->v[i]);
    triple_clear(&w->n);
    triple_clear(&w->p);
    triple_clear(&w->q);
    form_clear(&w->d);
    mpz_clear(w->distance);
}
