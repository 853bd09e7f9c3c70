/* The files of `impinge pcs`: see pcs_run.h. OUT is completed last: if it exists, all files do. */
#define _GNU_SOURCE
#include "clock.h"
#include "error.h"
#include "hash64.h"
#include "pcs_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* ---- names */

int pcs_name_beside(const pcs_run *r, const char *suffix, char **out)
{
    static const char ending[] = ".vtkhdf";
    const size_t tail = sizeof ending - 1;
    size_t length = strlen(r->o.out);
    /* a file that is called .vtkhdf has no ending */
    if (length > tail && r->o.out[length - tail - 1] != '/' &&
        !strcasecmp(r->o.out + length - tail, ending))
        length -= tail;
    if (asprintf(out, "%.*s%s", (int)length, r->o.out, suffix) < 0) {
        *out = NULL;
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    }
    return IMP_OK;
}

static int claim_beside(pcs_run *r, enum pcs_text which, const char *suffix, int force)
{
    char *name = NULL;
    int err = pcs_name_beside(r, suffix, &name);
    if (err)
        return err;
    err = outputs_text(&r->outputs, "-o", name, force, &r->text[which]);
    free(name);
    return err;
}

static int name_files(pcs_run *r)
{
    int err = IMP_OK;
    TRY(pcs_name_beside(r, ".batch.vtkhdf", &r->batch));
    TRY(pcs_name_beside(r, ".state.part", &r->state));
    TRY(pcs_name_beside(r, ".cps.csv.part", &r->curve));
out:
    return err;
}

/* True with --resume after an earlier run, which may have made some of the files. */
static int goes_on(const pcs_run *r)
{
    return r->o.resume && (!access(r->state, F_OK) || !access(r->o.out, F_OK));
}

int pcs_claim_input(pcs_run *r)
{
    return r->o.in ? outputs_reads_hdf5(&r->outputs, r->o.in) : IMP_OK;
}

int pcs_claim_files(pcs_run *r)
{
    int err = IMP_OK;
    TRY(name_files(r));
    const int force = r->o.force || goes_on(r);
    TRY(store_path_check(r->o.out, force));
    TRY(store_path_check(r->batch, force));
    TRY(pcs_claim_input(r));
    TRY(outputs_grows(&r->outputs, "-o", r->o.out));
    TRY(outputs_grows(&r->outputs, "-o", r->batch));
    TRY(claim_beside(r, PCS_CSV, ".cps.csv", force));
    TRY(claim_beside(r, PCS_SVG, ".cps.svg", force));
    TRY(outputs_json(&r->outputs, r->o.json, r->o.force || pcs_owns_json(r), &r->text[PCS_JSON]));
out:
    return err;
}

/* ---- opening */

/* The form of job_normal_form as far as readers parse it: F frames are F - 1 steps. */
static void normal_form(const pcs_run *r, char *out, size_t size)
{
    const pcs_options *o = &r->o;
    int at = o->in ? snprintf(out, size, "batch=%016llx", (unsigned long long)r->input.hash)
                   : snprintf(out, size, "scene=%s push=%.17g bodies=%llu ratio=%.17g seed=%llu",
                              o->scene, o->push, (unsigned long long)o->bodies, o->ratio,
                              (unsigned long long)o->seed);
    snprintf(out + at, size - (size_t)at,
             " step=%.17g epsilon=%.17g frames=0+%llu*1 continuous=1 objects=id", o->step,
             o->epsilon, (unsigned long long)o->frames + 1);
}

static result_provenance pcs_files_provenance(const pcs_run *r, const char *options)
{
    static const imp_def def = {.continuous = 1, .stage = IMP_STAGE_CONTACTS};
    return (result_provenance){.command = r->command,
                               .options = options,
                               .device = simulation_device(r->s),
                               .input = r->batch,
                               .json = r->text[PCS_JSON].absolute,
                               .names = &r->names,
                               .def = &def,
                               .simulated = 1,
                               .frames = {.most = r->found}};
}

/* A run that was killed at its very end may already have renamed the batch. */
static int resume_batch(pcs_run *r, const batch_def *def, batch_writer **out)
{
    int err = IMP_OK;
    char *part = NULL;
    imp_frame f;
    TRY(store_part_name(r->batch, &part));
    if (access(part, F_OK) && rename(r->batch, part))
        FAIL(IMP_ERR_INPUT, "%s: is missing; %s cannot be resumed", part, r->o.out);
    simulation_frame(r->s, &f);
    TRY(batch_resume(&r->mem, r->batch, def, &f, r->found + 1, out));
out:
    free(part);
    return err;
}

int pcs_open_batch(pcs_run *r, const char *path, int force, batch_writer **out)
{
    int err = IMP_OK;
    const batch_def def = {.force = force,
                           .objects = 1,
                           .bodies = 1,
                           .changes = !r->o.batch_only,
                           .resumable = !r->o.batch_only,
                           .matter = simulation_matter(r->s)};
    TRY(r->found ? resume_batch(r, &def, out) : batch_create(&r->mem, path, &def, out));
    for (size_t i = 0; i < r->names.objects; i++)
        TRY(batch_name_object(*out, r->names.object[i], r->names.object_name[i]));
out:
    return err;
}

/* Other files of an earlier run are not replaced if its state is missing; with --resume, the error
 * says why it cannot continue. */
static int say_missing(const pcs_run *r, int had, int err)
{
    char text[512];
    if (err != IMP_ERR_EXISTS || had || !r->o.resume)
        return err;
    snprintf(text, sizeof text, "%s", imp_error_text());
    return imp_fail(err, "%s: is missing, so --resume cannot go on; %s", r->state, text);
}

/* The state is written before any of the other files, so that files left by a kill can be
 * recognised. */
static int pcs_files_create(pcs_run *r, const result_provenance *provenance, result **to,
                            batch_writer **w)
{
    int err = IMP_OK;
    const int force = r->o.force || r->begun;
    const int had = r->begun || !access(r->state, F_OK);
    if (!r->begun)
        TRY(pcs_state_write(r));
    err = result_create(&r->mem, r->o.out, force, provenance, to);
    if (err && !had)
        unlink(r->state);
    TRY(say_missing(r, had, err));
    TRY(say_missing(r, had, pcs_open_batch(r, r->batch, force, w)));
    TRY(pcs_append_frame(r, *w));
    TRY(pcs_commit(r, *to, *w));
out:
    return err;
}

static int pcs_files_continue(pcs_run *r, const result_provenance *provenance, result **to,
                              batch_writer **w)
{
    int err = IMP_OK;
    uint64_t done;
    TRY(result_resume(&r->mem, r->o.out, 1, provenance, to, &done));
    if (done != r->found)
        FAIL(IMP_ERR_INPUT, "%s.part: has %llu frames, of which %llu are needed; cannot be resumed",
             r->o.out, (unsigned long long)done, (unsigned long long)r->found);
    TRY(pcs_open_batch(r, r->batch, 1, w));
    TRY(pcs_commit(r, *to, *w));
out:
    return err;
}

int pcs_open_files(pcs_run *r, result **to, batch_writer **w)
{
    int err = IMP_OK;
    char normal[512];
    result_provenance provenance;
    normal_form(r, normal, sizeof normal);
    provenance = pcs_files_provenance(r, normal);
    const int is_done = r->o.resume ? result_is_done(&r->mem, r->o.out, &provenance) : 0;
    if (is_done < 0 && !(is_done == IMP_ERR_EXISTS && r->o.force))
        TRY(is_done);
    r->complete = is_done > 0;
    if (r->complete)
        goto out;
    TRY(pcs_resume(r, normal));
    provenance.frames.most = r->found;
    TRY(r->found ? pcs_files_continue(r, &provenance, to, w)
                 : pcs_files_create(r, &provenance, to, w));
out:
    return err;
}

/* ---- completing */

static int write_text(pcs_run *r, enum pcs_text which)
{
    text_output *to = &r->text[which];
    int err = text_output_begin(to);
    if (err)
        return err;
    err = which == PCS_CSV ? pcs_write_csv(r, to->file) : pcs_write_svg(r, to->file);
    return text_output_end(to, err);
}

/* The rows are on disk before anything else is complete, and OUT is renamed last. */
int pcs_finish(pcs_run *r, result *to, batch_writer **w)
{
    int err = IMP_OK;
    uint64_t bytes, hash;
    batch_writer *frames = *w;
    TRY(pcs_commit(r, to, frames));
    *w = NULL; /* batch_finish frees it */
    TRY(batch_finish(frames));
    TRY(file_hash(r->batch, &bytes, &hash));
    TRY(result_set_input(to, bytes, hash));
    TRY(write_text(r, PCS_CSV));
    TRY(write_text(r, PCS_SVG));
out:
    return err;
}

/* ---- The state with which `impinge pcs --resume` continues: see pcs_run.h.
 *
 * BASE.state.part has the number of frames that are complete in OUT.part and
 * BASE.batch.vtkhdf.part, and everything that the next frame depends on. It is replaced atomically,
 * after both files have these frames on disk, so they never have fewer; frames beyond that number
 * are cut off. It is created before those files and exists until OUT has its name.
 * BASE.cps.csv.part is for readers only. */

#define MAGIC "impinge pcs 1\n"
#define SELDOM 20 /* pause between two commits, as a multiple of the last one's time */

typedef struct state_file {
    char magic[16];
    uint64_t provenance; /* hash of the options and the version */
    uint64_t frames;     /* there is one entry of counts for each */
    uint64_t bytes;      /* size of the simulation's state */
    uint64_t hash;       /* hash of the counts and the state */
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

/* One of the two files that grow by being replaced. */
typedef struct replacement {
    const char *path;
    const state_file *head; /* NULL: the curve */
    const void *state;
} replacement;

static int put_one(const pcs_run *r, const replacement *p, FILE *out)
{
    if (p->head)
        return put_all(p->head, r->counts, p->state, out);
    return !pcs_write_csv(r, out) && !fflush(out);
}

/* Writes to another name first, so that one complete file exists at any moment. */
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

/* Reads the file's contents after the head, completely or not at all. */
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
    /* at the beginning of an allocation, since the state must be aligned */
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
