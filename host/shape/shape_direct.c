/* Directions that separate two convex bodies, from their closest features, with twice the digits of
 * float64: the line between close points, and what is at right angles to edges that are nearly
 * parallel, are lost in the rounding of coordinates. */
#include "shape_convex.h"
#include "shape_fine.h"
#include "vec3.h"

static fine fine_position(const shape_query *q, int side, uint32_t vertex)
{
    const shape *s = q->s[side];
    const double *x = s->point[s->hull->vertex[vertex]].x;
    fine p;
    for (int i = 0; i < 3; i++) {
        p.x[i] = (twofold){q->t[side][i], 0};
        for (int k = 0; k < 3; k++)
            p.x[i] = two_add(p.x[i], product_of(q->r[side][i][k], x[k]));
    }
    return p;
}

static fine fine_edge(const shape_query *q, int side, uint32_t edge)
{
    const hull_edge *e = &q->s[side]->hull->edge[edge];
    const fine head = fine_position(q, side, e->vertex[1]),
               tail = fine_position(q, side, e->vertex[0]);
    return fine_sub(&head, &tail);
}

void shape_direct_vertices(const shape_query *q, const uint32_t vertex[2], double out[3])
{
    const fine a = fine_position(q, 0, vertex[0]), b = fine_position(q, 1, vertex[1]);
    const fine d = fine_sub(&b, &a);
    fine_out(&d, out);
}

/* The part of w, from the edge to the vertex, that is at right angles to the edge e: e x (w x e).
 */
void shape_direct_edge(const shape_query *q, int side, uint32_t vertex, uint32_t edge,
                       double out[3])
{
    const uint32_t tail = q->s[!side]->hull->edge[edge].vertex[0];
    const fine x = fine_position(q, side, vertex), y = fine_position(q, !side, tail);
    const fine e = fine_edge(q, !side, edge), w = side ? fine_sub(&x, &y) : fine_sub(&y, &x);
    const fine d = fine_across(&w, &e);
    fine_out(&d, out);
}

void shape_direct_edges(const shape_query *q, const uint32_t edge[2], double out[3])
{
    const fine a = fine_edge(q, 0, edge[0]), b = fine_edge(q, 1, edge[1]);
    const fine c = fine_cross(&a, &b);
    fine_out(&c, out);
}

/* The area as a vector: of triangles from one vertex on (Newell). */
void shape_direct_normal(const shape_hull *h, uint32_t face, double out[3])
{
    fine sum = {{{0, 0}}}, p[3] = {sum, sum, sum};
    for (uint32_t i = h->side0[face]; i < h->side0[face + 1]; i++) {
        const hull_edge *e = &h->edge[h->side[i]];
        const double *x = h->x + 3 * (size_t)e->vertex[hull_right(e, face)];
        const int at = i == h->side0[face] ? 0 : 2;
        p[1] = p[2];
        for (int k = 0; k < 3; k++)
            p[at].x[k] = (twofold){x[k], 0};
        if (i < h->side0[face] + 2)
            continue;
        const fine a = fine_sub(&p[1], &p[0]), b = fine_sub(&p[2], &p[0]), c = fine_cross(&a, &b);
        for (int k = 0; k < 3; k++)
            sum.x[k] = two_add(sum.x[k], c.x[k]);
    }
    fine_out(&sum, out);
    vec_unit(out);
}
