/* See work.h: --baseline, a frame whose pairs are left out of the result. */
#include "work.h"

#include "error.h"

#include <stdlib.h>
#include <string.h>

/* ---- which frame */

int job_baseline_open(job *j)
{
    const char *text = j->given.baseline;
    char *end;
    if (!text)
        return IMP_OK;
    const unsigned long long frame = strtoull(text, &end, 10);
    if (!*text || *end || strspn(text, "0123456789") != strlen(text))
        return imp_fail(IMP_ERR_ARGUMENT, "--baseline: '%s' is not the number of a frame", text);
    if (frame >= j->info.frames)
        return imp_fail(IMP_ERR_ARGUMENT, "--baseline: there is no frame %s; %s has %llu", text,
                        j->path, (unsigned long long)j->info.frames);
    j->baseline.given = 1;
    j->baseline.frame = frame;
    return IMP_OK;
}

/* ---- its pairs */

typedef struct job_pair_sink {
    job *job;
    const uint32_t *number; /* of the frame's primitives */
} job_pair_sink;

/* The pipeline's sink. */
static int job_baseline_add_pairs(void *user, const imp_contacts *c)
{
    const job_pair_sink *s = user;
    return baseline_add(&s->job->baseline, &s->job->mem.read, c, s->number);
}

/* The same rules, but contacts of one frame, in which nothing moves. What rows have besides their
 * pairs is not needed. */
static imp_def job_baseline_def(const job *j)
{
    imp_def def = j->def;
    def.continuous = def.solids = def.ids = 0;
    def.min_separation = def.tolerance = 0;
    def.stage = IMP_STAGE_CONTACTS;
    def.update = IMP_UPDATE_REBUILD;
    return def;
}

/* Positions of primitives mean the same in all selected frames, so the first one is enough. */
static int job_baseline_check_mesh(job *j, const batch_block *b)
{
    int err = IMP_OK;
    batch_block first = {0};
    if (!j->slice.count)
        return IMP_OK;
    TRY(batch_read(j->in, frame_slice_at(&j->slice, 0), 1, 1, &first));
    const char *what = batch_mesh_differs(b->frame->mesh, first.frame->mesh);
    if (what)
        FAIL(IMP_ERR_INPUT,
             "%s: --baseline: frames %llu and %llu have different meshes (%s), so their pairs "
             "cannot be compared",
             j->path, (unsigned long long)j->baseline.frame,
             (unsigned long long)frame_slice_at(&j->slice, 0), what);
out:
    batch_block_free(&first);
    return err;
}

int job_baseline_read(job *j)
{
    int err = IMP_OK;
    imp *p = NULL;
    batch_block b = {0};
    imp_def def = job_baseline_def(j);
    if (!j->baseline.given)
        return IMP_OK;
    TRY(batch_read(j->in, j->baseline.frame, 1, 1, &b));
    TRY(job_baseline_check_mesh(j, &b));
    TRY(job_open_for_baseline(j, &def, &p));
    job_pair_sink to = {j, batch_block_slab(&b, 0)->number};
    err = imp_detect(p, b.frame, 1, job_baseline_add_pairs, &to, NULL);
    TRY(job_detect_error(j, err));
out:
    imp_destroy(p);
    batch_block_free(&b);
    return err;
}
