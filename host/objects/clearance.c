/* See clearance.h. Each object has a tree of boxes and cylinders; clearance_search.h descends two
 * of them together. */
#include "clearance.h"

#include "clearance_search.h"
#include "error.h"
#include "float_env.h"
#include "prim.h"
#include "tree.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#define CLEARANCE_PAIRS ((size_t)1 << 16) /* pairs in a part; one object may have more */
#define CLEARANCE_LARGE (1u << 15) /* primitives of two trees that all threads search together */

void clearance_free(mem *m, clearance_list *l)
{
    mem_free(m, l->a);
    mem_free(m, l->b);
    *l = (clearance_list){0};
}

/* ---- the trees of a frame's objects */

struct clearance_trees {
    tree tree;
    cylinder *cylinder; /* [tree.nodes] */
    cylinder_points points;
    uint32_t trees;
    uint32_t *start, *prim; /* [trees + 1], [primitives] */
    int32_t *object;        /* [trees] by keys */
};

static void clearance_trees_free(mem *m, clearance_trees *t)
{
    tree_free(m, &t->tree);
    mem_free(m, t->cylinder);
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
    int sorted = 1;
    TRY(mem_alloc(m, all * sizeof *key, &key));
    TRY(mem_alloc(m, all * sizeof *other, &other));
    TRY(mem_alloc(m, all * sizeof *t->prim, &t->prim));
    TRY(mem_alloc(m, ((size_t)all + 1) * sizeof *t->start, &t->start));
    TRY(mem_alloc(m, ((size_t)all + 1) * sizeof *t->object, &t->object));
    for (uint32_t i = 0; i < all; i++)
        if (box_enters(box + (size_t)BOX_BOUNDS * (first + i))) {
            key[n] = (tree_key){object_key(object ? object[i] : 0), first + i};
            sorted &= !n || key[n - 1].key <= key[n].key;
            n++;
        }
    if (!sorted)
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

static int clearance_trees_make(const context *c, const block_view *v, const bounds *o, uint32_t f,
                                const float *box, clearance_trees *out)
{
    int err = IMP_OK;
    const tree_def def = {.volume = IMP_VOLUME_DOP,
                          .build = IMP_BUILD_BOTTOM_UP,
                          .degree = CLEARANCE_DEGREE,
                          .leaf = CYLINDER_LEAF,
                          .threads = c->threads,
                          .cancel = c->cancel};
    const tree_source from = {.box = box};
    TRY(clearance_group(c->mem, v, f, box, out));
    if (!out->trees)
        goto out;
    TRY(tree_make(c->mem, &def, &from, out->trees, out->start, out->prim, &out->tree));
    TRY(mem_alloc(c->mem, out->tree.nodes * sizeof *out->cylinder, &out->cylinder));
    out->points = cylinder_points_of(v, o, f);
    TRY(cylinders_fit(&out->points, &out->tree, out->cylinder));
out:
    return err;
}

/* ---- all pairs of objects */

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

/* Marks the trees of objects that the list has. */
static void clearance_mark_listed(const context *c, const clearance_trees *t, uint8_t *mark)
{
    for (uint32_t i = 0; i < c->opt.listed; i++)
        for (int k = 0; k < 2; k++) {
            const uint32_t key = (uint32_t)(k ? c->opt.list[i] : c->opt.list[i] >> 32);
            uint32_t low = 0, high = t->trees;
            while (low < high) {
                const uint32_t middle = low + (high - low) / 2;
                if (object_key(t->object[middle]) < key)
                    low = middle + 1;
                else
                    high = middle;
            }
            if (low < t->trees && object_key(t->object[low]) == key)
                mark[low] = 1;
        }
}

/* Lists the trees that may have a pair by their first prims: out->order. */
static int clearance_order_trees(const context *c, const clearance_trees *t, clearance *out)
{
    int err = IMP_OK;
    tree_key *key = NULL, *other = NULL;
    uint8_t *mark = NULL;
    uint32_t n = 0;
    TRY(mem_alloc(c->mem, t->trees * sizeof *key, &key));
    TRY(mem_alloc(c->mem, t->trees * sizeof *other, &other));
    TRY(mem_alloc(c->mem, t->trees, &mark));
    TRY(mem_alloc(c->mem, t->trees * sizeof *out->order, &out->order));
    memset(mark, !(c->opt.rules & RULE_LIST_ONLY), t->trees);
    if (c->opt.rules & RULE_LIST_ONLY)
        clearance_mark_listed(c, t, mark);
    for (uint32_t i = 0; i < t->trees; i++)
        if (mark[i])
            key[n++] = (tree_key){t->prim[t->start[i]], i};
    tree_sort(&key, &other, n);
    for (uint32_t i = 0; i < n; i++)
        out->order[i] = key[i].from;
    out->ordered = n;
out:
    mem_free(c->mem, key);
    mem_free(c->mem, other);
    mem_free(c->mem, mark);
    return err;
}

/* Lists the allowed pairs of the next trees and those after them, `most` of them or a tree's more.
 */
static int clearance_pairs(clearance *s, size_t most, clearance_list *out)
{
    int err = IMP_OK;
    const clearance_trees *t = s->trees;
    out->count = 0;
    for (; s->next < s->ordered && out->count < most; s->next++) {
        const uint32_t i = s->order[s->next];
        for (uint32_t k = s->next + 1; k < s->ordered; k++)
            if (context_allows(s->c, t->object[i], t->object[s->order[k]]))
                TRY(clearance_add(s->c->mem, out, i, s->order[k]));
    }
out:
    return err;
}

/* The search for all pairs of a frame's objects. */
struct clearance_all {
    const context *c;
    const clearance_trees *t;
    const ring_mesh *mesh;
    clearance_search begin; /* without a stack and a ring */
    clearance_list *list;
    size_t room;           /* nodes in the stack of each thread */
    clearance_node *stack; /* [room * threads] */
    clearance_node *front; /* [2 * CLEARANCE_FRONT] */
    uint64_t compared;
    int without; /* threads without memory */
};

static int clearance_all_make(const context *c, const block_view *v, const bounds *o, uint32_t f,
                              const clearance_trees *t, clearance_all *out)
{
    const double *scale = o->normalisation.scale + (size_t)2 * f;
    out->begin = (clearance_search){.tree = &t->tree,
                                    .cylinder = t->cylinder,
                                    .points = &t->points,
                                    .frame = &v->frame[f],
                                    .prim0 = v->prim0[f],
                                    .scale = {scale[0], scale[1]},
                                    .ring_from = NO_NUMBER,
                                    .near = INFINITY,
                                    .reach = INFINITY,
                                    .limit = INFINITY};
    out->c = c;
    out->t = t;
    out->room = clearance_stack_size(&t->tree);
    int err = mem_alloc(c->mem, out->room * (size_t)c->threads * sizeof *out->stack, &out->stack);
    return err ? err
               : mem_alloc(c->mem, (size_t)2 * CLEARANCE_FRONT * sizeof *out->front, &out->front);
}

/* A search of this thread that continues from what `from` has found. */
static clearance_search clearance_thread(const clearance_all *w, const clearance_search *from,
                                         ring_search *ring)
{
    clearance_search s = *from;
    s.stack = w->stack + w->room * (size_t)omp_get_thread_num();
    s.ring = w->c->opt.ring ? ring : NULL;
    s.ring_from = NO_NUMBER;
    s.compared = 0;
    return s;
}

/* One thread searches a pair of small trees, all threads a pair of large ones. Counts thus do not
 * depend on the number of threads. */
static int clearance_is_large(const clearance_all *w, size_t i)
{
    const uint32_t *start = w->t->start, e = w->list->a[i], f = w->list->b[i];
    return start[e + 1] - start[e] + start[f + 1] - start[f] > CLEARANCE_LARGE;
}

static void clearance_put(clearance_all *w, size_t i, const clearance_search *s)
{
    w->list->a[i] = s->best.any ? s->best.a : NO_NUMBER; /* all pairs may be left out */
    w->list->b[i] = s->best.b;
}

/* The only pair of primitives of two objects needs no distance. */
static void clearance_find(clearance_search *s, uint32_t e, uint32_t f)
{
    const tree_node *node = s->tree->node;
    if (node[e].end - node[e].begin > 1 || node[f].end - node[f].begin > 1)
        clearance_descend(s, (clearance_node){e, f, 0, {0}});
    else
        clearance_only(s, s->tree->item[node[e].begin].prim, s->tree->item[node[f].begin].prim);
}

/* Pairs [first, last) of the list, each by one thread. */
static void clearance_search_small(clearance_all *w, size_t first, size_t last)
{
    uint64_t sum = 0;
    int without = 0;
#pragma omp parallel num_threads(w->c->threads) reduction(+ : sum, without) if (last - first > 1)
    EACH_IN_FLOAT_ENV
    {
        ring_search ring = {.of = w->mesh, .mem = w->c->mem, .ring = w->c->opt.ring};
#pragma omp for schedule(dynamic, 1)
        for (size_t i = first; i < last; i++) {
            clearance_search s = clearance_thread(w, &w->begin, &ring);
            clearance_find(&s, w->list->a[i], w->list->b[i]);
            clearance_put(w, i, &s);
            sum += s.compared;
        }
        without += ring.err != IMP_OK;
        ring_search_free(&ring);
    }
    w->compared += sum;
    w->without += without;
}

/* Descends from the nodes of the front, and writes the nearest primitives, or NO_NUMBER, over
 * these. All descents begin with the same bound, wherever other threads are. */
static void clearance_search_front(clearance_all *w, const clearance_search *from, size_t count)
{
    uint64_t sum = 0;
    int without = 0;
#pragma omp parallel num_threads(w->c->threads) reduction(+ : sum, without)
    EACH_IN_FLOAT_ENV
    {
        ring_search ring = {.of = w->mesh, .mem = w->c->mem, .ring = w->c->opt.ring};
#pragma omp for schedule(dynamic, 1)
        for (size_t i = 0; i < count; i++) {
            clearance_search s = clearance_thread(w, from, &ring);
            clearance_descend(&s, w->front[i]);
            const int found = s.best.any && (!from->best.any || s.best.a != from->best.a ||
                                             s.best.b != from->best.b);
            w->front[i].e = found ? s.best.a : NO_NUMBER;
            w->front[i].f = s.best.b;
            sum += s.compared;
        }
        without += ring.err != IMP_OK;
        ring_search_free(&ring);
    }
    w->compared += sum;
    w->without += without;
}

/* A pair of large trees, by all threads. */
static void clearance_search_large(clearance_all *w, size_t i)
{
    ring_search ring = {.of = w->mesh, .mem = w->c->mem, .ring = w->c->opt.ring};
    clearance_search s = clearance_thread(w, &w->begin, &ring);
    const size_t count = clearance_widen(&s, w->list->a[i], w->list->b[i], w->front);
    clearance_search_front(w, &s, count);
    for (size_t k = 0; k < count; k++)
        if (w->front[k].e != NO_NUMBER)
            clearance_compare(&s, w->front[k].e, w->front[k].f);
    clearance_put(w, i, &s);
    w->compared += s.compared;
    w->without += ring.err != IMP_OK;
    ring_search_free(&ring);
}

/* Replaces each pair of trees by the nearest pair of their primitives. */
static int clearance_search_all(clearance_all *w)
{
    const context *c = w->c;
    const size_t count = w->list->count;
    for (size_t first = 0, last; first < count; first = last) {
        const int large = clearance_is_large(w, first);
        for (last = first + 1; last < count && !large && !clearance_is_large(w, last);)
            last++;
        if (large)
            clearance_search_large(w, first);
        else
            clearance_search_small(w, first, last);
    }
    if (w->without) /* the text belongs to another thread */
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    return atomic_load(c->cancel) ? imp_fail(IMP_ERR_CANCELLED, "cancelled") : IMP_OK;
}

typedef struct clearance_sorted {
    uint32_t a, b;
} clearance_sorted;

static int clearance_sorted_order(const void *p, const void *q)
{
    const clearance_sorted *x = p, *y = q;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

/* Moves the pairs with a < end to `out`, in order. */
static int clearance_move(mem *m, clearance_list *from, uint32_t end, clearance_list *out)
{
    int err = IMP_OK;
    clearance_sorted *both = NULL;
    size_t n = 0, left = 0;
    for (size_t i = 0; i < from->count; i++)
        n += from->a[i] < end;
    TRY(mem_alloc(m, n * sizeof *both, &both));
    n = 0;
    for (size_t i = 0; i < from->count; i++)
        if (from->a[i] < end) {
            both[n++] = (clearance_sorted){from->a[i], from->b[i]};
        } else {
            from->a[left] = from->a[i];
            from->b[left++] = from->b[i];
        }
    from->count = left;
    qsort(both, n, sizeof *both, clearance_sorted_order);
    for (size_t i = 0; i < n; i++)
        TRY(clearance_add(m, out, both[i].a, both[i].b));
out:
    mem_free(m, both);
    return err;
}

static int clearance_make(const context *c, const block_view *v, const bounds *o, uint32_t f,
                          clearance *s)
{
    int err = IMP_OK;
    float *box = NULL;
    TRY(mem_alloc(c->mem, sizeof *s->trees, &s->trees));
    *s->trees = (clearance_trees){.trees = 0};
    TRY(mem_alloc(c->mem, (size_t)BOX_BOUNDS * v->prims * sizeof *box, &box));
    TRY(buffer_read(c->dev64, &o->on64.box, 0, box, (size_t)BOX_BOUNDS * v->prims));
    TRY(clearance_trees_make(c, v, o, f, box, s->trees));
    TRY(mem_alloc(c->mem, sizeof *s->all, &s->all));
    *s->all = (clearance_all){.list = &s->found};
    TRY(clearance_order_trees(c, s->trees, s));
    if (s->ordered > 1)
        TRY(clearance_all_make(c, v, o, f, s->trees, s->all));
out:
    mem_free(c->mem, box);
    return err;
}

int clearance_begin(const context *c, const block_view *v, const bounds *o, uint32_t f,
                    ring_mesh *ring, clearance *out)
{
    int err = IMP_OK;
    *out = (clearance){.c = c};
    TRY(clearance_make(c, v, o, f, out));
    if (out->ordered > 1 && c->opt.ring)
        TRY(ring_mesh_make(c->mem, v->frame[f].mesh, ring));
    out->all->mesh = ring;
out:
    if (err)
        clearance_end(out);
    return err;
}

/* The lower prim of a later pair is not below the first one of the next tree. */
int clearance_next(clearance *s, clearance_list *out)
{
    int err = IMP_OK;
    const size_t pending = s->pending.count;
    mem *m = s->c->mem;
    out->count = 0;
    TRY(clearance_pairs(s, pending > CLEARANCE_PAIRS ? pending : CLEARANCE_PAIRS, &s->found));
    if (s->found.count)
        TRY(clearance_search_all(s->all));
    for (size_t i = 0; i < s->found.count; i++)
        if (s->found.a[i] != NO_NUMBER)
            TRY(clearance_add(m, &s->pending, s->found.a[i], s->found.b[i]));
    s->more = s->next < s->ordered;
    s->compared = s->all->compared;
    const clearance_trees *t = s->trees;
    TRY(clearance_move(m, &s->pending, s->more ? t->prim[t->start[s->order[s->next]]] : NO_NUMBER,
                       out));
out:
    return err;
}

void clearance_end(clearance *s)
{
    mem *m = s->c->mem;
    if (s->trees)
        clearance_trees_free(m, s->trees);
    if (s->all) {
        mem_free(m, s->all->stack);
        mem_free(m, s->all->front);
    }
    mem_free(m, s->trees);
    mem_free(m, s->all);
    mem_free(m, s->order);
    clearance_free(m, &s->found);
    clearance_free(m, &s->pending);
}
