/* Representative features (Curtis, Tamstorf, Manocha 2008): assigns each feature that several
 * primitives share to one of them, which alone tests it; and a copy of the mesh for which that
 * holds. */
#ifndef IMP_REP_FEATURES_H
#define IMP_REP_FEATURES_H

#include "frame.h"
#include "impinge.h"
#include "mem.h"

/* ---- A copy of a mesh: callers may change or free theirs between two calls, and an equal pointer
 * need not be the same mesh. */

/* As in imp_mesh, with the same arrays NULL. */
typedef struct mesh_copy {
    uint32_t vertices, primitives;
    int corners;
    uint32_t *corner;
    int32_t *object;
    uint8_t *corner_count;
} mesh_copy;

/* After an error mesh_copy_free frees the part that was made. Errors: MEMORY. */
int mesh_copy_make(mem *m, const imp_mesh *of, mesh_copy *out);
void mesh_copy_free(mem *m, mesh_copy *t);

/* Returns whether a mesh has the same primitives with the same objects. */
int mesh_copy_equal(const mesh_copy *t, const imp_mesh *with, int threads);

/* ---- The primitives of a mesh that have a vertex, an edge or a face, and the one of them that
 * owns it.
 *
 * Two features can meet within a step only if their owners' bounds overlap, so that only owners
 * test them: each feature pair is decided once. A feature belongs, within each object, to the
 * lowest primitive that has it. Its numbers within a primitive are VTK's:
 *
 *     edges 0 (0 1), 1 (1 2), 2 (2 0); of tetrahedra also 3 (0 3), 4 (1 3), 5 (2 3)
 *     faces of tetrahedra 0 (0 1 3), 1 (1 2 3), 2 (2 0 3), 3 (0 2 1); of triangles one
 *
 * A vertex that a primitive has twice is one feature; an edge needs two different vertices. */

/* Corners of edges, and of the faces of tetrahedra, in this numbering. */
extern const uint8_t rep_features_edge_ends[6][2], rep_features_face_corners[4][3];

/* The vertices of a feature: one, two or three. */
typedef struct feature {
    int vertices;
    uint32_t vertex[3];
} feature;

typedef struct rep_features {
    const imp_mesh *mesh;
    mesh_copy copy;
    uint32_t corners; /* corners per primitive in the view */
    int once;         /* triangles with the same vertices have one face: REP_FACE of the first */
    uint32_t *first;  /* [vertices + 1] start of each vertex's primitives in `prim` */
    uint32_t *prim;   /* primitives of each vertex, ascending */
    uint32_t *bits;   /* [primitives] REP_ bits (feature_tests.h), by the view's corners */
    const uint8_t *excluded; /* [primitives] excluded ones, which have no features; NULL: none */
} rep_features;

/* A primitive that has a feature, and the feature's number in it as in imp_contacts.feature_a, the
 * least if there are several. */
typedef struct feature_holder {
    uint32_t prim, vertex[4]; /* its vertices, the last one repeated if there are fewer than four */
    int64_t number;
} feature_holder;

/* Makes the tables of a mesh whose primitives have this number of corners in the view. once: as the
 * member. Errors: MEMORY. */
int rep_features_open(mem *m, const imp_mesh *mesh, uint32_t corners, int once, int threads,
                      rep_features *out);
void rep_features_close(mem *m, rep_features *t);

/* Returns whether *t was made for a mesh with the same primitives and objects, at any address; if
 * so, *t is set to use this mesh. Comparing takes a thirtieth of the time of rep_features_open. */
int rep_features_again(rep_features *t, const imp_mesh *mesh, uint32_t corners, int once,
                       int threads);

/* Recomputes `bits` without the primitives of left[primitives], or NULL; the caller keeps that
 * array. A copy of *t with an array `bits` of the caller leaves *t unchanged. */
void rep_features_assign(rep_features *t, const uint8_t *left, int threads);

/* Corner, edge or face number k of a primitive, by the order of the view's corners. */
feature rep_features_corner(const rep_features *t, uint32_t prim, uint32_t k);
feature rep_features_edge(const rep_features *t, uint32_t prim, uint32_t k);
feature rep_features_face(const rep_features *t, uint32_t prim, uint32_t k);

/* All features of a primitive. */
#define REP_FEATURES_MOST 14
int rep_features_of_prim(const rep_features *t, uint32_t prim, feature out[REP_FEATURES_MOST]);

/* Lists in `out` the primitives with a feature, ascending, that belong to the object of `owner` and
 * are not excluded. Returns their number, at most rep_features_most(t, f). */
uint32_t rep_features_holders(const rep_features *t, uint32_t owner, const feature *f,
                              feature_holder *out);

/* The number of primitives with the first vertex of a feature. */
static inline uint32_t rep_features_most(const rep_features *t, const feature *f)
{
    return t->first[f->vertex[0] + 1] - t->first[f->vertex[0]];
}

#endif
