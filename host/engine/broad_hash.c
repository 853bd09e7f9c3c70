/* Broad phase by the prime-coefficient spatial hash (methods.md C; kernels/hash.cl). Cell size is
 * the mean edge of a frame's triangles unless given; the table of a frame with n primitives has 3n
 * buckets. Primitives too large for that cell go to coarser levels. */
#include "engine.h"

#include "error.h"

#include <math.h>
#include <string.h>

#define CELL_FINEST 0x1p24f /* cells per unit, 2^25 along the frame: exact in float32 (cell.h) */
#define CELL_COARSEST 0.25f /* all of a frame in at most 8 cells */

/* Sum of all edge lengths of each frame, in scaled units. */
static int edge_sums(imp *p, double *sum)
{
    int err = IMP_OK;
    const chunks *c = &p->bounds.prims;
    buffer part_buf = {0};
    double *part = NULL;
    TRY(buffer_fit(p->dev64, &part_buf, c->count * sizeof *part));
    TRY(mem_alloc(&p->mem, c->count * sizeof *part, &part));
    TRY(RUN(p->dev64, bound_edges, c->count, BUF(&c->first_buf), BUF(&c->last_buf),
            BUF(&p->bounds.made.corner), BUF(&p->bounds.x), BUF(&part_buf)));
    TRY(buffer_read(p->dev64, &part_buf, 0, part, c->count * sizeof *part));
    memset(sum, 0, p->block.frames * sizeof *sum);
    for (uint32_t i = 0; i < c->count; i++)
        sum[c->frame[i]] += part[i];
out:
    mem_free(&p->mem, part);
    buffer_free(p->dev64, &part_buf);
    return err;
}

/* Cells per unit of a frame whose edges sum to `sum`. Where there is no edge (all primitives are
 * points) the frame is divided into about as many cells as it has primitives. */
static float frame_inv(const imp *p, size_t f, double sum)
{
    const block *b = &p->block;
    uint32_t n = b->prim0[f + 1] - b->prim0[f] - b->bad[f];
    double edge = p->def.cell * b->scale[2 * f] * b->scale[2 * f + 1];
    if (p->def.cell == 0 && n)
        edge = sum / (3.0 * n);
    if (p->def.cell == 0 && !(edge > 0))
        edge = 2 / cbrt((double)n + 1);
    double inv = 1 / edge;
    return inv > CELL_FINEST ? CELL_FINEST : inv > CELL_COARSEST ? (float)inv : CELL_COARSEST;
}

static int cell_sizes(imp *p)
{
    int err = IMP_OK;
    const block *b = &p->block;
    hash_state *h = &p->broad.hash;
    double *sum = NULL;
    float *inv = NULL;
    TRY(mem_alloc(&p->mem, b->frames * sizeof *sum, &sum));
    TRY(mem_alloc(&p->mem, b->frames * sizeof *inv, &inv));
    memset(sum, 0, b->frames * sizeof *sum);
    if (p->def.cell == 0)
        TRY(edge_sums(p, sum));
    for (uint32_t f = 0; f < b->frames; f++)
        inv[f] = frame_inv(p, f, sum[f]);
    TRY(buffer_put(p->dev, &h->inv, inv, b->frames * sizeof *inv));
out:
    mem_free(&p->mem, sum);
    mem_free(&p->mem, inv);
    return err;
}

/* Buckets of all frames, 3n each; fewer where their numbers would not fit 32 bits. */
static int table_layout(imp *p, uint32_t *buckets)
{
    int err = IMP_OK;
    const block *b = &p->block;
    uint32_t *bucket0 = NULL;
    uint64_t at = 0, most = UINT32_MAX - 1;
    TRY(mem_alloc(&p->mem, (b->frames + 1) * sizeof *bucket0, &bucket0));
    for (uint32_t f = 0; f < b->frames; f++) {
        uint64_t n = b->prim0[f + 1] - b->prim0[f];
        bucket0[f] = (uint32_t)at;
        at += 3 * (uint64_t)b->prims <= most ? 3 * n : n;
    }
    bucket0[b->frames] = *buckets = (uint32_t)at;
    TRY(buffer_put(p->dev, &p->broad.hash.bucket0, bucket0, (b->frames + 1) * sizeof *bucket0));
out:
    mem_free(&p->mem, bucket0);
    return err;
}

/* which levels each frame uses, as a bit mask */
static int level_masks(imp *p)
{
    int err = IMP_OK;
    const chunks *c = &p->bounds.prims_near;
    uint32_t frames = p->block.frames, *part = NULL, *mask = NULL;
    hash_state *h = &p->broad.hash;
    TRY(mem_alloc(&p->mem, c->count * sizeof *part, &part));
    TRY(mem_alloc(&p->mem, frames * sizeof *mask, &mask));
    TRY(buffer_fit(p->dev, &h->levels, c->count * sizeof *part));
    TRY(RUN(p->dev, hash_levels, c->count, BUF(&c->first_buf), BUF(&c->last_buf), BUF(&h->level),
            BUF(&h->levels)));
    TRY(buffer_read(p->dev, &h->levels, 0, part, c->count * sizeof *part));
    memset(mask, 0, frames * sizeof *mask);
    for (uint32_t i = 0; i < c->count; i++)
        mask[c->frame[i]] |= part[i];
    TRY(buffer_put(p->dev, &h->levels, mask, frames * sizeof *mask));
out:
    mem_free(&p->mem, part);
    mem_free(&p->mem, mask);
    return err;
}

static int table_cover(imp *p, uint64_t *entries)
{
    int err = IMP_OK;
    const block *b = &p->block;
    hash_state *h = &p->broad.hash;
    TRY(buffer_fit(p->dev, &h->count, (size_t)4 * b->prims));
    TRY(buffer_fit(p->dev, &h->level, b->prims));
    TRY(RUN(p->dev, hash_cover, b->prims, BUF(&p->bounds.near.box), U32(b->frames),
            BUF(&p->bounds.near.prim0), BUF(&h->inv), BUF(&h->count), BUF(&h->level)));
    TRY(level_masks(p));
    TRY(scan_counts(p->dev, &p->broad.scan, &h->count, b->prims, &h->offset, entries));
out:
    return err;
}

/* start[] of all buckets, in launches whose items fit 32 bits */
static int table_starts(imp *p, uint64_t entries, uint32_t buckets)
{
    int err = IMP_OK;
    hash_state *h = &p->broad.hash;
    TRY(buffer_fit(p->dev, &h->start, ((size_t)buckets + 1) * sizeof(uint64_t)));
    for (uint64_t e = 0; e <= entries; e += UINT64_C(1) << 31) {
        uint64_t n = entries + 1 - e < UINT64_C(1) << 31 ? entries + 1 - e : UINT64_C(1) << 31;
        TRY(RUN(p->dev, hash_starts, n, U64(entries), U64(e), U32(buckets), BUF(&h->bucket),
                BUF(&h->start)));
    }
out:
    return err;
}

static int hash_build(imp *p)
{
    int err = IMP_OK;
    const block *b = &p->block;
    hash_state *h = &p->broad.hash;
    uint64_t entries = 0;
    uint32_t buckets = 0;
    TRY(cell_sizes(p));
    TRY(table_layout(p, &buckets));
    TRY(table_cover(p, &entries));
    TRY(buffer_fit(p->dev, &h->bucket, entries * sizeof(uint32_t)));
    TRY(buffer_fit(p->dev, &h->entry, entries * sizeof(uint32_t)));
    TRY(RUN(p->dev, hash_enter, b->prims, BUF(&p->bounds.near.box), U32(b->frames),
            BUF(&p->bounds.near.prim0), BUF(&h->inv), BUF(&h->level), BUF(&h->bucket0),
            BUF(&h->offset), BUF(&h->bucket), BUF(&h->entry)));
    TRY(sort_by_key(p->dev, &p->broad.sort, &h->bucket, &h->entry, entries, bits_for(buckets)));
    TRY(table_starts(p, entries, buckets));
out:
    return err;
}

#define TABLE(p)                                                                                   \
    U32((p)->block.frames), BUF(&(p)->bounds.near.prim0), BUF(&(p)->broad.hash.start),             \
        BUF(&(p)->broad.hash.entry), BUF(&(p)->broad.hash.level), BUF(&(p)->broad.hash.bucket0),   \
        BUF(&(p)->broad.hash.inv), BUF(&(p)->broad.hash.levels)

static int hash_count(imp *p, uint32_t finder0, uint32_t finders)
{
    return RUN(p->dev, hash_count, finders, U32(finder0), SCENE_OF(p), TABLE(p),
               BUF(&p->broad.count));
}

static int hash_emit(imp *p, uint32_t finder0, uint32_t finders, uint64_t base, pairs *out)
{
    return RUN(p->dev, hash_emit, finders, U32(finder0), SCENE_OF(p), TABLE(p),
               BUF(&p->broad.offset), U64(base), BUF(&out->a), BUF(&out->b));
}

static void hash_free(imp *p)
{
    hash_state *h = &p->broad.hash;
    buffer *all[] = {&h->inv,    &h->bucket0, &h->level, &h->levels, &h->count,
                     &h->offset, &h->bucket,  &h->entry, &h->start};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        buffer_free(p->dev, all[i]);
}

const broad_method broad_hash = {"hash", hash_build, hash_count, hash_emit, NULL, hash_free};
