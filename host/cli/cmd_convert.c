/* impinge convert: files of meshes become a batch, each a frame or each a body of one frame. */
#include "cli.h"

#include "error.h"
#include "importers.h"
#include "names.h"
#include "output.h"
#include "progress.h"
#include "sequence.h"
#include "shape_make.h"
#include "signals.h"
#include "store.h"
#include "summary.h"
#include "text.h"
#include "topology.h"
#include "weld.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct convert_options {
    const char *out, *times;
    double weld, dt;
    int as, order, groups, force, quiet, float32, progress;
} convert_options;

enum { AS_FRAMES, AS_OBJECTS };
enum { ORDER_UNSET = -1, ORDER_NATURAL, ORDER_GIVEN }; /* unset: it depends on --as */

static const cli_option options[] = {
    {"output", 'o', CLI_TEXT, offsetof(convert_options, out), "BATCH", "the file to write"},
    {"as", 0, CLI_CHOICE, offsetof(convert_options, as), "frames|objects",
     "each file is a frame, or a body of one frame (default: frames)"},
    {"order", 0, CLI_CHOICE, offsetof(convert_options, order), "natural|given",
     "of files: 1 2 10, or as given (default: natural; of objects: given)"},
    {"dt", 0, CLI_REAL, offsetof(convert_options, dt), "STEP",
     "time from frame to frame; with --times names: of one in the number (default: 1)"},
    {"times", 0, CLI_TEXT, offsetof(convert_options, times), "FILE|names",
     "times of frames: lines of a text file, or the numbers in names"},
    {"groups", 0, CLI_FLAG, offsetof(convert_options, groups), NULL,
     "names of groups become objects"},
    {"weld", 0, CLI_LENGTH, offsetof(convert_options, weld), "TOL",
     "merge vertices not further apart than TOL; 0: at one place (default: none)"},
    {"float32", 0, CLI_FLAG, offsetof(convert_options, float32), NULL,
     "points as float32 (default: float64)"},
    {"force", 0, CLI_FLAG, offsetof(convert_options, force), NULL, "replace BATCH"},
    {"progress", 0, CLI_CHOICE, offsetof(convert_options, progress), "auto|always|never",
     "progress on stderr; auto: on a terminal (default: auto)"},
    {"quiet", 'q', CLI_FLAG, offsetof(convert_options, quiet), NULL, "print nothing but errors"},
    {0},
};

/* Something that several files may have: how many do, and where it is first. */
typedef struct notice {
    size_t files;
    const char *file;
    shape_note in_file;
} notice;

typedef struct convert_state {
    convert_options o;
    mem m;
    outputs outputs;
    names names; /* of objects */
    batch_writer *w;
    int unstructured; /* what it writes */
    double *time;     /* [files] */
    topology seen[2]; /* the writer knows a topology by its address: two take turns */
    int turn;
    uint64_t triangles, tetrahedra, vertices; /* of the last frame */
    notice crossing, changed, skipped;
    char skipped_what[sizeof((shape *)0)->skipped_what];
} convert_state;

/* The first file is named; a series of a thousand must not print a thousand lines. */
static void note(notice *n, const char *file, const shape_note *in_file)
{
    if (in_file->count && !n->files++) {
        n->file = file;
        n->in_file = *in_file;
    }
}

/* ---- reading */

/* The file's groups as objects of the batch, in o->group. A name means the same object in all
 * frames, but another in each file if files are bodies. */
static int name_objects(convert_state *s, const char *file, shape *o)
{
    int err = IMP_OK;
    int32_t *object = calloc(o->groups.count + 1, sizeof *object);
    if (!object)
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    for (size_t g = 0; g < o->groups.count; g++)
        TRY(names_find(&s->names, s->o.as == AS_OBJECTS ? file : "", o->groups.name[g],
                       &object[g]));
    for (uint32_t i = 0; i < o->primitives; i++)
        o->group[i] = object[o->group[i]];
out:
    free(object);
    return err;
}

/* Without --groups a body is a file, and a frame has one object. */
static int one_object(convert_state *s, const char *file, shape *o)
{
    int32_t object = 0;
    int err = s->o.as == AS_OBJECTS ? names_find(&s->names, file, "", &object) : IMP_OK;
    for (uint32_t i = 0; i < o->primitives; i++)
        o->group[i] = object;
    return err;
}

static int read_file(convert_state *s, const char *file, shape *o)
{
    int err = shape_read(file, o);
    if (!err)
        err = shape_need_primitives(file, o);
    if (err)
        return err;
    if (s->o.groups && !o->by->has_groups)
        return imp_fail(IMP_ERR_ARGUMENT, "%s: --groups: files of %s have no groups",
                        text_name(file), o->by->title);
    if (!s->skipped.files)
        memcpy(s->skipped_what, o->skipped_what, sizeof s->skipped_what);
    note(&s->skipped, file, &o->skipped);
    return s->o.groups ? name_objects(s, file, o) : one_object(s, file, o);
}

static int has_objects(const convert_state *s)
{
    return s->o.groups || s->o.as == AS_OBJECTS;
}

/* ---- each file a frame */

/* The topology of this file: one that is there, or a new one. */
static int find_topology(convert_state *s, const char *file, shape *o, topology **out)
{
    int err = IMP_OK;
    shape_note faces = {0};
    /* the one before stays as it is until the next is made of it */
    topology *now = &s->seen[s->turn], *next = &s->seen[!s->turn];
    int same = topology_same(now, o);
    if (same) {
        TRY(topology_change(now, file, o, next, &faces));
        note(&s->changed, file, &faces);
    } else {
        TRY(topology_take(next, file, s->o.weld, o, &faces));
        note(&s->crossing, file, &faces);
    }
    if (!same || faces.count) {
        s->turn = !s->turn;
        now = next;
    }
    if (same)
        topology_apply(now, o);
    /* the writer would store zeros for each triangle */
    if (!has_objects(s))
        now->mesh.object = NULL;
    *out = now;
out:
    return err;
}

/* What the summary tells. */
static void count_frame(convert_state *s, const imp_mesh *m, uint64_t tetrahedra)
{
    s->tetrahedra = tetrahedra;
    s->triangles = m->primitives - tetrahedra;
    s->vertices = m->vertices;
}

static int add_frame(convert_state *s, const char *file, shape *o, size_t number)
{
    int err = IMP_OK;
    topology *t;
    const uint32_t tetrahedra = o->tetrahedra;
    TRY(find_topology(s, file, o, &t));
    imp_frame f = {&t->mesh, o->point, IMP_FLOAT64, number};
    TRY(batch_append(s->w, &f, NULL, s->time[number]));
    TRY(batch_name_frame(s->w, file));
    count_frame(s, &t->mesh, tetrahedra);
out:
    return err;
}

/* Makes the batch, or makes it anew. */
static int create(convert_state *s, int unstructured)
{
    const batch_def def = {.force = s->o.force,
                           .unstructured = unstructured,
                           .type = s->o.float32 ? IMP_FLOAT32 : IMP_FLOAT64,
                           .objects = has_objects(s)};
    batch_discard(s->w);
    s->w = NULL;
    s->unstructured = unstructured;
    return batch_create(&s->m, s->o.out, &def, &s->w);
}

/* Only an UnstructuredGrid holds tetrahedra. That there are any may turn out late: the frames
 * before are then read again, *again = 1. */
static int widen(convert_state *s, char **files, size_t number, int *again)
{
    int err = IMP_OK;
    for (size_t i = 0; number && i <= number; i++)
        if (!strcmp(files[i], "-"))
            FAIL(IMP_ERR_INPUT,
                 "%s: has tetrahedra, and the first file has none; with standard input among them "
                 "one that has must be the first (--order given)",
                 text_name(files[number]));
    TRY(create(s, 1));
    *again = number > 0;
    if (!*again)
        goto out;
    topology_free(&s->seen[0]);
    topology_free(&s->seen[1]);
    s->crossing = s->changed = s->skipped = (notice){0};
out:
    return err;
}

/* The first file, or the one after those that were read. */
static int convert_frame(convert_state *s, char **files, size_t number, int *again)
{
    int err = IMP_OK;
    shape o = {0};
    TRY(read_file(s, files[number], &o));
    if (o.tetrahedra && !s->unstructured)
        TRY(widen(s, files, number, again));
    if (!*again)
        TRY(add_frame(s, files[number], &o, number));
out:
    shape_free(&o);
    return err;
}

static int convert_frames(convert_state *s, char **files, int count)
{
    int err = IMP_OK;
    progress bar;
    progress_start(&bar, s->o.quiet ? PROGRESS_NEVER : (enum progress_when)s->o.progress, 0,
                   (uint64_t)count);
    for (int i = 0; i < count && !err; i++) {
        int again = 0;
        err = convert_frame(s, files, (size_t)i, &again);
        i = again ? -1 : i;
        progress_show(&bar, (uint64_t)(i + 1), PROGRESS_NO_CONTACTS);
    }
    progress_clear(&bar);
    return err;
}

/* ---- each file a body */

/* The files of the one frame, in one text. */
static int name_all(convert_state *s, char **files, int count)
{
    size_t size = 1;
    for (int i = 0; i < count; i++)
        size += strlen(files[i]) + 2;
    char *all = malloc(size), *end = all;
    if (!all)
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    for (int i = 0; i < count; i++)
        end += sprintf(end, "%s%s", i ? ", " : "", files[i]);
    int err = batch_name_frame(s->w, all);
    free(all);
    return err;
}

static int convert_objects(convert_state *s, char **files, int count)
{
    int err = IMP_OK;
    shape o = {0};
    shape_maker make;
    const shape *all = &make.shape;
    shape_make_start(&make, s->o.out);
    for (int i = 0; i < count; i++) {
        shape_note crossing;
        TRY(read_file(s, files[i], &o));
        TRY(shape_cut(files[i], &o, &crossing));
        note(&s->crossing, files[i], &crossing);
        if (s->o.weld >= 0) /* within a body: bodies do not grow together */
            TRY(weld(s->o.weld, &o, NULL));
        TRY(shape_make_join(&make, files[i], &o));
        shape_free(&o);
    }
    if (all->tetrahedra)
        TRY(create(s, 1));
    imp_mesh mesh = {all->vertices, all->primitives,   all->corner,
                     all->group,    (int)all->corners, all->own};
    imp_frame f = {&mesh, all->point, IMP_FLOAT64, 0};
    TRY(batch_append(s->w, &f, NULL, 0));
    TRY(name_all(s, files, count));
    count_frame(s, &mesh, all->tetrahedra);
out:
    shape_free(&o);
    shape_make_free(&make);
    return err;
}

/* ---- order and times */

/* For sequence_gaps. */
static void tell(const char *line)
{
    fprintf(stderr, "impinge: %s\n", line);
}

static int order_files(convert_state *s, char **files, size_t count)
{
    int err = IMP_OK;
    const convert_options *o = &s->o;
    /* bodies have no order of their own, so theirs is that of the command line */
    int given = o->order == ORDER_UNSET ? o->as == AS_OBJECTS : o->order == ORDER_GIVEN;
    double step = o->dt > 0 ? o->dt : 1;
    s->time = calloc(count, sizeof *s->time);
    if (!s->time)
        FAIL(IMP_ERR_MEMORY, "out of memory");
    if (!given)
        sequence_sort(files, count);
    if (o->as == AS_OBJECTS)
        goto out;
    if (!o->times)
        for (size_t i = 0; i < count; i++)
            s->time[i] = (double)i * step;
    else if (!strcmp(o->times, "names"))
        TRY(sequence_times_of_names(files, count, step, !given, s->time));
    else
        TRY(sequence_times_of_file(o->times, count, s->time));
    if (!o->quiet)
        TRY(sequence_gaps(files, count, tell));
out:
    return err;
}

/* ---- the verb */

static void print_notice(const notice *n, const char *what)
{
    if (!n->files)
        return;
    fprintf(stderr, "impinge: %s: line %llu: %s", text_name(n->file),
            (unsigned long long)n->in_file.line, what);
    if (n->in_file.count > 1)
        fprintf(stderr, "; %llu such in this file", (unsigned long long)n->in_file.count);
    if (n->files > 1)
        fprintf(stderr, "; in %zu files", n->files);
    fputc('\n', stderr);
}

/* What was found in files and is no error. */
static void print_notices(const convert_state *s)
{
    print_notice(&s->skipped, s->skipped_what);
    print_notice(&s->crossing, "a face that crosses itself: its triangles reach beyond it");
    print_notice(&s->changed, "a face that cannot be cut into triangles as in the frame before: "
                              "the topology changes");
}

static void print_summary(const convert_state *s, int files)
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

static int convert_all(convert_state *s, char **files, int count)
{
    int err = IMP_OK;
    const convert_options *o = &s->o;
    signals_watch(NULL);
    for (int i = 0; i < count; i++)
        TRY(outputs_reads(&s->outputs, files[i]));
    if (o->times && strcmp(o->times, "names"))
        TRY(outputs_reads(&s->outputs, o->times));
    /* after all that is read: none of it may be replaced */
    TRY(outputs_grows(&s->outputs, "-o", o->out));
    TRY(order_files(s, files, (size_t)count));
    TRY(create(s, 0));
    TRY(o->as == AS_OBJECTS ? convert_objects(s, files, count) : convert_frames(s, files, count));
    for (size_t i = 0; i < s->names.count; i++)
        TRY(batch_name_object(s->w, (int32_t)i, s->names.name[i]));
    err = batch_finish(s->w);
    s->w = NULL;
    if (!err && !o->quiet) {
        print_notices(s);
        print_summary(s, count);
    }
out:
    outputs_free(&s->outputs);
    batch_discard(s->w);
    topology_free(&s->seen[0]);
    topology_free(&s->seen[1]);
    names_free(&s->names);
    free(s->time);
    return err;
}

/* The exit code of what cannot be meant, or 0. */
static int check_usage(const convert_options *o, char **files, int count)
{
    /* how often standard input would be read */
    int standard = o->times && !strcmp(o->times, "-");
    if (!count)
        return cli_usage_error(&verb_convert, "files are missing");
    if (!o->out)
        return cli_usage_error(&verb_convert, "-o BATCH is missing");
    if (o->as == AS_OBJECTS && (o->times || o->dt > 0))
        return cli_usage_error(&verb_convert, "%s is for frames; --as objects makes one",
                               o->times ? "--times" : "--dt");
    if (o->dt > 0 && o->times && strcmp(o->times, "names"))
        return cli_usage_error(&verb_convert, "--dt and --times FILE: one of them tells the times");
    for (int i = 0; i < count; i++)
        standard += !strcmp(files[i], "-");
    if (standard > 1)
        return cli_usage_error(&verb_convert, "-, standard input, can be read once only");
    return 0;
}

static int convert(int argc, char **argv)
{
    convert_state s = {.o = {.weld = -1, .order = ORDER_UNSET}};
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
    .text = "makes a batch of meshes in text files; - is standard input",
    .options = options,
    .examples = "  impinge convert cloth.*.obj -o cloth.vtkhdf\n"
                "  impinge convert cloth.*.obj --dt 0.04 -o cloth.vtkhdf\n"
                "  impinge convert t0.25.obj t0.5.obj --times names -o cloth.vtkhdf\n"
                "  impinge convert tissue.*.vtk -o tissue.vtkhdf\n"
                "  impinge convert env.obj rob.obj --as objects -o scene.vtkhdf\n"
                "  impinge convert parts.msh --groups --weld 0 -o parts.vtkhdf\n"
                "\nformats, whatever the files are called:\n"
#define IMPORTER IMPORTER_LINE
#include "importers.def"
#undef IMPORTER
    ,
    .run = convert,
};
