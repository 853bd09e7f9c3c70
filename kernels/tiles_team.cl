/* The search for pairs in the chains of the tiles (tiles.cl), for CPUs. Comes after hash_team.cl,
 * which has it. */
#include "tiles.h"

#ifndef IMP_GROUP_FORMS

/* Pairs of one class, and with visitors, by strip of entries: see hash_strips. A bucket has tiles
 * of one class. */
KERNEL void tiles_strips(ITEM_ARG u32 n, u32 strip0, SCENE_ARGS, GLOBAL const u32 *key,
                         GLOBAL const u32 *value, u32 prim_bits, u32 bucket_bits,
                         GLOBAL const u32 *id, GLOBAL const f32 *sorted, GLOBAL const u8 *own,
                         GLOBAL const u32 *class0, GLOBAL const u32 *record, ENTRY_STRIPS_ARGS)
{
    if (ITEM >= n)
        return;
    const scene s = SCENE;
    u32 strip = strip0 + ITEM, f = strip_frame[strip];
    u64 e = entry0[f] + (u64)HASH_GROUP * (strip_first[strip] - group0[f]);
    u64 end = entry0[f] + (u64)HASH_GROUP * (strip_last[strip] - group0[f]);
    finds x = finds_make(&s, capacity ? capacity : count[ITEM], 0,
                         sink_at(a, b, capacity ? (u64)ITEM * capacity : offset[ITEM]));
    hash_chains h;
    h.key = key;
    h.value = value;
    h.first = entry0[f];
    h.end = entry0[f + 1];
    h.prim_bits = prim_bits;
    h.bucket_bits = bucket_bits;
    h.id = id;
    h.box = sorted;
    h.level = own;
    h.alone = class0[f + 1] - class0[f] > 1 ? HASH_NONE : 0;
    h.inv = 0;
    h.classes = record + (size_t)TILES_WORDS * class0[f];
    /* Of two parts each has classes of its own: no entry may meet another one of its class. */
    h.visits_only = tile_class_at(h.classes, 0).part != 0;
    chains_find(&s, &h, e, end < h.end ? end : h.end, &x);
    count[ITEM] = x.found;
}

#endif
