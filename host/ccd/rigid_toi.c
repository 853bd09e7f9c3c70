/* See rigid_toi.h. */
#include "rigid_toi.h"

#include "bodies.h"
#include "closest.h"
#include "rep_features.h"
#include "vec3.h"

#include <math.h>
#include <string.h>

static const uint8_t triangle_corners[3] = {0, 1, 2};

/* ---- features */

/* Adds a couple, unless its features share a vertex. */
static void rigid_couples_add(toi_pair *p, const rigid_couple *c)
{
    for (int i = 0; i < c->split; i++)
        for (int j = c->split; j < 4; j++)
            if (p->of[c->of[i]].vertex[c->corner[i]] == p->of[c->of[j]].vertex[c->corner[j]]) {
                p->shared = 1;
                return;
            }
    p->couple[p->couples++] = *c;
}

/* Adds the couples of a face of primitive `on` and a vertex of the other one. */
static void rigid_couples_faces(toi_pair *p, int on)
{
    const int solid = p->of[on].corners == 4, corners = p->of[!on].corners;
    for (int f = 0; f < (solid ? 4 : 1); f++)
        for (int v = 0; v < corners; v++) {
            rigid_couple c = {.kind = IMP_KIND_VERTEX_FACE, .split = 3};
            memcpy(c.corner, solid ? rep_features_face_corners[f] : triangle_corners, 3);
            memset(c.of, on, 3);
            c.of[3] = (uint8_t)!on;
            c.corner[3] = (uint8_t)v;
            c.feature[on] = -1 - f;
            c.feature[!on] = p->of[!on].vertex[v];
            rigid_couples_add(p, &c);
        }
}

static int is_edge(const rigid_prim *m, int e)
{
    return m->vertex[rep_features_edge_ends[e][0]] != m->vertex[rep_features_edge_ends[e][1]];
}

static void rigid_couples_edges(toi_pair *p)
{
    const int edges[2] = {p->of[0].corners == 4 ? 6 : 3, p->of[1].corners == 4 ? 6 : 3};
    for (int i = 0; i < edges[0]; i++)
        for (int j = 0; j < edges[1] && is_edge(&p->of[0], i); j++) {
            rigid_couple c = {
                .kind = IMP_KIND_EDGE_EDGE, .split = 2, .feature = {i, j}, .of = {0, 0, 1, 1}};
            memcpy(c.corner, rep_features_edge_ends[i], 2);
            memcpy(c.corner + 2, rep_features_edge_ends[j], 2);
            if (is_edge(&p->of[1], j))
                rigid_couples_add(p, &c);
        }
}

/* Orders primitives by vertices, so that results do not depend on the numbers of primitives. */
static int comes_later(const rigid_prim *x, const rigid_prim *y)
{
    for (int k = 0; k < x->corners && k < y->corners; k++)
        if (x->vertex[k] != y->vertex[k])
            return x->vertex[k] > y->vertex[k];
    return x->corners > y->corners;
}

void rigid_toi_open(const rigid_ccd *t, const normalisation *u, uint32_t f, uint32_t a, uint32_t b,
                    double distance, const atomic_int *cancel, toi_pair *out)
{
    out->of[0] = rigid_prim_of(t, u, f, a);
    out->of[1] = rigid_prim_of(t, u, f, b);
    out->swapped = comes_later(&out->of[0], &out->of[1]);
    if (out->swapped) {
        const rigid_prim first = out->of[0];
        out->of[0] = out->of[1];
        out->of[1] = first;
    }
    out->couples = out->shared = 0;
    rigid_couples_faces(out, 0);
    rigid_couples_faces(out, 1);
    rigid_couples_edges(out);
    out->distance = distance;
    out->tolerance = rigid_ccd_tolerance(t, u, f);
    out->cancel = cancel;
    out->intervals = 0;
    out->nearest = 0;
    out->tries = (rigid_tries){.cells = RIGID_CELLS};
}

/* ---- time of impact */

/* An interval of time: positions at its ends, and the separating directions there. */
typedef struct toi_interval {
    double t[2];
    places end[2];
    double n[2][3];
    double gap[2]; /* the gaps there */
} toi_interval;

static void toi_interval_place(const toi_query *q, double t, toi_interval *in, int e)
{
    in->t[e] = t;
    trajectories_places(q->w, t, &in->end[e]);
}

static void toi_interval_aim(const toi_query *q, toi_interval *in, int e)
{
    in->gap[e] =
        separation_direction(&q->h, &in->end[e], q->p->tolerance / 16, &q->p->nearest, in->n[e]);
}

static displacement displacement_in(const toi_query *q, const toi_interval *in)
{
    return trajectories_displacement(q->w, in->t[1] - in->t[0], q->apart);
}

static int toi_interval_free(const toi_query *q, const toi_interval *in)
{
    return separation_stays(&q->h, &in->end[0], &in->end[1], (const double(*)[3])in->n,
                            q->least + displacement_in(q, in).chord_error);
}

/* Both halves, with the mean of both directions in the middle: it is shorter than 1, so its gap is
 * underestimated. */
static void rigid_toi_halve(const toi_query *q, const toi_interval *in, toi_interval half[2])
{
    half[0] = half[1] = *in;
    toi_interval_place(q, (in->t[0] + in->t[1]) / 2, &half[0], 1);
    for (int k = 0; k < 3; k++)
        half[0].n[1][k] = (in->n[0][k] + in->n[1][k]) / 2;
    half[1].t[0] = half[0].t[1];
    half[1].end[0] = half[0].end[1];
    memcpy(half[1].n[0], half[0].n[1], sizeof half[1].n[0]);
}

/* Returns whether the beginning of an interval counts as an instant at which they meet. */
static int toi_interval_met(const toi_query *q, const toi_interval *in, int halves)
{
    const toi_pair *p = q->p;
    return !halves || displacement_in(q, in).all <= p->tolerance / 8 || rigid_toi_over(p) ||
           (p->intervals > RIGID_INTERVALS_FINE && in->gap[0] <= p->distance + p->tolerance / 2);
}

/* Finds the first interval that may not be free and sets *toi to its beginning. */
static int toi_interval_meets(const toi_query *q, const toi_interval *in, int halves, double *toi)
{
    toi_interval half[2];
    if (in->t[0] >= q->before || toi_interval_free(q, in) ||
        rigid_phases_separated(q, in->t[0], in->t[1]))
        return 0;
    if (toi_interval_met(q, in, halves)) {
        *toi = in->t[0];
        return 1;
    }
    q->p->intervals++;
    rigid_toi_halve(q, in, half);
    if (toi_interval_free(q, &half[0]) && toi_interval_free(q, &half[1]))
        return 0;
    toi_interval_aim(q, &half[0], 1);
    memcpy(half[1].n[0], half[0].n[1], sizeof half[1].n[0]);
    half[1].gap[0] = half[0].gap[1];
    return toi_interval_meets(q, &half[0], halves - 1, toi) ||
           toi_interval_meets(q, &half[1], halves - 1, toi);
}

/* Sets *toi to the query's time of impact if that is earlier. */
static void rigid_toi_test(toi_query *q, double *toi)
{
    toi_interval whole;
    q->before = *toi;
    for (int e = 0; e < 2; e++) {
        toi_interval_place(q, e, &whole, e);
        separation_of_middles(&q->h, &whole.end[e], whole.n[e]);
    }
    if (toi_interval_free(q, &whole)) /* true for most pairs */
        return;
    for (int e = 0; e < 2; e++)
        toi_interval_aim(q, &whole, e);
    toi_interval_meets(q, &whole, MOTION_DIGITS, toi);
}

static hulls hulls_of(const toi_pair *p)
{
    return (hulls){
        {p->of[0].corners, p->of[1].corners}, {{0, 1, 2, 3}, {0, 1, 2, 3}}, p->couple, p->couples};
}

static hulls hulls_of_couple(const rigid_couple *c)
{
    hulls h = {.couple = c, .couples = 1};
    for (int k = 0; k < 4; k++)
        h.corner[c->of[k]][h.count[c->of[k]]++] = c->corner[k];
    return h;
}

/* Primitives that share a vertex are never apart: each of their couples is tested by itself. */
static void rigid_toi_first(toi_pair *p, const trajectories *w, double *toi)
{
    toi_query q = {.p = p,
                   .w = w,
                   .apart = trajectories_apart(w),
                   .least = p->distance + p->of[0].point_error + p->of[1].point_error +
                            2 * trajectories_rounding(w)};
    if (!p->shared) {
        q.h = hulls_of(p);
        rigid_toi_test(&q, toi);
        return;
    }
    for (int i = 0; i < p->couples; i++) {
        q.h = hulls_of_couple(&p->couple[i]);
        rigid_toi_test(&q, toi);
    }
}

/* The trajectories with each sense of half turns: at most four. */
static int rounds_of(const toi_pair *p, trajectories out[4])
{
    trajectories w;
    int n = 0;
    trajectories_make(p->of, &w);
    for (int i = 0; i <= (p->of[0].rotates && p->of[0].motion.half_turn); i++)
        for (int j = 0; j <= (p->of[1].rotates && p->of[1].motion.half_turn); j++)
            out[n++] = trajectories_round(&w, (int[]){i, j});
    return n;
}

int rigid_toi_find(toi_pair *p, double *toi)
{
    double first = 2; /* after the end of the step */
    trajectories round[4];
    const int n = rounds_of(p, round);
    for (int i = 0; i < n; i++)
        rigid_toi_first(p, &round[i], &first);
    *toi = first;
    return first <= 1 && !rigid_toi_over(p);
}

/* ---- closest features */

#define ORDER_BY(x, y)                                                                             \
    if ((x) != (y))                                                                                \
    return (x) < (y)

static int comes_first(const rigid_closest *x, const rigid_closest *y)
{
    ORDER_BY(x->kind, y->kind);
    ORDER_BY(x->feature[0], y->feature[0]);
    return x->feature[1] < y->feature[1];
}

static void rigid_toi_nearest(const toi_pair *p, const rigid_couple *c, rigid_closest *out)
{
    out->kind = c->kind;
    for (int s = 0; s < 2; s++)
        out->feature[s] = c->feature[s != p->swapped];
    for (int k = 0; k < 4; k++)
        out->vertex[k] = p->of[c->of[k]].vertex[c->corner[k]];
}

/* Converts relative points to absolute ones. Rounding may change their order. */
static void rigid_toi_points(const trajectories *w, double toi, double point[6])
{
    trajectories_absolute(w, toi, point);
    trajectories_absolute(w, toi, point + 3);
    points_order(point);
}

void rigid_toi_closest(const toi_pair *p, double toi, rigid_closest *out)
{
    trajectories round[4] = {0};
    places at[4];
    double least = INFINITY, far[4 * RIGID_COUPLES], point[6];
    int best = -1;
    const int n = rounds_of(p, round);
    for (int i = 0; i < n; i++)
        trajectories_places(&round[i], toi, &at[i]);
    *out = (rigid_closest){.kind = 0};
    for (int k = 0; k < n * p->couples; k++) {
        far[k] = separation_nearest(&p->couple[k % p->couples], &at[k / p->couples], point);
        least = fmin(least, far[k]);
    }
    const double most = least + trajectories_rounding(round);
    for (int k = 0; k < n * p->couples; k++) {
        rigid_closest here = {.kind = 0};
        rigid_toi_nearest(p, &p->couple[k % p->couples], &here);
        if (far[k] <= most && (!out->kind || comes_first(&here, out))) {
            *out = here;
            best = k;
        }
    }
    if (best >= 0)
        separation_nearest(&p->couple[best % p->couples], &at[best / p->couples], out->point);
    rigid_toi_points(round, toi, out->point);
}

/* ---- motion relative to the first primitive */

/* The rounding error of a difference is relative to the difference. */
static void trajectory_relate(rigid_prim *m, const double from[2][3])
{
    for (int e = 0; e < 2; e++) {
        vec_sub(m->motion.centre[e], from[e], m->motion.centre[e]);
        for (int k = 0; k < m->corners && !m->rotates; k++)
            vec_sub(m->at[e][k], from[e], m->at[e][k]);
    }
}

void trajectories_make(const rigid_prim of[2], trajectories *out)
{
    for (int e = 0; e < 2; e++) {
        const rigid_prim *first = &of[0];
        memcpy(out->from[e], first->rotates ? first->motion.centre[e] : first->at[e][0],
               sizeof out->from[e]);
    }
    for (int s = 0; s < 2; s++) {
        out->of[s] = of[s];
        trajectory_relate(&out->of[s], (const double(*)[3])out->from);
    }
}

trajectories trajectories_round(const trajectories *w, const int back[2])
{
    trajectories out = *w;
    for (int s = 0; s < 2; s++)
        if (back[s])
            motion_reverse(&out.of[s].motion);
    return out;
}

/* ---- positions */

static double linear(double from, double to, double t)
{
    return t <= 0 ? from : t >= 1 ? to : (1 - t) * from + t * to;
}

static void trajectory_place_linear(const rigid_prim *m, double t, double x[4][3])
{
    for (int k = 0; k < 3 * m->corners; k++)
        x[k / 3][k % 3] = linear(m->at[0][k / 3][k % 3], m->at[1][k / 3][k % 3], t);
}

static void trajectory_place_rotated(const rigid_prim *m, double t, const double turn[4],
                                     double x[4][3])
{
    pose_map map;
    pose_matrix(turn, map.r);
    motion_centre(&m->motion, t, map.t);
    for (int k = 0; k < m->corners; k++)
        pose_put(&map, m->at[0][k], x[k]);
}

void trajectories_place(const trajectories *w, int s, double t, double x[4][3])
{
    const rigid_prim *m = &w->of[s];
    double turn[4];
    if (!m->rotates) {
        trajectory_place_linear(m, t, x);
        return;
    }
    motion_rotation(&m->motion, t, turn);
    trajectory_place_rotated(m, t, turn, x);
}

void trajectories_place_after(const trajectories *w, int s, double turns, double t, double x[4][3])
{
    double turn[4];
    motion_rotation_after(&w->of[s].motion, turns, t, turn);
    trajectory_place_rotated(&w->of[s], t, turn, x);
}

void trajectories_places(const trajectories *w, double t, places *out)
{
    for (int s = 0; s < 2; s++)
        trajectories_place(w, s, t, out->x[s]);
}

void trajectories_absolute(const trajectories *w, double t, double x[3])
{
    for (int k = 0; k < 3; k++)
        x[k] += linear(w->from[0][k], w->from[1][k], t);
}

/* The largest distance, at either instant, of a point that moves linearly. */
static double trajectory_linear_size(const rigid_prim *m)
{
    double most = 0;
    for (int e = 0; e < 2; e++) {
        most = fmax(most, m->rotates ? pose_length(m->motion.centre[e]) : 0);
        for (int k = 0; k < m->corners && !m->rotates; k++)
            most = fmax(most, pose_length(m->at[e][k]));
    }
    return most;
}

double trajectories_rounding(const trajectories *w)
{
    double size = 0;
    for (int s = 0; s < 2; s++)
        size += w->of[s].radius + trajectory_linear_size(&w->of[s]);
    return MOTION_ROUNDED * size;
}

/* ---- displacement */

/* The mean displacement of the vertices; returns the largest difference of a vertex's displacement
 * from it. */
static double trajectory_drift(const rigid_prim *m, double mean[3])
{
    double most = 0, off[3];
    for (int d = 0; d < 3; d++) {
        mean[d] = m->rotates ? m->motion.centre[1][d] - m->motion.centre[0][d] : 0;
        for (int k = 0; k < m->corners && !m->rotates; k++)
            mean[d] += (m->at[1][k][d] - m->at[0][k][d]) / m->corners;
    }
    for (int k = 0; k < m->corners && !m->rotates; k++) {
        for (int d = 0; d < 3; d++)
            off[d] = m->at[1][k][d] - m->at[0][k][d] - mean[d];
        most = fmax(most, pose_length(off));
    }
    return most;
}

double trajectories_apart(const trajectories *w)
{
    double x[3], y[3];
    const double own = trajectory_drift(&w->of[0], x) + trajectory_drift(&w->of[1], y);
    vec_sub(x, y, x);
    return pose_length(x) + own;
}

displacement trajectories_displacement(const trajectories *w, double length, double apart)
{
    displacement out = {0, length * apart};
    for (int s = 0; s < 2; s++) {
        const rigid_prim *m = &w->of[s];
        const double angle = m->rotates ? motion_angle(&m->motion, length) : 0;
        const double far = m->radius * (1 + 0x1p-40);
        out.chord_error += motion_chord_error(angle) * far;
        out.all += fmin(angle, 2) * far;
    }
    return out;
}

/* ---- features */

static void rigid_couple_places(const rigid_couple *c, const places *at, double x[4][3])
{
    for (int k = 0; k < 4; k++)
        memcpy(x[k], at->x[c->of[k]][c->corner[k]], sizeof x[k]);
}

double separation_nearest(const rigid_couple *c, const places *at, double point[6])
{
    double x[4][3], between[3];
    rigid_couple_places(c, at, x);
    closest_points(c->kind == IMP_KIND_VERTEX_FACE, (const double(*)[3])x, point);
    vec_sub(point + 3, point, between);
    return pose_length(between);
}

static const double *rigid_separation_corner(const hulls *h, const places *at, int s, int k)
{
    return at->x[s][h->corner[s][k]];
}

/* ---- along a direction */

/* The extent of a hull along n: its least and greatest value. */
static void rigid_separation_extent(const hulls *h, const places *at, int s, const double n[3],
                                    double out[2])
{
    out[0] = INFINITY;
    out[1] = -INFINITY;
    for (int k = 0; k < h->count[s]; k++) {
        const double x = vec_dot(n, rigid_separation_corner(h, at, s, k));
        out[0] = x < out[0] ? x : out[0];
        out[1] = x > out[1] ? x : out[1];
    }
}

typedef struct aim {
    const hulls *h;
    const places *at;
    double gap, n[3]; /* the best so far */
} aim;

/* Tries a direction in both senses and keeps the better one. */
static void aim_try(aim *a, const double n[3])
{
    double unit[3], first[2], second[2];
    const double size = pose_length(n);
    if (!(size > 0x1p-1000))
        return;
    for (int k = 0; k < 3; k++)
        unit[k] = n[k] / size;
    rigid_separation_extent(a->h, a->at, 0, unit, first);
    rigid_separation_extent(a->h, a->at, 1, unit, second);
    const double on = second[0] - first[1], back = first[0] - second[1];
    const double gap = back > on ? back : on;
    if (!(gap > a->gap))
        return;
    a->gap = gap;
    for (int k = 0; k < 3; k++)
        a->n[k] = back > on ? -unit[k] : unit[k];
}

/* ---- directions that are normal to features */

/* Removes from n its component along e. */
static void less_along(double n[3], const double e[3])
{
    const double square = vec_dot(e, e), part = square > 0 ? vec_dot(n, e) / square : 0;
    for (int k = 0; k < 3; k++)
        n[k] -= part * e[k];
}

/* Tries the normal to both: to the longer one, and to the component of the other one normal to it,
 * so that nearly parallel vectors do no harm. With cancellation one projection is not enough. */
static void aim_normal(aim *a, const double e[3], const double f[3])
{
    double n[3], beside[3];
    const double *longer = vec_dot(e, e) < vec_dot(f, f) ? f : e, *other = longer == e ? f : e;
    memcpy(beside, other, sizeof beside);
    less_along(beside, longer);
    vec_cross(longer, beside, n);
    less_along(n, longer);
    less_along(n, beside);
    less_along(n, longer);
    aim_try(a, n);
}

static void aim_at_edge(aim *a, const double *vertex, const double *from, const double e[3])
{
    double n[3];
    vec_sub(vertex, from, n);
    less_along(n, e);
    less_along(n, e);
    aim_try(a, n);
}

/* Tries the directions of an edge of a hull: with the edges and vertices of the other one, and with
 * the faces whose first edge it is. */
static void aim_by_edge(aim *a, int s, int i, int j)
{
    const hulls *h = a->h;
    const double *from = rigid_separation_corner(h, a->at, s, i);
    double e[3], f[3];
    vec_sub(rigid_separation_corner(h, a->at, s, j), from, e);
    for (int k = j + 1; k < h->count[s]; k++) {
        vec_sub(rigid_separation_corner(h, a->at, s, k), from, f);
        aim_normal(a, e, f);
    }
    for (int k = 0; k < h->count[!s]; k++) {
        const double *other = rigid_separation_corner(h, a->at, !s, k);
        aim_at_edge(a, other, from, e);
        for (int l = k + 1; l < h->count[!s] && s; l++) {
            vec_sub(rigid_separation_corner(h, a->at, !s, l), other, f);
            aim_normal(a, e, f);
        }
    }
}

static void aim_by_features(aim *a)
{
    const hulls *h = a->h;
    double n[3];
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < h->count[s]; i++)
            for (int j = i + 1; j < h->count[s]; j++)
                aim_by_edge(a, s, i, j);
    for (int i = 0; i < h->count[0]; i++)
        for (int j = 0; j < h->count[1]; j++) {
            vec_sub(rigid_separation_corner(h, a->at, 1, j),
                    rigid_separation_corner(h, a->at, 0, i), n);
            aim_try(a, n);
        }
}

/* Tries the directions of one couple: the difference of its closest points, and the normal of its
 * features. Returns whether the best one is good enough: no direction has a gap larger than the
 * couple's distance. */
static int aim_by_couple(aim *a, const rigid_couple *c, double loose)
{
    double x[4][3], point[6], e[3], f[3];
    const double far = separation_nearest(c, a->at, point);
    vec_sub(point + 3, point, e);
    aim_try(a, e);
    if (a->gap >= far - loose)
        return 1;
    rigid_couple_places(c, a->at, x);
    vec_sub(x[1], x[0], e);
    vec_sub(x[2], c->split == 3 ? x[0] : x[3], f);
    aim_normal(a, e, f);
    return a->gap >= far - loose;
}

static int separation_nearest_couple(const hulls *h, const places *at)
{
    double least = INFINITY, point[6];
    int nearest = 0;
    for (int i = 0; i < h->couples; i++) {
        const double far = separation_nearest(&h->couple[i], at, point);
        nearest = far < least ? i : nearest;
        least = far < least ? far : least;
    }
    return nearest;
}

double separation_direction(const hulls *h, const places *at, double loose, int *guess, double n[3])
{
    aim a = {.h = h, .at = at, .gap = -INFINITY};
    if (*guess >= h->couples || !aim_by_couple(&a, &h->couple[*guess], loose)) {
        *guess = separation_nearest_couple(h, at);
        if (!h->couples || !aim_by_couple(&a, &h->couple[*guess], loose))
            aim_by_features(&a);
    }
    memcpy(n, a.n, sizeof a.n);
    return a.gap;
}

void separation_of_middles(const hulls *h, const places *at, double n[3])
{
    double middle[2][3] = {{0}};
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 3 * h->count[s]; k++)
            middle[s][k % 3] += rigid_separation_corner(h, at, s, k / 3)[k % 3] / h->count[s];
    vec_sub(middle[1], middle[0], n);
    const double size = pose_length(n);
    for (int k = 0; k < 3; k++)
        n[k] = size > 0x1p-1000 ? n[k] / size : 0;
}

/* ---- while they move */

separation_range separation_range_begin(void)
{
    const double none = INFINITY;
    return (separation_range){{{-none, -none, -none}, {none, none, none}}};
}

/* The direction and the positions are linear in time: their product is a polynomial of degree 2,
 * which is between its coefficients in Bernstein form. */
void separation_range_add(const hulls *h, int s, const double from[4][3], const double to[4][3],
                          const double n[2][3], separation_range *r)
{
    const double sign = s ? 1 : -1;
    double *best = r->of[s];
    for (int k = 0; k < h->count[s]; k++) {
        const double *x = from[h->corner[s][k]], *y = to[h->corner[s][k]];
        const double at[3] = {vec_dot(n[0], x), (vec_dot(n[0], y) + vec_dot(n[1], x)) / 2,
                              vec_dot(n[1], y)};
        for (int i = 0; i < 3; i++)
            best[i] = sign * at[i] < sign * best[i] ? at[i] : best[i];
    }
}

int separation_range_exceeds(const separation_range *r, double least)
{
    int all = 1;
    for (int i = 0; i < 3; i++)
        all &= r->of[1][i] - r->of[0][i] > least;
    return all;
}

static int stays_along(const hulls *h, const places *from, const places *to, const double n[2][3],
                       double least)
{
    separation_range r = separation_range_begin();
    for (int s = 0; s < 2; s++)
        separation_range_add(h, s, (const double(*)[3])from->x[s], (const double(*)[3])to->x[s], n,
                             &r);
    return separation_range_exceeds(&r, least);
}

int separation_stays(const hulls *h, const places *from, const places *to, const double n[2][3],
                     double least)
{
    int stays = stays_along(h, from, to, n, least);
    for (int e = 0; e < 2 && !stays; e++) {
        double same[2][3];
        separation_same(n, e, same);
        stays = stays_along(h, from, to, (const double(*)[3])same, least);
    }
    return stays;
}
