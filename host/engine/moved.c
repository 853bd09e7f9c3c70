/* What moved since the frame before, as bounds tell: for a broad method that asks. */
#include "broad.h"

#include "error.h"

/* Bounds of two frames can be compared if they are of one mesh and in one unit: units change in
 * steps only (bound.c). The frame before a block's first is not in memory. */
static uint8_t frame_anew(const block *b, const units *u, uint32_t f)
{
    if (f == 0 || b->frame[f].mesh != b->frame[f - 1].mesh)
        return 1;
    const double *scale = u->scale + (size_t)2 * f, *centre = u->centre + (size_t)3 * f;
    uint8_t other = scale[0] != scale[-2] || scale[1] != scale[-1];
    for (int k = 0; k < 3; k++)
        other = other || centre[k] != centre[k - 3];
    return other;
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
