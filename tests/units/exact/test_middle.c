/* The depth of the middle of the part of a segment inside a tetrahedron (exact_middle.h): the same
 * by double-double numbers and by integers, in either direction; some that are known. test_solid
 * compares depths with rational arithmetic. */
#include "exact.h"
#include "exact_middle.h"
#include "expect.h"
#include "testlib.h"

#include <math.h>

/* A tetrahedron and a segment, with what exact_middle_depth needs. */
typedef struct middle_case {
    exact_prim solid, line;
    face_sides sides;
    cut_plane plane[4];
    cut_end end[4][2];
    middle_face face[4];
} middle_case;

/* Returns whether the segment may have a part inside: the tetrahedron has a volume, neither end is
 * in its interior, and for each face an end is on the inner side. */
static int middle_case_open(middle_case *c)
{
    int within[2] = {1, 1};
    face_sides_find(&c->solid, &c->line, &c->sides);
    if (!c->sides.solid)
        return 0;
    for (int f = 0; f < 4; f++) {
        const exact_point *const v[3] = {face_vertex(&c->solid, f, 0), face_vertex(&c->solid, f, 1),
                                         face_vertex(&c->solid, f, 2)};
        middle_face *face = &c->face[f];
        exact_cut_plane(v, &c->plane[f]);
        face->plane = &c->plane[f];
        face->own = c->sides.own[f];
        for (int e = 0; e < 2; e++) {
            exact_cut_end(&c->plane[f], &c->line.v[e], &c->end[f][e]);
            face->end[e] = &c->end[f][e];
            face->side[e] = face->own * c->sides.side[f][e];
            within[e] &= face->side[e] > 0;
        }
        if (face->side[0] <= 0 && face->side[1] <= 0)
            return 0;
    }
    return !within[0] && !within[1];
}

/* ---- random ones */

typedef struct number_kind {
    const char *name;
    double (*number)(rng *r);
} number_kind;

static double middle_any(rng *r)
{
    return rng_unit(r);
}

static double middle_few(rng *r)
{
    return rng_below(r, 5);
}

static double middle_nearly(rng *r)
{
    const double x = rng_below(r, 4);
    return rng_below(r, 4) ? x : nextafter(x, rng_below(r, 2) ? 9 : -9);
}

static double middle_denormal(rng *r)
{
    return ldexp((double)rng_below(r, 9) - 4, -1070);
}

static double middle_huge(rng *r)
{
    return ldexp((double)rng_below(r, 9) - 4, 1010) + (rng_below(r, 2) ? rng_unit(r) : 0);
}

static double middle_far(rng *r)
{
    static const int power[] = {-1070, -500, 0, 500, 1010};
    return ldexp((double)rng_below(r, 9) - 4, power[rng_below(r, 5)]);
}

static double middle_large(rng *r)
{
    return ldexp(rng_unit(r), 250);
}

static const number_kind number_kinds[] = {
    {"anywhere", middle_any},      {"five numbers", middle_few}, {"nearly", middle_nearly},
    {"denormal", middle_denormal}, {"huge", middle_huge},        {"far scales", middle_far},
    {"large", middle_large},
};

#define KINDS (sizeof number_kinds / sizeof *number_kinds)

static int middle_case_random(const number_kind *k, rng *r, middle_case *c)
{
    c->solid.corners = 4;
    c->line.corners = 3;
    for (int v = 0; v < 4; v++)
        for (int i = 0; i < 3; i++) {
            c->solid.v[v].x[i] = k->number(r);
            c->line.v[v].x[i] = k->number(r);
        }
    /* a segment of which a part is mostly inside: through the middle of both halves of the solid */
    for (int i = 0; i < 3 && rng_below(r, 2); i++) {
        const double *const x[4] = {c->solid.v[0].x, c->solid.v[1].x, c->solid.v[2].x,
                                    c->solid.v[3].x};
        c->line.v[0].x[i] = x[0][i] / 2 + x[1][i] / 2;
        c->line.v[1].x[i] = x[2][i] / 2 + x[3][i] / 2;
    }
    return middle_case_open(c);
}

static double middle_turned(const middle_case *c)
{
    middle_face face[4];
    for (int f = 0; f < 4; f++) {
        face[f] = c->face[f];
        for (int e = 0; e < 2; e++) {
            face[f].end[e] = c->face[f].end[!e];
            face[f].side[e] = c->face[f].side[!e];
        }
    }
    return exact_middle_depth(face);
}

static void test_middle_integers(void)
{
    for (size_t k = 0; k < KINDS; k++) {
        rng r = {k};
        uint64_t tried = 0, inside = 0;
        for (uint64_t i = 0; i < test_cases(5000); i++) {
            middle_case c;
            if (!middle_case_random(&number_kinds[k], &r, &c))
                continue;
            const double depth = exact_middle_depth(c.face);
            const double whole = exact_middle_integers(c.face), turned = middle_turned(&c);
            EXPECT(depth == whole && depth == turned, "%s: %a, %a by integers, %a turned",
                   number_kinds[k].name, depth, whole, turned);
            tried++;
            inside += depth > 0;
        }
        EXPECT(inside > 0 && inside < tried, "%s: %llu of %llu inside", number_kinds[k].name,
               (unsigned long long)inside, (unsigned long long)tried);
    }
}

/* ---- known ones */

static const exact_prim corner_solid = {4, {{{0, 0, 0}}, {{4, 0, 0}}, {{0, 4, 0}}, {{0, 0, 4}}}};

static double middle_of_line(exact_point a, exact_point b)
{
    middle_case c = {.solid = corner_solid, .line = {3, {a, b, b}}};
    CU_ASSERT_FATAL(middle_case_open(&c));
    const double depth = exact_middle_depth(c.face);
    CU_ASSERT_EQUAL(depth, exact_middle_integers(c.face));
    return depth;
}

/* The face that is not on a coordinate plane has the distance (4 - x - y - z) / root 3. */
static void test_middle_known(void)
{
    /* inside from x = 0 to 2, middle 1 1 1 */
    CU_ASSERT_DOUBLE_EQUAL(middle_of_line((exact_point){{-1, 1, 1}}, (exact_point){{5, 1, 1}}),
                           0x1.279a74590331cp-1, 0);
    /* inside from x = 0 to 3.5, middle 1.75 0.25 0.25 */
    CU_ASSERT_EQUAL(middle_of_line((exact_point){{-9, 0.25, 0.25}}, (exact_point){{9, 0.25, 0.25}}),
                    0.25);
    /* the ends on two faces */
    CU_ASSERT_EQUAL(middle_of_line((exact_point){{0, 1, 0.5}}, (exact_point){{2, 0, 0.5}}), 0.5);
    /* through a corner, an edge, and beside the solid */
    CU_ASSERT_EQUAL(middle_of_line((exact_point){{-1, 1, 1}}, (exact_point){{1, -1, -1}}), 0);
    CU_ASSERT_EQUAL(middle_of_line((exact_point){{1, -1, 1}}, (exact_point){{-1, 1, 1}}), 0);
    CU_ASSERT_EQUAL(middle_of_line((exact_point){{1, -1, 1}}, (exact_point){{-2, 1, 1}}), 0);
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"integers", test_middle_integers}, {"known", test_middle_known}, {0}};
    return test_main(argc, argv, "middle", tests);
}
