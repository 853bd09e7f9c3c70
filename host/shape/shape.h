/* The surface of a rigid body in the body's own coordinates, and the distance of two surfaces.
 * Convexity is decided exactly. For convex bodies, V-Clip finds the closest features (Mirtich
 * 1998), starting from those of the last query; for others, trees over their triangles do. */
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

/* Copies its input. Takes O(n log n) time for n triangles. Errors: MEMORY. */
int shape_make(mem *m, const shape_def *def, shape **out);
void shape_free(mem *m, shape *s);

/* Returns whether the triangles bound a convex body, decided exactly: each edge has one partner in
 * the opposite direction, and no vertex is beyond the plane of any face. Vertices with the same
 * position count as one, coplanar triangles as one face, and all triangles may be clockwise instead
 * of counter-clockwise seen from outside. 0 without volume, and if a triangle has three different
 * collinear corners. */
int shape_is_convex(const shape *s);

/* Returns whether each edge belongs to an even number of triangles, so that the surface bounds a
 * solid; vertices with the same position count as one. If triangles are oriented, with each edge
 * used equally often in both directions, points with winding number 0 are outside, even where parts
 * overlap; otherwise those from which a ray crosses an even number of triangles. */
int shape_is_closed(const shape *s);

/* Its vertices, [3 * *count], some of which may belong to no triangle. */
const double *shape_points(const shape *s, uint32_t *count);

/* same[vertices]: the lowest vertex with the same position. Errors: MEMORY. */
int shape_same(mem *m, const double *points, uint32_t vertices, uint32_t *same);

/* Greatest distance of a triangle's corner from the origin of the body's coordinates, rounded
 * up. */
double shape_radius(const shape *s);

/* The closest points of two shapes. */
typedef struct shape_nearest {
    double distance;     /* 0: they touch, or convex ones overlap; within `error`. A nonconvex shape
                          * may be inside the other: shape_nested */
    double error;        /* upper limit of |distance - the true one| for these pose_maps. Mostly
                          * some 1e-14, rarely 1e-12, of the size: both radii and the distance of
                          * the origins */
    double point[2][3];  /* one on each, in the coordinates of the frame. If one convex body is in
                          * the other, both are a vertex of the inner one */
    uint32_t cell[2];    /* triangles that contain them */
    int64_t feature[2];  /* a vertex of the shape, the lowest with its position; 0-2: an edge of the
                          * triangle, by its first corner; -1: the face. `kind` tells which */
    uint8_t kind[2];     /* enum shape_kind */
    double direction[3]; /* unit vector from a to b. For convex bodies: all of b is at least
                          * distance - error beyond all of a along it. 0 0 0: unknown, or the
                          * distance is 0 */
    uint64_t steps;      /* number of feature steps and visited tree nodes */
    int searched;        /* convex bodies whose closest features V-Clip did not find: their trees
                          * were searched */
} shape_nearest;

enum shape_kind { SHAPE_VERTEX, SHAPE_EDGE, SHAPE_FACE };

/* Cached state of two shapes between queries. All zero: empty. It affects the time of a query, and
 * the distance only within `error`. */
typedef struct shape_pair {
    uint32_t near[2];
    uint32_t known;
} shape_pair;

/* The distance of a, posed by pa, from b. The maps must be rotations within 2^-50, and maps and
 * shapes must be finite in the frame. Thread-safe without locks; allocates nothing. Same bits
 * everywhere for the same arguments, including *cache.
 *
 * For convex bodies with the cache of a recent query: a few steps, however many faces they have. If
 * one is in the other: time in proportion to the other's faces. */
void shape_distance(const shape *a, const pose_map *pa, const shape *b, const pose_map *pb,
                    shape_pair *cache, shape_nearest *out);

/* Returns whether one shape, or a connected part of it, is inside the other, which must be closed.
 * Exact, based on the result of shape_distance for them. If so, *near becomes as for convex bodies:
 * the distance is 0, and both points are a vertex of the inner one. 0 if their surfaces touch, or
 * may touch within the error. Takes time only for parts in the box of the other. */
int shape_nested(const shape *a, const pose_map *pa, const shape *b, const pose_map *pb,
                 shape_nearest *near);

/* ---- All pairs of nearby triangles of two shapes. */

/* Receives pairs of triangles. A nonzero result ends the search. */
typedef struct shape_pair_sink {
    int (*add)(void *with, const uint32_t cell[2]);
    void *with;
} shape_pair_sink;

/* Reports every pair of triangles at most `reach` apart, once, and a few that are farther by the
 * rounding error. Uses the trees of both, in time proportional to the output; the order is
 * determined by the arguments. Returns the result of to->add. */
int shape_near(const shape *a, const pose_map *pa, const shape *b, const pose_map *pb, double reach,
               const shape_pair_sink *to);

#endif
