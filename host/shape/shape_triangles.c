/* The closest points of two triangles: of the 15 pairs of a vertex and a face, or of two edges; and
 * where an edge goes through a face.
 *
 * Points are always sums of corners with parameters from 0 to 1, so they are on the triangles but
 * for rounding, whatever their shape: a wrong parameter makes a distance too large, never too
 * small. The normals of slivers are not reliable. So a vertex is compared with the edges first, and
 * the face is searched from the nearest point on them. */
#include "shape_fine.h"
#include "shape_query.h"
#include "vec3.h"

/* Side 0 has p, side 1 has q: other functions see a triangle and its side. */
typedef struct tri {
    const double (*x)[3];
    double n[3]; /* at right angles, not of length 1 */
    double edge[3][3];
    double nn;
    int side;
} tri;

static tri tri_make(const double x[3][3], int side)
{
    tri t = {.x = x, .side = side};
    for (int i = 0; i < 3; i++)
        vec_sub(x[(i + 1) % 3], x[i], t.edge[i]);
    vec_cross(t.edge[0], t.edge[1], t.n);
    t.nn = vec_dot(t.n, t.n);
    return t;
}

/* x of the triangle on side `side`, y of the other one. */
static void offer(shape_touch *best, int side, const double x[3], int part, const double y[3],
                  int other)
{
    const double square = vec_square(x, y);
    if (!(square < best->square))
        return;
    best->square = square;
    vec_copy(x, best->x[side]);
    vec_copy(y, best->x[!side]);
    best->part[side] = part;
    best->part[!side] = other;
}

/* The parameter of edge i that is nearest to x. */
static double shape_triangles_edge_parameter(const tri *t, int i, const double x[3])
{
    return vec_closest_to_point(t->x[i], t->edge[i], x);
}

/* Which feature has it; the point, exactly a corner at the ends. */
static int shape_triangles_edge_point(const tri *t, int i, double s, double out[3])
{
    if (s >= 1)
        vec_copy(t->x[(i + 1) % 3], out);
    else
        vec_along(t->x[i], s, t->edge[i], out);
    return s <= 0 ? i : s >= 1 ? (i + 1) % 3 : PART_EDGE + i;
}

/* Where the line through y along n meets the plane, for w = x - y with y in the plane: the
 * parameters of edge 0 and of the reversed edge 2, from y on. */
static void shape_triangles_plane_parameters(const tri *t, const double w[3], double out[2])
{
    double back[3] = {-t->edge[2][0], -t->edge[2][1], -t->edge[2][2]}, c[3];
    vec_cross(w, back, c);
    out[0] = vec_dot(c, t->n) / t->nn;
    vec_cross(t->edge[0], w, c);
    out[1] = vec_dot(c, t->n) / t->nn;
}

/* The point with these parameters, if it is inside. */
static int face_point(const tri *t, double u, double v, double out[3])
{
    if (!(u >= 0 && v >= 0 && u + v <= 1))
        return 0;
    vec_along(t->x[0], u, t->edge[0], out);
    vec_along(out, -v, t->edge[2], out);
    return 1;
}

/* Corner c of the other triangle. */
static void shape_triangles_vertex_face(const tri *t, const double x[3], int c, shape_touch *best)
{
    double y[3], near[3] = {0}, w[3], d[2], least = INFINITY, s = 0;
    int edge = 0;
    for (int i = 0; i < 3; i++) {
        const double at = shape_triangles_edge_parameter(t, i, x);
        const int part = shape_triangles_edge_point(t, i, at, y);
        offer(best, t->side, y, part, x, c);
        if (vec_square(x, y) < least) {
            least = vec_square(x, y);
            vec_copy(y, near);
            edge = i;
            s = at;
        }
    }
    if (!(t->nn > 0) || !(least < INFINITY))
        return;
    vec_sub(x, near, w);
    shape_triangles_plane_parameters(t, w, d);
    const double u = edge == 0 ? s : edge == 1 ? 1 - s : 0;
    const double v = edge == 0 ? 0 : edge == 1 ? s : 1 - s;
    if (face_point(t, u + d[0], v + d[1], y))
        offer(best, t->side, y, PART_FACE, x, c);
}

/* Edge i of t and k of o, between their ends: the ends are vertices' work. From the lines' common
 * perpendicular; projected once more, as the first parameter is not reliable if they are nearly
 * parallel. */
static void shape_triangles_edge_edge(const tri *t, int i, const tri *o, int k, shape_touch *best)
{
    double n[3], w[3], x[3], y[3];
    vec_cross(t->edge[i], o->edge[k], n);
    if (!(vec_dot(n, n) > 0))
        return;
    vec_sub(o->x[k], t->x[i], w);
    shape_triangles_edge_point(t, i, vec_closest_to_line(t->edge[i], o->edge[k], w), x);
    const double at = shape_triangles_edge_parameter(o, k, x);
    const int other = shape_triangles_edge_point(o, k, at, y);
    const int part = shape_triangles_edge_point(t, i, shape_triangles_edge_parameter(t, i, y), x);
    offer(best, t->side, x, part, y, other);
}

/* Edge i of o goes through t. */
static void pierce(const tri *t, const tri *o, int i, shape_touch *best)
{
    double w[3], x[3], y[3], d[2];
    vec_sub(o->x[i], t->x[0], w);
    const double from = vec_dot(w, t->n);
    vec_sub(o->x[(i + 1) % 3], t->x[0], w);
    const double to = vec_dot(w, t->n);
    if (!(t->nn > 0) || !((from > 0 && to < 0) || (from < 0 && to > 0)))
        return;
    const int part = shape_triangles_edge_point(o, i, from / (from - to), x);
    vec_sub(x, t->x[0], w);
    shape_triangles_plane_parameters(t, w, d);
    if (face_point(t, d[0], d[1], y))
        offer(best, t->side, y, PART_FACE, x, part);
}

void shape_triangles(const double p[3][3], const double q[3][3], shape_touch *out)
{
    const tri t[2] = {tri_make(p, 0), tri_make(q, 1)};
    out->square = INFINITY;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < 3; i++)
            shape_triangles_vertex_face(&t[side], t[!side].x[i], i, out);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            shape_triangles_edge_edge(&t[0], i, &t[1], k, out);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < 3; i++)
            pierce(&t[side], &t[!side], i, out);
}

/* ---- two segments */

static double segment_parameter(const double a[2][3], const double x[3])
{
    double e[3];
    vec_sub(a[1], a[0], e);
    return vec_closest_to_point(a[0], e, x);
}

static void segment_at(const double a[2][3], double parameter, double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[0][k] + parameter * (a[1][k] - a[0][k]);
}

/* From a parameter of a: the nearest point of b, then the nearest of a to that. */
static double shape_triangles_alternate(const double a[2][3], const double b[2][3],
                                        double parameter[2])
{
    double x[3], y[3];
    segment_at(a, parameter[0], x);
    parameter[1] = segment_parameter(b, x);
    segment_at(b, parameter[1], y);
    parameter[0] = segment_parameter(a, y);
    segment_at(a, parameter[0], x);
    return vec_square(x, y);
}

static double line_parameter(const double a[2][3], const double b[2][3])
{
    double e[3], f[3], w[3];
    vec_sub(a[1], a[0], e);
    vec_sub(b[1], b[0], f);
    vec_sub(b[0], a[0], w);
    return vec_closest_to_line(e, f, w);
}

double shape_segments(const double a[2][3], const double b[2][3], double parameter[2])
{
    const double begin[5] = {line_parameter(a, b), 0, 1, segment_parameter(a, b[0]),
                             segment_parameter(a, b[1])};
    double least = INFINITY;
    for (int i = 0; i < 5; i++) {
        double at[2] = {begin[i], 0};
        const double square = shape_triangles_alternate(a, b, at);
        if (square < least) {
            least = square;
            parameter[0] = at[0];
            parameter[1] = at[1];
        }
    }
    return least;
}

/* ---- how far apart they are at least */

/* How far q is beyond p along d, which becomes a unit vector; or p beyond q. */
static double shape_triangles_gap(const double p[3][3], const double q[3][3], const double d[3])
{
    double u[3], lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
    vec_copy(d, u);
    if (!vec_unit(u))
        return 0;
    for (int i = 0; i < 3; i++) {
        const double h[2] = {vec_dot(u, p[i]), vec_dot(u, q[i])};
        for (int side = 0; side < 2; side++) {
            lo[side] = fmin(lo[side], h[side]);
            hi[side] = fmax(hi[side], h[side]);
        }
    }
    return fmax(fmax(lo[1] - hi[0], lo[0] - hi[1]), 0);
}

static double fine_gap(const double p[3][3], const double q[3][3], const fine *d)
{
    double x[3];
    fine_out(d, x);
    return shape_triangles_gap(p, q, x);
}

/* Along the normals of both, and across two edges. */
static double gap_of_faces(const double p[3][3], const double q[3][3], const fine e[2][3])
{
    const fine n[2] = {fine_cross(&e[0][0], &e[0][1]), fine_cross(&e[1][0], &e[1][1])};
    double best = fmax(fine_gap(p, q, &n[0]), fine_gap(p, q, &n[1]));
    for (int i = 0; i < 9; i++) {
        const fine c = fine_cross(&e[0][i / 3], &e[1][i % 3]);
        best = fmax(best, fine_gap(p, q, &c));
    }
    return best;
}

/* Between two vertices, and between a vertex and an edge. */
static double gap_of_vertices(const double p[3][3], const double q[3][3], const fine e[2][3])
{
    double best = 0;
    for (int i = 0; i < 9; i++) {
        const fine w = fine_between(p[i / 3], q[i % 3]);
        const fine a = fine_across(&w, &e[0][i / 3]), b = fine_across(&w, &e[1][i % 3]);
        best = fmax(best, fmax(fine_gap(p, q, &w), fmax(fine_gap(p, q, &a), fine_gap(p, q, &b))));
    }
    return best;
}

/* The line between close points has hardly a direction of its own, and what is across nearly
 * parallel edges is lost in rounding: so all others are taken with twice the digits. */
double shape_triangles_apart(const double p[3][3], const double q[3][3], const shape_touch *t,
                             double enough)
{
    fine e[2][3];
    double d[3];
    vec_sub(t->x[1], t->x[0], d);
    const double best = shape_triangles_gap(p, q, d);
    if (best >= enough)
        return best;
    for (int i = 0; i < 3; i++) {
        e[0][i] = fine_between(p[i], p[(i + 1) % 3]);
        e[1][i] = fine_between(q[i], q[(i + 1) % 3]);
    }
    return fmax(best, fmax(gap_of_faces(p, q, (const fine(*)[3])e),
                           gap_of_vertices(p, q, (const fine(*)[3])e)));
}
