/* See solids_pack.h. The leaves of the tree's order are packed anew, with wider nodes, from the
 * leaves up.
 */
#include "solids_pack.h"

#include "error.h"
#include "float_env.h"
#include "inside_tree.h"

#include <string.h>

#define PACK_WORTH 64 /* triangles that are packed in the time of an exact answer */
#define PACK_QUEUED                                                                                \
    2048u             /* on a device with a driver, fewer queries are not worth the launches       \
                       */
#define PACK_QUERY 64 /* bytes of a query in the largest of its buffers, and more */

/* ---- the numbers of nodes and leaves */

/* The nodes above n nodes or triangles. */
static uint32_t pack_above(uint32_t n)
{
    return n / INSIDE_WIDTH + (n % INSIDE_WIDTH != 0);
}

static uint32_t pack_leaves_of(const solids *s, uint32_t place)
{
    const tree_node *n = &s->tree.node[s->root[place]];
    return pack_above(n->end - n->begin);
}

static int pack_takes(const solids *s, uint32_t place)
{
    const closed_object *o = &s->mesh.of[place];
    return o->closed && !o->tetrahedra;
}

/* An object's nodes are level by level, its leaves first; its root is the last one. */
static void pack_count(const solids *s, uint64_t *nodes, uint64_t *leaves)
{
    *nodes = *leaves = 0;
    for (uint32_t i = 0; i < s->mesh.count; i++) {
        uint32_t n = pack_takes(s, i) ? pack_leaves_of(s, i) : 0;
        *leaves += n;
        for (*nodes += n; n > 1; *nodes += n)
            n = pack_above(n);
    }
}

static int pack_fits(const device *d, uint64_t bytes)
{
    return !d->largest || bytes <= d->largest;
}

/* ---- boxes */

/* Devices may flush denormals of float32 to zero, so boxes have none. */
static float pack_below(float x)
{
    return x < 0x1p-100f && x > -0x1p-100f ? x < 0 ? -0x1p-100f : 0 : x;
}

static float *pack_slot(const solids_pack *p, uint64_t slot)
{
    return p->box + (size_t)INSIDE_NODE * (slot / INSIDE_WIDTH) + slot % INSIDE_WIDTH;
}

static void pack_join(float *slot, const float box[6])
{
    for (size_t k = 0; k < 3; k++) {
        float *lo = slot + INSIDE_WIDTH * k, *hi = slot + INSIDE_WIDTH * (3 + k);
        const float low = pack_below(box[k]), high = -pack_below(-box[3 + k]);
        *lo = low < *lo ? low : *lo;
        *hi = high > *hi ? high : *hi;
    }
}

/* The box around a node, whose own boxes are known. */
static void pack_around(const solids_pack *p, uint32_t node, float out[6])
{
    const float *box = p->box + (size_t)INSIDE_NODE * node;
    for (size_t k = 0; k < 3; k++) {
        out[k] = INSIDE_EMPTY;
        out[3 + k] = -INSIDE_EMPTY;
        for (size_t e = 0; e < INSIDE_WIDTH; e++) {
            const float lo = box[INSIDE_WIDTH * k + e], hi = box[INSIDE_WIDTH * (3 + k) + e];
            out[k] = lo < out[k] ? lo : out[k];
            out[3 + k] = hi > out[3 + k] ? hi : out[3 + k];
        }
    }
}

static void pack_clear(solids_pack *p)
{
    for (size_t node = 0; node < p->nodes; node++)
        for (size_t i = 0; i < (size_t)INSIDE_NODE; i++)
            p->box[(size_t)INSIDE_NODE * node + i] =
                i < INSIDE_NODE / 2 ? INSIDE_EMPTY : -INSIDE_EMPTY;
}

/* ---- leaves and nodes */

static void pack_triangle(const solids *s, uint32_t prim, double *to)
{
    const imp_frame *f = s->mesh.frame;
    for (uint32_t c = 0; c < 3; c++) {
        const size_t v = mesh_vertex(f->mesh, prim, c);
        for (size_t k = 0; k < 3; k++)
            to[(size_t)INSIDE_GROUP * ((size_t)3 * c + (size_t)k)] =
                frame_coordinate(f, v, k) * s->scale[0] * s->scale[1];
    }
}

/* Places without a triangle have one of NaN, which nothing meets. */
static void pack_leaf(const solids *s, uint32_t leaf, uint32_t item, uint32_t end, uint32_t node)
{
    const solids_pack *p = s->pack;
    uint32_t *prim = p->prim + (size_t)INSIDE_WIDTH * leaf;
    for (size_t e = 0; e < INSIDE_WIDTH; e++, item++) {
        const size_t group = (size_t)INSIDE_WIDTH / INSIDE_GROUP * leaf + e / INSIDE_GROUP;
        double *to = p->position + (size_t)INSIDE_CORNERS * group + e % INSIDE_GROUP;
        prim[e] = item < end ? s->tree.item[item].prim : CLOSED_NONE;
        if (item < end) {
            pack_triangle(s, prim[e], to);
            pack_join(pack_slot(p, (uint64_t)INSIDE_WIDTH * node + e), s->tree.item[item].box);
        } else {
            for (size_t k = 0; k < 9; k++)
                to[INSIDE_GROUP * k] = NAN;
        }
    }
    p->below[node] = INSIDE_LEAF | leaf;
}

/* The nodes of an object, whose leaves begin at leaf0; *node: the first one, then that after the
 * last. */
static void pack_object(const solids *s, uint32_t place, uint32_t leaf0, uint32_t *node)
{
    const solids_pack *p = s->pack;
    const tree_node *n = &s->tree.node[s->root[place]];
    uint32_t level = *node, count = pack_leaves_of(s, place);
#pragma omp parallel num_threads(s->threads) if (count > 1024)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(static)
    for (int64_t i = 0; i < (int64_t)count; i++)
        pack_leaf(s, leaf0 + (uint32_t)i, n->begin + INSIDE_WIDTH * (uint32_t)i, n->end,
                  level + (uint32_t)i);
    while (count > 1) {
        const uint32_t above = level + count, more = pack_above(count);
        for (uint32_t i = 0; i < count; i++) {
            float box[6];
            pack_around(p, level + i, box);
            pack_join(pack_slot(p, (uint64_t)INSIDE_WIDTH * above + i), box);
        }
        for (uint32_t i = 0; i < more; i++)
            p->below[above + i] = level + INSIDE_WIDTH * i;
        level = above;
        count = more;
    }
    *node = level + 1;
}

static void pack_objects(const solids *s)
{
    const solids_pack *p = s->pack;
    uint32_t leaf = 0, node = 0;
    for (uint32_t i = 0; i < s->mesh.count; i++) {
        p->root[i] = INSIDE_NONE;
        if (!pack_takes(s, i))
            continue;
        pack_object(s, i, leaf, &node);
        leaf += pack_leaves_of(s, i);
        p->root[i] = node - 1;
    }
}

/* ---- all */

static int pack_make(const solids *s)
{
    int err = IMP_OK;
    solids_pack *p = s->pack;
    const size_t nodes = p->nodes, leaves = p->leaves;
    TRY(mem_alloc(s->mem, s->mesh.count * sizeof *p->root, &p->root));
    TRY(mem_alloc(s->mem, INSIDE_WIDTH * leaves * sizeof *p->prim, &p->prim));
    TRY(mem_alloc(s->mem, (size_t)INSIDE_NODE * nodes * sizeof *p->box, &p->box));
    TRY(mem_alloc(s->mem, nodes * sizeof *p->below, &p->below));
    TRY(mem_alloc(s->mem, (size_t)9 * INSIDE_WIDTH * leaves * sizeof *p->position, &p->position));
    memcpy(p->middle, s->centre, sizeof p->middle);
    pack_clear(p);
    pack_objects(s);
    TRY(buffer_wrap(s->pack->dev, &p->node, p->box, (size_t)INSIDE_NODE * nodes));
    TRY(buffer_wrap(s->pack->dev, &p->child, p->below, nodes));
    TRY(buffer_wrap(s->pack->dev, &p->corner, p->position, (size_t)9 * INSIDE_WIDTH * leaves));
    TRY(buffer_wrap(s->pack->dev, &p->centre, p->middle, 3));
    p->state = PACK_MADE;
out:
    return err;
}

static void pack_drop(const solids *s)
{
    solids_pack *p = s->pack;
    buffer *all[] = {&p->node.raw, &p->child.raw, &p->corner.raw, &p->centre.raw, &p->x.raw,
                     &p->from.raw, &p->way.raw,   &p->count.raw,  &p->face.raw,   &p->winding.raw};
    void *lists[] = {p->root, p->prim, p->box, p->below, p->position};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        bytes_free(s->pack->dev, all[i]);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        mem_free(s->mem, lists[i]);
    *p = (solids_pack){.dev = p->dev};
}

void solids_pack_free(const solids *s)
{
    if (s->pack)
        pack_drop(s);
}

/* Whether the device's buffers can hold it; sets the numbers. */
static int pack_room(const solids *s, solids_pack *p)
{
    const device *d = s->pack->dev;
    uint64_t nodes, leaves;
    pack_count(s, &nodes, &leaves);
    p->nodes = (uint32_t)nodes;
    p->leaves = (uint32_t)leaves;
    p->batch = PACK_BATCH;
    while (p->batch > 1 && !pack_fits(d, (uint64_t)PACK_QUERY * p->batch))
        p->batch /= 2;
    return nodes > 0 && nodes < INSIDE_LEAF &&
           pack_fits(d, nodes * (size_t)INSIDE_NODE * sizeof(float)) &&
           pack_fits(d, leaves * 9 * INSIDE_WIDTH * sizeof(double));
}

int solids_pack_ready(const solids *s, size_t queries, int *made)
{
    int err = IMP_OK;
    solids_pack *p = s->pack;
    *made = 0;
    if (!p || (p->dev->queued && queries < PACK_QUEUED))
        return IMP_OK;
    p->asked += queries;
    if (p->state == PACK_NONE && p->asked * PACK_WORTH >= s->tree.items) {
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
