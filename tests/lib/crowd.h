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

/* What a crowd of bodies is like. */
typedef struct kind {
    int rigid;           /* so many objects are; the others change their shape */
    double scale, pivot; /* of everything; how far the origin of bodies is from them */
    int single, turning; /* float32; 0: bodies move without turning */
} kind;

/* Frames of objects in a small space, in memory that lasts as long. */
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

/* All objects somewhere else in each frame. free() ends it. */
crowd *crowd_make(const kind *k, const char *name);

/* All objects of a frame go to a random place. */
void crowd_frame(crowd *c, const kind *k, int f, rng *r);

#define CROWDS 8
extern const struct crowd_kind {
    const char *name;
    kind kind;
} crowds[CROWDS];

#endif
