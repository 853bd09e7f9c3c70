/* Reference answer for a step: see truth.h. Tests every feature of one primitive against every
 * feature of the other; features are not assigned to representatives. */
#include "error.h"
#include "frame.h"
#include "oracle_ccd.h"
#include "truth.h"

#include <math.h>
#include <omp.h>
#include <string.h>

/* ---- the first feature pair */

static int truth_ccd_before(const truth_row *x, const truth_row *y)
{
    if (x->toi != y->toi)
        return x->toi < y->toi;
    if (x->kind != y->kind)
        return x->kind < y->kind;
    if (x->feature_a != y->feature_a)
        return x->feature_a < y->feature_a;
    return x->feature_b < y->feature_b;
}

/* Makes these features the row's if they meet and the row has none or later ones. */
static void truth_ccd_keep_earlier(const truth_case *c, truth_row *row, const feature_pair *p,
                                   int64_t feature_a, int64_t feature_b)
{
    truth_row found = *row;
    found.kind = p->vertex_face ? IMP_KIND_VERTEX_FACE : IMP_KIND_EDGE_EDGE;
    found.feature_a = feature_a;
    found.feature_b = feature_b;
    if (truth_features_meet(&c->cache[omp_get_thread_num()], p, truth_distance(c), &found.toi) &&
        (!row->kind || truth_ccd_before(&found, row)))
        *row = found;
}

/* Vertices of `of` against faces of `on`; `turned`: `on` is the row's first primitive. */
static void take_faces(const truth_case *c, truth_row *row, int turned)
{
    const imp_mesh *m = c->f[0]->mesh;
    const uint32_t of = turned ? row->b : row->a, on = turned ? row->a : row->b;
    for (int v = 0; v < truth_corners(m, of); v++)
        for (int f = 0; f < feature_face_count(m, on); f++) {
            const uint32_t vertex = mesh_vertex(m, of, (uint32_t)v);
            const feature_pair p = feature_face(c, on, f, vertex);
            truth_ccd_keep_earlier(c, row, &p, turned ? -1 - f : (int64_t)vertex,
                                   turned ? (int64_t)vertex : -1 - f);
        }
}

static void take_edges(const truth_case *c, truth_row *row)
{
    const imp_mesh *m = c->f[0]->mesh;
    for (int i = 0; i < feature_edge_count(m, row->a); i++)
        for (int j = 0; j < feature_edge_count(m, row->b); j++) {
            const feature_pair p = feature_edges(c, row->a, i, row->b, j);
            truth_ccd_keep_earlier(c, row, &p, i, j);
        }
}

/* Returns whether no feature is within the distance of another, and neither primitive contains
 * the other at the start. */
static int primitives_apart(const truth_case *c, uint32_t a, uint32_t b)
{
    const imp_mesh *m = c->f[0]->mesh;
    const int corners[2] = {truth_corners(m, a), truth_corners(m, b)};
    oracle_ccd_points x, y;
    for (int f = 0; f < 2; f++) {
        truth_read(c->f[f], a, x.at[f]);
        truth_read(c->f[f], b, y.at[f]);
    }
    return oracle_ccd_apart(corners, &x, &y, truth_distance(c));
}

static int truth_ccd_examine(const truth_case *c, oracle *o, truth_row *row)
{
    const int turning = truth_rigid_ccd(c, row->a, row->b);
    if (c->def->stage == IMP_STAGE_CANDIDATES)
        return turning < 2 && truth_slabs_overlap(c, row->a, row->b);
    if (!turning && !truth_prims_share_vertex(c->f[0]->mesh, row->a, row->b) &&
        primitives_apart(c, row->a, row->b))
        return 0;
    const int near = truth_boxes_overlap(c->f[0], row->a, row->b),
              kind = near ? truth_kind(c->f[0], o, row->a, row->b) : 0;
    if (kind) {
        row->kind = kind + IMP_KIND_AT_START;
        row->feature_a = row->feature_b = -1;
        return 1;
    }
    if (turning)
        return turning < 2 && truth_rigid_ccd_meets(c, row->a, row->b, &row->toi);
    take_faces(c, row, 0);
    take_faces(c, row, 1);
    take_edges(c, row);
    return row->kind != 0;
}

int truth_ccd_find(mem *m, const imp_frame *f, const imp_frame *next, const imp_def *def,
                   const uint8_t *wanted, int threads, truth *out)
{
    int err = IMP_OK;
    truth_case c = {.f = {f, next}, .frames = 2, .def = def, .wanted = wanted};
    *out = (truth){0};
    TRY(mem_alloc(m, (size_t)threads * sizeof *c.cache, &c.cache));
    memset(c.cache, 0, (size_t)threads * sizeof *c.cache);
    TRY(truth_sweep(m, &c, truth_ccd_examine, threads, out));
    if (def->stage != IMP_STAGE_CANDIDATES)
        TRY(truth_part_turning(m, out));
out:
    mem_free(m, c.cache);
    return err;
}

/* ---- Checks the points of a step's row: see truth.h. All within tolerances, in float64. */

#define THIRDS 100 /* iterations of a ternary search, enough to reach the rounding */

/* The features at their toi, relative to a point between them, in units of 2^unit, which is their
 * extent over the step. */
typedef struct place {
    int unit;
    double from[3], corner[4][3];
    double tolerance; /* 1e-9, and 1e-15 of the coordinates */
} place;

static feature_pair truth_ccd_features(const truth_case *c, const truth_row *row)
{
    if (row->kind == IMP_KIND_EDGE_EDGE)
        return feature_edges(c, row->a, (int)row->feature_a, row->b, (int)row->feature_b);
    return row->feature_a < 0
               ? feature_face(c, row->a, (int)(-1 - row->feature_a), (uint32_t)row->feature_b)
               : feature_face(c, row->b, (int)(-1 - row->feature_b), (uint32_t)row->feature_a);
}

/* Extent and tolerance, from all corners at both ends of the step. */
static void place_scale(place *l, const feature_pair *p)
{
    double size = 0, most = 0;
    for (int k = 0; k < 3; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (int i = 0; i < 8; i++) {
            lo = fmin(lo, p->p.at[i / 4][i % 4][k]);
            hi = fmax(hi, p->p.at[i / 4][i % 4][k]);
        }
        l->from[k] = lo;
        size = fmax(size, 0.5 * hi - 0.5 * lo);
        most = fmax(most, fmax(fabs(lo), fabs(hi)));
    }
    frexp(size, &l->unit);
    l->unit++;
    l->tolerance =
        (size > 0 ? 1e-9 : 0) + 1e-15 * ldexp(most, -l->unit) + ldexp(0x1p-1073, -l->unit);
}

static place truth_ccd_positions(const feature_pair *p, double toi)
{
    place l;
    place_scale(&l, p);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            l.corner[i][k] = (1 - toi) * oracle_gap(p->p.at[0][i][k], l.from[k], l.unit) +
                             toi * oracle_gap(p->p.at[1][i][k], l.from[k], l.unit);
    return l;
}

/* ---- distances */

static void truth_ccd_minus(double r[3], const double a[3], const double b[3])
{
    for (int k = 0; k < 3; k++)
        r[k] = a[k] - b[k];
}

static double truth_ccd_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double truth_ccd_distance(const double a[3], const double b[3])
{
    double d[3];
    truth_ccd_minus(d, a, b);
    return hypot(hypot(d[0], d[1]), d[2]);
}

static double truth_ccd_edge_distance(const double a[3], const double b[3], const double x[3])
{
    double along[3], to[3], at[3];
    truth_ccd_minus(along, b, a);
    truth_ccd_minus(to, x, a);
    const double size = truth_ccd_dot(along, along);
    const double t = size > 0 ? fmin(1, fmax(0, truth_ccd_dot(to, along) / size)) : 0;
    for (int k = 0; k < 3; k++)
        at[k] = a[k] + t * along[k];
    return truth_ccd_distance(at, x);
}

static void truth_ccd_lerp(double r[3], const double a[3], const double b[3], double t)
{
    for (int k = 0; k < 3; k++)
        r[k] = (1 - t) * a[k] + t * b[k];
}

/* For two edges, the distance of the second one from a point on the first one; for a face and a
 * vertex, the distance of the vertex from a section of the face parallel to its third edge. */
static double truth_ccd_distance_at(int vertex_face, const double corner[4][3], double t)
{
    double x[3], y[3];
    truth_ccd_lerp(x, corner[0], corner[1], t);
    if (!vertex_face)
        return truth_ccd_edge_distance(corner[2], corner[3], x);
    truth_ccd_lerp(y, corner[2], corner[1], t);
    return truth_ccd_edge_distance(x, y, corner[3]);
}

/* Along t the distance falls, then rises. So the minimum is found for any features, even nearly
 * parallel edges or a face of nearly zero area. */
static double features_distance(int vertex_face, const double corner[4][3])
{
    double low = 0, high = 1,
           least = fmin(truth_ccd_distance_at(vertex_face, corner, 0),
                        truth_ccd_distance_at(vertex_face, corner, 1));
    for (int i = 0; i < THIRDS; i++) {
        const double third = (high - low) / 3,
                     d = truth_ccd_distance_at(vertex_face, corner, low + third),
                     e = truth_ccd_distance_at(vertex_face, corner, high - third);
        least = fmin(least, fmin(d, e));
        if (d < e)
            high -= third;
        else
            low += third;
    }
    return least;
}

static double truth_ccd_face_distance(const double corner[4][3], const double x[3])
{
    double with[4][3];
    memcpy(with, corner, 3 * sizeof *with);
    memcpy(with[3], x, sizeof *with);
    return features_distance(1, (const double(*)[3])with);
}

/* Returns whether x is on the feature of the first corners, and y on the other one. */
static int on_features(const place *l, const feature_pair *p, const double x[3], const double y[3])
{
    const double one = p->vertex_face ? truth_ccd_face_distance(l->corner, x)
                                      : truth_ccd_edge_distance(l->corner[0], l->corner[1], x);
    const double other = p->vertex_face ? truth_ccd_distance(l->corner[3], y)
                                        : truth_ccd_edge_distance(l->corner[2], l->corner[3], y);
    return one <= l->tolerance && other <= l->tolerance;
}

/* ---- the check */

const char *truth_ccd_points_fault(oracle *o, const imp_frame *f, const imp_frame *next,
                                   const truth_row *row, const truth_claim *claim)
{
    truth_claim claimed = *claim;
    claimed.kind &= ~IMP_KIND_AT_START;
    if (row->kind & IMP_KIND_AT_START)
        return truth_points_fault(o, f, row->a, row->b, &claimed);
    const char *fault = contact_form_fault(claimed.kind, claimed.point);
    if (fault)
        return fault;
    if (claimed.deep && (claimed.collisions || claimed.depth != 0))
        return "it has collision points or a depth";
    const feature_pair p = truth_ccd_features(&(truth_case){.f = {f, next}, .frames = 2}, row);
    const place l = truth_ccd_positions(&p, row->toi);
    double x[2][3];
    for (int i = 0; i < 6; i++)
        x[i / 3][i % 3] = oracle_gap(claimed.point[i], l.from[i % 3], l.unit);
    if (!on_features(&l, &p, x[0], x[1]) && !on_features(&l, &p, x[1], x[0]))
        return "a point is not on its feature";
    return truth_ccd_distance(x[0], x[1]) >
                   features_distance(p.vertex_face, l.corner) + 2 * l.tolerance
               ? "two other points are nearer"
               : NULL;
}

#define EDGE_CORNERS 2
#define FACE_CORNERS 3
#define FACES 4

/* Corners of edges and faces of a tetrahedron, in VTK's order. A triangle has the first three
 * edges, and one face. */
static const uint32_t all_edges[6][EDGE_CORNERS] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
static const uint32_t all_faces[FACES][FACE_CORNERS] = {{0, 1, 3}, {1, 2, 3}, {2, 0, 3}, {0, 2, 1}};
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
    const uint32_t *corner = truth_corners(m, i) == 4 ? all_faces[face] : whole;
    for (int k = 0; k < FACE_CORNERS; k++)
        out[k] = mesh_vertex(m, i, corner[k]);
}

void feature_edge_vertices(const imp_mesh *m, uint32_t i, int edge, uint32_t out[EDGE_CORNERS])
{
    for (int k = 0; k < EDGE_CORNERS; k++)
        out[k] = mesh_vertex(m, i, all_edges[edge][k]);
}

/* Reads the vertices of both features. */
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

/* ---- verdicts */

/* An edge from a vertex to itself is not a feature. */
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

/* A rounded difference exceeds a float64 number only if the exact one does. */
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

/* ---- cached verdicts
 *
 * Features belong to many primitives: an edge of a tetrahedron to five, and so two of them to 25
 * pairs. */

static void truth_features_swap(uint32_t *a, uint32_t *b)
{
    const uint32_t was = *a;
    *a = *b;
    *b = was;
}

/* Sorts in place, ascending. */
static void sort(uint32_t *v, int n)
{
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && v[k] < v[k - 1]; k--)
            truth_features_swap(&v[k], &v[k - 1]);
}

/* The same for the same features, whatever the order of their vertices. */
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

/* ---- the number of feature pairs */

/* Their boxes overlap. */
static int truth_candidates_count_pair(const truth_case *c, oracle *o, truth_row *row)
{
    const truth_feature *p = &c->features->list[row->a], *q = &c->features->list[row->b];
    uint64_t *count = c->count[omp_get_thread_num()];
    (void)o;
    if (p->vertices + q->vertices == 4 && truth_objects_wanted(c, p->object, q->object) &&
        !truth_features_joined(p, q))
        count[p->vertices == 2]++;
    return 0;
}

int truth_candidates(mem *m, const imp_frame *f, const imp_frame *next, const imp_def *def,
                     int threads, uint64_t counts[2])
{
    int err = IMP_OK;
    imp_def touching = *def;
    truth_features all = {0};
    truth_case c = {.f = {f, next}, .frames = 2, .def = &touching, .features = &all};
    touching.min_separation = 0;
    TRY(truth_features_open(m, &c, &all));
    TRY(truth_sweep_count(m, &c, truth_candidates_count_pair, threads, counts));
out:
    truth_features_close(m, &all);
    return err;
}

/* ---- whether they are known */

#define LEAST 0x1p-900 /* times the greatest number: still normal after scaling */

int truth_candidates_known(const imp_frame *f, const imp_frame *next, const imp_def *def)
{
    const imp_frame *frame[2] = {f, next};
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < 2 * (size_t)f->mesh->vertices; i++) {
        double x[3];
        frame_vertex(frame[i % 2], i / 2, x);
        for (int k = 0; k < 3; k++) {
            const double size = fabs(x[k]);
            least = size > 0 ? fmin(least, size) : least;
            most = isfinite(size) ? fmax(most, size) : most;
        }
    }
    for (uint32_t i = 0; i < f->mesh->primitives; i++)
        if (oracle_rigid_turning_body(f, next, i) >= 0) /* its pairs are not tested by features */
            return 0;
    /* pairs of features of one tetrahedron are not asked for by rules */
    const int own = def->object_pair && mesh_corners(f->mesh) == IMP_TETRAHEDRA;
    return def->dop_k == 6 && !(def->min_separation > 0) && !own && least >= LEAST * most;
}
