/* Memory limits, and a scene made to exceed them: the result is the same, or there is an error. */
#include "made.h"
#include "truth.h"
#include "ways.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the limit */

/* All triangles of each frame near one place: half of all pairs are in contact. */
static void limits_dense(made *m, uint32_t n)
{
    rng r = {11};
    *m = (made){.name = "dense"};
    for (int f = 0; f < 3; f++) {
        made_part *p = made_add(m, n);
        for (uint32_t i = 0; i < n; i++)
            made_triangle(p, i, (const double[3]){0, 0, 0}, 1 + rng_unit(&r), &r);
        for (uint32_t i = 0; i < n / 8; i++) /* these need exact arithmetic */
            memcpy(p->point + (size_t)9 * i, p->point + (size_t)9 * (n - 1 - i),
                   9 * sizeof(double));
    }
}

/* is `part` a prefix of `all`? */
static int limits_is_prefix(const contact_list *all, const contact_list *part)
{
    return part->count <= all->count &&
           (!part->count || !memcmp(all->row, part->row, part->count * sizeof *part->row));
}

/* Runs one method under one limit; returns 0 or IMP_ERR_MEMORY. */
static int limits_run_limited(const way *w, const char *method, uint64_t limit, const made *m,
                              const contact_list *want)
{
    const imp_def def = {.broad = method, .mem_limit = limit};
    const char *what = NULL;
    contact_list got = {0};
    imp_profile t = {0};
    imp *p;
    int err = way_create(w, &def, &p);
    if (!err)
        err = imp_detect(p, m->frame, m->frames, contact_list_sink, &got, NULL);
    if (p)
        imp_profile_get(p, &t);
    if (err && err != IMP_ERR_MEMORY)
        what = imp_error_text();
    else if (err ? !limits_is_prefix(want, &got) : !contact_list_equal(want, &got))
        what = "other contacts under a limit";
    else if (t.peak_bytes > limit)
        what = "over the limit";
    if (what)
        way_failed(w, method, m->name, what);
    imp_destroy(p);
    contact_list_free(&got);
    return err;
}

/* The smallest sufficient limit, to within a thirtieth. */
static uint64_t smallest(const way *w, const char *method, const made *m, const contact_list *want)
{
    uint64_t low = 0, high = UINT64_C(1) << 24;
    CU_ASSERT_EQUAL_FATAL(limits_run_limited(w, method, high, m, want), 0);
    while (high - low > high / 30) {
        uint64_t mid = low ? low + (high - low) / 2 : high / 4;
        if (limits_run_limited(w, method, mid, m, want))
            low = mid;
        else
            high = mid;
    }
    return high;
}

static void test_smallest(void)
{
    way list[WAYS_MOST];
    size_t n = ways_few(list);
    made m;
    contact_list want = {0};
    limits_dense(&m, 90);
    imp *p = way_pipeline(list, &(imp_def){0});
    CU_ASSERT_EQUAL(imp_detect(p, m.frame, m.frames, contact_list_sink, &want, NULL), 0);
    CU_ASSERT(want.count > 1000);
    for (size_t i = 0; i<n; i += n> 1 ? n - 1 : 1) /* first and last */
        for (const char *const *name = broad_names; *name; name++) {
            uint64_t least = smallest(&list[i], *name, &m, &want);
            printf("\n    %s, %s: %llu bytes ", list[i].name, *name, (unsigned long long)least);
            CU_ASSERT(least < 1 << 18);
            for (int k = 5; k < 12; k += 2)
                limits_run_limited(&list[i], *name, least * (uint64_t)k / 6, &m, &want);
            CU_ASSERT_EQUAL(limits_run_limited(&list[i], *name, 2 * least, &m, &want), 0);
            CU_ASSERT_EQUAL(limits_run_limited(&list[i], *name, 4 * least, &m, &want), 0);
            for (uint64_t tiny = 1; tiny < 10000; tiny *= 17)
                CU_ASSERT_EQUAL(limits_run_limited(&list[i], *name, tiny, &m, &want),
                                IMP_ERR_MEMORY);
        }
    imp_destroy(p);
    contact_list_free(&want);
    made_free(&m);
}

/* Blocks fit the memory limit, and imp_block_frames tells in advance how many frames a block has.
 */
static void test_block_frames(void)
{
    imp *p;
    CU_ASSERT_EQUAL(imp_create(&(imp_def){.device = "cpu"}, &p), 0);
    CU_ASSERT(imp_block_frames(p, 100, 100) > 100);
    CU_ASSERT_EQUAL(imp_block_frames(p, 100000000, 200000000), 1);
    CU_ASSERT(imp_block_frames(p, 0, 0) >= 1);
    imp_destroy(p);
    CU_ASSERT_EQUAL(imp_create(&(imp_def){.device = "cpu", .block = 7}, &p), 0);
    CU_ASSERT_EQUAL(imp_block_frames(p, 100, 100), 7);
    imp_destroy(p);
    CU_ASSERT_EQUAL(imp_create(&(imp_def){.device = "cpu", .mem_limit = 8 << 20}, &p), 0);
    size_t n = imp_block_frames(p, 1000, 2000);
    CU_ASSERT(n >= 1 && n < 20);
    imp_destroy(p);
}

/* ---- devices with less memory or smaller work-groups */

static const device_limits little[] = {
    {.largest = 128 << 10},
    {.bits = 32},
    {.largest = 128 << 10, .local = 32 << 10, .group = 256, .bits = 32},
    {.local = 16 << 10},
    {.group = 128},
    {.group = 1},
};

static void check_little(const way *w, const made *m, const contact_list *want)
{
    for (const char *const *name = broad_names; *name; name++) {
        contact_list got = {0};
        imp *p = NULL;
        /* kernels need a device that supports their work-groups */
        if ((w->most.group && w->most.group < 256) || (w->most.local && w->most.local < 32 << 10)) {
            CU_ASSERT_EQUAL(way_create(w, &(imp_def){.broad = *name}, &p), IMP_ERR_DEVICE);
            continue;
        }
        p = way_pipeline(w, &(imp_def){.broad = *name});
        CU_ASSERT_PTR_NOT_NULL_FATAL(p);
        CU_ASSERT_EQUAL(p->context.dev->large, w->units || w->gpu);
        if (imp_detect(p, m->frame, m->frames, contact_list_sink, &got, NULL))
            way_failed(w, *name, m->name, imp_error_text());
        else if (!contact_list_equal(want, &got) || !strcmp(imp_device_name(p), "cpu"))
            way_failed(w, *name, m->name, "other contacts by a device that has less");
        contact_list_free(&got);
        imp_destroy(p);
    }
}

/* Buffers of a block fit the device's limits, and no launch exceeds them. */
static void test_limits_little(void)
{
    way list[WAYS_MOST];
    const size_t n = ways_find(list); /* including those without float64 */
    made m;
    contact_list want = {0};
    limits_dense(&m, 160);
    imp *p = way_pipeline(list, &(imp_def){0});
    CU_ASSERT_EQUAL(imp_detect(p, m.frame, m.frames, contact_list_sink, &want, NULL), 0);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; list[i].opencl && k < sizeof little / sizeof *little; k++) {
            way w = list[i];
            w.most = little[k];
            check_little(&w, &m, &want);
        }
    imp_destroy(p);
    contact_list_free(&want);
    made_free(&m);
}

/* ---- the hostile scene */

#define HOSTILE_FULL 20000
#define HOSTILE_LIMIT (UINT64_C(512) << 20)

/* all pairs except those that share a vertex */
static uint64_t all_pairs(const imp_mesh *m)
{
    uint64_t n = m->primitives, count = n * (n - 1) / 2;
    uint64_t *use = calloc(m->vertices + (size_t)1, sizeof *use);
    CU_ASSERT_PTR_NOT_NULL_FATAL(use);
    for (uint32_t i = 0; i < 3 * m->primitives; i++)
        use[m->corner[i]]++;
    for (uint32_t v = 0; v < m->vertices; v++)
        CU_ASSERT(use[v] <= 1); /* no vertex is shared */
    free(use);
    return count;
}

static size_t true_contacts(const imp_frame *f)
{
    mem memory = {0};
    truth t;
    const imp_def def = {0};
    CU_ASSERT_EQUAL_FATAL(truth_find(&memory, f, &def, NULL, 2, &t), 0);
    size_t n = t.count;
    truth_free(&memory, &t);
    return n;
}

static void hostile(uint64_t prims, uint64_t limit)
{
    made m;
    pipes s;
    const imp_def def = {.mem_limit = limit};
    CU_ASSERT_FATAL(made_procedural("hostile", prims, 1, 0, &m));
    uint64_t every = all_pairs(m.frame->mesh);
    size_t contacts = true_contacts(m.frame);
    CU_ASSERT(contacts > 0 && contacts < prims / 10);
    pipes_open(&s, &def, 0);
    for (size_t i = 0; i < s.count; i++) {
        imp_frame_info info;
        contact_list l = {0};
        CU_ASSERT_EQUAL(imp_detect(s.list[i].p, m.frame, 1, contact_list_sink, &l, &info), 0);
        if (info.candidates != every || info.contacts != contacts || l.count != contacts)
            way_failed(s.list[i].way, s.list[i].method, "hostile", "other counts");
        contact_list_free(&l);
    }
    pipes_close(&s);
    made_free(&m);
}

/* At 8 bytes each, the candidates would need four times the limit. */
static void test_limits_hostile(void)
{
    hostile(TEST_SLOW ? 800 : 1500, TEST_SLOW ? 1 << 20 : 2 << 20);
}

static void test_hostile_full(void)
{
    if (test_count(1) < 2)
        SKIP("part of the soak: set IMPINGE_SOAK");
    hostile(HOSTILE_FULL, HOSTILE_LIMIT);
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"smallest", test_smallest},         {"block_frames", test_block_frames},
        {"little", test_limits_little},      {"hostile", test_limits_hostile},
        {"hostile_full", test_hostile_full}, {0},
    };
    return test_main(argc, argv, "limits", tests);
}
