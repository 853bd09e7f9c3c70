/* Places on the device: kernels/places.cl. */
#include "roster.h"

#include "error.h"
#include "engine.h"
#include "prim.h"

#include <string.h>

int roster_mark(const context *c, const roster *r, roster_copy *d, buffer_u8 *moved)
{
    int err = IMP_OK;
    if (!r->changes)
        return IMP_OK;
    TRY(buffer_put(c->dev64, &d->changed, r->changed, r->changes));
    TRY(RUN(c->dev64, places_mark, r->changes, &d->changed, moved));
out:
    return err;
}

int roster_write(const context *c, roster_copy *d, const block *b, bounds *o)
{
    int err = IMP_OK;
    device *on = c->dev64;
    const roster *r = b->roster;
    uint32_t n = b->corners, *corner = NULL;
    int32_t *object = NULL;
    if (!r->changes)
        return IMP_OK;
    TRY(mem_alloc(c->mem, (size_t)n * r->changes * sizeof *corner, &corner));
    TRY(mem_alloc(c->mem, r->changes * sizeof *object, &object));
    for (uint32_t i = 0; i < r->changes; i++) {
        bound_corners_of(&r->mesh, r->changed[i], n, corner + (size_t)n * i);
        object[i] = r->object[r->changed[i]];
    }
    TRY(buffer_put(on, &d->corner, corner, (size_t)n * r->changes));
    TRY(RUN(on, places_corners, r->changes, &d->changed, n, &d->corner, &o->wide.corner));
    if (!(c->opt.rules & RULE_OBJECTS))
        goto out;
    TRY(buffer_put(on, &d->object, object, r->changes));
    TRY(RUN(on, places_objects, r->changes, &d->changed, &d->object, &o->wide.object));
out:
    mem_free(c->mem, corner);
    mem_free(c->mem, object);
    return err;
}

int roster_orient(const context *c, const roster *r, roster_copy *d, pairs *p)
{
    int err = IMP_OK, own = c->dev64->group_forms; /* memory of the device: written if it changed */
    if (!p->count || !r->seen)                     /* positions of a model are its places */
        return IMP_OK;
    if (!own)
        TRY(buffer_wrap(c->dev64, &d->position, r->position, r->mesh.primitives));
    else if (d->turn != r->turn)
        TRY(buffer_put(c->dev64, &d->position, r->position, r->mesh.primitives));
    d->turn = r->turn;
    TRY(RUN(c->dev64, places_orient, p->count, &d->position, &p->a, &p->b));
    if (!own) /* the array may be another's when the device is next used */
        TRY(device_finish(c->dev64));
out:
    if (!own)
        bytes_free(c->dev64, &d->position.raw);
    return err;
}

void roster_copy_free(const context *c, roster_copy *d)
{
    buffer *mine[] = {&d->changed.raw, &d->corner.raw, &d->position.raw, &d->object.raw};
    for (size_t i = 0; i < sizeof mine / sizeof *mine; i++)
        bytes_free(c->dev64, mine[i]);
    d->turn = 0;
}
