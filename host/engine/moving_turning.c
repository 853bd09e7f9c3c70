/* See moving.h: pairs of primitives of which a body turns. They have no features of the device's:
 * each candidate is asked for by itself, on the host. */
#include "budget.h"
#include "error.h"
#include "float_env.h"
#include "moving.h"
#include "turning_pair.h"

#include <string.h>

#define PIECE 16384 /* candidates that are asked for at a time */

static int rigid_impacts_body_rotates(const moving *m, uint32_t prim)
{
    return m->turns->body[prim % m->found.prims] != NO_BODY;
}

int moving_turns(const moving *m, const event *e)
{
    return m->turns && (rigid_impacts_body_rotates(m, e->a) || rigid_impacts_body_rotates(m, e->b));
}

static void pair_open(const context *c, const moving *m, uint32_t frame, uint32_t a, uint32_t b,
                      turning_pair *out)
{
    const units *u = &m->bounds->units;
    const double *scale = u->scale + 2 * (size_t)frame;
    turning_pair_open(m->turns, u, frame, a, b, c->opt.separation * scale[0] * scale[1], c->cancel,
                      out);
}

void moving_turning_points(const context *c, const moving *m, const event *of, double out[6])
{
    turning_pair p;
    turning_nearest at;
    pair_open(c, m, of->frame, of->a, of->b, &p);
    turning_pair_nearest(&p, of->toi, &at);
    memcpy(out, at.point, sizeof at.point);
}

#define KIND_OVER -1 /* of a pair that takes too many looks */

/* kind 0: they do not meet, or not in the part of the step that is wanted. */
static void rigid_impacts_decide(const context *c, const moving *m, uint32_t a, uint32_t b,
                                 event *out)
{
    turning_pair p;
    turning_nearest at;
    const uint32_t frame = moving_frame(m, a), first = moving_first(m, frame);
    *out = (event){.frame = frame, .a = a - first, .b = b - first};
    if (atomic_load(c->cancel) || !moving_allowed(c, m, out->a, out->b))
        return;
    pair_open(c, m, frame, out->a, out->b, &p);
    const int meets = turning_pair_meets(&p, &out->toi);
    if (p.looks > TURNING_LOOKS)
        out->kind = KIND_OVER;
    if (!meets || !step_wants(&m->found, out->toi, out->a, out->b))
        return;
    turning_pair_nearest(&p, out->toi, &at);
    out->kind = at.kind;
    memcpy(out->feature, at.feature, sizeof at.feature);
    memcpy(out->vertex, at.vertex, sizeof at.vertex);
}

static int add_events(const context *c, moving *m, const event *found, size_t count)
{
    int err = IMP_OK;
    event_list *to = &m->events;
    for (size_t i = 0; i < count; i++) {
        if (!found[i].kind)
            continue;
        TRY(mem_fit(c->mem, to->count, &to->capacity, sizeof *to->list, &to->list));
        to->list[to->count++] = found[i];
    }
out:
    return err;
}

/* Reports the least such pair of these candidates, so that threads make no difference. The method
 * and the memory decide which candidates are looked at together. */
static int check_over(const moving *m, const event *found, size_t count)
{
    const event *first = NULL;
    for (size_t i = 0; i < count; i++) {
        const event *e = &found[i];
        if (e->kind == KIND_OVER && (!first || e->frame < first->frame ||
                                     (e->frame == first->frame &&
                                      (e->a < first->a || (e->a == first->a && e->b < first->b)))))
            first = e;
    }
    return first ? turning_fail_looks(m->turns, first->frame, first->a, first->b) : IMP_OK;
}

/* Of candidates at a[] and b[] those with a body that turns come to the front. */
static size_t rigid_impacts_select(const moving *m, uint32_t *a, uint32_t *b, size_t count)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (rigid_impacts_body_rotates(m, a[i]) || rigid_impacts_body_rotates(m, b[i])) {
            a[n] = a[i];
            b[n++] = b[i];
        }
    return n;
}

/* Memory for a piece. */
typedef struct piece {
    uint32_t *a, *b;
    event *found;
} piece;

static int rigid_impacts_test_range(const context *c, moving *m, const pairs *from, uint64_t first,
                                    size_t count, const piece *p)
{
    int err = IMP_OK;
    TRY(buffer_read(c->dev64, &from->a, first, p->a, count));
    TRY(buffer_read(c->dev64, &from->b, first, p->b, count));
    const int64_t n = (int64_t)rigid_impacts_select(m, p->a, p->b, count);
#pragma omp parallel num_threads(c->threads) if (n > 16)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(dynamic, 16) nowait
    for (int64_t i = 0; i < n; i++)
        rigid_impacts_decide(c, m, p->a[i], p->b[i], &p->found[i]);
    if (atomic_load(c->cancel))
        FAIL(IMP_ERR_CANCELLED, "cancelled");
    TRY(check_over(m, p->found, (size_t)n));
    TRY(add_events(c, m, p->found, (size_t)n));
out:
    return err;
}

int moving_take_turning(const context *c, const context *given, moving *m, candidates *found)
{
    int err = IMP_OK;
    pairs *from;
    piece p = {0};
    const uint64_t fit = mem_left(c->mem) / BUDGET_MASK_SHARE / (sizeof *p.found + 8) + 1;
    const size_t most = fit < PIECE ? (size_t)fit : PIECE;
    TRY(candidates_bring(c, found, &m->features.local, &from));
    TRY(candidates_name(c->dev64, found, from));
    if (from == &found->of) /* which are prims now */
        found->ranks = NULL;
    TRY(mem_alloc(c->mem, most * sizeof *p.a, &p.a));
    TRY(mem_alloc(c->mem, most * sizeof *p.b, &p.b));
    TRY(mem_alloc(c->mem, most * sizeof *p.found, &p.found));
    for (uint64_t first = 0; first < from->count; first += most) {
        const uint64_t left = from->count - first;
        TRY(rigid_impacts_test_range(given, m, from, first, left < most ? (size_t)left : most, &p));
    }
out:
    mem_free(c->mem, p.a);
    mem_free(c->mem, p.b);
    mem_free(c->mem, p.found);
    return err;
}
