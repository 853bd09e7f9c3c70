/* The list of scenes, and what they have in common. */
#include "scene_kind.h"

#include "error.h"

#include <stdlib.h>
#include <string.h>

static const struct kind {
    scene_entry entry;
    int (*build)(scene *s);
    void (*move)(scene *s, uint64_t frame);
} kinds[] = {
#define X(symbol, name, text, primitives, frames)                                                  \
    {{name, text, primitives, frames}, scene_##symbol##_build, scene_##symbol##_move},
#include "scene.def"
#undef X
};

#define KINDS (sizeof kinds / sizeof *kinds)

int scene_at(size_t index, scene_entry *out)
{
    if (index >= KINDS)
        return 0;
    *out = kinds[index].entry;
    return 1;
}

static const struct kind *find(const char *name)
{
    for (size_t i = 0; name && i < KINDS; i++)
        if (!strcmp(kinds[i].entry.name, name))
            return &kinds[i];
    return NULL;
}

int scene_create(const scene_def *def, scene **out)
{
    int err = IMP_OK;
    scene *s = NULL;
    *out = NULL;
    const struct kind *k = find(def->name);
    if (!k)
        FAIL(IMP_ERR_ARGUMENT, "there is no scene '%s'", def->name ? def->name : "");
    if (def->primitives > INT32_MAX)
        FAIL(IMP_ERR_ARGUMENT, "scene %s: %llu triangles are too many, the most is %ld", def->name,
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
    s->memory.limit = mem_machine();
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
    return &s->mesh;
}

uint64_t scene_frames(const scene *s)
{
    return s->def.frames;
}

int scene_next(scene *s, imp_frame *out, double *time)
{
    uint64_t frame = s->next;
    if (frame >= s->def.frames)
        return imp_fail(IMP_ERR_ARGUMENT, "scene %s: there are only %llu frames", s->def.name,
                        (unsigned long long)s->def.frames);
    s->move(s, frame);
    s->next++;
    *out = (imp_frame){.mesh = &s->mesh, .point = s->point, .type = IMP_FLOAT64, .number = frame};
    *time = (double)frame * SCENE_SECONDS;
    return IMP_OK;
}

/* ---- for those that make scenes */

int scene_alloc(scene *s, uint64_t count, size_t size, void *out)
{
    int err = IMP_OK;
    void *p = NULL;
    if (s->blocks == SCENE_BLOCKS || count > SIZE_MAX / size ||
        mem_alloc(&s->memory, count * size, &p))
        FAIL(IMP_ERR_MEMORY, "scene %s: not enough memory for about %llu triangles", s->def.name,
             (unsigned long long)s->def.primitives);
    memset(p, 0, count * size);
    s->block[s->blocks++] = p;
out:
    memcpy(out, &p, sizeof p);
    return err;
}

int scene_mesh_alloc(scene *s, uint64_t vertices, uint64_t triangles, int objects)
{
    int err = IMP_OK;
    if (triangles > INT32_MAX || vertices > UINT32_MAX)
        FAIL(IMP_ERR_ARGUMENT,
             "scene %s: %llu triangles are too many, they would need %llu vertices", s->def.name,
             (unsigned long long)s->def.primitives, (unsigned long long)vertices);
    TRY(scene_alloc(s, 3 * triangles, sizeof *s->triangle, &s->triangle));
    TRY(scene_alloc(s, 3 * vertices, sizeof *s->point, &s->point));
    if (objects)
        TRY(scene_alloc(s, triangles, sizeof *s->object, &s->object));
    s->mesh = (imp_mesh){(uint32_t)vertices, (uint32_t)triangles, s->triangle, s->object};
out:
    return err;
}
