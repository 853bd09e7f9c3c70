/* exact_ccd_first: real queries with exact truth (shared/data/ccd-queries), touches at known
 * instants, and the same results with the float64 filter as with integers alone. Rational
 * arithmetic checks a toi independently: there the features' volume changes its sign. */
#include "exact.h"
#include "expect.h"
#include "ccd_cases.h"

#include <dirent.h>
#include <gmp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the sign of the volume at a toi, in rational numbers */

static void exact_ccd_test_place(const exact_motion *m, double toi, mpq_t out[4][3])
{
    mpq_t t, from, way;
    mpq_inits(t, from, way, NULL);
    mpq_set_d(t, toi);
    for (int i = 0; i < 12; i++) {
        mpq_set_d(from, m->at[0][i / 3].x[i % 3]);
        mpq_set_d(way, m->at[1][i / 3].x[i % 3]);
        mpq_sub(way, way, from);
        mpq_mul(way, way, t);
        mpq_add(out[i / 3][i % 3], from, way);
    }
    mpq_clears(t, from, way, NULL);
}

/* The volume of four points is the same for a face and a vertex as for two edges, except for its
 * sign. */
static int exact_ccd_test_volume_sign(const exact_motion *m, double toi)
{
    static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                     {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    mpq_t x[4][3], sum, product;
    for (int i = 0; i < 12; i++)
        mpq_init(x[i / 3][i % 3]);
    mpq_inits(sum, product, NULL);
    exact_ccd_test_place(m, toi, x);
    for (int i = 0; i < 9; i++)
        mpq_sub(x[1 + i / 3][i % 3], x[1 + i / 3][i % 3], x[0][i % 3]);
    for (int i = 0; i < 6; i++) {
        mpq_mul(product, x[1][orders[i][0]], x[2][orders[i][1]]);
        mpq_mul(product, product, x[3][orders[i][2]]);
        (i < 3 ? mpq_add : mpq_sub)(sum, sum, product);
    }
    int sign = mpq_sgn(sum);
    for (int i = 0; i < 12; i++)
        mpq_clear(x[i / 3][i % 3]);
    mpq_clears(sum, product, NULL);
    return sign;
}

/* Whether the volume is 0 at the toi, or changes its sign up to the next number. Not so for double
 * roots. */
static int toi_is_root(const exact_motion *m, double toi)
{
    int sign = exact_ccd_test_volume_sign(m, toi);
    return !sign || (toi < 1 && exact_ccd_test_volume_sign(m, nextafter(toi, 1)) != sign);
}

/* ---- one query */

static void print_exact_ccd_case(const char *what, enum exact_ccd_kind kind, const exact_motion *m)
{
    printf("\n    %s, %s:", what, kind == EXACT_VERTEX_FACE ? "vertex, face" : "edges");
    for (int i = 0; i < 24; i++)
        printf("%s %a", i % 12 ? "" : "\n     ", m->at[i / 12][i / 3 % 4].x[i % 3]);
    printf("\n");
}

/* Queries with and without the float64 filter, which agree. -1: no contact. */
static double exact_ccd_test_query(enum exact_ccd_kind kind, const exact_motion *m)
{
    double toi[2] = {-1, -1};
    int found[2] = {exact_ccd_first(kind, m, &toi[0]), exact_ccd_first_integers(kind, m, &toi[1])};
    int same = found[0] == found[1] && toi[0] == toi[1] && found[0] == (toi[0] >= 0);
    EXPECT(same, "found %d at %a, by integers %d at %a", found[0], toi[0], found[1], toi[1]);
    if (!same)
        print_exact_ccd_case("with and without float64", kind, m);
    return toi[1];
}

/* ---- known touches */

static void check_exact_ccd_class(int class, uint64_t cases)
{
    uint64_t wrong = 0, touch = 0;
    for (uint64_t i = 0; i < cases; i++) {
        rng r = {i + ((uint64_t) class << 32)};
        moving_case c;
        int scale = (int)rng_below(&r, 81) - 40;
        if (i % 16 == 0)
            scale = (int)rng_below(&r, 1990) - 1074;
        moving_case_make(class, &r, scale, &c);
        double toi = exact_ccd_test_query(c.kind, &c.m);
        touch += c.meet != 0;
        if (toi == (c.meet ? c.toi : -1))
            continue;
        wrong++;
        printf("\n    %s: %a, not %a", moving_class_names[class], toi, c.meet ? c.toi : -1);
        print_exact_ccd_case("wrong", c.kind, &c.m);
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(touch > cases / 4);
}

static void test_exact_ccd_touches(void)
{
    for (int class = 0; moving_class_names[class]; class ++)
        check_exact_ccd_class(class, test_cases(300));
}

/* ---- random motions */

static void exact_ccd_test_random_points(rng *r, exact_motion *m)
{
    int kind = (int)rng_below(r, 4);
    if (kind < 2) {
        moving_case_grid(r, kind ? 4 : 2, m);
        return;
    }
    for (int i = 0; i < 24; i++) {
        double x = rng_unit(r);
        m->at[i / 12][i / 3 % 4].x[i % 3] = kind == 3 ? ldexp(x, (int)rng_below(r, 60)) : x;
    }
}

/* Enough cases must have a first contact after the start for the test to be meaningful. */
static void test_exact_ccd_random(void)
{
    uint64_t cases = test_cases(6000), later = 0, not_seen = 0;
    for (uint64_t i = 0; i < cases; i++) {
        rng r = {i};
        exact_motion m;
        exact_ccd_test_random_points(&r, &m);
        double toi = exact_ccd_test_query(i % 2 ? EXACT_EDGE_EDGE : EXACT_VERTEX_FACE, &m);
        later += toi > 0;
        not_seen += toi >= 0 && !toi_is_root(&m, toi);
    }
    printf("%llu meet later than at the start ", (unsigned long long)later);
    CU_ASSERT(later >= cases / 20);
    CU_ASSERT(not_seen <= cases / 500);
}

#define INSTANTS 64

/* Whether the features touch at one of the instants, as static ones. Coordinates are small
 * integers, so that positions, scaled by INSTANTS, are exact. */
static int meet_then(enum exact_ccd_kind kind, const exact_motion *m, int instant)
{
    exact_point v[4];
    exact_contact contact;
    for (int i = 0; i < 12; i++)
        v[i / 3].x[i % 3] =
            (INSTANTS - instant) * m->at[0][i / 3].x[i % 3] + instant * m->at[1][i / 3].x[i % 3];
    if (kind == EXACT_VERTEX_FACE)
        return exact_in_triangle(&v[3], &v[0], &v[1], &v[2]);
    const exact_point p[3] = {v[0], v[1], v[1]}, q[3] = {v[2], v[3], v[3]};
    exact_tri_tri(p, q, 0, NULL, &contact);
    return contact.kind != 0;
}

/* No contact before the toi, and none without a toi. */
static void test_exact_ccd_instants(void)
{
    uint64_t cases = test_cases(3000), seen = 0;
    for (uint64_t i = 0; i < cases; i++) {
        rng r = {i};
        exact_motion m;
        const enum exact_ccd_kind kind = i % 2 ? EXACT_EDGE_EDGE : EXACT_VERTEX_FACE;
        moving_case_grid(&r, i % 3 ? 4 : 2, &m);
        double toi = exact_ccd_test_query(kind, &m);
        int instant = 0;
        while (instant <= INSTANTS && !meet_then(kind, &m, instant))
            instant++;
        seen += instant <= INSTANTS && instant > 0;
        if (instant <= INSTANTS ? toi >= 0 && toi * INSTANTS <= instant : toi != 0 && toi != 1)
            continue;
        CU_FAIL("they meet earlier");
        print_exact_ccd_case("earlier", kind, &m);
    }
    CU_ASSERT(seen >= cases / 100);
}

/* Coordinates of all sizes together: no integer overflows. */
static void test_extremes(void)
{
    static const double number[] = {0,
                                    0x1p-1074,
                                    -0x1p-1074,
                                    0x1.8p-1000,
                                    -0x1p-500,
                                    1,
                                    -1,
                                    0x1p52 + 1,
                                    -0x1p500,
                                    0x1.fffffffffffffp1023,
                                    -0x1.fffffffffffffp1023};
    for (uint64_t i = 0; i < test_cases(40); i++) {
        rng r = {i};
        exact_motion m;
        for (int k = 0; k < 24; k++)
            m.at[k / 12][k / 3 % 4].x[k % 3] =
                number[rng_below(&r, sizeof number / sizeof *number)];
        exact_ccd_test_query(i % 2 ? EXACT_EDGE_EDGE : EXACT_VERTEX_FACE, &m);
    }
}

/* ---- coordinates of all sizes */

static void test_exact_ccd_mixed(void)
{
    uint64_t later = 0, not_seen = 0;
    const uint64_t cases = test_cases(2000);
    for (uint64_t i = 0; i < cases; i++) {
        rng r = {i};
        moving_case c;
        moving_case_mixed(&r, (int)(i % MOVING_MIXED), &c);
        const double toi = exact_ccd_test_query(c.kind, &c.m);
        later += toi > 0;
        not_seen += toi >= 0 && !toi_is_root(&c.m, toi);
    }
    CU_ASSERT(later > cases / 20);
    CU_ASSERT(not_seen < cases / 10); /* flat ones, and double roots */
}

/* The work is bounded: counts the bytes requested by GMP, independently of time. With sizes that
 * differ by 2^2000, repeated halving of the step requested a hundred times as many. */
static uint64_t asked;

static void *counted(size_t bytes)
{
    asked += bytes;
    return malloc(bytes);
}

static void *counted_again(void *old, size_t had, size_t bytes)
{
    asked += bytes > had ? bytes - had : 0;
    return realloc(old, bytes);
}

static void freed(void *old, size_t had)
{
    (void)had;
    free(old);
}

static void test_exact_ccd_work(void)
{
    uint64_t most = 0, all = 0;
    const uint64_t cases = test_cases(1000);
    mp_set_memory_functions(counted, counted_again, freed);
    for (uint64_t i = 0; i < cases; i++) {
        rng r = {i};
        moving_case c;
        double toi;
        moving_case_mixed(&r, (int)(i % MOVING_MIXED), &c);
        asked = 0;
        exact_ccd_first_integers(c.kind, &c.m, &toi);
        most = asked > most ? asked : most;
        all += asked;
    }
    mp_set_memory_functions(NULL, NULL, NULL);
    printf("%llu KB, at most %llu ", (unsigned long long)(all / cases / 1000),
           (unsigned long long)(most / 1000));
    CU_ASSERT(all / cases < 200000);
    CU_ASSERT(most < 3000000);
}

/* ---- shared/data/ccd-queries: eight rows of rational numbers and the truth for each query */

/* numerator, denominator: an exact float64 */
static double exact_ccd_test_read_number(char **text)
{
    char words[2][400];
    mpq_t exact, back;
    for (int i = 0; i < 2; i++) {
        size_t length = strcspn(*text, ",");
        snprintf(words[i], sizeof words[i], "%.*s", (int)length, *text);
        *text += length + 1;
    }
    mpq_inits(exact, back, NULL);
    CU_ASSERT_EQUAL(mpz_set_str(mpq_numref(exact), words[0], 10), 0);
    CU_ASSERT_EQUAL(mpz_set_str(mpq_denref(exact), words[1], 10), 0);
    mpq_canonicalize(exact);
    double x = mpq_get_d(exact);
    mpq_set_d(back, x);
    CU_ASSERT(mpq_equal(exact, back));
    mpq_clears(exact, back, NULL);
    return x;
}

/* Edges are points 0-1 and 2-3; a vertex precedes its face. */
static int exact_ccd_test_read_query(FILE *file, int is_face, exact_motion *m, int *truth)
{
    char line[4096];
    for (int i = 0; i < 8; i++) {
        char *text = line;
        if (!fgets(line, sizeof line, file))
            return 0;
        int vertex = is_face ? (i % 4 + 3) % 4 : i % 4;
        for (int k = 0; k < 3; k++)
            m->at[i / 4][vertex].x[k] = exact_ccd_test_read_number(&text);
        *truth = *text == '1';
    }
    return 1;
}

typedef struct tally {
    uint64_t queries, hits, false_hits, misses;
} tally;

static void check_exact_ccd_file(const char *path, int is_face, tally *sum)
{
    exact_motion m;
    int truth;
    FILE *file = fopen(path, "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    while (exact_ccd_test_read_query(file, is_face, &m, &truth)) {
        double toi = exact_ccd_test_query(is_face ? EXACT_VERTEX_FACE : EXACT_EDGE_EDGE, &m);
        sum->queries++;
        sum->hits += truth != 0;
        sum->false_hits += toi >= 0 && !truth;
        sum->misses += toi < 0 && truth;
        CU_ASSERT(toi < 0 || toi_is_root(&m, toi));
    }
    fclose(file);
}

static void test_exact_ccd_queries(void)
{
    char path[900];
    tally sum = {0};
    if (!test_data())
        SKIP("shared/data is not here");
    snprintf(path, sizeof path, "%s/ccd-queries", test_data());
    DIR *folder = opendir(path);
    CU_ASSERT_PTR_NOT_NULL_FATAL(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (!strstr(entry->d_name, ".csv"))
            continue;
        snprintf(path, sizeof path, "%s/ccd-queries/%s", test_data(), entry->d_name);
        check_exact_ccd_file(path, strstr(entry->d_name, "vertex-face") != NULL, &sum);
    }
    closedir(folder);
    printf("%llu queries, %llu of them hits ", (unsigned long long)sum.queries,
           (unsigned long long)sum.hits);
    CU_ASSERT_EQUAL(sum.queries, 2324);
    CU_ASSERT_EQUAL(sum.hits, 2324 - 1976);
    CU_ASSERT_EQUAL(sum.false_hits, 0);
    CU_ASSERT_EQUAL(sum.misses, 0);
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"touches", test_exact_ccd_touches},   {"random", test_exact_ccd_random},
        {"instants", test_exact_ccd_instants}, {"extremes", test_extremes},
        {"mixed", test_exact_ccd_mixed},       {"work", test_exact_ccd_work},
        {"queries", test_exact_ccd_queries},   {0}};
    return test_main(argc, argv, "exact_ccd", tests);
}
