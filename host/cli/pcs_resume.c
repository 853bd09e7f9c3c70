/* What lets `impinge pcs --resume` go on: see pcs_run.h.
 *
 * OUT.state.part says how many frames are whole in OUT.part and OUT.batch.vtkhdf.part, and all that
 * the next one depends on. It is replaced at once, after both files have these frames on the disk,
 * so they never have fewer; what they have beyond is cut off. It is there before they are, and
 * until OUT has its name. OUT.cps.csv.part is for readers only. */
#define _GNU_SOURCE
#include "pcs_run.h"

#include "clock.h"
#include "error.h"
#include "hash64.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAGIC "impinge pcs 1\n"
#define SELDOM 20 /* times as long as the last commit took is at least between two */

typedef struct state_file {
    char magic[16];
    uint64_t provenance; /* of the options and the version */
    uint64_t frames;     /* which have as many counts */
    uint64_t bytes;      /* of the state */
    uint64_t hash;       /* of the counts and the state */
} state_file;

static uint64_t pcs_resume_provenance(const char *options)
{
    char all[600];
    const int n = snprintf(all, sizeof all, "%s %s", IMP_VERSION, options);
    return hash64(all, (size_t)n);
}

static int pcs_resume_failed(const char *path)
{
    return imp_fail(errno == ENOSPC || errno == EDQUOT ? IMP_ERR_DISK : IMP_ERR_FILE,
                    "%s: cannot be written: %s", path, strerror(errno));
}

/* ---- writing */

static int put_all(const state_file *h, const pcs_counts *counts, const void *state, FILE *out)
{
    return fwrite(h, sizeof *h, 1, out) == 1 &&
           (!h->frames ||
            fwrite(counts, sizeof *counts, (size_t)h->frames, out) == (size_t)h->frames) &&
           fwrite(state, 1, (size_t)h->bytes, out) == (size_t)h->bytes && !fflush(out) &&
           !fsync(fileno(out));
}

/* One of the two files, which grows by being replaced. */
typedef struct replacement {
    const char *path;
    const state_file *head; /* NULL: it is the curve */
    const void *state;
} replacement;

static int put_one(const pcs_run *r, const replacement *p, FILE *out)
{
    if (p->head)
        return put_all(p->head, r->counts, p->state, out);
    return !pcs_write_csv(r, out) && !fflush(out);
}

/* Under another name first: at every moment one of both is whole. */
static int pcs_resume_replace_file(pcs_run *r, const replacement *p)
{
    int err = IMP_OK;
    char *fresh = NULL;
    if (asprintf(&fresh, "%s.new", p->path) < 0)
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    errno = 0;
    FILE *out = fopen(fresh, "wb");
    const int whole = out && put_one(r, p, out), closed = out && !fclose(out);
    if (!whole || !closed || rename(fresh, p->path)) {
        err = pcs_resume_failed(p->path);
        unlink(fresh);
    }
    free(fresh);
    return err;
}

int pcs_state_write(pcs_run *r)
{
    int err = IMP_OK;
    void *state = NULL;
    size_t bytes = 0;
    state_file h = {.provenance = r->provenance, .frames = r->done};
    TRY(simulation_save(r->s, &state, &bytes));
    h.bytes = bytes;
    h.hash = hash64(state, bytes) ^ hash64(r->counts, (size_t)r->done * sizeof *r->counts);
    memcpy(h.magic, MAGIC, sizeof MAGIC);
    TRY(pcs_resume_replace_file(r, &(replacement){r->state, &h, state}));
out:
    if (state)
        mem_free(&r->mem, state);
    return err;
}

int pcs_commit_rows(pcs_run *r, result *to, batch_writer *w)
{
    int err = IMP_OK;
    TRY(result_commit(to));
    TRY(batch_commit(w));
    TRY(pcs_resume_replace_file(r, &(replacement){.path = r->curve}));
out:
    return err;
}

int pcs_commit(pcs_run *r, result *to, batch_writer *w)
{
    int err = IMP_OK;
    const double start = clock_seconds();
    TRY(pcs_commit_rows(r, to, w));
    TRY(pcs_state_write(r));
    r->committed = clock_seconds();
    r->commit_took = r->committed - start;
out:
    return err;
}

int pcs_commit_is_due(const pcs_run *r)
{
    const double since = clock_seconds() - r->committed;
    return since > 1 && since > SELDOM * r->commit_took;
}

/* ---- reading */

static int pcs_resume_damaged(const pcs_run *r)
{
    return imp_fail(IMP_ERR_INPUT, "%s: damaged; cannot be resumed", r->state);
}

/* The file's contents behind the head, whole or not at all. */
static int pcs_resume_restore_state(pcs_run *r, const state_file *h, FILE *in)
{
    int err = IMP_OK;
    const size_t counts = (size_t)h->frames * sizeof *r->counts;
    char *all = NULL;
    if (h->frames > r->o.frames || h->bytes > SIZE_MAX / 2)
        return pcs_resume_damaged(r);
    TRY(mem_alloc(&r->mem, counts + (size_t)h->bytes, &all));
    if (fread(all, 1, counts + (size_t)h->bytes, in) != counts + (size_t)h->bytes ||
        (hash64(all + counts, (size_t)h->bytes) ^ hash64(all, counts)) != h->hash)
        FAIL(IMP_ERR_INPUT, "%s: damaged; cannot be resumed", r->state);
    TRY(mem_grow(&r->mem, 0, counts + sizeof *r->counts, &r->counts));
    r->capacity = (size_t)h->frames + 1;
    memcpy(r->counts, all, counts);
    /* from its own memory: what is in it must be aligned */
    memmove(all, all + counts, (size_t)h->bytes);
    TRY(simulation_restore(r->s, all, (size_t)h->bytes));
    r->done = r->found = h->frames;
out:
    if (all)
        mem_free(&r->mem, all);
    return err;
}

static int read_state(pcs_run *r, FILE *in)
{
    state_file h;
    if (fread(&h, sizeof h, 1, in) != 1 || memcmp(h.magic, MAGIC, sizeof MAGIC))
        return pcs_resume_damaged(r);
    if (h.provenance != r->provenance)
        return imp_fail(IMP_ERR_INPUT,
                        "%s: cannot be resumed: it was made with other options, from other bodies, "
                        "or by another version",
                        r->state);
    return pcs_resume_restore_state(r, &h, in);
}

int pcs_resume(pcs_run *r, const char *options)
{
    r->provenance = pcs_resume_provenance(options);
    FILE *in = fopen(r->state, "rb");
    if (!in)
        return IMP_OK;
    int err = IMP_OK;
    if (r->o.resume)
        err = read_state(r, in);
    else if (!r->o.force)
        err = imp_fail(IMP_ERR_EXISTS,
                       "%s: a simulation that was not finished; --resume goes on with it, --force "
                       "begins anew",
                       r->state);
    r->begun = r->o.resume;
    fclose(in);
    return err;
}
