/* Polygons in space into triangles. */
#ifndef IMP_POLYGON_H
#define IMP_POLYGON_H

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

#endif
