/* Do triangles bound a convex body? Exactly, and in time linear in their number after sorting.
 *
 * The answer is yes if and only if
 * 1. each edge has one neighbour, which has it in the other direction;
 * 2. four vertices that are not in one plane are on the same side of each triangle, or in its
 * plane: then each triangle is seen from the same side from every point o between these four;
 * 3. no edge is concave;
 * 4. the triangles around one vertex p, the greatest by x, y and z, go round it once.
 *
 * That these are necessary is plain. By 1 and 2 the directions from o to the surface cover the
 * sphere of directions everywhere equally often, except that they may wind round a vertex more than
 * once. In the direction of p they cover it once: what is beyond p on the line from o is greater
 * than all vertices; what is before p would have p or o on the wrong side; and at p itself it is 4
 * (a triangle that has p has it as a corner, for p is greatest). So the surface is a sphere that is
 * seen from o all over, and with 3 it is convex (Mehlhorn, Naeher et al., *Checking geometric
 * programs or verification of geometric structures*, 1999, section 2, with a ray through p).
 *
 * For 4 see goes_once. */
#include "shape_hull.h"

#include "error.h"

#include <stdlib.h>
#include <string.h>

static const exact_point *at(const shape_skin *k, uint32_t edge)
{
    return &k->s->point[k->corner[edge]];
}

/* ---- triangles with three positions */

static int shape_skin_alloc(mem *m, shape_skin *k)
{
    int err = 0;
    const shape *s = k->s;
    TRY(mem_alloc(m, sizeof *k->cell * s->triangles, &k->cell));
    TRY(mem_alloc(m, 3 * sizeof *k->corner * s->triangles, &k->corner));
    for (uint32_t t = 0; t < s->triangles; t++) {
        const uint32_t *c = s->corner + 3 * (size_t)t;
        const uint32_t v[3] = {s->same[c[0]], s->same[c[1]], s->same[c[2]]};
        if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0])
            continue;
        for (size_t i = 0; i < 3; i++)
            k->corner[3 * (size_t)k->count + i] = v[i];
        k->cell[k->count++] = t;
    }
out:
    return err;
}

/* Do triangles that are left out have vertices of others only? Then they are in the body, if it is
 * convex; another vertex would be a hair. */
static int find_hairs(mem *m, const shape_skin *k, int *none)
{
    int err = 0;
    uint8_t *used = NULL;
    const shape *s = k->s;
    TRY(mem_alloc(m, s->vertices, &used));
    memset(used, 0, s->vertices);
    for (size_t e = 0; e < 3 * (size_t)k->count; e++)
        used[k->corner[e]] = 1;
    *none = 1;
    for (size_t e = 0; e < 3 * (size_t)s->triangles; e++)
        *none &= used[s->same[s->corner[e]]];
out:
    mem_free(m, used);
    return err;
}

/* ---- 1. neighbours */

typedef struct half_edge {
    uint32_t low, high, edge; /* vertices of the edge */
} half_edge;

static int half_order(const void *a, const void *b)
{
    const half_edge *p = a, *q = b;
    if (p->low != q->low)
        return p->low < q->low ? -1 : 1;
    if (p->high != q->high)
        return p->high < q->high ? -1 : 1;
    return (p->edge > q->edge) - (p->edge < q->edge);
}

/* Sorted: are all in pairs of two directions? */
static int pair(shape_skin *k, const half_edge *l, uint32_t n)
{
    for (uint32_t i = 0; i < n; i += 2) {
        const half_edge *p = l + i, *q = p + 1;
        if (i + 1 == n || p->low != q->low || p->high != q->high ||
            k->corner[p->edge] == k->corner[q->edge])
            return 0;
        if (i + 2 < n && q[1].low == p->low && q[1].high == p->high)
            return 0;
        k->twin[p->edge] = q->edge;
        k->twin[q->edge] = p->edge;
    }
    return 1;
}

static int find_twins(mem *m, shape_skin *k, int *convex)
{
    int err = 0;
    half_edge *l = NULL;
    const uint32_t n = 3 * k->count;
    TRY(mem_alloc(m, sizeof *k->twin * n, &k->twin));
    TRY(mem_alloc(m, sizeof *k->flat * n, &k->flat));
    TRY(mem_alloc(m, sizeof *l * n, &l));
    for (uint32_t e = 0; e < n; e++) {
        const uint32_t a = k->corner[e], b = k->corner[skin_next(e)];
        l[e] = (half_edge){a < b ? a : b, a < b ? b : a, e};
    }
    qsort(l, n, sizeof *l, half_order);
    *convex = pair(k, l, n);
out:
    mem_free(m, l);
    return err;
}

/* ---- 2. four vertices within */

static int greater_place(const exact_point *a, const exact_point *b)
{
    for (int k = 0; k < 3; k++)
        if (a->x[k] != b->x[k])
            return a->x[k] > b->x[k];
    return 0;
}

static int shape_skin_on_line(const exact_point *a, const exact_point *b, const exact_point *c)
{
    return !exact_orient2d(a, b, c, 0) && !exact_orient2d(a, b, c, 1) &&
           !exact_orient2d(a, b, c, 2);
}

/* Is v on the line or plane, or the same, as the first n of them? */
static int depends(const shape_skin *k, int n, uint32_t v)
{
    const exact_point *p = k->s->point, *x = p + v;
    const uint32_t *w = k->within;
    if (n == 1)
        return v == w[0];
    return n == 2 ? shape_skin_on_line(p + w[0], p + w[1], x)
                  : !exact_orient3d(p + w[0], p + w[1], p + w[2], x);
}

static int shape_skin_find_inside(shape_skin *k)
{
    const uint32_t n = 3 * k->count;
    for (uint32_t e = 0; e < n; e++)
        if (!e || greater_place(at(k, e), &k->s->point[k->within[0]]))
            k->within[0] = k->corner[e];
    for (int have = 1; have < 4; have++) {
        uint32_t e = 0;
        while (e < n && depends(k, have, k->corner[e]))
            e++;
        if (e == n)
            return 0;
        k->within[have] = k->corner[e];
    }
    return 1;
}

/* The side of a triangle that has all four: -1, 1; 0: no side has. */
static int shape_skin_side(const shape_skin *k, uint32_t t)
{
    int low = 0, high = 0;
    for (int i = 0; i < 4; i++) {
        const int sign = exact_orient3d(at(k, 3 * t), at(k, 3 * t + 1), at(k, 3 * t + 2),
                                        &k->s->point[k->within[i]]);
        low |= sign < 0;
        high |= sign > 0;
    }
    return high - low;
}

/* All are turned so that they have them below, if all have them on one side. */
static int orient(shape_skin *k)
{
    const int side = shape_skin_side(k, 0);
    for (uint32_t t = 0; t < k->count; t++)
        if (!side || shape_skin_side(k, t) != side)
            return 0;
    k->turned = side > 0;
    for (uint32_t t = 0; k->turned && t < k->count; t++) {
        const uint32_t was = k->corner[3 * (size_t)t + 1];
        k->corner[3 * (size_t)t + 1] = k->corner[3 * (size_t)t + 2];
        k->corner[3 * (size_t)t + 2] = was;
    }
    return 1;
}

/* ---- 3. edges */

/* Also says which are flat. */
static int no_edge_is_concave(shape_skin *k)
{
    for (uint32_t e = 0; e < 3 * k->count; e++) {
        const uint32_t next = skin_next(e), across = skin_previous(k->twin[e]);
        const int sign =
            exact_orient3d(at(k, e), at(k, next), at(k, skin_next(next)), at(k, across));
        if (sign > 0)
            return 0;
        k->flat[e] = !sign;
    }
    return 1;
}

/* ---- 4. once round a vertex */

/* From its first edge d0 on the neighbours' directions d turn round d0, never back and by at most
 * half a turn: as d0 is not above the triangles, and none is above the first one. Then the
 * triangles of d0 with d[i] and d[i + 1] do not overlap on the sphere of directions, and together
 * they go round any direction within once. A direction equal to d0 would let them begin once more.
 */
static int goes_once(const shape_skin *k)
{
    uint32_t first = 0, corners = 0, met = 0;
    for (uint32_t e = 0; e < 3 * k->count; e++)
        if (k->corner[e] == k->within[0]) {
            first = e;
            corners++;
        }
    const exact_point *p = at(k, first), *d0 = at(k, skin_next(first));
    const exact_point *d1 = at(k, skin_previous(first));
    uint32_t e = first;
    do {
        const exact_point *a = at(k, skin_next(e)), *b = at(k, skin_previous(e));
        if (exact_orient3d(p, a, b, d0) > 0 || exact_orient3d(p, d0, d1, b) > 0 ||
            (a != d0 && shape_skin_on_line(p, d0, a)))
            return 0;
        met++;
        e = k->twin[skin_previous(e)];
    } while (e != first && met < corners);
    return e == first && met == corners;
}

/* ---- */

int shape_skin_make(mem *m, const shape *s, shape_skin *out, int *convex)
{
    int err = 0;
    *out = (shape_skin){.s = s};
    *convex = 0;
    if (s->triangles > UINT32_MAX / 3) /* edges have no numbers: it is searched as a surface */
        return IMP_OK;
    TRY(shape_skin_alloc(m, out));
    if (out->count < 4 || !shape_skin_find_inside(out) || !orient(out))
        goto out;
    TRY(find_twins(m, out, convex));
    if (*convex)
        TRY(find_hairs(m, out, convex));
    *convex = *convex && no_edge_is_concave(out) && goes_once(out);
out:
    return err;
}

void shape_skin_free(mem *m, shape_skin *k)
{
    mem_free(m, k->cell);
    mem_free(m, k->corner);
    mem_free(m, k->twin);
    mem_free(m, k->flat);
    *k = (shape_skin){0};
}
