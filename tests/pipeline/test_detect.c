/* The whole pipeline: contacts are those that the host's own search finds, and the same bytes with
 * every device, method, k-DOP, cell size and block. */
#include "made.h"
#include "truth.h"
#include "ways.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PRIMS 120

static const imp_def skip_adjacent = {.on_bad = IMP_BAD_SKIP};
static const imp_def test_adjacent = {.on_bad = IMP_BAD_SKIP, .adjacent = IMP_ADJACENT_TEST};

/* ---- truth: swept float64 boxes, and exact arithmetic for each pair of them */

static const char *frame_fault(const truth *t, const contact_list *l, size_t frame, size_t *at)
{
    for (size_t i = 0; i < t->count; i++, ++*at) {
        const truth_row *want = &t->row[i];
        if (*at == l->count || l->row[*at].frame != frame)
            return "a contact is missing";
        const struct contact_row *got = &l->row[*at];
        if (got->a != want->a || got->b != want->b)
            return "other pairs";
        if (got->kind != want->kind)
            return "another kind";
        if (got->crossing != want->crossing)
            return "crossing differs";
    }
    return NULL;
}

static const char *truth_fault(const made *m, const imp_def *def, const contact_list *l)
{
    mem memory = {0};
    size_t at = 0;
    const char *what = NULL;
    for (size_t f = 0; f < m->frames && !what; f++) {
        truth t;
        if (truth_find(&memory, &m->frame[f], def, NULL, 2, &t))
            return imp_error_text();
        what = frame_fault(&t, l, f, &at);
        truth_free(&memory, &t);
    }
    return what || at == l->count ? what : "contacts that are none";
}

/* ---- the form of the delivered rows */

/* The box of both triangles; returns half its largest extent. */
static double pair_box(const imp_frame *f, const struct contact_row *r, double lo[3], double hi[3])
{
    double size = 0;
    for (int k = 0; k < 3; k++) {
        lo[k] = INFINITY;
        hi[k] = -INFINITY;
    }
    for (uint32_t c = 0; c < 6; c++) {
        double x[3];
        frame_vertex(f, f->mesh->corner[3 * (c < 3 ? r->a : r->b) + c % 3], x);
        for (int k = 0; k < 3; k++) {
            lo[k] = fmin(lo[k], x[k]);
            hi[k] = fmax(hi[k], x[k]);
        }
    }
    for (int k = 0; k < 3; k++)
        size = fmax(size, hi[k] / 2 - lo[k] / 2);
    return size;
}

static int lexicographic(const double *p)
{
    for (int k = 0; k < 3; k++)
        if (p[k] != p[3 + k])
            return p[k] < p[3 + k];
    return 1;
}

/* Points are finite, without -0, ordered, and within the box of the pair. */
static int row_good(const imp_frame *f, const struct contact_row *r)
{
    double lo[3], hi[3];
    pair_box(f, r, lo, hi);
    for (int k = 0; k < 6; k++) {
        if (!isfinite(r->point[k]) || (r->point[k] == 0 && signbit(r->point[k])))
            return 0;
        if (r->point[k] < lo[k % 3] || r->point[k] > hi[k % 3])
            return 0;
    }
    return lexicographic(r->point);
}

static int rows_good(const made *m, const contact_list *l)
{
    for (size_t i = 0; i < l->count; i++) {
        const struct contact_row *r = &l->row[i], *last = r - 1;
        if (r->frame >= m->frames || r->a >= r->b || r->b >= m->frame[r->frame].mesh->primitives ||
            !row_good(&m->frame[r->frame], r))
            return 0;
        if (i &&
            (last->frame > r->frame ||
             (last->frame == r->frame && (last->a > r->a || (last->a == r->a && last->b >= r->b)))))
            return 0;
    }
    return 1;
}

/* ---- the figures besides the contacts */

static const char *detect_info_fault(const made *m, const contact_list *l,
                                     const imp_frame_info *info)
{
    size_t at = 0;
    for (size_t f = 0; f < m->frames; f++) {
        size_t first = at;
        while (at < l->count && l->row[at].frame == f)
            at++;
        if (info[f].contacts != at - first)
            return "contacts of a frame";
        if (info[f].candidates < info[f].contacts || info[f].candidates < info[f].undecided)
            return "fewer candidates than contacts";
        if (!(info[f].seconds >= 0) || (!m->bad && info[f].bad))
            return "seconds, or bad triangles";
    }
    return NULL;
}

static const char *profile_fault(imp *p, const made *m, const imp_frame_info *info)
{
    imp_profile t;
    uint64_t prims = 0, most = 0;
    imp_profile_get(p, &t);
    for (size_t f = 0; f < m->frames; f++) {
        t.candidates -= info[f].candidates;
        t.contacts -= info[f].contacts;
        t.undecided -= info[f].undecided;
        t.bad -= info[f].bad;
        prims += m->frame[f].mesh->primitives;
        most = info[f].candidates > most ? info[f].candidates : most;
    }
    if (t.candidates || t.contacts || t.undecided || t.bad || t.candidates_max != most)
        return "profile: other sums than the frames";
    if (t.frames != m->frames || t.primitives != prims || !t.peak_bytes)
        return "profile: frames, primitives or bytes";
    return t.bound >= 0 && t.broad >= 0 && t.order >= 0 && t.narrow >= 0 ? NULL : "profile: time";
}

/* ---- one scene, one pipeline */

/* Contacts, and `undecided` and `bad` of each frame, which are also the same on all devices. */
typedef struct answer {
    contact_list list;
    imp_frame_info info[64];
} answer;

static int detect_same_info(const made *m, const answer *a, const answer *b, int same_bounds)
{
    for (size_t f = 0; f < m->frames; f++)
        if (a->info[f].contacts != b->info[f].contacts || a->info[f].bad != b->info[f].bad ||
            (same_bounds && (a->info[f].candidates != b->info[f].candidates ||
                             a->info[f].undecided != b->info[f].undecided)))
            return 0;
    return 1;
}

static const char *detect_query(imp *p, const made *m, answer *out)
{
    *out = (answer){0};
    CU_ASSERT_FATAL(m->frames <= 64);
    imp_profile_reset(p);
    if (imp_detect(p, m->frame, m->frames, contact_list_sink, &out->list, out->info))
        return imp_error_text();
    const char *what = detect_info_fault(m, &out->list, out->info);
    return what ? what : profile_fault(p, m, out->info);
}

/* Another pipeline gives the same bits. */
static void detect_repeat(const pipe *q, const made *m, const answer *want, int same_bounds)
{
    answer got;
    const char *what = detect_query(q->p, m, &got);
    if (!what && !contact_list_equal(&got.list, &want->list))
        what = "other bytes";
    if (!what && !detect_same_info(m, &got, want, same_bounds))
        what = "other counts";
    if (what)
        way_failed(q->way, q->method, m->name, what);
    contact_list_free(&got.list);
}

/* The answer of the first pipeline is compared with the truth. */
static void first_answer(const pipe *q, const made *m, const imp_def *def, answer *out)
{
    const char *what = detect_query(q->p, m, out);
    if (!what)
        what = truth_fault(m, def, &out->list);
    if (!what && !rows_good(m, &out->list))
        what = "a contact is out of place or order";
    if (what)
        way_failed(q->way, q->method, m->name, what);
}

/* ---- all scenes */

static void check_detect_scenes(const imp_def *def, uint32_t prims, int all)
{
    pipes s;
    made m;
    pipes_open(&s, def, all);
    for (size_t i = 0; made_open(i, prims, &m); i++, made_free(&m)) {
        answer want;
        first_answer(&s.list[0], &m, def, &want);
        for (size_t k = 1; k < s.count; k++)
            detect_repeat(&s.list[k], &m, &want, 1);
        contact_list_free(&want.list);
    }
    pipes_close(&s);
}

static void test_detect_skip_adjacent(void)
{
    check_detect_scenes(&skip_adjacent, PRIMS, 1);
}

static void test_adjacent_too(void)
{
    check_detect_scenes(&test_adjacent, PRIMS, 1);
}

static void test_detect_large(void)
{
    check_detect_scenes(&skip_adjacent, (uint32_t)test_count(TEST_SLOW ? 400 : 1200), 0);
}

/* Options that must not change the result; the first EVERYDAY of them run every day, of which slow
 * builds run every other one. */
#define EVERYDAY 6
static const imp_def variants[] = {
    {.dop_k = 26},  {.dop_k = 18, .cell = 0.2, .block = 3},
    {.cell = 1e-9}, {.cell = MADE_CELL},
    {.block = 1},   {.mem_limit = 3 << 20},
    {.dop_k = 8},   {.dop_k = 14},
    {.dop_k = 18},  {.cell = 1e9},
    {.cell = 0.01}, {.block = 2},
    {.block = 7},
};

static void variant(const imp_def *v, const answer *want)
{
    pipes s;
    made m;
    imp_def def = *v;
    def.on_bad = IMP_BAD_SKIP;
    def.adjacent = IMP_ADJACENT_TEST;
    pipes_open(&s, &def, 0);
    for (size_t i = 0; made_open(i, PRIMS, &m); i++, made_free(&m))
        for (size_t k = 0; k < s.count; k++)
            detect_repeat(&s.list[k], &m, &want[i], !def.dop_k);
    pipes_close(&s);
}

static void test_variants(void)
{
    enum { SCENES_MOST = 64 };
    static answer want[SCENES_MOST];
    pipes s;
    made m;
    pipes_open(&s, &test_adjacent, 0);
    for (size_t i = 0; made_open(i, PRIMS, &m); i++, made_free(&m)) {
        CU_ASSERT_FATAL(i < SCENES_MOST);
        first_answer(&s.list[0], &m, &test_adjacent, &want[i]);
    }
    pipes_close(&s);
    size_t all = sizeof variants / sizeof *variants;
    for (size_t v = 0; v < (test_count(1) > 1 ? all : EVERYDAY); v += 1 + TEST_SLOW)
        variant(&variants[v], want);
    for (size_t i = 0; i < SCENES_MOST; i++)
        contact_list_free(&want[i].list);
}

/* ---- candidates carry the centroids */

static double detect_centroid(const imp_frame *f, uint32_t i, int k)
{
    double sum = 0;
    for (uint32_t c = 0; c < 3; c++) {
        double x[3];
        frame_vertex(f, f->mesh->corner[3 * i + c], x);
        sum += x[k] / 3;
    }
    return sum;
}

/* `step`: in scaled coordinates, smaller triangles vanish */
static int centroids_good(const imp_frame *f, const struct contact_row *r, double step)
{
    double lo[3], hi[3], size = pair_box(f, r, lo, hi), at[6], turned[6], far = 0;
    for (int k = 0; k < 3; k++) {
        at[k] = turned[3 + k] = detect_centroid(f, r->a, k);
        at[3 + k] = turned[k] = detect_centroid(f, r->b, k);
        far = fmax(far, fmax(fabs(lo[k]), fabs(hi[k])));
    }
    double slack = 1e-14 * size + 4 * DBL_EPSILON * far + step, off[2] = {0};
    for (int k = 0; k < 6; k++) {
        off[0] = fmax(off[0], fabs(at[k] - r->point[k]));
        off[1] = fmax(off[1], fabs(turned[k] - r->point[k]));
    }
    return lexicographic(r->point) && (off[0] <= slack || off[1] <= slack);
}

/* the least difference that is not lost when the frame is scaled to 1 */
static double frame_step(const imp_frame *f)
{
    double far = 0, x[3];
    for (uint32_t i = 0; i < 3 * f->mesh->primitives; i++) {
        frame_vertex(f, f->mesh->corner[i], x);
        for (int k = 0; k < 3; k++)
            far = fmax(far, isfinite(x[k]) ? fabs(x[k]) : 0);
    }
    return 8 * far * 0x1p-1022 + DBL_TRUE_MIN;
}

static size_t wrong_centroids(const made *m, const contact_list *l)
{
    size_t wrong = 0, at = 0;
    for (size_t f = 0; f < m->frames; f++) {
        double step = frame_step(&m->frame[f]);
        for (; at < l->count && l->row[at].frame == f; at++)
            wrong += l->row[at].kind != IMP_KIND_CANDIDATE ||
                     !centroids_good(&m->frame[f], &l->row[at], step);
    }
    return wrong;
}

static void test_detect_centroids(void)
{
    way list[1] = {way_host()};
    made m;
    imp_def def = {.stage = IMP_STAGE_CANDIDATES, .on_bad = IMP_BAD_SKIP};
    imp *p = way_pipeline(list, &def);
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    for (size_t i = 0; made_open(i, PRIMS, &m); i++, made_free(&m)) {
        contact_list l = {0};
        CU_ASSERT_EQUAL(imp_detect(p, m.frame, m.frames, contact_list_sink, &l, NULL), 0);
        if (wrong_centroids(&m, &l))
            way_failed(list, NULL, m.name, "not the centroids");
        contact_list_free(&l);
    }
    imp_destroy(p);
}

/* ---- several calls, several pipelines */

/* Single frames, all frames, no frames: no state is carried from call to call. */
static void test_detect_calls(void)
{
    pipes s;
    made m;
    pipes_open(&s, &skip_adjacent, 1);
    for (size_t i = 0; made_open(i, PRIMS / 2, &m); i++, made_free(&m))
        for (size_t k = 0; k < s.count; k++) {
            contact_list all = {0}, each = {0};
            CU_ASSERT_EQUAL(
                imp_detect(s.list[k].p, m.frame, m.frames, contact_list_sink, &all, NULL), 0);
            for (size_t f = 0; f < m.frames; f++) {
                size_t first = each.count;
                CU_ASSERT_EQUAL(
                    imp_detect(s.list[k].p, m.frame + f, 1, contact_list_sink, &each, NULL), 0);
                for (size_t r = first; r < each.count; r++)
                    each.row[r].frame += f;
            }
            CU_ASSERT_EQUAL(imp_detect(s.list[k].p, m.frame, 0, contact_list_sink, &all, NULL), 0);
            CU_ASSERT_EQUAL(imp_detect(s.list[k].p, NULL, 0, NULL, NULL, NULL), 0);
            if (!contact_list_equal(&all, &each))
                way_failed(s.list[k].way, s.list[k].method, m.name, "frames one by one");
            contact_list_free(&all);
            contact_list_free(&each);
        }
    pipes_close(&s);
}

/* ---- cached data of the last block */

/* Frames without primitives have another mesh, while blocks with and without such a frame have the
 * same number of primitives. */
static void meshes(made *m, const char *which)
{
    rng r = {8};
    made_part *full = NULL;
    const imp_mesh *mesh = NULL;
    *m = (made){.name = which};
    for (; *which; which++) {
        const int none = *which == '-';
        made_part *p = none ? made_add(m, 0) : full ? made_again(m, full) : made_add(m, 90);
        for (uint32_t i = 0; i < p->mesh.primitives; i++)
            made_triangle(p, i, (const double[3]){0.05 * i, 0, 0}, 1, &r);
        imp_frame *f = &m->frame[m->frames - 1];
        if (none)
            continue;
        f->mesh = mesh = full ? mesh : f->mesh;
        full = p;
    }
}

/* Blocks of two frames against single frames on the host. */
static void check_meshes(const way *w, const made *m, int update)
{
    const way host = way_host();
    const imp_def def = {.block = 2, .update = update}, alone = {.block = 1};
    imp *p = way_pipeline(w, &def), *q = way_pipeline(&host, &alone);
    CU_ASSERT_FATAL(p && q);
    for (int turn = 0; turn < 2; turn++) {
        contact_list got = {0}, want = {0};
        CU_ASSERT_EQUAL(imp_detect(p, m->frame, m->frames, contact_list_sink, &got, NULL), 0);
        CU_ASSERT_EQUAL(imp_detect(q, m->frame, m->frames, contact_list_sink, &want, NULL), 0);
        CU_ASSERT(want.count > 100);
        if (!contact_list_equal(&got, &want))
            way_failed(w, NULL, m->name, "other contacts than of each frame alone");
        contact_list_free(&got);
        contact_list_free(&want);
    }
    imp_destroy(p);
    imp_destroy(q);
}

static void test_detect_meshes(void)
{
    static const char *const orders[] = {"M-MM", "MMM-", "-MMM", "MM-MMM", "MMMM"};
    way list[WAYS_MOST];
    const size_t n = ways_few(list);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < sizeof orders / sizeof *orders; k++)
            for (int update = IMP_UPDATE_REBUILD; update <= IMP_UPDATE_KEEP; update++) {
                made m;
                meshes(&m, orders[k]);
                check_meshes(&list[i], &m, update);
                made_free(&m);
            }
}

static void count_alone(const imp_def *def)
{
    pipes s;
    made m;
    pipes_open(&s, def, 0);
    for (size_t i = 0; made_open(i, PRIMS, &m); i++, made_free(&m))
        for (size_t k = 0; k < s.count; k++) {
            answer with;
            imp_frame_info info[64];
            CU_ASSERT_PTR_NULL(detect_query(s.list[k].p, &m, &with));
            CU_ASSERT_EQUAL(imp_detect(s.list[k].p, m.frame, m.frames, NULL, NULL, info), 0);
            for (size_t f = 0; f < m.frames; f++)
                CU_ASSERT(info[f].contacts == with.info[f].contacts &&
                          info[f].candidates == with.info[f].candidates &&
                          info[f].undecided == with.info[f].undecided);
            contact_list_free(&with.list);
        }
    pipes_close(&s);
}

/* Without a sink, contacts and candidates are counted. */
static void test_no_sink(void)
{
    const imp_def bounds_alone = {.on_bad = IMP_BAD_SKIP, .stage = IMP_STAGE_CANDIDATES};
    count_alone(&skip_adjacent);
    count_alone(&bounds_alone);
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"skip_adjacent", test_detect_skip_adjacent},
        {"adjacent_too", test_adjacent_too},
        {"large", test_detect_large},
        {"variants", test_variants},
        {"centroids", test_detect_centroids},
        {"calls", test_detect_calls},
        {"meshes", test_detect_meshes},
        {"no_sink", test_no_sink},
        {0},
    };
    return test_main(argc, argv, "detect", tests);
}
