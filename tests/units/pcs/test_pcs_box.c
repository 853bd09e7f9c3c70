/* The trajectory box contains everything that a body sweeps: at sampled instants, and, by
 * enclosures of each point's trajectory, at all instants. And it is not much larger than necessary.
 */
#include "expect.h"
#include "motion_long.h"
#include "rigid.h"

#include <math.h>
#include <string.h>

typedef struct swept {
    pcs_motion m;
    double from, to, box[6];
    double reach; /* magnitude of coordinates, for the rounding of long double */
} swept;

/* Every third body has more vertices than are followed one by one. */
static shape *pcs_box_test_body(mem *m, uint64_t i, rng *r)
{
    return i % 3 == 0   ? rigid_ball(m, 0.1 + rng_unit(r), 2)
           : i % 3 == 1 ? rigid_box(m, rng_unit(r), 0.01, 0.3 * rng_unit(r))
                        : rigid_random(m, r, 1);
}

static void swept_make(swept *s, mem *m, uint64_t i, double angle, rng *r)
{
    pcs_motion_shape(&s->m, pcs_box_test_body(m, i, r));
    s->m.at = motion_random(r, i % 4 ? 1 : 1e6, i % 5 ? 3 : 0, angle);
    pcs_motion_speed(&s->m);
    s->from = s->m.at.time + (i % 2 ? 0 : rng_unit(r));
    s->to = s->from + (i % 7 ? rng_unit(r) : 1e-6);
    pcs_box(&s->m, s->from, s->to, 0, s->box);
    s->reach = s->m.radius + 20 * pose_length(s->m.at.velocity) + pose_length(s->m.at.centre);
}

static void swept_free(mem *m, swept *s)
{
    shape_free(m, (shape *)(uintptr_t)s->m.shape);
}

/* The distance by which a point is outside at an instant. */
static long double outside(const swept *s, long double time)
{
    long double most = -INFINITY, x[3];
    for (uint32_t i = 0; i < s->m.vertices; i++) {
        motion_long(&s->m.at, time, s->m.points + 3 * (size_t)i, x, NULL);
        for (int k = 0; k < 3; k++) {
            most = fmaxl(most, s->box[k] - x[k]);
            most = fmaxl(most, x[k] - s->box[3 + k]);
        }
    }
    return most;
}

/* Spinning bodies at many instants: in the soak more than a thousand bodies at ten thousand
 * instants each. */
static void test_pcs_box_instants(void)
{
    rng r = {1};
    mem m = {0};
    const int instants = test_count(1) > 1 ? 10000 : 100;
    for (uint64_t i = 0; i < test_cases(300); i++) {
        swept s;
        swept_make(&s, &m, i, i % 2 ? 20 : 2, &r);
        for (int k = 0; k <= instants; k++) {
            const long double time = s.from + (s.to - (long double)s.from) * k / instants;
            EXPECT(outside(&s, time) <= 0, "%g outside", (double)outside(&s, time));
        }
        swept_free(&m, &s);
    }
    mem_close(&m);
}

/* ---- at all instants */

/* One point along one axis, upward or downward. */
typedef struct course {
    const swept *s;
    const double *p;
    int axis, sign;
    long double bend; /* at least its acceleration */
} course;

/* Whether it stays inside from one time to another. By an enclosure: its position and speed in the
 * middle, and its acceleration. If that is not enough, by halving. */
static int stays(const course *c, long double from, long double to, int depth)
{
    long double x[3], v[3];
    const long double middle = from + (to - from) / 2, half = (to - from) / 2 * (1 + 0x1p-60L);
    motion_long(&c->s->m.at, middle, c->p, x, v);
    const long double place = c->sign * x[c->axis];
    const long double limit = c->sign * (long double)c->s->box[c->sign > 0 ? 3 + c->axis : c->axis];
    const long double slack = c->s->reach * 0x1p-56L; /* more than rounding errors here */
    if (place + fabsl(v[c->axis]) * half + c->bend * half * half / 2 + slack <= limit)
        return 1;
    if (!depth || place - slack > limit)
        return 0;
    return stays(c, from, middle, depth - 1) && stays(c, middle, to, depth - 1);
}

static void test_always(void)
{
    rng r = {2};
    mem m = {0};
    for (uint64_t i = 0; i < test_cases(60); i++) {
        swept s;
        swept_make(&s, &m, i, i % 2 ? 12 : 2, &r);
        const long double w = (long double)pose_length(s.m.at.spin);
        for (uint32_t k = 0; k < 6 * s.m.vertices; k++) {
            const course c = {&s, s.m.points + 3 * (size_t)(k / 6), (int)(k % 3),
                              k % 6 < 3 ? 1 : -1, w * w * s.m.radius * (1 + 0x1p-40L)};
            EXPECT(stays(&c, s.from, s.to, 40), "body %d, point %u: it leaves", (int)i, k / 6);
        }
        swept_free(&m, &s);
    }
    mem_close(&m);
}

/* ---- tightness */

/* Between the box seen at many instants and that of the ball. */
static void test_pcs_box_tight(void)
{
    rng r = {3};
    mem m = {0};
    for (uint64_t i = 0; i < test_cases(100); i++) {
        swept s;
        const double angle = i % 2 ? 0 : 3;
        swept_make(&s, &m, 1 + 3 * i, angle, &r); /* boxes */
        long double seen[6] = {INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY};
        for (uint32_t k = 0; k < 101 * s.m.vertices; k++) {
            long double x[3];
            motion_long(&s.m.at, s.from + (s.to - (long double)s.from) * (k % 101) / 100,
                        s.m.points + 3 * (size_t)(k / 101), x, NULL);
            for (int a = 0; a < 3; a++) {
                seen[a] = fminl(seen[a], x[a]);
                seen[3 + a] = fmaxl(seen[3 + a], x[a]);
            }
        }
        const double most = s.m.radius * (spin_angle(&s.m.at, 1) > 0 ? 0.02 : 0) + s.reach * 1e-11;
        for (int a = 0; a < 6; a++)
            EXPECT(fabsl(s.box[a] - seen[a]) <= most, "side %d is %g too far", a,
                   (double)fabsl(s.box[a] - seen[a]));
        swept_free(&m, &s);
    }
    mem_close(&m);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"instants", test_pcs_box_instants},
                                 {"always", test_always},
                                 {"tight", test_pcs_box_tight},
                                 {0}};
    return test_main(argc, argv, "pcs_box", tests);
}
