/* Bounding volumes of sets of primitives: k-DOPs, spheres, oriented boxes.
 *
 * Coordinates are in the unit of a frame (types.h), relative to its centre, so that no absolute
 * value is greater than BV_EXTENT. The effect of rounding is then below a fixed limit, which
 * volumes and tests add as a margin. Volumes are closed: two that touch overlap. The tests are
 * conservative: none ever denies an overlap, and a volume that overflows overlaps everything.
 *
 * k-DOPs: Klosowski 1998, and [K] sections 2, 3. Oriented boxes and spheres: [S] sections 1.2, 2,
 * Gottschalk, Lin and Manocha, *OBBTree*, SIGGRAPH 1996. */
#ifndef IMP_BV_H
#define IMP_BV_H

#include "vec3.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#define BV_EXTENT 4.0
#define BV_UNIT 0x1p-46 /* the axes of a box are proven orthonormal within this */

/* An upper limit of the error of every formula below. All bounds are to first order; e = 1.25
 * BV_UNIT, u = 2^-53.
 *
 * 1. The input. Products of two axes of a box, |a_i . a_k - (i == k)|, are below BV_UNIT plus the
 * rounding of their check. A rotation, orthonormal within some 2^-51, and the rounding after it
 * raise that to at most e. Points are in a cube of half edge BV_EXTENT, so along an axis they reach
 * BV_EXTENT sqrt(3) < 7: no half length is more, the three together are at most 21, and the centre
 * of a box is at most 7 sqrt(3) < 12.2 from the origin.
 *
 * 2. Fitting. Write a point as x = c + sum t_k a_k. Then a_i . x = t_i + a_i . c + (sum of e t_k):
 * the effect of axes that are not orthonormal is at most e times the sum of the three a_k . x,
 * which is at most 7 sqrt(3): 12.2 e. Rounding errors: the products with x (22 u), the centre (90
 * u) and the half length (14 u): together 1 e. Sum: 14 e. Radii of spheres err in proportion, which
 * their factor 1 + 2^-48 covers.
 *
 * 3. Overlap along an axis a_i of a box. For boxes with a common point, b.c - a.c = sum s_k a_k -
 * sum t_l b_l with |s_k|, |t_l| at most the half lengths. Times a_i that is at most half_i + e sum
 * half_k + sum half_l |a_i . b_l|: the second term is 21 e. A sphere of radius 7 instead of a box
 * adds e/2 times 7.
 *
 * 4. Overlap along a_i x b_j. The formula multiplies in coordinates of a: with A of rows a_k it is
 * L . A (b.c - a.c), L = e_i x A b_j, the unit vector e_i. Here A a_k is e_k except for three
 * products' errors, of which L, orthogonal to e_i, involves two: sqrt(2) e for each half length
 * of a, 30 e in all. And e_i . (A b_j x A b_l) should be the entry r of A B^T that the formula has.
 * With the tables of products G of A and H of B it is sqrt(det G det H) times an entry of G^-1 (A
 * B^T) H^-1. To first order that differs by (tr E / 2 - E_ii) r - sum of E_in r_n over n != i, E =
 * G - 1, and as much of H: at most sqrt(1.5^2 + 1 + 1) e < 2.07 e for each of both, since a column
 * of A B^T has length 1. For two half lengths of b that is 14 (2.07 + 2.07) e = 58 e. Sum: 88 e.
 *
 * 5. Rounding in 3. and 4. A product with b.c - a.c of length D: 4.1 u D. A difference of two such
 * products times entries of A B^T, below sqrt(2) D: 15 u D, including the rounding of those
 * entries. The sum it is compared with: 8 u times 28, the four half lengths. D is at most 25: 600 u
 * < 4 e.
 *
 * 88 e + 4 e = 115 BV_UNIT. A margin of 256 BV_UNIT is more than twice that. Where half lengths or
 * coordinates are beyond BV_EXTENT, all errors grow in proportion, by less than 2^-40 for each
 * unit: callers add that (bv_pose.slack). test_bv.c finds boxes that need more than a sixteenth of
 * the margin. */
#define BV_MARGIN 0x1p-38

/* ---- k-DOPs: lower corner, upper corner, then lower and upper bound along each further axis */

#define BV_DOP_WORDS(extra) (6 + 2 * (extra))

/* The first six. All are compared: no processor can predict which of them separates boxes. */
static inline int bv_boxes_overlap(const float *a, const float *b)
{
    return (a[0] <= b[3]) & (b[0] <= a[3]) & (a[1] <= b[4]) & (b[1] <= a[4]) & (a[2] <= b[5]) &
           (b[2] <= a[5]);
}

/* Further intervals. An empty one, lower > upper, overlaps none. */
static inline int bv_slabs_overlap(const float *a, const float *b, uint32_t extra)
{
    for (size_t e = 0; e < (size_t)2 * extra; e += 2)
        if (a[e] > b[e + 1] || b[e] > a[e + 1])
            return 0;
    return 1;
}

static inline int bv_dops_overlap(const float *a, const float *b, uint32_t extra)
{
    return bv_boxes_overlap(a, b) && bv_slabs_overlap(a + 6, b + 6, extra);
}

/* An empty k-DOP, which overlaps nothing: the start of a union. */
void bv_dop_none(float *out, uint32_t extra);
void bv_dop_join(float *to, const float *other, uint32_t extra);

/* The intervals alone, as they follow a k-DOP's box. */
void bv_slabs_join(float *to, const float *other, uint32_t extra);

/* ---- spheres */

typedef struct bv_sphere {
    double c[3], r;
} bv_sphere;

/* Radii have a margin for their own rounding, so here the margin is that of this formula alone,
 * each step of which errs by less than 2^-53 of its result. */
static inline int bv_spheres_overlap(const bv_sphere *a, const bv_sphere *b)
{
    double x = a->c[0] - b->c[0], y = a->c[1] - b->c[1], z = a->c[2] - b->c[2], r = a->r + b->r;
    return !(x * x + y * y + z * z > r * r * (1 + 0x1p-48));
}

/* ---- oriented boxes: c + sum of t[i] axis[i], |t[i]| <= half[i] */

typedef struct bv_obb {
    double axis[3][3]; /* orthogonal unit vectors, within BV_UNIT */
    double c[3], half[3];
} bv_obb;

/* The second of two boxes in the coordinates of the first. */
typedef struct bv_relative {
    double t[3];       /* from centre to centre */
    double r[3][3];    /* r[i][j]: axis i of the first times axis j of the second */
    double size[3][3]; /* absolute value of r */
} bv_relative;

/* The nine axes orthogonal to an edge of each box. An axis of nearly zero length separates nothing:
 * both sides are about 0, and the margin decides. Returns the number of axes tested until one
 * separates, or -9. */
static inline int bv_obb_crossed(const bv_obb *a, const bv_obb *b, const bv_relative *m,
                                 double margin)
{
    int tested = 0;
    for (int i = 0; i < 3; i++) {
        int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        for (int j = 0; j < 3; j++) {
            int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            double far = fabs(m->t[i2] * m->r[i1][j] - m->t[i1] * m->r[i2][j]);
            double reach = a->half[i1] * m->size[i2][j] + a->half[i2] * m->size[i1][j] +
                           b->half[j1] * m->size[i][j2] + b->half[j2] * m->size[i][j1];
            tested++;
            if (far > reach + margin)
                return tested;
        }
    }
    return -tested;
}

/* Separating axis test; adds the number of tested axes to *axes. Each axis is a proof by itself,
 * whatever its direction, if the margin is more than the formulas lose where axes are not quite
 * orthonormal, as BV_MARGIN is. */
static inline int bv_obbs_within(const bv_obb *a, const bv_obb *b, double margin, uint64_t *axes)
{
    bv_relative m;
    double d[3] = {b->c[0] - a->c[0], b->c[1] - a->c[1], b->c[2] - a->c[2]};
    for (int i = 0; i < 3; i++) {
        m.t[i] = vec_dot(a->axis[i], d);
        double reach = a->half[i];
        for (int j = 0; j < 3; j++) {
            m.r[i][j] = vec_dot(a->axis[i], b->axis[j]);
            m.size[i][j] = fabs(m.r[i][j]);
            reach += b->half[j] * m.size[i][j];
        }
        ++*axes;
        if (fabs(m.t[i]) > reach + margin)
            return 0;
    }
    for (int j = 0; j < 3; j++) {
        double reach = b->half[j] + a->half[0] * m.size[0][j] + a->half[1] * m.size[1][j] +
                       a->half[2] * m.size[2][j];
        ++*axes;
        if (fabs(vec_dot(b->axis[j], d)) > reach + margin)
            return 0;
    }
    int crossed = bv_obb_crossed(a, b, &m, margin);
    *axes += (uint64_t)(crossed < 0 ? -crossed : crossed);
    return crossed < 0;
}

static inline int bv_obbs_overlap(const bv_obb *a, const bv_obb *b, uint64_t *axes)
{
    return bv_obbs_within(a, b, BV_MARGIN, axes);
}

/* Tests the box's three axes only: a sphere near a corner may be reported ([S] section 2.2). */
static inline int bv_sphere_obb_overlap(const bv_sphere *s, const bv_obb *b, uint64_t *axes)
{
    double d[3] = {s->c[0] - b->c[0], s->c[1] - b->c[1], s->c[2] - b->c[2]};
    for (int i = 0; i < 3; i++) {
        ++*axes;
        if (fabs(vec_dot(b->axis[i], d)) > b->half[i] + s->r + BV_MARGIN)
            return 0;
    }
    return 1;
}

/* The lower bound of a box in float32, rounded outward; -infinity if x is unknown. */
static inline float bv_below(double x)
{
    return x == x ? nextafterf((float)x, -INFINITY) : -INFINITY;
}

static inline float bv_above(double x)
{
    return x == x ? nextafterf((float)x, INFINITY) : INFINITY;
}

/* ---- Poses: x goes to r x + t, where r is a rotation as exact as float64 allows. Points may be up
 * to `slack` away from there, which includes the rounding done here. */

typedef struct bv_pose {
    double r[3][3], t[3], slack;
} bv_pose;

/* The identity. */
static inline bv_pose bv_pose_still(double slack)
{
    return (bv_pose){.r = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .slack = slack};
}

static inline void bv_point_posed(const double *x, const bv_pose *p, double *out)
{
    for (int i = 0; i < 3; i++)
        out[i] = vec_dot(p->r[i], x) + p->t[i];
}

/* A sphere looks the same in every orientation: only its centre moves. */
static inline bv_sphere bv_sphere_posed(const bv_sphere *s, const bv_pose *p)
{
    bv_sphere out = {.r = s->r + p->slack};
    bv_point_posed(s->c, p, out.c);
    return out;
}

static inline bv_obb bv_obb_posed(const bv_obb *b, const bv_pose *p)
{
    bv_obb out;
    bv_point_posed(b->c, p, out.c);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++)
            out.axis[k][i] = vec_dot(p->r[i], b->axis[k]);
        out.half[k] = b->half[k] + p->slack;
    }
    return out;
}

/* ---- fitting */

/* The points that a volume must contain: point i of `count` is x[3 * vertex[i]]. */
typedef struct bv_points {
    const double *x;        /* [3 * ..] */
    const uint32_t *vertex; /* [count] may repeat vertices; NULL: 0, 1, 2, ... */
    size_t count;
} bv_points;

/* A sphere about the centre of the points' box. */
void bv_sphere_fit(const bv_points *p, bv_sphere *out);

/* Sums over the vertices of triangles, each counted once per triangle that has it. The moments of a
 * union are the sums of the moments. */
typedef struct bv_moments {
    double count, sum[3], product[6]; /* xx xy xz yy yz zz */
} bv_moments;

void bv_moments_add(bv_moments *m, const bv_points *p);
void bv_moments_join(bv_moments *to, const bv_moments *other);

/* The axes are the eigenvectors of the points' covariance, [S] section 1.2. If they are not unique
 * (flat, collinear or coincident points), any of them are used; if they cannot be proven
 * orthonormal, the frame's axes. */
void bv_obb_fit(const bv_points *p, const bv_moments *m, bv_obb *out);

#endif
