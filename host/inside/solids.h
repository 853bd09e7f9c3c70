/* The closed objects of a frame as solids: winding numbers of points about them, and the depth of
 * points inside them; exact. */
#ifndef IMP_SOLIDS_H
#define IMP_SOLIDS_H

#include "closed.h"
#include "exact.h"
#include "solids_tree.h"

/* The answer of solids_side_of for a face, memorised: 0 if it is not known. */
enum solids_side {
    SOLIDS_SAME = 1, /* both sides are inside, or neither */
    SOLIDS_BACK = 2, /* the back is inside, somewhere: the side from which the corners of a triangle
                        turn clockwise; the inner side of a tetrahedron's face */
    SOLIDS_FRONT = 3, /* only the front is */
};

/* Zero at first, except `mem` and, if a device shall answer batches of queries, `pack`. */
typedef struct solids {
    mem *mem;
    struct solids_pack *pack; /* of the caller (solids_pack.h); NULL: there is no device */
    int threads;
    int winding; /* enum imp_inside_winding */
    const atomic_int *cancel;
    closed_mesh mesh;
    double scale[2], centre[3]; /* of the boxes' coordinates: x scale[0] scale[1] - centre */
    double *x;                  /* [3 * vertices] times scale[0] scale[1] */
    float *box;                 /* [6 * mesh.count] of the closed objects */
    solids_runs runs;           /* times scale[0] scale[1] */
    solids_tree *tree;          /* solids_trees */
    uint8_t *side;              /* [mesh.frame->mesh->primitives] enum solids_side of each face, two
                                   bits from 2 f on */
} solids;

/* Finds the closed objects. The frame must outlive it. Errors: MEMORY. */
int solids_make(const imp_frame *frame, const closed_wanted *wanted, solids *out);
void solids_free(solids *s);

/* Makes the trees of the closed objects, once, before the first traversal, for about so many
 * queries. Errors: MEMORY. */
int solids_trees(const solids *s, size_t queries);

static inline int solids_inside(const solids *s, int winding)
{
    return s->winding == IMP_INSIDE_POSITIVE ? winding > 0 : winding != 0;
}

/* A point in the boxes' coordinates. Rounding is monotone, so that a point in a box of exact
 * coordinates is in the rounded one. */
static inline float solids_unit(const solids *s, int axis, double x)
{
    return (float)(x * s->scale[0] * s->scale[1] - s->centre[axis]);
}

/* The box of a closed object. */
const float *solids_box(const solids *s, uint32_t place);

/* The corners of a face of the surface: of face f of primitive `prim`, in an order that turns
 * counter-clockwise seen from outside a tetrahedron. */
void solids_face(const solids *s, uint32_t prim, int face, uint32_t vertex[3], exact_point out[3]);

/* The same of any object's surface, all faces of one that is not closed; 0 if the face is not on
 * it. */
int solids_surface(const solids *s, uint32_t prim, int face, uint32_t vertex[3],
                   exact_point out[3]);

/* ---- A traversal: each thread has one, zero at first except `of`. Functions that find no memory
 * set `err`, and their results are then not valid. */

/* A node to visit. */
typedef struct solids_visited {
    uint32_t node;
    double far; /* no face below it is nearer, in the boxes' unit */
} solids_visited;

typedef struct solids_walk {
    const solids *of;
    solids_visited *stack; /* a traversal in a visit uses the part above */
    size_t used, capacity;
    struct solids_near *near; /* faces that solids_depth compares */
    size_t near_capacity;
    int hinted; /* the next two are set */
    uint32_t hint_place;
    uint64_t hint; /* the face found last, of this object: 4 prim + face */
    int err;
} solids_walk;

void solids_walk_free(solids_walk *w);
void solids_walk_push(solids_walk *w, solids_visited node);

/* Calls `visit` for each primitive of an object whose box overlaps the box lo, hi, until it returns
 * another number than 0, which is returned. */
typedef int solids_visit(void *user, uint32_t prim);
int solids_overlaps(solids_walk *w, uint32_t place, const float lo[3], const float hi[3],
                    solids_visit *visit, void *user);

/* The winding number of a closed object about a point; *touches: the point is on its surface, and
 * the number is 0. The ray goes along `axis`, 0 to 2, which does not change the result; -1: the
 * shortest extent of the object. */
int solids_winding(solids_walk *w, uint32_t place, const double x[3], int axis, int *touches);

/* The ray of solids_winding: twice its axis, and 1 if it goes up. */
uint32_t solids_way(const solids *s, uint32_t place, const double x[3], int axis);

/* ---- The depth of a point inside. */

typedef struct solids_depth_at {
    uint32_t prim;
    int face;
    double depth; /* the greatest float64 not above the exact distance */
    double nearest[3];
    double weight[4]; /* of the primitive's corners */
    double normal[3]; /* to the outside, of length 1 within 2^-50; where both sides of the face are
                         outside, in different places, away from the point */
} solids_depth_at;

/* A point and a closed object. */
typedef struct solids_query {
    double x[3];
    uint32_t place; /* the closed object */
    int32_t winding;
    int touches; /* on its surface; the winding number is 0 */
    solids_depth_at *at;
} solids_query;

/* Finds the nearest face of the object whose sides differ, of equally near ones that of the least
 * prim, and of it the first in the order of format.md, for a point that is inside with this winding
 * number. Returns 0 if there is none, which a point inside does not have, or after an error. */
int solids_depth(solids_walk *w, uint32_t place, const double x[3], int winding,
                 solids_depth_at *out);

/* Faces of surfaces. Zero at first. */
typedef struct solids_face_at {
    uint32_t prim;
    int face;
} solids_face_at;

typedef struct solids_faces {
    solids_face_at *face; /* [count] */
    size_t count, capacity;
} solids_faces;

/* The faces of its object that a face crosses or overlaps, beyond what they share. */
void solids_crossings(solids_walk *w, uint32_t prim, int face, solids_faces *out);
void solids_faces_free(const solids *s, solids_faces *f);

/* Triangles of which one is the nearest. */
typedef struct solids_found {
    const uint32_t *prim; /* [n] */
    size_t n;
    const exact_nearest *nearest; /* distance, weight[1] and point[3 ..] of one; or NULL */
} solids_found;

/* The same of an object of triangles, of which these were found. */
int solids_depth_of(solids_walk *w, uint32_t place, const double x[3], int winding,
                    const solids_found *found, solids_depth_at *out);

/* normal.c: the normal of a face with these corners, of length 1 within 2^-50; turn: -1 for the
 * opposite one. */
void solids_normal(const exact_point p[3], int turn, double out[3]);

/* enum solids_side of a face of the surface. */
int solids_side_of(solids_walk *w, uint32_t prim, int face);

/* Whether only the front of a face is inside, somewhere; its back may be so elsewhere. Not
 * memorised. */
int solids_front_inside(solids_walk *w, uint32_t prim, int face);

#endif
