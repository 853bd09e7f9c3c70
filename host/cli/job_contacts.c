/* See job.h: --contacts, which contacts have a row, and --end-features. */
#include "job.h"

#include "cli.h"
#include "error.h"

#include <stdio.h>

int job_contacts_check(const job_options *j)
{
    const char *other = j->continuous                      ? "--continuous"
                        : j->stage == IMP_STAGE_CANDIDATES ? "--stage candidates"
                        : j->distance.given                ? "--distance"
                        : j->thickness                     ? "--thickness"
                        : job_rows(j) == IMP_ROWS_OBJECTS  ? "--rows objects"
                        : job_rows(j) != IMP_ROWS_CONTACTS ? "--inside"
                                                           : NULL;
    if (j->contacts && other)
        return imp_fail(IMP_ERR_ARGUMENT,
                        "--contacts crossing: not with %s: only contacts of frames cross", other);
    if (j->end_features && other)
        return imp_fail(IMP_ERR_ARGUMENT, "--%s: not with %s: only contacts of frames have them",
                        j->end_features == JOB_END_FEATURES_CONTOURS  ? "contours"
                        : j->end_features == JOB_END_FEATURES_REGIONS ? "regions"
                                                                      : "end-features",
                        other);
    return IMP_OK;
}

void job_contacts_normal(const job *j, char *out, size_t size)
{
    snprintf(out, size, "%s%s", j->given.contacts ? " contacts=crossing" : "",
             j->given.end_features ? " end-features=1" : "");
}
