/* Declarations shared by the files that make scenes: the scene being made, and shapes that several
 * use.
 *
 * A kind of scene is two functions. `build` decides the numbers of vertices and triangles,
 * allocates all memory and writes the topology; `move` writes the points of a frame, and is called
 * for frames 0, 1, 2 ... in this order. If the mesh changes, `build` allocates for the largest one,
 * and `move` sets how much is used: scene_mesh_change. */
#ifndef IMP_SCENE_KIND_H
#define IMP_SCENE_KIND_H

#include "scene.h"

#include "mem.h"
#include "scene_math.h"

#define SCENE_BLOCKS 20    /* most allocations of a scene */
#define SCENE_SECONDS 0.04 /* from frame to frame */

enum scene_settings {
#define X(...)
#define SETTING(symbol, name, ...) SETTING_##symbol##_##name,
#define WORDS SETTING
#include "scene.def"
#undef X
    SCENE_SETTINGS
};

struct scene {
    scene_def def; /* with defaults filled in */
    double setting[SCENE_SETTINGS];
    imp_mesh mesh[2];           /* the current frame's, and the previous one */
    int current;                /* index of the frame's mesh */
    uint32_t *triangle;         /* [3 * triangles] the mesh's own arrays, to be written */
    uint32_t *corner;           /* [4 * primitives] the same for tetrahedra */
    uint8_t *corner_count;      /* [primitives] corners in use, or NULL */
    int32_t *object;            /* [primitives] or NULL */
    const char *const *objects; /* object names (scene_name_of): from scene.def, or set by build */
    int64_t *id;                /* [primitives] or NULL: scene_ids */
    double *point;              /* [3 * vertices] points of the current frame */
    imp_pose *pose; /* [mesh.bodies] poses of the current frame, or NULL: scene_bodies_alloc */
    double *rest;   /* [3 * vertices] */
    int32_t *body;  /* [mesh.bodies] */
    double seconds; /* from frame to frame */
    uint64_t next;  /* next frame */
    void *state;    /* state of the kind, in one of the blocks */
    void (*move)(scene *s, uint64_t frame);
    mem memory;
    void *block[SCENE_BLOCKS]; /* all memory of the scene */
    int blocks;
};

#define X(symbol, name, text, corners, primitives, frames)                                         \
    int scene_##symbol##_build(scene *s);                                                          \
    void scene_##symbol##_move(scene *s, uint64_t frame);
#include "scene.def"
#undef X

/* Allocates count * size zero bytes at *out (any pointer type) until the scene is destroyed. */
int scene_alloc(scene *s, uint64_t count, size_t size, void *out);

/* Allocates the arrays of a mesh: triangle, point, and, if requested, object (zeros). */
int scene_mesh_alloc(scene *s, uint64_t vertices, uint64_t triangles, int objects);

/* Allocates the arrays of a mesh of tetrahedra with that capacity: corner, point, object (zeros).
 * `mixed`: corner_count and id too. */
int scene_cells_alloc(scene *s, uint64_t vertices, uint64_t primitives, int mixed);

/* Allocates that many rigid bodies, after one of the above; the caller writes their indices, shapes
 * (rest) and poses. */
int scene_bodies_alloc(scene *s, uint32_t bodies);

/* Moves the vertices of a body, [first, last), by its pose. */
void scene_pose_points(scene *s, uint32_t body, uint64_t first, uint64_t last);

/* Gives the current frame a new mesh, with these numbers of vertices and primitives. */
void scene_mesh_change(scene *s, uint64_t vertices, uint64_t primitives);

/* ---- grid: a sheet of rows x cols quads, two triangles each */

typedef struct grid {
    uint64_t rows, cols;
} grid;

grid grid_of(uint64_t triangles); /* nearly square, at most that number of triangles, at least 2 */
uint64_t grid_vertices(const grid *g);
uint64_t grid_triangles(const grid *g);

/* Vertex (row, col) is number first + row * (cols + 1) + col. */
void grid_fill(const grid *g, uint32_t first, uint32_t *triangle);

/* The mean side length of its triangles. */
double grid_edge(const grid *g, const double *point);

/* ---- ball: an icosahedron with each face cut into f * f triangles, projected to a sphere */

uint64_t ball_cuts(uint64_t triangles); /* f for about that number of triangles, at least 1 */
uint64_t ball_vertices(uint64_t f);
uint64_t ball_triangles(uint64_t f);
void ball_points(uint64_t f, double *point); /* radius 1 about the origin */
void ball_fill(uint64_t f, uint32_t first, uint32_t *triangle);

/* ---- brick: a block of cubes, six tetrahedra each, which share faces */

typedef struct brick {
    uint64_t cubes[3];
} brick;

uint64_t brick_vertices(const brick *b);
uint64_t brick_tets(const brick *b);

/* Vertex (i, j, k) is number first + (i * (cubes[1] + 1) + j) * (cubes[2] + 1) + k. All volumes are
 * positive if i, j, k correspond to x, y, z. */
void brick_fill(const brick *b, uint32_t first, uint32_t *corner);

/* ---- noise: three smooth random fields over the vertices of a grid */

#define NOISE_TAPS 9

/* Deviation 1, correlated over a few vertices, independent of the size of the grid. It changes
 * smoothly from frame to frame and is independent after NOISE_PERIOD frames. */
#define NOISE_PERIOD 16
typedef struct noise {
    uint64_t cols, row;
    uint64_t key[2];          /* a blend of two fields ... */
    double weight[2];         /* ... whose squares sum to 1 */
    double *white, *out;      /* [3 * (cols + NOISE_TAPS - 1)], [3 * cols] */
    double *ring[NOISE_TAPS]; /* [3 * cols] rows smoothed along the row */
} noise;

int noise_init(scene *s, const grid *g, noise *n);
void noise_start(noise *n, uint64_t key, uint64_t frame);
const double *noise_row(noise *n); /* [3 * cols] x y z for the next row of vertices */

/* ---- fold: a sheet folded in layers, crumpled, bent and twisted, about 1 long */

typedef struct fold {
    grid g;
    double edge; /* edge of its quads */
    uint64_t layers;
    double gap;     /* between layers, in edges */
    double crumple; /* 0: smooth */
    noise n;
} fold;

int fold_init(scene *s, uint64_t triangles, fold *f);
void fold_points(fold *f, uint64_t key, uint64_t frame, v3 shift, double *point);
v3 fold_place(v3 p); /* maps a point of the flat pile of layers to the bent and twisted one */

#endif
