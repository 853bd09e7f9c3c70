/* See conversion.h: which frames there are, in which order, and their times. */
#include "conversion.h"

#include "cli.h"
#include "error.h"
#include "sequence.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* For sequence_gaps. */
static void print_gap(const char *line)
{
    cli_line(stderr, "impinge: %s", line);
}

/* ---- the frames of all files */

/* Names of objects that have numbers of their own are those of the first file with names. */
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

/* *ids: has it PrimitiveId? */
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

/* *temporal: do all files have times of their own? */
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
    /* names cannot be made up for primitives that have none */
    if (!all_ids)
        conversion_lose_ids(s);
out:
    return err;
}

/* ---- times */

/* Where files follow each other, so do their times. */
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

/* Times that the names give; they may put the files in another order. */
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
    /* bodies have no order of their own: they keep that of the command line */
    int given = o->order == ORDER_UNSET ? o->as == AS_OBJECTS : o->order == ORDER_GIVEN;
    /* 0 means that --dt was not given: it must be positive */
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
