/* Pairs that a search of the broad phase finds in sorted order; they go to a region of its own. */
#ifndef IMP_FINDS_H
#define IMP_FINDS_H
#include "prim.h"
#include "search.h"

/* Pairs beyond `capacity` are only counted, and those beyond FOUND_MOST are not counted either: no
 * strip can have that many (host/broad/broad.c). */
#define FOUND_MOST 0xffffffffu

typedef struct finds {
    u32 found, capacity;
    u32 plain; /* only boxes, adjacency and equality of objects to test */
    u32 ranks; /* pairs are of ranks instead of primitives; still lower primitive first */
    pair_sink out;
#ifdef IMP_DEVICE
    search *to; /* if not NULL, the pairs of its query go there instead */
#endif
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
#ifdef IMP_DEVICE
    x.to = 0;
#endif
    return x;
}

#ifdef IMP_DEVICE
FN finds finds_search(const scene *s, search *to)
{
    finds x = finds_make(s, 0, 0, sink_none());
    x.to = to;
    return x;
}
#endif

/* Adds the pair if the remaining rules allow it. Its boxes overlap, and its primitives share no
 * vertex if that rules pairs out. */
FN void finds_pair(const scene *s, finds *f, u32 one, u32 other, u32 one_rank, u32 other_rank)
{
    u32 swap = one > other, low = swap ? other : one;
    if (!scene_allows(s, one, other))
        return;
#ifdef IMP_DEVICE
    if (f->to) {
        search_keep(f->to, other);
        return;
    }
#endif
    if (f->found < f->capacity && f->out.a) {
        f->out.a[f->found] = !f->ranks ? low : swap ? other_rank : one_rank;
        f->out.b[f->found] = !f->ranks ? one + other - low : swap ? one_rank : other_rank;
    }
    f->found += f->found < FOUND_MOST;
}

/* The same for the primitives at two ranks. */
FN void finds_hit(const scene *s, GLOBAL const u32 *id, finds *f, u32 one_rank, u32 other_rank)
{
    finds_pair(s, f, id[one_rank], id[other_rank], one_rank, other_rank);
}

/* Adds a pair that passed all tests. */
FN void finds_put(finds *f, u32 one, u32 other)
{
#ifdef IMP_DEVICE
    if (f->to) {
        search_keep(f->to, other);
        return;
    }
#endif
    if (f->found < f->capacity)
        sink_put(&f->out, f->found, one, other);
    f->found += f->found < FOUND_MOST;
}

#endif
