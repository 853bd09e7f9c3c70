/* impinge convert: OBJ files become a batch, each a frame or each a body of one frame. */
#include "cli.h"

#include "error.h"
#include "names.h"
#include "obj.h"
#include "output.h"
#include "progress.h"
#include "sequence.h"
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
     "o and g names become objects"},
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
    uint64_t count, line;
} notice;

typedef struct convert_state {
    convert_options o;
    mem m;
    outputs outputs;
    names names; /* of objects */
    batch_writer *w;
    double *time;     /* [files] */
    topology seen[2]; /* the writer knows a topology by its address: two take turns */
    int turn;
    uint64_t triangles, vertices; /* of the last frame */
    notice crossing, changed, unknown;
    char unknown_word[32];
} convert_state;

/* The first file is named; a series of a thousand must not print a thousand lines. */
static void note(notice *n, const char *file, uint64_t count, uint64_t line)
{
    if (count && !n->files++) {
        n->file = file;
        n->count = count;
        n->line = line;
    }
}

/* ---- reading */

/* The file's groups as objects of the batch, in o->group. A name means the same object in all
 * frames, but another in each file if files are bodies. */
static int name_objects(convert_state *s, const char *file, obj *o)
{
    int err = IMP_OK;
    int32_t *object = calloc(o->groups ? o->groups : 1, sizeof *object);
    if (!object)
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    for (uint32_t g = 0; g < o->groups; g++)
        TRY(names_find(&s->names, s->o.as == AS_OBJECTS ? file : "", o->group_name[g], &object[g]));
    for (uint32_t i = 0; i < o->triangles; i++)
        o->group[i] = object[o->group[i]];
out:
    free(object);
    return err;
}

/* Without --groups a body is a file, and a frame has one object. */
static int one_object(convert_state *s, const char *file, obj *o)
{
    int32_t object = 0;
    int err = s->o.as == AS_OBJECTS ? names_find(&s->names, file, "", &object) : IMP_OK;
    for (uint32_t i = 0; i < o->triangles; i++)
        o->group[i] = object;
    return err;
}

static int read_file(convert_state *s, const char *file, obj *o)
{
    int err = obj_read(file, o);
    if (!err)
        err = obj_need_faces(file, o);
    if (err)
        return err;
    if (o->unknown && !s->unknown.files)
        memcpy(s->unknown_word, o->unknown_word, sizeof s->unknown_word);
    note(&s->unknown, file, o->unknown, o->unknown_line);
    return s->o.groups ? name_objects(s, file, o) : one_object(s, file, o);
}

static int has_objects(const convert_state *s)
{
    return s->o.groups || s->o.as == AS_OBJECTS;
}

/* ---- each file a frame */

/* The topology of this file: one that is there, or a new one. */
static int find_topology(convert_state *s, const char *file, obj *o, topology **out)
{
    int err = IMP_OK;
    obj_faces faces = {0};
    /* the one before stays as it is until the next is made of it */
    topology *now = &s->seen[s->turn], *next = &s->seen[!s->turn];
    int same = topology_same(now, o);
    if (same) {
        TRY(topology_change(now, file, o, next, &faces));
        note(&s->changed, file, faces.count, faces.line);
    } else {
        TRY(topology_take(next, file, s->o.weld, o, &faces));
        note(&s->crossing, file, faces.count, faces.line);
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

static int add_frame(convert_state *s, const char *file, size_t number)
{
    int err = IMP_OK;
    obj o = {0};
    topology *t;
    TRY(read_file(s, file, &o));
    TRY(find_topology(s, file, &o, &t));
    imp_frame f = {&t->mesh, o.point, IMP_FLOAT64, number};
    TRY(batch_append(s->w, &f, NULL, s->time[number]));
    TRY(batch_name_frame(s->w, file));
    s->triangles = t->mesh.primitives;
    s->vertices = t->mesh.vertices;
out:
    obj_free(&o);
    return err;
}

static int convert_frames(convert_state *s, char **files, int count)
{
    int err = IMP_OK;
    progress bar;
    progress_start(&bar, s->o.quiet ? PROGRESS_NEVER : (enum progress_when)s->o.progress, 0,
                   (uint64_t)count);
    for (int i = 0; i < count && !err; i++) {
        err = add_frame(s, files[i], (size_t)i);
        progress_show(&bar, (uint64_t)i + 1, PROGRESS_NO_CONTACTS);
    }
    progress_clear(&bar);
    return err;
}

/* ---- each file a body */

/* Appends o to all. */
static int join(obj *all, const obj *o, const char *file)
{
    size_t v = (size_t)all->vertices + o->vertices, n = (size_t)all->triangles + o->triangles;
    if (v > UINT32_MAX - 1 || n > INT32_MAX)
        return imp_fail(IMP_ERR_INPUT, "%s: too many vertices or triangles together", file);
    double *point = realloc(all->point, (3 * v + 1) * sizeof *point);
    all->point = point ? point : all->point;
    uint32_t *triangle = realloc(all->triangle, (3 * n + 1) * sizeof *triangle);
    all->triangle = triangle ? triangle : all->triangle;
    int32_t *group = realloc(all->group, (n + 1) * sizeof *group);
    all->group = group ? group : all->group;
    if (!point || !triangle || !group)
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    if (o->vertices)
        memcpy(point + (size_t)3 * all->vertices, o->point, (size_t)24 * o->vertices);
    if (o->triangles)
        memcpy(group + all->triangles, o->group, o->triangles * sizeof *group);
    for (size_t i = 0; i < (size_t)3 * o->triangles; i++)
        triangle[(size_t)3 * all->triangles + i] = all->vertices + o->triangle[i];
    all->vertices = (uint32_t)v;
    all->triangles = (uint32_t)n;
    return IMP_OK;
}

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
    obj all = {0}, o = {0};
    for (int i = 0; i < count; i++) {
        obj_faces crossing;
        TRY(read_file(s, files[i], &o));
        TRY(obj_cut(files[i], &o, &crossing));
        note(&s->crossing, files[i], crossing.count, crossing.line);
        if (s->o.weld >= 0) /* within a body: bodies do not grow together */
            TRY(weld(s->o.weld, &o, NULL));
        TRY(join(&all, &o, files[i]));
        obj_free(&o);
    }
    imp_mesh mesh = {all.vertices, all.triangles, all.triangle, all.group};
    imp_frame f = {&mesh, all.point, IMP_FLOAT64, 0};
    TRY(batch_append(s->w, &f, NULL, 0));
    TRY(name_all(s, files, count));
    s->triangles = all.triangles;
    s->vertices = all.vertices;
out:
    obj_free(&o);
    obj_free(&all);
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
    fprintf(stderr, "impinge: %s: line %llu: %s", text_name(n->file), (unsigned long long)n->line,
            what);
    if (n->count > 1)
        fprintf(stderr, "; %llu such lines", (unsigned long long)n->count);
    if (n->files > 1)
        fprintf(stderr, "; so it is in %zu files", n->files);
    fputc('\n', stderr);
}

/* What was found in files and is no error. */
static void print_notices(const convert_state *s)
{
    char unknown[100];
    snprintf(unknown, sizeof unknown, "'%s' is no statement of OBJ", s->unknown_word);
    print_notice(&s->unknown, unknown);
    print_notice(&s->crossing, "a face that crosses itself: its triangles reach beyond it");
    print_notice(&s->changed, "a face that cannot be cut into triangles as in the frame before: "
                              "the topology changes");
}

static void print_summary(const convert_state *s, int files)
{
    printf("%s: %s frame%s, the last of %s triangles, %s vertices\n", s->o.out,
           grouped(s->o.as == AS_FRAMES ? (uint64_t)files : 1),
           s->o.as == AS_FRAMES && files > 1 ? "s" : "", grouped(s->triangles),
           grouped(s->vertices));
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
    const batch_def def = {.force = o->force,
                           .type = o->float32 ? IMP_FLOAT32 : IMP_FLOAT64,
                           .objects = has_objects(s)};
    TRY(batch_create(&s->m, o->out, &def, &s->w));
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
    .usage = "FILE.obj... -o BATCH.vtkhdf [options]",
    .text = "makes a batch of OBJ files; - is standard input",
    .options = options,
    .examples = "  impinge convert cloth.*.obj -o cloth.vtkhdf\n"
                "  impinge convert cloth.*.obj --dt 0.04 -o cloth.vtkhdf\n"
                "  impinge convert t0.25.obj t0.5.obj --times names -o cloth.vtkhdf\n"
                "  impinge convert env.obj rob.obj --as objects -o scene.vtkhdf\n"
                "  impinge convert parts.obj --groups --weld 0 -o parts.vtkhdf\n",
    .run = convert,
};
