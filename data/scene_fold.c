/* A folded sheet, and the scenes made of it: cloth-fold, giant, outlier, clusters. */
#include "scene_kind.h"

#define FOLD_LAYERS 12
#define FOLD_GAP 0.7        /* gap in the scenes other than cloth-fold */
#define SHAKE_LENGTH 1.5958 /* mean of three normal numbers' length, sqrt(8 / pi) */

/* deviations, in edges, for crumple = 1 */
static const double crumple[3] = {0.1, 0.1, 0.3};

int fold_init(scene *s, uint64_t triangles, fold *f)
{
    f->g = grid_of(triangles);
    f->edge = 1 / (double)f->g.cols;
    uint64_t layers = f->g.rows / 6; /* a turn needs at least one edge of each layer */
    f->layers = layers < 1 ? 1 : layers < FOLD_LAYERS ? layers : FOLD_LAYERS;
    f->gap = FOLD_GAP;
    f->crumple = 1;
    return noise_init(s, &f->g, &f->n);
}

/* Position of a row in the pile, seen from the side: straight, then a half turn up. */
static void fold_row(const fold *f, uint64_t row, double *x, double *z)
{
    double gap = f->gap * f->edge, radius = gap / 2;
    double width = (double)f->g.rows * f->edge / (double)f->layers;
    double straight = width - SCENE_PI * radius;
    uint64_t layer = row * f->layers / f->g.rows;
    layer = layer < f->layers ? layer : f->layers - 1;
    double along = (double)row * f->edge - (double)layer * width;
    double turn = scene_clamp((along - straight) / radius, 0, SCENE_PI);
    double run = along < straight ? along : straight + radius * scene_sin(turn);
    *x = layer & 1 ? straight - run : run;
    *z = (double)layer * gap + radius * (1 - scene_cos(turn));
}

v3 fold_place(v3 p)
{
    p.z = p.z + 0.05 * scene_sin(9 * p.y + 2 * p.x) + 0.01 * scene_sin(60 * p.x);
    double c = scene_cos(1.5 * p.y), s = scene_sin(1.5 * p.y);
    v3 twisted = v3_make(c * p.x - s * p.z, p.y, s * p.x + c * p.z);
    m3 slant = scene_rotation(0.5, -0.3, 0.7, 0.4); /* not along the axes */
    return scene_turn(&slant, twisted);
}

void fold_points(fold *f, uint64_t key, uint64_t frame, v3 shift, double *point)
{
    double *at = point;
    const double size = f->crumple * f->edge;
    noise_start(&f->n, key, frame);
    for (uint64_t row = 0; row <= f->g.rows; row++) {
        const double *d = noise_row(&f->n);
        double x, z;
        fold_row(f, row, &x, &z);
        for (uint64_t col = 0; col <= f->g.cols; col++, at += 3, d += 3) {
            v3 p = v3_make(x + crumple[0] * size * d[0],
                           (double)col * f->edge + crumple[1] * size * d[1],
                           z + crumple[2] * size * d[2]);
            scene_store(at, v3_add(fold_place(p), shift));
        }
    }
}

/* ---- cloth-fold */

static int fold_build(scene *s, uint64_t triangles, fold **f)
{
    int err = scene_alloc(s, 1, sizeof **f, f);
    s->state = *f;
    return err ? err : fold_init(s, triangles, *f);
}

int scene_cloth_fold_build(scene *s)
{
    fold *f;
    int err = fold_build(s, s->def.primitives, &f);
    if (err)
        return err;
    f->gap = s->setting[SETTING_cloth_fold_gap];
    f->crumple = s->setting[SETTING_cloth_fold_crumple];
    err = scene_mesh_alloc(s, grid_vertices(&f->g), grid_triangles(&f->g), 0);
    if (!err)
        grid_fill(&f->g, 0, s->triangle);
    return err;
}

/* Adds smooth noise, isotropic, with this mean length in mean edges. */
static void fold_shake(fold *f, uint64_t key, double length, double *point)
{
    const double scale = length * grid_edge(&f->g, point) / SHAKE_LENGTH;
    double *at = point;
    noise_start(&f->n, key, 0);
    for (uint64_t row = 0; row <= f->g.rows; row++) {
        const double *d = noise_row(&f->n);
        for (uint64_t i = 0; i < 3 * (f->g.cols + 1); i++)
            *at++ += scale * d[i];
    }
}

/* With a speed setting it is shaken in odd frames. */
void scene_cloth_fold_move(scene *s, uint64_t frame)
{
    const double speed = s->setting[SETTING_cloth_fold_speed];
    fold_points(s->state, scene_key(s->def.seed, 0), frame, v3_make(0, 0, 0), s->point);
    if (speed > 0 && frame & 1)
        fold_shake(s->state, scene_key(s->def.seed, 1), speed, s->point);
}

/* ---- giant: the last triangle */

#define GIANT_EDGES 1e4

int scene_giant_build(scene *s)
{
    fold *f;
    int err = fold_build(s, s->def.primitives, &f);
    if (err)
        return err;
    uint64_t vertices = grid_vertices(&f->g), triangles = grid_triangles(&f->g);
    err = scene_mesh_alloc(s, vertices + 3, triangles + 1, 0);
    if (err)
        return err;
    grid_fill(&f->g, 0, s->triangle);
    for (uint32_t k = 0; k < 3; k++)
        s->triangle[3 * triangles + k] = (uint32_t)vertices + k;
    return IMP_OK;
}

/* The triangle stands across the middle of the pile, at y of the sheet. */
static void giant_points(const fold *f, double y, double side, double *point)
{
    double *at = point + 3 * grid_vertices(&f->g);
    m3 slant = scene_rotation(0.5, -0.3, 0.7, 0.4);
    v3 middle = fold_place(v3_make(0.04, y, 0));
    for (int k = 0; k < 3; k++, at += 3) {
        double turn = 0.3 + k * 2 * SCENE_PI / 3;
        v3 corner = v3_make(scene_cos(turn), 0.2 * scene_cos(turn), scene_sin(turn));
        scene_store(at, v3_add(middle, scene_turn(&slant, v3_scale(corner, 0.577 * side))));
    }
}

/* The triangle moves slowly to and fro. */
void scene_giant_move(scene *s, uint64_t frame)
{
    fold *f = s->state;
    fold_points(f, scene_key(s->def.seed, 0), frame, v3_make(0, 0, 0), s->point);
    giant_points(f, 0.5 + 0.1 * scene_sin(scene_phase(frame, 256)), GIANT_EDGES * f->edge,
                 s->point);
}

/* ---- outlier: the effect of one triangle on an otherwise constant scene; its size depends on the
 * frame, in medians */

static const double outlier_size[] = {1, 2, 4, 7, 16, 64, 100, 1000, 1e4};

#define OUTLIER_SIZES (sizeof outlier_size / sizeof *outlier_size)
#define OUTLIER_MEDIAN 1.464 /* edges: the median of the longest sides of triangles */

int scene_outlier_build(scene *s)
{
    return scene_giant_build(s);
}

void scene_outlier_move(scene *s, uint64_t frame)
{
    fold *f = s->state;
    double size = outlier_size[frame % OUTLIER_SIZES];
    fold_points(f, scene_key(s->def.seed, 0), 0, v3_make(0, 0, 0), s->point);
    giant_points(f, 0.5, size * OUTLIER_MEDIAN * f->edge, s->point);
}

/* ---- clusters */

#define CLUSTERS_EDGES 1e6

/* Both have the same shape, but different noise. */
int scene_clusters_build(scene *s)
{
    fold *f;
    int err = fold_build(s, s->def.primitives / 2, &f);
    if (err)
        return err;
    uint64_t vertices = grid_vertices(&f->g), triangles = grid_triangles(&f->g);
    err = scene_mesh_alloc(s, 2 * vertices, 2 * triangles, 1);
    if (err)
        return err;
    grid_fill(&f->g, 0, s->triangle);
    grid_fill(&f->g, (uint32_t)vertices, s->triangle + 3 * triangles);
    for (uint64_t i = triangles; i < 2 * triangles; i++)
        s->object[i] = 1;
    return IMP_OK;
}

void scene_clusters_move(scene *s, uint64_t frame)
{
    fold *f = s->state;
    double far = CLUSTERS_EDGES * f->edge;
    v3 apart = v3_make(0.6 * far, 0.64 * far, 0.48 * far);
    double *second = s->point + 3 * grid_vertices(&f->g);
    fold_points(f, scene_key(s->def.seed, 0), frame, v3_make(0, 0, 0), s->point);
    fold_points(f, scene_key(s->def.seed, 1), frame, apart, second);
}
