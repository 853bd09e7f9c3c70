/* Rows of candidates: a pair, and the centroids of both. */
#include "contact.h"

#include "budget.h"
#include "error.h"

#define MANY                                                                                       \
    2 /* from this many pairs for each primitive on, centroids of all primitives are computed      \
         first */
#define SHARED_MOST 16384  /* rows at a time where they stay in a cache, */
#define QUEUED_MOST 262144 /* and where a launch costs something */

/* The number of corners that centroids are means of, for each frame; 0: three or four. Corners on
 * the device are padded to those of the view, and a repeated corner would move the centroid. */
static int put_kinds(const context *c, const block_view *v, buffer_u32 *out)
{
    int err = IMP_OK;
    uint32_t *kind = NULL;
    TRY(mem_alloc(c->mem, v->frames * sizeof *kind, &kind));
    for (uint32_t f = 0; f < v->frames; f++)
        kind[f] = v->frame[f].mesh->corner_count ? 0 : mesh_corners(v->frame[f].mesh);
    TRY(buffer_put(c->dev64, out, kind, v->frames));
out:
    mem_free(c->mem, kind);
    return err;
}

/* Does it pay to keep the centroids of all primitives, and is there memory for them? */
static int candidate_rows_can_cache(const context *c, const block_view *v, const narrow *s)
{
    size_t bytes = BUFFER_BYTES(&s->centroid, (size_t)DIMENSIONS * v->prims);
    return s->meet.count / MANY >= v->prims &&
           bytes <= (mem_left(c->mem) + s->centroid.raw.capacity) / BUDGET_COPY_SHARE &&
           (!c->dev64->largest || bytes <= c->dev64->largest);
}

/* Before the first piece. */
static int find_centroids(const context *c, const block_view *v, const bounds *o, narrow *s)
{
    int err = IMP_OK;
    TRY(put_kinds(c, v, &s->kind));
    s->centroids = candidate_rows_can_cache(c, v, s);
    if (!s->centroids)
        goto out;
    TRY(buffer_fit(c->dev64, &s->centroid, (size_t)DIMENSIONS * v->prims));
    TRY(RUN(c->dev64, narrow_centroids, v->prims, v->corners, &o->on64.corner, &o->x, v->frames,
            &o->on64.prim0, &o->unscale, &s->kind, &s->centroid));
out:
    return err;
}

static int find_points(const contact_source *of, uint64_t first, uint32_t n, buffer_f64 *point)
{
    int err = IMP_OK;
    device *d = of->c->dev64;
    const narrow *s = of->s;
    const block_view *v = of->v;
    const bounds *o = of->o;
    TRY(buffer_fit(d, point, (size_t)6 * n));
    if (s->centroids)
        TRY(RUN(d, narrow_ends, n, first, &s->meet.a, &s->meet.b, &s->centroid, point));
    else
        TRY(RUN(d, narrow_ends_alone, n, first, &s->meet.a, &s->meet.b, v->corners, &o->on64.corner,
                &o->x, v->frames, &o->on64.prim0, &o->unscale, &s->kind, point));
out:
    return err;
}

static int candidate_rows_make(const contact_source *of, uint64_t first, uint32_t n, int beside,
                               contact_piece *to)
{
    int err = IMP_OK;
    narrow *s = of->s;
    device *d = of->c->dev64;
    column_rows *out = &to->rows;
    columns_zero(out, COLUMN_BIT(CONTACT_a) | COLUMN_BIT(CONTACT_b) | COLUMN_BIT(CONTACT_points));
    if (!first)
        TRY(find_centroids(of->c, of->v, of->o, s));
    TRY(find_points(of, first, n, &to->point));
    const readout rows[] = {
        READOUT(&s->meet.a, first, (void *)out->value[CONTACT_a], n),
        READOUT(&s->meet.b, first, (void *)out->value[CONTACT_b], n),
        READOUT(&to->point, 0, (void *)out->value[CONTACT_points], (size_t)6 * n)};
    TRY(readback_begin(d, &to->readback, rows, 3, beside));
    out->count = n;
out:
    return err;
}

contact_maker contact_of_candidates(const contact_source *of)
{
    return (contact_maker){of->c->dev64->queued ? QUEUED_MOST : SHARED_MOST, 0, candidate_rows_make,
                           NULL};
}
