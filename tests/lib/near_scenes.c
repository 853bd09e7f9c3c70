/* See near_scenes.h. */
#include "near_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static near_row *near_list_add(near_list *l)
{
    if (l->count == l->capacity) {
        l->capacity = 2 * l->capacity + 64;
        l->row = realloc(l->row, l->capacity * sizeof *l->row);
    }
    memset(&l->row[l->count], 0, sizeof *l->row);
    return &l->row[l->count++];
}

int near_sink(void *user, const imp_contacts *c)
{
    for (size_t i = 0; i < c->count; i++) {
        near_row *r = near_list_add(user);
        r->a = c->a[i];
        r->b = c->b[i];
        r->kind = c->kind[i];
        r->feature[0] = c->feature_a[i];
        r->feature[1] = c->feature_b[i];
        r->distance = c->distance[i];
        memcpy(r->point, c->points + 6 * i, sizeof r->point);
        memcpy(r->weight[0], c->barycentric_a + 4 * i, sizeof r->weight[0]);
        memcpy(r->weight[1], c->barycentric_b + 4 * i, sizeof r->weight[1]);
        memcpy(r->normal, c->normal + 3 * i, sizeof r->normal);
        r->penetration = c->penetration ? c->penetration[i] : 0;
        r->relative = c->relative ? c->relative[i] : 0;
    }
    return 0;
}

int near_lists_equal(const near_list *x, const near_list *y)
{
    return x->count == y->count &&
           (!x->count || !memcmp(x->row, y->row, x->count * sizeof *x->row));
}

#define NEAR_PART 17 /* vertices of an object that has no vertex in common with others */

/* Primitives on neighbouring vertices: some have a vertex twice or thrice, and so no face. */
static void near_scene_mesh(near_scene *s, int corners, int apart, rng *r)
{
    for (uint32_t i = 0; i < NEAR_PRIMS; i++) {
        const uint32_t any = rng_below(r, NEAR_VERTS - 6), part = any / NEAR_PART,
                       near = apart ? part * NEAR_PART + any % 12 : any;
        for (int k = 0; k < corners; k++)
            s->corner[(uint32_t)corners * i + (uint32_t)k] = near + rng_below(r, 6);
        if (rng_below(r, 8) == 0)
            for (int k = 1; k < corners; k++)
                s->corner[(uint32_t)corners * i + (uint32_t)k] = s->corner[(uint32_t)corners * i];
        s->corner_count[i] = (uint8_t)(3 + rng_below(r, 2));
        s->object[i] = apart ? (int32_t)part : (int32_t)rng_below(r, NEAR_OBJECTS);
    }
    s->mesh = (imp_mesh){NEAR_VERTS, NEAR_PRIMS, s->corner,
                         s->object,  corners,    corners == 4 ? s->corner_count : NULL};
}

/* Of its own numbers, so that scenes are the same as without. Steps give pairs at exactly their
 * contact distance; thirds, contact distances that are no float64. */
static void near_scene_thickness(near_scene *s, uint64_t seed, double scale)
{
    rng r = {seed + 1000};
    for (uint32_t i = 0; i < NEAR_PRIMS; i++) {
        const double step = rng_below(&r, 5) / 8.0, third = rng_below(&r, 4) / 3.0,
                     any = rng_unit(&r) * (rng_below(&r, 8) ? 0.3 : 1e-9);
        const uint32_t form = rng_below(&r, 4);
        s->thickness[i] = (form == 0 ? step : form == 1 ? third / 2 : form == 2 ? any : 0) * scale;
    }
    s->mesh.thickness = s->thickness;
}

void near_scene_make(near_scene *s, uint64_t seed)
{
    rng r = {seed};
    static const double scales[] = {1, 0x1p-300, 0x1p200, 1.1, 1};
    const double scale = scales[seed % 5], far = seed % 5 == 4 ? 1000 : 0;
    const int stepped = seed % 13 == 6, coarse = seed % 3 == 0, flat = seed % 4 == 1;
    const int apart = seed % 4 == 2;
    near_scene_mesh(s, seed % 7 == 3 ? 4 : seed % 7 == 5 ? 2 : 3, apart, &r);
    for (uint32_t i = 0; i < 3 * NEAR_VERTS; i++) {
        const double x = stepped  ? rng_below(&r, 3) / 8.0
                         : coarse ? rng_below(&r, 9) / 8.0
                                  : rng_unit(&r);
        s->point[i] =
            (far + (i % 3 == 0) * (i / 3) * 0.0625 + x * (flat && i % 3 == 2 ? 1e-9 : 1)) * scale;
    }
    for (uint32_t i = 0; i < NEAR_VERTS && apart; i++)
        s->point[3 * i + 1] += i / NEAR_PART * 1.25 * scale;
    for (uint32_t i = 0; i < 3 && seed % 11 == 3; i++)
        s->point[rng_below(&r, 3 * NEAR_VERTS)] = i ? INFINITY : NAN;
    near_scene_thickness(s, seed, scale);
    s->distance = (seed % 6 == 0 ? 0 : seed % 2 ? 0.125 : 0.3) * scale;
    s->frame = (imp_frame){&s->mesh, s->point, IMP_FLOAT64, seed};
}

imp_def near_scene_def(const near_scene *s, uint64_t seed, int rows)
{
    static const uint32_t ring[7] = {0, 0, 1, 2, 0, 3, 0};
    const int objects = rows == IMP_ROWS_OBJECTS, thick = rows >= NEAR_THICK;
    return (imp_def){.rows = rows % NEAR_THICK,
                     .thickness = thick,
                     .distance = objects || thick ? 0 : s->distance,
                     .ring = ring[seed % 7],
                     .on_bad = IMP_BAD_SKIP,
                     .pairs = objects ? IMP_PAIRS_ALL : (int)(seed / 2 % 3)};
}
