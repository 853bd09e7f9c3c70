/* Arithmetic of the procedural scenes. It gives the same bits on every system: + - * / and sqrt of
 * float64, integers, and our own polynomials instead of libm. */
#ifndef IMP_SCENE_MATH_H
#define IMP_SCENE_MATH_H

#include "vec.h"

#include <stdint.h>

#define SCENE_PI 3.14159265358979323846

double scene_sin(double x); /* |x| < 2^30; error about an ulp of 1 */
double scene_cos(double x);
double scene_exp(double x);  /* 0 below -700; x <= 700 */
double scene_cbrt(double x); /* x > 0, normal */
double scene_floor(double x);
double scene_clamp(double x, double low, double high);
double scene_bounce(double x); /* position of a point that bounces between 0 and 1 */

/* Angle in [0, 2 pi) at frame `frame` of a motion with a period of `period` frames. */
double scene_phase(uint64_t frame, uint64_t period);

/* ---- vectors (the rest is vec.h) */

typedef struct m3 {
    v3 row[3];
} m3;

double scene_norm(v3 a);
v3 scene_unit(v3 a); /* a != 0 */
v3 scene_turn(const m3 *m, v3 a);
m3 scene_rotation(double w, double x, double y, double z); /* for any quaternion but 0 */
void scene_store(double *at, v3 a);

/* ---- random numbers: splitmix64, so that number i of a stream is available without the others */

typedef struct scene_rng {
    uint64_t state;
} scene_rng;

/* A number that differs for every seed and stream; 0 is a valid seed. */
uint64_t scene_key(uint64_t seed, uint64_t stream);

scene_rng scene_rng_at(uint64_t key, uint64_t stream);
uint64_t scene_rng_next(scene_rng *r);
double scene_rng_unit(scene_rng *r);                      /* uniform in [0, 1), 53 bits */
double scene_rng_range(scene_rng *r, double a, double b); /* uniform in [a, b] */
v3 scene_rng_cube(scene_rng *r, double side);             /* uniform, about the origin */
m3 scene_rng_rotation(scene_rng *r);                      /* uniform */

/* Position at frame `frame` of a point that starts at random in the unit cube with a random
 * velocity of up to `speed` a frame along each axis, and is reflected by the walls. */
v3 scene_rng_place(scene_rng *r, double speed, uint64_t frame);

/* Mean 0, deviation 1, bell-shaped: the sum of four 16-bit numbers. Function of (key, index). */
static inline double scene_white(uint64_t key, uint64_t index)
{
    uint64_t z = key + index * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    int64_t sum = (int64_t)((z & 0xffff) + (z >> 16 & 0xffff) + (z >> 32 & 0xffff) + (z >> 48));
    return (double)(sum - 2 * INT64_C(0xffff)) * (1.7320508075688772 / 65536);
}

#endif
