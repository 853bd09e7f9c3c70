/* See crowd.h. */
#include "crowd.h"

#include "bodies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct crowd_kind crowds[CROWDS] = {
    {"rigid", {OBJECTS, 1, 0, 0, 1}}, {"rigid and soft", {4, 1, 0, 0, 1}},
    {"one rigid", {1, 1, 0, 0, 1}},   {"far pivots", {OBJECTS, 1, 1000, 0, 1}},
    {"large", {5, 0x1p300, 3, 0, 1}}, {"small", {5, 0x1p-400, 3, 0, 1}},
    {"float32", {6, 1, 5, 1, 1}},     {"sliding", {OBJECTS, 1, 0, 0, 0}}};

/* A lumpy, flattened ball: rings of vertices between two poles. */
static void lump(double *point, const kind *k, rng *r)
{
    for (int i = 0; i < BODY_VERTICES; i++) {
        const int ring = i / SIDES, side = i % SIDES;
        const double high = i < RINGS * SIDES    ? 2 * (ring + 1.0) / (RINGS + 1) - 1
                            : i == RINGS * SIDES ? -1
                                                 : 1;
        const double wide = sqrt(1 - high * high) * (0.8 + 0.4 * rng_unit(r));
        const double angle = side * 2 * 3.14159265358979 / SIDES;
        point[3 * i] = k->scale * (wide * cos(angle) + k->pivot);
        point[3 * i + 1] = k->scale * (1.5 * wide * sin(angle) - k->pivot);
        point[3 * i + 2] = k->scale * (0.4 * high + 2 * k->pivot);
    }
}

static void lump_corners(uint32_t first, uint32_t *corner)
{
    const uint32_t south = first + RINGS * SIDES, north = south + 1;
    for (uint32_t ring = 0; ring <= RINGS; ring++)
        for (uint32_t side = 0; side < SIDES; side++) {
            const uint32_t next = (side + 1) % SIDES, low = first + (ring - 1) * SIDES;
            const uint32_t a = ring ? low + side : south, b = ring ? low + next : south;
            const uint32_t c = ring < RINGS ? first + ring * SIDES + side : north;
            const uint32_t d = ring < RINGS ? first + ring * SIDES + next : north;
            const uint32_t two[6] = {a, d, c, a, b, d};
            if (!ring || ring == RINGS) {
                memcpy(corner, ring ? two + 3 : two, 3 * sizeof *corner);
                if (ring)
                    corner[2] = north;
                corner += 3;
            } else {
                memcpy(corner, two, sizeof two);
                corner += 6;
            }
        }
}

static void random_pose(const kind *k, rng *r, imp_pose *p)
{
    double length = 0;
    for (int i = 0; i < 4; i++) {
        p->rotation[i] = k->turning ? rng_unit(r) - 0.5 : i == 0;
        length += p->rotation[i] * p->rotation[i];
    }
    for (int i = 0; i < 4; i++)
        p->rotation[i] /= sqrt(length);
    /* keeps bodies together, however far their origins are */
    const double to[3] = {-k->pivot, k->pivot, -2 * k->pivot};
    double m[3][3];
    pose_matrix(p->rotation, m);
    for (int i = 0; i < 3; i++)
        p->centre[i] =
            k->scale * (4 * rng_unit(r) + m[i][0] * to[0] + m[i][1] * to[1] + m[i][2] * to[2]);
}

static void crowd_put_vertex(crowd *c, int f, size_t v, const pose_map *m, const double x[3])
{
    pose_put(m, x, c->point[f] + 3 * v);
    for (size_t a = 0; a < 3; a++)
        c->single[f][3 * v + a] = (float)c->point[f][3 * v + a];
}

/* Moves the points of a rigid object by its pose. */
static void crowd_put(crowd *c, int f, int object)
{
    const size_t first = (size_t)object * BODY_VERTICES;
    const pose_map m = pose_map_of(&c->pose[f][object]);
    for (size_t v = first; v < first + BODY_VERTICES; v++)
        crowd_put_vertex(c, f, v, &m, c->rest + 3 * v);
}

static void crowd_move(crowd *c, const kind *k, int f, int object, rng *r)
{
    const size_t first = (size_t)object * BODY_VERTICES;
    imp_pose soft = {.centre = {0}};
    random_pose(k, r, object < k->rigid ? &c->pose[f][object] : &soft);
    if (object < k->rigid) {
        crowd_put(c, f, object);
        return;
    }
    const pose_map m = pose_map_of(&soft);
    for (size_t v = first; v < first + BODY_VERTICES; v++) {
        double x[3];
        memcpy(x, c->rest + 3 * v, sizeof x);
        x[2] += 0.2 * k->scale * rng_unit(r);
        crowd_put_vertex(c, f, v, &m, x);
    }
}

void crowd_frame(crowd *c, const kind *k, int f, rng *r)
{
    for (int i = 0; i < OBJECTS; i++)
        crowd_move(c, k, f, i, r);
    c->frame[f] = (imp_frame){.mesh = &c->mesh,
                              .point = k->single ? (void *)c->single[f] : (void *)c->point[f],
                              .type = k->single ? IMP_FLOAT32 : IMP_FLOAT64,
                              .number = (uint64_t)f,
                              .pose = k->rigid ? c->pose[f] : NULL};
}

crowd *crowd_make(const kind *k, const char *name)
{
    crowd *c = calloc(1, sizeof *c);
    rng r = {5};
    CU_ASSERT_PTR_NOT_NULL_FATAL(c);
    for (int i = 0; i < OBJECTS; i++) {
        lump(c->rest + (size_t)3 * BODY_VERTICES * (size_t)i, k, &r);
        lump_corners((uint32_t)i * BODY_VERTICES,
                     c->corner + (size_t)3 * BODY_TRIANGLES * (size_t)i);
        for (int t = 0; t < BODY_TRIANGLES; t++)
            c->object[i * BODY_TRIANGLES + t] = 10 * i - 20;
        c->body[i] = 10 * i - 20;
    }
    c->mesh = (imp_mesh){.vertices = BODY_VERTICES * OBJECTS,
                         .primitives = BODY_TRIANGLES * OBJECTS,
                         .corner = c->corner,
                         .object = c->object,
                         .bodies = (uint32_t)k->rigid,
                         .body = c->body,
                         .rest = c->rest};
    for (int f = 0; f < FRAMES; f++)
        crowd_frame(c, k, f, &r);
    c->made = (made){.name = name, .frames = FRAMES, .frame = c->frame};
    return c;
}
