/* See pcs_world.h. */
#include "pcs_world.h"

#include "expect.h"
#include "testlib.h"

#include <stdlib.h>

const uint32_t world_box_corner[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                       2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

imp_pcs_mesh world_box(double x, double y, double z, double point[24])
{
    for (int i = 0; i < 8; i++) {
        point[3 * i] = i & 1 ? x : -x;
        point[3 * i + 1] = i & 2 ? y : -y;
        point[3 * i + 2] = i & 4 ? z : -z;
    }
    return (imp_pcs_mesh){
        .vertices = 8, .triangles = 12, .point = point, .corner = world_box_corner};
}

imp_pose *world_add(world *w, uint32_t mesh, int fixed, double x, double y, double z)
{
    w->body[w->bodies] = (imp_pcs_body){.mesh = mesh, .fixed = fixed};
    w->pose[w->bodies] = (imp_pose){.centre = {x, y, z}, .rotation = {1, 0, 0, 0}};
    return &w->pose[w->bodies++];
}

imp_pcs_def world_def(const world *w)
{
    return (imp_pcs_def){.mesh = w->mesh,
                         .meshes = w->meshes,
                         .bodies = w->bodies,
                         .body = w->body,
                         .epsilon = EPSILON,
                         .threads = 1};
}

void world_create(world *w)
{
    const imp_pcs_def def = world_def(w);
    const int err = imp_pcs_create(&def, &w->p);
    EXPECT(!err, "%s", imp_error_text());
    CU_ASSERT_FATAL(!err);
}

int world_hook(void *user, imp_pose *pose, const imp_pcs_contact *c, uint8_t *changed)
{
    world *w = user;
    if (w->contacts < 1000)
        w->contact[w->contacts++] = *c;
    return w->answer ? w->answer(w, pose, c, changed) : 0;
}

imp_pcs_info world_step(world *w, double seconds)
{
    imp_pcs_info info;
    const imp_pcs_hooks hooks = {.user = w, .contact = world_hook};
    w->contacts = 0;
    const int err = imp_pcs_step(w->p, w->pose, seconds, &hooks, &info);
    EXPECT(!err, "%s", imp_error_text());
    EXPECT(info.contacts == w->contacts, "%zu contacts", w->contacts);
    return info;
}

void world_done(world *w)
{
    imp_pcs_destroy(w->p);
    free(w);
}

world *world_begin(void)
{
    world *w = calloc(1, sizeof *w);
    CU_ASSERT_FATAL(w != NULL);
    return w;
}

int world_exchange(world *w, imp_pose *pose, const imp_pcs_contact *c, uint8_t *changed)
{
    (void)w;
    const double a = pose[c->a].velocity[0], b = pose[c->b].velocity[0];
    if (!((a - b) * c->normal[0] > 0))
        return 0;
    pose[c->a].velocity[0] = b;
    pose[c->b].velocity[0] = a;
    changed[c->a] = changed[c->b] = 1;
    return 0;
}

world *world_box_pair(double point[24])
{
    world *w = world_begin();
    w->mesh[w->meshes++] = world_box(0.1, 0.1, 0.1, point);
    w->answer = world_exchange;
    world_add(w, 0, 0, -1, 0, 0)->velocity[0] = 3;
    world_add(w, 0, 0, 1, 0, 0)->velocity[0] = -1;
    world_create(w);
    return w;
}
