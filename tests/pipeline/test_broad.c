/* The broad phase: candidates of every device and method, in every scene and under every rule, are
 * the same bytes, and equal those of plain loops over the same bounds. */
#include "expect.h"
#include "made.h"
#include "ways.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- plain loops */

static int broad_test_share_vertex(const imp_mesh *m, uint32_t a, uint32_t b)
{
    const uint32_t *p = m->corner + 3 * a, *q = m->corner + 3 * b;
    for (int i = 0; i < 9; i++)
        if (p[i / 3] == q[i % 3])
            return 1;
    return 0;
}

static int broad_test_named(const imp_def *def, int32_t p, int32_t q)
{
    for (size_t i = 0; i < def->object_pairs; i++) {
        int32_t x = def->object_pair[i][0], y = def->object_pair[i][1];
        if ((x == p && y == q) || (x == q && y == p))
            return 1;
    }
    return 0;
}

static int broad_test_wanted(const imp_def *def, const imp_mesh *m, uint32_t a, uint32_t b)
{
    int32_t p = m->object ? m->object[a] : 0, q = m->object ? m->object[b] : 0;
    if (def->adjacent == IMP_ADJACENT_SKIP && broad_test_share_vertex(m, a, b))
        return 0;
    if ((def->pairs == IMP_PAIRS_SELF && p != q) || (def->pairs == IMP_PAIRS_BETWEEN && p == q))
        return 0;
    if (!def->object_pair)
        return 1;
    return broad_test_named(def, p, q) ? !def->object_pairs_exclude : def->object_pairs_exclude;
}

static int broad_test_overlap(const read_bounds *r, uint32_t a, uint32_t b)
{
    const float *p = r->box + 6 * a, *q = r->box + 6 * b;
    for (int k = 0; k < 3; k++)
        if (!(p[k] <= q[3 + k] && q[k] <= p[3 + k]))
            return 0;
    p = r->slab + 2 * r->extra * a;
    q = r->slab + 2 * r->extra * b;
    for (uint32_t e = 0; e < 2 * r->extra; e += 2)
        if (!(p[e] <= q[e + 1] && q[e] <= p[e + 1]))
            return 0;
    return 1;
}

/* All pairs of a frame, in order. */
static void broad_test_plain_frame(const read_bounds *r, const imp_def *def, const made *m,
                                   size_t f, contact_list *out)
{
    const imp_mesh *mesh = m->frame[f].mesh;
    int err = 0;
    for (uint32_t a = 0; a < r->prims; a++)
        for (uint32_t b = a + 1; b < r->prims; b++) {
            const imp_contacts one = {f, 1, &a, &b, &(uint8_t){0}, (double[6]){0}};
            if (broad_test_overlap(r, a, b) && broad_test_wanted(def, mesh, a, b))
                err |= contact_list_sink(out, &one);
        }
    CU_ASSERT_EQUAL_FATAL(err, 0);
}

/* Bounds of each frame alone, and of all its primitives: those of a pipeline without rules that
 * would cull some of them (cull.c). */
static void broad_test_plain(const way *w, const imp_def *def, const made *m, contact_list *out)
{
    imp_def all = {.dop_k = def->dop_k, .on_bad = def->on_bad, .update = IMP_UPDATE_REBUILD};
    imp *p = way_pipeline(w, &all);
    for (size_t f = 0; f < m->frames; f++) {
        read_bounds r;
        CU_ASSERT_EQUAL(read_bounds_of(p, &m->frame[f], 1, &r), 0);
        broad_test_plain_frame(&r, def, m, f, out);
        read_bounds_free(&r);
    }
    imp_destroy(p);
}

/* ---- one scene */

static int broad_test_same_pairs(const contact_list *a, const contact_list *b)
{
    for (size_t i = 0; i < a->count && i < b->count; i++)
        if (a->row[i].frame != b->row[i].frame || a->row[i].a != b->row[i].a ||
            a->row[i].b != b->row[i].b || a->row[i].kind != b->row[i].kind)
            return 0;
    return a->count == b->count;
}

static const char *broad_test_info_fault(const contact_list *l, const imp_frame_info *info,
                                         size_t frames)
{
    size_t i = 0;
    for (size_t f = 0; f < frames; f++) {
        size_t first = i;
        while (i < l->count && l->row[i].frame == f)
            i++;
        if (info[f].candidates != i - first || info[f].contacts != i - first)
            return "info counts other pairs";
    }
    return i == l->count ? NULL : "frames out of order";
}

/* Compares the pairs of one pipeline with those of the loops, and all bits with the first
 * pipeline's. */
static void check_broad_candidates(const pipe *q, const made *m, const contact_list *want,
                                   contact_list *first)
{
    contact_list got = {0};
    const char *what = NULL;
    imp_frame_info info[64];
    CU_ASSERT_FATAL(m->frames <= 64);
    if (imp_detect(q->p, m->frame, m->frames, contact_list_sink, &got, info))
        what = imp_error_text();
    else if (!broad_test_same_pairs(&got, want))
        what = "wrong pairs";
    else if (first->row && !contact_list_equal(&got, first))
        what = "other points";
    else
        what = broad_test_info_fault(&got, info, m->frames);
    if (what)
        way_failed(q->way, q->method, m->name, what);
    if (first->row)
        contact_list_free(&got);
    else
        *first = got;
}

static uint64_t check_broad_scene(const pipes *s, const imp_def *def, const made *m)
{
    contact_list want = {0}, first = {0};
    broad_test_plain(s->list[0].way, def, m, &want);
    for (size_t i = 0; i < s->count; i++)
        check_broad_candidates(&s->list[i], m, &want, &first);
    uint64_t count = want.count;
    contact_list_free(&want);
    contact_list_free(&first);
    return count;
}

/* Checks the scenes on all devices and forms (`all`) or on a few; with few, slow builds check a
 * fifth. */
static uint64_t check_broad_scenes(const imp_def *base, uint32_t prims, int all)
{
    const size_t step = TEST_SLOW && !all ? 5 : 1;
    pipes s;
    made m;
    imp_def def = *base;
    uint64_t count = 0;
    def.stage = IMP_STAGE_CANDIDATES;
    def.on_bad = IMP_BAD_SKIP;
    pipes_open(&s, &def, all);
    for (size_t i = 0; made_open(i, prims, &m); i += step, made_free(&m))
        count += check_broad_scene(&s, &def, &m);
    pipes_close(&s);
    return count;
}

/* ---- tests */

#define FEW 100
#define MANY 1100

/* The number of variants to test: the first few every day, all in the soak. */
static size_t broad_test_variants(size_t few, size_t all)
{
    return test_count(1) > 1 ? all : few;
}

/* candidates of all scenes with default options */
static uint64_t default_count(void)
{
    static uint64_t count;
    if (!count)
        count = check_broad_scenes(&(imp_def){0}, FEW, 0);
    return count;
}

static void test_broad_default(void)
{
    check_broad_scenes(&(imp_def){0}, (uint32_t)test_count(FEW), 1);
}

/* More queries than fit in one launch of a heavy kernel, and in one strip. */
static void test_broad_large(void)
{
    check_broad_scenes(&(imp_def){0}, MANY, 0);
}

static void test_broad_dops(void)
{
    static const int k[] = {26, 18, 8, 14};
    for (size_t i = 0; i < broad_test_variants(1, 4); i++)
        CU_ASSERT(check_broad_scenes(&(imp_def){.dop_k = k[i]}, FEW, 0) < default_count());
}

static void test_broad_cells(void)
{
    static const double cells[] = {1e-9, 1e9, 0.3, 1e-320, 1e308};
    for (size_t i = 0; i < broad_test_variants(2, 5); i++)
        CU_ASSERT_EQUAL(check_broad_scenes(&(imp_def){.cell = cells[i]}, FEW, 0), default_count());
}

/* Forms of a device that do not affect cells are left out above. */
static void test_border_cells(void)
{
    check_broad_scenes(&(imp_def){.cell = MADE_CELL, .adjacent = IMP_ADJACENT_TEST}, FEW, 1);
}

static void test_broad_rules(void)
{
    uint64_t all = check_broad_scenes(&(imp_def){.adjacent = IMP_ADJACENT_TEST}, FEW, 0);
    uint64_t skip = default_count();
    uint64_t self = check_broad_scenes(&(imp_def){.pairs = IMP_PAIRS_SELF}, FEW, 0);
    uint64_t between = check_broad_scenes(&(imp_def){.pairs = IMP_PAIRS_BETWEEN}, FEW, 0);
    CU_ASSERT(skip < all && self > 0 && between > 0);
    CU_ASSERT_EQUAL(self + between, skip);
}

/* An unordered list with repeats, pairs in either order, and absent objects. */
static const int32_t listed[][2] = {{2, 0}, {1, 1},         {0, 2}, {-2, 1},
                                    {1, 1}, {INT32_MIN, 7}, {0, 0}, {INT32_MAX, INT32_MIN}};

static imp_def listing(size_t count, int exclude, int which)
{
    return (imp_def){.object_pair = listed,
                     .object_pairs = count,
                     .object_pairs_exclude = exclude,
                     .pairs = which};
}

static void test_broad_lists(void)
{
    imp_def def = listing(8, 0, IMP_PAIRS_ALL);
    uint64_t only = check_broad_scenes(&def, FEW, 0), all = default_count();
    def.object_pairs_exclude = 1;
    uint64_t rest = check_broad_scenes(&def, FEW, 0);
    CU_ASSERT(only > 0 && rest > 0);
    CU_ASSERT_EQUAL(only + rest, all);
    def = listing(8, 0, IMP_PAIRS_BETWEEN);
    CU_ASSERT(check_broad_scenes(&def, FEW, 0) < only);
    def = listing(0, 0, IMP_PAIRS_ALL); /* an error if it excludes every pair: test_valid.c */
    def.object_pairs_exclude = 1;
    CU_ASSERT(check_broad_scenes(&def, 10, 0) > 0);
}

static void test_broad_blocks(void)
{
    for (uint32_t most = 1; most < 4 * broad_test_variants(1, 2); most += 2)
        check_broad_scenes(&(imp_def){.block = most}, FEW / 2, 0);
}

/* ---- pieces: ranges of lower primitives, and a limited number of pairs at a time */

typedef struct pieces {
    imp *p;
    const way *way;
    const char *method;
    const contact_list *want; /* indices in the block of all frames */
    int done;
} pieces;

typedef struct listed_pairs {
    size_t count, capacity;
    uint32_t (*pair)[2];
} listed_pairs;

static void pair_list_add(listed_pairs *l, imp *p, const pairs *from)
{
    if (l->count + from->count > l->capacity) {
        l->capacity = 2 * (l->count + from->count);
        l->pair = realloc(l->pair, l->capacity * sizeof *l->pair);
        CU_ASSERT_PTR_NOT_NULL_FATAL(l->pair);
    }
    uint32_t *word = malloc((2 * from->count + 1) * sizeof *word);
    CU_ASSERT_PTR_NOT_NULL_FATAL(word);
    CU_ASSERT_EQUAL(buffer_read(p->context.dev, &from->a, 0, word, from->count), 0);
    CU_ASSERT_EQUAL(buffer_read(p->context.dev, &from->b, 0, word + from->count, from->count), 0);
    for (size_t i = 0; i < from->count; i++) {
        l->pair[l->count][0] = word[i];
        l->pair[l->count++][1] = word[from->count + i];
    }
    free(word);
}

/* Pairs whose lower primitive is in [first, last), about `capacity` at a time. */
static const char *broad_test_collect(imp *p, uint32_t first, uint32_t last, uint64_t capacity,
                                      listed_pairs *out)
{
    candidates piece = {0};
    const char *what = NULL;
    imp_frame_info info[64] = {{0}};
    size_t begin = out->count, counted = 0;
    CU_ASSERT_FATAL(p->workspace.view.frames <= 64);
    broad *b = &p->workspace.broad;
    const broad_input in = {&p->context, &p->workspace.view, &p->workspace.bounds};
    if (broad_begin(b, &in, first, last, info))
        return imp_error_text();
    while (!broad_done(b) && !what) {
        if (broad_next(b, &in, capacity, info, &piece) ||
            candidates_resolve_count(&p->context, &piece, NULL))
            what = imp_error_text();
        else
            pair_list_add(out, p, &piece.of);
    }
    for (uint32_t f = 0; f < p->workspace.view.frames; f++)
        counted += info[f].candidates;
    if (!what && counted != out->count - begin)
        what = "not as many as counted";
    for (size_t i = begin; i < out->count && !what; i++)
        if (out->pair[i][0] < first || out->pair[i][0] >= last)
            what = "a pair of another range";
    pairs_free(p->context.dev, &piece.of);
    return what;
}

static int pair_compare(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return x[0] != y[0] ? (x[0] < y[0] ? -1 : 1) : (x[1] > y[1]) - (x[1] < y[1]);
}

static const char *compare_pairs(listed_pairs *got, const contact_list *want)
{
    if (got->count != want->count)
        return "other pairs than all at once";
    if (got->count)
        qsort(got->pair, got->count, sizeof *got->pair, pair_compare);
    for (size_t i = 0; i < got->count; i++)
        if (got->pair[i][0] != want->row[i].a || got->pair[i][1] != want->row[i].b)
            return "other pairs than all at once";
    return NULL;
}

/* the whole block in ranges of `step` */
static const char *ranges(const pieces *t, uint32_t step, uint64_t capacity)
{
    listed_pairs got = {0};
    const char *what = NULL;
    uint32_t n = t->p->workspace.view.prims;
    for (uint32_t first = 0; first < n && !what; first += step)
        what = broad_test_collect(t->p, first, n - first < step ? n : first + step, capacity, &got);
    if (!what)
        what = compare_pairs(&got, t->want);
    free(got.pair);
    return what;
}

/* Runs in a sink, since the pipeline holds its block while the sink runs. */
static int pieces_sink(void *user, const imp_contacts *c)
{
    static const uint32_t steps[] = {UINT32_MAX, 1000, 17, 1};
    static const uint64_t most[] = {UINT64_MAX, 1000, 50, 1};
    pieces *t = user;
    (void)c;
    for (int s = 0; s < 4; s++)
        for (int r = 0; r < 4; r++) {
            uint32_t n = t->p->workspace.view.prims, step = steps[s] < n ? steps[s] : n;
            if (s + r > 3)
                continue; /* no new case, and very many launches */
            const char *what = ranges(t, step, most[r]);
            if (what)
                way_failed(t->way, t->method, "pieces", what);
        }
    t->done = 1;
    return 1;
}

/* Indices in the frame become indices in the block. */
static void number_through(const made *m, contact_list *l)
{
    uint32_t first = 0;
    size_t i = 0;
    for (size_t f = 0; f < m->frames; first += m->frame[f++].mesh->primitives)
        for (; i < l->count && l->row[i].frame == f; i++) {
            l->row[i].a += first;
            l->row[i].b += first;
        }
}

/* For the first frames, which share a point type and so go into one block. */
static void try_pieces(const pipes *s, const made *all, const imp_def *def)
{
    contact_list want = {0};
    made block = *all, *m = &block;
    for (m->frames = 1; m->frames < all->frames; m->frames++)
        if (m->frame[m->frames].type != m->frame[0].type)
            break;
    broad_test_plain(s->list[0].way, def, m, &want);
    number_through(m, &want);
    CU_ASSERT(want.count >= 10);
    for (size_t i = 0; i < s->count; i++) {
        pieces t = {
            .p = s->list[i].p, .way = s->list[i].way, .method = s->list[i].method, .want = &want};
        CU_ASSERT_EQUAL(imp_detect(t.p, m->frame, m->frames, pieces_sink, &t, NULL), 1);
        CU_ASSERT(t.done);
    }
    contact_list_free(&want);
}

static void test_broad_pieces(void)
{
    static const char *const names[] = {"soup", "giant", "one cell", "many frames"};
    const imp_def def = {.stage = IMP_STAGE_CANDIDATES};
    pipes s;
    made m;
    pipes_open(&s, &def, 0);
    for (size_t i = 0; made_open(i, 120, &m); i++, made_free(&m))
        for (int k = 0; k < 4; k += TEST_SLOW ? 3 : 1)
            if (!strcmp(m.name, names[k]))
                try_pieces(&s, &m, &def);
    pipes_close(&s);
}

/* ---- the choice of auto for each block, and its report */

static uint64_t broad_test_blocks(const imp *p, const char *name)
{
    const char *at;
    uint64_t blocks;
    for (size_t i = 0; imp_broad_at(p, i, &at, &blocks); i++)
        if (!strcmp(at, name))
            return blocks;
    return UINT64_MAX;
}

static void test_choice(void)
{
    way list[WAYS_MOST];
    size_t n = ways_few(list);
    made little, much;
    CU_ASSERT_FATAL(made_procedural("soup", 100, 3, 1, &little));
    CU_ASSERT_FATAL(made_procedural("soup", 2000, 2, 1, &much));
    for (size_t i = 0; i < n; i++) {
        imp *p = way_pipeline(&list[i], &(imp_def){.block = 1});
        CU_ASSERT_STRING_EQUAL(imp_broad_name(p), "auto");
        imp_profile_reset(p);
        CU_ASSERT_EQUAL(imp_detect(p, little.frame, 3, NULL, NULL, NULL), 0);
        CU_ASSERT_STRING_EQUAL(imp_broad_name(p), list[i].opencl ? "brute" : "rtree");
        CU_ASSERT_EQUAL(imp_detect(p, much.frame, 2, NULL, NULL, NULL), 0);
        const char *best = list[i].opencl ? "grid" : "rtree";
        CU_ASSERT_STRING_EQUAL(imp_broad_name(p), best);
        CU_ASSERT_EQUAL(broad_test_blocks(p, "brute"), list[i].opencl ? 3 : 0);
        CU_ASSERT_EQUAL(broad_test_blocks(p, best), list[i].opencl ? 2 : 5);
        CU_ASSERT_EQUAL(broad_test_blocks(p, "hash"), 0);
        imp_profile_reset(p);
        CU_ASSERT_EQUAL(broad_test_blocks(p, best), 0);
        imp_destroy(p);
    }
    made_free(&little);
    made_free(&much);
}

/* ---- the packed R-tree sorts again if most primitives lie in one spot, and only then */

#define CROWD 600

static int count_fine(void *user, enum kernel kernel)
{
    *(int *)user += kernel == KERNEL_rtree_fine;
    return 0;
}

static int fine_sorts(const way *w, const made *m, const char *method, contact_list *out)
{
    int fine = 0;
    imp *p = way_pipeline(w, &(imp_def){.broad = method});
    way_hook(p->context.dev, count_fine, &fine);
    CU_ASSERT_EQUAL(imp_detect(p, m->frame, m->frames, contact_list_sink, out, NULL), 0);
    imp_destroy(p);
    return fine;
}

static void test_crowd(void)
{
    rng r = {11};
    made crowd = {.name = "crowd"}, even;
    way list[WAYS_MOST];
    size_t n = ways_few(list);
    made_part *p = made_add(&crowd, CROWD);
    for (uint32_t i = 0; i < CROWD; i++) {
        double at[3] = {1e-5 * rng_unit(&r), 1e-5 * rng_unit(&r), 1e-5 * rng_unit(&r)};
        made_triangle(p, i, at, i ? 2e-6 : 1, &r);
    }
    CU_ASSERT_FATAL(made_procedural("soup", CROWD, 1, 1, &even));
    for (size_t i = 0; i < n; i++) {
        contact_list want = {0}, got = {0}, other = {0};
        CU_ASSERT_EQUAL(fine_sorts(&list[i], &crowd, "brute", &want), 0);
        CU_ASSERT_EQUAL(fine_sorts(&list[i], &crowd, "rtree", &got), 1);
        CU_ASSERT_EQUAL(fine_sorts(&list[i], &even, "rtree", &other), 0);
        CU_ASSERT(want.count > 100 && contact_list_equal(&want, &got));
        contact_list_free(&want);
        contact_list_free(&got);
        contact_list_free(&other);
    }
    made_free(&crowd);
    made_free(&even);
}

/* ---- two phases: culling of objects that are not near each other, and of their primitives
 * (cull.c) */

#define BODY_FRAMES 30
#define BODY_PRIMS 620 /* together enough for devices with a driver, too */

/* The arrangement of the bodies in a frame. */
enum body_kind { BODIES_FAR, BODIES_NEAR, BODIES_MIXED, BODY_AROUND, BODY_ALONE, BODY_KINDS };

static int32_t body_name(uint32_t body)
{
    static const int32_t names[] = {INT32_MIN, INT32_MAX, 0, -1, 2, 1};
    return body < 6 ? names[body] : (int32_t)(body * 2654435761u);
}

/* Bodies of one to all triangles; the order of triangles follows the bodies, except with MIXED. */
static void bodies(made_part *p, enum body_kind kind, int bad, rng *r)
{
    uint32_t n = p->mesh.primitives, count = kind == BODY_ALONE ? 1 : 2 + rng_below(r, 40);
    double size = kind == BODIES_NEAR ? 0.6 : 0.15;
    if (kind == BODIES_MIXED && rng_below(r, 2))
        count = 2;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t body = kind == BODIES_MIXED ? rng_below(r, count) : i * count / n;
        rng place = {1000 + body};
        double at[3];
        for (int k = 0; k < 3; k++)
            at[k] = rng_unit(&place) * 2 + size * rng_unit(r);
        int around = kind == BODY_AROUND && body == 1;
        made_triangle(p, i, around ? (const double[3]){1, 1, 1} : at, around ? 3 : 0.06, r);
        p->object[i] = body_name(body);
        if (bad && !rng_below(r, 20))
            p->point[9 * i + rng_below(r, 9)] = NAN;
    }
}

/* Frames of all kinds; some repeat a mesh, some have no triangles or no objects. */
static void bodies_scene(made *m, rng *r)
{
    *m = (made){.name = "bodies", .bad = 1};
    for (uint32_t f = 0; f < BODY_FRAMES; f++) {
        uint32_t n = f % 7 == 5 ? 0 : BODY_PRIMS + rng_below(r, 200);
        enum body_kind kind = f % BODY_KINDS;
        made_part *p = made_add(m, n);
        bodies(p, kind, f % 3 == 0, r);
        if (f % 11 == 3)
            p->mesh.object = NULL;
        if (f % 4 != 1)
            continue;
        made_part *again = made_again(m, p);
        memcpy(again->point, p->point, (size_t)9 * n * sizeof *p->point);
        made_map(again, 1.5, 1, 0, 0);
    }
}

static uint64_t check_broad_bodies(const made *m, const imp_def *base)
{
    pipes s;
    imp_def def = *base;
    def.stage = IMP_STAGE_CANDIDATES;
    def.on_bad = IMP_BAD_SKIP;
    pipes_open(&s, &def, 0);
    uint64_t count = check_broad_scene(&s, &def, m);
    pipes_close(&s);
    return count;
}

/* Pairs within objects and between them; with a list, and with its complement: each two add up to
 * all. */
static void test_broad_bodies(void)
{
    static const int32_t some_pairs[][2] = {
        {INT32_MIN, 0}, {-1, INT32_MAX}, {2, 2}, {1, 0}, {5, 6}};
    const imp_def none = {0}, self = {.pairs = IMP_PAIRS_SELF},
                  between = {.pairs = IMP_PAIRS_BETWEEN};
    for (uint64_t i = 0; i < test_count(1); i++) {
        const imp_def *const which[] = {&none, &self, &between};
        uint64_t sum[3] = {0}, all;
        rng r = {21 + i};
        made m;
        bodies_scene(&m, &r);
        all = check_broad_bodies(&m, &none);
        for (int k = TEST_SLOW ? 2 : 0; k < 3; k++) {
            imp_def def = *which[k];
            def.object_pair = some_pairs;
            def.object_pairs = sizeof some_pairs / sizeof *some_pairs;
            sum[k] = check_broad_bodies(&m, &def);
            def.object_pairs_exclude = 1;
            def.block = 3;
            sum[k] += check_broad_bodies(&m, &def);
        }
        uint64_t within = check_broad_bodies(&m, &self), others = check_broad_bodies(&m, &between);
        CU_ASSERT(all > 1000 && within + others == all && sum[2] == others);
        CU_ASSERT(TEST_SLOW || (sum[0] == all && sum[1] == within));
        made_free(&m);
    }
}

/* Bodies in a row, each isolated except two that touch: only these remain. Or two distant bodies
 * with interleaved indices: neither remains. */
static void row(made_part *p, uint32_t count, rng *r)
{
    uint32_t n = p->mesh.primitives;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t body = count == 2 ? i % 2 : i / (n / count);
        const double at[3] = {body == 1 && count > 2 ? 0.5 : 4.0 * body, rng_unit(r), rng_unit(r)};
        made_triangle(p, i, at, count > 2 ? 1 : 0.1, r);
        p->object[i] = body_name(body);
    }
}

static uint32_t entering(imp *p, const made *m)
{
    read_bounds r;
    uint32_t n = 0;
    CU_ASSERT_EQUAL(read_bounds_of(p, m->frame, m->frames, &r), 0);
    for (size_t i = 0; i < r.prims; i++)
        n += r.box[6 * i] <= r.box[6 * i + 3];
    read_bounds_free(&r);
    return n;
}

static void test_broad_left_out(void)
{
    static const int32_t far[][2] = {{INT32_MIN, 0}}, near[][2] = {{INT32_MAX, INT32_MIN}};
    const uint32_t prims = 20000;
    way list[WAYS_MOST];
    size_t n = ways_few(list);
    for (uint32_t count = 2; count <= 100; count += 98) {
        uint32_t each = count > 2 ? prims / count : 0;
        made m = {.name = "row"};
        rng r = {5};
        row(made_add(&m, prims), count, &r);
        for (size_t i = 0; i < n; i++) {
            const int stage = IMP_STAGE_CANDIDATES;
            const imp_def def[] = {{.stage = stage, .pairs = IMP_PAIRS_BETWEEN},
                                   {.stage = stage, .object_pair = near, .object_pairs = 1},
                                   {.stage = stage, .object_pair = far, .object_pairs = 1},
                                   {.stage = stage}};
            const uint32_t least[] = {each, each, 0, prims},
                           most[] = {2 * each, 2 * each, 0, prims};
            for (int k = 0; k<4; k += count> 2 ? 1 : 3) {
                imp *p = way_pipeline(&list[i], &def[k]);
                uint32_t in = entering(p, &m);
                if (in < least[k] || in > most[k])
                    way_failed(&list[i], "any", m.name, "others are left out than should be");
                imp_destroy(p);
            }
        }
        made_free(&m);
    }
}

/* Under any limit: the same candidates, or the error and no candidates. */
static void test_left_out_memory(void)
{
    int failed = 0, found = 0;
    contact_list want = {0};
    rng r = {31};
    made m;
    bodies_scene(&m, &r);
    for (uint64_t limit = 0; limit < (8 << 20); limit = limit ? limit + limit / 6 : 10000) {
        contact_list got = {0};
        imp *p;
        const imp_def def = {.device = "cpu",
                             .on_bad = IMP_BAD_SKIP,
                             .pairs = IMP_PAIRS_BETWEEN,
                             .stage = IMP_STAGE_CANDIDATES};
        CU_ASSERT_EQUAL_FATAL(imp_create(&def, &p), 0);
        if (limit)
            p->mem.limit = p->mem.now - p->mem.cached_bytes + limit;
        int err = imp_detect(p, m.frame, m.frames, contact_list_sink, limit ? &got : &want, NULL);
        CU_ASSERT(!err || err == IMP_ERR_MEMORY);
        CU_ASSERT(err || !limit || contact_list_equal(&want, &got));
        failed += err != 0;
        found += err == 0;
        contact_list_free(&got);
        imp_destroy(p);
    }
    EXPECT(want.count && failed > 2 && found > 10, "%d failed, %d did not", failed, found);
    contact_list_free(&want);
    made_free(&m);
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"default", test_broad_default},
        {"large", test_broad_large},
        {"dops", test_broad_dops},
        {"cells", test_broad_cells},
        {"border_cells", test_border_cells},
        {"rules", test_broad_rules},
        {"lists", test_broad_lists},
        {"blocks", test_broad_blocks},
        {"pieces", test_broad_pieces},
        {"choice", test_choice},
        {"crowd", test_crowd},
        {"bodies", test_broad_bodies},
        {"left_out", test_broad_left_out},
        {"left_out_memory", test_left_out_memory},
        {0},
    };
    return test_main(argc, argv, "broad", tests);
}
