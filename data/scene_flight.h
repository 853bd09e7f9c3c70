/* The flight of a missile: from its rail to its aim, and straight on. */
#ifndef IMP_SCENE_FLIGHT_H
#define IMP_SCENE_FLIGHT_H

#include "impinge.h"
#include "scene_math.h"

/* Ticks so short that the missile flies straight within each, independent of how often it is
 * evaluated. */
#define FLIGHT_TICKS 4096 /* a second */

/* The position of the aim. */
typedef v3 flight_aim(const void *of, double time);

typedef struct flight {
    flight_aim *aim;
    const void *of;     /* argument of aim */
    double speed, roll; /* full speed; rad/s */
    uint64_t tick;
    v3 place, heading,
        turn;        /* at the tick; turn: angular velocity until the next tick, without the roll */
    double now, way; /* speed; distance flown */
    double attitude[4]; /* axis along the heading, without roll */
    int straight;       /* steering has ended */
} flight;

void flight_begin(flight *f, v3 rail, v3 heading, double speed, double roll);
void flight_aim_at(flight *f, flight_aim *aim, const void *of);

/* The pose at a time, in seconds; times must not decrease. */
imp_pose flight_pose(flight *f, double time);

#endif
