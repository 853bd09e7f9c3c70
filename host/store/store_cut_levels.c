/* See store_space.h: coordinates as levels, which are numbers of quantiles of a sample of vertices:
 * a monotone map, so that levels of two bounds are in the order of the bounds, and two bytes for
 * each vertex and bound are enough. */
#include "store_cut.h"

#include "error.h"

#include <math.h>
#include <stdlib.h>

/* Bounds are rounded outward by less than 2^-22 of the frame's unit, which is less than 2.3 of its
 * half extent (kernels/README.md); those that have grown, to 6 units at most, once more, by 2^-21.
 */
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

/* Levels begin at quantiles of the sample, each different value once. */
static void partition_levels_make(partition_build *c, int axis, uint32_t most)
{
    const double *x = c->sample[axis];
    uint32_t n = 0;
    for (uint64_t k = 1; k < most && c->samples; k++) {
        const double at = x[k * c->samples / most];
        if (!n || at > c->bound[n - 1])
            c->bound[n++] = at;
    }
    c->levels = n + 1;
}

/* How many levels begin at x or before, but the first. */
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
    /* mostly the next level begins later */
    if (high < n && c->bound[high] <= x + margin)
        high = partition_levels_level(c->bound, n, x + margin);
    if (again && to->low < low)
        low = to->low;
    if (again && to->high > high)
        high = to->high;
    *to = (level_range){(uint16_t)low, (uint16_t)high};
}

/* By how much bounds grow beside a vertex; *body: of the one before. */
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
