/* Is one shape inside the other? A ray along x from a vertex of each part, in the coordinates of
 * the closed one: which of its triangles it crosses is decided exactly, for the vertex as it is
 * there after rounding, which is less than the distance of the surfaces. */
#include "shape_query.h"
#include "vec3.h"

/* ---- the ray */

static int shape_nested_sign(double x)
{
    return (x > 0) - (x < 0);
}

/* On which side of p to q the ray is, seen along it. A ray through an edge or a vertex would cross
 * two triangles, or none: it is moved by an infinitely small step along y, and along z by the
 * square of that. 0: seen so, p and q are one. */
static int shape_nested_side(const exact_point *p, const exact_point *q, const exact_point *x)
{
    const int sign = exact_orient2d(p, q, x, 0);
    if (sign)
        return sign;
    return p->x[2] != q->x[2] ? shape_nested_sign(p->x[2] - q->x[2])
                              : shape_nested_sign(q->x[1] - p->x[1]);
}

/* 1: it crosses the triangle from behind, -1: from its front, 0: not. */
static int shape_nested_ray_crosses(const exact_point *const c[3], const exact_point *x)
{
    const int side = shape_nested_side(c[0], c[1], x);
    if (!side || shape_nested_side(c[1], c[2], x) != side ||
        shape_nested_side(c[2], c[0], x) != side)
        return 0;
    return exact_orient3d(c[0], c[1], c[2], x) == -side ? side : 0;
}

/* Not a triangle of the node is before x along the ray. Boxes are a little larger than needed. */
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

/* A corner of a part of one side that is inside the other; SHAPE_NONE: there is none. */
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
