/* How a missile flies: from its rail to what it is steered at, and straight on. */
#ifndef IMP_SCENE_FLIGHT_H
#define IMP_SCENE_FLIGHT_H

#include "impinge.h"
#include "scene_math.h"

/* Ticks are so short that it flies straight within each, independent of how often it is evaluated.
 */
#define FLIGHT_TICKS 4096 /* a second */

/* Where what it is steered at is. */
typedef v3 flight_aim(const void *of, double time);

typedef struct flight {
    flight_aim *aim;
    const void *of;     /* its argument */
    double speed, roll; /* the greatest; radians a second */
    uint64_t tick;
    v3 place, heading,
        turn;           /* at the tick; turn: angular velocity until the next, but for the roll */
    double now, way;    /* speed; how far it has come */
    double attitude[4]; /* its axis along the heading, not rolled */
    int straight;       /* it is no longer steered */
} flight;

void flight_begin(flight *f, v3 rail, v3 heading, double speed, double roll);
void flight_aim_at(flight *f, flight_aim *aim, const void *of);

/* Where it is at a time, in seconds, not before the one asked for last. */
imp_pose flight_pose(flight *f, double time);

#endif
