/* imp_weld of impinge_weld.h. */
#include "weld_edges.h"
#include "weld_near.h"
#include "weld_check.h"

#include "error.h"
#include "float_env.h"

#include <float.h>
#include <string.h>

/* ---- what the caller hands over */

static int weld_check_mesh(const imp_mesh *m)
{
    int err = IMP_OK;
    const uint32_t corners = mesh_corners(m);
    if (m->corners < 0 || corners > IMP_TETRAHEDRA ||
        (m->corner_count && corners != IMP_TETRAHEDRA))
        FAIL(IMP_ERR_ARGUMENT, "imp_weld: primitives of %d corners", m->corners);
    if (m->primitives && !m->corner)
        FAIL(IMP_ERR_ARGUMENT, "imp_weld: corner is NULL, but there are to be %u primitives",
             m->primitives);
    for (size_t p = 0; p < m->primitives; p++) {
        const uint32_t corner_count = mesh_corners_of(m, p);
        if (m->corner_count && corner_count != IMP_TRIANGLES && corner_count != IMP_TETRAHEDRA)
            FAIL(IMP_ERR_ARGUMENT, "imp_weld: primitive %zu has %u corners, 3 or 4 are possible", p,
                 corner_count);
        for (uint32_t k = 0; k < corner_count; k++)
            if (mesh_vertex(m, p, k) >= m->vertices)
                FAIL(IMP_ERR_ARGUMENT,
                     "imp_weld: corner %u of %s %zu is vertex %u, but there are %u", k,
                     mesh_kind_name(m, p), p, mesh_vertex(m, p, k), m->vertices);
    }
out:
    return err;
}

int weld_check(const imp_frame *frames, size_t count)
{
    int err = IMP_OK;
    if (!frames || !count)
        FAIL(IMP_ERR_ARGUMENT, "imp_weld: there is no frame");
    for (size_t i = 0; i < count; i++) {
        const imp_frame *f = &frames[i];
        if (!f->mesh || f->mesh != frames->mesh)
            FAIL(IMP_ERR_ARGUMENT, "imp_weld: all frames must have one mesh");
        if (f->type != IMP_FLOAT64 && f->type != IMP_FLOAT32)
            FAIL(IMP_ERR_ARGUMENT, "imp_weld: there is no type %d of points", f->type);
        if (f->mesh->vertices && !f->point)
            FAIL(IMP_ERR_ARGUMENT, "imp_weld: point is NULL, but there are to be %u vertices",
                 f->mesh->vertices);
    }
    TRY(weld_check_mesh(frames->mesh));
out:
    return err;
}

/* ---- counts */

/* Vertices of sets of several are marked, then the primitives that have one. */
static int weld_count(const welding *w, imp_weld_info *info)
{
    int err = IMP_OK;
    uint8_t *joined = NULL;
    TRY(mem_alloc(w->mem, w->mesh->vertices, &joined));
    memset(joined, 0, w->mesh->vertices);
    for (uint32_t v = 0; v < w->mesh->vertices; v++)
        if (w->map[v] != v) {
            joined[v] = joined[w->map[v]] = 1;
            info->merged++;
        }
    for (size_t p = 0; p < w->mesh->primitives; p++) {
        int any = 0;
        for (uint32_t k = 0; k < mesh_corners_of(w->mesh, p); k++)
            any |= joined[mesh_vertex(w->mesh, p, k)];
        info->joined += (uint32_t)any;
    }
out:
    mem_free(w->mem, joined);
    return err;
}

/* ---- the function */

int imp_weld(const imp_frame *frames, size_t count, double tolerance, uint32_t *map,
             imp_weld_info *info)
{
    int err = IMP_OK;
    mem m = {0};
    imp_weld_info found = {0};
    const float_entry entry = float_enter();
    if (!(tolerance >= 0 && tolerance <= DBL_MAX))
        FAIL(IMP_ERR_ARGUMENT, "weld: the tolerance %g is not finite, 0 or more", tolerance);
    TRY(weld_check(frames, count));
    if (!map && frames->mesh->vertices)
        FAIL(IMP_ERR_ARGUMENT, "imp_weld: map is NULL");
    welding w = {.mem = &m, .frame = frames, .frames = count, .mesh = frames->mesh, .map = map};
    TRY(tolerance > 0 ? weld_near(&w, tolerance) : weld_edges(&w, &found));
    for (uint32_t v = 0; v < w.mesh->vertices; v++)
        map[v] = welding_find(&w, v);
    TRY(weld_count(&w, &found));
    if (info)
        *info = found;
out:
    float_leave(entry);
    return err;
}
