/* See output.h. */
#include "output.h"

#include "bodies.h"
#include "clock.h"
#include "error.h"
#include "float_env.h"

#include <stdlib.h>

/* The number of rows of [at, at + count) that a receiver of the first *handed rows already has;
 * counts the rest as handed to it. */
static size_t output_skip_delivered(uint64_t at, size_t count, uint64_t *handed)
{
    const uint64_t had = *handed > at ? *handed - at : 0;
    if (had >= count)
        return count;
    *handed = at + count;
    return (size_t)had;
}

/* A call of the sink: its rows, and the data needed after it. */
typedef struct sink_visit {
    imp_contacts rows;
    const imp_frame *frame;
    double start;
    unsigned long texts;
} sink_visit;

/* Counts rows of a frame. Returns whether the sink is to be called with those that it does not have
 * yet. The sink's time and page faults are not counted, and it runs in the caller's floating-point
 * environment. Without a sink, rows are only counted. */
static int output_enter_sink(output *h, const block_view *v, const imp_contacts *rows,
                             sink_visit *to)
{
    const size_t had = output_skip_delivered(h->count.seen, rows->count, &h->count.handed);
    h->count.seen += rows->count;
    if (had == rows->count || !h->sink)
        return 0;
    to->rows = *rows;
    to->frame = &v->frame[rows->frame];
    columns_skip(&contact_table, &to->rows, had);
    to->rows.count -= had;
    to->rows.frame += h->frame0;
    faults_pause(h->faults);
    to->start = clock_seconds();
    to->texts = error_texts();
    float_to_caller();
    return 1;
}

/* A sink that set an error text of its own keeps it. */
static int output_leave_sink(output *h, const sink_visit *from)
{
    float_from_caller();
    faults_resume(h->faults);
    h->outside += clock_seconds() - from->start;
    if (h->text && from->texts != error_texts())
        error_keep(h->text);
    if (h->refused && from->texts == error_texts())
        imp_fail(h->refused, "frame %llu: the caller's sink stopped the run with %d",
                 (unsigned long long)from->frame->number, h->refused);
    /* no other error, which could lead to a retry */
    if (h->refused)
        return IMP_ERR_CANCELLED;
    return h->cancel && atomic_load(h->cancel) ? imp_fail(IMP_ERR_CANCELLED, "cancelled") : IMP_OK;
}

static int output_give_rows(output *h, const block_view *v, imp_contacts rows)
{
    sink_visit visit;
    if (!output_enter_sink(h, v, &rows, &visit))
        return IMP_OK;
    h->refused = h->sink(h->user, &visit.rows);
    return output_leave_sink(h, &visit);
}

/* ---- rows of steps */

/* The next impacts of the current frame, within one part of the rows. */
static contact_cursor impacts_next(output_step *s)
{
    contact_cursor next = {0};
    const uint64_t left = s->of->start[s->at.frame + 1].impact - s->at.impact;
    if (left && contact_more(&s->at.next)) {
        next.rest = s->at.next.rest;
        next.rest.count = next.rest.count < left ? next.rest.count : (size_t)left;
    }
    return next;
}

static void impacts_skip(output_step *s, size_t rows)
{
    contact_skip(&s->at.next, rows);
    s->at.impact += rows;
}

/* Delivers the remaining impacts of earlier frames. */
static int output_give_frames_before(output *h, const block_view *v, size_t frame)
{
    int err = IMP_OK;
    output_step *s = h->step;
    while (s->at.frame < frame) {
        imp_contacts rows = impacts_next(s).rest;
        if (!rows.count) {
            s->of->start[++s->at.frame].seen = h->count.seen;
            s->of->start[s->at.frame].own = s->at.own;
            continue;
        }
        impacts_skip(s, rows.count);
        rows.frame = s->at.frame;
        TRY(output_give_rows(h, v, rows));
    }
out:
    return err;
}

static uint64_t output_count_within_bodies(const step_rows *of, const imp_contacts *rows)
{
    uint64_t own = 0;
    for (size_t i = 0; i < rows->count && of->body; i++) {
        const uint32_t body = of->body[rows->a[i]];
        own += body != NO_BODY && body == of->body[rows->b[i]];
    }
    return own;
}

/* Delivers rows of a step's start with the columns of steps, merged with the impacts that precede
 * them in order. */
static int output_give_start(output *h, const block_view *v, imp_contacts rows)
{
    int err = IMP_OK;
    output_step *s = h->step;
    const size_t frame = rows.frame;
    s->at.own += output_count_within_bodies(s->of, &rows);
    for (size_t i = 0; i < rows.count; i++)
        s->kind[i] = (uint8_t)(rows.kind[i] + IMP_KIND_AT_START);
    rows.kind = s->kind;
    rows.toi = s->toi;
    rows.feature_a = rows.feature_b = s->feature;
    contact_cursor start = {.rest = rows};
    while (start.rest.count) {
        int of_impacts;
        contact_cursor found = impacts_next(s);
        contact_merge(&found, &start, &rows, &of_impacts);
        if (of_impacts)
            impacts_skip(s, rows.count);
        rows.frame = frame;
        TRY(output_give_rows(h, v, rows));
    }
out:
    return err;
}

/* Returns whether all rows of the start are delivered. */
static int start_whole(const step_rows *of)
{
    return !of->excluded && of->to.toi > 0 && !step_is_later(of);
}

/* Returns whether a row of the start has an excluded primitive, or belongs to another part of the
 * step. */
static int is_out(const step_rows *of, const imp_contacts *rows, size_t i)
{
    const uint32_t a = rows->a[i], b = rows->b[i];
    const uint8_t *left = of->excluded ? of->excluded + (size_t)of->prims * rows->frame : NULL;
    return (left && (left[a] || left[b])) || !step_wants(of, 0, a, b);
}

/* The number of leading rows for which is_out is `out`. */
static size_t run_out(const step_rows *of, const imp_contacts *rows, int out)
{
    size_t n = 0;
    while (n < rows->count && is_out(of, rows, n) == out)
        n++;
    return n;
}

static int output_give_wanted(output *h, const block_view *v, imp_contacts rows)
{
    int err = IMP_OK;
    const step_rows *of = h->step->of;
    while (rows.count) {
        imp_contacts part = rows;
        part.count = run_out(of, &rows, 0);
        TRY(output_give_start(h, v, part));
        part.count = part.count ? part.count : run_out(of, &rows, 1);
        columns_skip(&contact_table, &rows, part.count);
        rows.count -= part.count;
    }
out:
    return err;
}

/* At most CONTACT_ROWS_PART rows. */
static int output_deliver(output *h, const block_view *v, imp_contacts rows)
{
    if (!h->step)
        return output_give_rows(h, v, rows);
    h->step->at.seen += rows.count;
    const int err = output_give_frames_before(h, v, rows.frame);
    return err                        ? err
           : start_whole(h->step->of) ? output_give_start(h, v, rows)
                                      : output_give_wanted(h, v, rows);
}

void output_step_begin(output *h, output_step *step, const step_rows *of)
{
    step->of = of;
    step->at = step->range = (step_place){.next = contact_first(&of->rows)};
    of->start[0].seen = h->count.seen;
    of->start[0].own = 0;
    for (size_t i = 0; i < CONTACT_ROWS_PART; i++) {
        step->toi[i] = 0;
        step->feature[i] = -1;
    }
    h->step = step;
}

int output_step_end(output *h, const block_view *v)
{
    const int err = output_give_frames_before(h, v, h->step->of->frames);
    h->step = NULL;
    return err;
}

/* In a step, rows of the start that are not delivered count, too. */
static void output_record(output *h, imp_contacts rows)
{
    const uint64_t at = h->step ? h->step->at.seen : h->count.seen - h->count.block;
    if (!h->record)
        return;
    const size_t had = output_skip_delivered(at, rows.count, &h->recorded);
    columns_skip(&contact_table, &rows, had);
    rows.count -= had;
    if (rows.count)
        h->record(h->record_user, &rows);
}

/* ---- rows as they are made */

/* Rows are in order, so the search begins at the frame of the row before. */
static uint32_t frame_from(const block_view *v, uint32_t f, uint32_t prim)
{
    while (prim >= v->prim0[f + 1])
        f++;
    return f;
}

/* A call of the sink has rows of one frame, at most CONTACT_ROWS_PART. */
static size_t run_in(const block_view *v, uint32_t f, const uint32_t *a, size_t count)
{
    const uint32_t end = v->prim0[f + 1];
    const size_t most = count < CONTACT_ROWS_PART ? count : CONTACT_ROWS_PART;
    size_t n = 0;
    if (a[most - 1] < end) /* all of them, since they are in order */
        return most;
    while (a[n] < end)
        n++;
    return n;
}

static void output_to_inputs(const block_view *v, uint32_t f, uint32_t *prim, size_t count)
{
    if (block_view_inputs_same(v, f))
        return;
    for (size_t i = 0; i < count; i++)
        prim[i] = block_view_input(v, f, (prim_no){prim[i]}).n;
}

/* Rows of frames go to the sink from here. */
int output_rows(void *user, const block_view *v, column_rows *rows)
{
    int err = IMP_OK;
    const output_target *to = user;
    output *h = to->out;
    uint32_t *a = (uint32_t *)(void *)rows->value[CONTACT_a];
    uint32_t *b = (uint32_t *)(void *)rows->value[CONTACT_b];
    imp_contacts run = {.frame = 0};
    columns_as_rows(rows, &run);
    for (size_t at = 0; at < rows->count; at += run.count) {
        if (at)
            columns_skip(&contact_table, &run, run.count);
        const uint32_t f = frame_from(v, (uint32_t)run.frame, a[at]);
        run.frame = f;
        run.count = run_in(v, f, a + at, rows->count - at);
        /* Before prims are replaced by the caller's numbers: cached rows have prims. */
        output_record(h, run);
        output_to_inputs(v, f, a + at, run.count);
        output_to_inputs(v, f, b + at, run.count);
        to->info[f].contacts += run.count;
        sink_visit visit;
        if (h->step) {
            TRY(output_deliver(h, v, run));
        } else if (output_enter_sink(h, v, &run, &visit)) {
            h->refused = h->sink(h->user, &visit.rows);
            TRY(output_leave_sink(h, &visit));
        }
    }
out:
    return err;
}

/* A call of the sink has at most CONTACT_ROWS_PART rows. */
int output_input_rows(output_target *to, const block_view *v, imp_contacts rows)
{
    int err = IMP_OK;
    for (size_t left = rows.count; left; left -= rows.count) {
        rows.count = left < CONTACT_ROWS_PART ? left : CONTACT_ROWS_PART;
        to->info[rows.frame].contacts += rows.count;
        TRY(output_give_rows(to->out, v, rows));
        columns_skip(&contact_table, &rows, rows.count);
    }
out:
    return err;
}

int output_relations(output *h, const block_view *v, int (*sink)(void *, const imp_relations *),
                     void *user, const imp_relations *relations)
{
    sink_visit visit = {.frame = &v->frame[relations->frame - h->frame0]};
    if (!sink)
        return IMP_OK;
    faults_pause(h->faults);
    visit.start = clock_seconds();
    visit.texts = error_texts();
    float_to_caller();
    h->refused = sink(user, relations);
    return output_leave_sink(h, &visit);
}

/* ---- cached rows */

/* A row's key by the caller's numbers. */
typedef struct input_row {
    uint64_t key; /* inputs of a and b */
    uint32_t part, row;
} input_row;

static int compare_rows(const void *p, const void *q)
{
    const input_row *x = p, *y = q;
    return x->key < y->key ? -1 : x->key > y->key;
}

/* Returns whether the inputs of all rows equal their prims. */
static int same_numbers(const block_view *v, const contact_rows *rows)
{
    contact_cursor at = contact_first(rows);
    for (; v->input && contact_more(&at); at.rest.count = 0)
        for (size_t i = 0; i < at.rest.count; i++) {
            const uint32_t a = at.rest.a[i], b = at.rest.b[i];
            if (v->input[a].n != a || v->input[b].n != b)
                return 0;
        }
    return 1;
}

/* Lists all rows by the caller's numbers. Returns whether they are in order already, as mostly,
 * which saves sorting. */
static int list_rows(const block_view *v, const contact_rows *rows, input_row *out)
{
    uint64_t n = 0, before = 0;
    int ordered = 1;
    contact_cursor at = contact_first(rows);
    for (; contact_more(&at); at.rest.count = 0)
        for (uint32_t i = 0; i < at.rest.count; i++, n++) {
            const uint64_t a = v->input[at.rest.a[i]].n, b = v->input[at.rest.b[i]].n;
            /* at.part is the number of the next part. */
            out[n] = (input_row){a << 32 | b, (uint32_t)at.part - 1, i};
            ordered &= out[n].key >= before;
            before = out[n].key;
        }
    return ordered;
}

/* The length of the leading run of rows that are consecutive in one part. */
static size_t output_run_length(const input_row *row, uint64_t count)
{
    size_t n = 1;
    while (n < count && row[n].part == row->part && row[n].row == row->row + n)
        n++;
    return n;
}

/* Fills `out`, which is empty, with as many rows as fit; *filled: their number. */
static int output_fill_chunk(const contact_rows *rows, const input_row *row, uint64_t count,
                             column_rows *out, uint64_t *filled)
{
    int err = IMP_OK;
    uint32_t *a = (uint32_t *)(void *)out->value[CONTACT_a];
    uint32_t *b = (uint32_t *)(void *)out->value[CONTACT_b];
    *filled = 0;
    while (*filled < count) {
        const input_row *first = row + *filled;
        imp_contacts c = {0};
        columns_as_rows(&rows->part[first->part], &c);
        columns_skip(&contact_table, &c, first->row);
        /* Whole runs are copied at once, column by column. */
        const size_t n = columns_fit(out, &c, output_run_length(first, count - *filled));
        /* `out` is full. */
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

/* Delivers rows in pieces of a part's size, as a copy: the cached rows keep their prims. */
static int output_give_sorted(output *h, const block_view *v, const contact_rows *rows,
                              const input_row *row)
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
        columns_as_rows(&piece, &run);
        TRY(output_deliver(h, v, run));
    }
out:
    columns_close(&piece);
    return err;
}

static int output_give_all(output *h, const block_view *v, const contact_rows *rows)
{
    int err = IMP_OK;
    contact_cursor at = contact_first(rows);
    for (; contact_more(&at) && !err; at.rest.count = 0)
        err = output_deliver(h, v, at.rest);
    return err;
}

int output_cached_rows(output *h, const context *c, const block_view *v, const contact_rows *rows)
{
    int err = IMP_OK;
    input_row *row = NULL;
    if (same_numbers(v, rows))
        return output_give_all(h, v, rows);
    TRY(mem_alloc(c->mem, rows->count * sizeof *row, &row));
    if (!list_rows(v, rows, row))
        qsort(row, rows->count, sizeof *row, compare_rows);
    err = output_give_sorted(h, v, rows, row);
out:
    mem_free(c->mem, row);
    return err;
}
