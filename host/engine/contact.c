/* The last stage: rows of contacts. Pairs that meet get their rows from the device where it can
 * make them; undecided pairs get theirs from exact arithmetic on the host. Both are merged in
 * order. */
#include "contact.h"

#include "budget.h"
#include "clock.h"
#include "error.h"
#include "prim.h"

#define ROWS_LEAST 64
#define DECIDED_MOST 2048 /* undecided pairs at a time: a few for every thread */

/* Never less than ROWS_LEAST: where these do not fit either, the allocation reports it. */
size_t contact_fit(const context *c, column_set set, uint64_t most)
{
    uint64_t row = columns_row_bytes(&contact_table, set);
    uint64_t fit = mem_left(c->mem) / BUDGET_ROWS_SHARE / row;
    return (size_t)(fit < ROWS_LEAST ? ROWS_LEAST : fit < most ? fit : most);
}

/* ---- the undecided pairs */

/* Rows of the undecided pairs that do meet, in order. All are decided before the first row goes
 * out, since an undecided pair may come before every pair that the device decided. */
static int decide_all(const contact_source *of, const contact_maker *by, column_rows *out,
                      imp_frame_info *info)
{
    int err = IMP_OK;
    const context *c = of->c;
    const pairs *undecided = &of->s->undecided;
    const size_t n = undecided->count;
    uint32_t *a = NULL, *b = NULL;
    const double start = clock_seconds();
    if (!n)
        return IMP_OK;
    TRY(mem_alloc(c->mem, n * sizeof *a, &a));
    TRY(mem_alloc(c->mem, n * sizeof *b, &b));
    TRY(columns_open(c->mem, &contact_table, c->opt.columns, n, out));
    TRY(buffer_read(c->dev64, &undecided->a, 0, a, n));
    TRY(buffer_read(c->dev64, &undecided->b, 0, b, n));
    for (size_t at = 0; at < n; at += DECIDED_MOST) {
        const pair_list piece = {a + at, b + at, n - at < DECIDED_MOST ? n - at : DECIDED_MOST};
        TRY(by->decide(of, &piece, out));
        if (atomic_load(c->cancel))
            FAIL(IMP_ERR_CANCELLED, "cancelled");
    }
    for (size_t i = 0; i < n; i++)
        info[frame_of(of->v->prim0, of->v->frames, a[i])].undecided++;
out:
    of->s->exact += clock_seconds() - start;
    mem_free(c->mem, a);
    mem_free(c->mem, b);
    return err;
}

/* ---- both kinds of rows, in order */

static int row_stream_flush(emission *e)
{
    const int err = e->merged.count ? e->sink(e->user, &e->merged) : IMP_OK;
    columns_clear(&e->merged);
    return err;
}

/* Rows that are full go out before the run continues. */
static int add_run(emission *e, imp_contacts run)
{
    int err = IMP_OK;
    while (run.count) {
        const size_t n = columns_fit(&e->merged, &run, run.count);
        TRY(columns_append(&e->merged, &run, n));
        columns_skip(&contact_table, &run, n);
        run.count -= n;
        if (run.count)
            TRY(row_stream_flush(e));
    }
out:
    return err;
}

/* The rows of the device, and before each of them the rows of the host that come first. Pieces of
 * the device come in order, so the cursor of the host's rows only moves forward. */
static int merge_piece(emission *e, const column_rows *rows)
{
    int err = IMP_OK;
    contact_cursor rest = {.view = {.count = rows->count}};
    columns_view(rows, &rest.view);
    while (rest.view.count) {
        imp_contacts run;
        int of_host;
        contact_merge(&e->host, &rest, &run, &of_host);
        TRY(add_run(e, run));
    }
out:
    return err;
}

/* ---- pieces */

static int piece_begin(const contact_source *of, const contact_maker *by, uint64_t first,
                       uint32_t n, int beside, emission *e)
{
    int err = IMP_OK;
    const context *c = of->c;
    contact_piece *p = &e->piece[(e->first + e->going) % e->pieces];
    TRY(landing_fit(c->dev64, &p->landing, columns_bytes(&contact_table, c->opt.columns, n)));
    columns_place(c->mem, &contact_table, c->opt.columns, n, p->landing.at, &p->rows);
    TRY(by->meet(of, first, n, beside, p));
    e->going++;
out:
    return err;
}

/* Without undecided pairs the rows of the device go out as they are, not copied. */
static int piece_end(const context *c, emission *e)
{
    int err = IMP_OK;
    contact_piece *p = &e->piece[e->first];
    e->first = (e->first + 1) % e->pieces;
    e->going--;
    TRY(landing_end(c->dev64, &p->landing));
    TRY(e->decided.count ? merge_piece(e, &p->rows) : e->sink(e->user, &p->rows));
out:
    columns_close(&p->rows);
    return err;
}

uint64_t emission_left(const emission *e)
{
    uint64_t n = e->host.view.count + e->merged.count;
    for (unsigned i = 0; i < e->going; i++)
        n += e->piece[(e->first + i) % e->pieces].rows.count;
    return n;
}

/* Of the piece that began last, which comes last. */
static const landing *last_landing(const emission *e)
{
    return &e->piece[(e->first + e->going - 1) % e->pieces].landing;
}

int emission_waits(const emission *e)
{
    return e->going && last_landing(e)->event;
}

int emission_is_there(const context *c, const emission *e)
{
    return !e->going || landing_is_there(c->dev64, last_landing(e));
}

int emission_keeps(const emission *e)
{
    return !e->going && (e->piece[0].point.raw.capacity || e->piece[1].point.raw.capacity);
}

/* Only a device that copies to it by itself keeps it. */
static void landing_rest(device *d, landing *l)
{
    if (!l->native)
        landing_free(d, l);
}

void emission_drop(const context *c, emission *e)
{
    for (unsigned i = 0; i < EMISSION_PIECES; i++) {
        landing_end(c->dev64, &e->piece[i].landing);
        columns_close(&e->piece[i].rows);
        landing_rest(c->dev64, &e->piece[i].landing);
    }
    columns_close(&e->decided);
    columns_close(&e->merged);
    e->host = (contact_cursor){0};
    e->first = e->going = 0;
}

void emission_free(const context *c, emission *e)
{
    emission_drop(c, e);
    for (unsigned i = 0; i < EMISSION_PIECES; i++) {
        landing_free(c->dev64, &e->piece[i].landing);
        pairs_free(c->dev64, &e->piece[i].of);
        buffer_free(c->dev64, &e->piece[i].point);
    }
}

/* ---- all rows of a range */

static int rows_open(const contact_source *of, const contact_maker *by, emission *e,
                     imp_frame_info *info)
{
    int err = IMP_OK;
    const context *c = of->c;
    const column_set set = c->opt.columns;
    TRY(decide_all(of, by, &e->decided, info));
    e->host.view.count = e->decided.count;
    if (e->decided.count) {
        columns_view(&e->decided, &e->host.view);
        TRY(columns_open(c->mem, &contact_table, set, contact_fit(c, set, CONTACT_ROWS_PART),
                         &e->merged));
    }
out:
    return err;
}

/* Several pieces where rows land by themselves, and these take little of the memory that is left.
 */
static unsigned pieces(const context *c, uint64_t most)
{
    const uint64_t row = columns_row_bytes(&contact_table, c->opt.columns) + BUDGET_LANDING;
    return !c->dev64->views && EMISSION_PIECES * most * row <= mem_left(c->mem) / BUDGET_SPARE_SHARE
               ? EMISSION_PIECES
               : 1;
}

static int rows_begin(const contact_source *of, const contact_maker *by, int may_wait, emission *e)
{
    int err = IMP_OK;
    const context *c = of->c;
    const uint64_t all = of->s->meet.count, most = by->most < all ? by->most : all;
    const size_t fit = contact_fit(c, c->opt.columns, most);
    e->pieces = pieces(c, most);
    for (uint64_t first = 0, n; first < all; first += n) {
        n = all - first < fit ? all - first : fit;
        if (e->going == e->pieces)
            TRY(piece_end(c, e));
        TRY(piece_begin(of, by, first, (uint32_t)n, may_wait || first + n < all, e));
    }
out:
    return err;
}

static contact_maker maker(const contact_source *of)
{
    const context *c = of->c;
    return c->opt.stage == IMP_STAGE_CANDIDATES              ? contact_of_candidates(of)
           : of->v->corners > IMP_TRIANGLES || c->opt.solids ? contact_of_solids
                                                             : contact_of_triangles(of);
}

int contact_begin(const context *c, const view *v, const bounds *o, narrow *s, int may_wait,
                  emission *e, contact_sink *sink, void *user, imp_frame_info *info)
{
    int err = IMP_OK;
    const contact_source of = {c, v, o, s};
    const contact_maker by = maker(&of);
    e->sink = sink;
    e->user = user;
    TRY(rows_open(&of, &by, e, info));
    TRY(rows_begin(&of, &by, may_wait && by.alone, e));
    while (e->going && !by.alone)
        TRY(piece_end(c, e));
out:
    if (err)
        emission_drop(c, e);
    return err;
}

int contact_end(const context *c, emission *e)
{
    int err = IMP_OK;
    while (e->going)
        TRY(piece_end(c, e));
    if (e->host.view.count)
        TRY(add_run(e, e->host.view));
    TRY(row_stream_flush(e));
out:
    emission_drop(c, e);
    return err;
}

int contact_emit(const context *c, const view *v, const bounds *o, narrow *s, emission *e,
                 contact_sink *sink, void *user, imp_frame_info *info)
{
    const int err = contact_begin(c, v, o, s, 0, e, sink, user, info);
    return err ? err : contact_end(c, e);
}
