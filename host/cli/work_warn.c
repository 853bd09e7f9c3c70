/* Reasons for an empty answer that the user may not have meant: an error if no contact can be found
 * at all, else a warning. */
#include "work.h"

#include "error.h"
#include "summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMED_MOST 8 /* objects named in a message */

/* ---- lists of pairs of objects */

/* Which of the list's objects occur in some frame, and whether any pair may be tested. */
typedef struct list_use {
    int32_t *id; /* [ids] of the list, ascending */
    uint8_t *seen;
    size_t ids;
    int32_t *there; /* [there_count] of the last frame read */
    uint64_t there_count;
    int possible;
} list_use;

static int id_compare(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static int has(const int32_t *ids, uint64_t n, int32_t id)
{
    return n && bsearch(&id, ids, n, sizeof id, id_compare) != NULL;
}

/* Each object once, also if several pairs name it. */
static int list_ids(work *w, list_use *u)
{
    int err = IMP_OK;
    const object_pairs *l = &w->pairs_list;
    TRY(mem_alloc(&w->mem.read, 2 * l->count * sizeof *u->id, &u->id));
    TRY(mem_alloc(&w->mem.read, 2 * l->count, &u->seen));
    memcpy(u->id, l->pair, 2 * l->count * sizeof *u->id);
    if (l->count)
        qsort(u->id, 2 * l->count, sizeof *u->id, id_compare);
    for (size_t i = 0; i < 2 * l->count; i++)
        if (i == 0 || u->id[i] != u->id[i - 1])
            u->id[u->ids++] = u->id[i];
    memset(u->seen, 0, u->ids);
out:
    return err;
}

/* May a pair of these two objects be tested, apart from a list? */
static int pairs_allow(const work *w, int32_t a, int32_t b)
{
    return w->given.pairs == IMP_PAIRS_ALL || (w->given.pairs == IMP_PAIRS_SELF) == (a == b);
}

/* Pairs of n objects that may be tested without a list. In double: n * n may exceed 64 bits. */
static double pairs_of(const work *w, double n)
{
    double self = w->given.pairs == IMP_PAIRS_BETWEEN ? 0 : n;
    return self + (w->given.pairs == IMP_PAIRS_SELF ? 0 : n * (n - 1) / 2);
}

/* Pairs are counted, not listed: there may be millions. */
static void use_frame(const work *w, const int32_t *ids, uint64_t n, list_use *u)
{
    const object_pairs *l = &w->pairs_list;
    double listed = 0;
    for (size_t i = 0; i < u->ids; i++)
        if (has(ids, n, u->id[i]))
            u->seen[i] = 1;
    for (size_t i = 0; i < l->count; i++) {
        int32_t a = l->pair[i][0], b = l->pair[i][1];
        listed += pairs_allow(w, a, b) && has(ids, n, a) && has(ids, n, b);
    }
    u->possible |= l->exclude ? pairs_of(w, (double)n) > listed : listed > 0;
}

/* Reads the objects of all selected frames, of a static topology only once. The ids are copied,
 * since the next read invalidates them. */
static int use_frames(work *w, list_use *u)
{
    int err = IMP_OK;
    const int32_t *ids;
    uint64_t frames = w->info.static_topology && w->slice.count ? 1 : w->slice.count;
    for (uint64_t i = 0; i < frames; i++) {
        TRY(work_objects(w, i, &ids, &u->there_count));
        use_frame(w, ids, u->there_count, u);
        TRY(mem_grow(&w->mem.read, 0, u->there_count * sizeof *ids, &u->there));
        memcpy(u->there, ids, u->there_count * sizeof *ids);
    }
out:
    return err;
}

/* "0, 1, 5 and 3 more" */
static const char *ids_text(const int32_t *id, const uint8_t *leave_out, size_t n)
{
    static char out[NAMED_MOST * 13 + 40];
    size_t at = 0, named = 0, more = 0;
    out[0] = 0;
    for (size_t i = 0; i < n; i++) {
        if (leave_out && leave_out[i])
            continue;
        if (named == NAMED_MOST) {
            more++;
            continue;
        }
        at += (size_t)snprintf(out + at, sizeof out - at, "%s%d", named++ ? ", " : "", id[i]);
    }
    if (more)
        snprintf(out + at, sizeof out - at, " and %s more", grouped(more));
    return out;
}

/* A list that can match nothing is most likely a wrong file. */
static int check_list(work *w)
{
    int err = IMP_OK;
    list_use u = {0};
    const char *how = w->given.pairs == IMP_PAIRS_SELF      ? " with --pairs self"
                      : w->given.pairs == IMP_PAIRS_BETWEEN ? " with --pairs between"
                                                            : "";
    TRY(list_ids(w, &u));
    TRY(use_frames(w, &u));
    if (w->slice.count && w->primitives && !u.possible)
        FAIL(IMP_ERR_ARGUMENT,
             "--object-pairs: %s leaves no pair to test%s; the objects of %s are %s",
             w->given.object_pairs, how, w->path, ids_text(u.there, NULL, u.there_count));
    size_t missing = 0;
    for (size_t i = 0; i < u.ids; i++)
        missing += !u.seen[i];
    if (missing)
        warn(&w->warnings, "--object-pairs: %s: no selected frame has the object%s %s",
             w->given.object_pairs, missing > 1 ? "s" : "", ids_text(u.id, u.seen, u.ids));
out:
    mem_free(&w->mem.read, u.id);
    mem_free(&w->mem.read, u.seen);
    mem_free(&w->mem.read, u.there);
    return err;
}

/* ---- before the first frame, and after the last */

/* Selected frames without a primitive. */
static uint64_t empty_frames(const work *w)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < w->slice.count; i++) {
        uint64_t verts, prims;
        batch_size(w->in, slice_frame(&w->slice, i), &verts, &prims);
        n += prims == 0;
    }
    return n;
}

int work_warn_first(work *w)
{
    int err = IMP_OK;
    uint64_t empty = empty_frames(w), n;
    const char *remark;
    const int32_t *ids;
    /* a wrong topology is reported before any warning; a frame in slabs is not read for that */
    if (w->slice.count && !w->space.slabs)
        TRY(work_objects(w, 0, &ids, &n));
    if (!w->info.frames)
        warn(&w->warnings, "%s: has no frames", w->path);
    else if (empty == w->slice.count)
        warn(&w->warnings, "%s: has no %s in any selected frame", w->path, work_noun(w));
    else if (empty)
        warn(&w->warnings, "%s: %s of %s selected frames have no %s", w->path, grouped(empty),
             grouped(w->slice.count), work_noun(w));
    if (w->ghosts)
        warn(&w->warnings, "%s: %s (vtkGhostType) left out", w->path,
             counted(w->ghosts, "ghost cell"));
    if (w->given.continuous && w->slice.count == 1)
        warn(&w->warnings,
             "%s: only one frame is selected: there is no step to another one, so no contact can "
             "be found",
             w->path);
    for (size_t i = 0; w->info.frames && (remark = batch_remark(w->in, i)); i++)
        warn(&w->warnings, "%s: %s", w->path, remark);
    if (w->pairs_list.pair)
        TRY(check_list(w));
out:
    return err;
}

/* With a single object "between" was probably a mistake. */
static void warn_one_object(work *w)
{
    const char *noun = work_noun(w);
    int by_id = !w->given.objects || !strcmp(w->given.objects, "id");
    if (by_id && !w->info.has_object)
        warn(&w->warnings,
             "%s: --pairs between: there is no CellData/ObjectId, so all %ss belong to one object",
             w->path, noun);
    else
        warn(&w->warnings, "%s: --pairs between: all %ss of each frame belong to one object",
             w->path, noun);
}

/* Only after all frames: before, the number of omitted primitives is not known. */
void work_warn_last(work *w, uint64_t bad, uint64_t bad_frames)
{
    if (w->sums.too_many)
        warn(&w->warnings, "--json: more pairs of objects meet than fit into --mem-limit; "
                           "object_pairs is left out");
    if (w->given.pairs == IMP_PAIRS_BETWEEN && w->object_count == 1)
        warn_one_object(w);
    if (bad && bad == w->primitives)
        warn(&w->warnings, "%s: all %ss were left out: each has a bad vertex", w->path,
             work_noun(w));
    else if (bad_frames)
        warn(&w->warnings, "%s: all %ss of %s were left out: each has a bad vertex", w->path,
             work_noun(w), counted(bad_frames, "frame"));
}
