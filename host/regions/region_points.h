/* Points where contours meet a face, and their places: rounded, and exactly where that leaves a
 * doubt. */
#ifndef IMP_REGION_POINTS_H
#define IMP_REGION_POINTS_H

#include "contour_graph.h"
#include "exact_number.h"

#define REGION_NONE UINT32_MAX

static inline int region_feature_vertices(const contour_feature *f)
{
    return 1 + (f->vertex[1] != CONTOUR_NONE) + (f->vertex[2] != CONTOUR_NONE);
}

/* What points are made of. */
typedef struct region_space {
    const imp_frame *frame;
    const contour_graph *graph;
} region_space;

/* A vertex, a node of a contour, or the crossing of two segments in a plane. */
typedef struct region_point {
    double x[3]; /* rounded correctly; of a crossing only the coordinates along the plane's axes */
    uint8_t exact;  /* bit k: coordinate k is not rounded */
    uint32_t of[2]; /* a vertex: none; a node: its number, and none; a crossing: two segments */
    int along;      /* of a crossing: the axis of the view */
} region_point;

/* A face, seen along an axis: coordinates of points are x[axis[0]] and x[axis[1]]. */
typedef struct region_view {
    region_space of;
    int along, axis[2];
    int turn;        /* 1: the corners go around counter-clockwise; -1 */
    double error[2]; /* bounds of the errors of differences */
    double scale;    /* 0.5 if differences might overflow, else 1 */
} region_view;

region_point region_point_of_vertex(const region_space *s, uint32_t vertex);
region_point region_point_of_node(const region_space *s, uint32_t node);
region_point region_point_of_crossing(const region_view *v, uint32_t segment, uint32_t other);

/* corner: of the face. Returns 0 if it has no area. */
int region_view_make(const region_space *s, const exact_point corner[3], region_view *out);

/* -1, 0, 1: the order of two points along an axis; of two points of a view along its first axis,
 * then the second; the side of r that p-q passes, 1 if r is on the left. All exact. */
int region_order_along(const region_space *s, const region_point *p, const region_point *q,
                       int axis);
int region_order(const region_view *v, const region_point *p, const region_point *q);
int region_turn(const region_view *v, const region_point *p, const region_point *q,
                const region_point *r);

/* Sorts numbers by an order of what they stand for; work: [n]. Equal ones keep their order. */
typedef int region_less(const void *of, uint32_t a, uint32_t b); /* as of qsort */
void region_sort(uint32_t *number, uint32_t *work, size_t n, region_less *order, const void *of);

#endif
