/* Frames that go through the rooms together. */
#include "walk.h"

#include "budget.h"
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
    /* both fit: of one frame frames_check has seen to it, of several walk_length */
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

/* ---- how many go together */

/* Bytes that a frame takes on the way, all buffers together: points as given and scaled, corners,
 * bounds, hash table, a few candidates for each primitive. */
static uint64_t frame_bytes(uint64_t verts, uint64_t prims)
{
    return BUDGET_BLOCK_FRAME + BUDGET_BLOCK_VERTEX * verts + BUDGET_BLOCK_PRIM * prims;
}

/* Primitives, and half the vertices, of a block: where launches cost something as many as fill a
 * device; on the host no more than its caches hold, since launches there cost next to nothing, and
 * of trees as many for any number of threads, as what they count depends on it. Who says how many
 * frames gets them. */
static uint64_t block_most(const context *c, uint32_t asked)
{
    uint64_t few =
        c->opt.trees ? BUDGET_BLOCK_TREES : (uint64_t)c->dev->threads * BUDGET_BLOCK_THREAD;
    return !c->dev->queued && !asked && few < BUDGET_BLOCK_PRIMS ? few : BUDGET_BLOCK_PRIMS;
}

size_t imp_block_frames(const imp *p, uint64_t vertices, uint64_t triangles)
{
    uint64_t n = block_most(&p->context, p->def.block) / (triangles + vertices / 2 + 1);
    uint64_t fit = p->mem.limit / BUDGET_BLOCK_SHARE / frame_bytes(vertices, triangles);
    n = n < fit ? n : fit;
    if (p->def.block && n > p->def.block)
        n = p->def.block;
    return n > 1 ? (size_t)n : 1;
}

/* Do trees choose a level by what is in a block? Then that is a frame, so that candidates are the
 * same however frames are blocked. */
static int level_by_frame(const context *c)
{
    const tree_def *t = &c->opt.tree;
    return t->volume == IMP_VOLUME_HYBRID && !t->hybrid_level;
}

size_t walk_length(const context *c, uint32_t most, const imp_frame *frame, size_t count)
{
    uint64_t load = 0, bytes = 0;
    size_t n = 0;
    if (c->opt.update == IMP_UPDATE_KEEP)
        most = 1;
    for (; n < count && (!most || n < most); n++) {
        const imp_mesh *mesh = frame[n].mesh;
        load += mesh->primitives + mesh->vertices / 2 + 1;
        bytes += frame_bytes(mesh->vertices, mesh->primitives);
        if (n && (load > block_most(c, most) || bytes > c->mem->limit / BUDGET_BLOCK_SHARE))
            break;
        if (n && mesh_corners(mesh) != mesh_corners(frame[0].mesh))
            break; /* contacts are the same to the last bit, whoever is beside */
        if (n && c->opt.trees && (frame[n].pose || frame[0].pose || level_by_frame(c)))
            break; /* trees of rigid bodies go from frame to frame */
    }
    return n;
}
