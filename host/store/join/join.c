/* Joins the frames of several results into one. Its tables are written like those of a run; its
 * rows are copied, or are virtual: HDF5 then reads them from the files of the sources. For each
 * virtual dataset HDF5 opens all of these files, which takes as long as reading a megabyte of each.
 * So narrow columns are always copied, as long as they are not many bytes. All rows are read in any
 * case, and compared with their checksums. */
#define _GNU_SOURCE
#include "error.h"
#include "output_file.h"
#include "result.h"

#include <stdlib.h>
#include <string.h>

#define NARROW_BYTES ((uint64_t)64 << 20) /* limit for all columns that are always copied */

/* A result that was added: its path, and its number of rows in each virtual dataset. */
typedef struct source {
    char *name;
    uint64_t rows[STORED_COLUMNS]; /* rows of the dataset that contains a column */
    column_set whole;              /* columns whose dataset has only these rows */
} source;

struct result_join {
    result *r;
    mem *mem;
    char *path;
    size_t sources, capacity;
    source *source;
    column_set copied; /* all columns, or narrow ones */
};

/* Chooses the narrowest cell arrays. Never Points, so that a missing file is noticed. */
static column_set choose_narrow(column_set set, uint64_t rows)
{
    column_set narrow = 0;
    uint64_t bytes = 0;
    for (size_t width = 1; width <= 8; width++)
        for (int c = 0; c < STORED_COLUMNS; c++) {
            const column_def *k = &stored_table.column[c];
            if (!column_in(set, c) || k->group != COLUMN_CellData || column_bytes(k) != width ||
                rows > (NARROW_BYTES - bytes) / width)
                continue;
            bytes += rows * width;
            narrow |= COLUMN_BIT(c);
        }
    return narrow;
}

int result_join_begin(mem *m, const char *path, int force, int copy, uint64_t rows,
                      const result_provenance *provenance, result_join **out)
{
    int err = IMP_OK;
    result_join *j = NULL;
    *out = NULL;
    TRY(mem_alloc(m, sizeof *j, &j));
    *j = (result_join){.mem = m, .path = strdup(path)};
    if (!j->path)
        FAIL(IMP_ERR_MEMORY, "out of memory");
    TRY(stale_parts_drop_join(m, path, provenance));
    TRY(result_create(m, path, force, provenance, &j->r));
    j->copied = copy ? j->r->columns.set : choose_narrow(j->r->columns.set, rows);
    *out = j;
    j = NULL;
out:
    result_join_discard(j);
    return err;
}

static void join_free(result_join *j)
{
    for (size_t i = 0; i < j->sources; i++)
        free(j->source[i].name);
    mem_free(j->mem, j->source);
    free(j->path);
    mem_free(j->mem, j);
}

void result_join_discard(result_join *j)
{
    if (!j)
        return;
    result_discard(j->r);
    join_free(j);
}

/* ---- rows */

/* Adds the rows of a frame in chunks. All are read, even if they stay in their file: they must
 * match the checksum with which they were written. */
static int result_join_add_rows(result_join *j, result_reader *r, uint64_t k, const frame_end *end)
{
    int err = IMP_OK;
    column_writer *w = &j->r->columns;
    for (uint64_t done = 0, n; done < end->rows; done += n) {
        result_rows rows;
        n = end->rows - done < STORED_CHUNK ? end->rows - done : STORED_CHUNK;
        TRY(result_read_rows(r, k, done, n, &rows));
        for (int c = 0; c < STORED_COLUMNS; c++) {
            const column_def *col = &stored_table.column[c];
            const uint64_t *first = col->first_at ? column_first(col, &rows) : NULL;
            if (column_in(j->copied, c))
                TRY(column_writer_add_rows(w, c, column_values(col, &rows), first, n));
            else if (column_in(w->set, c))
                TRY(column_writer_add_virtual(w, c, column_values(col, &rows), first, n));
        }
    }
    if (column_writer_end_sum(w) != end->checksum)
        FAIL(IMP_ERR_INPUT, "%s: frame %llu is damaged: it has other rows than when it was written",
             r->path, (unsigned long long)r->info.of.input_frame[k]);
out:
    return err;
}

static void add_info(const result_frames *of, uint64_t k, imp_frame_info *to)
{
    to->candidates += (uint64_t)of->candidates[k];
    to->undecided += (uint64_t)of->undecided[k];
    to->bad += (uint32_t)of->bad[k];
    to->entries_written += (uint64_t)of->entries_written[k];
    to->candidates_vf += of->candidates_vf ? (uint64_t)of->candidates_vf[k] : 0;
    to->candidates_ee += of->candidates_ee ? (uint64_t)of->candidates_ee[k] : 0;
    to->seconds += of->seconds[k];
}

static result_step result_join_step(const result_frames *of, uint64_t k)
{
    return (result_step){.number = (uint64_t)of->input_frame[k], .time = of->time[k]};
}

static int result_join_add_frame(result_join *j, result_reader *r, uint64_t k)
{
    int err = IMP_OK;
    const result_frames *of = &r->info.of;
    const result_step step = result_join_step(of, k);
    const frame_end end = {(uint64_t)of->contacts[k], of->checksum[k]};
    imp_frame_info info = {0};
    add_info(of, k, &info);
    TRY(result_join_add_rows(j, r, k, &end));
    TRY(join_relations(j->r, j->mem, &(result_part){r, k}, 1));
    TRY(result_end_step(j->r, &step, &end, &info));
out:
    return err;
}

static int add_source(result_join *j, const char *path, const result_reader *r)
{
    int err = IMP_OK;
    source *s;
    const uint64_t rows = (uint64_t)r->rows0[r->info.frames];
    TRY(mem_fit(j->mem, j->sources, &j->capacity, sizeof *j->source, &j->source));
    s = &j->source[j->sources];
    *s = (source){0};
    TRY(file_path_relative(j->path, path, &s->name));
    j->sources++;
    for (int c = 0; c < STORED_COLUMNS; c++)
        if (column_in(r->columns.set, c)) {
            const column_reader_column *in = &r->columns.in[c];
            s->rows[c] = stored_table.column[c].first_at ? in->values.rows : rows * in->per_row;
            if (s->rows[c] == in->values.rows)
                s->whole |= COLUMN_BIT(c);
        }
out:
    return err;
}

static int check_columns(const result_join *j, const result_reader *r)
{
    if (r->columns.set == j->r->columns.set && result_tables(r) == j->r->tables)
        return IMP_OK;
    return imp_fail(IMP_ERR_INPUT, "%s: has other columns than the shards before", r->path);
}

int result_join_slabs(result_join *j, const result_part *part, size_t parts)
{
    int err = IMP_OK;
    frame_end end = {0};
    imp_frame_info info = {0};
    const result_step step = result_join_step(&part->reader->info.of, part->frame);
    for (size_t i = 0; i < parts; i++) {
        TRY(check_columns(j, part[i].reader));
        add_info(&part[i].reader->info.of, part[i].frame, &info);
        end.rows += (uint64_t)part[i].reader->info.of.contacts[part[i].frame];
    }
    TRY(row_merge_write(&j->r->columns, j->mem, part, parts));
    end.checksum = column_writer_end_sum(&j->r->columns);
    TRY(join_relations(j->r, j->mem, part, parts));
    TRY(result_end_step(j->r, &step, &end, &info));
out:
    return err;
}

int result_join_add(result_join *j, const char *path, result_reader *r)
{
    int err = IMP_OK;
    TRY(check_columns(j, r));
    TRY(add_source(j, path, r));
    for (uint64_t k = 0; k < r->info.frames; k++)
        TRY(result_join_add_frame(j, r, k));
out:
    return err;
}

void result_join_sums(const result_join *j, uint64_t *frames, uint64_t *contacts)
{
    *frames = j->r->p.done;
    *contacts = j->r->rows;
}

/* ---- virtual datasets */

/* Selects rows [first, first + rows) of a dataset with this shape, as one block: HDF5 reads a
 * selection of as many single-row blocks a third more slowly. */
static hid_t result_join_read_block(uint64_t all, uint64_t first, uint64_t rows, uint64_t width)
{
    const hsize_t shape[] = {all, width}, at[] = {first, 0}, size[] = {rows, width}, one[] = {1, 1};
    hid_t space = H5Screate_simple(width > 1 ? 2 : 1, shape, NULL);
    if (space >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, one, size) < 0) {
        H5Sclose(space);
        space = -1;
    }
    return space;
}

/* Selects the source's rows of a dataset; all of it if it has no other rows: HDF5 reads that as
 * fast as the file itself, and a replaced file with more rows is an error. */
static hid_t result_join_source_partition(const source *s, int c, uint64_t width)
{
    const hsize_t shape[] = {s->rows[c], width};
    return column_in(s->whole, c) ? H5Screate_simple(width > 1 ? 2 : 1, shape, NULL)
                                  : result_join_read_block(s->rows[c], 0, s->rows[c], width);
}

static int map_source(hid_t made, const source *s, const char *name, int c, uint64_t all,
                      uint64_t first, uint64_t width)
{
    hid_t to = result_join_read_block(all, first, s->rows[c], width);
    hid_t from = result_join_source_partition(s, c, width);
    int good = to >= 0 && from >= 0 && H5Pset_virtual(made, to, s->name, name, from) >= 0;
    h5_drop(to);
    h5_drop(from);
    return good;
}

/* Replaces the empty dataset that the writer has created. */
static int make_virtual(result_join *j, hid_t group, const char *name, const char *where, int c,
                        hid_t type, uint64_t width)
{
    uint64_t all = 0, first = 0;
    hid_t made = h5_untimed(H5P_DATASET_CREATE), space = -1, data = -1;
    int good = made >= 0;
    for (size_t i = 0; i < j->sources; i++)
        all += j->source[i].rows[c];
    for (size_t i = 0; i < j->sources && good; i++) {
        if (j->source[i].rows[c])
            good = map_source(made, &j->source[i], where, c, all, first, width);
        first += j->source[i].rows[c];
    }
    const hsize_t shape[] = {all, width};
    if (good && all) {
        good = H5Ldelete(group, name, H5P_DEFAULT) >= 0;
        space = H5Screate_simple(width > 1 ? 2 : 1, shape, NULL);
        data = H5Dcreate2(group, name, type, space, H5P_DEFAULT, made, H5P_DEFAULT);
        good = good && data >= 0;
    }
    h5_drop(data);
    h5_drop(space);
    h5_drop(made);
    return good ? IMP_OK : h5_fail(IMP_ERR_FILE, j->r->p.part, where, "cannot be written");
}

static int make_column(result_join *j, int c)
{
    const column_def *k = &stored_table.column[c];
    const column_groups *at = &j->r->columns.at;
    const char *where = k->group == COLUMN_CellData ? "/VTKHDF/CellData"
                        : k->group == COLUMN_VTKHDF ? "/VTKHDF"
                                                    : "/impinge";
    hid_t group = k->group == COLUMN_CellData ? at->cells
                  : k->group == COLUMN_VTKHDF ? at->root
                                              : at->own;
    char name[120];
    snprintf(name, sizeof name, "%s/%s", where, k->file);
    /* a contact has two rows of Points */
    return make_virtual(j, group, k->file, name, c, h5_type(k->type, 1),
                        k->group == COLUMN_VTKHDF ? 3 : k->width);
}

int result_join_finish(result_join *j)
{
    int err = IMP_OK;
    result *r = j->r;
    for (int c = 0; c < STORED_COLUMNS; c++)
        if (column_in(r->columns.set, c) && !column_in(j->copied, c))
            TRY(make_column(j, c));
    j->r = NULL;
    TRY(result_finish(r));
    r = NULL;
out:
    if (j->r)
        result_discard(j->r);
    join_free(j);
    return err;
}

/* ---- Merging a frame of a result from its parts, which are frames of other results: all rows are
 * in one order. A few rows of each part are in memory. */

#define MERGE_BYTES ((uint64_t)32 << 20) /* for the rows of all parts */
#define MERGE_ROWS_LEAST 16

/* A part: a range of its rows that was read, and the first of them that is not yet merged. */
typedef struct row_merge_part {
    const result_part *of;
    uint64_t next, end; /* range of further rows in the file */
    column_rows rows;
    result_rows view;
    size_t rows_left; /* remaining rows of the view */
    row_sums sums;
} row_merge_part;

typedef struct row_merge {
    column_writer *to;
    column_set set;
    size_t parts, chunk;
    row_merge_part *part;
    row_merge_part **heap; /* [heaped] parts that have rows, a heap by their next row */
    size_t heaped;
    column_rows out;
} row_merge;

/* ---- order: ORDER in contact.def */

static int row_merge_before(const row_merge_part *x, const row_merge_part *y)
{
    const result_rows *p = &x->view, *q = &y->view;
#define ORDER(name)                                                                                \
    if (p->name && p->name[0] != q->name[0])                                                       \
        return p->name[0] < q->name[0];
#include "contact.def"
    return 0;
}

static void row_merge_sift(row_merge *m, size_t i)
{
    for (size_t child; (child = 2 * i + 1) < m->heaped; i = child) {
        child += child + 1 < m->heaped && row_merge_before(m->heap[child + 1], m->heap[child]);
        if (!row_merge_before(m->heap[child], m->heap[i]))
            return;
        row_merge_part *other = m->heap[child];
        m->heap[child] = m->heap[i];
        m->heap[i] = other;
    }
}

/* ---- reading and writing rows */

static int row_merge_damaged(const row_merge_part *p)
{
    const result_info *info = &p->of->reader->info;
    return imp_fail(IMP_ERR_INPUT, "%s: frame %llu is damaged", p->of->reader->path,
                    (unsigned long long)info->of.input_frame[p->of->frame]);
}

/* Reads the next rows of a part; at its end its checksum must match. */
static int row_merge_fill(const row_merge *m, row_merge_part *p)
{
    int err = IMP_OK;
    const result_reader *r = p->of->reader;
    const uint64_t n = p->end - p->next < m->chunk ? p->end - p->next : m->chunk;
    p->rows_left = (size_t)n;
    if (n) {
        TRY(column_reader_read_all(&r->columns, p->next, n, &p->rows));
        columns_as_rows(&p->rows, &p->view);
        row_sums_add(&p->sums, &p->view, n);
        p->next += n;
    }
    if (p->next == p->end && row_sums_end(&p->sums) != r->info.of.checksum[p->of->frame])
        TRY(row_merge_damaged(p));
out:
    return err;
}

static int row_merge_flush(row_merge *m)
{
    int err = IMP_OK;
    result_rows view = {0};
    columns_as_rows(&m->out, &view);
    for (int c = 0; c < STORED_COLUMNS && m->out.count; c++) {
        const column_def *col = &stored_table.column[c];
        if (column_in(m->set, c))
            TRY(column_writer_add_rows(m->to, c, column_values(col, &view),
                                       col->first_at ? column_first(col, &view) : NULL,
                                       m->out.count));
    }
    columns_clear(&m->out);
out:
    return err;
}

/* Outputs the first row of the first part. */
static int row_merge_pop(row_merge *m)
{
    int err = IMP_OK;
    row_merge_part *p = m->heap[0];
    if (m->out.count == m->out.capacity || !columns_fit(&m->out, &p->view, 1))
        TRY(row_merge_flush(m));
    TRY(columns_append(&m->out, &p->view, 1));
    columns_skip(&stored_table, &p->view, 1);
    if (!--p->rows_left && p->next < p->end)
        TRY(row_merge_fill(m, p));
    if (!p->rows_left)
        m->heap[0] = m->heap[--m->heaped];
    if (m->heaped)
        row_merge_sift(m, 0);
out:
    return err;
}

/* ---- a frame */

static int row_merge_open_part(row_merge *m, const result_part *of, row_merge_part *p)
{
    int err = IMP_OK;
    const result_reader *r = of->reader;
    p->of = of;
    p->next = (uint64_t)r->rows0[of->frame];
    p->end = (uint64_t)r->rows0[of->frame + 1];
    TRY(row_sums_open(&stored_table, m->set, &p->sums));
    const uint64_t rows = p->end - p->next;
    if (rows)
        TRY(columns_open(r->mem, &stored_table, m->set, rows < m->chunk ? rows : m->chunk,
                         &p->rows));
    TRY(row_merge_fill(m, p));
    if (p->rows_left)
        m->heap[m->heaped++] = p;
out:
    return err;
}

static int row_merge_open(row_merge *m, mem *from, const result_part *part)
{
    int err = IMP_OK;
    const uint64_t row = columns_row_bytes(&stored_table, m->set);
    const uint64_t chunk = MERGE_BYTES / (row * (m->parts + 1));
    m->chunk = chunk > STORED_CHUNK       ? STORED_CHUNK
               : chunk < MERGE_ROWS_LEAST ? MERGE_ROWS_LEAST
                                          : (size_t)chunk;
    TRY(mem_alloc(from, m->parts * sizeof *m->part, &m->part));
    memset(m->part, 0, m->parts * sizeof *m->part);
    TRY(mem_alloc(from, m->parts * sizeof *m->heap, &m->heap));
    TRY(columns_open(from, &stored_table, m->set, STORED_CHUNK, &m->out));
    for (size_t i = 0; i < m->parts; i++)
        TRY(row_merge_open_part(m, &part[i], &m->part[i]));
    for (size_t i = m->heaped; i-- > 0;)
        row_merge_sift(m, i);
out:
    return err;
}

static void row_merge_close(row_merge *m, mem *from)
{
    for (size_t i = 0; m->part && i < m->parts; i++) {
        columns_close(&m->part[i].rows);
        row_sums_close(&m->part[i].sums);
    }
    columns_close(&m->out);
    mem_free(from, m->part);
    mem_free(from, m->heap);
}

int row_merge_write(column_writer *to, mem *from, const result_part *part, size_t parts)
{
    int err = IMP_OK;
    row_merge m = {.to = to, .set = to->set, .parts = parts};
    TRY(row_merge_open(&m, from, part));
    while (m.heaped)
        TRY(row_merge_pop(&m));
    TRY(row_merge_flush(&m));
out:
    row_merge_close(&m, from);
    return err;
}
