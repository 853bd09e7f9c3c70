/* impinge convert: OBJ files become a batch, each a frame or each a body of one frame. */
#include "cli.h"

#include "error.h"
#include "names.h"
#include "obj.h"
#include "output.h"
#include "progress.h"
#include "signals.h"
#include "store.h"
#include "summary.h"
#include "weld.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct convert_options {
    const char *out;
    double weld;
    int as, groups, force, quiet, float32, progress;
} convert_options;

enum { AS_FRAMES, AS_OBJECTS };

static const cli_option options[] = {
    {"output", 'o', CLI_TEXT, offsetof(convert_options, out), "BATCH", "the file to write"},
    {"as", 0, CLI_CHOICE, offsetof(convert_options, as), "frames|objects",
     "each file is a frame, or a body of one frame (default: frames)"},
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

/* A topology as its file has it, and what becomes of it. Later files of the same topology are
 * welded like the first, so that theirs stays the same. */
typedef struct topology {
    uint32_t vertices, triangles; /* as read */
    uint32_t *triangle;           /* as read */
    int32_t *group;
    uint32_t *map;    /* of welding; NULL without */
    uint32_t *welded; /* triangles as written; NULL: as read */
    imp_mesh mesh;
} topology;

typedef struct convert_state {
    convert_options o;
    mem m;
    outputs outputs;
    names names; /* of objects */
    batch_writer *w;
    topology seen[2]; /* the writer knows a topology by its address: two take turns */
    int turn;
    uint64_t triangles, vertices; /* of the last frame */
} convert_state;

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
    if (err)
        return err;
    return s->o.groups ? name_objects(s, file, o) : one_object(s, file, o);
}

static int has_objects(const convert_state *s)
{
    return s->o.groups || s->o.as == AS_OBJECTS;
}

/* ---- each file a frame */

static void topology_free(topology *t)
{
    free(t->triangle);
    free(t->group);
    free(t->map);
    free(t->welded);
    memset(t, 0, sizeof *t);
}

static int same_topology(const topology *t, const obj *o)
{
    size_t n = o->triangles;
    return t->triangle && t->vertices == o->vertices && t->triangles == n &&
           !memcmp(t->triangle, o->triangle, 3 * n * sizeof *o->triangle) &&
           !memcmp(t->group, o->group, n * sizeof *o->group);
}

/* Takes over the arrays of o but its points, and welds. */
static int topology_take(convert_state *s, topology *t, obj *o)
{
    int err = IMP_OK;
    size_t n = (size_t)3 * o->triangles;
    topology_free(t);
    t->vertices = o->vertices;
    t->triangles = o->triangles;
    t->triangle = malloc((n + 1) * sizeof *t->triangle); /* never NULL: it tells a taken one */
    if (!t->triangle)
        FAIL(IMP_ERR_MEMORY, "out of memory");
    if (n)
        memcpy(t->triangle, o->triangle, n * sizeof *t->triangle);
    t->group = o->group;
    o->group = NULL;
    if (s->o.weld >= 0)
        TRY(weld(s->o.weld, o, &t->map));
    t->welded = o->triangle;
    o->triangle = NULL;
    t->mesh = (imp_mesh){.vertices = o->vertices,
                         .triangles = o->triangles,
                         .triangle = t->welded,
                         .object = has_objects(s) ? t->group : NULL};
out:
    return err;
}

static int add_frame(convert_state *s, const char *file, uint64_t number)
{
    int err = IMP_OK;
    obj o = {0};
    TRY(read_file(s, file, &o));
    topology *t = &s->seen[s->turn];
    if (!same_topology(t, &o)) {
        s->turn = !s->turn;
        t = &s->seen[s->turn];
        TRY(topology_take(s, t, &o));
    } else if (t->map) {
        weld_again(t->map, t->mesh.vertices, &o);
    }
    imp_frame f = {&t->mesh, o.point, IMP_FLOAT64, number};
    TRY(batch_append(s->w, &f, (double)number));
    TRY(batch_name_frame(s->w, file));
    s->triangles = t->mesh.triangles;
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
        err = add_frame(s, files[i], (uint64_t)i);
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
        TRY(read_file(s, files[i], &o));
        if (s->o.weld >= 0) /* within a body: bodies do not grow together */
            TRY(weld(s->o.weld, &o, NULL));
        TRY(join(&all, &o, files[i]));
        obj_free(&o);
    }
    imp_mesh mesh = {all.vertices, all.triangles, all.triangle, all.group};
    imp_frame f = {&mesh, all.point, IMP_FLOAT64, 0};
    TRY(batch_append(s->w, &f, 0));
    TRY(name_all(s, files, count));
    s->triangles = all.triangles;
    s->vertices = all.vertices;
out:
    obj_free(&o);
    obj_free(&all);
    return err;
}

/* ---- the verb */

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
    TRY(outputs_grows(&s->outputs, "-o", o->out));
    TRY(batch_create(&s->m, o->out, o->force, o->float32 ? IMP_FLOAT32 : IMP_FLOAT64,
                     has_objects(s), &s->w));
    TRY(o->as == AS_OBJECTS ? convert_objects(s, files, count) : convert_frames(s, files, count));
    for (size_t i = 0; i < s->names.count; i++)
        TRY(batch_name_object(s->w, (int32_t)i, s->names.name[i]));
    err = batch_finish(s->w);
    s->w = NULL;
    if (!err && !o->quiet)
        print_summary(s, count);
out:
    outputs_free(&s->outputs);
    batch_discard(s->w);
    topology_free(&s->seen[0]);
    topology_free(&s->seen[1]);
    names_free(&s->names);
    return err;
}

static int convert(int argc, char **argv)
{
    convert_state s = {.o = {.weld = -1}};
    int count, code = cli_parse(&verb_convert, argc, argv, &s.o, &count);
    if (code >= 0)
        return code;
    if (!count)
        return cli_usage_error(&verb_convert, "files are missing");
    if (!s.o.out)
        return cli_usage_error(&verb_convert, "-o BATCH is missing");
    int err = convert_all(&s, argv, count);
    return err ? cli_fail(err) : 0;
}

const cli_verb verb_convert = {
    .name = "convert",
    .usage = "FILE.obj... -o BATCH.vtkhdf [options]",
    .text = "makes a batch of OBJ files",
    .options = options,
    .examples = "  impinge convert cloth.*.obj -o cloth.vtkhdf\n"
                "  impinge convert env.obj rob.obj --as objects -o scene.vtkhdf\n"
                "  impinge convert parts.obj --groups --weld 0 -o parts.vtkhdf\n",
    .run = convert,
};
