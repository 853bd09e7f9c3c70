/* impinge convert: files of meshes become a batch, each a frame or each a body of one frame. */
#include "cli.h"

#include "conversion.h"
#include "error.h"
#include "importers.h"
#include "output.h"
#include "sequence.h"
#include "signals.h"
#include "summary.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

static const cli_option options[] = {
    {CLI_OUTPUT(convert_options, "BATCH", "the file to write"), .needed = 1},
    {"as", 0, CLI_CHOICE, offsetof(convert_options, as), "frames|objects",
     "each file is a frame, or an object of one frame (default: frames)"},
    {"order", 0, CLI_WORD, offsetof(convert_options, order), "natural|given",
     "order of files: 1 2 10, or as given (default: natural; for objects: given)"},
    {"dt", 0, CLI_REAL, offsetof(convert_options, dt), "STEP",
     "time from frame to frame; with --times names: time of 1 in the numbers (default: 1)"},
    {"times", 0, CLI_TEXT, offsetof(convert_options, times), "FILE|names",
     "times of frames: one per line of a text file, or the numbers in file names"},
    {"groups", 0, CLI_FLAG, offsetof(convert_options, groups), NULL,
     "each named group becomes an object"},
    {"weld", 0, CLI_LENGTH, offsetof(convert_options, weld), "TOL",
     "merge vertices at most TOL apart; 0: only at the same point (default: no merging)"},
    {CLI_FLOAT32(convert_options)},
    {CLI_FORCE(convert_options, "replace BATCH")},
    {CLI_PROGRESS(convert_options)},
    {CLI_QUIET(convert_options)},
    {0},
};

/* ---- order and times */

/* For sequence_gaps. */
static void print_gap(const char *line)
{
    fprintf(stderr, "impinge: %s\n", line);
}

/* Sorts the files and finds the time of each. Gaps are searched in the final order. */
static int order_files(const convert_options *o, char **files, size_t count, double *time)
{
    int err = IMP_OK;
    /* bodies have no order of their own: they keep that of the command line */
    int given = o->order == ORDER_UNSET ? o->as == AS_OBJECTS : o->order == ORDER_GIVEN;
    /* 0 means that --dt was not given: it must be positive */
    double step = o->dt > 0 ? o->dt : 1;
    if (!given)
        sequence_sort(files, count);
    if (o->as == AS_OBJECTS)
        goto out;
    if (!o->times)
        for (size_t i = 0; i < count; i++)
            time[i] = (double)i * step;
    else if (!strcmp(o->times, "names"))
        TRY(sequence_times_of_names(files, count, step, !given, time));
    else
        TRY(sequence_times_of_file(o->times, count, time));
    if (!o->quiet)
        TRY(sequence_gaps(files, count, print_gap));
out:
    return err;
}

/* ---- the verb */

/* One line for all files: a series may have the same finding in each of a thousand. */
static void print_notice(const notice *n, const char *what)
{
    if (!n->files)
        return;
    fprintf(stderr, "impinge: %s: line %llu: %s", text_name(n->file),
            (unsigned long long)n->in_file.line, what);
    if (n->in_file.count > 1)
        fprintf(stderr, "; %llu such in this file", (unsigned long long)n->in_file.count);
    if (n->files > 1)
        fprintf(stderr, "; the same in %zu files in all", n->files);
    fputc('\n', stderr);
}

/* Findings in files that are no errors. */
static void print_notices(const conversion *s)
{
    print_notice(&s->skipped, s->skipped_what);
    print_notice(&s->crossing, "a face that crosses itself: its triangles reach beyond it");
    print_notice(&s->changed, "a face that cannot be cut into triangles as in the previous frame: "
                              "the topology changes");
}

/* Most batches have triangles only: "0 tetrahedra" is not printed for them. */
static void print_summary(const conversion *s, int files)
{
    printf("%s: %s frame%s, the last of ", s->o.out,
           grouped(s->o.as == AS_FRAMES ? (uint64_t)files : 1),
           s->o.as == AS_FRAMES && files > 1 ? "s" : "");
    if (s->triangles || !s->tetrahedra)
        printf("%s triangles, ", grouped(s->triangles));
    if (s->tetrahedra)
        printf("%s tetrahedra, ", grouped(s->tetrahedra));
    printf("%s vertices\n", grouped(s->vertices));
    for (size_t i = 0; i < s->names.count; i++)
        printf("object %zu: %s\n", i, s->names.name[i]);
}

/* All names are claimed before anything is written. */
static int claim_files(const convert_options *o, char **files, int count, outputs *claimed)
{
    int err = IMP_OK;
    for (int i = 0; i < count; i++)
        /* a name that is no file, such as -, is ignored */
        TRY(outputs_reads(claimed, files[i]));
    if (o->times && strcmp(o->times, "names"))
        TRY(outputs_reads(claimed, o->times));
    /* after all inputs: none of them may be replaced */
    TRY(outputs_grows(claimed, "-o", o->out));
out:
    return err;
}

/* Outputs are claimed before files are read, and files are read before the batch has its name. */
static int convert_all(conversion *s, char **files, int count)
{
    int err = IMP_OK;
    const convert_options *o = &s->o;
    outputs claimed = {0};
    double *time = NULL;
    /* a signal ends the program at once and removes the unfinished batch, which is useless */
    signals_watch(NULL);
    TRY(mem_alloc(&s->m, (size_t)count * sizeof *time, &time));
    TRY(claim_files(o, files, count, &claimed));
    TRY(order_files(o, files, (size_t)count, time));
    /* PolyData at first; it is made again as UnstructuredGrid where a file has tetrahedra */
    TRY(conversion_create(s, 0));
    TRY(o->as == AS_OBJECTS ? conversion_objects(s, files, count)
                            : conversion_frames(s, files, time, count));
    for (size_t i = 0; i < s->names.count; i++)
        /* only now: names are collected while the files are read */
        TRY(batch_name_object(s->w, (int32_t)i, s->names.name[i]));
    err = batch_finish(s->w);
    /* batch_finish has freed it, also after an error */
    s->w = NULL;
    if (!err && !o->quiet) {
        print_notices(s);
        print_summary(s, count);
    }
out:
    outputs_free(&claimed);
    batch_discard(s->w);
    topology_free(&s->seen[0]);
    topology_free(&s->seen[1]);
    names_free(&s->names);
    mem_free(&s->m, time);
    return err;
}

/* The exit code for options that do not go together, or 0. */
static int check_usage(const convert_options *o, char **files, int count)
{
    /* the number of times that standard input would be read */
    int standard = o->times && !strcmp(o->times, "-");
    if (o->as == AS_OBJECTS && (o->times || o->dt > 0))
        return cli_usage_error(&verb_convert, "%s is for frames; --as objects makes one",
                               o->times ? "--times" : "--dt");
    if (o->dt > 0 && o->times && strcmp(o->times, "names"))
        return cli_usage_error(&verb_convert,
                               "--dt and --times FILE: only one of them may give the times");
    for (int i = 0; i < count; i++)
        standard += !strcmp(files[i], "-");
    if (standard > 1)
        return cli_usage_error(&verb_convert, "-, standard input, can be read once only");
    return 0;
}

static int convert(int argc, char **argv)
{
    /* -1: no welding, since 0 is a tolerance */
    conversion s = {.o = {.weld = -1}};
    int count, code = cli_parse(&verb_convert, argc, argv, &s.o, &count);
    if (code >= 0)
        return code;
    code = check_usage(&s.o, argv, count);
    if (code)
        return code;
    int err = convert_all(&s, argv, count);
    return err ? cli_fail(err) : 0;
}

const cli_verb verb_convert = {
    .name = "convert",
    .usage = "FILE... -o BATCH.vtkhdf [options]",
    .text = "makes a batch from meshes in text files; - is standard input",
    .options = options,
    .examples = "  impinge convert cloth.*.obj -o cloth.vtkhdf\n"
                "  impinge convert cloth.*.obj --dt 0.04 -o cloth.vtkhdf\n"
                "  impinge convert t0.25.obj t0.5.obj --times names -o cloth.vtkhdf\n"
                "  impinge convert tissue.*.vtk -o tissue.vtkhdf\n"
                "  impinge convert env.obj rob.obj --as objects -o scene.vtkhdf\n"
                "  impinge convert parts.msh --groups --weld 0 -o parts.vtkhdf\n"
                "\nformats (recognised by contents, whatever the file is called):\n"
#define IMPORTER IMPORTER_LINE
#include "importers.def"
#undef IMPORTER
    ,
    .run = convert,
    .least = "files are missing",
};
