/* Triangles and tetrahedra as closed sets (exact.h), against rational arithmetic: whether they
 * touch, whether their interiors intersect, where, and how deep. And the same for every order of
 * their vertices and mirrored. */
#include "exact.h"
#include "expect.h"
#include "oracle.h"
#include "testlib.h"

#include <math.h>
#include <string.h>

/* ---- cases */

typedef struct kind_of_case {
    const char *name;
    double (*number)(rng *r);
    int flat; /* one coordinate is mostly 0 */
} kind_of_case;

static double any_number(rng *r)
{
    return rng_unit(r);
}

static double of_three(rng *r)
{
    return rng_below(r, 3);
}

static double of_five(rng *r)
{
    return rng_below(r, 5);
}

static double tenth(rng *r)
{
    return 0.1 * rng_below(r, 4);
}

static double any_scale(rng *r)
{
    return ldexp(rng_unit(r), (int)rng_below(r, 33) - 30);
}

static double exact_solids_denormal(rng *r)
{
    return ldexp((double)rng_below(r, 9) - 4, -1070);
}

static double exact_solids_huge(rng *r)
{
    return ldexp((double)rng_below(r, 9) - 4, 1010) + (rng_below(r, 2) ? rng_unit(r) : 0);
}

static double nearly(rng *r)
{
    double x = rng_below(r, 4);
    return rng_below(r, 4) ? x : nextafter(x, rng_below(r, 2) ? 9 : -9);
}

/* Corners of the intersection are rounded to few digits. */
static double far_off(rng *r)
{
    return 1e6 + ldexp(rng_below(r, 8), -33);
}

/* The small coordinates are far below the last bits of the large ones. */
static double far_scales(rng *r)
{
    static const int power[] = {-1070, -500, 0, 500, 1010};
    return ldexp((double)rng_below(r, 9) - 4, power[rng_below(r, 5)]);
}

static const kind_of_case kinds[] = {
    {"anywhere", any_number, 0},
    {"three numbers", of_three, 0},
    {"five numbers", of_five, 0},
    {"in a plane", of_five, 1},
    {"tenths", tenth, 0},
    {"all scales", any_scale, 0},
    {"denormals", exact_solids_denormal, 0},
    {"huge", exact_solids_huge, 0},
    {"nearly", nearly, 0},
    {"far scales", far_scales, 0},
    {"far off", far_off, 0},
};

#define KINDS (sizeof kinds / sizeof *kinds)

/* Some share vertices, some repeat one, some are inside the other. */
static void exact_solids_relate(solid_case *c, rng *r)
{
    uint32_t shared = rng_below(r, 2) ? rng_below(r, 4) : 0;
    for (uint32_t i = 0; i < shared; i++)
        memcpy(c->x[1][rng_below(r, (uint32_t)c->corners[1])],
               c->x[0][rng_below(r, (uint32_t)c->corners[0])], sizeof c->x[0][0]);
    if (!rng_below(r, 10))
        memcpy(c->x[0][c->corners[0] - 1], c->x[0][0], sizeof c->x[0][0]);
    if (rng_below(r, 10))
        return;
    for (int v = 0; v < c->corners[1]; v++)
        for (int k = 0; k < 3; k++) {
            double middle = 0;
            for (int w = 0; w < c->corners[0]; w++)
                middle += c->x[0][w][k] / c->corners[0];
            c->x[1][v][k] = middle + (c->x[1][v][k] - middle) * 0x1p-10;
        }
}

static void make_case(const kind_of_case *k, int first, int second, rng *r, solid_case *out)
{
    memset(out, 0, sizeof *out);
    out->corners[0] = first;
    out->corners[1] = second;
    for (int s = 0; s < 2; s++)
        for (int v = 0; v < out->corners[s]; v++)
            for (int d = 0; d < 3; d++)
                out->x[s][v][d] = k->flat && d == 2 && rng_below(r, 4) ? 0 : k->number(r);
    exact_solids_relate(out, r);
}

/* ---- the library's results */

typedef struct said {
    int meet, within;
    exact_solids at;
} said;

static void exact_solids_query(const solid_case *c, said *out)
{
    exact_prim p[2];
    memset(out, 0, sizeof *out);
    for (int s = 0; s < 2; s++) {
        p[s].corners = c->corners[s];
        memcpy(p[s].v, c->x[s], sizeof p[s].v);
    }
    out->meet = exact_prims_intersect(&p[0], &p[1]);
    if (c->corners[0] == 4 || c->corners[1] == 4)
        out->within = exact_prims_interiors_intersect(&p[0], &p[1]);
    if (out->meet)
        exact_prims_contact(&p[0], &p[1], &out->at);
}

static const char *fault_of(const solid_case *c)
{
    said s;
    exact_solids_query(c, &s);
    const solid_claim told = {s.meet,     s.within,  s.at.count, s.at.collision[0].x,
                              s.at.point, s.at.depth};
    /* the oracle judges s.within; two triangles have 0 in both */
    return s.at.crossing != s.within ? "crossing is not that interiors meet"
                                     : oracle_solids_fault(c, &told);
}

static void print_exact_solids_case(const char *kind, const solid_case *c, const char *fault)
{
    printf("\n    %s: %s\n", kind, fault);
    for (int s = 0; s < 2; s++)
        for (int v = 0; v < c->corners[s]; v++)
            printf("    %d %a %a %a\n", s, c->x[s][v][0], c->x[s][v][1], c->x[s][v][2]);
}

/* In the soak, for cases = 250, a million of each class. */
static void check_exact_solids_class(int first, int second, uint64_t cases)
{
    int64_t n = (int64_t)test_long_cases(cases);
    n = n > 30 ? n : 30; /* enough for some in contact */
    for (size_t k = 0; k < KINDS; k++) {
        int faults = 0, meet = 0;
#pragma omp parallel for schedule(dynamic, 64) reduction(+ : faults, meet)
        for (int64_t i = 0; i < n; i++) {
            rng r = {(uint64_t)i * 1000003 + k};
            solid_case c;
            said s;
            make_case(&kinds[k], first, second, &r, &c);
            const char *fault = fault_of(&c);
            exact_solids_query(&c, &s);
            meet += s.meet;
#pragma omp critical
            if (fault && faults++ < 2)
                print_exact_solids_case(kinds[k].name, &c, fault);
        }
        EXPECT(!faults, "%s: %d of %lld wrong", kinds[k].name, faults, (long long)n);
        EXPECT(meet > 0 && meet < n, "%s: %d of %lld meet", kinds[k].name, meet, (long long)n);
    }
}

static void test_exact_solids_triangles(void)
{
    check_exact_solids_class(3, 3, 100);
}

static void test_triangle_tetrahedron(void)
{
    check_exact_solids_class(3, 4, 200);
    check_exact_solids_class(4, 3, 200);
}

static void test_exact_solids_tetrahedra(void)
{
    check_exact_solids_class(4, 4, 400);
}

/* The normal of a face of the second is far smaller than the square of its size. */
static void test_slim_face(void)
{
    static const solid_case c = {{3, 4},
                                 {{{-0x1.8p+1011, -0x1p+1012, 0x1p+1011},
                                   {0x1p+1010, 0x1.66e529b6df55ep-1, -0x1.8p+1011},
                                   {-0x1.8p+1011, 0x1.998738812fc62p-1, 0x1p+1011}},
                                  {{0x1p+1012, 0x1.c980ecfdc6148p-1, -0x1p+1011},
                                   {0x1p+1010, 0, -0x1p+1011},
                                   {-0x1p+1011, 0x1.40233dd915267p-1, -0x1p+1011},
                                   {0x1.8p+1011, 0x1.e29c98fcea0a1p-1, -0x1p+1012}}}};
    const char *fault = fault_of(&c);
    EXPECT(!fault, "%s", fault ? fault : "");
}

/* Two pairs of corners have the greatest distance; rounding makes the wrong one farther. */
static void test_tie(void)
{
    static const solid_case c = {{4, 4},
                                 {{{0, 3, 2}, {2, 3, 2}, {3, 0, 2}, {3, 1, 0}},
                                  {{1, 1, 3}, {2, 2, 0}, {0, 0, 1}, {3, 3, 0}}}};
    static const double ends[6] = {1.5, 1.5, 2, 1.8, 1.8, 0.8};
    const char *fault = fault_of(&c);
    said s;
    exact_solids_query(&c, &s);
    EXPECT(!fault, "%s", fault ? fault : "");
    CU_ASSERT(!memcmp(s.at.point, ends, sizeof ends));
}

/* ---- orders and mirrors */

/* The n-th permutation of the vertices. */
static void reorder(const double from[4][3], int corners, int n, double to[4][3])
{
    int left[4] = {0, 1, 2, 3};
    for (int v = 0; v < corners; v++) {
        int i = n % (corners - v);
        n /= corners - v;
        memcpy(to[v], from[left[i]], sizeof *to);
        memmove(left + i, left + i + 1, sizeof *left * (size_t)(corners - v - i - 1));
    }
}

static int same_said(const said *a, const said *b)
{
    return a->meet == b->meet && a->within == b->within && a->at.count == b->at.count &&
           (!a->meet ||
            (a->at.crossing == b->at.crossing &&
             !memcmp(a->at.point, b->at.point, sizeof a->at.point) && a->at.depth == b->at.depth &&
             !memcmp(a->at.collision, b->at.collision,
                     sizeof *a->at.collision * (size_t)a->at.count)));
}

static int same_in_orders(const solid_case *c, const char *kind)
{
    static const int factorial[] = {1, 1, 2, 6, 24};
    said want, got;
    exact_solids_query(c, &want);
    for (int i = 0; i < factorial[c->corners[0]]; i++)
        for (int j = 0; j < factorial[c->corners[1]]; j++)
            for (int swap = 0; swap < 2; swap++) {
                solid_case d;
                d.corners[swap] = c->corners[0];
                d.corners[!swap] = c->corners[1];
                reorder(c->x[0], c->corners[0], i, d.x[swap]);
                reorder(c->x[1], c->corners[1], j, d.x[!swap]);
                exact_solids_query(&d, &got);
                if (!same_said(&want, &got)) {
                    print_exact_solids_case(kind, &d, "another answer than in another order");
                    return 0;
                }
            }
    return 1;
}

/* Mirrored at the coordinate planes: the same points, mirrored. */
static int same_in_mirrors(const solid_case *c, const char *kind)
{
    said want, got;
    exact_solids_query(c, &want);
    for (int mirror = 1; mirror < 8; mirror++) {
        solid_case d = *c;
        for (int s = 0; s < 2; s++)
            for (int v = 0; v < 4; v++)
                for (int k = 0; k < 3; k++)
                    d.x[s][v][k] *= mirror >> k & 1 ? -1 : 1;
        exact_solids_query(&d, &got);
        int found = 0;
        for (int i = 0; i < got.at.count && got.meet; i++)
            for (int j = 0; j < want.at.count; j++) {
                int same = 1;
                for (int k = 0; k < 3; k++)
                    same &= got.at.collision[i].x[k] ==
                            (mirror >> k & 1 ? -1 : 1) * want.at.collision[j].x[k];
                found += same;
            }
        if (got.meet != want.meet || got.within != want.within || found != want.at.count) {
            print_exact_solids_case(kind, &d, "another answer than its mirror image");
            return 0;
        }
    }
    return 1;
}

/* At most a thousand of each kind. */
static void test_exact_solids_orders(void)
{
    int n = TEST_SLOW ? 2 : (int)test_count(12), bad = 0;
    n = n < 1000 ? n : 1000;
    for (size_t k = 0; k < KINDS; k++)
#pragma omp parallel for schedule(dynamic) reduction(+ : bad)
        for (int i = 0; i < n; i++) {
            rng r = {(uint64_t)i + 77};
            solid_case c;
            make_case(&kinds[k], 3 + i % 2, 3 + i / 2 % 2, &r, &c);
            bad += !same_in_orders(&c, kinds[k].name) || !same_in_mirrors(&c, kinds[k].name);
        }
    CU_ASSERT_EQUAL(bad, 0);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"triangles", test_exact_solids_triangles},
                                 {"triangle_tetrahedron", test_triangle_tetrahedron},
                                 {"tetrahedra", test_exact_solids_tetrahedra},
                                 {"slim_face", test_slim_face},
                                 {"tie", test_tie},
                                 {"orders", test_exact_solids_orders},
                                 {0}};
    return test_main(argc, argv, "solid", tests);
}
