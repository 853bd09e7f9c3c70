/* See cull.h. The host groups primitives into clusters; the device does the rest. */
#include "broad_rtree.h"
#include "cull.h"

#include "mem.h"
#include "error.h"
#include "prim.h"

#include <string.h>

#define CLUSTER 96         /* greatest number of primitives */
#define CLUSTER_MIXED 2048 /* the same, for consecutive primitives of two interleaved objects */
#define RUN_LEAST 8        /* on average: shorter runs cost as much as they may save */
#define CHUNK 1024         /* clusters */
#define PRIMS_FEW 16384    /* on a device with a driver, fewer are not worth the launches */
#define OBJECTS_MANY 3     /* any larger number */

/* The clusters of a block during their construction. */
typedef struct clusters {
    uint32_t *cluster0; /* [frames + 1] first cluster of each frame; one allocation with the next
                         * two */
    uint32_t *apart;    /* [frames] one object, or two that only need pairs with each other */
    uint32_t *mixed;    /* [frames] see mesh_objects */
    int32_t *object;    /* [clusters] */
} clusters;

static int mesh_again(const block_view *v, uint32_t f)
{
    return f > 0 && v->frame[f].mesh == v->frame[f - 1].mesh;
}

/* ---- runs of one object */

#define STRIDE 32

static int all_same(const int32_t *object, int32_t one)
{
    int other = 0;
    for (int i = 0; i < STRIDE; i++)
        other |= object[i] != one;
    return !other;
}

/* The end of the run that begins at i. object: [n], or NULL if all belong to one. */
static uint32_t run_end(const int32_t *object, uint32_t n, uint32_t i)
{
    if (!object)
        return n;
    int32_t one = object[i];
    while (n - i >= STRIDE && all_same(object + i, one))
        i += STRIDE;
    while (i < n && object[i] == one)
        i++;
    return i;
}

/* Statistics of a mesh's objects. */
typedef struct mesh_objects {
    uint32_t count;    /* number of objects, up to OBJECTS_MANY */
    uint32_t clusters; /* number of clusters that its runs give */
    int mixed;         /* objects alternate so often that runs are too short for clusters */
} mesh_objects;

static uint32_t cuts(uint32_t prims, uint32_t length)
{
    return (prims + length - 1) / length;
}

/* Returns whether any of n primitives belongs to an object other than these two. */
static int cull_has_others(const int32_t *object, uint32_t n, int32_t one, int32_t two)
{
    int other = 0;
    for (uint32_t i = 0; i < n; i++)
        other |= (object[i] != one) & (object[i] != two);
    return other;
}

static mesh_objects mesh_look(const imp_mesh *m)
{
    const int32_t *object = m->object;
    uint32_t n = m->primitives, runs = 0, most = n / RUN_LEAST + 1, i = 0, end;
    int32_t one = object && n ? object[0] : 0, two = one;
    mesh_objects o = {.count = n > 0};
    for (; i < n && !o.mixed; i = end) {
        end = run_end(object, n, i);
        o.clusters += cuts(end - i, CLUSTER);
        o.mixed = ++runs > most;
        if (!object || object[i] == one || object[i] == two)
            continue;
        two = object[i];
        o.count += o.count < OBJECTS_MANY;
    }
    if (object && o.count < OBJECTS_MANY && cull_has_others(object + i, n - i, one, two))
        o.count = OBJECTS_MANY;
    return o;
}

/* ---- clusters */

/* Cuts n primitives from `first` on into equal pieces: clusters of one object. */
static void cull_cut_run(uint32_t first, uint32_t n, uint32_t pieces, int32_t object, uint32_t *at,
                         clusters *l, chunks *out)
{
    for (uint64_t p = 0; p < pieces; p++, ++*at) {
        out->first[*at] = first + (uint32_t)(n * p / pieces);
        out->last[*at] = first + (uint32_t)(n * (p + 1) / pieces);
        l->object[*at] = object;
    }
}

/* The number of clusters of frames. If two objects are interleaved, each has all pieces; with more
 * objects, no cluster is made. */
static void clusters_count(const block_view *v, int between, normalisation *u, clusters *l)
{
    mesh_objects o = {0};
    uint32_t n = 0;
    l->cluster0[0] = 0;
    for (uint32_t f = 0; f < v->frames; f++) {
        if (!mesh_again(v, f)) {
            o = mesh_look(v->frame[f].mesh);
            n = o.mixed ? 2 * cuts(v->frame[f].mesh->primitives, CLUSTER_MIXED) : o.clusters;
        }
        u->bipartite[f] = between && o.count == 2;
        l->apart[f] = between && o.count < OBJECTS_MANY;
        l->mixed[f] = (uint32_t)o.mixed;
        l->cluster0[f + 1] = l->cluster0[f] + (o.mixed && !l->apart[f] ? 0 : n);
    }
}

/* Makes the clusters of frame f: its runs, cut into pieces of about equal length. */
static void frame_cut(const block_view *v, clusters *l, uint32_t f, chunks *out)
{
    const imp_mesh *m = v->frame[f].mesh;
    uint32_t n = m->primitives, first = v->prim0[f], at = l->cluster0[f], end;
    if (l->mixed[f] && at < l->cluster0[f + 1]) {
        end = run_end(m->object, n, 0);
        cull_cut_run(first, n, cuts(n, CLUSTER_MIXED), m->object[0], &at, l, out);
        cull_cut_run(first, n, cuts(n, CLUSTER_MIXED), m->object[end], &at, l, out);
    }
    for (uint32_t i = 0; i < n && !l->mixed[f]; i = end) {
        end = run_end(m->object, n, i);
        cull_cut_run(first + i, end - i, cuts(end - i, CLUSTER), m->object ? m->object[i] : 0, &at,
                     l, out);
    }
}

static void clusters_fill(const block_view *v, clusters *l, chunks *out)
{
    for (uint32_t f = 0; f < v->frames; f++) {
        uint32_t begin = l->cluster0[f], end = l->cluster0[f + 1], back = end - begin;
        int again = mesh_again(v, f);
        if (!again)
            frame_cut(v, l, f, out);
        for (uint32_t n = begin; n < end; n++)
            out->frame[n] = f;
        for (uint32_t n = begin; n < end && again; n++) {
            out->first[n] = out->first[n - back] + v->prim0[f] - v->prim0[f - 1];
            out->last[n] = out->last[n - back] + v->prim0[f] - v->prim0[f - 1];
            l->object[n] = l->object[n - back];
        }
    }
}

/* Makes the clusters of a block, on the host and on the device. */
static int clusters_make(const context *c, const block_view *v, culling *k, clusters *l)
{
    int err = IMP_OK;
    chunks *out = &k->cluster;
    uint32_t n = l->cluster0[v->frames];
    out->count = 0;
    mem_free(c->mem, out->first);
    TRY(mem_alloc(c->mem, (size_t)3 * n * sizeof *out->first, &out->first));
    TRY(mem_alloc(c->mem, n * sizeof *l->object, &l->object));
    out->last = out->first + n;
    out->frame = out->last + n;
    clusters_fill(v, l, out);
    TRY(buffer_put(c->dev, &out->first_buf, out->first, n));
    TRY(buffer_put(c->dev, &out->last_buf, out->last, n));
    TRY(buffer_put(c->dev, &out->frame_buf, out->frame, n));
    TRY(buffer_put(c->dev, &k->bounds.broad.object, l->object, n));
    out->count = n;
out:
    return err;
}

/* ---- the two phases */

/* The tree over the clusters' boxes, as for a block that has them as primitives. */
static int tree_build(const context *c, const block_view *v, culling *k, const clusters *l)
{
    int err = IMP_OK;
    context mine = *c;
    bounds *o = &k->bounds;
    prim_set *s = &o->broad;
    uint32_t frames = v->frames;
    const block_view all = {.frames = frames,
                            .prims = l->cluster0[frames],
                            .corners = IMP_TRIANGLES,
                            .prim0 = l->cluster0};
    const broad_input in = {.c = &mine, .view = &all, .bounds = o};
    mine.opt.rules = RULE_BETWEEN;
    /* clusters have no triangles, so none are copied */
    mine.opt.stage = IMP_STAGE_CANDIDATES;
    o->culled = 1;
    o->normalisation.bipartite = l->apart;
    TRY(chunks_make(c->mem, c->dev, &o->broad_prims, l->cluster0, frames, CHUNK));
    TRY(buffer_put(c->dev, &s->prim0, l->cluster0, frames + 1));
    TRY(buffer_put(c->dev, &k->apart, l->apart, frames));
    if (!k->tree) {
        TRY(mem_alloc(c->mem, sizeof *k->tree, &k->tree));
        *k->tree = (rtree){.as_given = 1}; /* cull_near expects that */
    }
    TRY(broad_rtree.build(k->tree, &in));
out:
    o->normalisation.bipartite = NULL;
    return err;
}

static int two_phases(const context *c, const block_view *v, culling *k, clusters *l, bounds *o)
{
    int err = IMP_OK;
    device *d = c->dev;
    chunks *n = &k->cluster;
    prim_set *s = &k->bounds.broad;
    TRY(buffer_fit(d, &s->box, (size_t)BOX_BOUNDS * n->count));
    TRY(RUN(d, cull_boxes, n->count, CHUNKS_OF(n), &s->object, &o->broad.object, &o->broad.box,
            &s->box));
    TRY(tree_build(c, v, k, l));
    TRY(buffer_fit(d, &k->near, (size_t)RTREE_NODE * n->count));
    TRY(buffer_fit(d, &k->count, n->count));
    TRY(RUN(d, cull_near, n->count, &n->frame_buf, &s->prim0, &k->apart, &s->box, &s->object,
            &o->broad.list, c->opt.listed, c->opt.rules, RTREE_OF(k->tree), &k->near, &k->count));
    TRY(RUN(d, cull_far, n->count, CHUNKS_OF(n), &s->object, &o->broad.object, &k->near, &k->count,
            &o->broad.box));
    o->culled = 1;
    TRY(device_finish(d));
out:
    return err;
}

int cull_objects(const context *c, const block_view *v, culling *k, bounds *o, int cached)
{
    int err = IMP_OK;
    clusters l = {0};
    size_t frames = v->frames;
    o->culled = 0;
    memset(o->normalisation.bipartite, 0, frames * sizeof *o->normalisation.bipartite);
    if (cached || !(c->opt.rules & (RULE_BETWEEN | RULE_LIST_ONLY | RULE_LIST_NOT)))
        return IMP_OK;
    /* object_clip.c has done it. */
    if (v->box) {
        o->normalisation.bipartite[0] = 1;
        return IMP_OK;
    }
    TRY(mem_alloc(c->mem, (3 * frames + 1) * sizeof *l.cluster0, &l.cluster0));
    l.apart = l.cluster0 + frames + 1;
    l.mixed = l.apart + frames;
    clusters_count(v, (c->opt.rules & RULE_BETWEEN) != 0, &o->normalisation, &l);
    if (c->dev->queued && v->prims < PRIMS_FEW)
        goto out;
    TRY(clusters_make(c, v, k, &l));
    if (k->cluster.count)
        TRY(two_phases(c, v, k, &l, o));
out:
    mem_free(c->mem, l.cluster0);
    mem_free(c->mem, l.object);
    /* culling is optional: if memory is short, the next stages need it */
    if (err == IMP_ERR_MEMORY || mem_left(c->mem) < (uint64_t)v->prims * BUDGET_BLOCK_PRIM)
        cull_free(c, k);
    return err == IMP_ERR_MEMORY ? IMP_OK : err;
}

void cull_free(const context *c, culling *k)
{
    prim_set *s = &k->bounds.broad;
    buffer *all[] = {&s->object.raw, &s->prim0.raw, &s->box.raw,
                     &k->apart.raw,  &k->count.raw, &k->near.raw};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        bytes_free(c->dev, all[i]);
    chunks_free(c->mem, c->dev, &k->cluster);
    chunks_free(c->mem, c->dev, &k->bounds.broad_prims);
    if (k->tree)
        broad_rtree.free(k->tree, c);
    mem_free(c->mem, k->tree);
    *k = (culling){0};
}
