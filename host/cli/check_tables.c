/* See check_tables.h. */
#include "check_tables.h"

#include "error.h"
#include "truth_bounds.h"
#include "truth_candidates.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int tables_fail(const check_tables *c, const char *name, int64_t stored, const char *how)
{
    return imp_fail(IMP_ERR_DIFFERS, "%s: %s %llu: %s is %lld, not %s", c->path,
                    job_step_name(c->job), (unsigned long long)c->at->number, name,
                    (long long)stored, how);
}

static int tables_equal(const check_tables *c, const char *name, int64_t stored, uint64_t want)
{
    char how[32];
    snprintf(how, sizeof how, "%llu", (unsigned long long)want);
    return stored == (int64_t)want ? IMP_OK : tables_fail(c, name, stored, how);
}

int check_tables_frame_number(const job *w, const char *path, const result_info *info, uint64_t k)
{
    const frame_slice *was = &w->normal_slice;
    const int64_t want = (int64_t)was->first + (int64_t)k * was->step,
                  stored = info->of.input_frame[k];
    if (stored == want)
        return IMP_OK;
    return imp_fail(IMP_ERR_DIFFERS, "%s: /impinge/input_frame: row %llu is %lld, not %lld", path,
                    (unsigned long long)k, (long long)stored, (long long)want);
}

static int compare_time(const check_tables *c)
{
    const double stored = c->info->of.time[c->k],
                 want = batch_frame_time(c->job->in, c->at->number);
    if (stored == want && signbit(stored) == signbit(want))
        return IMP_OK;
    return imp_fail(IMP_ERR_DIFFERS, "%s: %s %llu: its time in Steps/Values is %.17g, not %.17g",
                    c->path, job_step_name(c->job), (unsigned long long)c->at->number, stored,
                    want);
}

/* Bounds are rounded outwards: where pairs nearly touch, there may be more than overlap exactly. */
static int compare_candidates(const check_tables *c, check_skipped *skipped)
{
    int err = IMP_OK;
    const int64_t stored = c->info->of.candidates[c->k], rows = c->info->of.contacts[c->k];
    uint64_t count[2];
    char how[64];
    if (c->job->given.stage == IMP_STAGE_CANDIDATES && !c->job->baseline.given)
        TRY(tables_equal(c, "candidates", stored, (uint64_t)rows));
    if (c->sampled || *c->job->normal_volume || truth_bounds_turning(c->at, c->next)) {
        skipped->candidates = 1;
        return IMP_OK;
    }
    TRY(truth_bounds_count(&c->job->mem.read, c->at, c->next, &c->job->def, c->job->def.threads,
                           count));
    skipped->candidates |= count[0] != count[1];
    /* trees of oriented boxes leave out pairs, and options of contacts do not name the volume */
    if (!c->next && c->job->given.stage == IMP_STAGE_CONTACTS && stored >= rows &&
        stored < (int64_t)count[0]) {
        skipped->candidates = 1;
        return IMP_OK;
    }
    if (count[0] == count[1])
        TRY(tables_equal(c, "candidates", stored, count[0]));
    snprintf(how, sizeof how, "%llu to %llu", (unsigned long long)count[0],
             (unsigned long long)count[1]);
    if (stored < (int64_t)count[0] || stored > (int64_t)count[1])
        err = tables_fail(c, "candidates", stored, how);
out:
    return err;
}

/* How many pairs of features came near each other, where a step alone decides that. */
static int compare_features(const check_tables *c, check_skipped *skipped)
{
    int err = IMP_OK;
    const result_frames *of = &c->info->of;
    uint64_t count[2];
    if (!of->candidates_vf || !of->candidates_ee) {
        skipped->features |= c->next != NULL;
        return IMP_OK;
    }
    if (c->sampled || !truth_candidates_known(c->at, c->next, &c->job->def)) {
        skipped->features = 1;
        return IMP_OK;
    }
    TRY(truth_candidates(&c->job->mem.read, c->at, c->next, &c->job->def, c->job->def.threads,
                         count));
    TRY(tables_equal(c, "candidates_vf", of->candidates_vf[c->k], count[0]));
    TRY(tables_equal(c, "candidates_ee", of->candidates_ee[c->k], count[1]));
out:
    return err;
}

int check_tables_compare(const check_tables *c, check_skipped *skipped)
{
    int err = IMP_OK;
    TRY(compare_time(c));
    TRY(tables_equal(c, "bad_primitives", c->info->of.bad[c->k], truth_bounds_bad(c->at, c->next)));
    TRY(compare_candidates(c, skipped));
    TRY(compare_features(c, skipped));
out:
    return err;
}

void check_tables_rows(const check_tables *c, const result_rows *rows, check_skipped *skipped)
{
    for (uint64_t i = 0; i < rows->count && !skipped->points; i++)
        skipped->points = (rows->kind[i] & ~IMP_KIND_AT_START) != IMP_KIND_SOLIDS;
    skipped->turning |= rows->count && truth_bounds_turning(c->at, c->next);
}

void check_skipped_print(const check_skipped *skipped)
{
    printf("not compared: undecided, touched, seconds%s%s",
           skipped->candidates ? ", candidates" : "",
           skipped->features ? ", candidates_vf, candidates_ee" : "");
    printf(", version, command, device, input, collide_txt, csv, counts, json");
    if (skipped->points)
        printf("; Points%s only within the bounds of format.md",
               skipped->turning ? " and Share" : "");
    printf("\n");
}

/* ---- samples */

int check_sample(mem *m, uint64_t n, uint64_t count, uint8_t **out)
{
    int err = IMP_OK;
    uint64_t x = 1;
    *out = NULL;
    if (!count || count >= n)
        return IMP_OK;
    TRY(mem_alloc(m, n, out));
    memset(*out, 0, n);
    for (uint64_t chosen = 0; chosen < count;) {
        /* Knuth's MMIX generator; the upper half is used, since its low bits repeat early */
        x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint8_t *w = &(*out)[(x >> 32) % n];
        chosen += !*w;
        *w = 1;
    }
out:
    return err;
}
