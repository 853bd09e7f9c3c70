/* Drivers of the scan and sort kernels: tiles, passes, and which form a device runs. */
#include "scan.h"

#include "error.h"

#define GROUP_SCAN 256 /* as in scan.cl */
#define GROUP_SCAN_PER 8
#define GROUP_SORT 128 /* as in sort.cl */
#define GROUP_SORT_PER 16
#define GROUP_SORT_BITS 4 /* of a key, a pass */
#define SORT_BITS 11      /* the same where an item owns a tile, at most */

void scanner_free(device *d, scanner *s)
{
    buffer_free(d, &s->partial);
    buffer_free(d, &s->found);
}

void sorter_free(device *d, sorter *s)
{
    buffer_free(d, &s->key);
    buffer_free(d, &s->value);
    buffer_free(d, &s->histogram);
    buffer_free(d, &s->offset);
    scanner_free(d, &s->scan);
}

uint32_t bits_for(uint64_t n)
{
    uint32_t bits = 0;
    while (n > 1 && (n - 1) >> bits)
        bits++;
    return bits;
}

/* so many tiles that all threads have work, none shorter than `least` */
static uint64_t tile_length(const device *d, uint64_t n, uint64_t least)
{
    uint64_t length = n / ((uint64_t)d->threads * 4) + 1;
    return length > least ? length : least;
}

#define SCAN_LEAST 16384 /* counts of a tile: less is done before another thread is awake */

static int scan_by_items(device *d, scanner *s, const buffer *count, uint32_t n, buffer *offset)
{
    int err = IMP_OK;
    uint32_t tile = (uint32_t)tile_length(d, n, SCAN_LEAST), tiles = n / tile + (n % tile != 0);
    TRY(buffer_fit(d, &s->partial, tiles * sizeof(uint64_t)));
    TRY(RUN(d, scan_sums, tiles, BUF(count), U32(n), U32(tile), BUF(&s->partial)));
    TRY(RUN(d, scan_partials, 1, U32(tiles), BUF(&s->partial), U32(n), BUF(offset)));
    TRY(RUN(d, scan_write, tiles, BUF(count), U32(n), U32(tile), BUF(&s->partial), BUF(offset)));
out:
    return err;
}

static int scan_by_groups(device *d, scanner *s, const buffer *count, uint32_t n, buffer *offset)
{
    int err = IMP_OK;
    uint32_t tile = GROUP_SCAN * GROUP_SCAN_PER, tiles = n / tile + (n % tile != 0);
    uint64_t items = (uint64_t)tiles * GROUP_SCAN;
    TRY(buffer_fit(d, &s->partial, tiles * sizeof(uint64_t)));
    TRY(RUN_GROUP(d, scan_sums_group, items, GROUP_SCAN, BUF(count), U32(n), U32(GROUP_SCAN_PER),
                  BUF(&s->partial)));
    TRY(RUN_GROUP(d, scan_partials_group, GROUP_SCAN, GROUP_SCAN, U32(tiles), BUF(&s->partial),
                  U32(n), BUF(offset)));
    TRY(RUN_GROUP(d, scan_write_group, items, GROUP_SCAN, BUF(count), U32(n), U32(GROUP_SCAN_PER),
                  BUF(&s->partial), BUF(offset)));
out:
    return err;
}

int scan_counts(device *d, scanner *s, const buffer *count, uint32_t n, buffer *offset,
                uint64_t *total)
{
    int err = IMP_OK;
    TRY(buffer_fit(d, offset, ((size_t)n + 1) * sizeof(uint64_t)));
    TRY(d->group_forms ? scan_by_groups(d, s, count, n, offset)
                       : scan_by_items(d, s, count, n, offset));
    if (total)
        TRY(buffer_read(d, offset, n * sizeof(uint64_t), total, sizeof *total));
out:
    return err;
}

int scan_take(device *d, scanner *s, const buffer *offset, const buffer *index, uint32_t n,
              uint64_t *out)
{
    int err = IMP_OK;
    TRY(buffer_fit(d, &s->found, n * sizeof(uint64_t)));
    TRY(RUN(d, scan_take, n, BUF(offset), BUF(index), BUF(&s->found)));
    TRY(buffer_read(d, &s->found, 0, out, n * sizeof(uint64_t)));
out:
    return err;
}

int scan_find(device *d, scanner *s, const buffer *offset, uint32_t n, uint32_t first,
              uint64_t limit, uint32_t *place, uint64_t *at)
{
    int err = IMP_OK;
    uint64_t found[2];
    TRY(buffer_fit(d, &s->found, sizeof found));
    TRY(RUN(d, scan_find, 1, BUF(offset), U32(n), U32(first), U64(limit), BUF(&s->found)));
    TRY(buffer_read(d, &s->found, 0, found, sizeof found));
    *place = (uint32_t)found[0];
    *at = found[1];
out:
    return err;
}

static void buffer_swap(buffer *a, buffer *b)
{
    buffer t = *a;
    *a = *b;
    *b = t;
}

static int sort_pass(device *d, sorter *s, const buffer *key, const buffer *value, uint64_t n,
                     uint32_t shift, uint32_t bits)
{
    int err = IMP_OK;
    int groups = d->group_forms;
    uint64_t tile = groups ? (uint64_t)GROUP_SORT * GROUP_SORT_PER : tile_length(d, n, 16384);
    uint32_t tiles = (uint32_t)((n + tile - 1) / tile), digits = 1u << bits;
    TRY(buffer_fit(d, &s->histogram, (size_t)tiles * digits * sizeof(uint32_t)));
    if (groups)
        TRY(RUN_GROUP(d, sort_count_group, (uint64_t)tiles * GROUP_SORT, GROUP_SORT, BUF(key),
                      U64(n), U32(shift), BUF(&s->histogram)));
    else
        TRY(RUN(d, sort_count, tiles, BUF(key), U64(n), U64(tile), U32(shift), U32(bits),
                BUF(&s->histogram)));
    TRY(scan_counts(d, &s->scan, &s->histogram, tiles * digits, &s->offset, NULL));
    if (groups)
        TRY(RUN_GROUP(d, sort_scatter_group, (uint64_t)tiles * GROUP_SORT, GROUP_SORT, BUF(key),
                      BUF(value), U64(n), U32(shift), BUF(&s->offset), BUF(&s->key),
                      BUF(&s->value)));
    else
        TRY(RUN(d, sort_scatter, tiles, BUF(key), BUF(value), U64(n), U64(tile), U32(shift),
                U32(bits), BUF(&s->offset), BUF(&s->key), BUF(&s->value)));
out:
    return err;
}

/* bits of a key that a pass sorts by: as few passes as may be, of equal length */
static uint32_t pass_bits(const device *d, uint32_t bits)
{
    uint32_t passes = (bits + SORT_BITS - 1) / SORT_BITS;
    return d->group_forms ? GROUP_SORT_BITS : (bits + passes - 1) / passes;
}

int sort_by_key(device *d, sorter *s, buffer *key, buffer *value, uint64_t n, uint32_t bits)
{
    int err = IMP_OK;
    if (n < 2 || !bits)
        return IMP_OK;
    uint32_t step = pass_bits(d, bits);
    TRY(buffer_fit(d, &s->key, n * sizeof(uint32_t)));
    TRY(buffer_fit(d, &s->value, n * sizeof(uint32_t)));
    for (uint32_t shift = 0; shift < bits; shift += step) {
        TRY(sort_pass(d, s, key, value, n, shift, step));
        buffer_swap(key, &s->key);
        buffer_swap(value, &s->value);
        key->bytes = value->bytes = n * sizeof(uint32_t);
    }
out:
    return err;
}
