/* See conversion.h. */
#include "conversion.h"

#include "cli.h"
#include "error.h"
#include "file_shape.h"
#include "json.h"
#include "names.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading */

const char *conversion_array(const convert_options *o)
{
    const size_t n = sizeof "array:" - 1;
    return o->objects && !strncmp(o->objects, "array:", n) ? o->objects + n : NULL;
}

int conversion_open(conversion *s, const char *file)
{
    /* compares pointers, not texts: standard input is read once */
    if (s->in.open && s->in.open_name == file)
        return IMP_OK;
    mesh_file_close(s->in.open);
    s->in.open = NULL;
    s->in.open_name = file;
    return mesh_file_open(&s->m, file, conversion_array(&s->o), &s->in.open);
}

/* Makes the file's groups objects of the batch, in o->group. A name means the same object in all
 * frames; if files are bodies, it means another object in each file. */
static int conversion_name_objects(conversion *s, file_shape *o)
{
    int err = IMP_OK;
    int32_t *object = calloc(o->groups.count + 1, sizeof *object);
    if (!object)
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    for (size_t g = 0; g < o->groups.count; g++)
        TRY(names_find(&s->names, s->o.as == AS_OBJECTS ? s->body : "", o->groups.name[g],
                       &object[g]));
    for (uint32_t i = 0; i < o->primitives; i++)
        o->group[i] = object[o->group[i]];
out:
    free(object);
    return err;
}

/* Notes the names of groups that do not become objects. Nothing is lost from a file with one
 * group. */
static int drop_groups(conversion *s, const char *file, const file_shape *o)
{
    int err = IMP_OK;
    int32_t ignored;
    for (size_t g = 0; g < o->groups.count && o->groups.count > 1; g++)
        if (*o->groups.name[g])
            TRY(names_find(&s->dropped, "", o->groups.name[g], &ignored));
    if (s->dropped.count && !s->dropped_file)
        s->dropped_file = file;
out:
    return err;
}

/* Without --groups, a file is one body, and a frame has one object. */
static int one_object(conversion *s, const char *file, file_shape *o)
{
    int32_t object = 0;
    int err = drop_groups(s, file, o);
    if (!err && s->o.as == AS_OBJECTS)
        err = names_find(&s->names, s->body, "", &object);
    for (uint32_t i = 0; i < o->primitives; i++)
        o->group[i] = object;
    return err;
}

/* If there are several frames, an empty one is allowed and noted. A file of zero bytes is no frame:
 * it was never written. */
static int need_primitives(conversion *s, const convert_frame *f, const file_shape *o)
{
    if (s->o.as != AS_FRAMES || s->in.frames < 2 || o->blank)
        return file_shape_need_primitives(f->file, o);
    if (!o->primitives)
        notice_add(&s->empty, f->file, "frame", &(file_shape_note){1, f->number});
    return IMP_OK;
}

/* In the first frame of a skin without objects, arrays are searched that could tell parts apart:
 * *out has room for a flag of each. */
static int alloc_varied(conversion *s, const char *file, uint8_t **out)
{
    *out = NULL;
    if (!s->o.skin || s->in.objects || s->varied_file)
        return IMP_OK;
    s->varied_file = file;
    *out = calloc(s->in.arrays.count + 1, 1);
    return *out ? IMP_OK : imp_fail(IMP_ERR_MEMORY, "out of memory");
}

static int add_varied(conversion *s, const uint8_t *varied)
{
    int err = IMP_OK;
    int32_t ignored;
    for (size_t i = 0; varied && i < s->in.arrays.count; i++)
        if (varied[i])
            TRY(names_find(&s->varied, "", s->in.arrays.array[i].name, &ignored));
out:
    return err;
}

/* Notices are collected, and printed once for all frames at the end. */
static int read_frame(conversion *s, const convert_frame *f, file_shape *o)
{
    int err = IMP_OK;
    uint8_t *varied = NULL;
    TRY(conversion_open(s, f->file));
    TRY(alloc_varied(s, f->file, &varied));
    const mesh_reading how = {.numbers = s->in.numbers,
                              .arrays = &s->in.arrays,
                              .skin = s->o.skin ? &s->skin : NULL,
                              .ids_of_source = s->in.ids_made,
                              .varied = varied};
    TRY(mesh_file_read(s->in.open, f->number, &how, o));
    TRY(add_varied(s, varied));
    TRY(need_primitives(s, f, o));
    if (!s->skipped.files)
        memcpy(s->skipped_what, o->skipped_what, sizeof s->skipped_what);
    notice_add(&s->skipped, f->file, o->place, &o->skipped);
    notice_add(&s->thin, f->file, o->place, &o->thin);
    notice_add(&s->ghosts, f->file, o->place, &o->ghosts);
    notice_add(&s->apart, f->file, "point", &o->apart);
    notice_add(&s->several, f->file, o->place, &o->several);
    notice_add(&s->one_side, f->file, o->place, &o->one_side);
    notice_add(&s->turned, f->file, o->place, &o->turned);
    if (!s->in.numbers)
        TRY(s->o.groups || s->in.objects ? conversion_name_objects(s, o)
                                         : one_object(s, f->file, o));
out:
    free(varied);
    return err;
}

static int conversion_has_objects(const conversion *s)
{
    return s->o.groups || s->in.objects || s->o.as == AS_OBJECTS;
}

/* ---- PrimitiveId */

void conversion_lose_ids(conversion *s)
{
    const size_t i = cell_arrays_find(&s->in.arrays, PRIMITIVE_ID);
    if (i == s->in.arrays.count)
        return;
    s->in.ids_lost = 1;
    cell_arrays_remove(&s->in.arrays, i);
}

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Finds whether an id repeats within a frame, as with pieces of a polygon and copies of a body. */
static int ids_repeat(conversion *s, const file_shape *o, int *repeat)
{
    int err = IMP_OK;
    const size_t at = cell_arrays_find(&s->in.arrays, PRIMITIVE_ID), n = o->primitives;
    int64_t *id = NULL;
    *repeat = 0;
    if (at == s->in.arrays.count)
        return IMP_OK;
    TRY(mem_alloc(&s->m, n * sizeof *id, &id));
    /* ids mostly ascend */
    int ascend = 1;
    for (size_t i = 0; i < n; i++) {
        id[i] = o->value[o->arrays * i + at];
        ascend &= !i || id[i] > id[i - 1];
    }
    if (!ascend)
        qsort(id, n, sizeof *id, by_number);
    *repeat = o->no_ids;
    for (size_t i = 1; i < n; i++)
        *repeat |= id[i] == id[i - 1];
out:
    mem_free(&s->m, id);
    return err;
}

/* A skin's primitives get other numbers when a solid appears or is deleted, so they need ids.
 * Returns whether this frame is the first whose skin differs. */
static int needs_ids(const conversion *s, const file_shape *o)
{
    return o->solids && s->primitives && !s->in.ids_lost &&
           cell_arrays_find(&s->in.arrays, PRIMITIVE_ID) == s->in.arrays.count &&
           !topology_same(&s->seen[s->turn], o);
}

static int make_ids(conversion *s)
{
    s->in.ids_made = 1;
    return cell_arrays_add(&s->in.arrays, PRIMITIVE_ID, COLUMN_I64);
}

/* ---- each file a frame */

/* Notes the welding; without --weld, checks whether the mesh needs it. */
static int conversion_check_vertices(conversion *s, const char *file, const imp_mesh *mesh,
                                     const double *point, const imp_weld_info *info)
{
    const imp_frame frame = {mesh, point, IMP_FLOAT64};
    convert_weld_note(&s->weld, file, mesh, info);
    return s->o.weld < 0 ? convert_weld_check(&s->weld, file, &frame) : IMP_OK;
}

/* Returns the topology of this file: the current one, or a new one. */
static int find_topology(conversion *s, const convert_frame *from, file_shape *o, topology **out)
{
    int err = IMP_OK;
    const char *file = from->file, *place = o->place;
    file_shape_note faces = {0};
    /* the current one stays unchanged: the next one may be made from it */
    topology *now = &s->seen[s->turn], *next = &s->seen[!s->turn];
    int same = topology_same(now, o);
    if (same && !topology_holds(now, s->o.weld, o)) {
        same = 0;
        notice_add(&s->weld.apart, file, "frame", &(file_shape_note){1, from->number});
    }
    if (same) {
        TRY(topology_change(now, file, o, next, &faces));
        notice_add(&s->changed, file, place, &faces);
    } else {
        TRY(topology_set(next, file, s->o.weld, o, &faces));
        notice_add(&s->crossing, file, place, &faces);
        TRY(conversion_check_vertices(s, file, &next->mesh, o->point, &next->weld.info));
    }
    if (!same || faces.count) {
        s->turn = !s->turn;
        now = next;
    }
    if (same)
        topology_apply(now, o);
    /* otherwise the writer would store a zero for each triangle */
    if (!conversion_has_objects(s))
        now->mesh.object = NULL;
    *out = now;
out:
    return err;
}

/* Keeps the sizes for the summary. */
static void conversion_count_frame(conversion *s, const imp_mesh *m, uint64_t tetrahedra)
{
    s->tetrahedra = tetrahedra;
    s->triangles = m->primitives - tetrahedra;
    s->vertices = m->vertices;
}

/* The number of tetrahedra is read before the file's arrays move into the topology. */
static int conversion_add_frame(conversion *s, size_t number, file_shape *o)
{
    int err = IMP_OK;
    topology *t;
    const convert_frame *from = &s->in.frame[number];
    const uint32_t tetrahedra = o->tetrahedra;
    TRY(find_topology(s, from, o, &t));
    imp_frame f = {&t->mesh, o->point, IMP_FLOAT64, number};
    TRY(batch_append_values(s->w, &f, o->value, from->time));
    TRY(batch_name_frame(s->w, mesh_file_source(s->in.open, from->number)));
    conversion_count_frame(s, &t->mesh, tetrahedra);
out:
    return err;
}

/* Discards a batch that was begun as another type. */
int conversion_create(conversion *s, int unstructured)
{
    const batch_def def = {.force = s->o.force,
                           .unstructured = unstructured,
                           .type = s->o.float32 || s->in.float32 ? IMP_FLOAT32 : IMP_FLOAT64,
                           .objects = conversion_has_objects(s),
                           .arrays = &s->in.arrays};
    batch_discard(s->w);
    s->w = NULL;
    s->unstructured = unstructured;
    return batch_create(&s->m, s->o.out, &def, &s->w);
}

/* Called before files are read again. */
static void forget_notices(conversion *s)
{
    s->crossing = s->changed = s->skipped = s->thin = s->ghosts = s->empty = s->apart = s->several =
        s->one_side = s->turned = (notice){0};
    s->weld = (convert_weld){0};
}

/* Frames that were written as another type, or with other arrays, are read again. */
static int start_again(conversion *s, int unstructured)
{
    int err = IMP_OK;
    TRY(conversion_create(s, unstructured));
    topology_free(&s->seen[0]);
    topology_free(&s->seen[1]);
    /* names of objects stay: the same files give them the same numbers again */
    forget_notices(s);
out:
    return err;
}

/* Only an UnstructuredGrid holds tetrahedra. If a later frame is the first to have them, all frames
 * are read again. */
static int make_unstructured(conversion *s, size_t number)
{
    if (!number)
        return conversion_create(s, 1);
    for (size_t i = 0; i <= number; i++)
        if (!strcmp(s->in.frame[i].file, "-"))
            return imp_fail(IMP_ERR_INPUT,
                            "%s: has tetrahedra, and the first file has none; with standard input "
                            "a file with tetrahedra must be the first (--order given)",
                            text_name(s->in.frame[number].file));
    return start_again(s, 1);
}

/* Converts frame `number`; all earlier ones have been added. *again: all must be read again. */
static int convert_frame_number(conversion *s, size_t number, int *again)
{
    int err = IMP_OK, repeat = 0;
    file_shape o = {0};
    TRY(read_frame(s, &s->in.frame[number], &o));
    const int made = needs_ids(s, &o);
    s->primitives += o.primitives;
    if (made)
        TRY(make_ids(s));
    else
        TRY(ids_repeat(s, &o, &repeat));
    if (made || repeat) {
        if (repeat)
            conversion_lose_ids(s);
        *again = 1;
        TRY(start_again(s, s->unstructured));
        goto out;
    }
    if (o.tetrahedra && !s->unstructured) {
        *again = number > 0;
        TRY(make_unstructured(s, number));
    }
    if (!*again)
        TRY(conversion_add_frame(s, number, &o));
out:
    file_shape_free(&o);
    return err;
}

int conversion_frames(conversion *s)
{
    int err = IMP_OK;
    progress bar;
    progress_start(&bar, s->o.quiet, s->o.progress, "frame", 0, s->in.frames);
    for (size_t i = 0; i < s->in.frames && !err;) {
        int again = 0;
        err = convert_frame_number(s, i, &again);
        /* if all are read again, the loop restarts with the first frame */
        i = again ? 0 : i + 1;
        progress_show(&bar, i, PROGRESS_NO_CONTACTS);
    }
    progress_clear(&bar);
    if (!err && !s->primitives)
        err = imp_fail(IMP_ERR_INPUT, "%s: no triangle, polygon or tetrahedron in any frame",
                       s->in.frame[0].file);
    return err;
}

/* ---- each file a body */

/* Returns the names of all files of the one frame, in one text. */
static int name_all(conversion *s)
{
    size_t size = 1;
    for (size_t i = 0; i < s->in.frames; i++)
        /* 2: the separator ", " */
        size += strlen(s->in.frame[i].file) + 2;
    char *all = malloc(size), *end = all;
    if (!all)
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < s->in.frames; i++)
        end += sprintf(end, "%s%s", i ? ", " : "", s->in.frame[i].file);
    int err = batch_name_frame(s->w, all);
    free(all);
    return err;
}

/* Welds within a body only: bodies stay separate. */
static int weld_object(conversion *s, const char *file, file_shape *o)
{
    int err = IMP_OK;
    file_shape_welding w = {0};
    if (s->o.weld >= 0)
        TRY(file_shape_weld(s->o.weld, o, &w));
    const imp_mesh mesh = {o->vertices, o->primitives,   o->corner,
                           o->group,    (int)o->corners, o->corner_count};
    TRY(conversion_check_vertices(s, file, &mesh, o->point, &w.info));
out:
    file_shape_welding_free(&w);
    return err;
}

static int is_given(const conversion *s, const char *name)
{
    for (size_t i = 0; i < s->in.frames; i++)
        if (!strcmp(s->in.frame[i].file, name))
            return 1;
    return 0;
}

/* A file that is given twice becomes two bodies: "a.obj" and "a.obj (2)". given[]: the last number
 * of each file. */
static int name_body(conversion *s, const char *file, name_list *files, int32_t *given)
{
    int err = IMP_OK;
    int32_t number;
    const size_t bytes = strlen(file) + 16;
    TRY(names_find(files, file, "", &number));
    free(s->body);
    s->body = malloc(bytes);
    if (!s->body)
        FAIL(IMP_ERR_MEMORY, "out of memory");
    snprintf(s->body, bytes, "%s", file);
    if (given[number]++)
        while (snprintf(s->body, bytes, "%s (%d)", file, (int)given[number]), is_given(s, s->body))
            given[number]++;
out:
    return err;
}

/* Bodies are joined in memory: they are one frame. */
static int join_bodies(conversion *s, file_shape_maker *make)
{
    int err = IMP_OK;
    file_shape o = {0};
    name_list files = {0};
    int32_t *given = NULL;
    file_shape_make_start(make, s->o.out, s->in.arrays.count);
    TRY(mem_alloc(&s->m, s->in.frames * sizeof *given, &given));
    memset(given, 0, s->in.frames * sizeof *given);
    for (size_t i = 0; i < s->in.frames; i++) {
        const char *file = s->in.frame[i].file;
        file_shape_note crossing;
        TRY(name_body(s, file, &files, given));
        TRY(read_frame(s, &s->in.frame[i], &o));
        TRY(file_shape_triangulate(file, &o, &crossing));
        notice_add(&s->crossing, file, o.place, &crossing);
        TRY(weld_object(s, file, &o));
        TRY(file_shape_make_join(make, file, &o));
        file_shape_free(&o);
    }
out:
    names_free(&files);
    mem_free(&s->m, given);
    file_shape_free(&o);
    return err;
}

int conversion_objects(conversion *s)
{
    int err = IMP_OK, repeat;
    file_shape_maker make = {0};
    const file_shape *all = &make.shape;
    TRY(join_bodies(s, &make));
    TRY(ids_repeat(s, all, &repeat));
    if (repeat) {
        conversion_lose_ids(s);
        file_shape_make_free(&make);
        forget_notices(s);
        TRY(join_bodies(s, &make));
    }
    if (repeat || all->tetrahedra)
        TRY(conversion_create(s, all->tetrahedra != 0));
    imp_mesh mesh = {all->vertices, all->primitives,   all->corner,
                     all->group,    (int)all->corners, all->corner_count};
    imp_frame f = {&mesh, all->point, IMP_FLOAT64, 0};
    TRY(batch_append_values(s->w, &f, all->value, 0));
    TRY(name_all(s));
    conversion_count_frame(s, &mesh, all->tetrahedra);
out:
    file_shape_make_free(&make);
    return err;
}

/* ---- See conversion.h: the frames, their order and their times. */

/* A callback for sequence_gaps. */
static void print_gap(const char *line)
{
    cli_line(stderr, "impinge: %s", line);
}

/* ---- the frames of all files */

/* If objects have numbers of their own, their names are those of the first file with names. */
static int convert_order_add_names(conversion *s, const mesh_file *f)
{
    int err = IMP_OK;
    const batch_names *n = mesh_file_names(f);
    const size_t more = n && !s->in.kept.objects ? n->objects : 0;
    for (size_t i = 0; i < more; i++)
        TRY(batch_names_add_object(&s->in.kept, n->object[i], n->object_name[i]));
out:
    return err;
}

/* *ids: the file has PrimitiveId. */
static int add_arrays(conversion *s, const mesh_file *f, int *ids)
{
    int err = IMP_OK;
    const cell_arrays *arrays = mesh_file_arrays(f), *lost = mesh_file_lost(f);
    for (size_t i = 0; arrays && i < arrays->count; i++)
        TRY(cell_arrays_add(&s->in.arrays, arrays->array[i].name, arrays->array[i].type));
    for (size_t i = 0; lost && i < lost->count; i++)
        TRY(cell_arrays_add(&s->in.lost, lost->array[i].name, lost->array[i].type));
    *ids = arrays && cell_arrays_find(arrays, PRIMITIVE_ID) < arrays->count;
out:
    return err;
}

static int convert_order_add_frames(conversion *s, char *file, const mesh_file *f,
                                    const mesh_file_info *info)
{
    int err = IMP_OK;
    TRY(mem_grow(&s->m, s->in.frames * sizeof *s->in.frame,
                 (s->in.frames + info->frames) * sizeof *s->in.frame, &s->in.frame));
    for (uint64_t k = 0; k < info->frames; k++)
        s->in.frame[s->in.frames++] = (convert_frame){file, k, mesh_file_time(f, k)};
out:
    return err;
}

/* A body is one mesh, not a motion. */
static int convert_order_check_frames(const conversion *s, const char *file,
                                      const mesh_file_info *info)
{
    const char *timed = s->o.times && !strcmp(s->o.times, "names") ? "--times names" : NULL;
    const char *option = s->o.as == AS_OBJECTS ? "--as objects" : timed;
    if (!info->frames)
        return imp_fail(IMP_ERR_INPUT, "%s: has no frame", file);
    if (option && info->frames > 1)
        return imp_fail(IMP_ERR_INPUT, "%s: has %" PRIu64 " frames; %s needs files of one", file,
                        info->frames, option);
    if (s->o.groups && !info->has_groups)
        return imp_fail(IMP_ERR_ARGUMENT, "%s: --groups: there are no groups", text_name(file));
    return IMP_OK;
}

/* *temporal: all files have times of their own. */
static int list_frames(conversion *s, char **files, size_t count, int *temporal)
{
    int err = IMP_OK, all_ids = 1;
    mesh_file_info info;
    *temporal = s->in.float32 = 1;
    s->in.numbers = s->o.as == AS_FRAMES;
    TRY(cell_arrays_add(&s->in.arrays, SOURCE_ID, COLUMN_I64));
    for (size_t i = 0; i < count; i++) {
        int ids;
        TRY(conversion_open(s, files[i]));
        mesh_file_get_info(s->in.open, &info);
        TRY(convert_order_check_frames(s, files[i], &info));
        TRY(convert_order_add_frames(s, files[i], s->in.open, &info));
        *temporal &= info.temporal;
        s->in.float32 &= info.type == IMP_FLOAT32;
        s->in.objects |= info.has_objects;
        s->in.numbers &= info.has_numbers;
        TRY(convert_order_add_names(s, s->in.open));
        TRY(add_arrays(s, s->in.open, &ids));
        all_ids &= ids;
    }
    /* primitives without ids cannot get any */
    if (!all_ids)
        conversion_lose_ids(s);
out:
    return err;
}

/* ---- times */

/* Checks that the times increase from file to file. */
static int check_own_times(const conversion *s)
{
    for (size_t i = 1; i < s->in.frames; i++) {
        const convert_frame *a = &s->in.frame[i - 1], *b = &s->in.frame[i];
        if (a->file != b->file && !(b->time > a->time))
            return imp_fail(IMP_ERR_INPUT,
                            "%s: its time %.17g does not come after %.17g of %s; --dt or --times "
                            "gives other times",
                            b->file, b->time, a->time, a->file);
    }
    return IMP_OK;
}

static int times_of_file(conversion *s)
{
    int err = IMP_OK;
    double *time = NULL;
    TRY(mem_alloc(&s->m, s->in.frames * sizeof *time, &time));
    TRY(sequence_times_of_file(s->o.times, s->in.frames, time));
    for (size_t i = 0; i < s->in.frames; i++)
        s->in.frame[i].time = time[i];
out:
    mem_free(&s->m, time);
    return err;
}

static void equal_steps(conversion *s, double step)
{
    for (size_t i = 0; i < s->in.frames; i++)
        s->in.frame[i].time = (double)i * step;
}

/* Reads times from the file names; they may change the order of the files. */
static int order_by_names(conversion *s, char **files, size_t count, double step, int given)
{
    int err = IMP_OK, temporal;
    double *time = NULL;
    TRY(mem_alloc(&s->m, count * sizeof *time, &time));
    TRY(sequence_times_of_names(files, count, step, !given, time));
    TRY(list_frames(s, files, count, &temporal));
    for (size_t i = 0; i < s->in.frames; i++)
        s->in.frame[i].time = time[i];
out:
    mem_free(&s->m, time);
    return err;
}

/* Gaps are searched in the final order. */
int convert_order(conversion *s, char **files, size_t count)
{
    int err = IMP_OK, temporal;
    const convert_options *o = &s->o;
    /* bodies have no natural order: they keep that of the command line */
    int given = o->order == ORDER_UNSET ? o->as == AS_OBJECTS : o->order == ORDER_GIVEN;
    /* --dt must be positive, so 0 means that it was not given */
    double step = o->dt > 0 ? o->dt : 1;
    if (!given)
        TRY(sequence_sort(files, count));
    if (o->times && !strcmp(o->times, "names")) {
        TRY(order_by_names(s, files, count, step, given));
        goto gaps;
    }
    TRY(list_frames(s, files, count, &temporal));
    if (o->as == AS_OBJECTS)
        goto out;
    if (o->times)
        TRY(times_of_file(s));
    else if (o->dt > 0 || !temporal)
        equal_steps(s, step);
    else
        TRY(check_own_times(s));
gaps:
    TRY(sequence_gaps(files, count, print_gap));
out:
    return err;
}
