/* See solids.h: the nearest face whose sides differ. Bounds in float64 leave few faces, which are
 * compared exactly. */
#include "solids.h"

#include "vec3.h"

#include <math.h>
#include <string.h>

/* A face that may be the nearest one. */
typedef struct solids_near {
    double least; /* a lower bound of its distance, in the boxes' unit */
    uint32_t prim;
    int face;
} solids_near;

typedef struct depth_search {
    solids_walk *walk;
    uint32_t place;
    const double *x;
    double unit[3];             /* x in the boxes' coordinates */
    double most;                /* no nearest face is farther away; in the boxes' unit */
    size_t count;               /* faces in walk->near */
    int differing;              /* only faces whose sides differ count */
    const exact_nearest *known; /* of the only face found first, or NULL */
} depth_search;

/* Coordinates of boxes are rounded to float32, and at most about 2. */
#define DEPTH_BOX_ERROR 0x1p-21
#define DEPTH_EMPTY 0x1p10 /* only an empty box is farther away */
/* Relative to the greatest coordinate of the face's corners, seen from the point. */
#define DEPTH_ERROR 0x1p-48

/* ---- bounds of the distance of a face, in float64 */

/* The weight of b in the point of the edge a-b that is nearest to the origin. */
static double depth_edge_weight(const double a[3], const double b[3])
{
    double e[3];
    vec_sub(b, a, e);
    const double length = vec_dot(e, e), t = length > 0 ? -vec_dot(a, e) / length : 0;
    return t > 0 ? t < 1 ? t : 1 : 0;
}

static double depth_edge_point(const double a[3], const double b[3], double out[3])
{
    const double t = depth_edge_weight(a, b);
    for (int k = 0; k < 3; k++)
        out[k] = a[k] + t * (b[k] - a[k]);
    return vec_dot(out, out);
}

/* About the point of a triangle that is nearest to the origin. */
static void depth_triangle_point(double p[3][3], double out[3])
{
    double e[3], f[3], n[3], side[3], best = INFINITY, q[3];
    vec_sub(p[1], p[0], e);
    vec_sub(p[2], p[0], f);
    vec_cross(e, f, n);
    for (int k = 0; k < 3; k++) {
        double c[3];
        vec_cross(p[(k + 1) % 3], p[(k + 2) % 3], c);
        side[k] = vec_dot(c, n);
    }
    const double sum = side[0] + side[1] + side[2];
    if (side[0] >= 0 && side[1] >= 0 && side[2] >= 0 && sum > 0) {
        for (int k = 0; k < 3; k++)
            out[k] = (side[0] * p[0][k] + side[1] * p[1][k] + side[2] * p[2][k]) / sum;
        best = vec_dot(out, out);
    }
    for (int k = 0; k < 3; k++) {
        const double square = depth_edge_point(p[k], p[(k + 1) % 3], q);
        if (square < best) {
            best = square;
            memcpy(out, q, sizeof q);
        }
    }
}

/* Bounds of the distance: any point of the face gives an upper one; along the way to that point no
 * corner is nearer than the lower one. */
static void depth_bounds(const depth_search *d, const exact_point face[3], double *least,
                         double *most)
{
    const solids *s = d->walk->of;
    double p[3][3], q[3], size = 0, ahead = INFINITY;
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++) {
            p[c][k] =
                face[c].x[k] * s->scale[0] * s->scale[1] - d->x[k] * s->scale[0] * s->scale[1];
            size = fmax(size, fabs(p[c][k]));
        }
    vec_copy(p[0], q);
    depth_triangle_point(p, q);
    const double length = sqrt(vec_dot(q, q)), error = DEPTH_ERROR * size + 0x1p-500;
    for (int c = 0; c < 3; c++)
        ahead = fmin(ahead, vec_dot(q, p[c]));
    *most = length + error;
    *least = length > error ? ahead / length - error : 0;
}

/* ---- the faces that may be the nearest */

static void depth_add(depth_search *d, uint32_t prim, int face)
{
    solids_walk *w = d->walk;
    uint32_t vertex[3];
    exact_point p[3];
    double least, most;
    solids_face(w->of, prim, face, vertex, p);
    depth_bounds(d, p, &least, &most);
    if (least > d->most || (d->differing && solids_side_of(w, prim, face) == SOLIDS_SAME))
        return;
    d->most = most < d->most ? most : d->most;
    if (mem_fit(w->of->mem, d->count, &w->near_capacity, sizeof *w->near, &w->near))
        w->err = IMP_ERR_MEMORY;
    else
        w->near[d->count++] = (solids_near){least, prim, face};
}

/* far: [INSIDE_WIDTH] the distances of a node's boxes; of an empty one more than any other */
static void depth_box_distances(const depth_search *d, const float *box, double *far)
{
    for (int e = 0; e < INSIDE_WIDTH; e++)
        far[e] = 0;
    for (int k = 0; k < 3; k++)
        for (int e = 0; e < INSIDE_WIDTH; e++) {
            const double below = box[INSIDE_WIDTH * k + e] - d->unit[k],
                         above = d->unit[k] - box[INSIDE_WIDTH * (3 + k) + e];
            const double gap = below > above ? below : above;
            far[e] += gap > 0 ? gap * gap : 0;
        }
    for (int e = 0; e < INSIDE_WIDTH; e++)
        far[e] = sqrt(far[e]) - DEPTH_BOX_ERROR;
}

static void depth_leaf(depth_search *d, uint32_t leaf, const double *far)
{
    const solids *s = d->walk->of;
    for (uint32_t e = 0; e < INSIDE_WIDTH; e++) {
        const uint32_t prim = s->tree->prim[(size_t)INSIDE_WIDTH * leaf + e];
        for (int f = 0; f < 4 && prim != CLOSED_NONE && far[e] <= d->most; f++)
            if (s->mesh.surface[prim] >> f & 1)
                depth_add(d, prim, f);
    }
}

/* The nearest child is visited first: pushed last. */
static void depth_push_children(depth_search *d, uint32_t below, const double *far)
{
    solids_walk *w = d->walk;
    const size_t base = w->used;
    for (uint32_t e = 0; e < INSIDE_WIDTH; e++) {
        if (far[e] > d->most || far[e] > DEPTH_EMPTY)
            continue;
        const solids_visited child = {below + e, far[e]};
        solids_walk_push(w, child);
        for (size_t k = w->used - 1; k > base && !w->err && w->stack[k - 1].far < far[e]; k--) {
            w->stack[k] = w->stack[k - 1];
            w->stack[k - 1] = child;
        }
    }
}

/* Faces of which the nearest one is known to be one. */
static void depth_given(depth_search *d, const uint32_t *prim, size_t n)
{
    solids_walk *w = d->walk;
    for (size_t i = 0; i < n; i++)
        if (mem_fit(w->of->mem, d->count, &w->near_capacity, sizeof *w->near, &w->near))
            w->err = IMP_ERR_MEMORY;
        else
            w->near[d->count++] = (solids_near){0, prim[i], 0};
}

/* Removes the faces that are certainly not the nearest. */
static void depth_prune(depth_search *d)
{
    solids_near *near = d->walk->near;
    size_t left = 0;
    for (size_t i = 0; i < d->count; i++)
        if (near[i].least <= d->most)
            near[left++] = near[i];
    d->count = left;
}

/* The face that was the nearest one of the point before gives a first bound. */
static void depth_begin(depth_search *d)
{
    const solids_walk *w = d->walk;
    uint32_t vertex[3];
    exact_point p[3];
    double least;
    d->count = 0;
    d->most = INFINITY;
    if (!w->hinted || w->hint_place != d->place || d->differing)
        return;
    solids_face(w->of, (uint32_t)(w->hint / 4), (int)(w->hint % 4), vertex, p);
    depth_bounds(d, p, &least, &d->most);
}

static void depth_collect(depth_search *d)
{
    solids_walk *w = d->walk;
    const solids_tree *t = w->of->tree;
    const size_t base = w->used;
    depth_begin(d);
    solids_walk_push(w, (solids_visited){t->root[d->place], 0});
    while (w->used > base && !w->err) {
        const solids_visited at = w->stack[--w->used];
        const uint32_t below = t->below[at.node];
        double far[INSIDE_WIDTH];
        if (at.far > d->most)
            continue;
        depth_box_distances(d, t->box + (size_t)INSIDE_NODE * at.node, far);
        if (below & INSIDE_LEAF)
            depth_leaf(d, below & ~INSIDE_LEAF, far);
        else
            depth_push_children(d, below, far);
    }
    w->used = base;
    depth_prune(d);
}

/* ---- exactly */

static exact_numbered depth_point(const double x[3])
{
    exact_numbered p = {.of = {.corners = 3}, .vertex = {CLOSED_NONE, CLOSED_NONE, CLOSED_NONE}};
    for (int k = 0; k < 3; k++)
        memcpy(p.of.v[k].x, x, sizeof p.of.v[k].x);
    return p;
}

static exact_numbered depth_face(const solids *s, const solids_near *n)
{
    exact_numbered p = {.of = {.corners = 3}};
    solids_face(s, n->prim, n->face, p.vertex, p.of.v);
    return p;
}

/* A face and its distance, rounded if there is no doubt. */
typedef struct depth_measured {
    exact_numbered face;
    exact_rounded rounded;
    int sure;
} depth_measured;

static void depth_measure(const depth_search *d, const exact_numbered *x, const solids_near *n,
                          depth_measured *out)
{
    out->face = depth_face(d->walk->of, n);
    out->sure = exact_prims_rounded(x, &out->face, &out->rounded);
}

/* The sign of the difference of the distances of two faces. */
static int depth_compare(const exact_numbered *x, const depth_measured *i, const depth_measured *j)
{
    const int order = i->sure && j->sure ? exact_rounded_compare(&i->rounded, &j->rounded) : 2;
    return order != 2 ? order
                      : exact_distances_compare((exact_prim[2]){x->of, i->face.of},
                                                (exact_prim[2]){x->of, j->face.of});
}

/* The order of a tetrahedron's faces is that of format.md, not that of tet_face. */
static int depth_before(const solids_near *i, const solids_near *j)
{
    static const int number[4] = {1, 2, 0, 3};
    return i->prim != j->prim ? i->prim < j->prim : number[i->face] < number[j->face];
}

/* Keeps the nearest faces, in order of (prim, face). */
static void depth_nearest(depth_search *d)
{
    solids_near *near = d->walk->near;
    const exact_numbered x = depth_point(d->x);
    size_t ties = d->count ? 1 : 0;
    depth_measured best, next;
    if (d->count > 1)
        depth_measure(d, &x, &near[0], &best);
    for (size_t i = 1; i < d->count; i++) {
        depth_measure(d, &x, &near[i], &next);
        const int order = depth_compare(&x, &next, &best);
        if (order < 0) {
            best = next;
            ties = 0;
        }
        if (order <= 0)
            near[ties++] = near[i];
    }
    for (size_t i = 1; i < ties; i++)
        for (size_t k = i; k > 0 && depth_before(&near[k], &near[k - 1]); k--) {
            const solids_near t = near[k];
            near[k] = near[k - 1];
            near[k - 1] = t;
        }
    d->count = ties;
}

/* A vertex and a face have one pair of features; a face with a vertex twice has others. */
static void depth_exactly(const exact_numbered *x, const exact_numbered *face, exact_nearest *out)
{
    const uint32_t *v = face->vertex;
    exact_pair pair;
    if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) {
        exact_prims_nearest(x, face, NULL, out);
        return;
    }
    exact_pair_of(x, (exact_feature){1, 0}, face, (exact_feature){3, 0}, &pair);
    exact_pair_nearest(&x->of, &face->of, &pair, NULL, out);
}

static int depth_height(const depth_search *d, const exact_point p[3])
{
    const exact_point x = {{d->x[0], d->x[1], d->x[2]}};
    return exact_orient3d(&p[0], &p[1], &p[2], &x);
}

/* Whether two faces have one edge in common. Since its uses cancel, the directions are opposite if
 * no other face has it. */
static int depth_join(const exact_numbered *f, const exact_numbered *g)
{
    int common = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            common += f->vertex[i] == g->vertex[j];
    return common == 2;
}

/* Whether the nearest faces divide the space around the nearest point into two parts, and the point
 * is in front of all of them, or behind all: a face with that point within, or two that are joined
 * there. No other face is as near, so none has that point. */
static int depth_divides(const depth_search *d, int height, const double weight[3])
{
    const int positive = (weight[0] > 0) + (weight[1] > 0) + (weight[2] > 0);
    if (d->differing || d->count > 2 || !height)
        return 0;
    if (d->count == 1)
        return positive == 3;
    const exact_numbered f = depth_face(d->walk->of, &d->walk->near[0]),
                         g = depth_face(d->walk->of, &d->walk->near[1]);
    return positive == 2 && depth_join(&f, &g) && depth_height(d, f.of.v) == height &&
           depth_height(d, g.of.v) == height;
}

/* The side of the nearest face that is inside, if its sides differ there. The way from the point to
 * its nearest point meets no other face; so if the nearest faces divide the space there, the
 * winding number is known on both sides. Else the answer for the whole face counts. */
static int depth_side(const depth_search *d, int winding, int height, const exact_nearest *nearest,
                      const solids_near *n)
{
    const solids *s = d->walk->of;
    if (!depth_divides(d, height, nearest->weight[1]))
        return solids_side_of(d->walk, n->prim, n->face);
    const int behind = height < 0;
    const int beyond = behind ? winding - 1 : winding + 1;
    if (solids_inside(s, winding) == solids_inside(s, beyond))
        return SOLIDS_SAME;
    return behind == solids_inside(s, winding) ? SOLIDS_BACK : SOLIDS_FRONT;
}

/* 1 if the outward normal of a face is that of its front, else -1. Where a body overlaps itself
 * both sides of a face may be outside, in different places: then it leads away from the point. */
static int depth_turn(const depth_search *d, const solids_near *n, int height, int side)
{
    if (side != SOLIDS_BACK)
        return -1;
    return height > 0 && solids_front_inside(d->walk, n->prim, n->face) ? -1 : 1;
}

static void depth_result(const depth_search *d, const solids_near *n, const exact_numbered *face,
                         const exact_nearest *nearest, int turn, solids_depth_at *out)
{
    const imp_mesh *m = d->walk->of->mesh.frame->mesh;
    *out = (solids_depth_at){.prim = n->prim, .face = n->face, .depth = nearest->distance};
    memcpy(out->nearest, nearest->point + 3, sizeof out->nearest);
    for (uint32_t c = 0; c < mesh_corners_of(m, n->prim); c++)
        for (int k = 0; k < 3; k++)
            if (mesh_vertex(m, n->prim, c) == face->vertex[k])
                out->weight[c] = nearest->weight[1][k];
    solids_normal(face->of.v, turn, out->normal);
}

/* Of the faces found the first whose sides differ. */
static int depth_choose(depth_search *d, int winding, solids_depth_at *out)
{
    depth_nearest(d);
    for (size_t i = 0; i < d->count && !d->walk->err; i++) {
        const solids_near n = d->walk->near[i];
        const exact_numbered x = depth_point(d->x), face = depth_face(d->walk->of, &n);
        exact_nearest nearest;
        if (d->known && !d->differing)
            nearest = *d->known;
        else
            depth_exactly(&x, &face, &nearest);
        const int height = depth_height(d, face.of.v);
        const int side = depth_side(d, winding, height, &nearest, &n);
        if (side == SOLIDS_SAME)
            continue;
        depth_result(d, &n, &face, &nearest, depth_turn(d, &n, height, side), out);
        d->walk->hinted = 1;
        d->walk->hint_place = d->place;
        d->walk->hint = 4 * (uint64_t)n.prim + (uint64_t)n.face;
        return 1;
    }
    return 0;
}

static depth_search depth_search_of(solids_walk *w, uint32_t place, const double x[3])
{
    depth_search d = {.walk = w, .place = place, .x = x};
    for (int k = 0; k < 3; k++)
        d.unit[k] = x[k] * w->of->scale[0] * w->of->scale[1] - w->of->centre[k];
    return d;
}

/* If no side of the nearest faces found differs, the nearest of those whose sides do. */
static int depth_answer(depth_search *d, int winding, solids_depth_at *out)
{
    if (depth_choose(d, winding, out))
        return !d->walk->err;
    d->differing = 1;
    depth_collect(d);
    return depth_choose(d, winding, out) && !d->walk->err;
}

int solids_depth(solids_walk *w, uint32_t place, const double x[3], int winding,
                 solids_depth_at *out)
{
    depth_search d = depth_search_of(w, place, x);
    depth_collect(&d);
    return depth_answer(&d, winding, out);
}

int solids_depth_of(solids_walk *w, uint32_t place, const double x[3], int winding,
                    const solids_found *found, solids_depth_at *out)
{
    depth_search d = depth_search_of(w, place, x);
    d.known = found->n == 1 ? found->nearest : NULL;
    depth_given(&d, found->prim, found->n);
    return depth_answer(&d, winding, out);
}
