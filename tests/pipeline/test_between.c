/* Contacts between frames: the same rows by every device and method, those that other code finds,
 * and what frames say of their steps. */
#include "course.h"
#include "expect.h"

#include <string.h>

static imp_def step_def(int adjacent)
{
    return (imp_def){.continuous = 1, .adjacent = adjacent};
}

/* ---- every device and method */

/* Candidates are counted by boxes, whichever method has found them. */
static int same_counts(const imp_frame_info *x, const imp_frame_info *y)
{
    for (int f = 0; f < COURSE_STEPS; f++)
        if (x[f].candidates_vf != y[f].candidates_vf || x[f].candidates_ee != y[f].candidates_ee)
            return 0;
    return 1;
}

static void check_ways(const pipes *all, const course *c)
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
        if (!same_counts(info[0], info[1]))
            way_failed(one->way, one->method, c->of->name, "other candidates");
        contact_list_free(&rows);
    }
    EXPECT(first.count > 5, "%s: %zu rows", c->of->name, first.count);
    contact_list_free(&first);
}

static void test_ways(void)
{
    for (int adjacent = 0; adjacent < 2; adjacent++) {
        pipes all;
        const imp_def def = step_def(adjacent);
        pipes_open(&all, &def, 0);
        for (size_t l = (size_t)adjacent; l < LOOKS; l += 2) {
            course c;
            course_make(&c, &looks[l], l + 1);
            check_ways(&all, &c);
            course_free(&c);
        }
        pipes_close(&all);
    }
}

/* ---- other code */

static void check_truth(const look *l, const imp_def *def, uint64_t seed)
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

static void test_truth(void)
{
    const uint64_t count = test_cases(8);
    for (uint64_t i = 0; i < count; i++)
        for (size_t l = 0; l < LOOKS; l++) {
            imp_def def = step_def((int)(i % 2));
            def.pairs = (int)(i / 2 % 3);
            check_truth(&looks[l], &def, 100 * i + l);
        }
}

/* ---- frames and steps */

static int has_pair(const contact_list *l, uint64_t frame, uint32_t a, uint32_t b)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->row[i].frame == frame && l->row[i].a == a && l->row[i].b == b)
            return 1;
    return 0;
}

/* Features with a vertex in common are never asked: of solids that share one, interiors may come to
 * meet without any other pair of features that does. */
static int may_be_unasked(const imp_mesh *m, uint32_t a, uint32_t b)
{
    const int corners = m->corners;
    for (int i = 0; corners == 4 && i < 16; i++)
        if (m->corner[4 * a + (uint32_t)i / 4] == m->corner[4 * b + (uint32_t)i % 4])
            return 1;
    return 0;
}

/* What meets in a frame meets in the step before and in the step after; that of the step's first
 * frame has the same points. */
static void test_frames(void)
{
    const way w = way_host();
    for (size_t l = 0; l < LOOKS; l++) {
        course c;
        contact_list rows, still;
        imp_def def = step_def((int)l % 2);
        course_make(&c, &looks[l], l + 50);
        course_way(&w, &def, &c, &rows);
        def.continuous = 0;
        course_way(&w, &def, &c, &still);
        size_t at = 0;
        for (size_t i = 0; i < still.count; i++) {
            const struct contact_row *r = &still.row[i];
            EXPECT(!r->frame || has_pair(&rows, r->frame - 1, r->a, r->b) ||
                       may_be_unasked(&c.mesh, r->a, r->b),
                   "%s: %u %u meet in frame %llu, not before", looks[l].name, r->a, r->b,
                   (unsigned long long)r->frame);
            if (r->frame == COURSE_STEPS)
                continue;
            while (at < rows.count &&
                   (rows.row[at].frame < r->frame || rows.row[at].kind < IMP_KIND_AT_START))
                at++;
            EXPECT(at < rows.count && rows.row[at].a == r->a && rows.row[at].b == r->b &&
                       rows.row[at].kind == r->kind + IMP_KIND_AT_START &&
                       !memcmp(rows.row[at].point, r->point, sizeof r->point),
                   "%s: %u %u meet in frame %llu, not at the start of the step", looks[l].name,
                   r->a, r->b, (unsigned long long)r->frame);
            at++;
        }
        contact_list_free(&rows);
        contact_list_free(&still);
        course_free(&c);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"ways", test_ways}, {"truth", test_truth}, {"frames", test_frames}, {0}};
    return test_main(argc, argv, "between", tests);
}
