/* See exports.h: the file of --contours. */
#include "contours.h"
#include "error.h"
#include "exports.h"
#include "frame_contacts.h"
#include "object_names.h"
#include "signals.h"
#include "vtkhdf_writer.h"

enum contours_array {
    CONTOURS_CONTOUR,
    CONTOURS_CLOSED,
    CONTOURS_LENGTH,
    CONTOURS_OBJECT_A,
    CONTOURS_OBJECT_B,
    CONTOURS_ARRAYS
};

static const vtkhdf_array contours_arrays[] = {[CONTOURS_CONTOUR] = {"Contour", COLUMN_I64},
                                               [CONTOURS_CLOSED] = {"Closed", COLUMN_U8},
                                               [CONTOURS_LENGTH] = {"Length", COLUMN_F64},
                                               [CONTOURS_OBJECT_A] = {"ObjectA", COLUMN_I32},
                                               [CONTOURS_OBJECT_B] = {"ObjectB", COLUMN_I32}};

static const vtkhdf_writer_def contours_def = {.minor = 0,
                                               .temporary = 1,
                                               .cells = VTKHDF_LINES,
                                               .points = COLUMN_F64,
                                               .array = contours_arrays,
                                               .arrays = CONTOURS_ARRAYS};

/* The rows of a frame. */
typedef struct contours_step {
    double time;
    int64_t points, cells, ids;
} contours_step;

typedef struct contours_file {
    mem *mem;
    result_reader *r;
    vtkhdf_writer p;
    frame_contacts contacts;
    uint64_t none;       /* contacts without a contour */
    contour_set found;   /* the contours of a frame */
    contours_step *step; /* [frames] */
} contours_file;

static int contours_find_frame(contours_file *c, uint64_t k)
{
    int err = IMP_OK;
    imp_contacts rows;
    c->found.count = c->found.points = 0;
    TRY(frame_contacts_read(&c->contacts, c->r, k, 0, &rows));
    if (!rows.count)
        return IMP_OK;
    TRY(contours_find(c->mem, c->contacts.block.frame, &rows, &c->found));
    c->none += c->found.none;
out:
    return err;
}

/* ---- a step of the file */

/* A closed contour ends with its first point, as one polyline. */
static int contours_add_line(contours_file *c, size_t i, int64_t *last)
{
    int err = IMP_OK;
    const imp_contour *of = &c->found.of[i];
    for (size_t k = 0; k < of->points + (size_t)of->closed; k++) {
        const int64_t id = (int64_t)(of->first + (k < of->points ? k : 0));
        TRY(vtkhdf_writer_add_rows(&c->p, VTKHDF_CONNECTIVITY, &id, 1));
    }
    *last += (int64_t)(of->points + (size_t)of->closed);
    TRY(vtkhdf_writer_add_rows(&c->p, VTKHDF_OFFSETS, last, 1));
    const int64_t number = (int64_t)i;
    const uint8_t closed = (uint8_t)of->closed;
    const void *const value[] = {[CONTOURS_CONTOUR] = &number,
                                 [CONTOURS_CLOSED] = &closed,
                                 [CONTOURS_LENGTH] = &of->length,
                                 [CONTOURS_OBJECT_A] = &of->a,
                                 [CONTOURS_OBJECT_B] = &of->b};
    for (int a = 0; a < CONTOURS_ARRAYS; a++)
        TRY(vtkhdf_writer_add_rows(&c->p, VTKHDF_ARRAY + 2 * a, value[a], 1));
out:
    return err;
}

/* The offsets of a frame begin with 0; a frame without a contour has none. */
static int contours_add_lines(contours_file *c, contours_step *to)
{
    int err = IMP_OK;
    const contour_set *s = &c->found;
    int64_t last = 0;
    if (s->count)
        TRY(vtkhdf_writer_add_rows(&c->p, VTKHDF_OFFSETS, &last, 1));
    for (size_t i = 0; i < s->count; i++)
        TRY(contours_add_line(c, i, &last));
    TRY(vtkhdf_writer_add_rows(&c->p, VTKHDF_POINTS, s->point, s->points));
    to->points = (int64_t)s->points;
    to->cells = (int64_t)s->count;
    to->ids = last;
out:
    return err;
}

/* The part of each frame with a contour, then one for all frames without: VTK finds the offsets of
 * a frame by the cells of the parts before, so that an empty part must not be among them. */
static int contours_add_parts(contours_file *c, size_t frames)
{
    int err = IMP_OK;
    size_t none = 0;
    for (size_t k = 0; k < frames; k++) {
        const contours_step *s = &c->step[k];
        if (s->cells)
            TRY(vtkhdf_writer_add_part(&c->p, s->points, s->cells, s->ids));
        none += !s->cells;
    }
    if (none)
        TRY(vtkhdf_writer_add_part(&c->p, 0, 0, 0));
    if (none == frames)
        TRY(vtkhdf_writer_add_rows(&c->p, VTKHDF_OFFSETS, &(int64_t){0}, 1));
out:
    return err;
}

static int contours_add_steps(contours_file *c, size_t frames)
{
    int err = IMP_OK;
    int64_t parts = 0, part = 0, points = 0, cells = 0, ids = 0;
    for (size_t k = 0; k < frames; k++)
        parts += c->step[k].cells > 0;
    for (size_t k = 0; k < frames; k++) {
        const contours_step *s = &c->step[k];
        const int64_t row0 = s->cells ? cells : 0, array0[] = {row0, row0, row0, row0, row0};
        const vtkhdf_step step = {.time = s->time,
                                  .part0 = s->cells ? part : parts,
                                  .point0 = s->cells ? points : 0,
                                  .cell0 = row0,
                                  .id0 = s->cells ? ids : 0,
                                  .array0 = array0};
        TRY(vtkhdf_writer_add_step(&c->p, &step));
        part += s->cells > 0;
        points += s->points;
        cells += s->cells;
        ids += s->ids;
    }
out:
    return err;
}

/* ---- all */

static int contours_write_all(contours_file *c, const char *path)
{
    int err = IMP_OK;
    const result_info *info = result_get_info(c->r);
    TRY(vtkhdf_writer_create(c->mem, path, 1, &contours_def, &c->p));
    TRY(vtkhdf_writer_appear(&c->p));
    TRY(mem_alloc(c->mem, info->frames * sizeof *c->step, &c->step));
    for (uint64_t k = 0; k < info->frames; k++) {
        if (signals_came())
            FAIL(IMP_ERR_CANCELLED, "%s: stopped by a signal", path);
        c->step[k] = (contours_step){.time = info->of.time[k]};
        TRY(contours_find_frame(c, k));
        TRY(contours_add_lines(c, &c->step[k]));
    }
    TRY(contours_add_parts(c, info->frames));
    TRY(contours_add_steps(c, info->frames));
    TRY(batch_names_write_beside(info->names, path, c->p.file));
    TRY(vtkhdf_writer_flush(&c->p));
    TRY(vtkhdf_writer_commit(&c->p));
    err = vtkhdf_writer_publish(&c->p, 0);
out:
    if (err)
        vtkhdf_writer_discard(&c->p);
    contours_free(c->mem, &c->found);
    frame_contacts_free(&c->contacts);
    mem_free(c->mem, c->step);
    return err;
}

int contours_write(mem *m, batch *in, result_reader *r, text_output *to, uint64_t *none)
{
    contours_file c = {.mem = m, .r = r, .contacts = {.mem = m, .in = in}};
    int err = text_output_path(to);
    c.contacts.path = to->part;
    if (!err)
        err = text_output_end(to, contours_write_all(&c, to->part));
    *none = c.none;
    return err;
}
