/* See broad_tree.h. The descents begin at a front of pairs of nodes, which threads share. The pairs
 * of each front entry are put in the order of the front, so the order of pairs does not depend on
 * the number of threads. */
#include "bodies.h"
#include "broad_tree.h"
#include "error.h"
#include "float_env.h"
#include "prim.h"

#include <omp.h>
#include <string.h>

#define FRONT_PRIMS 256 /* approximate number of primitives per pair of the front */
#define FRONT_MOST 16384
#define APART 128 /* bytes of a cache line */
#define WAVE 512  /* pairs of the front in the first wave */

/* ---- the front */

/* Collects pairs of objects with overlapping boxes, for the front. */
typedef struct bvh_pair_writer {
    trees *s;
    const broad_input *in;
    int err;
} bvh_pair_writer;

/* Transform from the coordinates of f to those of e; NULL: a soft object's, which are the frame's.
 * Both slacks add up: points of either side may be off. */
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
        for (uint32_t i = 0; i < d->count; i++) /* poses were reallocated */
            d->duo[i].pose = d->duo[i].pose ? d->pose + i : NULL;
    }
    *out = d->count++;
    d->duo[*out] = (tree_duo){e, f, pose ? d->pose + *out : NULL};
    if (pose)
        d->pose[*out] = *pose;
out:
    return err;
}

/* Duo 0 is for soft objects, duo 1 for rigid ones without a pose. */
enum { DUO_SOFT, DUO_RIGID };

/* The duo of two objects of these sets, and the root nodes where the descent begins. */
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
    /* Cheap tests first; boxes of a rigid tree's primitives are made only if its root overlaps
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

/* The pairs found by the threads of a wave. */
typedef struct found {
    uint32_t (*pair)[2];
    size_t count, capacity;
} found;

/* A pair of the front after its descent: the thread that has its pairs, and the first of these. */
typedef struct done {
    int thread;
    size_t first, count;
} done;

/* State of one thread in a wave. */
typedef struct bvh_descent {
    const trees *s;
    const broad_input *in;
    found out;
    tree_stack_entry *stack;
    tree_counts counts;
    uint32_t rules;
    int err;
    char apart[APART]; /* padding to separate it from the next one's cache line */
} bvh_descent;

/* Filters candidates by range and neighbours. Objects were filtered when the front was made. */
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

/* Descends from `n` pairs of the front, shared by all threads; *total becomes the number of pairs
 * found. Errors of threads are collected and reported here, since no error may leave a parallel
 * loop. */
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

/* Writes the pairs to the device in the order of the front. */
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
    /* After the first wave, sized by the pairs that it found; the 1 avoids a division by zero. */
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

/* ---- Trees of rigid bodies with known poses (imp_pose; [S] section 2.1.2): built once, in the
 * bodies' own coordinates, and then only posed. Results do not depend on earlier frames: a body's
 * tree is the same for any frame that it was built for. */

static void bodies_drop(tree_bodies *b, mem *m)
{
    void *all[] = {b->off, b->x, b->middle, b->reach, b->body, b->tree, b->place, b->current};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mem_free(m, all[i]);
    bodies_free(m, &b->of);
    *b = (tree_bodies){0};
}

void trees_bodies_free(trees *s, mem *m)
{
    tree_set_free(m, &s->rigid);
    bodies_drop(&s->bodies, m);
}

/* ---- once: the bodies in their own coordinates */

/* The centre of each body's box in its own coordinates. */
static int find_middles(tree_bodies *b, mem *m, const imp_mesh *mesh, uint32_t count)
{
    int err = IMP_OK;
    double *box = NULL; /* [6 * count] low and high */
    TRY(mem_alloc(m, (size_t)6 * count * sizeof *box, &box));
    for (size_t i = 0; i < (size_t)6 * count; i++)
        box[i] = i % 6 < 3 ? INFINITY : -INFINITY;
    for (size_t i = 0; i < b->of.runs; i++) {
        const body_run *run = b->of.run + i;
        double *lo = box + (size_t)6 * b->tree[run->body], *hi = lo + 3;
        for (size_t v = run->first; v < run->last; v++)
            for (size_t a = 0; a < 3; a++) {
                const double x = mesh->rest[3 * v + a];
                lo[a] = x < lo[a] ? x : lo[a];
                hi[a] = x > hi[a] ? x : hi[a];
            }
    }
    for (size_t i = 0; i < count; i++)
        for (size_t a = 0; a < 3; a++)
            /* halved before the addition: the sum may overflow */
            b->middle[3 * i + a] = box[6 * i + a] / 2 + box[6 * i + 3 + a] / 2;
out:
    mem_free(m, box);
    return err;
}

/* The vertices of all bodies relative to their centres, in units of the frame. */
static void put_vertices(tree_bodies *b, const imp_mesh *mesh)
{
    for (size_t i = 0; i < b->of.runs; i++) {
        const body_run *run = b->of.run + i;
        const uint32_t number = b->tree[run->body];
        for (size_t v = run->first; v < run->last; v++)
            for (size_t a = 0; a < 3; a++) {
                double *x = b->x + 3 * v + a;
                *x = (mesh->rest[3 * v + a] - b->middle[(size_t)3 * number + a]) * b->scale[0] *
                     b->scale[1];
                b->reach[number] = fabs(*x) > b->reach[number] ? fabs(*x) : b->reach[number];
            }
    }
}

/* The boxes of all primitives of bodies, in the bodies' coordinates: used only for the shape of the
 * trees, so they need not be rounded outward. */
static void find_boxes(const trees *s, uint32_t corners, float *box)
{
    const tree_set *r = &s->rigid;
    for (uint32_t p = 0; p < r->start[r->tree.trees]; p++) {
        float *out = box + (size_t)6 * r->prim[p];
        bv_dop_none(out, 0);
        for (uint32_t k = 0; k < corners; k++) {
            const double *x =
                s->bodies.x + (size_t)3 * s->from.corner[(size_t)corners * r->prim[p] + k];
            const float at[6] = {(float)x[0], (float)x[1], (float)x[2],
                                 (float)x[0], (float)x[1], (float)x[2]};
            bv_dop_join(out, at, 0);
        }
    }
}

/* Freed by bodies_drop, also after an error. */
static int bodies_alloc(trees *s, mem *m, uint32_t verts)
{
    int err = IMP_OK;
    const uint32_t n = s->rigid.tree.trees;
    tree_bodies *b = &s->bodies;
    TRY(mem_alloc(m, b->of.runs * sizeof *b->off, &b->off));
    TRY(mem_alloc(m, (size_t)3 * verts * sizeof *b->x, &b->x));
    TRY(mem_alloc(m, (size_t)3 * n * sizeof *b->middle, &b->middle));
    TRY(mem_alloc(m, n * sizeof *b->reach, &b->reach));
    memset(b->reach, 0, n * sizeof *b->reach);
    TRY(mem_alloc(m, n * sizeof *b->body, &b->body));
    TRY(mem_alloc(m, b->of.count * sizeof *b->tree, &b->tree));
    TRY(mem_alloc(m, n * sizeof *b->place, &b->place));
    TRY(mem_alloc(m, n * sizeof *b->current, &b->current));
out:
    return err;
}

static int bodies_shape(trees *s, const broad_input *in, float **box)
{
    int err = IMP_OK;
    mem *m = in->c->mem;
    tree_bodies *b = &s->bodies;
    const imp_frame *f = in->view->frame;
    const imp_mesh *mesh = f->mesh;
    const uint32_t n = s->rigid.tree.trees;
    TRY(bodies_find(m, mesh, &(bodies_of){IMP_ERR_ARGUMENT, NULL, f->number}, &b->of));
    bodies_measure(&b->of);
    TRY(bodies_alloc(s, m, in->view->verts));
    TRY(mem_alloc(m, (size_t)6 * in->view->prims * sizeof **box, box));
    memcpy(b->scale, in->bounds->normalisation.scale, sizeof b->scale);
    memset(b->tree, 0, b->of.count * sizeof *b->tree);
    for (uint32_t i = 0; i < n; i++) {
        b->body[i] = body_number(mesh->body, mesh->bodies, s->rigid.object[i]);
        b->tree[b->body[i]] = i;
    }
    TRY(find_middles(b, m, mesh, n));
    put_vertices(b, mesh);
    find_boxes(s, in->view->corners, *box);
out:
    return err;
}

/* Boxes of bodies at rest, so that any frame gives the same trees. */
static int bodies_make(trees *s, const broad_input *in)
{
    int err = IMP_OK;
    mem *m = in->c->mem;
    tree_source from = s->from;
    float *box = NULL;
    uint32_t above[2];
    trees_bodies_free(s, m);
    TRY(trees_find(in, s->from.box, 1, &s->rigid, above));
    TRY(bodies_shape(s, in, &box));
    from.box = box;
    from.x = s->bodies.x;
    TRY(tree_set_make(in, &from, &s->rigid));
out:
    mem_free(m, box);
    return err;
}

/* ---- for each frame: poses */

/* Greatest distance of a run's vertices from their posed positions. A vertex that is not finite
 * belongs to bad primitives, which overlap nothing. */
static double bvh_bodies_point_error(const trees *s, const body_run *run)
{
    const bv_pose *p = s->bodies.place + s->bodies.tree[run->body];
    double most = 0;
    for (uint32_t v = run->first; v < run->last; v++) {
        const double *is = s->x + (size_t)3 * v;
        double at[3], off = 0;
        bv_point_posed(s->bodies.x + (size_t)3 * v, p, at);
        for (size_t k = 0; k < 3; k++)
            off += (is[k] - at[k]) * (is[k] - at[k]);
        most = off > most && isfinite(is[0]) && isfinite(is[1]) && isfinite(is[2]) ? off : most;
    }
    return sqrt(most);
}

/* Transform from the body's coordinates, with the origin at its centre, to the frame's. */
static bv_pose bvh_bodies_transform(const trees *s, const broad_input *in, uint32_t i)
{
    const double *scale = s->bodies.scale;
    const pose_map map = pose_map_of(in->view->frame->pose + s->bodies.body[i]);
    double at[3];
    bv_pose p;
    pose_put(&map, s->bodies.middle + (size_t)3 * i, at);
    memcpy(p.r, map.r, sizeof p.r);
    for (int k = 0; k < 3; k++)
        p.t[k] = at[k] * scale[0] * scale[1] - in->bounds->normalisation.centre[k];
    p.slack = BV_MARGIN;
    return p;
}

/* A body may have several runs in different threads, so its greatest distance is found after all
 * are measured. */
static void bodies_place(trees *s, const broad_input *in)
{
    tree_bodies *b = &s->bodies;
    for (uint32_t i = 0; i < s->rigid.tree.trees; i++)
        b->place[i] = bvh_bodies_transform(s, in, i);
#pragma omp parallel num_threads(in->c->threads)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(guided) nowait
    for (int64_t i = 0; i < (int64_t)b->of.runs; i++)
        b->off[i] = bvh_bodies_point_error(s, b->of.run + i);
    for (size_t i = 0; i < b->of.runs; i++) {
        double *slack = &b->place[b->tree[b->of.run[i].body]].slack;
        *slack = b->off[i] + BV_MARGIN > *slack ? b->off[i] + BV_MARGIN : *slack;
    }
    for (uint32_t i = 0; i < s->rigid.tree.trees; i++) /* margins are for BV_EXTENT */
        b->place[i].slack += 0x1p-40 * (b->reach[i] + fabs(b->place[i].t[0]) +
                                        fabs(b->place[i].t[1]) + fabs(b->place[i].t[2]));
}

/* ---- all steps */

/* k-DOPs are made from boxes of the frame and cannot be rotated: only the nodes of a body's tree
 * are kept. */
static int bodies_fit(trees *s, const broad_input *in)
{
    int err = IMP_OK;
    mem *m = in->c->mem;
    uint32_t above[2];
    if (s->rigid.ready && trees_follow(s, in)) {
        s->rigid.made = 1;
        return tree_refit(m, &s->from, &s->rigid.tree);
    }
    trees_bodies_free(s, m);
    TRY(trees_find(in, s->from.box, 1, &s->rigid, above));
    TRY(tree_set_make(in, &s->from, &s->rigid));
out:
    return err;
}

int trees_bodies(trees *s, const broad_input *in)
{
    int err = IMP_OK;
    if (!trees_posed(in->view)) {
        trees_bodies_free(s, in->c->mem);
        return IMP_OK;
    }
    if (in->c->opt.tree.volume == IMP_VOLUME_DOP)
        return bodies_fit(s, in);
    /* Trees are in the unit of a frame: a frame with another unit needs new ones. */
    if (!s->rigid.ready || !trees_follow(s, in) || !s->bodies.x ||
        s->bodies.scale[0] != in->bounds->normalisation.scale[0] ||
        s->bodies.scale[1] != in->bounds->normalisation.scale[1])
        TRY(bodies_make(s, in));
    bodies_place(s, in);
    memset(s->bodies.current, 0, s->rigid.tree.trees);
out:
    return err;
}

/* Called only when a tree overlaps another one: most bodies of a scene do not, and their leaves are
 * not compared. */
void trees_update_bounds(trees *s, uint32_t number)
{
    tree_set *r = &s->rigid;
    if (!s->bodies.current || s->bodies.current[number])
        return;
    tree_update_items(&s->from, r->start[number], r->start[number + 1], &r->tree);
    s->bodies.current[number] = 1;
}
