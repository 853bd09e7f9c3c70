/* Pairs that work-groups find, one query for each item. All go to one list, so that a query
 * searches only once, without counting first: items keep pairs, and the pairs of a group are
 * appended contiguously. Pairs beyond the capacity are only counted, and the host allocates a
 * longer list (host/broad/broad.c). The order in the list depends on the device; no result depends
 * on it, since pairs that meet are sorted.
 *
 * `sums` has two words for each 64-bit number, for which devices need not have atomic sums: the
 * number of all pairs, then those of each frame, if there is more than one. */
#ifndef IMP_SEARCH_H
#define IMP_SEARCH_H
#include "group.h"
#include "prim.h"
#ifdef IMP_DEVICE

#define SEARCH_KEPT 16      /* pairs that an item can keep */
#define SEARCH_GONE 0xffffu /* a rejected pair */
#define SEARCH_PAIRS (SEARCH_KEPT * SEARCH_GROUP)

/* The local memory of a group. */
typedef struct search_shared {
    u32 kept[SEARCH_PAIRS];   /* the other primitive: pair k of item l is SEARCH_GROUP k + l */
    u16 packed[SEARCH_PAIRS]; /* indices of the kept pairs, without gaps */
    u32 one[SEARCH_GROUP], frame[SEARCH_GROUP]; /* per item */
    u32 sum[2 * SEARCH_GROUP];
    u32 place; /* index in the list */
} search_shared;

#define SEARCH_ARGS u32 room, GLOBAL u32 *sums, GLOBAL u32 *a, GLOBAL u32 *b
#define SEARCH_LIST                                                                                \
    {                                                                                              \
        a, b, sums, room                                                                           \
    }

typedef struct search_list {
    GLOBAL u32 *a, *b, *sums;
    u32 room; /* capacity, in pairs */
} search_list;

typedef struct search {
    search_list list;
    LOCAL search_shared *shared;
    u32 frames, one, frame;
    u32 kept;
} search;

/* Begins a query of this item. Structs are passed by pointers: some compilers fail on structs by
 * value. */
FN_LOCAL void search_begin(search *x, const search_list *list, LOCAL search_shared *shared,
                           u32 frames, u32 frame, u32 one)
{
    x->list = *list;
    x->shared = shared;
    x->frames = frames;
    x->one = one;
    x->frame = frame;
    x->kept = 0;
    shared->one[LOCAL_ID] = one;
    shared->frame[LOCAL_ID] = frame;
}

/* Adds to a 64-bit sum; returns its lower word before. */
FN u32 search_add(GLOBAL u32 *sum, u32 n)
{
    u32 old = ATOMIC_ADD(sum, n);
    if (old + n < old)
        ATOMIC_ADD(sum + 1, 1);
    return old;
}

FN void search_add_frame(const search *x, u32 frame, u32 n)
{
    if (x->frames > 1)
        search_add(x->list.sums + (size_t)2 * (frame + 1), n);
}

FN void search_put(const search_list *l, u32 at, u32 one, u32 other)
{
    if (at >= l->room)
        return;
    l->a[at] = u32_min(one, other);
    l->b[at] = u32_max(one, other);
}

/* ---- pairs of a group */

/* Inclusive sum over the items up to this one. */
FN_LOCAL u32 search_scan(LOCAL u32 *sum, u32 x)
{
    u32 l = LOCAL_ID, side = 0;
    sum[l] = x;
    BARRIER();
    for (u32 d = 1; d < SEARCH_GROUP;
         d *= 2) { /* alternates between the halves: one barrier a step */
        x += l >= d ? sum[side + l - d] : 0;
        side ^= SEARCH_GROUP;
        sum[side + l] = x;
        BARRIER();
    }
    return x;
}

/* *all: the sum of `mine` over the items. Returns the sum over the earlier items: the index of the
 * item's first pair. Sums of 64 items end where they began. */
FN_LOCAL u32 search_places(LOCAL search_shared *m, u32 mine, u32 *all)
{
    u32 upto = search_scan(m->sum, mine);
    *all = m->sum[SEARCH_GROUP - 1];
    BARRIER();
    return upto - mine;
}

/* Packs the pairs that items have kept; returns their number. */
FN_LOCAL u32 search_pack(search *x)
{
    LOCAL search_shared *m = x->shared;
    u32 all, place = search_places(m, x->kept, &all);
    for (u32 k = 0; k < x->kept; k++)
        m->packed[place + k] = (u16)(SEARCH_GROUP * k + LOCAL_ID);
    x->kept = 0;
    BARRIER();
    return all;
}

/* Appends the packed pairs that are not SEARCH_GONE, out of `all`, to the list, in their order:
 * neighbours in the list are neighbours in space. An item writes adjacent ones: packing again would
 * take local memory, and with less of that more groups run at a time. */
FN_LOCAL void search_write(search *x, u32 all)
{
    LOCAL search_shared *m = x->shared;
    u32 each = (all + SEARCH_GROUP - 1) / SEARCH_GROUP, first = each * LOCAL_ID;
    u32 last = u32_min(first + each, all), mine = 0, left;
    u32 whole = m->frame[0] == m->frame[SEARCH_GROUP - 1];
    BARRIER();
    for (u32 i = first; i < last; i++)
        mine += m->packed[i] != SEARCH_GONE;
    u32 place = search_places(m, mine, &left);
    if (left && LOCAL_ID == 0) {
        m->place = search_add(x->list.sums, left);
        if (whole)
            search_add_frame(x, m->frame[0], left);
    }
    BARRIER();
    place += m->place;
    for (u32 i = first; i < last; i++) {
        u32 pair = m->packed[i], item = pair % SEARCH_GROUP;
        if (pair == SEARCH_GONE)
            continue;
        search_put(&x->list, place++, m->one[item], m->kept[pair]);
        if (!whole)
            search_add_frame(x, m->frame[item], 1);
    }
    BARRIER();
}

/* Returns whether any item of the group passes a non-zero value. */
FN_LOCAL u32 search_any(const search *x, u32 say)
{
    LOCAL u32 *any = &x->shared->place;
    if (LOCAL_ID == 0)
        *any = 0;
    BARRIER();
    if (say)
        ATOMIC_ADD(any, 1);
    BARRIER();
    u32 result = *any;
    BARRIER();
    return result;
}

/* ---- pairs of a single item, while others may have none */

FN_LOCAL void search_flush(search *x)
{
    u32 at = search_add(x->list.sums, x->kept);
    search_add_frame(x, x->frame, x->kept);
    ROLLED
    for (u32 k = 0; k < x->kept; k++)
        search_put(&x->list, at + k, x->one, x->shared->kept[k * SEARCH_GROUP + LOCAL_ID]);
    x->kept = 0;
}

/* Keeps a pair that passed all tests. */
FN_LOCAL void search_keep(search *x, u32 other)
{
    x->shared->kept[x->kept * SEARCH_GROUP + LOCAL_ID] = other;
    if (++x->kept == SEARCH_KEPT)
        search_flush(x);
}

/* Appends the kept pairs to the list; every item of the group must call it. */
FN_LOCAL void search_end(search *x)
{
    search_write(x, search_pack(x));
}

#endif
#endif
