/* boxes: cuboids that fly apart and together in free space. Space is divided in cells; some hold a
 * body, the others are divided in eight, and so on, so that each level has as many bodies, half as
 * large as those of the level before, and space is filled to the same part for any number and any
 * ratio of sizes. */
#include "world.h"

#include "error.h"
#include "scene_math.h"

#include <string.h>

#define SHAPES 8    /* cuboids of a level */
#define LONGEST 0.5 /* of the cell: the longest edge; a body fits however it is turned */
#define SHORTEST 0.25
#define BESIDE 0.06  /* of the cell: how far a body may be from its middle */
#define SPEED 1.0    /* cells a second along each axis, at most */
#define SPIN 3.0     /* rad/s about each axis, at most */
#define DENSITY 1000 /* kg/m3 */

typedef struct cells {
    mem *mem;
    v3 *low; /* [capacity] the first `count` are free */
    size_t count, capacity;
    double size;
    scene_rng rng;
} cells;

/* How many cells of level k are needed for the bodies of it and of all below it. */
static uint64_t world_boxes_volume_needed(const uint64_t *bodies, int levels, int k)
{
    uint64_t sum = 0;
    for (int i = levels - 1; i >= k; i--)
        sum = bodies[i] + (sum + 7) / 8;
    return sum;
}

/* As many cells of a cube as are needed. */
static int world_boxes_fill_cube(cells *c, uint64_t count, double size)
{
    int err = IMP_OK;
    uint64_t side = 1;
    while (side * side * side < count)
        side++;
    c->size = size;
    c->capacity = (size_t)count;
    TRY(mem_alloc(c->mem, c->capacity * sizeof *c->low, &c->low));
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t line = i / side, x = i % side, y = line % side, z = line / side;
        c->low[i] = v3_scale(v3_make((double)x, (double)y, (double)z), size);
    }
    c->count = (size_t)count;
out:
    return err;
}

static void world_boxes_shuffle(cells *c)
{
    for (size_t i = c->count; i > 1; i--) {
        const size_t k = (size_t)(scene_rng_unit(&c->rng) * (double)i);
        const v3 swap = c->low[i - 1];
        c->low[i - 1] = c->low[k];
        c->low[k] = swap;
    }
}

/* Each free cell becomes eight, of which the first `count` in all are kept. */
static int world_boxes_divide(cells *c, uint64_t count)
{
    int err = IMP_OK;
    v3 *low = NULL;
    size_t made = 0;
    c->size /= 2;
    TRY(mem_alloc(c->mem, (size_t)count * sizeof *low, &low));
    for (size_t i = 0; i < c->count; i++)
        for (int k = 0; k < 8 && made < count; k++)
            low[made++] = v3_add(c->low[i], v3_scale(v3_make(k & 1, k >> 1 & 1, k >> 2), c->size));
    mem_free(c->mem, c->low);
    c->low = low;
    c->count = c->capacity = made;
out:
    return err;
}

/* Cuboids of a cell of this size, the longest edges alike. */
static int world_boxes_make_shapes(world *w, int level, double size)
{
    int err = IMP_OK;
    for (int i = 0; i < SHAPES; i++) {
        scene_rng r = scene_rng_at(scene_key(0, 1), (uint64_t)i);
        geom *s = NULL;
        const double y = scene_rng_range(&r, SHORTEST, LONGEST);
        const double z = scene_rng_range(&r, SHORTEST, LONGEST);
        TRY(world_set_shape(w, (uint32_t)(level * SHAPES + i),
                            geom_box(w->mem, v3_scale(v3_make(LONGEST, y, z), size), &s), &s));
    }
out:
    return err;
}

static void random_rotation(scene_rng *r, double q[4])
{
    double square;
    do {
        square = 0;
        for (int i = 0; i < 4; i++) {
            q[i] = scene_rng_range(r, -1, 1);
            square += q[i] * q[i];
        }
    } while (square > 1 || square < 0.01);
    for (int i = 0; i < 4; i++)
        q[i] /= sqrt(square);
}

static void world_boxes_set_body(world *w, uint32_t body, int level, v3 low, cells *c)
{
    scene_rng *r = &c->rng;
    const v3 half = v3_scale(v3_make(1, 1, 1), 0.5 * c->size);
    const v3 at = v3_add(v3_add(low, half), scene_rng_cube(r, 2 * BESIDE * c->size));
    const uint32_t of = (uint32_t)(scene_rng_unit(r) * SHAPES);
    world_set_body(w, body, (uint32_t)level * SHAPES + of, at, 0);
    random_rotation(r, w->body[body].rotation);
    scene_store(w->body[body].velocity, scene_rng_cube(r, 2 * SPEED * c->size));
    scene_store(w->body[body].spin, scene_rng_cube(r, 2 * SPIN));
}

/* Levels, and how many bodies each one has: the remainder are small ones. */
static int world_boxes_bodies_per_level(uint64_t count, double ratio, uint64_t bodies[64])
{
    int levels = 1;
    while ((double)(UINT64_C(1) << (levels - 1)) < ratio)
        levels++;
    for (int k = 0; k < levels; k++)
        bodies[k] = count / (uint64_t)levels;
    bodies[levels - 1] += count % (uint64_t)levels;
    return levels;
}

/* The largest bodies are as much smaller than their cells as the ratio is below a power of two. */
static int world_boxes_set_all(world *w, double ratio, const uint64_t *bodies, int levels, cells *c)
{
    int err = IMP_OK;
    uint32_t body = 0;
    const double top = (double)(UINT64_C(1) << (levels - 1));
    TRY(world_boxes_fill_cube(c, world_boxes_volume_needed(bodies, levels, 0), top));
    for (int k = 0; k < levels; k++) {
        TRY(world_boxes_make_shapes(w, k, k ? c->size : ratio));
        world_boxes_shuffle(c);
        for (uint64_t i = 0; i < bodies[k]; i++)
            world_boxes_set_body(w, body++, k, c->low[--c->count], c);
        if (k + 1 < levels)
            TRY(world_boxes_divide(c, world_boxes_volume_needed(bodies, levels, k + 1)));
    }
out:
    return err;
}

int world_boxes_build(world *w, const world_request *request)
{
    int err = IMP_OK;
    uint64_t bodies[64];
    cells c = {.mem = w->mem, .rng = scene_rng_at(scene_key(request->seed, 0), 0)};
    if (!(request->ratio >= 1 && request->ratio <= 0x1p40))
        FAIL(IMP_ERR_ARGUMENT, "boxes: the ratio of sizes is %g; it must be from 1 to 2^40",
             request->ratio);
    const int levels = world_boxes_bodies_per_level(request->bodies, request->ratio, bodies);
    TRY(world_alloc(w, (uint32_t)levels * SHAPES, (uint32_t)request->bodies));
    TRY(world_boxes_set_all(w, request->ratio, bodies, levels, &c));
    TRY(world_set_masses(w, DENSITY));
out:
    mem_free(c.mem, c.low);
    return err;
}
