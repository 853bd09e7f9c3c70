/* Creates and frees a pipeline: opens the device and tests it. */
#include "engine.h"

#include "columns.h"
#include "error.h"
#include "float_env.h"
#include "internal.h"
#include "machine.h"
#include "mem.h"
#include "prim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- options */

/* Compares without a subtraction, which could overflow. */
static int key_compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static int number_compare(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Options of the method "tree". Where "auto" chooses it for two bodies that overlap everywhere, it
 * descends both trees at once. */
static tree_def def_trees(const imp_def *def, int asked)
{
    /* Spheres and oriented boxes are not inflated. */
    return (tree_def){.volume = def->volume && !def->rows ? def->volume : IMP_VOLUME_DOP,
                      .build = def->build ? def->build : IMP_BUILD_TOP_DOWN,
                      .descent = def->descent ? def->descent
                                 : asked      ? IMP_DESCENT_ENVIRONMENT_FIRST
                                              : IMP_DESCENT_SIMULTANEOUS,
                      .degree = def->degree ? def->degree : 2,
                      .leaf = def->leaf ? def->leaf : TREE_LEAF,
                      .hybrid_level = def->hybrid_level ? def->hybrid_level : TREE_HYBRID_LEVEL};
}

/* Sets the options in the form that stages use. */
static int def_options(imp *p)
{
    int err = IMP_OK;
    const imp_def *def = &p->def;
    const column_set columns = columns_when(&contact_table, def);
    imp_def single = *def, plain = *def;
    /* Primitives that share a vertex may have features that do not. */
    const int features = def->rows == IMP_ROWS_FEATURES && def->stage == IMP_STAGE_CONTACTS;
    uint32_t rules = def->adjacent == IMP_ADJACENT_SKIP && !features ? RULE_SKIP_ADJACENT : 0;
    single.continuous = 0;
    plain.rows = IMP_ROWS_CONTACTS;
    plain.inside = plain.continuous = 0;
    rules |= def->pairs == IMP_PAIRS_SELF ? RULE_SELF : 0;
    rules |= def->pairs == IMP_PAIRS_BETWEEN ? RULE_BETWEEN : 0;
    if (def->object_pair)
        rules |= def->object_pairs_exclude ? RULE_LIST_NOT : RULE_LIST_ONLY;
    TRY(mem_alloc(&p->mem, def->object_pairs * sizeof *p->object_pair, &p->object_pair));
    for (size_t i = 0; i < def->object_pairs; i++)
        p->object_pair[i] = object_pair(def->object_pair[i][0], def->object_pair[i][1]);
    /* object_listed (prim.h) bisects them. */
    if (def->object_pairs)
        qsort(p->object_pair, def->object_pairs, sizeof *p->object_pair, key_compare);
    if (def->inside_object) {
        const size_t bytes = def->inside_objects * sizeof *p->inside_object;
        TRY(mem_alloc(&p->mem, bytes, &p->inside_object));
        memcpy(p->inside_object, def->inside_object, bytes);
        qsort(p->inside_object, def->inside_objects, sizeof *p->inside_object, number_compare);
    }
    p->context.opt = (options){.dop_k = (uint32_t)def->dop_k,
                               .cell = def->cell,
                               .stage = def->stage,
                               .on_bad = def->on_bad,
                               .update = def->update,
                               .ids = def->ids,
                               .tree = def_trees(def, p->workspace.broad.requested != NULL),
                               .rules = rules,
                               .listed = (uint32_t)def->object_pairs,
                               .list = p->object_pair,
                               .continuous = def->continuous,
                               .rows = def->rows,
                               .ring = def->ring,
                               .crossing = def->crossing,
                               .separation = def->rows ? def->distance : def->min_separation,
                               .thickness = def->thickness,
                               .tolerance = def->tolerance,
                               .solids = def->solids,
                               .inside = def->inside || def->rows == IMP_ROWS_INSIDE,
                               .inside_object = p->inside_object,
                               .inside_objects = def->inside_objects,
                               .inside_open = def->inside_open,
                               .inside_winding = def->inside_winding,
                               .relations = def->relations,
                               .relations_user = def->relations_user,
                               .verify = def->verify,
                               .columns = columns_when(&contact_table, &single) & columns,
                               .contact_columns = columns_when(&contact_table, &plain),
                               .step_columns = columns};
out:
    return err;
}

/* ---- the device */

/* Buffers are freed through their device, so the workspace is freed first. */
void engine_close(imp *p)
{
    context *c = &p->context;
    workspace_free(c, &p->workspace);
    if (c->dev64 != c->dev)
        device_close(c->dev64);
    device_close(c->dev);
    c->dev = c->dev64 = NULL;
}

/* Scaling, bounds and verdicts need float64. If the device lacks it, the host computes them, and
 * the device only runs the broad phase. */
static int open_devices(imp *p, const char *name, int no_fp64)
{
    int err = IMP_OK;
    device_def def = p->device;
    context *c = &p->context;
    def.name = name;
    def.threads = p->context.threads;
    def.mem = &p->mem;
    def.cancel = &p->cancel;
    def.force_no_fp64 |= no_fp64;
    TRY(device_open(&def, &c->dev));
    c->dev64 = c->dev;
    if (!c->dev->fp64) {
        def.name = "cpu";
        TRY(device_open(&def, &c->dev64));
    }
out:
    return err;
}

static int is_host(const imp *p)
{
    return !strcmp(p->context.dev->info.platform, "host");
}

static void name_device(imp *p)
{
    const imp_device_info *info = &p->context.dev->info;
    const uint32_t as_gpu = p->device.as_gpu;
    if (is_host(p))
        snprintf(p->name, sizeof p->name, "cpu");
    else
        snprintf(p->name, sizeof p->name, "%s, %s", info->platform, info->name);
    size_t length = strlen(p->name);
    if (as_gpu && !is_host(p))
        snprintf(p->name + length, sizeof p->name - length, ", as a GPU of %u unit%s", as_gpu,
                 as_gpu == 1 ? "" : "s");
}

/* Logs the error text and its consequence. */
static void engine_log_error(imp *p, const char *then)
{
    char line[1200];
    snprintf(line, sizeof line, "%s; %s", imp_error_text(), then);
    if (!p->def.log)
        return;
    float_to_caller();
    p->def.log(p->def.log_user, line);
    float_from_caller();
}

/* A device that fails its self-test is closed, so the caller can try another one. A device without
 * float64 denormals is used as one without float64. Devices that act as a GPU are not tested; the
 * host, which replaces one that fails, is. */
static int open_named(imp *p, const char *name)
{
    int err = IMP_OK, said = 0;
    TRY(open_devices(p, name, 0));
    name_device(p);
    if (p->device.as_gpu && !is_host(p))
        goto out;
    said = selftest(&p->context, p->name);
    if (said == SELFTEST_FLUSHES && p->context.dev64 == p->context.dev && !is_host(p)) {
        engine_log_error(p, "float64 is computed by the host");
        engine_close(p);
        TRY(open_devices(p, name, 1));
        said = selftest(&p->context, p->name);
    }
    err = said == SELFTEST_FLUSHES ? IMP_ERR_DEVICE : said;
out:
    if (err)
        engine_close(p);
    return err;
}

/* With "auto" a device that does not work is logged, and the next one is tried. */
static int open_or_tell(imp *p, const char *name)
{
    int err = open_named(p, name);
    if (err)
        engine_log_error(p, "trying the next device");
    return err;
}

/* "auto" uses the host for fewer primitives: starting OpenCL takes 0.1 to 0.3 s, in which the host
 * has finished. */
#define AUTO_GPU_LEAST 2000000

int engine_open(imp *p)
{
    const char *name = p->def.device;
    if (name && strcmp(name, "auto"))
        return open_named(p, name);
    char number[24];
    imp_device_info info;
    const int few = p->def.expect && p->def.expect < AUTO_GPU_LEAST;
    /* Number 0 is the host, which always exists, as the last choice. */
    for (size_t i = 1; !few && imp_device_at(i, &info); i++) {
        snprintf(number, sizeof number, "%zu", i);
        if (info.is_gpu && open_or_tell(p, number) == IMP_OK)
            return IMP_OK;
    }
    return open_named(p, "cpu");
}

/* Primitives for which waking threads takes longer than what they save. */
#ifdef IMP_SANITIZED /* that of threads would see nothing in small scenes */
#define ALONE_PRIMS 0
#else
#define ALONE_PRIMS 4096
#endif

int engine_alone(const imp *p, uint64_t prims)
{
    return !p->def.threads && prims <= ALONE_PRIMS;
}

int engine_fall_back(imp *p)
{
    /* The error text is read first: engine_open may replace it. engine_close frees the workspace,
     * since its buffers belong to the device. */
    engine_log_error(p, "going on with cpu");
    engine_close(p);
    p->def.device = "cpu";
    return engine_open(p);
}

int imp_replace_device(imp *p, int others, int threads, int *lost)
{
    int err = IMP_OK;
    *lost = 0;
    if (p->doubtful)
        return IMP_ERR_DEVICE;
    const float_entry entry = float_enter();
    if (others) {
        engine_log_error(p, "going on with the other devices");
    } else {
        p->context.threads = threads;
        err = engine_fall_back(p);
    }
    float_leave(entry);
    *lost = others || err;
    return err;
}

/* ---- creation */

int engine_create(const imp_def *def, const device_def *forced, imp **out)
{
    int err = IMP_OK;
    static const imp_def none;
    imp *p = NULL;
    /* Threads that drivers start inherit the floating-point environment of this one. */
    const float_entry entry = float_enter();
    error_state text;
    error_keep(&text);
    if (!out)
        FAIL(IMP_ERR_ARGUMENT, "imp_create: there is no place for the pipeline: out is NULL");
    *out = NULL;
    def = def ? def : &none;
    TRY(def_check(def));
    /* Not allocated from p->mem, which is a part of *p. */
    p = calloc(1, sizeof *p);
    if (!p)
        FAIL(IMP_ERR_MEMORY, "out of memory");
    p->def = *def;
    p->def.dop_k = def->dop_k ? def->dop_k : 6;
    const int threads = processors_threads(def->threads);
    broad_find(def_broad(def), &p->workspace.broad.requested); /* def_check */
    p->mem.caches = 1;
    p->mem.limit = def->mem_limit ? def->mem_limit : mem_machine() / BUDGET_MACHINE_SHARE;
    p->device = forced ? *forced : (device_def){0};
    p->device.log = def->log;
    p->device.log_user = def->log_user;
    p->context.mem = &p->mem;
    p->context.cancel = &p->cancel;
    p->context.threads = threads;
    TRY(def_options(p));
    TRY(engine_open(p));
    p->def.object_pair = NULL; /* the caller's; the keys are ours */
    imp_profile_reset(p);
    error_restore(&text); /* of a self-test that was repeated with less memory */
    *out = p;
    p = NULL;
out:
    /* p is NULL after success. */
    imp_destroy(p);
    float_leave(entry);
    return err;
}

int imp_create(const imp_def *def, imp **out)
{
    return engine_create(def, NULL, out);
}

int imp_create_forced(const imp_def *def, const imp_forced *forced, imp **out)
{
    const device_def by_force = {.as_gpu = forced->as_gpu, .isa = forced->isa};
    int err = engine_create(def, &by_force, out);
    if (!err && *out)
        (*out)->faults = forced->faults;
    if (!err && *out) {
        (*out)->stays = forced->stays;
        (*out)->context.opt.only_features = forced->only_features;
        (*out)->context.opt.queries = forced->queries;
    }
    return err;
}

void imp_force_timed(imp *p, int timed)
{
    p->context.opt.timed = timed;
}

void imp_force_whole(imp *p, const imp_whole *whole)
{
    p->context.opt.whole = whole;
}

/* The memory is closed last: blocks freed before go to its list of reusable blocks. */
void imp_destroy(imp *p)
{
    if (!p)
        return;
    const float_entry entry = float_enter(); /* a device may wait for a time */
    engine_close(p);
    mem_free(&p->mem, p->object_pair);
    mem_free(&p->mem, p->inside_object);
    mem_close(&p->mem);
    float_leave(entry);
    free(p);
}

/* Bounds and tables of the whole block stay: the next range uses them. Copies of points served to
 * make the bounds, and are freed. */
void workspace_free_range(const context *c, workspace *r)
{
    narrow_free(c, &r->narrow);
    pairs_free(c->dev, &r->found.of);
    sorter_free(c->dev64, &r->sort);
    row_stream_free(c, &r->stream);
    bound_free_points(c, &r->bounds);
    raw_free(c, &r->cache.points.raw);
}

void workspace_free(const context *c, workspace *r)
{
    /* Without a device no stage has allocated anything. */
    if (!c->dev)
        return;
    bound_free(c, &r->bounds);
    cull_free(c, &r->cull);
    broad_free(&r->broad, c);
    frame_cache_free(c, &r->cache);
    persistent_ids_free(&r->ids);
    object_clip_free(c->mem, &r->clip);
    workspace_free_range(c, r);
    step_workspace_free(c, r->step);
    r->step = NULL;
}

/* ---- profile */

void imp_profile_get(const imp *p, imp_profile *out)
{
    if (!out)
        return;
    *out = p ? p->profile : (imp_profile){0};
    out->peak_bytes = p ? atomic_load(&p->mem.peak) : 0;
}

void imp_profile_reset(imp *p)
{
    if (!p)
        return;
    p->profile = (imp_profile){0};
    memset(p->workspace.broad.blocks, 0, sizeof p->workspace.broad.blocks);
    /* The peak is at least the memory in use now. */
    atomic_store(&p->mem.peak, atomic_load(&p->mem.now));
}
