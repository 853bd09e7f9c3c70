/* The nearest primitives of each two objects: see truth.h. Of two objects all pairs of primitives
 * whose boxes are no farther apart than the nearest pair so far are compared, by exact distances.
 */
#include "error.h"
#include "float_env.h"
#include "frame.h"
#include "truth.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

typedef struct truth_item {
    int32_t object;
    truth_box box;
    double reach; /* greatest hi[0] of the object's items up to this one */
} truth_item;

/* The items of an object. */
typedef struct truth_object {
    int32_t object;
    int wanted;
    size_t first, last;
} truth_object;

/* The objects of a frame, and the pairs of them that have a row: positions in `object`. */
typedef struct truth_objects {
    const truth_case *of;
    truth_item *item; /* by object, then by lo[0] */
    truth_object *object;
    size_t items, objects, pairs;
    truth_row *row; /* [pairs] a, b: the objects, and then the primitives; a == b: no row */
    truth_ring ring;
} truth_objects;

/* ---- objects */

static int truth_objects_order(const void *p, const void *q)
{
    const truth_item *x = p, *y = q;
    if (x->object != y->object)
        return x->object < y->object ? -1 : 1;
    return truth_compare_boxes(&x->box, &y->box);
}

static int truth_objects_list(mem *m, truth_objects *s)
{
    int err = IMP_OK;
    const imp_mesh *mesh = s->of->f[0]->mesh;
    TRY(mem_alloc(m, mesh->primitives * sizeof *s->item, &s->item));
    TRY(mem_alloc(m, mesh->primitives * sizeof *s->object, &s->object));
    for (uint32_t i = 0; i < mesh->primitives; i++) {
        truth_item *t = &s->item[s->items];
        t->object = mesh->object ? mesh->object[i] : 0;
        s->items += (size_t)truth_prim_box(s->of, i, &t->box);
    }
    if (s->items)
        qsort(s->item, s->items, sizeof *s->item, truth_objects_order);
    for (size_t i = 0; i < s->items; i++) {
        truth_item *t = &s->item[i];
        const int next = !i || t->object != t[-1].object;
        if (next)
            s->object[s->objects++] = (truth_object){.object = t->object, .first = i};
        truth_object *o = &s->object[s->objects - 1];
        o->last = i + 1;
        o->wanted |= !s->of->wanted || s->of->wanted[t->box.id];
        t->reach = next ? t->box.hi[0] : fmax(t->box.hi[0], t[-1].reach);
    }
out:
    return err;
}

/* Counts the pairs of objects, then lists them. */
static void truth_objects_pairs(truth_objects *s)
{
    s->pairs = 0;
    for (uint32_t i = 0; i < s->objects; i++)
        for (uint32_t j = i + 1; j < s->objects; j++) {
            const truth_object *p = &s->object[i], *q = &s->object[j];
            if ((!p->wanted && !q->wanted) || !truth_objects_wanted(s->of, p->object, q->object))
                continue;
            if (s->row)
                s->row[s->pairs] = (truth_row){.a = i, .b = j};
            s->pairs++;
        }
}

/* ---- the nearest pair of two objects */

typedef struct truth_search {
    const truth_case *of;
    truth_ring_search *ring; /* NULL: def->ring is 0 */
    int any;                 /* the rest is set */
    uint32_t a, b;
    double most; /* not less than their distance */
    oracle_distance best, next;
} truth_search;

static int truth_objects_before(const truth_search *s, uint32_t a, uint32_t b)
{
    return a != s->a ? a < s->a : b < s->b;
}

/* Returns whether the boxes' gap along all axes together surely exceeds the distance. */
static int truth_objects_gap(const truth_box *p, const truth_box *q, double distance)
{
    double gap[3];
    for (int k = 0; k < 3; k++)
        gap[k] = fmax(0, fmax(p->lo[k] - q->hi[k], q->lo[k] - p->hi[k]));
    return hypot(hypot(gap[0], gap[1]), gap[2]) * (1 - 0x1p-48) > distance;
}

/* Makes a pair the nearest one if it is. */
static void truth_objects_try(truth_search *s, const truth_box *p, const truth_box *q)
{
    const uint32_t a = p->id < q->id ? p->id : q->id, b = p->id < q->id ? q->id : p->id;
    const solid_case c = truth_solids(s->of->f[0], a, b);
    const int before = s->any && truth_objects_before(s, a, b);
    if (truth_prims_share_vertex(s->of->f[0]->mesh, a, b) ||
        (s->any && !before && oracle_distance_is_zero(&s->best)) ||
        !oracle_distance_find(&c, s->any ? s->most : INFINITY, &s->next))
        return;
    const int order = s->any ? oracle_distance_compare(&s->next, &s->best) : -1;
    if (order > 0 || (!order && !before))
        return;
    if (s->ring && truth_ring_prims(s->ring, s->of->f[0]->mesh, a, b))
        return;
    const oracle_distance was = s->best;
    s->best = s->next;
    s->next = was;
    s->any = 1;
    s->a = a;
    s->b = b;
    s->most = oracle_distance_is_zero(&s->best)
                  ? 0
                  : nextafter(oracle_distance_rounded(&s->best), INFINITY);
}

/* The item of an object whose middle is nearest to that of `to`, of those that share no vertex with
 * it; NULL: none. A guess: any other one is right, too. */
static const truth_box *truth_objects_guess(const truth_search *s, const truth_item *item,
                                            const truth_object *of, const truth_box *to)
{
    const truth_box *best = NULL;
    double least = INFINITY;
    for (size_t i = of->first; i < of->last; i++) {
        const truth_box *p = &item[i].box;
        double d = 0;
        for (int k = 0; k < 3; k++)
            d = hypot(d, (0.5 * p->lo[k] + 0.5 * p->hi[k]) - (0.5 * to->lo[k] + 0.5 * to->hi[k]));
        if (d >= least || truth_prims_share_vertex(s->of->f[0]->mesh, p->id, to->id))
            continue;
        least = d;
        best = p;
    }
    return best;
}

#define GUESSES 8

/* Goes from one object to the other and back, nearer each time. */
static void truth_objects_begin(truth_search *s, const truth_item *item,
                                const truth_object *const of[2])
{
    const truth_box *at = &item[of[0]->first].box;
    for (int turn = 0; turn < GUESSES; turn++) {
        const truth_box *next = truth_objects_guess(s, item, of[!(turn & 1)], at);
        if (!next)
            return;
        truth_objects_try(s, at, next);
        at = next;
    }
}

/* The first item of an object that is not surely before lo by more than the distance, nor are those
 * after it. */
static size_t truth_objects_first(const truth_item *item, const truth_object *of, double lo,
                                  double distance)
{
    size_t first = of->first, last = of->last;
    while (first < last) {
        const size_t middle = first + (last - first) / 2;
        if (lo - item[middle].reach > distance)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

static void truth_objects_search(truth_search *s, const truth_item *item,
                                 const truth_object *const of[2])
{
    truth_objects_begin(s, item, of);
    for (size_t i = of[0]->first; i < of[0]->last; i++) {
        const truth_box *p = &item[i].box;
        size_t j = truth_objects_first(item, of[1], p->lo[0], s->any ? s->most : INFINITY);
        for (; j < of[1]->last; j++) {
            const truth_box *q = &item[j].box;
            if (s->any && q->lo[0] - p->hi[0] > s->most)
                break;
            if (!s->any || (!truth_boxes_apart(p, q, s->most) && !truth_objects_gap(p, q, s->most)))
                truth_objects_try(s, p, q);
        }
    }
}

/* ---- all pairs of objects */

/* Replaces the objects of a row by their nearest primitives. */
static void truth_objects_row(const truth_objects *t, oracle *o, truth_ring_search *ring,
                              truth_row *row)
{
    const truth_object *const of[2] = {&t->object[row->a], &t->object[row->b]};
    truth_search s = {.of = t->of, .ring = t->of->def->ring ? ring : NULL};
    oracle_distance_init(&s.best);
    oracle_distance_init(&s.next);
    truth_objects_search(&s, t->item, of);
    row->a = s.a;
    row->b = s.b;
    if (s.any)
        truth_nearest_row(t->of->f[0], o, row);
    oracle_distance_clear(&s.best);
    oracle_distance_clear(&s.next);
}

static int truth_objects_rows(truth_objects *t, int threads)
{
    int without = 0; /* threads without an oracle, or without memory */
    const int64_t n = (int64_t)t->pairs;
#pragma omp parallel num_threads(threads) reduction(+ : without)
    EACH_IN_FLOAT_ENV
    {
        oracle *o = oracle_open();
        truth_ring_search ring = {.of = &t->ring};
        const int bad = !o || (t->of->def->ring && truth_ring_search_open(&t->ring, &ring));
        without += bad;
#pragma omp for schedule(dynamic, 1)
        for (int64_t i = 0; i < n; i++)
            if (!bad)
                truth_objects_row(t, o, &ring, &t->row[i]);
        truth_ring_search_close(&ring);
        oracle_close(o);
    }
    return without ? imp_fail(IMP_ERR_MEMORY, "out of memory") : IMP_OK;
}

int truth_objects_find(mem *m, const truth_case *c, int threads, truth *out)
{
    int err = IMP_OK;
    truth_objects t = {.of = c};
    *out = (truth){0};
    TRY(truth_objects_list(m, &t));
    truth_objects_pairs(&t);
    TRY(mem_alloc(m, t.pairs * sizeof *t.row, &t.row));
    truth_objects_pairs(&t);
    if (c->def->ring)
        TRY(truth_ring_open(m, c->f[0]->mesh, c->def->ring, &t.ring));
    TRY(truth_objects_rows(&t, threads));
    for (size_t i = 0; i < t.pairs; i++)
        if (t.row[i].a != t.row[i].b)
            t.row[out->count++] = t.row[i];
    out->row = t.row;
    truth_sort_pairs(out);
    t.row = NULL;
out:
    truth_ring_close(&t.ring);
    mem_free(m, t.row);
    mem_free(m, t.item);
    mem_free(m, t.object);
    return err;
}
