/* How a missile flies: from its rail to what it is steered at, and straight on. */
#ifndef IMP_SCENE_FLIGHT_H
#define IMP_SCENE_FLIGHT_H

#include "impinge.h"
#include "scene_math.h"

/* Ticks are so short that it flies straight within each, independent of how often it is evaluated.
 */
#define FLIGHT_TICKS 4096 /* a second */

typedef struct flight {
    v3 aim;             /* what it is steered at */
    double speed, roll; /* the greatest; radians a second */
    uint64_t tick;
    v3 place, heading,
        turn;           /* at the tick; turn: angular velocity until the next, but for the roll */
    double now, way;    /* speed; how far it has come */
    double attitude[4]; /* its axis along the heading, not rolled */
    int straight;       /* it is no longer steered */
} flight;

void flight_begin(flight *f, v3 rail, v3 heading, v3 aim, double speed, double roll);

/* Where it is at a time, in seconds, not before the one asked for last. */
imp_pose flight_pose(flight *f, double time);

#endif
