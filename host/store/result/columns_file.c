/* See result.h. */
#include "error.h"
#include "result.h"

#include <string.h>

#define ROWS_CHUNK 4096
#define FRAMES_CHUNK 1024
#define COLUMN_CHUNK 1024
#define WRITE_LEAST ((size_t)8 << 10) /* fewer bytes of a column are buffered */

/* ---- creating and resuming datasets */

/* All ids are -1 before anything is opened, so that column_writer_close can follow any error. A
 * column of group VTKHDF writes to the caller's `points`, which the caller also truncates, flushes
 * and closes. */
static int writer_alloc(mem *m, const column_groups *at, const column_table *t, column_set set,
                        h5_grow *points, column_writer *w)
{
    int err = IMP_OK;
    *w = (column_writer){.mem = m, .table = t, .set = set, .at = *at};
    TRY(mem_alloc(m, (size_t)t->count * sizeof *w->out, &w->out));
    memset(w->out, 0, (size_t)t->count * sizeof *w->out);
    for (int c = 0; c < t->count; c++) {
        column_writer_column *o = &w->out[c];
        o->to = t->column[c].group == COLUMN_VTKHDF ? points : &o->values;
        o->values.id = o->first.id = o->frames.id = -1;
    }
    TRY(row_sums_open(t, set, &w->sums));
out:
    return err;
}

/* Finds the number of items in the first `rows` rows: ends begin with 0, so it is entry `rows`. */
static int column_writer_items(const column_writer *w, const column_def *k, uint64_t rows,
                               uint64_t *items)
{
    int err = IMP_OK;
    h5_data first = {.id = -1};
    TRY(h5_data_open(w->mem, w->at.own, w->at.path, "/impinge", k->file_first, &first));
    TRY(h5_data_columns(&first, 1));
    TRY(h5_data_read(&first, rows, 1, H5T_NATIVE_UINT64, items));
out:
    h5_data_close(&first);
    return err;
}

/* rows: number of valid rows of this column, or H5_NEW. */
static int column_writer_open_data(column_writer *w, hid_t group, const h5_grow_def *def,
                                   uint64_t rows, h5_grow *g)
{
    return h5_grow_open(w->mem, group, w->at.path, def, rows, g);
}

/* A column of group VTKHDF opens nothing: its dataset is `points`. */
static int open_writer_column(column_writer *w, int c, uint64_t rows, uint64_t frames)
{
    int err = IMP_OK;
    const column_def *k = &w->table->column[c];
    column_writer_column *o = &w->out[c];
    const uint64_t none = 0;
    const h5_grow_def values = {k->file, k->type, k->width > 1 ? k->width : 0, ROWS_CHUNK};
    const h5_grow_def first_rows = {k->file, COLUMN_I64, 0, FRAMES_CHUNK};
    const h5_grow_def first_items = {k->file_first, COLUMN_U64, 0, ROWS_CHUNK};
    if (k->group == COLUMN_CellData) {
        TRY(column_writer_open_data(w, w->at.cells, &values, rows, &o->values));
        TRY(column_writer_open_data(w, w->at.frames, &first_rows, frames, &o->frames));
    } else if (k->first_at && rows == H5_NEW) {
        TRY(column_writer_open_data(w, w->at.own, &values, H5_NEW, &o->values));
        TRY(column_writer_open_data(w, w->at.own, &first_items, H5_NEW, &o->first));
        /* the ends of rows begin with 0, even in a file without rows */
        TRY(h5_grow_add(&o->first, w->at.path, &none, 1));
    } else if (k->group == COLUMN_impinge && !k->first_at) {
        TRY(column_writer_open_data(w, w->at.own, &values, rows, &o->values));
    } else if (k->first_at) {
        TRY(column_writer_items(w, k, rows, &o->items));
        TRY(column_writer_open_data(w, w->at.own, &values, o->items, &o->values));
        /* one more than rows: the 0 before the first */
        TRY(column_writer_open_data(w, w->at.own, &first_items, rows + 1, &o->first));
    }
out:
    return err;
}

int column_writer_open(mem *m, const column_groups *at, const column_table *t, column_set set,
                       h5_grow *points, uint64_t rows, uint64_t frames, column_writer *w)
{
    int err = IMP_OK;
    TRY(writer_alloc(m, at, t, set, points, w));
    for (int c = 0; c < t->count; c++)
        if (column_in(set, c))
            TRY(open_writer_column(w, c, rows, frames));
out:
    return err;
}

/* ---- growing */

/* Writes the ends of each row's items, counted over the file. */
static int write_ends(column_writer *w, int c, const uint64_t *first, size_t rows)
{
    int err = IMP_OK;
    column_writer_column *o = &w->out[c];
    uint64_t end[COLUMN_CHUNK];
    for (size_t done = 0, n; done < rows; done += n) {
        n = rows - done < COLUMN_CHUNK ? rows - done : COLUMN_CHUNK;
        for (size_t i = 0; i < n; i++)
            end[i] = o->items + (first[done + i + 1] - first[0]);
        TRY(h5_grow_add(&o->first, w->at.path, end, n));
    }
    o->items += first[rows] - first[0];
out:
    return err;
}

/* The values of a view begin with those of its first row. */
static const char *columns_row_values(const column_def *k, const void *values,
                                      const uint64_t *first)
{
    return (const char *)values + (first ? first[0] * column_bytes(k) : 0);
}

int column_writer_add_virtual(column_writer *w, int c, const void *values, const uint64_t *first,
                              size_t rows)
{
    int err = IMP_OK;
    const column_def *k = &w->table->column[c];
    const uint64_t n = first ? first[rows] - first[0] : rows;
    if (first) {
        row_sums_ends(&w->sums, c, first, rows);
        TRY(write_ends(w, c, first, rows));
    }
    row_sums_values(&w->sums, c, columns_row_values(k, values, first), n * column_bytes(k));
out:
    return err;
}

/* A dataset may have shorter rows than the column: the two points of a contact are two rows of
 * Points. */
int column_writer_add_rows(column_writer *w, int c, const void *values, const uint64_t *first,
                           size_t rows)
{
    int err = IMP_OK;
    const column_def *k = &w->table->column[c];
    h5_grow *to = w->out[c].to;
    const uint64_t n = first ? first[rows] - first[0] : rows;
    TRY(column_writer_add_virtual(w, c, values, first, rows));
    TRY(h5_grow_add(to, w->at.path, columns_row_values(k, values, first),
                    n * column_bytes(k) / to->row_bytes));
out:
    return err;
}

/* The chunk serves as the buffer: its columns are written directly, unless they are small. */
int column_writer_add_chunk(column_writer *w, const column_rows *rows)
{
    int err = IMP_OK;
    for (int c = 0; c < w->table->count; c++) {
        const column_def *k = &w->table->column[c];
        const uint64_t *first = rows->first[c];
        h5_grow *to = w->out[c].to;
        if (!column_in(w->set, c))
            continue;
        if (first)
            TRY(write_ends(w, c, first, rows->count));
        const size_t bytes =
            (size_t)(first ? first[rows->count] - first[0] : rows->count) * column_bytes(k);
        const char *values = columns_row_values(k, rows->value[c], first);
        if (bytes < WRITE_LEAST) {
            TRY(h5_grow_add(to, w->at.path, values, bytes / to->row_bytes));
            continue;
        }
        TRY(h5_grow_flush(to, w->at.path));
        TRY(h5_grow_write(to, w->at.path, values, bytes / to->row_bytes));
    }
out:
    return err;
}

uint64_t column_writer_end_sum(column_writer *w)
{
    return row_sums_end(&w->sums);
}

/* Only columns of CellData have this table, by which VTK finds a frame's rows. Offsets of varying
 * length in /impinge are counted over the whole file. */
int column_writer_begin_frame(column_writer *w, uint64_t row)
{
    int err = IMP_OK;
    const int64_t first = (int64_t)row;
    for (int c = 0; c < w->table->count; c++)
        if (column_in(w->set, c) && w->table->column[c].group == COLUMN_CellData)
            TRY(h5_grow_add(&w->out[c].frames, w->at.path, &first, 1));
out:
    return err;
}

/* Skips `to`: Points belong to the caller. */
static int each_own(column_writer *w, int (*call)(h5_grow *g, const char *path))
{
    int err = IMP_OK;
    for (int c = 0; c < w->table->count; c++) {
        column_writer_column *o = &w->out[c];
        h5_grow *own[] = {&o->values, &o->first, &o->frames};
        for (int i = 0; i < 3; i++)
            /* a column of fixed length has only some of the three */
            if (own[i]->id >= 0)
                TRY(call(own[i], w->at.path));
    }
out:
    return err;
}

int column_writer_truncate(column_writer *w)
{
    return each_own(w, h5_grow_truncate);
}

int column_writer_flush(column_writer *w)
{
    return each_own(w, h5_grow_flush);
}

/* Accepts a writer that was never opened: it is all zero. */
void column_writer_close(column_writer *w)
{
    for (int c = 0; w->out && c < w->table->count; c++) {
        column_writer_column *o = &w->out[c];
        h5_grow_close(&o->values);
        h5_grow_close(&o->first);
        h5_grow_close(&o->frames);
    }
    row_sums_close(&w->sums);
    if (w->mem)
        mem_free(w->mem, w->out);
    *w = (column_writer){0};
}

/* ---- checksums of rows in memory */

uint64_t columns_sum(const column_table *t, const void *view, size_t rows)
{
    /* a column of varying length has two */
    XXH64_hash_t sums[2 * COLUMNS_MOST];
    size_t n = 0;
    for (int c = 0; c < t->count; c++) {
        const column_def *k = &t->column[c];
        const char *values = column_values(k, view);
        if (!values)
            continue;
        if (!k->first_at) {
            sums[n++] = XXH3_64bits(values, rows * column_bytes(k));
            continue;
        }
        /* without the first end, which is always 0 */
        const uint64_t *first = column_first(k, view);
        sums[n++] = XXH3_64bits(first + 1, rows * sizeof *first);
        sums[n++] = XXH3_64bits(values, first[rows] * column_bytes(k));
    }
    return XXH3_64bits(sums, n * sizeof *sums);
}

/* ---- reading */

/* Opens a column. One with a condition may be missing: *there is then 0. A missing one without a
 * condition is an error. */
static int open_column(mem *m, const column_groups *at, const column_def *k,
                       column_reader_column *in, int *there)
{
    int err = IMP_OK;
    char name[120];
    hid_t group = k->group == COLUMN_impinge ? at->own : at->root;
    const char *where = k->group == COLUMN_impinge ? "/impinge" : "/VTKHDF";
    snprintf(name, sizeof name, "%s%s", k->group == COLUMN_CellData ? "CellData/" : "", k->file);
    *there = !k->when || h5_exists(group, name);
    if (!*there)
        return IMP_OK;
    TRY(h5_data_open(m, group, at->path, where, name, &in->values));
    if (k->first_at)
        TRY(h5_data_open(m, group, at->path, where, k->file_first, &in->first));
out:
    return err;
}

/* More rows than needed are valid: a killed writer leaves rows after the last commit. */
static int check_column(const column_def *k, uint64_t rows, column_reader_column *in)
{
    const h5_data *d = &in->values, *counted = k->first_at ? &in->first : d;
    uint64_t columns = k->group == COLUMN_VTKHDF ? 3 : k->width;
    int err = IMP_OK;
    TRY(h5_data_columns(d, columns));
    if (k->first_at)
        TRY(h5_data_columns(counted, 1));
    in->per_row = k->width / columns;
    /* no overflow: open_rows allows at most INT64_MAX / 64 rows */
    rows = k->first_at ? rows + 1 : rows * in->per_row;
    if (counted->rows < rows)
        return h5_fail(IMP_ERR_INPUT, d->path, counted->name, "has %llu rows, %llu are needed",
                       (unsigned long long)counted->rows, (unsigned long long)rows);
out:
    return err;
}

/* Checks that columns with the same condition exist together. */
static int check_set(const column_groups *at, const column_table *t, column_set set)
{
    for (int c = 0; c < t->count; c++)
        for (int other = 0; other < t->count; other++)
            if (t->column[c].when == t->column[other].when && column_in(set, other) &&
                !column_in(set, c))
                return imp_fail(IMP_ERR_INPUT, "%s: %s: missing, although there is %s", at->path,
                                t->column[c].file, t->column[other].file);
    return IMP_OK;
}

/* r->set becomes the columns that the file has: those with a condition may be missing. */
int column_reader_open(mem *m, const column_groups *at, const column_table *t, uint64_t rows,
                       column_reader *r)
{
    int err = IMP_OK;
    *r = (column_reader){.mem = m, .table = t};
    TRY(mem_alloc(m, (size_t)t->count * sizeof *r->in, &r->in));
    for (int c = 0; c < t->count; c++)
        /* initialised first: column_reader_close may follow any error */
        r->in[c] = (column_reader_column){.values.id = -1, .first.id = -1};
    for (int c = 0; c < t->count; c++) {
        int there;
        TRY(open_column(m, at, &t->column[c], &r->in[c], &there));
        if (!there)
            continue;
        TRY(check_column(&t->column[c], rows, &r->in[c]));
        r->set |= (column_set)1 << c;
    }
    TRY(check_set(at, t, r->set));
out:
    return err;
}

/* May be called even if column_reader_open has failed. */
void column_reader_close(column_reader *r)
{
    for (int c = 0; r->in && c < r->table->count; c++) {
        h5_data_close(&r->in[c].values);
        h5_data_close(&r->in[c].first);
    }
    if (r->mem)
        mem_free(r->mem, r->in);
    *r = (column_reader){0};
}

/* HDF5 converts if the file has another type of the same class. */
int column_reader_read(const column_reader *r, int c, uint64_t first, size_t rows, void *out)
{
    const column_reader_column *in = &r->in[c];
    return h5_data_read(&in->values, first * in->per_row, rows * in->per_row,
                        h5_type(r->table->column[c].type, 0), out);
}

/* Reads rows of varying length. first[] holds where they begin in the file, and finally where they
 * begin in memory. */
static int read_items(const column_reader *r, int c, uint64_t row, size_t rows, column_rows *out)
{
    int err = IMP_OK;
    const column_reader_column *in = &r->in[c];
    uint64_t *first = out->first[c];
    TRY(h5_data_read(&in->first, row, rows + 1, H5T_NATIVE_UINT64, first));
    uint64_t begin = first[0];
    /* numbers of a damaged file must not lead beyond `values`; this bounds the first one, too */
    for (size_t i = 0; i < rows; i++)
        if (first[i + 1] < first[i] || first[i + 1] > in->values.rows)
            FAIL(IMP_ERR_INPUT, "%s: %s: damaged: row %llu is %llu", in->first.path, in->first.name,
                 (unsigned long long)(row + i + 1), (unsigned long long)first[i + 1]);
    /* columns_reserve then keeps no old items: first[0] becomes 0 */
    out->count = 0;
    uint64_t items = first[rows] - begin;
    for (size_t i = 0; i <= rows; i++)
        first[i] -= begin;
    TRY(columns_reserve(out, c, items));
    TRY(h5_data_read(&in->values, begin, items, h5_type(r->table->column[c].type, 0),
                     out->value[c]));
out:
    return err;
}

int column_reader_read_all(const column_reader *r, uint64_t first, size_t rows, column_rows *out)
{
    int err = IMP_OK;
    columns_clear(out);
    for (int c = 0; c < r->table->count; c++) {
        if (!column_in(r->set, c))
            continue;
        if (r->table->column[c].first_at)
            TRY(read_items(r, c, first, rows, out));
        else
            TRY(column_reader_read(r, c, first, rows, out->value[c]));
    }
    /* set after all columns were read, so that an error leaves no rows */
    out->count = rows;
out:
    return err;
}

#define ROW_SUMS_CHUNK 256

int row_sums_open(const column_table *t, column_set set, row_sums *s)
{
    s->table = t;
    for (int c = 0; c < t->count; c++) {
        if (!column_in(set, c))
            continue;
        s->values[c] = XXH3_createState();
        s->ends[c] = XXH3_createState();
        if (!s->values[c] || !s->ends[c])
            return imp_fail(IMP_ERR_MEMORY, "out of memory");
        XXH3_64bits_reset(s->values[c]);
        XXH3_64bits_reset(s->ends[c]);
    }
    return IMP_OK;
}

void row_sums_close(row_sums *s)
{
    for (int c = 0; c < COLUMNS_MOST; c++) {
        XXH3_freeState(s->values[c]);
        XXH3_freeState(s->ends[c]);
    }
    *s = (row_sums){0};
}

void row_sums_values(row_sums *s, int c, const void *values, size_t bytes)
{
    XXH3_64bits_update(s->values[c], values, bytes);
}

/* Ends are counted from the frame's first item, so that the checksum does not depend on the frames
 * before. */
void row_sums_ends(row_sums *s, int c, const uint64_t *first, size_t rows)
{
    uint64_t end[ROW_SUMS_CHUNK];
    for (size_t done = 0, n; done < rows; done += n) {
        n = rows - done < ROW_SUMS_CHUNK ? rows - done : ROW_SUMS_CHUNK;
        for (size_t i = 0; i < n; i++)
            end[i] = s->items[c] + (first[done + i + 1] - first[0]);
        XXH3_64bits_update(s->ends[c], end, n * sizeof *end);
    }
    s->items[c] += first[rows] - first[0];
}

void row_sums_add(row_sums *s, const void *view, size_t rows)
{
    for (int c = 0; c < s->table->count; c++) {
        const column_def *k = &s->table->column[c];
        const uint64_t *first = k->first_at ? column_first(k, view) : NULL;
        if (!s->values[c])
            continue;
        const char *from = (const char *)column_values(k, view);
        if (first)
            row_sums_ends(s, c, first, rows);
        row_sums_values(s, c, from + (first ? first[0] * column_bytes(k) : 0),
                        (first ? first[rows] - first[0] : rows) * column_bytes(k));
    }
}

/* In the order of columns_sum, which must give the same value for the rows read back. */
uint64_t row_sums_end(row_sums *s)
{
    XXH64_hash_t sums[2 * COLUMNS_MOST];
    size_t n = 0;
    for (int c = 0; c < s->table->count; c++) {
        if (!s->values[c])
            continue;
        if (s->table->column[c].first_at)
            sums[n++] = XXH3_64bits_digest(s->ends[c]);
        sums[n++] = XXH3_64bits_digest(s->values[c]);
        XXH3_64bits_reset(s->ends[c]);
        XXH3_64bits_reset(s->values[c]);
        s->items[c] = 0;
    }
    return XXH3_64bits(sums, n * sizeof *sums);
}
