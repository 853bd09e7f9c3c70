/* See batch.h. */
#include "batch.h"
#include "error.h"
#include "store.h"

#include <string.h>

/* ---- arrays of a block */

/* Returns whether the array's values decide about cells; these are read elsewhere. */
static int array_search_decides(const char *name)
{
    return !strcmp(name, "ObjectId") || !strcmp(name, GHOST_TYPE);
}

/* Returns the type in which integers are kept; ids of cells are int64 (data/format.md). */
static enum column_type array_search_type(const char *name, hid_t type, size_t size)
{
    const int is_unsigned = H5Tget_sign(type) == H5T_SGN_NONE;
    if (!strcmp(name, SOURCE_ID) || !strcmp(name, PRIMITIVE_ID))
        return COLUMN_I64;
    if (size == 8)
        return is_unsigned ? COLUMN_U64 : COLUMN_I64;
    return size == 4 && is_unsigned ? COLUMN_I64 : COLUMN_I32;
}

/* A search through a group of arrays. */
typedef struct array_search {
    batch *b;
    const char *group; /* "CellData" */
    batch_arrays *to;  /* NULL: keeps nothing */
    cell_arrays *lost;
    int err;
} array_search;

/* Inspects the dataset by HDF5 calls: h5_data_open would check the files behind it, which an array
 * that is not kept need not have. */
static int array_search_is_read(hid_t data, const char *name, enum column_type *type)
{
    hsize_t shape[2] = {0, 1};
    hid_t space = H5Dget_space(data), stored = H5Dget_type(data);
    const int ranks = H5Sget_simple_extent_ndims(space);
    int kept = H5Tget_class(stored) == H5T_INTEGER && H5Tget_size(stored) <= 8 &&
               (ranks == 1 || ranks == 2);
    if (kept)
        H5Sget_simple_extent_dims(space, shape, NULL);
    kept &= shape[1] == 1;
    *type = kept ? array_search_type(name, stored, H5Tget_size(stored)) : COLUMN_I64;
    h5_drop(stored);
    h5_drop(space);
    return kept;
}

static int array_search_add_lost(array_search *s, const char *name)
{
    int err = IMP_OK;
    char *text = NULL;
    const size_t bytes = strlen(s->group) + strlen(name) + 2;
    TRY(mem_alloc(s->b->mem, bytes, &text));
    snprintf(text, bytes, "%s/%s", s->group, name);
    TRY(cell_arrays_add(s->lost, text, COLUMN_I64));
out:
    mem_free(s->b->mem, text);
    return err;
}

static herr_t array_search_visit(hid_t at, const char *name, const H5L_info_t *link, void *to)
{
    array_search *s = to;
    enum column_type type;
    hid_t data = H5Oopen(at, name, H5P_DEFAULT);
    (void)link;
    if (data < 0)
        s->err = h5_broken(at, s->b->path, s->group, name, "cannot be opened");
    else if (H5Iget_type(data) != H5I_DATASET || (s->to && array_search_decides(name)))
        s->err = IMP_OK;
    else if (s->to && array_search_is_read(data, name, &type))
        s->err = cell_arrays_add(&s->to->of, name, type);
    else
        s->err = array_search_add_lost(s, name);
    h5_drop(data);
    return s->err != 0;
}

/* In order of names, so that the same file gives the same batch. */
static int array_search_group(array_search *s)
{
    if (!h5_exists(s->b->root, s->group))
        return IMP_OK;
    hid_t at = H5Gopen2(s->b->root, s->group, H5P_DEFAULT);
    if (at < 0)
        return h5_broken(s->b->root, s->b->path, s->b->where.group, s->group, "not a group");
    if (H5Literate(at, H5_INDEX_NAME, H5_ITER_INC, NULL, array_search_visit, s) < 0 && !s->err)
        s->err = h5_fail(IMP_ERR_INPUT, s->b->path, s->group, "cannot be listed");
    h5_drop(at);
    return s->err;
}

/* Cells of all kinds have rows, even those that are not read. */
static int batch_arrays_check_rows(const batch *b, const batch_array *a)
{
    int err = IMP_OK;
    for (uint64_t f = 0; f < b->frames && !err; f++)
        err = batch_rows_fit(b, &a->data, f, a->row0[f], b->step[f].primitives + b->step[f].others);
    return err;
}

static int batch_arrays_open_one(batch *b, const char *name, batch_array *out)
{
    int err = IMP_OK;
    char *path = NULL;
    const size_t bytes = strlen(name) + sizeof "CellData/";
    TRY(mem_alloc(b->mem, bytes, &path));
    snprintf(path, bytes, "CellData/%s", name);
    TRY(h5_data_open(b->mem, b->root, b->path, b->where.group, path, &out->data));
    TRY(mem_alloc(b->mem, b->frames * sizeof *out->row0, &out->row0));
    TRY(batch_array_rows(b, name, out->row0));
    TRY(batch_arrays_check_rows(b, out));
out:
    mem_free(b->mem, path);
    return err;
}

int batch_arrays_open(batch *b, batch_arrays *out, cell_arrays *lost)
{
    int err = IMP_OK;
    array_search cells = {b, "CellData", out, lost, 0}, points = {b, "PointData", NULL, lost, 0};
    *out = (batch_arrays){.of.mem = b->mem};
    TRY(array_search_group(&cells));
    TRY(array_search_group(&points));
    TRY(mem_alloc(b->mem, out->of.count * sizeof *out->array, &out->array));
    for (size_t i = 0; i < out->of.count; i++)
        out->array[i] = (batch_array){.data.id = -1};
    for (size_t i = 0; i < out->of.count; i++)
        TRY(batch_arrays_open_one(b, out->of.array[i].name, &out->array[i]));
out:
    return err;
}

#define MISSING_LISTED 8 /* names in the message */

int batch_arrays_missing(batch *b, const char *name)
{
    int err = IMP_OK;
    char text[600] = "";
    batch_arrays found = {.of.mem = b->mem};
    cell_arrays lost = {.mem = b->mem};
    array_search cells = {b, "CellData", &found, &lost, 0};
    TRY(array_search_group(&cells));
    const size_t count = found.of.count;
    for (size_t i = 0, at = 0; i < count && i < MISSING_LISTED; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%.60s", i ? ", " : "",
                               found.of.array[i].name);
    FAIL(IMP_ERR_INPUT, "%s: %s/CellData/%.200s: missing; arrays of integers there: %s%s", b->path,
         b->where.group, name, count ? text : "none", count > MISSING_LISTED ? ", ..." : "");
out:
    batch_arrays_close(&found);
    cell_arrays_free(&lost);
    return err;
}

void batch_arrays_close(batch_arrays *a)
{
    for (size_t i = 0; a->array && i < a->of.count; i++) {
        h5_data_close(&a->array[i].data);
        mem_free(a->of.mem, a->array[i].row0);
    }
    if (a->of.mem)
        mem_free(a->of.mem, a->array);
    cell_arrays_free(&a->of);
    *a = (batch_arrays){0};
}

int batch_array_read(const batch *b, const batch_array *a, enum column_type type, uint64_t frame,
                     uint64_t first, uint64_t rows, int64_t *out)
{
    const uint64_t row = a->row0[frame] + first;
    return type == COLUMN_U64 ? h5_data_read(&a->data, row, rows, H5T_NATIVE_UINT64, out)
                              : batch_int64_read(b, &a->data, row, rows, frame, first, out);
}

size_t cell_arrays_find(const cell_arrays *a, const char *name)
{
    size_t i = 0;
    while (i < a->count && strcmp(a->array[i].name, name) != 0)
        i++;
    return i;
}

int cell_arrays_add(cell_arrays *a, const char *name, enum column_type type)
{
    int err = IMP_OK;
    const size_t i = cell_arrays_find(a, name), bytes = strlen(name) + 1;
    char *text = NULL;
    if (i < a->count) {
        a->array[i].type = a->array[i].type == type ? type : COLUMN_I64;
        return IMP_OK;
    }
    TRY(mem_fit(a->mem, a->count, &a->capacity, sizeof *a->array, &a->array));
    TRY(mem_alloc(a->mem, bytes, &text));
    memcpy(text, name, bytes);
    a->array[a->count++] = (cell_array){text, type};
out:
    return err;
}

void cell_arrays_remove(cell_arrays *a, size_t i)
{
    mem_free(a->mem, a->array[i].name);
    memmove(a->array + i, a->array + i + 1, (--a->count - i) * sizeof *a->array);
}

void cell_arrays_free(cell_arrays *a)
{
    while (a->count)
        cell_arrays_remove(a, a->count - 1);
    if (a->mem)
        mem_free(a->mem, a->array);
    *a = (cell_arrays){.mem = a->mem};
}
