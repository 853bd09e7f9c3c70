/* Frames of scenes and their contacts, for the tests of scenes. */
#ifndef IMP_SCENE_FRAMES_H
#define IMP_SCENE_FRAMES_H

#include "frame.h"
#include "impinge.h"
#include "scene.h"

/* The next frame, which must be there. */
imp_frame scenes_next(scene *s);

/* The position of corner k of a triangle. */
const double *scenes_corner(const imp_frame *f, uint32_t triangle, int k);

imp *scenes_open_pipeline(const imp_def *def);

/* Counts of a frame; its contacts go to the sink, if there is one. */
imp_frame_info scenes_count(imp *p, const imp_frame *f, imp_sink *sink, void *user);

/* Counts contacts within an object, and between two: a sink. */
typedef struct sides {
    const int32_t *object;
    uint64_t self, between;
} sides;

int scenes_on_sides(void *user, const imp_contacts *c);

#endif
