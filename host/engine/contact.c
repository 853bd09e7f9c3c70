/* Room 5, second half: contacts. Pairs that meet get their segments from the device; the undecided
 * get verdict and geometry from exact arithmetic on the host; both are merged in order and handed
 * to the sink frame by frame. */
#include "engine.h"

#include "budget.h"
#include "contact_columns.h"
#include "error.h"
#include "exact.h"
#include "prim.h"
#include "rows.h"

#include <string.h>

#define MEET_MOST (1u << 18) /* pairs whose points are made at a time: a device wants many */

/* ---- the undecided */

typedef struct exact_list {
    uint64_t count, next; /* next: the first that rows_add has not seen */
    uint32_t *a, *b;
    exact_contact *contact;
} exact_list;

/* the vertices of a primitive as those of a triangle */
static void corners_of(const imp_mesh *m, size_t i, uint32_t out[3])
{
    for (uint32_t k = 0; k < 3; k++)
        out[k] = mesh_vertex(m, i, k);
}

/* which different vertices of p are vertices of q, by index */
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
    corners_of(frame->mesh, i, ta);
    corners_of(frame->mesh, j, tb);
    exact_point pa[3], pb[3];
    int sp[3], shared = shared_vertices(ta, tb, sp);
    for (int k = 0; k < 3; k++) {
        frame_vertex(frame, ta[k], pa[k].x);
        frame_vertex(frame, tb[k], pb[k].x);
    }
    exact_tri_tri(pa, pb, shared, sp, out);
}

/* a and b of one frame, as positions in the block */
static void exact_pair(const block *k, const imp_frame *frames, uint32_t a, uint32_t b,
                       exact_contact *out)
{
    uint32_t f = frame_of(k->prim0, k->frames, a);
    contact_triangles(&frames[f], a - k->prim0[f], b - k->prim0[f], out);
}

static int exact_open(const context *c, const block *k, const bounds *o, const pairs *undecided,
                      exact_list *x, imp_frame_info *info)
{
    int err = IMP_OK;
    int64_t n = (int64_t)undecided->count;
    size_t bytes = undecided->count * sizeof *x->a;
    TRY(mem_alloc(c->mem, bytes, &x->a));
    TRY(mem_alloc(c->mem, bytes, &x->b));
    TRY(mem_alloc(c->mem, undecided->count * sizeof *x->contact, &x->contact));
    TRY(buffer_read(c->dev64, &undecided->a, 0, x->a, undecided->count));
    TRY(buffer_read(c->dev64, &undecided->b, 0, x->b, undecided->count));
    x->count = undecided->count;
#pragma omp parallel for schedule(dynamic, 64) num_threads(c->threads) if (n > 64)
    for (int64_t i = 0; i < n; i++)
        if (!atomic_load(c->cancel))
            exact_pair(k, o->frame, x->a[i], x->b[i], &x->contact[i]);
    if (atomic_load(c->cancel))
        FAIL(IMP_ERR_CANCELLED, "cancelled");
    for (int64_t i = 0; i < n; i++)
        info[frame_of(k->prim0, k->frames, x->a[i])].undecided++;
out:
    return err;
}

static void exact_close(const context *c, exact_list *x)
{
    mem_free(c->mem, x->a);
    mem_free(c->mem, x->b);
    mem_free(c->mem, x->contact);
}

/* rows of undecided pairs that turned out to meet, up to the pair (a, b) */
static int exact_until(exact_list *x, contact_rows *r, uint32_t a, uint32_t b)
{
    int err = IMP_OK;
    for (; x->next < x->count; x->next++) {
        uint64_t i = x->next;
        if (x->a[i] > a || (x->a[i] == a && x->b[i] > b))
            break;
        const uint8_t kind = (uint8_t)x->contact[i].kind;
        if (kind)
            TRY(rows_add(r, (imp_contacts){.count = 1,
                                           .a = &x->a[i],
                                           .b = &x->b[i],
                                           .kind = &kind,
                                           .point = x->contact[i].point}));
    }
out:
    return err;
}

/* ---- the pairs that meet */

/* What the kernels that make points are given: GEOMETRY_LIST of kernels.def. */
#define GEOMETRY_OF(k, o, s)                                                                       \
    &(s)->decided.a, &(s)->decided.b, &(o)->wide.corner, &(o)->x, (k)->frames, &(o)->wide.prim0,   \
        &(o)->unscale, &(s)->point

int contact_points(const context *c, const block *k, const bounds *o, narrow *s, uint64_t first,
                   uint32_t n)
{
    int err = IMP_OK;
    device *d = c->dev64;
    TRY(pairs_fit(d, &s->decided, n));
    TRY(buffer_copy(d, &s->meet.a, first, &s->decided.a, 0, n));
    TRY(buffer_copy(d, &s->meet.b, first, &s->decided.b, 0, n));
    TRY(buffer_fit(d, &s->point, (size_t)6 * n));
    TRY(RUN_PAIRS(d, narrow_segment, n, GEOMETRY_OF(k, o, s)));
    if (!(c->opt.rules & RULE_SKIP_ADJACENT))
        TRY(RUN(d, narrow_segment_fan, n, GEOMETRY_OF(k, o, s)));
out:
    return err;
}

/* For `all` pairs at most. Their kind is not kept: it is always the same. */
static int meet_open(const context *c, column_rows *m, uint64_t all)
{
    column_set set = c->opt.columns & ~((column_set)1 << CONTACT_kind);
    size_t capacity = rows_room(c, set, MEET_MOST);
    return columns_open(c->mem, &contact_table, set, capacity < all ? capacity : (size_t)all, m);
}

static int meet_read(const context *c, const narrow *s, uint32_t n, column_rows *m)
{
    int err = IMP_OK;
    TRY(buffer_read(c->dev64, &s->decided.a, 0, (void *)m->value[CONTACT_a], n));
    TRY(buffer_read(c->dev64, &s->decided.b, 0, (void *)m->value[CONTACT_b], n));
    TRY(buffer_read(c->dev64, &s->point, 0, (void *)m->value[CONTACT_point], (size_t)6 * n));
    m->count = n;
out:
    return err;
}

/* How many of the first pairs come before the next undecided one. */
static size_t meet_before(const imp_contacts *m, const exact_list *x)
{
    size_t n = 0;
    if (x->next == x->count)
        return m->count;
    uint32_t a = x->a[x->next], b = x->b[x->next];
    while (n < m->count && (m->a[n] < a || (m->a[n] == a && m->b[n] < b)))
        n++;
    return n;
}

/* The pairs of one reading, and the undecided before each of them. */
static int meet_emit(const column_rows *m, exact_list *x, contact_rows *r)
{
    int err = IMP_OK;
    uint8_t kind[ROWS_MOST];
    imp_contacts c = {.count = m->count};
    columns_view(m, &c);
    c.kind = kind;
    memset(kind, IMP_KIND_SEGMENT, sizeof kind);
    while (c.count) {
        imp_contacts next = c;
        TRY(exact_until(x, r, c.a[0], c.b[0]));
        size_t n = meet_before(&c, x);
        next.count = n < ROWS_MOST ? n : ROWS_MOST;
        TRY(rows_add(r, next));
        columns_skip(&contact_table, &c, next.count);
        c.count -= next.count;
        c.kind = kind;
    }
out:
    return err;
}

/* triangles of which no more is asked than where they meet */
static int emit(const context *c, const block *k, const bounds *o, narrow *s, contact_rows *r)
{
    int err = IMP_OK;
    exact_list x = {0};
    column_rows m = {0};
    uint64_t all = s->meet.count;
    TRY(exact_open(c, k, o, &s->undecided, &x, r->info));
    TRY(meet_open(c, &m, all));
    for (uint64_t first = 0, n; first < all; first += n) {
        n = all - first < m.capacity ? all - first : m.capacity;
        TRY(contact_points(c, k, o, s, first, (uint32_t)n));
        TRY(meet_read(c, s, (uint32_t)n, &m));
        TRY(meet_emit(&m, &x, r));
    }
    TRY(exact_until(&x, r, UINT32_MAX, UINT32_MAX));
out:
    exact_close(c, &x);
    columns_close(&m);
    return err;
}

int contact_emit(const context *c, const block *k, const bounds *o, narrow *s, imp_sink *sink,
                 void *user, imp_frame_info *info)
{
    int err = IMP_OK;
    contact_rows r = {.sink = sink, .user = user, .info = info};
    int solids = k->corners > IMP_TRIANGLES || column_in(c->opt.columns, CONTACT_depth);
    TRY(rows_open(c, k, &r));
    TRY((c->opt.stage == IMP_STAGE_CANDIDATES ? contact_candidates
         : solids                             ? contact_solids
                                              : emit)(c, k, o, s, &r));
    TRY(rows_flush(&r));
out:
    rows_close(&r);
    return err;
}
