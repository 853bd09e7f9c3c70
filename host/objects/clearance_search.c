/* See clearance_search.h. Two trees are descended together, the nearer children first; nodes whose
 * boxes or cylinders are farther apart than the nearest pair so far are left out. Pairs of
 * primitives are compared by bounds of their distances in float64, and exactly where these leave a
 * doubt. */
#include "clearance_search.h"

#include "error.h"
#include "vec3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A lower bound of the square of the distance of two boxes. */
static double clearance_boxes(const float *p, const float *q)
{
    double square = 0;
    for (int k = 0; k < 3; k++) {
        const double up = (double)q[k] - p[3 + k], down = (double)p[k] - q[3 + k];
        const double gap = up > down ? up : down;
        square += gap > 0 ? gap * gap : 0;
    }
    return square * (1 - 0x1p-48);
}

static exact_prim clearance_prim(const clearance_search *s, uint32_t prim)
{
    return exact_prim_of(s->frame, prim - s->prim0);
}

static int clearance_after(const clearance_search *s, uint32_t a, uint32_t b)
{
    return a != s->best.a ? a > s->best.a : b > s->best.b;
}

static int clearance_order_exactly(const clearance_search *s, const exact_prim pair[2])
{
    const exact_prim best[2] = {clearance_prim(s, s->best.a), clearance_prim(s, s->best.b)};
    return exact_distances_compare(pair, best);
}

/* The sign of the difference of the distances of a pair and of the nearest one so far, which have
 * no common points. Primitives around one vertex or edge are equally near. */
static int clearance_order(clearance_search *s, const exact_prim pair[2], uint32_t a, uint32_t b)
{
    const size_t at[4] = {s->best.a - s->prim0, s->best.b - s->prim0, a - s->prim0, b - s->prim0};
    exact_numbered of[2];
    exact_rounded quick;
    if (s->best.quick_known == 0) {
        of[0] = exact_numbered_of(s->frame, at[0]);
        of[1] = exact_numbered_of(s->frame, at[1]);
        s->best.quick_known = exact_prims_rounded(&of[0], &of[1], &s->best.quick) ? 1 : -1;
    }
    if (s->best.quick_known < 0)
        return clearance_order_exactly(s, pair);
    of[0] = exact_numbered_of(s->frame, at[2]);
    of[1] = exact_numbered_of(s->frame, at[3]);
    const int order = exact_prims_rounded(&of[0], &of[1], &quick)
                          ? exact_rounded_compare(&quick, &s->best.quick)
                          : 2;
    return order == 2 ? clearance_order_exactly(s, pair) : order;
}

/* Returns whether the pair precedes the nearest one so far. */
static int clearance_precedes(clearance_search *s, const exact_prim pair[2], uint32_t a, uint32_t b,
                              double least, double most)
{
    if (!s->best.any || most < s->best.least)
        return 1;
    if (least > s->best.most)
        return 0;
    /* bounds above 0: they have no common point */
    const int order = most == 0 && s->best.most == 0   ? 0
                      : least > 0 && s->best.least > 0 ? clearance_order(s, pair, a, b)
                                                       : clearance_order_exactly(s, pair);
    return order ? order < 0 : !clearance_after(s, a, b);
}

static int clearance_joined(const clearance_search *s, uint32_t a, uint32_t b)
{
    return mesh_share(s->frame->mesh, a - s->prim0, b - s->prim0);
}

/* Returns whether imp_def.ring leaves out the pair. Pairs with one i follow each other. */
static int clearance_in_ring(clearance_search *s, uint32_t i, uint32_t j)
{
    const imp_mesh *m = s->frame->mesh;
    uint32_t v[4];
    if (!s->ring)
        return 0;
    if (s->ring_from != i)
        ring_search_begin(s->ring, v, ring_prim_vertices(m, i - s->prim0, v));
    s->ring_from = i;
    const uint32_t n = ring_prim_vertices(m, j - s->prim0, v);
    return ring_search_reaches(s->ring, v, n);
}

/* Lowers the bound of the least distance, which is not below it. */
static void clearance_lower(clearance_search *s, double near)
{
    if (!(near < s->near))
        return;
    s->near = near;
    s->reach = near * s->scale[0] * s->scale[1] * (1 + 0x1p-40);
    s->limit = s->reach * s->reach;
}

/* A lower bound of the distance of two primitives along a direction. A product of the direction and
 * a difference of vertices errs by less than 2^-51 of their sizes' product. */
static double clearance_gap_along(const exact_prim pair[2], const double way[3])
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, size = 0;
    const double *from = pair[0].v[0].x, length = sqrt(vec_dot(way, way));
    for (int n = 0; n < 2; n++)
        for (int i = 0; i < pair[n].corners; i++) {
            double d[3];
            vec_sub(pair[n].v[i].x, from, d);
            const double at = vec_dot(d, way);
            size += fabs(d[0]) + fabs(d[1]) + fabs(d[2]);
            low[n] = at < low[n] ? at : low[n];
            high[n] = at > high[n] ? at : high[n];
        }
    const double gap = low[1] - high[0] > low[0] - high[1] ? low[1] - high[0] : low[0] - high[1];
    const double least = (gap - size * length * 0x1p-50 - 0x1p-1000) / length * (1 - 0x1p-48);
    /* the length of a shorter direction is all rounding errors, as its square is denormal */
    return length > 0x1p-500 && least > 0 ? least : 0;
}

/* The direction from the middle of one primitive to that of the other. */
static void clearance_middles(const exact_prim pair[2], double way[3])
{
    double middle[2][3] = {{0}};
    for (int n = 0; n < 2; n++)
        for (int i = 0; i < pair[n].corners; i++)
            for (int k = 0; k < 3; k++)
                middle[n][k] += pair[n].v[i].x[k] / pair[n].corners;
    vec_sub(middle[1], middle[0], way);
}

/* An upper bound of the distance: that of the nearest vertices, and the direction between them.
 * Squares must be normal numbers. */
static double clearance_vertices(const exact_prim pair[2], double way[3])
{
    double least = INFINITY;
    int at[2] = {0, 0};
    for (int i = 0; i < pair[0].corners; i++)
        for (int j = 0; j < pair[1].corners; j++) {
            const double square = vec_square(pair[0].v[i].x, pair[1].v[j].x);
            if (square < least) {
                least = square;
                at[0] = i;
                at[1] = j;
            }
        }
    vec_sub(pair[1].v[at[1]].x, pair[0].v[at[0]].x, way);
    return least > 0x1p-900 ? sqrt(least) * (1 + 0x1p-48) : INFINITY;
}

/* A lower bound of the distance along the way of the nearest pair, between the middles, or between
 * the nearest vertices: most pairs of near boxes need no bounds of their own. *most: an upper
 * bound, unless the lower one is beyond the nearest pair. */
static double clearance_gap(const clearance_search *s, const exact_prim pair[2], double *most)
{
    double way[3], gap = 0;
    if (s->best.any)
        gap = clearance_gap_along(pair, s->best.way);
    if (gap > s->near)
        return gap;
    clearance_middles(pair, way);
    gap = fmax(gap, clearance_gap_along(pair, way));
    if (gap > s->near)
        return gap;
    *most = clearance_vertices(pair, way);
    return fmax(gap, clearance_gap_along(pair, way));
}

/* A pair of primitives that may be the nearest, and a lower bound of its distance. */
typedef struct clearance_pair {
    uint32_t i, j;
    double gap;
} clearance_pair;

/* Adds a pair to a list, unless it certainly is not the nearest: in order of the bounds, but with a
 * ring in the order of i, since a search along edges serves all pairs with one i. */
static void clearance_consider(clearance_search *s, uint32_t i, uint32_t j, clearance_pair *list,
                               int *count)
{
    const uint32_t a = i < j ? i : j, b = i < j ? j : i;
    if ((s->best.any && s->best.most == 0 && clearance_after(s, a, b)) || clearance_joined(s, a, b))
        return;
    const exact_prim pair[2] = {clearance_prim(s, a), clearance_prim(s, b)};
    s->compared++;
    double most = INFINITY;
    const double gap = clearance_gap(s, pair, &most);
    if (gap > s->near)
        return;
    if (!s->ring) /* which may leave out the pair */
        clearance_lower(s, most);
    int to = (*count)++;
    for (; to > 0 && list[to - 1].gap > gap && !s->ring; to--)
        list[to] = list[to - 1];
    list[to] = (clearance_pair){i, j, gap};
}

void clearance_compare(clearance_search *s, uint32_t i, uint32_t j)
{
    const uint32_t a = i < j ? i : j, b = i < j ? j : i;
    const exact_prim pair[2] = {clearance_prim(s, a), clearance_prim(s, b)};
    double least, most, way[3] = {0};
    exact_prims_distance_bounds(&pair[0], &pair[1], &least, &most, way);
    if (!clearance_precedes(s, pair, a, b, least, most) || clearance_in_ring(s, i, j))
        return;
    s->best.any = 1;
    s->best.a = a;
    s->best.b = b;
    s->best.least = least;
    s->best.most = most;
    memcpy(s->best.way, way, sizeof s->best.way);
    s->best.quick_known = 0;
    clearance_lower(s, most);
}

void clearance_only(clearance_search *s, uint32_t i, uint32_t j)
{
    const int joined = clearance_joined(s, i, j);
    s->compared += !joined;
    s->best.a = i < j ? i : j;
    s->best.b = i < j ? j : i;
    s->best.any = !joined && !clearance_in_ring(s, i, j);
}

static const float *clearance_box(const tree *t, uint32_t node)
{
    return t->dop + (size_t)t->words * node;
}

/* A primitive of a leaf that is near the other leaf, and its end along a direction. */
typedef struct clearance_item {
    const tree_item *of;
    double end;
} clearance_item;

/* Lists the primitives of a leaf that are near the box of the other one, with their greatest
 * products with way, or the negative of their least. */
static int clearance_items(const clearance_search *s, uint32_t leaf, const float *other,
                           const double way[3], clearance_item out[CYLINDER_LEAF])
{
    const tree_node *of = &s->tree->node[leaf];
    int count = 0;
    for (uint32_t i = of->begin; i < of->end; i++) {
        const tree_item *item = &s->tree->item[i];
        double x[4][3], end = -INFINITY;
        if (clearance_boxes(item->box, other) > s->limit)
            continue;
        for (uint32_t k = cylinder_corners(s->points, item->prim, x); k-- > 0;) {
            const double at = vec_dot(x[k], way);
            end = at > end ? at : end;
        }
        out[count++] = (clearance_item){item, end};
    }
    return count;
}

/* way: from e to f, of any length */
static void clearance_leaves(clearance_search *s, uint32_t e, uint32_t f, const double way[3])
{
    const tree *t = s->tree;
    clearance_item of_e[CYLINDER_LEAF], of_f[CYLINDER_LEAF];
    clearance_pair list[CYLINDER_LEAF * CYLINDER_LEAF];
    int count = 0;
    const double back[3] = {-way[0], -way[1], -way[2]}, length = sqrt(vec_dot(way, way));
    const int n = clearance_items(s, e, clearance_box(t, f), way, of_e);
    const int m = n ? clearance_items(s, f, clearance_box(t, e), back, of_f) : 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            if (!(length > CYLINDER_ERROR &&
                  -of_f[j].end - of_e[i].end > (s->reach + CYLINDER_ERROR) * length) &&
                clearance_boxes(of_e[i].of->box, of_f[j].of->box) <= s->limit)
                clearance_consider(s, of_e[i].of->prim, of_f[j].of->prim, list, &count);
    for (int i = 0; i < count; i++)
        if (list[i].gap <= s->near)
            clearance_compare(s, list[i].i, list[i].j);
}

static double clearance_extent(const float *box)
{
    return fmax((double)box[3] - box[0], fmax((double)box[4] - box[1], (double)box[5] - box[2]));
}

/* Pushes the pairs of one node's children with the other node, the nearest one last. */
static size_t clearance_divide(clearance_search *s, const clearance_node *at, size_t depth)
{
    const tree *t = s->tree;
    const tree_node *e = &t->node[at->e], *f = &t->node[at->f];
    const int first =
        e->children && (!f->children || clearance_extent(clearance_box(t, at->e)) >=
                                            clearance_extent(clearance_box(t, at->f)));
    const tree_node *of = first ? e : f;
    const size_t begin = depth;
    for (uint32_t k = 0; k < of->children; k++) {
        clearance_node next = {
            first ? of->child + k : at->e, first ? at->f : of->child + k, 0, {0}};
        next.least = clearance_boxes(clearance_box(t, next.e), clearance_box(t, next.f));
        if (next.least > s->limit)
            continue;
        vec_copy(at->way, next.way);
        size_t to = depth++;
        for (; to > begin && s->stack[to - 1].least < next.least; to--)
            s->stack[to] = s->stack[to - 1];
        s->stack[to] = next;
    }
    return depth;
}

/* Returns whether primitives below two nodes may be nearer than the nearest pair so far. */
static int clearance_may(const clearance_search *s, clearance_node *at)
{
    return at->least <= s->limit && !tree_is_cancelled(s->tree) &&
           !cylinders_beyond(&s->cylinder[at->e], &s->cylinder[at->f], s->reach, at->way);
}

static int clearance_is_leaf(const tree *t, const clearance_node *at)
{
    return !t->node[at->e].children && !t->node[at->f].children;
}

size_t clearance_stack_size(const tree *t)
{
    return (size_t)2 * CLEARANCE_DEGREE * (t->levels + 2);
}

void clearance_descend(clearance_search *s, clearance_node from)
{
    size_t depth = 0;
    s->stack[depth++] = from;
    while (depth) {
        clearance_node at = s->stack[--depth];
        if (!clearance_may(s, &at))
            continue;
        if (clearance_is_leaf(s->tree, &at))
            clearance_leaves(s, at.e, at.f, at.way);
        else
            depth = clearance_divide(s, &at, depth);
    }
}

/* ---- parts of a large search */

/* Descends to the nearest children alone, which gives a first bound. */
static void clearance_dive(clearance_search *s, clearance_node at)
{
    while (clearance_may(s, &at) && !clearance_is_leaf(s->tree, &at)) {
        const size_t count = clearance_divide(s, &at, 0);
        if (!count)
            return;
        at = s->stack[count - 1];
    }
    if (clearance_is_leaf(s->tree, &at))
        clearance_leaves(s, at.e, at.f, at.way);
}

/* By the distance of the nearest points of their discs, about. */
static int clearance_node_order(const void *p, const void *q)
{
    const clearance_node *x = p, *y = q;
    const double a = vec_dot(x->way, x->way), b = vec_dot(y->way, y->way);
    if (a != b)
        return a < b ? -1 : 1;
    if (x->e != y->e)
        return x->e < y->e ? -1 : 1;
    return (x->f > y->f) - (x->f < y->f);
}

size_t clearance_widen(clearance_search *s, uint32_t e, uint32_t f, clearance_node *front)
{
    clearance_node *from = front, *to = front + CLEARANCE_FRONT;
    size_t count = 1, divided = 1;
    from[0] = (clearance_node){e, f, 0, {0}};
    clearance_dive(s, from[0]);
    while (divided && count <= CLEARANCE_FRONT / CLEARANCE_DEGREE) {
        size_t made = 0;
        divided = 0;
        for (size_t i = 0; i < count; i++) {
            clearance_node at = from[i];
            if (!clearance_may(s, &at))
                continue;
            s->stack[0] = at;
            const int leaf = clearance_is_leaf(s->tree, &at);
            const size_t children = leaf ? 1 : clearance_divide(s, &at, 0);
            memcpy(to + made, s->stack, children * sizeof *to);
            made += children;
            divided += !leaf;
        }
        clearance_node *const swap = from;
        from = to;
        to = swap;
        count = made;
    }
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        clearance_node at = from[i];
        if (clearance_may(s, &at))
            front[kept++] = at;
    }
    qsort(front, kept, sizeof *front, clearance_node_order);
    for (size_t i = 0; i < kept; i++)
        clearance_dive(s, front[i]);
    return kept;
}
