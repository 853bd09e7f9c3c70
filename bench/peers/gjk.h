/* A peer in C: whether two convex bodies meet, by libccd. Only built if CMake found it. */
#ifndef BENCH_GJK_H
#define BENCH_GJK_H

#include "../roof.h"

/* By GJK, and by Minkowski portal refinement. */
int gjk_meet(const roof_pair *p);
int mpr_meet(const roof_pair *p);

#endif
