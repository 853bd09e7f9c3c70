/* HDF5 helpers: writing. */
#define _GNU_SOURCE
#include "h5.h"

#include "error.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

hid_t h5_untimed(hid_t class)
{
    hid_t made = H5Pcreate(class);
    H5Pset_obj_track_times(made, 0);
    return made;
}

/* EARLIEST as the low bound: with V110, a file whose writer was killed does not open again. */
int h5_create(const char *path, hid_t *out)
{
    h5_quiet();
    errno = 0;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (h5_order(access, 1) < 0) {
        H5Pclose(access);
        return h5_fail(IMP_ERR_FILE, path, NULL, "HDF5 refuses the file driver");
    }
    H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V110);
    hid_t made = h5_untimed(H5P_FILE_CREATE);
    *out = H5Fcreate(path, H5F_ACC_EXCL, made, access);
    H5Pclose(made);
    H5Pclose(access);
    if (*out < 0)
        return h5_fail(IMP_ERR_FILE, path, NULL, "cannot be created: %s",
                       errno ? strerror(errno) : "HDF5 refuses");
    return IMP_OK;
}

/* No fsync: the data must survive the end of this process, not a crash of the machine. The system
 * has the data and writes it later; h5_publish waits for the disk. */
int h5_flush(const char *path, hid_t file)
{
    errno = 0;
    if (H5Fflush(file, H5F_SCOPE_GLOBAL) < 0)
        return h5_fail(IMP_ERR_FILE, path, NULL, "cannot be written");
    return IMP_OK;
}

hid_t h5_group(hid_t at, const char *name)
{
    hid_t made = h5_untimed(H5P_GROUP_CREATE);
    hid_t id = H5Gcreate2(at, name, H5P_DEFAULT, made, H5P_DEFAULT);
    H5Pclose(made);
    return id;
}

#define PENDING_MOST ((size_t)1 << 20)
#define PENDING_SHARES 80 /* more than twice the number of growing datasets of a file */

/* Returns the size of the buffer of pending rows: all datasets together use a part of the allowed
 * memory. */
static size_t h5_grow_pending_most(const mem *m)
{
    uint64_t share = m->limit / PENDING_SHARES;
    return m->limit && share < PENDING_MOST ? (size_t)share : PENDING_MOST;
}

static int h5_grow_fail(const h5_grow *g, const char *path)
{
    return h5_fail(IMP_ERR_FILE, path, g->def.name, "cannot be written");
}

/* The table is not static: these names are calls of HDF5, not constants. */
hid_t h5_type(enum column_type type, int stored)
{
    const hid_t types[COLUMN_TYPES][2] = {[COLUMN_U8] = {H5T_NATIVE_UINT8, H5T_STD_U8LE},
                                          [COLUMN_U32] = {H5T_NATIVE_UINT32, H5T_STD_U32LE},
                                          [COLUMN_U64] = {H5T_NATIVE_UINT64, H5T_STD_U64LE},
                                          [COLUMN_I32] = {H5T_NATIVE_INT32, H5T_STD_I32LE},
                                          [COLUMN_I64] = {H5T_NATIVE_INT64, H5T_STD_I64LE},
                                          [COLUMN_F32] = {H5T_NATIVE_FLOAT, H5T_IEEE_F32LE},
                                          [COLUMN_F64] = {H5T_NATIVE_DOUBLE, H5T_IEEE_F64LE}};
    return types[type][stored];
}

/* Small numbers, mostly zeros, compress to a small part of their bytes. */
static void set_packed(hid_t made)
{
    if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) {
        H5Pset_shuffle(made);
        H5Pset_deflate(made, 1);
    }
}

/* Usually without a filter: adding rows to a compressed chunk would rewrite committed rows in
 * another form. */
static int h5_grow_create(hid_t at, const char *path, int packed, h5_grow *g)
{
    const h5_grow_def *k = &g->def;
    const int rank = k->columns ? 2 : 1;
    hsize_t dims[2] = {0, k->columns}, most[2] = {H5S_UNLIMITED, k->columns};
    hsize_t size[2] = {k->chunk, k->columns};
    errno = 0;
    hid_t space = H5Screate_simple(rank, dims, most), made = h5_untimed(H5P_DATASET_CREATE);
    H5Pset_chunk(made, rank, size);
    if (packed)
        set_packed(made);
    g->id = H5Dcreate2(at, k->name, h5_type(k->type, 1), space, H5P_DEFAULT, made, H5P_DEFAULT);
    H5Pclose(made);
    H5Sclose(space);
    return g->id < 0 ? h5_grow_fail(g, path) : IMP_OK;
}

/* Returns whether it has this number of columns, at least this number of rows, and can grow. */
static int shape_fits(hid_t id, uint64_t columns, uint64_t rows)
{
    hsize_t dims[2] = {0, 0}, most[2] = {0, 0};
    hid_t space = id < 0 ? -1 : H5Dget_space(id);
    int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    int fits = rank == (columns ? 2 : 1) && H5Sget_simple_extent_dims(space, dims, most) == rank;
    h5_drop(space);
    return fits && dims[0] >= rows && most[0] == H5S_UNLIMITED && dims[1] == columns;
}

/* Returns whether it is stored as h5_grow_create stores it. HDF5 would convert rows to a type of
 * fewer bits without an error, and a filter would rewrite committed rows. */
static int stored_alike(hid_t id, hid_t file_type)
{
    hid_t type = H5Dget_type(id), made = H5Dget_create_plist(id);
    int alike = H5Tequal(type, file_type) > 0 && H5Pget_layout(made) == H5D_CHUNKED &&
                H5Pget_nfilters(made) == 0;
    H5Pclose(made);
    H5Tclose(type);
    return alike;
}

static int h5_grow_reopen(hid_t at, const char *path, h5_grow *g)
{
    char group[200] = "", full[300];
    g->id = H5Dopen2(at, g->def.name, H5P_DEFAULT);
    const int fits = shape_fits(g->id, g->def.columns, g->rows);
    if (fits && stored_alike(g->id, h5_type(g->def.type, 1)))
        return IMP_OK;
    h5_grow_close(g);
    H5Iget_name(at, group, sizeof group);
    snprintf(full, sizeof full, "%s/%s", group, g->def.name);
    return h5_fail(IMP_ERR_INPUT, path, full, "%s; cannot be resumed",
                   fits ? "stored with another type or a filter"
                        : "missing, too short or of another shape");
}

static h5_grow h5_grow_of(mem *m, const h5_grow_def *def, uint64_t rows)
{
    const uint64_t width = def->columns ? def->columns : 1;
    return (h5_grow){.id = -1,
                     .def = *def,
                     .mem = m,
                     .rows = rows,
                     .row_bytes = column_value_bytes(def->type) * (size_t)width};
}

int h5_grow_open(mem *m, hid_t at, const char *path, const h5_grow_def *def, uint64_t rows,
                 h5_grow *g)
{
    *g = h5_grow_of(m, def, rows == H5_NEW ? 0 : rows);
    return rows == H5_NEW ? h5_grow_create(at, path, 0, g) : h5_grow_reopen(at, path, g);
}

int h5_grow_packed(mem *m, hid_t at, const char *path, const h5_grow_def *def, h5_grow *g)
{
    *g = h5_grow_of(m, def, 0);
    return h5_grow_create(at, path, 1, g);
}

int h5_grow_truncate(h5_grow *g, const char *path)
{
    hsize_t dims[2] = {g->rows, g->def.columns};
    errno = 0;
    return H5Dset_extent(g->id, dims) < 0 ? h5_grow_fail(g, path) : IMP_OK;
}

/* A kill after the dataset has grown leaves rows of zeros, which no count on disk includes. */
int h5_grow_write(h5_grow *g, const char *path, const void *data, uint64_t rows)
{
    int rank = g->def.columns ? 2 : 1;
    hsize_t dims[2] = {g->rows + rows, g->def.columns}, start[2] = {g->rows, 0};
    hsize_t count[2] = {rows, g->def.columns};
    errno = 0;
    if (H5Dset_extent(g->id, dims) < 0)
        return h5_grow_fail(g, path);
    hid_t space = H5Dget_space(g->id), memory = H5Screate_simple(rank, count, NULL);
    herr_t bad = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    if (bad >= 0)
        bad = H5Dwrite(g->id, h5_type(g->def.type, 0), memory, space, H5P_DEFAULT, data);
    H5Sclose(memory);
    H5Sclose(space);
    if (bad < 0)
        return h5_grow_fail(g, path);
    g->rows += rows;
    return IMP_OK;
}

int h5_grow_flush(h5_grow *g, const char *path)
{
    const uint64_t rows = g->used / g->row_bytes;
    if (!rows)
        return IMP_OK;
    g->rows -= rows; /* h5_grow_write adds them again */
    int err = h5_grow_write(g, path, g->pending, rows);
    if (err)
        g->rows += rows;
    else
        g->used = 0;
    return err;
}

/* Small additions are buffered: each write costs HDF5 several writes of metadata, and a step has
 * some twenty arrays. Large ones are written directly, since buffering would only copy them once
 * more. */
int h5_grow_add(h5_grow *g, const char *path, const void *data, uint64_t rows)
{
    int err = IMP_OK;
    size_t bytes = (size_t)rows * g->row_bytes, most = h5_grow_pending_most(g->mem);
    int direct = bytes > most / 2;
    if (direct || g->used + bytes > most) /* buffered rows first */
        TRY(h5_grow_flush(g, path));
    if (direct) {
        TRY(h5_grow_write(g, path, data, rows));
        goto out;
    }
    if (g->used + bytes > g->capacity) {
        /* doubles, so that a file of few rows uses little; finally exactly the allowed size */
        size_t capacity = g->used + bytes > most / 2 ? most : 2 * (g->used + bytes);
        TRY(mem_grow(g->mem, g->used, capacity, &g->pending));
        g->capacity = capacity;
    }
    if (bytes)
        memcpy(g->pending + g->used, data, bytes);
    g->used += bytes;
    g->rows += rows;
out:
    return err;
}

void h5_grow_close(h5_grow *g)
{
    if (g->id > 0)
        H5Dclose(g->id);
    if (g->mem)
        mem_free(g->mem, g->pending);
    g->id = -1;
    g->pending = NULL;
}

int h5_write(mem *m, hid_t at, const char *path, const h5_grow_def *def, const void *data,
             uint64_t rows)
{
    int err = IMP_OK;
    h5_grow g;
    TRY(h5_grow_open(m, at, path, def, H5_NEW, &g));
    TRY(h5_grow_add(&g, path, data, rows));
    TRY(h5_grow_flush(&g, path));
out:
    h5_grow_close(&g);
    return err;
}

/* Writes an attribute, or a scalar dataset, and closes it. */
static int h5_write_scalar(hid_t id, int attribute, hid_t type, const void *value, const char *path,
                           const char *name)
{
    herr_t bad = id < 0      ? -1
                 : attribute ? H5Awrite(id, type, value)
                             : H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value);
    if (id >= 0 && (attribute ? H5Aclose(id) : H5Dclose(id)) < 0)
        bad = -1;
    return bad < 0 ? h5_fail(IMP_ERR_FILE, path, name, "cannot be written") : IMP_OK;
}

/* Existing attributes are overwritten: a resumed run writes its attributes again. */
/* Writes numbers of type `memory`, stored as type `stored`. */
static int put_numbers(hid_t at, const char *path, const char *name, hid_t stored, hid_t memory,
                       const void *value, int count)
{
    hsize_t n = (hsize_t)count;
    errno = 0;
    hid_t space = count > 1 ? H5Screate_simple(1, &n, NULL) : H5Screate(H5S_SCALAR);
    hid_t a = H5Aexists(at, name) > 0
                  ? H5Aopen(at, name, H5P_DEFAULT)
                  : H5Acreate2(at, name, stored, space, H5P_DEFAULT, H5P_DEFAULT);
    int err = h5_write_scalar(a, 1, memory, value, path, name);
    H5Sclose(space);
    return err;
}

int h5_put_integers(hid_t at, const char *path, const char *name, const int64_t *value, int count)
{
    return put_numbers(at, path, name, H5T_STD_I64LE, H5T_NATIVE_INT64, value, count);
}

int h5_put_floats(hid_t at, const char *path, const char *name, const double *value, int count)
{
    return put_numbers(at, path, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, value, count);
}

/* A text of the same length is overwritten, so that it is never missing; one of another length is
 * removed first, since the length is part of its type. */
static hid_t open_text(hid_t at, const char *name, hid_t type)
{
    if (H5Aexists(at, name) <= 0)
        return -1;
    hid_t a = H5Aopen(at, name, H5P_DEFAULT), was = H5Aget_type(a);
    const int same = a >= 0 && H5Tequal(was, type) > 0;
    h5_drop(was);
    if (same)
        return a;
    h5_drop(a);
    H5Adelete(at, name);
    return -1;
}

int h5_put_text(hid_t at, const char *path, const char *name, const char *text)
{
    errno = 0;
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    /* HDF5 has no texts of length 0; with NULLPAD, one NUL reads as the empty text */
    H5Tset_size(type, strlen(text) ? strlen(text) : 1);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    hid_t a = open_text(at, name, type);
    if (a < 0)
        a = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    int err = h5_write_scalar(a, 1, type, text, path, name);
    H5Sclose(space);
    H5Tclose(type);
    return err;
}

/* A dataset rather than an attribute, since it changes with every step. HDF5 overwrites raw data in
 * place, while an attribute is part of a header. */
int h5_put_scalar(hid_t at, const char *path, const char *name, int64_t value)
{
    errno = 0;
    hid_t space = H5Screate(H5S_SCALAR), made = h5_untimed(H5P_DATASET_CREATE);
    hid_t id = h5_exists(at, name)
                   ? H5Dopen2(at, name, H5P_DEFAULT)
                   : H5Dcreate2(at, name, H5T_STD_I64LE, space, H5P_DEFAULT, made, H5P_DEFAULT);
    int err = h5_write_scalar(id, 0, H5T_NATIVE_INT64, &value, path, name);
    H5Pclose(made);
    H5Sclose(space);
    return err;
}

/* Requires the form that h5_put_scalar creates: more than one number would not fit into the
 * reader's memory, and a narrower type would not hold the values written later. */
static int is_scalar(hid_t id)
{
    hid_t space = H5Dget_space(id), type = H5Dget_type(id);
    int is = H5Sget_simple_extent_type(space) == H5S_SCALAR && H5Tequal(type, H5T_STD_I64LE) > 0;
    H5Tclose(type);
    H5Sclose(space);
    return is;
}

int h5_get_scalar(hid_t at, const char *path, const char *where, const char *name, int64_t *out)
{
    int err = IMP_OK;
    hid_t id = h5_exists(at, name) ? H5Dopen2(at, name, H5P_DEFAULT) : -1;
    if (id < 0 || !is_scalar(id) ||
        H5Dread(id, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) < 0)
        err = imp_fail(IMP_ERR_INPUT, "%s: %s/%s: missing or not an int64", path, where, name);
    h5_drop(id);
    return err;
}

int h5_text_close(const char *path, FILE *file)
{
    errno = 0;
    /* fclose may change errno even though fflush failed */
    int bad = fflush(file) || ferror(file), why = errno;
    bad |= fclose(file);
    errno = why ? why : errno;
    return bad ? h5_fail(IMP_ERR_FILE, path, NULL, "cannot be written: %s", strerror(errno))
               : IMP_OK;
}

/* A folder is opened like a file for this: a new name is data of its folder. */
static int sync_path(const char *path, int flags)
{
    int f = open(path, flags | O_CLOEXEC);
    int bad = f < 0 || fsync(f);
    if (f >= 0)
        close(f);
    return bad;
}

/* After a crash of the machine either the old file or the complete new one exists: the data reach
 * the disk before the name does, and then the folder that contains the name. */
int h5_publish(const char *from, const char *to, int replace)
{
    struct stat s;
    int exists = !stat(to, &s);
    if (exists && !replace)
        return imp_fail(IMP_ERR_EXISTS, "%s: exists by now; %s has the finished result", to, from);
    if (exists)
        /* the new file keeps the permissions of the old one */
        chmod(from, s.st_mode & 07777);
    errno = 0;
    if (sync_path(from, O_RDONLY) || rename(from, to))
        return h5_fail(IMP_ERR_FILE, to, NULL, "cannot be written: %s", strerror(errno));
    char *copy = strdup(to);
    if (copy)
        /* an error is ignored: the result is complete under its name */
        sync_path(dirname(copy), O_RDONLY | O_DIRECTORY);
    free(copy);
    return IMP_OK;
}
