/* Contacts of steps with rotating bodies: none is missed, and none is farther apart than the
 * tolerance. The truth is the construction of the scene (rigid_acts.h): at any instant contacts of
 * a frame are found exactly. */
#include "error.h"
#include "expect.h"
#include "rigid_acts.h"
#include "truth.h"
#include "ways.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INSTANTS 64

/* A contact at an instant, found exactly, has a row that is no later. Returns the number of such
 * contacts. */
static size_t check_instants(const char *what, const act *s, const imp_def *def,
                             const contact_list *rows, int f)
{
    static double point[INSTANTS + 1][3 * VERTICES];
    imp_mesh mesh = s->mesh;
    imp_frame frame[INSTANTS + 1];
    contact_list list = {0};
    const way w = way_host();
    imp_def still = *def;
    size_t missed = 0;
    mesh.bodies = 0;
    still.continuous = 0;
    still.tolerance = still.min_separation = 0;
    for (int i = 0; i <= INSTANTS; i++) {
        for (uint32_t v = 0; v < mesh.vertices; v++) {
            long double x[3];
            act_vertex_at(s, f, (int)(v / BODY_VERTICES), v, (long double)i / INSTANTS, x);
            for (size_t k = 0; k < 3; k++)
                point[i][3 * v + k] = (double)x[k];
        }
        frame[i] = (imp_frame){.mesh = &mesh, .point = point[i]};
    }
    imp *p = way_pipeline(&w, &still);
    CU_ASSERT_EQUAL(imp_detect(p, frame, INSTANTS + 1, contact_list_sink, &list, NULL), 0);
    for (size_t i = 0; i < list.count; i++) {
        const struct contact_row *row =
            act_find_row(rows, (uint64_t)f, list.row[i].a, list.row[i].b);
        const double t = (double)list.row[i].frame / INSTANTS;
        /* at the ends, rounding rotates bodies that do not: contacts within a body are ignored */
        missed +=
            s->object[list.row[i].a] != s->object[list.row[i].b] && (!row || row->toi > t + 1e-9);
    }
    EXPECT(!missed, "%s, step %d: %zu of %zu missed", what, f, missed, list.count);
    const size_t count = list.count;
    contact_list_free(&list);
    imp_destroy(p);
    return count;
}

/* Each row is confirmed by arithmetic other than the engine's; rows of pairs that do not rotate, to
 * the last bit. Returns the number of rows of rotating bodies. */
static size_t check_rigid_ccd_rows_of(const char *what, const act *s, const imp_def *def,
                                      const contact_list *rows, int f)
{
    mem m = {0};
    truth want;
    oracle *o = oracle_open();
    const imp_frame *from = s->frame + f;
    const truth_case c = {.f = {from, from + 1}, .frames = 2, .def = def};
    size_t exact = 0, turning = 0;
    CU_ASSERT_EQUAL_FATAL(truth_ccd_find(&m, from, from + 1, def, NULL, 2, &want), 0);
    for (size_t i = 0; i < rows->count; i++) {
        const struct contact_row *x = &rows->row[i];
        if (x->frame != (uint64_t)f)
            continue;
        EXPECT(!i || x->frame != x[-1].frame || x->toi > x[-1].toi ||
                   (x->toi == x[-1].toi && (x->a > x[-1].a || (x->a == x[-1].a && x->b > x[-1].b))),
               "%s, step %d: pair %u %u is out of order", what, f, x->a, x->b);
        if (x->kind & IMP_KIND_AT_START || !truth_rigid_ccd(&c, x->a, x->b)) {
            const truth_row *t = exact < want.count ? &want.row[exact++] : NULL;
            EXPECT(t && t->a == x->a && t->b == x->b && t->kind == x->kind && t->toi == x->toi,
                   "%s, step %d: pair %u %u is not the exact one", what, f, x->a, x->b);
            continue;
        }
        const truth_rigid_ccd_claim claim = {.a = x->a,
                                             .b = x->b,
                                             .kind = x->kind,
                                             .toi = x->toi,
                                             .feature_a = x->feature[0],
                                             .feature_b = x->feature[1],
                                             .point = x->point};
        const char *fault = truth_rigid_ccd_fault(o, from, from + 1, def, &claim);
        const truth_row *t = truth_rigid_ccd_row(&want, x->a, x->b);
        EXPECT(!fault, "%s, step %d: pair %u %u %s", what, f, x->a, x->b, fault);
        EXPECT(!t || x->toi <= t->toi, "%s, step %d: pair %u %u meets at %g, not %g", what, f, x->a,
               x->b, t->toi, x->toi);
        turning++;
    }
    EXPECT(exact == want.count, "%s, step %d: %zu exact rows, not %zu", what, f, exact, want.count);
    for (size_t i = 0; i < want.turning; i++)
        EXPECT(act_find_row(rows, (uint64_t)f, want.turning_row[i].a, want.turning_row[i].b) !=
                   NULL,
               "%s, step %d: pair %u %u is missing", what, f, want.turning_row[i].a,
               want.turning_row[i].b);
    oracle_close(o);
    truth_free(&m, &want);
    return turning;
}

static void test_rigid_ccd_truth(void)
{
    const uint64_t seeds = test_cases(2);
    for (size_t i = 0; i < ACT_CASES; i++) {
        const struct act_case *of = &act_cases[i];
        size_t met = 0, turning = 0;
        for (uint64_t seed = 1; seed <= seeds; seed++) {
            act *s = act_crowded(seed, 1, of->corners, of->most, of->pivot);
            contact_list rows;
            act_find_rows(&of->def, s, &rows);
            met += check_instants(of->name, s, &of->def, &rows, 0);
            turning += check_rigid_ccd_rows_of(of->name, s, &of->def, &rows, 0);
            contact_list_free(&rows);
            free(s);
        }
        EXPECT(met > 10 && turning > 10, "%s: %zu contacts, %zu rows", of->name, met, turning);
    }
}

/* Points match their poses to the precision of the file. */
static void test_rigid_ccd_single(void)
{
    act *s = act_crowded(9, 2, 3, 80, 0);
    const imp_def def = {.continuous = 1};
    contact_list rows;
    s->single = 1;
    act_frames(s);
    act_find_rows(&def, s, &rows);
    for (int f = 0; f < 2; f++) {
        check_instants("single", s, &def, &rows, f);
        CU_ASSERT(check_rigid_ccd_rows_of("single", s, &def, &rows, f) > 10);
    }
    contact_list_free(&rows);
    free(s);
}

/* Far from the origin, positions are less precise than the tolerance, but relative positions are
 * not. Instants are placed in float64; if that is too coarse, only rows are checked. */
static void test_rigid_ccd_far(void)
{
    static const double offsets[] = {1e3, 5e5, 1e6, 1e9};
    for (uint64_t i = 0; i < test_cases(4); i++) {
        const struct act_case *of = &act_cases[i % ACT_CASES];
        act *s = act_crowded(51 + i, 1, of->corners, of->most, of->pivot);
        const double offset = offsets[i % 4];
        contact_list rows;
        for (int b = 0; b < BODIES - 1; b++)
            for (int k = 0; k < 3; k++)
                s->pose[0][b].centre[k] += offset * (1 - 0.3 * k);
        s->pose[0][BODIES - 1].centre[0] += offset;
        act_frames(s);
        act_find_rows(&of->def, s, &rows);
        CU_ASSERT(check_rigid_ccd_rows_of(of->name, s, &of->def, &rows, 0) > 5);
        if (offset < 1e6)
            check_instants(of->name, s, &of->def, &rows, 0);
        contact_list_free(&rows);
        free(s);
    }
}

/* ---- known results */

/* A rod of length 1 rotates about its end, above a wall that it reaches at a known angle. */
static act *rod_and_wall(double angle, double wall)
{
    act *s = act_new(1, 3);
    const double rod[3] = {0.5, 0x1p-30, 0x1p-30}, plate[3] = {0.01, 2, 2};
    act_add_box(s, rod, (const double[3]){0.5, 0, 0});
    act_add_box(s, plate, (const double[3]){-wall - 0.01, 0, 0});
    s->going[0][0].axis[2] = 1;
    s->going[0][0].angle = angle;
    act_frames(s);
    return s;
}

static double rigid_ccd_test_first_toi(const act *s, const imp_def *def, size_t *count)
{
    contact_list rows;
    double first = 2;
    act_find_rows(def, s, &rows);
    for (size_t i = 0; i < rows.count; i++)
        first = fmin(first, rows.row[i].toi);
    *count = rows.count;
    contact_list_free(&rows);
    return first;
}

/* The rod passes through the wall where its tip is beyond it, in either direction of rotation. */
static void test_rigid_ccd_rod(void)
{
    const imp_def def = {.continuous = 1, .tolerance = 1e-5};
    size_t missed = 0, tried = 0;
    for (int degrees = 1; degrees <= 500; degrees += degrees < 10 ? 1 : 13) {
        const double angle = degrees * (double)(PI / 180);
        if (degrees > 170 && degrees < 200)
            continue;
        for (int part = 1; part < 8; part += 3) {
            /* the tip is at -wall after this part of the rotation, and moves on a little */
            const double at = degrees < 100 ? 0
                                            : 100 * (double)(PI / 180) / angle +
                                                  0.1 * part * fmax(0, 1 - 100. / degrees);
            const double wall = -cos(fmin(angle * at, 3.0));
            size_t count;
            if (!(wall > 0.05) || angle * at > 3)
                continue;
            act *s = rod_and_wall(angle, wall);
            const double toi = rigid_ccd_test_first_toi(s, &def, &count),
                         true_toi = acos(-wall) / angle;
            tried++;
            missed += !count;
            EXPECT(!count || (toi <= true_toi && toi > true_toi - 1e-2),
                   "%d degrees: share %.9g, not %.9g", degrees, toi, true_toi);
            free(s);
        }
    }
    CU_ASSERT(tried > 30);
    EXPECT(!missed, "%zu of %zu rods pass the wall", missed, tried);
}

/* Small rotations of a rod that is nearly at the wall, with the wall below its tip. */
static void test_small_turns(void)
{
    for (int degrees = 1; degrees < 90; degrees += 4) {
        const double angle = degrees * (double)(PI / 180), beyond = sin(angle * 0.6);
        act *s = act_new(1, 3);
        const double rod[3] = {0.5, 0x1p-30, 0x1p-30}, plate[3] = {2, 0.01, 2};
        size_t count;
        act_add_box(s, rod, (const double[3]){0.5, 0, 0});
        act_add_box(s, plate, (const double[3]){2.5, beyond + 0.01, 0});
        s->pose[0][1].centre[0] = -2;
        s->going[0][0].axis[2] = 1;
        s->going[0][0].angle = angle;
        act_frames(s);
        const double toi = rigid_ccd_test_first_toi(s, &(imp_def){.continuous = 1}, &count);
        EXPECT(count && toi <= 0.6 && toi > 0.6 - 1e-4, "%d degrees: %zu rows, share %.9g", degrees,
               count, toi);
        free(s);
    }
}

/* Half a turn: the wall may be on either side. */
static void test_rigid_ccd_either(void)
{
    for (int side = -1; side <= 1; side += 2) {
        act *s = act_new(1, 3);
        const double rod[3] = {0.5, 0x1p-30, 0x1p-30}, plate[3] = {2, 0.01, 2};
        size_t count;
        act_add_box(s, rod, (const double[3]){0.5, 0, 0});
        act_add_box(s, plate, (const double[3]){0, side * 0.7, 0});
        act_frames(s);
        s->pose[1][0] = (imp_pose){.rotation = {0, 0, 0, 1}};
        for (size_t v = 0; v < BODY_VERTICES; v++)
            for (size_t k = 0; k < 2; k++)
                s->point[1][3 * v + k] = -s->rest[3 * v + k];
        const double toi = rigid_ccd_test_first_toi(s, &(imp_def){.continuous = 1}, &count),
                     want = asin(0.69) / (double)PI;
        EXPECT(count && toi <= want && toi > want - 1e-4, "side %d: %zu rows, share %g", side,
               count, toi);
        free(s);
    }
}

/* A rotation that changes by less than a rounding error: the toi is the exact one, less at most
 * the allowance of the tolerance. */
static void test_translations(void)
{
    const imp_def def = {.continuous = 1, .pairs = IMP_PAIRS_BETWEEN};
    act *s = act_crowded(5, 1, 3, 0, 0);
    contact_list exact, rows;
    act_find_rows(&def, s, &exact);
    for (int b = 0; b < BODIES; b++)
        s->pose[1][b].rotation[1] = 0x1p-70;
    act_find_rows(&def, s, &rows);
    CU_ASSERT(exact.count > 10);
    for (size_t i = 0; i < exact.count; i++) {
        const struct contact_row *x = &exact.row[i], *y = act_find_row(&rows, 0, x->a, x->b);
        EXPECT(y && y->toi <= x->toi && (y->toi > x->toi - 1e-3 || (x->kind & IMP_KIND_AT_START)),
               "pair %u %u: share %.17g, not %.17g", x->a, x->b, y ? y->toi : 2., x->toi);
    }
    check_rigid_ccd_rows_of("translations", s, &def, &rows, 0);
    contact_list_free(&exact);
    contact_list_free(&rows);
    free(s);
}

static size_t rigid_ccd_test_candidates(const act *s, const imp_def *def, size_t *contacts)
{
    const way w = way_host();
    imp_frame_info info;
    imp *p = way_pipeline(&w, def);
    CU_ASSERT_EQUAL(imp_detect(p, s->frame, 2, NULL, NULL, &info), 0);
    imp_destroy(p);
    *contacts = (size_t)info.contacts;
    return (size_t)info.candidates;
}

/* Contacts within a rotating body, which are those of its start, are candidates, too. */
static void test_rigid_ccd_counts(void)
{
    act *s = act_new(1, 3);
    const double half[3] = {0.5, 0.5, 0.5};
    const imp_def all = {.continuous = 1, .adjacent = 1},
                  between = {.continuous = 1, .adjacent = 1, .pairs = IMP_PAIRS_BETWEEN};
    size_t contacts, less, own = 0;
    contact_list rows;
    act_add_box(s, half, (const double[3]){0, 0, 0});
    act_add_box(s, half, (const double[3]){0, 0, 0});
    s->rest[0] = 0.7; /* a corner passes through the opposite face: its triangles touch others */
    s->rest[1] = 0.2;
    s->rest[2] = 0.1;
    s->going[0][0].axis[2] = 1;
    s->going[0][0].angle = 2000;
    act_frames(s);
    act_find_rows(&all, s, &rows);
    for (size_t i = 0; i < rows.count; i++)
        own += s->object[rows.row[i].a] == 0 && s->object[rows.row[i].b] == 0;
    const size_t with = rigid_ccd_test_candidates(s, &all, &contacts),
                 without = rigid_ccd_test_candidates(s, &between, &less);
    EXPECT(contacts == rows.count && own > 0 && with >= contacts && without >= less,
           "%zu contacts among %zu, %zu among %zu", contacts, with, less, without);
    contact_list_free(&rows);
    free(s);
}

/* Two bodies in a common motion keep their distance, twice the tolerance. */
static void test_rigid_ccd_together(void)
{
    act *s = act_new(1, 3);
    const double half[3] = {0.5, 0.5, 0.5};
    size_t count;
    act_add_box(s, half, (const double[3]){0, 0, 0});
    act_add_box(s, half, (const double[3]){0, 1 + 0x1p-12, 0});
    for (int b = 0; b < 2; b++) {
        act_random_axis(&(rng){3}, s->going[0][b].axis);
        s->going[0][b].angle = 2;
        s->going[0][b].way[1] = 5;
    }
    act_frames(s);
    rigid_ccd_test_first_toi(s, &(imp_def){.continuous = 1, .tolerance = 0x1p-13}, &count);
    EXPECT(!count, "%zu pairs", count);
    const double toi =
        rigid_ccd_test_first_toi(s, &(imp_def){.continuous = 1, .min_separation = 0x1p-11}, &count);
    EXPECT(count && toi == 0, "%zu pairs, share %g", count, toi);
    free(s);
}

/* Refused with the frame, the body and the figures, before any row is delivered. */
static void test_rigid_ccd_refused(void)
{
    static const struct {
        double tolerance, turns;
        int err;
        const char *text[3];
    } refused[] = {
        {1e-14,
         0.1,
         IMP_ERR_ARGUMENT,
         {"bodies: frame 0: the tolerance 1e-14", "at least", "extent"}},
        {0,
         1e10,
         IMP_ERR_INPUT,
         {"bodies: frame 0: body 0 turns by 6.283e+10", "at least", "right?"}},
        {1, 1e20, IMP_ERR_INPUT, {"bodies: frame 0: body 0 turns", "counted", "right?"}},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const way w = way_host();
        const imp_def def = {.continuous = 1, .tolerance = refused[i].tolerance};
        contact_list rows = {0};
        act *s = rod_and_wall(0.6, 0.5);
        s->pose[0][0].spin[2] = 2 * (double)PI * (refused[i].turns > 1 ? refused[i].turns : 0);
        imp *p = way_pipeline(&w, &def);
        EXPECT(imp_detect(p, s->frame, 2, contact_list_sink, &rows, NULL) == refused[i].err &&
                   !rows.count,
               "%zu: %s", i, imp_error_text());
        for (int k = 0; k < 3; k++)
            EXPECT(strstr(imp_error_text(), refused[i].text[k]) != NULL, "%zu: %s", i,
                   imp_error_text());
        contact_list_free(&rows);
        imp_destroy(p);
        free(s);
    }
}

static void test_rigid_ccd_arguments(void)
{
    static const imp_def bad[] = {{.continuous = 1, .tolerance = -1},
                                  {.continuous = 1, .tolerance = NAN},
                                  {.continuous = 1, .tolerance = INFINITY},
                                  {.tolerance = 1}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        imp *p = NULL;
        CU_ASSERT_EQUAL(imp_create(&bad[i], &p), IMP_ERR_ARGUMENT);
        CU_ASSERT(strstr(imp_error_text(), "tolerance") != NULL);
        imp_destroy(p);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"truth", test_rigid_ccd_truth},
                                 {"single", test_rigid_ccd_single},
                                 {"far", test_rigid_ccd_far},
                                 {"rod", test_rigid_ccd_rod},
                                 {"small_turns", test_small_turns},
                                 {"either", test_rigid_ccd_either},
                                 {"translations", test_translations},
                                 {"together", test_rigid_ccd_together},
                                 {"counts", test_rigid_ccd_counts},
                                 {"refused", test_rigid_ccd_refused},
                                 {"arguments", test_rigid_ccd_arguments},
                                 {0}};
    return test_main(argc, argv, "rigid_ccd", tests);
}
