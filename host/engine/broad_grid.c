/* Broad phase by sorted grids, one for each class of sizes (kernels/grid.cl). */
#include "engine.h"

#include "error.h"
#include "grid.h"
#include "prim.h"

#include <math.h>
#include <string.h>

#define OCTAVES 3       /* sizes of one level differ by at most 2^3 */
#define LEVELS_MOST 11  /* of a party: 128 quarter octaves / 12, rounded up */
#define INV_MOST 0x1p24 /* cells per unit: their numbers stay exact in float32 */
#define BITS_PLENTY 23  /* a table of 32 MB: larger ones cost more than the tests that they save */
#define BITS_LEAST 4    /* log2 of the cells each way: more than a look-up spans */
#define BITS_LEAST_X 5
#define SIZES ((size_t)GRID_PARTIES * GRID_BINS) /* of a histogram */

typedef struct level {
    uint32_t prims, party; /* grid.cl */
    float most;            /* largest size */
} level;

/* upper end of a bin of sizes */
static float bin_end(uint32_t bin)
{
    uint32_t bits = (((127u - 30u) << 2) + bin + 1) << 21;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Levels of one party by its histogram of sizes, the largest first. A level begins at the largest
 * size that is left. */
static uint32_t party_levels(const uint32_t *histogram, uint32_t party, level *out)
{
    uint32_t n = 0;
    for (int bin = GRID_BINS - 1; bin >= 0;) {
        if (!histogram[bin]) {
            bin--;
            continue;
        }
        level *l = &out[n++];
        *l = (level){.party = party, .most = bin_end((uint32_t)bin)};
        for (int last = bin - 4 * OCTAVES; bin >= 0 && bin > last; bin--)
            l->prims += histogram[bin];
    }
    return n;
}

/* Levels of one frame, the largest first. At least one, also for a frame without primitives. */
static uint32_t frame_levels(const uint32_t *histogram, uint32_t parted, level *out)
{
    level a[LEVELS_MOST], b[LEVELS_MOST];
    uint32_t na = party_levels(histogram, parted ? 1 : 0, a), i = 0, j = 0;
    uint32_t nb = parted ? party_levels(histogram + GRID_BINS, 2, b) : 0;
    while (i < na || j < nb)
        if (j == nb || (i < na && a[i].most >= b[j].most))
            out[i + j] = a[i], i++;
        else
            out[i + j] = b[j], j++;
    if (!(na + nb))
        out[0] = (level){.most = 1};
    return na + nb ? na + nb : 1;
}

/* Cells per unit so that a box of size `most` spans at most `reach` cells beyond its first,
 * whatever rounding does: the product x * inv errs by 2^-24 of at most 2 * inv. */
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

/* log2 of a table's cells, at most: eight for each primitive as long as that is little, else two.
 */
static uint32_t bits_most(uint32_t prims)
{
    uint32_t few = bits_covering(2.0 * prims), many = bits_covering(8.0 * prims);
    return few > BITS_PLENTY ? few : many < BITS_PLENTY ? many : BITS_PLENTY;
}

/* The shape of a level's table: as many cells as the frame asks for, each number a power
 * of two; if that is too many, the longest side is halved until it is not. Cells are four times as
 * fine along x. */
static void level_record(const level *l, const double *half, uint32_t base, uint32_t *record,
                         uint32_t *cells)
{
    float inv[2] = {level_inv(l->most, GRID_REACH_X), level_inv(l->most, GRID_REACH)};
    const uint32_t least[3] = {BITS_LEAST_X, BITS_LEAST, BITS_LEAST}, fine[3] = {2, 0, 0};
    uint32_t bits[3];
    int32_t end[3];
    uint32_t total = bits_most(l->prims), sum = 0;
    for (int k = 0; k < 3; k++) {
        /* bounds are rounded, and so is their product with inv */
        end[k] = (int32_t)floor(half[k] * (double)inv[k > 0] * (1 + 1e-6) + 0.01);
        bits[k] = bits_covering(2.0 * end[k] + 2); /* from -1 - end on */
        sum += bits[k];
    }
    if (bits[0] < BITS_LEAST_X) {
        sum += BITS_LEAST_X - bits[0];
        bits[0] = BITS_LEAST_X;
    }
    while (sum > total) {
        int longest = -1;
        for (int k = 0; k < 3; k++)
            if (bits[k] > least[k] &&
                (longest < 0 || bits[k] - fine[k] > bits[longest] - fine[longest]))
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
    record[7] = l->party;
    for (int k = 1; k < 3; k++) {
        record[6 + 2 * k] = (uint32_t)(-1 - end[k]);
        record[7 + 2 * k] = (uint32_t)end[k];
    }
    *cells = power(sum);
}

/* Sums the chunks' histograms by frame; place[c]: how many primitives enter before chunk c. */
static void sum_sizes(imp *p, const uint32_t *part, uint32_t *histogram, uint32_t *place)
{
    const chunks *c = &p->bounds.prims_near;
    uint32_t *place0 = p->block.place0, sum = 0, f = 0;
    memset(histogram, 0, (size_t)p->block.frames * SIZES * sizeof *histogram);
    for (uint32_t i = 0; i < c->count; i++) {
        while (f <= c->frame[i])
            place0[f++] = sum;
        place[i] = sum;
        for (size_t b = 0; b < SIZES; b++) {
            histogram[(size_t)c->frame[i] * SIZES + b] += part[(size_t)i * SIZES + b];
            sum += part[(size_t)i * SIZES + b];
        }
    }
    while (f <= p->block.frames)
        place0[f++] = sum;
}

/* Histogram of sizes of every frame, [SIZES * frames], and where each chunk's primitives go. */
static int frame_sizes(imp *p, uint32_t *histogram)
{
    int err = IMP_OK;
    const chunks *c = &p->bounds.prims_near;
    size_t bytes = (size_t)c->count * SIZES * sizeof(uint32_t);
    grid_state *g = &p->broad.grid;
    const prim_set *s = &p->bounds.near;
    uint32_t *part = NULL, *place = NULL;
    TRY(buffer_put(p->dev, &g->parted, p->block.parted, p->block.frames * sizeof(uint32_t)));
    TRY(buffer_fit(p->dev, &g->record, bytes));
    TRY(mem_alloc(&p->mem, bytes, &part));
    TRY(mem_alloc(&p->mem, c->count * sizeof *place, &place));
    TRY(RUN(p->dev, grid_sizes, c->count, BUF(&c->first_buf), BUF(&c->last_buf), BUF(&c->frame_buf),
            BUF(&s->prim0), BUF(&g->parted), BUF(&s->object), BUF(&s->box), BUF(&g->record)));
    TRY(buffer_read(p->dev, &g->record, 0, part, bytes));
    sum_sizes(p, part, histogram, place);
    TRY(buffer_put(p->dev, &g->place, place, c->count * sizeof *place));
    TRY(buffer_put(p->dev, &g->place0, p->block.place0,
                   (p->block.frames + 1) * sizeof *p->block.place0));
out:
    mem_free(&p->mem, part);
    mem_free(&p->mem, place);
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
    TRY(mem_alloc(&p->mem,
                  (size_t)frames * GRID_PARTIES * LEVELS_MOST * GRID_WORDS * sizeof *record,
                  &record));
    for (uint32_t f = 0; f < frames; f++) {
        level l[GRID_PARTIES * LEVELS_MOST];
        uint32_t count = frame_levels(histogram + (size_t)f * SIZES, p->block.parted[f], l), more;
        level0[f] = n;
        for (uint32_t i = 0; i < count; i++, n++) {
            level_record(&l[i], p->block.half + (size_t)3 * f, (uint32_t)base,
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
    const chunks *c = &p->bounds.prims_near;
    const prim_set *s = &p->bounds.near;
    uint32_t n = p->block.place0[p->block.frames];
    TRY(buffer_fit(p->dev, &g->key, (size_t)4 * n));
    TRY(buffer_fit(p->dev, &g->id, (size_t)4 * n));
    TRY(RUN(p->dev, grid_keys, c->count, BUF(&c->first_buf), BUF(&c->last_buf), BUF(&c->frame_buf),
            BUF(&s->prim0), BUF(&g->parted), BUF(&s->object), BUF(&s->box), BUF(&g->level0),
            BUF(&g->record), BUF(&g->place), BUF(&g->key), BUF(&g->id)));
    TRY(sort_by_key(p->dev, &p->broad.sort, &g->key, &g->id, n, bits_for(cells)));
    TRY(buffer_fit(p->dev, &g->start, ((size_t)cells + 1) * sizeof(uint32_t)));
    TRY(RUN(p->dev, grid_starts, (uint64_t)n + 1, U32(cells), BUF(&g->key), BUF(&g->start)));
    g->stride = n + 16;
    TRY(buffer_fit(p->dev, &g->sorted, (size_t)24 * g->stride));
    int corners = (p->bounds.rules & RULE_SKIP_ADJACENT) != 0;
    TRY(buffer_fit(p->dev, &g->corner, corners ? (size_t)12 * g->stride : 0));
    TRY(RUN(p->dev, grid_gather, g->stride, U32(n), BUF(&g->id), BUF(&s->box), BUF(&g->sorted),
            U32(corners), BUF(&s->corner), BUF(&g->corner)));
out:
    return err;
}

/* A copy of the triangles in sorted order for the narrow phase, if that is on the same device and
 * memory is plenty. Vertices that two triangles share would be two in the copy, so it does not
 * serve tests of adjacent triangles. Its vertices are numbered in 32 bits. */
static int copy_triangles(imp *p)
{
    int err = IMP_OK;
    grid_state *g = &p->broad.grid;
    uint32_t n = p->block.place0[p->block.frames];
    size_t bytes = (size_t)72 * n;
    g->places = p->broad.by_tile && p->dev == p->dev64 && p->def.stage == IMP_STAGE_CONTACTS &&
                p->bounds.rules & RULE_SKIP_ADJACENT &&
                bytes <= (mem_left(&p->mem) + g->triangle.room) / 4 && n <= UINT32_MAX / 3 &&
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
    p->broad.finder0 = p->block.place0;
    p->broad.finder0_buf = &p->broad.grid.place0;
    TRY(mem_alloc(&p->mem, (size_t)p->block.frames * SIZES * sizeof *histogram, &histogram));
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
               U32(p->block.frames), BUF(&p->broad.grid.place0), BUF(&p->broad.count));
}

static int grid_emit(imp *p, uint32_t finder0, uint32_t finders, uint64_t base, pairs *out)
{
    return RUN(p->dev, grid_emit, finders, U32(finder0), SCENE_OF(p), GRID(p), U32(p->block.frames),
               BUF(&p->broad.grid.place0), BUF(&p->broad.offset), U64(base), BUF(&out->a),
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
    buffer *all[] = {&g->parted, &g->level0, &g->record, &g->place,  &g->place0,  &g->key,
                     &g->id,     &g->start,  &g->sorted, &g->corner, &g->triangle};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        buffer_free(p->dev, all[i]);
    g->places = 0;
}

const broad_method broad_grid = {"grid", grid_build, grid_count, grid_emit, grid_tiles, grid_free};
