/* Representative features (Curtis, Tamstorf, Manocha 2008): which primitive tests a feature that
 * several primitives have, and the mesh for which that holds. */
#ifndef IMP_REP_FEATURES_H
#define IMP_REP_FEATURES_H

#include "frame.h"
#include "impinge.h"
#include "mem.h"

/* ---- What a mesh says of its primitives, kept: callers may change or free theirs between two
 * calls, and an equal pointer need not be the same mesh. */

/* As in imp_mesh; NULL where that is. */
typedef struct mesh_copy {
    uint32_t vertices, primitives;
    int corners;
    uint32_t *corner;
    int32_t *object;
    uint8_t *corner_count;
} mesh_copy;

/* After an error mesh_copy_free frees what there is. Errors: MEMORY. */
int mesh_copy_make(mem *m, const imp_mesh *of, mesh_copy *out);
void mesh_copy_free(mem *m, mesh_copy *t);

/* Has a mesh the same primitives, with the same objects? */
int mesh_copy_equal(const mesh_copy *t, const imp_mesh *with, int threads);

/* ---- Which primitives of a mesh have a vertex, an edge or a face, and which one of them owns it.
 *
 * Two features meet between two instants if their owners' bounds overlap, so that only owners ask:
 * each pair of features is decided once. A feature belongs, within each object, to the lowest
 * primitive that has it. Its numbers within a primitive are VTK's:
 *
 *     edges 0 (0 1), 1 (1 2), 2 (2 0); of tetrahedra also 3 (0 3), 4 (1 3), 5 (2 3)
 *     faces of tetrahedra 0 (0 1 3), 1 (1 2 3), 2 (2 0 3), 3 (0 2 1); of triangles one
 *
 * A vertex that a primitive names twice is one; edges need two different vertices. */

/* Corners of edges, and of the faces of tetrahedra, in the order of those numbers. */
extern const uint8_t rep_features_edge_ends[6][2], rep_features_face_corners[4][3];

/* The vertices of a feature: one, two or three of them. */
typedef struct feature {
    int vertices;
    uint32_t vertex[3];
} feature;

typedef struct rep_features {
    const imp_mesh *mesh;
    mesh_copy copy;
    uint32_t corners; /* that the view has of each primitive */
    uint32_t *first;  /* [vertices + 1] where the primitives of each vertex begin in */
    uint32_t *prim;   /* these, ascending */
    uint32_t
        *bits; /* [primitives] REP_ bits (feature_tests.h), in the order of the view's corners */
    const uint8_t *excluded; /* [primitives] left out: they have no features; NULL: none */
} rep_features;

/* A primitive that has a feature, and the feature's number in it as contacts have it
 * (imp_contacts.feature_a), of several the least. */
typedef struct feature_holder {
    uint32_t prim, vertex[4]; /* the primitive's; of fewer than four the last one again */
    int64_t number;
} feature_holder;

/* Of a mesh whose primitives have this number of corners in the view. Errors: MEMORY. */
int rep_features_open(mem *m, const imp_mesh *mesh, uint32_t corners, int threads,
                      rep_features *out);
void rep_features_close(mem *m, rep_features *t);

/* Is t of a mesh with the same primitives and objects, wherever they are? Then it is of this one.
 * Comparing takes a thirtieth of the time that rep_features_open takes. */
int rep_features_again(rep_features *t, const imp_mesh *mesh, uint32_t corners, int threads);

/* Makes `bits` without some primitives, left[primitives], or NULL; the caller keeps the array.
 * With a copy of *t, whose `bits` are the caller's, that of *t stays. */
void rep_features_assign(rep_features *t, const uint8_t *left, int threads);

/* Corner, edge or face number k of a primitive, in the order of the view's corners. */
feature rep_features_corner(const rep_features *t, uint32_t prim, uint32_t k);
feature rep_features_edge(const rep_features *t, uint32_t prim, uint32_t k);
feature rep_features_face(const rep_features *t, uint32_t prim, uint32_t k);

/* All features of a primitive. */
#define REP_FEATURES_MOST 14
int rep_features_of_prim(const rep_features *t, uint32_t prim, feature out[REP_FEATURES_MOST]);

/* The primitives with a feature, ascending, in the object of `owner` and not left out, to `out`;
 * returns their number, which is rep_features_most(t, f) or less. */
uint32_t rep_features_holders(const rep_features *t, uint32_t owner, const feature *f,
                              feature_holder *out);

/* The number of primitives with the first vertex of a feature. */
static inline uint32_t rep_features_most(const rep_features *t, const feature *f)
{
    return t->first[f->vertex[0] + 1] - t->first[f->vertex[0]];
}

#endif
