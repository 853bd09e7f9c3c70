/* See broad_tree.h. The descents begin at a front of pairs of nodes, which threads share: the pairs
 * of each are put in the order of the front, so pairs come in one order whatever the number of
 * threads. */
#include "broad_tree.h"

#include "error.h"
#include "float_env.h"
#include "prim.h"

#include <omp.h>
#include <string.h>

#define FRONT_PRIMS 256 /* primitives for each pair of the front, about */
#define FRONT_MOST 16384
#define APART 128 /* bytes of a cache line */
#define WAVE 512  /* pairs of the front in the first wave */

/* ---- the front */

/* Pairs of objects with overlapping boxes, for the front. */
typedef struct bvh_pair_writer {
    trees *s;
    const broad_input *in;
    int err;
} bvh_pair_writer;

/* From the coordinates of f to those of e; NULL: a soft object's, which are the frame's. Both
 * slacks add up: points of either side may be off. */
static bv_pose bvh_pairs_relative_pose(const bv_pose *e, const bv_pose *f)
{
    const bv_pose here = bv_pose_still(0), *to = e ? e : &here, *from = f ? f : &here;
    bv_pose out = {.slack = to->slack + from->slack};
    double shift[3];
    for (int k = 0; k < 3; k++)
        shift[k] = from->t[k] - to->t[k];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            out.t[i] += to->r[j][i] * shift[j];
            for (int k = 0; k < 3; k++)
                out.r[i][j] += to->r[k][i] * from->r[k][j];
        }
    return out;
}

/* capacity is 0 while one array may have grown without the other. */
static int add_duo(bvh_pair_writer *w, const tree *e, const tree *f, const bv_pose *pose,
                   uint32_t *out)
{
    int err = IMP_OK;
    tree_duos *d = &w->s->duos;
    mem *m = w->in->c->mem;
    if (d->count == d->capacity) {
        const size_t capacity = d->capacity + d->capacity / 2 + 16;
        d->capacity = 0;
        TRY(mem_grow(m, d->count * sizeof *d->duo, capacity * sizeof *d->duo, &d->duo));
        TRY(mem_grow(m, d->count * sizeof *d->pose, capacity * sizeof *d->pose, &d->pose));
        d->capacity = (uint32_t)capacity;
        for (uint32_t i = 0; i < d->count; i++) /* poses have another address now */
            d->duo[i].pose = d->duo[i].pose ? d->pose + i : NULL;
    }
    *out = d->count++;
    d->duo[*out] = (tree_duo){e, f, pose ? d->pose + *out : NULL};
    if (pose)
        d->pose[*out] = *pose;
out:
    return err;
}

/* Number 0 is of soft objects, 1 of rigid ones that are not posed. */
enum { DUO_SOFT, DUO_RIGID };

/* The duo of two objects of these sets, and the first nodes of the descent. */
static int start_of(bvh_pair_writer *w, uint32_t e, uint32_t f, tree_start *out)
{
    trees *s = w->s;
    const bv_pose *place = s->bodies.place;
    uint32_t i, j;
    const tree_set *of_e = trees_set(s, e, &i), *of_f = trees_set(s, f, &j);
    const int soft_e = of_e == &s->soft, soft_f = of_f == &s->soft;
    out->at = (tree_pair){i, j};
    out->duo = soft_e && soft_f ? DUO_SOFT : DUO_RIGID;
    if ((soft_e && soft_f) || (!place && of_e == of_f))
        return IMP_OK;
    if (!place)
        return add_duo(w, &of_e->tree, &of_f->tree, NULL, &out->duo);
    /* within a body, too: points of both sides may be off by the slack of its pose */
    const bv_pose pose =
        e == f ? bv_pose_still(2 * place[i].slack)
               : bvh_pairs_relative_pose(soft_e ? NULL : place + i, soft_f ? NULL : place + j);
    return add_duo(w, &of_e->tree, &of_f->tree, &pose, &out->duo);
}

static uint32_t prims_of(const tree_set *s, uint32_t i)
{
    return s->start[i + 1] - s->start[i];
}

/* E is the object with more primitives, so that candidates do not depend on the order of a and b.
 */
static void bvh_pairs_traverse(void *user, uint32_t a, uint32_t b)
{
    bvh_pair_writer *w = user;
    trees *s = w->s;
    const options *opt = &w->in->c->opt;
    uint32_t i, j;
    const tree_set *of_a = trees_set(s, a, &i), *of_b = trees_set(s, b, &j);
    const uint32_t more_a = prims_of(of_a, i), more_b = prims_of(of_b, j);
    const int swap = more_b > more_a || (more_b == more_a && b < a);
    tree_start start;
    /* Cheap tests first; boxes of a rigid tree's primitives are made only where its root meets
     * another one. */
    if (w->err ||
        !objects_meet(opt->rules, opt->list, opt->listed, of_a->object[i], of_b->object[j]))
        return;
    w->err = start_of(w, swap ? b : a, swap ? a : b, &start);
    if (w->err || (a != b && !tree_overlap(s->duos.duo + start.duo, start.at, &s->counts)))
        return;
    if (of_a == &s->rigid)
        trees_update_bounds(s, i);
    if (of_b == &s->rigid)
        trees_update_bounds(s, j);
    w->err = tree_front_add(w->in->c->mem, &s->front, start);
}

static int begin_front(trees *s, const broad_input *in)
{
    int err = IMP_OK;
    mem *m = in->c->mem;
    bvh_pair_writer w = {s, in, IMP_OK};
    const tree_duo above = {&s->above, &s->above, NULL};
    tree_stack_entry *stack = NULL;
    uint32_t number;
    TRY(mem_alloc(m, tree_stack_size(&s->above, &s->above) * sizeof *stack, &stack));
    s->front.count = 0;
    s->duos.count = 0;
    /* These two get the numbers DUO_SOFT and DUO_RIGID. */
    TRY(add_duo(&w, &s->soft.tree, &s->soft.tree, NULL, &number));
    TRY(add_duo(&w, &s->rigid.tree, &s->rigid.tree, NULL, &number));
    for (uint32_t f = 0; f < in->view->frames; f++) {
        for (uint32_t i = s->start_above[f]; i < s->start_above[f + 1]; i++)
            bvh_pairs_traverse(&w, i, i);
        tree_traverse(&above, (tree_pair){f, f}, stack, bvh_pairs_traverse, &w, &s->counts);
    }
    TRY(w.err);
    size_t enough = (s->soft.tree.items + s->rigid.tree.items) / FRONT_PRIMS;
    enough = enough < FRONT_MOST ? enough : FRONT_MOST;
    TRY(tree_front_widen(m, s->duos.duo, &s->front, enough, &s->counts));
out:
    mem_free(m, stack);
    return err;
}

int trees_begin(void *state, const broad_input *in, broad_range range, imp_frame_info *info)
{
    trees *s = state;
    (void)info;
    s->range = range;
    s->at = 0;
    s->each = 0;
    const int err = begin_front(s, in);
    trees_report(s, in->profile);
    return err;
}

/* ---- pairs */

/* The pairs that threads of a wave find. */
typedef struct found {
    uint32_t (*pair)[2];
    size_t count, capacity;
} found;

/* A pair of the front after its descent: the thread that has its pairs, and the first of these. */
typedef struct done {
    int thread;
    size_t first, count;
} done;

/* A thread of a wave. */
typedef struct bvh_descent {
    const trees *s;
    const broad_input *in;
    found out;
    tree_stack_entry *stack;
    tree_counts counts;
    uint32_t rules;
    int err;
    char apart[APART]; /* separates it from the next one in a cache */
} bvh_descent;

/* The filters of candidates: range and neighbours. Objects were filtered when the front was made.
 */
static void bvh_pairs_add(void *user, uint32_t a, uint32_t b)
{
    bvh_descent *d = user;
    const trees *s = d->s;
    uint32_t low = a < b ? a : b;
    if (d->err || low < s->range.first || low >= s->range.last ||
        !neighbours_allowed(d->rules, s->from.corner, a, b))
        return;
    if (d->out.count == d->out.capacity) {
        size_t more = d->out.capacity + d->out.capacity / 2 + 1024;
        d->err = mem_grow(d->in->c->mem, d->out.count * sizeof *d->out.pair,
                          more * sizeof *d->out.pair, &d->out.pair);
        if (d->err)
            return;
        d->out.capacity = more;
    }
    d->out.pair[d->out.count][0] = low;
    d->out.pair[d->out.count++][1] = a < b ? b : a;
}

/* Descends from `n` pairs of the front, shared by all threads; *total: the number of pairs found.
 * Errors of threads are collected and reported here, since no error may leave a parallel loop. */
static int bvh_pairs_descend(trees *s, const broad_input *in, size_t n, bvh_descent *d, done *of,
                             uint64_t *total)
{
    int err = IMP_OK, threads = in->c->threads;
    uint64_t sum = 0;
    const tree *soft = &s->soft.tree, *rigid = &s->rigid.tree;
    const tree *high = soft->levels > rigid->levels ? soft : rigid;
    for (int i = 0; i < threads; i++) {
        d[i] = (bvh_descent){s, in, .rules = broad_rules(in)};
        TRY(mem_alloc(in->c->mem, tree_stack_size(high, high) * sizeof *d->stack, &d[i].stack));
    }
#pragma omp parallel num_threads(threads)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(dynamic, 4) reduction(+ : sum) nowait
    for (int64_t i = 0; i < (int64_t)n; i++) {
        int k = omp_get_thread_num();
        size_t first = d[k].out.count;
        const tree_start *from = s->front.start + s->at + (size_t)i;
        if (!device_cancelled(in->c->dev))
            tree_traverse(s->duos.duo + from->duo, from->at, d[k].stack, bvh_pairs_add, &d[k],
                          &d[k].counts);
        of[i] = (done){k, first, d[k].out.count - first};
        sum += of[i].count;
    }
    if (device_cancelled(in->c->dev))
        FAIL(IMP_ERR_CANCELLED, "cancelled");
    for (int i = 0; i < threads; i++) {
        TRY(d[i].err);
        tree_counts_add(&s->counts, &d[i].counts);
    }
    *total = sum;
out:
    return err;
}

/* The pairs in the order of the front, to the device. */
static int bvh_pairs_merge(const broad_input *in, size_t n, const bvh_descent *d, const done *of,
                           uint64_t total, imp_frame_info *info, pairs *out)
{
    int err = IMP_OK;
    const block_view *v = in->view;
    uint32_t *low = NULL, *high;
    size_t at = 0;
    TRY(pairs_fit(in->c->dev, out, total));
    TRY(mem_alloc(in->c->mem, 2 * total * sizeof *low, &low));
    high = low + total;
    for (size_t i = 0; i < n; i++) {
        uint32_t(*pair)[2] = d[of[i].thread].out.pair + of[i].first;
        if (of[i].count)
            info[frame_of(v->prim0, v->frames, pair[0][0])].candidates += of[i].count;
        for (size_t k = 0; k < of[i].count; k++, at++) {
            low[at] = pair[k][0];
            high[at] = pair[k][1];
        }
    }
    TRY(buffer_write(in->c->dev, &out->a, 0, low, total));
    TRY(buffer_write(in->c->dev, &out->b, 0, high, total));
out:
    mem_free(in->c->mem, low);
    return err;
}

int trees_next(void *state, const broad_input *in, uint64_t most, imp_frame_info *info,
               candidates *out)
{
    int err = IMP_OK;
    trees *s = state;
    mem *m = in->c->mem;
    size_t left = s->front.count - s->at, n = most < WAVE ? (size_t)most / 32 + 1 : WAVE;
    uint64_t total = 0;
    bvh_descent *d = NULL;
    done *of = NULL;
    /* After the first wave by the pairs that it found; one more keeps it from a division by zero.
     */
    if (s->at) {
        double fit = (double)most / (s->each + 1) + 1;
        n = fit < (double)left ? (size_t)fit : left;
    }
    n = n < left ? n : left;
    TRY(mem_alloc(m, (size_t)in->c->threads * sizeof *d, &d));
    memset(d, 0, (size_t)in->c->threads * sizeof *d);
    TRY(mem_alloc(m, n * sizeof *of, &of));
    TRY(bvh_pairs_descend(s, in, n, d, of, &total));
    TRY(pairs_few(total));
    TRY(bvh_pairs_merge(in, n, d, of, total, info, &out->of));
    s->at += n;
    s->each = n ? (double)total / (double)n : 0;
out:
    trees_report(s, in->profile);
    for (int i = 0; d && i < in->c->threads; i++) {
        mem_free(m, d[i].out.pair);
        mem_free(m, d[i].stack);
    }
    mem_free(m, d);
    mem_free(m, of);
    return err;
}

int trees_done(const void *state)
{
    const trees *s = state;
    return s->at == s->front.count;
}
