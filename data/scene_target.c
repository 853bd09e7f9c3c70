/* See scene_target.h. The building: blocks, the first of which is a thin wing. */
#include "scene_target.h"

#include "bodies.h"

#define BLOCKS 5
#define FEW 500 /* triangles of a building with fewer blocks */

/* in its own coordinates; the missile flies through the first, along x */
static const struct block {
    v3 low, high;
} blocks[BLOCKS] = {{{-1.25, -30, 0.3}, {1.25, 10, 16}},
                    {{-9, 10.3, 0.3}, {15, 30, 22}},
                    {{-3, 14, 22.3}, {9, 26, 40}},
                    {{1.6, -30, 0.3}, {25, -24, 8}},
                    {{-20, 12, 3}, {-9.3, 28, 3.6}}};

/* ---- building */

static v3 block_size(int i)
{
    return v3_sub(blocks[i].high, blocks[i].low);
}

static double block_area(int i)
{
    const v3 s = block_size(i);
    return s.x * s.y + s.y * s.z + s.z * s.x;
}

static void building_sizes(target *t, double triangles)
{
    double area = 0;
    t->boxes = triangles < FEW ? 2 : BLOCKS;
    for (int i = 0; i < t->boxes; i++)
        area += block_area(i);
    for (int i = 0; i < t->boxes; i++)
        t->box[i] = box_of((uint64_t)(triangles * block_area(i) / area), block_size(i));
}

static void building_shape(const target *t, uint32_t first, uint32_t *triangle, double *point)
{
    for (int i = 0; i < t->boxes; i++) {
        const uint64_t n = box_vertices(&t->box[i]);
        box_fill(&t->box[i], first, triangle);
        box_points(&t->box[i], blocks[i].low, blocks[i].high, point);
        first += (uint32_t)n;
        triangle += 3 * box_triangles(&t->box[i]);
        point += 3 * n;
    }
}

void building_place(target *t, double yaw, double side, double high)
{
    t->yaw = yaw;
    t->aim = v3_make(-side * scene_sin(yaw), side * scene_cos(yaw), high);
}

static imp_pose building_pose(const target *t)
{
    return (imp_pose){.rotation = {scene_cos(0.5 * t->yaw), 0, 0, scene_sin(0.5 * t->yaw)}};
}

/* ---- both kinds */

int target_flies(const target *t)
{
    return t->kind == TARGET_AIRCRAFT;
}

void target_sizes(target *t, int kind, double triangles)
{
    t->kind = kind;
    if (target_flies(t))
        aircraft_sizes(t, triangles);
    else
        building_sizes(t, triangles);
}

uint64_t target_triangles(const target *t)
{
    uint64_t n = target_flies(t) ? lathe_triangles(&t->hull) : 0;
    for (int i = 0; i < t->boxes; i++)
        n += box_triangles(&t->box[i]);
    return n;
}

uint64_t target_vertices(const target *t)
{
    uint64_t n = target_flies(t) ? lathe_vertices(&t->hull) : 0;
    for (int i = 0; i < t->boxes; i++)
        n += box_vertices(&t->box[i]);
    return n;
}

void target_shape(const target *t, uint32_t first, uint32_t *triangle, double *point)
{
    if (target_flies(t))
        aircraft_shape(t, first, triangle, point);
    else
        building_shape(t, first, triangle, point);
}

imp_pose target_pose(const target *t, double time)
{
    return target_flies(t) ? aircraft_pose(t, time) : building_pose(t);
}

v3 target_aim(const target *t, double time)
{
    if (!target_flies(t))
        return t->aim;
    const imp_pose pose = aircraft_pose(t, time);
    const pose_map map = pose_map_of(&pose);
    const double own[3] = {t->aim.x, t->aim.y, t->aim.z};
    double out[3];
    pose_put(&map, own, out);
    return v3_make(out[0], out[1], out[2]);
}
