/* Stable ids on the device: kernels/slots.cl. */
#include "slots.h"

#include "error.h"
#include "prim.h"

#include <string.h>

/* The list stays on the device for persistent_ids_write. */
int persistent_ids_mark(const context *c, const persistent_ids *r, device_ids *d, buffer_u8 *dirty)
{
    int err = IMP_OK;
    if (!r->changes.count)
        return IMP_OK;
    TRY(buffer_put(c->dev64, &d->changed, r->changes.stable, r->changes.count));
    TRY(RUN(c->dev64, persistent_ids_mark, r->changes.count, &d->changed, dirty));
out:
    return err;
}

/* Only what changed goes to the device, so a frame costs as much as it changes. */
int persistent_ids_write(const context *c, device_ids *d, const block_view *v, bounds *o)
{
    int err = IMP_OK;
    device *on = c->dev64;
    const persistent_ids *r = v->ids;
    uint32_t n = v->corners, *corner = NULL;
    int32_t *object = NULL;
    if (!r->changes.count)
        return IMP_OK;
    TRY(mem_alloc(c->mem, (size_t)n * r->changes.count * sizeof *corner, &corner));
    TRY(mem_alloc(c->mem, r->changes.count * sizeof *object, &object));
    for (uint32_t i = 0; i < r->changes.count; i++) {
        block_view_corners(&r->of.mesh, r->changes.stable[i], n, corner + (size_t)n * i);
        object[i] = r->of.object[r->changes.stable[i]];
    }
    TRY(buffer_put(on, &d->corner, corner, (size_t)n * r->changes.count));
    TRY(RUN(on, persistent_ids_corners, r->changes.count, &d->changed, n, &d->corner,
            &o->on64.corner));
    if (!(c->opt.rules & RULE_OBJECTS))
        goto out;
    TRY(buffer_put(on, &d->object, object, r->changes.count));
    TRY(RUN(on, persistent_ids_objects, r->changes.count, &d->changed, &d->object,
            &o->on64.object));
out:
    mem_free(c->mem, corner);
    mem_free(c->mem, object);
    return err;
}

/* Rows depend on the order of a pair in their last bits. A full pass has the caller's order, so a
 * kept one needs it, too. */
int persistent_ids_orient(const context *c, const persistent_ids *r, device_ids *d, pairs *p)
{
    int err = IMP_OK;
    if (!p->count || !r->seen) /* the inputs of a model are its stable ids */
        return IMP_OK;
    TRY(buffer_wrap(c->dev64, &d->input, &r->input->n, r->of.mesh.primitives));
    TRY(RUN(c->dev64, persistent_ids_orient, p->count, &d->input, &p->a, &p->b));
    TRY(device_finish(c->dev64)); /* the array may be replaced before the device is next used */
out:
    bytes_free(c->dev64, &d->input.raw);
    return err;
}

void device_ids_free(const context *c, device_ids *d)
{
    buffer *mine[] = {&d->changed.raw, &d->corner.raw, &d->input.raw, &d->object.raw};
    for (size_t i = 0; i < sizeof mine / sizeof *mine; i++)
        bytes_free(c->dev64, mine[i]);
}
