/* Random triangles: soup, mixed, pile, hostile. */
#include "scene_kind.h"

/* Triangles that share no corners, a part of a mesh. */
static void loose_triangles(uint64_t n, uint32_t first, uint32_t *triangle)
{
    for (uint64_t i = 0; i < 3 * n; i++)
        triangle[i] = first + (uint32_t)i;
}

/* n triangles with corners uniform in cubes about points in the unit cube, which bounce between the
 * walls. */
static void scene_soup_cloud(uint64_t n, double density, uint64_t key, uint64_t frame,
                             double *point)
{
    double *at = point, side = density / scene_cbrt((double)n);
    for (uint64_t i = 0; i < n; i++) {
        scene_rng r = scene_rng_at(key, i);
        v3 middle = scene_rng_place(&r, 0.1 * side, frame);
        for (int k = 0; k < 3; k++, at += 3)
            scene_store(at, v3_add(middle, scene_rng_cube(&r, side)));
    }
}

/* ---- soup */

#define SOUP_DENSITY 2.88

int scene_soup_build(scene *s)
{
    uint64_t n = s->def.primitives;
    int err = scene_mesh_alloc(s, 3 * n, n, 0);
    if (!err)
        loose_triangles(n, 0, s->triangle);
    return err;
}

void scene_soup_move(scene *s, uint64_t frame)
{
    scene_soup_cloud(s->def.primitives, SOUP_DENSITY, scene_key(s->def.seed, 0), frame, s->point);
}

/* ---- mixed: like real parts, a few large triangles among many small ones */

#define MIXED_DENSITY 0.85
#define MIXED_SPREAD 1.0 /* deviation of the logarithm of sizes */

int scene_mixed_build(scene *s)
{
    return scene_soup_build(s);
}

void scene_mixed_move(scene *s, uint64_t frame)
{
    uint64_t n = s->def.primitives, key = scene_key(s->def.seed, 0);
    uint64_t sizes = scene_key(s->def.seed, 1);
    double *at = s->point, side = MIXED_DENSITY / scene_cbrt((double)n);
    for (uint64_t i = 0; i < n; i++) {
        double size = side * scene_exp(MIXED_SPREAD * scene_white(sizes, i));
        scene_rng r = scene_rng_at(key, i);
        v3 middle = scene_rng_place(&r, 0.1 * side, frame);
        for (int k = 0; k < 3; k++, at += 3)
            scene_store(at, v3_add(middle, scene_rng_cube(&r, size)));
    }
}

/* ---- pile: a cloud in the unit cube over a floor that raises the mean edge to several times that
 */

#define PILE_DENSITY 2.0
#define PILE_FLOOR 20  /* one triangle in this many */
#define PILE_EDGE 80.0 /* edge of the floor: a mean edge of about 4.5 */

static grid pile_floor(const scene *s)
{
    return grid_of(s->def.primitives / PILE_FLOOR);
}

static uint64_t pile_loose(const scene *s)
{
    grid g = pile_floor(s);
    uint64_t used = grid_triangles(&g);
    return s->def.primitives > used ? s->def.primitives - used : 1;
}

int scene_pile_build(scene *s)
{
    grid g = pile_floor(s);
    uint64_t n = pile_loose(s);
    int err = scene_mesh_alloc(s, 3 * n + grid_vertices(&g), n + grid_triangles(&g), 1);
    if (err)
        return err;
    loose_triangles(n, 0, s->triangle);
    grid_fill(&g, (uint32_t)(3 * n), s->triangle + 3 * n);
    for (uint64_t i = n; i < n + grid_triangles(&g); i++)
        s->object[i] = 1;
    return IMP_OK;
}

void scene_pile_move(scene *s, uint64_t frame)
{
    grid g = pile_floor(s);
    uint64_t n = pile_loose(s);
    double *at = s->point + 9 * n;
    scene_soup_cloud(n, PILE_DENSITY, scene_key(s->def.seed, 0), frame, s->point);
    for (uint64_t row = 0; row <= g.rows; row++)
        for (uint64_t col = 0; col <= g.cols; col++, at += 3)
            scene_store(at, v3_make(PILE_EDGE * ((double)row - 0.5 * (double)g.rows),
                                    PILE_EDGE * ((double)col - 0.5 * (double)g.cols), -2));
}

/* ---- hostile: triangles about one axis, each slightly above the one before */

#define HOSTILE_THICK 0.05 /* thickness of the stack; the triangles reach about 1 from the axis */
#define HOSTILE_SPEAR 1000 /* one triangle in this many is tilted enough to meet others */
#define HOSTILE_TILT 3.0   /* layers up or down, at its corners */

int scene_hostile_build(scene *s)
{
    return scene_soup_build(s);
}

/* Heights of the corners of triangle i, in layers: within its own layer unless it is a spear. */
static void hostile_heights(scene_rng *r, uint64_t i, uint64_t n, double height[3])
{
    uint64_t spear = n / 2 < HOSTILE_SPEAR / 2 ? n / 2 : HOSTILE_SPEAR / 2;
    double tilt = i % HOSTILE_SPEAR == spear ? HOSTILE_TILT : 0;
    for (int k = 0; k < 3; k++) {
        height[k] = (double)i + 0.5 + scene_rng_range(r, -0.4, 0.4);
        height[k] += k ? tilt : -tilt;
    }
}

/* The axis is far from all normals of k-DOPs, so that for any k the bounds of all triangles have a
 * part of the axis in common. The triangles rotate about it. */
void scene_hostile_move(scene *s, uint64_t frame)
{
    v3 axis = scene_unit(v3_make(1, 2, 3)), right = scene_unit(v3_make(3, 0, -1));
    v3 up = v3_cross(axis, right);
    uint64_t n = s->def.primitives, key = scene_key(s->def.seed, 0);
    double *at = s->point, layer = HOSTILE_THICK / (double)n, height[3];
    for (uint64_t i = 0; i < n; i++) {
        scene_rng r = scene_rng_at(key, i);
        double turn = scene_rng_range(&r, 0, 2 * SCENE_PI) + scene_phase(frame, 1024);
        double radius = scene_rng_range(&r, 0.9, 1.1);
        hostile_heights(&r, i, n, height);
        for (int k = 0; k < 3; k++, at += 3) {
            double angle = turn + k * 2 * SCENE_PI / 3;
            v3 flat = v3_add(v3_scale(right, radius * scene_cos(angle)),
                             v3_scale(up, radius * scene_sin(angle)));
            scene_store(at, v3_add(flat, v3_scale(axis, layer * height[k])));
        }
    }
}
