/* See truth_swept.h. */
#include "truth_swept.h"

#include "exact.h"
#include "exact_solid.h"
#include "bodies.h"
#include "way.h"

#include <math.h>
#include <string.h>

#define SHARED_HALVINGS 6

/* What is allowed for rounding, in shares of the greatest coordinate. */
#define ROUNDED 1e-12

/* ---- where a primitive is */

typedef struct mover {
    int corners; /* 3 or 4 */
    int rigid;
    uint32_t vertex[4];
    double rest[4][3]; /* rigid: in the body's coordinates */
    double radius;     /* of the farthest of them */
    body_way way;      /* rigid: how it turns */
} mover;

/* A primitive at one instant. */
typedef struct state {
    double centre[3], turn[4]; /* of a rigid one */
    double point[4][3];        /* of another one */
} state;

static int body_of(const imp_frame *f, uint32_t prim, uint32_t *body)
{
    const imp_mesh *m = f->mesh;
    *body = f->pose ? body_number(m->body, m->bodies, m->object ? m->object[prim] : 0) : NO_BODY;
    return *body != NO_BODY;
}

static mover mover_of(const imp_frame *f, uint32_t prim)
{
    mover out = {.corners = mesh_own(f->mesh, prim) == IMP_TETRAHEDRA ? 4 : 3};
    uint32_t body;
    out.rigid = body_of(f, prim, &body);
    for (int k = 0; k < out.corners; k++) {
        out.vertex[k] = mesh_vertex(f->mesh, prim, (uint32_t)k);
        if (!out.rigid)
            continue;
        memcpy(out.rest[k], f->mesh->rest + 3 * (size_t)out.vertex[k], sizeof out.rest[k]);
        out.radius = fmax(out.radius, pose_length(out.rest[k]));
    }
    return out;
}

static state state_of(const imp_frame *f, const mover *m, uint32_t prim)
{
    state out = {{0}, {0}, {{0}}};
    uint32_t body;
    if (!body_of(f, prim, &body)) {
        for (int k = 0; k < m->corners; k++)
            frame_vertex(f, m->vertex[k], out.point[k]);
        return out;
    }
    const imp_pose *p = f->pose + body;
    const double length = sqrt(pose_square(p->rotation));
    memcpy(out.centre, p->centre, sizeof out.centre);
    for (int k = 0; k < 4; k++)
        out.turn[k] = p->rotation[k] / length;
    return out;
}

/* A primitive from one instant to another. */
typedef struct path {
    double t[2];
    state end[2];
} path;

static path path_of(const imp_frame *from, const imp_frame *to, mover *m, uint32_t prim)
{
    const path out = {{0, 1}, {state_of(from, m, prim), state_of(to, m, prim)}};
    uint32_t body;
    if (body_of(from, prim, &body))
        way_turn(&m->way, from->pose + body, to->pose + body, to->time - from->time);
    return out;
}

static state middle_of(const mover *m, const path *p)
{
    const state *x = &p->end[0], *y = &p->end[1];
    state out = {{0}, {0}, {{0}}};
    for (int k = 0; k < 3; k++)
        out.centre[k] = x->centre[k] / 2 + y->centre[k] / 2;
    if (m->rigid)
        way_rotation(&m->way, (p->t[0] + p->t[1]) / 2, out.turn);
    for (int i = 0; i < m->corners; i++)
        for (int k = 0; k < 3; k++)
            out.point[i][k] = x->point[i][k] / 2 + y->point[i][k] / 2;
    return out;
}

static path half_of(const path *p, const state *middle, int second)
{
    path out = *p;
    out.end[!second] = *middle;
    out.t[!second] = (p->t[0] + p->t[1]) / 2;
    return out;
}

static exact_prim prim_at(const mover *m, const state *at)
{
    exact_prim out = {.corners = m->corners};
    imp_pose p = {.centre = {0}};
    memcpy(p.centre, at->centre, sizeof p.centre);
    memcpy(p.rotation, at->turn, sizeof p.rotation);
    const pose_map map = m->rigid ? pose_map_of(&p) : (pose_map){.t = {0}};
    for (int i = 0; i < m->corners; i++)
        if (m->rigid)
            pose_put(&map, m->rest[i], out.v[i].x);
        else
            memcpy(out.v[i].x, at->point[i], sizeof out.v[i].x);
    return out;
}

static double apart(const double *x, const double *y)
{
    const double d[3] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]};
    return pose_length(d);
}

/* How far any of its points get from where they are in the middle. */
static double moves(const mover *m, const path *p)
{
    const state *x = &p->end[0], *y = &p->end[1];
    double most = 0;
    for (int i = 0; i < m->corners && !m->rigid; i++)
        most = fmax(most, apart(x->point[i], y->point[i]) / 2);
    if (!m->rigid)
        return most;
    const double turned = fmin(way_angle(&m->way, (p->t[1] - p->t[0]) / 2), 2);
    return apart(x->centre, y->centre) / 2 + turned * m->radius;
}

/* ---- how far apart are two of them? */

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void minus(const double *a, const double *b, double *out)
{
    for (int k = 0; k < 3; k++)
        out[k] = a[k] - b[k];
}

static double within(double x)
{
    return x > 0 ? (x < 1 ? x : 1) : 0; /* what is no number becomes 0 */
}

/* Of two points at shares s and t of two edges from each other. */
static double at_shares(const double *r, const double *u, const double *v, double s, double t)
{
    double d[3];
    for (int k = 0; k < 3; k++)
        d[k] = r[k] + s * u[k] - t * v[k];
    return sqrt(dot(d, d));
}

/* Of two edges a-b and c-d: where the lines are nearest, and, as edges may be nearly parallel, from
 * each end. Of a share the best for the other one is known. */
static double edges_apart(const double *a, const double *b, const double *c, const double *d)
{
    double u[3], v[3], r[3], least = INFINITY;
    minus(b, a, u);
    minus(d, c, v);
    minus(a, c, r);
    const double uu = dot(u, u), vv = dot(v, v), uv = dot(u, v), ur = dot(u, r), vr = dot(v, r);
    const double shares[3] = {within((uv * vr - ur * vv) / (uu * vv - uv * uv)), 0, 1};
    for (int i = 0; i < 3; i++) {
        const double t = within((shares[i] * uv + vr) / vv);
        least = fmin(least, at_shares(r, u, v, within((t * uv - ur) / uu), t));
    }
    for (int t = 0; t < 2; t++)
        least = fmin(least, at_shares(r, u, v, within((t * uv - ur) / uu), t));
    return least;
}

/* Of a point above a face; infinite where it is beside it, and an edge is nearer. */
static double above(const double *p, const double *a, const double *b, const double *c)
{
    double u[3], v[3], w[3];
    minus(b, a, u);
    minus(c, a, v);
    minus(p, a, w);
    const double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                         u[0] * v[1] - u[1] * v[0]};
    const double nn = dot(n, n);
    const double uw[3] = {u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2],
                          u[0] * w[1] - u[1] * w[0]};
    const double wv[3] = {w[1] * v[2] - w[2] * v[1], w[2] * v[0] - w[0] * v[2],
                          w[0] * v[1] - w[1] * v[0]};
    const double y = dot(uw, n), x = dot(wv, n);
    return nn > 0 && x >= 0 && y >= 0 && x + y <= nn ? fabs(dot(w, n)) / sqrt(nn) : INFINITY;
}

static const int faces[4][3] = {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}};
static const int edges[6][2] = {{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}};

static double corners_above(const exact_prim *p, const exact_prim *q)
{
    double least = INFINITY;
    for (int i = 0; i < p->corners; i++)
        for (int f = 0; f < (q->corners == 4 ? 4 : 1); f++)
            least = fmin(least, above(p->v[i].x, q->v[faces[f][0]].x, q->v[faces[f][1]].x,
                                      q->v[faces[f][2]].x));
    return least;
}

/* Of the surfaces of two that do not meet. */
static double surfaces_apart(const exact_prim *p, const exact_prim *q)
{
    double least = fmin(corners_above(p, q), corners_above(q, p));
    for (int i = 0; i < (p->corners == 4 ? 6 : 3); i++)
        for (int j = 0; j < (q->corners == 4 ? 6 : 3); j++)
            least = fmin(least, edges_apart(p->v[edges[i][0]].x, p->v[edges[i][1]].x,
                                            q->v[edges[j][0]].x, q->v[edges[j][1]].x));
    return least;
}

static double greatest(const exact_prim *p)
{
    double most = 0;
    for (int i = 0; i < p->corners; i++)
        for (int k = 0; k < 3; k++)
            most = fmax(most, fabs(p->v[i].x[k]));
    return most;
}

/* ---- when */

typedef struct asking {
    mover m[2];
    int shared, at[4];
} asking;

/* Different vertices of the first that the second has, too. */
static void find_shared(asking *q)
{
    for (int i = 0; i < q->m[0].corners; i++) {
        int repeated = 0, found = 0;
        for (int k = 0; k < i; k++)
            repeated |= q->m[0].vertex[k] == q->m[0].vertex[i];
        for (int j = 0; j < q->m[1].corners; j++)
            found |= q->m[0].vertex[i] == q->m[1].vertex[j];
        if (found && !repeated)
            q->at[q->shared++] = i;
    }
}

static int meet_at(const asking *q, const exact_prim *x, const exact_prim *y)
{
    exact_contact c = {0};
    if (x->corners == 4 || y->corners == 4)
        return q->shared ? exact_prims_meet_within(x, y) : exact_prims_meet(x, y);
    exact_tri_tri(x->v, y->v, q->shared, q->at, &c);
    return c.kind != 0;
}

/* Tests the middle, then both halves. */
static int meet_between(const asking *q, const path p[2], int halvings)
{
    state middle[2];
    path half[2];
    exact_prim at[2];
    double way = 0;
    for (int i = 0; i < 2; i++) {
        middle[i] = middle_of(&q->m[i], &p[i]);
        at[i] = prim_at(&q->m[i], &middle[i]);
        way += moves(&q->m[i], &p[i]);
    }
    if (meet_at(q, &at[0], &at[1]))
        return 1;
    const double gap = surfaces_apart(&at[0], &at[1]);
    if (!q->shared && gap > way + ROUNDED * (gap + greatest(&at[0]) + greatest(&at[1])))
        return 0;
    if (!halvings)
        return !q->shared;
    for (int second = 0; second < 2; second++) {
        for (int i = 0; i < 2; i++)
            half[i] = half_of(&p[i], &middle[i], second);
        if (meet_between(q, half, halvings - 1))
            return 1;
    }
    return 0;
}

static int meet_end(const asking *q, const path p[2], int end)
{
    const exact_prim x = prim_at(&q->m[0], &p[0].end[end]), y = prim_at(&q->m[1], &p[1].end[end]);
    return meet_at(q, &x, &y);
}

int truth_swept(const imp_frame *from, const imp_frame *to, uint32_t a, uint32_t b)
{
    asking q = {.m = {mover_of(from, a), mover_of(from, b)}};
    const path p[2] = {path_of(from, to, &q.m[0], a), path_of(from, to, &q.m[1], b)};
    find_shared(&q);
    return meet_end(&q, p, 0) || meet_end(&q, p, 1) ||
           meet_between(&q, p, q.shared ? SHARED_HALVINGS : TRUTH_HALVINGS);
}
