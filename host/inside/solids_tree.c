/* See solids_tree.h. Primitives are packed in the order of a Hilbert curve: Kamel and Faloutsos,
 * *On packing R-trees*, 1993. Most meshes list neighbours one after another: then groups of them
 * are sorted. */
#include "solids_tree.h"

#include "error.h"
#include "float_env.h"
#include "hilbert.h"
#include "prim.h"
#include "tree.h"

#include <string.h>

#define TREE_GROUP 4    /* neighbours that stay together; divides INSIDE_WIDTH */
#define TREE_WORTH 8    /* primitives of a query, for which the order within leaves is worth it */
#define TREE_FEW 4096   /* primitives of an object that is not worth several threads */
#define TREE_SAMPLE 256 /* about so many groups tell whether they are neighbours */

/* The box of a primitive, padded. */
typedef struct tree_box {
    float lo[4], hi[4];
} tree_box;

/* An object to be packed. */
typedef struct tree_part {
    const closed_object *of;
    const float *box;
    uint32_t place, item0, node0, leaf0; /* its first item, node and leaf */
} tree_part;

typedef struct packing {
    const solids_tree_source *from;
    solids_tree *to;
    tree_part *part; /* [parts] */
    uint32_t parts;
    tree_box *box;         /* [items] */
    tree_key *key, *other; /* [items] */
    tree_box *around;      /* [leaves] */
    float *unit;           /* [4 * vertices] */
} packing;

/* ---- the numbers of nodes and leaves */

/* The nodes above n nodes or places. */
static uint32_t tree_above(uint32_t n)
{
    return n / INSIDE_WIDTH + (n % INSIDE_WIDTH != 0);
}

static uint32_t part_items(const tree_part *o)
{
    return o->of->last - o->of->first;
}

static uint32_t part_leaves(const tree_part *o)
{
    return tree_above(part_items(o));
}

static uint64_t part_nodes(const tree_part *o)
{
    uint32_t n = part_leaves(o);
    uint64_t nodes = n;
    for (; n > 1; nodes += n)
        n = tree_above(n);
    return nodes;
}

/* Lists the closed objects with tetrahedra, or those without. */
static void packing_list(packing *p, int tetrahedra, uint64_t *nodes)
{
    const closed_mesh *c = p->from->mesh;
    solids_tree *t = p->to;
    for (uint32_t i = 0; i < c->count; i++) {
        const closed_object *o = &c->of[i];
        tree_part part = {o,        p->from->box + (size_t)6 * i, i, t->items, (uint32_t)*nodes,
                          t->leaves};
        if (!o->closed || o->tetrahedra != tetrahedra)
            continue;
        t->items += part_items(&part);
        t->leaves += part_leaves(&part);
        *nodes += part_nodes(&part);
        t->root[i] = (uint32_t)*nodes - 1;
        p->part[p->parts++] = part;
    }
}

static int packing_open(packing *p)
{
    int err = IMP_OK;
    mem *m = p->from->mem;
    solids_tree *t = p->to;
    const uint32_t count = p->from->mesh->count;
    uint64_t nodes = 0;
    TRY(mem_alloc(m, count * sizeof *t->root, &t->root));
    memset(t->root, 0xff, count * sizeof *t->root);
    TRY(mem_alloc(m, count * sizeof *p->part, &p->part));
    packing_list(p, 0, &nodes);
    t->plain = t->leaves;
    packing_list(p, 1, &nodes);
    t->nodes = (uint32_t)nodes;
    TRY(mem_alloc(m, (size_t)INSIDE_WIDTH * t->leaves * sizeof *t->prim, &t->prim));
    TRY(mem_alloc(m, (size_t)INSIDE_NODE * t->nodes * sizeof *t->box, &t->box));
    TRY(mem_alloc(m, t->nodes * sizeof *t->below, &t->below));
    TRY(mem_alloc(m, t->items * sizeof *p->box, &p->box));
    TRY(mem_alloc(m, t->items * sizeof *p->key, &p->key));
    TRY(mem_alloc(m, t->items * sizeof *p->other, &p->other));
    TRY(mem_alloc(m, t->leaves * sizeof *p->around, &p->around));
    TRY(mem_alloc(m, (size_t)4 * p->from->mesh->frame->mesh->vertices * sizeof *p->unit, &p->unit));
out:
    return err;
}

static void packing_close(packing *p)
{
    mem *m = p->from->mem;
    mem_free(m, p->part);
    mem_free(m, p->box);
    mem_free(m, p->key);
    mem_free(m, p->other);
    mem_free(m, p->around);
    mem_free(m, p->unit);
}

/* ---- boxes */

static float tree_least(float a, float b)
{
    return b < a ? b : a;
}

static float tree_most(float a, float b)
{
    return b > a ? b : a;
}

/* Devices may flush denormals of float32 to zero, so boxes have none. */
static float tree_below(float x)
{
    const float least = x < 0 ? -0x1p-100f : 0;
    return ((x < 0x1p-100f) & (x > -0x1p-100f)) ? least : x;
}

static tree_box box_empty(void)
{
    tree_box b = {{0}, {0}};
    for (int k = 0; k < 3; k++) {
        b.lo[k] = INSIDE_EMPTY;
        b.hi[k] = -INSIDE_EMPTY;
    }
    return b;
}

static void box_join(tree_box *to, const tree_box *b)
{
#pragma omp simd
    for (int k = 0; k < 4; k++) {
        to->lo[k] = tree_least(to->lo[k], b->lo[k]);
        to->hi[k] = tree_most(to->hi[k], b->hi[k]);
    }
}

static void box_outward(tree_box *b)
{
#pragma omp simd
    for (int k = 0; k < 4; k++) {
        b->lo[k] = tree_below(b->lo[k]);
        b->hi[k] = -tree_below(-b->hi[k]);
    }
}

/* box: the least coordinates and the greatest */
static void box_of(const solids_tree_source *from, const double *box, tree_box *out)
{
    out->lo[3] = out->hi[3] = 0;
    for (int k = 0; k < 3; k++) {
        out->lo[k] = (float)(box[k] - from->middle[k]);
        out->hi[k] = (float)(box[3 + k] - from->middle[k]);
    }
    box_outward(out);
}

/* unit: [4 * vertices] relative to the middle, padded */
static void box_make(const imp_mesh *m, const float *unit, uint32_t prim, tree_box *out)
{
    const uint32_t *corner = m->corner + (size_t)mesh_corners(m) * prim,
                   n = mesh_corners_of(m, prim);
    const float *x = unit + (size_t)4 * corner[0];
    memcpy(out->lo, x, sizeof out->lo);
    memcpy(out->hi, x, sizeof out->hi);
    for (uint32_t c = 1; c < n; c++) {
        x = unit + (size_t)4 * corner[c];
#pragma omp simd
        for (int k = 0; k < 4; k++) {
            out->lo[k] = tree_least(out->lo[k], x[k]);
            out->hi[k] = tree_most(out->hi[k], x[k]);
        }
    }
    box_outward(out);
}

/* Rounding is monotone, so boxes of rounded coordinates are those of rounded boxes. */
static void packing_units(const packing *p)
{
    const solids_tree_source *from = p->from;
    const int64_t n = from->mesh->frame->mesh->vertices;
#pragma omp parallel num_threads(from->threads) if (n > TREE_FEW)
    EACH_IN_FLOAT_ENV
#pragma omp for
    for (int64_t v = 0; v < n; v++) {
        for (int k = 0; k < 3; k++)
            p->unit[4 * v + k] = (float)(from->x[3 * v + k] - from->middle[k]);
        p->unit[4 * v + 3] = 0;
    }
}

static float box_extent(const tree_box *b)
{
    return b->hi[0] - b->lo[0] + (b->hi[1] - b->lo[1]) + (b->hi[2] - b->lo[2]);
}

static tree_box box_around(const tree_box *box, uint32_t n)
{
    tree_box all = box[0];
    for (uint32_t i = 1; i < n; i++)
        box_join(&all, &box[i]);
    return all;
}

/* ---- the order of primitives */

/* Groups of items of an object that stay together, as the mesh has them. */
typedef struct tree_order {
    const tree_part *of;
    uint32_t group, groups; /* items of a group */
    tree_key *key;          /* [groups] sorted */
    const tree_box *box;    /* [items]; NULL: a group is a run */
} tree_order;

static tree_box order_item(const packing *p, const tree_order *s, uint32_t i)
{
    tree_box b;
    if (s->box)
        return s->box[i];
    box_make(p->from->mesh->frame->mesh, p->unit, p->from->mesh->prim[s->of->of->first + i], &b);
    return b;
}

/* The box of a group. */
static tree_box order_box(const packing *p, const tree_order *s, uint32_t g)
{
    const uint32_t first = s->group * g, left = part_items(s->of) - first;
    const solids_runs *runs = p->from->runs;
    tree_box all;
    if (s->box)
        return box_around(s->box + first, left < s->group ? left : s->group);
    box_of(p->from, runs->box + (size_t)6 * (runs->first[s->of->place] + g), &all);
    return all;
}

/* Whether items of a group are neighbours, which are not longer together than in a row. */
static int order_is_local(const packing *p, const tree_order *s)
{
    const uint32_t groups = part_items(s->of) / s->group, step = 1 + groups / TREE_SAMPLE;
    double single = 0, together = 0;
    for (uint32_t g = 0; g < groups; g += step) {
        const tree_box all = order_box(p, s, g);
        together += (double)box_extent(&all);
        for (uint32_t i = 0; i < s->group; i++) {
            const tree_box one = order_item(p, s, s->group * g + i);
            single += (double)box_extent(&one);
        }
    }
    return together <= single;
}

/* The cell of the middle of a box within that of its object. */
static uint32_t order_cell(const float *object, const tree_box *b)
{
    const float cells = (float)(1u << HILBERT_DIGITS);
    uint32_t at[3];
    for (int k = 0; k < 3; k++) {
        const float extent = object[3 + k] - object[k],
                    x = (b->lo[k] - object[k] + (b->hi[k] - object[k])) / 2;
        const float cell = extent > 0 ? x / extent * cells : 0;
        at[k] = cell > 0 ? cell < cells ? (uint32_t)cell : (uint32_t)cells - 1 : 0;
    }
    return hilbert_cell(at[0], at[1], at[2], HILBERT_DIGITS);
}

/* Positions on the curve of four groups from number g on, as far as there are some. */
static void order_keys(const packing *p, const tree_order *s, uint32_t g)
{
    uint32_t state[4] = {HILBERT_START, HILBERT_START, HILBERT_START, HILBERT_START};
    uint32_t cell[4] = {0}, position[4];
    for (uint32_t k = 0; k < 4 && g + k < s->groups; k++) {
        const tree_box all = order_box(p, s, g + k);
        cell[k] = order_cell(s->of->box, &all);
    }
    hilbert_positions4(state, cell, HILBERT_DIGITS, position);
    for (uint32_t k = 0; k < 4 && g + k < s->groups; k++)
        s->key[g + k] = (tree_key){position[k], g + k};
}

static void order_boxes(const packing *p, const tree_part *o, int threads)
{
    const uint32_t *prim = p->from->mesh->prim + o->of->first;
    tree_box *box = p->box + o->item0;
#pragma omp parallel num_threads(threads) if (threads > 1)
    EACH_IN_FLOAT_ENV
#pragma omp for
    for (int64_t i = 0; i < (int64_t)part_items(o); i++)
        box_make(p->from->mesh->frame->mesh, p->unit, prim[i], &box[i]);
}

/* Few queries do not repay the order within leaves. */
static void order_choose(const packing *p, const tree_part *o, int threads, tree_order *s)
{
    const uint32_t n = part_items(o);
    *s = (tree_order){.of = o, .group = INSIDE_WIDTH};
    if (p->from->queries >= n / TREE_WORTH || !order_is_local(p, s)) {
        order_boxes(p, o, threads);
        s->box = p->box + o->item0;
        s->group = TREE_GROUP;
        s->group = order_is_local(p, s) ? TREE_GROUP : 1;
    }
    s->groups = n / s->group + (n % s->group != 0);
}

static void order_sort(const packing *p, int threads, tree_order *s)
{
    tree_key *other = p->other + s->of->item0;
    s->key = p->key + s->of->item0;
#pragma omp parallel num_threads(threads) if (threads > 1)
    EACH_IN_FLOAT_ENV
#pragma omp for
    for (int64_t g = 0; g < (int64_t)s->groups; g += 4)
        order_keys(p, s, (uint32_t)g);
    tree_sort(&s->key, &other, s->groups);
}

/* ---- leaves and nodes */

/* Writes a box to a place of a node. */
static void node_put(float *node, uint32_t place, const tree_box *b)
{
    for (size_t k = 0; k < 3; k++) {
        node[INSIDE_WIDTH * k + place] = b->lo[k];
        node[INSIDE_WIDTH * (3 + k) + place] = b->hi[k];
    }
}

/* Returns the box around the leaf. */
static tree_box leaf_make(const packing *p, const tree_order *s, uint32_t leaf)
{
    const tree_part *o = s->of;
    const uint32_t node = o->node0 + leaf, n = part_items(o), many = INSIDE_WIDTH / s->group;
    float *to = p->to->box + (size_t)INSIDE_NODE * node;
    uint32_t *prim = p->to->prim + (size_t)INSIDE_WIDTH * (o->leaf0 + leaf);
    tree_box all = box_empty();
    for (uint32_t e = 0; e < INSIDE_WIDTH; e++) {
        const uint32_t g = many * leaf + e / s->group;
        const uint32_t i = g < s->groups ? s->group * s->key[g].from + e % s->group : n;
        const tree_box b = i < n ? order_item(p, s, i) : box_empty();
        prim[e] = i < n ? p->from->mesh->prim[o->of->first + i] : CLOSED_NONE;
        node_put(to, e, &b);
        box_join(&all, &b);
    }
    p->to->below[node] = INSIDE_LEAF | (o->leaf0 + leaf);
    return all;
}

/* Makes node `above` of the `count` children from number `first` on, and returns its box. around:
 * the children's boxes */
static tree_box node_make(const packing *p, uint32_t above, uint32_t first, uint32_t count,
                          const tree_box *around)
{
    float *to = p->to->box + (size_t)INSIDE_NODE * above;
    const tree_box none = box_empty();
    tree_box all = none;
    for (uint32_t e = 0; e < INSIDE_WIDTH; e++) {
        const tree_box *b = e < count ? &around[e] : &none;
        node_put(to, e, b);
        box_join(&all, b);
    }
    p->to->below[above] = first;
    return all;
}

/* The nodes above the leaves; around: the boxes of these, and room for others. */
static void packing_levels(const packing *p, const tree_part *o, tree_box *around)
{
    uint32_t level = o->node0, count = part_leaves(o);
    while (count > 1) {
        const uint32_t above = level + count, more = tree_above(count);
        for (uint32_t i = 0; i < more; i++) {
            const uint32_t first = INSIDE_WIDTH * i, left = count - first;
            around[i] = node_make(p, above + i, level + first,
                                  left < INSIDE_WIDTH ? left : INSIDE_WIDTH, around + first);
        }
        level = above;
        count = more;
    }
}

/* ---- all */

static void part_make(const packing *p, const tree_part *o, int threads)
{
    tree_order s;
    tree_box *around = p->around + o->leaf0;
    order_choose(p, o, threads, &s);
    order_sort(p, threads, &s);
#pragma omp parallel num_threads(threads) if (threads > 1)
    EACH_IN_FLOAT_ENV
#pragma omp for
    for (int64_t i = 0; i < (int64_t)part_leaves(o); i++)
        around[i] = leaf_make(p, &s, (uint32_t)i);
    packing_levels(p, o, around);
}

/* Threads share the small objects, each of which is packed by one, then large ones. */
static void packing_run(const packing *p)
{
#pragma omp parallel num_threads(p->from->threads) if (p->to->items > TREE_FEW)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(guided)
    for (int64_t i = 0; i < (int64_t)p->parts; i++)
        if (part_items(&p->part[i]) <= TREE_FEW)
            part_make(p, &p->part[i], 1);
    for (uint32_t i = 0; i < p->parts; i++)
        if (part_items(&p->part[i]) > TREE_FEW)
            part_make(p, &p->part[i], p->from->threads);
}

int solids_tree_make(const solids_tree_source *from, solids_tree *out)
{
    int err = IMP_OK;
    packing p = {.from = from, .to = out};
    TRY(packing_open(&p));
    packing_units(&p);
    packing_run(&p);
out:
    packing_close(&p);
    if (err)
        solids_tree_free(from->mem, out);
    return err;
}

void solids_tree_free(mem *m, solids_tree *t)
{
    mem_free(m, t->root);
    mem_free(m, t->prim);
    mem_free(m, t->box);
    mem_free(m, t->below);
    *t = (solids_tree){0};
}
