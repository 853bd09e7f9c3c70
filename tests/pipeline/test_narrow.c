/* The whole pipeline against the oracle, for all classes of cases.h: verdict, kind and points, the
 * same bits on every device and with every broad phase. */
#include "cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 2500

/* ---- pairs as input of a pipeline */

enum layout { FRAMES, OBJECTS };

typedef struct batch {
    const case_class *class;
    uint32_t count;
    uint64_t first; /* index of the first pair within its class */
    tri_pair pair[BATCH];
    oracle_verdict want[BATCH];
    double point[18 * BATCH];
    float single[18 * BATCH];
    uint32_t corner[6 * BATCH];
    int32_t object[2 * BATCH];
    imp_mesh mesh[BATCH];
    imp_frame frame[BATCH];
    imp_frame_info info[BATCH];
} batch;

static int narrow_test_shares_vertex(const tri_pair *t)
{
    int any = 0;
    for (int i = 0; i < 9; i++)
        any |= t->corner[i / 3] == t->corner[3 + i % 3];
    return any;
}

/* With `skip`, pairs that share a vertex are expected to be excluded. */
static void narrow_test_fill(batch *b, oracle *o, const case_class *c, uint64_t first,
                             uint32_t count, int skip)
{
    b->class = c;
    b->first = first;
    b->count = count;
    for (uint32_t i = 0; i < count; i++) {
        case_make(c, first + i, &b->pair[i]);
        oracle_decide(o, &b->pair[i], &b->want[i]);
        if (skip && narrow_test_shares_vertex(&b->pair[i]))
            b->want[i].kind = 0;
        memcpy(b->point + 18 * i, b->pair[i].x, sizeof b->pair[i].x);
        for (uint32_t k = 0; k < 18 && c->single; k++)
            b->single[18 * i + k] = (float)b->point[18 * i + k];
    }
}

/* Each pair is a frame of two triangles. Frames with the same corners share a mesh. Some float32
 * pairs are stored as float64. */
static size_t as_frames(batch *b)
{
    for (uint32_t i = 0; i < b->count; i++) {
        const imp_mesh *m = &b->mesh[i];
        memcpy(b->corner + 6 * i, b->pair[i].corner, sizeof b->pair[i].corner);
        b->mesh[i] = (imp_mesh){.vertices = 6, .primitives = 2, .corner = b->corner + 6 * i};
        if (i > 0 && !memcmp(b->pair[i].corner, b->pair[i - 1].corner, sizeof b->pair[i].corner))
            m = b->frame[i - 1].mesh;
        int single = b->class->single && i % 5;
        const void *point = single ? (void *)(b->single + 18 * i) : (void *)(b->point + 18 * i);
        b->frame[i] = (imp_frame){m, point, single ? IMP_FLOAT32 : IMP_FLOAT64, i};
    }
    return b->count;
}

/* All pairs are in one frame, each an object of its own. */
static size_t as_objects(batch *b)
{
    for (uint32_t i = 0; i < b->count; i++) {
        b->object[2 * i] = b->object[2 * i + 1] = (int32_t)i - 1000;
        for (uint32_t k = 0; k < 6; k++)
            b->corner[6 * i + k] = 6 * i + b->pair[i].corner[k];
    }
    *b->mesh = (imp_mesh){6 * b->count, 2 * b->count, b->corner, b->object};
    const void *point = b->class->single ? (void *)b->single : (void *)b->point;
    *b->frame = (imp_frame){b->mesh, point, b->class->single ? IMP_FLOAT32 : IMP_FLOAT64, 0};
    return 1;
}

/* ---- one answer */

static const char *point_fault(const batch *b, uint32_t i, const struct contact_row *row)
{
    const oracle_verdict *want = &b->want[i];
    const char *what = contact_form_fault(row->kind, row->point);
    if (what || (what = oracle_kind_fault(want, row->kind)) != NULL ||
        (what = oracle_ends_fault(want, row->point)) != NULL)
        return what;
    return oracle_end_features_fault(want, row->point, row->end_features);
}

/* row r of the list belongs to pair i, or the pair has no row */
static const char *narrow_test_fault(const batch *b, const contact_list *l, size_t r, uint32_t i,
                                     enum layout layout)
{
    const struct contact_row *row = &l->row[r];
    uint64_t frame = layout == OBJECTS ? 0 : i;
    uint32_t first = layout == OBJECTS ? 2 * i : 0;
    if (r == l->count || row->frame != frame || row->a != first)
        return b->want[i].kind ? "missed" : NULL;
    if (row->b != first + 1)
        return "not a pair";
    return point_fault(b, i, row);
}

static uint64_t count_faults(const batch *b, const contact_list *l, enum layout layout)
{
    size_t r = 0;
    uint64_t faults = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        const char *what = narrow_test_fault(b, l, r, i, layout);
        if (what && faults++ < 3)
            case_print(b->class, b->first + i, &b->pair[i], what);
        r += b->want[i].kind != 0;
    }
    return faults + (r != l->count);
}

/* ---- pipelines */

typedef struct way {
    const char *device, *broad;
    int dop_k;
} way;

/* Ways 3 to 5, on the second device, find the candidates of ways 0 to 2, which have the same k. */
#define WAYS 6
static const way ways[WAYS] = {{"cpu", "brute", 6},     {"cpu", "hash", 26},
                               {"cpu", "grid", 14},     {"opencl", "grid", 6},
                               {"opencl", "brute", 26}, {"opencl", "hash", 14}};

typedef struct plan {
    uint64_t pairs; /* in each class */
    enum layout layout;
    int skip; /* exclude pairs that share a vertex */
} plan;

typedef struct tally {
    uint64_t pairs, meet, candidates, undecided, faults, differences;
} tally;

/* Pipelines for a class and similar ones; those of an absent device stay NULL. */
static int open_ways(imp *p[WAYS], const case_class *c, const plan *how)
{
    int skipped = 0;
    for (int w = 0; w < WAYS; w++) {
        imp_def def = {.device = ways[w].device,
                       .broad = ways[w].broad,
                       .dop_k = ways[w].dop_k,
                       .cell = !strcmp(ways[w].broad, "hash") ? c->cell : 0,
                       .adjacent =
                           c->adjacent && !how->skip ? IMP_ADJACENT_TEST : IMP_ADJACENT_SKIP,
                       .end_features = 1,
                       .pairs = how->layout == OBJECTS ? IMP_PAIRS_SELF : IMP_PAIRS_ALL};
        int err = imp_create(&def, &p[w]);
        int gone = err == IMP_ERR_DEVICE && strcmp(def.device, "cpu");
        skipped |= gone;
        CU_ASSERT_TRUE_FATAL(err == IMP_OK || gone);
    }
    return skipped;
}

static void sum_info(const batch *b, size_t frames, imp_frame_info *sum)
{
    memset(sum, 0, sizeof *sum);
    for (size_t f = 0; f < frames; f++) {
        sum->candidates += b->info[f].candidates;
        sum->undecided += b->info[f].undecided;
    }
}

/* Runs the batch in all ways; the first is checked, the others must equal it. */
static void try_batch(batch *b, imp *p[WAYS], enum layout layout, tally *sum)
{
    contact_list first = {0};
    imp_frame_info info[WAYS];
    size_t frames = layout == OBJECTS ? as_objects(b) : as_frames(b);
    for (int w = 0; w < WAYS; w++) {
        contact_list list = {0};
        if (!p[w])
            continue;
        CU_ASSERT_EQUAL(imp_detect(p[w], b->frame, frames, contact_list_sink, &list, b->info), 0);
        sum_info(b, frames, &info[w]);
        sum->differences += w > 0 && !contact_list_equal(&first, &list);
        sum->differences += w > 2 && (info[w].candidates != info[w - 3].candidates ||
                                      info[w].undecided != info[w - 3].undecided);
        if (w == 0) {
            sum->faults += count_faults(b, &list, layout);
            first = list;
        } else {
            contact_list_free(&list);
        }
    }
    for (uint32_t i = 0; i < b->count; i++)
        sum->meet += b->want[i].kind != 0;
    sum->pairs += b->count;
    sum->candidates += info[0].candidates;
    sum->undecided += info[0].undecided;
    contact_list_free(&first);
}

/* ---- tests */

static double percent(uint64_t part, uint64_t of)
{
    return of ? 100.0 * (double)part / (double)of : 0;
}

static void try_class(batch *b, oracle *o, const case_class *c, const plan *how, imp *p[WAYS])
{
    tally sum = {0};
    for (uint64_t i = 0; i < how->pairs; i += b->count) {
        uint64_t left = how->pairs - i;
        narrow_test_fill(b, o, c, i, left < BATCH ? (uint32_t)left : BATCH, how->skip);
        try_batch(b, p, how->layout, &sum);
    }
    printf("\n    %-18s %8llu pairs, %5.1f %% meet, %5.1f %% of candidates undecided", c->name,
           (unsigned long long)sum.pairs, percent(sum.meet, sum.pairs),
           percent(sum.undecided, sum.candidates));
    CU_ASSERT_EQUAL(sum.faults, 0);
    CU_ASSERT_EQUAL(sum.differences, 0);
}

static void narrow_test_try_all(uint64_t pairs, enum layout layout, int skip)
{
    int skipped = 0;
    plan how = {pairs, layout, skip};
    imp *p[2][2][WAYS] = {0};
    oracle *o = oracle_open();
    batch *b = malloc(sizeof *b);
    CU_ASSERT_PTR_NOT_NULL_FATAL(b);
    for (const case_class *c = case_classes; c->name; c++) {
        imp **like = p[c->adjacent][c->cell > 0];
        if (skip && !c->adjacent)
            continue;
        if (!*like)
            skipped |= open_ways(like, c, &how);
        try_class(b, o, c, &how, like);
    }
    printf(" ");
    for (int i = 0; i < 4 * WAYS; i++)
        imp_destroy(p[i / WAYS / 2][i / WAYS % 2][i % WAYS]);
    free(b);
    oracle_close(o);
    if (skipped)
        test_partial("opencl: no such device");
}

static void test_narrow_frames(void)
{
    narrow_test_try_all(test_long_cases(1000), FRAMES, 0);
}

static void test_narrow_objects(void)
{
    narrow_test_try_all(test_long_cases(400), OBJECTS, 0);
}

static void test_skipping(void)
{
    narrow_test_try_all(test_long_cases(300), FRAMES, 1);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"frames", test_narrow_frames},
                                 {"objects", test_narrow_objects},
                                 {"skip", test_skipping},
                                 {0}};
    return test_main(argc, argv, "narrow", tests);
}
