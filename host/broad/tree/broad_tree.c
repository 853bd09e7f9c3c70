/* Broad phase by trees of bounding volumes on the host ([K] section 5, [S]; tree.h): one tree for
 * each object of a frame, and one over the objects' boxes, which finds the pairs of objects to
 * traverse. Bounds and vertices are read from the device. */
#include "broad_tree.h"

#include "mem.h"
#include "clock.h"
#include "error.h"
#include "bodies.h"
#include "float_env.h"
#include "prim.h"

#include <string.h>

/* ---- the device's arrays */

/* The first `bytes` of a buffer: the buffer itself if its memory is the host's, or a copy in
 * *copy. */
static int look_here(const context *c, device *d, const buffer *b, size_t bytes, void **copy,
                     const void **out)
{
    int err = IMP_OK;
    *out = b->data;
    if (*out || !bytes)
        return IMP_OK;
    TRY(mem_alloc(c->mem, bytes, copy));
    TRY(bytes_read(d, b, 0, *copy, bytes));
    *out = *copy;
out:
    return err;
}

/* Vertices relative to the centres of their frames, as volumes and their margins require (bv.h). */
static int copy_vertices(trees *s, const broad_input *in)
{
    int err = IMP_OK;
    const block_view *v = in->view;
    const void *from;
    const buffer_f64 *x = &in->bounds->x;
    const size_t bytes = BUFFER_BYTES(x, (size_t)3 * v->verts);
    TRY(look_here(in->c, in->c->dev64, &x->raw, bytes, &s->copy[COPY_X], &from));
    if (!s->x)
        TRY(mem_alloc(in->c->mem, bytes, &s->x));
    const double *scaled = from;
    for (uint32_t f = 0; f < v->frames; f++) {
        const double *centre = in->bounds->normalisation.centre + (size_t)3 * f;
#pragma omp parallel num_threads(in->c->threads)
        EACH_IN_FLOAT_ENV
#pragma omp for nowait
        for (int64_t vertex = v->vert0[f]; vertex < (int64_t)v->vert0[f + 1]; vertex++)
            for (int k = 0; k < 3; k++)
                s->x[3 * vertex + k] = scaled[3 * vertex + k] - centre[k];
    }
out:
    return err;
}

static void here_free(trees *s, mem *m)
{
    for (int i = 0; i < COPIES; i++) {
        mem_free(m, s->copy[i]);
        s->copy[i] = NULL;
    }
    mem_free(m, s->x);
    s->x = NULL;
}

/* k-DOPs are built from bounds alone. */
static int look_at_bounds(trees *s, const broad_input *in)
{
    int err = IMP_OK;
    const bounds *o = in->bounds;
    const context *c = in->c;
    const size_t n = in->view->prims;
    const void *box, *slab, *corner;
    TRY(look_here(c, c->dev, &o->broad.box.raw, BUFFER_BYTES(&o->broad.box, BOX_BOUNDS * n),
                  &s->copy[COPY_BOX], &box));
    TRY(look_here(c, c->dev, &o->broad.slab.raw, BUFFER_BYTES(&o->broad.slab, n * 2 * o->extra),
                  &s->copy[COPY_SLAB], &slab));
    TRY(look_here(c, c->dev64, &o->on64.corner.raw,
                  BUFFER_BYTES(&o->on64.corner, in->view->corners * n), &s->copy[COPY_CORNER],
                  &corner));
    if (c->opt.tree.volume != IMP_VOLUME_DOP)
        TRY(copy_vertices(s, in));
    s->from = (tree_source){box, slab, corner, in->view->corners, s->x};
out:
    return err;
}

/* ---- objects of frames */

/* The inverse of object_key (prim.h). */
static int32_t bvh_object_of_key(uint32_t key)
{
    return (int32_t)(key ^ 0x80000000u);
}

/* Lists the primitives of a frame that may have pairs, by object; returns their number. (*keys)[i]
 * is the key of prim[i]. Includes all primitives of rigid bodies, since their trees are reused. */
static uint32_t frame_prims(const broad_input *in, const float *box, int rigid, uint32_t f,
                            tree_key **keys, tree_key **other, uint32_t *prim)
{
    tree_key *key = *keys;
    const block_view *v = in->view;
    const imp_mesh *mesh = v->frame[f].mesh;
    const int posed = trees_posed(v);
    uint32_t n = 0, first = v->prim0[f];
    int sorted = 1, is_rigid = 0;
    for (uint32_t i = first; i < v->prim0[f + 1]; i++) {
        const int32_t object = mesh->object ? mesh->object[i - first] : 0;
        if (posed && (i == first || (mesh->object && object != mesh->object[i - first - 1])))
            is_rigid = body_number(mesh->body, mesh->bodies, object) != NO_BODY;
        if (is_rigid != rigid || (!rigid && !box_enters(box + (size_t)BOX_BOUNDS * i)))
            continue;
        key[n] = (tree_key){object_key(object), i};
        sorted &= !n || key[n - 1].key <= key[n].key;
        n++;
    }
    if (!sorted)
        tree_sort(keys, other, n);
    for (uint32_t i = 0; i < n; i++)
        prim[i] = (*keys)[i].from;
    return n;
}

/* Appends a tree whose primitives begin at `first`. */
static int tree_add(tree_set *s, mem *m, uint32_t *room, uint32_t count, int32_t object,
                    uint32_t first)
{
    int err = IMP_OK;
    if (count + 1 >= *room) {
        uint64_t more = *room + (uint64_t)*room / 2 + 64;
        TRY(mem_grow(m, count * sizeof *s->start, more * sizeof *s->start, &s->start));
        TRY(mem_grow(m, count * sizeof *s->object, more * sizeof *s->object, &s->object));
        *room = (uint32_t)more;
    }
    s->start[count] = first;
    s->object[count] = object;
out:
    return err;
}

int trees_find(const broad_input *in, const float *box, int rigid, tree_set *out,
               uint32_t *start_above)
{
    int err = IMP_OK;
    mem *m = in->c->mem;
    const block_view *v = in->view;
    tree_key *key = NULL, *other = NULL;
    uint32_t at = 0, count = 0, room = 0;
    TRY(mem_alloc(m, v->prims * sizeof *key, &key));
    TRY(mem_alloc(m, v->prims * sizeof *other, &other));
    TRY(mem_alloc(m, v->prims * sizeof *out->prim, &out->prim));
    for (uint32_t f = 0; f < v->frames; f++) {
        uint32_t n = frame_prims(in, box, rigid, f, &key, &other, out->prim + at);
        start_above[f] = count;
        for (uint32_t i = 0; i < n; i++)
            if (!i || key[i].key != key[i - 1].key) /* keys are sorted */
                TRY(tree_add(out, m, &room, count++, bvh_object_of_key(key[i].key), at + i));
        at += n;
    }
    TRY(tree_add(out, m, &room, count, 0, at));
    start_above[v->frames] = count;
    out->tree.trees = count;
out:
    mem_free(m, key);
    mem_free(m, other);
    return err;
}

void tree_set_free(mem *m, tree_set *s)
{
    tree_free(m, &s->tree);
    mem_free(m, s->start);
    mem_free(m, s->prim);
    mem_free(m, s->object);
    *s = (tree_set){0};
}

int tree_set_make(const broad_input *in, const tree_source *from, tree_set *set)
{
    int err = IMP_OK;
    tree_def def = in->c->opt.tree;
    def.extra = in->bounds->extra;
    def.threads = in->c->threads;
    def.cancel = in->c->cancel;
    TRY(tree_make(in->c->mem, &def, from, set->tree.trees, set->start, set->prim, &set->tree));
    if (in->profile)
        in->profile->tree_nodes += set->tree.nodes;
    /* Trees of several frames belong to different times, so no later block can reuse them. */
    set->ready = in->view->frames == 1;
    set->made = 1;
out:
    return err;
}

/* ---- deformable objects */

/* Trees of k-DOPs are refitted to the next frame until they are much looser than when they were
 * built. `./dev bench --refit` shows that lower limits replace good trees: where a flat cloth
 * folds, trees that are never rebuilt are fastest, by 10 %; where a folded one moves on, they are 3
 * to 4 % slower than with a limit of 1.25. This limit is the lowest that replaces none in either
 * case; motions that mix all primitives need a limit. Candidates of other volumes depend on the
 * build, and results may only depend on the frame: those trees are built for each frame. */
#define LOOSE 3.0 /* tree_weight, relative to the first */

/* Returns whether both sets have the same primitives. Bad primitives are in no tree, so the lists
 * may differ between frames of one mesh. */
static int same_prims(const tree_set *a, const tree_set *b)
{
    const uint32_t n = a->tree.trees;
    return n == b->tree.trees && !memcmp(a->start, b->start, (n + (size_t)1) * sizeof *a->start) &&
           !memcmp(a->object, b->object, n * sizeof *a->object) &&
           !memcmp(a->prim, b->prim, a->start[n] * sizeof *a->prim);
}

/* *done: the old trees were refitted to this frame and are good enough. */
static int soft_again(trees *s, const broad_input *in, const tree_set *now, int *done)
{
    int err = IMP_OK;
    *done = 0;
    if (!s->soft.ready || !trees_follow(s, in) || s->soft.tree.def.volume != IMP_VOLUME_DOP ||
        !same_prims(&s->soft, now))
        return IMP_OK;
    /* Cleared until the refit is done: after an error, volumes of two frames may be mixed. */
    s->soft.ready = 0;
    TRY(tree_refit(in->c->mem, &s->from, &s->soft.tree));
    const double loose = in->c->opt.tree.loose > 0 ? in->c->opt.tree.loose : LOOSE;
    s->soft.made = 1;
    *done = s->soft.ready = tree_weight(&s->soft.tree) <= loose * s->weight;
out:
    return err;
}

static int make_soft(trees *s, const broad_input *in)
{
    int err = IMP_OK, done = 0;
    mem *m = in->c->mem;
    tree_set now = {0};
    if (s->rigid.tree.items && s->rigid.tree.items == in->view->prims) {
        tree_set_free(m, &s->soft); /* the only object */
        s->start_above[0] = 0;
        return IMP_OK;
    }
    TRY(trees_find(in, s->from.box, 0, &now, s->start_above));
    TRY(soft_again(s, in, &now, &done));
    if (done)
        goto out;
    tree_set_free(m, &s->soft);
    s->soft = now;
    now = (tree_set){0};
    TRY(tree_set_make(in, &s->from, &s->soft));
    s->weight = s->soft.tree.dop ? tree_weight(&s->soft.tree) : 0;
out:
    tree_set_free(m, &now);
    return err;
}

/* ---- the tree over the objects */

/* The box of each object's primitives, or a larger one. */
static int bvh_find_roots(trees *s, const broad_input *in)
{
    int err = IMP_OK;
    const uint32_t n = trees_objects(s);
    mem_free(in->c->mem, s->root);
    s->root = NULL;
    TRY(mem_alloc(in->c->mem, (size_t)6 * n * sizeof *s->root, &s->root));
#pragma omp parallel num_threads(in->c->threads)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(guided) nowait
    for (int64_t i = 0; i < (int64_t)n; i++) {
        uint32_t number;
        const tree_set *of = trees_set(s, (uint32_t)i, &number);
        const bv_pose *place = of == &s->rigid ? s->bodies.place + number : NULL;
        tree_root_box(&of->tree, number, place, s->root + 6 * i);
    }
out:
    return err;
}

/* The tree over the objects of each frame, which are its primitives. */
static int make_above(trees *s, const broad_input *in)
{
    int err = IMP_OK;
    const context *c = in->c;
    const uint32_t frames = in->view->frames, n = trees_objects(s);
    uint32_t *number = NULL;
    /* k-DOPs of three axes, since only boxes are known of objects */
    const tree_def def = {.volume = IMP_VOLUME_DOP,
                          .build = IMP_BUILD_TOP_DOWN,
                          .descent = IMP_DESCENT_SIMULTANEOUS,
                          .degree = 2,
                          .leaf = 4,
                          .threads = c->threads};
    const tree_source from = {.box = s->root};
    tree_free(c->mem, &s->above);
    /* rigid objects only exist in blocks of one frame, after the others */
    s->start_above[frames] = n;
    TRY(mem_alloc(c->mem, n * sizeof *number, &number));
    for (uint32_t i = 0; i < n; i++)
        number[i] = i;
    TRY(tree_make(c->mem, &def, &from, frames, s->start_above, number, &s->above));
out:
    mem_free(c->mem, number);
    return err;
}

static void report_build(const trees *s, double seconds, imp_profile *to)
{
    const uint32_t soft = s->soft.tree.levels, rigid = s->rigid.tree.levels;
    const uint32_t levels = soft > rigid ? soft : rigid, height = levels - (levels > 0);
    const uint64_t bytes = tree_bytes(&s->soft.tree) + tree_bytes(&s->rigid.tree);
    to->tree_build += seconds;
    to->tree_bytes = bytes > to->tree_bytes ? bytes : to->tree_bytes;
    to->tree_height = height > to->tree_height ? height : to->tree_height;
}

void trees_report(trees *s, imp_profile *to)
{
    if (!to)
        return;
    to->volume_tests += s->counts.volume_tests;
    to->obb_tests += s->counts.obb_tests;
    to->axes += s->counts.axes;
    to->leaf_pairs += s->counts.leaf_pairs;
    s->counts = (tree_counts){0};
}

/* Rigid bodies first: make_soft depends on whether they are the whole frame. */
static int tree_build_all(void *state, const broad_input *in)
{
    int err = IMP_OK;
    trees *s = state;
    mem *m = in->c->mem;
    const double start = clock_seconds();
    s->soft.made = s->rigid.made = 0;
    here_free(s, m);
    mem_free(m, s->start_above);
    s->start_above = NULL;
    TRY(mem_alloc(m, (in->view->frames + (size_t)1) * sizeof *s->start_above, &s->start_above));
    TRY(look_at_bounds(s, in));
    TRY(trees_bodies(s, in));
    TRY(make_soft(s, in));
    TRY(bvh_find_roots(s, in));
    TRY(make_above(s, in));
    if (in->profile)
        report_build(s, clock_seconds() - start, in->profile);
out:
    /* After an error the trees may belong to different frames, so none is reused. */
    s->mesh = err ? 0 : in->view->mesh;
    return err;
}

static void tree_free_all(void *state, const context *c)
{
    trees *s = state;
    tree_set_free(c->mem, &s->soft);
    trees_bodies_free(s, c->mem);
    tree_free(c->mem, &s->above);
    tree_front_free(c->mem, &s->front);
    mem_free(c->mem, s->start_above);
    mem_free(c->mem, s->root);
    mem_free(c->mem, s->duos.duo);
    mem_free(c->mem, s->duos.pose);
    here_free(s, c->mem);
    *s = (trees){0};
}

static int tree_wrote(void *state, const broad_input *in, imp_frame_info *info)
{
    const trees *s = state;
    const uint32_t *first = s->soft.start, *of = s->start_above;
    if (s->soft.made)
        for (uint32_t f = 0; f < in->view->frames; f++) {
            uint32_t end = of[f + 1] < s->soft.tree.trees ? of[f + 1] : s->soft.tree.trees;
            info[f].entries_written += first[end] - first[of[f]];
        }
    if (s->rigid.made) /* in blocks of one frame */
        info->entries_written += s->rigid.start[s->rigid.tree.trees];
    return IMP_OK;
}

static const broad_posing tree_posing = {BUDGET_BLOCK_TREES};

const broad_method broad_tree = {.name = "tree",
                                 .size = sizeof(trees),
                                 .build = tree_build_all,
                                 .begin = trees_begin,
                                 .next = trees_next,
                                 .done = trees_done,
                                 .free = tree_free_all,
                                 .wrote = tree_wrote,
                                 .posing = &tree_posing};
