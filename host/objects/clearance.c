/* See clearance.h. Each object has a tree of boxes. Two trees are descended together, the nearer
 * children first; nodes whose boxes are farther apart than the nearest pair so far are left out.
 * Pairs of primitives are compared by bounds of their distances in float64, and exactly where these
 * leave a doubt. */
#include "clearance.h"

#include "error.h"
#include "exact.h"
#include "float_env.h"
#include "prim.h"
#include "tree.h"
#include "vec3.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#define CLEARANCE_LEAF 4
#define CLEARANCE_DEGREE 2

void clearance_free(mem *m, clearance_list *l)
{
    mem_free(m, l->a);
    mem_free(m, l->b);
    *l = (clearance_list){0};
}

/* ---- the trees of a frame's objects */

typedef struct clearance_trees {
    tree tree;
    uint32_t trees;
    uint32_t *start, *prim; /* [trees + 1], [primitives] */
    int32_t *object;        /* [trees] */
} clearance_trees;

static void clearance_trees_free(mem *m, clearance_trees *t)
{
    tree_free(m, &t->tree);
    mem_free(m, t->start);
    mem_free(m, t->prim);
    mem_free(m, t->object);
}

/* Lists the primitives with a box by object: start, prim and object. */
static int clearance_group(mem *m, const block_view *v, uint32_t f, const float *box,
                           clearance_trees *t)
{
    int err = IMP_OK;
    const uint32_t first = v->prim0[f], all = v->prim0[f + 1] - first;
    const int32_t *object = v->frame[f].mesh->object;
    tree_key *key = NULL, *other = NULL;
    uint32_t n = 0;
    TRY(mem_alloc(m, all * sizeof *key, &key));
    TRY(mem_alloc(m, all * sizeof *other, &other));
    TRY(mem_alloc(m, all * sizeof *t->prim, &t->prim));
    TRY(mem_alloc(m, ((size_t)all + 1) * sizeof *t->start, &t->start));
    TRY(mem_alloc(m, ((size_t)all + 1) * sizeof *t->object, &t->object));
    for (uint32_t i = 0; i < all; i++)
        if (box_enters(box + (size_t)BOX_BOUNDS * (first + i)))
            key[n++] = (tree_key){object_key(object ? object[i] : 0), first + i};
    tree_sort(&key, &other, n);
    for (uint32_t i = 0; i < n; i++) {
        t->prim[i] = key[i].from;
        if (!i || key[i].key != key[i - 1].key) {
            t->object[t->trees] = object ? object[key[i].from - first] : 0;
            t->start[t->trees++] = i;
        }
    }
    t->start[t->trees] = n;
out:
    mem_free(m, key);
    mem_free(m, other);
    return err;
}

static int clearance_trees_make(const context *c, const block_view *v, uint32_t f, const float *box,
                                clearance_trees *out)
{
    int err = IMP_OK;
    const tree_def def = {.volume = IMP_VOLUME_DOP,
                          .build = IMP_BUILD_BOTTOM_UP,
                          .degree = CLEARANCE_DEGREE,
                          .leaf = CLEARANCE_LEAF,
                          .threads = c->threads,
                          .cancel = c->cancel};
    const tree_source from = {.box = box};
    TRY(clearance_group(c->mem, v, f, box, out));
    if (out->trees)
        TRY(tree_make(c->mem, &def, &from, out->trees, out->start, out->prim, &out->tree));
out:
    return err;
}

/* ---- the search for the nearest pair of two objects */

typedef struct clearance_node {
    uint32_t e, f; /* nodes */
    double least;  /* square of the distance of their boxes, in the unit of the frame */
} clearance_node;

typedef struct clearance_search {
    const tree *tree;
    const imp_frame *frame;
    uint32_t prim0;
    double scale[2];       /* factors of the frame's scale, the inverse of its unit */
    clearance_node *stack; /* [room] */
    ring_search *ring;     /* NULL: imp_def.ring is 0 */
    uint32_t ring_from;    /* the prim that *ring begins from */
    int any;               /* a, b and the bounds are of a pair */
    uint32_t a, b;
    double least, most, way[3]; /* exact_prims_distance_bounds */
    double
        limit; /* square of a bound that no nearer pair's boxes exceed, in the unit of the frame */
    uint64_t compared;
} clearance_search;

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
    return a != s->a ? a > s->a : b > s->b;
}

/* Returns whether the pair precedes the nearest one so far. */
static int clearance_precedes(const clearance_search *s, const exact_prim pair[2], uint32_t a,
                              uint32_t b, double least, double most)
{
    if (!s->any || most < s->least)
        return 1;
    if (least > s->most)
        return 0;
    const exact_prim best[2] = {clearance_prim(s, s->a), clearance_prim(s, s->b)};
    const int order =
        least == 0 && most == 0 && s->most == 0 ? 0 : exact_distances_compare(pair, best);
    return order ? order < 0 : !clearance_after(s, a, b);
}

static int clearance_joined(const clearance_search *s, uint32_t a, uint32_t b)
{
    const imp_mesh *m = s->frame->mesh;
    const size_t i = a - s->prim0, j = b - s->prim0;
    for (uint32_t k = 0; k < mesh_corners_of(m, i); k++)
        for (uint32_t l = 0; l < mesh_corners_of(m, j); l++)
            if (mesh_vertex(m, i, k) == mesh_vertex(m, j, l))
                return 1;
    return 0;
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

/* Returns whether a direction certainly separates two primitives by more than the distance of the
 * nearest pair so far. A product of the direction and a difference of vertices errs by less than
 * 2^-51 of their sizes' product. */
static int clearance_beyond_along(const clearance_search *s, const exact_prim pair[2],
                                  const double way[3])
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
    const double gap = fmax(low[1] - high[0], low[0] - high[1]);
    /* the length of a shorter direction is all rounding errors, as its square is denormal */
    return length > 0x1p-500 &&
           gap - size * length * 0x1p-50 > s->most * length * (1 + 0x1p-48) + 0x1p-1000;
}

/* The same, along the way of the nearest pair, or from the middle of one primitive to that of the
 * other: most pairs of near boxes need no bounds of their own. */
static int clearance_beyond(const clearance_search *s, const exact_prim pair[2])
{
    double middle[2][3] = {{0}}, way[3];
    if (!s->any)
        return 0;
    if (clearance_beyond_along(s, pair, s->way))
        return 1;
    for (int n = 0; n < 2; n++)
        for (int i = 0; i < pair[n].corners; i++)
            for (int k = 0; k < 3; k++)
                middle[n][k] += pair[n].v[i].x[k] / pair[n].corners;
    vec_sub(middle[1], middle[0], way);
    return clearance_beyond_along(s, pair, way);
}

static void clearance_compare(clearance_search *s, uint32_t i, uint32_t j)
{
    const uint32_t a = i < j ? i : j, b = i < j ? j : i;
    const int touches = s->any && s->most == 0;
    if ((touches && clearance_after(s, a, b)) || clearance_joined(s, a, b))
        return;
    const exact_prim pair[2] = {clearance_prim(s, a), clearance_prim(s, b)};
    double least, most, way[3] = {0};
    s->compared++;
    if (clearance_beyond(s, pair))
        return;
    exact_prims_distance_bounds(&pair[0], &pair[1], &least, &most, way);
    if (!clearance_precedes(s, pair, a, b, least, most) || clearance_in_ring(s, i, j))
        return;
    const double limit = most * s->scale[0] * s->scale[1] * (1 + 0x1p-40);
    s->any = 1;
    s->a = a;
    s->b = b;
    s->least = least;
    s->most = most;
    memcpy(s->way, way, sizeof s->way);
    s->limit = fmin(s->limit, limit * limit);
}

static void clearance_leaves(clearance_search *s, const tree_node *e, const tree_node *f)
{
    const tree *t = s->tree;
    for (uint32_t i = e->begin; i < e->end; i++)
        for (uint32_t j = f->begin; j < f->end; j++)
            if (clearance_boxes(t->item[i].box, t->item[j].box) <= s->limit)
                clearance_compare(s, t->item[i].prim, t->item[j].prim);
}

static const float *clearance_box(const tree *t, uint32_t node)
{
    return t->dop + (size_t)t->words * node;
}

static double clearance_extent(const float *box)
{
    return fmax((double)box[3] - box[0], fmax((double)box[4] - box[1], (double)box[5] - box[2]));
}

/* Pushes the pairs of one node's children with the other node, the nearest one last. */
static size_t clearance_divide(clearance_search *s, clearance_node at, size_t depth)
{
    const tree *t = s->tree;
    const tree_node *e = &t->node[at.e], *f = &t->node[at.f];
    const int first = e->children && (!f->children || clearance_extent(clearance_box(t, at.e)) >=
                                                          clearance_extent(clearance_box(t, at.f)));
    const tree_node *of = first ? e : f;
    const size_t begin = depth;
    for (uint32_t k = 0; k < of->children; k++) {
        clearance_node next = {first ? of->child + k : at.e, first ? at.f : of->child + k, 0};
        next.least = clearance_boxes(clearance_box(t, next.e), clearance_box(t, next.f));
        size_t to = depth++;
        for (; to > begin && s->stack[to - 1].least < next.least; to--)
            s->stack[to] = s->stack[to - 1];
        s->stack[to] = next;
    }
    return depth;
}

static void clearance_descend(clearance_search *s, uint32_t e, uint32_t f)
{
    const tree *t = s->tree;
    size_t depth = 0;
    s->stack[depth++] = (clearance_node){e, f, 0};
    while (depth) {
        const clearance_node at = s->stack[--depth];
        const tree_node *p = &t->node[at.e], *q = &t->node[at.f];
        if (at.least > s->limit || tree_is_cancelled(t))
            continue;
        if (!p->children && !q->children)
            clearance_leaves(s, p, q);
        else
            depth = clearance_divide(s, at, depth);
    }
}

/* ---- all pairs of objects */

static int clearance_allowed(const context *c, int32_t i, int32_t j)
{
    const uint32_t rules = c->opt.rules;
    if (!(rules & (RULE_LIST_ONLY | RULE_LIST_NOT)))
        return 1;
    return object_listed(c->opt.list, c->opt.listed, object_pair(i, j)) ==
           !!(rules & RULE_LIST_ONLY);
}

static int clearance_add(mem *m, clearance_list *l, uint32_t a, uint32_t b)
{
    int err = IMP_OK;
    const size_t more = l->capacity + l->capacity / 2 + 64;
    if (l->count == l->capacity) {
        TRY(mem_grow(m, l->count * sizeof *l->a, more * sizeof *l->a, &l->a));
        TRY(mem_grow(m, l->count * sizeof *l->b, more * sizeof *l->b, &l->b));
        l->capacity = more;
    }
    l->a[l->count] = a;
    l->b[l->count++] = b;
out:
    return err;
}

/* Lists the allowed pairs of trees. */
static int clearance_pairs(const context *c, const clearance_trees *t, clearance_list *out)
{
    int err = IMP_OK;
    for (uint32_t i = 0; i < t->trees; i++)
        for (uint32_t j = i + 1; j < t->trees; j++)
            if (clearance_allowed(c, t->object[i], t->object[j]))
                TRY(clearance_add(c->mem, out, i, j));
out:
    return err;
}

/* Replaces each pair of trees by the nearest pair of their primitives. */
static int clearance_search_all(const context *c, const block_view *v, const bounds *o, uint32_t f,
                                const clearance_trees *t, const ring_mesh *mesh, clearance_list *of,
                                uint64_t *compared)
{
    int err = IMP_OK, without = 0; /* threads without memory */
    const size_t room = (size_t)2 * CLEARANCE_DEGREE * (t->tree.levels + 2);
    clearance_node *stack = NULL;
    uint64_t sum = 0;
    TRY(mem_alloc(c->mem, room * (size_t)c->threads * sizeof *stack, &stack));
#pragma omp parallel num_threads(c->threads) reduction(+ : sum, without)
    EACH_IN_FLOAT_ENV
    {
        ring_search ring = {.of = mesh, .mem = c->mem, .ring = c->opt.ring};
#pragma omp for schedule(dynamic, 1)
        for (size_t i = 0; i < of->count; i++) {
            clearance_search s = {.tree = &t->tree,
                                  .frame = &v->frame[f],
                                  .prim0 = v->prim0[f],
                                  .scale = {o->normalisation.scale[(size_t)2 * f],
                                            o->normalisation.scale[(size_t)2 * f + 1]},
                                  .stack = stack + room * (size_t)omp_get_thread_num(),
                                  .ring = c->opt.ring ? &ring : NULL,
                                  .ring_from = NO_NUMBER,
                                  .limit = INFINITY};
            clearance_descend(&s, of->a[i], of->b[i]);
            of->a[i] = s.any ? s.a : NO_NUMBER; /* all pairs may be left out */
            of->b[i] = s.b;
            sum += s.compared;
        }
        without += ring.err != IMP_OK;
        ring_search_free(&ring);
    }
    *compared += sum;
    if (without) /* the text belongs to another thread */
        FAIL(IMP_ERR_MEMORY, "out of memory");
    if (atomic_load(c->cancel))
        FAIL(IMP_ERR_CANCELLED, "cancelled");
out:
    mem_free(c->mem, stack);
    return err;
}

typedef struct clearance_sorted {
    uint32_t a, b;
} clearance_sorted;

static int clearance_order(const void *p, const void *q)
{
    const clearance_sorted *x = p, *y = q;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

static int clearance_sort(mem *m, clearance_list *l)
{
    int err = IMP_OK;
    clearance_sorted *both = NULL;
    TRY(mem_alloc(m, l->count * sizeof *both, &both));
    size_t n = 0;
    for (size_t i = 0; i < l->count; i++)
        if (l->a[i] != NO_NUMBER)
            both[n++] = (clearance_sorted){l->a[i], l->b[i]};
    l->count = n;
    qsort(both, n, sizeof *both, clearance_order);
    for (size_t i = 0; i < l->count; i++) {
        l->a[i] = both[i].a;
        l->b[i] = both[i].b;
    }
out:
    mem_free(m, both);
    return err;
}

int clearance_find(const context *c, const block_view *v, const bounds *o, uint32_t f,
                   ring_mesh *ring, clearance_list *out, uint64_t *compared)
{
    int err = IMP_OK;
    clearance_trees t = {.trees = 0};
    float *box = NULL;
    out->count = 0;
    TRY(mem_alloc(c->mem, (size_t)BOX_BOUNDS * v->prims * sizeof *box, &box));
    TRY(buffer_read(c->dev64, &o->on64.box, 0, box, (size_t)BOX_BOUNDS * v->prims));
    TRY(clearance_trees_make(c, v, f, box, &t));
    TRY(clearance_pairs(c, &t, out));
    if (out->count && c->opt.ring)
        TRY(ring_mesh_make(c->mem, v->frame[f].mesh, ring));
    if (out->count)
        TRY(clearance_search_all(c, v, o, f, &t, ring, out, compared));
    TRY(clearance_sort(c->mem, out));
out:
    clearance_trees_free(c->mem, &t);
    mem_free(c->mem, box);
    return err;
}
