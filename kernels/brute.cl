/* All pairs of each frame, without an acceleration structure: the reference for every other method.
 * Query i is primitive i; it finds the pairs in which it has the lower number. */
#include "prim.h"

/* Writes the pairs that query i finds to `out` and returns their number. */
FN u32 brute_query(const scene *s, u32 i, u32 end, pair_sink out)
{
    u32 found = 0;
    for (u32 j = i + 1; j < end; j++)
        if (scene_candidate(s, i, j))
            sink_put(&out, found++, i, j);
    return found;
}

KERNEL void brute_count(ITEM_ARG u32 n, u32 query0, SCENE_ARGS, u32 frames, GLOBAL const u32 *prim0,
                        GLOBAL u32 *count)
{
    if (ITEM >= n)
        return;
    const scene s = SCENE;
    u32 i = query0 + ITEM, end = prim0[frame_of(prim0, frames, i) + 1];
    count[i] = brute_query(&s, i, end, sink_none());
}

KERNEL void brute_emit(ITEM_ARG u32 n, u32 query0, SCENE_ARGS, u32 frames, GLOBAL const u32 *prim0,
                       GLOBAL const u64 *offset, u64 base, GLOBAL u32 *a, GLOBAL u32 *b)
{
    if (ITEM >= n)
        return;
    const scene s = SCENE;
    u32 i = query0 + ITEM, end = prim0[frame_of(prim0, frames, i) + 1];
    brute_query(&s, i, end, sink_at(a, b, offset[i] - base));
}
