/* Curves along which two surfaces intersect. Within patch*.c. */
#ifndef IMP_PATCH_CURVE_H
#define IMP_PATCH_CURVE_H

#include "patch_parts.h"

/* An edge of one side goes through a triangle of the other. */
typedef struct patch_pierce {
    uint32_t side, edge, cell;
    uint32_t root; /* of its curve, by way of others; itself: it is the root */
    v3 at, middle; /* the middle of the edge */
} patch_pierce;

typedef struct patch_segment {
    v3 end[2]; /* so that the part of a's surface that is in b is to the left, seen from outside */
    uint32_t root;
} patch_segment;

typedef struct patch_curve {
    uint32_t root;
    size_t first, end;      /* of segments */
    v3 middle, normal;      /* from a to b */
    v3 axis[2];             /* across it */
    double low[2], high[2]; /* what it encloses, along these */
    int closed;
    double area;
    int hole;  /* of another one */
    int holds; /* a point of it has a gap of 0 or less */
} patch_curve;

typedef struct patch_overlap {
    mem *mem;
    patch_pierce *pierce;
    patch_segment *segment;
    patch_curve *curve;
    size_t pierces, pierces_capacity, segments, segments_capacity, curves, curves_capacity;
} patch_overlap;

/* Does a curve enclose a point, as seen along its normal? */
int patch_encloses(const patch_context *w, const patch_curve *c, v3 at);

#endif
