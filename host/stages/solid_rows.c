/* Rows of solids, or with depth and collision points. The device decides which pairs meet; the host
 * computes the geometry exactly. */
#include "stages.h"

#include "mem.h"
#include "error.h"
#include "exact.h"
#include "float_env.h"
#include "prim.h"

#include <string.h>

#define PIECE_LEAST 16
#define MEET_MOST (1u << 16) /* pairs at a time, with one launch */

/* Points of pairs of triangles, and the features there. */
typedef struct solid_points {
    double *point;    /* [6 * pairs] */
    uint8_t *feature; /* [4 * pairs] */
} solid_points;

/* A pair, and its contact. */
typedef struct solid_row {
    uint32_t a, b;
    int kind;            /* 0: they do not meet */
    const double *point; /* made by the device, with the features, or NULL */
    uint8_t feature[4];
    exact_solids at;
} solid_row;

/* Solids that share a vertex always meet there: for them a contact means that their interiors
 * meet. */
static int solid_rows_share_vertex(const imp_mesh *m, size_t i, size_t j)
{
    for (uint32_t k = 0; k < IMP_TETRAHEDRA; k++)
        for (uint32_t l = 0; l < IMP_TETRAHEDRA; l++)
            if (mesh_vertex(m, i, k) == mesh_vertex(m, j, l))
                return 1;
    return 0;
}

/* Triangles that the device found to meet only need collision points. */
static void make_triangles(const imp_frame *f, uint32_t i, uint32_t j, int collisions,
                           const exact_prim *p, const exact_prim *q, solid_row *r)
{
    exact_contact found = {.kind = IMP_KIND_SEGMENT, .crossing = 1};
    if (r->point) {
        memcpy(found.point, r->point, sizeof found.point);
        memcpy(found.feature, r->feature, sizeof found.feature);
    } else {
        contact_triangles(f, i, j, &found);
    }
    r->kind = found.kind;
    r->at.count = 0;
    if (r->kind && collisions)
        exact_prims_contact(p, q, &r->at);
    r->at.depth = 0;
    r->at.crossing = found.crossing;
    memcpy(r->at.point, found.point, sizeof found.point);
    memcpy(r->feature, found.feature, sizeof found.feature);
}

static int solids_meet(const imp_frame *f, uint32_t i, uint32_t j, const exact_prim *p,
                       const exact_prim *q)
{
    return solid_rows_share_vertex(f->mesh, i, j) ? exact_prims_interiors_intersect(p, q)
                                                  : exact_prims_intersect(p, q);
}

int contact_meets(const imp_frame *frame, uint32_t i, uint32_t j)
{
    exact_contact found = {0};
    exact_prim p = exact_prim_of(frame, i), q = exact_prim_of(frame, j);
    if (exact_boxes_apart(p.v, p.corners, q.v, q.corners))
        return 0;
    if (p.corners == 4 || q.corners == 4)
        return solids_meet(frame, i, j, &p, &q);
    contact_triangles(frame, i, j, &found);
    return found.kind != 0;
}

exact_limit contact_limit(const context *c, const imp_frame *frame, uint32_t i, uint32_t j)
{
    const double *t = frame->mesh->thickness;
    return c->opt.thickness ? (exact_limit){{t[i], t[j]}} : exact_limit_of(c->opt.separation);
}

double contact_limit_most(const context *c, const imp_frame *frame)
{
    return c->opt.thickness ? mesh_thickness_most(frame->mesh) : c->opt.separation;
}

int contact_wanted(const context *c, const imp_frame *frame, uint32_t i, uint32_t j)
{
    if (!c->opt.rows)
        return contact_meets(frame, i, j);
    const exact_prim p = exact_prim_of(frame, i), q = exact_prim_of(frame, j);
    const exact_limit limit = contact_limit(c, frame, i, j);
    return exact_prims_within(&p, &q, &limit);
}

static void make_row(const contact_source *of, int undecided, solid_row *r)
{
    const block_view *v = of->v;
    uint32_t f = frame_of(v->prim0, v->frames, r->a);
    uint32_t i = r->a - v->prim0[f], j = r->b - v->prim0[f];
    const imp_frame *frame = &v->frame[f];
    exact_prim p = exact_prim_of(frame, i), q = exact_prim_of(frame, j);
    /* Decides triangles as in a view without solids, so that both have the same rows. */
    if (p.corners == 3 && q.corners == 3) {
        make_triangles(frame, i, j, of->c->opt.solids, &p, &q, r);
        return;
    }
    const int meet = !undecided || solids_meet(frame, i, j, &p, &q);
    r->kind = meet ? IMP_KIND_SOLIDS : 0;
    memset(r->feature, IMP_END_NONE, sizeof r->feature);
    if (meet)
        exact_prims_contact(&p, &q, &r->at);
}

static int solid_rows_add(const solid_row *r, column_rows *out)
{
    const uint8_t kind = (uint8_t)r->kind, crossing = (uint8_t)r->at.crossing;
    /* A table of one row, whose collision points begin at 0. */
    const uint64_t first[2] = {0, (uint64_t)r->at.count};
    const imp_contacts row = {.count = 1,
                              .a = &r->a,
                              .b = &r->b,
                              .kind = &kind,
                              .points = r->at.point,
                              .crossing = &crossing,
                              .end_features = r->feature,
                              .depth = &r->at.depth,
                              .collision_first = first,
                              .collision = r->at.collision[0].x};
    return columns_append_incomplete(out, &row, 1);
}

/* Threads fill rows of their own; one thread appends these, in the order of the pairs. */
static int make_piece(const contact_source *of, const pair_list *list, const solid_points *made,
                      int undecided, solid_row *row, column_rows *out)
{
    int err = IMP_OK;
    const context *c = of->c;
    const int64_t n = (int64_t)list->count;
#pragma omp parallel num_threads(c->threads) if (n > 16)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(dynamic, 16) nowait
    for (int64_t i = 0; i < n; i++) {
        row[i].a = list->a[i];
        row[i].b = list->b[i];
        row[i].point = made ? made->point + 6 * i : NULL;
        if (made)
            memcpy(row[i].feature, made->feature + 4 * i, sizeof row[i].feature);
        make_row(of, undecided, &row[i]);
    }
    if (atomic_load(c->cancel))
        FAIL(IMP_ERR_CANCELLED, "cancelled");
    for (int64_t i = 0; i < n; i++)
        if (row[i].kind && row[i].at.crossing >= c->opt.crossing)
            TRY(solid_rows_add(&row[i], out));
out:
    return err;
}

/* Appends rows in pieces: a row with its collision points is large, so only some are in memory at a
 * time. made: by the device, or NULL. */
static int solid_rows_append(const contact_source *of, const pair_list *list,
                             const solid_points *made, int undecided, column_rows *out)
{
    int err = IMP_OK;
    mem *m = of->c->mem;
    solid_row *row = NULL;
    const uint64_t fit = mem_left(m) / BUDGET_ROWS_SHARE / sizeof *row;
    size_t most = fit < PIECE_LEAST ? PIECE_LEAST : (size_t)fit;
    most = most < list->count ? most : list->count;
    TRY(mem_alloc(m, most * sizeof *row, &row));
    for (size_t at = 0, n; at < list->count; at += n) {
        n = list->count - at < most ? list->count - at : most;
        const pair_list piece = {list->a + at, list->b + at, n};
        const solid_points part = {made ? made->point + 6 * at : NULL,
                                   made ? made->feature + 4 * at : NULL};
        TRY(make_piece(of, &piece, made ? &part : NULL, undecided, row, out));
    }
out:
    mem_free(m, row);
    return err;
}

/* In a view of triangles the device makes the points, as without solids. */
static int solid_rows_points(const contact_source *of, uint64_t first, const pair_list *list,
                             contact_piece *to, solid_points *out)
{
    int err = IMP_OK;
    const context *c = of->c;
    const size_t n = list->count;
    TRY(mem_alloc(c->mem, n * sizeof(double[6]), &out->point));
    TRY(mem_alloc(c->mem, n * sizeof(uint8_t[4]), &out->feature));
    TRY(contact_points(of, first, (uint32_t)n, to));
    const readout both[] = {READOUT(&to->point, 0, out->point, 6 * n),
                            READOUT(&to->feature, 0, out->feature, 4 * n)};
    TRY(device_read_all(c->dev64, both, 2));
    TRY(contact_points_finish(c, of->v, list, to->rounded, out->point, out->feature));
out:
    return err;
}

static int solid_rows_make(const contact_source *of, uint64_t first, uint32_t n, int beside,
                           contact_piece *to)
{
    int err = IMP_OK;
    const context *c = of->c;
    const narrow *s = of->s;
    const int flat = of->v->corners == IMP_TRIANGLES;
    uint32_t *a = NULL, *b = NULL;
    solid_points made = {0};
    (void)beside;
    TRY(mem_alloc(c->mem, n * sizeof *a, &a));
    TRY(mem_alloc(c->mem, n * sizeof *b, &b));
    const pair_list list = {a, b, n};
    const readout both[] = {READOUT(&s->meet.a, first, a, n), READOUT(&s->meet.b, first, b, n)};
    TRY(device_read_all(c->dev64, both, 2));
    if (flat)
        TRY(solid_rows_points(of, first, &list, to, &made));
    TRY(solid_rows_append(of, &list, flat ? &made : NULL, 0, &to->rows));
out:
    mem_free(c->mem, a);
    mem_free(c->mem, b);
    mem_free(c->mem, made.point);
    mem_free(c->mem, made.feature);
    return err;
}

/* The device made no points for undecided pairs. */
static int solid_rows_decide(const contact_source *of, const pair_list *list, column_rows *out)
{
    return solid_rows_append(of, list, NULL, 1, out);
}

const contact_maker contact_of_solids = {MEET_MOST, 0, solid_rows_make, solid_rows_decide, NULL};
