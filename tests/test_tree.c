/* Trees of bounding volumes: nodes and volumes are what they should be, and the contacts that every
 * volume, build, descent, degree and leaf size leads to are those of all pairs. */
#include "expect.h"
#include "made.h"
#include "tree.h"
#include "ways.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- trees by themselves, of loose triangles in random places */

typedef struct grove {
    mem mem;
    uint32_t prims;
    double *x;        /* [9 * prims] */
    float *box;       /* [6 * prims] */
    uint32_t *corner; /* [3 * prims] */
    uint32_t *prim;
    uint32_t start[4]; /* three trees, one of a single triangle */
    tree tree;
    tree_source from;
} grove;

static void grove_move(grove *g, rng *r, double size)
{
    for (uint32_t i = 0; i < g->prims; i++) {
        double at[3] = {rng_unit(r), rng_unit(r), rng_unit(r) * rng_unit(r)};
        float *box = g->box + 6 * i;
        for (int k = 0; k < 9; k++)
            g->x[9 * i + (uint32_t)k] = at[k % 3] + size * rng_unit(r);
        for (int k = 0; k < 3; k++) {
            const double *x = g->x + 9 * i + k;
            box[k] = nextafterf((float)fmin(x[0], fmin(x[3], x[6])), -8);
            box[3 + k] = nextafterf((float)fmax(x[0], fmax(x[3], x[6])), 8);
        }
    }
}

static void grove_open(grove *g, uint32_t prims, double size, rng *r)
{
    *g = (grove){.prims = prims};
    g->x = malloc(9 * prims * sizeof *g->x);
    g->box = malloc(6 * prims * sizeof *g->box);
    g->corner = malloc(3 * prims * sizeof *g->corner);
    g->prim = malloc(prims * sizeof *g->prim);
    CU_ASSERT_FATAL(g->x && g->box && g->corner && g->prim);
    grove_move(g, r, size);
    for (uint32_t i = 0; i < 3 * prims; i++)
        g->corner[i] = i;
    for (uint32_t i = 0; i < prims; i++)
        g->prim[i] = i;
    g->start[1] = prims / 3;
    g->start[2] = prims / 3 + 1;
    g->start[3] = prims;
    g->from = (tree_source){g->box, NULL, g->corner, 3, g->x};
}

static void grove_close(grove *g)
{
    tree_free(&g->mem, &g->tree);
    CU_ASSERT_EQUAL(g->mem.now, 0);
    free(g->x);
    free(g->box);
    free(g->corner);
    free(g->prim);
}

static const char *node_fault(const tree *t, uint32_t level, uint32_t i)
{
    const tree_node *n = t->node + i;
    uint32_t size = n->end - n->begin, at = n->begin;
    if (!size)
        return "an empty node";
    if (!n->children)
        return size > t->def.leaf ? "a leaf that is too large" : NULL;
    if (n->children < 2 || n->children > t->def.degree)
        return "too few or too many children";
    if (n->child < t->level0[level + 1] || n->child + n->children > t->level0[level + 2])
        return "children on another level than the next";
    uint32_t *covered = calloc(size, sizeof *covered);
    CU_ASSERT_PTR_NOT_NULL_FATAL(covered);
    for (uint32_t c = n->child; c < n->child + n->children; c++)
        for (uint32_t k = t->node[c].begin; k < t->node[c].end; k++)
            if (k >= at && k < n->end)
                covered[k - at]++;
    int once = 1;
    for (uint32_t k = 0; k < size; k++)
        once &= covered[k] == 1;
    free(covered);
    return once ? NULL : "children are no partition";
}

/* A node's volume has all its primitives, a k-DOP nothing else. */
static const char *volume_fault(const grove *g, uint32_t i)
{
    const tree *t = &g->tree;
    const tree_node *n = t->node + i;
    float want[6];
    bv_dop_none(want, 0);
    for (uint32_t k = n->begin; k < n->end; k++) {
        const uint32_t prim = t->item[k].prim;
        bv_dop_join(want, g->box + 6 * prim, 0);
        if (t->sphere && (!t->obb || i < t->level0[t->def.hybrid_level])) {
            uint32_t one[] = {3 * prim, 3 * prim + 1, 3 * prim + 2};
            bv_points p = {g->x, one, 3};
            bv_sphere s;
            bv_sphere_fit(&p, &s);
            if (!bv_spheres_overlap(&s, t->sphere + i))
                return "a sphere without its primitive";
        }
    }
    return t->dop && memcmp(want, t->dop + 6 * i, sizeof want) ? "another k-DOP" : NULL;
}

static const char *tree_fault(const grove *g)
{
    const tree *t = &g->tree;
    const char *fault = NULL;
    uint32_t *seen = calloc(g->prims, sizeof *seen);
    CU_ASSERT_PTR_NOT_NULL_FATAL(seen);
    for (uint32_t i = 0; i < t->trees && !fault; i++)
        if (t->node[i].begin != g->start[i] || t->node[i].end != g->start[i + 1])
            fault = "a root of other primitives";
    for (uint32_t i = 0; i < t->items && !fault; i++)
        if (seen[t->item[i].prim]++)
            fault = "a primitive twice";
    for (uint32_t level = 0; level < t->levels && !fault; level++)
        for (uint32_t i = t->level0[level]; i < t->level0[level + 1] && !fault; i++) {
            fault = node_fault(t, level, i);
            fault = fault ? fault : volume_fault(g, i);
        }
    free(seen);
    return fault;
}

static const uint32_t degrees[] = {2, 3, 8, 1000}, leaf_sizes[] = {1, 4, 9, 200};

static void test_nodes(void)
{
    rng r = {1};
    for (uint32_t n = 1; n < 3000; n = n * 3 + 1) {
        grove g;
        grove_open(&g, n < 3 ? 3 : n, 0.1, &r);
        for (int i = 0; i < 4 * 4 * 4 * 2; i++) {
            const tree_def def = {.volume = IMP_VOLUME_DOP + i % 4,
                                  .build = IMP_BUILD_TOP_DOWN + i / 64,
                                  .descent = IMP_DESCENT_SIMULTANEOUS,
                                  .degree = degrees[i / 4 % 4],
                                  .leaf = leaf_sizes[i / 16 % 4],
                                  .threads = 2};
            CU_ASSERT_EQUAL_FATAL(tree_make(&g.mem, &def, &g.from, 3, g.start, g.prim, &g.tree), 0);
            const char *fault = tree_fault(&g);
            EXPECT(!fault, "%u triangles, volume %d, build %d, degree %u, leaf %u: %s", g.prims,
                   def.volume, def.build, def.degree, def.leaf, fault);
            tree_free(&g.mem, &g.tree);
        }
        grove_close(&g);
    }
}

/* Primitives in one place, or each twice as far out as the one before: no tree is high. */
static void test_height(void)
{
    const uint32_t n = TEST_SLOW ? 100000 : 1000000;
    rng r = {2};
    grove g;
    grove_open(&g, n, 0.1, &r);
    for (int far = 0; far < 2; far++)
        for (int build = IMP_BUILD_TOP_DOWN; build <= IMP_BUILD_BOTTOM_UP; build++) {
            const tree_def def = {.volume = IMP_VOLUME_DOP,
                                  .build = build,
                                  .descent = IMP_DESCENT_SIMULTANEOUS,
                                  .degree = 2,
                                  .leaf = 1,
                                  .threads = 2};
            for (uint32_t i = 0; i < n; i++)
                for (int k = 0; k < 6; k++)
                    g.box[6 * i + (uint32_t)k] = far ? ldexpf(1, -(int)(i % 60)) : 0.25f;
            CU_ASSERT_EQUAL_FATAL(tree_make(&g.mem, &def, &g.from, 3, g.start, g.prim, &g.tree), 0);
            EXPECT(g.tree.levels < 64, "%u levels", g.tree.levels);
            CU_ASSERT_EQUAL(tree_refit(&g.mem, &g.from, &g.tree), 0);
            tree_free(&g.mem, &g.tree);
        }
    grove_close(&g);
}

/* ---- descents */

static void count_pair(void *user, uint32_t a, uint32_t b)
{
    (void)a;
    (void)b;
    ++*(uint64_t *)user;
}

static uint64_t count_from(const grove *g, tree_pair at, tree_counts *counts)
{
    uint64_t n = 0;
    tree_step *stack = malloc(tree_stack(&g->tree) * sizeof *stack);
    CU_ASSERT_PTR_NOT_NULL_FATAL(stack);
    tree_descend(&g->tree, at, stack, count_pair, &n, counts);
    free(stack);
    return n;
}

/* All meet all: 5 x 10^7 pairs of 10^4. */
static void test_coincident(void)
{
    const uint32_t n = TEST_SLOW ? 1000 : 10000;
    rng r = {3};
    grove g;
    grove_open(&g, n, 0.1, &r);
    for (uint32_t i = 0; i < 9 * n; i++)
        g.x[i] = g.x[i % 9];
    for (uint32_t i = 0; i < 6 * n; i++)
        g.box[i] = g.box[i % 6];
    g.start[1] = g.start[2] = 0;
    for (int volume = IMP_VOLUME_DOP; volume <= IMP_VOLUME_HYBRID; volume++) {
        const tree_def def = {.volume = volume,
                              .build = IMP_BUILD_TOP_DOWN,
                              .descent = IMP_DESCENT_ENVIRONMENT_FIRST,
                              .degree = 2,
                              .leaf = 8,
                              .threads = 2};
        tree_counts counts = {0};
        const uint32_t start[] = {0, n};
        CU_ASSERT_EQUAL_FATAL(tree_make(&g.mem, &def, &g.from, 1, start, g.prim, &g.tree), 0);
        uint64_t found = count_from(&g, (tree_pair){0, 0}, &counts);
        EXPECT(found == (uint64_t)n * (n - 1) / 2, "%llu pairs", (unsigned long long)found);
        tree_free(&g.mem, &g.tree);
    }
    grove_close(&g);
}

static uint64_t plain_pairs(const grove *g, uint32_t first, uint32_t second)
{
    uint64_t n = 0;
    for (uint32_t i = g->start[first]; i < g->start[first + 1]; i++)
        for (uint32_t j = g->start[second]; j < g->start[second + 1]; j++)
            n += (first != second || i < j) && bv_dops_overlap(g->box + 6 * i, g->box + 6 * j, 0);
    return n;
}

/* Volumes that were fitted anew to what moved find what there is now. */
static void test_refit(void)
{
    rng r = {4};
    grove g;
    grove_open(&g, 600, 0.05, &r);
    for (int volume = IMP_VOLUME_DOP; volume <= IMP_VOLUME_HYBRID; volume++)
        for (int descent = IMP_DESCENT_ENVIRONMENT_FIRST; descent <= TREE_DESCENT_ACTIVE_FIRST;
             descent++) {
            const tree_def def = {.volume = volume,
                                  .build = IMP_BUILD_BOTTOM_UP,
                                  .descent = descent,
                                  .degree = 3,
                                  .leaf = 2,
                                  .threads = 2};
            CU_ASSERT_EQUAL_FATAL(tree_make(&g.mem, &def, &g.from, 3, g.start, g.prim, &g.tree), 0);
            for (int frame = 0; frame < 4; frame++) {
                tree_counts counts = {0};
                uint64_t within = count_from(&g, (tree_pair){2, 2}, &counts);
                uint64_t between = count_from(&g, (tree_pair){0, 2}, &counts);
                uint64_t most[] = {plain_pairs(&g, 2, 2), plain_pairs(&g, 0, 2)};
                int same = within == most[0] && between == most[1];
                int fewer = within <= most[0] && between <= most[1] && within && between;
                EXPECT(volume == IMP_VOLUME_DOP ? same : fewer, "volume %d, descent %d: %d", volume,
                       descent, frame);
                grove_move(&g, &r, 0.05);
                CU_ASSERT_EQUAL(tree_refit(&g.mem, &g.from, &g.tree), 0);
            }
            const char *fault = tree_fault(&g);
            EXPECT(!fault, "volume %d after refitting: %s", volume, fault);
            tree_free(&g.mem, &g.tree);
        }
    grove_close(&g);
}

/* ---- as a method of the broad phase */

/* Pairwise: each two values of two options occur together. */
static const struct variant {
    int volume, dop, build, descent, degree, leaf;
} variants[] = {
    {1, 6, 1, 1, 2, 1},   {1, 8, 2, 2, 3, 4},   {1, 14, 1, 2, 8, 9},  {1, 18, 2, 1, 50, 30},
    {1, 26, 1, 1, 3, 30}, {2, 6, 2, 2, 8, 30},  {2, 8, 1, 1, 50, 9},  {2, 14, 2, 1, 2, 4},
    {2, 18, 1, 2, 3, 1},  {2, 26, 2, 2, 50, 4}, {3, 6, 1, 2, 50, 4},  {3, 8, 2, 1, 8, 1},
    {3, 14, 2, 1, 3, 30}, {3, 18, 1, 1, 2, 9},  {3, 26, 2, 2, 2, 30}, {4, 6, 2, 1, 3, 9},
    {4, 8, 1, 2, 2, 30},  {4, 14, 1, 2, 50, 1}, {4, 18, 2, 2, 8, 4},  {4, 26, 1, 1, 8, 9},
};

static imp_def variant_def(const struct variant *v)
{
    return (imp_def){.broad = "tree",
                     .volume = v->volume,
                     .dop_k = v->dop,
                     .build = v->build,
                     .descent = v->descent,
                     .degree = (uint32_t)v->degree,
                     .leaf = (uint32_t)v->leaf,
                     .on_bad = IMP_BAD_SKIP};
}

static int row_before(const struct contact_row *a, const struct contact_row *b)
{
    return a->frame != b->frame ? a->frame < b->frame : a->a != b->a ? a->a < b->a : a->b < b->b;
}

/* Are all rows of `some` in `all`? Both are in order. */
static int is_part(const contact_list *some, const contact_list *all)
{
    size_t k = 0;
    for (size_t i = 0; i < some->count; i++, k++) {
        while (k < all->count && row_before(&all->row[k], &some->row[i]))
            k++;
        if (k == all->count || row_before(&some->row[i], &all->row[k]))
            return 0;
    }
    return 1;
}

static void detect_list(const way *w, const imp_def *def, const made *m, contact_list *out,
                        imp_profile *told)
{
    imp *p = way_pipeline(w, def);
    *out = (contact_list){0};
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    if (imp_detect(p, m->frame, m->frames, contact_list_sink, out, NULL))
        way_failed(w, def->broad, m->name, imp_error_text());
    if (told)
        imp_profile_get(p, told);
    imp_destroy(p);
}

/* Contacts are those of all pairs; candidates are some of theirs, and all if volumes are k-DOPs,
 * and have all contacts. */
static void check_variant(const way *w, const struct variant *v, const made *m, int which)
{
    contact_list want, got, candidates, all;
    imp_def def = variant_def(v), plain = {.broad = "brute", .on_bad = IMP_BAD_SKIP};
    plain.dop_k = v->dop;
    plain.pairs = def.pairs = which;
    detect_list(w, &plain, m, &want, NULL);
    detect_list(w, &def, m, &got, NULL);
    plain.stage = def.stage = IMP_STAGE_CANDIDATES;
    detect_list(w, &plain, m, &all, NULL);
    detect_list(w, &def, m, &candidates, NULL);
    int same = v->volume == IMP_VOLUME_DOP ? contact_list_equal(&all, &candidates)
                                           : is_part(&candidates, &all);
    EXPECT(contact_list_equal(&want, &got), "%s, %s, volume %d, dop %d: other contacts", w->name,
           m->name, v->volume, v->dop);
    EXPECT(same && is_part(&got, &candidates), "%s, %s, volume %d, dop %d: other candidates",
           w->name, m->name, v->volume, v->dop);
    contact_list_free(&want);
    contact_list_free(&got);
    contact_list_free(&all);
    contact_list_free(&candidates);
}

/* Every scene with some variants every day, and all in the soak; by a device with a driver every
 * fifth. */
static void test_contacts(void)
{
    const size_t count = sizeof variants / sizeof *variants;
    const int soak = test_count(1) > 1;
    way list[WAYS_MOST];
    size_t ways = ways_few(list), some = soak ? count : TEST_SLOW ? 1 : 2;
    made m;
    for (size_t i = 0; made_open(i, 120, &m); i++, made_free(&m))
        for (size_t w = 0; w < (soak || i % 5 == 0 ? ways : 1); w++)
            for (size_t k = 0; k < (w ? 1 : some); k++)
                check_variant(&list[w], &variants[(i * 7 + w + k * count / some) % count], &m,
                              (int)((i + k) % 3));
    skip_note();
}

/* What is counted does not depend on threads; two descents ask differently, and find the same. */
static void test_counts(void)
{
    made m;
    CU_ASSERT_FATAL(made_procedural("cloth-fold", 4000, 2, 1, &m));
    const way one = {.name = "1 thread", .device = "cpu", .threads = 1};
    const way two = {.name = "3 threads", .device = "cpu", .threads = 3};
    uint64_t tests[2] = {0};
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        imp_def def = variant_def(&variants[i]);
        def.hybrid_level = def.volume == IMP_VOLUME_HYBRID ? 3 : 0; /* or it may have no boxes */
        imp_profile a, b;
        contact_list x, y;
        detect_list(&one, &def, &m, &x, &a);
        detect_list(&two, &def, &m, &y, &b);
        CU_ASSERT(contact_list_equal(&x, &y) && x.count > 100);
        CU_ASSERT(a.tree_nodes && a.tree_height && a.volume_tests && a.leaf_pairs);
        CU_ASSERT(a.volume_tests == b.volume_tests && a.obb_tests == b.obb_tests &&
                  a.axes == b.axes && a.leaf_pairs == b.leaf_pairs && a.tree_nodes == b.tree_nodes);
        CU_ASSERT_EQUAL(a.obb_tests > 0, def.volume >= IMP_VOLUME_OBB);
        CU_ASSERT(a.axes <= 15 * a.obb_tests);
        contact_list_free(&x);
        contact_list_free(&y);
    }
    for (int i = 0; i < 2; i++) {
        imp_def def = {.descent = IMP_DESCENT_ENVIRONMENT_FIRST + i};
        imp_profile a;
        contact_list x;
        detect_list(&one, &def, &m, &x, &a);
        tests[i] = a.volume_tests;
        contact_list_free(&x);
    }
    CU_ASSERT(tests[0] != tests[1]);
    made_free(&m);
}

/* Options that do not go together, and options that choose the method. */
static void test_options(void)
{
    const imp_def wrong[] = {{.broad = "grid", .volume = IMP_VOLUME_OBB},
                             {.broad = "hash", .leaf = 4},
                             {.cell = 1, .degree = 4},
                             {.degree = 1},
                             {.volume = 5},
                             {.volume = -1},
                             {.build = 3},
                             {.descent = 3},
                             {.hybrid_level = 2},
                             {.volume = IMP_VOLUME_OBB, .hybrid_level = 2}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        imp *p = NULL;
        EXPECT(imp_create(&wrong[i], &p) == IMP_ERR_ARGUMENT, "wrong options %zu are taken", i);
        imp_destroy(p);
    }
    imp *p;
    CU_ASSERT_EQUAL_FATAL(imp_create(&(imp_def){.device = "cpu", .leaf = 3}, &p), 0);
    CU_ASSERT_STRING_EQUAL(imp_broad_name(p), "tree");
    imp_destroy(p);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"nodes", test_nodes},           {"height", test_height},
                                 {"coincident", test_coincident}, {"refit", test_refit},
                                 {"contacts", test_contacts},     {"counts", test_counts},
                                 {"options", test_options},       {0}};
    return test_main(argc, argv, "tree", tests);
}
