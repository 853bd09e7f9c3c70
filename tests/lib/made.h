/* Scenes for the tests of the engine: made ones, each aimed at something that could go wrong, and
 * all scenes of triangles in data/scene.def at a small size. A scene consists of frames for one
 * call. */
#ifndef IMP_MADE_H
#define IMP_MADE_H

#include "testlib.h"

/* The cell size that some scenes are aimed at: they put coordinates on borders of such cells, and
 * different cells into one bucket. */
#define MADE_CELL 0.0625

typedef struct made_part {
    struct made_part *next;
    imp_mesh mesh;
    uint32_t *triangle;    /* or the four corners of tetrahedra */
    uint8_t *corner_count; /* only if the mesh has it */
    int64_t *id;           /* only for procedural scenes with ids */
    int32_t *object;
    double *point;
    float *single;  /* float32 points, if the frame has such */
    int32_t *body;  /* only for procedural scenes with rigid bodies: their indices, */
    double *rest;   /* vertices, */
    imp_pose *pose; /* and poses in each frame */
} made_part;

typedef struct made {
    const char *name;
    size_t frames;
    imp_frame *frame;
    made_part *part; /* memory of the frames, last first */
    int bad;         /* has non-finite vertices: needs IMP_BAD_SKIP */
} made;

/* Makes scene `index` with about n triangles a frame. Returns 0 past the last. */
int made_open(size_t index, uint32_t n, made *out);

/* Makes a scene of data/scene.def. Returns 0 if that fails. */
int made_procedural(const char *name, uint64_t primitives, uint64_t frames, uint64_t seed,
                    made *out);

void made_free(made *m);

/* Hash of all bytes of topology, objects, ids and points of a procedural scene. */
unsigned long long made_hash(const made *m);

/* ---- for tests that make their own */

/* A new frame of loose triangles: corner i is vertex i, all points 0, object i % 3. */
made_part *made_add(made *m, uint32_t triangles);

/* A new frame with a mesh of its own, to be filled. */
made_part *made_mesh(made *m, uint32_t vertices, uint32_t triangles);

/* A new frame with the mesh of `before`, all points 0. */
made_part *made_again(made *m, const made_part *before);

/* Converts the last frame's points to float32. */
void made_single(made *m);

/* Puts the triangle's corners in a cube of this size about a point. */
void made_triangle(made_part *p, uint32_t i, const double at[3], double size, rng *r);

/* x = x * scale + shift for all points of a frame */
void made_map(made_part *p, double scale, double x, double y, double z);

#endif
