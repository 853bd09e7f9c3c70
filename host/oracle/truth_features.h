/* Two features of two primitives that move. For truth_step.c and truth_step_points.c. */
#ifndef IMP_TRUTH_FEATURES_H
#define IMP_TRUTH_FEATURES_H

#include "oracle_moving.h"
#include "truth_pairs.h"

/* As oracle_moving takes them: a face and a vertex, or two edges. */
typedef struct feature_pair {
    int vertex_face;
    uint32_t vertex[4];
    moving_points p;
} feature_pair;

/* The first so many vertices are of one, the others of the other. */
static inline int feature_cut(const feature_pair *p)
{
    return p->vertex_face ? 3 : 2;
}

/* Numbers of faces and edges are those of imp_contacts; the vertex is one of the mesh. */
feature_pair feature_face(const truth_case *c, uint32_t a, int face, uint32_t vertex);
feature_pair feature_edges(const truth_case *c, uint32_t a, int i, uint32_t b, int j);

#endif
