/* The truth about a step: see truth.h. Every feature of one primitive against every feature of the
 * other; no feature belongs to one primitive more than to another. */
#include "truth.h"

#include "frame.h"
#include "truth_features.h"
#include "truth_kind.h"

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

static int edge_count(const imp_mesh *m, uint32_t i)
{
    return truth_corners(m, i) == 4 ? 6 : 3;
}

static int face_count(const imp_mesh *m, uint32_t i)
{
    return truth_corners(m, i) == 4 ? 4 : 1;
}

static const uint32_t *face_corners(const imp_mesh *m, uint32_t i, int face)
{
    return truth_corners(m, i) == 4 ? faces[face] : whole;
}

/* Features with these vertices, some of one and the others of the other. */
static void read_vertices(const truth_case *c, feature_pair *p)
{
    for (int i = 0; i < 8; i++)
        frame_vertex(c->f[i / 4], p->vertex[i % 4], p->p.at[i / 4][i % 4]);
}

feature_pair feature_face(const truth_case *c, uint32_t a, int face, uint32_t vertex)
{
    const imp_mesh *m = c->f[0]->mesh;
    const uint32_t *corner = face_corners(m, a, face);
    feature_pair p = {.vertex_face = 1};
    for (int i = 0; i < 3; i++)
        p.vertex[i] = mesh_vertex(m, a, corner[i]);
    p.vertex[3] = vertex;
    read_vertices(c, &p);
    return p;
}

feature_pair feature_edges(const truth_case *c, uint32_t a, int i, uint32_t b, int j)
{
    const imp_mesh *m = c->f[0]->mesh;
    feature_pair p = {.vertex_face = 0};
    for (int k = 0; k < 2; k++) {
        p.vertex[k] = mesh_vertex(m, a, edges[i][k]);
        p.vertex[2 + k] = mesh_vertex(m, b, edges[j][k]);
    }
    read_vertices(c, &p);
    return p;
}

/* ---- do they meet? */

static int have_vertex(const feature_pair *p)
{
    for (int i = 0; i < feature_cut(p); i++)
        for (int j = feature_cut(p); j < 4; j++)
            if (p->vertex[i] == p->vertex[j])
                return 1;
    return 0;
}

static int boxes_overlap(const feature_pair *p)
{
    for (int k = 0; k < 3; k++) {
        double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
        for (int i = 0; i < 8; i++) {
            const int of = i % 4 >= feature_cut(p);
            lo[of] = fmin(lo[of], p->p.at[i / 4][i % 4][k]);
            hi[of] = fmax(hi[of], p->p.at[i / 4][i % 4][k]);
        }
        if (lo[0] > hi[1] || lo[1] > hi[0])
            return 0;
    }
    return 1;
}

static int surely_apart(const feature_pair *p)
{
    const int cut = feature_cut(p), corners[2] = {cut, 4 - cut};
    moving_points other;
    for (int e = 0; e < 2; e++)
        memcpy(other.at[e], p->p.at[e] + cut, (size_t)(4 - cut) * sizeof other.at[e][0]);
    return oracle_moving_apart(corners, &p->p, &other);
}

static int meet(const feature_pair *p, double *share)
{
    return !have_vertex(p) && boxes_overlap(p) && !surely_apart(p) &&
           oracle_moving(p->vertex_face, &p->p, share);
}

/* ---- the first of all */

static int before(const truth_row *x, const truth_row *y)
{
    if (x->share != y->share)
        return x->share < y->share;
    if (x->kind != y->kind)
        return x->kind < y->kind;
    if (x->feature_a != y->feature_a)
        return x->feature_a < y->feature_a;
    return x->feature_b < y->feature_b;
}

/* These features, if they meet, become the row's if it has none or later ones. */
static void take(truth_row *row, const feature_pair *p, int64_t feature_a, int64_t feature_b)
{
    truth_row found = *row;
    found.kind = p->vertex_face ? IMP_KIND_VERTEX_FACE : IMP_KIND_EDGE_EDGE;
    found.feature_a = feature_a;
    found.feature_b = feature_b;
    if (meet(p, &found.share) && (!row->kind || before(&found, row)))
        *row = found;
}

/* Vertices of `of` against faces of `on`; `turned`: `on` is the row's first. */
static void take_faces(const truth_case *c, truth_row *row, int turned)
{
    const imp_mesh *m = c->f[0]->mesh;
    const uint32_t of = turned ? row->b : row->a, on = turned ? row->a : row->b;
    for (int v = 0; v < truth_corners(m, of); v++)
        for (int f = 0; f < face_count(m, on); f++) {
            const uint32_t vertex = mesh_vertex(m, of, (uint32_t)v);
            const feature_pair p = feature_face(c, on, f, vertex);
            take(row, &p, turned ? -1 - f : (int64_t)vertex, turned ? (int64_t)vertex : -1 - f);
        }
}

static void take_edges(const truth_case *c, truth_row *row)
{
    const imp_mesh *m = c->f[0]->mesh;
    for (int i = 0; i < edge_count(m, row->a); i++)
        for (int j = 0; j < edge_count(m, row->b); j++) {
            const feature_pair p = feature_edges(c, row->a, i, row->b, j);
            take(row, &p, i, j);
        }
}

/* Then no feature meets another, and neither contains the other at the start. */
static int primitives_apart(const truth_case *c, uint32_t a, uint32_t b)
{
    const imp_mesh *m = c->f[0]->mesh;
    const int corners[2] = {truth_corners(m, a), truth_corners(m, b)};
    moving_points x, y;
    for (int f = 0; f < 2; f++) {
        truth_read(c->f[f], a, x.at[f]);
        truth_read(c->f[f], b, y.at[f]);
    }
    return oracle_moving_apart(corners, &x, &y);
}

static int examine(const truth_case *c, oracle *o, truth_row *row)
{
    if (c->def->stage == IMP_STAGE_CANDIDATES)
        return truth_slabs_overlap(c, row->a, row->b);
    if (!truth_share(c->f[0]->mesh, row->a, row->b) && primitives_apart(c, row->a, row->b))
        return 0;
    const int kind = truth_kind(c->f[0], o, row->a, row->b);
    if (kind) {
        row->kind = kind + IMP_KIND_AT_START;
        row->feature_a = row->feature_b = -1;
        return 1;
    }
    take_faces(c, row, 0);
    take_faces(c, row, 1);
    take_edges(c, row);
    return row->kind != 0;
}

int truth_step_find(mem *m, const imp_frame *f, const imp_frame *next, const imp_def *def,
                    const uint8_t *wanted, int threads, truth *out)
{
    const truth_case c = {.f = {f, next}, .frames = 2, .def = def, .wanted = wanted};
    return truth_sweep(m, &c, examine, threads, out);
}
