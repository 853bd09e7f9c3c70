/* See handout.h. */
#include "handout.h"

#include "bodies.h"
#include "clock.h"
#include "error.h"
#include "float_env.h"

#include <stdlib.h>

/* The number of the next `count` rows that the caller already has. A repeated block yields the same
 * rows in the same order, so a count says which these are. */
static size_t pass_over(handout *h, size_t count)
{
    const uint64_t had = h->handed > h->seen ? h->handed - h->seen : 0;
    h->seen += count;
    if (had >= count)
        return count;
    h->handed = h->seen;
    return (size_t)had;
}

/* Before and after a sink runs. */
typedef struct outside {
    double start;
    unsigned long texts;
} outside;

/* Time and page faults of the sink are the caller's, and so is the floating-point environment. */
static outside go_outside(const handout *h)
{
    faults_pause(h->faults);
    const outside from = {clock_seconds(), error_texts()};
    float_to_caller();
    return from;
}

/* A sink that set an error text of its own keeps it. */
static int output_leave_sink(handout *h, const outside *from, uint64_t frame)
{
    float_from_caller();
    faults_resume(h->faults);
    h->outside += clock_seconds() - from->start;
    if (h->refused && from->texts == error_texts())
        imp_fail(h->refused, "frame %llu: the caller's sink stopped the run with %d",
                 (unsigned long long)frame, h->refused);
    return h->refused ? IMP_ERR_CANCELLED
                      : IMP_OK; /* not another error: those may lead to a retry */
}

/* Without a sink rows are only counted. */
static int give_rows(handout *h, imp_contacts rows)
{
    const size_t had = pass_over(h, rows.count);
    if (had == rows.count || !h->sink)
        return IMP_OK;
    columns_skip(&contact_table, &rows, had);
    rows.count -= had;
    rows.frame += h->frame0;
    const outside from = go_outside(h);
    h->refused = h->sink(h->user, &rows);
    return output_leave_sink(h, &from, h->frame[rows.frame].number);
}

/* ---- rows of steps */

/* Those found on the way of the current frame that are to come: of one part. */
static contact_cursor way_next(handout_step *s)
{
    contact_cursor next = {0};
    const uint64_t left = s->of->start[s->at.frame + 1].way - s->at.way;
    if (left && contact_more(&s->at.next)) {
        next.view = s->at.next.view;
        next.view.count = next.view.count < left ? next.view.count : (size_t)left;
    }
    return next;
}

static void way_skip(handout_step *s, size_t rows)
{
    contact_skip(&s->at.next, rows);
    s->at.way += rows;
}

/* All that were found on the way of earlier frames. */
static int give_frames_before(handout *h, size_t frame)
{
    int err = IMP_OK;
    handout_step *s = h->step;
    while (s->at.frame < frame) {
        imp_contacts rows = way_next(s).view;
        if (!rows.count) {
            s->of->start[++s->at.frame].seen = h->seen;
            s->of->start[s->at.frame].own = s->at.own;
            continue;
        }
        way_skip(s, rows.count);
        rows.frame = s->at.frame;
        TRY(give_rows(h, rows));
    }
out:
    return err;
}

static uint64_t count_own(const step_rows *of, const imp_contacts *rows)
{
    uint64_t own = 0;
    for (size_t i = 0; i < rows->count && of->body; i++) {
        const uint32_t body = of->body[rows->a[i]];
        own += body != NO_BODY && body == of->body[rows->b[i]];
    }
    return own;
}

/* Rows of the start of a step get its columns, and those found on its way that come before. */
static int give_start(handout *h, imp_contacts rows)
{
    int err = IMP_OK;
    handout_step *s = h->step;
    const size_t frame = rows.frame;
    s->at.own += count_own(s->of, &rows);
    for (size_t i = 0; i < rows.count; i++)
        s->kind[i] = (uint8_t)(rows.kind[i] + IMP_KIND_AT_START);
    rows.kind = s->kind;
    rows.toi = s->toi;
    rows.feature_a = rows.feature_b = s->feature;
    contact_cursor start = {.view = rows};
    while (start.view.count) {
        int of_way;
        contact_cursor way = way_next(s);
        contact_merge(&way, &start, &rows, &of_way);
        if (of_way)
            way_skip(s, rows.count);
        rows.frame = frame;
        TRY(give_rows(h, rows));
    }
out:
    return err;
}

/* Are all rows of the start handed out? */
static int start_whole(const step_rows *of)
{
    return !of->left && of->to.toi > 0 && !step_is_later(of);
}

/* Has a row of the start a primitive that is left out, or is it of another part of the step? */
static int is_out(const step_rows *of, const imp_contacts *rows, size_t i)
{
    const uint32_t a = rows->a[i], b = rows->b[i];
    const uint8_t *left = of->left ? of->left + (size_t)of->prims * rows->frame : NULL;
    return (left && (left[a] || left[b])) || !step_wants(of, 0, a, b);
}

/* The number of leading rows that are out or, unless `out`, that are not. */
static size_t run_out(const step_rows *of, const imp_contacts *rows, int out)
{
    size_t n = 0;
    while (n < rows->count && is_out(of, rows, n) == out)
        n++;
    return n;
}

static int give_rest(handout *h, imp_contacts rows)
{
    int err = IMP_OK;
    const step_rows *of = h->step->of;
    while (rows.count) {
        imp_contacts part = rows;
        part.count = run_out(of, &rows, 0);
        TRY(give_start(h, part));
        part.count = part.count ? part.count : run_out(of, &rows, 1);
        columns_skip(&contact_table, &rows, part.count);
        rows.count -= part.count;
    }
out:
    return err;
}

/* At most CONTACT_ROWS_PART rows. */
static int output_deliver(handout *h, imp_contacts rows)
{
    if (!h->step)
        return give_rows(h, rows);
    h->step->at.seen += rows.count;
    const int err = give_frames_before(h, rows.frame);
    return err ? err : start_whole(h->step->of) ? give_start(h, rows) : give_rest(h, rows);
}

void handout_step_begin(handout *h, handout_step *step, const step_rows *of)
{
    step->of = of;
    step->at = step->range = (step_place){.next = contact_first(&of->rows)};
    of->start[0].seen = h->seen;
    of->start[0].own = 0;
    for (size_t i = 0; i < CONTACT_ROWS_PART; i++) {
        step->toi[i] = 0;
        step->feature[i] = -1;
    }
    h->step = step;
}

int handout_step_end(handout *h)
{
    const int err = give_frames_before(h, h->step->of->frames);
    h->step = NULL;
    return err;
}

static void output_record(const handout *h, const imp_contacts *rows)
{
    if (h->record)
        h->record(h->keep, rows, h->step ? h->step->at.seen : h->seen - h->blocks);
}

/* ---- rows as they are made */

/* Rows are in order, so the search begins at the frame of the row before. */
static uint32_t frame_from(const view *v, uint32_t f, uint32_t prim)
{
    while (prim >= v->prim0[f + 1])
        f++;
    return f;
}

/* A call of the sink has rows of one frame, and not more than a part. */
static size_t run_in(const view *v, uint32_t f, const uint32_t *a, size_t count)
{
    const uint32_t end = v->prim0[f + 1];
    const size_t most = count < CONTACT_ROWS_PART ? count : CONTACT_ROWS_PART;
    size_t n = 0;
    if (a[most - 1] < end) /* all, since they are in order */
        return most;
    while (a[n] < end)
        n++;
    return n;
}

static void name_cells(const view *v, uint32_t f, uint32_t *prim, size_t count)
{
    if (view_cells_same(v, f))
        return;
    for (size_t i = 0; i < count; i++)
        prim[i] = view_cell(v, f, (prim_no){prim[i]}).n;
}

int handout_rows(handout *h, const view *v, imp_frame_info *info, column_rows *rows)
{
    int err = IMP_OK;
    uint32_t *a = (uint32_t *)(void *)rows->value[CONTACT_a];
    uint32_t *b = (uint32_t *)(void *)rows->value[CONTACT_b];
    imp_contacts run = {.frame = 0};
    columns_view(rows, &run);
    for (size_t at = 0; at < rows->count; at += run.count) {
        if (at)
            columns_skip(&contact_table, &run, run.count);
        const uint32_t f = frame_from(v, (uint32_t)run.frame, a[at]);
        run.frame = f;
        run.count = run_in(v, f, a + at, rows->count - at);
        /* Before the numbers are replaced: what is kept is by prims. */
        output_record(h, &run);
        name_cells(v, f, a + at, run.count);
        name_cells(v, f, b + at, run.count);
        info[f].contacts += run.count;
        TRY(output_deliver(h, run));
    }
out:
    return err;
}

/* ---- rows that were kept */

/* A row by the caller's numbers. */
typedef struct cell_row {
    uint64_t key; /* cells of a and b */
    uint32_t part, row;
} cell_row;

static int compare_rows(const void *p, const void *q)
{
    const cell_row *x = p, *y = q;
    return x->key < y->key ? -1 : x->key > y->key;
}

/* Are the cells of all rows their prims? */
static int same_numbers(const view *v, const contact_rows *rows)
{
    contact_cursor at = contact_first(rows);
    for (; v->cell && contact_more(&at); at.view.count = 0)
        for (size_t i = 0; i < at.view.count; i++) {
            const uint32_t a = at.view.a[i], b = at.view.b[i];
            if (v->cell[a].n != a || v->cell[b].n != b)
                return 0;
        }
    return 1;
}

/* Lists all rows by the caller's numbers. Are they in order already? Mostly they are, and sorting
 * is saved. */
static int list_rows(const view *v, const contact_rows *rows, cell_row *out)
{
    uint64_t n = 0, before = 0;
    int ordered = 1;
    contact_cursor at = contact_first(rows);
    for (; contact_more(&at); at.view.count = 0)
        for (uint32_t i = 0; i < at.view.count; i++, n++) {
            const uint64_t a = v->cell[at.view.a[i]].n, b = v->cell[at.view.b[i]].n;
            /* The cursor's part is the next one. */
            out[n] = (cell_row){a << 32 | b, (uint32_t)at.part - 1, i};
            ordered &= out[n].key >= before;
            before = out[n].key;
        }
    return ordered;
}

/* The number of leading rows that are consecutive in one part. */
static size_t output_run_length(const cell_row *row, uint64_t count)
{
    size_t n = 1;
    while (n < count && row[n].part == row->part && row[n].row == row->row + n)
        n++;
    return n;
}

/* Fills `out`, which is empty, with rows as far as they fit; *filled: their number. */
static int output_fill_chunk(const contact_rows *rows, const cell_row *row, uint64_t count,
                             column_rows *out, uint64_t *filled)
{
    int err = IMP_OK;
    uint32_t *a = (uint32_t *)(void *)out->value[CONTACT_a];
    uint32_t *b = (uint32_t *)(void *)out->value[CONTACT_b];
    *filled = 0;
    while (*filled < count) {
        const cell_row *first = row + *filled;
        imp_contacts c = {0};
        columns_view(&rows->part[first->part], &c);
        columns_skip(&contact_table, &c, first->row);
        /* Whole runs are copied at once, column by column. */
        const size_t n = columns_fit(out, &c, output_run_length(first, count - *filled));
        /* The piece is full. */
        if (!n)
            break;
        TRY(columns_append(out, &c, n));
        for (size_t i = 0; i < n; i++) {
            a[*filled + i] = (uint32_t)(first[i].key >> 32);
            b[*filled + i] = (uint32_t)first[i].key;
        }
        *filled += n;
    }
out:
    return err;
}

/* In pieces of the size of a part, in a copy: the kept rows stay by prims. */
static int give_sorted(handout *h, const contact_rows *rows, const cell_row *row)
{
    int err = IMP_OK;
    column_rows piece = {0};
    uint64_t n;
    TRY(columns_open(rows->mem, &contact_table, rows->set, CONTACT_ROWS_PART, &piece));
    for (uint64_t done = 0; done < rows->count; done += n) {
        imp_contacts run = {0};
        columns_clear(&piece);
        TRY(output_fill_chunk(rows, row + done, rows->count - done, &piece, &n));
        run.count = n;
        columns_view(&piece, &run);
        TRY(output_deliver(h, run));
    }
out:
    columns_close(&piece);
    return err;
}

static int give_all(handout *h, const contact_rows *rows)
{
    int err = IMP_OK;
    contact_cursor at = contact_first(rows);
    for (; contact_more(&at) && !err; at.view.count = 0)
        err = output_deliver(h, at.view);
    return err;
}

int handout_kept(handout *h, const context *c, const view *v, const contact_rows *rows)
{
    int err = IMP_OK;
    cell_row *row = NULL;
    if (same_numbers(v, rows))
        return give_all(h, rows);
    TRY(mem_alloc(c->mem, rows->count * sizeof *row, &row));
    if (!list_rows(v, rows, row))
        qsort(row, rows->count, sizeof *row, compare_rows);
    err = give_sorted(h, rows, row);
out:
    mem_free(c->mem, row);
    return err;
}
