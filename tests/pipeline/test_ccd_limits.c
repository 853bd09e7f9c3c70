/* Contacts of steps in pieces: with little memory the rows are the same, or there is an error; and
 * in any order in which impacts are added. A device that finds fewer fails its self-test. */
#include "course.h"
#include "expect.h"
#include "output.h"
#include "ccd_step.h"

#include <stdlib.h>
#include <string.h>

/* ---- counts the parts in which the rows of a step were delivered */

static size_t intervals;

int __real_output_step_end(output *h, const block_view *v);
int __wrap_output_step_end(output *h, const block_view *v);

int __wrap_output_step_end(output *h, const block_view *v)
{
    intervals++;
    return __real_output_step_end(h, v);
}

/* ---- scenes with many contacts in a small space */

typedef struct scene {
    const char *name;
    look of;
    imp_def def;
    void (*arrange)(course *c, rng *r); /* NULL: the course as it is */
    int at_once;                        /* most rows of a step have the same toi */
} scene;

static void each_point(course *c, rng *r, double size)
{
    for (int f = 0; f < COURSE_FRAMES; f++)
        for (uint32_t i = 0; i < 3 * c->mesh.vertices; i++)
            c->point[f][i] = size * rng_unit(r);
}

static void ccd_limits_dense(course *c, rng *r)
{
    each_point(c, r, 1);
}

/* A part of each object overlaps the other object; the rest lies far from it, and is culled. */
static void ccd_limits_neighbours(course *c, rng *r)
{
    const uint32_t first = c->mesh.primitives / c->of->copies;
    each_point(c, r, 1);
    for (uint32_t i = 0; i < c->mesh.primitives; i++)
        c->object[i] = i % first % 2;
    for (uint32_t i = 0; i < 9 * first; i++)
        for (int f = 0; f < COURSE_FRAMES; f++)
            c->point[f][i] += i / 9 % 8 < 2 ? 0 : i / 9 % 2 ? 5 : -5;
}

/* A few of many primitives are close: the start of a step needs more memory than detection needs
 * beyond the cached rows. */
static void few(course *c, rng *r)
{
    each_point(c, r, 1);
    for (uint32_t i = 0; i < c->mesh.primitives; i++)
        c->object[i] = (int32_t)i % 2;
    for (uint32_t i = 9 * 12; i < 3 * c->mesh.vertices; i++)
        for (int f = 0; f < COURSE_FRAMES; f++)
            c->point[f][i] += i / 9 % 2 ? 2 + i / 9 % 50 : -2. - i / 9 % 50;
}

/* Sheets pass each other: in the middle of each step all of them lie in one plane. */
static void pass_by(course *c, rng *r)
{
    each_point(c, r, 1);
    for (int f = 0; f < COURSE_FRAMES; f++)
        for (uint32_t i = 0; i < c->mesh.vertices; i++) {
            double *x = c->point[f] + 3 * (size_t)i;
            x[0] = c->point[0][3 * (size_t)i];
            x[1] = c->point[0][3 * (size_t)i + 1];
            x[2] = (f % 2 ? -1. : 1.) * (1 + i / 3);
        }
}

/* Copies have many contacts for few feature pairs. */
static const scene scenes[] = {
    {"dense",
     {"dense", 120, 3, 0, 0, 1, LOOK_RANDOM, 10},
     {.continuous = 1, .block = 1},
     ccd_limits_dense},
    {"near",
     {"near", 120, 3, 0, 0, 1, LOOK_RANDOM, 10},
     {.continuous = 1, .block = 1, .min_separation = 0.01},
     ccd_limits_dense},
    {"all near",
     {"all near", 60, 3, 0, 0, 1, LOOK_RANDOM, 10},
     {.continuous = 1, .block = 1, .min_separation = .6},
     ccd_limits_dense,
     1},
    {"pass by",
     {"pass by", 60, 3, 0, 0, 1, LOOK_RANDOM, 10},
     {.continuous = 1, .block = 1},
     pass_by,
     1},
    {"beside",
     {"beside", 240, 3, 0, 0, 1, LOOK_RANDOM, 6},
     {.continuous = 1, .block = 1, .pairs = IMP_PAIRS_BETWEEN},
     ccd_limits_neighbours},
    {"tetrahedra",
     {"tetrahedra", 24, 4, 0, 0, 1, LOOK_RANDOM, 4},
     {.continuous = 1, .block = 1, .adjacent = 1, .solids = 1},
     ccd_limits_dense},
    {"fan",
     {"fan", 48, 4, 0, 0, .25, LOOK_FAN},
     {.continuous = 1, .block = 1, .adjacent = 1},
     NULL},
    {"fan, kept",
     {"fan", 48, 4, 0, 0, .25, LOOK_FAN},
     {.continuous = 1, .block = 1, .adjacent = 1, .update = IMP_UPDATE_KEEP},
     NULL},
    {"few",
     {"few", 2000, 3, 0, 0, 1, LOOK_RANDOM},
     {.continuous = 1, .block = 1, .pairs = IMP_PAIRS_BETWEEN},
     few},
    {"still, kept",
     {"still", 500, 3, 0, 0, 1, LOOK_STILL},
     {.continuous = 1, .block = 1, .update = IMP_UPDATE_KEEP},
     NULL},
    {"still, kept, hash",
     {"still", 500, 3, 0, 0, 1, LOOK_STILL},
     {.continuous = 1, .block = 1, .update = IMP_UPDATE_KEEP, .broad = "hash"},
     NULL},
    {"dense, two steps",
     {"dense", 120, 3, 0, 0, 1, LOOK_RANDOM, 10},
     {.continuous = 1},
     ccd_limits_dense},
    {"few, two steps",
     {"few", 2000, 3, 0, 0, 1, LOOK_RANDOM},
     {.continuous = 1, .pairs = IMP_PAIRS_BETWEEN},
     few},
};
#define SCENES (sizeof scenes / sizeof *scenes)

static void ccd_limits_scene_make(const scene *s, course *c)
{
    rng r = {4};
    course_make(c, &s->of, 5);
    if (s->arrange)
        s->arrange(c, &r);
}

/* ---- the limit */

/* is `part` a prefix of `all`? */
static int ccd_limits_is_prefix(const contact_list *all, const contact_list *part)
{
    return part->count <= all->count &&
           (!part->count || !memcmp(all->row, part->row, part->count * sizeof *part->row));
}

/* The result without a limit. */
typedef struct whole {
    const way *w;
    const scene *of;
    course c;
    contact_list rows;
    imp_frame_info info[COURSE_FRAMES];
    uint64_t peak;
} whole;

static void whole_make(const way *w, const scene *of, whole *out)
{
    imp *p = way_pipeline(w, &of->def);
    imp_profile t;
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    *out = (whole){.w = w, .of = of};
    ccd_limits_scene_make(of, &out->c);
    course_rows(p, &out->c, &out->rows, out->info);
    imp_profile_get(p, &t);
    out->peak = t.peak_bytes;
    imp_destroy(p);
}

static void whole_free(whole *s)
{
    contact_list_free(&s->rows);
    course_free(&s->c);
}

static int ccd_limits_same_counts(const imp_frame_info *x, const imp_frame_info *y)
{
    for (int f = 0; f < COURSE_STEPS; f++)
        if (x[f].candidates != y[f].candidates || x[f].contacts != y[f].contacts ||
            x[f].candidates_vf != y[f].candidates_vf || x[f].candidates_ee != y[f].candidates_ee ||
            x[f].undecided != y[f].undecided)
            return 0;
    return 1;
}

static const char *ccd_limits_fault(const whole *s, int err, const contact_list *got,
                                    const imp_frame_info *info)
{
    if (err == IMP_ERR_MEMORY)
        return ccd_limits_is_prefix(&s->rows, got) ? NULL : "other rows before the error";
    if (err)
        return imp_error_text();
    if (!contact_list_equal(&s->rows, got))
        return "other rows";
    return ccd_limits_same_counts(s->info, info) ? NULL : "other counts";
}

/* Runs under the limit; returns 0 or IMP_ERR_MEMORY. */
static int ccd_limits_run_limited(const whole *s, uint64_t limit)
{
    imp_def def = s->of->def;
    imp *p = NULL;
    contact_list got = {0};
    imp_frame_info info[COURSE_FRAMES] = {{0}};
    imp_profile t = {0};
    def.mem_limit = limit;
    int err = way_create(s->w, &def, &p);
    if (!err)
        err = imp_detect(p, s->c.frame, COURSE_FRAMES, contact_list_sink, &got, info);
    if (p)
        imp_profile_get(p, &t);
    const char *what = ccd_limits_fault(s, err, &got, info);
    what = what ? what : t.peak_bytes > limit ? "over the limit" : NULL;
    EXPECT(!what, "%s, %s, %llu bytes: %s", s->w->name, s->of->name, (unsigned long long)limit,
           what);
    imp_destroy(p);
    contact_list_free(&got);
    return err;
}

/* The number of rows at the most frequent toi. */
static size_t most_at_once(const contact_list *rows)
{
    size_t most = 0;
    for (size_t i = 0, n = 0; i < rows->count; i++) {
        const int same = i && rows->row[i].frame == rows->row[i - 1].frame &&
                         rows->row[i].toi == rows->row[i - 1].toi;
        n = same ? n + 1 : 1;
        most = n > most ? n : most;
    }
    return most;
}

/* From the limit at which everything fits at once down to one at which nothing fits, or a run takes
 * long. */
static void check_limits(const whole *s)
{
    size_t most = 0, fit = 0;
    const uint64_t fine = test_count(8) < 64 ? test_count(8) : 64;
    for (uint64_t limit = s->peak; most < fine; limit -= limit / fine, fit++) {
        intervals = 0;
        if (ccd_limits_run_limited(s, limit))
            break;
        most = intervals > most ? intervals : most;
    }
    printf("\n    %s, %s: %zu rows, %zu limits, %zu intervals ", s->w->name, s->of->name,
           s->rows.count, fit, most);
    EXPECT(!s->of->at_once || most_at_once(&s->rows) > s->rows.count / 3, "%s: %zu rows at once",
           s->of->name, most_at_once(&s->rows));
    EXPECT(fit >= 1, "%s: %zu limits are enough", s->of->name, fit);
    EXPECT(s->of->arrange == few || !s->of->arrange || s->of->def.update == IMP_UPDATE_KEEP ||
               most >= 2 * COURSE_STEPS + 1,
           "%s: %zu intervals", s->of->name, most);
    for (uint64_t tiny = 1; tiny < 100000; tiny *= 17)
        CU_ASSERT_EQUAL(ccd_limits_run_limited(s, tiny), IMP_ERR_MEMORY);
}

static void test_ccd_limits_all(void)
{
    way list[WAYS_MOST];
    size_t n = 1;
    list[0] = way_host();
    if (test_count(1) > 1)
        n = ways_few(list);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < SCENES; k += TEST_SLOW ? 3 : 1) {
            whole s;
            whole_make(&list[i], &scenes[k], &s);
            check_limits(&s);
            whole_free(&s);
        }
}

/* ---- the order in which impacts are added */

static rng *shuffler; /* NULL: unchanged */

int __real_impacts_add(const context *c, ccd_step *m);
int __wrap_impacts_add(const context *c, ccd_step *m);

static void ccd_limits_shuffle(feature_pair_list *hits, rng *r)
{
    for (size_t i = hits->count; i > 1; i--) {
        const size_t k = rng_below(r, (uint32_t)i);
        const feature_pair t = hits->list[i - 1];
        hits->list[i - 1] = hits->list[k];
        hits->list[k] = t;
    }
}

static int without_edges; /* edge pairs are dropped */

static size_t drop_edges(feature_pair_list *hits)
{
    size_t kept = 0;
    for (size_t i = 0; i < hits->count; i++)
        if (FEATURE_KIND(hits->list[i].code) != FEATURE_EDGES)
            hits->list[kept++] = hits->list[i];
    return kept;
}

/* Adds the pairs of a range in another order, and in parts. */
int __wrap_impacts_add(const context *c, ccd_step *m)
{
    const feature_pair_list all = m->pairs;
    int err = 0;
    if (without_edges)
        m->pairs.count = drop_edges(&m->pairs);
    if (!shuffler)
        return __real_impacts_add(c, m);
    ccd_limits_shuffle(&m->pairs, shuffler);
    for (size_t first = 0, n; first < all.count && !err; first += n) {
        n = 1 + rng_below(shuffler, (uint32_t)(all.count - first));
        m->pairs = (feature_pair_list){all.list + first, n, n};
        err = __real_impacts_add(c, m);
    }
    m->pairs = all;
    m->pairs.count = 0;
    return err;
}

static void test_ccd_limits_order(void)
{
    const way w = way_host();
    rng r = {6};
    const uint64_t count = test_cases(3);
    for (uint64_t i = 0; i < count; i++)
        for (size_t l = looks_from(1); l < LOOKS; l += looks_step()) {
            const imp_def def = {.continuous = 1, .adjacent = l % 2 || looks[l].form == LOOK_FAN};
            course c;
            contact_list want, got;
            course_make(&c, &looks[l], 300 * i + l);
            course_way(&w, &def, &c, &want);
            shuffler = &r;
            course_way(&w, &def, &c, &got);
            shuffler = NULL;
            EXPECT(contact_list_equal(&want, &got), "%s: other rows", looks[l].name);
            contact_list_free(&want);
            contact_list_free(&got);
            course_free(&c);
        }
}

/* ---- the self-test */

/* A device that misses contacts of steps is refused for steps. */
static void test_selftest(void)
{
    imp *p = NULL;
    imp_def def = {.device = "cpu", .threads = 3}; /* unlike any other here: tried.c */
    without_edges = 1;
    CU_ASSERT(!imp_create(&def, &p));
    imp_destroy(p);
    def.continuous = 1;
    int err = imp_create(&def, &p);
    EXPECT(err == IMP_ERR_DEVICE && strstr(imp_error_text(), "self-test"), "%d: %s", err,
           imp_error_text());
    imp_destroy(p);
    without_edges = 0;
    CU_ASSERT(!imp_create(&def, &p));
    imp_destroy(p);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"limits", test_ccd_limits_all},
                                 {"order", test_ccd_limits_order},
                                 {"selftest", test_selftest},
                                 {0}};
    return test_main(argc, argv, "ccd_limits", tests);
}
