/* How a body moves between two instants: its centre evenly, and it turns evenly along the shorter
 * arc (imp_pose). Halves of an arc are sums of quaternions, so no sine is needed, and the bits are
 * the same everywhere. */
#ifndef IMP_WAY_H
#define IMP_WAY_H

#include "impinge.h"

#include <math.h>

/* A point p of the body's coordinates is at turn(t) (p - pivot) + centre(t). */
typedef struct body_way {
    double pivot[3], centre[2][3]; /* [2]: at the first and at the second instant */
    double turn[2][4]; /* w x y z, of length 1; neighbours on the sphere of quaternions */
    double slack;      /* how far points may be from there */
    int either;        /* half a turn, which may go either way round */
} body_way;

/* The way of what does not move, in the coordinates of the frame. */
body_way way_still(double slack);

/* Sets turn and either. */
void way_turn(body_way *w, const imp_pose *from, const imp_pose *to);

/* The other way round, if that is as short. */
void way_turn_back(body_way *w);

/* The centre at a share t of the way. */
static inline void way_centre(const body_way *w, double t, double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = w->centre[0][k] + t * (w->centre[1][k] - w->centre[0][k]);
}

/* Half way between two quaternions that are less than a right angle apart. */
static inline void way_halfway(double q[2][4], double out[4])
{
    double square = 0;
    for (int i = 0; i < 4; i++) {
        out[i] = q[0][i] + q[1][i];
        square += out[i] * out[i];
    }
    const double scale = 1 / sqrt(square);
    for (int i = 0; i < 4; i++)
        out[i] *= scale;
}

/* At least the angle of the turn from one to the other. A quaternion's angle is half of the turn's,
 * and the distance of two is twice the sine of a quarter of it; up to pi / 4 an angle is at most
 * 1.1108 times its sine. */
static inline double way_angle(const double q[2][4])
{
    double square = 0;
    for (int i = 0; i < 4; i++)
        square += (q[1][i] - q[0][i]) * (q[1][i] - q[0][i]);
    return 2.2216 * sqrt(square);
}

/* A box around all positions of points that are at most `far` from the pivot: low x y z, high. */
void way_box(const body_way *w, double far, double out[6]);

#endif
