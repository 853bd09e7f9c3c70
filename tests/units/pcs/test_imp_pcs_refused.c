/* Steps of impinge_pcs.h that end early, by hooks or when cancelled, and refused input: an error
 * with a text, and nothing changes. */
#include "expect.h"
#include "pcs_world.h"
#include "testlib.h"

#include <string.h>

/* ---- ends of steps */

/* A step with these hooks ends with `result` and changes nothing; the next step equals a first one.
 */
static void imp_pcs_test_ends_with(world *w, const imp_pcs_hooks *hooks, int result,
                                   const char *text)
{
    imp_pose start[2];
    imp_pcs_info info;
    memcpy(start, w->pose, sizeof start);
    const int err = imp_pcs_step(w->p, w->pose, 1, hooks, &info);
    EXPECT(err == result && strstr(imp_error_text(), text), "%d: %s", err, imp_error_text());
    CU_ASSERT(!memcmp(start, w->pose, sizeof start));
    w->answer = world_exchange;
    world_step(w, 1);
    CU_ASSERT(w->contacts == 1 && w->pose[0].velocity[0] == -1 && w->pose[1].velocity[0] == 3);
    memcpy(w->pose, start, sizeof start);
}

static int imp_pcs_test_fail(world *w, imp_pose *pose, const imp_pcs_contact *c, uint8_t *changed)
{
    world_exchange(w, pose, c, changed);
    return w->result == 8 ? imp_set_error(8, "enough") : w->result;
}

static int imp_pcs_test_poison(world *w, imp_pose *pose, const imp_pcs_contact *c, uint8_t *changed)
{
    (void)w;
    pose[c->a].spin[1] = NAN;
    changed[c->a] = 1;
    return 0;
}

static int no_forces(void *user, imp_pose *pose, double seconds)
{
    (void)seconds;
    pose->velocity[0] = 0;
    return ((const world *)user)->result;
}

static int imp_pcs_test_stop(world *w, imp_pose *pose, const imp_pcs_contact *c, uint8_t *changed)
{
    imp_pcs_cancel(w->p);
    return world_exchange(w, pose, c, changed);
}

static void test_hook_errors(void)
{
    double point[24];
    world *w = world_box_pair(point);
    const imp_pcs_hooks contacts = {.user = w, .contact = world_hook};
    const imp_pcs_hooks forces = {.user = w, .forces = no_forces, .contact = world_hook};
    w->answer = imp_pcs_test_fail;
    w->result = 7;
    imp_pcs_test_ends_with(w, &contacts, 7, "the hook `contact` ended the step with 7");
    w->answer = imp_pcs_test_fail;
    w->result = 8;
    imp_pcs_test_ends_with(w, &contacts, 8, "enough");
    w->result = -3;
    imp_pcs_test_ends_with(w, &forces, -3, "the hook `forces` ended the step with -3");
    w->answer = imp_pcs_test_poison;
    imp_pcs_test_ends_with(w, &contacts, IMP_ERR_ARGUMENT, "body 0: a velocity is not finite");
    world_done(w);
}

static void test_imp_pcs_cancel(void)
{
    double point[24];
    world *w = world_box_pair(point);
    const imp_pcs_hooks hooks = {.user = w, .contact = world_hook};
    w->answer = imp_pcs_test_stop;
    imp_pcs_test_ends_with(w, &hooks, IMP_ERR_CANCELLED, "cancelled");
    imp_pcs_cancel(w->p); /* cancels the next step, in which no hook is called */
    const imp_pcs_hooks never = {.user = w, .forces = no_forces};
    w->result = 7;
    imp_pcs_test_ends_with(w, &never, IMP_ERR_CANCELLED, "cancelled");
    imp_pcs_cancel(NULL);
    world_done(w);
}

/* ---- refused input */

static void imp_pcs_test_expect_refused(const imp_pcs_def *def, int code, const char *text)
{
    imp_pcs *p = (imp_pcs *)(uintptr_t)1;
    const int err = imp_pcs_create(def, &p);
    EXPECT(err == code && !p && strstr(imp_error_text(), text), "%d: %s, not %s", err,
           imp_error_text(), text);
    if (!err)
        imp_pcs_destroy(p);
}

static void refused_mesh(const imp_pcs_mesh *mesh, const char *text)
{
    const imp_pcs_body body = {.mesh = 0};
    const imp_pcs_mesh *m = mesh;
    imp_pcs_test_expect_refused(
        &(imp_pcs_def){.mesh = m, .meshes = 1, .bodies = 1, .body = &body, .epsilon = 1},
        IMP_ERR_ARGUMENT, text);
}

static void test_bad_meshes(void)
{
    double point[24], bad[24];
    uint32_t corner[36];
    const imp_pcs_mesh good = world_box(1, 1, 1, point);
    imp_pcs_mesh m = good;
    m.triangles = 0;
    refused_mesh(&m, "mesh 0 has 0 triangles");
    m.triangles = UINT32_MAX;
    refused_mesh(&m, "mesh 0 has 4294967295 triangles");
    m = good;
    m.corner = NULL;
    refused_mesh(&m, "mesh 0: corner is NULL");
    m = good;
    m.point = NULL;
    refused_mesh(&m, "mesh 0: point is NULL");
    m.vertices = 0;
    refused_mesh(&m, "mesh 0: corner 0 of triangle 0 is vertex 0, but there are 0");
    m = good;
    memcpy(corner, world_box_corner, sizeof corner);
    corner[3 * 5 + 2] = 8;
    m.corner = corner;
    refused_mesh(&m, "mesh 0: corner 2 of triangle 5 is vertex 8, but there are 8");
    static const double wrong[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        m = good;
        memcpy(bad, point, sizeof bad);
        bad[3 * 4 + 1] = wrong[i];
        m.point = bad;
        refused_mesh(&m, "mesh 0: a coordinate of vertex 4 is not finite");
    }
}

static void test_bad_defs(void)
{
    double point[24];
    const imp_pcs_mesh mesh = world_box(1, 1, 1, point);
    const imp_pcs_body body[2] = {{.mesh = 0}, {.mesh = 1}};
    const imp_pcs_def good = {
        .mesh = &mesh, .meshes = 1, .bodies = 1, .body = body, .epsilon = EPSILON};
    static const double epsilons[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        imp_pcs_def d = good;
        d.epsilon = epsilons[i];
        imp_pcs_test_expect_refused(&d, IMP_ERR_ARGUMENT, "epsilon is ");
    }
    imp_pcs_def d = good;
    d.bodies = 2;
    imp_pcs_test_expect_refused(&d, IMP_ERR_ARGUMENT, "body 1 has mesh 1, but there are 1");
    d = good;
    d.body = NULL;
    imp_pcs_test_expect_refused(&d, IMP_ERR_ARGUMENT, "body is NULL");
    d = good;
    d.mesh = NULL;
    imp_pcs_test_expect_refused(&d, IMP_ERR_ARGUMENT, "mesh is NULL");
    d = good;
    d.threads = -1;
    imp_pcs_test_expect_refused(&d, IMP_ERR_ARGUMENT, "-1 threads");
    d = good;
    d.device = "no such device";
    imp_pcs_test_expect_refused(&d, IMP_ERR_DEVICE, "no such device");
    d = good;
    d.mem_limit = 100;
    imp_pcs_test_expect_refused(&d, IMP_ERR_MEMORY, "");
    imp_pcs_test_expect_refused(NULL, IMP_ERR_ARGUMENT, "def is NULL");
    CU_ASSERT(imp_pcs_create(&good, NULL) == IMP_ERR_ARGUMENT);
    imp_pcs_destroy(NULL);
    CU_ASSERT_STRING_EQUAL(imp_pcs_device_name(NULL), "");
}

/* Pose 0 or the step is invalid; `text`: part of the message. */
static void refused_step(world *w, double seconds, const char *text)
{
    const int err = imp_pcs_step(w->p, w->pose, seconds, NULL, NULL);
    EXPECT(err == IMP_ERR_ARGUMENT && strstr(imp_error_text(), text), "%d: %s, not %s", err,
           imp_error_text(), text);
}

static void test_bad_steps(void)
{
    double point[24];
    world *w = world_box_pair(point);
    const imp_pose good = w->pose[0];
    static const double lengths[] = {0, -0.1, NAN, INFINITY};
    for (int i = 0; i < 4; i++)
        refused_step(w, lengths[i], "step of a frame is ");
    double *const numbers[] = {&w->pose->centre[1], &w->pose->rotation[2], &w->pose->velocity[0],
                               &w->pose->spin[2]};
    for (int i = 0; i < 8; i++) {
        *numbers[i / 2] = i % 2 ? NAN : INFINITY;
        refused_step(w, 1, "body 0: ");
        w->pose[0] = good;
    }
    w->pose->rotation[0] = 1.001;
    refused_step(w, 1, "body 0: ");
    w->pose[0] = (imp_pose){{0}};
    refused_step(w, 1, "body 0: "); /* a rotation of length 0 */
    w->pose[0] = good;
    w->pose->velocity[0] = 1e308;
    refused_step(w, 10, "body 0 goes beyond the range of float64");
    w->pose[0] = good;
    w->pose->spin[0] = 1e10;
    refused_step(w, 1, "body 0 turns by more than 2^30 radians");
    w->pose[0] = good;
    CU_ASSERT(imp_pcs_step(w->p, NULL, 1, NULL, NULL) == IMP_ERR_ARGUMENT);
    CU_ASSERT(imp_pcs_step(NULL, w->pose, 1, NULL, NULL) == IMP_ERR_ARGUMENT);
    CU_ASSERT(imp_pcs_advance(NULL, 0) == IMP_ERR_ARGUMENT);
    world_step(w, 1); /* as if no step had been refused */
    CU_ASSERT_EQUAL(w->contacts, 1);
    world_done(w);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"hook_errors", test_hook_errors}, {"cancel", test_imp_pcs_cancel},
                                 {"bad_meshes", test_bad_meshes},   {"bad_defs", test_bad_defs},
                                 {"bad_steps", test_bad_steps},     {0}};
    return test_main(argc, argv, "imp_pcs_refused", tests);
}
