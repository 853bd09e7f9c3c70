/* imp_pcs_create and imp_pcs_destroy of impinge_pcs.h. */
#include "imp_pcs_state.h"

#include "budget.h"
#include "error.h"
#include "float_env.h"

#include <stdlib.h>

#define TRIANGLES_MOST (UINT32_C(1) << 30) /* shapes number their edges in 32 bits */

/* ---- what the caller hands over */

static int imp_pcs_points_check(const imp_pcs_mesh *m, uint32_t number)
{
    for (size_t i = 0; i < 3 * (size_t)m->vertices; i++)
        if (!(fabs(m->point[i]) <= DBL_MAX))
            return imp_fail(IMP_ERR_ARGUMENT,
                            "imp_pcs_create: mesh %u: a coordinate of vertex %zu is not finite",
                            number, i / 3);
    return IMP_OK;
}

static int check_corners(const imp_pcs_mesh *m, uint32_t number)
{
    for (size_t i = 0; i < 3 * (size_t)m->triangles; i++)
        if (m->corner[i] >= m->vertices)
            return imp_fail(IMP_ERR_ARGUMENT,
                            "imp_pcs_create: mesh %u: corner %zu of triangle %zu is vertex %u, but "
                            "there are %u",
                            number, i % 3, i / 3, m->corner[i], m->vertices);
    return IMP_OK;
}

static int imp_pcs_mesh_check(const imp_pcs_mesh *m, uint32_t number)
{
    if (!m->triangles || m->triangles > TRIANGLES_MOST)
        return imp_fail(IMP_ERR_ARGUMENT, "imp_pcs_create: mesh %u has %u triangles, not 1 to 2^30",
                        number, m->triangles);
    if (!m->corner || (m->vertices && !m->point))
        return imp_fail(IMP_ERR_ARGUMENT, "imp_pcs_create: mesh %u: %s is NULL", number,
                        m->corner ? "point" : "corner");
    const int err = imp_pcs_points_check(m, number);
    return err ? err : check_corners(m, number);
}

static int imp_pcs_def_check(const imp_pcs_def *d)
{
    int err = IMP_OK;
    if (!(d->epsilon > 0) || !(d->epsilon <= DBL_MAX))
        FAIL(IMP_ERR_ARGUMENT, "imp_pcs_create: epsilon is %g, not finite and above 0", d->epsilon);
    if (d->threads < 0)
        FAIL(IMP_ERR_ARGUMENT, "imp_pcs_create: %d threads", d->threads);
    if ((d->meshes && !d->mesh) || (d->bodies && !d->body))
        FAIL(IMP_ERR_ARGUMENT, "imp_pcs_create: %s is NULL",
             d->meshes && !d->mesh ? "mesh" : "body");
    for (uint32_t i = 0; i < d->meshes; i++)
        TRY(imp_pcs_mesh_check(&d->mesh[i], i));
    for (uint32_t i = 0; i < d->bodies; i++)
        if (d->body[i].mesh >= d->meshes)
            FAIL(IMP_ERR_ARGUMENT, "imp_pcs_create: body %u has mesh %u, but there are %u", i,
                 d->body[i].mesh, d->meshes);
out:
    return err;
}

/* ---- create and destroy */

static int imp_pcs_make_shapes(imp_pcs *p, const imp_pcs_def *d)
{
    int err = IMP_OK;
    TRY(mem_alloc(&p->mem, d->meshes * sizeof(shape *), &p->shape));
    for (; p->shapes < d->meshes; p->shapes++) {
        const imp_pcs_mesh *m = &d->mesh[p->shapes];
        const shape_def def = {.points = m->point,
                               .vertices = m->vertices,
                               .corner = m->corner,
                               .triangles = m->triangles};
        TRY(shape_make(&p->mem, &def, &p->shape[p->shapes]));
    }
out:
    return err;
}

static int imp_pcs_make_bodies(imp_pcs *p, const imp_pcs_def *d)
{
    int err = IMP_OK;
    TRY(mem_alloc(&p->mem, d->bodies * sizeof *p->body, &p->body));
    TRY(mem_alloc(&p->mem, d->bodies * sizeof *p->pose, &p->pose));
    for (uint32_t i = 0; i < d->bodies; i++)
        p->body[i] = (pcs_body){.shape = p->shape[d->body[i].mesh], .fixed = d->body[i].fixed != 0};
    p->bodies = d->bodies;
out:
    return err;
}

static int open_loop(imp_pcs *p, const imp_pcs_def *d)
{
    const pcs_def def = {.mem = &p->mem,
                         .step = 1, /* each step sets its own */
                         .epsilon = d->epsilon,
                         .device = d->device,
                         .threads = d->threads,
                         .bodies = d->bodies,
                         .cancel = &p->cancel};
    return pcs_open(&def, &p->loop);
}

int imp_pcs_create(const imp_pcs_def *def, imp_pcs **out)
{
    int err = IMP_OK;
    imp_pcs *p = NULL;
    const float_entry entry = float_enter();
    if (!out)
        FAIL(IMP_ERR_ARGUMENT, "imp_pcs_create: out is NULL");
    *out = NULL;
    if (!def)
        FAIL(IMP_ERR_ARGUMENT, "imp_pcs_create: def is NULL");
    TRY(imp_pcs_def_check(def));
    p = calloc(1, sizeof *p); /* not from p->mem, which is a part of it */
    if (!p)
        FAIL(IMP_ERR_MEMORY, "out of memory");
    p->mem.limit = def->mem_limit ? def->mem_limit : mem_machine() / BUDGET_MACHINE_SHARE;
    TRY(imp_pcs_make_shapes(p, def));
    TRY(imp_pcs_make_bodies(p, def));
    TRY(open_loop(p, def));
    *out = p;
    p = NULL;
out:
    imp_pcs_destroy(p); /* NULL where all went well */
    float_leave(entry);
    return err;
}

void imp_pcs_destroy(imp_pcs *p)
{
    if (!p)
        return;
    pcs_close(p->loop);
    for (uint32_t i = 0; i < p->shapes; i++)
        shape_free(&p->mem, p->shape[i]);
    mem_free(&p->mem, p->shape);
    mem_free(&p->mem, p->body);
    mem_free(&p->mem, p->pose);
    mem_close(&p->mem);
    free(p);
}
