/* The bodies of a world as one mesh: world_mesh of world.h. */
#include "world.h"

#include "error.h"

/* Sizes are summed in 64 bits before anything is allocated. */
static int world_mesh_count(world *w)
{
    w->cells = w->vertices = 0;
    for (uint32_t i = 0; i < w->bodies; i++) {
        w->vertices += w->geom[w->of[i]]->vertices;
        w->cells += w->geom[w->of[i]]->triangles;
    }
    if (w->cells > INT32_MAX || w->vertices > INT32_MAX)
        return imp_fail(IMP_ERR_ARGUMENT, "%s: %u bodies have %llu triangles; that is too many",
                        w->name, w->bodies, (unsigned long long)w->cells);
    return IMP_OK;
}

int world_mesh(world *w)
{
    int err = IMP_OK;
    TRY(world_mesh_count(w));
    TRY(mem_alloc(w->mem, (size_t)w->cells * sizeof *w->cell, &w->cell));
    TRY(mem_alloc(w->mem, (size_t)w->vertices * sizeof *w->vertex, &w->vertex));
    for (uint32_t i = 0; i < w->bodies; i++) {
        w->cell0[i + 1] = w->cell0[i] + w->geom[w->of[i]]->triangles;
        w->vertex0[i + 1] = w->vertex0[i] + w->geom[w->of[i]]->vertices;
    }
    for (uint32_t i = 0; i < w->cells; i++)
        w->cell[i] = i;
    for (uint32_t i = 0; i < w->vertices; i++)
        w->vertex[i] = i;
out:
    return err;
}
