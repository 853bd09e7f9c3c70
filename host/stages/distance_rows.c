/* Rows of pairs within a distance (imp_def.rows). Pairs that touch have the rows of contacts, made
 * as those are; the others have their nearest features, of which the device names those that are
 * certain. The host computes distances and points exactly. */
#include "distance_code.h"
#include "error.h"
#include "float_env.h"
#include "mem.h"
#include "near_rows.h"
#include "prim.h"
#include "stages.h"
#include "tri.h"

#include <string.h>

/* Pairs at a time: so many for each thread that waking it takes little of its time; more where each
 * piece is a wait for a device. */
#define DISTANCE_ROWS_MOST (1u << 15)
#define DISTANCE_ROWS_THREAD (1u << 13)
#define DISTANCE_ROWS_READBACK (1u << 18)

/* Memory that is kept from piece to piece: of rows of pairs that certainly meet, and the codes. */
struct distance_kept {
    narrow meet;
    contact_piece piece;
    buffer_u8 code;
};

void distance_kept_free(const context *c, struct distance_kept **of)
{
    struct distance_kept *k = *of;
    if (!k)
        return;
    columns_close(&k->piece.rows);
    readback_free(c->dev64, &k->piece.readback);
    pairs_free(c->dev64, &k->piece.of);
    buffer_free(c->dev64, &k->piece.point);
    buffer_free(c->dev64, &k->piece.feature);
    buffer_free(c->dev64, &k->code);
    narrow_free(c, &k->meet);
    mem_free(c->mem, k);
    *of = NULL;
}

static int distance_kept_get(const contact_source *of, struct distance_kept **out)
{
    int err = IMP_OK;
    if (!of->s->kept) {
        TRY(mem_alloc(of->c->mem, sizeof *of->s->kept, &of->s->kept));
        *of->s->kept = (struct distance_kept){0};
    }
    *out = of->s->kept;
out:
    return err;
}

/* A pair that touches, and its row of touch[of]. */
typedef struct distance_touch {
    uint32_t pair, of;
    size_t row;
} distance_touch;

/* Pairs, in order, as they become rows: pair i becomes row first + i, so threads make rows where
 * they belong. */
typedef struct distance_piece {
    const contact_source *of;
    context plain; /* the context of contacts without a distance */
    pair_list list;
    int decided;          /* the device has codes and verdicts (distance_codes.c) */
    uint8_t *code;        /* [pairs] nearest features (kernels/distance_code.h) */
    uint8_t *verdict;     /* [pairs] of those with code OPEN: TRI_ verdict of the intersection */
    uint32_t *a, *b;      /* [pairs] some of the pairs */
    column_rows touch[2]; /* rows of pairs that touch: those that the device found, and others */
    distance_touch *touching; /* [touches] all of them */
    uint32_t *apart;          /* [aparts] positions of the others in the list */
    size_t touches, aparts;
    column_rows *out;
    size_t first;
} distance_piece;

static int distance_piece_open(const contact_source *of, const pair_list *list, distance_piece *p)
{
    int err = IMP_OK;
    const context *c = of->c;
    *p = (distance_piece){.of = of, .plain = *c, .list = *list};
    p->plain.opt.rows = IMP_ROWS_CONTACTS;
    p->plain.opt.columns = columns_when(&contact_table, &(imp_def){.solids = c->opt.solids});
    TRY(mem_alloc(c->mem, list->count, &p->code));
    TRY(mem_alloc(c->mem, list->count, &p->verdict));
    TRY(mem_alloc(c->mem, list->count * sizeof *p->a, &p->a));
    TRY(mem_alloc(c->mem, list->count * sizeof *p->b, &p->b));
    TRY(mem_alloc(c->mem, list->count * sizeof *p->touching, &p->touching));
    TRY(mem_alloc(c->mem, list->count * sizeof *p->apart, &p->apart));
    memset(p->code, DISTANCE_OPEN, list->count);
    memset(p->verdict, TRI_UNDECIDED, list->count);
out:
    return err;
}

static void distance_piece_close(distance_piece *p)
{
    mem *m = p->of->c->mem;
    mem_free(m, p->code);
    mem_free(m, p->verdict);
    mem_free(m, p->a);
    mem_free(m, p->b);
    mem_free(m, p->touching);
    mem_free(m, p->apart);
    columns_close(&p->touch[0]);
    columns_close(&p->touch[1]);
}

/* ---- pairs that touch */

/* Collects the pairs without a certain nearest feature whose intersection has this verdict; any:
 * all of them. */
static size_t distance_pick(distance_piece *p, uint32_t verdict, int any)
{
    size_t n = 0;
    for (size_t i = 0; i < p->list.count; i++)
        if (p->code[i] == DISTANCE_OPEN && (any || p->verdict[i] == verdict)) {
            p->a[n] = p->list.a[i];
            p->b[n++] = p->list.b[i];
        }
    return n;
}

/* Verdicts on the intersection of pairs without a certain nearest feature. */
static int distance_verdicts(distance_piece *p)
{
    int err = IMP_OK;
    uint8_t *result = NULL;
    const size_t n = p->decided ? 0 : distance_pick(p, 0, 1);
    if (!n)
        return IMP_OK;
    TRY(mem_alloc(p->of->c->mem, n, &result));
    TRY(narrow_verdicts(&p->plain, p->of->v, p->of->o, &(pair_list){p->a, p->b, n}, p->of->s,
                        result));
    for (size_t i = 0, k = 0; k < n; i++)
        if (p->code[i] == DISTANCE_OPEN)
            p->verdict[i] = result[k++];
out:
    mem_free(p->of->c->mem, result);
    return err;
}

/* Puts the n pairs that certainly meet. *first: where they begin in the list. */
static int distance_meeting_put(distance_piece *p, size_t n, narrow *meet, uint64_t *first)
{
    int err = IMP_OK;
    narrow *s = p->of->s;
    device *d = p->plain.dev64;
    if (p->decided) {
        meet->meet = s->touching;
        *first = s->touched;
        s->touched += n;
        return IMP_OK;
    }
    TRY(buffer_put(d, &meet->meet.a, p->a, n));
    TRY(buffer_put(d, &meet->meet.b, p->b, n));
    meet->meet.count = n;
out:
    return err;
}

/* Rows of the pairs that certainly meet, made by the device as in a run for contacts. */
static int distance_meeting_rows(distance_piece *p)
{
    int err = IMP_OK;
    const context *c = &p->plain;
    device *d = c->dev64;
    struct distance_kept *kept;
    uint64_t first = 0;
    const size_t n = distance_pick(p, TRI_MEET, 0);
    if (!n)
        return columns_open(c->mem, &contact_table, c->opt.columns, 0, &p->touch[0]);
    TRY(distance_kept_get(p->of, &kept));
    contact_piece *piece = &kept->piece;
    const pairs own = kept->meet.meet;
    contact_source of = {c, p->of->v, p->of->o, &kept->meet};
    const contact_maker by = contact_of_contacts(&of);
    TRY(distance_meeting_put(p, n, &kept->meet, &first));
    TRY(readback_fit(d, &piece->readback, columns_bytes(&contact_table, c->opt.columns, n)));
    columns_place(c->mem, &contact_table, c->opt.columns, n, piece->readback.at, &piece->rows);
    err = by.meet(&of, first, (uint32_t)n, 0, piece);
    if (p->decided)
        kept->meet.meet = own;
    if (!err)
        err = readback_end(d, &piece->readback);
    if (!err && by.finish)
        err = by.finish(c, p->of->v, piece);
    p->touch[0] = piece->rows;
    piece->rows = (column_rows){0};
out:
    return err;
}

/* Rows of those other pairs without a certain nearest feature that exact arithmetic finds to
 * touch. */
static int distance_touching_rows(distance_piece *p)
{
    int err = IMP_OK;
    const context *c = &p->plain;
    const contact_source of = {c, p->of->v, p->of->o, p->of->s};
    size_t n = distance_pick(p, TRI_UNDECIDED, 0);
    TRY(columns_open(c->mem, &contact_table, c->opt.columns, n, &p->touch[1]));
    if (n)
        TRY(contact_of_contacts(&of).decide(&of, &(pair_list){p->a, p->b, n}, &p->touch[1]));
out:
    return err;
}

/* ---- pairs that do not touch */

/* Divides the pairs into those that touch, which have rows already, and the others. */
static void distance_divide(distance_piece *p)
{
    size_t next[2] = {0, 0};
    for (uint32_t i = 0; i < p->list.count; i++) {
        int touch = 0;
        for (uint32_t k = 0; k < 2 && p->code[i] == DISTANCE_OPEN && !touch; k++) {
            const column_rows *r = &p->touch[k];
            const uint32_t *a = (const void *)r->value[CONTACT_a],
                           *b = (const void *)r->value[CONTACT_b];
            touch = next[k] < r->count && a[next[k]] == p->list.a[i] && b[next[k]] == p->list.b[i];
            if (touch)
                p->touching[p->touches++] = (distance_touch){i, k, next[k]++};
        }
        if (!touch)
            p->apart[p->aparts++] = i;
    }
}

/* Sets the features that a code names. */
static void distance_features(uint32_t code, near_pair *of)
{
    const int edges = code >= DISTANCE_EDGES, face = code >= DISTANCE_FACE;
    const int first = (int)(code - DISTANCE_EDGES) / 3, second = (int)(code - DISTANCE_EDGES) % 3;
    const exact_feature edge[2] = {{2, first}, {2, second}}, whole = {3, 0};
    const exact_feature vertex = {1, (int)(face ? code - DISTANCE_FACE : code)};
    near_pair_set(of, 0, edges ? edge[0] : face ? whole : vertex);
    near_pair_set(of, 1, edges ? edge[1] : face ? vertex : whole);
}

static void distance_put_depth(column_rows *r, size_t i, const exact_depth *d)
{
    NEAR_PUT(r, i, penetration, d->depth);
    NEAR_PUT(r, i, relative, d->relative);
}

/* The greatest distance of a pair of prims. */
static exact_limit distance_limit(const contact_source *of, uint32_t a, uint32_t b)
{
    const block_view *v = of->v;
    const uint32_t f = frame_of(v->prim0, v->frames, a), first = v->prim0[f];
    return contact_limit(of->c, &v->frame[f], a - first, b - first);
}

static int distance_kind(const void *list, size_t i)
{
    const distance_piece *p = list;
    const uint8_t code = p->code[p->apart[i]];
    return code == DISTANCE_OPEN ? 0 : code < DISTANCE_EDGES ? 1 : 2;
}

static void distance_add(const void *list, size_t i, near_rows *to)
{
    const distance_piece *p = list;
    const contact_source *of = p->of;
    const block_view *v = of->v;
    const uint32_t at = p->apart[i], code = p->code[at], a = p->list.a[at], b = p->list.b[at];
    const uint32_t f = frame_of(v->prim0, v->frames, a), first = v->prim0[f];
    const imp_frame *frame = &v->frame[f];
    const uint32_t i_prim = a - first, j_prim = b - first;
    exact_numbered one, two;
    if (code != DISTANCE_OPEN) {
        const int edges = code >= DISTANCE_EDGES;
        near_pair *pair = near_rows_next(to, edges);
        exact_numbers_of(frame->mesh, i_prim, &one);
        exact_numbers_of(frame->mesh, j_prim, &two);
        pair->f = frame;
        pair->a = a;
        pair->b = b;
        pair->prim[0] = i_prim;
        pair->prim[1] = j_prim;
        distance_features(code, pair);
        near_rows_add(to, p->first + at, edges, &one, &two);
        return;
    }
    exact_nearest found;
    const exact_limit limit = contact_limit(of->c, frame, i_prim, j_prim);
    one = exact_numbered_of(frame, i_prim);
    two = exact_numbered_of(frame, j_prim);
    exact_prims_nearest(&one, &two, of->c->opt.thickness ? &limit : NULL, &found);
    near_rows_put(of->c, p->out, p->first + at, a, b, &found);
}

/* ---- both, in order */

static int distance_crosses(const contact_source *of, uint32_t a, uint32_t b)
{
    const block_view *v = of->v;
    const uint32_t f = frame_of(v->prim0, v->frames, a), first = v->prim0[f];
    const exact_prim p = exact_prim_of(&v->frame[f], a - first),
                     q = exact_prim_of(&v->frame[f], b - first);
    return exact_triangles_cross(p.v, q.v);
}

/* With thicknesses, triangles that pass through each other have a kind of their own. Only two
 * triangles have these kinds. */
static int distance_find_crossed(const distance_piece *p, column_rows *touch)
{
    const context *c = p->of->c;
    const size_t n = c->opt.thickness ? touch->count : 0;
    const uint32_t *a = (const void *)touch->value[CONTACT_a],
                   *b = (const void *)touch->value[CONTACT_b];
    uint8_t *kind = (void *)touch->value[CONTACT_kind];
#pragma omp parallel num_threads(c->threads) if (n > 64)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(dynamic, 64) nowait
    for (size_t i = 0; i < n; i++)
        if ((kind[i] == IMP_KIND_POINT || kind[i] == IMP_KIND_SEGMENT) && !atomic_load(c->cancel) &&
            distance_crosses(p->of, a[i], b[i]))
            kind[i] = IMP_KIND_CROSSED;
    return atomic_load(c->cancel) ? imp_fail(IMP_ERR_CANCELLED, "cancelled") : IMP_OK;
}

/* Puts the rows of contacts, whose features are -1. */
static void distance_put_touching(const distance_piece *p)
{
    const context *c = p->of->c;
    const int64_t none = -1;
#pragma omp parallel num_threads(c->threads) if (p->touches > 1024)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(static) nowait
    for (size_t k = 0; k < p->touches; k++) {
        const distance_touch *t = &p->touching[k];
        const size_t row = p->first + t->pair;
        columns_put(p->out, row, &p->touch[t->of], t->row);
        NEAR_PUT(p->out, row, feature_a, none);
        NEAR_PUT(p->out, row, feature_b, none);
        if (c->opt.thickness) {
            const exact_limit limit = distance_limit(p->of, p->list.a[t->pair], p->list.b[t->pair]);
            const exact_depth depth = exact_limit_depth(&limit);
            distance_put_depth(p->out, row, &depth);
        }
    }
}

/* The same of collision points, which only pairs that touch have. */
static int distance_put_collisions(const distance_piece *p)
{
    int err = IMP_OK;
    column_rows *out = p->out;
    const size_t bytes = column_bytes(&contact_table.column[CONTACT_collision]);
    uint64_t *start = out->first[CONTACT_collision] + p->first;
    for (size_t i = 0, k = 0; i < p->list.count; i++) {
        const distance_touch *t = &p->touching[k];
        start[i + 1] = start[i];
        if (k == p->touches || t->pair != i)
            continue;
        const uint64_t *of = p->touch[t->of].first[CONTACT_collision] + t->row;
        start[i + 1] += of[1] - of[0];
        k++;
    }
    TRY(columns_reserve(out, CONTACT_collision, start[p->list.count]));
    for (size_t k = 0; k < p->touches; k++) {
        const distance_touch *t = &p->touching[k];
        const column_rows *from = &p->touch[t->of];
        const uint64_t *of = from->first[CONTACT_collision] + t->row;
        memcpy(out->value[CONTACT_collision] + start[t->pair] * bytes,
               from->value[CONTACT_collision] + of[0] * bytes, (of[1] - of[0]) * bytes);
    }
out:
    return err;
}

/* Makes the rows of all pairs, from `first` on. */
static int distance_put(distance_piece *p)
{
    int err = IMP_OK;
    const context *c = p->of->c;
    column_rows mine = columns_range(p->out, p->first, p->list.count);
    columns_zero(&mine, NEAR_COLUMNS | COLUMN_BIT(CONTACT_collision));
    for (int k = 0; k < 2; k++)
        TRY(distance_find_crossed(p, &p->touch[k]));
    TRY(near_rows_fill(c, &(near_source){p, distance_kind, distance_add}, p->aparts, p->out));
    distance_put_touching(p);
    if (column_in(p->out->set, CONTACT_collision))
        TRY(distance_put_collisions(p));
out:
    return err;
}

static int distance_rows_all(distance_piece *p, column_rows *out)
{
    int err = IMP_OK;
    p->out = out;
    p->first = out->count;
    TRY(distance_verdicts(p));
    TRY(distance_meeting_rows(p));
    TRY(distance_touching_rows(p));
    distance_divide(p);
    TRY(distance_put(p));
    out->count += p->list.count;
out:
    return err;
}

/* ---- the maker */

/* Names the nearest features that are certain. */
static int distance_codes(distance_piece *p, contact_piece *to)
{
    int err = IMP_OK;
    const bounds *o = p->of->o;
    device *d = p->of->c->dev64;
    const size_t n = p->list.count;
    struct distance_kept *kept;
    if (p->of->v->corners > IMP_TRIANGLES)
        return IMP_OK;
    TRY(distance_kept_get(p->of, &kept));
    TRY(buffer_fit(d, &kept->code, n));
    TRY(d->groups ? distance_features_find(d, o, &to->of, n, &kept->code)
                  : RUN(d, distance_features8, (n + 7) / 8, (uint32_t)n, &to->of.a, &to->of.b,
                        &o->on64.corner, &o->x, &kept->code));
    TRY(buffer_read(d, &kept->code, 0, p->code, n));
out:
    return err;
}

/* The same for pairs on the host. */
int distance_rows_given(const contact_source *of, const pair_list *list, column_rows *out)
{
    int err = IMP_OK;
    device *d = of->c->dev64;
    distance_piece p = {.of = of};
    contact_piece there = {0};
    TRY(distance_piece_open(of, list, &p));
    if (list->count) {
        TRY(buffer_put(d, &there.of.a, list->a, list->count));
        TRY(buffer_put(d, &there.of.b, list->b, list->count));
        TRY(distance_codes(&p, &there));
    }
    TRY(distance_rows_all(&p, out));
out:
    pairs_free(d, &there.of);
    distance_piece_close(&p);
    return err;
}

/* Pairs of s->meet from `first` on. *n: their number; with rings less afterwards. */
static int distance_rows_list(const contact_source *of, uint64_t first, size_t *n, uint32_t *a,
                              uint32_t *b, contact_piece *to)
{
    int err = IMP_OK;
    narrow *s = of->s;
    device *d = of->c->dev64;
    const size_t all = *n;
    TRY(pairs_fit(d, &to->of, all));
    TRY(buffer_copy(d, &s->meet.a, first, &to->of.a, 0, all));
    TRY(buffer_copy(d, &s->meet.b, first, &to->of.b, 0, all));
    const readout both[] = {READOUT(&to->of.a, 0, a, all), READOUT(&to->of.b, 0, b, all)};
    TRY(device_read_all(d, both, 2));
    TRY(ring_leave_out(of->c, of->v, &s->ring, a, b, n));
    if (*n < all) {
        TRY(buffer_put(d, &to->of.a, a, *n));
        TRY(buffer_put(d, &to->of.b, b, *n));
    }
out:
    return err;
}

/* The same, with the codes and verdicts of the device. */
static int distance_rows_decided(distance_piece *p, uint64_t first, uint32_t n, uint32_t *a,
                                 uint32_t *b)
{
    int err = IMP_OK;
    if (!first)
        TRY(distance_codes_make(p->of));
    TRY(distance_codes_read(p->of, first, n, a, b, p->code));
    for (size_t i = 0; i < n; i++)
        if (p->code[i] >= DISTANCE_OPEN) {
            p->verdict[i] = (uint8_t)(p->code[i] - DISTANCE_OPEN);
            p->code[i] = DISTANCE_OPEN;
        }
    p->decided = 1;
out:
    return err;
}

static int distance_rows_make(const contact_source *of, uint64_t first, uint32_t n, int beside,
                              contact_piece *to)
{
    int err = IMP_OK;
    uint32_t *a = NULL, *b = NULL;
    size_t kept = n;
    const int decided = distance_codes_on_device(of);
    distance_piece p = {.of = of};
    (void)beside;
    TRY(mem_alloc(of->c->mem, n * sizeof *a, &a));
    TRY(mem_alloc(of->c->mem, n * sizeof *b, &b));
    if (!decided)
        TRY(distance_rows_list(of, first, &kept, a, b, to));
    TRY(distance_piece_open(of, &(pair_list){a, b, kept}, &p));
    if (decided)
        TRY(distance_rows_decided(&p, first, n, a, b));
    else if (kept)
        TRY(distance_codes(&p, to));
    TRY(distance_rows_all(&p, &to->rows));
out:
    distance_piece_close(&p);
    mem_free(of->c->mem, a);
    mem_free(of->c->mem, b);
    return err;
}

/* Removes the pairs that are not within the distance: result[i] of each of them is 0. */
static int distance_within(const contact_source *of, const pair_list *list, uint8_t *result)
{
    const context *c = of->c;
    const block_view *v = of->v;
    const size_t n = list->count;
#pragma omp parallel num_threads(c->threads) if (n > 16)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(dynamic, 16) nowait
    for (size_t i = 0; i < n; i++) {
        const uint32_t f = frame_of(v->prim0, v->frames, list->a[i]), first = v->prim0[f];
        result[i] = !atomic_load(c->cancel) &&
                    contact_wanted(c, &v->frame[f], list->a[i] - first, list->b[i] - first);
    }
    return atomic_load(c->cancel) ? imp_fail(IMP_ERR_CANCELLED, "cancelled") : IMP_OK;
}

static int distance_rows_decide(const contact_source *of, const pair_list *list, column_rows *out)
{
    int err = IMP_OK;
    mem *m = of->c->mem;
    uint8_t *within = NULL;
    uint32_t *a = NULL, *b = NULL;
    size_t n = 0;
    distance_piece p = {.of = of};
    TRY(mem_alloc(m, list->count, &within));
    TRY(mem_alloc(m, list->count * sizeof *a, &a));
    TRY(mem_alloc(m, list->count * sizeof *b, &b));
    TRY(distance_within(of, list, within));
    for (size_t i = 0; i < list->count; i++)
        if (within[i]) {
            a[n] = list->a[i];
            b[n++] = list->b[i];
        }
    TRY(distance_piece_open(of, &(pair_list){a, b, n}, &p));
    TRY(distance_rows_all(&p, out));
out:
    distance_piece_close(&p);
    mem_free(m, within);
    mem_free(m, a);
    mem_free(m, b);
    return err;
}

contact_maker contact_of_distances(const contact_source *of)
{
    const device *d = of->c->dev64;
    const size_t shared = DISTANCE_ROWS_THREAD * (size_t)d->threads,
                 most = shared > DISTANCE_ROWS_MOST ? shared : DISTANCE_ROWS_MOST;
    return (contact_maker){d->host_memory ? most : DISTANCE_ROWS_READBACK, 0, distance_rows_make,
                           distance_rows_decide, NULL};
}
