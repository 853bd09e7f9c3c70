/* See turning_pair.h. */
#include "turning_pair.h"

#include "closest.h"
#include "incidence.h"
#include "turning_phase.h"

#include <math.h>
#include <string.h>

static const uint8_t triangle_corners[3] = {0, 1, 2};

/* ---- features */

/* Is a vertex of one feature one of the other, too? Then they are no couple. */
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

/* The faces of primitive `on`, and the vertices of the other one. */
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

/* By vertices, so that results do not depend on the numbers of primitives. */
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

/* ---- when */

/* An interval of time: places at its ends, and the directions there. */
typedef struct toi_interval {
    double t[2];
    places end[2];
    double n[2][3];
    double gap[2]; /* how far apart they are there */
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

/* Both halves, with a direction in the middle that is between those of the ends: a shorter one, so
 * what it says is less than it might be. */
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

/* Is the beginning of an interval an instant at which they meet? */
static int toi_interval_met(const toi_query *q, const toi_interval *in, int halves)
{
    const toi_pair *p = q->p;
    return !halves || displacement_in(q, in).all <= p->tolerance / 8 || rigid_toi_over(p) ||
           (p->intervals > RIGID_INTERVALS_FINE && in->gap[0] <= p->distance + p->tolerance / 2);
}

/* The first interval that may not be free: *toi becomes its beginning. */
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

/* Earlier than *toi? Then that becomes the time. */
static void rigid_toi_test(toi_query *q, double *toi)
{
    toi_interval whole;
    q->before = *toi;
    for (int e = 0; e < 2; e++) {
        toi_interval_place(q, e, &whole, e);
        separation_of_middles(&q->h, &whole.end[e], whole.n[e]);
    }
    if (toi_interval_free(q, &whole)) /* as most are */
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

/* Two that share a vertex are never apart: of these each couple is asked for by itself. */
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

/* The ways round, of half a turn: at most four. */
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
    double first = 2; /* beyond the end */
    trajectories round[4];
    const int n = rounds_of(p, round);
    for (int i = 0; i < n; i++)
        rigid_toi_first(p, &round[i], &first);
    *toi = first;
    return first <= 1 && !rigid_toi_over(p);
}

/* ---- where */

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

/* From relative to absolute ones. Rounding may change their order. */
static void rigid_toi_points(const trajectories *w, double toi, double point[6])
{
    trajectories_absolute(w, toi, point);
    trajectories_absolute(w, toi, point + 3);
    points_order(point);
}

void rigid_toi_closest(const toi_pair *p, double toi, rigid_closest *out)
{
    trajectories round[4];
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
