/* See manifold.h. */
#include "manifold.h"

#include "error.h"
#include "geom.h"

#include <math.h>

#define ALIGNED 5e-7 /* 1 - cosine of the greatest angle between directions that count as equal */
#define ALONG 1e-9   /* cosine; planes below it are parallel to a ray */

void manifold_free(manifold *m)
{
    if (m->mem)
        mem_free(m->mem, m->point);
    m->point = NULL;
    m->count = m->capacity = 0;
}

int manifold_add(manifold *m, const manifold_point *point)
{
    int err = mem_fit(m->mem, m->count, &m->capacity, sizeof *m->point, &m->point);
    if (!err)
        m->point[m->count++] = *point;
    return err;
}

/* One of the two bodies in a search. */
typedef struct part {
    const geom *s;
    const pose_map *p;
    v3 towards;   /* direction to the other body: the normal, or its opposite */
    double front; /* greatest extent in that direction */
    int is_b;
} part;

/* ---- poses */

static v3 manifold_posed_vertex(const part *of, uint32_t vertex)
{
    const v3 x = pose_turn(of->p, geom_vertex(of->s, vertex));
    return v3_add(x, v3_make(of->p->t[0], of->p->t[1], of->p->t[2]));
}

/* ---- the normal */

/* The normal of the face that is most nearly in that direction. */
static v3 nearest_face(const part *of, v3 direction, double *cosine)
{
    const v3 d = pose_turn_back(of->p, direction);
    uint32_t best = 0;
    *cosine = -2;
    for (uint32_t t = 0; t < of->s->triangles; t++) {
        const double c = v3_dot(of->s->plane[t].n, d);
        if (c > *cosine) {
            *cosine = c;
            best = t;
        }
    }
    return pose_turn(of->p, of->s->plane[best].n);
}

static v3 better_normal(const part *a, const part *b, v3 normal)
{
    double of_a, of_b;
    const v3 na = nearest_face(a, normal, &of_a);
    const v3 nb = nearest_face(b, v3_scale(normal, -1), &of_b);
    if (of_a > of_b)
        return of_a > 1 - ALIGNED ? na : normal;
    return of_b > 1 - ALIGNED ? v3_scale(nb, -1) : normal;
}

static double manifold_extent(const part *of)
{
    const v3 d = pose_turn_back(of->p, of->towards);
    double most = -INFINITY;
    for (uint32_t i = 0; i < of->s->distinct; i++)
        most = fmax(most, v3_dot(d, geom_vertex(of->s, of->s->vertex[i])));
    return most + v3_dot(of->towards, v3_make(of->p->t[0], of->p->t[1], of->p->t[2]));
}

/* The distance of the other body in front of the face for which that is greatest, negative if it is
 * behind all faces; and that face. */
static double least_depth(const part *of, const part *other, uint32_t *face)
{
    double most = -INFINITY;
    for (uint32_t t = 0; t < of->s->triangles; t++) {
        const v3 n = pose_turn_back(other->p, pose_turn(of->p, of->s->plane[t].n));
        const v3 d =
            pose_turn_back(of->p, v3_sub(v3_make(other->p->t[0], other->p->t[1], other->p->t[2]),
                                         v3_make(of->p->t[0], of->p->t[1], of->p->t[2])));
        double least = INFINITY;
        for (uint32_t i = 0; i < other->s->distinct; i++)
            least = fmin(least, v3_dot(n, geom_vertex(other->s, other->s->vertex[i])));
        least += v3_dot(of->s->plane[t].n, d) - of->s->plane[t].d;
        if (least > most) {
            most = least;
            *face = t;
        }
    }
    return most;
}

v3 manifold_exit_normal(const geom *a, const pose_map *pa, const geom *b, const pose_map *pb)
{
    const part of_a = {.s = a, .p = pa}, of_b = {.s = b, .p = pb};
    uint32_t face_a = 0, face_b = 0;
    const double depth_a = least_depth(&of_a, &of_b, &face_a);
    const double depth_b = least_depth(&of_b, &of_a, &face_b);
    return depth_a >= depth_b ? pose_turn(pa, a->plane[face_a].n)
                              : v3_scale(pose_turn(pb, b->plane[face_b].n), -1);
}

/* ---- vertices above the other body */

/* The distance along a ray from x to its entry into the body; negative: x is inside, or beyond.
 * Returns 0 if it misses the body by more than `slack`. */
static int ray_enters(const geom *s, v3 x, v3 ray, double slack, double *gap)
{
    double in = -INFINITY, out = INFINITY;
    for (uint32_t t = 0; t < s->triangles; t++) {
        const geom_plane *p = &s->plane[t];
        const double above = v3_dot(p->n, x) - p->d, along = v3_dot(p->n, ray);
        if (fabs(along) < ALONG) {
            if (above > slack)
                return 0;
        } else if (along < 0) {
            in = fmax(in, above / -along);
        } else {
            out = fmin(out, (slack - above) / along);
        }
    }
    *gap = in;
    return in <= out + slack;
}

static int manifold_add_vertices(const part *from, const part *to, double reach, double slack,
                                 manifold *m)
{
    int err = IMP_OK;
    const v3 ray = pose_turn_back(to->p, from->towards);
    const v3 origin = v3_make(to->p->t[0], to->p->t[1], to->p->t[2]);
    for (uint32_t i = 0; i < from->s->distinct; i++) {
        const v3 x = manifold_posed_vertex(from, from->s->vertex[i]);
        double gap;
        /* in front of all of the other body by more than the reach */
        if (-to->front - v3_dot(from->towards, x) > reach)
            continue;
        if (!ray_enters(to->s, pose_turn_back(to->p, v3_sub(x, origin)), ray, slack, &gap) ||
            gap > reach)
            continue;
        TRY(manifold_add(m, &(manifold_point){v3_add(x, v3_scale(from->towards, gap / 2)),
                                              m->normal, gap, to->is_b}));
    }
out:
    return err;
}

/* ---- edges that cross */

static int in_reach(const part *of, const part *other, v3 x, double reach)
{
    return -other->front - v3_dot(of->towards, x) <= reach;
}

/* Two edges as seen along the normal. Parallel ones cross nowhere: their ends are vertices. */
static int manifold_add_crossing(const v3 p[2], const v3 q[2], double reach, manifold *m)
{
    const v3 u = v3_sub(p[1], p[0]), v = v3_sub(q[1], q[0]), w = v3_sub(q[0], p[0]);
    const v3 across = v3_cross(u, v);
    const double area = v3_dot(across, m->normal);
    if (!(area * area > 1e-16 * v3_dot(u, u) * v3_dot(v, v)))
        return IMP_OK;
    const double s = v3_dot(v3_cross(w, v), m->normal) / area;
    const double t = v3_dot(v3_cross(w, u), m->normal) / area;
    if (!(s >= 0 && s <= 1 && t >= 0 && t <= 1))
        return IMP_OK;
    const v3 x = v3_add(p[0], v3_scale(u, s)), y = v3_add(q[0], v3_scale(v, t));
    const double gap = v3_dot(m->normal, v3_sub(y, x));
    const manifold_point point = {v3_scale(v3_add(x, y), 0.5), m->normal, gap, 0.5};
    return gap <= reach ? manifold_add(m, &point) : IMP_OK;
}

/* The ends of edge i, if both are in reach and it is not flat: an edge that matters lies nearly
 * orthogonal to the normal. */
static int edge_ends(const part *of, const part *other, uint32_t i, double reach, v3 out[2])
{
    if (of->s->edge[i].flat)
        return 0;
    for (int k = 0; k < 2; k++) {
        out[k] = manifold_posed_vertex(of, of->s->edge[i].vertex[k]);
        if (!in_reach(of, other, out[k], reach))
            return 0;
    }
    return 1;
}

/* The outer loop is over the body with more edges: few of them are in reach. */
static int manifold_add_crossings(const part *a, const part *b, double reach, manifold *m)
{
    int err = IMP_OK;
    const int swap = b->s->edges > a->s->edges;
    const part *outer = swap ? b : a, *inner = swap ? a : b;
    v3 p[2], q[2];
    for (uint32_t i = 0; i < outer->s->edges; i++) {
        if (!edge_ends(outer, inner, i, reach, p))
            continue;
        for (uint32_t k = 0; k < inner->s->edges; k++)
            if (edge_ends(inner, outer, k, reach, q))
                TRY(swap ? manifold_add_crossing(q, p, reach, m)
                         : manifold_add_crossing(p, q, reach, m));
    }
out:
    return err;
}

int manifold_find(const geom *a, const pose_map *pa, const geom *b, const pose_map *pb, v3 normal,
                  double reach, double slack, manifold *out)
{
    int err = IMP_OK;
    part of_a = {.s = a, .p = pa}, of_b = {.s = b, .p = pb, .is_b = 1};
    out->count = 0;
    out->normal = better_normal(&of_a, &of_b, normal);
    of_a.towards = out->normal;
    of_b.towards = v3_scale(out->normal, -1);
    of_a.front = manifold_extent(&of_a);
    of_b.front = manifold_extent(&of_b);
    TRY(manifold_add_vertices(&of_a, &of_b, reach, slack, out));
    TRY(manifold_add_vertices(&of_b, &of_a, reach, slack, out));
    TRY(manifold_add_crossings(&of_a, &of_b, reach, out));
out:
    return err;
}
