/* Functions shared by all test programs. A program is a table of tests and one line of main:
 *
 *     int main(int argc, char **argv)
 *     {
 *         static const test tests[] = {{"sorts", test_sorts}, {0}};
 *         return test_main(argc, argv, "scan", tests);
 *     }
 *
 * Without arguments it runs all tests, with names only those; an unknown name is an error. A test
 * that asserts nothing fails. A test that cannot run here prints the reason: SKIP("no OpenCL
 * device"). A program exits with TEST_SKIPPED, which ctest reports as skipped, if all of its tests
 * are skipped, or if one of them was partial: nothing failed, but the result does not show what it
 * should. */
#ifndef IMP_TESTLIB_H
#define IMP_TESTLIB_H

#include "impinge.h"

#include <CUnit/CUnit.h>
#include <stdint.h>

typedef struct test {
    const char *name;
    void (*run)(void);
} test;

#define TEST_SKIPPED 77
#define TEST_PROCESSORS 8 /* number of processors that the library assumes: machine.h */

int test_main(int argc, char **argv, const char *suite, const test *tests);

/* 1 in builds whose memory figures are meaningless. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TEST_SANITIZED 1
#elif defined(__has_feature)
#define TEST_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define TEST_SANITIZED 0
#endif

/* 1 where everything takes many times as long; TEST_EMULATED is set by CMake. */
#ifdef TEST_EMULATED
#define TEST_SLOW 1
#else
#define TEST_SLOW TEST_SANITIZED
#endif

/* Prints the reason and returns from the test. ./dev lists the reasons at the end. */
#define SKIP(reason)                                                                               \
    do {                                                                                           \
        test_skip(reason);                                                                         \
        return;                                                                                    \
    } while (0)
void test_skip(const char *reason);

/* The test continues, but cannot serve its purpose, such as comparing devices where there is only
 * one. Printed once per test. */
void test_partial(const char *reason);

/* A number of repetitions: `few` in everyday runs, times IMPINGE_SOAK (an integer) if set. */
uint64_t test_count(uint64_t few);

/* The same for random cases, of which slow builds try a twentieth, but at least one. */
uint64_t test_cases(uint64_t few);

/* The same where a case takes long, in exact arithmetic: everyday runs try a third, the soak all.
 */
uint64_t test_long_cases(uint64_t few);

/* Deterministic random numbers (splitmix64). */
typedef struct rng {
    uint64_t state;
} rng;

uint64_t rng_next(rng *r);
double rng_unit(rng *r);                   /* uniform in [0, 1), 53 bits */
uint32_t rng_below(rng *r, uint32_t n);    /* 0 .. n - 1 */
void rng_direction(rng *r, double out[3]); /* unit length */

/* A fresh folder for this test's files, removed at the end of the program. */
const char *test_folder(void);

/* The folder of the given real data (shared/data beside the checkout, or IMPINGE_DATA), or NULL. */
const char *test_data(void);

/* All contacts of some frames, in memory. */
typedef struct contact_list {
    size_t count, capacity;
    struct contact_row {
        uint64_t frame;
        uint32_t a, b;
        int kind, crossing; /* crossing: of contacts of frames */
        double point[6];
        uint8_t end_features[4]; /* if requested, else 0 */
        /* continuous detection; pairs within a distance, with a hash of weights and normal */
        double toi, distance;
        int64_t feature[2];
        uint64_t nearest_hash;
        /* if requested */
        double depth;
        uint64_t collisions, collision_hash;
    } * row;
} contact_list;

/* hash of the bytes of some points */
uint64_t collision_hash(const double *point, uint64_t points);

int contact_list_sink(void *list, const imp_contacts *contacts); /* an imp_sink */
void contact_list_free(contact_list *list);
int contact_list_equal(const contact_list *a, const contact_list *b); /* to the last bit */
void contact_list_sort(contact_list *l);                              /* by frame, toi, a, b */

#endif
