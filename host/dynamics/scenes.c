/* The scenes of worlds.def, taken from the papers: ball-slope, boxes, cradle and dominoes. */
#include "error.h"
#include "scene_math.h"
#include "world.h"

#include <string.h>

/* ---- ball-slope: the first experiment of the paper. The ball is pushed when it lies on the
 * ground. The overlapping boxes, and so the rate of checks, depend on its position (methods.md A;
 * data/pcs.md). */

enum { BALL_GROUND, SLOPE, BALL, BODIES };

#define BALL_RADIUS 0.5
#define BALL_CUTS 16              /* 5120 faces: it rolls almost like a sphere */
#define FALLS 0.2                 /* m, from its initial position to the ground */
#define BEFORE 4                  /* m, from the ball to the slope */
#define LENGTH 4                  /* m, of the slope's base */
#define HEIGHT 2.3094010767585034 /* m: LENGTH times tan 30 degrees */
#define BEHIND 24                 /* m of ground after it */
#define BALL_PUSHED 0.6           /* s, start of the push, when it is at rest */
#define BALL_PUSH 0.5             /* s, duration of the push */

static int ball_slope_make_shapes(world *w)
{
    int err = IMP_OK;
    geom *s = NULL;
    TRY(world_set_shape(w, BALL_GROUND, geom_box(w->mem, v3_make(BEFORE + BEHIND + 8, 10, 1), &s),
                        &s));
    TRY(world_set_shape(w, SLOPE, geom_wedge(w->mem, LENGTH, 4, HEIGHT, &s), &s));
    TRY(world_set_shape(w, BALL, geom_ball(w->mem, BALL_RADIUS, BALL_CUTS, &s), &s));
out:
    return err;
}

int world_ball_slope_build(world *w, const world_request *request)
{
    int err = IMP_OK;
    TRY(world_alloc(w, BODIES, BODIES));
    TRY(ball_slope_make_shapes(w));
    world_set_body(w, BALL_GROUND, BALL_GROUND, v3_make((BEHIND - BEFORE) / 2.0, 0, -0.5), 1);
    world_set_body(w, SLOPE, SLOPE, v3_make(0, 0, 0), 1);
    world_set_body(w, BALL, BALL, v3_make(-BEFORE, 0, BALL_RADIUS + FALLS), 0);
    TRY(world_set_masses(w, 1 / w->geom[BALL]->volume)); /* a ball of 1 kg */
    TRY(world_set_push(w, &(matter_push){.body = BALL,
                                         .force = {request->push, 0, 0},
                                         .begin = BALL_PUSHED,
                                         .end = BALL_PUSHED + BALL_PUSH}));
out:
    return err;
}

/* ---- boxes: cuboids that fly apart and together in free space. Space is divided into cells; some
 * contain a body, the others are divided into eight, and so on, so that each level has as many
 * bodies as the previous one, half as large, and the filled fraction of space is the same for any
 * number and any ratio of sizes. */

#define BOXES_SHAPES 8 /* cuboids per level */
#define LONGEST 0.5    /* longest edge relative to the cell: a body fits in any rotation */
#define SHORTEST 0.25
#define BESIDE 0.06        /* relative to the cell: greatest distance of a body from its middle */
#define SPEED 1.0          /* greatest, in cells per second along each axis */
#define SPIN 3.0           /* greatest, in rad/s about each axis */
#define BOXES_DENSITY 1000 /* kg/m3 */

typedef struct cells {
    mem *mem;
    v3 *low; /* [capacity] the first `count` are free */
    size_t count, capacity;
    double size;
    scene_rng rng;
} cells;

/* The number of cells of level k needed for its bodies and those of all levels below. */
static uint64_t world_boxes_volume_needed(const uint64_t *bodies, int levels, int k)
{
    uint64_t sum = 0;
    for (int i = levels - 1; i >= k; i--)
        sum = bodies[i] + (sum + 7) / 8;
    return sum;
}

/* Fills a cube with the number of cells needed. */
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

/* Divides each free cell into eight and keeps the first `count` in all. */
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

/* Makes the cuboids for a cell of this size, all with the same longest edge. */
static int world_boxes_make_shapes(world *w, int level, double size)
{
    int err = IMP_OK;
    for (int i = 0; i < BOXES_SHAPES; i++) {
        scene_rng r = scene_rng_at(scene_key(0, 1), (uint64_t)i);
        geom *s = NULL;
        const double y = scene_rng_range(&r, SHORTEST, LONGEST);
        const double z = scene_rng_range(&r, SHORTEST, LONGEST);
        TRY(world_set_shape(w, (uint32_t)(level * BOXES_SHAPES + i),
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
    const uint32_t of = (uint32_t)(scene_rng_unit(r) * BOXES_SHAPES);
    world_set_body(w, body, (uint32_t)level * BOXES_SHAPES + of, at, 0);
    random_rotation(r, w->body[body].rotation);
    scene_store(w->body[body].velocity, scene_rng_cube(r, 2 * SPEED * c->size));
    scene_store(w->body[body].spin, scene_rng_cube(r, 2 * SPIN));
}

/* The number of bodies of each level: the remainder are small ones. */
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

/* The largest bodies are smaller than their cells by the factor by which the ratio is below a power
 * of two. */
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
    TRY(world_alloc(w, (uint32_t)levels * BOXES_SHAPES, (uint32_t)request->bodies));
    TRY(world_boxes_set_all(w, request->ratio, bodies, levels, &c));
    TRY(world_set_masses(w, BOXES_DENSITY));
out:
    mem_free(c.mem, c.low);
    return err;
}

/* ---- cradle: Newton's cradle without strings. The balls are on one line, so the pull of a
 * pendulum is along it: towards the ball's home, by g / L times its distance from there. */

#define CRADLE_RADIUS 0.05
#define CRADLE_CUTS 4
#define GAP 0.0005          /* m, between balls at rest, so that contacts occur one after another */
#define FIRST 0.2           /* m, initial displacement of the first one */
#define SWING 9.81          /* 1/s2: pendulums of 1 m */
#define CRADLE_DENSITY 1000 /* kg/m3 */

int world_cradle_build(world *w, const world_request *request)
{
    int err = IMP_OK;
    geom *s = NULL;
    const uint32_t count = (uint32_t)request->bodies;
    TRY(world_alloc(w, 1, count));
    TRY(world_set_shape(w, 0, geom_ball(w->mem, CRADLE_RADIUS, CRADLE_CUTS, &s), &s));
    for (uint32_t i = 0; i < count; i++)
        world_set_body(w, i, 0, v3_make((2 * CRADLE_RADIUS + GAP) * i, 0, 0), 0);
    TRY(world_set_masses(w, CRADLE_DENSITY));
    TRY(world_set_springs(w, (double[3]){SWING, 0, 0}));
    w->body[0].centre[0] -= FIRST;
out:
    return err;
}

/* ---- dominoes: the second experiment of the paper. A domino is slightly shorter than the distance
 * to the next one, so that fallen ones lie apart and are no longer pairs. */

enum { DOMINO_GROUND, DOMINO, DOMINO_SHAPES };

#define THICK 0.22 /* m, along the row */
#define WIDE 0.5
#define HIGH 1.0
#define ABOVE 1e-4         /* m, initial gap to the ground, since touching bodies have no normal */
#define APART 1.02         /* m, from domino to domino */
#define DOMINO_PUSHED 0.1  /* s, start of the push */
#define DOMINO_PUSH 0.1    /* s, duration of the push */
#define DOMINO_DENSITY 500 /* kg/m3 */

int world_dominoes_build(world *w, const world_request *request)
{
    int err = IMP_OK;
    geom *s = NULL;
    const uint32_t count = (uint32_t)request->bodies;
    const double length = APART * count + 8;
    TRY(world_alloc(w, DOMINO_SHAPES, 1 + count));
    TRY(world_set_shape(w, DOMINO_GROUND, geom_box(w->mem, v3_make(length, 4, 1), &s), &s));
    TRY(world_set_shape(w, DOMINO, geom_box(w->mem, v3_make(THICK, WIDE, HIGH), &s), &s));
    world_set_body(w, 0, DOMINO_GROUND, v3_make(length / 2 - 4, 0, -0.5), 1);
    for (uint32_t i = 0; i < count; i++)
        world_set_body(w, 1 + i, DOMINO, v3_make(APART * i, 0, HIGH / 2 + ABOVE), 0);
    TRY(world_set_masses(w, DOMINO_DENSITY));
    TRY(world_set_push(w, &(matter_push){.body = 1,
                                         .at = {-THICK / 2, 0, HIGH / 2},
                                         .force = {request->push, 0, 0},
                                         .begin = DOMINO_PUSHED,
                                         .end = DOMINO_PUSHED + DOMINO_PUSH}));
out:
    return err;
}
