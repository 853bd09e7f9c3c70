/* See contours.h. */
#include "contours.h"

#include "error.h"

#include <math.h>
#include <string.h>

/* Returns the segment that goes on from another one at a node, or CONTOUR_NONE: the contour ends.
 */
static uint32_t contour_next(const contour_graph *g, uint32_t node, uint32_t segment)
{
    const uint32_t *at = g->list + g->first[node];
    if (g->first[node + 1] - g->first[node] != 2)
        return CONTOUR_NONE;
    const uint32_t next = at[0] == segment ? at[1] : at[0];
    return g->segment[next].done ? CONTOUR_NONE : next;
}

static int contour_add_point(contour_graph *g, contour_set *out, uint32_t node)
{
    int err = IMP_OK;
    if (out->points == out->point_capacity) {
        const size_t more = 2 * out->point_capacity + 64;
        TRY(mem_grow(g->mem, 3 * out->points * sizeof *out->point, 3 * more * sizeof *out->point,
                     &out->point));
        out->point_capacity = more;
    }
    memcpy(out->point + 3 * out->points++, g->node[node].x, sizeof g->node[node].x);
out:
    return err;
}

/* The nodes of a contour. */
typedef struct contour_path {
    uint32_t *node; /* [count] */
    uint32_t *back; /* [backs] nodes before the first one, in reverse */
    size_t count, backs;
} contour_path;

/* Follows the contour beyond a node of a segment, up to its end or the node `stop`; returns the
 * number of nodes. */
static size_t contour_follow(contour_graph *g, uint32_t segment, uint32_t node, uint32_t stop,
                             uint32_t *out)
{
    size_t n = 0;
    for (uint32_t next; node != stop; segment = next) {
        next = contour_next(g, node, segment);
        if (next == CONTOUR_NONE)
            break;
        contour_segment *s = &g->segment[next];
        s->done = 1;
        if (g->contour)
            g->contour[next] = g->contour[segment];
        node = s->node[s->node[0] == node];
        out[n++] = node;
    }
    return n;
}

static double contour_distance(const double *p, const double *q)
{
    const double d[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
    const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    /* squares of others may have lost digits */
    return square > 1e-280 && square < 1e280 ? sqrt(square) : hypot(hypot(d[0], d[1]), d[2]);
}

static int contour_put(contour_graph *g, const contour_path *p, int closed, contour_set *out)
{
    int err = IMP_OK;
    const contour_feature *of = g->node[p->node[0]].of;
    imp_contour c = {.a = of[0].object, .b = of[1].object, .closed = closed, .first = out->points};
    for (size_t i = p->backs; i-- > 0;)
        TRY(contour_add_point(g, out, p->back[i]));
    for (size_t i = 0; i < p->count; i++)
        TRY(contour_add_point(g, out, p->node[i]));
    c.points = out->points - c.first;
    const double *x = out->point + 3 * c.first;
    for (size_t i = 1; i < c.points; i++)
        c.length += contour_distance(x + 3 * (i - 1), x + 3 * i);
    if (closed)
        c.length += contour_distance(x + 3 * (c.points - 1), x);
    TRY(mem_fit(g->mem, out->count, &out->capacity, sizeof *out->of, &out->of));
    out->of[out->count++] = c;
out:
    return err;
}

/* Finds the contour of a segment, in the direction of its first contact. A contour that returns to
 * a junction is open. */
static int contour_trace(contour_graph *g, uint32_t segment, contour_path *p, contour_set *out)
{
    contour_segment *s = &g->segment[segment];
    const uint32_t from = s->node[s->turned], to = s->node[!s->turned];
    s->done = 1;
    if (g->contour)
        g->contour[segment] = (uint32_t)out->count;
    p->node[0] = from;
    p->node[1] = to;
    p->count = 2 + contour_follow(g, segment, to, from, p->node + 2);
    const int returns = p->node[p->count - 1] == from;
    const int closed = returns && g->first[from + 1] - g->first[from] == 2;
    p->backs = returns ? 0 : contour_follow(g, segment, from, CONTOUR_NONE, p->back);
    p->count -= (size_t)closed;
    return contour_put(g, p, closed, out);
}

int contours_trace(contour_graph *g, contour_set *out)
{
    int err = IMP_OK;
    contour_path p = {0};
    out->count = out->points = 0;
    out->none = g->none;
    TRY(mem_alloc(g->mem, (g->segments + 2) * sizeof *p.node, &p.node));
    TRY(mem_alloc(g->mem, (g->segments + 2) * sizeof *p.back, &p.back));
    for (size_t i = 0; i < g->segments; i++)
        if (!g->segment[i].done)
            TRY(contour_trace(g, (uint32_t)i, &p, out));
out:
    mem_free(g->mem, p.node);
    mem_free(g->mem, p.back);
    return err;
}

int contours_find(mem *m, const imp_frame *frame, const imp_contacts *rows, contour_set *out)
{
    int err = IMP_OK;
    contour_graph g = {0};
    out->count = out->points = 0;
    TRY(contour_graph_make(m, frame, rows, &g));
    TRY(contours_trace(&g, out));
out:
    contour_graph_free(&g);
    return err;
}

void contours_free(mem *m, contour_set *s)
{
    mem_free(m, s->of);
    mem_free(m, s->point);
    *s = (contour_set){0};
}
