/* Do two primitives meet? See exact_solid.h. */
#include "exact_solid.h"

#include "exact.h"
#include "exact_faces.h"
#include "exact_float.h"
#include "vec3.h"

#include <math.h>

/* ---- faces and sides */

const int tet_face[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};

/* Sides of x[count] over the plane a, b, c: 1, -1, 0. What float64 cannot decide is computed
 * exactly. */
static void exact_solid_plane_sides(const exact_point *const plane[3], const exact_point *x,
                                    int count, int *side)
{
    const double *a = plane[0]->x, *b = plane[1]->x, *c = plane[2]->x;
    double u[3], v[3], n[3], least[3];
    for (int k = 0; k < 3; k++) {
        u[k] = b[k] - a[k];
        v[k] = c[k] - a[k];
        least[k] = greater(fabs(u[k]), fabs(v[k]));
    }
    vec_cross(u, v, n);
    for (int p = 0; p < count; p++) {
        double w[3], size[3];
        for (int k = 0; k < 3; k++) {
            w[k] = x[p].x[k] - a[k];
            size[k] = greater(least[k], fabs(w[k]));
        }
        side[p] = filter_det(vec_dot(n, w), size);
        if (side[p] == SIGN_OPEN)
            side[p] = exact_orient3d(plane[0], plane[1], plane[2], &x[p]);
    }
}

/* The height of a tetrahedron's vertex over the face that lacks it is its volume, seen from above
 * or below. */
void face_sides_find(const exact_prim *p, const exact_prim *q, face_sides *out)
{
    int volume = 0;
    if (p->corners == 4)
        exact_solid_plane_sides((const exact_point *const[]){&p->v[0], &p->v[1], &p->v[2]},
                                &p->v[3], 1, &volume);
    *out = (face_sides){.solid = volume != 0};
    for (int f = 0; f < faces_count(p); f++) {
        const exact_point *const plane[] = {face_vertex(p, f, 0), face_vertex(p, f, 1),
                                            face_vertex(p, f, 2)};
        out->own[f] = f & 1 ? volume : -volume;
        exact_solid_plane_sides(plane, q->v, q->corners, out->side[f]);
    }
}

/* Has the plane of face f all of the other's vertices strictly on one side, its own on the other?
 */
static int exact_solid_face_separates(const face_sides *s, int f, int corners)
{
    int first = s->side[f][0];
    if (!first || first == s->own[f])
        return 0;
    for (int v = 1; v < corners; v++)
        if (s->side[f][v] != first)
            return 0;
    return 1;
}

static int exact_solid_faces_separate(const face_sides *s, const exact_prim *p, const exact_prim *q)
{
    for (int f = 0; f < faces_count(p); f++)
        if (exact_solid_face_separates(s, f, q->corners))
            return 1;
    return 0;
}

int face_sides_vertex_inside(const face_sides *s, int v)
{
    for (int f = 0; f < 4 && s->solid; f++)
        if (s->side[f][v] == -s->own[f])
            return 0;
    return s->solid;
}

/* ---- closed sets */

static int exact_solid_any_inside(const face_sides *s, int corners)
{
    for (int v = 0; v < corners; v++)
        if (face_sides_vertex_inside(s, v))
            return 1;
    return 0;
}

static int exact_solid_faces_intersect(const exact_prim *p, int i, const exact_prim *q, int j)
{
    exact_point a[3], b[3];
    exact_contact found;
    for (int k = 0; k < 3; k++) {
        a[k] = *face_vertex(p, i, k);
        b[k] = *face_vertex(q, j, k);
    }
    exact_tri_tri(a, b, 0, NULL, &found);
    return found.kind != 0;
}

/* Where two solids meet, their surfaces do, or one is inside the other. What has no volume is the
 * union of its faces. */
int exact_prims_intersect(const exact_prim *p, const exact_prim *q)
{
    face_sides sp, sq;
    if (exact_boxes_apart(p->v, p->corners, q->v, q->corners))
        return 0;
    face_sides_find(p, q, &sp);
    if (exact_solid_faces_separate(&sp, p, q))
        return 0;
    face_sides_find(q, p, &sq);
    if (exact_solid_faces_separate(&sq, q, p))
        return 0;
    if (exact_solid_any_inside(&sp, q->corners) || exact_solid_any_inside(&sq, p->corners))
        return 1;
    for (int i = 0; i < faces_count(p); i++)
        for (int j = 0; j < faces_count(q); j++)
            if (exact_solid_faces_intersect(p, i, q, j))
                return 1;
    return 0;
}

/* ---- interiors
 *
 * The interiors of two convex sets, one of which has a volume, are disjoint if and only if a plane
 * has them on two sides, touching or not. The differences of their points are a polytope with
 * facets that are parallel to a face of one or to an edge of each: if there is such a plane, there
 * is one of those directions. */

/* Has the plane of a face all of the other on one side, its own set on the other? Of a triangle
 * either side will do; a triangle of no area has no plane. */
static int exact_solid_face_divides(const face_sides *s, int f, int corners)
{
    int own = s->own[f], above = own == -1, below = own == 1, any = own;
    for (int v = 0; v < corners; v++) {
        above |= s->side[f][v] > 0;
        below |= s->side[f][v] < 0;
        any |= s->side[f][v];
    }
    return any && !(above && below);
}

static int exact_solid_faces_divide(const face_sides *s, const exact_prim *p, const exact_prim *q)
{
    for (int f = 0; f < faces_count(p); f++)
        if (exact_solid_face_divides(s, f, q->corners))
            return 1;
    return 0;
}

/* Where the vertices of a set are in a direction across two edges, seen from a point o of it: the
 * least and the greatest sign. */
static void exact_solid_across_edges(const exact_point *const e[2], const exact_point *const f[2],
                                     const exact_prim *of, const exact_point *o, int *least,
                                     int *most)
{
    *least = *most = 0;
    for (int v = 0; v < of->corners; v++) {
        int s = exact_det(e, f, (const exact_point *const[]){o, &of->v[v]});
        *least = s < *least ? s : *least;
        *most = s > *most ? s : *most;
    }
}

/* Does the direction across edges e of p and f of q have p on one side, q on the other? */
static int exact_solid_edges_divide(const exact_prim *p, const exact_prim *q,
                                    const exact_point *const e[2], const exact_point *const f[2])
{
    int p_least, p_most, q_least, q_most;
    int gap = exact_det(e, f, (const exact_point *const[]){e[0], f[0]});
    exact_solid_across_edges(e, f, p, e[0], &p_least, &p_most);
    exact_solid_across_edges(e, f, q, f[0], &q_least, &q_most);
    if (!p_least && !p_most && !q_least && !q_most)
        return 0; /* parallel edges have no direction */
    return (p_most <= 0 && q_least >= 0 && gap >= 0) || (p_least >= 0 && q_most <= 0 && gap <= 0);
}

const int face_edge[4][3] = {{1, 5, 4}, {2, 5, 3}, {0, 4, 3}, {0, 1, 2}};
const int face_turn[4][3] = {{1, 1, -1}, {-1, 1, -1}, {1, 1, -1}, {1, 1, 1}};
const int prim_edge[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};

static int exact_solid_any_edges_divide(const exact_prim *p, const exact_prim *q)
{
    for (int i = 0; i < edges_count(p); i++)
        for (int j = 0; j < edges_count(q); j++) {
            const exact_point *const e[2] = {&p->v[prim_edge[i][0]], &p->v[prim_edge[i][1]]};
            const exact_point *const f[2] = {&q->v[prim_edge[j][0]], &q->v[prim_edge[j][1]]};
            if (exact_solid_edges_divide(p, q, e, f))
                return 1;
        }
    return 0;
}

int exact_prims_interiors_intersect(const exact_prim *p, const exact_prim *q)
{
    face_sides sp, sq;
    if (exact_boxes_apart(p->v, p->corners, q->v, q->corners))
        return 0;
    face_sides_find(p, q, &sp);
    face_sides_find(q, p, &sq);
    if ((p->corners == 4 && !sp.solid) || (q->corners == 4 && !sq.solid))
        return 0;
    return !exact_solid_faces_divide(&sp, p, q) && !exact_solid_faces_divide(&sq, q, p) &&
           !exact_solid_any_edges_divide(p, q);
}
