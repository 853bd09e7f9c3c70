/* Room 5, first half: verdicts. The device says apart, meet or undecided; those that meet and the
 * undecided are collected until the range is complete. contact.c goes on from there. */
#include "engine.h"

#include "error.h"
#include "prim.h"
#include "tri.h"

#define CHUNK 256 /* pairs counted and picked by one item */

static void pairs_free(device *d, pairs *pr)
{
    buffer_free(d, &pr->a);
    buffer_free(d, &pr->b);
    pr->count = 0;
}

void narrow_free(imp *p)
{
    narrow_state *s = &p->narrow;
    if (!p->dev)
        return;
    pairs_free(p->dev, &s->found);
    pairs *mine[] = {&s->here, &s->near, &s->picked, &s->meet, &s->undecided};
    for (size_t i = 0; i < sizeof mine / sizeof *mine; i++)
        pairs_free(p->dev64, mine[i]);
    buffer *buffers[] = {&s->verdict, &s->count, &s->offset, &s->point};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        buffer_free(p->dev64, buffers[i]);
    scanner_free(p->dev64, &s->scan);
    sorter_free(p->dev64, &s->sort);
}

void narrow_clear(imp *p)
{
    p->narrow.meet.count = p->narrow.undecided.count = 0;
}

/* ---- verdicts */

/* to grows by n pairs of from, beginning with the first-th */
static int pairs_append(device *d, pairs *to, const pairs *from, uint64_t first, uint64_t n)
{
    int err = IMP_OK;
    size_t old = to->count * sizeof(uint32_t), more = n * sizeof(uint32_t);
    size_t bytes = old + more;
    size_t room = bytes > to->a.room || bytes > to->b.room ? bytes + old / 2 : bytes;
    TRY(buffer_grow(d, &to->a, old, room));
    TRY(buffer_grow(d, &to->b, old, room));
    TRY(buffer_copy(d, &from->a, first * sizeof(uint32_t), &to->a, old, more));
    TRY(buffer_copy(d, &from->b, first * sizeof(uint32_t), &to->b, old, more));
    to->count += n;
out:
    return err;
}

/* the pairs that the broad phase found, on the device of the narrow phase */
static int pairs_here(imp *p, const pairs **out)
{
    int err = IMP_OK;
    narrow_state *s = &p->narrow;
    *out = &s->found;
    if (p->dev == p->dev64)
        return IMP_OK;
    size_t bytes = s->found.count * sizeof(uint32_t);
    TRY(buffer_fit(p->dev64, &s->here.a, bytes));
    TRY(buffer_fit(p->dev64, &s->here.b, bytes));
    TRY(buffer_read(p->dev, &s->found.a, 0, s->here.a.data, bytes));
    TRY(buffer_read(p->dev, &s->found.b, 0, s->here.b.data, bytes));
    s->here.count = s->found.count;
    *out = &s->here;
out:
    return err;
}

/* Of pairs with verdicts those of verdict `one`, then those of `two`, go to `to`; how many of
 * `one`, and of both. */
static int pairs_pick(imp *p, const pairs *from, uint32_t one, uint32_t two, pairs *to,
                      uint64_t picked[2])
{
    int err = IMP_OK;
    device *d = p->dev64;
    narrow_state *s = &p->narrow;
    uint32_t n = (uint32_t)from->count, tiles = n / CHUNK + (n % CHUNK != 0);
    TRY(buffer_fit(d, &s->count, (size_t)2 * tiles * sizeof(uint32_t)));
    TRY(RUN(d, narrow_count, tiles, U32(n), U32(CHUNK), BUF(&s->verdict), U32(one), U32(two),
            BUF(&s->count)));
    TRY(scan_counts(d, &s->scan, &s->count, 2 * tiles, &s->offset, &picked[1]));
    TRY(buffer_read(d, &s->offset, tiles * sizeof *picked, &picked[0], sizeof *picked));
    to->count = picked[1];
    TRY(buffer_fit(d, &to->a, to->count * sizeof(uint32_t)));
    TRY(buffer_fit(d, &to->b, to->count * sizeof(uint32_t)));
    TRY(RUN(d, narrow_pick, tiles, U32(n), U32(CHUNK), BUF(&s->verdict), U32(one), U32(two),
            BUF(&s->offset), BUF(&from->a), BUF(&from->b), BUF(&to->a), BUF(&to->b)));
out:
    return err;
}

/* What the kernels that give verdicts are given. */
#define QUESTION(p, pr, triangle)                                                                  \
    BUF(&(pr)->a), BUF(&(pr)->b), BUF(&(p)->bounds.made.corner), BUF(triangle)

/* Pairs in places become pairs of triangles. */
static int pairs_name(imp *p, pairs *pr)
{
    const grid_state *g = &p->broad.grid;
    if (!g->places)
        return IMP_OK;
    return RUN(p->dev64, narrow_names, pr->count, BUF(&g->id), BUF(&pr->a), BUF(&pr->b));
}

/* Asks the candidates `from` one question after another, each of those that the last one left open.
 * s->picked begins with *open pairs that do not matter any more, then come those that meet; s->near
 * is the undecided. */
static int pairs_ask(imp *p, const pairs *from, uint64_t *open)
{
    int err = IMP_OK;
    device *d = p->dev64;
    narrow_state *s = &p->narrow;
    const grid_state *g = &p->broad.grid;
    const buffer *x = g->places ? &g->triangle : &p->bounds.x;
    uint32_t rules = p->bounds.rules | (g->places ? RULE_PLACES : 0);
    uint64_t near[2], picked[2], left[2];
    TRY(buffer_fit(d, &s->verdict, from->count));
    TRY(RUN_PAIRS(d, narrow_far, from->count, QUESTION(p, from, x), U32(rules), BUF(&s->verdict)));
    TRY(pairs_pick(p, from, TRI_NEAR, TRI_NO_VERDICT, &s->near, near));
    TRY(RUN_PAIRS(d, narrow_test, s->near.count, QUESTION(p, &s->near, x), U32(rules),
                  BUF(&s->verdict)));
    if (!(rules & RULE_SKIP_ADJACENT))
        TRY(RUN(d, narrow_adjacent, s->near.count, QUESTION(p, &s->near, x), BUF(&s->verdict)));
    TRY(pairs_pick(p, &s->near, TRI_UNDECIDED, TRI_MEET, &s->picked, picked));
    *open = picked[0];
    s->near.count = 0;
    if (!*open)
        goto out;
    s->picked.count = *open;
    TRY(RUN(d, narrow_separate, *open, QUESTION(p, &s->picked, x), U32(rules), BUF(&s->verdict)));
    TRY(pairs_pick(p, &s->picked, TRI_UNDECIDED, TRI_NO_VERDICT, &s->near, left));
    s->picked.count = picked[1];
out:
    return err;
}

int narrow_collect(imp *p)
{
    int err = IMP_OK;
    device *d = p->dev64;
    narrow_state *s = &p->narrow;
    const pairs *from;
    uint64_t open;
    TRY(pairs_here(p, &from));
    if (!from->count)
        goto out;
    if (p->def.stage == IMP_STAGE_CANDIDATES) {
        TRY(pairs_append(d, &s->meet, from, 0, from->count));
        goto out;
    }
    TRY(pairs_ask(p, from, &open));
    TRY(pairs_name(p, &s->picked));
    TRY(pairs_name(p, &s->near));
    TRY(pairs_append(d, &s->meet, &s->picked, open, s->picked.count - open));
    TRY(pairs_append(d, &s->undecided, &s->near, 0, s->near.count));
out:
    return err;
}
