/* See turning_pair.h. */
#include "turning_pair.h"

#include "closest.h"
#include "incidence.h"
#include "turning_way.h"
#include "pose.h"

#include <math.h>
#include <string.h>

static const uint8_t triangle_corners[3] = {0, 1, 2};

/* ---- features */

/* Is a vertex of one feature one of the other, too? Then they are no couple. */
static void couple_add(turning_pair *p, const turning_couple *c)
{
    for (int i = 0; i < c->split; i++)
        for (int j = c->split; j < 4; j++)
            if (p->of[c->of[i]].vertex[c->corner[i]] == p->of[c->of[j]].vertex[c->corner[j]]) {
                p->shared = 1;
                return;
            }
    p->couple[p->couples++] = *c;
}

/* The faces of primitive `on`, and the vertices of the other one. */
static void couple_faces(turning_pair *p, int on)
{
    const int solid = p->of[on].corners == 4, corners = p->of[!on].corners;
    for (int f = 0; f < (solid ? 4 : 1); f++)
        for (int v = 0; v < corners; v++) {
            turning_couple c = {.kind = IMP_KIND_VERTEX_FACE, .split = 3};
            memcpy(c.corner, solid ? incidence_face_corners[f] : triangle_corners, 3);
            memset(c.of, on, 3);
            c.of[3] = (uint8_t)!on;
            c.corner[3] = (uint8_t)v;
            c.feature[on] = -1 - f;
            c.feature[!on] = p->of[!on].vertex[v];
            couple_add(p, &c);
        }
}

static int is_edge(const turning_prim *m, int e)
{
    return m->vertex[incidence_edge_ends[e][0]] != m->vertex[incidence_edge_ends[e][1]];
}

static void couple_edges(turning_pair *p)
{
    const int edges[2] = {p->of[0].corners == 4 ? 6 : 3, p->of[1].corners == 4 ? 6 : 3};
    for (int i = 0; i < edges[0]; i++)
        for (int j = 0; j < edges[1] && is_edge(&p->of[0], i); j++) {
            turning_couple c = {
                .kind = IMP_KIND_EDGE_EDGE, .split = 2, .feature = {i, j}, .of = {0, 0, 1, 1}};
            memcpy(c.corner, incidence_edge_ends[i], 2);
            memcpy(c.corner + 2, incidence_edge_ends[j], 2);
            if (is_edge(&p->of[1], j))
                couple_add(p, &c);
        }
}

/* By vertices, so that results do not depend on the numbers of primitives. */
static int comes_later(const turning_prim *x, const turning_prim *y)
{
    for (int k = 0; k < x->corners && k < y->corners; k++)
        if (x->vertex[k] != y->vertex[k])
            return x->vertex[k] > y->vertex[k];
    return x->corners > y->corners;
}

void turning_pair_open(const turning *t, const units *u, uint32_t f, uint32_t a, uint32_t b,
                       double distance, const atomic_int *cancel, turning_pair *out)
{
    out->of[0] = turning_prim_of(t, u, f, a);
    out->of[1] = turning_prim_of(t, u, f, b);
    out->swapped = comes_later(&out->of[0], &out->of[1]);
    if (out->swapped) {
        const turning_prim first = out->of[0];
        out->of[0] = out->of[1];
        out->of[1] = first;
    }
    out->couples = out->shared = 0;
    couple_faces(out, 0);
    couple_faces(out, 1);
    couple_edges(out);
    out->distance = distance;
    out->tolerance = turning_tolerance(t, u, f);
    out->rounded = out->of[0].rounded + out->of[1].rounded;
    out->slack = out->of[0].slack + out->of[1].slack + out->rounded;
    out->cancel = cancel;
}

/* ---- apart? */

/* Corners of two convex hulls. */
typedef struct hulls {
    int count[2];
    uint8_t corner[2][4];
} hulls;

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* How far the second one is beyond the first along a direction; negative: they overlap there. */
static double gap_along(const hulls *h, const places *at, const double n[3])
{
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < h->count[1]; k++)
        low = fmin(low, dot(n, at->x[1][h->corner[1][k]]));
    for (int k = 0; k < h->count[0]; k++)
        high = fmax(high, dot(n, at->x[0][h->corner[0][k]]));
    return low - high;
}

/* `n` becomes the way from x to y, of length 1, or 0. */
static void direction(const double x[3], const double y[3], double n[3])
{
    for (int d = 0; d < 3; d++)
        n[d] = y[d] - x[d];
    const double length = pose_length(n);
    for (int d = 0; d < 3; d++)
        n[d] = length > 0x1p-1000 ? n[d] / length : 0;
}

static void between_middles(const hulls *h, const places *at, double n[3])
{
    double middle[2][3] = {{0}};
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 3 * h->count[s]; k++)
            middle[s][k % 3] += at->x[s][h->corner[s][k / 3]][k % 3] / h->count[s];
    direction(middle[0], middle[1], n);
}

/* The corners of a couple, a face first, or the edge of the first primitive. */
static void couple_places(const turning_couple *c, const places *at, double x[4][3])
{
    for (int k = 0; k < 4; k++)
        memcpy(x[k], at->x[c->of[k]][c->corner[k]], sizeof x[k]);
}

static double couple_distance(const turning_couple *c, const places *at, double point[6])
{
    double x[4][3];
    couple_places(c, at, x);
    closest_points(c->kind == IMP_KIND_VERTEX_FACE, (const double(*)[3])x, point);
    const double way[3] = {point[3] - point[0], point[4] - point[1], point[5] - point[2]};
    return pose_length(way);
}

/* Between the nearest points of some couples, from the first primitive to the second. */
static void between_nearest(const turning_couple *c, int count, const hulls *h, const places *at,
                            double n[3])
{
    double best = INFINITY, point[6];
    for (int i = 0; i < count; i++) {
        const double far = couple_distance(&c[i], at, point);
        if (!(far < best))
            continue;
        best = far;
        direction(point, point + 3, n);
    }
    const double back[3] = {-n[0], -n[1], -n[2]};
    if (gap_along(h, at, back) > gap_along(h, at, n))
        memcpy(n, back, sizeof back);
}

/* ---- when */

/* What is asked: two hulls, and the couples that give directions between them. */
typedef struct asking {
    const turning_pair *p;
    const rounds *r;
    hulls h;
    const turning_couple *couple;
    int couples;
    double apart;  /* drifts_apart */
    double before; /* only shares before that matter */
} asking;

/* Are they farther apart along n at the ends of both halves of an interval than all that may bring
 * them nearer between these? */
static int is_free(const asking *q, const interval *in, const places *middle, const moves *m,
                   const double n[3])
{
    const turning_pair *p = q->p;
    const double least = fmin(gap_along(&q->h, middle, n), fmin(gap_along(&q->h, &in->end[0], n),
                                                                gap_along(&q->h, &in->end[1], n)));
    return least > p->distance + p->slack + m->bulge;
}

static int is_short(const asking *q, const moves *m, int halves)
{
    const turning_pair *p = q->p;
    return !halves || !(m->all > fmax(p->tolerance / 8, p->rounded)) || atomic_load(p->cancel);
}

/* The first interval that may not be free: *share becomes its beginning. n: a direction that is
 * tried first. */
static int meets_in(const asking *q, const interval *in, int halves, const double n[3],
                    double *share)
{
    places middle;
    interval half;
    double across[3] = {n[0], n[1], n[2]};
    const moves m = moves_in(q->r, in, q->apart);
    if (in->t[0] >= q->before)
        return 0;
    place_middle(q->r, in, &middle);
    if (is_free(q, in, &middle, &m, across))
        return 0;
    between_nearest(q->couple, q->couples, &q->h, &middle, across);
    if (is_free(q, in, &middle, &m, across))
        return 0;
    if (is_short(q, &m, halves)) {
        *share = in->t[0];
        return 1;
    }
    for (int second = 0; second < 2; second++) {
        halve(q->r, in, &middle, second, &half);
        if (meets_in(q, &half, halves - 1, across, share))
            return 1;
    }
    return 0;
}

/* Earlier than *share? Then that becomes the time. */
static void ask(asking *q, const interval *whole, double *share)
{
    places middle;
    double n[3];
    q->before = *share;
    place_middle(q->r, whole, &middle);
    between_middles(&q->h, &middle, n);
    meets_in(q, whole, TURNING_HALVES, n, share);
}

static hulls hulls_of(const turning_pair *p)
{
    return (hulls){{p->of[0].corners, p->of[1].corners}, {{0, 1, 2, 3}, {0, 1, 2, 3}}};
}

static hulls hulls_of_couple(const turning_couple *c)
{
    hulls h = {{0}, {{0}}};
    for (int k = 0; k < 4; k++)
        h.corner[c->of[k]][h.count[c->of[k]]++] = c->corner[k];
    return h;
}

/* Two that share a vertex are never apart: of these each couple is asked for by itself. */
static void first_of(const turning_pair *p, const rounds *r, double *share)
{
    interval whole;
    asking q = {
        .p = p, .r = r, .couple = p->couple, .couples = p->couples, .apart = drifts_apart(r)};
    whole_way(r, &whole);
    if (!p->shared) {
        q.h = hulls_of(p);
        ask(&q, &whole, share);
        return;
    }
    for (int i = 0; i < p->couples; i++) {
        q.couple = &p->couple[i];
        q.couples = 1;
        q.h = hulls_of_couple(q.couple);
        ask(&q, &whole, share);
    }
}

int turning_pair_meets(turning_pair *p, double *share)
{
    double first = 2; /* beyond the end */
    for (int i = 0; i <= (p->of[0].turns && p->of[0].way.either); i++)
        for (int j = 0; j <= (p->of[1].turns && p->of[1].way.either); j++) {
            rounds r;
            rounds_make(p->of, (int[]){i, j}, &r);
            first_of(p, &r, &first);
        }
    *share = first;
    return first <= 1 && !atomic_load(p->cancel);
}

/* ---- where */

#define ORDER_BY(x, y)                                                                             \
    if ((x) != (y))                                                                                \
    return (x) < (y)

static int comes_first(const turning_nearest *x, const turning_nearest *y)
{
    ORDER_BY(x->kind, y->kind);
    ORDER_BY(x->feature[0], y->feature[0]);
    return x->feature[1] < y->feature[1];
}

static void nearest_of(const turning_pair *p, const turning_couple *c, turning_nearest *out)
{
    out->kind = c->kind;
    for (int s = 0; s < 2; s++)
        out->feature[s] = c->feature[s != p->swapped];
    for (int k = 0; k < 4; k++)
        out->vertex[k] = p->of[c->of[k]].vertex[c->corner[k]];
}

/* The places of all ways round. */
static int places_at(const turning_pair *p, double share, places out[4])
{
    int n = 0;
    for (int i = 0; i <= (p->of[0].turns && p->of[0].way.either); i++)
        for (int j = 0; j <= (p->of[1].turns && p->of[1].way.either); j++) {
            rounds r;
            rounds_make(p->of, (int[]){i, j}, &r);
            place_at(&r, share, &out[n++]);
        }
    return n;
}

void turning_pair_nearest(const turning_pair *p, double share, turning_nearest *out)
{
    places at[4];
    double least = INFINITY;
    const int n = places_at(p, share, at);
    *out = (turning_nearest){.kind = 0};
    for (int k = 0; k < n * p->couples; k++)
        least = fmin(least,
                     couple_distance(&p->couple[k % p->couples], &at[k / p->couples], out->point));
    for (int k = 0; k < n * p->couples; k++) {
        turning_nearest here;
        nearest_of(p, &p->couple[k % p->couples], &here);
        const double far =
            couple_distance(&p->couple[k % p->couples], &at[k / p->couples], here.point);
        if (far <= least + p->rounded && (!out->kind || comes_first(&here, out)))
            *out = here;
    }
}
