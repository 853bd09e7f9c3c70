/* Pairs that searches of the broad phase find in sorted order; they go to a region of their own. */
#ifndef IMP_FINDS_H
#define IMP_FINDS_H
#include "prim.h"

/* Pairs beyond `capacity` are only counted, and those beyond FOUND_MOST not even that: no strip can
 * have that many (host/broad/strips.c). */
#define FOUND_MOST 0xffffffffu

typedef struct finds {
    u32 found, capacity;
    u32 plain; /* only boxes, adjacency and equality of objects to test */
    u32 ranks; /* pairs are of ranks instead of primitives; still by primitive, lower first
                */
    pair_sink out;
} finds;

FN finds finds_make(const scene *s, u32 capacity, u32 ranks, pair_sink out)
{
    finds x;
    x.found = 0;
    x.capacity = capacity;
    x.ranks = ranks;
    x.plain = !s->extra && !(s->rules & (RULE_LIST_ONLY | RULE_LIST_NOT)) && s->first == 0 &&
              s->last == 0xffffffffu;
    x.out = out;
    return x;
}

/* Two boxes overlap, and the primitives share no vertex if that rules them out. Do the other rules
 * allow the pair? */
FN void finds_pair(const scene *s, finds *f, u32 one, u32 other, u32 one_rank, u32 other_rank)
{
    u32 swap = one > other, low = swap ? other : one;
    if (low < s->first || low >= s->last || !slabs_overlap(s->slab, s->extra, one, other) ||
        !objects_allowed(s->rules, s->object, s->list, s->listed, one, other))
        return;
    if (f->found < f->capacity && f->out.a) {
        f->out.a[f->found] = !f->ranks ? low : swap ? other_rank : one_rank;
        f->out.b[f->found] = !f->ranks ? one + other - low : swap ? one_rank : other_rank;
    }
    f->found += f->found < FOUND_MOST;
}

/* The same of the primitives at two ranks. */
FN void finds_hit(const scene *s, GLOBAL const u32 *id, finds *f, u32 one_rank, u32 other_rank)
{
    finds_pair(s, f, id[one_rank], id[other_rank], one_rank, other_rank);
}

/* Queries are counted, then emitted. The first pairs of each may be kept from the count, so that
 * most queries search once: those of query i from 2 EARLY_MOST i on, the lower primitives, then the
 * others. One pointer to both, and constants, take fewest registers of a GPU. `early`: EARLY_MOST,
 * or 0, and none are kept. finds_counted: of query i while it is counted. */
FN finds finds_counted(const scene *s, u32 early, GLOBAL u32 *kept, u32 i)
{
    pair_sink out = sink_none();
    if (early) { /* else there is no buffer */
        out.a = kept + (size_t)2 * EARLY_MOST * i;
        out.b = out.a + EARLY_MOST;
    }
    return finds_make(s, early, 0, out);
}

/* Are all pairs of query i, which begin at offset[i], kept from the count? */
FN i32 finds_kept(u32 early, GLOBAL const u64 *offset, u32 i)
{
    return offset[i + 1] - offset[i] <= early;
}

/* Adds a pair that passed all tests. */
FN void finds_put(finds *f, u32 one, u32 other)
{
    if (f->found < f->capacity)
        sink_put(&f->out, f->found, one, other);
    f->found += f->found < FOUND_MOST;
}

#endif
