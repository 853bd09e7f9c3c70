/* See work_options.h. */
#include "work_options.h"

#include "error.h"

#include <string.h>

/* "auto" and every method, separated by bars. */
static const char broad_choices[] = "auto"
#define X(name) "|" #name
#include "broad.def"
#undef X
    ;

const cli_option job_option_list[] = {
#define OPTION(field, name, type, argument, low, high, method, help, about)                        \
    {name, 0, CLI_##type, offsetof(job_options, field), argument, help, about, low, high, method},
#include "work_options.def"
    {0},
};

/* Callers name options of the table, so the search ends. */
const cli_option *job_option(const char *name)
{
    const cli_option *o = job_option_list;
    while (strcmp(o->name, name) != 0)
        o++;
    return o;
}

/* Checks an option of one method: *of is the first one that was given, if any. "auto" is an error
 * as well, since it might choose another method, which ignores the option. */
static int method_check(const job_options *j, const cli_option *o, const cli_option **of)
{
    if (j->broad && strcmp(j->broad, o->method) != 0)
        return imp_fail(IMP_ERR_ARGUMENT, "--%s: only --broad %s has it, not '%s'", o->name,
                        o->method, j->broad);
    if (*of && strcmp((*of)->method, o->method) != 0)
        return imp_fail(IMP_ERR_ARGUMENT, "--%s and --%s: options of two different methods",
                        (*of)->name, o->name);
    *of = *of ? *of : o;
    return IMP_OK;
}

int job_options_check(const job_options *j)
{
    int err = IMP_OK;
    const cli_option *of = NULL;
    char text[CLI_TEXT_MOST];
    for (const cli_option *o = job_option_list; o->name; o++)
        if (o->method && *cli_value_text(o, j, text))
            TRY(method_check(j, o, &of));
    if (j->hybrid_level && j->volume != IMP_VOLUME_HYBRID)
        FAIL(IMP_ERR_ARGUMENT, "--hybrid-level: only --volume hybrid has one");
    if (j->min_separation > 0 && !j->continuous)
        FAIL(IMP_ERR_ARGUMENT, "--min-separation: only with --continuous");
    if (j->tolerance > 0 && !j->continuous)
        FAIL(IMP_ERR_ARGUMENT, "--tolerance: only with --continuous");
    if (j->baseline && !j->continuous)
        FAIL(IMP_ERR_ARGUMENT, "--baseline: only with --continuous");
    if (j->verify && j->stage == IMP_STAGE_CANDIDATES)
        FAIL(IMP_ERR_ARGUMENT, "--verify: with --stage candidates nothing is decided");
    const char *method = of ? of->method : j->broad ? j->broad : "auto";
    if (j->update == UPDATE_KEEP && strcmp(method, "auto") && strcmp(method, "rtree") &&
        strcmp(method, "hash"))
        FAIL(IMP_ERR_ARGUMENT, "--update keep: only --broad rtree and hash can, not '%s'", method);
out:
    return err;
}
