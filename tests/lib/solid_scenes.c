/* See solid_scenes.h. */
#include "solid_scenes.h"
#include "mesh_shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void solid_scene_clear(solid_scene *s)
{
    s->mesh = (imp_mesh){.corner = s->corner,
                         .object = s->object,
                         .corners = IMP_TETRAHEDRA,
                         .corner_count = s->corner_count};
    s->frame = (imp_frame){.mesh = &s->mesh, .point = s->point};
}

solid_scene *solid_scene_open(void)
{
    solid_scene *s = malloc(sizeof *s);
    if (!s)
        abort();
    solid_scene_clear(s);
    return s;
}

uint32_t solid_vertex(solid_scene *s, double x, double y, double z)
{
    if (s->mesh.vertices == SOLID_VERTS)
        abort();
    double *p = &s->point[(size_t)3 * s->mesh.vertices];
    p[0] = x;
    p[1] = y;
    p[2] = z;
    return s->mesh.vertices++;
}

static void solid_scenes_add(solid_scene *s, int32_t object, const uint32_t corner[4],
                             uint8_t count)
{
    if (s->mesh.primitives == SOLID_PRIMS)
        abort();
    memcpy(&s->corner[(size_t)4 * s->mesh.primitives], corner, 4 * sizeof *corner);
    s->corner_count[s->mesh.primitives] = count;
    s->object[s->mesh.primitives++] = object;
}

void solid_triangle(solid_scene *s, int32_t object, uint32_t a, uint32_t b, uint32_t c)
{
    solid_scenes_add(s, object, (const uint32_t[4]){a, b, c, c}, 3);
}

void solid_tet(solid_scene *s, int32_t object, const uint32_t corner[4])
{
    solid_scenes_add(s, object, corner, 4);
}

/* A quad as two triangles. */
static void solid_scenes_quad(solid_scene *s, int32_t object, uint32_t first, const uint32_t v[4])
{
    solid_triangle(s, object, first + v[0], first + v[1], first + v[2]);
    solid_triangle(s, object, first + v[0], first + v[2], first + v[3]);
}

uint32_t solid_box(solid_scene *s, int32_t object, const double lo[3], const double hi[3])
{
    static const uint32_t side[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    const uint32_t first = s->mesh.vertices;
    for (int i = 0; i < 8; i++)
        solid_vertex(s, i & 1 ? hi[0] : lo[0], i & 2 ? hi[1] : lo[1], i & 4 ? hi[2] : lo[2]);
    for (int i = 0; i < 6; i++)
        solid_scenes_quad(s, object, first, side[i]);
    return first;
}

uint32_t solid_cube(solid_scene *s, int32_t object, double x, double y, double z, double edge)
{
    const double lo[3] = {x, y, z}, hi[3] = {x + edge, y + edge, z + edge};
    return solid_box(s, object, lo, hi);
}

uint32_t solid_pyramid(solid_scene *s, int32_t object, const double x[4][3])
{
    double d[3][3], volume = 0;
    const uint32_t first = s->mesh.vertices;
    for (int i = 0; i < 4; i++)
        solid_vertex(s, x[i][0], x[i][1], x[i][2]);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            d[i][k] = x[i + 1][k] - x[0][k];
    for (int k = 0; k < 3; k++)
        volume += d[0][k] *
                  (d[1][(k + 1) % 3] * d[2][(k + 2) % 3] - d[1][(k + 2) % 3] * d[2][(k + 1) % 3]);
    const uint32_t a = volume > 0 ? 1 : 2, b = 3 - a;
    solid_triangle(s, object, first, first + b, first + a);
    solid_triangle(s, object, first, first + a, first + 3);
    solid_triangle(s, object, first, first + 3, first + b);
    solid_triangle(s, object, first + 1, first + 2, first + 3);
    if (volume < 0) { /* the last one, too */
        uint32_t *c = &s->corner[(size_t)4 * (s->mesh.primitives - 1)];
        c[1] = first + 3;
        c[2] = c[3] = first + 2;
    }
    return first;
}

uint32_t solid_octahedron(solid_scene *s, int32_t object, const double centre[3], double radius)
{
    const uint32_t first = s->mesh.vertices;
    for (int i = 0; i < 6; i++) {
        const double r = i & 1 ? -radius : radius;
        solid_vertex(s, centre[0] + (i / 2 == 0 ? r : 0), centre[1] + (i / 2 == 1 ? r : 0),
                     centre[2] + (i / 2 == 2 ? r : 0));
    }
    for (uint32_t i = 0; i < 8; i++) {
        const uint32_t x = i & 1, y = i >> 1 & 1, z = i >> 2, odd = x ^ y ^ z;
        const uint32_t b = 2 + y, c = 4 + z;
        solid_triangle(s, object, first + x, first + (odd ? c : b), first + (odd ? b : c));
    }
    return first;
}

uint32_t solid_prism(solid_scene *s, int32_t object, const double base[3][2], double low,
                     double high)
{
    const uint32_t first = s->mesh.vertices;
    const double turn = (base[1][0] - base[0][0]) * (base[2][1] - base[0][1]) -
                        (base[1][1] - base[0][1]) * (base[2][0] - base[0][0]);
    for (int i = 0; i < 6; i++) {
        const int c = turn > 0 ? i % 3 : (3 - i % 3) % 3;
        solid_vertex(s, base[c][0], base[c][1], i < 3 ? low : high);
    }
    solid_triangle(s, object, first, first + 2, first + 1);
    solid_triangle(s, object, first + 3, first + 4, first + 5);
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t j = (i + 1) % 3;
        solid_scenes_quad(s, object, first, (const uint32_t[4]){i, j, j + 3, i + 3});
    }
    return first;
}

uint32_t solid_sphere(solid_scene *s, int32_t object, const double centre[3], double radius,
                      uint32_t rings)
{
    const double half = acos(-1);
    const uint32_t first = s->mesh.vertices, around = 2 * rings, last = first + 1;
    solid_vertex(s, centre[0], centre[1], centre[2] - radius);
    for (uint32_t i = 1; i < rings; i++)
        for (uint32_t j = 0; j < around; j++) {
            const double a = half * i / rings, b = 2 * half * j / around;
            solid_vertex(s, centre[0] + radius * sin(a) * cos(b),
                         centre[1] + radius * sin(a) * sin(b), centre[2] - radius * cos(a));
        }
    const uint32_t top = solid_vertex(s, centre[0], centre[1], centre[2] + radius);
    for (uint32_t j = 0; j < around; j++) {
        const uint32_t next = (j + 1) % around, low = last + (rings - 2) * around;
        solid_triangle(s, object, first, last + next, last + j);
        solid_triangle(s, object, top, low + j, low + next);
        for (uint32_t i = 0; i + 2 < rings; i++) {
            const uint32_t p = last + i * around, q = p + around;
            solid_scenes_quad(s, object, 0, (const uint32_t[4]){p + j, p + next, q + next, q + j});
        }
    }
    return first;
}

/* Adds the vertices of a mesh that it uses, and its triangles. */
static uint32_t solid_scenes_shape(solid_scene *s, int32_t object, const mesh_shape *m,
                                   const double from[3])
{
    const uint32_t first = s->mesh.vertices;
    uint32_t number[MESH_MOST];
    memset(number, 0, sizeof number);
    for (uint32_t i = 0; i < 3 * m->triangles; i++)
        number[m->corner[i]] = 1;
    for (uint32_t v = 0; v < m->vertices; v++)
        if (number[v])
            number[v] = solid_vertex(s, from[0] + m->point[(size_t)3 * v],
                                     from[1] + m->point[(size_t)3 * v + 1],
                                     from[2] + m->point[(size_t)3 * v + 2]);
    for (uint32_t i = 0; i < m->triangles; i++) {
        const uint32_t *c = &m->corner[(size_t)3 * i];
        solid_triangle(s, object, number[c[0]], number[c[1]], number[c[2]]);
    }
    return first;
}

uint32_t solid_torus(solid_scene *s, int32_t object, const double centre[3], double radius,
                     double tube, uint32_t n, uint32_t k)
{
    mesh_shape m;
    mesh_torus(&m, radius, tube, n, k);
    return solid_scenes_shape(s, object, &m, centre);
}

uint32_t solid_cells(solid_scene *s, int32_t object, const int n[3], const char *full,
                     const double from[3])
{
    static const double at[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    mesh_shape m;
    mesh_cells(&m, n, (const double *const[3]){at, at, at}, full);
    return solid_scenes_shape(s, object, &m, from);
}

void solid_flip(solid_scene *s, int32_t object)
{
    for (uint32_t i = 0; i < s->mesh.primitives; i++) {
        uint32_t *c = &s->corner[(size_t)4 * i];
        const uint32_t was = c[0];
        if (s->object[i] != object)
            continue;
        c[0] = c[1];
        c[1] = was;
    }
}

void solid_move(solid_scene *s, uint32_t first, double x, double y, double z)
{
    for (size_t v = first; v < s->mesh.vertices; v++) {
        s->point[3 * v] += x;
        s->point[3 * v + 1] += y;
        s->point[3 * v + 2] += z;
    }
}

/* ---- pairs on a lattice */

static double solid_scenes_int(rng *r, int lo, int hi)
{
    return lo + (int)(rng_next(r) % (uint64_t)(hi - lo + 1));
}

/* Unions of cubes whose surfaces are 2-manifolds. */
static const struct {
    int n[3];
    const char *full;
} solid_scenes_cells[] = {
    {{2, 2, 1}, "###."},      {{3, 2, 1}, "###.#."},   {{3, 3, 1}, "####.####"},
    {{3, 2, 1}, "##..##"},    {{2, 2, 2}, "###.#..."}, {{3, 2, 1}, "####.#"},
    {{3, 3, 1}, ".#.###.#."}, {{2, 2, 2}, "####..##"},
};

static void solid_scenes_any(solid_scene *s, int32_t object, rng *r)
{
    const int kind = (int)(rng_next(r) % SOLID_KINDS);
    double x[4][3];
    for (int i = 0; i < 12; i++)
        x[i / 3][i % 3] = solid_scenes_int(r, 0, 2);
    const double hi[3] = {x[0][0] + solid_scenes_int(r, 1, 3), x[0][1] + solid_scenes_int(r, 1, 3),
                          x[0][2] + solid_scenes_int(r, 1, 3)};
    if (kind == 0) {
        solid_box(s, object, x[0], hi);
    } else if (kind == 1) {
        const double grown[4][3] = {{x[0][0], x[0][1], x[0][2]},
                                    {hi[0], x[0][1], x[0][2]},
                                    {x[1][0], hi[1], x[0][2]},
                                    {x[1][0], x[1][1], hi[2]}};
        solid_pyramid(s, object, grown);
    } else if (kind == 2 || kind == 3) {
        const size_t i = rng_next(r) % (sizeof solid_scenes_cells / sizeof *solid_scenes_cells);
        solid_cells(s, object, solid_scenes_cells[i].n, solid_scenes_cells[i].full, x[0]);
    } else if (kind == 4) {
        const double base[3][2] = {{x[0][0], x[0][1]}, {hi[0], x[0][1]}, {x[1][0], hi[1]}};
        solid_prism(s, object, base, x[0][2], hi[2]);
    } else if (kind == 5) {
        solid_octahedron(s, object, x[0], solid_scenes_int(r, 1, 2));
    } else { /* a needle */
        const double tip[4][3] = {{x[0][0], x[0][1], x[0][2] - 3},
                                  {x[0][0] + 0x1p-6, x[0][1], x[0][2] - 3},
                                  {x[0][0], x[0][1] + 0x1p-6, x[0][2] - 3},
                                  {x[1][0], x[1][1], x[0][2] + 4}};
        solid_pyramid(s, object, tip);
    }
}

/* Adds multiples of coordinates to each other: what met still meets, up to rounding, of which there
 * is none for so few bits. */
static void solid_scenes_shear(solid_scene *s, rng *r)
{
    const double by[3] = {0x1p-12 * solid_scenes_int(r, -99, 99),
                          0x1p-12 * solid_scenes_int(r, -99, 99),
                          0x1p-12 * solid_scenes_int(r, -99, 99)};
    for (size_t v = 0; v < s->mesh.vertices; v++) {
        double *x = &s->point[3 * v];
        x[0] += by[0] * x[1] + by[1] * x[2];
        x[1] += by[2] * x[2];
    }
}

/* Adds object 0 once more as object 1, moved by a vector of the lattice or not. */
static void solid_scenes_again(solid_scene *s, rng *r)
{
    const uint32_t first = s->mesh.vertices, prims = s->mesh.primitives;
    for (size_t v = 0; v < first; v++)
        solid_vertex(s, s->point[3 * v], s->point[3 * v + 1], s->point[3 * v + 2]);
    for (uint32_t i = 0; i < prims; i++) {
        const uint32_t *c = &s->corner[(size_t)4 * i];
        solid_triangle(s, 1, first + c[0], first + c[1], first + c[2]);
    }
    if (rng_below(r, 2))
        solid_move(s, first, solid_scenes_int(r, -1, 1), solid_scenes_int(r, -1, 1),
                   solid_scenes_int(r, -1, 1));
}

/* Makes object 1 small, and moves it to the middle of two vertices of object 0. */
static void solid_scenes_within(solid_scene *s, uint32_t first, rng *r)
{
    const double *p = &s->point[(size_t)3 * rng_below(r, first)];
    const double *q = &s->point[(size_t)3 * rng_below(r, first)];
    for (size_t i = (size_t)3 * first; i < (size_t)3 * s->mesh.vertices; i++)
        s->point[i] *= 0.0625;
    solid_move(s, first, 0.5 * (p[0] + q[0]), 0.5 * (p[1] + q[1]), 0.5 * (p[2] + q[2]));
}

void solid_pair_make(solid_scene *s, uint64_t seed)
{
    rng r = {seed};
    const uint32_t how = rng_below(&r, 8);
    solid_scene_clear(s);
    solid_scenes_any(s, 0, &r);
    const uint32_t first = s->mesh.vertices;
    if (!how)
        solid_scenes_again(s, &r);
    else
        solid_scenes_any(s, 1, &r);
    if (how == 1 || how == 2)
        solid_scenes_within(s, first, &r);
    if (!rng_below(&r, 8))
        solid_move(s, first, 0, 0, rng_below(&r, 2) ? 0x1p-36 : -0x1p-36);
    if (!rng_below(&r, 3))
        solid_scenes_shear(s, &r);
    for (uint32_t i = 0; i < s->mesh.primitives && how & 1; i++)
        s->object[i] = !s->object[i];
}

void solid_print(const solid_scene *s, int32_t object)
{
    uint32_t first = UINT32_MAX, last = 0, triangles = 0;
    for (uint32_t i = 0; i < s->mesh.primitives; i++)
        for (uint32_t k = 0; k < 3 && s->object[i] == object; k++) {
            const uint32_t v = s->corner[(size_t)4 * i + k];
            first = v < first ? v : first;
            last = v > last ? v : last;
            triangles += !k;
        }
    printf(" %u %u", last - first + 1, triangles);
    for (size_t v = (size_t)3 * first; v < (size_t)3 * last + 3; v++)
        printf(" %a", s->point[v]);
    for (uint32_t i = 0; i < s->mesh.primitives; i++)
        for (uint32_t k = 0; k < 3 && s->object[i] == object; k++)
            printf(" %u", s->corner[(size_t)4 * i + k] - first);
}
