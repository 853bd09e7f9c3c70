/* Contacts of steps with rotating bodies are the same rows with every device, method, block, and
 * amount of memory, and follow when the scene is scaled, permuted, or has steps without rotation.
 */
#include "error.h"
#include "expect.h"
#include "rigid_acts.h"
#include "ways.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void rigid_ccd_test_same_rows(const contact_list *want, const contact_list *got,
                                     const char *what, const char *how)
{
    EXPECT(contact_list_equal(want, got), "%s: other rows by %s: %zu, not %zu", what, how,
           got->count, want->count);
}

static void test_rigid_ccd_ways(void)
{
    for (size_t i = 0; i<ACT_CASES; i += test_count(1)> 1 ? 1 : 6) {
        const struct act_case *of = &act_cases[i];
        act *s = act_crowded(17 + i, STEPS, of->corners, of->most, of->pivot);
        contact_list want;
        pipes p;
        act_find_rows(&of->def, s, &want);
        CU_ASSERT(want.count > 20);
        pipes_open(&p, &of->def, 0);
        for (size_t k = 0; k < p.count; k++) {
            contact_list got;
            act_rows_by(p.list[k].p, s, &got);
            rigid_ccd_test_same_rows(&want, &got, p.list[k].way->name, p.list[k].method);
            contact_list_free(&got);
        }
        pipes_close(&p);
        contact_list_free(&want);
        free(s);
    }
}

static void test_rigid_ccd_options(void)
{
    const struct act_case *of = &act_cases[0];
    act *s = act_crowded(23, STEPS, of->corners, of->most, of->pivot);
    contact_list want, got;
    act_find_rows(&of->def, s, &want);
    for (int i = 0; i < 6; i++) {
        imp_def def = of->def;
        static const int dops[] = {14, 18, 26};
        def.block = (uint32_t)i % 3;
        def.threads = 1 + i % 3;
        def.dop_k = i < 3 ? 0 : dops[i - 3];
        def.update = i % 2 ? IMP_UPDATE_KEEP : IMP_UPDATE_AUTO;
        act_find_rows(&def, s, &got);
        rigid_ccd_test_same_rows(&want, &got, "options", "blocks and threads");
        contact_list_free(&got);
    }
    contact_list_free(&want);
    free(s);
}

/* With as much memory as needed, and with less and less, until there is an error. */
static void test_rigid_ccd_memory(void)
{
    const struct act_case *of = &act_cases[2];
    act *s = act_crowded(29, 2, of->corners, of->most, of->pivot);
    const way w = way_host();
    contact_list want, got;
    imp_profile used;
    int err = 0, fewer = 0;
    act_find_rows(&of->def, s, &want);
    imp *p = way_pipeline(&w, &of->def);
    CU_ASSERT_EQUAL(imp_detect(p, s->frame, 3, NULL, NULL, NULL), 0);
    imp_profile_get(p, &used);
    imp_destroy(p);
    for (uint64_t limit = used.peak_bytes; limit > 4096 && !err; limit -= limit / 12) {
        imp_def def = of->def;
        def.mem_limit = limit;
        got = (contact_list){0};
        err = way_create(&w, &def, &p);
        if (err)
            break;
        err = imp_detect(p, s->frame, 3, contact_list_sink, &got, NULL);
        EXPECT(!err || err == IMP_ERR_MEMORY, "%s", imp_error_text());
        if (!err)
            rigid_ccd_test_same_rows(&want, &got, "memory", "less of it");
        fewer += !err;
        contact_list_free(&got);
        imp_destroy(p);
    }
    CU_ASSERT(err == IMP_ERR_MEMORY && fewer > 3);
    contact_list_free(&want);
    free(s);
}

/* Scaled by powers of two: tois stay, points scale. */
static void test_rigid_ccd_scaled(void)
{
    const struct act_case *of = &act_cases[4];
    for (int e = -300; e <= 300; e += 200) {
        act *s = act_crowded(31, 1, of->corners, of->most, of->pivot);
        imp_def def = of->def;
        contact_list want, got;
        act_find_rows(&def, s, &want);
        def.min_separation = ldexp(def.min_separation, e);
        for (size_t i = 0; i < 3 * (size_t)s->mesh.vertices; i++) {
            s->rest[i] = ldexp(s->rest[i], e);
            for (int f = 0; f < 2; f++)
                s->point[f][i] = ldexp(s->point[f][i], e);
        }
        for (int i = 0; i < 2 * 3 * BODIES; i++)
            s->pose[i % 2][i / 2 % BODIES].centre[i / 2 / BODIES] =
                ldexp(s->pose[i % 2][i / 2 % BODIES].centre[i / 2 / BODIES], e);
        act_find_rows(&def, s, &got);
        for (size_t i = 0; i < 6 * want.count; i++)
            want.row[i / 6].point[i % 6] = ldexp(want.row[i / 6].point[i % 6], e);
        rigid_ccd_test_same_rows(&want, &got, "scaled", "a power of two");
        contact_list_free(&want);
        contact_list_free(&got);
        free(s);
    }
}

/* In the opposite order: tois stay, and the two primitives of a row are swapped. */
static void test_rigid_ccd_permuted(void)
{
    const struct act_case *of = &act_cases[1];
    act *s = act_crowded(37, 1, of->corners, of->most, of->pivot);
    const uint32_t n = s->mesh.primitives;
    contact_list want, got;
    act_find_rows(&of->def, s, &want);
    act *t = malloc(sizeof *t);
    CU_ASSERT_PTR_NOT_NULL_FATAL(t);
    *t = *s;
    for (uint32_t i = 0; i < n; i++) {
        memcpy(t->corner + (size_t)3 * i, s->corner + (size_t)3 * (n - 1 - i),
               3 * sizeof *t->corner);
        t->object[i] = s->object[n - 1 - i];
    }
    act_frames(t);
    act_find_rows(&of->def, t, &got);
    CU_ASSERT_EQUAL(got.count, want.count);
    for (size_t i = 0; i < want.count; i++) {
        const struct contact_row *x = &want.row[i],
                                 *y = act_find_row(&got, 0, n - 1 - x->b, n - 1 - x->a);
        EXPECT(y && y->toi == x->toi, "pair %u %u has another share", x->a, x->b);
    }
    contact_list_free(&want);
    contact_list_free(&got);
    free(s);
    free(t);
}

/* Candidates include all pairs in contact, and no pair within a rotating body. */
static void test_rigid_ccd_candidates(void)
{
    const imp_def contacts = {.continuous = 1},
                  def = {.continuous = 1, .stage = IMP_STAGE_CANDIDATES};
    act *s = act_crowded(41, STEPS, 3, 60, 0);
    contact_list rows, all;
    act_find_rows(&contacts, s, &rows);
    act_find_rows(&def, s, &all);
    for (size_t i = 0; i < rows.count; i++)
        EXPECT(act_find_row(&all, rows.row[i].frame, rows.row[i].a, rows.row[i].b) != NULL,
               "pair %u %u is no candidate", rows.row[i].a, rows.row[i].b);
    for (size_t i = 0; i < all.count; i++) {
        const int32_t of = s->object[all.row[i].a];
        EXPECT(of != s->object[all.row[i].b] || of == 3 || of == 4 || of == 7,
               "body %d with itself", of);
    }
    contact_list_free(&rows);
    contact_list_free(&all);
    free(s);
}

/* Bodies that rotate in one step and not in the other: the step without rotation is exact, as
 * without poses. */
static void test_both(void)
{
    const imp_def def = {.continuous = 1};
    act *s = act_crowded(43, STEPS, 3, 60, 0);
    contact_list rows, alone;
    for (int b = 0; b < BODIES; b++)
        s->going[1][b].angle = 0;
    act_frames(s);
    act_find_rows(&def, s, &rows);
    imp_frame plain[2] = {s->frame[1], s->frame[2]};
    const way w = way_host();
    imp *p = way_pipeline(&w, &def);
    plain[0].pose = plain[1].pose = NULL;
    alone = (contact_list){0};
    CU_ASSERT_EQUAL(imp_detect(p, plain, 2, contact_list_sink, &alone, NULL), 0);
    size_t n = 0;
    for (size_t i = 0; i < rows.count; i++)
        if (rows.row[i].frame == 1) {
            struct contact_row x = rows.row[i];
            x.frame = 0;
            EXPECT(n < alone.count && !memcmp(&x, &alone.row[n], sizeof x), "row %zu differs", n);
            n++;
        }
    CU_ASSERT(n == alone.count && n > 5);
    contact_list_free(&rows);
    contact_list_free(&alone);
    imp_destroy(p);
    free(s);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"ways", test_rigid_ccd_ways},
                                 {"options", test_rigid_ccd_options},
                                 {"memory", test_rigid_ccd_memory},
                                 {"scaled", test_rigid_ccd_scaled},
                                 {"permuted", test_rigid_ccd_permuted},
                                 {"candidates", test_rigid_ccd_candidates},
                                 {"both", test_both},
                                 {0}};
    return test_main(argc, argv, "rigid_ccd_same", tests);
}
