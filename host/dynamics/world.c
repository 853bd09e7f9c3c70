/* See world.h: the list of scenes, and what they have in common. */
#include "world.h"

#include "error.h"
#include "scene.h"

#include <string.h>

#define BODY_NAMES(symbol, ...) static const char *const names_##symbol[] = {__VA_ARGS__, NULL};
#include "worlds.def"

static const struct scene_kind {
    world_entry entry;
    int (*build)(world *w, const world_ask *ask);
    const char *const *names; /* of bodies */
} scenes[] = {
#define WORLD(symbol, ...) {{__VA_ARGS__}, world_##symbol##_build, names_##symbol},
#include "worlds.def"
};

#define SCENES (sizeof scenes / sizeof *scenes)

int world_at(size_t index, world_entry *out)
{
    if (index >= SCENES)
        return 0;
    *out = scenes[index].entry;
    return 1;
}

static const struct scene_kind *find(const char *name)
{
    for (size_t i = 0; name && i < SCENES; i++)
        if (!strcmp(scenes[i].entry.name, name))
            return &scenes[i];
    return NULL;
}

int world_find(const char *name, world_entry *out)
{
    const struct scene_kind *k = find(name);
    if (k)
        *out = k->entry;
    return k != NULL;
}

void world_body_name(const world *w, uint32_t body, char *out, size_t size)
{
    scene_name_of(find(w->entry.name)->names, (int32_t)body, out, size);
}

int world_make(mem *m, const char *name, const world_ask *ask, world *out)
{
    int err = IMP_OK;
    const struct scene_kind *k = find(name);
    world_ask all = *ask;
    *out = (world){.mem = m};
    if (!k)
        FAIL(IMP_ERR_ARGUMENT, "there is no scene '%s'", name ? name : "");
    out->entry = k->entry;
    all.bodies = all.bodies ? all.bodies : k->entry.bodies;
    all.ratio = all.ratio > 0 ? all.ratio : 1;
    if (all.bodies < k->entry.bodies_least || all.bodies > INT32_MAX / 64)
        FAIL(IMP_ERR_ARGUMENT, "%s: %llu bodies; it takes %llu to %d", name,
             (unsigned long long)all.bodies, (unsigned long long)k->entry.bodies_least,
             INT32_MAX / 64);
    TRY(k->build(out, &all));
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
        mem_free(w->mem, w->geom);
        mem_free(w->mem, w->shape);
        mem_free(w->mem, w->of);
        mem_free(w->mem, w->body);
        mem_free(w->mem, w->home);
    }
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
    TRY(alloc_zeros(w->mem, bodies * sizeof *w->home, &w->home));
    w->bodies = bodies;
    w->density = 1000;
out:
    return err;
}

int world_shape(world *w, uint32_t kind, int err, geom *const *made)
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

void world_place(world *w, uint32_t body, uint32_t kind, v3 at, int fixed)
{
    const v3 centre = v3_sub(at, w->geom[kind]->moved);
    w->of[body] = kind;
    w->home[body] = centre.x;
    w->body[body] = (pcs_body){.shape = w->shape[kind],
                               .fixed = fixed,
                               .centre = {centre.x, centre.y, centre.z},
                               .rotation = {1, 0, 0, 0}};
}
