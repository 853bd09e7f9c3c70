/* impinge info: what is in a batch or a result. */
#include "info.h"

#include "budget.h"
#include "error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {CLI_JSON(info_options, "one JSON document (default: to stdout)")},
    {CLI_FORCE(info_options, "replace the file of --json")},
    {"frames", 0, CLI_TEXT, offsetof(info_options, frames), "A:B:STEP",
     "read these frames, as in Python (':' is all), and list each in a table (default: none; if "
     "there is "
     "more "
     "than 1 GiB to read, only the first and the last frame are read)"},
    {0},
};

/* After all inputs are known: that of a result is in the result, and must not be replaced either.
 */
int info_claim(info_options *o)
{
    return outputs_json(&o->files, o->json, o->force, &o->to);
}

/* Valid for a few calls, as cli_shown. */
const char *info_object(const batch_names *names, int32_t object)
{
    const char *name = batch_object_name(names, object);
    const size_t size = 16 + (name ? strlen(name) : 0);
    char *text = malloc(size);
    if (text && name)
        snprintf(text, size, "%d (%s)", object, name);
    else if (text)
        snprintf(text, size, "%d", object);
    const char *shown = cli_shown(text ? text : "?");
    free(text);
    return shown;
}

static int info(int argc, char **argv)
{
    info_options o = {0};
    int count, code = cli_parse(&verb_info, argc, argv, &o, &count);
    if (code >= 0)
        return code;
    /* a damaged file may ask for any amount */
    mem m = {.limit = mem_machine() / BUDGET_MACHINE_SHARE};
    /* before --json is claimed: the file and those behind it are not replaced */
    int err = outputs_reads_hdf5(&o.files, argv[0]);
    if (!err)
        err = result_is_file(argv[0]) ? info_result(&m, argv[0], &o) : info_batch(&m, argv[0], &o);
    text_output_free(&o.to);
    outputs_free(&o.files);
    return err ? cli_fail(err) : 0;
}

const cli_verb verb_info = {
    .name = "info",
    .usage = "FILE [options]",
    .text = "shows what is in a batch or a result",
    .options = options,
    .examples = "  impinge info cloth.vtkhdf\n"
                "  impinge info contacts.vtkhdf --json\n"
                "  impinge info cloth.vtkhdf --frames ::10\n",
    .run = info,
    .least = "a file is missing",
    .one = "file",
};
