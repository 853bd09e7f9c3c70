/* Broad phase by sorted grids, one for each size class (kernels/grid.cl). */
#include "broad.h"
#include "error.h"
#include "grid_levels.h"
#include "parallel.h"
#include "prim.h"

#include <math.h>
#include <string.h>

#define INV_MOST 0x1p24 /* cells per unit: cell numbers stay exact in float32 */
#define BITS_PLENTY 23  /* a table of 32 MB: larger ones cost more than the tests that they save */
#define BITS_LEAST 4    /* log2 of the cells per axis: more than a look-up spans */
#define BITS_LEAST_X 5
#define SIZES ((size_t)GRID_PARTS * GRID_BINS) /* histogram bins per frame */

_Static_assert(2 * BOUND_REACH < 1 << (GRID_BINS / 4 - GRID_OCTAVES), "no box is as large as bins");
_Static_assert(BOUND_REACH <= INT32_MAX / (int32_t)GRID_FINE_MOST, "parts of cells have numbers");

typedef struct grid {
    queries queries;
    uint32_t *rank0;    /* [frames + 1] like view.prim0, for the primitives in the grid */
    size_t rank0_bytes; /* bytes allocated for rank0 */
    buffer_u32 rank0_buf;
    buffer_u32 bipartite;      /* [frames] as normalisation.bipartite */
    buffer_u32 level0, record; /* levels of each frame: grid.cl */
    buffer_u32 entry0;         /* first destination of each chunk's primitives before the sort */
    buffer_u32 key, id, start, corner;
    buffer_f32 sorted;
    uint32_t stride;
    segments segments;
    sorter sort;
} grid;

/* Cells per unit such that a box of size `most` spans at most `reach` cells beyond its first,
 * despite rounding: the product x * inv errs by 2^-24 of at most 2 * inv. */
static float level_inv(float most, int reach)
{
    double inv = reach / ((double)most * (1 + 0x1p-22) + 0x1p-22);
    float f = (float)(inv < INV_MOST ? inv : INV_MOST);
    return nextafterf(f, 0);
}

/* 2^bits; bits is less than 32 */
static uint32_t grid_power_of_two(uint32_t bits)
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

/* Upper limit of log2 of a table's cells: eight per primitive as long as that is little, else
 * two. */
static uint32_t bits_most(uint32_t prims)
{
    uint32_t few = bits_covering(2.0 * prims), many = bits_covering(8.0 * prims);
    return few > BITS_PLENTY ? few : many < BITS_PLENTY ? many : BITS_PLENTY;
}

/* The shape of a level's table: the frame's cells along each axis, rounded up to a power of two; if
 * these are too many, the longest side is halved until they are not. Cells are four times as fine
 * along x. */
static void level_record(const size_class *l, const double *reach, uint32_t base, uint32_t *record,
                         uint32_t *cells)
{
    float inv[2] = {level_inv(l->most, GRID_REACH_X), level_inv(l->most, GRID_REACH)};
    const uint32_t least[3] = {BITS_LEAST_X, BITS_LEAST, BITS_LEAST}, fine[3] = {2, 0, 0};
    uint32_t bits[3];
    int32_t end[3];
    uint32_t total = bits_most(l->prims), sum = 0;
    for (int k = 0; k < 3; k++) {
        /* bounds are rounded, and so is their product with inv */
        end[k] = (int32_t)floor(reach[k] * (double)inv[k > 0] * (1 + 1e-6) + 0.01);
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
    record[5] = grid_power_of_two(bits[2]) - 1;
    record[6] = base;
    record[7] = l->part;
    for (int k = 1; k < 3; k++) {
        record[6 + 2 * k] = (uint32_t)(-1 - end[k]);
        record[7 + 2 * k] = (uint32_t)end[k];
    }
    *cells = grid_power_of_two(sum);
}

/* Sums the chunks' histograms by frame; entry0[c] is the number of primitives that enter before
 * chunk c. Frames without a chunk get the sum of the chunks before. */
static void sum_sizes(grid *g, const broad_input *in, const uint32_t *part, uint32_t *histogram,
                      uint32_t *entry0)
{
    const chunks *c = &in->bounds->broad_prims;
    uint32_t frames = in->view->frames, sum = 0, f = 0;
    memset(histogram, 0, (size_t)frames * SIZES * sizeof *histogram);
    for (uint32_t i = 0; i < c->count; i++) {
        while (f <= c->frame[i])
            g->rank0[f++] = sum;
        entry0[i] = sum;
        for (size_t b = 0; b < SIZES; b++) {
            histogram[(size_t)c->frame[i] * SIZES + b] += part[(size_t)i * SIZES + b];
            sum += part[(size_t)i * SIZES + b];
        }
    }
    while (f <= frames)
        g->rank0[f++] = sum;
}

/* Histogram of sizes of every frame, [SIZES * frames], and the first destination of each chunk's
 * primitives. */
static int chunk_sizes(grid *g, const broad_input *in, uint32_t *histogram)
{
    int err = IMP_OK;
    const context *c = in->c;
    uint32_t parts = in->bounds->broad_prims.count;
    size_t n = (size_t)parts * SIZES;
    uint32_t *part = NULL, *entry0 = NULL;
    /* borrowed for the chunks' histograms; grid_make_levels fills it with the records */
    TRY(buffer_fit(c->dev, &g->record, n));
    TRY(mem_alloc(c->mem, n * sizeof *part, &part));
    TRY(mem_alloc(c->mem, parts * sizeof *entry0, &entry0));
    TRY(RUN(c->dev, grid_sizes, parts, UNSORTED_OF(in, &g->bipartite), &g->record));
    TRY(buffer_read(c->dev, &g->record, 0, part, n));
    sum_sizes(g, in, part, histogram, entry0);
    TRY(buffer_put(c->dev, &g->entry0, entry0, parts));
out:
    mem_free(c->mem, part);
    mem_free(c->mem, entry0);
    return err;
}

/* The same histogram by work-groups: the host reads one histogram per frame, not per chunk. All
 * primitives are sorted, so no chunk needs the number of primitives before it. */
static int group_sizes(grid *g, const broad_input *in, uint32_t *sizes)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    const block_view *v = in->view;
    const prim_set *s = &in->bounds->broad;
    const size_t n = SIZES * v->frames;
    uint64_t sum = 0;
    /* borrowed: the key for the bins, the record for the histogram */
    TRY(buffer_fit(d, &g->key, v->prims));
    TRY(RUN(d, size_bins, v->prims, &s->box, v->frames, &s->prim0, &g->bipartite, &s->object,
            GRID_OCTAVES, GRID_BINS, &g->key));
    TRY(segments_cut(d, &g->segments, v->prim0, v->frames));
    TRY(histogram(d, &g->segments, &g->key, (uint32_t)SIZES, &g->record));
    TRY(buffer_read(d, &g->record, 0, sizes, n));
    for (size_t i = 0; i < n; i++) {
        if (i % SIZES == 0)
            g->rank0[i / SIZES] = (uint32_t)sum;
        sum += sizes[i];
    }
    g->rank0[v->frames] = (uint32_t)sum;
out:
    return err;
}

/* Histogram of sizes of every frame, [SIZES * frames], and the ranks of its primitives. */
static int grid_frame_sizes(grid *g, const broad_input *in, uint32_t *sizes)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    uint32_t frames = in->view->frames;
    TRY(buffer_put(d, &g->bipartite, in->bounds->normalisation.bipartite, frames));
    TRY(d->groups ? group_sizes(g, in, sizes) : chunk_sizes(g, in, sizes));
    TRY(buffer_put(d, &g->rank0_buf, g->rank0, frames + 1));
out:
    return err;
}

/* Appends the levels of a frame and adds the number of their cells to *cells. */
static int grid_frame_records(const broad_input *in, const uint32_t *histogram, uint32_t f,
                              size_records *r, uint64_t *cells)
{
    const normalisation *u = &in->bounds->normalisation;
    size_class l[GRID_LEVELS_MOST];
    uint32_t more, n = grid_levels(histogram + (size_t)f * SIZES, u->bipartite[f], l);
    int err = size_records_room(in->c->mem, r, n);
    for (uint32_t i = 0; i < n && !err; i++, r->count++) {
        level_record(&l[i], u->reach + (size_t)3 * f, (uint32_t)*cells,
                     r->word + (size_t)r->count * GRID_WORDS, &more);
        *cells += more;
    }
    return err;
}

/* Levels and tables of all frames; *cells becomes the number of cells of all tables. */
static int grid_make_levels(grid *g, const broad_input *in, const uint32_t *histogram,
                            uint32_t *cells)
{
    int err = IMP_OK;
    mem *m = in->c->mem;
    uint32_t frames = in->view->frames, *level0 = NULL;
    size_records r = {.words = GRID_WORDS};
    uint64_t base = 0;
    TRY(mem_alloc(m, (frames + 1) * sizeof *level0, &level0));
    for (uint32_t f = 0; f < frames; f++) {
        level0[f] = r.count;
        TRY(grid_frame_records(in, histogram, f, &r, &base));
    }
    level0[frames] = r.count;
    if (base > UINT32_MAX - 1)
        FAIL(IMP_ERR_MEMORY, "broad phase grid: %llu cells are too many for one block",
             (unsigned long long)base);
    *cells = (uint32_t)base;
    TRY(buffer_put(in->c->dev, &g->level0, level0, frames + 1));
    TRY(buffer_put(in->c->dev, &g->record, r.word, (size_t)r.count * GRID_WORDS));
out:
    mem_free(m, level0);
    mem_free(m, r.word);
    return err;
}

/* Cell keys and primitives before the sort: of the primitives that enter, or with work-groups of
 * all. */
static int grid_make_keys(grid *g, const broad_input *in, uint32_t cells, uint32_t *keys)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    const block_view *v = in->view;
    const prim_set *s = &in->bounds->broad;
    *keys = d->groups ? v->prims : g->rank0[v->frames];
    TRY(buffer_fit(d, &g->key, *keys));
    TRY(buffer_fit(d, &g->id, *keys));
    TRY(d->groups ? RUN(d, grid_keys_each, *keys, &s->box, v->frames, &s->prim0, &g->bipartite,
                        &s->object, &g->level0, &g->record, cells, &g->key, &g->id)
                  : RUN(d, grid_keys, in->bounds->broad_prims.count, UNSORTED_OF(in, &g->bipartite),
                        &g->level0, &g->record, &g->entry0, &g->key, &g->id));
out:
    return err;
}

/* The first entry of each cell in sorted order. */
static int make_starts(grid *g, device *d, uint32_t n, uint32_t cells)
{
    int err = IMP_OK;
    const uint32_t stretch = GRID_CHUNK;
    const uint64_t groups = ((uint64_t)cells + stretch) / stretch;
    TRY(buffer_fit(d, &g->start, (size_t)cells + 1));
    TRY(d->groups ? RUN_GROUP(d, grid_starts_group, groups * SEGMENT_GROUP, SEGMENT_GROUP, n, cells,
                              &g->key, &g->start)
                  : RUN(d, grid_starts, (uint64_t)n + 1, cells, &g->key, &g->start));
out:
    return err;
}

/* Bounds in the order of cells, so that a search reads consecutive memory; corners too, if it has
 * to compare them. */
static int grid_gather_bounds(grid *g, const broad_input *in, uint32_t n)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    const prim_set *s = &in->bounds->broad;
    const uint32_t corners = (broad_rules(in) & RULE_SKIP_ADJACENT) != 0;
    const size_t words = d->groups ? GRID_WORDS_BOX : BOX_BOUNDS;
    const size_t words_corner = d->groups ? GRID_WORDS_CORNER : IMP_TRIANGLES;
    const size_t behind = d->groups ? GRID_BEHIND : 0;
    g->stride = n;
    TRY(buffer_fit(d, &g->sorted, words * n + behind));
    TRY(buffer_fit(d, &g->corner, corners || d->groups ? words_corner * n : 0));
    TRY(d->groups
            ? RUN_GROUP(d, grid_gather_group, search_items(n), SEARCH_GROUP, n, &s->box, corners,
                        &s->corner, &g->id, &g->start, &g->record, &g->level0, in->view->frames,
                        &g->rank0_buf, &g->sorted, &g->corner)
            : RUN(d, grid_gather, n, &g->id, &s->box, &g->sorted, corners, &s->corner, &g->corner));
out:
    return err;
}

static int grid_sort_prims(grid *g, const broad_input *in, uint32_t cells)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    uint32_t n = g->rank0[in->view->frames], keys;
    TRY(grid_make_keys(g, in, cells, &keys));
    TRY(sort_by_key(d, &g->sort, &g->key, &g->id, keys,
                    bits_for(keys > n ? (uint64_t)cells + 1 : cells)));
    TRY(make_starts(g, d, n, cells));
    TRY(grid_gather_bounds(g, in, n));
out:
    return err;
}

/* Sizes first: they decide the levels, and the levels decide the cells. */
static int grid_build(void *state, const broad_input *in)
{
    int err = IMP_OK;
    grid *g = state;
    mem *m = in->c->mem;
    uint32_t frames = in->view->frames, *histogram = NULL, cells = 0;
    size_t bytes = (frames + 1) * sizeof *g->rank0;
    /* Kept from block to block: most blocks have the same number of frames. */
    if (g->rank0_bytes < bytes) {
        mem_free(m, g->rank0);
        g->rank0_bytes = 0;
        TRY(mem_alloc(m, bytes, &g->rank0));
        g->rank0_bytes = bytes;
    }
    TRY(mem_alloc(m, (size_t)frames * SIZES * sizeof *histogram, &histogram));
    TRY(grid_frame_sizes(g, in, histogram));
    TRY(grid_make_levels(g, in, histogram, &cells));
    TRY(grid_sort_prims(g, in, cells));
out:
    mem_free(m, histogram);
    return err;
}

#define GRID_OF(g)                                                                                 \
    &(g)->id, &(g)->start, &(g)->record, &(g)->sorted, &(g)->corner, (g)->stride, &(g)->level0

static int grid_count(void *state, const broad_input *in, const queries *q, uint32_t n)
{
    grid *g = state;
    return RUN(in->c->dev, grid_count, n, q->at, SCENE_OF(in, q->range), GRID_OF(g),
               in->view->frames, &g->rank0_buf, &g->queries.count);
}

static int grid_emit(void *state, const broad_input *in, const queries *q, uint32_t n, pairs *out)
{
    const grid *g = state;
    return RUN(in->c->dev, grid_emit, n, q->at, SCENE_OF(in, q->range), GRID_OF(g),
               in->view->frames, &g->rank0_buf, &q->offset, q->base, &out->a, &out->b);
}

static int grid_search(void *state, const broad_input *in, queries *q, uint32_t n, pairs *out)
{
    const grid *g = state;
    return RUN_GROUP(in->c->dev, grid_search_group, search_items(n), SEARCH_GROUP, n,
                     SCENE_OF(in, q->range), GRID_OF(g), in->view->frames, &g->rank0_buf,
                     SEARCH_OF(q, out));
}

static const query_calls grid_calls = {grid_count, grid_emit, grid_search};

static int grid_begin(void *state, const broad_input *in, broad_range range, imp_frame_info *info)
{
    grid *g = state;
    return queries_begin(&g->queries, in, range, &g->rank0_buf, g->rank0[in->view->frames],
                         &grid_calls, g, info);
}

static int grid_next(void *state, const broad_input *in, uint64_t most, imp_frame_info *info,
                     candidates *out)
{
    grid *g = state;
    return queries_next(&g->queries, in, most, &grid_calls, g, info, out);
}

static int grid_done(const void *state)
{
    const grid *g = state;
    return queries_done(&g->queries);
}

static int grid_wrote(void *state, const broad_input *in, imp_frame_info *info)
{
    const grid *g = state;
    for (uint32_t f = 0; f < in->view->frames; f++)
        info[f].entries_written += g->rank0[f + 1] - g->rank0[f];
    return IMP_OK;
}

static void grid_free(void *state, const context *c)
{
    grid *g = state;
    buffer *all[] = {&g->bipartite.raw, &g->level0.raw, &g->record.raw, &g->entry0.raw,
                     &g->rank0_buf.raw, &g->key.raw,    &g->id.raw,     &g->start.raw,
                     &g->sorted.raw,    &g->corner.raw};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        bytes_free(c->dev, all[i]);
    segments_free(c->dev, &g->segments);
    sorter_free(c->dev, &g->sort);
    queries_free(&g->queries, c->dev);
    mem_free(c->mem, g->rank0);
}

const broad_method broad_grid = {.name = "grid",
                                 .size = sizeof(grid),
                                 .build = grid_build,
                                 .begin = grid_begin,
                                 .next = grid_next,
                                 .done = grid_done,
                                 .free = grid_free,
                                 .wrote = grid_wrote};

/* ---- Levels chosen by a cost model, so that no size distribution is expensive: a few large
 * primitives get a level of their own instead of making the cells of all others too large. */

/* Cost of the search for pairs; the unit is the cost of one primitive that searches cells of its
 * own size. Fitted to measurements: folded cloth with all primitives treated as larger than they
 * are (2 times: 1.8; 8 times: 11), the same with spheres, which depend little on it (0.9; 2.7), and
 * random triangles whose sizes differ by up to e^8. */
#define LEVEL 64       /* per level: its table has at least thousands of cells */
#define LOOK_EMPTY 0.5 /* to search an empty region of a level of larger primitives */
#define LOOK_FULL 5.0  /* the same where such primitives are everywhere */
#define FULL_LEAST 64  /* least number of primitives for LOOK_FULL to apply */

/* Cost of one primitive whose size is `below` quarter octaves below its level's cells: the number
 * of partners grows with the square of the ratio, as on surfaces. */
static double own_cost(uint32_t below)
{
    double ratio = exp2(below / 4.0);
    return 1 + 0.1 * (ratio * ratio - 1);
}

/* The sizes that occur, the largest first. */
typedef struct sizes {
    uint32_t count;
    uint32_t bin[GRID_BINS], prims[GRID_BINS];
} sizes;

static double bin_area(uint32_t bin)
{
    return exp2(bin / 2.0);
}

static sizes grid_levels_sizes(const uint32_t *histogram)
{
    sizes s;
    s.count = 0;
    for (uint32_t i = GRID_BINS; i-- > 0;)
        if (histogram[i]) {
            s.bin[s.count] = i;
            s.prims[s.count++] = histogram[i];
        }
    return s;
}

/* Finds the cheapest division into levels. best[i]: the cost of the sizes from i on, computed for
 * the smallest first; to[i]: the end of the first of their levels. All smaller sizes search that
 * level; the cost of such a search grows with the level's share of the total area. */
static void grid_levels_divide(const sizes *s, uint32_t *to)
{
    double best[GRID_BINS + 1], all = 0, all_area = 0;
    best[s->count] = 0;
    for (uint32_t i = s->count; i-- > 0;) {
        all += s->prims[i];
        all_area += s->prims[i] * bin_area(s->bin[i]);
        double cost = LEVEL, area = 0, n = 0, rest = all;
        for (uint32_t j = i; j < s->count; j++) {
            cost += s->prims[j] * own_cost(s->bin[i] - s->bin[j]);
            area += s->prims[j] * bin_area(s->bin[j]);
            n += s->prims[j];
            rest -= s->prims[j];
            double full = area / all_area * fmin(1, n / FULL_LEAST);
            double sum = cost + rest * (LOOK_EMPTY + LOOK_FULL * full) + best[j + 1];
            if (j == i || sum < best[i]) {
                best[i] = sum;
                to[i] = j + 1;
            }
        }
    }
}

static uint32_t part_levels(const uint32_t *histogram, uint32_t part, size_class *out)
{
    uint32_t to[GRID_BINS] = {0}, n = 0;
    sizes s = grid_levels_sizes(histogram);
    grid_levels_divide(&s, to);
    for (uint32_t i = 0; i < s.count; n++) {
        out[n] = (size_class){.part = part, .most = size_bin_end(GRID_OCTAVES, s.bin[i])};
        for (uint32_t end = to[i]; i < end; i++)
            out[n].prims += s.prims[i];
    }
    return n;
}

uint32_t grid_levels(const uint32_t *histogram, uint32_t bipartite, size_class *out)
{
    uint32_t n = size_classes(histogram, GRID_BINS, bipartite, part_levels, out);
    if (!n)
        out[0] = (size_class){.most = 1};
    return n ? n : 1;
}
