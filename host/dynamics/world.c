/* See world.h: the list of scenes, and what they have in common. */
#include "world.h"

#include "error.h"
#include "scene.h"

#include <stdio.h>
#include <string.h>

#define BODY_NAMES(symbol, ...) static const char *const names_##symbol[] = {__VA_ARGS__, NULL};
#include "worlds.def"

static const struct scene_kind {
    world_entry entry;
    int (*build)(world *w, const world_request *request);
    const char *const *names; /* of bodies */
} scenes[] = {
#define WORLD(symbol, ...) {{__VA_ARGS__}, world_##symbol##_build, names_##symbol},
#include "worlds.def"
};

#define SCENES (sizeof scenes / sizeof *scenes)

int world_entry_at(size_t index, world_entry *out)
{
    if (index >= SCENES)
        return 0;
    *out = scenes[index].entry;
    return 1;
}

static const struct scene_kind *world_find_scene(const char *name)
{
    for (size_t i = 0; name && i < SCENES; i++)
        if (!strcmp(scenes[i].entry.name, name))
            return &scenes[i];
    return NULL;
}

int world_find(const char *name, world_entry *out)
{
    const struct scene_kind *k = world_find_scene(name);
    if (k)
        *out = k->entry;
    return k != NULL;
}

void world_body_name(const char *name, uint32_t body, char *out, size_t size)
{
    scene_name_of(world_find_scene(name)->names, (int32_t)body, out, size);
}

/* After the scene's own part: its bodies as one mesh. */
static int world_build_mesh(const struct scene_kind *k, const world_request *request, world *w)
{
    int err = IMP_OK;
    TRY(k->build(w, request));
    for (uint32_t i = 0; i < w->bodies; i++)
        w->object[i] = (int32_t)i;
    TRY(world_mesh(w));
out:
    return err;
}

int world_make(mem *m, const char *name, const world_request *request, world *out)
{
    int err = IMP_OK;
    const struct scene_kind *k = world_find_scene(name);
    world_request all = *request;
    *out = (world){.mem = m, .matter = {.mem = m}};
    if (!k)
        FAIL(IMP_ERR_ARGUMENT, "there is no scene '%s'", name ? name : "");
    const world_entry *e = &k->entry;
    snprintf(out->name, sizeof out->name, "%s", e->name);
    all.bodies = all.bodies ? all.bodies : e->bodies;
    all.ratio = all.ratio > 0 ? all.ratio : 1;
    if (all.bodies < e->bodies_least || all.bodies > INT32_MAX / 64)
        FAIL(IMP_ERR_ARGUMENT, "%s: %llu bodies; it takes %llu to %d", name,
             (unsigned long long)all.bodies, (unsigned long long)e->bodies_least, INT32_MAX / 64);
    TRY(world_build_mesh(k, &all, out));
out:
    if (err)
        world_free(out);
    return err;
}

void world_free(world *w)
{
    for (uint32_t i = 0; i < w->kinds; i++) {
        geom_free(w->mem, w->geom[i]);
        shape_free(w->mem, w->shape[i]);
    }
    if (w->mem) {
        void *arrays[] = {w->geom,  w->shape,   w->of,   w->body,   w->object,
                          w->cell0, w->vertex0, w->cell, w->vertex, w->point};
        for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
            mem_free(w->mem, arrays[i]);
    }
    matter_free(&w->matter);
    *w = (world){0};
}

/* ---- for those that make scenes */

static int alloc_zeros(mem *m, size_t bytes, void *out)
{
    int err = mem_alloc(m, bytes, out);
    if (!err)
        memset(*(void **)out, 0, bytes);
    return err;
}

int world_alloc(world *w, uint32_t kinds, uint32_t bodies)
{
    int err = IMP_OK;
    TRY(alloc_zeros(w->mem, kinds * sizeof *w->shape, &w->shape));
    TRY(alloc_zeros(w->mem, kinds * sizeof *w->geom, &w->geom));
    w->kinds = kinds; /* both are there: world_free may go through them */
    TRY(alloc_zeros(w->mem, bodies * sizeof *w->of, &w->of));
    TRY(alloc_zeros(w->mem, bodies * sizeof *w->body, &w->body));
    TRY(alloc_zeros(w->mem, bodies * sizeof *w->object, &w->object));
    TRY(alloc_zeros(w->mem, ((size_t)bodies + 1) * sizeof *w->cell0, &w->cell0));
    TRY(alloc_zeros(w->mem, ((size_t)bodies + 1) * sizeof *w->vertex0, &w->vertex0));
    w->bodies = bodies;
out:
    return err;
}

int world_set_shape(world *w, uint32_t kind, int err, geom *const *made)
{
    if (err)
        return err;
    geom *s = w->geom[kind] = *made;
    const shape_def def = {.points = s->point,
                           .vertices = s->vertices,
                           .corner = s->corner,
                           .triangles = s->triangles};
    err = shape_make(w->mem, &def, &w->shape[kind]);
    s->convex = !err && shape_is_convex(w->shape[kind]);
    return err;
}

void world_set_body(world *w, uint32_t body, uint32_t kind, v3 at, int fixed)
{
    const v3 centre = v3_sub(at, w->geom[kind]->moved);
    w->of[body] = kind;
    w->body[body] = (pcs_body){.shape = w->shape[kind],
                               .fixed = fixed,
                               .centre = {centre.x, centre.y, centre.z},
                               .rotation = {1, 0, 0, 0}};
}

int world_set_masses(world *w, double density)
{
    const world_entry e = world_find_scene(w->name)->entry;
    matter *m = &w->matter;
    int err = matter_make(m, w->bodies);
    if (err)
        return err;
    for (uint32_t i = 0; i < w->bodies; i++) {
        const geom *s = w->geom[w->of[i]];
        matter_body *b = &m->body[i];
        *b = (matter_body){.mass = density * s->volume,
                           .density = density,
                           .restitution = e.bounce,
                           .friction = e.friction,
                           .fixed = w->body[i].fixed};
        for (int k = 0; k < 6; k++)
            b->inertia[k] = s->inertia[k] * density;
    }
    m->gravity[2] = e.gravity > 0 ? -e.gravity : 0;
    m->slowest = e.bounce_least;
    m->step = e.step;
    m->epsilon = e.epsilon;
    m->seconds = e.seconds;
    snprintf(m->scene, sizeof m->scene, "%s", e.name);
    return IMP_OK;
}

int world_set_springs(world *w, const double spring[3])
{
    matter *m = &w->matter;
    int err = mem_alloc(w->mem, (size_t)3 * w->bodies * sizeof *m->home, &m->home);
    for (size_t i = 0; i < w->bodies && !err; i++)
        memcpy(m->home + 3 * i, w->body[i].centre, sizeof w->body[i].centre);
    memcpy(m->spring, spring, sizeof m->spring);
    return err;
}

int world_set_push(world *w, const matter_push *push)
{
    matter *m = &w->matter;
    int err = mem_alloc(w->mem, sizeof *m->push, &m->push);
    if (err)
        return err;
    m->push[0] = *push;
    m->pushes = 1;
    return IMP_OK;
}
