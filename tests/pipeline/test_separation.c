/* Contacts of steps with a separation: the same rows on every device and with every method, as
 * found by other code, with their points; and with a greater separation all pairs of a smaller one,
 * no later. */
#include "course.h"
#include "expect.h"
#include "truth.h"

#include <math.h>
#include <string.h>

/* The separation of test_separation_ways and of many grids: there features are at exactly that
 * distance at an instant, for a while or always. */
#define GRID_DISTANCE 1.0

static imp_def near_def(double distance, int adjacent)
{
    return (imp_def){.continuous = 1, .min_separation = distance, .adjacent = adjacent};
}

/* ---- every device and method */

/* The undecided pairs of a device are the same, too, and not all. */
static void check_separation_ways(const pipes *all, const course *c)
{
    contact_list first = {0}, rows;
    imp_frame_info info[2][COURSE_FRAMES] = {{{0}}};
    for (size_t i = 0; i < all->count; i++) {
        const pipe *one = &all->list[i];
        course_rows(one->p, c, i ? &rows : &first, info[i > 0]);
        if (i && !contact_list_equal(&rows, &first))
            way_failed(one->way, one->method, c->of->name, "other rows");
        for (int f = 0; f < COURSE_STEPS; f++)
            if (info[i > 0][f].undecided != info[0][f].undecided)
                way_failed(one->way, one->method, c->of->name, "other pairs are undecided");
        if (i)
            contact_list_free(&rows);
    }
    for (int f = 0; f < COURSE_STEPS; f++) {
        const imp_frame_info *of = &info[0][f];
        const uint64_t asked = of->candidates_vf + of->candidates_ee;
        EXPECT(2 * of->undecided <= asked + 20, "%s: %llu of %llu pairs are undecided", c->of->name,
               (unsigned long long)of->undecided, (unsigned long long)asked);
    }
    EXPECT(first.count > 5, "%s: %zu rows", c->of->name, first.count);
    contact_list_free(&first);
}

static void test_separation_ways(void)
{
    for (int adjacent = 0; adjacent < 2; adjacent++) {
        pipes all;
        const imp_def def = near_def(adjacent ? GRID_DISTANCE : 0.1, adjacent);
        pipes_open(&all, &def, 0);
        for (size_t l = (size_t)adjacent; l < LOOKS; l += 4) {
            course c;
            course_make(&c, &looks[l], l + 1);
            check_separation_ways(&all, &c);
            course_free(&c);
        }
        pipes_close(&all);
    }
}

/* ---- other code */

/* The points are those of the truth. */
static void check_separation_points(const course *c, const contact_list *rows)
{
    oracle *o = oracle_open();
    CU_ASSERT_PTR_NOT_NULL_FATAL(o);
    for (size_t i = 0; i < rows->count; i++) {
        const struct contact_row *r = &rows->row[i];
        const truth_row row = {r->a, r->b, r->kind, r->toi, r->feature[0], r->feature[1]};
        const truth_claim said = {.kind = r->kind, .point = r->point};
        const imp_frame *f = c->frame + r->frame;
        const char *fault = truth_ccd_points_fault(o, f, f + 1, &row, &said);
        EXPECT(!fault, "%s, step %llu, pair %u %u: %s", c->of->name, (unsigned long long)r->frame,
               r->a, r->b, fault);
    }
    oracle_close(o);
}

static void check_separation_truth(const look *l, const imp_def *def, uint64_t seed)
{
    const way w = way_host();
    course c;
    contact_list rows;
    course_make(&c, l, seed);
    course_way(&w, def, &c, &rows);
    course_truth(&c, def, &rows);
    check_separation_points(&c, &rows);
    contact_list_free(&rows);
    course_free(&c);
}

static void test_separation_truth(void)
{
    static const double distances[] = {0.01, 0.3, GRID_DISTANCE, 0x1.6a09e667f3bcdp0};
    const uint64_t count = test_cases(1);
    for (uint64_t i = 0; i < count; i++)
        for (size_t l = looks_from(1); l < LOOKS; l += 1 + 2 * (looks_step() - 1)) {
            const double distance = looks[l].grid ? distances[(i + l) % 4] : distances[(i + l) % 2];
            imp_def def = near_def(distance, (int)(i % 2));
            def.pairs = (int)(i / 2 % 3);
            check_separation_truth(&looks[l], &def, 100 * i + l);
        }
}

/* No pair of boxes within the distance is missing; rounding may add others. */
static void check_separation_candidates(const course *c, const imp_def *def)
{
    const way w = way_host();
    mem m = {0};
    contact_list rows;
    size_t at = 0, extra = 0;
    course_way(&w, def, c, &rows);
    for (uint64_t f = 0; f < COURSE_STEPS; f++) {
        truth want;
        CU_ASSERT_EQUAL_FATAL(
            truth_ccd_find(&m, c->frame + f, c->frame + f + 1, def, NULL, 2, &want), 0);
        for (size_t i = 0; i < want.count; i++, at++) {
            for (; at < rows.count && rows.row[at].frame == f &&
                   (rows.row[at].a != want.row[i].a || rows.row[at].b != want.row[i].b);
                 at++)
                extra++;
            EXPECT(at < rows.count && rows.row[at].frame == f, "%s: %u %u is missing", c->of->name,
                   want.row[i].a, want.row[i].b);
        }
        for (; at < rows.count && rows.row[at].frame == f; at++)
            extra++;
        truth_free(&m, &want);
    }
    EXPECT(extra * 8 <= rows.count, "%s: %zu of %zu are more", c->of->name, extra, rows.count);
    contact_list_free(&rows);
}

static void test_separation_candidates(void)
{
    static const int ks[] = {6, 8, 18, 26};
    for (size_t l = looks_from(2); l < LOOKS; l += looks_step())
        for (size_t k = 0; k < 4; k++) {
            course c;
            imp_def def = near_def(0.25, 0);
            def.stage = IMP_STAGE_CANDIDATES;
            def.dop_k = ks[k];
            course_make(&c, &looks[l], l);
            check_separation_candidates(&c, &def);
            course_free(&c);
        }
}

/* ---- two distances */

static const struct contact_row *separation_find_row(const contact_list *l,
                                                     const struct contact_row *as)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->row[i].frame == as->frame && l->row[i].a == as->a && l->row[i].b == as->b)
            return &l->row[i];
    return NULL;
}

/* Every pair stays, no later, with more distance. Contacts at the start are the same with any
 * distance. */
static void check_more(const course *c, const contact_list *less, const contact_list *more)
{
    for (size_t i = 0; i < less->count; i++) {
        const struct contact_row *r = &less->row[i], *s = separation_find_row(more, r);
        EXPECT(s && s->toi <= r->toi, "%s: %u %u come near, and with more distance %s", c->of->name,
               r->a, r->b, s ? "later" : "never");
        if (!s)
            continue;
        const int start = (r->kind & IMP_KIND_AT_START) != 0;
        EXPECT(start == ((s->kind & IMP_KIND_AT_START) != 0), "%s: %u %u: kinds %d, %d",
               c->of->name, r->a, r->b, r->kind, s->kind);
    }
    for (size_t i = 0; i < more->count; i++)
        EXPECT(more->row[i].kind < IMP_KIND_AT_START || separation_find_row(less, &more->row[i]),
               "%s: %u %u meet at the start with more distance only", c->of->name, more->row[i].a,
               more->row[i].b);
}

static void test_more(void)
{
    static const double distances[] = {0, 1e-6, 0.05, 0.5, GRID_DISTANCE};
    const way w = way_host();
    for (size_t l = looks_from(0); l < LOOKS; l += looks_step()) {
        course c;
        contact_list rows[2];
        course_make(&c, &looks[l], l + 70);
        for (size_t i = 0; i < 5; i++) {
            const imp_def def = near_def(distances[i], (int)l % 2);
            course_way(&w, &def, &c, &rows[i % 2]);
            if (i) {
                check_more(&c, &rows[(i - 1) % 2], &rows[i % 2]);
                contact_list_free(&rows[(i - 1) % 2]);
            }
        }
        contact_list_free(&rows[0]);
        course_free(&c);
    }
}

/* A separation below all distances of features: contacts are those without it, or one float64
 * number earlier. */
static void test_nearly_none(void)
{
    const way w = way_host();
    for (size_t l = looks_from(1); l < LOOKS; l += 3 * looks_step()) {
        course c;
        contact_list none, some;
        const imp_def def[2] = {near_def(0, (int)l % 2), near_def(0x1p-200, (int)l % 2)};
        course_make(&c, &looks[l], l + 90);
        course_way(&w, &def[0], &c, &none);
        course_way(&w, &def[1], &c, &some);
        EXPECT(none.count == some.count, "%s: %zu rows, not %zu", looks[l].name, some.count,
               none.count);
        for (size_t i = 0; i < none.count; i++) {
            const struct contact_row *r = &none.row[i], *s = separation_find_row(&some, r);
            EXPECT(s && s->toi <= r->toi && s->toi >= nextafter(r->toi, 0) && s->kind == r->kind &&
                       s->feature[0] == r->feature[0] && s->feature[1] == r->feature[1],
                   "%s: %u %u: another row", looks[l].name, r->a, r->b);
        }
        contact_list_free(&none);
        contact_list_free(&some);
        course_free(&c);
    }
}

/* ---- invalid separations */

static void test_separation_refused(void)
{
    static const double distances[] = {-1, NAN, INFINITY, 1};
    for (size_t i = 0; i < 4; i++) {
        imp *p = NULL;
        const imp_def def = {.continuous = i < 3, .min_separation = distances[i]};
        CU_ASSERT_EQUAL(imp_create(&def, &p), IMP_ERR_ARGUMENT);
        EXPECT(strstr(imp_error_text(), "min_separation") != NULL, "%s", imp_error_text());
        imp_destroy(p);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"ways", test_separation_ways},
                                 {"truth", test_separation_truth},
                                 {"candidates", test_separation_candidates},
                                 {"more", test_more},
                                 {"nearly_none", test_nearly_none},
                                 {"refused", test_separation_refused},
                                 {0}};
    return test_main(argc, argv, "separation", tests);
}
