/* Builds shapes: see shape.h. */
#include "error.h"
#include "shape.h"
#include "shape_hull.h"
#include "shape_parts.h"
#include "vec3.h"

#include <stdlib.h>
#include <string.h>

static int shape_make_copy(mem *m, const shape_def *def, shape *s)
{
    int err = 0;
    const size_t corners = 3 * (size_t)def->triangles;
    TRY(mem_alloc(m, sizeof *s->point * def->vertices, &s->point));
    TRY(mem_alloc(m, sizeof *s->same * def->vertices, &s->same));
    TRY(mem_alloc(m, sizeof *s->corner * corners, &s->corner));
    TRY(mem_alloc(m, sizeof *s->order * def->triangles, &s->order));
    memcpy(s->point, def->points, 3 * sizeof(double) * def->vertices);
    memcpy(s->corner, def->corner, sizeof *s->corner * corners);
    s->vertices = def->vertices;
    s->triangles = def->triangles;
out:
    return err;
}

/* Greatest distance of triangles' vertices from the origin. pose_length errs by less than 2^-50 of
 * itself. */
static double radius(const shape *s)
{
    double most = 0;
    for (size_t i = 0; i < 3 * (size_t)s->triangles; i++)
        most = fmax(most, pose_length(s->point[s->corner[i]].x));
    return most * (1 + 0x1p-49);
}

int shape_make(mem *m, const shape_def *def, shape **out)
{
    int err = 0;
    shape *s = NULL;
    *out = NULL;
    TRY(mem_alloc(m, sizeof *s, &s));
    *s = (shape){0};
    TRY(shape_make_copy(m, def, s));
    s->radius = radius(s);
    TRY(shape_same(m, def->points, def->vertices, s->same));
    TRY(shape_tree(m, s));
    TRY(shape_hull_make(m, s));
    TRY(shape_closed_make(m, s));
    *out = s;
    s = NULL;
out:
    shape_free(m, s);
    return err;
}

void shape_free(mem *m, shape *s)
{
    if (!s)
        return;
    shape_hull_free(m, s->hull);
    mem_free(m, s->component);
    mem_free(m, s->node);
    mem_free(m, s->order);
    mem_free(m, s->corner);
    mem_free(m, s->same);
    mem_free(m, s->point);
    mem_free(m, s);
}

int shape_is_convex(const shape *s)
{
    return s->hull != NULL;
}

int shape_is_closed(const shape *s)
{
    return s->closed != SHAPE_OPEN;
}

double shape_radius(const shape *s)
{
    return s->radius;
}

const double *shape_points(const shape *s, uint32_t *count)
{
    *count = s->vertices;
    return s->point->x;
}

/* ---- Vertices with the same position, found by sorting. */

typedef struct place {
    double x[3];
    uint32_t vertex;
} place;

/* By position, then by number, so that qsort has a unique order. 0 and -0 are equal. */
static int place_order(const void *a, const void *b)
{
    const place *p = a, *q = b;
    for (int k = 0; k < 3; k++)
        if (p->x[k] != q->x[k])
            return p->x[k] < q->x[k] ? -1 : 1;
    return (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

static int same_place(const place *a, const place *b)
{
    return a->x[0] == b->x[0] && a->x[1] == b->x[1] && a->x[2] == b->x[2];
}

int shape_same(mem *m, const double *points, uint32_t vertices, uint32_t *same)
{
    int err = 0;
    place *p = NULL;
    TRY(mem_alloc(m, (vertices + (size_t)1) * sizeof *p, &p));
    for (uint32_t v = 0; v < vertices; v++) {
        const double *x = points + 3 * (size_t)v;
        p[v] = (place){{x[0], x[1], x[2]}, v};
    }
    qsort(p, vertices, sizeof *p, place_order);
    for (uint32_t i = 0, first = 0; i < vertices; i++) {
        if (!same_place(&p[i], &p[first]))
            first = i;
        same[p[i].vertex] = p[first].vertex;
    }
out:
    mem_free(m, p);
    return err;
}

/* ---- A tree of boxes over the triangles of a shape. Each node is split at the median of its
 * triangles' centres along the axis with the greatest extent of these, so the depth is known. */

#define LEAF 2 /* greatest number of triangles */

typedef struct tree_build {
    shape *s;
    double *middle; /* [3 * triangles] sums of corners */
} tree_build;

static void shape_tree_bounds(const shape *s, const shape_node *n, double lo[3], double hi[3])
{
    for (int k = 0; k < 3; k++) {
        lo[k] = INFINITY;
        hi[k] = -INFINITY;
    }
    for (uint32_t i = n->begin; i < n->end; i++)
        for (size_t c = 0; c < 3; c++) {
            const double *x = s->point[s->corner[3 * (size_t)s->order[i] + c]].x;
            for (int k = 0; k < 3; k++) {
                lo[k] = fmin(lo[k], x[k]);
                hi[k] = fmax(hi[k], x[k]);
            }
        }
}

/* Slightly larger than the triangles, to cover rounding here and in comparisons. Coordinates are
 * halved first, so that no sum overflows. */
static void shape_tree_fit(const shape *s, shape_node *n)
{
    double lo[3], hi[3];
    shape_tree_bounds(s, n, lo, hi);
    for (int k = 0; k < 3; k++) {
        n->middle[k] = lo[k] / 2 + hi[k] / 2;
        n->half[k] = fmax(hi[k] - n->middle[k], n->middle[k] - lo[k]) * (1 + 0x1p-50);
    }
    for (uint32_t i = n->begin; i < n->end; i++)
        for (size_t c = 0; c < 3; c++) {
            double d[3];
            vec_sub(s->point[s->corner[3 * (size_t)s->order[i] + c]].x, n->middle, d);
            n->radius = fmax(n->radius, pose_length(d) * (1 + 0x1p-50));
        }
}

/* The axis with the greatest extent of the centres. */
static int shape_tree_widest_axis(const tree_build *b, const shape_node *n)
{
    double wide[3];
    for (int k = 0; k < 3; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (uint32_t i = n->begin; i < n->end; i++) {
            const double x = b->middle[3 * (size_t)b->s->order[i] + (size_t)k];
            lo = fmin(lo, x);
            hi = fmax(hi, x);
        }
        wide[k] = hi - lo;
    }
    return wide[0] >= wide[1] ? (wide[0] >= wide[2] ? 0 : 2) : (wide[1] >= wide[2] ? 1 : 2);
}

/* Compares centres, equal ones by number, so that all differ. */
static int shape_tree_before(const tree_build *b, int axis, uint32_t p, uint32_t q)
{
    const double x = b->middle[3 * (size_t)p + (size_t)axis];
    const double y = b->middle[3 * (size_t)q + (size_t)axis];
    return x < y || (x == y && p < q);
}

static void shape_tree_swap(uint32_t *a, uint32_t *b)
{
    const uint32_t was = *a;
    *a = *b;
    *b = was;
}

/* Moves those before the middle element to its left; returns its final position. */
static uint32_t shape_tree_partition(const tree_build *b, int axis, uint32_t first, uint32_t last)
{
    uint32_t *o = b->s->order, to = first;
    shape_tree_swap(&o[first + (last - first) / 2], &o[last]);
    for (uint32_t i = first; i < last; i++)
        if (shape_tree_before(b, axis, o[i], o[last]))
            shape_tree_swap(&o[i], &o[to++]);
    shape_tree_swap(&o[to], &o[last]);
    return to;
}

/* Quickselect (Hoare 1961): puts the element at order[at] that sorting would. */
static void select_at(const tree_build *b, int axis, shape_node n, uint32_t at)
{
    uint32_t first = n.begin, last = n.end - 1;
    while (first < last) {
        const uint32_t middle = shape_tree_partition(b, axis, first, last);
        if (middle == at)
            return;
        if (middle < at)
            first = middle + 1;
        else
            last = middle - 1;
    }
}

static void shape_tree_halve(const tree_build *b, uint32_t node)
{
    shape *s = b->s;
    shape_node *n = &s->node[node];
    const uint32_t half = n->begin + (n->end - n->begin) / 2;
    select_at(b, shape_tree_widest_axis(b, n), *n, half);
    n->child = s->nodes;
    s->node[s->nodes++] = (shape_node){.begin = n->begin, .end = half};
    s->node[s->nodes++] = (shape_node){.begin = half, .end = n->end};
}

int shape_tree(mem *m, shape *s)
{
    int err = 0;
    tree_build b = {.s = s};
    TRY(mem_alloc(m, 3 * sizeof *b.middle * s->triangles, &b.middle));
    TRY(mem_alloc(m, 2 * sizeof *s->node * s->triangles, &s->node));
    for (uint32_t t = 0; t < s->triangles; t++) {
        const uint32_t *c = s->corner + 3 * (size_t)t;
        for (size_t k = 0; k < 3;
             k++) /* thirds, so that sums of huge coordinates do not overflow */
            b.middle[3 * (size_t)t + k] =
                s->point[c[0]].x[k] / 3 + s->point[c[1]].x[k] / 3 + s->point[c[2]].x[k] / 3;
        s->order[t] = t;
    }
    s->node[0] = (shape_node){.end = s->triangles};
    s->nodes = 1;
    for (uint32_t i = 0; i < s->nodes; i++) {
        shape_tree_fit(s, &s->node[i]);
        if (s->node[i].end - s->node[i].begin > LEAF)
            shape_tree_halve(&b, i);
    }
out:
    mem_free(m, b.middle);
    return err;
}

/* ---- Whether a surface is closed, and its connected parts. Triangles with a repeated position are
 * not part of the boundary, since their edges cancel each other, but they do connect parts. */

/* An edge by its positions, low < high. */
typedef struct closed_side {
    uint32_t low, high;
    int direction; /* 1: from low to high, -1 */
} closed_side;

static int side_order(const void *a, const void *b)
{
    const closed_side *p = a, *q = b;
    if (p->low != q->low)
        return p->low < q->low ? -1 : 1;
    return (p->high > q->high) - (p->high < q->high);
}

static uint32_t shape_closed_position(const shape *s, size_t corner)
{
    return s->same[s->corner[corner]];
}

/* Lists the sides of triangles, except those from a position to itself. */
static size_t shape_closed_list_sides(const shape *s, closed_side *out)
{
    size_t count = 0;
    for (size_t e = 0; e < 3 * (size_t)s->triangles; e++) {
        const uint32_t a = shape_closed_position(s, e),
                       b = shape_closed_position(s, e % 3 == 2 ? e - 2 : e + 1);
        if (a != b)
            out[count++] = a < b ? (closed_side){a, b, 1} : (closed_side){b, a, -1};
    }
    return count;
}

/* Classifies by the sorted sides. */
static enum shape_closed closed_by(const closed_side *l, size_t count)
{
    enum shape_closed closed = SHAPE_WINDING;
    for (size_t i = 0, to; i < count; i = to) {
        int64_t sum = 0;
        for (to = i; to < count && !side_order(&l[i], &l[to]); to++)
            sum += l[to].direction;
        if ((to - i) % 2)
            return SHAPE_OPEN;
        if (sum)
            closed = SHAPE_ODD;
    }
    return count ? closed : SHAPE_OPEN;
}

static int find_closed(mem *m, shape *s)
{
    int err = 0;
    closed_side *l = NULL;
    TRY(mem_alloc(m, 3 * (size_t)s->triangles * sizeof *l, &l));
    const size_t count = shape_closed_list_sides(s, l);
    qsort(l, count, sizeof *l, side_order);
    s->closed = closed_by(l, count);
out:
    mem_free(m, l);
    return err;
}

/* ---- parts */

/* The first vertex of the part, as joined so far; shortens paths to it. */
static uint32_t shape_closed_root(uint32_t *to, uint32_t v)
{
    while (to[v] != v)
        v = to[v] = to[to[v]];
    return v;
}

static int shape_closed_components(mem *m, shape *s)
{
    int err = 0;
    uint32_t *to = NULL;
    size_t room = 0;
    TRY(mem_alloc(m, s->vertices * sizeof *to, &to));
    for (uint32_t v = 0; v < s->vertices; v++)
        to[v] = v;
    for (size_t e = 0; e < 3 * (size_t)s->triangles; e++) {
        const uint32_t a = shape_closed_root(to, shape_closed_position(s, e - e % 3)),
                       b = shape_closed_root(to, shape_closed_position(s, e));
        to[a > b ? a : b] = a > b ? b : a;
    }
    for (size_t e = 0; e < 3 * (size_t)s->triangles; e++) {
        const uint32_t v = shape_closed_position(s, e);
        if (to[v] != v) /* not a first vertex, or already listed */
            continue;
        TRY(mem_fit(m, s->components, &room, sizeof *s->component, &s->component));
        s->component[s->components++] = (uint32_t)e;
        to[v] = SHAPE_NONE;
    }
out:
    mem_free(m, to);
    return err;
}

int shape_closed_make(mem *m, shape *s)
{
    int err = 0;
    if (s->hull)
        s->closed = SHAPE_WINDING;
    else
        TRY(find_closed(m, s));
    TRY(shape_closed_components(m, s));
out:
    return err;
}

/* ---- The test whether one shape is inside the other: a ray along x from a vertex of each part, in
 * the coordinates of the closed shape. Crossings with its triangles are decided exactly for the
 * vertex as rounded there; the rounding is less than the distance of the surfaces. */

/* ---- the ray */

static int shape_nested_sign(double x)
{
    return (x > 0) - (x < 0);
}

/* The side of p to q on which the ray is, seen along it. A ray through an edge or a vertex would
 * cross two triangles, or none, so it is moved by an infinitesimal step along y, and along z by its
 * square. 0: p and q coincide in this view. */
static int shape_nested_side(const exact_point *p, const exact_point *q, const exact_point *x)
{
    const int sign = exact_orient2d(p, q, x, 0);
    if (sign)
        return sign;
    return p->x[2] != q->x[2] ? shape_nested_sign(p->x[2] - q->x[2])
                              : shape_nested_sign(q->x[1] - p->x[1]);
}

/* 1: it crosses the triangle from behind, -1: from its front, 0: it misses. */
static int shape_nested_ray_crosses(const exact_point *const c[3], const exact_point *x)
{
    const int side = shape_nested_side(c[0], c[1], x);
    if (!side || shape_nested_side(c[1], c[2], x) != side ||
        shape_nested_side(c[2], c[0], x) != side)
        return 0;
    return exact_orient3d(c[0], c[1], c[2], x) == -side ? side : 0;
}

/* Returns whether no triangle of the node is ahead of x on the ray. Boxes are slightly larger than
 * needed. */
static int shape_nested_misses(const shape_node *n, const double x[3])
{
    return fabs(x[1] - n->middle[1]) > n->half[1] || fabs(x[2] - n->middle[2]) > n->half[2] ||
           x[0] - n->middle[0] > n->half[0];
}

static int shape_nested_is_inside(const shape *s, const exact_point *x)
{
    uint32_t stack[SHAPE_LEVELS + 2], depth = 0;
    int64_t times = 0, sum = 0;
    stack[depth++] = 0;
    while (depth) {
        const shape_node *n = &s->node[stack[--depth]];
        if (shape_nested_misses(n, x->x))
            continue;
        if (n->child) {
            stack[depth++] = n->child;
            stack[depth++] = n->child + 1;
            continue;
        }
        for (uint32_t i = n->begin; i < n->end; i++) {
            const uint32_t *c = s->corner + 3 * (size_t)s->order[i];
            const int winding = shape_nested_ray_crosses(
                (const exact_point *const[]){&s->point[c[0]], &s->point[c[1]], &s->point[c[2]]}, x);
            times += winding != 0;
            sum += winding;
        }
    }
    return s->closed == SHAPE_WINDING ? sum != 0 : s->closed == SHAPE_ODD && times % 2;
}

/* ---- parts */

/* A corner of a part of one side that is inside the other, or SHAPE_NONE. */
static uint32_t shape_nested_corner_inside(const shape_query *q, int side)
{
    const shape *s = q->s[side], *other = q->s[!side];
    for (uint32_t i = 0; other->closed && i < s->components; i++) {
        exact_point x;
        shape_query_other(q, side, s->corner[s->component[i]], &x);
        const shape_node *root = other->node;
        if (!shape_nested_misses(root, x.x) && root->middle[0] - x.x[0] <= root->half[0] &&
            shape_nested_is_inside(other, &x))
            return s->component[i];
    }
    return SHAPE_NONE;
}

static void shape_nested_set_inside(const shape_query *q, int side, uint32_t corner,
                                    shape_nearest *near)
{
    const shape *s = q->s[side];
    double x[3];
    shape_query_vertex(q, side, s->corner[corner], x);
    near->distance = 0;
    for (int k = 0; k < 3; k++) {
        near->direction[k] = 0;
        near->point[0][k] = near->point[1][k] = x[k] * q->unit + q->origin[k];
    }
    near->cell[side] = corner / 3;
    near->kind[side] = SHAPE_VERTEX;
    near->feature[side] = s->same[s->corner[corner]];
    near->kind[!side] = SHAPE_FACE;
    near->feature[!side] = -1;
}

int shape_nested(const shape *a, const pose_map *pa, const shape *b, const pose_map *pb,
                 shape_nearest *near)
{
    shape_query q;
    if (!(near->distance > near->error))
        return 0;
    shape_query_make(a, pa, b, pb, &q);
    for (int side = 0; side < 2; side++) {
        const uint32_t corner = shape_nested_corner_inside(&q, side);
        if (corner == SHAPE_NONE)
            continue;
        shape_nested_set_inside(&q, side, corner, near);
        return 1;
    }
    return 0;
}

/* ---- Whether a vertex of one convex body is in another one. Exact for the vertex as rounded in
 * the other's coordinates. */

int shape_inside(const shape_query *q, int side, uint32_t vertex)
{
    const shape *s = q->s[!side];
    const shape_hull *h = s->hull;
    exact_point x;
    shape_query_other(q, side, q->s[side]->hull->vertex[vertex], &x);
    for (uint32_t f = 0; f < h->faces; f++) {
        const uint32_t *c = s->corner + 3 * (size_t)h->cell[h->cell0[f]];
        const int sign = exact_orient3d(&s->point[c[0]], &s->point[c[1]], &s->point[c[2]], &x);
        if (h->turned ? sign < 0 : sign > 0)
            return 0;
    }
    return 1;
}
