/* See rigid_toi.h. */
#include "rigid_toi.h"

#include "bodies.h"

#include <math.h>
#include <string.h>

#define TURN 6.283185307179586476925286766559
#define TURNS_LEAST 8 /* turns of an interval: a cell takes as long as some intervals */
#define PHASE_LEAST 2 /* turns of a primitive whose phase is free */
#define SAMPLES 4     /* phases of each that are tested first */
#define RATIO_MOST 8  /* turns of either after which both repeat */
#define DRIFT_MOST 4  /* maximum drift from that, in turns over the step */

/* Cells that prove nothing may take as long as testing the turns one by one: that takes about
 * INTERVALS_TURN intervals for a turn, plus the intervals already tested. A cell takes as long as
 * INTERVALS_CELL intervals. */
#define INTERVALS_TURN 64
#define INTERVALS_CELL 8

/* A range of time, and a range of phase, in turns, of each primitive with a free phase. */
typedef struct phase_cell {
    double t[2], phase[2][2];
} phase_cell;

/* Two primitives whose rates of rotation are nearly in a ratio of small integers share one phase:
 * that of the leading one, from which the other one drifts. */
typedef struct rigid_phases {
    const toi_query *q;
    int any[2];            /* any[s]: primitive s has a free phase */
    int lead;              /* the leading primitive, with whose phase the direction changes */
    int locked;            /* the other one has no phase of its own */
    double rate[2], drift; /* rate: turns of each per turn of the phase; drift: turns of the other
                              one over the step */
    uint64_t cells;        /* number of cells still allowed */
} rigid_phases;

/* Returns whether primitive s moves with the phase of the leading one. */
static int goes_along(const rigid_phases *p, int s)
{
    return p->any[s] && (s == p->lead || p->locked);
}

static double radius_of(const rigid_phases *p, int s)
{
    return p->q->w->of[s].radius * (1 + 0x1p-40);
}

/* ---- positions */

static void rigid_phase_place(const rigid_phases *p, int s, double phase, double t, double x[4][3])
{
    const double turns = p->rate[s] * phase + (p->locked && s != p->lead ? p->drift * t : 0);
    if (p->any[s])
        trajectories_place_after(p->q->w, s, turns, t, x);
    else
        trajectories_place(p->q->w, s, t, x);
}

static double middle_of(const double range[2])
{
    return (range[0] + range[1]) / 2;
}

/* Finds the direction at time t with these phases. Returns whether its gap exceeds the query's
 * distance. */
static int aim_at(const rigid_phases *p, double t, const double phase[2], double n[3])
{
    places at;
    for (int s = 0; s < 2; s++)
        rigid_phase_place(p, s, phase[goes_along(p, s) ? p->lead : s], t, at.x[s]);
    toi_pair *of = p->q->p;
    return separation_direction(&p->q->h, &at, of->tolerance / 16, &of->nearest, n) > p->q->least;
}

/* The directions in the middle of the time, at both ends of the leading one's phases. */
static int aim(const rigid_phases *p, const phase_cell *c, double n[2][3])
{
    int room = 1;
    for (int e = 0; e < 2 && room; e++) {
        double phase[2] = {middle_of(c->phase[0]), middle_of(c->phase[1])};
        phase[p->lead] = c->phase[p->lead][e];
        room = aim_at(p, middle_of(c->t), phase, n[e]);
    }
    return room;
}

/* Returns whether they meet with some sampled phases in the middle of the time: nothing can be
 * proven then. */
static int meet_somewhere(const rigid_phases *p, const phase_cell *all)
{
    const int own[2] = {p->any[0] && (p->lead == 0 || !p->locked),
                        p->any[1] && (p->lead == 1 || !p->locked)};
    double n[3];
    for (int i = 0; i < (own[0] ? SAMPLES : 1); i++)
        for (int k = 0; k < (own[1] ? SAMPLES : 1); k++) {
            const double phase[2] = {(double)i / SAMPLES, (double)k / SAMPLES};
            if (!aim_at(p, middle_of(all->t), phase, n))
                return 1;
        }
    return 0;
}

/* ---- separation in a cell */

/* Bound on the distance of primitive s's corners from the chords between its positions, plus the
 * rounding error of a phase, which may be several turns, beyond that of a fraction of the step. */
static double rigid_phase_chord_error(const rigid_phases *p, const phase_cell *c, int s)
{
    const body_motion *w = &p->q->w->of[s].motion;
    const double length = c->t[1] - c->t[0];
    const double *range = c->phase[goes_along(p, s) ? p->lead : s];
    if (!p->q->w->of[s].rotates)
        return 0;
    if (!p->any[s])
        return motion_chord_error(motion_angle(w, length)) * radius_of(p, s);
    double chord_error = motion_chord_error(TURN * p->rate[s] * (range[1] - range[0]));
    if (p->locked && s != p->lead)
        chord_error += motion_chord_error(TURN * p->drift * length);
    return (chord_error + 2 * pose_length(w->residual) * length + 0x1p-44) * radius_of(p, s);
}

static void rigid_phase_add_places(const rigid_phases *p, const phase_cell *c, int s,
                                   const double n[2][3], separation_range *range)
{
    const hulls *h = &p->q->h;
    const int along = goes_along(p, s);
    double x[2][4][3];
    const double(*at)[4][3] = (const double(*)[4][3])x;
    for (int end = 0; end < 2; end++) {
        for (int e = 0; e < 2; e++)
            rigid_phase_place(p, s, c->phase[along ? p->lead : s][e], c->t[end], x[e]);
        separation_range_add(h, s, at[0], at[along], n, range);
        if (p->any[s] && !along)
            separation_range_add(h, s, at[1], at[1], n, range);
    }
}

static int is_apart_along(const rigid_phases *p, const phase_cell *c, const double n[2][3])
{
    separation_range range = separation_range_begin();
    for (int s = 0; s < 2; s++)
        rigid_phase_add_places(p, c, s, n, &range);
    return separation_range_exceeds(&range, p->q->least + rigid_phase_chord_error(p, c, 0) +
                                                rigid_phase_chord_error(p, c, 1));
}

static int rigid_phase_separated(const rigid_phases *p, const phase_cell *c, const double n[2][3])
{
    int apart = is_apart_along(p, c, n);
    for (int e = 0; e < 2 && !apart; e++) {
        double same[2][3];
        separation_same(n, e, same);
        apart = is_apart_along(p, c, (const double(*)[3])same);
    }
    return apart;
}

/* ---- division */

/* Displacement of points over all of the time, with constant phases. */
static double rigid_phase_displacement_by_time(const rigid_phases *p, double length)
{
    double moved = length * p->q->apart;
    for (int s = 0; s < 2; s++) {
        if (p->q->w->of[s].rotates && !p->any[s])
            moved += fmin(motion_angle(&p->q->w->of[s].motion, length), 2) * radius_of(p, s);
        if (p->locked && s != p->lead)
            moved += TURN * fabs(p->drift) * length * radius_of(p, s);
    }
    return moved;
}

static double rigid_phase_displacement_by_phase(const rigid_phases *p, const phase_cell *c, int s)
{
    double moved = 0;
    for (int k = 0; k < 2; k++)
        if (k == s ? p->any[k] : s == p->lead && goes_along(p, k))
            moved += TURN * fabs(p->rate[k]) * (c->phase[s][1] - c->phase[s][0]) * radius_of(p, k);
    return s == p->lead || !p->locked ? moved : 0;
}

/* Finds the range with the largest displacement, which is to be halved. Returns that
 * displacement. */
static double rigid_phase_widest(const rigid_phases *p, phase_cell *c, double **range)
{
    double most = rigid_phase_displacement_by_time(p, c->t[1] - c->t[0]);
    *range = c->t;
    for (int s = 0; s < 2; s++) {
        const double moved = rigid_phase_displacement_by_phase(p, c, s);
        *range = moved > most ? c->phase[s] : *range;
        most = fmax(most, moved);
    }
    return most;
}

static int phase_cell_separated(rigid_phases *p, const phase_cell *c)
{
    phase_cell half = *c;
    double n[2][3], *range;
    p->q->p->intervals++;
    if (!p->cells || rigid_toi_over(p->q->p))
        return 0;
    p->cells--;
    if (!aim(p, c, n))
        return 0;
    if (rigid_phase_separated(p, c, (const double(*)[3])n))
        return 1;
    if (rigid_phase_widest(p, &half, &range) <= p->q->p->tolerance / 8)
        return 0;
    const double end = range[1], middle = middle_of(range);
    range[1] = middle;
    if (!phase_cell_separated(p, &half))
        return 0;
    range[0] = middle;
    range[1] = end;
    return phase_cell_separated(p, &half);
}

/* ---- an interval */

/* The rotation angle over the whole step of the primitive that rotates more. */
static double angle_most(const toi_query *q)
{
    double angle = 0;
    for (int s = 0; s < 2; s++)
        if (q->w->of[s].rotates)
            angle = fmax(angle, motion_angle(&q->w->of[s].motion, 1));
    return angle;
}

/* Returns whether the cost of vain cells, including those allowed next, stays within that of
 * testing turns one by one. */
static int rigid_phase_worth_trying(const toi_query *q)
{
    const rigid_tries *t = &q->p->tries;
    const double intervals = q->p->intervals + INTERVALS_TURN * (angle_most(q) / TURN);
    return INTERVALS_CELL * ((double)t->vain + (double)t->cells) <= intervals;
}

/* Doubles the number of cells for the next try if they were too few. */
static void rigid_phase_count_vain(const rigid_phases *p)
{
    rigid_tries *t = &p->q->p->tries;
    t->vain += t->cells - p->cells + SAMPLES;
    t->cells *= p->cells ? 1 : 2;
}

/* Finds i and k such that the other one makes k turns, plus a drift, while the leading one makes i.
 * The difference of large numbers of turns is computed in integers. */
static void rigid_phase_lock(rigid_phases *p, double length)
{
    const body_motion *a = &p->q->w->of[p->lead].motion, *b = &p->q->w->of[!p->lead].motion;
    for (int i = 1; i <= RATIO_MOST && !p->locked; i++) {
        const double turns = (double)a->whole_turns + a->fraction;
        const int64_t k = (int64_t)floor(i * ((double)b->whole_turns + b->fraction) / turns + 0.5);
        const double drift = ((double)(i * b->whole_turns - k * a->whole_turns) +
                              ((double)i * b->fraction - (double)k * a->fraction)) /
                             i;
        if (k == 0 || k > RATIO_MOST || k < -RATIO_MOST || fabs(drift) > DRIFT_MOST ||
            fabs(drift) * length > 0.5)
            continue;
        p->locked = 1;
        p->rate[p->lead] = i;
        p->rate[!p->lead] = (double)k;
        p->drift = drift;
    }
}

static rigid_phases rigid_phases_of(const toi_query *q, double length)
{
    rigid_phases p = {.q = q, .rate = {1, 1}};
    double most = 0;
    for (int s = 0; s < 2; s++) {
        const rigid_prim *m = &q->w->of[s];
        p.any[s] = m->rotates && motion_angle(&m->motion, length) >= PHASE_LEAST * TURN;
        if (!p.any[s] || m->radius < most)
            continue;
        p.lead = s;
        most = m->radius;
    }
    if (p.any[0] && p.any[1])
        rigid_phase_lock(&p, length);
    return p;
}

int rigid_phases_separated(const toi_query *q, double from, double to)
{
    const phase_cell all = {{from, to}, {{0, 1}, {0, 1}}};
    if (angle_most(q) * (to - from) < TURNS_LEAST * TURN || !rigid_phase_worth_trying(q))
        return 0;
    rigid_phases p = rigid_phases_of(q, to - from);
    p.cells = q->p->tries.cells;
    if (!meet_somewhere(&p, &all) && phase_cell_separated(&p, &all))
        return 1;
    rigid_phase_count_vain(&p);
    return 0;
}
