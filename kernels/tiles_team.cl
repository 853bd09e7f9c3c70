/* The search for pairs in the chains of the tiles (tiles.cl), for CPUs. Included after
 * hash_team.cl, which implements it. */
#include "tiles.h"

/* Pairs of one class, and with visitors: see hash_strips. A bucket has tiles of one class. With two
 * parts each has its own classes, in which no two entries may pair. */
KERNEL void tiles_strips(ITEM_ARG u32 n, u32 strip0, SCENE_ARGS, GLOBAL const u32 *id,
                         GLOBAL const f32 *sorted, GLOBAL const u8 *own, GLOBAL const u32 *class0,
                         GLOBAL const u32 *record, ENTRY_STRIPS_ARGS)
{
    if (ITEM >= n)
        return;
    const scene s = SCENE;
    u32 strip = strip0 + ITEM, f = strip_frame[strip];
    finds x = finds_make(&s, capacity ? capacity : count[ITEM], 0,
                         sink_at(a, b, capacity ? (u64)ITEM * capacity : offset[ITEM]));
    hash_chains h = chains_of(ENTRIES_OF_FRAME);
    h.id = id;
    h.box = sorted;
    h.level = own;
    h.alone = class0[f + 1] - class0[f] > 1 ? HASH_NONE : 0;
    h.classes = record + (size_t)TILES_WORDS * class0[f];
    h.visits_only = tile_class_at(h.classes, 0).part != 0;
    chains_find(&s, &h, ENTRY_OF_STRIP(strip_first), ENTRY_OF_STRIP(strip_last), &x);
    count[ITEM] = x.found;
}
