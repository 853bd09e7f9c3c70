/* What moved since the frame before, as bounds tell: for a broad method that asks. */
#include "broad.h"

#include "error.h"

#include <string.h>

/* Bounds of two frames can be compared if they are of one mesh and in one unit: units change in
 * steps only (bound.c). The frame before a block's first is not in memory. */
static uint8_t frame_anew(const block *b, const units *u, uint32_t f)
{
    return f == 0 || b->frame[f].mesh != b->frame[f - 1].mesh ||
           memcmp(u->scale + 2 * f, u->scale + 2 * (f - 1), 2 * sizeof *u->scale) ||
           memcmp(u->centre + 3 * f, u->centre + 3 * (f - 1), 3 * sizeof *u->centre);
}

int broad_moved(const broad_input *in, buffer_u8 *moved)
{
    int err = IMP_OK;
    const block *b = in->block;
    const bounds *o = in->bounds;
    uint8_t *anew = NULL;
    buffer_u8 anew_buf = {0};
    TRY(mem_alloc(in->c->mem, b->frames, &anew));
    for (uint32_t f = 0; f < b->frames; f++)
        anew[f] = frame_anew(b, &o->units, f);
    TRY(buffer_put(in->c->dev, &anew_buf, anew, b->frames));
    TRY(buffer_fit(in->c->dev, moved, b->prims));
    TRY(RUN(in->c->dev, bound_moved, b->prims, b->frames, &o->broad.prim0, &anew_buf, &o->broad.box,
            o->extra, &o->broad.slab, moved));
out:
    buffer_free(in->c->dev, &anew_buf);
    mem_free(in->c->mem, anew);
    return err;
}
