/* See stages.h. The device's result is read from its sorted lists, not from its verdicts, so that a
 * pair that compaction or sorting lost is found, too. */
#include "stages.h"

#include "error.h"
#include "float_env.h"
#include "prim.h"
#include "tri.h"

#define PIECE (1u << 16) /* pairs of a list read at a time */

enum device_verdict { VERDICT_APART, VERDICT_MEET, VERDICT_UNDECIDED };

/* ---- the sample of a piece */

/* Reads back the n candidates from `first` on, as prims. Pairs of ranks are converted on the
 * device, as those of the piece are, in a copy in *some. */
static int read_some(const context *c, const candidates *found, const pairs *from, uint64_t first,
                     size_t n, pairs *some, uint32_t *a, uint32_t *b)
{
    int err = IMP_OK;
    device *d = c->dev64;
    if (found->ranks) {
        TRY(pairs_fit(d, some, n));
        TRY(buffer_copy(d, &from->a, first, &some->a, 0, n));
        TRY(buffer_copy(d, &from->b, first, &some->b, 0, n));
        TRY(candidates_to_prims(d, found, some));
        from = some;
        first = 0;
    }
    TRY(buffer_read(d, &from->a, (size_t)first, a, n));
    TRY(buffer_read(d, &from->b, (size_t)first, b, n));
out:
    return err;
}

int verify_sample_candidates(const context *c, const candidates *found, const pairs *from,
                             sample *s)
{
    int err = IMP_OK;
    pairs some = {0};
    uint32_t *a = NULL;
    if (!c->opt.verify)
        return IMP_OK;
    const size_t most = from->count < PIECE ? (size_t)from->count : PIECE;
    TRY(mem_alloc(c->mem, 2 * most * sizeof *a, &a));
    for (uint64_t first = 0; first < from->count; first += most) {
        const uint64_t left = from->count - first;
        const size_t n = left < most ? (size_t)left : most;
        TRY(read_some(c, found, from, first, n, &some, a, a + most));
        TRY(sample_add(c->mem, s, c->opt.verify, a, a + most, NULL, n));
    }
out:
    pairs_free(c->dev64, &some);
    mem_free(c->mem, a);
    return err;
}

/* ---- the device's result */

/* Both are in order, so one pass over the piece is enough: *at is the first element of the sample
 * that is still ahead. */
static void mark_piece(sample *s, const uint32_t *a, const uint32_t *b, size_t n,
                       enum device_verdict verdict, size_t *at)
{
    for (size_t i = 0; i < n && *at < s->count; i++) {
        const sampled here = {.a = a[i], .b = b[i]};
        while (*at < s->count && sampled_compare(&s->list[*at], &here) < 0)
            ++*at;
        if (*at < s->count && sampled_compare(&s->list[*at], &here) == 0)
            s->list[*at].verdict = verdict;
    }
}

static int verify_mark(const context *c, sample *s, const pairs *list, enum device_verdict verdict)
{
    int err = IMP_OK;
    uint32_t *a = NULL;
    size_t at = 0;
    const size_t most = list->count < PIECE ? (size_t)list->count : PIECE;
    if (!most)
        return IMP_OK;
    TRY(mem_alloc(c->mem, 2 * most * sizeof *a, &a));
    for (uint64_t first = 0; first < list->count && at < s->count; first += most) {
        const uint64_t left = list->count - first;
        const size_t n = left < most ? (size_t)left : most;
        TRY(buffer_read(c->dev64, &list->a, (size_t)first, a, n));
        TRY(buffer_read(c->dev64, &list->b, (size_t)first, a + most, n));
        mark_piece(s, a, a + most, n, verdict, &at);
    }
out:
    mem_free(c->mem, a);
    return err;
}

/* ---- the exact result */

typedef struct verified {
    const context *c;
    const block_view *v;
} verified;

int verify_differs(const context *c, const block_view *v, uint32_t f, const uint32_t prim[2],
                   int meet, const char *what)
{
    const imp_device_info *d = &c->dev64->info;
    input_no input[2];
    for (int i = 0; i < 2; i++)
        input[i] = block_view_input(v, f, (prim_no){v->prim0[f] + prim[i]});
    return imp_fail(IMP_ERR_DEVICE,
                    "device '%s, %s' decides wrongly: %s %u and %u of frame %llu %s, by exact "
                    "arithmetic",
                    d->platform, d->name, what, input[0].n, input[1].n,
                    (unsigned long long)v->frame[f].number, meet ? "meet" : "do not meet");
}

int verify_first(const context *c, sample *s, verify_wrong *wrong, const void *user, size_t *first)
{
    const int64_t n = (int64_t)s->count;
    int64_t least = n;
#pragma omp parallel num_threads(c->threads) if (n > 64)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(dynamic, 64) reduction(min : least) nowait
    for (int64_t i = 0; i < n; i++)
        if (!atomic_load(c->cancel) && wrong(user, &s->list[i]))
            least = i < least ? i : least;
    if (atomic_load(c->cancel))
        return imp_fail(IMP_ERR_CANCELLED, "cancelled");
    s->verified += s->count;
    *first = (size_t)least;
    return IMP_OK;
}

/* An undecided pair is decided by exact arithmetic anyway, so it cannot be wrong. */
static int pair_wrong(const void *user, const sampled *p)
{
    const verified *of = user;
    const block_view *v = of->v;
    const uint32_t f = frame_of(v->prim0, v->frames, p->a), first = v->prim0[f];
    return p->verdict != VERDICT_UNDECIDED &&
           contact_wanted(of->c, &v->frame[f], p->a - first, p->b - first) !=
               (p->verdict == VERDICT_MEET);
}

/* Checks a sample that is marked. */
static int verify_sample(const context *c, const block_view *v, sample *s)
{
    int err = IMP_OK;
    size_t i = 0;
    TRY(verify_first(c, s, pair_wrong, &(verified){c, v}, &i));
    if (i < s->count) {
        const sampled *p = &s->list[i];
        const uint32_t f = frame_of(v->prim0, v->frames, p->a), first = v->prim0[f];
        const uint32_t prim[2] = {p->a - first, p->b - first};
        err = verify_differs(c, v, f, prim, p->verdict != VERDICT_MEET,
                             v->corners > IMP_TRIANGLES ? "primitives" : "triangles");
    }
out:
    return err;
}

int verify_pairs(const context *c, const block_view *v, narrow *n)
{
    int err = IMP_OK;
    sample *s = &n->sample;
    if (!s->count)
        return IMP_OK;
    sample_end(s, c->opt.verify);
    TRY(verify_mark(c, s, &n->meet, VERDICT_MEET));
    TRY(verify_mark(c, s, &n->undecided, VERDICT_UNDECIDED));
    TRY(verify_sample(c, v, s));
out:
    sample_clear(s);
    return err;
}

/* Marks the sampled pairs that the device decided as meeting or left undecided. */
static void verify_mark_verdicts(sample *s, const pair_list *of, const uint8_t *verdict)
{
    size_t at = 0;
    for (size_t i = 0; i < of->count; i++)
        if (verdict[i] != TRI_APART)
            mark_piece(s, of->a + i, of->b + i, 1,
                       verdict[i] == TRI_MEET ? VERDICT_MEET : VERDICT_UNDECIDED, &at);
}

int verify_verdicts(const context *c, const block_view *v, const pair_list *of,
                    const uint8_t *verdict, sample *s)
{
    int err = IMP_OK;
    if (!c->opt.verify)
        return IMP_OK;
    TRY(sample_add(c->mem, s, c->opt.verify, of->a, of->b, NULL, of->count));
    sample_end(s, c->opt.verify);
    verify_mark_verdicts(s, of, verdict);
    TRY(verify_sample(c, v, s));
out:
    sample_clear(s);
    return err;
}
