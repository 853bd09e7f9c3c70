/* Scenes for the tests of the engine: made ones, each about something that could go wrong, and all
 * of triangles in data/scene.def at a small size. A scene is some frames, which go into one call.
 */
#ifndef IMP_MADE_H
#define IMP_MADE_H

#include "testlib.h"

/* A cell size that some scenes are about: they put coordinates on borders of such cells, and
 * different cells into one bucket. */
#define MADE_CELL 0.0625

typedef struct made_part {
    struct made_part *next;
    imp_mesh mesh;
    uint32_t *triangle;    /* or of tetrahedra the four corners */
    uint8_t *corner_count; /* only where the mesh has it */
    int64_t *id;           /* of procedural scenes that have ids for their primitives */
    int32_t *object;
    double *point;
    float *single;  /* the points as float32, if the frame has them so */
    int32_t *body;  /* of procedural scenes with rigid bodies: which they are, */
    double *rest;   /* their vertices, */
    imp_pose *pose; /* and, for each frame, where they are */
} made_part;

typedef struct made {
    const char *name;
    size_t frames;
    imp_frame *frame;
    made_part *part; /* memory of the frames, last first */
    int bad;         /* has vertices that are not finite: needs IMP_BAD_SKIP */
} made;

/* Scene number `index` with about n triangles a frame. Returns 0 past the last. */
int made_open(size_t index, uint32_t n, made *out);

/* A scene of data/scene.def. 0 if it cannot be had. */
int made_procedural(const char *name, uint64_t primitives, uint64_t frames, uint64_t seed,
                    made *out);

void made_free(made *m);

/* All bytes of topology, objects, names and points of a procedural scene. */
unsigned long long made_hash(const made *m);

/* ---- for tests that make their own */

/* A new frame of loose triangles: corner i is vertex i, all points 0, object i % 3. */
made_part *made_add(made *m, uint32_t triangles);

/* A new frame with a mesh of its own, to be filled. */
made_part *made_mesh(made *m, uint32_t vertices, uint32_t triangles);

/* A new frame with the mesh of the one before, all points 0. */
made_part *made_again(made *m, const made_part *before);

/* The last frame's points become float32. */
void made_single(made *m);

/* Corners within a cube of this size about a place. */
void made_triangle(made_part *p, uint32_t i, const double at[3], double size, rng *r);

/* x = x * scale + shift for all points of a frame */
void made_map(made_part *p, double scale, double x, double y, double z);

#endif
