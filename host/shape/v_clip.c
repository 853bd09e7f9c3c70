/* V-Clip: Mirtich, *V-Clip: fast and robust polyhedral collision detection*, ACM Transactions on
 * Graphics 17(3), 1998; sections 4 and 5, figures 5 to 10.
 *
 * Keeps one feature of each body, and replaces one of them by a neighbour as long as the closest
 * points of the two are not in each other's Voronoi regions. An edge is clipped to a region by its
 * planes; the sign of the derivative of the distance at an end of the remaining part tells whether
 * the closest point is beyond. The only divisors are differences of heights of opposite signs.
 *
 * It ends if rounding leads back to two features visited before (Brent's method: one pair of
 * features is remembered, at 1, 2, 4, ... steps). The final features are verified by other
 * means. */
#include "shape_hull.h"
#include "vec3.h"

typedef struct v_clip {
    const shape_query *q;
    const shape_hull *h[2];
    hull_feature f[2];
} v_clip;

static enum v_clip_end v_clip_go_to(v_clip *w, int side, uint32_t kind, uint32_t at)
{
    w->f[side] = (hull_feature){kind, at};
    return V_CLIP_GO_ON;
}

/* ---- positions */

typedef struct line {
    double x[2][3]; /* tail, head */
    double u[3];    /* unit vector from tail to head */
} line;

static line v_clip_line(const v_clip *w, int side, uint32_t edge)
{
    const hull_edge *e = &w->h[side]->edge[edge];
    line l;
    hull_position(w->q, side, e->vertex[0], l.x[0]);
    hull_position(w->q, side, e->vertex[1], l.x[1]);
    vec_turn(w->q->turn[side], e->along, l.u);
    return l;
}

static void v_clip_line_at(const line *l, double parameter, double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = l->x[0][k] + parameter * (l->x[1][k] - l->x[0][k]);
}

static void v_clip_normal(const v_clip *w, int side, uint32_t face, double out[3])
{
    vec_turn(w->q->turn[side], w->h[side]->normal + 3 * (size_t)face, out);
}

/* Direction from a vertex along one of its edges. */
static void v_clip_spoke(const v_clip *w, int side, uint32_t vertex, uint32_t edge, double out[3])
{
    const hull_edge *e = &w->h[side]->edge[edge];
    vec_turn(w->q->turn[side], e->along, out);
    if (e->vertex[0] != vertex)
        vec_along((const double[3]){0}, -1, out, out);
}

/* Direction in the plane of a face, orthogonal to one of its edges, away from the face. */
static void v_clip_outward(const v_clip *w, int side, uint32_t face, uint32_t edge, double out[3])
{
    const hull_edge *e = &w->h[side]->edge[edge];
    double c[3];
    vec_cross(e->along, w->h[side]->normal + 3 * (size_t)face, c);
    vec_turn(w->q->turn[side], c, out);
    if (hull_right(e, face))
        vec_along((const double[3]){0}, -1, out, out);
}

static double v_clip_height(const double n[3], const double of[3], const double x[3])
{
    double d[3];
    vec_sub(x, of, d);
    return vec_dot(n, d);
}

/* A point in the plane of a face. */
static void v_clip_face_position(const v_clip *w, int side, uint32_t face, double out[3])
{
    const shape_hull *h = w->h[side];
    hull_position(w->q, side, h->edge[h->side[h->side0[face]]].vertex[0], out);
}

/* ---- an edge clipped to a region */

typedef struct clip {
    double parameter[2]; /* the remaining part */
    int is_cut[2];       /* cut by the plane of a neighbour of the region */
    hull_feature by[2];
    int out; /* all of it is beyond the plane of by[0] */
    int empty;
} clip;

static clip v_clip_clip_whole(void)
{
    return (clip){.parameter = {0, 1}};
}

/* Clips by a plane; tail and head are heights, positive within the region. */
static void v_clip_clip_by(clip *c, double tail, double head, hull_feature by)
{
    if (c->out || (tail >= 0 && head >= 0))
        return;
    if (tail < 0 && head < 0) {
        c->out = 1;
        c->by[0] = by;
        return;
    }
    const int end = head < 0;
    const double parameter = tail / (tail - head);
    if (end ? parameter < c->parameter[1] : parameter > c->parameter[0]) {
        c->parameter[end] = parameter;
        c->is_cut[end] = 1;
        c->by[end] = by;
    }
    c->empty |= c->parameter[0] > c->parameter[1];
}

/* The sign of the derivative of the distance from a feature along the edge, at a parameter. */
static double v_clip_derivative_sign(const v_clip *w, int side, hull_feature f, const line *l,
                                     double parameter)
{
    double x[3], y[3], n[3];
    v_clip_line_at(l, parameter, x);
    if (f.kind == SHAPE_VERTEX) {
        hull_position(w->q, side, f.at, y);
        return v_clip_height(l->u, y, x);
    }
    v_clip_normal(w, side, f.at, n);
    v_clip_face_position(w, side, f.at, y);
    return v_clip_height(n, y, x) >= 0 ? vec_dot(l->u, n) : -vec_dot(l->u, n);
}

/* Returns whether the closest point of the edge is beyond one of the planes. `of`: the feature for
 * the distance; NULL: the neighbour. */
static int v_clip_beyond(const v_clip *w, int side, const clip *c, const line *l,
                         const hull_feature *of, hull_feature *to)
{
    if (c->out || (c->is_cut[0] &&
                   v_clip_derivative_sign(w, side, of ? *of : c->by[0], l, c->parameter[0]) > 0)) {
        *to = c->by[0];
        return 1;
    }
    if (c->is_cut[1] &&
        v_clip_derivative_sign(w, side, of ? *of : c->by[1], l, c->parameter[1]) < 0) {
        *to = c->by[1];
        return 1;
    }
    return 0;
}

/* ---- two vertices */

/* The edge whose plane at the vertex a point is farthest beyond; SHAPE_NONE: beyond none. */
static uint32_t v_clip_edge_beyond(const v_clip *w, int side, uint32_t vertex, const double x[3])
{
    const shape_hull *h = w->h[side];
    double most = 0, v[3], u[3];
    uint32_t best = SHAPE_NONE;
    hull_position(w->q, side, vertex, v);
    for (uint32_t i = h->spoke0[vertex]; i < h->spoke0[vertex + 1]; i++) {
        v_clip_spoke(w, side, vertex, h->spoke[i], u);
        if (v_clip_height(u, v, x) > most) {
            most = v_clip_height(u, v, x);
            best = h->spoke[i];
        }
    }
    return best;
}

static enum v_clip_end v_clip_vertex_vertex(v_clip *w)
{
    for (int side = 0; side < 2; side++) {
        double x[3];
        hull_position(w->q, !side, w->f[!side].at, x);
        const uint32_t edge = v_clip_edge_beyond(w, side, w->f[side].at, x);
        if (edge != SHAPE_NONE)
            return v_clip_go_to(w, side, SHAPE_EDGE, edge);
    }
    return V_CLIP_APART;
}

/* ---- a vertex and an edge */

/* The neighbour of that side's edge whose plane a point is farthest beyond. */
static int v_clip_past_edge(const v_clip *w, int side, const double x[3], hull_feature *to)
{
    const hull_edge *e = &w->h[side]->edge[w->f[side].at];
    const line l = v_clip_line(w, side, w->f[side].at);
    double most = 0;
    for (uint32_t end = 0; end < 2; end++) {
        const double h = end ? v_clip_height(l.u, l.x[1], x) : -v_clip_height(l.u, l.x[0], x);
        if (h > most) {
            most = h;
            *to = (hull_feature){SHAPE_VERTEX, e->vertex[end]};
        }
    }
    for (int i = 0; i < 2; i++) {
        double n[3];
        v_clip_outward(w, side, e->face[i], w->f[side].at, n);
        if (-v_clip_height(n, l.x[0], x) > most) {
            most = -v_clip_height(n, l.x[0], x);
            *to = (hull_feature){SHAPE_FACE, e->face[i]};
        }
    }
    return most > 0;
}

/* `side` has the vertex. */
static enum v_clip_end v_clip_vertex_edge(v_clip *w, int side)
{
    const shape_hull *h = w->h[side];
    const uint32_t vertex = w->f[side].at;
    const line l = v_clip_line(w, !side, w->f[!side].at);
    hull_feature to = {0};
    double x[3], u[3];
    hull_position(w->q, side, vertex, x);
    if (v_clip_past_edge(w, !side, x, &to))
        return v_clip_go_to(w, !side, to.kind, to.at);
    clip c = v_clip_clip_whole();
    for (uint32_t i = h->spoke0[vertex]; i < h->spoke0[vertex + 1]; i++) {
        v_clip_spoke(w, side, vertex, h->spoke[i], u);
        v_clip_clip_by(&c, -v_clip_height(u, x, l.x[0]), -v_clip_height(u, x, l.x[1]),
                       (hull_feature){SHAPE_EDGE, h->spoke[i]});
    }
    if (v_clip_beyond(w, side, &c, &l, &w->f[side], &to))
        return v_clip_go_to(w, side, to.kind, to.at);
    return V_CLIP_APART;
}

/* ---- a vertex and a face */

/* The vertex is below the face, and so are its edges: finds a face that it is above; if none, the
 * vertex is inside. */
static enum v_clip_end v_clip_face_above(v_clip *w, int side, const double x[3])
{
    const shape_hull *h = w->h[!side];
    double most = -INFINITY, n[3], y[3];
    uint32_t best = 0;
    for (uint32_t f = 0; f < h->faces; f++) {
        v_clip_normal(w, !side, f, n);
        v_clip_face_position(w, !side, f, y);
        if (v_clip_height(n, y, x) > most) {
            most = v_clip_height(n, y, x);
            best = f;
        }
    }
    v_clip_go_to(w, !side, SHAPE_FACE, best);
    return most > 0 ? V_CLIP_GO_ON : V_CLIP_INSIDE;
}

/* The edge of a face that a point is farthest beyond. */
static uint32_t v_clip_side_beyond(const v_clip *w, int side, uint32_t face, const double x[3])
{
    const shape_hull *h = w->h[side];
    double most = 0, n[3], y[3];
    uint32_t best = SHAPE_NONE;
    for (uint32_t i = h->side0[face]; i < h->side0[face + 1]; i++) {
        v_clip_outward(w, side, face, h->side[i], n);
        hull_position(w->q, side, h->edge[h->side[i]].vertex[0], y);
        if (v_clip_height(n, y, x) > most) {
            most = v_clip_height(n, y, x);
            best = h->side[i];
        }
    }
    return best;
}

/* The edge at a vertex that approaches the plane with this normal most steeply; `up`: from
 * below. */
static uint32_t v_clip_spoke_towards(const v_clip *w, int side, uint32_t vertex, const double n[3],
                                     int up)
{
    const shape_hull *h = w->h[side];
    double most = 0, u[3];
    uint32_t best = SHAPE_NONE;
    for (uint32_t i = h->spoke0[vertex]; i < h->spoke0[vertex + 1]; i++) {
        v_clip_spoke(w, side, vertex, h->spoke[i], u);
        const double s = up ? vec_dot(n, u) : -vec_dot(n, u);
        if (s > most) {
            most = s;
            best = h->spoke[i];
        }
    }
    return best;
}

static enum v_clip_end v_clip_vertex_face(v_clip *w, int side)
{
    const uint32_t vertex = w->f[side].at, face = w->f[!side].at;
    double x[3], n[3], y[3];
    hull_position(w->q, side, vertex, x);
    const uint32_t past = v_clip_side_beyond(w, !side, face, x);
    if (past != SHAPE_NONE)
        return v_clip_go_to(w, !side, SHAPE_EDGE, past);
    v_clip_normal(w, !side, face, n);
    v_clip_face_position(w, !side, face, y);
    const double h = v_clip_height(n, y, x);
    if (h == 0)
        return V_CLIP_PIERCE;
    const uint32_t edge = v_clip_spoke_towards(w, side, vertex, n, h < 0);
    if (edge != SHAPE_NONE)
        return v_clip_go_to(w, side, SHAPE_EDGE, edge);
    return h > 0 ? V_CLIP_APART : v_clip_face_above(w, side, x);
}

/* ---- two edges */

/* Clips the other's edge to the region of `side`, by the planes at its vertices first. */
static int v_clip_past_region(const v_clip *w, int side, hull_feature *to)
{
    const uint32_t edge = w->f[side].at;
    const hull_edge *e = &w->h[side]->edge[edge];
    const line own = v_clip_line(w, side, edge), l = v_clip_line(w, !side, w->f[!side].at);
    clip c = v_clip_clip_whole();
    v_clip_clip_by(&c, v_clip_height(own.u, own.x[0], l.x[0]),
                   v_clip_height(own.u, own.x[0], l.x[1]),
                   (hull_feature){SHAPE_VERTEX, e->vertex[0]});
    v_clip_clip_by(&c, -v_clip_height(own.u, own.x[1], l.x[0]),
                   -v_clip_height(own.u, own.x[1], l.x[1]),
                   (hull_feature){SHAPE_VERTEX, e->vertex[1]});
    if (v_clip_beyond(w, side, &c, &l, NULL, to))
        return 1;
    for (int i = 0; i < 2; i++) {
        double n[3];
        v_clip_outward(w, side, e->face[i], edge, n);
        v_clip_clip_by(&c, v_clip_height(n, own.x[0], l.x[0]), v_clip_height(n, own.x[0], l.x[1]),
                       (hull_feature){SHAPE_FACE, e->face[i]});
    }
    return v_clip_beyond(w, side, &c, &l, NULL, to);
}

static enum v_clip_end v_clip_edge_edge(v_clip *w)
{
    for (int side = 0; side < 2; side++) {
        hull_feature to = {0};
        if (v_clip_past_region(w, side, &to))
            return v_clip_go_to(w, side, to.kind, to.at);
    }
    return V_CLIP_APART;
}

/* ---- an edge and a face */

static double v_clip_square_to_edge(const v_clip *w, int side, uint32_t edge, const line *l)
{
    const line own = v_clip_line(w, side, edge);
    return shape_segments(own.x, l->x, (double[2]){0});
}

/* The edge of a face nearest to a line that is never above the face. */
static uint32_t v_clip_nearest_side(const v_clip *w, int side, uint32_t face, const line *l)
{
    const shape_hull *h = w->h[side];
    double least = INFINITY;
    uint32_t best = h->side[h->side0[face]];
    for (uint32_t i = h->side0[face]; i < h->side0[face + 1]; i++) {
        const double square = v_clip_square_to_edge(w, side, h->side[i], l);
        if (square < least) {
            least = square;
            best = h->side[i];
        }
    }
    return best;
}

static clip v_clip_clip_to_face(const v_clip *w, int side, const line *l)
{
    const shape_hull *h = w->h[side];
    const uint32_t face = w->f[side].at;
    double n[3], y[3];
    clip c = v_clip_clip_whole();
    for (uint32_t i = h->side0[face]; i < h->side0[face + 1]; i++) {
        v_clip_outward(w, side, face, h->side[i], n);
        hull_position(w->q, side, h->edge[h->side[i]].vertex[0], y);
        v_clip_clip_by(&c, -v_clip_height(n, y, l->x[0]), -v_clip_height(n, y, l->x[1]),
                       (hull_feature){SHAPE_EDGE, h->side[i]});
    }
    return c;
}

/* `side` has the edge. One end of the part above or below the face is the closest: its neighbour
 * there is next. */
static enum v_clip_end v_clip_edge_face(v_clip *w, int side)
{
    const uint32_t edge = w->f[side].at, face = w->f[!side].at;
    const line l = v_clip_line(w, side, edge);
    const clip c = v_clip_clip_to_face(w, !side, &l);
    if (c.out || c.empty)
        return v_clip_go_to(w, !side, SHAPE_EDGE, v_clip_nearest_side(w, !side, face, &l));
    double n[3], y[3], x[2][3];
    v_clip_normal(w, !side, face, n);
    v_clip_face_position(w, !side, face, y);
    for (int end = 0; end < 2; end++)
        v_clip_line_at(&l, c.parameter[end], x[end]);
    const double from = v_clip_height(n, y, x[0]), to = v_clip_height(n, y, x[1]);
    if (!((from > 0 && to > 0) || (from < 0 && to < 0)))
        return V_CLIP_PIERCE;
    const int end = (vec_dot(n, l.u) < 0) == (from > 0);
    if (c.is_cut[end])
        return v_clip_go_to(w, !side, SHAPE_EDGE, c.by[end].at);
    return v_clip_go_to(w, side, SHAPE_VERTEX, w->h[side]->edge[edge].vertex[end]);
}

/* ---- */

static enum v_clip_end v_clip_step(v_clip *w)
{
    const uint32_t a = w->f[0].kind, b = w->f[1].kind;
    if (a == SHAPE_VERTEX && b == SHAPE_VERTEX)
        return v_clip_vertex_vertex(w);
    if (a == SHAPE_EDGE && b == SHAPE_EDGE)
        return v_clip_edge_edge(w);
    if (a == SHAPE_FACE &&
        b == SHAPE_FACE) /* the walk never reaches two faces, but may start there */
        return v_clip_go_to(w, 0, SHAPE_EDGE, w->h[0]->side[w->h[0]->side0[w->f[0].at]]);
    const int side = a > b; /* the one with the lower kind */
    if (w->f[!side].kind == SHAPE_EDGE)
        return v_clip_vertex_edge(w, side);
    return w->f[side].kind == SHAPE_VERTEX ? v_clip_vertex_face(w, side)
                                           : v_clip_edge_face(w, side);
}

static int v_clip_same_features(const hull_feature a[2], const hull_feature b[2])
{
    return a[0].kind == b[0].kind && a[0].at == b[0].at && a[1].kind == b[1].kind &&
           a[1].at == b[1].at;
}

enum v_clip_end shape_v_clip(const shape_query *q, hull_feature f[2], uint64_t *steps)
{
    v_clip w = {.q = q, .h = {q->s[0]->hull, q->s[1]->hull}, .f = {f[0], f[1]}};
    hull_feature remembered[2] = {f[0], f[1]};
    enum v_clip_end end = V_CLIP_GO_ON;
    for (uint64_t n = 1; end == V_CLIP_GO_ON; n++) {
        end = v_clip_step(&w);
        ++*steps;
        if (end == V_CLIP_GO_ON && v_clip_same_features(remembered, w.f))
            end = V_CLIP_LOST;
        if (!(n & (n - 1)))
            memcpy(remembered, w.f, sizeof remembered);
    }
    memcpy(f, w.f, sizeof remembered);
    return end;
}
