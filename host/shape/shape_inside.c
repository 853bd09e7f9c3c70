/* Is a vertex of one convex body in another one? Exactly, for the vertex as it is in the other's
 * coordinates after rounding. */
#include "shape_convex.h"
#include "shape_vec.h"

static void other_coordinates(const shape_query *q, int side, uint32_t vertex, exact_point *out)
{
    double x[3];
    shape_query_vertex(q, side, q->s[side]->hull->vertex[vertex], x);
    vec_sub(x, q->t[!side], x);
    vec_turn_back(q->turn[!side], x, x);
    for (int k = 0; k < 3; k++)
        out->x[k] = x[k] * q->unit;
}

int shape_inside(const shape_query *q, int side, uint32_t vertex)
{
    const shape *s = q->s[!side];
    const shape_hull *h = s->hull;
    exact_point x;
    other_coordinates(q, side, vertex, &x);
    for (uint32_t f = 0; f < h->faces; f++) {
        const uint32_t *c = s->corner + 3 * (size_t)h->cell[h->cell0[f]];
        const int sign = exact_orient3d(&s->point[c[0]], &s->point[c[1]], &s->point[c[2]], &x);
        if (h->turned ? sign < 0 : sign > 0)
            return 0;
    }
    return 1;
}
