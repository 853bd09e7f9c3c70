/* Whether two primitives meet: see exact.h. */
#include "exact.h"
#include "exact_cut.h"
#include "exact_middle.h"
#include "exact_number.h"
#include "vec3.h"

#include <math.h>
#include <string.h>

/* ---- faces and sides */

const int tet_face[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};

/* Sides of x[count] over the plane a, b, c: 1, -1, 0. Exact if undecided in float64. */
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

/* The height of a tetrahedron's vertex over the opposite face is its volume, positive or
 * negative. */
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

/* Returns whether the plane of face f has all of the other's vertices strictly on one side, and its
 * own on the other. */
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

/* If two solids meet, their surfaces do, or one is inside the other. A primitive without volume is
 * the union of its faces. */
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
 * separates them, touching or not. The differences of their points form a polytope whose facets are
 * parallel to a face of one or to an edge of each: if any separating plane exists, one exists in
 * one of those directions. */

/* Returns whether the plane of a face has all of the other on one side, and its own set on the
 * other. For a triangle either side will do; a triangle without area has no plane. */
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

/* The least and the greatest sign of a set's vertices along the direction orthogonal to two edges,
 * seen from a point o of the set. */
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

/* Returns whether the direction orthogonal to edges e of p and f of q has p on one side and q on
 * the other. */
static int exact_solid_edges_divide(const exact_prim *p, const exact_prim *q,
                                    const exact_point *const e[2], const exact_point *const f[2])
{
    int p_least, p_most, q_least, q_most;
    int gap = exact_det(e, f, (const exact_point *const[]){e[0], f[0]});
    exact_solid_across_edges(e, f, p, e[0], &p_least, &p_most);
    exact_solid_across_edges(e, f, q, f[0], &q_least, &q_most);
    if (!p_least && !p_most && !q_least && !q_most)
        return 0; /* parallel edges give no direction */
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

/* Returns whether one of them is a tetrahedron without volume. */
static int exact_solid_any_empty(const face_sides *sp, const exact_prim *p, const face_sides *sq,
                                 const exact_prim *q)
{
    return (p->corners == 4 && !sp->solid) || (q->corners == 4 && !sq->solid);
}

static int exact_solid_any_divides(const face_sides *sp, const exact_prim *p, const face_sides *sq,
                                   const exact_prim *q)
{
    return exact_solid_faces_divide(sp, p, q) || exact_solid_faces_divide(sq, q, p) ||
           exact_solid_any_edges_divide(p, q);
}

int exact_prims_interiors_intersect(const exact_prim *p, const exact_prim *q)
{
    face_sides sp, sq;
    if (exact_boxes_apart(p->v, p->corners, q->v, q->corners))
        return 0;
    face_sides_find(p, q, &sp);
    face_sides_find(q, p, &sq);
    return !exact_solid_any_empty(&sp, p, &sq, q) && !exact_solid_any_divides(&sp, p, &sq, q);
}

/* ---- Collision points of two primitives, and the depth: see exact.h. */

/* ---- cached results */

/* A face, and heights of the other's vertices over it: those with a bit set in `known`; bit 4
 * stands for the plane itself. */
typedef struct solid_pair_face {
    unsigned known;
    cut_plane plane;
    cut_end end[4];
} solid_pair_face;

#define PLANE_KNOWN 16u

/* Two primitives, and the results found so far. */
typedef struct solid_pair {
    const exact_prim *of[2];
    face_sides sides[2]; /* indexed by the primitive with the faces */
    double turn[6][6];   /* for edge i of the first and edge j of the second */
    double turn_error;   /* error bound of `turn` */
    solid_pair_face face[2][4];
    int within;          /* a vertex of one is in the other's interior */
    int pierces;         /* an edge of one passes through the interior of a face of the other */
    unsigned pierced[2]; /* edges of the other that pass through a face, also through its border */
    int constructions;   /* constructions of collision points */
    exact_construction construction[EXACT_COLLISIONS_MOST];
} solid_pair;

/* Edges as lines: their direction, and its moment about a point o. */
typedef struct edge_lines {
    double direction[3][6], moment[3][6];
} edge_lines;

static void edge_lines_of(const exact_prim *p, const exact_point *o, edge_lines *out)
{
    memset(out, 0, sizeof *out);
    for (int e = 0; e < edges_count(p); e++) {
        const exact_point *a = &p->v[prim_edge[e][0]], *b = &p->v[prim_edge[e][1]];
        double at[3], direction[3];
        for (int k = 0; k < 3; k++) {
            at[k] = a->x[k] - o->x[k];
            direction[k] = out->direction[k][e] = b->x[k] - a->x[k];
        }
        for (int k = 0; k < 3; k++) {
            int i = (k + 1) % 3, j = (k + 2) % 3;
            out->moment[k][e] = at[i] * direction[j] - at[j] * direction[i];
        }
    }
}

/* Error bound of edge_lines_turn, where o is a vertex. With the extent e_k of both together along
 * axis k, a moment is two products of at most e_i e_j, with 4 roundings each; each of six terms,
 * which are at most twice e_0 e_1 e_2, has 12 such roundings, and their sum 5 of at most twelve
 * times that: 132 roundings of 2^-53 of e_0 e_1 e_2. */
static double edge_lines_error(const exact_prim *const of[2])
{
    double error = 2e-14;
    for (int k = 0; k < 3; k++) {
        double least = of[0]->v[0].x[k], most = least;
        for (int s = 0; s < 2; s++)
            for (int v = 0; v < of[s]->corners; v++) {
                least = of[s]->v[v].x[k] < least ? of[s]->v[v].x[k] : least;
                most = greater(most, of[s]->v[v].x[k]);
            }
        double size = most - least;
        if (!(size > FILTER_LEAST && size < FILTER_MOST))
            return INFINITY;
        error *= size;
    }
    return error;
}

/* The sides on which lines pass each other, for all lines of one and all of the other. */
static void edge_lines_turn(const edge_lines *p, const edge_lines *q, double turn[6][6])
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            turn[i][j] =
                p->direction[0][i] * q->moment[0][j] + q->direction[0][j] * p->moment[0][i] +
                (p->direction[1][i] * q->moment[1][j] + q->direction[1][j] * p->moment[1][i]) +
                (p->direction[2][i] * q->moment[2][j] + q->direction[2][j] * p->moment[2][i]);
}

/* All edges against all edges at once, which suits vector lanes. */
static void solid_pair_begin(solid_pair *m, const exact_prim *p, const exact_prim *q)
{
    edge_lines lines[2];
    m->of[0] = p;
    m->of[1] = q;
    m->within = m->pierces = m->constructions = 0;
    m->pierced[0] = m->pierced[1] = 0;
    face_sides_find(p, q, &m->sides[0]);
    face_sides_find(q, p, &m->sides[1]);
    for (int k = 0; k < 2; k++) {
        edge_lines_of(m->of[k], &p->v[0], &lines[k]);
        for (int f = 0; f < 4; f++)
            m->face[k][f].known = 0;
    }
    edge_lines_turn(&lines[0], &lines[1], m->turn);
    m->turn_error = edge_lines_error(m->of);
}

/* The side on which edge j of the other passes edge i of one; it is symmetric. */
static int solid_pair_edges_turn(const solid_pair *m, int one, int i, int j)
{
    int e = one ? j : i, f = one ? i : j;
    double turn = m->turn[e][f];
    if (fabs(turn) > m->turn_error)
        return turn > 0 ? 1 : -1;
    const exact_point *p = m->of[0]->v, *q = m->of[1]->v;
    return exact_orient3d(&p[prim_edge[e][0]], &p[prim_edge[e][1]], &q[prim_edge[f][0]],
                          &q[prim_edge[f][1]]);
}

/* Vertex v of the other, over face f of one. */
static const cut_end *solid_pair_face_end(solid_pair *m, int one, int f, int v)
{
    solid_pair_face *at = &m->face[one][f];
    const exact_prim *p = m->of[one];
    if (!(at->known & PLANE_KNOWN))
        exact_cut_plane((const exact_point *const[]){face_vertex(p, f, 0), face_vertex(p, f, 1),
                                                     face_vertex(p, f, 2)},
                        &at->plane);
    if (!(at->known & 1u << v))
        exact_cut_end(&at->plane, &m->of[!one]->v[v], &at->end[v]);
    at->known |= PLANE_KNOWN | 1u << v;
    return &at->end[v];
}

/* ---- collecting */

/* Adds a point unless it equals another after rounding. */
static void solid_points_add(exact_solids *out, solid_pair *m, exact_point x, const cut_point *from)
{
    int i = 0;
    while (i < out->count && exact_point_order(&out->collision[i], &x))
        i++;
    if (i == out->count)
        out->collision[out->count++] = x;
    m->construction[m->constructions++] = (exact_construction){*from, i};
}

static exact_point solid_points_no_negative_zero(const exact_point *x)
{
    return (exact_point){{x->x[0] + 0.0, x->x[1] + 0.0, x->x[2] + 0.0}}; /* -0 becomes 0 */
}

/* Returns whether vertex v of the other is in the interior. */
static int face_sides_vertex_within(const face_sides *s, int v)
{
    for (int f = 0; f < 4 && s->solid; f++)
        if (s->side[f][v] != s->own[f])
            return 0;
    return s->solid;
}

/* Adds vertices of the other that are in one, p. Without a volume, p is the union of its faces. */
static void solid_points_add_vertices(exact_solids *out, solid_pair *m, int one, int inside[4])
{
    const exact_prim *p = m->of[one], *q = m->of[!one];
    const face_sides *s = &m->sides[one];
    for (int v = 0; v < q->corners; v++) {
        inside[v] = face_sides_vertex_inside(s, v);
        m->within |= face_sides_vertex_within(s, v);
        for (int f = 0; f < faces_count(p) && !s->solid && !inside[v]; f++)
            inside[v] =
                !s->side[f][v] && exact_in_triangle(&q->v[v], face_vertex(p, f, 0),
                                                    face_vertex(p, f, 1), face_vertex(p, f, 2));
        const exact_point *x = &q->v[v];
        if (inside[v])
            solid_points_add(out, m, solid_points_no_negative_zero(x),
                             &(cut_point){x, x, x, x, x, -1});
    }
}

/* Adds the piercing point if edge e of the other has its ends on two sides of the plane of face f
 * of one. */
static void solid_points_add_piercing(exact_solids *out, solid_pair *m, int one, int f, int e)
{
    int above = 0, below = 0, border = 0, as = m->of[one]->corners == 4 ? f : 3;
    for (int k = 0; k < 3 && !(above && below); k++) {
        int turn = face_turn[as][k] * solid_pair_edges_turn(m, one, face_edge[as][k], e);
        above |= turn > 0;
        below |= turn < 0;
        border |= !turn;
    }
    if (above && below)
        return;
    m->pierces |= !border;
    m->pierced[one] |= 1u << e;
    const cut_end *a = solid_pair_face_end(m, one, f, prim_edge[e][0]);
    const cut_end *b = solid_pair_face_end(m, one, f, prim_edge[e][1]);
    cut_point from;
    exact_point x = exact_cut(&m->face[one][f].plane, a, b, &from);
    solid_points_add(out, m, x, &from);
}

/* Adds the crossing of two coplanar segments within each other; segments that touch do so in a
 * vertex. */
static void solid_points_add_crossing(exact_solids *out, solid_pair *m, const exact_point *a,
                                      const exact_point *b, const exact_point *c,
                                      const exact_point *d)
{
    if (exact_orient3d(a, b, c, d))
        return; /* the face has no area, so no plane */
    for (int axis = 0; axis < 3; axis++) {
        int c_side = exact_orient2d(a, b, c, axis), d_side = exact_orient2d(a, b, d, axis);
        int a_side = exact_orient2d(c, d, a, axis), b_side = exact_orient2d(c, d, b, axis);
        if (c_side * d_side < 0 && a_side * b_side < 0) {
            cut_point from;
            exact_point x = exact_cut2d(c, d, a, b, axis, &from);
            solid_points_add(out, m, x, &from);
            return;
        }
        if (c_side || d_side || a_side || b_side)
            return; /* the plane keeps its area when seen along this axis */
    }
}

/* Adds the points where edges of the other meet face f of one. */
static void solid_points_add_edges_of(exact_solids *out, solid_pair *m, int one, int f)
{
    const exact_prim *p = m->of[one], *q = m->of[!one];
    const int *side = m->sides[one].side[f];
    for (int e = 0; e < edges_count(q); e++) {
        int i = prim_edge[e][0], j = prim_edge[e][1];
        if (side[i] * side[j] < 0)
            solid_points_add_piercing(out, m, one, f, e);
        for (int k = 0; k < 3 && !side[i] && !side[j]; k++)
            solid_points_add_crossing(out, m, &q->v[i], &q->v[j], face_vertex(p, f, k),
                                      face_vertex(p, f, (k + 1) % 3));
    }
}

static void solid_points_add_edges(exact_solids *out, solid_pair *m, int one)
{
    for (int f = 0; f < faces_count(m->of[one]); f++)
        solid_points_add_edges_of(out, m, one, f);
}

static void solid_points_sort(exact_solids *out)
{
    for (int i = 1; i < out->count; i++) {
        exact_point x = out->collision[i];
        int k = i;
        for (; k && exact_point_order(&out->collision[k - 1], &x) > 0; k--)
            out->collision[k] = out->collision[k - 1];
        out->collision[k] = x;
    }
}

/* ---- depth */

/* A lower bound of the distance of v from the plane of face f as rounded by
 * solid_points_face_distance; 0 if uncertain. With the largest difference d, rounding takes at most
 * 48 units of 2^-53 of d^3 from the height (kernels/README.md), and 8 of d^2 from each component of
 * the normal. */
static double solid_points_least_face_distance(const exact_prim *p, int f, const exact_point *v)
{
    const exact_point *a = face_vertex(p, f, 0), *b = face_vertex(p, f, 1),
                      *c = face_vertex(p, f, 2);
    double direction[3][3], size = 0, height = 0, square = 0;
    for (int k = 0; k < 3; k++) {
        direction[0][k] = b->x[k] - a->x[k];
        direction[1][k] = c->x[k] - a->x[k];
        direction[2][k] = v->x[k] - a->x[k];
        for (int i = 0; i < 3; i++)
            size = greater(size, fabs(direction[i][k]));
    }
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        double n = direction[0][i] * direction[1][j] - direction[0][j] * direction[1][i];
        height += n * direction[2][k];
        square += n * n;
    }
    double normal = sqrt(square);
    if (!(size > FILTER_LEAST && size < FILTER_MOST && normal > 1e-6 * size * size))
        return 0;
    return (fabs(height) - 2e-14 * size * size * size) / normal * (1 - 1e-7);
}

static double solid_points_face_distance(const exact_prim *p, const face_sides *s, int f,
                                         const exact_prim *q, int v)
{
    return s->side[f][v] ? exact_distance(face_vertex(p, f, 0), face_vertex(p, f, 1),
                                          face_vertex(p, f, 2), &q->v[v])
                         : 0;
}

/* The least distance of vertex v of q from a face of p if that exceeds `most`, else any distance
 * that does not. Measures only faces that may be the nearest. */
static double solid_points_vertex_depth(const exact_prim *p, const face_sides *s,
                                        const exact_prim *q, int v, double most)
{
    double sure[4];
    int first = 0;
    for (int f = 0; f < 4; f++) {
        sure[f] = s->side[f][v] ? solid_points_least_face_distance(p, f, &q->v[v]) : 0;
        first = sure[f] < sure[first] ? f : first;
    }
    double least = solid_points_face_distance(p, s, first, q, v);
    for (int f = 0; f < 4 && least > most; f++) {
        if (f == first || sure[f] > least)
            continue;
        double d = solid_points_face_distance(p, s, f, q, v);
        least = d < least ? d : least;
    }
    return least;
}

/* The greatest distance of a vertex of q inside p from p's surface. Within a convex solid, the
 * nearest point of the surface is the nearest point of a face's plane. */
static double solid_points_depth(const exact_prim *p, const face_sides *s, const exact_prim *q,
                                 const int inside[4])
{
    double most = 0;
    for (int v = 0; v < q->corners && s->solid; v++)
        if (inside[v])
            most = greater(most, solid_points_vertex_depth(p, s, q, v, most));
    return most;
}

/* The greatest depth, in p, of the middle of the part of an edge of the other that is inside p. No
 * vertex of the other is in the interior of p, so such an edge passes through a face, or has an end
 * on one. */
static double solid_points_middle_depth(solid_pair *m, int one, const int inside[4])
{
    const face_sides *s = &m->sides[one];
    const exact_prim *q = m->of[!one];
    double most = 0;
    for (int e = 0; e < edges_count(q) && s->solid; e++) {
        const int i = prim_edge[e][0], j = prim_edge[e][1];
        middle_face face[4];
        int passes = m->pierced[one] >> e & 1 || inside[i] || inside[j];
        for (int f = 0; f < 4 && passes; f++)
            passes = s->side[f][i] == s->own[f] || s->side[f][j] == s->own[f];
        for (int f = 0; f < 4 && passes; f++) {
            face[f] = (middle_face){
                .own = s->own[f],
                .side = {s->own[f] * s->side[f][i], s->own[f] * s->side[f][j]},
                .end = {solid_pair_face_end(m, one, f, i), solid_pair_face_end(m, one, f, j)}};
            face[f].plane = &m->face[one][f].plane;
        }
        most = passes ? greater(most, exact_middle_depth(face)) : most;
    }
    return most;
}

/* Only where no vertex is within the other are edges measured. */
static double solid_pair_depth(solid_pair *m, int in_p[4], int in_q[4])
{
    const exact_prim *p = m->of[0], *q = m->of[1];
    return m->within ? greater(solid_points_depth(p, &m->sides[0], q, in_p),
                               solid_points_depth(q, &m->sides[1], p, in_q))
                     : greater(solid_points_middle_depth(m, 0, in_p),
                               solid_points_middle_depth(m, 1, in_q));
}

/* A vertex within, or an edge through a face, shows that interiors meet, without directions. */
static int solid_pair_crosses(const solid_pair *m)
{
    const exact_prim *p = m->of[0], *q = m->of[1];
    const face_sides *sp = &m->sides[0], *sq = &m->sides[1];
    return (p->corners == 4 || q->corners == 4) && !exact_solid_any_empty(sp, p, sq, q) &&
           (m->within || m->pierces || !exact_solid_any_divides(sp, p, sq, q));
}

/* ---- the contact */

/* The ends are derived from unrounded points, so they are found before the points are sorted. */
void exact_prims_contact(const exact_prim *p, const exact_prim *q, exact_solids *out)
{
    solid_pair m;
    int in_p[4] = {0}, in_q[4] = {0};
    solid_pair_begin(&m, p, q);
    out->count = 0;
    solid_points_add_vertices(out, &m, 0, in_p);
    solid_points_add_vertices(out, &m, 1, in_q);
    solid_points_add_edges(out, &m, 0);
    solid_points_add_edges(out, &m, 1);
    exact_farthest_of(out->collision, out->count, m.construction, m.constructions, out->point,
                      NULL);
    solid_points_sort(out);
    out->depth = solid_pair_depth(&m, in_p, in_q);
    out->crossing = solid_pair_crosses(&m);
}
