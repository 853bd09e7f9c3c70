/* See job.h: what a row is: a contact, a pair within a distance, or a vertex inside an object. */
#include "job.h"

#include "cli.h"
#include "error.h"

#include <stdio.h>
#include <string.h>

int job_rows(const job_options *o)
{
    if (o->inside && o->rows != ROWS_CONTACTS)
        return IMP_ROWS_INSIDE;
    if (o->rows == ROWS_OBJECTS)
        return IMP_ROWS_OBJECTS;
    if (!o->distance.given && !o->thickness)
        return IMP_ROWS_CONTACTS;
    return o->rows == ROWS_FEATURES ? IMP_ROWS_FEATURES : IMP_ROWS_PRIMITIVES;
}

const char *job_row_noun(const job *j)
{
    const int rows = job_rows(&j->given);
    return rows == IMP_ROWS_INSIDE     ? "vertex inside"
           : rows != IMP_ROWS_CONTACTS ? "pair"
                                       : "contact";
}

const char *job_row_limit(const job *j, char out[CLI_TEXT_MOST])
{
    *out = 0;
    if (j->given.thickness && j->given.stage == IMP_STAGE_CONTACTS)
        snprintf(out, CLI_TEXT_MOST, " within their thickness");
    if (j->given.distance.given && j->given.stage == IMP_STAGE_CONTACTS)
        snprintf(out, CLI_TEXT_MOST, " within %.9g", j->given.distance.most);
    return out;
}

/* ---- options that do not go together */

static int job_rows_check_words(const job_options *j)
{
    const char *rows = j->rows == ROWS_FEATURES ? "features" : "objects";
    if ((j->rows == ROWS_VERTICES || j->rows == ROWS_CONTACTS) && !j->inside)
        return imp_fail(IMP_ERR_ARGUMENT, "--rows %s: only with --inside",
                        j->rows == ROWS_VERTICES ? "vertices" : "contacts");
    if (j->rows == ROWS_FEATURES && !j->distance.given && !j->thickness)
        return imp_fail(IMP_ERR_ARGUMENT, "--rows features: only with --distance or --thickness");
    if (j->distance.given && j->thickness)
        return imp_fail(IMP_ERR_ARGUMENT, "--thickness: not with --distance: the greatest distance "
                                          "of a pair is that of its thicknesses");
    if (j->rows == ROWS_OBJECTS && j->thickness)
        return imp_fail(IMP_ERR_ARGUMENT, "--rows objects: not with --thickness: two objects have "
                                          "a row whatever their distance is");
    if (j->rows == ROWS_OBJECTS && j->distance.given)
        return imp_fail(IMP_ERR_ARGUMENT, "--rows objects: not with --distance: two objects have a "
                                          "row whatever their distance is");
    if (j->rows == ROWS_OBJECTS && j->pairs == IMP_PAIRS_SELF)
        return imp_fail(IMP_ERR_ARGUMENT, "--rows objects: not with --pairs self: rows are of two "
                                          "different objects");
    if (j->rows > ROWS_PRIMITIVES && j->stage == IMP_STAGE_CANDIDATES)
        return imp_fail(IMP_ERR_ARGUMENT,
                        "--rows %s: not with --stage candidates, which are pairs of primitives",
                        rows);
    return IMP_OK;
}

/* A primitive and its neighbour have distance 0, so all neighbours would be rows. */
static int job_distance_check(const job_options *j)
{
    const char *option = j->distance.given ? "--distance"
                         : j->thickness    ? "--thickness"
                                           : "--rows objects";
    if (j->ring && (job_rows(j) == IMP_ROWS_CONTACTS || j->inside))
        return imp_fail(IMP_ERR_ARGUMENT,
                        "--ring: only with --distance, --thickness or --rows objects");
    if (j->ring && j->stage == IMP_STAGE_CANDIDATES)
        return imp_fail(IMP_ERR_ARGUMENT, "--ring: not with --stage candidates, which are within "
                                          "any number of edges");
    if (job_rows(j) == IMP_ROWS_CONTACTS || j->inside)
        return IMP_OK;
    if (j->continuous || j->min_separation > 0)
        return imp_fail(IMP_ERR_ARGUMENT,
                        "%s: not with %s, which is about steps between "
                        "frames",
                        option, j->continuous ? "--continuous" : "--min-separation");
    if (j->adjacent == IMP_ADJACENT_TEST)
        return imp_fail(IMP_ERR_ARGUMENT,
                        "%s: not with --adjacent test: a pair that "
                        "shares a vertex has distance 0",
                        option);
    return IMP_OK;
}

static int job_baseline_check_options(const job_options *j)
{
    if (j->baseline && j->rows == ROWS_OBJECTS)
        return imp_fail(IMP_ERR_ARGUMENT, "--baseline: not with --rows objects, whose pairs are "
                                          "not those within a distance");
    if (j->baseline && !j->continuous && !j->distance.given && !j->thickness)
        return imp_fail(IMP_ERR_ARGUMENT,
                        "--baseline: only with --continuous, --distance or --thickness");
    return IMP_OK;
}

int job_rows_check(const job_options *j)
{
    int err = IMP_OK;
    TRY(job_inside_check(j));
    TRY(job_rows_check_words(j));
    TRY(job_distance_check(j));
    TRY(job_baseline_check_options(j));
out:
    return err;
}

/* ---- the normal form */

/* The words for what a row is: a contact, one of a step, or a pair within a distance. */
void job_normal_rows(const job *j, char *out, size_t size)
{
    char word[CLI_TEXT_MOST];
    int n = snprintf(out, size, "%s", j->given.continuous ? " continuous=1" : "");
    if (j->given.distance.given)
        n += snprintf(out + n, size - (size_t)n, " distance=%.17g", j->given.distance.most);
    job_thickness_normal(j, out + n, size - (size_t)n);
    n += (int)strlen(out + n);
    job_inside_normal(j, out + n, size - (size_t)n);
    n += (int)strlen(out + n);
    if (j->given.rows > ROWS_PRIMITIVES && j->given.rows != ROWS_VERTICES)
        n += snprintf(out + n, size - (size_t)n, " rows=%s",
                      job_normal_word("rows", j->given.rows, 1, word));
    if (j->given.ring)
        n += snprintf(out + n, size - (size_t)n, " ring=%llu", (unsigned long long)j->given.ring);
    if (j->given.min_separation > 0)
        n += snprintf(out + n, size - (size_t)n, " min-separation=%.17g", j->given.min_separation);
    if (j->given.tolerance > 0)
        n += snprintf(out + n, size - (size_t)n, " tolerance=%.17g", j->given.tolerance);
    if (j->baseline.given)
        snprintf(out + n, size - (size_t)n, " baseline=%llu",
                 (unsigned long long)j->baseline.frame);
}

/* ---- before the run */

#define JOB_ROWS_MANY 1e6

/* Says before the run that its rows grow with the square of the number of objects. */
void job_warn_rows(job *j, uint64_t objects)
{
    const double pairs = 0.5 * (double)objects * ((double)objects - 1);
    const int listed = j->listed_pairs.pair && !j->listed_pairs.exclude;
    if (j->given.rows == ROWS_OBJECTS && !listed && pairs > JOB_ROWS_MANY)
        warnings_add(&j->warnings,
                     "%s: --rows objects: %s objects have a row for each two of them, %s in a "
                     "frame; --object-pairs selects pairs",
                     j->path, cli_number_text(objects),
                     cli_number_text(objects % 2 ? (objects - 1) / 2 * objects
                                                 : objects / 2 * (objects - 1)));
}
