/* See bench_options.h. */
#include "bench_options.h"

#include <string.h>
#include <strings.h>

#define REPS 7
#define REPS_MOST 100000 /* seconds of each are kept */
#define UNITS_MOST 65536

const cli_option bench_option_list[] = {
    {"reps", 0, CLI_COUNT, offsetof(bench_options, reps), "N",
     "repetitions, after one that is not counted (default: 7; with --paced until stdin ends)"},
    {"json", 0, CLI_MAYBE, offsetof(bench_options, json), "FILE",
     "the figures as JSON (default: to stdout, and nothing else there)"},
    {"force", 0, CLI_FLAG, offsetof(bench_options, force), NULL, "replace the file of --json"},
    {"paced", 0, CLI_FLAG, offsetof(bench_options, paced), NULL,
     "a repetition for each line on stdin: prints its seconds and contacts at once"},
    {"listed", 0, CLI_FLAG, offsetof(bench_options, listed), NULL,
     "with --paced: candidates count until they have been handed out, in order",
     "With --paced and --stage candidates a repetition takes until the pairs are found, as they "
     "are "
     "in the device's memory. With --listed it takes until they have been sorted and handed out as "
     "rows."},
    {"against", 0, CLI_TEXT, offsetof(bench_options, against), "PROGRAM",
     "another impinge, which takes turns with this one: ratios of their times",
     "Another impinge, built from another state of the sources, does the same work in turns with "
     "this one; who begins changes. Tells how many times as long this one takes, by the minimum "
     "and by the median. What finds other contacts is an error."},
    {"swept", 0, CLI_FLAG, offsetof(bench_options, swept), NULL,
     "what may meet on the way from each frame to the next, by trees of --volume sphere, obb, "
     "hybrid",
     "Instead of detection swept queries of trees (imp_sweep): which primitives' volumes may meet "
     "on the way from each frame to the next, with --volume sphere, obb or hybrid. Rigid bodies "
     "whose poses the batch has go from one to the other, vertices of other objects anywhere "
     "between both places. Tells how many pairs were reported, and how many of them meet: at some "
     "instant, where vertices of objects that are not rigid move evenly, but for gaps too small to "
     "tell from none."},
    {"as-gpu", 0, CLI_COUNT, offsetof(bench_options, as_gpu), "UNITS",
     "treat --device, an OpenCL CPU device, as a GPU of so many units",
     "Treat the device that --device names, an OpenCL CPU device, as a GPU of so many compute "
     "units: kernels in their forms for GPUs, launches sized for so many units, memory of its own, "
     "no self-test. Not for speed: it shows what a GPU would be asked to do."},
    {"isa", 0, CLI_CHOICE, offsetof(bench_options, w.forced.isa), "widest|base|v3|v4",
     "instructions that --device cpu may use: SSE2 (base), AVX2 (v3), AVX-512 (v4)",
     "The instruction set that the host's kernels use, as x86-64 counts them: base is SSE2, "
     "v3 AVX2, v4 AVX-512. The default is the widest that the processor has; other processors than "
     "x86 have "
     "base only. Results are the same bits."},
    {"quiet", 'q', CLI_FLAG, offsetof(bench_options, quiet), NULL, "print nothing but errors"},
    {0},
};

/* The host is no OpenCL device, and auto might mean it. */
static int may_be_opencl(const char *device)
{
    return device && strcmp(device, "auto") && strcasecmp(device, "cpu") &&
           device[strspn(device, "0")];
}

/* Returns an exit code, or -1. */
static int as_gpu_usage(bench_options *o)
{
    if (o->as_gpu == BENCH_OPEN)
        return -1;
    if (o->as_gpu < 1 || o->as_gpu > UNITS_MOST)
        return cli_usage_error(&verb_bench, "--as-gpu: from 1 to %d units", UNITS_MOST);
    if (!may_be_opencl(o->w.device))
        return cli_usage_error(&verb_bench, "--as-gpu: --device must name an OpenCL device");
    if (o->against)
        return cli_usage_error(&verb_bench, "either --as-gpu or --against");
    o->w.forced.as_gpu = (uint32_t)o->as_gpu;
    return -1;
}

/* Returns an exit code, or -1. */
static int isa_usage(bench_options *o)
{
    if (o->w.forced.isa == IMP_ISA_WIDEST)
        return -1;
    if (!o->w.device || strcasecmp(o->w.device, "cpu"))
        return cli_usage_error(&verb_bench,
                               "--isa: with --device cpu, whose instructions it names");
    if (o->against)
        return cli_usage_error(&verb_bench, "either --isa or --against");
    return -1;
}

/* Of --swept: all that says how contacts are found, or kept, means nothing there. Returns an exit
 * code, or -1. */
static int swept_usage(const bench_options *o)
{
    const work *w = &o->w;
    const struct {
        const char *option;
        int given;
    } other[] = {{"paced", o->paced},
                 {"listed", o->listed},
                 {"against", o->against != NULL},
                 {"as-gpu", o->as_gpu != BENCH_OPEN},
                 {"dop", w->dop != 0},
                 {"block", w->block != 0},
                 {"on-bad skip", w->on_bad != 0},
                 {"update", w->update != 0}};
    if (!o->swept)
        return -1;
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (other[i].given)
            return cli_usage_error(&verb_bench, "either --swept or --%s", other[i].option);
    if (!w->volume || !strcmp(w->volume, "dop"))
        return cli_usage_error(&verb_bench, "--swept: needs --volume sphere, obb or hybrid");
    return -1;
}

int bench_usage(bench_options *o)
{
    const char *list = o->w.object_pairs ? object_pairs_path(o->w.object_pairs) : "";
    if (o->paced && o->json)
        return cli_usage_error(&verb_bench, "either --paced or --json");
    if (o->listed && (!o->paced || o->w.stage == 0))
        return cli_usage_error(&verb_bench, "--listed: needs --paced and --stage candidates");
    if (o->paced && o->against)
        return cli_usage_error(&verb_bench, "either --paced or --against");
    if (o->against && !strcmp(list, "-"))
        return cli_usage_error(&verb_bench, "--object-pairs: with --against two programs read it, "
                                            "so it has to be a file");
    if (o->reps == BENCH_OPEN && !o->paced)
        o->reps = REPS;
    if (o->reps < 1 || (o->reps > REPS_MOST && o->reps != BENCH_OPEN))
        return cli_usage_error(&verb_bench, "--reps: from 1 to %d", REPS_MOST);
    int code = swept_usage(o);
    code = code >= 0 ? code : as_gpu_usage(o);
    return code >= 0 ? code : isa_usage(o);
}
