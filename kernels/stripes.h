/* A sum of f64 with one order on every device: number i of a range goes to lane i % SEGMENT_GROUP,
 * which adds its numbers one after another, starting from 0; then the upper half of the lanes is
 * added to the lower half until one remains. So it depends on the range alone, not on its
 * neighbours. */
#ifndef IMP_STRIPES_H
#define IMP_STRIPES_H
#include "dialect.h"
#include "segment.h"
#ifdef IMP_FP64

#ifndef IMP_DEVICE

/* for one item that has all lanes */
FN f64 stripes_join(f64 *stripe)
{
    for (u32 width = SEGMENT_GROUP / 2; width; width /= 2)
        for (u32 l = 0; l < width; l++)
            stripe[l] += stripe[width + l];
    return stripe[0];
}

#endif

#ifdef IMP_DEVICE

/* For a work-group whose items are the lanes, each with the sum x; every item must call it. The
 * first one gets the total, and with it the total of the numbers n. */
FN_LOCAL void stripes_join_group(LOCAL f64 *stripe, LOCAL u32 *count, f64 x, u32 n)
{
    u32 l = LOCAL_ID;
    stripe[l] = x;
    count[l] = n;
    for (u32 width = SEGMENT_GROUP / 2; width; width /= 2) {
        BARRIER();
        if (l >= width)
            continue;
        stripe[l] += stripe[width + l];
        count[l] += count[width + l];
    }
}

#endif

#endif
#endif
