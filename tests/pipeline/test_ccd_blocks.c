/* Blocks of several steps: the same rows and counts as step by step, by every device and method,
 * also if frames have different scales, and with vertices that are not finite; and the rows
 * delivered before a sink or an error ends the call. */
#include "course.h"
#include "expect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES (2 * COURSE_FRAMES)
#define STEPS (FRAMES - 1)

/* The frames of a course, followed by those of another one on the same mesh. */
typedef struct sequence {
    course c, more;
    imp_frame frame[FRAMES];
} sequence;

static void sequence_make(sequence *s, const look *l, uint64_t seed)
{
    static const double size[FRAMES] = {1, 1, 0.125, 0.125, 8, 8};
    course_make(&s->c, l, seed);
    course_make(&s->more, l, seed + 1000);
    for (int f = 0; f < FRAMES; f++) {
        double *x = (f < COURSE_FRAMES ? &s->c : &s->more)->point[f % COURSE_FRAMES];
        for (uint32_t i = 0; i < 3 * s->c.mesh.vertices; i++)
            x[i] *= size[f];
        s->frame[f] = (imp_frame){.mesh = &s->c.mesh, .point = x, .number = (uint64_t)f};
    }
}

static void sequence_free(sequence *s)
{
    course_free(&s->c);
    course_free(&s->more);
}

typedef struct answer {
    contact_list rows;
    imp_frame_info info[FRAMES];
    uint64_t blocks;
} answer;

static void ccd_blocks_query(imp *p, const sequence *s, answer *out)
{
    const char *name;
    uint64_t n;
    *out = (answer){.blocks = 0};
    imp_profile_reset(p);
    EXPECT(!imp_detect(p, s->frame, FRAMES, contact_list_sink, &out->rows, out->info), "%s: %s",
           s->c.of->name, imp_error_text());
    for (size_t i = 0; imp_broad_at(p, i, &name, &n); i++)
        out->blocks += n;
}

static void ask_host(const imp_def *def, uint32_t block, const sequence *s, answer *out)
{
    const way w = way_host();
    imp_def mine = *def;
    mine.block = block;
    imp *p = way_pipeline(&w, &mine);
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    ccd_blocks_query(p, s, out);
    imp_destroy(p);
}

static const char *ccd_blocks_fault(const answer *got, const answer *want)
{
    if (!contact_list_equal(&got->rows, &want->rows))
        return "other rows";
    for (int f = 0; f < STEPS; f++) {
        const imp_frame_info *x = &got->info[f], *y = &want->info[f];
        if (x->candidates != y->candidates || x->contacts != y->contacts || x->bad != y->bad)
            return "other counts";
        if (x->candidates_vf != y->candidates_vf || x->candidates_ee != y->candidates_ee ||
            x->undecided != y->undecided)
            return "other counts of features";
    }
    return NULL;
}

/* ---- any number of steps in a block */

/* Returns the number of rows. */
static size_t check_ccd_blocks_all(const sequence *s, const imp_def *def)
{
    answer want, got;
    const char *name = s->c.of->name;
    ask_host(def, 1, s, &want);
    for (uint32_t block = 0; block <= 2; block += 2) {
        ask_host(def, block, s, &got);
        const char *what = ccd_blocks_fault(&got, &want);
        EXPECT(!what, "%s, %u steps in a block: %s", name, block, what);
        const uint64_t blocks = block ? (STEPS + block - 1) / block : 1;
        EXPECT(got.blocks == blocks || def->update == IMP_UPDATE_KEEP,
               "%s, %u steps in a block: %llu blocks", name, block, (unsigned long long)got.blocks);
        contact_list_free(&got.rows);
    }
    const size_t rows = want.rows.count;
    contact_list_free(&want.rows);
    return rows;
}

static void check_many(const sequence *s, const imp_def *def)
{
    const size_t rows = check_ccd_blocks_all(s, def);
    EXPECT(rows > 10 || s->c.of->form == LOOK_FAN, "%s: %zu rows", s->c.of->name, rows);
}

static const imp_def defs[] = {
    {.continuous = 1},
    {.continuous = 1, .adjacent = 1, .update = IMP_UPDATE_REBUILD, .solids = 1},
    {.continuous = 1, .update = IMP_UPDATE_KEEP},
    {.continuous = 1, .min_separation = 0.125, .pairs = IMP_PAIRS_BETWEEN},
    {.continuous = 1, .adjacent = 1, .min_separation = 0.03, .dop_k = 18},
    {.continuous = 1, .stage = IMP_STAGE_CANDIDATES, .min_separation = 0.5, .dop_k = 26},
};
#define DEFS (sizeof defs / sizeof *defs)

static void test_ccd_blocks_all(void)
{
    for (size_t l = looks_from(0); l < LOOKS; l += looks_step()) {
        sequence s;
        sequence_make(&s, &looks[l], 40 + l);
        for (size_t k = 0; k < DEFS; k++)
            if (test_count(1) > 1 || (k + l) % (TEST_SLOW ? 9 : 3) == 0)
                check_many(&s, &defs[k]);
        sequence_free(&s);
    }
}

/* A mesh with a single pair, in contact in some of the consecutive steps. */
static void test_pair(void)
{
    static const look two = {"two triangles", 2, 3, 0, 0, 15, LOOK_RANDOM};
    size_t rows = 0;
    for (uint64_t i = 0; i < 200; i++) {
        sequence s;
        sequence_make(&s, &two, i);
        rows += check_ccd_blocks_all(&s, &defs[0]);
        sequence_free(&s);
    }
    EXPECT(rows > 20, "%zu rows", rows);
}

/* ---- every device and method */

static void check_ccd_blocks_ways(const pipes *all, const imp_def *def, const sequence *s)
{
    answer want, got;
    ask_host(def, 1, s, &want);
    for (size_t i = 0; i < all->count; i++) {
        ccd_blocks_query(all->list[i].p, s, &got);
        const char *what = ccd_blocks_fault(&got, &want);
        what = what ? what : got.blocks > 1 ? "several blocks" : NULL;
        if (what)
            way_failed(all->list[i].way, all->list[i].method, s->c.of->name, what);
        contact_list_free(&got.rows);
    }
    contact_list_free(&want.rows);
}

static void test_ccd_blocks_ways(void)
{
    for (size_t k = 0; k < DEFS; k += 4) {
        pipes all;
        pipes_open(&all, &defs[k], 0);
        for (size_t l = k / 4; l < LOOKS; l += 7) {
            sequence s;
            sequence_make(&s, &looks[l], l);
            check_ccd_blocks_ways(&all, &defs[k], &s);
            sequence_free(&s);
        }
        pipes_close(&all);
    }
}

/* ---- vertices that are not finite */

/* Spoils some frames only. */
static void ccd_blocks_spoil(sequence *s, rng *r)
{
    for (int i = 0; i < 5; i++) {
        const int f = i % 2 ? 2 : 5;
        const uint32_t v =
            s->c.corner[rng_below(r, s->c.mesh.primitives) * (uint32_t)s->c.mesh.corners];
        double *x = (f < COURSE_FRAMES ? &s->c : &s->more)->point[f % COURSE_FRAMES];
        x[3 * v + rng_below(r, 3)] = i % 3 ? NAN : INFINITY;
    }
}

static void test_ccd_blocks_bad(void)
{
    rng r = {3};
    for (size_t l = looks_from(1); l < LOOKS; l += looks_step()) {
        sequence s;
        sequence_make(&s, &looks[l], 60 + l);
        ccd_blocks_spoil(&s, &r);
        imp_def def = defs[l % 3]; /* the others take longer */
        def.on_bad = IMP_BAD_SKIP;
        check_many(&s, &def);
        sequence_free(&s);
    }
}

static size_t ccd_blocks_rows_before(const contact_list *l, uint64_t step)
{
    size_t n = 0;
    while (n < l->count && l->row[n].frame < step)
        n++;
    return n;
}

/* A bad vertex ends a block before any of its rows; the text names its frame. */
static void test_ccd_blocks_refused(void)
{
    for (int frame = 0; frame < FRAMES; frame++)
        for (uint32_t block = 1; block <= 2; block++) {
            const way w = way_host();
            const imp_def def = {.continuous = 1, .block = block};
            const uint64_t bad = frame ? (uint64_t)frame - 1 : 0; /* index of the step */
            sequence s;
            answer want;
            contact_list got = {0};
            char text[40];
            sequence_make(&s, &looks[1], 5);
            ask_host(&def, block, &s, &want);
            (frame < COURSE_FRAMES ? &s.c : &s.more)
                ->point[frame % COURSE_FRAMES][3 * s.c.corner[0]] = NAN;
            imp *p = way_pipeline(&w, &def);
            CU_ASSERT_PTR_NOT_NULL_FATAL(p);
            const int err = imp_detect(p, s.frame, FRAMES, contact_list_sink, &got, NULL);
            snprintf(text, sizeof text, "frame %d:", frame);
            EXPECT(err == IMP_ERR_INPUT && strstr(imp_error_text(), text), "frame %d: %d, %s",
                   frame, err, imp_error_text());
            EXPECT(got.count == ccd_blocks_rows_before(&want.rows, bad - bad % block),
                   "frame %d, %u steps in a block: %zu rows", frame, block, got.count);
            contact_list_free(&want.rows);
            contact_list_free(&got);
            sequence_free(&s);
            imp_destroy(p);
        }
}

/* ---- a sink that stops */

typedef struct stopping {
    contact_list rows;
    size_t most;
} stopping;

static int stop_sink(void *user, const imp_contacts *rows)
{
    stopping *s = user;
    CU_ASSERT_EQUAL(contact_list_sink(&s->rows, rows), 0);
    return s->rows.count >= s->most ? 77 : 0;
}

/* The next call delivers all rows again. */
static void test_stops(void)
{
    const way w = way_host();
    imp *p = way_pipeline(&w, &defs[0]);
    sequence s;
    answer want, again;
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    sequence_make(&s, &looks[1], 8);
    ccd_blocks_query(p, &s, &want);
    for (size_t most = 1; most <= want.rows.count; most += 1 + most / 4) {
        stopping part = {.most = most};
        CU_ASSERT_EQUAL(imp_detect(p, s.frame, FRAMES, stop_sink, &part, NULL), 77);
        EXPECT(part.rows.count >= most && part.rows.count <= want.rows.count &&
                   !memcmp(part.rows.row, want.rows.row, part.rows.count * sizeof *part.rows.row),
               "%zu rows: others", most);
        contact_list_free(&part.rows);
    }
    ccd_blocks_query(p, &s, &again);
    CU_ASSERT_PTR_NULL(ccd_blocks_fault(&again, &want));
    contact_list_free(&want.rows);
    contact_list_free(&again.rows);
    sequence_free(&s);
    imp_destroy(p);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"blocks", test_ccd_blocks_all},
                                 {"pair", test_pair},
                                 {"ways", test_ccd_blocks_ways},
                                 {"bad", test_ccd_blocks_bad},
                                 {"refused", test_ccd_blocks_refused},
                                 {"stops", test_stops},
                                 {0}};
    return test_main(argc, argv, "ccd_blocks", tests);
}
