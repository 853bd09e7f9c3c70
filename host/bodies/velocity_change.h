/* A rigid body that moves otherwise from an instant on. Between two of them, and from the beginning
 * to the end of a frame, its velocities are constant. */
#ifndef IMP_VELOCITY_CHANGE_H
#define IMP_VELOCITY_CHANGE_H

#include <stdint.h>

typedef struct velocity_change {
    uint32_t body;
    double time; /* seconds since the frame began */
    double velocity[3], spin[3];
} velocity_change;

#endif
