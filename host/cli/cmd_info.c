/* impinge info: what is in a batch or a result. */
#include "info.h"

#include "budget.h"
#include "error.h"

#include <stdio.h>

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

/* Results stay valid for a few calls, so that one printf can use several. */
const char *info_object(const batch_names *names, int32_t object)
{
    /* a line names two objects at most */
    static char ring[4][600];
    static unsigned next;
    char *out = ring[next++ % 4];
    const char *name = batch_object_name(names, object);
    if (name)
        snprintf(out, sizeof ring[0], "%d (%.560s)", object, name);
    else
        snprintf(out, sizeof ring[0], "%d", object);
    return out;
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
        err = result_is(argv[0]) ? info_result(&m, argv[0], &o) : info_batch(&m, argv[0], &o);
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
