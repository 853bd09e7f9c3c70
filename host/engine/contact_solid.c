/* Room 5, second half, where there are solids: contacts with depth and collision points. The device
 * tells which pairs meet; where they do is the host's, exactly. */
#include "engine.h"

#include "budget.h"
#include "contact_columns.h"
#include "error.h"
#include "exact_solid.h"
#include "prim.h"
#include "rows.h"

#include <string.h>

#define PIECE 2048 /* contacts made at a time: a few of each for every thread */
#define PIECE_LEAST 16

/* A pair, by positions in the block, and what is known of it. */
typedef struct solid_row {
    uint32_t a, b;
    int undecided;
    int kind;            /* 0: they do not meet */
    const double *point; /* made by the device; NULL: not */
    exact_solids at;
} solid_row;

/* The pairs of a range in order, from the two lists of the narrow phase. */
typedef struct merger {
    size_t piece;              /* pairs at a time */
    uint32_t *a, *b;           /* [piece] of meet, read from the device, */
    double *point;             /* with their points if that makes them */
    size_t have, used;         /* how many, and how many are in the rows */
    uint64_t next;             /* the first of meet that is not read */
    uint32_t *open_a, *open_b; /* the undecided, all of them */
    uint64_t open, open_used;
    solid_row *row; /* [piece] */
    size_t rows;
} merger;

/* ---- two primitives */

static int share_vertex(const imp_mesh *m, size_t i, size_t j)
{
    for (uint32_t k = 0; k < IMP_TETRAHEDRA; k++)
        for (uint32_t l = 0; l < IMP_TETRAHEDRA; l++)
            if (mesh_vertex(m, i, k) == mesh_vertex(m, j, l))
                return 1;
    return 0;
}

/* Two triangles of which the device knows that they meet need no more than collision points. */
static void make_triangles(const imp_frame *f, uint32_t i, uint32_t j, int collisions,
                           const exact_prim *p, const exact_prim *q, solid_row *r)
{
    exact_contact found = {.kind = IMP_KIND_SEGMENT};
    if (r->point)
        memcpy(found.point, r->point, sizeof found.point);
    else
        contact_triangles(f, i, j, &found);
    r->kind = found.kind;
    r->at.count = 0;
    if (r->kind && collisions)
        exact_prims_contact(p, q, &r->at);
    r->at.depth = 0;
    memcpy(r->at.point, found.point, sizeof found.point);
}

static void make_row(const block *k, const imp_frame *frames, int collisions, solid_row *r)
{
    uint32_t f = frame_of(k->prim0, k->frames, r->a);
    uint32_t i = r->a - k->prim0[f], j = r->b - k->prim0[f];
    const imp_frame *frame = &frames[f];
    exact_prim p = exact_prim_of(frame, i), q = exact_prim_of(frame, j);
    if (p.corners == 3 && q.corners == 3) {
        make_triangles(frame, i, j, collisions, &p, &q, r);
        return;
    }
    int meet = 1;
    if (r->undecided)
        meet = share_vertex(frame->mesh, i, j) ? exact_prims_meet_within(&p, &q)
                                               : exact_prims_meet(&p, &q);
    r->kind = meet ? IMP_KIND_SOLIDS : 0;
    if (meet)
        exact_prims_contact(&p, &q, &r->at);
}

/* ---- in order */

/* As many as there are, and memory has room for. */
static size_t piece_of(const context *c, uint64_t all)
{
    uint64_t fit = mem_left(c->mem) / BUDGET_ROWS_SHARE / sizeof(solid_row);
    uint64_t n = fit < PIECE ? fit : PIECE;
    n = n < all ? n : all;
    return (size_t)(n < PIECE_LEAST ? PIECE_LEAST : n);
}

static int merger_open(const context *c, const narrow *s, merger *m)
{
    int err = IMP_OK;
    m->open = s->undecided.count;
    m->piece = piece_of(c, s->meet.count + m->open);
    TRY(mem_alloc(c->mem, m->piece * sizeof *m->a, &m->a));
    TRY(mem_alloc(c->mem, m->piece * sizeof *m->b, &m->b));
    TRY(mem_alloc(c->mem, m->piece * sizeof(double[6]), &m->point));
    TRY(mem_alloc(c->mem, m->piece * sizeof *m->row, &m->row));
    TRY(mem_alloc(c->mem, m->open * sizeof *m->open_a, &m->open_a));
    TRY(mem_alloc(c->mem, m->open * sizeof *m->open_b, &m->open_b));
    TRY(buffer_read(c->dev64, &s->undecided.a, 0, m->open_a, m->open));
    TRY(buffer_read(c->dev64, &s->undecided.b, 0, m->open_b, m->open));
out:
    return err;
}

static void merger_close(const context *c, merger *m)
{
    void *mine[] = {m->a, m->b, m->point, m->row, m->open_a, m->open_b};
    for (size_t i = 0; i < sizeof mine / sizeof *mine; i++)
        mem_free(c->mem, mine[i]);
}

/* The next pairs that meet. Of triangles alone the device makes the points, as it always does. */
static int merger_read(const context *c, const block *k, const bounds *o, narrow *s, merger *m)
{
    int err = IMP_OK;
    uint64_t left = s->meet.count - m->next;
    size_t n = left < m->piece ? (size_t)left : m->piece;
    m->used = 0;
    m->have = n;
    TRY(buffer_read(c->dev64, &s->meet.a, m->next, m->a, n));
    TRY(buffer_read(c->dev64, &s->meet.b, m->next, m->b, n));
    if (n && k->corners == IMP_TRIANGLES) {
        TRY(contact_points(c, k, o, s, m->next, (uint32_t)n));
        TRY(buffer_read(c->dev64, &s->point, 0, m->point, 6 * n));
    }
    m->next += n;
out:
    return err;
}

static int open_first(const merger *m)
{
    uint64_t i = m->open_used;
    size_t j = m->used;
    if (i == m->open || j == m->have)
        return i < m->open;
    return m->open_a[i] < m->a[j] || (m->open_a[i] == m->a[j] && m->open_b[i] < m->b[j]);
}

/* Takes pairs of both lists into the rows, as many as there is room for, and as long as it is known
 * which comes next. */
static int merger_fill(const context *c, const block *k, const bounds *o, narrow *s, merger *m)
{
    int err = IMP_OK;
    for (m->rows = 0; m->rows < m->piece; m->rows++) {
        solid_row *r = &m->row[m->rows];
        if (m->used == m->have && m->rows && m->next < s->meet.count)
            break; /* rows have pointers to the points */
        if (m->used == m->have && m->next < s->meet.count)
            TRY(merger_read(c, k, o, s, m));
        if (m->used == m->have && m->open_used == m->open)
            break;
        r->undecided = open_first(m);
        r->point = NULL;
        if (r->undecided) {
            r->a = m->open_a[m->open_used];
            r->b = m->open_b[m->open_used++];
            continue;
        }
        r->point = k->corners == IMP_TRIANGLES ? m->point + 6 * m->used : NULL;
        r->a = m->a[m->used];
        r->b = m->b[m->used++];
    }
out:
    return err;
}

/* ---- out */

/* One row of the view that rows_add takes. */
static int add_row(const solid_row *r, contact_rows *out)
{
    const uint8_t kind = (uint8_t)r->kind;
    const uint64_t first[2] = {0, (uint64_t)r->at.count};
    return rows_add(out, (imp_contacts){.count = 1,
                                        .a = &r->a,
                                        .b = &r->b,
                                        .kind = &kind,
                                        .point = r->at.point,
                                        .depth = &r->at.depth,
                                        .collision_first = first,
                                        .collision = r->at.collision[0].x});
}

static int make_rows(const context *c, const block *k, const bounds *o, merger *m,
                     contact_rows *out)
{
    int err = IMP_OK;
    int64_t n = (int64_t)m->rows;
    int collisions = column_in(c->opt.columns, CONTACT_collision);
#pragma omp parallel for schedule(dynamic, 16) num_threads(c->threads) if (n > 16)
    for (int64_t i = 0; i < n; i++)
        make_row(k, o->frame, collisions, &m->row[i]);
    if (atomic_load(c->cancel))
        FAIL(IMP_ERR_CANCELLED, "cancelled");
    for (size_t i = 0; i < m->rows; i++) {
        const solid_row *r = &m->row[i];
        if (r->undecided)
            out->info[frame_of(k->prim0, k->frames, r->a)].undecided++;
        if (r->kind)
            TRY(add_row(r, out));
    }
out:
    return err;
}

int contact_solids(const context *c, const block *k, const bounds *o, narrow *s, contact_rows *r)
{
    int err = IMP_OK;
    merger m = {0};
    TRY(merger_open(c, s, &m));
    do {
        TRY(merger_fill(c, k, o, s, &m));
        TRY(make_rows(c, k, o, &m, r));
    } while (m.rows);
out:
    merger_close(c, &m);
    return err;
}
