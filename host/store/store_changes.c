/* See store_changes.h. */
#include "store_changes.h"

#include "bodies.h"
#include "error.h"
#include "store_batch.h"

#include <errno.h>
#include <string.h>

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
    errno = 0; /* so that h5_fail does not report an older error */
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

/* How many rows the steps before `steps` have. */
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

/* Rows of one column, as `type`, whose elements have 8 bytes, into *out, a pointer to these; NULL
 * on failure. */
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

/* Where the rows of each step begin: `frame` ascends. */
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
