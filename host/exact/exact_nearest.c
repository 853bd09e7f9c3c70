/* The nearest features of two primitives: see exact.h. float64 gives bounds of the distance of each
 * pair of features; those that may be nearest are measured exactly (exact_measure.h). */
#include "closest.h"
#include "exact.h"
#include "exact_measure.h"
#include "exact_number.h"
#include "vec3.h"

/* ---- features */

typedef struct nearest_feature {
    measured_feature of;
    int64_t value; /* as in imp_contacts */
} nearest_feature;

/* The faces, edges and vertices of a primitive. */
typedef struct nearest_features {
    int faces, edges, vertices;
    nearest_feature face[4], edge[6], vertex[4];
} nearest_features;

const int8_t exact_edge_corners[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
const int8_t exact_face_corners[4][3] = {{0, 1, 3}, {1, 2, 3}, {2, 0, 3}, {0, 2, 1}};
static const int8_t nearest_triangle[3] = {0, 1, 2};

static void nearest_add_vertices(const exact_numbered *p, nearest_features *out)
{
    for (int k = 0; k < p->of.corners; k++)
        if (exact_first_corner(p, k) == k)
            out->vertex[out->vertices++] = (nearest_feature){{1, {k}}, p->vertex[k]};
}

static void nearest_add_edges(const exact_numbered *p, nearest_features *out)
{
    for (int k = 0; k < (p->of.corners == 4 ? 6 : 3); k++) {
        const int i = exact_first_corner(p, exact_edge_corners[k][0]),
                  j = exact_first_corner(p, exact_edge_corners[k][1]);
        if (i != j)
            out->edge[out->edges++] = (nearest_feature){{2, {i, j}}, k};
    }
}

static void nearest_add_face(const exact_numbered *p, const int8_t corner[3], int number,
                             nearest_features *out)
{
    const int i = exact_first_corner(p, corner[0]), j = exact_first_corner(p, corner[1]),
              k = exact_first_corner(p, corner[2]);
    if (i != j && i != k && j != k)
        out->face[out->faces++] = (nearest_feature){{3, {i, j, k}}, -1 - number};
}

static void nearest_list(const exact_numbered *p, nearest_features *out)
{
    out->faces = out->edges = out->vertices = 0;
    nearest_add_vertices(p, out);
    nearest_add_edges(p, out);
    if (p->of.corners < 4)
        nearest_add_face(p, nearest_triangle, 0, out);
    for (int f = 0; f < 4 && p->of.corners == 4; f++)
        nearest_add_face(p, exact_face_corners[f], f, out);
}

/* ---- pairs of features */

#define NEAREST_PAIRS_MOST 68 /* two tetrahedra: 32 of a vertex and a face, 36 of edges */

typedef struct nearest_pair {
    int kind;
    const nearest_feature *of[2];
    double least, most; /* bounds of the distance, in units of nearest_points */
    double way[3];      /* the connection that gave them, of length 1 at most */
} nearest_pair;

static int nearest_add_pairs(int kind, const nearest_feature *a, int as, const nearest_feature *b,
                             int bs, nearest_pair *out)
{
    for (int i = 0; i < as; i++)
        for (int j = 0; j < bs; j++)
            out[bs * i + j] = (nearest_pair){.kind = kind, .of = {&a[i], &b[j]}};
    return as * bs;
}

static int nearest_pairs(const nearest_features *p, const nearest_features *q, nearest_pair *out)
{
    int n = nearest_add_pairs(IMP_KIND_VERTEX_FACE, p->vertex, p->vertices, q->face, q->faces, out);
    n +=
        nearest_add_pairs(IMP_KIND_VERTEX_FACE, p->face, p->faces, q->vertex, q->vertices, out + n);
    n += nearest_add_pairs(IMP_KIND_EDGE_EDGE, p->edge, p->edges, q->edge, q->edges, out + n);
    if (n) /* an edge has vertices, so that nothing is missing */
        return n;
    n += nearest_add_pairs(IMP_KIND_VERTEX_EDGE, p->vertex, p->vertices, q->edge, q->edges, out);
    n +=
        nearest_add_pairs(IMP_KIND_VERTEX_EDGE, p->edge, p->edges, q->vertex, q->vertices, out + n);
    return n ? n
             : nearest_add_pairs(IMP_KIND_VERTEX_VERTEX, p->vertex, p->vertices, q->vertex,
                                 q->vertices, out);
}

/* The order of pairs that are equally near. */
static int nearest_order(const nearest_pair *x, const nearest_pair *y)
{
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    for (int i = 0; i < 2; i++)
        if (x->of[i]->value != y->of[i]->value)
            return x->of[i]->value < y->of[i]->value ? -1 : 1;
    return 0;
}

/* ---- bounds in float64 */

/* The corners relative to one of them, scaled by a power of two to at most 1. A coordinate errs by
 * 2^-53 of the largest one, `error` covers that and the computation of a distance. */
typedef struct nearest_points {
    double x[2][4][3];
    double error;
    int unit; /* the numbers are in units of 2^unit */
} nearest_points;

#define NEAREST_EPSILON 0x1p-46

static double nearest_extent(const exact_prim *p, const exact_point *from)
{
    double most = 0;
    for (int i = 0; i < p->corners; i++)
        for (int k = 0; k < 3; k++) /* halves, so that no difference overflows */
            most = greater(most, fabs(p->v[i].x[k] / 2 - from->x[k] / 2));
    return most;
}

static void nearest_scale(const exact_prim *p, const exact_prim *q, nearest_points *out)
{
    const exact_prim *const of[2] = {p, q};
    const double extent = greater(nearest_extent(p, p->v), nearest_extent(q, p->v));
    frexp(extent, &out->unit);
    out->unit++;
    for (int n = 0; n < 2; n++)
        for (int i = 0; i < of[n]->corners; i++)
            for (int k = 0; k < 3; k++) {
                const double half = of[n]->v[i].x[k] / 2 - p->v[0].x[k] / 2;
                out->x[n][i][k] = times_power(half, 1 - out->unit);
            }
    out->error = NEAREST_EPSILON + times_power(1, -1070 - out->unit);
}

static const double *nearest_corner(const nearest_points *x, const nearest_pair *of, int n, int k)
{
    const measured_feature *f = &of->of[n]->of;
    return x->x[n][f->corner[k < f->vertices ? k : 0]];
}

/* Four points as closest.h has them; a vertex beside another one, or an edge, is an edge without
 * length. Returns whether they are a vertex and a face; *turned: of B and A. */
static int nearest_four(const nearest_points *x, const nearest_pair *of, double out[4][3],
                        int *turned)
{
    const int face = of->kind == IMP_KIND_VERTEX_FACE;
    *turned = face && of->of[0]->of.vertices == 3;
    for (int k = 0; k < 4; k++) {
        const int n = face ? (k == 3) == *turned : k / 2;
        vec_copy(nearest_corner(x, of, n, face ? k % 3 : k % 2), out[k]);
    }
    return face;
}

/* Bounds of the distance: the length of the connection of two points of the features, and the
 * distance of the features along its direction. */
static void nearest_bound(const nearest_points *x, nearest_pair *of)
{
    double four[4][3], point[6], way[3], d[3], along = INFINITY;
    int turned;
    const int face = nearest_four(x, of, four, &turned);
    closest_points_unordered(face, (const double(*)[3])four, point);
    vec_sub(point + 3, point, way);
    const double length = sqrt(vec_dot(way, way));
    for (int k = 0; k < (face ? 3 : 4); k++) {
        vec_sub(four[face ? k : 2 + k / 2], four[face ? 3 : k % 2], d);
        along = lesser(along, vec_dot(d, way));
    }
    of->most = length + x->error;
    /* A shorter connection may be all rounding errors, or have a square that underflowed. */
    of->least = length > x->error ? along / length - x->error : 0;
    for (int k = 0; k < 3; k++)
        of->way[k] = length > x->error ? (turned ? -way[k] : way[k]) / length : 0;
}

/* ---- exactly */

/* The nearest pair so far and the next one; the third measure is spare. */
typedef struct nearest_work {
    exact_measure best, next, spare;
} nearest_work;

static void nearest_work_init(nearest_work *w)
{
    exact_measure_init(&w->best);
    exact_measure_init(&w->next);
    exact_measure_init(&w->spare);
}

static void nearest_work_clear(nearest_work *w)
{
    exact_measure_clear(&w->best);
    exact_measure_clear(&w->next);
    exact_measure_clear(&w->spare);
}

static void nearest_measure(const exact_prim *p, const exact_prim *q, const nearest_pair *of,
                            exact_measure *out, exact_measure *spare)
{
    exact_measure_features(p->v, &of->of[0]->of, q->v, &of->of[1]->of, out, spare);
}

/* Removes the pairs that are certainly farther than another one. Returns the number of the rest. */
static int nearest_candidates(nearest_pair *pair, int n)
{
    double most = INFINITY;
    int left = 0;
    for (int i = 0; i < n; i++)
        most = lesser(most, pair[i].most);
    for (int i = 0; i < n; i++)
        if (pair[i].least <= most)
            pair[left++] = pair[i];
    return left;
}

/* Finds the nearest pair by exact distances. */
static const nearest_pair *nearest_search(const exact_prim *p, const exact_prim *q,
                                          const nearest_pair *pair, int n)
{
    nearest_work w;
    const nearest_pair *best = pair;
    if (n == 1)
        return best;
    nearest_work_init(&w);
    nearest_measure(p, q, best, &w.best, &w.spare);
    for (int i = 1; i < n; i++) {
        nearest_measure(p, q, &pair[i], &w.next, &w.spare);
        const int order = exact_measure_compare(&w.next, &w.best);
        if (order > 0 || (!order && nearest_order(best, &pair[i]) < 0))
            continue;
        best = &pair[i];
        const exact_measure old = w.best;
        w.best = w.next;
        w.next = old;
    }
    nearest_work_clear(&w);
    return best;
}

/* The point of a part of a primitive: from the corner with the greatest weight, so that it errs by
 * a rounding of its own and by the weights' errors times the extent. */
static void nearest_point(const exact_prim *p, const measured_feature *part, const double weight[4],
                          double out[3])
{
    int base = part->corner[0];
    for (int k = 1; k < part->vertices; k++)
        base = weight[part->corner[k]] > weight[base] ? part->corner[k] : base;
    for (int i = 0; i < 3; i++) {
        const double from = p->v[base].x[i];
        double sum = 0; /* adds eighths of large numbers, whose differences would overflow */
        const double scale = fabs(from) > 0x1p1000 ? 0.125 : 1;
        for (int k = 0; k < part->vertices; k++)
            sum += weight[part->corner[k]] * (p->v[part->corner[k]].x[i] * scale - from * scale);
        out[i] = (from * scale + sum) / scale + 0.0;
    }
}

static void nearest_results(const exact_prim *p, const exact_prim *q, const exact_pair *of,
                            const exact_limit *limit, exact_measured *out)
{
    exact_measure m, spare;
    if (exact_quick_features(p->v, &of->of[0], q->v, &of->of[1], limit, out))
        return;
    exact_measure_init(&m);
    exact_measure_init(&spare);
    exact_measure_features(p->v, &of->of[0], q->v, &of->of[1], &m, &spare);
    exact_measure_results(&m, limit, out);
    exact_measure_clear(&m);
    exact_measure_clear(&spare);
}

/* Results depend on the features alone, however these were found. */
void exact_pair_nearest(const exact_prim *p, const exact_prim *q, const exact_pair *of,
                        const exact_limit *limit, exact_nearest *out)
{
    const exact_prim *const prim[2] = {p, q};
    exact_measured m;
    nearest_results(p, q, of, limit, &m);
    out->kind = of->kind;
    out->distance = m.distance;
    if (limit)
        out->depth = m.depth;
    memcpy(out->normal, m.normal, sizeof out->normal);
    for (int n = 0; n < 2; n++) {
        out->feature[n] = of->value[n];
        memset(out->weight[n], 0, sizeof out->weight[n]);
        for (int k = 0; k < m.part[n].vertices; k++)
            out->weight[n][m.part[n].corner[k]] = m.weight[n][k];
        nearest_point(prim[n], &m.part[n], out->weight[n], out->point + (ptrdiff_t)3 * n);
    }
}

/* A primitive whose vertices are all different. */
static exact_numbered nearest_numbered(const exact_prim *p, uint32_t first)
{
    return (exact_numbered){*p, {first, first + 1, first + 2, first + 3}};
}

/* The pairs of features of two primitives that may be nearest. Returns their number. */
static int nearest_prepare(const exact_numbered *p, const exact_numbered *q, nearest_features of[2],
                           nearest_pair pair[NEAREST_PAIRS_MOST], nearest_points *x)
{
    nearest_list(p, &of[0]);
    nearest_list(q, &of[1]);
    const int n = nearest_pairs(&of[0], &of[1], pair);
    nearest_scale(&p->of, &q->of, x);
    for (int k = 0; k < n; k++)
        nearest_bound(x, &pair[k]);
    return nearest_candidates(pair, n);
}

void exact_prims_nearest(const exact_numbered *p, const exact_numbered *q, const exact_limit *limit,
                         exact_nearest *out)
{
    nearest_features of[2];
    nearest_pair pair[NEAREST_PAIRS_MOST];
    nearest_points x;
    const int n = nearest_prepare(p, q, of, pair, &x);
    const nearest_pair *best = nearest_search(&p->of, &q->of, pair, n);
    const exact_pair found = {
        best->kind, {best->of[0]->of, best->of[1]->of}, {best->of[0]->value, best->of[1]->value}};
    exact_pair_nearest(&p->of, &q->of, &found, limit, out);
}

/* ---- given features */

static nearest_feature nearest_given(const exact_numbered *p, exact_feature f)
{
    nearest_feature r = {{.vertices = f.vertices}, exact_feature_value(p, f)};
    for (int k = 0; k < f.vertices && k < 3; k++)
        r.of.corner[k] = exact_feature_corner(p, f, k);
    return r;
}

static int nearest_kind(exact_feature i, exact_feature j)
{
    return i.vertices == 3 || j.vertices == 3   ? IMP_KIND_VERTEX_FACE
           : i.vertices == 2 && j.vertices == 2 ? IMP_KIND_EDGE_EDGE
           : i.vertices == 2 || j.vertices == 2 ? IMP_KIND_VERTEX_EDGE
                                                : IMP_KIND_VERTEX_VERTEX;
}

void exact_pair_of(const exact_numbered *p, exact_feature i, const exact_numbered *q,
                   exact_feature j, exact_pair *out)
{
    const nearest_feature a = nearest_given(p, i), b = nearest_given(q, j);
    *out = (exact_pair){nearest_kind(i, j), {a.of, b.of}, {a.value, b.value}};
}

/* ---- within a distance */

/* -1: the nearest features are certainly beyond the distance, 1: some are certainly within it, 0:
 * the pairs that remain, *n of them, may be. */
static int nearest_filter(const nearest_points *x, const exact_limit *limit, nearest_pair *pair,
                          int *n)
{
    const double sum =
        times_power(limit->of[0], -1 - x->unit) + times_power(limit->of[1], -1 - x->unit);
    const double above = sum * (1 + 0x1p-50) + 0x1p-1000, below = sum * (1 - 0x1p-50);
    int left = 0;
    for (int i = 0; i < *n; i++) {
        nearest_bound(x, &pair[i]);
        if (pair[i].most < below - 0x1p-1000)
            return 1;
        if (pair[i].least <= above)
            pair[left++] = pair[i];
    }
    *n = left;
    return left ? 0 : -1;
}

static int nearest_within(const exact_prim *p, const exact_prim *q, const nearest_pair *pair, int n,
                          const exact_limit *limit)
{
    exact_measure m, spare;
    int within = 0;
    exact_measure_init(&m);
    exact_measure_init(&spare);
    for (int i = 0; i < n && !within; i++) {
        nearest_measure(p, q, &pair[i], &m, &spare);
        within = exact_measure_beyond(&m, limit) <= 0;
    }
    exact_measure_clear(&m);
    exact_measure_clear(&spare);
    return within;
}

int exact_features_within(const exact_prim *p, exact_feature i, const exact_prim *q,
                          exact_feature j, const exact_limit *limit)
{
    const exact_numbered np = nearest_numbered(p, 0), nq = nearest_numbered(q, 4);
    const nearest_feature a = nearest_given(&np, i), b = nearest_given(&nq, j);
    nearest_pair pair = {.kind = nearest_kind(i, j), .of = {&a, &b}};
    nearest_points x;
    int n = 1;
    nearest_scale(p, q, &x);
    const int found = nearest_filter(&x, limit, &pair, &n);
    return found ? found > 0 : nearest_within(p, q, &pair, 1, limit);
}

int exact_prims_within(const exact_prim *p, const exact_prim *q, const exact_limit *limit)
{
    const exact_numbered np = nearest_numbered(p, 0), nq = nearest_numbered(q, 4);
    nearest_features of[2];
    nearest_pair pair[NEAREST_PAIRS_MOST];
    nearest_points x;
    nearest_list(&np, &of[0]);
    nearest_list(&nq, &of[1]);
    int n = nearest_pairs(&of[0], &of[1], pair);
    nearest_scale(p, q, &x);
    return nearest_filter(&x, limit, pair, &n) > 0 || exact_prims_intersect(p, q) ||
           nearest_within(p, q, pair, n, limit);
}

/* Both halves are exact, or the lesser one errs by less than a rounding of the greater one; a sum
 * of small numbers is exact in two parts, and only its half may be rounded. */
exact_depth exact_limit_depth(const exact_limit *limit)
{
    const int large = limit->of[0] > 1 || limit->of[1] > 1;
    const double part = large ? 0.5 : 1;
    const twofold sum = sum_of(limit->of[0] * part, limit->of[1] * part);
    double d = large ? sum.hi : sum.hi * 0.5;
    if ((large ? d : 2 * d) > sum.hi || (sum.lo < 0 && (large ? d : 2 * d) == sum.hi))
        d = nextafter(d, -INFINITY);
    return (exact_depth){d + 0.0, limit->of[0] > 0 || limit->of[1] > 0};
}

/* ---- distances of several pairs */

void exact_prims_distance_bounds(const exact_prim *p, const exact_prim *q, double *least,
                                 double *most, double way[3])
{
    nearest_features of[2];
    nearest_pair pair[NEAREST_PAIRS_MOST];
    nearest_points x;
    const exact_numbered np = nearest_numbered(p, 0), nq = nearest_numbered(q, 4);
    const int n = nearest_prepare(&np, &nq, of, pair, &x);
    *least = *most = INFINITY;
    for (int i = 0; i < n; i++) {
        *least = lesser(*least, pair[i].least);
        if (pair[i].most < *most)
            vec_copy(pair[i].way, way);
        *most = lesser(*most, pair[i].most);
    }
    *least = ldexp(greater(*least, 0), x.unit);
    *most = ldexp(*most, x.unit);
    if (!exact_boxes_apart(p->v, p->corners, q->v, q->corners) && exact_prims_intersect(p, q))
        *least = *most = 0;
}

/* Measures the nearest features; the distance is 0 if the primitives intersect. */
static void nearest_measure_pair(const exact_prim p[2], exact_measure *out)
{
    nearest_features of[2];
    nearest_pair pair[NEAREST_PAIRS_MOST];
    nearest_points x;
    exact_measure spare;
    if (exact_prims_intersect(&p[0], &p[1])) {
        dyad_set_double(&out->square, 0);
        dyad_set_double(&out->size, 1);
        return;
    }
    const exact_numbered np = nearest_numbered(&p[0], 0), nq = nearest_numbered(&p[1], 4);
    const int n = nearest_prepare(&np, &nq, of, pair, &x);
    exact_measure_init(&spare);
    nearest_measure(&p[0], &p[1], nearest_search(&p[0], &p[1], pair, n), out, &spare);
    exact_measure_clear(&spare);
}

int exact_distances_compare(const exact_prim p[2], const exact_prim q[2])
{
    exact_measure x, y;
    exact_measure_init(&x);
    exact_measure_init(&y);
    nearest_measure_pair(p, &x);
    nearest_measure_pair(q, &y);
    const int order = exact_measure_compare(&x, &y);
    exact_measure_clear(&x);
    exact_measure_clear(&y);
    return order;
}

/* ---- distances in double-double numbers */

static void nearest_quick_part(const exact_numbered *p, const measured_feature *part, int *vertices,
                               uint32_t vertex[3])
{
    *vertices = part->vertices;
    for (int k = 0; k < part->vertices; k++) {
        const uint32_t v = p->vertex[part->corner[k]];
        int to = k;
        for (; to > 0 && vertex[to - 1] > v; to--)
            vertex[to] = vertex[to - 1];
        vertex[to] = v;
    }
}

static int nearest_quick_same(const exact_rounded *x, const exact_rounded *y)
{
    for (int n = 0; n < 2; n++) {
        if (!x->vertices[n] || x->vertices[n] != y->vertices[n])
            return 0;
        for (int k = 0; k < x->vertices[n]; k++)
            if (x->vertex[n][k] != y->vertex[n][k])
                return 0;
    }
    return 1;
}

/* Parts with positive weights have the distance of their planes, lines or points, which does not
 * depend on the features. Features that share a part therefore are equally near. */
int exact_prims_rounded(const exact_numbered *p, const exact_numbered *q, exact_rounded *out)
{
    nearest_features of[2];
    nearest_pair pair[NEAREST_PAIRS_MOST];
    nearest_points x;
    const int n = nearest_prepare(p, q, of, pair, &x);
    *out = (exact_rounded){.distance = INFINITY};
    for (int i = 0; i < n; i++) {
        exact_measured m;
        exact_rounded next = {.distance = 0};
        if (!exact_quick_features(p->of.v, &pair[i].of[0]->of, q->of.v, &pair[i].of[1]->of, NULL,
                                  &m))
            return 0;
        next.distance = m.distance;
        nearest_quick_part(p, &m.part[0], &next.vertices[0], next.vertex[0]);
        nearest_quick_part(q, &m.part[1], &next.vertices[1], next.vertex[1]);
        if (next.distance < out->distance)
            *out = next;
        else if (next.distance == out->distance && !nearest_quick_same(&next, out))
            out->vertices[0] = out->vertices[1] = 0;
    }
    return 1;
}

int exact_rounded_compare(const exact_rounded *x, const exact_rounded *y)
{
    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return nearest_quick_same(x, y) ? 0 : 2;
}
