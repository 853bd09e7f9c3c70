/* A tree of boxes over the triangles of a shape. Each node is halved at the median of its
 * triangles' middles along the axis on which these differ most, so the depth is known. */
#include "shape_parts.h"

#include "error.h"
#include "vec3.h"

#define LEAF 2 /* triangles at most */

typedef struct tree_build {
    shape *s;
    double *middle; /* [3 * triangles] sums of corners */
} tree_build;

static void shape_tree_bounds(const shape *s, const shape_node *n, double lo[3], double hi[3])
{
    for (int k = 0; k < 3; k++) {
        lo[k] = INFINITY;
        hi[k] = -INFINITY;
    }
    for (uint32_t i = n->begin; i < n->end; i++)
        for (size_t c = 0; c < 3; c++) {
            const double *x = s->point[s->corner[3 * (size_t)s->order[i] + c]].x;
            for (int k = 0; k < 3; k++) {
                lo[k] = fmin(lo[k], x[k]);
                hi[k] = fmax(hi[k], x[k]);
            }
        }
}

/* A little larger than the triangles, for rounding here and where it is compared. Halves first: no
 * sum overflows. */
static void shape_tree_fit(const shape *s, shape_node *n)
{
    double lo[3], hi[3];
    shape_tree_bounds(s, n, lo, hi);
    for (int k = 0; k < 3; k++) {
        n->middle[k] = lo[k] / 2 + hi[k] / 2;
        n->half[k] = fmax(hi[k] - n->middle[k], n->middle[k] - lo[k]) * (1 + 0x1p-50);
    }
    for (uint32_t i = n->begin; i < n->end; i++)
        for (size_t c = 0; c < 3; c++) {
            double d[3];
            vec_sub(s->point[s->corner[3 * (size_t)s->order[i] + c]].x, n->middle, d);
            n->radius = fmax(n->radius, pose_length(d) * (1 + 0x1p-50));
        }
}

/* The axis along which the middles differ most. */
static int shape_tree_widest_axis(const tree_build *b, const shape_node *n)
{
    double wide[3];
    for (int k = 0; k < 3; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (uint32_t i = n->begin; i < n->end; i++) {
            const double x = b->middle[3 * (size_t)b->s->order[i] + (size_t)k];
            lo = fmin(lo, x);
            hi = fmax(hi, x);
        }
        wide[k] = hi - lo;
    }
    return wide[0] >= wide[1] ? (wide[0] >= wide[2] ? 0 : 2) : (wide[1] >= wide[2] ? 1 : 2);
}

/* Equal middles by number, so that all differ. */
static int shape_tree_before(const tree_build *b, int axis, uint32_t p, uint32_t q)
{
    const double x = b->middle[3 * (size_t)p + (size_t)axis];
    const double y = b->middle[3 * (size_t)q + (size_t)axis];
    return x < y || (x == y && p < q);
}

static void shape_tree_swap(uint32_t *a, uint32_t *b)
{
    const uint32_t was = *a;
    *a = *b;
    *b = was;
}

/* Those before the element in the middle to its left; returns where that is then. */
static uint32_t shape_tree_partition(const tree_build *b, int axis, uint32_t first, uint32_t last)
{
    uint32_t *o = b->s->order, to = first;
    shape_tree_swap(&o[first + (last - first) / 2], &o[last]);
    for (uint32_t i = first; i < last; i++)
        if (shape_tree_before(b, axis, o[i], o[last]))
            shape_tree_swap(&o[i], &o[to++]);
    shape_tree_swap(&o[to], &o[last]);
    return to;
}

/* Quickselect (Hoare 1961): order[at] is where sorting would put it. */
static void select_at(const tree_build *b, int axis, shape_node n, uint32_t at)
{
    uint32_t first = n.begin, last = n.end - 1;
    while (first < last) {
        const uint32_t cut = shape_tree_partition(b, axis, first, last);
        if (cut == at)
            return;
        if (cut < at)
            first = cut + 1;
        else
            last = cut - 1;
    }
}

static void shape_tree_halve(const tree_build *b, uint32_t node)
{
    shape *s = b->s;
    shape_node *n = &s->node[node];
    const uint32_t half = n->begin + (n->end - n->begin) / 2;
    select_at(b, shape_tree_widest_axis(b, n), *n, half);
    n->child = s->nodes;
    s->node[s->nodes++] = (shape_node){.begin = n->begin, .end = half};
    s->node[s->nodes++] = (shape_node){.begin = half, .end = n->end};
}

int shape_tree(mem *m, shape *s)
{
    int err = 0;
    tree_build b = {.s = s};
    TRY(mem_alloc(m, 3 * sizeof *b.middle * s->triangles, &b.middle));
    TRY(mem_alloc(m, 2 * sizeof *s->node * s->triangles, &s->node));
    for (uint32_t t = 0; t < s->triangles; t++) {
        const uint32_t *c = s->corner + 3 * (size_t)t;
        for (size_t k = 0; k < 3; k++) /* thirds: sums of huge ones do not overflow */
            b.middle[3 * (size_t)t + k] =
                s->point[c[0]].x[k] / 3 + s->point[c[1]].x[k] / 3 + s->point[c[2]].x[k] / 3;
        s->order[t] = t;
    }
    s->node[0] = (shape_node){.end = s->triangles};
    s->nodes = 1;
    for (uint32_t i = 0; i < s->nodes; i++) {
        shape_tree_fit(s, &s->node[i]);
        if (s->node[i].end - s->node[i].begin > LEAF)
            shape_tree_halve(&b, i);
    }
out:
    mem_free(m, b.middle);
    return err;
}
