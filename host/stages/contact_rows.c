/* The last stage: rows of contacts. The device makes rows of pairs that meet, if it can; exact
 * arithmetic on the host makes those of undecided pairs. Both are merged in order. */
#include "clock.h"
#include "error.h"
#include "mem.h"
#include "prim.h"
#include "stages.h"

#define ROWS_LEAST 64
#define RUN_LEAST 64 /* length of a run that is delivered directly; shorter ones are collected */
#define DECIDED_MOST 2048 /* undecided pairs at a time: some for every thread */

/* Never less than ROWS_LEAST: if these do not fit either, the allocation fails. */
size_t contact_fit(const context *c, column_set set, uint64_t most)
{
    uint64_t row = columns_row_bytes(&contact_table, set);
    uint64_t fit = mem_left(c->mem) / BUDGET_ROWS_SHARE / row;
    return (size_t)(fit < ROWS_LEAST ? ROWS_LEAST : fit < most ? fit : most);
}

/* ---- the undecided pairs */

/* Makes rows of the undecided pairs that meet, in order. All are decided before the first row is
 * delivered, since an undecided pair may precede every pair that the device decided. */
static int undecided_decide(const contact_source *of, const contact_maker *by, column_rows *out,
                            imp_frame_info *info)
{
    int err = IMP_OK;
    const context *c = of->c;
    const pairs *undecided = &of->s->undecided;
    size_t n = undecided->count;
    uint32_t *a = NULL, *b = NULL;
    const double start = clock_seconds();
    if (!n || !by->decide) /* candidates are never undecided */
        return IMP_OK;
    TRY(mem_alloc(c->mem, n * sizeof *a, &a));
    TRY(mem_alloc(c->mem, n * sizeof *b, &b));
    TRY(buffer_read(c->dev64, &undecided->a, 0, a, n));
    TRY(buffer_read(c->dev64, &undecided->b, 0, b, n));
    for (size_t i = 0; i < n; i++)
        info[frame_of(of->v->prim0, of->v->frames, a[i])].undecided++;
    TRY(ring_leave_out(c, of->v, &of->s->ring, a, b, &n));
    TRY(columns_open(c->mem, &contact_table, c->opt.columns, n, out));
    for (size_t at = 0; at < n; at += DECIDED_MOST) {
        const pair_list piece = {a + at, b + at, n - at < DECIDED_MOST ? n - at : DECIDED_MOST};
        TRY(by->decide(of, &piece, out));
        if (atomic_load(c->cancel))
            FAIL(IMP_ERR_CANCELLED, "cancelled");
    }
out:
    of->s->exact += clock_seconds() - start;
    mem_free(c->mem, a);
    mem_free(c->mem, b);
    return err;
}

/* ---- both kinds of rows, in order */

/* The host's next row. */
static size_t row_stream_host_at(const row_stream *e)
{
    return e->decided.count - e->host.rest.count;
}

static int row_stream_flush(row_stream *e)
{
    const int err = e->merged.count ? e->sink(e->user, e->view, &e->merged) : IMP_OK;
    columns_clear(&e->merged);
    return err;
}

/* Delivers the collected rows when they are full, before the run continues. */
static int row_stream_collect(row_stream *e, imp_contacts run)
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

/* Delivers rows of the device, merged with the host's rows. Pieces of the device are in order, so
 * the cursor of the host's rows only moves forward. Only short runs are copied, where rows of both
 * kinds alternate. */
static int row_stream_deliver(row_stream *e, const column_rows *rows)
{
    int err = IMP_OK;
    contact_cursor rest = {.rest = {.count = rows->count}};
    columns_as_rows(rows, &rest.rest);
    while (rest.rest.count) {
        imp_contacts run;
        int of_host;
        const size_t at = rows->count - rest.rest.count, host = row_stream_host_at(e);
        contact_merge(&e->host, &rest, &run, &of_host);
        if (run.count < RUN_LEAST && e->decided.count) {
            TRY(row_stream_collect(e, run));
            continue;
        }
        column_rows part = of_host ? columns_range(&e->decided, host, run.count)
                                   : columns_range(rows, at, run.count);
        TRY(row_stream_flush(e));
        TRY(e->sink(e->user, e->view, &part));
    }
out:
    return err;
}

/* ---- pieces */

static int row_stream_piece_begin(const contact_source *of, const contact_maker *by, uint64_t first,
                                  uint32_t n, int beside, row_stream *e)
{
    int err = IMP_OK;
    const context *c = of->c;
    contact_piece *p = &e->piece[(e->first + e->going) % e->pieces];
    TRY(readback_fit(c->dev64, &p->readback, columns_bytes(&contact_table, c->opt.columns, n)));
    columns_place(c->mem, &contact_table, c->opt.columns, n, p->readback.at, &p->rows);
    TRY(by->meet(of, first, n, beside, p));
    e->going++;
out:
    return err;
}

static int row_stream_piece_end(const context *c, row_stream *e)
{
    int err = IMP_OK;
    contact_piece *p = &e->piece[e->first];
    e->first = (e->first + 1) % e->pieces;
    e->going--;
    TRY(readback_end(c->dev64, &p->readback));
    if (e->finish)
        TRY(e->finish(c, e->view, p));
    TRY(row_stream_deliver(e, &p->rows));
out:
    columns_close(&p->rows);
    return err;
}

uint64_t row_stream_left(const row_stream *e)
{
    uint64_t n = e->host.rest.count + e->merged.count;
    for (unsigned i = 0; i < e->going; i++)
        n += e->piece[(e->first + i) % e->pieces].rows.count;
    return n;
}

/* The readback of the piece that began last, which is also the last to complete. */
static const readback *row_stream_last_readback(const row_stream *e)
{
    return &e->piece[(e->first + e->going - 1) % e->pieces].readback;
}

int row_stream_waits(const row_stream *e)
{
    return e->going && row_stream_last_readback(e)->event;
}

int row_stream_done(const context *c, const row_stream *e)
{
    return !e->going || readback_done(c->dev64, row_stream_last_readback(e));
}

int row_stream_holds_memory(const row_stream *e)
{
    return !e->going && (e->piece[0].point.raw.capacity || e->piece[1].point.raw.capacity);
}

/* Frees the readback memory, unless the device's copies go directly to it. */
static void row_stream_release_readback(device *d, readback *l)
{
    if (!l->native)
        readback_free(d, l);
}

void row_stream_drop(const context *c, row_stream *e)
{
    for (unsigned i = 0; i < ROW_STREAM_PIECES; i++) {
        readback_end(c->dev64, &e->piece[i].readback);
        columns_close(&e->piece[i].rows);
        row_stream_release_readback(c->dev64, &e->piece[i].readback);
    }
    columns_close(&e->decided);
    columns_close(&e->merged);
    e->host = (contact_cursor){0};
    e->first = e->going = 0;
}

void row_stream_free(const context *c, row_stream *e)
{
    row_stream_drop(c, e);
    for (unsigned i = 0; i < ROW_STREAM_PIECES; i++) {
        readback_free(c->dev64, &e->piece[i].readback);
        pairs_free(c->dev64, &e->piece[i].of);
        buffer_free(c->dev64, &e->piece[i].point);
        buffer_free(c->dev64, &e->piece[i].feature);
    }
}

/* ---- all rows of a range */

static int row_stream_rows_open(const contact_source *of, const contact_maker *by, row_stream *e,
                                imp_frame_info *info)
{
    int err = IMP_OK;
    const context *c = of->c;
    const column_set set = c->opt.columns;
    TRY(undecided_decide(of, by, &e->decided, info));
    e->host.rest.count = e->decided.count;
    if (e->decided.count) {
        columns_as_rows(&e->decided, &e->host.rest);
        TRY(columns_open(c->mem, &contact_table, set, contact_fit(c, set, CONTACT_ROWS_PART),
                         &e->merged));
    }
out:
    return err;
}

/* Several pieces if the device reads rows back by itself, and if these take little of the free
 * memory. */
static unsigned row_stream_piece_count(const context *c, uint64_t most)
{
    const uint64_t row = columns_row_bytes(&contact_table, c->opt.columns) + BUDGET_READBACK;
    return !c->dev64->host_memory &&
                   ROW_STREAM_PIECES * most * row <= mem_left(c->mem) / BUDGET_SPARE_SHARE
               ? ROW_STREAM_PIECES
               : 1;
}

static int row_stream_rows_begin(const contact_source *of, const contact_maker *by, int may_wait,
                                 row_stream *e)
{
    int err = IMP_OK;
    const context *c = of->c;
    const uint64_t all = of->s->meet.count, most = by->most < all ? by->most : all;
    const size_t fit = contact_fit(c, c->opt.columns, most);
    e->pieces = row_stream_piece_count(c, most);
    for (uint64_t first = 0, n; first < all; first += n) {
        n = all - first < fit ? all - first : fit;
        if (e->going == e->pieces)
            TRY(row_stream_piece_end(c, e));
        TRY(row_stream_piece_begin(of, by, first, (uint32_t)n, may_wait || first + n < all, e));
    }
out:
    return err;
}

contact_maker contact_of_contacts(const contact_source *of)
{
    return of->v->corners > IMP_TRIANGLES || of->c->opt.solids ? contact_of_solids
                                                               : contact_of_triangles(of);
}

static contact_maker maker(const contact_source *of)
{
    const options *opt = &of->c->opt;
    return opt->stage == IMP_STAGE_CANDIDATES ? contact_of_candidates(of)
           : opt->rows                        ? contact_of_distances(of)
                                              : contact_of_contacts(of);
}

int contact_begin(const context *c, const block_view *v, const bounds *o, narrow *s, int may_wait,
                  row_stream *e, contact_sink *sink, void *user, imp_frame_info *info)
{
    int err = IMP_OK;
    const contact_source of = {c, v, o, s};
    const contact_maker by = maker(&of);
    e->view = v;
    e->finish = by.finish;
    e->sink = sink;
    e->user = user;
    TRY(row_stream_rows_open(&of, &by, e, info));
    TRY(row_stream_rows_begin(&of, &by, may_wait && by.alone, e));
    while (e->going && !by.alone)
        TRY(row_stream_piece_end(c, e));
out:
    if (err)
        row_stream_drop(c, e);
    return err;
}

int contact_end(const context *c, row_stream *e)
{
    int err = IMP_OK;
    while (e->going)
        TRY(row_stream_piece_end(c, e));
    TRY(row_stream_flush(e));
    if (e->host.rest.count) {
        column_rows rest = columns_range(&e->decided, row_stream_host_at(e), e->host.rest.count);
        TRY(e->sink(e->user, e->view, &rest));
    }
out:
    row_stream_drop(c, e);
    return err;
}

int contact_emit(const context *c, const block_view *v, const bounds *o, narrow *s, row_stream *e,
                 contact_sink *sink, void *user, imp_frame_info *info)
{
    const int err = contact_begin(c, v, o, s, 0, e, sink, user, info);
    return err ? err : contact_end(c, e);
}

/* ---- Rows of candidates: a pair, and the centroids of both. */

#define MANY                                                                                       \
    2 /* from this many pairs for each primitive on, centroids of all primitives are computed      \
         first */
#define SHARED_MOST 16384  /* rows of each thread at a time, so that they stay in its cache */
#define QUEUED_MOST 262144 /* rows at a time where launches cost time */

/* For each frame the number of corners whose mean is the centroid; 0: three or four. Corners on the
 * device are padded to the view's number, and a repeated corner would move the centroid. */
static int put_kinds(const context *c, const block_view *v, buffer_u32 *out)
{
    int err = IMP_OK;
    uint32_t *kind = NULL;
    TRY(mem_alloc(c->mem, v->frames * sizeof *kind, &kind));
    for (uint32_t f = 0; f < v->frames; f++)
        kind[f] = v->frame[f].mesh->corner_count ? 0 : mesh_corners(v->frame[f].mesh);
    TRY(buffer_put(c->dev64, out, kind, v->frames));
out:
    mem_free(c->mem, kind);
    return err;
}

/* Returns whether computing the centroids of all primitives first pays, and memory suffices. */
static int candidate_rows_can_cache(const context *c, const block_view *v, const narrow *s)
{
    size_t bytes = BUFFER_BYTES(&s->centroid, (size_t)DIMENSIONS * v->prims);
    return s->meet.count / MANY >= v->prims &&
           bytes <= (mem_left(c->mem) + s->centroid.raw.capacity) / BUDGET_COPY_SHARE &&
           (!c->dev64->largest || bytes <= c->dev64->largest);
}

/* Called before the first piece. */
static int find_centroids(const context *c, const block_view *v, const bounds *o, narrow *s)
{
    int err = IMP_OK;
    TRY(put_kinds(c, v, &s->kind));
    s->centroids = candidate_rows_can_cache(c, v, s);
    if (!s->centroids)
        goto out;
    TRY(buffer_fit(c->dev64, &s->centroid, (size_t)DIMENSIONS * v->prims));
    TRY(RUN(c->dev64, narrow_centroids, v->prims, v->corners, &o->on64.corner, &o->x, v->frames,
            &o->on64.prim0, &o->unscale, &s->kind, &s->centroid));
out:
    return err;
}

static int find_points(const contact_source *of, uint64_t first, uint32_t n, buffer_f64 *point)
{
    int err = IMP_OK;
    device *d = of->c->dev64;
    const narrow *s = of->s;
    const block_view *v = of->v;
    const bounds *o = of->o;
    TRY(buffer_fit(d, point, (size_t)6 * n));
    if (s->centroids)
        TRY(RUN(d, narrow_ends, n, first, &s->meet.a, &s->meet.b, &s->centroid, point));
    else
        TRY(RUN(d, narrow_ends_alone, n, first, &s->meet.a, &s->meet.b, v->corners, &o->on64.corner,
                &o->x, v->frames, &o->on64.prim0, &o->unscale, &s->kind, point));
out:
    return err;
}

static int candidate_rows_make(const contact_source *of, uint64_t first, uint32_t n, int beside,
                               contact_piece *to)
{
    int err = IMP_OK;
    narrow *s = of->s;
    device *d = of->c->dev64;
    column_rows *out = &to->rows;
    columns_zero(out, COLUMN_BIT(CONTACT_a) | COLUMN_BIT(CONTACT_b) | COLUMN_BIT(CONTACT_points));
    if (!first)
        TRY(find_centroids(of->c, of->v, of->o, s));
    TRY(find_points(of, first, n, &to->point));
    const readout rows[] = {
        READOUT(&s->meet.a, first, (void *)out->value[CONTACT_a], n),
        READOUT(&s->meet.b, first, (void *)out->value[CONTACT_b], n),
        READOUT(&to->point, 0, (void *)out->value[CONTACT_points], (size_t)6 * n)};
    TRY(readback_begin(d, &to->readback, rows, 3, beside));
    out->count = n;
out:
    return err;
}

contact_maker contact_of_candidates(const contact_source *of)
{
    const device *d = of->c->dev64;
    return (contact_maker){d->queued ? QUEUED_MOST : SHARED_MOST * (uint64_t)d->threads, 0,
                           candidate_rows_make, NULL, NULL};
}
