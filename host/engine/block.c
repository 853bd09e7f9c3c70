/* Frames that go through the rooms together. */
#include "engine.h"

#include "error.h"

/* Lays the block's arrays out in one allocation. */
static int block_arrays(mem *m, block *b)
{
    size_t n = b->frames;
    int err = mem_alloc(m, (3 * n + 2) * sizeof(uint32_t), &b->memory);
    if (err)
        return err;
    b->prim0 = b->memory;
    b->vert0 = b->prim0 + n + 1;
    b->mesh0 = b->vert0 + n + 1;
    return IMP_OK;
}

int block_open(mem *m, const imp_frame *frame, size_t count, block *b)
{
    int err = IMP_OK;
    uint64_t prims = 0, verts = 0, meshes = 0;
    *b = (block){.frame = frame, .frames = (uint32_t)count, .corners = IMP_TRIANGLES};
    TRY(block_arrays(m, b));
    for (size_t f = 0; f < count; f++) {
        const imp_mesh *mesh = frame[f].mesh;
        int again = f > 0 && frame[f - 1].mesh == mesh;
        b->prim0[f] = (uint32_t)prims;
        b->vert0[f] = (uint32_t)verts;
        b->mesh0[f] = again ? b->mesh0[f - 1] : (uint32_t)meshes;
        b->corners = mesh_corners(mesh) > b->corners ? mesh_corners(mesh) : b->corners;
        prims += mesh->primitives;
        verts += mesh->vertices;
        meshes += again ? 0 : mesh->primitives;
    }
    /* both fit: of one frame frames_check has seen to it, of several block_length */
    b->prim0[count] = b->prims = (uint32_t)prims;
    b->vert0[count] = b->verts = (uint32_t)verts;
    b->mesh_prims = (uint32_t)meshes;
out:
    return err;
}

void block_close(mem *m, block *b)
{
    mem_free(m, b->memory);
    *b = (block){0};
}
