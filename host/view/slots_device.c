/* Slots on the device: kernels/slots.cl. */
#include "slots.h"

#include "error.h"
#include "prim.h"

#include <string.h>

/* The list stays on the device for slots_write. */
int slots_mark(const context *c, const slots *r, slots_copy *d, buffer_u8 *moved)
{
    int err = IMP_OK;
    if (!r->changes.count)
        return IMP_OK;
    TRY(buffer_put(c->dev64, &d->changed, r->changes.slot, r->changes.count));
    TRY(RUN(c->dev64, slots_mark, r->changes.count, &d->changed, moved));
out:
    return err;
}

/* Only what changed goes to the device, so a frame costs as much as it changes. */
int slots_write(const context *c, slots_copy *d, const view *v, bounds *o)
{
    int err = IMP_OK;
    device *on = c->dev64;
    const slots *r = v->slots;
    uint32_t n = v->corners, *corner = NULL;
    int32_t *object = NULL;
    if (!r->changes.count)
        return IMP_OK;
    TRY(mem_alloc(c->mem, (size_t)n * r->changes.count * sizeof *corner, &corner));
    TRY(mem_alloc(c->mem, r->changes.count * sizeof *object, &object));
    for (uint32_t i = 0; i < r->changes.count; i++) {
        view_corners(&r->of.mesh, r->changes.slot[i], n, corner + (size_t)n * i);
        object[i] = r->of.object[r->changes.slot[i]];
    }
    TRY(buffer_put(on, &d->corner, corner, (size_t)n * r->changes.count));
    TRY(RUN(on, slots_corners, r->changes.count, &d->changed, n, &d->corner, &o->on64.corner));
    if (!(c->opt.rules & RULE_OBJECTS))
        goto out;
    TRY(buffer_put(on, &d->object, object, r->changes.count));
    TRY(RUN(on, slots_objects, r->changes.count, &d->changed, &d->object, &o->on64.object));
out:
    mem_free(c->mem, corner);
    mem_free(c->mem, object);
    return err;
}

/* Rows depend on the order of a pair in their last bits. A fresh pass has the caller's order, so a
 * kept one needs it, too. */
int slots_orient(const context *c, const slots *r, slots_copy *d, pairs *p)
{
    int err = IMP_OK;
    if (!p->count || !r->seen) /* the cells of a model are its slots */
        return IMP_OK;
    TRY(buffer_wrap(c->dev64, &d->cell, &r->cell->n, r->of.mesh.primitives));
    TRY(RUN(c->dev64, slots_orient, p->count, &d->cell, &p->a, &p->b));
    TRY(device_finish(c->dev64)); /* the array may be replaced before the device is next used */
out:
    bytes_free(c->dev64, &d->cell.raw);
    return err;
}

void slots_copy_free(const context *c, slots_copy *d)
{
    buffer *mine[] = {&d->changed.raw, &d->corner.raw, &d->cell.raw, &d->object.raw};
    for (size_t i = 0; i < sizeof mine / sizeof *mine; i++)
        bytes_free(c->dev64, mine[i]);
}
