/* See blocks.h. */
#include "blocks.h"

#include "budget.h"
#include "engine.h"

/* Bytes that a frame takes on the way, all buffers together: points as given and scaled, corners,
 * bounds, hash table, a few candidates for each primitive. A step takes that of its start, too. */
static uint64_t block_frame_bytes(const context *c, uint64_t verts, uint64_t prims)
{
    const uint64_t per_frame =
        BUDGET_BLOCK_FRAME + BUDGET_BLOCK_VERTEX * verts + BUDGET_BLOCK_PRIM * prims;
    const uint64_t vertex =
        BUDGET_STEP_VERTEX + (c->dev64->groups ? (uint64_t)BUDGET_STEP_SPAN : 0);
    return !c->opt.continuous
               ? per_frame
               : per_frame + BUDGET_BLOCK_FRAME + vertex * verts + BUDGET_STEP_PRIM * prims;
}

/* Primitives, and half the vertices, of a block. Where launches cost something: enough to fill a
 * device. On the host: no more than its caches hold, since its launches cost nearly nothing.
 * Methods with trees of bodies have one number for any number of threads, since their counts depend
 * on it. asked: frames that the caller wants in a block, which it gets. */
static uint64_t block_most(const context *c, const broad *b, uint32_t asked)
{
    uint64_t few = (uint64_t)c->dev->threads * BUDGET_BLOCK_THREAD;
    if (b->requested && b->requested->posing)
        few = b->requested->posing->block;
    if (c->dev->large)
        return BUDGET_BLOCK_GPU;
    return !c->dev->queued && !asked && few < BUDGET_BLOCK_PRIMS ? few : BUDGET_BLOCK_PRIMS;
}

/* Frames that are larger than any that a call takes have sizes whose sums would overflow. */
size_t imp_block_frames(const imp *p, uint64_t vertices, uint64_t primitives)
{
    if (!p || vertices > UINT32_MAX || primitives > UINT32_MAX)
        return 1;
    uint64_t n = block_most(&p->context, &p->workspace.broad, p->def.block) /
                 (primitives + vertices / 2 + 1);
    uint64_t fit =
        p->mem.limit / BUDGET_BLOCK_SHARE / block_frame_bytes(&p->context, vertices, primitives);
    n = n < fit ? n : fit;
    if (p->def.block && n > p->def.block)
        n = p->def.block;
    return n > 1 ? (size_t)n : 1;
}

/* All points of an instant go to kernels in the one type that they have. The second instant of a
 * step is the next frame. */
static int other_type(const context *c, const imp_frame *first, const imp_frame *next)
{
    return next->type != first->type || (c->opt.continuous && next[1].type != first[1].type);
}

size_t scheduler_block_length(const context *c, const broad *b, uint32_t most,
                              const imp_frame *frame, size_t count)
{
    const broad_posing *posing = b->requested ? b->requested->posing : NULL;
    uint64_t load = 0, bytes = 0;
    size_t n = 0;
    if (c->opt.update == IMP_UPDATE_KEEP && !c->dev->groups) /* or none is kept: keep.c */
        most = 1;
    for (; n < count && (!most || n < most); n++) {
        const imp_mesh *mesh = frame[n].mesh;
        load += mesh->primitives + mesh->vertices / 2 + 1;
        bytes += block_frame_bytes(c, mesh->vertices, mesh->primitives);
        if (n && (load > block_most(c, b, most) || bytes > c->mem->limit / BUDGET_BLOCK_SHARE))
            break;
        if (n && mesh_corners(mesh) != mesh_corners(frame[0].mesh))
            break; /* so that contacts have the same bits, with any frames in the block */
        if (n && other_type(c, frame, frame + n))
            break;
        if (n && posing && (frame->pose || frame[n].pose))
            break;
    }
    return n;
}
