/* See body_mesh.h. */
#include "body_mesh.h"

#include "error.h"

#include <string.h>

static const geom *geom_of(const world *w, uint32_t body)
{
    return w->geom[w->of[body]];
}

/* Sizes are summed in 64 bits before anything is allocated. */
static int count(const world *w, imp_mesh *m)
{
    uint64_t vertices = 0, triangles = 0;
    for (uint32_t i = 0; i < w->bodies; i++) {
        vertices += geom_of(w, i)->vertices;
        triangles += geom_of(w, i)->triangles;
    }
    if (triangles > INT32_MAX || vertices > INT32_MAX)
        return imp_fail(IMP_ERR_ARGUMENT, "%s: %u bodies have %llu triangles; that is too many",
                        w->entry.name, w->bodies, (unsigned long long)triangles);
    *m = (imp_mesh){.vertices = (uint32_t)vertices,
                    .primitives = (uint32_t)triangles,
                    .corners = IMP_TRIANGLES,
                    .bodies = w->bodies};
    return IMP_OK;
}

static int alloc(body_mesh *m)
{
    int err = IMP_OK;
    const imp_mesh *of = &m->mesh;
    const size_t numbers = (size_t)3 * of->vertices;
    TRY(mem_alloc(m->mem, (size_t)3 * of->primitives * sizeof *m->corner, &m->corner));
    TRY(mem_alloc(m->mem, of->primitives * sizeof *m->object, &m->object));
    TRY(mem_alloc(m->mem, of->bodies * sizeof *m->body, &m->body));
    TRY(mem_alloc(m->mem, numbers * sizeof *m->rest, &m->rest));
    TRY(mem_alloc(m->mem, numbers * sizeof *m->point, &m->point));
    TRY(mem_alloc(m->mem, of->bodies * sizeof *m->pose, &m->pose));
    TRY(mem_alloc(m->mem, of->bodies * sizeof *m->cell0, &m->cell0));
    TRY(mem_alloc(m->mem, of->bodies * sizeof *m->vertex0, &m->vertex0));
out:
    return err;
}

static void fill(const world *w, body_mesh *m)
{
    uint32_t vertex = 0, cell = 0;
    for (uint32_t i = 0; i < w->bodies; i++) {
        const geom *s = geom_of(w, i);
        m->body[i] = (int32_t)i;
        m->cell0[i] = cell;
        m->vertex0[i] = vertex;
        memcpy(m->rest + (size_t)3 * vertex, s->point, (size_t)3 * s->vertices * sizeof *s->point);
        for (uint32_t t = 0; t < s->triangles; t++, cell++) {
            m->object[cell] = (int32_t)i;
            for (size_t k = 0; k < 3; k++)
                m->corner[(size_t)3 * cell + k] = vertex + s->corner[(size_t)3 * t + k];
        }
        vertex += s->vertices;
    }
    m->mesh.corner = m->corner;
    m->mesh.object = m->object;
    m->mesh.body = m->body;
    m->mesh.rest = m->rest;
}

int body_mesh_make(const world *w, body_mesh *out)
{
    int err = IMP_OK;
    TRY(count(w, &out->mesh));
    TRY(alloc(out));
    fill(w, out);
out:
    return err;
}

void body_mesh_free(body_mesh *m)
{
    if (!m->mem)
        return;
    mem_free(m->mem, m->corner);
    mem_free(m->mem, m->object);
    mem_free(m->mem, m->body);
    mem_free(m->mem, m->rest);
    mem_free(m->mem, m->point);
    mem_free(m->mem, m->pose);
    mem_free(m->mem, m->cell0);
    mem_free(m->mem, m->vertex0);
}

void body_mesh_pose(body_mesh *m, const pcs_body *body)
{
    for (uint32_t i = 0; i < m->mesh.bodies; i++) {
        imp_pose *p = &m->pose[i];
        const uint32_t end = i + 1 < m->mesh.bodies ? m->vertex0[i + 1] : m->mesh.vertices;
        memcpy(p->centre, body[i].centre, sizeof p->centre);
        memcpy(p->rotation, body[i].rotation, sizeof p->rotation);
        memcpy(p->velocity, body[i].velocity, sizeof p->velocity);
        memcpy(p->spin, body[i].spin, sizeof p->spin);
        const pose_map map = pose_map_of(p);
        for (size_t v = m->vertex0[i]; v < end; v++)
            pose_put(&map, m->rest + 3 * v, m->point + 3 * v);
    }
}
