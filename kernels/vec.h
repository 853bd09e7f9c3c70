/* Vectors of three float64, by value. */
#ifndef IMP_VEC_H
#define IMP_VEC_H
#include "lane.h"
#ifdef IMP_FP64
#include "lane_vec.h"

/* a < b in lexicographic order. Not a formula of lane_vec.h: as one, without branches,
 * narrow_centroids took 26 % longer, since coordinates are rarely equal. The form for many lanes is
 * in tri_wide.h. */
FN i32 v3_less(v3 a, v3 b)
{
    return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z;
}

#endif
#endif
