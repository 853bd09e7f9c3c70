/* data/golden.csv: procedural scenes are the same bytes on every system, and so are their results
 * on any device. A row that a change altered is printed with its new values. */
#include "expect.h"
#include "made.h"
#include "scene.h"
#include "ways.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#define ROWS_MOST 64
#define BRUTE_MOST 2e6 /* pairs of triangles, and triangles, of rows that are fast enough */
#define HASH_MOST 25e3
#define SANITIZED_MOST 1e4
#define WAYS_ROW_MOST 5e3
#define GROUPS_ROW_MOST 12e3

typedef struct golden {
    char name[32];
    unsigned long long primitives, frames, seed, scene, steps, candidates, contacts, result;
} golden;

typedef struct golden_row {
    golden want;
    made m;
} golden_row;

typedef struct golden_file {
    size_t count;
    golden_row row[ROWS_MOST];
} golden_file;

/* ---- rows */

/* 9, or EOF after the last row */
static int golden_read(FILE *file, golden *g)
{
    return fscanf(file, "%31[^,],%llu,%llu,%llu,%llx,%llu,%llu,%llu,%llx\n", g->name,
                  &g->primitives, &g->frames, &g->seed, &g->scene, &g->steps, &g->candidates,
                  &g->contacts, &g->result);
}

static void golden_text(const golden *g, char *out, size_t size)
{
    snprintf(out, size, "%s,%llu,%llu,%llu,%016llx,%llu,%llu,%llu,%016llx", g->name, g->primitives,
             g->frames, g->seed, g->scene, g->steps, g->candidates, g->contacts, g->result);
}

static void golden_close(golden_file *g)
{
    while (g->count)
        made_free(&g->row[--g->count].m);
}

/* All rows, with their scenes. */
static void golden_open(golden_file *g)
{
    FILE *file = fopen(IMP_SOURCE_DIR "/data/golden.csv", "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    int fields =
        fscanf(file, "scene,primitives,frames,seed,hash,steps,candidates,contacts,result%*[\n]");
    CU_ASSERT_EQUAL(fields, 0);
    for (g->count = 0; g->count < ROWS_MOST; g->count++) {
        golden_row *r = &g->row[g->count];
        fields = golden_read(file, &r->want);
        if (fields != 9)
            break;
        const golden *w = &r->want;
        CU_ASSERT_FATAL(made_procedural(w->name, w->primitives, w->frames, w->seed, &r->m));
    }
    CU_ASSERT_EQUAL(fields, EOF);
    fclose(file);
}

/* ---- measured values */

/* Hashes every bit of every contact: its frame, triangles, kind and points. */
static int golden_hash_sink(void *user, const imp_contacts *c)
{
    XXH3_state_t *h = user;
    for (size_t i = 0; i < c->count; i++) {
        const uint64_t row[4] = {c->frame, c->a[i], c->b[i], c->kind[i]};
        XXH3_64bits_update(h, row, sizeof row);
        XXH3_64bits_update(h, &c->points[6 * i], 6 * sizeof *c->points);
    }
    return 0;
}

/* The number of frames whose scale or centre differs from the previous frame's (bound.c): there
 * bounds of unmoved primitives change. */
static unsigned long long steps_of(imp *p, const made *m)
{
    unsigned long long steps = 0;
    double last[5] = {0}, now[5];
    bounds o = {0};
    for (size_t f = 0; f < m->frames; f++) {
        block_view b = {0};
        CU_ASSERT_EQUAL_FATAL(block_view_open(&p->mem, &m->frame[f], NULL, 1, &b), 0);
        CU_ASSERT_EQUAL_FATAL(bound_block(&p->context, &b, &o), 0);
        memcpy(now, o.normalisation.scale, 2 * sizeof *now);
        memcpy(now + 2, o.normalisation.centre, 3 * sizeof *now);
        steps += f > 0 && memcmp(now, last, sizeof now);
        memcpy(last, now, sizeof now);
        block_view_close(&p->mem, &b);
    }
    bound_free(&p->context, &o);
    return steps;
}

/* Fills in the results of a row; returns NULL or the error. */
static const char *golden_measure(imp *p, const made *m, golden *out)
{
    imp_profile profile;
    XXH3_state_t *h = XXH3_createState();
    CU_ASSERT_PTR_NOT_NULL_FATAL(h);
    XXH3_64bits_reset(h);
    imp_profile_reset(p);
    int err = imp_detect(p, m->frame, m->frames, golden_hash_sink, h, NULL);
    imp_profile_get(p, &profile);
    out->steps = steps_of(p, m);
    out->candidates = profile.candidates;
    out->contacts = profile.contacts;
    out->result = XXH3_64bits_digest(h);
    XXH3_freeState(h);
    return err ? imp_error_text() : NULL;
}

/* ---- tests */

static void test_golden_scenes(void)
{
    static golden_file g;
    scene_entry e;
    golden_open(&g);
    for (size_t i = 0; i < g.count; i++) {
        unsigned long long hash = made_hash(&g.row[i].m);
        EXPECT(hash == g.row[i].want.scene, "%s %llu: other bytes, %016llx", g.row[i].want.name,
               g.row[i].want.primitives, hash);
    }
    for (size_t k = 0; scene_at(k, &e); k++) {
        size_t rows = 0;
        for (size_t i = 0; i < g.count; i++)
            rows += !strcmp(e.name, g.row[i].want.name);
        EXPECT(rows > 0, "golden.csv has no row of %s", e.name);
    }
    golden_close(&g);
}

/* A k-DOP other than that of golden.csv has fewer candidates, and the same contacts. Returns 0 if
 * something differs. */
static int check_golden_row(const pipe *q, const golden_row *r, int dop)
{
    char text[200];
    golden got = r->want;
    got.scene = made_hash(&r->m);
    const char *what = golden_measure(q->p, &r->m, &got);
    if (!what && dop && got.candidates <= r->want.candidates)
        got.candidates = r->want.candidates;
    if (!what && memcmp(&got, &r->want, sizeof got)) {
        golden_text(&got, text, sizeof text);
        what = text;
    }
    if (what)
        way_failed(q->way, q->method, r->m.name, what);
    return !what;
}

/* In daily runs large rows use few devices and forms, and the slower methods run on small rows
 * only. Small rows are enough for sanitizers. */
static int affordable(const pipe *q, const golden *g, int dop)
{
    double n = (double)g->primitives, all = n * (double)g->frames, more = (double)test_count(1);
    if (TEST_SANITIZED && all > SANITIZED_MOST * more)
        return 0;
    if (!strcmp(q->method, "brute"))
        return !dop && 0.5 * n * all <= BRUTE_MOST * more;
    if (dop || q->way->isa || q->way->no_fp64)
        return all <= WAYS_ROW_MOST * more;
    if (q->way->units) /* a processor is slow with a GPU's forms */
        return all <= GROUPS_ROW_MOST * more;
    return all <= HASH_MOST * more || !strcmp(q->method, "grid");
}

static void check_golden_rows(const golden_file *g, int dop, int all)
{
    pipes s;
    const imp_def def = {.dop_k = dop};
    pipes_open(&s, &def, all);
    for (size_t i = 0; i < g->count; i++) {
        int same = 1;
        for (size_t k = 0; k < s.count && same; k++)
            if (affordable(&s.list[k], &g->row[i].want, dop))
                same = check_golden_row(&s.list[k], &g->row[i], dop);
    }
    pipes_close(&s);
}

static void test_golden_results(void)
{
    static golden_file g;
    golden_open(&g);
    check_golden_rows(&g, 0, !TEST_SLOW);
    golden_close(&g);
}

static void test_golden_dops(void)
{
    static const int dops[] = {8, 14, 18, 26};
    static golden_file g;
    golden_open(&g);
    for (size_t i = 0; i < sizeof dops / sizeof *dops; i += 1 + TEST_SLOW)
        check_golden_rows(&g, dops[i], 0);
    golden_close(&g);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"scenes", test_golden_scenes},
                                 {"results", test_golden_results},
                                 {"dops", test_golden_dops},
                                 {0}};
    return test_main(argc, argv, "golden", tests);
}
