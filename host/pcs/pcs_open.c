/* How a loop is opened and closed: see pcs.h. */
#include "pcs_state.h"

#include "error.h"
#include "processors.h"

#include <stdio.h>
#include <string.h>

#define ENGINE_LEAST 1024 /* bodies: fewer are faster on the host than any device starts */

static int pcs_open_check_step(double seconds)
{
    if (!(seconds > 0) || !(seconds <= DBL_MAX))
        return imp_fail(IMP_ERR_ARGUMENT, "pcs: the step of a frame is %g, not above 0", seconds);
    return IMP_OK;
}

static int pcs_open_check_def(const pcs_def *d)
{
    if (!(d->epsilon > 0) || !(d->epsilon <= DBL_MAX))
        return imp_fail(IMP_ERR_ARGUMENT, "pcs: epsilon is %g, not above 0", d->epsilon);
    if (d->bodies > PCS_BODIES_MOST)
        return imp_fail(IMP_ERR_ARGUMENT, "pcs: %u bodies, more than %u", d->bodies,
                        PCS_BODIES_MOST);
    return pcs_open_check_step(d->step);
}

int pcs_set_step(pcs *p, double seconds)
{
    const int err = pcs_open_check_step(seconds);
    if (!err)
        p->def.step = seconds;
    return err;
}

static int make_arrays(pcs *p)
{
    int err = 0;
    mem *m = p->def.mem;
    const size_t n = p->def.bodies;
    TRY(mem_alloc(m, n * sizeof *p->motion, &p->motion));
    TRY(mem_alloc(m, n * sizeof *p->box, &p->box));
    TRY(mem_alloc(m, n * sizeof *p->first, &p->first));
    TRY(mem_alloc(m, n * sizeof *p->partner, &p->partner));
    TRY(mem_alloc(m, n * sizeof *p->changed, &p->changed));
    TRY(mem_alloc(m, n * sizeof *p->list, &p->list));
    memset(p->motion, 0, n * sizeof *p->motion);
    memset(p->first, 0, n * sizeof *p->first);
    memset(p->partner, 0, n * sizeof *p->partner);
    memset(p->changed, 0, n * sizeof *p->changed);
out:
    return err;
}

/* A device that is not there, or not fit, is an error also where bodies are too few for it. Where
 * any will do for few bodies, that is the host. */
static int open_device(pcs *p, const char *device)
{
    int err = 0;
    imp *proven = NULL;
    const int automatic = !strcmp(device, "auto");
    snprintf(p->device, sizeof p->device, "cpu");
    if (!strcmp(device, "cpu") || (automatic && p->def.bodies < ENGINE_LEAST))
        return IMP_OK;
    if (p->def.bodies >= ENGINE_LEAST)
        TRY(pcs_engine_open(p->def.mem, &p->engine, device, p->threads, p->def.bodies));
    else
        TRY(imp_create(&(imp_def){.device = device, .threads = p->threads}, &proven));
    snprintf(p->device, sizeof p->device, "%s",
             imp_device_name(proven ? proven : p->engine.pipeline));
out:
    imp_destroy(proven);
    return err;
}

const char *pcs_device(const pcs *p)
{
    return p->device;
}

const atomic_int *pcs_cancel(const pcs *p)
{
    return p->def.cancel;
}

int pcs_open(const pcs_def *def, pcs **out)
{
    int err = 0;
    pcs *p = NULL;
    *out = NULL;
    TRY(pcs_open_check_def(def));
    TRY(mem_alloc(def->mem, sizeof *p, &p));
    *p = (pcs){.def = *def, .threads = processors_threads(def->threads)};
    TRY(make_arrays(p));
    TRY(open_device(p, def->device ? def->device : "cpu"));
    *out = p;
    p = NULL;
out:
    pcs_close(p);
    return err;
}

void pcs_close(pcs *p)
{
    if (!p)
        return;
    mem *m = p->def.mem;
    pcs_engine_close(m, &p->engine);
    pcs_tiles_free(m, &p->tiles);
    pcs_order_free(m, &p->order);
    void *arrays[] = {p->motion,  p->box,  p->first, p->partner,
                      p->changed, p->list, p->pair,  p->found.at};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        mem_free(m, arrays[i]);
    mem_free(m, p);
}
