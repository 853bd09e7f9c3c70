/* HDF5 helpers: virtual datasets, whose rows are in other datasets, mostly of other files. HDF5
 * reads them too, but gives zeros for what it cannot open (a file that is missing, cut short, or
 * beyond the number that a process may have open) without an error. So they are read here, source
 * by source: what is missing is an error. All sources are checked when the dataset is opened. */
#include "h5_data.h"

#include "error.h"

#include <stdlib.h>
#include <string.h>

typedef struct virtual_range {
    uint64_t first, end;
} virtual_range;

struct h5_virtual {
    char *path; /* of the file that the dataset is in */
    int astray; /* none of its files is where HDF5 looks: h5_virtual_file */
    hid_t home; /* that file */
    int ascending;
    size_t count;
    h5_mapping *mapping;
    size_t gaps; /* rows that are nowhere */
    virtual_range *gap;
    /* the source that is open */
    const h5_mapping *open;
    char *open_path; /* of its file, for messages */
    hid_t file;
    h5_data source;
};

/* ---- sources */

static uint64_t h5_virtual_later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t h5_virtual_sooner(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

void h5_virtual_rest(h5_virtual *v)
{
    h5_data_close(&v->source);
    if (v->file >= 0)
        H5Fclose(v->file);
    free(v->open_path);
    v->open_path = NULL;
    v->file = -1;
    v->open = NULL;
}

static int h5_virtual_same_source(const h5_mapping *a, const h5_mapping *b)
{
    return !strcmp(a->dataset, b->dataset) && !a->file == !b->file &&
           (!a->file || !strcmp(a->file, b->file));
}

/* One source stays open: the next rows are mostly in the same one. */
static int h5_virtual_source_open(const h5_data *d, const h5_mapping *p, const h5_chain *up,
                                  h5_chunks *chunks)
{
    int err = IMP_OK;
    h5_virtual *v = d->behind;
    if (v->open && h5_virtual_same_source(v->open, p))
        return IMP_OK;
    h5_virtual_rest(v);
    if (p->file) {
        TRY(h5_virtual_locate(v, p->file, &v->open_path));
        TRY(h5_open(v->open_path, 0, &v->file));
    }
    TRY(h5_data_open_behind(p->file ? v->file : v->home, p->file ? v->open_path : v->path, "",
                            p->dataset + strspn(p->dataset, "/"), d->stored, up, chunks,
                            &v->source));
    v->open = p;
out:
    if (err)
        h5_virtual_rest(v);
    return err;
}

/* HDF5 itself would read the rows that exist and fill the rest with zeros. */
static int h5_virtual_source_fits(const h5_data *d, const h5_mapping *p)
{
    const h5_data *s = &d->behind->source;
    const h5_box *b = &p->box;
    /* HDF5 would convert integers to floats */
    if (s->class != d->class)
        return h5_fail(IMP_ERR_INPUT, s->path, s->name, "of another type");
    if (p->whole && (b->rows != s->rows || b->columns != s->columns))
        return h5_fail(IMP_ERR_INPUT, s->path, s->name,
                       "has %llu rows of %llu columns, %llu of %llu are needed",
                       (unsigned long long)s->rows, (unsigned long long)s->columns,
                       (unsigned long long)b->rows, (unsigned long long)b->columns);
    if (b->rows > s->rows || p->row > s->rows - b->rows)
        return h5_fail(IMP_ERR_INPUT, s->path, s->name, "has %llu rows, %llu are needed",
                       (unsigned long long)s->rows, (unsigned long long)(p->row + b->rows));
    if (b->columns > s->columns || p->column > s->columns - b->columns)
        return h5_fail(IMP_ERR_INPUT, s->path, s->name, "has %llu columns, %llu are needed",
                       (unsigned long long)s->columns,
                       (unsigned long long)(p->column + b->columns));
    return h5_data_stored(s, p->row, b->rows);
}

/* Which rows are missing, and the source's error. */
static int h5_virtual_mapping_fail(int err, const h5_data *d, const h5_mapping *p)
{
    unsigned long long first = p->box.row, last = first + p->box.rows - 1;
    if (first == last)
        return h5_fail(err, d->path, d->name, "row %llu: %s", first, imp_error_text());
    return h5_fail(err, d->path, d->name, "rows %llu to %llu: %s", first, last, imp_error_text());
}

/* ---- opening */

/* One file found where it should be shows that the names are right: then a missing one is missing.
 */
static int h5_virtual_all_astray(const h5_virtual *v)
{
    for (size_t i = 0; i < v->count; i++) {
        char *path = NULL;
        int there = !v->mapping[i].file || !h5_virtual_file(v->path, v->mapping[i].file, 0, &path);
        free(path);
        if (there)
            return 0;
    }
    return 1;
}

int h5_virtual_locate(const h5_virtual *v, const char *name, char **out)
{
    return h5_virtual_file(v->path, name, v->astray, out);
}

/* Called before the size is read, which makes HDF5 open the files behind the dataset. */
int h5_virtual_open(h5_data *d, hid_t made)
{
    int err = IMP_OK;
    size_t count = 0;
    h5_virtual *v = calloc(1, sizeof *v);
    if (!v)
        FAIL(IMP_ERR_MEMORY, "out of memory");
    d->behind = v;
    v->file = v->source.id = -1;
    v->home = H5Iget_file_id(d->id); /* a handle of its own: the caller may close the one it has */
    v->path = h5_file_name(d->id);
    if (H5Pget_virtual_count(made, &count) < 0 || !v->path)
        FAIL(IMP_ERR_INPUT, "%s: %s: its list of files is damaged", d->path, d->name);
    v->mapping = calloc(count + 1, sizeof *v->mapping);
    if (!v->mapping)
        FAIL(IMP_ERR_MEMORY, "out of memory");
    for (; v->count < count; v->count++)
        TRY(h5_mapping_read(d, made, v->count, &v->mapping[v->count]));
    v->astray = h5_virtual_all_astray(v);
out:
    return err;
}

void h5_virtual_close(h5_virtual *v)
{
    if (!v)
        return;
    h5_virtual_rest(v);
    for (size_t i = 0; v->mapping && i <= v->count; i++) { /* the last is nothing, or half read */
        free(v->mapping[i].file);
        free(v->mapping[i].dataset);
    }
    free(v->mapping);
    free(v->gap);
    free(v->path);
    if (v->home >= 0)
        H5Fclose(v->home);
    free(v);
}

/* ---- is all of it there? */

static int range_compare(const void *a, const void *b)
{
    const virtual_range *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

static int h5_virtual_add_gap(h5_virtual *v, uint64_t first, uint64_t end)
{
    virtual_range *more = realloc(v->gap, (v->gaps + 1) * sizeof *more);
    if (!more)
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    v->gap = more;
    v->gap[v->gaps++] = (virtual_range){first, end};
    return IMP_OK;
}

/* Rows of a column that no mapping has; VTK's writer leaves some that no frame uses. capacity[count
 * + 1]: workspace for the rows that mappings have. */
static int h5_virtual_find_gaps(const h5_data *d, uint64_t column, virtual_range *capacity)
{
    int err = IMP_OK;
    h5_virtual *v = d->behind;
    size_t n = 0;
    uint64_t end = 0;
    for (size_t i = 0; i < v->count; i++) {
        const h5_box *b = &v->mapping[i].box;
        if (b->column <= column && column < b->column + b->columns)
            capacity[n++] = (virtual_range){b->row, b->row + b->rows};
    }
    qsort(capacity, n, sizeof *capacity, range_compare);
    /* an empty range at the end, so that rows after the last mapping are a gap too */
    capacity[n] = (virtual_range){d->rows, d->rows};
    for (size_t i = 0; i <= n; i++) {
        if (capacity[i].first > end)
            TRY(h5_virtual_add_gap(v, end, capacity[i].first));
        end = capacity[i].end > end ? capacity[i].end : end;
    }
out:
    return err;
}

/* Those of all columns, in order and apart from each other: reading looks them up. */
static void h5_virtual_join_gaps(h5_virtual *v)
{
    size_t n = 0;
    if (v->gaps)
        qsort(v->gap, v->gaps, sizeof *v->gap, range_compare);
    for (size_t i = 0; i < v->gaps; i++)
        if (n && v->gap[i].first <= v->gap[n - 1].end)
            v->gap[n - 1].end = h5_virtual_later(v->gap[i].end, v->gap[n - 1].end);
        else
            v->gap[n++] = v->gap[i];
    v->gaps = n;
}

/* The dataset's shape and its list of mappings are stored apart: in a damaged file they may differ.
 */
static int h5_virtual_check_box(const h5_data *d, const h5_box *b)
{
    if (b->rows > d->rows || b->row > d->rows - b->rows || b->columns > d->columns ||
        b->column > d->columns - b->columns)
        return h5_fail(IMP_ERR_INPUT, d->path, d->name, "its list of files is damaged");
    return IMP_OK;
}

#define COLUMNS_MOST 64 /* of a dataset whose columns come from different sources */

static int h5_virtual_check_mappings(const h5_data *d)
{
    int err = IMP_OK;
    h5_virtual *v = d->behind;
    uint64_t columns = 1, end = 0;
    virtual_range *capacity = malloc((v->count + 1) * sizeof *capacity);
    if (!capacity)
        FAIL(IMP_ERR_MEMORY, "out of memory");
    v->ascending = 1;
    for (size_t i = 0; i < v->count; i++) {
        const h5_box *b = &v->mapping[i].box;
        TRY(h5_virtual_check_box(d, b));
        /* then reading finds its first mapping by halves; series of thousands of files are like
         * that
         */
        v->ascending &= b->row >= end;
        end = b->row + b->rows;
        if (b->rows && b->columns < d->columns)
            columns = d->columns;
    }
    if (columns > COLUMNS_MOST)
        FAIL(IMP_ERR_INPUT, "%s: %s: takes parts of %llu columns; this is not supported", d->path,
             d->name, (unsigned long long)columns);
    for (uint64_t c = 0; c < columns && d->columns; c++)
        TRY(h5_virtual_find_gaps(d, c, capacity));
    h5_virtual_join_gaps(v);
out:
    free(capacity);
    return err;
}

uint64_t h5_virtual_missing(const h5_virtual *v, uint64_t first, uint64_t end)
{
    size_t low = 0, high = v->gaps;
    while (low < high) { /* the first that ends behind the first row */
        const size_t middle = low + (high - low) / 2;
        if (v->gap[middle].end <= first)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == v->gaps || v->gap[low].first >= end)
        return end;
    return v->gap[low].first > first ? v->gap[low].first : first;
}

int h5_virtual_check(h5_data *d, const h5_chain *up, h5_chunks *chunks)
{
    int err = IMP_OK;
    h5_virtual *v = d->behind;
    H5O_info_t self;
    TRY(h5_virtual_check_mappings(d));
    if (H5Oget_info2(d->id, &self, H5O_INFO_BASIC) < 0)
        FAIL(IMP_ERR_INPUT, "%s: %s: damaged", d->path, d->name);
    const h5_chain here = {up, self.fileno, self.addr};
    for (; up; up = up->up)
        if (up->file == here.file && up->object == here.object)
            FAIL(IMP_ERR_INPUT, "%s: %s: a virtual dataset that is made of itself", d->path,
                 d->name);
    for (size_t i = 0; i < v->count; i++) {
        const h5_mapping *p = &v->mapping[i];
        if (!p->box.rows || !p->box.columns)
            continue;
        err = h5_virtual_source_open(d, p, &here, chunks);
        if (!err)
            err = h5_virtual_source_fits(d, p);
        if (err)
            return h5_virtual_mapping_fail(err, d, p);
    }
    if (v->count > 1) /* many datasets may be open at a time, and each holds a file */
        h5_virtual_rest(v);
out:
    return err;
}

/* ---- reading */

/* The first mapping that may hold `row`: of mappings in any order, the first of the list. */
static size_t h5_virtual_first_mapping(const h5_virtual *v, uint64_t row)
{
    size_t low = 0, high = v->ascending ? v->count : 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const h5_box *b = &v->mapping[middle].box;
        if (b->row + b->rows <= row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Reads the part of `want` that a mapping has, to where it belongs in `out`. */
static int h5_virtual_mapping_read(const h5_data *d, const h5_mapping *p, const h5_box *want,
                                   hid_t type, uint64_t width, char *out)
{
    int err = IMP_OK;
    const h5_box *b = &p->box;
    uint64_t row = h5_virtual_later(b->row, want->row),
             column = h5_virtual_later(b->column, want->column);
    uint64_t row_end = h5_virtual_sooner(b->row + b->rows, want->row + want->rows);
    uint64_t column_end = h5_virtual_sooner(b->column + b->columns, want->column + want->columns);
    if (row >= row_end || column >= column_end)
        return IMP_OK;
    h5_box from = {p->row + row - b->row, row_end - row, p->column + column - b->column,
                   column_end - column};
    char *to = out + ((row - want->row) * width + column - want->column) * H5Tget_size(type);
    /* the memory was reserved when the dataset was opened, and does not grow here */
    h5_chunks counted = {NULL, d->chunks.bytes};
    TRY(h5_virtual_source_open(d, p, NULL, &counted));
    TRY(h5_data_read_box(&d->behind->source, &from, type, width, to));
out:
    return err ? h5_virtual_mapping_fail(err, d, p) : IMP_OK;
}

int h5_virtual_read(const h5_data *d, const h5_box *box, hid_t type, uint64_t width, void *out)
{
    int err = IMP_OK;
    const h5_virtual *v = d->behind;
    TRY(h5_data_stored(d, box->row, box->rows));
    for (size_t i = h5_virtual_first_mapping(v, box->row); i < v->count; i++) {
        if (v->ascending && v->mapping[i].box.row >= box->row + box->rows)
            break;
        TRY(h5_virtual_mapping_read(d, &v->mapping[i], box, type, width, out));
    }
out:
    return err;
}

size_t h5_virtual_files(const h5_virtual *v)
{
    return v->count;
}

const char *h5_virtual_name(const h5_virtual *v, size_t i)
{
    return v->mapping[i].file;
}
