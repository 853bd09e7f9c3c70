/* Two features of two primitives that move. For truth_step.c and truth_step_points.c. */
#ifndef IMP_TRUTH_FEATURES_H
#define IMP_TRUTH_FEATURES_H

#include "oracle_moving.h"
#include "truth_pairs.h"

/* As oracle_ccd_first takes them: a face and a vertex, or two edges. */
typedef struct feature_pair {
    int vertex_face;
    uint32_t vertex[4];
    oracle_ccd_points p;
} feature_pair;

/* The first so many vertices are of one, the others of the other. */
static inline int feature_cut(const feature_pair *p)
{
    return p->vertex_face ? 3 : 2;
}

int feature_edge_count(const imp_mesh *m, uint32_t i);
int feature_face_count(const imp_mesh *m, uint32_t i);

/* Numbers of faces and edges are those of imp_contacts; the vertex is one of the mesh. */
feature_pair feature_face(const truth_case *c, uint32_t a, int face, uint32_t vertex);
feature_pair feature_edges(const truth_case *c, uint32_t a, int i, uint32_t b, int j);
void feature_face_vertices(const imp_mesh *m, uint32_t i, int face, uint32_t out[3]);
void feature_edge_vertices(const imp_mesh *m, uint32_t i, int edge, uint32_t out[2]);

/* The last answers, of one thread and for one distance. All zero at first. */
#define FEATURE_CACHE_BITS 16

typedef struct feature_answer {
    int known, vertex_face, meet;
    uint32_t vertex[4];
    double toi;
} feature_answer;

typedef struct feature_cache {
    feature_answer answer[1 << FEATURE_CACHE_BITS];
} feature_cache;

/* Do they meet, or come as near as the distance, and when first? Not if they share a vertex,
 * or an edge is from a vertex to itself. */
int truth_features_meet(feature_cache *c, const feature_pair *p, double distance, double *toi);

#endif
