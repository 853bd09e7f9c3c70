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

const cli_option work_option_list[] = {
#define OPTION(field, name, type, argument, low, high, method, help, about)                        \
    {name, 0, CLI_##type, offsetof(work_options, field), argument, help, about, low, high, method},
#include "work_options.def"
    {0},
};

/* Callers name options of the table, so the search ends. */
const cli_option *work_option(const char *name)
{
    const cli_option *o = work_option_list;
    while (strcmp(o->name, name) != 0)
        o++;
    return o;
}

/* Checks an option of one method: *of is the first one that was given, if any. "auto" is an error
 * as well, since it might choose another method, which ignores the option. */
static int method_check(const work_options *w, const cli_option *o, const cli_option **of)
{
    if (w->broad && strcmp(w->broad, o->method) != 0)
        return imp_fail(IMP_ERR_ARGUMENT, "--%s: only --broad %s has it, not '%s'", o->name,
                        o->method, w->broad);
    if (*of && strcmp((*of)->method, o->method) != 0)
        return imp_fail(IMP_ERR_ARGUMENT, "--%s and --%s: options of two different methods",
                        (*of)->name, o->name);
    *of = *of ? *of : o;
    return IMP_OK;
}

int work_options_check(const work_options *w)
{
    int err = IMP_OK;
    const cli_option *of = NULL;
    char text[CLI_TEXT_MOST];
    for (const cli_option *o = work_option_list; o->name; o++)
        if (o->method && *cli_value_text(o, w, text))
            TRY(method_check(w, o, &of));
    if (w->hybrid_level && w->volume != IMP_VOLUME_HYBRID)
        FAIL(IMP_ERR_ARGUMENT, "--hybrid-level: only --volume hybrid has one");
    if (w->min_separation > 0 && !w->continuous)
        FAIL(IMP_ERR_ARGUMENT, "--min-separation: only with --continuous");
    if (w->tolerance > 0 && !w->continuous)
        FAIL(IMP_ERR_ARGUMENT, "--tolerance: only with --continuous");
    if (w->baseline && !w->continuous)
        FAIL(IMP_ERR_ARGUMENT, "--baseline: only with --continuous");
    if (w->verify && w->stage == IMP_STAGE_CANDIDATES)
        FAIL(IMP_ERR_ARGUMENT, "--verify: with --stage candidates nothing is decided");
    const char *method = of ? of->method : w->broad ? w->broad : "auto";
    if (w->update == UPDATE_KEEP && strcmp(method, "auto") && strcmp(method, "rtree") &&
        strcmp(method, "hash"))
        FAIL(IMP_ERR_ARGUMENT, "--update keep: only --broad rtree and hash can, not '%s'", method);
out:
    return err;
}
