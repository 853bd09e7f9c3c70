/* Rows of candidates: a pair, and the centroids of both. */
#include "engine.h"

#include "budget.h"
#include "error.h"
#include "rows.h"

#include <string.h>

#define MANY 2 /* pairs for each primitive, or more: each centroid is found once before */
#define SHARED_MOST 16384  /* rows at a time where they stay in a cache, */
#define QUEUED_MOST 262144 /* and where a launch costs something */

/* Of how many corners centroids are, frame by frame; 0: of three or four. */
static int put_kinds(const context *c, const block *b, buffer_u32 *out)
{
    int err = IMP_OK;
    uint32_t *kind = NULL;
    TRY(mem_alloc(c->mem, b->frames * sizeof *kind, &kind));
    for (uint32_t f = 0; f < b->frames; f++)
        kind[f] = b->frame[f].mesh->own ? 0 : mesh_corners(b->frame[f].mesh);
    TRY(buffer_put(c->dev64, out, kind, b->frames));
out:
    mem_free(c->mem, kind);
    return err;
}

/* Is it worth it, and is there room, to keep every primitive's centroid? */
static int keep_centroids(const context *c, const block *b, const narrow *s)
{
    size_t bytes = BUFFER_BYTES(&s->centroid, (size_t)DIMENSIONS * b->prims);
    return s->meet.count / MANY >= b->prims &&
           bytes <= (mem_left(c->mem) + s->centroid.raw.capacity) / BUDGET_COPY_SHARE &&
           (!c->dev64->largest || bytes <= c->dev64->largest);
}

static int find_centroids(const context *c, const block *b, const bounds *o, narrow *s)
{
    int err = IMP_OK;
    TRY(buffer_fit(c->dev64, &s->centroid, (size_t)DIMENSIONS * b->prims));
    TRY(RUN(c->dev64, narrow_centroids, b->prims, b->corners, &o->wide.corner, &o->x, b->frames,
            &o->wide.prim0, &o->unscale, &s->kind, &s->centroid));
out:
    return err;
}

static int find_points(const context *c, const block *b, const bounds *o, narrow *s, int kept,
                       uint64_t first, uint32_t n)
{
    int err = IMP_OK;
    device *d = c->dev64;
    TRY(buffer_fit(d, &s->point, (size_t)6 * n));
    if (kept)
        TRY(RUN(d, narrow_ends, n, first, &s->meet.a, &s->meet.b, &s->centroid, &s->point));
    else
        TRY(RUN(d, narrow_ends_alone, n, first, &s->meet.a, &s->meet.b, b->corners, &o->wide.corner,
                &o->x, b->frames, &o->wide.prim0, &o->unscale, &s->kind, &s->point));
out:
    return err;
}

static int read_rows(const context *c, const narrow *s, uint64_t first, uint32_t n, column_rows *m)
{
    int err = IMP_OK;
    device *d = c->dev64;
    TRY(buffer_read(d, &s->meet.a, first, (uint32_t *)(void *)m->value[CONTACT_a], n));
    TRY(buffer_read(d, &s->meet.b, first, (uint32_t *)(void *)m->value[CONTACT_b], n));
    TRY(buffer_read(d, &s->point, 0, (double *)(void *)m->value[CONTACT_point], (size_t)6 * n));
    m->count = n;
out:
    return err;
}

/* What is the same for all rows. */
static void fill_rows(column_rows *m)
{
    memset(m->value[CONTACT_kind], IMP_KIND_CANDIDATE, m->capacity);
    if (!column_in(m->set, CONTACT_depth))
        return;
    memset(m->value[CONTACT_depth], 0, m->capacity * sizeof(double));
    memset(m->first[CONTACT_collision], 0, (m->capacity + 1) * sizeof(uint64_t));
}

int contact_candidates(const context *c, const block *b, const bounds *o, narrow *s,
                       contact_rows *r)
{
    int err = IMP_OK;
    column_rows m = {0};
    const uint64_t all = s->meet.count;
    const int kept = keep_centroids(c, b, s);
    if (!all)
        return IMP_OK;
    uint64_t most = c->dev64->queued ? QUEUED_MOST : SHARED_MOST;
    size_t room = rows_room(c, c->opt.columns, most < all ? most : all);
    TRY(columns_open(c->mem, &contact_table, c->opt.columns, room, &m));
    fill_rows(&m);
    TRY(put_kinds(c, b, &s->kind));
    if (kept)
        TRY(find_centroids(c, b, o, s));
    for (uint64_t first = 0, n; first < all; first += n) {
        n = all - first < m.capacity ? all - first : m.capacity;
        TRY(find_points(c, b, o, s, kept, first, (uint32_t)n));
        TRY(read_rows(c, s, first, (uint32_t)n, &m));
        TRY(rows_hand_out(r, &m));
    }
out:
    columns_close(&m);
    return err;
}
