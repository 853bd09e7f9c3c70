/* What measures swept queries: do two triangles meet between two frames? */
#include "exact.h"
#include "expect.h"
#include "pose.h"
#include "swept.h"
#include "truth_swept.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Two triangles, of an object each. */
typedef struct couple {
    imp_mesh mesh;
    uint32_t corner[6];
    int32_t object[2], body[2];
    double rest[18], point[2][18];
    imp_pose pose[2][2];
    imp_frame frame[2];
} couple;

static void couple_open(couple *c, int rigid)
{
    static const couple none = {.corner = {0, 1, 2, 3, 4, 5}, .object = {0, 1}, .body = {0, 1}};
    *c = none;
    c->mesh = (imp_mesh){.vertices = 6,
                         .primitives = 2,
                         .corner = c->corner,
                         .object = c->object,
                         .bodies = rigid ? 2 : 0,
                         .body = c->body,
                         .rest = c->rest};
    for (int f = 0; f < 2; f++)
        c->frame[f] =
            (imp_frame){.mesh = &c->mesh, .point = c->point[f], .pose = rigid ? c->pose[f] : NULL};
}

/* Where it is at an instant, by sines. */
static void couple_at(const couple *c, double t, exact_point out[2][3])
{
    for (int i = 0; i < 2; i++) {
        imp_pose p = {.centre = {0}};
        turned(c->pose[0][i].rotation, c->pose[1][i].rotation, t, p.rotation);
        for (int a = 0; a < 3; a++)
            p.centre[a] = (1 - t) * c->pose[0][i].centre[a] + t * c->pose[1][i].centre[a];
        const pose_map m = c->mesh.bodies ? pose_map_of(&p) : (pose_map){.t = {0}};
        for (int k = 0; k < 3; k++)
            for (int a = 0; a < 3 && !c->mesh.bodies; a++)
                out[i][k].x[a] =
                    (1 - t) * c->point[0][9 * i + 3 * k + a] + t * c->point[1][9 * i + 3 * k + a];
        for (int k = 0; k < 3 && c->mesh.bodies; k++)
            pose_put(&m, c->rest + 9 * i + 3 * k, out[i][k].x);
    }
}

static int couple_meets(const couple *c, double t)
{
    exact_point p[2][3];
    exact_contact out = {0};
    couple_at(c, t, p);
    exact_tri_tri(p[0], p[1], 0, NULL, &out);
    return out.kind != 0;
}

/* Random couples meet where one of many instants has them meeting, and hardly any others. */
static void test_random(void)
{
    rng r = {7};
    size_t counts[2] = {0}, seldom = 0;
    for (int i = 0; i < (TEST_SLOW ? 40 : 400); i++) {
        couple c;
        int seen = 0;
        couple_open(&c, i % 2);
        for (int x = 0; x < 18; x++) {
            c.rest[x] = rng_unit(&r) - 0.5;
            c.point[0][x] = rng_unit(&r) + (x < 9 ? 0.6 : 0);
            c.point[1][x] = rng_unit(&r) - (x < 9 ? 0.2 : 0);
        }
        for (int k = 0; k < 4; k++) {
            double length[2] = {0};
            for (int a = 0; a < 4; a++) {
                c.pose[k % 2][k / 2].rotation[a] = rng_unit(&r) - 0.5;
                length[0] += c.pose[k % 2][k / 2].rotation[a] * c.pose[k % 2][k / 2].rotation[a];
            }
            for (int a = 0; a < 4; a++)
                c.pose[k % 2][k / 2].rotation[a] /= sqrt(length[0]);
            for (int a = 0; a < 3; a++)
                c.pose[k % 2][k / 2].centre[a] = 2 * rng_unit(&r);
        }
        for (int t = 0; t <= 2000 && !seen; t++)
            seen = couple_meets(&c, t / 2000.0);
        const int truth = truth_swept(c.frame, c.frame + 1, 0, 1);
        counts[truth]++;
        EXPECT(truth || !seen, "couple %d meets, and is said not to", i);
        seldom += (size_t)(truth && !seen);
    }
    EXPECT(counts[0] > 10 && counts[1] > 10 && seldom * 20 <= counts[1],
           "%zu apart, %zu meet, of which %zu at no instant", counts[0], counts[1], seldom);
}

/* A small triangle goes through a plate, within a thousandth of the step, or beside it. */
static void test_through(void)
{
    static const double plate[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    rng r = {8};
    for (int i = 0; i < 200; i++) {
        couple c;
        const double x = 1.4 * rng_unit(&r) - 0.2, y = 1.4 * rng_unit(&r) - 0.2;
        const int within = x > 0 && y > 0 && x + y < 1;
        couple_open(&c, i % 2);
        for (int k = 0; k < 9; k++) {
            c.rest[k] = c.point[0][k] = c.point[1][k] = plate[k];
            c.rest[9 + k] = 1e-7 * plate[k];
        }
        for (int f = 0; f < 2; f++) {
            const double at[3] = {x, y, f ? -700 : 300};
            for (int b = 0; b < 2; b++)
                c.pose[f][b].rotation[0] = 1;
            memcpy(c.pose[f][1].centre, at, sizeof at);
            for (int k = 0; k < 9; k++)
                c.point[f][9 + k] = c.rest[9 + k] + at[k % 3];
        }
        EXPECT(truth_swept(c.frame, c.frame + 1, 0, 1) == within, "at %g, %g: %s", x, y,
               within ? "missed" : "said to meet");
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"random", test_random}, {"through", test_through}, {0}};
    return test_main(argc, argv, "truth_swept", tests);
}
