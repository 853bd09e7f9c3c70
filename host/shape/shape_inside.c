/* Is a vertex of one convex body in another one? Exactly, for the vertex as it is in the other's
 * coordinates after rounding. */
#include "shape_convex.h"
#include "vec3.h"

int shape_inside(const shape_query *q, int side, uint32_t vertex)
{
    const shape *s = q->s[!side];
    const shape_hull *h = s->hull;
    exact_point x;
    shape_query_other(q, side, q->s[side]->hull->vertex[vertex], &x);
    for (uint32_t f = 0; f < h->faces; f++) {
        const uint32_t *c = s->corner + 3 * (size_t)h->cell[h->cell0[f]];
        const int sign = exact_orient3d(&s->point[c[0]], &s->point[c[1]], &s->point[c[2]], &x);
        if (h->turned ? sign < 0 : sign > 0)
            return 0;
    }
    return 1;
}
