/* See moving.h: which primitive of a block of steps asks for which feature. */
#include "error.h"
#include "moving.h"
#include "stages.h"

#include <string.h>

/* Primitives with a vertex that is not finite have no features. */
static int find_left(const context *c, moving *m)
{
    int err = IMP_OK;
    const view *v = m->view;
    const uint32_t *bad = m->bounds->units.bad;
    step_rows *s = &m->found;
    uint32_t any = 0;
    for (uint32_t f = 0; f < v->frames; f++)
        any |= bad[f];
    mem_free(c->mem, s->left);
    s->left = NULL;
    if (!any)
        return IMP_OK;
    TRY(mem_alloc(c->mem, v->prims, &s->left));
    for (uint32_t f = 0; f < v->frames; f++)
        for (uint32_t i = 0; i < s->prims; i++)
            s->left[v->prim0[f] + i] = (uint8_t)(bad[f] && bound_bad_in(v, f, i));
out:
    return err;
}

/* An equal pointer need not be the same mesh, except within a call. */
static int same_mesh(int same_call, incidence *t, const imp_mesh *mesh, uint32_t corners,
                     int threads)
{
    return (same_call && t->mesh == mesh && t->corners == corners) ||
           incidence_again(t, mesh, corners, threads);
}

/* What the mesh's primitives own, for each frame; where some are left out others own more. Bodies
 * that turn own nothing: the device knows straight ways only. */
static int put_owners(const context *c, moving *m)
{
    int err = IMP_OK;
    const view *v = m->view;
    uint32_t *all = NULL;
    const int whole = !m->found.left && !m->turns;
    /* From the step before. */
    if (whole && m->owned_frames >= v->frames)
        return IMP_OK;
    m->owned_frames = 0;
    if (whole && v->frames == 1) {
        TRY(buffer_put(c->dev64, &m->owned, m->incidence.owned, v->prims));
        m->owned_frames = 1;
        goto out;
    }
    TRY(mem_alloc(c->mem, v->prims * sizeof *all, &all));
    for (uint32_t f = 0; f < v->frames; f++) {
        incidence t = moving_incidence(m, f);
        uint32_t *owned = all + v->prim0[f];
        if (v->prims)
            memcpy(owned, t.owned, m->found.prims * sizeof *owned);
        t.owned = owned;
        if (m->bounds->units.bad[f])
            incidence_own(&t, t.left, c->threads);
        for (uint32_t i = 0; m->turns && i < m->found.prims; i++)
            owned[i] = m->turns->body[i] == NO_BODY ? owned[i] : 0;
    }
    TRY(buffer_put(c->dev64, &m->owned, all, v->prims));
    m->owned_frames = whole ? v->frames : 0;
out:
    mem_free(c->mem, all);
    return err;
}

int moving_owners(const context *c, int same_call, moving *m)
{
    int err = IMP_OK;
    const view *v = m->view;
    incidence *t = &m->incidence;
    TRY(find_left(c, m));
    if (!same_mesh(same_call, t, v->frame->mesh, v->corners, c->threads)) {
        m->owned_frames = 0;
        incidence_close(c->mem, t);
        TRY(incidence_open(c->mem, v->frame->mesh, v->corners, c->threads, t));
    }
    TRY(put_owners(c, m));
out:
    return err;
}
