/* exact_tri_tri against the oracle, for all classes of cases.h: verdict, kind, crossing and points,
 * in every order of vertices and triangles and in mirrors. */
#include "cases.h"

#include "exact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the same pair in other forms */

typedef struct variation {
    int p[3], q[3]; /* order of the corners */
    int swap;       /* the triangles are swapped */
    int axis[3];    /* coordinate k is that of axis[k] ... */
    int sign[3];    /* ... times this */
} variation;

static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};

/* order = 0 .. 71 */
static variation exact_triangles_as_given(int order)
{
    variation v = {.swap = order / 36, .axis = {0, 1, 2}, .sign = {1, 1, 1}};
    memcpy(v.p, orders[order % 6], sizeof v.p);
    memcpy(v.q, orders[order / 6 % 6], sizeof v.q);
    return v;
}

static variation mirrored(variation v, rng *r)
{
    memcpy(v.axis, orders[rng_below(r, 6)], sizeof v.axis);
    for (int k = 0; k < 3; k++)
        v.sign[k] = rng_below(r, 2) ? 1 : -1;
    return v;
}

/* corner c = 0 .. 5 of the varied pair, as a corner of the given one */
static int varied_corner(const variation *v, int c)
{
    int second = (c >= 3) != v->swap;
    return second ? 3 + v->q[c % 3] : v->p[c % 3];
}

/* The pair with its corners in that order. */
static tri_pair varied_pair(const tri_pair *t, const variation *v)
{
    tri_pair u = *t;
    for (int c = 0; c < 6; c++)
        u.corner[c] = t->corner[varied_corner(v, c)];
    return u;
}

static void exact_triangles_query(const tri_pair *t, const variation *v, exact_contact *out)
{
    exact_point p[6];
    uint32_t corner[6];
    int sp[3] = {0}, shared = 0;
    for (int c = 0; c < 6; c++) {
        corner[c] = t->corner[varied_corner(v, c)];
        for (int k = 0; k < 3; k++)
            p[c].x[k] = v->sign[k] * t->x[corner[c]][v->axis[k]];
    }
    for (int c = 0; c < 3; c++) {
        int seen = 0;
        for (int i = 0; i < shared; i++)
            seen |= corner[sp[i]] == corner[c];
        if (!seen && (corner[c] == corner[3] || corner[c] == corner[4] || corner[c] == corner[5]))
            sp[shared++] = c;
    }
    exact_tri_tri(p, p + 3, shared, sp, out);
}

/* ---- one query */

static const char *exact_triangles_fault(const tri_pair *t, const oracle_verdict *want,
                                         int crossing, const variation *v)
{
    exact_contact got;
    double point[6];
    const char *what;
    int turned = 0;
    exact_triangles_query(t, v, &got);
    if (got.crossing != crossing)
        return crossing ? "they do cross" : "they do not cross";
    for (int k = 0; k < 3; k++) {
        turned |= v->sign[k] != 1 || v->axis[k] != k;
        point[v->axis[k]] = v->sign[k] * got.point[k];
        point[3 + v->axis[k]] = v->sign[k] * got.point[3 + k];
    }
    if ((what = contact_form_fault(got.kind, got.point)) != NULL)
        return what;
    if ((what = oracle_kind_fault(want, got.kind)) != NULL || !got.kind)
        return what;
    if ((what = turned ? oracle_mirrored_fault(want, point) : oracle_ends_fault(want, point)))
        return what;
    return turned ? NULL : oracle_end_features_fault(want, got.point, got.feature);
}

/* Whether a pair in contact crosses. */
static int exact_triangles_crossing(const tri_pair *t, const oracle_verdict *want)
{
    solid_case c = {.corners = {3, 3}};
    for (int i = 0; i < 6; i++)
        memcpy(c.x[i / 3][i % 3], t->x[t->corner[i]], sizeof t->x[0]);
    return want->kind && oracle_interiors_cross(&c);
}

typedef struct tally {
    uint64_t pairs, meet, crossing, faults;
} tally;

static void check_exact_triangles(const case_class *c, uint64_t i, const tri_pair *t,
                                  const oracle_verdict *want, int crossing, variation v, tally *sum)
{
    const char *what = exact_triangles_fault(t, want, crossing, &v);
    if (what && sum->faults++ < 3) {
#pragma omp critical
        case_print(c, i, t, what);
    }
}

/* Every pair in one order of its own, the first ones in all orders (at most 1,000 pairs); each pair
 * as it is and mirrored. */
static void check_exact_triangles_class(const case_class *c, tally *sum)
{
    oracle *o = oracle_open();
    uint64_t all_orders = test_long_cases(100);
    all_orders = all_orders < 1000 ? all_orders : 1000;
    for (uint64_t i = 0; i < sum->pairs; i++) {
        rng r = {i};
        tri_pair t;
        oracle_verdict want;
        case_make(c, i, &t);
        oracle_decide(o, &t, &want);
        const int crossing = exact_triangles_crossing(&t, &want);
        sum->meet += want.kind != 0;
        sum->crossing += (uint64_t)crossing;
        int first = i < all_orders ? 0 : (int)rng_below(&r, 72);
        int last = i < all_orders ? 72 : first + 1;
        for (int order = first; order < last; order++) {
            const variation given = exact_triangles_as_given(order);
            const tri_pair varied = varied_pair(&t, &given);
            oracle_verdict own;
            oracle_decide(o, &varied, &own);
            check_exact_triangles(c, i, &t, &own, crossing, given, sum);
            check_exact_triangles(c, i, &t, &own, crossing, mirrored(given, &r), sum);
        }
    }
    oracle_close(o);
}

static void test_exact_triangles_classes(void)
{
    int classes = 0;
    while (case_classes[classes].name)
        classes++;
    tally *sum = calloc((size_t)classes, sizeof *sum);
    CU_ASSERT_PTR_NOT_NULL_FATAL(sum);
#pragma omp parallel for schedule(dynamic)
    for (int c = 0; c < classes; c++) {
        sum[c].pairs = test_long_cases(4000);
        check_exact_triangles_class(&case_classes[c], &sum[c]);
    }
    for (int c = 0; c < classes; c++) {
        printf("\n    %-18s %8llu pairs, %5.1f %% meet, %5.1f %% cross", case_classes[c].name,
               (unsigned long long)sum[c].pairs, 100.0 * (double)sum[c].meet / (double)sum[c].pairs,
               100.0 * (double)sum[c].crossing / (double)sum[c].pairs);
        CU_ASSERT_EQUAL(sum[c].faults, 0);
    }
    printf(" ");
    free(sum);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"classes", test_exact_triangles_classes}, {0}};
    return test_main(argc, argv, "exact", tests);
}
