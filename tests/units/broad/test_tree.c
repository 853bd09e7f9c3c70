/* Trees of bounding volumes: nodes and volumes have their invariants, and every volume, build,
 * descent, degree and leaf size gives the contacts of all pairs. */
#include "expect.h"
#include "made.h"
#include "tree.h"
#include "variants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- trees alone, of loose triangles at random positions */

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

/* A node's volume contains all its primitives, and a k-DOP is tight. */
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
                                  .hybrid_level = 2,
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

/* The memory of a tree, except for spare capacity of its list of levels, and rounding of blocks. */
static void test_bytes(void)
{
    enum { LEVELS_SPARE = 1024, ROUNDED = 7 * 64 };
    rng r = {5};
    grove g;
    grove_open(&g, 900, 0.05, &r);
    for (int volume = IMP_VOLUME_DOP; volume <= IMP_VOLUME_HYBRID; volume++) {
        const tree_def def = {.volume = volume,
                              .build = IMP_BUILD_TOP_DOWN,
                              .descent = IMP_DESCENT_SIMULTANEOUS,
                              .degree = 2,
                              .leaf = 1,
                              .hybrid_level = 2,
                              .threads = 1};
        CU_ASSERT_EQUAL(tree_bytes(&g.tree), 0);
        CU_ASSERT_EQUAL_FATAL(tree_make(&g.mem, &def, &g.from, 3, g.start, g.prim, &g.tree), 0);
        const uint64_t bytes = tree_bytes(&g.tree), now = g.mem.now;
        EXPECT(now >= bytes && now <= bytes + LEVELS_SPARE + ROUNDED, "volume %d: %llu, not %llu",
               volume, (unsigned long long)bytes, (unsigned long long)now);
        /* three binary trees of n leaves */
        const uint64_t nodes = 2 * g.prims - 3, levels = g.tree.levels + 1;
        CU_ASSERT(volume != IMP_VOLUME_SPHERE ||
                  bytes == g.prims * sizeof(tree_item) + levels * sizeof(uint32_t) +
                               nodes * (sizeof(tree_node) + sizeof(bv_sphere)));
        tree_free(&g.mem, &g.tree);
    }
    grove_close(&g);
}

/* Primitives at one point, or each twice as far out as the one before: no tree is high. */
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

static void tree_test_count_pair(void *user, uint32_t a, uint32_t b)
{
    (void)a;
    (void)b;
    ++*(uint64_t *)user;
}

static uint64_t count_from(const grove *g, tree_pair at, tree_counts *counts)
{
    uint64_t n = 0;
    const tree_duo duo = {&g->tree, &g->tree, NULL};
    tree_stack_entry *stack = malloc(tree_stack_size(&g->tree, &g->tree) * sizeof *stack);
    CU_ASSERT_PTR_NOT_NULL_FATAL(stack);
    tree_traverse(&duo, at, stack, tree_test_count_pair, &n, counts);
    free(stack);
    return n;
}

/* All overlap: 5 x 10^7 pairs of 10^4. */
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
                              .hybrid_level = 2,
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

/* Volumes refitted to moved primitives find the current pairs. */
static void test_refit(void)
{
    rng r = {4};
    grove g;
    grove_open(&g, 600, 0.05, &r);
    for (int volume = IMP_VOLUME_DOP; volume <= IMP_VOLUME_HYBRID; volume++)
        for (int descent = IMP_DESCENT_ENVIRONMENT_FIRST; descent <= IMP_DESCENT_SIMULTANEOUS;
             descent++) {
            const tree_def def = {.volume = volume,
                                  .build = IMP_BUILD_BOTTOM_UP,
                                  .descent = descent,
                                  .degree = 3,
                                  .leaf = 2,
                                  .hybrid_level = 2,
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

/* A root of 3,000 children is one long step: cancelling does not wait for its end. */
static void test_cancelled(void)
{
    const uint32_t n = 3000, start[] = {0, n};
    atomic_int cancel = 0;
    rng r = {5};
    grove g;
    grove_open(&g, n, 0.05, &r);
    const tree_def def = {.volume = IMP_VOLUME_DOP,
                          .build = IMP_BUILD_TOP_DOWN,
                          .descent = IMP_DESCENT_ENVIRONMENT_FIRST,
                          .degree = n,
                          .leaf = 1,
                          .threads = 2,
                          .cancel = &cancel};
    tree_counts counts = {0};
    CU_ASSERT_EQUAL_FATAL(tree_make(&g.mem, &def, &g.from, 1, start, g.prim, &g.tree), 0);
    atomic_store(&cancel, 1);
    CU_ASSERT_EQUAL(count_from(&g, (tree_pair){0, 0}, &counts), 0);
    CU_ASSERT(counts.volume_tests < 10);
    tree_free(&g.mem, &g.tree);
    grove_close(&g);
}

/* One large object among 3,000 of a few triangles: it is divided even with enough pairs, and so is
 * the work that would be left to a single thread. */
static void test_front(void)
{
    enum { SMALL = 3000, FEW = 4, LARGE = 60000, ALL = SMALL * FEW + LARGE };
    static uint32_t start[SMALL + 2];
    rng r = {6};
    grove g;
    grove_open(&g, ALL, 0.01, &r);
    for (uint32_t i = 0; i <= SMALL; i++)
        start[i] = i * FEW;
    start[SMALL + 1] = ALL;
    const tree_def def = {.volume = IMP_VOLUME_DOP,
                          .build = IMP_BUILD_TOP_DOWN,
                          .descent = IMP_DESCENT_ENVIRONMENT_FIRST,
                          .degree = 2,
                          .leaf = 8,
                          .threads = 2};
    CU_ASSERT_EQUAL_FATAL(tree_make(&g.mem, &def, &g.from, SMALL + 1, start, g.prim, &g.tree), 0);
    const tree_duo duo = {&g.tree, &g.tree, NULL};
    const tree_pair large = {SMALL, SMALL};
    tree_counts whole = {0}, parts = {0};
    tree_front front = {0};
    for (uint32_t i = 0; i <= SMALL; i++)
        CU_ASSERT_EQUAL_FATAL(tree_front_add(&g.mem, &front, (tree_start){0, {i, i}}), 0);
    CU_ASSERT_EQUAL(tree_front_widen(&g.mem, &duo, &front, 500, &parts), 0);
    uint64_t found = 0;
    for (size_t i = 0; i < front.count; i++) {
        const tree_pair at = front.start[i].at;
        const tree_node *e = g.tree.node + at.e, *f = g.tree.node + at.f;
        CU_ASSERT(e->end - e->begin + f->end - f->begin <= 4096);
        if (e->begin >= start[SMALL])
            found += count_from(&g, at, &parts);
    }
    CU_ASSERT(found == count_from(&g, large, &whole) && found > 1000);
    CU_ASSERT(parts.volume_tests == whole.volume_tests && parts.leaf_pairs == whole.leaf_pairs);
    tree_front_free(&g.mem, &front);
    tree_free(&g.mem, &g.tree);
    grove_close(&g);
}

/* ---- as a method of the broad phase */

/* Number i of all variants: volumes, k, builds, descents, degrees, leaves. */
#define PRODUCT (4 * 5 * 2 * 2 * 3 * 3)
static variant tree_test_product(size_t i)
{
    static const int k[] = {6, 8, 14, 18, 26}, degree[] = {2, 4, 8}, leaf[] = {1, 4, 16};
    return (variant){1 + (int)(i % 4),      k[i / 4 % 5],       1 + (int)(i / 20 % 2),
                     1 + (int)(i / 40 % 2), degree[i / 80 % 3], leaf[i / 240 % 3]};
}

/* Every scene with some variants every day, and with all in the soak; every fifth on a device with
 * a driver. Under sanitizers every third scene. */
static void test_tree_contacts(void)
{
    const int soak = test_count(1) > 1;
    way list[WAYS_MOST];
    size_t ways = ways_few(list), some = soak ? PRODUCT : TEST_SLOW ? 1 : 2;
    made m;
    for (size_t i = 0; made_open(i, 120, &m); i++, made_free(&m))
        for (size_t k = 0; k < some && (soak || !TEST_SLOW || i % 3 == 1); k++) {
            const size_t which = (i * 7 + k * VARIANTS / some) % VARIANTS;
            const variant v = soak ? tree_test_product(k) : variants[which];
            for (size_t w = 0; w < (k == i % some && (soak || i % 5 == 0) ? ways : 1); w++)
                variant_check(&list[w], &v, &m, (int)((i + k) % 3));
        }
}

/* Counts do not depend on threads; two descents test differently, and find the same. */
static void test_tree_counts(void)
{
    made m;
    CU_ASSERT_FATAL(made_procedural("cloth-fold", 4000, 2, 1, &m));
    const way one = {.name = "1 thread", .device = "cpu", .threads = 1};
    const way two = {.name = "3 threads", .device = "cpu", .threads = 3};
    uint64_t tests[2] = {0};
    for (size_t i = 0; i < VARIANTS; i++) {
        imp_def def = variant_def(&variants[i]);
        imp_profile a, b;
        contact_list x, y;
        variant_detect(&one, &def, &m, &x, &a);
        variant_detect(&two, &def, &m, &y, &b);
        CU_ASSERT(contact_list_equal(&x, &y) && x.count > 100);
        CU_ASSERT(a.tree_nodes && a.tree_height && a.volume_tests && a.leaf_pairs);
        CU_ASSERT(a.volume_tests == b.volume_tests && a.obb_tests == b.obb_tests &&
                  a.axes == b.axes && a.leaf_pairs == b.leaf_pairs && a.tree_nodes == b.tree_nodes);
        CU_ASSERT(a.tree_bytes == b.tree_bytes &&
                  a.tree_bytes > m.frame[0].mesh->primitives * sizeof(tree_item));
        CU_ASSERT_EQUAL(a.obb_tests > 0, def.volume >= IMP_VOLUME_OBB);
        CU_ASSERT(a.axes <= 15 * a.obb_tests);
        contact_list_free(&x);
        contact_list_free(&y);
    }
    for (int i = 0; i < 2; i++) {
        imp_def def = {.descent = IMP_DESCENT_ENVIRONMENT_FIRST + i};
        imp_profile a;
        contact_list x;
        variant_detect(&one, &def, &m, &x, &a);
        tests[i] = a.volume_tests;
        contact_list_free(&x);
    }
    CU_ASSERT(tests[0] != tests[1]);
    made_free(&m);
}

/* Nor if more threads make more frames share a block. */
static void test_counts_of_blocks(void)
{
    made m;
    imp_profile want, got;
    CU_ASSERT_FATAL(made_procedural("cloth-fold", 24000, 4, 1, &m));
    for (int threads = 1; threads <= 5; threads += 2) {
        const way w = {.name = "threads", .device = "cpu", .threads = threads};
        const imp_def def = {.volume = IMP_VOLUME_DOP, .stage = IMP_STAGE_CANDIDATES};
        contact_list x;
        variant_detect(&w, &def, &m, &x, threads == 1 ? &want : &got);
        contact_list_free(&x);
        CU_ASSERT(threads == 1 ||
                  (got.volume_tests == want.volume_tests && got.leaf_pairs == want.leaf_pairs &&
                   got.tree_nodes == want.tree_nodes));
    }
    made_free(&m);
}

/* Candidates of hybrid trees are the same for any number of threads, and any blocks. */
static void test_tree_level(void)
{
    made m;
    contact_list want = {0};
    CU_ASSERT_FATAL(made_procedural("cloth-ball", 1000, 8, 1, &m));
    for (int threads = 1; threads < 4; threads++)
        for (uint32_t most = 0; most < 6; most += 2) {
            const way w = {.name = "cpu", .device = "cpu", .threads = threads};
            const imp_def def = {.volume = IMP_VOLUME_HYBRID,
                                 .leaf = 2,
                                 .block = most,
                                 .stage = IMP_STAGE_CANDIDATES};
            contact_list got = {0};
            variant_detect(&w, &def, &m, want.count ? &got : &want, NULL);
            EXPECT(!got.count || contact_list_equal(&want, &got),
                   "%d threads, blocks of %u: %zu candidates, not %zu", threads, most, got.count,
                   want.count);
            contact_list_free(&got);
        }
    CU_ASSERT(want.count > 100);
    contact_list_free(&want);
    made_free(&m);
}

/* Without a level hybrid trees have one level of spheres. */
static void test_level_default(void)
{
    made m;
    uint64_t tests[3] = {0};
    const way w = {.name = "cpu", .device = "cpu", .threads = 1};
    CU_ASSERT_FATAL(made_procedural("cloth-ball", 1000, 2, 1, &m));
    for (uint32_t level = 0; level < 3; level++) {
        const imp_def def = {.volume = IMP_VOLUME_HYBRID, .hybrid_level = level};
        contact_list got;
        imp_profile told;
        variant_detect(&w, &def, &m, &got, &told);
        tests[level] = told.obb_tests;
        contact_list_free(&got);
    }
    CU_ASSERT(tests[0] == tests[1] && tests[2] && tests[1] != tests[2]);
    made_free(&m);
}

/* tree_touches against contacts, at a lower cost than these. */
static void test_tree_touches(void)
{
    made m;
    int seen[2] = {0, 0};
    for (size_t i = 0; made_open(i, 120, &m); i++, made_free(&m)) {
        const way w = {.name = "cpu", .device = "cpu", .threads = 2};
        for (size_t k = 0; broad_names[k] && (!TEST_SLOW || (i / 3 + k) % 3 == 0); k++) {
            imp *p = way_pipeline(&w, &(imp_def){.broad = broad_names[k],
                                                 .on_bad = IMP_BAD_SKIP,
                                                 .update = (int)(i % 3)});
            CU_ASSERT_PTR_NOT_NULL_FATAL(p);
            for (size_t f = 0; f < m.frames; f++) {
                imp_frame_info info;
                int before = 5, after = 5;
                CU_ASSERT_EQUAL(imp_touches(p, m.frame + f, &before), 0);
                CU_ASSERT_EQUAL(imp_detect(p, m.frame + f, 1, NULL, NULL, &info), 0);
                CU_ASSERT_EQUAL(imp_touches(p, m.frame + f, &after), 0);
                EXPECT(before == (info.contacts > 0) && after == before,
                       "%s, %s, frame %zu: touches %d %d", m.name, broad_names[k], f, before,
                       after);
                seen[before == 1]++;
            }
            imp_destroy(p);
        }
    }
    CU_ASSERT(seen[0] > 0 && seen[1] > 0);
    CU_ASSERT_FATAL(made_procedural("cloth-fold", 20000, 1, 1, &m));
    imp *p = way_pipeline(&(way){.name = "cpu", .device = "cpu", .threads = 2},
                          &(imp_def){.broad = "tree"});
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    imp_profile one, all;
    int yes;
    CU_ASSERT_EQUAL(imp_touches(p, m.frame, &yes), 0);
    imp_profile_get(p, &one);
    imp_profile_reset(p);
    CU_ASSERT_EQUAL(imp_detect(p, m.frame, 1, NULL, NULL, NULL), 0);
    imp_profile_get(p, &all);
    CU_ASSERT(yes == 1 && 3 * one.leaf_pairs < all.leaf_pairs);
    CU_ASSERT_EQUAL(imp_touches(NULL, m.frame, &yes), IMP_ERR_ARGUMENT);
    CU_ASSERT_EQUAL(imp_touches(p, NULL, &yes), IMP_ERR_ARGUMENT);
    CU_ASSERT_EQUAL(imp_touches(p, m.frame, NULL), IMP_ERR_ARGUMENT);
    imp_destroy(p);
    made_free(&m);
}

/* Incompatible options, and options that select the method. */
static void test_tree_options(void)
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
    static const test tests[] = {{"nodes", test_nodes},
                                 {"bytes", test_bytes},
                                 {"height", test_height},
                                 {"coincident", test_coincident},
                                 {"refit", test_refit},
                                 {"contacts", test_tree_contacts},
                                 {"counts", test_tree_counts},
                                 {"counts_of_blocks", test_counts_of_blocks},
                                 {"cancelled", test_cancelled},
                                 {"front", test_front},
                                 {"level", test_tree_level},
                                 {"level_default", test_level_default},
                                 {"touches", test_tree_touches},
                                 {"options", test_tree_options},
                                 {0}};
    return test_main(argc, argv, "tree", tests);
}
