/* HDF5 helpers: opening and reading datasets. */
#include "h5_data.h"

#include "error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Everything here is a table, of rows or of rows and columns. */
static int data_shape(h5_data *d)
{
    hid_t space = H5Dget_space(d->id), type = H5Dget_type(d->id);
    hsize_t dims[H5S_MAX_RANK] = {0};
    int rank = H5Sget_simple_extent_dims(space, dims, NULL);
    d->class = H5Tget_class(type);
    d->size = H5Tget_size(type);
    d->rows = dims[0];
    d->columns = rank == 2 ? dims[1] : 1;
    H5Sclose(space);
    H5Tclose(type);
    /* after the ids are closed; with another rank dims[0] is not used */
    if (rank != 1 && rank != 2)
        return h5_fail(IMP_ERR_INPUT, d->path, d->name, "has %d dimensions", rank);
    return IMP_OK;
}

/* Rows that were never stored read as zeros and take no space. Up to UNSTORED_BYTES are accepted,
 * or up to UNSTORED_TIMES the size of the file, but never more than UNSTORED_BYTES_MOST. */
#define UNSTORED_CHUNKS (1u << 14)
#define UNSTORED_BYTES ((uint64_t)1 << 22)
#define UNSTORED_BYTES_MOST ((uint64_t)1 << 28)
#define UNSTORED_TIMES 64  /* bytes that are not stored, of each of the file */
#define UNSTORED_SHARE 64  /* bytes of the file, for each chunk that is not stored */
#define PACKED_TIMES 65536 /* more than any filter makes of a byte */

#define CHUNKS_AT_ONCE 256 /* HDF5 takes 7 kB for each chunk that a call reads */

static double file_bytes_of(hid_t object)
{
    hsize_t bytes = 0;
    hid_t file = H5Iget_file_id(object);
    if (file < 0 || H5Fget_filesize(file, &bytes) < 0)
        bytes = 0;
    if (file >= 0)
        H5Fclose(file);
    return (double)bytes;
}

/* In the file itself no more than it has; files of raw data have been looked at. */
static double stored_bytes(const h5_data *d, hid_t made)
{
    const double stored = (double)H5Dget_storage_size(d->id);
    return H5Pget_external_count(made) > 0 ? stored : fmin(stored, file_bytes_of(d->id));
}

static int are_few_chunks(const h5_data *d, double chunks, double stored)
{
    return chunks <= UNSTORED_CHUNKS || chunks <= stored ||
           chunks <= file_bytes_of(d->id) / UNSTORED_SHARE;
}

static int are_few_bytes(const h5_data *d, double bytes, double stored)
{
    return bytes <= UNSTORED_BYTES || bytes / PACKED_TIMES <= stored ||
           (bytes <= UNSTORED_BYTES_MOST && bytes / UNSTORED_TIMES <= file_bytes_of(d->id));
}

/* A damaged extent may ask for years and terabytes: what a file announces is compared with what it
 * has. In double, since products of damaged numbers overflow integers. */
static int data_plausible(h5_data *d, hid_t made)
{
    hsize_t chunk[H5S_MAX_RANK] = {1};
    const double stored = stored_bytes(d, made);
    int rank = H5Pget_layout(made) == H5D_CHUNKED ? H5Pget_chunk(made, H5S_MAX_RANK, chunk) : 0;
    double chunks = 1, bytes = (double)d->rows * (double)d->columns * (double)d->size, across = 1;
    if (rank > 1)
        across = ceil((double)d->columns / (double)chunk[1]);
    if (rank > 0) {
        chunks = (double)d->rows / (double)chunk[0] * across;
        d->stride = across < CHUNKS_AT_ONCE ? CHUNKS_AT_ONCE / (uint64_t)fmax(across, 1) : 1;
        d->stride = d->stride > UINT64_MAX / chunk[0] ? 0 : d->stride * chunk[0];
    }
    if (!are_few_chunks(d, chunks, stored) || !are_few_bytes(d, bytes, stored))
        return h5_fail(IMP_ERR_INPUT, d->path, d->name,
                       "damaged: %llu rows, for which %.0f bytes are stored",
                       (unsigned long long)d->rows, stored);
    return IMP_OK;
}

static int data_check(h5_data *d, hid_t made, const h5_chain *up, h5_chunks *chunks)
{
    int err = IMP_OK;
    int is_virtual = H5Pget_layout(made) == H5D_VIRTUAL;
    if (is_virtual) /* before anything that makes HDF5 open the files behind it */
        TRY(h5_virtual_open(d, made));
    TRY(data_shape(d));
    if (is_virtual)
        /* what follows is checked for each source when that is opened */
        return h5_virtual_check(d, up, chunks);
    TRY(h5_raw_check(d, made));
    TRY(data_plausible(d, made));
out:
    return err;
}

int h5_data_open_behind(hid_t group, const char *path, const char *where, const char *name,
                        int stored, const h5_chain *up, h5_chunks *chunks, h5_data *out)
{
    int err = IMP_OK;
    hid_t made = -1;
    *out = (h5_data){.id = -1, .path = path, .stored = stored};
    snprintf(out->name, sizeof out->name, "%s/%s", where, name);
    if (!h5_exists(group, name))
        return h5_fail(IMP_ERR_INPUT, path, out->name, "missing");
    out->id = H5Dopen2(group, name, H5P_DEFAULT);
    if (out->id < 0)
        return h5_broken(group, path, where, name, "not a dataset");
    /* once for all that look at it: HDF5 makes a copy each time, which takes as long as opening */
    made = H5Dget_create_plist(out->id);
    TRY(data_check(out, made, up, chunks));
    /* a virtual dataset has no chunks; those of its sources are counted in the same *chunks */
    if (!out->behind)
        TRY(h5_chunks_open(group, name, made, chunks, out));
    out->chunks.bytes = chunks->bytes;
out:
    h5_drop(made);
    if (err)
        h5_data_close(out);
    return err;
}

/* Memory for chunks belongs to the open dataset, whose closing releases it. A failure may come
 * after it was reserved. */
static int open_counted(mem *m, hid_t group, const char *path, const char *where, const char *name,
                        int stored, h5_data *out)
{
    h5_chunks chunks = {m, 0};
    int err = h5_data_open_behind(group, path, where, name, stored, NULL, &chunks, out);
    if (!err)
        out->chunks = chunks;
    else if (m)
        mem_release(m, chunks.bytes);
    return err;
}

int h5_data_open(mem *m, hid_t group, const char *path, const char *where, const char *name,
                 h5_data *out)
{
    return open_counted(m, group, path, where, name, 0, out);
}

int h5_data_open_stored(mem *m, hid_t group, const char *path, const char *where, const char *name,
                        h5_data *out)
{
    return open_counted(m, group, path, where, name, 1, out);
}

/* The memory is released last, when HDF5 has freed the chunks. */
void h5_data_close(h5_data *d)
{
    h5_virtual_close(d->behind);
    d->behind = NULL;
    /* not 0: a zeroed h5_data may be closed as well */
    if (d->id > 0)
        H5Dclose(d->id);
    d->id = -1;
    if (d->chunks.mem)
        mem_release(d->chunks.mem, d->chunks.bytes);
    d->chunks = (h5_chunks){0};
}

/* ---- reading */

int h5_data_columns(const h5_data *d, uint64_t columns)
{
    if (d->columns == columns)
        return IMP_OK;
    return h5_fail(IMP_ERR_INPUT, d->path, d->name, "has %llu columns, not %llu",
                   (unsigned long long)d->columns, (unsigned long long)columns);
}

/* Memory has the file's number of dimensions where possible: else HDF5 is slow. */
static hid_t memory_space(int rank, const h5_box *box, uint64_t width)
{
    hsize_t capacity[2] = {box->rows, width}, start[2] = {0, 0},
            count[2] = {box->rows, box->columns};
    hid_t memory = H5Screate_simple(width > 1 ? 2 : rank, capacity, NULL);
    /* columns of several sources are side by side in one array */
    if (width > box->columns)
        H5Sselect_hyperslab(memory, H5S_SELECT_SET, start, NULL, count, NULL);
    return memory;
}

/* HDF5 converts to `type` while it reads: integers of any size, floats of either. */
static int h5_data_read_range(const h5_data *d, const h5_box *box, hid_t type, uint64_t width,
                              void *out)
{
    hsize_t start[2] = {box->row, box->column}, count[2] = {box->rows, box->columns};
    hid_t space = H5Dget_space(d->id);
    hid_t memory = memory_space(H5Sget_simple_extent_ndims(space), box, width);
    herr_t bad = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    if (bad >= 0)
        bad = H5Dread(d->id, type, memory, space, H5P_DEFAULT, out);
    H5Sclose(memory);
    H5Sclose(space);
    if (bad < 0)
        return h5_fail(IMP_ERR_INPUT, d->path, d->name,
                       "cannot be read: damaged, cut short, or a filter is missing");
    return IMP_OK;
}

/* In stretches that end where chunks do, so that none is read twice. */
int h5_data_read_box(const h5_data *d, const h5_box *box, hid_t type, uint64_t width, void *out)
{
    int err = IMP_OK;
    h5_box part = *box;
    if (d->behind && box->rows)
        return h5_virtual_read(d, box, type, width, out);
    for (uint64_t rows_left = box->rows; rows_left; rows_left -= part.rows) {
        const uint64_t most = d->stride ? d->stride - part.row % d->stride : rows_left;
        part.rows = rows_left < most ? rows_left : most;
        TRY(h5_data_read_range(d, &part, type, width, out));
        out = (char *)out + part.rows * width * H5Tget_size(type);
        part.row += part.rows;
    }
out:
    return err;
}

int h5_data_read(const h5_data *d, uint64_t first, uint64_t rows, hid_t type, void *out)
{
    /* first + rows may overflow: both are numbers of a file */
    if (rows > d->rows || first > d->rows - rows)
        return h5_fail(IMP_ERR_INPUT, d->path, d->name, "has %llu rows, %llu are needed",
                       (unsigned long long)d->rows, (unsigned long long)(first + rows));
    return h5_data_read_box(d, &(h5_box){first, rows, 0, d->columns}, type, d->columns, out);
}

/* Rows are checked against the limit before memory is allocated for them. */
static int read_integers(mem *m, const h5_data *d, uint64_t columns, int64_t **out)
{
    int err = IMP_OK;
    if (d->class != H5T_INTEGER)
        FAIL(IMP_ERR_INPUT, "%s: %s: not integers", d->path, d->name);
    /* one column may be missing a dimension, and the other way round */
    if (d->rows != 0)
        TRY(h5_data_columns(d, columns));
    /* rows of a damaged file, times columns and bytes, must not wrap around */
    if (d->rows > SIZE_MAX / 64)
        FAIL(IMP_ERR_INPUT, "%s: %s: too long", d->path, d->name);
    TRY(mem_alloc(m, (size_t)(d->rows * columns) * sizeof **out, out));
    TRY(h5_data_read(d, 0, d->rows, H5T_NATIVE_INT64, *out));
out:
    if (err) {
        mem_free(m, *out);
        *out = NULL;
    }
    return err;
}

/* The missing rows are found before the rest is read: reading puts them into HDF5's cache, where
 * they count as stored. */
int h5_read_integers(mem *m, hid_t group, const char *path, const char *where, const char *name,
                     uint64_t columns, int64_t **out, uint64_t *rows, uint64_t *stored)
{
    h5_data d;
    *out = NULL;
    int err = open_counted(m, group, path, where, name, stored != NULL, &d);
    if (err)
        return err;
    *rows = d.rows;
    if (stored)
        *stored = h5_data_missing(&d, 0, d.rows);
    err = read_integers(m, &d, columns, out);
    h5_data_close(&d);
    return err;
}

/* Ascending, since objects are searched in these lists by halves (body_number). They are read as
 * int64, because HDF5 would clamp larger numbers to int32. */
int h5_read_objects(mem *m, hid_t group, const char *path, const char *where, const char *name,
                    int32_t **out, uint64_t *rows)
{
    int err = IMP_OK;
    int64_t *id = NULL;
    TRY(h5_read_integers(m, group, path, where, name, 1, &id, rows, NULL));
    TRY(mem_alloc(m, *rows * sizeof **out, out));
    for (uint64_t i = 0; id && i < *rows; i++) {
        if (id[i] < INT32_MIN || id[i] > INT32_MAX || (i && id[i] <= id[i - 1]))
            FAIL(IMP_ERR_INPUT, "%s: %s/%s: %lld is out of order or range", path, where, name,
                 (long long)id[i]);
        (*out)[i] = (int32_t)id[i];
    }
out:
    mem_free(m, id);
    return err;
}
