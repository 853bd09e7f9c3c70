/* The truth about a step: see truth.h. Every feature of one primitive against every feature of the
 * other; no feature belongs to one primitive more than to another. */
#include "truth.h"

#include "error.h"
#include "frame.h"
#include "truth_features.h"
#include "truth_kind.h"
#include "truth_turning.h"

#include <omp.h>
#include <string.h>

/* ---- the first of all */

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

/* These features, if they meet, become the row's if it has none or later ones. */
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

/* Vertices of `of` against faces of `on`; `turned`: `on` is the row's first. */
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

/* Then no feature meets another or comes near it, and neither contains the other at the start. */
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
