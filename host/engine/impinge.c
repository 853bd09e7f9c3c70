/* The functions of impinge.h that run a pipeline, each by a call of the scheduler, and the checks
 * of their input. */
#include "impinge.h"

#include "bodies.h"
#include "engine.h"
#include "error.h"
#include "float_env.h"
#include "internal.h"
#include "mem.h"
#include "scheduler.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- a call */

static int run_fail(const char *function)
{
    imp_fail(IMP_ERR_ARGUMENT,
             "%s is called by its own sink, or by two threads at once: the pipeline is computing",
             function);
    return IMP_ERR_ARGUMENT;
}

int run_refuse(const imp *p, const char *function)
{
    return atomic_load(&p->running) ? run_fail(function) : IMP_OK;
}

int run_begin(imp *p, const char *function, run_entry *out)
{
    if (atomic_exchange(&p->running, 1))
        return run_fail(function);
    out->env = float_enter();
    error_keep(&out->text);
    return IMP_OK;
}

/* A request to cancel is served when the call ends, however it ends: the next call is not
 * cancelled. Where the program replaces the device (imp_forced.stays) the work goes on. */
int run_end(imp *p, const run_entry *from, int err)
{
    const int goes_on = err == IMP_ERR_DEVICE && p->stays;
    if (!goes_on && atomic_exchange(&p->cancel, 0) && !err)
        err = imp_fail(IMP_ERR_CANCELLED, "cancelled");
    if (!err)
        error_restore(&from->text);
    atomic_store(&p->running, 0);
    float_leave(from->env);
    return err;
}

/* ---- contacts of frames */

/* Starts counting page faults: those since the last call are the caller's own. */
static call call_make(imp *p, const imp_frame *frames, run_entry *entry)
{
    call w = {.c = &p->context, .r = &p->workspace, .t = &p->profile, .frames = frames};
    w.out.cancel = &p->cancel;
    w.out.text = &entry->text;
    w.out.faults = p->faults;
    faults_resume(p->faults);
    return w;
}

/* warns: the frames are those of a caller of the library, who has no other way to learn that no
 * primitive has an object of a list. */
static int detect(imp *p, const imp_frame *frames, size_t count, const output *to, int warns,
                  imp_frame_info *info)
{
    int err = IMP_OK;
    if (!p)
        return imp_fail(IMP_ERR_ARGUMENT, "imp_detect: the pipeline is NULL");
    run_entry entry;
    err = run_begin(p, "imp_detect", &entry);
    if (err)
        return err;
    call w = call_make(p, frames, &entry);
    w.out.sink = to->sink;
    w.out.user = to->user;
    w.out.given = w.out.count.handed = to->given;
    w.steps = p->context.opt.continuous;
    /* All frames are checked before the first block, so no row of a wrong call reaches the sink. */
    TRY(frames_check(p, frames, count));
    if (warns)
        TRY(inside_listed_warn(p, frames, count));
    err = scheduler_run(&w, p, count, info);
out:
    return run_end(p, &entry, err);
}

int imp_detect_from(imp *p, const imp_frame *frames, size_t count, uint64_t given, imp_sink *sink,
                    void *user, imp_frame_info *info)
{
    return detect(p, frames, count, &(output){.sink = sink, .user = user, .given = given}, 0, info);
}

int imp_detect(imp *p, const imp_frame *frames, size_t count, imp_sink *sink, void *user,
               imp_frame_info *info)
{
    return detect(p, frames, count, &(output){.sink = sink, .user = user}, 1, info);
}

int imp_detect_model(imp *p, persistent_ids *model, imp_sink *sink, void *user,
                     imp_frame_info *info)
{
    run_entry entry;
    const int err = run_begin(p, "imp_model_query", &entry);
    if (err)
        return err;
    call w = call_make(p, &model->of.frame, &entry);
    w.out.sink = sink;
    w.out.user = user;
    w.model = model;
    return run_end(p, &entry, scheduler_run(&w, p, 1, info));
}

int workspace_detect(const context *c, workspace *r, imp_profile *t, const imp_frame *frames,
                     size_t count, imp_sink *sink, void *user, imp_frame_info *info)
{
    call w = {.c = c,
              .r = r,
              .t = t,
              .frames = frames,
              .steps = c->opt.continuous,
              .out = {.sink = sink, .user = user}};
    return scheduler_run(&w, NULL, count, info);
}

/* ---- is there any contact? */

#define FOUND 1 /* a sink's result, which ends the call; not an error code */

static int found_sink(void *user, const imp_contacts *contacts)
{
    (void)contacts;
    *(int *)user = 1;
    return FOUND;
}

/* Rows that exist whether or not primitives touch answer another question. */
static int touches_check(const imp *p)
{
    const int rows = p->def.rows;
    if (rows != IMP_ROWS_OBJECTS && rows != IMP_ROWS_INSIDE)
        return IMP_OK;
    return imp_fail(IMP_ERR_ARGUMENT,
                    "imp_touches: not with rows of %s (rows), which do not tell whether "
                    "primitives touch",
                    rows == IMP_ROWS_OBJECTS ? "objects" : "vertices inside objects");
}

int imp_touches(imp *p, const imp_frame *frame, int *yes)
{
    int err = IMP_OK, found = 0;
    if (!p || !yes)
        return imp_fail(IMP_ERR_ARGUMENT, "imp_touches: %s is NULL", p ? "yes" : "the pipeline");
    run_entry entry;
    err = run_begin(p, "imp_touches", &entry);
    if (err)
        return err;
    call w = call_make(p, frame, &entry);
    w.out.text = NULL; /* found_sink is no sink of the caller */
    w.out.sink = found_sink;
    w.out.user = &found;
    w.any = 1;
    TRY(touches_check(p));
    TRY(frames_check(p, frame, 1));
    err = scheduler_run(&w, p, 1, NULL);
    err = err == FOUND ? IMP_OK : err;
    *yes = found;
out:
    return run_end(p, &entry, err);
}

/* ---- while one runs, and after */

/* The mesh is forgotten as well: the caller may free it, and another one may have its address. */
void imp_forget(imp *p)
{
    if (!p)
        return;
    frame_cache_invalidate(&p->workspace.cache);
    p->workspace.cache.mesh = p->workspace.cache.every = NULL;
    p->workspace.ids.used = 0;
}

/* Only stores a flag, so that a signal handler may call it. */
void imp_cancel(imp *p)
{
    if (p)
        atomic_store(&p->cancel, 1);
}

const char *imp_device_name(const imp *p)
{
    return p ? p->name : "";
}

int imp_broad_at(const imp *p, size_t index, const char **name, uint64_t *blocks)
{
    return p && name && blocks && broad_at(&p->workspace.broad, index, name, blocks);
}

const char *imp_broad_name(const imp *p)
{
    return p ? broad_name(&p->workspace.broad) : "";
}

/* ---- imp_rules: the pairs of objects that a pipeline's rules leave to test in the frames of a
 * run. */

#define RULES_NAMED 8 /* objects named in an error text */

/* members: the rules, and the objects of the frames so far */
struct imp_rules {
    mem mem;
    int pairs, listed, exclude;
    int32_t (*pair)[2];
    size_t pairs_count;
    int32_t *id;   /* [ids] objects of the list, ascending */
    uint8_t *seen; /* [ids] whether a frame had the object */
    size_t ids;
    int32_t *there; /* [there_count] objects of the last frame */
    size_t there_count;
    int any, possible; /* any: a frame had a primitive; possible: a frame had a pair of objects to
                          test */
};

/* ---- the list */

static int rules_compare(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Sorts ids and removes duplicates; returns their number. */
static size_t rules_unique(int32_t *id, size_t n)
{
    size_t out = 0;
    if (n)
        qsort(id, n, sizeof *id, rules_compare);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || id[i] != id[i - 1])
            id[out++] = id[i];
    return out;
}

static int rules_compare_pairs(const void *a, const void *b)
{
    const int32_t *x = a, *y = b;
    return x[0] != y[0] ? rules_compare(x, y) : rules_compare(x + 1, y + 1);
}

/* Puts the lesser object of each pair first, sorts the pairs, and removes duplicates. */
static void rules_sort_list(imp_rules *r, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int32_t *p = r->pair[i], a = p[0] < p[1] ? p[0] : p[1], b = p[0] < p[1] ? p[1] : p[0];
        p[0] = a;
        p[1] = b;
    }
    if (n)
        qsort(r->pair, n, sizeof *r->pair, rules_compare_pairs);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || rules_compare_pairs(r->pair[i], r->pair[i - 1]))
            memmove(r->pair[r->pairs_count++], r->pair[i], sizeof *r->pair);
}

static int rules_list(imp_rules *r, const imp_def *def)
{
    int err = IMP_OK;
    const size_t n = def->object_pairs;
    TRY(mem_alloc(&r->mem, n * sizeof *r->pair, &r->pair));
    TRY(mem_alloc(&r->mem, 2 * n * sizeof *r->id, &r->id));
    TRY(mem_alloc(&r->mem, 2 * n, &r->seen));
    memset(r->seen, 0, 2 * n);
    if (n) {
        memcpy(r->pair, def->object_pair, n * sizeof *r->pair);
        memcpy(r->id, def->object_pair, n * sizeof *r->pair);
    }
    rules_sort_list(r, n);
    r->ids = rules_unique(r->id, 2 * n);
out:
    return err;
}

int imp_rules_create(const imp_def *def, imp_rules **out)
{
    int err = IMP_OK;
    if (!out)
        return imp_fail(IMP_ERR_ARGUMENT, "imp_rules_create: out is NULL");
    *out = NULL;
    imp_rules *r = calloc(1, sizeof *r);
    if (!r)
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    if (def) {
        if (def->object_pairs && !def->object_pair)
            FAIL(IMP_ERR_ARGUMENT, "object_pair: NULL, but there are to be %zu", def->object_pairs);
        r->pairs = def->pairs;
        r->listed = def->object_pair != NULL;
        r->exclude = def->object_pairs_exclude;
        TRY(rules_list(r, def));
    }
    *out = r;
    return IMP_OK;
out:
    imp_rules_destroy(r);
    return err;
}

void imp_rules_destroy(imp_rules *r)
{
    if (!r)
        return;
    mem_free(&r->mem, r->pair);
    mem_free(&r->mem, r->id);
    mem_free(&r->mem, r->seen);
    mem_free(&r->mem, r->there);
    free(r);
}

/* ---- frames */

static int rules_has(const int32_t *ids, size_t n, int32_t id)
{
    return n && bsearch(&id, ids, n, sizeof id, rules_compare) != NULL;
}

/* Returns whether a pair of these two objects may be tested, apart from a list. */
static int rules_allow(const imp_rules *r, int32_t a, int32_t b)
{
    return r->pairs == IMP_PAIRS_ALL || (r->pairs == IMP_PAIRS_SELF) == (a == b);
}

/* The number of pairs of n objects that may be tested without a list, as double: n * n may exceed
 * 64 bits. */
static double rules_pairs(const imp_rules *r, double n)
{
    const double self = r->pairs == IMP_PAIRS_BETWEEN ? 0 : n;
    return self + (r->pairs == IMP_PAIRS_SELF ? 0 : n * (n - 1) / 2);
}

/* Pairs are counted, not listed: there may be millions. */
static void rules_use(imp_rules *r)
{
    const int32_t *ids = r->there;
    const size_t n = r->there_count;
    double listed = 0;
    for (size_t i = 0; i < r->ids; i++)
        r->seen[i] |= (uint8_t)rules_has(ids, n, r->id[i]);
    for (size_t i = 0; i < r->pairs_count; i++) {
        const int32_t a = r->pair[i][0], b = r->pair[i][1];
        listed += rules_allow(r, a, b) && rules_has(ids, n, a) && rules_has(ids, n, b);
    }
    r->possible |= r->listed && !r->exclude ? listed > 0 : rules_pairs(r, (double)n) > listed;
}

/* Primitives of one object mostly follow one another, so only one number of each run is sorted. */
static int rules_objects(imp_rules *r, const int32_t *object, size_t n)
{
    int err = IMP_OK;
    size_t runs = 0;
    for (size_t i = 0; object && i < n; i++)
        runs += i == 0 || object[i] != object[i - 1];
    mem_free(&r->mem, r->there);
    r->there_count = 0;
    TRY(mem_alloc(&r->mem, (runs ? runs : 1) * sizeof *r->there, &r->there));
    r->there[0] = 0;
    runs = object ? 0 : 1;
    for (size_t i = 0; object && i < n; i++)
        if (i == 0 || object[i] != object[i - 1])
            r->there[runs++] = object[i];
    r->there_count = rules_unique(r->there, runs);
out:
    return err;
}

/* Returns whether there is more than one object. */
static int rules_two(const int32_t *object, size_t n)
{
    size_t i = 1;
    while (object && i < n && object[i] == object[0])
        i++;
    return object && i < n;
}

/* Without a list, a frame leaves nothing to test only if it has a single object and the rule is
 * pairs between objects; the objects are then not sorted. */
int imp_rules_add(imp_rules *r, const int32_t *object, size_t primitives)
{
    int err = IMP_OK;
    if (!r)
        return imp_fail(IMP_ERR_ARGUMENT, "imp_rules_add: the rules are NULL");
    if (!primitives || (r->possible && !r->listed))
        return IMP_OK;
    r->any = 1;
    if (!r->listed)
        r->possible = r->pairs != IMP_PAIRS_BETWEEN || rules_two(object, primitives);
    if (r->possible && !r->listed)
        return IMP_OK;
    TRY(rules_objects(r, object, primitives));
    rules_use(r);
out:
    return err;
}

/* ---- answers */

/* "0, 1, 5 and 3 more" */
static void rules_text(const int32_t *id, size_t n, char *out, size_t size)
{
    size_t at = 0;
    out[0] = 0;
    for (size_t i = 0; i < n && i < RULES_NAMED; i++)
        at += (size_t)snprintf(out + at, size - at, "%s%d", i ? ", " : "", id[i]);
    if (n > RULES_NAMED)
        snprintf(out + at, size - at, " and %zu more", n - RULES_NAMED);
}

int imp_rules_check(const imp_rules *r)
{
    char there[RULES_NAMED * 13 + 40];
    if (!r)
        return imp_fail(IMP_ERR_ARGUMENT, "imp_rules_check: the rules are NULL");
    if (!r->any || r->possible)
        return IMP_OK;
    rules_text(r->there, r->there_count, there, sizeof there);
    const char *only = r->pairs == IMP_PAIRS_SELF      ? " with pairs 'self'"
                       : r->pairs == IMP_PAIRS_BETWEEN ? " with pairs 'between'"
                                                       : "";
    if (r->listed)
        return imp_fail(IMP_ERR_ARGUMENT,
                        "the list of pairs of objects leaves no pair to test%s; the object%s %s",
                        only, r->there_count == 1 ? " is" : "s are", there);
    return imp_fail(IMP_ERR_ARGUMENT,
                    "no pair is left to test%s: all primitives are of one object, %s", only, there);
}

int imp_rules_missing(const imp_rules *r, size_t *at, int32_t *object)
{
    while (r && r->any && *at < r->ids) {
        const size_t i = (*at)++;
        if (!r->seen[i]) {
            *object = r->id[i];
            return 1;
        }
    }
    return 0;
}

/* ---- Checks of the caller's input before its use: missing arrays, indices beyond the vertices,
 * invalid choices. */

#define PRIMITIVES_MOST INT32_MAX
#define VERTICES_MOST (UINT32_MAX - 1)
/* indices that one thread reads in the time that waking others takes */
#define ALONE (1 << 18)

/* ---- options */

/* Enumerations of impinge.h begin with 0, the default. */
static int choice_check(const char *name, int value, int most)
{
    if (value >= 0 && value <= most)
        return IMP_OK;
    return imp_fail(IMP_ERR_ARGUMENT, "%s: there is no choice %d", name, value);
}

/* Returns whether an option that only the method "tree" has is set. */
static int def_tree(const imp_def *def)
{
    return def->volume || def->build || def->descent || def->degree || def->leaf ||
           def->hybrid_level;
}

/* If a cell is set, no option of trees is: tree_check refuses both together. */
const char *def_broad(const imp_def *def)
{
    return def->cell > 0 ? "hash" : def_tree(def) ? "tree" : def->broad;
}

static int tree_check(const imp_def *def)
{
    int err = IMP_OK;
    if (def_tree(def) && def->broad && strcmp(def->broad, "auto") && strcmp(def->broad, "tree"))
        FAIL(IMP_ERR_ARGUMENT,
             "volume, build, descent, degree, leaf, hybrid_level: of the method 'tree', not '%s'",
             def->broad);
    if (def_tree(def) && def->cell > 0)
        FAIL(IMP_ERR_ARGUMENT, "cell: only the method 'hash' has cells, not 'tree'");
    /* With degree 1 parts would never get smaller. */
    if (def->degree == 1)
        FAIL(IMP_ERR_ARGUMENT, "degree: a node of a tree has 2 children or more, not 1");
    if (def->hybrid_level && def->volume != IMP_VOLUME_HYBRID)
        FAIL(IMP_ERR_ARGUMENT, "hybrid_level: only with the volume 'hybrid'");
    TRY(choice_check("volume", def->volume, IMP_VOLUME_HYBRID));
    TRY(choice_check("build", def->build, IMP_BUILD_BOTTOM_UP));
    TRY(choice_check("descent", def->descent, IMP_DESCENT_SIMULTANEOUS));
out:
    return err;
}

static int def_check_thickness(const imp_def *def)
{
    int err = IMP_OK;
    if (!def->thickness)
        return IMP_OK;
    if (!def->rows)
        FAIL(IMP_ERR_ARGUMENT, "thickness: only with rows of pairs within it (rows)");
    if (def->rows == IMP_ROWS_OBJECTS)
        FAIL(IMP_ERR_ARGUMENT,
             "thickness: rows of objects have their least distance, whatever it is");
    if (def->distance > 0)
        FAIL(IMP_ERR_ARGUMENT, "thickness: the distance of a pair is that of its thicknesses, so "
                               "there is no other (distance)");
out:
    return err;
}

static int def_check_inside(const imp_def *def)
{
    int err = IMP_OK;
    const int rows = def->rows == IMP_ROWS_INSIDE, inside = rows || def->inside;
    TRY(choice_check("inside_open", def->inside_open, IMP_INSIDE_OPEN_SKIP));
    TRY(choice_check("inside_winding", def->inside_winding, IMP_INSIDE_POSITIVE));
    if (!inside &&
        (def->inside_object || def->relations || def->inside_open || def->inside_winding))
        FAIL(IMP_ERR_ARGUMENT, "%s: only where closed objects are solids (inside)",
             def->relations       ? "relations"
             : def->inside_object ? "inside_object"
             : def->inside_open   ? "inside_open"
                                  : "inside_winding");
    if (!inside)
        return IMP_OK;
    if (def->inside_object && !def->inside_objects)
        FAIL(IMP_ERR_ARGUMENT, "inside_objects: the list is empty; without a list all closed "
                               "objects count");
    if (def->inside_objects && !def->inside_object)
        FAIL(IMP_ERR_ARGUMENT, "inside_object: NULL, but there are to be %zu", def->inside_objects);
    if (def->rows && !rows)
        FAIL(IMP_ERR_ARGUMENT, "inside: not with pairs within a distance (rows)");
    if (rows && (def->distance > 0 || def->ring || def->thickness))
        FAIL(IMP_ERR_ARGUMENT, "%s: not with rows of vertices inside objects (rows)",
             def->ring        ? "ring"
             : def->thickness ? "thickness"
                              : "distance");
    if (def->continuous)
        FAIL(IMP_ERR_ARGUMENT, "inside: not between frames (continuous)");
    if (def->stage == IMP_STAGE_CANDIDATES)
        FAIL(IMP_ERR_ARGUMENT, "inside: candidates have no depth (stage)");
    if (def->pairs == IMP_PAIRS_SELF)
        FAIL(IMP_ERR_ARGUMENT, "inside: one object is inside another (pairs)");
    if (def->adjacent == IMP_ADJACENT_TEST)
        FAIL(IMP_ERR_ARGUMENT, "inside: vertices that two objects share touch both (adjacent)");
out:
    return err;
}

/* Columns that only contacts of frames have. what: the beginning of the error's text. */
static int def_check_contacts(const char *what, const imp_def *def)
{
    if (!def->rows && !def->continuous && def->stage != IMP_STAGE_CANDIDATES)
        return IMP_OK;
    return imp_fail(IMP_ERR_ARGUMENT, "%s, not %s", what,
                    def->rows == IMP_ROWS_INSIDE ? "vertices inside (rows)"
                    : def->rows                  ? "pairs within a distance (rows)"
                    : def->continuous            ? "those between frames (continuous)"
                                                 : "candidates (stage)");
}

int def_check(const imp_def *def)
{
    int err = IMP_OK, k = def->dop_k;
    if (k != 0 && k != 6 && k != 8 && k != 14 && k != 18 && k != 26)
        FAIL(IMP_ERR_ARGUMENT, "dop_k: %d is none of 6, 8, 14, 18, 26", k);
    /* NaN fails this form of the test. */
    if (!(def->cell >= 0 && def->cell <= DBL_MAX))
        FAIL(IMP_ERR_ARGUMENT, "cell: %g is not a positive length", def->cell);
    if (def->device && !strcasecmp(def->device, IMP_ALL_DEVICES))
        FAIL(IMP_ERR_ARGUMENT, "device: '%s' are several; only 'impinge run' takes them all",
             def->device);
    const broad_method *method;
    if (!broad_find(def->broad, &method))
        FAIL(IMP_ERR_ARGUMENT, "broad: there is no method '%s'", def->broad);
    if (def->cell > 0 && def->broad && strcmp(def->broad, "auto") && strcmp(def->broad, "hash"))
        FAIL(IMP_ERR_ARGUMENT, "cell: only the method 'hash' has cells, not '%s'", def->broad);
    if (!(def->min_separation >= 0 && def->min_separation <= DBL_MAX))
        FAIL(IMP_ERR_ARGUMENT, "min_separation: %g is not a distance", def->min_separation);
    if (def->min_separation > 0 && !def->continuous)
        FAIL(IMP_ERR_ARGUMENT, "min_separation: only between frames (continuous)");
    if (!(def->distance >= 0 && def->distance <= DBL_MAX))
        FAIL(IMP_ERR_ARGUMENT, "distance: %g is not a distance", def->distance);
    TRY(choice_check("rows", def->rows, IMP_ROWS_INSIDE));
    if (def->distance > 0 && !def->rows)
        FAIL(IMP_ERR_ARGUMENT, "distance: only with rows of pairs within it (rows)");
    if (def->ring && !def->rows)
        FAIL(IMP_ERR_ARGUMENT, "ring: only with rows of pairs within a distance (rows)");
    if (def->ring && def->stage == IMP_STAGE_CANDIDATES)
        FAIL(IMP_ERR_ARGUMENT, "ring: candidates are pairs within any number of edges (stage)");
    if (def->crossing)
        TRY(def_check_contacts("crossing: only contacts of frames can cross", def));
    if (def->end_features)
        TRY(def_check_contacts("end_features: only contacts of frames have them", def));
    if (def->rows == IMP_ROWS_OBJECTS && def->distance > 0)
        FAIL(IMP_ERR_ARGUMENT,
             "distance: rows of objects have their least distance, whatever it is");
    if (def->rows == IMP_ROWS_OBJECTS && def->pairs == IMP_PAIRS_SELF)
        FAIL(IMP_ERR_ARGUMENT, "rows: those of objects are of two different ones (pairs)");
    if (def->rows == IMP_ROWS_OBJECTS && def->stage == IMP_STAGE_CANDIDATES)
        FAIL(IMP_ERR_ARGUMENT, "rows: those of objects have no candidates (stage)");
    TRY(def_check_inside(def));
    if (def->rows && def->continuous)
        FAIL(IMP_ERR_ARGUMENT, "rows: not between frames (continuous)");
    if (def->rows && def->adjacent == IMP_ADJACENT_TEST)
        FAIL(IMP_ERR_ARGUMENT, "rows: pairs that share a vertex have the distance 0 and no row "
                               "(adjacent)");
    TRY(def_check_thickness(def));
    if (!(def->tolerance >= 0 && def->tolerance <= DBL_MAX))
        FAIL(IMP_ERR_ARGUMENT, "tolerance: %g is not a distance", def->tolerance);
    if (def->tolerance > 0 && !def->continuous)
        FAIL(IMP_ERR_ARGUMENT, "tolerance: only between frames (continuous)");
    TRY(tree_check(def));
    if (def->threads < 0 || def->threads > THREADS_MOST)
        FAIL(IMP_ERR_ARGUMENT, "threads: %d, at most %d are possible", def->threads, THREADS_MOST);
    TRY(choice_check("adjacent", def->adjacent, IMP_ADJACENT_TEST));
    TRY(choice_check("pairs", def->pairs, IMP_PAIRS_BETWEEN));
    TRY(choice_check("stage", def->stage, IMP_STAGE_CANDIDATES));
    TRY(choice_check("on_bad", def->on_bad, IMP_BAD_SKIP));
    TRY(choice_check("update", def->update, IMP_UPDATE_KEEP));
    if (def->object_pairs > UINT32_MAX)
        FAIL(IMP_ERR_ARGUMENT, "object_pairs: %zu are too many", def->object_pairs);
    if (def->object_pairs && !def->object_pair)
        FAIL(IMP_ERR_ARGUMENT, "object_pair: NULL, but there are to be %zu", def->object_pairs);
    if (def->object_pair && !def->object_pairs && !def->object_pairs_exclude)
        FAIL(IMP_ERR_ARGUMENT, "object_pairs: the list is empty, which leaves no pair to test; "
                               "without a list all pairs are tested");
out:
    return err;
}

/* ---- frames */

/* Only called where a bad corner exists, so the search ends. */
static int index_fail(const imp_frame *f)
{
    const imp_mesh *m = f->mesh;
    size_t i = 0;
    uint32_t n = mesh_corners(m);
    while (mesh_vertex(m, i / n, (uint32_t)(i % n)) < m->vertices)
        i++;
    return imp_fail(IMP_ERR_ARGUMENT,
                    "frame %llu: corner %zu of %s %zu is vertex %u, but there are %u",
                    (unsigned long long)f->number, i % n, mesh_kind_name(m, i / n), i / n,
                    m->corner[i], m->vertices);
}

/* Checks each primitive's own corners in a mesh of triangles and tetrahedra. Corners behind them
 * may be anything: no stage uses them as vertices. */
static int mixed_check(const imp_frame *f)
{
    const imp_mesh *m = f->mesh;
    for (size_t i = 0; i < m->primitives; i++) {
        if (m->corner_count[i] != IMP_TRIANGLES && m->corner_count[i] != IMP_TETRAHEDRA)
            return imp_fail(IMP_ERR_ARGUMENT,
                            "frame %llu: primitive %zu has %u corners, 3 or 4 are possible",
                            (unsigned long long)f->number, i, m->corner_count[i]);
        for (uint32_t k = 0; k < m->corner_count[i]; k++)
            if (mesh_vertex(m, i, k) >= m->vertices)
                return index_fail(f);
    }
    return IMP_OK;
}

/* Checks the maximum alone, as fast as memory is read; only an error searches for the corner. */
static int index_check(const imp *p, const imp_frame *f)
{
    const uint32_t *index = f->mesh->corner;
    int64_t n = (int64_t)mesh_corner_count(f->mesh);
    uint32_t most = 0;
    (void)p;
    if (f->mesh->corner_count)
        return mixed_check(f);
#pragma omp parallel num_threads(p->context.threads) if (n > ALONE)
    EACH_IN_FLOAT_ENV
#pragma omp for reduction(max : most) nowait
    for (int64_t i = 0; i < n; i++)
        most = index[i] > most ? index[i] : most;
    return n && most >= f->mesh->vertices ? index_fail(f) : IMP_OK;
}

static int thickness_check(const imp_frame *f)
{
    const imp_mesh *m = f->mesh;
    for (uint32_t i = 0; i < m->primitives; i++)
        if (!(m->thickness[i] >= 0 && m->thickness[i] <= DBL_MAX))
            return imp_fail(IMP_ERR_ARGUMENT,
                            "frame %llu: the thickness of %s %u is %g, which is not finite and at "
                            "least 0",
                            (unsigned long long)f->number, mesh_kind_name(m, i), i,
                            m->thickness[i]);
    return IMP_OK;
}

static int frame_check(const imp *p, const imp_frame *f)
{
    int err = IMP_OK;
    unsigned long long number = f->number;
    const imp_mesh *m = f->mesh;
    if (!m)
        FAIL(IMP_ERR_ARGUMENT, "frame %llu: mesh is NULL", number);
    if (f->type != IMP_FLOAT64 && f->type != IMP_FLOAT32)
        FAIL(IMP_ERR_ARGUMENT, "frame %llu: there is no type %d of points", number, f->type);
    if (m->corners < 0 || m->corners > IMP_TETRAHEDRA)
        FAIL(IMP_ERR_ARGUMENT, "frame %llu: primitives of %d corners, at most %d are possible",
             number, m->corners, IMP_TETRAHEDRA);
    if (m->corner_count && m->corners != IMP_TETRAHEDRA)
        FAIL(IMP_ERR_ARGUMENT,
             "frame %llu: only of primitives of 4 corners some may have 3, not of %u", number,
             mesh_corners(m));
    if (m->primitives > PRIMITIVES_MOST)
        FAIL(IMP_ERR_ARGUMENT, "frame %llu: %u primitives, at most %d are possible", number,
             m->primitives, PRIMITIVES_MOST);
    if (m->vertices > VERTICES_MOST)
        FAIL(IMP_ERR_ARGUMENT, "frame %llu: %u vertices, at most %u are possible", number,
             m->vertices, VERTICES_MOST);
    if (m->primitives && !m->corner)
        FAIL(IMP_ERR_ARGUMENT, "frame %llu: corner is NULL, but there are to be %u", number,
             m->primitives);
    if (p->def.ids && m->primitives && !m->id)
        FAIL(IMP_ERR_ARGUMENT, "frame %llu: id is NULL, but there are to be %u", number,
             m->primitives);
    if (p->def.thickness && m->primitives && !m->thickness)
        FAIL(IMP_ERR_ARGUMENT, "frame %llu: thickness is NULL, but there are to be %u", number,
             m->primitives);
    if (m->vertices && !f->point)
        FAIL(IMP_ERR_ARGUMENT, "frame %llu: point is NULL, but there are to be %u vertices", number,
             m->vertices);
    TRY(bodies_listed(m, &(bodies_of){IMP_ERR_ARGUMENT, NULL, number}));
    /* The time decides how far bodies rotate. */
    if (!isfinite(f->time))
        FAIL(IMP_ERR_ARGUMENT, "frame %llu: its time is %g", number, f->time);
out:
    return err;
}

/* *found: the bodies of the mesh that was checked last. */
static int poses_look(imp *p, const imp_frame *f, body_set *found)
{
    int err = IMP_OK;
    const bodies_of of = {IMP_ERR_ARGUMENT, NULL, f->number};
    if (!f->pose || !f->mesh->bodies)
        return IMP_OK;
    if (found->mesh != f->mesh) {
        bodies_free(&p->mem, found);
        TRY(bodies_find(&p->mem, f->mesh, &of, found));
        bodies_measure(found);
    }
    err = bodies_check(found, f, p->context.threads, &of);
out:
    return err;
}

/* Consecutive frames mostly share one mesh: its corners are checked once, points and poses in each
 * frame. */
int frames_check(imp *p, const imp_frame *frames, size_t count)
{
    int err = IMP_OK;
    body_set found = {0};
    if (count && !frames)
        FAIL(IMP_ERR_ARGUMENT, "frames: NULL, but there are to be %zu", count);
    for (size_t i = 0; i < count; i++) {
        TRY(frame_check(p, &frames[i]));
        const int checked = p->def.unchecked || (i && frames[i].mesh == frames[i - 1].mesh);
        if (!checked)
            TRY(index_check(p, &frames[i]));
        if (!checked && p->def.thickness)
            TRY(thickness_check(&frames[i]));
        if (!p->def.unchecked)
            TRY(poses_look(p, &frames[i], &found));
        if (p->def.continuous && i && frames[i].mesh != frames[i - 1].mesh)
            FAIL(IMP_ERR_ARGUMENT,
                 "frame %llu: another mesh than frame %llu: no vertices to follow",
                 (unsigned long long)frames[i].number, (unsigned long long)frames[i - 1].number);
    }
out:
    bodies_free(&p->mem, &found);
    return err;
}
