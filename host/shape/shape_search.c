/* The closest triangles of two shapes: branch and bound over their trees, nearer halves first. Also
 * finds all nearby triangles. */
#include "error.h"
#include "shape.h"
#include "shape_parts.h"
#include "vec3.h"

/* Two nodes still to be compared: their contents are no closer than `bound`. */
typedef struct duo {
    uint32_t node[2];
    double bound;
} duo;

typedef struct search {
    const shape_query *q;
    double between[3][3]; /* absolute scalar products of the axes of both shapes */
    double scale;
    double best; /* a distance */
    shape_found *out;
    duo stack[2 * SHAPE_LEVELS + 1];
    int depth;
} search;

/* The length of the positive components. */
static double positive(const double x[3])
{
    double sum = 0;
    for (int k = 0; k < 3; k++)
        sum += x[k] > 0 ? x[k] * x[k] : 0;
    return sqrt(sum);
}

/* Distance along the axes of one side between its box and the axis-aligned box around the other's.
 * d: from centre to centre. */
static double shape_search_box_distance(const search *s, const shape_node *const n[2], int side,
                                        const double d[3])
{
    double x[3];
    vec_turn_back(s->q->turn[side], d, x);
    for (int i = 0; i < 3; i++) {
        double reach = n[side]->half[i];
        for (int k = 0; k < 3; k++)
            reach += (side ? s->between[k][i] : s->between[i][k]) * n[!side]->half[k];
        x[i] = fabs(x[i]) - reach * s->scale;
    }
    return positive(x);
}

/* A lower bound of the distance of their contents, reduced by the margin. */
static double bound_of(const search *s, const uint32_t node[2])
{
    const shape_query *q = s->q;
    const shape_node *n[2] = {&q->s[0]->node[node[0]], &q->s[1]->node[node[1]]};
    double x[2][3], d[3];
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < 3; i++)
            x[side][i] = vec_dot(q->r[side][i], n[side]->middle) + q->t[side][i];
    vec_sub(x[1], x[0], d);
    const double round = sqrt(vec_dot(d, d)) - (n[0]->radius + n[1]->radius) * s->scale;
    const double boxes =
        fmax(shape_search_box_distance(s, n, 0, d), shape_search_box_distance(s, n, 1, d));
    return fmax(round, boxes) - q->margin;
}

static void shape_search_corners(const shape_query *q, int side, uint32_t cell, double out[3][3])
{
    for (size_t i = 0; i < 3; i++)
        shape_query_vertex(q, side, q->s[side]->corner[3 * (size_t)cell + i], out[i]);
}

/* Returns whether one is beyond the plane of the other by more than that. Most pairs are, and
 * finding their closest points takes ten times as long. */
static int beyond_plane(const double p[3][3], const double q[3][3], double most)
{
    double u[3], v[3], n[3], low = INFINITY, high = -INFINITY, least = INFINITY, top = -INFINITY;
    vec_sub(p[1], p[0], u);
    vec_sub(p[2], p[0], v);
    vec_cross(u, v, n);
    for (int i = 0; i < 3; i++) {
        const double x = vec_dot(n, p[i]), y = vec_dot(n, q[i]);
        low = x < low ? x : low; /* not fmin, which is a call */
        high = x > high ? x : high;
        least = y < least ? y : least;
        top = y > top ? y : top;
    }
    const double gap = fmax(least - high, low - top);
    return gap > 0 && gap * gap > most * most * vec_dot(n, n);
}

/* The answer is as uncertain as the least certain of the compared pairs. */
static void shape_search_test_pair(search *s, const uint32_t cell[2])
{
    double p[3][3], q[3][3];
    shape_touch t;
    shape_search_corners(s->q, 0, cell[0], p);
    shape_search_corners(s->q, 1, cell[1], q);
    const double most = s->best + 2 * s->q->margin; /* the pair cannot improve the result beyond
                                                     * this */
    if (beyond_plane((const double(*)[3])p, (const double(*)[3])q, most) ||
        beyond_plane((const double(*)[3])q, (const double(*)[3])p, most))
        return;
    shape_triangles((const double(*)[3])p, (const double(*)[3])q, &t);
    const double distance = sqrt(t.square), enough = fmin(distance, s->best) - s->q->margin;
    const double least =
        shape_triangles_apart((const double(*)[3])p, (const double(*)[3])q, &t, enough);
    s->out->least = fmin(s->out->least, fmin(least, distance));
    if (!(distance < s->best))
        return;
    s->best = distance;
    s->out->touch = t;
    s->out->cell[0] = cell[0];
    s->out->cell[1] = cell[1];
}

static void shape_search_compare_leaves(search *s, const shape_node *a, const shape_node *b)
{
    for (uint32_t i = a->begin; i < a->end; i++)
        for (uint32_t k = b->begin; k < b->end; k++)
            shape_search_test_pair(s,
                                   (const uint32_t[2]){s->q->s[0]->order[i], s->q->s[1]->order[k]});
}

/* Divides the larger node. Its nearer half is pushed last, so popped first. */
static void shape_search_divide(search *s, const duo *from)
{
    const shape_node *n[2] = {&s->q->s[0]->node[from->node[0]], &s->q->s[1]->node[from->node[1]]};
    const int side = !n[0]->child || (n[1]->child && n[1]->radius > n[0]->radius);
    duo half[2] = {*from, *from};
    for (uint32_t i = 0; i < 2; i++) {
        half[i].node[side] = n[side]->child + i;
        half[i].bound = bound_of(s, half[i].node);
    }
    const int first = half[1].bound > half[0].bound;
    s->stack[s->depth++] = half[first];
    s->stack[s->depth++] = half[!first];
}

/* Absolute scalar products of the axes. */
static void shape_search_find_between(search *s)
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            double sum = 0;
            for (int m = 0; m < 3; m++)
                sum += s->q->turn[0][m][i] * s->q->turn[1][m][k];
            s->between[i][k] = fabs(sum);
        }
}

static int is_leaf(const search *s, const duo *d)
{
    return !s->q->s[0]->node[d->node[0]].child && !s->q->s[1]->node[d->node[1]].child;
}

static search shape_search_begin(const shape_query *q)
{
    search s = {.q = q, .scale = 1 / q->unit, .best = INFINITY, .depth = 1};
    shape_search_find_between(&s);
    s.stack[0].bound = bound_of(&s, s.stack[0].node);
    return s;
}

void shape_search(const shape_query *q, const uint32_t cell[2], shape_found *out)
{
    search s = shape_search_begin(q);
    s.out = out;
    *out = (shape_found){.least = INFINITY};
    shape_search_test_pair(&s, cell);
    while (s.depth) {
        const duo at = s.stack[--s.depth];
        out->steps++;
        if (!(at.bound < s.best))
            continue;
        if (is_leaf(&s, &at))
            shape_search_compare_leaves(&s, &q->s[0]->node[at.node[0]], &q->s[1]->node[at.node[1]]);
        else
            shape_search_divide(&s, &at);
    }
}

void shape_search_start(const shape_query *q, uint32_t cell[2], uint64_t *steps)
{
    search s = shape_search_begin(q);
    while (!is_leaf(&s, &s.stack[s.depth - 1])) {
        const duo at = s.stack[s.depth - 1];
        s.depth = 0;
        shape_search_divide(&s, &at);
        ++*steps;
    }
    for (int side = 0; side < 2; side++)
        cell[side] = q->s[side]->order[q->s[side]->node[s.stack[s.depth - 1].node[side]].begin];
}

/* ---- all nearby pairs */

/* Returns whether they may be that near. shape_triangles never returns too small a distance, so a
 * larger one needs a proof. */
static int shape_search_may_be_near(const search *s, const uint32_t cell[2], double most)
{
    double p[3][3], q[3][3];
    shape_touch t;
    shape_search_corners(s->q, 0, cell[0], p);
    shape_search_corners(s->q, 1, cell[1], q);
    shape_triangles((const double(*)[3])p, (const double(*)[3])q, &t);
    return sqrt(t.square) <= most ||
           shape_triangles_apart((const double(*)[3])p, (const double(*)[3])q, &t, most) <= most;
}

static int shape_search_add_leaves(const search *s, const shape_node *a, const shape_node *b,
                                   const shape_pair_sink *to)
{
    int err = 0;
    for (uint32_t i = a->begin; i < a->end; i++)
        for (uint32_t k = b->begin; k < b->end; k++) {
            const uint32_t cell[2] = {s->q->s[0]->order[i], s->q->s[1]->order[k]};
            if (shape_search_may_be_near(s, cell, s->best))
                TRY(to->add(to->with, cell));
        }
out:
    return err;
}

int shape_near(const shape *a, const pose_map *pa, const shape *b, const pose_map *pb, double reach,
               const shape_pair_sink *to)
{
    int err = 0;
    shape_query q;
    shape_query_make(a, pa, b, pb, &q);
    search s = shape_search_begin(&q);
    s.best = reach / q.unit + q.margin;
    while (s.depth) {
        const duo at = s.stack[--s.depth];
        if (!(at.bound <= s.best))
            continue;
        if (is_leaf(&s, &at))
            TRY(shape_search_add_leaves(&s, &a->node[at.node[0]], &b->node[at.node[1]], to));
        else
            shape_search_divide(&s, &at);
    }
out:
    return err;
}

/* ---- The closest points of two triangles: over the 15 pairs of a vertex and a face, or of two
 * edges, and the points where an edge passes through a face.
 *
 * Points are always sums of corners with parameters from 0 to 1, so they are on the triangles
 * within rounding, whatever their shape: a wrong parameter makes a distance too large, never too
 * small. Normals of slivers are unreliable. So a vertex is compared with the edges first, and the
 * face is searched from the nearest point on them. */

/* Side 0 has p, side 1 has q; other functions take a triangle and its side. */
typedef struct tri {
    const double (*x)[3];
    double n[3]; /* normal, not of length 1 */
    double edge[3][3];
    double nn;
    int side;
} tri;

static tri tri_make(const double x[3][3], int side)
{
    tri t = {.x = x, .side = side};
    for (int i = 0; i < 3; i++)
        vec_sub(x[(i + 1) % 3], x[i], t.edge[i]);
    vec_cross(t.edge[0], t.edge[1], t.n);
    t.nn = vec_dot(t.n, t.n);
    return t;
}

/* x is on the triangle of `side`, y on the other one. */
static void offer(shape_touch *best, int side, const double x[3], int part, const double y[3],
                  int other)
{
    const double square = vec_square(x, y);
    if (!(square < best->square))
        return;
    best->square = square;
    vec_copy(x, best->x[side]);
    vec_copy(y, best->x[!side]);
    best->part[side] = part;
    best->part[!side] = other;
}

/* The parameter of the point of edge i nearest to x. */
static double shape_triangles_edge_parameter(const tri *t, int i, const double x[3])
{
    return vec_closest_to_point(t->x[i], t->edge[i], x);
}

/* Returns the feature that contains the point; the point is exactly a corner at the ends. */
static int shape_triangles_edge_point(const tri *t, int i, double s, double out[3])
{
    if (s >= 1)
        vec_copy(t->x[(i + 1) % 3], out);
    else
        vec_along(t->x[i], s, t->edge[i], out);
    return s <= 0 ? i : s >= 1 ? (i + 1) % 3 : PART_EDGE + i;
}

/* Intersection of the line through y along n with the plane, for w = x - y with y in the plane: the
 * parameters along edge 0 and the reversed edge 2, from y. */
static void shape_triangles_plane_parameters(const tri *t, const double w[3], double out[2])
{
    double back[3] = {-t->edge[2][0], -t->edge[2][1], -t->edge[2][2]}, c[3];
    vec_cross(w, back, c);
    out[0] = vec_dot(c, t->n) / t->nn;
    vec_cross(t->edge[0], w, c);
    out[1] = vec_dot(c, t->n) / t->nn;
}

/* The point with these parameters, if inside the triangle. */
static int face_point(const tri *t, double u, double v, double out[3])
{
    if (!(u >= 0 && v >= 0 && u + v <= 1))
        return 0;
    vec_along(t->x[0], u, t->edge[0], out);
    vec_along(out, -v, t->edge[2], out);
    return 1;
}

/* Tests corner c of the other triangle. */
static void shape_triangles_vertex_face(const tri *t, const double x[3], int c, shape_touch *best)
{
    double y[3], near[3] = {0}, w[3], d[2], least = INFINITY, s = 0;
    int edge = 0;
    for (int i = 0; i < 3; i++) {
        const double at = shape_triangles_edge_parameter(t, i, x);
        const int part = shape_triangles_edge_point(t, i, at, y);
        offer(best, t->side, y, part, x, c);
        if (vec_square(x, y) < least) {
            least = vec_square(x, y);
            vec_copy(y, near);
            edge = i;
            s = at;
        }
    }
    if (!(t->nn > 0) || !(least < INFINITY))
        return;
    vec_sub(x, near, w);
    shape_triangles_plane_parameters(t, w, d);
    const double u = edge == 0 ? s : edge == 1 ? 1 - s : 0;
    const double v = edge == 0 ? 0 : edge == 1 ? s : 1 - s;
    if (face_point(t, u + d[0], v + d[1], y))
        offer(best, t->side, y, PART_FACE, x, c);
}

/* Edge i of t and k of o, between their ends, which are tested as vertices. From the lines' common
 * perpendicular; projected once more, since the first parameter is unreliable for nearly parallel
 * lines. */
static void shape_triangles_edge_edge(const tri *t, int i, const tri *o, int k, shape_touch *best)
{
    double n[3], w[3], x[3], y[3];
    vec_cross(t->edge[i], o->edge[k], n);
    if (!(vec_dot(n, n) > 0))
        return;
    vec_sub(o->x[k], t->x[i], w);
    shape_triangles_edge_point(t, i, vec_closest_to_line(t->edge[i], o->edge[k], w), x);
    const double at = shape_triangles_edge_parameter(o, k, x);
    const int other = shape_triangles_edge_point(o, k, at, y);
    const int part = shape_triangles_edge_point(t, i, shape_triangles_edge_parameter(t, i, y), x);
    offer(best, t->side, x, part, y, other);
}

/* Edge i of o passes through t. */
static void pierce(const tri *t, const tri *o, int i, shape_touch *best)
{
    double w[3], x[3], y[3], d[2];
    vec_sub(o->x[i], t->x[0], w);
    const double from = vec_dot(w, t->n);
    vec_sub(o->x[(i + 1) % 3], t->x[0], w);
    const double to = vec_dot(w, t->n);
    if (!(t->nn > 0) || !((from > 0 && to < 0) || (from < 0 && to > 0)))
        return;
    const int part = shape_triangles_edge_point(o, i, from / (from - to), x);
    vec_sub(x, t->x[0], w);
    shape_triangles_plane_parameters(t, w, d);
    if (face_point(t, d[0], d[1], y))
        offer(best, t->side, y, PART_FACE, x, part);
}

void shape_triangles(const double p[3][3], const double q[3][3], shape_touch *out)
{
    const tri t[2] = {tri_make(p, 0), tri_make(q, 1)};
    out->square = INFINITY;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < 3; i++)
            shape_triangles_vertex_face(&t[side], t[!side].x[i], i, out);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            shape_triangles_edge_edge(&t[0], i, &t[1], k, out);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < 3; i++)
            pierce(&t[side], &t[!side], i, out);
}

/* ---- two segments */

static double segment_parameter(const double a[2][3], const double x[3])
{
    double e[3];
    vec_sub(a[1], a[0], e);
    return vec_closest_to_point(a[0], e, x);
}

static void segment_at(const double a[2][3], double parameter, double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[0][k] + parameter * (a[1][k] - a[0][k]);
}

/* From a parameter on a: the nearest point on b, then the point on a nearest to that. */
static double shape_triangles_alternate(const double a[2][3], const double b[2][3],
                                        double parameter[2])
{
    double x[3], y[3];
    segment_at(a, parameter[0], x);
    parameter[1] = segment_parameter(b, x);
    segment_at(b, parameter[1], y);
    parameter[0] = segment_parameter(a, y);
    segment_at(a, parameter[0], x);
    return vec_square(x, y);
}

static double line_parameter(const double a[2][3], const double b[2][3])
{
    double e[3], f[3], w[3];
    vec_sub(a[1], a[0], e);
    vec_sub(b[1], b[0], f);
    vec_sub(b[0], a[0], w);
    return vec_closest_to_line(e, f, w);
}

double shape_segments(const double a[2][3], const double b[2][3], double parameter[2])
{
    const double begin[5] = {line_parameter(a, b), 0, 1, segment_parameter(a, b[0]),
                             segment_parameter(a, b[1])};
    double least = INFINITY;
    for (int i = 0; i < 5; i++) {
        double at[2] = {begin[i], 0};
        const double square = shape_triangles_alternate(a, b, at);
        if (square < least) {
            least = square;
            parameter[0] = at[0];
            parameter[1] = at[1];
        }
    }
    return least;
}

/* ---- lower bounds of the distance */

/* The distance of q beyond p along d, which becomes a unit vector; or of p beyond q. */
static double shape_triangles_gap(const double p[3][3], const double q[3][3], const double d[3])
{
    double u[3], lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
    vec_copy(d, u);
    if (!vec_unit(u))
        return 0;
    for (int i = 0; i < 3; i++) {
        const double h[2] = {vec_dot(u, p[i]), vec_dot(u, q[i])};
        for (int side = 0; side < 2; side++) {
            lo[side] = fmin(lo[side], h[side]);
            hi[side] = fmax(hi[side], h[side]);
        }
    }
    return fmax(fmax(lo[1] - hi[0], lo[0] - hi[1]), 0);
}

static double fine_gap(const double p[3][3], const double q[3][3], const fine *d)
{
    double x[3];
    fine_out(d, x);
    return shape_triangles_gap(p, q, x);
}

/* Along the normals of both, and orthogonal to two edges. */
static double gap_of_faces(const double p[3][3], const double q[3][3], const fine e[2][3])
{
    const fine n[2] = {fine_cross(&e[0][0], &e[0][1]), fine_cross(&e[1][0], &e[1][1])};
    double best = fmax(fine_gap(p, q, &n[0]), fine_gap(p, q, &n[1]));
    for (int i = 0; i < 9; i++) {
        const fine c = fine_cross(&e[0][i / 3], &e[1][i % 3]);
        best = fmax(best, fine_gap(p, q, &c));
    }
    return best;
}

/* Between two vertices, and between a vertex and an edge. */
static double gap_of_vertices(const double p[3][3], const double q[3][3], const fine e[2][3])
{
    double best = 0;
    for (int i = 0; i < 9; i++) {
        const fine w = fine_between(p[i / 3], q[i % 3]);
        const fine a = fine_across(&w, &e[0][i / 3]), b = fine_across(&w, &e[1][i % 3]);
        best = fmax(best, fmax(fine_gap(p, q, &w), fmax(fine_gap(p, q, &a), fine_gap(p, q, &b))));
    }
    return best;
}

/* The direction between close points is inaccurate, and the direction orthogonal to nearly parallel
 * edges is lost in rounding, so all other directions are computed with twice the digits. */
double shape_triangles_apart(const double p[3][3], const double q[3][3], const shape_touch *t,
                             double enough)
{
    fine e[2][3];
    double d[3];
    vec_sub(t->x[1], t->x[0], d);
    const double best = shape_triangles_gap(p, q, d);
    if (best >= enough)
        return best;
    for (int i = 0; i < 3; i++) {
        e[0][i] = fine_between(p[i], p[(i + 1) % 3]);
        e[1][i] = fine_between(q[i], q[(i + 1) % 3]);
    }
    return fmax(best, fmax(gap_of_faces(p, q, (const fine(*)[3])e),
                           gap_of_vertices(p, q, (const fine(*)[3])e)));
}
