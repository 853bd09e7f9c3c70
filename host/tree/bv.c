/* See bv.h. */
#include "bv.h"

#include <string.h>

/* ---- k-DOPs */

/* lower > upper: joining it to anything changes nothing. */
void bv_dop_none(float *out, uint32_t extra)
{
    for (int k = 0; k < 3; k++) {
        out[k] = INFINITY;
        out[3 + k] = -INFINITY;
    }
    for (uint32_t e = 0; e < extra; e++) {
        out[6 + 2 * e] = INFINITY;
        out[7 + 2 * e] = -INFINITY;
    }
}

void bv_slabs_join(float *to, const float *other, uint32_t extra)
{
    for (uint32_t e = 0; e < 2 * extra; e += 2) {
        to[e] = other[e] < to[e] ? other[e] : to[e];
        to[e + 1] = other[e + 1] > to[e + 1] ? other[e + 1] : to[e + 1];
    }
}

void bv_dop_join(float *to, const float *other, uint32_t extra)
{
    for (int k = 0; k < 3; k++) {
        to[k] = other[k] < to[k] ? other[k] : to[k];
        to[3 + k] = other[3 + k] > to[3 + k] ? other[3 + k] : to[3 + k];
    }
    bv_slabs_join(to + 6, other + 6, extra);
}

/* ---- points */

#define NOWHERE 1e100 /* the position of nothing; its squares are still finite */

/* Without vertex numbers, points are contiguous. */
static const double *point(const bv_points *p, size_t i)
{
    return p->x + 3 * (p->vertex ? (size_t)p->vertex[i] : i);
}

/* Not the smallest sphere, which would take many passes over the points. */
void bv_sphere_fit(const bv_points *p, bv_sphere *out)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    double most = 0;
    *out = (bv_sphere){{NOWHERE, NOWHERE, NOWHERE}, 0};
    if (!p->count)
        return;
    for (size_t i = 0; i < p->count; i++)
        for (int k = 0; k < 3; k++) {
            double x = point(p, i)[k];
            lo[k] = x < lo[k] ? x : lo[k];
            hi[k] = x > hi[k] ? x : hi[k];
        }
    for (int k = 0; k < 3; k++)
        out->c[k] = (lo[k] + hi[k]) / 2;
    for (size_t i = 0; i < p->count; i++) {
        const double *x = point(p, i);
        double d[3] = {x[0] - out->c[0], x[1] - out->c[1], x[2] - out->c[2]};
        double far = vec_dot(d, d);
        most = far > most ? far : most;
    }
    /* margin for the rounding of the squares, the root and the centre */
    out->r = sqrt(most) * (1 + 0x1p-48) + BV_MARGIN;
}

/* ---- oriented boxes */

void bv_moments_add(bv_moments *m, const bv_points *p)
{
    for (size_t i = 0; i < p->count; i++) {
        const double *x = point(p, i);
        for (int k = 0; k < 3; k++)
            m->sum[k] += x[k];
        m->product[0] += x[0] * x[0];
        m->product[1] += x[0] * x[1];
        m->product[2] += x[0] * x[2];
        m->product[3] += x[1] * x[1];
        m->product[4] += x[1] * x[2];
        m->product[5] += x[2] * x[2];
    }
    m->count += (double)p->count;
}

void bv_moments_join(bv_moments *to, const bv_moments *other)
{
    to->count += other->count;
    for (int k = 0; k < 3; k++)
        to->sum[k] += other->sum[k];
    for (int k = 0; k < 6; k++)
        to->product[k] += other->product[k];
}

/* The covariance of the points times their number; that factor does not change the axes. */
static void covariance(const bv_moments *m, double c[3][3])
{
    static const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            c[i][j] = m->product[at[i][j]] - m->sum[i] * (m->sum[j] / m->count);
}

/* One Jacobi rotation, which makes c[p][q] zero; v accumulates the rotations as rows. */
static void rotate(double c[3][3], double v[3][3], int p, int q)
{
    if (c[p][q] == 0)
        return;
    /* the smaller of the two angles, by the formula without cancellation */
    double theta = (c[q][q] - c[p][p]) / (2 * c[p][q]);
    double t = 1 / (fabs(theta) + sqrt(theta * theta + 1));
    t = theta < 0 ? -t : t;
    double cosine = 1 / sqrt(t * t + 1), sine = t * cosine;
    for (int k = 0; k < 3; k++) {
        double x = c[k][p], y = c[k][q];
        c[k][p] = cosine * x - sine * y;
        c[k][q] = sine * x + cosine * y;
    }
    for (int k = 0; k < 3; k++) {
        double x = c[p][k], y = c[q][k], a = v[p][k], b = v[q][k];
        c[p][k] = cosine * x - sine * y;
        c[q][k] = sine * x + cosine * y;
        v[p][k] = cosine * a - sine * b;
        v[q][k] = sine * a + cosine * b;
    }
    c[p][q] = c[q][p] = 0;
}

/* Eigenvectors of a symmetric matrix, as rows: cyclic Jacobi, which converges in few sweeps. It
 * ends after SWEEPS at most; bv_is_orthonormal() then checks the result. */
#define SWEEPS 12
static void eigenvectors(double c[3][3], double v[3][3])
{
    for (int i = 0; i < SWEEPS; i++) {
        rotate(c, v, 0, 1);
        rotate(c, v, 0, 2);
        rotate(c, v, 1, 2);
        if (c[0][1] == 0 && c[0][2] == 0 && c[1][2] == 0)
            return;
    }
}

/* Returns whether the scalar products of all rows are within BV_UNIT of those of orthonormal
 * vectors. NaN fails. */
static int bv_is_orthonormal(double v[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            if (!(fabs(vec_dot(v[i], v[j]) - (i == j)) < BV_UNIT))
                return 0;
    return 1;
}

/* The frame's axes are valid for any points, so they replace axes that are not proven. */
void bv_obb_fit(const bv_points *p, const bv_moments *m, bv_obb *out)
{
    static const double frame[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double c[3][3], lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3];
    memcpy(out->axis, frame, sizeof frame);
    for (int i = 0; i < 3; i++) {
        hi[i] = -INFINITY;
        out->c[i] = 0;
        out->half[i] = -NOWHERE;
    }
    if (!p->count)
        return;
    /* Moments include all vertices below, so a parent adds its children's and need not read points
     * for its axes. */
    covariance(m, c);
    eigenvectors(c, out->axis);
    if (!bv_is_orthonormal(out->axis))
        memcpy(out->axis, frame, sizeof frame);
    for (size_t k = 0; k < p->count; k++)
        for (int i = 0; i < 3; i++) {
            double along = vec_dot(out->axis[i], point(p, k));
            lo[i] = along < lo[i] ? along : lo[i];
            hi[i] = along > hi[i] ? along : hi[i];
        }
    for (int i = 0; i < 3; i++) {
        out->half[i] = (hi[i] - lo[i]) / 2 + BV_MARGIN;
        for (int k = 0; k < 3; k++)
            out->c[k] += (lo[i] + hi[i]) / 2 * out->axis[i][k];
    }
}
