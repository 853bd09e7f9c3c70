/* See tree.h: builds, refits and frees trees. */
#include "error.h"
#include "float_env.h"
#include "hilbert.h"
#include "tree.h"

#include <string.h>

#define LEVELS 64 /* initial capacity of level0 */

/* Up to these numbers, one thread is faster: waking the others takes longer than the work. */
#define FEW_ITEMS 16384
#define FEW_NODES 1024

/* Sets the error text once for all callers. */
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

/* At most one child per leaf that the items fill. */
static uint32_t tree_child_count(const tree *t, uint32_t n)
{
    uint32_t leaves = n / t->def.leaf + (n % t->def.leaf != 0);
    return n <= t->def.leaf ? 0 : leaves < t->def.degree ? leaves : t->def.degree;
}

/* Level by level, so that threads share all nodes of a level, of all trees. */
int tree_nodes(mem *m, tree *t, const uint32_t *start, tree_divide *divide)
{
    int err = IMP_OK;
    /* Root i is node i (tree.h), so the roots are the first level. */
    TRY(add_level(m, t, t->trees));
    for (uint32_t i = 0; i < t->trees; i++)
        t->node[i] = (tree_node){start[i], start[i + 1], 0, 0};
    for (;;) {
        uint32_t first = t->level0[t->levels - 1], last = t->nodes;
        uint64_t made = last;
        for (uint32_t i = first; i < last; i++) {
            tree_node *n = t->node + i;
            /* One thread numbers the children first, so that the numbers do not depend on the
             * number of threads. */
            n->child = (uint32_t)made;
            n->children = tree_child_count(t, n->end - n->begin);
            made += n->children;
        }
        /* no node of the level was divided */
        if (made == last)
            return IMP_OK;
        TRY(tree_check_cancel(t));
        TRY(add_level(m, t, made - last));
#pragma omp parallel num_threads(t->def.threads) if (made - last > FEW_NODES)
        EACH_IN_FLOAT_ENV
#pragma omp for schedule(guided) nowait
        for (int64_t i = first; i < (int64_t)last; i++)
            if (t->node[i].children)
                divide(t, t->node + i);
    }
out:
    return err;
}

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
    /* A hybrid tree has both arrays, each with an element for every node. */
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
    /* The build compares boxes and moves items, so slabs are filled after it. */
    items_fill(out, from, 0, out->items);
    TRY(def->build == IMP_BUILD_BOTTOM_UP ? tree_bottom_up(m, out, start)
                                          : tree_top_down(m, out, start));
    if (def->extra)
        slabs_fill(out, from, 0, out->items);
    TRY(volumes_alloc(m, out));
    TRY(tree_fit(m, from, out));
out:
    if (err)
        /* No caller sees a partial tree. */
        tree_free(m, out);
    return err;
}

/* Keeps the nodes and the order of items. */
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

/* ---- See tree.h: a node is divided at the lowest cost by binned surface areas of its primitives'
 * boxes: Wald, *On fast construction of SAH-based bounding volume hierarchies*, 2007. */

#define BINS 16
#define LEAN 16     /* a part has about 1/LEAN of its node's primitives or more */
#define SAMPLE 1024 /* sample size that decides the split of more primitives */

typedef struct bins {
    uint32_t count[BINS];
    float lo[BINS][3], hi[BINS][3];
} bins;

/* The axis with the greatest range of centres; *from and *to become that range. A split along it
 * shortens the boxes most. */
static int longest(const tree_item *item, uint32_t n, float *from, float *to)
{
    float lo[3], hi[3];
    for (int k = 0; k < 3; k++)
        lo[k] = hi[k] = tree_middle(item, k);
    for (uint32_t i = 1; i < n; i++)
        for (int k = 0; k < 3; k++) {
            float x = tree_middle(item + i, k);
            lo[k] = x < lo[k] ? x : lo[k];
            hi[k] = x > hi[k] ? x : hi[k];
        }
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (hi[k] - lo[k] > hi[axis] - lo[axis])
            axis = k;
    *from = lo[axis];
    *to = hi[axis];
    return axis;
}

/* A centre at the upper end is in the last bin. */
static uint32_t bin_of(const tree_item *item, int axis, float from, float scale)
{
    float at = (tree_middle(item, axis) - from) * scale;
    return at < BINS ? (uint32_t)at : BINS - 1;
}

/* Fills the bins with every `step`-th item. */
static void bins_fill(bins *b, const tree_item *item, uint32_t n, uint32_t step, int axis,
                      float from, float scale)
{
    for (int i = 0; i < BINS; i++) {
        b->count[i] = 0;
        for (int k = 0; k < 3; k++) {
            b->lo[i][k] = INFINITY;
            b->hi[i][k] = -INFINITY;
        }
    }
    for (uint32_t i = 0; i < n; i += step) {
        uint32_t at = bin_of(item + i, axis, from, scale);
        b->count[at]++;
        for (int k = 0; k < 3; k++) {
            float lo = item[i].box[k], hi = item[i].box[3 + k];
            b->lo[at][k] = lo < b->lo[at][k] ? lo : b->lo[at][k];
            b->hi[at][k] = hi > b->hi[at][k] ? hi : b->hi[at][k];
        }
    }
}

/* Joins bin `at` to the box lo, hi; returns half of its surface area then. */
static float bins_grow(const bins *b, int at, float *lo, float *hi)
{
    for (int k = 0; k < 3; k++) {
        lo[k] = b->lo[at][k] < lo[k] ? b->lo[at][k] : lo[k];
        hi[k] = b->hi[at][k] > hi[k] ? b->hi[at][k] : hi[k];
    }
    float x = hi[0] - lo[0], y = hi[1] - lo[1], z = hi[2] - lo[2];
    return x * y + y * z + z * x;
}

/* The first bin of the upper part, such that the sum of surface area times number over both parts
 * is least; 0: one part would have almost nothing. */
static int bins_best(const bins *b, uint32_t n)
{
    float lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    float right[BINS], least = INFINITY;
    uint32_t count = 0;
    int best = 0;
    for (int i = BINS - 1; i > 0; i--) {
        float surface = bins_grow(b, i, lo, hi);
        count += b->count[i];
        right[i] = count ? surface * (float)count : 0;
    }
    count = 0;
    for (int k = 0; k < 3; k++) {
        lo[k] = INFINITY;
        hi[k] = -INFINITY;
    }
    for (int i = 1; i < BINS; i++) {
        float surface = bins_grow(b, i - 1, lo, hi);
        count += b->count[i - 1];
        uint32_t few = count < n - count ? count : n - count;
        if (few <= n / LEAN)
            continue;
        float cost = surface * (float)count + right[i];
        if (cost < least) {
            least = cost;
            best = i;
        }
    }
    return best;
}

static void top_down_swap(tree_item *a, tree_item *b)
{
    tree_item t = *a;
    *a = *b;
    *b = t;
}

/* A rank in the order of the centres along an axis, unique for each primitive. Floats are compared
 * by their bits: those of negative numbers are inverted, for others only the sign. */
static uint64_t rank_of(const tree_item *item, int axis)
{
    float x = tree_middle(item, axis);
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
    return (uint64_t)bits << 32 | item->prim;
}

/* Moves the half with lower ranks to the front. Parts are divided bit by bit, so that at most 64
 * passes are needed, whatever the numbers, and usually about two. */
static void divide_half(tree_item *item, uint32_t n, int axis)
{
    uint32_t begin = 0, end = n, half = n / 2;
    for (int bit = 63; bit >= 0 && end - begin > 1; bit--) {
        uint32_t i = begin, j = end;
        while (i < j) {
            if (rank_of(item + i, axis) >> bit & 1)
                top_down_swap(item + i, item + --j);
            else
                i++;
        }
        if (i > half)
            end = i;
        else if (i < half)
            begin = i;
        else
            return;
    }
}

/* Moves items of bins below `best` to the front; returns their number. */
static uint32_t divide_bins(tree_item *item, uint32_t n, int axis, float from, float scale,
                            uint32_t best)
{
    uint32_t i = 0, j = n;
    for (;;) {
        while (i < j && bin_of(item + i, axis, from, scale) < best)
            i++;
        while (i < j && bin_of(item + j - 1, axis, from, scale) >= best)
            j--;
        if (i >= j)
            return i;
        top_down_swap(item + i++, item + --j);
    }
}

/* Moves the items of one part to the front; returns their number. Items with the same centre are
 * divided in their present order. */
static uint32_t top_down_divide(tree_item *item, uint32_t n)
{
    float from, to;
    int axis = longest(item, n, &from, &to);
    if (!(to > from))
        return n / 2;
    if (n > LEAN) {
        bins b;
        const float scale = (float)BINS / (to - from);
        const uint32_t step = 1 + (n - 1) / SAMPLE, sample = 1 + (n - 1) / step;
        bins_fill(&b, item, n, step, axis, from, scale);
        const int best = bins_best(&b, sample);
        uint32_t first = best ? divide_bins(item, n, axis, from, scale, (uint32_t)best) : 0;
        if (first > n / LEAN / 2 && n - first > n / LEAN / 2) /* about as in the sample */
            return first;
    }
    divide_half(item, n, axis);
    return n / 2;
}

static uint32_t top_down_size(const tree_node *n)
{
    return n->end - n->begin;
}

/* child[0 .. count) is a max-heap, except for child[at]. */
static void heap_down(tree_node *child, uint32_t count, uint32_t at)
{
    for (;;) {
        uint64_t next = 2 * (uint64_t)at + 1;
        if (next + 1 < count && top_down_size(child + next + 1) > top_down_size(child + next))
            next++;
        if (next >= count || top_down_size(child + next) <= top_down_size(child + at))
            return;
        tree_node t = child[at];
        child[at] = child[next];
        child[next] = t;
        at = (uint32_t)next;
    }
}

static void heap_up(tree_node *child, uint32_t at)
{
    while (at && top_down_size(child + at) > top_down_size(child + (at - 1) / 2)) {
        tree_node t = child[at];
        child[at] = child[(at - 1) / 2];
        at = (at - 1) / 2;
        child[at] = t;
    }
}

/* Divides the largest part in two until the node has all its children. */
static void top_down_divide_node(tree *t, const tree_node *parent)
{
    tree_node *child = t->node + parent->child;
    child[0] = (tree_node){parent->begin, parent->end, 0, 0};
    for (uint32_t have = 1; have < parent->children; have++) {
        uint32_t middle =
            child->begin + top_down_divide(t->item + child->begin, top_down_size(child));
        child[have] = (tree_node){middle, child->end, 0, 0};
        child->end = middle;
        /* Both ends of the heap may be out of order: the divided part became smaller, and a new one
         * was added. */
        heap_down(child, have, 0);
        heap_up(child, have);
    }
}

int tree_top_down(mem *m, tree *t, const uint32_t *start)
{
    return tree_nodes(m, t, start, top_down_divide_node);
}

/* ---- See tree.h: neighbours on the Hilbert curve are grouped in leaves, and leaves in nodes, up
 * to the degree: Kamel and Faloutsos, *On packing R-trees*, 1993. The remainder of a level is
 * distributed among its nodes, so that none has a single child. */

/* A centre on the upper face of the box is in the last cell. */
static uint32_t bottom_up_cell(const tree_item *item, const float *from, const float *scale)
{
    uint32_t at[3];
    const uint32_t cells = 1u << HILBERT_DIGITS;
    for (int k = 0; k < 3; k++) {
        float x = (tree_middle(item, k) - from[k]) * scale[k];
        at[k] = x < (float)cells ? (uint32_t)x : cells - 1;
    }
    return hilbert_cell(at[0], at[1], at[2], HILBERT_DIGITS);
}

/* The cells of a tree's curve, through the box of all centres. */
typedef struct hilbert_cells {
    float lo[3], scale[3];
} hilbert_cells;

static hilbert_cells hilbert_cells_of(const tree_item *item, uint32_t n)
{
    float lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    hilbert_cells c;
    for (uint32_t i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            float x = tree_middle(item + i, k);
            lo[k] = x < lo[k] ? x : lo[k];
            hi[k] = x > hi[k] ? x : hi[k];
        }
    /* Along an axis on which all centres are equal, the cell number is 0. */
    for (int k = 0; k < 3; k++) {
        c.lo[k] = lo[k];
        c.scale[k] = hi[k] > lo[k] ? (float)(1u << HILBERT_DIGITS) / (hi[k] - lo[k]) : 0;
    }
    return c;
}

/* Positions of the items [first, last) on the curve. */
static void hilbert_ranks(const hilbert_cells *c, const tree_item *item, uint32_t first,
                          uint32_t last, tree_key *out)
{
    /* Four at a time, for vector lanes; the last group repeats an item. */
    for (uint32_t i = first; i < last; i += 4) {
        uint32_t state[4] = {HILBERT_START, HILBERT_START, HILBERT_START, HILBERT_START};
        uint32_t cell[4], key[4], count = last - i < 4 ? last - i : 4;
        for (uint32_t k = 0; k < 4; k++)
            cell[k] = bottom_up_cell(item + i + (k < count ? k : 0), c->lo, c->scale);
        hilbert_positions4(state, cell, HILBERT_DIGITS, key);
        for (uint32_t k = 0; k < count; k++)
            out[i + k] = (tree_key){key[k], i + k};
    }
}

#define DIGIT 11
static void sort_pass(const tree_key *from, tree_key *to, uint32_t n, int shift)
{
    const uint32_t mask = (1u << DIGIT) - 1;
    uint32_t count[1 << DIGIT] = {0}, sum = 0;
    for (uint32_t i = 0; i < n; i++)
        count[from[i].key >> shift & mask]++;
    for (uint32_t i = 0; i <= mask; i++) {
        uint32_t c = count[i];
        count[i] = sum;
        sum += c;
    }
    for (uint32_t i = 0; i < n; i++)
        to[count[from[i].key >> shift & mask]++] = from[i];
}

/* Least significant digits first, in stable passes; three digits of 11 bits cover a key. */
void tree_sort(tree_key **keys, tree_key **other, uint32_t n)
{
    for (int shift = 0; shift < 32; shift += DIGIT) {
        sort_pass(*keys, *other, n, shift);
        tree_key *sorted = *other;
        *other = *keys;
        *keys = sorted;
    }
}

static uint32_t chunk_end(uint32_t begin, uint32_t n)
{
    return n - begin < FEW_ITEMS ? n : begin + FEW_ITEMS;
}

/* Sorts the n items of a tree into `to`. key, other: [n]. Threads share the work on a large tree,
 * except the sort itself, if `threads` is not 1. */
static void sort_items_of(const tree_item *item, uint32_t n, int threads, tree_key *key,
                          tree_key *other, tree_item *to)
{
    const hilbert_cells cells = hilbert_cells_of(item, n);
    const int shared = threads > 1 && n > FEW_ITEMS;
#pragma omp parallel num_threads(threads) if (shared)
    EACH_IN_FLOAT_ENV
#pragma omp for nowait
    for (int64_t i = 0; i < (int64_t)n; i += FEW_ITEMS)
        hilbert_ranks(&cells, item, (uint32_t)i, chunk_end((uint32_t)i, n), key);
    tree_sort(&key, &other, n);
#pragma omp parallel num_threads(threads) if (shared)
    EACH_IN_FLOAT_ENV
#pragma omp for nowait
    for (int64_t i = 0; i < (int64_t)n; i++)
        to[i] = item[key[i].from];
}

/* Sorts the items of each tree along the curve. Threads share the small trees, each of which is
 * sorted by one, then large ones. */
static int sort_items(mem *m, tree *t, const uint32_t *start)
{
    int err = IMP_OK;
    tree_key *a = NULL, *b = NULL;
    tree_item *item = NULL;
    TRY(mem_alloc(m, t->items * sizeof *a, &a));
    TRY(mem_alloc(m, t->items * sizeof *b, &b));
    TRY(mem_alloc(m, t->items * sizeof *item, &item));
#pragma omp parallel num_threads(t->def.threads) if (t->items > FEW_ITEMS)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(guided) nowait
    for (int64_t i = 0; i < (int64_t)t->trees; i++) {
        const uint32_t first = start[i], n = start[i + 1] - first;
        if (n <= FEW_ITEMS)
            sort_items_of(t->item + first, n, 1, a + first, b + first, item + first);
    }
    for (uint32_t i = 0; i < t->trees; i++) {
        const uint32_t first = start[i], n = start[i + 1] - first;
        if (n > FEW_ITEMS)
            sort_items_of(t->item + first, n, t->def.threads, a + first, b + first, item + first);
    }
    mem_free(m, t->item);
    t->item = item;
    item = NULL;
out:
    mem_free(m, a);
    mem_free(m, b);
    mem_free(m, item);
    return err;
}

/* Children are neighbours: all leaves except the last are full, and each child has the same number
 * of them. */
static void bottom_up_divide_node(tree *t, const tree_node *parent)
{
    const uint32_t n = parent->end - parent->begin;
    const uint64_t leaves = n / t->def.leaf + (n % t->def.leaf != 0), parts = parent->children;
    for (uint64_t i = 0; i < parts; i++) {
        uint64_t begin = i * leaves / parts * t->def.leaf;
        uint64_t end = (i + 1) * leaves / parts * t->def.leaf;
        t->node[parent->child + i] = (tree_node){
            parent->begin + (uint32_t)begin, parent->begin + (uint32_t)(end < n ? end : n), 0, 0};
    }
}

int tree_bottom_up(mem *m, tree *t, const uint32_t *start)
{
    int err = sort_items(m, t, start);
    return err ? err : tree_nodes(m, t, start, bottom_up_divide_node);
}

/* ---- See tree.h: volumes, from the leaves up. */

/* ---- k-DOPs: leaves from their items, other nodes from their children */

static void leaf_dop(const tree *t, const tree_node *n, float *out)
{
    const uint32_t extra = t->def.extra;
    bv_dop_none(out, extra);
    for (uint32_t i = n->begin; i < n->end; i++) {
        bv_dop_join(out, t->item[i].box, 0);
        bv_slabs_join(out + 6, t->slab + (size_t)2 * extra * i, extra);
    }
}

/* The union of the children's k-DOPs is the k-DOP of all items below, so only leaves read items. */
static void node_dop(const tree *t, uint32_t node)
{
    const tree_node *n = t->node + node;
    float *out = t->dop + (size_t)t->words * node;
    if (!n->children) {
        leaf_dop(t, n, out);
        return;
    }
    memcpy(out, t->dop + (size_t)t->words * n->child, t->words * sizeof *out);
    for (uint32_t i = 1; i < n->children; i++)
        bv_dop_join(out, t->dop + (size_t)t->words * (n->child + i), t->def.extra);
}

/* ---- spheres and oriented boxes: from the vertices of all primitives below */

/* Lists the vertices of items contiguously, so that those of a node on any level are one range. */
static void item_vertices(const tree *t, const tree_source *from, uint32_t *vertex)
{
    const uint32_t corners = from->corners;
#pragma omp parallel num_threads(t->def.threads)
    EACH_IN_FLOAT_ENV
#pragma omp for nowait
    for (int64_t i = 0; i < (int64_t)t->items; i++)
        memcpy(vertex + (size_t)corners * (size_t)i,
               from->corner + (size_t)corners * t->item[i].prim, corners * sizeof *vertex);
}

static bv_points node_points(const tree_node *n, const tree_source *from, const uint32_t *vertex)
{
    return (bv_points){from->x, vertex + (size_t)from->corners * n->begin,
                       (size_t)from->corners * (n->end - n->begin)};
}

/* Moments of a union are sums of moments, so vertices are added once, in leaves. */
static void node_moments(const tree *t, uint32_t node, const bv_points *p, bv_moments *all)
{
    const tree_node *n = t->node + node;
    all[node] = (bv_moments){0};
    if (!n->children)
        bv_moments_add(&all[node], p);
    for (uint32_t i = 0; i < n->children; i++)
        bv_moments_join(&all[node], &all[n->child + i]);
}

/* ---- all volumes fitted to points */

/* Below the level of a hybrid tree no sphere is used, above it no oriented box. */
static int has_spheres(const tree *t, uint32_t level)
{
    return t->def.volume == IMP_VOLUME_SPHERE ||
           (t->def.volume == IMP_VOLUME_HYBRID && level < t->def.hybrid_level);
}

static int fit_points(mem *m, const tree_source *from, tree *t)
{
    int err = IMP_OK;
    uint32_t *vertex = NULL;
    bv_moments *moments = NULL;
    TRY(mem_alloc(m, (size_t)from->corners * t->items * sizeof *vertex, &vertex));
    if (t->obb)
        TRY(mem_alloc(m, t->nodes * sizeof *moments, &moments));
    item_vertices(t, from, vertex);
    /* From the leaves up: a node's moments are the sums of its children's. */
    for (uint32_t level = t->levels; level-- > 0;) {
        const int spheres = has_spheres(t, level);
        TRY(tree_check_cancel(t));
#pragma omp parallel num_threads(t->def.threads)
        EACH_IN_FLOAT_ENV
#pragma omp for schedule(guided) nowait
        for (int64_t i = t->level0[level]; i < (int64_t)t->level0[level + 1]; i++) {
            bv_points p = node_points(t->node + i, from, vertex);
            if (moments)
                node_moments(t, (uint32_t)i, &p, moments);
            if (spheres)
                bv_sphere_fit(&p, t->sphere + i);
            else
                bv_obb_fit(&p, moments + i, t->obb + i);
        }
    }
out:
    mem_free(m, vertex);
    mem_free(m, moments);
    return err;
}

int tree_fit(mem *m, const tree_source *from, tree *t)
{
    if (t->def.volume != IMP_VOLUME_DOP)
        return fit_points(m, from, t);
    for (uint32_t level = t->levels; level-- > 0;) {
        const uint32_t first = t->level0[level], last = t->level0[level + 1];
#pragma omp parallel num_threads(t->def.threads) if (last - first > FEW_NODES)
        EACH_IN_FLOAT_ENV
#pragma omp for nowait
        for (int64_t i = first; i < (int64_t)last; i++)
            node_dop(t, (uint32_t)i);
    }
    return IMP_OK;
}

/* ---- whole trees */

/* An empty box has lower > upper. */
static double half_surface(const float *box)
{
    const double x = box[3] - box[0], y = box[4] - box[1], z = box[5] - box[2];
    return x >= 0 && y >= 0 && z >= 0 ? x * y + y * z + z * x : 0;
}

/* Relative to the roots, so that uniform scaling of a body does not count. */
double tree_weight(const tree *t)
{
    double sum = 0, roots = 0;
    for (uint32_t i = 0; i < t->nodes; i++) {
        const double one = half_surface(t->dop + (size_t)t->words * i);
        sum += one;
        roots += i < t->trees ? one : 0;
    }
    return roots > 0 ? sum / roots : 0;
}

/* The box of the root's sphere or oriented box. */
static void volume_box(const tree *t, uint32_t root, const bv_pose *pose, float out[6])
{
    const int round = has_spheres(t, 0);
    const bv_sphere s = round ? bv_sphere_posed(t->sphere + root, pose) : (bv_sphere){0};
    const bv_obb b = round ? (bv_obb){0} : bv_obb_posed(t->obb + root, pose);
    for (int k = 0; k < 3; k++) {
        double reach = s.r, middle = round ? s.c[k] : b.c[k];
        for (int i = 0; i < 3 && !round; i++)
            reach += b.half[i] * fabs(b.axis[i][k]);
        reach += BV_MARGIN;
        out[k] = bv_below(middle - reach);
        out[3 + k] = bv_above(middle + reach);
    }
}

void tree_root_box(const tree *t, uint32_t root, const bv_pose *pose, float out[6])
{
    const tree_node *n = t->node + root;
    /* The root's k-DOP has the box already. */
    if (t->dop) {
        memcpy(out, t->dop + (size_t)t->words * root, 6 * sizeof *out);
    } else if (pose) {
        volume_box(t, root, pose, out);
    } else {
        bv_dop_none(out, 0);
        for (uint32_t i = n->begin; i < n->end; i++)
            bv_dop_join(out, t->item[i].box, 0);
    }
}
