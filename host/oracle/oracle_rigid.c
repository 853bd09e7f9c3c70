/* See oracle_ccd.h. */
#include "oracle_ccd.h"

#include "frame.h"

#include <math.h>
#include <string.h>

#define HALF_TURN 3.14159265358979323846264338327950288L
#define UNKNOWN 0x1p-45L /* least cosine of half an angle with a known shorter rotation */
#define NO_AXIS 0x1p-24L

/* ---- vectors */

static real oracle_rigid_dot(const real a[3], const real b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void oracle_rigid_minus(real r[3], const real a[3], const real b[3])
{
    for (int k = 0; k < 3; k++)
        r[k] = a[k] - b[k];
}

static void oracle_rigid_cross(real r[3], const real a[3], const real b[3])
{
    for (int k = 0; k < 3; k++)
        r[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* The exponent range of long double suffices for squares of doubles. */
real oracle_rigid_length(const real v[3])
{
    return sqrtl(oracle_rigid_dot(v, v));
}

static real oracle_rigid_distance(const real a[3], const real b[3])
{
    real d[3];
    oracle_rigid_minus(d, a, b);
    return oracle_rigid_length(d);
}

/* ---- rotation */

static real oracle_rigid_quaternion_product(const real p[4], const real q[4], real v[3])
{
    oracle_rigid_cross(v, p + 1, q + 1);
    for (int k = 0; k < 3; k++)
        v[k] += p[0] * q[1 + k] + q[0] * p[1 + k];
    return p[0] * q[0] - oracle_rigid_dot(p + 1, q + 1);
}

static void unit(const double q[4], real out[4])
{
    real square = 0;
    for (int k = 0; k < 4; k++)
        square += (real)q[k] * q[k];
    for (int k = 0; k < 4; k++)
        out[k] = q[k] / sqrtl(square);
}

/* The rotation from one to the other along the shorter arc, not of length 1. Computed from their
 * difference, which is exact, so that a small rotation has an axis. */
static real oracle_rigid_rotation_between(const double from[4], const double to[4], real vector[3])
{
    real same = 0, square = 0, back[4], d[4];
    for (int k = 0; k < 4; k++) {
        same += (real)from[k] * to[k];
        square += (real)from[k] * from[k];
        back[k] = k ? -(real)from[k] : from[k];
    }
    for (int k = 0; k < 4; k++)
        d[k] = (same < 0 ? -(real)to[k] : to[k]) - from[k];
    return square + oracle_rigid_quaternion_product(d, back, vector);
}

/* The rotation vector by the angular velocity over the step; returns its angle. */
static real spin_of(const imp_pose *from, real seconds, real spin[3])
{
    for (int k = 0; k < 3; k++)
        spin[k] = from->spin[k] * seconds;
    return oracle_rigid_length(spin);
}

/* Whole turns about the axis of the rotation between the poses. If that rotation is too small to
 * have an axis, they are about the axis of the angular velocity, and the rotation is spread over
 * the step. */
static void find_turn(const imp_pose *from, const imp_pose *to, real seconds, rigid_mover *m)
{
    real spin[3], between[3];
    const real along = oracle_rigid_rotation_between(from->rotation, to->rotation, between);
    const real across = oracle_rigid_length(between), size = hypotl(along, across);
    const real fast = spin_of(from, seconds, spin);
    const int far = fast > HALF_TURN, none = far && across < NO_AXIS * size;
    m->either = along < UNKNOWN * size && !far;
    m->part = none ? 0 : atan2l(across, along) / HALF_TURN;
    for (int k = 0; k < 3; k++) {
        m->axis[k] = none ? spin[k] / fast : across > 0 ? between[k] / across : 0;
        m->remainder_turn[k] = none ? 2 * between[k] / along : 0;
    }
    if (far)
        m->whole =
            (int64_t)floorl(oracle_rigid_dot(spin, m->axis) / (2 * HALF_TURN) - m->part + 0.5L);
}

/* Total rotation angle, in radians. */
static real angle_of(const rigid_mover *m)
{
    return 2 * HALF_TURN * fabsl((real)m->whole + m->part) + oracle_rigid_length(m->remainder_turn);
}

/* The fraction of a turn that remains of the whole ones at t. Their product has more digits than
 * fit; the products of halves of either do not. */
static real whole_turns_left(const rigid_mover *m, real t)
{
    const int64_t half = (int64_t)1 << 26, part = (int64_t)(t * 0x1p52L);
    const int64_t x[2] = {part / half, part % half}, y[2] = {m->whole / half, m->whole % half};
    real sum = 0;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            sum += fmodl(ldexpl((real)(x[i] * y[j]), 26 * (2 - i - j) - 52), 1);
    return fmodl(sum, 1);
}

/* Rodrigues' formula. */
static void oracle_rigid_rotate_axis(const real axis[3], real angle, const real x[3], real out[3])
{
    real side[3];
    const real c = cosl(angle), s = sinl(angle),
               oracle_rigid_lerp = oracle_rigid_dot(axis, x) * (1 - c);
    oracle_rigid_cross(side, axis, x);
    for (int k = 0; k < 3; k++)
        out[k] = c * x[k] + s * side[k] + oracle_rigid_lerp * axis[k];
}

/* Rotation by a small vector: the first two terms of the series. */
static void turn_little(const real vector[3], real t, real x[3])
{
    real side[3], twice[3];
    oracle_rigid_cross(side, vector, x);
    oracle_rigid_cross(twice, vector, side);
    for (int k = 0; k < 3; k++)
        x[k] += t * side[k] + t * t / 2 * twice[k];
}

static void oracle_rigid_rotate(const double rotation[4], const real x[3], real out[3])
{
    real q[4], v[3], w[3];
    unit(rotation, q);
    oracle_rigid_cross(v, q + 1, x);
    oracle_rigid_cross(w, q + 1, v);
    for (int k = 0; k < 3; k++)
        out[k] = x[k] + 2 * (q[0] * v[k] + w[k]);
}

/* ---- primitives */

static int same_rotation(const double p[4], const double q[4])
{
    int same = 1, opposite = 1;
    for (int k = 0; k < 4; k++) {
        same &= p[k] == q[k];
        opposite &= p[k] == -q[k];
    }
    return same || opposite;
}

/* If the duration is just below that of half a turn, both answers are valid. */
static int body_turns(const imp_pose *from, const imp_pose *to, real seconds)
{
    real spin[3];
    const real fast = spin_of(from, seconds, spin);
    return !same_rotation(from->rotation, to->rotation) ||
           !(fast < 3.14159265358979L || (spin[0] == 0 && spin[1] == 0 && spin[2] == 0));
}

int64_t oracle_rigid_turning_body(const imp_frame *f, const imp_frame *next, uint32_t prim)
{
    const imp_mesh *m = f->mesh;
    const int32_t object = m->object ? m->object[prim] : 0;
    for (uint32_t low = 0, high = f->pose && next->pose ? m->bodies : 0; low < high;) {
        const uint32_t b = low + (high - low) / 2;
        if (m->body[b] == object)
            return body_turns(f->pose + b, next->pose + b, (real)next->time - f->time) ? (int64_t)b
                                                                                       : -1;
        low = m->body[b] < object ? b + 1 : low;
        high = m->body[b] < object ? high : b;
    }
    return -1;
}

static void oracle_rigid_read_linear(const imp_frame *const f[2], rigid_mover *m)
{
    for (int i = 0; i < 2 * m->corners; i++) {
        double x[3];
        frame_vertex(f[i % 2], m->vertex[i / 2], x);
        for (int k = 0; k < 3; k++) {
            m->at[i % 2][i / 2][k] = x[k];
            m->most = fmaxl(m->most, fabsl(x[k]));
        }
    }
}

/* The distance of points from their poses is measured at both ends of the step. */
static void oracle_rigid_read_rotating(const imp_frame *const f[2], uint32_t body, rigid_mover *m)
{
    find_turn(f[0]->pose + body, f[1]->pose + body, (real)f[1]->time - f[0]->time, m);
    for (int i = 0; i < 2 * m->corners; i++) {
        const double *rest = f[0]->mesh->rest + 3 * (size_t)m->vertex[i / 2];
        const imp_pose *pose = f[i % 2]->pose + body;
        const real own[3] = {rest[0], rest[1], rest[2]};
        real x[3], placed[3];
        double point[3];
        oracle_rigid_rotate(pose->rotation, own, x);
        frame_vertex(f[i % 2], m->vertex[i / 2], point);
        for (int k = 0; k < 3; k++) {
            m->centre[i % 2][k] = pose->centre[k];
            m->most = fmaxl(m->most, fabsl(pose->centre[k]));
            placed[k] = x[k] + ((real)pose->centre[k] - point[k]);
        }
        memcpy(m->at[i % 2][i / 2], x, sizeof x);
        m->off = fmaxl(m->off, oracle_rigid_length(placed));
        m->radius = fmaxl(m->radius, oracle_rigid_length(x));
    }
    m->most += m->radius;
}

rigid_mover rigid_mover_of(const imp_frame *f, const imp_frame *next, uint32_t prim)
{
    const imp_frame *const both[2] = {f, next};
    const int64_t body = oracle_rigid_turning_body(f, next, prim);
    rigid_mover m = {.corners = mesh_corners_of(f->mesh, prim) == IMP_TETRAHEDRA ? 4 : 3};
    m.turns = body >= 0;
    for (int k = 0; k < m.corners; k++)
        m.vertex[k] = mesh_vertex(f->mesh, prim, (uint32_t)k);
    if (m.turns)
        oracle_rigid_read_rotating(both, (uint32_t)body, &m);
    else
        oracle_rigid_read_linear(both, &m);
    return m;
}

/* Relates the positions that are not relative to the primitive's own centre. */
static void oracle_rigid_relate(rigid_mover *m, const real from[2][3])
{
    m->most = m->radius;
    for (int f = 0; f < 2; f++) {
        oracle_rigid_minus(m->centre[f], m->centre[f], from[f]);
        m->most = fmaxl(m->most, m->turns ? oracle_rigid_length(m->centre[f]) + m->radius : 0);
        for (int i = 0; i < m->corners && !m->turns; i++) {
            oracle_rigid_minus(m->at[f][i], m->at[f][i], from[f]);
            m->most = fmaxl(m->most, oracle_rigid_length(m->at[f][i]));
        }
    }
}

void rigid_movers_relate(rigid_mover m[2], real from[2][3])
{
    for (int f = 0; f < 2; f++)
        memcpy(from[f], m[1].turns ? m[1].centre[f] : m[1].at[f][0], sizeof from[f]);
    oracle_rigid_relate(&m[0], (const real(*)[3])from);
    oracle_rigid_relate(&m[1], (const real(*)[3])from);
}

void rigid_mover_reverse(rigid_mover *m)
{
    m->part -= 1;
}

void rigid_mover_place(const rigid_mover *m, real t, real x[4][3])
{
    const real turns = m->turns ? whole_turns_left(m, t) + t * m->part : 0;
    for (int i = 0; i < m->corners; i++) {
        const real(*at)[4][3] = m->at;
        real turned[3];
        if (m->turns) {
            oracle_rigid_rotate_axis(m->axis, 2 * HALF_TURN * turns, at[0][i], turned);
            turn_little(m->remainder_turn, t, turned);
        }
        for (int k = 0; k < 3; k++)
            x[i][k] = m->turns ? turned[k] + (1 - t) * m->centre[0][k] + t * m->centre[1][k]
                               : (1 - t) * at[0][i][k] + t * at[1][i][k];
    }
}

/* Displacement of the centre, or of the first vertex. */
static void oracle_rigid_trajectory(const rigid_mover *m, real out[3])
{
    if (m->turns)
        oracle_rigid_minus(out, m->centre[1], m->centre[0]);
    else
        oracle_rigid_minus(out, m->at[1][0], m->at[0][0]);
}

static real own_reach(const rigid_mover *m, const real direction[3], real t)
{
    real most = 0, to[3];
    if (m->turns)
        return m->radius * fminl(angle_of(m) * t, 2);
    for (int i = 0; i < m->corners; i++) {
        oracle_rigid_minus(to, m->at[1][i], m->at[0][i]);
        most = fmaxl(most, oracle_rigid_distance(to, direction));
    }
    return most * t;
}

real rigid_mover_reach(const rigid_mover m[2], real t)
{
    real a[3], b[3];
    oracle_rigid_trajectory(&m[0], a);
    oracle_rigid_trajectory(&m[1], b);
    return oracle_rigid_distance(a, b) * t + own_reach(&m[0], a, t) + own_reach(&m[1], b, t);
}

double rigid_mover_chord_error(const rigid_mover *m)
{
    const real angle = angle_of(m), most = m->radius * fminl(angle * angle / 8, 2);
    return m->turns ? (double)((most + 2 * m->off) * 1.000001L + 1e-12L * m->most) : 0;
}

/* ---- at one time */

static real oracle_rigid_clamp(real t)
{
    return t > 0 ? (t < 1 ? t : 1) : 0; /* NaN becomes 0 */
}

static void oracle_rigid_lerp(const real a[3], const real b[3], real t, real out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[k] + t * (b[k] - a[k]);
}

static real to_edge(const real p[3], const real a[3], const real b[3], real at[3])
{
    real e[3], w[3];
    oracle_rigid_minus(e, b, a);
    oracle_rigid_minus(w, p, a);
    oracle_rigid_lerp(a, b, oracle_rigid_clamp(oracle_rigid_dot(w, e) / oracle_rigid_dot(e, e)),
                      at);
    return oracle_rigid_distance(p, at);
}

/* Height above the face if the vertex projects into it, else the distance from its edges. */
static real to_face(const real x[4][3])
{
    real u[3], v[3], w[3], n[3], s[3], t[3], at[3], least = INFINITY;
    oracle_rigid_minus(u, x[1], x[0]);
    oracle_rigid_minus(v, x[2], x[0]);
    oracle_rigid_minus(w, x[3], x[0]);
    oracle_rigid_cross(n, u, v);
    oracle_rigid_cross(s, w, v);
    oracle_rigid_cross(t, u, w);
    const real nn = oracle_rigid_dot(n, n), a = oracle_rigid_dot(s, n), b = oracle_rigid_dot(t, n);
    if (nn > 0 && a >= 0 && b >= 0 && a + b <= nn)
        least = fabsl(oracle_rigid_dot(w, n)) / sqrtl(nn);
    for (int k = 0; k < 3; k++)
        least = fminl(least, to_edge(x[3], x[k], x[(k + 1) % 3], at));
    return least;
}

/* Minimum over all ends, and between the lines at their nearest points. */
static real between_edges(const real x[4][3])
{
    real e[3], f[3], g[3], n[3], m[3], p[3], q[3], at[3], least = INFINITY;
    for (int k = 0; k < 2; k++) {
        least = fminl(least, to_edge(x[k], x[2], x[3], at));
        least = fminl(least, to_edge(x[2 + k], x[0], x[1], at));
    }
    oracle_rigid_minus(e, x[1], x[0]);
    oracle_rigid_minus(f, x[3], x[2]);
    oracle_rigid_minus(g, x[2], x[0]);
    oracle_rigid_cross(n, e, f);
    oracle_rigid_cross(m, g, f);
    oracle_rigid_lerp(x[0], x[1],
                      oracle_rigid_clamp(oracle_rigid_dot(m, n) / oracle_rigid_dot(n, n)), p);
    to_edge(p, x[2], x[3], q);
    return fminl(least, to_edge(q, x[0], x[1], at));
}

real oracle_rigid_features_distance(int vertex_face, const real x[4][3])
{
    return vertex_face ? to_face(x) : between_edges(x);
}

/* The sign of a volume if it exceeds the rounding error. */
static int oracle_rigid_side(const real a[3], const real b[3], const real c[3], const real d[3])
{
    real u[3], v[3], w[3], n[3];
    oracle_rigid_minus(u, b, a);
    oracle_rigid_minus(v, c, a);
    oracle_rigid_minus(w, d, a);
    oracle_rigid_cross(n, u, v);
    const real volume = oracle_rigid_dot(n, w),
               size = oracle_rigid_length(u) * oracle_rigid_length(v) * oracle_rigid_length(w);
    return fabsl(volume) <= 1e-12L * size ? 0 : volume > 0 ? 1 : -1;
}

int oracle_rigid_edge_pierces(const real edge[2][3], const real face[3][3])
{
    const int from = oracle_rigid_side(face[0], face[1], face[2], edge[0]);
    int turned = 0;
    if (!from || from != -oracle_rigid_side(face[0], face[1], face[2], edge[1]))
        return 0;
    for (int k = 0; k < 3; k++)
        turned += oracle_rigid_side(edge[0], edge[1], face[k], face[(k + 1) % 3]);
    return turned == 3 || turned == -3;
}
