/* See exact_ways.h. */
#include "exact_ways.h"

const point_and_edge point_edges[2][4] = {
    [EXACT_VERTEX_FACE] = {{3, {0, 1}}, {3, {1, 2}}, {3, {2, 0}}},
    [EXACT_EDGE_EDGE] = {{0, {2, 3}}, {1, {2, 3}}, {2, {0, 1}}, {3, {0, 1}}},
};
const int point_edge_count[2] = {[EXACT_VERTEX_FACE] = 3, [EXACT_EDGE_EDGE] = 4};

/* The bounds of some points along an axis, at both ends. */
static void exact_motion_bounds(const exact_motion *m, int from, int to, int axis, double *low,
                                double *high)
{
    *low = *high = m->at[0][from].x[axis];
    for (int i = 2 * from + 1; i < 2 * to; i++) {
        double x = m->at[i % 2][i / 2].x[axis];
        *low = x < *low ? x : *low;
        *high = x > *high ? x : *high;
    }
}

/* A rounded difference is above a float64 number only if the exact one is. */
int exact_trajectories_apart(enum exact_ccd_kind kind, const exact_motion *m, double distance)
{
    const int second = kind == EXACT_VERTEX_FACE ? 3 : 2;
    for (int k = 0; k < 3; k++) {
        double low[2], high[2];
        exact_motion_bounds(m, 0, second, k, &low[0], &high[0]);
        exact_motion_bounds(m, second, 4, k, &low[1], &high[1]);
        if (low[1] - high[0] > distance || low[0] - high[1] > distance)
            return 1;
    }
    return 0;
}

void trajectories_init(trajectories *w, enum exact_ccd_kind kind, const exact_motion *m)
{
    triple *const all[] = {&w->e, &w->f, &w->g, &w->n, &w->p, &w->q};
    const int is_face = kind == EXACT_VERTEX_FACE;
    w->kind = kind;
    w->sides = 0;
    for (int i = 0; i < 12; i++) {
        form *x = &w->v[i / 3].x[i % 3];
        form_init(x);
        x->degree = 1;
        for (int end = 0; end < 2; end++)
            dyad_set_double(&x->c[end], m->at[end][i / 3].x[i % 3]);
    }
    for (int i = 0; i < 6; i++)
        triple_init(all[i]);
    form_init(&w->d);
    triple_sub(&w->e, &w->v[1], &w->v[0]);
    triple_sub(&w->f, &w->v[is_face ? 2 : 3], &w->v[is_face ? 0 : 2]);
    triple_sub(&w->g, &w->v[is_face ? 3 : 2], &w->v[0]);
    triple_cross(&w->n, &w->e, &w->f);
    triple_dot(&w->d, &w->n, &w->g);
}

void trajectories_make_sides(trajectories *w)
{
    if (w->sides)
        return;
    w->sides = 1;
    triple_cross(&w->p, &w->e, &w->g);
    triple_cross(&w->q, &w->g, &w->f);
}

void trajectories_clear(trajectories *w)
{
    triple *const all[] = {&w->e, &w->f, &w->g, &w->n, &w->p, &w->q};
    for (int i = 0; i < 4; i++)
        triple_clear(&w->v[i]);
    for (int i = 0; i < 6; i++)
        triple_clear(all[i]);
    form_clear(&w->d);
}
