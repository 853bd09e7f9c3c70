/* Whether a shape is inside another one, against solid angles in long double: for every kind of
 * nesting, and for positions in which a ray passes through edges and vertices. And which shapes
 * count as closed. */
#include "expect.h"
#include "shape_cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static mem store;

/* ---- the truth */

/* The winding number of a body around a point: the sum of the triangles' solid angles (van
 * Oosterom, Strackee 1983). */
static long true_winding(const body *b, const double at[3])
{
    long double sum = 0;
    for (uint32_t t = 0; t < b->triangles; t++) {
        long double v[3][3], l[3], dot[3];
        for (int i = 0; i < 3; i++) {
            const double *x = b->x + 3 * (size_t)b->corner[3 * (size_t)t + (size_t)i];
            for (int k = 0; k < 3; k++)
                v[i][k] = (long double)x[k] - at[k];
            l[i] = sqrtl(v[i][0] * v[i][0] + v[i][1] * v[i][1] + v[i][2] * v[i][2]);
        }
        for (int i = 0; i < 3; i++) {
            const long double *p = v[i], *q = v[(i + 1) % 3];
            dot[i] = p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
        }
        const long double volume = v[0][0] * (v[1][1] * v[2][2] - v[1][2] * v[2][1]) -
                                   v[0][1] * (v[1][0] * v[2][2] - v[1][2] * v[2][0]) +
                                   v[0][2] * (v[1][0] * v[2][1] - v[1][1] * v[2][0]);
        sum += atan2l(volume, l[0] * l[1] * l[2] + dot[0] * l[2] + dot[1] * l[0] + dot[2] * l[1]);
    }
    return lroundl(sum / (2 * acosl(-1)));
}

/* ---- bodies */

static void shape_nested_test_flip(body *b, uint32_t t)
{
    uint32_t *c = b->corner + 3 * (size_t)t, was = c[0];
    c[0] = c[1];
    c[1] = was;
}

static void flip_all(body *b)
{
    for (uint32_t t = 0; t < b->triangles; t++)
        shape_nested_test_flip(b, t);
}

/* A ball with an uneven surface: star-shaped, and hardly ever convex. */
static body shape_nested_test_uneven(rng *r, uint32_t rings)
{
    body b = body_ball(rings, (const double[]){1, 1, 1});
    for (uint32_t v = 0; v < b.vertices; v++) {
        const double factor = 0.6 + 0.4 * rng_unit(r);
        for (int k = 0; k < 3; k++)
            b.x[3 * (size_t)v + (size_t)k] *= factor;
    }
    return b;
}

static body shape_nested_test_joined(body a, body b)
{
    body both = body_join(&a, &b);
    body_free(NULL, &a);
    body_free(NULL, &b);
    return both;
}

static body moved(body b, double x, double y, double z)
{
    body_move(&b, (const double[]){x, y, z});
    return b;
}

static body shape_nested_test_make_box(double half)
{
    return body_box((const double[]){half, half, half});
}

/* A block with a room: the inner box has the opposite orientation. */
static body hollow(void)
{
    body inner = shape_nested_test_make_box(0.8);
    flip_all(&inner);
    return shape_nested_test_joined(shape_nested_test_make_box(1), inner);
}

/* Without its last triangle. */
static body shape_nested_test_opened(body b)
{
    b.triangles--;
    return b;
}

static pose_map put_at(double x, double y, double z)
{
    return map_of((const double[]){1, 0, 0, 0}, (const double[]){x, y, z});
}

/* ---- one pair, in both orders */

static int nested(const body *a, const pose_map *pa, const body *b, const pose_map *pb,
                  shape_nearest *n)
{
    shape_distance(a->s, pa, b->s, pb, &(shape_pair){0}, n);
    const shape_nearest was = *n;
    const int in = shape_nested(a->s, pa, b->s, pb, n);
    EXPECT(in ? n->distance == 0 && n->direction[0] == 0 : !memcmp(&was, n, sizeof was),
           "%d, but the distance is %g, was %g", in, n->distance, was.distance);
    return in;
}

/* Both points are the same vertex of the inner body. */
static void check_point(const body *inner, const pose_map *p, const shape_nearest *n, int side)
{
    EXPECT(n->kind[side] == SHAPE_VERTEX && n->kind[!side] == SHAPE_FACE, "kinds %d %d", n->kind[0],
           n->kind[1]);
    double x[3];
    for (int i = 0; i < 3; i++) {
        const double *v = inner->x + 3 * (size_t)n->feature[side];
        x[i] = p->r[i][0] * v[0] + p->r[i][1] * v[1] + p->r[i][2] * v[2] + p->t[i];
        EXPECT(fabs(n->point[0][i] - x[i]) < 1e-14 && n->point[1][i] == n->point[0][i],
               "it is at %g, not %g", n->point[0][i], x[i]);
    }
}

/* Frees both bodies. */
static void expect_nested(const char *what, int want, body outer, const pose_map *po, body inner,
                          const pose_map *pi)
{
    shape_nearest n;
    CU_ASSERT(!body_make(&store, &outer) && !body_make(&store, &inner));
    if (shape_is_convex(outer.s) && shape_is_convex(inner.s)) {
        body_free(&store, &outer); /* shape_distance handles these */
        body_free(&store, &inner);
        return;
    }
    int in = nested(&outer, po, &inner, pi, &n);
    EXPECT(in == want, "%s: %d", what, in);
    if (in)
        check_point(&inner, pi, &n, 1);
    in = nested(&inner, pi, &outer, po, &n);
    EXPECT(in == want, "%s, swapped: %d", what, in);
    if (in)
        check_point(&inner, pi, &n, 0);
    body_free(&store, &outer);
    body_free(&store, &inner);
}

/* ---- tests */

enum { BALL, UNEVEN, FLIPPED, PATCHED, KINDS };

/* A closed body of radius 0.6 or more: convex, concave, inside out, or with some flipped triangles.
 */
static body closed_body(rng *r, int kind)
{
    body b =
        kind == BALL ? body_ball(5, (const double[]){1, 1, 1}) : shape_nested_test_uneven(r, 5);
    if (kind == FLIPPED)
        flip_all(&b);
    for (uint32_t t = 0; kind == PATCHED && t < b.triangles; t++)
        if (rng_below(r, 2))
            shape_nested_test_flip(&b, t);
    return b;
}

/* An inner body within a radius of 0.2: closed as above, a sheet, a soup, or two parts. */
static body inner_body(rng *r, int kind)
{
    body b = kind < KINDS    ? closed_body(r, kind)
             : kind == KINDS ? body_sheet(r, 3)
             : kind == KINDS + 1
                 ? body_soup(r, 6)
                 : shape_nested_test_joined(moved(shape_nested_test_make_box(0.3), 0.6, 0, 0),
                                            moved(shape_nested_test_make_box(0.3), -0.6, 0, 0));
    double most = 0;
    for (size_t i = 0; i < 3 * (size_t)b.vertices; i++)
        most = fmax(most, fabs(b.x[i]));
    body_scale(&b, 0.11 / most);
    return b;
}

/* All nestings, in any pose; the same with the inner body outside. */
static void test_shape_nested_kinds(void)
{
    rng r = {5};
    for (uint64_t c = 0; c < test_cases(10); c++)
        for (int o = 0; o < KINDS; o++)
            for (int i = 0; i < KINDS + 3; i++) {
                char what[40];
                const pose_map at = random_map(&r, 3);
                pose_map in = random_map(&r, 0.15), out = random_map(&r, 0);
                snprintf(what, sizeof what, "kind %d in %d", i, o);
                for (int k = 0; k < 3; k++) {
                    in.t[k] += at.t[k];
                    out.t[k] = at.t[k] + (k ? 0 : 1.4);
                }
                expect_nested(what, 1, closed_body(&r, o), &at, inner_body(&r, i), &in);
                expect_nested("beside", 0, closed_body(&r, o), &at, inner_body(&r, i), &out);
                expect_nested("in an open one", 0,
                              shape_nested_test_opened(shape_nested_test_uneven(&r, 5)), &at,
                              inner_body(&r, i), &in);
            }
}

/* Random points in and about a body, by solid angles. */
static void test_places(void)
{
    rng r = {7};
    uint64_t in = 0, out = 0;
    for (uint64_t c = 0; c < test_cases(300); c++) {
        body b = shape_nested_test_joined(shape_nested_test_uneven(&r, 4),
                                          moved(shape_nested_test_uneven(&r, 3), 1.2, 0.3, 0)),
             p = shape_nested_test_make_box(1e-3);
        const pose_map at = put_at(0, 0, 0);
        shape_nearest n;
        if (c % 3 == 0)
            flip_all(&b);
        p = moved(p, 4 * rng_unit(&r) - 2, 2 * rng_unit(&r) - 1, 2 * rng_unit(&r) - 1);
        CU_ASSERT(!body_make(&store, &b) && !body_make(&store, &p));
        const int found = nested(&b, &at, &p, &at, &n);
        if (n.distance > 0 || found) {
            const int want = true_winding(&b, p.x) != 0;
            EXPECT(found == want, "case %d: %d, not %d", (int)c, found, want);
            in += (uint64_t)want;
            out += (uint64_t)!want;
        }
        body_free(&store, &b);
        body_free(&store, &p);
    }
    EXPECT(in > test_cases(300) / 10 && out > test_cases(300) / 10, "%d in, %d out", (int)in,
           (int)out);
}

/* Points on the lines of a grid, so that rays pass along edges and through vertices: each corner of
 * the inner box is on such a line in one of eight cases. */
static void check_aligned(int x, int y, int z)
{
    const pose_map at = put_at(0, 0, 0);
    const int in = abs(x) < 4 && abs(y) < 4 && abs(z) < 4;
    for (int corner = 0; corner < 8 && abs(x) != 4 && abs(y) != 4 && abs(z) != 4; corner++) {
        body outer = shape_nested_test_joined(body_grid_box(8),
                                              moved(shape_nested_test_make_box(0.25), 3, 0, 0));
        const double d[3] = {corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1};
        const pose_map p = put_at(0.25 * x + d[0] / 64, 0.25 * y + d[1] / 64, 0.25 * z + d[2] / 64);
        expect_nested("aligned", in, outer, &at, shape_nested_test_make_box(1.0 / 64), &p);
    }
}

static void test_shape_nested_aligned(void)
{
    for (int x = -6; x <= 6; x += 2)
        for (int y = -5; y <= 5; y++)
            for (int z = -5; z <= 5; z += 2)
                check_aligned(x, y, z);
}

/* A body in a hull, or in a room, is not inside the solid. */
static void test_rooms(void)
{
    const pose_map at = put_at(1, 2, 3);
    expect_nested("in a room", 0, hollow(), &at, shape_nested_test_make_box(0.5), &at);
    expect_nested("in the wall", 1, hollow(), &at,
                  moved(shape_nested_test_make_box(0.02), 0.9, 0, 0), &at);
    expect_nested("one part of two", 1, hollow(), &at,
                  shape_nested_test_joined(moved(shape_nested_test_make_box(0.02), 0.9, 0, 0),
                                           moved(shape_nested_test_make_box(0.1), 5, 0, 0)),
                  &at);
    expect_nested("the other part", 1, hollow(), &at,
                  shape_nested_test_joined(moved(shape_nested_test_make_box(0.1), 5, 0, 0),
                                           moved(shape_nested_test_make_box(0.02), 0, 0.9, 0)),
                  &at);
    expect_nested("between two", 0,
                  shape_nested_test_joined(moved(shape_nested_test_make_box(0.5), -1, 0, 0),
                                           moved(shape_nested_test_make_box(0.5), 1, 0, 0)),
                  &at, shape_nested_test_make_box(0.3), &at);
    expect_nested("where two overlap", 1,
                  shape_nested_test_joined(moved(shape_nested_test_make_box(0.6), -0.3, 0, 0),
                                           moved(shape_nested_test_make_box(0.5), 0.3, 0, 0)),
                  &at, shape_nested_test_make_box(0.1), &at);
    expect_nested("touching", 0, hollow(), &at, moved(shape_nested_test_make_box(0.1), 0.9, 0, 0),
                  &at);
}

static void expect_closed(const char *what, int want, body b)
{
    CU_ASSERT(!body_make(&store, &b));
    EXPECT(shape_is_closed(b.s) == want, "%s: closed %d", what, shape_is_closed(b.s));
    body_free(&store, &b);
}

static void test_closed(void)
{
    rng r = {11};
    expect_closed("a box", 1, shape_nested_test_make_box(1));
    expect_closed("a box of faces", 1, body_box_apart((const double[]){1, 2, 3}));
    expect_closed("a box without a triangle", 0,
                  shape_nested_test_opened(shape_nested_test_make_box(1)));
    expect_closed("a sheet", 0, body_sheet(&r, 3));
    expect_closed("a soup", 0, body_soup(&r, 7));
    expect_closed("a room", 1, hollow());
    expect_closed("a box and a sheet", 0,
                  shape_nested_test_joined(shape_nested_test_make_box(1), body_sheet(&r, 2)));
    expect_closed("with triangles that collapse", 1,
                  body_collapsed(shape_nested_test_uneven(&r, 3)));
    expect_closed("some turned", 1, closed_body(&r, PATCHED));
    body twice = shape_nested_test_make_box(1);
    twice.triangles = 1;
    memcpy(twice.corner + 3, twice.corner, 3 * sizeof *twice.corner);
    twice.triangles = 2;
    expect_closed("a triangle twice", 1, twice);
}

static void test_shape_nested_all_freed(void)
{
    EXPECT(atomic_load(&store.now) == 0, "%llu bytes are left",
           (unsigned long long)atomic_load(&store.now));
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"kinds", test_shape_nested_kinds},
                                 {"places", test_places},
                                 {"aligned", test_shape_nested_aligned},
                                 {"rooms", test_rooms},
                                 {"closed", test_closed},
                                 {"freed", test_shape_nested_all_freed},
                                 {0}};
    return test_main(argc, argv, "shape_nested", tests);
}
