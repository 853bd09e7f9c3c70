/* Polynomials, rotations and random numbers of the scenes. */
#include "scene_math.h"

#include "float_env.h"

#include <math.h>
#include <string.h>

/* pi / 2 in three parts; the product of the first with an integer below 2^20 is exact */
#define HALF_PI_1 1.57079632673412561417e+00
#define HALF_PI_2 6.07710050630396597660e-11
#define HALF_PI_3 2.02226624879595063154e-21

double scene_floor(double x)
{
    if (!(x > -0x1p52 && x < 0x1p52))
        return x; /* an integer already */
    double whole = (double)(int64_t)x;
    return whole > x ? whole - 1 : whole;
}

double scene_clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

double scene_bounce(double x)
{
    double y = x - 2 * scene_floor(x * 0.5);
    return y > 1 ? 2 - y : y;
}

double scene_phase(uint64_t frame, uint64_t period)
{
    return 2 * SCENE_PI * (double)(frame % period) / (double)period;
}

/* sin(x + quarter * pi / 2) */
static double sin_quarter(double x, int64_t quarter)
{
    int64_t k = (int64_t)scene_floor(x * (2 / SCENE_PI) + 0.5);
    double n = (double)k, y = x - n * HALF_PI_1 - n * HALF_PI_2 - n * HALF_PI_3;
    switch ((k + quarter) & 3) {
    case 0:
        return sine_near(y);
    case 1:
        return cosine_near(y);
    case 2:
        return -sine_near(y);
    default:
        return -cosine_near(y);
    }
}

double scene_sin(double x)
{
    return sin_quarter(x, 0);
}

double scene_cos(double x)
{
    return sin_quarter(x, 1);
}

double scene_exp(double x)
{
    if (x < -700)
        return 0;
    double k = scene_floor(x * 1.44269504088896338700 + 0.5), sum = 1;
    double y = x - k * 6.93147180369123816490e-01 - k * 1.90821492927058770002e-10;
    for (int i = 14; i > 0; i--)
        sum = 1 + sum * y / i;
    uint64_t bits = (uint64_t)((int64_t)k + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return sum * power;
}

double scene_cbrt(double x)
{
    uint64_t bits;
    double y;
    memcpy(&bits, &x, sizeof bits);
    bits = bits / 3 + (UINT64_C(0x3ff0000000000000) - UINT64_C(0x3ff0000000000000) / 3);
    memcpy(&y, &bits, sizeof y); /* within 7 %; each Newton step doubles the digits */
    for (int i = 0; i < 5; i++)
        y = y - (y * y * y - x) / (3 * y * y);
    return y;
}

/* ---- vectors */

double scene_norm(v3 a)
{
    return sqrt(v3_dot(a, a));
}

v3 scene_unit(v3 a)
{
    return v3_scale(a, 1 / scene_norm(a));
}

v3 scene_turn(const m3 *m, v3 a)
{
    return v3_make(v3_dot(m->row[0], a), v3_dot(m->row[1], a), v3_dot(m->row[2], a));
}

m3 scene_rotation(double w, double x, double y, double z)
{
    double s = 2 / (w * w + x * x + y * y + z * z);
    return (m3){{{1 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)},
                 {s * (x * y + z * w), 1 - s * (x * x + z * z), s * (y * z - x * w)},
                 {s * (x * z - y * w), s * (y * z + x * w), 1 - s * (x * x + y * y)}}};
}

void scene_store(double *at, v3 a)
{
    at[0] = a.x;
    at[1] = a.y;
    at[2] = a.z;
}

/* ---- random numbers */

static uint64_t scene_math_mix(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint64_t scene_key(uint64_t seed, uint64_t stream)
{
    return scene_math_mix(scene_math_mix(seed + UINT64_C(0x9e3779b97f4a7c15)) ^
                          scene_math_mix(stream + UINT64_C(0x5851f42d)));
}

scene_rng scene_rng_at(uint64_t key, uint64_t stream)
{
    return (scene_rng){scene_key(key, stream)};
}

uint64_t scene_rng_next(scene_rng *r)
{
    return scene_math_mix(r->state += UINT64_C(0x9e3779b97f4a7c15));
}

double scene_rng_unit(scene_rng *r)
{
    return (double)(scene_rng_next(r) >> 11) * 0x1p-53;
}

double scene_rng_range(scene_rng *r, double a, double b)
{
    return a + (b - a) * scene_rng_unit(r);
}

v3 scene_rng_cube(scene_rng *r, double side)
{
    double x = scene_rng_range(r, -0.5, 0.5);
    double y = scene_rng_range(r, -0.5, 0.5);
    double z = scene_rng_range(r, -0.5, 0.5);
    return v3_make(side * x, side * y, side * z);
}

m3 scene_rng_rotation(scene_rng *r)
{
    for (;;) {
        double w = scene_rng_range(r, -1, 1), x = scene_rng_range(r, -1, 1);
        double y = scene_rng_range(r, -1, 1), z = scene_rng_range(r, -1, 1);
        double square = w * w + x * x + y * y + z * z;
        if (square > 0.01 && square <= 1) /* in the ball: every direction is equally likely */
            return scene_rotation(w, x, y, z);
    }
}

v3 scene_rng_place(scene_rng *r, double speed, uint64_t frame)
{
    v3 start = scene_rng_cube(r, 1), way = scene_rng_cube(r, 2 * speed);
    double f = (double)frame;
    return v3_make(scene_bounce(start.x + 0.5 + way.x * f), scene_bounce(start.y + 0.5 + way.y * f),
                   scene_bounce(start.z + 0.5 + way.z * f));
}
