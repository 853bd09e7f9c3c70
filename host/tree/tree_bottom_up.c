/* See tree.h: neighbours on the Hilbert curve are put together in leaves, and leaves in nodes, up
 * to the degree: Kamel and Faloutsos, *On packing R-trees*, 1993. The remainder of a level is
 * shared among its nodes, so that none has a single child. */
#include "tree.h"

#include "error.h"
#include "float_env.h"
#include "hilbert.h"

/* A middle on the upper face of the box is in the last cell. */
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

/* Ranks on the curve through the box of all middles. */
static void hilbert_ranks(const tree_item *item, uint32_t n, tree_key *out)
{
    float lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    float scale[3];
    for (uint32_t i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            float x = tree_middle(item + i, k);
            lo[k] = x < lo[k] ? x : lo[k];
            hi[k] = x > hi[k] ? x : hi[k];
        }
    /* Along an axis on which all middles are equal, cells have number 0. */
    for (int k = 0; k < 3; k++)
        scale[k] = hi[k] > lo[k] ? (float)(1u << HILBERT_DIGITS) / (hi[k] - lo[k]) : 0;
    /* Four at a time, for vector lanes; the last group repeats an item. */
    for (uint32_t i = 0; i < n; i += 4) {
        uint32_t state[4] = {HILBERT_START, HILBERT_START, HILBERT_START, HILBERT_START};
        uint32_t cell[4], key[4], count = n - i < 4 ? n - i : 4;
        for (uint32_t k = 0; k < 4; k++)
            cell[k] = bottom_up_cell(item + i + (k < count ? k : 0), lo, scale);
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

/* Least digits first, by stable passes; three of 11 bits cover a key. */
void tree_sort(tree_key **keys, tree_key **other, uint32_t n)
{
    for (int shift = 0; shift < 32; shift += DIGIT) {
        sort_pass(*keys, *other, n, shift);
        tree_key *sorted = *other;
        *other = *keys;
        *keys = sorted;
    }
}

/* Items of each tree in the order of the curve. Trees are shared by threads, each tree is sorted by
 * one. */
static int sort_items(mem *m, tree *t, const uint32_t *start)
{
    int err = IMP_OK;
    tree_key *a = NULL, *b = NULL;
    tree_item *item = NULL;
    TRY(mem_alloc(m, t->items * sizeof *a, &a));
    TRY(mem_alloc(m, t->items * sizeof *b, &b));
    TRY(mem_alloc(m, t->items * sizeof *item, &item));
#pragma omp parallel num_threads(t->def.threads)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(guided) nowait
    for (int64_t i = 0; i < (int64_t)t->trees; i++) {
        uint32_t first = start[i], n = start[i + 1] - first;
        tree_key *key = a + first, *other = b + first;
        hilbert_ranks(t->item + first, n, key);
        tree_sort(&key, &other, n);
        for (uint32_t k = 0; k < n; k++)
            item[first + k] = t->item[first + key[k].from];
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

/* Children are neighbours: full leaves except the last, the same number for each child. */
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
