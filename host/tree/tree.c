/* See tree.h: trees are made, refitted and freed. */
#include "tree.h"

#include "error.h"
#include "float_env.h"

#include <string.h>

#define LEVELS 64 /* capacity of level0 at first */

/* The text is set here, once for all callers. */
int tree_check_cancel(const tree *t)
{
    return tree_is_cancelled(t) ? imp_fail(IMP_ERR_CANCELLED, "cancelled") : IMP_OK;
}

/* Adds a level of `count` nodes. level0 grows by LEVELS at a time; most trees have fewer. */
static int add_level(mem *m, tree *t, uint64_t count)
{
    int err = IMP_OK;
    uint64_t nodes = t->nodes + count;
    if (nodes > INT32_MAX)
        FAIL(IMP_ERR_MEMORY, "a tree of %llu nodes: more than there are numbers for",
             (unsigned long long)nodes);
    TRY(mem_grow(m, t->nodes * sizeof *t->node, nodes * sizeof *t->node, &t->node));
    if (!t->levels || t->levels % LEVELS == 0)
        TRY(mem_grow(m, t->levels * sizeof *t->level0, (t->levels + LEVELS + 1) * sizeof *t->level0,
                     &t->level0));
    t->level0[t->levels++] = t->nodes;
    t->nodes = (uint32_t)nodes;
    t->level0[t->levels] = t->nodes;
out:
    return err;
}

/* At most one child for each leaf that the items fill. */
static uint32_t tree_child_count(const tree *t, uint32_t n)
{
    uint32_t leaves = n / t->def.leaf + (n % t->def.leaf != 0);
    return n <= t->def.leaf ? 0 : leaves < t->def.degree ? leaves : t->def.degree;
}

/* Level by level, so that threads share all nodes of a level, of all trees. */
int tree_nodes(mem *m, tree *t, const uint32_t *start, tree_divide *divide)
{
    int err = IMP_OK;
    /* The roots are the first level: root i is node i (tree.h). */
    TRY(add_level(m, t, t->trees));
    for (uint32_t i = 0; i < t->trees; i++)
        t->node[i] = (tree_node){start[i], start[i + 1], 0, 0};
    for (;;) {
        uint32_t first = t->level0[t->levels - 1], last = t->nodes;
        uint64_t made = last;
        for (uint32_t i = first; i < last; i++) {
            tree_node *n = t->node + i;
            /* Children are numbered by one thread first, so that nodes have the same numbers with
             * any number of threads. */
            n->child = (uint32_t)made;
            n->children = tree_child_count(t, n->end - n->begin);
            made += n->children;
        }
        /* No node of the level was divided. */
        if (made == last)
            return IMP_OK;
        TRY(tree_check_cancel(t));
        TRY(add_level(m, t, made - last));
#pragma omp parallel num_threads(t->def.threads) if (made > 64)
        EACH_IN_FLOAT_ENV
#pragma omp for schedule(guided) nowait
        for (int64_t i = first; i < (int64_t)last; i++)
            if (t->node[i].children)
                divide(t, t->node + i);
    }
out:
    return err;
}

#define FEW_ITEMS 4096 /* are copied by one thread */

static void items_fill(tree *t, const tree_source *from, uint32_t first, uint32_t last)
{
#pragma omp parallel num_threads(t->def.threads) if (last - first > FEW_ITEMS)
    EACH_IN_FLOAT_ENV
#pragma omp for nowait
    for (int64_t i = first; i < (int64_t)last; i++)
        memcpy(t->item[i].box, from->box + (size_t)6 * t->item[i].prim, sizeof t->item[i].box);
}

static void slabs_fill(tree *t, const tree_source *from, uint32_t first, uint32_t last)
{
    const size_t words = (size_t)2 * t->def.extra;
#pragma omp parallel num_threads(t->def.threads) if (last - first > FEW_ITEMS)
    EACH_IN_FLOAT_ENV
#pragma omp for nowait
    for (int64_t i = first; i < (int64_t)last; i++)
        memcpy(t->slab + words * (size_t)i, from->slab + words * t->item[i].prim,
               words * sizeof *t->slab);
}

void tree_update_items(const tree_source *from, uint32_t first, uint32_t last, tree *t)
{
    items_fill(t, from, first, last);
    if (t->def.extra)
        slabs_fill(t, from, first, last);
}

static int volumes_alloc(mem *m, tree *t)
{
    int err = IMP_OK;
    t->words = BV_DOP_WORDS(t->def.extra);
    if (t->def.volume == IMP_VOLUME_DOP)
        TRY(mem_alloc(m, (size_t)t->nodes * t->words * sizeof *t->dop, &t->dop));
    /* A hybrid tree has both: one array of each, with places for all nodes. */
    if (t->def.volume == IMP_VOLUME_SPHERE || t->def.volume == IMP_VOLUME_HYBRID)
        TRY(mem_alloc(m, t->nodes * sizeof *t->sphere, &t->sphere));
    if (t->def.volume == IMP_VOLUME_OBB || t->def.volume == IMP_VOLUME_HYBRID)
        TRY(mem_alloc(m, t->nodes * sizeof *t->obb, &t->obb));
out:
    return err;
}

int tree_make(mem *m, const tree_def *def, const tree_source *from, uint32_t trees,
              const uint32_t *start, const uint32_t *prim, tree *out)
{
    int err = IMP_OK;
    *out = (tree){.def = *def, .trees = trees, .items = start[trees]};
    TRY(mem_alloc(m, out->items * sizeof *out->item, &out->item));
    TRY(mem_alloc(m, (size_t)2 * def->extra * out->items * sizeof *out->slab, &out->slab));
    for (uint32_t i = 0; i < out->items; i++)
        out->item[i].prim = prim[i];
    /* Builds compare boxes. They also move items, so slabs are filled after them. */
    items_fill(out, from, 0, out->items);
    TRY(def->build == IMP_BUILD_BOTTOM_UP ? tree_bottom_up(m, out, start)
                                          : tree_top_down(m, out, start));
    if (def->extra)
        slabs_fill(out, from, 0, out->items);
    TRY(volumes_alloc(m, out));
    TRY(tree_fit(m, from, out));
out:
    if (err)
        /* No caller sees a part of a tree. */
        tree_free(m, out);
    return err;
}

/* Nodes and the order of items stay. */
int tree_refit(mem *m, const tree_source *from, tree *t)
{
    tree_update_items(from, 0, t->items, t);
    return tree_fit(m, from, t);
}

uint64_t tree_bytes(const tree *t)
{
    const uint64_t item = sizeof *t->item + (uint64_t)2 * t->def.extra * sizeof *t->slab;
    const uint64_t node = sizeof *t->node + (t->dop ? t->words * sizeof *t->dop : 0) +
                          (t->sphere ? sizeof *t->sphere : 0) + (t->obb ? sizeof *t->obb : 0);
    const uint64_t levels = t->levels ? t->levels + (uint64_t)1 : 0;
    return t->items * item + t->nodes * node + levels * sizeof *t->level0;
}

void tree_free(mem *m, tree *t)
{
    mem_free(m, t->item);
    mem_free(m, t->slab);
    mem_free(m, t->node);
    mem_free(m, t->level0);
    mem_free(m, t->dop);
    mem_free(m, t->sphere);
    mem_free(m, t->obb);
    *t = (tree){0};
}
