/* See geom.h. */
#include "geom.h"

#include "error.h"
#include "scene_math.h"

#include <math.h>
#include <string.h>

#define NO_AREA 1e-10   /* of the square of the longest edge: rounding decides the normal */
#define NO_VOLUME 1e-13 /* of the sum of the tetrahedra's amounts: rounding decides the sign */
#define FAR 4           /* radii from the origin, where the sums have lost digits */

void geom_free(mem *m, geom *s)
{
    if (!s)
        return;
    mem_free(m, s->point);
    mem_free(m, s->corner);
    mem_free(m, s->plane);
    mem_free(m, s->edge);
    mem_free(m, s->edge_of);
    mem_free(m, s->side);
    mem_free(m, s->same);
    mem_free(m, s->vertex);
    mem_free(m, s->star0);
    mem_free(m, s->star);
    mem_free(m, s);
}

/* ---- mass */

/* Six times the volume of the tetrahedron from the origin to a triangle, with its sign. */
static double six_volume(const geom *s, uint32_t t)
{
    return v3_dot(geom_corner(s, t, 0), v3_cross(geom_corner(s, t, 1), geom_corner(s, t, 2)));
}

/* About the square of the body's size. */
static double cbrt_square(double volume)
{
    const double size = scene_cbrt(volume);
    return size * size;
}

/* Sets the volume and whether it is clockwise. *centre: the centre of mass, if there is a volume.
 */
static void measure_volume(geom *s, v3 *centre)
{
    double volume = 0, amount = 0;
    v3 sum = {0, 0, 0};
    for (uint32_t t = 0; t < s->triangles; t++) {
        const double v = six_volume(s, t);
        volume += v;
        amount += fabs(v);
        for (int k = 0; k < 3; k++)
            sum = v3_add(sum, v3_scale(geom_corner(s, t, k), v));
    }
    s->volume = 0;
    if (!(fabs(volume) > NO_VOLUME * amount))
        return;
    s->clockwise = volume < 0;
    s->volume = fabs(volume) / 6;
    *centre = v3_scale(sum, 1 / (4 * volume));
}

static void geom_translate(geom *s, v3 by)
{
    for (uint32_t i = 0; i < s->vertices; i++)
        scene_store(s->point + (size_t)3 * i, v3_add(geom_vertex(s, i), by));
    s->moved = v3_add(s->moved, by);
}

/* The square of the radius. */
static double square_radius(const geom *s)
{
    double most = 0;
    for (uint32_t i = 0; i < s->distinct; i++) {
        const v3 x = geom_vertex(s, s->vertex[i]);
        most = fmax(most, v3_dot(x, x));
    }
    return most;
}

/* Once more where the first sums were those of a body that is far from the origin. */
static void move_to_centre(geom *s)
{
    for (int round = 0; round < 2; round++) {
        v3 centre = {0, 0, 0};
        measure_volume(s, &centre);
        if (!(s->volume > 0))
            return;
        /* rounding alone does not move a symmetric body */
        const int there = v3_dot(centre, centre) < 1e-28 * cbrt_square(s->volume);
        geom_translate(s, there ? v3_make(0, 0, 0) : v3_scale(centre, -1));
        if (there || v3_dot(centre, centre) < FAR * FAR * square_radius(s))
            return;
    }
}

/* The integral of u v over a tetrahedron of six times the volume `six`, one corner of which is the
 * origin: six / 120 times the sum over pairs of corners, equal ones twice. */
static double geom_product_integral(const double u[3], const double v[3], double six)
{
    double sum = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            sum += (i == k ? 2 : 1) * u[i] * v[k];
    return sum * six / 120;
}

static void measure_inertia(geom *s)
{
    double second[3][3] = {{0}}; /* integrals of x_i x_k */
    for (uint32_t t = 0; t < s->triangles; t++) {
        double x[3][3];
        for (int k = 0; k < 3; k++) {
            const v3 p = geom_corner(s, t, k);
            x[0][k] = p.x, x[1][k] = p.y, x[2][k] = p.z;
        }
        const double six = s->clockwise ? -six_volume(s, t) : six_volume(s, t);
        for (int i = 0; i < 3; i++)
            for (int k = i; k < 3; k++)
                second[i][k] += geom_product_integral(x[i], x[k], six);
    }
    s->inertia[0] = second[1][1] + second[2][2];
    s->inertia[1] = second[0][0] + second[2][2];
    s->inertia[2] = second[0][0] + second[1][1];
    s->inertia[3] = -second[0][1];
    s->inertia[4] = -second[0][2];
    s->inertia[5] = -second[1][2];
}

/* ---- planes */

static double longest_square(const v3 edge[3])
{
    return fmax(fmax(v3_dot(edge[0], edge[0]), v3_dot(edge[1], edge[1])), v3_dot(edge[2], edge[2]));
}

static geom_plane plane_of(const geom *s, uint32_t t)
{
    const v3 p = geom_corner(s, t, 0);
    const v3 u = v3_sub(geom_corner(s, t, 1), p), v = v3_sub(geom_corner(s, t, 2), p);
    const v3 across = v3_cross(u, v);
    const double longest = longest_square((const v3[3]){u, v, v3_sub(v, u)});
    if (!(v3_dot(across, across) > NO_AREA * NO_AREA * longest * longest))
        return (geom_plane){{0, 0, 0}, INFINITY};
    const v3 unit = scene_unit(across), n = s->clockwise ? v3_scale(unit, -1) : unit;
    return (geom_plane){n, v3_dot(n, p)};
}

static void find_planes(geom *s)
{
    for (uint32_t t = 0; t < s->triangles; t++)
        s->plane[t] = plane_of(s, t);
}

static int geom_build(mem *m, const double *point, const uint32_t *corner, const geom *sizes,
                      int moves, geom **out)
{
    int err = IMP_OK;
    geom *s = NULL;
    v3 centre;
    const size_t numbers = (size_t)3 * sizes->vertices, corners = (size_t)3 * sizes->triangles;
    *out = NULL;
    TRY(mem_alloc(m, sizeof *s, &s));
    *s = *sizes;
    TRY(mem_alloc(m, numbers * sizeof *s->point, &s->point));
    TRY(mem_alloc(m, corners * sizeof *s->corner, &s->corner));
    TRY(mem_alloc(m, s->triangles * sizeof *s->plane, &s->plane));
    memcpy(s->point, point, numbers * sizeof *point);
    memcpy(s->corner, corner, corners * sizeof *corner);
    TRY(geom_edges(m, s));
    if (s->closed && moves)
        move_to_centre(s);
    else if (s->closed)
        measure_volume(s, &centre);
    if (s->volume > 0)
        measure_inertia(s);
    find_planes(s);
    geom_ridges(s);
    *out = s;
    s = NULL;
out:
    geom_free(m, s);
    return err;
}

int geom_make(mem *m, const double *point, uint32_t vertices, const uint32_t *corner,
              uint32_t triangles, geom **out)
{
    const geom sizes = {.vertices = vertices, .triangles = triangles};
    return geom_build(m, point, corner, &sizes, 1, out);
}

int geom_make_centred(mem *m, const double *point, uint32_t vertices, const uint32_t *corner,
                      uint32_t triangles, geom **out)
{
    const geom sizes = {.vertices = vertices, .triangles = triangles};
    return geom_build(m, point, corner, &sizes, 0, out);
}
