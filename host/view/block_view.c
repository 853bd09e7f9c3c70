/* See block_view.h. */
#include "block_view.h"

#include "error.h"
#include "prim.h"

int context_allows(const context *c, int32_t i, int32_t j)
{
    const uint32_t rules = c->opt.rules;
    if (!(rules & (RULE_LIST_ONLY | RULE_LIST_NOT)))
        return 1;
    return object_listed(c->opt.list, c->opt.listed, object_pair(i, j)) ==
           !!(rules & RULE_LIST_ONLY);
}

/* Makes all arrays in one allocation, which block_view_close frees. */
static int block_view_arrays(mem *m, block_view *v)
{
    size_t n = v->frames;
    int err = mem_alloc(m, (3 * n + 2) * sizeof(uint32_t), &v->memory);
    if (err)
        return err;
    v->prim0 = v->memory;
    v->vert0 = v->prim0 + n + 1;
    v->mesh0 = v->vert0 + n + 1;
    return IMP_OK;
}

int block_view_open(mem *m, const imp_frame *frame, const imp_frame *to, size_t count,
                    block_view *v)
{
    int err = IMP_OK;
    uint64_t prims = 0, verts = 0, meshes = 0;
    *v =
        (block_view){.frame = frame, .to = to, .frames = (uint32_t)count, .corners = IMP_TRIANGLES};
    TRY(block_view_arrays(m, v));
    for (size_t f = 0; f < count; f++) {
        const imp_mesh *mesh = frame[f].mesh;
        /* Consecutive frames mostly share a mesh, whose topology is then needed once. */
        int again = f > 0 && frame[f - 1].mesh == mesh;
        v->prim0[f] = (uint32_t)prims;
        v->vert0[f] = (uint32_t)verts;
        v->mesh0[f] = again ? v->mesh0[f - 1] : (uint32_t)meshes;
        v->corners = mesh_corners(mesh) > v->corners ? mesh_corners(mesh) : v->corners;
        prims += mesh->primitives;
        verts += mesh->vertices;
        meshes += again ? 0 : mesh->primitives;
    }
    /* both fit: frames_check and scheduler_block_length ensure it */
    v->prim0[count] = v->prims = (uint32_t)prims;
    v->vert0[count] = v->verts = (uint32_t)verts;
    v->mesh_prims = (uint32_t)meshes;
out:
    return err;
}

void block_view_close(mem *m, block_view *v)
{
    mem_free(m, v->memory);
    *v = (block_view){0};
}

/* In a mesh of triangles and tetrahedra a triangle is marked by its repeated last corner: so no
 * tetrahedron may end with a repeated corner, unless it is a point. */
static void corners_mark(uint32_t corner[4])
{
    uint32_t last = corner[3];
    uint32_t *other = corner[0] != last ? &corner[0] : &corner[1];
    if (corner[2] != last)
        return;
    corner[3] = *other;
    *other = last;
}

void block_view_corners(const imp_mesh *m, uint32_t i, uint32_t corners, uint32_t *out)
{
    for (uint32_t k = 0; k < corners; k++)
        out[k] = mesh_vertex(m, i, k);
    if (m->corner_count && m->corner_count[i] == corners)
        corners_mark(out);
}
