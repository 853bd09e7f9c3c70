/* See moving.h: which primitive of a block of steps asks for which feature. */
#include "error.h"
#include "moving.h"
#include "stages.h"

#include <string.h>

/* Primitives with a vertex that is not finite have no features. */
static int ccd_step_find_excluded(const context *c, ccd_step *m)
{
    int err = IMP_OK;
    const block_view *v = m->view;
    const uint32_t *bad = m->bounds->normalisation.bad;
    step_rows *s = &m->found;
    uint32_t any = 0;
    for (uint32_t f = 0; f < v->frames; f++)
        any |= bad[f];
    mem_free(c->mem, s->excluded);
    s->excluded = NULL;
    if (!any)
        return IMP_OK;
    TRY(mem_alloc(c->mem, v->prims, &s->excluded));
    for (uint32_t f = 0; f < v->frames; f++)
        for (uint32_t i = 0; i < s->prims; i++)
            s->excluded[v->prim0[f] + i] = (uint8_t)(bad[f] && bound_bad_in(v, f, i));
out:
    return err;
}

/* An equal pointer need not be the same mesh, except within a call. */
static int same_mesh(int same_call, rep_features *t, const imp_mesh *mesh, uint32_t corners,
                     int threads)
{
    return (same_call && t->mesh == mesh && t->corners == corners) ||
           rep_features_again(t, mesh, corners, threads);
}

/* What the mesh's primitives own, for each frame; where some are left out others own more. Bodies
 * that turn own nothing: the device knows straight ways only. */
static int ccd_step_put_rep(const context *c, ccd_step *m)
{
    int err = IMP_OK;
    const block_view *v = m->view;
    uint32_t *all = NULL;
    const int whole = !m->found.excluded && !m->rigid;
    /* From the step before. */
    if (whole && m->rep_bits_frames >= v->frames)
        return IMP_OK;
    m->rep_bits_frames = 0;
    if (whole && v->frames == 1) {
        TRY(buffer_put(c->dev64, &m->rep_bits, m->rep.bits, v->prims));
        m->rep_bits_frames = 1;
        goto out;
    }
    TRY(mem_alloc(c->mem, v->prims * sizeof *all, &all));
    for (uint32_t f = 0; f < v->frames; f++) {
        rep_features t = ccd_step_features(m, f);
        uint32_t *rep = all + v->prim0[f];
        if (v->prims)
            memcpy(rep, t.bits, m->found.prims * sizeof *rep);
        t.bits = rep;
        if (m->bounds->normalisation.bad[f])
            rep_features_assign(&t, t.excluded, c->threads);
        for (uint32_t i = 0; m->rigid && i < m->found.prims; i++)
            rep[i] = m->rigid->body[i] == NO_BODY ? rep[i] : 0;
    }
    TRY(buffer_put(c->dev64, &m->rep_bits, all, v->prims));
    m->rep_bits_frames = whole ? v->frames : 0;
out:
    mem_free(c->mem, all);
    return err;
}

int ccd_step_owners(const context *c, int same_call, ccd_step *m)
{
    int err = IMP_OK;
    const block_view *v = m->view;
    rep_features *t = &m->rep;
    TRY(ccd_step_find_excluded(c, m));
    if (!same_mesh(same_call, t, v->frame->mesh, v->corners, c->threads)) {
        m->rep_bits_frames = 0;
        rep_features_close(c->mem, t);
        TRY(rep_features_open(c->mem, v->frame->mesh, v->corners, c->threads, t));
    }
    TRY(ccd_step_put_rep(c, m));
out:
    return err;
}
