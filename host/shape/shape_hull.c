/* See shape_hull.h. Built from a skin: faces by flood fill over flat edges, then the sides of each
 * face, then edges and vertices. */
#include "shape_hull.h"

#include "error.h"
#include "exact_number.h"
#include "vec3.h"

#include <stdlib.h>
#include <string.h>

typedef struct build {
    const shape_skin *k;
    shape_hull *h;
    uint32_t *face;   /* [skin.count] */
    uint32_t *edge;   /* [3 * skin.count] edges of the hull, or SHAPE_NONE */
    uint32_t *number; /* [vertices of the shape] numbers in the hull, or SHAPE_NONE */
    uint32_t *stack;  /* [skin.count] */
} build;

static void fill_none(uint32_t *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = SHAPE_NONE;
}

static int build_open(mem *m, build *b, const shape_skin *k, shape_hull *h)
{
    int err = 0;
    const size_t n = k->count;
    *b = (build){.k = k, .h = h};
    TRY(mem_alloc(m, sizeof *b->face * n, &b->face));
    TRY(mem_alloc(m, sizeof *b->edge * 3 * n, &b->edge));
    TRY(mem_alloc(m, sizeof *b->number * k->s->vertices, &b->number));
    TRY(mem_alloc(m, sizeof *b->stack * n, &b->stack));
    TRY(mem_alloc(m, sizeof *h->face_of * k->s->triangles, &h->face_of));
    TRY(mem_alloc(m, sizeof *h->cell0 * (n + 1), &h->cell0));
    TRY(mem_alloc(m, sizeof *h->cell * n, &h->cell));
    TRY(mem_alloc(m, sizeof *h->side0 * (n + 1), &h->side0));
    TRY(mem_alloc(m, sizeof *h->side * 3 * n, &h->side));
    TRY(mem_alloc(m, sizeof *h->edge * (3 * n / 2), &h->edge));
    TRY(mem_alloc(m, sizeof *h->edge_part0 * (3 * n / 2 + 1), &h->edge_part0));
    TRY(mem_alloc(m, sizeof *h->edge_part * (3 * n / 2), &h->edge_part));
    fill_none(b->face, n);
    fill_none(b->edge, 3 * n);
    fill_none(b->number, k->s->vertices);
    fill_none(h->face_of, k->s->triangles);
out:
    return err;
}

static void build_close(mem *m, build *b)
{
    mem_free(m, b->face);
    mem_free(m, b->edge);
    mem_free(m, b->number);
    mem_free(m, b->stack);
}

/* ---- faces */

/* Collects all triangles reachable from t over flat edges. */
static void flood(build *b, uint32_t t)
{
    const shape_skin *k = b->k;
    shape_hull *h = b->h;
    uint32_t depth = 0, at = h->cell0[h->faces];
    b->stack[depth++] = t;
    b->face[t] = h->faces;
    while (depth) {
        const uint32_t from = b->stack[--depth];
        h->cell[at++] = k->cell[from];
        h->face_of[k->cell[from]] = h->faces;
        for (uint32_t e = 3 * from; e < 3 * from + 3; e++) {
            const uint32_t to = k->twin[e] / 3;
            if (!k->flat[e] || b->face[to] != SHAPE_NONE)
                continue;
            b->face[to] = h->faces;
            b->stack[depth++] = to;
        }
    }
    h->cell0[++h->faces] = at;
}

static void find_faces(build *b)
{
    b->h->cell0[0] = 0;
    for (uint32_t t = 0; t < b->k->count; t++)
        if (b->face[t] == SHAPE_NONE)
            flood(b, t);
}

/* ---- sides of faces */

static uint32_t shape_hull_opposite_face(const build *b, uint32_t e)
{
    return b->face[b->k->twin[e] / 3];
}

/* The next edge around the face after border edge e. */
static uint32_t border_next(const build *b, uint32_t e)
{
    e = skin_next(e);
    while (b->k->flat[e])
        e = skin_next(b->k->twin[e]);
    return e;
}

static uint32_t shape_hull_index(build *b, uint32_t vertex)
{
    if (b->number[vertex] == SHAPE_NONE)
        b->number[vertex] = b->h->vertices++;
    return b->number[vertex];
}

/* From e to before `end`: edges with the same face on the other side, hence collinear. The first of
 * the two faces to be processed makes the edge. */
static uint32_t shape_hull_side_length(build *b, uint32_t e, uint32_t end)
{
    shape_hull *h = b->h;
    const shape_skin *k = b->k;
    if (b->edge[e] != SHAPE_NONE)
        return b->edge[e];
    h->edge[h->edges] = (hull_edge){.face = {b->face[e / 3], shape_hull_opposite_face(b, e)}};
    h->edge[h->edges].vertex[0] = shape_hull_index(b, k->corner[e]);
    h->edge[h->edges].vertex[1] = shape_hull_index(b, k->corner[end]);
    uint32_t at = h->edge_part0[h->edges];
    for (uint32_t i = e; i != end; i = border_next(b, i)) {
        h->edge_part[at++] = i;
        b->edge[i] = b->edge[k->twin[i]] = h->edges;
    }
    h->edge_part0[h->edges + 1] = at;
    return h->edges++;
}

/* A border edge of the face at which one of its sides begins; `from` is on the border. */
static uint32_t side_begin(const build *b, uint32_t from)
{
    uint32_t e = from;
    while (shape_hull_opposite_face(b, e) == shape_hull_opposite_face(b, from))
        e = border_next(b, e);
    return e;
}

static void find_sides(build *b, uint32_t from)
{
    shape_hull *h = b->h;
    const uint32_t face = b->face[from / 3], begin = side_begin(b, from);
    uint32_t e = begin, at = h->side0[face];
    do {
        const uint32_t end = side_begin(b, e);
        h->side[at++] = shape_hull_side_length(b, e, end);
        e = end;
    } while (e != begin);
    h->side0[face + 1] = at;
}

static void shape_hull_find_edges(build *b)
{
    uint32_t *border = b->stack; /* one edge per face, as there are no more faces than triangles */
    for (uint32_t e = 3 * b->k->count; e-- > 0;)
        if (!b->k->flat[e])
            border[b->face[e / 3]] = e;
    b->h->side0[0] = b->h->edge_part0[0] = 0;
    for (uint32_t f = 0; f < b->h->faces; f++)
        find_sides(b, border[f]);
}

/* ---- vertices */

/* Converts an edge to the shape's numbering, which differs if triangles were reversed. */
static uint32_t given_edge(const shape_skin *k, uint32_t e)
{
    return 3 * k->cell[e / 3] + (k->turned ? 2 - e % 3 : e % 3);
}

static void shape_hull_find_corners(build *b)
{
    const shape *s = b->k->s;
    shape_hull *h = b->h;
    for (uint32_t i = 0; i < h->edge_part0[h->edges]; i++)
        h->edge_part[i] = given_edge(b->k, h->edge_part[i]);
    for (uint32_t i = 3 * s->triangles; i-- > 0;) {
        const uint32_t v = s->same[s->corner[i]], n = b->number[v];
        if (n != SHAPE_NONE && h->face_of[i / 3] != SHAPE_NONE) {
            h->vertex[n] = v;
            h->corner[n] = i;
        }
    }
}

static int find_vertices(mem *m, build *b)
{
    int err = 0;
    shape_hull *h = b->h;
    TRY(mem_alloc(m, 3 * sizeof *h->x * h->vertices, &h->x));
    TRY(mem_alloc(m, sizeof *h->vertex * h->vertices, &h->vertex));
    TRY(mem_alloc(m, sizeof *h->corner * h->vertices, &h->corner));
    TRY(mem_alloc(m, sizeof *h->spoke0 * (h->vertices + (size_t)2), &h->spoke0));
    TRY(mem_alloc(m, 2 * sizeof *h->spoke * h->edges, &h->spoke));
    shape_hull_find_corners(b);
    memset(h->spoke0, 0, sizeof *h->spoke0 * (h->vertices + (size_t)2));
    for (uint32_t i = 0; i < 2 * h->edges; i++)
        h->spoke0[h->edge[i / 2].vertex[i % 2] + 2]++;
    for (uint32_t v = 1; v <= h->vertices; v++)
        h->spoke0[v + 1] += h->spoke0[v];
    for (uint32_t i = 0; i < 2 * h->edges; i++)
        h->spoke[h->spoke0[h->edge[i / 2].vertex[i % 2] + 1]++] = i / 2;
out:
    return err;
}

/* ---- numbers */

/* Scales coordinates to a unit such that the largest are near 1, and checks whether they are
 * multiples of 2^-900 then. */
static void shape_hull_scale_points(shape_hull *h, const shape *s)
{
    int e = 0;
    frexp(s->radius, &e);
    h->unit = ldexp(1, e > 1023 ? 1023 : e < -1022 ? -1022 : e);
    h->fine = 1;
    for (size_t i = 0; i < 3 * (size_t)h->vertices; i++) {
        const double given = s->point[h->vertex[i / 3]].x[i % 3], x = given / h->unit;
        const double whole = x * 0x1p900;
        h->x[i] = x;
        h->fine &= x * h->unit == given && fabs(x) <= 2 && floor(whole) == whole;
    }
}

static const double *shape_hull_position(const shape_hull *h, uint32_t vertex)
{
    return h->x + 3 * (size_t)vertex;
}

static int find_directions(mem *m, shape_hull *h)
{
    int err = 0;
    TRY(mem_alloc(m, 3 * sizeof *h->normal * h->faces, &h->normal));
    for (uint32_t f = 0; f < h->faces; f++)
        shape_direct_normal(h, f, h->normal + 3 * (size_t)f);
    for (uint32_t e = 0; e < h->edges; e++) {
        hull_edge *at = &h->edge[e];
        vec_sub(shape_hull_position(h, at->vertex[1]), shape_hull_position(h, at->vertex[0]),
                at->along);
        vec_unit(at->along);
    }
out:
    return err;
}

int shape_hull_make(mem *m, shape *s)
{
    int err = 0, convex;
    shape_skin k;
    build b = {0};
    TRY(shape_skin_make(m, s, &k, &convex));
    if (!convex)
        goto out;
    TRY(mem_alloc(m, sizeof *s->hull, &s->hull));
    *s->hull = (shape_hull){.turned = k.turned};
    TRY(build_open(m, &b, &k, s->hull));
    find_faces(&b);
    shape_hull_find_edges(&b);
    TRY(find_vertices(m, &b));
    shape_hull_scale_points(s->hull, s);
    TRY(find_directions(m, s->hull));
out:
    build_close(m, &b);
    shape_skin_free(m, &k);
    return err;
}

void shape_hull_free(mem *m, shape_hull *h)
{
    if (!h)
        return;
    void *const all[] = {h->x,    h->vertex,     h->corner,    h->spoke0, h->spoke,
                         h->edge, h->edge_part0, h->edge_part, h->normal, h->side0,
                         h->side, h->cell0,      h->cell,      h->face_of};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mem_free(m, all[i]);
    mem_free(m, h);
}

/* ---- The convexity test of a set of triangles: exact, in linear time after sorting.
 *
 * The answer is yes if and only if
 * 1. each edge has one neighbour, which has it in the other direction;
 * 2. four vertices that are not coplanar are on the same side of each triangle, or in its
 * plane: then each triangle is seen from the same side from every point o between these four;
 * 3. no edge is concave;
 * 4. the triangles around one vertex p, the greatest by x, y and z, go round it once.
 *
 * These conditions are obviously necessary. By 1 and 2 the directions from o to the surface cover
 * the sphere of directions everywhere equally often, except that they may wind round a vertex more
 * than once. In the direction of p they cover it once: points beyond p on the line from o are
 * greater than all vertices; a triangle before p would have p or o on the wrong side; and at p
 * itself condition 4 ensures it (a triangle that has p has it as a corner, for p is greatest). So
 * the surface is a sphere that is seen from o all over, and with 3 it is convex (Mehlhorn, Naeher
 * et al., *Checking geometric programs or verification of geometric structures*, 1999, section 2,
 * with a ray through p).
 *
 * For 4 see goes_once. */

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

/* Returns whether excluded triangles only have vertices of other triangles. Then they are in the
 * body if it is convex; another vertex would be a hair. */
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

/* Returns whether the sorted half-edges form pairs of opposite directions. */
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

/* Returns whether v is on the line or plane of the first n, or equal to the first. */
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

/* The side of a triangle on which all four are: -1, 1; 0: neither. */
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

/* Reverses all triangles if needed so that the four vertices are below; fails unless all triangles
 * have them on the same side. */
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

/* Also marks flat edges. */
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

/* ---- 4. once around a vertex */

/* From the first edge d0 at the vertex, the neighbours' directions d rotate around d0, never back
 * and by at most half a turn, since d0 is not above the triangles and none is above the first one.
 * Then the triangles of d0 with d[i] and d[i + 1] do not overlap on the sphere of directions, and
 * together they go once around any direction within. A direction equal to d0 would allow a second
 * round. */
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
    if (s->triangles > UINT32_MAX / 3) /* edges cannot be numbered, so it is treated as a nonconvex
                                        * surface */
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

/* ---- The distance of one convex body beyond another along a direction: a proof that they are
 * apart.
 *
 * A vertex of a convex body that none of its neighbours is beyond is the farthest of all. That
 * holds only for exact signs: with wrong signs of a short edge, the body could extend far beyond
 * that vertex. So signs are exact for the rounded direction, which is the same for the whole
 * body. */

/* Rounds to multiples of 2^-60, so that products with multiples of 2^-900 do not vanish. Changes d
 * by less than 2^-60. */
static void round_direction(double d[3])
{
    const double much = 1.5 * 0x1p-8;
    for (int k = 0; k < 3; k++)
        if (fabs(d[k]) < 0x1p-8)
            d[k] = (d[k] + much) - much;
}

/* Adds x to a nonoverlapping expansion, the smallest component first (Shewchuk 1997, grow). */
static void shape_support_grow_sum(double sum[], int n, double x)
{
    for (int i = 0; i < n; i++) {
        const twofold s = sum_of(x, sum[i]);
        sum[i] = s.lo;
        x = s.hi;
    }
    sum[n] = x;
}

static int shape_support_exact_sign(const double d[3], const double a[3], const double b[3])
{
    double sum[12];
    int n = 0;
    for (int k = 0; k < 3; k++) {
        const twofold p = product_of(d[k], a[k]), m = product_of(d[k], -b[k]);
        const double terms[4] = {p.lo, m.lo, p.hi, m.hi};
        for (int i = 0; i < 4; i++, n++)
            shape_support_grow_sum(sum, n, terms[i]);
    }
    while (n-- > 0)
        if (sum[n] != 0)
            return sum[n] > 0 ? 1 : -1;
    return 0;
}

/* The filter: a difference, a product and two sums err by less than 4 u of the sum of all absolute
 * terms, and underflow by less than 2^-1000. */
int shape_dot_sign(const double d[3], const double a[3], const double b[3])
{
    double sum = 0, size = 0;
    for (int k = 0; k < 3; k++) {
        const double x = d[k] * (a[k] - b[k]);
        sum += x;
        size += fabs(x);
    }
    if (fabs(sum) > size * 0x1p-50 + 0x1p-1000)
        return sum > 0 ? 1 : -1;
    return shape_support_exact_sign(d, a, b);
}

static const double *shape_support_position(const shape_hull *h, uint32_t vertex)
{
    return h->x + 3 * (size_t)vertex;
}

/* The farthest in float64 of v's neighbours that are exactly farther along d than v; v if none
 * is. */
static uint32_t farther(const shape_hull *h, const double d[3], uint32_t v)
{
    double most = -INFINITY;
    uint32_t best = v;
    for (uint32_t i = h->spoke0[v]; i < h->spoke0[v + 1]; i++) {
        const uint32_t w = hull_other_end(&h->edge[h->spoke[i]], v);
        const double far = vec_dot(d, shape_support_position(h, w));
        if (far > most &&
            shape_dot_sign(d, shape_support_position(h, w), shape_support_position(h, v)) > 0) {
            most = far;
            best = w;
        }
    }
    return best;
}

/* For bodies whose coordinates are too small relative to their size for exact products: compares
 * all vertices. The margin covers the rounding. */
static uint32_t farthest_of_all(const shape_hull *h, const double d[3])
{
    uint32_t best = 0;
    for (uint32_t v = 1; v < h->vertices; v++)
        if (vec_dot(d, shape_support_position(h, v)) > vec_dot(d, shape_support_position(h, best)))
            best = v;
    return best;
}

static uint32_t shape_support_climb(const shape_hull *h, const double d[3], uint32_t from,
                                    uint64_t *steps)
{
    if (!h->fine)
        return farthest_of_all(h, d);
    for (uint32_t next = farther(h, d, from); next != from; next = farther(h, d, from)) {
        from = next;
        ++*steps;
    }
    return from;
}

double shape_beyond(const shape_query *q, const double d[3], uint32_t from[2], uint64_t *steps)
{
    double height[2];
    for (int side = 0; side < 2; side++) {
        double own[3], x[3];
        vec_turn_back(q->turn[side], d, own);
        for (int k = 0; k < 3; k++)
            own[k] = side ? -own[k] : own[k];
        round_direction(own);
        from[side] = shape_support_climb(q->s[side]->hull, own, from[side], steps);
        hull_position(q, side, from[side], x);
        height[side] = vec_dot(d, x);
    }
    return height[1] - height[0];
}
