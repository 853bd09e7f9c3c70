/* The construction of touches: four vertices at the instant of the touch, and their motions. */
#ifndef BENCH_TOUCH_PLAN_H
#define BENCH_TOUCH_PLAN_H

#include <stdint.h>

/* Four vertices that are at `there` after `num` of `den` parts of the step; in each part they move
 * by `way`. */
typedef struct plan {
    int64_t there[4][3], way[4][3];
    int num, den;
    int meet;     /* at that instant, and never before */
    int once;     /* nor after */
    int falls;    /* along an axis, with sides along the others */
    int64_t size; /* size of the features; a miss is 1 */
} plan;

typedef struct rng {
    uint64_t state;
} rng;

int64_t rng_between(rng *r, int64_t low, int64_t high);
int rng_chance(rng *r, int of);             /* true once in `of` times, at random */
int64_t rng_not_zero(rng *r, int64_t most); /* in [-most, most] without 0 */

/* Vertices stay in a plane, or on a line, if there are fewer axes. A falling feature does not move
 * along them. */
void touch_random_ways(rng *r, plan *p, int axes);

/* A vertex and a face: vertices 0 to 2 are those of the face, in the plane z = 0 throughout. Vertex
 * 3 passes through it at one instant, or stays in it. */
typedef void touch_maker(rng *r, plan *p);
touch_maker touch_in_face, touch_on_face_edge, touch_on_face_vertex, touch_face_is_segment,
    touch_face_becomes_segment, touch_face_is_point, touch_in_face_plane, touch_in_face_line;

/* Edges 0-1 and 2-3. The first is in the plane z = 0 throughout. The other one passes through it at
 * one instant, or stays in it. */
touch_maker touch_edges_cross, touch_end_on_edge, touch_end_on_end, touch_edges_become_line,
    touch_edge_is_point, touch_edges_in_plane, touch_edges_in_line;

#endif
