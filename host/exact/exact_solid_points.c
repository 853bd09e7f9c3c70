/* Where two primitives meet: collision points, and how deep. See exact_solid.h. */
#include "exact_solid.h"

#include "exact_faces.h"
#include "exact_hull.h"

#include <math.h>

/* ---- collecting */

static int point_order(const exact_point *x, const exact_point *y)
{
    for (int k = 0; k < 3; k++)
        if (x->x[k] != y->x[k])
            return x->x[k] < y->x[k] ? -1 : 1;
    return 0;
}

/* Points are told apart once they are rounded. */
static void add_point(exact_solids *out, exact_point x)
{
    for (int i = 0; i < out->count; i++)
        if (!point_order(&out->collision[i], &x))
            return;
    out->collision[out->count++] = x;
}

static exact_point plain(const exact_point *x)
{
    return (exact_point){{x->x[0] + 0.0, x->x[1] + 0.0, x->x[2] + 0.0}}; /* -0 becomes 0 */
}

/* Vertices of q that lie in p. Without a volume p is the union of its faces. */
static void add_vertices(exact_solids *out, const exact_prim *p, const face_sides *s,
                         const exact_prim *q, int inside[4])
{
    for (int v = 0; v < q->corners; v++) {
        inside[v] = vertex_inside(s, v);
        for (int f = 0; f < faces_count(p) && !s->solid && !inside[v]; f++)
            inside[v] =
                !s->side[f][v] && exact_in_triangle(&q->v[v], face_vertex(p, f, 0),
                                                    face_vertex(p, f, 1), face_vertex(p, f, 2));
        if (inside[v])
            add_point(out, plain(&q->v[v]));
    }
}

/* The edge a-b of one, whose ends are on two sides of the plane of face f of p. */
static void add_piercing(exact_solids *out, const exact_prim *p, int f, const exact_point *a,
                         const exact_point *b)
{
    const exact_point *c[3] = {face_vertex(p, f, 0), face_vertex(p, f, 1), face_vertex(p, f, 2)};
    int above = 0, below = 0;
    for (int k = 0; k < 3; k++) {
        int turn = exact_orient3d(a, b, c[k], c[(k + 1) % 3]);
        above |= turn > 0;
        below |= turn < 0;
    }
    if (!(above && below))
        add_point(out, exact_cut(c[0], c[1], c[2], a, b));
}

/* Segments of one plane that cross each within the other; those that touch do so in a vertex. */
static void add_crossing(exact_solids *out, const exact_point *a, const exact_point *b,
                         const exact_point *c, const exact_point *d)
{
    if (exact_orient3d(a, b, c, d))
        return; /* the face has no area, and so no plane */
    for (int axis = 0; axis < 3; axis++) {
        int c_side = exact_orient2d(a, b, c, axis), d_side = exact_orient2d(a, b, d, axis);
        int a_side = exact_orient2d(c, d, a, axis), b_side = exact_orient2d(c, d, b, axis);
        if (c_side * d_side < 0 && a_side * b_side < 0) {
            add_point(out, exact_cut2d(c, d, a, b, axis));
            return;
        }
        if (c_side || d_side || a_side || b_side)
            return; /* seen along this axis the plane keeps its area */
    }
}

/* Where edges of q meet faces of p. s: the sides of q's vertices. */
static void add_edges(exact_solids *out, const exact_prim *p, const face_sides *s,
                      const exact_prim *q)
{
    for (int f = 0; f < faces_count(p); f++)
        for (int e = 0; e < edges_count(q); e++) {
            int i = prim_edge[e][0], j = prim_edge[e][1], sides = s->side[f][i] * s->side[f][j];
            if (sides < 0)
                add_piercing(out, p, f, &q->v[i], &q->v[j]);
            for (int k = 0; k < 3 && !s->side[f][i] && !s->side[f][j]; k++)
                add_crossing(out, &q->v[i], &q->v[j], face_vertex(p, f, k),
                             face_vertex(p, f, (k + 1) % 3));
        }
}

static void sort_points(exact_solids *out)
{
    for (int i = 1; i < out->count; i++) {
        exact_point x = out->collision[i];
        int k = i;
        for (; k && point_order(&out->collision[k - 1], &x) > 0; k--)
            out->collision[k] = out->collision[k - 1];
        out->collision[k] = x;
    }
}

/* ---- depth */

/* The greatest distance of a vertex of q inside p from p's surface. Within a convex solid the
 * nearest point of the surface is the nearest point of a face's plane. */
static double depth_of(const exact_prim *p, const face_sides *s, const exact_prim *q,
                       const int inside[4])
{
    double most = 0;
    for (int v = 0; v < q->corners; v++) {
        double least = INFINITY;
        for (int f = 0; f < 4 && inside[v] && s->solid; f++) {
            double d = s->side[f][v] ? exact_distance(face_vertex(p, f, 0), face_vertex(p, f, 1),
                                                      face_vertex(p, f, 2), &q->v[v])
                                     : 0;
            least = d < least ? d : least;
        }
        if (inside[v] && s->solid && least > most)
            most = least;
    }
    return most;
}

/* ---- all */

void exact_prims_contact(const exact_prim *p, const exact_prim *q, exact_solids *out)
{
    face_sides sp, sq;
    int in_p[4], in_q[4];
    faces_ask(p, q, &sp);
    faces_ask(q, p, &sq);
    out->count = 0;
    add_vertices(out, p, &sp, q, in_p);
    add_vertices(out, q, &sq, p, in_q);
    add_edges(out, p, &sp, q);
    add_edges(out, q, &sq, p);
    sort_points(out);
    exact_farthest(out->collision, out->count, out->point);
    double of_q = depth_of(p, &sp, q, in_p), of_p = depth_of(q, &sq, p, in_q);
    out->depth = of_q > of_p ? of_q : of_p;
}
