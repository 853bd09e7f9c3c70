/* See tree.h: volumes, from the leaves up. */
#include "tree.h"

#include "error.h"
#include "float_env.h"

#include <string.h>

/* ---- k-DOPs: of leaves from their items, of others from their children */

static void leaf_dop(const tree *t, const tree_node *n, float *out)
{
    const uint32_t extra = t->def.extra;
    bv_dop_none(out, extra);
    for (uint32_t i = n->begin; i < n->end; i++) {
        bv_dop_join(out, t->item[i].box, 0);
        bv_slabs_join(out + 6, t->slab + (size_t)2 * extra * i, extra);
    }
}

/* A union of k-DOPs is the k-DOP of all items below, so leaves alone look at items. */
static void node_dop(const tree *t, uint32_t node)
{
    const tree_node *n = t->node + node;
    float *out = t->dop + (size_t)t->words * node;
    if (!n->children) {
        leaf_dop(t, n, out);
        return;
    }
    memcpy(out, t->dop + (size_t)t->words * n->child, t->words * sizeof *out);
    for (uint32_t i = 1; i < n->children; i++)
        bv_dop_join(out, t->dop + (size_t)t->words * (n->child + i), t->def.extra);
}

/* ---- spheres and oriented boxes: from the vertices of all primitives below */

/* The vertices of items, side by side, so that those of a node on any level are one stretch. */
static void item_vertices(const tree *t, const tree_source *from, uint32_t *vertex)
{
    const uint32_t corners = from->corners;
#pragma omp parallel num_threads(t->def.threads)
    EACH_IN_FLOAT_ENV
#pragma omp for nowait
    for (int64_t i = 0; i < (int64_t)t->items; i++)
        memcpy(vertex + (size_t)corners * (size_t)i,
               from->corner + (size_t)corners * t->item[i].prim, corners * sizeof *vertex);
}

static bv_points node_points(const tree_node *n, const tree_source *from, const uint32_t *vertex)
{
    return (bv_points){from->x, vertex + (size_t)from->corners * n->begin,
                       (size_t)from->corners * (n->end - n->begin)};
}

/* Sums of parts are the sums of the whole, so vertices are added once, in leaves. */
static void node_moments(const tree *t, uint32_t node, const bv_points *p, bv_moments *all)
{
    const tree_node *n = t->node + node;
    all[node] = (bv_moments){0};
    if (!n->children)
        bv_moments_add(&all[node], p);
    for (uint32_t i = 0; i < n->children; i++)
        bv_moments_join(&all[node], &all[n->child + i]);
}

/* ---- all volumes that are of points */

/* Below the level of a hybrid tree no sphere is used, above it no box. */
static int has_spheres(const tree *t, uint32_t level)
{
    return t->def.volume == IMP_VOLUME_SPHERE ||
           (t->def.volume == IMP_VOLUME_HYBRID && level < t->def.hybrid_level);
}

static int fit_points(mem *m, const tree_source *from, tree *t)
{
    int err = IMP_OK;
    uint32_t *vertex = NULL;
    bv_moments *moments = NULL;
    TRY(mem_alloc(m, (size_t)from->corners * t->items * sizeof *vertex, &vertex));
    if (t->obb)
        TRY(mem_alloc(m, t->nodes * sizeof *moments, &moments));
    item_vertices(t, from, vertex);
    /* From the leaves up: moments of a node are those of its children. */
    for (uint32_t level = t->levels; level-- > 0;) {
        const int spheres = has_spheres(t, level);
        TRY(tree_check_cancel(t));
#pragma omp parallel num_threads(t->def.threads)
        EACH_IN_FLOAT_ENV
#pragma omp for schedule(guided) nowait
        for (int64_t i = t->level0[level]; i < (int64_t)t->level0[level + 1]; i++) {
            bv_points p = node_points(t->node + i, from, vertex);
            if (moments)
                node_moments(t, (uint32_t)i, &p, moments);
            if (spheres)
                bv_sphere_fit(&p, t->sphere + i);
            else
                bv_obb_fit(&p, moments + i, t->obb + i);
        }
    }
out:
    mem_free(m, vertex);
    mem_free(m, moments);
    return err;
}

int tree_fit(mem *m, const tree_source *from, tree *t)
{
    if (t->def.volume != IMP_VOLUME_DOP)
        return fit_points(m, from, t);
    for (uint32_t level = t->levels; level-- > 0;) {
        const uint32_t first = t->level0[level], last = t->level0[level + 1];
#pragma omp parallel num_threads(t->def.threads) if (last - first > 64)
        EACH_IN_FLOAT_ENV
#pragma omp for nowait
        for (int64_t i = first; i < (int64_t)last; i++)
            node_dop(t, (uint32_t)i);
    }
    return IMP_OK;
}

/* ---- of a tree as a whole */

/* An empty box has lower > upper. */
static double half_surface(const float *box)
{
    const double x = box[3] - box[0], y = box[4] - box[1], z = box[5] - box[2];
    return x >= 0 && y >= 0 && z >= 0 ? x * y + y * z + z * x : 0;
}

/* Relative to the roots, so that a motion that only scales a body does not count. */
double tree_weight(const tree *t)
{
    double sum = 0, roots = 0;
    for (uint32_t i = 0; i < t->nodes; i++) {
        const double one = half_surface(t->dop + (size_t)t->words * i);
        sum += one;
        roots += i < t->trees ? one : 0;
    }
    return roots > 0 ? sum / roots : 0;
}

/* The box of the root's sphere or oriented box. */
static void volume_box(const tree *t, uint32_t root, const bv_pose *pose, float out[6])
{
    const int round = has_spheres(t, 0);
    const bv_sphere s = round ? bv_sphere_posed(t->sphere + root, pose) : (bv_sphere){0};
    const bv_obb b = round ? (bv_obb){0} : bv_obb_posed(t->obb + root, pose);
    for (int k = 0; k < 3; k++) {
        double reach = s.r, middle = round ? s.c[k] : b.c[k];
        for (int i = 0; i < 3 && !round; i++)
            reach += b.half[i] * fabs(b.axis[i][k]);
        reach += BV_MARGIN;
        out[k] = bv_below(middle - reach);
        out[3 + k] = bv_above(middle + reach);
    }
}

void tree_root_box(const tree *t, uint32_t root, const bv_pose *pose, float out[6])
{
    const tree_node *n = t->node + root;
    /* The root's k-DOP has the box already. */
    if (t->dop) {
        memcpy(out, t->dop + (size_t)t->words * root, 6 * sizeof *out);
    } else if (pose) {
        volume_box(t, root, pose, out);
    } else {
        bv_dop_none(out, 0);
        for (uint32_t i = n->begin; i < n->end; i++)
            bv_dop_join(out, t->item[i].box, 0);
    }
}
