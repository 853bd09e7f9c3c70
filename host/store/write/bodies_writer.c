/* See batch_bodies.h. Shapes are derived from the meshes, and must be the same in each, so that a
 * tree built from them once serves all frames. Poses are structs in memory; the file has a dataset
 * for each field, with the rows of all frames. */
#include "batch.h"
#include "batch_bodies.h"
#include "bodies.h"
#include "error.h"
#include "h5.h"

#include <errno.h>
#include <string.h>

#define BODIES_GROUP "/impinge/bodies"
#define BODIES_CHUNK_LEAST 1024 /* fewest rows of a chunk of a dataset that may grow */
#define BODIES_CHUNK_MOST 16384 /* most rows of a chunk */

void bodies_writer_free(bodies_writer *k)
{
    for (uint32_t b = 0; b < k->bodies && k->shape; b++)
        mem_free(k->mem, k->shape[b].rest);
    if (k->group > 0) {
        for (int i = 0; i < POSE_FIELDS; i++)
            h5_grow_close(&k->field[i]);
        h5_drop(k->group);
    }
    if (k->above > 0)
        h5_drop(k->above);
    if (k->mem) {
        mem_free(k->mem, k->shape);
        mem_free(k->mem, k->row);
    }
    memset(k, 0, sizeof *k);
}

/* ---- shapes */

/* Counts the rows of the bodies of a mesh. A body without primitives is unchanged. s->rows is set
 * by bodies_writer_add_shapes, after all runs: until then bodies_write_assign_rows copies instead
 * of comparing. */
static int bodies_write_count(bodies_writer *k, const char *path, const body_set *found)
{
    int err = IMP_OK;
    for (uint32_t b = 0; b < found->count; b++) {
        bodies_writer_shape *s = &k->shape[b];
        const uint64_t rows = found->vertices[b];
        if (rows && s->rows && rows != s->rows)
            FAIL(IMP_ERR_ARGUMENT, "%s: rigid body %d has %llu vertices, and had %llu before", path,
                 s->object, (unsigned long long)rows, (unsigned long long)s->rows);
        /* a body may appear in a later mesh for the first time */
        if (rows && !s->rest)
            TRY(mem_alloc(k->mem, 3 * rows * sizeof *s->rest, &s->rest));
    }
out:
    return err;
}

/* Vertices are in ascending order, and so are the rows of each body: done[] rows are already
 * assigned. The first mesh that has a body defines its shape; later ones must have the same
 * numbers. */
static int bodies_write_assign_rows(bodies_writer *k, const char *path, const body_set *found,
                                    uint64_t *done)
{
    for (size_t i = 0; i < found->runs; i++) {
        const body_run *run = found->run + i;
        const bodies_writer_shape *s = &k->shape[run->body];
        double *to = s->rest + 3 * done[run->body];
        const double *from = found->mesh->rest + (size_t)3 * run->first;
        const size_t numbers = (size_t)3 * (run->last - run->first);
        if (!s->rows)
            memcpy(to, from, numbers * sizeof *to);
        for (size_t n = 0; s->rows && n < numbers; n++)
            if (to[n] != from[n])
                return imp_fail(IMP_ERR_ARGUMENT, "%s: rigid body %d has another shape than before",
                                path, s->object);
        done[run->body] += run->last - run->first;
    }
    return IMP_OK;
}

/* The vertices of each body are found again in each mesh: their numbers may differ from mesh to
 * mesh. */
static int bodies_writer_add_shapes(bodies_writer *k, const bodies_of *of, const imp_mesh *m)
{
    int err = IMP_OK;
    body_set found = {0};
    uint64_t *done = NULL;
    TRY(bodies_find(k->mem, m, of, &found));
    TRY(mem_alloc(k->mem, m->bodies * sizeof *done, &done));
    memset(done, 0, m->bodies * sizeof *done);
    TRY(bodies_write_count(k, of->file, &found));
    TRY(bodies_write_assign_rows(k, of->file, &found, done));
    for (uint32_t b = 0; b < m->bodies; b++)
        if (found.vertices[b])
            k->shape[b].rows = found.vertices[b];
    /* frames that share a mesh are not compared again */
    k->mesh = m;
out:
    bodies_free(k->mem, &found);
    mem_free(k->mem, done);
    return err;
}

/* ---- frames */

/* The list of the first frame becomes that of the file. */
static int bodies_writer_set_mesh(bodies_writer *k, const imp_mesh *m)
{
    int err = IMP_OK;
    TRY(mem_alloc(k->mem, m->bodies * sizeof *k->shape, &k->shape));
    memset(k->shape, 0, m->bodies * sizeof *k->shape);
    k->bodies = m->bodies;
    for (uint32_t b = 0; b < m->bodies; b++)
        k->shape[b].object = m->body[b];
out:
    return err;
}

/* The file has one list of bodies for all frames, so each frame must have the same list. */
static int bodies_write_check(const bodies_writer *k, const bodies_of *of, const imp_frame *f)
{
    int err = IMP_OK;
    const imp_mesh *m = f->mesh;
    if (!m->bodies || !f->pose)
        FAIL(IMP_ERR_ARGUMENT, "%s: frame %llu has no poses of rigid bodies", of->file,
             (unsigned long long)f->number);
    TRY(bodies_listed(m, of));
    if (k->shape && m->bodies != k->bodies)
        FAIL(IMP_ERR_ARGUMENT, "%s: frame %llu has %u rigid bodies, those before %u", of->file,
             (unsigned long long)f->number, m->bodies, k->bodies);
    for (uint32_t b = 0; k->shape && b < m->bodies; b++)
        if (m->body[b] != k->shape[b].object)
            FAIL(IMP_ERR_ARGUMENT, "%s: frame %llu: rigid body %d is not of those before", of->file,
                 (unsigned long long)f->number, m->body[b]);
    TRY(poses_check(f, of));
out:
    return err;
}

/* Opens the groups of the file; batch_names_write may have created the first one before. */
static int bodies_writer_open_groups(bodies_writer *k, const char *path, hid_t file)
{
    /* otherwise h5_fail could report an older error */
    errno = 0;
    k->above = h5_exists(file, "impinge") ? H5Gopen2(file, "impinge", H5P_DEFAULT)
                                          : h5_group(file, "impinge");
    if (k->above >= 0)
        k->group = h5_exists(k->above, "bodies") ? H5Gopen2(k->above, "bodies", H5P_DEFAULT)
                                                 : h5_group(k->above, "bodies");
    return k->group <= 0 ? h5_fail(IMP_ERR_FILE, path, BODIES_GROUP, "cannot be written") : IMP_OK;
}

/* Returns the chunk length of a dataset that does not grow later: if it is not longer than the
 * dataset, no space is wasted. HDF5 rejects chunks of 0 rows. */
static uint64_t bodies_writer_chunk(uint64_t rows, uint64_t most)
{
    return !rows ? 1 : rows < most ? rows : most;
}

/* frames: the number in the datasets, or H5_NEW. If there are many bodies, a chunk holds one
 * frame. */
static int bodies_writer_open_fields(bodies_writer *k, const char *path, uint64_t frames)
{
    int err = IMP_OK;
    const uint64_t rows = frames == H5_NEW ? H5_NEW : frames * k->bodies;
    const uint64_t chunk = k->bodies < BODIES_CHUNK_LEAST
                               ? BODIES_CHUNK_LEAST
                               : bodies_writer_chunk(k->bodies, BODIES_CHUNK_MOST);
    for (int i = 0; i < POSE_FIELDS; i++)
        k->field[i].id = -1;
    for (int i = 0; i < POSE_FIELDS; i++) {
        const h5_grow_def def = {pose_fields[i].name, COLUMN_F64, pose_fields[i].numbers, chunk};
        TRY(h5_grow_open(k->mem, k->group, path, &def, rows, &k->field[i]));
    }
    /* 4: the longest field is a quaternion */
    TRY(mem_alloc(k->mem, (size_t)4 * k->bodies * sizeof *k->row, &k->row));
out:
    return err;
}

static int bodies_write_begin(bodies_writer *k, const char *path, hid_t file, const imp_mesh *m,
                              uint64_t frames)
{
    int err = IMP_OK;
    TRY(bodies_writer_set_mesh(k, m));
    TRY(bodies_writer_open_groups(k, path, file));
    TRY(bodies_writer_open_fields(k, path, frames));
out:
    return err;
}

static int bodies_writer_add_field(bodies_writer *k, const char *path, const imp_pose *pose, int i)
{
    const pose_field *field = &pose_fields[i];
    for (size_t b = 0; b < k->bodies; b++)
        memcpy(k->row + field->numbers * b, (const char *)(pose + b) + field->offset,
               field->numbers * sizeof *k->row);
    return h5_grow_add(&k->field[i], path, k->row, k->bodies);
}

int bodies_writer_add(bodies_writer *k, const char *path, hid_t file, const imp_frame *f)
{
    int err = IMP_OK;
    const bodies_of of = {IMP_ERR_ARGUMENT, path, f->number};
    TRY(bodies_write_check(k, &of, f));
    if (!k->shape)
        TRY(bodies_write_begin(k, path, file, f->mesh, H5_NEW));
    if (f->mesh != k->mesh)
        TRY(bodies_writer_add_shapes(k, &of, f->mesh));
    for (int i = 0; i < POSE_FIELDS; i++)
        TRY(bodies_writer_add_field(k, path, f->pose, i));
out:
    return err;
}

int bodies_writer_reopen(bodies_writer *k, const char *path, hid_t file, const imp_frame *f,
                         uint64_t frames)
{
    int err = IMP_OK;
    const bodies_of of = {IMP_ERR_ARGUMENT, path, f->number};
    TRY(bodies_write_begin(k, path, file, f->mesh, frames));
    TRY(bodies_writer_add_shapes(k, &of, f->mesh));
    k->shaped = h5_exists(k->group, "object_id");
out:
    return err;
}

int bodies_writer_truncate(bodies_writer *k, const char *path)
{
    int err = IMP_OK;
    for (int i = 0; i < POSE_FIELDS && !err; i++)
        err = h5_grow_truncate(&k->field[i], path);
    return err;
}

/* ---- the file */

/* Offsets begin with 0, so body b has the rows from offset b to offset b + 1 (format.md). */
static int bodies_writer_write_shapes(const bodies_writer *k, hid_t group, const char *path)
{
    int err = IMP_OK;
    h5_grow ids = {.id = -1}, offsets = {.id = -1}, points = {.id = -1};
    int64_t rows = 0;
    for (uint32_t b = 0; b < k->bodies; b++)
        rows += (int64_t)k->shape[b].rows;
    /* the sum of rows is computed first: the chunks of `points` have its size */
    const h5_grow_def id_def = {"object_id", COLUMN_I32, 0,
                                bodies_writer_chunk(k->bodies, BODIES_CHUNK_LEAST)};
    const h5_grow_def end_def = {"point_offsets", COLUMN_I64, 0,
                                 bodies_writer_chunk(k->bodies + 1, BODIES_CHUNK_LEAST)};
    const h5_grow_def point_def = {"points", COLUMN_F64, 3,
                                   bodies_writer_chunk((uint64_t)rows, BODIES_CHUNK_MOST)};
    TRY(h5_grow_open(k->mem, group, path, &id_def, H5_NEW, &ids));
    TRY(h5_grow_open(k->mem, group, path, &end_def, H5_NEW, &offsets));
    TRY(h5_grow_open(k->mem, group, path, &point_def, H5_NEW, &points));
    rows = 0;
    TRY(h5_grow_add(&offsets, path, &rows, 1));
    for (uint32_t b = 0; b < k->bodies; b++) {
        const bodies_writer_shape *s = &k->shape[b];
        rows += (int64_t)s->rows;
        TRY(h5_grow_add(&ids, path, &s->object, 1));
        TRY(h5_grow_add(&offsets, path, &rows, 1));
        if (s->rows)
            TRY(h5_grow_add(&points, path, s->rest, s->rows));
    }
    TRY(h5_grow_flush(&ids, path));
    TRY(h5_grow_flush(&offsets, path));
    TRY(h5_grow_flush(&points, path));
out:
    h5_grow_close(&ids);
    h5_grow_close(&offsets);
    h5_grow_close(&points);
    return err;
}

static int bodies_writer_write_matter(const bodies_writer *k, const matter *m, const char *path,
                                      hid_t bodies, hid_t impinge)
{
    int err = IMP_OK;
    int32_t *object = NULL;
    if (m->bodies != k->bodies)
        FAIL(IMP_ERR_ARGUMENT, "%s: %u rigid bodies, and what %u are made of", path, k->bodies,
             m->bodies);
    TRY(mem_alloc(k->mem, k->bodies * sizeof *object, &object));
    for (uint32_t b = 0; b < k->bodies; b++)
        object[b] = k->shape[b].object;
    TRY(store_matter_write(m, object, path, bodies, impinge));
out:
    mem_free(k->mem, object);
    return err;
}

static int bodies_writer_has_all_shapes(const bodies_writer *k)
{
    for (uint32_t b = 0; b < k->bodies; b++)
        if (!k->shape[b].rows)
            return 0;
    return 1;
}

int bodies_writer_write(bodies_writer *k, const matter *m, const char *path, int last)
{
    int err = IMP_OK;
    if (!k->shape)
        return IMP_OK;
    errno = 0;
    for (int i = 0; i < POSE_FIELDS; i++)
        TRY(h5_grow_flush(&k->field[i], path));
    if (k->shaped || !(last || bodies_writer_has_all_shapes(k)))
        goto out;
    TRY(bodies_writer_write_shapes(k, k->group, path));
    if (m)
        TRY(bodies_writer_write_matter(k, m, path, k->group, k->above));
    k->shaped = 1;
out:
    return err;
}

#define CHANGES_GROUP "/impinge/velocity_changes"
#define NAME "velocity_changes"
#define CHANGES_CHUNK 4096 /* rows */

static const h5_grow_def columns[CHANGE_COLUMNS] = {
    [CHANGE_FRAME] = {"frame", COLUMN_I64, 0, CHANGES_CHUNK},
    [CHANGE_OBJECT] = {"object_id", COLUMN_I32, 0, CHANGES_CHUNK},
    [CHANGE_TIME] = {"time", COLUMN_F64, 0, CHANGES_CHUNK},
    [CHANGE_VELOCITY] = {"velocity", COLUMN_F64, 3, CHANGES_CHUNK},
    [CHANGE_SPIN] = {"angular_velocity", COLUMN_F64, 3, CHANGES_CHUNK}};

/* ---- writing */

static int changes_open_group(hid_t file, const char *path, hid_t *out)
{
    errno = 0; /* otherwise h5_fail could report an older error */
    const hid_t above = h5_exists(file, "impinge") ? H5Gopen2(file, "impinge", H5P_DEFAULT)
                                                   : h5_group(file, "impinge");
    *out = above < 0                ? -1
           : h5_exists(above, NAME) ? H5Gopen2(above, NAME, H5P_DEFAULT)
                                    : h5_group(above, NAME);
    h5_drop(above);
    return *out < 0 ? h5_fail(IMP_ERR_FILE, path, CHANGES_GROUP, "cannot be written") : IMP_OK;
}

static int changes_open_columns(changes_writer *k, const char *path, hid_t file, uint64_t rows)
{
    int err = IMP_OK;
    for (int i = 0; i < CHANGE_COLUMNS; i++)
        k->column[i] = (h5_grow){.id = -1};
    TRY(changes_open_group(file, path, &k->group));
    for (int i = 0; i < CHANGE_COLUMNS; i++)
        TRY(h5_grow_open(k->mem, k->group, path, &columns[i], rows, &k->column[i]));
out:
    return err;
}

int changes_writer_open(changes_writer *k, const char *path, hid_t file)
{
    return changes_open_columns(k, path, file, H5_NEW);
}

/* Finds the number of rows of the steps before `steps`. */
static int changes_rows_before(mem *m, hid_t file, const char *path, uint64_t steps, uint64_t *out)
{
    int err = IMP_OK;
    int64_t *frame = NULL;
    uint64_t rows;
    const hid_t group = H5Gopen2(file, "impinge/" NAME, H5P_DEFAULT);
    *out = 0;
    if (group < 0)
        return h5_broken(file, path, "", "impinge/" NAME, "is missing");
    TRY(h5_read_integers(m, group, path, CHANGES_GROUP, columns[CHANGE_FRAME].name, 1, &frame,
                         &rows, NULL));
    while (*out < rows && frame[*out] >= 0 && (uint64_t)frame[*out] < steps)
        ++*out;
out:
    mem_free(m, frame);
    h5_drop(group);
    return err;
}

int changes_writer_reopen(changes_writer *k, const char *path, hid_t file, uint64_t steps)
{
    int err = IMP_OK;
    uint64_t rows;
    TRY(changes_rows_before(k->mem, file, path, steps, &rows));
    TRY(changes_open_columns(k, path, file, rows));
    k->steps = steps;
    k->overlap = -1;
out:
    return err;
}

int changes_writer_truncate(changes_writer *k, const char *path)
{
    int err = IMP_OK;
    for (int i = 0; i < CHANGE_COLUMNS && !err; i++)
        err = h5_grow_truncate(&k->column[i], path);
    return err;
}

int changes_writer_add(changes_writer *k, const char *path, const int32_t *object,
                       const velocity_change *change, size_t count, double overlap)
{
    int err = IMP_OK;
    const int64_t frame = (int64_t)k->steps++;
    k->overlap = overlap;
    for (const velocity_change *c = change; c < change + count; c++) {
        TRY(h5_grow_add(&k->column[CHANGE_FRAME], path, &frame, 1));
        TRY(h5_grow_add(&k->column[CHANGE_OBJECT], path, &object[c->body], 1));
        TRY(h5_grow_add(&k->column[CHANGE_TIME], path, &c->time, 1));
        TRY(h5_grow_add(&k->column[CHANGE_VELOCITY], path, c->velocity, 1));
        TRY(h5_grow_add(&k->column[CHANGE_SPIN], path, c->spin, 1));
    }
out:
    return err;
}

int changes_writer_write(changes_writer *k, const char *path)
{
    int err = IMP_OK;
    if (k->group <= 0)
        return IMP_OK;
    for (int i = 0; i < CHANGE_COLUMNS; i++)
        TRY(h5_grow_flush(&k->column[i], path));
    if (k->overlap >= 0)
        TRY(h5_put_floats(k->group, path, "overlap", &k->overlap, 1));
out:
    return err;
}

void changes_writer_free(changes_writer *k)
{
    if (k->group > 0) {
        for (int i = 0; i < CHANGE_COLUMNS; i++)
            h5_grow_close(&k->column[i]);
        h5_drop(k->group);
    }
    memset(k, 0, sizeof *k);
}

/* ---- reading */

/* Reads rows of one column, as `type`, whose elements have 8 bytes, into *out, a pointer to these;
 * NULL on failure. */
static int read_column(const batch *b, hid_t group, enum change_column which, uint64_t first,
                       uint64_t rows, hid_t type, void *out)
{
    int err = IMP_OK;
    h5_data d;
    void *at = NULL;
    const uint64_t wide = columns[which].columns ? columns[which].columns : 1;
    TRY(h5_data_open_stored(b->mem, group, b->path, CHANGES_GROUP, columns[which].name, &d));
    if (d.class != H5T_FLOAT && d.class != H5T_INTEGER)
        FAIL(IMP_ERR_INPUT, "%s: %s: not numbers", b->path, d.name);
    if (first > d.rows || rows > d.rows - first)
        FAIL(IMP_ERR_INPUT, "%s: %s: %llu rows, there must be %llu", b->path, d.name,
             (unsigned long long)d.rows, (unsigned long long)(first + rows));
    if (rows)
        TRY(h5_data_columns(&d, wide));
    TRY(h5_data_stored(&d, first, rows));
    TRY(mem_alloc(b->mem, (size_t)(rows * wide) * sizeof(double), &at));
    TRY(h5_data_read(&d, first, rows, type, at));
out:
    h5_data_close(&d);
    memcpy(out, &at, sizeof at);
    return err;
}

static int changes_read_rows(const batch *b, hid_t group, uint64_t first, size_t rows,
                             velocity_change *to)
{
    int err = IMP_OK;
    int64_t *object = NULL;
    double *time = NULL, *velocity = NULL, *spin = NULL;
    TRY(read_column(b, group, CHANGE_OBJECT, first, rows, H5T_NATIVE_INT64, &object));
    TRY(read_column(b, group, CHANGE_TIME, first, rows, H5T_NATIVE_DOUBLE, &time));
    TRY(read_column(b, group, CHANGE_VELOCITY, first, rows, H5T_NATIVE_DOUBLE, &velocity));
    TRY(read_column(b, group, CHANGE_SPIN, first, rows, H5T_NATIVE_DOUBLE, &spin));
    for (size_t i = 0; i < rows; i++) {
        const int fits = object[i] >= INT32_MIN && object[i] <= INT32_MAX;
        to[i] = (velocity_change){
            .body =
                fits ? body_number(b->bodies.object, b->bodies.count, (int32_t)object[i]) : NO_BODY,
            .time = time[i]};
        if (to[i].body == NO_BODY)
            FAIL(IMP_ERR_INPUT, "%s: " CHANGES_GROUP "/object_id: row %llu: %lld is no rigid body",
                 b->path, (unsigned long long)(first + i), (long long)object[i]);
        memcpy(to[i].velocity, velocity + 3 * i, sizeof to[i].velocity);
        memcpy(to[i].spin, spin + 3 * i, sizeof to[i].spin);
    }
out:
    mem_free(b->mem, object);
    mem_free(b->mem, time);
    mem_free(b->mem, velocity);
    mem_free(b->mem, spin);
    return err;
}

static int open_changes(const batch *b, hid_t *out)
{
    *out =
        h5_exists(b->file, "impinge/" NAME) ? H5Gopen2(b->file, "impinge/" NAME, H5P_DEFAULT) : -1;
    return *out < 0 ? h5_broken(b->file, b->path, "", "impinge/" NAME, "is missing") : IMP_OK;
}

/* Finds the first row of each step: `frame` ascends. */
static int find_steps(const batch *b, const int64_t *frame, uint64_t rows, uint64_t steps,
                      uint64_t *first)
{
    uint64_t step = 0;
    for (uint64_t row = 0; row < rows; row++) {
        if (frame[row] < 0 || (uint64_t)frame[row] >= steps || (row && frame[row] < frame[row - 1]))
            return imp_fail(
                IMP_ERR_INPUT,
                "%s: " CHANGES_GROUP "/frame: row %llu: %lld; they must ascend, below %llu",
                b->path, (unsigned long long)row, (long long)frame[row], (unsigned long long)steps);
        while (step <= (uint64_t)frame[row])
            first[step++] = row;
    }
    while (step <= steps)
        first[step++] = rows;
    return IMP_OK;
}

int batch_find_changes(const batch *b, uint64_t steps, uint64_t **first, double *overlap)
{
    int err = IMP_OK;
    hid_t group;
    int64_t *frame = NULL;
    uint64_t rows;
    *first = NULL;
    TRY(open_changes(b, &group));
    TRY(h5_attr_floats(group, b->path, CHANGES_GROUP, "overlap", overlap, 1));
    TRY(h5_read_integers(b->mem, group, b->path, CHANGES_GROUP, columns[CHANGE_FRAME].name, 1,
                         &frame, &rows, NULL));
    TRY(mem_alloc(b->mem, (size_t)(steps + 1) * sizeof **first, first));
    TRY(find_steps(b, frame, rows, steps, *first));
out:
    mem_free(b->mem, frame);
    h5_drop(group);
    if (err) {
        mem_free(b->mem, *first);
        *first = NULL;
    }
    return err;
}

int batch_read_changes(const batch *b, uint64_t first, uint64_t rows, velocity_change **out)
{
    int err = IMP_OK;
    hid_t group;
    *out = NULL;
    TRY(open_changes(b, &group));
    TRY(mem_alloc(b->mem, (size_t)rows * sizeof **out, out));
    TRY(changes_read_rows(b, group, first, (size_t)rows, *out));
out:
    h5_drop(group);
    if (err) {
        mem_free(b->mem, *out);
        *out = NULL;
    }
    return err;
}
