/* See ccd_step.h: pairs of primitives with a rotating body. The device has no feature pairs of
 * them: each candidate is tested by itself on the host. */
#include "mem.h"
#include "error.h"
#include "float_env.h"
#include "ccd_step.h"
#include "rigid_toi.h"

#include <string.h>

#define PIECE 16384 /* candidates tested at a time */

static int rigid_impacts_body_rotates(const ccd_step *m, uint32_t prim)
{
    return m->rigid->body[prim % m->found.prims] != NO_BODY;
}

int impact_is_rigid(const ccd_step *m, const impact *e)
{
    return m->rigid && (rigid_impacts_body_rotates(m, e->a) || rigid_impacts_body_rotates(m, e->b));
}

static void pair_open(const context *c, const ccd_step *m, uint32_t frame, uint32_t a, uint32_t b,
                      toi_pair *out)
{
    const normalisation *u = &m->bounds->normalisation;
    const double *scale = u->scale + 2 * (size_t)frame;
    rigid_toi_open(m->rigid, u, frame, a, b, c->opt.separation * scale[0] * scale[1], c->cancel,
                   out);
}

void rigid_impact_points(const context *c, const ccd_step *m, const impact *of, double out[6])
{
    toi_pair p;
    rigid_closest at;
    pair_open(c, m, of->frame, of->a, of->b, &p);
    rigid_toi_closest(&p, of->toi, &at);
    memcpy(out, at.point, sizeof at.point);
}

#define KIND_OVER -1 /* kind of a pair that takes too many intervals */

/* kind 0: the pair does not meet, or not in the wanted part of the step. */
static void rigid_impacts_decide(const context *c, const ccd_step *m, uint32_t a, uint32_t b,
                                 impact *out)
{
    toi_pair p;
    rigid_closest at;
    const uint32_t frame = ccd_step_frame(m, a), first = ccd_step_first_prim(m, frame);
    *out = (impact){.frame = frame, .a = a - first, .b = b - first};
    if (atomic_load(c->cancel) || !impacts_allowed(c, m, out->a, out->b))
        return;
    pair_open(c, m, frame, out->a, out->b, &p);
    const int meets = rigid_toi_find(&p, &out->toi);
    if (p.intervals > RIGID_INTERVALS_MOST)
        out->kind = KIND_OVER;
    if (!meets || !step_wants(&m->found, out->toi, out->a, out->b))
        return;
    rigid_toi_closest(&p, out->toi, &at);
    out->kind = at.kind;
    memcpy(out->feature, at.feature, sizeof at.feature);
    memcpy(out->vertex, at.vertex, sizeof at.vertex);
}

static int rigid_impacts_append(const context *c, ccd_step *m, const impact *found, size_t count)
{
    int err = IMP_OK;
    impact_list *to = &m->impacts;
    for (size_t i = 0; i < count; i++) {
        if (!found[i].kind)
            continue;
        TRY(mem_fit(c->mem, to->count, &to->capacity, sizeof *to->list, &to->list));
        to->list[to->count++] = found[i];
    }
out:
    return err;
}

/* Reports the least such pair of these candidates, so that the result does not depend on threads.
 * It still depends on which candidates are in one piece, that is, on the method and the memory. */
static int check_over(const ccd_step *m, const impact *found, size_t count)
{
    const impact *first = NULL;
    for (size_t i = 0; i < count; i++) {
        const impact *e = &found[i];
        if (e->kind == KIND_OVER && (!first || e->frame < first->frame ||
                                     (e->frame == first->frame &&
                                      (e->a < first->a || (e->a == first->a && e->b < first->b)))))
            first = e;
    }
    return first ? rigid_ccd_fail_tests(m->rigid, first->frame, first->a, first->b) : IMP_OK;
}

/* Moves the candidates with a rotating body to the front of a[] and b[]; returns their number. */
static size_t rigid_impacts_select(const ccd_step *m, uint32_t *a, uint32_t *b, size_t count)
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
    impact *found;
} piece;

static int rigid_impacts_test_range(const context *c, ccd_step *m, const pairs *from,
                                    uint64_t first, size_t count, const piece *p)
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
    TRY(rigid_impacts_append(c, m, p->found, (size_t)n));
out:
    return err;
}

int rigid_impacts_take(const context *c, const context *given, ccd_step *m, candidates *found)
{
    int err = IMP_OK;
    pairs *from;
    piece p = {0};
    const uint64_t fit = mem_left(c->mem) / BUDGET_MASK_SHARE / (sizeof *p.found + 8) + 1;
    const size_t most = fit < PIECE ? (size_t)fit : PIECE;
    TRY(candidates_to_device(c, found, &m->features.local, &from));
    TRY(candidates_to_prims(c->dev64, found, from));
    if (from == &found->of) /* they are prims now */
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
