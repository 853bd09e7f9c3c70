/* See object_cells.h. */
#include "object_cells.h"

#include "launch.h"

#include <math.h>
#include <string.h>

cell_axes cell_axes_make(const double *lo, const double *hi, double most)
{
    cell_axes a;
    double longest = 0;
    for (int k = 0; k < DIMENSIONS; k++)
        longest = fmax(longest, hi[k] / 2 - lo[k] / 2);
    for (int k = 0; k < DIMENSIONS; k++) {
        const double side = hi[k] / 2 - lo[k] / 2;
        const double cells = fmin(ceil(most * (side / longest)), CELLS - 2), per = cells / side;
        const int sure = isfinite(cells) && isfinite(per) && isfinite(lo[k]);
        a.half[k] = sure ? lo[k] / 2 : 0;
        a.per[k] = sure ? per : 0;
        a.end[k] = sure ? cells + 1 : CELL_LAST;
        a.one[k] = 1;
    }
    return a;
}

cell_axes cell_axes_moved(const cell_axes *a, double by)
{
    cell_axes moved = *a;
    for (int k = 0; k < DIMENSIONS; k++)
        moved.one[k] = 1 + by / 2 * a->per[k];
    return moved;
}

#define CODES 512 /* vertices of an item of clip_codes */

void cell_codes(const device *d, const cell_axes *a, const imp_frame *f, uint32_t first,
                uint32_t count, cell_code *code)
{
    cell_axes axes = *a;
    buffer_f32 in32 = {0};
    buffer_f64 in64 = {0}, list = {{.data = &axes}};
    const uint32_t wide = f->type != IMP_FLOAT32;
    buffer_u32 codes = {{.data = code}};
    memcpy(wide ? &in64.raw.data : &in32.raw.data, &f->point, sizeof f->point);
    RUN_HERE(d, clip_codes, (count + CODES - 1) / CODES, &in32, &in64, wide, first, count, &list,
             &codes);
}

void cell_set_join(cell_set *s, const cell_set *other)
{
    s->full |= other->full;
    for (uint32_t i = 0; i < CELL_ROWS; i++)
        s->row[i] |= other->row[i];
}

/* The part of a code along an axis. */
static uint32_t cell_along(cell_code c, int k)
{
    return c >> 8 * k & 63;
}

/* The bits of the cells from lo to hi along x. */
static uint64_t cell_bits(cell_code lo, cell_code hi)
{
    const uint32_t from = cell_along(lo, 0), more = cell_along(hi, 0) - from;
    return ((UINT64_C(2) << more) - 1) << from;
}

/* Number of rows of a range. */
static uint32_t cell_range_rows(cell_code lo, cell_code hi)
{
    return (cell_along(hi, 1) - cell_along(lo, 1) + 1) *
           (cell_along(hi, 2) - cell_along(lo, 2) + 1);
}

void cell_set_add(cell_set *s, cell_code lo, cell_code hi, uint32_t most)
{
    const uint64_t bits = cell_bits(lo, hi);
    if (s->full)
        return;
    s->full = cell_range_rows(lo, hi) > most;
    for (uint32_t z = cell_along(lo, 2); z <= cell_along(hi, 2) && !s->full; z++)
        for (uint32_t y = cell_along(lo, 1); y <= cell_along(hi, 1); y++)
            s->row[CELLS * z + y] |= bits;
}

/* Row i of a set; none is behind the last one. */
static uint64_t cell_row(const cell_set *s, uint32_t i)
{
    const uint32_t y = i % CELLS, z = i / CELLS;
    const int in = y && z && y < CELL_LAST && z < CELL_LAST;
    if (s->full)
        return in ? ~(UINT64_C(1) | UINT64_C(1) << CELL_LAST) : 0;
    return i < CELL_ROWS ? s->row[i] : 0;
}

/* The box of the cells of rows. */
static void lookup_box(cell_lookup *l)
{
    /* bits of the cells along each axis that have any */
    uint64_t along[DIMENSIONS] = {0};
    for (uint32_t i = 0; i < CELL_ROWS; i++) {
        const uint64_t any = l->row[0][i] != 0;
        along[0] |= l->row[0][i];
        along[1] |= any << i % CELLS;
        along[2] |= any << i / CELLS;
    }
    l->lo = l->hi = 0;
    for (int k = 0; k < DIMENSIONS; k++) {
        uint32_t lo = 0, hi = CELL_LAST;
        while (lo < CELL_LAST && !(along[k] >> lo & 1))
            lo++;
        while (hi > 0 && !(along[k] >> hi & 1))
            hi--;
        l->lo |= lo << 8 * k;
        l->hi |= hi << 8 * k;
    }
}

/* Behind the last row along an axis is one of another plane, or none. It is not looked up: no range
 * reaches beyond the last cell. */
void cell_lookup_make(const cell_set *s, cell_lookup *out)
{
    for (uint32_t i = 0; i < CELL_ROWS; i++) {
        const uint64_t here = cell_row(s, i), y = cell_row(s, i + 1), z = cell_row(s, i + CELLS);
        out->row[0][i] = here;
        out->row[1][i] = here | y;
        out->row[2][i] = here | z;
        out->row[3][i] = here | y | z | cell_row(s, i + CELLS + 1);
    }
    lookup_box(out);
}

#define ROWS_MOST 64 /* rows that a look-up visits */

static int lookup_long(const cell_lookup *l, cell_code lo, cell_code hi)
{
    const uint64_t bits = cell_bits(lo, hi);
    uint64_t any = cell_range_rows(lo, hi) > ROWS_MOST;
    for (uint32_t z = cell_along(lo, 2); z <= cell_along(hi, 2) && !any; z++)
        for (uint32_t y = cell_along(lo, 1); y <= cell_along(hi, 1); y++)
            any |= l->row[0][CELLS * z + y] & bits;
    return any != 0;
}

/* Whether a range that reaches into the box may have a cell of the set. */
static int lookup(const cell_lookup *l, cell_code lo, cell_code hi)
{
    const uint32_t d = hi - lo, at = (lo >> 8 & 63) | (lo >> 10 & 0xfc0);
    if (d & 0xfefefe)
        return lookup_long(l, lo, hi);
    return (l->row[(d >> 8 & 1) | (d >> 15 & 2)][at] >> (lo & 63) & (1 + 2 * (d & 1))) != 0;
}

#define WORD 8u /* bytes that are skipped together */

uint32_t cell_next(const uint8_t *any, uint32_t i, uint32_t n)
{
    while (i < n && !any[i]) {
        uint64_t word = 1;
        memcpy(&word, any + i, n - i < WORD ? 0 : WORD);
        i += word ? 1 : WORD;
    }
    return i;
}

#define RANGES 256 /* primitives of an item of clip_ranges */

void cell_ranges(const device *d, const cell_prims *p, const cell_lookup *l, cell_code *lo,
                 cell_code *hi, uint8_t *any)
{
    const uint32_t below = 0x808080 - (l ? l->lo : 0), above = l ? 0x7f7f7f - l->hi : 0;
    buffer_u32 corner, least, most, low = {{.data = lo}}, high = {{.data = hi}};
    buffer_u8 found = {{.data = any}};
    memcpy(&corner.raw.data, &p->corner, sizeof p->corner); /* kernels only read these */
    memcpy(&least.raw.data, &p->least, sizeof p->least);
    memcpy(&most.raw.data, &p->most, sizeof p->most);
    RUN_HERE(d, clip_ranges, (p->count + RANGES - 1) / RANGES, p->count, p->corners, &corner,
             &least, &most, below, above, &low, &high, &found);
    for (uint32_t i = 0, last = 0; l && (i = cell_next(any, i, p->count)) < p->count; last = i++)
        if (i && lo[i] == lo[last] && hi[i] == hi[last])
            any[i] = any[last];
        else
            any[i] = (uint8_t)lookup(l, lo[i], hi[i]);
}
