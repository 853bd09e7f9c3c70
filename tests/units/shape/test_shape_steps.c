/* The cost of successive queries for two slowly moving bodies: steps do not grow with the number of
 * faces, since the closest features stay near. Counted, not timed. */
#include "expect.h"
#include "shape_cases.h"

#include <math.h>
#include <string.h>

static mem store;

typedef struct film {
    double q[4], turn[4]; /* turn: from one query to the next */
    double at[3], by[3];
} film;

static void turn_more(film *f)
{
    const double *p = f->turn, q[4] = {f->q[0], f->q[1], f->q[2], f->q[3]};
    f->q[0] = p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3];
    f->q[1] = p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2];
    f->q[2] = p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1];
    f->q[3] = p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0];
    for (int k = 0; k < 3; k++)
        f->at[k] += f->by[k];
}

typedef struct cost {
    double steps, first, searched;
} cost;

static cost shape_steps_run(const body *a, const body *b, double angle, uint32_t queries)
{
    film f = {.q = {1, 0, 0, 0}, .at = {2.2, 0.3, 0.4}, .by = {0, angle / 3, -angle / 2}};
    memcpy(f.turn, (const double[]){1, angle * 0.3, angle * 0.2, angle * 0.35}, sizeof f.turn);
    const pose_map still = map_of((const double[]){1, 0.2, 0.3, 0.1}, (const double[]){0, 0, 0});
    shape_pair cache = {0};
    cost c = {0};
    for (uint32_t i = 0; i <= queries; i++) {
        shape_nearest n;
        const pose_map m = map_of(f.q, f.at);
        shape_distance(a->s, &still, b->s, &m, &cache, &n);
        EXPECT(n.distance > 0.01, "they meet: %g", n.distance);
        c.first = i ? c.first : (double)n.steps;
        c.steps += i ? (double)n.steps / queries : 0;
        c.searched += n.searched;
        turn_more(&f);
    }
    return c;
}

/* Bodies of about 10^2, 10^3, 10^4 and 10^5 triangles, no two of them coplanar. */
static const uint32_t rings[] = {6, 17, 51, 159};
#define SIZES (sizeof rings / sizeof *rings)

static cost run_rings(uint32_t n, double angle)
{
    body a = body_ball(n, (const double[]){1, 0.8, 0.6});
    body b = body_ball(n, (const double[]){0.7, 1, 0.9});
    CU_ASSERT(!body_make(&store, &a) && !body_make(&store, &b));
    CU_ASSERT(shape_is_convex(a.s) && shape_is_convex(b.s));
    const cost c = shape_steps_run(&a, &b, angle, 400);
    printf("  %u triangles: %.2f steps a query, %.0f of the first, %.0f searched\n", a.triangles,
           c.steps, c.first, c.searched);
    body_free(&store, &a);
    body_free(&store, &b);
    return c;
}

/* Motions by a thousandth of a radian and of the size: less than an edge of the finest body. */
static void test_shape_steps_flat(void)
{
    double least = INFINITY, most = 0, searched = 0;
    for (size_t i = 0; i < SIZES; i++) {
        const cost c = run_rings(rings[i], 1e-3);
        least = fmin(least, c.steps);
        most = fmax(most, c.steps);
        searched += c.searched;
        EXPECT(c.first < 200, "%.0f steps without a beginning", c.first);
    }
    EXPECT(most <= 1.5 * least, "from %.2f to %.2f steps a query", least, most);
    EXPECT(searched == 0, "%.0f searches", searched);
}

/* For rotations by several edges, the number of steps is about the number of these. */
static void test_fast(void)
{
    const cost slow = run_rings(159, 1e-3), fast = run_rings(159, 1e-1);
    EXPECT(fast.steps < 40 * slow.steps, "%.2f and %.2f steps a query", slow.steps, fast.steps);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"flat", test_shape_steps_flat}, {"fast", test_fast}, {0}};
    return test_main(argc, argv, "shape_steps", tests);
}
