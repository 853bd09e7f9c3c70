/* See tree_shape.h. */
#include "tree_shape.h"

#include "dop.h"
#include "tree.h"

#define POINTS 64
#define FLAT (4 * BV_MARGIN) /* half of a width that is 0 except for rounding */

/* The volumes of a node; a point is in it if it is in all of them. */
typedef struct volume {
    const float *dop;
    const bv_sphere *sphere;
    const bv_obb *obb;
    uint32_t extra,
        axis; /* number of the k-DOP's axes beyond the box; the first of these in dop_axis */
} volume;

static volume volume_at(const tree *t, uint32_t dop_k, uint32_t node)
{
    const int hybrid = t->def.volume == IMP_VOLUME_HYBRID;
    volume v = {.extra = t->def.extra, .axis = dop_extra_first(dop_k)};
    if (t->dop)
        v.dop = t->dop + (size_t)t->words * node;
    if (t->sphere && (!hybrid || tree_node_is_sphere(t, node)))
        v.sphere = t->sphere + node;
    if (t->obb && (!hybrid || !tree_node_is_sphere(t, node)))
        v.obb = t->obb + node;
    return v;
}

static int inside(const volume *v, const double *x)
{
    int in = 1;
    for (int k = 0; v->dop && k < 3; k++)
        in &= v->dop[k] <= x[k] && x[k] <= v->dop[3 + k];
    for (uint32_t e = 0; v->dop && e < v->extra; e++) {
        const i32 *n = dop_axis[v->axis + e];
        const double along = n[0] * x[0] + n[1] * x[1] + n[2] * x[2];
        in &= v->dop[6 + 2 * e] <= along && along <= v->dop[7 + 2 * e];
    }
    if (v->sphere) {
        const double d[3] = {x[0] - v->sphere->c[0], x[1] - v->sphere->c[1],
                             x[2] - v->sphere->c[2]};
        in &= vec_dot(d, d) <= v->sphere->r * v->sphere->r;
    }
    for (int k = 0; v->obb && k < 3; k++) {
        const double d[3] = {x[0] - v->obb->c[0], x[1] - v->obb->c[1], x[2] - v->obb->c[2]};
        in &= fabs(vec_dot(v->obb->axis[k], d)) <= v->obb->half[k];
    }
    return in;
}

/* A box around it, along the axes unless it is an oriented box itself. */
static bv_obb box_about(const volume *v)
{
    bv_obb b = {.axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    if (v->obb)
        return *v->obb;
    for (int k = 0; k < 3; k++) {
        b.c[k] = v->sphere ? v->sphere->c[k] : ((double)v->dop[k] + v->dop[3 + k]) / 2;
        b.half[k] = v->sphere ? v->sphere->r : ((double)v->dop[3 + k] - v->dop[k]) / 2;
    }
    return b;
}

/* Halton's sequence: the digits of i in this base, reversed after the point. */
static double halton(uint32_t i, uint32_t base)
{
    double part = 1, sum = 0;
    for (; i; i /= base) {
        part /= base;
        sum += part * (i % base);
    }
    return sum;
}

static void point_in(const bv_obb *b, uint32_t i, double out[3])
{
    static const uint32_t base[3] = {2, 3, 5};
    for (int k = 0; k < 3; k++)
        out[k] = b->c[k];
    for (int a = 0; a < 3; a++) {
        const double along = (2 * halton(i + 1, base[a]) - 1) * b->half[a];
        for (int k = 0; k < 3; k++)
            out[k] += along * b->axis[a][k];
    }
}

/* Sample points of a volume: those of a box around it that are in it. Returns their number. */
static int tree_shape_points(const volume *v, double out[POINTS][3], double *size)
{
    const bv_obb b = box_about(v);
    int n = 0;
    *size = 0;
    if (b.half[0] <= FLAT || b.half[1] <= FLAT || b.half[2] <= FLAT)
        return 0;
    for (uint32_t i = 0; i < POINTS; i++) {
        point_in(&b, i, out[n]);
        n += inside(v, out[n]);
    }
    *size = 8 * b.half[0] * b.half[1] * b.half[2] * n / POINTS;
    return n;
}

/* Adds a node and its siblings, the nodes [first, last). */
static void tree_shape_add_node(const tree *t, uint32_t dop_k, uint32_t node, uint32_t first,
                                uint32_t last, tree_shape *sum)
{
    double x[POINTS][3], size;
    const volume own = volume_at(t, dop_k, node);
    const int n = tree_shape_points(&own, x, &size);
    sum->nodes += size;
    sum->roots += node < t->trees ? size : 0;
    for (uint32_t other = first; n && other < last; other++) {
        const volume v = volume_at(t, dop_k, other);
        int in = 0;
        if (other == node)
            continue;
        for (int i = 0; i < n; i++)
            in += inside(&v, x[i]);
        sum->shares += (double)in / n;
        sum->siblings++;
    }
}

void tree_shape_add(const tree *t, uint32_t dop_k, tree_shape *sum)
{
    for (uint32_t i = 0; i < t->trees; i++)
        tree_shape_add_node(t, dop_k, i, i, i, sum);
    for (uint32_t i = 0; i < t->nodes; i++) {
        const tree_node *n = t->node + i;
        for (uint32_t k = n->child; k < n->child + n->children; k++)
            tree_shape_add_node(t, dop_k, k, n->child, n->child + n->children, sum);
    }
}

double tree_shape_overlap(const tree_shape *s)
{
    return s->siblings ? s->shares / (double)s->siblings : 0;
}

double tree_shape_volumes(const tree_shape *s)
{
    return s->roots > 0 ? s->nodes / s->roots : 0;
}
