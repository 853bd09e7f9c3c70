/* See touching.h. */
#include "touching.h"

#include "error.h"

#include <string.h>

int touching_open(touching *t, uint32_t bodies)
{
    int err = mem_alloc(t->mem, bodies * sizeof *t->first, &t->first);
    for (uint32_t i = 0; !err && i < bodies; i++)
        t->first[i] = TOUCHING_NONE;
    return err;
}

void touching_close(touching *t)
{
    if (t->mem) {
        mem_free(t->mem, t->first);
        mem_free(t->mem, t->pair);
    }
    *t = (touching){0};
}

static void touching_insert(touching *t, uint32_t number)
{
    touching_pair *p = &t->pair[number];
    for (int i = 0; i < 2; i++)
        if (p->listed[i]) {
            p->next[i] = t->first[p->body[i]];
            t->first[p->body[i]] = number;
        }
}

void touching_begin(touching *t)
{
    size_t count = 0;
    for (size_t i = 0; i < t->count; i++)
        for (int k = 0; k < 2; k++)
            t->first[t->pair[i].body[k]] = TOUCHING_NONE;
    for (size_t i = 0; i < t->count; i++) {
        if (t->pair[i].frame != t->frame)
            continue;
        t->pair[count] = t->pair[i];
        touching_insert(t, (uint32_t)count++);
    }
    t->count = count;
    t->frame++;
}

int touching_add(touching *t, uint32_t a, uint32_t b, const int listed[2], v3 normal,
                 uint32_t *pair)
{
    int err = IMP_OK;
    const uint32_t from = listed[0] ? a : b;
    uint32_t i = t->first[from];
    while (i != TOUCHING_NONE && (t->pair[i].body[0] != a || t->pair[i].body[1] != b))
        i = touching_next(t, i, from);
    if (i == TOUCHING_NONE) {
        TRY(mem_fit(t->mem, t->count, &t->capacity, sizeof *t->pair, &t->pair));
        i = (uint32_t)t->count++;
        t->pair[i] = (touching_pair){.body = {a, b}, .listed = {listed[0], listed[1]}};
        touching_insert(t, i);
    }
    t->pair[i].frame = t->frame;
    t->pair[i].normal = normal;
    *pair = i;
out:
    return err;
}

/* ---- kept between two frames */

size_t touching_save(const touching *t, touching_saved *out)
{
    size_t count = 0;
    for (size_t i = 0; i < t->count; i++) {
        const touching_pair *p = &t->pair[i];
        if (p->frame != t->frame)
            continue;
        if (out) {
            touching_saved *k = &out[count];
            memset(k, 0, sizeof *k); /* no bytes between members that differ from run to run */
            for (int side = 0; side < 2; side++) {
                k->body[side] = p->body[side];
                k->listed[side] = p->listed[side];
            }
            k->cache = p->cache;
            k->normal[0] = p->normal.x, k->normal[1] = p->normal.y, k->normal[2] = p->normal.z;
        }
        count++;
    }
    return count;
}

int touching_restore(touching *t, const touching_saved *saved, size_t count)
{
    int err = IMP_OK;
    t->count = 0;
    TRY(mem_grow(t->mem, 0, (count + 1) * sizeof *t->pair, &t->pair));
    t->capacity = count + 1;
    t->count = count;
    t->frame = t->turn = 0;
    for (size_t i = 0; i < count; i++) {
        const touching_saved *k = &saved[i];
        t->pair[i] = (touching_pair){.body = {k->body[0], k->body[1]},
                                     .listed = {k->listed[0], k->listed[1]},
                                     .normal = v3_make(k->normal[0], k->normal[1], k->normal[2]),
                                     .cache = k->cache};
    }
out:
    return err;
}
