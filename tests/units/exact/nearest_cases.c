/* See nearest_cases.h. */
#include "nearest_cases.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Both primitives in integers. */
typedef struct nearest_plan {
    int corners[2];
    int64_t x[2][4][3];
    int64_t distance; /* that of the class, in the same unit */
    int rigid;        /* motions must not change distances */
} nearest_plan;

static int64_t nearest_cases_uniform(rng *r, int64_t low, int64_t high)
{
    return low + (int64_t)rng_below(r, (uint32_t)(high - low + 1));
}

static void nearest_cases_point(rng *r, int64_t x[3], int most)
{
    for (int k = 0; k < 3; k++)
        x[k] = nearest_cases_uniform(r, -most, most);
}

/* ---- the classes */

static void nearest_in_general(rng *r, nearest_plan *p)
{
    for (int i = 0; i < 8; i++) {
        nearest_cases_point(r, p->x[i / 4][i % 4], 1 << 20);
        p->x[i / 4][i % 4][2] += (int64_t)(i / 4) << nearest_cases_uniform(r, 10, 22);
    }
    p->distance = 1 << nearest_cases_uniform(r, 10, 22);
}

static void nearest_on_grid(rng *r, nearest_plan *p)
{
    const uint32_t n = 2 + rng_below(r, 5);
    for (int i = 0; i < 24; i++)
        p->x[i / 12][i / 3 % 4][i % 3] = rng_below(r, n);
    for (int i = 0; i < 4; i++)
        p->x[1][i][0] += nearest_cases_uniform(r, 0, 1) * n;
}

/* An edge of one is a multiple of an edge of the other. */
static void nearest_parallel(rng *r, nearest_plan *p)
{
    int64_t along[3], to[2] = {nearest_cases_uniform(r, -3, 3), nearest_cases_uniform(r, -3, 3)};
    nearest_on_grid(r, p);
    nearest_cases_point(r, along, 3);
    for (int k = 0; k < 3; k++) {
        p->x[0][1][k] = p->x[0][0][k] + along[k];
        p->x[1][0][k] = p->x[0][0][k] + to[0] * along[k];
        p->x[1][1][k] = p->x[0][0][k] + to[1] * along[k];
    }
    p->distance = nearest_cases_uniform(r, 1, 5);
    for (int i = 0; i < 4; i++)
        p->x[1][i][2] += i < 2 ? p->distance : 2 * p->distance + 3;
}

/* All corners in a plane z = constant; the fourth corners of tetrahedra may be out of it. */
static void nearest_coplanar(rng *r, nearest_plan *p)
{
    const int flat = rng_below(r, 2) != 0;
    nearest_on_grid(r, p);
    p->distance = nearest_cases_uniform(r, 1, 4);
    for (int i = 0; i < 8; i++) {
        p->x[i / 4][i % 4][2] = i % 4 == 3 && !flat ? nearest_cases_uniform(r, 1, 4) : 0;
        p->x[i / 4][i % 4][0] += i / 4 * 6;
    }
}

/* Two parallel plates, often congruent: many features are equally near. */
static void nearest_plates(rng *r, nearest_plan *p)
{
    const int same = rng_below(r, 2) != 0;
    nearest_on_grid(r, p);
    p->distance = nearest_cases_uniform(r, 1, 4);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 2 && same; k++)
            p->x[1][i][k] =
                p->x[0][i][k] + nearest_cases_uniform(r, 0, 1) * (int64_t)rng_below(r, 2);
    for (int i = 0; i < 4; i++) {
        const int64_t out = i == 3 ? nearest_cases_uniform(r, 0, 2) : 0;
        p->x[0][i][2] = -out;
        p->x[1][i][2] = p->distance + out;
    }
}

/* A corner of the second one is over a mean of the first one's face, of which some weights are 0:
 * over a vertex, an edge, or the border seen from outside. */
static void nearest_on_border(rng *r, nearest_plan *p)
{
    int64_t weight[3], sum = 0;
    nearest_plates(r, p);
    for (int i = 0; i < 3; i++)
        sum += weight[i] = rng_below(r, 2) ? nearest_cases_uniform(r, -1, 3) : 0;
    if (sum <= 0) {
        weight[0] += 1 - sum;
        sum = 1;
    }
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 8; i++)
            p->x[i / 4][i % 4][k] *= sum;
        p->x[1][0][k] = 0;
        for (int i = 0; i < 3; i++)
            p->x[1][0][k] += weight[i] * p->x[0][i][k] / sum;
    }
    for (int i = 1; i < 4; i++)
        p->x[1][i][2] += nearest_cases_uniform(r, 0, 2);
}

/* Distances with an integer that is not along an axis: rotations with a factor. */
static void nearest_pythagorean(rng *r, nearest_plan *p)
{
    static const int64_t turn[4][3][3] = {{{1, 2, 2}, {2, 1, -2}, {2, -2, 1}},
                                          {{3, 4, 0}, {-4, 3, 0}, {0, 0, 5}},
                                          {{2, 3, 6}, {3, -6, 2}, {6, 2, -3}},
                                          {{5, 12, 0}, {0, 0, 13}, {12, -5, 0}}};
    static const int64_t factor[4] = {3, 5, 7, 13};
    const uint32_t how = rng_below(r, 4);
    (rng_below(r, 2) ? nearest_on_border : nearest_parallel)(r, p);
    for (int i = 0; i < 8; i++) {
        int64_t *x = p->x[i / 4][i % 4], was[3];
        memcpy(was, x, sizeof was);
        for (int k = 0; k < 3; k++)
            x[k] = turn[how][k][0] * was[0] + turn[how][k][1] * was[1] + turn[how][k][2] * was[2];
    }
    p->distance *= factor[how];
    p->rigid = 1;
}

/* Tetrahedra within another, touching, flat, or inverted. */
static void nearest_nested(rng *r, nearest_plan *p)
{
    static const int64_t large[4][3] = {{-9, -9, -9}, {27, -9, -9}, {-9, 27, -9}, {-9, -9, 27}};
    const int64_t shift = nearest_cases_uniform(r, 0, 12);
    memcpy(p->x[0], large, sizeof large);
    p->corners[0] = 4;
    for (int i = 0; i < 4; i++) {
        nearest_cases_point(r, p->x[1][i], 4);
        p->x[1][i][rng_below(r, 3)] -= shift;
    }
    for (int k = 0; k < 3 && rng_below(r, 3) == 0; k++)
        p->x[1][3][k] = p->x[1][0][k] + p->x[1][1][k] - p->x[1][2][k];
    p->distance = nearest_cases_uniform(r, 1, 4);
}

/* Faces without area whose vertices differ, and edges without length. */
static void nearest_collapsed(rng *r, nearest_plan *p)
{
    nearest_on_grid(r, p);
    for (int s = 0; s < 2; s++) {
        const uint32_t how = rng_below(r, 4);
        for (int k = 0; k < 3; k++) {
            if (how == 0) /* collinear */
                p->x[s][2][k] = 2 * p->x[s][1][k] - p->x[s][0][k];
            else if (how == 1) /* an edge without length */
                p->x[s][1][k] = p->x[s][0][k];
            else if (how == 2) /* a point */
                p->x[s][1][k] = p->x[s][2][k] = p->x[s][3][k] = p->x[s][0][k];
        }
    }
}

static const struct nearest_class {
    void (*make)(rng *r, nearest_plan *p);
} nearest_classes[] = {{nearest_in_general},  {nearest_on_grid},  {nearest_parallel},
                       {nearest_coplanar},    {nearest_plates},   {nearest_on_border},
                       {nearest_pythagorean}, {nearest_nested},   {nearest_collapsed},
                       {nearest_on_grid},     {nearest_parallel}, {nearest_plates}};

/* the last three: coordinates of different sizes */
#define NEAREST_MIXED 9

const char *const nearest_class_names[] = {
    "general",     "grid",   "parallel edges", "coplanar",    "plates",         "border",
    "Pythagorean", "nested", "collapsed",      "mixed sizes", "mixed parallel", "mixed plates",
    NULL};

/* ---- the same pair with other corners, axes, positions and sizes */

static void nearest_cases_swap(nearest_plan *p)
{
    nearest_plan was = *p;
    for (int s = 0; s < 2; s++) {
        p->corners[s] = was.corners[!s];
        memcpy(p->x[s], was.x[!s], sizeof p->x[s]);
    }
}

static void nearest_cases_mirror(rng *r, nearest_plan *p)
{
    const uint32_t a = rng_below(r, 3), b = rng_below(r, 3);
    const int64_t shear = p->rigid || rng_below(r, 3) ? 0 : nearest_cases_uniform(r, -2, 2);
    for (int i = 0; i < 8; i++) {
        int64_t *x = p->x[i / 4][i % 4], was = x[a];
        x[a] = x[b];
        x[b] = a == b ? -was : was;
        x[(a + 1) % 3] += shear * x[a];
    }
}

static void nearest_cases_shuffle(rng *r, nearest_plan *p)
{
    for (int s = 0; s < 2; s++)
        for (int i = 0; i + 1 < p->corners[s]; i++) {
            const int j = i + (int)rng_below(r, (uint32_t)(p->corners[s] - i));
            int64_t was[3];
            memcpy(was, p->x[s][i], sizeof was);
            memcpy(p->x[s][i], p->x[s][j], sizeof was);
            memcpy(p->x[s][j], was, sizeof was);
        }
}

/* Corner `to`, and others with its number, get the position of corner `from`; `same`: and its
 * number. */
static void nearest_cases_join(nearest_plan *p, nearest_case *out, int s, uint32_t to,
                               uint32_t from, int same)
{
    const uint32_t was = out->vertex[s][to];
    for (int v = 0; v < p->corners[s]; v++)
        if (out->vertex[s][v] == was) {
            memcpy(p->x[s][v], p->x[s][from], sizeof p->x[s][v]);
            out->vertex[s][v] = same ? out->vertex[s][from] : was;
        }
}

/* Gives numbers. Some corners become one vertex, or different vertices at one position; some
 * primitives become a segment or a point. */
static void nearest_cases_number(rng *r, nearest_plan *p, nearest_case *out)
{
    const uint32_t first = rng_below(r, 2) ? rng_below(r, 100) : UINT32_MAX - 7 - rng_below(r, 9);
    const int down = (int)rng_below(r, 2);
    for (int i = 0; i < 8; i++)
        out->vertex[i / 4][i % 4] = first + (uint32_t)(down ? 7 - i : i);
    for (int s = 0; s < 2; s++) {
        const uint32_t corners = (uint32_t)p->corners[s], joined = rng_below(r, 8);
        while (rng_below(r, 6) == 0)
            nearest_cases_join(p, out, s, rng_below(r, corners), rng_below(r, corners),
                               rng_below(r, 3) != 0);
        for (uint32_t v = 1; v < corners && joined < 2; v++) /* a point, or often a segment */
            nearest_cases_join(p, out, s, v, joined ? rng_below(r, v) : 0, 1);
    }
}

static int64_t nearest_cases_most(const nearest_plan *p)
{
    int64_t most = 1;
    for (int i = 0; i < 24; i++) {
        const int64_t x = p->x[i / 12][i / 3 % 4][i % 3];
        most = x > most ? x : -x > most ? -x : most;
    }
    return most;
}

/* Coordinates are multiples of 2^power, of one for each axis; all stay exact. */
static void nearest_cases_scale(const nearest_plan *p, const int power[3], nearest_case *out)
{
    for (int i = 0; i < 24; i++) {
        const int s = i / 12, v = i / 3 % 4, k = i % 3;
        if (v < p->corners[s])
            out->of.x[s][v][k] = ldexp((double)p->x[s][v][k], power[k]);
    }
}

/* Far from the origin. */
static void nearest_cases_move(rng *r, nearest_plan *p)
{
    for (int k = 0; k < 3; k++) {
        const int64_t to = nearest_cases_uniform(r, -1000, 1000) * ((int64_t)1 << rng_below(r, 30));
        for (int i = 0; i < 8; i++)
            p->x[i / 4][i % 4][k] += to;
    }
}

/* The size of all coordinates: often 1, also denormals and as large as float64 allows. */
static int nearest_cases_power(rng *r, const nearest_plan *p)
{
    const uint32_t how = rng_below(r, 8);
    int bits;
    frexp((double)nearest_cases_most(p), &bits);
    return how == 0   ? -1074
           : how == 1 ? 1024 - bits
           : how < 4  ? (int)rng_below(r, 601) - 300
                      : -(int)rng_below(r, 4);
}

/* Each axis, or also each coordinate, has a size of its own. */
static void nearest_cases_mix(rng *r, const nearest_plan *p, nearest_case *out)
{
    int power[3];
    for (int k = 0; k < 3; k++)
        power[k] = (int)rng_below(r, 601) - 300;
    nearest_cases_scale(p, power, out);
    if (rng_below(r, 2))
        return;
    for (int s = 0; s < 2; s++)
        for (int v = 0; v < p->corners[s]; v++) {
            int first = 0; /* corners with the same number stay equal */
            while (out->vertex[s][first] != out->vertex[s][v])
                first++;
            for (int k = 0; k < 3; k++)
                out->of.x[s][v][k] = first < v ? out->of.x[s][first][k]
                                     : rng_below(r, 3)
                                         ? out->of.x[s][v][k]
                                         : ldexp(out->of.x[s][v][k], (int)rng_below(r, 201) - 100);
        }
}

void nearest_case_make(int class, uint64_t i, nearest_case *out, double *distance)
{
    rng r = {i * 100 + (uint64_t) class};
    nearest_plan p = {.distance = 1};
    *out = (nearest_case){0};
    for (int s = 0; s < 2; s++)
        p.corners[s] = 3 + (int)rng_below(&r, 2);
    nearest_classes[class].make(&r, &p);
    if (rng_below(&r, 2))
        nearest_cases_swap(&p);
    for (int n = 0; n < 3; n++)
        nearest_cases_mirror(&r, &p);
    nearest_cases_shuffle(&r, &p);
    nearest_cases_number(&r, &p, out);
    if (rng_below(&r, 4) == 0)
        nearest_cases_move(&r, &p);
    const int size = nearest_cases_power(&r, &p), power[3] = {size, size, size};
    memcpy(out->of.corners, p.corners, sizeof p.corners);
    if (class >= NEAREST_MIXED)
        nearest_cases_mix(&r, &p, out);
    else
        nearest_cases_scale(&p, power, out);
    *distance = fmin(ldexp((double)p.distance, size), DBL_MAX);
}
