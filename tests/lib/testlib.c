/* See testlib.h. */
#define _GNU_SOURCE
#include "testlib.h"

#include "expect.h"
#include "machine.h"

#include <CUnit/Basic.h>
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[256];

static int remove_entry(const char *path, const struct stat *s, int type, struct FTW *f)
{
    (void)s;
    (void)type;
    (void)f;
    return remove(path);
}

static void remove_folder(void)
{
    if (folder[0])
        nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

const char *test_folder(void)
{
    if (!folder[0]) {
        const char *base = getenv("TMPDIR");
        snprintf(folder, sizeof folder, "%s/impinge-test-XXXXXX", base ? base : "/tmp");
        if (!mkdtemp(folder)) {
            perror(folder);
            exit(1);
        }
        atexit(remove_folder);
    }
    return folder;
}

const char *test_data(void)
{
    static char path[512];
    const char *given = getenv("IMPINGE_DATA");
    struct stat s;
    snprintf(path, sizeof path, "%s", given ? given : IMP_SOURCE_DIR "/../shared/data");
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode) ? path : NULL;
}

uint64_t test_count(uint64_t few)
{
    const char *soak = getenv("IMPINGE_SOAK");
    uint64_t times = soak ? strtoull(soak, NULL, 10) : 1;
    return few * (times ? times : 1);
}

uint64_t test_cases(uint64_t few)
{
    uint64_t n = test_count(few) / (TEST_SLOW ? 20 : 1);
    return n ? n : 1;
}

uint64_t test_long_cases(uint64_t few)
{
    const uint64_t n = test_cases(few);
    return TEST_SLOW || test_count(1) > 1 ? n : (n + 2) / 3;
}

uint64_t rng_next(rng *r)
{
    uint64_t z = (r->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

double rng_unit(rng *r)
{
    return (double)(rng_next(r) >> 11) * 0x1p-53;
}

uint32_t rng_below(rng *r, uint32_t n)
{
    return (uint32_t)((rng_next(r) >> 32) * n >> 32);
}

void rng_direction(rng *r, double out[3])
{
    double square;
    do {
        square = 0;
        for (int k = 0; k < 3; k++) {
            out[k] = 2 * rng_unit(r) - 1;
            square += out[k] * out[k];
        }
    } while (square < 0.01 || square > 1);
    for (int k = 0; k < 3; k++)
        out[k] /= sqrt(square);
}

uint64_t collision_hash(const double *point, uint64_t points)
{
    uint64_t h = UINT64_C(14695981039346656037);
    const unsigned char *byte = (const unsigned char *)point;
    for (size_t i = 0; i < sizeof(double[3]) * points; i++)
        h = (h ^ byte[i]) * UINT64_C(1099511628211);
    return h;
}

int contact_list_sink(void *user, const imp_contacts *c)
{
    contact_list *l = user;
    if (l->count + c->count > l->capacity) {
        size_t capacity = 2 * (l->count + c->count);
        struct contact_row *row = realloc(l->row, capacity * sizeof *row);
        if (!row)
            return 1;
        l->row = row;
        l->capacity = capacity;
    }
    for (size_t i = 0; i < c->count; i++) {
        struct contact_row *r = &l->row[l->count++];
        memset(r, 0, sizeof *r);
        r->frame = c->frame;
        r->a = c->a[i];
        r->b = c->b[i];
        r->kind = c->kind[i];
        r->crossing = c->crossing ? c->crossing[i] : 0;
        memcpy(r->point, c->points + 6 * i, sizeof r->point);
        if (c->end_features)
            memcpy(r->end_features, c->end_features + 4 * i, sizeof r->end_features);
        if (c->feature_a) {
            r->toi = c->toi ? c->toi[i] : 0;
            r->feature[0] = c->feature_a[i];
            r->feature[1] = c->feature_b[i];
        }
        if (c->distance) {
            double near[12] = {0};
            r->distance = c->distance[i];
            memcpy(near, c->barycentric_a + 4 * i, sizeof(double[4]));
            memcpy(near + 4, c->barycentric_b + 4 * i, sizeof(double[4]));
            memcpy(near + 8, c->normal + 3 * i, sizeof(double[3]));
            r->nearest_hash = collision_hash(near, 4);
        }
        if (!c->depth)
            continue;
        r->depth = c->depth[i];
        r->collisions = c->collision_first[i + 1] - c->collision_first[i];
        r->collision_hash = collision_hash(c->collision + 3 * c->collision_first[i], r->collisions);
    }
    return 0;
}

void contact_list_free(contact_list *l)
{
    free(l->row);
    memset(l, 0, sizeof *l);
}

int contact_list_equal(const contact_list *a, const contact_list *b)
{
    return a->count == b->count &&
           (!a->count || !memcmp(a->row, b->row, a->count * sizeof *a->row));
}

static int compare_rows(const void *x, const void *y)
{
    const struct contact_row *p = x, *q = y;
    if (p->frame != q->frame)
        return p->frame < q->frame ? -1 : 1;
    if (p->toi != q->toi)
        return p->toi < q->toi ? -1 : 1;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return (p->b > q->b) - (p->b < q->b);
}

void contact_list_sort(contact_list *l)
{
    if (l->count)
        qsort(l->row, l->count, sizeof *l->row, compare_rows);
}

/* ---- running tests */

static const test *all_tests, *now; /* now: the running test, or NULL */
static unsigned skipped;            /* tests that asserted nothing, and gave a reason */
static int said_why;                /* the running test called test_skip */
static int partial, said_partial;   /* some test, and the running test, called test_partial */

static void print_skipped(const char *reason)
{
    printf("\n    skipped: %s: %s\n    ", now ? now->name : "all", reason);
    fflush(stdout);
}

void test_skip(const char *reason)
{
    print_skipped(reason);
    said_why = 1;
}

void test_partial(const char *reason)
{
    if (!said_partial)
        print_skipped(reason);
    partial = said_partial = 1;
}

int expect_failed;

/* CUnit runs its tests in the order in which they were added, and passes no argument. */
static const test *order[100];
static size_t added, next;

/* A test that asserts nothing proves nothing: its loops were empty, or it returned early. */
static void run_next(void)
{
    now = order[next++];
    said_why = said_partial = 0;
    expect_failed = 0;
    unsigned before = CU_get_number_of_asserts();
    now->run();
    int nothing = CU_get_number_of_asserts() == before;
    skipped += nothing && (said_why || said_partial);
    if (nothing && !said_why && !said_partial) {
        printf("\n    %s asserted nothing ", now->name);
        CU_FAIL("a test that asserts nothing");
    }
}

static int testlib_add(CU_pSuite suite, const test *t)
{
    if (added == sizeof order / sizeof *order || !CU_add_test(suite, t->name, run_next))
        return 0;
    order[added++] = t;
    return 1;
}

/* Adds the tests named on the command line, or all without names. An unknown name is an error. */
static int add_wanted(CU_pSuite suite, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const test *t = all_tests;
        while (t->name && strcmp(t->name, argv[i]))
            t++;
        if (!t->name) {
            fprintf(stderr, "%s: no such test\n", argv[i]);
            return 0;
        }
        if (!testlib_add(suite, t))
            return 0;
    }
    for (const test *t = all_tests; argc < 2 && t->name; t++)
        if (!testlib_add(suite, t))
            return 0;
    return added > 0;
}

/* ctest reports a program as skipped if all of its tests are skipped, or one was partial; ./dev
 * lists the reasons. */
static int result(void)
{
    unsigned failed = CU_get_number_of_failures();
    if (CU_get_number_of_tests_run() != added) {
        fprintf(stderr, "%u of %zu tests were run\n", CU_get_number_of_tests_run(), added);
        return 1;
    }
    return failed ? 1 : skipped == added || partial ? TEST_SKIPPED : 0;
}

int test_main(int argc, char **argv, const char *suite_name, const test *tests)
{
    processors_pretend(
        TEST_PROCESSORS); /* so that tests with several threads have them everywhere */
    if (CU_initialize_registry() != CUE_SUCCESS)
        return 1;
    CU_pSuite suite = CU_add_suite(suite_name, NULL, NULL);
    all_tests = tests;
    if (!suite || !add_wanted(suite, argc, argv)) {
        fprintf(stderr, "%s: its tests cannot be run\n", suite_name);
        CU_cleanup_registry();
        return 1;
    }
    CU_basic_set_mode(CU_BRM_VERBOSE);
    CU_basic_run_tests();
    int code = result();
    CU_cleanup_registry();
    return code;
}
