/* Two edges: see touch_plan.h. */
#include "touch_plan.h"

#include <string.h>

static void pass_edge(rng *r, plan *p)
{
    touch_random_ways(r, p, 2);
    p->way[2][2] = rng_not_zero(r, 9);
    p->way[3][2] = p->way[2][2] > 0 ? rng_between(r, 1, 9) : -rng_between(r, 1, 9);
    p->once = 1;
}

/* The edge's ends are at -before and after times `along` from the intersection of the lines. */
static void touch_edge_spread(plan *p, int first, const int64_t along[2], int64_t before,
                              int64_t after)
{
    for (int k = 0; k < 2; k++) {
        p->there[first][k] = -before * along[k];
        p->there[first + 1][k] = after * along[k];
    }
}

/* The lines intersect at an end of `ends` of the edges; a miss is before the first edge. */
static void touch_edge_crossing(rng *r, plan *p, int ends)
{
    int64_t along[2][2] = {{0}};
    if (p->falls)
        along[0][0] = along[1][1] = rng_not_zero(r, 5);
    while (along[0][0] * along[1][1] == along[0][1] * along[1][0])
        for (int i = 0; i < 4; i++)
            along[i / 2][i % 2] = rng_between(r, -5, 5);
    const int64_t before = ends ? 0 : rng_between(r, 1, p->size);
    touch_edge_spread(p, 0, along[0], p->meet ? before : -1, 1 + rng_between(r, 1, p->size));
    touch_edge_spread(p, 2, along[1], ends > 1 ? 0 : rng_between(r, 1, p->size),
                      rng_between(r, 1, p->size));
    pass_edge(r, p);
}

void touch_edges_cross(rng *r, plan *p)
{
    touch_edge_crossing(r, p, 0);
}

void touch_end_on_edge(rng *r, plan *p)
{
    touch_edge_crossing(r, p, 1);
}

void touch_end_on_end(rng *r, plan *p)
{
    touch_edge_crossing(r, p, 2);
}

/* Both on the line y = 0; the first ends at 0 and the other begins there or before. */
static void one_after_another(rng *r, plan *p)
{
    p->there[0][0] = -rng_between(r, 1, p->size);
    p->there[2][0] = p->meet ? -rng_between(r, 0, p->size) : 1;
    p->there[3][0] = rng_between(r, 1, p->size) + 1;
}

/* They rotate and so are collinear at that instant only, or are parallel throughout. */
void touch_edges_become_line(rng *r, plan *p)
{
    one_after_another(r, p);
    pass_edge(r, p);
    if (rng_chance(r, 2))
        p->way[3][2] = p->way[2][2];
    if (rng_chance(r, 2))
        for (int i = 1; i < 4; i += 2)
            p->way[i][1] = p->way[i - 1][1];
}

/* The first edge is a point, or both are. */
void touch_edge_is_point(rng *r, plan *p)
{
    const int64_t along[2] = {rng_not_zero(r, 5), rng_between(r, -5, 5)};
    const int both = rng_chance(r, 4);
    touch_edge_spread(p, 2, along, p->meet ? rng_between(r, 0, p->size) : -1,
                      rng_between(r, 1, p->size) + 1);
    if (both && p->meet)
        memset(p->there[2], 0, sizeof p->there[2]);
    if (both)
        memcpy(p->there[3], p->there[2], sizeof p->there[2]);
    pass_edge(r, p);
    memcpy(p->way[1], p->way[0], sizeof p->way[0]);
    if (both)
        memcpy(p->way[3], p->way[2], sizeof p->way[2]);
}

/* At y = 0 or above, along the upper end of the other edge. */
void touch_edges_in_plane(rng *r, plan *p)
{
    for (int i = 0; i < 2; i++)
        p->way[i][0] = rng_between(r, -9, 9);
    p->there[1][0] = rng_between(r, -p->size, p->size);
    p->there[1][1] = -rng_between(r, 1, p->size);
    p->there[3][0] = rng_between(r, 1, p->size);
    p->there[2][1] = p->there[3][1] = !p->meet;
    p->way[2][0] = p->way[3][0] = p->way[0][0] - rng_between(r, 1, 9);
}

void touch_edges_in_line(rng *r, plan *p)
{
    p->there[0][0] = -rng_between(r, 0, p->size);
    p->there[2][0] = !p->meet;
    p->there[3][0] = p->there[2][0] + rng_between(r, 0, p->size);
    p->way[2][0] = p->way[3][0] = p->meet ? -rng_between(r, 1, 9) : 0;
}
