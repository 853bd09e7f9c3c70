/* Crowds of bodies, rigid ones with poses and soft ones, for tests of trees. */
#ifndef IMP_CROWD_H
#define IMP_CROWD_H

#include "made.h"

#define RINGS 7
#define SIDES 9
#define BODY_VERTICES (RINGS * SIDES + 2)
#define BODY_TRIANGLES (2 * RINGS * SIDES)
#define OBJECTS 7
#define FRAMES 6

/* The parameters of a crowd. */
typedef struct kind {
    int rigid;           /* number of rigid objects; the others are deformed */
    double scale, pivot; /* scale of all; distance of the bodies' origins from them */
    int single, turning; /* float32; 0: bodies do not rotate */
} kind;

/* Frames of objects in a small space, and the memory that they use. */
typedef struct crowd {
    made made;
    imp_frame frame[FRAMES];
    imp_mesh mesh;
    uint32_t corner[3 * BODY_TRIANGLES * OBJECTS];
    int32_t object[BODY_TRIANGLES * OBJECTS], body[OBJECTS];
    double rest[3 * BODY_VERTICES * OBJECTS];
    double point[FRAMES][3 * BODY_VERTICES * OBJECTS];
    float single[FRAMES][3 * BODY_VERTICES * OBJECTS];
    imp_pose pose[FRAMES][OBJECTS];
} crowd;

/* All objects are moved elsewhere in each frame. To be freed by free(). */
crowd *crowd_make(const kind *k, const char *name);

/* Moves all objects of a frame to random positions. */
void crowd_frame(crowd *c, const kind *k, int f, rng *r);

#define CROWDS 8
extern const struct crowd_kind {
    const char *name;
    kind kind;
} crowds[CROWDS];

#endif
