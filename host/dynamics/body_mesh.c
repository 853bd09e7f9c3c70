/* See body_mesh.h. */
#include "body_mesh.h"

#include "error.h"

#include <string.h>

static int alloc(const world *w, body_mesh *m)
{
    int err = IMP_OK;
    const size_t numbers = (size_t)3 * (size_t)w->vertices;
    TRY(mem_alloc(m->mem, (size_t)3 * (size_t)w->cells * sizeof *m->corner, &m->corner));
    TRY(mem_alloc(m->mem, (size_t)w->cells * sizeof *m->object, &m->object));
    TRY(mem_alloc(m->mem, numbers * sizeof *m->rest, &m->rest));
    TRY(mem_alloc(m->mem, numbers * sizeof *m->point, &m->point));
    TRY(mem_alloc(m->mem, w->bodies * sizeof *m->pose, &m->pose));
out:
    return err;
}

static void fill_body(const world *w, uint32_t body, body_mesh *m)
{
    const geom *s = w->geom[w->of[body]];
    const uint32_t *cell = w->cell + w->cell0[body], *vertex = w->vertex + w->vertex0[body];
    for (uint32_t t = 0; t < s->triangles; t++) {
        m->object[cell[t]] = w->object[body];
        for (size_t k = 0; k < 3; k++)
            m->corner[(size_t)3 * cell[t] + k] = vertex[s->corner[(size_t)3 * t + k]];
    }
    for (uint32_t i = 0; i < s->vertices; i++)
        memcpy(m->rest + (size_t)3 * vertex[i], s->point + (size_t)3 * i, 3 * sizeof *m->rest);
}

int body_mesh_make(const world *w, body_mesh *out)
{
    int err = IMP_OK;
    const size_t numbers = (size_t)3 * (size_t)w->vertices;
    out->w = w;
    TRY(alloc(w, out));
    memset(out->rest, 0, numbers * sizeof *out->rest);
    if (w->point)
        memcpy(out->point, w->point, numbers * sizeof *out->point);
    for (uint32_t i = 0; i < w->bodies; i++)
        fill_body(w, i, out);
    out->mesh = (imp_mesh){.vertices = (uint32_t)w->vertices,
                           .primitives = (uint32_t)w->cells,
                           .corners = IMP_TRIANGLES,
                           .corner = out->corner,
                           .object = out->object,
                           .bodies = w->bodies,
                           .body = w->object,
                           .rest = out->rest};
out:
    return err;
}

void body_mesh_free(body_mesh *m)
{
    if (!m->mem)
        return;
    mem_free(m->mem, m->corner);
    mem_free(m->mem, m->object);
    mem_free(m->mem, m->rest);
    mem_free(m->mem, m->point);
    mem_free(m->mem, m->pose);
}

void body_mesh_pose(body_mesh *m, const pcs_body *body)
{
    const world *w = m->w;
    for (uint32_t i = 0; i < w->bodies; i++) {
        m->pose[i] = pcs_pose_of(&body[i]);
        const pose_map map = pose_map_of(&m->pose[i]);
        for (uint32_t k = w->vertex0[i]; k < w->vertex0[i + 1]; k++) {
            const size_t v = w->vertex[k];
            pose_put(&map, m->rest + 3 * v, m->point + 3 * v);
        }
    }
}
