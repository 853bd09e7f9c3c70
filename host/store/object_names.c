/* See object_names.h. Texts have a fixed length, that of the longest one: when HDF5 reads texts of
 * variable length in a damaged file, it follows pointers past the end of its memory. The texts are
 * compressed since their padding may be large; they are written once, so no row is rewritten. */
#include "object_names.h"

#include "bodies.h"
#include "error.h"
#include "h5.h"

#include <errno.h>
#include <string.h>

#define GROUP "/impinge"
#define NAMES_CHUNK ((size_t)1 << 20) /* bytes in memory at a time */

/* ---- in memory */

/* Texts that could not be read are NULL, which mem_free accepts. */
void batch_names_free(batch_names *n)
{
    for (size_t i = 0; i < n->objects && n->object_name; i++)
        mem_free(n->mem, n->object_name[i]);
    for (size_t i = 0; i < n->sources && n->source; i++)
        mem_free(n->mem, n->source[i]);
    if (n->mem) {
        mem_free(n->mem, n->object);
        mem_free(n->mem, n->object_name);
        mem_free(n->mem, n->source);
    }
    memset(n, 0, sizeof *n);
}

/* Objects ascend, so they are searched like bodies. */
const char *batch_object_name(const batch_names *n, int32_t object)
{
    const uint32_t at = n ? body_number(n->object, (uint32_t)n->objects, object) : NO_BODY;
    return at == NO_BODY ? NULL : n->object_name[at];
}

const char *batch_frame_source(const batch_names *n, uint64_t frame)
{
    return n && frame < n->sources ? n->source[frame] : NULL;
}

/* ---- adding */

/* Copies the text in UTF-8 into `to`, unless that is NULL; returns its bytes without the NUL. Each
 * bad byte becomes U+FFFD by itself, so that a good character after it is kept. */
static size_t clean(const char *from, char *to)
{
    size_t bytes = 0;
    for (const char *c = from; *c;) {
        size_t n = utf8_bytes(c), good = n ? n : 3;
        if (to)
            memcpy(to + bytes, n ? c : "\xef\xbf\xbd", good);
        bytes += good;
        c += n ? n : 1;
    }
    return bytes;
}

static int copy_text(mem *m, const char *from, char **out)
{
    size_t bytes = clean(from, NULL);
    int err = mem_alloc(m, bytes + 1, out);
    if (!err) {
        clean(from, *out);
        (*out)[bytes] = 0;
    }
    return err;
}

int batch_names_add_object(batch_names *n, int32_t object, const char *name)
{
    int err = IMP_OK;
    if (!*name)
        return IMP_OK;
    TRY(mem_fit(n->mem, n->objects, &n->object_capacity, sizeof *n->object, &n->object));
    TRY(mem_fit(n->mem, n->objects, &n->name_capacity, sizeof *n->object_name, &n->object_name));
    TRY(copy_text(n->mem, name, &n->object_name[n->objects]));
    /* counted when both parts are stored: batch_names_free frees this number of names */
    n->object[n->objects++] = object;
out:
    return err;
}

/* Also adds an empty name: frames and sources correspond by position. */
int batch_names_add_source(batch_names *n, const char *source)
{
    int err = IMP_OK;
    TRY(mem_fit(n->mem, n->sources, &n->source_capacity, sizeof *n->source, &n->source));
    TRY(copy_text(n->mem, source, &n->source[n->sources]));
    n->sources++;
out:
    return err;
}

/* ---- writing */

/* NULLPAD: the longest text fills its row, without a NUL. */
static hid_t text_type(size_t width)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, width);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

/* Returns at least one row, even if that is longer than a chunk. */
static size_t rows_at_a_time(size_t width, size_t rows)
{
    size_t n = NAMES_CHUNK / width ? NAMES_CHUNK / width : 1;
    return n < rows ? n : rows;
}

static hid_t object_names_create(hid_t group, const char *name, hid_t type, size_t rows,
                                 size_t h5_chunk)
{
    hsize_t n = rows, chunk = h5_chunk;
    hid_t space = H5Screate_simple(1, &n, NULL), made = h5_untimed(H5P_DATASET_CREATE);
    /* HDF5 compresses only chunks; a library without zlib writes them uncompressed */
    H5Pset_chunk(made, 1, &chunk);
    if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0)
        H5Pset_deflate(made, 4);
    hid_t id = H5Dcreate2(group, name, type, space, H5P_DEFAULT, made, H5P_DEFAULT);
    H5Pclose(made);
    H5Sclose(space);
    return id;
}

/* Errors have no text here: the caller knows the dataset's name. */
static herr_t object_names_write_rows(hid_t id, hid_t type, size_t first, size_t rows,
                                      const void *data)
{
    hsize_t start = first, count = rows;
    hid_t space = H5Dget_space(id), memory = H5Screate_simple(1, &count, NULL);
    herr_t bad = H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL);
    if (bad >= 0)
        bad = H5Dwrite(id, type, memory, space, H5P_DEFAULT, data);
    H5Sclose(memory);
    H5Sclose(space);
    return bad;
}

static int object_names_write_texts(mem *m, const char *path, hid_t group, const char *name,
                                    char *const *text, size_t rows)
{
    int err = IMP_OK;
    char *chunk = NULL;
    /* HDF5 has no texts of 0 bytes */
    size_t width = 1;
    for (size_t i = 0; i < rows; i++)
        width = strlen(text[i]) > width ? strlen(text[i]) : width;
    if (width > INT32_MAX)
        return imp_fail(IMP_ERR_INPUT, "%s: " GROUP "/%s: a name of %zu bytes", path, name, width);
    size_t step = rows_at_a_time(width, rows);
    errno = 0;
    hid_t type = text_type(width), id = object_names_create(group, name, type, rows, step);
    if (id < 0)
        TRY(h5_fail(IMP_ERR_FILE, path, name, "cannot be written"));
    TRY(mem_alloc(m, step * width, &chunk));
    for (size_t done = 0; done < rows; done += step) {
        size_t n = rows - done < step ? rows - done : step;
        /* shorter texts are padded with NULs, not with texts of the chunk before */
        memset(chunk, 0, step * width);
        for (size_t i = 0; i < n; i++)
            memcpy(chunk + i * width, text[done + i], strlen(text[done + i]));
        if (object_names_write_rows(id, type, done, n, chunk) < 0)
            TRY(h5_fail(IMP_ERR_FILE, path, name, "cannot be written"));
    }
out:
    mem_free(m, chunk);
    h5_drop(id);
    H5Tclose(type);
    return err;
}

int batch_names_write_objects(const batch_names *n, const char *path, hid_t group)
{
    int err = IMP_OK;
    if (!n || !n->objects)
        return IMP_OK;
    const h5_grow_def ids = {"object_ids", COLUMN_I32, 0,
                             rows_at_a_time(sizeof *n->object, n->objects)};
    TRY(h5_write(n->mem, group, path, &ids, n->object, n->objects));
    TRY(object_names_write_texts(n->mem, path, group, "object_names", n->object_name, n->objects));
out:
    return err;
}

int batch_names_write(const batch_names *n, const char *path, hid_t file)
{
    int err = IMP_OK;
    if (!n->objects && !n->sources)
        return IMP_OK;
    /* otherwise h5_fail could report an older error */
    errno = 0;
    hid_t group = h5_exists(file, "impinge") ? H5Gopen2(file, "impinge", H5P_DEFAULT)
                                             : h5_group(file, "impinge");
    if (group < 0)
        return h5_fail(IMP_ERR_FILE, path, GROUP, "cannot be written");
    TRY(batch_names_write_objects(n, path, group));
    if (n->sources)
        TRY(object_names_write_texts(n->mem, path, group, "frame_sources", n->source, n->sources));
out:
    H5Gclose(group);
    return err;
}

int batch_names_write_beside(const batch_names *n, const char *path, hid_t file)
{
    if (!n || !n->objects)
        return IMP_OK;
    hid_t group = h5_group(file, "impinge");
    if (group < 0)
        return h5_fail(IMP_ERR_FILE, path, GROUP, "cannot be written");
    int err = batch_names_write_objects(n, path, group);
    H5Gclose(group);
    return err;
}

/* ---- reading */

/* strnlen: a text as long as its row has no NUL. */
static int object_names_read_chunk(mem *m, const h5_data *d, hid_t type, char *chunk, size_t step,
                                   char **text)
{
    int err = IMP_OK;
    for (size_t done = 0; done < d->rows; done += step) {
        size_t n = (size_t)d->rows - done < step ? (size_t)d->rows - done : step;
        TRY(h5_data_read(d, done, n, type, chunk));
        for (size_t i = 0; i < n; i++) {
            const char *from = chunk + i * d->size;
            size_t length = strnlen(from, d->size);
            TRY(mem_alloc(m, length + 1, &text[done + i]));
            memcpy(text[done + i], from, length);
            text[done + i][length] = 0;
        }
    }
out:
    return err;
}

/* *rows becomes the number of texts, including those that could not be read, which are NULL, so
 * that batch_names_free works after any error. */
static int read_texts(mem *m, const char *path, hid_t group, const char *name, char ***out,
                      size_t *rows)
{
    int err = IMP_OK;
    h5_data d = {.id = -1};
    char *chunk = NULL;
    hid_t type = -1;
    TRY(h5_data_open(m, group, path, GROUP, name, &d));
    type = H5Dget_type(d.id);
    if (d.class != H5T_STRING || H5Tis_variable_str(type) != 0 || d.columns != 1)
        FAIL(IMP_ERR_INPUT, "%s: %s: not a list of texts of fixed length", path, d.name);
    TRY(mem_alloc(m, (size_t)d.rows * sizeof **out, out));
    memset(*out, 0, (size_t)d.rows * sizeof **out);
    *rows = (size_t)d.rows;
    size_t step = rows_at_a_time(d.size, *rows);
    TRY(mem_alloc(m, step * d.size, &chunk));
    const H5T_cset_t set = H5Tget_cset(type);
    H5Tclose(type);
    /* read as NULLPAD: HDF5 converts any padding of the file, but not ASCII to UTF-8 */
    type = text_type(d.size);
    H5Tset_cset(type, set);
    TRY(object_names_read_chunk(m, &d, type, chunk, step, *out));
out:
    h5_drop(type);
    mem_free(m, chunk);
    h5_data_close(&d);
    return err;
}

/* Ids ascend (h5_read_objects), as the search in batch_object_name requires. */
static int object_names_read(mem *m, const char *path, hid_t group, batch_names *out)
{
    int err = IMP_OK;
    uint64_t ids = 0;
    TRY(read_texts(m, path, group, "object_names", &out->object_name, &out->objects));
    TRY(h5_read_objects(m, group, path, GROUP, "object_ids", &out->object, &ids));
    if (ids != out->objects)
        FAIL(IMP_ERR_INPUT, "%s: " GROUP "/object_ids: %llu for %zu names", path,
             (unsigned long long)ids, out->objects);
out:
    return err;
}

int batch_names_read(mem *m, const char *path, hid_t file, uint64_t frames, batch_names *out)
{
    int err = IMP_OK;
    *out = (batch_names){.mem = m};
    hid_t group = h5_exists(file, "impinge") ? H5Gopen2(file, "impinge", H5P_DEFAULT) : -1;
    if (group < 0)
        goto out; /* also if another kind of object has this name */
    if (h5_exists(group, "object_ids") || h5_exists(group, "object_names"))
        TRY(object_names_read(m, path, group, out));
    if (!h5_exists(group, "frame_sources"))
        goto out;
    TRY(read_texts(m, path, group, "frame_sources", &out->source, &out->sources));
    if (out->sources != frames)
        FAIL(IMP_ERR_INPUT, "%s: " GROUP "/frame_sources: %zu for %llu frames", path, out->sources,
             (unsigned long long)frames);
out:
    h5_drop(group);
    if (err)
        batch_names_free(out);
    return err;
}
