/* Contacts of steps: every device and method finds the same rows, other code finds them too, and
 * they are consistent with the contacts of the frames. */
#include "course.h"
#include "expect.h"
#include "frame.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static imp_def step_def(int adjacent)
{
    return (imp_def){.continuous = 1, .adjacent = adjacent};
}

/* ---- every device and method */

/* Counts of candidates are defined by boxes, so they do not depend on the method. */
static int ccd_same_counts(const imp_frame_info *x, const imp_frame_info *y)
{
    for (int f = 0; f < COURSE_STEPS; f++)
        if (x[f].candidates_vf != y[f].candidates_vf || x[f].candidates_ee != y[f].candidates_ee)
            return 0;
    return 1;
}

static void check_ccd_ways(const pipes *all, const course *c)
{
    contact_list first = {0}, rows;
    imp_frame_info info[2][COURSE_FRAMES] = {{{0}}};
    for (size_t i = 0; i < all->count; i++) {
        const pipe *one = &all->list[i];
        course_rows(one->p, c, i ? &rows : &first, info[i > 0]);
        if (!i)
            continue;
        if (!contact_list_equal(&rows, &first))
            way_failed(one->way, one->method, c->of->name, "other rows");
        if (!ccd_same_counts(info[0], info[1]))
            way_failed(one->way, one->method, c->of->name, "other candidates");
        contact_list_free(&rows);
    }
    EXPECT(first.count > 5, "%s: %zu rows", c->of->name, first.count);
    contact_list_free(&first);
}

static void test_ccd_ways(void)
{
    for (int adjacent = 0; adjacent < 2; adjacent++) {
        pipes all;
        const imp_def def = step_def(adjacent);
        pipes_open(&all, &def, 0);
        for (size_t l = (size_t)adjacent; l < LOOKS; l += 2 * looks_step()) {
            course c;
            course_make(&c, &looks[l], l + 1);
            check_ccd_ways(&all, &c);
            course_free(&c);
        }
        pipes_close(&all);
    }
}

/* ---- other code */

static void check_ccd_truth(const look *l, const imp_def *def, uint64_t seed)
{
    const way w = way_host();
    course c;
    contact_list rows;
    course_make(&c, l, seed);
    course_way(&w, def, &c, &rows);
    course_truth(&c, def, &rows);
    contact_list_free(&rows);
    course_free(&c);
}

static void test_ccd_truth(void)
{
    const uint64_t count = test_cases(6);
    for (uint64_t i = 0; i < count; i++)
        for (size_t l = looks_from(1); l < LOOKS; l += looks_step()) {
            imp_def def = step_def(looks[l].form == LOOK_FAN || i % 2);
            def.pairs = (int)(i / 2 % 3);
            check_ccd_truth(&looks[l], &def, 100 * i + l);
        }
}

/* Lists of pairs of objects, with each rule; an empty list allows no pair, or all. */
static void test_ccd_lists(void)
{
    static const int32_t list[][2] = {{0, 1}, {2, 2}, {7, 0}};
    for (size_t l = looks_from(2); l < LOOKS; l += looks_step())
        for (int k = 1; k < 4; k++) { /* 0: no pair is left, which is an error */
            imp_def def = step_def(looks[l].form == LOOK_FAN);
            def.object_pair = list;
            def.object_pairs = k / 2 ? 3 : 0;
            def.object_pairs_exclude = k % 2;
            def.pairs = (int)(l % 3);
            check_ccd_truth(&looks[l], &def, 600 + l);
        }
}

/* Candidates are pairs whose swept bounds overlap. */
static void test_ccd_candidates(void)
{
    static const int dops[] = {6, 8, 14, 18, 26};
    for (size_t l = looks_from(0); l < LOOKS; l += looks_step())
        for (int k = 0; k < 5; k++) {
            imp_def def = step_def(l % 2 || looks[l].form == LOOK_FAN);
            def.stage = IMP_STAGE_CANDIDATES;
            def.dop_k = dops[k];
            def.volume = (int)l % 5; /* 0: no tree */
            check_ccd_truth(&looks[l], &def, 700 + l);
        }
}

/* ---- vertices that are not finite */

static const double strays[] = {NAN, INFINITY, -INFINITY};

/* Vertices that are not finite at the start, at the end, or at both. */
static void ccd_spoil(course *c, rng *r)
{
    for (int i = 0; i < 4; i++) {
        const uint32_t v = c->corner[rng_below(r, c->mesh.primitives) * (uint32_t)c->mesh.corners];
        for (int f = 0; f < COURSE_FRAMES; f++)
            if (i % 3 == 2 || f == i % 3)
                c->point[f][3 * v + rng_below(r, 3)] = strays[rng_below(r, 3)];
    }
}

static uint32_t bad_in(const course *c, int step)
{
    uint32_t bad = 0;
    for (uint32_t i = 0; i < c->mesh.primitives; i++) {
        int fine = 1;
        for (int k = 0; k < 24; k++)
            fine &=
                isfinite(c->point[step + k / 12][3 * mesh_vertex(&c->mesh, i, (uint32_t)k / 3 % 4) +
                                                 (uint32_t)k % 3]) != 0;
        bad += !fine;
    }
    return bad;
}

static void check_skipped(const course *c, const imp_def *def)
{
    const way w = way_host();
    contact_list rows;
    imp_frame_info info[COURSE_FRAMES] = {{0}};
    imp *p = way_pipeline(&w, def);
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    course_rows(p, c, &rows, info);
    course_truth(c, def, &rows);
    for (int f = 0; f < COURSE_STEPS; f++)
        EXPECT(info[f].bad == bad_in(c, f), "%s, step %d: %u are bad, not %u", c->of->name, f,
               info[f].bad, bad_in(c, f));
    contact_list_free(&rows);
    imp_destroy(p);
}

/* A bad vertex ends a step at either of its frames, which the text names, before any of its rows.
 * For blocks of several steps see test_ccd_blocks.c. */
static void check_ccd_refused(course *c, int frame)
{
    const way w = way_host();
    imp_def def = step_def(1);
    def.block = 1;
    contact_list whole, rows = {0};
    char text[40];
    size_t before = 0;
    course_way(&w, &def, c, &whole);
    while (frame > 1 && before < whole.count && whole.row[before].frame == 0)
        before++;
    c->point[frame][3 * c->corner[0] + 1] = NAN;
    imp *p = way_pipeline(&w, &def);
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    const int err = imp_detect(p, c->frame, COURSE_FRAMES, contact_list_sink, &rows, NULL);
    snprintf(text, sizeof text, "frame %d:", frame);
    EXPECT(err == IMP_ERR_INPUT && strstr(imp_error_text(), text), "%s, frame %d: %d, %s",
           c->of->name, frame, err, imp_error_text());
    EXPECT(rows.count == before, "%s, frame %d: %zu rows before, not %zu", c->of->name, frame,
           rows.count, before);
    contact_list_free(&whole);
    contact_list_free(&rows);
    imp_destroy(p);
}

static void test_ccd_bad(void)
{
    rng r = {9};
    for (size_t l = looks_from(1); l < LOOKS; l += looks_step()) {
        course c;
        for (int update = IMP_UPDATE_REBUILD; update <= IMP_UPDATE_KEEP; update++) {
            imp_def def = step_def((int)l % 2);
            def.on_bad = IMP_BAD_SKIP;
            def.update = update;
            course_make(&c, &looks[l], 800 + l);
            ccd_spoil(&c, &r);
            check_skipped(&c, &def);
            course_free(&c);
        }
        for (int frame = 0; frame < COURSE_FRAMES; frame++) {
            course_make(&c, &looks[l], 800 + l);
            check_ccd_refused(&c, frame);
            course_free(&c);
        }
    }
}

/* ---- frames and steps */

static int ccd_has_pair(const contact_list *l, uint64_t frame, uint32_t a, uint32_t b)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->row[i].frame == frame && l->row[i].a == a && l->row[i].b == b)
            return 1;
    return 0;
}

/* Whether i is a tetrahedron of zero volume. Where there are such tetrahedra, coordinates are small
 * integers. */
static int ccd_flat(const course *c, uint64_t f, uint32_t i)
{
    double x[4][3], e[3][3];
    for (uint32_t k = 0; k < 4; k++)
        frame_vertex(&c->frame[f], mesh_vertex(&c->mesh, i, k), x[k]);
    for (int k = 0; k < 9; k++)
        e[k / 3][k % 3] = x[1 + k / 3][k % 3] - x[0][k % 3];
    return mesh_corners_of(&c->mesh, i) == 4 &&
           e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
                   e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
                   e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]) ==
               0;
}

/* Neighbours are in contact if their interiors intersect: one without interior at the start of a
 * step may get into contact without a contact of features. */
static int opens(const course *c, const struct contact_row *r)
{
    int shared = 0;
    for (uint32_t k = 0; k < 16; k++)
        shared |= mesh_vertex(&c->mesh, r->a, k / 4) == mesh_vertex(&c->mesh, r->b, k % 4);
    return shared && (ccd_flat(c, r->frame - 1, r->a) || ccd_flat(c, r->frame - 1, r->b));
}

/* A pair in contact in a frame is in contact in the step before and in the step after; at the start
 * of a step it has the points of the frame. */
static void check_ccd_frames(const look *l, uint64_t seed)
{
    const way w = way_host();
    course c;
    contact_list rows, still;
    imp_def def = step_def(l->form == LOOK_FAN || seed % 2);
    course_make(&c, l, seed);
    course_way(&w, &def, &c, &rows);
    def.continuous = 0;
    course_way(&w, &def, &c, &still);
    size_t at = 0;
    for (size_t i = 0; i < still.count; i++) {
        const struct contact_row *r = &still.row[i];
        EXPECT(!r->frame || ccd_has_pair(&rows, r->frame - 1, r->a, r->b) || opens(&c, r),
               "%s: %u %u meet in frame %llu, not before", l->name, r->a, r->b,
               (unsigned long long)r->frame);
        if (r->frame == COURSE_STEPS)
            continue;
        while (at < rows.count &&
               (rows.row[at].frame < r->frame || rows.row[at].kind < IMP_KIND_AT_START))
            at++;
        EXPECT(at < rows.count && rows.row[at].a == r->a && rows.row[at].b == r->b &&
                   rows.row[at].kind == r->kind + IMP_KIND_AT_START &&
                   !memcmp(rows.row[at].point, r->point, sizeof r->point),
               "%s: %u %u meet in frame %llu, not at the start of the step", l->name, r->a, r->b,
               (unsigned long long)r->frame);
        at++;
    }
    contact_list_free(&rows);
    contact_list_free(&still);
    course_free(&c);
}

static void test_ccd_frames(void)
{
    const uint64_t count = test_cases(4);
    for (uint64_t i = 0; i < count; i++)
        for (size_t l = looks_from(2); l < LOOKS; l += looks_step())
            check_ccd_frames(&looks[l], 50 * i + l);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"ways", test_ccd_ways},
                                 {"truth", test_ccd_truth},
                                 {"lists", test_ccd_lists},
                                 {"candidates", test_ccd_candidates},
                                 {"bad", test_ccd_bad},
                                 {"frames", test_ccd_frames},
                                 {0}};
    return test_main(argc, argv, "ccd", tests);
}
