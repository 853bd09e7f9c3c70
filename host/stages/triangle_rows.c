/* Rows of triangles: the device makes the points of the pairs that meet by its verdict. */
#include "stages.h"

#include "error.h"
#include "float_env.h"
#include "prim.h"

#include <math.h>
#include <string.h>

/* Pairs at a time: many, since a launch costs time; fewer with a readback, so that one piece is
 * read back while the one before is delivered. */
#define MEET_MOST (1u << 20)
#define MEET_READBACK (1u << 18)

/* ---- the pairs that meet */

/* Arguments of the kernels that make points: GEOMETRY_LIST of kernels.def. */
#define GEOMETRY_OF(v, o, to)                                                                      \
    &(to)->of.a, &(to)->of.b, &(o)->on64.corner, &(o)->x, (v)->frames, &(o)->on64.prim0,           \
        &(o)->unscale, &(to)->point, &(to)->feature

/* Coordinates of a frame in units of 2^e are exact unless they are denormals: those from 2^(e -
 * 1022) on are, and all of float32. */
static double points_rounded(const block_view *v, const normalisation *u)
{
    double most = 0;
    for (size_t f = 0; f < v->frames; f++) {
        const double least = u->unscale[2 * f] * 0x1p-1022 * u->unscale[2 * f + 1];
        most = v->frame[f].type != IMP_FLOAT32 && least > most ? least : most;
    }
    return most;
}

/* Kernels take lists from their start, so a part of the list is copied. Pairs that share a vertex
 * are in it only where adjacent pairs are tested; a second kernel makes their points. */
int contact_points(const contact_source *of, uint64_t first, uint32_t n, contact_piece *to)
{
    int err = IMP_OK;
    const narrow *s = of->s;
    device *d = of->c->dev64;
    TRY(pairs_fit(d, &to->of, n));
    TRY(buffer_copy(d, &s->meet.a, first, &to->of.a, 0, n));
    TRY(buffer_copy(d, &s->meet.b, first, &to->of.b, 0, n));
    TRY(buffer_fit(d, &to->point, (size_t)6 * n));
    TRY(buffer_fit(d, &to->feature, (size_t)4 * n));
    if (d->groups) {
        TRY(RUN(d, narrow_segment, n, &to->of.a, &to->of.b, &of->o->on64.corner, &of->o->x,
                &to->point, &to->feature));
        TRY(RUN(d, narrow_segment_ends, (uint64_t)2 * n, GEOMETRY_OF(of->v, of->o, to)));
        TRY(RUN(d, narrow_segment_order, n, &to->point, &to->feature));
    } else {
        TRY(RUN_EIGHTS(d, narrow_segment8, n, GEOMETRY_OF(of->v, of->o, to)));
    }
    if (!(of->c->opt.rules & RULE_SKIP_ADJACENT))
        TRY(RUN(d, narrow_segment_fan, n, GEOMETRY_OF(of->v, of->o, to)));
    to->rounded = points_rounded(of->v, &of->o->normalisation);
out:
    return err;
}

static int triangle_rows_make(const contact_source *of, uint64_t first, uint32_t n, int beside,
                              contact_piece *to)
{
    int err = IMP_OK;
    device *d = of->c->dev64;
    column_rows *out = &to->rows;
    TRY(contact_points(of, first, n, to));
    uint8_t *const feature = (void *)out->value[CONTACT_end_features];
    const readout rows[] = {
        READOUT(&to->of.a, 0, (void *)out->value[CONTACT_a], n),
        READOUT(&to->of.b, 0, (void *)out->value[CONTACT_b], n),
        READOUT(&to->point, 0, (void *)out->value[CONTACT_points], (size_t)6 * n),
        READOUT(&to->feature, 0, feature, (size_t)4 * n)};
    TRY(readback_begin(d, &to->readback, rows, feature ? 4 : 3, beside));
    memset(out->value[CONTACT_kind], IMP_KIND_SEGMENT, n);
    /* The verdict is that of signs which make the pair cross. */
    if (out->value[CONTACT_crossing])
        memset(out->value[CONTACT_crossing], 1, n);
    out->count = n;
out:
    return err;
}

/* ---- exactly */

/* The first three vertices of a primitive, as a triangle. */
static void triangle_rows_corners(const imp_mesh *m, size_t i, uint32_t out[3])
{
    for (uint32_t k = 0; k < 3; k++)
        out[k] = mesh_vertex(m, i, k);
}

/* Indices of the distinct vertices of p that are also vertices of q. A repeated corner of a
 * degenerate triangle counts once. */
static int shared_vertices(const uint32_t *p, const uint32_t *q, int sp[3])
{
    int n = 0;
    for (int i = 0; i < 3; i++) {
        int repeated = (i > 0 && p[i] == p[0]) || (i > 1 && p[i] == p[1]);
        if (!repeated && (p[i] == q[0] || p[i] == q[1] || p[i] == q[2]))
            sp[n++] = i;
    }
    return n;
}

void contact_triangles(const imp_frame *frame, uint32_t i, uint32_t j, exact_contact *out)
{
    uint32_t ta[3], tb[3];
    triangle_rows_corners(frame->mesh, i, ta);
    triangle_rows_corners(frame->mesh, j, tb);
    exact_point pa[3], pb[3];
    int sp[3], shared = shared_vertices(ta, tb, sp);
    for (int k = 0; k < 3; k++) {
        frame_vertex(frame, ta[k], pa[k].x);
        frame_vertex(frame, tb[k], pb[k].x);
    }
    exact_tri_tri(pa, pb, shared, sp, out);
}

/* a and b are in one frame: candidates never cross frames. */
static void decide_pair(const block_view *v, uint32_t a, uint32_t b, exact_contact *out)
{
    uint32_t f = frame_of(v->prim0, v->frames, a);
    contact_triangles(&v->frame[f], a - v->prim0[f], b - v->prim0[f], out);
}

/* ---- points that the device leaves in doubt */

/* Whether a vertex of triangle i has coordinate k that is not 0, but may be after scaling. */
static int triangle_rows_vanishes(const imp_frame *f, uint32_t i, size_t k, double rounded)
{
    int any = 0;
    for (uint32_t n = 0; n < 3; n++) {
        const double x = frame_coordinate(f, mesh_vertex(f->mesh, i, n), k);
        any |= x != 0 && fabs(x) < rounded;
    }
    return any;
}

/* Whether points are not certainly those of the exact ends (lane_contact.h). */
static int triangle_rows_doubtful(const imp_frame *frame, uint32_t i, uint32_t j,
                                  const double point[6], double rounded)
{
    int doubt = 0;
    for (size_t k = 0; k < 6 && !doubt; k++)
        doubt = !isfinite(point[k]) || (point[k] == 0 && rounded > 0 &&
                                        (triangle_rows_vanishes(frame, i, k % 3, rounded) ||
                                         triangle_rows_vanishes(frame, j, k % 3, rounded)));
    return doubt;
}

/* All threads look for such points, and make these. */
int contact_points_finish(const context *c, const block_view *v, const pair_list *of,
                          double rounded, double *point, uint8_t *feature)
{
    const int64_t n = (int64_t)of->count;
#pragma omp parallel num_threads(c->threads) if (n > 4096)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(dynamic, 1024) nowait
    for (int64_t i = 0; i < n; i++) {
        exact_contact found;
        const uint32_t a = of->a[i], b = of->b[i], f = frame_of(v->prim0, v->frames, a);
        if (atomic_load(c->cancel) ||
            !triangle_rows_doubtful(&v->frame[f], a - v->prim0[f], b - v->prim0[f], point + 6 * i,
                                    rounded))
            continue;
        decide_pair(v, a, b, &found);
        memcpy(point + 6 * i, found.point, sizeof found.point);
        if (feature)
            memcpy(feature + 4 * i, found.feature, sizeof found.feature);
    }
    return atomic_load(c->cancel) ? imp_fail(IMP_ERR_CANCELLED, "cancelled") : IMP_OK;
}

static int triangle_rows_finish(const context *c, const block_view *v, contact_piece *piece)
{
    const column_rows *rows = &piece->rows;
    const pair_list of = {(const void *)rows->value[CONTACT_a],
                          (const void *)rows->value[CONTACT_b], rows->count};
    return contact_points_finish(c, v, &of, piece->rounded, (void *)rows->value[CONTACT_points],
                                 (void *)rows->value[CONTACT_end_features]);
}

/* ---- the undecided pairs */

/* All threads decide the pairs; then one thread appends rows in the order of the pairs. After a
 * cancel the remaining pairs give no rows, and undecided_decide reports it. */
static int triangle_rows_decide(const contact_source *of, const pair_list *list, column_rows *out)
{
    int err = IMP_OK;
    const context *c = of->c;
    const int64_t n = (int64_t)list->count;
    exact_contact *found = NULL;
    TRY(mem_alloc(c->mem, list->count * sizeof *found, &found));
#pragma omp parallel num_threads(c->threads) if (n > 64)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(dynamic, 64) nowait
    for (int64_t i = 0; i < n; i++) {
        found[i].kind = 0;
        if (!atomic_load(c->cancel))
            decide_pair(of->v, list->a[i], list->b[i], &found[i]);
    }
    for (int64_t i = 0; i < n; i++) {
        const uint8_t kind = (uint8_t)found[i].kind, crossing = (uint8_t)found[i].crossing;
        const imp_contacts row = {.a = list->a + i,
                                  .b = list->b + i,
                                  .kind = &kind,
                                  .points = found[i].point,
                                  .crossing = &crossing,
                                  .end_features = found[i].feature};
        if (kind && crossing >= c->opt.crossing)
            TRY(columns_append_incomplete(out, &row, 1));
    }
out:
    mem_free(c->mem, found);
    return err;
}

contact_maker contact_of_triangles(const contact_source *of)
{
    return (contact_maker){of->c->dev64->host_memory ? MEET_MOST : MEET_READBACK, 1,
                           triangle_rows_make, triangle_rows_decide, triangle_rows_finish};
}
