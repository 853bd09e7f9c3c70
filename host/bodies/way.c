/* See way.h. */
#include "way.h"

#include "pose.h"

#include <string.h>

/* With a dot product as small as this the shorter arc is unknown: it is half a turn. */
#define HALF_TURN 0x1p-45

/* A turn from pose to pose with a sine as small as this has no axis of its own: rounding has moved
 * that by up to TILT. That of another turn it has moved by the less the greater the sine is. */
#define NO_AXIS 0x1p-24
#define TILT 0x1p-24

#define PI 0x1.921fb54442d18p+1

body_way way_still(double slack)
{
    return (body_way){.turn = {{1, 0, 0, 0}, {1, 0, 0, 0}}, .slack = slack};
}

/* ---- quaternions */

/* Half way between two that are less than a right angle apart. */
static void halfway(const double q[2][4], double out[4])
{
    double square = 0;
    for (int i = 0; i < 4; i++) {
        out[i] = q[0][i] + q[1][i];
        square += out[i] * out[i];
    }
    const double scale = 1 / sqrt(square);
    for (int i = 0; i < 4; i++)
        out[i] *= scale;
}

/* At least the angle of the turn from one to the other. A quaternion's angle is half of the turn's,
 * and the distance of two is twice the sine of a quarter of it; up to pi / 4 an angle is at most
 * 1.1108 times its sine. */
static double angle_between(const double q[2][4])
{
    double square = 0;
    for (int i = 0; i < 4; i++)
        square += (q[1][i] - q[0][i]) * (q[1][i] - q[0][i]);
    return 2.2216 * sqrt(square);
}

/* ---- turns of more than half a turn */

/* From one pose to the other, at most half a turn. */
static void turn_between(body_way *w)
{
    const double *q = w->turn[0], back[4] = {q[0], -q[1], -q[2], -q[3]};
    double r[4];
    pose_product(w->turn[1], back, r);
    const double sign = r[0] < 0 ? -1 : 1, sine = pose_length(r + 1), size = sqrt(pose_square(r));
    w->cosine = fabs(r[0]) / size;
    w->sine = sine / size;
    for (int k = 0; k < 3; k++)
        w->axis[k] = sine > 0 ? sign * r[1 + k] / sine : 0;
}

/* The angle of which half has this cosine and sine, within 0.01: it only says how many whole turns
 * there are. */
static double angle_near(const body_way *w)
{
    const double less = w->sine < w->cosine ? w->sine : w->cosine; /* of up to pi / 4 */
    const double angle = less * (1 + less * less * (1.0 / 6 + less * less * 0.11));
    return 2 * (w->sine < w->cosine ? angle : PI / 2 - angle);
}

/* Half of an angle whose sine and cosine are given. Which sign they get follows from the quadrant,
 * and neither is a difference of nearly equal numbers. */
static void halve(double *cosine, double *sine, int64_t quadrant)
{
    const double across = fabs(*sine) / 2;
    double c, s;
    if (*cosine >= 0) {
        c = sqrt((1 + *cosine) / 2);
        s = across / c;
    } else {
        s = sqrt((1 - *cosine) / 2);
        c = across / s;
    }
    quadrant &= 3;
    *cosine = quadrant == 1 || quadrant == 2 ? -c : c;
    *sine = quadrant >= 2 ? -s : s;
}

/* What the angular velocity says: as a vector, and its length. */
typedef struct spin {
    double angle[3], size;
} spin;

static spin spin_of(const imp_pose *from, double seconds)
{
    spin s;
    for (int k = 0; k < 3; k++)
        s.angle[k] = from->spin[k] * seconds;
    s.size = pose_length(s.angle);
    return s;
}

/* Of all even turns from pose to pose the one that is nearest to the angular velocity. */
static void turn_by(body_way *w, const spin *s)
{
    double along = 0, angle = 0;
    turn_between(w);
    w->tilt = TILT;
    if (w->sine < NO_AXIS) { /* whole turns about the axis of the angular velocity */
        w->tilt += 4 * w->sine;
        w->cosine = 1;
        w->sine = 0;
        for (int k = 0; k < 3; k++)
            w->axis[k] = s->angle[k] / s->size;
        along = s->size;
    } else {
        for (int k = 0; k < 3; k++)
            along += s->angle[k] * w->axis[k];
        angle = angle_near(w);
        w->tilt *= NO_AXIS / w->sine;
    }
    const double whole = floor((along - angle) / (2 * PI) + 0.5), most = 0x1p50;
    w->whole = (int64_t)(whole > most ? most : whole < -most ? -most : whole);
    w->far = 1;
    w->either = 0;
}

/* q and -q are one rotation: the sign that makes the dot product positive gives the shorter arc.
 * Lengths are corrected, since poses may be off by POSE_UNIT. */
void way_turn(body_way *w, const imp_pose *from, const imp_pose *to, double seconds)
{
    const imp_pose *pose[2] = {from, to};
    const spin s = spin_of(from, seconds);
    double dot = 0;
    for (int k = 0; k < 4; k++)
        dot += from->rotation[k] * to->rotation[k];
    w->either = fabs(dot) < HALF_TURN;
    w->far = 0;
    w->tilt = 0;
    for (int e = 0; e < 2; e++) {
        const double size = sqrt(pose_square(pose[e]->rotation));
        for (int k = 0; k < 4; k++)
            w->turn[e][k] = (e && dot < 0 ? -1 : 1) * pose[e]->rotation[k] / size;
    }
    if (s.size > PI && s.size <= DBL_MAX)
        turn_by(w, &s);
}

/* A little less than half a turn, so that no rounding of the time hides a turn. A quaternion and
 * its opposite are the same rotation. A body that ends as it began may have made whole turns. */
int way_turns(const imp_pose *from, const imp_pose *to, double seconds)
{
    int same = 1, opposite = 1;
    for (int i = 0; i < 4; i++) {
        same &= from->rotation[i] == to->rotation[i];
        opposite &= from->rotation[i] == -to->rotation[i];
    }
    const double fast = pose_length(from->spin);
    return !(same || opposite) || (fast > 0 && !(fast * fabs(seconds) < 3.14159265358979));
}

/* Called twice it changes nothing. */
void way_turn_back(body_way *w)
{
    for (int k = 0; k < 4 && w->either; k++)
        w->turn[1][k] = -w->turn[1][k];
}

/* ---- parts of a turn */

/* Halved until an arc is at most a quarter of a turn. Half the angle of all is that of the turn
 * without whole ones and `whole` half turns: 2 whole quadrants, and one at most. */
static void parts_make(const body_way *w, way_arcs *out)
{
    const double sign = w->whole & 1 ? -1 : 1;
    double c = sign * w->cosine, s = sign * w->sine;
    for (int i = 0; i <= WAY_LEVELS; i++) {
        const int64_t quadrant = (2 * w->whole) >> i; /* rounded down */
        out->part[i][0] = c;
        for (int k = 0; k < 3; k++)
            out->part[i][1 + k] = s * w->axis[k];
        out->levels = i;
        if ((quadrant == 0 || quadrant == -1) && fabs(s) < 0.7 && c > 0.7) {
            const double ends[2][4] = {{1, 0, 0, 0}, {c, s, 0, 0}};
            out->arc = angle_between(ends);
            return;
        }
        halve(&c, &s, (2 * w->whole) >> (i + 1));
    }
}

void way_arcs_make(const body_way *w, way_arcs *out)
{
    out->levels = 0;
    out->arc = INFINITY; /* if there are more than 2^WAY_LEVELS */
    if (w->far)
        parts_make(w, out);
}

/* Where arc `number` begins: a turn for each bit of the number. */
static void way_at(const body_way *w, const way_arcs *a, uint64_t number, double out[4])
{
    memcpy(out, w->turn[0], sizeof w->turn[0]);
    for (int i = a->levels; number; i--, number >>= 1)
        if (number & 1)
            pose_product(a->part[i], out, out);
}

way_part way_whole(const body_way *w, const way_arcs *a)
{
    way_part p = {.arcs = a->levels ? (uint64_t)1 << a->levels : 0};
    memcpy(p.turn, w->turn, sizeof p.turn);
    return p;
}

void way_middle(const body_way *w, const way_arcs *a, const way_part *p, double out[4])
{
    if (p->arcs)
        way_at(w, a, p->first + p->arcs / 2, out);
    else
        halfway(p->turn, out);
}

way_part way_half(const body_way *w, const way_arcs *a, const way_part *p, int second)
{
    way_part half = *p;
    if (!p->arcs) {
        halfway(p->turn, half.turn[!second]);
        return half;
    }
    half.arcs /= 2;
    half.first += second ? half.arcs : 0;
    if (half.arcs == 1) { /* which is halved by its ends */
        way_at(w, a, half.first, half.turn[0]);
        way_at(w, a, half.first + 1, half.turn[1]);
        half.arcs = 0;
    }
    return half;
}

double way_angle(const way_arcs *a, const way_part *p)
{
    return p->arcs ? (double)p->arcs * a->arc : angle_between(p->turn);
}

double way_bulge_all(const body_way *w)
{
    way_arcs arcs;
    way_arcs_make(w, &arcs);
    const way_part whole = way_whole(w, &arcs);
    return way_bulge(way_angle(&arcs, &whole));
}

void way_box(const body_way *w, double far, double out[6])
{
    const double reach = far + w->slack;
    for (int k = 0; k < 3; k++) {
        const double a = w->centre[0][k], b = w->centre[1][k];
        const double lo = a < b ? a : b, hi = a < b ? b : a;
        /* For what the caller's coordinates and this sum are rounded by. */
        const double margin = reach * 0x1p-40 + (fabs(a) + fabs(b)) * 0x1p-40;
        out[k] = lo - reach - margin;
        out[3 + k] = hi + reach + margin;
    }
}
