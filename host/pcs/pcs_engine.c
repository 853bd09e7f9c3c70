/* See pcs_engine.h. A box is a triangle without area, from its low corner to its high one: its
 * bounds are that box in float32, rounded outward. So candidates hold all pairs of boxes that
 * overlap, and the comparison in float64 leaves these. */
#include "pcs_engine.h"

#include "error.h"
#include "pcs_motion.h"

#include <string.h>

#define BROAD "tiles"

int pcs_engine_open(mem *m, pcs_engine *e, const char *device, int threads, uint32_t bodies)
{
    int err = 0;
    const imp_def def = {.device = device,
                         .threads = threads,
                         .broad = BROAD,
                         .stage = IMP_STAGE_CANDIDATES,
                         .unchecked = 1,
                         .mem_limit = m->limit ? mem_left(m) / 2 + 1 : 0,
                         .expect = bodies};
    TRY(mem_alloc(m, (size_t)3 * bodies * sizeof *e->corner, &e->corner));
    TRY(mem_alloc(m, (size_t)6 * bodies * sizeof *e->point, &e->point));
    for (uint32_t i = 0; i < bodies; i++) {
        uint32_t *c = e->corner + (size_t)3 * i;
        c[0] = 2 * i;
        c[1] = c[2] = 2 * i + 1;
    }
    TRY(imp_create(&def, &e->pipeline));
out:
    return err;
}

void pcs_engine_close(mem *m, pcs_engine *e)
{
    imp_destroy(e->pipeline);
    mem_free(m, e->corner);
    mem_free(m, e->point);
    *e = (pcs_engine){0};
}

typedef struct sink_state {
    mem *m;
    const double (*box)[6];
    const atomic_int *cancel;
    pcs_pairs *out;
} sink_state;

static int pcs_engine_add_pairs(void *with, const imp_contacts *c)
{
    int err = 0;
    const sink_state *s = with;
    if (s->cancel && atomic_load(s->cancel))
        return imp_fail(IMP_ERR_CANCELLED, "cancelled");
    for (size_t i = 0; i < c->count; i++)
        if (pcs_boxes_overlap(s->box[c->a[i]], s->box[c->b[i]]))
            TRY(pcs_pairs_add(s->m, s->out, c->a[i], c->b[i]));
out:
    return err;
}

int pcs_engine_all_pairs(mem *m, pcs_engine *e, const double (*box)[6], uint32_t bodies,
                         const atomic_int *cancel, pcs_pairs *out)
{
    sink_state s = {m, box, cancel, out};
    const imp_mesh mesh = {
        .vertices = 2 * bodies, .primitives = bodies, .corner = e->corner, .corners = 3};
    const imp_frame frame = {.mesh = &mesh, .point = e->point};
    memcpy(e->point, box, (size_t)6 * bodies * sizeof *e->point);
    return imp_detect(e->pipeline, &frame, 1, pcs_engine_add_pairs, &s, NULL);
}
