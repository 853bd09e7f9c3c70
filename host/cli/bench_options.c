/* See bench_options.h. */
#include "bench_options.h"

#include <string.h>
#include <strings.h>

#define REPS 7
#define REPS_MOST 100000 /* the times of each are kept */
#define UNITS_MOST 65536

const cli_option bench_option_list[] = {
    {"reps", 0, CLI_SOME, offsetof(bench_options, reps), "N",
     "repetitions, after one that is not counted (default: 7; with --paced until stdin ends)",
     "Repetitions, after one that is not counted; the default is 7, with --paced until stdin ends. "
     "Stages of an OpenCL device are timed in repetitions of their own, in which the host waits "
     "where each stage ends: total and detect are of the others.",
     .high = REPS_MOST},
    {CLI_JSON(bench_options, "the figures as JSON (default: to stdout, and nothing else there)")},
    {CLI_FORCE(bench_options, "replace the file of --json")},
    {"paced", 0, CLI_FLAG, offsetof(bench_options, paced), NULL,
     "one repetition for each line on stdin; prints its seconds and contacts at once"},
    {"listed", 0, CLI_FLAG, offsetof(bench_options, listed), NULL,
     "with --paced: time candidates until they have been handed out, in order",
     "With --paced and --stage candidates a repetition is timed until the pairs are found, as they "
     "are "
     "in the device's memory. With --listed it is timed until they have been sorted and handed out "
     "as "
     "rows."},
    {"queries", 0, CLI_FLAG, offsetof(bench_options, queries), NULL,
     "with --paced and --continuous: time the tests of pairs of features alone, and count these",
     "With --paced and --continuous: the seconds of a repetition are those in which pairs of a "
     "vertex and a "
     "face, or of two edges, whose boxes over the step overlap are tested; the number printed is "
     "theirs. With "
     "--stage candidates it is that number, too."},
    {"against", 0, CLI_TEXT, offsetof(bench_options, against), "PROGRAM",
     "another impinge program, which takes turns with this one; prints ratios of their times",
     "Another impinge, built from another state of the sources, does the same work in turns with "
     "this one, each first in every other turn. Prints the ratio of this program's time to the "
     "other's, by minimum and by median. Different contacts are an error."},
    {"as-gpu", 0, CLI_SOME, offsetof(bench_options, as_gpu), "UNITS",
     "treat --device, an OpenCL CPU device, as a GPU with this number of compute units",
     "Treat the device that --device names, an OpenCL CPU device, as a GPU with this number of "
     "compute units: GPU variants of kernels, launches sized for these units, separate memory, no "
     "self-test. Not for speed: it shows the work that a GPU would get.",
     .high = UNITS_MOST},
    {"isa", 0, CLI_CHOICE, offsetof(bench_options, w.forced.isa), "widest|base|v3|v4",
     "instructions that --device cpu may use: SSE2 (base), AVX2 (v3), AVX-512 (v4)",
     "The instruction set that the host's kernels use, by x86-64 level: base is SSE2, "
     "v3 AVX2, v4 AVX-512. The default is the widest that the processor has; other processors than "
     "x86 have "
     "base only. Results are the same bits."},
    {CLI_QUIET(bench_options)},
    {0},
};

/* Options that cannot be given together. */
static const char *const either[][2] = {
    {"paced", "json"},
    {"paced", "against"},
    {"as-gpu", "against"},
    {"isa", "against"},
};

/* Was an option of that name given, other than its default? Names are those in the table above, so
 * the search ends. */
static int given(const bench_options *values, const char *name)
{
    char text[CLI_TEXT_MOST];
    size_t i = 0;
    while (strcmp(cli_option_at(&verb_bench, i)->name, name) != 0)
        i++;
    return *cli_value_text(cli_option_at(&verb_bench, i), values, text) != 0;
}

/* The host is no OpenCL device, whether it is given by its name or by its number, 0; auto might
 * choose it. */
static int may_be_opencl(const char *device)
{
    return device && strcmp(device, "auto") && strcasecmp(device, "cpu") &&
           device[strspn(device, "0")];
}

/* The message for an option that needs another one, or NULL. */
static const char *needs(const bench_options *o)
{
    const work_options *w = &o->w.given;
    const char *list = w->object_pairs ? object_pairs_path(w->object_pairs) : "";
    if (o->listed && (!o->paced || w->stage == 0))
        return "--listed: needs --paced and --stage candidates";
    if (o->queries && (!o->paced || !w->continuous || w->stage != 0))
        return "--queries: needs --paced and --continuous, without --stage candidates";
    if (o->against && !strcmp(list, "-"))
        return "--object-pairs: with --against two programs read it, so it must be a file";
    if (o->as_gpu && !may_be_opencl(w->device))
        return "--as-gpu: --device must name an OpenCL device";
    if (o->w.forced.isa && (!w->device || strcasecmp(w->device, "cpu")))
        return "--isa: needs --device cpu";
    return NULL;
}

/* Returns -1 to continue, as cli_parse does. */
int bench_usage(bench_options *o)
{
    for (size_t i = 0; i < sizeof either / sizeof *either; i++)
        if (given(o, either[i][0]) && given(o, either[i][1]))
            return cli_usage_error(&verb_bench, "either --%s or --%s", either[i][0], either[i][1]);
    const char *need = needs(o);
    if (need)
        return cli_usage_error(&verb_bench, "%s", need);
    if (!o->reps)
        /* no limit with --paced, where stdin ends it and no times are stored */
        o->reps = o->paced ? UINT64_MAX : REPS;
    o->w.forced.as_gpu = (uint32_t)o->as_gpu;
    return -1;
}
