/* V-Clip: Mirtich, *V-Clip: fast and robust polyhedral collision detection*, ACM Transactions on
 * Graphics 17(3), 1998; sections 4 and 5, figures 5 to 10.
 *
 * A feature of each body is kept, and one of both is replaced by a neighbour as long as the closest
 * points of the two are not in each other's Voronoi regions. An edge is clipped to a region by its
 * planes; the sign of the derivative of the distance at an end of what is left says whether the
 * closest point is beyond. Nothing is divided by but differences of heights of two signs.
 *
 * Where rounding makes it come back to two features it has left, it ends (Brent's method: one pair
 * of features is remembered, at 1, 2, 4, ... steps). What it ends with is checked by other means.
 */
#include "shape_convex.h"
#include "vec3.h"

typedef struct walk {
    const shape_query *q;
    const shape_hull *h[2];
    hull_feature f[2];
} walk;

static enum walk_end v_clip_go_to(walk *w, int side, uint32_t kind, uint32_t at)
{
    w->f[side] = (hull_feature){kind, at};
    return WALK_ON;
}

/* ---- where things are */

typedef struct line {
    double x[2][3]; /* tail, head */
    double u[3];    /* from tail to head, of length 1 */
} line;

static line v_clip_line(const walk *w, int side, uint32_t edge)
{
    const hull_edge *e = &w->h[side]->edge[edge];
    line l;
    hull_place(w->q, side, e->vertex[0], l.x[0]);
    hull_place(w->q, side, e->vertex[1], l.x[1]);
    vec_turn(w->q->turn[side], e->along, l.u);
    return l;
}

static void line_at(const line *l, double parameter, double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = l->x[0][k] + parameter * (l->x[1][k] - l->x[0][k]);
}

static void normal_of(const walk *w, int side, uint32_t face, double out[3])
{
    vec_turn(w->q->turn[side], w->h[side]->normal + 3 * (size_t)face, out);
}

/* From a vertex along one of its edges. */
static void spoke_of(const walk *w, int side, uint32_t vertex, uint32_t edge, double out[3])
{
    const hull_edge *e = &w->h[side]->edge[edge];
    vec_turn(w->q->turn[side], e->along, out);
    if (e->vertex[0] != vertex)
        vec_along((const double[3]){0}, -1, out, out);
}

/* In the plane of a face, at right angles to one of its edges, away from the face. */
static void outward_of(const walk *w, int side, uint32_t face, uint32_t edge, double out[3])
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
static void face_place(const walk *w, int side, uint32_t face, double out[3])
{
    const shape_hull *h = w->h[side];
    hull_place(w->q, side, h->edge[h->side[h->side0[face]]].vertex[0], out);
}

/* ---- an edge clipped to a region */

typedef struct clip {
    double parameter[2]; /* what is left of it */
    int cut[2];          /* by a plane, of the region's neighbour: */
    hull_feature by[2];
    int out; /* all of it is beyond the plane of by[0] */
    int empty;
} clip;

static clip clip_whole(void)
{
    return (clip){.parameter = {0, 1}};
}

/* Heights of tail and head, positive within the region. */
static void clip_by(clip *c, double tail, double head, hull_feature by)
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
        c->cut[end] = 1;
        c->by[end] = by;
    }
    c->empty |= c->parameter[0] > c->parameter[1];
}

/* The sign of the change of the distance from a feature along the edge, at a parameter. */
static double v_clip_derivative_sign(const walk *w, int side, hull_feature f, const line *l,
                                     double parameter)
{
    double x[3], y[3], n[3];
    line_at(l, parameter, x);
    if (f.kind == SHAPE_VERTEX) {
        hull_place(w->q, side, f.at, y);
        return v_clip_height(l->u, y, x);
    }
    normal_of(w, side, f.at, n);
    face_place(w, side, f.at, y);
    return v_clip_height(n, y, x) >= 0 ? vec_dot(l->u, n) : -vec_dot(l->u, n);
}

/* Is the closest point of the edge beyond one of the planes? `of`: whose distance it is; NULL: that
 * of the neighbour. */
static int v_clip_beyond(const walk *w, int side, const clip *c, const line *l,
                         const hull_feature *of, hull_feature *to)
{
    if (c->out || (c->cut[0] &&
                   v_clip_derivative_sign(w, side, of ? *of : c->by[0], l, c->parameter[0]) > 0)) {
        *to = c->by[0];
        return 1;
    }
    if (c->cut[1] && v_clip_derivative_sign(w, side, of ? *of : c->by[1], l, c->parameter[1]) < 0) {
        *to = c->by[1];
        return 1;
    }
    return 0;
}

/* ---- two vertices */

/* The edge whose plane at the vertex a point is farthest beyond; SHAPE_NONE: beyond none. */
static uint32_t edge_beyond(const walk *w, int side, uint32_t vertex, const double x[3])
{
    const shape_hull *h = w->h[side];
    double most = 0, v[3], u[3];
    uint32_t best = SHAPE_NONE;
    hull_place(w->q, side, vertex, v);
    for (uint32_t i = h->spoke0[vertex]; i < h->spoke0[vertex + 1]; i++) {
        spoke_of(w, side, vertex, h->spoke[i], u);
        if (v_clip_height(u, v, x) > most) {
            most = v_clip_height(u, v, x);
            best = h->spoke[i];
        }
    }
    return best;
}

static enum walk_end v_clip_vertex_vertex(walk *w)
{
    for (int side = 0; side < 2; side++) {
        double x[3];
        hull_place(w->q, !side, w->f[!side].at, x);
        const uint32_t edge = edge_beyond(w, side, w->f[side].at, x);
        if (edge != SHAPE_NONE)
            return v_clip_go_to(w, side, SHAPE_EDGE, edge);
    }
    return WALK_APART;
}

/* ---- a vertex and an edge */

/* The neighbour of the edge of that side whose plane a point is farthest beyond. */
static int past_edge(const walk *w, int side, const double x[3], hull_feature *to)
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
        outward_of(w, side, e->face[i], w->f[side].at, n);
        if (-v_clip_height(n, l.x[0], x) > most) {
            most = -v_clip_height(n, l.x[0], x);
            *to = (hull_feature){SHAPE_FACE, e->face[i]};
        }
    }
    return most > 0;
}

/* `side` has the vertex. */
static enum walk_end v_clip_vertex_edge(walk *w, int side)
{
    const shape_hull *h = w->h[side];
    const uint32_t vertex = w->f[side].at;
    const line l = v_clip_line(w, !side, w->f[!side].at);
    hull_feature to = {0};
    double x[3], u[3];
    hull_place(w->q, side, vertex, x);
    if (past_edge(w, !side, x, &to))
        return v_clip_go_to(w, !side, to.kind, to.at);
    clip c = clip_whole();
    for (uint32_t i = h->spoke0[vertex]; i < h->spoke0[vertex + 1]; i++) {
        spoke_of(w, side, vertex, h->spoke[i], u);
        clip_by(&c, -v_clip_height(u, x, l.x[0]), -v_clip_height(u, x, l.x[1]),
                (hull_feature){SHAPE_EDGE, h->spoke[i]});
    }
    if (v_clip_beyond(w, side, &c, &l, &w->f[side], &to))
        return v_clip_go_to(w, side, to.kind, to.at);
    return WALK_APART;
}

/* ---- a vertex and a face */

/* The vertex is below the face, and so are its edges: a face that it is above, or it is inside. */
static enum walk_end face_above(walk *w, int side, const double x[3])
{
    const shape_hull *h = w->h[!side];
    double most = -INFINITY, n[3], y[3];
    uint32_t best = 0;
    for (uint32_t f = 0; f < h->faces; f++) {
        normal_of(w, !side, f, n);
        face_place(w, !side, f, y);
        if (v_clip_height(n, y, x) > most) {
            most = v_clip_height(n, y, x);
            best = f;
        }
    }
    v_clip_go_to(w, !side, SHAPE_FACE, best);
    return most > 0 ? WALK_ON : WALK_INSIDE;
}

/* The edge of a face that a point is farthest beyond. */
static uint32_t side_beyond(const walk *w, int side, uint32_t face, const double x[3])
{
    const shape_hull *h = w->h[side];
    double most = 0, n[3], y[3];
    uint32_t best = SHAPE_NONE;
    for (uint32_t i = h->side0[face]; i < h->side0[face + 1]; i++) {
        outward_of(w, side, face, h->side[i], n);
        hull_place(w->q, side, h->edge[h->side[i]].vertex[0], y);
        if (v_clip_height(n, y, x) > most) {
            most = v_clip_height(n, y, x);
            best = h->side[i];
        }
    }
    return best;
}

/* The edge at a vertex that leads most steeply to the plane with this normal; `up`: from below. */
static uint32_t spoke_towards(const walk *w, int side, uint32_t vertex, const double n[3], int up)
{
    const shape_hull *h = w->h[side];
    double most = 0, u[3];
    uint32_t best = SHAPE_NONE;
    for (uint32_t i = h->spoke0[vertex]; i < h->spoke0[vertex + 1]; i++) {
        spoke_of(w, side, vertex, h->spoke[i], u);
        const double s = up ? vec_dot(n, u) : -vec_dot(n, u);
        if (s > most) {
            most = s;
            best = h->spoke[i];
        }
    }
    return best;
}

static enum walk_end v_clip_vertex_face(walk *w, int side)
{
    const uint32_t vertex = w->f[side].at, face = w->f[!side].at;
    double x[3], n[3], y[3];
    hull_place(w->q, side, vertex, x);
    const uint32_t past = side_beyond(w, !side, face, x);
    if (past != SHAPE_NONE)
        return v_clip_go_to(w, !side, SHAPE_EDGE, past);
    normal_of(w, !side, face, n);
    face_place(w, !side, face, y);
    const double h = v_clip_height(n, y, x);
    if (h == 0)
        return WALK_PIERCE;
    const uint32_t edge = spoke_towards(w, side, vertex, n, h < 0);
    if (edge != SHAPE_NONE)
        return v_clip_go_to(w, side, SHAPE_EDGE, edge);
    return h > 0 ? WALK_APART : face_above(w, side, x);
}

/* ---- two edges */

/* The other's edge is clipped to the region of `side`, by planes at its vertices first. */
static int past_region(const walk *w, int side, hull_feature *to)
{
    const uint32_t edge = w->f[side].at;
    const hull_edge *e = &w->h[side]->edge[edge];
    const line own = v_clip_line(w, side, edge), l = v_clip_line(w, !side, w->f[!side].at);
    clip c = clip_whole();
    clip_by(&c, v_clip_height(own.u, own.x[0], l.x[0]), v_clip_height(own.u, own.x[0], l.x[1]),
            (hull_feature){SHAPE_VERTEX, e->vertex[0]});
    clip_by(&c, -v_clip_height(own.u, own.x[1], l.x[0]), -v_clip_height(own.u, own.x[1], l.x[1]),
            (hull_feature){SHAPE_VERTEX, e->vertex[1]});
    if (v_clip_beyond(w, side, &c, &l, NULL, to))
        return 1;
    for (int i = 0; i < 2; i++) {
        double n[3];
        outward_of(w, side, e->face[i], edge, n);
        clip_by(&c, v_clip_height(n, own.x[0], l.x[0]), v_clip_height(n, own.x[0], l.x[1]),
                (hull_feature){SHAPE_FACE, e->face[i]});
    }
    return v_clip_beyond(w, side, &c, &l, NULL, to);
}

static enum walk_end v_clip_edge_edge(walk *w)
{
    for (int side = 0; side < 2; side++) {
        hull_feature to = {0};
        if (past_region(w, side, &to))
            return v_clip_go_to(w, side, to.kind, to.at);
    }
    return WALK_APART;
}

/* ---- an edge and a face */

static double square_to_edge(const walk *w, int side, uint32_t edge, const line *l)
{
    const line own = v_clip_line(w, side, edge);
    return shape_segments(own.x, l->x, (double[2]){0});
}

/* The edge of a face that is nearest to a line that does not come above the face. */
static uint32_t nearest_side(const walk *w, int side, uint32_t face, const line *l)
{
    const shape_hull *h = w->h[side];
    double least = INFINITY;
    uint32_t best = h->side[h->side0[face]];
    for (uint32_t i = h->side0[face]; i < h->side0[face + 1]; i++) {
        const double square = square_to_edge(w, side, h->side[i], l);
        if (square < least) {
            least = square;
            best = h->side[i];
        }
    }
    return best;
}

static clip clip_to_face(const walk *w, int side, const line *l)
{
    const shape_hull *h = w->h[side];
    const uint32_t face = w->f[side].at;
    double n[3], y[3];
    clip c = clip_whole();
    for (uint32_t i = h->side0[face]; i < h->side0[face + 1]; i++) {
        outward_of(w, side, face, h->side[i], n);
        hull_place(w->q, side, h->edge[h->side[i]].vertex[0], y);
        clip_by(&c, -v_clip_height(n, y, l->x[0]), -v_clip_height(n, y, l->x[1]),
                (hull_feature){SHAPE_EDGE, h->side[i]});
    }
    return c;
}

/* `side` has the edge. Of what is above or below the face, one end is the closest: its neighbour
 * there is next. */
static enum walk_end edge_face(walk *w, int side)
{
    const uint32_t edge = w->f[side].at, face = w->f[!side].at;
    const line l = v_clip_line(w, side, edge);
    const clip c = clip_to_face(w, !side, &l);
    if (c.out || c.empty)
        return v_clip_go_to(w, !side, SHAPE_EDGE, nearest_side(w, !side, face, &l));
    double n[3], y[3], x[2][3];
    normal_of(w, !side, face, n);
    face_place(w, !side, face, y);
    for (int end = 0; end < 2; end++)
        line_at(&l, c.parameter[end], x[end]);
    const double from = v_clip_height(n, y, x[0]), to = v_clip_height(n, y, x[1]);
    if (!((from > 0 && to > 0) || (from < 0 && to < 0)))
        return WALK_PIERCE;
    const int end = (vec_dot(n, l.u) < 0) == (from > 0);
    if (c.cut[end])
        return v_clip_go_to(w, !side, SHAPE_EDGE, c.by[end].at);
    return v_clip_go_to(w, side, SHAPE_VERTEX, w->h[side]->edge[edge].vertex[end]);
}

/* ---- */

static enum walk_end v_clip_step(walk *w)
{
    const uint32_t a = w->f[0].kind, b = w->f[1].kind;
    if (a == SHAPE_VERTEX && b == SHAPE_VERTEX)
        return v_clip_vertex_vertex(w);
    if (a == SHAPE_EDGE && b == SHAPE_EDGE)
        return v_clip_edge_edge(w);
    if (a == SHAPE_FACE && b == SHAPE_FACE) /* they are never reached, but may be given */
        return v_clip_go_to(w, 0, SHAPE_EDGE, w->h[0]->side[w->h[0]->side0[w->f[0].at]]);
    const int side = a > b; /* has the lower kind */
    if (w->f[!side].kind == SHAPE_EDGE)
        return v_clip_vertex_edge(w, side);
    return w->f[side].kind == SHAPE_VERTEX ? v_clip_vertex_face(w, side) : edge_face(w, side);
}

static int v_clip_same_features(const hull_feature a[2], const hull_feature b[2])
{
    return a[0].kind == b[0].kind && a[0].at == b[0].at && a[1].kind == b[1].kind &&
           a[1].at == b[1].at;
}

enum walk_end shape_walk(const shape_query *q, hull_feature f[2], uint64_t *steps)
{
    walk w = {.q = q, .h = {q->s[0]->hull, q->s[1]->hull}, .f = {f[0], f[1]}};
    hull_feature kept[2] = {f[0], f[1]};
    enum walk_end end = WALK_ON;
    for (uint64_t n = 1; end == WALK_ON; n++) {
        end = v_clip_step(&w);
        ++*steps;
        if (end == WALK_ON && v_clip_same_features(kept, w.f))
            end = WALK_LOST;
        if (!(n & (n - 1)))
            memcpy(kept, w.f, sizeof kept);
    }
    memcpy(f, w.f, sizeof kept);
    return end;
}
