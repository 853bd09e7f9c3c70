/* Rigid bodies with known poses: trees that are built once and posed lead to the contacts of all
 * pairs in each frame, in any order of frames, together with objects that change shape. */
#include "crowd.h"
#include "error.h"
#include "expect.h"
#include "bodies.h"
#include "variants.h"

#include <stdlib.h>
#include <string.h>

#define STEP (TEST_SLOW ? 3 : 1) /* every STEP-th crowd is tested */

static void test_rigid_contacts(void)
{
    way list[WAYS_MOST];
    const size_t ways = ways_few(list), few = test_count(1) > 1 ? 1 : TEST_SLOW ? 7 : 3;
    for (size_t i = 0; i < CROWDS; i += STEP) {
        crowd *c = crowd_make(&crowds[i].kind, crowds[i].name);
        for (size_t k = i % 2; k < VARIANTS; k += few)
            for (size_t w = 0; w < (k == i % 2 ? ways : 1); w++)
                variant_check(&list[w], &variants[k], &c->made, (int)((k + k / 3 + i) % 3));
        free(c);
    }
}

/* One frame at a time, backwards, again, with another mesh between: always the same candidates. */
static void test_history(void)
{
    const way w = {.name = "cpu", .device = "cpu", .threads = 2};
    for (size_t i = 0; i < CROWDS; i += STEP)
        for (size_t k = i % 7; k < VARIANTS; k += TEST_SLOW ? 14 : 7) {
            crowd *c = crowd_make(&crowds[i].kind, crowds[i].name);
            imp_def def = variant_def(&variants[k]);
            contact_list want, got;
            imp *p;
            def.stage = IMP_STAGE_CANDIDATES;
            def.update = i % 2 ? IMP_UPDATE_AUTO : IMP_UPDATE_REBUILD;
            variant_detect(&w, &def, &c->made, &want, NULL);
            CU_ASSERT_FATAL((p = way_pipeline(&w, &def)) != NULL);
            for (int f = FRAMES - 1; f >= 0; f--) {
                made one = {.name = "one", .frames = 1, .frame = c->frame + f};
                contact_list alone;
                got = (contact_list){0};
                CU_ASSERT_EQUAL(imp_detect(p, c->frame + f, 1, contact_list_sink, &got, NULL), 0);
                variant_detect(&w, &def, &one, &alone, NULL);
                EXPECT(contact_list_equal(&alone, &got), "%s, variant %zu: frame %d is another",
                       crowds[i].name, k, f);
                contact_list_free(&alone);
                contact_list_free(&got);
            }
            got = (contact_list){0};
            CU_ASSERT_EQUAL(imp_detect(p, c->frame, FRAMES, contact_list_sink, &got, NULL), 0);
            EXPECT(contact_list_equal(&want, &got), "%s, variant %zu: others later", crowds[i].name,
                   k);
            contact_list_free(&want);
            contact_list_free(&got);
            imp_destroy(p);
            free(c);
        }
}

/* Trees of rigid bodies, and all trees of k-DOPs, are built once; those of soft objects with other
 * volumes in each frame. */
static void test_once(void)
{
    const way w = {.name = "cpu", .device = "cpu", .threads = 2};
    for (int volume = IMP_VOLUME_DOP; volume <= IMP_VOLUME_HYBRID; volume++)
        for (int rigid = 0; rigid <= OBJECTS; rigid += OBJECTS) {
            const kind k = {rigid, 1, 0, 0, 1};
            crowd *c = crowd_make(&k, "once");
            const imp_def def = {.volume = volume, .block = 1};
            made one = {.name = "one", .frames = 1, .frame = c->frame};
            contact_list x, y;
            imp_profile first, all;
            variant_detect(&w, &def, &one, &x, &first);
            variant_detect(&w, &def, &c->made, &y, &all);
            if (rigid)
                CU_ASSERT_EQUAL(all.tree_nodes, first.tree_nodes);
            if (!rigid && volume != IMP_VOLUME_DOP)
                CU_ASSERT(all.tree_nodes > 5 * first.tree_nodes);
            contact_list_free(&x);
            contact_list_free(&y);
            free(c);
        }
}

/* After imp_forget, another mesh has the address of the first one, and its first frame fails before
 * trees are built. */
static void check_forgotten(int volume, int update, int how)
{
    const way w = {.name = "cpu", .device = "cpu", .threads = 2};
    const kind k = {OBJECTS, 1, 0, 0, 1};
    crowd *c = crowd_make(&k, "forgotten");
    const imp_mesh whole = c->mesh;
    const imp_def def = {.volume = volume, .update = update, .block = 1};
    const made one = {.name = "one", .frames = 1, .frame = c->frame + 1};
    contact_list want, got = {0};
    imp *p = way_pipeline(&w, &def);
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    variant_detect(&w, &def, &one, &want, NULL);
    c->mesh.primitives = 2 * BODY_TRIANGLES;
    CU_ASSERT_EQUAL(imp_detect(p, c->frame, 1, NULL, NULL, NULL), 0);
    imp_forget(p);
    c->mesh = whole;
    const double x = c->point[0][0];
    if (how)
        imp_cancel(p);
    else
        c->point[0][0] = NAN;
    CU_ASSERT(imp_detect(p, c->frame, 1, NULL, NULL, NULL) < 0);
    c->point[0][0] = x;
    CU_ASSERT_EQUAL(imp_detect(p, c->frame + 1, 1, contact_list_sink, &got, NULL), 0);
    EXPECT(contact_list_equal(&want, &got), "forgotten: %zu rows, not %zu", got.count, want.count);
    contact_list_free(&want);
    contact_list_free(&got);
    imp_destroy(p);
    free(c);
}

static void test_forgotten(void)
{
    for (int volume = IMP_VOLUME_DOP; volume <= IMP_VOLUME_HYBRID; volume++)
        for (int update = IMP_UPDATE_AUTO; update <= IMP_UPDATE_KEEP; update++)
            for (int how = 0; how < 2; how++)
                check_forgotten(volume, update, how);
}

/* A vertex off its pose, and invalid poses: the same error with every method. */
static void check_rigid_wrong(const imp_def *def, char text[4][1024])
{
    const kind k = {OBJECTS, 1, 0, 0, 1};
    for (int i = 0; i < 4; i++) {
        crowd *c = crowd_make(&k, "wrong");
        imp *p;
        CU_ASSERT_EQUAL_FATAL(imp_create(def, &p), 0);
        CU_ASSERT_EQUAL(imp_detect(p, c->frame, FRAMES, NULL, NULL, NULL), 0);
        if (i == 0)
            c->point[3][17] += 1e-13;
        if (i == 1)
            c->pose[3][2].centre[1] = INFINITY;
        if (i == 2)
            c->pose[3][2].rotation[0] += 1e-3;
        if (i == 3)
            c->pose[3][4].rotation[1] = NAN;
        EXPECT(imp_detect(p, c->frame, FRAMES, NULL, NULL, NULL) == IMP_ERR_ARGUMENT,
               "wrong pose %d is taken", i);
        CU_ASSERT_PTR_NOT_NULL(strstr(imp_error_text(), "frame 3: body "));
        if (!text[i][0])
            snprintf(text[i], sizeof text[i], "%s", imp_error_text());
        EXPECT(!strcmp(text[i], imp_error_text()), "%s, not %s", imp_error_text(), text[i]);
        CU_ASSERT_EQUAL(imp_detect(p, c->frame, 3, NULL, NULL, NULL), 0);
        imp_destroy(p);
        free(c);
    }
}

static void test_rigid_wrong(void)
{
    static const char *const methods[] = {"auto",  "rtree", "grid", "hash",
                                          "tiles", "brute", "tree"};
    char text[4][1024] = {{0}};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        check_rigid_wrong(&(imp_def){.device = "cpu", .broad = methods[i]}, text);
    for (int volume = IMP_VOLUME_DOP; volume <= IMP_VOLUME_HYBRID; volume++)
        check_rigid_wrong(&(imp_def){.device = "cpu", .volume = volume}, text);
}

/* Another mesh at the same address: half of the first one. */
static void check_elsewhere(imp *p, const imp_def *def, const made *m)
{
    const way w = {.name = "cpu", .device = "cpu", .threads = 2};
    const imp_mesh *mesh = m->frame->mesh;
    imp_mesh other = *mesh;
    imp_frame frame[6];
    const made again = {.name = "elsewhere", .frames = 6, .frame = frame};
    contact_list want, got = {0};
    for (size_t f = 0; f < 6; f++) {
        frame[f] = m->frame[f];
        frame[f].mesh = &other;
    }
    CU_ASSERT_EQUAL(imp_detect(p, frame, 6, NULL, NULL, NULL), 0);
    CU_ASSERT_EQUAL(imp_detect(p, &(imp_frame){.mesh = &(imp_mesh){0}}, 1, NULL, NULL, NULL), 0);
    other.corner += 3 * (size_t)(mesh->primitives / 4);
    other.object += mesh->primitives / 4;
    other.primitives /= 2;
    variant_detect(&w, def, &again, &want, NULL);
    CU_ASSERT_EQUAL(imp_detect(p, frame, 6, contact_list_sink, &got, NULL), 0);
    EXPECT(contact_list_equal(&want, &got), "elsewhere: %zu rows, not %zu", got.count, want.count);
    contact_list_free(&want);
    contact_list_free(&got);
}

/* "auto" uses trees for two bodies that interpenetrate in some frames; contacts and candidates are
 * those of the grid, before and after, and for a mesh at the address of another one. */
static void test_rigid_auto(void)
{
    const way w = {.name = "cpu", .device = "cpu", .threads = 2};
    for (int stage = IMP_STAGE_CONTACTS; stage <= IMP_STAGE_CANDIDATES; stage++) {
        made m;
        uint64_t blocks;
        const char *name;
        CU_ASSERT_FATAL(made_procedural("dense", 3000, 8, 1, &m));
        imp_def def = {.pairs = IMP_PAIRS_BETWEEN, .block = 1, .stage = stage};
        contact_list want, got = {0};
        imp *p = way_pipeline(&w, &def);
        CU_ASSERT_PTR_NOT_NULL_FATAL(p);
        def.broad = "grid";
        variant_detect(&w, &def, &m, &want, NULL);
        CU_ASSERT_EQUAL(imp_detect(p, m.frame, m.frames, contact_list_sink, &got, NULL), 0);
        CU_ASSERT(imp_broad_at(p, BROAD_tree, &name, &blocks) && !strcmp(name, "tree"));
        EXPECT(blocks >= 4 && blocks < m.frames, "trees for %llu of %zu frames",
               (unsigned long long)blocks, m.frames);
        EXPECT(want.count > 100 && contact_list_equal(&want, &got), "%zu rows, not %zu", got.count,
               want.count);
        contact_list_free(&want);
        contact_list_free(&got);
        check_elsewhere(p, &def, &m);
        imp_destroy(p);
        made_free(&m);
    }
}

/* All objects become thinner. */
static void squeeze(crowd *c, const kind *k)
{
    rng r = {9};
    for (size_t v = 0; v < (size_t)BODY_VERTICES * OBJECTS; v++)
        c->rest[3 * v] *= 0.6;
    for (int f = 0; f < FRAMES; f++)
        crowd_frame(c, k, f, &r);
}

/* A frame of another mesh that fails, and then succeeds: nothing of the previous mesh is reused. */
static void test_failed(void)
{
    const way w = {.name = "cpu", .device = "cpu", .threads = 2};
    for (int volume = IMP_VOLUME_DOP; volume <= IMP_VOLUME_HYBRID; volume++)
        for (int rigid = 0; rigid <= OBJECTS; rigid += OBJECTS) {
            const kind one = {rigid, 1, 0, 0, 1}, two = one;
            crowd *a = crowd_make(&one, "one"), *b = crowd_make(&two, "two");
            const imp_def def = {.volume = volume, .update = IMP_UPDATE_AUTO};
            const made good = {.name = "good", .frames = 1, .frame = b->frame + 1};
            imp *p = way_pipeline(&w, &def);
            contact_list want, got = {0};
            CU_ASSERT_PTR_NOT_NULL_FATAL(p);
            squeeze(b, &two);
            variant_detect(&w, &def, &good, &want, NULL);
            CU_ASSERT_EQUAL(imp_detect(p, a->frame, 1, NULL, NULL, NULL), 0);
            const double x = b->point[0][5];
            b->point[0][5] = NAN;
            CU_ASSERT_EQUAL(imp_detect(p, b->frame, 1, NULL, NULL, NULL), IMP_ERR_INPUT);
            b->point[0][5] = x;
            CU_ASSERT_EQUAL(imp_detect(p, b->frame + 1, 1, contact_list_sink, &got, NULL), 0);
            EXPECT(contact_list_equal(&want, &got), "volume %d, %d rigid: others after a failure",
                   volume, rigid);
            contact_list_free(&want);
            contact_list_free(&got);
            imp_destroy(p);
            free(a);
            free(b);
        }
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"contacts", test_rigid_contacts},
                                 {"history", test_history},
                                 {"once", test_once},
                                 {"forgotten", test_forgotten},
                                 {"auto", test_rigid_auto},
                                 {"wrong", test_rigid_wrong},
                                 {"failed", test_failed},
                                 {0}};
    return test_main(argc, argv, "rigid", tests);
}
