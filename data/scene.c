/* The list of scenes, and the functions that all scenes share. */
#include "scene_kind.h"

#include "error.h"
#include "bodies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct kind {
    scene_entry entry;
    int (*build)(scene *s);
    void (*move)(scene *s, uint64_t frame);
} kinds[] = {
#define X(symbol, name, text, corners, primitives, frames)                                         \
    {{name, text, corners, primitives, frames}, scene_##symbol##_build, scene_##symbol##_move},
#include "scene.def"
#undef X
};

#define KINDS (sizeof kinds / sizeof *kinds)

/* in the order of enum scene_settings */
static const struct setting {
    int (*build)(scene *s); /* identifies the scene kind */
    scene_setting entry;
} settings[] = {
#define X(...)
#define SETTING(symbol, name, value, least, most, whole, text)                                     \
    {scene_##symbol##_build, {#name, text, value, least, most, whole, NULL}},
#define WORDS(symbol, name, last, text, ...)                                                       \
    {scene_##symbol##_build,                                                                       \
     {#name, text, 0, 0, last, 1, (const char *const[]){__VA_ARGS__, NULL}}},
#include "scene.def"
#undef X
};

static const struct object_names {
    int (*build)(scene *s);
    const char *const *names;
} object_names[] = {
#define X(...)
#define OBJECTS(symbol, ...) {scene_##symbol##_build, (const char *const[]){__VA_ARGS__, NULL}},
#include "scene.def"
#undef X
};

int scene_at(size_t index, scene_entry *out)
{
    if (index >= KINDS)
        return 0;
    *out = kinds[index].entry;
    return 1;
}

static const struct kind *scene_find(const char *name)
{
    for (size_t i = 0; name && i < KINDS; i++)
        if (!strcmp(kinds[i].entry.name, name))
            return &kinds[i];
    return NULL;
}

int scene_name_of(const char *const *names, int32_t object, char *out, size_t size)
{
    *out = 0;
    for (int32_t i = 0; object >= 0 && names[i]; i++) {
        const char *mark = strchr(names[i], '#');
        if (mark)
            snprintf(out, size, "%.*s%d%s", (int)(mark - names[i]), names[i], object - i + 1,
                     mark + 1);
        else if (i == object)
            snprintf(out, size, "%s", names[i]);
        if (mark || i == object)
            return 1;
    }
    return 0;
}

static const char *const *scene_list_names(const struct kind *k)
{
    static const char *const none[] = {NULL};
    for (size_t i = 0; i < sizeof object_names / sizeof *object_names; i++)
        if (object_names[i].build == k->build)
            return object_names[i].names;
    return none;
}

int scene_object_name(const scene *s, int32_t object, char *out, size_t size)
{
    return scene_name_of(s->objects, object, out, size);
}

int scene_setting_at(const char *name, size_t index, scene_setting *out)
{
    const struct kind *k = scene_find(name);
    for (size_t i = 0; k && i < SCENE_SETTINGS; i++)
        if (settings[i].build == k->build && index-- == 0) {
            *out = settings[i].entry;
            return 1;
        }
    return 0;
}

static int set_one(scene *s, const struct kind *k, const scene_value *v)
{
    for (size_t i = 0; i < SCENE_SETTINGS; i++) {
        const scene_setting *e = &settings[i].entry;
        if (settings[i].build != k->build || strcmp(e->name, v->name) != 0)
            continue;
        if (!(v->value >= e->least && v->value <= e->most))
            return imp_fail(IMP_ERR_ARGUMENT, "scene %s: %s is %g, it must be from %g to %g",
                            s->def.name, v->name, v->value, e->least, e->most);
        if (e->whole && v->value != scene_floor(v->value))
            return imp_fail(IMP_ERR_ARGUMENT, "scene %s: %s is %g, no whole number", s->def.name,
                            v->name, v->value);
        s->setting[i] = v->value;
        return IMP_OK;
    }
    return imp_fail(IMP_ERR_ARGUMENT, "scene %s has no setting '%s'", s->def.name, v->name);
}

static int set_all(scene *s, const struct kind *k)
{
    int err = IMP_OK;
    for (size_t i = 0; i < SCENE_SETTINGS; i++)
        s->setting[i] = settings[i].entry.value;
    for (size_t i = 0; i < s->def.values; i++)
        TRY(set_one(s, k, &s->def.value[i]));
    s->def.value = NULL; /* points to the caller's memory */
    s->def.values = 0;
out:
    return err;
}

int scene_create(const scene_def *def, scene **out)
{
    int err = IMP_OK;
    scene *s = NULL;
    *out = NULL;
    const struct kind *k = scene_find(def->name);
    if (!k)
        FAIL(IMP_ERR_ARGUMENT, "there is no scene '%s'", def->name ? def->name : "");
    if (def->primitives > INT32_MAX)
        FAIL(IMP_ERR_ARGUMENT, "scene %s: %llu primitives are too many, the most is %ld", def->name,
             (unsigned long long)def->primitives, (long)INT32_MAX);
    s = calloc(1, sizeof *s);
    if (!s)
        FAIL(IMP_ERR_MEMORY, "out of memory: %zu bytes", sizeof *s);
    s->def = *def;
    s->def.name = k->entry.name;
    if (!s->def.primitives)
        s->def.primitives = k->entry.primitives;
    if (!s->def.frames)
        s->def.frames = k->entry.frames;
    s->move = k->move;
    s->objects = scene_list_names(k);
    s->seconds = SCENE_SECONDS;
    s->memory.limit = mem_machine();
    TRY(set_all(s, k));
    TRY(k->build(s));
    *out = s;
    s = NULL;
out:
    scene_destroy(s);
    return err;
}

void scene_destroy(scene *s)
{
    if (!s)
        return;
    for (int i = 0; i < s->blocks; i++)
        mem_free(&s->memory, s->block[i]);
    free(s);
}

const imp_mesh *scene_mesh(const scene *s)
{
    return &s->mesh[s->current];
}

uint64_t scene_frames(const scene *s)
{
    return s->def.frames;
}

const int64_t *scene_ids(const scene *s)
{
    return s->id;
}

int scene_next(scene *s, imp_frame *out, double *time)
{
    uint64_t frame = s->next;
    if (frame >= s->def.frames)
        return imp_fail(IMP_ERR_ARGUMENT, "scene %s: there are only %llu frames", s->def.name,
                        (unsigned long long)s->def.frames);
    s->move(s, frame);
    s->next++;
    *out = (imp_frame){.mesh = scene_mesh(s),
                       .point = s->point,
                       .type = IMP_FLOAT64,
                       .number = frame,
                       .pose = s->pose};
    *time = (double)frame * s->seconds;
    return IMP_OK;
}

/* ---- for the files that make scenes */

int scene_alloc(scene *s, uint64_t count, size_t size, void *out)
{
    int err = IMP_OK;
    void *p = NULL;
    if (s->blocks == SCENE_BLOCKS || count > SIZE_MAX / size ||
        mem_alloc(&s->memory, count * size, &p))
        FAIL(IMP_ERR_MEMORY, "scene %s: not enough memory for about %llu primitives", s->def.name,
             (unsigned long long)s->def.primitives);
    memset(p, 0, count * size);
    s->block[s->blocks++] = p;
out:
    memcpy(out, &p, sizeof p);
    return err;
}

static int scene_check_size(const scene *s, uint64_t vertices, uint64_t primitives)
{
    if (primitives > INT32_MAX || vertices > UINT32_MAX)
        return imp_fail(IMP_ERR_ARGUMENT,
                        "scene %s: %llu primitives are too many, they would need %llu vertices",
                        s->def.name, (unsigned long long)s->def.primitives,
                        (unsigned long long)vertices);
    return IMP_OK;
}

int scene_mesh_alloc(scene *s, uint64_t vertices, uint64_t triangles, int objects)
{
    int err = IMP_OK;
    TRY(scene_check_size(s, vertices, triangles));
    TRY(scene_alloc(s, 3 * triangles, sizeof *s->triangle, &s->triangle));
    TRY(scene_alloc(s, 3 * vertices, sizeof *s->point, &s->point));
    if (objects)
        TRY(scene_alloc(s, triangles, sizeof *s->object, &s->object));
    s->mesh[0] = (imp_mesh){(uint32_t)vertices, (uint32_t)triangles, s->triangle, s->object};
out:
    return err;
}

int scene_cells_alloc(scene *s, uint64_t vertices, uint64_t primitives, int mixed)
{
    int err = IMP_OK;
    TRY(scene_check_size(s, vertices, primitives));
    TRY(scene_alloc(s, IMP_TETRAHEDRA * primitives, sizeof *s->corner, &s->corner));
    TRY(scene_alloc(s, 3 * vertices, sizeof *s->point, &s->point));
    TRY(scene_alloc(s, primitives, sizeof *s->object, &s->object));
    if (mixed) {
        TRY(scene_alloc(s, primitives, sizeof *s->corner_count, &s->corner_count));
        TRY(scene_alloc(s, primitives, sizeof *s->id, &s->id));
    }
    s->mesh[0] = (imp_mesh){(uint32_t)vertices, (uint32_t)primitives, s->corner,
                            s->object,          IMP_TETRAHEDRA,       s->corner_count};
out:
    return err;
}

int scene_bodies_alloc(scene *s, uint32_t bodies)
{
    int err = IMP_OK;
    TRY(scene_alloc(s, bodies, sizeof *s->pose, &s->pose));
    TRY(scene_alloc(s, bodies, sizeof *s->body, &s->body));
    TRY(scene_alloc(s, (uint64_t)3 * s->mesh[0].vertices, sizeof *s->rest, &s->rest));
    for (uint32_t i = 0; i < bodies; i++)
        s->pose[i].rotation[0] = 1;
    s->mesh[0].bodies = bodies;
    s->mesh[0].body = s->body;
    s->mesh[0].rest = s->rest;
out:
    return err;
}

void scene_pose_points(scene *s, uint32_t body, uint64_t first, uint64_t last)
{
    const pose_map m = pose_map_of(&s->pose[body]);
    for (uint64_t v = first; v < last; v++)
        pose_put(&m, s->rest + 3 * v, s->point + 3 * v);
}

void scene_mesh_change(scene *s, uint64_t vertices, uint64_t primitives)
{
    imp_mesh m = s->mesh[s->current];
    m.vertices = (uint32_t)vertices;
    m.primitives = (uint32_t)primitives;
    s->current = !s->current;
    s->mesh[s->current] = m;
}
