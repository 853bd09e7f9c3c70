/* Closed objects as sets of faces, for truth_inside.c and truth_relations.c: exact places of points
 * with rational coordinates about them, and faces divided where others cross them. All in integers
 * of any length. */
#ifndef IMP_INSIDE_ORACLE_H
#define IMP_INSIDE_ORACLE_H

#include "truth.h"

/* Numbers that are only read: C11 converts an array of arrays to one of const ones only by a cast.
 */
#define mpz_read(v) ((mpz_t *)(uintptr_t)(v))

/* ---- numbers: coordinates are integers in units of 2^unit, the same unit for a whole frame */

/* The points x with n x = offset. */
typedef struct inside_plane {
    vector n;
    mpz_t offset;
} inside_plane;

void inside_plane_init(inside_plane *p);
void inside_plane_clear(inside_plane *p);
int inside_plane_sign(const inside_plane *p, const rational_point *x); /* of n x - offset */

/* Sets an initialised point to x, which is finite; copies an initialised point. */
void inside_point_set(rational_point *p, const double x[3], int unit);
void inside_point_copy(rational_point *to, const rational_point *from);

/* The middle of two points, each coordinate rounded to the nearest float64. */
void inside_point_middle(const rational_point *p, const rational_point *q, int unit, double out[3]);

/* A common unit of `count` vertices, all of which are finite. */
int inside_unit(const imp_frame *f, const uint32_t *vertex, size_t count);

typedef struct inside_face {
    uint32_t prim;
    int side; /* the face's number in a tetrahedron, as feature_face_vertices; 0 in a triangle */
    uint32_t vertex[3];
    double lo[3], hi[3];
    int area; /* 0: the face has none, and no plane */
    rational_point corner[3];
    inside_plane plane; /* the front is where n x > offset: outside, if the object is positive */
} inside_face;

void inside_face_open(const imp_frame *f, int unit, inside_face *face); /* the rest is set */
void inside_face_close(inside_face *face);

/* Where a point of its plane is: 1 in the interior, 0 on the border, -1 outside. */
int inside_face_where(const inside_face *face, const rational_point *x);

/* Returns whether the point is on one of its edges. */
int inside_face_edge_has(const inside_face *face, const rational_point *x);

/* The nearest point of a face with an area to another point. */
typedef struct inside_nearest {
    oracle_distance distance;
    mpz_t weight[3], scale; /* weights of the corners are these divided by scale */
} inside_nearest;

void inside_nearest_init(inside_nearest *n);
void inside_nearest_clear(inside_nearest *n);
void inside_nearest_find(const inside_face *face, const rational_point *x, int unit,
                         inside_nearest *out);

/* ---- the surface of an object */

/* Boxes of faces along three directions, ordered by the first. */
typedef struct inside_item {
    size_t face;
    double lo[3], hi[3];
    double reach; /* greatest hi[0] of items up to this one */
} inside_item;

/* Directions: two, and a third at right angles to both, that of a ray. */
typedef struct inside_view {
    long direction[3][3];
    double margin; /* what coordinates along the directions may be off */
    inside_item *item;
} inside_view;

#define INSIDE_VIEWS 3

typedef struct inside_surface {
    int32_t object;
    int closed; /* it counts as a solid */
    size_t faces;
    inside_face *face; /* by (prim, side) */
    int unit;
    double scale;    /* coordinates times this are less than 1 */
    inside_view box; /* along the axes */
    inside_view view[INSIDE_VIEWS];
    uint8_t *differs; /* inside_surface_differ, else NULL */
} inside_surface;

/* Coordinates of a point in a view. */
void inside_view_point(const inside_surface *s, const inside_view *v, const double x[3],
                       double out[3]);

/* The first item whose hi[0], or that of a later one, reaches lo. */
size_t inside_view_first(const inside_surface *s, const inside_view *v, double lo);

/* The direction of the ray of this attempt, below 2^20 along each axis. */
void inside_direction(int attempt, long d[3]);

/* The members above `unit` are set, and the faces without what inside_face_open sets. Errors:
 * MEMORY; inside_surface_close frees the part that was made. */
int inside_surface_open(mem *m, const imp_frame *f, int unit, inside_surface *s);
void inside_surface_close(mem *m, inside_surface *s);

/* The number of faces of a primitive; *out: the first. */
size_t inside_surface_of_prim(const inside_surface *s, uint32_t prim, const inside_face **out);

/* Returns whether this winding number is inside. */
static inline int inside_by(const imp_def *def, int winding)
{
    return def->inside_winding == IMP_INSIDE_POSITIVE ? winding > 0 : winding != 0;
}

/* ---- places */

enum inside_place { INSIDE_OFF, INSIDE_ON, INSIDE_EDGE };

/* Winding numbers of a closed surface about x, which is off it. ON: x is on it, and there is no
 * such number. */
int inside_winding(const inside_surface *s, const rational_point *x, int *winding);

/* The same on both sides of a plane through x with this normal, close to x: w[0] in front, w[1]
 * behind. OFF: both are equal. ON: x is within faces parallel to the plane. EDGE: x is on another
 * face, or on the border of one, and w is not set. Faces without area do not count. */
int inside_sides(const inside_surface *s, const rational_point *x, vector normal, int w[2]);

/* ---- parts of a face */

/* A convex polygon; with two corners a segment, with one a point. */
typedef struct inside_cell {
    int count;
    rational_point *corner;
} inside_cell;

typedef struct inside_cells {
    mem *mem;
    size_t count, capacity;
    inside_cell *cell;
} inside_cells;

/* Divides a face so that in each part places about the given surfaces are the same, except at
 * single points. NULL: no surface. Errors: MEMORY; inside_cells_close frees the part that was
 * made. */
int inside_cells_open(mem *m, const inside_face *face, const inside_surface *const by[2],
                      inside_cells *out);
void inside_cells_close(inside_cells *c);

/* Sets an initialised point to one within the cell, another one at each attempt. */
void inside_cell_point(const inside_cell *c, int attempt, int unit, rational_point *out);

/* Sets s->differs[face]: 1 if somewhere on the face only the side behind it is inside, 2 if only
 * the side in front, 3 both, 0 nowhere. */
int inside_surface_differ(mem *m, const imp_def *def, int threads, inside_surface *s);

/* ---- the objects of a frame */

typedef struct inside_use {
    uint32_t vertex, prim; /* prim: the first primitive of the object with that vertex */
} inside_use;

typedef struct inside_object {
    int32_t object;
    int listed; /* imp_def.inside_object has it, or is NULL */
    int closed; /* it counts as a solid */
    size_t prims, uses;
    uint32_t *prim;  /* ascending, without bad ones */
    inside_use *use; /* by vertex */
    double lo[3], hi[3];
    inside_surface surface;
} inside_object;

typedef struct inside_scene {
    mem *mem;
    const imp_frame *f;
    const imp_def *def;
    int threads, unit;
    size_t prims;   /* those whose coordinates are all finite */
    uint32_t *prim; /* by object */
    size_t objects;
    inside_object *object; /* ascending */
    uint32_t closed, open; /* solids; listed objects that are open */
} inside_scene;

/* Errors: MEMORY; inside_scene_close frees the part that was made. */
int inside_scene_open(mem *m, const imp_frame *f, const imp_def *def, int threads,
                      inside_scene *out);
void inside_scene_close(inside_scene *s);

/* The position of the object of a primitive that is not bad. */
size_t inside_scene_position(const inside_scene *s, uint32_t prim);

/* Returns whether the options allow this pair of different objects. */
int inside_pair_wanted(const inside_scene *s, const inside_object *a, const inside_object *b);

int inside_boxes_apart(const inside_object *a, const inside_object *b);

/* Lists the faces of an object: its triangles, and those faces of tetrahedra that do not cancel,
 * with their fronts outside. Sets o->closed, too. Errors: MEMORY. */
int inside_scene_faces(inside_scene *s, inside_object *o);

/* The place of a point about a closed object. */
typedef struct inside_answer {
    int place; /* OFF or ON */
    int winding, inside;
    size_t face; /* if inside: the nearest face, in the object's surface */
    double depth;
} inside_answer;

/* inside_surface_differ was called if deep. */
void inside_at(const inside_scene *s, const inside_object *of, const double x[3], int deep,
               inside_answer *out);
void inside_vertex(const inside_scene *s, const inside_object *of, uint32_t vertex, int deep,
                   inside_answer *out);

#endif
