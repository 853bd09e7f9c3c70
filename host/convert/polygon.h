/* Polygons in space into triangles. */
#ifndef IMP_POLYGON_H
#define IMP_POLYGON_H

#include "exact.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

/* Memory that is used again from one polygon to the next; zeroed at first. */
typedef struct polygon_workspace {
    struct polygon_node *node;
    uint32_t *cell;
    size_t node_bytes, cell_bytes;
} polygon_workspace;

void polygon_workspace_free(polygon_workspace *w);

/* Cuts the polygon corner[0 .. n - 1], n >= 3, into n - 2 triangles between its corners, each
 * turned as the polygon is: triangle[3 * (n - 2)], as vertex numbers. point[3 * v] is vertex v.
 *
 * The corners are seen along the axis that the polygon's area vector is nearest to. If a fan around
 * the first corner is right there, as always for a convex polygon, it is taken. Else ears are
 * clipped: corners with no other corner in their triangle. What is inside is decided exactly, so
 * the triangles cover the polygon as it is seen and nothing else. Corners on a straight line,
 * repeated corners, spikes, and holes that two coincident edges join to the outline are allowed;
 * where there is no area a triangle has none. A polygon that crosses itself along this axis is also
 * looked at along its area vector and the other axes.
 *
 * *crosses becomes 1 if no view shows triangles that cover it and nothing else: they may reach
 * beyond it. A polygon with a corner that is not finite becomes a fan.
 *
 * The result depends on the coordinates and the order of the corners only, and not on a power of
 * two that scales all. Errors: INPUT (a polygon with very many corners would take too long),
 * MEMORY. */
int polygon_triangulate(polygon_workspace *space, const double *point, const uint32_t *corner,
                        uint32_t n, uint32_t *triangle, int *crosses);

/* Are the triangles that polygon_triangulate made of these corners when they were elsewhere right
 * here too? Meant for flat polygons only: one that is bent has no triangles that are more right
 * than others, and 1 is the answer; so it is if the polygon has no area or a corner that is not
 * finite. */
int polygon_holds(const double *point, const uint32_t *corner, uint32_t n,
                  const uint32_t *triangle);

/* ---- Within polygon.c: clipping the ears of a polygon in the plane. */

typedef struct polygon_node {
    exact_point at; /* in the plane: x[2] is 0 */
    double length;  /* of the edge that clipping it makes, squared */
    uint32_t prev, next;
    uint32_t below; /* in the list of its cell */
    uint32_t heap;  /* the corner at this rank of the heap */
    uint32_t rank;  /* of this corner in the heap, from 1; 0: not in it */
    /* A corner that is no ear waits for one that is in its triangle. */
    uint32_t waiters, waits_for, wait_prev, wait_next;
    uint8_t blunt, listed, gone;
} polygon_node;

enum ears_end { EARS_DONE, EARS_STUCK, EARS_SPENT };

typedef struct ears {
    polygon_node *node;
    uint32_t nodes, remaining, start; /* start: one of those that remain */
    int sign;                         /* 1: counter-clockwise */
    /* blunt corners in a grid */
    uint32_t *cell, side;
    double low[2], scale[2], unit;
    uint32_t heap; /* corners in the queue: they may be ears, the shortest edge first */
    int relaxed;   /* an ear may have others on its edges */
    uint64_t work, most;
    uint32_t *out; /* where the next triangle goes, as positions of nodes */
} ears;

/* node[].at of all corners is set, and cell[ears_side(nodes)^2] there. sign: how the polygon turns
 * in this view. STUCK: no corner is an ear, so it crosses itself or turns the other way; SPENT: it
 * takes more than `most` steps. With `force` it always ends with DONE. */
enum ears_end ears_clip(ears *e, int force);

/* Cells along a side of the grid. */
uint32_t ears_side(uint32_t nodes);

/* Within polygon.c: a corner into the queue, again with its present length, and out of it. */
void ears_enqueue(ears *e, uint32_t i);
void ears_dequeue(ears *e, uint32_t i);

/* Full turns of the polygon: 1 or -1 if it does not cross itself. With spikes it is not known. */
#define EARS_OPEN INT_MAX
int ears_rotation(ears *e);

#endif
