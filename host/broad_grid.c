/* Broad phase by sorted grids, one for each class of sizes (kernels/grid.cl). */
#include "engine.h"

#include "error.h"
#include "grid.h"
#include "prim.h"

#include <math.h>
#include <string.h>

#define OCTAVES 3        /* sizes of one level differ by at most 2^3 */
#define LEVELS_MOST 16   /* of a frame: 128 quarter octaves / 12, rounded up */
#define CELLS_PER_PRIM 2 /* of a table, at most, but for small ones */
#define INV_MOST 0x1p24  /* cells per unit: their numbers stay exact in float32 */
#define BITS_LEAST 4     /* log2 of the cells each way: more than a look-up spans */
#define BITS_LEAST_X 5

typedef struct level {
    uint32_t prims;
    float most; /* largest size */
} level;

/* upper end of a bin of sizes */
static float bin_end(uint32_t bin)
{
    uint32_t bits = (((127u - 30u) << 2) + bin + 1) << 21;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Levels of one frame by its histogram of sizes, the largest first. A level begins at the largest
 * size that is left. At least one, also for a frame without primitives. */
static uint32_t find_levels(const uint32_t *histogram, level *out)
{
    uint32_t n = 0;
    for (int bin = GRID_BINS - 1; bin >= 0;) {
        if (!histogram[bin]) {
            bin--;
            continue;
        }
        level *l = &out[n++];
        *l = (level){.most = bin_end((uint32_t)bin)};
        for (int last = bin - 4 * OCTAVES; bin >= 0 && bin > last; bin--)
            l->prims += histogram[bin];
    }
    if (!n)
        out[n++] = (level){.most = 1};
    return n;
}

/* Cells per unit so that a box of size `most` spans at most `reach` cells beyond its first,
 * whatever rounding does: the product x * inv errs by 2^-24 of at most 1.01 * inv. */
static float level_inv(float most, int reach)
{
    double inv = reach / ((double)most * (1 + 0x1p-22) + 0x1p-22);
    float f = (float)(inv < INV_MOST ? inv : INV_MOST);
    return nextafterf(f, 0);
}

/* 2^bits; bits is less than 32 */
static uint32_t power(uint32_t bits)
{
    return 1u << (bits & 31);
}

static uint32_t bits_covering(double cells)
{
    uint32_t bits = 0;
    while (bits < 31 && ldexp(1, (int)bits) < cells)
        bits++;
    return bits;
}

/* The shape of a level's table: as many cells as the frame's extent asks for, each number a power
 * of two; if that is too many, the longest side is halved until it is not. */
static void level_record(const level *l, const double *extent, uint32_t base, uint32_t *record,
                         uint32_t *cells)
{
    float inv[2] = {level_inv(l->most, GRID_REACH_X), level_inv(l->most, GRID_REACH)};
    uint32_t least[3] = {BITS_LEAST_X, BITS_LEAST, BITS_LEAST}, bits[3];
    uint32_t total = bits_covering(CELLS_PER_PRIM * (double)l->prims), sum = 0;
    for (int k = 0; k < 3; k++) {
        bits[k] = bits_covering(extent[k] * (double)inv[k > 0] + 2);
        bits[k] = bits[k] > least[k] ? bits[k] : least[k];
        sum += bits[k];
    }
    while (sum > total) {
        int longest = -1;
        for (int k = 0; k < 3; k++)
            if (bits[k] > least[k] && (longest < 0 || bits[k] > bits[longest]))
                longest = k;
        if (longest < 0)
            break;
        bits[longest]--;
        sum--;
    }
    memcpy(&record[0], &l->most, sizeof l->most);
    memcpy(&record[1], &inv[0], sizeof inv[0]);
    memcpy(&record[2], &inv[1], sizeof inv[1]);
    record[3] = bits[0];
    record[4] = bits[1];
    record[5] = power(bits[2]) - 1;
    record[6] = base;
    record[7] = 0;
    *cells = power(sum);
}

/* Histogram of sizes of every frame, [GRID_BINS * frames]. */
static int frame_sizes(imp *p, uint32_t *histogram)
{
    int err = IMP_OK;
    const chunks *c = &p->bounds.prims;
    size_t bytes = (size_t)c->count * GRID_BINS * sizeof(uint32_t);
    grid_state *g = &p->broad.grid;
    uint32_t *part = NULL;
    TRY(buffer_put(p->dev, &g->first, c->first, c->count * sizeof *c->first));
    TRY(buffer_put(p->dev, &g->last, c->last, c->count * sizeof *c->last));
    TRY(buffer_fit(p->dev, &g->record, bytes));
    TRY(mem_alloc(&p->mem, bytes, &part));
    TRY(RUN(p->dev, grid_sizes, c->count, BUF(&g->first), BUF(&g->last), BUF(&p->bounds.near.box),
            BUF(&g->record)));
    TRY(buffer_read(p->dev, &g->record, 0, part, bytes));
    memset(histogram, 0, (size_t)p->block.frames * GRID_BINS * sizeof *histogram);
    for (uint32_t i = 0; i < c->count; i++)
        for (uint32_t b = 0; b < GRID_BINS; b++)
            histogram[c->frame[i] * GRID_BINS + b] += part[(size_t)i * GRID_BINS + b];
out:
    mem_free(&p->mem, part);
    return err;
}

/* Levels and tables of all frames; how many cells there are in all. */
static int make_levels(imp *p, const uint32_t *histogram, uint32_t *cells)
{
    int err = IMP_OK;
    grid_state *g = &p->broad.grid;
    uint32_t frames = p->block.frames, n = 0, *level0 = NULL, *record = NULL;
    uint64_t base = 0;
    TRY(mem_alloc(&p->mem, (frames + 1) * sizeof *level0, &level0));
    TRY(mem_alloc(&p->mem, (size_t)frames * LEVELS_MOST * GRID_WORDS * sizeof *record, &record));
    for (uint32_t f = 0; f < frames; f++) {
        level l[LEVELS_MOST];
        uint32_t count = find_levels(histogram + (size_t)f * GRID_BINS, l), more;
        level0[f] = n;
        for (uint32_t i = 0; i < count; i++, n++) {
            level_record(&l[i], p->block.extent + (size_t)3 * f, (uint32_t)base,
                         record + (size_t)n * GRID_WORDS, &more);
            base += more;
        }
    }
    level0[frames] = n;
    if (base > UINT32_MAX - 1)
        FAIL(IMP_ERR_MEMORY, "broad phase grid: %llu cells are too many for one block",
             (unsigned long long)base);
    *cells = (uint32_t)base;
    TRY(buffer_put(p->dev, &g->level0, level0, (frames + 1) * sizeof *level0));
    TRY(buffer_put(p->dev, &g->record, record, (size_t)n * GRID_WORDS * sizeof *record));
out:
    mem_free(&p->mem, level0);
    mem_free(&p->mem, record);
    return err;
}

static int sort_prims(imp *p, uint32_t cells)
{
    int err = IMP_OK;
    grid_state *g = &p->broad.grid;
    uint32_t n = p->block.prims;
    TRY(buffer_fit(p->dev, &g->key, (size_t)4 * n));
    TRY(buffer_fit(p->dev, &g->id, (size_t)4 * n));
    TRY(RUN(p->dev, grid_keys, n, BUF(&p->bounds.near.box), U32(p->block.frames),
            BUF(&p->bounds.near.prim0), BUF(&g->level0), BUF(&g->record), BUF(&g->key),
            BUF(&g->id)));
    TRY(sort_by_key(p->dev, &p->broad.sort, &g->key, &g->id, n, bits_for(cells)));
    TRY(buffer_fit(p->dev, &g->start, ((size_t)cells + 1) * sizeof(uint32_t)));
    TRY(RUN(p->dev, grid_starts, (uint64_t)n + 1, U32(cells), BUF(&g->key), BUF(&g->start)));
    g->stride = n + 16;
    TRY(buffer_fit(p->dev, &g->sorted, (size_t)24 * g->stride));
    int corners = (p->bounds.rules & RULE_SKIP_ADJACENT) != 0;
    TRY(buffer_fit(p->dev, &g->corner, corners ? (size_t)12 * g->stride : 0));
    TRY(RUN(p->dev, grid_gather, g->stride, U32(n), BUF(&g->id), BUF(&p->bounds.near.box),
            BUF(&g->sorted), U32(corners), BUF(&p->bounds.near.corner), BUF(&g->corner)));
out:
    return err;
}

/* A copy of the triangles in sorted order for the narrow phase, if that is on the same device and
 * memory is plenty. Vertices that two triangles share would be two in the copy, so it does not
 * serve tests of adjacent triangles. */
static int copy_triangles(imp *p)
{
    int err = IMP_OK;
    grid_state *g = &p->broad.grid;
    uint32_t n = p->block.prims;
    size_t bytes = (size_t)72 * n;
    g->places = p->broad.by_tile && p->dev == p->dev64 && p->def.stage == IMP_STAGE_CONTACTS &&
                p->bounds.rules & RULE_SKIP_ADJACENT && bytes <= mem_left(&p->mem) / 4 &&
                (!p->dev->largest || bytes <= p->dev->largest);
    if (!g->places)
        goto out;
    TRY(buffer_fit(p->dev, &g->triangle, bytes));
    TRY(RUN(p->dev, narrow_copy, n, BUF(&g->id), BUF(&p->bounds.made.corner), BUF(&p->bounds.x),
            BUF(&g->triangle)));
out:
    return err;
}

static int grid_build(imp *p)
{
    int err = IMP_OK;
    uint32_t *histogram = NULL, cells = 0;
    TRY(mem_alloc(&p->mem, (size_t)p->block.frames * GRID_BINS * sizeof *histogram, &histogram));
    TRY(frame_sizes(p, histogram));
    TRY(make_levels(p, histogram, &cells));
    TRY(sort_prims(p, cells));
    TRY(copy_triangles(p));
out:
    mem_free(&p->mem, histogram);
    return err;
}

#define GRID(p)                                                                                    \
    BUF(&(p)->broad.grid.id), BUF(&(p)->broad.grid.start), BUF(&(p)->broad.grid.record),           \
        BUF(&(p)->broad.grid.sorted), BUF(&(p)->broad.grid.corner), U32((p)->broad.grid.stride),   \
        BUF(&(p)->broad.grid.level0)

static int grid_count(imp *p, uint32_t finder0, uint32_t finders)
{
    return RUN(p->dev, grid_count, finders, U32(finder0), SCENE_OF(p), GRID(p),
               U32(p->block.frames), BUF(&p->bounds.near.prim0), BUF(&p->broad.count));
}

static int grid_emit(imp *p, uint32_t finder0, uint32_t finders, uint64_t base, pairs *out)
{
    return RUN(p->dev, grid_emit, finders, U32(finder0), SCENE_OF(p), GRID(p), U32(p->block.frames),
               BUF(&p->bounds.near.prim0), BUF(&p->broad.offset), U64(base), BUF(&out->a),
               BUF(&out->b));
}

static int grid_tiles(imp *p, uint32_t tile0, uint32_t tiles, uint32_t room, pairs *out)
{
    const broad *b = &p->broad;
    return RUN(p->dev, grid_tiles, tiles, U32(tile0), SCENE_OF(p), GRID(p),
               BUF(&b->tiles.first_buf), BUF(&b->tiles.last_buf), BUF(&b->tiles.frame_buf),
               U32(b->grid.places), U32(room), BUF(&b->offset), BUF(&b->count), BUF(&out->a),
               BUF(&out->b));
}

static void grid_free(imp *p)
{
    grid_state *g = &p->broad.grid;
    buffer *all[] = {&g->first, &g->last,  &g->level0, &g->record, &g->key,
                     &g->id,    &g->start, &g->sorted, &g->corner, &g->triangle};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        buffer_free(p->dev, all[i]);
    g->places = 0;
}

const broad_method broad_grid = {"grid", grid_build, grid_count, grid_emit, grid_tiles, grid_free};
