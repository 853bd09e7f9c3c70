/* See overlap.h. The difference of two convex polyhedra is a polyhedron whose faces have these
 * normals; the least distance of one of them from 0 is the depth. */
#include "overlap.h"

#include "scene_math.h"

#include <math.h>

#define PARALLEL 1e-12 /* square of the sine of the angle between edges that have no axis */

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

/* How far a body reaches from `origin` along a direction. */
static double overlap_support(const solid *of, v3 direction, v3 origin)
{
    const v3 d = scene_turn(&of->back, direction);
    double most = -INFINITY;
    for (uint32_t i = 0; i < of->s->distinct; i++)
        most = fmax(most, v3_dot(d, geom_vertex(of->s, of->s->vertex[i])));
    return most + v3_dot(direction, v3_sub(of->at, origin));
}

/* By the faces of one body: how far the other one is behind the one that it is least behind. */
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

/* Along what is across two edges, in both directions. */
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
