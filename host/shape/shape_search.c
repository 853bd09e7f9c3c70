/* The closest triangles of two shapes: branch and bound over their trees, nearer halves first. And
 * all triangles that are near each other. */
#include "shape_near.h"
#include "shape_query.h"
#include "vec3.h"

#include "error.h"

/* Two nodes that are still to be compared: what is in them is not closer than `bound`. */
typedef struct duo {
    uint32_t node[2];
    double bound;
} duo;

typedef struct search {
    const shape_query *q;
    double between[3][3]; /* amounts of the products of the axes of both shapes */
    double scale;
    double best; /* a distance */
    shape_found *out;
    duo stack[2 * SHAPE_LEVELS + 1];
    int depth;
} search;

/* The length of what is positive. */
static double positive(const double x[3])
{
    double sum = 0;
    for (int k = 0; k < 3; k++)
        sum += x[k] > 0 ? x[k] * x[k] : 0;
    return sqrt(sum);
}

/* In the coordinates of one side the other's box is in a box along the axes: how far are the two
 * apart? d: from middle to middle. */
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

/* No more than the distance of what is in them, for the margin is taken off. */
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

/* Is one beyond the plane of the other by more than that? Most pairs are, and to find their closest
 * points takes ten times as long. */
static int beyond_plane(const double p[3][3], const double q[3][3], double most)
{
    double u[3], v[3], n[3], low = INFINITY, high = -INFINITY, least = INFINITY, top = -INFINITY;
    vec_sub(p[1], p[0], u);
    vec_sub(p[2], p[0], v);
    vec_cross(u, v, n);
    for (int i = 0; i < 3; i++) {
        const double x = vec_dot(n, p[i]), y = vec_dot(n, q[i]);
        low = x < low ? x : low; /* not fmin: it is a call */
        high = x > high ? x : high;
        least = y < least ? y : least;
        top = y > top ? y : top;
    }
    const double gap = fmax(least - high, low - top);
    return gap > 0 && gap * gap > most * most * vec_dot(n, n);
}

/* The answer is as uncertain as the least certain of the pairs that were compared. */
static void shape_search_test_pair(search *s, const uint32_t cell[2])
{
    double p[3][3], q[3][3];
    shape_touch t;
    shape_search_corners(s->q, 0, cell[0], p);
    shape_search_corners(s->q, 1, cell[1], q);
    const double most = s->best + 2 * s->q->margin; /* not to be beaten */
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

/* The larger node is divided. Its nearer half comes last on the stack, so first off it. */
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

/* The amounts of the products of axes. */
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

/* ---- all that are near */

/* May they be as near as that? What shape_triangles finds is never too small, so a distance beyond
 * it takes a proof. */
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
