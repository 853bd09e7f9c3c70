/* Room 3, what all methods share: which there are, counting, and emission in pieces that fit. */
#include "engine.h"

#include "error.h"

#include <string.h>

#define X(name) extern const broad_method broad_##name;
#include "broad.def"
#undef X

const broad_method *broad_find(const char *name)
{
    static const broad_method *const all[] = {
#define X(name) &broad_##name,
#include "broad.def"
#undef X
    };
    if (!name || !strcmp(name, "auto"))
        return all[0];
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(name, all[i]->name))
            return all[i];
    return NULL;
}

int broad_build(imp *p)
{
    int err = IMP_OK;
    broad *b = &p->broad;
    TRY(buffer_fit(p->dev, &b->count, (size_t)4 * p->block.prims));
    TRY(b->method->build(p));
out:
    return err;
}

/* candidates of each frame: differences of the offsets where frames begin */
static int count_frames(imp *p, imp_frame_info *info)
{
    int err = IMP_OK;
    uint32_t n = p->block.frames + 1;
    uint64_t *at = NULL;
    TRY(mem_alloc(&p->mem, n * sizeof *at, &at));
    TRY(scan_take(p->dev, &p->broad.scan, &p->broad.offset, &p->bounds.near.prim0, n, at));
    for (uint32_t f = 0; f + 1 < n; f++)
        info[f].candidates += at[f + 1] - at[f];
out:
    mem_free(&p->mem, at);
    return err;
}

int broad_count(imp *p, uint32_t first, uint32_t last, imp_frame_info *info)
{
    int err = IMP_OK;
    broad *b = &p->broad;
    b->first = first;
    b->last = last;
    TRY(b->method->count(p, 0, p->block.prims));
    TRY(scan_counts(p->dev, &b->scan, &b->count, p->block.prims, &b->offset, &b->total));
    TRY(count_frames(p, info));
    b->base = 0;
out:
    return err;
}

int broad_next(imp *p, uint32_t *finder, uint64_t room, pairs *out)
{
    int err = IMP_OK;
    broad *b = &p->broad;
    uint32_t begin = *finder, end = p->block.prims;
    uint64_t base = b->base, at = b->total;
    if (b->total - base > room)
        TRY(scan_find(p->dev, &b->scan, &b->offset, p->block.prims, begin, base + room, &end, &at));
    out->count = at - base;
    TRY(buffer_fit(p->dev, &out->a, out->count * sizeof(uint32_t)));
    TRY(buffer_fit(p->dev, &out->b, out->count * sizeof(uint32_t)));
    TRY(b->method->emit(p, begin, end - begin, base, out));
    *finder = end;
    b->base = at;
out:
    return err;
}

void broad_free(imp *p)
{
    if (!p->dev)
        return;
    if (p->broad.method)
        p->broad.method->free(p);
    buffer_free(p->dev, &p->broad.count);
    buffer_free(p->dev, &p->broad.offset);
    scanner_free(p->dev, &p->broad.scan);
    sorter_free(p->dev, &p->broad.sort);
}
