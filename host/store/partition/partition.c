/* See store_partition.h: where slabs begin and end. Slabs are rows along one axis. If many
 * primitives would span several of these, there are fewer rows, and each is cut along a second
 * axis. */
#include "partition.h"

#include "error.h"
#include "frame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEVELS_LEAST 4096 /* few enough for binary search in the cache */
#define LEVELS_FEW 256    /* levels in a row, since there are many rows */
#define LEVELS_OF_ROW 64  /* rows differ by two levels at most, if vertices do */
#define LEVELS_MOST 65534 /* below LEVEL_BAD */
#define MANY 1.05         /* too many primitives in all slabs, relative to those of the frame */

/* ---- rows along an axis */

static void partition_widen(level_range *all, level_range s)
{
    all->low = s.low < all->low ? s.low : all->low;
    all->high = s.high > all->high ? s.high : all->high;
}

/* Turns counts into sums over the levels below each level. */
static void partition_sum_levels(uint64_t *count, uint32_t levels)
{
    for (uint32_t l = 0; l < levels; l++)
        count[l + 1] += count[l];
}

/* Counts primitives by the levels of their bounds. */
static int partition_count_levels(partition_build *c)
{
    int err = IMP_OK;
    cell_chunks *p = &c->s->cells;
    memset(c->low, 0, (c->levels + 1) * sizeof *c->low);
    memset(c->high, 0, (c->levels + 1) * sizeof *c->high);
    for (uint64_t chunk = 0; chunk < p->count; chunk++) {
        level_range all = {UINT16_MAX, 0}, s;
        TRY(cell_chunks_read(p, chunk));
        for (uint64_t i = 0; i < p->cells; i++) {
            if (!cell_level_range(c->s->range[0], p->corner + p->corners * i, p->corners, &s))
                continue;
            partition_widen(&all, s);
            c->low[s.low + 1]++;
            c->high[s.high + 1]++;
        }
        c->s->chunk[0][chunk] = all;
    }
    partition_sum_levels(c->low, c->levels);
    partition_sum_levels(c->high, c->levels);
    c->good = c->low[c->levels];
out:
    return err;
}

/* Returns the first level below which at least share/shares of `all` primitives begin. */
static uint32_t partition_level_at_share(const uint64_t *low, uint32_t levels, uint64_t all,
                                         uint64_t share, uint64_t shares)
{
    const uint64_t want = all / shares * share + all % shares * share / shares;
    uint32_t a = 0, b = levels;
    while (a < b) {
        const uint32_t half = (a + b) / 2;
        if (low[half] < want)
            a = half + 1;
        else
            b = half;
    }
    return a;
}

/* Returns the number of slabs in the rows before row r. */
static uint64_t partition_slabs_before(const partition_build *c, uint64_t r, uint64_t rows)
{
    return c->s->def.slabs / rows * r + c->s->def.slabs % rows * r / rows;
}

/* Rows begin at different levels, so there may be fewer than asked for. */
static void partition_find_rows(partition_build *c, uint64_t rows)
{
    const uint64_t slabs = c->s->def.slabs;
    c->rows_found = 0;
    c->copies = c->good;
    for (uint64_t r = 0; r < rows; r++) {
        const uint64_t share = partition_slabs_before(c, r, rows);
        const uint32_t level =
            r ? partition_level_at_share(c->low, c->levels, c->good, share, slabs) : 0;
        if (r && (level == c->row[c->rows_found - 1].level || level == c->levels))
            continue;
        c->row[c->rows_found++] = (partition_row){(uint16_t)level, (uint32_t)share};
        c->copies += r ? c->low[level] - c->high[level] : 0;
    }
    c->row[c->rows_found] = (partition_row){(uint16_t)c->levels, (uint32_t)slabs};
}

static int partition_try_axis(partition_build *c, int axis, uint64_t rows)
{
    int err = IMP_OK;
    const uint64_t wanted = LEVELS_OF_ROW * rows;
    const uint64_t levels = wanted < LEVELS_LEAST  ? LEVELS_LEAST
                            : wanted < LEVELS_MOST ? wanted
                                                   : LEVELS_MOST;
    TRY(partition_level_ranges(c, axis, (uint32_t)levels, c->s->range[0]));
    TRY(partition_count_levels(c));
    partition_find_rows(c, rows);
    c->axis = axis;
    /* mean fraction of the primitives that a border cuts */
    const uint64_t all = c->good * (c->rows_found > 1 ? c->rows_found - 1 : 1);
    c->cut_part[axis] = all ? (double)(c->copies - c->good) / (double)all : 0;
out:
    return err;
}

/* Maps levels to rows. */
static int partition_number_rows(partition_build *c)
{
    int err = IMP_OK;
    batch_partition *s = c->s;
    uint16_t *row_of = NULL, r = 0;
    TRY(mem_alloc(s->b->mem, c->levels * sizeof *row_of, &row_of));
    for (uint32_t l = 0; l < c->levels; l++) {
        while (r + 1U < c->rows_found && c->row[r + 1].level <= l)
            r++;
        row_of[l] = r;
    }
    for (uint64_t v = 0; v < s->cells.shape.mesh.vertices; v++)
        if (s->range[0][v].low != LEVEL_BAD)
            s->range[0][v] = (level_range){row_of[s->range[0][v].low], row_of[s->range[0][v].high]};
    for (uint64_t i = 0; i < s->cells.count; i++)
        if (s->chunk[0][i].low <= s->chunk[0][i].high)
            s->chunk[0][i] = (level_range){row_of[s->chunk[0][i].low], row_of[s->chunk[0][i].high]};
out:
    mem_free(s->b->mem, row_of);
    return err;
}

/* ---- slabs: one for each row */

static void partition_set_slab(batch_partition *s, uint64_t slab, slab_bounds bounds,
                               uint64_t count)
{
    s->bounds[slab] = bounds;
    s->count[slab] = count;
    s->info.largest = count > s->info.largest ? count : s->info.largest;
}

static void partition_slabs_of_rows(partition_build *c)
{
    for (uint32_t r = 0; r < c->rows_found; r++)
        partition_set_slab(c->s, c->row[r].first, (slab_bounds){(uint16_t)r, 0, UINT16_MAX},
                           c->low[c->row[r + 1].level] - c->high[c->row[r].level]);
}

/* ---- slabs: each row is cut along a second axis */

/* Counts the primitives of each row by the levels of their bounds along it: both arrays are [rows *
 * (levels + 1)]. */
static int partition_count_in_rows(partition_build *c, uint64_t *low, uint64_t *high)
{
    int err = IMP_OK;
    batch_partition *s = c->s;
    cell_chunks *p = &s->cells;
    const size_t width = c->levels + 1;
    memset(low, 0, c->rows_found * width * sizeof *low);
    memset(high, 0, c->rows_found * width * sizeof *high);
    for (uint64_t chunk = 0; chunk < p->count; chunk++) {
        level_range all = {UINT16_MAX, 0}, x, y;
        TRY(cell_chunks_read(p, chunk));
        for (uint64_t i = 0; i < p->cells; i++) {
            const uint32_t *corner = p->corner + p->corners * i;
            if (!cell_level_range(s->range[0], corner, p->corners, &x) ||
                !cell_level_range(s->range[1], corner, p->corners, &y))
                continue;
            partition_widen(&all, y);
            for (size_t r = x.low; r <= x.high; r++) {
                low[r * width + y.low + 1]++;
                high[r * width + y.high + 1]++;
            }
        }
        s->chunk[1][chunk] = all;
    }
    for (size_t r = 0; r < c->rows_found; r++) {
        partition_sum_levels(low + r * width, c->levels);
        partition_sum_levels(high + r * width, c->levels);
    }
out:
    return err;
}

/* Divides a row into slabs by its counts. */
static void partition_slabs_in_row(partition_build *c, uint32_t r, const uint64_t *low,
                                   const uint64_t *high)
{
    const uint64_t first = c->row[r].first, slabs = c->row[r + 1].first - first;
    uint32_t begin = 0;
    for (uint64_t k = 0; k < slabs; k++) {
        const uint32_t end =
            k + 1 < slabs ? partition_level_at_share(low, c->levels, low[c->levels], k + 1, slabs)
                          : c->levels;
        if (end > begin)
            partition_set_slab(c->s, first + k,
                               (slab_bounds){(uint16_t)r, (uint16_t)begin, (uint16_t)(end - 1)},
                               low[end] - high[begin]);
        begin = end;
    }
}

static int partition_rows(partition_build *c, int axis)
{
    int err = IMP_OK;
    batch_partition *s = c->s;
    mem *m = s->b->mem;
    uint64_t *low = NULL, *high = NULL;
    TRY(mem_alloc(m, s->cells.shape.mesh.vertices * sizeof *s->range[1], &s->range[1]));
    TRY(mem_alloc(m, s->cells.count * sizeof *s->chunk[1], &s->chunk[1]));
    const uint64_t wanted = LEVELS_OF_ROW * s->def.slabs / c->rows_found;
    TRY(partition_level_ranges(c, axis,
                               wanted < LEVELS_FEW     ? LEVELS_FEW
                               : wanted < LEVELS_LEAST ? (uint32_t)wanted
                                                       : LEVELS_LEAST,
                               s->range[1]));
    const size_t width = c->levels + 1;
    TRY(mem_alloc(m, c->rows_found * width * sizeof *low, &low));
    TRY(mem_alloc(m, c->rows_found * width * sizeof *high, &high));
    TRY(partition_count_in_rows(c, low, high));
    for (uint32_t r = 0; r < c->rows_found; r++)
        partition_slabs_in_row(c, r, low + r * width, high + r * width);
out:
    mem_free(m, low);
    mem_free(m, high);
    return err;
}

/* ---- choice of axes */

/* Sorts the axes, the one first along which the middle of the sample extends farthest. */
static void partition_order_axes(const partition_build *c, int axis[3])
{
    double reach[3];
    const size_t n = c->samples;
    for (int k = 0; k < 3; k++) {
        axis[k] = k;
        reach[k] = n ? 0.5 * c->sample[k][n - 1 - n / 64] - 0.5 * c->sample[k][n / 64] : 0;
    }
    for (int i = 0; i < 2; i++)
        for (int k = 2; k > i; k--)
            if (reach[axis[k]] > reach[axis[k - 1]]) {
                const int other = axis[k];
                axis[k] = axis[k - 1];
                axis[k - 1] = other;
            }
}

/* Estimates the primitives in all slabs, relative to those of the frame, if rows are along the
 * first axis and cut along the second. */
static double partition_estimate(const partition_build *c, const int axis[2], double rows)
{
    const double each = c->s->def.slabs / rows;
    return (1 + (rows - 1) * c->cut_part[axis[0]]) * (1 + (each - 1) * c->cut_part[axis[1]]);
}

/* Finds the best two axes and returns the number of rows along the first; 1: one axis is better. */
static uint64_t partition_choose_rows(const partition_build *c, int best[2])
{
    uint64_t rows = 1;
    const uint64_t slabs = c->s->def.slabs;
    double least = UINT32_MAX;
    for (int x = 0; x < 3; x++)
        least = 1 + (double)(slabs - 1) * c->cut_part[x] < least
                    ? 1 + (double)(slabs - 1) * c->cut_part[x]
                    : least;
    for (int x = 0; x < 3; x++)
        for (int y = 0; y < 3; y++)
            for (uint64_t r = 2; x != y && r <= slabs / 2; r++) {
                const int axis[2] = {x, y};
                const double is = partition_estimate(c, axis, (double)r);
                if (is >= least)
                    continue;
                least = is;
                rows = r;
                memcpy(best, axis, sizeof axis);
            }
    return rows;
}

/* Other axes are tried only if many primitives span several slabs along the first one. */
static int partition_choose_axes(partition_build *c)
{
    int err = IMP_OK, axis[3], two[2], best = 0;
    uint64_t least = UINT64_MAX;
    const uint64_t slabs = c->s->def.slabs;
    partition_order_axes(c, axis);
    for (int k = 0; k < 3 && (double)least > MANY * (double)c->good; k++) {
        TRY(partition_try_axis(c, axis[k], slabs));
        best = c->copies < least ? axis[k] : best;
        least = c->copies < least ? c->copies : least;
    }
    const uint64_t rows =
        (double)least > MANY * (double)c->good ? partition_choose_rows(c, two) : 1;
    if (rows > 1)
        TRY(partition_try_axis(c, two[0], rows));
    else if (c->axis != best)
        TRY(partition_try_axis(c, best, slabs));
    TRY(partition_number_rows(c));
    if (rows > 1)
        TRY(partition_rows(c, two[1]));
    else
        partition_slabs_of_rows(c);
out:
    return err;
}

/* ---- the whole partition */

static int partition_build_open(batch_partition *s, partition_build *c)
{
    int err = IMP_OK;
    mem *m = s->b->mem;
    const uint64_t verts = s->cells.shape.mesh.vertices, slabs = s->def.slabs;
    *c = (partition_build){.s = s, .stride = verts / PARTITION_SAMPLE + 1};
    TRY(mem_alloc(m, bit_words(verts) * sizeof *c->used, &c->used));
    TRY(mem_alloc(m, bit_words(verts) * sizeof *c->bad, &c->bad));
    memset(c->bad, 0, bit_words(verts) * sizeof *c->bad);
    TRY(mem_alloc(m, 3 * PARTITION_ROWS * sizeof *c->rows, &c->rows));
    for (int k = 0; k < 3; k++)
        TRY(mem_alloc(m, 2 * PARTITION_SAMPLE * sizeof(double), &c->sample[k]));
    TRY(mem_alloc(m, LEVELS_MOST * sizeof *c->bound, &c->bound));
    TRY(mem_alloc(m, (LEVELS_MOST + 1) * sizeof *c->low, &c->low));
    TRY(mem_alloc(m, (LEVELS_MOST + 1) * sizeof *c->high, &c->high));
    TRY(mem_alloc(m, (slabs + 1) * sizeof *c->row, &c->row));
out:
    return err;
}

static void partition_build_close(partition_build *c)
{
    void *all[] = {c->used,      c->bad,   c->rows, c->sample[0], c->sample[1],
                   c->sample[2], c->bound, c->low,  c->high,      c->row};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mem_free(c->s->b->mem, all[i]);
}

static int partition_step(batch_partition *s)
{
    int err = IMP_OK;
    partition_build c = {.s = s};
    TRY(partition_build_open(s, &c));
    TRY(partition_scan(&c));
    partition_use_sample(&c);
    TRY(s->def.by_objects ? partition_objects_cut(&c) : partition_choose_axes(&c));
out:
    partition_build_close(&c);
    return err;
}

/* What slabs by place need. */
static int partition_open_places(batch_partition *s)
{
    int err = IMP_OK;
    mem *m = s->b->mem;
    TRY(mem_alloc(m, s->cells.shape.mesh.vertices * sizeof *s->range[0], &s->range[0]));
    TRY(mem_alloc(m, s->cells.count * sizeof *s->chunk[0], &s->chunk[0]));
    TRY(mem_alloc(m, s->def.slabs * sizeof *s->bounds, &s->bounds));
    for (uint32_t k = 0; k < s->def.slabs; k++)
        s->bounds[k] = (slab_bounds){0, 1, 0};
out:
    return err;
}

int batch_partition_make(batch *b, const batch_partition_def *def, batch_partition **out)
{
    int err = IMP_OK;
    batch_partition *s = NULL;
    *out = NULL;
    TRY(mem_alloc(b->mem, sizeof *s, &s));
    *s = (batch_partition){.b = b, .def = *def};
    TRY(cell_chunks_open(b, def->frame, &s->cells));
    if (b->in.primitive.id >= 0)
        TRY(batch_check_ids(b, def->frame));
    TRY(partition_find_objects(s));
    TRY(partition_find_bodies(s));
    if (!def->by_objects)
        TRY(partition_open_places(s));
    TRY(mem_alloc(b->mem, def->slabs * sizeof *s->count, &s->count));
    memset(s->count, 0, def->slabs * sizeof *s->count);
    TRY(partition_step(s));
    mem_free(b->mem, s->bodies.grow);
    s->bodies.grow = NULL;
    *out = s;
    s = NULL;
out:
    batch_partition_free(s);
    return err;
}

void batch_partition_free(batch_partition *s)
{
    if (!s)
        return;
    mem *m = s->b->mem;
    cell_chunks_close(&s->cells);
    for (int k = 0; k < 2; k++) {
        mem_free(m, s->range[k]);
        mem_free(m, s->chunk[k]);
    }
    mem_free(m, s->bounds);
    mem_free(m, s->count);
    mem_free(m, s->object);
    partition_objects_free(m, &s->objects);
    partition_bodies_free(m, &s->bodies);
    mem_free(m, s);
}

const batch_partition_info *batch_partition_get_info(const batch_partition *s)
{
    return &s->info;
}

/* ---- See store_partition.h: coordinates as levels, the numbers of quantiles of a sample of
 * vertices. The map is monotone, so levels are in the order of the bounds, and two bytes for each
 * vertex and bound are enough. */

/* Bounds are rounded outward by less than 2^-22 of the frame's unit, which is less than 2.3 of its
 * half extent (kernels/README.md); grown bounds, at most 6 units, are rounded once more, by
 * 2^-21. */
#define ROUNDING 0x1p-19

static int double_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void partition_use_sample(partition_build *c)
{
    double half = 0;
    for (int k = 0; k < 3; k++) {
        qsort(c->sample[k], c->samples, sizeof(double), double_compare);
        c->s->info.whole.box[0][k] = c->lo[k];
        c->s->info.whole.box[1][k] = c->hi[k];
        if (c->lo[k] <= c->hi[k])
            half = fmax(half, 0.5 * c->hi[k] - 0.5 * c->lo[k]);
    }
    c->s->info.whole.half = c->half;
    c->margin = c->s->def.margin + ROUNDING * half;
    partition_set_growth(c);
}

/* A level begins also between each two levels: objects may be apart where there is no vertex. */
static size_t partition_levels_halve(double *bound, size_t n)
{
    for (size_t i = n; i-- > 1;) {
        bound[2 * i] = bound[i];
        bound[2 * i - 1] = bound[i - 1] / 2 + bound[2 * i] / 2;
    }
    return n ? 2 * n - 1 : 0;
}

/* Levels begin at quantiles of the sample, once at each distinct value. */
static void partition_levels_make(partition_build *c, int axis, uint32_t most)
{
    const double *x = c->sample[axis];
    uint32_t n = 0;
    for (uint64_t k = 1; k < most && c->samples; k++) {
        const double at = x[k * c->samples / most];
        if (!n || at > c->bound[n - 1])
            c->bound[n++] = at;
    }
    if (c->s->def.by_objects)
        n = (uint32_t)partition_levels_halve(c->bound, n);
    c->levels = n + 1;
}

/* Returns how many levels, except the first, begin at x or before. */
static uint32_t partition_levels_level(const double *bound, uint32_t n, double x)
{
    const double *at = bound;
    if (!n)
        return 0;
    while (n > 1) {
        const uint32_t half = n / 2;
        at += at[half - 1] <= x ? half : 0;
        n -= half;
    }
    return (uint32_t)(at - bound) + (*at <= x);
}

static void partition_levels_widen(const partition_build *c, double x, double margin, int again,
                                   level_range *to)
{
    const uint32_t n = c->levels - 1;
    uint32_t low = partition_levels_level(c->bound, n, x - margin), high = low;
    /* usually the next level begins later */
    if (high < n && c->bound[high] <= x + margin)
        high = partition_levels_level(c->bound, n, x + margin);
    if (again && to->low < low)
        low = to->low;
    if (again && to->high > high)
        high = to->high;
    *to = (level_range){(uint16_t)low, (uint16_t)high};
}

/* Returns the growth of bounds around a vertex; *body: that of the previous vertex. */
static double partition_levels_margin(const partition_build *c, uint64_t v, uint32_t *body)
{
    const partition_bodies *b = &c->s->bodies;
    if (!b->row)
        return c->margin;
    *body = partition_body_of(b, v, *body);
    return c->margin + (*body != NO_BODY ? b->grow[*body] : 0);
}

int partition_level_ranges(partition_build *c, int axis, uint32_t levels, level_range *range)
{
    int err = IMP_OK;
    const uint64_t verts = c->s->cells.shape.mesh.vertices;
    uint32_t body = 0;
    partition_levels_make(c, axis, levels);
    for (int k = 0; k < partition_instants(c); k++)
        for (uint64_t first = 0, n; first < verts; first += n) {
            n = verts - first < PARTITION_ROWS ? verts - first : PARTITION_ROWS;
            TRY(partition_read_vertices(c, partition_instant(c, k), first, n));
            for (uint64_t i = 0; i < n; i++) {
                level_range *to = &range[first + i];
                if (c->bad_vertices && bit_of(c->bad, first + i))
                    *to = (level_range){LEVEL_BAD, LEVEL_BAD};
                else if (bit_of(c->used, first + i))
                    partition_levels_widen(c, c->rows[3 * i + (uint64_t)axis],
                                           partition_levels_margin(c, first + i, &body), k, to);
                else
                    *to = (level_range){0, 0};
            }
        }
out:
    return err;
}
