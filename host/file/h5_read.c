/* HDF5 helpers: files, links, attributes and reading datasets. Writing is in h5_write.c. */
#include "error.h"
#include "h5.h"
#include "mem.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
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

void h5_drop(hid_t id)
{
    if (id >= 0)
        H5Idec_ref(id);
}

/* HDF5 gives no reason. The last system error usually does; a full disk is detected by its free
 * blocks even if HDF5 has lost the error. */
int h5_fail(int code, const char *path, const char *dataset, const char *format, ...)
{
    char reason[1024];
    struct statvfs v;
    int why = errno; /* saved before statvfs changes it */
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

/* A user who has a mesh as text needs `convert`. */
static int is_text(const char *path)
{
    unsigned char head[256];
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(head, 1, sizeof head, f) : 0;
    for (size_t i = 0; i < n; i++)
        if (head[i] < ' ' && !(head[i] && strchr("\t\r\n\f", head[i])))
            n = 0;
    if (f)
        fclose(f);
    return n > 0;
}

/* HDF5 caches up to 32 MiB of the metadata of each file, and uses five times that in memory: a file
 * of a hundred thousand groups would exceed --mem-limit. */
static void set_little_cache(hid_t access)
{
    H5AC_cache_config_t c = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
    if (H5Pget_mdc_config(access, &c) < 0)
        return;
    c.set_initial_size = 1;
    c.initial_size = c.min_size = (size_t)1 << 20;
    c.max_size = (size_t)4 << 20;
    H5Pset_mdc_config(access, &c);
}

/* A text, or a file that is not named as HDF5, may be a mesh. */
static int not_hdf5(const char *path)
{
    const char *dot = strrchr(path, '.');
    const int named = dot && (!strcasecmp(dot, ".vtkhdf") || !strcasecmp(dot, ".hdf") ||
                              !strcasecmp(dot, ".hdf5") || !strcasecmp(dot, ".h5"));
    if (is_text(path) || (dot && !named))
        return h5_fail(IMP_ERR_INPUT, path, NULL,
                       "not an HDF5 file; 'impinge convert %s -o BATCH.vtkhdf' makes a batch of a "
                       "mesh, for 'impinge run BATCH.vtkhdf -o OUT.vtkhdf'",
                       path);
    return h5_fail(IMP_ERR_INPUT, path, NULL, "not an HDF5 file");
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
    /* HDF5 would wait for the writer of a FIFO, and fail on a folder without a reason */
    if (S_ISDIR(s.st_mode))
        return h5_fail(IMP_ERR_INPUT, path, NULL,
                       "not a file but a folder; 'impinge convert %s -o BATCH.vtkhdf' makes a "
                       "batch of the meshes in it",
                       path);
    if (!S_ISREG(s.st_mode))
        return h5_fail(IMP_ERR_INPUT, path, NULL, "not a file");
    FILE *f = fopen(path, "rb");
    if (!f)
        return h5_fail(IMP_ERR_INPUT, path, NULL, "%s", strerror(errno));
    fclose(f);
    /* before the file is opened: this distinguishes other files from damaged HDF5 files */
    if (H5Fis_hdf5(path) <= 0)
        return not_hdf5(path);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (h5_order(access, write) < 0) {
        H5Pclose(access);
        return h5_fail(IMP_ERR_FILE, path, NULL, "HDF5 refuses the file driver");
    }
    if (!write) {
        /* a reader needs no lock, which some network file systems refuse */
        H5Pset_file_locking(access, 0, 1);
        set_little_cache(access);
    }
    /* additions to an old file have the format of h5_create, with any HDF5 library */
    H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V110);
    errno = 0;
    *out = H5Fopen(path, write ? H5F_ACC_RDWR : H5F_ACC_RDONLY, access);
    const int forgetful = *out < 0 && errno == ENOMEM;
    H5Pclose(access);
    if (write && *out >= 0) /* tells h5_order the extent of the existing contents */
        H5Fflush(*out, H5F_SCOPE_GLOBAL);
    if (forgetful)
        return imp_fail(IMP_ERR_MEMORY, "%s: out of memory", path);
    if (*out < 0)
        return h5_fail(IMP_ERR_INPUT, path, NULL,
                       "damaged, cut short or in use: HDF5 cannot open it");
    return IMP_OK;
}

/* ---- links */

/* Calls look(at, part) for each part of a path, "a", "a/b", ..., until it returns nonzero. */
static int each_part(hid_t at, const char *name, int (*look)(hid_t at, const char *part))
{
    char part[256];
    size_t n = strlen(name);
    int found = 0;
    if (n >= sizeof part)
        return -1;
    for (size_t i = 1; i <= n && !found; i++) {
        if (name[i] != '/' && name[i])
            continue;
        memcpy(part, name, i);
        part[i] = 0;
        found = look(at, part);
    }
    return found;
}

/* For each_part: finds a part that certainly does not exist. An error counts as existing. */
static int link_missing(hid_t at, const char *part)
{
    return H5Lexists(at, part, H5P_DEFAULT) == 0;
}

/* H5Lexists needs every part of a path to exist. An object that exists but cannot be followed
 * counts as existing: it is damage, not an absent option. */
int h5_exists(hid_t at, const char *name)
{
    return each_part(at, name, link_missing) == 0;
}

/* For each_part: finds a dangling link. The text is left for h5_broken, which knows the names. */
static int link_broken(hid_t at, const char *part)
{
    H5L_info_t info;
    char value[512], file[512];
    const char *object = value, *target = NULL;
    unsigned flags;
    if (H5Oexists_by_name(at, part, H5P_DEFAULT) > 0)
        return 0;
    if (H5Lget_info(at, part, &info, H5P_DEFAULT) < 0 || info.type == H5L_TYPE_HARD ||
        info.u.val_size > sizeof value ||
        H5Lget_val(at, part, value, sizeof value, H5P_DEFAULT) < 0)
        return 0;
    if (info.type == H5L_TYPE_EXTERNAL &&
        H5Lunpack_elink_val(value, info.u.val_size, &flags, &target, &object) < 0)
        return 0;
    snprintf(file, sizeof file, "%s%s", target ? " of " : "", target ? target : "");
    imp_fail(IMP_ERR_INPUT, "a link to %s%s, which cannot be opened", object, file);
    return 1;
}

int h5_broken(hid_t at, const char *path, const char *where, const char *name, const char *what)
{
    char full[300];
    snprintf(full, sizeof full, "%s/%s", where, name);
    if (each_part(at, name, link_broken) == 1)
        return h5_fail(IMP_ERR_INPUT, path, full, "%s", imp_error_text());
    return h5_fail(IMP_ERR_INPUT, path, full, "%s", what);
}

/* ---- attributes */

/* An open attribute. */
typedef struct attribute {
    hid_t id, type;
} attribute;

static void attribute_close(attribute *a)
{
    h5_drop(a->type);
    h5_drop(a->id);
}

/* Opens an attribute of `count` numbers or texts, which messages call `what`. */
static int attribute_open(hid_t at, const char *path, const char *where, const char *name,
                          H5T_class_t class, int count, const char *what, attribute *a)
{
    *a = (attribute){-1, -1};
    if (H5Aexists(at, name) <= 0)
        return imp_fail(IMP_ERR_INPUT, "%s: %s: attribute %s is missing", path, where, name);
    a->id = H5Aopen(at, name, H5P_DEFAULT);
    a->type = H5Aget_type(a->id);
    /* if the attribute failed to open, both ids are negative: these calls fail, and it does not
     * fit */
    hid_t space = H5Aget_space(a->id);
    int fits = a->id >= 0 && H5Tget_class(a->type) == class &&
               H5Sget_simple_extent_npoints(space) == count;
    h5_drop(space);
    return fits
               ? IMP_OK
               : imp_fail(IMP_ERR_INPUT, "%s: %s: attribute %s is not %s", path, where, name, what);
}

/* Reads numbers of one class, as `type`. */
static int attr_numbers(hid_t at, const char *path, const char *where, const char *name,
                        H5T_class_t class, hid_t type, void *out, int count)
{
    int err = IMP_OK;
    char what[40];
    attribute a;
    snprintf(what, sizeof what, "%d %s(s)", count, class == H5T_INTEGER ? "integer" : "float");
    TRY(attribute_open(at, path, where, name, class, count, what, &a));
    if (H5Aread(a.id, type, out) < 0)
        FAIL(IMP_ERR_INPUT, "%s: %s: attribute %s cannot be read", path, where, name);
out:
    attribute_close(&a);
    return err;
}

int h5_attr_integers(hid_t at, const char *path, const char *where, const char *name, int64_t *out,
                     int count)
{
    return attr_numbers(at, path, where, name, H5T_INTEGER, H5T_NATIVE_INT64, out, count);
}

int h5_attr_floats(hid_t at, const char *path, const char *where, const char *name, double *out,
                   int count)
{
    return attr_numbers(at, path, where, name, H5T_FLOAT, H5T_NATIVE_DOUBLE, out, count);
}

/* Texts have variable length in the file, or a fixed one, which may have no space for a NUL; both
 * become C strings, cut at the end of *out. */
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
    /* HDF5 does not convert between ASCII and UTF-8: it fails */
    H5Tset_cset(memory, H5Tget_cset(type));
    bad = H5Aread(a, memory, out);
    out[size - 1] = 0;
    H5Tclose(memory);
    return bad;
}

int h5_attr_text(hid_t at, const char *path, const char *where, const char *name, char *out,
                 size_t size)
{
    attribute a;
    out[0] = 0;
    int err = attribute_open(at, path, where, name, H5T_STRING, 1, "a text", &a);
    if (!err && read_text(a.id, a.type, out, size) < 0)
        err = imp_fail(IMP_ERR_INPUT, "%s: %s: attribute %s is not a text", path, where, name);
    attribute_close(&a);
    return err;
}

/* ---- HDF5 helpers: opening and reading datasets. */

/* Every dataset here is a table: rows, or rows and columns. */
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
    /* checked after the ids are closed; with another rank dims[0] is not used */
    if (rank != 1 && rank != 2)
        return h5_fail(IMP_ERR_INPUT, d->path, d->name, "has %d dimensions", rank);
    return IMP_OK;
}

/* Rows that were never stored read as zeros and use no space. Up to UNSTORED_BYTES are accepted, or
 * up to UNSTORED_TIMES the size of the file, but never more than UNSTORED_BYTES_MOST. */
#define UNSTORED_CHUNKS (1u << 14)
#define UNSTORED_BYTES ((uint64_t)1 << 22)
#define UNSTORED_BYTES_MOST ((uint64_t)1 << 28)
#define UNSTORED_TIMES 64  /* unstored bytes allowed for each byte of the file */
#define UNSTORED_SHARE 64  /* bytes of the file needed for each unstored chunk */
#define PACKED_TIMES 65536 /* more than any filter expands a byte to */

#define CHUNKS_AT_ONCE 256 /* HDF5 uses 7 kB for each chunk that a call reads */

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

/* Limited to the size of the file itself; files of raw data have already been checked. */
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

/* A damaged extent may ask for years and terabytes, so the announced size is compared with the
 * stored one. As double, since products of damaged numbers overflow integers. */
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
    if (is_virtual) /* before any call that makes HDF5 open the files behind it */
        TRY(h5_virtual_open(d, made));
    TRY(data_shape(d));
    if (is_virtual)
        /* the following checks are made for each source when it is opened */
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
    /* one copy for all users: HDF5 makes a copy at each call, which takes as long as opening */
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

/* Memory for chunks belongs to the open dataset and is released when it is closed. A failure may
 * occur after it was reserved. */
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

/* The memory is released last, after HDF5 has freed the chunks. */
void h5_data_close(h5_data *d)
{
    h5_virtual_close(d->behind);
    d->behind = NULL;
    /* not >= 0: a zeroed h5_data may be closed as well */
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

/* The memory space has the file's number of dimensions if possible, since HDF5 is slow
 * otherwise. */
static hid_t memory_space(int rank, const h5_box *box, uint64_t width)
{
    hsize_t capacity[2] = {box->rows, width}, start[2] = {0, 0},
            count[2] = {box->rows, box->columns};
    hid_t memory = H5Screate_simple(width > 1 ? 2 : rank, capacity, NULL);
    /* columns from several sources are side by side in one array */
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

/* Reads ranges that end where chunks do, so that no chunk is read twice. */
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
    /* first + rows may overflow: both numbers are read from a file */
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
    /* one column may have one dimension or two; an empty dataset may have any shape */
    if (d->rows != 0)
        TRY(h5_data_columns(d, columns));
    /* in a damaged file, rows times columns and bytes must not wrap around */
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

/* Ascending, since objects are found in these lists by binary search (body_number). They are read
 * as int64, because HDF5 would clamp larger numbers to int32. */
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

/* ---- HDF5 helpers: the number of a dataset's decoded chunks in HDF5's cache.
 *
 * A row of a filtered chunk (deflate, shuffle, ...) cannot be read by itself: HDF5 decodes the
 * whole chunk, and keeps it if its cache for the dataset is large enough. The default is 1 MiB, so
 * a larger chunk would be decoded again for every frame in it. The handle that opens a dataset
 * first determines the size of the cache; later handles share it. */

/* Bytes of chunks that reading a dataset needs. */
typedef struct chunk_need {
    uint64_t one;  /* one chunk: the least that HDF5 needs */
    uint64_t wish; /* enough to decode each chunk once */
} chunk_need;

static uint64_t h5_chunks_product(uint64_t a, uint64_t b)
{
    return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

/* Two chunks along the rows, since frames seldom end where chunks do; each with its neighbours that
 * hold the other columns. */
static chunk_need need_of(const h5_data *d, const hsize_t chunk[2])
{
    uint64_t one = h5_chunks_product(h5_chunks_product(chunk[0], chunk[1]), d->size);
    uint64_t band = h5_chunks_product(one, divide_up(d->columns, chunk[1]));
    uint64_t all = h5_chunks_product(band, divide_up(d->rows, chunk[0]));
    uint64_t wish = h5_chunks_product(2, band) > BUDGET_CHUNKS_LEAST ? h5_chunks_product(2, band)
                                                                     : BUDGET_CHUNKS_LEAST;
    return all < one ? (chunk_need){0} : (chunk_need){one, all < wish ? all : wish};
}

/* Returns whether HDF5 decodes the chunks. It reads single rows of unfiltered chunks directly from
 * the file. */
static int is_decoded(hid_t made, hsize_t chunk[2])
{
    chunk[0] = chunk[1] = 1;
    return H5Pget_layout(made) == H5D_CHUNKED && H5Pget_nfilters(made) > 0 &&
           H5Pget_chunk(made, 2, chunk) > 0;
}

/* Returns whether this is a small part of the remaining memory. Other datasets and later steps need
 * memory as well. */
static int is_modest(const h5_chunks *c, uint64_t bytes)
{
    return bytes <= mem_left(c->mem) / BUDGET_CHUNKS_SHARE;
}

/* Enlarges *c to the needed size. */
static int chunks_grow(const h5_data *d, chunk_need need, h5_chunks *c)
{
    uint64_t want = need.wish;
    if (want > c->bytes && !is_modest(c, want - c->bytes))
        want = need.one;
    if (want <= c->bytes)
        return IMP_OK;
    int err = mem_reserve(c->mem, want - c->bytes);
    if (err)
        return h5_fail(err, d->path, d->name,
                       "its chunks are compressed, so each is read as a whole, of %llu bytes: %s",
                       (unsigned long long)need.one, imp_error_text());
    c->bytes = want;
    return IMP_OK;
}

/* Preemption 0: the least recently used chunk is evicted first. With 1, HDF5 would keep every chunk
 * that is not read to its end, without a limit. */
static int open_again(hid_t group, const char *name, size_t bytes, h5_data *d)
{
    hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_chunk_cache(access, H5D_CHUNK_CACHE_NSLOTS_DEFAULT, bytes, 0);
    H5Dclose(d->id); /* closed first: the cache of an open dataset cannot change */
    d->id = H5Dopen2(group, name, access);
    H5Pclose(access);
    return d->id < 0 ? h5_fail(IMP_ERR_INPUT, d->path, d->name, "cannot be opened") : IMP_OK;
}

int h5_chunks_open(hid_t group, const char *name, hid_t made, h5_chunks *c, h5_data *d)
{
    int err = IMP_OK;
    hsize_t chunk[2];
    if (!is_decoded(made, chunk))
        return IMP_OK;
    chunk_need need = need_of(d, chunk);
    if (c->mem)
        TRY(chunks_grow(d, need, c));
    TRY(open_again(group, name, (size_t)(need.wish < c->bytes ? need.wish : c->bytes), d));
out:
    return err;
}

/* HDF5 frees chunks when the last handle is closed. Returns 0 if HDF5 keeps them because the
 * dataset has no name to open it by. */
static int cache_drop(h5_data *d)
{
    char name[1024];
    ssize_t n = H5Iget_name(d->id, name, sizeof name);
    if (n <= 0 || (size_t)n >= sizeof name)
        return 0;
    hid_t file = H5Iget_file_id(d->id);
    open_again(file, name, 0, d);
    H5Fclose(file);
    return 1;
}

void h5_data_rest(h5_data *d)
{
    if (!d->chunks.bytes)
        return;
    if (d->behind)
        h5_virtual_rest(d->behind);
    else if (!cache_drop(d))
        return;
    if (d->chunks.mem)
        mem_release(d->chunks.mem, d->chunks.bytes);
    d->chunks.bytes = 0;
}
