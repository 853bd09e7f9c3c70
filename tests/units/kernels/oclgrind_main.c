/* Runs every device kernel (kernels.def) on the first OpenCL device, which oclgrind.sh makes
 * Oclgrind's, on scenes that are small enough for a simulator. Fails if a kernel was never
 * launched, or if the contacts are not those of the host. */
#include "columns.h"
#include "feature_tests.h"
#include "launch.h"
#include "made.h"
#include "prim.h"
#include "segments_check.h"
#include "solids_batch.h"
#include "solids_pack.h"
#include "ways.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PRIMS 12        /* triangles of a scene, about */
#define CROWD 264       /* more than RTREE_CROWD, and than a node of leaves holds */
#define INSIDE_BOXES 24 /* one closed object: more triangles than a node has boxes */
#define DENSE 48        /* triangles with more pairs than a strip holds */

/* ---- the device */

static uint64_t launches[KERNELS];
static const device_ops *base_ops;

static int run_counted(device *d, enum kernel kernel, uint64_t items, size_t group,
                       const void *args)
{
    launches[kernel] += items > 0;
    return base_ops->run(d, kernel, items, group, args);
}

/* The simulator keeps a shadow of each buffer, which records the written bytes. It has no shadow
 * for views of host memory; after a partial write it knows that part only; and a buffer at the
 * address of a freed one inherits its shadow. So here buffers are written as a whole and never
 * freed. */

static int wrap_copied(device *d, buffer *b, const void *data, size_t bytes)
{
    return bytes_put(d, b, data, bytes);
}

static void free_never(device *d, buffer *b)
{
    mem_release(d->mem, b->capacity);
}

static int write_whole(device *d, buffer *b, size_t offset, const source *list, size_t n)
{
    unsigned char *all = malloc(b->capacity);
    int err = all ? base_ops->read(d, &(readout){b, 0, b->capacity, all}, 1) : IMP_ERR_MEMORY;
    if (!err) {
        sources_copy(list, n, all + offset, 1);
        err = base_ops->write(d, b, 0, &(source){all, b->capacity}, 1);
    }
    free(all);
    return err;
}

static int copy_whole(device *d, const buffer *from, size_t from_offset, buffer *to,
                      size_t to_offset, size_t bytes)
{
    unsigned char *part = malloc(bytes);
    int err =
        part ? base_ops->read(d, &(readout){from, from_offset, bytes, part}, 1) : IMP_ERR_MEMORY;
    if (!err)
        err = write_whole(d, to, to_offset, &(source){part, bytes}, 1);
    free(part);
    return err;
}

/* A pipeline on the simulator. imp_create would run the self-test, which takes minutes there. */
static imp *simulated(void)
{
    static device_ops ops;
    imp *p;
    if (imp_create(&(imp_def){.device = "cpu", .threads = 1}, &p))
        return NULL;
    engine_close(p);
    p->mem.caches = 0; /* no spare capacity, so that an access beyond is detected */
    const device_def def = {.name = "1", .mem = &p->mem, .cancel = &p->cancel, .as_gpu = 4};
    if (device_open(&def, &p->context.dev)) {
        imp_destroy(p);
        return NULL;
    }
    p->context.dev64 = p->context.dev;
    p->context.dev->queued = 0; /* so that little work is worth a launch, too */
    base_ops = p->context.dev->ops;
    ops = *base_ops;
    ops.run = run_counted;
    ops.wrap = wrap_copied;
    ops.free = free_never;
    ops.write = write_whole;
    ops.copy = copy_whole;
    p->context.dev->ops = &ops;
    return p;
}

/* ---- scenes */

/* All pairs are candidates. */
static void oclgrind_dense(made *m)
{
    rng r = {3};
    *m = (made){.name = "dense"};
    made_part *p = made_add(m, DENSE);
    for (uint32_t i = 0; i < DENSE; i++)
        made_triangle(p, i, (const double[3]){0, 0, 0}, 1 + rng_unit(&r), &r);
}

/* Triangles on few vertices with short coordinates: they share vertices and edges, cross, lie in
 * one plane, have no area. */
static void oclgrind_knot(made *m)
{
    rng r = {7};
    *m = (made){.name = "knot"};
    made_part *p = made_mesh(m, PRIMS, PRIMS);
    for (int i = 0; i < 3 * PRIMS; i++) {
        p->point[i] = rng_below(&r, 8) * 0.25 - 1;
        p->triangle[i] = rng_below(&r, PRIMS);
    }
}

/* Most triangles lie in one cell of the Hilbert curve (rtree.cl). */
static void oclgrind_crowd(made *m)
{
    rng r = {5};
    *m = (made){.name = "crowd"};
    made_part *p = made_add(m, CROWD);
    for (uint32_t i = 0; i < CROWD; i++)
        made_triangle(p, i, (const double[3]){0.1 + i * 1e-5, 0.07, 0.03}, i ? 2e-5 : 1, &r);
}

/* Triangles of two sizes, on two levels of the hash. */
static void oclgrind_sizes(made *m)
{
    rng r = {15};
    *m = (made){.name = "sizes"};
    made_part *p = made_add(m, PRIMS);
    for (uint32_t i = 0; i < PRIMS; i++)
        made_triangle(p, i, (const double[3]){0.02 * i, 0, 0}, i ? 0.03 : 1, &r);
}

/* Tetrahedra with shared vertices, on few vertices with short coordinates. */
static void tets(made *m)
{
    rng r = {11};
    *m = (made){.name = "tets"};
    made_part *p = made_mesh(m, PRIMS, PRIMS);
    for (int i = 0; i < 3 * PRIMS; i++) {
        p->point[i] = rng_below(&r, 16) * 0.125 - 1;
        p->triangle[i] = rng_below(&r, PRIMS);
    }
    p->mesh.corners = IMP_TETRAHEDRA;
    p->mesh.primitives = 3 * PRIMS / IMP_TETRAHEDRA;
}

static void oclgrind_scene_open(const char *name, made *m)
{
    if (!strcmp(name, "tets")) {
        tets(m);
        return;
    }
    if (!strcmp(name, "sizes")) {
        oclgrind_sizes(m);
        return;
    }
    if (!strcmp(name, "crowd")) {
        oclgrind_crowd(m);
        return;
    }
    if (!strcmp(name, "dense")) {
        oclgrind_dense(m);
        return;
    }
    if (!strcmp(name, "knot")) {
        oclgrind_knot(m);
        return;
    }
    for (size_t i = 0; made_open(i, PRIMS, m); i++, made_free(m))
        if (!strcmp(m->name, name))
            return;
    *m = (made){0};
}

/* ---- runs */

#define LITTLE (20 << 10) /* too little for all pairs of `dense` at once */
#define TABLED (40 << 10) /* the same beside a table */

/* The options and scene of a run. */
typedef struct sample_job {
    const char *method, *scene;
    uint32_t dop_k;
    int stage;
    uint32_t rules;
    uint64_t limit; /* bytes for the block; 0: enough */
    int soak;       /* launches no kernel that the others do not: in the soak alone */
} sample_job;

static const sample_job jobs[] = {
    {"rtree", "many frames", 18, 0, RULE_BETWEEN, 0, 1},
    {"rtree", "two objects", 6, 0, RULE_BETWEEN, 0, 0},
    {"rtree", "crowd", 6, IMP_STAGE_CANDIDATES, RULE_SKIP_ADJACENT, 0, 0},
    {"rtree", "dense", 6, 0, RULE_SKIP_ADJACENT, 0, 1},
    {"rtree", "dense", 6, 0, RULE_BETWEEN, 0, 1},
    {"grid", "many frames", 18, 0, RULE_BETWEEN, 0, 1},
    {"grid", "two objects", 6, 0, RULE_BETWEEN, 0, 1},
    {"grid", "dense", 6, IMP_STAGE_CANDIDATES, RULE_SKIP_ADJACENT, 0, 1},
    {"grid", "dense", 6, 0, RULE_SKIP_ADJACENT, 0, 0},
    {"hash", "knot", 8, 0, 0, 0, 1},
    {"hash", "sizes", 6, IMP_STAGE_CANDIDATES, RULE_SKIP_ADJACENT, 0, 0},
    {"hash", "bad points", 26, IMP_STAGE_CANDIDATES, RULE_SKIP_ADJACENT, 0, 1},
    {"hash", "crowd", 6, IMP_STAGE_CANDIDATES, RULE_SKIP_ADJACENT, 0, 1},
    {"tiles", "many frames", 18, 0, RULE_BETWEEN, 0, 1},
    {"tiles", "two objects", 6, 0, RULE_BETWEEN, 0, 1},
    {"tiles", "dense", 6, IMP_STAGE_CANDIDATES, RULE_SKIP_ADJACENT, 0, 1},
    {"grid", "tets", 6, 0, RULE_SKIP_ADJACENT, 0, 1},
    {"rtree", "tets", 6, 0, 0, 0, 0},
    {"brute", "dense", 6, IMP_STAGE_CANDIDATES, RULE_SKIP_ADJACENT | RULE_SELF, LITTLE, 0},
    {"hash", "dense", 6, IMP_STAGE_CANDIDATES, RULE_SKIP_ADJACENT, TABLED, 0},
    {"tiles", "dense", 6, IMP_STAGE_CANDIDATES, RULE_SKIP_ADJACENT, TABLED, 0},
};

static void pipeline_set(imp *p, const sample_job *j)
{
    workspace_free(&p->context, &p->workspace);
    broad_find(j->method, &p->workspace.broad.requested);
    p->context.opt = (options){.dop_k = j->dop_k,
                               .stage = j->stage,
                               .on_bad = IMP_BAD_SKIP,
                               .rules = j->rules,
                               .columns = columns_when(&contact_table, &p->def)};
    p->mem.limit = j->limit ? p->mem.now + j->limit : mem_machine();
}

static const char *oclgrind_detect(imp *p, const sample_job *j, const made *m, contact_list *out)
{
    pipeline_set(p, j);
    int err = imp_detect(p, m->frame, m->frames, contact_list_sink, out, NULL);
    return err ? imp_error_text() : NULL;
}

static int job_good(imp *host, imp *p, const sample_job *j)
{
    made m;
    contact_list want = {0}, got = {0};
    sample_job plain = *j;
    plain.limit = 0;
    oclgrind_scene_open(j->scene, &m);
    const char *what = oclgrind_detect(host, &plain, &m, &want);
    if (!what)
        what = oclgrind_detect(p, j, &m, &got);
    if (!what && !contact_list_equal(&want, &got))
        what = "other contacts than those of the host";
    if (!what && !want.count)
        what = "no contacts";
    if (what)
        printf("%s, %s: %s\n", j->method, j->scene, what);
    contact_list_free(&want);
    contact_list_free(&got);
    made_free(&m);
    return !what;
}

/* Segments over frames, in cases that no scene has: one longer than a tile, empty ones. */
static int segments_good(imp *p)
{
    static const uint32_t start[] = {0, 0, 5, 5, 2065, 2100};
    device *d = p->context.dev;
    segments s = {0};
    rng r = {1};
    p->mem.limit = mem_machine();
    const char *wrong = segments_wrong(d, &s, start, 5, 20, &r);
    if (wrong)
        printf("segments: %s\n", wrong);
    segments_free(d, &s);
    return !wrong;
}

/* Prefix sums of more counts than a work-item or a work-group handles alone; queued: as on a device
 * where a launch is expensive. */
static int scan_good(imp *p, int queued)
{
    enum { COUNTS = 16384 + 5 };
    device *d = p->context.dev;
    const int before = d->queued;
    scanner s = {0};
    buffer_u32 count_buf = {0};
    buffer_u64 offset_buf = {0};
    static uint32_t count[COUNTS];
    static uint64_t offset[COUNTS + 1];
    uint64_t total = 0, sum = 0;
    int wrong = 0;
    for (uint32_t i = 0; i < COUNTS; i++)
        count[i] = i % 7 ? i : UINT32_MAX;
    p->mem.limit = mem_machine();
    d->queued = queued;
    int err = buffer_put(d, &count_buf, count, COUNTS);
    err = err ? err : scan_counts(d, &s, &count_buf, COUNTS, &offset_buf, &total);
    d->queued = before;
    err = err ? err : buffer_read(d, &offset_buf, 0, offset, COUNTS + 1);
    for (uint32_t i = 0; i < COUNTS && !err; i++) {
        wrong += offset[i] != sum;
        sum += count[i];
    }
    wrong += total != sum;
    if (err || wrong)
        printf("scan: %s\n", err ? imp_error_text() : "other sums");
    return !err && !wrong;
}

/* More keys than a tile: the scenes here have fewer primitives. The sort is stable. */
static int sort_good(imp *p)
{
    enum { KEYS = 2048 + 3, BITS = 3 };
    device *d = p->context.dev;
    sorter s = {0};
    buffer_u32 key_buf = {0}, value_buf = {0};
    static uint32_t key[KEYS], value[KEYS];
    int wrong = 0;
    for (uint32_t i = 0; i < KEYS; i++) {
        key[i] = i * 5 / 3 % (1u << BITS);
        value[i] = i;
    }
    p->mem.limit = mem_machine();
    int err = buffer_put(d, &key_buf, key, KEYS);
    err = err ? err : buffer_put(d, &value_buf, value, KEYS);
    err = err ? err : sort_by_key(d, &s, &key_buf, &value_buf, KEYS, BITS);
    err = err ? err : buffer_read(d, &key_buf, 0, key, KEYS);
    err = err ? err : buffer_read(d, &value_buf, 0, value, KEYS);
    for (uint32_t i = 0; i < KEYS && !err; i++)
        wrong += key[i] != value[i] * 5 / 3 % (1u << BITS) ||
                 (i && (key[i] < key[i - 1] || (key[i] == key[i - 1] && value[i] < value[i - 1])));
    if (err || wrong)
        printf("sort: %s\n", err ? imp_error_text() : "another order");
    return !err && !wrong;
}

/* Pairs of three tiles, in which a group has to find its part. Truth: b is the original index of a
 * pair. */
static int pairs_good(imp *p)
{
    enum { PAIRS = 2 * 2048 + 3, BITS = 13 };
    device *d = p->context.dev;
    sorter s = {0};
    buffer_u32 a_buf = {0}, b_buf = {0};
    static uint32_t a[PAIRS], b[PAIRS];
    int wrong = 0;
    for (uint32_t i = 0; i < PAIRS; i++) {
        a[i] = i * 7 % 1000;
        b[i] = i;
    }
    p->mem.limit = mem_machine();
    int err = buffer_put(d, &a_buf, a, PAIRS);
    err = err ? err : buffer_put(d, &b_buf, b, PAIRS);
    err = err ? err : sort_pairs(d, &s, &a_buf, &b_buf, PAIRS, BITS);
    err = err ? err : buffer_read(d, &a_buf, 0, a, PAIRS);
    err = err ? err : buffer_read(d, &b_buf, 0, b, PAIRS);
    for (uint32_t i = 0; i < PAIRS && !err; i++)
        wrong += a[i] != b[i] * 7 % 1000 ||
                 (i && (a[i] < a[i - 1] || (a[i] == a[i - 1] && b[i] <= b[i - 1])));
    if (err || wrong)
        printf("pairs: %s\n", err ? imp_error_text() : "another order");
    return !err && !wrong;
}

/* The results of a device for a step of a small mesh in which all pairs are candidates: the numbers
 * of feature pairs, and a sum of the lists. */
static int oclgrind_features(const context *c, uint32_t corners, uint64_t out[3])
{
    enum { VERTS = 16, COUNT = 4 };
    rng r = {13};
    double point[2][3 * VERTS];
    uint32_t corner[4 * COUNT], own[COUNT], a[COUNT * COUNT], b[COUNT * COUNT], n = 0, *row;
    block_view v = {.corners = corners,
                    .verts = VERTS,
                    .prims = COUNT,
                    .frames = 1,
                    .prim0 = (uint32_t[]){0, COUNT},
                    .vert0 = (uint32_t[]){0, VERTS}};
    imp_frame_info info = {0};
    bounds o = {0};
    buffer_u32 owned = {0};
    candidates found = {0};
    feature_tests s = {0};
    for (uint32_t i = 0; i < 6 * VERTS; i++)
        point[i / (3 * VERTS)][i % (3 * VERTS)] = rng_below(&r, 64) / 64.0;
    for (uint32_t i = 0; i < corners * COUNT; i++)
        corner[i] =
            i % corners ? (corner[i - 1] + 1 + rng_below(&r, 3)) % VERTS : rng_below(&r, VERTS);
    for (uint32_t i = 0; i < COUNT; i++)
        own[i] = corners == 3 ? 0x477 : 0x3fff;
    for (uint32_t i = 0; i < COUNT * COUNT; i++)
        if (i / COUNT < i % COUNT) {
            a[n] = i / COUNT;
            b[n++] = i % COUNT;
        }
    found.of.count = n;
    pairs *prims = NULL;
    int err = buffer_put(c->dev64, &o.x, point[0], 3 * VERTS);
    err = err ? err : buffer_put(c->dev64, &o.x_to, point[1], 3 * VERTS);
    err = err ? err : buffer_put(c->dev64, &o.on64.corner, corner, corners * COUNT);
    err = err ? err : buffer_put(c->dev64, &o.on64.prim0, v.prim0, 2);
    err = err ? err : buffer_put(c->dev64, &owned, own, COUNT);
    err = err ? err : buffer_put(c->dev, &found.of.a, a, n);
    err = err ? err : buffer_put(c->dev, &found.of.b, b, n);
    err = err ? err : feature_tests_begin(c, &v, &o, &s);
    err = err ? err : feature_tests_candidates(c, &found, &s, &prims);
    err = err ? err : feature_tests_collect(c, &v, &o, &owned, prims, 0, prims->count, &s, &info);
    err = err ? err : feature_tests_selves(c, &v, 0, COUNT, &s, &prims);
    err = err ? err : feature_tests_collect(c, &v, &o, &owned, prims, 0, prims->count, &s, &info);
    out[0] = info.candidates_vf;
    out[1] = info.candidates_ee;
    for (int k = 0; k < 6 && !err; k++) {
        const feature_pairs *of = k < 3 ? &s.meet : &s.undecided;
        const buffer_u32 *from[] = {&of->a, &of->b, &of->code};
        row = calloc(of->count + 1, sizeof *row);
        err = of->count ? buffer_read(c->dev64, from[k % 3], 0, row, of->count) : 0;
        for (uint64_t i = 0; i < of->count; i++)
            out[2] = out[2] * 0x9e3779b97f4a7c15 + row[i] + (uint64_t)k;
        free(row);
    }
    feature_tests_free(c, &s);
    buffer_free(c->dev64, &o.x);
    buffer_free(c->dev64, &o.x_to);
    buffer_free(c->dev64, &o.on64.corner);
    buffer_free(c->dev64, &o.on64.prim0);
    buffer_free(c->dev64, &owned);
    pairs_free(c->dev, &found.of);
    return err;
}

static int features_good(imp *host, imp *p, uint32_t corners)
{
    uint64_t want[3] = {0}, got[3] = {0};
    p->mem.limit = mem_machine();
    int err = oclgrind_features(&host->context, corners, want);
    err = err ? err : oclgrind_features(&p->context, corners, got);
    int good = !err && want[0] && want[1] && !memcmp(want, got, sizeof want);
    if (!good)
        printf("features, %u corners: %s\n", (unsigned)corners,
               err ? imp_error_text() : "other pairs than those of the host");
    return good;
}

enum { GROWN = 12, SLABS = 2, GROWN_FLOATS = GROWN * (BOX_BOUNDS + 2 * SLABS) };

/* The margin of a primitive: most margins are far above the other terms, and the last exceeds the
 * limit. */
static double oclgrind_margin(int i)
{
    return i < GROWN - 1 ? 0.3 * i : 100;
}

/* Bounds of primitives of two frames after inflation, each with its own margin. */
static int grown_of(const context *c, float out[GROWN_FLOATS])
{
    static const uint32_t prim0[] = {0, 5, GROWN};
    static const double grow[] = {0.25, 0.125};
    rng r = {14};
    device *d = c->dev64;
    double margin[GROWN];
    float *slab = out + GROWN * BOX_BOUNDS;
    buffer_u32 starts = {0};
    buffer_f64 by = {0}, own = {0};
    buffer_f32 box = {0}, slabs = {0};
    for (int i = 0; i < GROWN; i++)
        margin[i] = oclgrind_margin(i);
    for (int i = 0; i < GROWN_FLOATS; i++)
        out[i] = (float)rng_unit(&r);
    int err = buffer_put(d, &starts, prim0, 3);
    err = err ? err : buffer_put(d, &by, grow, 2);
    err = err ? err : buffer_put(d, &own, margin, GROWN);
    err = err ? err : buffer_put(d, &box, out, GROWN * BOX_BOUNDS);
    err = err ? err : buffer_put(d, &slabs, slab, GROWN * 2 * SLABS);
    err = err ? err : RUN(d, bound_grow, GROWN, 2, &starts, &by, 1, &own, SLABS, &box, &slabs);
    err = err ? err : buffer_read(d, &box, 0, out, GROWN * BOX_BOUNDS);
    err = err ? err : buffer_read(d, &slabs, 0, slab, GROWN * 2 * SLABS);
    buffer_free(d, &starts);
    buffer_free(d, &by);
    buffer_free(d, &own);
    buffer_free(d, &box);
    buffer_free(d, &slabs);
    return err;
}

/* Whether each bound moved by its own margin. Empty bounds stay. */
static int by_margins(const float *box)
{
    int good = 1;
    for (int i = 0; i < GROWN * 3; i++) {
        const float *b = box + (size_t)BOX_BOUNDS * (size_t)(i / 3), low = b[i % 3],
                    high = b[i % 3 + 3];
        const float by = (float)fmin(oclgrind_margin(i / 3), BOUND_GROW_MOST);
        const int empty = b[0] >= 0;
        good &= empty || (low < 1 - by && low > -1 - by && high > by && high < 2 + by);
    }
    return good;
}

/* No other scene has rotating bodies, whose primitives have margins. */
static int grown_good(imp *host, imp *p)
{
    float want[GROWN_FLOATS], got[GROWN_FLOATS];
    p->mem.limit = mem_machine();
    int err = grown_of(&host->context, want);
    err = err ? err : grown_of(&p->context, got);
    const int good = !err && !memcmp(want, got, sizeof want) && by_margins(got);
    if (!good)
        printf("bounds with margins: %s\n",
               err ? imp_error_text() : "not those of the host, or by others");
    return good;
}

/* Another frame of the same mesh, with permuted coordinates. */
static void oclgrind_add_frame(made *m, uint32_t stride)
{
    made_part *next = made_again(m, m->part);
    const uint32_t n = 3 * m->frame[0].mesh->vertices;
    for (uint32_t i = 0; i < n; i++)
        next->point[i] = m->part->point[(stride * i + 1) % n];
}

/* Contacts with a separation in a block of two steps; features_good tests touches. */
static int steps_good(imp *host, imp *p, const char *method)
{
    const double separation = 0.1;
    made m;
    contact_list want = {0}, got = {0};
    imp *both[] = {host, p};
    oclgrind_scene_open("knot", &m);
    m.part->mesh.primitives /= 3;
    oclgrind_add_frame(&m, 5);
    oclgrind_add_frame(&m, 7);
    int err = 0;
    for (int k = 0; k < 2 && !err; k++) {
        options *o = &both[k]->context.opt;
        pipeline_set(both[k], &(sample_job){method, "knot", 8, .rules = RULE_SELF});
        both[k]->def.continuous = o->continuous = 1;
        o->step_columns = columns_when(&contact_table, &both[k]->def);
        o->separation = separation;
        err = imp_detect(both[k], m.frame, m.frames, contact_list_sink, k ? &got : &want, NULL);
        both[k]->def.continuous = 0;
    }
    int good = !err && want.count && contact_list_equal(&want, &got);
    if (!good)
        printf("between frames, separation %g: %s\n", separation,
               err ? imp_error_text() : "other contacts than those of the host, or none");
    contact_list_free(&want);
    contact_list_free(&got);
    made_free(&m);
    return good;
}

/* Distances of primitives and of features: rows, not contacts. Some pairs of these scenes are just
 * as far apart as that. */
static int distances_good(imp *host, imp *p, const char *name, int rows)
{
    const double distance = 0.25;
    const uint32_t rules = RULE_SELF | (rows == IMP_ROWS_PRIMITIVES ? RULE_SKIP_ADJACENT : 0);
    made m;
    contact_list want = {0}, got = {0};
    imp *both[] = {host, p};
    oclgrind_scene_open(name, &m);
    if (rows == IMP_ROWS_FEATURES)
        m.part->mesh.primitives /= 3;
    int err = 0;
    for (int k = 0; k < 2 && !err; k++) {
        imp_def *def = &both[k]->def;
        pipeline_set(both[k], &(sample_job){"rtree", name, 8, .rules = rules});
        def->rows = both[k]->context.opt.rows = rows;
        both[k]->context.opt.separation = distance;
        both[k]->context.opt.columns = columns_when(&contact_table, def);
        err = imp_detect(both[k], m.frame, m.frames, contact_list_sink, k ? &got : &want, NULL);
        def->rows = IMP_ROWS_CONTACTS;
    }
    const int good = !err && want.count && contact_list_equal(&want, &got);
    if (!good)
        printf("%s, rows %d within %g: %s\n", name, rows, distance,
               err ? imp_error_text() : "other rows than those of the host, or none");
    contact_list_free(&want);
    contact_list_free(&got);
    made_free(&m);
    return good;
}

/* The corners of a box in space, and points in and around it. */
static int inside_good(imp *p)
{
    static const uint32_t corner[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                           {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                           {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    double point[24 * INSIDE_BOXES];
    uint32_t triangle[36 * INSIDE_BOXES];
    solids_query query[INSIDE_BOXES + 2];
    solids_depth_at at[INSIDE_BOXES + 2];
    for (uint32_t i = 0; i < INSIDE_BOXES; i++) {
        for (uint32_t v = 0; v < 8; v++)
            for (uint32_t k = 0; k < 3; k++)
                point[24 * i + 3 * v + k] = (v >> k & 1) + (k ? 0 : 2.0 * i) + 0.1 * k * v;
        for (uint32_t c = 0; c < 36; c++)
            triangle[36 * i + c] = 8 * i + corner[c / 3][c % 3];
    }
    const imp_mesh mesh = {.vertices = 8 * INSIDE_BOXES,
                           .primitives = 12 * INSIDE_BOXES,
                           .corners = IMP_TRIANGLES,
                           .corner = triangle};
    const imp_frame frame = {.mesh = &mesh, .point = point};
    solids_pack pack = {.dev = p->context.dev};
    solids s = {.mem = &p->mem, .pack = &pack, .threads = 1};
    int err = solids_make(&frame, &(closed_wanted){0}, &s), good = 1;
    for (int i = 0; i < INSIDE_BOXES + 2; i++)
        query[i] = (solids_query){.x = {2 * i + 0.3, 0.6, 0.7}, .at = &at[i]};
    if (!err)
        err = solids_windings(&s, query, INSIDE_BOXES + 2);
    if (!err)
        err = solids_depths(&s, query, INSIDE_BOXES);
    for (int i = 0; i < INSIDE_BOXES + 2; i++)
        good &= abs(query[i].winding) == (i < INSIDE_BOXES);
    solids_pack_free(&s);
    solids_free(&s);
    if (err || !good)
        printf("closed objects: %s\n", err ? imp_error_text() : "other winding numbers");
    return !err && good;
}

static int all_good(imp *host)
{
    imp *p = simulated();
    if (!p) {
        printf("%s\n", imp_error_text());
        return 0;
    }
    int good = p->context.dev->large && p->context.dev->fp64;
    if (!good)
        printf("the device lacks float64\n");
    const int all = test_count(1) > 1;
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs && good; i++)
        good = (jobs[i].soak && !all) || job_good(host, p, &jobs[i]);
    good = good && segments_good(p) && sort_good(p) && pairs_good(p) && scan_good(p, 0);
    good = good && features_good(host, p, IMP_TETRAHEDRA) && grown_good(host, p) &&
           steps_good(host, p, "grid");
    if (all)
        good = good && scan_good(p, 1) && features_good(host, p, IMP_TRIANGLES) &&
               steps_good(host, p, "rtree");
    good = good && distances_good(host, p, "knot", IMP_ROWS_PRIMITIVES) &&
           distances_good(host, p, "tets", IMP_ROWS_PRIMITIVES) &&
           distances_good(host, p, "knot", IMP_ROWS_FEATURES);
    good = good && inside_good(p);
    imp_destroy(p);
    return good;
}

static int all_launched(void)
{
    static const unsigned char of_device[KERNELS] = {
#define H(name, kind, list)
#define K(name, kind, list) [KERNEL_##name] = 1,
#define G(name, list) [KERNEL_##name] = 1,
#include "kernels.def"
    };
    int good = 1;
    for (int k = 0; k < KERNELS; k++)
        if (of_device[k] && !launches[k]) {
            printf("kernel %s was not launched\n", kernel_table[k].name);
            good = 0;
        }
    return good;
}

int main(void)
{
    imp *host;
    imp_device_info info;
    if (!imp_device_at(1, &info) || imp_create(&(imp_def){.device = "cpu", .threads = 1}, &host)) {
        printf("no OpenCL device\n");
        return 1;
    }
    printf("%s, %s\n", info.platform, info.name);
    int good = all_good(host) && all_launched();
    imp_destroy(host);
    return !good;
}
