/* Points, planes and faces in integers: see inside_oracle.h. */
#include "frame.h"
#include "inside_oracle.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* ---- planes and points */

void inside_plane_init(inside_plane *p)
{
    vector_init(p->n);
    mpz_init(p->offset);
}

void inside_plane_clear(inside_plane *p)
{
    vector_clear(p->n);
    mpz_clear(p->offset);
}

int inside_plane_sign(const inside_plane *p, const rational_point *x)
{
    mpz_t t;
    mpz_init(t);
    for (int k = 0; k < 3; k++)
        mpz_addmul(t, p->n[k], x->v[k]);
    mpz_submul(t, p->offset, x->v[3]);
    const int sign = mpz_sgn(t);
    mpz_clear(t);
    return sign;
}

/* Returns the integer m of x = m 2^*e, odd or 0. */
static int64_t inside_number_split(double x, int *e)
{
    int64_t m = (int64_t)ldexp(frexp(x, e), 53);
    *e -= 53;
    if (m) {
        const int zeros = __builtin_ctzll((unsigned long long)m);
        m /= INT64_C(1) << zeros;
        *e += zeros;
    }
    return m;
}

void inside_point_set(rational_point *p, const double x[3], int unit)
{
    int least = unit, e[3];
    for (int k = 0; k < 3; k++) {
        mpz_set_si(p->v[k], inside_number_split(x[k], &e[k]));
        least = x[k] != 0 && e[k] < least ? e[k] : least;
        p->near[k] = x[k];
    }
    for (int k = 0; k < 3; k++)
        if (x[k] != 0)
            mpz_mul_2exp(p->v[k], p->v[k], (mp_bitcnt_t)(e[k] - least));
    mpz_set_ui(p->v[3], 1);
    mpz_mul_2exp(p->v[3], p->v[3], (mp_bitcnt_t)(unit - least));
}

/* The float64 nearest to r, of two equally near ones the even one. */
static double inside_number_nearest(const mpq_t r)
{
    const double low = mpq_get_d(r), high = nextafter(low, mpq_sgn(r) < 0 ? -INFINITY : INFINITY);
    uint64_t bits;
    mpq_t sum, t;
    mpq_init(sum);
    mpq_init(t);
    mpq_set_d(sum, low);
    mpq_set_d(t, high);
    mpq_add(sum, sum, t);
    mpq_add(t, r, r);
    const int order = mpq_cmp(t, sum) * (mpq_sgn(r) < 0 ? -1 : 1); /* 1: high is nearer */
    mpq_clear(sum);
    mpq_clear(t);
    memcpy(&bits, &low, sizeof bits);
    return order > 0 || (order == 0 && bits & 1) ? high : low;
}

void inside_point_middle(const rational_point *p, const rational_point *q, int unit, double out[3])
{
    mpq_t sum, t;
    mpq_init(sum);
    mpq_init(t);
    for (int k = 0; k < 3; k++) {
        mpq_set_num(sum, p->v[k]);
        mpq_set_den(sum, p->v[3]);
        mpq_canonicalize(sum);
        mpq_set_num(t, q->v[k]);
        mpq_set_den(t, q->v[3]);
        mpq_canonicalize(t);
        mpq_add(sum, sum, t);
        if (unit > 1)
            mpq_mul_2exp(sum, sum, (mp_bitcnt_t)(unit - 1));
        else
            mpq_div_2exp(sum, sum, (mp_bitcnt_t)(1 - unit));
        out[k] = inside_number_nearest(sum);
    }
    mpq_clear(sum);
    mpq_clear(t);
}

void inside_point_copy(rational_point *to, const rational_point *from)
{
    for (int k = 0; k < 4; k++)
        mpz_set(to->v[k], from->v[k]);
    memcpy(to->near, from->near, sizeof to->near);
}

int inside_unit(const imp_frame *f, const uint32_t *vertex, size_t count)
{
    int unit = INT_MAX;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < 3; k++) {
            int e;
            if (inside_number_split(frame_coordinate(f, vertex[i], k), &e))
                unit = e < unit ? e : unit;
        }
    return unit == INT_MAX ? 0 : unit;
}

/* ---- faces */

void inside_face_open(const imp_frame *f, int unit, inside_face *face)
{
    vector a, b;
    vector_init(a);
    vector_init(b);
    truth_box box = truth_box_empty(0);
    for (int i = 0; i < 3; i++) {
        double x[3];
        frame_vertex(f, face->vertex[i], x);
        truth_box_extend(&box, x);
        point_init(&face->corner[i]);
        inside_point_set(&face->corner[i], x, unit);
    }
    memcpy(face->lo, box.lo, sizeof face->lo);
    memcpy(face->hi, box.hi, sizeof face->hi);
    inside_plane_init(&face->plane);
    point_between(a, &face->corner[0], &face->corner[1]);
    point_between(b, &face->corner[0], &face->corner[2]);
    vector_cross(face->plane.n, a, b);
    vector_dot(face->plane.offset, face->plane.n, face->corner[0].v);
    face->area =
        mpz_sgn(face->plane.n[0]) || mpz_sgn(face->plane.n[1]) || mpz_sgn(face->plane.n[2]);
    vector_clear(a);
    vector_clear(b);
}

void inside_face_close(inside_face *face)
{
    for (int i = 0; i < 3; i++)
        point_clear(&face->corner[i]);
    inside_plane_clear(&face->plane);
}

int inside_face_where(const inside_face *face, const rational_point *x)
{
    int least = 1;
    vector edge, to, across;
    mpz_t t;
    mpz_init(t);
    vector_init(edge);
    vector_init(to);
    vector_init(across);
    for (int i = 0; i < 3 && least >= 0; i++) {
        point_between(edge, &face->corner[i], &face->corner[(i + 1) % 3]);
        point_between(to, &face->corner[i], x);
        vector_cross(across, edge, to);
        vector_dot(t, across, mpz_read(face->plane.n));
        least = mpz_sgn(t) < least ? mpz_sgn(t) : least;
    }
    mpz_clear(t);
    vector_clear(edge);
    vector_clear(to);
    vector_clear(across);
    return least;
}

/* Returns whether x is on the segment from a to b. */
static int inside_segment_has(const rational_point *a, const rational_point *b,
                              const rational_point *x)
{
    vector edge, to, across;
    vector_init(edge);
    vector_init(to);
    vector_init(across);
    point_between(edge, a, b);
    point_between(to, a, x);
    vector_cross(across, edge, to);
    const int on_line = !mpz_sgn(across[0]) && !mpz_sgn(across[1]) && !mpz_sgn(across[2]);
    vector_clear(edge);
    vector_clear(to);
    vector_clear(across);
    return on_line && point_compare(a, x) * point_compare(x, b) >= 0;
}

int inside_face_edge_has(const inside_face *face, const rational_point *x)
{
    int has = 0;
    for (int i = 0; i < 3; i++)
        has |= inside_segment_has(&face->corner[i], &face->corner[(i + 1) % 3], x);
    return has;
}

/* ---- the nearest point */

void inside_nearest_init(inside_nearest *n)
{
    oracle_distance_init(&n->distance);
    for (int k = 0; k < 3; k++)
        mpz_init(n->weight[k]);
    mpz_init_set_ui(n->scale, 1);
}

void inside_nearest_clear(inside_nearest *n)
{
    oracle_distance_clear(&n->distance);
    for (int k = 0; k < 3; k++)
        mpz_clear(n->weight[k]);
    mpz_clear(n->scale);
}

/* The point of the edge from corner i to the next that is nearest to x. */
static void inside_nearest_edge(const inside_face *face, int i, const rational_point *x, int unit,
                                inside_nearest *out)
{
    const int j = (i + 1) % 3;
    vector edge, to;
    mpz_t along, square;
    vector_init(edge);
    vector_init(to);
    mpz_init(along);
    mpz_init(square);
    point_between(edge, &face->corner[i], &face->corner[j]);
    point_between(to, &face->corner[i], x); /* times x->v[3], as `along` */
    vector_dot(along, edge, to);
    vector_dot(square, edge, edge);
    mpz_mul(out->scale, square, x->v[3]);
    if (mpz_sgn(along) < 0)
        mpz_set_ui(along, 0);
    if (mpz_cmp(along, out->scale) > 0)
        mpz_set(along, out->scale);
    for (int k = 0; k < 3; k++) { /* square to - along edge */
        mpz_mul(to[k], to[k], square);
        mpz_submul(to[k], along, edge[k]);
    }
    out->distance.unit = unit;
    vector_dot(out->distance.square[0], to, to);
    mpz_mul(out->distance.square[1], out->scale, out->scale);
    mpz_sub(out->weight[i], out->scale, along);
    mpz_set(out->weight[j], along);
    mpz_set_ui(out->weight[(i + 2) % 3], 0);
    vector_clear(edge);
    vector_clear(to);
    mpz_clear(along);
    mpz_clear(square);
}

void inside_nearest_find(const inside_face *face, const rational_point *x, int unit,
                         inside_nearest *out)
{
    mpz_t *n = mpz_read(face->plane.n);
    vector edge, to, across;
    int within = 1;
    vector_init(edge);
    vector_init(to);
    vector_init(across);
    out->distance.unit = unit;
    vector_dot(out->scale, n, n);
    mpz_mul(out->scale, out->scale, x->v[3]);
    for (int i = 0; i < 3; i++) { /* the part of the area that is opposite to corner i */
        const int j = (i + 1) % 3;
        point_between(edge, &face->corner[j], &face->corner[(i + 2) % 3]);
        point_between(to, &face->corner[j], x);
        vector_cross(across, edge, to);
        vector_dot(out->weight[i], across, n);
        within &= mpz_sgn(out->weight[i]) >= 0;
    }
    if (within) { /* the square of n to, divided by that of n; `to` is times x->v[3] */
        mpz_mul(out->distance.square[1], out->scale, x->v[3]);
        vector_dot(out->distance.square[0], n, to);
        mpz_mul(out->distance.square[0], out->distance.square[0], out->distance.square[0]);
    }
    vector_clear(edge);
    vector_clear(to);
    vector_clear(across);
    for (int i = 0; i < 3 && !within; i++) {
        inside_nearest edge_point;
        inside_nearest_init(&edge_point);
        inside_nearest_edge(face, i, x, unit, &edge_point);
        if (!i || oracle_distance_compare(&edge_point.distance, &out->distance) < 0) {
            const inside_nearest was = *out;
            *out = edge_point;
            edge_point = was;
        }
        inside_nearest_clear(&edge_point);
    }
}
