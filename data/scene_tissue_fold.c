/* tissue-fold: a slab of tetrahedra that folds until its layers meet.
 *
 * Along its middle surface the direction varies as a sine, like that of a meander. The larger the
 * amplitude, the closer neighbouring bends are; the amplitude is computed from the desired overlap
 * of layers. */
#include "scene_kind.h"

#include "error.h"

#include <math.h>

#define FOLD_THICK 0.08  /* thickness of the slab; a wave is 1 long */
#define FOLD_ROUGH 0.15  /* variation of the thickness */
#define FOLD_UNEVEN 0.3  /* deviation of vertices from their lines across the slab, in cubes */
#define FOLD_SHAPE 3     /* length over width */
#define FOLD_WAVES 3     /* most waves */
#define FOLD_FEWEST 12   /* least number of cubes of a wave */
#define FOLD_BEGIN 0.6   /* initial amplitude of the direction, radians */
#define FOLD_PERIOD 80   /* frames, from flat to flat */
#define FOLD_PIECES 8    /* pieces of the middle surface from one vertex to the next */
#define FOLD_SUMS 256    /* terms of an integral */
#define FOLD_HALVINGS 60 /* halvings of an interval */

typedef struct tissue {
    brick b; /* along the slab, across, through */
    double waves, width;
    double swing;    /* greatest amplitude */
    double phase[4]; /* phases of the roughness */
    v3 *middle;      /* [cubes[0] + 1] x, z of the middle surface; y is the direction */
} tissue;

/* The integral of the cosine of the direction over [0, to]: the advance along x. */
static double scene_tissue_fold_advance(double swing, double to)
{
    double sum = 0;
    for (int i = 0; i < FOLD_SUMS; i++) {
        double s = to * (i + 0.5) / FOLD_SUMS;
        sum += scene_cos(swing * scene_sin(2 * SCENE_PI * s));
    }
    return sum * to / FOLD_SUMS;
}

/* Least distance between the middle surfaces of two neighbouring bends: a bend is widest where its
 * direction is vertical. */
static double nearest(double swing)
{
    double low = 0, high = 0.25;
    for (int i = 0; i < FOLD_HALVINGS; i++) {
        double at = 0.5 * (low + high);
        if (swing * scene_sin(2 * SCENE_PI * at) < SCENE_PI / 2)
            low = at;
        else
            high = at;
    }
    return scene_tissue_fold_advance(swing, 1) - 2 * scene_tissue_fold_advance(swing, low);
}

static double swing_of(double distance)
{
    double low = SCENE_PI / 2, high = 2.3;
    for (int i = 0; i < FOLD_HALVINGS; i++) {
        double at = 0.5 * (low + high);
        if (nearest(at) > distance)
            low = at;
        else
            high = at;
    }
    return low;
}

/* Cubes for about that many tetrahedra, as nearly cubic as integers allow. */
static void scene_tissue_fold_divide(uint64_t tets, tissue *t)
{
    double cubes = (double)(tets / 6 ? tets / 6 : 1), wave = FOLD_WAVES;
    double edge = scene_cbrt(wave * wave / FOLD_SHAPE * FOLD_THICK / cubes);
    double through = scene_floor(FOLD_THICK / edge + 0.5);
    through = through < 1 ? 1 : through;
    double across = scene_floor(sqrt(cubes / through / FOLD_SHAPE) + 0.5);
    across = scene_clamp(across, 1, scene_floor(cubes / through / FOLD_FEWEST) + 1);
    double along = scene_floor(cubes / (through * across) + 0.5);
    along = along < FOLD_FEWEST ? FOLD_FEWEST : along;
    t->b = (brick){{(uint64_t)along, (uint64_t)across, (uint64_t)through}};
    t->waves = scene_clamp(scene_floor(along / FOLD_FEWEST), 1, FOLD_WAVES);
    t->width = t->waves / FOLD_SHAPE;
}

int scene_tissue_fold_build(scene *s)
{
    int err = IMP_OK;
    tissue *t;
    TRY(scene_alloc(s, 1, sizeof *t, &t));
    s->state = t;
    scene_tissue_fold_divide(s->def.primitives, t);
    t->swing = swing_of(FOLD_THICK * (1 - s->setting[SETTING_tissue_fold_overlap]));
    scene_rng r = scene_rng_at(s->def.seed, 0);
    for (int i = 0; i < 4; i++)
        t->phase[i] = scene_rng_range(&r, 0, 2 * SCENE_PI);
    TRY(scene_alloc(s, t->b.cubes[0] + 1, sizeof *t->middle, &t->middle));
    TRY(scene_cells_alloc(s, brick_vertices(&t->b), brick_tets(&t->b), 0));
    brick_fill(&t->b, 0, s->corner);
out:
    return err;
}

/* Bends the slab about its middle: its ends move most. */
static void scene_tissue_fold_bend(tissue *t, double swing)
{
    const uint64_t n = t->b.cubes[0];
    const double step = t->waves / (double)n / FOLD_PIECES;
    v3 at = v3_make(0, 0, 0), sum = at;
    for (uint64_t i = 0; i <= n; i++) {
        double s = (double)i * FOLD_PIECES * step;
        t->middle[i] = v3_make(at.x, swing * scene_sin(2 * SCENE_PI * s), at.z);
        sum = v3_add(sum, at);
        for (int k = 0; k < FOLD_PIECES; k++) {
            double way = swing * scene_sin(2 * SCENE_PI * (s + (k + 0.5) * step));
            at.x += step * scene_cos(way);
            at.z += step * scene_sin(way);
        }
    }
    for (uint64_t i = 0; i <= n; i++) {
        t->middle[i].x -= sum.x / (double)(n + 1);
        t->middle[i].z -= sum.z / (double)(n + 1);
    }
}

/* Layers are not flat, so they meet in places. */
static double thickness(const tissue *t, double along, double across)
{
    double a = 2 * SCENE_PI * along, b = 2 * SCENE_PI * across;
    double rough = scene_sin(2.3 * a + t->phase[0]) * scene_sin(1.7 * b + t->phase[1]) +
                   scene_sin(1.1 * a + t->phase[2]) * scene_sin(3.1 * b + t->phase[3]);
    return FOLD_THICK * (1 + 0.5 * FOLD_ROUGH * rough);
}

void scene_tissue_fold_move(scene *s, uint64_t frame)
{
    tissue *t = s->state;
    const uint64_t *n = t->b.cubes;
    uint64_t now = frame + (uint64_t)s->setting[SETTING_tissue_fold_begin];
    double more = 0.5 - 0.5 * scene_cos(scene_phase(now, FOLD_PERIOD));
    double *at = s->point, uneven = FOLD_UNEVEN * t->width / (double)n[1];
    scene_rng r = scene_rng_at(s->def.seed, 1);
    scene_tissue_fold_bend(t, FOLD_BEGIN + (t->swing - FOLD_BEGIN) * more);
    for (uint64_t i = 0; i <= n[0]; i++) {
        v3 m = t->middle[i];
        double along = t->waves * (double)i / (double)n[0];
        double cs = scene_cos(m.y), sn = scene_sin(m.y);
        for (uint64_t j = 0; j <= n[1]; j++) {
            double across = t->width * ((double)j / (double)n[1] - 0.5);
            double thick = thickness(t, along, across);
            for (uint64_t k = 0; k <= n[2]; k++, at += 3) {
                double up = thick * ((double)k / (double)n[2] - 0.5);
                double y = across + uneven * (scene_rng_unit(&r) - 0.5);
                scene_store(at, v3_make(m.x - up * sn, y, m.z + up * cs));
            }
        }
    }
}
