/* The surface of a rigid body in the body's own coordinates, and how far two of them are from each
 * other. Convexity is decided exactly. Of convex bodies the closest features are found by V-Clip
 * (Mirtich 1998), from those of the last query on; of others by trees over their triangles. */
#ifndef IMP_SHAPE_H
#define IMP_SHAPE_H

#include "bodies.h"
#include "mem.h"

typedef struct shape shape;

typedef struct shape_def {
    const double *points; /* [3 * vertices] x y z, finite */
    uint32_t vertices;
    const uint32_t *corner; /* [3 * triangles], below vertices */
    uint32_t triangles;     /* at least one */
} shape_def;

/* Copies what it needs. Takes time n log n for n triangles. Errors: MEMORY. */
int shape_make(mem *m, const shape_def *def, shape **out);
void shape_free(mem *m, shape *s);

/* The triangles bound a convex body, exactly: each edge has one partner in the other direction, and
 * no vertex is beyond the plane of any face. Vertices with the same position are one, triangles in
 * one plane are one face, and all triangles may be clockwise instead of counter-clockwise seen from
 * outside. 0 without volume, and if a triangle has three different corners on a line. */
int shape_is_convex(const shape *s);

/* Each edge is that of an even number of triangles, so that the surface bounds a solid; vertices
 * with the same position are one. Where triangles are oriented, each edge as often one way as the
 * other, points that they go round 0 times are outside, whatever parts overlap; else those from
 * which a ray crosses an even number of triangles. */
int shape_is_closed(const shape *s);

/* [3 * *count] its vertices, of which some may belong to no triangle. */
const double *shape_points(const shape *s, uint32_t *count);

/* same[vertices]: the lowest vertex with the same position as each one. Errors: MEMORY. */
int shape_same(mem *m, const double *points, uint32_t vertices, uint32_t *same);

/* Of the farthest corner of a triangle from the origin of the body's coordinates, rounded up. */
double shape_radius(const shape *s);

/* Where two shapes are closest. */
typedef struct shape_nearest {
    double distance;     /* 0: they touch, or convex ones have points in common; within `error`. Of
                            others one may be inside the other: shape_nested */
    double error;        /* at least |distance - the true one|, for these pose_maps. Mostly some
                            1e-14, seldom 1e-12 of the size: both radii and the distance of the
                            origins */
    double point[2][3];  /* of each, in the coordinates of the frame. Where one convex body is in
                            the other, both are a vertex of the inner one */
    uint32_t cell[2];    /* triangles that have them */
    int64_t feature[2];  /* a vertex of the shape, the lowest with its position; 0-2 an edge of the
                            triangle by its first corner; -1 the face: which of them, `kind` says */
    uint8_t kind[2];     /* enum shape_kind */
    double direction[3]; /* of length 1, from a to b. Of convex bodies: all of b is at least
                            distance - error beyond all of a along it. 0 0 0: not known, or the
                            distance is 0 */
    uint64_t steps;      /* of the walk over features, and nodes of trees that were visited */
    int searched;        /* convex bodies whose closest features the walk did not find: their trees
                            were searched */
} shape_nearest;

enum shape_kind { SHAPE_VERTEX, SHAPE_EDGE, SHAPE_FACE };

/* What is kept of two shapes from query to query. All zero: nothing. It changes the time of a
 * query, never the distance by more than `error`. */
typedef struct shape_pair {
    uint32_t near[2];
    uint32_t known;
} shape_pair;

/* The distance of a, where pa puts it, from b. The maps are rotations within 2^-50, and what they
 * and the shapes have is finite in the frame. Never waits for another thread, and takes no memory.
 * The same bits everywhere for the same arguments, *kept included.
 *
 * Of convex bodies with what is kept of a query shortly before: a few steps, however many faces
 * they have. One that is in the other: time in proportion to the other's faces. */
void shape_distance(const shape *a, const pose_map *pa, const shape *b, const pose_map *pb,
                    shape_pair *cache, shape_nearest *out);

/* Is one shape, or a part of it that hangs together, inside the other, which is closed? Exactly,
 * for what shape_distance has found of them. If so, *near becomes as of convex bodies: the distance
 * is 0, and both points are a vertex of the inner one. 0 where their surfaces touch, or may touch
 * within the error. Takes time only for parts that are in the box of the other. */
int shape_nested(const shape *a, const pose_map *pa, const shape *b, const pose_map *pb,
                 shape_nearest *near);

/* ---- All triangles of two shapes that are near each other. */

/* Gets pairs of triangles. What it returns, unless it is 0, ends the search. */
typedef struct shape_pair_sink {
    int (*add)(void *with, const uint32_t cell[2]);
    void *with;
} shape_pair_sink;

/* Every pair of triangles at most `reach` apart, once, and a few that are farther by what rounding
 * does. Time in proportion to what is near, by the trees of both; the order follows from the
 * arguments. Returns what `take` returned. */
int shape_near(const shape *a, const pose_map *pa, const shape *b, const pose_map *pb, double reach,
               const shape_pair_sink *to);

#endif
