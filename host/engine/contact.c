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

/* Rows on their way to the sink. */
typedef struct merged {
    column_rows piece;
    contact_sink *sink;
    void *user;
} merged;

static int flush(merged *to)
{
    const int err = to->piece.count ? to->sink(to->user, &to->piece) : IMP_OK;
    columns_clear(&to->piece);
    return err;
}

/* A piece that is full goes out before the run continues. */
static int add_run(merged *to, imp_contacts run)
{
    int err = IMP_OK;
    while (run.count) {
        const size_t n = columns_fit(&to->piece, &run, run.count);
        TRY(columns_append(&to->piece, &run, n));
        columns_skip(&contact_table, &run, n);
        run.count -= n;
        if (run.count)
            TRY(flush(to));
    }
out:
    return err;
}

/* The rows of the device, and before each of them the rows of the host that come first. Pieces of
 * the device come in order, so the cursor of the host's rows only moves forward. */
static int merge_piece(merged *to, contact_cursor *host, const column_rows *rows)
{
    int err = IMP_OK;
    contact_cursor rest = {.view = {.count = rows->count}};
    columns_view(rows, &rest.view);
    while (rest.view.count) {
        imp_contacts run;
        int of_host;
        contact_merge(host, &rest, &run, &of_host);
        TRY(add_run(to, run));
    }
out:
    return err;
}

static int emit(const contact_source *of, const contact_maker *by, merged *to, imp_frame_info *info)
{
    int err = IMP_OK;
    const context *c = of->c;
    const uint64_t all = of->s->meet.count, most = by->most < all ? by->most : all;
    column_rows decided = {0}, rows = {0};
    contact_cursor host = {0};
    TRY(decide_all(of, by, &decided, info));
    host.view.count = decided.count;
    if (decided.count) {
        columns_view(&decided, &host.view);
        TRY(columns_open(c->mem, &contact_table, c->opt.columns,
                         contact_fit(c, c->opt.columns, CONTACT_ROWS_PART), &to->piece));
    }
    if (all)
        TRY(columns_open(c->mem, &contact_table, c->opt.columns,
                         contact_fit(c, c->opt.columns, most), &rows));
    for (uint64_t first = 0, n; first < all; first += n) {
        /* Without undecided pairs the rows of the device go out as they are, not copied. */
        n = all - first < rows.capacity ? all - first : rows.capacity;
        TRY(by->meet(of, first, (uint32_t)n, &rows));
        TRY(decided.count ? merge_piece(to, &host, &rows) : to->sink(to->user, &rows));
    }
    if (host.view.count)
        TRY(add_run(to, host.view));
    TRY(flush(to));
out:
    columns_close(&decided);
    columns_close(&rows);
    return err;
}

int contact_emit(const context *c, const view *v, const bounds *o, narrow *s, contact_sink *sink,
                 void *user, imp_frame_info *info)
{
    const contact_source of = {c, v, o, s};
    const contact_maker by = c->opt.stage == IMP_STAGE_CANDIDATES ? contact_of_candidates(&of)
                             : v->corners > IMP_TRIANGLES || c->opt.solids ? contact_of_solids
                                                                           : contact_of_triangles;
    merged to = {.sink = sink, .user = user};
    const int err = emit(&of, &by, &to, info);
    columns_close(&to.piece);
    return err;
}
