/* See roof.h. */
#include "roof.h"

#include <string.h>

/* ---- one body */

static void roof_store(roof *r, double x, double y, double z)
{
    const double at[3] = {x, y, z};
    memcpy(r->x + 3 * (size_t)r->vertices++, at, sizeof at);
}

static void face(roof *r, uint32_t i, uint32_t j, uint32_t k)
{
    const uint32_t c[3] = {i, j, k};
    memcpy(r->corner + 3 * (size_t)r->triangles++, c, sizeof c);
}

/* Points 0 to n - 1 are the base, counter-clockwise seen from above. */
static void close_base(roof *r, uint32_t n)
{
    for (uint32_t i = 1; i + 1 < n; i++)
        face(r, 0, i + 1, i);
}

static const double polygon[][2] = {{4, -1}, {3, 3}, {-1, 4}, {-4, 1}, {-2, -3}};
enum { SIDES = sizeof polygon / sizeof *polygon };

/* A pyramid, or, if the top is a face, a frustum: its base is three times as large as the top. */
static void make_pyramid(int cut, roof *r)
{
    for (uint32_t i = 0; i < SIDES; i++)
        roof_store(r, 3 * polygon[i][0], 3 * polygon[i][1], -8);
    for (uint32_t i = 0; i < (cut ? SIDES : 1); i++)
        roof_store(r, cut ? polygon[i][0] : 0, cut ? polygon[i][1] : 0, 0);
    for (uint32_t i = 0; i < SIDES; i++) {
        const uint32_t k = (i + 1) % SIDES;
        face(r, i, k, SIDES + (cut ? k : 0));
        if (cut)
            face(r, i, SIDES + k, SIDES + i);
    }
    for (uint32_t i = 1; cut && i + 1 < SIDES; i++)
        face(r, SIDES, SIDES + i, SIDES + i + 1);
    close_base(r, SIDES);
}

/* A hipped roof: its ridge is parallel to two sides of the base. */
static void make_ridge(roof *r)
{
    static const double base[4][2] = {{9, -5}, {9, 5}, {-9, 5}, {-9, -5}};
    for (int i = 0; i < 4; i++)
        roof_store(r, base[i][0], base[i][1], -7);
    roof_store(r, 5, 0, 0);
    roof_store(r, -5, 0, 0);
    face(r, 0, 1, 4);
    face(r, 1, 2, 5);
    face(r, 1, 5, 4);
    face(r, 2, 3, 5);
    face(r, 3, 0, 4);
    face(r, 3, 4, 5);
    close_base(r, 4);
}

/* Rotates by multiplication with a complex number: everything that was in one plane stays in one.
 * Then scales to a size near 1. */
static void roof_rotate(roof *r, double along, double across)
{
    double scale = 1;
    while (scale * 16 * fmax(fabs(along), fabs(across)) > 1)
        scale /= 2;
    for (uint32_t v = 0; v < r->vertices; v++) {
        double *p = r->x + 3 * (size_t)v;
        const double x = along * p[0] - across * p[1], y = across * p[0] + along * p[1];
        p[0] = x * scale;
        p[1] = y * scale;
        p[2] /= 16;
    }
}

void roof_make(enum roof_top top, double along, double across, roof *out)
{
    *out = (roof){.vertices = 0};
    if (top == ROOF_EDGE)
        make_ridge(out);
    else
        make_pyramid(top == ROOF_FACE, out);
    roof_rotate(out, along, across);
}

/* ---- pairs */

/* Deterministic (splitmix64), in [0, 1). */
static double roof_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* Parallel, nearly parallel to some multiple of 2^-24, or any direction. */
static void roof_direction(uint64_t i, uint64_t *state, double out[2])
{
    const double far = floor(roof_next(state) * 0x1p23) + 1;
    out[0] = i % 3 ? far : 1;
    out[1] = i % 3 == 0   ? 0
             : i % 3 == 1 ? floor(roof_next(state) * 9) - 4
                          : floor(roof_next(state) * 0x1p23);
}

/* Lateral shift of the second body that keeps their tops above each other: an edge moves along the
 * first one's edge, which is along x. */
static void roof_shift(uint64_t *state, const roof_pair *p, double by[3])
{
    const int face = p->top[0] == ROOF_FACE || p->top[1] == ROOF_FACE;
    const int edges = p->top[0] == ROOF_EDGE && p->top[1] == ROOF_EDGE;
    by[0] = (roof_next(state) - 0.5) / 64 * (face || edges);
    by[1] = (roof_next(state) - 0.5) / 64 * face;
    by[2] = p->gap;
}

/* The second body is rotated about x, so that it is above; then both are rotated. */
static void roof_place(uint64_t *state, roof_pair *p)
{
    double q[4], by[3];
    pose_map *m = p->put;
    roof_shift(state, p, by);
    for (int k = 0; k < 4; k++)
        q[k] = roof_next(state) - 0.5;
    m[0] = m[1] = (pose_map){.t = {0}};
    pose_matrix(q, m[0].r);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            m[1].r[i][k] = k ? -m[0].r[i][k] : m[0].r[i][k];
            m[1].t[i] += m[0].r[i][k] * by[k];
        }
    }
}

void roof_pair_make(uint64_t i, int power, roof_pair *out)
{
    uint64_t state = i;
    const uint64_t kind = i / 2 % (ROOF_TOPS * ROOF_TOPS);
    *out =
        (roof_pair){.top = {(enum roof_top)(kind / ROOF_TOPS), (enum roof_top)(kind % ROOF_TOPS)},
                    .gap = ldexp(1 + roof_next(&state), -power - 1) * (i % 2 ? -1 : 1)};
    for (int side = 0; side < 2; side++) {
        double d[2];
        roof_direction(side ? i / 18 : 0, &state, d);
        roof_make(out->top[side], d[0], d[1], &out->body[side]);
    }
    roof_place(&state, out);
}
