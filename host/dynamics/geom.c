/* See geom.h. */
#include "geom.h"

#include "error.h"
#include "scene_kind.h"
#include "scene_math.h"
#include "shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NO_AREA 1e-10   /* times the longest edge squared: below it, the normal is rounding */
#define NO_VOLUME 1e-13 /* times the sum of absolute volumes: below it, the sign is rounding */
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

/* Six times the signed volume of the tetrahedron from the origin to a triangle. */
static double six_volume(const geom *s, uint32_t t)
{
    return v3_dot(geom_corner(s, t, 0), v3_cross(geom_corner(s, t, 1), geom_corner(s, t, 2)));
}

/* Approximately the square of the body's size. */
static double cbrt_square(double volume)
{
    const double size = scene_cbrt(volume);
    return size * size;
}

/* Sets the volume and `clockwise`. *centre: the centre of mass, if there is a volume. */
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

/* Moves twice if the body was far from the origin, where the first sums are inaccurate. */
static void move_to_centre(geom *s)
{
    for (int round = 0; round < 2; round++) {
        v3 centre = {0, 0, 0};
        measure_volume(s, &centre);
        if (!(s->volume > 0))
            return;
        /* a symmetric body is not moved by rounding alone */
        const int there = v3_dot(centre, centre) < 1e-28 * cbrt_square(s->volume);
        geom_translate(s, there ? v3_make(0, 0, 0) : v3_scale(centre, -1));
        if (there || v3_dot(centre, centre) < FAR * FAR * square_radius(s))
            return;
    }
}

/* The integral of u v over a tetrahedron with one corner at the origin and six times the volume
 * `six`: six / 120 times the sum over pairs of corners, equal ones twice. */
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

/* ---- The edges of a geom, by sorting: their triangles and vertices, and whether they close the
 * surface. */

/* An edge in one of its triangles. */
typedef struct side {
    uint32_t low, high, at; /* 3 * triangle + corner */
} side;

static int side_order(const void *x, const void *y)
{
    const side *a = x, *b = y;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

static uint32_t next_corner(uint32_t at)
{
    return at % 3 == 2 ? at - 2 : at + 1;
}

/* Lists all edges with a length; returns their number. */
static size_t geom_edges_list(geom *s, side *all)
{
    size_t count = 0;
    for (uint32_t i = 0; i < 3 * s->triangles; i++) {
        const uint32_t a = s->same[s->corner[i]], b = s->same[s->corner[next_corner(i)]];
        s->edge_of[i] = GEOM_NONE;
        if (a != b)
            all[count++] = (side){a < b ? a : b, a < b ? b : a, i};
    }
    return count;
}

/* Joins adjacent sides in sorted order to edges. */
static void join_sides(geom *s, const side *all, size_t count)
{
    int64_t sum = 0; /* sum of the directions of an edge's sides */
    s->closed = count > 0;
    for (size_t i = 0; i < count; i++) {
        const side *x = &all[i];
        if (!i || x->low != all[i - 1].low || x->high != all[i - 1].high) {
            s->closed &= !sum;
            sum = 0;
            s->edge[s->edges++] = (geom_edge){.vertex = {x->low, x->high}, .side0 = (uint32_t)i};
        }
        s->edge[s->edges - 1].sides++;
        s->side[i] = x->at / 3;
        s->edge_of[x->at] = s->edges - 1;
        sum += s->same[s->corner[x->at]] == x->low ? 1 : -1;
    }
    s->closed &= !sum;
}

static int make_edges(mem *m, geom *s)
{
    int err = IMP_OK;
    const size_t corners = (size_t)3 * s->triangles;
    side *all = NULL;
    TRY(mem_alloc(m, corners * sizeof *all, &all));
    TRY(mem_alloc(m, corners * sizeof *s->edge, &s->edge));
    TRY(mem_alloc(m, corners * sizeof *s->edge_of, &s->edge_of));
    TRY(mem_alloc(m, corners * sizeof *s->side, &s->side));
    const size_t count = geom_edges_list(s, all);
    qsort(all, count, sizeof *all, side_order);
    join_sides(s, all, count);
    TRY(mem_grow(m, s->edges * sizeof *s->edge, s->edges * sizeof *s->edge, &s->edge));
out:
    mem_free(m, all);
    return err;
}

static int make_vertices(mem *m, geom *s)
{
    int err = IMP_OK;
    uint8_t *used = NULL;
    TRY(mem_alloc(m, s->vertices, &used));
    TRY(mem_alloc(m, s->vertices * sizeof *s->same, &s->same));
    TRY(mem_alloc(m, s->vertices * sizeof *s->vertex, &s->vertex));
    TRY(shape_same(m, s->point, s->vertices, s->same));
    memset(used, 0, s->vertices);
    for (size_t i = 0; i < (size_t)3 * s->triangles; i++)
        used[s->same[s->corner[i]]] = 1;
    for (uint32_t i = 0; i < s->vertices; i++)
        if (used[i])
            s->vertex[s->distinct++] = i;
out:
    mem_free(m, used);
    return err;
}

/* Counting sort: star0 is first the end of each vertex's range, and is decremented to its
 * beginning. */
static int make_stars(mem *m, geom *s)
{
    int err = IMP_OK;
    TRY(mem_alloc(m, ((size_t)s->vertices + 1) * sizeof *s->star0, &s->star0));
    TRY(mem_alloc(m, (size_t)2 * s->edges * sizeof *s->star, &s->star));
    memset(s->star0, 0, ((size_t)s->vertices + 1) * sizeof *s->star0);
    for (uint32_t e = 0; e < s->edges; e++)
        for (int k = 0; k < 2; k++)
            s->star0[s->edge[e].vertex[k]]++;
    for (uint32_t i = 0; i < s->vertices; i++)
        s->star0[i + 1] += s->star0[i];
    for (uint32_t e = s->edges; e-- > 0;)
        for (int k = 0; k < 2; k++)
            s->star[--s->star0[s->edge[e].vertex[k]]] = e;
out:
    return err;
}

int geom_edges(mem *m, geom *s)
{
    int err = IMP_OK;
    TRY(make_vertices(m, s));
    TRY(make_edges(m, s));
    TRY(make_stars(m, s));
out:
    return err;
}

/* ---- flat edges */

/* The corner of a triangle that is not on the edge. */
static v3 opposite(const geom *s, uint32_t t, const geom_edge *e)
{
    int k = 0;
    while (k < 2 && (s->same[s->corner[(size_t)3 * t + (size_t)k]] == e->vertex[0] ||
                     s->same[s->corner[(size_t)3 * t + (size_t)k]] == e->vertex[1]))
        k++;
    return geom_corner(s, t, k);
}

/* Rounding may rotate the normals of two coplanar triangles apart by some 2^-50. If the surface is
 * folded back, both are coplanar, too, but on the same side of the edge. */
static int geom_edges_is_flat(const geom *s, const geom_edge *e)
{
    const uint32_t t = s->side[e->side0], u = e->sides == 2 ? s->side[e->side0 + 1] : t;
    const v3 n = s->plane[t].n, across = v3_cross(n, s->plane[u].n);
    if (e->sides != 2 || !(v3_dot(n, n) > 0) || v3_dot(s->plane[u].n, s->plane[u].n) == 0 ||
        !(v3_dot(across, across) < 1e-24))
        return 0;
    const v3 x = geom_vertex(s, e->vertex[0]), along = v3_sub(geom_vertex(s, e->vertex[1]), x);
    const v3 out = v3_cross(along, n);
    return v3_dot(out, v3_sub(opposite(s, t, e), x)) * v3_dot(out, v3_sub(opposite(s, u, e), x)) <
           0;
}

void geom_ridges(geom *s)
{
    for (geom_edge *e = s->edge; e < s->edge + s->edges; e++)
        e->flat = geom_edges_is_flat(s, e);
}

/* ---- See geom.h: the shapes for scenes. */

/* ---- few corners */

int geom_box(mem *m, v3 edges, geom **out)
{
    static const uint32_t corner[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                        2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    double point[24];
    for (int i = 0; i < 8; i++)
        scene_store(point + (size_t)3 * (size_t)i,
                    v3_make((i & 1 ? 0.5 : -0.5) * edges.x, (i & 2 ? 0.5 : -0.5) * edges.y,
                            (i & 4 ? 0.5 : -0.5) * edges.z));
    return geom_make(m, point, 8, corner, 12, out);
}

int geom_wedge(mem *m, double length, double width, double height, geom **out)
{
    static const uint32_t corner[24] = {0, 3, 4, 0, 4, 1, 0, 1, 2, 3, 5, 4,
                                        1, 4, 5, 1, 5, 2, 0, 2, 5, 0, 5, 3};
    const double y = width / 2;
    const double point[18] = {0, -y, 0, length, -y, 0, length, -y, height,
                              0, y,  0, length, y,  0, length, y,  height};
    return geom_make(m, point, 6, corner, 8, out);
}

/* ---- balls */

/* The rotation that moves a corner of the icosahedron to +x: half a turn about the bisector. */
static v3 turned(v3 p, v3 corner)
{
    const v3 axis = scene_unit(v3_add(corner, v3_make(1, 0, 0)));
    return v3_sub(v3_scale(axis, 2 * v3_dot(axis, p)), p);
}

/* The two opposite corners are placed exactly: balls in a row touch at these. */
static void geom_shapes_place_points(double radius, uint32_t vertices, double *point)
{
    const v3 first = v3_make(point[0], point[1], point[2]);
    for (uint32_t i = 0; i < vertices; i++) {
        double *at = point + (size_t)3 * i;
        v3 p = turned(v3_make(at[0], at[1], at[2]), first);
        if (p.x > 1 - 1e-12 || p.x < -1 + 1e-12)
            p = v3_make(p.x > 0 ? 1 : -1, 0, 0);
        scene_store(at, v3_scale(p, radius));
    }
}

/* Makes triangles anticlockwise seen from outside, whatever ball_fill does. */
static void face_outward(const double *point, uint32_t triangles, uint32_t *corner)
{
    for (uint32_t t = 0; t < triangles; t++) {
        uint32_t *c = corner + (size_t)3 * t;
        v3 p[3];
        for (int k = 0; k < 3; k++) {
            const double *at = point + (size_t)3 * c[k];
            p[k] = v3_make(at[0], at[1], at[2]);
        }
        if (v3_dot(p[0], v3_cross(p[1], p[2])) < 0) {
            const uint32_t swap = c[1];
            c[1] = c[2];
            c[2] = swap;
        }
    }
}

int geom_ball(mem *m, double radius, uint32_t cuts, geom **out)
{
    int err = IMP_OK;
    double *point = NULL;
    uint32_t *corner = NULL;
    const uint32_t vertices = (uint32_t)ball_vertices(cuts),
                   triangles = (uint32_t)ball_triangles(cuts);
    *out = NULL;
    TRY(mem_alloc(m, (size_t)3 * vertices * sizeof *point, &point));
    TRY(mem_alloc(m, (size_t)3 * triangles * sizeof *corner, &corner));
    ball_points(cuts, point);
    ball_fill(cuts, 0, corner);
    geom_shapes_place_points(radius, vertices, point);
    face_outward(point, triangles, corner);
    TRY(geom_make(m, point, vertices, corner, triangles, out));
out:
    mem_free(m, point);
    mem_free(m, corner);
    return err;
}

/* ---- The difference of two convex polyhedra is a polyhedron whose faces have these normals; the
 * least distance of one of them from 0 is the depth. */

#define PARALLEL 1e-12 /* square of the sine of the angle between edges that give no axis */

typedef struct solid {
    const geom *s;
    m3 turn, back;
    v3 at;
} solid;

static solid solid_of(const geom *s, const pose_map *p)
{
    const double(*r)[3] = p->r;
    return (solid){.s = s,
                   .turn = {{v3_make(r[0][0], r[0][1], r[0][2]), v3_make(r[1][0], r[1][1], r[1][2]),
                             v3_make(r[2][0], r[2][1], r[2][2])}},
                   .back = {{v3_make(r[0][0], r[1][0], r[2][0]), v3_make(r[0][1], r[1][1], r[2][1]),
                             v3_make(r[0][2], r[1][2], r[2][2])}},
                   .at = v3_make(p->t[0], p->t[1], p->t[2])};
}

/* The extent of a body from `origin` along a direction. */
static double overlap_support(const solid *of, v3 direction, v3 origin)
{
    const v3 d = scene_turn(&of->back, direction);
    double most = -INFINITY;
    for (uint32_t i = 0; i < of->s->distinct; i++)
        most = fmax(most, v3_dot(d, geom_vertex(of->s, of->s->vertex[i])));
    return most + v3_dot(direction, v3_sub(of->at, origin));
}

/* By the faces of one body: the depth of the other behind the face behind which it is least
 * deep. */
static double behind_faces(const solid *of, const solid *other)
{
    double least = INFINITY;
    for (uint32_t t = 0; t < of->s->triangles; t++) {
        const geom_plane *p = &of->s->plane[t];
        const v3 out = scene_turn(&of->turn, p->n);
        if (isfinite(p->d))
            least = fmin(least, p->d + overlap_support(other, v3_scale(out, -1), of->at));
    }
    return least;
}

static v3 overlap_edge(const solid *of, uint32_t i)
{
    const uint32_t *v = of->s->edge[i].vertex;
    return scene_turn(&of->turn, v3_sub(geom_vertex(of->s, v[1]), geom_vertex(of->s, v[0])));
}

/* Along the cross product of two edges, in both directions. */
static double across_edges(const solid *a, const solid *b, v3 u, v3 v)
{
    const v3 n = v3_cross(u, v);
    if (!(v3_dot(n, n) > PARALLEL * v3_dot(u, u) * v3_dot(v, v)))
        return INFINITY;
    const v3 axis = scene_unit(n), back = v3_scale(axis, -1);
    return fmin(overlap_support(a, axis, a->at) + overlap_support(b, back, a->at),
                overlap_support(a, back, a->at) + overlap_support(b, axis, a->at));
}

double overlap_depth(const geom *a, const pose_map *pa, const geom *b, const pose_map *pb)
{
    const solid of_a = solid_of(a, pa), of_b = solid_of(b, pb);
    double least = fmin(behind_faces(&of_a, &of_b), behind_faces(&of_b, &of_a));
    if ((uint64_t)a->edges * b->edges > OVERLAP_EDGES)
        return least;
    for (uint32_t i = 0; i < a->edges; i++)
        for (uint32_t k = 0; k < b->edges && !a->edge[i].flat; k++)
            if (!b->edge[k].flat)
                least = fmin(least, across_edges(&of_a, &of_b, overlap_edge(&of_a, i),
                                                 overlap_edge(&of_b, k)));
    return least;
}
