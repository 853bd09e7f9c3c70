/* See tree.h: a node is divided where its primitives' boxes make the least work, by binned surface
 * areas: Wald, *On fast construction of SAH-based bounding volume hierarchies*, 2007. */
#include "tree.h"

#include <string.h>

#define BINS 16
#define LEAN 16     /* a part has at least about 1/LEAN of its node's primitives */
#define SAMPLE 1024 /* of more primitives about this number decides where to divide */

typedef struct bins {
    uint32_t count[BINS];
    float lo[BINS][3], hi[BINS][3];
} bins;

/* The axis along which middles differ most; *from and *to: of the middles. Divided along the axis
 * that shortens the boxes most. */
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

/* A middle at the upper end is in the last bin. */
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

/* Bin `at` joins the box lo, hi; returns half the surface that it then has. */
static float bins_grow(const bins *b, int at, float *lo, float *hi)
{
    for (int k = 0; k < 3; k++) {
        lo[k] = b->lo[at][k] < lo[k] ? b->lo[at][k] : lo[k];
        hi[k] = b->hi[at][k] > hi[k] ? b->hi[at][k] : hi[k];
    }
    float x = hi[0] - lo[0], y = hi[1] - lo[1], z = hi[2] - lo[2];
    return x * y + y * z + z * x;
}

/* The bin before which to divide, such that surface times number is least of both parts; 0: one
 * part would have next to nothing. */
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

/* A number in the order of the middles along an axis, of different primitives a different one.
 * Floats in the order of their bits: those of negative ones are inverted, of others the sign alone.
 */
static uint64_t rank_of(const tree_item *item, int axis)
{
    float x = tree_middle(item, axis);
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
    return (uint64_t)bits << 32 | item->prim;
}

/* The half with lower ranks comes first: parts are divided by one bit after the other, so that it
 * takes no more than 64 passes, whatever the numbers are, and about two. */
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

/* Items of bins below `best` come first; returns how many these are. */
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

/* Puts the items of one part first; returns their number. Items at one position are divided in
 * their present order. */
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
        if (first > n / LEAN / 2 && n - first > n / LEAN / 2) /* as in the sample, about */
            return first;
    }
    divide_half(item, n, axis);
    return n / 2;
}

static uint32_t top_down_size(const tree_node *n)
{
    return n->end - n->begin;
}

/* child[0 .. count) is a heap, the largest first, except for child[at]. */
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
        /* Both ends of the heap may be out of order: the divided part got smaller, and a new one
         * came. */
        heap_down(child, have, 0);
        heap_up(child, have);
    }
}

int tree_top_down(mem *m, tree *t, const uint32_t *start)
{
    return tree_nodes(m, t, start, top_down_divide_node);
}
