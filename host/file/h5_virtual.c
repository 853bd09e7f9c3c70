/* HDF5 helpers: virtual datasets, whose rows are in other datasets, mostly of other files. HDF5
 * reads them too, but gives zeros without an error for files that it cannot open (a file that is
 * missing, cut short, or beyond the number that a process may have open). So they are read here,
 * source by source, and a missing row is an error. All sources are checked when the dataset is
 * opened. */
#include "error.h"
#include "h5.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct virtual_range {
    uint64_t first, end;
} virtual_range;

struct h5_virtual {
    char *path; /* the dataset's file */
    int astray; /* none of the files is where HDF5 looks: h5_virtual_file */
    hid_t home; /* handle of that file */
    int ascending;
    size_t count;
    h5_mapping *mapping;
    size_t gaps; /* ranges of rows without a source */
    virtual_range *gap;
    /* the open source */
    const h5_mapping *open;
    char *open_path; /* path of its file, for messages */
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

/* One source stays open: the next rows are usually in the same one. */
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

/* Checks the source; HDF5 itself would read the existing rows and fill the rest with zeros. */
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

/* Reports the missing rows, and the source's error. */
static int h5_virtual_mapping_fail(int err, const h5_data *d, const h5_mapping *p)
{
    unsigned long long first = p->box.row, last = first + p->box.rows - 1;
    if (first == last)
        return h5_fail(err, d->path, d->name, "row %llu: %s", first, imp_error_text());
    return h5_fail(err, d->path, d->name, "rows %llu to %llu: %s", first, last, imp_error_text());
}

/* ---- opening */

/* A single file that is found where it should be shows that the names are right: then a missing
 * file is really missing. */
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

/* Called before the size is read, since that makes HDF5 open the files behind the dataset. */
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
    for (size_t i = 0; v->mapping && i <= v->count; i++) { /* the last may be empty or half read */
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

/* ---- completeness checks */

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

/* Finds rows of a column without a mapping; VTK's writer leaves gaps that no frame uses.
 * capacity[count + 1]: workspace for the rows with a mapping. */
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

/* Merges the gaps of all columns into sorted, disjoint ranges, which reading searches. */
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

/* The dataset's shape and its list of mappings are stored separately: in a damaged file they may
 * differ. */
static int h5_virtual_check_box(const h5_data *d, const h5_box *b)
{
    if (b->rows > d->rows || b->row > d->rows - b->rows || b->columns > d->columns ||
        b->column > d->columns - b->columns)
        return h5_fail(IMP_ERR_INPUT, d->path, d->name, "its list of files is damaged");
    return IMP_OK;
}

#define SOURCES_MOST 64 /* columns of a dataset, if they have different sources */

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
        /* reading then finds its first mapping by binary search; series of thousands of files are
         * like that */
        v->ascending &= b->row >= end;
        end = b->row + b->rows;
        if (b->rows && b->columns < d->columns)
            columns = d->columns;
    }
    if (columns > SOURCES_MOST)
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
    while (low < high) { /* the first that ends after the first row */
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

/* Returns the first mapping that may contain `row`; for unsorted mappings, the first of the
 * list. */
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

/* Reads the part of `want` that a mapping covers, to its place in `out`. */
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

/* ---- HDF5 helpers: the description of a mapping of a virtual dataset. */

/* Finds the extents of a selection along two dimensions; 0 if it is no box. A list is a table of
 * one column, so the second dimension begins as 1. */
static int h5_mapping_selection_box(hid_t space, h5_box *out)
{
    hsize_t start[2] = {0, 0}, stride[2] = {1, 1}, count[2] = {1, 1}, block[2] = {1, 1};
    int rank = H5Sget_simple_extent_ndims(space);
    if (rank < 1 || rank > 2)
        return 0;
    switch (H5Sget_select_type(space)) {
    case H5S_SEL_NONE:
        *out = (h5_box){0};
        return 1;
    case H5S_SEL_ALL:
        H5Sget_simple_extent_dims(space, count, NULL);
        break;
    case H5S_SEL_HYPERSLABS:
        if (H5Sis_regular_hyperslab(space) <= 0 ||
            H5Sget_regular_hyperslab(space, start, stride, count, block) < 0)
            return 0;
        break;
    default:
        return 0;
    }
    for (int i = 0; i < 2; i++) {
        if (count[i] == H5S_UNLIMITED || block[i] == H5S_UNLIMITED ||
            /* separate blocks are no box */
            (count[i] > 1 && block[i] != stride[i]))
            return 0;
    }
    *out = (h5_box){start[0], count[0] * block[0], start[1], count[1] * block[1]};
    return 1;
}

/* Decodes a name in HDF5's notation, in which %% is a percent sign. */
static char *h5_mapping_unescape(char *name)
{
    char *to = name;
    for (const char *at = name; *at; at++) {
        at += at[0] == '%' && at[1] == '%';
        *to++ = *at;
    }
    *to = 0;
    return name;
}

/* HDF5 returns the length first. Unescaping only shortens a name, so it needs no second buffer. */
static char *h5_mapping_name(hid_t made, size_t i,
                             ssize_t (*get)(hid_t made, size_t i, char *out, size_t size))
{
    ssize_t n = get(made, i, NULL, 0);
    char *out = n >= 0 ? malloc((size_t)n + 1) : NULL;
    if (out && get(made, i, out, (size_t)n + 1) < 0)
        out[0] = 0;
    return out ? h5_mapping_unescape(out) : NULL;
}

static int h5_mapping_boxes(const h5_data *d, hid_t made, size_t i, h5_mapping *p)
{
    int err = IMP_OK;
    h5_box from = {0};
    hid_t to_space = H5Pget_virtual_vspace(made, i), from_space = H5Pget_virtual_srcspace(made, i);
    if (to_space < 0 || from_space < 0)
        FAIL(IMP_ERR_INPUT, "%s: %s: its list of files is damaged", d->path, d->name);
    /* the file does not store the shape of a source that is used as a whole: source_fits compares
     * it when the source is open */
    p->whole = H5Sget_select_type(from_space) == H5S_SEL_ALL;
    if (!h5_mapping_selection_box(to_space, &p->box) ||
        (!p->whole && (!h5_mapping_selection_box(from_space, &from) || p->box.rows != from.rows ||
                       p->box.columns != from.columns)))
        FAIL(IMP_ERR_INPUT,
             "%s: %s: takes from %s in %s what is no block of rows, or grows with it; this is not "
             "supported",
             d->path, d->name, p->dataset, p->file);
    p->row = from.row;
    p->column = from.column;
out:
    h5_drop(to_space);
    h5_drop(from_space);
    return err;
}

int h5_mapping_read(const h5_data *d, hid_t made, size_t i, h5_mapping *p)
{
    int err = IMP_OK;
    p->file = h5_mapping_name(made, i, H5Pget_virtual_filename);
    p->dataset = h5_mapping_name(made, i, H5Pget_virtual_dsetname);
    if (!p->file || !p->dataset)
        FAIL(IMP_ERR_INPUT, "%s: %s: its list of files is damaged", d->path, d->name);
    TRY(h5_mapping_boxes(d, made, i, p));
    /* HDF5's name for the virtual dataset's own file */
    if (!strcmp(p->file, ".")) {
        free(p->file);
        p->file = NULL;
    }
out:
    return err;
}

/* ---- HDF5 helpers: checks that a dataset's contents are really stored. HDF5 reads zeros for rows
 * that a killed writer has not written, and beyond the end of a file of raw data. */

/* ---- rows that were never written */

/* Returns the first row in [first, end) whose chunk does not exist; `end` if all exist. A chunk
 * that HDF5 cannot find counts as missing. */
static uint64_t missing_chunk(const h5_data *d, const hsize_t chunk[2], uint64_t first,
                              uint64_t end)
{
    for (uint64_t row = first - first % chunk[0]; row < end; row += chunk[0])
        for (uint64_t column = 0; column < d->columns; column += chunk[1]) {
            hsize_t at[2] = {row, column}, bytes = 0;
            if (H5Dget_chunk_storage_size(d->id, at, &bytes) < 0 || !bytes)
                return row > first ? row : first;
        }
    return end;
}

/* HDF5 allocates a contiguous dataset as a whole when its first row is written. Compact ones are
 * stored in the header. */
static uint64_t h5_stored_missing_row(const h5_data *d, hid_t made, uint64_t first, uint64_t end)
{
    hsize_t chunk[2] = {1, d->columns}, count = 0;
    if (H5Pget_layout(made) == H5D_CONTIGUOUS)
        return H5Pget_external_count(made) == 0 && H5Dget_storage_size(d->id) == 0 ? first : end;
    if (H5Pget_layout(made) != H5D_CHUNKED || H5Pget_chunk(made, 2, chunk) < 1)
        return end;
    /* first one call for the number of chunks: usually all exist, and none needs to be looked up */
    hsize_t all = (d->rows + chunk[0] - 1) / chunk[0] * ((d->columns + chunk[1] - 1) / chunk[1]);
    hid_t space = H5Dget_space(d->id);
    int known = H5Dget_num_chunks(d->id, space, &count) >= 0;
    H5Sclose(space);
    if (known && count >= all)
        return end;
    return missing_chunk(d, chunk, first, end);
}

uint64_t h5_data_missing(const h5_data *d, uint64_t first, uint64_t rows)
{
    H5D_fill_value_t fill = H5D_FILL_VALUE_DEFAULT;
    uint64_t end = first + rows, missing = end;
    if (d->behind)
        return h5_virtual_missing(d->behind, first, end);
    if (!d->stored || !rows || !d->columns)
        return end;
    hid_t made = H5Dget_create_plist(d->id);
    H5Pfill_value_defined(made, &fill);
    if (fill != H5D_FILL_VALUE_USER_DEFINED) /* else the fill value may be intended */
        missing = h5_stored_missing_row(d, made, first, end);
    H5Pclose(made);
    return missing;
}

int h5_data_stored(const h5_data *d, uint64_t first, uint64_t rows)
{
    unsigned long long row = h5_data_missing(d, first, rows);
    if (row >= first + rows)
        return IMP_OK;
    if (d->behind)
        return h5_fail(IMP_ERR_INPUT, d->path, d->name,
                       "is virtual, and its row %llu is in no file", row);
    return h5_fail(IMP_ERR_INPUT, d->path, d->name, H5_NEVER_WRITTEN, row);
}

/* ---- raw data in separate files */

static int raw_file_check(const h5_data *d, const char *path, uint64_t bytes)
{
    struct stat s;
    if (stat(path, &s))
        return h5_fail(IMP_ERR_INPUT, d->path, d->name, "its data are in %s: %s", path,
                       strerror(errno));
    if (!S_ISREG(s.st_mode)) /* reading it may block forever */
        return h5_fail(IMP_ERR_INPUT, d->path, d->name, "its data are in %s, which is not a file",
                       path);
    if ((uint64_t)s.st_size < bytes)
        return h5_fail(IMP_ERR_INPUT, d->path, d->name,
                       "its data are in %s, which has %llu bytes; %llu are needed", path,
                       (unsigned long long)s.st_size, (unsigned long long)bytes);
    return IMP_OK;
}

/* The dataset is the concatenation of the files, and HDF5 reads zeros beyond the end of each. */
int h5_raw_check(const h5_data *d, hid_t made)
{
    int err = IMP_OK;
    char name[4096], *path = NULL, *file = NULL;
    const double all = (double)d->rows * (double)d->columns * (double)d->size;
    uint64_t chunks_left = d->rows * d->columns * d->size;
    int n = H5Pget_external_count(made);
    if (n > 0 && all > (double)INT64_MAX)
        FAIL(IMP_ERR_INPUT, "%s: %s: damaged: %llu rows", d->path, d->name,
             (unsigned long long)d->rows);
    if (n > 0)
        file = h5_file_name(d->id);
    for (int i = 0; i < n && chunks_left; i++) {
        off_t first = 0;
        hsize_t most = 0;
        if (!file || H5Pget_external(made, (unsigned)i, sizeof name, name, &first, &most) < 0)
            FAIL(IMP_ERR_INPUT, "%s: %s: damaged: its data are in no file", d->path, d->name);
        name[sizeof name - 1] = 0;
        uint64_t bytes = chunks_left < most ? chunks_left : most;
        TRY(h5_raw_file(file, name, &path));
        TRY(raw_file_check(d, path, (uint64_t)first + bytes));
        free(path);
        path = NULL;
        chunks_left -= bytes;
    }
    if (n > 0 && chunks_left)
        FAIL(IMP_ERR_INPUT, "%s: %s: its files hold %llu bytes too few", d->path, d->name,
             (unsigned long long)chunks_left);
out:
    free(path);
    free(file);
    return err;
}
