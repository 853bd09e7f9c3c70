/* A square cloth that falls over a ball and onto the floor.
 *
 * Position based dynamics with small steps: free flight, then one pass over the links between
 * vertices, then out of the ball and the floor with friction; the velocity is what became of the
 * position. That is stable for any size of step. The cloth does not see itself: its folds go
 * through each other, which is what the scene is for. */
#ifndef IMP_SCENE_CLOTH_H
#define IMP_SCENE_CLOTH_H

#include "scene_kind.h"

typedef struct cloth {
    uint64_t side;         /* quads along each side */
    double edge;           /* of a quad at rest */
    double radius, height; /* of the ball; of its middle over the floor z = 0, above the origin */
    double spin;           /* of the ball about the z axis, radians a second */
    double angle;          /* by which it has turned */
    uint64_t steps;        /* done so far */
    v3 *at, *was, *speed;  /* [(side + 1)^2] position, the one a step before, velocity */
    double *rest;          /* [(side + 1)^2] how far above the floor a vertex comes to rest */
} cloth;

/* Allocates; all numbers but `at` are then the caller's to set. */
int cloth_init(scene *s, uint64_t side, cloth *c);

/* Goes on by dt seconds. */
void cloth_step(cloth *c, double dt);

/* Point (row, col) of a grid of fine x fine quads over the cloth, smooth between its vertices:
 * cloth_row prepares a row, in a curve of side + 3 points, cloth_col takes a point out of it. */
void cloth_row(const cloth *c, uint64_t row, uint64_t fine, v3 *curve);
v3 cloth_col(const cloth *c, uint64_t col, uint64_t fine, const v3 *curve);

#endif
