/* Triangulation of polygons in space. */
#ifndef IMP_POLYGON_H
#define IMP_POLYGON_H

#include "exact.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

/* Scratch memory, reused for each polygon; zeroed at first. */
typedef struct polygon_workspace {
    struct polygon_node *node;
    uint32_t *cell;
    size_t node_bytes, cell_bytes;
} polygon_workspace;

void polygon_workspace_free(polygon_workspace *w);

/* Cuts the polygon corner[0 .. n - 1], n >= 3, into n - 2 triangles between its corners, each
 * oriented like the polygon: triangle[3 * (n - 2)], as vertex numbers. point[3 * v] is vertex v.
 *
 * The corners are projected along the axis nearest to the polygon's area vector. A fan around the
 * first corner is used if it is correct there, as always for a convex polygon. Otherwise ears are
 * clipped: corners with no other corner in their triangle. The inside test is exact, so the
 * triangles cover exactly the projected polygon. Collinear corners, repeated corners, spikes, and
 * holes that two coincident edges join to the outline are allowed; triangles of parts without area
 * have none. A polygon that intersects itself along this axis is also projected along its area
 * vector and the other axes.
 *
 * *crosses becomes 1 if no projection gives triangles that cover it exactly: they may extend beyond
 * it. A polygon with a corner that is not finite becomes a fan.
 *
 * The result depends only on the coordinates and the order of the corners, and does not change with
 * a scale factor that is a power of two. Errors: INPUT (a polygon with very many corners would take
 * too long), MEMORY. */
int polygon_triangulate(polygon_workspace *space, const double *point, const uint32_t *corner,
                        uint32_t n, uint32_t *triangle, int *crosses);

/* Returns whether the triangles that polygon_triangulate made of these corners at other positions
 * are also correct here. Only meant for flat polygons: for a bent one, no triangulation is more
 * correct than others, and the result is 1; also if the polygon has no area or a corner that is not
 * finite. */
int polygon_holds(const double *point, const uint32_t *corner, uint32_t n,
                  const uint32_t *triangle);

/* ---- Private to polygon.c: clipping the ears of a polygon in the plane. */

typedef struct polygon_node {
    exact_point at; /* in the projection plane: x[2] is 0 */
    double length;  /* squared length of the edge made by clipping it */
    uint32_t prev, next;
    uint32_t below; /* next in the list of its cell */
    uint32_t heap;  /* corner at this rank of the heap */
    uint32_t rank;  /* rank of this corner in the heap, from 1; 0: not in it */
    /* A corner that is not an ear waits for one in its triangle. */
    uint32_t waiters, waits_for, wait_prev, wait_next;
    uint8_t blunt, listed, gone;
} polygon_node;

enum ears_end { EARS_DONE, EARS_STUCK, EARS_SPENT };

typedef struct ears {
    polygon_node *node;
    uint32_t nodes, remaining, start; /* start: one of the remaining nodes */
    int sign;                         /* 1: counter-clockwise */
    /* blunt corners in a grid */
    uint32_t *cell, side;
    double low[2], scale[2], unit;
    uint32_t heap; /* corners in the queue, which may be ears; shortest edge first */
    int relaxed;   /* an ear may have other corners on its edges */
    uint64_t work, most;
    uint32_t *out; /* destination of the next triangle, in node indices */
} ears;

/* node[].at must be set for all corners, and cell[ears_side(nodes)^2] allocated. sign: orientation
 * of the polygon in this projection. STUCK: no corner is an ear, so the polygon intersects itself
 * or has the other orientation; SPENT: it takes more than `most` steps. With `force`, the result is
 * always DONE. */
enum ears_end ears_clip(ears *e, int force);

/* Cells along a side of the grid. */
uint32_t ears_side(uint32_t nodes);

/* Private to polygon.c: adds a corner to the queue, or updates it with its present length; removes
 * it. */
void ears_enqueue(ears *e, uint32_t i);
void ears_dequeue(ears *e, uint32_t i);

/* Full turns of the polygon: 1 or -1 if it does not intersect itself; EARS_OPEN if unknown because
 * of spikes. */
#define EARS_OPEN INT_MAX
int ears_rotation(ears *e);

#endif
