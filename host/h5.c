/* HDF5 helpers: opening and reading. Writing is in h5_write.c. */
#include "h5.h"

#include "error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

void h5_quiet(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void h5_forget(void)
{
    H5Eclear2(H5E_DEFAULT);
}

int h5_fail(int code, const char *path, const char *dataset, const char *format, ...)
{
    char reason[512];
    struct statvfs v;
    int why = errno; /* before statvfs changes it */
    int full = why == ENOSPC || why == EDQUOT || why == EFBIG;
    if (code == IMP_ERR_FILE && !full && statvfs(path, &v) == 0)
        full = v.f_bavail == 0;
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    if (code == IMP_ERR_FILE && why == ENOMEM)
        code = IMP_ERR_MEMORY;
    if (code == IMP_ERR_FILE && full) {
        code = IMP_ERR_DISK;
        snprintf(reason, sizeof reason, "the disk is full");
    }
    return imp_fail(code, "%s: %s%s%s", path, dataset ? dataset : "", dataset ? ": " : "", reason);
}

int h5_open(const char *path, int write, hid_t *out)
{
    struct stat s;
    *out = -1;
    h5_quiet();
    if (!strcmp(path, "-"))
        return imp_fail(IMP_ERR_ARGUMENT,
                        "-: HDF5 cannot be read from standard input; ./- is a file of that name");
    if (stat(path, &s))
        return h5_fail(IMP_ERR_INPUT, path, NULL, "%s", strerror(errno));
    if (!S_ISREG(s.st_mode))
        return h5_fail(IMP_ERR_INPUT, path, NULL, "not a file");
    FILE *f = fopen(path, "rb");
    if (!f)
        return h5_fail(IMP_ERR_INPUT, path, NULL, "%s", strerror(errno));
    fclose(f);
    if (H5Fis_hdf5(path) <= 0)
        return h5_fail(IMP_ERR_INPUT, path, NULL, "not an HDF5 file");
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (write)
        h5_order(access);
    else /* a reader needs no lock, which some network file systems refuse */
        H5Pset_file_locking(access, 0, 1);
    H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V110);
    *out = H5Fopen(path, write ? H5F_ACC_RDWR : H5F_ACC_RDONLY, access);
    H5Pclose(access);
    if (write && *out >= 0) /* tells h5_order what is there already */
        H5Fflush(*out, H5F_SCOPE_GLOBAL);
    if (*out < 0)
        return h5_fail(IMP_ERR_INPUT, path, NULL,
                       "damaged, cut short or in use: HDF5 cannot open it");
    return IMP_OK;
}

/* H5Lexists wants every part of a path to exist. */
int h5_exists(hid_t at, const char *name)
{
    char part[256];
    size_t n = strlen(name);
    if (n >= sizeof part)
        return 0;
    for (size_t i = 1; i <= n; i++) {
        if (name[i] != '/' && name[i])
            continue;
        memcpy(part, name, i);
        part[i] = 0;
        if (H5Lexists(at, part, H5P_DEFAULT) <= 0)
            return 0;
    }
    return H5Oexists_by_name(at, name, H5P_DEFAULT) > 0;
}

/* ---- datasets */

/* The cache holds two chunks at least: frames seldom end where chunks do, and a filtered chunk that
 * falls out of the cache is decoded again. */
static hid_t access_for(hid_t id)
{
    hid_t made = H5Dget_create_plist(id), access = H5Dget_access_plist(id);
    hid_t type = H5Dget_type(id);
    hsize_t chunk[H5S_MAX_RANK];
    size_t bytes = H5Tget_size(type);
    int rank = H5Pget_layout(made) == H5D_CHUNKED ? H5Pget_chunk(made, H5S_MAX_RANK, chunk) : 0;
    for (int i = 0; i < rank; i++)
        bytes *= (size_t)chunk[i];
    if (rank > 0 && bytes < (size_t)256 << 20)
        H5Pset_chunk_cache(access, 521, 2 * bytes > (4u << 20) ? 2 * bytes : 4u << 20, 1.0);
    H5Tclose(type);
    H5Pclose(made);
    return access;
}

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
    if (rank != 1 && rank != 2)
        return h5_fail(IMP_ERR_INPUT, d->path, d->name, "has %d dimensions", rank);
    return IMP_OK;
}

#define CHUNKS_MOST (1u << 20)
#define BYTES_MOST ((uint64_t)1 << 28)

/* A damaged extent may ask for years and terabytes. What was never stored reads as zeros, which is
 * fine for a small table; a large one must have something behind it. */
static int data_plausible(const h5_data *d)
{
    hid_t made = H5Dget_create_plist(d->id);
    hsize_t chunk[H5S_MAX_RANK] = {1}, stored = H5Dget_storage_size(d->id);
    int rank = H5Pget_layout(made) == H5D_CHUNKED ? H5Pget_chunk(made, H5S_MAX_RANK, chunk) : 0;
    double chunks = 1, bytes = (double)d->rows * (double)d->columns * (double)d->size;
    if (rank > 0)
        chunks = (double)d->rows / (double)chunk[0];
    if (rank > 1)
        chunks *= (double)d->columns / (double)chunk[1];
    H5Pclose(made);
    if ((chunks > CHUNKS_MOST && chunks > (double)stored) ||
        (bytes > (double)BYTES_MOST && bytes / 65536 > (double)stored))
        return h5_fail(IMP_ERR_INPUT, d->path, d->name, "damaged: %llu rows in %llu bytes",
                       (unsigned long long)d->rows, (unsigned long long)stored);
    return IMP_OK;
}

int h5_data_open(hid_t group, const char *path, const char *where, const char *name, h5_data *out)
{
    *out = (h5_data){.id = -1, .path = path};
    snprintf(out->name, sizeof out->name, "%s/%s", where, name);
    if (!h5_exists(group, name))
        return h5_fail(IMP_ERR_INPUT, path, out->name, "missing");
    hid_t id = H5Dopen2(group, name, H5P_DEFAULT);
    if (id < 0)
        return h5_fail(IMP_ERR_INPUT, path, out->name, "not a dataset");
    hid_t access = access_for(id);
    out->id = H5Dopen2(group, name, access);
    H5Pclose(access);
    H5Dclose(id);
    if (out->id < 0)
        return h5_fail(IMP_ERR_INPUT, path, out->name, "cannot be opened");
    int err = data_shape(out);
    if (!err)
        err = data_plausible(out);
    if (err)
        h5_data_close(out);
    return err;
}

void h5_data_close(h5_data *d)
{
    if (d->id > 0)
        H5Dclose(d->id);
    d->id = -1;
}

int h5_data_read(const h5_data *d, uint64_t first, uint64_t rows, hid_t type, void *out)
{
    if (rows > d->rows || first > d->rows - rows)
        return h5_fail(IMP_ERR_INPUT, d->path, d->name, "has %llu rows, %llu are needed",
                       (unsigned long long)d->rows, (unsigned long long)(first + rows));
    if (!rows)
        return IMP_OK;
    hsize_t start[2] = {first, 0}, count[2] = {rows, d->columns};
    hid_t space = H5Dget_space(d->id);
    int rank = H5Sget_simple_extent_ndims(space);
    hid_t memory = H5Screate_simple(rank, count, NULL);
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

int h5_read_integers(mem *m, hid_t group, const char *path, const char *where, const char *name,
                     uint64_t columns, int64_t **out, uint64_t *rows)
{
    int err = IMP_OK;
    h5_data d = {.id = -1};
    *out = NULL;
    TRY(h5_data_open(group, path, where, name, &d));
    if (d.class != H5T_INTEGER)
        FAIL(IMP_ERR_INPUT, "%s: %s: not integers", path, d.name);
    /* one column may be missing a dimension, and the other way round */
    if (d.columns != columns && d.rows != 0)
        FAIL(IMP_ERR_INPUT, "%s: %s: has %llu columns, not %llu", path, d.name,
             (unsigned long long)d.columns, (unsigned long long)columns);
    if (d.rows > SIZE_MAX / 64)
        FAIL(IMP_ERR_INPUT, "%s: %s: too long", path, d.name);
    TRY(mem_alloc(m, (size_t)(d.rows * columns) * sizeof **out, out));
    TRY(h5_data_read(&d, 0, d.rows, H5T_NATIVE_INT64, *out));
    *rows = d.rows;
out:
    h5_data_close(&d);
    if (err) {
        mem_free(m, *out);
        *out = NULL;
    }
    return err;
}

/* ---- attributes */

int h5_attr_integers(hid_t at, const char *path, const char *where, const char *name, int64_t *out,
                     int count)
{
    int err = IMP_OK;
    hid_t a = -1, space = -1, type = -1;
    if (H5Aexists(at, name) <= 0)
        FAIL(IMP_ERR_INPUT, "%s: %s: attribute %s is missing", path, where, name);
    a = H5Aopen(at, name, H5P_DEFAULT);
    space = H5Aget_space(a);
    type = H5Aget_type(a);
    if (a < 0 || H5Tget_class(type) != H5T_INTEGER || H5Sget_simple_extent_npoints(space) != count)
        FAIL(IMP_ERR_INPUT, "%s: %s: attribute %s is not %d integer(s)", path, where, name, count);
    if (H5Aread(a, H5T_NATIVE_INT64, out) < 0)
        FAIL(IMP_ERR_INPUT, "%s: %s: attribute %s cannot be read", path, where, name);
out:
    if (type >= 0)
        H5Tclose(type);
    if (space >= 0)
        H5Sclose(space);
    if (a >= 0)
        H5Aclose(a);
    return err;
}

static herr_t read_text(hid_t a, hid_t type, char *out, size_t size)
{
    herr_t bad;
    if (H5Tis_variable_str(type) > 0) {
        char *text = NULL;
        bad = H5Aread(a, type, &text);
        if (bad >= 0 && text)
            snprintf(out, size, "%s", text);
        H5free_memory(text);
        return bad;
    }
    hid_t memory = H5Tcopy(H5T_C_S1);
    H5Tset_size(memory, size);
    H5Tset_cset(memory, H5Tget_cset(type));
    bad = H5Aread(a, memory, out);
    out[size - 1] = 0;
    H5Tclose(memory);
    return bad;
}

int h5_attr_text(hid_t at, const char *path, const char *where, const char *name, char *out,
                 size_t size)
{
    int err = IMP_OK;
    hid_t a = -1, type = -1, space = -1;
    out[0] = 0;
    if (H5Aexists(at, name) <= 0)
        FAIL(IMP_ERR_INPUT, "%s: %s: attribute %s is missing", path, where, name);
    a = H5Aopen(at, name, H5P_DEFAULT);
    type = H5Aget_type(a);
    space = H5Aget_space(a);
    if (a < 0 || H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_npoints(space) != 1 ||
        read_text(a, type, out, size) < 0)
        FAIL(IMP_ERR_INPUT, "%s: %s: attribute %s is not a text", path, where, name);
out:
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    if (a >= 0)
        H5Aclose(a);
    return err;
}
