/* See solids_pack.h. */
#include "solids_pack.h"

#include "error.h"
#include "float_env.h"

#include <math.h>

#define PACK_WORTH 64 /* triangles that are packed in the time of an exact answer */
#define PACK_QUERY 64 /* at least the bytes of a query in the largest of its buffers */
/* On a device with a driver fewer queries are not worth the launches. */
#define PACK_QUEUED 2048u

static int pack_fits(const device *d, uint64_t bytes)
{
    return !d->largest || bytes <= d->largest;
}

static void pack_triangle(const solids *s, uint32_t prim, double *to)
{
    const imp_mesh *m = s->mesh.frame->mesh;
    for (uint32_t c = 0; c < 3; c++) {
        const double *x = s->x + 3 * (size_t)mesh_vertex(m, prim, c);
        for (size_t k = 0; k < 3; k++)
            to[(size_t)INSIDE_GROUP * ((size_t)3 * c + k)] = x[k];
    }
}

/* Places without a triangle have one of NaN, which nothing meets. */
static void pack_leaf(const solids *s, uint32_t leaf)
{
    const uint32_t *prim = s->tree->prim + (size_t)INSIDE_WIDTH * leaf;
    for (size_t e = 0; e < INSIDE_WIDTH; e++) {
        const size_t group = (size_t)INSIDE_WIDTH / INSIDE_GROUP * leaf + e / INSIDE_GROUP;
        double *to = s->pack->position + (size_t)INSIDE_CORNERS * group + e % INSIDE_GROUP;
        if (prim[e] != CLOSED_NONE)
            pack_triangle(s, prim[e], to);
        else
            for (size_t k = 0; k < 9; k++)
                to[INSIDE_GROUP * k] = NAN;
    }
}

static int pack_make(const solids *s)
{
    int err = IMP_OK;
    const solids_tree *t = s->tree;
    solids_pack *p = s->pack;
    const size_t positions = (size_t)9 * INSIDE_WIDTH * t->plain;
    TRY(mem_alloc(s->mem, positions * sizeof *p->position, &p->position));
#pragma omp parallel num_threads(s->threads) if (t->plain > 1024)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(static)
    for (int64_t i = 0; i < (int64_t)t->plain; i++)
        pack_leaf(s, (uint32_t)i);
    TRY(buffer_wrap(p->dev, &p->node, t->box, (size_t)INSIDE_NODE * t->nodes));
    TRY(buffer_wrap(p->dev, &p->child, t->below, t->nodes));
    TRY(buffer_wrap(p->dev, &p->corner, p->position, positions));
    TRY(buffer_wrap(p->dev, &p->centre, s->centre, 3));
    p->state = PACK_MADE;
out:
    return err;
}

static void pack_drop(const solids *s)
{
    solids_pack *p = s->pack;
    buffer *all[] = {&p->node.raw, &p->child.raw, &p->corner.raw, &p->centre.raw, &p->x.raw,
                     &p->from.raw, &p->way.raw,   &p->count.raw,  &p->face.raw,   &p->winding.raw};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        bytes_free(s->pack->dev, all[i]);
    mem_free(s->mem, p->position);
    *p = (solids_pack){.dev = p->dev};
}

void solids_pack_free(const solids *s)
{
    if (s->pack)
        pack_drop(s);
}

/* Whether the device's buffers can hold it; sets the batch. */
static int pack_room(const solids *s, solids_pack *p)
{
    const device *d = s->pack->dev;
    const solids_tree *t = s->tree;
    p->batch = PACK_BATCH;
    while (p->batch > 1 && !pack_fits(d, (uint64_t)PACK_QUERY * p->batch))
        p->batch /= 2;
    return t->plain > 0 && t->nodes < INSIDE_LEAF &&
           pack_fits(d, (uint64_t)INSIDE_NODE * t->nodes * sizeof(float)) &&
           pack_fits(d, (uint64_t)t->plain * 9 * INSIDE_WIDTH * sizeof(double));
}

int solids_pack_ready(const solids *s, size_t queries, int *made)
{
    int err = IMP_OK;
    solids_pack *p = s->pack;
    *made = 0;
    if (!p || (p->dev->queued && queries < PACK_QUEUED))
        return IMP_OK;
    p->asked += queries;
    if (p->state == PACK_NONE && p->asked * PACK_WORTH >= s->tree->items) {
        err = pack_room(s, p) ? pack_make(s) : IMP_ERR_MEMORY;
        /* without it nothing is missing but speed */
        if (err)
            pack_drop(s);
        if (err == IMP_ERR_MEMORY) {
            p->state = PACK_TOO_LARGE;
            err = IMP_OK;
        }
    }
    *made = p->state == PACK_MADE;
    return err;
}
