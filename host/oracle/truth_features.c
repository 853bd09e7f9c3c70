/* See truth_features.h. */
#include "truth_features.h"

#include "frame.h"

#include <math.h>
#include <string.h>

#define EDGE_CORNERS 2
#define FACE_CORNERS 3
#define FACES 4

/* Corners of edges and faces of a tetrahedron, in VTK's order. A triangle has the first three
 * edges, and one face. */
static const uint32_t edges[6][EDGE_CORNERS] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
static const uint32_t faces[FACES][FACE_CORNERS] = {{0, 1, 3}, {1, 2, 3}, {2, 0, 3}, {0, 2, 1}};
static const uint32_t whole[FACE_CORNERS] = {0, 1, 2};

/* ---- features of primitives */

int feature_edge_count(const imp_mesh *m, uint32_t i)
{
    return truth_corners(m, i) == 4 ? 6 : 3;
}

int feature_face_count(const imp_mesh *m, uint32_t i)
{
    return truth_corners(m, i) == 4 ? 4 : 1;
}

void feature_face_vertices(const imp_mesh *m, uint32_t i, int face, uint32_t out[FACE_CORNERS])
{
    const uint32_t *corner = truth_corners(m, i) == 4 ? faces[face] : whole;
    for (int k = 0; k < FACE_CORNERS; k++)
        out[k] = mesh_vertex(m, i, corner[k]);
}

void feature_edge_vertices(const imp_mesh *m, uint32_t i, int edge, uint32_t out[EDGE_CORNERS])
{
    for (int k = 0; k < EDGE_CORNERS; k++)
        out[k] = mesh_vertex(m, i, edges[edge][k]);
}

/* Features with these vertices, some of one and the others of the other. */
static void read_vertices(const truth_case *c, feature_pair *p)
{
    for (int i = 0; i < 8; i++)
        frame_vertex(c->f[i / 4], p->vertex[i % 4], p->p.at[i / 4][i % 4]);
}

feature_pair feature_face(const truth_case *c, uint32_t a, int face, uint32_t vertex)
{
    feature_pair p = {.vertex_face = 1};
    feature_face_vertices(c->f[0]->mesh, a, face, p.vertex);
    p.vertex[3] = vertex;
    read_vertices(c, &p);
    return p;
}

feature_pair feature_edges(const truth_case *c, uint32_t a, int i, uint32_t b, int j)
{
    feature_pair p = {.vertex_face = 0};
    feature_edge_vertices(c->f[0]->mesh, a, i, p.vertex);
    feature_edge_vertices(c->f[0]->mesh, b, j, p.vertex + 2);
    read_vertices(c, &p);
    return p;
}

/* ---- do they meet? */

/* An edge from a vertex to itself is none. */
static int are_features(const feature_pair *p)
{
    return p->vertex_face || (p->vertex[0] != p->vertex[1] && p->vertex[2] != p->vertex[3]);
}

static int truth_features_share_vertex(const feature_pair *p)
{
    for (int i = 0; i < feature_cut(p); i++)
        for (int j = feature_cut(p); j < 4; j++)
            if (p->vertex[i] == p->vertex[j])
                return 1;
    return 0;
}

/* A rounded difference is more than a float64 number only if the exact one is. */
static int truth_features_boxes_near(const feature_pair *p, double distance)
{
    for (int k = 0; k < 3; k++) {
        double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
        for (int i = 0; i < 8; i++) {
            const int of = i % 4 >= feature_cut(p);
            lo[of] = fmin(lo[of], p->p.at[i / 4][i % 4][k]);
            hi[of] = fmax(hi[of], p->p.at[i / 4][i % 4][k]);
        }
        if (lo[0] - hi[1] > distance || lo[1] - hi[0] > distance)
            return 0;
    }
    return 1;
}

static int surely_apart(const feature_pair *p, double distance)
{
    const int cut = feature_cut(p), corners[2] = {cut, 4 - cut};
    oracle_ccd_points other;
    for (int e = 0; e < 2; e++)
        memcpy(other.at[e], p->p.at[e] + cut, (size_t)(4 - cut) * sizeof other.at[e][0]);
    return oracle_ccd_apart(corners, &p->p, &other, distance);
}

static int truth_features_test(const feature_pair *p, double distance, double *toi)
{
    if (surely_apart(p, distance))
        return 0;
    return distance > 0 ? oracle_ccd_first_near(p->vertex_face, &p->p, distance, toi)
                        : oracle_ccd_first(p->vertex_face, &p->p, toi);
}

/* ---- answers that are known

 * Features belong to many primitives: an edge of a tetrahedron to five, and so two of them to 25
 * pairs. */

static void truth_features_swap(uint32_t *a, uint32_t *b)
{
    const uint32_t was = *a;
    *a = *b;
    *b = was;
}

/* Into ascending order, in place. */
static void sort(uint32_t *v, int n)
{
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && v[k] < v[k - 1]; k--)
            truth_features_swap(&v[k], &v[k - 1]);
}

/* The same for the same features, whatever order their vertices are in. */
static feature_answer answer_open(const feature_pair *p)
{
    feature_answer a = {.known = 1, .vertex_face = p->vertex_face};
    memcpy(a.vertex, p->vertex, sizeof a.vertex);
    sort(a.vertex, feature_cut(p));
    if (p->vertex_face)
        return a;
    sort(a.vertex + 2, 2);
    if (a.vertex[2] < a.vertex[0] || (a.vertex[2] == a.vertex[0] && a.vertex[3] < a.vertex[1]))
        for (int i = 0; i < 2; i++)
            truth_features_swap(&a.vertex[i], &a.vertex[2 + i]);
    return a;
}

static int truth_features_same(const feature_answer *a, const feature_answer *b)
{
    return a->known == b->known && a->vertex_face == b->vertex_face &&
           !memcmp(a->vertex, b->vertex, sizeof a->vertex);
}

static size_t answer_place(const feature_answer *a)
{
    uint64_t h = (uint64_t)a->vertex_face;
    for (int i = 0; i < 4; i++)
        h = (h ^ a->vertex[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(h >> (64 - FEATURE_CACHE_BITS));
}

int truth_features_meet(feature_cache *c, const feature_pair *p, double distance, double *toi)
{
    if (!are_features(p) || truth_features_share_vertex(p) ||
        !truth_features_boxes_near(p, distance))
        return 0;
    feature_answer a = answer_open(p), *was = &c->answer[answer_place(&a)];
    if (!truth_features_same(&a, was)) {
        a.meet = truth_features_test(p, distance, &a.toi);
        *was = a;
    }
    if (was->meet)
        *toi = was->toi;
    return was->meet;
}
