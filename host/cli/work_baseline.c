/* See work.h: --baseline, a frame whose pairs are left out of the result. */
#include "work.h"

#include "error.h"

#include <stdlib.h>
#include <string.h>

/* ---- which frame */

int work_baseline_open(work *w)
{
    const char *text = w->given.baseline;
    char *end;
    if (!text)
        return IMP_OK;
    const unsigned long long frame = strtoull(text, &end, 10);
    if (!*text || *end || strspn(text, "0123456789") != strlen(text))
        return imp_fail(IMP_ERR_ARGUMENT, "--baseline: '%s' is not the number of a frame", text);
    if (frame >= w->info.frames)
        return imp_fail(IMP_ERR_ARGUMENT, "--baseline: there is no frame %s; %s has %llu", text,
                        w->path, (unsigned long long)w->info.frames);
    w->baseline.given = 1;
    w->baseline.frame = frame;
    return IMP_OK;
}

/* ---- its pairs */

typedef struct pair_sink {
    work *w;
    const uint32_t *number; /* of the frame's primitives */
} pair_sink;

/* The pipeline's sink. */
static int add_pairs(void *user, const imp_contacts *c)
{
    const pair_sink *s = user;
    return baseline_add(&s->w->baseline, &s->w->mem.read, c, s->number);
}

/* The same rules, but contacts of one frame, in which nothing moves. What rows have besides their
 * pairs is not needed. */
static imp_def frame_def(const work *w)
{
    imp_def def = w->def;
    def.continuous = def.solids = def.ids = 0;
    def.min_separation = def.tolerance = 0;
    def.stage = IMP_STAGE_CONTACTS;
    def.update = IMP_UPDATE_REBUILD;
    return def;
}

/* Positions of primitives mean the same in all selected frames, so the first one is enough. */
static int job_baseline_check_mesh(work *w, const batch_block *b)
{
    int err = IMP_OK;
    batch_block first = {0};
    if (!w->slice.count)
        return IMP_OK;
    TRY(batch_read(w->in, slice_frame(&w->slice, 0), 1, 1, &first));
    const char *what = batch_mesh_differs(b->frame->mesh, first.frame->mesh);
    if (what)
        FAIL(IMP_ERR_INPUT,
             "%s: --baseline: frames %llu and %llu have different meshes (%s), so their pairs "
             "cannot be compared",
             w->path, (unsigned long long)w->baseline.frame,
             (unsigned long long)slice_frame(&w->slice, 0), what);
out:
    batch_block_free(&first);
    return err;
}

int work_baseline(work *w)
{
    int err = IMP_OK;
    imp *p = NULL;
    batch_block b = {0};
    imp_def def = frame_def(w);
    if (!w->baseline.given)
        return IMP_OK;
    TRY(batch_read(w->in, w->baseline.frame, 1, 1, &b));
    TRY(job_baseline_check_mesh(w, &b));
    TRY(work_engine_before(w, &def, &p));
    pair_sink to = {w, batch_block_slab(&b, 0)->number};
    err = imp_detect(p, b.frame, 1, add_pairs, &to, NULL);
    TRY(work_detect_error(w, err));
out:
    imp_destroy(p);
    batch_block_free(&b);
    return err;
}
