/* See shape_cases.h. */
#include "shape_cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static body shape_cases_body(uint32_t vertices, uint32_t triangles)
{
    body b = {.vertices = vertices, .triangles = triangles};
    b.x = malloc(3 * sizeof *b.x * vertices);
    b.corner = malloc(3 * sizeof *b.corner * triangles);
    if (!b.x || !b.corner)
        abort();
    return b;
}

static void shape_cases_put_vertex(body *b, uint32_t v, double x, double y, double z)
{
    b->x[3 * (size_t)v] = x;
    b->x[3 * (size_t)v + 1] = y;
    b->x[3 * (size_t)v + 2] = z;
}

static void shape_cases_put_triangle(body *b, uint32_t *t, uint32_t i, uint32_t j, uint32_t k)
{
    uint32_t *c = b->corner + 3 * (size_t)(*t)++;
    c[0] = i;
    c[1] = j;
    c[2] = k;
}

/* Bit k of v is the sign of vertex v along axis k. */
static const uint32_t box_face[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};

body body_box(const double h[3])
{
    body b = shape_cases_body(8, 12);
    uint32_t t = 0;
    for (uint32_t v = 0; v < 8; v++)
        shape_cases_put_vertex(&b, v, v & 1 ? h[0] : -h[0], v & 2 ? h[1] : -h[1],
                               v & 4 ? h[2] : -h[2]);
    for (int f = 0; f < 6; f++)
        for (uint32_t i = 1; i < 3; i++)
            shape_cases_put_triangle(&b, &t, box_face[f][0], box_face[f][i], box_face[f][i + 1]);
    return b;
}

body body_box_apart(const double h[3])
{
    body b = shape_cases_body(24, 12), box = body_box(h);
    uint32_t t = 0;
    for (uint32_t v = 0; v < 24; v++)
        memcpy(b.x + 3 * (size_t)v, box.x + 3 * (size_t)box_face[v / 4][v % 4], 3 * sizeof *b.x);
    for (uint32_t f = 0; f < 6; f++)
        for (uint32_t i = 1; i < 3; i++)
            shape_cases_put_triangle(&b, &t, 4 * f, 4 * f + i, 4 * f + i + 1);
    body_free(NULL, &box);
    return b;
}

/* Each face has its own vertices. */
body body_grid_box(uint32_t n)
{
    body b = shape_cases_body(6 * (n + 1) * (n + 1), 12 * n * n);
    uint32_t t = 0;
    for (uint32_t f = 0; f < 6; f++) {
        const uint32_t axis = f / 2, first = f * (n + 1) * (n + 1);
        for (uint32_t i = 0; i <= n; i++)
            for (uint32_t k = 0; k <= n; k++) {
                double *x = b.x + 3 * (size_t)(first + i * (n + 1) + k);
                x[axis] = f % 2 ? 1 : -1;
                x[(axis + 1) % 3] = 2.0 * i / n - 1;
                x[(axis + 2) % 3] = 2.0 * k / n - 1;
            }
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t k = 0; k < n; k++) {
                const uint32_t p = first + i * (n + 1) + k, q = p + n + 1;
                shape_cases_put_triangle(&b, &t, p, f % 2 ? q : p + 1, f % 2 ? p + 1 : q);
                shape_cases_put_triangle(&b, &t, q, f % 2 ? q + 1 : p + 1, f % 2 ? p + 1 : q + 1);
            }
    }
    return b;
}

/* ---- integers */

static int64_t shape_cases_height(const body *b, const uint32_t c[3], uint32_t v)
{
    int64_t d[3][3];
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 3; k++)
            d[i][k] = (int64_t)(b->x[3 * (size_t)(i < 2 ? c[i + 1] : v) + k] -
                                b->x[3 * (size_t)c[0] + k]);
    return d[2][0] * (d[0][1] * d[1][2] - d[0][2] * d[1][1]) +
           d[2][1] * (d[0][2] * d[1][0] - d[0][0] * d[1][2]) +
           d[2][2] * (d[0][0] * d[1][1] - d[0][1] * d[1][0]);
}

/* 1 above, -1 below, 0 both or none */
static int all_on_side(const body *b, const uint32_t c[3])
{
    int above = 0, below = 0;
    for (uint32_t v = 0; v < b->vertices; v++) {
        const int64_t h = shape_cases_height(b, c, v);
        above |= h > 0;
        below |= h < 0;
        if (!h && v != c[0] && v != c[1] && v != c[2])
            above = below = 1; /* four coplanar points: rejected */
    }
    return above - below;
}

static int hull_triangles(body *b)
{
    uint32_t t = 0;
    for (uint32_t i = 0; i < b->vertices; i++)
        for (uint32_t j = i + 1; j < b->vertices; j++)
            for (uint32_t k = j + 1; k < b->vertices; k++) {
                const int side = all_on_side(b, (const uint32_t[]){i, j, k});
                if (side && t < b->triangles)
                    shape_cases_put_triangle(b, &t, i, side < 0 ? j : k, side < 0 ? k : j);
            }
    return t == b->triangles;
}

/* Points are drawn until all are corners and no four are coplanar. */
body body_hull(rng *r, uint32_t points)
{
    body b = shape_cases_body(points, 2 * points - 4);
    do {
        for (uint32_t v = 0; v < points; v++) {
            double x[3], square = 0;
            for (int k = 0; k < 3; k++) {
                x[k] = 2 * rng_unit(r) - 1;
                square += x[k] * x[k];
            }
            const double s = 1000 / sqrt(square);
            shape_cases_put_vertex(&b, v, rint(x[0] * s), rint(x[1] * s), rint(x[2] * s));
        }
    } while (!hull_triangles(&b));
    return b;
}

static int same_position(const body *b, uint32_t v, uint32_t w)
{
    return !memcmp(b->x + 3 * (size_t)v, b->x + 3 * (size_t)w, 3 * sizeof *b->x);
}

static uint32_t edges_from(const body *b, uint32_t v, uint32_t w)
{
    uint32_t n = 0;
    for (size_t e = 0; e < 3 * (size_t)b->triangles; e++)
        n += same_position(b, b->corner[e], v) &&
             same_position(b, b->corner[e % 3 == 2 ? e - 2 : e + 1], w);
    return n;
}

int true_convex(const body *b)
{
    int64_t low = 0, high = 0;
    for (uint32_t t = 0; t < b->triangles; t++) {
        const uint32_t *c = b->corner + 3 * (size_t)t;
        int64_t any = 0;
        for (uint32_t v = 0; v < b->vertices; v++) {
            const int64_t h = shape_cases_height(b, c, v);
            low |= h < 0;
            high |= h > 0;
            any |= h;
        }
        for (int i = 0; i < 3; i++)
            if (edges_from(b, c[i], c[(i + 1) % 3]) != 1 ||
                edges_from(b, c[(i + 1) % 3], c[i]) != 1)
                return 0;
        if (!any)
            return 0;
    }
    return low != high;
}

/* ---- round bodies */

/* A point on the unit circle at a fraction of a full turn. */
static void circle(double share, double out[2])
{
    out[0] = cos(2 * 3.14159265358979323846 * share);
    out[1] = sin(2 * 3.14159265358979323846 * share);
}

body body_prism(uint32_t n)
{
    body b = shape_cases_body(2 * n, 4 * n - 4);
    uint32_t t = 0;
    for (uint32_t i = 0; i < n; i++) {
        double c[2];
        circle((double)i / n, c);
        shape_cases_put_vertex(&b, i, c[0], c[1], -1);
        shape_cases_put_vertex(&b, n + i, c[0], c[1], 1);
        const uint32_t k = (i + 1) % n;
        shape_cases_put_triangle(&b, &t, i, k, n + i);
        shape_cases_put_triangle(&b, &t, n + i, k, n + k);
    }
    for (uint32_t i = 1; i + 1 < n; i++) {
        shape_cases_put_triangle(&b, &t, 0, i + 1, i);
        shape_cases_put_triangle(&b, &t, n, n + i, n + i + 1);
    }
    return b;
}

/* Rings of 2 rings vertices each between two poles. */
body body_ball(uint32_t rings, const double half[3])
{
    const uint32_t n = 2 * rings, last = (rings - 1) * n + 1;
    body b = shape_cases_body(last + 1, 2 * n * (rings - 1));
    uint32_t t = 0;
    shape_cases_put_vertex(&b, 0, 0, 0, -half[2]);
    shape_cases_put_vertex(&b, last, 0, 0, half[2]);
    for (uint32_t i = 1; i < rings; i++)
        for (uint32_t k = 0; k < n; k++) {
            double high[2], c[2];
            circle(0.5 * i / rings, high);
            circle((k + 0.37 * i) / n, c);
            shape_cases_put_vertex(&b, 1 + (i - 1) * n + k, half[0] * high[1] * c[0],
                                   half[1] * high[1] * c[1], -half[2] * high[0]);
        }
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t next = (k + 1) % n, top = 1 + (rings - 2) * n;
        shape_cases_put_triangle(&b, &t, 0, 1 + next, 1 + k);
        shape_cases_put_triangle(&b, &t, last, top + k, top + next);
        for (uint32_t i = 0; i + 2 < rings; i++) {
            const uint32_t low = 1 + i * n, up = low + n;
            shape_cases_put_triangle(&b, &t, low + k, low + next, up + k);
            shape_cases_put_triangle(&b, &t, up + k, low + next, up + next);
        }
    }
    return b;
}

body body_sheet(rng *r, uint32_t n)
{
    body b = shape_cases_body((n + 1) * (n + 1), 2 * n * n);
    uint32_t t = 0;
    for (uint32_t i = 0; i <= n; i++)
        for (uint32_t k = 0; k <= n; k++)
            shape_cases_put_vertex(&b, i * (n + 1) + k, 2.0 * i / n - 1, 2.0 * k / n - 1,
                                   rng_unit(r) * 0.3);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++) {
            const uint32_t p = i * (n + 1) + k, q = p + n + 1;
            shape_cases_put_triangle(&b, &t, p, q, p + 1);
            shape_cases_put_triangle(&b, &t, q, q + 1, p + 1);
        }
    return b;
}

body body_soup(rng *r, uint32_t n)
{
    body b = shape_cases_body(3 * n, n);
    uint32_t t = 0;
    for (uint32_t i = 0; i < n; i++) {
        double at[3] = {rng_unit(r), rng_unit(r), rng_unit(r)};
        for (uint32_t c = 0; c < 3; c++)
            shape_cases_put_vertex(&b, 3 * i + c, at[0] + 0.3 * rng_unit(r),
                                   at[1] + 0.3 * rng_unit(r), at[2] + 0.3 * rng_unit(r));
        shape_cases_put_triangle(&b, &t, 3 * i, 3 * i + 1, 3 * i + 2);
    }
    return b;
}

/* The polygon is a limacon, which turns left everywhere. Its small loop is first. */
body body_winding(uint32_t n)
{
    body b = shape_cases_body(n + 2, 2 * n);
    uint32_t t = 0;
    shape_cases_put_vertex(&b, n, 1000, 400, 0);
    shape_cases_put_vertex(&b, n + 1, -1000, 400, 0);
    for (uint32_t i = 0; i < n; i++) {
        double c[2];
        circle((i + 0.43 * n) / n, c);
        const double far = 1000 * (1 + 1.8 * c[0]);
        shape_cases_put_vertex(&b, i, 0, rint(far * c[0]), rint(far * c[1]));
        shape_cases_put_triangle(&b, &t, n, i, (i + 1) % n);
        shape_cases_put_triangle(&b, &t, n + 1, (i + 1) % n, i);
    }
    return b;
}

body body_join(const body *a, const body *b)
{
    body both = shape_cases_body(a->vertices + b->vertices, a->triangles + b->triangles);
    memcpy(both.x, a->x, 3 * sizeof *a->x * a->vertices);
    memcpy(both.x + 3 * (size_t)a->vertices, b->x, 3 * sizeof *b->x * b->vertices);
    memcpy(both.corner, a->corner, 3 * sizeof *a->corner * a->triangles);
    for (size_t e = 0; e < 3 * (size_t)b->triangles; e++)
        both.corner[3 * (size_t)a->triangles + e] = b->corner[e] + a->vertices;
    return both;
}

body body_collapsed(body b)
{
    body more = shape_cases_body(b.vertices, b.triangles + 2);
    memcpy(more.x, b.x, 3 * sizeof *b.x * b.vertices);
    memcpy(more.corner, (const uint32_t[]){0, b.vertices - 1, 0, 1, 1, 1}, 6 * sizeof *b.corner);
    memcpy(more.corner + 6, b.corner, 3 * sizeof *b.corner * b.triangles);
    body_free(NULL, &b);
    return more;
}

body body_copy(const body *from)
{
    body b = shape_cases_body(from->vertices, from->triangles);
    memcpy(b.x, from->x, 3 * sizeof *b.x * b.vertices);
    memcpy(b.corner, from->corner, 3 * sizeof *b.corner * b.triangles);
    return b;
}

void body_scale(body *b, double factor)
{
    for (size_t i = 0; i < 3 * (size_t)b->vertices; i++)
        b->x[i] *= factor;
}

void body_move(body *b, const double by[3])
{
    for (size_t i = 0; i < 3 * (size_t)b->vertices; i++)
        b->x[i] += by[i % 3];
}

int body_make(mem *m, body *b)
{
    return shape_make(m,
                      &(shape_def){.points = b->x,
                                   .vertices = b->vertices,
                                   .corner = b->corner,
                                   .triangles = b->triangles},
                      &b->s);
}

void body_free(mem *m, body *b)
{
    shape_free(m, b->s);
    free(b->x);
    free(b->corner);
    *b = (body){0};
}

pose_map map_of(const double rotation[4], const double centre[3])
{
    imp_pose p = {0};
    memcpy(p.rotation, rotation, sizeof p.rotation);
    memcpy(p.centre, centre, sizeof p.centre);
    return pose_map_of(&p);
}

pose_map random_map(rng *r, double reach)
{
    double q[4], c[3];
    for (int k = 0; k < 4; k++)
        q[k] = 2 * rng_unit(r) - 1;
    for (int k = 0; k < 3; k++)
        c[k] = (2 * rng_unit(r) - 1) * reach;
    return map_of(q, c);
}
