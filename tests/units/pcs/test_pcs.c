/* Frames of moving bodies: every contact, in the order in which it happens, and an end of every
 * frame. */
#include "expect.h"
#include "rigid.h"

#include <math.h>
#include <string.h>

#define EPSILON 1e-5

/* Two balls of 0.1 that meet head on, and a wall. */
static void test_two(void)
{
    rigid_world w = {.bounce = 1};
    rigid_add(&w, rigid_ball(&w.m, 0.1, 2), 1, -1, 0, 0)->velocity[0] = 3;
    rigid_add(&w, rigid_ball(&w.m, 0.1, 2), 1, 1, 0, 0)->velocity[0] = -1;
    rigid_open(&w, 1, EPSILON);
    const pcs_counts c = rigid_frame(&w, rigid_resolve);
    CU_ASSERT_EQUAL_FATAL(w.events, 1);
    EXPECT(fabs(w.event[0].time - 0.45) < EPSILON, "they meet at %.17g", w.event[0].time);
    EXPECT(fabs(w.body[0].velocity[0] + 1) < 1e-9, "velocity %g", w.body[0].velocity[0]);
    EXPECT(fabs(w.body[0].centre[0] - (-1 + 3 * 0.45 - 0.55)) < 1e-4, "at %g",
           w.body[0].centre[0]);
    CU_ASSERT_EQUAL(c.pairs, 1);
    CU_ASSERT_EQUAL(c.checks, 1);
    rigid_free(&w);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"two", test_two}, {0}};
    return test_main(argc, argv, "pcs", tests);
}
