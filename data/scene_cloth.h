/* A square cloth that falls over a ball and onto the floor.
 *
 * Position based dynamics with small steps: free flight, then one pass over the links between
 * vertices, then projection out of the ball and the floor with friction; the velocity follows from
 * the change in position. That is stable for any step size. The cloth does not collide with itself:
 * its folds go through each other, which is the purpose of the scene. */
#ifndef IMP_SCENE_CLOTH_H
#define IMP_SCENE_CLOTH_H

#include "scene_kind.h"

typedef struct cloth {
    uint64_t side;         /* quads along each side */
    double edge;           /* length of a quad at rest */
    double radius, height; /* the ball's; height of its centre above the floor z = 0 */
    double spin;           /* angular velocity of the ball about the z axis, rad/s */
    double angle;          /* rotation of the ball so far */
    uint64_t steps;        /* number of steps so far */
    v3 *at, *was, *speed;  /* [(side + 1)^2] position, previous position, velocity */
    double *rest;          /* [(side + 1)^2] height above the floor where a vertex rests */
} cloth;

/* Allocates the arrays; the caller then sets all numbers but `at`. */
int cloth_init(scene *s, uint64_t side, cloth *c);

/* Advances by dt seconds. */
void cloth_step(cloth *c, double dt);

/* Point (row, col) of a grid of fine x fine quads over the cloth, interpolated smoothly between its
 * vertices: cloth_row prepares a row in a curve of side + 3 points, cloth_col evaluates a point of
 * it. */
void cloth_row(const cloth *c, uint64_t row, uint64_t fine, v3 *curve);
v3 cloth_col(const cloth *c, uint64_t col, uint64_t fine, const v3 *curve);

#endif
