/* Feature pairs whose distance falls to a given one in a step (feature_tests.h): touches, features
 * that miss or reach the distance by a few rounding errors, and random meshes. Exact arithmetic
 * confirms both verdicts; all devices have the same lists. */
#include "exact.h"
#include "expect.h"
#include "feature_scenes.h"
#include "ccd_cases.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- against exact arithmetic */

typedef struct checking {
    const feature_scene *s;
    const feature_answer *got;
    uint64_t pairs, near, seen[2];
} checking;

static void check_features_near_row(void *user, feature_row r)
{
    checking *c = user;
    uint32_t vertex[4];
    exact_motion m;
    double toi;
    const int edges = FEATURE_KIND(r.code) == FEATURE_EDGES;
    if (!feature_vertices_both(c->s, r, vertex))
        return;
    feature_motion(c->s, vertex, &m);
    const int near = exact_ccd_first_near(edges ? EXACT_EDGE_EDGE : EXACT_VERTEX_FACE, &m,
                                          c->s->separation, &toi);
    c->pairs++;
    c->near += near != 0;
    feature_expect(c->got, r, near, "near", c->seen);
}

/* All devices and forms, and every pair of representative features. */
static checking check_features_near_scene(const char *what, const feature_scene *s)
{
    feature_answer got;
    features_ask_all(s, &got);
    checking c = {.s = s, .got = &got};
    features_each(s, check_features_near_row, &c);
    EXPECT(c.seen[0] == got.n[0] && c.seen[1] == got.n[1],
           "%s: %zu meet and %zu undecided, of which %llu and %llu are pairs of features", what,
           got.n[0], got.n[1], (unsigned long long)c.seen[0], (unsigned long long)c.seen[1]);
    printf("\n    %-22s %8llu pairs, %6llu near, %6.2f %% undecided ", what,
           (unsigned long long)(got.counts[0] + got.counts[1]), (unsigned long long)c.near,
           100.0 * (double)got.n[1] / (double)(got.counts[0] + got.counts[1]));
    c.got = NULL;
    feature_answer_free(&got);
    return c;
}

static void features_near_scale(exact_motion *m, double by)
{
    for (int i = 0; i < 24; i++)
        m->at[i / 12][i / 3 % 4].x[i % 3] *= by;
}

/* ---- touches, with a distance below all rounding errors */

/* Adds multiples of coordinates to others, so that products are rounded and lengths cancel. */
static void features_near_shear(exact_motion *of, rng *r)
{
    exact_motion m = *of;
    for (int step = 0; step < 4; step++) {
        uint32_t k = rng_below(r, 3), from = (k + 1 + rng_below(r, 2)) % 3;
        double by = 1 + rng_below(r, 2000), most = 0;
        for (int i = 0; i < 8; i++) {
            double *x = m.at[i / 4][i % 4].x;
            x[k] += by * x[from];
            most = fmax(most, fabs(x[k]));
        }
        if (most > 0x1p52)
            return;
        *of = m;
    }
}

static void features_near_try_touches(int class, uint32_t corners, uint32_t cases)
{
    feature_scene s = feature_scene_make(corners, 2 * corners * cases, 2 * cases, cases);
    uint64_t meet = 0;
    s.separation = 0x1p-200;
    for (uint32_t i = 0; i < cases; i++) {
        rng r = {i + ((uint64_t) class << 32) + corners};
        moving_case c;
        moving_case_make(class, &r, 0, &c);
        if (i % 4)
            features_near_shear(&c.m, &r);
        features_near_scale(&c.m, ldexp(1, i % 8 ? -52 : -52 - (int)rng_below(&r, 1000)));
        feature_put(&s, i, c.kind, &c.m, &r);
        meet += c.meet != 0;
    }
    const checking c = check_features_near_scene(moving_class_names[class], &s);
    EXPECT(c.near >= meet, "%llu are near, %llu meet", (unsigned long long)c.near,
           (unsigned long long)meet);
    feature_scene_free(&s);
}

static void test_features_near_touches(void)
{
    for (int class = 0; moving_class_names[class]; class ++)
        features_near_try_touches(class, 3 + (uint32_t) class % 2, (uint32_t)test_cases(150));
}

static int64_t features_near_uniform(rng *r, int64_t most)
{
    return (int64_t)rng_below(r, (uint32_t)(2 * most + 1)) - most;
}

/* Motions in a plane that is not normal to any axis. The features touch in both frames, a face in
 * an interior point, edges at their midpoints. Coordinates are far larger than a frame's, so that
 * the gap's allowance for rounding is too small. */
static void flat_motion(rng *r, enum exact_ccd_kind kind, exact_motion *m)
{
    int64_t axis[2][3], at[4][2];
    for (int k = 0; k < 6; k++)
        axis[k / 3][k % 3] = features_near_uniform(r, 1 << 19);
    for (int t = 0; t < 2; t++) {
        for (int i = 0; i < 6; i++)
            at[i / 2][i % 2] = 4 * features_near_uniform(r, 512);
        for (int j = 0; j < 2; j++)
            at[3][j] = kind == EXACT_EDGE_EDGE ? at[0][j] + at[1][j] - at[2][j]
                                               : (2 * at[0][j] + at[1][j] + at[2][j]) / 4;
        for (int i = 0; i < 12; i++)
            m->at[t][i / 3].x[i % 3] =
                ldexp((double)(at[i / 3][0] * axis[0][i % 3] + at[i / 3][1] * axis[1][i % 3]), -22);
    }
}

static void test_features_near_flat(void)
{
    const uint32_t cases = (uint32_t)test_cases(1000);
    feature_scene s = feature_scene_make(3, 6 * cases, 2 * cases, cases);
    rng r = {5};
    s.separation = 0x1p-200;
    for (uint32_t i = 0; i < cases; i++) {
        const enum exact_ccd_kind kind = i % 2 ? EXACT_EDGE_EDGE : EXACT_VERTEX_FACE;
        exact_motion m;
        flat_motion(&r, kind, &m);
        feature_put(&s, i, kind, &m, &r);
    }
    const checking c = check_features_near_scene("flat", &s);
    CU_ASSERT(c.near == cases && c.pairs == cases);
    feature_scene_free(&s);
}

/* ---- features that just miss or reach a distance */

/* The least distance at which the pair is near, up to a relative error of a few ulp. */
static double features_near_least_distance(enum exact_ccd_kind kind, const exact_motion *m)
{
    double low = 0, high = 16, toi;
    for (int step = 0; step < 50; step++) {
        const double middle = 0.5 * (low + high);
        if (exact_ccd_first_near(kind, m, middle, &toi))
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* As large as a frame or much smaller; with integers or not; some do not move. */
static void random_motion(rng *r, exact_motion *m)
{
    const int form = (int)rng_below(r, 4);
    if (form == 0)
        moving_case_grid(r, 5, m);
    else
        for (int i = 0; i < 24; i++)
            m->at[i / 12][i / 3 % 4].x[i % 3] =
                form == 1 && i > 11 ? m->at[0][i / 3 % 4].x[i % 3] : 2 * rng_unit(r) - 1;
}

/* Scales the motion so that its distance becomes the scene's, times 1 + off except for rounding. */
static int put_distant(feature_scene *s, uint32_t i, double off, rng *r)
{
    const enum exact_ccd_kind kind = i % 2 ? EXACT_EDGE_EDGE : EXACT_VERTEX_FACE;
    exact_motion m;
    random_motion(r, &m);
    const double least = features_near_least_distance(kind, &m),
                 by = s->separation / least * (1 + off);
    if (!(least > 1e-3) || by > 1)
        return 0;
    features_near_scale(&m, by);
    feature_put(s, i, kind, &m, r);
    return 1;
}

static void try_distant(double separation, double off)
{
    const uint32_t cases = (uint32_t)test_cases(30);
    char name[60];
    rng r = {(uint64_t)fabs(off * 1e18) + (uint64_t)(separation * 1e9)};
    feature_scene s = feature_scene_make(3, 6 * cases, 2 * cases, cases);
    s.separation = separation;
    for (uint32_t i = 0; i < cases;)
        i += (uint32_t)put_distant(&s, i, off, &r);
    snprintf(name, sizeof name, "%g, %+g", separation, off);
    const checking c = check_features_near_scene(name, &s);
    if (off == 1) /* the others change direction too much in the shortest intervals */
        EXPECT(!c.near && 50 * c.seen[1] < c.pairs, "%llu of %llu are undecided",
               (unsigned long long)c.seen[1], (unsigned long long)c.pairs);
    if (off < -1e-12)
        CU_ASSERT_EQUAL(c.near, c.pairs);
    feature_scene_free(&s);
}

static void test_features_near_distances(void)
{
    static const double offs[] = {0, 0x1p-52, -0x1p-52, 1e-11, -1e-11, 1};
    for (size_t i = 0; i < sizeof offs / sizeof *offs; i++)
        try_distant(i % 2 ? 0x1p-12 : 0.0625, offs[i]);
}

/* ---- random meshes */

static void test_features_near_meshes(void)
{
    static const uint32_t grids[] = {3, 6, 17, 0};
    static const double separations[] = {0.0625, 0.01};
    for (uint32_t n = 0; n < 8; n++) {
        rng r = {n};
        char name[60];
        feature_scene s = feature_scene_random(&r, 3 + n / 4, 24, grids[n % 4]);
        s.separation = separations[n % 2];
        snprintf(name, sizeof name, "%s, %u", s.corners == 3 ? "triangles" : "tetrahedra",
                 (unsigned)grids[n % 4]);
        const checking c = check_features_near_scene(name, &s);
        CU_ASSERT(c.near > 100);
        feature_scene_free(&s);
    }
}

/* Little memory: several pieces. */
static void test_features_near_pieces(void)
{
    rng r = {78};
    feature_answer want, got;
    const way host = way_host();
    feature_scene s = feature_scene_random(&r, 4, 60, 0);
    s.separation = 0.02;
    features_ask(&host, &s, &want);
    feature_answer_sort(&want);
    s.limit = (uint64_t)(want.n[0] + want.n[1]) * 24 + (96 << 10);
    features_ask_all(&s, &got);
    CU_ASSERT(feature_answers_equal(&want, &got));
    CU_ASSERT(want.n[0] > 100 && want.n[1] > 0);
    feature_answer_free(&want);
    feature_answer_free(&got);
    feature_scene_free(&s);
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"touches", test_features_near_touches},     {"flat", test_features_near_flat},
        {"distances", test_features_near_distances}, {"meshes", test_features_near_meshes},
        {"pieces", test_features_near_pieces},       {0}};
    return test_main(argc, argv, "features_near", tests);
}
