/* See store_columns.h. */
#include "store_columns.h"

#include "error.h"

#include <string.h>

#define ROWS_CHUNK 4096
#define FRAMES_CHUNK 1024
#define PIECE 1024

/* ---- making datasets, and going on with them */

static int writer_alloc(mem *m, const column_groups *at, const column_table *t, column_set set,
                        h5_grow *points, column_writer *w)
{
    int err = IMP_OK;
    *w = (column_writer){.mem = m, .table = t, .set = set, .at = *at};
    TRY(mem_alloc(m, (size_t)t->count * sizeof *w->out, &w->out));
    memset(w->out, 0, (size_t)t->count * sizeof *w->out);
    for (int c = 0; c < t->count; c++) {
        column_out *o = &w->out[c];
        o->to = t->column[c].place == COLUMN_VTKHDF ? points : &o->values;
        o->values.id = o->first.id = o->frames.id = -1;
        o->sum = XXH3_createState();
        o->ends = XXH3_createState();
        if (!o->sum || !o->ends)
            FAIL(IMP_ERR_MEMORY, "out of memory");
        XXH3_64bits_reset(o->sum);
        XXH3_64bits_reset(o->ends);
    }
out:
    return err;
}

/* How many items the first `rows` rows have. */
static int items_of(const column_writer *w, const column *k, uint64_t rows, uint64_t *items)
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

/* `rows`: of this column that count, or H5_NEW. */
static int open_data(column_writer *w, hid_t group, const h5_grow_def *def, uint64_t rows,
                     h5_grow *g)
{
    return h5_grow_open(w->mem, group, w->at.path, def, rows, g);
}

static int open_writer_column(column_writer *w, int c, uint64_t rows, uint64_t frames)
{
    int err = IMP_OK;
    const column *k = &w->table->column[c];
    column_out *o = &w->out[c];
    const uint64_t none = 0;
    const h5_grow_def values = {k->file, k->type, k->width > 1 ? k->width : 0, ROWS_CHUNK};
    const h5_grow_def first_rows = {k->file, COLUMN_I64, 0, FRAMES_CHUNK};
    const h5_grow_def first_items = {k->file_first, COLUMN_U64, 0, ROWS_CHUNK};
    if (k->place == COLUMN_CellData) {
        TRY(open_data(w, w->at.cells, &values, rows, &o->values));
        TRY(open_data(w, w->at.frames, &first_rows, frames, &o->frames));
    } else if (k->first_at && rows == H5_NEW) {
        TRY(open_data(w, w->at.own, &values, H5_NEW, &o->values));
        TRY(open_data(w, w->at.own, &first_items, H5_NEW, &o->first));
        TRY(h5_grow_add(&o->first, w->at.path, &none, 1));
    } else if (k->first_at) {
        TRY(items_of(w, k, rows, &o->items));
        TRY(open_data(w, w->at.own, &values, o->items, &o->values));
        TRY(open_data(w, w->at.own, &first_items, rows + 1, &o->first));
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

/* Where the items of each row end: in the file, and for the checksum in the frame. */
static int write_ends(column_writer *w, column_out *o, const uint64_t *first, size_t rows)
{
    int err = IMP_OK;
    uint64_t end[PIECE];
    for (size_t done = 0, n; done < rows; done += n) {
        n = rows - done < PIECE ? rows - done : PIECE;
        for (size_t i = 0; i < n; i++)
            end[i] = o->frame_items + (first[done + i + 1] - first[0]);
        XXH3_64bits_update(o->ends, end, n * sizeof *end);
        for (size_t i = 0; i < n; i++)
            end[i] += o->items - o->frame_items;
        TRY(h5_grow_add(&o->first, w->at.path, end, n));
    }
    o->items += first[rows] - first[0];
    o->frame_items += first[rows] - first[0];
out:
    return err;
}

int column_write(column_writer *w, int c, const void *values, const uint64_t *first, size_t rows)
{
    int err = IMP_OK;
    const column *k = &w->table->column[c];
    column_out *o = &w->out[c];
    uint64_t n = first ? first[rows] - first[0] : rows;
    const char *from = (const char *)values + (first ? first[0] * column_bytes(k) : 0);
    if (first)
        TRY(write_ends(w, o, first, rows));
    XXH3_64bits_update(o->sum, from, n * column_bytes(k));
    TRY(h5_grow_add(o->to, w->at.path, from, n * column_bytes(k) / o->to->row_bytes));
out:
    return err;
}

uint64_t column_writer_sum(column_writer *w)
{
    XXH64_hash_t sums[2 * COLUMNS_MOST];
    size_t n = 0;
    for (int c = 0; c < w->table->count; c++) {
        column_out *o = &w->out[c];
        if (!column_in(w->set, c))
            continue;
        if (w->table->column[c].first_at)
            sums[n++] = XXH3_64bits_digest(o->ends);
        sums[n++] = XXH3_64bits_digest(o->sum);
        XXH3_64bits_reset(o->ends);
        XXH3_64bits_reset(o->sum);
        o->frame_items = 0;
    }
    return XXH3_64bits(sums, n * sizeof *sums);
}

int column_writer_frame(column_writer *w, uint64_t row)
{
    int err = IMP_OK;
    const int64_t first = (int64_t)row;
    for (int c = 0; c < w->table->count; c++)
        if (column_in(w->set, c) && w->table->column[c].place == COLUMN_CellData)
            TRY(h5_grow_add(&w->out[c].frames, w->at.path, &first, 1));
out:
    return err;
}

static int each_own(column_writer *w, int (*call)(h5_grow *g, const char *path))
{
    int err = IMP_OK;
    for (int c = 0; c < w->table->count; c++) {
        column_out *o = &w->out[c];
        h5_grow *own[] = {&o->values, &o->first, &o->frames};
        for (int i = 0; i < 3; i++)
            if (own[i]->id >= 0)
                TRY(call(own[i], w->at.path));
    }
out:
    return err;
}

int column_writer_cut(column_writer *w)
{
    return each_own(w, h5_grow_cut);
}

int column_writer_flush(column_writer *w)
{
    return each_own(w, h5_grow_flush);
}

void column_writer_close(column_writer *w)
{
    for (int c = 0; w->out && c < w->table->count; c++) {
        column_out *o = &w->out[c];
        h5_grow_close(&o->values);
        h5_grow_close(&o->first);
        h5_grow_close(&o->frames);
        XXH3_freeState(o->sum);
        XXH3_freeState(o->ends);
    }
    if (w->mem)
        mem_free(w->mem, w->out);
    *w = (column_writer){0};
}

/* ---- of rows in memory */

uint64_t columns_sum(const column_table *t, const void *view, size_t rows)
{
    XXH64_hash_t sums[2 * COLUMNS_MOST];
    size_t n = 0;
    for (int c = 0; c < t->count; c++) {
        const column *k = &t->column[c];
        const char *values = column_values(k, view);
        if (!values)
            continue;
        if (!k->first_at) {
            sums[n++] = XXH3_64bits(values, rows * column_bytes(k));
            continue;
        }
        const uint64_t *first = column_first(k, view);
        sums[n++] = XXH3_64bits(first + 1, rows * sizeof *first);
        sums[n++] = XXH3_64bits(values, first[rows] * column_bytes(k));
    }
    return XXH3_64bits(sums, n * sizeof *sums);
}

/* ---- reading */

/* Opens it where it is; *there is 0 if it is not, and need not be. */
static int open_column(mem *m, const column_groups *at, const column *k, column_data *in,
                       int *there)
{
    int err = IMP_OK;
    char name[120];
    hid_t group = k->place == COLUMN_impinge ? at->own : at->root;
    const char *where = k->place == COLUMN_impinge ? "/impinge" : "/VTKHDF";
    snprintf(name, sizeof name, "%s%s", k->place == COLUMN_CellData ? "CellData/" : "", k->file);
    *there = !k->when || h5_exists(group, name);
    if (!*there)
        return IMP_OK;
    TRY(h5_data_open(m, group, at->path, where, name, &in->values));
    if (k->first_at)
        TRY(h5_data_open(m, group, at->path, where, k->file_first, &in->first));
out:
    return err;
}

static int check_column(const column *k, uint64_t rows, column_data *in)
{
    const h5_data *d = &in->values, *counted = k->first_at ? &in->first : d;
    uint64_t columns = k->place == COLUMN_VTKHDF ? 3 : k->width;
    int err = IMP_OK;
    TRY(h5_data_columns(d, columns));
    if (k->first_at)
        TRY(h5_data_columns(counted, 1));
    in->per_row = k->width / columns;
    rows = k->first_at ? rows + 1 : rows * in->per_row;
    if (counted->rows < rows)
        return h5_fail(IMP_ERR_INPUT, d->path, counted->name, "has %llu rows, %llu are needed",
                       (unsigned long long)counted->rows, (unsigned long long)rows);
out:
    return err;
}

int column_reader_open(mem *m, const column_groups *at, const column_table *t, uint64_t rows,
                       column_reader *r)
{
    int err = IMP_OK;
    *r = (column_reader){.mem = m, .table = t};
    TRY(mem_alloc(m, (size_t)t->count * sizeof *r->in, &r->in));
    for (int c = 0; c < t->count; c++)
        r->in[c] = (column_data){.values.id = -1, .first.id = -1};
    for (int c = 0; c < t->count; c++) {
        int there;
        TRY(open_column(m, at, &t->column[c], &r->in[c], &there));
        if (!there)
            continue;
        TRY(check_column(&t->column[c], rows, &r->in[c]));
        r->set |= (column_set)1 << c;
    }
out:
    return err;
}

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

int column_read(const column_reader *r, int c, uint64_t first, size_t rows, void *out)
{
    const column_data *in = &r->in[c];
    return h5_data_read(&in->values, first * in->per_row, rows * in->per_row,
                        h5_type(r->table->column[c].type, 0), out);
}

/* Rows of varying length: where they begin in the file, from then on where they do in memory. */
static int read_items(const column_reader *r, int c, uint64_t row, size_t rows, column_rows *out)
{
    int err = IMP_OK;
    const column_data *in = &r->in[c];
    uint64_t *first = out->first[c];
    TRY(h5_data_read(&in->first, row, rows + 1, H5T_NATIVE_UINT64, first));
    uint64_t begin = first[0];
    for (size_t i = 0; i < rows; i++)
        if (first[i + 1] < first[i] || first[i + 1] > in->values.rows)
            FAIL(IMP_ERR_INPUT, "%s: %s: damaged: row %llu is %llu", in->first.path, in->first.name,
                 (unsigned long long)(row + i + 1), (unsigned long long)first[i + 1]);
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

int column_read_all(const column_reader *r, uint64_t first, size_t rows, column_rows *out)
{
    int err = IMP_OK;
    columns_clear(out);
    for (int c = 0; c < r->table->count; c++) {
        if (!column_in(r->set, c))
            continue;
        if (r->table->column[c].first_at)
            TRY(read_items(r, c, first, rows, out));
        else
            TRY(column_read(r, c, first, rows, out->value[c]));
    }
    out->count = rows;
out:
    return err;
}
