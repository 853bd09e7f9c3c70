/* A frame of a result from parts of it, which are frames of other results: the rows of all parts in
 * one order. Each part has a few rows in memory. */
#include "store_result.h"
#include "store_sums.h"

#include "error.h"

#include <string.h>

#define MERGE_BYTES ((uint64_t)32 << 20) /* rows of all parts */
#define MERGE_ROWS_LEAST 16

/* A part: what is read of it, the first rows of which are not yet taken. */
typedef struct row_merge_part {
    const result_part *of;
    uint64_t next, end; /* rows in the file */
    column_rows rows;
    result_rows view;
    size_t rows_left; /* rows of the view */
    row_sums sums;
} row_merge_part;

typedef struct row_merge {
    column_writer *to;
    column_set set;
    size_t parts, chunk;
    row_merge_part *part;
    row_merge_part **heap; /* [heaped] parts that have rows, the least first */
    size_t heaped;
    column_rows out;
} row_merge;

/* ---- order: by contact.def's ORDER */

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

/* ---- rows in, rows out */

static int row_merge_damaged(const row_merge_part *p)
{
    const result_info *info = &p->of->reader->info;
    return imp_fail(IMP_ERR_INPUT, "%s: frame %llu is damaged", p->of->reader->path,
                    (unsigned long long)info->of.input_frame[p->of->frame]);
}

/* The next rows of a part; at its end its checksum must be right. */
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
        const column *col = &stored_table.column[c];
        if (column_in(m->set, c))
            TRY(column_writer_add_rows(m->to, c, column_values(col, &view),
                                       col->first_at ? column_first(col, &view) : NULL,
                                       m->out.count));
    }
    columns_clear(&m->out);
out:
    return err;
}

/* The first row of the first part. */
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
