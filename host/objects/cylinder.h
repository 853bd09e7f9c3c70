/* Bounding cylinders of the nodes of a tree. A box around a slanted part of a surface is about as
 * thick as it is wide. A cylinder whose axis is normal to the surface is thin, so that the distance
 * of two parts of surfaces that face each other is bounded closely. */
#ifndef IMP_CYLINDER_H
#define IMP_CYLINDER_H

#include "bounds.h"
#include "tree.h"

/* Coordinates here are those of boxes, at most about 2 in the unit of the frame. They and lengths
 * err by less than 2^-46; boxes of float32 are coarser by far. */
#define CYLINDER_ERROR 0x1p-40

#define CYLINDER_LEAF 8 /* the most primitives of a leaf */

typedef struct cylinder {
    double centre[3];
    double axis[3]; /* length 1; 0: a ball */
    double half;    /* half of the height */
    double radius;
} cylinder;

/* The points of a frame in these coordinates: a power of two scales them exactly, and a difference
 * is rounded. */
typedef struct cylinder_points {
    const imp_frame *frame;
    uint32_t prim0;
    double scale[2], centre[3];
} cylinder_points;

cylinder_points cylinder_points_of(const block_view *v, const bounds *o, uint32_t f);

/* The corners of a prim; returns their number. */
uint32_t cylinder_corners(const cylinder_points *p, uint32_t prim, double out[4][3]);

/* Fits a cylinder to each node of a tree of k-DOPs of these prims, whose leaves have at most
 * CYLINDER_LEAF of them. out: [t->nodes]. Errors: CANCELLED. */
int cylinders_fit(const cylinder_points *p, const tree *t, cylinder *out);

/* Returns whether the primitives in two cylinders are certainly farther apart than `distance`. way:
 * a direction from p to q that is tried first, of any length; afterwards one that separates them
 * better, unless the first did. */
int cylinders_beyond(const cylinder *p, const cylinder *q, double distance, double way[3]);

#endif
