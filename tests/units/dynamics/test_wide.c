/* k-wide bodies (kernels/README.md, tiles): theorem 1 of the paper, checked on the scenes of pcs.
 */
#include "expect.h"
#include "testlib.h"
#include "world.h"

#include <math.h>

static mem memory;

#define PI 3.14159265358979323846

static void wide_place(const pcs_body *b, const double x[3], double out[3])
{
    pose_map m = {.t = {b->centre[0], b->centre[1], b->centre[2]}};
    pose_matrix(b->rotation, m.r);
    pose_put(&m, x, out);
}

/* The bounding box of a body at its current pose. */
static void wide_box(const world *w, uint32_t body, double low[3], double high[3])
{
    const geom *g = w->geom[w->of[body]];
    for (int k = 0; k < 3; k++)
        low[k] = INFINITY, high[k] = -INFINITY;
    for (uint32_t i = 0; i < g->vertices; i++) {
        double x[3];
        wide_place(&w->body[body], g->point + (size_t)3 * i, x);
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], x[k]);
            high[k] = fmax(high[k], x[k]);
        }
    }
}

static double diameter(const geom *g)
{
    double most = 0;
    for (uint32_t i = 0; i < g->vertices; i++)
        for (uint32_t j = 0; j < i; j++) {
            const v3 d = v3_sub(geom_vertex(g, i), geom_vertex(g, j));
            most = fmax(most, v3_dot(d, d));
        }
    return sqrt(most);
}

static double width(const geom *g)
{
    const double d = diameter(g);
    return 4 * PI / 3 * d * d * d / g->volume;
}

/* ---- the width of one body, by Monte Carlo */

static int wide_is_inside(const geom *g, v3 x)
{
    for (uint32_t t = 0; t < g->triangles; t++)
        if (v3_dot(g->plane[t].n, x) > g->plane[t].d)
            return 0;
    return 1;
}

static v3 random_in(rng *r, v3 middle, double radius)
{
    v3 x;
    do {
        for (double *at = &x.x; at <= &x.z; at++)
            *at = radius * (2 * rng_unit(r) - 1);
    } while (v3_dot(x, x) > radius * radius);
    return v3_add(middle, x);
}

/* Returns whether the ball contains the whole body. */
static int wide_holds(const geom *g, v3 middle, double radius)
{
    for (uint32_t i = 0; i < g->vertices; i++) {
        const v3 d = v3_sub(geom_vertex(g, i), middle);
        if (v3_dot(d, d) > radius * radius)
            return 0;
    }
    return 1;
}

/* At least 1/k of a ball that does not contain the body is in it, up to sampling error. */
static void test_wide_width(void)
{
    enum { BALLS = 60, SAMPLES = 20000 };
    rng r = {11};
    geom *g = NULL;
    CU_ASSERT_EQUAL_FATAL(geom_box(&memory, v3_make(0.5, 0.3, 0.25), &g), IMP_OK);
    const double least = 1 / width(g), size = diameter(g);
    double found = 1;
    for (int i = 0; i < BALLS;) {
        const v3 middle =
            i < 20 ? geom_vertex(g, (uint32_t)i % 8) : random_in(&r, v3_make(0, 0, 0), size / 2);
        const double radius = size * (i % 3 ? rng_unit(&r) : 0.999);
        int inside = 0;
        i++;
        if (!wide_is_inside(g, v3_scale(middle, 1 - 1e-9)) || wide_holds(g, middle, radius))
            continue;
        for (int k = 0; k < SAMPLES; k++)
            inside += wide_is_inside(g, random_in(&r, middle, radius));
        const double part = (double)inside / SAMPLES, chance = 5 * sqrt(least / SAMPLES);
        EXPECT(part >= least - chance, "ball %d: %g of it, less than %g", i, part, least);
        found = fmin(found, part);
    }
    EXPECT(found < 1.3 * least, "the least part is %g, not about %g", found, least);
    geom_free(&memory, g);
}

/* ---- bodies of a scene */

static int meets(const double low[3], const double high[3], const double at[3], double edge)
{
    for (int k = 0; k < 3; k++)
        if (low[k] > at[k] + edge / 2 || high[k] < at[k] - edge / 2)
            return 0;
    return 1;
}

/* The greatest number of bodies' boxes that meet a cube with the smallest edge; cubes are placed at
 * bodies. A box may meet it although its body does not, so the number may be slightly too large. */
static uint32_t most_in_a_cube(const world *w, double edge)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < w->bodies; i++) {
        uint32_t count = 0;
        for (uint32_t j = 0; j < w->bodies; j++) {
            double low[3], high[3];
            wide_box(w, j, low, high);
            count += (uint32_t)meets(low, high, w->body[i].centre, edge);
        }
        most = count > most ? count : most;
    }
    return most;
}

static void check_wide_scene(const char *name, const world_request *ask)
{
    world w;
    double k = 0, edge = INFINITY;
    CU_ASSERT_EQUAL_FATAL(world_make(&memory, name, ask, &w), IMP_OK);
    for (uint32_t i = 0; i < w.bodies; i++) {
        double low[3], high[3];
        wide_box(&w, i, low, high);
        edge = fmin(edge, fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2])));
        k = fmax(k, width(w.geom[w.of[i]]));
    }
    const uint32_t most = most_in_a_cube(&w, edge);
    EXPECT(most > 0 && most <= 8 && most <= 48 * k / PI, "%s: %u bodies meet a cube, k = %g", name,
           most, k);
    world_free(&w);
}

static void test_wide_scenes(void)
{
    check_wide_scene("boxes", &(world_request){.bodies = 400, .ratio = 1});
    check_wide_scene("boxes", &(world_request){.bodies = 400, .ratio = 16, .seed = 2});
    check_wide_scene("dominoes", &(world_request){.push = 700});
    check_wide_scene("cradle", &(world_request){.bodies = 5});
    CU_ASSERT_EQUAL(atomic_load(&memory.now), 0);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"width", test_wide_width}, {"scenes", test_wide_scenes}, {0}};
    return test_main(argc, argv, "wide", tests);
}
