/* See entries.h. */
#include "entries.h"

#include "error.h"
#include "hash.h"

int entries_first(const broad_input *in, scanner *scan, const entry_counts *n, uint64_t *entry0)
{
    int err = IMP_OK;
    const context *c = in->c;
    uint32_t ends = in->view->frames + 1;
    uint64_t *visitor0 = NULL;
    TRY(scan_gather(c->dev, scan, n->offset, n->item0, ends, entry0));
    if (!n->visitor)
        goto out;
    TRY(mem_alloc(c->mem, ends * sizeof *visitor0, &visitor0));
    TRY(scan_gather(c->dev, scan, n->visitor, n->item0, ends, visitor0));
    for (uint32_t f = 0; f < ends; f++)
        entry0[f] += visitor0[f];
out:
    mem_free(c->mem, visitor0);
    return err;
}

int entries_wrote(const broad_input *in, scanner *scan, const entry_counts *n, uint64_t all,
                  imp_frame_info *info)
{
    int err = IMP_OK;
    uint32_t frames = in->view->frames;
    uint64_t *entry0 = NULL;
    /* For one frame the total is known, without a read from the device. */
    info->entries_written += frames == 1 ? all : 0;
    if (frames == 1)
        goto out;
    TRY(mem_alloc(in->c->mem, (frames + (size_t)1) * sizeof *entry0, &entry0));
    TRY(entries_first(in, scan, n, entry0));
    for (uint32_t f = 0; f < frames; f++)
        info[f].entries_written += entry0[f + 1] - entry0[f];
out:
    mem_free(in->c->mem, entry0);
    return err;
}

/* Entries are counted in groups, so that numbers fit 32 bits. */
int entries_strips(const broad_input *in, scanner *scan, const entry_counts *n, buffer_u64 *entry0,
                   buffer_u32 *group0, strips *out)
{
    int err = IMP_OK;
    const context *c = in->c;
    uint32_t ends = in->view->frames + 1, *group = NULL;
    uint64_t *entry = NULL, groups = 0;
    TRY(mem_alloc(c->mem, ends * sizeof *group, &group));
    TRY(mem_alloc(c->mem, ends * sizeof *entry, &entry));
    TRY(entries_first(in, scan, n, entry));
    for (uint32_t f = 0; f < ends; f++) {
        groups += f ? (entry[f] - entry[f - 1] + HASH_GROUP - 1) / HASH_GROUP : 0;
        group[f] = (uint32_t)groups;
    }
    if (groups > UINT32_MAX)
        FAIL(IMP_ERR_MEMORY, "broad phase: %llu entries are too many for one block",
             (unsigned long long)entry[ends - 1]);
    TRY(buffer_put(c->dev, entry0, entry, ends));
    TRY(buffer_put(c->dev, group0, group, ends));
    TRY(strips_make(out, in, group, 1, STRIP));
out:
    mem_free(c->mem, group);
    mem_free(c->mem, entry);
    return err;
}

/* A launch counts its items in 32 bits; entries may be more. */
int entries_starts(device *d, const buffer_u32 *key, uint64_t entries, uint32_t buckets,
                   uint32_t bits, buffer_u64 *start)
{
    int err = IMP_OK;
    const uint64_t most = UINT64_C(1) << 31;
    TRY(buffer_fit(d, start, (size_t)buckets + 1));
    for (uint64_t e = 0; e <= entries; e += most) {
        uint64_t n = entries + 1 - e < most ? entries + 1 - e : most;
        TRY(RUN(d, hash_starts, n, entries, e, buckets, bits, key, start));
    }
out:
    return err;
}
