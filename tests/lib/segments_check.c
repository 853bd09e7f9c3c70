/* See segments_check.h. */
#include "segments_check.h"

#include "error.h"
#include "dialect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Frames and their device. */
typedef struct frames {
    device *d;
    segments *s;
    const uint32_t *start;
    uint32_t count;
} frames;

/* zeroed; also used outside of CUnit's tests */
static void *segments_check_capacity(size_t items, size_t size)
{
    void *p = calloc(items + 1, size);
    if (!p)
        abort();
    return p;
}

static size_t segments_check_items(const frames *b)
{
    return b->start[b->count];
}

/* ---- items */

static u32 any_u32(rng *r)
{
    return (u32)rng_next(r);
}

/* rarely numbers that can be in a set, otherwise others */
static u8 level_u8(rng *r)
{
    u32 i = rng_below(r, 4000);
    return (u8)(i < 40 ? i : 255 - i % 2);
}

/* zeros of both signs */
static f64 coordinate_f64(rng *r)
{
    u32 kind = rng_below(r, 8);
    return kind == 0 ? 0.0 : kind == 1 ? -0.0 : 2 * rng_unit(r) - 1;
}

/* magnitudes so different that each order gives another sum */
static f64 summand_f64(rng *r)
{
    return ldexp(rng_unit(r) - 0.5, (int)rng_below(r, 60) - 30);
}

/* ---- truth: for the items [first, end) */

static void plain_set(const u8 *in, size_t first, size_t end, u32 *out)
{
    *out = 0;
    for (u32 bit = 0; bit < 32; bit++)
        for (size_t i = first; i < end; i++)
            if (in[i] == bit)
                *out |= 1u << bit;
}

static void plain_box_f64(const f64 *in, size_t first, size_t end, f64 *out)
{
    for (size_t k = 0; k < 6; k++) {
        out[k] = k < 3 ? INFINITY : -INFINITY;
        for (size_t i = first; i < end; i++)
            if (k < 3 ? in[6 * i + k] < out[k] : in[6 * i + k] > out[k])
                out[k] = in[6 * i + k];
        if (out[k] == 0)
            out[k] = 0; /* not -0 */
    }
}

/* The sum in lane l after adding halves down to `width` lanes, by the definition in reduce.cl. */
static f64 lane_sum(const f64 *in, size_t items, size_t l, size_t width)
{
    f64 sum = 0;
    if (width < 256)
        return lane_sum(in, items, l, 2 * width) + lane_sum(in, items, l + width, 2 * width);
    for (; l < items; l += 256)
        sum += in[l];
    return sum;
}

/* tiles of 2048 first, then their sums */
static void plain_sum_f64(const f64 *in, size_t first, size_t end, f64 *out)
{
    size_t tiles = (end - first + 2047) / 2048;
    f64 *tile = segments_check_capacity(tiles, sizeof *tile);
    for (size_t t = 0; t < tiles; t++) {
        size_t from = first + 2048 * t;
        tile[t] = lane_sum(in + from, end - from < 2048 ? end - from : 2048, 0, 1);
    }
    *out = lane_sum(tile, tiles, 0, 1);
    free(tile);
}

/* ---- reduction */

/* check_NAME; numbers: numbers an item and a frame */
#define CHECK(name, from, to, numbers, any, plain)                                                 \
    static const char *check_##name(const frames *b, rng *r)                                       \
    {                                                                                              \
        size_t items = (size_t)(numbers)*segments_check_items(b),                                  \
               results = (size_t)(numbers)*b->count;                                               \
        from *in = segments_check_capacity(items, sizeof *in);                                     \
        to *out = segments_check_capacity(results, sizeof *out), want[6];                          \
        buffer_##from in_buf = {0};                                                                \
        buffer_##to out_buf = {0};                                                                 \
        for (size_t i = 0; i < items; i++)                                                         \
            in[i] = any(r);                                                                        \
        int err = buffer_put(b->d, &in_buf, in, items);                                            \
        if (!err)                                                                                  \
            err = name(b->d, b->s, &in_buf, &out_buf);                                             \
        if (!err)                                                                                  \
            err = buffer_read(b->d, &out_buf, 0, out, results);                                    \
        const char *wrong = err ? imp_error_text() : NULL;                                         \
        for (size_t f = 0; f < b->count && !wrong; f++) {                                          \
            plain(in, b->start[f], b->start[f + 1], want);                                         \
            if (memcmp(want, out + (numbers)*f, (numbers) * sizeof *want))                         \
                wrong = #name;                                                                     \
        }                                                                                          \
        buffer_free(b->d, &in_buf);                                                                \
        buffer_free(b->d, &out_buf);                                                               \
        free(in);                                                                                  \
        free(out);                                                                                 \
        return wrong;                                                                              \
    }

CHECK(reduce_sets, u8, u32, 1, level_u8, plain_set)
CHECK(reduce_boxes_f64, f64, f64, 6, coordinate_f64, plain_box_f64)
CHECK(reduce_sums_f64, f64, f64, 1, summand_f64, plain_sum_f64)

/* ---- histogram */

static int histogram_good(const frames *b, const u32 *bin, uint32_t bins, const u32 *got)
{
    u32 *want = segments_check_capacity(bins, sizeof *want);
    int good = 1;
    for (size_t f = 0; f < b->count; f++) {
        memset(want, 0, bins * sizeof *want);
        for (size_t i = b->start[f]; i < b->start[f + 1]; i++)
            if (bin[i] < bins)
                want[bin[i]]++;
        good &= !memcmp(want, got + bins * f, bins * sizeof *want);
    }
    free(want);
    return good;
}

/* Some bins have most of the items; some items have no bin. */
static const char *check_histogram(const frames *b, uint32_t bins, rng *r)
{
    size_t items = segments_check_items(b), results = (size_t)bins * b->count;
    u32 *bin = segments_check_capacity(items, sizeof *bin),
        *got = segments_check_capacity(results, sizeof *got);
    buffer_u32 bin_buf = {0}, out = {0};
    for (size_t i = 0; i < items; i++) {
        u32 kind = rng_below(r, 8);
        bin[i] = kind == 0 ? bins : kind == 1 ? any_u32(r) : rng_below(r, kind < 5 ? 1 : bins);
    }
    int err = buffer_put(b->d, &bin_buf, bin, items);
    if (!err)
        err = histogram(b->d, b->s, &bin_buf, bins, &out);
    if (!err)
        err = buffer_read(b->d, &out, 0, got, results);
    const char *wrong = err                                  ? imp_error_text()
                        : !histogram_good(b, bin, bins, got) ? "histogram"
                                                             : NULL;
    buffer_free(b->d, &bin_buf);
    buffer_free(b->d, &out);
    free(bin);
    free(got);
    return wrong;
}

/* ---- compaction */

static int compact_good(const frames *b, const u8 *mark, u8 wanted, const u32 *index,
                        const u32 *start, const u32 *first)
{
    size_t n = 0;
    for (size_t f = 0; f < b->count; f++) {
        if (start[f] != n || first[f] != n)
            return 0;
        for (size_t i = b->start[f]; i < b->start[f + 1]; i++)
            if (mark[i] == wanted && index[n++] != i)
                return 0;
    }
    return start[b->count] == n && first[b->count] == n;
}

/* Marks of all items; of 16, `share` have the wanted one. */
static const char *check_compact(const frames *b, uint32_t share, rng *r)
{
    size_t items = segments_check_items(b);
    u8 *mark = segments_check_capacity(items, 1), wanted = 3;
    u32 *index = segments_check_capacity(items, sizeof *index),
        *start = segments_check_capacity(b->count, sizeof *start);
    u32 *first = segments_check_capacity(b->count, sizeof *first);
    buffer_u8 mark_buf = {0};
    buffer_u32 index_buf = {0}, start_buf = {0};
    for (size_t i = 0; i < items; i++)
        mark[i] = rng_below(r, 16) < share ? wanted : (u8)(wanted + 1 + rng_below(r, 255));
    int err = buffer_put(b->d, &mark_buf, mark, items);
    if (!err)
        err = compact(b->d, b->s, &mark_buf, wanted, &index_buf, &start_buf, first);
    if (!err && first[b->count] <= items)
        err = buffer_read(b->d, &index_buf, 0, index, first[b->count]);
    if (!err)
        err = buffer_read(b->d, &start_buf, 0, start, (size_t)b->count + 1);
    const char *wrong = err                                                   ? imp_error_text()
                        : !compact_good(b, mark, wanted, index, start, first) ? "compact"
                                                                              : NULL;
    buffer_free(b->d, &mark_buf);
    buffer_free(b->d, &index_buf);
    buffer_free(b->d, &start_buf);
    free(mark);
    free(index);
    free(start);
    free(first);
    return wrong;
}

/* ---- all */

const char *segments_wrong(device *d, segments *s, const uint32_t *start, uint32_t count,
                           uint32_t bins, rng *r)
{
    const frames b = {d, s, start, count};
    const char *wrong = segments_cut(d, s, start, count) ? imp_error_text() : NULL;
    wrong = wrong ? wrong : check_reduce_sets(&b, r);
    if (d->fp64) {
        wrong = wrong ? wrong : check_reduce_boxes_f64(&b, r);
        wrong = wrong ? wrong : check_reduce_sums_f64(&b, r);
    }
    wrong = wrong ? wrong : check_histogram(&b, bins, r);
    for (uint32_t share = 0; share <= 16; share += 8)
        wrong = wrong ? wrong : check_compact(&b, share, r);
    return wrong;
}
